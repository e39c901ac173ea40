# SPDX-License-Identifier: MIT
package Cause::Judge;

# Judges whether a cause that the program calls proved contradicts the raw events. Three answers: no, yes
# (with the contradictions), and "cannot tell", if the oracle does not know itself. Saying less than the
# events show is no contradiction.

use strict;
use warnings;
use Cause::Say;

sub n { return defined $_[0] ? $_[0] : '-' }

# A wake-up by an interrupt may have the interrupt as its cause, or what the interrupt's name stands for.
my %also = map { $_ => 1 } qw(irq/block irq/network irq/user-input block/irq network/irq user-input/irq);

sub _kinds_agree {
    my ($cause, $said) = @_;
    return $cause->{kind} eq $said->{kind} || $also{"$cause->{kind}/$said->{kind}"};
}

sub _hop { return join ' ', $_[0]{type}, $_[0]{type} eq 'thread' ? n($_[0]{thread} && $_[0]{thread}{tid}) : n($_[0]{name}), 'cpu', n($_[0]{cpu}), n($_[0]{entry}) }

# True if this hop is one of those, as far as both are specified.
sub _is_hop {
    my ($said, $is) = @_;
    return 0 if $said->{type} ne $is->{type};
    if ($said->{type} eq 'thread') {
        return !$said->{thread} || !$is->{thread} || $said->{thread}{tid} == $is->{thread}{tid};
    }
    return n($said->{entry}) eq n($is->{entry}) && $said->{cpu} == $is->{cpu};
}

# All contexts involved, in the chain or beside it.
sub _all_hops {
    my ($cause) = @_;
    return map { @$_ } $cause->{chain}, @{$cause->{origins} // []};
}

# True if the oracle knows the waker, though maybe not the reason.
sub _knows {
    my ($cause) = @_;
    return $cause->{grade} eq 'proved' || @{$cause->{chain}} && $cause->{chain}[-1]{grade} eq 'proved';
}

# (contradictions), or undef alone: cannot tell.  Takes both causes, also in the form of Say.pm.
sub judge {
    my ($record, $wakeup, $is_so, $said_so) = @_;
    my ($cause, $said) = ($record->{cause}, $wakeup->{source});
    return undef if $cause->{kind} eq 'unknown' || !_knows($cause) && $cause->{kind} ne $said->{kind};
    my @wrong;
    push @wrong, "kind $said->{kind}, is $cause->{kind}" if !_kinds_agree($cause, $said);
    my ($by, $is) = map { n($_->{thread} && $_->{thread}{tid}) } $said, $cause;
    push @wrong, "by TID $by, is " . ($is eq '-' ? 'by no thread' : "by TID $is")
        if $by ne '-' && $by ne $is && !grep { n($_->{thread} && $_->{thread}{tid}) eq $by } @{$cause->{chain}};
    push @wrong, _wrong_hops($cause, $said);
    push @wrong, 'a time-out for sure, in no call that is seen'
        if $said->{timer} && !$said->{timer}{expired} && $said->{timer}{grade} eq 'proved' && !($cause->{answered} // {})->{in_call};
    push @wrong, 'a request for sure, but it may have waited for room' if $said->{request} && n($said->{request}{grade}) eq 'proved' && $cause->{room};
    # Another poll of the same softirq may have freed sent packets (proofs.md R5.2).
    push @wrong, 'a packet for sure, but no end of a poll was recorded before'
        if $said->{packet} && n($said->{packet}{grade}) eq 'proved' && $cause->{packet} && $cause->{frame} eq 'softirq' && !$cause->{polls};
    push @wrong, _wrong_facts($record, $cause, $is_so, $said_so);
    return @wrong if @wrong;
    return _knows($cause) ? () : undef;
}

sub _wrong_hops {
    my ($cause, $said) = @_;
    my @all = _all_hops($cause);
    my @wrong;
    for my $hop (grep { n($_->{grade}) eq 'proved' } @{$said->{context} // []}) {
        my ($same) = grep { _is_hop($hop, $_) } @all;
        push @wrong, 'proved hop ' . _hop($hop) . ', which is not in ' . (join(' > ', map { _hop($_) } @{$cause->{chain}}) || 'no context') if !$same;
        push @wrong, 'proved hop ' . _hop($hop) . ', which is inferred at most' if $same && $same->{grade} ne 'proved';
    }
    return @wrong;
}

# True if both are equal, ignoring absent fields.
sub _less {
    my ($said, $is) = map { [ split / /, $_ ] } @_;
    return @$said == @$is && !grep { $said->[$_] ne '-' && $said->[$_] ne $is->[$_] } 0 .. $#$is;
}

sub _wrong_facts {
    my ($record, $cause, $is, $said) = @_;
    my @wrong;
    for my $field (grep { $said->{$_} !~ /^-( -)*$/ } qw(request history submitter packet sender timer armed expired work queued signal)) {
        next if Cause::Say::agrees($field, $is, $said, $record) || _less($said->{$field}, $is->{$field});
        # The oracle does not know, so it cannot object.
        next if $is->{$field} =~ /^-( -)*$/ && $cause->{grade} ne 'proved';
        push @wrong, "$field $said->{$field}, is $is->{$field}";
    }
    return @wrong;
}

1;
