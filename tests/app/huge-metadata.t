#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Metadata that describes more than its size: types that hold types through names, labels times options times events.  wakepath refuses it before
# unfolding it, or reads it in a time proportional to its length; reading by babeltrace2 alone has a limit of memory.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

# Files in the folder of indexes that are neither an index nor belong to an existing one.
sub unknown_files { return grep { !/\.wpi$/ && !(/\.wps$/ && grep { -e } s/\.wps$/.wpi/r, s/-[0-9a-f]{16}\.wps$/.wpi/r) } files_below("$ENV{XDG_CACHE_HOME}/wakepath") }

my $u8 = 'integer { size = 8; }';
my $head = <<'END';
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 32; align = 8; } stream_id; }; };
env { hostname = "h"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = 1000000000; offset = 0; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; integer { size = 64; align = 8; } content_size; integer { size = 64; align = 8; } packet_size; integer { size = 32; align = 8; } cpu_id; }; event.header := struct { integer { size = 32; align = 8; } id; ts_t timestamp; }; };
END
my $switch = event(0, 'sched_switch', 'integer { size = 32; align = 8; signed = true; } prev_tid; integer { size = 32; align = 8; signed = true; } next_tid; integer { size = 64; align = 8; signed = true; } prev_state;');
# A name on which our parser takes too long, and babeltrace2 does not.
my $foreign = "typealias $u8 := " . 'n' x 600 . ";\n";

sub event { my ($id, $name, $fields) = @_; return "event { id = $id; name = \"$name\"; stream_id = 0; fields := struct { $fields }; };\n" }

# A struct with a field for each event, ID and bytes.
sub packet {
	my @events = @_;
	my ($time, $bytes) = (1000, '');
	$bytes .= pack('L<Q<', $_->[0], $time += 1000) . $_->[1] for @events;
	my $bits = (8 + 4 * 8 + 4 + length $bytes) * 8;
	return pack('L<L<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, 1000, $time + 10, $bits, $bits, 0) . $bytes;
}

my @switches = map { [0, pack 'l<l<q<', $_ % 2 * 100, ($_ + 1) % 2 * 100, 0] } 1 .. 20;

# A trace with these declarations; its folder.
sub made {
	my ($name, $text, @events) = @_;
	my $folder = "$ENV{TMPDIR}/$name";
	mkdir $folder;
	spew("$folder/metadata", $head . $text);
	spew("$folder/s_0", packet(@events ? @events : @switches));
	return $folder;
}

# The metadata is refused at once, with the name of the folder.
sub refused {
	my ($folder, $name, @args) = @_;
	my $r = measured(undef, @args ? @args : 'info', $folder);
	says($r, 3, qr{\Awakepath: [^\n]*\Q$folder\E[^\n]*: it is damaged or made to do harm; copy the trace again\n\z}, $name);
	cmp_ok($r->{took}, '<', 3, '… at once');
	cmp_ok($r->{memory}, '<', 200 * 1024, '… with little memory');
	return $r;
}

# ---- depth and number ----

sub chain { my ($n) = @_; return "struct s0 { $u8 a; };\n" . join('', map { 'struct s' . $_ . ' { struct s' . ($_ - 1) . " x; };\n" } 1 .. $n - 1) . $switch . event(1, 'x', 'struct s' . ($n - 1) . ' y;') }
sub aliases { my ($n) = @_; return "typealias struct { $u8 a; } := t0;\n" . join('', map { 'typealias struct { t' . ($_ - 1) . " x; } := t$_;\n" } 1 .. $n - 1) . $switch . event(1, 'x', 't' . ($n - 1) . ' y;') }
sub arrays { my ($n) = @_; return "typealias $u8 := t0;\n" . join('', map { 'typedef t' . ($_ - 1) . " t$_\[1];\n" } 1 .. $n - 1) . $switch . event(1, 'x', 't' . ($n - 1) . ' y;') }
sub doubled { my ($n) = @_; return "struct s0 { $u8 a; };\n" . join('', map { my $p = $_ - 1; "struct s$_ { struct s$p x; struct s$p y; };\n" } 1 .. $n - 1) . $switch . event(1, 'x', 'struct s' . ($n - 1) . ' y;') }
# K labels and options, in N events.
sub labels {
	my ($k, $n) = @_;
	return "enum e : integer { size = 32; } { " . join(', ', map { "L$_" } 1 .. $k) . " };\nvariant v <t> { " . join(' ', map { "$u8 L$_;" } 1 .. $k) . " };\n" .
		$switch . join '', map { event($_, "e$_", 'enum e t; variant v <t> w;') } 1 .. $n;
}
sub wide { my ($k, $n) = @_; return "struct w { " . join(' ', map { "$u8 f$_;" } 1 .. $k) . " };\n" . $switch . join '', map { event($_, "e$_", 'struct w w;') } 1 .. $n }

my %too_much = (
	'structs through names, 20 000 deep' => chain(20000), 'type aliases, 20 000 deep' => aliases(20000), 'arrays through names, 20 000 deep' => arrays(20000),
	'structs of two of the structs before' => doubled(30), 'labels times options times events' => labels(1900, 1900), 'fields times events' => wide(2000, 2000),
	'streams times fields' => 'typealias struct { ' . join(' ', map { "$u8 f$_;" } 1 .. 2000) . " } := w;\n" . join('', map { "stream { id = $_; event.header := w; };\n" } 1 .. 2000) . $switch,
	'events with numbers far apart' => join('', map { "stream { id = $_; };\nevent { id = 1048575; name = \"e\"; stream_id = $_; };\n" } 1 .. 2000) . $switch,
);
my $i = 0;
for my $name (sort keys %too_much) {
	my $folder = made('much' . $i++, $too_much{$name});
	refused($folder, $name);
	next if $name eq 'events with numbers far apart';	# babeltrace2 reads these without trouble
	refused($folder, "$name, by babeltrace2", 'index', '--reader', 'babeltrace2');
}
my $script = "$ENV{TMPDIR}/script";
spew($script, "quit\n");
refused("$ENV{TMPDIR}/much0", 'the same in the explorer', 'view', '--script', $script);
refused(made('for-babeltrace2', labels(400, 400)), 'too much for babeltrace2 alone', 'index', '--reader', 'babeltrace2');

# The sanitizers do not check babeltrace2's own code, and it takes a minute more with them.
my ($sanitized, $fast) = ($ENV{WAKEPATH}, $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH});

