#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# bench.pl [--full]: measure the index against its goals (docs/performance.md).
#
# Compared programs alternate, five times (with babeltrace2 fifteen times), and medians count.  Prints one table
# and writes it to $BUILD/bench.json, and as text for docs/performance.md to $BUILD/bench.md.  --full also
# measures a trace 16 times as long.
use strict;
use utf8;
use warnings;
use File::Basename qw(basename dirname);
use FindBin ();
use lib $FindBin::Bin;
use Bench;
use Hosts qw(measure_sync measure_hosts measure_packets);
use Questions qw(measure_questions measure_sql measure_exports);

my $full = grep { $_ eq '--full' } @ARGV;
my $rounds = 5;
my $pairs = 15;	# runs of wakepath and babeltrace2
my $samples = 200;	# windows of each zoom, in memory
my $cold_samples = 50;	# windows of each zoom, caches dropped
my $small = 100e6;	# bytes: the size of the index has a goal only for traces from this size on

local $SIG{INT} = sub { exit 130 };

# ---- the trace ----

# The largest available trace: its folder and its name.
sub find_trace {
	my $archive = "$shared/hackbench-6M.tar.zst";
	if (-r $archive) {
		must_run('tar', '--zstd', '-xf', $archive, '-C', $tmp);
		my ($metadata) = grep { m{/metadata$} } files_below($tmp);
		return (dirname($metadata), 'hackbench-6M');
	}
	my @samples = sort { bytes_below($b) <=> bytes_below($a) } map { dirname($_) } glob("$top/sample-traces/*/*/metadata");
	my $times = int($small / bytes_below($samples[0])) + 1;
	must_run("$tools/scale_trace", $samples[0], "$tmp/trace", $times > 1000 ? 1000 : $times);
	return ("$tmp/trace", basename(dirname($samples[0])) . " ×$times (hackbench-6M is not at hand)");
}

# ---- measurements ----

sub measure_builds {
	my ($trace) = @_;
	my (%wall, %memory);
	for my $round (0 .. $pairs) {
		my %took = (
			dummy => measure('babeltrace2', $trace, '-c', 'sink.utils.dummy'),
			own => build($trace, 'own'),
			$round <= $rounds ? (fallback => build($trace, 'fallback', '--reader', 'babeltrace2')) : (),
		);
		next if !$round;	# the first fills caches
		push @{ $wall{$_} }, $took{$_}{wall} for keys %took;
		push @{ $memory{$_} }, $took{$_}{memory} for keys %took;
	}
	my $dummy = median(@{ $wall{dummy} });
	my ($own, $fallback) = map { median(@{ $wall{$_} }) } qw(own fallback);
	add('babeltrace2 (dummy sink)', 'read the trace', $dummy / 1e9, 's');
	add('wakepath index', 'build, wall', $own / 1e9, 's', undef, $own / $dummy);
	my $pair = median(map { $wall{own}[$_] / $wall{dummy}[$_] } 0 .. $pairs - 1);
	add('wakepath index', "build / babeltrace2, median of $pairs pairs", $pair, '', [0.15, 0.10]);
	add('wakepath index', 'build through babeltrace2, wall', $fallback / 1e9, 's', undef, $fallback / $dummy);
	add('wakepath index', 'build through babeltrace2 / babeltrace2', $fallback / $dummy, '', [0.70, 0.50]);
	add('wakepath index', 'peak memory', median(@{ $memory{own} }) / 2**20, 'MB', [192, 96]);
	add('wakepath index', 'peak memory through babeltrace2', median(@{ $memory{fallback} }) / 2**20, 'MB', [192, 96]);
	my $size = -s index_file("$tmp/own");
	my $bytes = bytes_below($trace);
	add('wakepath index', 'index / trace', $size / $bytes, '', $bytes >= $small ? [0.30, 0.20] : undef);
	return { wall => $own, size => $size, memory => median(@{ $memory{own} }) };
}

