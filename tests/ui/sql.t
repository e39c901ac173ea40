#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Queries in SQL in the explorer: the rows of the command, the places they lead to, errors at their place, history, completion, queries of the
# configuration.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/sql";
mkdir $dir;
my $trace = sample('pipeline');

# The screen after KEYS, with OPTIONS.
sub screen {
	my ($options, @keys) = @_;
	spew("$dir/script", join "\n", 'size 120 50', @keys, "dump $dir/screen", '');
	my $run = wakepath($trace, '--script', "$dir/script", @$options);
	is($run->{status}, 0, "played: @keys") or diag $run->{err};
	return slurp("$dir/screen");
}
sub typed { return (':', qq("sql $_[0]"), 'Enter') }
# The lines below the heading with the words WORDS, as lists of their texts.
sub rows_of {
	my ($screen, @words) = @_;
	my $heading = join '\S* +', map { quotemeta } @words;
	my ($rows) = $screen =~ /^ *$heading\S* *\n((?:.*\S.*\n)*)/m or return [];
	return [ map { [ split /  +/, s/^ +//r ] } split /\n/, $rows ];
}

my $query = "SELECT name, wakeups FROM thread WHERE name GLOB 'wk-*' ORDER BY 1";
my @expected = map { [ @$_ ] } @{ json_of(wakepath('sql', $trace, $query, '--format', 'json'))->{rows} };
cmp_ok(scalar @expected, '>=', 5, 'there are threads to ask about');
my $shown = screen([], typed($query));
like($shown, qr/^\W+Query  .* ${\ scalar @expected} rows/m, 'a query has a title');
is_deeply([ @{ rows_of($shown, 'name', 'wakeups') }[ 0 .. $#expected ] ], [ map { [ @$_ ] } @expected ], '… and the rows of the command');

# A name has no special meaning: '(' and '>' begin headings of other tables.
$shown = screen([], typed("SELECT (name || '!'), name AS '>name' FROM thread WHERE name = 'wk-stage2'"));
like($shown, qr/^ *\(name \|\| '!'\) +>name *\n *wk-stage2! +wk-stage2 *$/m, 'columns may be called like expressions');

# Enter goes to the place of the row.
my ($ts, $dur, $utid, $name) = @{ json_of(wakepath('sql', $trace, "SELECT ts, dur, utid, name FROM thread_state JOIN thread USING (utid) WHERE name = 'wk-stage2' AND state = 'blocked' ORDER BY dur DESC LIMIT 1", '--format', 'json'))->{rows}[0] };
$shown = screen([], typed("SELECT ts, dur, utid FROM thread_state WHERE utid = $utid AND state = 'blocked' ORDER BY dur DESC LIMIT 1"), 'Enter');
like($shown, qr/\Q$name\E\[\d+\]  blocked/, 'a row with ts, dur and utid leads to that thread and time');
like($shown, qr/for @{[ duration($dur) ]}/, '… to that state') if defined &duration;

# Errors.
$shown = screen([], typed('SELECT nam FROM thread'));
like($shown, qr/^ line 1, column 8: no such column: nam *\n SELECT nam FROM thread *\n {8}\^/m, 'a mistake is shown at its place');
$shown = screen([], typed('DELETE FROM thread'));
like($shown, qr/may not be modified/, 'nothing can be written');
$shown = screen([], typed("SELECT * FROM syscall"));
like($shown, qr/no syscall_entry/, 'missing events are named');

# The line: proposal of the last query, history, words.
$shown = screen([], typed('SELECT 1 one'), typed('SELECT 2 two'), 'M-s');
like($shown, qr/^query SELECT 2 two/m, 'the last query is proposed');
$shown = screen([], typed('SELECT 1 one'), typed('SELECT 2 two'), 'M-s', 'Up', 'Up', 'Enter');
is(rows_of($shown, 'one')->[0][0], '1', 'the history has the previous one');
$shown = screen([], 'M-s', '"SELECT count(*) n FROM wakeu"', 'Tab', 'Enter');
is(rows_of($shown, 'n')->[0][0], json_of(wakepath('sql', $trace, 'SELECT count(*) n FROM wakeup', '--format', 'json'))->{rows}[0][0], 'Tab completes the name of a table');

# Another query begins at its first line.
my @dump = ("dump $dir/line", 'j', 'j', typed("SELECT name FROM thread WHERE name GLOB 'wk-*' ORDER BY 1"), "attrs $dir/lines");
screen([], typed($query), @dump);
my ($first) = grep { (split /\n/, slurp("$dir/line"))[$_ - 1] =~ /^ name / } 1 .. 50;
like(slurp("$dir/lines"), qr/^over row line ${\ ($first + 1)} /m, 'the first line of another query is selected');

# Queries of the configuration, with the selected thread and the window.
spew("$dir/config", "[queries]\nmine SELECT count(*) own FROM wakeup WHERE utid = \$utid AND ts >= \$from AND ts < \$to\n");
$shown = screen([ '--config', "$dir/config", '--thread', 'wk-stage2' ], typed('mine'));
my $own = json_of(wakepath('wakeups', $trace, '--thread', 'wk-stage2', '--format', 'json'))->{wakeups};
is(rows_of($shown, 'own')->[0][0], scalar @$own, 'a query has a name, and $utid, $from, $to');
my $printed = wakepath('--config', "$dir/config", '--print-config', 'view');
$printed = wakepath('view', '--config', "$dir/config", '--print-config');
like($printed->{out}, qr/^\[queries\]\nmine SELECT count/m, '… and is printed with the configuration');
for my $bad ([ "[queries]\nmine\n", qr/config:2: no query after the name "mine"/ ], [ "[queries]\na SELECT 1\na SELECT 2\n", qr/config:3: there are two queries "a"/ ]) {
	spew("$dir/config", $bad->[0]);
	my $r = wakepath('view', '--config', "$dir/config", '--print-config');
	is($r->{status}, 2, 'a wrong line of the configuration');
	like($r->{err}, $bad->[1], '… gives a message with its place');
}

# A long query shows that it runs; Esc stops it, and the title says so; when opened again it runs again.
my $long = 'SELECT count(*) n FROM thread_state a, thread_state b, thread_state c';
$shown = screen([], (typed($long))[0, 1], "frames $dir/frames", 'now Enter', 'until stops it', 'now Esc', "dump $dir/stopped", 'Esc', ':', '"sql on"', "frames $dir/anew", 'now Enter', 'until stops it', 'now Esc');
like(slurp("$dir/frames"), qr/^ looking: \d+%, Esc stops it/m, 'a long query shows how far it is');
like(slurp("$dir/stopped"), qr/^ stopped: close the pane and open it again to start again/m, '… Esc stops it');
like(slurp("$dir/anew"), qr/^ looking: \d+%, Esc stops it/m, '… and it runs again when the pane is opened again');

# Rows found before it was stopped stay, and are not presented as all.
$shown = screen([], (typed('SELECT ts, (SELECT count(*) FROM thread_state b, thread t WHERE b.ts + t.utid > a.ts) n FROM thread_state a'))[0, 1], "frames $dir/frames", 'now Enter', 'until % done', 'now Esc');
like($shown, qr/^\W+Query  .* rows \(stopped\)/m, 'rows of a stopped query say that they are not all');

# A query without parameters does not run again after a move: the selected line stays.
screen([], typed($query), 'j', 'Tab', '+', 'j', "dump $dir/line", "attrs $dir/lines");
($first) = grep { (split /\n/, slurp("$dir/line"))[$_ - 1] =~ /^ name / } 1 .. 50;
like(slurp("$dir/lines"), qr/^over row\.time line ${\ ($first + 2)} /m, 'a query that does not name the window keeps its line');
like(slurp("$dir/line"), qr/^\W+Query  whole trace, /m, '… and says that it is about the whole trace');

# A query that runs again is about the present window and thread.
$shown = screen([ '--thread', 'wk-stage2' ], typed('SELECT $to - $from AS length, $utid AS thread'), 'Tab', '+', '+', 'k', 'M-s', 'Enter');
my ($window) = $shown =~ /^\W+Query  (\S+ \S+) in view/m;
my ($length, $thread) = @{ rows_of($shown, 'length', 'thread')->[0] };
is(duration($length), $window, 'run again: the window is the present one');
isnt($thread, $utid, '… and the thread');

# Rows with ts, dur and name above the threads: above the one that utid names, otherwise above all.
my $of = "t.name GLOB 'wk-stage[12]'";
my $spans = "SELECT ts, dur, t.name || state AS name, utid FROM thread_state JOIN thread t USING (utid) WHERE $of AND state IN ('blocked', 'running') AND dur > 5000000";
my ($info) = json_of(wakepath('info', $trace, '--format', 'json'));
my (%wanted, %least); # name of a thread → the columns of its rows; without those that the rounding of columns may add
# The columns of [TS, TS + DUR) on a line of 88 columns for the whole trace.
sub columns_of {
	my ($ts, $dur, $more) = @_;
	my ($from, $to) = @$info{qw(from to)};
	($ts, $dur) = ($ts - $more, $dur + 2 * $more);
	my $column = sub { my ($time) = @_; my $c = 0; $c++ while $c < 87 && $from + int(($to - $from) * ($c + 1) / 88) <= $time; return $c };
	return $column->($ts) .. $column->($ts + ($dur > 0 ? $dur - 1 : 0));
}
for (@{ json_of(wakepath('sql', $trace, $spans, '--format', 'json'))->{rows} }) {
	my ($ts, $dur, $name) = @$_;
	$name =~ s/(?:blocked|running)$//;
	$wanted{$name}{$_} = 1 for columns_of($ts, $dur, 100_000);
	$least{$name}{$_} = 1 for columns_of($ts, $dur, -100_000);
}
is(join(' ', sort keys %wanted), 'wk-stage1 wk-stage2', 'rows of two threads');
# The lines above the threads: thread → columns, by the roles of SCREEN's line.
sub spans_of {
	my ($screen, $roles) = map { [split /\n/, slurp("$dir/$_")] } @_;
	my (%has, @above);
	for my $y (0 .. $#$screen) {
		my ($name) = $screen->[$y] =~ /^ +(\S.*?) +\d* *\xe2\x94\x82/ or next;
		my @columns = grep { substr($roles->[$y], 32 + $_, 1) =~ m#[]"{}`']# } 0 .. 87;
		if (@columns) { push @above, @columns; next }
		$has{$name} = { map { $_ => 1 } @above } if @above;
		@above = ();
	}
	return \%has;
}
# The differences.
sub differs {
	my ($has) = @_;
	return join ' ', map { my $name = $_; grep { ($least{$name}{$_} && !$has->{$name}{$_}) || ($has->{$name}{$_} && !$wanted{$name}{$_}) } 0 .. 87 } sort keys %$has, keys %wanted;
}
my @seen = ("dump $dir/screen", "attrs $dir/roles");
$shown = screen([], typed($spans), '@', @seen);
like($shown, qr/^ \d+ rows are shown above 2 threads$/m, 'rows of a query are shown above the threads');
is(differs(spans_of(qw(screen roles))), '', '… each in its columns, above its own');
screen([], typed($spans), '@', 'u', @seen);
is_deeply(spans_of(qw(screen roles)), {}, '… undo takes them away');
screen([], typed($spans), '@', 'u', 'C-r', @seen);
is(differs(spans_of(qw(screen roles))), '', '… redo brings them back');
$shown = screen([], typed($spans), '@', '@', @seen);
is_deeply(spans_of(qw(screen roles)), {}, '… and the key again takes them away');
$shown = screen([], typed("SELECT $info->{from} + column1 AS ts, column2 AS dur, column3 AS name FROM (VALUES (0, 900000000, 'outer'), (100000000, 200000000, 'inner'), (350000000, 200000000, 'second'), (150000000, 100000000, 'innermost'))"), '@', @seen);
like($shown, qr/\n \@outer +││outer[^\n]*\n \@\S[^\n]*│ +│inner +│second[^\n]*\n \@\S[^\n]*│ +│innermost[^\n]*\n▾ solo/, 'rows without utid are above all, those within others below these');
$shown = screen([], typed('SELECT ts, dur FROM sched'), '@');
like($shown, qr/^ the rows need the columns ts, name, and dur or value/m, 'rows without a name are not shown');
$shown = screen([], typed("SELECT ts, dur, name FROM thread_state JOIN thread USING (utid) WHERE ts < 0"), '@');
like($shown, qr/^ rows with the columns ts, dur and name|^ the query has no rows with a time/m, 'no rows: a message says so');
# The cursor on a row: its name; Enter selects its time and thread.
$shown = screen([], typed("SELECT ts, dur, 'long' AS name, utid FROM thread_state WHERE utid = $utid ORDER BY dur DESC LIMIT 1"), 'Enter', '@', 'Tab', 'k', "dump $dir/named", 'Enter');
like(slurp("$dir/named"), qr/^ +long +│/m, 'the name of the row at the cursor is beside it');
like($shown, qr/selected/, 'Enter selects its time');
like($shown, qr/^ wk-stage2\[\d+\]  /m, '… and its thread');

# Rules.
my $rules = "$ENV{TOP}/docs/latency.rules";
my ($n) = @{ json_of(wakepath('sql', $trace, "SELECT count(*) n FROM latency WHERE kind = 'handler'", '--rules', $rules, '--format', 'json'))->{rows}[0] };
is(rows_of(screen([ '--rules', $rules ], typed("SELECT count(*) n FROM latency WHERE kind = 'handler'")), 'n')->[0][0], $n, 'rules are kinds of latencies');

# Export.
spew("$dir/script", join "\n", 'size 120 50', typed($query), 'e', 'C-u', qq("$dir/rows.csv"), 'Enter', '');
is(wakepath($trace, '--script', "$dir/script")->{status}, 0, 'rows are written');
is(slurp("$dir/rows.csv"), wakepath('sql', $trace, $query, '--format', 'csv')->{out}, '… as the command writes them');
done_testing();