# Metadata of tracers is far below these limits: the deepest and the largest that wakepath reads.
for my $case ([chain => chain(30)], [doubled => doubled(14), 1], ['less doubled' => doubled(13)], [labels => labels(200, 200), 1], ['some labels' => labels(100, 100)]) {
	my ($name, $text, $ours) = @$case;
	for my $by ('', $ours ? () : $foreign) {
		local $ENV{WAKEPATH} = $fast if $by;
		my $r = wakepath('info', made("fine-$name", $by . $text), '--format', 'json');
		is($r->{status}, 0, "$name that can be" . ($by ? ', by babeltrace2' : '')) or diag($r->{err});
		is(json_of($r)->{traces}[0]{events}, 20, '… with all events');
	}
}

# ---- the limits of memory and time for babeltrace2 ----

$ENV{WAKEPATH} = $fast;
for my $case (['structs 20 000 deep', chain(20000)], ['structs of two', doubled(30)]) {
	my ($name, $text) = @$case;
	my $folder = made('foreign', $foreign . $text);
	for my $args (['info'], ['view', '--script', $script]) {
		my $r = measured(undef, @$args, $folder);
		says($r, 3, qr{\Awakepath: \Q$folder\E: babeltrace2 takes more than 1\d\d MiB of memory [^\n]*copy the trace again\n\z}, "$name that only babeltrace2 understands: $args->[0]");
		cmp_ok($r->{memory}, '<', 192 * 1024, '… and has a limit of memory');
	}
}

{
	# babeltrace2 compares each label with each.
	my $enum = 'enum : integer { size = 32; } { ' . join(', ', map { "A$_ = " . 2 * $_ } 1 .. 30000) . " } t; variant <t> { " . join('', map { "$u8 A$_; " } 1 .. 7500) . '} v;';
	my $folder = made('slow', $foreign . $switch . event(1, 'x', $enum));
	my $before = spent();
	says(measured(undef, 'info', $folder), 3, qr{\Awakepath: \Q$folder\E: babeltrace2 takes more than 3 s to read it: [^\n]*copy the trace again\n\z}, 'labels that only babeltrace2 understands');
	cmp_ok(spent() - $before, '<', 5, '… have a limit of time');
}

