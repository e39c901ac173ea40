# SPDX-License-Identifier: MIT
package Hosts::Split;

# The parts of a wait. The walk over the raw events has one stretch for each wait; the program splits it into
# parts:
#
#  - a wait for a packet is `network`, one for a disk `block`, one for a timer `timer`, until the first interrupt of its
#    chain was entered (the chain is that of Cause.pm); where the chain begins with a softirq or IPI without any before,
#    until that was raised or entered;
#  - from there on `irq`; `ipi` where an IPI of the chain is under way: at most from the entry of the context before it;
#  - `flush` while the disk's cache is flushed for the request (block_rq_issue to block_rq_complete of the flush);
#  - `timer-late` from when the timer was due to its expire_entry, `timer` or `irq` in the expiry; where the timer was set before the
#    trace began its due time is unknown, and all of it may be one part;
#
#  - No packet arrives before it was sent: of the chain, from the front, only contexts entered since the packet left count, by the clocks
#    in use (net_rx_action() goes on polling: a packet that arrives meanwhile has no interrupt of its own, or one that raises nothing,
#    NAPI_STATE_MISSED).  If all were entered before, the packet arrived in the last one, at the latest when it was received
#    (net_if_receive_skb).  By clocks that say it left later than it was received the wait may be `network` as a whole.
#    The arrival is known only if the whole chain counts, begins with an interrupt, and that was entered later than
#    the packet left by more than the clocks' error: else no part is proved to be `network`.
#  - A waker that overtook the sleeper on its way out (sched_waking before the sched_switch, sched_wakeup behind it) had done all
#    that the chain shows: the rest has no part of its own and has the wait's kind, not proved.
#
# So the kind of each part of such a stretch is known, and each boundary is an instant of an event.

use strict;
use warnings;
use Verdict qw(min max);

# Without its own type in the trace, or not a place in time.
sub _hops { return grep { $_->{type} ne 'thread' && defined $_->{entry} } @{$_[0]{chain} // []} }

# With several raises before it ran, the raising interrupt in the chain need not be the first.
sub _raises { my $frame = $_[0]{frame} // {}; return map { $_->{time} } grep { defined } $frame->{raise}, @{$frame->{raised_again} // []} }

# Of HOPS, those with which a packet sent at SENT, by the SHOWN clock, can have arrived; the last of them
# delivered it.
sub _since {
    my ($sent, $shown, @hops) = @_;
    shift @hops while @hops > 1 && $shown->($hops[0]{entry}) < $sent;
    return @hops;
}

# In the host's time: {first} the instants at which the wait's own kind may end, {late}, {flushes} and {ipis} as [from, to], {expiry}, and {at}, all
# instants at which a boundary may be. SENT: when the packet was sent, by the SHOWN clock; undef if unknown. {came}: its earliest possible arrival,
# undef if the carrier is unknown.
sub facts {
    my ($wait, $kind, $sent, $shown) = @_;
    my $cause = $wait->{cause} // {};
    my @all = _hops($cause);
    my @hops = defined $sent ? _since($sent, $shown, @all) : @all;
    my %is = (ipis => [], flushes => []);
    $is{came} = $shown->($hops[0]{entry}) if @hops && @hops == @all && $hops[0]{type} eq 'irq';
    my @at = grep { defined } map { ($_->{entry}, $_->{exit} // ($_->{frame} // {})->{exit}, _raises($_)) } @hops;
    $is{first} = [ grep { defined } $hops[0]{entry}, $hops[0]{type} eq 'softirq' && @hops == @all ? grep { !defined $sent || $shown->($_) >= $sent } _raises($hops[0]) : () ] if @hops;
    if (defined $sent && @hops && $shown->($hops[0]{entry}) < $sent) {
        my $received = $cause->{packet}{here}{time};
        $is{first} = $sent <= $shown->($received) ? [ $received ] : undef;
        push @at, $received;
    }
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

# True if a part of kind KIND of a wait for MAIN may be [FROM, TO). SHOWN: the clock of its host.
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
    return $before || $main eq 'timer' && defined $is->{expiry} && ($behind || !$is->{late});
}

# The errors of PARTS, the program's split of the stretch IS of the walk, each {kind, host, from, to}.
sub wrong {
    my ($stretch, $main, $parts, $clock) = @_;
    my $host = $stretch->{host};
    my $shown = sub { $clock->($host, $_[0]) };
    my $sent = $main eq 'network' && $stretch->{sent} ? $clock->(@{$stretch->{sent}}{qw(host time)}) : undef;
    my $is = facts($stretch->{wait} // {}, $main, $sent, $shown);
    my %at = map { ($shown->($_) => 1) } @{$is->{at}};
    my $proved = grep { ($_->{is}{grade} // '') eq 'proved' } @$parts;
    my $wait = $stretch->{wait} // {};
    return () if @$parts == 1 && $parts->[0]{kind} eq $main && $wait->{overtook} && $shown->($wait->{time}) <= $stretch->{from} && !$proved;
    my @wrong;
    for my $i (0 .. $#$parts) {
        my $p = $parts->[$i];
        my $what = "$p->{kind} on $p->{host} [$p->{from}, $p->{to}) of the wait for $main [$stretch->{from}, $stretch->{to})";
        push @wrong, "$what: nothing happened at its beginning" if $i && !$at{$p->{from}};
        push @wrong, "$what: proved, but its arrival is unknown" if $p->{kind} eq 'network' && defined $sent && ($p->{is}{grade} // '') eq 'proved'
            && (!defined $is->{came} || $is->{came} - $sent <= ($p->{is}{error} // 0));
        push @wrong, "$what: it was not" if !_fits($is, $main, $p->{kind}, @$p{qw(from to)}, $shown);
    }
    return @wrong;
}

1;
