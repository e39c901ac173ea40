#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Spans and states of programs in the explorer: the list, rows above the threads, states as cells, the path, the legend.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/ui-spans";
mkdir $dir;

# The screen after KEYS of TRACE with OPTIONS.
sub screen {
	my ($trace, $options, @keys) = @_;
	spew("$dir/script", join "\n", 'size 120 50', @keys, "dump $dir/screen", '');
	my $run = wakepath($trace, '--fresh', '--script', "$dir/script", @$options);
	is($run->{status}, 0, "played: @keys") or diag $run->{err};
	my $text = slurp("$dir/screen");
	utf8::decode($text);
	return $text;
}

my @spans = @{ json_of(wakepath('spans', sample('ioburst-ipi'), '--format', 'json'))->{spans} };
my $list = screen(sample('ioburst-ipi'), [], ':', '"spans"', 'Enter');
like($list, qr/Spans of programs of all threads\s.*\b${\scalar @spans} spans/, ':spans lists as many as the command');
like($list, qr/wk-ioburst\S*\s+write\s+0\s+itself .*\s+marker/, '… with thread and name');
like(screen(sample('ioburst-ipi'), [], '/', '"wk-ioburst"', 'Enter', ':', '"spans"', 'Enter', 'r'), qr/Spans of programs of wk-ioburst/, 'those of the selected thread');
like(screen(sample('ioburst-ipi'), [], ':', '"spans"', 'Enter', '@'), qr/\d+ rows are shown above \d+ thread/, '@ shows them above the threads');
like(screen(sample('pulse'), [], ':', '"spans"', 'Enter'), qr/no span began here: programs write/, 'a trace without spans says what to do');

# ---- a selected span, in the list and above its thread: questions are about it ----

my @sorted = sort { $a->{from} <=> $b->{from} } @spans;
my $third = $sorted[2];
sub length_of { my ($span) = @_; return sprintf '%.3g', ($span->{to} - $span->{from}) / 1e3 }
for my $case (['in the list', ':', '"spans"', 'Enter', ':', '"sort from"', 'Enter', 'j', ']'], ['above its thread', ':', '"spans"', 'Enter', '@', 'q', '/', '"wk-ioburst"', 'Enter', 'k', ']', ']']) {
	my ($where, @to) = @$case;
	my $took = length_of($third);
	my $room = sprintf '%.3g', ($third->{to} - $third->{from}) * 1.5 / 1e3;
	like(screen(sample('ioburst-ipi'), [], @to), qr/\? keys.*B account  = slow, fast/, "$where: the hints name it");
	like(screen(sample('ioburst-ipi'), [], @to, 'B'), qr/Account of wk-ioburst\S*  $took .s from 0\.051713970 s/, '… B: its account');
	my $path = screen(sample('ioburst-ipi'), [], @to, 'p');
	like($path, qr/ 0\.051713970 s  in view $took .s/, '… p zooms to it');
	like($path, qr/Critical path of wk-ioburst\S*  $took .s in view/, '… and shows its path');
	like(screen(sample('ioburst-ipi'), [], @to, 's'), qr/  in view $room .s/, '… s zooms to it, with some room');
	like(screen(sample('ioburst-ipi'), [], @to, 'E'), qr/Story of wk-ioburst\S*  $took .s/, '… E: its story');
	like(screen(sample('ioburst-ipi'), [], @to, '='), qr/Slow against fast by duration: span:$third->{name}/, '… = compares those of its name');
}
my %of_name;
$of_name{ $_->{name} }++ for @sorted;
my ($other) = grep { $sorted[$_]{name} ne $sorted[0]{name} } 0 .. $#sorted;
my $last = screen(sample('ioburst-ipi'), [], ':', '"spans"', 'Enter', ':', '"sort from"', 'Enter', (']') x $of_name{ $sorted[0]{name} });
like($last, qr/there is no other $sorted[0]{name} below this/, 'the last one of a name');

