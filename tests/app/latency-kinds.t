#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each kind of latency against its definition, computed from babeltrace2's text: the number of cases, their sum, the longest, and those still open.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Wake;
use Oracle;
use File::Temp qw(tempdir);
use List::Util qw(sum0 max);
use Math::BigFloat;
use POSIX qw(ceil);
use Test::More;

sub ask { my ($kind, $trace, @more) = @_; return json_of(wakepath('latency', sample($trace), '--kind', $kind, '--format', 'json', @more)) }

# ---- the states of threads ----

# { kind => [[start, end], ...] }, { kind => number of those that are open at the end }; threads but the idle ones.
sub stays_of {
	my ($trace) = @_;
	my (%done, %open);
	my $begin = sub { my ($kind, $tid, $at) = @_; $open{$kind}{$tid} = $at };
	my $end = sub { my ($kind, $tid, $at) = @_; my $since = delete $open{$kind}{$tid}; push @{ $done{$kind} }, [$since, $at] if defined $since };
	my (%state, %early);	# by TID: running, blocked, runnable
	for my $e (@{ trace_events($trace) }) {
		if ($e->{name} eq 'sched_switch') {
			my ($prev, $next) = @$e{qw(prev_tid next_tid)};
			if ($prev) {
				my $runs = $e->{prev_state} == 0 || $e->{prev_state} & 0x100;
				my $dead = $e->{prev_state} & 0x30;
				$begin->('off-cpu', $prev, $e->{time}) if !$dead;
				$begin->('preempted', $prev, $e->{time}) if $runs;
				$state{$prev} = $runs ? 'runnable' : 'blocked';
				if (!$runs && !$dead && $early{$prev}) {	# woken on its way out: it never was blocked
					$begin->('wait-cpu', $prev, $e->{time});
					$state{$prev} = 'runnable';
				} elsif (!$runs && !$dead) {
					$begin->('blocked', $prev, $e->{time});
				}
				delete $early{$prev};
			}
			$end->($_, $next, $e->{time}) for qw(off-cpu preempted wait-cpu fork blocked);
			$state{$next} = 'running';
		} elsif ($e->{name} eq 'sched_waking') {
			my $tid = $e->{tid};
			my $was = $state{$tid} // 'unknown';
			$early{$tid} = 1 if $was eq 'running';
			next if $was eq 'running' || $was eq 'runnable';
			$end->('blocked', $tid, $e->{time});
			$begin->('wait-cpu', $tid, $e->{time});
			$state{$tid} = 'runnable';
		} elsif ($e->{name} eq 'sched_wakeup_new') {
			$begin->('wait-cpu', $e->{tid}, $e->{time});
			$state{ $e->{tid} } = 'runnable';
		} elsif ($e->{name} eq 'sched_process_fork') {
			$begin->('fork', $e->{child_tid}, $e->{time});
		} elsif ($e->{name} eq 'sched_wakeup') {
			delete $early{ $e->{tid} } if ($state{ $e->{tid} } // '') eq 'running';
		}
	}
	return (\%done, { map { $_ => scalar keys %{ $open{$_} } } keys %open });
}

sub compare {
	my ($trace, $kind, $cases, $unfinished, $dropped) = @_;
	my $l = ask($kind, $trace);
	my @lengths = sort { $b <=> $a } map { $_->[1] - $_->[0] } @$cases;
	is($l->{count}, scalar @lengths, "$trace: $kind: as many cases");
	is($l->{sum}, sum0(@lengths), '… with that sum');
	is($l->{max}, $lengths[0], '… the longest');
	my @up = reverse @lengths;
	my ($p25, $p75) = map { $up[ceil($_ * @up / 4) - 1] } 1, 3;
	my $fence = @up ? $p75 + 3 * ($p75 - $p25) : undef;
	is($l->{outliers}, scalar(grep { $_ > $fence } @up), '… the number of outliers');
	is($l->{outliers_over}, $fence, '… which are longer than the limit');
	is($l->{unfinished}, $unfinished, '… and the number of cases still open') if defined $unfinished;
	is($l->{dropped}, $dropped // 0, '… and dropped');
}

for my $trace (qw(preempt ioburst-ipi pipeline)) {
	my ($done, $open) = stays_of($trace);
	compare($trace, $_, $done->{$_} // [], $open->{$_} // 0) for qw(wait-cpu preempted off-cpu blocked fork);
}

# ---- events that belong together ----

# { kind => [[start, end], ...] }, { kind => number of cases open at the end }, of kinds that pair two events; all except timers and requests.
sub spans_of {
	my ($trace) = @_;
	my (%done, %open, %dead, %on);	# %on: the thread on each CPU
	for (@{ trace_events($trace) }) {
		next if $_->{name} ne 'sched_switch';
		$on{ $_->{cpu_id} } //= $_->{prev_tid} || "idle $_->{cpu_id}";	# the thread that ran before a CPU's first switch
	}
	my $begin = sub { my ($kind, $key, $at) = @_; $dead{$kind}++ if defined $open{$kind}{$key}; $open{$kind}{$key} = $at };
	my $end = sub { my ($kind, $key, $at) = @_; my $since = delete $open{$kind}{$key}; push @{ $done{$kind} }, [$since, $at] if defined $since };
	my (%call, %shared);
	for my $e (@{ trace_events($trace) }) {
		my ($name, $time, $cpu) = @$e{qw(name time cpu_id)};
		if ($name eq 'sched_switch') { $on{$cpu} = $e->{next_tid} || "idle $cpu" }
		elsif (Oracle::is_sigreturn($name, 'id = ' . ($e->{id} // '') . ',')) { }	# not a case
		elsif ($name =~ /^syscall_entry_(.*)/) {
			$begin->('syscall', $on{$cpu}, $time);
			$call{ $on{$cpu} } = $1;
			delete $open{futex}{ $on{$cpu} };
			$begin->('futex', $on{$cpu}, $time) if $1 eq 'futex' && grep { ($e->{op} & 0x7f) == $_ } 0, 6, 9, 11, 13;
			$shared{ $on{$cpu} } = $1 eq 'futex' && !($e->{op} & 0x80);
		} elsif ($name =~ /^syscall_exit_(.*)/) {
			next if !defined $call{ $on{$cpu} } || $call{ $on{$cpu} } ne $1;
			$end->($_, $on{$cpu}, $time) for qw(syscall futex);
		}
		elsif ($name eq 'sched_waking') {	# by a thread that ends, of a futex that is not private: pthread_join() waits for no lock
			delete $open{futex}{ $e->{tid} } if $shared{ $e->{tid} } && ($call{ $on{$cpu} } // '') eq 'exit';
		}
		elsif ($name eq 'irq_handler_entry') { $begin->('irq', "$cpu $e->{irq}", $time) }
		elsif ($name eq 'irq_handler_exit') { $end->('irq', "$cpu $e->{irq}", $time) }
		elsif ($name eq 'irq_softirq_raise') { $open{'softirq-raise'}{"$cpu $e->{vec}"} //= $time }
		elsif ($name eq 'irq_softirq_entry') { $end->('softirq-raise', "$cpu $e->{vec}", $time); $begin->('softirq', "$cpu $e->{vec}", $time) }
		elsif ($name eq 'irq_softirq_exit') { $end->('softirq', "$cpu $e->{vec}", $time) }
		elsif ($name eq 'workqueue_queue_work') { $begin->('work-queue', $e->{work}, $time) }
		elsif ($name eq 'workqueue_execute_start') { $end->('work-queue', $e->{work}, $time); $begin->('work', $e->{work}, $time) }
		elsif ($name eq 'workqueue_execute_end') { $end->('work', $e->{work}, $time) }
	}
	return (\%done, { map { $_ => scalar keys %{ $open{$_} } } keys %open }, \%dead, { map { $_ => [sort { $a <=> $b } values %{ $open{$_} }] } keys %open });
}

for my $trace (qw(ioburst-ipi pipeline preempt)) {
	my ($done, $open) = spans_of($trace);
	compare($trace, $_, $done->{$_} // [], $open->{$_} // 0) for qw(irq softirq softirq-raise work-queue work);
}
# A call without an exit, after which another one begins, is dropped.
my ($done, $open, $dead, $starts) = spans_of('lockfight');
# Open cases are listed with their begin, and the time from there to the last event.
my $last = trace_events('lockfight')->[-1]{time};
my $not_over = ask('syscall', 'lockfight', '--unfinished', '--top', 0);
is_deeply([map { $_->{start} } @{ $not_over->{open} }], $starts->{syscall}, 'lockfight: --unfinished lists the calls that did not return');
is(scalar @{ $not_over->{open} }, $not_over->{unfinished}, '… as many as the text says');
is_deeply([grep { $_->{start} + $_->{open_for} != $last } @{ $not_over->{open} }], [], '… open until the end');
is_deeply([map { "$_->{tid} $_->{key}" } grep { $_->{name} =~ /^wk-/ } @{ $not_over->{open} }], ['471 exit', '472 exit', '473 exit'], '… of these threads, in these calls');
is(scalar(() = wakepath('latency', sample('lockfight'), '--kind', 'syscall', '--unfinished', '--top', 2, '--format', 'csv')->{out} =~ /\n/g), 3, '… --top: the first ones');
is_deeply([map { $_->{start} } @{ ask('syscall', 'lockfight', '--unfinished', '--threshold', '500ms')->{open} }], [grep { $last - $_ >= 500e6 } @{ $starts->{syscall} }], '… --threshold');
is_deeply(ask('syscall', 'lockfight')->{open}, [], '… no list without the option');
compare('lockfight', $_, $done->{$_}, $open->{$_} // 0, $dead->{$_}) for qw(syscall futex);

# The open cases of a rule: a thread that exits does not return.
my $rules = tempdir(CLEANUP => 1) . '/gone.rules';
spew($rules, "[gone]\nentry = syscall_entry_exit\nexit = syscall_exit_write\nkey = \$tid\n");
my $gone = json_of(wakepath('latency', sample('lockfight'), '--rules', $rules, '--unfinished', '--top', 0, '--format', 'json'))->{rules}[0];
my @exits = map { $_->{time} } grep { $_->{name} eq 'syscall_entry_exit' } @{ trace_events('lockfight') };
is_deeply([map { $_->{start} } @{ $gone->{open} }], \@exits, 'lockfight: the open cases of a rule');
is_deeply([map { "$_->{tid} $_->{key}" } @{ $gone->{open} }], ['471 471', '472 472', '473 473'], '… its threads and keys');

# From the interrupt to the return of the thread it woke, of lockfight by hand: the timer that 471 sleeps for expires in the vector at
# …994.062354105, others have the CPU until …074722325, and clock_nanosleep ends at …074727235.
# [1795168994.062354105] x86_irq_vectors_local_timer_entry: { cpu_id = 1 }, { vector = 236 }
# [1795168994.062391075] sched_waking: { cpu_id = 1 }, { comm = "wk-fighter0", tid = 471, prio = 20, target_cpu = 1 }
# [1795168994.074722325] sched_switch: { cpu_id = 1 }, { prev_comm = "wk-fighter1", …, next_comm = "wk-fighter0", next_tid = 471, next_prio = 20 }
# [1795168994.074727235] syscall_exit_clock_nanosleep: { cpu_id = 1 }, { ret = 0, rmtp = 0 }
my $return = ask('irq-to-user', 'lockfight', '--top', 100);
is_deeply([map { "$_->{start} $_->{end} $_->{tid} $_->{cpu} $_->{key}" } grep { $_->{end} == 1795168994074727235 } @{ $return->{worst} }],
	['1795168994062354105 1795168994074727235 471 1 local_timer'], 'irq-to-user of lockfight by hand');
is("$return->{count} $return->{sum} $return->{unfinished} $return->{dropped}", '15 72124830 0 0', '… and of all threads, against another count');
like(wakepath('latency', sample('ioburst-ipi'), '--kind', 'irq-to-user')->{err}, qr/no syscall_entry_\* was recorded, .*; record it with: lttng enable-event -k --syscall --all/,
	'… without system calls: a hint what to record');

# An hrtimer is due at its last "expires", by CLOCK_MONOTONIC, which is LTTng's clock: its cycles.
sub timers_of {
	my ($trace) = @_;
	my (%armed, %known, @all);
	my $last = 0;
	open my $f, '-|', 'babeltrace2', '--clock-cycles', sample($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		$last = $1 if $line =~ /^\[0*(\d+)\]/;
		my ($now, $verb, $timer) = $line =~ /^\[0*(\d+)\] .*\btimer_hrtimer_(start|cancel|init|expire_entry): .*\bhrtimer = (0x\w+)/ or next;
		if ($verb eq 'start') {
			($armed{$timer}) = $line =~ /\bexpires = (-?\d+)/;
		} elsif ($verb eq 'expire_entry') {
			push @all, [$armed{$timer} > $now ? $now : $armed{$timer}, $now] if defined $armed{$timer};
			$known{$timer} = 1 if defined $armed{$timer};
			delete $armed{$timer};
		} else {
			delete $armed{$timer};
		}
	}
	close $f;
	# A timer that expired before is due by that clock; it may be overdue as the trace ends.
	return (\@all, scalar grep { $known{$_} && $armed{$_} <= $last } keys %armed);
}
compare($_, 'timer', timers_of($_)) for qw(ioburst-ipi pulse preempt);

# Requests with data, of one disk, each of sectors of its own while it is in flight; ours are not merged.  A write whose cache is flushed after it
# completes once more then, with no sectors: the write of sector 524624, issued at …829511030, with its data there at …829917580, ends at …830085610.
sub requests_of {
	my ($trace) = @_;
	my (%bio, %rq, %done);
	for my $e (@{ trace_events($trace) }) {
		next if $e->{name} !~ /^block_/;
		my $key = "$e->{dev} $e->{sector}";
		if (!$e->{nr_sector}) {
			my ($last) = grep { $_->[2] eq $key } @{ $done{block} // [] };
			$last->[1] = $e->{time} if $last && $e->{name} eq 'block_rq_complete';
			next;
		}
		if ($e->{name} eq 'block_bio_queue') { $bio{$key} = $e->{time} }
		elsif ($e->{name} eq 'block_getrq') { $rq{$key} = { queued => delete $bio{$key} // $e->{time} } }
		elsif ($e->{name} eq 'block_rq_issue') { $rq{$key}{first} //= $e->{time}; $rq{$key}{issued} = $e->{time} }
		elsif ($e->{name} eq 'block_rq_complete') {
			my $r = delete $rq{$key} or next;
			unshift @{ $done{block} }, [$r->{queued}, $e->{time}, $key] if defined $r->{queued};
			push @{ $done{'block-queue'} }, [$r->{queued}, $r->{first}] if defined $r->{queued} && defined $r->{first};
			push @{ $done{'block-device'} }, [$r->{issued}, $e->{time}] if defined $r->{issued};
		}
	}
	return \%done;
}
my $requests = requests_of('ioburst-ipi');
for my $kind (qw(block block-queue block-device)) {
	my @flushes = map { [$_->{start}, $_->{end}] } grep { $_->{key} =~ /flush$/ } @{ ask($kind, 'ioburst-ipi', '--top', 1000)->{worst} };
	is(scalar @flushes, $kind eq 'block-device' ? 2 : 0, "ioburst-ipi: $kind: flushes of the disk's cache, which have no bio");
	compare('ioburst-ipi', $kind, [@{ $requests->{$kind} }, @flushes], 0);
}

# ---- by hand ----

# sched_process_fork of wk-rt at …480042545, sched_wakeup_new at …480072125; first switched in at …493726285.
my $l = ask('fork', 'preempt', '--top', 1);
is_deeply([@{ $l->{worst}[0] }{qw(start end latency tid)}], [1795169015480042545, 1795169015493726285, 13683740, 547], 'preempt: a fork by hand');
is(sum0(map { $_->{time} } @{ $l->{worst}[0]{blame} }), 13683740, '… all of it accounted for');

# ---- packets between hosts ----

# The packets of host HOST in EVENT: "id, seq and ack of TCP" => times; its checksum is made after it was sent.
sub packets_of {
	my ($host, $event) = @_;
	my %of;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample('rpc-chain') . "/$host" or die "babeltrace2: $!";
	while (my $line = <$f>) {
		next if $line !~ /^\[(\d+)\.(\d{9})\] .* $event: /;
		my $time = $1 . $2;
		push @{ $of{"$1 $2 $3"} }, $time if $line =~ /tot_len = \d+, id = (\w+),.* seq = (\d+), ack_seq = (\d+),/;
	}
	close $f;
	return \%of;
}
$l = ask('network', 'rpc-chain', '--top', 100000);
my %clock = map { $_->{host} => $_ } @{ json_of(wakepath('sync', sample('rpc-chain'), '--format', 'json'))->{hosts} };
my ($sent, $received) = (packets_of('client', 'net_dev_queue'), packets_of('httpd', 'net_if_receive_skb'));
my @ways = map { my $p = $_; map { [$_, @{ $received->{$p} }] } @{ $sent->{$p} } } grep { $received->{$_} } sort keys %$sent;
my @told = sort { $a->{start} <=> $b->{start} } grep { $_->{key} eq 'client > httpd' } @{ $l->{worst} };
is(scalar @told, scalar @ways, 'rpc-chain: packets from client to httpd');
is_deeply([map { $_->{start} } @told], [sort { $a <=> $b } map { $_->[0] } @ways], '… sent at those times, by the first host\'s clock');
my $shown = sub { Math::BigFloat->new($_[0])->bmul($clock{httpd}{slope})->badd($clock{httpd}{offset_ns})->bfround(0)->bstr };
my %end = map { $_->[0] => $shown->($_->[1]) } @ways;
is(scalar(grep { abs($end{ $_->{start} } - $_->{end}) > 1 } @told), 0, '… and received at the times of httpd\'s clock');
is(wakepath('latency', sample('pipeline'), '--kind', 'network')->{status}, 1, 'one host alone has none');

# ---- groups ----

for (['wakeup', 'class'], ['blocked', 'key'], ['off-cpu', 'cpu'], ['preempted', 'thread'], ['wait-cpu', 'process'], ['wakeup', 'host'], ['off-cpu', 'name']) {
	my ($kind, $by) = @$_;
	my $g = ask($kind, 'preempt', '--by', $by);
	is($g->{by}, $by, "$kind by $by");
	is(sum0(map { $_->{count} } @{ $g->{groups} }), $g->{count}, '… the groups hold all cases');
	is(sum0(map { $_->{sum} } @{ $g->{groups} }), $g->{sum}, '… and all the time');
	is(sum0(map { $_->{unfinished} } @{ $g->{groups} }), $g->{unfinished}, '… and those still open');
	my @sums = map { $_->{sum} } @{ $g->{groups} };
	is_deeply(\@sums, [sort { $b <=> $a } @sums], '… longest total time first');
	is(scalar(grep { $_->{count} && ($_->{p50} < $_->{min} || $_->{p99} > $_->{max}) } @{ $g->{groups} }), 0, '… each with its own statistics');
}
# wk-rt is SCHED_FIFO; LTTng subtracts 100 from priorities, so its is below 0 in sched_switch.
my %real_time = map { ($_->{tid} => 1) } grep { $_->{name} eq 'sched_waking' && $_->{prio} < 0 && $_->{comm} eq 'wk-rt' } @{ trace_events('preempt') };
is_deeply([keys %real_time], [547], 'wk-rt is a real-time thread');
my ($class) = grep { $_->{name} eq 'real-time' } @{ ask('wakeup', 'preempt', '--by', 'class')->{groups} };
cmp_ok($class->{count}, '>=', scalar(grep { $_->{name} eq 'sched_waking' && $_->{tid} == 547 } @{ trace_events('preempt') }), '… and so are its wake-ups, apart');
is(wakepath('latency', sample('preempt'), '--kind', 'wakeup', '--by', 'key')->{status}, 2, 'a group that the kind does not have is refused');
is(wakepath('latency', sample('preempt'), '--kind', 'wakeup', '--by', 'colour')->{status}, 2, '… and so is a group that does not exist');

# ---- histograms ----

$l = ask('wakeup', 'preempt', '--linear');
my @widths = map { $_->{to} - $_->{from} } @{ $l->{histogram} };
is(scalar(grep { $_ != $widths[0] } @widths), 0, 'linear classes have equal width');
is(sum0(map { $_->{count} } @{ $l->{histogram} }), $l->{count}, '… and hold all cases');
cmp_ok($l->{histogram}[0]{from}, '<=', $l->{min}, '… from the shortest');
cmp_ok($l->{histogram}[-1]{to}, '>', $l->{max}, '… to the longest');

# ---- lost events ----

# babeltrace2 gives the place: from the previous packet to the next one with a known begin.  No case spans such a place.
my ($begin, @gaps);
my ($said) = qx(babeltrace2 --clock-seconds '@{[sample('lost-events')]}' 2>&1 >/dev/null);
for (split /\n/, $said) {
	push @gaps, [$1 . $2, $3 . $4] if /discarded \d+ events? .*between \[(\d+)\.(\d{9})\] and \[(\d+)\.(\d{9})\]/;
}
$l = ask('off-cpu', 'lost-events', '--top', 100000);
cmp_ok(scalar @gaps, '>', 0, 'lost-events: babeltrace2 reports gaps');
cmp_ok($l->{count}, '>', 0, '… there are cases');
is($l->{count}, scalar @{ $l->{worst} }, '… and all are listed');
is(scalar(grep { my $w = $_; grep { $w->{start} < $_->[0] && $w->{end} > $_->[1] } @gaps } @{ $l->{worst} }), 0, '… no case spans one');
cmp_ok($l->{dropped}, '>', 0, '… those that would have are counted as dropped');

# A case does not span a loss between events of its own CPU, either; each stream of that trace is one CPU.
my %gaps_of;
for (split /\n/, $said) {
	push @{ $gaps_of{$5} }, [$1 . $2, $3 . $4] if /discarded \d+ events? .*between \[(\d+)\.(\d{9})\] and \[(\d+)\.(\d{9})\] .*\/k_(\d+)"/;
}
for my $kind (qw(irq softirq softirq-raise)) {
	$l = ask($kind, 'lost-events', '--top', 100000);
	cmp_ok($l->{count}, '>', 0, "lost-events: $kind");
	is(scalar(grep { my $w = $_; grep { $w->{start} < $_->[0] && $w->{end} > $_->[1] } @{ $gaps_of{ $w->{cpu} } } } @{ $l->{worst} }), 0, '… no case spans a gap of its CPU');
}

# ---- events that were not recorded ----

for (['syscall', 'syscall_entry_\*', '--syscall --all'], ['futex', 'syscall_entry_\*', '--syscall']) {
	my ($kind, $event, $command) = @$_;
	my $r = wakepath('latency', sample('preempt'), '--kind', $kind);
	is($r->{status}, 1, "$kind without its events: exit status");
	is($r->{out}, '', '… no zeros');
	like($r->{err}, qr/\Awakepath: [^\n]*no $event was recorded[^\n]*lttng enable-event -k $command[^\n]*\n\z/, '… one line that says what to record');
}
is(wakepath('latency', sample('preempt'), '--kind', 'irq', '--thread', '547')->{status}, 2, 'interrupts belong to no thread');

# ---- stored answers ----

my $dir = "$ENV{TMPDIR}/kept";
my @ask = ('latency', sample('ioburst-ipi'), '--kind', 'softirq', '--index-dir', $dir, '--format', 'json');
my $first = wakepath(@ask);
my ($kept) = grep { /\.wps\z/ } files_below($dir);
ok(defined $kept, 'the result is stored beside the index');
my $whole = slurp($kept);
my $verified = wakepath('verify', '--index-dir', $dir, sample('ioburst-ipi'));
is($verified->{status}, 0, '… intact');
like($verified->{out}, qr/\.wps: intact: \d+ bytes, \d+ blocks, \d+ latencies$/m, '… and says so');
my $inode = (stat $kept)[1];
is(wakepath(@ask)->{out}, $first->{out}, '… read again: the same answer');
is((stat $kept)[1], $inode, '… from the same file');
my @wrong;
for my $at (9, 140, length($whole) - 20, map { int(length($whole) * $_ / 61) } 0 .. 60) {
	spew($kept, $whole);
	patch($kept, sub { substr $_, $at, 1, chr(ord(substr $_, $at, 1) ^ 0x81) });
	my $again = wakepath(@ask);
	push @wrong, "byte $at: $again->{status} $again->{err}" if $again->{out} ne $first->{out} || $again->{status};
}
is("@wrong", '', 'a damaged byte does not change the answer');
spew($kept, substr $whole, 0, length($whole) / 2);
is(wakepath(@ask)->{out}, $first->{out}, 'cut short: the same answer');
is(slurp($kept), $whole, '… and the file is complete again');

# Building the index writes the spans too, without statistics, which the first query adds.
sub bare {
	is(wakepath('index', '--force', '--quiet', '--index-dir', $dir, sample('ioburst-ipi'))->{status}, 0, 'the index is made again');
	return slurp($kept);
}
my $bare = bare();
cmp_ok(length $bare, '<', length $whole, 'its spans exist, without statistics');
$verified = wakepath('verify', '--index-dir', $dir, sample('ioburst-ipi'));
is($verified->{status}, 0, '… intact') or diag $verified->{out};
like($verified->{out}, qr/\.wps: intact: \d+ bytes, \d+ blocks, \d+ latencies$/m, '… and says so');
is(slurp($kept), $bare, '… without a query');
is(wakepath(@ask)->{out}, $first->{out}, 'the first query: the same answer');
is(slurp($kept), $whole, '… and the file that is made from the trace');
@wrong = ();
for my $at (9, 140, length($bare) - 20, map { int(length($bare) * $_ / 31) } 0 .. 30) {
	spew($kept, $bare);
	patch($kept, sub { substr $_, $at, 1, chr(ord(substr $_, $at, 1) ^ 0x81) });
	my $again = wakepath(@ask);
	push @wrong, "byte $at: $again->{status} $again->{err}" if $again->{out} ne $first->{out} || $again->{status} || slurp($kept) ne $whole;
}
is("@wrong", '', 'a damaged byte in these: the spans are read from the trace');
spew($kept, substr $bare, 0, length($bare) / 2);
is(wakepath('verify', '--index-dir', $dir, sample('ioburst-ipi'))->{status}, 3, 'cut short: verify reports it');
is(wakepath(@ask)->{out}, $first->{out}, '… and the answer does not change');
bare();
my ($pipeline, $foreign) = (wakepath('index', '--quiet', '--index-dir', "$dir-other", sample('pipeline')), grep { /\.wps\z/ } files_below("$dir-other"));
spew($kept, slurp($foreign));
is(wakepath(@ask)->{out}, $first->{out}, 'spans of another trace: the same answer');
unlink $kept;
mkdir $kept or die;
my $unkept = wakepath(@ask);
is($unkept->{out}, $first->{out}, 'where it cannot be stored: the same answer');
like($unkept->{err}, qr/wakepath finds latencies and causes again each time, because it cannot store them/, '… with a warning');
is_deeply([grep { /latencies\.wps/ } files_below($ENV{TMPDIR})], [], '… and no file is left');

done_testing;
