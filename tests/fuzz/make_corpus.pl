#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# make_corpus.pl WAKEPATH: rewrite tests/fuzz/corpus: small seeds for each fuzz target, cut from the sample traces with babeltrace2, and the
# indexes that WAKEPATH makes of them.  Run it ("make corpus") after a change of IDX_FORMAT_VERSION or of the input of a target.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use lib dirname(__FILE__) . '/../tools';
use Ctf2;
use Ftrace;
use PerfData;
use Pftrace;

my $wakepath = shift or die "usage: make_corpus.pl WAKEPATH\n";
my $top = dirname(__FILE__) . '/../..';
my $samples = "$top/sample-traces";
my $corpus = "$top/tests/fuzz/corpus";
my $work = $ENV{TMPDIR} = tempdir(CLEANUP => 1);

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "$path: $!\n";
	local $/;
	return <$f>;
}

# The seeds of fuzz_sql and fuzz_mark are written by hand and stay.
my %begun;
sub seed {
	my ($target, $name, $bytes) = @_;
	remove_tree("$corpus/fuzz_$target") if !$begun{$target}++;
	make_path("$corpus/fuzz_$target");
	open my $f, '>:raw', "$corpus/fuzz_$target/$name" or die "$name: $!\n";
	print $f $bytes;
	close $f or die "$name: $!\n";
}

# The text of metadata, without its packets.
sub text_of {
	my ($bytes) = @_;
	my $text = '';
	while (length $bytes >= 37) {
		my ($content, $packet) = unpack 'x24VV', $bytes;
		$text .= substr $bytes, 37, $content / 8 - 37;
		substr($bytes, 0, $packet / 8) = '';
	}
	return $text;
}

sub packet_of {
	my ($text) = @_;
	return pack('V x16 V V V C3 C2', 0x75D11D57, 0, 8 * (37 + length $text), 8 * (64 + length $text), 0, 0, 0, 1, 8) . $text . "\0" x 27;
}

# TEXT with only one of STEP events.
sub fewer_events {
	my ($text, $step) = @_;
	my $n = 0;
	return join '', grep { !/^event \{/m || $n++ % $step == 0 } split /(?<=^\};\n)/m, $text;
}

# The folder of a trace with the events from FIRST to LAST of a sample.
sub cut {
	my ($sample, $first, $last) = @_;
	my @times = map { /^\[([\d.]+)\]/ } qx(babeltrace2 --clock-seconds "$samples/$sample");
	my $to = "$work/$sample-$first-$last";
	system("babeltrace2 '$samples/$sample' --begin $times[$first] --end $times[$last] -o ctf -w '$to' >/dev/null") == 0
		or die "$sample: babeltrace2 failed\n";
	chomp(my ($metadata) = qx(find "$to" -name metadata));
	return dirname($metadata);
}

# An input for fuzz_page: the metadata of a trace, then its longest stream.
sub page_of {
	my ($folder) = @_;
	my ($stream) = sort { -s $b <=> -s $a } grep { !m!/metadata$! } glob "$folder/*";
	my $metadata = slurp("$folder/metadata");
	return pack('v', length $metadata) . $metadata . slurp($stream);
}

