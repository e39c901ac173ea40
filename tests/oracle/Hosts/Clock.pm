# SPDX-License-Identifier: MIT
package Hosts::Clock;

# The clocks in the program's answer (`sync --format json`), as exact fractions: t_reference = slope · t_host
# + offset, rounded down to a ns.

use strict;
use warnings;
use Math::BigInt;

# SAID: the decoded JSON.
sub new {
    my ($class, $said) = @_;
    my %lines;
    for my $h (@{$said->{hosts}}) {
        my @lines = map { { from => $_->{from}, line(@$_{qw(slope offset_ns)}) } } @{$h->{lines} // [ { from => undef, %$h } ]};
        $lines{$h->{host}} = \@lines;
    }
    return bless { lines => \%lines, seen => {} }, $class;
}

# Decimal text → (numerator, scale of powers of ten).
sub decimal {
    my ($text) = @_;
    $text =~ /^(-?)(\d+)(?:\.(\d+))?$/ or die "no decimal number: $text";
    my ($sign, $whole, $part) = ($1, $2, $3 // '');
    return (Math::BigInt->new("$sign$whole$part"), length $part);
}

# slope = a / d, offset = b / d.
sub line {
    my ($slope, $offset) = @_;
    my ($a, $i) = decimal($slope);
    my ($b, $j) = decimal($offset);
    my $n = $i > $j ? $i : $j;
    $a *= Math::BigInt->new(10) ** ($n - $i);
    $b *= Math::BigInt->new(10) ** ($n - $j);
    return (a => $a, b => $b, d => Math::BigInt->new(10) ** $n);
}

# The line that is valid at T of the host's own time.
sub at {
    my ($self, $host, $t) = @_;
    my $lines = $self->{lines}{$host} or die "no clock of $host";
    my ($line) = grep { !defined $_->{from} || $_->{from} <= $t } reverse @$lines;
    return $line // $lines->[0];
}

# a·t + b over d, not rounded: (numerator, denominator).
sub exact {
    my ($self, $host, $t) = @_;
    my $line = $self->at($host, $t);
    return ($line->{a} * $t + $line->{b}, $line->{d});
}

sub shown {
    my ($self, $host, $t) = @_;
    return $self->{seen}{$host}{$t} //= do {
        my ($n, $d) = $self->exact($host, $t);
        ($n / $d)->numify_exact;
    };
}

sub Math::BigInt::numify_exact { return 0 + $_[0]->bstr }

# How much later RECEIVED of host B is than SENT of host A (ns): the sign is exact.
sub order {
    my ($self, $host_a, $sent, $host_b, $received) = @_;
    my ($n, $d) = $self->exact($host_a, $sent);
    my ($m, $e) = $self->exact($host_b, $received);
    return ($m * $d - $n * $e)->bcmp(0);
}

sub as_sub {
    my ($self) = @_;
    return sub { $self->shown(@_) };
}

1;
