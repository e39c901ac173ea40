#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# export: SQLite's own shell, and DuckDB where installed, read the rows from the database and the Parquet files that sql prints; nothing half-written
# remains.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Ftrace;
use Wake;
use Test::More;

my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';
my $dir = $ENV{TMPDIR};
my $null = chr 1;	# represents NULL: no text of a trace contains it

# Rows, each a list, as sorted lines.
sub lines_of_lists { return [ sort map { join '|', map { $_ // $null } @$_ } @_ ] }

# The columns and all rows of TABLE by sql.
sub by_sql {
	my ($trace, $table) = @_;
	my $r = json_of(wakepath('sql', $trace, "SELECT * FROM \"$table\"", '--format', 'json'));
	my @at = (0 .. $#{ $r->{columns} });
	return ($r->{columns}, [ map { [ map { ref $_ ? ($$_ ? 1 : 0) : $_ } @$_ ] } @{ $r->{rows} } ]);
}

sub by_sqlite {
	my ($file, $table) = @_;
	open my $f, '-|', 'sqlite3', '-readonly', '-json', $file, "SELECT * FROM \"$table\"" or die "sqlite3: $!";
	local $/;
	my $text = <$f>;
	close $f or die "sqlite3: status $?";
	return length $text ? perl_of($text) : [];
}

my @traces = map { [ $_, sample($_) ] } qw(pipeline rpc-chain lockfight);
push @traces, map { [ $_ =~ m{([^/]+)$}, $_ ] } grep { -e } glob "$inputs/*/trace.dat $inputs/*/perf.data";

for my $trace (@traces) {
	my ($name, $path) = @$trace;
	my $db = "$dir/$name.db";
	my $r = wakepath('export', $path, '--format', 'sqlite', '-o', $db);
	is($r->{status}, 0, "$name: a database") or diag($r->{err});
	is($r->{out}, '', '… nothing is printed');
	open my $f, '-|', 'sqlite3', '-readonly', $db, "SELECT name FROM sqlite_master" or die "sqlite3: $!";
	my @tables = map { chomp; $_ } <$f>;
	close $f;
	my ($columns, $listed) = by_sql($path, 'wakepath_tables');
	my %left_out = map { $_ => 1 } $r->{err} =~ /warning: (\w+) is left out/g;
	is_deeply([ sort @tables ], [ sort grep { $_ ne 'event' && !$left_out{$_} } map { $_->[0] } grep { $_->[2] ne 'function' } @$listed ], '… all tables');
	for my $table (grep { /^(?:thread|wakeup|thread_state|sched|host|sched_switch|irq|latency|request_net)$/ } @tables) {
		my ($columns, $rows) = by_sql($path, $table);
		my @got = map { my $row = $_; [ map { $row->{ $_->{name} } } @$columns ] } @{ by_sqlite($db, $table) };
		# Each program prints reals with another number of digits.
		my @real = grep { ($columns->[$_]{type} // '') eq 'real' } 0 .. $#$columns;
		for my $row (@got, @$rows) { $row->[$_] = defined $row->[$_] ? sprintf('%.9g', $row->[$_]) : undef for @real }
		is_deeply(lines_of_lists(@got), lines_of_lists(@$rows), "$name: $table, row by row");
	}
}

# ---- Parquet ----

my $node = (grep { -x "$_/node" } split /:/, $ENV{PATH})[0];
for my $name (qw(pipeline rpc-chain)) {
	my $folder = "$dir/$name-parquet";
	my $r = wakepath('export', sample($name), '--format', 'parquet', '-o', $folder, '--tables', 'thread,wakeup,sched_switch,host');
	is($r->{status}, 0, "$name: Parquet") or diag($r->{err});
	my @hosts = map { $_->[0] } @{ (by_sql(sample($name), 'host'))[1] };
	my @files = map { substr $_, length($folder) + 1 } files_below($folder);
	is(scalar(grep { m{^wakeup/host=[\w.%-]+/part-0\.parquet$} } @files), scalar @hosts, '… a folder for each host');
	is(scalar(@files), 3 * @hosts + 1, '… of each table');
	is(substr(slurp("$folder/$_"), 0, 4) . substr(slurp("$folder/$_"), -4), 'PAR1PAR1', "… $_") for @files;
	SKIP: {
		my $cache = ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . '/wakepath-tests';
		skip 'no node to run DuckDB in', 1 if !$node;
		for my $table (qw(wakeup sched_switch)) {
			my ($columns, $rows) = by_sql(sample($name), $table);
			my $names = join ', ', map { "\"$_->{name}\"" } @$columns;
			open my $f, '-|', 'node', "$ENV{TOP}/tests/tools/duckdb.js", "SELECT $names FROM read_parquet('$folder/$table/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)" or die;
			my @got = map { perl_of($_) } <$f>;
			close $f;
			skip 'needs DuckDB: tests/tools/duckdb.js says how to get it', 1 if $? >> 8 == 77;
			is_deeply(lines_of_lists(map { [ map { ref $_ ? ($$_ ? 1 : 0) : $_ } @$_ ] } @got), lines_of_lists(@$rows), "$name: DuckDB reads $table, row by row");
		}
	}
}

# ---- errors ----

my $sample = sample('pipeline');
for my $case ([ [ '--format', 'sqlite' ], 2, qr/type -o NAME/ ], [ [ '-o', "$dir/x" ], 2, qr/type --format sqlite or --format parquet/ ],
	[ [ '--format', 'excel', '-o', "$dir/x" ], 2, qr/type --format sqlite or/ ], [ [ '--format', 'sqlite', '-o', "$dir/x", '--tables', 'thread,nothing' ], 2, qr/no table "nothing"/ ],
	[ [ '--format', 'sqlite', '-o', "$dir/x", '--tables', q(x' OR 1) ], 2, qr/no table "x' or 1"/ ], [ [ '--format', 'sqlite', '-o', "$dir/x", '--tables', 'path' ], 2, qr/no table "path"/ ],
	[ [ '--format', 'sqlite', '-o', "$dir/x", '--tables', 'syscall' ], 1, qr/no syscall_entry/ ], [ [ '--format', 'sqlite', '-o', $dir ], 3, qr/is not a regular file/ ],
	[ [ '--format', 'parquet', '-o', $dir ], 3, qr/exists/ ], [ [ '--format', 'sqlite', '-o', "$dir/none/x" ], 3, qr/No such file/ ]) {
	my ($options, $status, $says) = @$case;
	my $r = wakepath('export', $sample, @$options);
	is($r->{status}, $status, "export @$options");
	like($r->{err}, $says, '… the message gives the reason');
	is(scalar(grep { /\.wakepath-/ } files_below($dir)), 0, '… and leaves nothing');
	ok(!-e "$dir/x", '… nor a file');
}
is(wakepath('export', $sample, '--format', 'sqlite', '-o', "$dir/again.db", '--tables', 'thread')->{status}, 0, 'a database is replaced') for 1, 2;
chmod 0600, "$dir/again.db";
is(wakepath('export', $sample, '--format', 'sqlite', '-o', "$dir/again.db", '--tables', 'thread')->{status}, 0, '… once more');
is((stat "$dir/again.db")[2] & 0777, 0600, '… and as many users can read it');

my $whole = wakepath('export', $sample, '--format', 'parquet', '-o', "$dir/whole");
is($whole->{status}, 0, 'all tables as Parquet') or diag($whole->{err});
my %left_out = map { $_ => 1 } $whole->{err} =~ /warning: (\w+) is left out/g;
ok($left_out{syscall}, '… without tables that were not recorded');
my %written = map { m{/whole/([^/]+)/} ? ($1 => 1) : () } files_below("$dir/whole");
is_deeply([ sort keys %written ], [ sort grep { $_ ne 'event' && !$left_out{$_} } map { $_->[0] } grep { $_->[2] ne 'function' } @{ (by_sql($sample, 'wakepath_tables'))[1] } ], '… and all others');
ok(!-e "$dir/whole/syscall", '… nothing is left of the former ones');

# ---- fields with the names of columns, or whose names differ only in case ----

my @fields = map { [ 'u64', $_ ] } qw(ts ts_field Ts host);
my $made = "$dir/made.dat";
spew($made, trace_dat(formats => [ [ made => 'odd', \@fields ] ], cpus => 1, events => [ map { [ 1_000_000 * $_, 0, 'odd', 5, 0, ts => $_, ts_field => 20 + $_, Ts => 30 + $_, host => 40 + $_ ] } 1, 2 ]));
my ($odd, $odd_rows) = by_sql($made, 'odd');
my %at = map { $odd->[$_]{name} => $_ } 0 .. $#$odd;
is_deeply([ map { my $row = $_; [ map { $row->[ $at{$_} ] } qw(ts_field ts_field_field Ts_field_field_field host_field) ] } @$odd_rows ], [ [ 1, 21, 31, 41 ], [ 2, 22, 32, 42 ] ], 'each field has a column of its own');
is(wakepath('export', $made, '--format', 'sqlite', '-o', "$dir/odd.db", '--tables', 'odd')->{status}, 0, '… with a name that a database allows');

# ---- a field that is a number on one host and a text on another ----

for my $of ([ 'one', [ 'u64', 'v' ], 7 ], [ 'two', [ 'char', 'v[16]' ], 'seven' ]) {
	my ($name, $field, $value) = @$of;
	spew("$dir/$name.dat", trace_dat(formats => [ [ made => 'mixed', [$field] ] ], cpus => 1, events => [ [ 1_000_000, 0, 'mixed', 5, 0, v => $value ] ]));
}
is(json_of(wakepath('sql', "$dir/one.dat", "$dir/two.dat", q(SELECT type FROM wakepath_columns WHERE "table" = 'mixed' AND name = 'v'), '--format', 'json'))->{rows}[0][0], '', 'a column for numbers and texts has no type');
is(wakepath('export', "$dir/one.dat", "$dir/two.dat", '--format', 'parquet', '-o', "$dir/mixed", '--tables', 'mixed')->{status}, 0, '… as Parquet');
my $mixed = join '', map { slurp($_) } files_below("$dir/mixed");
ok($mixed =~ /seven/, '… which has the text (in the bounds of its column)');
ok($mixed =~ /\x18\x017/, '… and the number as text');

SKIP: {
	my $small = small_disk(200 * 1024) or skip 'needs a small disk', 6;
	for my $format (qw(sqlite parquet)) {
		my $r = wakepath('export', $sample, '--format', $format, '-o', "$small/out");
		is($r->{status}, 3, "$format: a full disk is an error") or diag($r->{err});
		like($r->{err}, qr/cannot (?:write|make) .*(?:full|No space left)/i, '… with a message');
		is(join(' ', files_below($small)), '', '… and no file remains');
	}
}
done_testing();
