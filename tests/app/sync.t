#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clocks of several hosts: against measurements made during the recording, and against packets counted from babeltrace2's text.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(max sum0);
use Math::BigFloat;
use Test::More;

my @hosts = qw(client httpd db);

sub sync_of { return json_of(wakepath('sync', @_, '--format', 'json')) }

# ---- the packets, from the text ----

sub fields_of {
	my ($line) = @_;
	my %p = map { my ($v) = $line =~ /\b$_ = (0x[0-9A-F]+|\d+)/; $_ => defined $v && $v =~ /^0x/ ? hex $v : $v }
		qw(version ihl tot_len id source_port dest_port seq ack_seq data_offset flags check);
	($p{protocol}) = $line =~ /transport_header_type = \( "_(\w+)"/;
	($p{udp_len}) = $line =~ /transport_header = \{ \{ source_port = \d+, dest_port = \d+, len = (\d+)/;
	for my $way (qw(saddr daddr)) {
		my ($bytes) = $line =~ /\b$way = \[ ([^]]*(?:\[\d+\][^]]*)*?) \]/;
		$p{$way} = join '.', $bytes =~ /\] = (\d+)/g if defined $bytes;
	}
	return \%p;
}

# All packets of TRACE, in order.
sub packets_of {
	my ($trace) = @_;
	my @all;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($event) = $line =~ /\b(net_dev_queue|net_if_receive_skb): / or next;
		my $p = fields_of($line);
		$p->{received} = $event eq 'net_if_receive_skb';
		my ($s, $ns) = $line =~ /^\[(\d+)\.(\d{9})\]/ or die "no time in: $line";
		$p->{time} = "$s$ns";
		push @all, $p;
	}
	close $f or die "babeltrace2 failed";
	return \@all;
}

