#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A query of unknown origin can only read the trace, in bounded memory; it ends when it is interrupted, and leaves nothing.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;
use Time::HiRes qw(sleep time);

my $trace = sample('pipeline');

# ---- refused queries ----

my $secret = "$ENV{TMPDIR}/secret";
spew($secret, "secret\n");
chdir $ENV{TMPDIR} or die;
wakepath('sql', $trace, 'SELECT count(*) FROM wakepath_tables');	# so its index exists
my $before = join "\n", files_below($ENV{TMPDIR});
my $only = qr/only SELECT is allowed: a query reads the trace and nothing else|table \w+ may not be modified|vtable constructor failed/;
for my $query ("ATTACH 'new.db' AS x", "ATTACH '$secret' AS x", 'DETACH main', 'PRAGMA writable_schema = 1', 'PRAGMA temp_store_directory = "/"', 'PRAGMA temp_store = 2',
	'SELECT * FROM pragma_database_list', 'CREATE TABLE x(a)', 'CREATE TEMP TABLE x AS SELECT 1', 'CREATE VIEW x AS SELECT 1', 'CREATE VIRTUAL TABLE x USING fts5(a)',
	'CREATE VIRTUAL TABLE x USING thread', 'DROP TABLE thread', 'INSERT INTO thread(utid) VALUES (1)', 'DELETE FROM wakeup', "UPDATE sqlite_master SET sql = ''", 'ALTER TABLE thread RENAME TO x',
	"VACUUM INTO 'new.db'", 'VACUUM', 'REINDEX', 'ANALYZE', 'BEGIN', 'SAVEPOINT x', "SELECT load_extension('$secret')", 'SELECT * FROM json_each(1)') {
	my $r = wakepath('sql', $trace, $query);
	is("$r->{status} $r->{signal}", '2 0', $query);
	like($r->{err}, $query =~ /^(?:DROP|VACUUM$|ALTER|ANALYZE|REINDEX|CREATE VIRTUAL TABLE x USING thread|PRAGMA temp_store_d)/ ? qr/\Awakepath: / : $only, '… is refused');
	is($r->{out}, '', '… and prints nothing');
}
for my $function (qw(readfile writefile edit lsdir fsdir fts3_tokenizer)) {
	my $r = wakepath('sql', $trace, "SELECT $function('$secret')");
	is("$r->{status} $r->{out}", '2 ', "$function() does not exist");
	unlike($r->{err}, qr/secret\n.*secret/s, '… and reads nothing');
}
is(join("\n", files_below($ENV{TMPDIR})), $before, 'no file is made');
is(slurp($secret), "secret\n", '… or changed');

# ---- too large queries ----

my $deep = '(' x 5000 . '1' . ')' x 5000;
my $many = join ' UNION ALL ', ('SELECT 1') x 1000;
my $long = 'SELECT ' . join '+', (1) x 100_000;
for my $query ("SELECT $deep", $many, $long, 'SELECT zeroblob(2000000000)', 'SELECT length(randomblob(1000000000))', "SELECT replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))",
	'SELECT group_concat(hex(zeroblob(1000000))) FROM thread', 'SELECT ' . join(',', 1 .. 65), "SELECT printf('%.*c', 2000000000, 'x') || 'x'", "SELECT 'x' LIKE '" . '%x' x 1000 . "'",
	"SELECT * FROM overlap('SELECT ts, dur FROM overlap(''x'', ''y'')', 'sched')") {
	my $r = wakepath('sql', $trace, $query);
	my $shown = substr $query, 0, 60;
	is("$r->{status} $r->{signal}", $query =~ /printf/ ? '0 0' : '2 0', "$shown …");
	cmp_ok(length $r->{err}, '<', 1000, '… in a few words');
}

# ---- memory: with it all, below 192 MB ----

