# SPDX-License-Identifier: MIT
package Hosts::Split;

# What a wait is made of.  The walk over the raw events has one stretch for each; the program tells it in parts:
#
#  - a wait for a packet is `network`, one for a disk `block`, one for a timer `timer`, until the first interrupt of its
#    chain was entered (the chain is that of Cause.pm); where the chain begins with a softirq or IPI without any before,
#    until that was raised or entered;
#  - from there on `irq`; `ipi` where an IPI of the chain is under way: at most from the entry of the context before it;
#  - `flush` while the disk's cache is flushed for the request (block_rq_issue to block_rq_complete of the flush);
#  - `timer-late` from when the timer was due to its expire_entry, `timer` or `irq` in the expiry.
#
#  - Where by the clocks in use the packet left after that first interrupt (NET_RX that raised itself again polled it; or the
#    clocks' error is larger than the way took), nothing tells which interrupt brought it: then it may be `network` as a whole,
#    but not proved.
#  - A waker that overtook the sleeper on its way out (sched_waking before the sched_switch, sched_wakeup behind it) had done all
#    that the chain shows: what is left has no part of its own and is the wait's kind, not proved.
#
# So of each part of such a stretch the kind is known, and each boundary is an instant that events show.

use strict;
use warnings;
use Verdict qw(min max);

# Without a type of its own in the trace, or not a place in time.
sub _hops { return grep { $_->{type} ne 'thread' && defined $_->{entry} } @{$_[0]{chain} // []} }

# Of several raises before it ran, that of the interrupt that is in the chain may be another than the first.
sub _raises { my $frame = $_[0]{frame} // {}; return map { $_->{time} } grep { defined } $frame->{raise}, @{$frame->{raised_again} // []} }

# In the host's time: {first} the instants at which the wait's own kind may end, {late} and {flushes} as [from, to],
# {ipis} as [from, to], {expiry}, and {at}, all instants at which a boundary may be.
sub facts {
    my ($wait, $kind) = @_;
    my $cause = $wait->{cause} // {};
    my @hops = _hops($cause);
    my %is = (ipis => [], flushes => []);
    my @at = grep { defined } map { ($_->{entry}, $_->{exit} // ($_->{frame} // {})->{exit}, _raises($_)) } @hops;
    $is{first} = [ grep { defined } $hops[0]{entry}, $hops[0]{type} eq 'softirq' ? _raises($hops[0]) : () ] if @hops;
    push @{$is{ipis}}, [ $hops[$_ - 1]{entry}, $hops[$_]{entry} ] for grep { $hops[$_]{type} eq 'ipi' } 1 .. $#hops;
    if ($kind eq 'timer' && @hops && $hops[-1]{type} eq 'hrtimer') {
        my $expiry = ($cause->{timer} // {})->{expiry};
        @is{qw(first expiry)} = ([ $hops[-1]{entry} ], $hops[-1]{entry});
        $is{late} = [ $expiry->{due}, $expiry->{entry} ] if $expiry && defined $expiry->{due} && $expiry->{due} < $expiry->{entry};
    }
    if (my $request = $cause->{request}) {
        my $parts = $request->{parts} // {};
        $is{flushes} = [ map { [ @$_{qw(from to)} ] } map { @{$parts->{$_} // []} } qw(before after) ];
        $is{flushes} = [ [ @$request{qw(issued completed)} ] ] if ($request->{operation} // '') eq 'flush' && defined $request->{issued};
        push @at, map { defined ? $_ : () } @$request{qw(queued inserted issued completed)}, map { @$_{qw(from to)} } map { @$_ } values %$parts;
    }
    $is{at} = [ @at, map { @$_ } @{$is{flushes}}, $is{late} // () ];
    return \%is;
}

# May a part of kind KIND of a wait for MAIN be [FROM, TO)?  SHOWN: the clock of its host.
sub _fits {
    my ($is, $main, $kind, $from, $to, $shown) = @_;
    my $within = sub { my ($pair) = @_; return $shown->($pair->[0]) <= $from && $to <= $shown->($pair->[1]) };
    return scalar grep { $within->($_) } @{$is->{flushes}} if $kind eq 'flush';
    return $is->{late} && $within->($is->{late}) if $kind eq 'timer-late';
    return scalar grep { $within->($_) && $to == $shown->($_->[1]) } @{$is->{ipis}} if $kind eq 'ipi';
    my $before = !$is->{first} || grep { $to <= $shown->($_) } @{$is->{first}};
    my $behind = $is->{first} && grep { $from >= $shown->($_) } @{$is->{first}};
    return $behind if $kind eq 'irq' && $main ne 'irq';
    return $before || $behind if $kind eq 'irq';
    return 0 if $kind ne $main;
    return 0 if grep { max($from, $shown->($_->[0])) < min($to, $shown->($_->[1])) } @{$is->{flushes}}, $is->{late} // ();
    return $before || $main eq 'timer' && defined $is->{expiry} && $behind;
}

# What is wrong with PARTS of the stretch IS of the walk: as the program tells them, of {kind, host, from, to}.
sub wrong {
    my ($stretch, $main, $parts, $clock) = @_;
    my $host = $stretch->{host};
    my $shown = sub { $clock->($host, $_[0]) };
    my $is = facts($stretch->{wait} // {}, $main);
    my %at = map { ($shown->($_) => 1) } @{$is->{at}};
    my $sent = $stretch->{sent} && $clock->(@{$stretch->{sent}}{qw(host time)});
    my ($first) = map { $shown->($_) } @{$is->{first} // []};
    my $proved = grep { ($_->{is}{grade} // '') eq 'proved' } @$parts;
    return () if @$parts == 1 && $parts->[0]{kind} eq 'network' && $main eq 'network' && defined $sent && defined $first && $sent > $first && !$proved;
    my $wait = $stretch->{wait} // {};
    return () if @$parts == 1 && $parts->[0]{kind} eq $main && $wait->{overtook} && $shown->($wait->{time}) <= $stretch->{from} && !$proved;
    my @wrong;
    for my $i (0 .. $#$parts) {
        my $p = $parts->[$i];
        my $what = "$p->{kind} on $p->{host} [$p->{from}, $p->{to}) of the wait for $main [$stretch->{from}, $stretch->{to})";
        push @wrong, "$what: nothing happened at its beginning" if $i && !$at{$p->{from}};
        push @wrong, "$what: it was not" if !_fits($is, $main, $p->{kind}, @$p{qw(from to)}, $shown);
    }
    return @wrong;
}

1;
