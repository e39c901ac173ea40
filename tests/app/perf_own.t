#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# perf.data of one program: its threads, their switches by PERF_RECORD_SWITCH (proofs.md R25.4), by sched_switch alone, or none; samples of counters.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use PerfData;
use Test::More;

my $n = 0;
sub file_of { my ($p) = @_; my $file = "$ENV{TMPDIR}/own" . $n++; spew($file, $p->bytes); return $file }
sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }
sub states { my ($file, $thread, $zero) = @_; return join ' ', map { $_->{state} . ' ' . ($_->{to} - $_->{from}) } @{json_of(wakepath('states', $file, '--thread', $thread, '--format', 'json'))->{intervals}} }
sub sums { my ($file, $thread) = @_; my %of; for (@{json_of(wakepath('states', $file, '--thread', $thread, '--format', 'json'))->{intervals}}) { $of{$_->{state}}[0]++; $of{$_->{state}}[1] += $_->{to} - $_->{from} } return \%of }

# ---- one that perf recorded: cpu-clock, sched_switch and the records of switches, of a program with two threads ----

my $own = "$ENV{TOP}/tests/app/perf_own.data";
my $of = sums($own, 29956);
# By the records alone: the sums of times between OUT and IN, and between IN and OUT; the program ran before the first OUT, and from the last IN until it ended.
is_deeply([@$of{qw(preempted blocked)}], [[7, 7913213], [6, 317032119]], 'off its CPU: from OUT to IN, exactly');
is($of->{running}[1], 6598619 + 38432 + 71516, '… on it: from IN to OUT, before the first, and to the end');
$of = sums($own, 29958);
is_deeply([@$of{qw(preempted blocked)}], [[5, 1384269], [5, 269641456]], '… the other thread');
is($of->{running}[1], 4953601 + 1536928, '… runs until it exits');
is(join(' ', map { "$_->{tid} $_->{name}" } @{json_of(wakepath('threads', $own, '--format', 'json'))->{threads}}), '29956 cvapp 29958 cvapp', 'names: by the exec before the first event, and of who forks');
my $info = info($own);
is(scalar(grep { $_ eq 'sched_switch' } @{$info->{missing}}), 0, 'switches are there');
unlike("@{$info->{warnings}}", qr/no sched_switch|impossible/, '… so nothing is said of that');
is($info->{events}, 23 + 50 + 47, 'events: of the tracepoint, the counter and switches');
like("@{$info->{notes}}", qr/^samples of counters: cpu-clock 50$/, '… counters are counted');
my $stacks = json_of(wakepath('stacks', $own, '--format', 'json'));
is(scalar(grep { @{$_->{frames}} } @{$stacks->{stacks}}), scalar @{$stacks->{stacks}}, 'stacks of waits: those of sched_switch');

# ---- made ones ----

my $start = 5_000_000_000;
# The program 700 with the thread 701: switches by records alone.
sub program {
	my (%how) = @_;
	my $p = PerfData->new(names => ['dummy'], switches => 1, index => [[0, 700], [1, 700]], sample => [qw(identifier ip tid time cpu period)], release => '6.12.0', %how);
	$p->comm($start - 5, 0, 700, 700, 'prog', 1 << 13);
	$p->switch($start, 0, 700, 700, 'in');
	$p->fork($start + 100, 0, 700, 700, 701, 700);
	$p->switch($start + 200, 0, 700, 700, 'preempt');
	$p->switch($start + 300, 1, 700, 701, 'in');
	$p->switch($start + 500, 0, 700, 700, 'in');
	$p->switch($start + 600, 0, 700, 700, 'out');
	$p->switch($start + 900, 1, 700, 701, 'out');
	$p->switch($start + 1000, 1, 700, 700, 'in');
	$p->switch($start + 1300, 0, 700, 701, 'in');
	$p->exit($start + 1400, 0, 700, 701);
	$p->switch($start + 2000, 1, 700, 700, 'out');
	$p->switch($start + 2100, 1, 700, 700, 'in');
	return file_of($p);
}
my $main = 'running 200 preempted 300 running 100 blocked 400 running 1000 blocked 100';
my $other = 'new 200 running 600 blocked 400 running 100 exited 700';
my $file = program();
is(states($file, 700), $main, 'switches by records alone');
is(states($file, 701), $other, '… of a thread that was forked, and ends without one');
is(states(program(big => 1), 700), $main, '… the other order of bytes');
is(states(program(packed => PerfData::COMPRESSED), 700), $main, '… compressed');
is(states(program(sample => [qw(ip tid time period)]), 700), $main, '… where no record has its CPU');
like("@{info(program(sample => [qw(ip tid time period)]))->{warnings}}", qr/CPUs are not recorded/, '… which is said');
is(states(program(release => '4.14.0'), 700), 'running 200 unknown 300 running 100 unknown 400 running 1000 unknown 100', '… before Linux 4.17 nobody knows why a thread leaves');

# Of all threads.
my $p = PerfData->new(names => ['dummy'], switches => 1, index => [[0, -1], [1, -1]], sample => [qw(identifier ip tid time cpu period)]);
$p->switch($start, 0, 0, 0, 'preempt', [700, 700]);
$p->switch($start + 1, 0, 700, 700, 'in', [0, 0]);
$p->switch($start + 100, 0, 700, 700, 'preempt', [800, 800]);
$p->switch($start + 101, 0, 800, 800, 'in', [700, 700]);
$p->exit($start + 150, 0, 800, 800);
$p->switch($start + 200, 0, 800, 800, 'out', [700, 700]);
$p->switch($start + 201, 0, 700, 700, 'in', [800, 800]);
$p->switch($start + 300, 0, 700, 700, 'out', [0, 0]);
$p->switch($start + 301, 0, 0, 0, 'in', [700, 700]);
$file = file_of($p);
like(states($file, 700), qr/running 100 preempted 100 running 100 blocked 1$/, 'records of all switches of a CPU');
like(states($file, 800), qr/running 100 exited 101$/, '… of a thread that ends');

# sched_switch alone: of one program it is there where a thread leaves.
$p = PerfData->new(names => ['sched:sched_switch'], index => [[0, 700], [1, 700]]);
for (0 .. 4) {
	$p->event('sched:sched_switch', $start + 1000 * $_, 0, 700, 700, { prev_comm => 'prog', prev_pid => 700, prev_prio => 120, prev_state => 1, next_comm => 'else', next_pid => 900, next_prio => 120 });
}
$file = file_of($p);
like("@{info($file)->{warnings}}", qr/only switches away from them/, 'only switches away: said');
unlike("@{info($file)->{warnings}}", qr/no sched_switch|lttng/, '… and not that there are none');
is(states($file, 700), 'unknown 4000', '… nobody knows when it came back');

# Counters that are read as a group.
$p = PerfData->new(names => ['cpu-clock', 'page-faults', 'sched:sched_switch'], index => [[0, -1], [1, -1]], sample => [qw(identifier ip tid time cpu period read raw)]);
$p->count('cpu-clock', $start, 0, 700, 700, 'cpu-clock', 250, 'page-faults', 3);
$p->event('sched:sched_switch', $start + 1000, 0, 700, 700, { prev_comm => 'prog', prev_pid => 700, prev_prio => 120, prev_state => 1, next_comm => 'else', next_pid => 900, next_prio => 120 });
$file = file_of($p);
like(wakepath('events', $file)->{out}, qr/ cpu-clock .*\{ perf_period = 1, cpu-clock = 250, page-faults = 3 \}/, 'a sample of counters: what each of them counted');

done_testing;
