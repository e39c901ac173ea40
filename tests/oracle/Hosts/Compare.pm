# SPDX-License-Identifier: MIT
package Hosts::Compare;

# The program's path compared with the oracle's walk by the same clocks: equal actors on equal hosts, and each
# boundary at the time of its event. The walk has each wait in one piece; Split.pm checks how the program
# splits it.

use strict;
use warnings;
use Ask;
use Hosts::Musts;
use Hosts::Split;

# The program's answer for each request, in the client's times; errors are in @Ask::why.
sub ask_paths {
    my ($folder, $requests, @more) = @_;
    return Ask::ask_all(map { [ 'path', $folder, '--thread', "client/$_->{life}{tid}\@$_->{from}", '--from', $_->{from}, '--to', $_->{to}, @more ] } @$requests);
}

my %kind = (usermode => 'running', '?' => 'unknown', softirq => 'irq');

# Neighbours of one actor and kind joined: [who, from, to, segments...]. A wait is one piece, whatever parts
# it has.
sub joined {
    my ($path) = @_;
    my @out;
    for my $s (@$path) {
        my $kind = $kind{$s->{kind}} // $s->{kind};
        my $who = $s->{type} eq 'thread' ? "$kind of $s->{host}/$s->{name} ($s->{tid})" : "$kind on $s->{host}";
        # Two waits of one kind are separate only with something of a thread's own between.
        if (@out && $out[-1][0] eq $who) {
            $out[-1][2] = $s->{to};
            push @{$out[-1]}, $s;
        } else {
            push @out, [ $who, $s->{from}, $s->{to}, $s ];
        }
    }
    return \@out;
}

# The program's parts of a stretch of the walk: they cover it, and all are of its host and of no thread.
sub parts_of {
    my ($stretch, $said) = @_;
    my @in = grep { $_->{from} >= $stretch->{from} && $_->{to} <= $stretch->{to} } @$said;
    return if !@in || $in[0]{from} != $stretch->{from} || $in[-1]{to} != $stretch->{to};
    return if grep { $_->{type} eq 'thread' || $_->{host} ne $stretch->{host} } @in;
    return if grep { $in[$_]{from} != $in[$_ - 1]{to} } 1 .. $#in;
    return @in;
}

# The program's path with each wait joined again, and the errors in how it was split.
sub _unsplit {
    my ($walk, $said, $clock) = @_;
    my (@whole, @wrong, %part);
    for my $stretch (grep { $_->{type} ne 'thread' && $_->{is}{wait} } @$walk) {
        my @parts = parts_of($stretch, $said) or next;
        my $main = $kind{$stretch->{kind}} // $stretch->{kind};
        push @wrong, Hosts::Split::wrong($stretch->{is}, $main, \@parts, $clock);
        $part{$_} = 1 for @parts;
        push @whole, { %{$parts[-1]}, kind => $stretch->{kind}, from => $stretch->{from} };
    }
    return ([ sort { $a->{from} <=> $b->{from} } @whole, grep { !$part{$_} } @$said ], @wrong);
}

# The first difference.
sub differs {
    my ($walk, $said, $clock) = @_;
    my ($whole, @wrong) = _unsplit($walk, $said, $clock);
    my ($is, $told) = map { joined($_) } $walk, $whole;
    for my $i (0 .. ($#$is > $#$told ? $#$is : $#$told)) {
        my ($a, $b) = map { $_ ? "$_->[0] [$_->[1], $_->[2])" : 'nothing more' } $is->[$i], $told->[$i];
        return ("is $a, said $b", @wrong) if $a ne $b;
    }
    return @wrong;
}

1;
