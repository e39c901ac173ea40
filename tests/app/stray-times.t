#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Damaged time stamps: a time that cannot belong to the recording gives a warning and is left out; it is not the end of the axis.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my @wild = (0, 1 << 62, (~0 >> 1), 1 << 63, ~0, 1 << 58);
my $whole = json_of(wakepath('info', sample('lost-events'), '--format', 'json'))->{traces}[0];
my $span = $whole->{to} - $whole->{from};
my $n = 0;

# Packets of this trace have 4096 bytes; their context has begin and end at byte 32 and 40.
my ($packet, $begin, $end) = (4096 * 4, 32, 40);

# A trace with one number of k_1 replaced by VALUE.
sub with_time {
	my ($at, $value) = @_;
	my $trace = copy_trace('lost-events', 'stray' . $n++);
	patch("$trace/kernel/k_1", sub { substr($_, $at, 8) = pack 'Q<', $value });
	return $trace;
}

# As if only babeltrace2 could read it: an event number that our decoder does not know.
sub foreign {
	my ($trace) = @_;
	my $sample = sample('lost-events') . '/kernel';
	open my $f, '>', "$trace/kernel/metadata" or die;
	print $f "/* CTF 1.8 */\n", scalar(`babeltrace2 -o ctf-metadata '$sample'`),
		'event { name = "other"; id = 2000000; stream_id = 0; fields := struct { integer { size = 8; align = 8; } a; }; };';
	close $f or die;
	return $trace;
}

# The recording opens (ALL: every command answers), in time and without an overflow; there is a warning; the axis is that of the recording.
sub holds {
	my ($trace, $warning, $name, $all) = @_;
	my $r = Wake::run('timeout', 60, $ENV{WAKEPATH}, 'info', $trace, '--format', 'json');
	is("$r->{status} $r->{signal}", '0 0', "$name: info") or diag($r->{err});
	my $info = json_of($r)->{traces}[0];
	cmp_ok($info->{to} - $info->{from}, '<=', $span + 2e9, "$name: the axis is that of the recording");
	cmp_ok($info->{to} - $info->{from}, '>', 0, "$name: … and not empty");
	cmp_ok($info->{events}, '>=', 0.4 * $whole->{events}, "$name: events of the rest are there");
	like(join("\n", map { ref ? $_->{text} // values %$_ : $_ } @{ $info->{warnings} }), $warning, "$name: there is a warning");
	return if !$all;
	my ($tid) = map { $_->{tid} } grep { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	my $script = "$ENV{TMPDIR}/stray.script";
	spew($script, join "\n", 'size 100 30', 'f', 'c', 'F6', "dump $ENV{TMPDIR}/stray.screen", "quit\n");
	for my $command (['threads', $trace], ['states', $trace, '--thread', $tid], ['states', $trace, '--cpu', 1], ['path', $trace, '--thread', $tid],
			 ['latency', $trace, '--kind', 'wakeup'], ['events', $trace, '--top', 0], ['causes', $trace], ['verify', $trace],
			 ['view', $trace, '--script', $script]) {
		$r = Wake::run('timeout', 60, $ENV{WAKEPATH}, @$command);
		is("$r->{status} $r->{signal}", '0 0', "$name: $command->[0]") or diag($r->{err});
	}
}

my $sound = slurp(sample('lost-events') . '/kernel/k_1');
# The first event of that packet has a stamp of 64 bits: a byte with the tag 31, 32 bits of id, the stamp.
my $stamp = $packet + 90;
my ($first, $last) = unpack 'Q<Q<', substr $sound, $packet + $begin, 16;
my ($tag, $id, $time) = unpack 'CL<Q<', substr $sound, $stamp - 5, 13;
ok(($tag & 31) == 31 && $id < 5000 && $time >= $first && $time <= $last, 'an event with a stamp of 64 bits');
for my $value (@wild) {
	my $shown = sprintf '%#x', $value;
	holds(with_time($stamp, $value), qr/k_1: damaged at byte (\d+): the time there is impossible.*: 1 packet left out/, "an event at $shown", $value == ~0 >> 1 || $value == 1 << 62);
	holds(with_time($packet + $begin, $value), qr/k_1: damaged at byte $packet: the time there is impossible.*: 1 packet left out/,
	      "a packet that begins at $shown", $value == 1 << 63);
}
for my $value (grep { $_ } @wild) {
	holds(with_time($packet + $end, $value), qr/k_1: damaged/, sprintf('a packet that ends at %#x', $value), $value == ~0 >> 1);
}

# Values that the tracer did not write are not damage (lttng-crash leaves the end 0).
my $crash = json_of(wakepath('info', with_time($packet + $end, 0), '--format', 'json'))->{traces}[0];
is($crash->{events}, $whole->{events}, 'a packet without an end: all events');

# An event less than a second after the end of its packet is kept, as LTTng before 2.11 wrote such.
my $early = json_of(wakepath('info', with_time($packet + $end, $first), '--format', 'json'))->{traces}[0];
is($early->{events}, $whole->{events}, 'events a little after the end of their packet: all of them');

# The clock's offset.
for my $offset (['offset', '9223372036854775807'], ['offset_s', '9223372036854775807'], ['offset_s', '-9223372036854775807'], ['offset', '-9223372036854775807'],
		['offset_s', '4611686018'], ['offset_s', '9223372036']) {
	my $trace = copy_trace('lost-events', 'stray' . $n++);
	my $sample = sample('lost-events') . '/kernel';
	my $text = `babeltrace2 -o ctf-metadata '$sample'`;
	$text =~ s/offset(_s)? = -?\d+;//g;
	$text =~ s/(freq = \d+;)/$1 $offset->[0] = $offset->[1];/ or die;
	spew("$trace/kernel/metadata", "/* CTF 1.8 */\n$text");
	holds($trace, qr/metadata: damaged: the offset of a clock/, "$offset->[0] = $offset->[1]", $offset->[0] eq 'offset');
}

# Read by babeltrace2.
for my $value (~0 >> 1, 1 << 63) {
	my $shown = sprintf 'babeltrace2, %#x', $value;
	# The events of the other stream are complete, though babeltrace2 uses the overflowed value again (all commands show that).
	for my $case (['an event', $stamp], ['the begin of a packet', $packet + $begin]) {
		my $trace = foreign(with_time($case->[1], $value));
		holds($trace, qr/k_1.*damaged/, "$shown, $case->[0]", 1);
		my $events = json_of(wakepath('events', $trace, '--top', 0, '--format', 'json'))->{events};
		my $n = json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0]{events};
		is(scalar @$events, $n, '… and all its events can be shown');
		is(scalar(grep { ($_->{cpu} // -1) == 0 } @$events), scalar(grep { /cpu_id = 0 / } `babeltrace2 '@{[sample('lost-events')]}' 2>/dev/null`),
			'… all of the other stream');
	}
}
done_testing;
