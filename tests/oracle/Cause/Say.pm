# SPDX-License-Identifier: MIT
package Cause::Say;

# Causes as flat text, field by field: those of the oracle and those of the program. An unknown field is '-'.

use strict;
use warnings;

# The fields, in the order in which differences are reported.
our @fields = qw(kind grade thread device chain hops request history submitter packet sender timer armed expired
    work queued signal remote);

my %by = (chain => qr/ > /, hops => qr/ /);

sub n { return defined $_[0] ? $_[0] : '-' }

# Device numbers are written as the kernel's number or as MAJOR:MINOR.
sub _dev {
    my ($dev) = @_;
    return '-' if !defined $dev;
    return $dev =~ /:/ ? $dev : join ':', $dev >> 20, $dev & 0xfffff;
}

sub _function { return defined $_[0] ? lc $_[0] : '-' }

sub _tid {
    my ($who) = @_;
    return !defined $who ? '-' : ref $who ? n($who->{tid}) : $who;
}

# An address, and its port.
sub _end {
    my ($p, $which) = @_;
    my ($address, $port) = @$p{$which, "${which}_port"};
    return n($address) . (defined $port ? " port $port" : '');
}

sub _bool { return !defined $_[0] ? '-' : $_[0] ? 'yes' : 'no' }

sub _contexts {
    my ($list) = @_;
    return join(' > ', map {
        my $c = $_;
        $c->{type} eq 'thread' ? 'thread ' . _tid($c->{thread}) . " cpu $c->{cpu}" : join ' ', $c->{type}, ($c->{type} eq 'irq' || $c->{type} eq 'softirq' ? n($c->{nr}) : ()),
            ($c->{type} eq 'hrtimer' ? () : n($c->{name})), "cpu $c->{cpu}", $c->{entry}
    } @$list) || '-';
}

sub _grades { return join(' ', map { $_->{type} . '=' . n($_->{grade}) } @{$_[0]}) || '-' }

# A wait's record of Cause.pm.
sub is {
    my ($record) = @_;
    my $c = $record->{cause};
    my %is = (
        kind => $c->{kind}, grade => $c->{grade}, thread => _tid($c->{thread}), device => n($c->{device}),
        chain => _contexts($c->{chain}), hops => _grades($c->{chain}),
    );
    _facts(\%is, $c, $record->{remote});
    return \%is;
}

