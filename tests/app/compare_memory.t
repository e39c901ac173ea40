#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Made requests that differ only in the time that the server takes: the memory that one more costs when very many are compared, while they are found
# and while their paths are walked; and the P of a difference in a step that is equal in all of them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Made;
use POSIX ();
use Time::HiRes ();
use Wake;
use Test::More;

my $program = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# sanitizers take memory of their own
my $once = 1000;	# requests over UDP in one copy of the events; a trace consists of such copies, one after the other
my %tid = (client => 100, server => 200);
my ($client, $server) = (40_000, 7000);	# ports

# ---- requests over UDP, or TCP, of a client on CPU 0 to a server on CPU 1 of the same host ----

Made::packets();
my ($syn, $fin) = (2, 1);	# flags of TCP
my $new_ports = 20_000;	# requests in one copy of the events, if each has its own port; the client has another address in each copy
my $address = "\x7f\xf3\xa5\xc7";

# A trace of N requests, of which every twentieth takes longer: over UDP; or over OWN connections of TCP, each ended before the next one begins; or
# over UDP, each from a port of its own (PORTS).
sub made {
	my ($path, $n, $own, $ports) = @_;
	my $once = $ports ? $new_ports : $own || $once;
	my ($now, $id, @events) = (1_000_000_000, 0);
	my $at = sub { my ($wait, $cpu, @event) = @_; $now += $wait; push @events, [$now, $cpu, @event] };
	my $named = sub { my ($who, $cpu) = @_; return $who ? ($who, $tid{$who}, 20) : ("swapper/$cpu", 0, 20) };
	my $switch = sub { my ($wait, $cpu, $from, $to) = @_; $at->($wait, $cpu, 'sched_switch', $named->($from, $cpu), $from ? 1 : 0, $named->($to, $cpu)) };
	# A packet of BYTES is sent on CPU and received there at once.
	my $packet = sub {
		my ($cpu, $bytes, $seq, $flags, @ports) = @_;
		my ($from, $to) = map { $_ == $server ? "\x7f\0\0\1" : $address } @ports;
		my @layer = $own ? (6, "\x7f\0\0\1", "\x7f\0\0\1", 1, pack 'nnNCnn', @ports, $seq, 5, $flags, 0) : (17, $from, $to, 2, pack 'nnn', @ports, 0);
		my @data = (0xffff0000 + ++$id, 60, 'lo', 1, 4, 5, ($own ? 40 : 28) + $bytes, $id & 0xffff, 0, @layer);
		$at->(2000, $cpu, 'net_dev_queue', @data);
		$at->(1000, $cpu, 'net_if_receive_skb', @data);
	};
	# FROM sends a message that wakes TO, which soon gets the other CPU.
	my $send = sub {
		my ($cpu, $from, $to, @ports) = @_;
		$packet->($cpu, 18, 1001, 0, @ports);
		$at->(1000, $cpu, 'sched_waking', $to, $tid{$to}, 20, 1 - $cpu);
		$switch->(1000, $cpu, $from, '');
		$switch->(2000, 1 - $cpu, '', $to);
	};
	$switch->(0, 0, '', 'client');
	for my $i (1 .. $once) {
		my $client = $own || $ports ? 20_000 + $i : $client;
		$packet->(0, 0, 1000, $syn, $client, $server) if $own;
		$packet->(0, 0, 1000, $syn, $server, $client) if $own;
		$send->(0, 'client', 'server', $client, $server);
		$now += $i % 20 ? 20_000 + 37 * ($i % 1000) : 500_000;
		$send->(1, 'server', 'client', $server, $client);
		$packet->(0, 0, 1019, $fin, $_ ? ($client, $server) : ($server, $client)) for $own ? (0, 1) : ();
		$now += 10_000;
	}
	$switch->(1000, 0, 'client', '');
	return Made::trace($path, { host => 'made', epoch => 1_700_000_000, copies => $n / $once,
		each => $ports && sub { my ($bytes, $copy) = @_; my $own = substr($address, 0, 2) . pack 'n', $copy; return $bytes =~ s/\Q$address\E/$own/gr } }, @events);
}

# ---- the cost ----