sub measure_many_threads {
	return if !-d "$shared/many-threads";
	my $m = build("$shared/many-threads", 'many');
	add('wakepath index', 'peak memory, 8058 threads', $m->{memory} / 2**20, 'MB', [192, 96]);
}

sub measure_windows {
	my ($file) = @_;
	my $warm = query('windows', $file, $samples);
	my $cold = query('cold', $file, $cold_samples);
	for my $zoom ('whole', '1%', '1e-6') {
		add('query', "60 × 200 cells, $zoom, p50", $warm->{"$zoom-p50"} / 1e6, 'ms', [5, 2]);
		add('query', "60 × 200 cells, $zoom, p99", $warm->{"$zoom-p99"} / 1e6, 'ms', [10, 4]);
	}
	add('query', "60 × 200 cells, $_, caches dropped, p99", ratio($cold->{"$_-p99"}, 1e6), 'ms', [100, 50])
		for 'whole', '1%', '1e-6';
	return $warm;
}

# The list of events around a random one.  It has no goal.
sub measure_events {
	my ($trace, $file) = @_;
	my ($folder) = map { m{^(.*)/metadata$} ? $1 : () } files_below($trace);
	my %by = (warm => query('events', $file, $samples, $folder), 'caches dropped' => query('events-cold', $file, $samples, $folder));
	for my $how ('warm', 'caches dropped') {
		add('query', "event list at a random event, $how, $_", ratio($by{$how}{"events-$_"}, 1e6), 'ms') for 'p50', 'p99';
	}
}

# A scan over many events.
sub measure_scan {
	my ($trace, $file) = @_;
	my ($folder) = map { m{^(.*)/metadata$} ? $1 : () } files_below($trace);
	my %scan = ('no fields' => [], '3 fields' => [qw(prev_tid next_tid prev_state)], 'all fields as text' => ['text']);
	for my $how ('no fields', '3 fields', 'all fields as text') {
		my $s = median_of(5, sub { values_of('bench_scan', $file, $folder, 'sched_switch', @{ $scan{$how} }) });
		add('query', "sched_switch of the whole trace, $how: each, processor time", $s, 'ns', $how eq '3 fields' ? [500, 200] : undef);
	}
	my $rows = values_of('bench_scan', $file, $folder, 'sched_switch')->{events};
	my $m = measure($wakepath, 'events', '--index-dir', "$tmp/own", '--name', 'sched_switch', '--top', 0, '--format', 'csv', '-o', "$tmp/events.csv", $trace);
	add('wakepath events', "$rows rows of sched_switch as CSV: each, processor time", $m->{cpu} / $rows, 'ns', [1000, 667]);
	add('wakepath events', 'the same: peak memory', $m->{memory} / 2**20, 'MB', [96, 64]);
	unlink "$tmp/events.csv";
}

# The median time per event of N runs of CODE, which returns the number of events and their time.
sub median_of { my ($n, $code) = @_; return median(map { my $v = $code->(); $v->{time} / ($v->{events} || 1) } 1 .. $n) }

# The time from the start until the first frame is on a terminal, ns; undef if the caches of the files DROP cannot be dropped.
sub open_once {
	my ($trace, @drop) = @_;
	return undef if @drop && !query('drop', @drop)->{dropped};
	return first_frame("$tmp/own", $trace);
}

sub measure_open {
	my ($trace) = @_;
	open_once($trace);
	my @warm = map { open_once($trace) } 1 .. 15;
	my @cold = map { open_once($trace, index_file("$tmp/own"), files_below($trace)) } 1 .. 7;
	add('wakepath view', 'open to the first frame, warm', median(@warm) / 1e6, 'ms', [50, 15]);
	my $all = !grep { !defined } @cold;
	add('wakepath view', 'open to the first frame, caches dropped', $all ? median(@cold) / 1e6 : undef, 'ms', [200, 80]);
}

