# SPDX-License-Identifier: MIT
package Guests;

# States of a guest's threads and CPUs by the clock of the first host, with the recording of their host beside it: a thread that has a
# CPU of the guest does not run while that CPU's virtual CPU is not inside. Nothing here knows wakepath; the caller passes the clock.
#
# The rules:
#  1 Only states that the guest's scheduler takes for running are cut: usermode, syscall, running, interrupted; of a CPU not its idle thread.
#  2 The virtual CPU is preempted: vcpu-preempted; the host's work on the exit, its interrupts, and sleep of its thread: vcpu-exit.
#  3 The taker of vcpu-preempted time had, meanwhile, the CPU of the host that the thread of the virtual CPU waits for; if it is the
#    thread of a virtual CPU whose guest was recorded, the taker is also the thread that had that guest's CPU.
#  4 In a guest of a guest: rule 2 by the virtual CPU of the inner one, as the outer guest's kernel saw it; while its thread had a CPU of the
#    outer guest, by that one's virtual CPU.

use strict;
use warnings;
use Vcpu;
use Inside;
use Verdict;

my %cut = (preempted => 'vcpu-preempted', map { ($_ => 'vcpu-exit') } qw(handled interrupted halted blocked));
my %on_cpu = map { $_ => 1 } qw(running usermode syscall interrupted);

