# SPDX-License-Identifier: MIT
package Cause;

# Why every wait of every thread ended, from the raw events alone.  Nothing here
# knows wakepath; it adds causes to the waits that Oracle.pm finds.
#
# docs/proofs.md has the rules, R1 to R25, each with the place in the kernel that makes
# it one.  The oracle follows R1 to R19 in its own way:
#
#  R2  An entry without its own raise takes the second of the raises before the last
#      entry.  Interrupts upon a softirq, or before it, are not counted (R2.6,
#      and R2.5 for its own CPU).
#  R3  The sender of an IPI is looked for by R3.5 alone: no trace here has ipi_send_cpu.
#  R4  Block.pm joins bios, requests and flushes.  Which line or driver completes, and
#      whether two requests are alike, does not matter (R4.2, R4.3).
#  R5  Net.pm.  `batch` has the packets since the last wake-up or poll, `polled` counts all
#      of the poll; of a batch the first is chosen that brings anything on the flow on which
#      the thread sent last, else the last one.  A sender is known on the loopback alone.
#  R6  All raises of the trace, also later ones, show which function is the tick's.
#      `answered` is a time-out still pending when the thread was woken; a timer that goes on
#      after the wait (timerfd, setitimer) is kept as `set_off`.  Late.pm: due times.
#  R7  The event before the wake-up has the item, or the next one that the worker executes; without these events each
#      worker at rest waits for work.
#  R11 Coverage is that of the whole trace (`seen`, `metadata`), so events that may be missing
#      are graded when all is read (_finish).  The program knows only what came before: it may be
#      weaker (Say.pm, may_be_weaker).
#  R12 Elsewhere.pm.  `remote` is where a wake-up arrived: the way there is no part of the cause.
#  R15 to R19 Threaded.pm, with the softirqs that ksoftirqd is woken for (R10).
#
# Nothing here knows futexes, flags of tracers or interrupts for guests (R20 to R23).

use strict;
use warnings;
use Oracle;
use Cause::Block;
use Cause::Net;
use Cause::Explain;
use Cause::Elsewhere;
use Cause::Threaded;
use Cause::Late;

our @ISA = ('Oracle');

my @signals = (undef, qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP
    TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS));

sub load {
    my ($class, $path) = @_;
    local $Cause::clock_offset = _clock_offset($path);
    local $Cause::metadata = _metadata($path);
    return $class->SUPER::load($path);
}

# Which events are missing is known before the first one is read.
sub _look_ahead {
    my ($self, $lines) = @_;
    $self->SUPER::_look_ahead($lines);
    push @{$self->{known_gaps}{$_->{cpu}}}, $_ for sort { $a->{from} <=> $b->{from} } @{$self->{gaps}};
}

sub _metadata {
    my ($path) = @_;
    open my $fh, '<:raw', "$path/metadata" or return '';
    local $/;
    return <$fh> // '';
}

our $clock_offset;      # of CLOCK_MONOTONIC to the Epoch
our $metadata;          # the text of the trace's metadata: what is listed may come

sub _new {
    my ($class, @args) = @_;
    my $self = Oracle::_new($class, @args);
    $self->{block} = Cause::Block->new;
    $self->{net} = Cause::Net->new;
    $self->{hrtimers} = {};
    $self->{works} = {};
    @$self{qw(clock_offset metadata)} = ($clock_offset, $metadata);
    $self->{irqs} = [];             # hard interrupts in order of entry
    return $self;
}

# ---------------------------------------------------------------- events

