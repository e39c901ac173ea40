# SPDX-License-Identifier: MIT
package Latency::Return;

# From an interrupt to user mode: a thread that is blocked in a system call is woken by a hard interrupt, or by a softirq that one
# raised, and returns from the call.  Begins with the interrupt's entry, ends with the call's exit.
#
#  1 try_to_wake_up() emits sched_waking in the waker's context.  What counts is what the handlers themselves wake: threads that
#    an interrupt set off (irq/NN, kworkers, ksoftirqd outside of a handler) wake on their own.
#  2 Handlers nest where one calls generic_handle_irq() (GPIO and other chips), or inside a vector's: the outermost began it.
#  3 A softirq was brought by the interrupt in which __raise_softirq_irqoff() set the vector's bit first, as in the kind
#    softirq-raise.  Raised by a thread, by a softirq, or unseen: by no interrupt that is known.
#  4 hrtimers expire in the vector local_timer, or in the softirq HRTIMER.  An expiry that seems to be in a thread or in another
#    softirq is in a vector that was not recorded: not known.
#  5 Without sched_waking there is but sched_wakeup, which ttwu_queue_wakelist() leaves to an IPI of the woken thread's CPU
#    (sched_ttwu_pending()): that one is the way there, and who woke is not known.
#  6 Blocked again before its exit, or dead: it was not this interrupt that brought it back.
#  7 Whose call was entered before events were lost may be in another one.

use strict;
use warnings;

my $HRTIMER = 8;
my %carries = map { ("vector $_" => 1) } qw(reschedule call_function call_function_single);

# What is open inside the innermost softirq, if one is open, and that.
sub _inside {
    my ($stack) = @_;
    my ($at) = grep { $stack->[$_]{type} eq 'softirq' } reverse 0 .. $#$stack;
    return defined $at ? ($stack->[$at], @$stack[$at + 1 .. $#$stack]) : (undef, @$stack);
}

# The hard interrupt in which this is done, or undef.
sub hard {
    my (undef, @inside) = _inside($_[0]);
    my ($outermost) = grep { $_->{type} ne 'hrtimer' } @inside;
    return $outermost;
}

# The one that it comes from.
sub _interrupt {
    my ($stack) = @_;
    my ($soft, @inside) = _inside($stack);
    return hard($stack) // ($soft && (!@inside || $soft->{nr} == $HRTIMER) ? $soft->{raised_in} : undef);
}

# The one that ended a thread's wait by this wake-up, as _wake() of Oracle.pm has it.
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