# HOST, an object of Vcpu, runs GUEST, an object of Oracle: its CPU N is the thread OF->{N}. CLOCK, from `sync`, converts the guest's
# time. The host's own clock: OUTER, an object of this class, if the host is a guest itself, else BASE, a line of Inside, or undef.
sub new {
    my ($class, %is) = @_;
    my $self = bless { %is }, $class;
    my $guest = $self->{guest};
    $self->{line} = $is{clock} && Inside::line({ at => $guest->{from} + (($guest->{to} - $guest->{from}) >> 1) }, @{$is{clock}}{qw(slope offset_ns)});
    for my $cpu (keys %{$is{of} // {}}) {
        my ($life) = grep { $_->{tid} == $is{of}{$cpu} } $is{host}->vcpus;
        my @states = map { { %$_, from => $self->_host_time($_->{from}), to => $self->_host_time($_->{to}) } } @{$is{host}->states_of($life)};
        $self->{states}{$cpu} = $is{outer} ? $is{outer}->_twice(\@states) : \@states;
    }
    return $self;
}

sub _host_time {
    my ($self, $t) = @_;
    return $self->{outer} ? $self->{outer}->told($t) : $self->{base} ? Inside::told($self->{base}, $t) : $t;
}

sub told { my ($self, $t) = @_; return $self->{line} ? Inside::told($self->{line}, $t) : $t }

# The pieces of [FROM, TO) by LIST, in order of time, without holes: [from, to, item or undef]; NEXT is where the search begins.
sub _pieces {
    my ($list, $at, $to, $next) = @_;
    my @out;
    while ($at < $to) {
        $$next++ while $$next < $#$list && $list->[$$next]{to} <= $at;
        my $s = $list->[$$next];
        my $covers = $s && $s->{from} <= $at && $s->{to} > $at;
        my $end = !$s ? $to : min($to, $covers ? $s->{to} : $s->{from} > $at ? $s->{from} : $to);
        push @out, [ $at, $end, $covers ? $s : undef ];
        $at = $end;
    }
    return @out;
}

# Rule 4: STATES of a virtual CPU whose thread is one of this guest.
sub _twice {
    my ($self, $states) = @_;
    my (@out, %next);
    for my $s (@$states) {
        my $here = $s->{what} =~ /^(?:inside|handled|interrupted)$/ ? $self->{states}{$s->{cpu}} : undef;
        for (_pieces($here // [], @$s{qw(from to)}, \($next{$s->{cpu} // -1} //= 0))) {
            my ($from, $to, $outer) = @$_;
            push @out, { %{$outer && $cut{$outer->{what}} ? $outer : $s}, from => $from, to => $to };
        }
    }
    return \@out;
}

# INTERVALS of the guest by the first host's clock, cut: { from, to, state, by: the piece of the virtual CPU's states }.
sub cut {
    my ($self, $intervals) = @_;
    my (@out, %next);
    for my $v (@$intervals) {
        my ($at, $to) = map { $self->told($_) } @$v{qw(from to)};
        my $state = $v->{state} eq '?' ? 'unknown' : $v->{state};
        my $list = $on_cpu{$state} && defined $v->{cpu} && $self->{states}{$v->{cpu}};
        push @out, !$list ? { from => $at, to => $to, state => $state } : map {
            my ($a, $b, $by) = @$_;
            my $cut = $by && $cut{$by->{what}};
            { from => $a, to => $b, state => $cut // $state, $cut ? (by => $by) : () }
        } _pieces($list, $at, $to, \($next{$v->{cpu}} //= 0));
    }
    return \@out;
}

# Like cut(), for CPU N.
sub cut_cpu {
    my ($self, $n) = @_;
    return $self->cut([ map { { %$_, cpu => $n } } @{$self->{guest}{cpu}{$n}{intervals}} ]);
}

# The takers of the parts of [FROM, TO) that were stolen from INTERVALS, as cut() has them: name, TID, guest, TID and name in that →
# ns. ALL: the guests of this host.
sub thieves {
    my ($self, $cut, $from, $to, @all) = @_;
    my %of;
    for my $v (grep { $_->{by} } @$cut) {
        my ($a, $b) = (max($v->{from}, $from), min($v->{to}, $to));
        next if $a >= $b;
        my $by = $v->{by};
        if ($by->{what} ne 'preempted') {
            my $name = { halted => 'halted', blocked => 'asleep in the host' }->{$by->{what}}
                    // ($by->{what} eq 'interrupted' ? ($by->{detail} // '?') =~ s/^IRQ \d+ //r : Vcpu::name_of($by->{reason} // '?'));
            $of{"$name - - - -"} += $b - $a;
            next;
        }
        for ($self->{host}->occupants($by->{cpu}, $a, $b)) {
            my ($tid) = $_->{who} =~ /^tid (\d+)$/;
            $of{$_->[2]} += $_->[1] - $_->[0] for defined $tid ? $self->_whose($tid, @$_{qw(from to)}, @all) : [ @$_{qw(from to)}, $_->{who} =~ s/^IRQ \d+ //r . ' - - - -' ];
        }
    }
    return \%of;
}

# The name of the host's thread TID in [FROM, TO), by the guests ALL: [from, to, text].
sub _whose {
    my ($self, $tid, $from, $to, @all) = @_;
    return [ $from, $to, 'idle - - - -' ] if !$tid;
    my ($life) = $self->{host}->lives_of_tid($tid);
    my $name = "$life->{name} $tid";
    for my $g (@all) {
        my ($cpu) = grep { $g->{of}{$_} == $tid } keys %{$g->{of}};
        next if !defined $cpu;
        my $list = $g->{cpu_told}{$cpu} //= [ map { { %$_, from => $g->told($_->{from}), to => $g->told($_->{to}) } } @{$g->{guest}{cpu}{$cpu}{intervals}} ];
        my ($low, $high) = (0, scalar @$list);
        while ($low < $high) {
            my $middle = ($low + $high) >> 1;
            $list->[$middle]{to} <= $from ? ($low = $middle + 1) : ($high = $middle);
        }
        return map {
            my ($a, $b, $is) = @$_;
            my ($who) = $is && $is->{tid} ? $g->{guest}->lives_of_tid($is->{tid}) : ();
            [ $a, $b, $who ? "$name $g->{name} $who->{tid} $who->{name}" : "$name - - -" ]
        } _pieces($list, $from, $to, \$low);
    }
    return [ $from, $to, "$name - - -" ];
}

# The differences, as text, between the program's intervals of SUBJECT in [FROM, TO) and CUT. SLACK: how far times may be apart (ns).
sub wrong_states {
    my ($name, $answer, $cut, $from, $to, $slack) = @_;
    return "$name: no answer: $Ask::errors" if !$answer;
    # Modes of the thread on a CPU: tests/app/modes.t.
    my $modes = $answer->{subject}{type} eq 'cpu' ? qr/^(usermode|syscall)$/ : qr/^$/;
    my ($got, $want) = map { Oracle::joined($_, $from, $to, sub { $_[0]{state} =~ $modes ? 'running' : $_[0]{state} }) } $answer->{intervals}, $cut;
    my @wrong;
    for my $i (0 .. max($#$got, $#$want)) {
        my ($g, $w) = map { $_->[$i] ? "@{$_->[$i]}" : 'nothing' } $got, $want;
        next if $g eq $w;
        next if $slack && $got->[$i] && $want->[$i] && $got->[$i][2] eq $want->[$i][2] && !grep { abs($got->[$i][$_] - $want->[$i][$_]) > $slack } 0, 1;
        push @wrong, "$name: said $g, is $w";
    }
    return @wrong;
}

1;