# All CTF 2 field classes that LTTng does not write, and events with them.
sub classes_page {
	my $fixed = sub { my ($type, $length, %more) = @_; return { type => "fixed-length-$type", length => $length, 'byte-order' => 'little-endian', %more } };
	my $fields = sub { return { type => 'structure', 'member-classes' => [map { my ($name, $class) = @$_; { name => $name, 'field-class' => $class } } @_] } };
	my $leb = { type => 'variable-length-unsigned-integer' };
	my $n = { path => ['n'] };
	my $metadata = ctf2_text({ type => 'preamble', version => 2 },
		{ type => 'clock-class', id => 'c', frequency => 1000000000, origin => 'unix-epoch' },
		{ type => 'data-stream-class', 'default-clock-class-id' => 'c', 'packet-context-field-class' => $fields->([size => { %$leb, roles => ['packet-total-length'] }], [cpu_id => $leb]),
			'event-record-header-field-class' => $fields->([t => { %$leb, roles => ['default-clock-timestamp'] }]) },
		{ type => 'event-record-class', name => 'e', 'payload-field-class' => $fields->([n => $fixed->('unsigned-integer', 8)], [b => $fixed->('boolean', 3)], [m => $fixed->('bit-map', 5, 'bit-order' => 'last-to-first', flags => { x => [[0, 2]] })],
			[f => $fixed->('floating-point-number', 16)], [w => $fixed->('bit-array', 72)], [i => { type => 'variable-length-signed-integer' }], [s => { type => 'null-terminated-string', encoding => 'utf-16be' }],
			[d => { type => 'dynamic-length-string', 'length-field-location' => $n, encoding => 'utf-32le' }], [l => { type => 'dynamic-length-blob', 'length-field-location' => $n }],
			[o => { type => 'optional', 'selector-field-location' => $n, 'selector-field-ranges' => [[1, 9]], 'field-class' => { type => 'static-length-blob', length => 2 } }],
			[v => { type => 'variant', 'selector-field-location' => $n, options => [{ 'selector-field-ranges' => [[0, 4]], 'field-class' => { type => 'static-length-array', length => 2, 'element-field-class' => $leb } },
				{ 'selector-field-ranges' => [[5, 255]], 'field-class' => { type => 'null-terminated-string' } }] }]) });
	my $event = sub { my ($time, $n, $rest) = @_; return pack('CCCvx9C', $time, $n, 0x4d, 0x3c00, 0x7e) . "\0a\0\0" . "x\0\0\0" x ($n / 4) . "y" x $n . $rest };
	my $events = $event->(5, 4, "zz\1\x81\1") . $event->(9, 12, "text\0");
	return pack('v', length $metadata) . $metadata . pack('CCC', 128 | (8 * (length($events) + 3) & 127), 8 * (length($events) + 3) >> 7, 0) . $events;
}

# Events with fields that refer to the packet header, the packet context and the event header.
sub around_page {
	my $u8 = sub { return { type => 'fixed-length-unsigned-integer', length => 8, 'byte-order' => 'little-endian', alignment => 8, @_ } };
	my $fields = sub { return { type => 'structure', 'member-classes' => [map { my ($name, $class) = @$_; { name => $name, 'field-class' => $class } } @_] } };
	my $blob = sub { my ($origin, $name) = @_; return { type => 'dynamic-length-blob', 'length-field-location' => { origin => $origin, path => [$name] } } };
	my $metadata = ctf2_text({ type => 'preamble', version => 2 }, { type => 'trace-class', 'packet-header-field-class' => $fields->([p => $u8->(roles => ['data-stream-id'])]) },
		{ type => 'clock-class', id => 'c', frequency => 1000000000, origin => 'unix-epoch' },
		{ type => 'data-stream-class', 'default-clock-class-id' => 'c', 'packet-context-field-class' => $fields->([size => $u8->(roles => ['packet-total-length'])], [cpu_id => $u8->()], [n => $u8->()]),
			'event-record-header-field-class' => $fields->([t => $u8->(roles => ['default-clock-timestamp'])], [h => $u8->()]) },
		{ type => 'event-record-class', name => 'e', 'payload-field-class' => $fields->([a => $blob->('packet-header', 'p')], [b => $blob->('packet-context', 'n')], [c => $blob->('event-record-header', 'h')]) });
	my $packet = pack 'C*', 1, 8 * 13, 0, 2, 5, 1, 10, 11, 12, 13, 6, 0, 20, 21, 22;
	substr($packet, 1, 1) = chr 8 * length $packet;
	return pack('v', length $metadata) . $metadata . $packet;
}

sub index_of {
	my ($folder) = @_;
	my $to = "$work/index-" . ($folder =~ tr!/!_!r);
	system("'$wakepath' index --index-dir '$to' '$folder' >/dev/null") == 0 or die "$folder: no index\n";
	my ($index) = glob "$to/*.wpi";
	return slurp($index);
}

