#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# perf.data in all its forms: both orders of bytes, from a file or a pipe, compressed, with each way to name events, out of order, with losses and with
# unrecorded events.  The files are made here, number by number, so their contents are known.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use PerfData;
use Recorded;
use Test::More;

my $start = 5_000_000_000;
my ($idle, $main, $worker) = (['swapper', 0, 0], ['main', 700, 700], ['worker', 701, 700]);

sub switch_of {
	my ($p, $time, $cpu, $prev, $state, $next, @chain) = @_;
	$p->event('sched:sched_switch', $time, $cpu, $prev->[2], $prev->[1],
		{ prev_comm => $prev->[0], prev_pid => $prev->[1], prev_prio => 120, prev_state => $state, next_comm => $next->[0], next_pid => $next->[1], next_prio => 120 }, @chain);
}

sub waking {
	my ($p, $time, $cpu, $by, $who, $target) = @_;
	$p->event('sched:sched_waking', $time, $cpu, $by->[2], $by->[1], { comm => $who->[0], pid => $who->[1], prio => 120, target_cpu => $target });
}

# Two threads that wake each other TIMES times: main on CPU 0, worker on CPU 1; as perf writes it, a run of each CPU between two rounds.
sub game {
	my ($p, $times) = @_;
	my $t = $start;
	for my $i (0 .. $times - 1) {
		switch_of($p, $t + 10_000, 0, $idle, 0, $main);
		waking($p, $t + 20_000, 0, $main, $worker, 1);
		switch_of($p, $t + 40_000, 0, $main, 1, $idle);
		switch_of($p, $t + 30_000, 1, $idle, 0, $worker);
		waking($p, $t + 50_000, 1, $worker, $main, 0);
		switch_of($p, $t + 60_000, 1, $worker, 1, $idle);
		$p->round if $i % 3 == 2;
		$t += 100_000;
	}
	return $t;
}

my $n = 0;
sub file_of { my ($p, $change) = @_; my $file = "$ENV{TMPDIR}/made" . $n++; local $_ = $p->bytes; $change->() if $change; spew($file, $_); return $file }
sub made { my ($times, %how) = @_; my $p = PerfData->new(%how); game($p, $times); return file_of($p) }
sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }
sub listed { my ($file) = @_; my $cpus = told($file); return join "\n", map { my $c = $_; map { join ' ', $c, @$_{qw(time name tid fields)} } @{$cpus->{$c}} } sort keys %$cpus }

# ---- one game, in all forms ----

my $plain = made(60);
my $first = listed($plain);
is(scalar(split /\n/, $first), 360, 'all events');
my ($line) = split /\n/, $first;
is($line, '0 5000010000 sched:sched_switch  { perf_ip = 0xFFFFFFFF81234567, perf_tid = 0, perf_pid = 0 }, { common_type = 316, common_flags = 1, common_preempt_count = 2, common_pid = 0 }, ' .
	'{ prev_comm = "swapper", prev_pid = 0, prev_prio = 120, prev_state = 0, next_comm = "main", next_pid = 700, next_prio = 120 }', '… the first');
my $wakeups = wakepath('wakeups', $plain, '--thread', 'worker', '--format', 'csv')->{out};
is(() = $wakeups =~ /\bthread\b.*\bmain\b/g, 60, 'all wake-ups');

my %forms = (
	'the other order of bytes' => { big => 1 },
	'a pipe' => { pipe => 1 },
	'a pipe, the other order' => { pipe => 1, big => 1 },
	'compressed' => { packed => PerfData::COMPRESSED },
	'compressed, a later kind of record' => { packed => PerfData::COMPRESSED2 },
	'compressed, from a pipe, the other order' => { packed => PerfData::COMPRESSED2, pipe => 1, big => 1 },
	'events named by PERF_SAMPLE_ID' => { sample => [qw(ip tid time id cpu period raw)] },
	'events named by both' => { sample => [qw(identifier ip tid time addr id stream cpu period raw)] },
	'counters read with each' => { sample => [qw(identifier ip tid time cpu period read raw)] },
	'no times in other records' => { all => 0 },
	'old attributes' => { attr_size => 64 },
	'newer attributes' => { attr_size => 200 },
);
is(listed(made(60, %{$forms{$_}})), $first, $_) for sort keys %forms;

