# SPDX-License-Identifier: MIT
package Pairs;

# Pairs of received and sent packets of two hosts, worked out byte by byte from babeltrace2's text.
#
# Each byte, SYN and FIN of a TCP connection (its ports and the number of its SYN) was sent by a host when it was sent for the first
# time. A reception with bytes new to its host comes from the sender of the last of these. Other packets are matched by everything
# that does not change on the way. If a host received as many equal ones as another one sent, they pair in order; if not, the
# pairing is open.

use strict;
use warnings;

sub packets_of {
    my ($trace) = @_;
    my @all;
    open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
    while (my $line = <$f>) {
        my ($event) = $line =~ /\b(net_dev_queue|net_if_receive_skb): / or next;
        my ($s, $ns) = $line =~ /^\[(\d+)\.(\d{9})\]/ or die "no time in: $line";
        my %p = (time => "$s$ns", received => $event eq 'net_if_receive_skb');
        for my $field (qw(version ihl tot_len id source_port dest_port seq ack_seq data_offset flags check)) {
            my ($v) = $line =~ /\b$field = (0x[0-9A-Fa-f]+|\d+)/;
            $p{$field} = defined $v && $v =~ /^0x/ ? hex $v : $v;
        }
        ($p{protocol}) = $line =~ /transport_header_type = \( "_(\w+)"/;
        for my $end (qw(saddr daddr)) {
            my ($list) = $line =~ /\b$end = \[ (.*?) \]\s*[,}]/;
            $p{$end} = join '.', ($list // '') =~ /\] = (\w+)/g;
        }
        push @all, \%p;
    }
    close $f or die "babeltrace2 failed";
    return \@all;
}

sub _flow { my ($p) = @_; return join ' ', @$p{qw(protocol saddr source_port daddr dest_port)} }

# How many bytes of the stream a segment takes.
sub _takes {
    my ($p) = @_;
    return $p->{tot_len} - 4 * $p->{ihl} - 4 * $p->{data_offset} + ($p->{flags} & 1) + ($p->{flags} >> 1 & 1);
}

# (flow and connection, its bytes) of a segment on a host whose connections are in SYNS.
sub _stretch {
    my ($p, $syns) = @_;
    my $flow = _flow($p);
    $syns->{$flow} = $p->{seq} if $p->{flags} & 2;
    return ($flow . ' ' . ($syns->{$flow} // '?'), map { ($p->{seq} + $_) % 2**32 } 0 .. _takes($p) - 1);
}

# The identity of a packet without bytes of a stream; undef if nothing identifies it.
sub _kind {
    my ($p) = @_;
    return undef if !defined $p->{source_port} || $p->{saddr} =~ /^127\./;
    return join ' ', _flow($p), @$p{qw(seq ack_seq flags)} if $p->{protocol} eq 'tcp';
    return join ' ', _flow($p), @$p{qw(id tot_len check)};
}

sub _is_stretch { my ($p) = @_; return ($p->{protocol} // '') eq 'tcp' && $p->{saddr} !~ /^127\./ && _takes($p) > 0 }

# The first sender of each byte, and the time: {connection}{byte}{host}.
sub _senders {
    my ($packets) = @_;
    my %sent;
    for my $host (keys %$packets) {
        my %syns;
        for my $p (grep { !$_->{received} && _is_stretch($_) } @{ $packets->{$host} }) {
            my ($connection, @bytes) = _stretch($p, \%syns);
            $sent{$connection}{$_}{$host} //= $p->{time} for @bytes;
        }
    }
    return \%sent;
}

# Pairs "SENDER TIME RECEIVER TIME" of stretches, into FOUND.
sub _pair_stretches {
    my ($packets, $found) = @_;
    my $sent = _senders($packets);
    for my $host (keys %$packets) {
        my (%syns, %had);
        for my $p (grep { $_->{received} && _is_stretch($_) } @{ $packets->{$host} }) {
            my ($connection, @bytes) = _stretch($p, \%syns);
            my @new = grep { !$had{$connection}{$_}++ } @bytes or next;
            # A host whose recording began later has no SYN.
            my ($known) = grep { $sent->{$_}{ $new[-1] } } $connection, map { my $c = $connection; $c =~ s/\S+$/$_/r } '?', _syns($sent, $connection);
            my $by = $known ? $sent->{$known}{ $new[-1] } : {};
            next if defined $by->{$host} && $by->{$host} <= $p->{time};
            $found->{"$_ $by->{$_} $host $p->{time}"} = 1 for grep { $_ ne $host } keys %$by;
        }
    }
}

# The SYNs that other hosts recorded for the flow of CONNECTION, if its own is unknown.
sub _syns {
    my ($sent, $connection) = @_;
    my ($flow) = $connection =~ /^(.*) \?$/ or return;
    return map { /^\Q$flow\E (\d+)$/ ? $1 : () } keys %$sent;
}

# Pairs of other packets: into FOUND, or all possible ones into OPEN.
sub _pair_singles {
    my ($packets, $found, $open) = @_;
    my %seen;
    for my $host (keys %$packets) {
        for my $p (grep { !_is_stretch($_) } @{ $packets->{$host} }) {
            my $kind = _kind($p) // next;
            push @{ $seen{$kind}{ $p->{received} ? 'received' : 'sent' }{$host} }, $p->{time};
        }
    }
    for my $kind (values %seen) {
        for my $to (keys %{ $kind->{received} }) {
            for my $from (grep { $_ ne $to } keys %{ $kind->{sent} }) {
                my ($s, $r) = ($kind->{sent}{$from}, $kind->{received}{$to});
                if (@$s == @$r) {
                    $found->{"$from $s->[$_] $to $r->[$_]"} = 1 for 0 .. $#$s;
                } else {
                    for my $sent (@$s) { $open->{"$from $sent $to $_"} = 1 for @$r }
                }
            }
        }
    }
}

# (sure pairs, possible pairs) of the hosts' PACKETS, name => list.
sub of {
    my ($packets) = @_;
    my (%found, %open);
    _pair_stretches($packets, \%found);
    _pair_singles($packets, \%found, \%open);
    return (\%found, \%open);
}

1;
