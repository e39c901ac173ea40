# SPDX-License-Identifier: MIT
package Latency::Return;

# From an interrupt to user mode: a hard interrupt, or a softirq that one raised, wakes a thread blocked in a system call, and the
# thread returns from the call. Begins with the interrupt's entry, ends with the call's exit.
#
#  1 try_to_wake_up() emits sched_waking in the waker's context.  Only wake-ups by the handlers themselves count: threads that
#    an interrupt started (irq/NN, kworkers, ksoftirqd outside of a handler) wake on their own.
#  2 Handlers nest where one calls generic_handle_irq() (GPIO and other chips), or inside a vector's: the outermost counts.
#  3 A softirq comes from the interrupt in which __raise_softirq_irqoff() set the vector's bit first, as in the kind
#    softirq-raise.  Raised by a thread, by a softirq, or unrecorded: no interrupt is known.
#  4 hrtimers expire in the vector local_timer, or in the softirq HRTIMER.  An expiry that seems to be in a thread or in another
#    softirq is in an unrecorded vector: unknown.
#  5 Without sched_waking there is only sched_wakeup, which ttwu_queue_wakelist() leaves to an IPI of the woken thread's CPU
#    (sched_ttwu_pending()): that IPI is the way there, and the waker is unknown.
#  6 Blocked again before its exit, or dead: this interrupt did not bring it back.
#  7 A thread whose call was entered before lost events may be in another one.

use strict;
use warnings;

my $HRTIMER = 8;
my %carries = map { ("vector $_" => 1) } qw(reschedule call_function call_function_single);

# The contexts open inside the innermost softirq, if one is open, and that softirq.
sub _inside {
    my ($stack) = @_;
    my ($at) = grep { $stack->[$_]{type} eq 'softirq' } reverse 0 .. $#$stack;
    return defined $at ? ($stack->[$at], @$stack[$at + 1 .. $#$stack]) : (undef, @$stack);
}

# The hard interrupt of the current context, or undef.
sub hard {
    my (undef, @inside) = _inside($_[0]);
    my ($outermost) = grep { $_->{type} ne 'hrtimer' } @inside;
    return $outermost;
}

# The interrupt that this one comes from.
sub _interrupt {
    my ($stack) = @_;
    my ($soft, @inside) = _inside($stack);
    return hard($stack) // ($soft && (!@inside || $soft->{nr} == $HRTIMER) ? $soft->{raised_in} : undef);
}

# The interrupt that ended a thread's wait by this wake-up, as _wake() of Oracle.pm has it.
sub of_wakeup {
    my ($wakeup) = @_;
    my $by = _interrupt($wakeup->{context});
    return undef if $wakeup->{event} eq 'sched_wakeup' && $by && grep { $carries{$_->{id}} } $wakeup->{context}[-1];
    return $by;
}

sub key {
    my ($by) = @_;
    return $by->{id} =~ /^irq/ ? "$by->{nr} " . ($by->{name} // '') : $by->{name};
}

1;
