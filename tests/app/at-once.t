#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Several builds of one trace at once, and readers beside them: each answers as if it were alone.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = $ENV{SEED} // time ^ $$;
srand $seed;
note "SEED=$seed";

my $trace = sample('rpc-chain');
my @ask = ('threads', $trace, '--format', 'json');
my $right = wakepath(@ask)->{out};
like($right, qr/wk-client/, 'an answer, alone');

# Start the program; its standard output and error go to files of that number.
sub start {
	my ($n, @args) = @_;
	my $pid = fork() // die;
	return $pid if $pid;
	open STDOUT, '>', "$ENV{TMPDIR}/at-once.$n.out";
	open STDERR, '>', "$ENV{TMPDIR}/at-once.$n.err";
	{ exec $ENV{WAKEPATH}, @args }
	POSIX::_exit(127);
}

# Prints a line for each run that gave another answer.
sub await {
	my (@started) = @_;
	my @odd;
	for my $s (@started) {
		waitpid $s->{pid}, 0;
		my $status = $?;
		my $out = slurp("$ENV{TMPDIR}/at-once.$s->{n}.out");
		push @odd, "$s->{what}: status $status: " . slurp("$ENV{TMPDIR}/at-once.$s->{n}.err") if $status;
		push @odd, "$s->{what}: says " . slurp("$ENV{TMPDIR}/at-once.$s->{n}.err") if -s "$ENV{TMPDIR}/at-once.$s->{n}.err";
		push @odd, "$s->{what}: another answer" if $s->{what} eq 'reader' && $out ne $right;
	}
	return \@odd;
}

for my $builders (2, 5) {
	for my $readers (0, 3) {
		for my $round (1 .. 6) {
			my $cache = "$ENV{TMPDIR}/cache-$builders-$readers-" . ($round > 3);	# first into an empty folder
			my $n = 0;
			my @started;
			for my $what (sort { rand() <=> 0.5 } ('builder') x $builders, ('reader') x $readers) {
				my @args = $what eq 'reader' ? @ask : ('index', '--force', '--quiet', $trace);
				push @started, { what => $what, n => ++$n, pid => start($n, @args, '--index-dir', $cache) };
				sleep rand 0.01 if $round % 2;
			}
			my $name = "$builders builds and $readers readers at once, round $round";
			is_deeply(await(@started), [], $name);
			my @files = files_below($cache);
			is(scalar @files, 7, '… leave one index and its spans per host, one file of packets, and nothing else');
			is(wakepath('verify', @files)->{status}, 0, '… which are whole');
		}
	}
}

# The first query for latencies finds the cases and stores them.  Here all queries are the first, and each may find another's file in the place of its own.
@ask = ('latency', $trace, '--kind', 'wakeup', '--format', 'json');
$right = wakepath(@ask)->{out};
like($right, qr/"kind":"wakeup"/, 'latencies, alone');
for my $round (1 .. 8) {
	my @started = map { { what => 'reader', n => $_, pid => start($_, @ask, '--index-dir', "$ENV{TMPDIR}/latencies-$round") } } 1 .. 4;
	is_deeply(await(@started), [], "latencies asked for by four at once, round $round");
}

done_testing();
