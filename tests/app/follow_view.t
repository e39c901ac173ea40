#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The explorer with --follow: a real trace is written packet by packet; new events appear while the view holds the end, and the index remains.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Growing;
use Wake;
use Test::More;
use Time::HiRes qw(sleep time);

my $scratch = $ENV{TMPDIR};
my ($trace, @packets) = packets_of('lost-events');

# A process of its own writes the packets, the first N at once, the others as soon as the file GO exists.
sub record {
	my ($folder, $first, $go) = @_;
	begin_growing($folder, $trace, @packets);
	my $pid = fork // die;
	return $pid if $pid;
	for my $i (0 .. $#packets) {
		for (my $end = time + 30; $i == $first && !-e $go && time < $end;) { sleep 0.02 }
		append_packet($folder, $packets[$i]);
	}
	exit 0;
}

sub view {
	my ($folder, @lines) = @_;
	spew("$scratch/script", join "\n", 'size 130 24', @lines, 'quit', '');
	my $said = wakepath('--follow', '--script', "$scratch/script", $folder);
	is($said->{status}, 0, 'the explorer ends well') or diag($said->{err});
}

# The number of events of the whole and its limits, and the part of it that can be shown before the explorer says that it ended.
my $whole = json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0];
my %last = map { $_->[1] => $_->[0] } @packets;

my $folder = "$scratch/held";
my $writer = record($folder, 8, "$scratch/go");
view($folder, 'until following,', "dump $scratch/1", "dump $scratch/go", 'Home', "until $whole->{events} events", "dump $scratch/2",
	'$', '+', '+', "dump $scratch/3", 'h', 'H', 'until released,', "dump $scratch/4", 'Z', 'until following,', "dump $scratch/5", 'F6', "dump $scratch/6");
waitpid $writer, 0;
my @screens = ('', map { slurp("$scratch/$_") } 1 .. 6);
my ($events) = $screens[1] =~ /(\d+) events/;
cmp_ok($events, '<', $whole->{events}, 'at first there are fewer events than at the end') if defined $events;
like($screens[1], qr/following, \d+\.\d s behind/, 'the status shows how far behind it is');
like($screens[2], qr/following,/, 'the end is held');
my ($from, $to) = map { $screens[$_] =~ /in view ([\d.]+) ms/ ? $1 : -1 } 1, 2;
cmp_ok($from, '<', $to, 'all is shown: the axis is longer');
cmp_ok(abs($to - ($whole->{to} - $whole->{from}) / 1e6), '<', 1, 'it is the axis of the whole');
like($screens[4], qr/released,/, 'moving away from the end releases it');
like($screens[5], qr/the end is held/, 'the key holds it again');
like($screens[6], qr/sched_switch|softirq|hrtimer|syscall/, 'events are listed with their fields');
like(wakepath('index', $folder)->{out}, qr/ is fresh/, 'the index is left');
is(wakepath('verify', $folder)->{status}, 0, 'the index is sound');

# Released: the view does not move.
$folder = "$scratch/released";
$writer = record($folder, 8, "$scratch/go-on");
view($folder, 'until following,', 'Z', 'until released,', "dump $scratch/7", "dump $scratch/go-on", 'j', 'until behind', "dump $scratch/8", 'Z', 'Home', "until $whole->{events} events", "dump $scratch/9");
waitpid $writer, 0;
my ($before, $after) = map { slurp("$scratch/$_") =~ /in view ([\d.]+ \S+)/ ? $1 : '' } 7, 8;
is($after, $before, 'released: nothing moves');

# Two windows: one holds the end, the other shows the beginning and stays there.
$folder = "$scratch/two";
$writer = record($folder, 8, "$scratch/go-two");
view($folder, 'until following,', 'Home', '\\', '0', '+', '+', '+', "dump $scratch/a", "dump $scratch/go-two", "until $whole->{events} events", 'l', 'until following,', "dump $scratch/b");
waitpid $writer, 0;
my @of = map { [slurp("$scratch/$_") =~ /Window (\d)  .*?([\d.]+ m?s)(?: in view|$)/mg] } 'a', 'b';
is($of[1][3], $of[0][3], 'the second window stays as it was') or diag(slurp("$scratch/b"));
cmp_ok(abs(($of[1][1] =~ s/ ms//r) - ($whole->{to} - $whole->{from}) / 1e6), '<', 1, 'the first one shows all new events');
cmp_ok($of[0][1] =~ s/ ms//r, '<', $of[1][1] =~ s/ ms//r, 'which are more than before');

# Before a trace exists, and with nothing to follow.
my $none = wakepath('--follow', '--script', "$scratch/script", "$scratch/nowhere");
is($none->{status}, 3, 'a folder that is not there');
is(wakepath('view', '--follow', $trace)->{status}, 2, 'without a terminal');

done_testing();
