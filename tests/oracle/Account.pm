# SPDX-License-Identifier: MIT
package Account;

# Which thread or interrupt had the CPU during a wait for it, counted from the raw events: the innermost interrupt context that was open
# on the CPU, else the thread that sched_switch switched in, with the priority in that event, else nobody. The contexts, the threads'
# states and the CPUs they wait for are those of Oracle.pm; this file adds only the holder of a CPU, and the sums.

use strict;
use warnings;
use Oracle;
use Verdict;
our @ISA = ('Oracle');

# From t on, the CPU is held by this thread or context.
sub _set_cpu {
    my ($self, $cpu, $t) = @_;
    $self->SUPER::_set_cpu($cpu, $t);
    my $c = $self->{cpu}{$cpu};
    my $state = $c->{state};
    my $top = $c->{stack}[-1];
    $state->{holder} = $state->{state} eq '?' ? 'unknown' : $state->{state} eq 'idle' ? "idle $cpu"
        : $state->{state} eq 'running' ? "thread $state->{tid}" : _context_text($top);
}

sub _context_text {
    my ($context) = @_;
    return 'timer' if $context->{type} eq 'hrtimer';
    return "$context->{type} $context->{name}" if defined $context->{name};
    return "$context->{type} $context->{nr}";
}

# The priority of each thread, from the scheduler's events: (time, prio), one pair per change.
sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    # rt_mutex_setprio() (kernel/sched/core.c) records the change before it is made. On the way back lttng-modules write the old priority
    # as the new one, so from there on the priority is that of the next switch.
    if ($name eq 'sched_pi_setprio' && $rest =~ /\b(?:tid|pid) = (\d+)/) {
        push @{$self->{lent}{$1}}, $t;
    } elsif ($name eq 'sched_switch') {
        while ($rest =~ /(?:prev|next)_[tp]id = (\d+), (?:prev|next)_prio = (-?\d+)/g) {
            my $of = $self->{prio}{$1} //= [];
            push @$of, [ $t, $2 ] if !@$of || $of->[-1][1] != $2;
        }
    }
    $self->_sleeper($t, $cpu, $name, $rest);
    return $self->SUPER::_event($t, $cpu, $name, $rest);
}

# Threads of rtla: each is woken by its own timer, which records its due time.
sub _sleeper {
    my ($self, $t, $cpu, $name, $rest) = @_;
    if ($name eq 'timer_hrtimer_start' && $rest =~ /hrtimer = (\w+),.* expires = (\d+)/) {
        $self->{armed}{$1} = $2;
    } elsif ($name eq 'timer_hrtimer_expire_entry' && $rest =~ /hrtimer = (\w+)/) {
        $self->{expired}{$cpu} = delete $self->{armed}{$1};
    } elsif ($name eq 'timer_hrtimer_expire_exit') {
        $self->{expired}{$cpu} = undef;
    } elsif ($name eq 'sched_waking' && $rest =~ /comm = "timerlatu.*", tid = (\d+)/ && defined $self->{expired}{$cpu}) {
        push @{$self->{sleepers}}, { tid => $1, cpu => $cpu, due => $self->{expired}{$cpu}, woken => $t };
    }
}

# The time by the clock of the trace at PATH at which CLOCK_MONOTONIC was 0, if the trace's clock is that one.
sub zero {
    my ($path) = @_;
    open my $in, '<:raw', "$path/metadata" or return undef;
    local $/;
    my ($clock) = <$in> =~ /\bclock \{(.*?)\};/s or return undef;
    return undef if $clock !~ /"Monotonic Clock"/ || $clock !~ /freq = 1000000000;/;
    return ($clock =~ /\boffset = (\d+)/ ? $1 : 0) + ($clock =~ /\boffset_s = (\d+)/ ? $1 : 0) * 1_000_000_000;
}

# The first interval of CPU that ends after t.
sub first_after {
    my ($all, $t) = @_;
    my ($low, $high) = (0, scalar @$all);
    while ($low < $high) {
        my $middle = int(($low + $high) / 2);
        if ($all->[$middle]{to} > $t) { $high = $middle } else { $low = $middle + 1 }
    }
    return $low;
}

# Add to SUM the holders of CPU in [from, to): holder => ns.
sub add_holders {
    my ($self, $sum, $cpu, $from, $to) = @_;
    my $all = $self->{cpu}{$cpu}{intervals} // [];
    for (my $i = first_after($all, $from); $i < @$all && $all->[$i]{from} < $to; $i++) {
        my ($a, $b) = (max($from, $all->[$i]{from}), min($to, $all->[$i]{to}));
        $sum->{$all->[$i]{holder}} += $b - $a;
    }
}

# True if events were lost on the CPU in [from, to).
sub is_whole {
    my ($self, $from, $to) = @_;
    return !grep { $_->{from} < $to && $_->{to} > $from } @{$self->{gaps}};
}

# The priorities of TID in [from, to), as the tracer writes them.
sub prios_in {
    my ($self, $tid, $from, $to) = @_;
    my ($first, @in);
    for (@{$self->{prio}{$tid} // []}) {
        $first = $_->[1] if $_->[0] <= $from || !defined $first;
        push @in, $_->[1] if $_->[0] > $from && $_->[0] < $to;
    }
    for my $lent (grep { $_ < $to } @{$self->{lent}{$tid} // []}) {
        my ($next) = grep { $_->[0] > $lent } @{$self->{prio}{$tid} // []};
        push @in, $next->[1] if $next && $next->[0] >= $from;
    }
    return ($first, @in);
}

1;
