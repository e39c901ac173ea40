# SPDX-License-Identifier: MIT
package Cause::Block;

# The history of every block request, from its events alone.
#
# blk_mq_submit_bio() emits, in this order: block_bio_queue (every bio), then
# block_getrq for a bio that could not be merged into a request already there.
# block_rq_insert follows where the request goes through a scheduler or a list,
# block_rq_issue when it is given to the driver (again after a requeue: the
# flush machinery of blk-flush.c holds back the data of a PREFLUSH write until
# the cache is flushed).  blk_update_request() emits block_rq_complete with the
# sectors that are done now; a request may be done in parts.
#
# The extent of a request is known when it is issued: bios queued for its sectors since getrq were merged into
# it.
#
# Flush requests (blk-flush.c, fq->flush_rq) carry no sectors: issued as
# sector 0, completed as sector -1, nr_sector 0 both times.  The write behind a
# flush completes twice: with its sectors when the data is down, and with
# nr_sector 0 when the flush after it is; only the second one wakes anybody.

use strict;
use warnings;

my $none = 18446744073709551615;

sub new {
    my ($class) = @_;
    return bless { bios => {}, open => {}, done => {}, names => {} }, $class;
}

# True if the event belongs to a request. Updates the requests; a completion returns its request.
sub event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    if ($name eq 'lttng_statedump_block_device') {
        $rest =~ /dev = (\d+), diskname = "(.*)"/ and $self->{names}{$1} = $2;
        return;
    }
    return if $name !~ /^block_(bio_queue|bio_(?:back|front)merge|getrq|rq_insert|rq_issue|rq_complete)$/;
    my $what = $1;
    my %f = $rest =~ /\b(dev|sector|nr_sector|bytes|tid|rwbs) = (\d+)/g;
    return $self->_complete($t, \%f) if $what eq 'rq_complete';
    $what = 'merge' if $what =~ /merge/;
    $self->can("_$what")->($self, $t, \%f);
    return;
}

sub _bio_queue {
    my ($self, $t, $f) = @_;
    push @{$self->{bios}{$f->{dev}}}, { time => $t, %$f };
    $self->{has_bios} = 1;
}