# The kind of an event, from its name; the first match counts. Each name is matched once.
my @about = (
    [ raise => qr/^(?:irq_)?softirq_raise$/ ],
    [ block => qr/^block_(?:bio_queue|getrq|rq_insert|rq_issue|rq_complete)$|^lttng_statedump_block_device$/ ],
    [ packet => qr/^net_(?:if_receive_skb|dev_queue)$/ ],
    [ start => qr/^(?:timer_)?hrtimer_start$/ ],
    [ cancel => qr/^(?:timer_)?hrtimer_cancel$/ ],
    [ work => qr/^workqueue_/ ],
    [ wake => qr/^sched_(?:waking|wakeup|wakeup_new)$/ ],
    [ own => qr/^(?:napi_poll|signal_generate|sched_switch|sched_migrate_task|sched_pi_setprio|ipi_send_cpu)$/ ],
    [ '' => qr/./ ],
);
my %about;
my %seen_as;
my %with_waking = map { ("sched_$_" => 1) } qw(waking wakeup migrate_task);

sub _about {
    my ($name) = @_;
    $seen_as{$name} = $name =~ s/^(?:x86_)?irq_vectors_local_timer_\w+/local_timer/r;
    return $about{$name} = (grep { $name =~ $_->[1] } @about)[0][0] || (Oracle::_is_context($name) ? 'context' : '');
}

# Events that change neither the running thread nor the open contexts.
my %reads = (raise => \&_raise, block => \&_block, packet => \&_net, start => \&_start, cancel => \&_cancel, work => \&_work);

sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    my $c = $self->{cpu}{$cpu} // $self->_cpu($cpu);
    my $about = $about{$name} // _about($name);
    $self->{seen}{$seen_as{$name}} = 1;
    $self->{places}{$name} .= "$t $cpu\n";
    $self->_gap($t, $cpu, $c) if $self->{known_gaps}{$cpu};
    $c->{nr} = $cpu;
    my $woken = $self->_goes_on_waking($c, $name, $rest);
    if ($about eq 'context') {
        $self->_enters_or_leaves($t, $cpu, $c, $name, $rest);
    } elsif ($about eq '') {
        # Most others: events of what a thread does, which are no cause.
        $self->SUPER::_event($t, $cpu, $name, $rest);
        @$c{qw(way_out woken before)} = (undef, $woken, $name);
    } elsif ($reads{$about}) {
        my $frame = $self->_frame($c);
        delete $c->{stretch}{request} if $about eq 'work' && $c->{stretch} && $name =~ /^workqueue_execute_/;
        $reads{$about}->($self, $t, $c, $name, $rest, $frame, _thread($c));
        $self->SUPER::_event($t, $cpu, $name, $rest);
        @$c{qw(way_out woken before)} = (undef, $woken, $name);
    } else {
        $self->_schedules($t, $cpu, $c, $name, $rest, $about eq 'wake');
    }
    # The time since which the thread has done nothing in the kernel.
    my $life = $c->{current};
    my $rests = !@{$c->{stack}} && !$c->{lost} && $life && (!$life->{tid} || $life->{mode} eq 'usermode' && $self->_sees_calls);
    $c->{rests} = $rests ? $c->{rests} // $t : undef;
}

# enqueue_task() starts and cancels timers between sched_waking and sched_wakeup, so sched_wakeup is the next event then (proofs.md
# R8.1).
# The wake-ups before event NAME of a CPU, if that event may belong to one; undef if it ends them all.
sub _goes_on_waking {
    my ($self, $c, $name, $rest) = @_;
    my $waking = $c->{waking};
    my $timer = $name =~ /^(?:timer_hrtimer|hrtimer|timer)_(?:start|cancel|init|setup)$/;
    my ($tid) = $name =~ /^sched_wak(?:ing|eup)$/ ? $rest =~ /comm = ".*", [tp]id = (\d+)/ : ();
    return $c->{woken} if $name =~ /^(?:sched_migrate_task|ipi_send_cpu)$/;
    if ($name eq 'sched_wakeup' && $waking && $waking->{tid} == $tid) {
        $c->{waking} = undef;
        return $c->{woken};
    }
    $waking->{timers} = 1 if $waking && $timer;
    return $c->{woken} if $waking && $timer;
    $c->{woken} = undef if $waking && $waking->{timers};
    $c->{waking} = $name eq 'sched_waking' ? { tid => $tid } : undef;
    return undef;
}

