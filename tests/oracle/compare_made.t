#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Slow against fast on made-up requests with known truth: sets, each step's part of the difference, how many have it, the planted cause first; and no finding if nothing was planted.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use List::Util qw(sum0);
use Planted;
use Slow;
use Wake;
use Test::More;

my $set = $Planted::SET;

# "who kind" of a row in the words of the truth, where rows without a thread are the disk.
sub step_of { my ($row) = @_; my $who = $row->{who} =~ s{^[\w*]+/}{}r; $who =~ s/\[\d+\]$//; return ($row->{kind} =~ /^(?:block|irq)$/ ? 'disk' : $who) . " $row->{kind}" }

# The rows compared with the truth of SLOW and FAST: each step's difference.
sub as_planted {
	my ($j, $name, $slow, $fast) = @_;
	my (%said, %pieces, %steps);
	for (Slow::rows($j)) { $said{ step_of($_) } += $_->{difference}; $pieces{ step_of($_) }++ }
	$steps{"$_->[0] $_->[1]"} = 1 for map { @{ $_->{path} } } @$slow, @$fast;
	my @wrong;
	for my $step (sort keys %steps) {
		my ($who, $what) = split / /, $step;
		my $of = sub { return Planted::spent($_, $who, $what) };
		my $expected = Planted::mean($of, @$slow) - Planted::mean($of, @$fast);
		push @wrong, sprintf '%s: %.1f, it says %s', $step, $expected, $said{$step} // 'nothing' if abs(($said{$step} // 0) - $expected) > ($pieces{$step} // 1);
	}
	is_deeply(\@wrong, [], "$name: each step's part") or diag(explain(\%said));
	is_deeply([grep { !$steps{$_} } sort keys %said], [], "$name: there are no other steps");
}

sub durations { return [map { Planted::took($_) } @_] }

for my $i (0 .. $#Planted::CAUSES) {
	my $cause = $Planted::CAUSES[$i];
	my $trace = "$ENV{TMPDIR}/$cause";
	my @all = sort { Planted::took($b) <=> Planted::took($a) } Planted::made($trace, seed => $i + 20, requests => 300, cause => $cause, share => 0.1);
	my $limit = Planted::took($all[20]) + 1;
	for my $how ("over ${limit}ns", 'top 10%', '') {
		my $name = "$cause, " . ($how || 'gap');
		my $j = Slow::compare($trace, '--set', $set, $how ? ('--slow', $how) : ());
		Slow::sound($j, $name);
		my $n = $how =~ /^over/ ? 20 : $how =~ /^top/ ? 30 : $j->{sets}[0]{count};
		my @slow = @all[0 .. $n - 1];
		my @fast = @all[$n .. $#all];
		Slow::sets($j, $name, durations(@slow), durations(@fast));
		as_planted($j, $name, \@slow, \@fast);
		my ($first) = Slow::rows($j);
		my ($who, $what) = @{ $Planted::STEP{$cause} };
		is(step_of($first), "$who $what", "$name: the cause comes first");
		isnt($first->{class}, 'noise', '… and is not noise') if $how !~ /^over/;
		is_deeply($first->{in}, { slow => scalar(grep { $_->{planted} } @slow), fast => scalar(grep { $_->{planted} } @fast) }, '… with those that have it') if $cause =~ /preempt|hop|lock/;
	}
}

# ---- several causes, each in a few of the slow ones ----

# As in requests of which some wait for a lock, some for a flush that is mostly their own call, some for a thread of high priority: each cause is
# named, however few have it. Short interrupts, of which a longer request has more, are not named as a cause.
my %plan = ((map { $_ => 'lock' } 7, 37, 67, 97), (map { $_ => 'flush' } 17, 47, 77), map { $_ => 'preempt' } 27, 57, 87);
for my $seed (0 .. 7) {
	my $name = "three causes, $Planted::NOISE[$seed % 4], $seed";
	my @all = sort { Planted::took($b) <=> Planted::took($a) } Planted::made("$ENV{TMPDIR}/three$seed", seed => 400 + $seed, requests => 100, plan => \%plan, size => 8, ticks => 1);
	next if grep { !$_->{planted} } @all[0 .. 9];	# one of the others took as long by chance
	# The slow ones are those with a cause, or as many others in addition.
	for my $slow (10, 36) {
		my @how = ('--set', $set, '--slow', 'over ' . Planted::took($all[$slow - 1]) . 'ns');
		my $j = Slow::compare("$ENV{TMPDIR}/three$seed", @how);
		Slow::sound($j, "$name, $slow slow");
		as_planted($j, "$name, $slow slow", [ @all[0 .. $slow - 1] ], [ @all[$slow .. 99] ]);
		my %class = map { step_of($_) => $_->{class} } Slow::rows($j);
		for my $step ('holder running', 'cache running', 'server preempted') {
			isnt($class{$step}, 'noise', "$name, $slow slow: $step is a cause") or diag(wakepath('compare', "$ENV{TMPDIR}/three$seed", @how)->{out});
		}
		is($class{$_} // 'noise', 'noise', "... $_ is no cause") for 'server interrupted', 'client running', 'client wait-cpu', 'disk irq', 'db running';
	}
}

# A real recording: 7, 37, 67, 97 wait for a lock of wx-holder, 17, 47, 77 call fsync(), wx-rtburst comes upon 27, 57, 87.  By the natural gap 36 are slow.
SKIP: {
	my $requests = ($ENV{SHARED_TRACES} // '/nonexistent') . '/../recordings/machines/x64-requests';
	skip 'the recording is not at hand', 15 if !-f "$requests/trace.dat";
	for my $how ('', 'top 10%', 'over 8ms') {
		my $j = Slow::compare("$requests/trace.dat", '--set', "$requests/intervals.txt", $how ? ('--slow', $how) : ());
		my @rows = Slow::rows($j);
		my %class = map { ($_->{who} =~ s/\[\d+\]$//r) . " $_->{kind}" => $_->{class} } @rows;
		isnt($class{$_} // 'noise', 'noise', "x64-requests, $how: $_ is a cause") for 'wx-holder running', 'jbd2/vda-8 running', 'wx-worker preempted';
		# A step that at least three slow requests have, and no fast one, is no chance: its p is low.
		my @only = grep { $_->{in}{slow} >= 3 && !$_->{in}{fast} } @rows;
		cmp_ok(scalar @only, '>=', 5, '... several steps are only in slow ones');
		is_deeply([map { "$_->{who} $_->{kind} $_->{p}" } grep { $_->{p} > 0.01 } @only], [], '... none of them has a high p value');
	}
}

# ---- outside of the paths: the frequency of the CPUs ----

# The mean frequency of REQUESTS, where known, kHz.
sub khz { my @known = grep { defined } map { $_->{khz} } @_; return sum0(@known) / @known }

for my $lost (0, 200) {
	my $name = $lost ? 'low frequency, lost events' : 'low frequency';
	my @all = sort { Planted::took($b) <=> Planted::took($a) } Planted::made("$ENV{TMPDIR}/low$lost", seed => 61, requests => 300, cause => 'frequency', share => 0.2, frequency => 'slows', lost => $lost);
	my $j = Slow::compare("$ENV{TMPDIR}/low$lost", '--set', $set, '--slow', 'top 20%');
	Slow::sound($j, $name);
	my ($first, @more) = grep { $_->{what} eq 'frequency' } @{ $j->{outside} };
	ok($first && !@more && $j->{frequency_recorded}, "$name: the frequency is found") or next;
	is($j->{outside}[0]{what}, 'frequency', '… as the first finding outside');
	my ($slow, $fast) = (khz(@all[0 .. 59]), khz(@all[60 .. 299]));
	Slow::near($first->{slow_khz}, $slow, 1, "$name: the frequency of the slow ones is right");
	Slow::near($first->{fast_khz}, $fast, 1, "$name: the frequency of the fast ones is right");
	is($first->{highest_khz}, $Planted::FULL, '… and the highest one');
	ok(abs($first->{slow} - (1 - $slow / $Planted::FULL)) < 1e-5 && abs($first->{fast} - (1 - $fast / $Planted::FULL)) < 1e-5, '… and the missing share of it');
	ok($first->{p_value} < 0.001, '… with a low p value');
	my $text = sprintf '%.2f > %.2f of 3.00 GHz', $fast / 1e6, $slow / 1e6;
	like(wakepath('compare', "$ENV{TMPDIR}/low$lost", '--set', $set, '--slow', 'top 20%')->{out}, qr/^frequency +[\d.]+ % +[\d.]+ % +p < 0\.001 +\Q$text\E$/m, '… and the text has it');
}

# A frequency that changes without effect, and one that was not recorded.
for my $how ('changes', '') {
	Planted::made("$ENV{TMPDIR}/clock$how", seed => 62, requests => 300, cause => 'cpu', share => 0.2, frequency => $how);
	my $j = Slow::compare("$ENV{TMPDIR}/clock$how", '--set', $set, '--slow', 'top 20%');
	is_deeply([grep { $_->{what} eq 'frequency' } @{ $j->{outside} }], [], $how ? 'a frequency without effect is no finding' : 'an unrecorded frequency is no finding');
	is(!!$j->{frequency_recorded}, !!$how, '… and the answer says if it was recorded');
	my $said = wakepath('compare', "$ENV{TMPDIR}/clock$how", '--set', $set)->{out} =~ /the frequency of CPUs was not recorded \(power:cpu_frequency\)$/m;
	is(!!$said, !$how, '… and so does the text');
}

# ---- other sets, groups, formats ----

my $trace = "$ENV{TMPDIR}/hop";
my @all = Planted::made($trace, seed => 22, requests => 300, cause => 'hop', share => 0.1);

# From the wake-up until it runs: the last step but one of each request.
my $j = Slow::compare($trace, '--set', 'latency:wakeup:client', '--slow', 'top 10%');
my @woken = sort { $b <=> $a } map { Planted::spent($_, 'client', 'wait-cpu') } @all;
Slow::sound($j, 'wake-ups');
Slow::sets($j, 'wake-ups', [@woken[0 .. 29]], [@woken[30 .. 299]]);
is_deeply([map { step_of($_) } Slow::rows($j)], ['client wait-cpu'], 'wake-ups: all of it is the wait for the CPU');

# Between two events of one thread: a second begin replaces the first; an end without a begin, and a begin without an end, make no interval.
my @said = ([10, 0, 'begin'], [20, 1, 'begin'], [50, 1, 'end'], [110, 0, 'end'], [200, 0, 'begin'], [250, 0, 'begin'], [300, 0, 'end'], [400, 1, 'end'], [500, 0, 'begin']);
Made::trace("$ENV{TMPDIR}/between", { host => 'two', epoch => 1700000000 }, (map { [1000, $_, 'sched_switch', "swapper/$_", 0, 20, 0, "thread$_", 10 + $_, 20], [900_000, $_, 'sched_switch', "thread$_", 10 + $_, 20, 1, "swapper/$_", 0, 20] } 0, 1),
	map { [$_->[0] * 1000, $_->[1], 'lttng_logger', length "request $_->[2]", "request $_->[2]"] } @said);
my $two = Slow::compare("$ENV{TMPDIR}/between", '--set', $set, '--slow', 'over 60us');
Slow::sound($two, 'between');
Slow::sets($two, 'between', [100_000], [30_000, 50_000]);
is(join(' ', map { "$_->{who} $_->{kind} $_->{difference}" } Slow::rows($two)), 'thread0 running 75000 thread1 running -15000', 'between: each thread has its intervals');

# Runs of a thread: from its wake-up until it waits again, whatever comes between. The first one began before the trace, the last one does not end in it.
my @runs = ([1, 'sched_switch', 'swapper/0', 0, 20, 0, 'round', 10, 20], [5, 'sched_switch', 'round', 10, 20, 1, 'swapper/0', 0, 20],
	[10, 'sched_waking', 'round', 10, 20, 0], [12, 'sched_switch', 'swapper/0', 0, 20, 0, 'round', 10, 20], [20, 'sched_switch', 'round', 10, 20, 0, 'other', 11, 20],
	[30, 'sched_switch', 'other', 11, 20, 1, 'round', 10, 20], [50, 'sched_switch', 'round', 10, 20, 1, 'swapper/0', 0, 20],
	[100, 'sched_waking', 'round', 10, 20, 0], [103, 'sched_switch', 'swapper/0', 0, 20, 0, 'round', 10, 20], [110, 'sched_switch', 'round', 10, 20, 2, 'swapper/0', 0, 20],
	[200, 'sched_waking', 'round', 10, 20, 0], [203, 'sched_switch', 'swapper/0', 0, 20, 0, 'round', 10, 20], [300, 'lttng_logger', 3, 'end']);
Made::trace("$ENV{TMPDIR}/runs", { host => 'runs', epoch => 1700000000 }, map { [1000 * $_->[0], 0, @$_[1 .. $#$_]] } @runs);
my $runs = Slow::compare("$ENV{TMPDIR}/runs", '--set', 'runs:round', '--slow', 'over 20us');
Slow::sound($runs, 'runs');
Slow::sets($runs, 'runs', [40_000], [10_000]);
is($runs->{left_out}{unfinished}, 1, 'runs: the last one is unfinished');
is(join(' ', sort map { "$_->{kind} $_->{difference}" } Slow::rows($runs)), 'preempted 10000 running 21000 wait-cpu -1000', 'runs: split by the states of the thread');

# By structure: requests with an extra query, and the others.
$j = Slow::compare($trace, '--set', $set, '--group', 'structure');
sub groups_of { return [sort map { "$_->{count} $_->{min} $_->{max}" } @{ $_[0]{groups} }] }
sub with_and_without { my %took; push @{ $took{ !!$_->{planted} } }, Planted::took($_) for @_; return [sort map { my @t = sort { $a <=> $b } @$_; @t . " $t[0] $t[-1]" } values %took] }
is_deeply(groups_of($j), with_and_without(@all), 'by structure: with and without the hop');

# Loops of one to nine rounds, and short interrupts here and there, are not structures.
my @rounds = Planted::made("$ENV{TMPDIR}/rounds", seed => 22, requests => 300, cause => 'hop', share => 0.1, rounds => 9, ticks => 1);
$j = Slow::compare("$ENV{TMPDIR}/rounds", '--set', $set, '--group', 'structure');
is_deeply(groups_of($j), with_and_without(@rounds), 'by structure: loops and interrupts make no group');
$j = Slow::compare("$ENV{TMPDIR}/rounds", '--set', $set, '--slow', 'top 10%');
Slow::sound($j, 'loops');
@rounds = sort { Planted::took($b) <=> Planted::took($a) } @rounds;
as_planted($j, 'loops', [@rounds[0 .. 29]], [@rounds[30 .. 299]]);

# By a field of an event: as many groups as values.
$j = Slow::compare($trace, '--set', $set, '--group', 'made_request.colour');
is_deeply([sort map { "$_->{name} $_->{count}" =~ s/.*\b(red|blue)\b/$1/r } @{ $j->{groups} }], ['blue 200', 'red 100'], 'by a field');

# Ten of a thousand with separate times: 3.83 ms and more, while the others have 2.71 ms at most.
{
	my @all = Planted::made("$ENV{TMPDIR}/ten", seed => 2, cause => 'cpu', share => 0.01);
	my @sorted = sort { $b <=> $a } map { Planted::spent($_, 'server', 'running') } @all;
	ok($sorted[9] > 3.8e6 && $sorted[10] < 2.8e6, "ten are separate: $sorted[9] ns against $sorted[10] ns");
	my ($first) = Slow::rows(Slow::compare("$ENV{TMPDIR}/ten", '--set', $set, '--slow', 'top 1%'));
	is(step_of($first) . " $first->{class}", 'server running timing', '… and their cause comes first');
}

# Ten of a thousand with others among and above them: no valley, and no gap.
{
	my @all = Planted::made("$ENV{TMPDIR}/among", seed => 7, cause => 'cpu', share => 0.01);
	my ($among) = sort { $b <=> $a } map { $_->{planted} ? () : Planted::spent($_, 'server', 'running') } @all;
	my @with = sort { $a <=> $b } map { $_->{planted} ? Planted::spent($_, 'server', 'running') : () } @all;
	ok($among > $with[-1] && $with[0] > 3.6e6, "among others: $with[0] to $with[-1] ns, and $among ns");
	for my $how ('top 1%', '') {
		my ($first) = Slow::rows(Slow::compare("$ENV{TMPDIR}/among", '--set', $set, $how ? ('--slow', $how) : ()));
		is(step_of($first) . " $first->{class}", 'server running timing', '… their cause comes first, ' . ($how || 'gap'));
	}
}

# The gap is below a crowd of fifty, not above it, where one request takes 17.8 ms.
{
	my @all = Planted::made("$ENV{TMPDIR}/crowd", seed => 15, cause => 'hop', share => 0.05);
	my $j = Slow::compare("$ENV{TMPDIR}/crowd", '--set', $set, '--slow', 'gap');
	my @slow = grep { Planted::took($_) >= $j->{gap}{to} } @all;
	my $with = grep { $_->{planted} } @slow;
	ok(@slow == $j->{sets}[0]{count} && $with >= 40 && @slow - $with <= 10, "a crowd: $with of " . @slow . ' slow ones have the cause');
	my ($first) = Slow::rows($j);
	is(step_of($first) . " $first->{class}", 'cache running structure', '… which comes first');
}

# By host: two machines, one of which has the cause.
my %of = map { $_ => [Planted::made("$ENV{TMPDIR}/hosts/$_", seed => $_ eq 'a' ? 41 : 45, requests => 150, host => $_, cause => $_ eq 'b' ? 'lock' : '', share => 0.5)] } qw(a b);
$j = Slow::compare("$ENV{TMPDIR}/hosts", '--set', $set, '--group', 'host');
Slow::sound($j, 'by host');
Slow::sets($j, 'by host', durations(@{ $of{b} }), durations(@{ $of{a} }));
as_planted($j, 'by host', @of{qw(b a)});
is_deeply([sort map { "$_->{name} $_->{count}" } @{ $j->{groups} }], ['a 150', 'b 150'], 'by host: there are two groups');
is(step_of((Slow::rows($j))[0]), 'holder running', 'by host: the cause comes first');
is_deeply([sort map { "$_->{who} $_->{kind} $_->{in}{slow}" } grep { !$_->{in}{fast} || !$_->{in}{slow} } Slow::rows($j)], [sort map { "$_->{who} $_->{kind} $_->{in}{slow}" } grep { $_->{class} eq 'structure' } Slow::rows($j)],
	'by host: the name of a machine alone does not make a step one-sided');
# Equal noise, and no cause: no finding.
Planted::made("$ENV{TMPDIR}/alike/$_", seed => $_ eq 'a' ? 8 : 12, host => $_) for qw(a b);
$j = Slow::compare("$ENV{TMPDIR}/alike", '--set', $set, '--group', 'host');
Slow::sound($j, 'hosts alike');
is_deeply([map { "$_->{who} $_->{kind} $_->{class}" } grep { $_->{class} ne 'noise' } Slow::rows($j)], [], 'hosts alike: there is no finding');
is_deeply([grep { !m{^\*/} } map { $_->{who} } Slow::rows($j)], [], '… each own machine is written *');

# CSV has the rows of JSON.
my @args = ('compare', $trace, '--set', $set, '--slow', 'top 10%');
$j = json_of(wakepath(@args, '--format', 'json'));
my ($header, @lines) = @{ csv_of(wakepath(@args, '--format', 'csv')) };
my @rows = @{ $j->{rows} };
is(scalar @lines, scalar @rows, 'CSV: as many rows');
for my $key (qw(kind difference class)) {
	my ($at) = grep { $header->[$_] eq $key } 0 .. $#$header;
	ok(defined $at, "CSV: $key") or next;
	is_deeply([map { $_->[$at] } @lines], [map { "$_->{$key}" } @rows], "CSV: $key is that of JSON");
}

# Folded: the duration of each step in the fast and in the slow ones, on average.
my @folded = map { [/^(\S+) (\d+) (\d+)$/] } split /\n/, wakepath(@args, '--format', 'folded')->{out};
is(scalar(grep { @$_ == 3 } @folded), scalar @rows, 'folded: a line for each row');
for my $i (0, 1) { Slow::near(sum0(map { $_->[2 - $i] } @folded), $j->{sets}[$i]{mean}, scalar @rows, 'folded: of all steps the mean duration, ' . ('slow', 'fast')[$i]) }

# Against another recording: its requests are the fast ones.
my @fast = Planted::made("$ENV{TMPDIR}/plain", seed => 31, noise => 'lognormal', requests => 200);
$j = Slow::compare($trace, '--set', $set, '--against', "$ENV{TMPDIR}/plain");
Slow::sound($j, 'against');
Slow::sets($j, 'against', durations(@all), durations(@fast));
as_planted($j, 'against', \@all, \@fast);

# ---- nothing planted: no finding ----

for my $seed (0 .. 3) {
	my $plain = "$ENV{TMPDIR}/plain$seed";
	Planted::made($plain, seed => $seed + 50);
	for my $how ([], ['--slow', 'gap'], ['--slow', 'top 10%']) {
		my $r = wakepath('compare', $plain, '--set', $set, @$how, '--format', 'json');
		my @said = $r->{status} ? () : grep { $_->{class} ne 'noise' } Slow::rows(json_of($r));
		is_deeply([map { step_of($_) . " $_->{class}" } @said], [], "nothing planted, $Planted::NOISE[$seed], @$how: no finding");
	}
	my $gap = json_of(wakepath('compare', $plain, '--set', $set, '--format', 'json'))->{gap};
	my $typed = wakepath('compare', $plain, '--set', $set, '--slow', 'gap');
	if ($gap) { is($typed->{status}, 0, 'a gap that was typed') } else { says($typed, 1, qr/no natural gap: .*'top P%'/, 'no gap, which was typed') }
}

done_testing();
