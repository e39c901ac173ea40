# SPDX-License-Identifier: MIT
package Machine;

# A made-up machine: its threads take the CPUs from each other as in a kernel, and the result is its events. A host's threads may be
# the virtual CPUs of other machines of this kind. A guest acts while the thread of its virtual CPU is inside, at least some hundred
# ns from both ends of that.
#
# Each event is [time, cpu, name, fields...] by the clock of the outermost host. Random choices use Perl's rand().

use strict;
use warnings;

my %exits = (1 => { interrupt => 1, halt => 12, other => [ 28, 30, 48 ] }, 2 => { interrupt => 0x60, halt => 0x78, other => [ 0x7c, 0x7b, 0x400 ] });

# OF: name, cpus, isa (of its virtualisation), start (of everything). ADD threads, then `run`.
sub new {
    my ($class, %of) = @_;
    my $self = bless { isa => 2, threads => {}, events => [], %of }, $class;
    $self->{cpu} = [ map { { nr => $_, busy => 0, last => 0, thread => { tid => 0, name => "swapper/$_", state => 'idle' } } } 0 .. $of{cpus} - 1 ];
    return $self;
}

# A thread; OF: name, and for a virtual CPU: machine and its cpu.
sub add {
    my ($self, $tid, %of) = @_;
    $self->{threads}{$tid} = { tid => $tid, state => 'asleep', since => 0, until => $self->{start} + between(1000, 500_000), last_cpu => $tid % $self->{cpus}, prio => 20, %of };
    $of{guest}{cpu}[$of{guest_cpu}]{runner} = $tid if $of{guest};
    return $self;
}

# A host (name → machine) until TO, of two CPUs and ISA, on which the guests one and two have two virtual CPUs each (VCPUS: name → CPU → TID), and its state dump.
our %vcpus = (one => { 0 => 11, 1 => 12 }, two => { 0 => 21, 1 => 22 });
sub two_guests {
    my ($start, $to, $isa) = @_;
    my %machine = map { ($_ => Machine->new(cpus => 2, start => $start, isa => $isa)) } qw(host one two);
    for my $guest (sort keys %vcpus) {
        $machine{host}->add($vcpus{$guest}{$_}, name => "CPU $_/KVM", guest => $machine{$guest}, guest_cpu => $_) for 0, 1;
        $machine{$guest}->add(100 + $_, name => "$guest-$_") for 1 .. 4;
    }
    $machine{host}->add(30, name => 'hog');
    $machine{host}->run($to);
    return \%machine;
}

# The state dump of the host of two() at T.
sub dump_of_two {
    my ($t) = @_;
    return map { my ($tid, $pid, $name) = @$_; [ $t - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $name, 0, 5, 0, 5, 0 ] }
        [ 10, 10, 'qemu-one' ], [ 11, 10, 'CPU 0/KVM' ], [ 12, 10, 'CPU 1/KVM' ], [ 20, 20, 'qemu-two' ], [ 21, 20, 'CPU 0/KVM' ], [ 22, 20, 'CPU 1/KVM' ], [ 30, 30, 'hog' ];
}

sub between { my ($least, $most) = @_; return $least + int rand($most - $least) }

# All CPUs of the outermost host until TO.
sub run {
    my ($self, $to) = @_;
    for (my $t = $self->{start}; $t < $to; $t += 20_000) {
        $self->_advance($_, $t, $t + 20_000) for @{$self->{cpu}};
    }
}

# Times are rounded so that no two CPUs have an event at one time, and are later than the CPU's last event.
sub _emit {
    my ($self, $c, $t, $name, @fields) = @_;
    $t = int($t / 16) * 16 + 2 * $c->{nr};
    $t = $c->{last} + 16 if $t <= $c->{last};
    push @{$self->{events}}, [ $t, $c->{nr}, $name, @fields ];
    return $c->{last} = $t;
}

# Advance CPU C from A until B, or until it halts; returns the time reached, and whether it halts.
sub _advance {
    my ($self, $c, $a, $b) = @_;
    my $t = $a;
    while ($b - $t > 5000) {
        if ($c->{busy} > 0) {
            my $step = $c->{busy} < $b - $t ? $c->{busy} : $b - $t;
            $t += $step;
            $c->{busy} -= $step;
            next;
        }
        if ($c->{thread}{inside}) {
            $t = $self->_guest($c, $t, $b - 4000);    # leave time for what follows an exit
        } elsif (!$c->{thread}{tid}) {
            return ($t, 1) if defined $c->{runner} && $self->_idle($c, $t);
            $self->_idle($c, $t) if !defined $c->{runner};
        } elsif ($c->{thread}{guest}) {
            $self->_vcpu($c, $t);
        } else {
            $self->_work($c, $t);
        }
        $t = $c->{last} + 16 if $t < $c->{last} + 16;
    }
    return ($b, 0);
}

# While the thread of C is inside its guest.
sub _guest {
    my ($self, $c, $t, $b) = @_;
    my $v = $c->{thread};
    my $to = $v->{left} <= $b - $t ? $t + $v->{left} : $b;
    my ($end, $halts) = $v->{guest}->_advance($v->{guest}{cpu}[$v->{guest_cpu}], $t + 900, $to - 900);
    $v->{left} -= $to - $t;
    if (!$halts && $v->{left} > 0) {
        return $b;
    }
    $t = $halts ? $end + 900 : $to;
    my $codes = $exits{$self->{isa}};
    my $reason = $halts ? $codes->{halt} : rand() < 0.4 ? $codes->{other}[ rand 3 ] : $codes->{interrupt};
    $t = $self->_interrupt($c, $t) if $reason == $codes->{interrupt};
    $self->_emit($c, $t + 200, 'kvm_x86_exit', $reason, $self->{isa});
    $v->{inside} = 0;
    $v->{next} = $halts ? 'halt' : rand() < 0.25 && $reason == $codes->{interrupt} ? 'yield' : rand() < 0.03 ? 'block' : 'enter';
    $c->{busy} = between(2000, rand() < 0.1 ? 300_000 : 20_000);
    return $t;
}

