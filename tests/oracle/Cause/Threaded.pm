# SPDX-License-Identifier: MIT
package Cause;

# A part of Cause.pm: interrupts handled by threads (kernel option threadirqs, PREEMPT_RT), and wake-ups of
# those threads (proofs.md R10, R15 to R19).

use strict;
use warnings;

my @vectors = qw(HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU);
my $of_timers = qr/^[18]$/;

# A context is over. Until another event than a wake-up's, everything after the exit of a hard interrupt's
# handler still belongs to its way out, with interrupts off.
sub _over {
    my ($self, $c, $frame, $rest) = @_;
    $c->{way_out} = undef;
    $self->_next_call($c) if $frame->{type} eq 'softirq';
    return if $frame->{type} !~ /^(irq|ipi)$/;
    $c->{way_out} = $frame;
    ($frame->{ret}) = $rest =~ /\bret = (\d+)/;
    return if !(($frame->{ret} // 0) & 2);
    $self->{asked}{$frame->{nr}} = $frame;
    push @{$_->{serves}}, $frame for values %{$self->{irq_threads}{$frame->{nr}} // {}};
}

# irq_thread() calls the handler again if its flag was set meanwhile (proofs.md R15.2): each call, which ends
# with its softirqs, has taken the flag of at least one interrupt.
sub _next_call {
    my ($self, $c) = @_;
    my $thread = $c->{current};
    return if @{$c->{stack}} || !$thread || !delete $thread->{raised_one};
    shift @{$thread->{serves}} if @{$thread->{serves}} > 1;
}

# The hard interrupt's handler that woke LIFE, its IRQ thread, right at its return (proofs.md R15.1).
sub _threads_handler {
    my ($self, $c, $life) = @_;
    my $irq = $c->{way_out} or return;
    my ($nr) = ($life->{name} // '') =~ m{^irq/(\d+)-} or return;
    return if $irq->{id} ne "irq $nr" || !(($irq->{ret} // 0) & 2);
    $self->{irq_threads}{$nr}{$life->{tid}} = $life;
    $life->{serves} = [ $irq ];
    $life->{called} = [ $irq ];
    return $irq;
}

# A preempted thread goes on where it was.
sub _stretches {
    my ($self, $c, $t, $leaves) = @_;
    $leaves->{stretch} = $leaves->{state}{state} eq 'preempted' ? $c->{stretch} : undef if $leaves;
    $c->{stretch} = $c->{current} && $c->{current}{stretch};    # (asking for no thread would create one)
}

# The chain of a thread on a CPU outside of contexts.
sub _base {
    my ($self, $cpu, $life) = @_;
    return [] if !$life;
    # RCU callbacks and irq_work have their own threads on PREEMPT_RT (proofs.md R16.1).
    return [ (map { { %$_ } } @{$life->{began}}), { type => 'thread', cpu => $cpu, thread => $life, grade => 'proved' } ] if $life->{began} && @{$life->{began}};
    return [] if !$life->{serves} || !@{$life->{serves}};
    my @all = @{$life->{serves}};
    return [ { %{_entry($all[-1], @all == 1 ? 'proved' : 'inferred')}, called => $life->{called} },
        { type => 'thread', cpu => $cpu, thread => $life, grade => 'proved' } ];
}

# All unanswered raises of these VECTORS, in order of time.
sub _pending {
    my ($c, $vectors) = @_;
    my %left = map { $_ => [ @{$c->{raised}{$_} // []}, @{$c->{spare}{$_} // []} ] }
        grep { $_ =~ $vectors } 0 .. $#vectors;
    return sort { $a->{time} <=> $b->{time} } map { my $vec = $_; map { { %$_, vec => $vec } } @{$left{$vec}} } keys %left;
}

# The softirqs that LIFE runs, if it waits for some (proofs.md R10.1).
sub _softirqs_of {
    my ($self, $life, $cpu) = @_;
    return if defined $life->{blocked_state} && $life->{blocked_state} != 1;
    my $name = $life->{name} // '';
    return $self->{ktimers} ? qr/^[^18]$/ : qr/./ if $name eq "ksoftirqd/$cpu";
    if ($name =~ m{^(ktimers|ktimersd|timersd)/$cpu$}) {
        $self->{ktimers} = 1;
        return $of_timers;
    }
    return;
}

sub _by_pending {
    my ($self, $c, $life, $cpu, $cause) = @_;
    my $vectors = $self->_softirqs_of($life, $cpu) or return 0;
    # Parked while its CPU is off-line (proofs.md R10.4).
    return 0 if !@{$c->{stack}} && !$c->{way_out} && $c->{current} && ($c->{current}{name} // '') =~ m{^cpuhp/} && ($c->{before} // '') !~ /softirq_raise$/;
    my @pending = _pending($c, $vectors) or return 0;
    my @sure = _left_for_sure($c, @pending);
    my $first = $sure[0] // $pending[0];
    @$cause{qw(kind grade)} = ('softirq', @sure ? 'proved' : 'inferred');
    my %once;
    $cause->{vectors} = [ grep { !$once{$_}++ } map { $vectors[$_->{vec}] } @pending ];
    $cause->{pending} = [ map { $_->{chain} } @pending ];
    $cause->{origins} = [ map { $_->{chain} } @sure ? @sure : @pending ];
    $cause->{chain} = [ map { { %$_ } } @{$first->{chain}} ];
    # (An unrecorded interrupt may have raised it there.)
    $_->{raised_softly} = 1 for grep { $first->{soft} } @{$cause->{chain}};
    if (!@sure) {
        $cause->{any_origin} = 1;
        $_->{grade} = 'inferred' for @{$cause->{chain}};
    }
    return 1;
}

# Of the PENDING raises, those that no round can have taken (proofs.md R10.2). handle_softirqs() takes all bits at once, then traces the first
# handler's entry. A raise after that, or one without an entry since, is still pending when the round ends, and so is a raise inside the
# interrupt that ended just before, or by the event just before. If the raises of a round have more than one origin, the last may have come
# after the bits were taken: then a second raise may be the one that was answered.
sub _left_for_sure {
    my ($c, @pending) = @_;
    my $before = $c->{before} // '';
    if (my $irq = $c->{way_out}) {
        return grep { grep { $_->{frame} && $_->{frame} == $irq } @{$_->{chain}} } @pending;
    }
    return grep { $_->{time} == $c->{raised_at} } @pending if $before =~ /softirq_raise$/;
    return if $before !~ /softirq_exit$/ || !$c->{ended} || $c->{ended}{type} ne 'softirq';
    my $round = $c->{round} or return;
    my @sure = grep {
        my ($at, $vec) = ($_->{time}, $_->{vec});
        $at >= $c->{ended}{entry} || $at >= ($c->{entered}{$vec} // 0) || $at >= $round->{start} && !$round->{mixed}
    } @pending;
    return @sure ? @sure : _raised_in_gap($c, $round, @pending);
}

# The raise between the taking of the bits and the first entry, if only one is possible (proofs.md R2.3, R10.2): by another interrupt than the
# first raise of this softirq, which is in the round.
sub _raised_in_gap {
    my ($c, $round, @pending) = @_;
    my @may = grep {
        my ($first, @more) = ($c->{answered}{$_}, @{$c->{spare}{$_} // []});
        my ($from, $by) = map { $_ && @{$_->{chain}} ? $_->{chain}[-1] : undef } $first, @more ? $more[-1] : undef;
        $by && $by->{type} !~ /^(?:thread|softirq)$/ && ($c->{entered}{$_} // 0) >= $round->{start}
            && !($from && n($from->{entry}) eq n($by->{entry}) && $from->{type} eq $by->{type});
    } keys %{$c->{spare}};
    return if @may != 1 || @{$c->{spare}{$may[0]}} != 1 || !$round->{second};
    return grep { $_->{vec} == $may[0] && $_->{time} == $c->{spare}{$may[0]}[0]{time} } @pending;
}

# An unrecorded interrupt may occur in any context except another hard interrupt's, and raise there (proofs.md
# R11.1). LTTng records handlers and vectors of interrupts one by one.
sub _is_soft {
    my ($c) = @_;
    return !grep { $_->{type} =~ /^(irq|ipi)$/ || $_->{type} eq 'hrtimer' && !$_->{in_softirq} } @{$c->{stack}};
}

sub _soft_raises {
    my ($self) = @_;
    # With a single CPU no other one sends IPIs, and its own (irq_work) are declared (proofs.md R11.3).
    my $alone = keys %{$self->{cpu}} == 1 && ($self->{metadata} // '') =~ /irq_vectors_irq_work_entry|\bipi_entry/;
    return if $self->_sees_all_interrupts && ($alone || $self->{seen}{x86_irq_vectors_call_function_single_entry});
    for my $cause (map { $_->[1]{cause} } $self->all) {
        $_->{grade} = 'inferred' for grep { $_->{raised_softly} } @{$cause->{chain}};
    }
}

# The owner of a sleeping lock gives back the priority that the waiter lent it, then wakes the waiter
# (proofs.md R18.1).
sub _hands_lock_over {
    my ($c) = @_;
    return ($c->{before} // '') eq 'sched_pi_setprio' && $c->{lent} && $c->{current} && $c->{current}{tid} && $c->{lent} == $c->{current}{tid};
}

# PREEMPT_RT: a sleep in state 2, or in an unknown state, may have been for a lock that was handed over without an event
# (proofs.md R19).
# Softirqs that may complete anything (tasklets) do not rule that out.
# A thread is woken: from rest, in the middle of its work, or while it runs and spins for a lock.
sub _wakes_up {
    my ($self, $life) = @_;
    my $state = $life->{state}{state};
    $life->{rested} = ($life->{state}{detail} // 0) == 1 if $state eq 'blocked';
    $life->{contended} = 1 if $state !~ /^(?:blocked|wait-cpu|new)$/;
}

# The thread runs, after FROM.
sub _goes_on {
    my ($self, $t, $life, $from) = @_;
    return if $from eq 'preempted';
    $life->{contended} = !($from eq 'wait-cpu' && $life->{rested});
    $life->{active} = $t if !$life->{contended};
}

# True if thread W, which works for interrupts, was at rest when LIFE fell asleep, and has not waited for a lock since (proofs.md
# R19.3).
sub _had_no_lock {
    my ($self, $w, $life) = @_;
    my $kind = ($w->{name} // '') =~ m{^(irq/\d+-|(?:ksoftirqd|ktimers|ktimersoftd|rcuc|irq_work|napi|backlog_napi)/)} ? $1 : return 0;
    return 0 if ($life->{name} // '') =~ m{^(?:irq|ksoftirqd|ktimers|ktimersoftd|rcuc|irq_work|napi|backlog_napi)/};
    return 0 if $kind =~ /^irq/ && !@{$w->{serves} // []};
    my $slept = ($life->{pending} // {})->{blocked_at};
    return 0 if !defined $slept || !defined $w->{active} || $slept >= $w->{active} || $w->{contended};
    return !grep { $_->{to} >= $slept } @{$self->{gaps}};
}

sub _or_lock {
    my ($self, $c, $frame, $life, $cause) = @_;
    my $how = $life->{how};
    my $soft = $self->_in_thread($c);
    return if !$self->{rt} || defined $how && !($how & 2) || !($soft || $frame->{type} eq 'thread' && $frame->{request});
    return if $frame->{request} && $self->_had_no_lock($c->{current}, $life);
    my $helps = ($life->{name} // '') =~ m{^(irq|ksoftirqd|ktimers|ktimersoftd|rcuc|irq_work|napi|backlog_napi)/} ? $1 : '';
    my $timer = $frame->{timer} && $frame->{timer}{armed_by} && $frame->{timer}{armed_by} == $life;
    my $any = $soft && $frame->{type} eq 'softirq' && $frame->{nr} =~ /^[04569]$/;
    if (defined $how && ($helps && $helps ne 'irq' || !(!$helps && $frame->{request} || $timer || $any && !$frame->{request}))) {
        delete @$cause{qw(request packet timer work device batch)};
        @$cause{qw(kind grade thread outside chain)} = ('thread', $helps && $helps ne 'irq' ? 'proved' : 'inferred', $c->{current}, 1, []);
        return;
    }
    $_->{grade} = 'inferred' for $cause, @{$cause->{chain}};
}

1;
