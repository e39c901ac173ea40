# SPDX-License-Identifier: MIT
package Each::Answers;

# The known answers of the recorded traces: the real reasons of a thread's waits. Every path is also checked
# against the raw events: a thread that it shows running must have run, and a thread that ended a wait must be
# on the path when it did.

use strict;
use warnings;
use Test::More;
use List::Util qw(sum0);
use POSIX qw(ceil);
use Cause;
use Ask;
use Verdict;

my $ms = 1_000_000;
my $windows = 8;            # anywhere, besides those of the known answers

# ------------------------------------------------------------ raw events

# The state of a thread at t, and the life that had the TID then.
sub life_at {
    my ($o, $tid, $t) = @_;
    my $found;
    for my $life ($o->lives_of_tid($tid)) {
        $found = $life if !defined $life->{birth} || $life->{birth} <= $t;
    }
    return $found;
}

# Intervals of a life that touch [from, to).
sub during {
    my ($life, $from, $to) = @_;
    return touching($life->{intervals}, $from, $to);
}

# Items of a list in time order that touch [from, to).
sub touching {
    my ($list, $from, $to) = @_;
    my ($low, $high) = (0, scalar @$list);
    while ($low < $high) {
        my $mid = ($low + $high) >> 1;
        if ($list->[$mid]{to} <= $from) { $low = $mid + 1 } else { $high = $mid }
    }
    my @out;
    for (my $i = $low; $i < @$list && $list->[$i]{from} < $to; $i++) {
        push @out, $list->[$i];
    }
    return @out;
}

# Moments of the workload, in order: [time, life, text].
sub log_of {
    my ($o, $pattern) = @_;
    return map { [ $_->{time}, $_->{life}, $_->{msg} ] } grep { $_->{msg} =~ $pattern } @{$o->{log}};
}

# ------------------------------------------------------------ paths

# Kinds of a thread's own time.
my $work = qr/^(running|syscall|interrupted|preempted|wait-cpu)$/;

# Each kind of segment in the oracle's words.
my %means = (
    running => qr/^(running|usermode)$/, syscall => qr/^syscall$/, interrupted => qr/^interrupted$/,
    'wait-cpu' => qr/^(wait-cpu|new)$/, preempted => qr/^preempted$/, blocked => qr/^blocked$/,
);

sub path {
    my ($trace, $life, $from, $to) = @_;
    my $at = $from // $life->{strict_from} // $life->{birth} // $life->{end} - 1;
    return Ask::ask('path', $trace, '--thread', "$life->{tid}\@$at",
        (defined $from ? ('--from', $from) : ()), (defined $to ? ('--to', $to) : ()));
}

