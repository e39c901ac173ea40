# SPDX-License-Identifier: MIT
# The real program in a real terminal, tmux: start it, press keys, wait for text on the screen, never for a fixed time.
package Tmux;
use strict;
use warnings;
use utf8;
use Encode qw(decode);
use Exporter 'import';
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(tmux told buffer screen explorer stop start start_as_is start_as_kept press shows);

my $program = $ENV{WAKEPATH} // "$ENV{TOP}/build/wakepath";
my $tmp = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
my ($socket, $servers) = (undef, 0);
my $patience = 30;	# seconds

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);
$ENV{TZ} = 'UTC';
delete @ENV{qw(TMUX COLORTERM COLORFGBG NO_COLOR)};

sub tmux { return system('tmux', '-S', $socket, '-f', '/dev/null', @_) }

# The screen as text; with colours if ESCAPES is true.
sub screen {
	my ($escapes) = @_;
	my $flag = $escapes ? '-ep' : '-p';
	return decode('UTF-8', scalar `tmux -S '$socket' capture-pane $flag 2>/dev/null`);
}

# tmux's description of the window in FORMAT.
sub told {
	my ($format) = @_;
	return scalar `tmux -S '$socket' display -p '$format' 2>/dev/null`;
}

# The text that was copied last.
sub buffer { return scalar `tmux -S '$socket' show-buffer 2>/dev/null` }

# The explorer that runs in the window now; undef: none does.
sub explorer {
	my ($pane) = told('#{pane_pid}') =~ /(\d+)/ or return undef;
	my ($pid) = `ps -o pid= -o comm= --ppid $pane` =~ /(\d+) wakepath/;
	return $pid;
}

# End the explorer, then the server.  A closing terminal also sends SIGCONT, which makes LeakSanitizer hang while it stops the threads.
sub stop {
	my $pid = explorer();
	my $until = time + $patience;
	kill 'TERM', $pid if $pid;
	sleep 0.03 while $pid && kill(0, $pid) && time < $until;
	ok(0, "process $pid ends") if $pid && kill 0, $pid;
	tmux('kill-server');
}

# Start the program in a window of COLUMNS × ROWS with ENV, in the control flow view.  Its exit status is shown at the end.
sub start { return start_as_is(@_, grep({ $_ eq '--goto' } @_) ? () : ('--goto', '+0ns')) }

# Like start(), without --goto, as a user starts the program.
sub start_as_is { return start_as_kept(@_, '--fresh') }

# Like start_as_is(), and the view is restored from the last run.
sub start_as_kept {
	my ($columns, $rows, $env, @args) = @_;
	my $args = join ' ', map { "'$_'" } @args;
	stop() if $socket;
	$socket = "$tmp/tmux." . ++$servers;	# a server that ends may still hold the old one
	tmux('new-session', '-d', '-x', $columns, '-y', $rows,
	     "env LC_ALL=C.UTF-8 TERM=screen-256color $env '$program' $args 2>'$tmp/stderr'; echo left with \$?; exec sleep 1000");
}

sub press { tmux('send-keys', @_) }

# Wait until the screen matches PATTERN; returns it.
sub shows {
	my ($pattern, $what) = @_;
	my $until = time + $patience;
	my $screen = '';
	while (time < $until) {
		$screen = screen();
		if ($screen =~ $pattern) {
			pass($what);
			return $screen;
		}
		sleep 0.03;
	}
	fail($what);
	diag $screen;
	return $screen;
}

1;
