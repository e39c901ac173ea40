#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The answers: keys and types of the JSON, contiguous states, equal numbers in every format.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0);
use Test::More;

my @states = qw(usermode syscall running interrupted wait-cpu preempted blocked new exited vcpu-preempted vcpu-exit waiting unknown);
my @source_keys = qw(kind thread context device virtual request packet timer work signal remote calls lossy grade text evidence);
my @kinds = qw(thread block network timer ipi irq softirq workqueue signal user-input fork unknown);

sub has_keys {
	my ($object, $keys, $name) = @_;
	my @lacking = grep { !exists $object->{$_} } @$keys;
	is_deeply(\@lacking, [], "$name has its keys");
}

sub ask { return json_of(wakepath(@_, '--format', 'json')) }

# True for a JSON integer: a number, not a text, without fraction.
sub all_integers {
	my ($name, @values) = @_;
	my @wrong = grep { !defined || JSON::PP->new->allow_nonref->encode($_) !~ /^-?\d+$/ } @values;
	is_deeply(\@wrong, [], "$name are integers");
}

sub check_source {
	my ($s, $name) = @_;
	has_keys($s, \@source_keys, "$name: SOURCE");
	ok((grep { $_ eq $s->{kind} } @kinds), "$name: kind $s->{kind}");
	like($s->{grade}, qr/^(proved|inferred|unknown)$/, "$name: grade");
	for (@{ $s->{context} }) {
		has_keys($_, [qw(type nr name cpu entry grade)], "$name: context");
		like($_->{type}, qr/^(irq|softirq|ipi|hrtimer|thread)$/, "$name: type of context");
	}
	has_keys($_, [qw(event time cpu)], "$name: evidence") for @{ $s->{evidence} };
}