# ---- states ----

my $mpi = "$ENV{TOP}/docs/pictures/mpi";
my @with = ('--spans', "$ENV{TOP}/docs/mpi.states");
my @to = ('/', '"mpi-rank0"', 'Enter');
my $plain = screen($mpi, [], @to, 'p');
unlike($plain, qr/\x{2550}{3}|waiting/, 'without declarations no state is a wait');
my $path = screen($mpi, \@with, @to, ':', '"sql SELECT ts, dur, value AS name, utid FROM state"', 'Enter', '@', 'p');
like($path, qr/\(rows of the query\).*barrier.*\n.*mpi-rank0/, 'states are above their threads');
like($path, qr/mpi-rank0 .*\x{2550}{8}/, 'a wait on a CPU is a line of its own');
like($path, qr/\x{2550} waiting/, '… which the legend explains');
like($path, qr/Critical path of mpi-rank0.*hand-overs/, 'the path …');
like($path, qr/^ mpi-rank2\[550\]\s+\d/m, '… goes through the last rank');
like(screen($mpi, \@with, @to, ':', '"spans"', 'Enter'), qr/mpi-rank\d\[\d+\]\s+mpi:barrier\s.*\sstate/, ':spans has states');
like(screen($mpi, \@with, @to, 'size 120 140', 'F3'), qr/declared\s+the file of --spans says so/, 'F3 gives the grade');
like(screen($mpi, \@with, @to, 'g', '"560ms"', 'Enter', 'B'), qr/waiting.*declared/, 'the account has the grade');

# ---- a declaration that matches nothing, or is wrong, is warned of with file and line ----

spew("$dir/none.states", "# a comment\n[state mine]\nenter = nosuch:x\nleave = nosuch:y\n");
my @none = ('--spans', "$dir/none.states");
like(screen($mpi, \@none, ':', '"spans"', 'Enter'), qr{^ \Q$dir\E/none\.states: line 2: rule "state:mine": no trace here has an event}m, 'a declaration that matches nothing');
like(screen($mpi, \@none, ':', '"spans"', 'Enter', 'j', '!'), qr{since then +\Q$dir\E/none\.states: line 2}, '… stays among the warnings');
unlike(screen($mpi, \@with, ':', '"spans"', 'Enter', 'j', '!'), qr/since then/, 'one that matches: none');
spew("$dir/never.states", "[state mine]\nenter = wx:req_begin[what=nothing_like_it]\nleave = wx:req_end\n");
like(screen($mpi, ['--spans', "$dir/never.states"], ':', '"spans"', 'Enter'), qr{^ \Q$dir\E/never\.states: line 1: rule "state:mine": its events are there, but no span}m, 'one whose conditions are never met');
spew("$dir/odd.states", "# a comment\n[state mine]\nenter = nosuch:x\n\nleave nosuch:y\n");
like(wakepath($mpi, '--spans', "$dir/odd.states")->{err}, qr{\Q$dir\E/odd\.states: line 5: }, 'a malformed line');

# ---- counters: lines of values below their threads ----

