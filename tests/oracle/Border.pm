# SPDX-License-Identifier: MIT
package Border;

# How the interrupts of a guest's devices cross the border between host and guest. For each irq_handler_entry of the guest: which thread or context of the
# host posted it, the state of the virtual CPU then, the entry with which it was injected, and, for a disk, the request it completes and the exit by which
# the guest had notified its device of that request. From the raw events of both; nothing here knows wakepath.
#
# The rules, with the place in the kernel (arch/x86/kvm):
#  1 Line → vector. The handler runs while its virtual CPU is inside; the guest's clock says in which stay. inject_pending_event() emits kvm_inj_virq before
#    kvm_entry. The vector that most handlers of one line had in their stay is the line's.
#  2 Handler → injection: the last one of that vector. Not always that of its stay: handle_edge_irq() acknowledges first, which is an exit (kvm_eoi) where
#    no fast path answers it, and irq_handler_entry comes in the next stay.
#  3 Posting. __apic_accept_irq() emits kvm_apic_accept_irq, in the context of the poster. The posting is the first one of this vector since its last injection:
#    later ones found its bit in the IRR already set. kvm_msi_set_irq, right before it on that CPU, names the message, and kvm_set_irq the line.
#  4 Kick. virtio notifies by a write to its device: kvm_mmio or kvm_pio of the virtual CPU's thread, after block_rq_issue (virtio_queue_rq() → vp_notify()),
#    or the exit npf/msr that such a write makes; the first device write after the issue.

use strict;
use warnings;
use Guests;

# The events of TRACE whose names PATTERN matches: { time, cpu, name, rest }.
sub events {
    my ($path, $pattern) = @_;
    my ($fh) = Oracle::_babeltrace($path);
    my @out;
    while (my $line = <$fh>) {
        my ($s, $ns, $name, $cpu, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] (?:\S+ )?([\w:]+): \{ cpu_id = (\d+) \}, (.*)/ or next;
        push @out, { time => "$s$ns" + 0, name => $name, cpu => $cpu, rest => $rest } if $name =~ $pattern;
    }
    return @out;
}

sub _before { my ($list, $t) = @_; my ($low, $high) = (0, scalar @$list); while ($low < $high) { my $m = ($low + $high) >> 1; $list->[$m]{time} <= $t ? ($low = $m + 1) : ($high = $m) } return $low - 1 }

