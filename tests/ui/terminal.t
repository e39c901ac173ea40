#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Drives the real program in a real terminal, tmux: sizes, resizing, colours,
# kinds of terminal, ASCII, keys that are escape sequences, quitting and
# cancelling.  It waits for expected text, never for a time to pass.
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use Cwd qw(abs_path);
use Time::HiRes qw(sleep time);
use Test::More;
use lib "$ENV{TOP}/tests/tools";
use Tmux;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $samples = $ENV{SAMPLES} // "$top/sample-traces";
my $program = $ENV{WAKEPATH} // "$top/build/wakepath";
my $tmp = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";

plan skip_all => 'tmux is not installed' if system('tmux -V >/dev/null 2>&1');

sub read_all { my ($path) = @_; local (@ARGV, $/) = $path; return scalar <> }

sub lines { return scalar(my @l = split /\n/, $_[0], -1) - 1 }

subtest '80x24' => sub {
	start(80, 24, '', "$samples/pipeline");
	my $screen = shows(qr/wk-pipe-main.*\? keys/s, 'shows the trace and the keys');
	is lines($screen), 24, 'fills the screen';
	like $screen, qr/^ pipeline .* in view 901 ms/, 'the header gives the window';
	like $screen, qr/█/, 'draws UTF-8';
	press('Down', 'Down');
	shows(qr/^ wk-stage0\[435\]  /m, 'arrow keys move');
	press('/');
	shows(qr/^find/m, 'asks for the text to find');
	press('stage2', 'Enter');
	shows(qr/^ wk-stage2\[437\]  /m, 'finds it');
	press('F1');
	shows(qr/Commands, first those of this pane/, 'a function key lists the commands');
	press('Escape');
	shows(qr/^ wk-stage2\[437\]  /m, 'Esc leaves it');
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
	unlike screen(), qr/wk-stage2/, 'and restores the screen';
};

subtest 'the begin in sorted rows' => sub {
	open(my $out, '>', "$tmp/sorted") or die;
	print $out "[start]\nsort wait\n";
	close $out or die;
	start_as_is(80, 24, '', "$samples/preempt", '--config', "$tmp/sorted");
	my $screen = shows(qr/ active by wait (?!\.\.\.)(?:.*\n)*^\W+Overview  whole trace(?!.* of \d+ parts)/m, 'the overview is there');
	like $screen, qr/^ wk-victim\[546\]  /m, '… and the cursor where it begins without a sort';
	press('Q');
};

# After a file of commands the overview, and the row and time at which the explorer opens, are as without it, unless a command leads elsewhere.
subtest 'the overview with commands' => sub {
	for (["arrows on\n", ''], ["arrows on\nkind fish\n", 'do:2: kind: "fish" is not one of:'], ["row-down\n", undef], ["kind preempted\n", undef]) {
		my ($commands, $message) = @$_;
		open(my $out, '>', "$tmp/do") or die;
		print $out $commands;
		close $out or die;
		start_as_is(120, 40, '', "$samples/preempt", '--command', "$tmp/do");
		if (!defined $message) {
			unlike shows($commands =~ /kind/ ? qr/^\W+Worst preempted/m : qr/^ (?!wk-victim\[546\])\S+\[\d+\]  (?:.*\n)*.*p path/m, $commands =~ tr/\n/;/r), qr/^\W+Overview/m, '… leads elsewhere';
			next;
		}
		my $screen = shows(qr/^\W+Overview  whole trace(?!.* of \d+ parts)(?:.*\n)*.*\Q$message\E/m, "it stays with " . $commands =~ tr/\n/;/r);
		like $screen, qr/^ preempt  (?!0\.000000000)/m, '… and the time of the begin';
		like $screen, qr/^ wk-victim\[546\]  /m, '… and its row';
		press('Down', 'Down', 'Down', 'Down', 'Down', 'Down', 'Enter');
		shows(qr/^\W+Account of /m, '… and it has the focus');
	}
	press('Q');
};

# For every destination of a line: an interrupt's row, a disk's path.
subtest 'Esc leads back to the overview' => sub {
	for my $keys (['End'], ['End', 'Up']) {
		start_as_is(120, 40, '', "$samples/pipeline");
		shows(qr/^\W+Overview  whole trace(?!.* of \d+ parts)/m, 'the overview');
		my ($time) = screen() =~ /^ pipeline  (\S+)/m;
		press(@$keys, 'Enter');
		shows(qr/^ pipeline  (?!\Q$time\E).*\n(?:(?!\W+Overview).*\n)*\z/m, "@$keys Enter leaves it");
		press('v');
		shows(qr/selection begins here/, 'a selection');
		press('Escape');
		unlike shows(qr/^ pipeline  (?!\Q$time\E)(?!.*selection begins)/ms, '… is left by Esc'), qr/^\W+Overview/m, '… first';
		press('Escape');
		shows(qr/^ pipeline  \Q$time\E.*\n(?:.*\n)*^\W+Overview  whole trace/m, '… then it brings the overview and the place back');
		press('Escape');
		shows(qr/^ pipeline  \Q$time\E.*\n(?:(?!\W+Overview).*\n)*\z/m, '… and closes it');
		press('Escape');
		shows(qr/nothing is selected, and there is no pane to leave/, '… for good');
	}
	press('Q');
};

