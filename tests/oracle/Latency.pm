# SPDX-License-Identifier: MIT
package Latency;

# Every case of every kind of latency, from the raw events alone: intervals between two events that belong together. Nothing here
# knows wakepath. Oracle.pm and Cause.pm find threads, wake-ups, causes and requests; this file pairs events.
#
# Each start is exactly one of: a case; unfinished, if its end is not in the trace; dropped, if events were lost meanwhile on a CPU
# that the end may have been on, or if something else shows that the end is missing; void, if it was never to end (a timer
# cancelled, a work item taken back).  The rules, with the place in the kernel that makes each one:
#
#  1 Threads.  A switch-out as dead or zombie (do_task_dead()) begins nothing.  The idle threads have no cases.  A reused TID
#    is another thread; the former's open cases stay unfinished.
#  2 blocked ends with the wake-up.  If a thread runs again without a recorded wake-up, its wait ended unrecorded, or never was
#    (__schedule() takes prev_state before it finds a signal pending): dropped.
#  3 System calls.  syscall_exit of another call and a further entry show that the end is missing: dropped.  sigreturn has no exit and is
#    no case.  A new thread returns from its parent's call.
#  4 Handlers nest, so an irq_handler_exit ends the entry of its own line on its own CPU.
#  5 Softirqs.  A vector is raised from its first raise since its last entry, even if __do_softirq() had taken the bits before.
#  6 Timers.  An hrtimer is due at `expires` of its last hrtimer_start, even if that was past already (a tick that was too
#    late was due then; but not before the trace: void).  From softexpires on it may expire (__hrtimer_run_queues()): before `expires` it is 0 late.  On CLOCK_MONOTONIC is one
#    whose `now` is that of the trace's clock; others are void.
#    In some kernels __run_hrtimer() emits hrtimer_cancel right before expire_entry: that cancels nothing.
#  7 Work items.  __queue_work() emits queue_work; an item queued twice without a start was cancelled between (cancel_work()
#    clears the bit without an event): void.  execute_end of another item than the worker's last start: dropped.
#  8 Requests: Latency/Block.pm.
#  9 futex: the call, if its operation waits; even if it need not wait in the end.  Not one whose shared futex a thread of its process
#    releases in its exit() (mm_release(), kernel/fork.c): pthread_join().
# 10 From an interrupt to user mode: Latency/Return.pm.
#
#   perl Latency.pm TRACE [KIND]       the counts; or all cases of one kind

use strict;
use warnings;
use Cause;
use Latency::Block;
use Latency::Return;

our @ISA = ('Cause');

our @kinds = qw(wakeup wait-cpu preempted off-cpu blocked fork syscall irq softirq softirq-raise timer work-queue work
    block block-queue block-device futex irq-to-user);

# Kinds with a key; the cases of others are grouped by the class of the thread's priority when it runs.
our %by = ((map { $_ => 'class' } qw(wakeup wait-cpu preempted off-cpu fork)),
    map { $_ => 'key' } qw(blocked syscall irq softirq softirq-raise timer work-queue work block block-queue block-device futex irq-to-user));

my @vectors = qw(HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU);

# Kinds that end on the CPU they began on.
my %of_cpu = map { $_ => 1 } qw(irq softirq softirq-raise);

# futex operations that wait: WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2.
my %waits = map { $_ => 1 } 0, 6, 9, 11, 13;

my $fits = 1_000_000_000;       # from `now` of a round of timers to the last one's event

sub _new {
    my ($class, @args) = @_;
    my $self = Cause::_new($class, @args);
    $self->{block} = Latency::Block->new;
    $self->{starts} = { map { $_ => [] } @kinds };
    $self->{open} = {};
    return $self;
}

# The trace of lines of text, as printed by babeltrace2; events were lost in GAPS.
sub of_lines {
    my ($class, $release, $gaps, @lines) = @_;
    my $self = $class->_new($release);
    push @{$self->{gaps}}, @$gaps;
    $self->_all_lines(\@lines);
    return $self;
}

# ---------------------------------------------------------------- pairs

