#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The counts of Oracle.pm, on a few events whose answers were worked out by hand.  Each/Counting.pm checks on the traces that its counts agree with
# each other.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Oracle;

# "12 0 switch a 5 1 b 6": at 12, on CPU 0, thread 5 leaves in state 1 for 6.
sub events {
    my @out;
    for (split /\n/, $_[0]) {
        my ($t, $cpu, $what, @a) = split;
        next if !defined $what;
        my ($name, $rest) = ($what, '');
        if ($what eq 'switch') {
            ($name, $rest) = ('sched_switch', sprintf 'prev_comm = "t%s", prev_tid = %s, prev_prio = 20, prev_state = %s, next_comm = "t%s", next_tid = %s, next_prio = 20', @a[0, 0, 1, 2, 2]);
        } elsif ($what =~ /^(waking|wakeup|wakeup_new)$/) {
            ($name, $rest) = ("sched_$what", sprintf 'comm = "t%s", tid = %s, prio = 20, target_cpu = %s', @a[0, 0, 1]);
        } elsif ($what eq 'fork') {
            ($name, $rest) = ('sched_process_fork', sprintf 'parent_comm = "p", parent_tid = %s, parent_pid = 1, child_comm = "t%s", child_tid = %s, child_pid = 1', @a[0, 1, 1]);
        } elsif ($what =~ /^irq_handler/) {
            $rest = "irq = $a[0]" . ($what =~ /entry/ ? ', name = "disk, irq = 9"' : ', ret = 1');
        } elsif ($what =~ /softirq/) {
            $rest = "vec = $a[0]";
        } elsif ($what =~ /^x86_irq_vectors/) {
            $rest = "vector = $a[0]";
        } elsif ($what eq 'lttng_statedump_process_state') {
            $rest = sprintf 'tid = %s, pid = %s, ppid = 1, name = "t%s", type = 0, mode = 5, submode = 0, status = %s, cpu = 0', @a[0, 0, 0, 1];
        } elsif ($what eq 'migrate') {
            ($name, $rest) = ('sched_migrate_task', sprintf 'comm = "t%s", tid = %s, prio = 20, orig_cpu = %s, dest_cpu = %s', @a[0, 0, 1, 2]);
        }
        push @out, sprintf '[0.%09d] host %s: { cpu_id = %d }, { %s }', $t, $name, $cpu, $rest;
    }
    return @out;
}

sub states {
    my ($life) = @_;
    return join ' ', map { "$_->{state}:" . ($_->{to} - $_->{from}) } @{$life->{intervals}};
}

