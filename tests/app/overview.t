#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `info --top`: where the time went, against babeltrace2's text.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(max min sum0);
use Test::More;

sub top_of {
	my (@args) = @_;
	my %parts;
	push @{ $parts{$_->{part}} }, $_ for @{ json_of(wakepath('info', '--top', @args, '--format', 'json'))->{top} };
	return \%parts;
}

# Lines of TRACE as { time, name, cpu, text }.
sub events_of {
	my ($trace) = @_;
	my @all;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', '--names=payload,context', $trace or die "babeltrace2: $!";
	while (<$f>) {
		/^\[(\d+)\.(\d{9})\] (?:\S+ )*?([\w:]+): \{ cpu_id = (\d+) \}, (.*)/ or next;
		push @all, { time => "$1$2", name => $3, cpu => $4, text => $5 };
	}
	close $f or die 'babeltrace2 failed';
	return \@all;
}

# Intervals in which each thread was on a CPU: { TID => [[cpu, from, to], …] }.  The first thread that a CPU switches out was there since the trace
# began.
sub on_cpu {
	my ($events) = @_;
	my (%at, %spans);
	for my $e (grep { $_->{name} eq 'sched_switch' } @$events) {
		my ($out, $in) = $e->{text} =~ /prev_tid = (\d+),.* next_tid = (\d+)/ or die;
		push @{ $spans{$out} }, [$e->{cpu}, $at{$e->{cpu}} // $events->[0]{time}, $e->{time}];
		@at{ $e->{cpu}, "in $e->{cpu}" } = ($e->{time}, $in);
	}
	push @{ $spans{ $at{"in $_"} } }, [$_, $at{$_}, $events->[-1]{time}] for grep { /^\d+$/ } keys %at;
	return \%spans;
}

sub length_of { return sum0(map { $_->[2] - $_->[1] } @_) }

# Intervals in which a CPU was in interrupts, the outermost ones: ([cpu, from, to], …).
sub interrupts_of {
	my ($events) = @_;
	my (%depth, %begun, @interrupts);
	for my $e (@$events) {
		my ($way) = $e->{name} =~ /(?:irq|handler|vectors\w*|local_timer|hrtimer_expire|softirq)_(entry|exit)$/ or next;
		my $d = \$depth{ $e->{cpu} };
		if ($way eq 'entry') { $begun{ $e->{cpu} } = $e->{time} if !$$d++ }
		elsif ($$d && !--$$d) { push @interrupts, [$e->{cpu}, $begun{ $e->{cpu} }, $e->{time}] }
	}
	return @interrupts;
}

# Intervals in which TID was runnable and not running: ([cpu, from, to], …), with the CPU that it ran on then.
sub runnable {
	my ($events, $spans, $tid) = @_;
	my @own = grep { $_->{name} =~ /^sched_(?:switch|wak)/ && $_->{text} =~ /\b(?:prev_|next_)?tid = $tid\b/ } @$events;
	my @runnable;
	for my $i (0 .. $#{ $spans->{$tid} } - 1) {
		my ($cpu, undef, $out) = @{ $spans->{$tid}[$i] };
		my ($switch) = grep { $_->{time} == $out && $_->{cpu} == $cpu && $_->{name} eq 'sched_switch' } @own;
		my ($next, $in) = @{ $spans->{$tid}[$i + 1] };
		my ($woken) = grep { $_->{time} > $out && $_->{time} < $in && $_->{name} =~ /^sched_wak/ && $_->{text} =~ /\btid = $tid\b/ } @own;
		push @runnable, [$next, $woken->{time}, $in] if $woken;
		# 256: preempted (TASK_REPORT_MAX, __trace_sched_switch_state() in include/trace/events/sched.h).
		push @runnable, [$cpu, $out, $in] if $switch->{text} =~ /prev_state = (?:0\b|256\b|\( "TASK_RUNNING" : container = 0)/;
	}
	return @runnable;
}

# For how long of each of RUNNABLE the thread of SPANS had the CPU, without INTERRUPTS; only where that is more than 0.
sub had_cpu {
	my ($spans, $runnable, $interrupts) = @_;
	my $common = sub { my ($x, $y) = @_; $x->[0] == $y->[0] ? max(0, min($x->[2], $y->[2]) - max($x->[1], $y->[1])) : 0 };
	return grep { $_ } map {
		my $wait = $_;
		sum0(map {
			my $run = [$_->[0], max($_->[1], $wait->[1]), min($_->[2], $wait->[2])];
			$run->[1] < $run->[2] && $_->[0] == $wait->[0] ? length_of($run) - sum0(map { $common->($run, $_) } @$interrupts) : 0
		} @$spans);
	} @$runnable;
}

# ---- pipeline ----

{
	my $trace = sample('pipeline');
	my $events = events_of($trace);
	my $top = top_of($trace, '--show-tracer');
	my $spans = on_cpu($events);
	my @interrupts = interrupts_of($events);
	my %ran = map { ($_ => sum0(had_cpu($spans->{$_}, [map { [$_->[0], $_->[1], $_->[2]] } @{ $spans->{$_} }], \@interrupts))) } grep { $_ } keys %$spans;
	my @most = sort { $ran{$b} <=> $ran{$a} } keys %ran;
	is_deeply([map { [$_->{nr}, $_->{time}] } @{ $top->{cpu} }], [map { [$_, $ran{$_}] } @most[0 .. 4]],
		'threads by time on CPUs, without interrupts');
	my $life = $events->[-1]{time} - $events->[0]{time};
	cmp_ok(abs($top->{cpu}[0]{share} - $top->{cpu}[0]{time} / $life), '<', 1e-6, '… as a share of the trace');

	for my $line (@{ $top->{cpu} }) {
		my ($span) = grep { $_->[1] <= $line->{from} && $line->{to} <= $_->[2] } @{ $spans->{ $line->{nr} } };
		ok($span && $line->{from} < $line->{to}, "$line->{name}: leads to a time at which it was on a CPU");
	}

	my (%entry, %irq, %longest);
	for my $e (@$events) {
		my ($way) = $e->{name} =~ /^irq_handler_(entry|exit)$/ or next;
		my ($nr) = $e->{text} =~ /irq = (\d+)/;
		if ($way eq 'entry') { $entry{"$nr $e->{cpu}"} = $e->{time} }
		else {
			my $begin = delete $entry{"$nr $e->{cpu}"};
			my $length = $e->{time} - $begin;
			$irq{$nr} += $length;
			$longest{$nr} = [$length, $begin, $e->{time}] if $length > ($longest{$nr} // [0])->[0];
		}
	}
	my @lines = grep { $_->{name} =~ /^IRQ/ } @{ $top->{interrupts} };
	cmp_ok(scalar @lines, '>', 0, 'an interrupt line is among the busiest');
	is_deeply([map { $_->{time} } @lines], [map { $irq{ $_->{nr} } } @lines], '… with its time');
	is_deeply([map { [$_->{from}, $_->{to}] } @lines], [map { [@{ $longest{ $_->{nr} } }[1, 2]] } @lines], '… and its longest at that time');

	# A pipe's stage loses time whenever it is off its CPU, except while wk-pipe-main sleeps 3 ms before each of the 11 items after the
	# first.
	my ($stage) = grep { $_->{name} =~ /^wk-stage0/ } @{ $top->{waiting} };
	my @spans = @{ $spans->{ $stage->{nr} } };
	my $off = sum0(map { $spans[$_ + 1][1] - $spans[$_][2] } 0 .. $#spans - 1);
	my ($fork) = map { $_->{time} } grep { $_->{name} eq 'sched_process_fork' && $_->{text} =~ /child_tid = $stage->{nr}\b/ } @$events;
	cmp_ok($stage->{time}, '>=', $off - 11 * 3_100_000, 'time lost');
	cmp_ok($stage->{time}, '<=', $off + $spans[0][1] - $fork - 11 * 2_900_000, '… plus the time from its fork to its first run at most');

	my $worst = $top->{wakeup}[0];
	my ($woken) = grep { $_->{time} == $worst->{from} } @$events;
	like($woken->{name}, qr/^sched_wak/, 'the latest after a wake-up: woken');
	my ($in) = grep { $_->{time} > $worst->{from} && $_->{name} eq 'sched_switch' && $_->{text} =~ /next_tid = $worst->{nr}\b/ } @$events;
	is($in->{time} - $worst->{from}, $worst->{time}, '… and ran that much later');
	my @worst = sort { $b <=> $a } map { $_->{latency} } @{ json_of(wakepath('latency', $trace, '--kind', 'wakeup', '--top', 5, '--format', 'json'))->{worst} };
	is_deeply([map { $_->{time} } @{ $top->{wakeup} }], \@worst, '… as in latency');
	unlike(wakepath('info', '--top', $trace)->{out}, qr/\n *\d\S* \S+ +.*lttng-consumerd\[.*AT/s, 'the tracer is left out');
}

# ---- preempt: the users of the CPU ----

{
	my $trace = sample('preempt');
	my $events = events_of($trace);
	my $spans = on_cpu($events);
	my ($rt) = map { /next_comm = "wk-rt", next_tid = (\d+)/ ? $1 : () } map { $_->{text} } @$events;
	my ($victim) = map { /next_comm = "wk-victim", next_tid = (\d+)/ ? $1 : () } map { $_->{text} } @$events;
	my @parts = had_cpu($spans->{$rt}, [runnable($events, $spans, $victim)], [interrupts_of($events)]);
	my ($taken) = @{ top_of($trace)->{taken} };
	like($taken->{name}, qr/^wk-rt\[$rt\]$/, 'the thread that had the CPU');
	like($taken->{what}, qr/, from wk-victim\[$victim\]$/, '… and the one it was taken from');
	is($taken->{to} - $taken->{from}, max(@parts), '… the longest');
	is($taken->{what}, 'longest ' . duration(max(@parts)) . ", from wk-victim[$victim]", '… according to the text');
	is($taken->{time}, sum0(@parts), '… in all');
	is($taken->{count}, scalar @parts, '… with the count');
}

# ---- a virtual CPU that others kept from its host's CPU ----

{
	my $events = events_of(sample('vm-preempt/host'));
	my $spans = on_cpu($events);
	my ($pulse) = map { /next_comm = "wk-pulse", next_tid = (\d+)/ ? $1 : () } map { $_->{text} } @$events;
	my ($vcpu) = map { $_->{text} =~ /prev_comm = "CPU 0\/KVM", prev_tid = (\d+)/ ? $1 : () } grep { $_->{name} eq 'sched_switch' } @$events;
	my @runnable = runnable($events, $spans, $vcpu);
	my @parts = had_cpu($spans->{$pulse}, \@runnable, [interrupts_of($events)]);
	my $life = $events->[-1]{time} - $events->[0]{time};
	my @lines = @{ top_of(sample('vm-preempt/host'))->{vcpus} };	# in its own time: listed with its guest, which comes first, it is in the guest's time
	is_deeply([map { [$_->{nr}, $_->{time}] } @lines], [[$vcpu, length_of(@runnable)]], 'a virtual CPU, and the time it was not scheduled');
	cmp_ok(abs($lines[0]{share} - length_of(@runnable) / $life), '<', 1e-4, '… of the recording of its host');
	is($lines[0]{what}, sprintf('%.0f%% taken by wk-pulse[%d]', 100 * sum0(@parts) / length_of(@runnable), $pulse), '… and its culprit');
	is(top_of(sample('vm-preempt'))->{vcpus}[0]{what}, $lines[0]{what} =~ s/wk-pulse/host\/$&/r . '; it is guest1/CPU 0', '… and, listed with its guest, the guest\'s name');
	is($lines[0]{to} - $lines[0]{from}, max(@parts), '… the longest that one thread had its CPU');
	unlike(wakepath('info', '--top', sample('preempt'))->{out}, qr/Virtual CPU/, 'without virtual CPUs there are none in the text');
}

# ---- several hosts ----

{
	my $trace = sample('rpc-chain');
	my $top = top_of($trace);
	my @all = grep { $_->{request}{packets} && $_->{reply}{packets} && ($_->{thread} || ($_->{peer} && $_->{peer}{thread})) }
		@{ json_of(wakepath('requests', $trace, '--format', 'json'))->{requests} };
	my %pairs;
	for my $x (@all) {
		my ($own, $peer) = map { $_->{thread} ? "$_->{host}/" . $_->{thread}{name} : $_->{host} // '?' } $x, $x->{peer} // {};
		my $pair = $x->{asked} ? "$own > $peer" : "$peer > $own";
		push @{ $pairs{$pair} }, $x->{duration} if $pair !~ m{/sshd?\b};
	}
	my @pairs = map { my @sorted = sort { $b <=> $a } @{ $pairs{$_} }; [$sorted[0], scalar @sorted] } sort { max(@{ $pairs{$b} }) <=> max(@{ $pairs{$a} }) } keys %pairs;
	is_deeply([map { [$_->{time}, $_->{count}] } @{ $top->{requests} }], [@pairs[0 .. $#{ $top->{requests} }]], 'one line for each client and server except ssh: the slowest request, and their number');
	my %error = map { $_->{host} => $_->{error_ns_max} } @{ json_of(wakepath('sync', $trace, '--format', 'json'))->{hosts} };
	is_deeply({ map { $_->{host} => $_->{clock_error_ns} } @{ json_of(wakepath('info', $trace, '--format', 'json'))->{traces} } }, \%error,
		"info gives the error of each clock");
	like(wakepath('info', $trace)->{out}, qr/^  host +db\n(?:  .*\n)*?  clock +±12\.1 ms against client\n/m, '… in the text, too');
	my %groups = map { $_->{name} => $_ } @{ json_of(wakepath('latency', $trace, '--kind', 'block', '--by', 'device', '--hide-tracer', '--format', 'json'))->{groups} };
	is_deeply([map { [$_->{time}, $_->{count}] } @{ $top->{disks} }],
		[map { [$_->{max}, $_->{count}] } sort { $b->{max} <=> $a->{max} } values %groups], 'each disk with its slowest request');
}

# ---- missing events, and other formats ----

my $text = wakepath('info', '--top', sample('offcpu-stacks'))->{out};
like($text, qr/\nRequests over the network that took longest\n.*requests are unknown without net_dev_queue and net_if_receive_skb, not recorded\n/, 'missing events are named');
my ($header, @rows) = @{ csv_of(wakepath('info', '--top', sample('pipeline'), '--format', 'csv')) };
is_deeply($header, [qw(part time share count name what host nr from to)], 'CSV has the lines of all parts');
is(scalar(grep { $_->[0] eq 'cpu' } @rows), 5, '… five of each');
is(json_of(wakepath('info', sample('pipeline'), '--format', 'json'))->{top}, undef, 'without --top there is none');
done_testing;
