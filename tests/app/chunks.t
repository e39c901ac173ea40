#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Chunks of one recording (lttng rotate, lttng snapshot record) are one host: every event occurs once, and gaps between them are unknown.  Checked
# against babeltrace2's text of each chunk on its own, and against the packets that the chunks were made of.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Path 'make_path';
use List::Util qw(max min sum0);
use Test::More;

my $scratch = $ENV{TMPDIR};
my ($trace) = grep { m{/metadata$} } files_below(sample('lost-events'));
$trace =~ s{/metadata$}{};

# ---- the witnesses ----

# Lines as babeltrace2 prints the trace in FOLDER: "time cpu name fields", texts without their content (2.0 prints an empty one as the one before).
sub events_of {
	my ($folder) = @_;
	local $_;
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$folder' 2>/dev/null" or die;
	my @lines;
	while (<$f>) {
		/^\[(\d+)\.(\d{9})\] \S+ (\S+): \{ (?:packet_seq_no_ = \d+, )?cpu_id = (\d+) \}, (.*)$/ or die $_;
		push @lines, "$1$2 $4 $3 " . $5 =~ s/"(?:[^"\\]|\\.)*"/""/gr;
	}
	close $f or die;
	return @lines;
}

# Every line as often as it occurs in the one of FOLDERS that has it most often.
sub union {
	my (@folders) = @_;
	my %most;
	for my $folder (@folders) {
		my %n;
		$n{$_}++ for events_of($folder);
		$most{$_} = max($n{$_}, $most{$_} // 0) for keys %n;
	}
	return sort map { ($_) x $most{$_} } keys %most;
}

sub info { return json_of(wakepath('info', @_, '--format', 'json'))->{traces} }

sub events {
	return map { "$_->{time} $_->{cpu} $_->{name} " . $_->{fields} =~ s/"(?:[^"\\]|\\.)*"/""/gr }
		@{ json_of(wakepath('events', @_, '--top', 0, '--format', 'json'))->{events} };
}

# The CPUs' time per thread from LINES (sorted by time), from the first switch of each CPU to its last.
sub busy {
	my (@lines) = @_;
	my (%busy, %since, %tid, %range);
	for (@lines) {
		my ($time, $cpu, $name, $fields) = split / /, $_, 4;
		next if $name ne 'sched_switch';
		my ($prev, $next) = $fields =~ /prev_tid = (\d+),.* next_tid = (\d+)/ or die $_;
		$busy{$cpu}{$prev} += $time - $since{$cpu} if defined $since{$cpu};
		$since{$cpu} = $time;
		$range{$cpu} //= [$time];
		$range{$cpu}[1] = $time;
	}
	return (\%busy, \%range);
}

