#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Matching of packets, compared with babeltrace2's text: the program's pairs, by the hosts' own clocks, are those that Pairs.pm finds byte by
# byte.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Pairs;
use Wake;
use Test::More;

# The program's pairs, "SENDER TIME RECEIVER TIME".
sub pairs_of {
	my (@traces) = @_;
	my $all = json_of(wakepath('sync', @traces, '--sync', 'none', '--residuals', '--format', 'json'))->{packets};
	return map { ("$_->{sender} $_->{sent} $_->{receiver} $_->{received}" => 1) } @$all;
}

sub check {
	my ($name, $folder, $least, @hosts) = @_;
	my %packets = map { $_ => Pairs::packets_of("$folder/$_") } @hosts;
	my ($found, $open) = Pairs::of(\%packets);
	my %said = pairs_of(map { "$folder/$_" } @hosts);
	is(join("\n", sort grep { !$said{$_} } keys %$found), '', "$name: all pairs are found");
	is(join("\n", sort grep { !$found->{$_} && !$open->{$_} } keys %said), '', "$name: no other pairs are found");
	cmp_ok(scalar(keys %$found), '>=', $least, "$name: there are many pairs");
	cmp_ok(scalar(grep { $open->{$_} } keys %said), '<', keys(%$found) / 20, "$name: few pairs are open");
	note("$name: " . keys(%$found) . " sure, " . keys(%said) . " said");
}

# ---- the oracle itself, by hand ----

sub segment {
	my ($host, $received, $time, $seq, $bytes, $flags) = @_;
	return { protocol => 'tcp', saddr => '10.0.0.1', daddr => '10.0.0.2', source_port => 1, dest_port => 2, seq => $seq, ack_seq => 0, flags => $flags,
		ihl => 5, data_offset => 5, tot_len => 40 + $bytes, time => $time, received => $received };
}

my ($sure) = Pairs::of({
	a => [ segment('a', 0, 1, 99, 0, 2), segment('a', 0, 2, 100, 30, 16), segment('a', 0, 3, 110, 40, 16), segment('a', 0, 4, 50, 0, 2), segment('a', 0, 5, 51, 60, 16) ],
	b => [ segment('b', 1, 11, 99, 0, 2), segment('b', 1, 12, 100, 10, 16), segment('b', 1, 13, 110, 40, 16), segment('b', 1, 14, 110, 40, 16),
		segment('b', 1, 15, 50, 0, 2), segment('b', 1, 16, 51, 60, 16) ],
});
is(join(', ', sort keys %$sure), 'a 1 b 11, a 2 b 12, a 3 b 13, a 4 b 15, a 5 b 16', 'the first sending pairs with the first reception, per connection');

check('rpc-chain', sample('rpc-chain'), 1600, qw(client httpd db));
my $loopback = "$ENV{SHARED_TRACES}/rpc-loopback" if $ENV{SHARED_TRACES};
SKIP: {
	skip 'no shared traces here', 5 if !$loopback || !-d $loopback;
	check('django', "$ENV{SHARED_TRACES}/django", 1800, qw(client httpd db));
	my %none = pairs_of("$loopback/kernel", "$ENV{SHARED_TRACES}/mpi-busywait/kernel");
	is(scalar(keys %none), 0, 'packets of the loopback have no pairs on another host');
}
done_testing();
