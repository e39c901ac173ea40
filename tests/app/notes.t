#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Notes beside the answers: on standard error, in info, and on the screen, where a key lists them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# The screen after KEYS.
sub screen_of {
	my ($keys, @args) = @_;
	spew("$ENV{TMPDIR}/keys", join "\n", @$keys, "dump $ENV{TMPDIR}/screen", 'quit', '');
	wakepath('view', @args, '--script', "$ENV{TMPDIR}/keys");
	return slurp("$ENV{TMPDIR}/screen");
}

# An index that cannot be used is built again: a note.
my $trace = sample('pulse');
my @cache = ('--index-dir', "$ENV{TMPDIR}/cache");
wakepath('index', $trace, @cache, '--quiet');
sub spoil { spew($_, 'x' x 1000) for grep { /\.wpi$/ } files_below("$ENV{TMPDIR}/cache") }
spoil();
my $r = wakepath('info', $trace, @cache, '--format', 'json');
like($r->{err}, qr/\Awakepath: warning: index \S+: .*; built again\n\z/, 'an index built again: on standard error');
my $notes = json_of($r)->{notes};
is(scalar @$notes, 1, '… one note in info');
like($notes->[0], qr/built again/, '… the same one');
is_deeply(json_of($r)->{warnings}, [], '… which is no warning');
spoil();
like(wakepath('info', $trace, @cache)->{out}, qr/^  note +index .*built again$/m, '… in its text');
spoil();
my $screen = screen_of([], $trace, @cache);
like($screen, qr/\A[^\n]* 1 note \(!\)\n/, '… counted on the screen, with the key that lists it');
like($screen, qr/built again[^\n]*\n\z|index /, '… and shown');
spoil();
like(screen_of(['!'], $trace, @cache) =~ s/\n\s*/ /gr, qr/Warnings and notes .* at opening +index .* text index .* built again /, '… and listed');
unlike(screen_of([], $trace, @cache), qr/note/, 'the next time there is no note');

# A copy of a recording: its chunk holds only events of the first.
my $copy = copy_trace('pulse');
my $twice = json_of(wakepath('info', $trace, $copy, '--format', 'json'));
like("@{ $twice->{traces}[0]{warnings} }", qr/the other chunks of the recording have all of its packets: it can be left out/, 'a copy: in info, with a hint');
like(screen_of(['!'], $trace, $copy) =~ s/\n\s*/ /gr, qr/Warnings and notes .* warning +solo: .* text solo: .*the other chunks of the recording have all of its packets: it can be left out /, '… and on the screen');

# Each warning of lost events has a hint; the cursor can go to the places.
my $lost = json_of(wakepath('info', sample('lost-events'), '--format', 'json'))->{traces}[0];
like("@{ $lost->{warnings} }", qr/record with larger buffers/, 'lost events: a hint');
my $text = screen_of(['size 120 60', '!', 'z'], sample('lost-events'));
is_deeply([$text =~ /^ lost +(\d+\.\d{9}) s  CPU (\d+): (\d+) events lost within /mg],
	[map { sprintf('%.9f', ($_->{from} - $lost->{from}) / 1e9), $_->{cpu}, $_->{count} } sort { $a->{cpu} <=> $b->{cpu} || $a->{from} <=> $b->{from} } @{ $lost->{gaps} }], '… and each place is listed, with its time');
cmp_ok(scalar @{ $lost->{gaps} }, '>', 5, '… of several');

done_testing();
