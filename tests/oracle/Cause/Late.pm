# SPDX-License-Identifier: MIT
package Cause;

# A part of Cause.pm: timers that expired late.
#
# hrtimer_start has `expires` (and softexpires, from which on the kernel may let it expire) on the timer's own clock;
# expire_entry has that clock's `now`, read by hrtimer_interrupt() or hrtimer_run_softirq() before any timer of that round
# ran. LTTng's clock is CLOCK_MONOTONIC, and its metadata has the distance of that to the Epoch. So a timer whose `now`
# fits (it is read before the event) is on CLOCK_MONOTONIC, and its due time in the trace is exact. For timers of another
# clock the distance is the smallest one between an expire_entry and its `now`: if it is too large, the due time is too
# late by as much.

use strict;
use warnings;

my $fits = 1_000_000_000;       # a round of timers is shorter

# The trace's clock: the offset to CLOCK_MONOTONIC (ns), or undef.
sub _clock_offset {
    my ($path) = @_;
    my $text = _metadata($path);
    $text =~ /clock \{[^}]*name = "?monotonic"?;[^}]*freq = 1000000000;[^}]*?\boffset = (\d+);/s or return undef;
    my $offset = $1;
    my $seconds = $text =~ /clock \{[^}]*name = "?monotonic"?;[^}]*\boffset_s = (\d+);/s ? $1 : 0;
    return $offset + $seconds * 1_000_000_000;
}

# A timer that was started and expires now; its expiry opens the frame.
sub _expires {
    my ($self, $t, $frame, $armed, $rest) = @_;
    my ($now) = $rest =~ /\bnow = (\d+)/;
    return if !defined $now || !defined $armed->{expires} || $armed->{expires} !~ /^\d+$/;
    my $is = { entry => $t, cpu => $frame->{cpu}, now => $now, expires => $armed->{expires}, softexpires => $armed->{softexpires} // $armed->{expires} };
    $frame->{timer}{expiry} = $is;
    push @{$self->{expiries}}, $is;
}

# When all is read: the due time of each, in the trace's time.
sub _due_times {
    my ($self) = @_;
    my @others;
    for my $is (@{$self->{expiries} // []}) {
        my $distance = $is->{entry} - $is->{now};
        if (defined $self->{clock_offset} && $distance >= $self->{clock_offset} && $distance < $self->{clock_offset} + $fits) {
            @$is{qw(offset exact)} = ($self->{clock_offset}, 1);
        } else {
            push @others, [ $is, $distance ];
        }
    }
    # The other clocks, each a cluster of similar distances.
    @others = sort { $a->[1] <=> $b->[1] } @others;
    my $least;
    for my $other (@others) {
        $least = $other->[1] if !defined $least || $other->[1] >= $least + $fits;
        $other->[0]{offset} = $least;
    }
    for my $is (@{$self->{expiries} // []}) {
        @$is{qw(due_from due)} = map { $is->{$_} + $is->{offset} } qw(softexpires expires);
        $is->{late} = $is->{entry} > $is->{due} ? $is->{entry} - $is->{due} : 0;
    }
}

# The holders of the CPU in [from, to): nanoseconds by thread, idle, interrupts, and unknown.
sub who_had {
    my ($self, $cpu, $from, $to) = @_;
    my %had;
    my $all = $self->{cpu}{$cpu}{intervals};
    my ($at, $end) = (0, scalar @$all);
    while ($at < $end) {        # the first that ends after FROM
        my $middle = int(($at + $end) / 2);
        $all->[$middle]{to} <= $from ? ($at = $middle + 1) : ($end = $middle);
    }
    for (; $at < @$all && $all->[$at]{from} < $to; $at++) {
        my $i = $all->[$at];
        my ($a, $b) = ($i->{from} < $from ? $from : $i->{from}, $i->{to} > $to ? $to : $i->{to});
        my $who = $i->{state} eq 'running' ? "TID $i->{tid}" : $i->{state} eq '?' ? 'unknown' : $i->{state};
        $had{$who} += $b - $a;
    }
    return \%had;
}

1;
