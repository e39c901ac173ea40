# SPDX-License-Identifier: MIT
package Cause::Judge;

# Does what the program calls proved contradict the raw events?  Three answers: no,
# yes (with what), and "cannot tell", where the oracle does not know itself.  To say less than
# the events show is no contradiction.

use strict;
use warnings;
use Cause::Say;

sub n { return defined $_[0] ? $_[0] : '-' }

# A wake-up of a thread that does an interrupt's work may be said to be of the interrupt,
# or of the kind that its name or its vector tells.
my %also = (
    irq => { map { $_ => 1 } qw(block network user-input timer irq ipi softirq) },
    softirq => { map { $_ => 1 } qw(softirq timer irq ipi block network thread) },
);

sub _kinds_agree {
    my ($cause, $said) = @_;
    return 1 if $cause->{kind} eq $said->{kind};
    return $also{$cause->{also}}{$said->{kind}} if $cause->{also};
    return 0;
}

sub _hop { return join ' ', $_[0]{type}, $_[0]{type} eq 'thread' ? n($_[0]{thread} && $_[0]{thread}{tid}) : n($_[0]{name}), 'cpu', n($_[0]{cpu}), n($_[0]{entry}) }

# Is this hop one of those, as far as both say?
sub _is_hop {
    my ($said, $is) = @_;
    return 0 if $said->{type} ne $is->{type};
    if ($said->{type} eq 'thread') {
        return !$said->{thread} || !$is->{thread} || $said->{thread}{tid} == $is->{thread}{tid};
    }
    return n($said->{entry}) eq n($is->{entry}) && $said->{cpu} == $is->{cpu};
}

# All contexts that had a part in it, whether in the chain or beside it.
sub _all_hops {
    my ($cause) = @_;
    return map { @$_ } $cause->{chain}, @{$cause->{origins} // []};
}

# (contradictions), or undef alone: cannot tell.
sub judge {
    my ($record, $wakeup) = @_;
    my ($cause, $said) = ($record->{cause}, $wakeup->{source});
    return undef if $cause->{kind} eq 'unknown' || $cause->{grade} ne 'proved' && $cause->{kind} ne $said->{kind};
    my @wrong;
    push @wrong, "kind $said->{kind}, is $cause->{kind}" if !_kinds_agree($cause, $said);
    my ($by, $is) = map { n($_->{thread} && $_->{thread}{tid}) } $said, $cause;
    push @wrong, "by TID $by, is " . ($is eq '-' ? 'by no thread' : "by TID $is")
        if $by ne '-' && $by ne $is && !grep { n($_->{thread} && $_->{thread}{tid}) eq $by } @{$cause->{chain}};
    push @wrong, _wrong_hops($cause, $said);
    push @wrong, _wrong_facts($record, $wakeup, $cause);
    return @wrong if @wrong;
    return $cause->{grade} ne 'proved' ? undef : ();
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

sub _wrong_facts {
    my ($record, $wakeup, $cause) = @_;
    my ($is, $said) = (Cause::Say::is($record), Cause::Say::said($wakeup));
    my @wrong;
    for my $field (grep { $said->{$_} !~ /^-( -)*$/ } qw(request history submitter packet sender timer armed expired work queued signal)) {
        next if Cause::Say::agrees($field, $is, $said, $record);
        # The oracle does not know: nor can it object.
        next if $is->{$field} =~ /^-( -)*$/ && $cause->{grade} ne 'proved';
        push @wrong, "$field $said->{$field}, is $is->{$field}";
    }
    return @wrong;
}

1;
