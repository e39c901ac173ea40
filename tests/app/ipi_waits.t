#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Threads that spin until other CPUs have taken an IPI (proofs.md R27): real ones against the text of trace-cmd, then cases that must not be reported
# as such, in files made for this test.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

# The waits on the paths of THREADS in TRACE: "TID FROM-TO CPUS last CPU, entered ENTRY", each once, in order of time.
sub told {
	my ($trace, @threads) = @_;
	my %waits;
	for my $tid (@threads) {
		for my $s (grep { $_->{kind} eq 'ipi-wait' } @{ json_of(wakepath('path', $trace, '--thread', $tid, '--format', 'json'))->{segments} }) {
			my $w = $s->{ipi_wait};
			next if $s->{actor}{tid} != $tid;
			$waits{"$tid $w->{sent}-$w->{taken} $w->{cpus} last $w->{last_cpu}, entered $w->{entry}"} = $w->{sent};
			push @main::wrong, "$tid: $s->{from}-$s->{to} lies outside" if $s->{from} < $w->{sent} || $s->{to} > $w->{taken} || $s->{from} >= $s->{to};
		}
	}
	return sort { $waits{$a} <=> $waits{$b} || $a cmp $b } keys %waits;
}
our @wrong;

sub cpus_of { return map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split /,/, $_[0] }

# ---- real waits ----

# From the text: threads that send to CPUs by smp_call_function_many_cond(), and do nothing else until each of these CPUs has left the IPI that it
# entered since.
sub waits_in {
	my ($file) = @_;
	my (%open, %entered, %caller, %thread, @waits);
	my $taken = sub { my ($o, $cpu, $now) = @_; delete $o->{left}{$cpu}; @$o{qw(to last entry)} = ($now, $cpu, $entered{$cpu}) };
	# A sender that goes on while the last CPU is about to leave the IPI has waited until now.
	my $end = sub {
		my ($cpu, $now) = @_;
		my $o = delete $open{$cpu} or return;
		for my $last (grep { defined $entered{$_} && $entered{$_} >= $o->{from} } keys %{ $o->{left} }) { $taken->($o, $last, $now) }
		push @waits, $o if !keys %{ $o->{left} };
	};
	open my $in, '-|', "trace-cmd report -t -i '$file' 2>/dev/null" or die;
	while (<$in>) {
		my ($tid, $cpu, $s, $ns, $name, $text) = /-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+):\s*(.*)/ or next;
		my $now = "$s$ns";
		$cpu += 0;
		if ($name =~ /^ipi_send_cpu(mask)?$/) {
			my $mask = $1;
			my ($caller) = $text =~ /callsite=(\S+)/;
			$caller{$caller} = 1 if $mask;
			next if !$caller{$caller} || $tid == 0;
			$end->($cpu, $now);
			my ($cpus) = $text =~ /^cpu(?:mask)?=(\S+)/;
			$thread{$tid} = 1;
			$open{$cpu} = { tid => $tid, from => $now, cpus => $cpus, caller => $caller, left => { map { $_ => 1 } cpus_of($cpus) } };
		} elsif ($name =~ /^(?:sys_enter|sys_exit|sched_switch)$/) {
			$end->($cpu, $now);
		} elsif ($name =~ /^call_function(?:_single)?_entry$/) {
			$entered{$cpu} = $now;
		} elsif ($name =~ /^call_function(?:_single)?_exit$/) {
			for my $from (keys %open) {
				my $o = $open{$from};
				next if !$o->{left}{$cpu} || $entered{$cpu} < $o->{from};
				$taken->($o, $cpu, $now);
				$end->($from, $now) if !keys %{ $o->{left} };
			}
			delete $entered{$cpu};
		}
	}
	return ([ sort { $a->{from} <=> $b->{from} } @waits ], keys %thread);
}

