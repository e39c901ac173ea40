# SPDX-License-Identifier: MIT
package Hosts;

# Several hosts as one experiment, from the raw events alone: the pairs of sent and received packets, and the
# walk back along a thread's waits over all hosts.
#
# A clock is a sub (host, its time) -> the experiment's time; the walk works
# with any.  truth_clock() is the one of clock-truth.txt, measured beside the
# recording; nothing of the program is in it.

use strict;
use warnings;
use Hosts::Trace;
use Kept;
use Verdict qw(min max);

sub load {
    my ($class, $folder, @hosts) = @_;
    return $class->of($folder, map { my $host = $_; [ $host, Kept::load('Hosts::Trace', "$folder/$host") ] } @hosts);
}

# Of traces that were read: [name of the host, trace] each.
sub of {
    my ($class, $folder, @traces) = @_;
    my $self = bless { folder => $folder, hosts => [ map { $_->[0] } @traces ], of => { map { @$_ } @traces } }, $class;
    for my $host (@{$self->{hosts}}) {
        $_->{host} = $host for $self->{of}{$host}, @{$self->{of}{$host}{packets}}, @{$self->{of}{$host}{lives}};
    }
    $self->_match;
    return $self;
}

# ---------------------------------------------------------------- packets

# Each received packet gets {origins}: the packets of other hosts that it contains. TCP: those with its
# sequence numbers; without data (an acknowledgement), those with equal numbers and flags. UDP: equal id,
# length and checksum.
sub _match {
    my ($self) = @_;
    my (%sent, @pairs);
    my @packets = map { @{$self->{of}{$_}{packets}} } @{$self->{hosts}};
    for my $i (grep { $packets[$_]{sent} } 0 .. $#packets) {
        push @{$sent{$_}}, $i for _places($packets[$i]);
    }
    for my $r (grep { !$_->{sent} } @packets) {
        my %near = map { $_ => 1 } map { @{$sent{$_} // []} } _places($r);
        my @from = grep { $_->{host} ne $r->{host} && _same($_, $r) } map { $packets[$_] } sort { $a <=> $b } keys %near;
        # Of packets sent twice, the one with the equal number in the IP header.
        my @exact = grep { $_->{id} == $r->{id} } @from;
        @from = @exact if @exact && @from > 1;
        $r->{origins} = \@from;
        push @pairs, [ $_, $r ] for @from;
        push @{$_->{arrivals}}, $r for @from;
    }
    $self->{pairs} = \@pairs;
}

# Keys of a packet: two that _same() calls equal share at least one of these.
sub _places {
    my ($p) = @_;
    return "$p->{flow} $p->{id}" if !$p->{takes};
    my ($first, $last) = map { $_ >> 12 } $p->{seq}, $p->{seq} + max(0, $p->{takes} - 1);
    return map { "$p->{flow} numbers " . $_ % 2**20 } $first .. $last;
}

# Both are of one flow.
sub _same {
    my ($s, $r) = @_;
    if ($s->{protocol} eq 'udp') {
        return !grep { ($s->{$_} // '-') ne ($r->{$_} // '-') } qw(id tot_len check);
    }
    if (!$s->{takes} || !$r->{takes}) {
        return !grep { $s->{$_} != $r->{$_} } qw(takes seq ack_seq flags id);
    }
    # Sequence numbers wrap.
    my $ahead = ($s->{seq} - $r->{seq}) % 2**32;
    return $ahead < $r->{takes} || (-$ahead) % 2**32 < $s->{takes};
}

# The sender of the packet that HERE received: the last one in it.
sub origin {
    my ($self, $packet) = @_;
    my ($last) = sort { $b->{time} <=> $a->{time} } @{$packet->{origins} // []};
    return $last;
}

# ---------------------------------------------------------------- clocks

# For each measured pair: [host, time, other, ahead by, round trip], at two instants (ns).
sub truth {
    my ($self) = @_;
    my %at;
    open my $f, '<', "$self->{folder}/clock-truth.txt" or die "no truth: $!";
    while (my $line = <$f>) {
        $line =~ /^(httpd: )?at (\d+) \S+ is ahead by (-?\d+) ns, rtt (\d+) ns/ or die "truth: $line";
        my ($of, $other) = $1 ? qw(httpd db) : qw(client httpd);
        push @{$at{$other}}, { of => $of, time => $2, ahead => $3, rtt => $4 };
    }
    return \%at;
}

# How far OTHER is ahead when the host it was measured from shows T.
sub _ahead {
    my ($two, $t) = @_;
    my ($a, $b) = @$two;
    return $a->{ahead} + ($b->{ahead} - $a->{ahead}) * (($t - $a->{time}) / ($b->{time} - $a->{time}));
}

# OTHER's time T in the clock it was measured by.
sub _back {
    my ($two, $t) = @_;
    my $of = $t - $two->[0]{ahead};
    $of = $t - int(_ahead($two, $of)) for 1 .. 3;
    return $of;
}

sub truth_clock {
    my ($self) = @_;
    my $at = $self->truth;
    return sub {
        my ($host, $t) = @_;
        $t = _back($at->{db}, $t) if $host eq 'db';
        $t = _back($at->{httpd}, $t) if $host ne 'client';
        return $t;
    };
}

# ---------------------------------------------------------------- back along the waits

my %own = map { $_ => 1 } qw(running usermode syscall interrupted preempted wait-cpu);

# The real reasons of LIFE's waits in [FROM, TO) of the experiment's time: a list of segments in order of
# time. Each begins where an event of one host is: {at}.
sub path {
    my ($self, $clock, $life, $from, $to) = @_;
    my @out;
    $self->_walk($clock, \@out, $life, $from, $to, 0);
    return [ reverse @out ];
}

sub _walk {
    my ($self, $clock, $out, $life, $from, $to, $depth) = @_;
    die "too deep" if $depth > 200;
    my ($host, $all) = @$life{qw(host intervals)};
    # The last one that begins before TO.
    my ($low, $high) = (0, scalar @$all);
    while ($low < $high) {
        my $mid = ($low + $high) >> 1;
        if ($clock->($host, $all->[$mid]{from}) < $to) { $low = $mid + 1 } else { $high = $mid }
    }
    for my $is (reverse @$all[0 .. $low - 1]) {
        my ($a, $b) = map { $clock->($host, $_) } @$is{qw(from to)};
        last if $b <= $from;
        my ($begin, $end) = (max($a, $from), min($b, $to));
        next if $begin >= $end;
        if ($own{$is->{state}}) {
            _say($out, $life, $is->{state}, $begin, $end, { detail => $is->{detail} });
        } elsif ($is->{state} =~ /^(blocked|new)$/ || $is->{state} eq '?' && grep { $_->{ended} == $is->{to} } @{$life->{wakeups}}) {
            # A thread whose first event is its wake-up has waited since before the trace.
            $self->_wait($clock, $out, $life, $is, $begin, $end, $depth);
        } else {
            _say($out, $life, $is->{state}, $begin, $end);
        }
    }
    # Before its creation, its parent ran.
    my $born = defined $life->{birth} ? $clock->($host, $life->{birth}) : $from;
    return if $born <= $from;
    my $parent = $self->_parent($life);
    $self->_walk($clock, $out, $parent, $from, min($born, $to), $depth + 1) if $parent;
}

sub _parent {
    my ($self, $life) = @_;
    my ($parent) = grep { !defined $_->{birth} || $_->{birth} <= $life->{birth} }
        reverse $self->{of}{$life->{host}}->lives_of_tid($life->{parent});
    return $parent;
}

sub _say {
    my ($out, $life, $kind, $from, $to, $more) = @_;
    push @$out, { host => $life->{host}, life => $life, kind => $kind, from => $from, to => $to, %{$more // {}} } if $from < $to;
}

sub _wait {
    my ($self, $clock, $out, $life, $is, $begin, $end, $depth) = @_;
    my ($w) = grep { $_->{ended} == $is->{to} } @{$life->{wakeups}};
    my $cause = $w ? $w->{cause} : { kind => 'unknown', grade => 'unknown' };
    my %of = (wait => $w, grade => $cause->{grade}, of => $life);
    if ($cause->{thread}) {
        return $self->_walk($clock, $out, $cause->{thread}, $begin, $end, $depth + 1);
    }
    if ($cause->{kind} eq 'network') {
        my $packet = ($cause->{packet} // {})->{here};
        my $sent = $packet && $self->origin($packet);
        my $left = $sent && $clock->($sent->{host}, $sent->{time});
        # By wrong clocks a packet may arrive before it left: then it takes no time.
        $left = min($left, $clock->($packet->{host}, $packet->{time})) if $sent;
        my %net = (%of, packet => $packet, sent => $sent, left => $left);
        if ($sent && $sent->{life} && $left > $begin) {
            _say($out, $life, 'network', $left, $end, { %net, crossed => 1 });
            return $self->_walk($clock, $out, $sent->{life}, $begin, min($left, $end), $depth + 1);
        }
        return _say($out, $life, 'network', $begin, $end, \%net);
    }
    _say($out, $life, $cause->{kind}, $begin, $end, { %of, request => $cause->{request}, timer => $cause->{timer} });
}

1;
