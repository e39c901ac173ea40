#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The accounts of waits for a CPU, of wake-up latencies and of preemptions: the holders of the CPU, item by item, compared with the counts of Account.pm from the
# raw events; also if some of these were not recorded. The accounts of the lives of the busiest threads: their own time, and the interrupts upon it.
#
#   ORACLE_SHOW=N        report N differences of each trace (default 5)
#   ORACLE_SAMPLE=N      number of cases of each kind and trace (default 400; 0: all)

use strict;
use utf8;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../tools";
use Test::More;
use Account;
use Ask;
use Proved;
use Verdict;

$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};

my $sample = $ENV{ORACLE_SAMPLE} // 400;
my $lives = 6;                  # threads of each trace
my $usual = qr{^(hackbench|imbalance|inception|lockfight|lost-events|pipeline(-nowaking)?|preempt|pulse|rpc-chain/db|vm-preempt/\w+
    |inputs/(rt-\w+|threadirqs-\w+|throttled)/lttng)$}x;     # without ORACLE_TRACE

# The program's part in the oracle's words.
sub holder {
    my ($part) = @_;
    return "thread $part->{tid}" if $part->{what} eq 'thread';
    return 'idle ' . n($part->{cpu}) if $part->{what} eq 'idle';
    return $part->{what} if $part->{what} =~ /^(timer|unknown|throttled)$/;
    return "$part->{what} " . n($part->{name});
}

sub text_of {
    my ($sum) = @_;
    return join ', ', map { "$_ $sum->{$_}" } sort keys %$sum;
}

# The states of LIFE that lie in [from, to).
sub states_in {
    my ($life, $from, $to) = @_;
    my $all = $life->{intervals};
    my @in;
    for (my $i = Account::first_after($all, $from); $i < @$all && $all->[$i]{from} < $to; $i++) {
        push @in, $all->[$i];
    }
    return @in;
}

# The holders of the CPU in [from, to) of LIFE; undef if the oracle has no such wait, or if events were lost
# in it.
sub counted {
    my ($o, $life, $from, $to) = @_;
    my %is;
    for my $state (states_in($life, $from, $to)) {
        return undef if $state->{state} !~ /^(wait-cpu|preempted|new)$/ || !$o->is_whole(@$state{qw(from to)});
        my ($begin, $end) = (max($from, $state->{from}), min($to, $state->{to}));
        if ($state->{state} eq 'new') {     # until its creator wakes it
            $is{"thread $life->{parent}"} += $end - $begin;
        } else {
            $o->add_holders(\%is, $state->{cpu}, $begin, $end);
        }
    }
    return \%is;
}

