#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath watch, for real: each stall planted at a random time is kept once, according to trace-cmd's text of the recordings, and none is invented;
# the watch is killed at any moment, and its disk is full.  watch_stalls.t and watch_kills.t run parts of this at length, the latter with its budget,
# its cost, and CPUs that go offline.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX LOCK_UN);
use POSIX qw(WNOHANG);
use Socket ();
use Test::More;
use Time::HiRes qw(sleep time clock_gettime CLOCK_MONOTONIC);

my ($tracefs) = grep { -d "$_/instances" } '/sys/kernel/tracing', '/sys/kernel/debug/tracing';
plan skip_all => 'recording needs root' if !is_root();
plan skip_all => 'this kernel has no tracefs with instances' if !$tracefs || !-w "$tracefs/instances";
my $dir = $ENV{TMPDIR};
# --clean of another test would remove the instances checked here.
open my $lock, '<', "$tracefs/README" or die;
flock $lock, LOCK_EX or die;

my %part = map { $_ => 1 } split / /, $ENV{WATCH_PARTS} // 'stalls kinds kills disk clock service usage';
my $stalls = $ENV{WATCH_STALLS} // 4;	# at random times, from 0.8 to 0.8 + GAP s after the previous one
my $gap = $ENV{WATCH_GAP} // 1.5;
my $kills = $ENV{WATCH_KILLS} // 1;
srand 45;

