#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Traces of Perfetto: recordings against an independent decoder (Pftrace.pm), and traces made here, field by field, for everything that the recordings
# lack.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Pftrace;
use Recorded;
use Test::More;

sub info { my ($file) = @_; return json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0] }
sub warnings_of { my ($file) = @_; return join "\n", @{info($file)->{warnings}} }
sub listed { my ($file) = @_; my $cpus = told($file); return join "\n", map { my $c = $_; map { join ' ', $c, @$_{qw(time name fields)} } @{$cpus->{$c}} } sort keys %$cpus }

# ---- recordings ----

# [from, to]… of the times that TID has a CPU, by the switches alone; and the times of its wake-ups.
sub runs_of {
	my ($cpus, $tid) = @_;
	my (@runs, @woken);
	for my $cpu (keys %$cpus) {
		my ($since, $now);
		for my $e (@{$cpus->{$cpu}}) {
			push @woken, $e->[0] if $e->[1] eq 'sched:sched_waking' && $e->[2]{pid} == $tid;
			next if $e->[1] ne 'sched:sched_switch';
			push @runs, [ $since, $e->[0] ] if defined $since && $now == $tid;
			($since, $now) = ($e->[0], $e->[2]{next_pid});
		}
	}
	return ([ sort { $a->[0] <=> $b->[0] } @runs ], [ sort { $a <=> $b } @woken ]);
}

