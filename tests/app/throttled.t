#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runnable threads that may not run: budgets and quotas, of recorded machines, against the raw events as trace-cmd prints them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use List::Util qw(sum0);
use Wake;
use Test::More;

my $machines = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines';
plan skip_all => 'the recordings are not there' if !-d "$machines/x64-deadline";
plan skip_all => 'there is no trace-cmd' if system('command -v trace-cmd >/dev/null') != 0;

# [time (ns), CPU, name, text]… of the events called NAMES in a trace.dat.
sub raw {
	my ($path, @names) = @_;
	my $names = join '|', @names;
	return map { /\[(\d+)\]\s+\S*?(\d+)\.(\d{9}): +($names): +(.*)/ ? [ "$2$3", $1 + 0, $4, $5 ] : () } `trace-cmd report -t '$path' 2>/dev/null`;
}

# "COUNT TIME" of the throttled segments with TEXT on the path of THREAD in TRACE; and of the parts of its waits with TEXT in its states.
sub on_path {
	my ($trace, $thread, $text) = @_;
	my @all = grep { $_->{kind} eq 'throttled' && $_->{detail} eq $text && $_->{what} eq "$text (inferred)" && $_->{grade} eq 'inferred' && "@{ $_->{doubts} }" =~ /\bquota\b/ } @{ json_of(wakepath('path', $trace, '--thread', $thread, '--format', 'json'))->{segments} };
	return @all . ' ' . sum0(map { $_->{to} - $_->{from} } @all);
}
sub in_states {
	my ($trace, $thread, $text) = @_;
	my @all = grep { ($_->{detail} // '') eq "throttled: $text" } @{ json_of(wakepath('states', $trace, '--thread', $thread, '--format', 'json'))->{intervals} };
	return @all . ' ' . sum0(map { $_->{to} - $_->{from} } @all);
}

# A thread of SCHED_DEADLINE: from the time it leaves its CPU to a fair thread, state R, until its own timer expires (no other one expires).
my $deadline = "$machines/x64-deadline/trace.dat";
my ($out, $sum, $n) = (undef, 0, 0);
for my $e (raw($deadline, 'sched_switch', 'hrtimer_expire_entry')) {
	$out = $e->[0] if $e->[2] eq 'sched_switch' && $e->[3] =~ /^wx-deadline:\d+ \[-1\] R\b/;
	next if !defined $out || $e->[2] ne 'hrtimer_expire_entry' || $e->[3] !~ /function=dl_task_timer/;
	$sum += $e->[0] - $out;
	$n++;
	$out = undef;
}
cmp_ok($n, '>', 5, 'deadline: its budget is used up');
my @causes = @{ json_of(wakepath('causes', $deadline, '--thread', 'wx-deadline', '--format', 'json'))->{causes} };
my ($budget) = grep { $_->{kind} eq 'throttled' } @causes;
is("$budget->{count} $budget->{time} $budget->{name}", "$n $sum its own deadline budget", '… until its timer expires');
is(join(' ', grep { $_ } map { $_->{proved} } grep { $_->{kind} =~ /^(throttled|preempted)$/ } @causes), '', '… with no part proved');
is(on_path($deadline, 'wx-deadline', 'its own deadline budget'), "$n $sum", '… on its path, too');
is(in_states($deadline, 'wx-deadline', 'its own deadline budget'), "$n $sum", '… and in its states');
my @waits = @{ json_of(wakepath('latency', $deadline, '--kind', 'preempted', '--thread', 'wx-deadline', '--top', 0, '--format', 'json'))->{worst} };
is(scalar(grep { $_->{cause} =~ /^throttled .*, its own deadline budget$/ } @waits), $n - 2, '… longer than it waits for the CPU after that, except for two');

# A group of 20 ms of every 100 (cpu.max): from the time its thread leaves its CPU, state R, until the last expiry of the period's timer before it runs
# there again.
my $quota = "$machines/a64-quota/trace.dat";
($out, $sum, $n, my $last) = (undef, 0, 0, undef);
for my $e (raw($quota, 'sched_switch', 'hrtimer_expire_entry')) {
	if ($e->[2] eq 'hrtimer_expire_entry') {
		$last = $e->[0] if $e->[3] =~ /function=sched_cfs_period_timer/;
	} elsif ($e->[3] =~ /==> \S+:1243 /) {
		($sum, $n) = ($sum + $last - $out, $n + 1) if defined $out && defined $last && $last > $out;
		$out = undef;
	} elsif ($e->[3] =~ /^\S+:1243 \[120\] R\b/) {
		$out = $e->[0];
	}
}
cmp_ok($n, '>', 5, 'quota: it is used up');
my ($throttled) = grep { $_->{kind} eq 'throttled' } @{ json_of(wakepath('causes', $quota, '--thread', 'wx-quota', '--format', 'json'))->{causes} };
is("$throttled->{count} $throttled->{time}", "$n $sum", '… until the timer unthrottles it');
is($throttled->{name}, 'CPU quota: about 20.0 ms of every 100 ms', '… with the value set, though it ran up to 100 ms at once');

is(on_path($quota, 'wx-quota', $throttled->{name}), "$n $sum", '… on its path, too');
is(in_states($quota, 'wx-quota', $throttled->{name}), "$n $sum", '… and in its states');

# A clock that was set forward by an hour, and back.
is(scalar(grep { /^the clock stepped forward by 3600 s:/ } @{ json_of(wakepath('info', "$machines/x64-clockchange-tai/trace.dat", '--format', 'json'))->{traces}[0]{warnings} }), 1, 'a clock that was set forward');

done_testing;
