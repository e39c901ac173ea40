#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A kind of latency whose events are not recorded is refused, with the line that records them; a kind whose own events are recorded needs no others.
# The truth is counted from the events that the traces are made of, or from the same trace with all its events.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Ftrace;
use PerfData;
use Wake;
use Test::More;

my $tmp = $ENV{TMPDIR};
my @task = ([ 'char', 'comm[16]' ], [ 'pid_t', 'pid' ], [ 'int', 'prio' ]);
my @formats = (
	[ sched => 'sched_switch', [ [ 'char', 'prev_comm[16]' ], [ 'pid_t', 'prev_pid' ], [ 'int', 'prev_prio' ], [ 'long', 'prev_state' ], [ 'char', 'next_comm[16]' ],
		[ 'pid_t', 'next_pid' ], [ 'int', 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ @task, [ 'int', 'target_cpu' ] ] ],
	[ sched => 'sched_wakeup', [ @task, [ 'int', 'target_cpu' ] ] ],
	[ sched => 'sched_migrate_task', [ @task, [ 'int', 'orig_cpu' ], [ 'int', 'dest_cpu' ] ] ],
	[ sched => 'sched_process_fork', [ [ 'char', 'parent_comm[16]' ], [ 'pid_t', 'parent_pid' ], [ 'char', 'child_comm[16]' ], [ 'pid_t', 'child_pid' ] ] ],
	[ sched => 'sched_process_exit', [ @task ] ],
	[ irq => 'irq_handler_entry', [ [ 'int', 'irq' ], [ '__data_loc char[]', 'name' ] ] ],
	[ irq => 'irq_handler_exit', [ [ 'int', 'irq' ], [ 'int', 'ret' ] ] ],
	[ irq => 'softirq_entry', [ [ 'unsigned int', 'vec' ] ] ],
	[ irq => 'softirq_exit', [ [ 'unsigned int', 'vec' ] ] ],
	[ irq => 'softirq_raise', [ [ 'unsigned int', 'vec' ] ] ],
	[ raw_syscalls => 'sys_enter', [ [ 'long', 'id' ] ] ],
	[ raw_syscalls => 'sys_exit', [ [ 'long', 'id' ], [ 'long', 'ret' ] ] ],
);
my (@events, $now);

sub at { my ($cpu, $name, $tid, %fields) = @_; push @events, [ $now, $cpu, $name, $tid, 0, %fields ]; $now += 10_000; return $now - 10_000 }
sub switch { my ($cpu, $prev, $state, $next) = @_; return at($cpu, 'sched_switch', $prev, prev_comm => "t$prev", prev_pid => $prev, prev_prio => 120, prev_state => $state, next_comm => "t$next", next_pid => $next, next_prio => 120) }
sub task { my ($tid) = @_; return (comm => "t$tid", pid => $tid, prio => 120) }
sub made { my ($name) = @_; spew("$tmp/$name.dat", trace_dat(formats => \@formats, events => \@events)); return "$tmp/$name.dat" }
sub latency { my ($trace, $kind, @more) = @_; return wakepath('latency', $trace, '--kind', $kind, '--top', 0, '--format', 'json', @more) }

sub refused {
	my ($trace, $kind, $event, $command) = @_;
	for my $more ([], [ '--fail-over', '1us' ]) {
		my $run = latency($trace, $kind, @$more);
		is($run->{status}, 1, "$kind @$more: no answer");
		is($run->{out}, '', '... nor any number');
		like($run->{err}, qr/no \Q$event\E was recorded, so \Q$kind\E latencies are unknown; record it with: \Q$command\E/, '... the missing events, and the line that records them');
	}
}

# ---- a file has the formats of all events, and switches and migrations alone ----

# Thread 10 sleeps on CPU 1; thread 20 on CPU 0 wakes it, which only the migration shows.
sub story {
	my (@tell) = @_;
	my %tell = map { $_ => 1 } @tell;
	@events = ();
	$now = 1_000_000_000;
	for (1 .. 9) {
		switch(0, 0, 0, 20);
		at(0, 'sched_waking', 20, task(10), target_cpu => 1) if $tell{waking};
		at(0, 'sched_migrate_task', 20, task(10), orig_cpu => 0, dest_cpu => 1);
		at(1, 'sched_wakeup', 0, task(10), target_cpu => 1) if $tell{wakeup};
		$now += 300_000;
		switch(1, 0, 0, 10);
		at(1, 'sched_process_exit', 10, task(99)) if $tell{exit};
		switch(1, 10, 1, 0);
		switch(0, 20, 1, 0);
	}
	return made(join '-', 'story', @tell);
}

my $bare = story();
my $record = 'trace-cmd record -C mono -e ';
refused($bare, $_, 'sched_waking', "${record}sched:sched_waking") for qw(wakeup wait-cpu blocked irq-to-user);
refused($bare, 'fork', 'sched_process_fork', "${record}sched:sched_process_fork");
refused($bare, 'irq', 'irq_handler_*', "${record}irq:irq_handler_entry -e irq:irq_handler_exit");
refused($bare, 'softirq', 'irq_softirq_*', "${record}irq:softirq_raise");
refused($bare, 'softirq-raise', 'irq_softirq_raise', "${record}irq:softirq_raise");
refused($bare, 'syscall', 'syscall_entry_*', "${record}raw_syscalls:sys_enter -e raw_syscalls:sys_exit");
refused($bare, 'block', 'block_rq_*', "${record}block:block_getrq");
is(json_of(latency($bare, 'off-cpu'))->{count}, 16, 'off-cpu needs switches alone: each thread comes back 8 times');
is(json_of(latency($bare, 'preempted'))->{count}, 0, 'no thread was preempted, as the switches show');
my $wakeups = json_of(wakepath('wakeups', $bare, '--thread', 10, '--format', 'json'))->{wakeups};
is(scalar @$wakeups, 8, 'it waited 8 times');
is(scalar(grep { defined $_->{ran_at} || defined $_->{latency} } @$wakeups), 0, '... and the time from its wake-up to its run is unknown');
like(wakepath('wakeups', $bare, '--thread', 10)->{out}, qr/ inferred\s+-\s/, '... nor is it in text');
is(scalar(grep { defined $_->{latency} } @{json_of(wakepath('wakeups', $bare, '--thread', 20, '--format', 'json'))->{wakeups}}), 0, '... nor of a thread without any wake-up event');

refused(story('exit'), 'fork', 'sched_process_fork', "${record}sched:sched_process_fork");	# though other sched_process_* events are recorded

# With either event the latency is measured.
for my $event (qw(waking wakeup)) {
	my $all = json_of(latency(story($event), 'wakeup'));
	cmp_ok($all->{count}, '>=', 8, "sched_$event alone: wake-ups are measured");
	cmp_ok($all->{min}, '>=', 300_000, '... and none took no time');
}

# ---- raw_syscalls alone: entry and exit are a pair of events of one thread ----

# Threads on two CPUs; one moves to the other CPU in its call.  CALLS: TID → [entry, exit]…
my %calls;
sub enters { my ($cpu, $tid, $nr) = @_; push @{$calls{$tid}}, [ at($cpu, 'sys_enter', $tid, id => $nr) ] }
sub leaves { my ($cpu, $tid, $nr) = @_; my $last = $calls{$tid} ? $calls{$tid}[-1] : undef; my $end = at($cpu, 'sys_exit', $tid, id => $nr, ret => 0); $last->[1] = $end if $last && @$last == 1 }

sub calls {
	@events = ();
	%calls = ();
	$now = 1_000_000_000;
	leaves(0, 10, 59);	# the exec that began the recording: its entry is not in the trace
	for (1 .. 5) { enters(0, 10, 9); leaves(0, 10, 9) }
	enters(1, 30, 0);
	leaves(1, 30, 0);
	enters(0, 10, 202);
	enters(0, 20, 1);
	leaves(0, 20, 1);
	enters(1, 30, 202);
	leaves(1, 10, 202);
	leaves(0, 30, 202);
	enters(0, 20, 60);
	return map { my $tid = $_; map { "$tid $_->[0] $_->[1]" } grep { @$_ == 2 } @{$calls{$tid}} } sort keys %calls;
}

my @calls = calls();
sub pairs { my ($trace) = @_; my $all = json_of(latency($trace, 'syscall')); return ($all, sort map { "$_->{tid} $_->{start} $_->{end}" } @{$all->{worst}}) }

my ($all, @said) = pairs(made('calls'));
is(join(', ', @said), join(', ', @calls), 'ftrace without switches: all system calls');
is($all->{unfinished}, 1, '... and the one that did not end');
is(scalar(grep { defined $_->{cause} || defined $_->{blame} } @{$all->{worst}}), 0, '... without a cause or an account, which need switches');
is(latency(made('calls'), 'syscall', '--thread', 20)->{status}, 0, '... of one thread, too');
like(latency(made('calls'), 'wakeup', '--thread', 20)->{err}, qr/no sched_switch was recorded, so it is unknown when threads ran or waited; record it with: /, '... a kind that needs switches is refused');

$PerfData::events{'raw_syscalls:sys_enter'} = [ 443, ['id', 'long id', 8, 1], map { [ "arg$_", "unsigned long arg$_", 8, 0 ] } 0 .. 5 ];
$PerfData::events{'raw_syscalls:sys_exit'} = [ 442, ['id', 'long id', 8, 1], ['ret', 'long ret', 8, 1] ];
my $perf = PerfData->new(names => [ 'raw_syscalls:sys_enter', 'raw_syscalls:sys_exit' ], clock => 1);
for my $e (@events) {
	my ($time, $cpu, $name, $tid, undef, %fields) = @$e;
	$fields{"arg$_"} = 0 for 0 .. 5;
	$perf->event("raw_syscalls:$name", $time, $cpu, $tid, $tid, \%fields);
}
spew("$tmp/calls.perf", $perf->bytes);
($all, @said) = pairs("$tmp/calls.perf");
is(join(', ', @said), join(', ', @calls), 'perf without switches: all system calls');

# Entries alone give no duration.
@events = grep { $_->[2] eq 'sys_enter' } @events;
refused(made('entries'), 'syscall', 'syscall_exit_*', "${record}raw_syscalls:sys_enter -e raw_syscalls:sys_exit");

# ---- a real trace without its switches: kinds that need none have the values of all events ----

my $copy = "$tmp/lockfight";
system('cp', '-r', '--no-preserve=mode', sample('lockfight') . '/kernel', $copy) == 0 or die;
patch("$copy/metadata", sub { s/sched_switch/sched_xxxxxx/g or die });
for my $kind (qw(irq softirq softirq-raise timer work-queue work block block-queue block-device)) {
	my ($bare, $full) = map { json_of(latency($_, $kind)) } $copy, sample('lockfight') . '/kernel';
	my @bare = sort map { "$_->{start} $_->{end}" } @{$bare->{worst}};
	cmp_ok($full->{count}, '>', 20, "$kind: there are some");
	is(join(', ', @bare), join(', ', sort map { "$_->{start} $_->{end}" } @{$full->{worst}}), '... and they are the same without switches');
	my $told = grep { defined $_->{cause} } @{$bare->{worst}};
	is($told, $kind =~ /^(?:irq|softirq|block.*)$/ ? $bare->{count} : 0, '... with a cause if that is an interrupt or a step of a request');
}

done_testing();
