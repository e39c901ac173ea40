# SPDX-License-Identifier: MIT
package Starter;

# Runs programs for the tests.  All runs of wakepath are copies of one process (starter.c): that takes half as long, and forking a test that
# holds the text of a trace in memory is slow.
use strict;
use warnings;
use Cwd ();
use File::Basename qw(dirname);
use File::Temp ();
use IO::Handle ();
use IPC::Open2;

my $library = ($ENV{BUILD} // dirname(Cwd::abs_path(__FILE__)) . '/../../build') . '/tests/starter.so';
my %running;    # the caller, the program's file, and the variables that act before main() → { pid, orders, ended, of }
my @begun;      # of each run that is not over: [its starter, path of its output without the ending]
my $folder = File::Temp->newdir(TEMPLATE => 'wakepath-runs-XXXXXX', TMPDIR => 1);
my $runs = 0;

# The starter for COMMAND, started if there is none.
sub _starter_of {
	my ($command) = @_;
	my $program = _is_program($command) ? $command : 'true';
	my $now = join "\0", $$, $program, (stat $program)[0, 1, 7, 9], map { "$_=$ENV{$_}" } sort grep { /^(?:LD|GLIBC|G|MALLOC|[A-Z]+SAN)_/ } keys %ENV;
	return $running{$now} //= do {
		die "$library is missing: make tests\n" if !-e $library;
		local $ENV{LD_PRELOAD} = join ':', $library, $ENV{LD_PRELOAD} // ();
		my $pid = open2(my $ended, my $orders, $program);
		binmode $_ for $orders, $ended;
		{ pid => $pid, orders => $orders, ended => $ended, of => $$ };
	};
}

# True if COMMAND is the wakepath binary.  A script in its place has no main() to enter.
sub _is_program {
	my ($command) = @_;
	return 0 if $command !~ m{/wakepath\z};
	open my $in, '<:raw', $command or return 0;
	read $in, my $magic, 4;
	return $magic eq "\x7fELF";
}

# Begin to run COMMAND in the current folder and environment.
sub begin {
	my (@command) = @_;
	my $starter = _starter_of($command[0]);
	my $at = "$folder/$$-" . $runs++;
	my @words = (Cwd::getcwd(), umask, "$at.out", "$at.err", scalar @command, @command, '', map { "$_=$ENV{$_}" } keys %ENV);
	utf8::is_utf8($_) && utf8::encode($_) for @words;
	my $order = join '', map { "$_\0" } @words;
	print { $starter->{orders} } pack('L', length $order), $order or die "starter: $!";
	$starter->{orders}->flush;
	push @begun, [ $starter, $at ];
}

# Wait for the oldest run.  Returns its exit status or "signal 9", its standard output and its standard error.
sub over {
	my ($starter, $at) = @{ shift @begun };
	(read($starter->{ended}, my $status, 4) // 0) == 4 or die "who runs programs is gone\n";
	$status = unpack 'l', $status;
	return ($status & 127 ? 'signal ' . ($status & 127) : $status >> 8, map { _taken("$at.$_") } qw(out err));
}

sub run {
	begin(@_);
	return over();
}

# The content of FILE, which is removed.
sub _taken {
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	my $bytes = <$in> // '';
	unlink $file;
	return $bytes;
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
