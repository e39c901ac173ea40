#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Small files that would take much memory or time: they unpack to far more than their size, their parts overlap or are named repeatedly, or they have
# more events, fields, threads, CPUs and streams than their size has room for.  wakepath refuses them in one line; files close to that are read, within
# 192 MB and 5 s.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ctf2;
use Ftrace;
use PerfData;
use Pftrace;
use Test::More;

$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# sanitizers take memory of their own
my $harm = qr/it is damaged or made to do harm; copy the trace again/;
my $MB = 1 << 20;
my $number = 0;

# COMMANDS on FILE (bytes, or a reference to the path of a folder) take little memory and time; WHY: the program refuses it with this message.
sub held {
	my ($name, $file, $why, @commands) = @_;
	my $path = ref $file ? $$file : "$ENV{TMPDIR}/bomb" . $number++;
	if (!ref $file) {
		cmp_ok(length $file, '<', 1.05 * $MB, "$name: a small file");
		spew($path, $file);
	}
	for my $command (@commands ? @commands : $why ? [ 'info' ] : ([ 'info' ], [ qw(events --top 0) ])) {
		my $r = measured(900_000, @$command, $path);
		my $what = "$name: $command->[0]";
		is("$r->{status} $r->{signal}", $why ? '3 0' : '0 0', $what) or diag(substr $r->{err}, 0, 300);
		like($r->{err}, qr/\Awakepath: [^\n]*\Q$path\E(?:\/(?:metadata|machine-\d+))?: $why: $harm\n\z/, '… is refused') if $why;
		unlike($r->{err}, $harm, '… is read') if !$why;
		cmp_ok($r->{spent}, '<', 5, '… in little time');
		cmp_ok($r->{memory}, '<', 192 * 1024, '… with little memory');
	}
	unlink $path if !ref $file;
}

# ---- trace.dat ----

# An event in a record of 8 bytes with its header, or of 12.
my %small = (sched => [ event_format(1, 'sched_switch', [ 'pid_t prev_pid', 2, 2 ], [ 'pid_t next_pid', 4, 2 ], [ 'long prev_state', 6, 2 ]),
	event_format(2, 'sched_process_fork', [ 'pid_t parent_pid', 2, 2 ], [ 'pid_t child_pid', 4, 2 ]), event_format(3, 'sched_process_free', [ 'pid_t pid', 4, 2 ]) ]);
my %wide = (sched => [ event_format(1, 'sched_switch', [ 'pid_t prev_pid', 4, 4 ], [ 'pid_t next_pid', 8, 4 ]) ]);
sub small { my ($id, @numbers) = @_; return ring_record(pack 'v*', $id, @numbers, (0) x (3 - @numbers)) }
sub wide { my ($id, @numbers) = @_; return ring_record(pack 'vvVV', $id, 0, @numbers) }
my $few = ring_page(join '', map { small(1, $_ % 2 + 1, ($_ + 1) % 2 + 1) } 1 .. 40);
my $busy = join '', map { small(1, $_ % 2 + 1, ($_ + 1) % 2 + 1) } 1 .. 340;
my $one = [ '', [ 0, chunks_of([ $few ]) ] ];

sub dat { my (%o) = @_; return trace_dat_7(systems => \%small, buffers => [ $one ], %o) }
sub text { my ($option, $width, $text, %o) = @_; return dat(sections => [ [ $option, pack($width == 4 ? 'V' : 'Q<', length $text) . $text ] ], %o) }

my ($unpacks, $lines, $threads, $events, $pages, $buffers, $over) = map { qr/$_/ } 'its parts unpack to more than its size has room for', 'it has more lines than its size has room for',
	'it names more threads than its size has room for', 'it describes more events than its size has room for', 'its events unpack to more than its size has room for',
	'it has more buffers of CPUs than its size has room for', 'parts of it overlap';

