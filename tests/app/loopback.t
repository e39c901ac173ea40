#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A packet on the loopback: the buffer that a thread queued is the one received, and without exits of polls that is proved only if the softirq polls
# the loopback's queue alone (proofs.md R5.6).
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ],
	[ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ],
	(map { [ irq => $_, [ [ 'unsigned int' => 'vec' ] ] ] } qw(softirq_entry softirq_exit softirq_raise)),
	(map { [ timer => $_, [ [ 'void *' => 'hrtimer' ], [ s64 => 'now' ], [ 'void *' => 'function' ] ] ] } qw(hrtimer_expire_entry)),
	[ timer => 'hrtimer_expire_exit', [ [ 'void *' => 'hrtimer' ] ] ],
	(map { my $vector = $_; map { [ irq_vectors => "${vector}_$_", [ [ int => 'vector' ] ] ] } qw(entry exit) } qw(local_timer reschedule call_function call_function_single irq_work)),
	(map { [ net => $_, [ [ 'void *' => 'skbaddr' ], [ 'unsigned int' => 'len' ], [ '__data_loc char[]' => 'name' ] ] ] } qw(net_dev_queue netif_receive_skb)),
);

my ($now, @events);
sub at { my ($name, $pid, $flags, @fields) = @_; push @events, [ $now += 1000, 0, $name, $pid, $flags, @fields ] }
sub switch { my ($from, $state, $to) = @_; at('sched_switch', $from, 1, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) }
sub irq { my ($pid, $flags, @raises) = @_; at('irq_handler_entry', $pid, $flags | 8, irq => 30, name => 'eth0'); at('softirq_raise', $pid, $flags | 8, vec => 3) for @raises; at('irq_handler_exit', $pid, $flags | 8, irq => 30, ret => 1) }
sub queue { my ($pid, $len, $skb) = @_; at('net_dev_queue', $pid, 1, skbaddr => $skb, len => $len, name => 'lo') }

# The cause of thread 10's wait, which thread 11 ends by a packet, with added events: BEFORE the softirq, and UPON it.
sub packet {
	my ($name, %does) = @_;
	($now, @events) = 1_000_000;
	for my $vector (qw(local_timer reschedule call_function call_function_single irq_work)) {	# all kinds of interrupts are recorded
		at("${vector}_$_", 0, 8, vector => 1) for qw(entry exit);
	}
	at("softirq_$_", 0, 16, vec => 9) for qw(entry exit);
	at('hrtimer_expire_entry', 0, 8, hrtimer => 0x99, now => 1, function => 0x9);
	at('hrtimer_expire_exit', 0, 8, hrtimer => 0x99);
	irq(0, 1);
	switch(0, 0, 10);
	switch(10, 1, 11);
	queue(11, 66, 0x1000);
	($does{before} // sub {})->();
	at('softirq_raise', 11, 1, vec => 3);
	at('softirq_entry', 11, 16, vec => 3);
	at('netif_receive_skb', 11, 16, skbaddr => 0x1000, len => $does{len} // 52, name => 'lo');
	($does{upon} // sub {})->();
	at('sched_waking', 11, 17, comm => 't10', pid => 10, prio => 120, target_cpu => 0);
	at('softirq_exit', 11, 16, vec => 3);
	switch(11, 1, 10);
	switch(10, 1, 0);
	spew("$ENV{TMPDIR}/$name.dat", trace_dat(formats => \@formats, events => \@events, cpus => 1));
	my ($w) = @{json_of(wakepath('wakeups', "$ENV{TMPDIR}/$name.dat", '--thread', 10, '--format', 'json'))->{wakeups}};
	my $p = $w->{source}{packet} // {};
	return join ' ', $w->{kind}, $p->{grade} // '-', $p->{sender} ? $p->{sender}{tid} : '-', @{$p->{doubts} // []};
}

is(packet('plain'), 'network proved 11', 'the buffer that thread 11 queued, in a softirq that it raised');
is(packet('again', before => sub { queue(12, 66, 0x1000) }), 'network inferred 12 no_poll', 'a buffer at the same address was queued again since, by another thread: the later one counts');
is(packet('long', len => 40), 'network inferred - no_poll', 'another length: the address was reused for another buffer');
is(packet('card', before => sub { irq(11, 1, 1) }), 'network inferred 11 no_poll', 'a card raised the softirq, too: its poll may have woken the thread');
is(packet('upon', upon => sub { irq(11, 16) }), 'network inferred 11 no_poll', 'a card interrupted the softirq: since Linux 6.4 it need not raise it again');

# ---- requests: thread 10 asks thread 11, in packets without headers ----

# FROM sends LENGTH bytes in a buffer at SKB, which are received and wake WAKES; returns the times of sending and receiving.
sub carry {
	my ($from, $length, $skb, $wakes) = @_;
	queue($from, $length, $skb);
	my $sent = $now;
	at('softirq_raise', $from, 1, vec => 3);
	at('softirq_entry', $from, 16, vec => 3);
	at('netif_receive_skb', $from, 16, skbaddr => $skb, len => $length - 14, name => 'lo');
	my $received = $now;
	at('sched_waking', $from, 17, comm => "t$wakes", pid => $wakes, prio => 120, target_cpu => 0) if $wakes;
	at('softirq_exit', $from, 16, vec => 3);
	return ($sent, $received);
}
($now, @events) = 1_000_000;
my @expected;
switch(0, 0, 11);
switch(11, 1, 10);
carry(10, 66, 0x2000, 11);	# it connects
switch(10, 0, 11);
switch(11, 1, 10);
for my $round (0 .. 2) {
	my ($from, $came) = carry(10, 110, 0x3000, $round == 1 ? undef : 11);	# once the server does not sleep
	switch(10, 1, 11);
	my ($replied, $to) = carry(11, 67, 0x3000, 10);	# in the same buffer
	switch(11, $round == 0 ? 0 : 1, 10);
	carry(10, 66, 0x4000, undef);	# an acknowledgement
	push @expected, join ' ', $from, $to, 10, 11, $came, $replied;
}
switch(10, 1, 0);
spew("$ENV{TMPDIR}/requests.dat", trace_dat(formats => \@formats, events => \@events, cpus => 1));
my $found = sub { json_of(wakepath('requests', "$ENV{TMPDIR}/requests.dat", @_, '--format', 'json'))->{requests} };
my $all = $found->();
my $words = sub { join ', ', map { join ' ', $_->{from}, $_->{to}, $_->{thread}{tid}, $_->{peer}{thread}{tid}, $_->{peer}{from}, $_->{peer}{to} } @{$_[0]} };
is($words->($all), join(', ', @expected), 'each request of the client, also one that wakes nobody');
is($words->($found->('--thread', 10)), join(', ', @expected), '... of the client alone');
is($words->($found->('--thread', 11)), join(', ', map { my @f = split / /; "$f[4] $f[5] 11 10 $f[0] $f[1]" } @expected), '... and as the server saw them');
is(join(' ', map { $_ // 'null' } @{$all->[0]}{qw(protocol connection)}, $all->[0]{request}{bytes}, $all->[0]{request}{packets}), 'null null null 1', 'without headers, connection and bytes are unknown');
like(wakepath('requests', "$ENV{TMPDIR}/requests.dat")->{out}, qr/\blo\b.*\b1 packet\b/, '... in the table, too');

done_testing();
