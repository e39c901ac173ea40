#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Traces of "perf data convert --to-ctf".  They are made here as its tools/perf/util/data-convert-bt.c makes them (metadata of perf 6.1), and their
# contents are counted from babeltrace2's text.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(max min);
use Test::More;

my $scratch = $ENV{TMPDIR};
my $uuid = '71f0b2fb-19c4-4862-9de2-ee688fe5e456';

sub int_of { return "integer { size = $_[0]; align = $_[1]; signed = " . ($_[2] ? 'true' : 'false') . "; encoding = none; base = decimal; byte_order = le; $_[3]}" }
my ($u32, $s32, $u64, $s64) = map { int_of(@$_, '') } [32, 1, 0], [32, 1, 1], [64, 1, 0], [64, 1, 1];
my $string = 'string { encoding = UTF8; }';

# The metadata; OFFSET is the offset that --tod gives the clock.
sub metadata {
	my (%how) = @_;
	my $offset = $how{offset} // 0;
	my $cpu = $how{per_event} ? '' : int_of(32, 1, 0, '') . ' cpu_id;';
	my $sample = "$u64 perf_ip; $s32 perf_tid; $s32 perf_pid; $u64 perf_id; " . ($how{per_event} ? "$u32 perf_cpu; " : '') . "$u64 perf_period;";
	my $common = "$u32 common_type; $u32 common_flags; $u32 common_preempt_count; $s32 common_pid;";
	my $packet = join ' ', map { int_of(64, 8, 0, '') . " $_;" } qw(timestamp_begin timestamp_end content_size packet_size events_discarded);
	return <<"END";
/* CTF 1.8 */
trace { major = 1; minor = 8; uuid = "$uuid"; byte_order = le; packet.header := struct { ${\int_of(32, 8, 0, '')} magic; ${\int_of(8, 8, 0, '')} uuid[16];
	${\int_of(32, 8, 0, '')} stream_id; } align(8); };
env { host = "box"; sysname = "Linux"; release = "6.1.0"; version = "6.1.187"; machine = "x86_64"; domain = "kernel"; tracer_name = "perf"; };
clock { name = perf_clock; uuid = "76ea49a9-9f49-42f9-8c21-5385802eaa98"; description = "perf clock"; freq = 1000000000; precision = 10;
	offset_s = 0; offset = $offset; absolute = FALSE; };
stream { id = 0; event.header := struct { ${\int_of(32, 8, 0, '')} id; ${\int_of(64, 8, 0, 'map = clock.perf_clock.value; ')} timestamp; } align(8);
	packet.context := struct { $packet $cpu } align(8); };
event { id = 0; name = "sched:sched_switch"; stream_id = 0; fields := struct { $sample $common $string prev_comm; $s32 prev_pid; $s32 prev_prio; $s64 prev_state;
	$string next_comm; $s32 next_pid; $s32 next_prio; } align(8); };
event { id = 1; name = "sched:sched_waking"; stream_id = 0; fields := struct { $sample $common $string comm; $s32 pid; $s32 prio; $s32 target_cpu; } align(8); };
event { id = 2; name = "perf_mmap"; stream_id = 0; fields := struct { $u32 pid; $u32 tid; $u64 start; $string filename; } align(8); };
END
}

# One event: { time, cpu, bytes }.
sub event {
	my ($how, $id, $time, $cpu, $tid, $pid, $rest) = @_;
	return { time => $time, cpu => $cpu, bytes => pack('V Q<', $id, $time) . pack('V V l< l< Q<', 0x821facd8, 0xffffffff, $tid, $pid, 12) .
		($how->{per_event} ? pack('V', $cpu) : '') . pack('Q< V V V l<', 1, 372, 1, 3, $tid) . $rest };
}

sub switch_of {
	my ($how, $time, $cpu, $prev, $state, $next) = @_;
	return event($how, 0, $time, $cpu, $prev->[1], $prev->[2], pack('Z* l< l< q< Z* l< l<', $prev->[0], $prev->[1], 120, $state, $next->[0], $next->[1], 120));
}