# Esc leaves the focused pane below the rows, a selection first; then there is no pane to leave.
subtest 'Esc closes a pane' => sub {
	my %title = (p => 'Critical path', w => 'Worst', C => 'Causes', V => 'Virtual machines', B => 'Account', F6 => 'Events', E => 'Story', 'M-r' => 'Requests');
	start(120, 40, '', '--thread', 'wk-rt', "$samples/preempt");
	shows(qr/^ preempt /m, 'it is there');
	for my $key (sort keys %title) {
		press($key);
		shows($key eq 'p' ? qr/^\W+Critical path.*\n(?:.*\n)* . interrupted /m : qr/^\W+$title{$key}/m, "$key shows $title{$key}");
		press('v') if $key eq 'p';
		shows(qr/selection begins/, 'a selection') if $key eq 'p';
		press('Escape');
		like shows(qr/^(?!.*selection begins)/s, '… is left first'), qr/^\W+$title{$key}/m, '… and the pane stays' if $key eq 'p';
		press('Escape') if $key eq 'p';
		# Esc first stops a count in progress.
		press('Escape') if shows(qr/\A(?:(?!^\W+$title{$key}).*\n)*\z|stopped/m, '… Esc ends it') =~ /stopped/;
		shows(qr/\A(?:(?!^\W+$title{$key}).*\n)*\z/m, '… and leaves it');
		press('Escape');
		shows(qr/nothing is selected, and there is no pane to leave/, '… and then nothing');
	}
	press('Q');
};

# The screen without the overview, ROW selected, nothing left to close.
my $without = sub { my ($row) = @_; return qr/\A(?:(?!^\W+Overview).*\n)*^ \Q$row\E  (?:(?!^\W+Overview).*\n)*.*\? keys.*q quit/m };

for my $size ([80, 24], [120, 40], [200, 60]) {
	my ($columns, $rows) = @$size;
	subtest "the overview comes first, ${columns}x$rows" => sub {
		start_as_is($columns, $rows, '', "$samples/preempt");
		# The whole overview: moving down while its parts come in would go to a line of the parts so far.
		my $screen = shows(qr/^\W+Overview  whole trace(?!.* of \d+ parts).*\n(?:.*\n)* +ON CPU OF TRACE  Threads that used the CPUs most\n +\S+ .s +\S+%  /m, 'where the time went');
		like $screen, qr/^ solo: 578 ms, 2 CPUs, \d+ events/m, 'the size of the recording';
		like $screen, qr/^ wk-victim\[546\]  /m, 'the cursor is on the thread of the first sentence';
		press('Down', 'Down', 'Down', 'Down', 'Down', 'Down', 'Enter');
		my ($row) = shows(qr/^\W+Account of /m, 'Enter goes to what a line tells') =~ /Account of (\S+)/;
		press('Escape');
		shows(qr/^\W+Overview  whole trace/m, '… and Esc back');
		press('Escape');
		shows($without->($row), 'Esc leaves it, for good');
		press('i');
		shows(qr/^\W+Overview  whole trace.*\? keys.*q close/ms, 'i opens it again');
		press('q');
		shows($without->($row), '… and q closes the opened pane');
		press('q');
		shows(qr/left with 0/, '… and then quits');
		start_as_is($columns, $rows, '', "$samples/preempt");
		shows(qr/^\W+Overview  whole trace/m, 'begun again');
		press('q');
		shows(qr/left with 0/, '… where q quits: the program opened it, not the user');
		start_as_is($columns, $rows, '', "$samples/preempt");
		shows(qr/^\W+Overview  whole trace/m, 'and again');
		press('/', 'wk-rt', 'Enter');
		shows($without->('wk-rt[547]'), 'moving elsewhere leaves it');
		start_as_is($columns, $rows, '', "$samples/preempt");
		shows(qr/^\W+Overview  whole trace/m, 'once more');
		press('/', 'wk-victim', 'Enter');
		shows($without->('wk-victim[546]'), 'searching for the selected row leaves it, too');
		press('Q');
		shows(qr/left with 0/, 'leaves with 0');
	};
}

subtest 'resize' => sub {
	start(200, 60, '', "$samples/pipeline");
	my $screen = shows(qr/wk-pipe-main.*\? keys/s, '200x60 shows the trace');
	is lines($screen), 60, 'fills the screen';
	like $screen, qr/850 ms/, 'has room for more ticks';
	tmux('resize-window', '-x', 80, '-y', 24);
	shows(qr/\A[^\n]*\n[^\n]*(?<!│850 ms)[^\n]{0,20}\n(?:[^\n]*\n){21}[^\n]*\? keys[^\n]* b back\n?\z/, 'is drawn anew at 80x24');
	tmux('resize-window', '-x', 30, '-y', 8);
	shows(qr/\A(?:[^\n]*\n){7}\? J p \/ q\n?\z/, 'and at 30x8');
	tmux('resize-window', '-x', 120, '-y', 40);
	shows(qr/\A(?:[^\n]*\n){39} \? keys/, 'and at 120x40');
	press('C-c');
	shows(qr/left with 0/, 'C-c leaves');
};

