# SPDX-License-Identifier: MIT
package Latency::Block;

# The three latencies of block requests. Cause::Block assigns events to requests.
#
# blk_update_request() emits block_rq_complete with the completed sectors. A request with flushes (blk-flush.c) completes once
# more, without sectors, when blk_flush_complete_seq() has finished it: that is the request's end, while the device had finished
# before. The flush itself is a separate request (fq->flush_rq), issued and completed without being queued. A request for a flush
# without data is never issued; the flush serves it.

use strict;
use warnings;
use Cause::Block;

our @ISA = ('Cause::Block');

sub _getrq {
    my ($self, $t, $f) = @_;
    $self->SUPER::_getrq($t, $f);
    $self->_keep($self->{open}{$f->{dev}}[-1], $f);
}

sub _keep {
    my ($self, $rq, $f) = @_;
    push @{$self->{all}}, $rq if !$rq->{kept}++;
    $rq->{rwbs} //= $f->{rwbs};
}

sub _rq_issue {
    my ($self, $t, $f) = @_;
    $self->SUPER::_rq_issue($t, $f);
    my $open = $self->{open}{$f->{dev}};
    my ($rq) = grep { ($_->{issued} // -1) == $t && $_->{sector} eq $f->{sector} && ($_->{given}[-1]{from} // -1) == $t } reverse @$open;
    $self->_keep($rq, $f);
    # attempt_merge(): other requests made for its sectors are part of it now.
    my %in = map { $_ => 1 } grep { $_ != $rq && !defined $_->{issued} && $_->{nr_sector} && Cause::Block::_within($_->{sector}, $f) } @$open;
    $_->{merged} = $rq, $rq->{took} = $_ for grep { $in{$_} } @$open;
    @$open = grep { !$in{$_} } @$open;
}

sub _queued {
    my ($rq) = @_;
    my ($first) = sort { $a <=> $b } map { $_->{time} } @{$rq->{bios} // []}, $rq->{first} // ();
    return $first // $rq->{got};
}

sub _op {
    my ($rq) = @_;
    return 'flush' if defined $rq->{got} && !$rq->{nr_sector};
    return Cause::Block::_operation($rq->{rwbs}) // 'other';
}

# MAJOR and MINOR of linux/kdev_t.h.
sub _number { return join ':', $_[0] >> 20, $_[0] & 0xfffff }

# Calls ADD->(kind, start, end or undef, key) for all of them.
sub starts {
    my ($self, $add) = @_;
    for my $rq (grep { !$_->{merged} } @{$self->{all} // []}) {
        my $is_open = grep { $_ == $rq } @{$self->{open}{$rq->{dev}} // []};
        my $over = $is_open ? undef : $rq->{completed};           # (maybe done only in part)
        my ($first, $last) = @{$rq->{given} // []}[0, -1];
        my @of = (key => ($self->{names}{$rq->{dev}} // _number($rq->{dev})) . ' ' . _op($rq));
        if (defined(my $queued = _queued($rq))) {
            $add->('block', start => $queued, end => $over, @of);
            $add->('block-queue', start => $queued, end => $first && $first->{from}, @of) if $rq->{nr_sector};
        }
        $add->('block-device', start => $last->{from}, end => $is_open ? undef : $rq->{nr_sector} ? $last->{to} : $over, @of) if $last;
    }
}

1;
