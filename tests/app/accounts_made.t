#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Accounts of cases that no recording at hand has: a lent priority, a deadline thread, a non-maskable interrupt, a thread that is migrated while it
# waits, a CPU that goes offline, an interrupt whose exit is not recorded. The traces are made here, as lttng-modules writes them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my ($u32, $i32, $i64, $u64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'], [64, 'false'];
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my $wake = ["$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;", 'a16l<l<l<'];
my @classes = (
	['sched_switch', "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;", 'a16l<l<q<a16l<l<'],
	(map { [$_, @$wake] } qw(sched_waking sched_wakeup)),
	['sched_migrate_task', "$comm comm[16]; $i32 tid; $i32 prio; $i32 orig_cpu; $i32 dest_cpu;", 'a16l<l<l<l<'],
	['sched_pi_setprio', "$comm comm[16]; $i32 tid; $i32 oldprio; $i32 newprio;", 'a16l<l<l<'],
	['irq_handler_entry', "$i32 irq; string name;", 'l<Z*'], ['irq_handler_exit', "$i32 irq; $i32 ret;", 'l<l<'],
	(map { ["irq_softirq_$_", "$u32 vec;", 'L<'] } qw(raise entry exit)),
	(map { ["x86_irq_vectors_${_}_entry", "$i32 vector;", 'l<'], ["x86_irq_vectors_${_}_exit", "$i32 vector;", 'l<'] } qw(local_timer reschedule call_function call_function_single irq_work)),
	['workqueue_queue_work', "$u64 work; $u64 function; $u32 req_cpu;", 'Q<Q<L<'],
	(map { ["workqueue_execute_$_", "$u64 work; $u64 function;", 'Q<Q<'] } qw(start end)),
	['nmi_handler', "$u64 handler; $i64 delta_ns; $i32 handled;", 'Q<q<l<'],
	['sched_process_fork', "$comm parent_comm[16]; $i32 parent_tid; $i32 parent_pid; $comm child_comm[16]; $i32 child_tid; $i32 child_pid;", 'a16l<l<a16l<l<'],
	(map { ["timer_hrtimer_$_", "$u64 hrtimer;", 'Q<'] } qw(cancel expire_exit)),
	['timer_hrtimer_expire_entry', "$u64 hrtimer; $i64 now; $u64 function;", 'Q<q<Q<'],
	['syscall_entry_read', "$i32 fd;", 'l<'], ['syscall_exit_read', "$i64 ret;", 'q<'],
	(map { ["block_$_", "$u32 dev; $u64 sector; $u32 nr_sector; $u32 rwbs; $i32 tid; $comm comm[16];", 'L<Q<L<L<l<a16'] } qw(bio_queue getrq)),
	(map { ["block_rq_$_", "$u32 dev; $u64 sector; $u32 nr_sector; $u32 bytes; $i32 tid; $u32 rwbs; $comm comm[16];", 'L<Q<L<L<l<L<a16'] } qw(insert issue)),
	['block_rq_complete', "$u32 dev; $u64 sector; $u32 nr_sector; $i32 error; $u32 rwbs;", 'L<Q<L<l<L<'],
);
my %id = map { $classes[$_][0] => $_ } 0 .. $#classes;

# Makes the trace NAME of events [µs, CPU, event, fields]. Events that match a pattern were not enabled on its machine.
sub made {
	my ($name, @events) = @_;
	my $folder = "$ENV{TMPDIR}/$name/kernel";
	my $left_out = ref $events[0] eq 'ARRAY' ? qr/^$/ : shift @events;	# events that were not enabled
	# Event kinds that occur count as recorded: each kind of interrupt comes once before everything else.
	my ($first) = sort { $a->[0] <=> $b->[0] } @events;
	my @before = (['irq_handler_entry', 99, 'early'], ['irq_handler_exit', 99, 1], ['irq_softirq_entry', 9], ['irq_softirq_exit', 9],
		map { ["x86_irq_vectors_${_}_entry", 240], ["x86_irq_vectors_${_}_exit", 240] } qw(local_timer call_function_single));
	@before = $first->[0] < 0.1 ? () : grep { $_->[0] !~ $left_out } @before;
	unshift @events, map { [($_ + 1) / 1000, $first->[1], @{ $before[$_] }] } 0 .. $#before;
	my %bytes;
	$bytes{ $_->[1] } .= pack('L<Q<', $id{ $_->[2] } // die($_->[2]), $_->[0] * 1000) . pack($classes[ $id{ $_->[2] } ][2], @$_[3 .. $#$_]) for sort { $a->[0] <=> $b->[0] } @events;
	system('mkdir', '-p', $folder) == 0 or die;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } grep { $classes[$_][0] !~ $left_out } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "$name"; domain = "kernel"; tracer_name = "lttng-modules"; kernel_release = "6.1.0"; };
