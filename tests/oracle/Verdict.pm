package Verdict;

# What the tests against the oracle have in common: many comparisons as one
# line of TAP, and values that may be unknown as text.
#
#   ORACLE_SHOW=N        tell N of what differs (default 5)

use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(min);
use Test::More;

our @EXPORT = qw(n verdict);

my $show = $ENV{ORACLE_SHOW} // 5;

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
