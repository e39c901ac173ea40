#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Requests and replies of a thread, against packets in babeltrace2's text of both hosts.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0);
use Test::More;

sub longest_first { return sort { $b->{duration} <=> $a->{duration} || $a->{from} <=> $b->{from} } @_ }
sub ask { return json_of(wakepath('requests', @_, '--format', 'json')) }

# ---- the packets, from the text ----

sub ns_of { my ($line) = @_; my ($s, $ns) = $line =~ /^\[(\d+)\.(\d{9})\]/ or die "no time in: $line"; return "$s$ns" }

sub address_of {
	my ($line, $way) = @_;
	my ($bytes) = $line =~ /\b$way = \[ ([^]]*(?:\[\d+\][^]]*)*?) \]/ or return '';
	return join '.', $bytes =~ /\] = (\d+)/g;
}

# TCP packets with data of TRACE, in order, once for each range of the stream.
sub data_of {
	my ($trace) = @_;
	my (@all, %end);
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($event) = $line =~ /\b(net_dev_queue|net_if_receive_skb): / or next;
		next unless $line =~ /transport_header_type = \( "_tcp"/;
		my %p = map { $line =~ /\b$_ = (\d+)/; $_ => $1 } qw(ihl tot_len source_port dest_port seq data_offset);
		$p{bytes} = $p{tot_len} - 4 * $p{ihl} - 4 * $p{data_offset};
		next if $p{bytes} <= 0;
		$p{from} = address_of($line, 'saddr') . ":$p{source_port}";
		$p{to} = address_of($line, 'daddr') . ":$p{dest_port}";
		$p{received} = $event eq 'net_if_receive_skb' ? 1 : 0;
		$p{time} = ns_of($line);
		my $last = \$end{"$event $p{from} $p{to}"};
		next if defined $$last && $$last == $p{seq} + $p{bytes};
		$$last = $p{seq} + $p{bytes};
		push @all, \%p;
	}
	close $f or die "babeltrace2 failed";
	return \@all;
}

# The requests of the end CLIENT (a pattern) to SERVER (another), in order: turns of the packets that this host sent and received.
sub exchanges_of {
	my ($packets, $client, $server) = @_;
	my (%open, @all);
	for my $p (@$packets) {
		my $out = $p->{from} =~ $client && $p->{to} =~ $server && !$p->{received};
		my $in = $p->{to} =~ $client && $p->{from} =~ $server && $p->{received};
		next unless $out || $in;
		my $x = \$open{$out ? "$p->{from} $p->{to}" : "$p->{to} $p->{from}"};
		push @all, $$x = { from => $p->{time}, connection => $out ? "$p->{from} $p->{to}" : "$p->{to} $p->{from}",
			request => [], reply => [] } if !$$x || ($out && @{ $$x->{reply} });
		push @{ $$x->{$out ? 'request' : 'reply'} }, $p;
		$$x->{to} = $p->{time};
	}
	return \@all;
}

sub summary_of {
	my ($x) = @_;
	return { from => $x->{from}, to => $x->{to}, connection => $x->{connection},
		map { my $part = $_; $part => [sum0(map { $_->{bytes} } @{ $x->{$part} }), scalar @{ $x->{$part} }] } qw(request reply) };
}

sub summary_of_answer {
	my ($r) = @_;
	my $c = $r->{connection};
	return { from => "$r->{from}", to => "$r->{to}", connection => "$c->{address}:$c->{port} $c->{peer_address}:$c->{peer_port}",
		map { $_ => [$r->{$_}{bytes}, $r->{$_}{packets}] } qw(request reply) };
}

# ---- several hosts ----

# The time that the server had each request: from its first packet there to the last of the reply, by the server's clock alone.
sub served_for {
	my ($packets, $x) = @_;
	my ($client, $server) = split / /, $x->{connection};
	my %seq = map { $_->{seq} => 1 } @{ $x->{request} };
	my ($first) = grep { $_->{received} && $_->{from} eq $client && $_->{to} eq $server && $seq{$_->{seq}} } @$packets;
	my $end = $x->{reply}[-1]{seq} + $x->{reply}[-1]{bytes};
	my ($last) = grep { !$_->{received} && $_->{from} eq $server && $_->{to} eq $client && $_->{seq} + $_->{bytes} >= $end } @$packets;
	return $last->{time} - $first->{time};
}

