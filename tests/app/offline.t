#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Switches without an event that are not missing: the last one of a CPU that goes offline (proofs.md R25.9), and events recorded during a switch, while
# the thread that leaves is still `current`, however late.  The recordings are made here, event by event.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ power => 'cpu_idle', [ [ u32 => 'state' ], [ u32 => 'cpu_id' ] ] ],
	[ ftrace => 'kernel_stack', [ [ int => 'size' ] ] ],
	[ osnoise => 'thread_noise', [ [ char => 'comm[16]' ], [ u64 => 'start' ], [ u64 => 'duration' ], [ pid_t => 'pid' ] ] ],
);
my $ms = 1_000_000;
my %name = (0 => 'swapper', 10 => 'worker', 11 => 'sleeper', 30 => 'migration/1');
sub switch {
	my ($time, $cpu, $from, $state, $to) = @_;
	return [ $time, $cpu, 'sched_switch', $from, 1, prev_comm => $name{$from}, prev_pid => $from, prev_prio => 120, prev_state => $state,
		next_comm => $name{$to}, next_pid => $to, next_prio => 120 ];
}
sub idles { my ($time, $cpu) = @_; return [ $time, $cpu, 'cpu_idle', 0, 1, state => 1, cpu_id => $cpu ] }
my $n = 0;
sub made {
	my (@events) = @_;
	my $file = "$ENV{TMPDIR}/made" . $n++ . '.dat';
	spew($file, Ftrace::trace_dat(formats => \@formats, events => [ sort { $a->[0] <=> $b->[0] } @events ], cpus => 2));
	return $file;
}
sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }
sub states { my ($file, @of) = @_; return join ' ', map { "$_->{state} " . ($_->{to} - $_->{from}) } @{ json_of(wakepath('states', $file, @of, '--format', 'json'))->{intervals} } }

# The machine idles; CPU 1 is taken down by its stopper at 20 ms, and comes up again, in the idle thread, at 120 ms.
sub before { return (switch(1 * $ms, 0, 11, 1, 0), switch(2 * $ms, 1, 10, 1, 0), switch(18 * $ms, 1, 0, 0, 30), [ 19 * $ms, 1, 'sched_waking', 30, 1, comm => 'worker', pid => 10, prio => 120, target_cpu => 0 ],
	switch(19 * $ms + 1000, 0, 0, 0, 10)) }