# Each event twice, as by "-e sched:sched_switch -e sched:sched_waking -e 'sched:*'": both are listed, but happened once.
{
	my $twice = made(60, names => [qw(sched:sched_switch sched:sched_waking sched:sched_switch sched:sched_waking)]);
	is(scalar(split /\n/, listed($twice)), 720, 'each event twice: all are listed');
	is_deeply(info($twice)->{warnings}, info($plain)->{warnings}, '… no switch is missing');
	for my $of (['--thread', 'worker'], ['--thread', 'main'], ['--cpu', 0], ['--cpu', 1]) {
		my ($one, $other) = map { wakepath('states', $_, @$of, '--to', $start + 5_900_000, '--format', 'csv')->{out} } $twice, $plain;
		is($one, $other, "… and the states of $of->[1] are the same");
	}
	is(wakepath('wakeups', $twice, '--thread', 'worker', '--format', 'csv')->{out}, $wakeups, '… and the wake-ups');
}

# perf record --threads: a folder with a file for each of its threads that holds only the records of its CPUs, one stream each where compressed.
{
	package OneCpu;
	our @ISA = 'PerfData';
	sub event { my ($s, $name, $time, $cpu, @rest) = @_; $s->SUPER::event($name, $time, $cpu, @rest) if $cpu == $s->{only} }
}
sub by_threads {
	my ($folder, @how) = @_;
	mkdir $folder or die;
	my $first = PerfData->new(@how);
	$first->round;
	spew("$folder/data", $first->bytes);
	for my $cpu (0, 1) {
		my $p = OneCpu->new(@how, only => $cpu);
		game($p, 60);
		spew("$folder/data.$cpu", $p->{packed} ? $p->packed($p->{records}, 100) : $p->{records});
	}
	return $folder;
}
is(listed(by_threads("$ENV{TMPDIR}/threads")), $first, 'a file for each thread of perf');
is(listed(by_threads("$ENV{TMPDIR}/threads_packed", packed => PerfData::COMPRESSED)), $first, '… compressed');
my $cut = by_threads("$ENV{TMPDIR}/threads_cut", packed => PerfData::COMPRESSED);
truncate "$cut/data.0", 300 or die;
like(join("\n", @{info($cut)->{warnings}}), qr/cut off or damaged/, '… one of them cut off: a warning');
is(scalar(@{told($cut)->{1}}), 180, '… and the other one is complete');
like(wakepath('info', "$ENV{TMPDIR}/threads/data")->{err}, qr/give their folder$/, '… its first file alone');
my $was = info("$ENV{TMPDIR}/threads");
spew("$ENV{TMPDIR}/threads/data.1", '');
is(info("$ENV{TMPDIR}/threads")->{events}, $was->{events} / 2, 'one of them changed: it is read again');

my $p = PerfData->new(sample => [qw(identifier ip tid time cpu period chain raw)]);
switch_of($p, $start, 0, $main, 1, $idle, 0xffffffffffffff80, 0xffffffff81000010, 0xfffffffffffffe00, 0x401000);
switch_of($p, $start + 1000, 0, $idle, 0, $main, 0xffffffffffffff80, 0xffffffff81000020);
my $chains = file_of($p);
like(listed($chains), qr/perf_callchain = \[ \[0\] = 0xFFFFFFFFFFFFFF80, \[1\] = 0xFFFFFFFF81000010, \[2\] = 0xFFFFFFFFFFFFFE00, \[3\] = 0x401000 \] \}/, 'calls');
spew("$ENV{TMPDIR}/symbols", "ffffffff81000000 T schedule\nffffffff81000100 T other\n");
like(wakepath('stacks', $chains, '--kallsyms', "$ENV{TMPDIR}/symbols")->{out}, qr/main .*schedule < 0x401000/, '… and their names');

