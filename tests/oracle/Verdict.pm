package Verdict;

# What the tests against the oracle have in common: many comparisons as one
# line of TAP, values that may be unknown as text, and the least and most of times.
#
#   ORACLE_SHOW=N        tell N of what differs (default 5)

use strict;
use warnings;
use Exporter qw(import);
use Test::More;

our @EXPORT = qw(n verdict min max);

my $show = $ENV{ORACLE_SHOW} // 5;

# List::Util's go by way of floats, in which times since the Epoch are 256 ns apart.
sub min { my $least = shift; $least = $_ < $least ? $_ : $least for @_; return $least }
sub max { my $most = shift; $most = $_ > $most ? $_ : $most for @_; return $most }

sub n { return defined $_[0] ? $_[0] : '-' }

# NAME holds when nothing is WRONG.
sub verdict {
    my ($name, @wrong) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(!@wrong, $name) or do {
        diag("  $_") for @wrong[0 .. min($#wrong, $show - 1)];
        diag('  ', scalar @wrong, ' in all') if @wrong > $show;
    };
}

1;
