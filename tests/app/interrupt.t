#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A build that is interrupted ends at once, with 130, and leaves nothing half-done.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

# Many copies of one trace, as links: enough work to be interrupted in.
my $many = "$ENV{TMPDIR}/many";
mkdir $many;
my $first = copy_trace('lockfight');
for my $i (1 .. 200) {
	system('cp', '-rl', "$first/kernel", "$many/t$i") == 0 or die;
}

# Start a build, wait until its first index stands, send SIGNAL.
sub interrupted {
	my ($signal, $cache) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', "$cache.out";
		open STDERR, '>', "$cache.err";
		{ exec $ENV{WAKEPATH}, 'index', '--jobs', '1', '--index-dir', $cache, $many }
		POSIX::_exit(127);
	}
	my $limit = time + 60;
	sleep 0.01 while time < $limit && !grep { /\.wpi$/ } files_below($cache);
	kill $signal, $pid;
	my $sent = time;
	waitpid $pid, 0;
	return (status => $? >> 8, signal => $? & 127, took => time - $sent, err => slurp("$cache.err"));
}

for my $signal (qw(INT TERM HUP)) {
	my $cache = "$ENV{TMPDIR}/cache-$signal";
	my %r = interrupted($signal, $cache);
	is($r{signal}, 0, "SIG$signal: handled");
	is($r{status}, 130, "SIG$signal: exit status 130");
	like($r{err}, qr/\Awakepath: interrupted[^\n]*\n\z/, "SIG$signal: says so");
	cmp_ok($r{took}, '<', 10, "SIG$signal: soon");
	my @files = files_below($cache);
	cmp_ok(scalar @files, '<', 200, "SIG$signal: before the end");
	is_deeply([grep { !/\.wpi$/ } @files], [], "SIG$signal: nothing half-done is left");
	is(wakepath('verify', @files)->{status}, 0, "SIG$signal: what is there is whole");
}

# Killed without a chance to clean up: the next build is not harmed.
my $cache = "$ENV{TMPDIR}/cache-KILL";
my %r = interrupted('KILL', $cache);
is($r{signal}, 9, 'SIGKILL: ended');
my @files = grep { /\.wpi$/ } files_below($cache);
is(wakepath('verify', @files)->{status}, 0, 'SIGKILL: what is published is whole');
is(wakepath('index', '--index-dir', $cache, "$many/t1", "$many/t2", "$many/t3")->{status}, 0, 'SIGKILL: building goes on');

done_testing();
