#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A path for a ticket, and for flame graphs: what was waited for stands there once, and sums exactly.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my ($from, $to) = (1795169151200000000, 1795169151260000000);
my @path = ('path', sample('rpc-chain'), '--thread', 'wk-client', '--from', $from, '--to', $to);
my $path = json_of(wakepath(@path, '--format', 'json'));

# ---- Markdown ----

my $r = wakepath(@path, '--format', 'markdown');
is($r->{status}, 0, 'a ticket') or diag($r->{err});
like($r->{out}, qr/\A### Critical path of client\/wk-client\\\[572\\\] from \S+ \S+, 60\.0 ms, \d+ segments\n/, 'who, when, how long');
my @traces = map { sample("rpc-chain/$_") =~ s/_/\\_/gr } qw(client db httpd);
like($r->{out}, qr/^- host \w+, kernel 6\.1\.0-50-amd64, trace \Q$_\E$/m, "where: $_") for @traces;
like($r->{out}, qr/\nMade by:\n\n    wakepath path \S+ --thread wk-client --from $from --to $to --format markdown\n\z/, 'how to have it again');
my ($again) = $r->{out} =~ /^    wakepath (.*)\n\z/m;
is(wakepath(split / /, $again)->{out}, $r->{out}, '… which does so');

# Each table under its heading: [cells of the headings], [cells of a line], …
my %tables;
while ($r->{out} =~ /^#### (.+)\n\n((?:\|.*\n)+)/mg) {
	my ($name, @lines) = ($1, split /\n/, $2);
	splice @lines, 1, 1;
	$tables{$name} = [map { [map { s/^ | $//gr } split /(?<!\\)\|/, s/^\||\|$//gr] } @lines];
}
is_deeply([sort keys %tables], ['The path', 'Where the time went', 'Who woke whom'], 'three tables');
is(scalar @{ $tables{'The path'} } - 1, scalar @{ $path->{segments} }, 'each segment is a line');
is(scalar @{ $tables{'Who woke whom'} } - 1, scalar @{ $path->{links} }, 'each link is a line');
cmp_ok(scalar @{ $path->{links} }, '>', 3, '… of which there are some');
is_deeply([map { $_->[5] } @{ $tables{'Who woke whom'} }], ['GRADE', map { $_->{grade} } @{ $path->{links} }], '… with how sure it is');
# Counted from the segments: what ended each wait.
for my $link (grep { $_->{kind} ne 'network' } @{ $path->{links} }) {
	is($link->{grade}, $path->{segments}[$link->{from}{segment}]{source}{grade}, 'a link is as sure as what ended the wait');
}
my $share = 0;
$share += $_->[1] =~ s/ %//r for @{ $tables{'Where the time went'} }[1 .. $#{ $tables{'Where the time went'} }];
cmp_ok(abs($share - 100), '<', 0.05 * @{ $tables{'Where the time went'} }, 'the sums are all of the time');

# ---- folded ----

$r = wakepath(@path, '--format', 'folded');
is($r->{status}, 0, 'folded') or diag($r->{err});
my @lines = split /\n/, $r->{out};
is_deeply([grep { !/^[^; ]+(;[^; ]+)+ \d+$/ } @lines], [], 'a line a stack, as flamegraph.pl has it: frames, a blank, a number');
my %seen;
$seen{ s/ \d+$//r }++ for @lines;
is_deeply([grep { $seen{$_} > 1 } keys %seen], [], 'each stack once');
my $sum = 0;
$sum += $_ for map { / (\d+)$/ } @lines;
is($sum, $to - $from, 'all of the time once');
is_deeply([grep { !/^client\/wk-client\[572\];/ } @lines], [], 'the subject is at the root of all');
my %time;
for (@lines) {
	my ($actor, $kind, $ns) = /([^;]+);([^; ]+) (\d+)$/;
	$time{"$actor $kind"} += $ns;
}
my %of;
$of{ join ' ', ($_->{actor}{type} eq 'thread' ? "$_->{actor}{host}/$_->{actor}{name}\[$_->{actor}{tid}]" : "$_->{actor}{host}/$_->{actor}{name}") =~ s/ /_/gr, $_->{kind} } += $_->{duration}
	for @{ $path->{segments} };
is_deeply(\%time, \%of, 'of each actor and kind as much as its segments have');

done_testing();