# WHO begins an interval of KIND; an open one there ends unfinished.
sub _begin {
    my ($self, $kind, $who, $t, $cpu, %more) = @_;
    $self->_cut($kind, $who, $t);
    my $start = { start => $t, cpu => $cpu, key => '', %more };
    push @{$self->{blocked_of}{$who}}, $start if $kind eq 'blocked';
    push @{$self->{starts}{$kind}}, $start;
    $self->{open}{$kind}{$who} = $start;
}

# An event shows that its end is missing, or that it was never to come.
sub _cut {
    my ($self, $kind, $who, $t, %more) = @_;
    my $start = delete $self->{open}{$kind}{$who} or return;
    @$start{'cut', keys %more} = ($t, values %more);
}

sub _end {
    my ($self, $kind, $who, $t, %more) = @_;
    my $start = delete $self->{open}{$kind}{$who} or return;
    @$start{'end', keys %more} = ($t, values %more);
}

sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $self->_forget_threads($t) if @{$self->{gaps}};
    $self->_switched($t, $cpu, $rest) if $name eq 'sched_switch';
    $self->SUPER::_event($t, $cpu, $name, $rest);
    my $current = $self->{cpu}{$cpu}{current};
    delete $self->{cancelled}{$cpu} if $name !~ /hrtimer_(?:cancel|expire_entry)$/;
    if ($name eq 'sched_process_fork') {
        my ($tid) = $rest =~ /child_tid = (\d+)/ or die "unreadable: $name $rest";
        $self->_begin('fork', $self->_life($tid, $cpu), $t, $cpu, tid => $tid);
    } elsif ($name =~ /^(?:compat_)?(?:syscall_entry|sys)_(\w+)$/) {
        my $call = $1;
        if (!$current || !$current->{tid}) {
        } elsif (Oracle::is_sigreturn($name, $rest)) {
            $self->_leaves($t, $current, $call, $rest);
        } else {
            $self->_enters($t, $cpu, $current, $call, $rest);
        }
    } elsif ($name =~ /^(?:compat_)?syscall_exit_(\w+)$|^exit_syscall$/) {
        $self->_leaves($t, $current, $1, $rest) if $current && $current->{tid};
    } elsif ($name =~ /^sched_wak(?:ing|eup)$/) {
        my ($tid) = $rest =~ /comm = ".*", [tp]id = (\d+)/;
        $self->_joined($self->_life($tid, $cpu), $current) if $tid && $current && $name eq 'sched_waking' && !@{$self->{cpu}{$cpu}{stack}};
        $self->_brought_back($t, $self->_life($tid, $cpu)) if $tid;
    } elsif ($name =~ /^irq_handler_(entry|exit)$/) {
        $self->_handler($t, $cpu, "$1", $rest);
    } elsif ($name =~ /^(?:irq_)?softirq_(raise|entry|exit)$/) {
        $self->_softirq($t, $cpu, "$1", $rest);
    } elsif ($name =~ /^(?:timer_)?hrtimer_(start|cancel|expire_entry)$/) {
        $self->_hrtimer($t, $cpu, "$1", $rest);
    } elsif ($name =~ /^workqueue_(queue_work|execute_start|execute_end)$/) {
        $self->_item($t, $cpu, "$1", $rest, $current);
    }
}

# ---------------------------------------------------------------- threads

sub _switched {
    my ($self, $t, $cpu, $rest) = @_;
    my ($out, $state, $in, $prio) = $rest =~ /prev_[tp]id = (\d+), prev_prio = -?\d+, prev_state = (\d+), .*next_[tp]id = (\d+), next_prio = (-?\d+)/
        or die "unreadable: sched_switch $rest";
    my ($leaves, $comes) = map { $self->_life($_, $cpu) } $out, $in;
    my $runnable = $state == 0 || $state & $self->{bits}{preempted};
    $self->_cut('irq-to-user', $leaves, $t, void => 1) if !$runnable;
    if ($out && ($runnable || !($state & $self->{bits}{dead}))) {
        $self->_begin($_, $leaves, $t, $cpu, tid => $out) for 'off-cpu', $runnable ? 'preempted' : 'blocked';
    }
    return if !$in;
    $self->_end($_, $comes, $t, key => _class($prio)) for qw(off-cpu preempted fork);
    $comes->{class_at}{$t} = _class($prio);
    $self->_cut('blocked', $comes, $t);         # unless _waits() finds its wake-up
}