for my $file (glob(($ENV{SHARED_TRACES} // '/none') . '/../recordings/machines/*/*.pftrace')) {
	my ($name) = $file =~ m{([^/]+/[^/]+)$};
	my $is = Pftrace::decode(slurp($file));
	my $got = told($file);
	is(join(' ', map { "$_:" . @{$got->{$_}} } sort keys %$got), join(' ', map { "$_:" . @{$is->{$_}} } sort keys %$is), "$name: all events of each CPU");
	my ($cpu) = sort { $a <=> $b } keys %$is;
	my $ahead = $got->{$cpu}[0]{time} - $is->{$cpu}[0][0];
	my @wrong = event_differences($got, { map { my $c = $_; ($c, [ map { my ($time, $what, $fields, $tid) = @$_; [ $time, $what =~ s/.*://r, $fields, $tid ] } @{$is->{$c}} ]) } keys %$is }, $ahead, sub {
		my ($g, $e) = @_;
		my %fields = $g->{fields} =~ /(\w+) = ("(?:[^"\\]|\\.)*"|-?\w+)/g;
		return map { my $want = $e->[2]{$_}; $want = qq("$want") if $want !~ /^-?\d+$/; /^(?:dev|rwbs|comm|buf|name)$/ || ($fields{$_} // '') eq $want ? () : "$_ = " . ($fields{$_} // 'none') . ", is $want" } grep { defined $e->[2]{$_} } sort keys %{$e->[2]};
	});
	is(scalar @wrong, 0, "$name: name, time, thread and numbers of each") or diag(join "\n", @wrong[0 .. 9]);

	# When the busiest threads ran, and when they were woken.
	my %busy;
	$busy{$_}++ for map { $_->[1] eq 'sched:sched_switch' && $_->[2]{next_pid} ? $_->[2]{next_pid} : () } map { @$_ } values %$is;
	my @threads = grep { defined } (sort { $busy{$b} <=> $busy{$a} || $a <=> $b } keys %busy)[0 .. 11];
	my ($states, $wakeups) = (0, 0);
	for my $tid (@threads) {
		my ($runs, $woken) = runs_of($is, $tid);
		my @on;
		for (@{json_of(wakepath('states', $file, '--thread', $tid, '--format', 'json'))->{intervals}}) {
			next if $_->{state} !~ /^(?:running|interrupted|usermode|syscall)$/;
			my ($from, $to) = ($_->{from} - $ahead, $_->{to} - $ahead);
			if (@on && $on[-1][1] == $from) { $on[-1][1] = $to } else { push @on, [ $from, $to ] }
		}
		my %on = map { ("$_->[0]-$_->[1]", 1) } @on;
		my @missing = grep { !$on{"$_->[0]-$_->[1]"} } @$runs;
		# (Two runs without a gap between them are one.)
		@missing = grep { my $m = $_; !grep { $_->[0] <= $m->[0] && $m->[1] <= $_->[1] } @on } @missing;
		is(scalar @missing, 0, "$name: thread $tid has a CPU whenever the switches show it") or diag(join ' ', map { "$_->[0]-$_->[1]" } @missing);
		$states += @$runs;
		my %woken = map { ($_, 1) } @$woken;
		my @got = @{json_of(wakepath('wakeups', $file, '--thread', $tid, '--format', 'json'))->{wakeups}};
		# (A thread that is woken while it leaves its CPU does not wait.)
		my %left = map { ($_->[1], 1) } @$runs;
		my @strange = grep { !$woken{$_->{time} - $ahead} && !$left{$_->{time} - $ahead} && $_->{source}{kind} ne 'fork' } @got;
		is(scalar @strange, 0, "… and is woken only at wake-up events") or diag(join ' ', map { $_->{time} - $ahead } @strange);
		$wakeups += @got;
	}
	cmp_ok($states, '>', 100, "$name: $states runs");
	cmp_ok($wakeups, '>', 50, "$name: $wakeups wake-ups");
	my $i = info($file);
	like($i->{tracer}, qr/^perfetto \d+/, "$name: made by Perfetto, with its version");
	ok((!grep { /lost|damaged|gap/ } @{$i->{warnings}}), '… nothing is lost') or diag(join "\n", @{$i->{warnings}});
}

# ---- one game, in all forms: two threads that wake each other, on two CPUs ----

my $start = 5_000_000_000;
my $day = 1_700_000_000_000_000_000;
my ($idle, $main, $worker) = ([ 'swapper', 0 ], [ 'main', 700 ], [ 'worker', 701 ]);

sub game {
	my ($p, $times, $t) = @_;
	$t //= $start;
	for my $i (0 .. $times - 1) {
		$p->typed($t + 5_000, 0, $i ? 0 : 0, 24, 7);
		$p->typed($t + 6_000, 0, 0, 25, 7);
		$p->switch($t + 10_000, 0, $idle, 0, $main);
		$p->waking($t + 20_000, 0, $main, $worker, 1);
		$p->switch($t + 30_000, 1, $idle, 0, $worker);
		$p->switch($t + 40_000, 0, $main, 1, $idle);
		$p->waking($t + 50_000, 1, $worker, $main, 0);
		$p->switch($t + 60_000, 1, $worker, 1, $idle);
		# CPUs are not in order.
		if ($i % 10 == 9) { $p->bundle(1); $p->bundle(0) }
		$t += 100_000;
	}
	$p->flush;
	return $t;
}

my $number = 0;
sub file_of { my ($p, @how) = @_; my $file = "$ENV{TMPDIR}/made" . $number++ . '.pftrace'; spew($file, ref $p ? $p->trace(@how) : $p); return $file }
sub made { my ($times, $how, @packed) = @_; my $p = Pftrace->new(%$how); $p->system_info; $p->config('', [ 'sched/*', 'irq/softirq_entry', 'irq/softirq_exit' ]); $p->clocks($start - 1000, $day); game($p, $times); return file_of($p, @packed) }
sub wakeups { my ($file) = @_; return wakepath('wakeups', $file, '--thread', 'worker', '--format', 'csv')->{out} =~ s/^.*\n//r =~ s/made\d+/made/gr }

my $plain = made(60, {});
my @first = split /\n/, listed($plain);
is(scalar @first, 480, 'all events');
is($first[0], '0 ' . ($day + $start + 5_000) . ' irq:softirq_entry { common_pid = 0 }, { vec = 7 }', '… the first');
is($first[2], '0 ' . ($day + $start + 10_000) . ' sched:sched_switch { common_pid = 0 }, { prev_comm = "swapper", prev_pid = 0, prev_prio = 120, prev_state = 0, next_comm = "main", next_pid = 700, next_prio = 120 }', '… a switch');
my $wakeups = wakeups($plain);
is(() = $wakeups =~ /\bthread\b.*\bmain\b/g, 60, 'all wake-ups');
# The kernel's flags, which CompactSched has, show that no interrupt woke it.
my $sure = $wakeups =~ s/\binferred\b/proved/r =~ s/ \(inferred\),device_irq call$/,/mgr =~ s/,inferred,/,proved,/gr;
my $i = info($plain);
is_deeply([ @$i{qw(tracer events cpus)} ], [ 'perfetto 56.0', 480, 2 ], 'tracer, version, events, CPUs');
is($i->{warnings} && join("\n", @{$i->{warnings}}), '', 'no warning');
ok(!(grep { /^(?:sched_|irq_softirq_\*)/ } @{$i->{missing_events}}), 'enabled events are not missing, though some never occurred');
ok((grep { /^irq_softirq_raise/ } @{$i->{missing_events}}), '… and those not enabled are');

for my $form ([ 'compact', { compact => 1 } ], [ 'packed with deflate', {}, 50 ], [ 'packed with zstd', {}, 133 ], [ 'compact, packed', { compact => 1 }, 50, 3 ], [ 'packed, one packet each', {}, 133, 1 ], [ 'as before version 47', { before => 0 } ]) {
	my ($name, $how, @packed) = @$form;
	my $file = made(60, $how, @packed);
	is(wakeups($file), $how->{compact} ? $sure : $wakeups, "$name: the same wake-ups");
	is(wakepath('states', $file, '--thread', 'worker', '--format', 'csv')->{out}, wakepath('states', $plain, '--thread', 'worker', '--format', 'csv')->{out}, '… and states');
	is(warnings_of($file), '', '… no warning');
	my @all = split /\n/, listed($file);
	is(scalar @all, 480, '… and all events');
	is($all[2], $how->{compact} ? '0 ' . ($day + $start + 10_000) . ' sched:sched_switch { next_comm = "main", prev_state = 0, next_pid = 700, next_prio = 120 }' : $first[2], '… with fields');
}

# Places: the evidence of a wait is in the block, at the byte.
{
	my $why = json_of(wakepath('wakeups', $plain, '--thread', 'worker', '--format', 'json'))->{wakeups}[3]{source}{evidence};
	my ($e) = grep { $_->{event} =~ /waking/ } @$why;
	my $bytes = slurp($plain);
	my ($time, $name, $fields) = Pftrace::event(substr $bytes, $e->{packet} + $e->{offset}, 60);
	is("$time $name $fields->{pid}", $e->{time} - $day . ' sched:sched_waking 701', 'evidence is at its place');
}

# ---- enabled events ----

sub missing { my ($more, $asked, $then) = @_; my $p = Pftrace->new; $p->system_info; $p->config($more, $asked) if $asked; $p->clocks($start - 1000, $day); $then->($p) if $then; game($p, 3); return join ' ', @{info(file_of($p))->{missing_events}} }
unlike(missing('', [ 'irq/*', 'sched/*' ]), qr/irq_handler|softirq_raise/, 'an enabled group is recorded');
like(missing('', [ 'irq/*' ], sub { $_[0]->stats(1, [], 'irq/softirq_raise') }), qr/softirq_raise/, '… except events that could not be enabled');
like(missing('', undef), qr/sched_process.*irq_handler/, 'without a configuration, events that occur are recorded');
unlike(missing('', [ 'sched_process_exit', 'sched_process_fork' ]), qr/sched_process/, 'events without a group');
unlike(missing('', [ 'irq_vectors/*' ]), qr/irq_vectors/, 'all vectors of x86');
like(missing('', [ 'irq_vectors/local_timer_entry', 'irq_vectors/local_timer_exit' ]), qr/irq_vectors/, '… but not if only one is');
like(missing('', [ 'ipi/*', 'sched/*' ]), qr/ipi_\*/, 'x86 declares events of IPIs that it does not write');
{
	my $p = Pftrace->new;
	$p->system_info(cpus => 5);
	$p->config(Pftrace::bytes(37, '0000000b'), [ 'sched/*' ]);
	$p->clocks($start - 1000, $day);
	game($p, 5);
	my $file = file_of($p);
	like(warnings_of($file), qr/not recorded: CPU 2, 4: its states are unknown; record with Perfetto without tracing_cpumask/, 'CPUs that were not to be recorded');
	like(wakepath('states', $file, '--cpu', 2, '--format', 'csv')->{out}, qr/^\d+,\d+,unknown,[^\n]*\n\z/m, '… are unknown');
}
like(warnings_of(do { my $p = Pftrace->new; $p->config(Pftrace::bytes(18, 'sys_read'), [ 'raw_syscalls/sys_enter' ]); game($p, 2); file_of($p) }), qr/only some system calls/, 'some system calls');
like(warnings_of(do { my $p = Pftrace->new; $p->config(Pftrace::number(35, 7), [ 'sched/*' ]); game($p, 2); file_of($p) }), qr/only some threads/, 'some threads');

like(join("\n", map { $_->{command} } @{info($plain)->{advice}}), qr{^perfetto -o trace\.pftrace -t 10s 'irq_vectors/\*'\n(?:.*\n)*perfetto -o trace\.pftrace -t 10s timer/timer_start timer/timer_cancel\n}m, 'advice in the words of Perfetto');

# ---- losses ----

sub gaps { my ($file, $cpu) = @_; return join ' ', map { $_->{state} eq 'unknown' ? ($_->{from} - $day - $start) . '-' . ($_->{to} - $day - $start) : () } @{json_of(wakepath('states', $file, '--cpu', $cpu, '--format', 'json'))->{intervals}} }
sub lossy { my ($how, $then) = @_; my $p = Pftrace->new(%$how); $p->clocks($start - 1000, $day); my $t = game($p, 10); $then->($p, $t); return file_of($p) }
sub more { my ($p, $t, %of) = @_; for my $cpu (1, 0) { $p->switch($t + 10_000, $cpu, $idle, 0, $cpu ? $worker : $main); $p->switch($t + 20_000, $cpu, $cpu ? $worker : $main, 1, $idle); $p->bundle($cpu, $cpu ? () : %of) } }

is(gaps(lossy({}, \&more), 0), '', 'nothing is lost');
is(gaps(lossy({}, sub { more(@_, lost => 1) }), 0), '940000-1010000', 'lost_events: from the last event to the first');
is(gaps(lossy({}, sub { more(@_, before => $start + 980_000) }), 0), '940000-1010000', 'a missing bundle: a loss up to the next switch');
is(gaps(lossy({}, sub { more(@_, before => $start + 980_000) }), 1), '', '… on no other CPU');
is(gaps(lossy({ before => 0 }, sub { more(@_, dropped => 1) }), 0), '940000-1010000', 'before version 47: a packet was dropped');
is(gaps(lossy({ before => 0 }, sub { my ($p) = @_; $p->packet(Pftrace::bytes(34, Pftrace::number(1, 2)), sequence => 5, dropped => 1); more(@_) }), 0), '940000-1010000', '… before a packet of another kind');
is(gaps(lossy({ before => 0 }, sub { my ($p) = @_; push @{$p->{packets}}, Pftrace::bytes($_, "no stream"); more(@_) }), 0), '940000-1010000', '… a packet that cannot be unpacked') for 50, 133;
is(gaps(lossy({}, sub { more(@_, dropped => 1) }), 0), '', '… later, with no bundle missing, it was another packet');
is(gaps(lossy({}, sub { my ($p, $t) = @_; more($p, $t, more => Pftrace::bytes(8, Pftrace::number(1, $start + 1_000_000))); more($p, $t + 100_000) }), 0), '1020000-1110000', 'a page that traced did not understand: the rest is unknown');
{
	# CPU 0 begins late: its first bundle was overwritten.
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->switch($start + 1000, 1, $idle, 0, $worker);
	$p->bundle(1);
	$p->switch($start + 50_000, 0, $idle, 0, $main);
	$p->bundle(0, before => $start + 40_000);
	$p->switch($start + 60_000, 0, $main, 1, $idle);
	$p->bundle(0);
	is(gaps(file_of($p), 0), '1000-50000', 'the first bundles of a CPU were overwritten');
	my $q = Pftrace->new;
	$q->clocks($start - 1000, $day);
	$q->switch($start + 1000, 1, $idle, 0, $worker);
	$q->bundle(1, before => $start + 900);
	$q->switch($start + 50_000, 0, $idle, 0, $main);
	$q->bundle(0, before => $start + 800);
	$q->switch($start + 60_000, 0, $main, 1, $idle);
	$q->bundle(0);
	my $file = file_of($q);
	is(gaps($file, 0), '', '… but the remaining ones begin before all events');
	unlike(wakepath('info', $file)->{out}, qr/^  lost/m, '… so nothing is lost');
}
for my $buffer (0, 1) {
	# The buffer of traced was full: the last packets of CPU 1 are missing, or none are, as it was another buffer.
	my $p = Pftrace->new(before => 0);
	$p->clocks($start - 1000, $day);
	game($p, 10);
	more($p, $start + 1_000_000);
	$p->switch($start + 2_000_000, 0, $idle, 0, $main);
	$p->bundle(0);
	$p->packet(Pftrace::bytes(35, Pftrace::bytes(1, Pftrace::number(18, $buffer ? 0 : 7)) . Pftrace::bytes(1, Pftrace::number(18, $buffer ? 7 : 0)) . Pftrace::bytes(18, Pftrace::number(1, 5) . Pftrace::number(4, 0))));
	my $file = file_of($p);
	is(gaps($file, 1) =~ s/.* //r, $buffer ? '5000-30000' : '1020000-2000000', 'a full buffer of Perfetto' . ($buffer ? ', of others' : ''));
	(($buffer ? \&unlike : \&like)->(warnings_of($file), qr/the buffer of Perfetto was full before the recording ended/, '… with a warning'));
}
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->stats(1, [ [ 5, 0 ], [ 0, 0 ] ]);
	my $t = game($p, 20);
	$p->stats(2, [ [ 105, 0 ], [ 0, 7 ] ]);
	my $i = info(file_of($p));
	is($i->{discarded}, 107, 'events that the kernel counted as lost');
	like(join("\n", @{$i->{warnings}}), qr/cpu1: a full buffer dropped 7 events at unknown places/, '… and a full ring refused some');
}

# ---- clocks ----

like(warnings_of(do { my $p = Pftrace->new; game($p, 2); file_of($p) }), qr/times are since boot/, 'without a snapshot');
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day + 700);	# the time of day is read later
	$p->clocks($start - 900, $day);
	$p->clocks($start - 800, $day + 3_600_000_000_000);
	game($p, 2);
	my $file = file_of($p);
	is((split / /, listed($file))[1], $day + $start + 5000, 'the earliest of the first snapshots');
	like(warnings_of($file), qr/the time of day was set 1 time during the recording, by up to 3600\.000 s/, 'a step gives a warning');
}
{
	# Events of another clock, 1 s behind BOOTTIME.
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->switch($start - 1_000_000_000, 0, $idle, 0, $main);
	$p->bundle(0, more => Pftrace::number(5, 2) . Pftrace::number(6, $start) . Pftrace::number(7, $start + 1_000_000_000));
	$p->switch($start - 999_000_000, 0, $main, 1, $idle);
	$p->bundle(0, more => Pftrace::number(5, 2) . Pftrace::number(6, $start + 9_000_000) . Pftrace::number(7, $start + 1_009_000_070));
	my $file = file_of($p);
	my @times = map { (split / /)[1] } split /\n/, listed($file);
	is("@times", join(' ', $day + $start, $day + $start + 1_000_070), 'another clock of ftrace, with another rate');
	is(gaps($file, 0), '', '… nothing is lost between two bundles');
}

# ---- threads ----
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->tree($start - 500, [ [ 2, 0, 'kthreadd' ], [ 33, 2, 'kworker/0:1H-kblockd' ], [ 34, 2, 'kworker/R-rcu_gp' ], [ 35, 2, 'kworker/u8:2+x' ], [ 700, 1, undef, '/usr/bin/main' ] ], [ [ 701, 700 ] ]);
	game($p, 3);
	my %threads = map { ($_->{tid}, $_) } grep { $_->{tid} } @{json_of(wakepath('threads', file_of($p), '--format', 'json'))->{threads}};
	is_deeply([ map { [ @{$threads{$_}}{qw(name pid ppid)} ] } 2, 33, 34, 35, 700, 701 ], [ [ 'kthreadd', 2, 0 ], [ 'kworker/0:1H', 33, 2 ], [ 'kworker/R-rcu_g', 34, 2 ], [ 'kworker/u8:2', 35, 2 ], [ 'main', 700, 1 ], [ 'worker', 700, undef ] ], 'threads in /proc');
}
{
	# task_newtask reports a new thread, where sched_process_fork does not.
	my $child = [ 'child', 800 ];
	for my $fork (0, 1) {
		my $p = Pftrace->new;
		$p->clocks($start - 1000, $day);
		$p->switch($start, 0, $idle, 0, $main);
		$p->typed($start + 10, 0, 700, 235, 800, 'main', 0, 0);
		$p->typed($start + 20, 0, 700, 239, 'main', 700, 'main', 800) if $fork;
		$p->typed($start + 30, 0, 700, 114, 'main', 800, 120, undef, 0);
		$p->switch($start + 40, 0, $main, 1, $child);
		$p->switch($start + 50, 0, $child, 16, $idle);
		$p->flush;
		my $states = wakepath('states', file_of($p), '--thread', 800, '--format', 'csv')->{out};
		like($states, qr/new.*running/s, 'a new thread' . ($fork ? ', also by sched_process_fork' : ''));
	}
}

# ---- events that the trace describes ----

for my $way (0, 1) {
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->switch($start, 0, $idle, 0, $main);
	if ($way) {
		$p->describe(65540, 'syscalls', 'sys_enter_futex', uaddr => 4, op => 4, name => 9);
		$p->raw_event($start + 10, 0, 700, 65540, Pftrace::number(1, 0x7ffe1234) . Pftrace::number(2, 128) . Pftrace::bytes(3, "x\"y"));
		$p->describe(65541, 'syscalls', 'sys_exit_futex', ret => 3);
		$p->raw_event($start + 50, 0, 700, 65541, Pftrace::number(1, -11));
		$p->raw_event($start + 60, 0, 700, 65599, Pftrace::number(1, 1));	# without a description
	} else {
		$p->named_event($start + 10, 0, 700, 'sys_enter_futex', uaddr => 0x7ffe1234, op => 128, name => "x\"y");
		$p->named_event($start + 50, 0, 700, 'sys_exit_futex', ret => -11);
	}
	$p->flush;
	my $file = file_of($p);
	my @all = split /\n/, listed($file);
	like($all[1], qr/syscalls:sys_enter_futex \{ common_pid = 700 \}, \{ uaddr = 2147357236, op = 128, name = "x\\"y" \}/, 'described ' . ($way ? 'once' : 'in each event') . ': name and fields');
	like($all[2], qr/syscalls:sys_exit_futex .*ret = -11/, '… a signed one');
	like(wakepath('states', $file, '--thread', 700, '--format', 'csv')->{out}, qr/syscall,futex,/, '… and their meaning');
	like($all[3], qr/perfetto:event /, '… one without a description is there') if $way;
}

for my $packed (0, 50) {
	# Blocks of the file, and a description in another block, after the event.
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->switch($start, 0, $idle, 0, $main);
	$p->raw_event($start + 10, 0, 700, 65540, Pftrace::number(1, 5));
	$p->bundle(0);
	$p->packet(Pftrace::bytes(36, join '', map { chr rand 256 } 1 .. 300_000)) for 1 .. 3;
	$p->describe(65540, 'made', 'late', value => 4);
	$p->raw_event($start + 20, 0, 700, 65540, Pftrace::number(1, 6));
	$p->bundle(0);
	my @all = split /\n/, listed(file_of($p, $packed ? ($packed, 1) : ()));
	is("$all[1]\n$all[2]", join("\n", map { '0 ' . ($day + $start + 10 * $_) . " made:late { common_pid = 700 }, { value = @{[4 + $_]} }" } 1, 2), 'a description in another block' . ($packed ? ', packed' : ''));
}
{
	# Vectors of x86 and IPIs have no messages of their own.
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->config('', [ 'sched/*', 'irq_vectors/*', 'ipi/*' ]);
	$p->system_info;
	my $n = 65536;
	for my $name (qw(local_timer call_function_single)) { $p->describe($n++, 'irq_vectors', "${name}_$_", vector => 3) for qw(entry exit) }
	$p->describe($n, 'ipi', 'ipi_send_cpu', cpu => 4, callsite => 4, callback => 4);
	$p->switch($start, 0, $idle, 0, $main);
	$p->switch($start, 1, $idle, 0, $worker);
	$p->switch($start + 50, 1, $worker, 1, $idle);
	$p->raw_event($start + 100, 0, 700, 65536, Pftrace::number(1, 236));
	$p->raw_event($start + 200, 0, 700, 65537, Pftrace::number(1, 236));
	$p->raw_event($start + 300, 0, 700, $n, Pftrace::number(1, 1) . Pftrace::number(2, 7) . Pftrace::number(3, 8));
	$p->raw_event($start + 400, 1, 0, 65538, Pftrace::number(1, 251));
	$p->waking($start + 500, 1, $idle, $worker, 1);
	$p->raw_event($start + 600, 1, 0, 65539, Pftrace::number(1, 251));
	$p->switch($start + 700, 1, $idle, 0, $worker);
	$p->flush;
	my $file = file_of($p);
	like(wakepath('states', $file, '--cpu', 0, '--format', 'csv')->{out}, qr/interrupted,IRQ 236 local_timer/, 'a vector that the trace describes');
	my $w = json_of(wakepath('wakeups', $file, '--thread', 'worker', '--format', 'json'))->{wakeups}[0]{source};
	is("$w->{kind}: $w->{text}", 'ipi: ipi: thread main[700] > ipi call_function_single', 'an IPI, and its sender');
	unlike(join(' ', @{info($file)->{missing_events}}), qr/irq_vectors|ipi_/, '… and none of these events is missing');
}

{
	# Calls by their number; wide arguments show that it is not a 32-bit program.
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->system_info;
	$p->config('', [ 'sched/*', 'raw_syscalls/*' ]);
	$p->switch($start, 0, $idle, 0, $main);
	$p->raw_event($start + 100, 0, 700, 329, Pftrace::number(1, 0) . join '', map { Pftrace::number(2, $_) } 3, 0x7ffe12345678, 10, 0, 0, 0);
	$p->typed($start + 200, 0, 700, 330, 0, 10);
	$p->flush;
	my $file = file_of($p);
	like(wakepath('states', $file, '--thread', 700, '--format', 'csv')->{out}, qr/syscall,read,/, 'a call by its number');
	like((split /\n/, listed($file))[1], qr/raw_syscalls:sys_enter \{ common_pid = 700 \}, \{ id = 0, args = \[ \[0\] = 3, \[1\] = 140729203840632, \[2\] = 10, \[3\] = 0, \[4\] = 0, \[5\] = 0 \] \}/, '… with arguments');
}

# Pointers are hashed, not addresses: the same number may be another timer.
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->config('', [ 'sched/*', 'irq/*', 'timer/*', 'irq_vectors/*' ]);
	for my $way (0, 1) {
		my $t = $start + $way * 1_000_000;
		my $timer = $way ? 0xffff888012345678 : 3;
		$p->typed($t, 0, 700, 551, $timer, 2, $t + 500_000, $t + 500_000, 0);
		$p->switch($t + 10, 0, $main, 1, $idle);
		$p->typed($t + 500_000, 0, 0, 553, $timer, $t + 500_000, 2);
		$p->waking($t + 500_010, 0, $idle, $main, 0);
		$p->typed($t + 500_020, 0, 0, 554, $timer);
		$p->switch($t + 500_030, 0, $idle, 0, $main);
		$p->bundle(0);
	}
	my @w = @{json_of(wakepath('wakeups', file_of($p), '--thread', 'main', '--format', 'json'))->{wakeups}};
	is_deeply([ map { [ $_->{source}{kind}, defined $_->{source}{timer}{armed_by} ? 1 : 0 ] } @w ], [ [ 'timer', 0 ], [ 'timer', 1 ] ], 'the thread that armed a timer is known by its address alone');
}

# ---- several machines ----

# All packets of P, or their bodies, as MACHINE sent them.
sub of_machine { my ($machine, @packets) = @_; return map { $_ . Pftrace::number(98, $machine) } @packets }
sub file_with { my @packets = @_; my $p = Pftrace->new; push @{$p->{packets}}, @packets; return $p }
sub hosts { my ($file) = @_; return @{json_of(wakepath('info', $file, '--format', 'json'))->{traces}} }
# States, wake-ups and events, without the name of the host.
sub seen { my ($trace) = @_; return join "\n", map { s/\b(?:made\d+\.pftrace|host|machine-\d+)\b/HOST/gr } map { wakepath(@$_[0, 1], @$_[2 .. $#$_], '--format', 'csv')->{out} } [ 'states', $trace, '--thread', 'worker' ], [ 'states', $trace, '--cpu', 1 ], [ 'wakeups', $trace, '--thread', 'worker' ], [ 'events', $trace, '--top', 0 ], [ 'threads', $trace ] }
# The service's packets for all machines: the configuration, and the buffers, of which that of sequence 6 was full.
my @service = do { my $p = Pftrace->new; $p->config('', [ 'sched/*', 'irq/softirq_entry', 'irq/softirq_exit' ]); $p->packet(Pftrace::bytes(35, Pftrace::bytes(1, Pftrace::number(18, 0)) . Pftrace::bytes(1, Pftrace::number(18, 7)) . join '', map { Pftrace::bytes(18, Pftrace::number(1, 5 + $_) . Pftrace::number(4, $_)) } 0, 1)); @{$p->{packets}} };
# The packets of one machine; its clock was AHEAD of the wall clock.
sub machine { my ($ahead, $release, $times, %how) = @_; my $p = Pftrace->new(%how); $p->system_info(release => $release); $p->clocks($start - 1000, $ahead); $p->tree($start, [ [ 1, 0, undef, "init of $release" ], [ 700, 1, 'main', '' ] ], [ [ 701, 700 ] ]); game($p, $times); return @{$p->{packets}} }
sub synced { my ($ahead) = @_; my $at = sub { my ($ahead) = @_; return join '', map { Pftrace::bytes(1, Pftrace::number(1, $_->[0]) . Pftrace::number(2, $_->[1])) } [ 6, $start ], [ 1, $start + $ahead ] }; return Pftrace::bytes(107, join '', map { Pftrace::bytes(1, Pftrace::bytes(2, $at->($ahead + $_)) . Pftrace::bytes(3, $at->($day + 77))) } 900, 0) . Pftrace::number(3, 0) . Pftrace::number(10, 1) }
{
	my @own = machine($day, '6.12.0', 60);
	my @guest = machine($day + 3_000_000, '5.10.9', 40, compact => 1);
	my ($own, $guest) = map { file_of(file_with(@service, @$_)) } \@own, \@guest;
	# One after the other, mixed, and the guest alone first; packed, too.
	my @of_guest = of_machine(3_000_000_000, @guest);
	my @mixed = map { ($own[$_] // (), $of_guest[$_] // ()) } 0 .. (@own > @guest ? $#own : $#guest);
	for my $form ([ 'one behind the other', [ @service, @own, @of_guest ] ], [ 'mixed', [ @service, @mixed ] ], [ 'the guest first', [ @service, @of_guest, @own ] ], [ 'packed', [ @service, @mixed ], 50, 3 ]) {
		my ($name, $packets, @packed) = @$form;
		my $file = file_of(file_with(@$packets), @packed);
		is_deeply([ map { [ @$_{qw(host release events path)} ] } hosts($file) ], [ [ 'host', '6.12.0', 480, "$file/host" ], [ 'machine-3000000000', '5.10.9', 320, "$file/machine-3000000000" ] ], "$name: two hosts");
		is(seen("$file/host"), seen($own), '… the host is as if it were alone');
		is(seen("$file/machine-3000000000"), seen($guest), '… and so is the guest');
		is(join('|', map { grep { !/^has an unrelated clock/ } @{$_->{warnings}} } hosts($file)), '', '… nothing is left out');
		is(wakepath('verify', $file)->{status}, 0, '… the indexes are sound');
	}
	# The guest has the sequence whose buffer was full, and only the relay gives its clock.
	my @other = do { my $p = Pftrace->new(sequence => 6); $p->system_info(release => '5.10.9'); game($p, 40); @{$p->{packets}} };
	my $file = file_of(file_with(@service, of_machine(9, synced($day + 50_000_000)), @own, of_machine(9, @other)));
	my ($host, $vm) = hosts($file);
	is($host->{from}, $day + $start + 5_000, 'the wall clock of the host is its own');
	is(info("$file/machine-9")->{from}, $day + 50_000_000 + $start + 5_000, '… that of the other machine comes from RemoteClockSync');
	is(join('|', map { /times are since boot|buffer of Perfetto was full/g } @{$host->{warnings}}), '', '… the host lost nothing');
	is(join('|', map { /times are since boot|buffer of Perfetto was full/g } @{$vm->{warnings}}), 'buffer of Perfetto was full', '… the other machine did');
	is(info(file_of(file_with(@own, synced($day - 9_000_000))))->{from}, $day + $start + 5_000, 'without other machines RemoteClockSync is ignored');
	# A source for some machines by name: the name of this machine is unknown.
	my $named = Pftrace::bytes(33, Pftrace::bytes(2, Pftrace::bytes(1, Pftrace::bytes(1, 'linux.ftrace') . Pftrace::bytes(100, Pftrace::bytes(1, 'irq/*'))) . Pftrace::bytes(4, 'vm'))) . Pftrace::number(3, 0) . Pftrace::number(10, 1);
	unlike(join(' ', @{info(file_of(file_with($named, @own)))->{missing_events}}), qr/irq_handler/, 'a source for machines by name: for one machine it is taken');
	like(join(' ', @{$_->{missing_events}}), qr/irq_handler/, '… for several it is not') for hosts(file_of(file_with($named, @own, @of_guest)));

	# The host first; machines without events are left out.
	is(join(' ', map { $_->{host} } hosts(file_of(file_with(@service, of_machine(20, @guest), of_machine(4, @guest), of_machine(8, $guest[0]), @own)))), 'host machine-20 machine-4', 'three machines');
	is(join(' ', map { $_->{path} =~ s{.*/}{}r } hosts(file_of(file_with(@service, of_machine(4_294_967_295, @guest), of_machine(1, @guest))))), 'machine-1 machine-4294967295', 'without the host');
	like(join(' ', map { $_->{path} } hosts(file_of(file_with(@service, of_machine(20, @guest), $own[0])))), qr{^\S+\.pftrace$}, 'another machine alone is the whole file');
	my $dir = "$ENV{TMPDIR}/several";
	mkdir $dir;
	spew("$dir/a.pftrace", file_with(@service, @mixed)->trace);
	spew("$dir/b.pftrace", slurp($own));
	is(join(' ', map { $_->{host} } hosts($dir)), 'host machine-3000000000 b.pftrace', 'in a folder, beside another file');
	is(join(' ', sort map { ($_->{name} // '') eq 'worker' ? $_->{host} : () } @{json_of(wakepath('threads', "$dir/a.pftrace", '--format', 'json'))->{threads}}), 'host machine-3000000000', 'threads of both');
	my $a = "$dir/a.pftrace";
	for my $none ("$a/machine-4", "$a/machine-03000000000", "$a/machine-0", "$a/guest", "$a/", "$a/host/x", "$dir/b.pftrace/host", "$a/machine-99999999999999999999") {
		my $r = wakepath('info', $none);
		is("$r->{status} " . ($r->{err} =~ s/\Q$none\E/FILE/gr), "3 wakepath: cannot open FILE: Not a directory\n", "no part: " . substr $none, length $dir);
	}

	# Damage, also of the machines' numbers.
	my $bytes = slurp($a);
	my %ended;
	srand 21;
	for my $k (1 .. 40) {
		my $harmed = $bytes;
		if ($k % 2) { my @at; push @at, pos($harmed) - 1 while $harmed =~ /\x90\x06[\x80-\xff]/g; substr($harmed, $at[rand @at] + int rand 5, 1) = chr int rand 256 for 1 .. 1 + $k % 7 }
		else { substr($harmed, 200 + int rand(length($harmed) - 200), 1) = chr int rand 256 for 1 .. 1 + $k % 5 }
		my $r = wakepath('events', file_of($harmed), '--top', 0);
		$ended{"$r->{status} $r->{signal}"}++;
		like($r->{err}, qr/\A(?:wakepath: [^\n]*\n)*\z/, 'damaged: nothing but messages') if $r->{err} ne '';
	}
	is(join(',', grep { !/^[03] 0$/ } keys %ended), '', 'damaged bytes are read or refused');

	# As many machines as are read apart, and more.
	my @small = do { my $p = Pftrace->new; $p->clocks($start - 1000, $day); game($p, 1); @{$p->{packets}} };
	is(scalar(my @all = hosts(file_of(file_with(@own, map { of_machine($_, @small) } 1 .. 15)))), 16, '16 machines');
	my @too_many = hosts(file_of(file_with(@own, map { of_machine($_, @small) } 1 .. 999)));
	is_deeply([ map { [ $_->{events}, grep { /other machine/ } @{$_->{warnings}} ] } @too_many ], [ [ 480, 'the events of 999 other machines are left out: wakepath reads no more than 16 of a file' ] ], '1000 machines: the host, and one line');
}
# The beginning of a long file names the machines; others are left out.
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	push @{$p->{packets}}, of_machine(6, synced($day)), machine($day, '6.12.0', 10);
	my $long = sub { $p->packet(Pftrace::bytes(1, "\0" x (15 << 20))) };
	$long->();
	push @{$p->{packets}}, of_machine(8, machine($day, '6.12.0', 10));
	$long->() for 1 .. 4;
	push @{$p->{packets}}, map { of_machine($_, machine($day, '6.12.0', 10)) } 6, 7;
	my ($host, $six, @more) = hosts(my $file = file_of($p));
	is_deeply([ $host->{events}, $six->{events}, scalar @more ], [ 80, 80, 0 ], 'a long file: the machine named at its beginning');
	is(join('|', grep { /other machine/ } @{$host->{warnings}}), 'the events of 2 other machines are left out: the beginning of the file does not tell of them', '… and two that are left out');
	is(join('|', grep { /other machine/ } @{$six->{warnings}}), '', '… with one message');
	unlink $file;
}

# ---- several sources, events of programs ----
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->packet(Pftrace::bytes(11, Pftrace::number(9, 1)), time => $start, sequence => 9) for 1 .. 3;
	game($p, 60);
	my $file = file_of($p);
	my $warnings = warnings_of($file);
	like($warnings, qr/left out: 3 events of programs before the first event of the kernel/, 'events of programs');
	is(wakeups($file), $wakeups, '… the host is as it was');
	is_deeply([ @{info($file)}{qw(events from)} ], [ 480, $day + $start + 5_000 ], '… alone');
	is(scalar(split /\n/, listed($file)), 480, '… and its events can be listed');
	my $r = Pftrace->new(sequence => 88);
	$r->switch($start + 10_000, 0, $idle, 0, $main);
	$r->bundle(0);
	push @{$p->{packets}}, @{$r->{packets}};
	my $both = file_of($p);
	like(warnings_of($both), qr/several data sources have events of the kernel/, 'two sources of one CPU');
	is(wakeups($both), $wakeups, '… each event is there once');
}

# ---- how it is named and found ----
{
	my $dir = "$ENV{TMPDIR}/folder";
	mkdir $dir;
	spew("$dir/a.pftrace", slurp($plain));
	spew("$dir/b.perfetto-trace", slurp($plain));
	is(scalar @{json_of(wakepath('info', $dir, '--format', 'json'))->{traces}}, 2, 'both endings are found in a folder');
	like(wakepath('info', file_of(do { my $p = Pftrace->new; $p->clocks($start, $day); $p->system_info; $p }))->{err}, qr/no events of the kernel in this trace: record it again, with the data source linux\.ftrace/, 'without events of the kernel');
	like(wakepath('info', made(60, {}, 50, 1000))->{out}, qr/events +480/, 'a trace that is one packed packet is one');
}

# ---- damage ----

my $bytes = slurp($plain);
for my $cut (map { int(length($bytes) * $_ / 7) } 1 .. 6) {
	my $file = file_of(substr $bytes, 0, $cut);
	my $r = wakepath('info', $file);
	ok($r->{status} == 0 || $r->{status} == 3, "cut at $cut");
	like("$r->{out}$r->{err}", qr/cut off or damaged|no events of the kernel/, '… gives a warning');
}
harm($bytes, 60, sub { my ($file) = @_; wakepath('events', $file, '--top', 0) }) if 0;
srand 7;
my %ended;
for my $k (1 .. 60) {
	my $harmed = $bytes;
	substr($harmed, 200 + int rand(length($harmed) - 200), 1) = chr int rand 256 for 1 .. 1 + $k % 5;
	my $r = wakepath('events', file_of($harmed), '--top', 0);
	$ended{"$r->{status} $r->{signal}"}++;
	like($r->{err}, qr/\A(?:wakepath: [^\n]*\n)*\z/, 'damaged: nothing but messages') if $r->{err} ne '';
}
is(join(',', grep { !/^[03] 0$/ } keys %ended), '', 'damaged bytes are read or refused');

# Sizes beyond the limits: a packet of more than 16 MB, a name of more than 256 bytes, fields and descriptions after the last known ones.
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->packet(Pftrace::bytes(1, "\0" x (16 << 20)));
	game($p, 60);
	my $file = file_of($p);
	like(warnings_of($file), qr/1 packet is too large or cannot be unpacked: left out/, 'a packet of more than 16 MB');
	is(wakeups($file), $wakeups, '… the rest is read');
	my $q = Pftrace->new;
	$q->clocks($start - 1000, $day);
	$q->switch($start, 0, $idle, 0, $main);
	$q->describe(65536 + 16383, 'g', 'last', (map { ("f$_", 3) } 1 .. 70), 'x' x 300, 3);
	$q->describe(65536 + 16384, 'g', 'beyond', a => 3);
	$q->describe(65537, 'g', 'x' x 257, a => 3);
	$q->raw_event($start + $_->[0], 0, 700, $_->[1], Pftrace::number(1, 5) . Pftrace::number(63, 6) . Pftrace::number(64, 7)) for [ 1, 65536 + 16383 ], [ 2, 65536 + 16384 ], [ 3, 65537 ];
	$q->flush;
	my @all = split /\n/, listed(file_of($q));
	like($all[1], qr/g:last .*\{ f1 = 5, f63 = 6, field_64 = 7 \}/, 'the last description, the last field');
	like($all[2], qr/perfetto:event .*\{  \}/, '… a description after it');
	like($all[3], qr/perfetto:event /, '… and a name that is too long');
}

# Names that no kernel has.
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	$p->config('', [ "syscalls/sys_enter_\xff\e[31m" ]);
	$p->switch($start, 0, $idle, 0, [ "m\xff\e[1m", 700 ]);
	$p->describe(65536, "sys\ncalls", "sys_enter_\xff\e[31m", "a\xfe\t" => 4);
	$p->raw_event($start + 1, 0, 700, 65536, Pftrace::number(1, 5));
	$p->named_event($start + 2, 0, 700, "sys_enter_\xc3\e]0;x\a", "b\e" => "\e[2J");
	$p->flush;
	my $file = file_of($p);
	my @all = split /\n/, listed($file);
	like($all[1], qr/sys_calls:sys_enter___\[31m|sys_calls:sys_enter____31m .*a__ = 5/, 'names that are no words');
	no_raw_controls(wakepath($_->[0], $file, @$_[1 .. $#$_])->{out}, "$_->[0]: no control characters") for [ 'events', '--top', 0 ], [ 'info' ], [ 'threads' ];
}

# A length beyond the end, an impossible CPU, times that go back.
{
	my $p = Pftrace->new;
	$p->clocks($start - 1000, $day);
	game($p, 60);
	$p->raw_event($start + 7_000_000, 0, 0, 24, Pftrace::number(1, 7));
	$p->bundle(0, more => Pftrace::varint(2 << 3 | 2) . Pftrace::varint(1 << 40));
	$p->raw_event($start + 7_000_000, 70000, 0, 24, Pftrace::number(1, 7));
	$p->bundle(70000);
	my $file = file_of($p);
	like(warnings_of($file), qr/2 bundles of events are damaged/, 'a length beyond the end, and an impossible CPU');
	is(wakeups($file), $wakeups, '… the rest is read');
	my $back = Pftrace->new;
	$back->clocks($start - 1000, $day);
	my $t = game($back, 10);
	$back->switch($start + 100, 0, $idle, 0, $main);
	$back->bundle(0);
	$file = file_of($back);
	like(warnings_of($file), qr/clock/, 'times that go back give a warning') or diag(warnings_of($file));
	my @times = map { (split / /)[1] } grep { /^0 / } split /\n/, listed($file);
	is("@times", "@{[sort { $a <=> $b } @times]}", '… and put in order');
}

done_testing;