# The thread that runs on a CPU outside of contexts; undef for the idle one.
sub _thread {
    my ($c) = @_;
    return @{$c->{stack}} || !$c->{current} || !$c->{current}{tid} ? undef : $c->{current};
}

# An interrupt context begins or ends.
sub _enters_or_leaves {
    my ($self, $t, $cpu, $c, $name, $rest) = @_;
    my $stack = $c->{stack};
    my ($depth, $top) = (scalar @$stack, $stack->[-1]);
    my $there = $top && $self->_asks_who_left($name) ? $self->_occupant($cpu) : undef;
    $self->SUPER::_event($t, $cpu, $name, $rest);
    $c->{way_out} = undef;
    if (@$stack > $depth) {
        my $frame = $stack->[-1];
        $frame->{sort} = $frame->{type} . ($name =~ /^irq_handler/ ? ' of a line' : '');
        $self->{begun}{$frame->{sort}} = 1;
        $self->_entered($t, $c, $frame, $rest);
    } elsif (@$stack < $depth) {
        $c->{left} = { %$there, time => $t } if $there;
        $c->{ended} = $top;
        $top->{exit} = $t;
        $self->{exited}{$top->{sort}} = 1 if defined $top->{sort};
        $self->_over($c, $top, $rest);
    }
    @$c{qw(woken before)} = (undef, $name);
}

# Only if sched_waking is not recorded (Elsewhere.pm); entries of contexts end nothing.
sub _asks_who_left { return !$_[0]{seen}{sched_waking} && $_[1] !~ /_entry$/ }

