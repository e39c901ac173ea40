#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Suspends and CPUs that go offline (proofs.md R26): the waits for them are computed here from the text of trace-cmd, by the rules alone; then two
# waits that were looked up by hand, and equal events made here, with and without those of a suspend.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $machines = "$ENV{TOP}/../shared/recordings/machines";

# [ns, CPU, comm, TID, is in an interrupt, event, text]…
sub reported {
	my ($file) = @_;
	my @events;
	open my $in, '-|', "trace-cmd report -t -l -i '$file' 2>/dev/null" or die;
	while (<$in>) {
		my ($comm, $tid, $cpu, $flags, $time, $name, $text) = /^\s*(.*)-(\d+)\s+(\d+)(\S+)\s+([\d.]+): (\S+):\s*(.*)/ or next;
		$time =~ s/\.//;
		push @events, [ $time, $cpu + 0, $comm, $tid, $flags =~ /[hHsZ]/ ? 1 : 0, $name, $text ];
	}
	close $in;
	return @events;
}

# By the rules: waits that a suspend ended, and waits for a CPU's part in going offline or online, as "TID TIME"; each CPU's last event before it was
# offline, and its first one after.
sub ruled {
	my (@events) = @_;
	my (%left, %state, %step, $frozen, $thaws, @thawed, @hotplug, %seen, %off, %stopper);
	for (@events) {
		my ($time, $cpu, $comm, $tid, $interrupt, $name, $text) = @$_;
		if ($stopper{$cpu} && $tid == 0) { push @{ $off{$cpu} }, [ $seen{$cpu} + 1, $time ] }
		delete $stopper{$cpu} if $tid == 0;
		$seen{$cpu} = $time;
		if ($name eq 'sched_switch') {
			my ($from, $state, $to) = $text =~ /:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]/ or die $text;
			($left{$from}, $state{$from}) = ($time, $state);
			delete $left{$to};
			$stopper{$cpu} = $text =~ m{==> migration/$cpu:};
		} elsif ($name eq 'suspend_resume') {
			$frozen = $time if $text eq 'freeze_processes[0] end';
			$thaws = $tid if $text eq 'thaw_processes[0] begin';
			$thaws = undef if $text eq 'thaw_processes[0] end';
		} elsif ($name =~ /^cpuhp_(multi_)?enter$/ && $comm !~ m{^cpuhp/}) {
			my ($of, $target, $number) = $text =~ /cpu: 0*(\d+) target:\s*(\d+) step:\s*(\d+)/ or die $text;
			$step{$tid} = [ $of, $target >= $number, $time ];
		} elsif ($name eq 'cpuhp_exit') {
			delete $step{$tid};
		} elsif ($name eq 'sched_waking') {
			my ($who) = $text =~ /\bpid=(\d+)/ or die $text;
			my ($since, $state, $s) = (delete $left{$who}, $state{$who}, $step{$who});
			next if !defined $since || $interrupt || $state =~ /^R/;
			push @thawed, "$who $time" if defined $thaws && $tid == $thaws && $state =~ /^[SD]/ && $since <= $frozen;
			push @hotplug, "$who $time" if $s && $since >= $s->[2] && $state =~ /^D/ && ($comm eq "cpuhp/$s->[0]" || ($s->[1] && $tid == 0 && $cpu == $s->[0]));
		}
	}
	return (\@thawed, \@hotplug, \%off);
}

# The wake-ups of KIND of THREADS in FILE, in the form of ruled().
sub told {
	my ($file, $kind, @threads) = @_;
	return [ sort map { my $tid = $_; map { "$tid $_->{time}" } grep { $_->{source}{kind} eq $kind } @{ json_of(wakepath('wakeups', $file, '--thread', $tid, '--format', 'json'))->{wakeups} } } @threads ];
}