sub of_us { return grep { -d } map { glob "$tracefs/instances/wakepath-$_-*" } @_ }
my %begun;
END { my $s = $?; kill 'KILL', grep { !kill(0, $_) ? 0 : waitpid($_, WNOHANG) == 0 } keys %begun; $? = $s }
sub begin {
	my (@args) = @_;
	unlink "$dir/err";	# of the previous one
	my $pid = fork() // die;
	$begun{$pid} = 1;
	if (!$pid) {
		%begun = ();
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/out";
		open STDERR, '>', "$dir/err";
		{ exec $ENV{WAKEPATH}, 'watch', @args }
		POSIX::_exit(127);
	}
	return $pid;
}
# Wait until its message says that it watches.
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
# Switches and wake-ups in the lines of FH, printed by trace-cmd or the kernel: [ns, event, fields], by time.
sub switches {
	my ($fh) = @_;
	local $_;
	my @events;
	while (<$fh>) { push @events, [$1 * 1e9 + $2 * 10 ** (9 - length $2), $3, $4] if /^\s*\S.*?-\d+\s+\[\d{3,}\]\s+.*?(\d+)\.(\d+):\s+(sched_waking|sched_wakeup_new|sched_switch):\s*(.*)/ }
	return [sort { $a->[0] <=> $b->[0] } @events];
}
# Waits for a CPU of more than 100 us in EVENTS: by thread, [woken, runs].
sub waits_in {
	my ($events) = @_;
	my (%waits, %woken);
	for my $e (@$events) {
		if ($e->[1] ne 'sched_switch') {
			$woken{$1 // $2} = $e->[0] if $e->[2] =~ /\bpid=(\d+)|:(\d+) \[/;
			next;
		}
		next if $e->[2] !~ /(\d+) \[.*==> .*:(\d+) \[/ && $e->[2] !~ /prev_pid=(\d+).*next_pid=(\d+)/;
		delete $woken{$1};
		my $since = delete $woken{$2} // next;
		push @{$waits{$2}}, [$since, $e->[0]] if $e->[0] - $since > 1e5;
	}
	return \%waits;
}
# The waits for a CPU of more than LIMIT ns of the thread TID in FILE.
my %read;
sub waits {
	my ($file, $tid, $limit) = @_;
	if (!$read{$file}) {
		open my $in, '-|', "exec trace-cmd report -t -F sched_waking,sched_wakeup_new,sched_switch '$file' 2>&1" or die;
		$read{$file} = waits_in(switches($in));
		close $in or die "trace-cmd cannot read $file: status $?";
	}
	return grep { $_->[1] - $_->[0] > $limit } @{$read{$file}{$tid} // []};
}

# wk-victim sleeps five milliseconds at a time on CPU 0, where wk-hog, with a real-time priority, takes the CPU COUNT times for 150 ms.
my $plant = "$dir/plant.pl";
spew($plant, <<'END');
use Time::HiRes qw(sleep clock_gettime CLOCK_MONOTONIC);
my ($count, $gap, $seed) = @ARGV;
$| = 1;
system "taskset -pc 0 $$ >/dev/null";
my $victim = fork;
if (!$victim) { $0 = 'wk-victim'; sleep 0.005 while 1 }
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

# Checks the report of FOLDER for HITS and TYPICAL, lines of its manifest, and for the thread VICTIM.
sub report {
	my ($folder, $victim, $hits_of, $typical) = @_;
	my $report = json_of(wakepath('watch', '--report', $folder, '--format', 'json'));
	my %told = map { $_->{sort} . $_->{n} => $_ } @{$report->{hits}};
	is(join(' ', sort keys %told), join(' ', sort map({ "hit$_->{n}" } @$hits_of), map { "typical$_->{n}" } @$typical), 'the report has everything stored');
	is(join(' ', grep { $told{"hit$_->{n}"}{latency} != $_->{value} || $told{"hit$_->{n}"}{file} ne $_->{file} } @$hits_of), '', '… with the manifest\'s values');
	# The hits are at the times that trace-cmd shows.
	is(join(' ', grep { my $h = $_; $told{"hit$h->{n}"}{whole} && !grep { abs($_->[1] - $told{"hit$h->{n}"}{to}) < 1000 && abs($_->[0] - $told{"hit$h->{n}"}{from}) < 1000 } waits("$folder/$h->{file}", $h->{tid}, 1e8) } grep { $_->{tid} == $victim } @$hits_of),
		'', '… at the time that trace-cmd finds');
	my @of_victim = grep { $_->{tid} && $_->{tid} == $victim && $_->{whole} && $_->{sort} eq 'hit' && $_->{latency} < 2e8 } @{$report->{hits}};
	is(join("\n", grep { !/ran instead: wk-hog\[\d+\] 1[45]\d ms/ } map { $_->{text} } @of_victim), '', '… with the thread that had the CPU');
	my ($hours, $trigger) = ($report->{hours}, $report->{triggers}[0]);
	my ($over, $hits) = (0, 0);
	$over += $_->{over}, $hits += $_->{hits} for @$hours;
	is("$over $hits", "$trigger->{over} $trigger->{hits}", '… and hours that sum');
	is($hits, scalar(lines($folder, 'hit')), '… to all hits');
	my $classes = 0;
	$classes += $_->{count} for @{$report->{classes}};
	is($classes, $trigger->{count}, '… and a distribution of all latencies');
	my $compare = $report->{compares}[0]{compare};
	my ($slow, $fast) = map { my $name = $_; grep { $_->{name} eq $name } @{$compare->{sets}} } 'hits', 'typical';
	cmp_ok($slow->{p50} // 0, '>', 1e8, '… and slow against typical');
	cmp_ok($fast->{p50} // 1e9, '<', 1e7, '… which is fast');
	for my $format ('text', 'markdown', 'csv') {
		my $r = wakepath('watch', '--report', $folder, '--format', $format);
		is($r->{status}, 0, "as $format");
		is(scalar(grep { index($r->{out}, $_->{file}) < 0 } @$hits_of), 0, '… it has all hits');
	}
	# The first line for a reader: the duration, its begin, and what is missing.
	my ($start) = lines($folder, 'start');
	is($report->{since}, $start->{wall}, 'its begin');
	my @since = gmtime($start->{wall} / 1e9);
	my $since = sprintf '%04d-%02d-%02d %02d:%02d:%02d', $since[5] + 1900, $since[4] + 1, @since[3, 2, 1, 0];
	like(wakepath('watch', '--report', $folder)->{out}, qr/^\S+, Linux \S+: watched for [\d.]+ m?s since $since, in 1 run\n\nTriggers\n/, '… in the first line');
	system('cp', '-r', $folder, "$dir/made");
	open my $out, '>>', "$dir/made/watch.txt" or die;
	print $out "start\twall=1\ttime=0\thost=h\tkernel=6.1\nlevel\twall=2\ttime=5000000000\tname=paused\n",
		"said\twall=1769846400000000005\ttime=5000000000\ttext=a reason\n",
		"seen\ttrigger=wakeup > 100ms\tfrom=1\tto=2\ttime=6000000000\tover=0\tlost=3\tclasses=5:1\nend\twall=9\ttime=15000000000\n";
	close $out;
	my $made = wakepath('watch', '--report', "$dir/made")->{out};
	like($made, qr/^h, Linux 6.1: watched for [\d.]+ s since $since, in 2 runs; it paused for 10.0 s to keep its budget\nwakeup > 100ms: events of the measurement were lost 3 times, so some latencies are not counted\n\n/, '… with pauses and losses');
	like($made, qr/\nWhat the watch said\n2026-01-31 08:00:00  a reason\n/, '… and the reason, at the end');
}

# ---- planted stalls ----

if ($part{stalls}) {
	my $folder = "$dir/stalls";
	my $pid = begin('--until', 'wakeup > 100ms', '-o', $folder, '--every', '1ns', '--keep', 1000, '--disk', '8G', '--flight', '16M');
	ok(watching($pid), 'it watches') or diag(slurp("$dir/err"));
	flock $lock, LOCK_UN;	# the start of a watch removes leftovers, the rest does not affect other tests
	# An instance of the test's own: this kernel may hide a switch, so that no tool can see a wait.
	my $control = "$tracefs/instances/control-$$";
	mkdir $control or die;
	END { if ($control) { my $s = $?; eval { spew("$control/set_event", '') }; rmdir $control; $? = $s } }
	spew("$control/trace_clock", 'mono');
	spew("$control/per_cpu/cpu0/buffer_size_kb", 65536);
	my $planter = fork() // die;
	if (!$planter) { open STDOUT, '>', "$dir/planted"; exec 'perl', $plant, $stalls, $gap, 45 }
	for (1 .. 500) { last if -s "$dir/planted"; sleep 0.02 }
	my ($its) = slurp("$dir/planted") =~ /^(\d+)$/m or die 'no stalls can be planted';
	spew("$control/events/sched/sched_waking/filter", "pid == $its");
	spew("$control/events/sched/sched_switch/filter", "prev_pid == $its || next_pid == $its");
	spew("$control/set_event", "sched:sched_waking sched:sched_switch");
	waitpid $planter, 0;
	kill 'INT', $pid;
	my $r = ended($pid);
	is("$r->{status} $r->{signal}", '0 0', '… until Ctrl-C') or diag($r->{err});
	is(scalar(of_us($pid)), 0, '… and leaves nothing in tracefs');
	my ($victim, @planted) = split /\n/, slurp("$dir/planted");
	open my $in, '<', "$control/trace" or die;
	my @true = grep { $_->[1] - $_->[0] > 1.001e8 } @{waits_in(switches($in))->{$victim} // []};	# (the text has microseconds)
	close $in;
	# (A busy machine may have more hits than --disk has room for.)
	my %gone = map { $_->{file} => 1 } lines($folder, 'gone');
	my @hits = grep { $_->{file} && !$gone{$_->{file}} } lines($folder, 'hit');
	my %files = map { $_->{file} => 1 } @hits;
	is_deeply([sort keys %files], [sort map { m{([^/]+)$} } glob "$folder/hit-*"], 'the manifest names the recordings');
	# For each stall: the number of recordings in which the victim's wait ends with it.
	my %waits = map { $_ => [waits("$folder/$_", $victim, 1e8)] } keys %files;
	my ($once, $told) = (0, 0);
	for my $stall (@planted) {
		my ($begin, $end) = split / /, $stall;
		my @in = grep { grep { $_->[1] > $end - 1e6 && $_->[0] < $end } @{$waits{$_}} } sort keys %waits;
		next if !grep { $_->[1] > $end - 1e6 && $_->[0] < $end } @true;
		$once++;
		# A ring may reach less far back there, or have turned for another hit just then; but that is reported, for the victim or
		# for a thread that waited longer.
		my @near = grep { $_->{time} > $end - 1e6 && $_->{time} - $_->{value} < $end } @hits;
		$told++, next if !@in && grep { !$_->{whole} && ($_->{tid} == $victim || $_->{cases} > 1) } @near;
		is(scalar(@in), 1, "the stall at $begin is in one recording") or diag("@in\n" . join '', map { "$_->{file} whole $_->{whole} time $_->{time} value $_->{value} tid $_->{tid}\n" } @near);
	}
	cmp_ok($told, '<=', 1 + $stalls / 10, 'few are reported as incomplete');
	cmp_ok($once, '>=', $stalls / 3, 'stalls are kept once');
	# No hit is invented: a busy machine has others, but each is in its recording with the reported length.
	my @wrong;
	for my $h (grep { $_->{whole} } @hits) {
		my ($same) = grep { abs($_->[1] - $h->{time}) < 1e6 } waits("$folder/$h->{file}", $h->{tid}, 1e8);
		push @wrong, "$h->{file} $h->{tid} $h->{value}" if !$same || abs($same->[1] - $same->[0] - $h->{value}) > 0.01 * $h->{value};
	}
	is(join(', ', @wrong), '', 'none is invented, according to trace-cmd');
	is(join(' ', grep { $_->{value} <= 1e8 || $_->{limit} != 1e8 || $_->{cases} < 1 } @hits), '', 'all are over the limit');

	# Besides them there are typical cases.
	my @typical = grep { !$gone{$_->{file}} } lines($folder, 'typical');
	my %numbers = map { $_->{n} => 1 } @hits;
	cmp_ok(scalar(@typical), '>=', 1, 'there are typical cases');
	is(join(' ', grep { !$numbers{$_->{n}} || !-e "$folder/$_->{file}" } @typical), '', '… beside hits');
	is(join(' ', map { $_->{value} } grep { $_->{value} > 1e7 } @typical), '', '… which are short');

	# A recording opens at its hit.
	my ($hit) = sort { $b->{value} <=> $a->{value} } grep { $_->{whole} && $_->{tid} == $victim } @hits;
	if ($hit) {
		spew("$dir/script", "dump $dir/screen\nquit\n");
		wakepath('view', "$folder/$hit->{file}", '--script', "$dir/script");
		my $from = json_of(wakepath('info', "$folder/$hit->{file}", '--format', 'json'))->{from};
		my $since = sprintf '%.9f', ($hit->{time} - $hit->{value} - $from) / 1e9;
		like(slurp("$dir/screen"), qr/^ \Q$hit->{file}\E +\Q$since\E s/, 'a recording opens at its hit') or diag(slurp("$dir/screen"));
		like(slurp("$dir/screen"), qr/wk-victim/, '… with its thread');
	}
	# The report of a few; it reads all recordings.
	report($folder, $victim, \@hits, \@typical) if $stalls < 10;
	# All measured latencies are there.
	my ($seen) = lines($folder, 'seen');
	my $count = 0;
	$count += $_ for $seen->{classes} =~ /:(\d+)/g;
	cmp_ok($count, '>', 100, 'all latencies are in the distribution');
	cmp_ok($seen->{over}, '>=', scalar(@hits), '… and counted');
	is($seen->{lost}, 0, '… none was lost');
	flock $lock, LOCK_EX or die if keys %part > 1;
}

# Every recording's file is named, and every named file exists.
sub is_consistent {
	my ($folder, $name) = @_;
	my (%live, @lines);
	for (split /\n/, slurp("$folder/watch.txt")) {
		$live{$1} = 1 if /^(?:hit|typical)\t.*\tfile=(\S+)/;
		delete $live{$1} if /^gone\tfile=(\S+)/;
	}
	is_deeply([sort map { m{([^/]+)$} } glob "$folder/*.dat"], [sort keys %live], $name);
	return keys %live;
}
# Hits on any machine, a few per second: a thread that uses its CPU for two milliseconds at a time before another may.
sub busy {
	my $pid = fork() // die;
	return $pid if $pid;
	setpgrp;
	$0 = 'wk-busy';
	%begun = ();
	close $lock;
	fork;
	my $parent = getppid;
	while (getppid == $parent) { sleep 0.012; my $end = time + 0.004; 1 while time < $end }
	POSIX::_exit(0);
}
my @many = ('--until', 'wakeup > 200us', '--until', 'preempted > 1 x p50', '--every', '50ms', '--keep', 3, '--flight', '256K');

# ---- every kind ----

if ($part{kinds}) {
	my $folder = "$dir/kinds";
	# The begin and the end of a case, from trace-cmd.
	my %ends = (preempted => ['sched_switch', 'sched_switch'], 'wait-cpu' => ['sched_waking|sched_wakeup_new', 'sched_switch'], 'off-cpu' => ['sched_switch', 'sched_switch'],
		blocked => ['sched_switch', 'sched_waking'], syscall => ['sys_enter', 'sys_exit'], irq => ['irq_handler_entry', 'irq_handler_exit'], softirq => ['softirq_entry', 'softirq_exit'],
		'block-device' => ['block_rq_issue', 'block_rq_complete']);
	my $load = busy();
	my $disk = fork() // die;
	if (!$disk) { close $lock; %begun = (); spew("$dir/written", 'x' x 65536), system('sync', "$dir/written"), sleep 0.05 while getppid != 1; POSIX::_exit(0) }
	my $r = ended(begin(map({ ('--until', $_) } 'preempted > 2ms', 'wait-cpu > 2ms', 'off-cpu > 11ms', 'blocked > 11ms', 'syscall > 11ms', 'irq > 2us', 'softirq > 3us', 'block-device > 20us'),
		'-o', $folder, '--every', '200ms', '--keep', 4, '--flight', '16M', '--for', '4s'));
	is($r->{status}, 0, 'every kind at once') or diag($r->{err});
	# A ring that is too small for its cases: some of them began before its first event.
	my $small = "$dir/small";
	$r = ended(begin('--until', 'off-cpu > 900ms', '--every', '1ns', '-o', $small, '--flight', '256K', '--for', '3s'));
	is($r->{status}, 0, 'a small ring') or diag($r->{err});
	kill 'KILL', $disk, -$load;
	waitpid $_, 0 for $disk, $load;
	my @short = grep { $_->{file} } lines($small, 'hit');
	my %first = map { my $f = $_->{file}; $f => (map { /\s(\d+)\.(\d{9}):\s+\w+:/ ? $1 * 1e9 + $2 : () } `trace-cmd report -t '$small/$f' 2>/dev/null | head -20`)[0] } @short;
	cmp_ok(scalar(@short), '>', 0, '… has hits');
	is(join(' ', grep { $_ } map { $_->{whole} && $first{$_->{file}} > $_->{time} - $_->{value} ? $_->{file} : '' } @short), '', '… none is called complete whose begin is missing');
	cmp_ok(scalar(grep { $first{$_->{file}} > $_->{time} - $_->{value} } @short), '>', 0, '… as some are');
	my (%events, %found, %whole, @wrong, @not_found);
	for my $h (@{json_of(wakepath('watch', '--report', $folder, '--format', 'json'))->{hits}}) {
		my ($kind) = $h->{trigger} =~ /^(\S+)/;
		next if !$h->{whole} || $h->{sort} ne 'hit';
		$whole{$kind}++;
		$events{$h->{file}} //= do {
			my $names = join ',', 'block_rq_issue', 'block_rq_complete', grep { !/block/ } sort keys %{{ map { $_ => 1 } map { split /\|/ } map { @$_ } values %ends }};
			[map { /\s(\d+)\.(\d{9}):\s+(\w+):/ ? [$1 * 1e9 + $2, $3, $_] : () } `trace-cmd report -t -F $names '$folder/$h->{file}' 2>/dev/null`];
		};
		my $of = $kind eq 'block-device' ? '.' : $h->{tid} ? "[-=: ]$h->{tid}\\b" : "\\[00$h->{cpu}\\]";
		my ($line) = grep { $_->{file} && $_->{file} eq $h->{file} && $_->{value} == $h->{latency} && $_->{trigger} eq $h->{trigger} } lines($folder, 'hit');
		for my $end (0, 1) {
			my $time = $line->{time} - (1 - $end) * $line->{value};
			push @wrong, "$h->{file} $h->{trigger} $h->{latency} $end" if !grep { abs($_->[0] - $time) < 2e5 && $_->[1] =~ /^(?:$ends{$kind}[$end])$/ && $_->[2] =~ $of } @{$events{$h->{file}}};
		}
		$h->{text} =~ /not in its recording/ ? push @not_found, "$h->{file} $h->{text}" : $found{$kind}++;
		is($h->{text} =~ /^block-device \d+:\d+ \w+( for \S+\[\d+\])? took \d/ ? 1 : $h->{text}, 1, 'a request is reported as one') if $kind eq 'block-device' && $h->{text} !~ /not in/;
	}
	is(join("\n", @wrong), '', 'each begins and ends with the events that trace-cmd shows');
	# If the kernel hides switches, the report cannot find some of the cases.
	my $all = 0;
	$all += $_ for values %found;
	cmp_ok(scalar(@not_found), '<=', 1 + $all / 4, 'the report finds them') or diag(join "\n", @not_found);
	# On a busy machine the worst of a kind may all begin before their recordings do.
	is(join(' ', grep { !$found{$_} && ($whole{$_} // 0) > 1 } sort keys %ends), '', '… of each kind');
	cmp_ok(scalar(keys %found), '>=', 5, '… of most');
}

# ---- killed at any moment ----

if ($part{kills}) {
	my $folder = "$dir/kills";
	my $load = busy();
	my ($torn, @killed) = 0;
	for my $n (1 .. $kills) {
		my $pid = begin(@many, '-o', $folder);
		watching($pid) if $n % 4;
		sleep rand 0.8;
		kill 'KILL', $pid;
		waitpid $pid, 0;
		push @killed, $pid;
		my @lines = -e "$folder/watch.txt" ? split /\n/, slurp("$folder/watch.txt") : ();
		$torn++ if @lines && $lines[0] ne 'wakepath watch 1';
		my %named = map { /\tfile=(\S+)/ ? ($1 => 1) : () } @lines;
		my @unnamed = grep { !$named{m{([^/]+)$} ? $1 : ''} } glob "$folder/*.dat";
		cmp_ok(scalar(@unnamed), '<=', 1, "killed ($n): at most the open hit has no line");
	}
	is($torn, 0, 'the manifest is intact');
	push @killed, begin(@many, '-o', $folder);
	ok(watching($killed[-1]), 'one more');
	kill 'KILL', $killed[-1];
	waitpid $killed[-1], 0;
	# The next start removes all leftover instances and probes except those in use: another program reads the first instance that tracefs
	# lists, and a probe is enabled in an instance of this test.
	my @stays = (map { "$tracefs/instances/$_" } grep { /^wakepath-$killed[-1]-/ } split /\n/, `ls -U $tracefs/instances`)[0];
	open my $reader, '<', "$stays[0]/per_cpu/cpu0/trace_pipe_raw" or die "$stays[0]: $!";
	my $probes = sub { -e "$tracefs/uprobe_events" ? grep { /^p:wakepath_$killed[-1]_1_x/ } split /\n/, slurp("$tracefs/uprobe_events") : () };
	my $in_use = "$tracefs/instances/probed-$$";
	if (-e "$tracefs/uprobe_events") {
		# A breakpoint in a program that others run would break them: this is a copy that nothing else runs.
		system('cp', '/bin/true', "$folder.probed") == 0 or die;
		open my $out, '>>', "$tracefs/uprobe_events" or die;
		syswrite $out, "p:wakepath_$killed[-1]_1_x/$_ $folder.probed:0x1000\n" or die $! for 'one', 'two';
		mkdir $in_use or die;
		spew("$in_use/events/wakepath_$killed[-1]_1_x/one/enable", 1);
	}
	my $pid = begin(@many, '-o', $folder, '--for', '1s');
	my $r = ended($pid);
	is("$r->{status} $r->{signal}", '0 0', 'the next start works') or diag($r->{err});
	is_deeply([of_us(@killed, $pid)], \@stays, '… and removes leftovers, except the one that is read');
	like($r->{err}, qr/cannot remove \Q$stays[0]\E: Device or resource busy/, '… with a message');
	close $reader;
	SKIP: {
		skip 'this kernel has no uprobes', 2 if !-d $in_use;
		is_deeply([map { m{/(\w+)} } $probes->()], ['one'], '… likewise the probes');
		like($r->{err}, qr{cannot remove the probe wakepath_\d+_1_x/one}, '… with a message');
		spew("$in_use/events/wakepath_$killed[-1]_1_x/one/enable", 0);
		rmdir $in_use;
	}
	$pid = begin(@many, '-o', $folder, '--for', '100ms');
	ended($pid);
	is(join(' ', of_us(@killed, $pid), $probes->()), '', '… and the next start removes the rest');
	my @live = is_consistent($folder, '… and recordings without a line');
	cmp_ok(scalar(grep { /^hit/ } @live), '<=', 6, 'the worst of each kind are kept');
	my @bad = grep { wakepath('info', "$folder/$_")->{status} != 0 } @live[0 .. ($#live < 3 ? $#live : 3)];
	is(join(' ', @bad), '', '… and can be read');

	# Signals that end it.
	for my $end (['TERM', 143], ['HUP', 129], ['INT', 0]) {
		$pid = begin(@many, '-o', "$dir/$end->[0]");
		ok(watching($pid), "SIG$end->[0]: it watches");
		sleep 0.1;
		kill $end->[0], $pid;
		$r = ended($pid);
		is("$r->{status} $r->{signal}", "$end->[1] 0", "… and ends with status $end->[1]") or diag($r->{err});
		is(scalar(of_us($pid)), 0, '… and leaves nothing');
		is(scalar(lines("$dir/$end->[0]", 'end')), 1, '… and the manifest records its end');
	}
	# A line that was cut short, and a second watch in the same folder.
	open my $out, '>>', "$dir/INT/watch.txt" or die;
	print $out "hit\tn=9";
	close $out;
	$pid = begin(@many, '-o', "$dir/INT");
	ok(watching($pid), 'a line without its end does not prevent the start') or diag(slurp("$dir/err"));
	system('cp', "$dir/err", "$dir/err.first");
	says(wakepath('watch', @many, '-o', "$dir/INT", '--for', '5s'), 2, qr/another "wakepath watch" writes to \Q$dir\E.INT/, 'a second watch in the same folder');
	kill 'INT', $pid;
	waitpid $pid, 0;
	unlike(slurp("$dir/INT/watch.txt"), qr/hit\tn=9(?!\d*\twall)/, '… and is cut off');
	kill 'KILL', -$load;
	waitpid $load, 0;
}

# ---- no room ----

if ($part{disk}) {
	my $load = busy();
	SKIP: {
		my $disk = small_disk('24m');
		skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
		my $pid = begin(@many, '-o', "$disk/w", '--disk', '8G', '--keep', 100);
		for (1 .. 1500) { last if (eval { slurp("$dir/err") } // "") =~ /has no recording/; sleep 0.02 }
		sleep 0.7;
		kill 'INT', $pid;
		my $r = ended($pid);
		is($r->{status}, 0, 'a full disk does not end it') or diag($r->{err});
		is(scalar(() = $r->{err} =~ /a hit has no recording: cannot write .*No space left/g), 1, '… one message says so') or diag($r->{err});
		is_consistent("$disk/w", '… and the folder is consistent');
		cmp_ok(scalar(lines("$disk/w", 'hit')), '>', scalar(grep { $_->{file} } lines("$disk/w", 'hit')), '… hits without a recording are reported');
		is(scalar(lines("$disk/w", 'end')), 1, '… up to the end');
	}
	# A limit below the size of any recording.
	my $r = ended(begin(@many, '-o', "$dir/none", '--for', '1.5s', '--disk', '1M'));
	is(scalar(() = $r->{err} =~ /a hit has no recording: worse hits use all of --disk/g), 1, 'one message says that --disk is too small') or diag($r->{err});
	cmp_ok(scalar(lines("$dir/none", 'hit')), '>', 1, '… of several hits');
	is(scalar(glob "$dir/none/*.dat"), undef, '… and none has a recording');
	my $most = 0;
	my $pid = begin(@many, '-o', "$dir/disk", '--for', '1.5s', '--disk', '20M', '--keep', 100);
	while (waitpid($pid, WNOHANG) == 0) {
		my $sum = 0;
		$sum += -s $_ // 0 for glob "$dir/disk/*.dat";
		$most = $sum if $sum > $most;
		sleep 0.02;
	}
	cmp_ok($most, '<=', 20 << 20, '--disk is respected at any time');
	cmp_ok($most, '>', 4 << 20, '… and used');
	is_consistent("$dir/disk", '… and the folder is consistent');
	kill 'KILL', -$load;
	waitpid $load, 0;
}

# ---- the wall clock is set: a day forward, then a month back ----

if ($part{clock}) {
	spew("$dir/set.c", <<'END');
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, clock, t);
	if (clock == CLOCK_REALTIME)
		t->tv_sec += access(BACK, F_OK) == 0 ? -30 * 86400 : access(FORWARD, F_OK) == 0 ? 86400 : 0;
	return r;
}
int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
	struct timespec t;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	v->tv_sec = t.tv_sec, v->tv_usec = t.tv_nsec / 1000;
	return 0;
}
END
	is(system($ENV{CC} // 'cc', '-shared', '-fPIC', "-DFORWARD=\"$dir/forward\"", "-DBACK=\"$dir/back\"", '-o', "$dir/set.so", "$dir/set.c"), 0, 'a clock that is set');
	my $load = busy();
	local $ENV{LD_PRELOAD} = "$dir/set.so";
	my $pid = begin('--until', 'wakeup > 200us', '--every', '200ms', '--keep', 100, '-o', "$dir/clock");
	delete $ENV{LD_PRELOAD};
	ok(watching($pid), '… does not prevent it') or diag(slurp("$dir/err"));
	for my $set ('forward', 'back', undef) {
		sleep 1.5;
		spew("$dir/$set", '') if $set;
	}
	kill 'INT', $pid;
	my $r = ended($pid);
	is($r->{status}, 0, '… does not end the watch') or diag($r->{err});
	kill 'KILL', -$load;
	waitpid $load, 0;
	my @hits = lines("$dir/clock", 'hit');
	my %days = map { int($_->{wall} / 86400e9) => 1 } @hits;
	is(scalar(keys %days), 3, '… it has hits of all three days');
	is(join(' ', map { $_->{n} } sort { $a->{time} <=> $b->{time} } @hits), join(' ', map { $_->{n} } @hits), '… in the order of the monotonic clock');
	is(scalar(grep { $_->{to} < $_->{from} } lines("$dir/clock", 'seen')), 0, '… no time goes back');
	my $report = json_of(wakepath('watch', '--report', "$dir/clock", '--format', 'json'));
	my ($told) = $r->{err} =~ /latencies in ([\d.]+) s/;
	cmp_ok(abs($report->{watched} / 1e9 - $told), '<', 0.5, '… and the duration is right') or diag("$report->{watched} $told");
	is($report->{triggers}[0]{hits}, scalar(@hits), '… all are reported');
}

# ---- a CPU goes off-line, and comes back ----

if ($part{hotplug}) {
	my $cpu = '/sys/devices/system/cpu/cpu1/online';
	SKIP: {
		skip 'no CPU can go offline', 5 if !-w $cpu || slurp($cpu) != 1 || !eval { spew($cpu, 0); 1 } || slurp($cpu) != 0;
		END { my $s = $?; spew($cpu, 1) if $cpu && -w $cpu && slurp($cpu) == 0; $? = $s }
		my $load = busy();
		my $pid = begin('--until', 'wakeup > 200us', '--every', '100ms', '--keep', 100, '-o', "$dir/hotplug");
		ok(watching($pid), 'a CPU that is offline does not prevent the watch') or diag(slurp("$dir/err"));
		for my $online (1, 0, 1) { spew($cpu, $online); sleep 1 }
		kill 'INT', $pid;
		my $r = ended($pid);
		is("$r->{status} $r->{signal}", '0 0', '… nor one that comes and goes') or diag($r->{err});
		is(scalar(of_us($pid)), 0, '… nothing is left');
		kill 'KILL', -$load;
		waitpid $load, 0;
		my @hits = grep { $_->{file} } lines("$dir/hotplug", 'hit');
		is(join(' ', sort keys %{{ map { $_->{cpu} => 1 } @hits }}), '0 1', '… there are hits of both');
		# No hit is invented: a case that such a CPU left open has no end.
		is(join(' ', map { "$_->{file} $_->{tid} $_->{value}" } grep { my $h = $_; $h->{whole} && !grep { abs($_->[1] - $h->{time}) < 1e6 && abs($_->[1] - $_->[0] - $h->{value}) < 1e6 } waits("$dir/hotplug/$h->{file}", $h->{tid}, 1e5) } @hits),
			'', '… according to trace-cmd');
	}
}

# ---- without a terminal ----

if ($part{service}) {
	my $folder = "$dir/daemon";
	my $r = wakepath('watch', '--daemon', '--until', 'wakeup > 100s', '-o', $folder);
	is($r->{status}, 0, '--daemon returns once it watches') or diag($r->{err});
	my ($pid) = $r->{err} =~ /process (\d+)/;
	$begun{$pid} = 1;
	my ($session) = slurp("/proc/$pid/stat") =~ /\) \S+ \d+ \d+ (\d+)/;
	is($session, $pid, '… in a session of its own');
	ok(of_us($pid) > 0, '… and records');
	$r = wakepath('watch', '--daemon', '--until', 'wakeup > 100s', '-o', $folder);
	says($r, 3, qr/it ended with status 2: the reason is at the end of \Q$folder\E.watch.log/, 'one that cannot start gives a message');
	kill 'TERM', $pid;
	for (1 .. 500) { last if !of_us($pid); sleep 0.02 }
	is(scalar(of_us($pid)), 0, '… and leaves nothing');
	like(slurp("$folder/watch.log"), qr/another "wakepath watch"/, '… with its messages in the log');

	# Notifications to a service manager.
	socket(my $manager, Socket::AF_UNIX(), Socket::SOCK_DGRAM(), 0) or die;
	bind($manager, Socket::pack_sockaddr_un("$dir/notify")) or die;
	local $ENV{NOTIFY_SOCKET} = "$dir/notify";
	is(wakepath('watch', '--until', 'wakeup > 100s', '-o', "$dir/notified", '--for', '10ms', '--quiet')->{status}, 0, 'a service');
	recv($manager, my $said, 4096, Socket::MSG_DONTWAIT());
	like($said, qr/^READY=1\nSTATUS=/, '… it reports that it is ready');
	recv($manager, $said, 4096, Socket::MSG_DONTWAIT());
	is($said, 'STOPPING=1', '… and that it ends');
	# An abstract socket name, as systemd has in containers; and the messages while it watches.
	socket($manager, Socket::AF_UNIX(), Socket::SOCK_DGRAM(), 0) or die;
	bind($manager, Socket::pack_sockaddr_un("\0wakepath-$$")) or die;
	$ENV{NOTIFY_SOCKET} = "\@wakepath-$$";
	my $load = busy();
	is(wakepath('watch', '--until', 'wakeup > 200us', '--disk', '1M', '-o', "$dir/notified", '--for', '300ms', '--quiet')->{status}, 0, 'likewise with an abstract socket');
	kill 'KILL', -$load;
	waitpid $load, 0;
	my @said;
	while (defined recv($manager, my $line, 4096, Socket::MSG_DONTWAIT())) { push @said, $line }
	like(join('|', @said), qr/^READY=1\nSTATUS=watching\|STATUS=a hit has no recording: [^|]+\|STOPPING=1$/, '… its message is its status');
	delete $ENV{NOTIFY_SOCKET};

}

# ---- a small budget ----

if ($part{budget}) {
	my $load = busy();
	my $before = (times)[2] + (times)[3];
	my $r = ended(begin(@many, '-o', "$dir/budget", '--cpu', '0.01%', '--for', '17s'));
	my $used = (times)[2] + (times)[3] - $before;
	is($r->{status}, 0, '--cpu') or diag($r->{err});
	my ($told) = $r->{err} =~ /it took ([\d.]+) s of CPU time/;
	cmp_ok(abs($told - $used), '<', 0.1 + 0.1 * $used, 'its CPU time is that of the kernel') or diag("$told $used");
	my @words = map { /^(hit|typical|level)\t(?:.*\tname=(\w+))?/ ? $2 // $1 : () } split /\n/, slurp("$dir/budget/watch.txt");
	my ($paused) = grep { $words[$_] eq 'paused' } 0 .. $#words;
	cmp_ok(scalar(grep { $_ eq 'hit' } @words[0 .. $paused // 0]), '>', 9, 'there are hits');
	is(join(' ', @words[($paused // 0) + 1 .. $#words]), '', '… and while it pauses no typical case');
	is(join(' ', map { $_->{name} } lines("$dir/budget", 'level')), 'cpu triggers paused', '… it records less, then pauses');
	my ($share, $pause) = $r->{err} =~ /the watch used ([\d.]+) % of the CPUs, more than --cpu allows: recording pauses for (\d+) s/;
	cmp_ok(5 * $share / ($pause + 5), '<=', 0.011, '… for so long that the mean is within the limit') if $pause < 600;
	is($pause, 600, '… or ten minutes at most') if $pause >= 600;
	kill 'KILL', -$load;
	waitpid $load, 0;
}

# ---- the cost ----

if ($part{overhead}) {
	my $r = wakepath('watch', '--overhead', '--', 'sh', '-c', 'sleep 0.01');
	is($r->{status}, 0, '--overhead') or diag($r->{err});
	like($r->{out}, qr/^without +7 runs: mean \d.*\nwith +7 runs: mean \d.*\n.*%.*95 % confidence.*\n\d+ events\/s were recorded, of which one takes [\d.]+ [nu]s; wakepath itself took/, '… prints both, and the difference');
}

# ---- usage ----

if ($part{usage}) {
	for my $bad (['--until', 'x > 5ms'], ['--until', 'wakeup > 3 x p98'], ['--until', 'wakeup > x p99'], ['--until', 'command > 5s'], [], ['--until', 'wakeup > 1s', '--keep', 0],
		['--until', 'wakeup > 1s', '--cpu', '0%'], ['--until', 'wakeup > 1s', '--cpu', '1x'], ['--until', 'wakeup > 1s', '--disk', 'x'], ['--until', 'wakeup > 1s', '--every', 'x'],
		['--until', 'wakeup > 1s', '--until', 'wakeup > 1s'], ['--until', 'wakeup > 1s', '--flight', '1K']) {
		my $r = wakepath('watch', '-o', "$dir/bad", @$bad);
		is($r->{status}, 2, "@$bad: bad usage") or diag($r->{err});
		is(scalar(split /\n/, $r->{err}), 1, '… in one line') or diag($r->{err});
	}
	ok(!-e "$dir/bad", '… and no folder');
	SKIP: {
		skip 'no time namespaces here', 2 if system('unshare -T --monotonic 1000 --fork true 2>/dev/null') != 0;
		my $said = `unshare -T --monotonic 1000 --fork $ENV{WAKEPATH} watch --until 'wakeup > 1s' -o $dir/own-time --for 10ms 2>&1`;
		is($? >> 8, 3, 'a clock that is not the kernel\'s');
		like($said, qr/^wakepath: this time namespace has its own CLOCK_MONOTONIC/, '… gives a message');
	}
	says(wakepath('record', '--until', 'wakeup > 3 x p99', '-o', "$dir/x.dat"), 2, qr/is for "wakepath watch"/, 'record has no relative limit');
	says(wakepath('watch', '--overhead', '--', '/nonexistent'), 2, qr/cannot start "\/nonexistent"/, '--overhead of a command that is not there');
	says(wakepath_as_nobody('watch', '--until', 'wakeup > 1s', '-o', "$dir/nobody"), 3, qr/recording needs root/, 'without root');
	chmod 0755, $dir;
	mkdir "$dir/bobs";
	chown 65534, 65534, "$dir/bobs";
	says(wakepath('watch', '--until', 'wakeup > 1s', '-o', "$dir/bobs", '--quiet'), 2, qr/other users can write in/, 'a folder of another user');
	mkdir "$dir/other";
	spew("$dir/other/watch.txt", "something else\n");
	says(wakepath('watch', '--until', 'wakeup > 1s', '-o', "$dir/other", '--quiet'), 3, qr/is not a manifest/, 'a file that is not a manifest');
	is(slurp("$dir/other/watch.txt"), "something else\n", '… is left alone');
}

done_testing();