sub flow_of { my ($p) = @_; return join ' ', map { $_ // '-' } @$p{qw(protocol saddr source_port daddr dest_port)} }

# The length in sequence numbers of P: data, SYN and FIN.
sub stretch_of {
	my ($p) = @_;
	return $p->{tot_len} - 4 * $p->{ihl} - 4 * $p->{data_offset} + ($p->{flags} & 1) + ($p->{flags} >> 1 & 1);
}

# Pairs of one host's sent packets with another's received ones: their number, and the number that arrived before they were sent, for each host.
sub count_pairs {
	my (%packets) = @_;
	my (%sent, %count, %early);
	for my $host (sort keys %packets) {
		for my $p (grep { !$_->{received} } @{ $packets{$host} }) {
			if ($p->{protocol} eq 'tcp' && stretch_of($p) > 0) {
				$sent{$host}{flow_of($p)}{bytes}{ ($p->{seq} + $_) % 2**32 } //= $p->{time} for 0 .. stretch_of($p) - 1;
			} elsif ($p->{protocol} eq 'tcp') {
				push @{ $sent{$host}{flow_of($p)}{"$p->{seq} $p->{ack_seq} $p->{flags}"} }, $p->{time};
			} elsif ($p->{protocol} eq 'udp') {
				push @{ $sent{$host}{flow_of($p)}{"$p->{id} $p->{udp_len} $p->{check}"} }, $p->{time};
			}
		}
	}
	for my $host (sort keys %packets) {
		for my $p (grep { $_->{received} && $_->{protocol} =~ /^(tcp|udp)$/ } @{ $packets{$host} }) {
			for my $other (grep { $_ ne $host } keys %packets) {
				my $flow = $sent{$other}{flow_of($p)} or next;
				my $time = $p->{protocol} eq 'udp' ? shift @{ $flow->{"$p->{id} $p->{udp_len} $p->{check}"} // [] }
					: stretch_of($p) > 0 ? $flow->{bytes}{ ($p->{seq} + stretch_of($p) - 1) % 2**32 }
					: shift @{ $flow->{"$p->{seq} $p->{ack_seq} $p->{flags}"} // [] };
				next if !defined $time;
				$count{$_}++ for $host, $other;
				$time > $p->{time} and $early{$_}++ for $host, $other;
			}
		}
	}
	return (\%count, \%early);
}

# ---- against the text ----

sub check_counts {
	my ($folder, $name) = @_;
	my %packets = map { $_ => packets_of("$folder/$_") } @hosts;
	my ($count, $early) = count_pairs(%packets);
	for my $h (@{ sync_of(map { "$folder/$_" } @hosts)->{hosts} }) {
		my $p = $packets{ $h->{host} };
		is($h->{packets_sent}, scalar(grep { !$_->{received} } @$p), "$name: packets that $h->{host} sent");
		is($h->{packets_received}, scalar(grep { $_->{received} } @$p), "$name: packets that $h->{host} received");
		is($h->{packets_matched}, $count->{ $h->{host} }, "$name: packets of $h->{host} seen at both ends");
		is($h->{violations_before}, $early->{ $h->{host} } // 0, "$name: the number too early by the clocks as recorded");
		is($h->{packets_sent_first}, $h->{packets_matched} - $h->{violations_before}, "$name: the number of all others");
		cmp_ok($h->{packets_matched}, '>', 30, "$name: not few");
	}
}

# ---- against the truth ----

# T of the host H in the reference's clock.
sub reference_of {
	my ($h, $t) = @_;
	return Math::BigFloat->new($h->{slope}) * $t + $h->{offset_ns};
}

# [host, its time, other host, the offset of that, half the round trip], two for each pair: before and after.
sub truth_of {
	my ($folder) = @_;
	my @all;
	for (split /\n/, slurp("$folder/clock-truth.txt")) {
		/^(httpd: )?at (\d+) \S+ is ahead by (-?\d+) ns, rtt (\d+) ns/ or die "truth: $_";
		push @all, $1 ? ['httpd', $2, 'db', $3, $4 / 2] : ['client', $2, 'httpd', $3, $4 / 2];
	}
	return @all;
}

# The error of the clocks found for two hosts at the instant of TRUTH, ns.
sub off {
	my ($hosts, $truth) = @_;
	my ($own, $t, $other, $ahead) = @$truth;
	return (reference_of($hosts->{$other}, Math::BigFloat->new($t) + $ahead) - reference_of($hosts->{$own}, $t))->numify;
}

# Between two truths, at TIME of the first one's clock.
sub off_at {
	my ($hosts, $x, $y, $time) = @_;
	my $share = (Math::BigFloat->new($time) - $x->[1])->numify / ($y->[1] - $x->[1]);
	return off($hosts, $x) * (1 - $share) + off($hosts, $y) * $share;
}

# ppm by which host A is fast against host B.
sub ppm {
	my ($x, $y) = @_;
	return ((Math::BigFloat->new($y->{slope}) / $x->{slope} - 1) * 1e6)->numify;
}

sub check_truth {
	my ($folder, $name) = @_;
	my $sync = sync_of(map { "$folder/$_" } @hosts);
	my %h = map { $_->{host} => $_ } @{ $sync->{hosts} };
	my @truth = truth_of($folder);
	is($sync->{reference}, 'client', "$name: the first host is the reference");
	is(sum0(map { $_->{violations_after} } values %h), 0, "$name: no packet arrives before it was sent");
	is(join(' ', map { $_->{pieces} } values %h), '1 1 1', "$name: one line each");
	# The measurement is half a second or more before and after the client's packets, so its rate must be right too.
	cmp_ok(abs off(\%h, $_), '<', $_->[4], "$name: $_->[0] to $_->[2], at the time of the measurement") for @truth;
	# From client to db by way of httpd, at the instants when client was compared with httpd.
	for my $first (@truth[0, 2]) {
		my $at = Math::BigFloat->new($first->[1]) + $first->[3];
		cmp_ok(abs(off(\%h, $first) + off_at(\%h, @truth[1, 3], $at)), '<', $first->[4] + max(map { $_->[4] } @truth[1, 3]), "$name: client to db");
	}
	for (@truth) {
		my ($own, $other) = @h{ @$_[0, 2] };
		cmp_ok(abs off(\%h, $_), '<', $other->{error_ns_max} + $_->[4], "$name: $_->[0] to $_->[2]: within the stated error");
	}
	return \%h;
}

my $rpc = sample('rpc-chain');
check_counts($rpc, 'rpc-chain');
my $h = check_truth($rpc, 'rpc-chain');
is($h->{httpd}{quality}, 'approximate', 'rpc-chain: four tenths of a second do not show the rate');
cmp_ok(abs(ppm($h->{db}, $h->{httpd}) + 105), '<', 15, 'rpc-chain: db is slow against httpd by 105 ppm, as was set');
is($h->{db}{by}, 'httpd', 'rpc-chain: db is reached by way of httpd');

# Any order and any reference give the same distances.
my $turned = sync_of("$rpc/db", "$rpc/client", "$rpc/httpd");
my %t = map { $_->{host} => $_ } @{ $turned->{hosts} };
is($turned->{reference}, 'db', 'another reference');
cmp_ok(abs(ppm($t{db}, $t{httpd}) - ppm($h->{db}, $h->{httpd})), '<', 0.5, 'another reference: the same pace');
is(sum0(map { $_->{violations_after} } values %t), 0, 'another reference: nothing too early');

# Text and CSV agree.
my $text = wakepath('sync', map { "$rpc/$_" } @hosts)->{out};
like($text, qr/^httpd +approximate +325 s .* client$/m, 'text');
no_raw_controls($text, 'text');
my ($header, @csv) = @{ csv_of(wakepath('sync', (map { "$rpc/$_" } @hosts), '--format', 'csv')) };
is("$header->[0] $header->[4]", 'host offset_ns', 'CSV: header');
is(join(' ', map { $_->[0] } @csv), 'client httpd db', 'CSV: a line for each line of a clock');
is($csv[2][4], $h->{db}{offset_ns}, 'CSV: the same offset, all digits');

# A host that stands apart gives a message.
my $alone = sync_of($rpc . '/client', sample('pulse'));
is($alone->{hosts}[1]{quality}, 'absent', 'no packets in common: absent');
ok(!defined $alone->{hosts}[1]{$_}, "no packets in common: $_ is not known") for qw(slope offset_ns error_ns_max violations_after);
is($alone->{hosts}[1]{pieces}, 0, 'no packets in common: no line');
like(wakepath('sync', "$rpc/client", sample('pulse'))->{out}, qr/^solo has an unrelated clock/m, 'and a message says so');

# Hosts minutes or years apart would not be visible together: their starts are put together, with a message; that is no clock.
sub first_event { my ($trace) = @_; open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die; <$f> =~ /^\[(\d+)\.(\d+)\]/ ? $1 * 10 ** 9 + $2 : die }
my ($first, $other) = map { first_event($_) } "$rpc/client", sample('pulse');
my $shift = $first - $other;
is($alone->{hosts}[1]{start_shift_ns}, $shift, 'its start is put to that of the first host, by the first events of both in the text of babeltrace2');
ok(!defined $alone->{hosts}[0]{start_shift_ns}, '… whose start does not move');
my @both = ("$rpc/client", sample('pulse'));
my $i = json_of(wakepath('info', '--format', 'json', @both));
is($i->{traces}[1]{start_shift_ns}, $shift, 'info gives the shift');
is($i->{traces}[1]{from}, $first, '… and the times as shown');
like($i->{traces}[1]{warnings}[0], qr/^has an unrelated clock.*so the order of events of the two is unknown.*--sync solo=OFFSET/, '… and warns, with a hint');
my ($event) = @{ json_of(wakepath('events', '--format', 'json', '--at', 'solo/#1', '--top', 1, @both))->{events} };
is($event->{time}, $first, 'its events are shown there, too');
my $none = json_of(wakepath('info', '--format', 'json', '--sync', 'none', @both));
is($none->{traces}[1]{from}, $other, '--sync none: its own time');
ok(!defined $none->{traces}[1]{start_shift_ns}, '… without a shift');
my $typed = json_of(wakepath('info', '--format', 'json', '--sync', 'solo=+100s', @both));
is($typed->{traces}[1]{from}, $other + 100 * 10 ** 9, 'a typed shift is taken');
ok(!defined $typed->{traces}[1]{start_shift_ns}, '… in place of the one from the starts');
my $single = sync_of(sample('pulse'));
is(scalar @{ $single->{hosts} }, 1, 'one host');
is("$single->{hosts}[0]{slope} $single->{hosts}[0]{offset_ns}", '1 0', 'one host: its own clock');
my $twice = sync_of(sample('pulse'), sample('inception'));
is($twice->{hosts}[1]{same_name_as}, $twice->{hosts}[0]{host}, 'two traces of one host name: sync says so');
is("@{ $twice->{hosts}[1] }{qw(quality same_clock_as)}", 'accurate solo', 'of one boot: one clock');

# A hint names events that were not recorded: packets of one direction, their headers, the headers of received packets.
sub event_in { my ($text, $event) = @_; return $text =~ /(event \{\s*name = "$event";.*?\n\};)/s ? $1 : die "no $event" }
for my $case (
	['no receptions', sub { s/"net_if_receive_skb"/"net_if_receive_xyz"/ }, qr/^httpd has only packets that it sent: record net_if_receive_skb too$/m, 'incomplete'],
	['no sendings', sub { s/"net_dev_queue"/"net_dev_xyzue"/ }, qr/^httpd has only packets that it received: record net_dev_queue too$/m, 'incomplete'],
	['no headers', sub { s/\b_source_port\b/_xource_port/g }, qr/^httpd has packets without TCP or UDP headers only: record with LTTng 2\.9 or later$/m, 'absent'],
	['no headers received', sub { my $e = event_in($_, 'net_if_receive_skb'); my $n = $e =~ s/\b_source_port\b/_xource_port/gr; s/\Q$e\E/$n/ },
		qr/^httpd received packets without TCP or UDP headers only: record with LTTng 2\.9 or later$/m, 'incomplete'],
) {
	my ($what, $how, $says, $quality) = @$case;
	my $copy = copy_trace('rpc-chain', "rpc-chain $what");
	patch("$copy/httpd/metadata", $how);
	my @traces = ("$copy/client", "$copy/httpd");
	my ($c, $w) = @{ sync_of(@traces)->{hosts} };
	like(wakepath('sync', @traces)->{out}, $says, "$what: a message names the events to record");
	is($w->{quality}, $quality, "$what: the clock is not guessed");
	ok(!defined $w->{slope}, "$what: it has no line");
	ok(defined $w->{start_shift_ns}, "$what: its start is put to that of the first host");
	my $path = json_of(wakepath('path', @traces, '--thread', 'client/wk-client', '--format', 'json'));
	is(scalar(grep { ($_->{grade} // '') eq 'proved' } @{ $path->{segments} }), 0, "$what: nothing is proved between hosts");
	is(scalar(grep { $_->{from}{host} ne $_->{to}{host} } @{ $path->{links} }), 0, "$what: and no path goes to another host");
	my $warned = grep { /without TCP or UDP headers.*LTTng 2\.9/ } @{ json_of(wakepath('info', "$copy/httpd", '--format', 'json'))->{traces}[0]{warnings} };
	is($warned, $what =~ /headers/ ? 1 : 0, "$what: info warns of missing headers, and of nothing else");
}

# All packets are accounted for.
for my $host (@{ sync_of(map { "$rpc/$_" } @hosts)->{hosts} }) {
	my $received = $host->{packets_received} - $host->{packets_received_without_headers};
	cmp_ok(sum0(@$host{qw(packets_received_matched packets_ambiguous packets_unmatched packets_again)}), '<=', $received, "$host->{host}: no packet is counted twice");
	cmp_ok(sum0(@$host{qw(packets_received_matched packets_ambiguous packets_unmatched packets_again packets_own)}), '>=', $received, "$host->{host}: no packet is forgotten");
	like($text, qr/^$host->{host}: $host->{packets_aged} packets that it sent and $host->{packets_unmatched} that it received have no other end at these hosts$/m,
		"$host->{host}: packets without another end are reported");
}

SKIP: {
	skip 'no shared traces here', 1 if !$ENV{SHARED_TRACES} || !-d "$ENV{SHARED_TRACES}/django";
	my $django = "$ENV{SHARED_TRACES}/django";
	check_counts($django, 'django');
	my $d = check_truth($django, 'django');
	is($d->{$_}{quality}, 'accurate', "django: $_") for qw(httpd db);
	cmp_ok(abs(ppm($d->{httpd}, $d->{client}) - 60), '<', 30, 'django: httpd is fast by 60 ppm, as was set');
	cmp_ok(abs(ppm($d->{db}, $d->{httpd}) + 105), '<', 15, 'django: db is slow against httpd by 105 ppm');

	# The host of vm-preempt recorded no packets: the times inside its guest give its clock (tests/oracle/inside.t).
	my $vm = sync_of("$ENV{SHARED_TRACES}/vm-preempt");
	is(join(' ', map { $_->{quality} } @{ $vm->{hosts} }), 'accurate accurate', 'vm-preempt: a guest without packets');
}
# ---- no packets ----

like(wakepath('sync', sample('pulse'))->{out}, qr/^solo has no packets: it sent and received none$/m, 'no packet was sent, though packets were recorded');
SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '') . '/offcpu-stacks';
	skip 'offcpu-stacks is not there', 1 unless -d $trace;
	like(wakepath('sync', $trace)->{out}, qr/^solo has no packets: record net_dev_queue and net_if_receive_skb$/m, 'packets were not recorded');
}

done_testing();
