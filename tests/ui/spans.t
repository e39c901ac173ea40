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
like($list, qr/wk-ioburst\S*\s+write\s+0\s+marker/, '… with thread and name');
like(screen(sample('ioburst-ipi'), [], '/', '"wk-ioburst"', 'Enter', ':', '"spans"', 'Enter', 'r'), qr/Spans of programs of wk-ioburst/, 'those of the selected thread');
like(screen(sample('ioburst-ipi'), [], ':', '"spans"', 'Enter', '@'), qr/\d+ rows are shown above \d+ thread/, '@ shows them above the threads');
like(screen(sample('pulse'), [], ':', '"spans"', 'Enter'), qr/no span began here: programs write/, 'a trace without spans says what to do');

# ---- states ----

my $mpi = "$ENV{TOP}/docs/pictures/mpi";
my @with = ('--spans', "$ENV{TOP}/docs/mpi.states");
my @to = ('/', '"mpi-rank0"', 'Enter');
my $plain = screen($mpi, [], @to, 'p');
unlike($plain, qr/\x{2550}{3}|waiting/, 'without declarations nothing waits');
my $path = screen($mpi, \@with, @to, ':', '"sql SELECT ts, dur, value AS name, utid FROM state"', 'Enter', '@', 'p');
like($path, qr/\(rows of the query\).*barrier.*\n.*mpi-rank0/, 'states are above their threads');
like($path, qr/mpi-rank0 .*\x{2550}{8}/, 'a wait on a CPU is a line of its own');
like($path, qr/\x{2550} waiting/, '… which the legend tells');
like($path, qr/Critical path of mpi-rank0.*hand-overs/, 'the path …');
like($path, qr/^ mpi-rank2\[550\]\s+\d/m, '… goes through the last rank');
like(screen($mpi, \@with, @to, ':', '"spans"', 'Enter'), qr/mpi-rank\d\[\d+\]\s+mpi:barrier\s+state/, ':spans has states');
like(screen($mpi, \@with, @to, 'size 120 140', 'F3'), qr/declared\s+the file of --spans says so/, 'F3 tells the grade');
like(screen($mpi, \@with, @to, 'g', '"560ms"', 'Enter', 'B'), qr/waiting.*declared/, 'the account has the grade');

done_testing();
