# SPDX-License-Identifier: MIT
package Each::Counting;

# The consistency of the counting itself: what oracle.t cannot work out by hand.

use strict;
use warnings;
use List::Util qw(sum0);
use Test::More;
use Oracle;
use Verdict qw(min max);

sub check {
    my ($o, $trace) = @_;
    return if @{$o->{gaps}};
    my @off;
    for my $life (grep { $_->{tid} && defined $_->{strict_from} } @{$o->{lives}}) {
        my $sum = Oracle::sums($life->{intervals}, $life->{strict_from}, $life->{end});
        my $on = sum0(map { $sum->{$_} // 0 } qw(running usermode syscall interrupted));
        push @off, "TID $life->{tid}" if $on != $life->{on_cpu};
    }
    is("@off", '', "$trace->{name}: states agree with switches");
    # A snapshot of a flight recorder has a different range of packets for each CPU, so events of one CPU may be missing.
    my @cpus = values %{$o->{cpu}};
    my ($from, $to) = (max(map { $_->{seen_from} } @cpus), min(map { $_->{seen_to} } @cpus));
    my @odd = grep { my ($t) = /^(\d+)/; $t >= $from && $t <= $to } @{$o->{odd}};
    is("@odd", '', "$trace->{name}: events agree with each other");
}

1;
