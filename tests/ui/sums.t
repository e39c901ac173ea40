#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The sums of a selection: events by name and time on a CPU, of a thread, a CPU and all, against babeltrace2's text; a count of many events is shown
# while it grows.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# The events in [FROM, TO) of the sample TRACE, ns since its first event: { all, cpu => { CPU }, thread => { TID } } of { name => n },
# and { on => { TID => ns } }.
sub count {
	my ($trace, $from, $to) = @_;
	my (%is, %on, %since, $first, $t);
	my $off = sub {
		my ($cpu) = @_;
		my ($a, $b) = ($since{$cpu} // 0, $t);
		($a, $b) = ($a > $from ? $a : $from, $b < $to ? $b : $to);
		$is{on}{ $on{$cpu} } += $b - $a if defined $on{$cpu} && $b > $a;
	};
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $name, $cpu, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): \{ cpu_id = (\d+)(.*)/ or next;
		$first //= "$s$ns";
		$t = "$s$ns" - $first;
		if ($t >= $from && $t < $to) {
			$is{all}{$name}++;
			$is{cpu}{$cpu}{$name}++;
			$is{thread}{ $on{$cpu} }{$name}++ if defined $on{$cpu};
		}
		next if $name ne 'sched_switch';
		$off->($cpu);
		($on{$cpu}) = $rest =~ /next_tid = (\d+)/;
		$since{$cpu} = $t;
	}
	close $f;
	$off->($_) for keys %on;
	return \%is;
}

# The events in the list on SCREEN: their number, and { name => n }.
sub events {
	my ($screen) = @_;
	my %names;
	$names{$2} = $1 while $screen =~ /^ +(\d+) +\d+\.\d%(?: \S+)? +(\S+)$/mg;
	my $sum = 0;
	$sum += $_ for values %names;
	my ($n) = $screen =~ /^\W+Events of .* (\d+) names?$/m;
	is($n, scalar keys %names, 'the number of names');
	return ($sum, \%names);
}

for my $case (['preempt', 60_000_000, 460_000_000, 'wk-victim', 0], ['pipeline', 100_000_000, 300_000_000, 'wk-stage0', 1], ['ioburst-ipi', 20_123_456, 61_000_001, 'wk-ioburst', 0]) {
	my ($trace, $from, $to, $thread, $cpu) = @$case;
	my $is = count($trace, $from, $to);
	my @got = screens_selected($trace, $from, $to, ['--show-tracer'], [], 'Home', 'dump s.txt', 'F4', 'dump a.txt', 'F4', ('j') x (2 + $cpu), 'F4', 'dump b.txt', 'F4', '/', qq("$thread"), 'Enter', ':', '"sums on"', 'Enter', 'dump c.txt');
	my $strip = pop @got;
	my ($tid) = $got[2] =~ /^ \S*\Q$thread\E\S*\[(\d+)\] .*of CPU/m;
	like($got[1], qr/^ CPU $cpu load \d/m, "$trace: the CPU");
	ok($tid, "$trace: the thread") or next;
	my @want = ($is->{all}, $is->{cpu}{$cpu}, $is->{thread}{$tid});
	for my $i (0 .. 2) {
		my $what = "$trace, " . ('all', "CPU $cpu", $thread)[$i];
		my ($all, $names) = events($got[$i]);
		my $sum = 0;
		$sum += $_ for values %{ $want[$i] };
		is($all, $sum, "$what: $sum events");
		is_deeply($names, $want[$i] // {}, "$what: by name");
	}
	my ($all, $first, $n) = $strip =~ /of \d+ CPUs  (\d+) events:  (\S+) (\d+)  /;
	my ($most) = sort { $b <=> $a } values %{ $is->{all} };
	is_deeply([$n, $is->{all}{$first}], [$most, $most], "$trace: the most frequent ones without the list");
	my ($shown, $unit) = $got[2] =~ /\] (\S+) (\S+) of CPU/;
	my $ns = $shown * { 's' => 1e9, 'ms' => 1e6, "\xc2\xb5s" => 1e3, 'ns' => 1 }->{$unit};
	ok(abs($ns - ($is->{on}{$tid} // 0)) <= 0.006 * $ns, "$trace: $thread had a CPU for $shown $unit") or diag "$ns, not " . ($is->{on}{$tid} // 0);
}

# For an interrupt's row the list has the events of its host, and the title says so.
spew("$ENV{TMPDIR}/script", join "\n", 'size 120 40', 'F4', 'Tab', 'Home', 'j', 'j', 'j', 'Space', 'j', "dump $ENV{TMPDIR}/irq", 'quit', '');
is(wakepath('view', sample('rpc-chain'), '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'a row of an interrupt');
like(slurp("$ENV{TMPDIR}/irq"), qr{^\W+Events of all CPUs of client  .*^ client/IRQ 15 }ms, '... which are of its host');
done_testing;