# The bytes and the time of the answer to a key, on a pseudo-terminal of 200×60 like xterm.
sub measure_keys {
	my ($trace) = @_;
	local @ENV{qw(TERM LC_ALL)} = ('xterm-256color', 'C.UTF-8');
	my $m = values_of('bench_screen', 'keys', $wakepath, 'view', '--index-dir', "$tmp/own", $trace);
	my %goals = (step => ['a cursor step', 400, 300], row => ['a row', 1500, 1000], pan => ['pan or zoom', 25_000, 15_000],
		worst => ['the worst, shown or gone', 30_000, 15_000]);
	for my $kind (qw(step row pan worst)) {
		my ($what, @goals) = @{ $goals{$kind} };
		add('wakepath view', "$what: bytes to the terminal, p95", $m->{"$kind-bytes-p95"}, 'bytes', \@goals);
		add('wakepath view', "$what: key to last byte, p95", $m->{"$kind-ns-p95"} / 1e6, 'ms');
	}
	add('wakepath view', 'cursor, row, pan, zoom: key to last byte, p95', $m->{'all-ns-p95'} / 1e6, 'ms', [12, 10]);
	add('wakepath view', 'cursor, row, pan, zoom: key to last byte, p99', $m->{'all-ns-p99'} / 1e6, 'ms', [20, 12]);
	add('wakepath view', 'a key while what is selected is counted: to its first byte, p95', $m->{'counted-ns-p95'} / 1e6, 'ms', [20, 12]);
	add('wakepath view', 'the worst: key to the list', $m->{'worst-shown'} / 1e6, 'ms', [50, 20]);
}

# The explorer on a trace without an index: the time to its first frame.
sub measure_first {
	my ($trace) = @_;
	my @took;
	for (1 .. $rounds) {
		must_run('rm', '-rf', "$tmp/first");
		push @took, first_frame("$tmp/first", $trace);
	}
	add('wakepath view', 'without an index, to the first frame', median(@took) / 1e6, 'ms', [300, 200]);
}

# A path of about N segments.  The goals hold for N; for fewer segments they shrink in proportion.
sub measure_path {
	my ($file, $what, $n, $must, $aim) = @_;
	my $p = query('path', $file, $n);
	my $share = $p->{segments} / $n;
	$share = 1 if $share > 0.9;
	add('path', "$what: critical path of $p->{segments} segments", $p->{path} / 1e6, 'ms', [$must * $share, $aim * $share]);
}

# A path as long as in the goal, from a made index, because no trace has one.
sub measure_relay {
	my ($file) = "$tmp/relay.wpi";
	must_run("$tools/relay_index", $file, 700_000);
	measure_path($file, 'relay', 1e6, 500, 200);
	unlink $file;
}

# The worst 1000 cases; the goal holds for ten million cases.
sub measure_worst {
	my ($file, $what, $build) = @_;
	my $w = query('worst', $file, 1000);
	my $n = sprintf '%.1f', $w->{cases} / 1e6;
	add('latency', "$what: the worst 1000 of $n million off-cpu, and all figures", $w->{worst} / 1e6, 'ms', [50, 20]);
	add('latency', "$what: found for the first time / build, wall", $w->{first} / $build, '');
}

# The processor time of the first use of each kind / that of the build.
sub measure_kinds {
	my ($trace, $what, @kinds) = @_;
	my (@build, %took);
	for my $round (1 .. $rounds) {
		push @build, build($trace, 'kinds')->{cpu};
		for my $kind (@kinds) {
			my ($first, $again) = map { measure($wakepath, 'latency', '--index-dir', "$tmp/kinds", $trace, '--kind', $kind, '--top', 1)->{cpu} } 1 .. 2;
			push @{ $took{$kind} }, $first - $again;
		}
	}
	add('latency', "$what: $_ found for the first time / build, processor time", median(@{ $took{$_} }) / median(@build), '', [0.10, 0.05]) for @kinds;
}

