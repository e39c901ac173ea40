#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Limits on the contents of a trace.dat and a perf.data: a file at each of them, which is read, and one beyond it.  Limits within texts and pages are
# in tests/trace/test_ftrace.c; the total cost of small files is in bombs.t.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use PerfData;
use Test::More;

my $number = 0;

# The facts that info gives of a file of these BYTES; { } if it is refused.
sub told {
	my ($bytes) = @_;
	my $file = "$ENV{TMPDIR}/limit" . $number++;
	spew($file, $bytes);
	my $r = wakepath('info', $file, '--format', 'json');
	return { refused => $r->{err} } if $r->{status} == 3;
	return json_of($r)->{traces}[0];
}
sub is_cut { my ($t) = @_; return scalar grep { /cut off or damaged/ } @{$t->{warnings}} }

# Each file has two events of CPU 0.
my %switches = (sched => [ event_format(1, 'sched_switch', [ 'pid_t prev_pid', 2, 2 ], [ 'pid_t next_pid', 4, 2 ]) ]);
sub page { my ($size) = @_; return ring_page(join('', map { ring_record(pack 'v4', 1, $_, 3 - $_, 0) } 1, 2), 1_000_000, $size) }
sub dat { my (%o) = @_; return told(trace_dat_7(systems => \%switches, buffers => [ [ '', [ 0, chunks_of([ page($o{page}) ]) ], @{$o{more} // []} ] ], %o)) }

is(dat()->{events}, 2, 'a trace.dat');
my $t = dat(more => [ [ 65_535, chunks_of([ page() ]) ] ]);
is("$t->{events} " . is_cut($t), '4 0', 'CPU 65535');
$t = dat(more => [ [ 65_536, chunks_of([ page() ]) ] ]);
is("$t->{events} " . is_cut($t), '2 1', 'CPU 65536 is refused');

for my $case ([ 64, 1 ], [ 63, 0 ], [ 1 << 20, 1 ], [ (1 << 20) + 1, 0 ]) {
	my ($size, $fine) = @$case;
	my $t = dat(page => $size);
	is($t->{events}, $fine ? 2 : undef, "pages of $size bytes are " . ($fine ? 'read' : 'not'));
	like($t->{refused}, qr/it has no events of any CPU/, '… with a message') if !$fine;
}

# A stream up to the end of the file; across it; after it.
{
	my $chunks = chunks_of([ page() ]);
	my $end = length trace_dat_7(systems => \%switches, buffers => [ [ '', [ 0, [ 1 << 40, 9 ] ] ] ]);
	for my $case ([ 0, length $chunks, '2 0', 'up to the end of the file' ], [ 0, 1 + length $chunks, '2 1', 'one byte beyond its end' ], [ 1 + length $chunks, 4, undef, 'one byte behind it' ]) {
		my ($at, $size, $want, $name) = @$case;
		# (The options are packed: the file reaches at least to their place.)
		my $bytes = '';
		for (1 .. 3) {
			$bytes = trace_dat_7(systems => \%switches, buffers => [ [ '', [ 0, [ $end + $at, $size ] ] ] ]);
			last if $end == length $bytes;
			$end = length $bytes;
		}
		is(length $bytes, $end, "$name: the file is as long as it claims");
		my $t = told($bytes . $chunks);
		is(defined $t->{events} ? "$t->{events} " . is_cut($t) : undef, $want, "a stream $name");
	}
}

# CPUs known only because a wake-up names them as target: at most 256 are reported.
my $wakes = [ sched => 'sched_wakeup', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ];
for my $n (256, 257) {
	my @wakeups = map { [ 1_000_000 + $_, 0, 'sched_wakeup', 7, 0, comm => 'a', pid => 8, prio => 120, target_cpu => $_ ] } 1 .. $n;
	my $t = told(trace_dat(formats => [ $wakes ], events => \@wakeups, cpus => $n + 1));
	is(scalar @{$t->{gaps}}, 256, "$n CPUs that were not recorded");
}

# ---- perf.data ----

sub perf { my ($cpu, %how) = @_; my $p = PerfData->new(names => [ 'sched:sched_switch' ], sample => [qw(tid time cpu raw)], %how); $p->event('sched:sched_switch', 1000 + $_, $_ ? $cpu : 0, 7, 7, { prev_comm => 'a', prev_pid => 7, prev_prio => 120, prev_state => 1, next_comm => 'b', next_pid => 8, next_prio => 120 }) for 0, 1; return $p->bytes }
is(told(perf(8191))->{events}, 2, 'perf: CPU 8191');
is(told(perf(8192))->{events}, 1, 'perf: CPU 8192 is refused');
is(told(perf(1, attr_size => 64))->{events}, 2, 'perf: the smallest attributes that ever existed');
like(told(perf(1, attr_size => 63))->{refused}, qr/it has no tracepoints with their times and CPUs/, 'perf: smaller ones are refused');

# The place of the ids of its event: up to the end of the file, and one byte beyond.
{
	my $bytes = perf(1);
	my ($each, $attrs) = unpack 'x16 Q<2', $bytes;
	for my $case ([ 8, 0 ], [ 9, 1 ]) {
		my ($size, $cut) = @$case;
		my $harmed = "$bytes\0\0\0\0\0\0\0\0";
		substr($harmed, $attrs + $each - 16, 16) = pack 'Q<2', length $bytes, $size;
		is(is_cut(told($harmed)), $cut, "perf: ids of $size bytes where there are 8");
	}
}

# A record that gives the size of the data after it (struct perf_record_auxtrace): as much as there is, and one byte more.
for my $case ([ 0, 0 ], [ 1, 1 ]) {
	my ($more, $cut) = @$case;
	my $p = PerfData->new(names => [ 'sched:sched_switch' ], sample => [qw(tid time cpu raw)]);
	$p->event('sched:sched_switch', 1000, 0, 7, 7, { prev_comm => 'a', prev_pid => 7, prev_prio => 120, prev_state => 1, next_comm => 'b', next_pid => 8, next_prio => 120 });
	$p->add(PerfData::AUXTRACE, $p->u64(16 + $more, 0, 0) . $p->u32((0) x 4));
	$p->{records} .= "\0" x 16;
	is(is_cut(told($p->bytes)), $cut, "perf: 16 bytes behind a record that tells " . (16 + $more));
}

done_testing;
