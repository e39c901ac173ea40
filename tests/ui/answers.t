#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# From opening a trace to the sentence that names the known cause, in at most three keys, without reading any text: in the real program in a real
# terminal, which then gets two more sizes.  The known cause of each trace is that of the README of its recording.
use strict;
use warnings;
use utf8;
use Test::More;
use lib "$ENV{TOP}/tests/tools";
use Tmux;
use Wake;

my $MOST_KEYS = 3;
my @sizes = ([80, 24], [120, 40], [200, 60]);
my $shared = $ENV{SHARED_TRACES} // '/none';
my $machines = "$shared/../recordings/machines";

plan skip_all => 'tmux is not installed' if system('tmux -V >/dev/null 2>&1');

# The marks of the ranks, which spin in each barrier.
my $marks = "$ENV{TMPDIR}/marks.conf";
spew($marks, "[state mpi]\nenter = ftrace:print[\$mark=begin]\nleave = ftrace:print[\$mark=end]\nvalue = \$mark_name\nis = waiting for peers if barrier\n");

# Each: a trace, the keys, the sentence, whose lines are joined, and options.
my @answers = (
	# 64 KiB are read and written one after the other; the IPI delays each.
	[sample('ioburst-ipi'), [], qr/wk-ioburst\[957\]: 72\.1 ms, of which 36 % ran, 54 % waited for disks, nearly all for vdb: 30 times/],
	[sample('ioburst-ipi'), ['E'], qr/waited for vdb.*was being woken by ipi call_function_single/],
	# The ranks wait on their CPUs; the last one releases them.
	["$machines/x64-mpi-marks/trace.dat", [], qr/mpi-rank2\[588\] came last to wxu:mpi 3 of 5 times: 3 threads waited 127 ms for it, mpi-rank1\[587\] 50\.7 ms/],
	[sample('imbalance'), [], qr/wk-rank2\[490\] was waited for most: 2 threads waited 38\.1 ms for it, wk-rank0\[488\] 23\.9 ms, wk-rank1\[489\] 14\.2 ms/],
	[sample('inception'), [], qr/wk-level3\[453\]: .* waited for threads, mostly for wk-level1\[455\]/],
	# The real-time thread takes 3 ms of every 10.
	[sample('preempt'), [], qr/wk-victim\[546\]: 156 ms, of which 61 % ran, 20 % was preempted, nearly all by wk-rt\[547\] \(real-time\): 10 times, worst 3\.44 ms/],
	[sample('preempt'), ['E'], qr/wk-victim\[546\]: 156 ms, of which 61 % ran; it was preempted by wk-rt\[547\] \(real-time\) for 30\.0 ms/],
	[sample('preempt'), ['J', 'Enter'], qr/it was preempted by wk-rt\[547\] \(real-time\) for 30\.0 ms/],
	# Without the overview, with the cursor where it began, the question is about the first sentence.
	[sample('preempt'), ['Escape', 'J'], qr/slow thread where the time of wk-victim\[546\] went/],
	[sample('preempt'), ['Escape', 'J', 'Enter'], qr/it was preempted by wk-rt\[547\] \(real-time\) for 30\.0 ms/],
	# The last stage computes longest, 4 ms for each item.
	[sample('pipeline'), [], qr/wk-pipe-main\[434\]: 392 ms, of which 21 % ran, 56 % waited for threads, most for wk-stage3\[438\]: 12 times/],
	# Three threads fight for a mutex and for two CPUs.
	[sample('lockfight'), [], qr/wk-fighter1\[472\]: .* behind wk-fighter2\[473\]: .* wk-fighter0\[471\] was waited for most: 2 threads waited 13\.4 ms for it, wk-fighter1\[472\] 12\.1 ms/],
	# The slow requests asked db.
	[sample('rpc-chain'), [], qr{client/wk-client\[572\] asked httpd/wk-server\[492\] 12 times: p50 12\.8 ms, worst 63\.1 ms, of which 56 % httpd/wk-server\[492\], 35 % db/wk-server\[412\]}],
	[sample('vm-preempt'), [], qr{guest1/wk-rank0\[583\]: 275 ms, of which 58 % ran, 33 % was stolen, mostly by host/wk-pulse\[679\] \(real-time\)}],
	["$shared/django", [], qr{client/python3\[641\] asked httpd/apache2\[434\] 9 times: .* httpd/apache2 .* db/postgres\[730\]}],
	["$shared/inputs/throttled/lttng", [], qr/wk-pipe-main\[608\]: .* was throttled, nearly all by CPU quota: about 10\.0 ms of every 50\.0 ms/],
	["$shared/inputs/throttled/trace.dat", [], qr/wk-pipe-main\[608\]: .* was throttled, nearly all by CPU quota/],
	# rtla blames the exit from idle and the timer's interrupt.
	["$shared/inputs/rt-timerlat/lttng", [], qr/timerlatu\/0\[637\] \(real-time\), one of 8 such threads: .* waited for late timers, mostly while the CPU was idle/],
	["$shared/inputs/preempt/perf.data", [], qr/wk-victim\[\d+\]: .* was preempted, (?:nearly all|mostly) by wk-rt/],
	["$shared/inputs/preempt/trace.dat", [], qr/wk-victim\[\d+\]: .* was preempted, (?:nearly all|mostly) by wk-rt/],
	["$shared/inputs/rpc-loopback/lttng", [], qr/wk-client\[\d+\] asked wk-server\[\d+\] 8 times: .* wk-server/],
	["$machines/a64-perf-preempt/perf.data", [], qr/wk-victim\[\d+\]: .* was preempted, nearly all by wk-rt\[\d+\] \(real-time\): 6 times/],
	["$machines/a64-perf-rpc/perf.data", [], qr/wk-client\[\d+\] asked wk-server\[\d+\] 6 times: .* wk-server/],
	["$machines/a64-lockfight/trace.dat", [], qr/wk-fighter0\[311\]: .* waited for threads, mostly for wk-fighter1\[312\]/],
	["$machines/a64-quota/trace.dat", [], qr/wx-quota\[1243\]: .* was throttled, nearly all by CPU quota: about 20\.0 ms of every 100 ms/],
	["$machines/x64-deadline/trace.dat", [], qr/wx-deadline\[276\] \(deadline\): .* was throttled, nearly all by its own deadline budget/],
	["$machines/x64-ipi/trace.dat", [], qr/wx-ipi\[488\]: .* waited for IPIs on other CPUs/],
	# fsync takes most.
	["$machines/x64-requests/trace.dat", [], qr/wx-worker\[519\]: .* waited for threads, mostly for jbd2\/vda-8\[203\]: 3 times, worst 31\.9 ms/],
	# No packets were recorded; every tenth span is slow, because of fsync and a lock.
	["$machines/x64-requests/trace.dat", [], qr/span sdt_wx:req of wx-worker: 100 times, p50 2\.61 ms, worst 109 ms/],
	["$machines/x64-requests/trace.dat", ['Enter'], qr/wx-worker syscall fsync .*only in slow/],
	["$machines/x64-requests/trace.dat", ['='], qr/wx-worker syscall fsync .*only in slow/],
	# According to the truth log, rank 2 came last in rounds 0, 1 and 4; to round 0 33.8 ms after rank 1.
	["$machines/x64-mpi-marks/trace.dat", [], qr/mpi-rank1\[587\]: 130 ms, of which 32 % ran, 64 % waited on its CPU, mostly for mpi-rank2\[588\]: 3 times, worst 33\.8 ms/, '--spans', $marks],
	# 80 threads write to each other through pipes on two CPUs.
	["$shared/hackbench", [], qr/hackbench\[\d+\], one of 81 such threads: .* was preempted, nearly all by hackbench/],
	["$machines/x64-suspend-boot/trace.dat", [], qr/wx-crunch\[434\]: .* was suspended/],
);

