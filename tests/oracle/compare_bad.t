#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Errors of `compare`: bad sets, bad files of intervals, sets that are empty, of one, of equal durations, nested; and interruptions.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use Planted;
use List::Util qw(sum0);
use POSIX ();
use Slow;
use Time::HiRes qw(sleep time);
use Wake;
use Test::More;

my $trace = "$ENV{TMPDIR}/trace";
my @all = Planted::made($trace, seed => 3, requests => 60, cause => 'hop', share => 0.1);
my $set = $Planted::SET;
sub bad { my ($status, $pattern, @args) = @_; says(wakepath('compare', $trace, @args), $status, $pattern, "compare @args") }

# ---- the command line ----

bad(2, qr/--set/);
bad(2, qr/\Q$_\E|set|kind of latency/, '--set', $_) for '', 'nonsense', 'latency:', 'latency:nosuch', 'between:', 'between:a', 'between:a..', 'between:..b', 'between:lttng_logger[msg..b', 'between:lttng_logger[..x',
	'between:lttng_logger[msg=a..lttng_logger', 'between:a[b]..c';
bad(2, qr/slow|over|top|duration/, '--set', $set, '--slow', $_) for '', 'over', 'over 5parsecs', 'over -5ms', 'top', 'top 0%', 'top 101%', 'top -5%', 'top x%', 'top nan%', 'under 5ms', 'gap gap', "over 5ms\nx";
bad(2, qr/group|\Q$_\E/, '--set', $set, '--group', $_) for '', 'nonsense', '.', 'a.', '.b';
bad(2, qr/fail-over|\Q$_\E/, '--set', $set, '--fail-over', $_) for '', 'x%', '-1%', 'nan%', '1e999%';
bad(2, qr/format|xml/, '--set', $set, '--format', 'xml');
bad(1, qr/nobody/, '--set', $_) for 'requests:nobody', 'latency:wakeup:nobody';
bad(1, qr/no /, '--set', $_) for 'between:nosuch_event..nosuch_either', 'between:lttng_logger[msg=nosuch*]..lttng_logger[msg=request end*]', 'requests';
bad(1, qr/\w/, '--set', $set, '--slow', $_) for 'over 100s', 'over 1ns';
bad(3, qr/nosuch-trace/, '--set', $set, '--against', "$ENV{TMPDIR}/nosuch-trace");

# ---- files of intervals ----

my $file = "$ENV{TMPDIR}/set";
sub in_file { my ($bytes, @more) = @_; spew($file, $bytes); return wakepath('compare', $trace, '--set', $file, '--format', 'json', @more) }
sub line_of { my ($r) = @_; return "client $r->{from} $r->{to} $r->{number}\n" }
my @lines = map { line_of($_) } @all;
for my $case (['client 5', 'too few'], ['client a b', 'no times'], ['client 5 4', 'backwards'], ['nobody 1700000001000000000 1700000001000000001', 'no such thread'], ['client 1700000001000000000 1' . '0' x 40, 'too large'],
	['client -1 5', 'negative'], ['x' x 100_000, 'a long line'], ['client 1700000001000000000 1700000001000000000', 'of no length']) {
	my ($bad, $name) = @$case;
	my $r = in_file($lines[0] . "$bad\n" . $lines[1]);
	cmp_ok($r->{status}, '>=', 1, "$name: fails");
	cmp_ok($r->{status}, '<=', 3, "$name: fails with the status of an error");
	like($r->{err}, qr/\Awakepath: [^\n]+\n\z/, "$name: has one line of message");
	cmp_ok(length $r->{err}, '<', 1000, "$name: has a short message");
	no_raw_controls($r->{err}, $name);
	like($r->{err}, qr/:2\b|line 2\b/, "$name: names the line");
}
says(in_file($lines[0] . "\x00\x01\xff\n"), 2, qr/\Q$file\E: /, 'no text');
for my $empty (["", 'nothing'], ["# only words\n\n", 'only a comment']) {
	says(in_file($empty->[0]), 1, qr/\Q$file\E|interval/, $empty->[1]);
}
spew("$ENV{TMPDIR}/whole", join '', @lines);
for my $bad ($ENV{TMPDIR}, "$ENV{TMPDIR}/nosuch") {
	says(wakepath('compare', $trace, '--set', $bad), 2, qr/\Q$bad\E/, 'no such file');
}