# ---- out of order ----

# An overwritten buffer is read from its newest record on; here it is longer than a block of the file.
$p = PerfData->new;
for my $i (reverse 0 .. 19_999) { waking($p, $start + $i * 1000, 0, $main, $worker, 1) }
for my $i (0 .. 19_999) { waking($p, $start + $i * 1000 + 500, 1, $worker, $main, 0) }
my $turned = file_of($p);
my $cpus = told($turned);
is(join(' ', map { $_->{time} } @{$cpus->{0}}), join(' ', map { $start + $_ * 1000 } 0 .. 19_999), 'newest first: each at its time');
is(join(' ', map { $_->{time} } @{$cpus->{1}}), join(' ', map { $start + $_ * 1000 + 500 } 0 .. 19_999), '… and the other CPU');
is(info($turned)->{stepped_back}, 0, '… no clock stepped back');

# An interrupt occurs after the time of an event was taken and before its record is placed.
$p = PerfData->new;
switch_of($p, $start, 0, $idle, 0, $main);
waking($p, $start + 2000, 0, $main, $worker, 1);
switch_of($p, $start + 1000, 1, $idle, 0, $idle);
$p->round;
waking($p, $start + 1500, 0, $main, ['other', 900, 900], 1);
is(join(' ', map { $_->{time} } @{told(file_of($p))->{0}}), join(' ', map { $start + $_ } 0, 1500, 2000), 'an event older than one of the previous round');

# ---- lost, and not recorded ----

$p = PerfData->new;
my $end = game($p, 10);
$p->lost(33, $end + 5000, 0);
switch_of($p, $end + 10_000, 0, $idle, 0, $main);
$p->told(40, 0);
$p->told(9, 1);
my $lost = info(file_of($p));
is($lost->{discarded}, 49, 'losses are counted once');
is(join(', ', map { "$_->{cpu}: $_->{count} from " . ($_->{from} - $start) . ' to ' . ($_->{to} - $start) } @{$lost->{gaps}}),
	'0: 33 from 940000 to 1005000, 0: 7 from 1010000 to 1010000, 1: 9 from 960000 to 1010000', '… at the place of the loss, or after the last event');

# Samples that a BPF filter dropped are recorded like losses (PERF_RECORD_MISC_LOST_SAMPLES_BPF, tools/lib/perf/include/perf/event.h).
$p = PerfData->new;
game($p, 10);
$p->other(PerfData::LOST_SAMPLES, $p->u64(40), 1 << 15, id => 10, time => 0, cpu => 0);
is(info(file_of($p))->{discarded}, 0, 'filtered samples are not lost');

# Another thread runs than the one that was switched in.
$p = PerfData->new;
$end = game($p, 10);
waking($p, $end, 0, ['stranger', 800, 800], $main, 1);
waking($p, $end + 1000, 0, ['stranger', 800, 800], $main, 1);
waking($p, $end + 2000, 1, $idle, $main, 1);
my $file = file_of($p);
like("@{info($file)->{warnings}}", qr/cpu0: 1 time a thread ran that was not the last one switched in/, 'missing switches are noticed');
# The thread is known to run at its events, but not between them.
is(join(', ', map { "$_->{state} " . ($_->{from} - $end) . ' to ' . ($_->{to} - $end) } @{json_of(wakepath('states', $file, '--thread', '800', '--format', 'json'))->{intervals}}), 'unknown -990000 to 2000', '… and the running thread is known at the events alone');