sub check_hosts {
	my ($name, $thread, $server_name, $client, $server, $n) = @_;
	my $trace = sample($name);
	my $expected = exchanges_of(data_of("$trace/client"), $client, $server);
	my $got = ask($trace, '--thread', $thread);
	my @mine = grep { "$_->{connection}{peer_address}:$_->{connection}{peer_port}" =~ $server } @{ $got->{requests} };
	is(scalar @$expected, $n, "$name: as many as counted by hand");
	is_deeply([map { summary_of_answer($_) } @mine], [map { summary_of($_) } @$expected], "$name: each request and its reply");
	is_deeply([map { $_->{number} } @{ $got->{requests} }], [1 .. @{ $got->{requests} }], "$name: numbered");
	is(scalar(grep { $_->{role} ne 'asked' } @mine), 0, "$name: it asked");
	is(scalar(grep { $_->{peer}{host} ne 'httpd' || $_->{peer}{thread}{name} ne $server_name } @mine), 0, "$name: served by $server_name on httpd");
	my $there = data_of("$trace/httpd");
	my @off = grep { # clocks of 2000 ppm at most
		my $own = served_for($there, $expected->[$_]);
		abs($mine[$_]{peer}{to} - $mine[$_]{peer}{from} - $own) > 1 + $own / 500
	} 0 .. $#mine;
	is_deeply(\@off, [], "$name: the time that the server had it");
	my @other = grep { $_->{role} eq 'served' && $_->{peer}{host} eq 'client' } @{ ask($trace, '--thread', "httpd/$server_name")->{requests} };
	is(scalar @other, $n, "$name: the server has the same");
}

# Of all hosts: each request once, as the client saw it.
{
	my $trace = sample('rpc-chain');
	my $all = ask($trace);
	is($all->{subject}, undef, 'all hosts: no subject');
	my @to_servers = grep { $_->{connection}{protocol} eq 'tcp' && $_->{connection}{address} =~ /^10\.9\./ } @{ $all->{requests} };
	my @expected = (@{ exchanges_of(data_of("$trace/client"), qr/^10\.9\.1\.1:/, qr/^10\.9\.1\.2:7000$/) },
		@{ exchanges_of(data_of("$trace/httpd"), qr/^10\.9\.2\.1:/, qr/^10\.9\.2\.2:7000$/) });
	my %by_ends; # times of other hosts are by other clocks
	$by_ends{join ' ', $_->{connection}, map { sum0(map { $_->{bytes} } @$_) } @$_{qw(request reply)}}++ for @expected;
	my %got;
	$got{join ' ', "$_->{connection}{address}:$_->{connection}{port} $_->{connection}{peer_address}:$_->{connection}{peer_port}", $_->{request}{bytes}, $_->{reply}{bytes}}++
		for grep { "$_->{connection}{peer_port}" == 7000 } @to_servers;
	is_deeply(\%got, \%by_ends, 'all hosts: each request to a server once');
	is(scalar(grep { $_->{role} ne 'asked' && $_->{peer} } @{ $all->{requests} }), 0, 'all hosts: as the client saw it');
	my @times = map { $_->{from} } @{ $all->{requests} };
	is_deeply(\@times, [sort { $a <=> $b } @times], 'all hosts: in order');
	my @client = grep { $_->{thread} && $_->{thread}{host} eq 'client' && $_->{thread}{name} eq 'wk-client' } @{ $all->{requests} };
	is_deeply([map { $_->{from} } @client], [map { $_->{from} } @{ ask($trace, '--thread', 'client/wk-client')->{requests} }], 'all hosts: those of a thread among them');
	my $db = ask($trace, '--host', 'db')->{requests};
	is(scalar(grep { $_->{connection}{port} == 7000 && $_->{role} eq 'served' } @$db), scalar(grep { /^10\.9\.2\./ } map { $_->{connection} } @expected),
		'of a host: the requests it served');
	is(scalar(grep { $_->{host} ne 'db' } @$db), 0, '… and no other host');
	like(wakepath('requests', $trace, '--host', 'nobody')->{err}, qr/^wakepath: no host "nobody" in the trace: it has client, db, httpd$/m, 'another host');
	is(wakepath('requests', $trace, '--host', 'db', '--thread', 'wk-client')->{status}, 2, 'a thread names its host itself');
}

