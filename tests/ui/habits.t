#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Habits from other programs: q closes panes and quits only from the bottom, :q quits, words of other tools are commands, + counts from the cursor, a
# click on a heading sorts, the key of a menu closes it, a key never changes rows that the user does not look at.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = $ENV{TMPDIR};
# Play KEYS, with a dump after each that is written "=NAME"; returns the text of each dump by its name, for those that were reached.
sub play { return play_of('preempt', @_) }
sub play_of {
	my ($trace, @keys) = @_;
	unlink glob "$dir/screen.*";
	spew("$dir/script", join '', map { /^=(\w+)$/ ? "dump $dir/screen.$1\n" : "$_\n" } 'size 110 30', @keys);
	is(wakepath('view', sample($trace), '--script', "$dir/script")->{status}, 0, "@keys");
	return map { m{screen\.(\w+)$} ? ($1 => slurp($_)) : () } glob "$dir/screen.*";
}
sub typed { return (':', qq("$_[0]"), 'Enter') }

my %s = play('=bottom', 'w', '=pane', 'q', '=closed', 'q', '=left');
like($s{bottom}, qr/q quit/, 'at the bottom q quits');
like($s{pane}, qr/^\W+Worst.*q close/ms, 'a pane: q closes');
unlike($s{closed}, qr/^\W+Worst/m, 'it is closed');
like($s{closed}, qr/q quit/, '… the bottom');
is($s{left}, undef, '… and the next q quits');

%s = play('w', 'F6', '=two', 'q', '=one', 'F3', 'q', '=legend', '\\', 'q', '=window', 'w', 'Enter', 'f', 'q', '=back', 'q', 'q', 'q', 'q', '=left');
like($s{two}, qr/^\W+Events/m, 'a second pane');
unlike($s{one}, qr/^\W+Events/m, '… is closed first, as it was opened last');
unlike($s{legend}, qr/Legend/, 'the legend');
unlike($s{window}, qr/Window 2/, 'the second window, opened after it');
is($s{left}, undef, 'at the end it quits');

