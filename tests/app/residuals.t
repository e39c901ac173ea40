#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# sync --residuals: the time that each packet took between two hosts.  babeltrace2's text has each packet: one host sent it, and another received it
# with the same addresses, ports, identification and numbers; sums over columns are those of the packets.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(min max sum0);
use Test::More;

my @hosts = qw(client httpd db);

# ---- from the text ----

# The packets of TRACE by their identifying fields: { sent => { key => [time, ...] }, received => ... }.
sub packets {
	my ($trace) = @_;
	my %of = (sent => {}, received => {});
	open my $f, '-|', 'babeltrace2', '--clock-seconds', '--names=payload', $trace or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $event) = $line =~ /^\[(\d+)\.(\d{9})\].* (net_dev_queue|net_if_receive_skb): / or next;
		my @key = map { my ($bytes) = $line =~ /\b$_ = \[ ((?:\[\d+\] = \w+,? )+)\]/; $bytes // '' } qw(saddr daddr);
		push @key, map { $line =~ /\b$_ = (\w+)/ ? $1 : '' } qw(id tot_len source_port dest_port seq ack_seq flags);
		push @{ $of{ $event eq 'net_dev_queue' ? 'sent' : 'received' }{"@key"} }, "$s$ns";
	}
	close $f or die "babeltrace2 failed";
	return \%of;
}

# "sender>receiver sent received" of all packets that two hosts of FOLDER have once each.
sub pairs {
	my ($folder) = @_;
	my %of = map { $_ => packets("$folder/$_") } @hosts;
	my %pairs;
	for my $sender (@hosts) {
		while (my ($key, $sent) = each %{ $of{$sender}{sent} }) {
			for my $receiver (grep { $_ ne $sender } @hosts) {
				my $received = $of{$receiver}{received}{$key} or next;
				$pairs{"$sender>$receiver $sent->[0] $received->[0]"} = 1 if @$sent == 1 && @$received == 1;
			}
		}
	}
	return \%pairs;
}

# ---- from the program ----

sub rows {
	my (@args) = @_;
	my ($header, @lines) = @{ csv_of(wakepath('sync', @args, '--residuals', '--format', 'csv')) };
	return map { my %row; @row{@$header} = @$_; \%row } @lines;
}

my $rpc = sample('rpc-chain');
my @own = rows($rpc, '--sync', 'none');
my $pairs = pairs($rpc);
my %found = map { ("$_->{sender}>$_->{receiver} $_->{sent} $_->{received}" => 1) } @own;

cmp_ok(scalar keys %$pairs, '>', 1600, 'most packets are unique in the text');
is_deeply([grep { !$found{$_} } sort keys %$pairs], [], 'all of them are listed, with the times of both ends');
is(scalar(grep { $_->{residual} != $_->{received} - $_->{sent} } @own), 0, 'each travelled from the one to the other');
is(scalar @own, sum0(map { $_->{packets_matched} } @{ json_of(wakepath('sync', $rpc, '--format', 'json'))->{hosts} }) / 2, 'as many as sync counts, each at two hosts');

# By the clocks found: the same packets, none too early; in order of reception at each receiver.
my @found = rows($rpc);
is(scalar @found, scalar @own, 'by the clocks found: as many');
cmp_ok(min(map { $_->{residual} } @found), '>=', 0, 'none arrives before it was sent');
for my $host (@hosts) {
	my @times = map { $_->{received} } grep { $_->{receiver} eq $host } @found;
	is("@times", join(' ', sort { $a <=> $b } @times), "$host: in the order of reception");
}

# A window has the packets received in it.
my @sorted = sort { $a <=> $b } map { $_->{received} } @found;
my ($from, $to) = @sorted[300, 900];
my @window = rows($rpc, '--from', $from, '--to', $to);
is(scalar @window, scalar(grep { $_ >= $from && $_ < $to } @sorted), 'a window has the packets received in it');

# Columns: sums of the packets.
my ($header, @columns) = @{ csv_of(wakepath('sync', $rpc, '--residuals', '--columns', 7, '--format', 'csv')) };
my ($bad, $sum) = (0, 0);
for (@columns) {
	my %c;
	@c{@$header} = @$_;
	my @in = map { $_->{residual} } grep { "$_->{sender}>$_->{receiver}" eq "$c{sender}>$c{receiver}" && $_->{received} >= $c{from} && $_->{received} < $c{to} } @found;
	$bad++ if "$c{packets} $c{too_early} $c{least} $c{most}" ne join ' ', scalar @in, scalar(grep { $_ < 0 } @in), min(@in), max(@in);
	$sum += $c{packets};
}
is($bad, 0, 'columns: number, shortest and longest are those of the packets');
is($sum, scalar @found, 'columns: all packets are in one');
my $json = json_of(wakepath('sync', $rpc, '--residuals', '--columns', 7, '--format', 'json'))->{columns};
is_deeply([map { [map { "$_" } @{$_}{@$header}] } @$json], [@columns], 'columns: JSON has the same');
$json = json_of(wakepath('sync', $rpc, '--residuals', '--format', 'json'))->{packets};
is_deeply([map { $_->{residual} } @$json], [map { $_->{residual} } @found], 'packets: JSON has the same');

# By their own clocks, which are minutes apart, packets of one direction are too early.
my ($early) = grep { $_->{sender} eq 'httpd' && $_->{receiver} eq 'client' } @own;
cmp_ok($early->{residual}, '<', -300e9, 'own clocks: a packet is received long before it was sent');

my $one = wakepath('sync', sample('pulse'), '--residuals', '--format', 'csv');
is($one->{out}, "sender,receiver,sent,received,residual\n", 'one host: no packets between hosts');
for (['--columns', 5], ['--from', '+1s']) {
	my $r = wakepath('sync', $rpc, @$_);
	is($r->{status}, 2, "@$_ without --residuals");
	like($r->{err}, qr/are for --residuals/, 'says so');
}
is(wakepath('sync', $rpc, '--residuals', '--columns', $_)->{status}, 2, "--columns $_") for -1, 0, 100001;
done_testing;