for my $answer (@answers) {
	my ($trace, $keys, $sentence, @options) = @$answer;
	my $name = $trace =~ s{^.*/(?=(?:[^/]+/){0,2}[^/]+$)}{}r . ": @$keys";
	cmp_ok scalar @$keys, '<=', $MOST_KEYS, "$name: at most $MOST_KEYS keys";
	SKIP: {
		skip "$trace is not here", 2 + @sizes unless -e $trace;
		is(wakepath('index', '--quiet', $trace)->{status}, 0, "$name has an index");
		start_as_is(@{ $sizes[0] }, '', @options, $trace);
		shows(qr/Overview  whole trace(?!.*of \d+ parts)/, 'opens');
		press(@$keys) if @$keys;
		for my $size (@sizes) {
			my ($columns, $rows) = @$size;
			tmux('resize-window', '-x', $columns, '-y', $rows);
			shows_joined($sentence, "$name, ${columns}x$rows");
		}
	}
}
stop();

# Wait until the screen, as one line, matches PATTERN.
sub shows_joined {
	my ($pattern, $what) = @_;
	my $until = time + 30;
	my $screen = '';
	while (time < $until) {
		$screen = screen() =~ s/\s+/ /gr;
		return pass($what) if $screen =~ $pattern;
		select undef, undef, undef, 0.05;
	}
	fail($what);
	diag(screen());
}

done_testing;