# A set by marks and by a file: equal answers. Other ends of lines, and a missing last one, change nothing.
my $by_marks = Slow::compare($trace, '--set', $set, '--slow', 'top 10%');
for my $text (join('', @lines), join('', map { s/\n/\r\n/r } @lines), "# requests\n\n" . join('', @lines) =~ s/\n\z//r) {
	my $by_file = json_of(in_file($text, '--slow', 'top 10%'));
	is_deeply([map { [@$_{qw(count mean p50 p99)}] } @{ $by_file->{sets} }], [map { [@$_{qw(count mean p50 p99)}] } @{ $by_marks->{sets} }], 'a file gives the sets that marks give');
	is_deeply([map { [@$_{qw(kind difference in)}] } @{ $by_file->{rows} }], [map { [@$_{qw(kind difference in)}] } @{ $by_marks->{rows} }], '… and rows');
}

# ---- odd sets ----

sub plausible {
	my ($r, $name) = @_;
	if ($r->{status} == 0) { Slow::sound(json_of($r), $name) } else { says($r, 1, qr/\w/, $name) }
}
plausible(in_file($lines[0]), 'one interval');
plausible(in_file($lines[0] x 2), 'an interval twice');
plausible(in_file($lines[0] x 1000, '--slow', 'top 10%'), 'an interval a thousand times');
plausible(in_file($lines[0] . $lines[1]), 'two');
plausible(in_file($lines[0] . $lines[1], '--slow', 'top 50%'), 'two, one of which is slow');
my @sorted = sort { Planted::took($a) <=> Planted::took($b) } @all;
my $j = json_of(in_file(line_of($sorted[-1]) . join('', map { line_of($_) } @sorted[0 .. 20]), '--slow', 'over ' . (Planted::took($sorted[20]) + 1) . 'ns'));
Slow::sound($j, 'one slow');
Slow::sets($j, 'one slow', [Planted::took($sorted[-1])], [map { Planted::took($_) } @sorted[0 .. 20]]);

# Nested intervals, a thousand deep, by marks and by file.
my ($a, $b) = ($all[0]{from}, $all[-1]{to});
plausible(in_file(join('', map { 'client ' . ($a + 1000 * $_) . ' ' . ($b - 1000 * $_) . "\n" } 0 .. 999), '--slow', 'top 10%'), 'nested intervals');
Made::trace("$ENV{TMPDIR}/nested", { host => 'nested', epoch => 1700000000 }, [1000, 0, 'sched_switch', 'swapper/0', 0, 20, 0, 'client', 100, 20],
	(map { my $words = "request begin $_"; [2000 + $_, 0, 'lttng_logger', length $words, $words] } 0 .. 999), (map { my $words = "request end $_"; [1_000_000 + 1000 * $_, 0, 'lttng_logger', length $words, $words] } 0 .. 999),
	[9_000_000, 0, 'sched_switch', 'client', 100, 20, 1, 'swapper/0', 0, 20]);
plausible(wakepath('compare', "$ENV{TMPDIR}/nested", '--set', $set, '--slow', 'top 10%', '--format', 'json'), 'a thousand begins before the first end');

# Intervals outside of the trace are left out, and counted.
for my $out ('client 1600000000000000000 1600000000001000000', 'client 1800000000000000000 1800000000001000000') {
	my $j = json_of(in_file("$out\n" . join('', @lines), '--slow', 'top 10%'));
	Slow::sound($j, 'outside of the trace');
	is($j->{sets}[0]{count} + $j->{sets}[1]{count}, scalar @all, "outside: left out: $out");
	is(sum0(values %{ $j->{left_out} }), 1, 'outside: and counted');
}

# Intervals that are partly outside are left out, too: they begin before the trace, end behind it, or both.
for my $out ("1600000000000000000 $all[0]{to}", "$all[-1]{from} 1800000000000000000", '1600000000000000000 1800000000000000000') {
	my $j = json_of(in_file(join('', @lines) . "client $out\n", '--slow', 'top 10%'));
	Slow::sound($j, 'partly outside');
	is($j->{sets}[0]{count} + $j->{sets}[1]{count}, scalar @all, "partly outside: left out: $out");
	is($j->{left_out}{outside}, 1, 'partly outside: and counted');
	is($j->{sets}[0]{max}, Planted::took($sorted[-1]), '… and adds no duration');
	like(wakepath('compare', $trace, '--set', $file)->{out}, qr/^1 left out: not entirely within the trace/m, '… in a line of the text');
}
Made::also(sched_process_fork => ['integer { size = 8; align = 8; signed = false; encoding = UTF8; } parent_comm[16]; integer { size = 32; align = 8; signed = true; } parent_tid; integer { size = 32; align = 8; signed = true; } parent_pid; '
	. 'integer { size = 8; align = 8; signed = false; encoding = UTF8; } child_comm[16]; integer { size = 32; align = 8; signed = true; } child_tid; integer { size = 32; align = 8; signed = true; } child_pid;', 'a16l<l<a16l<l<'],
	sched_process_exit => ['integer { size = 8; align = 8; signed = false; encoding = UTF8; } comm[16]; integer { size = 32; align = 8; signed = true; } tid; integer { size = 32; align = 8; signed = true; } prio;', 'a16l<l<']);
