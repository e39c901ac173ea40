package Hosts::Compare;

# The program's path against the oracle's walk by the same clocks: same actors on
# the same hosts, and each boundary the very event's time.

use strict;
use warnings;
use Ask;
use Hosts::Musts;

# The program's answer for each request, in the client's times; why not, in @Ask::why.
sub ask_paths {
    my ($folder, $requests, @more) = @_;
    return Ask::ask_all(map { [ 'path', $folder, '--thread', "client/$_->{life}{tid}\@$_->{from}", '--from', $_->{from}, '--to', $_->{to}, @more ] } @$requests);
}

my %kind = (usermode => 'running', '?' => 'unknown', softirq => 'irq');

# Neighbours of one actor and kind as one: [who, from, to, segments...].  A wait
# is one whatever parts it is told in.
sub joined {
    my ($path) = @_;
    my @out;
    for my $s (@$path) {
        my $kind = $kind{$s->{kind}} // $s->{kind};
        my $who = $s->{type} eq 'thread' ? "$kind of $s->{host}/$s->{name} ($s->{tid})" : "$kind on $s->{host}";
        # Another wait of the same kind follows only behind something of a thread's own.
        if (@out && $out[-1][0] eq $who) {
            $out[-1][2] = $s->{to};
            push @{$out[-1]}, $s;
        } else {
            push @out, [ $who, $s->{from}, $s->{to}, $s ];
        }
    }
    return \@out;
}

# What differs, the first of it.
sub differs {
    my ($walk, $answer) = @_;
    my ($is, $said) = map { joined($_) } $walk, $answer;
    for my $i (0 .. ($#$is > $#$said ? $#$is : $#$said)) {
        my ($a, $b) = map { $_ ? "$_->[0] [$_->[1], $_->[2])" : 'nothing more' } $is->[$i], $said->[$i];
        return "is $a, said $b" if $a ne $b;
    }
    return;
}

1;