my $real = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-ipi/trace.dat';
SKIP: {
	skip 'the recording is not at hand', 1 if !-e $real || !qx(which trace-cmd);
	my ($waits, @threads) = waits_in($real);
	cmp_ok(@$waits, '>', 30, 'real waits');
	is_deeply([ told($real, @threads) ], [ map { "$_->{tid} $_->{from}-$_->{to} $_->{cpus} last $_->{last}, entered $_->{entry}" } @$waits ], '… wakepath shows all of them, and no others');
	is_deeply(\@main::wrong, [], '… each part within its wait');

	# By hand: lines 3125 to 3241 of the text.
	my @all = @{ json_of(wakepath('path', $real, '--thread', 488, '--format', 'json'))->{segments} };
	my ($s) = grep { $_->{ipi_wait} && $_->{ipi_wait}{sent} == 318219507277 } @all;
	is("$s->{from}-$s->{to} $s->{ipi_wait}{caller}", '318219507277-318313702463 membarrier_private_expedited', 'membarrier');
	is($s->{detail}, 'waited for CPUs 1-7 to take an IPI, last CPU 7: membarrier_private_expedited', '… its CPUs');
	is($s->{grade}, 'proved', '… the call always waits');
	is(join(', ', map { "$_->{event} $_->{cpu} $_->{time}" } @{ $s->{ipi_wait}{evidence} }), 'ipi:ipi_send_cpumask 0 318219507277, irq_vectors:call_function_entry 7 318313662648', '… its events');
	($s) = grep { $_->{ipi_wait} && $_->{ipi_wait}{sent} == 318086960399 } @all;
	is("$s->{from}-$s->{to} $s->{ipi_wait}{last_cpu} $s->{grade} @{$s->{doubts}}", '318086960399-318189653023 6 inferred way', 'a TLB shoot-down: its caller need not wait');
	my ($before) = grep { $_->{to} == $s->{from} } @all;
	my ($after) = grep { $_->{from} == $s->{to} } @all;
	is("$before->{kind} $after->{kind}", 'syscall syscall', '… and before and after the wait the thread is in its call');

	# All parts of the waits, from the states, in path, account and causes.
	my ($sum, $runs) = (0, qr/^(?:running|syscall|usermode)$/);
	my @states = @{ json_of(wakepath('states', $real, '--thread', 488, '--format', 'json'))->{intervals} };
	for my $w (grep { $_->{tid} == 488 } @$waits) {
		for my $iv (grep { $_->{state} =~ $runs && $_->{from} < $w->{to} && $_->{to} > $w->{from} } @states) {
			$sum += ($iv->{to} < $w->{to} ? $iv->{to} : $w->{to}) - ($iv->{from} > $w->{from} ? $iv->{from} : $w->{from});
		}
	}
	my $on_path = 0;
	$on_path += $_->{to} - $_->{from} for grep { $_->{kind} eq 'ipi-wait' && $_->{actor}{tid} == 488 && $_->{depth} == 0 } @all;
	is($on_path, $sum, 'the time of the path');
	my ($phase) = grep { $_->{phase} eq 'ipi-wait' } @{ json_of(wakepath('why', $real, '--thread', 488, '--format', 'json'))->{phases} };
	is($phase->{time}, $sum, '… of the account');
	my ($in_causes, $n) = (0, 0);
	for my $c (grep { $_->{kind} eq 'ipi-wait' } @{ json_of(wakepath('causes', $real, '--thread', 488, '--top', 0, '--format', 'json'))->{causes} }) { $in_causes += $c->{time}; $n += $c->{count} }
	is("$in_causes $n", "$sum " . grep({ $_->{tid} == 488 } @$waits), '… and of the causes');
	my $why = json_of(wakepath('why', $real, '--thread', 488, '--at', '318250000000', '--format', 'json'));
	is("$why->{from}-$why->{to} $why->{wait}{kind}", '318219507277-318313702463 ipi-wait', 'why --at within a wait');
	is(join(', ', map { "$_->{label} $_->{text}" } @{ $why->{chain} }), 'wx-ipi[488] sent an IPI to CPUs 1-7, CPU 7 took the IPI last', '… its hops');
}

# ---- cases that are no such waits ----