# A thread whose bio is merged no longer waits for a request of its own.
sub _merge {
    my ($self, $t, $f) = @_;
    my ($bio) = grep { $_->{sector} eq $f->{sector} && $_->{tid} == $f->{tid} } reverse @{$self->{bios}{$f->{dev}} // []};
    $bio->{merged} = 1 if $bio;
}

# True if thread $tid may wait for room on $dev, not for the request that ends (proofs.md R4.4): it has queued a bio that is
# no request yet, or, if no bios are recorded, sleeps in TASK_UNINTERRUPTIBLE ($how: prev_state).
sub awaits_room {
    my ($self, $dev, $tid, $how) = @_;
    return !defined $how || $how & 2 && !($how & 0x580) if !$self->{has_bios};
    return scalar grep { $_->{tid} == $tid && !$_->{request} && !$_->{merged} } @{$self->{bios}{$dev} // []};
}

sub _getrq {
    my ($self, $t, $f) = @_;
    my ($bio) = grep { $_->{sector} eq $f->{sector} && $_->{tid} == $f->{tid} && !$_->{request} }
        reverse @{$self->{bios}{$f->{dev}} // []};
    my $rq = { %$f, got => $t };
    if ($bio) {
        $bio->{request} = $rq;
        $rq->{first} = $bio;
    }
    push @{$self->{open}{$f->{dev}}}, $rq;
}

# The request of an insert or issue, not yet given to the driver.
sub _waiting {
    my ($self, $f) = @_;
    my $open = $self->{open}{$f->{dev}} // [];
    return if !$f->{nr_sector};
    my ($rq) = grep { !defined $_->{issued} && _within($_->{sector}, $f) } @$open;
    return $rq;
}

# The only number of sectors beyond the exact range of a float is -1.
sub _within {
    my ($sector, $f) = @_;
    return 0 if $sector eq $none || $f->{sector} eq $none;
    return $sector >= $f->{sector} && $sector < $f->{sector} + $f->{nr_sector};
}

sub _rq_insert {
    my ($self, $t, $f) = @_;
    my $rq = $self->_waiting($f);
    if (!$rq) {
        $rq = { %$f };
        push @{$self->{open}{$f->{dev}}}, $rq;
    }
    $rq->{inserted} //= $t;
}

sub _rq_issue {
    my ($self, $t, $f) = @_;
    my $open = $self->{open}{$f->{dev}} //= [];
    my $rq = $self->_waiting($f);
    # Issued again, or issued without a recorded getrq or insert.
    ($rq) = grep { defined $_->{issued} && $_->{sector} eq $f->{sector} && $_->{nr_sector} == $f->{nr_sector} } @$open if !$rq;
    if (!$rq) {
        $rq = { %$f };
        push @$open, $rq;
    }
    @$rq{qw(issued sector nr_sector bytes op)} = ($t, @$f{qw(sector nr_sector bytes)}, _operation($f->{rwbs}));
    my $bios = $self->{bios}{$f->{dev}} // [];
    my @mine = grep { _within($_->{sector}, $f) && (!$_->{request} || $_->{request} == $rq) } @$bios;
    push @{$rq->{given}}, { from => $t };
    push @{$self->{flushes}{$f->{dev}}}, { from => $t } if !$f->{nr_sector} && ($f->{rwbs} & 1 << 8);
    $rq->{bios} = [ @mine ] if @mine;
    $_->{request} = $rq for @mine;
    # (A bio that made a request belongs to it until the request is issued.)
    @$bios = grep { !$_->{request} || !defined $_->{request}{issued} } @$bios;
}

sub _complete {
    my ($self, $t, $f) = @_;
    my $open = $self->{open}{$f->{dev}} //= [];
    my $rq;
    if ($f->{nr_sector}) {
        ($rq) = grep { defined $_->{issued} && $_->{nr_sector} && _within($f->{sector}, $_) } @$open;
    } elsif ($f->{sector} eq $none) {
        ($rq) = grep { defined $_->{issued} && !$_->{nr_sector} } @$open;
    } else {
        # A flush without data, which has a getrq but no issue of its own, or the end of a write with flushes
        # around it.
        ($rq) = grep { !defined $_->{issued} && !$_->{nr_sector} && $_->{sector} eq $f->{sector} } @$open;
        $rq->{op} = 'flush', $rq->{issued} = $self->{flushed}{$f->{dev}} if $rq;
        $rq //= $self->{done}{$f->{dev}}{$f->{sector}};
    }
    $rq //= { %$f, sector => $f->{sector} eq $none ? 0 : $f->{sector}, unseen => 1 };
    $rq->{completed} = $t;
    if ($f->{sector} eq $none && ($f->{rwbs} & 1 << 8)) {
        $_->{to} //= $t for @{$self->{flushes}{$f->{dev}} // []};
    } elsif ($rq->{given} && $f->{nr_sector}) {
        $rq->{given}[-1]{to} = $t;
    }
    $self->{flushed}{$f->{dev}} = $rq->{issued} if $f->{sector} eq $none;
    $rq->{op} //= _operation($f->{rwbs});
    my $over = !$f->{nr_sector} || $rq->{unseen} || $f->{sector} + $f->{nr_sector} >= $rq->{sector} + $rq->{nr_sector};
    if ($over) {
        @$open = grep { $_ != $rq } @$open;
        $self->{done}{$f->{dev}}{$rq->{sector}} = $rq if $rq->{nr_sector};
    }
    return $self->_facts($rq);
}

# The steps of a request: the device had it in `device`, the cache was flushed in `before` and `after` it. blk-flush.c flushes for all requests
# that wait at that time (proofs.md R4.6): the flush before a write is the first one issued since the write was queued, the flush after it the
# first one issued since its data was written.
sub _parts {
    my ($self, $rq, $first, @flushes) = @_;
    my ($queued, $rwbs) = $first ? ($first->{time}, $first->{rwbs}) : ($rq->{got}, $rq->{rwbs});
    my @device = grep { defined $_->{to} } @{$rq->{given} // []};
    my %is = (device => [ @device ], before => [], after => []);
    return undef if !defined $queued || !defined $rq->{nr_sector};
    return undef if !$rq->{nr_sector};
    if (($rwbs // 0) & 1 << 10) {
        my ($before) = grep { $_->{from} >= $queued } @flushes;
        $is{before} = [ $before ] if $before && @device && $before->{to} <= $device[0]{from};
    }
    my $down = @device ? $device[-1]{to} : undef;
    if (defined $down && $rq->{completed} > $down) {
        my ($after) = grep { $_->{from} >= $down } @flushes;
        $is{after} = [ $after ] if $after && $after->{to} <= $rq->{completed};
    }
    return \%is;
}

# RWBS_FLAG_* of lttng-modules' block.h
sub _operation {
    my ($rwbs) = @_;
    return !defined $rwbs ? undef : $rwbs & 1 << 1 ? 'discard' : $rwbs & 1 << 0 ? 'write' : $rwbs & 1 << 2 ? 'read'
        : $rwbs & 1 << 8 ? 'flush' : 'other';
}

sub _facts {
    my ($self, $rq) = @_;
    my @bios = sort { $a->{time} <=> $b->{time} } @{$rq->{bios} // []};
    my $first = $bios[0] // $rq->{first};
    return {
        dev => $rq->{dev}, device => $self->{names}{$rq->{dev}},
        # Without sectors it has no position either.
        sector => $rq->{nr_sector} ? $rq->{sector} : undef,
        queued => $first ? $first->{time} : $rq->{got}, inserted => $rq->{inserted},
        issued => $rq->{issued}, completed => $rq->{completed}, bytes => $rq->{bytes} // ($rq->{got} && !$rq->{nr_sector} ? 0 : undef), operation => $rq->{op},
        submitter => $first ? $first->{tid} : defined $rq->{got} ? $rq->{tid} : undef,
        merged => @bios > 1 ? @bios - 1 : 0,
        parts => $self->_parts($rq, $first, grep { $_->{to} } @{$self->{flushes}{$rq->{dev}} // []}),
    };
}

1;
