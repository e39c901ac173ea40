#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# perf.data of one program: its threads, their switches by PERF_RECORD_SWITCH (proofs.md R25.12), by sched_switch alone, or none; samples of counters.
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
# By the records alone: the sums of times between OUT and IN, and between IN and OUT; the program ran before the first OUT, and from the last IN until
# it ended.
is_deeply([@$of{qw(preempted blocked)}], [[7, 7913213], [6, 317032119]], 'off its CPU: from OUT to IN, exactly');
is($of->{running}[1], 6598619 + 38432 + 71516, '… on it: from IN to OUT, before the first, and to the end');
$of = sums($own, 29958);
is_deeply([@$of{qw(preempted blocked)}], [[5, 1384269], [5, 269641456]], '… the other thread');
is($of->{running}[1], 4953601 + 1536928, '… runs until it exits');
is(join(' ', map { "$_->{tid} $_->{name}" } @{json_of(wakepath('threads', $own, '--format', 'json'))->{threads}}), '29956 cvapp 29958 cvapp', 'names: by the exec before the first event, and of the thread that forks');
my $info = info($own);
is(scalar(grep { $_ eq 'sched_switch' } @{$info->{missing}}), 0, 'switches are there');
unlike("@{$info->{warnings}}", qr/no sched_switch|impossible/, '… so there is no warning about them');
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
like("@{info(program(sample => [qw(ip tid time period)]))->{warnings}}", qr/CPUs are not recorded/, '… with a warning');
is(states(program(release => '5.10.0'), 700), 'running 200 preempted 300 running 100 unknown 400 running 1000 unknown 100', '… before Linux 5.14 the records show which thread is preempted, and not which sleeps');

# A recording of all threads.
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

# sched_switch alone: a recording of one program has it only where a thread leaves.
$p = PerfData->new(names => ['sched:sched_switch'], index => [[0, 700], [1, 700]]);
for (0 .. 4) {
	$p->event('sched:sched_switch', $start + 1000 * $_, 0, 700, 700, { prev_comm => 'prog', prev_pid => 700, prev_prio => 120, prev_state => 1, next_comm => 'else', next_pid => 900, next_prio => 120 });
}
$file = file_of($p);
like("@{info($file)->{warnings}}", qr/only switches away from them/, 'only switches away: a warning');
unlike("@{info($file)->{warnings}}", qr/no sched_switch|lttng/, '… and none that there are no switches');
is(states($file, 700), 'unknown 4000', '… the time at which it came back is unknown');

# Counters that are read as a group.
$p = PerfData->new(names => ['cpu-clock', 'page-faults', 'sched:sched_switch'], index => [[0, -1], [1, -1]], sample => [qw(identifier ip tid time cpu period read raw)]);
$p->count('cpu-clock', $start, 0, 700, 700, 'cpu-clock', 250, 'page-faults', 3);
$p->event('sched:sched_switch', $start + 1000, 0, 700, 700, { prev_comm => 'prog', prev_pid => 700, prev_prio => 120, prev_state => 1, next_comm => 'else', next_pid => 900, next_prio => 120 });
$file = file_of($p);
like(wakepath('events', $file)->{out}, qr/ cpu-clock .*\{ perf_period = 1, cpu-clock = 250, page-faults = 3 \}/, 'a sample of counters: the count of each of them');

# ---- system calls by number ----

# The calls of 700, each with its arguments: number, arguments.
sub calls {
	my ($machine, @calls) = @_;
	my $p = PerfData->new(names => [qw(raw_syscalls:sys_enter raw_syscalls:sys_exit)], switches => 1, index => [[0, 700], [1, 700]], release => '6.12.0', machine => $machine);
	my $t = $start;
	$p->switch($t, 0, 700, 700, 'in');
	for (@calls) {
		my ($nr, @args) = @$_;
		$p->event('raw_syscalls:sys_enter', $t += 10, 0, 700, 700, { id => $nr, args => [@args, (0) x (6 - @args)] });
		$p->event('raw_syscalls:sys_exit', $t += 10, 0, 700, 700, { id => $nr, ret => 0 });
	}
	$p->switch($t + 10, 0, 700, 700, 'out');
	return join ' ', map { $_->{detail} || 'unknown' } grep { $_->{state} eq 'syscall' } @{json_of(wakepath('states', file_of($p), '--thread', '700', '--format', 'json'))->{intervals}};
}
my $wide = 0x7f0012345678;
is(calls('x86_64', [202, $wide], [230, 0, 0, $wide], [3, 5]), 'futex clock_nanosleep close', 'x86-64');
is(calls('aarch64', [98, $wide], [115, 0, 0, $wide], [57, 5]), 'futex clock_nanosleep close', 'arm64');
is(calls('riscv64', [98, $wide], [259, $wide]), 'futex riscv_flush_icache', 'riscv64');
is(calls('ppc64le', [221, $wide]), 'futex', 'ppc64');
is(calls('s390x', [238, $wide]), 'futex', 's390');
is(calls('x86_64', [3, 5], [240, 0x8049000], [6, 5]), 'unknown unknown unknown', 'numbers have no names in what may be a 32-bit program');
is(calls('x86_64', [3, 5], [1, 1, $wide], [3, 5], [59, $wide], [3, 5]), 'unknown write close execve unknown', '… up to its first wide argument, and from an exec on');
is(calls('pdp11', [1, $wide]), 'unknown', 'another machine');

# ---- kinds of threads, if no event gives their parents ----

$p = PerfData->new(names => ['sched:sched_switch'], index => [[0, -1], [1, -1]]);
my @names = ('kworker/0:1', 'ksoftirqd/0', 'irq/24-nvme0q1', 'rcu_preempt', 'kswapd0', 'perf', 'trace-cmd', 'perf_6.1', 'perf-exec', 'kswapd', 'rcu_', 'prog');
for my $i (0 .. 2 * @names - 1) {
	my ($prev, $next) = map { $_ % @names } $i, $i + 1;
	$p->event('sched:sched_switch', $start + 1000 * $i, 0, 100 + $prev, 100 + $prev, { prev_comm => $names[$prev], prev_pid => 100 + $prev, prev_prio => 120, prev_state => 1,
		next_comm => $names[$next], next_pid => 100 + $next, next_prio => 120 });
}
$file = file_of($p);
my @threads = @{json_of(wakepath('threads', $file, '--format', 'json'))->{threads}};
is(join(' ', sort map { $_->{name} } grep { $_->{tracer} } @threads), 'perf perf_6.1 trace-cmd', 'trace-cmd and perf are tracers, unless their last name is another');
sub waits { my $n = 0; $n += $_->{count} for @{json_of(wakepath('causes', $file, '--format', 'json', @_))->{causes}}; return $n }
my $all = waits('--top', 0);
cmp_ok($all, '>=', @names, 'each thread waits');
is(waits('--top', 0, '--user-threads'), @names - 5, '… kernel threads by their names, and no program with a similar name');

done_testing;
