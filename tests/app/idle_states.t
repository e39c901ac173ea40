#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Idle states and frequencies of CPUs: cpu_idle, against the lines of a recording and in traces made here; cpu_frequency, summed up by hand.
use strict;
use warnings;
use Encode qw(encode);
use lib "$ENV{TOP}/tests/tools";
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use Wake;
use Ftrace;
use Test::More;

my $dir = "$ENV{TMPDIR}/idle.$$";
mkdir $dir;
sub states { return @{ json_of(wakepath('states', @_, '--format', 'json'))->{intervals} } }
sub account { return json_of(wakepath('why', @_, '--format', 'json')) }
sub in_state { return map { [ $_->{from}, $_->{to}, $_->{detail} ] } grep { $_->{state} eq 'idle' && ($_->{detail} // '') =~ /^idle state/ } states(@_) }

# ---- perf script of a busy machine, whose CPU 0 idles four times: computed from its lines ----

my $text = "$dir/idle.txt";
gunzip("$ENV{TOP}/tests/app/idle_states.txt.gz" => $text) or die $GunzipError;
my (%in, @stays, %waking, @waits);	# by CPU: [time of entry, idle state]; by TID: its wake-up, with the state of its CPU
open my $lines, '<', $text or die $!;
while (<$lines>) {
	my ($cpu, $s, $ns, $event, $fields) = /\[(\d+)\] +(\d+)\.(\d{9}): +\w+:(\w+): (.*)/ or next;
	my $now = $s * 1_000_000_000 + $ns;
	$cpu += 0;
	if (my $left = delete $in{$cpu}) {	# its first event since
		push @stays, [ $cpu, $left->[0], $now, $left->[1] ];
		$_->[1] == $cpu && !defined $_->[3] and $_->[3] = $now for values %waking;
	}
	if ($event eq 'cpu_idle') {
		my ($state, $of) = $fields =~ /^state=(\d+) cpu_id=(\d+)/;
		$in{$of} = [ $now, $state ] if $state < 16;
	} elsif ($event eq 'sched_waking') {
		my ($tid, $to) = $fields =~ / pid=(\d+) .*target_cpu=(\d+)/;
		$waking{$tid} = [ $now, $to + 0, $in{ $to + 0 }[1] ] if $in{ $to + 0 } && $to != $cpu;
	} elsif ($event eq 'sched_switch' && $fields =~ /next_pid=(\d+)/ && (my $w = delete $waking{$1})) {
		push @waits, [ $1, $w->[0], $w->[3], $now, @$w[1, 2] ];
	}
}
close $lines;
is(scalar @stays, 4, 'the recording has four stays in an idle state');
is_deeply([ in_state($text, '--cpu', 0) ], [ map { [ @$_[1, 2], "idle state $_->[3]" ] } grep { $_->[0] == 0 } @stays ], '… wakepath shows the same: each until the first event of its CPU');
cmp_ok(scalar @waits, '>=', 3, 'another CPU wakes threads for it meanwhile');
for my $w (@waits) {
	my ($tid, $from, $left, $to, $cpu, $state) = @$w;
	my @at = ('--thread', $tid, '--from', $from, '--to', $to);
	my ($part) = grep { ($_->{step} // '') eq "idle state $state" } @{ account($text, @at)->{blame} };
	is_deeply([ @$part{qw(what phase cpu time grade)} ], [ 'idle', 'wake-up', $cpu, $left - $from, 'inferred' ], "from $from on the CPU needs at most " . ($left - $from) . ' ns to leave it');
	ok((grep { $_ eq 'filter' } @{ $part->{doubts} }), '… and may have left and entered it without an event');
	my ($us) = map { $_ / 1000 } $left - $from;
	my $shown = $us < 10 ? sprintf('%.2f', $us) : sprintf('%.1f', $us);
	my ($segment) = grep { $_->{kind} eq 'wait-cpu' } @{ json_of(wakepath('path', $text, @at, '--format', 'json'))->{segments} };
	is(encode('UTF-8', $segment->{detail}), "CPU $cpu was idle: it left idle state $state within $shown µs (inferred)", '… as the path shows');
	like(wakepath('causes', $text, @at)->{out}, qr/^ +1 +\Q$shown\E µs .* wait-cpu +the idle CPU $cpu in idle state $state /m, '… and the causes');
}
like(wakepath('states', $text, '--cpu', 0)->{out}, qr/ idle +0 +0 +swapper\/0 +idle state 1$/m, 'as text');

# ---- made: the ends of a state, and events that are none ----

my @sched = ([ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ char => 'name[16]' ] ] ], [ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ]);
my @formats = (@sched, map { [ power => $_, [ [ u32 => 'state' ], [ u32 => 'cpu_id' ] ] ] } qw(cpu_idle cpu_frequency));
my $ms = 1_000_000;
my $n = 0;
sub switch {
	my ($time, $cpu, $from, $state, $to) = @_;
	return [ $time * $ms, $cpu, 'sched_switch', $from, 1, prev_comm => $from ? "t$from" : 'swapper', prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => $to ? "t$to" : 'swapper', next_pid => $to, next_prio => 120 ];
}
sub power { my ($time, $cpu, $event, $tid, $state, $of) = @_; return [ $time * $ms, $cpu, $event, $tid, 1, state => $state, cpu_id => $of // $cpu ] }
sub idle { my ($time, $cpu, $state, $of) = @_; return power($time, $cpu, 'cpu_idle', 0, $state, $of) }
sub made {
	my ($formats, @events) = @_;
	my $file = "$dir/made" . $n++ . '.dat';
	spew($file, Ftrace::trace_dat(formats => $formats, events => [ sort { $a->[0] <=> $b->[0] } @events ], cpus => 2));
	return $file;
}
my $exit = 0xffffffff;
my $made = made(\@formats, switch(1, 0, 10, 1, 0), switch(1, 1, 20, 1, 0), idle(2, 0, 3), idle(5, 0, $exit), idle(6, 0, 0), idle(7, 0, 2),
	[ 9 * $ms, 0, 'irq_handler_entry', 0, 1, irq => 5, name => 'disk' ], [ 10 * $ms, 0, 'irq_handler_exit', 0, 1, irq => 5, ret => 1 ], idle(11, 0, $exit),
	idle(12, 0, 16), idle(13, 0, 1, 1), idle(14, 0, 15), switch(15, 0, 0, 0, 10), switch(16, 0, 10, 1, 0), switch(20, 1, 0, 0, 20));
is_deeply([ map { [ ($_->[0] - 1 * $ms) / $ms, ($_->[1] - 1 * $ms) / $ms, $_->[2] ] } in_state($made, '--cpu', 0) ],
	[ [ 1, 4, 'idle state 3' ], [ 5, 6, 'idle state 0' ], [ 6, 8, 'idle state 2' ], [ 13, 14, 'idle state 15' ] ],
	'a stay ends with its exit, the next state, an interrupt or a switch; a state above 15, and one of another CPU, are ignored');
is(scalar(in_state($made, '--cpu', 1)), 0, '… nor of that one');

# ---- frequencies: summed up by hand ----

# t10 runs on CPU 0 from 1 to 5 ms and from 8 to 10, on CPU 1 from 12 to 20.  kHz by CPU: [from ms, kHz], …
my %khz = (0 => [ [ 2, 1_200_000 ], [ 4, 2_400_000 ], [ 6, 800_000 ], [ 9, 3_000_000 ] ], 1 => [ [ 0.5, 2_000_000 ], [ 15, 1_000_000 ] ]);
my @ran = ([ 0, 1, 5 ], [ 0, 8, 10 ], [ 1, 12, 20 ]);
my @events = (switch(1, 0, 0, 0, 10), switch(5, 0, 10, 1, 0), switch(8, 0, 0, 0, 10), switch(10, 0, 10, 1, 0), switch(12, 1, 0, 0, 10), switch(20, 1, 10, 1, 0));
push @events, power($_->[0][0], $_->[1] ^ 1, 'cpu_frequency', 0, $_->[0][1], $_->[1]) for map { my $cpu = $_; map { [ $_, $cpu ] } @{ $khz{$cpu} } } 0, 1;	# requested by the other CPU
# The mean, lowest and highest kHz, and the ms for which they are known, between FROM and TO, in steps of 0.5 ms.
sub by_hand {
	my ($from, $to) = @_;
	my ($sum, $time, @all) = (0, 0);
	for my $r (@ran) {
		for (my $t = $r->[1]; $t < $r->[2]; $t += 0.5) {
			my ($now) = map { $_->[1] } grep { $_->[0] <= $t } reverse @{ $khz{ $r->[0] } };
			next if $t < $from || $t >= $to || !$now;
			($sum, $time) = ($sum + $now * 0.5, $time + 0.5);
			push @all, $now;
		}
	}
	my ($lowest, $highest) = (sort { $a <=> $b } @all)[0, -1];
	return $time ? { mean => int($sum / $time + 0.5), lowest => $lowest, highest => $highest, time => $time * $ms } : undef;
}
my $fast = made(\@formats, @events);
for my $window ([ 1, 20 ], [ 1, 5 ], [ 8.5, 14 ], [ 1, 2 ], [ 15, 20 ]) {
	my @of = ('--thread', 't10', '--from', $window->[0] * $ms, '--to', $window->[1] * $ms);
	is_deeply(account($fast, @of)->{frequency}, by_hand(@$window), "from $window->[0] to $window->[1] ms");
}
like(wakepath('why', $fast, '--thread', 't10', '--from', 1 * $ms, '--to', 20 * $ms)->{out}, qr/^ran 13\.0 ms at 0\.80 to 3\.00 GHz, mean 1\.51 GHz; not known for 1\.00 ms$/m, 'as text');
like(wakepath('why', $fast, '--thread', 't10', '--from', 15 * $ms, '--to', 20 * $ms)->{out}, qr/^ran 5\.00 ms at 1\.00 GHz$/m, '… of one');
is(account($made, '--thread', 't10')->{frequency}, undef, 'without such events there is no frequency');
unlike(wakepath('why', $made, '--thread', 't10')->{out}, qr/GHz/, '… nor in the text');
done_testing;