held('a few events', dat(), undef);
held('names of threads: 60 MB of nothing', text(21, 8, "\n" x (60 * $MB)), $unpacks);
held('… 25 MB of lines', text(21, 8, "\n" x (25 * $MB)), $lines);
held('… one line of 25 MB', text(21, 8, '1 ' . 'x' x (25 * $MB)), undef);
held('… 250 000 of them', text(21, 8, join '', map { "$_ a\n" } 1 .. 250_000), $threads);
held('… 100 000', text(21, 8, join '', map { "$_ a\n" } 1 .. 100_000), undef);
held('texts of trace_printk(): 60 MB', text(20, 4, '0x1 : "' . 'x' x (60 * $MB) . '"'), $unpacks);
held('… 400 000 of them', text(20, 4, join '', map { sprintf qq(0x%x : "a"\n), $_ } 1 .. 400_000), $events);
held('a format of 60 MB', dat(sections => [ [ 17, pack('VQ<', 1, 60 * $MB) . "\n" x (60 * $MB) ] ]), $unpacks);
held('formats of 200 000 fields', dat(systems => { %small, x => [ map { my $e = $_; "name: e$e\nID: $e\n" . join '', map { "field:a f$_;offset:0;size:1;\n" } 1 .. 1000 } 1000 .. 1199 ] }), $events);
held('formats of 60 000 events', dat(systems => { %small, x => [ map { "name: e$_\nID: $_\n" } 1000 .. 60_999 ] }), $events);
held('one section named 5 001 times', dat(sections => [ [ 18, pack('V', 0) . "\0" x (20 * $MB), 5001 ] ]), $over);
held('a small one, twice', dat(sections => [ [ 18, pack('V', 0), 2 ] ]), $over);
held('500 000 CPUs of guests', dat(options => [ [ 13, "vm\0" . pack('Q<V', 1, 500_000) . pack('VV', 1, 1) x 500_000 ] ]), qr/it has more CPUs of guests than its size has room for/);
held('500 000 CPUs with shifts of time', dat(options => [ [ 12, pack('Q<VV', 1, 0, 500_000) . pack('V', 0) x 500_000 ] ]), qr/it has more shifts of time than its size has room for/);
held('10 000 CPUs', dat(buffers => [ [ '', map { [ $_, chunks_of([ $few ]) ] } 0 .. 4999 ] ]), $buffers);
held('… 600', dat(buffers => [ [ '', map { [ $_, chunks_of([ $few ]) ] } 0 .. 599 ] ]), undef);
held('two CPUs at one place', dat(buffers => [ [ '', [ 0, chunks_of([ $few ]) ] ], [ 'again', [ 0, [ 300, 50 ] ] ] ]), $over);
held('4 MB of empty pages, 100 times', dat(buffers => [ $one, [ 'empty', [ 1, chunks_of([ "\0" x (4 * $MB), 100 ]) ] ] ]), $pages);
held('… 30 times', dat(buffers => [ $one, [ 'empty', [ 1, chunks_of([ "\0" x (4 * $MB), 15 ]) ] ] ], behind => 0.6 * $MB), undef, [ 'info' ]);
held('a million events in pages that are alike', dat(buffers => [ [ '', [ 0, chunks_of([ ring_page($busy) x 10, 300 ]) ] ] ]), qr/it unpacks to more events than its size has room for/);
held('… half a million', dat(buffers => [ [ '', [ 0, chunks_of([ ring_page($busy) x 10, 150 ]) ] ] ], behind => $MB - 60_000), undef);
my $lives = join '', map { small(2, 1, 77) . small(3, 0, 77) } 1 .. 170;
held('lives of one TID', dat(buffers => [ [ '', [ 0, chunks_of([ ring_page($lives) x 10, 150 ]) ] ] ], behind => $MB - 200_000), qr{it (?:tells of more threads and CPUs|unpacks to more events) than its size has room for});
my @dense = map { my $k = $_ * 250; ring_page(join('', map { wide(1, $k + $_, $k + $_ + 1) } 1 .. 250), 1000 * ($_ + 1)) } 0 .. 399;
my @lost = map { ring_page(wide(1, 1 + $_ % 2, 2 - $_ % 2), 10_000_000 + 10 * $_, undef, 1) } 1 .. 10;
held('100 000 threads', dat(systems => \%wide, buffers => [ [ '', [ 0, chunks_of([ join '', @dense ]) ] ] ]), undef, [ 'info' ], [ 'threads' ]);
held('… and thousands of gaps', dat(systems => \%wide, buffers => [ [ '', [ 0, chunks_of([ join '', @dense ], [ join('', @lost), 500 ]) ] ] ]), qr/it has more threads and gaps than its size has room for/);

