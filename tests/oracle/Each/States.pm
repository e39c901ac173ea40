# SPDX-License-Identifier: MIT
package Each::States;

# Every nanosecond of every thread and CPU, and every wake-up, compared with the counts of Oracle.pm from the
# raw events. Causes of wake-ups: Causes.pm.

use strict;
use warnings;
use Test::More;
use List::Util qw(sum0 shuffle);
use Cause;
use Ask;
use Verdict;

my %on_cpu = map { $_ => 1 } qw(running usermode syscall interrupted);
my %waits_for_cpu = map { $_ => 1 } qw(wait-cpu preempted);
my %runs = map { $_ => 1 } qw(running usermode syscall); # of a CPU; in which mode: tests/app/modes.t
my $sample = 15;            # threads checked one by one, besides all wk-*
my $sanitized = 5;          # of these, the number with the sanitizers

# ------------------------------------------------------------ whole lives

# Pairs [life, row] of the oracle's lives and the program's rows: same TID,
# n-th life of it.
sub pair {
    my ($o, $rows) = @_;
    my (%lives, %rows, @pairs, @wrong);
    push @{$lives{$_->{tid}}}, $_ for grep { $_->{tid} } @{$o->{lives}};
    push @{$rows{$_->{tid}}}, $_ for grep { $_->{tid} } @$rows;
    for my $tid (sort { $a <=> $b } keys %lives) {
        my @lives = @{$lives{$tid}};
        my @of = sort { n($a->{first}) <=> n($b->{first}) } @{$rows{$tid} // []};
        push @wrong, "TID $tid lived " . @lives . ' times, said are ' . @of if @lives != @of;
        push @pairs, map { [ $lives[$_], $of[$_] ] } 0 .. min($#lives, $#of);
    }
    for my $tid (grep { !$lives{$_} } sort { $a <=> $b } keys %rows) {
        # A thread without scheduling events: nothing can be known of it.
        my @known = map { my $row = $_; grep { $row->{states}{$_} && !/^(unknown|blocked)$/ } keys %{$row->{states}} } @{$rows{$tid}};
        push @wrong, "TID $tid was never scheduled, yet wakepath has it as @known" if @known;
    }
    return (\@pairs, \@wrong);
}

# Sums per state of one row against the life.
sub wrong_sums {
    my ($o, $life, $row) = @_;
    my $who = "TID $life->{tid} ($row->{name})";
    my ($first, $last, $states) = @$row{qw(first last states)};
    my @wrong;
    push @wrong, "$who: states last " . sum0(values %$states) . ' ns, its life ' . ($last - $first)
        if sum0(values %$states) != $last - $first;
    push @wrong, "$who: born $life->{birth}, said is $first"
        if defined $life->{birth} && $first != $life->{birth};
    push @wrong, "$who: seen until " . ($life->{exited} // $life->{end}) . ", said is $last"
        if $last < ($life->{exited} // $life->{end});

    my $strict = $life->{strict_from} // $last;
    my $slack = max(0, min($strict, $last) - $first);       # not known here
    my $is = Oracle::sums($life->{intervals}, max($first, min($strict, $last)), $last);
    my %all = map { $_ => 1 } keys %$is, keys %$states;
    for my $state (sort keys %all) {
        my ($want, $got) = ($is->{$state} // 0, $states->{$state} // 0);
        my $room = $state =~ /^(unknown|blocked)$/ ? $slack : 0;
        push @wrong, "$who: $state $got ns, counted $want" . ($room ? " to " . ($want + $room) : '')
            if $got < $want || $got > $want + $room;
    }
    return @wrong;
}

# ------------------------------------------------------------ intervals

sub wrong_contiguity {
    my ($who, $list, $from, $to) = @_;
    my @wrong;
    return "$who: no interval" unless @$list;
    push @wrong, "$who: begins $list->[0]{from}, not $from" if defined $from && $list->[0]{from} != $from;
    push @wrong, "$who: ends $list->[-1]{to}, not $to" if defined $to && $list->[-1]{to} != $to;
    for my $i (0 .. $#$list) {
        my $one = $list->[$i];
        push @wrong, "$who: interval [$one->{from}, $one->{to}) is empty" if $one->{from} >= $one->{to};
        next if !$i;
        my $before = $list->[$i - 1];
        push @wrong, "$who: [.., $before->{to}) is followed by [$one->{from}, ..)" if $before->{to} != $one->{from};
        push @wrong, "$who: neighbours alike at $one->{from}"
            if _alike($before, $one);
    }
    return @wrong;
}

# True if two intervals are equal, ignoring times.
sub _alike {
    my ($one, $other) = @_;
    return 0 if keys %$one != keys %$other || $one->{state} ne $other->{state};    # state first: it differs most often
    for my $key (keys %$one) {
        next if $key eq 'from' || $key eq 'to';
        my ($is, $was) = map { ref $_ ? Ask::text($_) : n($_) } $one->{$key}, exists $other->{$key} ? $other->{$key} : return 0;
        return 0 if $is ne $was;
    }
    return 1;
}

# First difference of two lists of [from, to, text].
sub wrong_lists {
    my ($who, $got, $want) = @_;
    for my $i (0 .. max($#$got, $#$want)) {
        my ($one, $other) = ($got->[$i], $want->[$i]);
        next if $one && $other && $one->[0] eq $other->[0] && $one->[1] eq $other->[1] && $one->[2] eq $other->[2];
        my ($g, $w) = map { $_->[$i] ? "[$_->[$i][0], $_->[$i][1]) $_->[$i][2]" : 'nothing' } $got, $want;
        return "$who: $g, counted $w" if $g ne $w;
    }
    return;
}

# WHAT => class, …: the classes by which two lists of intervals differ in [from, to), with the first difference of each. FINEST, which
# determines all of them, is compared first: if the lists agree by it, they agree by each.
sub wrong_by {
    my ($who, $got, $want, $from, $to, $finest, @by) = @_;
    return if !wrong_lists($who, map { Oracle::joined($_, $from, $to, $finest) } $got, $want);
    my @wrong;
    while (my ($what, $class) = splice @by, 0, 2) {
        push @wrong, wrong_lists("$who by $what", map { Oracle::joined($_, $from, $to, $class) } $got, $want);
    }
    return @wrong;
}

# The detail in words that both sides use, computed once for each.
my %details;
sub detail {
    my ($state, $text) = @_;
    return $details{$state, $text // ''} //= _detail($state, $text // '');
}

sub _detail {
    my ($state, $text) = @_;
    if ($state eq 'syscall') {
        $text =~ s/^(?:compat_)?sys(?:call)?_//;
        return "syscall $text";
    }
    if ($state eq 'interrupted') {
        return "interrupted irq $1" if $text =~ /^irq (\d+)/i;
        return "interrupted $1 $2" if $text =~ /^(softirq|ipi) (\w+)/i;
        return "interrupted $text";
    }
    if ($state eq 'blocked') {
        return "blocked interruptible" if $text =~ /^(1|interruptible)$/;
        return "blocked uninterruptible" if $text =~ /^(2|uninterruptible)$/;
        return "blocked";
    }
    return $state;
}

sub wrong_states {
    my ($o, $trace, $life, $row) = @_;
    my $at = max($row->{first}, min($life->{strict_from} // $row->{first}, $row->{last} - 1));
    my $who = "TID $life->{tid} ($row->{name})";
    my $answer = Ask::ask('states', $trace, '--thread', "$life->{tid}\@$at")
        or return $Ask::errors;
    my $list = $answer->{intervals};
    my @wrong = wrong_contiguity($who, $list, $row->{first}, $row->{last});
    return @wrong if @wrong;
    my $sums = Oracle::sums($list, $row->{first}, $row->{last});
    for my $state (keys %{$row->{states}}) {
        push @wrong, "$who: $state " . ($sums->{$state} // 0) . " ns by intervals, $row->{states}{$state} by threads"
            if ($sums->{$state} // 0) != $row->{states}{$state};
    }
    return @wrong if !defined $life->{strict_from};
    my @span = (max($life->{strict_from}, $row->{first}), $row->{last});
    push @wrong, wrong_by($who, $list, $life->{intervals}, @span,
        sub { join ' ', $_[0]{state}, detail($_[0]{state}, $_[0]{detail}), $on_cpu{$_[0]{state}} || $waits_for_cpu{$_[0]{state}} ? n($_[0]{cpu}) : () },
        state => sub { $_[0]{state} },
        detail => sub { detail($_[0]{state}, $_[0]{detail}) },
        CPU => sub { $on_cpu{$_[0]{state}} ? "CPU $_[0]{cpu}" : $waits_for_cpu{$_[0]{state}} ? "for CPU " . n($_[0]{cpu}) : 'off' });
    return @wrong;
}

# Like the above for a part of the life; the expected values are cut from the whole life.
sub wrong_window {
    my ($o, $trace, $life, $row) = @_;
    my $start = max($life->{strict_from} // $row->{last}, $row->{first});
    return if $row->{last} - $start < 2;
    my ($from, $to) = sort { $a <=> $b } map { $start + int rand($row->{last} - $start) } 1, 2;
    $to++ if $from == $to;
    my $who = "TID $life->{tid} ($row->{name}) in [$from, $to)";
    my @window = ('--thread', "$life->{tid}\@$from", '--from', $from, '--to', $to);
    my $states = Ask::ask('states', $trace, @window) or return $Ask::errors;
    my $wakeups = Ask::ask('wakeups', $trace, @window) or return $Ask::errors;
    my @wrong = wrong_contiguity($who, $states->{intervals}, $from, $to);
    return @wrong if @wrong;
    push @wrong, wrong_lists($who, map { Oracle::joined($_, $from, $to, sub { detail($_[0]{state}, $_[0]{detail}) }) }
        $states->{intervals}, $life->{intervals});
    my $said = join ' ', map { $_->{time} } @{$wakeups->{wakeups}};
    my $is = join ' ', sort { $a <=> $b } grep { $_ >= $from && $_ < $to } @{$life->{unseen}}, map { $_->{ended} } @{$life->{wakeups}};
    push @wrong, "$who: woken at $said, counted $is" if $said ne $is;
    return @wrong;
}

# An interrupt line: when a handler ran, and on which CPU.
sub wrong_line {
    my ($o, $trace, $nr, $info) = @_;
    my $answer = Ask::ask('states', $trace, '--irq', $nr) or return $Ask::errors;
    my $list = $answer->{intervals};
    my @wrong = wrong_contiguity("IRQ $nr", $list, $info->{from}, $info->{to});
    return @wrong if @wrong;
    my @runs = map { { to => $o->{to}, %$_ } } @{$o->{lines}{$nr}};
    my @is = @runs;
    push @is, { from => $runs[$_]{to}, to => $_ < $#runs ? $runs[$_ + 1]{from} : $o->{to} } for 0 .. $#runs;
    return wrong_lists("IRQ $nr", map {
        Oracle::joined($_, $runs[0]{from}, $o->{to}, sub { defined $_[0]{cpu} ? "on CPU $_[0]{cpu}" : 'idle' })
    } $list, [ sort { $a->{from} <=> $b->{from} } @is ]);
}

sub wrong_cpu {
    my ($o, $trace, $cpu, $info) = @_;
    my $answer = Ask::ask('states', $trace, '--cpu', $cpu) or return $Ask::errors;
    my $list = $answer->{intervals};
    my @wrong = wrong_contiguity("CPU $cpu", $list, $info->{from}, $info->{to});
    return @wrong if @wrong;
    my ($known) = grep { $_->{state} ne '?' } @{$o->{cpu}{$cpu}{intervals}};
    return if !$known;
    my @span = ($known->{from}, $info->{to});
    push @wrong, wrong_by("CPU $cpu", $list, $o->{cpu}{$cpu}{intervals}, @span,
        sub { $runs{$_[0]{state}} ? "running $_[0]{tid}" : $_[0]{state} },
        state => sub { $runs{$_[0]{state}} ? 'running' : $_[0]{state} },
        thread => sub { $runs{$_[0]{state}} ? "TID $_[0]{tid}" : '-' });
    return @wrong;
}

# ------------------------------------------------------------ wake-ups

sub wrong_wakeups {
    my ($o, $trace, $life, $row) = @_;
    my $at = max($row->{first}, min($life->{strict_from} // $row->{first}, $row->{last} - 1));
    my $who = "TID $life->{tid} ($row->{name})";
    my $answer = Ask::ask('wakeups', $trace, '--thread', "$life->{tid}\@$at")
        or return $Ask::errors;
    my @got = @{$answer->{wakeups}};
    my @unseen = map { { ended => $_, ran_at => $_ } } @{$life->{unseen}};
    my @want = sort { $a->{ended} <=> $b->{ended} } @{$life->{wakeups}}, @unseen;
    return "$who: " . @got . ' wake-ups, counted ' . @want if @got != @want;
    my @wrong;
    for my $i (0 .. $#want) {
        my ($g, $w) = ($got[$i], $want[$i]);
        my $which = "$who: wake-up $i at $w->{ended}";
        if ($g->{time} != $w->{ended}) {
            push @wrong, "$which: said is $g->{time}";
            next;
        }
        if (!defined $w->{event}) {
            push @wrong, "$which: said is $g->{source}{kind}, no event tells" if $g->{source}{kind} ne 'unknown';
            next;
        }
        # Without sched_waking the waker may have been on another CPU.
        my $cpu = $w->{cause}{waker_cpu} // $w->{cpu};
        push @wrong, "$which: on CPU $cpu, said is " . n($g->{cpu}) if n($g->{cpu}) ne $cpu;
        push @wrong, "$which: for CPU $w->{target}, said is " . n($g->{target_cpu}) if n($g->{target_cpu}) ne $w->{target};
        push @wrong, "$which: ran at " . n($w->{ran_at}) . ', said is ' . n($g->{ran_at})
            if n($g->{ran_at}) ne n($w->{ran_at});
        push @wrong, "$which: latency " . n($g->{latency})
            if n($g->{latency}) ne (defined $w->{ran_at} ? $w->{ran_at} - $w->{ended} : '-');
    }
    return @wrong;
}

# ------------------------------------------------------------ lost events

# Where events were lost, nothing of the CPU that lost them may be claimed.
sub check_gaps {
    my ($o, $trace, $info, $rows) = @_;
    is(sum0(map { $_->{discarded} } @{$info->{traces}}), $o->{discarded}, 'info counts the discarded events');
    ok(scalar(grep { @{$_->{warnings}} } @{$info->{traces}}), 'info warns of them') if $o->{discarded};

    verdict('states cover every life',
        map { my $sum = sum0(values %{$_->{states}});
              $sum == $_->{last} - $_->{first} ? () : "TID $_->{tid}: $sum ns of " . ($_->{last} - $_->{first}) }
        grep { $_->{tid} } @$rows);
    ok(scalar(grep { $_->{states}{unknown} && $_->{wakeups} } @$rows), 'some states are unknown');

    # A packet's header counts the events lost since the packet before: they are missing somewhere between the
    # last event before the gap and its end, so no thread may be reported to have kept the CPU all along.
    my @stretches;
    my @wrong;
    for my $row (grep { $_->{tid} } @$rows) {
        my $answer = Ask::ask('states', $trace, '--thread', "$row->{tid}\@" . ($row->{last} - 1)) or do {
            push @wrong, $Ask::errors;
            next;
        };
        my $list = $answer->{intervals};
        push @wrong, wrong_contiguity("TID $row->{tid}", $list, $row->{first}, $row->{last});
        push @stretches, map { [ "TID $row->{tid}", @$_ ] } grep { $_->[2] =~ /^\d/ }
            @{Oracle::joined($list, $row->{first}, $row->{last}, sub { $on_cpu{$_[0]{state}} ? $_[0]{cpu} : 'off' })};
    }
    verdict('states of threads are contiguous', @wrong);
    for my $cpu (sort { $a <=> $b } keys %{$o->{cpu}}) {
        my $answer = Ask::ask('states', $trace, '--cpu', $cpu) or return fail($Ask::errors);
        push @stretches, map { [ "CPU $cpu", $_->{from}, $_->{to}, $cpu ] }
            grep { $_->{state} ne 'unknown' } @{$answer->{intervals}};
    }
    @wrong = ();
    for my $gap (@{$o->{gaps}}) {
        push @wrong, map { "$_->[0] is said to run on in [$_->[1], $_->[2]), across a gap of $gap->{count} events [$gap->{from}, $gap->{to}) of CPU $gap->{cpu}" }
            grep { $_->[3] == $gap->{cpu} && $_->[1] <= $gap->{from} && $_->[2] >= $gap->{to} } @stretches;
    }
    verdict('no thread is reported to run across a gap', @wrong);

    # From its first switch after a gap to the next gap, a CPU is known again.
    # In the gap, it is not.
    @wrong = ();
    for my $cpu (sort { $a <=> $b } keys %{$o->{cpu}}) {
        my $answer = Ask::ask('states', $trace, '--cpu', $cpu) or return fail($Ask::errors);
        my $is = $o->{cpu}{$cpu}{intervals};
        my ($known) = map { $_->{from} } grep { $_->{state} ne '?' } @$is;
        my $text = sub { $runs{$_[0]{state}} ? "TID $_[0]{tid}" : $_[0]{state} };
        for my $gap ((sort { $a->{from} <=> $b->{from} } grep { $_->{cpu} == $cpu } @{$o->{gaps}}),
                     { from => $o->{to}, to => $o->{to}, count => 0 }) {
            push @wrong, wrong_lists("CPU $cpu", map { Oracle::joined($_, $known, $gap->{from}, $text) }
                $answer->{intervals}, $is) if defined $known && $known < $gap->{from};
            push @wrong, map { "CPU $cpu is said to be $_->{state} in [$_->{from}, $_->{to}), where $gap->{count} events are lost" }
                grep { $_->{state} ne 'unknown' && $_->{from} < $gap->{to} && $_->{to} > $gap->{from} } @{$answer->{intervals}};
            ($known) = grep { $_ > $gap->{to} } @{$o->{cpu}{$cpu}{switches}};
        }
    }
    verdict('the states of a CPU are known between the gaps', @wrong);

    # Where the events contradict each other, something was lost between.
    @wrong = ();
    for my $clash (@{$o->{clashes}}) {
        my ($t, $cpu, $tid) = @$clash;
        push @wrong, map { "$_->[0] is said to run on CPU $cpu until $t, where another thread leaves it" }
            grep { $_->[0] eq "TID $tid" && $_->[3] == $cpu && $_->[1] < $t && $_->[2] >= $t } @stretches;
    }
    verdict('no thread is reported to run until another one leaves the CPU', @wrong);
}

# Each of PAIRS, one by one.
sub check_threads {
    my ($o, $trace, @pairs) = @_;
    my $n = @pairs;
    verdict("intervals of $n threads", map { wrong_states($o, $trace, @$_) } @pairs);
    verdict("wake-ups of $n threads", map { wrong_wakeups($o, $trace, @$_) } @pairs);
    verdict("windows of $n threads", map { wrong_window($o, $trace, @$_) } @pairs);
}

# ------------------------------------------------------------ a trace

sub check {
    my ($o, $trace) = @_;
    # With sanitizers, which are many times slower, only the sample traces; the others run the same code.
    local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST} && $trace->{path} !~ m{sample-traces/};
    return if !grep { $_->{first_run} } @{$o->{lives}};       # no scheduling events
    subtest "$trace->{name}: states" => sub {
        my $info = Ask::ask('info', $trace->{path});
        my $answer = Ask::ask('threads', $trace->{path});
        if (!$info || !$answer) {
            fail('answers');
            diag($Ask::errors);
            return;
        }
        my $rows = $answer->{threads};
        my $one = $info->{traces}[0];
        is($one->{events}, $o->{events}, 'info counts the events');
        is($one->{host}, $o->{host}, 'info names the host');
        my $last = max($o->{to}, map { $_->{to} } @{$o->{gaps}});
        ok($info->{from} == $o->{from} && ($info->{to} == $o->{to} || $info->{to} == $last),
            'info tells the time of the first and the last event')
            or diag("  [$info->{from}, $info->{to}], events [$o->{from}, $o->{to}]");
        if (@{$o->{gaps}}) {
            check_gaps($o, $trace->{path}, $info, $rows);
            return;
        }
        is($one->{discarded}, 0, 'info reports no discarded events');

        my ($pairs, $wrong) = pair($o, $rows);
        verdict('every thread is known, and every life comes once', @$wrong);
        verdict('nanoseconds per state are right for ' . @$pairs . ' lives', map { wrong_sums($o, @$_) } @$pairs);
        verdict('nanoseconds on a CPU are right', map {
            my ($life, $row) = @$_;
            my $slack = max(0, ($life->{strict_from} // $row->{last}) - $row->{first});
            $row->{cpu_time} < $life->{on_cpu} || $row->{cpu_time} > $life->{on_cpu} + $slack
                ? "TID $life->{tid} ($row->{name}): $row->{cpu_time}, counted $life->{on_cpu}" : ()
        } @$pairs);
        verdict('the number of wake-ups is right', map {
            my ($life, $row) = @$_;
            my $n = @{$life->{wakeups}} + @{$life->{unseen}};
            $row->{wakeups} != $n ? "TID $life->{tid} ($row->{name}): $row->{wakeups}, counted $n" : ()
        } @$pairs);
        verdict('names are right', map {
            my ($life, $row) = @$_;
            my ($is, $said) = map { join ' | ', sort @$_ } [ keys %{$life->{names}} ], $row->{names};
            ("TID $life->{tid} was $is, said is $said") x ($is ne $said),
                ("TID $life->{tid} is $life->{name}, said is $row->{name}") x ($life->{name} ne $row->{name});
        } @$pairs);
        verdict('processes are right', map {
            my ($life, $row) = @$_;
            map { "TID $life->{tid}: $_ $life->{$_}, said is " . n($row->{$_}) }
                grep { defined $life->{$_} && $life->{$_} ne n($row->{$_}) } qw(pid ppid);
        } @$pairs);

        chance($trace->{name});
        my (@wk, @other);
        for my $pair (@$pairs) {
            next if !$pair->[0]{first_run};
            push @{(grep { /^wk-/ } keys %{$pair->[0]{names}}) ? \@wk : \@other}, $pair;
        }
        my @picked = (@wk, (shuffle @other)[0 .. min($sample, scalar @other) - 1]);
        my @more = splice @picked, min(scalar @picked, @wk + $sanitized);
        check_threads($o, $trace->{path}, @picked);
        verdict("IRQ $_", wrong_line($o, $trace->{path}, $_, $info)) for sort { $a <=> $b } keys %{$o->{lines}};
        verdict("CPU $_", wrong_cpu($o, $trace->{path}, $_, $info)) for sort { $a <=> $b } keys %{$o->{cpu}};
        local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
        check_threads($o, $trace->{path}, @more);
    };
}

1;