# An interrupt while babeltrace2 reads.
{
	my $pid = fork() // die;
	if (!$pid) {
		open STDERR, '>', "$ENV{TMPDIR}/stopped.err";
		{ exec $ENV{WAKEPATH}, 'info', made('foreign', $foreign . chain(20000)) }
		POSIX::_exit(127);
	}
	sleep 0.01 while ((eval { slurp("/proc/$pid/status") } // 'VmHWM: 999999') =~ /^VmHWM:\s*(\d+)/m ? $1 : 0) < 40 * 1024;
	my $sent = time;
	kill 'INT', $pid;
	waitpid $pid, 0;
	cmp_ok(time - $sent, '<', 0.5, 'SIGINT within babeltrace2 ends the program soon');
	is($? >> 8, 130, '… with its status');
	is(slurp("$ENV{TMPDIR}/stopped.err"), "wakepath: interrupted\n", '… and says so');
}
is_deeply([unknown_files()], [], 'nothing half-built is left');

$ENV{WAKEPATH} = $sanitized;

# ---- time goes with length ----

# The shortest of three runs of the installed build.
sub least { 
	my ($folder) = @_;
	local $ENV{WAKEPATH} = $fast;
	my @took;
	for (1 .. 3) {
		my $before = spent();
		my $r = measured(undef, 'index', '--force', $folder);
		is($r->{status}, 0, "$folder is read") or diag($r->{err});
		push @took, spent() - $before;
	}
	return (sort { $a <=> $b } @took)[0];
}

my %linear = (
	'labels times options' => sub { my ($n) = @_; labels(10000 * $n, 1) },
	'events' => sub { my ($n) = @_; $switch . join '', map { event($_, "e$_", "$u8 a; $u8 b;") } 1 .. 10000 * $n },
	'streams and events' => sub { my ($n) = @_; $switch . join '', map { "stream { id = $_; };\nevent { id = 0; name = \"e\"; stream_id = $_; };\n" } 1 .. 10000 * $n },
	'variants of a type with a name' => sub { my ($n) = @_; labels(100, 100) . join '', map { event(100 + $_, "f$_", 'enum e t; variant v <t> w;') } 1 .. 150 * $n },
	'fields that a mapping may use' => sub { my ($n) = @_; event(1, 'sched_waking', join ' ', map { "$u8 f$_;" } 1 .. 10000 * $n) . $switch },
);
for my $name (sort keys %linear) {
	my ($once, $twice) = map { least(made("linear$_", $linear{$name}->($_))) } 1, 2;
	cmp_ok($twice, '<', 2.5 * $once + 0.1, "$name: twice as much takes twice the time");
	cmp_ok($twice, '<', 5, '… and takes little time');
}

# ---- options are chosen as babeltrace2 does ----

my $tag = 'integer { size = 8; signed = true; }';
my @tags = (-128, -7, -6, -1, 0, 1, 5, 6, 7, 20, 100, 127);
# Labels according to MAP.
sub choice {
	my ($map) = @_;
	return $switch . event(1, 'choice', "enum : $tag { $map } t; variant <t> { integer { size = 8; base = 16; } A; integer { size = 16; align = 8; } B; struct { $u8 x; integer { size = 16; align = 8; } y; } C; integer { size = 32; align = 8; } D; } v; integer { size = 32; align = 8; } z;");
}

{
	my $folder = made('choice', choice('A = 7 ... 127, A = -128 ... -7, B = -6, C = -5 ... 0, D = 1, "B" = 5 ... 6'), @switches, map { [1, chosen($_)] } @tags);
	my @theirs = map { s/.*choice: \S+ [^}]*\}, //r } grep { /choice:/ } `babeltrace2 --no-delta '$folder' 2>&1`;
	chomp @theirs;
	my $events = json_of(wakepath('events', $folder, '--name', 'choice', '--top', '0', '--format', 'json'))->{events};
	is(scalar @theirs, scalar @tags, "options: babeltrace2 finds all events");
	is(scalar @$events, scalar @tags, '… as we do');
	is($events->[$_]{fields}, $theirs[$_], "… and the option of tag $tags[$_]") for 0 .. $#tags;
}

# The bytes of an event with tag T.
sub chosen {
	my ($t) = @_;
	my $size = $t <= -7 || $t >= 7 ? 1 : $t == -6 || $t == 5 || $t == 6 ? 2 : $t <= 0 ? 3 : 4;
	return pack('c', $t) . join('', map { chr(0x40 + $_) } 1 .. $size) . pack 'L<', 0x01020304;
}

refused(made('overlap', choice('C = 0 ... 6, B = -7 ... 5, A = -128 ... 20, D = 21 ... 127')), 'one value for several options');

# ---- input that makes babeltrace2 itself crash; sanitizers would handle these signals ----

# wakepath prints its own message after that of the library.
sub broke_down {
	my ($folder, $name, @args) = @_;
	my $r = Wake::run(@args ? @args : ($ENV{WAKEPATH}, 'info'), $folder);
	is("$r->{status} $r->{signal}", '3 0', "$name: an error") or diag($r->{err});
	like($r->{err}, qr/^wakepath: \Q$folder\E: babeltrace2 crashed while it read it: [^\n]*copy the trace again\n\z/m, '… and says so');
	is_deeply([glob("$ENV{TMPDIR}/wakepath-??????"), unknown_files()], [], '… and leaves nothing');
}

{
	local $ENV{WAKEPATH} = $fast;
	my $folder = made('abort', $foreign . choice('C = 0 ... 6, B = -7 ... 5, A = -128 ... 20, D = 21 ... 127'));
	broke_down($folder, 'it aborts over metadata');
	$folder = made('segv', $foreign . $switch . event(1, 'x', 'integer { size = 32; align = 8; } n; struct { integer { size = 8; } a; } s[n];'), @switches, [1, pack('L<', 0xffffffff) . 'abcd']);
	broke_down($folder, 'it has no room for so many elements');
	broke_down(made('trap', $foreign . $switch . event(1, 'x', 'struct { integer { size = 8; } a; } s[2000000000];'), @switches, [1, '']), 'it asks for more memory than there is', 'sh', '-c', 'ulimit -v 8000000; exec "$@"', 'sh', $fast, 'info');
	broke_down(made('stack', $foreign . chain(300)), 'its stack is full', 'sh', '-c', 'ulimit -s 192; exec "$@"', 'sh', $fast, 'info');
	# A clock without a frequency, by which babeltrace2 divides.  It reads a copy, as the stream is cut.
	$folder = made('fpe', $switch);
	spew("$folder/metadata", slurp("$folder/metadata") =~ s/freq = \d+;//r);
	spew("$folder/s_0", substr slurp("$folder/s_0"), 0, -5);
	broke_down($folder, 'it divides by zero', $fast, 'index', '--force', '--reader', 'babeltrace2');
	spew("$folder/metadata", slurp("$folder/metadata") . $foreign);
	broke_down($folder, 'the same in the explorer', $fast, 'view', '--script', $script);
}

# ---- lengths in packets ----

my $folder = made('length', $foreign . $switch . event(1, 'x', 'integer { size = 32; align = 8; } n; struct { integer { size = 8; } a; } s[n];'), @switches, [1, pack('L<', 0x02000000) . 'abcd']);
my $r = do {
	local $ENV{WAKEPATH} = $fast;
	measured(undef, 'info', $folder);
};
says($r, 3, qr/\Awakepath: \Q$folder\E: babeltrace2 takes more than/, 'a length in a packet that babeltrace2 makes room for');
cmp_ok($r->{memory}, '<', 192 * 1024, '… has a limit of memory');

# 64 MiB of an event are read, 64 KiB of a field are shown, and a packet of more than 1 GiB is not shown.  The files have holes.
sub long_event {
	my ($name, $n, $room) = @_;
	my $long = made($name, $switch . event(1, 'x', 'integer { size = 32; align = 8; } n; integer { size = 8; } a[n];'), @switches);
	my $bytes = packet(@switches, [1, pack('L<', $n)]);
	my $size = length($bytes) + $n;
	substr($bytes, 24, 16) = pack 'Q<Q<', $size * 8, ($size + $room) * 8;
	spew("$long/s_0", $bytes);
	truncate "$long/s_0", $size + $room or die;
	return $long;
}

my $much = 64 << 20;
for my $case (['most', $much - 8192, 21], ['more', $much + 8192, 20]) {
	my ($name, $n, $events) = @$case;
	my $info = wakepath('info', long_event($name, $n, 0), '--format', 'json');
	is(json_of($info)->{traces}[0]{events}, $events, "an event of $n bytes: $events events are read");
	is(scalar(grep { /damaged/ } @{ json_of($info)->{traces}[0]{warnings} }), 21 - $events, '… and longer ones are reported as damage');
}
$folder = long_event('shown', 100000, 0);
my $shown = json_of(wakepath('events', $folder, '--name', 'x', '--format', 'json'))->{events}[0]{fields};
like($shown, qr/\A\{ n = 100000, a = \[ \[0\] = 0, .*\x{2026}\z/s, 'a long field is cut where it is shown');
cmp_ok(length $shown, '<=', 65537, '… at 64 KiB');
$folder = long_event('room', 10, (1 << 30) - 100000);
is(wakepath('events', $folder, '--name', 'x')->{status}, 0, 'a packet of almost 1 GiB is shown');
$folder = long_event('more-room', 10, 1 << 30);
says(wakepath('events', $folder, '--name', 'x'), 3, qr/s_0.*is too large to be shown/, 'a packet of more is not');

done_testing();
