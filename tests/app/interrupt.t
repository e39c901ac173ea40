#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# An interrupted program ends at once, gives the signal by its exit status, and leaves nothing half-done.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX qw(mkfifo);
use Test::More;
use Time::HiRes qw(sleep time);

# Many copies of one trace, as links, each of another host (otherwise they were one recording in chunks): enough work to be interrupted in.
my $many = "$ENV{TMPDIR}/many";
mkdir $many;
my $first = copy_trace('lockfight');
for my $i (1 .. 200) {
	system('cp', '-rl', "$first/kernel", "$many/t$i") == 0 or die;
	my $metadata = "$many/t$i/metadata";
	unlink $metadata or die;
	system('cp', "$first/kernel/metadata", $metadata) == 0 or die;
	patch($metadata, sub { s/hostname = "solo"/sprintf 'hostname = "h%03d"', $i/e });
}

# Start a build, wait until its first index exists, send SIGNAL.
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

my %status = (INT => 130, TERM => 143, HUP => 129);
for my $signal (qw(INT TERM HUP)) {
	my $cache = "$ENV{TMPDIR}/cache-$signal";
	my %r = interrupted($signal, $cache);
	is($r{signal}, 0, "SIG$signal: handled");
	is($r{status}, $status{$signal}, "SIG$signal: exit status $status{$signal}");
	like($r{err}, qr/\Awakepath: interrupted[^\n]*\n\z/, "SIG$signal: says so");
	cmp_ok($r{took}, '<', 5, "SIG$signal: soon");	# the sanitizer looks for leaks at the end, on a machine with other work
	my @files = files_below($cache);
	cmp_ok(scalar @files, '<', 200, "SIG$signal: before the end");
	is_deeply([grep { !/\.wp[is]$/ } @files], [], "SIG$signal: nothing half-done is left");
	is(wakepath('verify', @files)->{status}, 0, "SIG$signal: the indexes that exist are complete");
}

# ---- signals while it is blocked in a system call ----

my $top = "$ENV{TMPDIR}/stopped";

# Run ARGS until READY, send SIGNALS one after the other; returns its end.
sub stopped {
	my ($ready, $signals, @args) = @_;
	my $err = "$top.err";
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', $err;
		{ exec $ENV{WAKEPATH}, @args }
		POSIX::_exit(127);
	}
	my $limit = time + 60;
	sleep 0.01 while time < $limit && !$ready->($pid);
	my $sent = time;
	kill $_, $pid for @$signals;
	waitpid $pid, 0;
	return (status => $? >> 8, signal => $? & 127, took => time - $sent, err => slurp($err));
}

# True if the process sleeps in the kernel function of that name: by wchan, or where that is missing, if it sleeps for longer than it does when it
# starts.
my %slept;
sub waits_in {
	my ($pid, $name) = @_;
	my $w = eval { slurp("/proc/$pid/wchan") } // '0';
	return $w =~ $name if $w ne '0';
	$slept{$pid} = slurp("/proc/$pid/stat") =~ /\) S/ ? ($slept{$pid} // 0) + 1 : 0;
	return $slept{$pid} > 30;
}

my $fifo = "$ENV{TMPDIR}/fifo";
mkfifo($fifo, 0600) or die;
is(wakepath('index', sample('pipeline'))->{status}, 0, 'an index');
for my $signal (qw(INT TERM HUP)) {
	my %r = stopped(sub { waits_in($_[0], qr/fifo|wait_for_partner/) }, [$signal], 'info', sample('pipeline'), '-o', $fifo);
	is("$r{status} $r{signal}", "$status{$signal} 0", "SIG$signal while a FIFO has no reader: exit status $status{$signal}");
	is($r{err}, "wakepath: interrupted\n", '… and says so');
	cmp_ok($r{took}, '<', 5, '… soon');
}

# ---- where the cache cannot be written ----

# A plain file instead of a folder: an obstacle for root, too.
spew("$ENV{TMPDIR}/plain", '');
$ENV{XDG_CACHE_HOME} = "$ENV{TMPDIR}/plain/cache";
mkdir "$ENV{TMPDIR}/private";
my $threads;
{
	local $ENV{XDG_CACHE_HOME} = "$ENV{TMPDIR}/cache";
	$threads = wakepath('threads', sample('rpc-chain'), '--format', 'json')->{out};
}
{
	local $ENV{TMPDIR} = "$ENV{TMPDIR}/private";
	for my $trace ('pipeline', 'rpc-chain') {
		my $r = wakepath('threads', sample($trace), '--format', 'json');
		is($r->{status}, 0, "$trace, no cache: an answer");
		is($r->{out}, $threads, '… the right one') if $trace eq 'rpc-chain';
		my @said = grep { m{plain/cache/wakepath: Not a directory} } split /\n/, $r->{err};
		is(scalar @said, 1, '… one warning') or diag($r->{err});
		like($said[0], qr{^wakepath: warning: .*--index-dir DIR.*temporary folder}, '… with a hint');
	}
}
is_deeply([glob "$ENV{TMPDIR}/private/*"], [], '… and no file is left');
for my $signals (['INT'], ['TERM'], ['HUP'], ['QUIT'], ['INT', 'INT']) {
	my $seen = 0;
	local $ENV{TMPDIR} = "$ENV{TMPDIR}/private";
	my %r = stopped(sub { $seen ||= () = glob "$ENV{TMPDIR}/*/*.wpi"; waits_in($_[0], qr/fifo|wait_for_partner/) && $seen }, $signals,
		'info', sample('pipeline'), '-o', $fifo);
	ok($seen, "SIG@$signals: a private folder existed");
	is_deeply([glob "$ENV{TMPDIR}/*"], [], '… and is removed');
}
says(wakepath('index', sample('pipeline')), 3, qr{plain/cache/wakepath: Not a directory}, 'building an index for later');
$ENV{XDG_CACHE_HOME} = "$ENV{TMPDIR}/cache";

# Killed without a chance to clean up: the next build works.
my $cache = "$ENV{TMPDIR}/cache-KILL";
my %r = interrupted('KILL', $cache);
is($r{signal}, 9, 'SIGKILL: ended');
my @files = grep { /\.wp[is]$/ } files_below($cache);
is(wakepath('verify', @files)->{status}, 0, 'SIGKILL: every published index is complete');
is(wakepath('index', '--index-dir', $cache, "$many/t1", "$many/t2", "$many/t3")->{status}, 0, 'SIGKILL: the next build succeeds');

done_testing();
