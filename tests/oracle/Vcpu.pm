# SPDX-License-Identifier: MIT
package Vcpu;

# States of the virtual CPUs of a host's trace, counted from the raw events; nothing here knows wakepath. It
# adds kvm_entry and kvm_exit to the facts that Oracle.pm and Cause.pm have of the thread that runs a virtual
# CPU.
#
# The rules, with the place in the kernel (arch/x86/kvm) that makes each one:
#
#  1 Thread.  vcpu_enter_guest() runs in the thread that called KVM_RUN, so an event
#    is of the thread that is on the CPU.  vcpu_id is not read: in this trace it is
#    part of a pointer (the probe was made for another kernel).
#  2 Inside.  vcpu_enter_guest() emits kvm_entry with interrupts off, in svm_vcpu_run()
#    or vmx_vcpu_run() or right before them.  From there on the CPU runs the guest, so
#    the next event of this CPU, whatever it is, shows that the guest was left.  It
#    need not be kvm_exit: up to 6.1 svm_handle_exit() emits that one, after
#    local_irq_enable() and preempt_enable(), so interrupts (and a switch) come first,
#    and so does kvm_eoi, of the fast path in svm_exit_handlers_fastpath().
#    The tracer's own events (lttng_*) show it too, but the program
#    need not read them: none comes first here.
#  3 Not inside, but on a CPU, in no interrupt context: the host works on the exit,
#    `handled`; its reason is that of the one kvm_exit between two stays inside, also
#    for the time before it.
#  4 Switched out or woken, and runnable: `preempted`.  Asleep: `halted` if the last
#    kvm_exit was HLT (kvm_vcpu_halt() sleeps in kvm_vcpu_block()), else `blocked`.

use strict;
use warnings;
use Cause;

our @ISA = ('Cause');

# kvm_exit: isa 1 is Intel (uapi/asm/vmx.h), 2 is AMD (uapi/asm/svm.h).
my %halts = map { $_ => 1 } '1 12', '1 36', '2 ' . 0x78, '2 ' . 0x8b, '2 ' . 0x8c;
my %names = ('2 ' . 0x60 => 'interrupt', '2 ' . 0x64 => 'vintr', '2 ' . 0x72 => 'cpuid', '2 ' . 0x78 => 'hlt',
    '2 ' . 0x7b => 'io', '2 ' . 0x7c => 'msr', '2 ' . 0x400 => 'npf',
    '1 1' => 'EXTERNAL_INTERRUPT', '1 12' => 'HLT', '1 28' => 'CR_ACCESS', '1 30' => 'IO_INSTRUCTION', '1 48' => 'EPT_VIOLATION');

sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    my $c = $self->_cpu($cpu);
    my $in = $name =~ /^lttng_/ ? undef : delete $c->{inside};
    push @{$in->{life}{inside}}, { from => $in->{from}, to => $t, cpu => $cpu } if $in;
    $self->SUPER::_event($t, $cpu, $name, $rest);
    $self->_occupied($t, $c);
    my ($what) = $name =~ /^kvm_(?:x86_)?(entry|exit)$/;
    my $life = $c->{current};
    return if !$what || !$life || !$life->{tid};
    $life->{vcpu_from} //= $t;
    if ($what eq 'entry') {
        $c->{inside} = { life => $life, from => $t };
    } else {
        my ($reason) = $rest =~ /exit_reason = (\d+)/;
        my ($isa) = $rest =~ /isa = (\d+)/;
        push @{$life->{exits}}, { time => $t, reason => "$isa $reason" };
    }
}

# The holder of the CPU from now on: the innermost context, else the thread.
sub _occupied {
    my ($self, $t, $c) = @_;
    my $top = $c->{stack}[-1];
    my $who = $top && !$self->_in_thread($c) ? join(' ', $top->{text}, $top->{timer} ? $top->{timer}{function} : ())
            : !$c->{current} ? '?' : "tid $c->{current}{tid}";
    my $all = $c->{occupied} //= [];
    push @$all, { from => $t, who => $who } if !@$all || $all->[-1]{who} ne $who;
}

