#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Work of other threads during the slow intervals, counted from the raw events of a run in which a real-time thread takes CPU 0 repeatedly: its runs
# are the slow intervals, the times between them the others.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Temp 'tempdir';
use List::Util qw(max min sum0);
use Test::More;

my $trace = sample('preempt');
my $dir = tempdir(CLEANUP => 1);
my $rt = 547;    # wk-rt

# ---- the raw events of CPU 0: [from, to, TID of the running thread, 0 in an interrupt] ----

my (@stretches, $since, $who, $first);
my $depth = 0;
for (`babeltrace2 --clock-seconds '$trace' 2>/dev/null`) {
	my ($s, $ns, $event) = /^\[(\d+)\.(\d+)\].*? (\w+): \{ cpu_id = 0 \}/ or next;
	my $time = "$s$ns" + 0;
	my ($way) = $event =~ /^(?:irq_handler|irq_softirq|timer_hrtimer_expire|x86_irq_vectors_\w+)_(entry|exit)$/;
	next unless $way || $event eq 'sched_switch';
	push @stretches, [$since, $time, $depth ? 0 : $who] if defined $who;
	$since = $time;
	$depth = max(0, $depth + ($way eq 'entry' ? 1 : -1)) if $way;
	($who) = /next_tid = (\d+)/ unless $way;
}

sub ran {
	my ($from, $to, $is) = @_;
	return sum0(map { max(0, min($to, $_->[1]) - max($from, $_->[0])) } grep { $is->($_->[2]) } @stretches);
}

my @runs;    # The time of wk-rt, interrupts included.
for (`babeltrace2 --clock-seconds '$trace' 2>/dev/null`) {
	my ($s, $ns) = /^\[(\d+)\.(\d+)\].* sched_switch: \{ cpu_id = 0 \}/ or next;
	push @runs, ["$s$ns" + 0] if /next_tid = $rt\b/;
	$runs[-1][1] = "$s$ns" + 0 if /prev_tid = $rt\b/ && @runs && !$runs[-1][1];
}
@runs = grep { $_->[1] && $_->[1] - $_->[0] > 2_000_000 } @runs;
cmp_ok(scalar @runs, '>=', 8, 'wk-rt took the CPU at least eight times');
my @between = map { [$runs[$_ - 1][1], $runs[$_][0]] } 1 .. $#runs;

# ---- the answer of compare ----

# The lines name a thread that slept all the time.
sub lines {
	my ($name, @intervals) = @_;
	return map { "kthreadd $_->[0] $_->[1] $name\n" } @intervals;
}

open my $file, '>', "$dir/set" or die;
print $file lines('taken', @runs), lines('free', @between);
close $file or die;

my @ask = ('compare', $trace, '--set', "$dir/set", '--group', 'name', '--slow', 'taken');
my $answer = json_of(wakepath(@ask, '--format', 'json'));
is($answer->{sets}[0]{count}, scalar @runs, 'each run is a slow interval');
my ($row) = grep { $_->{what} eq 'thread' && $_->{name} eq 'wk-rt' } @{ $answer->{outside} };
ok($row, 'wk-rt is among what else went on') or BAIL_OUT("no such row: " . wakepath(@ask)->{out});

sub mean_share {
	my ($is, @intervals) = @_;
	return sum0(map { ran(@$_, $is) / ($_->[1] - $_->[0]) } @intervals) / @intervals;
}

my $is_rt = sub { $_[0] == $rt };
cmp_ok(mean_share($is_rt, @runs), '>', 0.8, 'raw events: it ran nearly all of the slow ones');
cmp_ok(abs($row->{slow} - mean_share($is_rt, @runs)), '<', 1e-6, 'share of the slow ones');
cmp_ok(abs($row->{fast} - mean_share($is_rt, @between)), '<', 1e-6, 'share of the others');
cmp_ok($row->{p_value}, '<=', 0.01, 'the difference is not by chance');
is($answer->{outside}[0]{name}, 'wk-rt', 'it differs most of all');
ok(!(grep { $_->{name} eq 'wk-victim' } @{ $answer->{outside} }), 'the thread it took the CPU from ran less, and is not listed');

# ---- no cause, no rows; too few ----

open $file, '>', "$dir/even" or die;
print $file lines($_ % 2 ? 'a' : 'b', $between[$_]) for 0 .. $#between;
close $file or die;
my $even = json_of(wakepath('compare', $trace, '--set', "$dir/even", '--group', 'name', '--format', 'json'));
is_deeply([map { $_->{name} } @{ $even->{outside} }], [], 'every other interval of the same kind: no thread differs');
cmp_ok($even->{outside_looked}, '>', 8, '… of many things');

open $file, '>', "$dir/few" or die;
print $file lines('taken', @runs[0 .. 2]), lines('free', @between[0 .. 2]);
close $file or die;
my @few = ('compare', $trace, '--set', "$dir/few", '--group', 'name');
is(json_of(wakepath(@few, '--format', 'json'))->{outside}, undef, 'three of each: null');
like(wakepath(@few)->{out}, qr/^too few paths to tell$/m, '… and the text says so');
like(wakepath(@ask)->{out}, qr/^thread +\d+\.\d % +0\.\d % +p < 0\.\d+ +wk-rt$/m, 'text: a line');
done_testing;