# SPDX-License-Identifier: MIT
package Cause;

# A part of Cause.pm: the cause of a wake-up, by the context that was open (proofs.md R1, R3 to R7, R9 to
# R11).

use strict;
use warnings;

my @softirq_kind = qw(softirq timer network network block softirq softirq softirq timer softirq);

# The device in an interrupt's name (proofs.md R24.1).
my @irq_kinds = (
    [ block => qr/^virtio\d+-req|^(ata|ahci|nvme|scsi|sd|mmc|floppy|megaraid|mpt)/i ],
    [ network => qr/^virtio\d+-(input|output)|^(eth|eno|ens|enp|wlan|wlp|iwl|e1000|mlx)/i ],
    [ 'user-input' => qr/i8042|keyboard|mouse|usb|[xeuo]hci_?hcd|hid|tty|serial|^console/i ],
    [ timer => qr/^(local_timer|timer|rtc\d*|hpet)/i ],
);

sub _woken {
    my ($self, $t, $cpu, $c, $frame, $life, $pending, $name) = @_;
    if ($name eq 'sched_waking') {
        my $record = $life->{pending};
        $self->_explain($t, $cpu, $c, $frame, $life, $record);
        push @{$c->{woken}}, { record => $record, life => $life };
        $frame->{batch_over} = 1;
        return;
    }
    if ($name eq 'sched_wakeup' && $pending) {
        $self->_answered($life, $pending) if $pending->{overtook} && $pending->{cause} && $pending->{cause}{kind} ne 'timer';
        if ($cpu != $pending->{cpu}) {
            $pending->{remote} = { cpu => $cpu, time => $t };
            $pending->{remote}{in} = { %{$c->{stack}[-1]} } if @{$c->{stack}};
        }
        return;
    }
    my $record = $life->{wakeups}[-1];
    return if !$record || $record->{time} != $t || $record->{cpu} != $cpu || $record->{cause};
    $self->_explain($t, $cpu, $c, $frame, $life, $record);
    if ($name eq 'sched_wakeup' && $self->{seen}{sched_waking} && $frame->{type} eq 'ipi') {
        # Its sched_waking is missing: it came from another CPU, for an unknown reason (proofs.md R1.3).
        $_->{grade} = 'inferred' for grep { $_->{grade} eq 'proved' } $record->{cause}, @{$record->{cause}{chain}};
    }
    $self->_without_waking($t, $cpu, $c, $life, $record) if $name eq 'sched_wakeup' && !$self->{seen}{sched_waking};
}

