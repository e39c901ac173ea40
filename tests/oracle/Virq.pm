# SPDX-License-Identifier: MIT
package Virq;

# Interrupts that a host posts into its guests, read from the raw events alone; nothing here knows wakepath.
#
# kvm_apic_accept_irq is the first line of __apic_accept_irq() (arch/x86/kvm/lapic.c): a thread or context posts
# vector VEC to APIC number APICID of its machine. kvm_inj_virq comes in the thread of the virtual CPU, with
# interrupts off, on the way to kvm_entry. It repeats if that entry was aborted (kvm_vcpu_exit_request()), or if the
# guest exited before it had taken the interrupt. All posts until then share one bit of the IRR, and that one
# injection. This machine has one virtual CPU, so the target is clear.

use strict;
use warnings;

# { events => [[time, cpu, name, fields], ...], posts => [{ time, vector, cpu, tid (undef: an interrupt), by, entry, wakes }, ...] }
# of the machine whose virtual CPU thread TID runs. ENTRY: the entry that injected it; WAKES: TID is woken right after.
sub load {
    my ($class, $trace, $tid) = @_;
    my $self = bless { events => events($trace), posts => [], tid => $tid }, $class;
    my (%current, %depth, %before, %pending, %injected);
    for my $e (@{$self->{events}}) {
        my ($t, $cpu, $name, $f) = @$e;
        if ($name eq 'sched_switch') {
            ($current{$cpu}) = $f =~ /next_tid = (\d+)/;
            $depth{$cpu} = 0;
        } elsif ($name =~ /^(?:irq_handler|irq_softirq|timer_hrtimer_expire|x86_irq_vectors_.*)_(entry|exit)$/) {
            $depth{$cpu} += $1 eq 'entry' ? 1 : ($depth{$cpu} ? -1 : 0);
        } elsif ($name eq 'kvm_x86_apic_accept_irq') {
            my ($vector) = $f =~ /vec = (\d+)/;
            my $msi = $before{$cpu} && $before{$cpu}[2] eq 'kvm_msi_set_irq' && $before{$cpu}[3] =~ /data = (\d+)/ && ($1 & 255) == $vector;
            my $post = { time => $t, vector => $vector, cpu => $cpu, tid => $depth{$cpu} ? undef : $current{$cpu}, by => $msi ? 'msi' : undef };
            push @{$self->{posts}}, $post;
            push @{$pending{$vector}}, $post;
        } elsif ($name eq 'kvm_x86_inj_virq') {
            my ($vector) = $f =~ /irq = (\d+)/;
            push @{$injected{$vector}}, @{delete $pending{$vector} // []};
        } elsif ($name eq 'kvm_x86_entry') {
            $_->{entry} = $t for map { @$_ } values %injected;
            %injected = ();
        }
        $self->{posts}[-1]{wakes} = 1
            if $name eq 'sched_waking' && $before{$cpu} && $before{$cpu}[2] eq 'kvm_x86_apic_accept_irq' && $f =~ /tid = (\d+)/ && $1 == $self->{tid};
        $before{$cpu} = $e;
    }
    return $self;
}

sub events {
    my ($trace) = @_;
    my @events;
    open my $in, '-|', 'babeltrace2', '--clock-seconds', '--no-delta', $trace or die "babeltrace2: $!";
    while (<$in>) {
        /^\[(\d+)\.(\d{9})\] \S+ ([^:]+): \{ cpu_id = (\d+) \}, \{ (.*) \}/ or next;
        push @events, ["$1$2" + 0, $4, $3, $5];
    }
    close $in or die "babeltrace2 $trace";
    return \@events;
}

1;
