package Cause::Net;

# Packets: what was received, and on the loopback, who sent it.
#
# net_dev_queue (dev_queue_xmit) names the buffer that is sent; on the loopback
# the very same buffer comes back in net_if_receive_skb, so (skbaddr, sequence
# number, ports) tie the two.  Buffers are used again: only the last sending
# counts, and one whose sequence number differs was another packet's.

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
}

sub received {
    my ($self, $t, $rest) = @_;
    my $p = parse($rest) or return;
    $p->{received} = $t;
    if ($p->{device} eq 'lo' && (my $s = $self->{sent}{$p->{skb}})) {
        @$p{qw(sent sender)} = @$s{qw(sent sender)}
            if !grep { n($s->{$_}) ne n($p->{$_}) } qw(sequence source source_port destination destination_port);
    }
    return $p;
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
