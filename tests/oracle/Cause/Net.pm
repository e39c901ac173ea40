# SPDX-License-Identifier: MIT
package Cause::Net;

# Packets: which were received, and on the loopback, which thread sent them (proofs.md R5.5).
#
# net_dev_queue (dev_queue_xmit) names the buffer that is sent. On the loopback that very buffer comes back in
# net_if_receive_skb, so skbaddr, sequence number and ports connect the two. Buffers are reused: only the last
# sending counts, and a different sequence number means another packet. Without headers the lengths decide: a
# sent buffer has Ethernet's 14 bytes more. A packet that is cut (skb_gso_segment()) comes back as other
# buffers.

use strict;
use warnings;

sub new { return bless { sent => {} }, shift }

# A packet is sent by a thread (tid), or, where that is undefined, in an
# interrupt.
sub sent {
    my ($self, $t, $tid, $rest) = @_;
    my $p = parse($rest) or return;
    @$p{qw(sent sender)} = ($t, $tid);
    $self->{sent}{$p->{skb}} = $p if $p->{device} eq 'lo';
    return $p;
}

sub received {
    my ($self, $t, $rest) = @_;
    my $p = parse($rest) or return;
    $p->{received} = $t;
    if ($p->{device} eq 'lo' && (my $s = $self->{sent}{$p->{skb}})) {
        @$p{qw(sent sender)} = @$s{qw(sent sender)}
            if !grep({ n($s->{$_}) ne n($p->{$_}) } qw(sequence source source_port destination destination_port))
            && (defined $p->{source} || $s->{length} == $p->{length} + 14);
        delete $self->{sent}{$p->{skb}} if !defined $p->{source};
    }
    return $p;
}

# The packet of a BATCH that woke a thread which had sent SENDS, and true if it is only a guess (proofs.md R5.3).
sub choose {
    my ($batch, $sends) = @_;
    return ($batch->[0], 0) if @$batch == 1;
    for my $sent (reverse @{$sends // []}) {
        my @own = grep { _answers($_, $sent) } @$batch or next;
        my ($first) = grep { $_->{takes} } @own;
        return ($first // $own[0], 0);
    }
    my ($last) = grep { $_->{takes} } reverse @$batch;
    return ($last // $batch->[-1], 1);
}

# True if P is of the reverse flow of S.
sub _answers {
    my ($p, $s) = @_;
    return !grep { n($p->{$_->[0]}) ne n($s->{$_->[1]}) } [ qw(protocol protocol) ], [ qw(source destination) ], [ qw(destination source) ],
        [ qw(source_port destination_port) ], [ qw(destination_port source_port) ];
}

sub n { return defined $_[0] ? $_[0] : '-' }

sub parse {
    my ($rest) = @_;
    $rest =~ /skbaddr = (\w+), len = (\d+), name = "(.*?)"/ or return;
    my %p = (skb => $1, length => $2, device => $3);
    my ($from, $to) = map { _address($rest =~ /\b$_ = \[ (.*?) \]/) } qw(saddr daddr);
    ($p{protocol}) = $rest =~ /transport_header_type = \( "_(\w+)"/;
    delete $p{protocol} if ($p{protocol} // '') eq 'unknown';
    @p{qw(source destination)} = ($from, $to);
    @p{qw(source_port destination_port)} = $rest =~ /source_port = (\d+), dest_port = (\d+)/;
    ($p{sequence}, $p{acknowledgement}) = $rest =~ /\bseq = (\d+), ack_seq = (\d+)/;
    # The sequence numbers that a TCP segment uses up: data, SYN, FIN.
    my ($all, $header, $offset, $flags) = $rest =~ /\bihl = (\d+).*\btot_len = (\d+).*\bdata_offset = (\d+).*\bflags = (\w+)/ ? ($2, $1, $3, $4) : ();
    $flags = hex $flags if defined $flags && $flags =~ /^0x/;
    $p{takes} = defined $all ? $all - 4 * $header - 4 * $offset + ($flags & 1) + ($flags >> 1 & 1) : 1;
    return \%p;
}

sub _address {
    my ($text) = @_;
    return undef if !defined $text;
    my @parts = map { /^0x/ ? hex : $_ } $text =~ /\] = (\w+)/g;     # bytes, or the 16-bit words of IPv6
    return join '.', @parts if @parts == 4;
    require Socket;
    return Socket::inet_ntop(Socket::AF_INET6(), pack 'n8', @parts);
}

1;
