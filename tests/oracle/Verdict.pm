# SPDX-License-Identifier: MIT
package Verdict;

# Shared by the tests against the oracle: many comparisons as one line of TAP, unknown values as text, minimum
# and maximum of times, and random choices.
#
#   ORACLE_SHOW=N        report N differences (default 5)
#   ORACLE_SEED=N        make other random choices

use strict;
use warnings;
use Digest::MD5 qw(md5);
use Exporter qw(import);
use Test::More;

our @EXPORT = qw(n verdict min max chance);

my $show = $ENV{ORACLE_SHOW} // 5;

# The functions of List::Util use floats, in which times since the Epoch are 256 ns apart.
sub min { my $least = shift; $least = $_ < $least ? $_ : $least for @_; return $least }
sub max { my $most = shift; $most = $_ > $most ? $_ : $most for @_; return $most }

sub n { return defined $_[0] ? $_[0] : '-' }

# From here on rand() and shuffle() depend on NAME alone: not on earlier random numbers, such as those for Perl's temporary files, and
# so not on earlier checks.
sub chance { my ($name) = @_; return srand unpack 'L', md5(($ENV{ORACLE_SEED} // 4711) . " $name") }

# Test NAME passes if there is nothing in WRONG.
sub verdict {
    my ($name, @wrong) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(!@wrong, $name) or do {
        diag("  $_") for @wrong[0 .. min($#wrong, $show - 1)];
        diag('  ', scalar @wrong, ' in all') if @wrong > $show;
    };
}

1;
