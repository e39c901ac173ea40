#!/usr/bin/perl
# Why every wait ended, of every thread of every trace: what the program says
# against what Cause.pm finds in the raw events, wake-up by wake-up; and how
# many waits there are by kind and grade, against the table causes.txt.
#
#   ORACLE_TABLE=write   writes the table again, from the raw events
#   ORACLE_TRACE=NAME    this trace only
#   ORACLE_SHOW=N        tell N differences of each field (default 5)

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cause;
use Cause::Say;
use Ask;
use Verdict;

my $table = "$FindBin::Bin/causes.txt";

# Fields that the program does not fill in yet: compared, told, not held against it.
my %not_yet = map { $_ => 1 } split ' ', $ENV{ORACLE_NOT_YET} // '';

# ------------------------------------------------------------ the table

sub read_table {
    my %said;
    open my $fh, '<', $table or return {};
    while (<$fh>) {
        my ($name, $kind, $grade, $count) = split;
        $said{$name}{"$kind $grade"} = $count if defined $count && !/^#/;
    }
    return \%said;
}

sub write_table {
    my ($counts) = @_;
    open my $fh, '>', $table or die "$table: $!";
    print $fh "# Ends of waits by kind and grade, counted by Cause.pm from the raw events (ORACLE_TABLE=write).\n";
    printf $fh "# %-16s %-10s %-8s %6s\n", qw(trace kind grade count);
    for my $name (sort keys %$counts) {
        printf $fh "%-18s %-10s %-8s %6d\n", $name, split(' ', $_), $counts->{$name}{$_} for sort keys %{$counts->{$name}};
    }
    close $fh or die "$table: $!";
}

sub counted {
    my ($o) = @_;
    my %n;
    $n{"$_->[1]{cause}{kind} $_->[1]{cause}{grade}"}++ for $o->all;
    return \%n;
}

# ------------------------------------------------------------ wake-ups

# Is it the program's word against ours?  Not where events were lost: there it
# must only not claim a proof.
sub wrong_lost {
    my ($which, $said) = @_;
    return $said->{grade} eq 'proved' ? "$which: proved, though events were lost" : ();
}

sub compare {
    my ($o, $life, $answer, $why, $tally) = @_;
    if (!$answer) {
        push @{$tally->{wrong}{wakeups}}, $why;
        return;
    }
    my %said = map { $_->{time} => $_ } @{$answer->{wakeups}};
    for my $w (@{$life->{wakeups}}) {
        my $which = "TID $life->{tid} (" . n($life->{name}) . ") woken at $w->{ended}";
        my $one = $said{$w->{ended}};
        if (!$one) {
            push @{$tally->{wrong}{wakeups}}, "$which: not said" if !@{$o->{gaps}};
            next;
        }
        my ($is, $said) = (Cause::Say::is($w), Cause::Say::said($one));
        # Where this CPU lost events, nothing may be claimed; where another one
        # did, less may be claimed than is forced.
        if ($w->{cause}{lost}) {
            push @{$tally->{wrong}{lost}}, wrong_lost($which, $said);
            next;
        }
        next if grep { $w->{time} >= $_->{from} && $w->{time} <= $_->{to} } @{$o->{gaps}};
        $tally->{count}++;
        $tally->{program}{"$said->{kind} $said->{grade}"}++;
        $tally->{oracle}{"$is->{kind} $is->{grade}"}++;
        # What was seen of requests, timers and work may be old where events are missing.
        for my $field (@{$o->{gaps}} ? qw(kind grade thread) : @Cause::Say::fields) {
            next if Cause::Say::agrees($field, $is, $said, $w);
            push @{$tally->{wrong}{$field}}, "$which ($is->{kind}): $field $said->{$field}, is $is->{$field}";
        }
    }
}

# ------------------------------------------------------------ all traces

my @traces = Ask::traces();
@traces = grep { $_->{name} eq $ENV{ORACLE_TRACE} } @traces if $ENV{ORACLE_TRACE};
plan skip_all => 'no traces' if !@traces;

my $known = read_table();
my %counts;
for my $trace (@traces) {
    my $o = Cause->load($trace->{path});
    $counts{$trace->{name}} = counted($o);
    next if ($ENV{ORACLE_TABLE} // '') eq 'write';
    subtest $trace->{name} => sub {
        is_deeply($counts{$trace->{name}}, $known->{$trace->{name}}, 'the table of causes.txt is right');
        my %tally = (count => 0, wrong => {}, program => {}, oracle => {});
        my @lives = grep { $_->{tid} && @{$_->{wakeups}} } @{$o->{lives}};
        my @answers = Ask::wakeups_of($trace->{path}, @lives);
        compare($o, $lives[$_], $answers[$_], $Ask::why[$_], \%tally) for 0 .. $#lives;
        my $wrong = $tally{wrong};
        verdict('every end of a wait is said', @{$wrong->{wakeups} // []});
        verdict('nothing is proved where events were lost', @{$wrong->{lost} // []}) if @{$o->{gaps}};
        for my $field (@Cause::Say::fields) {
            local $TODO = 'the program does not say it yet' if $not_yet{$field};
            verdict("$field of $tally{count} ends of waits", @{$wrong->{$field} // []});
        }
        is_deeply($tally{program}, $tally{oracle}, 'as many of each kind and grade');
    };
}
if (($ENV{ORACLE_TABLE} // '') eq 'write') {
    write_table(\%counts);
    pass('written');
}

done_testing;
