#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# One wait has one cause: path, why, causes, latency, states, the overview, the state bar and the pane of waits agree about an interval.
use strict;
use warnings;
no warnings 'portable';	# addresses of 64 bits
use lib "$ENV{TOP}/tests/tools";
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use List::Util qw(max min sum0);
use Wake;
use Test::More;

my $ids = 3;	# threads of a trace that are checked, those that waited longest for CPUs
my $waits = 3;	# waits of each, the longest; and all its times as a new thread

sub ask {
	my ($command, $trace, @args) = @_;
	my $run = wakepath($command, $trace, @args, '--format', 'json');
	return $run->{status} == 0 ? json_of($run) : undef;
}
sub inside { my ($s) = @_; return ('--from', $s->{from}, '--to', $s->{to}) }
sub name_of { my ($t) = @_; return "$t->{host}/$t->{tid}" }

# ---- by hand: the first wait of a new thread ----

# wk-rt (547) is forked, woken by sched_wakeup_new 29.6 µs later, and switched in after wk-victim (546) and others had the CPU for 13.7 ms.
{
	my $trace = sample('preempt');
	my @of = grep { ($_->{child_tid} // $_->{tid} // $_->{next_tid} // '') eq '547' && $_->{name} =~ /^sched_(?:process_fork|wakeup_new|switch)$/ } @{ trace_events('preempt') };
	my ($fork, $woken, $runs) = map { $_->{time} } @of[0 .. 2];
	is(join(' ', map { $_->{name} } @of[0 .. 2]), 'sched_process_fork sched_wakeup_new sched_switch', 'a new thread: created, woken, running');
	my ($at, $had, %owner) = ($woken, 546);
	for my $e (grep { $_->{name} eq 'sched_switch' && $_->{cpu_id} == 0 && $_->{time} > $woken && $_->{time} <= $runs } @{ trace_events('preempt') }) {
		$owner{$had} += $e->{time} - $at;
		($at, $had) = ($e->{time}, $e->{next_tid});
	}
	my @i = @{ ask('states', $trace, '--thread', 547)->{intervals} };
	is(join(' ', map { "$_->{state} $_->{from} $_->{to}" } @i[0, 1]), "new $fork $woken wait-cpu $woken $runs", '… in its states');
	my $cpu = ask('why', $trace, '--thread', 547, '--from', $woken, '--to', $runs);
	is("@{[ map { $_->{phase} } @{ $cpu->{phases} } ]}", 'wait-cpu', '… in its account');
	is($cpu->{phases}[0]{time}, sum0(values %owner), '… for the time that others had the CPU');
	my ($victim) = map { $_->{time} } grep { $_->{what} eq 'thread' && $_->{tid} == 546 } @{ $cpu->{blame} };
	my $upon = sum0(map { $_->{time} } grep { $_->{what} =~ /^(?:irq|softirq|timer|ipi)$/ } @{ $cpu->{blame} });
	cmp_ok($victim, '<=', $owner{546}, '… wk-victim most of it');
	cmp_ok($victim + $upon, '>=', $owner{546}, '… except for interrupts');
	my @path = @{ ask('path', $trace, '--thread', 547, '--from', $fork, '--to', $runs)->{segments} };
	is(join(' ', map { "$_->{kind} $_->{tid} $_->{from} $_->{to}" } @path), "running 546 $fork $woken wait-cpu 547 $woken $runs", '… on its path: its creator, then the CPU');
	like($path[1]{what}, qr/^ran instead: wk-victim\[546\]/, '… with the culprit');
	my ($cause) = grep { $_->{kind} eq 'wait-cpu' && $_->{name} eq 'wk-victim' } @{ ask('causes', $trace, '--thread', 547)->{causes} };
	is("$cause->{longest} $cause->{longest_end}", "$victim $runs", '… among its causes');
	my ($late) = grep { $_->{part} eq 'wakeup' } @{ ask('info', $trace, '--top')->{top} };
	is("$late->{time} $late->{from}", ($runs - $woken) . " $woken", '… first among late wake-ups');
}

# ---- by hand: shares of a life ----

# wk-rt leaves its CPU for good at its last switch; its parent reaps it 18.7 ms later.
{
	my $trace = sample('preempt');
	my ($gone) = map { $_->{time} } grep { $_->{name} eq 'sched_switch' && $_->{prev_tid} == 547 && !($_->{prev_state} =~ /^(?:0|1|2|128)$/) } @{ trace_events('preempt') };
	my ($born) = map { $_->{time} } grep { ($_->{child_tid} // '') eq '547' } @{ trace_events('preempt') };
	my $why = ask('why', $trace, '--thread', 547);
	is("$why->{from} $why->{to}", "$born $gone", 'the account of a life ends with the exit');
	is(scalar(grep { $_->{phase} eq 'absent' } @{ $why->{phases} }), 0, '… and has no time after it');
	my ($line) = grep { $_->{part} eq 'waiting' && $_->{name} eq 'wk-rt[547]' } @{ ask('info', $trace, '--top')->{top} };
	is(sprintf('%.6f', $line->{share}), sprintf('%.6f', $line->{time} / ($gone - $born)), '… as does a share of it');
}

# ---- by hand: holders of a lock ----

# The events for check_locks(), in the form of trace_events(), of a trace.dat.
sub report_events {
	my ($file) = @_;
	my @events;
	for (`trace-cmd report -t '$file' 2>/dev/null`) {
		my ($tid, $cpu, $s, $ns, $name, $rest) = /-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+):\s*(.*)/ or next;
		my %e = (name => $name, cpu_id => $cpu + 0, time => "$s$ns" + 0);
		if ($name eq 'sched_switch') {
			my ($state, $comm, $next) = $rest =~ /\] (\S+) ==> (.*):(\d+) \[/ or die $_;
			@e{qw(prev_state next_comm next_tid)} = ($state eq 'S' ? 1 : 0, $comm, $next);
		} elsif ($name eq 'sched_waking') {
			($e{tid}) = $rest =~ / pid=(\d+)/;
		} elsif ($name eq 'sys_enter_futex') {
			my ($op, $address) = $rest =~ /op=FUTEX_(\w+)\S* uaddr=0x(\w+)/ or next;
			@e{qw(name op uaddr)} = ('syscall_entry_futex', $op eq 'WAIT' ? 0 : $op eq 'WAKE' ? 1 : 9, hex $address);
		} elsif ($name eq 'sys_exit_futex') {
			$e{name} = 'syscall_exit_futex';
		} else {
			next;
		}
		push @events, \%e;
	}
	return \@events;
}

# For each futex wait in EVENTS that slept: the thread that released it by FUTEX_WAKE meanwhile has held it since the previous release.  JOINS: a
# thread that joins others.
sub check_locks {
	my ($trace, $events, $joins) = @_;
	my (%on, %in, %asleep, @all, @releases, %name);
	for my $e (@$events) {
		my $cpu = $e->{cpu_id};
		if ($e->{name} eq 'sched_switch') {
			$asleep{ $on{$cpu} } //= $e->{time} if $on{$cpu} && $in{ $on{$cpu} } && $e->{prev_state} == 1;
			$on{$cpu} = $e->{next_tid};
			$name{ $e->{next_tid} } = $e->{next_comm};
		} elsif ($e->{name} eq 'syscall_entry_futex' && $on{$cpu}) {
			$in{ $on{$cpu} } = { start => $e->{time}, tid => $on{$cpu}, address => $e->{uaddr} } if ($e->{op} & 0x7f) == 0;
			$on{"wakes $cpu"} = ($e->{op} & 0x7f) == 1 ? $e->{uaddr} : undef;
		} elsif ($e->{name} eq 'sched_waking' && $on{$cpu} && defined $on{"wakes $cpu"}) {
			push @releases, { time => $e->{time}, by => $on{$cpu}, address => $on{"wakes $cpu"} };
			$in{ $e->{tid} }{woken} = $e->{time} if $in{ $e->{tid} };
		} elsif ($e->{name} eq 'syscall_exit_futex' && $on{$cpu}) {
			my $wait = delete $in{ $on{$cpu} };
			my $slept = delete $asleep{ $on{$cpu} };
			push @all, { %$wait, end => $e->{time}, slept => $slept } if $wait && $wait->{woken} && $slept;
			$on{"wakes $cpu"} = undef;
		}
	}
	my %said = map { ("$_->{tid} $_->{start}" => $_) } @{ ask('latency', $trace, '--kind', 'futex', '--top', 0)->{worst} };
	cmp_ok(scalar(@all), '>', 5, 'locks: waits that slept');
	for my $w (@all) {
		my ($at, %held) = ($w->{slept});
		for my $r (grep { $_->{address} eq $w->{address} && $_->{time} > $w->{slept} && $_->{time} <= $w->{woken} } @releases) {
			$held{ $r->{by} } += $r->{time} - $at;
			$at = $r->{time};
		}
		my @longest = sort { $held{$b} <=> $held{$a} } keys %held;
		my $others = @longest > 2 ? ' and ' . (@longest - 2) . ' other' . (@longest > 3 ? 's' : '') : '';
		my $is = join(', ', map { "$name{$_}\[$_\] " . ($_ == $longest[0] ? 'held it ' : '') . duration($held{$_}) } @longest[0 .. ($#longest > 1 ? 1 : $#longest)]) . $others;
		my $case = $said{"$w->{tid} $w->{start}"};
		like($case->{cause}, qr/^\Q$is\E: futex 0x[0-9a-f]+ \(inferred\)/, "… $w->{tid} at $w->{start}: the holder, and how long it held the lock");
		is($case->{key}, sprintf('0x%x', $w->{address}), '… and its address');
	}
	is(scalar(grep { $_->{tid} == $joins } values %said), 0, '… a thread that joins others waits for no lock');
}

check_locks(sample('lockfight'), trace_events('lockfight'), 470);
SKIP: {
	my $file = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/a64-lockfight/trace.dat';
	skip 'the recording is not at hand, or there is no trace-cmd', 1 if !-f $file || system('command -v trace-cmd >/dev/null') != 0;
	check_locks($file, report_events($file), 310);	# no event gives its processes
}

# ---- all answers about the same intervals ----

# Owner => ns: threads by TID, all others together.
sub owners { my %sum; $sum{$_->[0]} += $_->[1] for @_; return join ' ', map { "$_:$sum{$_}" } sort keys %sum }
sub of_why { return map { [ $_->{what} eq 'thread' && defined $_->{tid} ? "$_->{host}/$_->{tid}" : 'else', $_->{time} ] } @_ }
sub of_causes { return map { [ ($_->{subject} && $_->{subject}{type} eq 'thread' ? "$_->{subject}{host}/$_->{subject}{tid}" : 'else'), $_->{time} ] } @_ }

# Contradictions of path, why and causes of THREAD to its interval S, which its states call KIND, with DETAIL of a quota.
sub wrong_interval {
	my ($trace, $thread, $s, $kind, $quota) = @_;
	my @of = ('--thread', "$thread\@$s->{from}", inside($s));
	my ($why, $path, $causes) = (ask('why', $trace, @of), ask('path', $trace, @of), ask('causes', $trace, @of, '--by', 'thread', '--top', 0));
	return 'no answer' if !$why || !$path || !$causes;
	my $length = $s->{to} - $s->{from};
	my @phases = sort map { $_->{phase} } @{ $why->{phases} };
	my %kinds = map { $_->{kind} => 1 } @{ $causes->{causes} };
	my @wrong;
	push @wrong, "why: $_->[0] of $length" for grep { $_->[0] != $length } [ sum0 map { $_->{time} } @{ $why->{blame} } ];
	push @wrong, "causes: $_ of $length" for grep { $_ != $length } sum0 map { $_->{time} } @{ $causes->{causes} };
	push @wrong, "path: $_ of $length" for grep { $_ != $length } sum0 map { $_->{to} - $_->{from} } @{ $path->{segments} };
	if ($kind eq 'new') {	# its creator's, if that woke it; otherwise most likely the CPU's
		my $cpu = grep { $_ eq 'wait-cpu' } @phases;
		push @wrong, "why: @phases" if "@phases" !~ /^(?:blocked|wait-cpu)$/;
		push @wrong, "path: its own time" if !$cpu && grep { $_->{depth} == 0 && $_->{kind} !~ /^(?:blocked|unknown)$/ } @{ $path->{segments} };
		push @wrong, "causes: no wait for a CPU" if $cpu && join(' ', keys %kinds) ne 'wait-cpu';
		push @wrong, 'proved, though nothing tells when it was woken' if $cpu && grep { $_->{proved} } @{ $causes->{causes} };
		return @wrong;
	}
	push @wrong, "why: @phases" if grep { $_ ne $kind && !($kind eq 'wait-cpu' && $_ eq 'wake-up') } @phases;
	push @wrong, 'causes: ' . join(' ', sort keys %kinds) if join(' ', keys %kinds) ne $kind;
	push @wrong, "path: $_" for grep { $_ ne $kind } map { $_->{kind} } @{ $path->{segments} };
	if (defined $quota) {
		push @wrong, "why: $_" for grep { $_ ne $quota } map { $_->{name} } @{ $why->{blame} };
		push @wrong, "path: $_" for grep { $_ ne $quota } map { $_->{detail} } @{ $path->{segments} };
		push @wrong, "causes: $_" for grep { $_ ne $quota } map { $_->{name} } @{ $causes->{causes} };
		push @wrong, 'proved' if grep({ $_->{grade} ne 'inferred' } @{ $why->{blame} }) || grep { $_->{proved} } @{ $causes->{causes} };
		return @wrong;
	}
	my ($a, $b) = (owners(of_why(@{ $why->{blame} })), owners(of_causes(@{ $causes->{causes} })));
	push @wrong, "why: $a; causes: $b" if $a ne $b;
	my %weak = map { ("$_->{host}/$_->{tid}" => 1) } grep { $_->{what} eq 'thread' && $_->{grade} ne 'proved' } @{ $why->{blame} };
	for my $c (grep { $_->{subject} && $_->{subject}{type} eq 'thread' } @{ $causes->{causes} }) {
		my $who = "$c->{subject}{host}/$c->{subject}{tid}";
		push @wrong, "$who: causes proved $c->{proved}, why " . ($weak{$who} ? 'inferred' : 'proved') if !$c->{proved} ne !!$weak{$who};
	}
	return @wrong;
}

# Contradictions of the latency of the wait with S.
sub wrong_latency {
	my ($trace, $thread, $s, $kind, $all) = @_;
	return if $kind eq 'new';
	my $of = $s->{state} eq 'preempted' ? 'preempted' : 'wait-cpu';
	my $answer = $all->{$of} //= ask('latency', $trace, '--kind', $of, '--thread', $thread, '--top', 0) // { worst => [] };
	my ($case) = grep { $_->{start} <= $s->{from} && $_->{end} >= $s->{to} } @{ $answer->{worst} } or return;
	my $throttled = sum0 map { $_->{time} } grep { $_->{what} eq 'throttled' } @{ $case->{blame} };
	return "latency: throttled for $throttled" if $kind eq 'throttled' ? $throttled < $s->{to} - $s->{from} : $throttled && $case->{start} == $s->{from} && $case->{end} == $s->{to};
	return "latency: $case->{cause}" if $kind eq 'throttled' && 2 * $throttled > $case->{latency} && $case->{cause} !~ /^throttled /;
	return;
}

# Contradictions on the screen in the middle of S: in the state bar, and then in the pane of waits.
sub wrong_screen {
	my ($trace, $thread, $s, $kind) = @_;
	my ($script, $bar, $pane) = map { "$ENV{TMPDIR}/one_cause.$_" } qw(script bar pane);
	my $at = int(($s->{from} + $s->{to}) / 2);
	spew($script, join "\n", 'size 160 40', 'g', "\"$at\"", 'Enter', "dump $bar", 'Enter', "dump $pane", 'quit', '');
	my $run = wakepath('view', $trace, '--fresh', '--thread', "$thread\@$s->{from}", '--script', $script);
	return "view: $run->{err}" if $run->{status};
	my ($state) = reverse slurp($bar) =~ /^ \S.*?\[\d+\]  (\S+) +(?:\(.*?\) +)?for /mg;
	my ($title) = slurp($pane) =~ /(was preempted for|waited for a CPU for|had no CPU for)/;
	my @wrong;
	push @wrong, 'state bar: ' . ($state // 'nothing') if ($state // '') ne $kind;
	my %titles = (throttled => 'had no CPU for', preempted => 'was preempted for', 'wait-cpu' => 'waited for a CPU for');
	push @wrong, 'pane: ' . ($title // 'nothing') if $titles{$kind} && ($title // '') ne $titles{$kind} && !(defined $title && $title eq $titles{throttled});
	return @wrong;
}

# Causes that are lost time of any thread (docs/cli.md).  Other waits for threads and interrupts are lost time only of a thread that works.
sub always_lost { my ($c) = @_; return $c->{kind} =~ /^(?:preempted|wait-cpu|throttled|ipi-wait|waiting|memory|block)$/ || $c->{name} =~ /^late: / }

# The overview's lines of TRACE that differ from the sum of the causes that are lost time, or from the longest latency, of their thread.
sub wrong_overview {
	my ($trace, $threads) = @_;
	my $info = ask('info', $trace, '--top') or return 'no overview';
	my @wrong;
	for my $line (grep { $_->{part} eq 'waiting' } @{ $info->{top} }) {
		my ($tid) = $line->{name} =~ /\[(\d+)\]$/ or next;
		my $causes = ask('causes', $trace, '--thread', ($line->{host} ? "$line->{host}/" : '') . "$tid\@$line->{from}", '--top', 0) or next;
		my $least = sum0 map { $_->{time} } grep { always_lost($_) } @{ $causes->{causes} };
		my $most = sum0 map { $_->{time} } grep { $_->{name} ne 'own sleep' } @{ $causes->{causes} };
		my ($t) = grep { $_->{tid} == $tid && $_->{host} eq ($line->{host} // $_->{host}) } @{ $threads->{threads} };
		my $stolen = sum0 @{ $t->{states} }{qw(vcpu-preempted vcpu-exit)};
		push @wrong, "overview: $line->{name} lost $line->{time}, causes $least to $most, stolen $stolen" if $line->{time} < $least || $line->{time} > $most + $stolen;
	}
	my ($latest) = grep { $_->{part} eq 'wakeup' } @{ $info->{top} };
	my ($thread) = $latest ? $latest->{name} =~ /^((?:.*\/)?).*\[(\d+)\]$/ ? "$1$2\@$latest->{from}" : undef : undef;
	my $latency = $thread && ask('latency', $trace, '--kind', 'wakeup', '--thread', $thread, '--top', 1);
	push @wrong, "overview: latest $latest->{time}, latency $latency->{max}" if $latency && $latency->{max} != $latest->{time};
	return @wrong;
}

# causes and the account of each thread that reclaimed or compacted memory agree on the time that it waited in that.
sub wrong_memory {
	my ($trace) = @_;
	my (@wrong, $any);
	for my $t (grep { $_->{tid} } @{ (ask('threads', $trace) // {})->{threads} // [] }) {
		my $memory = ask('why', $trace, '--thread', name_of($t) . "\@$t->{first}")->{memory};
		my $causes = @$memory && ask('causes', $trace, '--thread', name_of($t) . "\@$t->{first}", '--top', 0) or next;
		my $waited = sum0 map { $_->{time} } grep { $_->{kind} eq 'memory' && $_->{name} =~ /^waited / } @{ $causes->{causes} };
		my $account = sum0 map { $_->{blocked} } @$memory;
		push @wrong, "@{[ name_of($t) ]}: causes $waited, why $account" if $waited != $account;
		$any = 1;
	}
	return $any ? @wrong : 'no thread reclaimed memory';
}

sub waited { my ($t) = @_; return $t->{states}{'wait-cpu'} + $t->{states}{preempted} + $t->{states}{new} }

sub check {
	my ($trace) = @_;
	my $threads = ask('threads', $trace) or return;
	my @all = sort { waited($b) <=> waited($a) || $a->{tid} <=> $b->{tid} } grep { $_->{tid} && waited($_) } @{ $threads->{threads} };
	my %seen;
	@all = grep { !$seen{ name_of($_) }++ } @all;
	splice @all, $ids if @all > $ids;
	my (@wrong, %kinds);
	for my $t (@all) {
		my $thread = name_of($t);
		my $states = ask('states', $trace, '--thread', "$thread\@$t->{first}") or next;
		my @is = sort { $b->{to} - $b->{from} <=> $a->{to} - $a->{from} } grep { $_->{state} =~ /^(?:wait-cpu|preempted|new)$/ } @{ $states->{intervals} };
		my %quota = map { $_->{detail} // '' => 1 } @is;
		my @throttled = grep { ($_->{detail} // '') =~ /^throttled/ } @is;
		my @chosen = grep { defined } @is[0 .. min($waits - 1, $#is)], @throttled[0 .. min(1, $#throttled)], grep { $_->{state} eq 'new' } @is;
		my (%once, %latencies);
		for my $s (grep { !$once{ $_->{from} }++ } @chosen) {
			my ($quota) = ($s->{detail} // '') =~ /^throttled: (.*)/;
			my $kind = defined $quota ? 'throttled' : $s->{state};
			$kinds{$kind}++;
			push @wrong, map { "$thread $kind $s->{from} to $s->{to}: $_" } wrong_interval($trace, $thread, $s, $kind, $quota), wrong_latency($trace, $thread, $s, $kind, \%latencies);
			push @wrong, map { "$thread $kind $s->{from}: $_" } wrong_screen($trace, $thread, $s, $kind) if $t == $all[0] && keys %once <= 2;
		}
	}
	push @wrong, wrong_overview($trace, $threads);
	my $told = join ', ', map { "$kinds{$_} $_" } sort keys %kinds;
	is(join("\n", @wrong), '', "$trace: $told") if @all;
	return \%kinds;
}

my $shared = $ENV{SHARED_TRACES} // '';
my $machines = "$shared/../recordings/machines";
my @traces = map { sample($_) } qw(preempt pipeline lockfight ioburst-ipi pulse imbalance lost-events pipeline-nowaking vm-preempt rpc-chain);
push @traces, grep { -e } map { "$shared/$_" } map { $_, "$_/trace.dat" } qw(inputs/throttled/lttng inputs/throttled/trace.dat inputs/preempt/lttng inputs/preempt/trace.dat inputs/preempt/perf.data inputs/rt-timerlat/lttng
	inputs/typed/typed-sched.dat inputs/typed/typed-perf-sched.data django hackbench mpi-busywait);
push @traces, grep { -e } map { ("$machines/$_/trace.dat", "$machines/$_/perf.data") } qw(x64-deadline a64-quota a64-perf-preempt x64-perf-sched x64-pi x64-ipi);
my $reclaim = "$ENV{TMPDIR}/reclaim.$$.txt";
gunzip("$ENV{TOP}/tests/app/memcg_reclaim.txt.gz" => $reclaim) or die $GunzipError;
push @traces, $reclaim;
my %all;
for my $trace (@traces) {
	my $kinds = check($trace) or next;
	$all{$_} += $kinds->{$_} for keys %$kinds;
}
is(join("\n", wrong_memory($reclaim)), '', 'waits in reclaim');
cmp_ok($all{$_} // 0, '>', $shared ? 5 : 1, "waits that are $_") for qw(preempted wait-cpu new), -d $shared ? 'throttled' : ();
done_testing();