# A file of format 6, where nothing is packed: places of CPUs, instances.
sub dat_6 { my (%o) = @_; return trace_dat(formats => [ [ sched => 'sched_switch', [ [ pid_t => 'prev_pid' ], [ pid_t => 'next_pid' ] ] ] ], events => [ map { [ 1000 + $_, $_ % 2, 'sched_switch', 1, 0, prev_pid => 1, next_pid => 2 ] } 1 .. 10 ], %o) }
my $plain = dat_6();
held('format 6', $plain, undef);
{
	my $bytes = $plain;
	my $at = rindex($bytes, "flyrecord\0") + 10;
	substr($bytes, $at + 16, 16) = substr $bytes, $at, 16;
	held('format 6: two CPUs at one place', $bytes, $over);
}
{
	my $bytes = dat_6(options => [ map { [ 3, pack('Q<', 0) . "i\0" ] } 1 .. 20_000 ], cpus => 2);
	my $place = pack 'Q<', rindex $bytes, "flyrecord\0";
	$bytes =~ s/\x{3}\0\x{a}\0\0\0\0{8}i\0/\x{3}\0\x{a}\0\0\0${place}i\0/g;
	held('format 6: 20 000 instances at one place', $bytes, $over);
}

# Fields that describe the same bytes, with long names.
my $loc = "name: sched_switch\nID: 1\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:pid_t prev_pid;\toffset:4;\tsize:4;\tsigned:1;\n\tfield:pid_t next_pid;\toffset:4;\tsize:4;\tsigned:1;\n" .
	join '', map { "\tfield:__data_loc u8[] f$_;\toffset:4;\tsize:4;\tsigned:0;\n" } 1 .. 900;
held('a record of 100 bytes, 900 times over', dat(systems => { sched => [ $loc ] }, buffers => [ [ '', [ 0, chunks_of([ join '', map { ring_page(ring_record(pack('vvV', 1, 0, 8 | 100 << 16) . "\xff" x 100) x 35, 1000 * $_) } 1 .. 200 ]) ] ] ]), undef);
# Interrupts in all contexts: the reader looks for the one that a stack belongs to.
my $contexts = join '', map { small(1, $_ & 0xffff, $_ >> 16) } 1 .. 80_000;
held('80 000 contexts in a page', dat(systems => { %small, ftrace => [ event_format(9, 'kernel_stack', [ 'unsigned long caller[]', 16, 0 ]) ] }, page => $MB, buffers => [ [ '', [ 0, chunks_of([ ring_page($contexts, 1000, $MB) ]) ] ] ]), undef);

# ---- perf.data ----

my @comm = (prev_comm => 'a', prev_prio => 120, next_comm => 'b', next_prio => 120);
sub perf {
	my ($more, %how) = @_;
	my $p = PerfData->new(%how);
	$p->event('sched:sched_switch', 1000 + $_, $_ % 2, 7, 7, { @comm, prev_pid => 7, prev_state => 1, next_pid => 8 }) for 1 .. 10;
	$more->($p) if $more;
	return $p->bytes;
}
my %packed = (packed => PerfData::COMPRESSED, piece => 60_000);

