#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath watch, for real: stalls planted at random times are each kept once, as trace-cmd reads the recordings, and none is invented; it is
# killed at any moment, its disk is full, its budget is small.  watch_stalls.t and watch_kills.t are parts of this at length.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX);
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time clock_gettime CLOCK_MONOTONIC);

my ($tracefs) = grep { -d "$_/instances" } '/sys/kernel/tracing', '/sys/kernel/debug/tracing';
plan skip_all => 'recording needs root' if !is_root();
plan skip_all => 'this kernel has no tracefs with instances' if !$tracefs || !-w "$tracefs/instances";
my $dir = $ENV{TMPDIR};
# --clean of another test would take away what is looked at here.
open my $lock, '<', "$tracefs/README" or die;
flock $lock, LOCK_EX or die;

my %part = map { $_ => 1 } split / /, $ENV{WATCH_PARTS} // 'stalls kills disk usage';
my $stalls = $ENV{WATCH_STALLS} // 3;	# about two seconds each
my $kills = $ENV{WATCH_KILLS} // 3;
srand 45;

sub of_us { return grep { -d } map { glob "$tracefs/instances/wakepath-$_-*" } @_ }
sub begin {
	my (@args) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/out";
		open STDERR, '>', "$dir/err";
		{ exec $ENV{WAKEPATH}, 'watch', @args }
		POSIX::_exit(127);
	}
	return $pid;
}
# Wait until it says that it watches.
sub watching {
	my ($pid) = @_;
	for (1 .. 3000) {
		return 1 if (eval { slurp("$dir/err") } // "") =~ /watching for/;
		return 0 if waitpid($pid, WNOHANG) != 0;
		sleep 0.02;
	}
	return 0;
}
sub ended {
	my ($pid) = @_;
	waitpid $pid, 0;
	return { status => $? >> 8, signal => $? & 127, err => slurp("$dir/err") };
}
# The lines of the manifest in FOLDER with WORD, each a hash.
sub lines {
	my ($folder, $word) = @_;
	return map { my %f = map { /^(\w+)=(.*)$/s ? ($1 => $2) : () } split /\t/; \%f } grep { /^$word\t/ } split /\n/, slurp("$folder/watch.txt");
}
# Waits for a CPU of more than LIMIT ns of the thread TID in the lines of FH, which trace-cmd or the kernel printed: [woken, runs].
sub waits_in {
	my ($fh, $tid, $limit) = @_;
	local $_;
	my (@events, @waits, $woken);
	while (<$fh>) { push @events, [$1 * 1e9 + $2 * 10 ** (9 - length $2), $3, $4] if /^\s*\S.*?-\d+\s+\[\d{3,}\]\s+.*?(\d+)\.(\d+):\s+(sched_waking|sched_switch):\s*(.*)/ }
	for my $e (sort { $a->[0] <=> $b->[0] } @events) {
		$woken = $e->[0] if $e->[1] eq 'sched_waking' && $e->[2] =~ /(?:pid=|:)$tid\b/;
		next if $e->[1] ne 'sched_switch' || $e->[2] !~ /(\d+) \[.*==> .*:(\d+) \[/ && $e->[2] !~ /prev_pid=(\d+).*next_pid=(\d+)/;
		undef $woken if $1 == $tid;
		next if $2 != $tid;
		push @waits, [$woken, $e->[0]] if defined $woken && $e->[0] - $woken > $limit;
		undef $woken;
	}
	return @waits;
}
sub waits {
	my ($file, $tid, $limit) = @_;
	open my $in, '-|', "trace-cmd report -t '$file' 2>/dev/null" or die;
	return waits_in($in, $tid, $limit);
}

# wk-victim sleeps a millisecond at a time on CPU 0, where wk-hog, with a real-time priority, takes COUNT times the CPU for 150 ms.
my $plant = "$dir/plant.pl";
spew($plant, <<'END');
use Time::HiRes qw(sleep clock_gettime CLOCK_MONOTONIC);
my ($count, $gap, $seed) = @ARGV;
$| = 1;
system "taskset -pc 0 $$ >/dev/null";
my $victim = fork;
if (!$victim) { $0 = 'wk-victim'; sleep 0.001 while 1 }
print "$victim\n";
srand $seed;
$0 = 'wk-hog'; system "chrt -f -p 50 $$" and exit 1;
for (1 .. $count) {
	sleep 0.8 + rand $gap;
	my $begin = clock_gettime(CLOCK_MONOTONIC);
	1 while clock_gettime(CLOCK_MONOTONIC) < $begin + 0.15;
	printf "%.0f %.0f\n", $begin * 1e9, clock_gettime(CLOCK_MONOTONIC) * 1e9;
}
sleep 0.3;
kill 'KILL', $victim;
wait;
END

# ---- planted stalls ----

if ($part{stalls}) {
	my $folder = "$dir/stalls";
	my $pid = begin('--until', 'wakeup > 100ms', '-o', $folder, '--every', '1ns', '--keep', 1000, '--disk', '8G');
	ok(watching($pid), 'it watches') or diag(slurp("$dir/err"));
	# An instance of the test's own: this kernel may hide a switch, so that nobody can know of a wait.
	my $control = "$tracefs/instances/control-$$";
	mkdir $control or die;
	END { if ($control) { my $s = $?; eval { spew("$control/set_event", '') }; rmdir $control; $? = $s } }
	spew("$control/trace_clock", 'mono');
	spew("$control/buffer_size_kb", 32768);
	spew("$control/set_event", "sched:sched_waking sched:sched_switch");
	system("perl $plant $stalls 1.5 45 > $dir/planted") == 0 or die 'no stalls can be planted';
	kill 'INT', $pid;
	my $r = ended($pid);
	is("$r->{status} $r->{signal}", '0 0', '… until Ctrl-C') or diag($r->{err});
	is(scalar(of_us($pid)), 0, '… and leaves nothing in tracefs');
	my ($victim, @planted) = split /\n/, slurp("$dir/planted");
	open my $in, '<', "$control/trace" or die;
	my @true = waits_in($in, $victim, 1.001e8);	# (the text has microseconds)
	close $in;
	my @hits = grep { $_->{file} } lines($folder, 'hit');
	my %files = map { $_->{file} => 1 } @hits;
	is_deeply([sort keys %files], [sort map { m{([^/]+)$} } glob "$folder/hit-*"], 'the manifest names the recordings');
	# Each stall: in how many recordings the victim's wait ends with it.
	my %waits = map { $_ => [waits("$folder/$_", $victim, 1e8)] } keys %files;
	my $once = 0;
	for my $stall (@planted) {
		my ($begin, $end) = split / /, $stall;
		my @in = grep { grep { $_->[1] > $end - 1e6 && $_->[0] < $end } @{$waits{$_}} } sort keys %waits;
		next if !grep { $_->[1] > $end - 1e6 && $_->[0] < $end } @true;
		is(scalar(@in), 1, "the stall at $begin is in one recording") or diag("@in");
		$once++;
	}
	cmp_ok($once, '>=', $stalls / 2, 'stalls are kept once');
	# None is invented: a machine that is busy has others, but each is in its recording as long as is told.
	my @wrong;
	for my $h (grep { $_->{whole} } @hits) {
		my ($same) = grep { abs($_->[1] - $h->{time}) < 1e6 } waits("$folder/$h->{file}", $h->{tid}, 1e8);
		push @wrong, "$h->{file} $h->{tid} $h->{value}" if !$same || abs($same->[1] - $same->[0] - $h->{value}) > 0.01 * $h->{value};
	}
	is(join(', ', @wrong), '', 'none is invented, as trace-cmd reads them');
	is(join(' ', grep { $_->{value} <= 1e8 || $_->{limit} != 1e8 || $_->{cases} < 1 } @hits), '', 'all are over the limit');
	cmp_ok(scalar(grep { !$_->{whole} } @hits), '<=', 1 + @hits / 10, 'they begin before the latency does, but for some');

	# Beside them typical cases.
	my @typical = lines($folder, 'typical');
	my %numbers = map { $_->{n} => 1 } @hits;
	cmp_ok(scalar(@typical), '>=', 1, 'there are typical cases');
	is(join(' ', grep { !$numbers{$_->{n}} || !-e "$folder/$_->{file}" } @typical), '', '… beside hits');
	is(join(' ', map { $_->{value} } grep { $_->{value} > 1e7 } @typical), '', '… which are short');

	# It opens at its place.
	my ($hit) = sort { $b->{value} <=> $a->{value} } grep { $_->{whole} && $_->{tid} == $victim } @hits;
	if ($hit) {
		spew("$dir/script", "dump $dir/screen\nquit\n");
		wakepath('view', "$folder/$hit->{file}", '--script', "$dir/script");
		my $from = json_of(wakepath('info', "$folder/$hit->{file}", '--format', 'json'))->{from};
		my $since = sprintf '%.9f', ($hit->{time} - $hit->{value} - $from) / 1e9;
		like(slurp("$dir/screen"), qr/^ \Q$hit->{file}\E +\Q$since\E s/, 'a recording opens at its hit') or diag(slurp("$dir/screen"));
		like(slurp("$dir/screen"), qr/wk-victim/, '… with its thread');
	}
	# What was measured is all there.
	my ($seen) = lines($folder, 'seen');
	my $count = 0;
	$count += $_ for $seen->{classes} =~ /:(\d+)/g;
	cmp_ok($count, '>', 100, 'all latencies are in the distribution');
	cmp_ok($seen->{over}, '>=', scalar(@hits), '… and counted');
	is($seen->{lost}, 0, '… none was lost');
}

done_testing();
