#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A settable clock that was set forward: the timers' own clock shows it, or a pause longer than any machine makes.  A pause that both clocks show is no
# step.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ timer => 'hrtimer_expire_entry', [ [ 'void *' => 'hrtimer' ], [ s64 => 'now' ], [ 'void *' => 'function' ] ] ],
	[ timer => 'hrtimer_expire_exit', [ [ 'void *' => 'hrtimer' ] ] ],
);
my ($ms, $s) = (1_000_000, 1_000_000_000);
my $tai = 1_790_000_000 * $s;	# when CLOCK_MONOTONIC is 0

# The warning about steps of CLOCK if it goes on by STEPS (s) and the machine pauses for PAUSES (s), each after another 40 ms of a busy CPU.
sub warned {
	my ($clock, $timers, $steps, $pauses) = @_;
	my ($now, $ahead, @events) = (5 * $s, $tai);
	for my $i (0 .. 9) {
		for (1 .. 10) {
			$now += 4 * $ms;
			push @events, [ $now + $ahead, 0, 'hrtimer_expire_entry', 10, 9, hrtimer => 0x1000, now => $now - 2000, function => 0x2000 ], [ $now + $ahead + 3000, 0, 'hrtimer_expire_exit', 10, 9, hrtimer => 0x1000 ] if $timers;
			my ($from, $to) = $_ % 2 ? (10, 11) : (11, 10);
			push @events, [ $now + $ahead + 9000, 0, 'sched_switch', $from, 1, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => 1, next_comm => "t$to", next_pid => $to, next_prio => 120 ];
		}
		# After the step, the first timer is one that did not occur before.
		$ahead += ($steps->[$i] // 0) * $s;
		$now += ($pauses->[$i] // 0) * $s;
		push @events, [ $now + $ahead + $ms, 0, 'hrtimer_expire_entry', 10, 9, hrtimer => 0x3000, now => $now + $ms - 2000, function => 0x4000 + $i ], [ $now + $ahead + $ms + 3000, 0, 'hrtimer_expire_exit', 10, 9, hrtimer => 0x3000 ] if $timers;
	}
	my $path = "$ENV{TMPDIR}/clock.dat";
	spew($path, trace_dat(cpus => 1, clock => $clock, formats => \@formats, events => \@events));
	return join '; ', map { s/:.*//r } grep { /stepped/ } @{json_of(wakepath('info', $path, '--format', 'json'))->{traces}[0]{warnings}};
}

is(warned('tai', 1, [ 0, 3600 ], []), 'the clock stepped forward by 3600 s', 'an hour');
is(warned('tai', 1, [ 0, 3600, 0, 2 ], []), 'the clock stepped forward 2 times, by up to 3600 s', 'twice');
is(warned('tai', 1, [ 0, 30 ], [ 0, 20 ]), 'the clock stepped forward by 30.0 s', '… in a pause');
is(warned('tai', 1, [], [ 0, 300, 0, 20 ]), '', 'pauses alone');
is(warned('tai', 1, [], []), '', 'no step and no pause');
is(warned('mono', 1, [ 0, 3600 ], []), '', 'a clock that cannot be set');
is(warned('tai', 0, [ 0, 3600 ], []), 'the clock stepped forward by 3600 s', 'where no timers are recorded');
is(warned('tai', 0, [ 0, 20 ], []), '', '… a short pause shows nothing');

done_testing;
