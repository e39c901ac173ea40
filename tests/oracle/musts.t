#!/usr/bin/perl
# What must hold of every explanation, on all traces: ioburst's chains, paths of
# every thread without idle threads, overlaps and holes, and no wait explained
# by what was over before it began.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Kept;
use Cause::Say;
use Ask;
use Verdict;

# Thousands of runs; states.t, answers.t and test_path_rules go the same ways with the sanitizers.
$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};

my $most = 45;          # threads looked at in each trace: the workload's, and those that waited most

# The wake-ups of lives by time.
sub wakeups_of {
    return map { $_ && { map { $_->{time} => $_ } @{$_->{wakeups}} } } Ask::wakeups_of(@_);
}

# ------------------------------------------------------------ ioburst

# Waits that a request of the disk vdb ended, by the raw events:
# [life, record, what the program says].
sub waits_for_vdb {
    my ($o, $trace) = @_;
    my $of = sub { grep { $_->{cause}{request} && n($_->{cause}{request}{device}) eq 'vdb' } @{$_[0]{wakeups}} };
    my @lives = grep { $of->($_) } @{$o->{lives}};
    my @said = wakeups_of($trace, @lives);
    return map { my $i = $_; map { [ $lives[$i], $_, ($said[$i] // {})->{$_->{ended}} ] } $of->($lives[$i]) } 0 .. $#lives;
}

# What is missing of a full explanation of a wait for vdb in ioburst-ipi.
sub missing {
    my ($life, $record, $one) = @_;
    return 'not said' if !$one;
    my $s = $one->{source};
    my ($is, $said) = (Cause::Say::is($record), Cause::Say::said($one));
    return "kind $s->{kind} $s->{grade}" if $s->{kind} ne 'block' || $s->{grade} ne 'proved';
    return 'device ' . n($s->{device}) if n($s->{device}) ne 'vdb';
    for my $field (qw(request history submitter)) {
        return "$field $said->{$field}, is $is->{$field}" if $said->{$field} ne $is->{$field};
    }
    my ($irq, @rest) = @{$s->{context}};
    return "chain $said->{chain}" if !$irq || $irq->{type} ne 'irq' || n($irq->{name}) ne 'virtio2-req.0' || n($irq->{cpu}) ne 1;
    return "chain $said->{chain}, is $is->{chain}" if $said->{chain} ne $is->{chain};
    # On the CPU of the interrupt no IPI was needed.
    my $by_ipi = $record->{cpu} != 1;
    return "the interrupt is $irq->{grade}" if n($irq->{grade}) ne ($by_ipi ? 'inferred' : 'proved');
    return 'a hop is ' . join ' ', map { n($_->{grade}) } @rest if grep { n($_->{grade}) ne 'proved' } @rest;
    return;
}

sub ioburst_ipi {
    my ($o, $trace) = @_;
    my @waits = waits_for_vdb($o, $trace);
    my @by_ipi = grep { grep { $_->{type} eq 'ipi' } @{$_->[1]{cause}{chain}} } @waits;
    cmp_ok(scalar @waits, '>=', 40, @waits . ' waits for vdb');
    cmp_ok(scalar @by_ipi, '>=', 0.9 * @waits, @by_ipi . ' of them end by IPI');
    my @not = map { my $why = missing(@$_); defined $why ? "TID $_->[0]{tid} at $_->[1]{ended}: $why" : () } @waits;
    cmp_ok(scalar @not, '<=', 0.05 * @waits, 'at least 95 % are explained in full') or diag(map { "  $_\n" } @not[0 .. min(4, $#not)]);
}

sub ioburst_direct {
    my ($o, $trace) = @_;
    # The journal's thread is not pinned.
    my @waits = grep { $_->[0]{names}{'wk-ioburst'} } waits_for_vdb($o, $trace);
    cmp_ok(scalar @waits, '>=', 40, @waits . ' waits for vdb');
    verdict('no IPI in any chain, all on CPU 1', map {
        my ($life, $record, $one) = @$_;
        my @chain = @{($one // {})->{source}{context} // []};
        !@chain || grep({ $_->{type} eq 'ipi' || n($_->{cpu}) ne 1 } @chain)
            ? "TID $life->{tid} at $record->{ended}: " . ($one ? Cause::Say::said($one)->{chain} : 'not said') : ();
    } @waits);
}

# ------------------------------------------------------------ over before it began

# The wait's beginning by the raw events; a waker that overtook the sleeper is
# before that, and right.
sub wrong_order {
    my ($record, $one) = @_;
    return if $record->{overtook} || !defined $record->{blocked_at};
    my ($s, $begin, $end) = ($one->{source}, $record->{blocked_at}, $record->{ended});
    my ($request, $packet) = @$s{qw(request packet)};
    my @wrong;
    for my $t ([ 'request completed', $request && $request->{completed} ], [ 'packet received', $packet && $packet->{received} ]) {
        my ($what, $at) = @$t;
        next if !defined $at;
        # Its interrupt may still be at it when the thread falls asleep.
        my $since = min($begin, @{$record->{context}} ? $record->{context}[-1]{entry} : $begin);
        push @wrong, "$what $at, but waited from $begin to $end, woken in what began $since" if $at < $since || $at > $end;
    }
    # The context of the wake-up was open when it happened, but for a handler that has just returned, left softirqs or a lock behind.
    my @open = map { "$_->{cpu} $_->{entry}" } @{$record->{context}};
    my $last = $s->{context}[-1];
    push @wrong, "innermost $last->{type} of $last->{entry} on CPU $last->{cpu} was not open at $record->{time}"
        if $last && @open && !$record->{cause}{outside} && "$last->{cpu} $last->{entry}" ne $open[-1];
    # From the origin on, one after the other.
    my @entries = grep { defined } map { $_->{entry} } @{$s->{context}};
    push @wrong, "the chain goes back in time: @entries" if grep { $entries[$_] < $entries[$_ - 1] } 1 .. $#entries;
    push @wrong, "the chain begins after the wake-up at $record->{time}: @entries" if grep { $_ > $end } @entries;
    push @wrong, 'the idle thread is said to have ended it' if $s->{thread} && n($s->{thread}{tid}) eq '0';
    return @wrong;
}

# ------------------------------------------------------------ paths

sub wrong_path {
    my ($p, $row, $life) = @_;
    # Before it was created and after it exited there is nothing to be on its path.
    my ($from, $to) = (max($row->{first}, $life->{birth} // $row->{first}), min($row->{last}, $life->{exited} // $row->{last}));
    my @segments = @{$p->{segments}};
    my @wrong;
    return 'no segments' if !@segments && $p->{to} > $p->{from};
    return if !@segments;
    push @wrong, "covers [$p->{from}, $p->{to}), the thread lived [$from, $to)" if $p->{from} != $from || $p->{to} != $to;
    push @wrong, "begins $segments[0]{from}" if $segments[0]{from} != $p->{from};
    push @wrong, "ends $segments[-1]{to}" if $segments[-1]{to} != $p->{to};
    for my $i (0 .. $#segments) {
        my $s = $segments[$i];
        my $what = "$s->{kind} of " . n($s->{actor}{name}) . " [$s->{from}, $s->{to})";
        push @wrong, "$what is empty" if $s->{from} >= $s->{to};
        push @wrong, "$what comes after $segments[$i - 1]{to}" if $i && $segments[$i - 1]{to} != $s->{from};
        push @wrong, "$what: the idle thread"
            if $s->{actor}{type} eq 'thread' && (n($s->{actor}{tid}) eq '0' || n($s->{actor}{name}) =~ m{^swapper/});
        my $source = $s->{source} or next;
        my ($done, $got) = (($source->{request} // {})->{completed}, ($source->{packet} // {})->{received});
        my $since = min($s->{from}, map { n($_->{entry}) ne '-' ? $_->{entry} : () } ($source->{context}[-1] // ()));
        push @wrong, "$what: the request was completed $done" if defined $done && $done < $since;
        push @wrong, "$what: the packet was received $got" if defined $got && $got < $since;
    }
    return @wrong;
}

# ------------------------------------------------------------ all traces

# A thread at a time when it is sure to be this life.
sub place {
    my ($life, $row) = @_;
    return "$life->{tid}\@" . max($row->{first}, min($life->{strict_from} // $row->{first}, $row->{last} - 1));
}

# The lives to look at; all with ORACLE_ALL=1.
sub pick {
    my ($o) = @_;
    my @lives = sort { (grep { /^wk-/ } keys %{$b->{names}}) <=> (grep { /^wk-/ } keys %{$a->{names}})
        || @{$b->{wakeups}} <=> @{$a->{wakeups}} || $a->{tid} <=> $b->{tid} } grep { $_->{tid} } @{$o->{lives}};
    return @lives if $ENV{ORACLE_ALL} || @lives <= $most;
    return @lives[0 .. $most - 1];
}

my %special = ('ioburst-ipi' => \&ioburst_ipi, 'ioburst-direct' => \&ioburst_direct);

my @traces = Ask::traces();
plan skip_all => 'no traces' if !@traces;

# From the other end than states.t, which runs at the same time: what one has found the other need not (Kept.pm).
for my $trace (reverse @traces) {
    my $o = Kept::cause($trace->{path});
    subtest $trace->{name} => sub {
        my $rows = Ask::ask('threads', $trace->{path}) or return fail($Ask::errors);
        my %rows;
        push @{$rows{$_->{tid}}}, $_ for sort { $a->{first} <=> $b->{first} } @{$rows->{threads}};
        my (@paths, @order, %seen, @pairs);
        my %picked = map { $_ => 1 } pick($o);
        for my $life (grep { $_->{tid} } @{$o->{lives}}) {
            my $row = $rows{$life->{tid}}[$seen{$life->{tid}}++] or next;
            push @pairs, [ $life, $row ] if $row->{last} > $row->{first} && $picked{$life};
        }
        my $asked = @pairs;
        my @answers = Ask::ask_all(map { [ 'path', $trace->{path}, '--thread', $_ ] } map { place(@$_) } @pairs);
        for my $i (0 .. $#pairs) {
            my ($life, $row) = @{$pairs[$i]};
            push @paths, map { "TID $life->{tid}: $_" } $answers[$i] ? wrong_path($answers[$i], $row, $life) : $Ask::why[$i];
        }
        my @waiters = @{$o->{gaps}} ? () : grep { @{$_->{wakeups}} } map { $_->[0] } @pairs;
        my @said = wakeups_of($trace->{path}, @waiters);
        for my $i (0 .. $#waiters) {
            my ($life, $said) = ($waiters[$i], $said[$i]);
            push(@order, $Ask::why[$i]), next if !$said;
            push @order, map { my $w = $_; map { "TID $life->{tid} woken at $w->{ended}: $_" } wrong_order($w, $said->{$w->{ended}}) }
                grep { $said->{$_->{ended}} } @{$life->{wakeups}};
        }
        verdict("paths of $asked threads: no idle thread, no overlap, no hole, all of it", @paths);
        verdict('no wait is explained by what was over before it began', @order) if !@{$o->{gaps}};
        $special{$trace->{name}}->($o, $trace->{path}) if $special{$trace->{name}};
    };
}

done_testing;
