#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The time each CPU was in user mode, in system calls, interrupted, idle: from babeltrace2's text, to the nanosecond, for the whole trace and windows
# of it, against the intervals of the CPU's row and the sums that its cells are made of.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Wake;
use Oracle;
use Test::More;

# Interrupt contexts: the events that begin and end them.
my %begins = (irq_handler_entry => 'irq', irq_softirq_entry => 'softirq', timer_hrtimer_expire_entry => 'hrtimer');
my %ends = (irq_handler_exit => 'irq', irq_softirq_exit => 'softirq', timer_hrtimer_expire_exit => 'hrtimer');
my $vector = qr/^(?:x86_irq_vectors_)?(local_timer|reschedule|call_function(?:_single)?|irq_work|error_apic|spurious_apic|thermal_apic|deferred_error_apic|threshold_apic|x86_platform_ipi)_(entry|exit)$/;

# [from, to, state] of each CPU.  A switch names the thread that runs; the thread that the first switch of a CPU switches out ran before it.  A thread
# is in a system call from its entry to its exit, and in user mode from there to the next; a new thread is in the call that created it.
sub count {
	my ($trace) = @_;
	my (@events, %first, %mode, %cpus, %spans);
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
	while (<$f>) {
		my ($s, $ns, $name, $cpu) = /^\[(\d+)\.(\d{9})\] \(\S+\) (?:\S+ )?(\w+): \{ cpu_id = (\d+)/ or next;
		push @events, [$s * 1_000_000_000 + $ns, $name, $cpu, $_];
		$first{$cpu} //= $1 if $name eq 'sched_switch' && /prev_tid = (\d+)/;
	}
	close $f;
	my $calls = grep { $_->[1] =~ /^syscall_e/ } @events;
	my $put = sub {
		my ($cpu, $time) = @_;
		my $c = $cpus{$cpu};
		my $state = @{ $c->{stack} } ? 'interrupted' : !defined $c->{tid} ? 'unknown' : $c->{tid} == 0 ? 'idle' : $mode{ $c->{tid} } // 'running';
		push @{ $spans{$cpu} }, [$c->{since}, $time, $c->{state}] if defined $c->{state} && $c->{since} < $time;
		@$c{qw(since state)} = ($time, $state);
	};
	for (keys %first) {
		$cpus{$_} = { tid => $first{$_}, stack => [], since => $events[0][0] };
		$put->($_, $events[0][0]);
	}
	for (@events) {
		my ($time, $name, $cpu, $line) = @$_;
		my $c = $cpus{$cpu} or next;
		my $tid = $c->{tid};
		if ($name eq 'sched_switch') {
			($c->{tid}) = $line =~ /next_tid = (\d+)/;
			$c->{stack} = [];
		} elsif ($name =~ /^syscall_(entry|exit)/) {
			my $way = $1;
			$mode{$tid} = $way eq 'entry' && !Oracle::is_sigreturn($name, $line) ? 'syscall' : 'usermode' if defined $tid && $tid != 0;
		} elsif ($name eq 'sched_process_fork') {
			my ($parent, $child) = $line =~ /parent_tid = (\d+).*child_tid = (\d+)/;
			delete $mode{$child};
			$mode{$child} = $mode{$parent} if $mode{$parent};
			next;
		} elsif ($begins{$name}) {
			push @{ $c->{stack} }, $begins{$name};
		} elsif ($name =~ $vector && $2 eq 'entry') {
			push @{ $c->{stack} }, "vector $1";
		} elsif (my $what = $ends{$name} // ($name =~ $vector ? "vector $1" : undef)) {
			my ($at) = grep { $c->{stack}[$_] eq $what } reverse 0 .. $#{ $c->{stack} };
			splice @{ $c->{stack} }, $at if defined $at;
		} else {
			next;
		}
		$put->($cpu, $time);
	}
	$put->($_, $events[-1][0]) for keys %cpus;
	return (\%spans, $events[0][0], $events[-1][0], $calls);
}

my %traces = map { $_ => sample($_) } qw(lockfight ioburst-ipi pipeline inception);
$traces{'apt-install'} = "$ENV{SHARED_TRACES}/apt-install" if $ENV{SHARED_TRACES} && -d "$ENV{SHARED_TRACES}/apt-install";
for my $name (sort keys %traces) {
	my ($spans, $first, $last, $calls) = count($traces{$name});
	my $told = 0;
	for my $cpu (sort keys %$spans) {
		for my $window ([$first, $last], map { [map { $first + int(($last - $first) * $_ / 97) } $_, $_ + 5] } 3, 31, 64, 88) {
			my ($from, $to) = @$window;
			my $is = state_sums($from, $to, @{ $spans->{$cpu} });
			my $got = json_of(wakepath('states', $traces{$name}, '--cpu', $cpu, '--from', $from, '--to', $to, '--format', 'json'));
			my %cells = map { $got->{states}{$_} ? ($_ => $got->{states}{$_}) : () } keys %{ $got->{states} };
			is_deeply(state_sums($from, $to, map { [@$_{qw(from to state)}] } @{ $got->{intervals} }), $is, "$name: CPU $cpu from $from to $to: intervals");
			is_deeply(\%cells, $is, "$name: CPU $cpu from $from to $to: sums");
			$told += ($is->{usermode} // 0) + ($is->{syscall} // 0);
		}
	}
	is($told > 0, $calls > 0, "$name: modes where system calls were recorded, $calls events of these");
}
done_testing;
