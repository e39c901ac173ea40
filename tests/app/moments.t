#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The calls that the threads of an account were in, against babeltrace2's text: each stack is that of an event of that thread, the right one.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $trace = sample('offcpu-stacks');

my @functions;
for (split /\n/, slurp("$trace/kallsyms.txt")) {
	push @functions, [hex $1, $2 . ($3 ? " $3" : '')] if /^([0-9a-f]+) [tTwW] (\S+)(?:\t(\[\S+\]))?$/;
}
sub function_of {
	my ($address) = @_;
	my $name;
	for (@functions) { $name = $_->[1] if $_->[0] < $address }
	return $name;
}

# Each event: time, name, CPU, the thread on the CPU (for a switch the one that leaves), calls, the outermost first.
my (@events, %on);
open my $in, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
while (<$in>) {
	/^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+)/ or next;
	my ($now, $name, $cpu) = ("$1$2", $3, $4);
	my @stack = map { function_of(hex) } /callstack_kernel = \[ (.*?) \]/ ? $1 =~ /= 0x([0-9A-F]+)/g : ();
	shift @stack while @stack && $stack[0] =~ / \[lttng_/;
	push @events, { time => $now, name => $name, cpu => $cpu, on => $on{$cpu}, frames => [reverse @stack] };
	$events[-1]{on} = $1, $on{$cpu} = $2 if $name eq 'sched_switch' && /prev_tid = (\d+), .*next_tid = (\d+)/;
	$events[-1]{state} = $1 if /prev_state = (\d+)/;
}
close $in;

my ($tid) = map { $_->{tid} } grep { $_->{name} eq 'wk-ioburst' } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
my $j = json_of(wakepath('why', $trace, '--thread', $tid, '--format', 'json'));
my @with = grep { $_->{stack} } @{ $j->{blame} };
cmp_ok(scalar @with, '>', 6, 'parts with a stack');
for my $part (@with) {
	my $s = $part->{stack};
	my $whose = $part->{what} eq 'thread' ? $part->{tid} : $tid;
	my ($event) = grep { $_->{time} == $s->{time} && $_->{name} eq $s->{event} && ($_->{on} // -1) == $whose } @events;
	ok($event, "$part->{phase}, " . ($part->{name} // $part->{what}) . ": its $s->{event} is in the raw events") or next;
	is_deeply($s->{frames}, $event->{frames}, 'with these calls');
	# A thread that had a CPU has the stack of its first event since; a thread that did not, that of its last event before.
	my ($before) = grep { $_->{name} eq 'sched_switch' && $_->{cpu} == $event->{cpu} && $_->{time} < $event->{time} } reverse @events;
	if ($part->{what} eq 'thread' && ($part->{step} // 'ran') eq 'ran' && $event->{name} eq 'sched_switch') {
		is(scalar(grep { $_->{cpu} == $event->{cpu} && $_->{time} > $before->{time} && $_->{time} < $event->{time} && $_->{time} >= $j->{from} } @events), 0, 'it has no earlier event since it came')
			if $part->{phase} ne 'blocked';
	} elsif ($part->{what} ne 'thread') {
		cmp_ok($event->{state}, '!=', 0, 'it went to sleep at that event');
	}
}

my ($preempted) = grep { $_->{phase} eq 'preempted' && $_->{what} eq 'thread' } @with;
is($preempted->{name}, 'migration/1', 'the stack of the thread that preempted it');
is(join(' < ', reverse @{ $preempted->{stack}{frames} }), '__schedule < schedule < smpboot_thread_fn < kthread < ret_from_fork', 'is that when it had done its work');
my ($longest) = grep { $_->{phase} eq 'blocked' && $_->{what} eq 'unknown' } @with;
like(join(' < ', reverse @{ $longest->{stack}{frames} }), qr/^__schedule < schedule < .* < ext4_file_read_iter \[ext4\] < vfs_read </, 'the stack of its longest sleep');
is((grep { $_->{what} eq 'running' } @{ $j->{blame} })[0]{stack}, undef, 'its own running has no stack');
is((grep { $_->{what} eq 'idle' } @{ $j->{blame} })[0]{stack}, undef, 'nor has the idle CPU');

my $text = wakepath('why', $trace, '--thread', $tid)->{out};
like($text, qr/\nCall stacks:\n(?:[A-Z ]  .*\n)+/, 'in the text, too');
is((grep { length > 110 } $text =~ /^[A-Z ]  \S.*$/mg), 0, 'in lines that are not too long');
my @csv = csv_of(wakepath('why', $trace, '--thread', $tid, '--format', 'csv'));
ok(scalar @csv, 'and in the table');

is_deeply([grep { $_->{stack} } @{ json_of(wakepath('why', sample('preempt'), '--thread', 'wk-victim', '--format', 'json'))->{blame} }], [], 'without stacks there are none');
unlike(wakepath('why', sample('preempt'), '--thread', 'wk-victim')->{out}, qr/Call stacks/, 'and no text about them');

done_testing();
