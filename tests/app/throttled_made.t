#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Quotas in files of perf record made for this test, where timers' functions are addresses: named by --kallsyms, on an idle and on a busy CPU; overruns
# are paid back.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use PerfData;
use Test::More;

my ($period, $quota, $start) = (100_000, 20_000, 1_000_000);	# µs
my ($cfs, $tick) = (0xffff800081234560, 0xffff800081200000);
my $kallsyms = "$ENV{TMPDIR}/kallsyms";
spew($kallsyms, sprintf "%x t tick_nohz_handler\n%x t sched_cfs_period_timer\n%x t sched_cfs_slack_timer\n", $tick, $cfs, $cfs + 0x100);

my ($idle, $quotad, $other) = (['swapper', 0], ['quotad', 10], ['other', 20]);

# A file NAME with a group whose thread wants all of CPU 0.  In each of its runs the kernel notices only LATE µs later that the quota is used up; while the
# group is throttled, BESIDE has the CPU.  By the rules of the kernel the group pays an overrun back before it goes on.  Returns the time (µs) for
# which it is throttled, and the file.
sub made {
	my ($name, $beside, @late) = @_;
	my $p = PerfData->new(names => [qw(sched:sched_switch timer:hrtimer_expire_entry timer:hrtimer_expire_exit)], online => 1);
	my $at = sub { my ($event, $us, $tid, %fields) = @_; $p->event($event, $us * 1000, 0, $tid, $tid, \%fields) };
	my $switch = sub { my ($us, $from, $to) = @_; $at->('sched:sched_switch', $us, $from->[1], prev_comm => $from->[0], prev_pid => $from->[1], prev_prio => 120, prev_state => 0, next_comm => $to->[0], next_pid => $to->[1], next_prio => 120) };
	my $expire = sub { my ($us, $tid, $function) = @_; $at->('timer:hrtimer_expire_entry', $us, $tid, hrtimer => 0x1000, now => $us * 1000, function => $function); $at->('timer:hrtimer_expire_exit', $us + 5, $tid, hrtimer => 0x1000) };
	my ($end, $left, $stopped) = ($start, $quota, 0);
	$switch->($start - 1000, $beside, $quotad);
	$expire->($start, 10, $cfs);
	my $now = $start;
	for my $late (@late) {
		my $out = $now + $left + $late;
		for (; $end + $period < $out; $end += $period) {	# a period ends while it runs: it gets another quota
			$expire->($end + $period, 10, $cfs);
		}
		$left -= $out - $now;
		$switch->($out, $quotad, $beside);
		for ($end += $period; ; $end += $period) {
			$expire->($end, $beside->[1], $cfs);
			$left = $left + $quota > $quota ? $quota : $left + $quota;
			last if $left > 0;
		}
		$stopped += $end - $out;
		$now = $end + 50;
		$switch->($now, $beside, $quotad);
		$expire->($now + 2000, 10, $tick);
	}
	$switch->($now + 3000, $quotad, $beside);
	my $file = "$ENV{TMPDIR}/$name.data";
	spew($file, $p->bytes);
	return ($stopped, $file);
}

my @late = (1000, 400, 3000, 2500, 45_000, 1500, 900, 3700, 30_000, 2000);
for my $beside ($idle, $other) {
	my ($stopped, $file) = made($beside->[0], $beside, @late);
	my $r = wakepath('why', $file, '--thread', 'quotad', '--kallsyms', $kallsyms, '--format', 'json');
	is($r->{status}, 0, "beside $beside->[0]") or diag $r->{err};
	my ($part) = grep { $_->{phase} eq 'throttled' } @{json_of($r)->{blame}};
	is($part->{name}, 'CPU quota: about 20.0 ms of every 100 ms', '… the quota and the period as set');
	is($part->{time} // 0, $stopped * 1000, '… for the time that it was throttled');
	is($part->{grade}, 'inferred', '… with grade inferred');
	my ($cause) = grep { $_->{kind} eq 'throttled' } @{json_of(wakepath('causes', $file, '--kallsyms', $kallsyms, '--format', 'json'))->{causes}};
	is("$cause->{count} $cause->{time}", @late . ' ' . $stopped * 1000, '… among all causes');
	like(json_of(wakepath('latency', $file, '--kind', 'preempted', '--kallsyms', $kallsyms, '--format', 'json'))->{worst}[0]{cause}, qr/^throttled .*, CPU quota: about 20\.0 ms of every 100 ms$/, '… and of latencies');
}

done_testing;