# HOST and GUEST are paths; G an object of Guests whose CPU 0 alone is TID of the host. Rows: { irq, name, entry (the guest's), told, vector, posted, post_cpu, by: tid
# or undef of an interrupt, how, vcpu: what it did then, injected, taken, issued, kick, gpa }, posted undef where the host's trace has none.
sub table {
    my ($host, $guest, $g, $tid) = @_;
    my $o = $g->{host};
    my ($life) = grep { $_->{tid} == $tid } $o->vcpus;
    my @states = @{$g->{states}{0}};
    my @stays = map { { time => $_->{from}, to => $_->{to}, cpu => $_->{cpu} } } @{$life->{inside}};
    my @kvm = events($host, qr/^kvm_(?!userspace)/);
    my (@injected, @accepted, @writes, %last);
    for my $e (@kvm) {
        my $what = $e->{name} =~ s/^kvm_(?:x86_)?//r;
        if ($what eq 'inj_virq') { push @injected, { time => $e->{time}, vector => $e->{rest} =~ /irq = (\d+)/ ? $1 : undef } }
        if ($what eq 'apic_accept_irq') {
            my ($vector) = $e->{rest} =~ /vec = (\d+)/;
            my $before = $last{$e->{cpu}};
            push @accepted, { %$e, vector => $vector, how => !$before ? undef : $before->{name} =~ /msi/ && $before->{rest} =~ /data = (\d+)/ && ($1 & 255) == $vector ? 'msi' : $before->{name} =~ /kvm_set_irq/ ? 'line' : undef };
        }
        push @writes, { %$e, gpa => $e->{rest} =~ /(?:gpa|port) = (\w+)/ ? $1 : undef } if $what eq 'pio' && $e->{rest} =~ /\brw = 1/ || $what eq 'mmio' && $e->{rest} =~ /type = 2/;
        $last{$e->{cpu}} = $e;
    }
    # The interrupts that are open, by CPU.
    my @rows;
    my @guest = events($guest, qr/^(?:irq_handler_entry|irq_handler_exit|block_rq_issue|block_rq_complete)$/);
    my %issued;
    for my $e (@guest) {
        my $key = $e->{rest} =~ /dev = (\d+), sector = (\d+)/ ? "$1 $2" : '';
        if ($e->{name} eq 'block_rq_issue') { $issued{$key} = $e->{time} }
        if ($e->{name} eq 'block_rq_complete' && @rows && $rows[-1]{open}) { push @{$rows[-1]{issued}}, $issued{$key} if defined $issued{$key} }
        $rows[-1]{open} = 0 if $e->{name} eq 'irq_handler_exit' && @rows;
        next if $e->{name} ne 'irq_handler_entry';
        my ($irq, $name) = $e->{rest} =~ /irq = (\d+), name = "(.*)"/;
        my $told = $g->told($e->{time});
        push @rows, { irq => $irq, name => $name, entry => $e->{time}, told => $told, open => 1 };
        next if $told < $life->{vcpu_from};
        my $at = _before(\@stays, $told);
        my $stay = $stays[$at];
        my $i = _before(\@injected, $stay->{time});
        my $from = $at ? $stays[$at - 1]{to} : $life->{vcpu_from};
        @{$rows[-1]}{qw(stay injection)} = ($stay, $injected[$i]{time} >= $from ? $i : undef) if $i >= 0;
    }
    my %votes;
    $votes{$_->{irq}}{$injected[$_->{injection}]{vector}}++ for grep { defined $_->{injection} } @rows;
    for my $row (@rows) {
        next if !$row->{stay};
        my $votes = $votes{$row->{irq}} or next;
        ($row->{vector}) = sort { $votes->{$b} <=> $votes->{$a} || $a <=> $b } keys %$votes;
        my ($in) = grep { $_->{vector} == $row->{vector} && $_->{time} < $row->{told} } reverse @injected;
        next if !$in;
        # The first one posted since the injection that an earlier handler completed (EOI).
        my ($eoi) = map { $_->{time} } grep { $_->{name} =~ /eoi/ && $_->{time} < $in->{time} && $_->{rest} =~ /vector = $row->{vector}\b/ } reverse @kvm;
        my ($before) = map { $_->{time} } grep { $_->{vector} == $row->{vector} && $_->{time} < ($eoi // $in->{time}) } reverse @injected;
        my ($post) = grep { $_->{vector} == $row->{vector} && $_->{time} < $in->{time} && (!defined $before || $_->{time} > $before) } @accepted;
        next if !$post;
        my ($who) = map { $_->{who} } $o->occupants($post->{cpu}, $post->{time}, $post->{time} + 1);
        my ($state) = grep { $_->{from} <= $post->{time} && $_->{to} > $post->{time} } @states;
        my ($taken) = grep { $_->{time} > $in->{time} } @stays;
        @$row{qw(injected posted post_cpu how by vcpu taken)} = ($in->{time}, $post->{time}, $post->{cpu}, $post->{how}, $who =~ /^tid (\d+)/ ? $1 : undef, $state ? $state->{what} : undef, $taken->{time});
    }
    for my $row (grep { $_->{issued} && $_->{posted} } @rows) {
        my ($first) = map { $g->told($_) } sort { $a <=> $b } @{$row->{issued}};
        my ($kick) = grep { $_->{time} > $first && $_->{time} < $row->{posted} } @writes;
        @$row{qw(issued_at kick gpa)} = ($first, $kick ? @$kick{qw(time gpa)} : ());
    }
    return @rows;
}

1;
