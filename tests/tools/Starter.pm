# SPDX-License-Identifier: MIT
package Starter;

# Runs programs for the tests.  Of wakepath itself one process is started for all its runs, which are copies of it (starter.c): that takes
# half as long, and a test that holds a trace's text in memory is slow to fork.
use strict;
use warnings;
use Cwd ();
use File::Basename qw(dirname);
use IO::Handle ();
use IPC::Open2;

my $library = ($ENV{BUILD} // dirname(Cwd::abs_path(__FILE__)) . '/../../build') . '/tests/starter.so';
my %running;    # who asks, the program as it is now, and what acts before its main() → { pid, orders, ended, of }
my @begun;      # that of each run which is not over

# Who runs COMMAND.
sub _starter_of {
	my ($command) = @_;
	my $program = _is_program($command) ? $command : 'true';
	my $now = join "\0", $$, $program, (stat $program)[0, 1, 7, 9], map { "$_=$ENV{$_}" } sort grep { /^(?:LD|GLIBC|G|MALLOC|[A-Z]+SAN)_/ } keys %ENV;
	return $running{$now} //= do {
		die "$library is missing: make tests\n" if !-e $library;
		local $ENV{LD_PRELOAD} = $library;
		my $pid = open2(my $ended, my $orders, $program);
		binmode $_ for $orders, $ended;
		{ pid => $pid, orders => $orders, ended => $ended, of => $$ };
	};
}

# A script that stands for it has no main() to go into.
sub _is_program {
	my ($command) = @_;
	return 0 if $command !~ m{/wakepath\z};
	open my $in, '<:raw', $command or return 0;
	read $in, my $magic, 4;
	return $magic eq "\x7fELF";
}

# Begin to run COMMAND here and with this environment, its output in the files OUT and ERR.
sub begin {
	my ($out, $err, @command) = @_;
	my $starter = _starter_of($command[0]);
	my @words = (Cwd::getcwd(), umask, $out, $err, scalar @command, @command, '', map { "$_=$ENV{$_}" } keys %ENV);
	utf8::is_utf8($_) && utf8::encode($_) for @words;
	my $order = join '', map { "$_\0" } @words;
	print { $starter->{orders} } pack('L', length $order), $order or die "starter: $!";
	$starter->{orders}->flush;
	push @begun, $starter;
}

# How the first of those begun ended, as waitpid() tells.
sub over {
	my $starter = shift @begun;
	(read($starter->{ended}, my $status, 4) // 0) == 4 or die "who runs programs is gone\n";
	return unpack 'l', $status;
}

END {
	my $status = $?;
	for (grep { $_->{of} == $$ } values %running) {
		print { $_->{orders} } pack 'L', 0;     # a copy of this process may still hold the pipe open
		close $_->{orders};
		waitpid $_->{pid}, 0;
	}
	$? = $status;
}

1;