# Spans with distinct keys: the first list, which finds them, the next list, and questions about them.
sub measure_spans {
	my $n = $full ? 10_000_000 : 1_000_000;
	my $trace = "$tmp/spans-$n";
	must_run("$top/tests/tools/many_spans", $trace, $n);
	build($trace, 'spans');
	my $what = $n / 1e6 . ' million keys';
	my $asks = sub { return measure('sh', '-c', "'$wakepath' $_[0] '$trace' --index-dir '$tmp/spans' $_[1] >/dev/null") };
	for (['spans, the first time', 'spans', '--format csv'], ['spans', 'spans', '--format csv'], ['latency', 'latency', '--kind span:req'], ['compare', 'compare', '--set span:req']) {
		my $took = $asks->(@$_[1, 2]);
		add('spans', "$what: $_->[0]", $took->{cpu} / $n, 'ns each, processor time');
		add('spans', "$what: $_->[0], peak memory with mapped pages", $took->{memory} / 1e6, 'MB');
	}
}

# Building the index of a trace.dat, compared with trace-cmd report.
sub measure_ftrace {
	my $file = "$shared/inputs/typed/typed-big.dat";
	return if !-r $file;
	my (%wall);
	for my $round (0 .. $rounds) {
		my %took = (report => measure('sh', '-c', "trace-cmd report '$file' >/dev/null 2>&1"),
			index => measure($wakepath, 'index', '--quiet', '--force', '--index-dir', "$tmp/dat", $file));
		push @{ $wall{$_} }, $took{$_}{wall} for $round ? keys %took : ();
	}
	my ($report, $index) = map { median(@{ $wall{$_} }) } qw(report index);
	add('trace-cmd report', 'print typed-big.dat', $report / 1e9, 's');
	add('wakepath index', 'typed-big.dat: build / trace-cmd report', $index / $report, '', [0.1, 0.05]);
}

# Building the index of a perf.data, compared with perf script.  The installed perf records it, because it may not read files of other versions.
sub measure_perf {
	my $file = "$tmp/perf.data";
	my $busy = 'for i in $(seq 40); do ls -lR /usr/include >/dev/null; done';
	if (system("perf record -q -a -k mono -m 16M -e 'sched:*,irq:*,timer:*,raw_syscalls:*' -o '$file' -- sh -c '$busy' >/dev/null 2>&1") != 0) {
		warn "bench: no perf.data: perf record does not run here\n";
		return;
	}
	my (%wall);
	for my $round (0 .. $rounds) {
		my %took = (script => measure('sh', '-c', "perf script -i '$file' >/dev/null 2>&1"),
			index => measure($wakepath, 'index', '--quiet', '--force', '--index-dir', "$tmp/perf", $file));
		push @{ $wall{$_} }, $took{$_}{wall} for $round ? keys %took : ();
	}
	my ($script, $index) = map { median(@{ $wall{$_} }) } qw(script index);
	add('perf script', 'print a perf.data', $script / 1e9, 's');
	add('wakepath index', 'perf.data: build / perf script', $index / $script, '', [0.1, 0.05]);
	unlink $file;
}

# Windows of a guest's threads, with the time that its host took from them / without the host.
sub measure_guest {
	my $trace = "$top/sample-traces/vm-preempt";
	must_run($wakepath, 'index', '--quiet', '--index-dir', "$tmp/guests", "$trace/guest", "$trace/host");
	my ($guest, $host) = map { (glob "$tmp/guests/*$_*.wpi")[0] } qw(guest host);
	my $w = query('guest', $guest, $host, $samples);
	add('query', "60 × 200 cells of a guest, $_, with its host / alone, p50", $w->{"guest-$_-p50"} / $w->{"alone-$_-p50"}, '', [2, 1.5])
		for 'whole', '1%', '1e-6';
}