# lttng-modules subtract MAX_RT_PRIO: real-time is -100 to -1, deadline is less.
sub _class { return $_[0] < -100 ? 'deadline' : $_[0] < 0 ? 'real-time' : 'fair' }

# After lost events threads are unknown, as before their first event.
sub _forget_threads {
    my ($self, $t) = @_;
    my $over = grep { $t > $_->{to} } @{$self->{gaps}};
    return if $over == ($self->{gaps_over} // 0);
    $self->{gaps_over} = $over;
    for my $life (values %{$self->{now}}) {
        push @{$life->{before_gap}}, splice @{$life->{wakeups}};
        next if defined $life->{cpu};
        $life->{state} = { from => $t, state => '?' };
        @$life{qw(strict_from pending guess blocked_at)} = (undef, undef, 0, undef);
    }
}

# The wake-ups that Oracle.pm found.
sub _waits {
    my ($self, $life) = @_;
    my @all = grep { defined $_->{ended} } @{$life->{before_gap} // []}, @{$life->{wakeups}};
    for my $kind (qw(wakeup wait-cpu)) {
        push @{$self->{starts}{$kind}}, map { { start => $_->{ended}, end => $_->{ran_at}, tid => $life->{tid}, cpu => $_->{cpu}, key => defined $_->{ran_at} ? $life->{class_at}{$_->{ran_at}} : '' } } @all;
    }
    my %woken = map { defined $_->{blocked_at} ? ($_->{blocked_at} => $_) : () } @all;
    for my $start (@{$self->{blocked_of}{$life} // []}) {
        my $wakeup = $woken{$start->{start}} or next;
        @$start{qw(end key cut)} = ($wakeup->{ended}, $wakeup->{cause}{kind}, undef);
    }
}

# ---------------------------------------------------------------- system calls

# Calls without a name in the tracer are told apart by number.
sub _call { return $_[0] eq 'unknown' && $_[1] =~ /\bid = (-?\d+)/ ? "unknown $1" : $_[0] }

sub _enters {
    my ($self, $t, $cpu, $life, $call, $rest) = @_;
    my %of = (tid => $life->{tid}, call => _call($call, $rest));
    $self->_begin('syscall', $life, $t, $cpu, key => $call, %of);
    $self->_cut($_, $life, $t) for qw(futex irq-to-user);
    return if $call ne 'futex' || $rest !~ /uaddr = (\w+), op = (\d+)/ || !$waits{$2 & 0x7f};
    $self->_begin('futex', $life, $t, $cpu, key => _address("$1"), shared => !($2 & 0x80), %of);
}

sub _leaves {
    my ($self, $t, $life, $call, $rest) = @_;
    my $open = $self->{open}{syscall}{$life} or return;
    my $is = !defined $call || _call($call, $rest) =~ /^(?:\Q$open->{call}\E|unknown -1)$/;
    for my $kind (qw(syscall futex irq-to-user)) {
        $is ? $self->_end($kind, $life, $t) : $self->_cut($kind, $life, $t);
    }
}

# CURRENT wakes LIFE, which waits for a futex: if CURRENT ends and the futex is that of pthread_join(), it is no
# case.
sub _joined {
    my ($self, $life, $current) = @_;
    my ($wait, $call) = ($self->{open}{futex}{$life}, $self->{open}{syscall}{$current});
    return if !$wait || !$wait->{shared} || !$call || $call->{call} ne 'exit' || !defined $life->{pid} || ($current->{pid} // -1) != $life->{pid};
    delete $self->{open}{futex}{$life};
    @{$self->{starts}{futex}} = grep { $_ != $wait } @{$self->{starts}{futex}};
}

# A wake-up ended a wait: a case if that was in a call, and by an interrupt.
sub _brought_back {
    my ($self, $t, $life) = @_;
    my ($wakeup, $call) = ($life->{wakeups}[-1], $self->{open}{syscall}{$life});
    return if !$wakeup || $wakeup->{seen}++ || !defined $wakeup->{blocked_at} || !$call || $self->_spans_gap('syscall', { %$call, end => $t });
    my $by = Latency::Return::of_wakeup($wakeup) or return;
    $self->_begin('irq-to-user', $life, $by->{entry}, $by->{cpu}, key => Latency::Return::key($by), tid => $life->{tid});
}

# As the program writes addresses.
sub _address { return $_[0] =~ m{^0x}i ? lc $_[0] : sprintf '0x%x', $_[0] }

# ---------------------------------------------------------------- interrupts, timers, work

sub _handler {
    my ($self, $t, $cpu, $way, $rest) = @_;
    my ($nr, $name) = $rest =~ /irq = (\d+)(?:, name = "(.*)")?/ or die "unreadable: irq_handler $rest";
    $way eq 'entry' ? $self->_begin('irq', "$cpu $nr", $t, $cpu, key => "$nr " . ($name // '')) : $self->_end('irq', "$cpu $nr", $t);
}

sub _softirq {
    my ($self, $t, $cpu, $way, $rest) = @_;
    my ($vec) = $rest =~ /vec = (\d+)/ or die "unreadable: softirq $rest";
    my @of = ("$cpu $vec", $t, $cpu, key => $vectors[$vec]);
    if ($way eq 'raise') {
        my $before = $self->{open}{'softirq-raise'}{"$cpu $vec"};
        my $in = Latency::Return::hard($self->{cpu}{$cpu}{stack});
        $self->_begin('softirq-raise', @of, in => $in) if !$before || $self->_spans_gap('softirq-raise', { %$before, end => $t });
    } elsif ($way eq 'entry') {
        $self->{cpu}{$cpu}{stack}[-1]{raised_in} = ($self->{open}{'softirq-raise'}{"$cpu $vec"} // {})->{in};
        $self->_end('softirq-raise', "$cpu $vec", $t);
        $self->_begin('softirq', @of);
    } else {
        $self->_end('softirq', "$cpu $vec", $t);
    }
}

sub _hrtimer {
    my ($self, $t, $cpu, $way, $rest) = @_;
    my %f = $rest =~ /\b(hrtimer|function|expires|now) = (\w+)/g;
    my $armed = $self->{armed} //= {};
    my $is = delete $armed->{$f{hrtimer}};
    $is //= $self->{cancelled}{$cpu}{$f{hrtimer}} if $way eq 'expire_entry';
    $self->{cancelled}{$cpu} = { $f{hrtimer} => $is } if $way eq 'cancel';
    $armed->{$f{hrtimer}} = { since => $t, %f } if $way eq 'start';
    return if $way ne 'expire_entry' || !$is || !defined $self->{clock_offset};
    my $distance = $t - $f{now} - $self->{clock_offset};
    return if $distance < 0 || $distance >= $fits;
    $self->{monotonic}{"$f{hrtimer} $f{function}"} = 1;
    $self->_due($is, $cpu, $t);
}

sub _due {
    my ($self, $is, $cpu, $expired) = @_;
    my $due = $is->{expires} + $self->{clock_offset};
    $due = $expired if defined $expired && $due > $expired;
    return if $due < $self->{from};
    my $since = $is->{since} < $due ? $is->{since} : $due;
    push @{$self->{starts}{timer}}, { start => $due, end => $expired, since => $since, cpu => $cpu, key => _address($is->{function}) };
}

sub _item {
    my ($self, $t, $cpu, $way, $rest, $worker) = @_;
    my %f = $rest =~ /\b(work|function) = (\w+)/g;
    if ($way eq 'queue_work') {
        $self->_cut('work-queue', $f{work}, $t);
        $self->_begin('work-queue', $f{work}, $t, $cpu, key => _address($f{function}));
    } elsif ($way eq 'execute_start') {
        $self->_end('work-queue', $f{work}, $t, $worker ? (tid => $worker->{tid}) : ());
        $self->_begin('work', $worker, $t, $cpu, key => _address($f{function}), tid => $worker->{tid}, work => $f{work}) if $worker;
    } elsif ($worker && (my $open = $self->{open}{work}{$worker})) {
        $open->{work} eq $f{work} ? $self->_end('work', $worker, $t) : $self->_cut('work', $worker, $t);
    }
}

# ---------------------------------------------------------------- all of them

sub _finish {
    my ($self) = @_;
    $self->SUPER::_finish;
    my @threads = grep { $_->{tid} } @{$self->{lives}};
    $self->_waits($_) for @threads;
    # Timers that should have expired; the others' end is still to come.
    for my $is (values %{$self->{armed} // {}}) {
        next if !$self->{monotonic}{"$is->{hrtimer} $is->{function}"};
        $self->_due($is, undef, undef) if $is->{expires} + $self->{clock_offset} <= $self->{to};
    }
    $self->{block}->starts(sub { my ($kind, %start) = @_; push @{$self->{starts}{$kind}}, { %start } });
}

# True if events were lost meanwhile, on a CPU that matters.
sub _spans_gap {
    my ($self, $kind, $start) = @_;
    my $from = $start->{since} // $start->{start};
    my $to = $start->{end} // $start->{cut} // $self->{to};
    return grep { (!$of_cpu{$kind} || $_->{cpu} == $start->{cpu}) && $from <= $_->{to} && $to > $_->{from} } @{$self->{gaps}};
}

# The outcome of a start.
sub fate {
    my ($self, $kind, $start) = @_;
    return 'dropped' if @{$self->{gaps}} && $self->_spans_gap($kind, $start);
    return 'count' if defined $start->{end};
    return 'unfinished' if !defined $start->{cut};
    return $start->{void} || $kind eq 'work-queue' ? 'void' : 'dropped';
}

sub cases {
    my ($self, $kind) = @_;
    return grep { $self->fate($kind, $_) eq 'count' } @{$self->{starts}{$kind}};
}

# The numbers of a kind: count, sum, min, max, unfinished, dropped; and {key}{count, sum}.
sub numbers {
    my ($self, $kind) = @_;
    my %n = map { $_ => 0 } qw(count sum unfinished dropped void);
    my %keys;
    for my $start (@{$self->{starts}{$kind}}) {
        my $fate = $self->fate($kind, $start);
        $n{$fate}++;
        next if $fate ne 'count';
        my $took = $start->{end} - $start->{start};
        $n{sum} += $took;
        $n{min} = $took if !defined $n{min} || $took < $n{min};
        $n{max} = $took if !defined $n{max} || $took > $n{max};
        $keys{$start->{key}}{count}++;
        $keys{$start->{key}}{sum} += $took;
    }
    return (\%n, \%keys);
}

# ---------------------------------------------------------------- by hand

sub n { return defined $_[0] ? $_[0] : '-' }

sub main {
    my ($path, $kind) = @_;
    my $o = Latency->load($path);
    if (defined $kind) {
        for my $s (sort { $a->{start} <=> $b->{start} } @{$o->{starts}{$kind}}) {
            printf "%-10s %s %s %9s cpu %s tid %s %s\n", $o->fate($kind, $s), $s->{start}, n($s->{end}), defined $s->{end} ? $s->{end} - $s->{start} : '-', map { n($_) } @$s{qw(cpu tid key)};
        }
        return;
    }
    for my $each (@kinds) {
        my ($n, $keys) = $o->numbers($each);
        printf "%-14s %s\n", $each, join ' ', map { "$_=" . n($n->{$_}) } qw(count sum min max unfinished dropped void);
        printf "    %-30s %d %d\n", $_, @{$keys->{$_}}{qw(count sum)} for sort keys %$keys;
    }
}

main(@ARGV) unless caller;
1;
