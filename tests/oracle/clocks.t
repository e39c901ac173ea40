#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The clocks of several hosts are compared with the truth measured beside the recordings. No packet arrives
# before it left, counted from the raw events with exact fractions. Paths are equal whatever the hosts' clocks
# show, on copies with changed clocks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Ask;
use Hosts;
use Hosts::Clock;
use Hosts::Compare;
use Hosts::Musts;
use Verdict;

# Hundreds of runs; across.t runs the same code with the sanitizers.
$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};

my @names = qw(client httpd db);
my $scratch = File::Temp->newdir(TEMPLATE => 'wakepath-clocks-XXXXXX', TMPDIR => 1);


# ------------------------------------------------------------ against the measured truth

# At each measured instant, the two hosts' times are equal to within half the round trip.
sub wrong_truth {
    my ($hosts, $clocks) = @_;
    my $truth = $hosts->truth;
    return map { my $other = $_; map {
        my $off = $clocks->shown($_->{of}, $_->{time}) - $clocks->shown($other, $_->{time} + $_->{ahead});
        2 * abs($off) > $_->{rtt} ? "$other at $_->{time} of $_->{of}: off by $off ns, round trip $_->{rtt}" : ()
    } @{$truth->{$other}} } sort keys %$truth;
}

# The reported worst error covers the true one, which is known to half a round trip.
sub wrong_errors {
    my ($hosts, $clocks, $sync) = @_;
    my $truth = $hosts->truth_clock;
    my %told = map { $_->{host} => $_->{error_ns_max} } @{$sync->{hosts}};
    my @wrong;
    for my $host (@names) {
        my $o = $hosts->{of}{$host};
        for my $t ($o->{from}, int(($o->{from} + $o->{to}) / 2), $o->{to}) {
            my $off = abs($clocks->shown($host, $t) - $truth->($host, $t));
            push @wrong, "$host at $t is off by $off ns, told is at most $told{$host}" if $off > $told{$host} + 320_000;
        }
    }
    return @wrong;
}

# ------------------------------------------------------------ no packet before it left

sub too_early {
    my ($hosts, $clocks) = @_;
    return map {
        my ($s, $r) = @$_;
        $clocks->order($s->{host}, $s->{time}, $r->{host}, $r->{time}) < 0
            ? "$s->{flow}: sent by $s->{host} at $s->{time}, received by $r->{host} at $r->{time}" : ()
    } @{$hosts->{pairs}};
}

# ------------------------------------------------------------ changed clocks

# The requests of a copy, in the times of its client.
sub requests_of {
    my ($folder, $requests) = @_;
    open my $in, q(-|), qw(babeltrace2 --clock-seconds --no-delta), q(--names=payload,context), "$folder/client" or die "babeltrace2: $!";
    my %at;
    while (my $line = <$in>) {
        $at{$3} = "$1$2" + 0 if $line =~ /^\[(\d+)\.(\d{9})\].* lttng_logger: .*msg = "(.*)"/;
    }
    close $in or die 'babeltrace2 failed';
    return map {
        my $what = $_->{name} =~ /^[hsc] / ? 'request' : 'http';
        +{ %$_, from => $at{"$what begin $_->{name}"}, to => $at{"$what end $_->{name}"} }
    } @$requests;
}

# Like ask_paths(), as lists of segments.
sub paths {
    return map { $_ && Hosts::Musts::of_answer($_) } Hosts::Compare::ask_paths(@_);
}

# The order of two hosts' events is known only to the error of the clocks. That error is large here: packets
# span 0.4 s only, so the rate of the client's clock is a guess. So a piece shorter than this (ns) may be
# missing on either path after a change of host.
my $room = 100_000;

