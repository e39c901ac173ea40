#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The states of virtual CPUs and the reasons of their exits, recorded by their host: `machines` and `states --vcpu` compared with
# the counts of Vcpu.pm from the raw events, to the nanosecond, for the whole trace and for windows whose ends cut intervals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use List::Util qw(sum0);
use Vcpu;
use Kept;
use Ask;
use Verdict;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no trace of a host with virtual machines' if !$folder;

# The program's words for a virtual CPU's states.
my %what = (running => 'inside', 'vcpu-exit' => 'handled', 'vcpu-preempted' => 'preempted', idle => 'halted');
my @states = qw(inside handled interrupted halted blocked preempted unknown);

my $trace = "$folder/host";
my $o = Kept::load('Vcpu', $trace);
my %name = map { ($_->{tid} => $_->{name}) } @{$o->{lives}};

# [from, to, text] of the intervals in the window, equal neighbours joined.
sub pieces {
    my ($list, $window, $class) = @_;
    return @{Oracle::joined($list, @$window, $class)};
}

sub _said {
    my ($v) = @_;
    my $what = $what{$v->{state}} // $v->{state};
    return join ' ', $what, $what eq 'handled' ? n($v->{detail}) : $what eq 'interrupted' ? n($v->{detail}) : ();
}

sub _is {
    my ($v) = @_;
    return join ' ', $v->{what}, $v->{what} eq 'handled' ? Vcpu::name_of($v->{reason} // '-') . ($v->{early} ? '?' : '') : $v->{what} eq 'interrupted' ? $v->{detail} : ();
}

sub wrong_states {
    my ($life, $states, $window) = @_;
    my @from = ('--from', $window->[0], '--to', $window->[1]);
    my $answer = Ask::ask('states', $trace, '--vcpu', $life->{tid}, @from) or return $Ask::errors;
    my @got = pieces($answer->{intervals}, $window, \&_said);
    my @is = pieces($states, $window, \&_is);
    my @wrong;
    for my $i (0 .. max($#got, $#is)) {
        my ($g, $w) = map { $_->[$i] ? join ' ', @{$_->[$i]} : 'nothing' } \@got, \@is;
        # An interval that ends before the kvm_exit with its reason may have none.
        my @right = $w =~ /^(.* handled )(\S+)\?$/ ? ("$1$2", "$1-") : $w;
        push @wrong, "said $g, is $w" if !grep { $_ eq $g } @right;
    }
    return @wrong;
}

sub cut {
    my ($v, $window) = @_;
    my ($from, $to) = (max($v->{from}, $window->[0]), min($v->{to}, $window->[1]));
    return $to > $from ? $to - $from : 0;
}

# For each key: number, sum, maximum.
sub add {
    my ($all, $key, $time) = @_;
    my $one = $all->{$key} //= { count => 0, time => 0, worst => 0 };
    $one->{count}++;
    $one->{time} += $time;
    $one->{worst} = max($one->{worst}, $time);
}

sub wrong_table {
    my ($title, $got, $is) = @_;
    my %all = (%$got, %$is);
    return map {
        my ($g, $w) = map { $_ ? "$_->{count} times, $_->{time} ns, worst $_->{worst}" : 'none' } $got->{$_}, $is->{$_};
        $g eq $w ? () : "$title $_: said $g, is $w";
    } sort keys %all;
}

# Exits: each time between two stays inside in which the host works on one in the window.
sub exits_of {
    my ($life, $states, $window) = @_;
    my (%all, %gap, %reason);
    for my $v (grep { $_->{what} eq 'handled' } @$states) {
        $gap{$v->{gap}} += cut($v, $window);
        $reason{$v->{gap}} = Vcpu::name_of($v->{reason} // '-');
    }
    # The window ends before the event with the reason.
    $reason{$_->{gap}} = '' for grep { $_->{time} >= $window->[1] } @{$life->{exits}};
    add(\%all, $reason{$_}, $gap{$_}) for grep { $gap{$_} } keys %gap;
    return \%all;
}

# Interrupts: each piece by the innermost context; hrtimers of all functions are one.
sub interrupts_of {
    my ($states, $window) = @_;
    my %all;
    add(\%all, $_->{detail}, cut($_, $window)) for grep { $_->{what} eq 'interrupted' && cut($_, $window) } @$states;
    return \%all;
}

# The holders of the CPU while it was waited for: the parts of each in each wait.
sub by_of {
    my ($life, $window) = @_;
    my %all;
    for my $v (grep { $_->{state} =~ /^(preempted|wait-cpu)$/ && $_->{to} > $life->{vcpu_from} && cut($_, $window) } @{$life->{intervals}}) {
        my %here;
        for my $part ($o->occupants($v->{cpu}, max($v->{from}, $window->[0]), min($v->{to}, $window->[1]))) {
            my $who = $part->{who} eq 'tid 0' ? "the idle CPU $v->{cpu}" : $part->{who} =~ s/^hrtimer .*/hrtimer/r;
            $here{"$v->{state} $who"} += $part->{to} - $part->{from};
        }
        add(\%all, $_, $here{$_}) for keys %here;
    }
    return \%all;
}

# Sleeps, by the thread or context that ended them.
sub waits_of {
    my ($life, $window) = @_;
    my %all;
    for my $w (@{$life->{wakeups}}) {
        my $cause = $w->{cause};
        my $time = cut({ from => $w->{blocked_at} // $w->{ended}, to => $w->{ended} }, $window) or next;
        my $who = $cause->{thread} ? "tid $cause->{thread}{tid}" : @{$w->{context}} ? $w->{context}[-1]{text} : 'unknown';
        add(\%all, $who, $time);
        $all{$who}{cut}++ if $time < $w->{ended} - $w->{blocked_at};
        $all{$who}{worker} = (($cause->{thread} // {})->{name} // '') =~ /^kworker/;
    }
    return \%all;
}

sub said_table {
    my ($list, $key) = @_;
    my %all;
    for (@$list) {
        my $one = $all{$key->($_)} //= { count => 0, time => 0, worst => 0 };
        $one->{$_->[0]} += $_->[1] for [ count => $_->{count} ], [ time => $_->{time} ];
        $one->{worst} = max($one->{worst}, $_->{worst});
    }
    return \%all;
}

# The program's `waits` continue from the waker of a sleep to that waker's own wait, so a thread shares the time of the sleeps that it ended
# with the threads that it waited for itself: only the number of these sleeps must be equal (less those of which the window may leave out the
# thread's part). Rows without a thread, and the total, do not change, except that an interrupt also gets a worker's wait from before the
# interrupt queued that worker's item.
sub wrong_waits {
    my ($got, $is) = @_;
    my @threads = grep { /^tid/ } keys %$is;
    my @wrong = map {
        my $said = $got->{$_} // { count => 0, time => 0 };
        my ($all, $cut) = ($is->{$_}{count}, $is->{$_}{cut} // 0);
        ("$_ ended $all sleeps, $cut of them cut, said $said->{count}") x ($said->{count} > $all || $said->{count} < $all - $cut),
            ("$_ had $said->{time} ns of $is->{$_}{time}") x ($said->{time} > $is->{$_}{time})
    } @threads;
    my %rest = map { ($_ => $is->{$_}) } grep { !/^tid/ } keys %$is;
    my @workers = grep { $is->{$_}{worker} } @threads;
    my %lent = (count => sum0(map { $is->{$_}{count} } @workers), time => sum0(map { $is->{$_}{time} - ($got->{$_} // { time => 0 })->{time} } @workers));
    for my $of (qw(count time)) {
        my %more = map { ($_ => ($got->{$_} // { $of => 0 })->{$of} - $rest{$_}{$of}) } keys %rest;
        push @wrong, map { "waits $_: said $of is less by " . -$more{$_} } grep { $more{$_} < 0 } sort keys %more;
        push @wrong, "waits: said $of is more by " . sum0(values %more) . ", workers lent $lent{$of}" if sum0(values %more) > $lent{$of};
    }
    return @wrong;
}

sub check {
    my ($title, $life, $states, @window) = @_;
    my $whole = !@window;
    my $window = $whole ? [ $life->{vcpu_from}, $life->{end} ] : [ @window ];
    my $answer = Ask::ask('machines', $trace, $whole ? () : ('--from', $window[0], '--to', $window[1]));
    if (!$answer) {
        fail($title);
        diag($Ask::errors);
        return;
    }
    my ($machine) = grep { grep { $_->{tid} == $life->{tid} } @{$_->{vcpus}} } @{$answer->{machines}};
    my ($vcpu) = grep { $_->{tid} == $life->{tid} } @{$machine->{vcpus}};
    my %sum = map { ($_ => 0) } @states;
    $sum{$_->{what}} += cut($_, $window) for @$states;

    verdict("$title: its states are right, interval by interval", wrong_states($life, $states, $window));
    verdict("$title: its sums are right", map { $vcpu->{$_} == $sum{$_} ? () : "$_: said $vcpu->{$_}, is $sum{$_}" } @states);
    is(sum0(map { $vcpu->{$_} } @states), $window->[1] - max($window->[0], $life->{vcpu_from}), "$title: the states cover its whole life");
    is(sum0(map { $_->{time} } @{$vcpu->{exits}}), $vcpu->{handled}, "$title: the exits add up to the handled time");
    is(sum0(map { $_->{time} } @{$vcpu->{interrupts}}), $vcpu->{interrupted}, "$title: the interrupts add up to the interrupted time");
    is(sum0(map { $_->{time} } @{$vcpu->{by}}), $vcpu->{preempted}, "$title: the holders of the CPU add up to the preempted time");
    is(sum0(map { $_->{time} } @{$vcpu->{waits}}), $vcpu->{halted} + $vcpu->{blocked}, "$title: the sleeps add up to halted and blocked time");

    verdict("$title: its exits are right", wrong_table('exit', said_table($vcpu->{exits}, sub { $_[0]{reason} // '' }), exits_of($life, $states, $window)));
    verdict("$title: its interrupts are right",
        wrong_table('interrupt', said_table($vcpu->{interrupts}, sub { $_[0]{name} }), interrupts_of($states, $window)));
    verdict("$title: the holders of the CPU are right", wrong_table('had the CPU:',
        said_table($vcpu->{by}, sub { join ' ', $_[0]{kind}, defined $_[0]{tid} ? "tid $_[0]{tid}" : $_[0]{name} }), by_of($life, $window)));
    verdict("$title: the reasons that ended its sleeps are right",
        wrong_waits(said_table($vcpu->{waits}, sub { defined $_[0]{tid} ? "tid $_[0]{tid}" : $_[0]{name} }), waits_of($life, $window)));
    return ($machine, $vcpu);
}

# The middle of the n-th interval with that state.
sub middle {
    my ($states, $what, $n, $also) = @_;
    my $v = (grep { $_->{what} eq $what && (!$also || $also->($_)) } @$states)[$n];
    return $v->{from} + (($v->{to} - $v->{from}) >> 1);
}

my @vcpus = $o->vcpus;
is(join(' ', map { $_->{tid} } @vcpus), '453', 'one thread runs a virtual CPU');
is(join(', ', @{$o->{odd}}), '', 'the trace has no contradictions');
my $life = $vcpus[0];
my $states = $o->states_of($life);
is(sum0(map { $_->{to} - $_->{from} } @$states), $life->{end} - $life->{vcpu_from}, 'the counted states cover its whole life');
is(scalar(grep { $_->{tell} && $_->{tell} !~ /^(running|usermode|syscall)$/ } @$states), 0, 'it is inside only while its thread is on a CPU without an interrupt');
is(scalar(grep { $_->{what} eq 'handled' && ($_->{exits} // 0) != 1 } @$states), 0, 'there is one kvm_exit between two stays inside');

my ($machine) = check('whole', $life, $states);
is("$machine->{pid} $machine->{name} $machine->{host}", '449 qemu-system-x86 host', 'the machine has its process and host');
# The ends cut a stay inside, handled time before its kvm_exit, a preemption, an interrupt, a halt.
check('from inside to preempted', $life, $states, middle($states, 'inside', 400), middle($states, 'preempted', 300));
check('from before an exit to a halt', $life, $states, middle($states, 'handled', 100, sub { $_[0]{early} && $_[0]{to} - $_[0]{from} > 2 }), middle($states, 'halted', 200));
check('from an interrupt to the work on an exit', $life, $states, middle($states, 'interrupted', 1000), middle($states, 'handled', 3000));

chance('windows');
for (1 .. 6) {
    my $from = $life->{vcpu_from} + int rand($life->{end} - $life->{vcpu_from} - 2);
    my $to = min($life->{end}, $from + int 10 ** (1.5 + rand 8));
    check("from $from to $to", $life, $states, $from, $to);
}

done_testing;
