#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# "index --reader": the given reader reads the trace, and both give the same answers.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $trace = sample('pipeline');

sub reader_of {
	my $r = wakepath('info', '--format', 'json', $trace);
	return $r->{out} =~ /"reader"\s*:\s*"([^"]*)"/ ? $1 : "none in: $r->{out}";
}

my $r = wakepath('index', '--reader', 'babeltrace2', $trace);
is($r->{status}, 0, 'built through babeltrace2');
is(reader_of(), 'babeltrace2', '… and the index says so');
my $theirs = wakepath('states', '--cpu', '0', $trace)->{out};
cmp_ok(length $theirs, '>', 1000, '… and has states');
like(wakepath('index', '--reader', 'babeltrace2', $trace)->{out}, qr/is fresh/, 'not built twice');
like(wakepath('index', $trace)->{out}, qr/is fresh/, 'without --reader the index of any reader is used');

$r = wakepath('index', '--reader', 'ctf', $trace);
like($r->{out}, qr/built .*: another reader is asked for/, 'built anew for another reader');
is(reader_of(), 'ctf', '… and the index says so');
my $text = wakepath('info', $trace)->{out};
like($text, qr/^  reader    ctf$/m, '… and info as text, too');
like($text, qr/^  index     \S+\.wpi \([\d.]+ KiB, format \d+, built in [\d.]+ .?s\)$/m, '… with size, version and time of the index');
is(wakepath('states', '--cpu', '0', $trace)->{out}, $theirs, 'both readers give the same states');

$r = wakepath('index', '--reader', 'bogus', $trace);
says($r, 2, qr/no reader "bogus".*ctf or babeltrace2/, 'an unknown reader is an error');
is(reader_of(), 'ctf', '… and the index is unchanged');

done_testing();
