#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Reschedule requests (need_resched) while a thread waited for a CPU: real waits against the text of trace-cmd, then cases that no recording at hand
# has, in files made for this test.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Proved;
use Wake;
use Ftrace;
use Test::More;

# `why` for the time of THREAD from FROM to TO in TRACE: the sum of all parts, and the parts.
sub why {
	my ($trace, $thread, $from, $to) = @_;
	my @parts = @{ json_of(wakepath('why', $trace, '--thread', $thread, '--from', $from, '--to', $to, '--format', 'json'))->{blame} };
	my %sum = (due => 0, lazy => 0, none => 0);
	for my $part (grep { $_->{need_resched} } @parts) { $sum{$_} += $part->{need_resched}{$_} for keys %sum }
	return (\%sum, @parts);
}
sub words { my ($sum) = @_; return join ', ', map { "$_ $sum->{$_}" } qw(due lazy none) }

# ---- real waits ----

# CPU → [ns, is due, the thread switched in]…; thread → [from, to, CPU]…: it waited there all the time, and its waker was there, too.
sub reported {
	my ($file) = @_;
	my (%events, %left, %waits);
	open my $in, '-|', "trace-cmd report -t -l -i '$file' 2>/dev/null" or die;
	while (<$in>) {
		my ($cpu, $flag, $s, $ns, $name, $text) = /-\d+\s+(\d+)[.dDbX](.)\S*\s+(\d+)\.(\d{9}): (\S+):\s*(.*)/ or next;
		my ($now, $from, $state, $to) = ("$s$ns", $name eq 'sched_switch' ? $text =~ /:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]/ : ());
		push @{ $events{$cpu} }, [ $now, $flag eq 'N' ? 1 : 0, $to ];
		$left{$1} = undef if $name eq 'sched_migrate_task' && $text =~ / pid=(\d+)/;
		if (defined $to) {
			my $wait = delete $left{$to};
			push @{ $waits{$to} }, [ @$wait, $now, $cpu ] if $to && $wait && $wait->[1] == $cpu;
			$left{$from} = [ $now, $cpu ] if $state =~ /^R/;
		} elsif ($name eq 'sched_waking' && $text =~ / pid=(\d+) .* target_cpu=(\d+)/ && !exists $left{$1}) {
			$left{$1} = [ $now, $2 == $cpu ? $cpu : -1 ];
		}
	}
	return (\%events, \%waits);
}

# How long a switch was due on a CPU, and how long none was: the times between successive EVENTS that agree.
sub counted {
	my ($events, $from, $to) = @_;
	my ($before, %time) = (undef, due => 0, none => 0);
	for my $e (grep { $_->[0] >= $from && $_->[0] <= $to } @$events) {
		my ($now, $due, $switch) = @$e;
		if ($before && $before->[1] && (defined $switch || $due)) { $time{due} += $now - $before->[0] }
		elsif ($before && !$before->[1] && !defined $switch && !$due) { $time{none} += $now - $before->[0] }
		$before = [ $now, defined $switch ? 0 : $due ];
	}
	return \%time;
}