held('perf: a few events', perf(), undef);
held('perf: 80 MB of records', perf(sub { $_[0]->add(200, "\0" x 65_000) for 1 .. 1200 }, %packed), qr/its records unpack to more than its size has room for/);
held('perf: a million of them that tell of threads', perf(sub { $_[0]{records} .= $_[0]->record(PerfData::COMM, pack 'VV', 7, 7) x 1_000_000 }, %packed), qr/it unpacks to more events than its size has room for/);
held('perf: threads that there were', perf(sub { my ($p) = @_; $p->{records} .= join '', map { pack 'VvvVV', 3, 0, 16, $_, $_ } 1 .. 60_000 }), undef, [ 'info' ], [ 'threads' ]);
sub cpus {
	my ($n) = @_;
	my $p = PerfData->new(names => [ 'sched:sched_switch' ], sample => [qw(tid time cpu raw)]);
	$p->event('sched:sched_switch', 1000 + $_, $_ % $n, 7, 7, { @comm, prev_pid => 7, prev_state => 1, next_pid => 8 }) for 0 .. 7499;
	return $p->bytes;
}
held('perf: 5 000 CPUs', cpus(5000), qr/it has events of more CPUs than its size has room for/);
held('perf: … 1 500', cpus(1500), undef);
{
	# All ids of all events at one place of the file.
	my $bytes = perf();
	my ($each, $attrs, $size) = unpack 'x16 Q<3', $bytes;
	my $n = 6000;
	my $attr = substr($bytes, $attrs, $each - 16) . pack 'Q<2', 0, 8 * int(length($bytes) / 8);
	substr($bytes, 24, 16) = pack 'Q<2', length $bytes, $n * $each;
	held('perf: ids over each other', $bytes . $attr x $n, $over);
}
# ---- Perfetto ----

