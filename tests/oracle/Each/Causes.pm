# SPDX-License-Identifier: MIT
package Each::Causes;

# The cause of every wake-up of every thread of every trace: the program's against the one that Cause.pm finds
# in the raw events; and the number of waits by kind and grade, against the table causes.txt.
#
# A cause that the program calls proved is also compared with everything the events show, more loosely: nothing may
# contradict it, and cases that the oracle cannot tell are counted. Also checked: its evidence (every event it names
# must be in the trace), due times of timers, steps of disk requests, and that no cause was over before the wait began.
#
# A cause that the program only infers although the events prove it is no contradiction, if for one of the reasons in Say.pm's
# may_be_weaker(). The table has the largest allowed number of these, so no lost proof goes unnoticed.
#
#   ORACLE_TABLE=write   writes the table again, from the raw events
#   ORACLE_TABLE=less    writes how many proofs the program misses now
#   ORACLE_SHOW=N        report N differences of each field (default 5)

use strict;
use warnings;
use FindBin;
use Test::More;
use Cause;
use Cause::Say;
use Cause::Judge;
use Cause::Checks;
use Each::Evidence;
use Ask;
use Verdict;

my $table = "$FindBin::Bin/causes.txt";

# Fields that the program does not fill in yet: compared and reported, but no failure.
my %not_yet = map { $_ => 1 } split ' ', $ENV{ORACLE_NOT_YET} // '';

# ------------------------------------------------------------ the table

# A line: trace, then kind=PROVED/INFERRED/UNKNOWN, and less=N if the program proves N waits less.
sub read_table {
    my (%said, %less);
    open my $fh, '<', $table or return ({}, {});
    while (<$fh>) {
        next if /^#/;
        my ($name, @counts) = split;
        $said{$name} = join ' ', grep { !/^less=/ } @counts;
        ($less{$name}) = map { /^less=(\d+)$/ ? $1 : () } @counts;
    }
    return (\%said, \%less);
}

sub write_table {
    my ($counts, $fewer) = @_;
    my ($known, $less) = read_table();
    $known->{$_} = $counts->{$_} for keys %$counts;
    $less->{$_} = $fewer->{$_} for keys %$fewer;
    open my $fh, '>', $table or die "$table: $!";
    print $fh "# Ends of waits by kind, counted by Cause.pm from the raw events (ORACLE_TABLE=write): proved/inferred/unknown.\n";
    print $fh "# less: so many waits, or hops of their chains, the program only infers (ORACLE_TABLE=less).\n";
    printf $fh "%-24s %s%s\n", $_, $known->{$_}, $less->{$_} ? " less=$less->{$_}" : '' for sort keys %$known;
    close $fh or die "$table: $!";
}