# Track events of two sequences, with incremental and absolute times, interned and literal names, a loss, and cleared state.
sub tracks_of {
	my $p = Pftrace->new;
	$p->clocks(4_000, 1_700_000_000_000_000_000);
	$p->switch(10_000, 0, [ 'swapper', 0 ], 0, [ 'main', 700 ]);
	$p->switch(90_000, 0, [ 'main', 700 ], 1, [ 'swapper', 0 ]);
	$p->flush;
	$p->track(77, pid => 700, tid => 700, thread => 'main');
	$p->track(78, parent => 77, name => 'heap', counter => Pftrace::number(3, 3) . Pftrace::number(4, 1024));
	for my $i (1, 2) {
		$p->begin(9, 20_000 * $i, 10, 77);
		$p->act(9, 5, 1, Pftrace::number(10, 1) . Pftrace::number(3, 1) . Pftrace::fixed64(47, 9), interned => Pftrace::name(1, "phase $i") . Pftrace::bytes(1, Pftrace::number(1, 1) . Pftrace::bytes(2, 'cat')));
		$p->act(9, 5, 2, '', dropped => $i == 1);
		$p->act(10, 30_000 * $i, 4, Pftrace::number(11, 78) . Pftrace::number(30, $i), flags => 0);
		$p->act(10, 25_000 * $i, 3, Pftrace::bytes(4, Pftrace::bytes(10, 'd') . Pftrace::bytes(11, Pftrace::bytes(10, 'k') . Pftrace::double(5, 0.5))), flags => 0, clock => 3);
	}
	$p->packet(Pftrace::bytes(44, Pftrace::number(1, 700) . Pftrace::number(2, 700) . Pftrace::number(6, 60)), sequence => 11, flags => 1);
	$p->packet(Pftrace::bytes(11, Pftrace::number(1, 3) . Pftrace::bytes(6, Pftrace::number(2, ord 'X') . Pftrace::number(3, 2))), sequence => 11, flags => 2);
	return $p->trace;
}

# A small trace of Perfetto: switches, an event with a message, an event with a description, losses.
sub perfetto_of {
	my ($how, @packed) = @_;
	my $p = Pftrace->new(%$how);
	my ($idle, $main) = ([ 'swapper', 0 ], [ 'main', 700 ]);
	$p->system_info;
	$p->config('', [ 'sched/*', 'irq/softirq_entry' ]);
	$p->clocks(4_000, 1_700_000_000_000_000_000);
	$p->stats(1, [ [ 0, 0 ], [ 1, 0 ] ]);
	$p->tree(4_500, [ [ 2, 0, 'kthreadd' ], [ 700, 1, undef, '/bin/main' ] ], [ [ 701, 700 ] ]);
	for my $i (1 .. 6) {
		my $t = 10_000 * $i;
		$p->switch($t, $_, $idle, 0, $main) for 0, 1;
		$p->typed($t + 10, 0, 700, 24, 7);
		$p->typed($t + 20, 0, 700, 235, 800 + $i, 'new', 0, 0);
		$p->typed($t + 30, 1, 700, 45, 65024, 77, 8, 4096, 'WS', 'main', '');
		$p->waking($t + 40, 1, $main, [ 'x', 701 ], 0);
		$p->describe(65540, 'syscalls', 'sys_enter_futex', uaddr => 4, op => 4);
		$p->raw_event($t + 50, 0, 700, 65540, Pftrace::number(1, 77) . Pftrace::number(2, 1));
		$p->named_event($t + 60, 1, 700, 'sys_enter_read', fd => 3, buf => 'x');
		$p->switch($t + 70, $_, $main, 1, $idle) for 0, 1;
		$p->bundle(1, lost => $i == 3, dropped => $i == 4);
		$p->bundle(0, more => $i == 2 ? Pftrace::number(5, 2) . Pftrace::number(6, 1000) . Pftrace::number(7, 1001) : '');
	}
	$p->stats(2, [ [ 9, 0 ], [ 1, 3 ] ]);
	return $p->trace(@packed);
}

