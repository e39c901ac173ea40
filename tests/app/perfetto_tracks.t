#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Track events of Perfetto: a program's own events, beside those of the kernel and without them.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Pftrace;
use Recorded;
use Test::More;

my $start = 5_000_000_000;
my $day = 1_700_000_000_000_000_000;
my ($idle, $main, $worker) = ([ 'swapper', 0 ], [ 'main', 700 ], [ 'worker', 701 ]);
my $number = 0;

sub number { return Pftrace::number(@_) }
sub bytes { return Pftrace::bytes(@_) }
sub file_of { my ($p, @how) = @_; my $file = "$ENV{TMPDIR}/made" . $number++ . '.pftrace'; spew($file, ref $p ? $p->trace(@how) : $p); return $file }
sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }
sub warnings_of { my ($file) = @_; return join "\n", @{info($file)->{warnings}} }
sub padding { my ($p) = @_; srand 3; $p->packet(bytes(36, join '', map { chr rand 256 } 1 .. 300_000)) }

# Track events as "TIME NAME FIELDS", TIME in ns from $start on; with the thread in front if it is known.
sub acts { my ($file, @more) = @_; my $all = json_of(wakepath('events', $file, '--name', 'track_event*', '--top', 0, '--format', 'json', @more))->{events}; return map { ($_->{time} - $day - $start) . " $_->{name}" =~ s/track_event://r . (defined $_->{thread} ? " ($_->{thread})" : '') . ' ' . $_->{fields} =~ s/^\{ (.*) \}$/$1/r } @$all }

# main runs on CPU 0, from 10 µs to 900 µs.
sub kernel { my ($p) = @_; $p->switch($start + 10_000, 0, $idle, 0, $main); $p->switch($start + 900_000, 0, $main, 1, $idle); $p->flush; return $p }
sub begun { my $p = Pftrace->new; $p->clocks($start - 1000, $day); return $p }
sub threads { my ($p) = @_; $p->track(77, pid => 700, tid => 700, thread => 'main'); $p->track(78, pid => 701, tid => 701, thread => 'worker'); return $p }

my $on_main = 'track = 77, pid = 700, tid = 700, thread_name = "main"';

# ---- as the SDK writes them: names by number, times counted ----

sub sdk {
	my ($unit) = @_;
	my $p = threads(kernel(begun()));
	$p->begin(9, $start + 20_000, $unit, 77);
	$p->act(9, 5_000 / $unit, 1, number(10, 1) . number(3, 1) . number(3, 2) . bytes(4, number(1, 1) . number(4, -5)) . Pftrace::fixed64(47, 4242), interned => Pftrace::name(1, 'phase one') . join('', map { bytes(1, number(1, $_) . bytes(2, "cat$_")) } 1, 2) . bytes(3, number(1, 1) . bytes(2, 'arg')));
	$p->packet('', sequence => 9, time => 1_000 / $unit, flags => 2);	# any packet moves the clock
	$p->act(9, 99_000 / $unit, 3, bytes(23, 'point') . bytes(22, 'c'));
	$p->act(9, 50_000 / $unit, 2, Pftrace::fixed64(48, 4242));
	return $p;
}
my @sdk = ('25000 slice_begin (main) name = "phase one", categories = "cat1,cat2", ' . $on_main . ', flow_ids = [ [0] = 4242 ], debug.arg = -5',
	'125000 instant (main) name = "point", categories = "c", ' . $on_main, '175000 slice_end (main) ' . $on_main . ', terminating_flow_ids = [ [0] = 4242 ]');
for my $unit (1, 1000) {
	for my $packed ([], [ 50, 2 ], [ 133, 100 ]) {
		my $file = file_of(sdk($unit), @$packed);
		is_deeply([ acts($file) ], \@sdk, "as the SDK writes them, in units of $unit ns" . (@$packed ? ', packed' : ''));
		is(warnings_of($file), '', '… no warning');
	}
}
{
	my $file = file_of(sdk(1));
	is(info($file)->{events}, 5, 'all events count');
	is(info($file)->{cpus}, 1, '… of no CPU');
	like(wakepath('events', $file, '--at', '3#', '--name', '*', '--top', 1)->{out}, qr/ 3 .*track_event:instant/, '… and have numbers') or diag(wakepath('events', $file, '--at', '3#')->{out});
	is_deeply([ acts($file, '--thread', 700) ], \@sdk, 'of their thread');
	is_deeply([ acts($file, '--cpu', 0) ], [], '… and of no CPU');
	is_deeply([ acts($file, '--from', ($day + $start + 100_000) . '', '--to', ($day + $start + 150_000) . '') ], [ $sdk[1] ], '… in a window');
	unlike(wakepath('events', $file)->{out}, qr/4294967/, '… a missing number is null');
	like(wakepath('events', $file, '--top', 0, '--match', 'phase one')->{out}, qr/slice_begin/, '… found by their fields');
	my $rules = "$ENV{TMPDIR}/own.rules";
	spew($rules, "[phase]\nentry = track_event:slice_begin[name=phase one]\nexit = track_event:slice_end\nkey = track\n");
	is_deeply([ map { "$_->{latency} $_->{name}" } @{json_of(wakepath('latency', $file, '--rules', $rules, '--format', 'json'))->{rules}[0]{worst}} ], [ '150000 main' ], 'a rule measures a phase of the program');
}

# ---- clocks ----

sub one { my ($p, $time, %of) = @_; $p->act(9, $time, 3, '', %of); return $p }
sub told_at { my ($file) = @_; return join ' ', map { (split / /)[0] } acts($file) }
is(told_at(file_of(one(kernel(begun()), $start + 50_000, flags => 0))), '50000', 'BOOTTIME without a word');
{
	# MONOTONIC stops for a second between two snapshots.
	my $snapshot = sub { my ($p, $boot, $mono) = @_; $p->packet(bytes(6, bytes(1, number(1, 6) . number(2, $boot)) . bytes(1, number(1, 3) . number(2, $mono)) . bytes(1, number(1, 1) . number(2, $boot + $day)))) };
	my $p = Pftrace->new;
	$snapshot->($p, $start - 1000, $start - 1000);
	kernel($p);
	one($p, $start + 50_000, clock => 3, flags => 0);
	one($p, $start + 300_000 - 200_000, clock => 3, flags => 0);
	$snapshot->($p, $start + 250_000, $start + 60_000);
	is(told_at(file_of($p)), '50000 290000', 'MONOTONIC by the last snapshot before');
	my $q = threads(kernel(begun()));
	$q->packet(bytes(6, bytes(1, number(1, 6) . number(2, $start)) . bytes(1, number(1, 3) . number(2, 1_000_000))));
	$q->begin(9, 1_020_000, 1, 77, with => 3);
	$q->act(9, 5, 3, '');
	$q->packet(bytes(6, bytes(1, number(1, 65) . number(2, 10) . number(4, 1000)) . bytes(1, number(1, 6) . number(2, $start + 30_000))), sequence => 9);
	$q->act(9, 25, 3, '', clock => 65);
	$q->act(9, 7, 3, '');
	$q->act(9, 1_000_000 + 60_000, 3, '', clock => 3);
	is(told_at(file_of($q)), '20005 20012 45000 60000', 'a clock of the sequence based on MONOTONIC, another one in µs');
	my $file = file_of(one(one(kernel(begun()), 5, clock => 70, flags => 0), $start + 50_000, clock => 200, flags => 0));
	is(told_at($file), '', 'a clock without a snapshot');
	like(warnings_of($file), qr/^left out: 2 events of programs that depend on lost packets, or on an unknown clock/m, '… gives a warning');
}

# ---- names and clocks valid for a time ----

for my $packed ([], [ 50, 1 ]) {
	# The number 1 means two names, in several blocks; events are found from any place on.
	my $p = threads(kernel(begun()));
	for my $round (0 .. 4) {
		$p->begin(9, $start + 20_000 + 100_000 * $round, 1, 77 + $round % 2);
		$p->act(9, 10_000, 1, number(10, 1), interned => Pftrace::name(1, "round $round"));
		padding($p);
		$p->act(9, 10_000, 2, number(10, 1));
		padding($p) if $round % 2;
	}
	my $file = file_of($p, @$packed);
	my @all = map { my $r = $_; map { (20_000 + 100_000 * $r + 10_000 * $_) . qq( name = "round $r", track = ) . (77 + $r % 2) } 1, 2 } 0 .. 4;
	my @got = map { s/ slice_\w+(?: \(\w+\))?//r =~ s/, pid.*//r } acts($file);
	is_deeply(\@got, \@all, 'names and tracks change' . (@$packed ? ', packed' : ''));
	for my $from (0 .. 9) {
		my ($time) = $all[$from] =~ /^(\d+)/;
		@got = map { s/ slice_\w+(?: \(\w+\))?//r =~ s/, pid.*//r } acts($file, '--from', ($day + $start + $time) . '');
		is_deeply(\@got, [ @all[$from .. 9] ], "… from the ${from}th on");
	}
}
{
	my $p = threads(kernel(begun()));
	$p->begin(9, $start + 20_000, 1, 77);
	$p->act(9, 10, 1, number(10, 1), interned => Pftrace::name(1, 'a'));
	$p->act(9, 10, 2, '', dropped => 1);
	$p->act(9, 10, 2, '');
	$p->act(9, $start + 40_000, 3, '', flags => 0, clock => 6);	# based on no earlier value
	$p->begin(9, $start + 50_000, 1, 77);
	$p->act(9, 10, 3, number(10, 1));	# no packet since then tells the name
	$p->act(10, 10, 3, number(10, 1));	# its begin was overwritten
	my $file = file_of($p);
	is_deeply([ map { s/ track.*//r } acts($file) ], [ '20010 slice_begin (main) name = "a",', '40000 instant (main)', '50010 instant (main) name_iid = 1,' ], 'after a loss no value is invented');
	like(warnings_of($file), qr/^left out: 3 events of programs that depend on lost packets/m, '… and a warning says so');
	my $q = threads(kernel(begun()));
	$q->begin(9, $start + 20_000, 1, 77);
	push @{$q->{packets}}, bytes(50, 'no stream');
	$q->act(9, 10, 3, '');
	is_deeply([ acts(file_of($q)) ], [], 'a packet that cannot be unpacked may be of any sequence');
}

# ---- order ----
{
	my $p = kernel(begun());
	one($p, $start + $_, flags => 0) for 50_000, 40_000, 60_000;
	padding($p);
	one($p, $start + $_, flags => 0) for 55_000, 70_000;
	my $file = file_of($p);
	is_deeply([ acts($file) ], [ (map { "$_ instant track = 0" } 40_000, 50_000, 60_000), '60000 instant track = 0, recorded_time = ' . ($day + $start + 55_000), '70000 instant track = 0' ], 'events of a sequence that are out of order');
	like(warnings_of($file), qr/^1 event of programs came after later ones/m, '… give a warning where they are sorted');
	my $q = kernel(begun());
	for my $i (1 .. 300) { one($q, $start + 20_000 + $i * 100 + $_, sequence => $_ + 20, flags => 0) for reverse 1 .. 30 }
	is(told_at(file_of($q)), join(' ', map { my $i = $_; map { 20_000 + $i * 100 + $_ } 1 .. 30 } 1 .. 300), 'of 30 sequences, by time');
	my $r = kernel(begun());
	one($r, $start + $_, flags => 0) for 9_999, 10_000, 900_000, 900_001;
	$file = file_of($r);
	is(told_at($file), '10000 900000', 'a time after the kernel\'s events');
	like(warnings_of($file), qr/^left out: 2 events of programs before the first event of the kernel, or after the last/m, '… gives a warning');
}

# ---- tracks and values ----
{
	my $p = threads(kernel(begun()));
	$p->track(1, pid => 700, process => 'the game');
	$p->track(2, parent => 1, name => 'frames');
	$p->track(3, parent => 77, name => 'heap', counter => number(3, 3) . number(4, 1024));
	$p->track(4, parent => 77, counter => number(1, 1) . number(5, 1));
	$p->track(5, name => 'load', counter => bytes(6, 'percent'));
	$p->track(6, parent => 7);
	$p->track(7, parent => 6);
	my $t = $start + 20_000;
	$p->act(9, $t++, 1, number(11, 2) . bytes(23, 'frame') . number(52, 33), flags => 0);
	$p->act(9, $t++, 4, number(11, 3) . number(30, -3), flags => 0);
	$p->act(9, $t++, 4, number(11, 4) . number(30, 70), flags => 0);
	$p->act(9, $t++, 4, number(11, 5) . Pftrace::double(44, 1.5), flags => 0);
	$p->act(9, $t++, 3, number(11, 6), flags => 0);
	$p->act(9, $t++, 3, number(11, 99) . bytes(53, 'x-1'), flags => 0);
	$p->act(9, $t++, 3, number(11, 77) . join('', map { bytes(4, bytes(10, $_->[0]) . $_->[1]) } [ 'a b', bytes(6, "q\"\e") ], [ yes => number(2, 1) ], [ real => Pftrace::double(5, 0.25) ], [ big => number(3, 1 << 63) ],
		[ dict => bytes(11, bytes(10, 'k') . number(4, 7)) . bytes(11, bytes(10, 'l') . bytes(12, number(4, 8)) . bytes(12, number(4, 9))) ], [ deep => bytes(11, bytes(10, 'd') . bytes(11, bytes(10, 'd') . bytes(11, bytes(10, 'd') . bytes(11, bytes(10, 'd') . number(4, 1))))) ], [ text => number(17, 5) ]), flags => 0, interned => bytes(29, number(1, 5) . bytes(2, 'told once')));
	is_deeply(json_of(wakepath('sql', file_of($p), 'SELECT c.name, value, increment, tid FROM counter c LEFT JOIN thread USING (utid)', '--format', 'json'))->{rows},
		[ [ 'heap', -3072, undef, 700 ], [ 'thread_time', undef, 70, 700 ], [ 'load', 1.5, undef, undef ] ], 'values of counters in SQL');
	is_deeply([ map { s/^\d+ //r } acts(file_of($p)) ], [
		'slice_begin name = "frame", track = 2, track_name = "frames", pid = 700, process_name = "the game", correlation_id = 33',
		'counter (main) track = 3, track_name = "heap", pid = 700, tid = 700, thread_name = "main", value = -3072, unit = "bytes"',
		'counter (main) track = 4, track_name = "thread_time", pid = 700, tid = 700, thread_name = "main", increment = 70, unit = "ns"',
		'counter track = 5, track_name = "load", value = 1.5, unit = "percent"', 'instant track = 6', 'instant track = 99, correlation_id = "x-1"',
		qq(instant (main) $on_main, debug.a_b = "q\\"\\e", debug.yes = 1, debug.real = 0.25, debug.big = 9223372036854775808, debug.dict.k = 7, debug.dict.l.0 = 8, debug.dict.l.1 = 9, debug.text = "told once") ], 'tracks, values, annotations');
}
{
	# A thread's TID may differ from the kernel's: in a container, or before it runs.
	my $p = kernel(begun());
	$p->tree($start, [ [ 700, 1, undef, '/bin/main' ] ], []);
	$p->track(1, pid => 4, tid => 700);
	$p->track(2, pid => 700, tid => 700);
	$p->track(3, pid => 701, tid => 701);
	$p->act(9, $start + 20_000, 3, number(11, $_), flags => 0) for 1, 2, 3;
	$p->switch($start + 1_000_000, 0, $idle, 0, $worker);
	$p->switch($start + 1_100_000, 0, $worker, 0, $idle);
	$p->flush;
	$p->act(9, $start + 950_000, 3, number(11, 2), flags => 0);
	is_deeply([ map { /\((\w+)\)/ ? $1 : '-' } acts(file_of($p)) ], [ '-', 'main', '-', '-' ], 'the thread of an event has its TID and process, and runs');
}

# ---- events of old versions of Chrome ----
{
	my $p = kernel(begun());
	$p->packet(bytes(6, bytes(1, number(1, 6) . number(2, $start)) . bytes(1, number(1, 3) . number(2, $start))));
	$p->packet(bytes(44, number(1, 700) . number(2, 700) . number(6, $start / 1000 + 20)), sequence => 9, flags => 1);
	my $old = sub { my ($phase, $more, $body, %of) = @_; $p->packet(bytes(11, $body . bytes(6, number(2, ord $phase) . $more)), sequence => 9, flags => 2, %of) };
	$old->('B', number(1, 3), number(1, 5), interned => Pftrace::name(3, 'old'));
	$old->('X', number(3, 12), number(1, 5));
	$old->('b', number(6, 88) . bytes(7, 'scope'), number(16, $start / 1000 + 40));
	$old->('E', '', number(1, 15));
	$old->('s', number(8, 3), number(1, 5));
	$old->('I', number(18, 701) . number(19, 701), number(1, 5));
	is_deeply([ acts(file_of($p)) ], [ '25000 slice_begin (main) name = "old", track = 0, pid = 700, tid = 700', '30000 complete (main) track = 0, pid = 700, tid = 700, duration_us = 12', '40000 slice_begin (main) track = 0, pid = 700, tid = 700, id = 88, id_scope = "scope"',
		'45000 slice_end (main) track = 0, pid = 700, tid = 700', '50000 legacy (main) track = 0, pid = 700, tid = 700, phase = 115, bind_id = 3', '55000 instant track = 0, pid = 701, tid = 701' ], 'events of old Chromes');
}

# ---- track events change no answer about the kernel ----
{
	my %out;
	for my $with (0, 1) {
		my $p = begun();
		my $t = $start;
		for my $i (0 .. 79) {
			$p->switch($t + 10_000, 0, $idle, 0, $main);
			$p->waking($t + 20_000, 0, $main, $worker, 1);
			$p->switch($t + 30_000, 1, $idle, 0, $worker);
			$p->switch($t + 40_000, 0, $main, 1, $idle);
			$p->waking($t + 50_000, 1, $worker, $main, 0);
			$p->switch($t + 60_000, 1, $worker, 1, $idle) if $i % 7 != 3;	# a switch is missing …
			if ($i % 10 == 9) { $p->bundle(1); $p->bundle(0); $t += 20_000_000 }	# … and nothing is recorded for a while
			if ($with) { one($p, $t + $_ * 500_000, sequence => 20 + $_, flags => 0) for 0 .. 19 }
			$t += 100_000;
		}
		$p->flush;
		my $file = file_of($p);
		push @{$out{$_->[0]}}, wakepath(@$_[0, 1], $file, @$_[2 .. $#$_], '--format', 'csv')->{out} for [ 'threads', '--idle' ], [ 'states', '--cpu', 0 ], [ 'states', '--cpu', 1 ], [ 'wakeups', '--thread', 700 ], [ 'wakeups', '--thread', 701 ], [ 'states', '--thread', 701 ], [ 'blame', '--thread', 700 ];
		push @{$out{info}}, join "\n", @{info($file)}{qw(from to cpus)}, (map { "$_->{cpu} $_->{from} $_->{to}" } @{info($file)->{gaps}}), @{info($file)->{missing_events}}, grep { !/of programs/ } @{info($file)->{warnings}};
	}
	like($out{info}[0], qr/no CPU recorded anything for some time/, 'a pause in which a switch is missing');
	for (sort keys %out) { my @all = @{$out{$_}}; my $half = @all / 2; is_deeply([ @all[$half .. $#all] ], [ @all[0 .. $half - 1] ], "$_: the same with track events") }
}

# ---- without the kernel ----
{
	my $p = begun();
	$p->system_info;
	$p->begin(9, $start + 20_000, 1, 77);
	threads($p);
	$p->act(9, 5, 1, bytes(23, 'a'));
	$p->act(9, 1_000_000, 2, '');
	my $file = file_of($p);
	is_deeply([ map { s/, pid.*//r } acts($file) ], [ '20005 slice_begin name = "a", track = 77', '1020005 slice_end track = 77' ], 'a trace of programs alone');
	my $i = info($file);
	is_deeply([ @$i{qw(from to cpus events)} ], [ $day + $start + 20_005, $day + $start + 1_020_005, 0, 2 ], '… its span');
	is(scalar(grep { /no events of the kernel in this trace, only those of programs/ } @{$i->{warnings}}), 1, '… and one line names what is missing');
	is(scalar @{$i->{warnings}}, 1, '… and nothing else') or diag(join "\n", @{$i->{warnings}});
	is(wakepath($_, $file)->{status}, 0, "$_: opens") for qw(info threads events verify);
	my $q = Pftrace->new;
	$q->packet(bytes(6, bytes(1, number(1, 3) . number(2, 7)) . number(2, 3)));
	one($q, 4_000, clock => 3, flags => 0);
	one($q, 5_000, flags => 0);
	$file = file_of($q);
	is(info($file)->{events}, 2, 'by another clock than BOOTTIME, with a note') or diag(warnings_of($file));
	my $r = begun();
	one($r, $start, machine => 7, flags => 0);
	like(wakepath('info', file_of($r))->{err}, qr/no events of the kernel in this trace/, 'of another machine alone');
}

# ---- damage ----
{
	my $bytes = sdk(1000)->trace;
	my %ended;
	srand 11;
	for my $k (1 .. 80) {
		my $harmed = $bytes;
		substr($harmed, 60 + int rand(length($harmed) - 60), 1) = chr int rand 256 for 1 .. 1 + $k % 4;
		my $r = wakepath('events', file_of($harmed), '--top', 0);
		$ended{"$r->{status} $r->{signal}"}++;
		like($r->{err}, qr/\A(?:wakepath: [^\n]*\n)*\z/, 'damaged: nothing but messages') if $r->{err} ne '';
		no_raw_controls($r->{out}, 'no control characters') if $k % 20 == 0;
	}
	is(join(',', grep { !/^[03] 0$/ } keys %ended), '', 'damaged bytes are read or refused');
	my $p = threads(kernel(begun()));
	$p->act(9, $start + 20_000, 3, bytes(23, 'n' x 2_000) . bytes(22, 'c' x 3_000) . join('', map { Pftrace::fixed64(47, $_) } 1 .. 2_000) . bytes(4, bytes(10, 'd' x 5_000) . number(4, 1)), flags => 0);
	my ($long) = acts(file_of($p));
	like($long, qr/ categories = "c{1024}",.* flow_ids = \[ .{1000,1100} \],? debug\.d{1024} = 1$/, 'long names and lists are cut');
	my $q = threads(kernel(begun()));
	$q->act(9, $start + 20_000, 3, bytes(23, 'n' x 1_000_000), flags => 0);
	cmp_ok(length((acts(file_of($q)))[0]), '<', 70_000, '… a text of 1 MB, too');
}

done_testing;
