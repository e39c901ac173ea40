# SPDX-License-Identifier: MIT
package Pty;

# Runs a program on a pseudo-terminal that gives set answers, for tests of bytes that tmux hides.
use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use Time::HiRes qw(time);

our @EXPORT = qw(pty_start pty_type pty_read pty_size pty_close pty_ends);

my ($unlock, $number, $size, $control) = (0x40045431, 0x80045430, 0x5414, 0x540E);	# TIOCSPTLCK, TIOCGPTN, TIOCSWINSZ, TIOCSCTTY

# Run COMMAND on a terminal of COLUMNS × ROWS with ENV (a hash).  ANSWERS: text from the program → the terminal's answer, given once.
sub pty_start {
	my ($columns, $rows, $env, $answers, @command) = @_;
	my ($off, $n) = map { pack 'i', 0 } 1, 2;
	open my $master, '+<', '/dev/ptmx' or die "ptmx: $!";
	binmode $master;
	ioctl($master, $unlock, $off) or die "unlock: $!";
	ioctl($master, $number, $n) or die "number: $!";
	my $name = '/dev/pts/' . unpack 'i', $n;
	my $p = { master => $master, answers => $answers, seen => '' };
	pty_size($p, $columns, $rows);
	$p->{pid} = fork() // die;
	return $p if $p->{pid};
	POSIX::setsid();
	$SIG{$_} = 'DEFAULT' for qw(TSTP TTIN TTOU);	# whatever the caller of the tests set
	open my $slave, '+<', $name or POSIX::_exit(126);
	ioctl($slave, $control, 0);
	POSIX::dup2(fileno $slave, $_) for 0 .. 2;
	close $master;
	@ENV{keys %$env} = values %$env;
	{ exec @command }
	POSIX::_exit(127);
}

sub pty_size {
	my ($p, $columns, $rows) = @_;
	my $cells = pack 'S4', $rows, $columns, 0, 0;
	ioctl($p->{master}, $size, $cells) or die "size: $!";
	return;
}

sub pty_type { my ($p, $text) = @_; syswrite $p->{master}, $text; return }

# The first bytes that come within SECONDS, after answering them; undef: none come; '': the program has closed the terminal.
sub read_some {
	my ($p, $seconds) = @_;
	vec(my $bits = '', fileno $p->{master}, 1) = 1;
	return undef if select($bits, undef, undef, $seconds) <= 0;
	return '' if !sysread $p->{master}, my $bytes, 65536;
	$p->{seen} .= $bytes;
	for my $question (grep { index($p->{seen}, $_) >= 0 } keys %{ $p->{answers} }) {
		pty_type($p, delete $p->{answers}{$question});
	}
	return $bytes;
}

# Read until PATTERN has come, at most SECONDS.  Returns all bytes that came in this call.
sub pty_read {
	my ($p, $pattern, $seconds) = @_;
	my ($got, $until) = ('', time + $seconds);
	while ($got !~ $pattern && time < $until) {
		my $bytes = read_some($p, 0.1) // next;
		last if $bytes eq '';
		$got .= $bytes;
	}
	return $got;
}

# Hang up the terminal.
sub pty_close { my ($p) = @_; close $p->{master}; return }

# Wait until the program ends, at most SECONDS.  UNREAD: do not read its output.  Returns its status as a shell would; undef: it does not end.
sub pty_ends {
	my ($p, $seconds, $unread) = @_;
	for (my $until = time + $seconds; time < $until;) {
		if (waitpid($p->{pid}, POSIX::WNOHANG()) == $p->{pid}) {
			my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
			if (!$unread && fileno $p->{master}) { 1 while length(read_some($p, 0) // '') }	# its last output
			return $status;
		}
		!$unread && fileno($p->{master}) ? pty_read($p, qr/\A.+/s, 0.1) : select undef, undef, undef, 0.02;
	}
	return undef;
}

1;
