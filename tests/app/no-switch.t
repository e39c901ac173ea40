#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A trace without sched_switch still has events, interrupts, packets and clocks; queries that need the running thread name the missing event, and how
# to record it.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $scratch = $ENV{TMPDIR};

# A copy of the sample FOLDER whose sched_switch is renamed to an unknown event.
sub without_switches {
	my ($folder, $name, $change) = @_;
	my $copy = "$scratch/$name";
	mkdir $copy or die;
	symlink $_, $copy . '/' . (split m{/})[-1] for grep { m{/k_\d+$} } files_below($folder);
	spew("$copy/metadata", slurp("$folder/metadata"));
	patch("$copy/metadata", sub { s/sched_switch/sched_xxxxxx/g or die; $change->() if $change });
	return $copy;
}

sub event_lines { return split /\n/, `babeltrace2 --clock-seconds --no-delta '$_[0]' 2>/dev/null` }

my $trace = without_switches(sample('ioburst-ipi') . '/kernel', 'io');
my @lines = event_lines($trace);
my $info = json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0];
is($info->{events}, scalar @lines, 'all events are counted');
is($info->{missing_events}[0], 'sched_switch', 'the missing event is named');
is(scalar(grep { /^no sched_switch was recorded: it is unknown when threads ran or waited$/ } @{ $info->{warnings} }), 1, 'and the consequence');
is(scalar(grep { $_->{event} eq 'sched_switch' && $_->{command} eq 'lttng enable-event -k sched_switch' } @{ $info->{advice} }), 1, 'and how to record it');

my $events = json_of(wakepath('events', $trace, '--top', 0, '--format', 'json'))->{events};
is(join(' ', map { $_->{time} } @$events), join(' ', map { /^\[(\d+)\.(\d{9})\]/ ? "$1$2" : die $_ } @lines), 'events: their times');
is_deeply([sort map { $_->{name} } @$events], [sort map { /^\S+ \S+ (\S+):/ ? $1 : die $_ } @lines], 'events: their names');

# No event shows which thread runs on a CPU, or whether it idles.
my %on = map { $_->{state} => 1 } map { @{json_of(wakepath('states', $trace, '--cpu', $_, '--format', 'json'))->{intervals}} } 0, 1;
is(join(' ', sort keys %on), 'interrupted unknown', 'states of the CPUs');

# An interrupt line is as busy as the raw entries and exits show.
my (%since, %busy);
for (@lines) {
	my ($s, $ns, $what, $cpu, $irq) = /^\[(\d+)\.(\d{9})\] \S+ irq_handler_(entry|exit): \{ cpu_id = (\d+) \}, \{ irq = (\d+)/ or next;
	$since{$cpu} = "$s$ns" if $what eq 'entry';
	$busy{$irq} += "$s$ns" - $since{$cpu} if $what eq 'exit';
}
cmp_ok(scalar keys %busy, '>', 0, 'there are interrupts');
for my $irq (sort keys %busy) {
	my $states = json_of(wakepath('states', $trace, '--irq', $irq, '--format', 'json'))->{intervals};
	my $sum = 0;
	$sum += $_->{to} - $_->{from} for grep { $_->{state} ne 'idle' } @$states;
	is($sum, $busy{$irq}, "states of IRQ $irq");
}

# Threads have no invented states, although the trace has wake-ups and a state dump.
my %states;
for my $thread (@{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} }) {
	$states{$_} += $thread->{states}{$_} for keys %{ $thread->{states} };
}
is(join(' ', grep { $states{$_} } sort keys %states), 'unknown', 'threads: nothing but unknown');
my $needs = qr{^wakepath: solo: no sched_switch was recorded, so it is unknown when threads ran or waited; record it with: lttng enable-event -k sched_switch,sched_waking,sched_wakeup\n\z};
for my $query (['states', '--thread', 'systemd'], ['wakeups', '--thread', 'systemd'], ['path', '--thread', 'systemd'], ['requests', '--thread', 'systemd'],
	['latency', '--kind', 'wakeup'], ['causes'], ['causes', '--thread', 'systemd'], ['events', '--thread', 'systemd']) {
	my $r = wakepath($query->[0], $trace, @$query[1 .. $#$query]);
	is($r->{status}, 1, "@$query: no answer");
	like($r->{err}, $needs, "@$query: the reason, and the command to type");
}
is(wakepath('verify', $trace)->{status}, 0, 'verify: the index is sound');

# The explorer opens it.
spew("$scratch/script", "size 80 24\ndump $scratch/screen\nquit\n");
is(wakepath('view', $trace, '--script', "$scratch/script")->{status}, 0, 'the explorer opens it');
like(slurp("$scratch/screen"), qr/IRQ|interrupts/, 'and shows its interrupts');

# Clocks come from packets alone.
my @hosts = map { sample('rpc-chain') . "/$_" } qw(client httpd db);
my @bare = map { without_switches($_, (split m{/})[-1]) } @hosts;
my ($got, $want) = map { json_of(wakepath('sync', @$_, '--format', 'json'))->{hosts} } \@bare, \@hosts;
is_deeply($got, $want, 'clocks: equal those with all events');
cmp_ok($got->[1]{packets_matched}, '>', 1000, 'clocks: from packets');

# Threads of a host that has switches have answers beside it.
my ($busiest) = sort { $b->{wakeups} <=> $a->{wakeups} } grep { $_->{host} eq 'client' } @{ json_of(wakepath('threads', @hosts[0, 1], '--format', 'json'))->{threads} };
is(scalar @{ json_of(wakepath('wakeups', $hosts[0], $bare[1], '--thread', "client/$busiest->{tid}", '--format', 'json'))->{wakeups} }, $busiest->{wakeups},
	'a host beside one without switches');
like(wakepath('wakeups', $hosts[0], $bare[1], '--thread', 'httpd/1')->{err}, qr/^wakepath: httpd: no sched_switch was recorded/m, 'a thread of the other');

# A user-space trace: alone it opens, beside others it is left out.
my $user = without_switches(sample('pulse') . '/kernel', 'user', sub { s/domain = "kernel";/domain = "ust";   / or die });
is(json_of(wakepath('info', $user, '--format', 'json'))->{traces}[0]{events}, scalar(event_lines($user)), 'a user-space trace alone opens');
for my $time ('first', 'again') {
	my $beside = wakepath('threads', $hosts[0], $user, '--format', 'json');
	is(join(' ', do { my %h = map { $_->{host} => 1 } @{ json_of($beside)->{threads} }; sort keys %h }), 'client', "beside others it is left out ($time)");
	like($beside->{err}, qr{^wakepath: warning: \S+/user is left out: a user-space trace$}m, "and a message says so ($time)");
}

done_testing();