SKIP: {
	skip 'no recordings of machines', 14 if !-d $machines;
	for (['x64-suspend-boot', 14, 27], ['x64-hotplug', 0, 8]) {
		my ($name, $n_thawed, $n_hotplug) = @$_;
		my $file = "$machines/$name/trace.dat";
		my @events = reported($file);
		my ($thawed, $hotplug, $off) = ruled(@events);
		my %tids = map { $_->[3] => 1 } @events;
		my @tids = sort grep { $_ != 0 } keys %tids;
		is(scalar @$thawed, $n_thawed, "$name: the number of threads that were thawed");
		is_deeply(told($file, 'suspended', @tids), [ sort @$thawed ], '… these waited for the suspend, and no others');
		is(scalar @$hotplug, $n_hotplug, "$name: the number of waits for a CPU's part");
		is_deeply(told($file, 'hotplug', @tids), [ sort @$hotplug ], '… these, and no others');
		for my $cpu (sort keys %$off) {
			my @told = map { [ $_->{from}, $_->{to} ] } grep { ($_->{detail} // '') eq 'off-line' } @{ json_of(wakepath('states', $file, '--cpu', $cpu, '--format', 'json'))->{intervals} };
			is_deeply(\@told, $off->{$cpu}, "$name: CPU $cpu was off-line from its last event to its next one");
		}
	}

	# By hand: wk-pulse[433] goes to sleep at 79.504301018 (S), between the begin of freeze_processes at 79.496323306 and its end; susp[431] begins thaw_processes at
	# 90.619364038 and wakes it at 90.652890212.  wx-crunch[434] leaves its CPU at 79.628612134 (D) and is woken at 90.652921101.
	my $file = "$machines/x64-suspend-boot/trace.dat";
	my ($wait) = grep { $_->{source}{kind} eq 'suspended' } @{ json_of(wakepath('wakeups', $file, '--thread', 433, '--format', 'json'))->{wakeups} };
	my $s = $wait->{source}{suspend};
	is("$wait->{source}{grade} $s->{by} $s->{thread}{tid} $s->{began} $s->{frozen} $s->{thawed}", 'proved thaw 431 79496323306 79504301018 90619364038', 'wk-pulse was frozen, with the thread and the time');
	is_deeply([ map { [ $_->{event}, $_->{time} ] } @{ $wait->{source}{evidence} } ],
		[ [ 'power:suspend_resume', 79496323306 ], [ 'power:suspend_resume', 90619364038 ], [ 'sched:sched_waking', 90652890212 ] ], '… by these events');
	# It wrote "pulse wake 2" at 90.669922189 by the trace's clock, CLOCK_BOOTTIME, and at 81183251504 by CLOCK_MONOTONIC (truth.log).
	my $stopped = 90669922189 - 81183251504;
	cmp_ok($s->{stopped_least}, '<=', $stopped, 'CLOCK_MONOTONIC stood still for at least as long as the text says');
	cmp_ok($s->{stopped_most}, '>=', $stopped, '… and at most');
	my ($segment) = grep { $_->{kind} eq 'suspended' } @{ json_of(wakepath('path', $file, '--thread', 433, '--format', 'json'))->{segments} };
	is("$segment->{from} $segment->{to} $segment->{actor}{name}", '79504301018 90652890212 suspend', 'the path shows it');
	my ($cause) = grep { $_->{kind} eq 'suspended' } @{ json_of(wakepath('causes', $file, '--thread', 433, '--format', 'json'))->{causes} };
	is($cause->{time}, 90652890212 - 79504301018, 'the causes show it');
	my ($state) = grep { ($_->{detail} // '') eq 'frozen' } @{ json_of(wakepath('states', $file, '--thread', 434, '--format', 'json'))->{intervals} };
	is("$state->{from} $state->{to}", '79628612134 90652921101', 'wx-crunch was in the refrigerator');
	my ($blame) = grep { $_->{what} eq 'suspended' } @{ json_of(wakepath('why', $file, '--thread', 434, '--format', 'json'))->{blame} };
	is($blame->{time}, 90652921101 - 79628612134, '… for most of its time');
}

# ---- made ----

my @switches = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ sched => 'sched_process_fork', [ [ char => 'parent_comm[16]' ], [ pid_t => 'parent_pid' ], [ char => 'child_comm[16]' ], [ pid_t => 'child_pid' ] ] ],
);
my @power = ([ power => 'suspend_resume', [ [ '__data_loc char[]' => 'action' ], [ int => 'val' ], [ int => 'start' ] ] ]);
my $ms = 1_000_000;
my %name = (0 => 'swapper', 19 => 'shell', 10 => 'worker', 20 => 'susp');
sub switch {
	my ($time, $cpu, $from, $state, $to) = @_;
	return [ $time * $ms, $cpu, 'sched_switch', $from, 1, prev_comm => $name{$from}, prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => $name{$to}, next_pid => $to, next_prio => 120 ];
}
sub wakes { my ($time, $by, $tid) = @_; return [ $time * $ms, 0, 'sched_waking', $by, 1, comm => $name{$tid}, pid => $tid, prio => 120, target_cpu => 0 ] }
sub suspends { my ($time, $action, $start) = @_; return [ $time * $ms, 0, 'suspend_resume', 20, 1, action => $action, val => 0, start => $start ] }
my $n = 0;
sub made {
	my ($formats, @events) = @_;
	my $file = "$ENV{TMPDIR}/suspend" . $n++ . '.dat';
	spew($file, Ftrace::trace_dat(formats => $formats, events => [ sort { $a->[0] <=> $b->[0] } @events ], cpus => 2));
	return $file;
}
my @sched = ([ 1 * $ms, 0, 'sched_process_fork', 19, 1, parent_comm => 'shell', parent_pid => 19, child_comm => 'worker', child_pid => 10 ], switch(2, 1, 0, 0, 10), switch(3, 0, 19, 1, 20),
	switch(10, 1, 10, 1, 0));
my @parts = (suspends(20, 'freeze_processes', 1), suspends(30, 'freeze_processes', 0), suspends(90, 'thaw_processes', 1), suspends(95, 'thaw_processes', 0));
sub path { my ($file) = @_; return join ' ', map { "$_->{kind} " . $_->{duration} / $ms } @{ json_of(wakepath('path', $file, '--thread', 'worker', '--from', '+9ms', '--to', '+119ms', '--format', 'json'))->{segments} } }
sub kind { my ($file) = @_; my ($w) = grep { $_->{time} > 20 * $ms } @{ json_of(wakepath('wakeups', $file, '--thread', 'worker', '--format', 'json'))->{wakeups} }; return $w->{source} }

my @thawed = (wakes(92, 20, 10), switch(100, 0, 20, 1, 10), switch(120, 0, 10, 1, 20));
my $with = made([ @switches, @power ], @sched, @parts, @thawed);
is(kind($with)->{kind}, 'suspended', 'thawed: it waited for the suspend');
like(kind($with)->{text}, qr/^suspended: frozen by thread susp\[20\]/, '… in words');
is(path($with), 'blocked 10 suspended 72 wait-cpu 8 running 20', '… on the path from the freezing on');
my $without = made(\@switches, @sched, @thawed);
is(kind($without)->{text} =~ s/ \(inferred\)//r, 'woken by susp[20]', 'without suspend_resume: only the waker');
is(kind($without)->{suspend}, undef, '… no suspend');
is_deeply([ grep { /suspend/ } @{ json_of(wakepath('info', $without, '--format', 'json'))->{traces}[0]{notes} } ], [], '… and no note of one');

# It slept on after the suspend, and another thread ends that: the path is its own except for the time in which it was frozen.
my @later = (wakes(110, 20, 10), switch(115, 0, 20, 1, 10), switch(120, 0, 10, 1, 20));
my $over = made([ @switches, @power ], @sched, @parts, @later);
is(kind($over)->{kind} . ' ' . kind($over)->{suspend}{by}, 'thread other', 'frozen in between: another thread ended the wait');
is(kind($over)->{suspend}{frozen}, 20 * $ms, '… and it was frozen');
# An interrupt ends it: the time in which it was frozen is the suspend's.
my @irq = ([ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ], [ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ]);
my @by_irq = ([ 109 * $ms, 0, 'irq_handler_entry', 20, 1, irq => 5, name => 'mailbox' ], wakes(110, 20, 10), [ 111 * $ms, 0, 'irq_handler_exit', 20, 1, irq => 5, ret => 1 ], switch(115, 0, 20, 1, 10), switch(120, 0, 10, 1, 20));
is(path(made([ @switches, @power, @irq ], @sched, @parts, @by_irq)), 'irq 10 suspended 70 irq 19 irq 1 wait-cpu 5 running 5', 'frozen in between: in a wait for an interrupt');
is(path(made([ @switches, @irq ], @sched, @by_irq)), 'irq 99 irq 1 wait-cpu 5 running 5', '… without suspend_resume');

done_testing();
