#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# "wakepath index --follow": packets of a real trace are written one by one; at the end there is the index of the whole.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Growing;
use Wake;
use Test::More;
use Time::HiRes qw(sleep time);

my $scratch = $ENV{TMPDIR};
my ($trace, @packets) = packets_of('lost-events');

sub begin { return begin_growing($_[0], $trace, @packets) }

sub write_packets {
	my ($folder, $from, $to, $pause) = @_;
	for my $packet (@packets[$from .. $to]) {
		append_packet($folder, $packet);
		sleep $pause;
	}
}

# Begin to follow; its output goes to FILE.
sub follow {
	my ($file, @words) = @_;
	my $pid = fork // die;
	return $pid if $pid;
	open STDOUT, '>', $file or die;
	exec $ENV{WAKEPATH}, 'index', '--follow', '--index-dir', "$scratch/followed", @words or die;
}

sub waits_until {
	my ($file, $what) = @_;
	for (my $end = time + 20; time < $end; sleep 0.05) {
		return 1 if -e $file && slurp($file) =~ $what;
	}
	return diag(slurp($file)) && 0;
}

sub same_as_whole {
	my ($folder, $what) = @_;
	like(wakepath('index', '--index-dir', "$scratch/followed", $folder)->{out}, qr/ is fresh/, "$what: the index is fresh");
	is(wakepath('verify', '--index-dir', "$scratch/followed", $folder)->{status}, 0, "$what: the index is sound");
	for my $query (['threads'], ['causes', '--top', 1000], ['latency', '--kind', 'wakeup', '--top', 0], ['events', '--top', 0]) {
		ok(wakepath(@$query, $folder, '--index-dir', "$scratch/followed", '--format', 'json')->{out} eq
			wakepath(@$query, $folder, '--index-dir', "$scratch/fresh", '--format', 'json')->{out}, "$what: $query->[0] as from an index that was built");
	}
	is(join(' ', grep { !/\.wp[is]$/ } map { m{([^/]+)$} } files_below("$scratch/followed")), '', "$what: no other file is left");
}

# Packets are written while it is followed, until none comes for a while.
my $folder = begin("$scratch/idle");
my $pid = follow("$scratch/idle.txt", '--idle', '1s', $folder);
write_packets($folder, 0, 5, 0.05);
ok(waits_until("$scratch/idle.txt", qr/events; .* behind/), 'the present length is reported');
write_packets($folder, 6, $#packets, 0.05);
waitpid $pid, 0;
is($?, 0, 'idle: it ends');
like(slurp("$scratch/idle.txt"), qr/: ended, .*\.wpi$/m, 'idle: it says so');
same_as_whole($folder, 'idle');

# Following until it is interrupted.
$folder = begin("$scratch/interrupted");
$pid = follow("$scratch/interrupted.txt", $folder);
write_packets($folder, 0, $#packets, 0);
ok(waits_until("$scratch/interrupted.txt", qr/events; .* behind/), 'interrupted: there is something');
kill 'INT', $pid;
waitpid $pid, 0;
is($?, 0, 'interrupted: it ends with success');
same_as_whole($folder, 'interrupted');

# A run that was killed leaves nothing that hinders the next one.
$folder = begin("$scratch/killed");
$pid = follow("$scratch/killed.txt", $folder);
write_packets($folder, 0, $#packets, 0);
ok(waits_until("$scratch/killed.txt", qr/events; .* behind/), 'killed: there is something');
kill 'KILL', $pid;
waitpid $pid, 0;
wakepath('index', '--index-dir', "$scratch/followed", $folder);
same_as_whole($folder, 'killed');

# Wrong command lines.
for my $case ([['--follow', '--force', $folder], qr/without --force/], [['--follow', $folder, $trace], qr/one trace/], [['--idle', '1s', $folder], qr/--idle is for --follow/],
	[['--follow', '--idle', 'x', $folder], qr/x/]) {
	my $said = wakepath('index', @{ $case->[0] });
	is($said->{status}, 2, "@{ $case->[0] }: refused");
	like($said->{err}, $case->[1], "@{ $case->[0] }: why");
}
like(wakepath('index', '--follow', "$scratch/nowhere")->{err}, qr/nowhere/, 'a folder that is not there');

# For other formats it is unknown how their files grow.
SKIP: {
	my $file = ($ENV{SHARED_TRACES} // '') . '/inputs/typed/typed-v6.dat';
	skip 'a file of trace-cmd is refused', 2 if !-e $file;
	my $said = wakepath('index', '--follow', $file);
	is($said->{status}, 1, 'no CTF: refused');
	like($said->{err}, qr/only CTF is read while it is written/, 'no CTF: why');
}

done_testing();
