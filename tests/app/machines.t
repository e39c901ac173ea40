#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Recordings of newer kernels and other machines: facts that wakepath once got wrong in each, against its raw events (trace-cmd report, the bytes of
# perf.data) and the marks of the programs that ran (truth.log, CLOCK_MONOTONIC).  Others of these recordings are in throttled.t, offline.t,
# not-recorded.t, guest_clocks.t, kernel_threads.t and tests/oracle/compare_made.t.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use List::Util qw(sum0);
use Wake;
use Test::More;

my $machines = ($ENV{SHARED_TRACES} // '/nonexistent') . '/../recordings/machines';
plan skip_all => 'the recordings are not at hand' if !-d $machines;
my $reports = system('command -v trace-cmd >/dev/null') == 0;

sub answer { my (@args) = @_; return json_of(wakepath(@args, '--format', 'json')) }
sub info { my ($trace) = @_; return answer('info', $trace)->{traces}[0] }
sub marks { my ($name) = @_; return map { /^(\d+) tid=(\d+) (.*)/ ? { time => $1, tid => $2, text => $3 } : () } split /\n/, slurp("$machines/$name/truth.log") }
# [from, to] of each pair of marks whose texts begin with these words.
sub between {
	my ($name, $begin, $end) = @_;
	my @marks = marks($name);
	my @ends = grep { $_->{text} =~ /^$end/ } @marks;
	return map { my $b = $_; my ($e) = grep { $_->{time} > $b->{time} && $_->{tid} == $b->{tid} } @ends; $e ? [ $b->{time}, $e->{time} ] : () } grep { $_->{text} =~ /^$begin/ } @marks;
}
# The events of trace.dat: { comm, tid, cpu, time, name, text }.
sub raw {
	my ($name) = @_;
	return map { /^\s*(\S.*?)-(\d+)\s+\[(\d+)\]\s+(?:\S+\s+)?(\d+)\.(\d{9}): +(\w+): *(.*)/ ? { comm => $1, tid => $2, cpu => $3 + 0, time => "$4$5", name => $6, text => $7 } : () }
		`trace-cmd report -t '$machines/$name/trace.dat' 2>/dev/null`;
}

# ---- perf on arm64: one stray timer as perf ends, once taken as a sign that interrupts have no events ----

for my $name (qw(a64-perf-preempt a64-perf-rpc)) {
	is_deeply(info("$machines/$name/perf.data")->{warnings}, [], "$name: no warning");
}
{
	my @causes = @{ answer('causes', "$machines/a64-perf-preempt/perf.data", '--thread', 'wk-victim')->{causes} };
	my ($victim) = grep { $_->{text} =~ /^victim begin/ } marks('a64-perf-preempt');
	my ($end) = map { $_->{time} } grep { $_->{text} =~ /^victim end/ } marks('a64-perf-preempt');
	my @upon = grep { $_->[0] > $victim->{time} && (!$end || $_->[1] < $end) } between('a64-perf-preempt', 'rt begin', 'rt end');
	my ($rt) = grep { $_->{kind} eq 'preempted' && $_->{name} =~ /^wk-rt/ } @causes;
	cmp_ok(scalar @upon, '>=', 5, 'a64-perf-preempt: wk-rt ran often');
	ok($rt->{count} >= @upon && $rt->{count} <= @upon + 1, '… it took the CPU as often');	# once more for its last round, or as it starts
	is($rt->{proved}, $rt->{count}, '… with grade proved');
	my $ran = sum0(map { $_->[1] - $_->[0] } @upon);
	ok($rt->{time} > 0.9 * $ran && $rt->{time} < 1.5 * $ran, "… for $rt->{time} ns, of which it ran $ran by its own marks");
}

# ---- requests over lo, without headers of packets ----

for (['a64-perf-rpc', 'perf.data', 6], ['x64-rpc', 'trace.dat', 8]) {
	my ($name, $file, $n) = @$_;
	my @asked = between($name, 'request begin', 'request end');
	my @requests = @{ answer('requests', "$machines/$name/$file")->{requests} };
	is(scalar @asked, $n, "$name: $n requests were sent");
	is(scalar @requests, $n, '… all are found');
	# A request lies between its marks; if these are by another clock, only its length does.
	is_deeply([ grep { $requests[$_]{duration} > $asked[$_][1] - $asked[$_][0] } 0 .. $n - 1 ], [], '… none takes longer than the time between its marks');
	is_deeply([ grep { $file eq 'trace.dat' && ($requests[$_]{from} < $asked[$_][0] || $requests[$_]{to} > $asked[$_][1]) } 0 .. $n - 1 ], [], '… within them');
	is_deeply([ grep { $_->{peer_name} ne 'wk-server' } @requests ], [], '… by wk-server');
}
SKIP: {
	skip 'there is no trace-cmd', 2 if !$reports;
	my (%sent, @passed);
	for my $e (raw('x64-rpc')) {
		my ($packet) = $e->{text} =~ /skbaddr=(\w+)/ or next;
		$sent{$packet} = $e->{tid} if $e->{name} eq 'net_dev_queue' && $e->{text} =~ /dev=lo\b/;
		push @passed, $sent{$packet} if $e->{name} eq 'netif_receive_skb' && defined $sent{$packet};
	}
	cmp_ok(scalar(grep { $_ == 381 } @passed), '>=', 8, 'x64-rpc: packets of wk-client pass lo by the same address');
	my @woken = grep { $_->{source}{kind} eq 'network' } @{ answer('wakeups', "$machines/x64-rpc/trace.dat", '--thread', 'wk-server')->{wakeups} };
	is(scalar(grep { $_->{source}{grade} eq 'proved' } @woken), scalar @woken, '… and each that wakes wk-server is proved') or diag(scalar @woken);
}

# ---- signals: their numbers, if their sender is the waker ----

SKIP: {
	skip 'there is no trace-cmd', 2 if !$reports;
	my (@sent, @waking);
	for my $e (raw('a64-signals')) {
		push @waking, $e->{time} if $e->{name} eq 'sched_waking' && $e->{text} =~ /pid=1191\b/ && $e->{tid} == 1190;
		my ($signal) = $e->{name} eq 'signal_generate' && $e->{text} =~ /^sig=(\d+).* pid=1191\b/ ? $1 : next;
		push @sent, map { "$_ $signal" } splice @waking;	# written after the wake-up that it causes
	}
	cmp_ok(scalar @sent, '>', 5, 'a64-signals: wx-victim is woken by signals');
	my $text = wakepath('wakeups', "$machines/a64-signals/trace.dat", '--thread', '1191')->{out};
	my @said = map { /^00:26:(\d+)\.(\d{9}).*signal:? (\d+) / ? 1560 + $1 . "$2 $3" : () } split /\n/, $text;
	is_deeply(\@said, \@sent, '… each with its number');
}

# ---- locks ----

# pi-low holds the lock, boosted; pi-mid, which could otherwise preempt it, never does.
{
	my $got = grep { $_->{text} =~ /^high got/ } marks('x64-pi');
	my @by = grep { $_->{kind} eq 'thread' } @{ answer('causes', "$machines/x64-pi/trace.dat", '--thread', 'pi-high')->{causes} };
	is(join(' ', map { "$_->{name} $_->{count}" } @by), "pi-low $got", 'x64-pi: only pi-low makes pi-high wait');
	my ($waited, $held) = (sum0(map { $_->{time} } @by), sum0(map { $_->[1] - $_->[0] } between('x64-pi', 'high wants', 'high got')));
	ok($waited < $held + 1e6 * $got && $waited > 0.5 * $held, "… for $waited ns, $held between its marks");
}
SKIP: {
	skip 'there is no trace-cmd', 3 if !$reports;
	my $fight = "$machines/a64-lockfight/trace.dat";
	my @by = grep { $_->{kind} eq 'thread' } @{ answer('causes', $fight, '--thread', 'wk-fighter0')->{causes} };
	is_deeply([ sort map { $_->{name} } @by ], [ 'wk-fighter1', 'wk-fighter2' ], 'a64-lockfight: wk-fighter0 waits for the other two');
	is_deeply([ grep { /not recorded/ } map { $_->{name} } @{ answer('causes', $fight)->{causes} } ], [], '… all softirqs are known, including those of ksoftirqd');
	# Calls by name: raw_syscalls records numbers, for which trace-cmd has names of its own.
	my (%left, %entered);
	for my $e (raw('a64-lockfight')) {
		$entered{$e->{tid}} = $1 if $e->{name} =~ /^sys_enter_(\w+)/;
		$left{$1}++ if $e->{name} =~ /^sys_exit_(\w+)/ && ($entered{$e->{tid}} // '') eq $1;
	}
	my %said = map { ($_->{name} => $_->{count}) } @{ answer('latency', $fight, '--kind', 'syscall', '--by', 'call', '--top', 0)->{groups} };
	is_deeply([ map { "$_ $said{$_}" } grep { ($left{$_} // 0) != $said{$_} } sort keys %said ], [], '… calls have the names and numbers that trace-cmd gives them');
}

# ---- a chain of threads: each item goes through the stages in their order ----

{
	my @items = between('x64-pipeline', 'pipeline begin', 'pipeline end');
	is(scalar @items, 8, 'x64-pipeline: eight items');
	for my $item (@items) {
		my @who;
		for (@{ answer('path', "$machines/x64-pipeline/trace.dat", '--thread', 'wk-pipe-main', '--from', $item->[0], '--to', $item->[1])->{segments} }) {
			push @who, $_->{actor}{name} if $_->{kind} =~ /^(running|syscall)$/ && (!@who || $who[-1] ne $_->{actor}{name});
		}
		is("@who", 'wk-pipe-main wk-stage0 wk-stage1 wk-stage2 wk-stage3 wk-pipe-main', '… through all stages');
	}
	my ($last) = sort { $b->{count} <=> $a->{count} } grep { $_->{kind} eq 'thread' } @{ answer('causes', "$machines/x64-pipeline/perf.data", '--thread', 'wk-pipe-main')->{causes} };
	ok($last && $last->{name} =~ /^wk-stage/, '… by perf.data, too, it waits for stages');
}

# ---- stacks are of the thread whose event they belong to ----

SKIP: {
	skip 'there is no trace-cmd', 2 if !$reports;
	my %tid = map { $_->{name} eq 'kernel_stack' ? ($_->{time} => $_->{tid}) : () } raw('x64-stacks');
	my @stacks = grep { defined $_->{tid} } @{ answer('events', "$machines/x64-stacks/trace.dat", '--name', 'kernel_stack', '--top', 0)->{events} };
	cmp_ok(scalar @stacks, '>', 0.8 * keys %tid, 'x64-stacks: the thread of nearly all stacks is known');
	is_deeply([ map { "$_->{rank}: $_->{tid}" } grep { $_->{tid} != $tid{$_->{time}} } @stacks ], [], '… it is the one that trace-cmd prints');
}

# ---- samples of counters, in groups ----

# The samples of perf.data at PATH: { time, period, attr, values: id → value }, of attrs with { type, config }.
sub samples_of {
	my ($path) = @_;
	my $bytes = slurp($path);
	my (undef, undef, $attr_size, $attrs, $attrs_size, $data, $data_size) = unpack 'a8 Q7', $bytes;
	my (@attrs, %attr, @samples);
	for (my $at = $attrs; $at < $attrs + $attrs_size; $at += $attr_size) {
		my ($type, $size, $config, undef, $sample, $format) = unpack "x$at L L Q Q Q Q", $bytes;
		my ($ids, $length) = unpack 'x' . ($at + $attr_size - 16) . ' Q Q', $bytes;
		push @attrs, { type => $type, config => $config, sample => $sample, format => $format };
		$attr{$_} = $attrs[-1] for unpack "x$ids Q" . $length / 8, $bytes;
	}
	for (my $at = $data; $at < $data + $data_size;) {
		my ($type, undef, $size) = unpack "x$at L S S", $bytes;
		my $next = $at + $size;
		if ($type == 9) {
			my @words = unpack 'x' . ($at + 8) . ' Q' . ($size - 8) / 8, $bytes;
			my $a = $attr{$words[0]};	# PERF_SAMPLE_IDENTIFIER comes first
			my $has = sub { return $a->{sample} & $_[0] };
			my %s = (attr => $a);
			shift @words;
			shift @words for grep { $has->($_) } 1, 2;	# ip; pid and tid
			$s{time} = shift @words if $has->(4);
			shift @words for grep { $has->($_) } 8, 64, 512, 128;	# address, id, stream, CPU
			$s{period} = shift @words if $has->(256);
			if ($has->(16) && ($a->{format} & 12) == 12) {	# a group, with ids
				my ($n, undef, undef) = map { $a->{format} & $_ ? shift @words : undef } 8, 1, 2;	# their number; the times that they were enabled and ran
				for (1 .. $n) {
					my ($value, $id) = splice @words, 0, $a->{format} & 16 ? 3 : 2;	# the number lost, if present
					$s{values}{"$attr{$id}{type} $attr{$id}{config}"} = $value;
				}
			}
			push @samples, \%s;
		}
		$at = $next;
	}
	return @samples;
}
{
	my $path = "$machines/x64-counters-group/perf.data";
	my %name = ('1 0' => 'cpu-clock', '1 2' => 'page-faults', '1 3' => 'context-switches');
	my @clock = sort { $a->{time} <=> $b->{time} } grep { $_->{attr}{type} == 1 && $_->{attr}{config} == 0 } samples_of($path);
	cmp_ok(scalar @clock, '>', 1000, 'x64-counters-group: there are samples of the clock');
	is(join(' ', grep { /samples of counters/ } @{ info($path)->{notes} }), 'samples of counters: cpu-clock ' . @clock, '… all are counted');
	my @said = @{ answer('events', $path, '--name', 'cpu-clock', '--top', 0)->{events} };
	is(scalar @said, scalar @clock, '… all are listed');
	is_deeply([ sort map { my $e = $_; join ' ', map { $e->{fields} =~ /\b$_ = (\d+)/ ? "$_ $1" : "$_ -" } 'perf_period', sort values %name } @said ],
		[ sort map { my $s = $_; my %v = map { ($name{$_} => $s->{values}{$_}) } keys %name; join ' ', "perf_period $s->{period}", map { "$_ $v{$_}" } sort keys %v } @clock ],
		'… each with its period, the clock, faults and switches');
}

done_testing;