sub _explain {
    my ($self, $t, $cpu, $c, $frame, $life, $record) = @_;
    my $cause = {
        chain => [ map { { %$_ } } @{$frame->{chain}} ], lost => $c->{lost}, thread => undef,
        kind => 'unknown', grade => 'unknown', frame => $frame->{type}, sees => $self->_sees_now,
    };
    $record->{cause} = $cause;
    my $current = $c->{current};
    if ($record->{event} eq 'sched_wakeup_new') {
        @$cause{qw(kind grade)} = ('fork', 'proved');
        $cause->{thread} = $current if $current && $current->{tid};
        $cause->{grade} = 'inferred' if !$current;
        $cause->{chain} = [];
    } elsif (my $irq = $self->_threads_handler($c, $life)) {
        # The thread waits for the interrupt itself, whatever that is for (proofs.md R15.1).
        $cause->{chain} = [ map { { %$_ } } @{$irq->{chain}} ];
        @$cause{qw(kind grade device outside)} = ('irq', 'proved', $irq->{name}, 1);
    } elsif ($self->_by_pending($c, $life, $cpu, $cause)) {
        $cause->{outside} = 1;
    } elsif (_hands_lock_over($c)) {
        @$cause{qw(kind grade thread outside)} = ('thread', 'proved', $current, 1);
        $cause->{chain} = [];
    } elsif ($self->_is_left_work($c, $frame, $life)) {
        # Until the worker executes an item, its item is open, and whether it is at rest (proofs.md R7.3).
        @$cause{qw(kind grade by_thread thread)} = ('workqueue', 'inferred', 1, $current);
        $cause->{work} = {};
        $life->{left_work} = { cause => $cause, time => $t, waker => $current, takes => !$current->{work} };
    } elsif (_rests($life) && $self->_is_worker($life) && _has_queued($c)) {
        $self->_queued($c, $frame, $cause, $life);
    } elsif ($frame->{type} eq 'thread') {
        $self->_by_thread($c, $life, $record, $cause);
        $self->_or_lock($c, $frame, $life, $cause);
    } else {
        $self->_by_context($frame, $cause, $life);
        $self->_or_lock($c, $frame, $life, $cause);
    }
    $self->_or_work($t, $c, $frame, $cause) if $self->_is_worker($life) && !$life->{work} && !(($life->{how} // 0) & 2) && !$cause->{outside};
    # No exit of its kind was recorded so far: it may be over (proofs.md R22.1). A device's interrupt does not count either: an unrecorded
    # one may interrupt a softirq.
    $cause->{early} = ($frame->{type} eq 'softirq' && !$self->{begun}{'irq of a line'}) || grep { !$self->{exited}{$_->{sort} // ''} } @{$c->{stack}};
    # Work of other interrupts upon the softirq, or before it: the events need not show of which.
    $cause->{shared} = $frame->{type} eq 'softirq' && $frame->{name} =~ /^(BLOCK|NET_RX)$/;
    $self->_or_others($c, $frame, $cause);
    $life->{began} = $cause->{chain} if $cause->{kind} ne 'thread' && ($life->{name} // '') =~ m{^(rcuc|irq_work)/};
    $self->_sender($frame->{request}, $cause) if $frame->{request} && @{$cause->{chain}};
    $self->_answered($life, $record) if $cause->{kind} ne 'timer' || $frame->{type} eq 'hrtimer';
    $cause->{lost} = 0 if @{$c->{stack}} && $frame->{known};
    $cause->{grade} = 'inferred' if $cause->{lost} && $cause->{grade} eq 'proved';
    $_->{grade} = 'inferred' for grep { $cause->{lost} } @{$cause->{chain}};
}

# The chain of a softirq BLOCK that completes requests left by another CPU (proofs.md R2.5).
sub _or_others {
    my ($self, $c, $frame, $cause) = @_;
    my $chain = $cause->{chain};
    return if @$chain < 2 || ($chain->[-1]{frame} // 0) != $frame || $chain->[-2]{type} eq 'ipi';
    $_->{grade} = 'inferred' for $frame->{others} // $self->_others_complete($c, $frame) ? @$chain[0 .. $#$chain - 1] : ();
}

sub _is_worker { return ($_[1]{name} // '') =~ m{^kworker/(?!R-)} }	# no rescuer (proofs.md R7.2)

sub _queued {
    my ($self, $c, $frame, $cause, $life) = @_;
    my $work = $self->{works}{$c->{queued}} // {};
    @$cause{qw(kind grade)} = ('workqueue', 'proved');
    $cause->{work} = { function => $work->{function}, queued_by => $work->{queued_by}, queued_at => $work->{queued_at} };
    $cause->{thread} = $work->{queued_by};
    # If interrupts of a kind are not recorded, one that interrupted the thread may have queued it.
    $cause->{by_thread} = $frame->{type} eq 'thread';
}

# No queueing was recorded so far: its waker queued an item for a worker at rest (proofs.md R7.5).
sub _or_work {
    my ($self, $t, $c, $frame, $cause) = @_;
    return if $self->{seen}{workqueue_queue_work} || $cause->{kind} eq 'fork' || $cause->{kind} eq 'workqueue' || $frame->{request} || $cause->{request} || $cause->{packet};
    return if $frame->{type} eq 'softirq' && $frame->{name} =~ /^(BLOCK|NET_RX)$/;
    my $by = $frame->{type} eq 'thread' && $c->{current} && $c->{current}{tid} ? $c->{current} : undef;
    @$cause{qw(kind grade thread)} = ('workqueue', 'inferred', $by);
    $cause->{work} = { queued_by => $by, queued_at => $t };
    $cause->{chain}[-1]{grade} = 'inferred' if @{$cause->{chain}} && $frame->{type} ne 'thread';
}

# A worker outside of an item that does not sleep uninterruptibly (proofs.md R7.2).
sub _rests { return !$_[0]{work} && !(($_[0]{how} // 0) & 2) }
sub _has_queued { return ($_[0]{before} // '') =~ /^workqueue_(?:queue|activate)_work$/ }

# "0", "0H", "u8": the pool of a worker.
sub _pool { return ($_[0] && $_[0]{name} // '') =~ m{^kworker/(u?\d+):\d+(H?)} ? "$1$2" : '' }

# True if a worker, outside of contexts, wakes another of its pool for a remaining item (proofs.md R7.3). Unbound workers wake one for each item that they
# queue.
sub _is_left_work {
    my ($self, $c, $frame, $life) = @_;
    return 0 if $frame->{type} ne 'thread' || !$self->{seen}{workqueue_queue_work} || !_rests($life);
    my $pool = _pool($life);
    return $pool ne '' && $pool eq _pool($c->{current}) && !($pool =~ /^u/ && _has_queued($c));
}

# LIFE executes an item of W as the first thing since it was woken: it was woken for that item if the item was queued before, and if no other worker
# that may be of its pool took one meanwhile.
sub _takes_left {
    my ($self, $t, $c, $life, $w, $function) = @_;
    my $left = delete $life->{left_work};
    my @taken = map { @$_ } _pool($life) =~ /^u/ ? values %{$self->{took} // {}} : $self->{took}{$c->{nr}} // ();
    unshift @{$self->{took}{$c->{nr}}}, { time => $t, by => $life };
    splice @{$self->{took}{$c->{nr}}}, 2;
    return if !$left || !defined $w->{queued_at} || !$self->{seen}{workqueue_execute_end};
    my $from = $w->{queued_at} < $left->{time} ? $w->{queued_at} : $left->{time};
    return if grep { $_->{to} >= $from && $_->{from} <= $t } @{$self->{gaps}};
    my $cause = $left->{cause};
    $cause->{grade} = $self->{seen}{sched_waking} && !$cause->{lost} ? 'proved' : 'inferred';
    my @since = grep { $_->{time} >= $left->{time} } @taken;
    # The waker had taken its own item before it woke the next worker.
    return if $w->{queued_at} > $left->{time} || @since > 1 || @since && !($left->{takes} && $since[0]{by} == $left->{waker});
    $cause->{work} = { function => $function, queued_at => $w->{queued_at}, queued_by => $w->{queued_by} };
}

sub _by_thread {
    my ($self, $c, $life, $record, $cause) = @_;
    my $current = $c->{current};
    if ($record->{softirqs_end} && ($record->{softirqs_end} eq 'surely' || !$self->{sees_interrupts})) {
        @$cause{qw(kind grade)} = ('softirq', 'inferred');
        return;
    }
    return if !$current || !$current->{tid};
    @$cause{qw(kind grade)} = ('thread', 'proved');
    $cause->{thread} = $current;
    my $request = ($c->{stretch} // {})->{request};
    if ($request) {
        @$cause{qw(kind request)} = ('block', $request);
        # Others do more than complete requests (proofs.md R4.2).
        $cause->{grade} = 'inferred' if $current->{name} !~ m{^irq/};
        $cause->{room} = $self->{block}->awaits_room($request->{dev}, $life->{tid}, $life->{how});
        $cause->{device} = $request->{device};
        $cause->{thread} = undef if @{$cause->{chain}};
    }
    $cause->{work} = { %{$current->{work}} } if $current->{work};
}

# Events that may be missing, graded when all is read (proofs.md R11).
sub _finish {
    my ($self) = @_;
    $self->SUPER::_finish;
    $self->_tell_ticks;
    $self->_keep_timeouts;
    $self->_due_times;
    $self->_soft_raises;
    # Functions called here by other CPUs, and irq_work, may wake any thread in any context: they are missing if their vectors
    # are not recorded.
    if (defined $self->{metadata} && $self->{metadata} !~ /irq_vectors_(call_function|irq_work)|\bipi_entry/) {
        _hit($_) for grep { $_->{grade} eq 'proved' && _may_be_hit($_) } map { $_->[1]{cause} } $self->all;
    }
    # An event counts as recorded from its first record on (proofs.md R11): if it is only declared, or recorded later, an
    # earlier one may be missing.
    my $lone = keys %{$self->{cpu}} == 1;
    for my $each ($self->all) {
        my $cause = $each->[1]{cause};
        next if ($cause->{sees} // 3) >= ($lone ? 1 : 2);
        _hit($cause) if $cause->{grade} eq 'proved' && _may_be_hit($cause);
        $_->{grade} = 'inferred' for grep { $_->{type} eq 'thread' } @{$cause->{chain}};
    }
    return if $self->_sees_all_interrupts;
    for my $each ($self->all) {
        my $cause = $each->[1]{cause};
        _hit($cause) if $cause->{grade} eq 'proved' && _may_be_hit($cause);
        $_->{grade} = 'inferred' for grep { $_->{type} eq 'thread' } @{$cause->{chain}};
    }
}

# A thread woken by the tick waited for no timer (proofs.md R6.3).
sub _tell_ticks {
    my ($self) = @_;
    my %arms = %{$self->{arms} // {}};
    my %raises = %{$self->{ticks} // {}};
    my %tick = %raises ? %raises : map { $_ => 1 } grep { $arms{$_}{idle} } keys %arms;
    for my $cause (grep { $_->{frame} eq 'hrtimer' && $_->{kind} eq 'timer' } map { $_->[1]{cause} } $self->all) {
        my $function = $cause->{timer}{function};
        if ($tick{$function}) {
            $cause->{kind} = 'irq';
            delete $cause->{timer};
            next;
        }
        delete $cause->{answered};
        next if %raises || $arms{$function}{thread};
        $_->{grade} = 'inferred' for $cause, $cause->{chain}[-1];
    }
}

# True if the waker is a thread, or a softirq without any known work. Both run with interrupts on.
sub _may_be_hit {
    my ($cause) = @_;
    return $cause->{kind} eq 'thread' || $cause->{frame} eq 'softirq' && !grep { $cause->{$_} } qw(request packet timer work);
}

sub _hit {
    my ($cause) = @_;
    $_->{grade} = 'inferred' for $cause, @{$cause->{chain}} && $cause->{chain}[-1]{type} eq 'softirq' ? $cause->{chain}[-1] : ();
}

# Of the pending timers, the time-outs of waits: their function (hrtimer_wakeup) is that of most timers that
# woke the thread which armed them. Others (timerfd, setitimer) go on after the wait.
sub _keep_timeouts {
    my ($self) = @_;
    my %woke;
    for my $each ($self->all) {
        my ($life, $timer) = ($each->[0], $each->[1]{cause}{timer} // {});
        $woke{$timer->{function}}++ if $timer->{armed_by} && $timer->{armed_by} == $life;
    }
    my ($wakeup) = sort { $woke{$b} <=> $woke{$a} || $a cmp $b } keys %woke;
    for my $cause (map { $_->[1]{cause} } $self->all) {
        $cause->{set_off} = delete $cause->{answered} if $cause->{answered} && (!$cause->{answered}{taken_back} || $cause->{answered}{function} ne ($wakeup // ''));
    }
}

# Interrupts that may wake any thread: 2 all were recorded by now, 1 all except those by other CPUs, 0 others
# are missing.
sub _sees_now {
    my ($self) = @_;
    return 2 if ($self->{sees_now} // 0) == 2;
    my @names = keys %{$self->{seen}};
    return $self->{sees_now} = !$self->_sees_all_interrupts ? 0 : (grep { /call_function_single|ipi_entry/ } @names) ? 2 : 1;
}

sub _sees_all_interrupts {
    my ($self) = @_;
    my $seen = $self->{seen};
    my @names = keys %$seen;
    return (grep { /irq_handler_entry/ } @names) && (grep { /softirq_entry/ } @names)
        && (grep { /hrtimer_expire_entry|^local_timer/ } @names) ? 1 : 0;
}

sub _by_context {
    my ($self, $frame, $cause, $life) = @_;
    my $type = $frame->{type};
    my ($kind, $grade) = ($type, 'proved');
    if ($type eq 'softirq') {
        $kind = $softirq_kind[$frame->{nr}] // 'softirq';
    } elsif ($type eq 'hrtimer') {
        $kind = 'timer';
        $cause->{timer} = { %{$frame->{timer}} };
        $cause->{may_be_tick} = !$self->{ticks} && !$self->{arms}{$frame->{timer}{function}}{thread};
    } elsif ($type eq 'irq') {
        my ($class) = grep { ($frame->{name} // '') =~ $_->[1] } @irq_kinds;
        $kind = $class->[0] if $class;
        $grade = 'inferred' if $class;
        $cause->{device} = $frame->{name};
    }
    $self->_other_raise($frame, $cause) if $kind eq 'network';
    if ($frame->{packet} && $kind eq 'network') {
        $cause->{batch} = [ @{$frame->{batch}} ];
        $cause->{several} = $frame->{polled} > 1;
        $cause->{polls} = $self->{seen}{napi_poll};
        @$cause{qw(packet any_of_batch)} = Cause::Net::choose($cause->{batch}, $life && $life->{sends});
        $cause->{device} = $cause->{packet}{device};
        $cause->{polls} ||= $self->_only_backlog($frame, $cause->{packet});
    }
    if ($frame->{request} && $type ne 'hrtimer') {
        ($kind, $grade) = ('block', 'proved');
        $cause->{request} = $frame->{request};
        $cause->{device} = $frame->{request}{device};
    }
    # The completion may have brought work to a worker at rest (proofs.md R7.4).
    my $brings = $kind =~ /^(?:block|network)$/ && ($type eq 'softirq' || $cause->{request} || $cause->{packet})
        && $life && $self->_is_worker($life) && !$life->{work} && !(($life->{how} // 0) & 2);
    $grade = 'inferred' if $brings;
    @$cause{qw(kind grade)} = ($kind, $grade);
    $cause->{chain}[-1]{grade} = 'inferred' if $brings;
    # Then it was for the disk, but it is open for which request (proofs.md R4.4, R4.9).
    $cause->{room} = $cause->{request} && $life && $self->{block}->awaits_room($cause->{request}{dev}, $life->{tid}, $life->{how});
}

# True if the softirq polls only the queue of the loopback, to which PACKET was put (proofs.md R5.6).
sub _only_backlog {
    my ($self, $frame, $packet) = @_;
    my $raise = $frame->{raise} or return 0;
    return 0 if $packet->{device} ne 'lo' || !defined $packet->{sender} || $raise->{time} < $packet->{sent};
    return 0 if @{$frame->{raised_again} // []} || @{$raise->{chain}} != 1;
    my $by = $raise->{chain}[0];
    return 0 if $by->{type} ne 'thread' || $by->{thread}{tid} != $packet->{sender};
    for my $irq (reverse @{$self->{irqs}}) {
        return 1 if $irq->{entry} <= $frame->{entry};
        return 0 if $irq->{cpu} == $frame->{cpu};
    }
    return 1;
}

# Raised for sent and for received packets before it ran once (proofs.md R2.6).
sub _other_raise {
    my ($self, $frame, $cause) = @_;
    my $raise = $frame->{raise} or return;
    my ($first, @others) = map { $_->{chain} } $raise, @{$frame->{raised_again}};
    return if !$frame->{packet} || !grep { _who($_) ne _who($first) } @others;
    my ($chain) = grep { _who($_) !~ /output/ } $first, @others;
    $cause->{chain} = [ (map { { %$_, grade => 'inferred' } } @{$chain // $first}), _entry($frame, 'proved') ];
}

sub _who { return join ' ', map { n($_->{type}) . n($_->{nr}) . n($_->{name}) } @{$_[0]} }

# The sender of the IPI that completed REQUEST (proofs.md R3.5, R3.6).
sub _sender {
    my ($self, $request, $cause) = @_;
    my $first = $cause->{chain}[0];
    my $raise = $first->{type} eq 'softirq' ? $first->{frame}{raise} : undef;
    my $at = $first->{type} eq 'ipi' ? $first->{entry}
           : $raise && $raise->{idle} ? $raise->{time} : return;
    my $issued = $request->{issued} // $self->{from};
    for my $irq (reverse @{$self->{irqs}}) {
        last if $irq->{entry} < $issued;
        next if $irq->{cpu} == $first->{cpu} || $irq->{entry} >= $at;
        next if ($irq->{name} // '') =~ $irq_kinds[1][1];
        unshift @{$cause->{chain}}, _entry($irq, 'inferred');
        return;
    }
}

1;
