# SPDX-License-Identifier: MIT
package Cause::Checks;

# Checks of the program's details of a wait against the raw events: its evidence, the lateness of its timer, the steps of
# its request. Each returns the differences.

use strict;
use warnings;
use Cause::Say;

sub n { return defined $_[0] ? $_[0] : '-' }

# Every event named as evidence is in the trace.
sub evidence {
    my ($o, @list) = @_;
    return map {
        $o->has_event(n($_->{event}), n($_->{time}), $_->{cpu}) ? () : 'evidence ' . join(' ', map { n($_) } @$_{qw(event time cpu)}) . ', which is not in the trace'
    } @list;
}

# The parts of an interval cover it, one after the other.
sub _covers {
    my ($what, $parts, $from, $to) = @_;
    my $at = $from;
    for my $part (@$parts) {
        return "$what: a part from " . n($part->{from}) . ", expected $at" if n($part->{from}) ne $at;
        return "$what: a part from $part->{from} to " . n($part->{to}) if !defined $part->{to} || $part->{to} < $part->{from};
        $at = $part->{to};
    }
    return $at ne $to ? "$what ends at $at, not $to" : ();
}

# Points 3 and 4: `steps` of a request recorded from its bio to its end.
sub steps {
    my ($record, $said) = @_;
    my ($is, $request) = ($record->{cause}{request}, $said->{request});
    return if !$is || !$request || !defined $is->{queued} || !defined $is->{completed};
    return 'request without steps' if !$request->{steps};
    my @steps = @{$request->{steps}};
    my @wrong = _covers('steps', \@steps, n($request->{queued}), n($request->{completed}));
    my $parts = $is->{parts} or return @wrong;
    my %sum = (device => 0, 'flush-before' => 0, 'flush-after' => 0, queue => 0, requeue => 0);
    $sum{$_->{what}} += $_->{to} - $_->{from} for @steps;
    my $device = 0;
    $device += $_->{to} - $_->{from} for @{$parts->{device}};
    push @wrong, "$sum{device} ns in the device, at most $device" if @{$parts->{device}} && $sum{device} > $device + _tail($is, $parts);
    for my $which (qw(before after)) {
        for my $flush (@{$parts->{$which}}) {
            my $had = 0;
            for my $step (grep { $_->{what} eq "flush-$which" } @steps) {
                my ($a, $b) = ($step->{from} > $flush->{from} ? $step->{from} : $flush->{from}, $step->{to} < $flush->{to} ? $step->{to} : $flush->{to});
                $had += $b - $a if $b > $a;
            }
            my $took = $flush->{to} - $flush->{from};
            push @wrong, "flush $which it took $took ns (from $flush->{from}), said are $had" if $had != $took;
        }
        push @wrong, "no flush $which it, said are " . $sum{"flush-$which"} . ' ns'
            if !@{$parts->{$which}} && $sum{"flush-$which"} && !($which eq 'after' && $sum{"flush-$which"} <= _tail($is, $parts));
    }
    return @wrong;
}

# Between the completion of the data and the end of the request, without a flush.
sub _tail {
    my ($is, $parts) = @_;
    return @{$parts->{device}} && !@{$parts->{after}} ? $is->{completed} - $parts->{device}[-1]{to} : 0;
}

# Point 2: when the timer was due, how late it expired, and which threads had its CPU in that time.
sub timer {
    my ($o, $record, $said) = @_;
    my ($is, $timer) = ($record->{cause}{timer}, $said->{timer});
    my $expiry = $is && $is->{expiry};
    return if !$expiry || !$timer || $said->{kind} ne 'timer' || lc n($timer->{function}) ne lc n($is->{function});
    return 'timer that was started and expired, without due time' if !defined $timer->{due};
    my ($due, $slack) = ($timer->{due}, $expiry->{exact} ? 0 : 100_000);
    return "timer due $due, is between $expiry->{due_from} and $expiry->{due}" if $due < $expiry->{due_from} - $slack || $due > $expiry->{due} + $slack;
    my $late = $expiry->{entry} > $due ? $expiry->{entry} - $due : 0;
    my $said_late = $timer->{late} // 0;
    return "timer $said_late ns late, is $late" if $said_late != $late;
    return if !$late || !$timer->{late_by};
    return _blame($o, $timer->{late_by}, $expiry->{cpu}, $due, $expiry->{entry});
}

my %interrupts = map { $_ => 1 } qw(irq softirq ipi timer device network);

# The program's parts of [from, to) on a CPU, compared with the holders of that CPU.
sub _blame {
    my ($o, $parts, $cpu, $from, $to) = @_;
    my %said;
    my $sum = 0;
    for my $part (@$parts) {
        my $who = $part->{what} eq 'thread' ? 'TID ' . n($part->{tid}) : $interrupts{$part->{what}} ? 'interrupted' : $part->{what};
        $said{$who} += $part->{time};
        $sum += $part->{time};
    }
    my @wrong = $sum != $to - $from ? 'parts add up to ' . $sum . ' ns of ' . ($to - $from) : ();
    my $had = $o->who_had($cpu, $from, $to);
    for my $who (sort { $a cmp $b } keys %{{ %said, %$had }}) {
        my ($is, $says) = ($had->{$who} // 0, $said{$who} // 0);
        push @wrong, "$who had CPU $cpu for $is ns of [$from, $to), wakepath has $says" if $is != $says && !($who eq 'unknown');
    }
    return @wrong;
}

# No wait is explained by something that ended before the wait began (proofs.md R13). A waker that overtook the sleeper is earlier,
# and correct.
sub order {
    my ($record, $one) = @_;
    return if $record->{overtook} || !defined $record->{blocked_at};
    my ($s, $begin, $end) = ($one->{source}, $record->{blocked_at}, $record->{ended});
    my ($request, $packet) = @$s{qw(request packet)};
    my @wrong;
    for my $t ([ 'request completed', $request && $request->{completed} ], [ 'packet received', $packet && $packet->{received} ]) {
        my ($what, $at) = @$t;
        next if !defined $at;
        # Its interrupt may still be running when the thread falls asleep.
        my $context = @{$record->{context}} ? $record->{context}[-1] : undef;
        my $since = $context && $context->{entry} < $begin ? $context->{entry} : $begin;
        push @wrong, "$what $at, but waited from $begin to $end, woken in what began $since" if $at < $since || $at > $end;
    }
    # The context of the wake-up was open when it happened, except a handler that has just returned, which left softirqs or a lock
    # behind.
    my @open = map { "$_->{cpu} $_->{entry}" } @{$record->{context}};
    my $last = $s->{context}[-1];
    push @wrong, "innermost $last->{type} of $last->{entry} on CPU $last->{cpu} was not open at $record->{time}"
        if $last && @open && !$record->{cause}{outside} && "$last->{cpu} $last->{entry}" ne $open[-1];
    # From the origin, in order of time.
    my @entries = grep { defined } map { $_->{entry} } @{$s->{context}};
    push @wrong, "the chain goes back in time: @entries" if grep { $entries[$_] < $entries[$_ - 1] } 1 .. $#entries;
    push @wrong, "the chain begins after the wake-up at $record->{time}: @entries" if grep { $_ > $end } @entries;
    push @wrong, 'the idle thread is said to have ended it' if $s->{thread} && n($s->{thread}{tid}) eq '0';
    return @wrong;
}

1;
