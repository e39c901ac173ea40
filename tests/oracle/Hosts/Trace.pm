# SPDX-License-Identifier: MIT
package Hosts::Trace;

# One host of an experiment: its waits (Cause.pm), and every packet it sent or received, with the sender or
# receiver context.
#
# net_dev_queue comes from __dev_queue_xmit(), in the sender's context: the innermost open context sent the
# packet, or, if none is open, the running thread. A segment released by an acknowledgement, or the
# acknowledgement itself, is sent in the softirq NET_RX, not by the thread below it.
# net_if_receive_skb comes from __netif_receive_skb_core(), after GRO.

use strict;
use warnings;
use Cause;

our @ISA = ('Cause');

sub _new {
    my ($class, @args) = @_;
    my $self = Cause::_new($class, @args);
    $self->{packets} = [];
    return $self;
}

sub _packet {
    my ($self, $t, $what, $rest, $frame, $thread) = @_;
    my $p = parse($rest);
    if ($p) {
        @$p{qw(host time sent life in)} = ($self->{host}, $t, $what eq 'dev_queue' ? 1 : 0, $thread, $frame->{text} // ($thread ? undef : 'idle'));
        $p->{cpu} = $frame->{cpu};
        $p->{below} = $self->{below};
        $p->{nr} = @{$self->{packets}};
        push @{$self->{packets}}, $p;
    }
    $self->SUPER::_packet($t, $what, $rest, $frame, $thread);
    # The packet in the form of a wait's cause.
    $frame->{packet}{here} = $p if $p && $what ne 'dev_queue' && $frame->{packet};
}

# The thread below the contexts; only a test asks for it.
sub _event {
    my ($self, $t, $cpu, $name, $rest) = @_;
    $self->{below} = ($self->{cpu}{$cpu} // {})->{current};
    $self->SUPER::_event($t, $cpu, $name, $rest);
}

# Headers of IPv4 with TCP or UDP; other packets cannot be told apart.
sub parse {
    my ($rest) = @_;
    my ($device) = $rest =~ /\bname = "(.*?)"/;
    my ($v4, $protocol) = $rest =~ /network_header_type = \( "_(ipv4)".*transport_header_type = \( "_(tcp|udp)"/ or return;
    my %f = $rest =~ /\b(ihl|tot_len|id|source_port|dest_port|seq|ack_seq|data_offset|flags|check|len) = (\w+)/g;
    $_ = /^0x/ ? hex : $_ for values %f;
    my ($from, $to) = map { join '.', $_ =~ /\] = (\d+)/g } $rest =~ /\b[sd]addr = \[ (.*?) \]/g;
    my %p = (%f, protocol => $protocol, device => $device, flow => "$protocol $from:$f{source_port} > $to:$f{dest_port}",
        back => "$protocol $to:$f{dest_port} > $from:$f{source_port}");
    if ($protocol eq 'tcp') {
        $p{data} = $f{tot_len} - 4 * $f{ihl} - 4 * $f{data_offset};
        $p{takes} = $p{data} + ($f{flags} & 1) + ($f{flags} >> 1 & 1);     # SYN and FIN use up a number, too
    }
    return \%p;
}

1;