# Checks for any path of any thread.
sub wrong_path {
    my ($o, $life, $p, $from, $to) = @_;
    my @wrong;
    my @segments = @{$p->{segments}};
    $from //= $p->{from};
    $to //= $p->{to};
    return 'no segments' if !@segments;
    push @wrong, "covers [$p->{from}, $p->{to}), not [$from, $to)" if $p->{from} != $from || $p->{to} != $to;
    push @wrong, "begins $segments[0]{from}, not $from" if $segments[0]{from} != $from;
    push @wrong, "ends $segments[-1]{to}, not $to" if $segments[-1]{to} != $to;
    for my $i (0 .. $#segments) {
        my $s = $segments[$i];
        my $what = "$s->{kind} of " . n($s->{actor}{name}) . ' (' . n($s->{actor}{tid}) . ") [$s->{from}, $s->{to})";
        push @wrong, "$what is empty" if $s->{from} >= $s->{to};
        push @wrong, "$what follows $segments[$i - 1]{to}" if $i && $segments[$i - 1]{to} != $s->{from};
        push @wrong, "$what: idle on the path"
            if $s->{actor}{type} eq 'thread' && (n($s->{actor}{tid}) eq '0' || n($s->{actor}{name}) =~ /^swapper/);
        next if $s->{actor}{type} ne 'thread' || !$s->{actor}{tid};
        my $actor = life_at($o, $s->{actor}{tid}, $s->{from});
        if (!$actor) {
            push @wrong, "$what: no such thread";
            next;
        }
        my $strict = $actor->{strict_from} // $actor->{end};
        my $meaning = $means{$s->{kind}} or next;
        for my $is (during($actor, max($s->{from}, $strict), $s->{to})) {
            push @wrong, "$what: was $is->{state} in [$is->{from}, $is->{to})" if $is->{state} !~ $meaning;
        }
    }

    push @wrong, map { wrong_handover($o, $segments[$_ - 1], $segments[$_]) } 1 .. $#segments;

    # The summary adds up to the path.
    my %sum;
    $sum{key_of($_)} += $_->{to} - $_->{from} for @segments;
    for my $line (@{$p->{summary}}) {
        my $key = key_of($line);
        push @wrong, "summary says $line->{time} ns for $key, segments " . ($sum{$key} // 0)
            if ($sum{$key} // 0) != $line->{time};
        delete $sum{$key};
    }
    push @wrong, map { "summary lacks $_" } sort keys %sum;

    # The thread's own time is its own, and its waits are explained by those that ended them.
    for my $is (during($life, max($from, $life->{strict_from} // $to), $to)) {
        my ($a, $b) = (max($is->{from}, $from), min($is->{to}, $to));
        if ($is->{state} eq 'usermode' || $is->{state} =~ $work) {
            push @wrong, map { "own $is->{state} [$a, $b) given to " . n($_->{actor}{name}) . ' (' . n($_->{actor}{tid}) . ')' }
                grep { n($_->{actor}{tid}) ne $life->{tid} } touching(\@segments, $a, $b);
        }
    }
    for my $w (@{$life->{wakeups}}) {
        next if !defined $w->{blocked_at} || $w->{overtook} || $w->{blocked_at} < $from || $w->{ended} > $to;
        next if $w->{blocked_at} == $w->{ended};
        my ($last) = touching(\@segments, $w->{ended} - 1, $w->{ended});
        push(@wrong, "wait [$w->{blocked_at}, $w->{ended}) is not on the path"), next if !$last;
        my $said = "$last->{kind} of " . n($last->{actor}{name}) . ' (' . n($last->{actor}{tid}) . ')';
        my $which = "wait [$w->{blocked_at}, $w->{ended})";
        if (@{$w->{context}}) {
            push @wrong, "$which ended inside $w->{context}[-1]{text}, on the path is $said"
                if $last->{kind} =~ $work
                && n($last->{actor}{tid}) eq n($w->{waker});
        } elsif (($w->{softirqs_end} || $w->{cause}{outside} && $w->{cause}{kind} ne 'thread') && $last->{actor}{type} eq 'irq') {
            # By an interrupt or softirq on its way out, not by the interrupted thread.
        } elsif (waker($w)) {
            push @wrong, "$which ended by " . waker($w) . ", on the path is $said"
                if n($last->{actor}{tid}) ne waker($w);
        }
    }
    return @wrong;
}

# The waker ran where the thread was woken; without sched_waking that may have been on another CPU.
sub waker {
    my ($w) = @_;
    return $w->{waker} if !defined $w->{cause}{moved_from};
    return $w->{cause}{kind} eq 'thread' ? $w->{cause}{thread}{tid} : undef;
}

# A path goes from one thread to the next where the first woke or created the second, or, backwards, where the
# wait begins that the other one explains.
sub wrong_handover {
    my ($o, $before, $after) = @_;
    my ($from, $to, $t) = ($before->{actor}, $after->{actor}, $after->{from});
    return if grep { $_->{type} ne 'thread' || !$_->{tid} } $from, $to;
    return if $from->{tid} eq $to->{tid};
    my ($one, $other) = (life_at($o, $from->{tid}, $before->{from}), life_at($o, $to->{tid}, $t));
    return if !$one || !$other;
    return if !defined $one->{strict_from} || $t <= $one->{strict_from};
    return if !defined $other->{strict_from} || $t < $other->{strict_from};
    return if grep { $_->{state} eq 'blocked' && $_->{from} == $t } during($one, $t, $t + 1);
    return if defined $other->{birth} && $other->{birth} == $t && $other->{parent} eq $one->{tid};
    for my $w (grep { $_->{ended} == $t || $_->{time} == $t } @{$other->{wakeups}}) {
        return if !@{$w->{context}} && n(waker($w)) eq $one->{tid};
        return "at $t from $one->{tid} to $other->{tid}, which was woken by " . n(waker($w))
            . join '', map { " in $_->{text}" } @{$w->{context}};
    }
    return "at $t from $one->{tid} to $other->{tid}, where neither a wake-up is nor the start of a wait";
}

sub key_of {
    my ($s) = @_;
    return join ' ', map { n($_) } @{$s->{actor}}{qw(type host tid name)}, $s->{kind};
}

# Threads on the path, in order, without repeats; only the requested ones.
sub actors {
    my ($p, $pattern) = @_;
    my @out;
    for my $s (@{$p->{segments}}) {
        next if $s->{actor}{type} ne 'thread' || $s->{actor}{name} !~ $pattern;
        push @out, $s->{actor}{name} if !@out || $out[-1] ne $s->{actor}{name};
    }
    return "@out";
}

sub time_of {
    my ($p, $test) = @_;
    return sum0(map { $_->{to} - $_->{from} } grep { $test->($_) } @{$p->{segments}});
}

sub in_thread {
    my ($name, $kinds) = @_;
    return sub {
        $_[0]{actor}{type} eq 'thread' && $_[0]{actor}{name} eq $name && (!$kinds || $_[0]{kind} =~ $kinds);
    };
}

# The path of any thread in any window.
sub wrong_window {
    my ($o, $trace) = @_;
    my @lives = grep { $_->{tid} && $_->{first_run} && ($_->{exited} // $_->{end}) - $_->{strict_from} > 1 } @{$o->{lives}};
    my $life = $lives[rand @lives];
    my $long = ($life->{exited} // $life->{end}) - $life->{strict_from};
    my ($from, $to) = sort { $a <=> $b } map { $life->{strict_from} + int rand $long } 1, 2;
    $to++ if $from == $to;
    my $p = path($trace, $life, $from, $to) or return $Ask::errors;
    return map { "TID $life->{tid} in [$from, $to): $_" } wrong_path($o, $life, $p, $from, $to);
}

# ------------------------------------------------------------ known answers

# Tests one phase: from one moment to the other.
sub phases {
    my ($o, $begin, $end) = @_;
    my (%open, @out);
    for my $entry (@{$o->{log}}) {
        if ($entry->{msg} =~ /^$begin(.*)$/) {
            $open{$1} = $entry;
        } elsif ($entry->{msg} =~ /^$end(.*)$/ && $open{$1}) {
            push @out, { name => $1, life => $open{$1}{life}, from => $open{$1}{time}, to => $entry->{time} };
            delete $open{$1};
        }
    }
    return @out;
}

# Asks for the path of each phase; checks it as any path, then for this one.
sub each_phase {
    my ($o, $trace, $name, $phases, $check) = @_;
    my @wrong;
    for my $phase (@$phases) {
        my $p = path($trace, $phase->{life}, $phase->{from}, $phase->{to});
        if (!$p) {
            push @wrong, $Ask::errors;
            next;
        }
        push @wrong, map { "$phase->{name}: $_" }
            wrong_path($o, $phase->{life}, $p, $phase->{from}, $phase->{to}), $check->($p, $phase);
    }
    push @wrong, 'no such phase' if !@$phases;
    verdict($name, @wrong);
}

# Time on the path that a thread worked: its own segments, and waits of other threads on the path for the CPU
# it had.
sub worked {
    my ($o, $p, $name) = @_;
    my ($life) = $o->lives_of_name($name);
    my $time = time_of($p, in_thread($name, $work));
    for my $s (grep { $_->{kind} =~ /^(preempted|wait-cpu)$/ && n($_->{actor}{name}) ne $name } @{$p->{segments}}) {
        my $waits = life_at($o, $s->{actor}{tid}, $s->{from});
        my ($next) = grep { defined $_->{cpu} } during($waits, $s->{to}, $s->{to} + 1);
        $time += sum0(map { min($_->{to}, $s->{to}) - max($_->{from}, $s->{from}) }
            grep { defined $_->{cpu} && $next && $_->{cpu} == $next->{cpu} } during($life, $s->{from}, $s->{to}));
    }
    return $time;
}

sub pipeline {
    my ($o, $trace) = @_;
    my @phases = phases($o, 'pipeline begin ', 'pipeline end ');
    is(scalar @phases, 12, 'there are 12 items');
    my $straight = 0;
    each_phase($o, $trace, 'each item goes through the four stages', \@phases, sub {
        my ($p) = @_;
        my $passes = actors($p, qr/^wk-/);
        my @wrong;
        # The first stage may have taken the CPU from wk-pipe-main: then it is on the path as the running
        # thread.
        $straight++ if $passes =~ /\bwk-stage0 /;
        push @wrong, "passes $passes"
            if $passes !~ /\b(wk-stage0|wk-pipe-main) wk-stage1 wk-stage2 wk-stage3 wk-pipe-main$/;
        for my $stage (0 .. 3) {
            my $time = worked($o, $p, "wk-stage$stage");
            push @wrong, "wk-stage$stage worked $time ns" if $time < ($stage + 1) * $ms;
        }
        return @wrong;
    });
    cmp_ok($straight, '>=', 6, "the first stage, $straight times of 12");
}

# Without sched_waking and interrupt vectors, a wake-up by IPI shows on the woken CPU, with the idle thread
# there; the work of the other CPU shows the waker.
sub pipeline_nowaking {
    my ($o, $trace) = @_;
    my @phases = phases($o, 'pipeline begin ', 'pipeline end ');
    is(scalar @phases, 8, 'there are 8 items');
    my $straight = 0;
    each_phase($o, $trace, 'each item goes through the four stages', \@phases, sub {
        my $passes = actors($_[0], qr/^wk-/);
        $straight++ if $passes =~ /\b(wk-stage0|wk-pipe-main) wk-stage1 /;
        return $passes =~ /\bwk-stage1 wk-stage2 wk-stage3 wk-pipe-main$/ ? () : "passes $passes";
    });
    # In the first one wk-stage3 is new and waits for its CPU before it waits for its turn.
    is($straight, 7, "the first stage, $straight times of 8");
}

sub inception {
    my ($o, $trace) = @_;
    my @phases = map { { %$_, name => "level $_->{name}" } } phases($o, 'inception enter ', 'inception leave ');
    is(scalar @phases, 3, 'there are 3 levels');
    my %expected = (
        'level 1' => 'wk-level1',
        'level 2' => 'wk-level2 wk-level1 wk-level2',
        'level 3' => 'wk-level3 wk-level2 wk-level1 wk-level2 wk-level3',
    );
    each_phase($o, $trace, 'each level is the levels below it', \@phases, sub {
        my ($p, $phase) = @_;
        my $passes = actors($p, qr/^wk-/);
        my @wrong;
        push @wrong, "passes $passes" if $passes ne $expected{$phase->{name}};
        my ($level) = $phase->{name} =~ /(\d)/;
        for my $each ($level .. 3) {
            last if $each > $level;
            my $time = time_of($p, in_thread("wk-level$each", $work));
            push @wrong, "wk-level$each worked $time ns" if $time < 39 * $ms;
        }
        return @wrong;
    });
}

# A fighter's wait for the mutex is explained by those that held it.
sub lockfight {
    my ($o, $trace) = @_;
    my ($first) = log_of($o, qr/^lock held/);
    my $count = 0;
    my @wrong;
    for my $life (grep { grep { /^wk-fighter/ } keys %{$_->{names}} } @{$o->{lives}}) {
        for my $w (grep { defined $_->{blocked_at} && $_->{waker} && !@{$_->{context}} } @{$life->{wakeups}}) {
            my $waker = life_at($o, $w->{waker}, $w->{time});
            next if !grep { /^wk-fighter/ } keys %{$waker->{names}};
            my $p = path($trace, $life, $w->{blocked_at}, $w->{ended});
            push(@wrong, $Ask::errors), next if !$p;
            $count++;
            my $which = "wait of $life->{tid} in [$w->{blocked_at}, $w->{ended})";
            push @wrong, map { "$which: $_" } wrong_path($o, $life, $p, $w->{blocked_at}, $w->{ended});
            my $all = $w->{ended} - $w->{blocked_at};
            my $fighters = time_of($p, sub { $_[0]{actor}{type} eq 'thread' && $_[0]{actor}{name} =~ /^wk-fighter/ && $_[0]{actor}{tid} != $life->{tid} && $_[0]{kind} =~ $work });
            my $holder = time_of($p, sub { n($_[0]{actor}{tid}) eq $w->{waker} });
            push @wrong, "$which: $fighters ns of $all in the other fighters" if $fighters < 0.9 * $all;
            push @wrong, "$which: nothing in the thread that released it" if !$holder;
        }
    }
    cmp_ok($count, '>', 3, "fighters waited for each other, $count times");
    verdict('a wait for the mutex is explained by its holder', @wrong);
}

# An early thread waits only for the last one.
sub imbalance {
    my ($o, $trace) = @_;
    my @done = log_of($o, qr/^imbalance round \d+ done/);
    my @ranks = grep { grep { /^wk-rank/ } keys %{$_->{names}} } @{$o->{lives}};
    my %rank = map { $_->{tid} => 1 } @ranks;
    is(scalar @ranks, 3, 'there are 3 ranks');
    my ($count, @wrong) = (0);
    for my $life (@ranks) {
        for my $w (grep { defined $_->{blocked_at} && $rank{n($_->{waker})} && !@{$_->{context}} } @{$life->{wakeups}}) {
            $count++;
            my $p = path($trace, $life, $w->{blocked_at}, $w->{ended});
            push(@wrong, $Ask::errors), next if !$p;
            my $which = "wait of $life->{tid} in [$w->{blocked_at}, $w->{ended})";
            push @wrong, map { "$which: $_" } wrong_path($o, $life, $p, $w->{blocked_at}, $w->{ended});
            my $last = $p->{segments}[-1]{actor}{tid};
            push @wrong, "$which: ended by $w->{waker}, path ends with " . n($last) if n($last) ne $w->{waker};
        }
    }
    cmp_ok($count, '>=', 5, "ranks waited for each other, $count times");
    verdict('an early rank waits for the last to arrive', @wrong);
}

sub preempt {
    my ($o, $trace) = @_;
    my ($victim) = $o->lives_of_name('wk-victim');
    my ($rt) = $o->lives_of_name('wk-rt');
    my @log = log_of($o, qr/^victim (begin|end)/);
    my ($from, $to) = ($log[0][0], @log > 1 ? $log[-1][0] : $victim->{exited});
    my $p = path($trace, $victim, $from, $to) or return fail($Ask::errors);
    verdict('the path of the victim is right', wrong_path($o, $victim, $p, $from, $to));
    my @long = grep { $_->{to} - $_->{from} >= 2.5 * $ms } grep { $_->{state} eq 'preempted' } during($victim, $from, $to);
    cmp_ok(scalar @long, '>=', 8, 'preempted ' . @long . ' times for about 3 ms, say the events');
    my @wrong;
    for my $is (@long) {
        my @said = touching($p->{segments}, $is->{from}, $is->{to});
        push @wrong, "[$is->{from}, $is->{to}): " . join(', ', map { "$_->{kind} of $_->{actor}{name}, " . n($_->{detail}) } @said)
            if !@said || grep { $_->{kind} ne 'preempted' } @said
            or !grep { n($_->{detail}) =~ /wk-rt/ || n($_->{on_path_because}) =~ /wk-rt/ } @said;
    }
    verdict('wk-rt preempts it each time', @wrong);
    my $is = sum0(map { min($_->{to}, $to) - max($_->{from}, $from) } grep { $_->{state} eq 'preempted' } during($victim, $from, $to));
    my $said = time_of($p, in_thread('wk-victim', qr/^preempted$/));
    is($said, $is, 'the preempted time is right to the nanosecond');
}

sub pulse {
    my ($o, $trace) = @_;
    my @phases = phases($o, 'pulse sleep ', 'pulse wake ');
    is(scalar @phases, 20, 'there are 20 sleeps');
    each_phase($o, $trace, 'each sleep of 5 ms is a timer', \@phases, sub {
        my ($p, $phase) = @_;
        my ($timer, $late) = (time_of($p, sub { $_[0]{kind} =~ /^timer/ }), time_of($p, sub { $_[0]{kind} eq 'timer-late' }));
        my $blocked = sum0(map { min($_->{to}, $phase->{to}) - max($_->{from}, $phase->{from}) }
            grep { $_->{state} eq 'blocked' } during($phase->{life}, $phase->{from}, $phase->{to}));
        # The timer is armed before the thread has left the CPU.
        my @wrong;
        push @wrong, "timer $timer ns" if $timer < 3 * $ms;
        push @wrong, "timer $timer ns of $blocked blocked" if $timer != $blocked;
        my $was_late = sum0(map { $_->{cause}{timer}{expiry}{late} // 0 } grep { $_->{ended} >= $phase->{from} && $_->{ended} < $phase->{to} && $_->{cause}{timer} } @{$phase->{life}{wakeups}});
        push @wrong, "late by $late ns, was $was_late" if $late != $was_late;
        return @wrong;
    });
}

# Time blocked in a phase is waiting for the disk: by the thread itself, or through a thread of the file
# system.
my $of_disk = qr/^(block|flush|irq|ipi)$/;

sub ioburst {
    my ($o, $trace) = @_;
    my @io = (phases($o, 'write begin ', 'write end '), phases($o, 'read begin ', 'read end '));
    is(scalar @io, 48, 'there are 48 transfers');
    each_phase($o, $trace, 'each wait in a transfer is for the disk', \@io, sub {
        my ($p, $phase) = @_;
        my @wrong;
        for my $w (@{$phase->{life}{wakeups}}) {
            next if !defined $w->{blocked_at} || $w->{blocked_at} < $phase->{from} || $w->{ended} > $phase->{to};
            next if !@{$w->{context}};
            my @said = touching($p->{segments}, $w->{blocked_at}, $w->{ended});
            push @wrong, "wait [$w->{blocked_at}, $w->{ended}) is " . join(', ', map { "$_->{kind} of " . n($_->{actor}{name}) } @said)
                if grep { $_->{kind} !~ /$of_disk/ } @said or n(($said[-1]{source} // {})->{kind}) ne 'block';
            # The wait is for the disk until its interrupt came, then the path from there.
            my $came = max($w->{blocked_at}, $w->{cause}{chain}[0]{entry});
            my $disk = sum0(map { min($_->{to}, $w->{ended}) - max($_->{from}, $w->{blocked_at}) } grep { $_->{kind} =~ /^(block|flush)$/ } @said);
            push @wrong, "wait [$w->{blocked_at}, $w->{ended}): $disk ns of the disk, the interrupt came after " . ($came - $w->{blocked_at}) if $disk != $came - $w->{blocked_at};
        }
        return @wrong;
    });
    my $life = $io[0]{life};
    my ($from, $to) = ($io[0]{from}, $io[-1]{to});
    my $p = path($trace, $life, $from, $to) or return fail($Ask::errors);
    verdict('the path from the first to the last transfer is right', wrong_path($o, $life, $p, $from, $to));
    my $disk = time_of($p, sub { $_[0]{kind} =~ /$of_disk/ });
    my $disk_is = sum0(map { $_->{ended} - $_->{blocked_at} }
        grep { defined $_->{blocked_at} && $_->{blocked_at} >= $from && $_->{ended} <= $to
               && grep { $_->{name} && $_->{name} =~ /BLOCK|^virtio/ } @{$_->{context}} } @{$life->{wakeups}});
    cmp_ok($disk, '>=', $disk_is, 'the path has all time blocked on the disk as time of the disk');
}

sub rpc_loopback {
    my ($o, $trace) = @_;
    my @phases = phases($o, 'request begin ', 'request end ');
    my %serve = map { $_->{from} => $_ } phases($o, 'serve begin ', 'serve end ');
    each_phase($o, $trace, 'each request goes to the server, or to the network that leads there', \@phases, sub {
        my ($p, $phase) = @_;
        my $server = time_of($p, in_thread('wk-server', $work));
        my $network = time_of($p, sub { $_[0]{kind} eq 'network' });
        my ($timer, $late) = (time_of($p, sub { $_[0]{kind} =~ /^timer/ }), time_of($p, sub { $_[0]{kind} eq 'timer-late' }));
        my @wrong;
        if ($network >= 8 * $ms) {
            # Counted as network as a whole.
        } elsif ($phase->{name} =~ /^h/) {
            push @wrong, "server $server ns, network $network ns" if $server < 9 * $ms;
        } else {
            push @wrong, "server $server ns, timer $timer ns, network $network ns" if !$server || $timer < 8 * $ms;
        }
        return @wrong;
    });
}

my %answers = (
    'pipeline' => \&pipeline, 'pipeline-nowaking' => \&pipeline_nowaking,
    'inception' => \&inception, 'lockfight' => \&lockfight, 'imbalance' => \&imbalance,
    'preempt' => \&preempt, 'pulse' => \&pulse, 'rpc-loopback' => \&rpc_loopback,
    'ioburst-ipi' => \&ioburst, 'ioburst-direct' => \&ioburst, 'offcpu-stacks' => undef,
);

# ------------------------------------------------------------ latencies

sub latency {
    my ($o, $trace) = @_;
    my $said = Ask::ask('latency', $trace, '--kind', 'wakeup') or return fail($Ask::errors);
    my @all = map { my $life = $_; map { { %$_, tid => $life->{tid} } } @{$life->{wakeups}} }
        grep { $_->{tid} } @{$o->{lives}};
    my @ran = grep { defined $_->{ran_at} } @all;
    my @sorted = sort { $a <=> $b } map { $_->{ran_at} - $_->{ended} } @ran;
    is($said->{count}, scalar @sorted, 'the number of latencies is right');
    is($said->{unfinished}, @all - @ran, 'unfinished latencies are threads woken that never ran');
    is($said->{min}, $sorted[0], 'the smallest latency is right');
    is($said->{max}, $sorted[-1], 'the largest latency is right');
    my $mean = sum0(@sorted) / @sorted;
    cmp_ok(abs($said->{mean} - $mean), '<=', 1, 'the mean is right');
    for my $p ([ p50 => 500 ], [ p90 => 900 ], [ p99 => 990 ], [ p999 => 999 ]) {
        my ($name, $q) = @$p;
        # The nearest rank: the smallest latency not exceeded by a share q of all.
        is($said->{$name}, $sorted[ceil($q * @sorted / 1000) - 1], $name);
    }
    my ($p25, $p75) = map { $sorted[ceil($_ * @sorted / 4) - 1] } 1, 3;
    my $fence = $p75 + 3 * ($p75 - $p25);
    is("$said->{outliers} $said->{outliers_over}", (grep { $_ > $fence } @sorted) . " $fence", 'outliers and their limit are right');
    my $sum = sum0(map { $_->{count} } @{$said->{histogram}});
    is($sum, scalar @sorted, 'the histogram has all latencies') if @{$said->{histogram} // []};
    my @worst = @{$said->{worst}};
    my @want = @sorted[max(0, @sorted - @worst) .. $#sorted];
    is("@{[map { $_->{latency} } @worst]}", "@{[reverse @want]}", 'the worst latencies are listed');
    # Of one thread.
    my ($busy) = sort { @{$b->{wakeups}} <=> @{$a->{wakeups}} || $a->{tid} <=> $b->{tid} }
        grep { $_->{tid} && defined $_->{strict_from} && $o->lives_of_tid($_->{tid}) == 1 } @{$o->{lives}};
    my @own = sort { $a <=> $b } map { $_->{ran_at} - $_->{ended} } grep { defined $_->{ran_at} } @{$busy->{wakeups}};
    if (@own) {
        my $of = Ask::ask('latency', $trace, '--kind', 'wakeup', '--thread', $busy->{tid}) or return fail($Ask::errors);
        is("$of->{count} $of->{min} $of->{max}", @own . " $own[0] $own[-1]", "the latencies of TID $busy->{tid} alone are right");
    }

    my %is = map { join(' ', $_->{tid}, $_->{ended}, $_->{ran_at}) => 1 } @ran;
    verdict('the worst latencies have the right places', map {
        my $key = join ' ', n($_->{subject}{tid}), $_->{start}, $_->{end};
        $is{$key} ? () : "no such wake-up: $key"
    } @worst);
}

# ------------------------------------------------------------ a trace

sub check {
    my ($o, $trace) = @_;
    # With sanitizers, which are many times slower, only the sample traces; the others run the same code.
    local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST} && $trace->{path} !~ m{sample-traces/};
    return if @{$o->{gaps}} || !grep { $_->{first_run} } @{$o->{lives}};
    subtest "$trace->{name}: answers" => sub {
        my $known = $answers{$trace->{name}};
        if ($known) {
            # Hundreds of similar questions; those below run the same code with the sanitizers.
            local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
            subtest 'known answers' => sub { $known->($o, $trace->{path}); done_testing };
        }

        my @wrong;
        my @wk = grep { grep { /^wk-/ } keys %{$_->{names}} } @{$o->{lives}};
        for my $life (@wk) {
            my $p = path($trace->{path}, $life);
            push @wrong, $p ? map { "TID $life->{tid}: $_" } wrong_path($o, $life, $p) : $Ask::errors;
        }
        verdict('whole paths of ' . @wk . ' workload threads', @wrong) if @wk;
        chance($trace->{name});
        verdict("paths of $windows windows", map { wrong_window($o, $trace->{path}) } 1 .. $windows);
        subtest 'wake-up latency' => sub { latency($o, $trace->{path}); done_testing };
        done_testing;
    };
}

1;
