# SPDX-License-Identifier: MIT
package Oracle;

# States of the threads of a recorded kernel trace, counted straight from the
# events that babeltrace2 prints.
#
# Nothing here knows wakepath: no shared code, no index, no cleverness.  One
# loop over the events in time order keeps, per CPU, the running thread and which
# interrupt contexts are open, and, per thread, one state.  The rules, all
# taken from the kernel's scheduler:
#
#  - A thread is on a CPU from the sched_switch that names it `next` to the one
#    that names it `prev`.  While interrupt contexts are open on that CPU it is
#    `interrupted`; else it is in a system call or in user mode, as its last
#    system call event says, and `running` before its first one.
#  - Switched out while runnable (prev_state 0 or the R+ flag) it is
#    `preempted`; dead or zombie, `exited`; else `blocked`.
#  - try_to_wake_up() emits sched_waking first (where the cause is), then, under
#    the run queue's lock, sched_wakeup (maybe on another CPU, maybe later).
#    The first of the two after the switch-out ends the wait.  A sched_waking
#    that came while the thread was still on the CPU ends nothing when its
#    sched_wakeup follows before the switch-out: the thread never slept.  When
#    that sched_wakeup follows only after the switch-out, the waker overtook the
#    thread on its way out: the wait ends with the sched_wakeup, but its cause is
#    where the sched_waking was.
#  - The CPU that a woken thread waits for is the one sched_wakeup names, until a
#    sched_migrate_task moves it; where it was put at first is its target.  One on
#    the waker's CPU between sched_waking and sched_wakeup is set_task_cpu() of
#    try_to_wake_up(): it names the target already, should sched_wakeup be missing.
#  - From sched_process_fork to its first run a thread is `new`.  It begins in the
#    system call its parent is in: both return from that call.
#  - ksoftirqd is woken after the last softirq handler has returned, when no
#    context is open any more.  The previous event on that CPU shows it.
#  - The state of a thread before its first scheduling event is unknown ('?').
#    A wake-up as the very first event counts as the end of a wait, unless
#    the next event shows that the thread was on a CPU all along; if no event
#    follows, only if the state dump found the thread asleep.
#
# As a program it prints what it counted:
#
#   perl Oracle.pm TRACE [threads | states TID | wakeups TID | cpu N | log | check]

use strict;
use warnings;

# prev_state bits changed in Linux 4.14 (report states, R+ = 0x100); before
# that the bits of task->state were written raw, R+ = TASK_STATE_MAX.
my %bits_new = (preempted => 0x100, dead => 0x10 | 0x20);
my %bits_old = (preempted => 0x800, dead => 0x10 | 0x20 | 0x40);

# Vectors by which one CPU interrupts another.  All others are devices' or the
# CPU's own (local_timer).
my %is_ipi = map { $_ => 1 } qw(call_function call_function_single reschedule irq_work);

my @softirq = qw(HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU);