sub waking { my ($how, $time, $cpu, $by, $who, $target) = @_; return event($how, 1, $time, $cpu, $by->[1], $by->[2], pack('Z* l< l< l<', $who->[0], $who->[1], 120, $target)) }
sub mmap { my ($time, $name) = @_; return { time => $time, cpu => 0, bytes => pack('V Q< V V Q< Z*', 2, $time, 1, 1, 4096, $name) } }

# A stream file NAME of packets of up to EACH events, in order of time.
sub stream {
	my ($folder, $how, $name, $cpu, $each, @events) = @_;
	my $file = '';
	while (my @some = splice @events, 0, $each) {
		my $body = join '', map { $_->{bytes} } @some;
		my $head = 24 + 40 + ($how->{per_event} ? 0 : 4);
		my $bits = ($head + length $body) * 8;
		$file .= pack('V a16 V', 0xc1fc1fc1, pack('H*', $uuid =~ s/-//gr), 0) . pack('Q<5', $some[0]{time}, $some[-1]{time}, $bits, $bits, 0) .
			($how->{per_event} ? '' : pack('V', $cpu)) . $body;
	}
	spew("$folder/$name", $file);
}

my $start = 909_000_000_123;
my @threads = (['swapper/0', 0, 0], ['swapper/1', 0, 0], ['main', 700, 700], ['worker', 701, 700]);

# The trace: with --all also the records of perf itself, without a time; PER_EVENT: only the events have the CPU.
sub make {
	my ($name, %how) = @_;
	my $folder = "$scratch/$name";
	my ($idle0, $idle1, $main, $worker) = @threads;
	my @events = $how{all} ? map { mmap(0, "lib$_.so") } 1 .. 2500 : ();
	for my $i (0 .. 99) {
		my $t = $start + $i * 160_000;
		push @events, switch_of(\%how, $t + 1000, 0, $idle0, 0, $main), waking(\%how, $t + 51_000, 0, $main, $worker, 1),
			switch_of(\%how, $t + 53_000, 1, $idle1, 0, $worker), switch_of(\%how, $t + 61_000, 0, $main, 1, $idle0),
			waking(\%how, $t + 91_000, 1, $worker, $main, 0), switch_of(\%how, $t + 93_000, 1, $worker, 1, $idle1);
	}
	mkdir $folder;
	spew("$folder/metadata", metadata(%how));
	if ($how{per_event}) {
		stream($folder, \%how, 'perf_stream_0', undef, 250, @events);
	} else {
		for my $cpu (0, 1) { stream($folder, \%how, "perf_stream_$cpu", $cpu, 250, grep { $_->{cpu} == $cpu } @events) }
	}
	return $folder;
}

sub event_lines { return split /\n/, `babeltrace2 --clock-seconds --no-delta '$_[0]' 2>/dev/null` }
sub info { return json_of(wakepath('info', @_, '--format', 'json'))->{traces}[0] }

# ns on each CPU per thread, from the raw switches.
sub busy {
	my (%since, %busy);
	for (@_) {
		my ($s, $ns, $cpu, $prev) = /^\[(\d+)\.(\d{9})\].* sched:sched_switch: .*?(?:cpu_id|perf_cpu) = (\d+).* prev_pid = (\d+)/ or next;
		$busy{$prev} += "$s$ns" - $since{$cpu} if defined $since{$cpu} && $prev;
		$since{$cpu} = "$s$ns";
	}
	return \%busy;
}

sub check {
	my ($trace, $what) = @_;
	my @lines = event_lines($trace);
	my $info = info($trace);
	is($info->{events}, scalar @lines, "$what: all events");
	is("$info->{from} $info->{to}", join(' ', $start + 1000, $start + 99 * 160_000 + 93_000), "$what: from the first event with a time to the last");
	is("$info->{host} $info->{tracer} $info->{release} $info->{cpus}", 'box perf 6.1.187 6.1.0 2', "$what: the recorder");
	is($info->{stepped_back}, 0, "$what: no clock stepped back");
	is(scalar(grep { $_->{command} !~ /^perf record -a -k mono -e \S+:/ } @{ $info->{advice} }), 0, "$what: advice for perf");
	my %threads = map { $_->{tid} => $_ } grep { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	is(join(' ', map { "$_ $threads{$_}{name} $threads{$_}{pid}" } sort keys %threads), '700 main 700 701 worker 700', "$what: threads and their processes");
	is_deeply({ map { $_ => $threads{$_}{cpu_time} } keys %threads }, busy(@lines), "$what: their time on CPUs");
	my @wakeups = @{ json_of(wakepath('wakeups', $trace, '--thread', 'worker', '--format', 'json'))->{wakeups} };
	is(scalar(grep { $_->{source}{thread}{tid} == 700 && $_->{cpu} == 0 } @wakeups), 100, "$what: the thread that woke the worker, and its CPU");
	is(wakepath('verify', $trace)->{status}, 0, "$what: its index is sound");
	return \@lines;
}

my $plain = make('plain');
check($plain, 'samples');
like(wakepath('info', $plain)->{out}, qr/^  span      00:15:09\.000001123 since boot to 00:15:09\.015933123 since boot \(15\.9 ms\)$/m, 'times are since boot');
is(scalar(grep { /^times are since boot/ } @{ info($plain)->{warnings} }), 1, 'and the text says so');
{
	local $ENV{TZ} = 'Asia/Kolkata';
	my $from = json_of(wakepath('states', $plain, '--cpu', 0, '--from', '00:15:09.001', '--to', '00:15:09.002', '--format', 'json'))->{intervals}[0]{from};
	is($from, 909_001_000_000, 'times since boot can be typed, in any zone');
	like(wakepath('info', $plain)->{out}, qr/^  span      00:15:09\.000001123 since boot/m, 'and are shown alike in any zone');
}

my $all = make('all', all => 1);
my $lines = check($all, 'all events');
cmp_ok(scalar(grep { /^\[0\.0{9}\]/ } @$lines), '==', 2500, 'all events: some have no time');
my $events = json_of(wakepath('events', $all, '--top', 0, '--format', 'json'))->{events};
is(scalar @$events, scalar @$lines, 'all events: are listed');
is(join(' ', map { "$events->[$_]{name} $events->[$_]{time}" } 0, 2499), join(' ', map { "perf_mmap " . ($start + 1000) } 1, 2), 'all events: those without a time come at the start');
{
	local $ENV{WAKEPATH_INDEX_DIR} = "$scratch/by-babeltrace2";
	is(wakepath('index', '--reader', 'babeltrace2', $all)->{status}, 0, 'by babeltrace2: opens');
	check($all, 'by babeltrace2');
	is_deeply(json_of(wakepath('events', $all, '--top', 0, '--format', 'json'))->{events}, $events, 'by babeltrace2: the same events');
}

# The samples have the CPU, and no packet; perf's own records have none.
my $per_event = make('per-event', all => 1, per_event => 1);
my @raw = @{ check($per_event, 'CPU in each event') };
$events = json_of(wakepath('events', $per_event, '--top', 0, '--format', 'json'))->{events};
is(join(' ', map { $_->{cpu} // '-' } @$events), join(' ', map { /perf_cpu = (\d+)/ ? $1 : '-' } @raw), 'CPU in each event: the list shows it');
for my $cpu (0, 1) {
	is(scalar @{ json_of(wakepath('events', $per_event, '--cpu', $cpu, '--top', 0, '--format', 'json'))->{events} }, scalar(grep { /perf_cpu = $cpu\b/ } @raw),
		"CPU in each event: those of CPU $cpu");
}
my ($of_main) = json_of(wakepath('events', $per_event, '--thread', 'main', '--top', 0, '--format', 'json'))->{events};
is(join(' ', do { my %n; $n{"$_->{cpu} $_->{name}"}++ for @$of_main; map { "$_ $n{$_}" } sort keys %n }), '0 sched:sched_switch 100 0 sched:sched_waking 100',
	'CPU in each event: those of a thread');

# With --tod the clock has an offset: events without a time are at its 0, the boot.
my $tod = make('tod', all => 1, offset => 1795317087501873366);
my $info = info($tod);
is("$info->{from} $info->{to}", join(' ', map { $_ + 1795317087501873366 } $start + 1000, $start + 99 * 160_000 + 93_000), 'time of day: the range');
is(scalar(grep { /since boot/ } @{ $info->{warnings} }), 0, 'time of day: no warning');

done_testing();
