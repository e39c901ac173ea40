#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Queries in SQL: each of those below has the answer of an existing command, or of the text of babeltrace2, trace-cmd and perf.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0 max min);
use Test::More;

my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';

# The rows of QUERY on TRACE, as lists.
sub rows {
	my ($trace, $query, @options) = @_;
	my $r = wakepath('sql', ref $trace ? @$trace : $trace, $query, '--format', 'json', @options);
	is($r->{status}, 0, $query) or diag($r->{err});
	return $r->{status} ? [] : json_of($r)->{rows};
}
sub one { return rows(@_)->[0] // [] }
# A table of the last column by the others.
sub by { return { map { join(' ', map { $_ // '-' } @$_[0 .. $#$_ - 1]) => $_->[-1] } @{ rows(@_) } } }

sub wakeups_of { my ($trace) = @_; my @all;
	for my $t (@{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} }) {
		next if !$t->{wakeups};
		my $r = wakepath('wakeups', $trace, '--thread', sprintf('%d@%d', $t->{tid}, $t->{first}), '--format', 'json');
		$r = wakepath('wakeups', $trace, '--thread', $t->{tid}, '--format', 'json') if $r->{status};
		push @all, map { { %$_, name => $t->{name} } } @{ json_of($r)->{wakeups} };
	}
	return \@all;
}
sub count_by { my ($of, @all) = @_; my %n; $n{ $of->($_) }++ for @all; return \%n }
sub rank { my ($p, @sorted) = @_; return $sorted[ max(1, POSIX::ceil($p * @sorted - 1e-9)) - 1 ] }

my $disk = sample('ioburst-ipi');
my $pipeline = sample('pipeline');
my $locks = sample('lockfight');
my $rpc = sample('rpc-chain');

# ---- events, against babeltrace2 ----

for my $name (qw(ioburst-ipi lockfight)) {
	my @events = @{ trace_events($name) };
	my @switches = grep { $_->{name} eq 'sched_switch' } @events;
	is_deeply(by(sample($name), 'SELECT next_comm, count(*) FROM sched_switch GROUP BY 1'), count_by(sub { $_[0]{next_comm} }, @switches), '… as babeltrace2 counts them');
	is_deeply([ map { $_->[0] } @{ rows(sample($name), 'SELECT count(*) FROM sched_switch') } ], [ scalar @switches ], '… all of them');
	is(one(sample($name), 'SELECT count(*) FROM sched_switch WHERE 1')->[0], scalar @switches, '… also by the rows');
	is_deeply(by(sample($name), 'SELECT name, count(*) FROM event GROUP BY 1'), count_by(sub { $_[0]{name} }, @events), '… of each type');
	is_deeply(by(sample($name), "SELECT name, events FROM (SELECT \"table\" name, events FROM wakepath_tables WHERE type = 'events' AND events > 0)"),
		count_by(sub { $_[0]{name} }, @events), '… in the list of tables');
	my @from = map { $switches[$_]{time} } (int(@switches / 3), int(@switches / 2));
	is(one(sample($name), "SELECT count(*) FROM sched_switch WHERE ts >= $from[0] AND ts < $from[1]")->[0],
		scalar(grep { $_->{time} >= $from[0] && $_->{time} < $from[1] } @switches), '… of a window');
}
my @issued = grep { $_->{name} eq 'block_rq_issue' && $_->{nr_sector} > 0 } @{ trace_events('ioburst-ipi') };
my %powers;
for (@issued) {
	my $low = 1;
	$low *= 2 while $low * 2 <= $_->{nr_sector} * 512;
	$powers{ sprintf '[%d,%d)', $low, 2 * $low }++;
}
my %told = one($disk, 'SELECT quantize(nr_sector * 512) FROM block_rq_issue WHERE nr_sector > 0')->[0] =~ /(\S+) (\d+)/g;
is_deeply(\%told, \%powers, '… in classes by powers of two');
%told = one($disk, 'SELECT lquantize(nr_sector, 0, 64, 16) FROM block_rq_issue')->[0] =~ /(\S+) (\d+)/g;
is(sum0(values %told), scalar(grep { $_->{name} eq 'block_rq_issue' } @{ trace_events('ioburst-ipi') }), '… in classes of one width');
my @marks = grep { $_->{name} eq 'lttng_logger' } @{ trace_events('ioburst-ipi') };
is(one($disk, 'SELECT count(*) FROM mark')->[0], scalar @marks, 'marks');
is(one($disk, 'SELECT text FROM mark ORDER BY ts LIMIT 1')->[0], $marks[0]{msg}, '… with their texts');

# ---- wake-ups, against wakeups and latency ----

for my $trace ($disk, $locks) {
	my $all = wakeups_of($trace);
	my (%count, %time);
	for (@$all) {
		my $key = "$_->{source}{kind} $_->{source}{grade}";
		$count{$key}++;
		$time{$key} += $_->{time} - $_->{since} if defined $_->{since};
	}
	my $rows = rows($trace, 'SELECT kind, grade, count(*), sum(ts - since) FROM wakeup GROUP BY 1, 2');
	is_deeply({ map { ("$_->[0] $_->[1]" => $_->[2]) } @$rows }, \%count, '… as wakeups counts them');
	is_deeply({ map { ("$_->[0] $_->[1]" => $_->[3]) } grep { defined $_->[3] } @$rows }, \%time, '… and their time');

	my (%name, %futex);
	push @{ $name{ $_->{name} } }, $_->{latency} // () for @$all;
	my $top = rows($trace, 'SELECT t.name, count(latency) n, avg(latency), quantile(latency, .99) p99, max(latency) FROM wakeup JOIN thread t USING (utid) GROUP BY 1 ORDER BY 5 DESC LIMIT 20');
	for (grep { $_->[1] } @$top) {
		my @sorted = sort { $a <=> $b } @{ $name{ $_->[0] } };
		is_deeply([ @$_[1, 3, 4], sprintf '%.0f', $_->[2] ], [ scalar @sorted, rank(.99, @sorted), $sorted[-1], sprintf '%.0f', sum0(@sorted) / @sorted ], "… of $_->[0]");
	}
	my $all_latency = json_of(wakepath('latency', $trace, '--kind', 'wakeup', '--format', 'json'));
	my $same = one($trace, 'SELECT count(latency), quantile(latency, .5), quantile(latency, .9), quantile(latency, .99), max(latency), stddev(latency) FROM wakeup');
	is_deeply([ @$same[0 .. 4], sprintf '%.3f', $same->[5] ], [ @$all_latency{qw(count p50 p90 p99 max)}, sprintf '%.3f', $all_latency->{stddev} ], '… as latency has them');
	is_deeply(one($trace, 'SELECT host, quantile(latency, .99) FROM wakeup GROUP BY host ORDER BY 2 DESC'), [ 'solo', $all_latency->{p99} ], '… by host');
	is_deeply(by($trace, "SELECT kind, count(*) FROM latency WHERE kind IN ('wakeup', 'wait-cpu', 'preempted', 'blocked') GROUP BY 1"),
		{ map { my $k = json_of(wakepath('latency', $trace, '--kind', $_, '--format', 'json')); $k->{count} ? ($_ => $k->{count}) : () } qw(wakeup wait-cpu preempted blocked) },
		'… of each kind');

	my %pair;
	for (grep { $_->{source}{thread} } @$all) { $pair{"$_->{source}{thread}{tid} $_->{name}"}++ }
	is_deeply(by($trace, 'SELECT a.tid, b.name, count(*) FROM wakeup w JOIN thread a ON a.utid = w.by_utid JOIN thread b ON b.utid = w.utid GROUP BY 1, 2'), \%pair, '… by waker');

	for (@$all) {
		my $address = ($_->{source}{futex} // {})->{uaddr} // next;
		push @{ $futex{$address} }, $_->{time} - $_->{since};
	}
	is_deeply({ map { $_->[0] => [ @$_[1, 2] ] } @{ rows($trace, 'SELECT futex, count(*), sum(ts - since), count(DISTINCT by_utid) FROM wakeup WHERE futex IS NOT NULL GROUP BY 1 ORDER BY 3 DESC') } },
		{ map { $_ => [ scalar @{ $futex{$_} }, sum0 @{ $futex{$_} } ] } keys %futex }, '… by futex');
	my ($some) = grep { @{ $_->{source}{context} // [] } > 1 } @$all;
	is_deeply([ map { $_->[0] } @{ rows($trace, "SELECT name FROM hop WHERE ts = $some->{time} AND type <> 'thread' ORDER BY number") } ],
		[ map { $_->{name} } @{ $some->{source}{context} } ], '… hops') if $some;
}

# ---- states, against states and threads ----

for my $trace ($disk, $pipeline, $rpc) {
	my $threads = json_of(wakepath('threads', $trace, '--format', 'json'))->{threads};
	my %sum;
	for my $t (@$threads) { $sum{$_} += $t->{states}{$_} for grep { $t->{states}{$_} } keys %{ $t->{states} } }
	my $query = 'SELECT state, sum(dur) FROM thread_state GROUP BY state';
	# By another clock, sums and their parts are rounded differently: by up to a nanosecond for each interval.
	my $off = $trace eq $rpc ? 1e-6 : 0;
	for my $told (by($trace, $query), by($trace, $query =~ s/sum\(dur\)/sum(dur + 0)/r)) {
		is(join(' ', sort keys %$told), join(' ', sort keys %sum), '… all states');
		is(join(' ', grep { abs($told->{$_} - $sum{$_}) > $off * $sum{$_} } sort keys %$told), '', '… as threads sums them up');
	}
	my $each = 'SELECT utid, state, sum(dur) FROM thread_state GROUP BY utid, state';
	is_deeply(rows($trace, $each), rows($trace, $each =~ s/sum\(dur\)/sum(0 + dur)/r), '… of each thread');
	my $ran = sum0(map { $_->{cpu_time} } grep { !defined $_->{cpu} } @$threads);
	cmp_ok(abs(one($trace, 'SELECT sum(dur) FROM sched')->[0] - $ran), '<=', $off * $ran, '… the time on a CPU');
	is(one($trace, 'SELECT sum(cpu_time) FROM thread WHERE cpu IS NULL')->[0], $ran, '… of threads');
	my $busy = rows($trace, "SELECT w.ts, s.cpu, sum(min(s.ts + s.dur, w.ts + w.dur) - max(s.ts, w.ts)) * 1.0 / w.dur, w.dur FROM windows(ms('100ms')) w
		JOIN sched s ON s.ts < w.ts + w.dur AND s.ts + s.dur > w.ts WHERE s.utid <> 0 GROUP BY 1, 2");
	cmp_ok(abs(sum0(map { $_->[2] * $_->[3] } @$busy) - $ran), '<=', $off * $ran + 1, '… in windows');
	is(scalar(grep { $_->[2] > 1 } @$busy), 0, '… never more than exists') if $trace ne $rpc;	# several hosts
	for my $row (@{ rows($trace, "SELECT ts, dur, t.name, t.tid, t.host, t.first FROM thread_state JOIN thread t USING (utid) WHERE state = 'blocked' AND detail = 'uninterruptible' ORDER BY dur DESC LIMIT 3") }) {
		my @which = ('--thread', sprintf '%s/%d@%d', @$row[4, 3, 0]);
		my $r = wakepath('states', $trace, @which, '--from', $row->[0], '--to', $row->[0] + $row->[1], '--format', 'json');
		my $intervals = json_of($r)->{intervals};
		is_deeply([ map { [ @$_{qw(state detail)}, $_->{to} - $_->{from} ] } @$intervals ], [ [ 'blocked', 'uninterruptible', $row->[1] ] ], '… is such a state');
	}
}

# Some statements are answered from stored sums and counts.  A subquery never is, so each answer must equal that of its statement as a subquery.
my ($thread) = map { $_->[0] } @{ rows($pipeline, "SELECT utid FROM thread WHERE name = 'wk-stage0'") };
for my $query ('SELECT utid, state, sum(dur) FROM thread_state GROUP BY utid, state', 'SELECT state, sum(dur) FROM thread_state GROUP BY state ORDER BY 2 DESC', 'select SUM ( dur ) from thread_state',
	"SELECT sum(dur) FROM thread_state WHERE state = 'blocked'", "SELECT utid, sum(dur) FROM thread_state WHERE utid IN ($thread, 3) AND state <> 'blocked' GROUP BY 1",
	"SELECT state, sum(dur) FROM thread_state WHERE utid = $thread GROUP BY 1 HAVING sum(dur) > 1000000 ORDER BY sum(dur) DESC LIMIT 2", 'SELECT sum(dur), sum(dur) FROM thread_state -- a comment',
	'SELECT state, count(*), sum(dur) FROM thread_state GROUP BY state', 'SELECT state, sum(dur), max(dur) FROM thread_state GROUP BY state', 'SELECT state, sum(dur * 2) FROM thread_state GROUP BY state',
	'SELECT state, sum(dur) FROM thread_state WHERE dur > 1000 GROUP BY state', "SELECT state, sum(dur) FROM thread_state WHERE detail = 'interruptible' GROUP BY state",
	'SELECT cpu, sum(dur) FROM thread_state GROUP BY cpu', 'SELECT state, sum(dur) FROM thread_state, cpu GROUP BY state', 'SELECT state, sum(dur) FROM thread_state JOIN thread USING (utid) GROUP BY state',
	'SELECT state, sum(DISTINCT dur) FROM thread_state GROUP BY state', 'SELECT state, total(dur) FROM thread_state GROUP BY state', 'SELECT state, avg(dur) FROM thread_state GROUP BY state',
	"SELECT state, sum(dur) FROM thread_state WHERE utid > (SELECT min(utid) FROM thread) GROUP BY state", "SELECT 'thread_state', sum(dur) FROM thread_state WHERE state = 'sum(dur)'",
	'SELECT sum(dur) FROM sched', 'SELECT count(*) FROM sched_switch', 'SELECT count( * ) FROM SCHED_SWITCH', 'SELECT count(*) FROM sched_switch WHERE cpu = 0', 'SELECT count(*) + 1 FROM sched_switch',
	'SELECT count(*) FROM sched_switch LIMIT 0', 'SELECT count(*), cpu FROM sched_switch GROUP BY 2', 'SELECT count(*) FROM sched_switch, cpu', 'SELECT count(*) FROM thread') {
	my $order = $query =~ /ORDER/ ? sub { @_ } : sub { my $text = sub { join " ", map { $_ // "-" } @{ $_[0] } }; sort { $text->($a) cmp $text->($b) } @_ };
	is_deeply([ $order->(@{ rows($pipeline, $query) }) ], [ $order->(@{ rows($pipeline, 'SELECT * FROM (' . $query . "\n)") }) ], '… as within another');
}

# A window has the rows that begin in it, uncut.
my $all = rows($pipeline, 'SELECT ts, dur, utid, state FROM thread_state');
for (1 .. 20) {
	my ($a, $b) = map { $all->[ rand @$all ] } 1, 2;
	my ($from, $to) = ($a->[0] + ($_ % 3) - 1, $a->[0] + 1_000_000 * ($_ % 5) + 1);
	is_deeply(rows($pipeline, "SELECT ts, dur, utid, state FROM thread_state WHERE ts >= $from AND ts < $to"), [ grep { $_->[0] >= $from && $_->[0] < $to } @$all ], '… those of the window');
	is_deeply(rows($pipeline, "SELECT ts, dur, utid, state FROM thread_state WHERE utid IN ($b->[2], $a->[2], -1, 'x', NULL) AND ts > $from ORDER BY utid, ts"),
		[ grep { ($_->[2] == $a->[2] || $_->[2] == $b->[2]) && $_->[0] > $from } @$all ], '… of two threads');
}
my $sched = rows($pipeline, 'SELECT ts, dur, utid, cpu FROM sched');
for (1 .. 5) {
	my $a = $sched->[ rand @$sched ];
	my $from = $a->[0] + $_ % 3 - 1;
	is_deeply(rows($pipeline, "SELECT ts, dur, utid, cpu FROM sched WHERE ts >= $from AND utid = $a->[2]"), [ grep { $_->[0] >= $from && $_->[2] == $a->[2] } @$sched ], '… of one thread');
}

# Ends of rows: a table that finds rows by their end gives the rows that a filter on the sum selects from all.
for my $trace ($pipeline, $rpc, sample('vm-preempt'), sample('preempt')) {
	for my $table (qw(sched thread_state)) {
		my @by_end = map { rows($trace, "SELECT w.number, count(*), sum(s.ts % 1000003), sum(s.dur), count(DISTINCT s.utid) FROM windows(ms('7ms')) w JOIN $table s ON s.ts < w.ts + w.dur AND $_ GROUP BY 1") }
			's.ts + s.dur > w.ts', 's.ts + s.dur + 0 > w.ts', 'w.ts<s.ts+s.dur';
		cmp_ok(scalar @{ $by_end[0] }, '>', 5, '… rows');
		is_deeply($by_end[$_], $by_end[0], '… the same rows, found by their end') for 1, 2;
		@by_end = map { rows($trace, "SELECT w.number, count(*), sum(s.ts % 1000003) FROM windows(ms('7ms')) w JOIN $table s ON $_ >= w.ts AND s.ts < w.ts + 0.5 AND s.utid % 3 = 0 AND s.ts > w.ts - 100000000 GROUP BY 1") }
			's.ts + s.dur', '(s.ts + s.dur)';
		is_deeply($by_end[1], $by_end[0], '… also with other bounds');
	}
}
sub plan_of { return join ' ', map { $_->[3] } @{ rows($pipeline, "EXPLAIN QUERY PLAN $_[0]") } }
like(plan_of('SELECT 1 FROM windows(1000000) w, sched AS s WHERE s.ts + s.dur > w.ts'), qr/s VIRTUAL TABLE INDEX 0:\d+ e0/, 'a sum is searched for as an end');
unlike(plan_of($_), qr/ e0/, '… unless it is part of another term, or the name may be that of another table') for
	'SELECT 1 FROM windows(1000000) w, sched s WHERE 2 * s.ts + s.dur > w.ts',
	'SELECT 1 FROM windows(1000000) w, sched s WHERE s.ts + s.dur * 2 > w.ts',
	'SELECT 1 FROM windows(1000000) w, sched s WHERE w.ts - s.ts + s.dur > 0',
	'SELECT 1 FROM sched s WHERE EXISTS (SELECT 1 FROM irq s WHERE s.ts + s.dur > 5)',
	'SELECT 1 FROM sched s, (SELECT ts, dur, 1 AS ts_end FROM irq) t WHERE s.ts + s.dur > 5';
is_deeply(rows($pipeline, 'WITH sched AS (SELECT 3 AS ts, 4 AS dur) SELECT 1 FROM sched s WHERE s.ts + s.dur > 6'), [[1]], '… or another table has its name');

# ---- the users of the CPU ----

my $waited = one($pipeline, "SELECT sum(dur) FROM thread_state WHERE state IN ('wait-cpu', 'preempted') AND utid IN (SELECT utid FROM thread WHERE name GLOB 'wk-*')")->[0];
my $had = rows($pipeline, "SELECT b.name, sum(b.dur) FROM thread_state s, running_on(s.cpu, s.ts, s.ts + s.dur) b WHERE s.state IN ('wait-cpu', 'preempted')
	AND s.utid IN (SELECT utid FROM thread WHERE name GLOB 'wk-*') GROUP BY 1 ORDER BY 2 DESC");
is(sum0(map { $_->[1] } @$had), $waited, '… sums to the time waited');
my $span = one($pipeline, 'SELECT last - first FROM host')->[0];
is(one($pipeline, 'SELECT sum(dur) FROM running_on(0, 0, 9e18)')->[0], $span, 'running_on has a row for each moment of a CPU');
is(one($pipeline, "SELECT sum(dur) FROM running_on(0, 0, 9e18) WHERE what = 'thread'")->[0], one($pipeline, 'SELECT ran FROM cpu WHERE cpu = 0')->[0], '… and its threads sum to the time that the CPU ran');

# ---- interrupts, disks, system calls, against latency ----

sub latency { return json_of(wakepath('latency', $_[0], '--kind', $_[1], '--format', 'json', '--top', 0, @_[2 .. $#_])) }
my $irqs = rows($disk, 'SELECT name, count(*), sum(dur), max(dur) FROM irq GROUP BY 1 ORDER BY 1');
is_deeply($irqs, [ sort { $a->[0] cmp $b->[0] } map { [ $_->{name} =~ s/^\d+ //r, @$_{qw(count sum max)} ] } @{ latency($disk, 'irq', '--by', 'key')->{groups} } ], '… as latency has them');
is_deeply(by($disk, 'SELECT name, sum(dur) FROM softirq GROUP BY 1'), { map { $_->{name} => $_->{sum} } @{ latency($disk, 'softirq', '--by', 'key')->{groups} } }, '… as latency has them');
is_deeply(one($disk, 'SELECT count(*), max(late) FROM timer'), [ @{ latency($disk, 'timer') }{qw(count max)} ], '… as latency has them');
is_deeply(one($disk, 'SELECT count(*), sum(dur) FROM work'), [ @{ latency($disk, 'work') }{qw(count sum)} ], '… as latency has them');
my $requests = rows($disk, 'SELECT device, op, count(*), quantile(issued - queued, .99), quantile(device_to - device_from, .99) FROM request_block GROUP BY 1, 2');
for my $kind ([ 'block-queue', 3 ], [ 'block-device', 4 ]) {
	my %p99 = map { $_->{name} => $_->{p99} } @{ latency($disk, $kind->[0], '--by', 'key')->{groups} };
	is_deeply({ map { ("$_->[0] $_->[1]" => $_->[ $kind->[1] ]) } grep { defined $_->[ $kind->[1] ] } @$requests }, \%p99, "… as latency has them: $kind->[0]");
}
my $calls = latency($locks, 'syscall', '--by', 'call');
SKIP: {
	skip 'no system calls', 2 if !$calls->{count};
	my @exits = grep { $_->{name} =~ /^syscall_exit_/ } @{ trace_events('lockfight') };
	my $rows = rows($locks, 'SELECT s.name, count(*), sum(dur), quantile(dur, .99), sum(ret < 0) FROM syscall s GROUP BY 1 ORDER BY 3 DESC');
	is_deeply([ sort { $a->[0] cmp $b->[0] } map { [ @$_[0 .. 3] ] } @$rows ], [ sort { $a->[0] cmp $b->[0] } map { [ @$_{qw(name count sum p99)} ] } grep { $_->{count} } @{ $calls->{groups} } ], '… as latency has them');
	my %failed;
	$failed{ $_->{name} =~ s/^syscall_exit_//r } += $_->{ret} =~ /^-/ ? 1 : 0 for @exits;
	is_deeply({ map { $_->[0] => $_->[4] } @$rows }, { map { $_->[0] => $failed{ $_->[0] } } @$rows }, '… with the failures that babeltrace2 counts');
}

# ---- packets and requests ----

my $asked = json_of(wakepath('requests', $rpc, '--format', 'json'))->{requests};
is(one($rpc, 'SELECT count(*) FROM request_net')->[0], scalar @$asked, '… as requests has them');
my ($long) = sort { $b->[1] <=> $a->[1] } @{ rows($rpc, "SELECT ts, dur, utid, t.host || '/' || t.tid FROM request_net r JOIN thread t USING (utid) WHERE r.dur > ms('20ms')") };
SKIP: {
	skip 'every request is short', 3 if !$long;
	my $path = json_of(wakepath('path', $rpc, '--thread', sprintf('%s@%d', $long->[3], $long->[0]), '--from', $long->[0], '--to', $long->[0] + $long->[1], '--format', 'json'));
	my %sum;
	$sum{"$_->{actor}{name} $_->{kind}"} += $_->{to} - $_->{from} for @{ $path->{segments} };
	is_deeply(by($rpc, "SELECT p.name, p.kind, sum(p.dur) FROM path($long->[2], $long->[0], $long->[0] + $long->[1]) p GROUP BY 1, 2"), \%sum, '… as path has it');
	is(one($rpc, "SELECT sum(dur) FROM blame($long->[2], $long->[0], $long->[0] + $long->[1])")->[0], $long->[1], 'an account has all of its time');
}
my $paths = rows($rpc, "SELECT p.actor, p.kind, sum(p.dur) FROM request_net r, path(r.utid, r.ts, r.ts + r.dur) p WHERE r.dur > ms('20ms') GROUP BY 1, 2 ORDER BY 3 DESC");
cmp_ok(scalar @$paths, '>', 0, 'paths of requests');
my @queued = grep { $_->{name} eq 'net_dev_queue' } @{ trace_events('rpc-chain') };
is(one($rpc, 'SELECT count(*) FROM net_dev_queue')->[0], scalar @queued, '… on three hosts');
is(one($rpc, 'SELECT count(*) FROM packet WHERE NOT received')->[0], scalar @queued, '… all of them sent');

# ---- functions ----

is_deeply(one($pipeline, "SELECT ms('2.5ms'), ms('1s'), at('+6s') - at('+4s'), hms(at('10:03:05.16')), at(NULL), hms(NULL)"),
	[ 2_500_000, 1_000_000_000, 2_000_000_000, '10:03:05.160000000', undef, undef ], 'times');
is_deeply(one($pipeline, "WITH v(x, t) AS (VALUES (5, 3), (1, 1), (NULL, 0), (9, 9)) SELECT quantile(x, 0), quantile(x, .5), quantile(x, 1), quantile(x + .5, .5), first(x, t), last(x, t), quantize(x), quantize(-x), lquantize(x, 2, 8, 3) FROM v WHERE x IS NOT NULL OR t = 0"),
	[ 1, 5, 9, 5.5, undef, 9, '[1,2) 1  [4,8) 1  [8,16) 1', '(-16,-8] 1  (-8,-4] 1  (-2,-1] 1', '<2 1  [5,8) 1  >=8 1' ], 'of many rows');
is(sprintf('%.6f', one($pipeline, 'SELECT stddev(x) FROM (SELECT 2 x UNION ALL SELECT 4 UNION ALL SELECT 4 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 5 UNION ALL SELECT 7 UNION ALL SELECT 9)')->[0]), '2.000000', 'of the population');
is_deeply(one($pipeline, 'SELECT quantile(x, .5), stddev(x), quantize(x), lquantize(x, 0, 1, 1), first(x, 1), last(x, 1) FROM (SELECT 1 x WHERE 0)'), [ (undef) x 6 ], 'of no row');
is(one($pipeline, "SELECT sum(dur) FROM windows(ms('30ms'))")->[0], $span, 'windows');
my $a = "SELECT ts, dur, name, cpu FROM irq";
my $b = "SELECT ts, dur, utid, cpu FROM sched";
is_deeply(one($disk, "SELECT count(*), sum(dur) FROM overlap('$a', '$b')"),
	one($disk, "SELECT count(*), sum(min(a.ts + a.dur, b.ts + b.dur) - max(a.ts, b.ts)) FROM irq a JOIN sched b ON a.cpu = b.cpu AND a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur"), 'overlap');
is(one($disk, "SELECT count(*) FROM overlap('irq', 'softirq')")->[0], one($disk, 'SELECT count(*) FROM irq a JOIN softirq b ON a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur')->[0], '… of two tables');
is_deeply(one($disk, "SELECT count(*), sum(dur) FROM pairs('irq_handler_entry', 'irq_handler_exit', 'irq')"), one($disk, 'SELECT count(*), sum(dur) FROM irq'), 'pairs');

# ---- parameters, formats ----

is_deeply(one($pipeline, 'SELECT $utid, $cpu, $from - (SELECT first FROM host), $to - $from', '--thread', 'wk-stage0', '--cpu', 1, '--from', '+10ms', '--to', '+30ms'),
	[ one($pipeline, "SELECT utid FROM thread WHERE name = 'wk-stage0'")->[0], 1, 10_000_000, 20_000_000 ], 'parameters');
my $file = "$ENV{TMPDIR}/query.sql";
spew($file, "-- two statements\nSELECT 1 AS a;\n\nSELECT 'x,\"y' AS b, NULL AS c, 1.5 AS d;\n");
my $r = wakepath('sql', $pipeline, '--file', $file, '--format', 'csv');
is($r->{out}, "a\n1\n\nb,c,d\n\"x,\"\"y\",,1.5\n", 'two statements of a file');
is_deeply(json_of(wakepath('sql', $pipeline, '--file', $file, '--format', 'json')), { results => [ { columns => [ { name => 'a', type => 'integer' } ], rows => [ [1] ] },
	{ columns => [ { name => 'b', type => 'text' }, { name => 'c', type => undef }, { name => 'd', type => 'real' } ], rows => [ [ 'x,"y', undef, 1.5 ] ] } ] }, '… as JSON');
is_deeply(json_of(wakepath('sql', $pipeline, 'SELECT ts, dur, utid, state FROM thread_state LIMIT 0', '--format', 'json')),
	{ columns => [ map { { name => $_->[0], type => $_->[1] } } [qw(ts time)], [qw(dur duration)], [qw(utid integer)], [qw(state text)] ], rows => [] }, 'no rows');
like(wakepath('sql', $pipeline, "SELECT name, cpu_time FROM thread WHERE name = 'wk-stage0'", '--format', 'markdown')->{out}, qr/\A\| name \| cpu\\_time \|\n\|---\|---:\|\n\| wk-stage0 \| 52.9 ms \|\n\nMade by:\n/, 'Markdown');
my $out = "$ENV{TMPDIR}/out.csv";
is(wakepath('sql', $pipeline, 'SELECT 1', '--format', 'csv', '-o', $out)->{status} . slurp($out), "01\n1\n", 'a file');

# ---- rules ----

{
	my $rules = "$ENV{TOP}/docs/latency.rules";
	my @all = @{ json_of(wakepath('latency', $disk, '--rules', $rules, '--top', 0, '--format', 'json'))->{rules} };
	cmp_ok(scalar @all, '>=', 2, 'there are rules');
	for my $rule (@all) {
		my @cases = map { [ $_->{start}, $_->{latency}, $_->{key}, $_->{cpu} ] } @{ $rule->{worst} };
		my $got = rows($disk, "SELECT ts, dur, key, cpu FROM latency WHERE kind = '$rule->{kind}'", '--rules', $rules);
		is(scalar @$got, $rule->{count}, "$rule->{kind}: as many cases");
		my $text = sub { return [ sort map { join ' ', map { $_ // '-' } @$_ } @_ ] };
		is_deeply($text->(@$got), $text->(@cases), '… with their times, keys and CPUs') if @cases == @$got;
	}
	is(one($disk, 'SELECT count(DISTINCT kind) FROM latency', '--rules', $rules)->[0], one($disk, 'SELECT count(DISTINCT kind) FROM latency')->[0] + grep({ $_->{count} } @all), 'without a kind those of all rules, too');
	is(wakepath('sql', $disk, 'SELECT 1', '--rules', '/nowhere')->{status}, 2, 'rules that cannot be read');
}

# ---- the documentation has these tables and columns ----

my $cli = slurp("$ENV{TOP}/docs/cli.md");
utf8::decode($cli);
my %columns;
for (@{ rows($pipeline, 'SELECT "table", name, type FROM wakepath_columns') }) { push @{ $columns{ $_->[0] } }, "`$_->[1]`" . ($_->[2] eq 'text' ? '' : " $_->[2]") }
for (@{ rows($pipeline, "SELECT \"table\", call, doc FROM wakepath_tables WHERE type <> 'events'") }) {
	my $line = sprintf '| `%s` | %s | %s |', @$_[1, 2], join ', ', @{ $columns{ $_->[0] } };
	ok(index($cli, "\n$line\n") >= 0, "docs/cli.md has $_->[0]") or diag("the warning is: $line");
}

# ---- errors ----

sub fails {
	my ($status, $query, $why, @options) = @_;
	my $r = wakepath('sql', $pipeline, $query, @options);
	is($r->{status}, $status, $query) or diag($r->{err});
	like($r->{err}, $why, '… gives the reason');
	is($r->{out}, '', '… and nothing else');
}
fails(2, 'SELECT nme FROM thread', qr/\Awakepath: line 1, column 8: no such column: nme\nSELECT nme FROM thread\n       \^\n\z/);
fails(2, "SELECT *\nFROM thread\n\tWHERE x = 1", qr/\Awakepath: line 3, column 8: no such column: x\n WHERE x = 1\n       \^\n\z/);
fails(2, 'SELECT * FROM nosuch', qr/no such table: nosuch\n/);
fails(2, '', qr/the query is empty/);
fails(2, 'SELECT $x', qr/column 8: the parameters are \$from, \$to, \$utid and \$cpu/);
fails(2, "SELECT ms('x')", qr/"x"/);
fails(2, 'SELECT quantile(tid, 2) FROM thread', qr/p from 0 to 1/);
fails(2, 'SELECT * FROM windows(0)', qr/above 0/);
fails(2, 'SELECT lquantize(tid, 0, 10000000, 1) FROM thread', qr/at most 1000 classes/);
fails(1, 'SELECT * FROM syscall', qr/\Awakepath: solo: no syscall_entry_\* was recorded, so .*; record it with: lttng enable-event[^\n]*\n\z/);
fails(1, 'SELECT * FROM block_rq_complete', qr/\Awakepath: solo: no block_rq_complete was recorded; record it with: lttng[^\n]*\n\z/) if one($pipeline, "SELECT count(*) FROM wakepath_tables WHERE \"table\" = 'block_rq_complete'")->[0] == 0;
fails(1, "SELECT * FROM pairs('sched_switch', 'nothing')", qr/no event nothing was recorded/);
fails(2, "SELECT * FROM overlap('nosuch', 'sched')", qr/no such table: nosuch/);

# ---- trace.dat and perf.data ----

SKIP: {
	skip 'the recordings of ftrace and perf are not there', 1 if !-d "$inputs/pipeline";
	my (%dat, %perf, %dat_next);
	open my $in, '-|', "trace-cmd report -t -R '$inputs/pipeline/trace.dat' 2>/dev/null" or die;
	while (<$in>) {
		my ($name, $fields) = /\[\d{3,}\]\s*\d+(?:\.\d{9})?: (?:\w+:)?(\w+):\s*(.*)/ or next;
		$dat{$name}++;
		$dat_next{$1}++ if $name eq 'sched_switch' && $fields =~ /next_pid=(\d+)/;
	}
	is_deeply(by("$inputs/pipeline/trace.dat", 'SELECT "table", events FROM wakepath_tables WHERE type = \'events\''), \%dat, '… as trace-cmd counts them');
	is_deeply(by("$inputs/pipeline/trace.dat", 'SELECT next_pid, count(*) FROM sched_switch GROUP BY 1'), \%dat_next, '… by a field');
	my %writes;
	open $in, '-|', "trace-cmd report -t -R '$inputs/ioburst-ipi/trace.dat' 2>/dev/null" or die;
	while (<$in>) {
		my ($bytes) = /block_rq_issue: .* nr_sector=(\d+) .* rwbs=W/ or next;
		$bytes *= 512;
		my $low = 1;
		$low *= 2 while $low * 2 <= $bytes;
		$writes{ $bytes ? sprintf '[%d,%d)', $low, 2 * $low : '[0,1)' }++;
	}
	my %classes = (one("$inputs/ioburst-ipi/trace.dat", "SELECT quantize(nr_sector * 512) FROM block_rq_issue WHERE rwbs GLOB 'W*'")->[0] // '') =~ /(\S+) (\d+)/g;
	is_deeply(\%classes, \%writes, '… and their sizes');
	open $in, '-|', "zstdcat '$inputs/pipeline/perf-script.txt.zst'" or die;
	my %next;
	while (<$in>) {
		my ($name, $fields) = /^\s*\S.*?\s+\[\d+\]\s+[\d.]+:\s+(?:\d+\s+)?(?:\w+:)?(\w+):\s*(.*)/ or next;
		$perf{$name}++;
		$next{$1}++ if $name eq 'sched_switch' && $fields =~ /==>.*?:(\d+) \[/ || $name eq 'sched_switch' && $fields =~ /next_pid=(\d+)/;
	}
	my $types = by("$inputs/pipeline/perf.data", 'SELECT "table", events FROM wakepath_tables WHERE type = \'events\'');
	is_deeply({ map { $_ => $types->{$_} } grep { $perf{$_} } keys %$types }, { map { $_ => $perf{$_} } grep { $types->{$_} } keys %perf }, '… as perf counts them');
	cmp_ok(scalar(grep { $perf{$_} } keys %$types), '>', 5, '… of several types');
	is_deeply(by("$inputs/pipeline/perf.data", 'SELECT next_pid, count(*) FROM sched_switch GROUP BY 1'), \%next, '… by a field');
	for my $trace ("$inputs/pipeline/trace.dat", "$inputs/pipeline/perf.data") {
		is_deeply(by($trace, 'SELECT kind, count(*) FROM wakeup GROUP BY 1'), count_by(sub { $_[0]{source}{kind} }, @{ wakeups_of($trace) }), '… as wakeups counts them');
	}
}

done_testing;