# Two paths, group by group: [actor, ns here, ns there, all of it in one host's time].
sub side_by_side {
    my ($was, $is) = @_;
    my @paths = map { Hosts::Compare::joined($_) } $was, $is;
    my @at = (0, 0);
    my @out;
    my @cut = (0, 0);       # true if it begins after a change of host
    while (grep { $at[$_] < @{$paths[$_]} } 0, 1) {
        my @now = map { $paths[$_][$at[$_]] } 0, 1;
        for my $k (0, 1) {
            my $before = $at[$k] ? $paths[$k][$at[$k] - 1] : undef;
            $cut[$k] ||= $before && $now[$k] && $before->[3]{host} ne $now[$k][3]{host};
        }
        my @who = map { $_ ? $_->[0] : 'nothing more' } @now;
        my @ns = map { $_ ? $_->[2] - $_->[1] : 0 } @now;
        if ($who[0] ne $who[1]) {
            my ($short) = sort { $ns[$a] <=> $ns[$b] } grep { $cut[$_] && $ns[$_] < $room && $now[$_] } 0, 1;
            return ("was $who[0] for $ns[0] ns, is $who[1] for $ns[1] ns") if !defined $short;
            $at[$short]++;
            next;
        }
        push @out, [ $who[0], @ns, !$cut[0] && !$cut[1] && $now[0][3]{kind} ne 'network', $now[0][2] ];
        @cut = (0, 0);
        $_++ for @at;
    }
    return (undef, @out);
}

