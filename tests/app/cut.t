#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A cut is a recording that other programs read, with all events of its window; for that window wakepath shows the same as for the whole recording.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(max min shuffle);
use Test::More;

my $scratch = $ENV{TMPDIR};
my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';
my $seed = $ENV{CUT_SEED} // 46;	# other windows: CUT_SEED=$RANDOM
srand $seed;
note("CUT_SEED=$seed");

my $n = 0;
sub cut {
	my ($trace, $from, $to, @more) = @_;
	my $path = "$scratch/cut" . $n++;
	my $r = wakepath('cut', $trace, '--from', $from, '--to', $to, '-o', $path, @more);
	is($r->{status}, 0, "$trace: cut from $from to $to") or diag("CUT_SEED=$seed\n$r->{err}");
	return $path;
}

sub json {
	my (@args) = @_;
	my $r = wakepath(@args, '--format', 'json');
	return $r->{status} == 0 ? perl_of($r->{out}) : undef;
}

# ---- answers of wakepath ----

my $lossy;	# events were lost

# The states of SUBJECT in [FROM, TO) as text; a row without states is unknown.  The time for which a dead thread is shown depends on when it was
# freed.  After losses, the name of an interrupt that goes on comes from events before the window.
sub states {
	my ($trace, $from, $to, @subject) = @_;
	my $all = json('states', $trace, @subject, '--from', $from, '--to', $to);
	my @spans;
	for my $i ($all ? @{ $all->{intervals} } : ()) {
		my ($a, $b) = (max($i->{from}, $from), min($i->{to}, $to));
		next if $a >= $b || $i->{state} =~ /^(?:unknown|exited)$/;
		$i = { %$i, state => 'on', detail => undef } if $lossy && $i->{state} =~ /^(?:usermode|syscall|running|interrupted|idle)$/;
		# A CPU's detail is the last name of its thread in the recording, which the thread may have got after the window.
		push @spans, [ $a, $b, join ' ', $i->{state}, $i->{cpu} // '-', $subject[0] eq '--cpu' && $i->{state} ne 'interrupted' ? $i->{tid} // '-' : $i->{detail} // '-' ];
	}
	my @joined;
	for my $s (@spans) {
		if (@joined && $joined[-1][1] == $s->[0] && $joined[-1][2] eq $s->[2]) { $joined[-1][1] = $s->[1] }
		else { push @joined, $s }
	}
	return map { join ' ', @$_ } @joined;
}

# The wake-ups of SUBJECT; in the cut, a thread that runs only after the window never ran.
sub wakeups {
	my ($trace, $from, $to, @subject) = @_;
	my $all = json('wakeups', $trace, @subject, '--from', $from, '--to', $to);
	return map {
		my $ran = $_->{ran_at};
		join ' ', map { $_ // '-' } @$_{qw(time since cpu kind tid)}, defined $ran && $ran < $to ? $ran : undef;
	} $all ? @{ $all->{wakeups} } : ();
}

sub path {
	my ($trace, $from, $to, @subject) = @_;
	my $all = json('path', $trace, @subject, '--from', $from, '--to', $to);
	return map { join ' ', @$_{qw(from to kind)}, $_->{actor}{type}, $_->{actor}{tid} // '-' } $all ? @{ $all->{segments} } : ();
}

# PATH from the first time at which no wait on it began before the window: the cause of an earlier wait may be known only from events before the
# window.
sub known {
	my ($trace, $from, $to, @path) = @_;
	my %tids = map { /(\d+)$/ ? ($1 => 1) : () } @path;
	my @early = map { my ($time, $since) = split / /; $since eq '-' || $since < $from ? $time : () } map { wakeups($trace, $from, $to, '--thread', $_) } keys %tids;
	my $since = max($from, @early);
	return grep { (split / /)[0] >= $since } @path;
}

# The cases of KIND that end in the window.
sub cases {
	my ($trace, $from, $to, $kind) = @_;
	my $all = json('latency', $trace, '--kind', $kind, '--from', $from, '--to', $to, '--top', 0);
	return sort map { $_->{end} <= $to ? "$_->{start} $_->{end}" : () } $all ? @{ $all->{worst} } : ();
}

sub same {
	my ($got, $expected, $name) = @_;
	return 1 if "@$got" eq "@$expected";
	is_deeply($got, $expected, "CUT_SEED=$seed $name");
	return 0;
}

# A random window that takes SHARE of the trace with INFO.  It starts after the first tenth: the thread on a CPU before its first switch is known only
# from that switch.
sub window {
	my ($info, $share) = @_;
	my $length = int(($info->{to} - $info->{from}) * $share);
	my $first = $info->{from} + int(($info->{to} - $info->{from}) / 10);
	my $from = $first + int rand($info->{to} - $first - $length);
	return ($from, $from + $length);
}

sub compare {
	my ($trace, $share) = @_;
	my ($info) = @{ json('info', $trace)->{traces} };
	my ($from, $to) = window($info, $share);
	my $cut = cut($trace, $from, $to);
	my @threads = map { $_->{tid} } grep { $_->{tid} && $_->{first} < $to && $_->{last} > $from } @{ json('threads', $trace)->{threads} };
	my %once = map { $_ => 1 } @threads;
	my $fine = 1;
	my @awake;

	for my $subject ((map { [ '--cpu', $_ ] } 0 .. $info->{cpus} - 1), map { [ '--thread', $_ ] } (shuffle sort { $a <=> $b } keys %once)[0 .. min(39, keys(%once) - 1)]) {
		my @whole = states($trace, $from, $to, @$subject);
		$fine &= same([ states($cut, $from, $to, @$subject) ], \@whole, "$trace @$subject: states from $from to $to");
		next if $subject->[0] eq '--cpu';
		$fine &= same([ wakeups($cut, $from, $to, @$subject) ], [ wakeups($trace, $from, $to, @$subject) ], "$trace @$subject: wake-ups from $from to $to");
		push @awake, $subject if @whole && $whole[-1] =~ /^\d+ $to (?:usermode|syscall|running|interrupted) /;
	}
	# The event that ends a wait beyond the window is not in the cut: compare the path of the thread that runs at its end.
	for my $subject (@awake) {
		my @whole = path($trace, $from, $to, @$subject);
		my @known = known($trace, $from, $to, @whole);
		$fine &= same([ @known ? grep { (split / /)[0] >= (split / /, $known[0])[0] } path($cut, $from, $to, @$subject) : () ], \@known, "$trace @$subject: path from $from to $to");
	}
	$fine &= same([ cases($cut, $from, $to, $_) ], [ cases($trace, $from, $to, $_) ], "$trace: latencies $_ from $from to $to") for qw(wakeup blocked irq block);
	ok($fine, "$trace: a cut of $share shows what the whole shows");
	return ($cut, $from, $to);
}

my @traces = map({ sample($_) } qw(pipeline lockfight lost-events ioburst-ipi preempt)), map({ "$inputs/$_" } qw(pipeline/lttng pipeline/trace.dat rt-ioburst/trace.dat rt-timerlat/trace.dat
	typed/typed-v6.dat pipeline/perf.data typed/typed-perf-sched.data rpc-loopback/perf.data));
for my $trace (grep { -e } @traces) {
	$lossy = $trace =~ /lost-events/;
	my ($cut, $from, $to) = compare($trace, (0.001, 0.01, 0.1, 0.4)[rand 4]);
	next if $trace !~ /lockfight|pipeline/;
	# The cut of a cut.
	my $quarter = int(($to - $from) / 4);
	my $again = cut($cut, $from + $quarter, $to - $quarter);
	same([ states($again, $from + $quarter, $to - $quarter, '--cpu', $_) ], [ states($trace, $from + $quarter, $to - $quarter, '--cpu', $_) ], "$trace: a cut of a cut, CPU $_") for 0, 1;
}

$lossy = 0;

# ---- output of other programs ----

# The lines of COMMAND with times (the match of TIME: seconds, fraction) in [FROM, TO).
sub lines_within {
	my ($from, $to, $time, @command) = @_;
	my @lines;
	local $_;
	open my $f, '-|', @command or die "$command[0]: $!";
	while (<$f>) {
		next unless /$time/;
		my $at = $1 . $2 . '0' x (9 - length $2);
		push @lines, $_ if $at >= $from && $at < $to;
	}
	close $f;
	return sort @lines;
}

# Programs that read a format, on a trace and a window of it.
sub counted {
	my ($trace, $share, $time, @command) = @_;
	my ($info) = @{ json('info', $trace)->{traces} };
	my ($from, $to) = window($info, $share);
	($from, $to) = map { int($_ / 1000) * 1000 } $from, $to;	# perf script prints µs
	my $cut = cut($trace, $from, $to);
	my @whole = lines_within($from, $to, $time, map { $_ eq 'TRACE' ? $trace : $_ } @command);
	my @got = lines_within($from, $to, $time, map { $_ eq 'TRACE' ? $cut : $_ } @command);
	cmp_ok(scalar @whole, '>', 0, "$trace: $command[0] prints events of the window");
	is(scalar @got, scalar @whole, "$trace: $command[0] finds as many events in the cut");
	ok("@got" eq "@whole", "$trace: and the events are the same") or diag("CUT_SEED=$seed");
}

# The fields as text: babeltrace2 2.0 prints an empty string as the string before it.
counted(sample($_) . '/kernel', 0.2, qr/^\[(\d+)\.(\d{9})\]/, 'sh', '-c', 'babeltrace2 --clock-seconds --no-delta "$0" 2>/dev/null | sed "s/\"[^\"]*\"//g"', 'TRACE') for qw(pipeline lockfight);
SKIP: {
	skip 'no trace-cmd, or no recordings', 1 if !-d "$inputs/typed" || system('command -v trace-cmd >/dev/null');
	counted("$inputs/$_", 0.2, qr/\s(\d+)\.(\d{9}):/, 'sh', '-c', 'trace-cmd report -t "$0" 2>/dev/null', 'TRACE') for qw(pipeline/trace.dat rt-timerlat/trace.dat typed/typed-v6.dat);
}
SKIP: {
	skip 'no perf', 1 if system('perf script -i "$TOP/tests/app/perf_own.data" >/dev/null 2>&1');
	counted("$ENV{TOP}/tests/app/perf_own.data", 0.8, qr/\s(\d+)\.(\d{6}): /, 'sh', '-c', 'perf script -i "$0" 2>/dev/null', 'TRACE');
}

# ---- a cut for some threads ----

# WHAT as text, without the places of its events.
sub told {
	my ($what, $trace, $from, $to, @subject) = @_;
	my $all = json($what, $trace, @subject, '--from', $from, '--to', $to);
	return map { text_of($_) } $all ? @{ $all->{ { states => 'intervals', wakeups => 'wakeups', path => 'segments' }->{$what} } } : ();
}

sub text_of {
	my ($v) = @_;
	return '{' . join(',', map { $_ eq 'evidence' ? () : "$_:" . text_of($v->{$_}) } sort keys %$v) . '}' if ref $v eq 'HASH';
	return '[' . join(',', map { text_of($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return $v // 'null';
}

# A cut for thread T shows of T what a cut with all events shows; the latter is compared with the whole recording above.  What the cut proves of
# other threads, the whole recording shows, too.
sub thinned {
	my ($trace, $share) = @_;
	my ($info) = @{ json('info', $trace)->{traces} };
	my ($from, $to) = window($info, $share);
	my %once = map { $_->{tid} => 1 } grep { $_->{tid} && $_->{first} < $to && $_->{last} > $from && $_->{wakeups} } @{ json('threads', $trace)->{threads} };
	my @some = shuffle sort { $a <=> $b } keys %once;
	my $all = cut($trace, $from, $to);
	my ($fine, $fewer) = (1, 0);

	for my $tid (@some[0 .. min(2, $#some)]) {
		my $cut = cut($trace, $from, $to, '--thread', $tid);
		my ($of_all, $of_cut) = map { json('info', $_)->{traces}[0]{events} } $all, $cut;

		$fewer ||= $of_cut < $of_all;
		for my $what (qw(states wakeups path)) {
			$fine &= same([ told($what, $cut, $from, $to, '--thread', $tid) ], [ told($what, $all, $from, $to, '--thread', $tid) ], "$trace: $what of $tid from $from to $to");
		}
		for my $other (@some[0 .. min(9, $#some)]) {
			my %whole = map { $_->{time} => $_ } @{ (json('wakeups', $trace, '--thread', $other, '--from', $from, '--to', $to) // { wakeups => [] })->{wakeups} };
			my $got = json('wakeups', $cut, '--thread', $other, '--from', $from, '--to', $to) or next;
			for my $w (grep { $_->{grade} eq 'proved' } @{ $got->{wakeups} }) {
				my @facts = map { my $of = $_; join ' ', map { $_ // '-' } @$of{qw(kind tid grade context device)} } $w, $whole{ $w->{time} };
				$fine &= same([ $facts[0] ], [ $facts[1] ], "$trace: wake-up of $other at $w->{time} in the cut for $tid");
			}
			# A thread without all of its system calls is never shown in user mode.
			$fine &= same([ grep { / (?:usermode|syscall) / } states($cut, $from, $to, '--thread', $other) ], [], "$trace: $other in the cut for $tid") if !has_calls($cut, $other);
		}
	}
	ok($fine, "$trace: a cut of $share for a thread shows the same of it as a cut with all events");
	return $fewer;
}

# True if the mark of CUT lists TID.
sub has_calls {
	my ($cut, $tid) = @_;
	my ($list) = slurp(-d $cut ? "$cut/metadata" : $cut) =~ /wakepath_cut.{0,9}?(?:-?\d+ ){2}[-\d: ]*calls-of ([\d ]*)/;
	return (" $list ") =~ / $tid /;
}

my $machines = ($ENV{SHARED_TRACES} // '/none') . '/../recordings/machines';
for my $trace (grep { -e } sample('lockfight'), "$inputs/pipeline/trace.dat", "$inputs/pipeline/perf.data", map({ ($ENV{SHARED_TRACES} // '/none') . "/$_" } qw(apt-install)), map { "$machines/$_" } qw(x64-pipeline/trace.dat a64-lockfight/trace.dat x64-requests/trace.dat x64-lttng-both/trace/kernel)) {
	my $fewer = thinned($trace, (0.02, 0.1, 0.3)[rand 3]);
	ok($fewer, "$trace: and has fewer events") if $trace =~ /apt-install|requests/;
}
{
	# A cut of a cut for a thread has only that thread.
	my $trace = sample('lockfight');
	my ($from) = json('info', $trace)->{traces}[0]{from} + 160_000_000;
	my $once = cut($trace, $from, $from + 100_000_000, '--thread', 'wk-fighter0');
	my $twice = cut($once, $from + 20_000_000, $from + 60_000_000);
	is_deeply([ map { has_calls($twice, $_->{tid}) ? 1 : 0 } @{ json('threads', $twice)->{threads} } ], [ map { has_calls($once, $_->{tid}) ? 1 : 0 } @{ json('threads', $twice)->{threads} } ], 'a cut of a cut for a thread is for that thread');
	says(wakepath('cut', $trace, '--from', '+1ms', '--to', '+2ms', '--thread', 'nobody', '-o', "$scratch/none"), 1, qr/no thread "nobody"/, 'a thread that is not there');
	ok(!-e "$scratch/none", 'nothing was written');
}

# ---- names ----

# --anonymous: no name of a user thread, of the host or of a program's file is in the bytes; kernel threads keep their names; nothing else changes.
for my $trace (grep { -e } map({ sample($_) } qw(pipeline lockfight)), "$ENV{TOP}/tests/app/perf_own.data", map { "$inputs/$_" } qw(pipeline/trace.dat pipeline/perf.data)) {
	my ($info) = @{ json('info', $trace)->{traces} };
	my ($from, $to) = ($info->{from}, $info->{to} + 1);
	my $cut = cut($trace, $from, $to, '--anonymous');
	my $bytes = join '', map { slurp($_) } -d $cut ? files_below($cut) : $cut;
	my (%names, %kernel, %now);
	for my $t (@{ json('threads', $trace)->{threads} }) {
		my $kernel = $t->{tid} == 0 || $t->{tid} == 2 || ($t->{ppid} // 0) == 2 || $t->{name} =~ m{^(?:kworker|ksoftirqd|kcompactd|kswapd|migration|rcu_|irq|jbd2)};
		$kernel ? $kernel{$t->{tid}} = $t->{name} : $names{$_}++ for @{ $t->{names} };
	}
	delete @names{ values %kernel };
	cmp_ok(scalar keys %names, '>', 0, "$trace: there are names");
	# A very short name may occur in numbers by chance, or be a word of the formats.
	my @left = grep { length > 5 && $bytes =~ /(?<![\w-])\Q$_\E(?![\w-])/ && $_ !~ /^(?:systemd|signal)$/ } sort keys %names;
	is_deeply(\@left, [], "$trace: none is left");
	unlike($bytes, qr/hostname = "\Q$info->{host}\E"|Linux \Q$info->{host}\E /, "$trace: nor is the name of the host");
	$now{$_->{tid}} = $_->{name} for @{ json('threads', $cut)->{threads} };
	is_deeply({ map { $_ => $now{$_} } grep { exists $now{$_} } keys %kernel }, { map { $_ => $kernel{$_} } grep { exists $now{$_} } keys %kernel }, "$trace: kernel threads keep their names");
	my @busy = map { $_->{tid} } grep { $_->{cpu_time} } @{ json('threads', $trace)->{threads} };
	my $fine = 1;
	$fine &= same([ wakeups($cut, $from, $to, '--thread', $_) ], [ wakeups($trace, $from, $to, '--thread', $_) ], "$trace: wake-ups of $_") for grep { $_ } @busy[0 .. min(9, $#busy)];
	ok($fine, "$trace: everything else is the same");
}

# ---- damage ----

{
	my $trace = copy_trace('lockfight') . '/kernel';
	my ($info) = @{ json('info', $trace)->{traces} };
	my $middle = int(($info->{from} + $info->{to}) / 2);
	my ($stream) = grep { m{/k_1$} } files_below($trace);
	my $half = int((-s $stream) / 2);
	patch($stream, sub { substr($_, $half, 600000) = "\xff" x 600000; $_ = substr $_, 0, -s $stream });
	my $cut = cut($trace, $info->{from}, $middle);
	my $known = json('states', $trace, '--cpu', 1)->{states};
	my @whole = states($trace, $info->{from}, $middle, '--cpu', 1);
	is_deeply([ states($cut, $info->{from}, $middle, '--cpu', 1) ], \@whole, 'a damaged part is unknown in the cut, too');
	cmp_ok($known->{unknown}, '>', 0, 'and the cut is damaged');
}

# A stream that is cut short far after the window: nothing of the window is lost.
{
	my $trace = copy_trace('lockfight', 'short') . '/kernel';
	unlink files_below("$trace/index");
	truncate $_, (-s $_) - 3000 for map { "$trace/k_$_" } 0, 1;
	my ($info) = @{ json('info', $trace)->{traces} };
	like("@{ $info->{warnings} }", qr/k_0: cut short.*k_1: cut short/, 'both streams are cut short');
	# In the first window CPU 1 has no packet.
	for my $window ([ $info->{from}, $info->{from} + 1000 ], [ $info->{from} + 100_000_000, $info->{from} + 200_000_000 ]) {
		my ($from, $to) = @$window;
		my ($got) = @{ json('info', cut($trace, $from, $to))->{traces} };
		is_deeply([ @$got{qw(discarded discarded_packets)} ], [ 0, 0 ], 'damage after the window does not damage the cut');
		cmp_ok($got->{to}, '<=', $to, 'and the cut ends with the window');
		is($got->{cpus}, 2, 'of both CPUs');
	}
	my ($late) = @{ json('info', cut($trace, $info->{to} - 50_000_000, $info->{to}))->{traces} };
	# The last event is one of CPU 1, so CPU 1 lost nothing before it.
	is($late->{discarded}, 1, 'damage in the window damages the cut');
	cmp_ok($late->{to}, '<=', $info->{to}, 'which ends with the window, too');
}

# ---- errors ----

my $pipeline = sample('pipeline');
my $there = cut($pipeline, '+100ms', '+110ms');
says(wakepath('cut', $pipeline, '--from', '+100ms', '--to', '+110ms', '-o', "$ENV{TMPDIR}/cut.csv"), 2, qr/a cut is a recording, not a list.*without \.csv/, 'the name of a list is an error');
ok(!-e "$ENV{TMPDIR}/cut.csv", 'leaves nothing');
says(wakepath('cut', $pipeline, '--from', '+100ms', '--to', '+110ms', '-o', $there), 3, qr/exists: choose another name/, 'a folder that exists is an error');
spew("$scratch/file", 'mine');
says(wakepath('cut', $pipeline, '--from', '+100ms', '--to', '+110ms', '-o', "$scratch/file"), 3, qr/exists/, 'a file that exists is an error');
is(slurp("$scratch/file"), 'mine', 'which remains as it was');
says(wakepath('cut', $pipeline, '--from', '+100ms'), 2, qr/type -o NAME/, 'no name');
for my $other (grep { -e } map { ($ENV{SHARED_TRACES} // '/none') . "/../recordings/machines/$_" } qw(x64-lttng-both-ctf2/trace/kernel x64-perfetto/pipeline.pftrace x64-text/tracefs-trace.txt)) {
	says(wakepath('cut', $other, '--from', '+1ms', '--to', '+2ms', '-o', "$scratch/none"), 2, qr/wakepath (?:writes no metadata of CTF 2: record with|does not write this format: (?:share|cut))/, "a format that is not written: $other");
}
says(wakepath('cut', $pipeline, '-o', "$scratch/none"), 2, qr/--from TIME and --to TIME/, 'no window');
says(wakepath('cut', sample('rpc-chain'), '--from', '+1s', '--to', '+2s', '-o', "$scratch/none"), 2, qr/name the trace of one host/, 'several hosts');
says(wakepath('cut', $pipeline, '--from', '+100ms', '--to', '+110ms', '-o', "$scratch/no/such/folder"), 3, qr{no/such/folder}, 'no such folder');
ok(!-e "$scratch/none", 'nothing was written');

# A cut that is stopped by a signal leaves all of its output, or nothing.
for my $trace (grep { -e } sample('lockfight'), "$inputs/lockfight/perf.data", "$inputs/rt-timerlat/trace.dat") {
	my %seen;
	json('info', $trace);
	for my $after (5, 10, 20, 30, 45, 60) {
		mkdir "$scratch/stopped";
		# A signal while the sanitizer looks for leaks, at the very end, would stop it forever.
		local $ENV{ASAN_OPTIONS} = join ':', grep { defined } $ENV{ASAN_OPTIONS}, 'detect_leaks=0';
		my $r = Wake::run('timeout', '-s', 'INT', $after / 1000, $ENV{WAKEPATH}, 'cut', $trace, '--from', '+0s', '--to', '-1ns', '--anonymous', '-o', "$scratch/stopped/cut");
		my @left = glob "$scratch/stopped/{*,.[!.]*}";
		# The signal may come after the file got its name and before the message.
		my $whole = $r->{out} =~ /^wrote/ || (-e "$scratch/stopped/cut" && !wakepath('info', "$scratch/stopped/cut")->{status});
		$seen{ $whole ? 'all' : 'nothing' }++;
		is_deeply(\@left, $whole ? ["$scratch/stopped/cut"] : [], "$trace: after $after ms");
		system('rm', '-rf', "$scratch/stopped");
	}
	ok($seen{nothing}, "$trace: it was stopped");
}

SKIP: {
	my $disk = small_disk('200k');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	says(wakepath('cut', sample('lockfight'), '--from', '+0s', '--to', '-1ns', '-o', "$disk/cut"), 3, qr/cannot write.*No space left/, 'a full disk is an error');
	is_deeply([ glob "$disk/*" ], [], 'leaves nothing');
	my $dat = "$inputs/pipeline/trace.dat";
	skip 'no recordings', 1 if !-e $dat;
	says(wakepath('cut', $dat, '--from', '+0s', '--to', '+200ms', '-o', "$disk/cut.dat"), 3, qr/cannot write.*No space left/, 'a full disk, trace.dat');
	is_deeply([ glob "$disk/*" ], [], 'leaves nothing');
	says(wakepath('cut', "$inputs/pipeline/perf.data", '--from', '+0s', '--to', '-1ns', '-o', "$disk/cut.data"), 3, qr/cannot write.*No space left/, 'a full disk, perf.data');
	says(wakepath('cut', $dat, '--from', '+0s', '--to', '+200ms', '--thread', 'wk-pipe-main', '-o', "$disk/cut.dat"), 3, qr/cannot write.*No space left/, 'a full disk, for one thread');
	is_deeply([ glob "$disk/{*,.[!.]*}" ], [], 'leaves nothing');
}

done_testing;