sub measure_scaled {
	my ($trace, $one, $windows, $times) = @_;
	my $long = "$tmp/x$times";
	my $said = `'$tools/scale_trace' '$trace' '$long' $times`;
	my ($events) = $said =~ /^(\d+) events/ or die "bench: scale_trace failed\n";
	my $found = count_events($long);
	die "bench: babeltrace2 finds $found events in the scaled trace, not $events\n" if $found != $events;
	add('scale_trace', "×$times: events, as babeltrace2 counts", $events, '');
	my (@long, @short);
	for my $round (1 .. $rounds) {
		push @long, build($long, "long$times");
		push @short, build($trace, 'own');
	}
	my $took = median(map { $_->{wall} } @long) / median(map { $_->{wall} } @short);
	my $memory = median(map { $_->{memory} } @long);
	my $file = index_file("$tmp/long$times");
	my $warm = query('windows', $file, $samples);
	my $alike = query('windows', $file, $samples, $times);
	add('wakepath index', "×$times: time", $took, '', [$times * 17 / 16, $times]);
	add('wakepath index', "×$times: index", (-s $file) / $one->{size}, '', [$times * 17 / 16, $times]);
	add('wakepath index', "×$times: peak memory", $memory / 2**20, 'MB', [192, 96]);
	add('wakepath index', "×$times: peak memory / ×1", $memory / $one->{memory}, '', [1.1, 1.0]);
	add('query', "×$times: 60 × 200 cells, $_, p50 / ×1", $warm->{"$_-p50"} / $windows->{"$_-p50"}, '', [1.3, 1.1])
		for 'whole', '1%', '1e-6';
	add('query', "×$times: the same, as long as $_ of ×1, p50 / ×1", $alike->{"$_-p50"} / $windows->{"$_-p50"}, '', [1.3, 1.1])
		for 'whole', '1%', '1e-6';
	measure_path($file, "×$times", 1e6, 500, 200);
	measure_worst($file, "×$times", median(map { $_->{wall} } @long));
	must_run('rm', '-rf', $long);
}

# Run CODE.  A failure becomes a line of the table, and the other measurements go on.
sub attempt {
	my ($what, $code) = @_;
	return if eval { $code->(); 1 };
	print STDERR $@;
	add($what, 'failed', undef, '');
}

$| = 1;
binmode STDOUT, ':utf8';
my $load = load();
my ($trace, $what) = find_trace();
print "trace: $what, ", bytes_below($trace), " bytes\n";
print "The load is $load: others use this machine, so times are not to be trusted.\n" if $load > 0.7;
system('sync');
my $one = measure_builds($trace);
my $windows;
attempt('many threads', sub { measure_many_threads() });
attempt('windows', sub { $windows = measure_windows(index_file("$tmp/own")) });
attempt('events', sub { measure_events($trace, index_file("$tmp/own")) });
attempt('scan', sub { measure_scan($trace, index_file("$tmp/own")) });
attempt('questions', sub { measure_questions($trace, $rounds) });
attempt('sql', sub { measure_sql($trace, $rounds) });
attempt('exports', sub { measure_exports($trace, $rounds) });
attempt('open', sub { measure_open($trace) });
attempt('first', sub { measure_first($trace) });
attempt('keys', sub { measure_keys($trace) });
attempt('path', sub { measure_path(index_file("$tmp/own"), '×1', 1e4, 10, 3) });
attempt('relay', sub { measure_relay() });
attempt('ftrace', sub { measure_ftrace() });
attempt('perf', sub { measure_perf() });
attempt('guest', sub { measure_guest() });
attempt('spans', sub { measure_spans() });
attempt('kinds', sub { measure_kinds($trace, '×1', qw(wakeup wait-cpu preempted off-cpu blocked fork)) });
attempt('kinds of many threads', sub { measure_kinds("$shared/many-threads", 'many-threads', qw(wakeup off-cpu blocked fork)) if -d "$shared/many-threads" });
attempt('sync', sub { measure_sync() });
attempt('hosts', sub { measure_hosts($trace, $rounds) });
attempt('packets', sub { measure_packets() });
for my $times (4, $full ? 16 : ()) {
	attempt("×$times", sub { measure_scaled($trace, $one, $windows, $times) });
}
print_table();
my %facts = (trace => $what, bytes => bytes_below($trace), machine => machine(), load_before => $load + 0, load_after => load() + 0);
write_json("$build/bench.json", %facts);
write_markdown("$build/bench.md", %facts);
print "written to $build/bench.json and bench.md\n";