# Peak memory without the pages of the index, in bytes, of comparing the requests in TRACE; and their number.
sub peak {
	my ($trace, $set) = @_;
	my ($out, $most, $status) = ("$ENV{TMPDIR}/out", 0);
	my $pid = fork() // die "fork: $!";
	if (!$pid) { open STDOUT, '>', $out; exec $program, 'compare', $trace, '--set', $set, '--format', 'json' or POSIX::_exit(127) }
	while (waitpid($pid, POSIX::WNOHANG()) == 0) {
		my $said = eval { slurp("/proc/$pid/status") } // '';
		my ($now) = $said =~ /^Name:\s+wakepath\n.*^RssAnon:\s*(\d+) kB$/ms;	# at first the process is still Perl
		$most = $now if ($now // 0) > $most;
		Time::HiRes::sleep(0.005);
	}
	is($?, 0, "$set: compared");
	my $j = json_of({ out => slurp($out), err => '' });
	return ($most * 1024, $j->{sets}[0]{count}, $j->{sets}[1]{count});
}

# FEW and MANY requests, over UDP or each with its own connection (OWN: tcp, ports), as SETS.
sub each_of {
	my ($few, $many, $own, $most, @sets) = @_;
	my $how = $own || 'udp';
	my %trace = map { $_ => made("$ENV{TMPDIR}/$how-$_", $_, $how eq 'tcp' && $_, $how eq 'ports') } $few, $many;
	is(wakepath('index', '--quiet', $trace{$few})->{status}, 0, "$how, $few: index");
	is(Wake::run($program, 'index', '--quiet', $trace{$many})->{status}, 0, "$how, $many: index");
	for my $set (@sets) {
		my %peak;
		for my $n ($few, $many) {
			($peak{$n}, my @counts) = peak($trace{$n}, $set);
			is_deeply(\@counts, [$n / 20, $n - $n / 20], "$how, $set: all $n requests are found, and the slow ones");
			cmp_ok($peak{$n}, '>', 1 << 20, '… and their memory was measured');
		}
		my $each = ($peak{$many} - $peak{$few}) / ($many - $few);
		note(sprintf '%s, %s: %d bytes', $how, $set, $each);
		cmp_ok($each, '<=', $most, "$how, $set: at most $most bytes for each") or diag("$few: $peak{$few} bytes, $many: $peak{$many}");
	}
}

each_of(20_000, 80_000, '', 128, 'requests', 'requests:client');
each_of(40_000, 120_000, 'ports', 256, 'requests:client');	# UDP, which has no end of a connection
# In a window, so that the begin of each connection is not searched all the way back.
sub begins { my ($trace, @window) = @_; my (undef, @lines) = split /\n/, wakepath('requests', $trace, '--thread', 'client', @window, '--format', 'csv')->{out}; return [sort map { (split /,/)[1] } @lines] }
my $ports = "$ENV{TMPDIR}/ports-40000";
my $all = begins($ports);
is(scalar @$all, 40_000, 'udp: all requests');
is_deeply(begins($ports, '--from', $all->[$_]), [@$all[$_ .. $#$all]], "… and those from the request $_ on") for 20_000, 30_017;
each_of(10_000, 30_000, 'tcp', 256, 'requests:client');	# more than wakepath remembers after their end; each has a text of its own, by which groups may be made

# Connections that begin anew after they were forgotten.
my (undef, @counts) = peak(made("$ENV{TMPDIR}/anew", 20_000, 10_000), 'requests:client');
is_deeply(\@counts, [1000, 19_000], 'tcp, each connection twice: all are found');

my @ask = ('compare', made("$ENV{TMPDIR}/alike", $once), '--set', 'requests');
my ($same) = grep { $_->{kind} eq 'wait-cpu' && $_->{step}[-1]{name} eq 'server' } @{ json_of(wakepath(@ask, '--format', 'json'))->{rows} };
is_deeply([@$same{qw(p_value min_slow max_slow min_fast max_fast class)}], [1, (2000) x 4, 'noise'], 'the same in all: P is 1');
my ($header, @lines) = @{ csv_of(wakepath(@ask, '--format', 'csv')) };
my ($p, $step) = map { my $name = $_; grep { $header->[$_] eq $name } 0 .. $#$header } qw(p_value step);
is_deeply([map { $_->[$p] } grep { $_->[$step] =~ /server wait-cpu/ } @lines], ['1'], '… in CSV');
like(wakepath(@ask)->{out}, qr/^ *\+0 +0\.0 % +server wait-cpu .* p = 1\.00 +\[noise\]$/m, '… in text');
done_testing;
