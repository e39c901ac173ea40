# SPDX-License-Identifier: MIT
package Each;

# All checks against the raw events of every trace. Reading a trace takes longer than most checks of it, so all are made at once. each_1.t to
# each_6.t each have a share of the traces. A trace that was proved before is not read again: Proved.pm.
#
#   ORACLE_CHECK         only checks whose name matches this regular expression

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../tools";
use List::Util qw(sum0);
use Test::More;
use Ask;
use Cause;
use Hosts::Trace;
use Kept;
use Proved;
use Vcpu;
use Each::Answers;
use Each::Causes;
use Each::Counting;
use Each::Musts;
use Each::States;

my $shares = 6;
my %checks = (counting => \&Each::Counting::check, states => \&Each::States::check, musts => \&Each::Musts::check, causes => \&Each::Causes::check,
    answers => \&Each::Answers::check);

# Traces from which other tests need more than the causes of waits (Kept.pm), and the class that finds it.
my %others = (qr{^(?:rpc-chain|django)/} => 'Hosts::Trace', qr{^vm-preempt/host} => 'Vcpu');

# The traces of share N: the largest first, each to the share with the fewest bytes.
sub _share {
    my ($n) = @_;
    my %bytes = map { $_->{path} => sum0(map { -s } glob "$_->{path}/*") } my @traces = Ask::traces();
    my @size = (0) x $shares;
    my @mine;
    for my $trace (sort { $bytes{$b->{path}} <=> $bytes{$a->{path}} || $a->{name} cmp $b->{name} } @traces) {
        my ($to) = sort { $size[$a] <=> $size[$b] || $a <=> $b } 0 .. $#size;
        $size[$to] += $bytes{$trace->{path}};
        push @mine, $trace if $to == $n - 1;
    }
    return @mine;
}

sub check {
    my ($n) = @_;
    my @traces = _share($n);
    plan skip_all => 'no traces' if !@traces;
    my @names = grep { $_ =~ ($ENV{ORACLE_CHECK} // ($ENV{ORACLE_TABLE} ? 'causes' : '.')) } sort keys %checks;
    for my $trace (@traces) {
        Proved::holds("oracle/each/$trace->{name}", { $trace->{name} => $trace->{path} }, Each::Causes::known($trace->{name}), sub { _derive($trace, @names) });
    }
    done_testing;
}

sub _derive {
    my ($trace, @names) = @_;
    my ($class) = map { $others{$_} } grep { $trace->{name} =~ $_ } keys %others;
    my $o = $class ? Kept::load($class, $trace->{path}) : Cause->load($trace->{path});
    for my $name (@names) { # writing the table goes over $_
        $checks{$name}->($o, $trace);
    }
    pass($trace->{name});
}

1;