# SOURCE of the program's JSON.
sub said {
    my ($wakeup) = @_;
    my $s = $wakeup->{source};
    my %said = (
        kind => n($s->{kind}), grade => n($s->{grade}), thread => _tid($s->{thread}), device => n($s->{device}),
        chain => _contexts($s->{context} // []), hops => _grades($s->{context} // []),
    );
    _facts(\%said, $s, $s->{remote} // $wakeup->{remote});
    return \%said;
}

sub _facts {
    my ($to, $s, $remote) = @_;
    my ($r, $p, $t, $w, $g) = @$s{qw(request packet timer work signal)};
    $to->{request} = $r ? join ' ', _dev($r->{dev}), n($r->{sector}), n($r->{operation}), n($r->{bytes}), n($r->{merged}) : '-';
    $to->{history} = $r ? join ' ', map { n($r->{$_}) } qw(queued inserted issued completed) : '-';
    $to->{submitter} = $r ? _tid($r->{submitter}) : '-';
    $to->{packet} = $p ? join ' ', n($p->{device}), n($p->{protocol}), _end($p, 'source'), _end($p, 'destination'),
        map { n($p->{$_}) } qw(sequence acknowledgement length received) : '-';
    $to->{sender} = $p ? join ' ', n($p->{sent}), _tid($p->{sender}) : '-';
    $t //= $s->{answered};
    # A timer without known fields counts as no timer.
    $t = undef if $t && !grep { defined $t->{$_} } qw(function armed_by armed_at);
    $to->{timer} = $t ? _function($t->{function}) : '-';
    $to->{armed} = $t ? join ' ', n($t->{armed_at}), _tid($t->{armed_by}) : '-';
    $to->{expired} = $t ? _bool($t->{expired}) : '-';
    $to->{work} = $w ? _function($w->{function}) : '-';
    $to->{queued} = $w ? join ' ', n($w->{queued_at}), _tid($w->{queued_by}) : '-';
    $to->{signal} = $g ? join ' ', n($g->{number}), n($g->{name}), _tid($g->{sender}) : '-';
    $to->{remote} = $remote && defined $remote->{cpu} ? "cpu $remote->{cpu} $remote->{time}" : '-';
}

# True if the program may report this cause where the oracle found that one. Two causes are acceptable only if
# the events leave it open.
sub agrees {
    my ($field, $is, $said, $record) = @_;
    return 1 if $is->{$field} eq $said->{$field};
    my $c = $record->{cause};
    if ($field eq 'packet' && $c->{any_of_batch}) {
        # Nothing shows which.
        my %one;
        for my $p (@{$c->{batch}}) {
            _facts(\%one, { packet => $p }, undef);
            return 1 if $one{packet} eq $said->{packet};
        }
    }
    # A timer that no thread armed: its time of arming does not matter.
    return 1 if $field eq 'armed' && $c->{timer} && !$c->{timer}{armed_by} && $said->{armed} eq '- -';
    # Set off for this wait or for later: the events do not distinguish a timerfd from a time-out.
    if ($field =~ /^(timer|armed|expired)$/ && $c->{set_off}) {
        _facts(\my %other, { timer => $c->{set_off} }, undef);
        return 1 if $other{$field} eq $said->{$field};
    }
    # If several raises are surely pending, each is a reason.
    return 1 if $field =~ /^(chain|hops)$/ && !$c->{any_origin} && grep { $field eq 'chain' ? $said->{chain} eq _contexts($_) : _no_stronger($said->{hops}, _grades($_)) } @{$c->{origins} // []};
    # Of the interrupts that requested an IRQ thread while it was awake, the first one may be named, if only inferred.
    return 1 if $field eq 'chain' && $said->{hops} =~ /^irq=inferred/ && _another_call($is, $said, $c->{chain});
    # The events leave the raise open: then it must not be proved.
    return $said->{hops} !~ /^\S+=proved/ if $field =~ /^(chain|hops)$/ && $c->{any_origin};
    # Of the reasons for waking ksoftirqd fewer may be known, with no higher grade.
    return $said->{hops} !~ /=proved/ if $field =~ /^(chain|hops)$/ && $c->{vectors} && $said->{grade} eq 'inferred';
    # For a softirq that raised itself, round by round, some rounds may be left out.
    return 1 if $field =~ /^(chain|hops)$/ && _fewer_rounds($field, $is, $said, $record);
    return 1 if $field =~ /^(grade|hops)$/ && _weaker_grade($field, $is, $said, $record);
    # A disk without a name in the events has a number.
    return 1 if $field eq 'device' && $c->{request} && !defined $c->{device} && $said->{device} eq _dev($c->{request}{dev});
    if ($field eq 'device' && !$c->{request} && !$c->{packet}) {
        # No event names it, only perhaps the interrupt does.
        return $said->{device} eq '-' || grep { n($_->{name}) eq $said->{device} } @{$c->{chain}}, $c->{vectors} ? map { @$_ } @{$c->{pending}} : ();
    }
    return 0;
}

# True if the program may call inferred what the oracle calls proved. If an unrecorded interrupt may be the cause, if it depends on which timer function is the
# tick's, or on whether exits of a kind are recorded, the oracle has read the whole trace, the program only the part before. The oracle ignores the work of other
# interrupts upon a softirq or before it. It finds the interrupt that requested an IRQ thread, of two, by the softirqs between.
sub may_be_weaker {
    my ($record) = @_;
    my $c = $record->{cause};
    return 1 if $c->{frame} eq 'softirq' && !grep { $c->{$_} } qw(request packet timer work);
    return 1 if $c->{vectors} || $c->{may_be_tick} || $c->{early} || $c->{shared} || $c->{by_thread};
    return grep { $_->{raised_softly} || $_->{type} eq 'thread' } @{$c->{chain}};
}

sub _weaker_grade {
    my ($field, $is, $said, $record) = @_;
    return 0 if !may_be_weaker($record);
    return _no_stronger($said->{$field}, $is->{$field});
}

# Equal grades, or inferred where proved is possible.
sub _no_stronger {
    my ($s, $i) = map { [ split / / ] } @_;
    return @$i == @$s && !grep { $s->[$_] ne $i->[$_] && $s->[$_] ne $i->[$_] =~ s/proved$/inferred/r } 0 .. $#$i;
}

# True if both are equal, except that the program names the first interrupt that requested the IRQ thread.
sub _another_call {
    my ($is, $said, $chain) = @_;
    return 0 if @$chain < 2 || $chain->[1]{type} ne 'thread';
    my ($i, $s) = map { [ split / > /, $_->{chain} ] } $is, $said;
    my ($first) = map { _contexts([ $_ ]) } @{$chain->[0]{called} // []};
    return defined $first && $s->[0] eq $first && "@$s[1 .. $#$s]" eq "@$i[1 .. $#$i]";
}

# True if the program's chain is complete except for rounds of a softirq, at least six.
sub _fewer_rounds {
    my ($field, $is, $said, $record) = @_;
    my $chain = $record->{cause}{chain};
    my $weaker = $field eq 'hops' && may_be_weaker($record);
    my @all = split /$by{$field}/, $is->{$field};
    my @some = split /$by{$field}/, $said->{$field};
    return 0 if @some < 6 || @some >= @all || @all != @$chain;
    my @who = map { "$_->{type} " . n($_->{nr}) } @$chain;
    my $left = @all - @some;
    for my $i (0 .. $#all) {
        if (@some && ($all[$i] eq $some[0] || ($weaker && _no_stronger($some[0], $all[$i]))) && !($left && _round($i, \@who) && @some > 1 && $field eq 'hops')) {
            shift @some;
            next;
        }
        return 0 if !_round($i, \@who) || !$left--;
    }
    return !@some;
}

# True if this entry of a chain is between two of one softirq.
sub _round {
    my ($i, $who) = @_;
    return $i > 0 && $i < $#$who && $who->[$i] =~ /^softirq/ && $who->[$i] eq $who->[$i - 1] && $who->[$i] eq $who->[$i + 1];
}

1;