sub pftrace {
	my ($more, @packed) = @_;
	my $p = Pftrace->new(compact => 1);
	$p->clocks(1000, 1_700_000_000_000_000_000);
	$p->switch(2000 + $_, $_ % 2, [ 'a', 7 ], 1, [ 'b', 8 ]) for 1 .. 10;
	$p->flush;
	$more->($p) if $more;
	return $p->trace(@packed);
}
# N packets of one sequence that hold BYTES packed.
sub packed_in { my ($packed, $bytes, $n) = @_; my $z = $packed == 50 ? Compress::Zlib::compress($bytes) : Pftrace::zstd($bytes); return sub { my ($p) = @_; push @{$p->{packets}}, (Pftrace::bytes($packed, $z) . Pftrace::number(3, 0)) x $n } }
my $packets = qr/its packets unpack to more than its size has room for/;
held('Perfetto: a few events', pftrace(), undef);
held('Perfetto: 160 MB of nothing', pftrace(packed_in(50, "\0" x (15 * $MB), 11)), $packets);
held('… zstd', pftrace(packed_in(133, "\0" x (15 * $MB), 400)), $packets);
held('… one packet of 60 MB is left out', pftrace(packed_in(50, "\0" x (60 * $MB), 1)), $packets);
held('… in 3 million packets', pftrace(packed_in(50, "\x0a\0" x 100_000, 30)), $packets);
{
	my $run = Pftrace::packed(1, (1) x 100_000) . Pftrace::packed(2, (1) x 100_000) . Pftrace::packed(3, (7, 8) x 50_000);
	my $bundle = Pftrace::bytes(1, Pftrace::bytes(1, Pftrace::number(1, 0) . Pftrace::bytes(4, $run)) . Pftrace::number(10, 5));
	held('Perfetto: a million switches that are alike', pftrace(packed_in(50, $bundle, 10)), qr/it unpacks to more events than its size has room for/);
	held('… 100 000', pftrace(packed_in(50, $bundle, 1)), undef);
}
held('Perfetto: 3 000 CPUs', pftrace(sub { my ($p) = @_; for my $cpu (0 .. 2999) { $p->switch(3000 + $cpu, $cpu, [ 'a', 7 ], 1, [ 'b', 8 ]); $p->bundle($cpu) } }), qr/it has events of more CPUs than its size has room for/);
held('… 500', pftrace(sub { my ($p) = @_; for my $cpu (0 .. 499) { $p->switch(3000 + $cpu, $cpu, [ 'a', 7 ], 1, [ 'b', 8 ]); $p->bundle($cpu) } }), undef);
held('Perfetto: 1 million threads in /proc', pftrace(packed_in(50, Pftrace::bytes(1, Pftrace::bytes(2, Pftrace::bytes(2, Pftrace::number(1, 77)) x 100_000)), 10)), qr/it names more threads than its size has room for/);
{
	my $act = sub { my ($sequence, $interned) = @_; return Pftrace::bytes(1, Pftrace::bytes(11, Pftrace::number(9, 3)) . Pftrace::number(8, 2005) . Pftrace::number(10, $sequence) . ($interned // '')) };
	my $too_many = qr/it has more sequences of packets than its size has room for/;
	held('Perfetto: 80 000 sequences', pftrace(packed_in(50, join('', map { Pftrace::bytes(1, Pftrace::number(13, 1) . Pftrace::number(10, 100 + $_)) } 1 .. 80_000), 1)), $too_many);
	held('… 3 000 sequences with track events', pftrace(packed_in(50, join('', map { $act->(100 + $_) } 1 .. 3_000), 1)), $too_many);
	held('… 300', pftrace(packed_in(50, join('', map { $act->(100 + $_) } 1 .. 300), 1)), undef);
	srand 5;
	my $size = Pftrace::bytes(36, join '', map { chr rand 256 } 1 .. 200_000);
	held('Perfetto: 1.4 million readings of clocks', pftrace(sub { my ($p) = @_; $p->packet($size); packed_in(50, Pftrace::bytes(1, Pftrace::bytes(6, join '', map { Pftrace::bytes(1, Pftrace::number(1, $_) . Pftrace::number(2, 5)) } 6, (200) x 100_000)), 14)->($p) }), qr/it has more snapshots of clocks than its size has room for/);
	my $names = join '', map { Pftrace::bytes(2, Pftrace::number(1, $_) . Pftrace::bytes(2, 'n')) } 1 .. 100_000;
	held('Perfetto: 800 000 names', pftrace(packed_in(133, join('', map { $act->(100 + $_, Pftrace::bytes(12, $names)) } 1 .. 8), 1)), qr/it tells of more names than its size has room for/, [ 'events', '--name', 'track*' ]);
}
# Machines, each of which is read as a separate recording.
sub machines { my ($n, $of) = @_; return sub { my ($p) = @_; for my $m (1 .. $n) { packed_in(50, join('', map { Pftrace::bytes(1, $_ . Pftrace::number(10, 5 + $m) . Pftrace::number(98, $m)) } Pftrace::bytes(6, join '', map { Pftrace::bytes(1, Pftrace::number(1, $_->[0]) . Pftrace::number(2, $_->[1])) } [ 6, 1000 ], [ 1, 1_700_000_000_000_001_000 ]), $of->($m)), 1)->($p) } } }
{
	my $bundle = sub { my ($n) = @_; return Pftrace::bytes(1, Pftrace::number(1, 0) . Pftrace::bytes(4, Pftrace::packed(1, (1) x $n) . Pftrace::packed(2, (1) x $n) . Pftrace::packed(3, (7, 8) x ($n / 2)))) };
	my ($some, $many) = map { $bundle->($_) } 7_000, 60_000;
	held('Perfetto: 15 machines with 7 000 switches each', pftrace(machines(15, sub { return $some })), undef);
	held('… with 60 000', pftrace(machines(15, sub { return $many })), qr/it unpacks to more events than its size has room for/);
	my $cpus = sub { my ($n) = @_; return map { Pftrace::bytes(1, Pftrace::number(1, $_) . Pftrace::bytes(4, Pftrace::packed(1, 5000 + $_) . Pftrace::packed(2, 1) . Pftrace::packed(3, 8))) } 0 .. $n - 1 };
	held('Perfetto: 15 machines with 60 CPUs each', pftrace(machines(15, sub { return $cpus->(60) })), undef);
}
held('Perfetto: 16 000 descriptions', pftrace(sub { my ($p) = @_; for my $n (65536 .. 81900) { $p->describe($n, 'x', "e$n", a => 3) } $p->switch(5000, 0, [ 'a', 7 ], 1, [ 'b', 8 ]); $p->bundle(0) }), undef);
held('Perfetto: 100 000 names in events', pftrace(sub { my ($p) = @_; $p->named_event(5000 + $_, 0, 7, "e$_") for 1 .. 40_000; $p->bundle(0) }), undef);

# ---- CTF ----

our $ctf = <<'END';	# (a test changes it)
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 8; align = 8; } stream_id; }; };
env { domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = 1000000000; offset = 0; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; integer { size = 32; align = 8; } content_size; integer { size = 32; align = 8; } packet_size; integer { size = 16; align = 8; } cpu_id; }; };
event { name = "sched_switch"; stream_id = 0; fields := struct { integer { size = 24; align = 8; } next_tid; integer { size = 8; align = 8; } prev_tid; }; };
END
sub packet { my ($time, $cpu, $events) = @_; my $bits = 8 * (31 + length $events); return pack 'VCQ<Q<VVva*', 0xc1fc1fc1, 0, $time, $time + 5, $bits, $bits, $cpu, $events }
sub ctf {
	my ($name, @files) = @_;
	my $folder = "$ENV{TMPDIR}/$name";
	mkdir $folder;
	spew("$folder/metadata", $ctf);
	spew("$folder/s_$_", $files[$_]) for 0 .. $#files;
	return \$folder;
}
held('CTF: 240 000 threads', ctf('threads', packet(1000, 0, pack 'V*', 1 .. 240_000)), qr/it tells of more threads and CPUs than its size has room for/);
held('CTF: … 100 000', ctf('fewer', packet(1000, 0, pack 'V*', 1 .. 100_000)), undef, [ 'info' ], [ 'threads' ]);
held('CTF: 20 000 CPUs', ctf('cpus', join '', map { packet(1000 + $_, $_, pack 'V', 1) } 0 .. 19_999), qr/it tells of more threads and CPUs than its size has room for/);
held('CTF: 5 000 streams', ctf('streams', map { packet(1000 + $_, 0, pack 'V', 1) } 1 .. 5000), qr/it has more streams than its size has room for/);
held('CTF: … 500', ctf('some', map { packet(1000 + $_, 0, pack 'V', 1) } 1 .. 500), undef);
{
	local $ctf = $ctf =~ s/prev_tid; \};/prev_tid; struct { } none[4000000000]; integer { size = 8; align = 8; } bits[4000]; integer { size = 8; align = 8; encoding = UTF8; } name[8]; };/r;
	held('CTF: 4 000 000 000 elements of no size, with names', ctf('nothing', join '', map({ packet(1000 * $_, 0, join "", map { pack "Vx4000a8", $_, "secret$_" } 1 .. 50) } 1, 2)), undef, [ qw(cut --anonymous --from 1000 --to 2001 -o), "$ENV{TMPDIR}/hidden" ]);
	unlike(slurp("$ENV{TMPDIR}/hidden/s_0"), qr/secret/, '… which are replaced');
}

