#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Wake-ups that woke nobody (success=0), and reused TIDs, in files made for this test.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my @comm = ([ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ]);
my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_wakeup', [ @comm, [ int => 'success' ], [ int => 'target_cpu' ] ] ],
	[ sched => 'sched_process_exit', \@comm ],
);
my $second = 1_000_000_000;
sub switch { my ($ms, $from, $tid, $state, $to, $next) = @_; return [ $second + $ms * 1000, 0, 'sched_switch', $tid, 1, prev_comm => $from, prev_pid => $tid, prev_prio => 120, prev_state => $state, next_comm => $to, next_pid => $next, next_prio => 120 ] }
sub wakeup { my ($ms, $pid, $name, $tid, $success) = @_; return [ $second + $ms * 1000, 0, 'sched_wakeup', $pid, 1, comm => $name, pid => $tid, prio => 120, success => $success, target_cpu => 0 ] }
sub made { my ($name, $release, @events) = @_; my $path = "$ENV{TMPDIR}/$name.dat"; spew($path, trace_dat(cpus => 1, formats => \@formats, events => \@events, uname => "Linux made $release #1 SMP x86_64")); return $path }
sub threads { my ($path) = @_; return grep { $_->{tid} } @{json_of(wakepath('threads', $path, '--format', 'json'))->{threads}} }
sub states { my ($t) = @_; return join ' ', map { "$_ $t->{states}{$_}" } grep { $t->{states}{$_} } sort keys %{$t->{states}} }

# By hand: A leaves its CPU at 2 ms, success=0 at 3 ms, success=1 at 8 ms, A runs at 9 ms.
my $woken = made('success', '2.6.32', switch(1000, 'swapper/0', 0, 0, 'A', 100), switch(2000, 'A', 100, 1, 'B', 200), wakeup(3000, 200, 'A', 100, 0), wakeup(8000, 200, 'A', 100, 1),
	switch(9000, 'B', 200, 1, 'A', 100), switch(10000, 'A', 100, 1, 'swapper/0', 0));
my ($a) = grep { $_->{name} eq 'A' } threads($woken);
is(states($a), 'blocked 6000000 running 2000000 wait-cpu 1000000', 'success=0 wakes nobody');
my $wakeups = json_of(wakepath('wakeups', $woken, '--thread', 'A', '--format', 'json'))->{wakeups};
is(join(' ', map { "$_->{time} $_->{latency}" } @$wakeups), 1_008_000_000 . ' 1000000', 'its one wake-up');

# By hand: TID 100 is "first" from 1 ms to 2.001 ms, where it leaves dead, and "second" from 20 ms to 22 ms.
my @ends = ([ $second + 2_000_000, 0, 'sched_process_exit', 100, 0, comm => 'first', pid => 100, prio => 120 ], switch(2001, 'first', 100, 16, 'par', 50), switch(5000, 'par', 50, 1, 'swapper/0', 0));
for my $name ('second', 'first') {	# both may have the same name
	my $again = made($name, '6.12.0', switch(1000, 'par', 50, 1, 'first', 100), @ends, switch(20000, 'swapper/0', 0, 0, $name, 100), switch(22000, $name, 100, 1, 'swapper/0', 0));
	my @two = sort { $a->{first} <=> $b->{first} } grep { $_->{tid} == 100 } threads($again);
	is(join(', ', map { "$_->{name} " . states($_) } @two), "first running 1001000, $name running 2000000 unknown 17999000", "$name has the TID of first, which has ended");
	is(wakepath('verify', $again)->{status}, 0, 'the index is sound');
}

done_testing;