sub load {
    my ($class, $path) = @_;
    my $self = $class->_new(_env($path, 'kernel_release'));
    $self->{rt} = (_env($path, 'kernel_version') // '') =~ /PREEMPT_RT/;
    $self->{host} = _env($path, 'hostname') // '';
    my ($fh, $err) = _babeltrace($path);
    my @lines = <$fh>;
    close $fh;
    $self->_warnings($err);
    ($self->{begins}, my ($ends, $late)) = _packets($path);
    $self->_unrecorded($ends, $late, \@lines);
    $self->_all_lines(\@lines);
    return $self;
}

sub _all_lines {
    my ($self, $lines) = @_;
    $self->_look_ahead($lines);
    while (defined(my $line = shift @$lines)) {
        $self->_line($line);
    }
    $self->_finish;
}

# Like load(), for lines of text as printed by babeltrace2.
sub of_lines {
    my ($class, $release, @lines) = @_;
    my $self = $class->_new($release);
    $self->_all_lines(\@lines);
    return $self;
}

sub _new {
    my ($class, $release) = @_;
    $release //= '';
    my ($major, $minor) = $release =~ /^(\d+)\.(\d+)/;
    my $old = defined $major && ($major < 4 || $major == 4 && $minor < 14);
    return bless {
        release => $release, bits => $old ? \%bits_old : \%bits_new, host => '',
        lives => [], now => {}, cpu => {}, log => [], events => 0,
        discarded => 0, gaps => [], lines => {},
        sees_interrupts => 0,   # true if any were recorded
        odd => [],              # contradictions, if no events were lost
        clashes => [],          # ... a thread assumed on a CPU that another one leaves
    }, $class;
}

# Threads, their wake-ups and wakers form reference cycles, which Perl would keep until the end.
sub DESTROY {
    my ($self) = @_;
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';
    %$_ = () for @{$self->{lives}}, @{$self->{frames} // []};
}

sub _line {
    my ($self, $line) = @_;
    $line =~ /^\[(\d+)\.(\d{9})\] (?:\S+ )?([\w:]+): \{ cpu_id = (\d+) \}, (.*)/
        or return;
    my ($t, $name, $cpu, $rest) = ("$1$2" + 0, $3, $4, $5);
    $self->{events}++;
    $self->{from} = $t unless defined $self->{from};
    $self->{to} = $t;
    $self->_since_begin($t) if $self->{first} && %{$self->{first}};
    $self->_event($t, $cpu, $name, $rest);
}

# The thread that a CPU's first sched_switch takes out ran there since the CPU's stream began, or since the trace's first event
# if that is later (the tracer is on for all CPUs at once; packets are opened before). A thread whose first event is a wake-up
# slept until then, if the state dump says so.
sub _look_ahead {
    my ($self, $lines) = @_;
    my (%first, %waits);
    for (@$lines) {
        if (/ sched_switch: \{ cpu_id = (\d+) \}.* prev_[tp]id = (\d+), .* next_[tp]id = (\d+)/) {
            my ($cpu, $out, $in) = ($1, $2, $3);
            $first{$cpu} //= { tid => $out, name => /prev_comm = "(.*)", prev_[tp]id/ ? $1 : undef, time => _time($_) };
            $waits{$_} //= 0 for $out, $in;
        } elsif (/ sched_(?:waking|wakeup): .*comm = ".*", [tp]id = (\d+)/) {
            $waits{$1} //= 1;
        }
    }
    my ($from) = map { _time($_) } grep { defined } $lines->[0];
    for my $cpu (keys %first) {
        my $begin = $self->{begins}{$cpu};
        $first{$cpu}{from} = defined $begin && $begin > $from ? $begin : $from;
        delete $first{$cpu} if grep { $_->{cpu} == $cpu && $_->{from} < $first{$cpu}{time} } @{$self->{gaps}};
    }
    @$self{qw(first waits_first)} = (\%first, \%waits);
}

sub _time { return $_[0] =~ /^\[(\d+)\.(\d{9})\]/ ? "$1$2" + 0 : undef }

sub _since_begin {
    my ($self, $t) = @_;
    for my $cpu (grep { $self->{first}{$_}{from} <= $t } keys %{$self->{first}}) {
        my $first = delete $self->{first}{$cpu};
        my $c = $self->_cpu($cpu);
        my $life = $self->_life($first->{tid}, $cpu);
        next if defined $c->{current} || defined $life->{cpu};
        $self->_set_cpu($cpu, $self->{from}) unless $c->{state};
        _named($life, $first->{name}) if defined $first->{name};
        @$life{qw(cpu in_at strict_from first_run)} = ($cpu, ($first->{from}) x 3);
        $c->{current} = $life;
        $self->_set_on_cpu($life, $first->{from}, $cpu);
        $self->_set_cpu($cpu, $first->{from});
    }
}

# The begin of each CPU's first packet and the end of its last one, in nanoseconds since the Epoch, and the CPUs with packets before
# the first one: LTTng's packet header is a magic number, the UUID, the stream's id and instance, then both times, the sizes of its
# content and of itself in bits, and its number.
sub _packets {
    my ($path) = @_;
    open my $meta, '<:raw', "$path/metadata" or return ({}, {}, {});
    local $/;
    my $text = <$meta>;
    my ($clock) = $text =~ /\bclock \{(.*?)\};/s or return ({}, {}, {});
    my $at = 4 + 16 + 4 + ($text =~ /\bstream_instance_id;/ ? 8 : 0);
    my ($freq) = $clock =~ /freq = (\d+)/;
    return ({}, {}, {}) if ($freq // 0) != 1_000_000_000;
    my ($offset) = $clock =~ /\boffset = (\d+)/;
    my ($seconds) = $clock =~ /\boffset_s = (\d+)/;
    my $zero = ($offset // 0) + ($seconds // 0) * 1_000_000_000;
    my $counted = $text =~ /\bpacket_seq_num;/;
    my (%begins, %ends, %late);
    for my $file (glob "$path/*_*") {
        my ($cpu) = $file =~ /_(\d+)$/ or next;
        open my $in, '<:raw', $file or next;
        my ($head, $place, $end) = ('', 0);
        while (seek($in, $place, 0) && (read($in, $head, $at + 40) // 0) == $at + 40 && unpack('V', $head) == 0xc1fc1fc1) {
            (my $begin, $end, undef, my ($bits, $number)) = unpack 'Q<5', substr $head, $at;
            $begins{$cpu} = $begin + $zero if !$place;
            $late{$cpu} = 1 if !$place && $counted && $number;
            $place += $bits / 8 or last;
        }
        $end += $zero if defined $end;
        $ends{$cpu} = $end if defined $end && $end < ($ends{$cpu} // ~0);
    }
    return (\%begins, \%ends, \%late);
}

# Streams of a snapshot, or of a chunk, end one after the other while the session goes on: later events of others are recorded
# without the CPU that has ended. And if earlier packets of a CPU are missing, those of others may reach farther back.
sub _unrecorded {
    my ($self, $ends, $late, $lines) = @_;
    my ($first, $last) = map { _time($_) } grep { defined } @$lines[0, -1];
    push @{$self->{gaps}}, map { { from => $first, to => $self->{begins}{$_}, cpu => $_, count => 0 } }
        grep { defined $first && $self->{begins}{$_} > $first } sort { $a <=> $b } keys %$late;
    push @{$self->{gaps}}, map { { from => $ends->{$_}, to => $last, cpu => $_, count => 0 } }
        grep { defined $last && $ends->{$_} < $last } sort { $a <=> $b } keys %$ends;
}

# The trace's text, and a file with babeltrace2's warnings.
sub _babeltrace {
    my ($path) = @_;
    require File::Temp;
    my $err = File::Temp->new(TEMPLATE => 'oracle-XXXXXX', TMPDIR => 1);
    my $pid = open(my $fh, '-|') // die "fork: $!";
    if (!$pid) {
        $ENV{TZ} = 'UTC';
        open STDERR, '>', $err->filename or die;
        exec "babeltrace2", "--clock-seconds", "--no-delta", "--names=payload,context", $path
            or die "babeltrace2: $!";
    }
    return ($fh, $err);
}

# "Tracer discarded 452 events between [T] and [T] in trace ... stream ID: 0"
sub _warnings {
    my ($self, $err) = @_;
    open my $fh, '<', $err->filename or return;
    local $ENV{TZ} = 'UTC';
    while (<$fh>) {
        /Tracer discarded (\d+) (event|packet)s? between \[(.*?)\] and \[(.*?)\].*stream ID: (\d+)/
            or next;
        my ($n, $what, $cpu) = ($1, $2, $5);
        my ($from, $to) = map { _clock($_) } $3, $4;
        $self->{discarded} += $n if $what eq 'event';
        push @{$self->{gaps}}, { from => $from, to => $to, cpu => $cpu, count => $n };
    }
}

# Warnings carry dates even where --clock-seconds is asked for.
sub _clock {
    my ($text) = @_;
    return "$1$2" + 0 if $text =~ /^(\d+)\.(\d{9})$/;
    require Time::Local;
    $text =~ /^(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)\.(\d{9})$/ or return undef;
    return Time::Local::timegm($6, $5, $4, $3, $2 - 1, $1) . $7;
}

# A value of the trace's environment, out of the metadata file.
sub _env {
    my ($path, $key) = @_;
    open my $fh, '<:raw', "$path/metadata" or return undef;
    local $/;
    my $text = <$fh>;
    return $text =~ /\b$key\s*=\s*"([^"]*)"/ ? $1 : undef;
}

# ---------------------------------------------------------------- lives

sub _life {
    my ($self, $tid, $cpu) = @_;
    my $key = $tid ? $tid : "0/$cpu";       # one idle thread per CPU
    return $self->{now}{$key} //= $self->_new_life($key, $tid, undef);
}

sub _new_life {
    my ($self, $key, $tid, $birth) = @_;
    my $life = {
        tid => $tid, key => $key, birth => $birth, names => {},
        intervals => [], wakeups => [], unseen => [], on_cpu => 0, mode => 'running', call => '',
        state => { from => $birth // $self->{from}, state => defined $birth ? 'new' : '?' },
        strict_from => $birth, cpu => undef,
    };
    push @{$self->{lives}}, $life;
    return $self->{now}{$key} = $life;
}

# A thread that left its CPU dead or as a zombie, and was not woken since, is over. A thread that runs with its TID is another one,
# unknown in between (proofs.md R25.4).
sub _life_after {
    my ($self, $over) = @_;
    my $life = $self->_new_life(@$over{qw(key tid)}, undef);
    $over->{end} = $life->{state}{from} = $over->{exited};
    return $life;
}

sub n { return defined $_[0] ? $_[0] : '-' }

sub _named {
    my ($life, $name) = @_;
    $life->{names}{$name} = 1;
    $life->{name} = $name;
}

# The thread is in `state` from t on.
sub _set {
    my ($life, $t, $state, $detail, $cpu) = @_;
    my $now = $life->{state};
    $now->{to} = $t;
    push @{$life->{intervals}}, $now if $t > $now->{from};
    $life->{state} = { from => $t, state => $state, detail => $detail, cpu => $cpu };
}

# Recompute what a thread on a CPU is doing.
sub _set_on_cpu {
    my ($self, $life, $t, $cpu) = @_;
    my $c = $self->{cpu}{$cpu};
    my $stack = $c->{stack};
    if (@$stack && !($self->{rt} && $self->_in_thread($c))) {
        _set($life, $t, 'interrupted', $stack->[-1]{text}, $cpu);
    } else {
        _set($life, $t, $life->{mode}, $life->{mode} eq 'syscall' ? $life->{call} : undef, $cpu);
    }
}

# On PREEMPT_RT a softirq is the work of a thread (local_bh_enable(), run_ksoftirqd()), which may be preempted
# in it.
sub _in_thread {
    my ($self, $c) = @_;
    my $stack = $c->{stack};
    return $self->{rt} && @$stack && $stack->[0]{type} eq 'softirq' && $c->{current} && $c->{current}{tid}
        && !grep { $stack->[$_]{type} ne 'softirq' && !($stack->[$_]{type} eq 'hrtimer' && $stack->[$_ - 1]{text} =~ /^softirq HRTIMER/) } 1 .. $#$stack;
}

sub _cpu {
    my ($self, $cpu) = @_;
    return $self->{cpu}{$cpu} //= { stack => [], current => undef, intervals => [], state => undef };
}

# Set the state of the CPU from t on.
sub _set_cpu {
    my ($self, $cpu, $t) = @_;
    my $c = $self->{cpu}{$cpu};
    my $current = $c->{current};
    my $state = !defined $current  ? '?'
              : @{$c->{stack}}     ? ($self->{rt} && $self->_in_thread($c) ? 'running' : 'interrupted')
              : $current->{tid}    ? 'running' : 'idle';
    my $tid = defined $current ? $current->{tid} : undef;
    if (my $now = $c->{state}) {
        $now->{to} = $t;
        push @{$c->{intervals}}, $now if $t > $now->{from};
    }
    $c->{state} = { from => $t, state => $state, tid => $tid };
}

# ---------------------------------------------------------------- events

# The handlers by event name; the first match counts. Each name is matched once.
my @handlers = (
    [ qr/^sched_(?:waking|wakeup|wakeup_new)$/ => \&_on_wake ],
    [ qr/^syscall_entry_\w+|^(?:compat_)?sys_\w+/ => \&_on_call ],
    [ qr/^syscall_exit_|^exit_syscall$/ => sub { my ($self, $t, $cpu) = @_; $self->_mode($t, $cpu, 'usermode', undef) } ],
    [ qr/^(?:irq_handler|(?:irq_)?softirq|(?:timer_)?hrtimer_expire|(?:x86_)?irq_vectors_\w+)_(?:entry|exit)$/ => \&_on_context ],
    [ qr/^sched_switch$/ => \&_on_switch ],
    [ qr/^sched_process_fork$/ => \&_on_fork ],
    [ qr/^sched_process_exec$/ => \&_on_exec ],
    [ qr/^sched_migrate_task$/ => \&_on_migrate ],
    [ qr/^lttng_logger$/ => \&_on_log ],
    [ qr/^lttng_statedump_process_state$/ => \&_on_dump ],
    [ qr/./ => sub { } ],
);
my %handler;

sub _handler {
    my ($name) = @_;
    return $handler{$name} //= (grep { $name =~ $_->[0] } @handlers)[0][1];
}

# sigreturn, which LTTng cannot name on most machines, goes to user mode with the registers from before the signal. That discards its
# number, so it has no exit event, or one of call -1 (restore_sigcontext(), syscall_get_nr()).
sub is_sigreturn {
    my ($name, $rest) = @_;
    return $name =~ /(?:entry|sys)_(?:rt_)?sigreturn$/ || ($name =~ /(?:entry|sys)_unknown$/ && $rest =~ /\bid = (?:15|139|119|173),/);
}

# True if the event begins or ends an interrupt context.
sub _is_context { return _handler($_[0]) == \&_on_context }

sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    my $c = $self->{cpu}{$cpu} // $self->_cpu($cpu);
    $self->_set_cpu($cpu, $t) unless $c->{state};
    $c->{seen_from} //= $t;
    $c->{seen_to} = $t;
    ($handler{$name} // _handler($name))->($self, $t, $cpu, $name, $rest);
    $c->{last} = $name;
}

sub _on_context {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $self->_interrupt($t, $cpu, _context($name, $rest));
}

sub _on_switch {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $rest =~ /prev_comm = "(.*)", prev_[tp]id = (\d+), prev_prio = -?\d+, prev_state = (\d+), next_comm = "(.*)", next_[tp]id = (\d+)/
        or die "unreadable: $name $rest";
    $self->_switch($t, $cpu, $1, $2, $3, $4, $5);
}

sub _on_wake {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $rest =~ /comm = "(.*)", [tp]id = (\d+), prio = -?\d+,(?: success = (\d+),)? target_cpu = (\d+)/
        or die "unreadable: $name $rest";
    return if defined $3 && !$3;    # it was on a run queue (proofs.md R13.3)
    $self->_wake($t, $cpu, substr($name, length 'sched_'), $1, $2, $4);
}

sub _on_fork {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $rest =~ /parent_comm = "(.*?)", parent_[tp]id = (\d+),.*child_comm = "(.*?)", child_tid = (\d+)/
        or die "unreadable: $name $rest";
    my ($is, $from, $who, $tid) = ($1, $2, $3, $4);
    my $parent = $self->_life($from, $cpu);
    _named($parent, $is);
    my $life = $self->_new_life($tid, $tid, $t);
    _named($life, $who);
    $life->{parent} = $from;
    ($life->{pid}) = $rest =~ /\bchild_pid = (\d+)/;
    ($life->{ppid}) = $rest =~ /\bparent_pid = (\d+)/ if n($life->{pid}) eq $tid;
    @$life{qw(mode call)} = @$parent{qw(mode call)} if $parent->{mode} eq 'syscall';
}

sub _on_migrate {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $rest =~ /[tp]id = (\d+),.* orig_cpu = (\d+), dest_cpu = (\d+)/ or die "unreadable: $name $rest";
    $self->_migrate($t, $cpu, $1, $3);
}

my %calls;      # event's name => the call's name

sub _on_call {
    my ($self, $t, $cpu, $name, $rest) = @_;
    return $self->_mode($t, $cpu, 'usermode', undef) if is_sigreturn($name, $rest);
    $self->_mode($t, $cpu, 'syscall', $calls{$name} //= $name =~ s/^(?:syscall_entry_|(?:compat_)?sys_)//r);
}

sub _on_log {
    my ($self, $t, $cpu, $name, $rest) = @_;
    my ($msg) = $rest =~ /msg = "(.*)"/;
    push @{$self->{log}}, { time => $t, cpu => $cpu, msg => $msg, life => $self->{cpu}{$cpu}{current} };
}

sub _on_dump {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $rest =~ /\btid = (\d+),.* name = "(.*?)", type.* status = (?:\( "\w*" : container = )?(\d+)/
        or die "unreadable: $name $rest";
    my ($tid, $who, $status) = ($1, $2, $3);
    my $life = $self->_life($tid, $cpu);
    _named($life, $who) if $tid;
    ($life->{pid}, $life->{ppid}) = $rest =~ /\bpid = (\d+),.*\bppid = (\d+)/;
    if ($status == 5 && $life->{state}{state} eq '?') {
        $life->{asleep} = $t;
        $self->_sleeps($life, $t) if $self->{waits_first}{$tid} // 1;
    }
}

# The kernel names it after the file, cut to 15 bytes.
sub _on_exec {
    my ($self, $t, $cpu, $name, $rest) = @_;
    my ($file, $tid) = $rest =~ m{filename = "(?:.*/)?([^"/]*)", [tp]id = (\d+)} or die "unreadable: $name $rest";
    _named($self->_life($tid, $cpu), substr $file, 0, 15);
}

# It was neither switched out nor woken, and now it waits: at least from here on.
sub _sleeps {
    my ($self, $life, $t) = @_;
    return if @{$self->{gaps}} || %{$self->{first}} || $life->{guess};
    _set($life, $t, 'blocked', undef, undef);
    $life->{strict_from} //= $t;
}

# The interrupt context that event NAME begins or ends (way). Except for timers there are few, so each text is parsed once.
my %contexts;

sub _context {
    my ($name, $rest) = @_;
    return @{$contexts{$name}{$rest} // _read_context($name, $rest)};
}

sub _read_context {
    my ($name, $rest) = @_;
    my ($who, $way) = $name =~ /^(.*)_(entry|exit)$/;
    if ($who eq 'hrtimer_expire' || $who eq 'timer_hrtimer_expire') {
        my ($timer) = $rest =~ /hrtimer = (\w+)/;
        return [ $way, { type => 'hrtimer', id => "hrtimer $timer", text => 'hrtimer' } ];
    }
    return $contexts{$name}{$rest} = [ $way, _interrupt_of($who, $rest) ];
}

sub _interrupt_of {
    my ($who, $rest) = @_;
    if ($who eq 'irq_handler') {
        my ($nr) = $rest =~ /irq = (\d+)/;
        my ($is) = $rest =~ /name = "(.*)"/;
        return { type => 'irq', id => "irq $nr", nr => $nr, name => $is, text => "IRQ $nr" . (defined $is ? " $is" : '') };
    }
    if ($who eq 'softirq' || $who eq 'irq_softirq') {
        my ($vec) = $rest =~ /vec = (\d+)/;
        return { type => 'softirq', id => "softirq $vec", nr => $vec, name => $softirq[$vec], text => "softirq $softirq[$vec]" };
    }
    $who =~ s/^(?:x86_)?irq_vectors_//;
    my ($nr) = $rest =~ /vector = (\d+)/;
    return { type => 'ipi', id => "vector $who", name => $who, text => "ipi $who" } if $is_ipi{$who};
    return { type => 'irq', id => "vector $who", nr => $nr, name => $who, text => "IRQ $nr $who" };
}

sub _interrupt {
    my ($self, $t, $cpu, $way, $context) = @_;
    my $c = $self->{cpu}{$cpu};
    my $stack = $c->{stack};
    $self->{sees_interrupts} = 1;
    if ($context->{type} eq 'irq' && $context->{id} =~ /^irq/) {
        my $line = $self->{lines}{$context->{nr}} //= [];
        if ($way eq 'entry') {
            push @$line, { from => $t, cpu => $cpu };
        } elsif (@$line) {
            $line->[-1]{to} = $t;
        }
    }
    if ($way eq 'entry') {
        push @$stack, { %$context, entry => $t, cpu => $cpu };
    } else {
        my $at = $#$stack;
        $at-- while $at >= 0 && $stack->[$at]{id} ne $context->{id};
        if ($at < 0) {
            push @{$self->{odd}}, "$t cpu $cpu: exit of $context->{id}, never entered"
                if $c->{switches};          # cut by the begin of the trace: fine
            return;
        }
        push @{$self->{odd}}, "$t cpu $cpu: exit of $context->{id}, not the innermost"
            if $at != $#$stack;
        splice @$stack, $at;
    }
    $self->_set_cpu($cpu, $t);
    $self->_set_on_cpu($c->{current}, $t, $cpu) if $c->{current};
}

sub _mode {
    my ($self, $t, $cpu, $mode, $call) = @_;
    my $life = $self->{cpu}{$cpu}{current} or return;
    $life->{mode} = $mode;
    $life->{call} = $call;
    $self->_set_on_cpu($life, $t, $cpu);
}

sub _switch {
    my ($self, $t, $cpu, $prev_name, $prev_tid, $prev_state, $next_name, $next_tid) = @_;
    my $c = $self->{cpu}{$cpu};
    my $prev = $self->_life($prev_tid, $cpu);
    my $next = $self->_life($next_tid, $cpu);
    $next = $self->_life_after($next) if $next != $prev && $next->{state}{state} eq 'exited';
    _named($prev, $prev_name);
    _named($next, $next_name);

    if (defined $c->{current} && $c->{current} != $prev) {
        push @{$self->{odd}}, "$t cpu $cpu: $prev_tid leaves, but $c->{current}{tid} was running";
        push @{$self->{clashes}}, [ $t, $cpu, $c->{current}{tid} ] if $c->{current}{tid};
    }
    # On PREEMPT_RT a softirq runs in a thread, which may be preempted in it.
    my @soft = $self->{rt} ? @{$c->{stack}} : ();
    shift @soft while @soft && $soft[0]{type} !~ /^(softirq|hrtimer)$/;
    $prev->{held} = @soft && !(grep { $_->{type} !~ /^(softirq|hrtimer)$/ } @soft) ? [ @soft ] : undef;
    @{$c->{stack}} = @{$next->{held} && $next->{held}[0]{cpu} == $cpu ? $next->{held} : []};
    $next->{held} = undef if $next != $prev;
    push @{$c->{switches}}, $t;

    # Out.
    if (defined $prev->{cpu}) {
        push @{$self->{odd}}, "$t cpu $cpu: $prev_tid leaves, but was on CPU $prev->{cpu}"
            if $prev->{cpu} != $cpu;
        $prev->{on_cpu} += $t - $prev->{in_at};
    } elsif (!defined $prev->{strict_from} || $prev->{guess}) {
        # It was on this CPU since before the trace; an earlier wake-up ended no wait.
        $prev->{state}{state} = '?';
        $prev->{wakeups} = [];
        $prev->{strict_from} = $t;
        $prev->{guess} = 0;
    } else {
        push @{$self->{odd}}, "$t cpu $cpu: $prev_tid leaves, but was not on a CPU";
    }
    $prev->{cpu} = undef;
    if ($prev_tid == 0) {
        _set($prev, $t, 'off', undef, undef);
    } elsif ($prev_state == 0 || $prev_state & $self->{bits}{preempted}) {
        _set($prev, $t, 'preempted', undef, $cpu);
    } elsif ($prev_state & $self->{bits}{dead}) {
        _set($prev, $t, 'exited', undef, undef);
        $prev->{exited} = $t;
    } else {
        _set($prev, $t, 'blocked', $prev_state, undef);
        $prev->{blocked_at} = $t;
        $prev->{blocked_state} = $prev_state;
    }

    # In.
    push @{$self->{odd}}, "$t cpu $cpu: $next_tid enters, but was on CPU $next->{cpu}"
        if defined $next->{cpu} && $next != $prev;
    if ($next_tid) {
        if ($next->{state}{state} eq 'blocked') {
            # No event woke it: prev_state said "sleeping", yet a pending signal kept it on the run queue.
            push @{$self->{odd}}, "$t cpu $cpu: $next_tid runs again, nobody woke it";
            push @{$next->{unseen}}, $t;    # or the events of another CPU end before
        }
        my $last = $next->{wakeups}[-1];
        $last->{ran_at} = $t if $last && !defined $last->{ran_at};
    }
    $next->{guess} = 0;
    $next->{strict_from} //= $t;
    $next->{first_run} //= $t;
    $next->{cpu} = $cpu;
    $next->{in_at} = $t;
    $c->{current} = $next;
    $self->_set_on_cpu($next, $t, $cpu);
    $self->_set_cpu($cpu, $t);
}

sub _wake {
    my ($self, $t, $cpu, $which, $name, $tid, $target) = @_;
    my $life = $self->_life($tid, $cpu);
    my $c = $self->{cpu}{$cpu};
    _named($life, $name);
    my $record = {
        event => "sched_$which", time => $t, cpu => $cpu, target => $target,
        waker => $c->{current} ? $c->{current}{tid} : undef,
        context => [ map { { %$_ } } @{$c->{stack}} ],
    };
    # A thread that raises a softirq wakes ksoftirqd itself; if no interrupts were recorded, it is unknown.
    $record->{softirqs_end} = n($c->{last}) =~ /softirq_exit$/ ? 'surely'
                            : n($c->{last}) =~ /softirq_raise$/ || !$self->{sees_interrupts} ? 'maybe' : undef
        if $name eq "ksoftirqd/$cpu" && !@{$c->{stack}};
    if ($which eq 'wakeup_new') {
        $record->{ended} = $t;
        push @{$life->{wakeups}}, $record;
        _set($life, $t, 'wait-cpu', undef, $target) if $life->{state}{state} eq 'new';     # TASK_RUNNING from here on (wake_up_new_task())
        return;
    }

    my $state = $life->{state}{state};
    if ($state eq 'exited') {           # exit_state is separate since 4.14: it slept on its way to its end (proofs.md R25.4)
        $state = $life->{state}{state} = 'blocked';
        $life->{blocked_at} = $life->{exited};
    }
    if ($which eq 'waking') {
        $life->{pending} = $record;
        if ($state eq 'blocked' || $state eq '?') {
            $self->_end_wait($life, $t, $record);
        }
        return;
    }

    # sched_wakeup
    my $pending = delete $life->{pending};
    $pending->{target} = $target if $pending;
    if ($state eq 'blocked' || $state eq '?') {
        $pending->{overtook} = 1 if $pending;
        $self->_end_wait($life, $t, $pending // $record);
    }
    # From the begin of the wait, replacing any other CPU assumed so far.
    _aim($life, $pending, $target) if $pending;
}

# By the wake-up PENDING, LIFE waited for CPU TARGET from the start.
sub _aim {
    my ($life, $pending, $target) = @_;
    $pending->{target} = $target;
    return unless defined $pending->{ended} && $life->{state}{state} eq 'wait-cpu';
    my $i = @{$life->{intervals}};
    $life->{intervals}[$i]{cpu} = $target while --$i >= 0 && $life->{intervals}[$i]{from} >= $pending->{ended};
    $life->{state}{cpu} = $target;
}

# Moved to the run queue of another CPU.
sub _migrate {
    my ($self, $t, $cpu, $tid, $to) = @_;
    my $life = $self->_life($tid, $cpu);
    my $pending = $life->{pending};
    return _aim($life, $pending, $to) if $pending && $pending->{cpu} == $cpu && !defined $pending->{ran_at};
    _set($life, $t, $life->{state}{state}, undef, $to) if $life->{state}{state} =~ /^(wait-cpu|preempted)$/;
}

sub _end_wait {
    my ($self, $life, $t, $record) = @_;
    if ($life->{state}{state} eq '?') {
        $life->{guess} = 1;
        $life->{strict_from} = $t;
        $record->{first} = 1;
    } else {
        $record->{blocked_at} = $life->{blocked_at};
    }
    $record->{ended} = $t;
    push @{$life->{wakeups}}, $record;
    _set($life, $t, 'wait-cpu', undef, $record->{target});
}

sub _finish {
    my ($self) = @_;
    my $end = $self->{to};
    for my $life (@{$self->{lives}}) {
        my $next = $self->_next_life($life);
        $life->{end} //= $next ? $next->{birth} : $end;
        if (defined $life->{cpu}) {
            $life->{on_cpu} += $end - $life->{in_at};
        }
        _set($life, $life->{end}, 'end');
        if ($life->{guess} && !$life->{asleep}) {           # woken, then nothing more
            $life->{wakeups} = [];
            $life->{strict_from} = undef;
        }
    }
    for my $c (values %{$self->{cpu}}) {
        push @{$c->{intervals}}, { %{$c->{state}}, to => $end } if $c->{state}{from} < $end;
    }
}

sub _next_life {
    my ($self, $life) = @_;
    $self->{lives_of} //= do {
        my %of;
        push @{$of{$_->{key}}}, $_ for @{$self->{lives}};
        \%of;
    };
    my @same = @{$self->{lives_of}{$life->{key}}};
    for my $i (0 .. $#same - 1) {
        return $same[$i + 1] if $same[$i] == $life;
    }
    return undef;
}

# ---------------------------------------------------------------- questions

# Lives of a TID, or of the threads that ever had a name.
sub lives_of_tid {
    my ($self, $tid) = @_;
    if (!$self->{of_tid}) {
        push @{$self->{of_tid}{$_->{tid}}}, $_ for @{$self->{lives}};
    }
    return @{$self->{of_tid}{$tid} // []};
}
sub lives_of_name {
    my ($self, $name) = @_;
    return grep { $_->{names}{$name} } @{$self->{lives}};
}

# Intervals, joined where `key` of neighbours is equal, cut to [from, to); the last state lasts on.
sub joined {
    my ($intervals, $from, $to, $class) = @_;
    my (@out, $end, $is);
    my $last = $intervals->[-1];
    for my $one (@$intervals) {
        my ($a, $b) = ($one->{from}, $one->{to});
        $b = $to if $b > $to || $one == $last;
        $a = $from if $a < $from;
        next if $a >= $b;
        my $text = $class->($one);
        if (@out && $is eq $text && $end == $a) {
            $out[-1][1] = $end = $b;
        } else {
            push @out, [ $a, $end = $b, $is = $text ];
        }
    }
    return \@out;
}

# Nanoseconds per state in [from, to), of these intervals.
sub sums {
    my ($intervals, $from, $to) = @_;
    my %sum;
    my $last = $intervals->[-1];
    for my $one (@$intervals) {
        my ($a, $b) = @$one{qw(from to)};
        $b = $to if $b > $to || $one == $last;
        $a = $from if $a < $from;
        $sum{$one->{state}} += $b - $a if $a < $b;
    }
    return \%sum;
}

# ---------------------------------------------------------------- by hand

sub main {
    my ($path, $what, $arg) = @_;
    die "usage: Oracle.pm TRACE [threads | states TID | wakeups TID | cpu N | log | check]\n"
        unless defined $path;
    $what //= 'threads';
    my $o = Oracle->load($path);
    if ($what eq 'threads') {
        printf "%s %s: %d events, [%s, %s), %d discarded\n", @$o{qw(host release events from to discarded)};
        for my $life (@{$o->{lives}}) {
            my $sum = sums($life->{intervals}, $life->{birth} // $o->{from}, $life->{end});
            printf "%6s %s on_cpu=%d wakeups=%d %s [%s]\n", $life->{key}, $life->{birth} // '-', $life->{on_cpu},
                scalar @{$life->{wakeups}}, join(' ', map { "$_=$sum->{$_}" } sort keys %$sum),
                join('|', sort keys %{$life->{names}});
        }
    } elsif ($what eq 'states') {
        for my $life (grep { $_->{key} eq $arg } @{$o->{lives}}) {
            printf "%d %d %12d %s %s %s\n", $_->{from}, $_->{to}, $_->{to} - $_->{from}, $_->{state},
                $_->{detail} // '-', $_->{cpu} // '-' for @{$life->{intervals}};
        }
    } elsif ($what eq 'wakeups') {
        for my $life (grep { $_->{key} eq $arg } @{$o->{lives}}) {
            printf "%s %d cpu %d target %s by %s in [%s] ended %d ran %s%s\n", @$_{qw(event time cpu)},
                $_->{target}, $_->{waker} // '?', join(' > ', map { $_->{text} } @{$_->{context}}),
                $_->{ended}, $_->{ran_at} // '-', $_->{overtook} ? ' overtook' : '' for @{$life->{wakeups}};
        }
    } elsif ($what eq 'cpu') {
        printf "%d %d %s %s\n", @$_{qw(from to state)}, $_->{tid} // '-' for @{$o->{cpu}{$arg}{intervals}};
    } elsif ($what eq 'log') {
        printf "%d cpu %d tid %s %s\n", @$_{qw(time cpu)}, $_->{life} ? $_->{life}{tid} : '?', $_->{msg} for @{$o->{log}};
    } elsif ($what eq 'check') {
        my ($overtook, $bad) = (0, 0);
        for my $life (@{$o->{lives}}) {
            my $sum = sums($life->{intervals}, $life->{strict_from} // $life->{end}, $life->{end});
            my $on = 0;
            $on += $sum->{$_} // 0 for qw(running usermode syscall interrupted);
            next if !defined $life->{strict_from};
            $bad++, print "$life->{key}: on CPU $on by states, $life->{on_cpu} by switches\n" if $on != $life->{on_cpu};
            $overtook += grep { $_->{overtook} } @{$life->{wakeups}};
        }
        print "$_\n" for @{$o->{odd}};
        printf "%s: %d lives, %d odd, %d sums off, %d wake-ups overtook the sleeper\n",
            $path, scalar @{$o->{lives}}, scalar @{$o->{odd}}, $bad, $overtook;
    } else {
        die "unknown question: $what\n";
    }
}

main(@ARGV) unless caller;
1;
