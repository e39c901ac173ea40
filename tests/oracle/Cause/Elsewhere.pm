# SPDX-License-Identifier: MIT
package Cause;

# A part of Cause.pm: wake-ups without sched_waking, of which only the end is recorded, on the woken thread's
# CPU (proofs.md R12).

use strict;
use warnings;

# Each of these looks at one CPU: its innermost context, or its running thread.
sub _without_waking {
    my ($self, $t, $cpu, $c, $life, $record) = @_;
    my $cause = $record->{cause};
    $life->{awaits} = $record if $self->_awaits_work($c, $life);
    return if $self->_by_handler($c, $life, $record);
    if (($life->{name} // '') =~ m{^irq_work/(\d+)$} && $1 == $cpu && !(($life->{how} // 0) & ~1)) {
        # By its own CPU, in a hard interrupt (proofs.md R12.6).
        @$cause{qw(kind grade thread)} = ('unknown', 'unknown', undef) if !@{$c->{stack}};
        return;
    }
    $cause->{grade} = 'inferred' if $cause->{kind} eq 'thread';
    my $moved = delete $life->{moved};
    $moved = undef if $moved && defined $record->{blocked_at} && $moved->{time} < $record->{blocked_at};
    # A sleeper may also be moved to balance run queues (proofs.md R12.3).
    $moved = undef if $moved && $t - $moved->{time} > 500_000;
    return $self->_elsewhere($life, $record, $moved) if $moved && $moved->{cpu} != $cpu;
    my @others = grep { $_ != $cpu } keys %{$self->{cpu}};
    # A softirq runs with interrupts on: an unrecorded IPI may bring the wake-up there, but not right after an item was queued.
    if (@{$c->{stack}} && $c->{stack}[-1]{type} eq 'softirq' && $record->{target} == $cpu && @others && !$self->_sees_ipis && $cause->{kind} ne 'workqueue') {
        $cause->{grade} = 'inferred' if $cause->{grade} eq 'proved';
        $_->{grade} = 'inferred' for @{$cause->{chain}};
    }
    return if @{$c->{stack}} || !$c->{current} || $c->{current}{tid} || $record->{target} != $cpu;
    return if $cause->{kind} ne 'unknown';
    my @busy = grep { $_->{busy} } map { $self->_occupant($_) } @others;
    return $self->_elsewhere($life, $record, $busy[0]) if @busy == 1;
    # The waker may have left while the IPI was on its way, but not before the wait (proofs.md R12.2).
    return if @busy || @others != 1;
    my $left = $self->{cpu}{$others[0]}{left};
    $self->_elsewhere($life, $record, $left) if $left && defined $record->{blocked_at} && $left->{time} >= $record->{blocked_at};
}

# The IRQ thread of a line, by the handler that requested it while it slept (proofs.md R12.6).
sub _by_handler {
    my ($self, $c, $life, $record) = @_;
    my ($nr) = ($life->{name} // '') =~ m{^irq/(\d+)-(?!s-)} or return 0;
    my $irq = $self->{asked}{$nr};
    return 0 if !$irq || !defined $record->{blocked_at} || $irq->{exit} < $record->{blocked_at} || (($life->{how} // 0) & ~1);
    my $cause = $record->{cause};
    return 1 if $cause->{outside} && $cause->{kind} eq 'irq';
    $cause->{chain} = [ map { { %$_, grade => 'inferred' } } @{$irq->{chain}} ];
    @$cause{qw(kind grade device thread outside)} = ('irq', 'inferred', $irq->{name}, undef, 1);
    delete @$cause{qw(request packet work batch several)};
    my $from = $irq->{chain}[-1]{cpu};
    $record->{remote} //= { cpu => $record->{cpu}, time => $record->{time} } if $from != $record->{cpu};
    return 1;
}

sub _sees_ipis { return grep { /irq_vectors_(call_function|reschedule|irq_work)|^ipi_entry/ } keys %{$_[0]{seen}} }

# True if the next item that a worker executes may be the one it was woken for. False if the event before has the item; if the worker waited for something
# else, in the middle of an item or as the manager of its pool for kthreadd (create_worker()), neither of which is TASK_IDLE; or if another worker woke it
# for the remaining items (process_one_work(), wq_worker_sleeping()).
sub _awaits_work {
    my ($self, $c, $life) = @_;
    return 0 if !$self->_is_worker($life) || ($c->{before} // '') =~ /^workqueue_(queue|activate)_work$/;
    return 0 if $life->{work} || ($life->{blocked_state} // 0) & 2;
    return 0 if !@{$c->{stack}} && $c->{current} && $self->_is_worker($c->{current});
    return 1;
}

# A worker executes item W: if W was queued while the worker slept, it was woken for W, on whatever CPU it was
# queued.
sub _was_for {
    my ($self, $life, $w, $function) = @_;
    my $record = delete $life->{awaits} or return;
    return if !defined $w->{queued_at} || $w->{queued_at} > $record->{ended} || $w->{queued_at} < ($record->{blocked_at} // $self->{from});
    my $cause = $record->{cause};
    @$cause{qw(kind grade thread)} = ('workqueue', 'inferred', $w->{queued_by});
    $cause->{work} = { function => $function, queued_at => $w->{queued_at}, queued_by => $w->{queued_by} };
    $cause->{chain} = [ map { { %$_, grade => 'inferred' } } @{$w->{chain}} ];
    delete @$cause{qw(request packet batch several device)};
    $record->{remote} //= { cpu => $record->{cpu}, time => $record->{time} } if $w->{cpu} != $record->{cpu};
}

sub _occupant {
    my ($self, $cpu) = @_;
    my $c = $self->{cpu}{$cpu};
    return {
        cpu => $cpu, frame => $self->_frame($c), thread => $c->{current}, queued => $c->{last_queued},
        busy => @{$c->{stack}} || !$c->{current} || $c->{current}{tid},
        work => $c->{current} && $c->{current}{work} ? { %{$c->{current}{work}} } : undef,
    };
}

# The wake-up came from the work of another CPU.
sub _elsewhere {
    my ($self, $life, $record, $there) = @_;
    my ($cause, $frame) = ($record->{cause}, $there->{frame});
    my $queued = $there->{queued};
    $cause->{moved_from} = $record->{cpu};
    $cause->{waker_cpu} = $there->{cpu};
    $record->{remote} = { cpu => $record->{cpu}, time => $record->{time} };
    if ($self->_is_worker($life) && $queued && $queued->{time} >= ($record->{blocked_at} // 0)) {
        @$cause{qw(kind grade)} = ('workqueue', 'inferred');
        $cause->{work} = { map { $_ => $queued->{$_} } qw(function queued_by queued_at) };
        $cause->{thread} = $queued->{queued_by};
        $cause->{chain} = [ map { { %$_, grade => 'inferred' } } @{$queued->{chain}} ];
        return;
    }
    if ($frame->{type} ne 'thread') {
        $cause->{chain} = [ map { { %$_, grade => 'inferred' } } @{$frame->{chain}} ];
        $self->_by_context($frame, $cause);
        $cause->{grade} = 'inferred';
    } elsif ($there->{thread} && $there->{thread}{tid}) {
        $cause->{chain} = [];
        @$cause{qw(kind grade thread)} = ('thread', 'inferred', $there->{thread});
        $cause->{work} = $there->{work} if $there->{work};
    }
}

1;
