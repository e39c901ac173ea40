#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Two windows of a trace in a real terminal: keys and mouse, sizes that change all the time, hosts, the state for the next run.  Each window shows
# what a single window of its size shows.
use strict;
use warnings;
use utf8;
use Encode qw(decode);
use Test::More;
use Time::HiRes qw(sleep time);
use lib "$ENV{TOP}/tests/tools";
use Tmux;
use Wake ();

my $tmp = $ENV{TMPDIR};

# A click of the left button, in xterm's form; released at another place.
sub drag {
	my ($column, $line, $to_column, $to_line) = @_;
	tmux('send-keys', '-H', map { sprintf '%02x', ord } split //, "\e[<0;$column;${line}M\e[<0;$to_column;${to_line}m");
}
sub click { drag(@_, @_) }

subtest 'keys and mouse' => sub {
	start(80, 24, 'TERM=xterm-256color', Wake::sample('ioburst-ipi'), '--thread', 'wk-ioburst');
	shows(qr/^ wk-ioburst\[957\].*\? keys/ms, 'the explorer');
	press('\\');
	my $screen = shows(qr/^\W+Window 1 of wk-ioburst\[957\]  whole trace, 439 ms\s.*^\W+Window 2 of wk-ioburst\[957\]  whole trace, 439 ms\s.*a second window: Tab goes to the other one/ms, 'a copy below the first');
	press('+', '+', 'j');
	shows(qr/in view 110 ms.*^\W+Window 1 of wk-ioburst\[957\]  whole.*^\W+Window 2 of sleep\[958\]  110 ms in view/ms, 'keys act in the second one');
	press('Tab', '$');
	shows(qr/0\.4\d+ s  in view 439 ms.*^\W+Window 1 of wk-ioburst\[957\]  whole.*^\W+Window 2 of sleep\[958\]  110 ms in view/ms, 'Tab goes to the first one');
	my ($line) = grep { (split /\n/, $screen)[$_] =~ /^\W+Window 2/ } 0 .. 23;
	click(40, $line + 4);
	shows(qr/in view 110 ms.*^\W+Window 1 of wk-ioburst\[957\]  whole.*^\W+Window 2 /ms, 'a click goes to the second one');
	click(40, 5);
	shows(qr/in view 439 ms.*^\W+Window 1 .*^\W+Window 2 /ms, 'and back');
	press('\\');
	unlike(shows(qr/\A(?:(?!\W+Window)[^\n]*\n){23} the second window is closed/, 'the same key closes it'), qr/Window/, 'one is left');
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
};

# On a wide screen, the two windows get 99 and 100 of 200 columns; a single window of that size, at that place, shows the same rows.
subtest 'what each shows' => sub {
	my @place = (Wake::sample('ioburst-ipi'), '--thread', 'wk-ioburst');
	my $play = sub {
		my ($name, @lines) = @_;
		Wake::spew("$tmp/script", join "\n", @lines, "dump $tmp/$name", 'quit', '');
		is(Wake::wakepath('view', @place, '--script', "$tmp/script")->{status}, 0, "$name: plays");
		return split /\n/, decode('UTF-8', Wake::slurp("$tmp/$name"));
	};
	my @moved = (qw(+ + j x L), 'o');
	my @two = $play->('two', 'size 200 30', '\\', @moved, 'Tab');
	my @left = $play->('left', 'size 99 30', 'o');
	my @right = $play->('right', 'size 100 30', @moved);
	# below the header and the ruler, down to the legend: a title takes a line
	my @rows = (3 .. 24);
	my $part = sub { return map { my $s = substr($_ // '', $_[0], $_[1]); $s =~ s/ +$//r } @_[2 .. $#_] };
	is_deeply([$part->(0, 99, @two[@rows])], [$part->(0, 99, @left[map { $_ - 1 } @rows])], 'the first one is a window of its size');
	is_deeply([$part->(100, 100, @two[@rows])], [$part->(0, 100, @right[map { $_ - 1 } @rows])], 'the second one, too');
};

subtest 'sizes' => sub {
	start(200, 60, '', Wake::sample('pipeline'));
	shows(qr/wk-pipe-main.*\? keys/s, 'the explorer');
	press('\\', '+');
	shows(qr/^\W+Window 1 [^\n]*│\W+Window 2 /m, 'beside each other');
	my $seed = 1;
	for my $i (1 .. 60) {
		$seed = ($seed * 1103515245 + 12345) % 2**31;
		tmux('resize-window', '-x', 20 + $seed % 230, '-y', 5 + int($seed / 256) % 60);
		press($i % 3 ? 'Tab' : 'F6') if $i % 4 == 0;
	}
	tmux('resize-window', '-x', 120, '-y', 40);
	my $screen = shows(qr/^\W+Window 1 .*^\W+Window 2 .*\n(?:[^\n]*\n)+ \? keys/ms, 'above each other');
	tmux('resize-window', '-x', 20, '-y', 5);
	shows(qr/\A(?:[^\n]{0,20}\n){4}\? J p \/ q/, 'at 20x5 there is one');
	my @title = screen() =~ /Window (\d)/g;
	cmp_ok(scalar @title, '<=', 1, 'or a lower pane');
	press('\\');
	tmux('resize-window', '-x', 80, '-y', 24);
	shows(qr/\A(?:(?!\W+Window)[^\n]*\n){23} the second window is closed/, 'it can be closed there');
	tmux('resize-window', '-x', 20, '-y', 5);
	shows(qr/\A(?:[^\n]{0,20}\n){4} the second/, 'small again');
	press('\\');
	shows(qr/^ no room for a seco/m, 'but not opened');
	press('C-c');
	shows(qr/left with 0/, 'C-c leaves');
};

# The border between them, by mouse and by keys: each keeps a minimum, and the next run has the border at that place.
subtest 'border' => sub {
	my @place = (80, 24, 'TERM=xterm-256color', Wake::sample('ioburst-ipi'), '--index-dir', "$tmp/border", '--goto', '+0ns');
	# The screen as soon as the second window's title is in LINE, counted from 1, or in COLUMN.
	my $at_line = sub { my ($line, $what) = @_; return shows(qr/\A(?:[^\n]*\n){@{[$line - 1]}}\W+Window 2 of/, $what) };
	my $at_column = sub { my ($column, $what) = @_; return shows(qr/^\W+Window 1 .{@{[$column - 11]}}│\W+Window 2 /m, $what) };
	start_as_kept(@place);
	shows(qr/\? keys/, 'the explorer');
	press('\\');
	$at_line->(12, 'below each other: half and half');
	drag(40, 12, 40, 9);
	$at_line->(9, 'the title of the second one is dragged up');
	drag(5, 9, 5, 2);
	$at_line->(7, 'not further than the first one needs');
	press('M--', 'M--');
	$at_line->(11, 'keys move it down');
	drag(40, 5, 70, 5);
	shows(qr/^\W+Window 1  [\d.]+ ms selected/m, 'a drag within a window selects');
	press('Escape');
	$at_line->(11, 'and moves no border');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	start_as_kept(200, 50, @place[2 .. $#place]);
	$at_column->(100, 'beside each other: half and half');
	drag(100, 20, 61, 30);
	$at_column->(61, 'the line between them is dragged');
	drag(61, 20, 3, 20);
	$at_column->(41, 'not further than the first one needs');
	press('F6');
	shows(qr/^\W+Events/m, 'a lower pane');
	press('M-+');
	$at_column->(41, 'whose size the keys change then');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	start_as_kept(@place);
	$at_line->(11, 'the next run has it where it was');
	tmux('resize-window', '-x', 200, '-y', 50);
	$at_column->(41, 'both ways');
	press('Q');
	shows(qr/left with 0/, 'leaves');
};

# While a lower pane has the focus, the title of the window that it follows is highlighted, but less than a focused one.
subtest 'whose rows' => sub {
	my @steps = (['\\'], ['F6'], ['Tab'], ['F6', 'F6']);
	Wake::spew("$tmp/script", join "\n", 'size 160 40', (map { (@{ $steps[$_] }, "attrs $tmp/roles.$_", "dump $tmp/titles.$_") } 0 .. $#steps), 'quit', '');
	is(Wake::wakepath('view', Wake::sample('ioburst-ipi'), '--script', "$tmp/script")->{status}, 0, 'plays');
	my @titles = map {
		my ($text, $roles) = map { [split /\n/, decode('UTF-8', Wake::slurp("$tmp/$_"))] } "titles.$_", "roles.$_";
		my ($events) = grep { $text->[$_] =~ /^\W+Events/ } 0 .. $#$text;
		my ($windows) = grep { $text->[$_] =~ /^\W+Window 1/ } 0 .. $#$text;
		my @at = ([$windows, index $text->[$windows], 'Window 1'], [$windows, index $text->[$windows], 'Window 2'], $events ? [$events, 1] : ());
		join '', map { substr $roles->[$_->[0]], $_->[1], 1 } @at;
	} 0 .. $#steps;
	is_deeply(\@titles, ['tT', 't&T', 'Ttt', '&tT'], 'first, second window, events: focus T, followed &');
};

# Other clocks: both windows keep their rows.
subtest 'hosts' => sub {
	start(160, 50, '', Wake::sample('rpc-chain'), '--thread', 'client/wk-client');
	shows(qr{^ client/wk-client.*\? keys}ms, 'the explorer');
	press('\\');
	shows(qr{Window 2 of client/wk-client}, 'a second window');
	press('/', 'db/wk-server', 'Enter');
	shows(qr{Window 1 of client/wk-client[^\n]*Window 2 of db/wk-server}, 'of another host');
	press(':', 'sync none', 'Enter');
	shows(qr{Window 1 of client/wk-client[^\n]*│\W+Window 2 of db/wk-server.*clocks: none}s, 'with other clocks');
	press('u', 'u', 'u');
	shows(qr{^(?!.*Window 2)}s, 'undone');
	press('Q');
	shows(qr{left with 0}, 'leaves with 0');
};

subtest 'kept' => sub {
	my @place = (80, 24, '', Wake::sample('pipeline'), '--index-dir', "$tmp/looks", '--goto', '+0ns');
	start_as_kept(@place);
	shows(qr/\? keys/, 'the explorer');
	press('\\');
	shows(qr/Window 2/, 'a second window');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	start_as_kept(@place);
	shows(qr/Window 1.*Window 2.*\? keys/s, 'it is there the next time');
	press('Tab', '\\', 'Q');
	shows(qr/left with 0/, 'leaves');
	start_as_kept(@place);
	unlike(shows(qr/\? keys/, 'once more'), qr/Window/, 'the closed one is gone');
	press('Q');
	shows(qr/left with 0/, 'leaves');
};

stop();
done_testing;
