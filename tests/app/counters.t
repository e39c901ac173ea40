#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Counters that perf reads with events: the counts of each thread while it had a CPU.  The recordings are of Linux 6.18 in a virtual machine without
# hardware counters, which hides some switches; cpu.txt is perf script's text of it.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use PerfData;
use lib "$ENV{TOP}/tests/oracle";
use Made;
use Test::More;

my $n = 0;
sub unpacked { my ($name) = @_; my $to = "$ENV{TMPDIR}/$name"; system("zstdcat '$ENV{TOP}/tests/app/counters/$name.zst' >'$to'") == 0 or die; return $to }
sub sql { my ($file, $query) = @_; return [ map { [@$_] } @{json_of(wakepath('sql', $file, $query, '--format', 'json'))->{rows}} ] }
sub counted { my ($file) = @_; return sql($file, 'SELECT tid, c.name, ts, dur, c.cpu, value FROM thread_counter c JOIN thread USING (utid) ORDER BY ts, c.name') }
sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }

# ---- of all CPUs: the differences that perf script prints with each switch, of the thread that the previous switch switched in ----

my $cpu = unpacked('cpu.data');
my (%sums, %last, $at, %whole);
for (split /\n/, slurp(unpacked('cpu.txt'))) {
	my ($on, $time, $value, $event, $rest) = /^.*? -?\d+ \[(\d+)\] +([\d.]+): +(\d+) +([\w:-]+): *(.*)$/ or die $_;
	if ($event eq 'sched:sched_switch') {
		my ($prev, $next) = $rest =~ /prev_pid=(\d+) .*next_pid=(\d+)/ or die $_;
		$at = ($last{$on} // '') eq $prev ? ($prev || "idle$on") : undef;
		$last{$on} = $next;
	} elsif ($event =~ /^(?:cpu-clock|page-faults)$/ && defined $at) {
		$sums{"$at $event"} += $value;
		$whole{$event} += $value;
	}
}
my %is = map { ($_->[0] || sprintf 'idle%03d', $_->[1]) . " $_->[2]", $_->[3] }
	@{sql($cpu, 'SELECT tid, t.cpu, c.name, sum(value) FROM thread_counter c JOIN thread t USING (utid) GROUP BY t.utid, c.name HAVING sum(value) > 0')};
cmp_ok(scalar keys %sums, '>', 20, 'threads counted');
is_deeply(\%is, \%sums, '… each count is that of perf script');

# Three by hand, from perf report -D: group values of two switches of a CPU, one behind the other.
is_deeply([ map { [@$_] } @{sql($cpu, "SELECT tid, c.cpu, c.name, value FROM thread_counter c JOIN thread USING (utid) WHERE tid IN (18, 12630, 12642) ORDER BY ts, c.name LIMIT 6")} ],
	[ [ 18, 0, 'cpu-clock', 0xc174 - 0x6264 ], [ 18, 0, 'page-faults', 0 ], [ 12630, 0, 'cpu-clock', 0x35397 - 0xc174 ], [ 12630, 0, 'page-faults', 1 - 0 ],
		[ 12642, 1, 'cpu-clock', 0x1487f8 - 0x50824 ], [ 12642, 1, 'page-faults', 0x65 - 3 ] ], 'three intervals, read by hand');

# A clock that counts while its CPU is on counts the time between two switches.
my ($worst) = @{sql($cpu, "SELECT max(abs(value - dur)) FROM thread_counter WHERE name = 'cpu-clock'")};
cmp_ok($worst->[0], '<', 100_000, 'the clock of the CPU agrees with the times of the switches');
like(wakepath('verify', $cpu)->{out}, qr/intact/, 'the index is intact');

# Parts add up to perf script's counts of the whole: threads, states, segments of a path, an account.
sub answer { my (@how) = @_; return json_of(wakepath(@how, '--format', 'json')) }
sub sum_of { my %sum; for my $c (grep { $_ } @_) { $sum{$_} += $c->{$_} for keys %$c } return { map { $_ => $sum{$_} } grep { $sum{$_} } keys %sum } }
sub truth { my ($tid) = @_; return { map { /^\Q$tid\E (.*)/ ? ($1 => $sums{$_}) : () } keys %sums } }
my %threads = map { $_->{tid} ? ($_->{tid} => sum_of($_->{counters})) : () } @{answer('threads', $cpu)->{threads}};
is_deeply({ map { %{$threads{$_}} ? ($_ => $threads{$_}) : () } keys %threads }, { map { /^(\d+) / ? ($1 => truth($1)) : () } keys %sums }, 'threads: the counts of each');
for my $tid (12788, 12789, 12790) {
	my $states = answer('states', $cpu, '--thread', $tid)->{intervals};
	is_deeply(sum_of(map { $_->{counters} } @$states), truth($tid), "thread $tid: its states add up");
	is(scalar(grep { $_->{state} ne 'running' && $_->{counters} } @$states), 0, '… all of them running');
	is(scalar(grep { $_->{counters} && $_->{counters_time} != $_->{to} - $_->{from} } @$states), 0, '… each as a whole');
	my $path = answer('path', $cpu, '--thread', $tid);
	is_deeply(sum_of(map { $_->{counters} } grep { $_->{actor}{tid} && $_->{actor}{tid} == $tid } @{$path->{segments}}), truth($tid), '… so do the segments of its path');
	is_deeply(sum_of(map { $_->{counters} } grep { $_->{actor}{tid} && $_->{actor}{tid} == $tid } @{$path->{summary}}), truth($tid), '… and their sum');
	my $why = answer('why', $cpu, '--thread', $tid);
	is_deeply(sum_of($why->{counters}), truth($tid), '… an account');
	my @half = map { answer('why', $cpu, '--thread', $tid, @$_) } [ '--to', $states->[3]{to} ], [ '--from', $states->[3]{to} ];
	is_deeply(sum_of(map { $_->{counters} } @half), truth($tid), '… two accounts of its time');
}
# An interval that is cut in two: its count is in neither part, since neither part's share is known.
my ($long) = sort { $b->{to} - $b->{from} <=> $a->{to} - $a->{from} } grep { $_->{counters} } @{answer('states', $cpu, '--thread', 12790)->{intervals}};
my $inside = answer('why', $cpu, '--thread', 12790, '--from', $long->{from} + 1, '--to', $long->{to});
is_deeply([ @$inside{qw(counters counters_time)} ], [ undef, undef ], 'no count for a part of the time between two readings');
like(wakepath('why', $cpu, '--thread', 12788)->{out}, qr/^of 1\.55 ms on CPUs: 1\.55 ms of cpu-clock, 146 page-faults$/m, 'why in words');

# ---- samples of running threads: with each stack of the kernel as many as in perf script ----

my $sampled = unpacked('stacks.data');
my (%of_thread, %samples);
for (split /\n/, slurp(unpacked('stacks.txt'))) {
	my ($tid, @ips) = split / /;
	$of_thread{$tid}++;
	$samples{$tid}{join ' ', reverse map { "0x$_" } grep { /^ffffffff/ } @ips}++;
}
my %ran = map { $_->{tid} ? ($_->{tid} => $_->{cpu_time}) : () } @{answer('threads', $sampled)->{threads}};
for my $tid ((sort { $of_thread{$b} <=> $of_thread{$a} || $a <=> $b } keys %of_thread)[0 .. 5]) {
	my $stacks = answer('stacks', $sampled, '--on-cpu', '--thread', $tid, '--top', 0);
	my (%got, $time);
	for my $s (@{$stacks->{stacks}}) {
		$got{join ' ', grep { /^0xffffffff/ } map { lc } @{$s->{frames}}} += $s->{count};
		$time += $s->{time};
	}
	is_deeply(\%got, $samples{$tid}, "thread $tid: its samples by stack");
	is_deeply([ $time, $stacks->{time}, $stacks->{with} + $stacks->{without} ], [ $ran{$tid}, $ran{$tid}, $of_thread{$tid} ], '… share its time on CPUs');
}

# ---- where a thread ran: the innermost kernel calls of perf script, by made-up names; without those of an interrupt ----

# Functions of 256 KB, the first of which has the entry from user mode.
sub leaf_of { my ($ip) = @_; return sprintf 'f_%x', hex($ip) >> 18 }
my @stacks = map { [ split / / ] } split /\n/, slurp("$ENV{TMPDIR}/stacks.txt");
for my $entry (undef, 'ffffffff8177bbf1') {
	my $kallsyms = "$ENV{TMPDIR}/kallsyms" . ($entry // '');
	my (%leaves, %symbols);
	my $all = 0;
	$symbols{sprintf '%x', hex($_) >> 18 << 18} = leaf_of($_) for map { grep { /^ffffffff8/ } @$_ } @stacks;
	@symbols{'ffffffff8177bbf0', 'ffffffff8177bc00'} = ('asm_common_interrupt', leaf_of($entry)) if $entry;	# return addresses are behind the call
	spew($kallsyms, join '', map { "$_ T $symbols{$_}\n" } sort keys %symbols);
	for (grep { $_->[0] == 27529 && !($entry && grep { $_ eq $entry } @$_) } @stacks) {
		$all++;
		$leaves{leaf_of($_->[1])}++ if $_->[1] =~ /^ffffffff/;
	}
	my $why = answer('why', $sampled, '--thread', 27529, '--kallsyms', $kallsyms);
	my %is = map { $_->{frame} => [ $_->{samples}, $_->{share} ] } grep { $_->{frame} !~ /^0x/ } @{$why->{hottest}};
	my @most = grep { $leaves{$_} > 1 } sort { $leaves{$b} <=> $leaves{$a} || $a cmp $b } keys %leaves;
	cmp_ok(scalar @most, '<=', 3, 'few functions have several samples');
	is_deeply({ map { $is{$_}[0] > 1 ? ($_ => $is{$_}) : () } keys %is }, { map { $_ => [ $leaves{$_}, $leaves{$_} / $all ] } @most }, 'hottest frames: as in perf script' . ($entry ? ', without the stacks of an interrupt' : ''))
		or diag explain $why->{hottest}, \%leaves;
	my $line = join ', ', map { sprintf '%.0f %% %s()', 100 * $leaves{$_} / $all, $_ } @most;
	like(wakepath('why', $sampled, '--thread', 27529, '--kallsyms', $kallsyms)->{out}, qr/^ran 9\.09 ms: \Q$line\E.*, by $all samples? \(inferred\)$/m, '… in words');
}
is_deeply(answer('why', $cpu, '--thread', 12788)->{hottest}, [], 'hottest frames: none without samples');
unlike(wakepath('why', $cpu, '--thread', 12788)->{out}, qr/^ran /m, '… nor a line');

my $every = answer('stacks', $sampled, '--of', 'cpu', '--show-tracer', '--top', 0);
my ($parts, $ran_all) = (0, 0);
$parts += $_->{time} for @{$every->{stacks}};
$ran_all += $_ for values %ran;
is_deeply([ $every->{of}, $parts, $every->{time} ], [ 'cpu', $ran_all, $ran_all ], 'all threads: also those without a sample');
my $unsampled = wakepath('stacks', sample('offcpu-stacks'), '--on-cpu');
is($unsampled->{status}, 1, 'no samples: no answer');
like($unsampled->{err}, qr/no stacks of running threads were recorded: wakepath record --for-question on-cpu/, '… but a hint');
is(wakepath('stacks', $sampled, '--on-cpu', '--of', 'waker')->{status}, 2, '--on-cpu with another --of');

# ---- of one thread: task-clock and faults of its own ----

my $own = counted(unpacked('thread.data'));
is_deeply([ map { [@$_[1, 3, 5]] } @$own ], [ [ 'page-faults', 243295, 47 ], [ 'task-clock', 243295, 248222 ], [ 'page-faults', 21622, 1 ], [ 'task-clock', 21622, 31187 ] ], 'a thread alone: each time that it had a CPU')
	or diag explain $own;

# ---- made ones ----

my $start = 5_000_000_000;
sub made { my (%how) = @_; return PerfData->new(sample => [qw(identifier ip tid time cpu period read raw)], names => [qw(sched:sched_switch cycles instructions)], group => [qw(sched:sched_switch cycles instructions)], %how) }
sub switched {
	my ($p, $time, $cpu, $prev, $next, $cycles, $instructions) = @_;
	@{$p->{values}}{qw(cycles instructions)} = ($cycles, $instructions);
	$p->event('sched:sched_switch', $start + $time, $cpu, $prev, $prev, { prev_comm => $prev ? "t$prev" : 'swapper', prev_pid => $prev, prev_prio => 120, prev_state => 1, next_comm => $next ? "t$next" : 'swapper', next_pid => $next, next_prio => 120 });
}
sub file_of { my ($p) = @_; my $file = "$ENV{TMPDIR}/made" . $n++; spew($file, $p->bytes); return $file }
my @three = ([ 1000, 0, 0, 71, 100, 50 ], [ 3000, 0, 71, 72, 1100, 450 ], [ 4000, 0, 72, 71, 1300, 500 ], [ 9000, 0, 71, 0, 6300, 1500 ]);
sub of_three { my ($p, @change) = @_; for (0 .. $#three) { switched($p, @{$change[$_] // $three[$_]}) } return file_of($p) }
my @all = ([ 71, 'cycles', $start + 1000, 2000, 0, 1000 ], [ 71, 'instructions', $start + 1000, 2000, 0, 400 ], [ 72, 'cycles', $start + 3000, 1000, 0, 200 ], [ 72, 'instructions', $start + 3000, 1000, 0, 50 ],
	[ 71, 'cycles', $start + 4000, 5000, 0, 5000 ], [ 71, 'instructions', $start + 4000, 5000, 0, 1000 ]);
is_deeply(counted(of_three(made())), \@all, 'from switch to switch');
is_deeply(counted(of_three(made(big => 1))), \@all, '… the other order of bytes');
is_deeply(counted(of_three(made(times => [ 500, 500 ]))), \@all, '… with the times of the group');
is_deeply(info(of_three(made()))->{notes}, [], '… nothing to note');
is_deeply([ map { $_->{name} } grep { $_->{name} eq 'cycles' } @{json_of(wakepath('events', of_three(made()), '--format', 'json'))->{events}} ], [], '… and no events but the switches');

like(wakepath('threads', of_three(made()))->{out}, qr/6\.00 k cycles, 1\.40 k instructions, IPC 0\.23/, '… in words');
is_deeply(info(of_three(made()))->{counters}, [qw(cycles instructions)], '… their names');

# The group had to wait for the hardware during the second of 71 intervals.
my $p = made(times => [ 500, 500 ]);
for (0 .. $#three) { $p->{times} = [ 500, 490 ] if $_ == 3; switched($p, @{$three[$_]}) }
my $file = file_of($p);
is_deeply(counted($file), [ @all[0 .. 3] ], 'no counts where the counters did not count all the time');
like("@{info($file)->{notes}}", qr/counters: left out: 1 differences span a time in which other counters used the hardware for a while/, '… but a note about it');

# Values that step back, that are too large, that belong to no event.
$file = of_three(made(), undef, undef, [ 4000, 0, 72, 71, 900, 500 ]);
is_deeply(counted($file), [ @all[0, 1], [ 71, 'cycles', $start + 4000, 5000, 0, 5400 ], $all[5] ], 'no count where a value steps back');
like("@{info($file)->{warnings}}", qr/counters: 1 values are lower than the one before, or too large/, '… but a note about it');
$file = of_three(made(), undef, undef, undef, [ 9000, 0, 71, 0, -1, 1500 ]);
is_deeply(counted($file), [ @all[0 .. 3] ], 'no count where a value is out of range');
like("@{info($file)->{warnings}}", qr/counters: 1 values are lower/, '… but a note about it');
$file = of_three(made(ids => { cycles => 77 }));
is_deeply(counted($file), [ @all[1, 3, 5] ], 'an id that the file does not define: the other counter');

# A switch is missing: it is unknown which thread the difference belongs to.
$file = of_three(made(), undef, undef, [ 4000, 0, 73, 71, 1300, 500 ]);
is_deeply(counted($file), [ @all[0, 1, 4, 5] ], 'no count where a switch is missing');

# Events were lost.
$p = made();
for (0 .. $#three) { $p->lost(3, $start + 3500, 0) if $_ == 2; switched($p, @{$three[$_]}) }
is_deeply(counted(file_of($p)), [ @all[0, 1, 4, 5] ], 'no count where events were lost');

# As many counters as fit, one more, and two with one name.
sub many { my @names = map { "counter $_" } 1 .. shift; local @PerfData::counters{@names} = ((map { [0, $_] } 0 .. 7), (map { [1, $_] } 0 .. 8))[0 .. $#names]; my $p = made(names => [ 'sched:sched_switch', @names ], group => [ 'sched:sched_switch', @names ]); $p->{values}{$_} = 5 for @names; return of_three($p) }
is(sql(many(15), 'SELECT count(DISTINCT name) FROM thread_counter')->[0][0], 15, 'as many counters as fit are read');
is(sql(many(16), 'SELECT count(DISTINCT name) FROM thread_counter')->[0][0], 15, '… and of one more, only those');
like("@{info(many(16))->{warnings}}", qr/counters: 4 values left out: there are more than 15 counters/, '… and a note names those left out');

# ---- contexts of LTTng: perf:cpu:cycles, perf:cpu:page-faults with all events ----

my ($us, $zero) = (1000, 1_000_000);
sub lttng_switch { my ($time, $prev, $next) = @_; return [ $zero + $time * $us, 0, 'sched_switch', $prev ? "t$prev" : 'swapper/0', $prev, 20, 1, $next ? "t$next" : 'swapper/0', $next, 20 ] }
my %cycles = (100 => 0, 200 => 5000, 210 => 5100, 230 => 5700, 300 => 9000, 400 => 9500, 500 => 20_000);	# 0: LTTng has not set the counter up yet
my @lttng = (lttng_switch(100, 0, 71), lttng_switch(200, 71, 72), [ $zero + 210 * $us, 0, 'syscall_entry_getppid' ], [ $zero + 230 * $us, 0, 'syscall_exit_getppid', 0 ], lttng_switch(300, 72, 71), lttng_switch(400, 71, 0), lttng_switch(500, 0, 71));
Made::trace("$ENV{TMPDIR}/lttng", { host => 'box', epoch => 1_700_000_000, contexts => [ 'perf_cpu_cycles', 'perf_cpu_page_faults' ], values => sub { my $of = $cycles{($_[0] - $zero) / $us}; return ($of, $of && $of % 7 + 1_000_000 + $_[0]) } }, @lttng);
my $since = 1_700_000_000 * 1_000_000_000 + $zero;
is_deeply([ map { [ $_->[0], ($_->[2] - $since) / $us, $_->[3] / $us, $_->[5] ] } grep { $_->[1] eq 'cycles' } @{counted("$ENV{TMPDIR}/lttng")} ],
	[ [ 72, 200, 10, 100 ], [ 72, 210, 20, 600 ], [ 72, 230, 70, 3300 ], [ 71, 300, 100, 500 ], [ 0, 400, 100, 10_500 ] ], 'LTTng: from event to event');
is_deeply([ map { $_->{state} . ' ' . ($_->{counters} ? $_->{counters}{cycles} : '-') } @{json_of(wakepath('states', "$ENV{TMPDIR}/lttng", '--thread', 72, '--from', $since + 200 * $us, '--to', $since + 300 * $us, '--format', 'json'))->{intervals}} ],
	[ 'running 100', 'syscall 600', 'running 3300' ], '… each state has its own') or diag explain json_of(wakepath('states', "$ENV{TMPDIR}/lttng", '--thread', 72, '--format', 'json'));
is_deeply(json_of(wakepath('why', "$ENV{TMPDIR}/lttng", '--thread', 72, '--from', $since + 200 * $us, '--to', $since + 300 * $us, '--format', 'json'))->{counters}{cycles}, 4000, '… which add up');
is_deeply(info("$ENV{TMPDIR}/lttng")->{counters}, [qw(cycles page_faults)], '… their names');

# Threads had CPUs for 300 us, and the counter was set up for the last 200 of them.
is(sprintf('%.4f', info("$ENV{TMPDIR}/lttng")->{counters_share}), '0.6667', '… and the share of the time that the counts cover');
like(wakepath('info', "$ENV{TMPDIR}/lttng")->{out}, qr/^  counters +cycles page_faults, of 66\.7 % of the time that threads had CPUs$/m, '… as text');
my @window = ('--from', $since + 100 * $us, '--to', $since + 400 * $us);
like(wakepath('why', "$ENV{TMPDIR}/lttng", '--thread', 71, @window)->{out}, qr/^of 100 µs \(50\.0 %\) of 200 µs on CPUs: 500 cycles, /m, '… of a thread');
like(wakepath('why', "$ENV{TMPDIR}/lttng", '--thread', 72, @window)->{out}, qr/^of 100 µs on CPUs: 4\.00 k cycles|^of 100 µs on CPUs: 4000 cycles/m, '… which they cover completely');

# Counters of a thread alone: only switches show which thread counted.
Made::trace("$ENV{TMPDIR}/own", { host => 'box', epoch => 1_700_000_000, contexts => ['perf_thread_cycles'], values => sub { return $cycles{($_[0] - $zero) / $us} } }, @lttng);
is_deeply([ map { [ $_->[0], ($_->[2] - $since) / $us, $_->[5] ] } @{counted("$ENV{TMPDIR}/own")} ], [ [ 71, 300, 4500 ] ], 'LTTng, counters of threads: from switch to switch of one');

# ---- counters of programs: marks of trace_marker ----

my @marks = ('# tracer: nop', '#', '            app-50      [000] .....   100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120',
	(map { sprintf '            app-50      [000] .....   100.%06d: tracing_mark_write: %s', @$_ } [ 1, 'C|50|queue|3' ], [ 2, 'B|50|no counter' ], [ 3, 'C|50|load|-0.5' ], [ 4, 'C|50|queue|4' ], [ 5, 'C|50|bad' ], [ 6, 'E|50' ]),
	'            app-50      [000] .....   100.000009: sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120');
spew("$ENV{TMPDIR}/marks.txt", join "\n", @marks, '');
is_deeply(sql("$ENV{TMPDIR}/marks.txt", 'SELECT tid, c.name, ts / 1000 % 1000, value FROM counter c JOIN thread USING (utid)'), [ [ 50, 'queue', 1, 3 ], [ 50, 'load', 3, -0.5 ], [ 50, 'queue', 4, 4 ] ], 'values of counters that a program wrote');
spew("$ENV{TMPDIR}/nomarks.txt", join "\n", grep({ !/C\|/ } @marks), '');
is(wakepath('sql', "$ENV{TMPDIR}/nomarks.txt", 'SELECT * FROM counter')->{status}, 1, '… no counters, no answer');

# No counters were read: the answer is a hint.
my $none = wakepath('sql', "$ENV{TOP}/tests/app/perf_own.data", 'SELECT * FROM thread_counter');
is($none->{status}, 1, 'no counters: no answer');
like($none->{err}, qr/no counters were recorded with thread switches: wakepath record --for-question counters/, '… but a hint');

done_testing;
