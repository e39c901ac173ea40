#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Guests recorded longer than their host, hosts without a state dump, and guests of one name: the guest of each virtual CPU follows from the part in both records
# (Machine.pm).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Made;
use Machine;
use Ask;
use Verdict;

my $folder = File::Temp->newdir(TEMPLATE => 'oracle-guests-XXXXXX', TMPDIR => 1);
my $start = 1_000_000_000;
my %ahead = (host => [ 0, 0 ], one => [ 7200, 40 ], two => [ -86400, -25 ]);
my $machine;

# The guest and CPU of each virtual CPU, of hosts recorded from HOST->[0] to HOST->[1] seconds after the start, guests to their end; DUMP: with a state dump; NAMED: the
# name of both guests.
sub whose {
    my ($name, $from, $to, $dump, $named) = @_;
    my @dump = $dump ? Machine::dump_of_two($start + $from * 1e9) : ();
    my @asked = map { my $host = $_; my ($s, $ppm) = @{$ahead{$host}};
        Made::trace("$folder/$name/$host", { host => $host ne 'host' && $named || $host, epoch => 1_700_000_000 + $s }, Made::by_clock($start, 12_345, $ppm,
            $host eq 'host' ? (@dump, grep { $_->[0] >= $start + $from * 1e9 && $_->[0] < $start + $to * 1e9 } @{$machine->{host}{events}}) : @{$machine->{$host}{events}})) } qw(host one two);
    my $answer = Ask::ask('machines', @asked) or return $Ask::errors;
    return join ', ', sort map { my $m = $_; map { "$_->{tid}=" . n($m->{guest}) . '/' . n($_->{guest_cpu}) } @{$m->{vcpus}} } @{$answer->{machines}};
}

my $right = '11=one/0, 12=one/1, 21=two/0, 22=two/1';
for my $seed (4, 6, 8, 11) {
    srand $seed;
    $machine = Machine::two_guests($start, $start + 5e8, 2);
    is(whose("whole$seed", 0, 1, 1), $right, "seed $seed: all recorded to the end");
    is(whose("cut$seed", 0, 0.4, 1), $right, "seed $seed: the host ends 100 ms before the guests");
    is(whose("late$seed", 0.15, 1, 1), $right, "seed $seed: the host begins 150 ms after them");
    is(whose("dumb$seed", 0, 1, 0), $right, "seed $seed: without a state dump");
    is(whose("same$seed", 0, 1, 1, 'twin'), '11=twin/0, 12=twin/1, 21=twin#2/0, 22=twin#2/1', "seed $seed: two guests of one name");
}
done_testing;
