#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A path for a ticket, and for flame graphs: each wait occurs once, and the sums are exact.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Perfetto;
use Test::More;

my ($from, $to) = (1795169151200000000, 1795169151260000000);
my @path = ('path', sample('rpc-chain'), '--thread', 'wk-client', '--from', $from, '--to', $to);
my $path = json_of(wakepath(@path, '--format', 'json'));

# ---- Markdown ----

my $r = wakepath(@path, '--format', 'markdown');
is($r->{status}, 0, 'a ticket') or diag($r->{err});
like($r->{out}, qr/\A### Critical path of client\/wk-client\\\[572\\\] from \S+ \S+, 60\.0 ms, \d+ segments\n/, 'the thread, the time, the duration');
my @traces = map { sample("rpc-chain/$_") =~ s/_/\\_/gr } qw(client db httpd);
like($r->{out}, qr/^- host \w+, kernel 6\.1\.0-50-amd64, trace \Q$_\E$/m, "where: $_") for @traces;
like($r->{out}, qr/\nMade by:\n\n    wakepath path \S+ --thread wk-client --from $from --to $to --format markdown\n\z/, 'the command that prints it again');
my ($again) = $r->{out} =~ /^    wakepath (.*)\n\z/m;
is(wakepath(split / /, $again)->{out}, $r->{out}, '… and does so');

# Each table under its heading: [cells of the headings], [cells of a line], …
my %tables;
while ($r->{out} =~ /^#### (.+)\n\n((?:\|.*\n)+)/mg) {
	my ($name, @lines) = ($1, split /\n/, $2);
	splice @lines, 1, 1;
	$tables{$name} = [map { [map { s/^ | $//gr } split /(?<!\\)\|/, s/^\||\|$//gr] } @lines];
}
is_deeply([sort keys %tables], ['Links', 'Segments', 'Time by actor'], 'three tables');
is(scalar @{ $tables{'Segments'} } - 1, scalar @{ $path->{segments} }, 'each segment is a line');
is(scalar @{ $tables{'Links'} } - 1, scalar @{ $path->{links} }, 'each link is a line');
cmp_ok(scalar @{ $path->{links} }, '>', 3, '… at least one');
is_deeply([map { $_->[5] } @{ $tables{'Links'} }], ['GRADE', map { $_->{grade} } @{ $path->{links} }], '… with its grade');
# Counted from the segments: the event that ended each wait.
for my $link (grep { $_->{kind} ne 'network' } @{ $path->{links} }) {
	is($link->{grade}, $path->{segments}[$link->{from}{segment}]{source}{grade}, 'a link has the grade of the event that ended the wait');
}
my $share = 0;
$share += $_->[1] =~ s/ %//r for @{ $tables{'Time by actor'} }[1 .. $#{ $tables{'Time by actor'} }];
cmp_ok(abs($share - 100), '<', 0.05 * @{ $tables{'Time by actor'} }, 'the sums add up to the whole time');

# ---- folded ----

$r = wakepath(@path, '--format', 'folded');
is($r->{status}, 0, 'folded') or diag($r->{err});
my @lines = split /\n/, $r->{out};
is_deeply([grep { !/^[^; ]+(;[^; ]+)+ \d+$/ } @lines], [], 'one line a stack, as flamegraph.pl reads it: frames, a blank, a number');
my %seen;
$seen{ s/ \d+$//r }++ for @lines;
is_deeply([grep { $seen{$_} > 1 } keys %seen], [], 'each stack once');
my $sum = 0;
$sum += $_ for map { / (\d+)$/ } @lines;
is($sum, $to - $from, 'the sum of the lines is the whole time');
is_deeply([grep { !/^client\/wk-client\[572\];/ } @lines], [], 'the subject is the root of all');
my %time;
for (@lines) {
	my ($actor, $kind, $ns) = /([^;]+);([^; ]+) (\d+)$/;
	$time{"$actor $kind"} += $ns;
}
my %of;
$of{ join ' ', ($_->{actor}{type} eq 'thread' ? "$_->{actor}{host}/$_->{actor}{name}\[$_->{actor}{tid}]" : "$_->{actor}{host}/$_->{actor}{name}") =~ s/ /_/gr, $_->{kind} } += $_->{duration}
	for @{ $path->{segments} };
is_deeply(\%time, \%of, 'the time of each actor and kind is that of its segments');

# ---- for Perfetto ----

$r = wakepath(@path, '--format', 'perfetto');
is($r->{status}, 0, 'a path for Perfetto') or diag($r->{err});
my $read = perfetto($r->{out});
is_deeply($read->{wrong}, [], "… that passes the rules of its importer");
$sum = 0;
$sum += $_->[1] - $_->[0] for map { @$_ } values %{ $read->{slices} };
is($sum, $to - $from, '… the sum of its parts is the whole time, to the nanosecond');
my @slices = sort { $a->[0] <=> $b->[0] } map { my $t = $_; map { [$_->[0] + $from, $_->[1] + $from, $_->[2], $read->{names}{$t}] } @{ $read->{slices}{$t} } } keys %{ $read->{slices} };
is_deeply(\@slices, [map { [@$_{qw(from to kind)}, $_->{actor}{type} eq 'thread' ? "$_->{actor}{host}/$_->{actor}{name}\[$_->{actor}{tid}]" : "$_->{actor}{host}/$_->{actor}{name}"] }
	@{ $path->{segments} }], '… each segment with its actor');
is_deeply([map { [$_->[0][0] + $from, $_->[2][0] + $from, $_->[4]] } @{ $read->{flows} }],
	[map { [$path->{segments}[$_->{from}{segment}]{from}, $path->{segments}[$_->{to}{segment}]{from}, $_->{kind}] } @{ $path->{links} }], '… each link from segment to segment');

# The window, against the text of babeltrace2: the threads on each CPU, by sched_switch alone.
my $pulse = sample('pulse');
my ($begin, $end) = @{ json_of(wakepath('info', $pulse, '--format', 'json')) }{qw(from to)};
$r = wakepath('flow', $pulse, '--show-tracer', '--format', 'perfetto');
is($r->{status}, 0, 'a window for Perfetto') or diag($r->{err});
$read = perfetto($r->{out});
is_deeply($read->{wrong}, [], "… that passes the rules of its importer");
my (%since, %on_cpu);
open my $events, '-|', 'babeltrace2', '--clock-seconds', '--no-delta', $pulse or die "babeltrace2: $!";
while (<$events>) {
	my ($s, $ns, $name, $cpu, $fields) = /^\[(\d+)\.(\d{9})\] \S+ (\w+): \{ cpu_id = (\d+) \}, .*?(\{.*)$/ or next;
	next if $name ne 'sched_switch';
	my ($prev, $next) = $fields =~ /prev_tid = (\d+),.*next_tid = (\d+)/ or die $_;
	my $time = $s * 1000000000 + $ns;
	push @{ $on_cpu{$prev} }, [$since{$cpu}, $time] if $prev && $since{$cpu};
	$since{$cpu} = $time;
}
close $events;
my ($thread) = grep { $read->{names}{$_} =~ /^wk-pulse\[/ } keys %{ $read->{names} };
my ($tid) = $read->{names}{$thread} =~ /\[(\d+)\]/;
my @ran; # the times on a CPU, neighbours joined
for (grep { $_->[2] =~ /^(?:usermode|syscall|running|interrupted)$/ } @{ $read->{slices}{$thread} }) {
	if (@ran && $ran[-1][1] == $_->[0] + $begin) { $ran[-1][1] = $_->[1] + $begin } else { push @ran, [$_->[0] + $begin, $_->[1] + $begin] }
}
my %known = map { ("@$_" => 1) } @ran;
my @missing = grep { !$known{"@$_"} } @{ $on_cpu{$tid} };
cmp_ok(scalar @{ $on_cpu{$tid} }, '>', 3, 'it ran several times');
is_deeply(\@missing, [], '… each time is there, to the nanosecond') or diag(explain(\@ran));
cmp_ok(scalar @{ $read->{flows} }, '>', 10, 'wake-ups are flows');
is_deeply([grep { $_->[2][3]{state} !~ /^(?:wait-cpu|new)$/ } grep { $_->[3] eq $thread } @{ $read->{flows} }], [], '… to the place where the thread becomes runnable');

# Every duration keeps its nanoseconds in every reader: all fractions of a window, and long ones.
$r = wakepath('flow', sample('rpc-chain'), '--host', 'client', '--from', $from, '--to', $from + 20000000, '--format', 'perfetto');
is_deeply(perfetto($r->{out})->{wrong}, [], 'one host of several');
is_deeply([grep { /^(?!client)/ } map { perfetto($r->{out})->{names}{$_} } keys %{ perfetto($r->{out})->{slices} }], [], '… and only that');
says(wakepath('flow', $pulse, '--from', '-1ns', '--host', 'nobody'), 1, qr/no host is called|nobody/, 'a host that is not there');

done_testing();