my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ],
		'"%s", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & 0xff, "|", { 0x00000001, "S" }, { 0x00000002, "D" }) : "R", REC->prev_state & (((0x00000000 | 0x0000003f | 0x00000040) + 1 + 0x00000000) << 2) ? "+" : ""' ],
	[ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ],
	[ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ],
	(map { [ irq => $_, [ [ 'unsigned int' => 'vec' ] ] ] } qw(softirq_entry softirq_exit)),
	(map { [ irq_vectors => $_, [ [ int => 'vector' ] ] ] } map { ("${_}_entry", "${_}_exit") } qw(call_function_single call_function reschedule local_timer)),
	[ ipi => 'ipi_send_cpu', [ [ 'unsigned int' => 'cpu' ], [ 'void *' => 'callsite' ], [ 'void *' => 'callback' ] ] ],
	[ ipi => 'ipi_send_cpumask', [ [ '__data_loc cpumask_t' => 'cpumask' ], [ 'void *' => 'callsite' ], [ 'void *' => 'callback' ] ] ],
	[ vmscan => 'mm_vmscan_direct_reclaim_begin', [ [ int => 'order' ] ] ],
	[ vmscan => 'mm_vmscan_direct_reclaim_end', [ [ 'unsigned long' => 'nr_reclaimed' ] ] ],
	[ raw_syscalls => 'sys_enter', [ [ long => 'id' ], [ 'unsigned long' => 'args[6]' ] ] ],
	[ raw_syscalls => 'sys_exit', [ [ long => 'id' ], [ long => 'ret' ] ] ],
);
my ($shoot, $barrier, $single, $wake) = (0xffffffff81001020, 0xffffffff81002040, 0xffffffff81003010, 0xffffffff81004010);
my $kallsyms = "ffffffff81001000 T on_each_cpu_cond_mask\nffffffff81002000 t membarrier_private_expedited\nffffffff81003000 t generic_exec_single\nffffffff81004000 t ttwu_queue_wakelist\nffffffff81005000 t beyond\n";

# Thread 10 has CPU 0, threads 11 … 13 the CPUs 1 … 3; CPU 3 is idle at first.
my ($now, @events);
sub at { my ($cpu, $name, $pid, %fields) = @_; push @events, [ $now += 1000, $cpu, $name, $pid, 0, %fields ]; return $now }
sub switch { my ($cpu, $from, $state, $to) = @_; return at($cpu, 'sched_switch', $from, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) }
sub enter { return at(0, 'sys_enter', 10, id => 324, args => [ 8 ]) }
sub leave { return at(0, 'sys_exit', 10, id => 324, ret => 0) }
sub send_mask { my ($caller, @cpus) = @_; my $mask = 0; $mask |= 1 << $_ for @cpus; return at(0, 'ipi_send_cpumask', 10, cpumask => $mask, callsite => $caller, callback => 0xffffffff81000000) }
sub send_cpu { my ($caller, $cpu) = @_; return at(0, 'ipi_send_cpu', 10, cpu => $cpu, callsite => $caller, callback => 0xffffffff81000000) }
# The CPUs take the IPI one after the other; returns when the last one entered, and left.
sub take { my ($kind, @cpus) = @_; my ($entry, $exit); for my $cpu (@cpus) { $now += 50_000; my $tid = $cpu == 3 ? 0 : 10 + $cpu; $entry = at($cpu, "${kind}_entry", $tid, vector => 252); $exit = at($cpu, "${kind}_exit", $tid, vector => 252) } return ($entry, $exit) }