sub _finish {
    my ($self) = @_;
    my @open = grep { $_->{inside} } values %{$self->{cpu}};
    push @{$_->{inside}{life}{inside}}, { from => $_->{inside}{from}, to => $self->{to}, cpu => -1 } for @open;
    $self->SUPER::_finish;
}

sub name_of { return $names{$_[0]} // $_[0] }

# The lives that ran a virtual CPU.
sub vcpus {
    my ($self) = @_;
    return grep { defined $_->{vcpu_from} } @{$self->{lives}};
}

# The states of the virtual CPU of LIFE, from its first event to its end: { from, to, what, detail, cpu, gap, reason, known }; gap:
# the number of its time between two stays inside; reason: of the kvm_exit in that; early: it ends before that event.
sub states_of {
    my ($self, $life) = @_;
    my @inside = grep { $_->{to} > $_->{from} } @{$life->{inside} // []};
    my @stays = @{$life->{inside} // []};
    my @exits = @{$life->{exits} // []};
    my @out;
    my ($next, $stay, $exit) = (0, 0, -1);
    for my $v (@{$life->{intervals}}) {
        my ($at, $to) = @$v{qw(from to)};
        $at = $life->{vcpu_from} if $at < $life->{vcpu_from};
        last if $v->{state} eq 'exited';
        while ($at < $to) {
            $next++ while $next < @inside && $inside[$next]{to} <= $at;
            my $in = $inside[$next];
            my $is = $in && $in->{from} <= $at;
            my $end = $is ? $in->{to} : $in ? $in->{from} : $to;
            $exit++ while $exit < $#exits && $exits[$exit + 1]{time} <= $at;
            $end = $to if $end > $to;
            $stay++ while $stay < @stays && $stays[$stay]{from} <= $at && $stays[$stay]{to} <= $at;
            push @out, { from => $at, to => $end, cpu => $v->{cpu}, gap => $stay,
                $is ? (what => 'inside', tell => $v->{state}) : _what($v, $exit >= 0 ? $exits[$exit] : undef) };
            $at = $end;
        }
    }
    _reasons(\@out, \@stays, \@exits);
    return \@out;
}

sub _what {
    my ($v, $exit) = @_;
    my $state = $v->{state};
    return (what => 'handled') if $state =~ /^(running|usermode|syscall)$/;
    return (what => 'interrupted', detail => $v->{detail}) if $state eq 'interrupted';
    return (what => 'preempted') if $state =~ /^(preempted|wait-cpu|new)$/;
    return (what => $exit && $halts{$exit->{reason}} ? 'halted' : 'blocked') if $state eq 'blocked';
    return (what => 'unknown');
}

# The reason of each time between two stays inside: that of its single kvm_exit.
sub _reasons {
    my ($out, $stays, $exits) = @_;
    my (%of, %at, %count);
    my $stay = 0;
    for my $exit (@$exits) {
        $stay++ while $stay < @$stays && $stays->[$stay]{to} <= $exit->{time};
        $of{$stay} = $exit->{reason};
        $at{$stay} = $exit->{time};
        $exit->{gap} = $stay;
        $count{$stay}++;
    }
    $_->{reason} = $of{$_->{gap}} for @$out;
    $_->{early} = defined $at{$_->{gap}} && $at{$_->{gap}} >= $_->{to} for @$out;
    $_->{exits} = $count{$_->{gap}} for @$out;
}

# The holders of the CPU while [from, to) was waited for on CPU: { from, to, who }.
sub occupants {
    my ($self, $cpu, $from, $to) = @_;
    my $all = $self->{cpu}{$cpu}{occupied} // [];
    my ($low, $high) = (0, scalar @$all);
    while ($low < $high) {
        my $middle = ($low + $high) >> 1;
        $all->[$middle]{from} <= $from ? ($low = $middle + 1) : ($high = $middle);
    }
    my @out;
    for (my $i = $low ? $low - 1 : 0; $i < @$all && $all->[$i]{from} < $to; $i++) {
        my $end = $i < $#$all ? $all->[$i + 1]{from} : $self->{to};
        my ($a, $b) = ($all->[$i]{from} < $from ? $from : $all->[$i]{from}, $end > $to ? $to : $end);
        push @out, { from => $a, to => $b, who => $all->[$i]{who} } if $a < $b;
    }
    return @out;
}

1;
