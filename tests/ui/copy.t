#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Copied text: names, times, lines as on the screen; and the command line, which shows the same view again.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $index = "$ENV{TMPDIR}/index of mine";
my @size = ('size 100 30');

# The screen without the message line, and the copied text, after KEYS in an explorer with ARGS.
sub after {
	my ($args, @keys) = @_;
	spew("$ENV{TMPDIR}/script", join "\n", @size, @keys, "dump $ENV{TMPDIR}/screen", "copied $ENV{TMPDIR}/copied", 'quit', '');
	my $run = wakepath(@$args, '--script', "$ENV{TMPDIR}/script");
	is($run->{status}, 0, 'no error') or diag $run->{err};
	return (slurp("$ENV{TMPDIR}/screen") =~ s/.*\n\z//r, slurp("$ENV{TMPDIR}/copied"));
}

# The words of a shell's command line.
sub words { my ($line) = @_; return split /\0/, `for w in \$(echo); do :; done; set -- $line; printf '%s\\0' "\$@"` }

my @cases = (
	[[sample('ioburst-ipi'), '--thread', 'wk-ioburst'], [']', ']', '+', '+', 'l', 'l']],
	[[sample('rpc-chain'), '--thread', 'client/wk-client', '--show-tracer'], ['+', '+', '+', '+', '}']],
	[[sample('vm-preempt'), '--thread', 'host/wk-pulse'], ['g', '"50%"', 'Enter', '+', '+', 'L']],
	# Panes: their subjects, the place in each, folds; rows, their order, pinned rows; the layout.
	[[sample('ioburst-ipi'), '--thread', 'wk-ioburst'], ['p', 's', 'j', 'j', '>', '(']],
	[[sample('ioburst-ipi')], ['w', 'j', 'j', 'Enter', 'M-z']],
	[[sample('lockfight')], [':', '"kind blocked"', 'Enter', 'O', 'j', 'j', 'Tab', '&', '"wk state:blocked"', 'Enter', '@', 'O', 'O']],
	[[sample('lockfight')], ['C', 'r', 'r', 'O', 'j', 'v', 'l', 'l', 'v', 'Enter']],
	[[sample('offcpu-stacks')], ['I', 'r', 'j', 'j', '/', '"sched"', 'Enter', 'M-j']],
	[[sample('rpc-chain')], ['M-r', 'O', 'j', 'j', 'f', 't', 'a', 'A', 'X']],
	[[sample('ioburst-ipi')], ['F6', 'j', 'j', 'r', '/', '"block"', 'Enter', 'l', 'N', 't']],
	[[sample('vm-preempt')], ['V', 'F', 'j', 'j', 'z', 'd']],
	# Rows of a query above the threads, and the cursor on one of them.
	[[sample('pipeline'), '--thread', 'wk-stage2'], [':', q("sql SELECT ts, dur, state || ' \;=\\"' AS name, utid FROM thread_state WHERE utid = $utid AND ts > $from"), 'Enter', '@', 'Tab', 'k', '+', '+', 'l']],
	# A wait of a list, zoomed in there, another row: the list is of the present window.
	[[sample('offcpu-stacks')], ['I', 'W', '+', '+', 'Esc', 'Tab', 'j']],
	# A wait, the place it leads to, another row, and that place again: the pane shows its own wait there.
	[[sample('ioburst-ipi'), '--thread', 'wk-ioburst'], [']', ']', 'W', 'f', 'Tab', 'k', 'j']],
);
for my $case (@cases) {
	my ($args, $keys) = @$case;
	my @args = ('view', @$args, '--index-dir', $index);
	my (undef, $line) = after(\@args, @$keys, 'Y', '"command"', 'Enter');
	my ($screen) = after(\@args, @$keys);
	my ($program, @again) = words($line);
	is($program, 'wakepath', "@$args: a command line");
	my ($same) = after(['view', @again]);
	is($same, $screen =~ s/  back \d+$//mr, '... that shows the same'); # without the history
}

# The copied command line names the file that declares the spans of programs.
{
	spew("$ENV{TMPDIR}/own spans", "[span own]\nbegin = sched_switch\nend = sched_switch\n");
	my (undef, $line) = after(['view', sample('lockfight'), '--spans', "$ENV{TMPDIR}/own spans", '--index-dir', $index], 'Y', '"command"', 'Enter');
	like(join(' ', words($line)), qr/ --spans \Q$ENV{TMPDIR}\E\/own spans --view /, 'a command line with --spans');
}

# A view is shown in an open explorer, undone, and done again; an impossible one is refused, and changes nothing.
{
	my @args = ('view', sample('ioburst-ipi'), '--thread', 'wk-ioburst');
	my ($there, $line) = after(\@args, 'w', 'j', 'O', '+', '+', 'Y', '"command"', 'Enter');
	my ($view) = (words($line))[-1];
	my ($before) = after(\@args);
	is((after(\@args, 'C-y', "\"$view\"", 'Enter'))[0], $there, 'a view is shown');
	is((after(\@args, 'C-y', "\"$view\"", 'Enter', 'u'))[0], $before, '... undone');
	is((after(\@args, 'C-y', "\"$view\"", 'Enter', 'u', 'C-r'))[0], $there, '... and done again');
	my $row = $view =~ s/ row=\d+/ row=4000000000/r;
	for my $wrong ('nonsense', 'screen', 'nopane x=1', 'screen from=2 to=1', $row, "$view" =~ s/screen /screen line=x /r, $view =~ s/flow /flow nothing=1 /r,
		$view =~ s/kind=\S+/kind=nothing/r, $view =~ s/lower=\S+/lower=flow/r) {
		spew("$ENV{TMPDIR}/script", join "\n", @size, 'C-y', "\"$wrong\"", 'Enter', "dump $ENV{TMPDIR}/screen", 'quit', '');
		is(wakepath(@args, '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'no end') or next;
		like(slurp("$ENV{TMPDIR}/screen"), qr/\n view: .*\n\z/, substr("refused: $wrong", 0, 60));
	}
}

# The text of the selected line, in any pane.
{
	my @args = ('view', sample('ioburst-ipi'), '--thread', 'wk-ioburst');
	my (undef, $name) = after(\@args, 'Y', '"name"', 'Enter');
	is($name, 'wk-ioburst[957]', 'the name');
	my (undef, $time) = after(\@args, ']', 'Y', '"time"', 'Enter');
	my ($screen, $row) = after(\@args, ']', 'Y', '"row"', 'Enter');
	like($screen, qr/^ ioburst-ipi  \Q$time\E  /, 'the time, as in the header');
	like($row, qr/^ +wk-ioburst +957│/, 'the row');
	($screen, $row) = after(\@args, 'w', 'j', 'Y', 'Enter');
	like($row, qr/^ +2 /, 'the line of a list');
	ok(index($screen, "$row\n") >= 0, '... as shown');
	($screen, my $table) = after(\@args, 'w', 'Y', '"table"', 'Enter');
	ok(index($screen, $table) > 0 && $table =~ /^\W+Worst latencies/ && $table =~ /\Q$row\E/, 'the table');
	(undef, my $nothing) = after(\@args, 'Y', '"nonsense"', 'Enter');
	is($nothing, '', 'no such choice: nothing is copied');
}
done_testing;