# The CPUs' time per thread according to wakepath.
sub shown_busy {
	my ($range, @traces) = @_;
	my %busy;
	for my $cpu (keys %$range) {
		my $states = json_of(wakepath('states', @traces, '--cpu', $cpu, '--from', $range->{$cpu}[0], '--to', $range->{$cpu}[1], '--format', 'json'));
		for my $i (@{ $states->{intervals} }) {
			my $tid = $i->{state} eq 'idle' ? 0 : $i->{tid};
			$busy{$cpu}{ $tid // 'unknown' } += $i->{to} - $i->{from};
		}
	}
	return \%busy;
}

# ---- chunks made of packets ----

# The packets of a stream file as LTTng 2.13 writes them: { bytes, begin, end, seq }.
sub packets_of {
	my ($file) = @_;
	my $bytes = slurp($file);
	my @packets;
	for (my $at = 0; $at < length $bytes;) {
		my ($begin, $end, undef, $bits, $seq) = unpack 'Q<5', substr $bytes, $at + 32, 40;
		push @packets, { bytes => substr($bytes, $at, $bits / 8), begin => $begin, end => $end, seq => $seq };
		$at += $bits / 8;
	}
	return @packets;
}

my %stream = map { m{/(k_\d+)$} ? ($1 => [packets_of($_)]) : () } files_below($trace);
my %n = map { $_ => scalar @{ $stream{$_} } } keys %stream;

# A chunk NAME with those packets of each stream whose numbers WHICH, a sub of the stream's name, returns.
sub chunk {
	my ($name, $which) = @_;
	my $folder = "$scratch/$name";
	make_path("$folder/kernel");
	spew("$folder/kernel/metadata", slurp("$trace/metadata"));
	for my $stream (keys %stream) {
		spew("$folder/kernel/$stream", join '', map { $stream{$stream}[$_]{bytes} } $which->($stream));
	}
	return $folder;
}

# Packets from share A to share B of each stream.
sub range {
	my ($a, $b) = @_;
	return sub { return int($n{ $_[0] } * $a) .. int($n{ $_[0] } * $b) - 1 };
}

sub one_host {
	my ($traces, $events, $what) = @_;
	my @infos = @{ info(@$traces) };
	is(scalar @infos, 1, "$what: one host");
	is($infos[0]{events}, $events, "$what: every event once");
	return $infos[0];
}

my @whole = sort(events_of($trace));
my $plain = info($trace)->[0];
is($plain->{events}, scalar @whole, 'the recording in one folder');
is(scalar @{ $plain->{chunks} }, 1, 'it is in one folder');

# Rotated: one after the other.
my @rotated = (chunk('rotated/0', range(0, 0.3)), chunk('rotated/1', range(0.3, 0.7)), chunk('rotated/2', range(0.7, 1)));
my $all = one_host(["$scratch/rotated"], scalar @whole, 'rotated');
is("$all->{discarded} $all->{from} $all->{to}", "$plain->{discarded} $plain->{from} $plain->{to}", 'rotated: losses of the tracer, begin and end');
is(scalar @{ $all->{gaps} }, scalar @{ $plain->{gaps} }, 'rotated: no other gaps');
is(join(' ', map { m{/(\d)/kernel$} } map { $_->{path} } @{ $all->{chunks} }), '0 1 2', 'rotated: its chunks in order');
is_deeply([sort(events("$scratch/rotated"))], \@whole, 'rotated: the events, with all fields');
my $threads = wakepath('threads', "$scratch/rotated", '--format', 'json')->{out};
ok($threads eq wakepath('threads', $trace, '--format', 'json')->{out}, 'rotated: the same threads as in one folder');
ok(wakepath('threads', @rotated[2, 0, 1], $rotated[0], '--format', 'json')->{out} eq $threads, 'rotated: in any order, one named twice');
my $text = wakepath('info', @rotated)->{out};
like($text, qr/^  chunks    3 of one recording, read as one$/m, 'rotated: the text says so');
like($text, qr{^            1/kernel: \S+ \S+ to \S+ \S+ \(}m, 'rotated: the begin and end of each');
is(info($_)->[0]{events}, scalar(events_of($_)), "$_: opens on its own") for @rotated;
is(wakepath('verify', "$scratch/rotated")->{status}, 0, 'rotated: its index is sound');

# Read by babeltrace2.
{
	local $ENV{WAKEPATH_INDEX_DIR} = "$scratch/by-babeltrace2";
	is(wakepath('index', '--reader', 'babeltrace2', @rotated)->{status}, 0, 'by babeltrace2: opens');
	ok(wakepath('threads', @rotated, '--format', 'json')->{out} eq $threads, 'by babeltrace2: the same threads');
	is_deeply([sort(events(@rotated))], \@whole, 'by babeltrace2: the events, with all fields');
}

# A chunk in the middle is missing: each CPU has a gap, from the end of the first chunk to the begin of the last.
my $holed = one_host(["$scratch/rotated/0", "$scratch/rotated/2"], scalar(map { events_of($_) } @rotated[0, 2]), 'a chunk is missing');
my ($zero) = slurp("$trace/metadata") =~ /offset = (\d+);/;
for my $stream (sort keys %stream) {
	my ($cpu) = $stream =~ /(\d+)$/;
	my ($last, $next) = (int($n{$stream} * 0.3) - 1, int($n{$stream} * 0.7));
	my ($from, $to) = ($stream{$stream}[$last]{end} + $zero, $stream{$stream}[$next]{begin} + $zero);
	my ($gap) = grep { $_->{cpu} == $cpu && $_->{from} == $from && $_->{to} == $to && !defined $_->{count} } @{ $holed->{gaps} };
	ok($gap, "a chunk is missing: the gap of CPU $cpu") or diag("$from $to of ", explain($holed->{gaps}));
	my $states = json_of(wakepath('states', @rotated[0, 2], '--cpu', $cpu, '--from', $from + 1, '--to', $to - 1, '--format', 'json'))->{intervals};
	is(join(' ', map { $_->{state} } @$states), 'unknown', "a chunk is missing: CPU $cpu is unknown in it");
}
my @known = grep { $_->{state} ne 'unknown' }
	map { @{ json_of(wakepath('states', @rotated[0, 2], '--thread', $_->{tid}, '--from', $holed->{chunks}[0]{to} + 1_000_000, '--to', $holed->{chunks}[1]{from} - 1_000_000,
		'--format', 'json'))->{intervals} } }
	grep { $_->{tid} && $_->{first} < $holed->{chunks}[0]{to} && $_->{last} > $holed->{chunks}[1]{from} } @{ json_of(wakepath('threads', @rotated[0, 2], '--format', 'json'))->{threads} };
is(scalar @known, 0, 'a chunk is missing: no thread has a state in it');

# Snapshots: each begins before the end of the previous one.
chunk('snapshots/a', range(0, 0.5));
chunk('snapshots/b', range(0.2, 0.8));
chunk('snapshots/c', range(0.6, 1));
one_host(["$scratch/snapshots"], scalar @whole, 'snapshots');
is_deeply([sort(events("$scratch/snapshots"))], \@whole, 'snapshots: the events, with all fields');
ok(wakepath('threads', "$scratch/snapshots", '--format', 'json')->{out} eq $threads, 'snapshots: the same threads as in one folder');
{
	local $ENV{WAKEPATH_INDEX_DIR} = "$scratch/by-babeltrace2";
	wakepath('index', '--reader', 'babeltrace2', "$scratch/snapshots");
	is_deeply([sort(events("$scratch/snapshots"))], \@whole, 'snapshots: by babeltrace2');
}

# A snapshot lacks packets that were overwritten while it was taken; another one has them.
chunk('holes/a', sub { return grep { $_ % 3 != 1 } 0 .. $n{ $_[0] } - 1 });
chunk('holes/b', sub { return grep { $_ % 3 != 2 } 0 .. $n{ $_[0] } - 1 });
one_host(["$scratch/holes"], scalar @whole, 'holes');
is_deeply([sort(events("$scratch/holes"))], \@whole, 'holes: each is closed from the other snapshot');

# A snapshot was taken, or copied, before its last packet was complete.
my @cut = (chunk('cut/a', range(0, 0.5)), chunk('cut/b', range(0.3, 1)));
truncate "$cut[0]/kernel/$_", (-s "$cut[0]/kernel/$_") - 2000 or die for keys %stream;
my $mended = one_host(["$scratch/cut"], scalar @whole, 'cut short');
is_deeply($mended->{warnings}, $plain->{warnings}, 'cut short: nothing is missing');

# A chunk and a copy of it.
chunk('copy/a', range(0, 1));
chunk('copy/b', range(0.3, 0.7));
my $copied = one_host(["$scratch/copy"], scalar @whole, 'a copy');
is(scalar(grep { m{copy/b/kernel: the other chunks of the recording have all of its packets} } @{ $copied->{warnings} }), 1, 'a copy: said');

# A stream without packets in one chunk.
chunk('empty/a', range(0, 0.5));
chunk('empty/b', sub { return $_[0] eq 'k_0' ? () : range(0.5, 1)->($_[0]) });
is(scalar(grep { /empty/ } @{ info("$scratch/empty")->[0]{warnings} }), 0, 'a stream that one chunk lacks: no warning');

# Packets without numbers, of streams without numbers (LTTng before 2.8): missing packets are known only where two chunks have one in common.
for my $case (['apart', 0.5, 0.7, 1], ['touching', 0.5, 0.5, 1], ['overlapping', 0.5, 0.3, 0]) {
	my ($name, $to, $from, $gap) = @$case;
	my @old = (chunk("old/$name/a", range(0, $to)), chunk("old/$name/b", range($from, 1)));
	patch("$_/kernel/metadata", sub { s/packet_seq_num/packet_seq_no_/g; s/stream_instance_id/stream_instance_no/g; /seq_no_/ && /instance_no/ or die }) for @old;
	my $info = one_host(\@old, scalar(my @once = union(@old)), "without numbers, $name");
	my $end = $stream{k_0}[int($n{k_0} * $to) - 1]{end} + $zero;
	is(scalar(grep { $_->{cpu} == 0 && $_->{from} == $end && !defined $_->{count} } @{ $info->{gaps} }), $gap, "without numbers, $name: a gap where packets may be missing");
}

# Metadata that contradict each other.
my @apart = (chunk('apart/a', range(0, 0.5)), chunk('apart/b', range(0.5, 1)));
patch("$apart[1]/kernel/metadata", sub { s/_next_prio/_next_pri2/ or die });
my $said = wakepath('info', @apart, '--format', 'json');
is(join(' ', map { $_->{host} } @{ json_of($said)->{traces} }), 'solo solo#2', 'other metadata: two hosts');
my $apart = qr{\S+/apart/b/kernel: not joined with \S+/apart/a/kernel: both have the UUID of one recording, but their metadata differ in event \d+ \(sched_switch\)};
is(scalar(grep { /^$apart$/ } @{ json_of($said)->{warnings} }), 1, 'other metadata: info says so');
like(wakepath('threads', @apart)->{err}, qr/^wakepath: warning: $apart$/m, 'other metadata: every query says so');

# Events that were enabled in the middle: the metadata of the later chunk has more of them.
my @more = (chunk('more/a', range(0, 0.5)), chunk('more/b', range(0.5, 1)));
patch("$more[0]/kernel/metadata", sub { s/\nevent \{\n\tname = "(lttng_logger[^"]*|sched_process_wait)".*?\n\};\n/"\n" . ' ' x (length($&) - 2) . "\n"/se or die });
one_host(\@more, scalar @whole, 'later chunks may have more events');

# Facts about the whole recording may come after streams and events: plain text with the block env last, in one chunk or in both.
for my $late (1, 2) {
	my @late = (chunk("late$late/a", range(0, 0.5)), chunk("late$late/b", range(0.5, 1)));
	for my $folder (@late) {
		my $text = `babeltrace2 -o ctf-metadata '$folder/kernel' 2>/dev/null`;
		if ($folder eq $late[0] || $late == 2) {
			$text =~ s/\nenv \{\n.*?\n\};\n/\n/s or die;
			$text .= $&;
		}
		spew("$folder/kernel/metadata", $text);
	}
	one_host(\@late, scalar @whole, "env behind all events in $late of two");
}

# Snapshots alone: the packets of one CPU reach farther back than those of the other, or end earlier while it goes on.  No event shows that CPU then,
# so no state is known except that of the thread on the other.
for ([late => 0.4, 1, 0, 1], [early => 0, 1, 0, 0.6]) {
	my ($name, @parts) = @$_;
	my $folder = chunk("uneven/$name", sub { range(@parts[$_[0] eq 'k_0' ? (2, 3) : (0, 1)])->(@_) });
	my ($first, $last) = map { info($folder)->[0]{$_} } qw(from to);
	my ($cpu, $from, $to) = $name eq 'late' ? (1, $first, $stream{k_1}[int($n{k_1} * 0.4)]{begin} + $zero)
		: (0, $stream{k_0}[int($n{k_0} * 0.6) - 1]{end} + $zero, $last);
	{
		local $ENV{WAKEPATH_INDEX_DIR} = "$scratch/uneven-by-babeltrace2";
		wakepath('index', '--reader', 'babeltrace2', $folder);
		my $states = json_of(wakepath('states', $folder, '--cpu', $cpu, '--from', $from + 1, '--to', $to - 1, '--format', 'json'))->{intervals};
		is(join(' ', map { $_->{state} } @$states), 'unknown', "$name: babeltrace2 shows the same");
	}
	my $states = json_of(wakepath('states', $folder, '--cpu', $cpu, '--from', $from + 1, '--to', $to - 1, '--format', 'json'))->{intervals};
	is(join(' ', map { $_->{state} } @$states), 'unknown', "$name: CPU $cpu is unknown while it is not recorded");
	my %known = map { map { ($_->{state} => 1) }
		@{ json_of(wakepath('states', $folder, '--thread', $_->{tid}, '--from', $from + 1, '--to', $to - 1, '--format', 'json'))->{intervals} } }
		grep { $_->{tid} && $_->{first} <= $from && $_->{last} >= $to }
		@{ json_of(wakepath('threads', $folder, '--format', 'json'))->{threads} };
	is(join(' ', grep { /^(?:blocked|wait-cpu|preempted)$/ } sort keys %known), '', "$name: no thread waits meanwhile");
	is(wakepath('verify', $folder)->{status}, 0, "$name: its index is sound");
}

# Without the stream of a CPU nothing is known of it from the start on, even if only a later wake-up names it.
my $lone = chunk('lone', range(0, 1));
unlink "$lone/kernel/k_1" or die;
for my $reader ('ctf', 'babeltrace2') {
	local $ENV{WAKEPATH_INDEX_DIR} = "$scratch/lone-by-$reader";
	wakepath('index', '--reader', $reader, $lone);
	my $rest = json_of(wakepath('states', $lone, '--cpu', 1, '--format', 'json'))->{intervals};
	is(join(' ', map { $_->{state} } @$rest), 'unknown', "$reader: without a stream nothing is known of its CPU");
}

# The first packet of the later chunk has number 0, so the chunks are not parts of one recording.
my @numbered = (chunk('numbered/a', range(0, 0.5)), chunk('numbered/b', range(0.5, 1)));
patch("$numbered[1]/kernel/k_0", sub { substr($_, 64, 8) = pack 'Q<', 0 });
$said = wakepath('info', @numbered, '--format', 'json');
is(scalar @{ json_of($said)->{traces} }, 2, 'other numbers: two hosts');
is(scalar(grep { m{numbered/b/kernel: not joined with \S+: both have the UUID of one recording, but their packets are numbered differently$} }
	@{ json_of($said)->{warnings} }), 1, 'other numbers: info says so');

# ---- recorded by LTTng ----

my $inputs = "$ENV{SHARED_TRACES}/inputs" if $ENV{SHARED_TRACES};
SKIP: {
	skip 'no recorded chunks', 1 if !$inputs || !-d "$inputs/snapshots" || !-d "$inputs/rotated";
	for my $kind (qw(rotated snapshots)) {
		my @folders = map { m{^(.*)/metadata$} ? $1 : () } files_below("$inputs/$kind");
		my @once = union(@folders);
		my $info = one_host(["$inputs/$kind"], scalar @once, $kind);
		is(scalar @{ $info->{chunks} }, 3, "$kind: three chunks");
		is($info->{from}, min(map { (split / /)[0] } @once), "$kind: first event");
		is($info->{to}, max(map { (split / /)[0] } @once), "$kind: last event");
		# The last packet of CPU 0 in slow3 ends at that time (babeltrace2 -c sink.text.details), and CPU 1 goes on.
		is(join(' ', map { "CPU $_->{cpu} from $_->{from} to $_->{to}" } @{ $info->{gaps} }),
			$kind eq 'rotated' ? '' : "CPU 0 from 1795338578927480011 to $info->{to}", "$kind: nothing is missing except after the end of a stream");
		is_deeply([sort(events("$inputs/$kind"))], \@once, "$kind: the events, with all fields");
		my ($busy, $range) = busy(@once);
		is_deeply(shown_busy($range, "$inputs/$kind"), $busy, "$kind: each thread's time on each CPU");
		my %rows;
		$rows{ $_->{tid} }++ for grep { $_->{tid} } @{ json_of(wakepath('threads', "$inputs/$kind", '--format', 'json'))->{threads} };
		is(scalar(grep { $_ > 1 } values %rows), 0, "$kind: one row for each thread");
	}
	my $both = info("$inputs/rotated", "$inputs/snapshots");
	is(scalar @$both, 2, 'two sessions of one host stay apart');
}

done_testing();
