#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Undo and redo: whatever keys moved the view, undoing all of it shows the first screen again, each undo shows the previous screen, and redoing all
# shows the last one.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# The screens after each of KEYS, without the message line.
sub screens_of {
	my ($trace, @keys) = @_;
	my $n = 0;
	my @script = map { ($_, "dump $ENV{TMPDIR}/screen." . $n++) } ('size 100 40', @keys);
	spew("$ENV{TMPDIR}/script", join "\n", @script, 'quit', '');
	my $run = wakepath('view', $trace->[0], @$trace[1 .. $#$trace], '--script', "$ENV{TMPDIR}/script");
	is($run->{status}, 0, "@keys[0 .. 3] ...: no error") or diag $run->{err};
	return map { slurp("$ENV{TMPDIR}/screen.$_") =~ s/.*\n\z//r } 0 .. $n - 1;
}

# Prints the lines that differ.
sub same {
	my ($got, $expected, $name) = @_;
	my ($g, $e) = map { [split /\n/, $_, -1] } $got, $expected;
	my @off = grep { ($g->[$_] // '') ne ($e->[$_] // '') } 0 .. ($#$g > $#$e ? $#$g : $#$e);
	is_deeply([map { $g->[$_] } @off], [map { $e->[$_] } @off], $name) or diag join "\n", map { "$g->[$_]\n$e->[$_]" } @off[0 .. ($#off > 2 ? 2 : $#off)];
}

# STEPS, each a list of keys that is one step: undone one by one, then done again.
sub check {
	my ($name, $trace, @steps) = @_;
	my @keys = map { @$_ } @steps;
	my @screens = screens_of($trace, @keys, ('u') x @steps, ('C-r') x @steps);
	my @there = shift @screens; # before the first step, and after each
	for (@steps) { my @of = splice @screens, 0, scalar @$_; push @there, $of[-1] }
	same($screens[$_], $there[$#steps - $_], "$name: step " . (@steps - $_) . ' undone') for 0 .. $#steps;
	same($screens[@steps + $_], $there[$_ + 1], "$name: step " . ($_ + 1) . ' done again') for 0 .. $#steps;
}

my $ioburst = [sample('ioburst-ipi'), '--thread', 'wk-ioburst'];
check('window, cursor, rows', $ioburst, [('l') x 20], ['+', '+'], [('j') x 5], ['L', 'H', 'L'], ['$'], ['a'], ['0'], ['g', '"50%"', 'Enter'], ['/', '"jbd2/vda"', 'Enter'], ['x'], ['O'], ['O'], ['&', '"jbd2"', 'Enter'], ['@']);
check('selection', $ioburst, [('l') x 10], ['v'], [('l') x 20], ['v'], ['s'], ['Esc', 'v'], ['l', 'l']);
check('panes', $ioburst, [('l') x 5], ['p'], ['z'], ['z'], ['Tab'], [']', ']'], ['C'], ['p'], ['w'], ['w'], ['X']);
check('a chain', $ioburst, [('l') x 5], ['W'], ['f'], ['b'], ['B'], ['f'], ['b'], ['Esc']);
check('requests', [sample('rpc-chain'), '--thread', 'client/wk-client'], ['M-r'], ['O'], ['O'], ['Enter'], ['}'], ['M-r'], ['r']);
check('causes', $ioburst, ['C'], ['r'], ['r'], ['O'], ['Space'], ['+', '+'], ['0'], ['f'], ['r'], ['O']);
check('queries', [sample('pipeline')], [('l') x 5], [':', '"sql SELECT 1 one"', 'Enter'], [':', '"sql SELECT 2 two"', 'Enter']);
check('stacks', [sample('offcpu-stacks')], ['I'], ['r'], ['r'], ['D'], ['Space'], ['j', 'Enter'], ['+', '+'], ['a'], ['r']);
check('virtual machines', [sample('vm-preempt'), '--thread', 'host/wk-pulse'], ['V'], ['c'], ['r'], ['+', '+'], ['r']);
check('latencies', $ioburst, ['w'], ['r'], ['O'], ['+', '+'], ['0'], ['r'], ['D'], ['j', 'j', 'Enter'], ['G'], ['j', 'Enter'], ['Enter']);

check('two windows', $ioburst, [('l') x 5], ['\\'], ['j'], ['+', '+'], [('l') x 3], ['Tab'], ['L'], ['p'], ['Tab'], ['Tab'], ['}'], [':', '"link time"', 'Enter'], ['a'], ['\\'], ['\\'], ['l']);

# A step after an undo replaces the undone ones.
{
	my @screens = screens_of($ioburst, ('l') x 5, 'p', 'u', 'C', 'C-r', 'u', 'u');
	same($screens[9], $screens[8], 'a step after an undo: there is nothing left to redo');
	same($screens[10], $screens[5], '... and it is undone itself');
	same($screens[11], $screens[0], '... like all before');
}
done_testing;