# ---- CTF 2 ----

my ($preamble, @described) = ctf2_of($ctf);
sub two {
	my ($name, $attributes, @fragments) = @_;
	my $folder = ctf($name, packet(1000, 0, pack 'V*', 1 .. 100));
	my $metadata = ctf2_text({ %$preamble, attributes => { made => $attributes } }, @described, @fragments);
	cmp_ok(length $metadata, '<', 1.05 * $MB, "CTF 2, $name: a small file");
	spew("$$folder/metadata", $metadata);
	return $folder;
}
# Each alias has twice the fields of the previous one.
my @doubled = { type => 'field-class-alias', name => 'a0', 'field-class' => { type => 'null-terminated-string' } };
for my $i (1 .. 14) {
	push @doubled, { type => 'field-class-alias', name => "a$i", 'field-class' => { type => 'structure', 'member-classes' => [map { { name => $_, 'field-class' => 'a' . ($i - 1) } } qw(a b)] } };
}
sub classes { my ($n) = @_; return map { { type => 'event-record-class', id => $_, 'payload-field-class' => 'a14' } } 1 .. $n }
held('CTF 2: 400 000 numbers nobody needs', two('numbers', [(1) x 400_000]), undef);
held('CTF 2: 200 000 lists', two('lists', [map { [] } 1 .. 200_000]), undef);
held('CTF 2: 30 events of 16 384 fields each', two('events', 0, @doubled, classes(30)), qr/its events have too many fields, or choices of them, in all/);
held('CTF 2: … 6 000', two('more', 0, @doubled, classes(6_000)), qr/metadata fragment \d+, line \d+: its events have too many fields in all/);
held('CTF 2: … 3', two('fewer', 0, @doubled, classes(3)), undef);

done_testing;
