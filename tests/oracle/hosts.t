#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The oracle of several hosts itself: made-up packets, and known facts of rpc-chain and django by the clocks
# measured beside them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Ask;
use Hosts;
use Hosts::Musts;
use Hosts::Split;
use Verdict;

my @names = qw(client httpd db);

# ------------------------------------------------------------ made-up packets

# An event of a TCP packet at T: bytes [seq, seq + data).
sub tcp {
    my ($t, $event, %p) = @_;
    %p = (from => 1, to => 2, source => 1000, dest => 80, seq => 0, ack => 7, data => 0, flags => 16, id => 1, %p);
    my $length = 40 + $p{data};
    return sprintf '[%d.%09d] x %s: { cpu_id = 0 }, { skbaddr = 0x1, len = %d, name = "eth1", network_header_type = ( "_ipv4" : container = 1 ), network_header = { { version = 4, ihl = 5, tos = 0, tot_len = %d, id = 0x%X, frag_off = 0, '
        . 'ttl = 64, protocol = ( "_tcp" : container = 6 ), checksum = 0x1, saddr_padding = { }, saddr = [ [0] = 10, [1] = 0, [2] = 0, [3] = %d ], daddr_padding = { }, daddr = [ [0] = 10, [1] = 0, [2] = 0, [3] = %d ], '
        . 'transport_header_type = ( "_tcp" : container = 1 ), transport_header = { { source_port = %d, dest_port = %d, seq = %d, ack_seq = %d, data_offset = 5, reserved = 0, flags = 0x%X, window_size = 1, checksum = 0x1, urg_ptr = 0 } } } } }',
        $t / 1e9, $t % 1e9, $event, $length, $length, @p{qw(id from to source dest seq ack flags)};
}