my (@events, %at);
for my $us (1 .. 89) {
	push @events, [ $us, "C|50|queue|$at{$us}" ] if defined($at{$us} = $us % 10 == 1 ? ($us - 1) / 10 : $us == 45 ? 8 : undef);	# 0 .. 8, and a peak of 1 us
	push @events, [ $us, 'C|50|load|' . ($us < 30 ? -0.5 : 0.25) ] if $us % 40 == 9;
	push @events, [ $us, 'C|50|queue|4' ] if $us == 46;
}
sub switch_line { my ($us, $from, $to) = @_; return sprintf '            app-50      [000] .....   100.%06d: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120', $us, @$from, @$to }
my $counters = "$dir/counters.txt";
spew($counters, join "\n", '# tracer: nop', '#', switch_line(0, [ 'swapper/0', 0 ], [ 'app', 50 ]), (map { sprintf '            app-50      [000] .....   100.%06d: tracing_mark_write: %s', @$_ } @events), switch_line(90, [ 'app', 50 ], [ 'swapper/0', 0 ]), '');
my @drawn = ('/', '"app"', 'Enter', 'g', '"45.5us"', 'Enter', ':', '"sql SELECT ts, name, value, utid FROM counter"', 'Enter', '@');
my $lines = screen($counters, [], @drawn);
my ($load, $queue) = $lines =~ /app +50\x{2502}.*\n +(load.*)\n +(queue.*)\n/ or diag $lines;
like($lines, qr/14 values are shown in 2 lines/, '@ draws counters as lines');
like($load, qr/^load -0\.5 +\x{2502} {7,9}\x{2581}{37,40}\x{2588}{38,42}$/, 'a line from the first value on, the lowest and the highest one');
my ($heights) = $queue =~ /^queue 8 +\x{2502} ?([\x{2581}-\x{2588}]+)$/;
(my $steps = $heights) =~ s/(.)\1+/$1/g;
(my $right = join '', map { chr(0x2581 + int($_ * 7 / 8 + 0.5)) } 0 .. 4, 8, 4 .. 8) =~ s/(.)\1+/$1/g;
is($steps, $right, 'heights in proportion, a short peak in the column of its time');
my $selected = screen($counters, [], @drawn, 'Tab', 'j', 'j');
like($selected, qr/^ queue 8  since 0\.000045000 s until 0\.000046000 s  11 values, the line is from 0 to 8$/m, 'the detail lines give value, time and range');
like(screen($counters, [], @drawn, 'Tab', 'j'), qr/^ load -0\.5  since 0\.000009000 s until 0\.000049000 s  3 values, the line is from -0\.5 to 0\.25$/m, '… of the other counter');
like(screen($counters, [], @drawn, 'Tab', 'j', 'j', 'Enter'), qr/selected 1\.00 \x{b5}s/, 'Enter selects the time of the value');
like(screen($counters, [], ':', '"ascii"', 'Enter', @drawn), qr/^ +queue 8 +\| ?_+\.+u+o+#o+O+8+#+/m, '… in ASCII');
like(screen($counters, [], @drawn, ':', '"sql SELECT ts, name, value, utid FROM counter"', 'Enter', '@'), qr/the rows of the query are not shown any more/, '@ again takes them away');
like(screen($counters, [], ':', '"sql SELECT 1 AS ts, 2 AS name"', 'Enter', '@'), qr/the rows need the columns ts, name, and dur or value/, 'rows without values: the message says what is needed');
like(screen($counters, [], 'J', '"counters"', 'Enter', '@'), qr/14 values are shown in 2 lines/, 'J has a question for it');
like(screen($counters, [], ':', q("sql SELECT ts, name, CASE WHEN value = 8 THEN 1e308 ELSE -1e308 END AS value, utid FROM counter WHERE name = 'queue'"), 'Enter', '@'), qr/queue +\x{2502} ?\x{2581}+\x{2588}\x{2581}+\x{2588}+$/m, 'values whose difference is no number');
like(screen($counters, [], ':', q("sql SELECT ts, name, NULL AS value FROM counter"), 'Enter', '@'), qr/no rows with a time/, 'no values: nothing');

# ---- the account shows the functions in which a thread ran, by samples ----

my $samples = "$dir/stacks.data";
system("zstdcat '$ENV{TOP}/tests/app/counters/stacks.data.zst' >'$samples'") == 0 or die;
my @account = ('/', '"pgrep"', 'Enter', 'B');
my ($text) = wakepath('why', $samples, '--thread', 27529)->{out} =~ /^(ran .* samples) \(inferred\)$/m;
like(screen($samples, [], @account, 'j'), qr/^ \Q$text\E$/m, 'the account gives the counts, as why does');
unlike(screen($samples, [], @account), qr/^ ran /m, '… at the part in which it ran alone');

done_testing();