sub wakeups {
    my ($life) = @_;
    return join ' ', map { "$_->{time}" . ($_->{ended} != $_->{time} ? "..$_->{ended}" : '') . '>' . ($_->{ran_at} // '-') . "/" . ($_->{waker} // '?') .
        join('', map { "+$_->{text}" } @{$_->{context}}) } @{$life->{wakeups}};
}

my $o = Oracle->of_lines('6.1.0', events(<<'END'));
10 0 switch 0 0 5
20 0 syscall_entry_read
25 0 irq_handler_entry 9
27 0 irq_softirq_entry 3
28 0 irq_softirq_exit 3
30 0 irq_handler_exit 9
40 0 switch 5 1 0
50 1 switch 0 0 6
60 1 irq_softirq_entry 3
65 1 waking 5 0
66 1 wakeup 5 0
70 1 irq_softirq_exit 3
80 0 switch 0 0 5
85 0 syscall_exit_read
95 0 switch 5 256 7
99 0 switch 7 0 5
100 1 switch 6 32 0
END
my ($five) = $o->lives_of_tid(5);
my ($six) = $o->lives_of_tid(6);
is(states($five), 'running:10 syscall:5 interrupted:2 interrupted:1 interrupted:2 syscall:10 blocked:25 wait-cpu:15 syscall:5 usermode:10 preempted:4 usermode:1',
    'a thread reads, waits, runs, is preempted');
is($five->{on_cpu}, 30 + 15 + 1, 'the time on the CPU is right');
is(wakeups($five), '65>80/6+softirq NET_RX', 'a softirq wakes the thread');
is(states($six), '?:40 running:10 interrupted:10 running:30', 'a thread is interrupted while another is woken, and runs until the end');
is($six->{exited}, 100, 'the thread has exited');
is_deeply($o->{odd}, [], 'there are no contradictions');

$o = Oracle->of_lines('6.1.0', events(<<'END'));
10 0 switch 0 0 5
11 1 switch 0 0 6
20 1 waking 5 0
21 1 wakeup 5 0
30 0 switch 5 1 0
40 1 waking 5 0
42 0 wakeup 5 0
45 0 switch 0 0 5
50 1 waking 5 0
52 0 switch 5 1 0
57 0 wakeup 5 0
60 0 switch 0 0 5
END
($five) = $o->lives_of_tid(5);
is(states($five), 'running:20 blocked:10 wait-cpu:5 running:7 blocked:5 wait-cpu:3', 'a wake-up of a running thread ends nothing');
is(wakeups($five), '40>45/6 50..57>60/6', 'a waker that overtook the sleeper ended the wait');

$o = Oracle->of_lines('4.4.0', events(<<'END'));
10 0 switch 0 0 5
20 0 fork 5 9
22 0 wakeup_new 9 1
30 1 switch 0 0 9
40 1 switch 9 2048 7
41 1 switch 7 1 9
50 1 switch 9 64 0
60 0 fork 5 9
62 0 wakeup_new 9 1
70 1 switch 0 0 9
80 0 switch 5 130 0
END
my @nine = $o->lives_of_tid(9);
is(scalar @nine, 2, 'a reused TID is another thread');
is(states($nine[0]), 'new:2 wait-cpu:8 running:10 preempted:1 running:9 exited:10', 'the states of the first life are right');
is(states($nine[1]), 'new:2 wait-cpu:8 running:10', 'the states of the second life are right');
is(wakeups($nine[0]), '22>30/5', 'its parent wakes it');

$o = Oracle->of_lines('6.1.0', events(<<'END'));
10 0 waking 5 0
11 0 waking 6 0
12 0 wakeup 6 0
20 0 switch 5 1 6
30 0 wakeup 5 0
40 0 switch 6 0 5
END
($five) = $o->lives_of_tid(5);
($six) = $o->lives_of_tid(6);
is(states($six), '?:1 wait-cpu:9 running:20', 'a wake-up as the first event ends a wait');
is(states($five), 'running:10 blocked:10 wait-cpu:10', 'a thread taken out by the first switch ran there since the trace began');
is($five->{strict_from}, 10, 'its state is known from its first switch on');
is(wakeups($five), '10..30>40/5', 'its later wake-up ended its next wait');

# The CPU a thread waits for, the CPU of its ksoftirqd, and the system call of a child.
$o = Oracle->of_lines('6.1.0', events(<<'END'));
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 7
30 1 waking 5 0
31 1 migrate 5 0 1
33 1 wakeup 5 1
40 0 migrate 5 1 0
50 0 switch 7 1 5
60 0 syscall_entry_clone
62 0 fork 5 9
64 0 wakeup_new 9 1
70 0 syscall_exit_clone
72 0 x86_irq_vectors_local_timer_entry 236
74 0 x86_irq_vectors_local_timer_exit 236
80 1 switch 6 0 9
90 1 syscall_exit_clone
95 1 x86_irq_vectors_reschedule_entry 253
96 1 x86_irq_vectors_reschedule_exit 253
END
($five) = $o->lives_of_tid(5);
is(join(' ', map { "$_->{from}:" . ($_->{cpu} // '-') } grep { $_->{state} eq 'wait-cpu' } @{$five->{intervals}}), '30:1 40:0',
    'a thread waits for the CPU it was enqueued on, until it is moved');
is($five->{wakeups}[0]{target}, 1, 'its target is the first of these CPUs');
my ($child) = $o->lives_of_tid(9);
is(states($child), 'new:2 wait-cpu:16 syscall:10 usermode:5 interrupted:1', 'a child begins in the system call of its parent');
is($child->{parent}, 5, 'the child has its parent');
is_deeply([ map { $_->{detail} } grep { $_->{state} eq 'interrupted' } @{$five->{intervals}}, @{$child->{intervals}} ],
    [ 'IRQ 236 local_timer', 'ipi reschedule' ], 'a CPU interrupts another, or itself');

$o = Oracle->of_lines('6.1.0', map { s/t14"/ksoftirqd\/0"/r } events(<<'END'));
10 0 switch 0 0 5
20 0 switch 5 0 14
30 0 switch 14 1 5
40 0 irq_softirq_entry 7
42 0 irq_softirq_exit 7
44 0 waking 14 0
45 0 wakeup 14 0
50 0 switch 5 0 14
60 0 switch 14 1 5
70 0 irq_softirq_raise 3
72 0 waking 14 0
73 0 wakeup 14 0
80 0 syscall_exit_read
82 0 switch 5 0 14
84 0 switch 14 1 5
86 0 syscall_exit_read
88 0 waking 14 0
END
my ($ksoftirqd) = $o->lives_of_tid(14);
is(join(' ', map { $_->{softirqs_end} // '-' } @{$ksoftirqd->{wakeups}}), 'surely maybe -', 'ksoftirqd is woken at the end of softirqs, surely, maybe, or not');

# The state dump finds threads asleep.
$o = Oracle->of_lines('6.1.0', events(<<'END'));
5 0 lttng_statedump_process_state 5 5
6 0 lttng_statedump_process_state 6 6
20 0 waking 5 0
20 0 waking 6 0
30 0 switch 0 0 7
END
is(join(' ', map { scalar @{$_->{wakeups}} } map { $o->lives_of_tid($_) } 5, 6), '1 0', 'a wake-up as the last event counts for a sleeper');

# A TID that occurs after its thread ended is another thread's, unless it is woken first: then it slept as it ended.
$o = Oracle->of_lines('6.1.0', events(<<'END'));
10 0 switch 0 0 5
20 0 switch 5 16 0
40 0 switch 0 0 5
50 0 switch 5 32 0
60 1 waking 5 0
70 0 switch 0 0 5
90 0 switch 5 16 0
END
is(join(' | ', map { states($_) } $o->lives_of_tid(5)), 'running:10 | ?:20 running:10 blocked:10 wait-cpu:10 running:20', 'a TID has a next life');

done_testing;