# The thread on each CPU, and one interrupt of each kind: all kinds are recorded.
sub story {
	@events = ();
	$now = 1_000_000;
	switch(0, 0, 0, 10);
	switch($_, 0, 0, 10 + $_) for 1, 2;
	switch(3, 13, 1, 0);
	take('call_function', 1, 2, 3);
	take('call_function_single', 1);
	take('reschedule', 1);
	at(0, $_, 10, vector => 236) for qw(local_timer_entry local_timer_exit);
	at(0, 'irq_handler_entry', 10, irq => 28, name => 'disk');
	at(0, 'irq_handler_exit', 10, irq => 28, ret => 1);
	at(0, $_, 10, vec => 1) for qw(softirq_entry softirq_exit);
	enter();
}
my $n = 0;
sub paths {
	my (%o) = @_;
	my $file = "$ENV{TMPDIR}/made-" . ++$n . '.dat';
	at($_, 'sched_waking', 10 + $_, comm => 't99', pid => 99, prio => 120, target_cpu => 0) for 1 .. 2;
	spew($file, trace_dat(cpus => 4, formats => \@formats, events => \@events, kallsyms => $o{kallsyms} // $kallsyms, %{ $o{more} // {} }));
	my $answer = json_of(wakepath('path', $file, '--thread', 10, '--format', 'json'));
	return ($file, grep { $_->{kind} eq 'ipi-wait' } @{ $answer->{segments} });
}
sub brief { return join '; ', map { my $w = $_->{ipi_wait}; "$_->{from}-$_->{to} $w->{cpus} last $w->{last_cpu} $_->{grade}" . (@{ $_->{doubts} } ? " @{$_->{doubts}}" : '') } @_ }

# membarrier: sent to CPUs that run threads, of which CPU 1 is the last; the caller goes on later.
story();
my $sent = send_mask($barrier, 1, 2);
my ($entry, $exit) = take('call_function', 2, 1);
$now += 500_000;
leave();
my ($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 1 proved", 'membarrier waits for all CPUs, and no longer');
is($waits[0]{ipi_wait}{entry}, $entry, '… the last one, at the time it took the IPI');
is(wakepath('verify', $file)->{status}, 0, '… the index is intact');

# A wait in the middle of direct reclaim, whose other running time has a cause of its own.
story();
my $reclaims = at(0, 'mm_vmscan_direct_reclaim_begin', 10, order => 0);
$sent = send_mask($shoot, 1, 2);
($entry, $exit) = take('call_function', 2, 1);
$now += 500_000;
my $reclaimed = at(0, 'mm_vmscan_direct_reclaim_end', 10, nr_reclaimed => 32);
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 1 inferred way", 'a TLB shoot-down in reclaim');
is_deeply({ map { ("$_->{kind} $_->{name}" => $_->{time}) } @{ json_of(wakepath('causes', $file, '--thread', 10, '--format', 'json'))->{causes} } },
	{ 'ipi-wait CPU 1' => $exit - $sent, 'memory ran in direct reclaim' => $reclaimed - $reclaims - ($exit - $sent) }, '… counts once among the causes');

# Functions by address alone.
($file, @waits) = paths(kallsyms => '');
is(brief(@waits), "$sent-$exit 1-2 last 1 inferred way", '… without names of functions it is not proved');

# An idle CPU may have run its queued functions before its IPI arrived.
story();
$sent = send_mask($barrier, 1, 2, 3);
($entry, $exit) = take('call_function', 1, 2, 3);
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-3 last 3 inferred way", 'an idle CPU');

# A CPU on which another thread runs when the IPI arrives, although no switch to it is recorded, may have been idle before.
story();
$sent = send_mask($barrier, 1, 2);
take('call_function', 1);
at(2, 'sys_enter', 14, id => 1, args => []);
($entry, $exit) = (at(2, 'call_function_entry', 14, vector => 252), at(2, 'call_function_exit', 14, vector => 252));
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 2 inferred way", 'a CPU on which another thread runs, unseen');

# A CPU that took another IPI for functions since the call began may have run its queued functions in that one.
story();
take('call_function_single', 2);
$sent = send_mask($barrier, 1, 2);
($entry, $exit) = take('call_function', 1, 2);
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 2 inferred way", 'a CPU that called functions since the call began');

# A CPU whose IPIs for one CPU are not recorded may have run its queued functions in one of those.
story();
@events = grep { $_->[2] !~ /^call_function_single/ } @events;
$sent = send_mask($barrier, 1, 2);
($entry, $exit) = take('call_function', 1, 2);
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 2 inferred way", 'IPIs for one CPU are not recorded');

# If IPIs for several CPUs are not recorded, nothing shows when they arrived: the next IPI for one CPU does not.
story();
@events = grep { $_->[2] !~ /^call_function_(?!single)/ } @events;
send_mask($barrier, 1, 2);
take('call_function_single', 1, 2);
leave();
($file, @waits) = paths();
is(brief(@waits), '', 'none: IPIs for several CPUs are not recorded');

# An idle CPU with a lazy mm is in no mask: an IPI that it takes then is from another sender.
story();
$sent = send_mask($shoot, 1, 2);
($entry, $exit) = take('call_function', 1, 2);
take('call_function', 3);
leave();
($file, @waits) = paths();
is(brief(@waits), "$sent-$exit 1-2 last 2 inferred way", 'a CPU outside of the mask');

# The last CPU has called the function, the sender goes on, and only then does that IPI end.
story();
$sent = send_mask($barrier, 1, 2);
take('call_function', 1);
$now += 50_000;
$entry = at(2, 'call_function_entry', 12, vector => 252);
my $gone = leave();
at(2, 'call_function_exit', 12, vector => 252);
($file, @waits) = paths();
is(brief(@waits), "$sent-$gone 1-2 last 2 proved", 'the sender goes on before the IPI of the last one ends');

# One CPU: an ipi_send_cpu, by a caller that is known to send to several.
story();
send_mask($shoot, 1, 2);
take('call_function', 1, 2);
leave();
enter();
$sent = send_cpu($shoot, 1);
($entry, $exit) = take('call_function_single', 1);
leave();
($file, @waits) = paths();
is(brief($waits[1]), "$sent-$exit 1 last 1 inferred way", 'one CPU');
is($waits[1]{detail}, 'waited for CPU 1 to take an IPI: on_each_cpu_cond_mask', '… in words');

for my $none (
	[ 'an IPI to one CPU by another caller', sub { send_cpu($single, 1); take('call_function_single', 1) } ],
	[ 'a wake-up by IPI', sub { send_cpu($wake, 1); take('call_function_single', 1) } ],
	[ 'the sender goes on at once', sub { send_mask($shoot, 1, 2); leave(); enter(); take('call_function', 1, 2) } ],
	[ 'the sender goes on before the last one takes it', sub { send_mask($shoot, 1, 2); take('call_function', 1); leave(); enter(); take('call_function', 2) } ],
	[ 'the sender wakes a thread meanwhile', sub { send_mask($shoot, 1, 2); take('call_function', 1); at(0, 'sched_waking', 10, comm => 't98', pid => 98, prio => 120, target_cpu => 0); take('call_function', 2) } ],
	[ 'the sender sleeps', sub { send_mask($shoot, 1, 2); switch(0, 10, 1, 0); take('call_function', 1, 2); switch(0, 0, 0, 10) } ],
	[ 'the sender is preempted', sub { send_mask($shoot, 1, 2); switch(0, 10, 256, 14); take('call_function', 1, 2); switch(0, 14, 1, 10) } ],
	[ 'another IPI than calls functions', sub { send_mask($shoot, 1, 2); take('call_function', 1); take('reschedule', 2) } ],
	[ 'an interrupt sends it', sub { at(0, 'local_timer_entry', 10, vector => 236); send_mask($shoot, 1, 2); at(0, 'local_timer_exit', 10, vector => 236); take('call_function', 1, 2) } ],
	[ 'a CPU that is in such an IPI already takes no other', sub { at(2, 'call_function_entry', 12, vector => 252); send_mask($shoot, 1, 2); at(2, 'call_function_exit', 12, vector => 252); take('call_function', 1) } ],
	[ 'to nobody', sub { send_mask($shoot); take('call_function', 1, 2) } ],
	)
{
	my ($what, $do) = @$none;
	story();
	$do->();
	leave();
	($file, @waits) = paths();
	is(brief(@waits), '', "none: $what");
	is(wakepath('why', $file, '--thread', 10, '--format', 'text')->{out} =~ /ipi-wait/ ? 1 : 0, 0, '… nor in the account');
}

# Lost events of CPU 2, before its first recorded event.
story();
@events = grep { $_->[1] != 2 } @events;
$sent = send_mask($shoot, 1, 2);
take('call_function', 1, 2);
leave();
($file, @waits) = paths(more => { lost => 2 });
is(brief(@waits), '', 'none: events of a CPU were lost');

done_testing;
