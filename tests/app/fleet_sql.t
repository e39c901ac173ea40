#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# sql --fleet: the answer of several hosts together, against sums over the rows of each host by itself; queries that cannot be combined are refused.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use List::Util qw(sum min max);
use Test::More;

my $dir = "$ENV{TMPDIR}/fleet";
my @index = ('--index-dir', "$ENV{TMPDIR}/index");
mkdir $dir or die;
my $HOSTS = 9;
my $list = '';
for my $i (1 .. $HOSTS) {
	made_host("$dir/$i.txt", seed => $i, iterations => 80, disk => $i == 4 ? 3 : 1, hog => $i % 3 ? 0 : 12);
	$list .= "host$i $i.txt\n";
}
spew("$dir/hosts", $list);

sub ask { my ($query, @more) = @_; return wakepath('sql', @index, '--fleet', "$dir/hosts", '--format', 'json', @more, $query) }
sub rows {
	my ($query) = @_;
	my $r = ask($query);
	is($r->{status}, 0, $query) or diag($r->{err});
	return map { [@$_] } @{ json_of($r)->{rows} // [] };
}

# The rows of all hosts, each asked by itself.
my $FROM = 'FROM sched s JOIN thread t USING (utid)';
my @all;
for my $i (1 .. $HOSTS) {
	my $one = json_of(wakepath('sql', @index, '--format', 'json', "$dir/$i.txt", "SELECT t.name, s.dur, s.end_state $FROM"));
	push @all, map { [@$_, $i] } @{ $one->{rows} };
}
my %by;
push @{ $by{$_->[0]} }, $_->[1] for @all;

sub rank { my ($p, @x) = @_; @x = sort { $a <=> $b } @x; my $n = $p * @x; $n = int $n == $n ? $n : int($n) + 1; return $x[max($n, 1) - 1] }

my @rows = rows("SELECT t.name, count(*) n, sum(s.dur), min(s.dur), max(s.dur), avg(s.dur), quantile(s.dur, 0.9) q $FROM GROUP BY t.name ORDER BY n DESC, 1");
is(join(' ', map { $_->[0] } @rows), join(' ', sort { @{ $by{$b} } <=> @{ $by{$a} } || $a cmp $b } keys %by), 'the groups, in the order asked for');
for (@rows) {
	my ($name, $n, $sum, $least, $most, $mean, $q) = @$_;
	my @x = @{ $by{$name} };
	is($n, scalar @x, "$name: count");
	is($sum, sum(@x), '... sum');
	is($least, min(@x), '... min');
	is($most, max(@x), '... max');
	cmp_ok(abs($mean - sum(@x) / @x), '<', 1, '... avg');
	cmp_ok(abs($q - rank(0.9, @x)), '<=', rank(0.9, @x) / 256 + 1, '... quantile, within 0.4 %');
}
is_deeply([rows("SELECT count(*), sum(s.dur) / count(*) $FROM")], [[scalar @all, int(sum(map { $_->[1] } @all) / @all)]], 'without groups');
my $limit = 1_000_000;
is_deeply([rows("SELECT count(*) $FROM WHERE s.dur > ms('1ms') AND t.name <> 'a ''quoted'' (name'")], [[scalar grep { $_->[1] > $limit } @all]], 'WHERE');
my @many = sort { $b->[1] <=> $a->[1] || $a->[0] cmp $b->[0] } grep { $_->[1] > 50 } map { [$_, scalar @{ $by{$_} }] } keys %by;
is_deeply([rows("SELECT t.name AS \"the name\", count(*) $FROM GROUP BY 1 HAVING count(*) > 50 ORDER BY count(*) DESC, t.name LIMIT 2 OFFSET 1")], [grep { defined } @many[1 .. 2]], 'HAVING, ORDER BY, LIMIT, OFFSET');
my %state;
push @{ $state{ $_->[0] . '/' . ($_->[2] // '') } }, $_->[1] for @all;
is_deeply([rows("SELECT sum(s.dur) /* all */ - max(s.dur) $FROM GROUP BY s.end_state, t.name ORDER BY 1 -- the end")],
	[map { [$_] } sort { $a <=> $b } map { sum(@$_) - max(@$_) } values %state], 'keys that are not selected');
is_deeply([rows("SELECT DISTINCT t.name $FROM ORDER BY 1")], [map { [$_] } sort keys %by], 'DISTINCT');
my @longest = (sort { $b <=> $a } map { $_->[1] } @all)[0 .. 6];
is_deeply([rows("SELECT s.dur $FROM ORDER BY dur DESC LIMIT 7")], [map { [$_] } @longest], 'rows, not summed up');
is_deeply([rows("SELECT s.dur $FROM ORDER BY dur DESC LIMIT 3 OFFSET 4")], [map { [$_] } @longest[4 .. 6]], '... from the middle');
is_deeply([rows("SELECT min(dur, 5) x, count(*) $FROM WHERE utid IN (SELECT utid FROM thread WHERE name = 'worker') GROUP BY x")], [[5, scalar grep { $_ > 5 } @{ $by{worker} }]], 'min() of two, a subquery of rows');
is_deeply([rows("SELECT max(dur), quantile(dur, 0.5), sum(dur), avg(dur), count(*) $FROM WHERE 0")], [[undef, undef, undef, undef, 0]], 'nothing at all');
is_deeply([rows('SELECT host, count(*) FROM sched GROUP BY host ORDER BY host')], [map { my $i = $_; ["host$i", scalar grep { $_->[3] == $i } @all] } 1 .. $HOSTS], 'hosts have the names of the list');
is_deeply([rows("SELECT count(*) >= 5, sum(s.dur)<=9 $FROM")], [[1, 0]], 'operators of two signs');
my ($time) = json_of(ask("SELECT max(ts), ts FROM sched GROUP BY ts ORDER BY ts LIMIT 1"))->{columns}[1]{type};
is($time, 'time', 'a key keeps its type');
like(wakepath('sql', @index, '--fleet', "$dir/hosts", "SELECT count(*) FROM sched")->{out}, qr/^count\(\*\)\n +@{[scalar @all]}$/m, 'text');

# Refused queries, with the place of the error.
for ([ 'SELECT count(DISTINCT name) FROM thread', 'DISTINCT' ],
	[ 'SELECT stddev(dur) FROM sched', 'this aggregate' ],
	[ 'SELECT group_concat(name) FROM thread', 'this aggregate' ],
	[ 'SELECT first(dur, ts) FROM sched', 'this aggregate' ],
	[ 'SELECT cpu, dur FROM sched GROUP BY cpu', 'neither an aggregate' ],
	[ 'SELECT *, count(*) FROM sched', 'name the columns' ],
	[ 'SELECT name FROM thread UNION SELECT name FROM process', 'several SELECTs' ],
	[ 'WITH a AS (SELECT 1) SELECT * FROM a', 'WITH' ],
	[ 'SELECT sum(dur) OVER () FROM sched', 'window function' ],
	[ 'SELECT count(*) FILTER (WHERE dur > 1) FROM sched', 'FILTER' ],
	[ 'SELECT count(*) FROM (SELECT utid, max(dur) FROM sched GROUP BY utid)', 'a subquery' ],
	[ 'SELECT name FROM thread WHERE utid = (SELECT utid FROM sched ORDER BY dur LIMIT 1)', 'a subquery' ],
	[ 'SELECT DISTINCT count(*) FROM sched', 'DISTINCT of sums' ],
	[ 'SELECT 1; SELECT 2', 'one statement' ],
	[ 'SELECT count(*) FROM sched s JOIN cpu c ON c.cpu = s.cpu', 'rows of several hosts would meet' ],
	[ 'SELECT utid, count(*) FROM sched GROUP BY utid', 'add host' ],
	[ 'SELECT upper(name) AS name, count(*) FROM thread GROUP BY name', 'name is a column, and the name of a result' ],
	[ 'DELETE FROM thread', 'one SELECT' ],
	[ 'SELECT no_such FROM thread', 'no such column' ],
	[ 'SELECT quantile(dur * 1.5, 0.5) FROM sched', 'of reals' ]) {
	my ($query, $why) = @$_;
	my $r = ask($query);
	is($r->{status}, 2, "refused: $query");
	like($r->{err}, qr/\Q$why\E/, '... and the reason');
}
# Texts that are not queries end with one message.
for my $query ('', ';', '(', ')', "SELECT '", 'SELECT "', 'SELECT [a', 'SELECT count(', 'SELECT count(* FROM', 'SELECT', 'SELECT FROM', 'SELECT a FROM', 'SELECT 1 GROUP', 'SELECT 1 ORDER BY',
	'SELECT 1 LIMIT', 'SELECT quantile(1) FROM sched', 'SELECT quantile(, 1) FROM sched', '/*', '--', 'SELECT sum() FROM sched', "SELECT \xc3\xa4 FROM sched", 'SELECT ' . '(' x 200 . '1' . ')' x 200, 'SELECT ,', 'SELECT count(*) AS FROM sched') {
	my $r = ask($query);
	is($r->{signal}, 0, 'no crash: ' . substr $query, 0, 40);
	cmp_ok($r->{status}, '>=', 1, '... but an error');
}

# Hosts that cannot answer.
spew("$dir/some", "host1 1.txt\ngone gone.txt\nhost2 2.txt\n");
my $r = wakepath('sql', @index, '--fleet', "$dir/some", '--format', 'csv', 'SELECT count(*) FROM sched');
is($r->{status}, 0, 'a host that is not there');
like($r->{err}, qr/gone is left out: /, '... is named');
is((split /\n/, $r->{out})[1], scalar(grep { $_->[3] <= 2 } @all), '... and the others answer');
wakepath('index', @index, '--summary', map { "$dir/$_.txt" } 1 .. 3);
$r = wakepath('sql', @index, '--fleet', "$ENV{TMPDIR}/index", '--format', 'csv', 'SELECT count(*) FROM sched');
is((split /\n/, $r->{out})[1], scalar(grep { $_->[3] <= 3 } @all), 'a folder of summaries: their traces');
is(wakepath('sql', '--fleet', "$dir/hosts", "$dir/1.txt", 'SELECT 1')->{status}, 2, '--fleet and a trace');

done_testing;