sub sent { return tcp($_[0], 'net_dev_queue', @_[1 .. $#_]) }
sub got { return tcp($_[0], 'net_if_receive_skb', @_[1 .. $#_]) }

# Received packets and those they were sent as: "received<sent sent".
sub matched {
    my ($left, $right) = @_;
    my $hosts = Hosts->of(undef, [ a => Hosts::Trace->of_lines('6.1', @$left) ], [ b => Hosts::Trace->of_lines('6.1', @$right) ]);
    return join '; ', map { my $r = $_; "$r->{time}<" . join ' ', map { $_->{time} } @{$r->{origins}} }
        grep { !$_->{sent} } map { @{$hosts->{of}{$_}{packets}} } qw(a b);
}

is(matched([ sent(1, data => 10) ], [ got(2, data => 10) ]), '2<1', 'one packet is matched');
is(matched([ sent(1, seq => 2**32 - 5, data => 10) ], [ got(2, seq => 2**32 - 5, data => 10) ]), '2<1', 'a packet whose numbers wrap is matched');
is(matched([ sent(1, data => 30) ], [ got(2, data => 10), got(3, seq => 10, data => 20) ]), '2<1; 3<1', 'a packet cut by the sender is matched');
is(matched([ sent(1, data => 10), sent(2, seq => 10, data => 20) ], [ got(3, data => 30) ]), '3<1 2', 'packets joined by the receiver are matched');
is(matched([ sent(1, seq => 2**32 - 5, data => 30) ], [ got(3, seq => 2, data => 10) ]), '3<1', 'a part behind the wrap is matched');
is(matched([ sent(1, data => 10), sent(2, data => 10, id => 2) ], [ got(3, data => 10, id => 2) ]), '3<2', 'a packet sent again matches the second sending');
is(matched([ sent(1, seq => 5), sent(2, seq => 5, id => 2) ], [ got(3, seq => 5), got(4, seq => 5, id => 2) ]), '3<1; 4<2', 'acknowledgements are matched');
is(matched([ sent(1, data => 10) ], [ got(2, data => 10, source => 1001) ]), '2<', 'a packet of another connection is not matched');
is(matched([ sent(1, data => 10) ], [ got(2, seq => 10, data => 10) ]), '2<', 'later bytes are not matched');

# ------------------------------------------------------------ made-up waits, told in parts

# The errors of parts "kind from-to", by equal clocks everywhere to ERROR ns; "kind? from-to" is inferred. The packet was received at 80.
sub split_wrong {
    my ($main, $cause, $sent, @parts) = @_;
    my $error = ref $sent ? $sent->{error} : 0;
    $sent = $sent->{at} if ref $sent;
    my @said = map { /(\S+?)(\??) (\d+)-(\d+)/; +{ kind => $1, host => 'a', from => $3, to => $4, is => { grade => $2 ? 'inferred' : 'proved', error => $error } } } @parts;
    my $stretch = { host => 'a', from => $said[0]{from}, to => $said[-1]{to}, wait => { cause => { %$cause, packet => { here => { time => 80 } } } },
        sent => defined $sent ? { host => 'b', time => $sent } : undef };
    return scalar(() = Hosts::Split::wrong($stretch, $main, \@said, sub { $_[1] }));
}
my $net = { chain => [ { type => 'irq', entry => 50, exit => 60 }, { type => 'softirq', entry => 70, frame => { raise => { time => 55 } } } ] };
is(split_wrong('network', $net, 10, 'network 10-50', 'irq 50-55', 'irq 55-70', 'irq 70-90'), 0, 'a packet is split into network and irq');
is(split_wrong('network', $net, 10, 'network 10-51', 'irq 51-90'), 2, 'an interrupt a nanosecond late is wrong');
is(split_wrong('network', $net, 10, 'network 10-90'), 1, 'interrupts as network are wrong');
is(split_wrong('network', $net, 10, 'network 10-50', 'irq 50-71', 'irq 71-90'), 1, 'a part that begins with no event is wrong');
is(split_wrong('network', $net, 10, 'network 10-50', 'timer-late 50-90'), 1, 'another kind is wrong');
is(split_wrong('network', $net, { at => 10, error => 39 }, 'network 10-50', 'irq 50-90'), 0, 'an interrupt later by more than the error is proved');
is(split_wrong('network', $net, { at => 10, error => 40 }, 'network 10-50', 'irq 50-90'), 1, 'an interrupt later by just the error must not be proved');
is(split_wrong('network', $net, { at => 10, error => 40 }, 'network? 10-50', 'irq 50-90'), 0, 'an interrupt later by just the error is inferred');
is(split_wrong('network', $net, 52, 'network? 52-70', 'irq 70-90'), 0, 'a packet may leave after the interrupt, before the softirq');
is(split_wrong('network', $net, 52, 'network? 52-55', 'irq 55-70', 'irq 70-90'), 1, 'such a packet did not come with the raise of that interrupt');
is(split_wrong('network', $net, 52, 'network 52-70', 'irq 70-90'), 1, 'a packet with an unknown arrival must not be proved');
is(split_wrong('network', $net, 52, 'network? 52-90'), 1, 'the softirq as network is wrong');
is(split_wrong('network', $net, 75, 'network? 75-80', 'irq 80-90'), 0, 'a packet may leave during the softirq');
is(split_wrong('network', $net, 75, 'network? 75-90'), 1, 'network after the reception is wrong');
is(split_wrong('network', $net, 75, 'irq 75-90'), 1, 'irq before the reception is wrong');
is(split_wrong('network', $net, 85, 'network? 85-90'), 0, 'by clocks that have it leave after its reception, all is network');

my $disk = { chain => [ { type => 'irq', entry => 50 }, { type => 'ipi', entry => 80 } ], request => { parts => { before => [ { from => 10, to => 20 } ] } } };
is(split_wrong('block', $disk, undef, 'block 5-10', 'flush 10-20', 'block 20-50', 'irq 50-80', 'irq 80-90'), 0, 'a flush and a write are split');
is(split_wrong('block', $disk, undef, 'block 5-50', 'ipi 50-80', 'irq 80-90'), 1, 'the flush as time of the write is wrong');
is(split_wrong('block', $disk, undef, 'block 5-10', 'flush 10-20', 'block 20-80', 'irq 80-90'), 1, 'the IPI as time of the disk is wrong');

my $timer = { chain => [ { type => 'irq', entry => 40 }, { type => 'hrtimer', entry => 50 } ], timer => { expiry => { due => 30, entry => 50 } } };
is(split_wrong('timer', $timer, undef, 'timer 5-30', 'timer-late 30-50', 'timer 50-60'), 0, 'a late timer is split');
is(split_wrong('timer', $timer, undef, 'timer 5-50', 'timer 50-60'), 1, 'the lateness as sleep is wrong');
is(split_wrong('timer', $timer, undef, 'timer 5-40', 'timer-late 40-50', 'timer 50-60'), 1, 'a timer due only when its interrupt came is wrong');

my $unset = { chain => $timer->{chain} };
is(split_wrong('timer', $unset, undef, 'timer 5-60'), 0, 'a timer set before the trace began may be one part');
is(split_wrong('timer', $timer, undef, 'timer 5-60'), 1, 'a late timer in one part is wrong');

# ------------------------------------------------------------ the traces

for my $name (grep { Ask::experiment($_) } qw(rpc-chain django)) {
    my $folder = Ask::experiment($name);
    subtest $name => sub {
        my $hosts = Hosts->load($folder, @names);
        my $clock = $hosts->truth_clock;
        cmp_ok(scalar @{$hosts->{pairs}}, '>', 1500, @{$hosts->{pairs}} . ' packets seen at both ends');
        verdict('by the measured clocks no packet arrives before it left', map {
            my ($s, $r) = @$_;
            my $took = $clock->($r->{host}, $r->{time}) - $clock->($s->{host}, $s->{time});
            $took < 0 ? "$s->{flow} of $s->{host} at $s->{time}: $took ns" : ();
        } @{$hosts->{pairs}});
        my @requests = Hosts::Musts::requests($hosts);
        is(scalar @requests, $name eq 'django' ? 9 : 12, 'the number of requests is right');
        for my $request (@requests) {
            my $path = $hosts->path($clock, $request->{life}, @$request{qw(from to)});
            verdict($request->{name}, Hosts::Musts::wrong($hosts, $clock, $request, Hosts::Musts::of_walk($path)));
        }
        done_testing;
    };
}

done_testing;
