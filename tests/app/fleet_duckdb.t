#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The query for DuckDB in docs/fleet.md, over Parquet files of several hosts: the answer is that of sql --fleet, and of each host by itself.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use Test::More;

my $dir = "$ENV{TMPDIR}/fleet";
my @index = ('--index-dir', "$ENV{TMPDIR}/index");
mkdir $_ or die for $dir, "$dir/lake";
my $list = '';
my %p99;
for my $i (1 .. 4) {
	made_host("$dir/$i.txt", seed => $i, iterations => 60, hog => 5 * ($i % 2));
	$list .= "$dir/$i.txt\n";
	is(wakepath('export', @index, "$dir/$i.txt", '--format', 'parquet', '-o', "$dir/lake/web$i", '--tables', 'wakeup,host')->{status}, 0, "host $i is exported");
	my @latency = sort { $a <=> $b } map { $_->[0] } @{ json_of(wakepath('sql', @index, '--format', 'json', "$dir/$i.txt", 'SELECT latency FROM wakeup WHERE latency IS NOT NULL'))->{rows} };
	my $rank = 0.99 * @latency;
	$p99{"$i.txt"} = $latency[($rank == int $rank ? $rank : int($rank) + 1) - 1];
}
spew("$dir/hosts", $list);
my $all = json_of(wakepath('sql', @index, '--fleet', "$dir/hosts", '--format', 'json', 'SELECT host, count(*) FROM wakeup GROUP BY host'));
my %count = map { @$_ } @{ $all->{rows} };
is(scalar keys %count, 4, 'four hosts');

my ($query) = slurp("$ENV{TOP}/docs/fleet.md") =~ /^```sql\n(.*?)^```$/ms;
like($query, qr{'/lake/}, 'docs/fleet.md has a query for DuckDB');
$query =~ s{'/lake/}{'$dir/lake/};
SKIP: {
	open my $f, '-|', 'node', "$ENV{TOP}/tests/tools/duckdb.js", $query or skip 'needs node', 1;
	my @rows = map { perl_of($_) } <$f>;
	close $f;
	skip 'needs DuckDB: tests/tools/duckdb.js says how to get it', 1 if $? >> 8 == 77 || $? >> 8 == 127;
	is($?, 0, 'DuckDB answers');
	is(join(' ', map { "$_->[0]:$_->[1]:$_->[2]" } @rows), join(' ', map { "$_:$count{$_}:$p99{$_}" } sort { $p99{$b} <=> $p99{$a} || $a cmp $b } keys %p99), '... with the same rows');
}
done_testing;