check_hosts('rpc-chain', 'client/wk-client', 'wk-server', qr/^10\.9\.1\.1:/, qr/^10\.9\.1\.2:7000$/, 12);

# ---- accounts of requests ----

# Switches of threads: [time, TID that is switched out, TID that is switched in].
sub switches_of {
	my ($trace) = @_;
	my @all;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
	while (my $line = <$f>) {
		push @all, [ns_of($line), $1, $2] if $line =~ /\bsched_switch: .*prev_tid = (\d+).*next_tid = (\d+)/;
	}
	close $f or die "babeltrace2 failed";
	return \@all;
}

# The time at which TID runs next, from TIME on.
sub runs_at {
	my ($switches, $tid, $time) = @_;
	my ($in) = grep { $_->[2] == $tid && $_->[0] >= $time } @$switches;
	return $in->[0];
}

# The time for which TID ran between FROM and TO.
sub ran_for {
	my ($switches, $tid, $from, $to) = @_;
	my ($on, $sum) = (undef, 0);
	for (grep { $_->[0] >= $from } @$switches) {
		last if $_->[0] > $to;
		$on = $_->[0] if $_->[2] == $tid;
		($sum, $on) = ($sum + $_->[0] - $on, undef) if $_->[1] == $tid && defined $on;
	}
	return $sum + (defined $on ? $to - $on : 0);
}

sub parts_sum { my ($r) = @_; return sum0(@$r{qw(net waiting cpu unknown)}) }

{
	my $trace = sample('rpc-chain');
	my $asked = ask($trace, '--thread', 'client/wk-client')->{requests};
	my $switches = switches_of("$trace/client");
	my $tid = $asked->[0]{tid};
	is_deeply([map { $_->{path_from} } @$asked], [map { $_->{from} } @$asked], 'the account of a request begins with it');
	is_deeply([map { "$_->{path_to}" } @$asked], [map { runs_at($switches, $tid, $_->{to}) } @$asked], '… and ends when the client runs again');
	is_deeply([map { parts_sum($_) } @$asked], [map { $_->{path_to} - $_->{path_from} } @$asked], 'its parts sum to all of it');
	# truth.log: "h" spins 10 ms, "s" sleeps 10 ms, "c" spins 10 ms, has db spin 20 ms, spins 10 ms
	is(scalar(grep { $_->{cpu} < 10e6 || $_->{waiting} > 2e6 } @$asked[0, 3, 6, 9]), 0, 'the server computed');
	is(scalar(grep { $_->{waiting} < 10e6 || $_->{cpu} > 6e6 } @$asked[1, 4, 7, 10]), 0, 'the server slept');
	is(scalar(grep { $_->{cpu} < 40e6 || $_->{net} <= $asked->[0]{net} } @$asked[2, 5, 8, 11]), 0, 'the server asked another server');
	is(scalar(grep { $_->{unknown} } @$asked), 0, 'nothing of it is unknown');
	my $expected = exchanges_of(data_of("$trace/client"), qr/^10\.9\.1\.1:/, qr/^10\.9\.1\.2:7000$/);
	my $there = data_of("$trace/httpd");
	my @off = grep { my $own = served_for($there, $expected->[$_]); abs($asked->[$_]{served} - $own) > 1 + $own / 500 } 0 .. $#$asked;
	is_deeply(\@off, [], 'the time that the server had it');
	my ($unseen) = grep { !$_->{request}{packets} } @{ ask($trace)->{requests} };
	is($unseen->{served}, undef, 'its begin is missing: the time in the server is unknown');
}

SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '') . '/rpc-loopback';
	skip 'rpc-loopback is not there', 1 unless -d $trace;
	my $switches = switches_of($trace);
	my $asked = ask($trace, '--thread', 'wk-client')->{requests};
	# Requests for which the server computes: the client runs until it waits, the server until it replies.
	my (@got, @expected);
	for my $r (@$asked[2, 4, 6]) {
		my ($waits) = map { $_->[0] } grep { $_->[1] == $r->{tid} && $_->[0] >= $r->{from} } @$switches;
		push @expected, $waits - $r->{from} + ran_for($switches, $r->{peer}{thread}{tid}, $waits, $r->{peer}{to});
		push @got, $r->{cpu};
	}
	is_deeply(\@got, \@expected, 'loopback: CPU time of both');
}