my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';
my @real = qw(preempt lockfight rt-ioburst);
sub check_real {
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};
	for my $name (@real) {
		my ($events, $waits) = reported("$inputs/$name/trace.dat");
		my @all = sort { $b->[2] - $b->[1] <=> $a->[2] - $a->[1] } map { my $tid = $_; map { [ $tid, $_->[0], $_->[2], $_->[3] ] } @{ $waits->{$tid} } } sort keys %$waits;
		my ($compared, $due) = (0, 0);
		for my $wait (@all[ 0 .. ($#all < 15 ? $#all : 15) ]) {
			my ($tid, $from, $to, $cpu) = @$wait;
			my ($sum, @parts) = why("$inputs/$name/trace.dat", $tid, $from, $to);
			next if grep { $_->{what} eq 'unknown' || $_->{phase} !~ /^(?:wait-cpu|preempted)$/ } @parts;
			my $is = counted($events->{$cpu}, $from, $to);
			is($sum->{due}, $is->{due}, "$name: a switch was due on CPU $cpu from $from to $to");
			# trace-cmd shows no lazy requests, which PREEMPT_RT has.
			is($sum->{none}, $is->{none}, '… and none was') if $name !~ /^rt/;
			is(scalar(grep { $_->{cpu} != $cpu } @parts), 0, '… of that CPU');
			$compared++;
			$due += $is->{due};
		}
		cmp_ok($compared, '>', 5, "$name: waits");
		cmp_ok($due, '>', 100_000, '… in which a switch was due');
	}

	# wk-rt is woken for CPU 0 by an interrupt of wk-victim, after the tick had requested a switch; wk-victim goes on for 1.1 ms, with
	# softirqs:
	#	wk-victi-1173    0dNh2.   419.457531133: sched_waking:         comm=wk-rt pid=1174 prio=49 target_cpu=000
	#	… all N …
	#	wk-victi-1173    0d..2.   419.458678946: sched_switch:         wk-victim:1173 [120] R ==> wk-rt:1174 [49]
	my ($sum, @parts) = why("$inputs/preempt/trace.dat", 1174, 419457531133, 419458678946);
	is(words($sum), 'due ' . (419458678946 - 419457531133) . ', lazy 0, none 0', 'a switch was due all the time that wk-rt waited');
	is(scalar(grep { !$_->{need_resched} } @parts), 0, '… whichever thread had the CPU');

	# PREEMPT_RT has lazy requests: common_flags = 2 at each event from the second on, which trace-cmd does not show:
	#	jbd2/vdb-518     0d..3.   190.240266336: sched_waking:         comm=ksoftirqd/0 pid=17 prio=120 target_cpu=000
	#	jbd2/vdb-518     0d..4.   190.240281579: sched_wakeup:         ksoftirqd/0:17 [120] CPU:000
	#	jbd2/vdb-518     0d..2.   190.240788654: sched_switch:         jbd2/vdb-8:518 [120] D ==> ksoftirqd/0:17 [120]
	($sum, @parts) = why("$inputs/rt-ioburst/trace.dat", 17, 190240266336, 190240788654);
	is($sum->{lazy}, 190240788654 - 190240281579, 'a lazy switch');
	is($sum->{due}, 0, '… is not counted as due');
}
SKIP: {
	skip 'the recordings of ftrace are not there', 1 if !-d "$inputs/preempt";
	Proved::holds('app/need_resched', { map { $_ => "$inputs/$_/trace.dat" } @real }, '', \&check_real);
}

# ---- made: trace.dat ----

my $wake = [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ];
my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	(map { [ sched => $_, $wake ] } qw(sched_waking sched_wakeup)),
	[ sched => 'sched_migrate_task', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'orig_cpu' ], [ int => 'dest_cpu' ] ] ],
	[ user => 'mark', [ [ int => 'value' ] ] ],
	(map { [ irq => $_, [ [ 'unsigned int' => 'vec' ] ] ] } qw(softirq_entry softirq_exit softirq_raise)),
);
my ($lazy, $need, $folded, $softirq) = (0x02, 0x04, 0x20, 0x10);