# True if SCREEN has colours: SGR 30-37, 38, 40-48, 90-97.
sub coloured { return $_[0] =~ /\e\[[0-9;]*\b(?:3[0-8]|4[0-8]|9[0-7])(?:[;m])/ }

subtest 'colours' => sub {
	start(80, 24, '', "$samples/pipeline");
	shows(qr/\? keys/, '256 colours');
	ok coloured(screen(1)), 'has colours';
	like screen(1), qr/[34]8;5;\d+/, 'of the 256';
	start(80, 24, 'TERM=screen', "$samples/pipeline");
	shows(qr/\? keys/, 'TERM with 8 colours');
	ok coloured(screen(1)), 'has colours';
	unlike screen(1), qr/38;5;/, 'of the 8';
	start(80, 24, 'NO_COLOR=1', "$samples/pipeline");
	shows(qr/\? keys/, 'NO_COLOR');
	ok !coloured(screen(1)), 'has none';
	start(80, 24, 'TERM=vt100', "$samples/pipeline");
	shows(qr/█.*\? keys/s, 'TERM=vt100');
	ok !coloured(screen(1)), 'has none';
	start(80, 24, 'TERM=xterm', "$samples/pipeline", '--theme', 'light');
	shows(qr/\? keys/, 'TERM=xterm --theme light');
	ok coloured(screen(1)), 'has colours';
};

# Another TERM inside tmux: wakepath uses only capabilities that tmux knows as well.
subtest 'called by another name' => sub {
	my %screens;
	my @names = ('screen-256color', grep { !system("infocmp '$_' >/dev/null 2>&1") } qw(screen tmux-256color xterm xterm-256color rxvt linux));
	# Without a whole index the start depends on the part read so far.
	is system($program, 'index', '--quiet', "$samples/rpc-chain"), 0, 'an index';
	for my $name (@names) {
		start(100, 30, "TERM=$name", "$samples/rpc-chain");
		shows(qr/wk-.*\? keys/s, $name);
		press('w', 'Tab');
		shows(qr/Worst latencies.*LATENCY.*FROM/s, '… a lower pane');
		press(('j') x 24, ('k') x 3, '+', '+', 'l', 'L', 'H', '/');
		shows(qr/^find/m, '… moves, until it asks for the text to find');
		my ($before, $until) = ('', time + 30);
		while (time < $until && ($before ne screen() || !$before)) { $before = screen(); sleep 0.3 }
		$screens{$name} = $before =~ s/[^\n]*\n\z//r;	# without the message on the last line
		press('Escape', 'Q');
		shows(qr/left with 0/, '… leaves with 0');
	}
	is $screens{$_}, $screens{'screen-256color'}, "TERM=$_: the same screen" for @names[1 .. $#names];
};

# Without an alternate screen to leave, the painted text is erased.
subtest 'no alternate screen' => sub {
	start(80, 24, 'TERM=vt100', "$samples/pulse");
	shows(qr/\? keys/, 'vt100');
	press('Q');
	shows(qr/left with 0/, 'it leaves');
	unlike screen(), qr/keys|find|quit/, 'and no text remains';
};

# The description of a terminal with direct colour: "NAME-direct" beside NAME.
SKIP: {
	my $source = "$tmp/direct.ti";
	open my $ti, '>', $source or die;
	print $ti 'screen-direct|screen with direct colour in the tests,', "\n\t",
		'RGB, colors#0x1000000, pairs#0x7FFFF, op=\E[39;49m,', "\n\t",
		'setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,', "\n\t",
		'setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,', "\n\t",
		"use=screen-256color,\n";
	close $ti;
	skip 'needs tic', 1 if system("tic -x -o '$tmp/terminfo' '$source' >/dev/null 2>&1");
	subtest 'true colour' => sub {
		my $env = "TERMINFO='$tmp/terminfo' TERMINFO_DIRS=/etc/terminfo:/lib/terminfo:/usr/share/terminfo";
		start(80, 24, "$env COLORTERM=truecolor", "$samples/pipeline");
		shows(qr/\? keys/, 'COLORTERM=truecolor');
		like screen(1), qr/38;2;\d+;\d+;\d+/, 'has colours of 24 bits';
		start(80, 24, $env, "$samples/pipeline");
		shows(qr/\? keys/, 'without it');
		unlike screen(1), qr/38;2;/, 'has not';
	};
}

# The sequence that the terminal sends for button BUTTON (wheel: 64, 65; with Ctrl 16 more; "up": release) at COLUMN and LINE, in X10's form
# (TERM=screen) or by numbers (TERM=xterm).
sub mouse_bytes {
	my ($way, $button, $column, $line) = @_;
	my $up = $button eq 'up';
	return $way eq 'x10' ? "\e[M" . join('', map { chr 32 + $_ } $up ? 3 : $button, $column, $line)
		: sprintf("\e[<%d;$column;$line%s", $up ? 0 : $button, $up ? 'm' : 'M');
}

# Several events at once, as on a slow line: each [BUTTON, COLUMN, LINE].
sub mouse_at_once {
	my ($way, @done) = @_;
	tmux('send-keys', '-H', map { sprintf '%02x', ord } split //, join '', map { mouse_bytes($way, @$_) } @done);
}

sub mouse { my ($way, @done) = @_; mouse_at_once($way, \@done) }

sub takes_mouse { return told('#{mouse_any_flag}') }

for my $kind (['x10', 'TERM=screen-256color'], ['numbers', 'TERM=xterm-256color']) {
	my ($way, $env) = @$kind;
	subtest "mouse, $env" => sub {
		start(80, 24, $env, "$samples/pipeline");
		shows(qr/wk-pipe-main.*\? keys/s, 'the explorer');
		like takes_mouse(), qr/^1/, 'takes the mouse';
		mouse($way, 0, 60, 9);
		shows(qr/^ pipeline  0\.563\d+ s .*^ wk-pipe-main\[434\]  /ms, 'a click moves row and time');
		mouse($way, 'up', 60, 9);
		mouse($way, 0, 40, 9);
		mouse($way, 'up', 60, 9);
		shows(qr/selected 338 ms \(37\.5%\)/, 'a drag selects');
		press('Escape');
		mouse($way, 0, 40, 9);
		mouse($way, 32, 45, 9);
		shows(qr/^ wk-pipe-main\[434\] [\d.]+ ms of CPU.* \d+ events?.*^ selected 96\.\d ms /ms, 'while the button is pressed, the range is selected, with its sums');
		mouse_at_once($way, map { [32, $_, 9] } 46 .. 60);
		shows(qr/^ wk-pipe-main\[434\] .* of CPU.*^ selected 338 ms \(37\.5%\)/ms, '... and follows the mouse');
		mouse($way, 32, 40, 9);
		shows(qr/selected 16\.\d ms /, '... and back');
		mouse($way, 'up', 40, 9);
		press('u');
		shows(qr/^(?!.*selected)/s, 'it is one step to undo');
		mouse_at_once($way, [0, 30, 9], ['up', 30, 9], [0, 50, 9], ['up', 40, 9]);
		shows(qr/selected 177 ms/, 'so it does if all arrives at once');
		press('Escape');
		mouse($way, 0, 48, 9);
		mouse($way, 'up', 48, 9);
		mouse($way, 0, 48, 9);
		shows(qr/^ wk-stage3\[438\]  /m, 'a double click follows');
		mouse($way, 'up', 48, 9);
		mouse($way, 0, 60, 9);
		shows(qr/^ pipeline  0\.563\d+ s .*^ wk-pipe-main\[434\]  /ms, 'a click elsewhere does not');
		mouse($way, 65, 60, 9);
		shows(qr/^ wk-stage2\[437\]  /m, 'the wheel moves rows');
		mouse($way, 64, 40, 2);
		shows(qr/^ pipeline  0\.241\d+ s  in view 450 ms/, 'on the ruler it zooms at the mouse');
		if ($way eq 'numbers') {	# curses takes no modifier of X10's wheel
			mouse($way, 65 + 16, 40, 9);
			shows(qr/in view 901 ms/, 'and so it does with Ctrl');
		}
		press('M');
		shows(qr/mouse off: the terminal selects text/, 'it can be given back');
		like takes_mouse(), qr/^0/, '… and is';
		press('M');
		shows(qr/the mouse moves/, 'and taken');
		press('Q');
		shows(qr/left with 0/, 'leaves with 0');
		like takes_mouse(), qr/^0/, 'and releases the mouse';
	};
}

# Esc and a key right after it arrive together: they are Alt with that key only if that is bound.
subtest 'Esc and a key' => sub {
	start(120, 24, '', "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer');
	press('v', 'l');
	shows(qr/ selected /, 'a selection');
	tmux('send-keys', '-H', '1b', '24');
	my $screen = shows(qr/^ pipeline  0\.900911839 s/, 'Esc $ goes to the end');
	unlike $screen, qr/ selected /, 'and has dropped the selection';
	tmux('send-keys', '-H', '1b', '1b', '30');
	shows(qr/^ pipeline  0\.000000000 s/, 'Esc Esc 0 goes to the start');
	tmux('send-keys', '-H', '1b', map { sprintf '%02x', ord } split //, "\e[M" . join '', map { chr 32 + $_ } 0, 60, 9);
	shows(qr/^ pipeline  0\.276\d+ s/, 'a click right after Esc is a click');
	press('p');
	my $before = shows(qr/^\W+Critical path of wk-pipe-main/m, 'a lower pane');
	tmux('send-keys', '-H', '1b', '2b');
	shows(qr/^(?!\Q$before\E)/s, 'Alt +, which is bound, makes it larger');
	unlike screen(), qr/in view 450 ms/, 'and is not +';
	tmux('send-keys', '-H', '1b', '71');
	shows(qr/left with 0/, 'Esc q leaves');
};

# Without knowing any key: a question, Enter for the worst, Enter for why; any command by its description.
for my $size ([80, 24], [200, 60]) {
	my ($columns, $rows) = @$size;
	subtest "menus, ${columns}x$rows" => sub {
		start($columns, $rows, '', "$samples/preempt");
		shows(qr/\? keys/, 'the explorer');
		press('F2');
		shows(qr/^\W+Questions .*^ waits for a CPU /ms, 'F2 asks');
		press('stole', 'Enter');
		shows(qr/^\W+Worst wait-cpu latencies of all threads.*^ +1 +\d/ms, 'the worst');
		press('Enter');
		shows(qr/^\W+Account of .*^ A  wait-cpu /ms, 'the users of the CPU');
		press('?', 'critical path of');
		shows(qr/^ p +path /m, 'a command by its description');
		press('Enter');
		shows(qr/^\W+(?:Critical path|Path) of wk-rt/m, 'is done');
		press('Q');
		shows(qr/left with 0/, 'leaves');
	};
}

# Lines typed after ":" are there in the next run, the last ones, whatever the file holds.
subtest 'history of commands' => sub {
	my $file = "$tmp/state/wakepath/history";
	start(80, 24, "XDG_STATE_HOME='$tmp/state'", "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer');
	press(':', 'kind fish', 'Enter');
	shows(qr/"fish" is not one of: wakeup/, 'a wrong line gives a message');
	press(':', 'theme mono', 'Enter');
	shows(qr/theme mono/, 'a right one runs');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	is read_all($file), "kind fish\ntheme mono\n", 'both are stored';
	open my $out, '>', $file or die;
	print $out "goto $_\n" for 1 .. 600;
	close $out;
	start(80, 24, "XDG_STATE_HOME='$tmp/state'", "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer again');
	press(':', 'Up', 'Up');
	shows(qr/^: goto 599/m, 'Up goes back to them');
	press('Enter');
	shows(qr/outside the trace/, 'and it runs again');
	press(':', 'theme dark', 'Enter');
	shows(qr/theme dark/, 'another one');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	my @lines = split /\n/, read_all($file);
	is scalar(@lines), 500, 'at most 500 are stored';
	is_deeply [@lines[0, -2, -1]], ['goto 103', 'goto 599', 'theme dark'], '... the last ones';
	open $out, '>', $file or die;
	print $out "\xff\xfe not a text\n";
	close $out;
	start(80, 24, "XDG_STATE_HOME='$tmp/state'", "$samples/pipeline");
	shows(qr/\? keys/, 'a file that is not text does no harm');
	rename $file, "$file.d" and rename "$tmp/state", "$tmp/gone" and open($out, '>', "$tmp/state") and close $out or die;
	press(':', 'theme mono', 'Enter');
	shows(qr/theme mono/, 'if nothing can be stored all else works');
	press('!');
	shows(qr/making the folder/, '... with a message');
};

subtest 'copy' => sub {
	start(80, 24, '', "$samples/pipeline", '--thread', 'wk-stage0');
	tmux('set', '-s', 'set-clipboard', 'on');
	shows(qr/\? keys/, 'the explorer');
	press('Y', 'name', 'Enter');
	shows(qr/copied the name, 14 bytes: OSC 52; tmux needs set-clipboard on/, 'the message names text and place');
	is buffer(), 'wk-stage0[435]', 'tmux has it';
	press('Y', 'command', 'Enter');
	shows(qr/copied the command/, 'another one');
	like buffer(), qr/^wakepath '\Q$samples\E\/pipeline' .*--view '[^']*'$/, 'tmux has that';
	unlike screen(), qr/52;c;|tmux;/, 'no part of it is shown';
	for (['on', 'copy on'], ['off', 'copy off']) {
		open(my $out, '>', "$tmp/copy-$_->[0]") or die;
		print $out "[start]\n$_->[1]\n";
		close $out or die;
	}
	for my $case ([qr/may print the copied text instead/], [qr/copied the name/, '--copy'], [qr/copied the name/, '--config', "$tmp/copy-on"],
		[qr/may print the copied text instead/, '--config', "$tmp/copy-off"], [qr/copied the name/, '--config', "$tmp/copy-off", '--copy']) {
		my ($says, @options) = @$case;
		start(80, 24, 'TERM=linux', "$samples/pipeline", '--thread', 'wk-stage0', @options);
		shows(qr/\? keys/, "TERM=linux @options");
		press('Y', 'name', 'Enter');
		shows($says, 'off unless asked for');
	}
};

# The clipboard's text, as the terminal sends it to a program that requested bracketed paste.
sub paste { my ($text) = @_; tmux('set-buffer', '--', $text); tmux('paste-buffer', '-p') }

subtest 'the view is stored' => sub {
	my @place = ("WAKEPATH_INDEX_DIR='$tmp/looks'", "$samples/pipeline", '--goto', '+0ns');
	my $kept = sub { my ($file) = glob "'$tmp/looks'/*.view"; return $file };
	my $leave = sub {
		press('Q');
		shows(qr/left with 0/, 'leaves');
	};
	start_as_kept(80, 24, @place);
	shows(qr/\? keys/, 'the explorer');
	$leave->();
	is $kept->(), undef, 'nothing is stored if nothing was changed';

	start_as_kept(80, 24, @place);
	shows(qr/\? keys/, 'again');
	press('<', '<', 't', 'M-z');
	shows(qr/stack: each pane has the whole screen/, 'a stack');
	$leave->();
	is read_all($kept->()), "[wakepath view]\nversion=1\nlayout=stack\nname-columns=-4\nclock=clock\n", 'changes are stored';
	is((stat $kept->())[2] & 0777, 0600, 'for the user alone');

	start_as_kept(80, 24, @place);
	my $screen = shows(qr/^ pipeline  \d\d:\d\d:\d\d\..*?\n.*? CPU 0          │/s, 'the clock, and narrower names');
	press('F6');
	$screen = shows(qr/Events of all CPUs/, 'events');
	unlike $screen, qr/CPU 0  +│/, 'which have the whole screen';
	press('M-z');
	shows(qr/CPU 0  +│.*Events of all CPUs/s, 'split again');
	$leave->();
	like read_all($kept->()), qr/^layout=split\nname-columns=-4\nclock=clock$/m, 'that is stored, too';

	start(80, 24, @place);
	shows(qr/^ pipeline  0/, '--fresh uses no stored view');
	press('o');
	$leave->();
	unlike read_all($kept->()), qr/arrows/, 'and stores none';

	open my $out, '>', $kept->() or die;
	print $out "[wakepath view]\nversion=1\nlayout=heap\n";
	close $out;
	start_as_kept(80, 24, @place);
	shows(qr/the layout of the last run is not restored: \S+/, 'impossible settings give a message');
	$leave->();
};

subtest 'paste' => sub {
	start(80, 24, '', "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer');
	paste("q\nM\x7fp");
	shows(qr/^ pasted text does not act as keys/m, 'pasted text does not act as keys');
	press('g');
	shows(qr/^go to/m, 'a question');
	paste("50 %\nq");
	shows(qr/^go to \([^)]*\) 50 %\s*$/m, 'takes its first line, and no Enter');
	press('Enter');
	shows(qr/^ pipeline  0\.450455920 s/, 'which is a time');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	paste('after');
	shows(qr/after/, 'text pasted later');
	unlike screen(), qr/20[01]~/, 'has no brackets any more';
};

# Request "c 0": the client waits for httpd, which waited for db; and the way back.
subtest 'across hosts' => sub {
	start(80, 24, '', "$samples/rpc-chain", '--thread', 'wk-client', '--goto', '1795169151270000000');
	shows(qr/^c  wk-client .*^ client\/wk-client\[572\]  blocked/ms, 'the client waits');
	press('+', '+', '+', '+', '+', '+', '+', 'f');
	shows(qr/^ httpd\/wk-server\[492\]  .*^ network: 10\.9\.1\.2:7000 > 10\.9\.1\.1:\d+ /ms, 'follow: to who sent the reply, on httpd');
	press('f');
	shows(qr/^db .*^d  wk-server .*^ db\/wk-server\[412\]  /ms, 'to who had answered httpd, on db');
	press('b');
	shows(qr/^ httpd\/wk-server\[492\]  /m, 'back to httpd');
	press('b');
	shows(qr/^ client\/wk-client\[572\]  blocked/m, 'back to the client');
	press('R');
	shows(qr/^c wk-client\[572\] .*^h softirq NET_RX .*^h wk-server\[492\] .*^ [\d.]+ ms: client\/wk-client\[572\] asked httpd\/wk-server\[492\]/ms, 'its request: a row for each');
	press('Q');
	shows(qr/left with 0/, 'leaves');
};

# Saved, moved by hand, read again.
subtest 'clocks' => sub {
	my $file = "$tmp/saved-clocks.json";
	unlink $file;
	start(100, 30, '', "$samples/rpc-chain");
	my ($error) = shows(qr/ clock ±\S+ .s  .*\? keys/s, 'the header says how far they may be off') =~ /clock ±(\S+ .s)/;
	press('K', 'j', 'j', 'e');
	shows(qr/^save the clocks to/m, 'asks where to save them');
	press('C-u', $file, 'Enter');
	shows(qr/^ wrote .*saved-clocks\.json: --sync/m, 'saved');
	my ($json, $sync) = map { scalar `$_` } "cat '$file'", "'$program' sync '$samples/rpc-chain' --format json";
	is $json, $sync, 'in the form of sync';
	press('e', 'C-u', $file, 'Enter');
	shows(qr/^this file exists: overwrite it/m, 'asks before it overwrites a file');
	press('no', 'Enter');
	shows(qr/^ nothing written/m, 'and does not overwrite it');
	press('Enter');
	shows(qr/^add to this host's own time -324\.9/m, 'asks by how much to move httpd');
	press('C-u', '-325s', 'Enter');
	shows(qr/clock error unknown.* httpd +typed .*^ clocks: auto,httpd=-325s/ms, 'moved');
	press('y', "none", 'Enter');
	shows(qr/clock each its own.*^ clocks: none/ms, 'each host its own');
	press('y', $file, 'Enter');
	shows(qr/ clock ±\Q$error\E .*^ clocks: \S+saved-clocks\.json/ms, 'the saved ones are back');
	press('Q');
	shows(qr/left with 0/, 'leaves');
	unlink $file;
};

subtest 'ASCII' => sub {
	start(80, 24, 'LC_ALL=C', "$samples/pipeline");
	my $screen = shows(qr/wk-pipe-main.*\? keys/s, 'a locale without UTF-8');
	unlike $screen, qr/[^\x00-\x7f]/, 'gets ASCII only';
	like $screen, qr/CPU 0 +\|[RrHh_]{20}/, 'with the states readable';
};

subtest 'failing' => sub {
	start(80, 24, '', "$samples/no-such-trace");
	shows(qr/left with 3/, 'no trace: status 3');
	unlike screen(), qr/in view/, 'and the screen is restored';
	start(80, 24, 'TERM=none-such', "$samples/pipeline");
	shows(qr/left with 2/, 'an unknown terminal: status 2');
	start(80, 24, '', "$samples/pipeline", '--thread', 'nobody');
	shows(qr/left with 1/, 'an unknown thread: status 1');
	start(80, 24, '', "$samples/pipeline", '--goto', 'yesterday');
	shows(qr/left with 2/, 'an invalid time: status 2');
	start(80, 24, '', "$samples/pipeline", '--theme', 'pink');
	shows(qr/left with 2/, 'an unknown theme: status 2');
	open my $err, '<', "$tmp/stderr";
	like join('', <$err>), qr/theme pink: neither a file nor one of dark/, 'with what there is';
};

# A file of the trace that is cut short under babeltrace2's map raises SIGBUS: the shell must get its terminal back.
subtest 'a signal in the middle' => sub {
	start(80, 24, '', "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer');
	my $terminal = told('#{pane_tty}');
	chomp $terminal;
	like `stty -a <'$terminal'`, qr/-icanon/, 'it has the terminal';
	kill 'BUS', explorer();
	shows(qr/left with 3/, 'status 3');
	unlike screen(), qr/wk-pipe-main/, 'the screen is restored';
	like takes_mouse(), qr/^0/, 'so is the mouse';
	like `stty -a <'$terminal'`, qr/(?<!-)icanon.*(?<!-)echo\b/s, 'and so are the modes';
	open my $err, '<', "$tmp/stderr";
	like join('', <$err>), qr/a file of the trace cannot be read any more: it was cut short/, 'the message gives the reason';
};

# However the explorer ends, by a signal or its own fault, it leaves no raw terminal in which the mouse types.
my %status = (INT => 130, HUP => 129, TERM => 143, ABRT => 134, QUIT => 131);
for my $signal (sort keys %status) {
	subtest "killed by SIG$signal" => sub {
		start(80, 24, '', "$samples/pipeline");
		shows(qr/\? keys/, 'the explorer');
			my $terminal = told('#{pane_tty}');
		chomp $terminal;
		kill $signal, explorer();
		shows(qr/left with $status{$signal}\b/, "it ends with $status{$signal}");
		unlike screen(), qr/wk-pipe-main/, 'the screen is restored';
		like takes_mouse(), qr/^0/, 'the mouse is released';
		like `stty -a <'$terminal'`, qr/(?<!-)icanon.*(?<!-)echo\b/s, 'and so are the modes';
	};
}

# The index is mapped: where it became shorter the kernel sends SIGBUS.
subtest 'an index that is cut short' => sub {
	start(80, 24, "WAKEPATH_INDEX_DIR='$tmp/cut-short'", "$samples/pipeline");
	shows(qr/\? keys/, 'the explorer');
	my ($index) = glob "'$tmp/cut-short'/*.wpi";
	truncate $index, 100;
	press('j', '+', '+', '+', 'Right', 'Right', 'j');
	shows(qr/left with 3/, 'status 3');
	open my $err, '<', "$tmp/stderr";
	like join('', <$err>), qr/\Awakepath: index \Q$index\E: it was .*cut short.* while it was open.*: open the trace again to rebuild it\n\z/,
		'the message names the index and gives a hint';
};

# Building a larger index takes long enough to be seen and stopped.
SKIP: {
	my $shared = $ENV{SHARED_TRACES} // '';
	my $large = "$shared/hackbench-6M.tar.zst";
	skip 'needs a large trace', 1 unless -f $large && mkdir("$tmp/large") && !system("tar --zstd -C '$tmp/large' -xf '$large'");
	subtest 'cancel' => sub {
		start(80, 24, "WAKEPATH_INDEX_DIR='$tmp/cancelled'", "$tmp/large");
		shows(qr/events\/s/, 'progress is shown');
		press('Q');
		shows(qr/left with 130/, 'q stops it: status 130');
		my @left = glob "'$tmp/cancelled'/* '$tmp/cancelled'/.[!.]*";
		is_deeply [grep { !/lock/ } @left], [], 'nothing half-built is left';
	};
	subtest 'a search that takes its time' => sub {
		is system('env', "WAKEPATH_INDEX_DIR=$tmp/searched", $program, 'index', '--quiet', "$tmp/large"), 0, 'an index';
		start(120, 30, "WAKEPATH_INDEX_DIR='$tmp/searched'", "$tmp/large");
		shows(qr/\? keys/, 'the explorer');
		press('F6');
		shows(qr/Events of all CPUs  whole trace, 183 s  #1 of 6213339/, 'events');
		press('/', 'next_tid = 81[35],', 'Enter');
		shows(qr/Events of all CPUs  whole trace, 183 s  [1-9]\d* match so far, \d+%, Esc stops  #\d+ of/, 'the count so far, and the progress');
		press('n');
		shows(qr/match so far/, 'the next one while it goes on');
		press('Escape');
		shows(qr/Events of all CPUs  whole trace, 183 s  \d+ match, stopped  #\d+ of/, 'Esc stops it');
		press('End', 'n');
		shows(qr/no event after this one matches "next_tid = 81\[35\],"/, 'the end, with the result');
	};
}

# A trace without an index is shown while the index is built: the part read so far, which grows.
subtest 'opened at once' => sub {
	my ($trace, $folder) = ("$tmp/long", "$tmp/at-once");
	system("$ENV{TOP}/tests/tools/many_threads", $trace, 4, 300_000) == 0 or die;
	start_as_is(120, 30, "WAKEPATH_INDEX_DIR='$folder'", $trace);
	shows(qr/^ long  indexed up to \d+ %.*Overview/ms, 'the header shows the progress of the index');
	press('Escape');
	shows(qr/^ long .*\d+\/\d+ active  .*TID/ms, 'its rows are there');
	press('/', 'thread-2', 'Enter');
	my $screen = shows(qr/^ thread-2\[\d+\]  /m, 'it can be used');
	like $screen, qr/indexed up to/, '… while the index is built';
	press('m', 'a', 'Enter');
	my $place = $screen =~ /^ (thread-2\[\d+\])  /m ? $1 : '';
	unlike shows(qr/^ long  \d/, 'in the end it says nothing any more'), qr/indexed up to/, '… nor anywhere';
	like screen(), qr/^ \Q$place\E  /m, '… and the row is the same';
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
	my @made = glob "'$folder'/*.wpi";
	is scalar(@made), 1, 'the index is left';
	is_deeply [glob "'$folder'/*.bookmarks '$folder'/.[!.]*.bookmarks"], ["$made[0].bookmarks"], '… with the bookmark beside it';
	is system("WAKEPATH_INDEX_DIR='$folder' '$program' verify '$trace' >/dev/null"), 0, '… and sound';
	is system("WAKEPATH_INDEX_DIR='$tmp/alone' '$program' index --quiet '$trace'"), 0, 'an index built alone';
	my ($alone) = glob "'$tmp/alone'/*.wpi";
	my @bytes = map { open my $f, '<:raw', $_ or die; local $/; scalar <$f> } $made[0], $alone;
	my ($header, $end) = (4096, (sort { $a <=> $b } map { length } @bytes)[0] - 4096);
	cmp_ok $end, '>', 1_000_000, 'both are large';
	ok substr($bytes[0], $header, $end - $header) eq substr($bytes[1], $header, $end - $header),
		'… and equal, except for their tables at the end, which hold the duration';
};

# If the user only leaves the overview meanwhile, the cursor ends where it is when the explorer starts with a complete index.
subtest 'where it begins when all is there' => sub {
	my @places;
	for my $time ('first', 'second') {
		start_as_is(120, 30, "WAKEPATH_INDEX_DIR='$tmp/begins'", "$tmp/long", '--fresh');
		shows($time eq 'first' ? qr/^ long  indexed up to \d+ %.*Overview/ms : qr/^ long  \d.*Overview/ms, "the overview, the $time time");
		press('Escape');
		push @places, join ' ', shows(qr/^ long  \d.*active  .*TID/ms, "all is there, the $time time") =~ /^ (long  \S+ s) .*^ (\S+\[\d+\]  .*?) for /ms;
		press('Q');
		shows(qr/left with 0/, 'leaves with 0');
	}
	like $places[0], qr/^long  \S+ s thread-\d/, 'it begins with a thread';
	is $places[0], $places[1], 'the same one, at the same time';
};

# Of several hosts, the clocks are found once all indexes are there: then the screen is as if they had been known from the start.
subtest 'several hosts opened at once' => sub {
	my ($long, $chain, $folder) = ("$tmp/long", "$ENV{TOP}/sample-traces/rpc-chain", "$tmp/several");
	start_as_is(160, 40, "WAKEPATH_INDEX_DIR='$folder'", $long, $chain);	# the rows of the second host move as those of the first grow
	shows(qr/^ long \+1  indexed up to \d+ %, clocks follow.*Overview/ms, 'the header shows the progress of the indexes');
	like screen(), qr/^ warning: db: .*: its packets are matched when all indexes are made/m, '… and which clocks are unknown';
	press('Escape');
	shows(qr/^ long .*\d+\/\d+ active  .*TID/ms, 'their rows are there');
	press('/', 'thread-2', 'Enter');
	like shows(qr/^ many\/thread-2\[\d+\]  /m, 'they can be used'), qr/indexed up to/, '… while the indexes are built';
	press('/', 'db/wk-server', 'Enter');
	shows(qr/^ db\/wk-server\[\d+\]  /m, 'a thread of another host');
	unlike shows(qr/^ long \+1  \d/, 'in the end it says nothing any more'), qr/indexed up to|are matched when/, '… nor anywhere';
	like screen(), qr/^ db\/wk-server\[\d+\]  /m, '… and the row is the same';
	press('!');
	my $warnings = shows(qr/has an unrelated clock/, 'the message about the clocks');
	press('Escape', 'Q');
	shows(qr/left with 0/, 'leaves with 0');
	my @made = map { s/.*\///r } glob "'$folder'/*";
	is scalar(grep { /\.wpi$/ } @made), 4, 'an index for each';
	is scalar(grep { /^sync-.*\.wpx$/ } @made), 1, '… and one file of packets';
	is_deeply [grep { !/lock/ } glob "'$folder'/.[!.]*"], [], '… and nothing else';
	is system("WAKEPATH_INDEX_DIR='$folder' '$program' verify '$chain' '$long' >/dev/null"), 0, '… all sound';
	my ($there, $alone) = map { scalar qx{WAKEPATH_INDEX_DIR='$_' '$program' sync '$chain' '$long' --format json 2>/dev/null} } $folder, "$tmp/several-alone";
	like $there, qr/"accurate"/, 'clocks are found';
	is $there, $alone, '… the same as without the explorer';
};

subtest 'left while its index is built' => sub {
	my ($trace, $folder) = ("$tmp/long", "$tmp/left");
	start_as_is(80, 24, "WAKEPATH_INDEX_DIR='$folder'", $trace);
	shows(qr/indexed up to \d+ %/, 'the index is being made');
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
	is_deeply [grep { !/lock/ } glob "'$folder'/* '$folder'/.[!.]*"], [], 'nothing is left of it';
	start_as_is(80, 24, "WAKEPATH_INDEX_DIR='$folder'", $trace);
	shows(qr/indexed up to \d+ %/, 'again');
	kill 'KILL', explorer();
	my $until = time + 30;
	my @left = ('');
	while (@left && time < $until) {
		@left = grep { !/lock/ } glob "'$folder'/* '$folder'/.[!.]*";
		sleep 0.05;
	}
	is_deeply \@left, [], 'nothing is left when it is killed, either';
};

subtest 'opened at once, with traces of user programs beside it' => sub {
	my $trace = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-lttng-both-ctf2/trace';
	plan skip_all => 'the recording is not at hand' if !-d $trace;
	start_as_is(80, 24, "WAKEPATH_INDEX_DIR='$tmp/both'", $trace);
	shows(qr/span wx:req of wx-worker/, 'the overview names their spans');
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
	my ($shown, $alone) = map { scalar qx(WAKEPATH_INDEX_DIR='$tmp/$_' '$program' info '$trace') =~ /^  events +(\d+)$/m ? $1 : undef } 'both', 'both-alone';
	is $shown, $alone, 'its index has as many events as one built alone';
};

subtest 'left while several indexes are made' => sub {
	my ($long, $folder) = ("$tmp/long", "$tmp/left-several");
	start_as_is(80, 24, "WAKEPATH_INDEX_DIR='$folder'", "$ENV{TOP}/sample-traces/pipeline", $long);
	shows(qr/indexed up to \d+ %/, 'the indexes are being made');
	press('Q');
	shows(qr/left with 0/, 'leaves with 0');
	is_deeply [map { s/.*\///r =~ s/-[0-9a-f]+(?=\.wp[is]$)//r } grep { !/lock/ } glob "'$folder'/* '$folder'/.[!.]*"], ['pipeline-kernel.wpi', 'pipeline-kernel.wps'],
		'only the index that was complete is left, with its spans';
};

stop();
done_testing;
