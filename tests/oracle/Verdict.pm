package Verdict;

# What the tests against the oracle have in common: many comparisons as one
# line of TAP, values that may be unknown as text, the least and most of times, and what is left to chance.
#
#   ORACLE_SHOW=N        tell N of what differs (default 5)
#   ORACLE_SEED=N        leave other choices to chance

use strict;
use warnings;
use Digest::MD5 qw(md5);
use Exporter qw(import);
use Test::More;

our @EXPORT = qw(n verdict min max chance);

my $show = $ENV{ORACLE_SHOW} // 5;

# List::Util's go by way of floats, in which times since the Epoch are 256 ns apart.
sub min { my $least = shift; $least = $_ < $least ? $_ : $least for @_; return $least }
sub max { my $most = shift; $most = $_ > $most ? $_ : $most for @_; return $most }

sub n { return defined $_[0] ? $_[0] : '-' }

# What rand() and shuffle() say from here on follows from NAME alone: not from how much was drawn before, as Perl's temporary files do,
# and so not from what else was asked.
sub chance { my ($name) = @_; return srand unpack 'L', md5(($ENV{ORACLE_SEED} // 4711) . " $name") }

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