sub check_states {
	my ($a, $from, $to, $name) = @_;
	my $i = $a->{intervals};
	my ($gaps, $alike, $empty) = (0, 0, 0);
	is($i->[0]{from}, $from, "$name: begins at the right time");
	is($i->[-1]{to}, $to, "$name: ends at the right time");
	for my $n (0 .. $#$i) {
		$empty++ if $i->[$n]{from} >= $i->[$n]{to};
		next if !$n;
		$gaps++ if $i->[$n]{from} != $i->[$n - 1]{to};
		my ($x, $y) = map { join '|', map { $_ // '' } @{ $i->[$_] }{qw(state detail cpu tid name)} } $n - 1, $n;
		$alike++ if $x eq $y;
	}
	is("$gaps $alike $empty", '0 0 0', "$name: no gap or overlap, no neighbours alike, none empty");
}

for my $name (qw(pipeline ioburst-ipi lockfight lost-events)) {
	my $trace = sample($name);
	my $info = ask('info', $trace);
	has_keys($info, [qw(traces from to index)], "$name: info");
	has_keys($info->{index}, [qw(path bytes built_in_ns version)], "$name: index");
	has_keys($info->{traces}[0], [qw(path host uuid tracer events discarded from to cpus missing_events warnings)], "$name: trace");
	all_integers("$name: info", @{ $info->{traces}[0] }{qw(events discarded from to cpus)}, @{ $info->{index} }{qw(bytes version)});
	is($info->{index}{bytes}, -s $info->{index}{path}, "$name: size of the index");

	my $threads = ask('threads', $trace)->{threads};
	has_keys($threads->[0], [qw(host tid pid ppid name names first last cpu_time wakeups states)], "$name: thread");
	my @bad = grep { sum0(values %{ $_->{states} }) != $_->{last} - $_->{first} } @$threads;
	is_deeply(\@bad, [], "$name: the states of each thread fill its life");
	is_deeply([sort keys %{ $threads->[0]{states} }], [sort @states], "$name: names of states");

	my ($thread) = sort { $b->{wakeups} <=> $a->{wakeups} } grep { $_->{tid} } @$threads;
	my @t = ($trace, '--thread', $thread->{tid});
	my $s = ask('states', @t);
	has_keys($s->{subject}, [qw(type host tid name)], "$name: subject");
	has_keys($s->{intervals}[0], [qw(from to state detail cpu interrupted_by)], "$name: interval");
	check_states($s, $thread->{first}, $thread->{last}, "$name: thread $thread->{tid}");
	my %sum;
	$sum{$_->{state}} += $_->{to} - $_->{from} for @{ $s->{intervals} };
	is_deeply(\%sum, { map { $_ => $thread->{states}{$_} } keys %sum }, "$name: sums agree with threads");
	is(scalar(grep { ($_->{state} eq 'interrupted') != defined $_->{interrupted_by} } @{ $s->{intervals} }), 0,
		"$name: interrupted_by where interrupted");

	my $cpu = ask('states', $trace, '--cpu', '0');
	has_keys($cpu->{intervals}[0], [qw(from to state detail cpu interrupted_by tid name)], "$name: interval of a CPU");
	check_states($cpu, $info->{from}, $info->{to}, "$name: CPU 0");
	is(scalar(grep { $_->{state} !~ /^(idle|usermode|syscall|running|interrupted|unknown)$/ } @{ $cpu->{intervals} }), 0, "$name: states of a CPU");

	my $w = ask('wakeups', @t)->{wakeups};
	is(scalar @$w, $thread->{wakeups}, "$name: as many wake-ups as threads says");
	has_keys($w->[0], [qw(time cpu target_cpu source ran_at latency)], "$name: wake-up");
	check_source($_->{source}, "$name: wake-up") for @$w[0 .. ($#$w > 20 ? 20 : $#$w)];
	is(scalar(grep { defined $_->{ran_at} && $_->{latency} != $_->{ran_at} - $_->{time} } @$w), 0, "$name: latencies");

	my $p = ask('path', @t);
	has_keys($p, [qw(subject from to segments links summary)], "$name: path");
	has_keys($p->{segments}[0], [qw(from to actor kind detail source depth on_path_because error grade)], "$name: segment");
	has_keys($p->{segments}[0]{actor}, [qw(type host tid name)], "$name: actor");
	has_keys($_, [qw(at arrival from to kind)], "$name: link") for @{ $p->{links} }[0 .. 0];
	has_keys($p->{summary}[0], [qw(actor kind time share segments)], "$name: summary");
	check_source($_->{source}, "$name: path") for (grep { $_->{source} } @{ $p->{segments} })[0 .. 0];
	my $at = $p->{from};
	for (@{ $p->{segments} }) { last if $_->{from} != $at || $_->{to} <= $at; $at = $_->{to} }
	is($at, $p->{to}, "$name: segments cover the window exactly once");
	is(sum0(map { $_->{time} } @{ $p->{summary} }), $p->{to} - $p->{from}, "$name: the summary too");

	has_keys($_, [qw(event why command)], "$name: advice") for @{ $info->{traces}[0]{advice} };
	is(scalar(grep { my $m = $_; !grep { $_->{event} eq $m } @{ $info->{traces}[0]{advice} } } @{ $info->{traces}[0]{missing_events} }), 0,
		"$name: a command line for each event that was not recorded");

	my $c = ask('causes', $trace, '--thread', $t[2], '--top', 1000);
	has_keys($c, [qw(from to causes)], "$name: causes");
	has_keys($_, [qw(kind cause subject count time proved inferred unknown longest longest_thread longest_end)], "$name: cause") for @{ $c->{causes} }[0 .. 0];
	my %ns;
	$ns{ $_->{kind} =~ /^(preempted|wait-cpu)$/ ? $1 : 'wait' } += $_->{time} for @{ $c->{causes} };
	is($ns{wait} // 0, sum0(map { $_->{time} - $_->{since} }
		grep { defined $_->{since} } @$w), "$name: the times of causes are those of the waits");
	for my $state ('preempted', 'wait-cpu') {
		is($ns{$state} // 0, sum0(map { $_->{to} - $_->{from} } grep { $_->{state} eq $state } @{ $s->{intervals} }), "$name: and those of $state");
	}
	is(scalar(grep { $_->{count} != $_->{proved} + $_->{inferred} + $_->{unknown} } @{ $c->{causes} }), 0, "$name: each wait has a grade");

	my $l = ask('latency', $trace, '--kind', 'wakeup', '--top', 5);
	has_keys($l, [qw(kind unit count min max mean stddev p50 p90 p99 p999 outliers outliers_over unfinished histogram worst)], "$name: latency");
	has_keys($l->{worst}[0], [qw(start end latency subject cause cpu blame)], "$name: worst");
	is(sum0(map { $_->{count} } @{ $l->{histogram} }), $l->{count}, "$name: the histogram holds all cases");
	is($l->{worst}[0]{latency}, $l->{max}, "$name: the worst is the largest");
	is(scalar @{ $l->{worst} }, 5, "$name: --top");

	# The answer in other formats.
	my $csv = csv_of(wakepath('states', @t, '--format', 'csv'));
	is(scalar @$csv - 1, scalar @{ $s->{intervals} }, "$name: as many intervals in CSV");
	is_deeply([@{ $csv->[1] }[0 .. 2]], [@{ $s->{intervals}[0] }{qw(from to state)}], "$name: the first is the same");
	for (['threads', $trace], ['info', $trace], ['wakeups', @t], ['path', @t], ['latency', $trace, '--kind', 'wakeup'],
	     ['latency', $trace, '--kind', 'wakeup', '--histogram']) {
		my $lines = csv_of(wakepath(@$_, '--format', 'csv'));
		ok(@$lines > 1 && !(grep { @$_ != @{ $lines->[0] } } @$lines), "$name: $_->[0] as CSV is one table");
		my $text = wakepath(@$_);
		is($text->{status}, 0, "$name: $_->[0] as text");
		no_raw_controls($text->{out}, "$name: $_->[0] as text");
	}
}

# A window, and -o.
my @t = (sample('pipeline'), '--thread', 'wk-pipe-main');
my $info = ask('info', sample('pipeline'));
check_states(ask('states', @t, '--from', '+250ms', '--to', '+300ms'), $info->{from} + 250e6, $info->{from} + 300e6, 'a window');
check_states(ask('states', @t, '--from', '10:03:04.95', '--to', '1795168984960000000'), 1795168984950000000, 1795168984960000000,
	'a window by clock and by nanoseconds');
my $wide = ask('states', @t, '--from', '+0s', '--to', '+900ms');
check_states($wide, $info->{from}, $info->{from} + 900e6, 'a window that is longer than the life');
is($wide->{intervals}[0]{state}, 'unknown', 'before its birth a thread is unknown');
is($wide->{intervals}[-1]{state}, 'exited', 'and exited after its end');
my $file = "$ENV{TMPDIR}/out.json";
my $r = wakepath('states', @t, '--format', 'json', '-o', $file);
is($r->{out}, '', '-o: nothing on standard output');
is(slurp($file), wakepath('states', @t, '--format', 'json')->{out}, '-o: the same bytes');
says(wakepath('states', @t, '-o', "$ENV{TMPDIR}/no/such/out"), 3, qr{cannot write .*/no/such/out}, '-o into a missing folder');
says(wakepath('states', @t, '-o', '/dev/full'), 3, qr{cannot write /dev/full: No space left}, '-o on a full device');

# Warnings: once each on standard error, and in info.
$r = wakepath('threads', sample('lost-events'));
my @warnings = $r->{err} =~ /^wakepath: warning: (.*)$/mg;
is(scalar(grep { /lost \d+ events/ } @warnings), 1, 'lost events give one warning');
ok((grep { /lost \d+ events/ } @{ ask('info', sample('lost-events'))->{traces}[0]{warnings} }), '… and are in info');

# Several hosts.
my $rpc = ask('threads', sample('rpc-chain'));
is_deeply([sort keys %{ { map { $_->{host} => 1 } @{ $rpc->{threads} } } }], [qw(client db httpd)], 'three hosts');
is(ask('states', sample('rpc-chain'), '--thread', 'httpd/wk-server')->{subject}{host}, 'httpd', 'HOST/NAME');

done_testing();
