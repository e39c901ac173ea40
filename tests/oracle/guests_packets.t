#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A guest that exchanges packets with its host: its clock follows from both packets and stays. Packets that contradict its virtual CPUs' time inside (planted: by
# another clock, some or all of them) are counted and reported, and the clock is that of the stays.
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
my ($start, $shift, $ppm) = (1_000_000_000, 12_345, 40);
my %ip = (host => "\x0a\0\0\1", one => "\x0a\0\0\2");
srand 4;
my $machine = Machine::two_guests($start, $start + 5e8, 2);
my @on_cpu = grep { $_->[1] == 0 } @{$machine->{one}{events}};
Made::packets();

# Traces of host and guest, with a packet each way at every 25th event of the guest's CPU 0, on its way for DELAY ns. Every EVERY-th of them (0: none) has a time in the
# host that is wrong by OFF ns. Returns the number of packets that arrive before they were sent, by the made clocks; and the traces.
sub traces {
    my ($name, $delay, $off, $every) = @_;
    my ($n, $early, @host, @guest) = (0, 0);
    my $packet = sub {
        my ($from, $to, $sent, $received) = @_;
        my @data = (0xffff0000 + ++$n, 60, 'eth0', 1, 4, 5, 50, $n, 0, 6, $ip{$from}, $ip{$to}, 1, pack 'nnNCnn', $from eq 'host' ? (7000, 40_000) : (40_000, 7000), 10 * $n, 5, 16, 0);
        my %events = (host => \@host, one => \@guest);
        # The host's are on a CPU that runs no guest, so that they end no stay.
        push @{$events{$from}}, [ $sent, $from eq 'host' ? 2 : 0, 'net_dev_queue', @data ];
        push @{$events{$to}}, [ $received, $to eq 'host' ? 2 : 0, 'net_if_receive_skb', @data ];
        $early += $received < $sent;
    };
    for (my ($i, $k) = (10, 0); $delay && $i < @on_cpu; $i += 25, $k++) {
        my ($t, $wrong) = ($on_cpu[$i][0], $every && $k % $every == 0 ? $off : 0);
        $packet->('host', 'one', $t - $delay + $wrong, $t + 1);
        $packet->('one', 'host', $t + 2, $t + $delay + $wrong);
    }
    return ($early, Made::trace("$folder/$name/host", { host => 'host', epoch => 1_700_000_000 }, Machine::dump_of_two($start), @{$machine->{host}{events}}, @host),
        Made::trace("$folder/$name/one", { host => 'one', epoch => 1_700_007_200 }, Made::by_clock($start, $shift, $ppm, @{$machine->{one}{events}}, @guest)));
}

sub clock_of { my ($clock) = grep { $_->{host} eq 'one' } @{Ask::ask('sync', @_)->{hosts}}; return $clock }
sub line { return join ' ', map { n($_[0]{$_}) } qw(quality pieces slope offset_ns) }
sub warnings_of { my ($trace) = grep { $_->{host} eq 'one' } @{Ask::ask('info', @_)->{traces}}; return @{$trace->{warnings}} }

my (undef, @alone) = traces('alone');
my $alone = clock_of(@alone);
is("$alone->{quality} $alone->{pieces}", 'accurate 1', 'without packets there is a clock');
is($alone->{packets_matched}, 0, '… from stays alone');

for my $case ([ 'agree', 30_000, 0, 0 ], [ 'near', 400, 0, 0 ], [ 'all_behind', 30_000, -5e6, 1 ], [ 'all_ahead', 30_000, 5e6, 1 ], [ 'a_little', 30_000, 60_000, 1 ], [ 'tenth', 30_000, -5e6, 10 ],
    [ 'one', 30_000, 5e6, 1000 ])
{
    my ($name) = @$case;
    my ($early, @traces) = traces(@$case);
    my $clock = clock_of(@traces);
    is($clock->{violations_after}, $early, "$name: the packets that arrive before they were sent are counted ($early)");
    my @warned = grep { /contradict/ } warnings_of(@traces);
    my $text = (Ask::run('sync', @traces))[1];
    if ($early) {
        cmp_ok($clock->{packets_matched}, '>', 100, "$name: packets are matched");
        is(line($clock), line($alone), '… and the clock is that of the stays');
        like("@warned", qr/^$early packets that it sent or received contradict its virtual CPUs' time inside the guest, which wakepath uses/, '… info reports them');
        like($text, qr/^one: by the clock found, $early packets still arrive before they were sent: they contradict its virtual CPUs' time inside the guest, which wakepath uses$/m, '… so does sync');
    } else {
        is($clock->{packets_matched}, 196, "$name: packets are matched");
        is("$clock->{quality} $clock->{pieces} @warned", 'accurate 1 ', '… nothing contradicts');
        cmp_ok($clock->{error_ns_max}, '<=', $alone->{error_ns_max}, '… they do not make the clock less exact');
        cmp_ok($clock->{error_ns_max}, '<', $alone->{error_ns_max} / 2, '… packets with a short delay make it more exact') if $name eq 'near';
    }
    my $machines = Ask::ask('machines', @traces);
    is(join(', ', sort map { my $m = $_; map { "$_->{tid}=" . n($m->{guest}) . '/' . n($_->{guest_cpu}) } @{$m->{vcpus}} } @{$machines->{machines}}), '11=one/0, 12=one/1, 21=-/-, 22=-/-', '… each virtual CPU has its guest');
}
done_testing;
