#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# An index that is overwritten in place while it is open (cp over it, rsync --inplace): every reader ends properly with a message, and the next one has
# the right answer.  ROUNDS=100 for more than a few.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use File::Copy qw(copy);
use Pty;
use Time::HiRes qw(sleep);
use Wake;
use Test::More;

my $tmp = $ENV{TMPDIR};
my $rounds = $ENV{ROUNDS} // 6;
my @samples = qw(pipeline inception preempt);
my $told = qr/it was .*cut short.*while it was open.*: open the trace again to rebuild it/;
srand($ENV{RANDOM_SEED} // 7);

sub index_of {
	my ($folder) = @_;
	my ($path) = glob "$folder/*.wpi";
	return $path;
}

# The bytes that replace an index of content RIGHT.
my @ways = (
	['all of it, at random', sub { my ($right) = @_; return join '', map { chr rand 256 } 1 .. length $right }],
	['zeros', sub { my ($right) = @_; return "\0" x length $right }],
	['some bytes', sub { my ($bytes) = @_; substr($bytes, rand length $bytes, 1) = chr rand 256 for 1 .. 300; return $bytes }],
	['blocks that changed places', sub { my ($right) = @_; return substr($right, 0, 128) . join '', reverse unpack '(a512)*', substr $right, 128 }],
	['nothing', sub { return undef }],
	['ones', sub { my ($right) = @_; return "\xff" x length $right }],
);

sub overwrite {
	my ($path, $bytes) = @_;
	if (!defined $bytes) { truncate $path, 100; return }
	open my $f, '+<:raw', $path or die "$path: $!";
	syswrite $f, $bytes;
	close $f;
	return;
}

my @keys = ('e', 'j', 'j', 'G', "\e", 'L', 'j', "\r", "\e", 'p', "\r", "\e", '+', '+', 'g', 'l', 'l', "\t", 'j', 'G', 'w', "\r", "\e", 'S', "\e", '#', '/', "\e", 'E', "\e");

# ---- the explorer ----

for my $round (1 .. $rounds) {
	my ($sample, $way) = ($samples[$round % @samples], $ways[$round % @ways]);
	my $folder = "$tmp/explorer-$round";
	my $p = pty_start(120, 40, { WAKEPATH_INDEX_DIR => $folder, TERM => 'xterm', XDG_CONFIG_HOME => "$tmp/config" }, {}, $ENV{WAKEPATH}, sample($sample), '--fresh');
	like(pty_read($p, qr/Overview/, 60), qr/Overview/, "the explorer of $sample");
	pty_type($p, $keys[rand @keys]) for 1 .. rand 6;
	pty_read($p, qr/^\b$/, 0.2 + rand 0.3);
	my $path = index_of($folder);
	overwrite($path, $way->[1](slurp($path)));
	my $status;
	for (my $i = 0; $i < 60 && !defined $status; $i++) {
		pty_type($p, $keys[rand @keys]);
		$status = pty_ends($p, 0.1);
	}
	my $seen = $p->{seen};
	is($status, 3, "$way->[0]: status 3") or diag(substr $seen, -2000);
	$seen =~ s/\e\[[0-9;?]*[a-zA-Z]|\r|\n//g;
	like($seen, $told, '… the message gives the reason');
	pty_close($p);
	ok(!-e $path || $way->[0] eq 'nothing', '… and the index is gone');	# (a read beyond its end is a SIGBUS, which removes nothing)
	is(wakepath('--index-dir', $folder, 'index', '--quiet', sample($sample))->{status}, 0, '… or is not used the next time');
	is(wakepath('--index-dir', $folder, 'verify', sample($sample))->{status}, 0, '… and is built anew');
}

# ---- a long question ----

my $trace = "$tmp/rounds";
system("$ENV{TOP}/tests/tools/many_threads", $trace, 8, 5000) == 0 or die;
my @question = ('latency', '--kind', 'wakeup', '--top', '0', '--format', 'csv');
my $right = wakepath('--index-dir', "$tmp/right", @question, $trace)->{out};
my %status;
for my $round (1 .. $rounds) {
	my $folder = "$tmp/question-$round";
	wakepath('--index-dir', $folder, 'index', '--quiet', $trace);
	my ($path, $way) = (index_of($folder), $ways[$round % @ways]);
	my ($out, $err, $bytes) = ("$tmp/out", "$tmp/err", $way->[1](slurp(index_of($folder))));
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', $out or POSIX::_exit(1);
		open STDERR, '>', $err or POSIX::_exit(1);
		{ exec $ENV{WAKEPATH}, '--index-dir', $folder, @question, $trace }
		POSIX::_exit(127);
	}
	sleep(0.02 + rand 0.3);
	overwrite($path, $bytes);
	waitpid $pid, 0;
	my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	$status{$status}++;
	if ($status == 0) {
		ok(slurp($out) eq $right, "a question, $way->[0]: the right answer");
	} else {
		is($status, 3, "a question, $way->[0]: status 3") or diag(slurp($err));
		like(slurp($err), qr/\Awakepath: .*index .*\n\z/, '… the message gives the reason');
	}
	ok(wakepath('--index-dir', $folder, @question, $trace)->{out} eq $right, '… the next time the right answer');
}
note("$status{$_} times status $_") for sort keys %status;
done_testing;
