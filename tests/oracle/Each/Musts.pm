# SPDX-License-Identifier: MIT
package Each::Musts;

# Requirements of every explanation, on all traces: ioburst's chains, and paths of every thread without idle
# threads, overlaps, holes and evidence that is not in the trace.

use strict;
use warnings;
use Test::More;
use Cause;
use Cause::Say;
use Cause::Checks;
use Ask;
use Verdict;

my $most = 45;          # threads checked in each trace: the workload's, and those that waited most

# The wake-ups of lives by time.
sub wakeups_of {
    return map { $_ && { map { $_->{time} => $_ } @{$_->{wakeups}} } } Ask::wakeups_of(@_);
}

# ------------------------------------------------------------ ioburst

# Waits that a request of the disk vdb ended, by the raw events:
# [life, record, the program's answer].
sub waits_for_vdb {
    my ($o, $trace) = @_;
    my $of = sub { grep { $_->{cause}{request} && n($_->{cause}{request}{device}) eq 'vdb' } @{$_[0]{wakeups}} };
    my @lives = grep { $of->($_) } @{$o->{lives}};
    my @said = wakeups_of($trace, @lives);
    return map { my $i = $_; map { [ $lives[$i], $_, ($said[$i] // {})->{$_->{ended}} ] } $of->($lives[$i]) } 0 .. $#lives;
}

# The missing parts of a full explanation of a wait for vdb in ioburst-ipi.
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
    verdict('no chain has an IPI, and all are on CPU 1', map {
        my ($life, $record, $one) = @$_;
        my @chain = @{($one // {})->{source}{context} // []};
        !@chain || grep({ $_->{type} eq 'ipi' || n($_->{cpu}) ne 1 } @chain)
            ? "TID $life->{tid} at $record->{ended}: " . ($one ? Cause::Say::said($one)->{chain} : 'not said') : ();
    } @waits);
}

# ------------------------------------------------------------ paths

# A segment as JSON: its begin, end and kind, and its own errors.
sub segment {
    my ($o, $json) = @_;
    my $s = Ask::decoded($json);
    my $what = "$s->{kind} of " . n($s->{actor}{name}) . " [$s->{from}, $s->{to})";
    my @wrong;
    push @wrong, "$what is empty" if $s->{from} >= $s->{to};
    push @wrong, "$what: the idle thread"
        if $s->{actor}{type} eq 'thread' && (n($s->{actor}{tid}) eq '0' || n($s->{actor}{name}) =~ m{^swapper/});
    my $source = $s->{source} // {};
    my ($done, $got) = (($source->{request} // {})->{completed}, ($source->{packet} // {})->{received});
    my $since = min($s->{from}, map { n($_->{entry}) ne '-' ? $_->{entry} : () } ($source->{context}[-1] // ()));
    push @wrong, "$what: the request was completed $done" if defined $done && $done < $since;
    push @wrong, "$what: the packet was received $got" if defined $got && $got < $since;
    push @wrong, map { "$what: $_" } Cause::Checks::evidence($o, @{$source->{evidence} // []});
    return [ @$s{qw(from to)}, $what, @wrong ];
}

# Most segments: of a thread other than the idle one, with no source. Only their sequence remains to be checked.
my $plain = qr/^\{"from":(\d+),"to":(\d+),[^{]*"actor":\{"type":"thread","host":"[^"\\]*","tid":[1-9]\d*,"name":"(?!swapper\/)[^"\\]*"\},"source":null,/;

# The errors of the path in TEXT (JSON), a line for each segment. Threads that waited for one thing share segments: each is checked
# once, and then is in KNOWN.
sub wrong_path {
    my ($o, $text, $row, $life, $known) = @_;
    # Its path is empty before its creation and after its exit.
    my ($from, $to) = (max($row->{first}, $life->{birth} // $row->{first}), min($row->{last}, $life->{exited} // $row->{last}));
    my ($begin, $end) = (index($text, '"segments":[') + length '"segments":[', index($text, '],"links":['));
    my @segments = split /,\n/, substr $text, $begin, $end - $begin, '';
    my $p = Ask::decoded($text);
    my @wrong;
    return 'no segments' if !@segments && $p->{to} > $p->{from};
    return if !@segments;
    push @wrong, "covers [$p->{from}, $p->{to}), the thread lived [$from, $to)" if $p->{from} != $from || $p->{to} != $to;
    my $at = $p->{from};
    for my $json (@segments) {
        if ($json =~ $plain && $1 == $at && $1 < $2) {
            $at = $2;
            next;
        }
        my ($begin, $end, $what, @alone) = @{$known->{$json} //= segment($o, $json)};
        push @wrong, "$what begins where it was $at" if $begin != $at;
        push @wrong, @alone;
        $at = $end;
    }
    push @wrong, "ends $at" if $at != $p->{to};
    return @wrong;
}

# ------------------------------------------------------------ a trace

# A thread at a time when it surely is this life.
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

sub check {
    my ($o, $trace) = @_;
    # Thousands of runs; States.pm, Answers.pm and test_path_rules run the same code with the sanitizers.
    local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
    subtest "$trace->{name}: paths" => sub {
        my $rows = Ask::ask('threads', $trace->{path}) or return fail($Ask::errors);
        my %rows;
        push @{$rows{$_->{tid}}}, $_ for sort { $a->{first} <=> $b->{first} } @{$rows->{threads}};
        my (@paths, %known, %seen, @pairs);
        my %picked = map { $_ => 1 } pick($o);
        for my $life (grep { $_->{tid} } @{$o->{lives}}) {
            my $row = $rows{$life->{tid}}[$seen{$life->{tid}}++] or next;
            push @pairs, [ $life, $row ] if $row->{last} > $row->{first} && $picked{$life};
        }
        my $asked = @pairs;
        for (@pairs) {
            my ($life, $row) = @$_;
            my ($status, $text) = Ask::run('path', $trace->{path}, '--thread', place($life, $row), '--format', 'json');
            push @paths, map { "TID $life->{tid}: $_" } $status eq '0' ? wrong_path($o, $text, $row, $life, \%known) : "exit $status $Ask::errors";
        }
        verdict("paths of $asked threads: no idle thread, no overlap, no hole, complete, with events of the trace", @paths);
        $special{$trace->{name}}->($o, $trace->{path}) if $special{$trace->{name}};
    };
}

1;