# The host and two other machines: kernel events and track events, with their own clocks and with RemoteClockSync.
sub machines_of {
	my $guest = Pftrace->new(sequence => 6);
	$guest->system_info(release => '5.10.9');
	$guest->clocks(4_000, 1_700_000_001_000_000_000);
	$guest->switch(10_000 * $_, 1, [ 'swapper', 0 ], 0, [ 'other', 300 ]), $guest->switch(10_000 * $_ + 70, 1, [ 'other', 300 ], 1, [ 'swapper', 0 ]) for 1 .. 3;
	$guest->flush;
	my $at = sub { my ($day) = @_; return join '', map { Pftrace::bytes(1, Pftrace::number(1, $_->[0]) . Pftrace::number(2, $_->[1])) } [ 6, 4_000 ], [ 1, $day ] };
	my $synced = Pftrace::bytes(107, join '', map { Pftrace::bytes(1, Pftrace::bytes(2, $at->(1_600_000_000_000_000_000 + $_)) . Pftrace::bytes(3, $at->(1_700_000_000_000_000_000))) } 900, 0) . Pftrace::number(3, 0) . Pftrace::number(10, 1);
	my $p = Pftrace->new;
	$p->clocks(4_000, 1_700_000_000_000_000_000);
	push @{$p->{packets}}, map { $_ . Pftrace::number(98, 3_000_000_000) } $synced, @{$guest->{packets}};
	$p->switch(10_000, 0, [ 'swapper', 0 ], 0, [ 'main', 700 ]);
	$p->switch(90_000, 0, [ 'main', 700 ], 1, [ 'swapper', 0 ]);
	$p->flush;
	my $before = @{$p->{packets}};
	$p->track(77, pid => 300, tid => 300, thread => 'other');
	$p->begin(9, 20_000, 10, 77);
	$p->act(9, 5, $_, $_ == 1 ? Pftrace::bytes(23, 'x') : '') for 1, 2;
	$_ .= Pftrace::number(98, 9) for @{$p->{packets}}[$before .. $#{$p->{packets}}];
	return $p->trace;
}

# A small perf.data in each form.
sub perf_of {
	my (%how) = @_;
	my $p = PerfData->new(%how);
	my @of = (prev_comm => 'a', prev_prio => 120, next_comm => 'b', next_prio => 120, comm => 'b', prio => 120, target_cpu => 0);
	$p->comm(0, 0, 7, 7, 'a');
	for my $i (1 .. 6) {
		$p->event('sched:sched_waking', 1000 * $i, $i % 2, 7, 7, { @of, pid => 8 }, 1, 2);
		$p->event('sched:sched_switch', 1000 * $i + 10, $i % 2, 7, 7, { @of, prev_pid => 7, prev_state => 1, next_pid => 8 }, 1, 2);
		$p->round;
	}
	$p->lost(3, 9000, 1);
	$p->fork(9500, 1, 9, 7, 9, 7);
	return $p->bytes;
}

# A small trace.dat of format 6, and of 7 with two buffers and all other options.
sub ftrace_of {
	my (%how) = @_;
	my $switch = [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ];
	my @formats = ([ sched => 'sched_switch', $switch ], [ ftrace => 'print', [ [ 'unsigned long' => 'ip' ], [ 'const char *' => 'fmt' ], [ char => 'buf[]' ] ] ],
		[ ftrace => 'kernel_stack', [ [ int => 'size' ], [ 'unsigned long' => 'caller[2]' ] ] ], [ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ]);
	my @events = map { my $t = 1000 * $_; ([ $t, $_ % 2, 'sched_switch', 7, 1, prev_comm => 'a', prev_pid => 7, prev_state => 1, next_comm => 'b', next_pid => 8 ],
		[ $t + 1, $_ % 2, 'kernel_stack', 7, 1, size => 2, caller => [ 0x1000, 0x1008 ] ], [ $t + 2, $_ % 2, 'print', 8, 0, fmt => 0x99, buf => "m$_\n" ], [ $t + 3, $_ % 2, 'irq_handler_entry', 8, 8, irq => 3, name => 'disk' ]) } 1 .. 4;
	return trace_dat(formats => \@formats, events => \@events, kallsyms => "1000 T f\n", cmdlines => "7 a\n", printk => qq(0x99 : "text"\n),
		options => [ [ 2, "CPU: 1\ndropped events: 2\n" ], [ 11, pack 'Q<', 77 ], [ 13, "vm\0" . pack 'Q<V3', 88, 1, 0, 7 ], [ 12, pack('Q<V2', 77, 1, 1) . pack('VQ<q<Q<Q<', 1, 0, 5, 3, 1) ] ], %how);
}
sub ftrace_7_of {
	my $t = sub { my ($width, $text) = @_; return pack($width == 4 ? 'V' : 'Q<', length $text) . $text };
	my @pages = map { ring_page(join('', map { ring_record(pack 'v4', 1, $_, 3 - $_, 0) } 1, 2), 5000 * $_, undef, $_ == 2) } 1 .. 3;
	return trace_dat_7(systems => { sched => [ event_format(1, 'sched_switch', [ 'pid_t prev_pid', 2, 2 ], [ 'pid_t next_pid', 4, 2 ]) ] },
		sections => [ [ 19, $t->(4, "1000 T f\n") ], [ 20, $t->(4, qq(0x99 : "text"\n)) ], [ 21, $t->(8, "1 a\n2 b\n") ] ], options => [ [ 8, pack 'V', 2 ], [ 5, "Linux h 6\0" ], [ 14, pack 'V2', 3, 1 ] ],
		buffers => [ [ '', [ 0, chunks_of([ $pages[0] . $pages[1] ], [ $pages[2] ]) ] ], [ 'i', [ 1, chunks_of([ $pages[0] ]) ] ] ]);
}

seed('ftrace', 'little', ftrace_of());
seed('ftrace', 'big', ftrace_of(big => 1, long => 4, lost => 1));
seed('ftrace', 'packed', ftrace_7_of());
seed('text', 'ftrace', <<'END');
# tracer: nop
#                                _-----=> irqs-off
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
          <idle>-0       [001] d..2.  1000.001000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
               a-7       (      7) [001] .....  1000.001100: sys_futex(uaddr: 7f12, op: 80, val: 2, utime: 0, uaddr2: 0, val3: 0)
CPU:1 [LOST 12 EVENTS]
               a-7       [001] d..2.  1000.001200: sched_waking: comm=b: c pid=8 prio=120 target_cpu=000
               a-7       [001] d..2.  1000.001201: <stack trace>
 => try_to_wake_up
 => futex_wake
##### CPU 0 buffer started ####
           <...>-8       [000] d.h1.  1000.001300: irq_handler_entry: irq=3 name=disk 0
               a-7       [001] .....  1000.001400: tracing_mark_write: B|7|step
               a-7       [001] d..2.  1000.001500: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 next_prio=120
END
seed('text', 'report', <<'END');
cpus=2
       wk-a-7     [001]  1000.001000: sched_switch:         swapper/1:0 [120] R ==> wk-a:7 [120]
       wk-a-7     [001]  1000.001100: sched_wakeup:         b:8 [120] CPU:000
CPU:1 [12 EVENTS DROPPED]
       wk-a-7     [001]  1000.001150: block_rq_issue:       8,0 WS 4096 () 123 + 8 [wk-a]
       wk-a-7     [001]  1000.001160: timer_start:          timer=0xffff80 function=process_timeout expires=429 [timeout=1] bucket_expiry=430 cpu=1 idx=12 flags=D|P|I
       wk-a-7     [001]  1000.001170: kvm_exit:             reason EXIT_INTR rip 0xffffffff880bb652 info 0 0
       wk-a-7     [001]  1000.001180: ipi_send_cpumask:     cpumask=0-1 callsite=f+0x24 callback=g+0x0
       wk-a-7     [001]  1000.001190: sys_enter:            NR 0 (3, 7ffd12345678, 0, 0, 0, 0)
wk-a-7     1d.h..  1000.001200123: softirq_raise:        vec=9 [action=RCU]
END
seed('text', 'perf', <<'END');
# hostname : h
# os release : 6.1.0
            perf     7 [001]   183.890966:       sched:sched_switch: a:7 [120] S ==> swapper/1:0 [120]
	ffffffff81c07b1e __schedule+0x2ae ([kernel.kallsyms])
	    7f1234567890 write+0x4f (/usr/lib/libc.so.6)

         swapper     0/0   [001]   183.890999123:          1 sched:sched_waking: comm=a pid=7 prio=120 target_cpu=001
             :-1    -1 [000]   183.891000: sched:sched_stat_runtime: comm=a pid=7 runtime=969199 [ns]
         swapper     0 [000]   183.891001: PERF_RECORD_LOST lost 5
         swapper     0 [000]   183.891002: sched:sched_process_fork: comm=a pid=7 child_comm=b child_pid=8
END
seed('text', 'page', <<'END');
<!DOCTYPE html>
<html><head><title>Android System Trace</title><script>var a = "[000] 1.0: x: y";</script>
<script class="trace-data" type="application/text">
# tracer: nop
 RenderThread-123   (  100) [002] d..3  4000.000001: sched_wakeup: comm=a pid=7 prio=120 success=1 target_cpu=002
</script></html>
END
seed('perf', 'file', perf_of(index => [[0, -1]], online => 2));
seed('perf', 'pipe', perf_of(pipe => 1));
seed('perf', 'packed', perf_of(packed => PerfData::COMPRESSED));
seed('perf', 'other', perf_of(big => 1, pipe => 1, packed => PerfData::COMPRESSED2, sample => [qw(ip tid time id cpu period read chain raw)]));
seed('perfetto', 'typed', perfetto_of({}));
seed('perfetto', 'compact', perfetto_of({ compact => 1, before => 0 }));
seed('perfetto', 'deflate', perfetto_of({}, 50, 4));
seed('perfetto', 'machines', machines_of());
seed('perfetto', 'tracks', tracks_of());
seed('perfetto', 'zstd', perfetto_of({ compact => 1 }, 133, 4));
for (['pulse', 1500], ['ioburst-ipi', 900], ['pipeline', 2000], ['preempt', 1200]) {
	my ($sample, $first) = @$_;
	my $folder = cut($sample, $first, $first + 100);
	seed('meta', "$sample-cut", slurp("$folder/metadata"));
	seed('page', "$sample-cut", page_of($folder));
	seed('index', "$sample-cut", "\1" . index_of(cut($sample, $first, $first + 400)));
}
my $text = text_of(slurp("$samples/pulse/kernel/metadata"));
seed('meta', 'lttng-text', fewer_events($text, 5));
seed('meta', 'lttng-packet', packet_of(fewer_events($text, 30)));
seed('page', 'ctf2-classes', classes_page());
seed('page', 'ctf2-around', around_page());
seed('meta', 'ctf2-text', ctf2_text(ctf2_of(fewer_events($text, 8))));
seed('meta', 'ctf2-packet', packet_of(ctf2_text(ctf2_of(fewer_events(text_of(slurp("$samples/rpc-chain/client/metadata")), 6)))));
seed('meta', 'lttng-syscalls', fewer_events(text_of(slurp("$samples/lockfight/kernel/metadata")), 60));

# The packets of three hosts, and their clocks; the target calls the hosts a, b and c.
my %letter = (client => 'a', db => 'b', httpd => 'c');
my $clocks = qx('$wakepath' sync --index-dir '$work/rpc' --format json '$samples/rpc-chain');
$clocks =~ s/"$_"/"$letter{$_}"/g for keys %letter;
seed('sync', 'clocks', "\2$clocks");
seed('sync', 'pairs', "\1" . slurp((glob "$work/rpc/*.wpx")[0]));

# Latencies: of a trace, and an outline.
my $spans = cut('lockfight', 500, 900);
system("'$wakepath' latency --index-dir '$work/spans' --kind $_ -o /dev/null '$spans'") == 0 or die "$_: no latencies\n" for qw(wakeup syscall);
my @spans = sort { length $a <=> length $b } glob "$work/spans/*.wps";
seed('spans', 'of-a-trace', "\1" . slurp($spans[0]));
seed('spans', 'outline', "\1" . slurp($spans[1]));

# The summary of a host.
system("'$wakepath' index --index-dir '$work/spans' --quiet --summary-as '$work/host.wpm' '$spans'") == 0 or die "no summary\n";
seed('summary', 'host', "\1" . slurp("$work/host.wpm"));