# An answer of J covers the previous pane, which comes back unchanged: pane, selected line, time.
for my $trace ('preempt', 'rpc-chain') {
	for my $n (0, 1, 3 .. 14) {	# 2 is the overview itself
		my %seen = play_of($trace, 'i', 'j', '=before', 'J', ('Down') x $n, 'Enter', '=answer', 'q', '=after');
		my ($before, $after) = map { s/\A.*\n//r =~ s/^.*active.*\n(?:.*\n)*?(?=[^\w\n]+Overview)//mr } @seen{qw(before after)};
		isnt($seen{answer}, $seen{before}, "$trace, question $n: answered");
		is($after, $before, '… and q leads back') or diag($seen{answer});
	}
}

# A question about a thread is about that of the selected line; otherwise, after a move, about the selected row; otherwise about that of the first
# sentence.
my $about = qr/^ slow thread +where the time of (\S+) went/m;
for ([['i', 'j', 'j'], 'httpd/wk-server[492]', 'a line of the overview'], [['i', 'i'], 'client/wk-client[572]', 'nothing: the first sentence'],
     [['i', 'Tab'], 'client/wk-client[572]', '… also beside the overview'], [['i', 'i', '/', '"systemd-j"', 'Enter'], 'db/systemd-journal[189]', 'a row'],
     [['w', 'kind', 'j'], undef, 'a line of a list'],
     [['i', '/', '"run-parts"', 'Enter'], 'db/run-parts[654]', 'what was found, whatever the overview has selected'],
     [['i', '/', '"wk-server"', 'Enter', 'Tab', 'n'], 'httpd/wk-server[492]', 'the next match, too'],
     [['i', '/', '"no such"', 'Enter'], 'client/wk-client[572]', 'nothing found: the line of the overview']) {
	my ($keys, $whose, $what) = @$_;
	%s = play_of('rpc-chain', (map { $_ eq 'kind' ? typed('kind wait-cpu') : $_ } @$keys), '=seen', 'J', '=asked');
	# The marked line of a list is the second one: it has the thread.
	$whose //= ($s{seen} =~ /^\W+Worst (?:.*\n)*?\s+2 .*? (\w+\/\S+\[\d+\])/m)[0];
	is(($s{asked} =~ $about)[0], $whose, "J is about $what") or diag($s{seen});
}
%s = play_of('rpc-chain', 'i', '/', '"run-parts"', 'Enter', 'p', '=path');
like($s{path}, qr/^\W+Critical path of db\/run-parts\[654\]/m, 'p shows the path of the found thread');

# The pane of causes that J opens covers the life of its thread, not the window that an answer about another thread left; a selection stays.
%s = play_of('rpc-chain', 'i', 'J', 'Enter', 'Esc', 'Esc', '/', '"systemd-j"', 'Enter', 'J', '"causes"', 'Enter', '=causes');
like($s{causes}, qr/^\W+Causes of waiting of db\/systemd-journal\[189\] +11\.9 s in view/m, 'causes after the story of a short thread') or diag($s{causes});
%s = play_of('rpc-chain', '/', '"systemd-j"', 'Enter', 'g', '"4s"', 'Enter', 'v', 'g', '"6s"', 'Enter', 'v', 'J', '"causes"', 'Enter', '=selected');
like($s{selected}, qr/^\W+Causes of waiting of db\/systemd-journal\[189\] +2\.00 s selected/m, 'causes in a selection');

%s = play('i', 'End', 'i', 'i', '=again', 'End', 'Enter', 'q', '=back');
like($s{again}, qr/^\W+Overview .*\n wk-victim\[546\]: /m, 'i opens the overview at its top');
unlike($s{back}, qr/^\W+Overview .*\n wk-victim\[546\]: /m, 'q leads back to the previous place');

for (['Q'], ['Z', 'Z'], [typed('q')], [typed('quit')], [typed('exit')]) {
	%s = play('w', '=before', @$_, '=after');
	ok(defined $s{before}, "@$_: it is there");
	is($s{after}, undef, '… and quits at once');
}
%s = play('Z', 'j', 'Z', '=after');
ok(defined $s{after}, 'Z j Z is not ZZ');

my %does = (cpu => qr/^\W+Worst wait-cpu/m, preempt => qr/^\W+Worst preempted/m, 'off-cpu' => qr/^\W+Worst off-cpu/m, schedule => qr/^\W+Worst wait-cpu/m, irq => qr/^\W+Worst irq/m,
	disk => qr/disk|block/, blame => qr/^\W+Account/m, vm => qr/[Vv]irtual machine/, flame => qr/stack/, run => qr/Commands, first those of this pane/, color => qr/theme \w+/,
	config => qr/--print-config/, save => qr/\bto\b|file/);
for my $word (sort keys %does) {
	%s = play(typed($word), '=there');
	like($s{there}, $does{$word}, ":$word");
}
%s = play(typed("save $dir/rows.json"), '=there');
ok(-e "$dir/rows.json", ':save FILE writes it') or diag($s{there});

%s = play(typed('zom-in'), '=line', '?', '"flame"', '=flame', 'Esc', '?', '"zqzoomin"', '=none', 'Esc');
like($s{line}, qr/zom-in: no such command; the nearest: zoom-in, zoom-\w+, \S+$/m, 'the nearest three of a line');
like($s{flame}, qr/^.*\bI +stacks +blocked time by stack/m, 'the menu has the words of other tools');
like($s{none}, qr/^ nothing matches; the nearest:$/m, 'it says that nothing matches');
unlike($s{flame}, qr/nothing matches/, '… only then');
is(scalar(() = $s{none} =~ /^\S* +\S+ +(?:zoom-|\w)\S* .*\w/mg) >= 3, 1, 'the menu has the nearest three');
like($s{none}, qr/zoom-in +zoom in/, '… including the intended one');


# Both menus find commands and questions, by the beginnings of words; the first line is the intended one, and each line has a word that begins with the
# typed letters.
for (['?', 'lock', qr/^ J .* locks /], ['?', 'disk', qr/^ J .* slow disk requests /], ['?', 'throttl', qr/^ J .* throttled threads /], ['?', 'quota', qr/^ J .* throttled threads /],
	['?', 'barr', qr/^ \S+(?: \S+)* +spans/], ['J', 'barr', qr/^ spans /], ['J', 'marks', qr/^ spans /], ['J', 'throttl', qr/^ throttled threads/], ['J', 'late', qr/^ slow wake-ups|^ latency /],
	['J', 'stor', qr/^ story /], ['J', 'disk', qr/^ slow disk requests/]) {
	my ($menu, $word, $first) = @$_;
	%s = play($menu, qq("$word"), '=found');
	my ($lines) = $s{found} =~ /^> \Q$word\E *\n((?:.*\S.*\n)+)/m or diag($s{found});
	like($lines // '', $first, "$menu $word: the intended one comes first");
	unlike($s{found}, qr/nothing matches/, '… and it matches');
}
%s = play('J', '"barr"', '=barr', 'Enter', '=spans', 'q', 'J', '"locks"', 'Enter', '=locks', 'J', '"throttled"', 'Enter', '=throttled');
unlike($s{barr}, qr/^ +(?:locks|network|counters)\b/m, 'letters from different words match nothing');
like($s{spans}, qr/^\W+Spans/m, 'J runs a command');
like($s{throttled}, qr/^\W+Causes of waiting of user threads.*only throttled/m, 'threads that a quota stopped');

# Without requests, the list names a substitute. (The marks of wk-ioburst are spans, which the overview shows.)
for (['preempt', qr/^ no request began here *\n p: what the selected thread waited for/m], ['ioburst-ipi', qr/^ no request began here *\n M-p: spans that programs wrote *\n p: what/m]) {
	my ($trace, $told) = @$_;
	my %seen = play_of($trace, 'i', 'j', '=overview', ':', '"requests on"', 'Enter', '=none');
	like($seen{none}, $told, "$trace: what to use instead of requests");
}

%s = play('g', '"100 ms"', 'Enter', '=a', 'g', '"+50 ms"', 'Enter', '=b', typed('+50ms'), '=c', typed('goto +0.1'), '=d', typed('goto 0.1'), '=e');
my @at = map { /^ preempt +(\S+) s  in view/ ? $1 : $_ } @s{qw(a b c d e)};
is("@at", '0.100000000 0.150000000 0.200000000 0.300000000 0.100000000', '+ counts from the cursor, a time of the header is one of the trace');

%s = play('w', '=before');
my @lines = split /\n/, $s{before};
my ($y) = grep { $lines[$_] =~ /LATENCY/ } 0 .. $#lines;
my $x = index($lines[$y], 'CPU') + 1;
%s = play('w', "click $x ${\($y + 1)}", '=sorted');
like($s{sorted}, qr/sorted by CPU/, 'a click on a heading sorts');

%s = play('?', '=menu', '?', '=closed', '?', '"s"', '?', '=typed');
like($s{menu}, qr/type to search/, '? opens the menu');
unlike($s{closed}, qr/type to search/, '… and closes it');
like($s{typed}, qr/> ?s\?/, '… but not after other text');
%s = play('?', '"lane"', '=lane', 'Esc', '?', '"scroll"', '=scroll');
like($s{lane}, qr/which rows are shown/, 'the menu knows lanes');
like($s{scroll}, qr/half a window on/, '… and scrolling');

%s = play('p', '&', '=filter', 'O', '=sort', typed('filter wk-'), '=typed');
like($s{$_}, qr/$_ is for the other pane: Tab goes there/, "$_: not of a path") for 'filter', 'sort';
like($s{typed}, qr/&wk-.*wk-victim/s, 'a typed filter is meant for the rows');
done_testing;
