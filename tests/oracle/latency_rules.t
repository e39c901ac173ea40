#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The rules of Latency.pm, each on a few made-up events whose answer was worked out by hand from the kernel's code.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Latency;

# "12 0 switch 5 1 6" (time, CPU, event): short for the event's text as babeltrace2 prints it.
my %short = (
    switch => sub { sched_switch => "prev_comm = \"t\", prev_tid = $_[0], prev_prio = 20, prev_state = $_[1], next_comm = \"t\", next_tid = $_[2], next_prio = " . ($_[3] // 20) },
    waking => sub { sched_waking => "comm = \"t\", tid = $_[0], prio = 20, target_cpu = 0" },
    fork => sub { sched_process_fork => "parent_comm = \"t\", parent_tid = $_[0], parent_pid = $_[0], child_comm = \"t\", child_tid = $_[1], child_pid = $_[1]" },
    call => sub { "syscall_entry_$_[0]" => $_[1] // '' },
    ret => sub { "syscall_exit_$_[0]" => $_[1] // 'ret = 0' },
    woken => sub { sched_wakeup => "comm = \"t\", tid = $_[0], prio = 20, target_cpu = 0" },
    'vec+' => sub { "x86_irq_vectors_$_[0]_entry" => 'vector = 236' },
    'vec-' => sub { "x86_irq_vectors_$_[0]_exit" => 'vector = 236' },
    'expire-' => sub { timer_hrtimer_expire_exit => "hrtimer = $_[0]" },
    'irq+' => sub { irq_handler_entry => "irq = $_[0], name = \"dev\"" },
    'irq-' => sub { irq_handler_exit => "irq = $_[0], ret = 1" },
    raise => sub { irq_softirq_raise => "vec = $_[0]" },
    'soft+' => sub { irq_softirq_entry => "vec = $_[0]" },
    'soft-' => sub { irq_softirq_exit => "vec = $_[0]" },
    arm => sub { timer_hrtimer_start => "hrtimer = $_[0], function = 0xF, expires = $_[1], softexpires = $_[1], mode = 1" },
    cancel => sub { timer_hrtimer_cancel => "hrtimer = $_[0]" },
    expire => sub { timer_hrtimer_expire_entry => "hrtimer = $_[0], now = $_[1], function = 0xF" },
    work => sub { workqueue_queue_work => "work = $_[0], function = 0xF, req_cpu = 1" },
    'work+' => sub { workqueue_execute_start => "work = $_[0], function = 0xF" },
    'work-' => sub { workqueue_execute_end => "work = $_[0], function = 0xF" },
    bio => sub { block_bio_queue => "dev = 8, sector = $_[0], nr_sector = $_[1], rwbs = " . ($_[2] // 1) . ', tid = 5, comm = "t"' },
    got => sub { block_getrq => "dev = 8, sector = $_[0], nr_sector = $_[1], rwbs = " . ($_[2] // 1) . ', tid = 5, comm = "t"' },
    issue => sub { block_rq_issue => "dev = 8, sector = $_[0], nr_sector = $_[1], bytes = 0, tid = 5, rwbs = " . ($_[2] // 1) . ', comm = "t"' },
    done => sub { block_rq_complete => "dev = 8, sector = $_[0], nr_sector = $_[1], error = 0, rwbs = " . ($_[2] // 1) },
    other => sub { some_event => '' },
);

# KIND of these events, its starts in order: "FATE START-END KEY".
sub starts {
    my ($kind, $gaps, @events) = @_;
    my @lines = map {
        my ($t, $cpu, $what, @args) = split;
        my ($name, $fields) = $short{$what}->(@args);
        sprintf "[1.%09d] %s: { cpu_id = %d }, { %s }\n", $t, $name, $cpu, $fields =~ s{(?<=\w)=(?=[-\d])}{ = }gr =~ s{,(?=\w)}{, }gr;
    } @events;
    local $Cause::clock_offset = 1_000_000_000;
    my $o = Latency->of_lines('6.1', $gaps, @lines);
    return join ', ', map { join ' ', $o->fate($kind, $_), join('-', map { defined ? $_ - 1_000_000_000 : '' } @$_{qw(start end)}), $_->{key} }
        sort { $a->{start} <=> $b->{start} } @{$o->{starts}{$kind}};
}

sub rule {
    my ($name, $kind, $is, @events) = @_;
    is(starts($kind, [], @events), $is, "$kind: $name");
}

my @runs = ('10 0 switch 0 0 5');

rule('one case returns, one does not', 'off-cpu', 'count 20-30 fair, unfinished 40- ', @runs, '20 0 switch 5 1 0', '30 0 switch 0 0 5', '40 0 switch 5 0 0');
rule('a case may end with the last event', 'preempted', 'count 20-30 real-time', @runs, '20 0 switch 5 0 6', '30 0 switch 6 1 5 -2');
rule('a dead thread begins no case', 'off-cpu', '', @runs, '20 0 switch 5 32 6', '30 0 other');
rule('any wake-up ends a case, also at the instant of its begin', 'blocked', 'count 20-20 thread', @runs, '15 1 switch 0 0 6', '20 0 switch 5 1 0', '20 1 waking 5', '30 0 switch 0 0 5');
rule('a case without a recorded wake-up is dropped', 'blocked', 'dropped 20- ', @runs, '20 0 switch 5 1 0', '30 0 switch 0 0 5');
rule('a reused TID is another thread', 'off-cpu', 'unfinished 20- ', @runs, '20 0 switch 5 1 0', '25 1 fork 4 5', '30 0 switch 0 0 5');
rule('a case begins with the creation', 'fork', 'count 20-40 fair, unfinished 30- ', @runs, '20 0 fork 5 7', '30 0 fork 5 8', '40 1 switch 0 0 7');

rule('a call without exit is dropped, one that returns counts, one of the parent does not', 'syscall', 'dropped 20- pause, count 30-50 read', @runs, '12 0 ret clone', '20 0 call pause', '30 0 call read', '50 0 ret read');
rule('sigreturn is no case', 'syscall', 'count 30-50 read', @runs, '20 0 call rt_sigreturn', '22 0 call unknown id=15,args=0', '30 0 call read', '50 0 ret read');
rule('an exit of another name ends no case', 'syscall', 'dropped 20- read', @runs, '20 0 call read', '30 0 ret write', '40 0 ret read');
rule('unknown calls differ by number', 'syscall', 'dropped 20- unknown, count 40-50 unknown', @runs, '20 0 call unknown id=15', '30 0 ret unknown id=158', '40 0 call unknown id=158', '50 0 ret unknown id=158');
rule('the exit after a signal has no number', 'syscall', 'count 20-30 unknown', @runs, '20 0 call unknown id=15', '30 0 ret unknown id=-1');
rule('only calls that wait are cases', 'futex', 'count 40-60 0x11', @runs, '20 0 call futex uaddr=9,op=129', '30 0 ret futex', '40 0 call futex uaddr=17,op=137', '60 0 ret futex');

rule('handlers nest', 'irq', 'count 10-40 7 dev, count 20-30 8 dev', '10 0 irq+ 7', '20 0 irq+ 8', '30 0 irq- 8', '40 0 irq- 7');
rule('an exit ends the entry of its own CPU', 'softirq', 'count 10-40 TIMER, count 20-30 TIMER', '10 0 soft+ 1', '20 1 soft+ 1', '30 1 soft- 1', '40 0 soft- 1');
rule('the first raise since the previous entry counts', 'softirq-raise', 'count 10-30 RCU, unfinished 40- RCU', '10 0 raise 9', '20 0 raise 9', '30 0 soft+ 9', '40 0 raise 9', '50 0 soft- 9');

rule('late, early, cancelled, due and never expired, not due', 'timer', 'count 20-30 0xf, count 60-60 0xf, unfinished 70- 0xf',
    '10 0 arm 0x1 20', '30 0 expire 0x1 29', '35 0 arm 0x2 40', '38 0 cancel 0x2', '40 0 arm 0x1 80', '60 0 expire 0x1 59', '65 0 arm 0x1 70', '75 0 other', '80 0 arm 0x3 90');
rule('a cancel right before the expiry does not count', 'timer', 'count 20-30 0xf', '10 0 arm 0x1 20', '15 0 arm 0x2 20', '30 0 cancel 0x1', '30 0 expire 0x1 29', '31 0 cancel 0x2', '32 0 other', '33 0 expire 0x2 30');
rule('a timer of another clock is void', 'timer', '', '10 0 arm 0x1 5000000020', '30 0 expire 0x1 5000000029');

rule('a cancelled item is void', 'work-queue', 'void 10- 0xf, count 20-30 0xf', '10 0 work 0x1', '20 0 work 0x1', '25 0 switch 0 0 5', '30 0 work+ 0x1');
rule('an item ends with its own end', 'work', 'count 20-30 0xf, dropped 40- 0xf', @runs, '20 0 work+ 0x1', '30 0 work- 0x1', '40 0 work+ 0x1', '50 0 work- 0x2');

my @merged = ('10 0 bio 100 8', '12 0 got 100 8', '14 0 bio 108 8', '20 0 issue 100 16', '30 0 done 100 8', '35 0 done 108 8');
rule('once for all bios and parts', 'block', 'count 10-35 0:8 write', @merged);
rule('to the driver', 'block-queue', 'count 10-20 0:8 write', @merged);
my @flushed = ('10 0 bio 100 8 1633', '12 0 got 100 8 1633', '20 0 issue 0 0 1280', '25 0 done 18446744073709551615 0 1280', '30 0 issue 100 8 97', '40 0 done 100 8 97',
    '50 0 issue 0 0 1280', '60 0 done 18446744073709551615 0 1280', '62 0 done 100 0 97');
rule('until the flush after it is over', 'block', 'count 10-62 0:8 write', @flushed);
rule('flushes are their own', 'block-device', 'count 20-25 0:8 flush, count 30-40 0:8 write, count 50-60 0:8 flush', @flushed);
rule('a flush without data is a case', 'block', 'count 10-30 0:8 flush', '10 0 bio 0 0 1057', '12 0 got 0 0 1057', '20 0 issue 0 0 1280', '28 0 done 18446744073709551615 0 1280', '30 0 done 0 0 33');
rule('a request never given to the driver is unfinished', 'block-queue', 'unfinished 10- 0:8 write', '10 0 bio 100 8', '12 0 got 100 8', '30 0 other');

my @waits = (@runs, '12 0 call read', '20 0 switch 5 1 0');
my @returns = ('60 0 switch 0 0 5', '70 0 ret read');
my $from = sub { my ($name, $is, @events) = @_; rule($name, 'irq-to-user', $is, @waits, @events, @returns) };
$from->('a case begins with the handler that wakes it, on any CPU and upon any thread', 'count 30-70 7 dev', '25 1 switch 0 0 9', '30 1 irq+ 7', '35 1 waking 5', '36 1 woken 5', '40 1 irq- 7');
$from->('preempted on its way', 'count 30-70 local_timer', '30 0 vec+ local_timer', '31 0 expire 0x1 30', '35 0 waking 5', '36 0 expire- 0x1', '37 0 vec- local_timer',
    '40 0 switch 0 0 5', '45 0 switch 5 0 6', '50 0 switch 6 1 0');
$from->('of nested handlers the outermost counts', 'count 30-70 7 dev', '30 0 irq+ 7', '32 0 irq+ 8', '35 0 waking 5', '36 0 irq- 8', '37 0 irq- 7');
$from->('an interrupt upon a softirq counts, not the one that raised that', 'count 36-70 8 dev', '30 0 irq+ 7', '31 0 raise 3', '33 0 irq- 7', '34 0 soft+ 3', '36 0 irq+ 8', '38 0 waking 5', '39 0 irq- 8', '40 0 soft- 3');
$from->('the first interrupt that raised a softirq counts', 'count 30-70 7 dev', '30 0 irq+ 7', '31 0 raise 3', '33 0 irq- 7', '34 0 irq+ 8', '35 0 raise 3', '36 0 irq- 8', '37 0 soft+ 3', '38 0 waking 5', '40 0 soft- 3');
$from->('a softirq that a thread raised first is no case', '', '30 0 raise 3', '34 0 irq+ 8', '35 0 raise 3', '36 0 irq- 8', '37 0 soft+ 3', '38 0 waking 5', '40 0 soft- 3');
$from->('a softirq that another softirq raised is no case', '', '30 0 irq+ 7', '31 0 raise 1', '33 0 irq- 7', '34 0 soft+ 1', '35 0 raise 3', '36 0 soft- 1', '37 0 soft+ 3', '38 0 waking 5', '40 0 soft- 3');
$from->('a softirq whose raise was for the previous entry is no case', '', '30 0 irq+ 7', '31 0 raise 3', '33 0 irq- 7', '34 0 soft+ 3', '35 0 soft- 3', '37 0 soft+ 3', '38 0 waking 5', '40 0 soft- 3');
$from->('a softirq raised on another CPU is no case', '', '30 1 irq+ 7', '31 1 raise 3', '33 1 irq- 7', '37 0 soft+ 3', '38 0 waking 5', '40 0 soft- 3');
$from->('a timer whose vector was not recorded is no case', '', '30 0 irq+ 7', '31 0 raise 3', '33 0 irq- 7', '34 0 soft+ 3', '35 0 expire 0x1 35', '36 0 waking 5', '37 0 expire- 0x1', '40 0 soft- 3');
$from->('a timer in the softirq HRTIMER is a case', 'count 30-70 local_timer', '30 0 vec+ local_timer', '31 0 raise 8', '33 0 vec- local_timer', '34 0 soft+ 8', '35 0 expire 0x1 35', '36 0 waking 5', '37 0 expire- 0x1', '40 0 soft- 8');
$from->('a wake-up by a thread after the handler is no case', '', '30 1 irq+ 7', '35 1 irq- 7', '36 1 waking 5');
$from->('a sched_wakeup alone that another CPU may have sent is no case', '', '30 0 vec+ call_function_single', '35 0 woken 5', '36 0 vec- call_function_single');
$from->('a sched_wakeup alone in a handler is a case', 'count 30-70 7 dev', '30 1 irq+ 7', '35 1 woken 5', '36 1 irq- 7');
$from->('if it blocks again, the last interrupt counts', 'void 30- 7 dev, count 45-70 7 dev', '30 0 irq+ 7', '35 0 waking 5', '36 0 irq- 7', '38 0 switch 0 0 5', '40 0 switch 5 1 0', '45 0 irq+ 7', '46 0 waking 5', '47 0 irq- 7');
$from->('another wake-up on its way does not count', 'count 30-70 7 dev', '30 0 irq+ 7', '35 0 waking 5', '36 0 irq- 7', '38 0 switch 0 0 5', '45 0 irq+ 8', '46 0 waking 5', '47 0 woken 5', '48 0 irq- 8', '50 0 switch 5 0 0');
my @handler = ('30 0 irq+ 7', '35 0 waking 5', '36 0 irq- 7', '40 0 switch 0 0 5');
rule('a wait outside of a call is no case', 'irq-to-user', '', @runs, '20 0 switch 5 1 0', @handler, '50 0 call read', '60 0 ret read');
rule('a thread that dies before it returns is void', 'irq-to-user', 'void 30- 7 dev', @waits, @handler, '50 0 switch 5 32 0');
rule('another call shows that the exit is missing', 'irq-to-user', 'dropped 30- 7 dev', @waits, @handler, '50 0 call write', '60 0 ret write');
rule('the end of the trace', 'irq-to-user', 'unfinished 30- 7 dev', @waits, @handler);
rule('the waker overtakes it: the interrupt of sched_waking', 'irq-to-user', 'count 15-70 7 dev', @runs, '12 0 call read', '15 1 irq+ 7', '16 1 waking 5', '17 0 switch 5 1 0', '18 1 woken 5', '19 1 irq- 7', @returns);
rule('a thread that never slept has no case', 'irq-to-user', '', @runs, '12 0 call read', '15 1 irq+ 7', '16 1 waking 5', '17 1 woken 5', '19 1 irq- 7', '70 0 ret read');

my $gap = [ { from => 1_000_000_020, to => 1_000_000_030, cpu => 1, count => 5 } ];
my @around = ('10 0 soft+ 1', '15 1 soft+ 1', '40 1 soft- 1', '50 0 soft- 1');
is(starts('softirq', $gap, @around), 'count 10-50 TIMER, dropped 15-40 TIMER', 'softirq: events lost on its own CPU drop the case');
is(starts('softirq-raise', $gap, '25 1 raise 1', '40 1 raise 1', '50 1 soft+ 1'), 'dropped 25- TIMER, count 40-50 TIMER', 'softirq-raise: a lost entry drops the case');
is(starts('off-cpu', $gap, '5 0 switch 0 0 5', '10 0 switch 5 1 0', '40 0 switch 0 0 5', '50 0 switch 5 1 0'), 'dropped 10-40 fair, unfinished 50- ', 'off-cpu: a thread that may have run in a gap is dropped');
is(starts('irq-to-user', $gap, @waits[0 .. 1], '15 0 switch 5 1 0', '31 1 irq+ 7', '35 1 waking 5', '36 1 irq- 7', '40 0 switch 0 0 5', '42 0 switch 5 1 0', '45 1 irq+ 7', '46 1 waking 5', '47 1 irq- 7', @returns),
    '', 'irq-to-user: a call entered before lost events is no case');
done_testing;