# ---- one host, both ends ----

SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '') . '/rpc-loopback';
	skip 'rpc-loopback is not there', 9 unless -d $trace;
	my $expected = exchanges_of(data_of($trace), qr/^127\.0\.0\.1:(?!7000$)/, qr/^127\.0\.0\.1:7000$/);
	my $asked = ask($trace, '--thread', 'wk-client')->{requests};
	my $served = ask($trace, '--thread', 'wk-server')->{requests};
	is_deeply([map { summary_of_answer($_) } @$asked], [map { summary_of($_) } @$expected], 'loopback: each request');
	is(scalar(grep { $_->{peer}{thread}{name} ne 'wk-server' } @$asked), 0, 'loopback: served by wk-server');
	is(scalar @$served, scalar @$expected, 'loopback: as many served');
	is(scalar(grep { $_->{role} ne 'served' || $_->{peer}{thread}{name} ne 'wk-client' } @$served), 0, 'loopback: for wk-client');

	# A window has the requests that begin in it, uncut.
	my ($a, $b) = @$expected[1, 3];
	my $some = ask($trace, '--thread', 'wk-client', '--from', $a->{from}, '--to', $b->{from} + 1)->{requests};
	is_deeply([map { summary_of_answer($_) } @$some], [map { summary_of($_) } @$expected[1 .. 3]], 'those that begin in the window');
	$some = ask($trace, '--thread', 'wk-client', '--from', $a->{from} + 1, '--to', $b->{from})->{requests};
	is_deeply([map { $_->{from} } @$some], [$expected->[2]{from}], 'none that began before it, nor after');

	my @longest = longest_first(@$asked);
	is_deeply([map { $_->{from} } @{ ask($trace, '--thread', 'wk-client', '--top', 2)->{requests} }], [map { $_->{from} } @longest[0, 1]], '--top: the longest');
	my ($header, @rows) = @{ csv_of(wakepath('requests', $trace, '--thread', 'wk-client', '--format', 'csv')) };
	my @columns = map { my %row; @row{@$header} = @$_; [@row{qw(from to request_bytes reply_bytes peer_name)}] } @rows;
	is_deeply(\@columns, [map { [@$_{qw(from to)}, $_->{request}{bytes}, $_->{reply}{bytes}, $_->{peer}{thread}{name}] } @$asked],
		'CSV says the same');
	like(wakepath('requests', $trace, '--thread', 'wk-client')->{out}, qr/^wk-client\[\d+\]: \Q${\scalar @$asked}\E requests\n.*127\.0\.0\.1:7000/s, 'text');
}
is_deeply(ask(sample('pulse'), '--thread', 'wk-pulse')->{requests}, [], 'a thread without any');
is_deeply(ask(sample('pulse'))->{requests}, [], 'a trace without any');
unlike(wakepath('requests', sample('pulse'), '--thread', 'wk-pulse')->{out}, qr/recorded/, 'packets were recorded: there was no request');
like(wakepath('requests', sample('pulse'))->{out}, qr/^0 requests\n.*\nno packet sent in this time was answered\n\z/, '… it says so');

# ---- packets not recorded ----

SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '') . '/offcpu-stacks';
	skip 'offcpu-stacks is not there', 4 unless -d $trace;
	like(wakepath('requests', $trace, '--thread', 'wk-ioburst')->{out}, qr/: 0 requests\n.*\nrequests are unknown without net_dev_queue and net_if_receive_skb, not recorded/s,
		'missing events are named');
	says(wakepath('requests', $trace), 1, qr/requests are unknown without net_dev_queue and net_if_receive_skb, not recorded on solo$/, '… and there is no answer');
	like(wakepath('requests', $trace)->{out}, qr/^0 requests\n.*\nrequests are unknown without net_dev_queue and net_if_receive_skb, not recorded on solo$/ms, '… of all');
	spew("$ENV{TMPDIR}/script", join "\n", '/', '"wk-ioburst"', 'Enter', '"', "dump $ENV{TMPDIR}/screen", 'q', '');
	wakepath('view', $trace, '--script', "$ENV{TMPDIR}/script");
	like(slurp("$ENV{TMPDIR}/screen"), qr/wk-ioburst\[\d+\]: requests are unknown without net_dev_queue/, '… and so does the screen');
}

done_testing;