# Threads 10, 11 (fair) and 20, 21 (FIFO); times are µs, flags those of the thread on the CPU.
sub prio { return $_[0] >= 20 && $_[0] < 30 ? 50 : 120 }
sub switch { my ($t, $cpu, $from, $state, $to) = @_; return [ $t, $cpu, 'sched_switch', $from, 1, prev_comm => "t$from", prev_pid => $from, prev_prio => prio($from), prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => prio($to) ] }
sub wake { my ($t, $cpu, $by, $flags, $name, $who, $target) = @_; return [ $t, $cpu, $name, $by, $flags, comm => "t$who", pid => $who, prio => prio($who), target_cpu => $target ] }
sub mark { my ($t, $cpu, $pid, $flags, $name) = @_; return [ $t, $cpu, $name // 'mark', $pid, $flags, vec => 1 ] }

my $n = 0;
sub made {
	my (@events) = @_;
	my $file = "$ENV{TMPDIR}/made" . $n++ . '.dat';
	spew($file, trace_dat(formats => \@formats, events => [ map { [ $_->[0] * 1000, @$_[ 1 .. $#$_ ] ] } sort { $a->[0] <=> $b->[0] } @events ]));
	return $file;
}
# Thread 20 sleeps from 1100 on, 10 has CPU 0; CPU 1 has 11.
my @begin = (switch(1000, 0, 0, 0, 20), switch(1001, 1, 0, 0, 11), switch(1100, 0, 20, 1, 10));
sub is_made {
	my ($events, $thread, $from, $to, $is, $name) = @_;
	my ($sum, @parts) = why(made(@begin, @$events), $thread, $from * 1000, $to * 1000);
	is(words($sum), $is, $name);
	return @parts;
}

my @parts = is_made([ wake(2000, 0, 10, 9, 'sched_waking', 20, 0), wake(2010, 0, 10, 9 | $need | $folded, 'sched_wakeup', 20, 0), switch(2300, 0, 10, 0, 20), switch(2400, 0, 20, 1, 10) ],
	20, 2000, 2300, 'due 290000, lazy 0, none 0', 'due from the event that shows the flag to the switch; before it, unknown');
my %told = %{ $parts[0]{need_resched} };
is("$told{event} $told{time} $told{cpu}", 'sched:sched_wakeup 2010000 0', '… the first event with the flag');

is_made([ wake(2000, 0, 10, 9, 'sched_waking', 20, 0), wake(2010, 0, 10, 9 | $need, 'sched_wakeup', 20, 0), mark(2030, 0, 10, $need), mark(2100, 0, 10, 0), mark(2150, 0, 10, 0), switch(2300, 0, 10, 0, 20) ],
	20, 2000, 2300, 'due 20000, lazy 0, none 50000', 'withdrawn without a switch: known between successive events that agree');

is_made([ wake(2000, 0, 10, 9, 'sched_waking', 20, 0), wake(2010, 0, 10, 9 | $lazy, 'sched_wakeup', 20, 0), mark(2050, 0, 10, $lazy), mark(2060, 0, 10, $lazy | $need), switch(2080, 0, 10, 0, 20) ],
	20, 2000, 2080, 'due 20000, lazy 40000, none 0', 'lazy at first');

# Flags of an event are those of the CPU that recorded it: the waker's, on CPU 1, show nothing about CPU 0.
@parts = is_made([ wake(2000, 1, 11, $need, 'sched_waking', 20, 0), wake(2010, 1, 11, $need, 'sched_wakeup', 20, 0), mark(2020, 0, 10, 0), mark(2100, 0, 10, 0), mark(2120, 0, 10, $need), mark(2125, 1, 11, 0), mark(2130, 0, 10, $need | $folded), switch(2200, 0, 10, 0, 20) ],
	20, 2000, 2200, 'due 80000, lazy 0, none 80000', 'set from another CPU: seen before its IPI, and only on its own CPU');

# A softirq goes on although a switch is due, after a time in which none was.
@parts = is_made([ wake(2000, 0, 10, 1, 'sched_waking', 20, 0), mark(2010, 0, 10, $softirq, 'softirq_entry'), mark(2110, 0, 10, $softirq, 'softirq_raise'), mark(2120, 0, 10, $softirq | $need, 'softirq_raise'),
	mark(2220, 0, 10, $softirq | $need, 'softirq_exit'), switch(2300, 0, 10, 0, 20) ],
	20, 2000, 2300, 'due 180000, lazy 0, none 110000', 'with a softirq that interrupted the thread');
my ($soft) = grep { $_->{what} eq 'softirq' } @parts;
is(words($soft->{need_resched}), 'due 100000, lazy 0, none 100000', '… whose part is counted apart');

# Two threads wait for CPU 0: a switch goes to the first, and the next begins without the flag; the second is migrated to CPU 1, where none is due.
my @two = (wake(2000, 0, 10, 1, 'sched_waking', 20, 0), wake(2010, 0, 10, 1 | $need, 'sched_wakeup', 20, 0), switch(2100, 0, 10, 0, 20), mark(2150, 0, 20, 0), mark(2160, 0, 20, $need), switch(2200, 0, 20, 1, 12),
	[ 2300, 1, 'sched_migrate_task', 11, 1, comm => 't10', pid => 10, prio => 120, orig_cpu => 0, dest_cpu => 1 ], mark(2310, 0, 12, $need), mark(2390, 0, 12, $need), mark(2350, 1, 11, 0), mark(2380, 1, 11, 0), switch(2400, 1, 11, 1, 10));
is_made(\@two, 20, 2000, 2100, 'due 90000, lazy 0, none 0', 'two wait: the first');
@parts = is_made(\@two, 10, 2100, 2400, 'due 40000, lazy 0, none 130000', '… the second, by the threads it waited for, and migrated to a CPU where no switch is due');
is(join(' ', map { "$_->{tid}:" . ($_->{need_resched} ? words($_->{need_resched}) : 'null') } sort { $a->{tid} <=> $b->{tid} } grep { $_->{what} eq 'thread' } @parts),
	'11:due 0, lazy 0, none 80000 12:null 20:due 40000, lazy 0, none 50000', '… each for itself, and null where no two events agree');

# ---- made: LTTng, with and without the context ----

my ($u8, $u32, $i32, $i64, $u64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [8, 'false'], [32, 'false'], [32, 'true'], [64, 'true'], [64, 'false'];
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my @classes = (
	['sched_switch', "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;", 'a16l<l<q<a16l<l<'],
	['sched_waking', "$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;", 'a16l<l<l<'],
	['irq_softirq_raise', "$u32 vec;", 'L<'],
);
my %id = map { $classes[$_][0] => $_ } 0 .. $#classes;

# A trace NAME of packets of CPU 0, each of events [µs, need_reschedule, name, fields…]; an event is lost before each packet except the first.
sub lttng {
	my ($name, $context, @packets) = @_;
	my $folder = "$ENV{TMPDIR}/$name/kernel";
	system('mkdir', '-p', $folder) == 0 or die;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "$name"; domain = "kernel"; tracer_name = "lttng-modules"; kernel_release = "6.1.0"; };
clock { name = mono; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; $u64 content_size; $u64 packet_size; $u64 events_discarded; $u32 cpu_id; };
	event.header := struct { $u32 id; ts_t timestamp; };@{[ $context ? "event.context := struct { $u8 _need_reschedule; };" : '' ]} };
END
	my $bytes = '';
	for my $i (0 .. $#packets) {
		my $events = join '', map { pack('L<Q<', $id{ $_->[2] }, $_->[0] * 1000) . ($context ? chr $_->[1] : '') . pack($classes[ $id{ $_->[2] } ][2], @$_[ 3 .. $#$_ ]) } @{ $packets[$i] };
		my $size = (8 + 44 + length $events) * 8;
		$bytes .= pack('L<L<Q<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, map({ $_->[0] * 1000 } @{ $packets[$i] }[ 0, -1 ]), $size, $size, $i, 0) . $events;
	}
	spew("$folder/k_0", $bytes);
	return $folder;
}
sub to { my ($t, $from, $state, $next) = @_; return [ $t, 0, 'sched_switch', "t$from", $from, 20, $state, "t$next", $next, 20 ] }
sub raise { my ($t, $due) = @_; return [ $t, $due, 'irq_softirq_raise', 1 ] }

my @story = (to(1000, 0, 0, 20), to(1100, 20, 1, 10), [ 2000, 0, 'sched_waking', 't20', 20, 20, 0 ], raise(2010, 1), raise(2050, 1));
my $trace = lttng('context', 1, [ @story, to(2100, 10, 0, 20), to(2200, 20, 1, 10) ]);
is(words((why($trace, 20, 2_000_000, 2_100_000))[0]), 'due 90000, lazy 0, none 0', 'the context need_reschedule of LTTng');
like(wakepath('why', $trace, '--thread', 20, '--from', 2_000_000, '--to', 2_100_000)->{out},
	qr/^Need-resched while it waited for a CPU: a switch was due for 90\.0 µs\nA  t10\[10\]: a switch was due for 90\.0 µs, first at \S+\.002010000, irq_softirq_raise on CPU 0$/m, '… in the text');

# The pane: of the selected part, below the list.
spew("$ENV{TMPDIR}/script", join "\n", 'size 100 40', 'B', 'j', "dump $ENV{TMPDIR}/account.txt", '');
is(wakepath($trace, '--thread', 20, '--goto', '+1.05ms', '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'an account is shown');
like(slurp("$ENV{TMPDIR}/account.txt"), qr/need-resched: a switch was due for 90\.0 µs/, '… with it');

$trace = lttng('none', 0, [ @story, to(2100, 10, 0, 20), to(2200, 20, 1, 10) ]);
is(join(' ', map { defined $_->{need_resched} ? 1 : 0 } (why($trace, 20, 2_000_000, 2_100_000))[1]), '0', 'without the context nothing is known');
unlike(wakepath('why', $trace, '--thread', 20, '--from', 2_000_000, '--to', 2_100_000)->{out}, qr/need-resched|switch was due/, '… and nothing shown');

# Events are lost between 2050 and 2070: the events around say nothing about that time, and the thread on the CPU is unknown until the next switch.
$trace = lttng('lost', 1, \@story, [ raise(2070, 1), raise(2080, 1), to(2100, 10, 0, 20), to(2200, 20, 1, 10) ]);
is(words((why($trace, 20, 2_000_000, 2_100_000))[0]), 'due 40000, lazy 0, none 0', 'not where events were lost');

done_testing;
