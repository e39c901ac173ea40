#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Small recordings that wakepath once got wrong: the right values of each, counted by trace-cmd, babeltrace2 or by hand (README beside each).
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use List::Util qw(sum0);
use Wake;
use Test::More;

my $cases = ($ENV{SHARED_TRACES} // '/nonexistent') . '/../recordings/cases';
plan skip_all => 'the recordings are not at hand' if !-d $cases;
my $reports = system('command -v trace-cmd >/dev/null') == 0;
sub answer { my (@args) = @_; return json_of(wakepath(@args, '--format', 'json')) }
sub info { my ($trace) = @_; return answer('info', $trace)->{traces}[0] }

# Advice names only what the recorded kernel has: irq_vectors are of x86.
{
	my $arm = "$cases/advice-for-another-machine/trace.dat";
	my $said = wakepath('info', $arm)->{out};
	like($said, qr/^ +advice .*-e 'ipi:\*'$/ms, 'advice for another machine: IPIs by the events of ARM');
	unlike($said, qr/irq_vectors/, '… not by those of x86');
}

# Events without a CPU are no trace of Linux, nor is a file without events.
{
	my $trace = "$cases/ctf-no-cpu/trace";
	is(scalar(() = `babeltrace2 '$trace' 2>/dev/null` =~ /^\[/mg), 8, 'CTF without CPUs: babeltrace2 prints 8 events');
	says(wakepath('info', $trace), 3, qr/is not a Linux kernel trace: .*no field cpu_id.*babeltrace2 prints them/, 'CTF without CPUs');
}

# Formats in the file do not show what was recorded.
{
	my $trace = "$cases/formats-are-no-recording/trace.dat";
	my %missing = map { ($_ => 1) } @{ info($trace)->{missing_events} };
	is_deeply([ grep { !$missing{$_} } qw(sched_waking irq_handler_* irq_softirq_* sched_process_* syscall_entry_*) ], [], 'formats alone: info names the missing events');
	ok(!$missing{sched_switch} && !$missing{sched_migrate_task}, '… and not the recorded ones');
	says(wakepath('latency', $trace, '--kind', $_->[0]), 1, qr/no \Q$_->[1]\E was recorded, so $_->[0] latencies are unknown; record it with: trace-cmd record .*-e $_->[2]/, "formats alone, $_->[0]")
		for [ 'irq', 'irq_handler_*', 'irq:irq_handler_entry' ], [ 'syscall', 'syscall_entry_*', 'raw_syscalls:sys_enter' ], [ 'wakeup', 'sched_waking', 'sched:sched_waking' ];
	says(wakepath('latency', $trace, '--kind', 'irq', '--fail-over', '1us'), 1, qr/no irq_handler_\* was recorded/, 'formats alone, --fail-over');
}

# Each file has a message by its name, or is read: README of text, "A ran 2.000 ms, blocked 2.000 ms, wait-cpu 20 us".
{
	my $folder = "$cases/not-our-format-messages";
	says(wakepath('info', "$folder/perf-v1.data"), 3, qr/is a perf\.data of version 1/, 'perf-v1.data');
	my $cut = json_of(wakepath('info', "$folder/cut.perfetto-trace", '--format', 'json'))->{traces}[0];
	is($cut->{format}, 'pftrace', 'cut.perfetto-trace: the message has its name');
	is_deeply($cut->{warnings}, [ 'the file is cut off or damaged: only its readable part is shown; copy it again' ], '… and says that it is cut off');
	is(json_of(wakepath('info', "$folder/trace.txt", '--format', 'json'))->{traces}[0]{format}, 'ftrace text', 'trace.txt: the message has its name');
	is_deeply([ map { [ $_->{state}, $_->{to} - $_->{from} ] } @{json_of(wakepath('states', "$folder/trace.txt", '--thread', 'A', '--format', 'json'))->{intervals}} ],
		[ [ 'running', 2_000_000 ], [ 'blocked', 2_000_000 ], [ 'wait-cpu', 20_000 ] ], '… and read');
}

# perf record of one program with --switch-events: both threads, by PERF_RECORD_SWITCH (sums by perf script, README).
{
	my $trace = "$cases/perf-own-process/perf.data";
	my %thread = map { ($_->{tid} => $_) } @{ answer('threads', $trace)->{threads} };
	is(join(' ', map { "$_ $thread{$_}{name}" } sort keys %thread), '29956 cvapp 29958 cvapp', 'the own process: both threads, by their names');
	for ([ 29956, 7, 7.913, 6, 317.032 ], [ 29958, 5, 1.384, 5, 269.641 ]) {
		my ($tid, @is) = @$_;
		my @states = @{ answer('states', $trace, '--thread', $tid)->{intervals} };
		my @said = map { my $state = $_; my @all = map { $_->{to} - $_->{from} } grep { $_->{state} eq $state } @states; (scalar @all, sprintf '%.3f', sum0(@all) / 1e6) } qw(preempted blocked);
		is("@said", join(' ', $is[0], sprintf('%.3f', $is[1]), $is[2], sprintf '%.3f', $is[3]), "… $tid was preempted and blocked as often and as long");
	}
	ok(!(grep { /no sched_switch/ } @{ info($trace)->{warnings} }), '… and no message says that there are no switches');
}

# The duration of a call needs no switch (counts by perf trace -s, README).
{
	my %call = map { ($_->{name} => $_) } @{ answer('latency', "$cases/syscalls-need-no-switch/perf.data", '--kind', 'syscall', '--by', 'call', '--top', 0)->{groups} };
	is(join(' ', $call{clock_nanosleep}{count}, sprintf '%.3f', $call{clock_nanosleep}{sum} / 1e6), '6 241.607', 'calls without switches: clock_nanosleep');
	is(sprintf('%.3f', $call{clock_nanosleep}{max} / 1e6), '40.730', '… the longest');
	is($call{futex}{count}, 6 + 11, '… futex of both threads');
	cmp_ok(abs($call{futex}{sum} / 1e6 - 0.033 - 199.028), '<', 0.0011, '… with the same duration, except for the rounding of perf');
}

# A TID that another thread has after the end of the first.
{
	my @both = sort { $a->{first} <=> $b->{first} } grep { $_->{tid} == 100 } @{ answer('threads', "$cases/tid-reused-without-fork/trace.dat")->{threads} };
	is(join(' ', map { "$_->{name} $_->{cpu_time}" } @both), 'first 1001000 second 2000000', 'a reused TID: two threads, each with its own time');
	is($both[0]{last} - $both[0]{first}, 1_001_000, '… the first is over when it has left');
	is(scalar(grep { $_->{state} ne 'unknown' && $_->{from} < $both[1]{last} - 2_000_000 } @{ answer('states', "$cases/tid-reused-without-fork/trace.dat", '--thread', "100\@$both[1]{last}")->{intervals} }), 0,
		'… and nothing is known of the second before it runs');
}

# User space alone: the first line says so.
{
	my $trace = "$cases/ust-only/trace";
	my @lines = split /\n/, wakepath('info', $trace)->{out};
	like($lines[1], qr/^ +warning +a user-space trace \(lttng-ust/, 'user space alone: the first line says so');
	is(scalar(() = join("\n", @lines) =~ /lttng enable-event/g), 2, '… and advises to record the kernel, once more with the command');
	is(info($trace)->{events}, scalar(() = `babeltrace2 '$trace' 2>/dev/null` =~ /^\[/mg), '… its events are counted');
}

# verify accepts a trace that is a single file.
{
	my $file = "$ENV{TMPDIR}/verify.dat";
	spew($file, slurp("$cases/verify-file/trace.dat"));
	is(info($file)->{events}, 7, 'verify of a file: 7 events');
	my $said = wakepath('verify', $file);
	is("$said->{status} $said->{err}", '0 ', '… nothing is wrong with it');
	like($said->{out}, qr/\.wpi: intact: \d+ bytes/, '… its index is intact');
}

# sched_wakeup with success=0, of old kernels, wakes nobody.
SKIP: {
	skip 'there is no trace-cmd', 2 if !$reports;
	my $trace = "$cases/wakeup-success-0/trace.dat";
	my ($woke) = map { /\s(\d+)\.(\d+): +sched_wakeup: .*success=1/ ? $1 * 1_000_000_000 + $2 * 10 ** (9 - length $2) : () } `trace-cmd report -R -t '$trace' 2>/dev/null`;
	my @wakeups = @{ answer('wakeups', $trace, '--thread', 'A')->{wakeups} };
	is(join(' ', map { $_->{time} } @wakeups), $woke, 'success=0: only the other one wakes');
	is($wakeups[0]{latency}, 1_000_000, '… 1 ms before the thread runs');
}

done_testing;