clock { name = mono; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; $u64 content_size; $u64 packet_size; $u64 events_discarded; $u32 cpu_id; };
	event.header := struct { $u32 id; ts_t timestamp; }; };
END
	for my $cpu (keys %bytes) {
		my $size = (8 + 44 + length $bytes{$cpu}) * 8;
		spew("$folder/k_$cpu", pack('L<L<Q<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, 0, 100_000_000, $size, $size, 0, $cpu) . $bytes{$cpu});
	}
	return $folder;
}

# Threads are [NAME, TID, PRIORITY as LTTng counts].
sub at { my ($time, $cpu, @event) = @_; return [$time, $cpu, @event] }
sub to { my ($time, $cpu, $from, $state, $next) = @_; return at($time, $cpu, 'sched_switch', @$from, $state, @$next) }
sub waking { my ($time, $cpu, $who, $target) = @_; return at($time, $cpu, 'sched_waking', @$who, $target) }
sub wakeup { my ($time, $cpu, $who, $target) = @_; return at($time, $cpu, 'sched_wakeup', @$who, $target) }

# "phase: actor class priority µs grade" of the account of THREAD from FROM to TO (µs), longest time first.
sub account {
	my ($trace, $thread, $from, $to) = @_;
	my $r = wakepath('why', $trace, '--thread', $thread, '--from', $from * 1000, '--to', $to * 1000, '--format', 'json');
	is($r->{status}, 0, "an account of $thread") or diag $r->{err};
	my @parts = @{ json_of($r)->{blame} };
	return [map { join ' ', "$_->{phase}:", $_->{what} eq 'thread' ? $_->{name} : $_->{what} . ($_->{name} ? " $_->{name}" : ''), (grep { defined } @$_{qw(class priority)}), $_->{time} / 1000, $_->{grade} } @parts];
}

my ($idle0, $idle1) = (['swapper/0', 0, 20], ['swapper/1', 0, 20]);
my ($low, $mid, $high, $other) = (['low', 100, 20], ['mid', 300, 20], ['high', 200, -50], ['other', 400, 20]);
my @all = (at(1, 0, 'nmi_handler', 1, 2, 1), at(2, 0, 'irq_handler_entry', 1, 'a'), at(3, 0, 'irq_handler_exit', 1, 1));	# each kind is recorded

# ---- a lent priority: rt_mutex_setprio() ----

my $lent = sub { my ($time, $cpu, $old, $new) = @_; return at($time, $cpu, 'sched_pi_setprio', 'low', 100, $old, $new) };
my @lent = (@all,
	to(10, 0, $idle0, 0, $mid), to(11, 1, $idle1, 0, $high), to(20, 0, $mid, 1, $low),
	waking(1000, 0, $mid, 0), wakeup(1001, 0, $mid, 0),	# it waits for the CPU that low has
	$lent->(2000, 1, 20, -50), to(2001, 1, $high, 2, $idle1));	# high waits for what low holds
my $trace = made('lent', @lent, $lent->(3000, 0, -50, -50), waking(3001, 0, $high, 1), wakeup(3002, 1, $high, 1), to(3003, 1, $idle1, 0, $high), to(4000, 0, $low, 0, $mid), to(4100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 1000, 4000), ['wait-cpu: low fair 120 2000 proved', 'wait-cpu: low real-time 50 1000 proved'], 'the lent priority shows while it is lent');
$trace = made('more', @lent, $lent->(2500, 1, -50, -60), $lent->(3000, 0, -60, -50), $lent->(3500, 0, -50, 30), to(4000, 0, ['low', 100, 20], 0, $mid), to(4100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 1000, 4000), ['wait-cpu: low fair 120 1500 proved', 'wait-cpu: low real-time 50 1000 proved', 'wait-cpu: low real-time 40 500 proved'],
	'two waiters, one after the other; the last has a lower priority than low itself');
$trace = made('before', @all, to(10, 0, $idle0, 0, $mid), to(20, 0, $mid, 1, ['low', 100, -50]), waking(1000, 0, $mid, 0), $lent->(2000, 0, -50, -50), to(3000, 0, ['low', 100, 20], 0, $mid), to(3100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 1000, 3000), ['wait-cpu: low real-time 50 2000 proved'], 'a priority lent before the trace: unknown once given back, until the next switch');
is_deeply(account($trace, 'low', 2999, 3100), ['preempted: mid fair 120 100 proved', 'running: running 1 proved'], '… which records it');

# ---- a deadline thread ----

my $deadline = ['dl', 500, -101];
$trace = made('deadline', @all, to(10, 0, $idle0, 0, $low), waking(1000, 0, $deadline, 0), to(1001, 0, $low, 0, $deadline), to(2001, 0, $deadline, 1, $low), to(3000, 0, $low, 1, $idle0));
is_deeply(account($trace, 'low', 1000, 3000), ['running: running 1000 proved', 'preempted: dl deadline -1 1000 proved'], 'a deadline thread had the CPU');
# When its budget is used up, it is switched out runnable, and the CPU is idle until a timer expires: that is no quota of a group.
$trace = made('budget', @all, map { my $t = $_ * 50_000; (to($t + 10, 0, $idle0, 0, $deadline), to($t + 10_000, 0, $deadline, 0, $idle0),
	at($t + 50_000, 0, 'x86_irq_vectors_local_timer_entry', 236), at($t + 50_005, 0, 'x86_irq_vectors_local_timer_exit', 236)) } 0 .. 4);
is_deeply(account($trace, 'dl', 10_000, 50_000), ['throttled: throttled its own deadline budget 40000 inferred'], '… whose exhausted budget is no quota of a group, but keeps it from running');
# The account is the same where a fair thread has the CPU meanwhile, however briefly.
$trace = made('given', @all, map { my $t = $_ * 50_000; (to($t + 10, 0, $low, 0, $deadline), to($t + 49_000, 0, $deadline, 0, $low)) } 0 .. 4);
is_deeply(account($trace, 'dl', 49_000, 50_010), ['throttled: throttled its own deadline budget 1010 inferred'], '… no fair thread preempts it');

# ---- a non-maskable interrupt ----

# nmi_handler is recorded at the end of the NMI, with its duration; the NMI may interrupt anything, even a handler.
my @nmi = (to(10, 0, $idle0, 0, $low), at(1000, 0, 'irq_handler_entry', 1, 'disk'), at(1005, 0, 'nmi_handler', 0xffff, 3000, 1), waking(1008, 0, $mid, 0),
	at(1010, 0, 'irq_handler_exit', 1, 1), at(1500, 0, 'nmi_handler', 0xffff, 3000, 1), to(2000, 0, $low, 0, $mid), to(2100, 0, $mid, 1, $low), to(3000, 0, $low, 1, $idle0));
$trace = made('nmi', @all, @nmi);
my $without = made('without', @all, grep { $_->[2] ne 'nmi_handler' } @nmi);
is_deeply(account($trace, 'low', 10, 3000), account($without, 'low', 10, 3000), 'a non-maskable interrupt takes no context away, and opens none');
is_deeply(account($trace, 'mid', 1008, 2000), account($without, 'mid', 1008, 2000), '… nor of a thread that waits');
is_deeply(account($trace, 'low', 10, 2000), ['running: running 1980 proved', 'interrupted: irq disk 10 proved'], '… everything is as before');

# ---- moved while it waits ----

my @move = (@all, to(10, 0, $idle0, 0, $low), to(11, 1, $idle1, 0, $mid), to(12, 1, $mid, 1, $other),
	waking(1000, 1, $mid, 0), wakeup(1001, 0, $mid, 0));
my $moved = at(2000, 1, 'sched_migrate_task', 'mid', 300, 20, 0, 1);
$trace = made('moved', @move, $moved, to(4000, 1, $other, 1, $mid), to(4100, 1, $mid, 1, $idle1), to(5000, 0, $low, 1, $idle0));
is_deeply(account($trace, 'mid', 1001, 4000), ['wait-cpu: other fair 120 2000 proved', 'wait-cpu: low fair 120 999 proved'], 'the thread that had the CPU on which it waited then');

# ---- a CPU goes offline ----

# The stopper (migration/1) migrates every thread that waits there, and no more records come from that CPU (sched_cpu_dying(), kernel/sched/core.c).
my $stopper = ['migration/1', 20, -100];
my @off = (@all, to(10, 0, $idle0, 0, $low), to(11, 1, $idle1, 0, $mid), waking(1000, 1, $stopper, 1), to(1001, 1, $mid, 0, $stopper));
$trace = made('offline', @off, at(1500, 1, 'sched_migrate_task', 'mid', 300, 20, 1, 0), to(1600, 1, $stopper, 1, $idle1), to(4000, 0, $low, 0, $mid), to(4100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 1001, 4000), ['preempted: low fair 120 2500 proved', 'preempted: migration/1 real-time 0 499 proved'], 'the stopper, then the threads on the CPU it was migrated to');
# A thread without a recorded migration, where others' migrations are recorded, is taken to wait there still: nothing else is known.
$trace = made('lost', @off, at(1200, 1, 'sched_migrate_task', 'other', 400, 20, 1, 0), to(1600, 1, $stopper, 1, $idle1), to(4000, 0, $low, 0, $mid), to(4100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 1001, 4000), ['preempted: idle 2400 inferred', 'preempted: migration/1 real-time 0 599 inferred'], 'the CPU on which it waited is not proved if it ran on another one then');

# ---- an interrupt whose exit is not recorded ----

# The next system call shows that the interrupt is over; the time between is inferred, like every interrupt where exits were not recorded.
my @over = (to(10, 0, $idle0, 0, $low), at(900, 0, 'syscall_entry_read', 3), at(1000, 0, 'irq_handler_entry', 1, 'disk'), at(1200, 0, 'syscall_exit_read', 1), waking(1300, 0, $mid, 0),
	to(3000, 0, $low, 0, $mid), to(3100, 0, $mid, 1, $low));
$trace = made('over', qr/irq_handler_exit/, @over);
is_deeply(account($trace, 'low', 1000, 3000), ['running: running 1800 inferred', 'interrupted: irq disk 200 inferred'], 'the interrupt lasts until the next system call at most');
is_deeply(account($trace, 'mid', 1300, 3000), ['wait-cpu: low fair 120 1700 inferred'], '… and a thread that waits for the CPU waits for the thread on it');

# Where exits are recorded, one that is missing has an unknown reason: until then it is unknown who had the CPU.
$trace = made('missing', @all, @over);
is_deeply(account($trace, 'low', 1000, 3000), ['running: running 1800 proved', 'absent: unknown 200 unknown'], 'a single exit is missing: the end of the interrupt is unknown');
$trace = made('switched', @all, to(10, 0, $idle0, 0, $low), waking(900, 0, $mid, 0), at(1000, 0, 'irq_handler_entry', 1, 'disk'), to(3000, 0, $low, 0, $mid), to(3100, 0, $mid, 1, $low));
is_deeply(account($trace, 'mid', 900, 3000), ['wait-cpu: unknown 2000 unknown', 'wait-cpu: low fair 120 100 proved'], '… even if a switch shows that it is over');

# ---- interrupts without a tracepoint ----

# On Hyper-V no interrupt of a device or of the timer has a tracepoint; timers that expire although no interrupt was recorded show that.
my $call = sub { my ($time) = @_; return map { at($time + ($_ eq 'exit'), 0, "x86_irq_vectors_call_function_single_$_", 251) } qw(entry exit) };
my $expires = sub { my ($time) = @_; return (at($time, 0, 'timer_hrtimer_expire_entry', 7, 0, 9), at($time + 1, 0, 'timer_hrtimer_expire_exit', 7)) };
my $tick = sub { my ($time) = @_; return (at($time, 0, 'x86_irq_vectors_local_timer_entry', 236), $expires->($time + 1), at($time + 3, 0, 'x86_irq_vectors_local_timer_exit', 236)) };
my @net = map { my $cpu = $_; map { at(4 + $_->[0] / 10, $cpu, "irq_softirq_$_->[1]", 3) } [0, 'raise'], [1, 'entry'], [2, 'exit'] } 0;
my @work = (@all, @net, $call->(5), to(10, 0, $idle0, 0, $mid), to(20, 0, $mid, 1, $other), to(30, 0, $other, 1, $low),
	at(2000, 0, 'irq_softirq_raise', 3), at(2001, 0, 'irq_softirq_entry', 3), waking(2002, 0, $mid, 0), at(2003, 0, 'irq_softirq_exit', 3),
	waking(2500, 0, $other, 0), to(3000, 0, $low, 0, $mid), to(3100, 0, $mid, 1, $other), to(3200, 0, $other, 1, $low));
for ([ 'hyperv', 'inferred', $expires->(1000) ], [ 'apic', 'proved', $tick->(1000) ]) {
	my ($name, $grade, @timer) = @$_;
	$trace = made($name, @work, @timer);
	my %woken = map { my $who = $_; ($who => json_of(wakepath('wakeups', $trace, '--thread', $who, '--format', 'json'))->{wakeups}[-1]{source}) } qw(mid other);
	is("$woken{other}{kind} $woken{other}{grade}", "thread $grade", "$name: a thread seems to wake another");
	is(join(' ', map { $_->{grade} } @{ $woken{mid}{context} }), "$grade $grade", '… and to have raised a softirq');
	is_deeply(account($trace, 'mid', 2003, 3000), ["wait-cpu: low fair 120 997 $grade"], '… and to have had the CPU');
	my $warnings = wakepath('info', $trace)->{out};
	is($warnings =~ /interrupts without a tracepoint/ ? 1 : 0, $grade eq 'inferred' ? 1 : 0, '… a warning gives the reason');
	is((grep { $_ eq 'untold' } @{ $woken{other}{doubts} }) ? 'inferred' : 'proved', $grade, '… and so do its doubts');
	# The thread seen there, or an interrupt without a tracepoint, queued the work item that a worker executes.
	my $worker = ['kworker/0:1', 400, 120];
	my $item = sub { my ($time, $what, @more) = @_; return at($time, 0, "workqueue_$what", 0x9000, 0x100, @more) };
	$trace = made("$name-work", @work, @timer, to(3300, 0, $low, 0, $worker), to(3310, 0, $worker, 1026, $low), $item->(3400, 'queue_work', 0),
		waking(3401, 0, $worker, 0), to(3410, 0, $low, 0, $worker), $item->(3420, 'execute_start'), waking(3500, 0, $mid, 0), $item->(3510, 'execute_end'),
		to(3520, 0, $worker, 1026, $mid), to(3600, 0, $mid, 1, $low));
	my $by_work = json_of(wakepath('wakeups', $trace, '--thread', 'mid', '--format', 'json'))->{wakeups}[-1]{source};
	is($by_work->{work}{queued_by}{tid} // '', $low->[1], "$name: a thread queued what a worker executes");
	is($by_work->{work}{queued_by_grade}, $grade, '… as surely as it was that thread');
}

# Where the local timer's own interrupt is not recorded (trace-cmd record -e irq_vectors -v -e 'irq_vectors:local_timer_*'), its time goes to the
# context that it interrupted.
for ([ 'timer', 'proved', qr/^$/, $tick->(1000) ], [ 'no-timer', 'inferred', qr/local_timer/, $expires->(1000) ]) {
	my ($name, $grade, $left_out, @timer) = @$_;
	$trace = made($name, $left_out, @all, @net, $call->(5), to(10, 0, $idle0, 0, $mid), at(20, 0, 'irq_handler_entry', 5, 'card'), at(21, 0, 'irq_handler_exit', 5, 1), to(30, 0, $mid, 1, $low),
		waking(500, 0, $mid, 0), @timer, to(2000, 0, $low, 0, $mid), to(2100, 0, $mid, 1, $low));
	my @account = @{ account($trace, 'mid', 500, 2000) };
	is(join(' ', map { /low fair .* (\w+)$/ ? $1 : () } @account), $grade, "$name: the thread on the CPU is $grade") or diag("@account");
}

# ---- requests of a split bio: bio_split() records no block_bio_queue for the second part ----

my $bio = sub { my ($time, $what, $sector, $sectors) = @_; return at($time, 0, "block_$what", 8 << 20, $sector, $sectors, 1, 300, 'mid') };
my $rq = sub { my ($time, $what, $sector) = @_; return at($time, 0, "block_rq_$what", 8 << 20, $sector, 8, $what eq 'complete' ? (0, 1) : (4096, 300, 1, 'mid')) };
$trace = made('split', @all, to(10, 0, $idle0, 0, $mid), $bio->(20, 'bio_queue', 800, 16), $bio->(21, 'getrq', 800, 8), $bio->(22, 'getrq', 808, 8),
	(map { $rq->(30 + $_ / 8, 'insert', 800 + $_), $rq->(40 + $_, 'issue', 800 + $_), $rq->(100 + $_ * 10, 'complete', 800 + $_) } 0, 8), to(300, 0, $mid, 1, $idle0));
for (['block', [160, 'in the device 132, in the queue 28'], [80, 'in the device 60, in the queue 20']], ['block-queue', [28, 'in the queue 28'], [20, 'in the queue 20']],
	['block-device', [132, 'in the device 132'], [60, 'in the device 60']]) {
	my ($kind, @cases) = @$_;
	my @told = map { my $w = $_; [$w->{latency} / 1000, join ', ', map { ($_->{step} // $_->{what}) . ' ' . $_->{time} / 1000 } @{ $w->{blame} }] }
		@{ json_of(wakepath('latency', $trace, '--kind', $kind, '--format', 'json'))->{worst} };
	is_deeply(\@told, \@cases, "$kind: two requests that were queued as one each have their own steps") or diag explain \@told;
}

done_testing();