# The thread of a virtual CPU, not inside.
sub _vcpu {
    my ($self, $c, $t) = @_;
    my $v = $c->{thread};
    my $next = $v->{next} // 'enter';
    $v->{next} = 'enter';
    if ($next eq 'halt' || $next eq 'block') {
        $self->_sleep($c, $t, between(30_000, rand() < 0.3 ? 3_000_000 : 400_000));
    } elsif ($next eq 'yield' && (my $other = $self->_ready($c, $t))) {
        $self->_switch($c, $t, 0, $other);
    } else {
        $self->_emit($c, $t, 'kvm_x86_entry', 7);
        $v->{inside} = 1;
        $v->{left} = between(30_000, rand() < 0.15 ? 3_000_000 : 400_000);
    }
}

# A running thread starts doing something else.
sub _work {
    my ($self, $c, $t) = @_;
    my $dice = rand;
    $c->{busy} = between(5000, rand() < 0.2 ? 900_000 : 150_000);
    if ($dice < 0.3) {
        my $in = $c->{thread}{call} = !$c->{thread}{call};
        $self->_emit($c, $t, $in ? 'syscall_entry_getppid' : ('syscall_exit_getppid', 1));
    } elsif ($dice < 0.6) {
        $t = $self->_interrupt($c, $t);
        my $other = rand() < 0.6 && $self->_ready($c, $t);
        $self->_switch($c, $t + 100, 0, $other) if $other;
    } elsif ($dice < 0.75) {
        $self->_wake($c, $t, sub { 1 });
    } elsif ($dice < 0.9) {
        $self->_sleep($c, $t, between(20_000, rand() < 0.3 ? 4_000_000 : 500_000));
    }
}

# The idle thread switches to a ready thread, else the CPU waits for an interrupt. True if it halts.
sub _idle {
    my ($self, $c, $t) = @_;
    my $next = $self->_ready($c, $t);
    if (!$next && grep { $_->{state} eq 'asleep' && $_->{since} < $t && $_->{until} <= $t } values %{$self->{threads}}) {
        $t = $self->_interrupt($c, $t) + 100;
        $next = $self->_ready($c, $t);
    }
    return $self->_switch($c, $t, 0, $next) if $next;
    $c->{busy} = 1000 if defined $c->{runner};
    $c->{busy} = 5000 if !defined $c->{runner};
    return 1;
}

# A tick, which wakes threads that have slept long enough. Returns its end.
sub _interrupt {
    my ($self, $c, $t) = @_;
    my @kind = rand() < 0.7 ? ('x86_irq_vectors_local_timer_entry', 'x86_irq_vectors_local_timer_exit', [ 236 ], [ 236 ]) : ('irq_handler_entry', 'irq_handler_exit', [ 28, 'dev28' ], [ 28, 1 ]);
    $self->_emit($c, $t, $kind[0], @{$kind[2]});
    $self->_wake($c, $c->{last} + 200, sub { $_[0]{until} <= $t });
    return $self->_emit($c, $c->{last} + between(300, 1500), $kind[1], @{$kind[3]});
}

# A random sleeper for which WHICH is true.
sub _wake {
    my ($self, $c, $t, $which) = @_;
    my @all = grep { $_->{state} eq 'asleep' && $_->{since} < $t && $which->($_) && !$_->{halted} } map { $self->{threads}{$_} } sort keys %{$self->{threads}};
    @all = grep { $_->{until} <= $t || !$_->{guest} } @all;     # a virtual CPU sleeps until it has work
    my $who = $all[ rand @all ] or return;
    my @of = ($who->{name}, $who->{tid}, $who->{prio}, $who->{last_cpu});
    $self->_emit($c, $t, 'sched_waking', @of);
    @$who{qw(state since)} = ('ready', $self->_emit($c, $t + 150, 'sched_wakeup', @of) + 1);
}

sub _ready {
    my ($self, $c, $t) = @_;
    my @all = grep { $_->{state} eq 'ready' && $_->{since} < $t } map { $self->{threads}{$_} } sort keys %{$self->{threads}};
    my @here = grep { $_->{last_cpu} == $c->{nr} } @all;
    return @here && rand() < 0.8 ? $here[ rand @here ] : $all[ rand @all ];
}

sub _sleep {
    my ($self, $c, $t, $for) = @_;
    my $who = $c->{thread};
    $self->_switch($c, $t, 1, $self->_ready($c, $t) // { tid => 0, name => "swapper/$c->{nr}", state => 'idle', prio => 20 });
    @$who{qw(state until)} = ('asleep', $t + $for);
}

# Switch the thread of C, now in STATE, to NEXT. True.
sub _switch {
    my ($self, $c, $t, $state, $next) = @_;
    my $prev = $c->{thread};
    if ($next->{tid} && $next->{last_cpu} != $c->{nr}) {
        $t = 50 + $self->_emit($c, $t, 'sched_migrate_task', @$next{qw(name tid prio last_cpu)}, $c->{nr});
        $next->{last_cpu} = $c->{nr};
    }
    $t = $self->_emit($c, $t, 'sched_switch', $prev->{name}, $prev->{tid}, 20, $state, $next->{name}, $next->{tid}, 20);
    @$prev{qw(state since)} = ('ready', $t) if $prev->{tid};
    $next->{state} = 'on';
    $c->{thread} = $next;
    $c->{busy} = between(2000, 40_000);
    return 0;
}

1;