# The errors of an account with throttled time: that time is the quota's, inferred; all other time must be that of the holders of the CPU.
sub wrong_throttled {
    my ($who, $is, $says, @parts) = @_;
    my $left = delete $says->{throttled} // return;
    my @wrong = map { $says->{$_} > ($is->{$_} // 0) ? "$who: $_ $says->{$_}, counted " . n($is->{$_}) : () } sort keys %$says;
    $left -= ($is->{$_} // 0) - ($says->{$_} // 0) for keys %$is;
    push @wrong, "$who: throttled for $left ns too many" if $left;
    push @wrong, "$who: throttled, proved" if grep { $_->{what} eq 'throttled' && $_->{grade} ne 'inferred' } @parts;
    %$says = %$is;
    return @wrong;
}

# The errors of the cause of CASE, where IS has the holders: the thread that ran instead, for how long; the CPU that was idle.
sub wrong_cause {
    my ($who, $case, $is, $throttled) = @_;
    my $cause = $case->{cause} // '';
    my %sum = (thread => 0, idle => 0);
    $sum{(split)[0]} += $is->{$_} for keys %$is;
    if ($throttled) {
        return $cause =~ /^throttled |^ran instead/ ? () : "$who: cause \"$cause\", was throttled" if 2 * $throttled > $case->{latency};
        return;
    }
    my @wrong;
    if ($cause =~ /^ran instead: .*?\[(\d+)\] (\S+) (ns|µs|ms|s)\b/) {
        my ($tid, $told) = ($1, $2 * { ns => 1, 'µs' => 1e3, ms => 1e6, s => 1e9 }->{$3});
        my $ran = $is->{"thread $tid"} // 0;
        push @wrong, "$who: cause \"$cause\", ran for $ran" if abs($told - $ran) > 0.006 * $ran + 1 && keys %{ { map { $_ => 1 } map { $_->{priority} } grep { $_->{what} eq 'thread' && $_->{tid} == $tid } @{$case->{blame}} } } == 1;
        push @wrong, "$who: cause \"$cause\", idle for $sum{idle}" if $sum{idle} > $sum{thread};
    } elsif ($cause =~ /^CPU (\d+) was idle/) {
        my ($most) = sort { $is->{$b} <=> $is->{$a} } grep { /^idle/ } keys %$is;
        push @wrong, "$who: cause \"$cause\", threads for $sum{thread}" if $sum{thread} > $sum{idle};
        push @wrong, "$who: cause \"$cause\", was " . n($most) if n($most) ne "idle $1" && $is->{"idle $1"} != $is->{n($most)};
    }
    return @wrong;
}

# The scheduler picks no lower class, nor idle, while a preempted thread may run: a thread passed over like this was held back by
# something that no event shows (proofs.md R24.3). Priorities as the tracer writes them: below -100 deadline, below 0 real-time.
sub class_of { my ($prio) = @_; return $prio < -100 ? 2 : $prio < 0 ? 1 : 0 }
sub wrong_left_out {
    my ($o, $who, $life, $from, @parts) = @_;
    my ($state) = states_in($life, $from, $from + 1);
    return if $state->{state} ne 'preempted' || $state->{from} != $from;
    my $all = $o->{cpu}{$state->{cpu}}{intervals};
    my $next = $all->[Account::first_after($all, $from)] or return;
    return if $next->{from} > $from || !defined $next->{tid} || $next->{state} eq '?';
    my ($own, $its) = map { ($o->prios_in($_, $from, $from + 1))[-1] } $life->{tid}, $next->{tid};
    return if $next->{tid} && (!defined $own || !defined $its || class_of($own) <= class_of($its));
    return grep({ $_->{grade} eq 'proved' } @parts) ? "$who: proved, and left out for $next->{tid}" : ();
}

# The errors of the account of CASE; undef if the oracle has no such wait.
sub wrong_case {
    my ($o, $case) = @_;
    my ($from, $to) = @$case{qw(start end)};
    my ($life) = grep { ($_->{birth} // $o->{from}) <= $from && $from < $_->{end} } $o->lives_of_tid($case->{tid});
    my $is = $life && counted($o, $life, $from, $to) or return undef;
    my @parts = @{$case->{blame} // []};
    my $who = "TID $case->{tid} [$from, $to)";
    my %says;
    $says{holder($_)} += $_->{time} for @parts;
    my @wrong = (wrong_cause($who, $case, $is, $says{throttled}), wrong_throttled($who, $is, \%says, @parts), wrong_left_out($o, $who, $life, $from, @parts));
    push @wrong, "$who: says " . text_of(\%says) . "; counted " . text_of($is) if text_of(\%says) ne text_of($is);
    for my $part (grep { $_->{what} eq 'thread' } @parts) {
        my @prios = map { $_ + 100 } $o->prios_in($part->{tid}, $from, $to);
        push @wrong, "$who: priority of $part->{tid} " . n($part->{priority}) . ", was @prios"
            if !grep { $_ == n($part->{priority}) } @prios;
    }
    return \@wrong;
}

sub check {
    my ($o, $trace, $kind) = @_;
    my $answer = Ask::ask('latency', $trace->{path}, '--kind', $kind, '--top', 1_000_000, '--show-tracer');
    return verdict("$trace->{name}: $kind", $Ask::errors) if !$answer;
    my @cases = @{$answer->{worst}};
    my $step = $sample && @cases > $sample ? @cases / $sample : 1;
    my ($seen, $none, @wrong) = (0, 0);
    for (my $i = 0; $i < @cases; $i += $step) {
        my $wrong = wrong_case($o, $cases[int $i]);
        $seen++;
        $none++ if !$wrong;
        push @wrong, @{$wrong // []};
    }
    push @wrong, "$none of $seen waits are none by the oracle" if 20 * $none > $seen;
    verdict("$trace->{name}: $kind, $seen of " . @cases, @wrong);
}

# The whole life of a thread: its own run time, and each interrupt upon it.
sub wrong_life {
    my ($o, $trace, $life) = @_;
    my $answer = Ask::ask('why', $trace->{path}, '--thread', "$life->{tid}\@$life->{strict_from}", '--from', $life->{strict_from}, '--to', $life->{end})
        or return $Ask::errors;
    my (%is, %says);
    for my $state (states_in($life, @$life{qw(strict_from end)})) {
        $is{running} += $state->{to} - $state->{from} if $state->{state} =~ /^(running|syscall|usermode)$/;
        $o->add_holders(\%is, @$state{qw(cpu from to)}) if $state->{state} eq 'interrupted';
    }
    for my $part (@{$answer->{blame}}) {
        $says{running} += $part->{time} if n($part->{phase}) eq 'running';
        $says{holder($part)} += $part->{time} if n($part->{phase}) eq 'interrupted';
    }
    return text_of(\%says) eq text_of(\%is) ? () : "TID $life->{tid}: says " . text_of(\%says) . "; counted " . text_of(\%is);
}

sub check_lives {
    my ($o, $trace) = @_;
    my @busy = sort { $b->{on_cpu} <=> $a->{on_cpu} || $a->{tid} <=> $b->{tid} } grep { $_->{tid} && defined $_->{strict_from} } @{$o->{lives}};
    splice @busy, $lives if @busy > $lives;
    verdict("$trace->{name}: lives", map { wrong_life($o, $trace, $_) } @busy);
}

# From when the timer of an rtla thread was due until the thread ran (a late timer, a wake-up, a wait for the CPU), the time belongs to the
# holders of its CPU. Checks the longest of these cases, which occurred under load, and as many of the others.
sub check_sleepers {
    my ($o, $trace, $n) = @_;
    my $zero = Account::zero($trace->{path});
    my @cases;
    for my $s (@{$o->{sleepers}}) {
        my ($w) = grep { $_->{ended} == $s->{woken} && $_->{ran_at} } map { @{$_->{wakeups}} } $o->lives_of_tid($s->{tid});
        push @cases, { %$s, from => $s->{due} + $zero, to => $w->{ran_at} } if $w;
    }
    @cases = sort { $b->{to} - $b->{from} <=> $a->{to} - $a->{from} } @cases;
    my $step = @cases / $n;
    @cases = (@cases[0 .. $n - 1], map { $cases[$n + $_ * $step] } 0 .. $n - 2);
    my @answers = Ask::ask_all(map { [ 'why', $trace->{path}, '--thread', "$_->{tid}\@$_->{woken}", '--from', $_->{from}, '--to', $_->{to} ] } @cases);
    my (@wrong, %phases);
    for my $i (0 .. $#cases) {
        my ($c, %is, %says) = $cases[$i];
        $o->add_holders(\%is, @$c{qw(cpu from to)});
        $says{holder($_)} += $_->{time}, $phases{$_->{phase}}++ for @{($answers[$i] // {})->{blame} // []};
        push @wrong, "TID $c->{tid} [$c->{from}, $c->{to}): says " . text_of(\%says) . "; counted " . text_of(\%is) if text_of(\%says) ne text_of(\%is);
    }
    push @wrong, 'phases are ' . join(' ', sort keys %phases) if join(' ', sort keys %phases) ne 'late wait-cpu wake-up';
    verdict("$trace->{name}: late timers, " . @cases . ' of ' . @{$o->{sleepers}}, @wrong);
}

# A copy of TRACE in which events with names that begin with NAME are renamed, as if they had not been recorded.
sub without {
    my ($trace, $name) = @_;
    my $copy = File::Temp->newdir(TEMPLATE => 'wakepath-without-XXXXXX', TMPDIR => 1);
    for my $file (grep { -f } glob "$trace->{path}/*") {
        my ($base) = $file =~ m{([^/]+)$};
        symlink $file, "$copy/$base" or die if $base ne 'metadata';
    }
    (my $other = $name) =~ s/^./-/;
    open my $in, '<:raw', "$trace->{path}/metadata" or die;
    local $/;
    my $text = <$in>;
    $text =~ s/"\Q$name\E/"$other/g or die "$trace->{name}: no $name";
    open my $out, '>:raw', "$copy/metadata" or die;
    print $out $text;
    close $out or die;
    return $copy;
}

# Missing events make some accounts wrong: no wrong part may be called proved.
sub check_without {
    my ($o, $trace, $name, $copy) = @_;
    my $answer = Ask::ask('latency', "$copy", '--kind', 'wait-cpu', '--top', 1_000_000, '--show-tracer');
    return verdict("$trace->{name} without $name", $Ask::errors) if !$answer;
    my ($wrong, @false) = (0);
    for my $case (@{$answer->{worst}}) {
        my ($life) = grep { ($_->{birth} // $o->{from}) <= $case->{start} && $case->{start} < $_->{end} } $o->lives_of_tid($case->{tid});
        my $is = $life && counted($o, $life, @$case{qw(start end)}) or next;
        for my $part (grep { $_->{time} > ($is->{holder($_)} // 0) } @{$case->{blame}}) {
            $wrong++;
            push @false, "TID $case->{tid} [$case->{start}, $case->{end}): " . holder($part) . " $part->{time} proved, was " . text_of($is)
                if $part->{grade} eq 'proved';
        }
    }
    # sched_waking and sched_migrate_task have what sched_wakeup has.
    push @false, "$wrong parts are wrong, not as expected for this event" if !$wrong == ($name ne 'sched_wakeup');
    verdict("$trace->{name} without $name", @false);
}

sub check_all {
    my ($trace, $copies) = @_;
    my $o = Account->load($trace->{path});
    check($o, $trace, $_) for qw(wakeup preempted);
    check_lives($o, $trace) if !@{$o->{gaps}};
    check_sleepers($o, $trace, 40) if $o->{sleepers};
    check_without($o, $trace, $_, $copies->{$_}) for sort keys %$copies;
}

for my $trace (Ask::traces()) {
    next if !$ENV{ORACLE_TRACE} && $trace->{name} !~ $usual;
    my %copies = map { $_ => without($trace, $_) } $trace->{name} ne 'hackbench' ? () : qw(sched_migrate_task sched_wakeup x86_irq_vectors_local_timer irq_softirq_exit);
    my %paths = ($trace->{name} => $trace->{path}, map { ("without $_" => "$copies{$_}") } keys %copies);
    Proved::holds("oracle/accounts/$trace->{name}", \%paths, '', sub { check_all($trace, \%copies) });
}
done_testing();