# The trailer of perf's thread records names the writer, too (__perf_event_header__init_id(), kernel/events/core.c): worker had come, unseen, when it
# forked.
for my $by ($worker, $main) {
	$p = PerfData->new;
	$end = game($p, 10);
	switch_of($p, $end, 0, $idle, 0, $main);
	$p->fork($end + 5000, 0, 900, $by->[2], 900, $by->[1]);
	waking($p, $end + 6000, 0, $by, ['stranger', 800, 800], 1);
	switch_of($p, $end + 7000, 0, $by, 1, $idle);
	switch_of($p, $end + 9000, 0, $idle, 0, $main);
	is(state_at(file_of($p), 700, $end + 3000), $by == $main ? 'running' : 'unknown', "a fork by $by->[0] while main seems to run");
}

# The wake-up after an exec, which may give a thread another TID.
sub after_exec {
	my ($by, $to) = @_;
	my $p = PerfData->new;
	my $end = game($p, 10);
	switch_of($p, $end, 0, $idle, 0, $main);
	$p->comm($end + 1000, 0, $to->[2], $to->[1], 'fresh', 1 << 13);
	waking($p, $end + 2000, 0, $by, $worker, 1);
	switch_of($p, $end + 3000, 1, $idle, 0, $worker);
	switch_of($p, $end + 4000, 0, $by, 1, $idle);
	my ($last) = reverse @{json_of(wakepath('wakeups', file_of($p), '--thread', '701', '--format', 'json'))->{wakeups}};
	return join ' ', map { $_ // '-' } @$last{qw(kind grade tid)};
}
is(after_exec($main, $main), 'thread proved 700', 'the thread that executed a file is the waker');
is(after_exec(['stranger', 800, 800], $main), 'thread proved 800', '… a thread that ran there without a switch: the wake-up itself names it');
is(after_exec(['stranger', 800, 800], ['stranger', 800, 800]), 'thread proved 800', '… and one whose TID was another');

sub warned { my ($what, $like, $times, %how) = @_; like(join("\n", @{info(made($times, %how))->{warnings}}), $like, $what) }
warned('some threads alone', qr/only some threads were recorded.*-a/, 5, index => [[0, 700], [1, 700]]);
warned("… of which sched_switch shows where they leave", qr/only switches away from them/, 5, index => [[0, 700]]);
warned('some CPUs alone', qr/not recorded: CPU 2, 3:.*-a/, 5, index => [[0, -1], [1, -1]], online => 4);
unlike(join("\n", @{info(made(5, index => [[0, -1], [1, -1]], clock => 1, wall => [9e18, 1e18]))->{warnings}}), qr/./, 'all threads and CPUs: no warning');
warned('not each event', qr/sched:sched_switch: only samples of its events were recorded.*-c 1/, 5, period => 1000);
warned('a filter', qr/--filter/, 5, option => '--filter');
warned('perf\'s own clock', qr/perf's own clock.*-k mono/, 5);
my $states = json_of(wakepath('states', made(5, index => [[0, -1], [1, -1]], online => 4), '--thread', 'worker', '--format', 'json'))->{intervals};
is(join(' ', grep { !/^(?:unknown|running)$/ } map { $_->{state} } @$states), '', 'a thread that is not running may run on a CPU that was not recorded');

# Each CPU overwrites its old events by itself: the rest of CPU 1 begins later.
sub ring {
	my ($overwrites) = @_;
	my $p = PerfData->new(overwrites => $overwrites);
	switch_of($p, $start, 0, $idle, 0, $main);
	waking($p, $start + 10_000, 0, $main, $worker, 1);
	switch_of($p, $start + 20_000, 0, $main, 1, $idle);
	$p->round;
	switch_of($p, $start + 5_000_000, 1, $idle, 0, $worker);
	waking($p, $start + 5_010_000, 1, $worker, $main, 0);
	switch_of($p, $start + 5_020_000, 0, $idle, 0, $main);
	return file_of($p);
}
sub state_at { my ($file, $thread, $time) = @_; return (map { $_->{state} } grep { $_->{from} <= $time && $_->{to} > $time } @{json_of(wakepath('states', $file, '--thread', $thread, '--format', 'json'))->{intervals}})[0] }
is(state_at(ring(0), 701, $start + 1_000_000), 'wait-cpu', 'a woken thread waits');
is(state_at(ring(1), 701, $start + 1_000_000), 'unknown', '… or ran during overwritten events');
is(join(', ', map { "$_->{cpu}: " . ($_->{from} - $start) . ' to ' . ($_->{to} - $start) } @{info(ring(1))->{gaps}}), '1: 1 to 5000000', '… which is a gap');

# CPU 1 goes offline and comes back, without perf: later wake-ups for it show that.
sub offline {
	my ($cpu, $later) = @_;
	my $p = PerfData->new;
	my $end = game($p, 10);
	switch_of($p, $end, 0, $idle, 0, $main);
	waking($p, $end + $later, 0, $main, $worker, $cpu);
	switch_of($p, $end + 50_000_000, 0, $main, 1, $idle);
	return file_of($p);
}
sub gaps_of { my ($info) = @_; return join ', ', map { "$_->{cpu}: " . ($_->{from} - $start) . ' to ' . ($_->{to} - $start) } @{$info->{gaps}} }
my $silent = offline(1, 1_000_000);
is(gaps_of(info($silent)), '1: 960000 to 51000000', 'a CPU goes on after its last event');
like(join("\n", @{info($silent)->{warnings}}), qr/CPU 1 continued after its last event/, '… and a warning says so');
is(json_of(wakepath('states', $silent, '--thread', 'worker', '--format', 'json'))->{intervals}[-1]{state}, 'unknown', '… and a thread woken for it may run there');
# perf ends: it runs on CPU 0 and stops its recording, then on CPU 1; a thread is woken for CPU 0 in between.
sub ended {
	my ($last) = @_;
	my ($p, $perf) = (PerfData->new, [ 'perf', 900, 900 ]);
	my $end = game($p, 10);
	switch_of($p, $end, 0, $idle, 0, $last ? $last : $perf);
	switch_of($p, $end + 1_000_000, 1, $idle, 0, $main);
	waking($p, $end + 2_000_000, 1, $main, $worker, 0);
	switch_of($p, $end + 50_000_000, 1, $main, 1, $perf);
	return file_of($p);
}
my $stopped = info(ended());
is(gaps_of($stopped), '0: 1000000 to 51000000', 'a CPU that perf stopped first');
is(join("\n", grep { /^CPU 0/ } @{$stopped->{warnings}}), 'CPU 0 was recorded until perf ended there, which it does with one CPU after the other; its states after its last event are unknown',
	'… no message says that it came back online');
like(join("\n", @{info(ended($worker))->{warnings}}), qr/CPU 0 continued after its last event/, '… unless another thread ran there last');
is(gaps_of(info(offline(1, 45_000_000))), '', 'no message if a wake-up names it only at the very end');
my $came = info(offline(2, 1_000_000));
is(gaps_of($came), '2: 10000 to 51000000', 'a CPU that came after perf had begun');
like(join("\n", @{$came->{warnings}}), qr/not recorded: CPU 2:/, '… and a warning says so');

# ---- longer than the part scanned before reading ----

# BEFORE: so many irrelevant events that the reader begins to answer before their end; then AFTER; HOW gives the CPUs that have events.
sub long { my ($before, $after, %how) = @_; my $p = PerfData->new(online => 3, %how); $before->($p); $p->aux(70_000_000); $after->($p); my $file = "$ENV{TMPDIR}/long" . $n++; $p->spew_with_holes($file); return $file }
my @both = (index => [[0, -1], [1, -1]]);
my $later = sub { my ($p) = @_; switch_of($p, $start + 2_000_000, 0, $idle, 0, $main); waking($p, $start + 2_010_000, 0, $main, $worker, 1); switch_of($p, $start + 2_020_000, 1, $idle, 0, $worker);
	$p->told(3, 1) };
my $ten = sub { game($_[0], 10) };
my $at_once = long($ten, $later);	# no header names the CPUs with events: the whole file is scanned first
is(scalar(split /\n/, listed($at_once)), 63, 'a long file');
is(listed(long($ten, $later, @both, online => 2)), listed($at_once), '… is read before it is scanned to the end');
for ([0, 'from its begin on'], [1, 'from its end on']) {
	my ($late, $what) = @$_;
	my ($one, $other) = map { my $cpu = $_; sub { my ($p) = @_; for my $i (0 .. 9) { waking($p, $start + $i * 1000 + $cpu * 500, $cpu, $main, $worker, 0) } } } 0, 1;
	my $file = long($one, sub { $other->(@_) if $late; waking($_[0], $start + 20_000, 0, $main, $worker, 0) }, @both);
	is(scalar(split /\n/, listed($file)), $late ? 21 : 11, "a CPU that has events $what or not at all");
	is(info($file)->{stepped_back}, 0, '… in the order of their times');
}
my $reach = sub { my ($p, @order) = @_; waking($p, $start + 2_000_000 + $_, 0, $main, $worker, 1), $p->aux(30_000_000) for @order };
my $settled = long($ten, sub { $reach->(@_, 2000, 3000, 1000) }, @both);
is(listed($settled), listed(long($ten, sub { $reach->(@_, 1000, 2000, 3000) }, @both)), 'an event much older than that comes first');
is(info($settled)->{stepped_back}, 0, '… and no clock stepped back');
my $known = info(long($ten, $later, @both));
is($known->{discarded}, 3, 'losses that perf counted at its end are lost events');
is(gaps_of($known), '1: 2020000 to 2020000, 2: 10000 to 2020000', '… after the last event; a CPU that was not recorded is known from the beginning');
sub came { my ($p) = @_; $later->($p); switch_of($p, $start + 2_040_000, 0, $main, 1, $idle); waking($p, $start + 2_050_000, 1, $worker, $main, 2); switch_of($p, $start + 2_060_000, 1, $worker, 1, $idle); switch_of($p, $start + 60_000_000, 1, $idle, 0, $worker) }
$came = long($ten, \&came, @both, online => 2);
like(join("\n", @{info($came)->{warnings}}), qr/not recorded: CPU 2:/, 'a CPU that comes there');
is(join(' ', map { state_at($came, 700, $start + $_) } 45_000, 2_045_000, 3_000_000), 'blocked blocked unknown', '… and a thread woken for it may run there');
my $off = long($ten, sub { $later->(@_); switch_of($_[0], $start + 60_000_000, 0, $main, 0, $idle); waking($_[0], $start + 2_500_000, 1, $worker, $main, 0); waking($_[0], $start + 3_000_000, 0, $main, $worker, 1) }, @both);
like(join("\n", @{info($off)->{warnings}}), qr/CPU 1 continued after its last event/, 'a CPU that goes offline there');
my $odd = info(long($ten, sub { waking($_[0], $start + 2_000_000, 5, $main, $worker, 1) }, @both));
like(join("\n", @{$odd->{warnings}}), qr/1 records left out: the file says that nothing was recorded on their CPUs/, 'a CPU that should not exist');
my $short = long($ten, $later, @both, pipe => 1);
truncate $short, 70_000_000;
like(join("\n", @{info($short)->{warnings}}), qr/cut off or damaged/, 'a long file that is cut off');
is(info($short)->{events}, 60, '… the rest of it is read');

# Compressed data is unpacked as it is read.
srand 1;
sub filler { return pack('L<*', map { int rand 2**32 } 1 .. 1000) . "\0" x 60_000 }	# (a better compression than that of any trace is refused)
my $packed = PerfData->new(online => 2, @both, packed => PerfData::COMPRESSED, piece => 60_000);
$ten->($packed);
$packed->add(200, filler()) for 1 .. 1100;
$later->($packed);
$packed->add(200, filler()) for 1 .. 700;
switch_of($packed, $start + 3_000_000, 0, $main, 1, $idle);
$packed = file_of($packed);
cmp_ok(-s $packed, '<', 10_000_000, 'a long file that is compressed');
is(scalar(split /\n/, listed($packed)), 64, '… is read to its end');
SKIP: {
	my $disk = small_disk('90m');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	{
		local $ENV{TMPDIR} = $disk;
		says(wakepath('index', '--force', $packed), 3, qr{the trace is compressed: cannot unpack it to \Q$disk\E\S+: No space left on device}, 'no room for its end');
		spew("$disk/taken", 'x' x 60_000_000);
		says(wakepath('index', '--force', $packed), 3, qr{the trace is compressed: cannot unpack it to \Q$disk\E\S+: No space left on device}, '… nor for its begin');
	}
	is_deeply([files_below($disk)], ["$disk/taken"], '… and nothing is left');
}
is(scalar(() = wakepath('states', $packed, '--thread', 'main', '--format', 'csv')->{out} =~ /running/g), 11, '… nor is the index of a part');

# ---- clocks, names, processes ----

my $day = info(made(5, clock => 1, wall => [1_700_000_000_000_000_000, 4_000_000_000]));
is($day->{from}, 1_700_000_000_000_000_000 + $start + 10_000 - 4_000_000_000, 'the time of the day');
is(info(made(5, clock => 1))->{from}, $start + 10_000, '… that of the clock where the file has none');

sub threads { my ($file) = @_; return join ', ', sort map { "$_->{tid} " . ($_->{name} // '?') . ' of ' . ($_->{pid} // '?') . ' of ' . ($_->{ppid} // '?') } grep { $_->{tid} } @{json_of(wakepath('threads', $file, '--format', 'json'))->{threads}} }
sub family {
	my $p = PerfData->new;
	$p->fork(0, 0, 700, 1, 700, 1);
	$p->comm(0, 0, 700, 700, 'main');
	my $end = game($p, 3);
	my @child = ('child', 50, 50);
	switch_of($p, $end + 10_000, 0, $idle, 0, $main);
	$p->fork($end + 11_000, 0, 50, 700, 50, 700);
	waking($p, $end + 12_000, 0, $main, \@child, 0);
	switch_of($p, $end + 13_000, 0, $main, 1, \@child);
	$p->comm($end + 14_000, 0, 50, 50, 'renamed', 1 << 13);
	return $p;
}
is(threads(file_of(family())), '50 renamed of 50 of 700, 700 main of 700 of 1, 701 worker of 700 of ?', 'perf\'s records of threads');

# ---- refused, in one line ----

sub refused { my ($what, $like, $file) = @_; my $r = wakepath('info', $file); is($r->{status}, 3, "$what: refused"); like($r->{err}, qr/^wakepath: .*$like.*\n\z/, '… in one line') }
refused('samples without times', qr/no tracepoints with their times.*-a/, made(5, sample => [qw(identifier ip tid cpu period raw)]));
refused('a recording that was killed', qr/perf record was interrupted/, file_of(PerfData->new));
refused('no formats', qr/formats/, file_of(do { my $p = PerfData->new; game($p, 2); $p }, sub { s/\x17\x08\x44tracing0\.6\0..{4}header_page/"\0" x length $&/se; s/sched\0/schedx/; s/name: //g }));
refused('no events', qr/no events/, file_of(do { my $p = PerfData->new; $p->round; $p }));

# ---- harmed ----

srand($ENV{PERF_SEED} // 3);
my ($crashed, $read, $refused) = harm(240, map { made(12, %$_) } {}, { pipe => 1 }, { packed => PerfData::COMPRESSED }, { big => 1, packed => PerfData::COMPRESSED2, pipe => 1 });
is($crashed, 0, 'harmed files are read as far as they go, or refused');
cmp_ok($read, '>', 40, '… some are read');
cmp_ok($refused, '>', 20, '… and some refused');
done_testing;