# The lateness of each timer if the clock of the events has another rate than CLOCK_MONOTONIC, which the timers use: {when it
# expired} => [least, most]. Its `now` was read between the entry of the timer's interrupt and its own expire_entry, and its
# distance to `expires` is the lateness then.
sub lateness {
    my ($hosts, $clocks) = @_;
    my %known;
    for my $host (@names) {
        for my $cause (map { $_->[1]{cause} } $hosts->{of}{$host}->all) {
            my $expiry = ($cause->{timer} // {})->{expiry} or next;
            my $least = $expiry->{now} - $expiry->{expires};
            my $first = $cause->{chain}[0]{entry} // $expiry->{entry};
            $known{"$host " . $clocks->shown($host, $expiry->{entry})} = [ $least, $least + $expiry->{entry} - $first ];
        }
    }
    return \%known;
}

# The packet that ended a wait, from its last part.
sub packet_of {
    my ($s) = @_;
    my $packet = ($s->{is}{source} // {})->{packet} or return;
    return join ' ', map { n($packet->{$_}) } qw(source source_port destination destination_port sequence acknowledgement flags);
}

# Packets that arrived with another hop of their chain by one path's clocks than by the other's: a packet that left within the clocks'
# error of an interrupt may have left before or after it (see Hosts::Split). Their waits are compared in one piece.
sub elsewhere {
    my %hops;
    for my $s (map { @$_ } @_) {
        my $source = $s->{is}{source} // {};
        my ($packet, $first) = ($source->{packet}, ($source->{context} // [])->[0]);
        next if !$packet || !$first || n($packet->{sent}) eq '-';
        $hops{packet_of($s)}{@{$source->{context}} . ($packet->{sent} > $first->{entry} ? ' within' : '')} = 1;
    }
    return grep { keys %{$hops{$_}} > 1 } keys %hops;
}

# A path with the waits for PACKETS in one piece each.
sub in_one {
    my ($path, $packets) = @_;
    my (@out, @open);
    for my $s (@$path) {
        my $waits = $s->{type} ne 'thread';
        push @out, splice @open if !$waits || @open && $open[-1]{host} ne $s->{host};
        push @open, $s;
        next if $waits && !$s->{is}{source};
        my $packet = packet_of($s);
        @open = ({ %$s, kind => 'network', from => $open[0]{from} }) if defined $packet && $packets->{$packet};
        push @out, splice @open;
    }
    return [ @out, @open ];
}

# The differences of two paths by different clocks. Times of one host change with its rate alone. LATE: of timers of a host with
# another rate.
sub wrong_change {
    my ($was, $is, $late) = @_;
    my %elsewhere = map { $_ => 1 } elsewhere($was, $is);
    my ($wrong, @all) = side_by_side(map { in_one($_, \%elsewhere) } $was, $is);
    return $wrong if $wrong;
    my @wrong;
    for my $i (0 .. $#all) {
        my ($who, $x, $y, $inside, $end) = @{$all[$i]};
        my ($host) = $who =~ /^timer-late on (.*)/;
        if (my $known = $late && $host && $late->{"$host $end"}) {
            push @wrong, "$who: was $x ns, is $y, not within @$known" if $y < $known->[0] - 4 - 500e-6 * $x || $y > $known->[1] + 4 + 500e-6 * $x;
            next;
        }
        # A timer due earlier is late for longer.
        ($x, $y) = ($x + $all[$i + 1][1], $y + $all[$i + 1][2]) if $late && $i < $#all && $who =~ /^timer on / && $all[$i + 1][0] =~ /^timer-late on /;
        push @wrong, "$who: was $x ns, is $y" if $inside && abs($x - $y) > 4 + 500e-6 * $x;
    }
    return @wrong;
}

sub changed_copy {
    my ($folder, $host, @change) = @_;
    my $copy = "$scratch/copy";
    system('rm', '-rf', $copy);
    mkdir $copy or die;
    for my $each (@names) {
        my @command = $each eq $host ? ($^X, "$FindBin::Bin/../tools/set_clock", "$folder/$each", "$copy/$each", @change) : ('cp', '-r', "$folder/$each", "$copy/$each");
        system(@command) == 0 or die "copy of $folder/$each";
    }
    return $copy;
}

sub check_change {
    my ($folder, $hosts, $requests, $paths, $late, $host, @change) = @_;
    my $copy = changed_copy($folder, $host, @change);
    my $change = "@change";
    my $sync = Ask::ask('sync', $copy) or return fail($Ask::errors);
    verdict("$host $change: no packet arrives before it left", map { $_->{violations_after} ? "$_->{host}: $_->{violations_after}" : () } @{$sync->{hosts}});
    my @there = $host eq 'client' ? requests_of($copy, $requests) : @$requests;
    my @is = paths($copy, \@there);
    my @why = @Ask::why;
    verdict("$host $change: the paths do not change", map {
        my $i = $_;
        map { "$requests->[$i]{name}: $_" } $is[$i] ? wrong_change($paths->[$i], $is[$i], $change =~ /--ppm/ ? $late : undef) : $why[$i]
    } 0 .. $#is);
    if ($change =~ /^--shift (-?\d+)$/) {
        my $add = $1 * 1e9;
        my $clocks = Hosts::Clock->new($sync);
        my @pairs = map { [ map { +{ %$_, time => $_->{time} + ($_->{host} eq $host ? $add : 0) } } @$_ ] } @{$hosts->{pairs}};
        verdict("$host $change: no packet of the raw events arrives before it left", too_early({ pairs => \@pairs }, $clocks));
    }
}

# ------------------------------------------------------------ all of it

my @shifts = map { [ '--shift', $_ ] } -100, -1, 1, 100;
my @paces = map { [ '--ppm', $_ ] } -200, -50, 50, 200;
my %changes = (
    'rpc-chain' => [ (map { [ 'httpd', @$_ ] } @shifts, @paces), map { my $host = $_; map { [ $host, @$_ ] } @shifts[0, 3], @paces[0, 3] } qw(client db) ],
    django => [ [ 'httpd', @{$shifts[0]} ], [ 'httpd', @{$paces[0]} ], [ 'db', @{$shifts[3]} ], [ 'db', @{$paces[3]} ], [ 'client', @{$shifts[0]} ], [ 'client', @{$paces[3]} ] ],
);

for my $name (grep { Ask::experiment($_) } qw(rpc-chain django)) {
    my $folder = Ask::experiment($name);
    my $hosts = Hosts->load($folder, @names);
    my @requests = Hosts::Musts::requests($hosts);
    subtest $name => sub {
        local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST} && $name eq 'django';     # no sample; rpc-chain runs the same code with the sanitizers
        my $sync = Ask::ask('sync', $folder) or return fail($Ask::errors);
        my $clocks = Hosts::Clock->new($sync);
        verdict('clocks are within half the round trip of the measured truth', wrong_truth($hosts, $clocks));
        verdict('the reported error covers the true one', wrong_errors($hosts, $clocks, $sync));
        verdict('no packet arrives before it left', too_early($hosts, $clocks));
        my @paths = paths($folder, \@requests);
        verdict('the paths of the requests are right', map { $paths[$_] ? () : $Ask::why[$_] } 0 .. $#paths);
        if (!grep { !$_ } @paths) {
            my $late = lateness($hosts, $clocks);
            check_change($folder, $hosts, \@requests, \@paths, $late, @$_) for @{$changes{$name}};
        }
        done_testing;
    };
}

done_testing;
