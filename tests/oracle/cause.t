#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The rules of docs/proofs.md as Cause.pm applies them, each on a few made-up events whose answer was worked
# out by hand from the kernel's code.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cause;
use Cause::Say;

# "12 0 waking 5": short for the event's text as babeltrace2 prints it.
my %short = (
    switch => sub { sched_switch => sprintf 'prev_comm = "%s", prev_tid = %s, prev_prio = 20, prev_state = %s, next_comm = "%s", next_tid = %s, next_prio = 20', name($_[0]), $_[0], $_[1], name($_[2]), $_[2] },
    waking => sub { sched_waking => sprintf 'comm = "%s", tid = %s, prio = 20, target_cpu = %s', name($_[0]), $_[0], $_[1] // 0 },
    wakeup => sub { sched_wakeup => sprintf 'comm = "%s", tid = %s, prio = 20, target_cpu = %s', name($_[0]), $_[0], $_[1] // 0 },
    new => sub { sched_wakeup_new => sprintf 'comm = "%s", tid = %s, prio = 20, target_cpu = %s', name($_[0]), $_[0], $_[1] // 0 },
    'irq+' => sub { irq_handler_entry => "irq = $_[0], name = \"$_[1]\"" },
    'irq-' => sub { irq_handler_exit => sprintf 'irq = %s, ret = %s', $_[0], $_[1] // 1 },
    raise => sub { irq_softirq_raise => "vec = $_[0]" },
    'soft+' => sub { irq_softirq_entry => "vec = $_[0]" },
    'soft-' => sub { irq_softirq_exit => "vec = $_[0]" },
    'vec+' => sub { "x86_irq_vectors_$_[0]_entry" => 'vector = 251' },
    'vec-' => sub { "x86_irq_vectors_$_[0]_exit" => 'vector = 251' },
    'timer+' => sub { timer_hrtimer_expire_entry => "hrtimer = $_[0], now = 1, function = $_[1]" },
    'timer-' => sub { timer_hrtimer_expire_exit => "hrtimer = $_[0]" },
    arm => sub { timer_hrtimer_start => "hrtimer = $_[0], function = $_[1], expires = 9, softexpires = 9, mode = 1" },
    cancel => sub { timer_hrtimer_cancel => "hrtimer = $_[0]" },
    bio => sub { block_bio_queue => "dev = 8388608, sector = $_[0], nr_sector = $_[1], rwbs = " . ($_[3] // 1) . ", tid = $_[2], comm = \"t\"" },
    got => sub { block_getrq => "dev = 8388608, sector = $_[0], nr_sector = $_[1], rwbs = 1, tid = $_[2], comm = \"t\"" },
    insert => sub { block_rq_insert => "dev = 8388608, sector = $_[0], nr_sector = $_[1], bytes = 0, tid = $_[2], rwbs = 1, comm = \"t\"" },
    issue => sub { block_rq_issue => sprintf 'dev = 8388608, sector = %s, nr_sector = %s, bytes = %d, tid = %s, rwbs = %s, comm = "t"', $_[0], $_[1], $_[1] * 512, $_[2], $_[3] // 1 },
    done => sub { block_rq_complete => "dev = 8388608, sector = $_[0], nr_sector = $_[1], error = 0, rwbs = " . ($_[2] // 1) },
    send => sub { net_dev_queue => packet(@_) },
    receive => sub { net_if_receive_skb => packet(@_) },
    work => sub { workqueue_queue_work => "work = $_[0], function = 0xF, req_cpu = 8192" },
    activate => sub { workqueue_activate_work => "work = $_[0]" },
    'work+' => sub { workqueue_execute_start => "work = $_[0], function = 0xF" },
    'work-' => sub { workqueue_execute_end => "work = $_[0], function = 0xF" },
    signal => sub { signal_generate => "sig = $_[0], errno = 0, code = " . ($_[3] // 0) . ", comm = \"t\", pid = $_[1], group = " . ($_[4] // 1) . ", result = $_[2]" },
    call => sub { "syscall_entry_$_[0]" => '' },
    migrate => sub { sched_migrate_task => "comm = \"t\", tid = $_[0], prio = 20, orig_cpu = $_[1], dest_cpu = $_[2]" },
    exit => sub { sched_process_exit => "comm = \"t\", tid = $_[0], prio = 20" },
    poll => sub { napi_poll => 'napi = 0x1, dev_name = "eth0", work = 1, budget = 64' },
);

# TIDs 20 to 29 are kworkers, 14 ksoftirqd/0, 15 irq/9-x, 16 irq_work/0.
sub name { return $_[0] == 0 ? 'swapper/0' : $_[0] == 14 ? 'ksoftirqd/0' : $_[0] == 15 ? 'irq/9-x' : $_[0] == 16 ? 'irq_work/0' : $_[0] >= 20 && $_[0] < 30 ? "kworker/0:$_[0]" : "t$_[0]" }

# From the lower port's address to the other's; DATA bytes, where that matters.
sub packet {
    my ($skb, $dev, $sport, $dport, $seq, $data) = @_;
    my ($from, $to) = $sport < $dport ? (1, 2) : (2, 1);
    my ($ip, $tcp) = defined $data ? ('ihl = 5, tot_len = ' . (40 + $data) . ', ', ', data_offset = 5, flags = 0x10') : ('', '');
    return "skbaddr = $skb, len = 52, name = \"$dev\", network_header = { { version = 4, ${ip}saddr_padding = { }, saddr = [ [0] = 127, [1] = 0, [2] = 0, [3] = $from ], daddr_padding = { }, daddr = [ [0] = 127, [1] = 0, [2] = 0, [3] = $to ], transport_header_type = ( \"_tcp\" : container = 1 ), transport_header = { { source_port = $sport, dest_port = $dport, seq = $seq, ack_seq = 7$tcp } } } }";
}

my @every = ('1 7 irq+ 99 none', '2 7 irq- 99', '3 7 soft+ 1', '4 7 soft- 1', '5 7 timer+ 0x99 0x9', '6 7 timer- 0x99', '7 7 vec+ call_function_single', '8 7 vec- call_function_single');

# The oracle of these events; a trace that has all kinds of interrupt.
sub of {
    my ($text, %how) = @_;
    my @lines;
    for (($how{old} ? () : @every), split /\n/, $text) {
        my ($t, $cpu, $what, @a) = split;
        next if !defined $what;
        my ($event, $fields) = ($short{$what} // die "no such short: $what")->(@a);
        push @lines, sprintf '[0.%09d] host %s: { cpu_id = %d }, { %s }', $t, $event, $cpu, $fields;
    }
    return Cause->of_lines('6.1.0', @lines);
}

# The cause that ended the wait of TID at t, in one line.
sub why {
    my ($o, $tid, $t) = @_;
    my ($w) = grep { $_->{ended} == $t } map { @{$_->{wakeups}} } $o->lives_of_tid($tid);
    return 'no such wake-up' if !$w;
    my $is = Cause::Say::is($w);
    return join '; ', map { "$_ $is->{$_}" } grep { $is->{$_} ne '-' } qw(kind grade thread), @{$_[3] // []};
}

my $o = of(<<'END');
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 bio 100 8 5
21 0 bio 108 8 5
22 0 got 100 8 5
23 0 insert 100 16 5
24 0 issue 100 16 20
30 0 switch 5 2 0
40 1 irq+ 28 virtio2-req.0
45 1 irq- 28
50 0 vec+ call_function_single
51 0 raise 4
52 0 vec- call_function_single
53 0 soft+ 4
54 0 done 100 16
55 0 waking 5
56 0 wakeup 5
57 0 soft- 4
60 0 switch 0 0 5
END
is(why($o, 5, 55, [qw(chain hops request history submitter)]),
    'kind block; grade proved; chain irq 28 virtio2-req.0 cpu 1 40 > ipi call_function_single cpu 0 50 > softirq 4 BLOCK cpu 0 53; '
    . 'hops irq=inferred ipi=proved softirq=proved; request 8:0 100 write 8192 1; history 20 23 24 54; submitter 5',
    'an IPI completes two merged bios');

$o = of(<<'END');
10 0 switch 0 0 5
20 0 bio 0 0 5
21 0 got 0 0 5
22 0 issue 0 0 20 1280
30 0 switch 5 2 0
40 0 irq+ 28 virtio2-req.0
41 0 done 18446744073709551615 0 1280
42 0 done 0 0 1
43 0 waking 5
44 0 irq- 28
END
is(why($o, 5, 43, [qw(request history submitter)]),
    'kind block; grade proved; request 8:0 - flush 0 0; history 20 - 22 42; submitter 5', 'a flush without data has a cause');

$o = of(<<'END');
10 0 switch 0 0 5
20 0 bio 100 8 5 1633
21 0 got 100 8 5
22 0 issue 0 0 20 1280
30 0 switch 5 2 0
40 0 irq+ 28 virtio2-req.0
41 0 done 18446744073709551615 0 1280
42 0 irq- 28
43 0 issue 100 8 20
50 0 irq+ 28 virtio2-req.0
51 0 done 100 8
52 0 irq- 28
53 0 issue 0 0 20 1280
60 0 irq+ 28 virtio2-req.0
61 0 done 18446744073709551615 0 1280
62 0 done 100 0
63 0 waking 5
64 0 irq- 28
END
is(why($o, 5, 63, [qw(request history)]),
    'kind block; grade proved; request 8:0 100 write 4096 0; history 20 - 43 62', 'a write between two flushes ends with the second');

$o = of(<<'END');
10 0 switch 0 0 5
20 0 switch 5 1 6
30 0 soft+ 7
40 0 irq+ 9 eth0
41 0 waking 5
42 0 irq- 9
END
is(why($o, 5, 41, [qw(chain)]), 'kind network; grade inferred; chain irq 9 eth0 cpu 0 40', 'the interrupted softirq is not in the chain');

# Interrupt 8 raises softirq 3, whose bit is taken. Interrupt 9 raises it again before its first entry: that raise is for the second entry.
$o = of(<<'END');
10 0 switch 0 0 5
20 0 switch 5 1 0
30 0 irq+ 8 virtio0-output.0
31 0 raise 3
32 0 irq- 8
33 0 irq+ 9 virtio0-input.0
34 0 raise 3
35 0 irq- 9
36 0 soft+ 3
37 0 soft- 3
40 0 soft+ 3
41 0 receive 0x1 eth0 1 2 3
42 0 waking 5
43 0 soft- 3
END
is(why($o, 5, 42, [qw(chain hops)]),
    'kind network; grade proved; chain irq 9 virtio0-input.0 cpu 0 33 > softirq 3 NET_RX cpu 0 40; hops irq=proved softirq=proved', 'a raise is left for the next round');

$o = of(<<'END');
10 0 switch 0 0 5
20 0 switch 5 1 0
30 0 irq+ 8 virtio0-output.0
31 0 raise 3
32 0 irq- 8
33 0 irq+ 9 virtio0-input.0
34 0 raise 3
35 0 irq- 9
36 0 soft+ 3
37 0 poll
41 0 receive 0x1 eth0 1 2 3
42 0 waking 5
43 0 soft- 3
END
is(why($o, 5, 42, [qw(chain hops packet)]),
    'kind network; grade proved; chain irq 9 virtio0-input.0 cpu 0 33 > softirq 3 NET_RX cpu 0 36; hops irq=inferred softirq=proved; '
    . 'packet eth0 tcp 127.0.0.1 port 1 127.0.0.2 port 2 3 7 52 41', 'of raises for sent and received packets, the one of the packet counts');

# Round one takes 1 and 3; the handler of 1 raises 3 again, for round two.
$o = of(<<'END');
10 0 switch 0 0 5
20 0 switch 5 1 0
30 0 irq+ 8 a
31 0 raise 1
32 0 raise 3
33 0 irq- 8
34 0 soft+ 1
35 0 raise 3
36 0 soft- 1
37 0 soft+ 3
38 0 soft- 3
39 0 soft+ 3
40 0 waking 5
41 0 soft- 3
END
is(why($o, 5, 40, [qw(chain)]),
    'kind network; grade proved; chain irq 8 a cpu 0 30 > softirq 1 TIMER cpu 0 34 > softirq 3 NET_RX cpu 0 39', 'a raise within the round counts for the next one');

$o = of(<<'END');
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 0
30 1 send 0x1 lo 10 20 300
31 1 raise 3
32 1 soft+ 3
33 1 receive 0x1 lo 10 20 300
34 1 waking 5
35 1 soft- 3
40 0 switch 0 0 5
41 0 switch 5 1 0
50 1 soft+ 3
51 1 receive 0x1 lo 10 20 301
52 1 waking 5
53 1 soft- 3
END
is(why($o, 5, 34, [qw(chain sender)]), 'kind network; grade proved; chain thread 6 cpu 1 > softirq 3 NET_RX cpu 1 32; sender 30 6', 'a packet of the loopback has its sender');
is(why($o, 5, 52, [qw(sender)]), 'kind network; grade proved; sender - -', 'another packet in a reused buffer has no sender');

$o = of(<<'END');
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 arm 0xA 0xF
21 0 switch 5 1 0
30 1 vec+ local_timer
31 1 timer+ 0xA 0xF
32 1 waking 5
33 1 timer- 0xA
34 1 vec- local_timer
END
is(why($o, 5, 32, [qw(chain timer armed expired)]),
    'kind timer; grade proved; chain irq 251 local_timer cpu 1 30 > hrtimer cpu 1 31; timer 0xf; armed 20 5; expired yes', 'a timer ends a sleep');

$o = of(<<'END');
10 0 switch 0 0 20
20 0 switch 20 1 5
30 0 work 0xA
31 0 activate 0xA
32 0 waking 20
33 0 wakeup 20
40 0 switch 5 1 20
41 0 work+ 0xA
42 0 waking 5
43 0 work- 0xA
44 0 waking 6
50 0 switch 20 1 5
60 0 irq+ 9 x
61 0 work 0xB
62 0 waking 20
63 0 irq- 9
END
is(why($o, 20, 32, [qw(work queued)]), 'kind workqueue; grade proved; thread 5; work 0xf; queued 30 5', 'a thread queues the item of a worker');
is(why($o, 5, 42, [qw(work queued)]), 'kind thread; grade proved; thread 20; work 0xf; queued 30 5', 'the item wakes the thread');
is(why($o, 20, 62, [qw(chain queued)]), 'kind workqueue; grade proved; chain irq 9 x cpu 0 60; queued 61 -', 'an interrupt queues the item of a worker');

my $sleeps = "20 0 switch 0 0 21\n21 0 switch 21 1 5\n22 0 work 0xB\n23 0 work+ 0xD\n24 0 work- 0xD\n30 0 switch 5 1 20\n31 0 work+ 0xA\n32 0 work 0xC\n33 0 waking 21\n";
$o = of($sleeps);
is(why($o, 21, 33, [qw(queued)]), 'kind workqueue; grade inferred; thread 20; queued - -', 'a worker that goes to sleep wakes the next of its pool for the oldest item');
$o = of("${sleeps}34 0 switch 20 2 21\n35 0 work+ 0xB\n");
is(why($o, 21, 33, [qw(queued)]), 'kind workqueue; grade proved; thread 20; queued 22 5', 'the next worker executes that item');
$o = of("${sleeps}34 0 work 0xE\n35 0 switch 20 2 21\n36 0 work+ 0xE\n");
is(why($o, 21, 33, [qw(queued)]), 'kind workqueue; grade proved; thread 20; queued - -', 'an item queued later is not the reason');
$o = of("${sleeps}34 0 work- 0xA\n34 0 work+ 0xC\n35 0 switch 20 2 21\n36 0 work+ 0xB\n");
is(why($o, 21, 33, [qw(queued)]), 'kind workqueue; grade proved; thread 20; queued - -', 'an item is not the reason if another worker took one meanwhile');
$o = of("${sleeps}34 0 switch 20 2 21\n35 0 switch 21 2 0\n");
is(why($o, 21, 33, [qw(queued)]), 'kind workqueue; grade inferred; thread 20; queued - -', 'an item is not the reason if the worker sleeps first');

$o = of(<<'END');
10 0 switch 0 0 5
11 0 switch 5 1 6
11 0 call kill
12 0 waking 5
13 0 wakeup 5
14 0 signal 10 5 0
20 0 switch 6 0 5
20 0 call read
21 0 switch 5 1 6
22 0 call exit_group
22 0 waking 5
23 0 wakeup 5
24 0 signal 17 5 0 1
25 0 switch 6 0 5
26 0 call wait4
26 0 switch 5 1 6
27 0 waking 5
27 0 wakeup 5
27 0 signal 17 5 0 1
28 0 switch 6 0 5
28 0 switch 5 1 6
30 0 signal 17 5 1
31 0 waking 5
32 0 wakeup 5
33 0 exit 6
END
is(why($o, 5, 12, [qw(signal)]), 'kind signal; grade proved; thread 6; signal 10 SIGUSR1 6', 'the event of a signal comes after its wake-up');
is(why($o, 5, 22, [qw(signal)]), 'kind thread; grade proved; thread 6; signal 17 SIGCHLD 6', 'a child that exits may close a pipe before');
is(why($o, 5, 27, [qw(signal)]), 'kind signal; grade proved; thread 6; signal 17 SIGCHLD 6', '… but closing a pipe does not end wait4()');
is(why($o, 5, 31, [qw(signal)]), 'kind thread; grade proved; thread 6', 'a child that exits sends SIGCHLD, then wakes its parent');

$o = of(<<'END');
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 0
30 1 waking 5
32 0 wakeup 5
33 0 switch 0 0 5
40 1 signal 17 5 0
50 0 arm 0xA 0xE
51 0 switch 5 1 0
60 0 vec+ local_timer
61 0 timer+ 0xA 0xE
62 0 waking 5
63 0 wakeup 5
64 0 signal 47 5 0
65 0 timer- 0xA
END
is(why($o, 5, 30, [qw(signal)]), 'kind thread; grade proved; thread 6; signal 17 SIGCHLD 6', 'a thread that ran before the event of the signal was woken by something else');
is(why($o, 5, 62, [qw(signal timer armed)]), 'kind timer; grade proved; signal 47 - -; timer 0xe; armed 50 5', 'a timer sends a signal');

$o = of(<<'END', old => 1);
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 0
30 0 wakeup 5
40 0 switch 0 0 5
41 0 switch 5 1 0
42 1 switch 6 1 0
50 0 wakeup 5
60 0 switch 0 0 5
61 0 switch 5 1 0
62 0 wakeup 5
70 0 switch 0 0 5
71 1 switch 0 0 6
72 0 switch 5 1 0
73 1 soft+ 9
74 1 migrate 5 1 0
75 1 soft- 9
76 0 wakeup 5
END
is(why($o, 5, 30), 'kind thread; grade inferred; thread 6', 'without sched_waking: the thread running on the other CPU woke it');
is(why($o, 5, 50), 'kind thread; grade inferred; thread 6', '… or the thread that had just left that CPU');
is(why($o, 5, 62), 'kind unknown; grade unknown', 'a thread that left before the wait began did not end it');
is(why($o, 5, 76, [qw(chain)]), 'kind softirq; grade inferred; chain softirq 9 RCU cpu 1 73', 'the context that moved the sleeper woke it');
$o = of(<<'END', old => 1);
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 7
30 0 wakeup 5
END
is(why($o, 5, 30), 'kind thread; grade inferred; thread 7', 'a thread that an interrupt may have interrupted is only inferred');

# Interrupt 8 comes after the bits were taken: its raise is left to ksoftirqd.
my $rounds = "10 0 switch 0 0 14\n11 0 switch 14 1 5\n20 0 irq+ 9 x\n21 0 raise 3\n22 0 irq- 9\n23 0 soft+ 3\n24 0 soft- 3\n30 0 irq+ 9 x\n31 0 raise 3\n";
my $waits = "36 0 soft+ 3\n37 0 soft- 3\n38 0 waking 14\n";
$o = of("${rounds}32 0 irq- 9\n33 0 irq+ 8 y\n34 0 raise 3\n35 0 irq- 8\n$waits");
is(why($o, 14, 38, [qw(chain hops)]), 'kind softirq; grade proved; chain irq 8 y cpu 0 33; hops irq=proved', 'ksoftirqd is woken for the raise before the first entry');
$o = of("${rounds}32 0 irq- 9\n33 0 irq+ 8 y\n33 0 raise 3\n34 0 irq- 8\n34 0 irq+ 7 z\n34 0 raise 3\n35 0 irq- 7\n$waits");
is(why($o, 14, 38, [qw(chain)]) =~ /grade inferred/, 1, 'of three raises, the one is only inferred');

# The IRQ thread of a line, and irq_work/0, while thread 6 runs on another CPU.
my $handled = "10 0 switch 0 0 15\n11 1 switch 0 0 6\n12 2 switch 0 0 7\n13 2 switch 7 1 0\n20 0 switch 15 1 0\n30 0 irq+ 9 x\n";
$o = of("${handled}32 0 irq- 9 2\n33 0 switch 0 0 8\n36 2 wakeup 15 2\n", old => 1);
is(why($o, 15, 36, [qw(chain remote)]), 'kind irq; grade inferred; chain irq 9 x cpu 0 30; remote cpu 2 36', 'the handler requested its thread, which wakes on another CPU');
$o = of("${handled}32 0 irq- 9 1\n33 0 switch 0 0 8\n36 2 wakeup 15 2\n", old => 1);
is(why($o, 15, 36, [qw(chain)]), 'kind unknown; grade unknown', 'a handler that did not request its thread is not the cause');
$o = of("10 0 switch 0 0 16\n11 1 switch 0 0 6\n20 0 switch 16 1 0\n30 0 vec+ irq_work\n31 0 wakeup 16\n32 0 vec- irq_work\n", old => 1);
is(why($o, 16, 31, [qw(chain)]), 'kind ipi; grade proved; chain ipi irq_work cpu 0 30', 'irq_work/0 is woken by the IPI on its CPU');
$o = of("10 0 switch 0 0 16\n11 1 switch 0 0 6\n20 0 switch 16 1 0\n31 0 wakeup 16\n", old => 1);
is(why($o, 16, 31, [qw(chain)]), 'kind unknown; grade unknown', '… or by an unrecorded one: unknown');

$o = of(<<'END');
10 0 switch 0 0 14
11 0 switch 14 1 5
20 0 irq+ 9 x
21 0 raise 3
22 0 irq- 9
23 0 soft+ 3
24 0 soft- 3
25 0 waking 14
26 0 new 40
27 0 waking 6
END
is(why($o, 14, 25), 'kind softirq; grade inferred', 'ksoftirqd is woken by the end of the softirqs');
is(why($o, 40, 26), 'kind fork; grade proved; thread 5', 'a new thread is woken by its creator');

$o = of(<<'END');
10 0 switch 0 0 5
11 1 switch 0 0 6
20 0 switch 5 1 0
30 1 waking 5
33 0 vec+ call_function_single
35 0 wakeup 5
36 0 vec- call_function_single
END
is(why($o, 5, 30, [qw(chain remote)]), 'kind thread; grade proved; thread 6; remote cpu 0 35', 'a thread woken by another CPU is enqueued on its own');

# A batch: all are received before the first is delivered. TID 5 sent on the connection from port 1 to 9, then on that from 2 to 9.
$o = of(<<'END');
10 0 switch 0 0 5
11 0 send 0x1 eth0 1 9 100 5
11 1 switch 0 0 6
12 0 send 0x2 eth0 2 9 200 5
20 0 switch 5 1 0
20 1 switch 6 1 0
30 0 soft+ 3
31 0 receive 0x3 eth0 9 2 300 0
32 0 receive 0x4 eth0 9 2 300 8
33 0 receive 0x5 eth0 9 2 308 4
34 0 receive 0x6 eth0 9 1 400 1
35 0 waking 5
36 0 waking 6
37 0 soft- 3
END
is(why($o, 5, 35, [qw(packet)]), 'kind network; grade proved; packet eth0 tcp 127.0.0.2 port 9 127.0.0.1 port 2 300 7 52 32',
    'of a batch the first packet with data on the connection used last counts');
is(why($o, 6, 36, [qw(packet)]), 'kind network; grade proved; packet eth0 tcp 127.0.0.2 port 9 127.0.0.1 port 1 400 7 52 34', 'without a known connection the last packet of a batch counts');

done_testing;