# Outside of a thread's life: it is created 1 ms after the trace begins, and ends 5 ms later.
Made::trace("$ENV{TMPDIR}/lives", { host => 'lives', epoch => 1700000000 }, [1000, 0, 'sched_switch', 'swapper/0', 0, 20, 0, 'client', 100, 20], [1_000_000, 0, 'sched_process_fork', 'client', 100, 100, 'child', 200, 200],
	[1_100_000, 0, 'sched_switch', 'client', 100, 20, 1, 'child', 200, 20], [6_000_000, 0, 'sched_process_exit', 'child', 200, 20], [6_010_000, 0, 'sched_switch', 'child', 200, 20, 16, 'swapper/0', 0, 20],
	[9_000_000, 0, 'sched_switch', 'swapper/0', 0, 20, 0, 'client', 100, 20]);
sub of_life { my (@times) = @_; spew($file, join '', map { "200 $_\n" } @times); return wakepath('compare', "$ENV{TMPDIR}/lives", '--set', $file, '--slow', 'top 30%', '--format', 'json') }
{
	my $at = sub { my ($from, $to) = @_; return '17000000000' . sprintf('%08d', $from) . ' 17000000000' . sprintf('%08d', $to) };
	my @within = map { $at->(1_200_000 + 100_000 * $_, 1_250_000 + 110_000 * $_) } 0 .. 9;
	my $j = json_of(of_life(@within, $at->(500_000, 2_000_000), $at->(5_000_000, 8_000_000), $at->(7_000_000, 8_000_000)));
	is($j->{sets}[0]{count} + $j->{sets}[1]{count}, 10, 'intervals outside of the life of the thread are left out');
	is($j->{left_out}{outside}, 3, '… and counted');
}

# ---- nothing differs ----

my $same = Slow::compare($trace, '--set', $set, '--against', $trace);
Slow::sound($same, 'against itself');
is($same->{difference}, 0, 'against itself: no difference');
is(scalar(grep { $_->{difference} || $_->{class} ne 'noise' } @{ $same->{rows} }), 0, '… in any row');

# ---- a script's question ----

is(wakepath('compare', $trace, '--set', $set, '--against', $trace, '--fail-over', '10%')->{status}, 0, '--fail-over: a set is not slower than itself');
Planted::made("$ENV{TMPDIR}/slower", seed => 3, requests => 60, cause => 'cpu', share => 1);
is(wakepath('compare', "$ENV{TMPDIR}/slower", '--set', $set, '--against', $trace, '--fail-over', '10%')->{status}, 1, '… slower by more fails');
is(wakepath('compare', "$ENV{TMPDIR}/slower", '--set', $set, '--against', $trace, '--fail-over', '10000%')->{status}, 0, '… slower by less does not fail');
is(wakepath('compare', $trace, '--set', $set, '--against', "$ENV{TMPDIR}/slower", '--fail-over', '10%')->{status}, 0, '… faster does not fail');

# ---- interrupted ----

my $large = "$ENV{TMPDIR}/large";
Planted::made($large, seed => 1, cause => 'hop', share => 0.1, copies => 50);
wakepath('index', $large);
for my $after (0, 0.2) {
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', "$large.out";
		open STDERR, '>', "$large.err";
		{ exec $ENV{WAKEPATH}, 'compare', $large, '--set', $set }
		POSIX::_exit(127);
	}
	my $limit = time + 60;
	sleep 0.01 while time < $limit && eval { slurp("/proc/$pid/maps") } !~ /\.wpi$/m;	# the index is open
	sleep $after;
	kill 'INT', $pid;
	my $sent = time;
	waitpid $pid, 0;
	is($? & 127, 0, "SIGINT $after s later: handled");
	is($? >> 8, 130, '… exit status 130');
	cmp_ok(time - $sent, '<', 5, '… soon');
	like(slurp("$large.err"), qr/\Awakepath: interrupted[^\n]*\n\z/, '… says so');
}

done_testing();