sub counted {
    my ($o) = @_;
    my %n;
    $n{$_->[1]{cause}{kind}}{$_->[1]{cause}{grade}}++ for $o->all;
    return join ' ', map { my $of = $n{$_}; "$_=" . join '/', map { $of->{$_} // 0 } qw(proved inferred unknown) } sort keys %n;
}

# ------------------------------------------------------------ wake-ups

# True if the program and the oracle must agree. Where events were lost the program must only not claim a
# proof.
sub wrong_lost {
    my ($which, $said) = @_;
    return $said->{grade} eq 'proved' ? "$which: proved, though events were lost" : ();
}

sub compare {
    my ($o, $layout, $life, $answer, $why, $tally) = @_;
    if (!$answer) {
        push @{$tally->{wrong}{wakeups}}, $why;
        return;
    }
    my @evidence = map { @{$_->{source}{evidence}} } @{$answer->{wakeups}};
    push @{$tally->{wrong}{evidence}}, map { "TID $life->{tid}: $_" } Each::Evidence::wrong($o, $layout, @evidence);
    $tally->{evidence} += @evidence;
    my %said = map { $_->{time} => $_ } @{$answer->{wakeups}};
    for my $w (@{$life->{wakeups}}) {
        my $which = "TID $life->{tid} (" . n($life->{name}) . ") woken at $w->{ended}";
        my $one = $said{$w->{ended}};
        if (!$one) {
            push @{$tally->{wrong}{wakeups}}, "$which: not said" if !@{$o->{gaps}};
            next;
        }
        my ($is, $said) = (Cause::Say::is($w), Cause::Say::said($one));
        push @{$tally->{wrong}{order}}, map { "$which: $_" } Cause::Checks::order($w, $one) if !@{$o->{gaps}};
        # If this CPU lost events, nothing may be claimed; if another one did, less may be claimed than the
        # events show.
        if ($w->{cause}{lost}) {
            push @{$tally->{wrong}{lost}}, wrong_lost($which, $said);
            next;
        }
        judge($o, $which, $w, $one, $tally, $is, $said);
        next if grep { $w->{time} >= $_->{from} && $w->{time} <= $_->{to} } @{$o->{gaps}};
        $tally->{count}++;
        my $grade = Cause::Say::agrees('grade', $is, $said, $w) ? $said->{grade} : $is->{grade};
        $tally->{program}{"$said->{kind} $said->{grade}"}++;
        $tally->{oracle}{"$is->{kind} $grade"}++;
        push @{$tally->{less}}, "$which: $said->{grade} $said->{hops}, could be $is->{grade} $is->{hops}"
            if grep { $said->{$_} ne $is->{$_} && $said->{$_} =~ /inferred/ && Cause::Say::agrees($_, $is, $said, $w) } qw(grade hops);
        # Records of requests, timers and work may be stale if events are missing.
        for my $field (@{$o->{gaps}} ? qw(kind grade thread) : @Cause::Say::fields) {
            next if Cause::Say::agrees($field, $is, $said, $w);
            push @{$tally->{wrong}{$field}}, "$which ($is->{kind}): $field $said->{$field}, is $is->{$field}";
        }
    }
}

sub judge {
    my ($o, $which, $w, $one, $tally, @in_words) = @_;
    push @{$tally->{wrong}{timers}}, map { "$which: $_" } Cause::Checks::timer($o, $w, $one->{source});
    push @{$tally->{wrong}{steps}}, map { "$which: $_" } Cause::Checks::steps($w, $one->{source});
    return if $one->{source}{grade} ne 'proved';
    my @wrong = Cause::Judge::judge($w, $one, @in_words);
    if (@wrong && !defined $wrong[0]) {
        $tally->{cannot_tell}++;
        return;
    }
    $tally->{proved}++;
    push @{$tally->{wrong}{proved}}, "$which: " . join '; ', @wrong if @wrong;
}

# ------------------------------------------------------------ a trace

my ($known, $known_less) = read_table();

# The table's entry for the trace NAME.
sub known { return join ' ', map { $_->{$_[0]} // '' } $known, $known_less }

sub check {
    my ($o, $trace) = @_;
    my $count = counted($o);
    return write_table({ $trace->{name} => $count }, {}) if ($ENV{ORACLE_TABLE} // '') eq 'write';
    # Thousands of runs; States.pm and Answers.pm run the same code with the sanitizers.
    local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
    subtest "$trace->{name}: causes" => sub {
        is($count, $known->{$trace->{name}}, 'the table of causes.txt is right');
        my %tally = (count => 0, evidence => 0, wrong => {}, program => {}, oracle => {});
        my @lives = grep { $_->{tid} && @{$_->{wakeups}} } @{$o->{lives}};
        my $layout = Each::Evidence::layout($trace->{path});
        my @answers = Ask::wakeups_of($trace->{path}, @lives);
        compare($o, $layout, $lives[$_], $answers[$_], $Ask::why[$_], \%tally) for 0 .. $#lives;
        my $wrong = $tally{wrong};
        verdict('every end of a wait is reported', @{$wrong->{wakeups} // []});
        verdict('nothing is proved where events were lost', @{$wrong->{lost} // []}) if @{$o->{gaps}};
        for my $field (@Cause::Say::fields) {
            local $TODO = 'the program does not say it yet' if $not_yet{$field};
            verdict("$field of $tally{count} ends of waits", @{$wrong->{$field} // []});
        }
        is_deeply($tally{program}, $tally{oracle}, 'the program has as many waits of each kind and grade');
        my @less = @{$tally{less} // []};
        note("  $_") for @less;
        if (($ENV{ORACLE_TABLE} // '') eq 'less') {
            write_table({}, { $trace->{name} => scalar @less });
        } else {
            cmp_ok(scalar @less, '<=', $known_less->{$trace->{name}} // 0, 'no more waits than in the table are inferred although the events prove them');
        }
        verdict(($tally{proved} // 0) . ' proved waits and the events, of ' . ($tally{cannot_tell} // 0) . ' more they do not tell', @{$wrong->{proved} // []});
        verdict("$tally{evidence} events that are evidence", @{$wrong->{evidence} // []});
        cmp_ok($tally{evidence}, '>', 50, 'many pieces of evidence are checked');
        verdict('due times of timers are right', @{$wrong->{timers} // []});
        verdict('steps of requests are right', @{$wrong->{steps} // []});
        verdict('no wait is explained by something that ended before it began', @{$wrong->{order} // []}) if !@{$o->{gaps}};
    };
}
1;