sub _raise {
    my ($self, $t, $c, $name, $rest, $frame, $thread) = @_;
    my ($vec) = $rest =~ /vec = (\d+)/;
    $c->{raised_at} = $t;
    $self->{ticks}{$frame->{timer}{function}} = 1 if $frame->{type} eq 'hrtimer' && ($vec == 1 || $vec == 7);
    # Only the tick raises TIMER, recorded or not (proofs.md R2.7).
    my $by = $thread && $vec != 1 && $vec != 8 ? { type => 'thread', cpu => $c->{nr}, thread => $thread, grade => 'proved' } : undef;
    if ($thread && $thread->{serves}) {
        $thread->{raised_one} = 1;
        $by = undef;
    }
    push @{$c->{raised}{$vec}}, { time => $t, soft => _is_soft($c), chain => [ @{$frame->{chain}}, $by // () ],
        idle => !@{$c->{stack}} && $c->{current} && !$c->{current}{tid} };
}

sub _block {
    my ($self, $t, $c, $name, $rest, $frame) = @_;
    my $request = $self->{block}->event($t, $c->{nr}, $name, $rest) or return;
    $frame->{others} //= $self->_others_complete($c, $frame);
    $frame->{request} = $request;
}

sub _net {
    my ($self, $t, $c, $name, $rest, $frame, $thread) = @_;
    $self->_packet($t, $name =~ s/^net_//r, $rest, $frame, $thread);
}

sub _start {
    my ($self, $t, $c, $name, $rest, $frame, $thread) = @_;
    my %f = $rest =~ /(hrtimer|function|expires|softexpires|mode) = (\w+)/g;
    # A timer restarted by its own function is restarted at its expiry (proofs.md R6.4): its due time is new, its
    # arming old.
    my $behind = ($c->{before} // '') =~ /hrtimer_expire_exit$/;
    my $again = $behind ? $c->{expired}{$f{hrtimer}} : undef;
    my $by = $behind ? undef : $thread;
    my $timer = $self->{hrtimers}{$f{hrtimer}} = { armed_at => $again ? $again->{armed_at} : $t, armed_by => $again ? $again->{armed_by} : $by, %f };
    $by->{armed} = $timer if $by;
    $self->{arms}{$f{function}}{$thread ? 'thread' : 'idle'} = 1 if !$again && !@{$c->{stack}} && $c->{current};
}

sub _cancel {
    my ($self, $t, $c, $name, $rest, $frame, $thread) = @_;
    my ($hrtimer) = $rest =~ /hrtimer = (\w+)/;
    delete $self->{hrtimers}{$hrtimer};
    my $answered = $thread && @{$thread->{wakeups}} ? ($thread->{wakeups}[-1]{cause} // {})->{answered} : undef;
    $answered->{taken_back} = 1 if $answered && $answered->{hrtimer} eq $hrtimer;
}

# A scheduler event: a switch, a wake-up (WAKES), or one that explains an earlier event.
sub _schedules {
    my ($self, $t, $cpu, $c, $name, $rest, $wakes) = @_;
    my $frame = $self->_frame($c);
    my $switches = $name eq 'sched_switch';
    if ($name eq 'napi_poll') {
        $frame->{batch_over} = 1;
        $frame->{polled} = 0;
    } elsif ($name eq 'signal_generate') {
        $self->_signal($c, $rest, _thread($c));
    }

    my ($life, $pending);
    if ($wakes && $rest =~ /comm = ".*", [tp]id = (\d+)/) {
        $life = $self->_life($1, $cpu);
        $pending = $life->{pending};
    }
    if ($name eq 'sched_migrate_task' && !$self->{seen}{sched_waking} && $rest =~ /[tp]id = (\d+)/) {
        my $asleep = $self->_life($1, $cpu);
        $asleep->{moved} = { %{$self->_occupant($cpu)}, time => $t } if $asleep->{state}{state} eq 'blocked';
    }
    my $slept = $life && { how => $life->{state}{state} eq 'blocked' ? $life->{state}{detail} : undef,
        call => ($life->{mode} // '') eq 'syscall' ? $life->{call} : undef };
    $life->{how} = $slept->{how} if $life;
    $self->_wakes_up($life) if $life;
    my $comes = $switches && $rest =~ /next_tid = (\d+)/ ? $self->{now}{$1} : undef;
    my $from = $comes ? $comes->{state}{state} : '';
    my $woken = @{$c->{woken} // []};
    my $leaves = $c->{current};
    my $depth = @{$c->{stack}};
    my $there = $switches && $self->_asks_who_left($name) ? $self->_occupant($cpu) : undef;
    $self->SUPER::_event($t, $cpu, $name, $rest);
    if ($switches) {
        $c->{left} = { %$there, time => $t } if $there && $there->{busy};
        $self->_stretches($c, $t, $leaves);
        $self->_goes_on($t, $c->{current}, $from) if $c->{current};
        delete $leaves->{left_work} if $leaves && $leaves->{state}{state} eq 'blocked';
        $c->{round} = undef if !$self->{rt};
        $c->{lost} = 0 if !$self->_in_gap($t, $cpu);
    }
    $c->{way_out} = undef if !$with_waking{$name} && @{$c->{stack}} >= $depth;
    $c->{lent} = $1 if $name eq 'sched_pi_setprio' && $rest =~ /[tp]id = (\d+)/;
    $self->_woken($t, $cpu, $c, $frame, $life, $pending, $name) if $life;
    $c->{woken}[-1]{slept} = $slept if $slept && @{$c->{woken} // []} > $woken;
    $c->{woken} = undef if !$with_waking{$name} && $name ne 'ipi_send_cpu';
    $c->{before} = $name if $name ne 'sched_migrate_task';
}

sub _sees_calls { return $_[0]{sees_calls} //= ($_[0]{metadata} // '') =~ /"?(?:syscall_entry|sys)_unknown"?;/ ? 1 : 0 }

# True if another CPU may have put a request on the list of the softirq BLOCK that is open on $c since that was raised (proofs.md R2.5).
sub _others_complete {
    my ($self, $c, $frame) = @_;
    my $raise = $frame->{raise} or return 0;
    return 0 if $frame->{type} ne 'softirq' || $frame->{nr} != 4;
    my @others = grep { $_ != $c } values %{$self->{cpu}};
    my @seen = keys %{$self->{seen}};
    return 1 if @others && !((grep { /irq_handler_entry/ } @seen) && (grep { /hrtimer_expire_entry|^local_timer/ } @seen));
    return grep({ !defined $_->{rests} || $_->{rests} > $raise->{time} } @others) ? 1 : 0;
}

# True if there is an event NAME at TIME, on CPU if that is given.
sub has_event {
    my ($self, $name, $time, $cpu) = @_;
    my $at = $self->{places_of}{$name} //= { map { $_ => 1 } map { $_, s/ .*//r } split /\n/, $self->{places}{$name} // '' };
    return $at->{defined $cpu ? "$time $cpu" : $time};
}

# The innermost context, or the current run of the thread (proofs.md R1.1).
sub _frame {
    my ($self, $c) = @_;
    return $c->{stack}[-1] if @{$c->{stack}};
    $c->{stretch} //= { type => 'thread' };
    $c->{stretch}{chain} = $self->_base($c->{nr}, $c->{current});
    return $c->{stretch};
}

sub _in_gap {
    my ($self, $t, $cpu) = @_;
    my $gaps = $self->{known_gaps}{$cpu} or return 0;
    return scalar grep { $t > $_->{from} && $t <= $_->{to} } @$gaps;
}

# Forget what was known of a CPU that lost events (proofs.md R14.1).
sub _gap {
    my ($self, $t, $cpu, $c) = @_;
    my $gaps = $self->{known_gaps}{$cpu};
    my $over = 0;
    $over++ while $over < @$gaps && $gaps->[$over]{to} < $t;
    if ($self->_in_gap($t, $cpu) || ($c->{gaps_over} // 0) < $over) {
        my $entered = !$c->{lost} || ($c->{gaps_over} // 0) < $over;
        if ($entered) {
            @{$c->{stack}} = ();
            @$c{qw(current raised round spare stretch ended woke way_out)} = ();
        }
        $c->{lost} = 1;
    }
    $c->{gaps_over} = $over;
}

sub _entry {
    my ($frame, $grade) = @_;
    return { type => $frame->{type}, nr => $frame->{nr}, name => $frame->{name}, cpu => $frame->{cpu}, entry => $frame->{entry},
        exit => $frame->{exit}, grade => $grade, frame => $frame };
}

# The origin of a context that was just entered.
sub _entered {
    my ($self, $t, $c, $frame, $rest) = @_;
    my $type = $frame->{type};
    my $outer = $c->{stack}[-2];
    push @{$self->{frames}}, $frame;
    my @before;
    if ($type eq 'softirq') {
        @before = $self->_raised($t, $c, $frame);
    } elsif ($type eq 'hrtimer') {
        @before = @{$outer->{chain}} if $outer && ($outer->{type} eq 'irq' && ($outer->{name} // '') eq 'local_timer' || $outer->{text} =~ /softirq HRTIMER/);
        my %f = $rest =~ /(hrtimer|function) = (\w+)/g;
        my $armed = $self->{hrtimers}{$f{hrtimer}} // {};
        $frame->{timer} = { function => $f{function}, armed_by => $armed->{armed_by}, armed_at => $armed->{armed_at}, expires => $armed->{expires}, expired => 1 };
        $self->_expires($t, $frame, $armed, $rest);
        $c->{expired}{$f{hrtimer}} = delete $self->{hrtimers}{$f{hrtimer}};
    } elsif ($type eq 'irq' && $frame->{id} =~ /^irq/) {
        push @{$self->{irqs}}, $frame;
    }
    # (One inside another softirq is of an unrecorded interrupt, as interrupts are off in it, proofs.md R11.1.)
    $frame->{in_softirq} = $outer && $outer->{type} eq 'softirq' && $outer->{nr} == 8;
    $frame->{chain} = [ @before, _entry($frame, 'proved') ];
    $frame->{known} = !$self->_in_gap($t, $frame->{cpu});
}

# True if the pending raises have more than one origin.
sub _mixed {
    my ($c) = @_;
    my @raises = map { @$_ } values %{$c->{raised}};
    return 0 if @raises < 2;
    my %from = map { my $first = $_->{chain}[0]; ($first ? join ' ', map { n($_) } @$first{qw(type cpu entry)} : "at $_->{time}") => 1 } @raises;
    return keys %from > 1;
}

# The chain up to the raise that a softirq answers (proofs.md R2.1 to R2.4, R2.8).
sub _raised {
    my ($self, $t, $c, $frame) = @_;
    my $vec = $frame->{nr};
    my @all = @{$c->{raised}{$vec} // []};
    my $round = $c->{round};
    $round = { start => $t, mixed => _mixed($c), second => $c->{had_round}++ } if !$round || $vec <= $round->{last} || !@all || $all[0]{time} > $round->{start};
    $c->{entered}{$vec} = $t;
    $round->{last} = $vec;
    $c->{round} = $round;

    my $raise = shift @all;
    my @again = grep { $_->{time} <= $round->{start} } @all;
    if (!$raise && @{$c->{spare}{$vec} // []}) {
        ($raise, @again) = @{delete $c->{spare}{$vec}};
        $frame->{spare} = 1;
    }
    $c->{raised}{$vec} = [ grep { $_->{time} > $round->{start} } @all ];
    $c->{spare}{$vec} = [ @again ];
    $c->{answered}{$vec} = $raise;
    if ($raise) {
        $frame->{raise} = $raise;
        $frame->{raised_again} = [ @again ];
        return @{$raise->{chain}} if !$raise->{soft} || !@{$raise->{chain}};
        my @chain = map { { %$_ } } @{$raise->{chain}};
        # A hop's grade is that of the way from it to the next.
        $chain[-1]{raised_softly} = 1;
        return @chain;
    }
    $frame->{unraised} = 1;
    my $last = $c->{ended};
    return if !$last || ($c->{before} // '') !~ /_exit$/ || $last->{type} !~ /^(irq|ipi)$/;
    return map { { %$_, grade => 'inferred' } } @{$last->{chain}};
}

sub _packet {
    my ($self, $t, $what, $rest, $frame, $thread) = @_;
    if ($what eq 'dev_queue') {
        my $sent = $self->{net}->sent($t, $thread ? $thread->{tid} : undef, $rest);
        push @{$thread->{sends}}, $sent if $sent && $thread;
        return;
    }
    my $p = $self->{net}->received($t, $rest) or return;
    # Packets received since the last wake-up or end of a poll may come together (proofs.md R5.3).
    if ($frame->{batch_over}) {
        $frame->{batch} = [];
        $frame->{batch_over} = 0;
    }
    # Only on the loopback is each packet surely delivered before the next is received; but a buffer that is received
    # once more is not waiting to be delivered.
    my $last = $frame->{packet};
    my $apart = $last && ($p->{device} eq 'lo' || $last->{device} eq 'lo');
    $frame->{batch} = [] if $apart;
    $frame->{polled} = 0 if $apart || !$last;
    $frame->{polled}++ if !$frame->{polled} || $last->{skb} ne $p->{skb};
    push @{$frame->{batch}}, $p;
    $frame->{packet} = $p;
}

# Calls that arm no timer except their own time-out. Others arm and postpone timers of sockets: mod_timer() cancels a pending one.
my $waits = qr/^(?:(?:clock_)?nanosleep|p?poll|p?select6?|epoll_p?wait2?|futex(?:_waitv)?|rt_sigtimedwait|io_p?getevents|semtimedop|mq_timed(?:receive|send))$/;

# A timer that the thread armed since its last wait, and that is still pending: the wait was answered in time
# (proofs.md R6.6).
sub _answered {
    my ($self, $life, $record) = @_;
    my $timer = $life->{armed} or return;
    my $still = $self->{hrtimers}{$timer->{hrtimer}};
    return if !$still || $still != $timer || !defined $life->{blocked_at} || $timer->{armed_at} > $life->{blocked_at};
    my $before = $#{$life->{wakeups}};
    $before-- while $before >= 0 && $life->{wakeups}[$before] == $record;
    return if $before >= 0 && $life->{wakeups}[$before]{ended} > $timer->{armed_at};
    $record->{cause}{answered} = { %$timer, expired => 0, in_call => ($life->{mode} // '') eq 'syscall' && ($life->{call} // '') =~ $waits };
}

sub _work {
    my ($self, $t, $c, $name, $rest, $frame, $thread) = @_;
    my %f = $rest =~ /(work|function|req_cpu) = (\w+)/g;
    if ($name eq 'workqueue_queue_work') {
        $self->{works}{$f{work}} = { function => $f{function}, queued_at => $t, queued_by => $thread,
            chain => $frame->{chain}, cpu => $c->{nr} };
        $c->{queued} = $f{work};
        $c->{last_queued} = { time => $t, chain => $frame->{chain}, %{$self->{works}{$f{work}}} };
    } elsif ($name eq 'workqueue_activate_work') {
        $c->{queued} = $f{work};
    } elsif ($name eq 'workqueue_execute_start') {
        my $w = delete $self->{works}{$f{work}} // {};
        $self->_was_for($c->{current}, $w, $f{function}) if $c->{current};
        $self->_takes_left($t, $c, $c->{current}, $w, $f{function}) if $c->{current};
        $c->{current}{work} = { function => $f{function}, queued_at => $w->{queued_at}, queued_by => $w->{queued_by} } if $c->{current};
    } elsif ($name eq 'workqueue_execute_end') {
        @{$c->{current}}{qw(work awaits left_work)} = () if $c->{current};
    }
}

# The wake-ups right before a signal that were for it (proofs.md R8).
my $never_kills = qr/^(?:17|18|19|20|21|22|23|28)$/;        # CHLD CONT STOP TSTP TTIN TTOU URG WINCH
my $dumps_core = qr/^(?:3|4|5|6|7|8|11|24|25|31)$/;         # SIG_KERNEL_COREDUMP_MASK

sub _signal {
    my ($self, $c, $rest, $thread) = @_;
    my @woken = @{$c->{woken} // []} or return;
    my %f = $rest =~ /\b(sig|pid|result|code|group) = (-?\d+)/g;
    # complete_signal() ends a whole process by this signal, and wakes all its threads.
    $f{ends_all} = $f{sig} !~ $never_kills && $f{sig} !~ $dumps_core;
    # A system call that only sends signals.
    $f{called} = $thread && ($thread->{mode} // '') eq 'syscall' && $f{code} =~ /^(?:0|-1|-6)$/
        && ($thread->{call} // '') =~ /^(?:t?kill|tgkill|rt_(?:tg)?sigqueueinfo|pidfd_send_signal)$/;
    $f{target} = $self->{now}{$f{pid}};
    $self->_signalled(\%f, $_, $thread, $_ == $woken[-1]) for @woken;
}

# If several threads were woken, all are for the signal if it is SIGCONT, ends their process, or its sender does nothing else;
# otherwise only the last one is (proofs.md R8.3 to R8.8).
sub _signalled {
    my ($self, $f, $woken, $thread, $last) = @_;
    my ($record, $life, $slept) = @$woken{qw(record life slept)};
    my $cause = ($record // {})->{cause} or return;
    my ($nr, $how) = ($f->{sig}, $slept->{how}); # prev_state: TASK_INTERRUPTIBLE 1, __TASK_STOPPED 4
    my $continues = $nr == 18 && (!defined $how || $how & 4);
    return if $f->{result} != 0 && !($continues && $f->{result} == 1);
    return if defined $how && !($how & 1) && !$continues && $nr =~ $never_kills;
    my $timer = $record->{context} && @{$record->{context}} && $cause->{kind} eq 'timer';
    my $awaited = ($slept->{call} // '') =~ /^(?:wait4|waitid|waitpid|pause|rt_sigsuspend|rt_sigtimedwait|(?:clock_)?nanosleep)$/;
    my $own = !@{$record->{context}};
    my $sure = $own && ($f->{called} || $awaited || ($continues && defined $how));
    return if !$last && !$sure && !$timer && !$f->{ends_all} && !($continues && defined $how);
    my $pid = $life->{pid};
    my $same = defined $pid && ($f->{pid} == $pid || ($f->{target} && defined $f->{target}{pid} && $f->{target}{pid} == $pid));
    return if $f->{pid} != $life->{tid} && !($same && ($f->{group} || ($sure && $f->{ends_all})));
    $cause->{signal} = { number => $nr, name => $signals[$nr] ? "SIG$signals[$nr]" : undef, sender => $thread };
    $cause->{kind} = 'signal' if $sure;
}

# ---------------------------------------------------------------- by hand

sub n { return defined $_[0] ? $_[0] : '-' }

sub in_words {
    my ($cause) = @_;
    my @say = ("$cause->{kind}/$cause->{grade}");
    push @say, "by $cause->{thread}{tid} ($cause->{thread}{name})" if $cause->{thread};
    push @say, join ' > ', map { $_->{type} eq 'thread' ? "thread $_->{thread}{tid}" : "$_->{type} " . n($_->{nr}) . ' ' . n($_->{name}) . " cpu $_->{cpu} \@$_->{entry}" . ($_->{grade} eq 'proved' ? '' : "($_->{grade})") } @{$cause->{chain}}
        if @{$cause->{chain}};
    for my $what (qw(request packet timer work signal)) {
        my $f = $cause->{$what} or next;
        push @say, "$what {" . join(', ', map { "$_=" . n(ref $f->{$_} ? $f->{$_}{tid} : $f->{$_}) } sort keys %$f) . '}';
    }
    push @say, 'batch of ' . @{$cause->{batch}} if $cause->{batch} && @{$cause->{batch}} > 1;
    return join '; ', @say;
}

# All wake-ups in order of time, after all events are read: [life, record].
sub all {
    my ($self) = @_;
    return @{$self->{in_order} //= [ sort { $a->[1]{ended} <=> $b->[1]{ended} || $a->[0]{tid} <=> $b->[0]{tid} }
        map { my $life = $_; map { [ $life, $_ ] } @{$life->{wakeups}} } grep { $_->{tid} } @{$self->{lives}} ]};
}

sub counts {
    my ($self) = @_;
    my %n;
    $n{$_->[1]{cause}{kind}}{$_->[1]{cause}{grade}}++ for $self->all;
    return \%n;
}

sub main {
    my ($path, $what, $arg) = @_;
    my $o = Cause->load($path);
    if (($what // 'counts') eq 'counts') {
        my $n = $o->counts;
        for my $kind (sort keys %$n) {
            printf "%-10s %-8s %6d\n", $kind, $_, $n->{$kind}{$_} for sort keys %{$n->{$kind}};
        }
        return;
    }
    for my $each ($o->all) {
        my ($life, $r) = @$each;
        next if defined $arg && $life->{tid} ne $arg;
        printf "%d cpu %d %s (%s)%s%s: %s\n", $r->{ended}, $r->{cpu}, $life->{tid}, n($life->{name}),
            defined $r->{blocked_at} ? ' waited ' . ($r->{ended} - $r->{blocked_at}) : '',
            $r->{remote} ? " remote cpu $r->{remote}{cpu} +" . ($r->{remote}{time} - $r->{time}) . " in " . n($r->{remote}{in} && $r->{remote}{in}{text}) : '',
            in_words($r->{cause});
    }
}

main(@ARGV) unless caller;
1;