my @machine = (switch(21 * $ms, 0, 10, 1, 0), (map { idles(30 * $ms + 10 * $_ * $ms, 0) } 0 .. 11));
sub after { return (idles(120 * $ms, 1), switch(130 * $ms, 1, 0, 0, 30), switch(131 * $ms, 1, 30, 1, 0), switch(140 * $ms, 0, 0, 0, 11), switch(145 * $ms, 0, 11, 1, 0)) }
my $off = made(before(), @machine, after());
my $info = info($off);
is_deeply($info->{warnings}, [], 'a CPU goes off-line: no switch is missing, and tracing was not off');
is_deeply($info->{gaps}, [], '… nothing is lost');
like(join("\n", @{ $info->{notes} }), qr/^off-line, and shown as idle: CPU 1 for 101 ms, from 18\.0 ms after the start on$/m, '… and a note says so');
like(states($off, '--cpu', 1), qr/running \d+ idle 100999999 idle 10000000 running 1000000 idle/, '… from its last event to its next one it is idle, off-line');
is(join(' ', map { $_->{to} - $_->{from} } grep { ($_->{detail} // '') eq 'off-line' } @{ json_of(wakepath('states', $off, '--cpu', 1, '--format', 'json'))->{intervals} }), 100999999, '… with the detail off-line');
like(states($off, '--thread', 'migration/1'), qr/running 1000001 blocked 11099\d{4} running 1000000 blocked/, '… and its stopper sleeps');
unlike(states($off, '--thread', 'sleeper'), qr/unknown/, '… no other thread is unknown');

# The events of a thread that is no stopper, or is that of another CPU: a switch is missing.
for my $who (['worker', 10], ['migration/0', 30]) {
	local $name{30} = $who->[0];
	my $missing = made(before(), @machine, after());
	like(join("\n", @{ info($missing)->{warnings} }), qr/cpu1: 1 time a thread ran that was not the last one switched in/, "$who->[0] does not take CPU 1 down");
	is_deeply(info($missing)->{notes}, [], '… and no note calls it off-line');
}

# CPU 1 stays down: the end of its stopper's run is unknown.
like(states(made(before(), @machine), '--cpu', 1), qr/running \d+ unknown \d+$/, 'off-line to the end: unknown');

# CPU 1 stays down, and cpuhp_exit of the thread that took it down shows that: the state is unknown until that event, and idle from then on.
push @formats, [ cpuhp => 'cpuhp_enter', [ [ uint => 'cpu' ], [ int => 'target' ], [ int => 'idx' ], [ 'void *' => 'fun' ] ] ], [ cpuhp => 'cpuhp_exit', [ [ uint => 'cpu' ], [ int => 'state' ], [ int => 'idx' ], [ int => 'ret' ] ] ];
sub takes { my ($ret) = @_; return ([ 19.5 * $ms, 0, 'cpuhp_enter', 10, 1, cpu => 1, target => 0, idx => 143, fun => 0 ], [ 20.5 * $ms, 0, 'cpuhp_exit', 10, 1, cpu => 1, state => 84, idx => 143, ret => $ret ]) }
like(states(made(before(), takes(0), @machine), '--cpu', 1), qr/running \d+ unknown \d+ idle 119500000$/, 'off-line to the end, as cpuhp_exit shows');
like(states(made(before(), takes(-16), @machine), '--cpu', 1), qr/running \d+ unknown \d+$/, '… but not if that failed');
like(states(made(before(), takes(0), @machine, after()), '--cpu', 1), qr/running \d+ idle 100999999 idle 10000000 running 1000000 idle/, '… the states of a CPU that comes back do not change');
like(join("\n", @{ info(made(before(), takes(0), @machine, after()))->{notes} }), qr/^off-line, and shown as idle: CPU 1 for 101 ms \(by worker\[10\]\), from 18\.0 ms after the start on$/m, '… but the note names the thread that did it');

# A stack, and a thread_noise event of the thread, are recorded during the switch, here 2 ms late.
for my $part ([ 'kernel_stack', size => 1 ], [ 'thread_noise', comm => 'worker', start => 1, duration => 2, pid => 10 ]) {
	my ($name, @fields) = @$part;
	my @game = map { my $t = 10 * $_ * $ms; (switch($t, 1, 0, 0, 10), [ $t + 2 * $ms, 1, $name, 0, 1, @fields ], switch($t + 4 * $ms, 1, 10, 1, 0), [ $t + 6 * $ms, 1, $name, 10, 1, @fields ]) } 1 .. 9;
	my $file = made(switch(1 * $ms, 0, 11, 1, 0), @game);
	is_deeply(info($file)->{warnings}, [], "$name, late: no switch is missing");
	is(states($file, '--thread', 'worker', '--from', '+20ms') =~ /unknown/, '', '… nothing is unknown');
	my @said = map { $_->{tid} } grep { $_->{name} =~ /$name/ } @{ json_of(wakepath('events', $file, '--top', 0, '--format', 'json'))->{events} };
	shift @said;	# before the first switch, nothing is known of the CPU
	is("@said", join(' ', 10, map { (0, 10) } 2 .. 9), '… each is of the thread that leaves, in the list of events, too');
	is(scalar(() = wakepath('events', $file, '--thread', 'worker', '--name', $name, '--top', 0, '--format', 'csv')->{out} =~ /$name/g), 9, '… and a filter by thread finds them');
}

# A suspend that ends, and one beyond the end of the trace; its parts are named by the kernel's text in the file.
sub suspends { my ($time, $action, $start) = @_; return [ $time, 0, 'suspend_resume', 0, 0, action => $action, val => 0, start => $start ] }
push @formats, [ power => 'suspend_resume', [ [ '__data_loc char[]' => 'action' ], [ int => 'val' ], [ int => 'start' ] ] ];
my @suspends = (suspends(20 * $ms, 'freeze_processes', 1), suspends(22 * $ms, 'freeze_processes', 0), suspends(50 * $ms, 'thaw_processes', 1), suspends(51 * $ms, 'thaw_processes', 0));
like(join("\n", @{ info(made(switch(10 * $ms, 0, 11, 1, 0), @suspends, idles(60 * $ms, 0)))->{notes} }), qr/^suspended: user threads were frozen for 31\.0 ms, from 10\.0 ms after the start on, by swapper\[0\]$/, 'a suspend');
like(join("\n", @{ info(made(switch(10 * $ms, 0, 11, 1, 0), @suspends[0, 1], idles(60 * $ms, 0)))->{notes} }), qr/^suspended: user threads were frozen for 40\.0 ms or longer,/, 'a suspend that goes on');

# ---- recorded ----

my $machines = "$ENV{TOP}/../shared/recordings/machines";
SKIP: {
	skip 'no recordings of machines', 13 if !-d $machines;
	for (['x64-hotplug', 2], ['x64-suspend-boot', 7], ['x64-stacks', 0]) {
		my ($name, $times) = @$_;
		my $info = info("$machines/$name/trace.dat");
		is_deeply($info->{gaps}, [], "$name: nothing is lost");
		is(scalar(grep { /another thread ran|no CPU recorded anything/ } @{ $info->{warnings} }), 0, "$name: no switch is missing, tracing was not off");
		my ($note) = grep { /^off-line/ } @{ $info->{notes} };
		is(scalar(() = ($note // '') =~ /CPU \d+ for/g), $times, "$name: the number of CPUs that went off-line");
		next if $name ne 'x64-suspend-boot';
		# freeze_processes begins at 79.496323306, thaw_processes ends at 90.653964070 (trace-cmd report); the trace begins at 78.721373934.
		like(join("\n", @{ $info->{notes} }), qr/^suspended: user threads were frozen for 11\.2 s, from 775 ms after the start on, by susp\[431\]; time-keeping stopped for 9\.45 s to 9\.49 s: CLOCK_MONOTONIC stood still, the trace's clock, boot, went on$/m, "$name: the suspend");
	}
}

done_testing();