my $endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c';
{
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# sanitizers take memory of their own
	for my $query ([ "$endless) SELECT quantile(x, .5) FROM c", 3 ], [ "$endless LIMIT 3000000) SELECT x % 7, count(*), quantile(x, .5) FROM c GROUP BY 1", 0 ],
		[ "$endless LIMIT 1000000) SELECT group_concat(x) FROM c", 2 ], [ "$endless LIMIT 1000000) SELECT hex(x) || hex(zeroblob(20)), count(*) FROM c GROUP BY 1 ORDER BY 2 LIMIT 3", 0 ],
		[ "$endless LIMIT 300000) SELECT count(DISTINCT hex(x) || hex(zeroblob(100))) FROM c", 0 ],
		[ "SELECT count(*) FROM overlap('$endless LIMIT 200000) SELECT 1, 5000000000, 1 FROM c', 'sched')", 3 ]) {
		my $r = measured(undef, 'sql', $trace, $query->[0]);
		is("$r->{status} $r->{signal}", "$query->[1] 0", $query->[0]) or diag($r->{err});
		cmp_ok($r->{memory}, '<', 192 * 1024, '… in bounded memory');
		like($r->{err}, qr/\Awakepath: [^\n]+\n\z/, '… gives the reason in one line') if $query->[1];
	}
}

# ---- endless queries are interrupted ----

# Start QUERY, interrupt it by SIGNAL; returns the time that it took to end, and its status.
sub interrupted {
	my ($signal, $query) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', "$ENV{TMPDIR}/err";
		{ exec $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH}, 'sql', $trace, $query }
		POSIX::_exit(127);
	}
	sleep 0.5;
	kill $signal, $pid;
	my $sent = time;
	waitpid $pid, 0;
	return ($? >> 8, $? & 127, time - $sent);
}
my @endless = ("$endless) SELECT count(*) FROM c", 'SELECT count(*) FROM thread_state a, thread_state b, thread_state c', 'SELECT count(*) FROM event a, event b, event c',
	'SELECT count(*) FROM wakeup a JOIN wakeup b ON a.kind <> b.kind JOIN wakeup c JOIN wakeup d', "SELECT count(*) FROM windows(1)", "SELECT count(*) FROM windows(1) WHERE ts = 'x'",
	'SELECT count(*) FROM thread_state a JOIN sched b JOIN running_on(0, b.ts, 9e18)', "$endless) SELECT count(DISTINCT x || 'x') FROM c");
for my $query (@endless) {
	my ($status, $signal, $took) = interrupted('INT', $query);
	is("$status $signal", '130 0', $query) or diag(slurp("$ENV{TMPDIR}/err"));
	cmp_ok($took, '<', 1, '… at once');	# 0.1 s on a machine without other load
	like(slurp("$ENV{TMPDIR}/err"), qr/\Awakepath: interrupted\n\z/, '… and says so');
}

# ---- a killed one leaves nothing ----

my $folder = "$ENV{TMPDIR}/temporary";
mkdir $folder or die;
{
	local $ENV{TMPDIR} = $folder;
	local $ENV{SQLITE_TMPDIR} = $folder;
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', '/dev/null';
		{ exec $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH}, 'sql', $trace, "$endless) SELECT count(DISTINCT x || hex(zeroblob(500))) FROM c" }
		POSIX::_exit(127);
	}
	my $held = 0;
	for (1 .. 400) {
		$held ||= grep { (readlink $_ // '') =~ /^\Q$folder\E/ } glob "/proc/$pid/fd/*";
		last if $held;
		sleep 0.02;
	}
	ok($held, 'data that does not fit into memory is in a file');
	kill 'KILL', $pid;
	waitpid $pid, 0;
}
is(join(' ', files_below($folder)), '', '… which is gone at the end');

# ---- a full disk ----

SKIP: {
	my $disk = small_disk('4m');
	skip 'no right to mount a small disk', 3 if !$disk;
	local $ENV{TMPDIR} = $disk;
	local $ENV{SQLITE_TMPDIR} = $disk;
	my $r = wakepath('sql', $trace, "$endless) SELECT count(DISTINCT x || hex(zeroblob(500))) FROM c");
	is("$r->{status} $r->{out}", '3 ', 'a full disk ends a query');
	like($r->{err}, qr/\Awakepath: cannot sort in the folder for temporary files: [^\n]+: make room there, or set TMPDIR\n\z/, '… with a message');
	is(join(' ', files_below($disk)), '', '… and nothing is left');
}

done_testing;
