#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each kind of latency against its definition, worked out from babeltrace2's text: how many cases, their sum, the longest, and what is not over.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0 max);
use Test::More;

sub ask { my ($kind, $trace, @more) = @_; return json_of(wakepath('latency', sample($trace), '--kind', $kind, '--format', 'json', @more)) }

# The events of a trace in order: { time, name, cpu, and the fields that are numbers or texts }.
my %events;
sub events_of {
	my ($trace) = @_;
	return $events{$trace} if $events{$trace};
	my @all;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $name, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): (.*)/ or next;
		my %e = (time => "$s$ns", name => $name);
		$e{$1} = $2 // $3 while $rest =~ /\b(\w+) = (?:\(\s*(?:"[^"]*"|<unknown>) : container = (-?\w+)\s*\)|("[^"]*"|-?\w+))/g;
		s/^"(.*)"$/$1/s for values %e;
		push @all, \%e;
	}
	close $f;
	return $events{$trace} = \@all;
}

# ---- what the states of threads are ----

# { kind => [[start, end], ...] }, { kind => number of those that are open at the end }; threads but the idle ones.
sub stays_of {
	my ($trace) = @_;
	my (%done, %open);
	my $begin = sub { my ($kind, $tid, $at) = @_; $open{$kind}{$tid} = $at };
	my $end = sub { my ($kind, $tid, $at) = @_; my $since = delete $open{$kind}{$tid}; push @{ $done{$kind} }, [$since, $at] if defined $since };
	my (%state, %early);	# by TID: running, blocked, runnable
	for my $e (@{ events_of($trace) }) {
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
	# A stay that begins with the last event has no length in any state, and is none.
	my $last = events_of($trace)->[-1]{time};
	return (\%done, { map { $_ => scalar grep { $_ ne $last } values %{ $open{$_} } } keys %open });
}

sub compare {
	my ($trace, $kind, $cases, $unfinished, @more) = @_;
	my $l = ask($kind, $trace, @more);
	my @lengths = sort { $b <=> $a } map { $_->[1] - $_->[0] } @$cases;
	is($l->{count}, scalar @lengths, "$trace: $kind: as many cases");
	is($l->{sum}, sum0(@lengths), '… of that sum');
	is($l->{max}, $lengths[0], '… the longest');
	is($l->{unfinished}, $unfinished, '… and so many are not over') if defined $unfinished;
	is($l->{dropped}, 0, '… none dropped');
}

for my $trace (qw(preempt ioburst-ipi pipeline)) {
	my ($done, $open) = stays_of($trace);
	compare($trace, $_, $done->{$_} // [], $open->{$_} // 0) for qw(wait-cpu preempted off-cpu blocked fork);
}

# ---- by hand ----

# sched_process_fork of wk-rt at …480042545, sched_wakeup_new at …480072125; first switched in at …493726285.
my $l = ask('fork', 'preempt', '--top', 1);
is_deeply([@{ $l->{worst}[0] }{qw(start end latency tid)}], [1795169015480042545, 1795169015493726285, 13683740, 547], 'preempt: a fork by hand');
is($l->{worst}[0]{blame}, undef, '… of which only a part was spent waiting for a CPU');

# ---- groups ----

for (['wakeup', 'class'], ['blocked', 'key'], ['off-cpu', 'cpu'], ['preempted', 'thread'], ['wait-cpu', 'process'], ['wakeup', 'host'], ['off-cpu', 'name']) {
	my ($kind, $by) = @$_;
	my $g = ask($kind, 'preempt', '--by', $by);
	is($g->{by}, $by, "$kind by $by");
	is(sum0(map { $_->{count} } @{ $g->{groups} }), $g->{count}, '… the groups hold all cases');
	is(sum0(map { $_->{sum} } @{ $g->{groups} }), $g->{sum}, '… and all the time');
	is(sum0(map { $_->{unfinished} } @{ $g->{groups} }), $g->{unfinished}, '… and what is not over');
	my @sums = map { $_->{sum} } @{ $g->{groups} };
	is_deeply(\@sums, [sort { $b <=> $a } @sums], '… most time first');
	is(scalar(grep { $_->{count} && ($_->{p50} < $_->{min} || $_->{p99} > $_->{max}) } @{ $g->{groups} }), 0, '… each with its own statistics');
}
# wk-rt is SCHED_FIFO; LTTng counts priorities from 100 less, so its is below 0 in sched_switch.
my %real_time = map { ($_->{tid} => 1) } grep { $_->{name} eq 'sched_waking' && $_->{prio} < 0 && $_->{comm} eq 'wk-rt' } @{ events_of('preempt') };
is_deeply([keys %real_time], [547], 'wk-rt is a real-time thread');
my ($class) = grep { $_->{name} eq 'real-time' } @{ ask('wakeup', 'preempt', '--by', 'class')->{groups} };
cmp_ok($class->{count}, '>=', scalar(grep { $_->{name} eq 'sched_waking' && $_->{tid} == 547 } @{ events_of('preempt') }), '… and so are its wake-ups, apart');
is(wakepath('latency', sample('preempt'), '--kind', 'wakeup', '--by', 'key')->{status}, 2, 'a group that the kind does not have is refused');
is(wakepath('latency', sample('preempt'), '--kind', 'wakeup', '--by', 'colour')->{status}, 2, '… and one that there is not');

# ---- histograms ----

$l = ask('wakeup', 'preempt', '--linear');
my @widths = map { $_->{to} - $_->{from} } @{ $l->{histogram} };
is(scalar(grep { $_ != $widths[0] } @widths), 0, 'linear classes are of one width');
is(sum0(map { $_->{count} } @{ $l->{histogram} }), $l->{count}, '… and hold all');
cmp_ok($l->{histogram}[0]{from}, '<=', $l->{min}, '… from the least');
cmp_ok($l->{histogram}[-1]{to}, '>', $l->{max}, '… to the most');

# ---- lost events ----

# babeltrace2 tells where: from the packet before to the one whose begin is known.  No case spans such a place.
my ($begin, @gaps);
my ($said) = qx(babeltrace2 --clock-seconds '@{[sample('lost-events')]}' 2>&1 >/dev/null);
for (split /\n/, $said) {
	push @gaps, [$1 . $2, $3 . $4] if /discarded \d+ events? .*between \[(\d+)\.(\d{9})\] and \[(\d+)\.(\d{9})\]/;
}
$l = ask('off-cpu', 'lost-events', '--top', 100000);
cmp_ok(scalar @gaps, '>', 0, 'lost-events: babeltrace2 tells of gaps');
cmp_ok($l->{count}, '>', 0, '… there are cases');
is($l->{count}, scalar @{ $l->{worst} }, '… and all are told');
is(scalar(grep { my $w = $_; grep { $w->{start} < $_->[0] && $w->{end} > $_->[1] } @gaps } @{ $l->{worst} }), 0, '… no case spans one');
cmp_ok($l->{dropped}, '>', 0, '… those that would have are told as dropped');

done_testing;
