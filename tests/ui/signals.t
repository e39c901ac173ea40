#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Signals about the terminal, and requested ends: stopped and continued at any time, by keys and by signals, and ended although nothing reads the
# terminal.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use POSIX qw(:termios_h :sys_wait_h);
use Pty;
use Wake;
use Test::More;
use Time::HiRes qw(sleep time);

my $trace = sample('rpc-chain');
my $patience = 30;
my %xterm = (TERM => 'xterm-256color', LC_ALL => 'C.UTF-8', WAKEPATH_INDEX_DIR => "$ENV{TMPDIR}/index");
delete @ENV{qw(COLORTERM NO_COLOR TMUX)};
is(wakepath('index', '--quiet', '--index-dir', $xterm{WAKEPATH_INDEX_DIR}, $trace)->{status}, 0, 'indexed');
my @view = ($ENV{WAKEPATH}, 'view', '--fresh', '--goto', '+0ns', $trace);

sub view {
	my ($columns, $rows) = @_;
	my $p = pty_start($columns // 80, $rows // 24, \%xterm, {}, @view);
	pty_read($p, qr/keys/, $patience);
	return $p;
}

sub leave {
	my ($p, $what) = @_;
	pty_type($p, 'Q');
	is(pty_ends($p, $patience), 0, "$what: leaves with 0");
}

# True if the terminal of P is in line mode, as a shell has it.
sub is_cooked {
	my ($p) = @_;
	my $modes = POSIX::Termios->new;
	$modes->getattr(fileno $p->{master});
	return !!($modes->getlflag & ICANON);
}

# Wait until /proc/PID/status matches PATTERN.
sub waits_for {
	my ($pid, $pattern) = @_;
	for (my $until = time + $patience; time < $until; sleep 0.01) {
		return 1 if (eval { slurp("/proc/$pid/status") } // '') =~ $pattern;
	}
	return 0;
}

# ---- handlers ----

{
	my $p = view();
	my ($caught) = slurp("/proc/$p->{pid}/status") =~ /^SigCgt:\s*([0-9a-f]+)/m;
	my @of_curses = grep { hex(substr $caught, -8) >> ($_ - 1) & 1 } POSIX::SIGTSTP(), POSIX::SIGCONT(), 28;	# SIGWINCH
	is("@of_curses", '', 'no handler of curses waits for the terminal to stop, to go on or to change its size');
	leave($p, 'handlers');
}

# ^Z after q comes while the screen is being left, and after that.
my %ends;
for (1 .. 20) {
	my $p = view();
	pty_type($p, 'Q' . "\x1a" x 30);
	my $end;
	for (my $until = time + $patience; !defined $end && time < $until;) {
		pty_type($p, "\x1a");
		kill 'CONT', $p->{pid};
		$end = pty_ends($p, 0.05);
	}
	$ends{ $end // 'none' }++;
}
is_deeply(\%ends, { 0 => 20 }, '^Z after q: it ends with 0');

# ---- stopped and continued ----

# Acts as a shell does with a job, on a terminal of its own: reports how the job stops, and continues it when a line comes.
my $shell = <<'END';
use POSIX qw(:sys_wait_h :termios_h);
$SIG{TTOU} = 'IGNORE';
my $own = POSIX::Termios->new;
$own->getattr(0);
my $job = fork;
if (!$job) { setpgrp; POSIX::tcsetpgrp(0, $$); $SIG{TTOU} = 'DEFAULT'; exec @ARGV }
setpgrp $job, $job;
while (waitpid($job, WUNTRACED) > 0 && -e "/proc/$job") {
	POSIX::tcsetpgrp(0, getpgrp);
	my $modes = POSIX::Termios->new;
	$modes->getattr(0);
	my $as_before = $modes->getlflag == $own->getlflag ? 'as before' : 'changed';
	$own->setattr(0, TCSADRAIN);
	syswrite STDOUT, "stopped, $as_before\n";
	<STDIN>;
	POSIX::tcsetpgrp(0, $job);
	kill 'CONT', -$job;
}
POSIX::_exit($? >> 8);
END

{
	my $p = pty_start(80, 24, \%xterm, {}, $^X, '-e', $shell, @view);
	pty_read($p, qr/keys/, $patience);
	my ($job) = slurp("/proc/$p->{pid}/task/$p->{pid}/children") =~ /(\d+)/;
	for my $way ('^Z', 'SIGTSTP', 'SIGSTOP') {
		$p->{seen} = '';
		$way eq '^Z' ? pty_type($p, "\x1a") : kill substr($way, 3), $job;
		my $said = pty_read($p, qr/stopped, .*\n/, $patience);
		like($said, $way eq 'SIGSTOP' ? qr/stopped, changed/ : qr/\e\[\?1049l.*stopped, as before/s, "$way stops it" . ($way ne 'SIGSTOP' && ', the terminal given back'));
		pty_type($p, "go\n");
		like(pty_read($p, qr/\e\[\?1049h.*active/s, $patience), qr/\e\[\?1049h.*active/s, "… and it comes back with its screen");
		ok(!is_cooked($p), '… and its modes');
		pty_type($p, '?');
		like(pty_read($p, qr/Commands, first those/, $patience), qr/Commands/, '… and takes keys');
		pty_type($p, "\e");
		pty_read($p, qr/keys/, $patience);
	}
	leave($p, 'a job');
}

# Pairs of signals: each stop is handled in time, or not at all.  The job of a shell can be stopped; the leader of a session cannot (its group has no
# parent in it).
for my $kind ('leader', 'job') {
	my $p = $kind eq 'leader' ? view() : pty_start(80, 24, \%xterm, {}, $^X, '-e', $shell =~ s/^while.*//msr . 'waitpid $job, 0; POSIX::_exit($? >> 8)', @view);
	pty_read($p, qr/keys/, $patience) if $kind eq 'job';
	my ($job) = $kind eq 'leader' ? $p->{pid} : slurp("/proc/$p->{pid}/task/$p->{pid}/children") =~ /(\d+)/;
	for my $i (1 .. 300) {
		kill 'TSTP', $job;
		pty_type($p, 'lhjk+-') if $i % 3 == 0;
		kill 'CONT', $job;
		pty_read($p, qr/\A.+/s, 0.001);
	}
	pty_read($p, qr/\x00/, 0.5);
	ok(waits_for($job, qr/^State:\s+[SR]/m), "300 stops and as many continues of a $kind: it is not stopped");
	pty_type($p, "\e\e?");
	like(pty_read($p, qr/Commands, first those/, $patience), qr/Commands/, '… and takes keys');
	pty_type($p, "\e");
	leave($p, '… and');
}

# ---- a terminal that is not read ----

my %status = (TERM => 143, HUP => 129, INT => 130);

# Send SIGNAL to P, whose terminal is not read.
sub ends_unread {
	my ($p, $signal, $what, $own) = @_;
	my $sent = time;
	kill $signal, $p->{pid};
	my $status = pty_ends($p, $patience, 1);
	is($status, $own // $status{$signal}, "$what: SIG$signal ends it with " . ($own // $status{$signal}));
	cmp_ok(time - $sent, '<', 3, '… soon');	# a tenth of that on a machine without other load
	kill 'KILL', $p->{pid} if !defined $status;
	return;
}

for my $signal (sort keys %status) {
	my $p = view(200, 60);
	for my $i (1 .. 20) {	# more frames than the terminal holds
		pty_size($p, 200 - $i % 2, 60);
		sleep 0.02;
	}
	ends_unread($p, $signal, 'painted without a reader');
	ok(is_cooked($p), '… and the modes are restored');
}

{
	my $p = view(200, 60);
	pty_type($p, 'C');
	for my $i (1 .. 10) {
		pty_size($p, 200 - $i % 2, 60);
		sleep 0.02;
	}
	pty_type($p, 'Q');
	sleep 0.3;
	ends_unread($p, 'TERM', 'left without a reader');
}

# Without an alternate screen to leave, and with pauses in its description.
{
	my $p = pty_start(80, 24, { %xterm, TERM => 'vt100' }, {}, @view);
	pty_read($p, qr/keys/, $patience);
	$p->{seen} = '';
	kill 'TERM', $p->{pid};
	is(pty_ends($p, $patience), 143, 'a vt100: SIGTERM ends it with 143');
	like($p->{seen}, qr/\e\[H\e\[J.*wakepath: interrupted/s, '… the painted text is erased');
	unlike($p->{seen}, qr/\$</, '… and a pause is not printed');
}

# ^S before the terminal is raw.
for my $after (0, 0.02, 0.05) {
	my $p = pty_start(200, 60, \%xterm, {}, @view);
	sleep $after;
	pty_type($p, "\x13");
	sleep 0.7;
	ends_unread($p, 'TERM', "^S after $after s");
}

# Standard output and standard error are the terminal.
for my $command (['events', $trace, '--top', '0'], ['threads', $trace], ['info', "$ENV{TMPDIR}/none-such"]) {
	my $p = pty_start(200, 60, \%xterm, {}, '/bin/sh', '-c', 'head -c 100000 /dev/zero & sleep 0.3; exec "$@"', 'sh', $ENV{WAKEPATH}, @$command);
	sleep 0.9;
	ends_unread($p, 'TERM', "$command->[0] without a reader", $command->[0] eq 'info' ? 3 : undef);	# it has its status, and gives the reason
}

done_testing;
