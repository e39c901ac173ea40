#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A live session of LTTng: a small relay of the documented protocol (lttng-tools, src/bin/lttng-relayd/lttng-viewer-abi.h; all numbers are big-endian)
# serves the packets of a real trace as if they were being recorded.  The stored files must equal the trace, byte for byte.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Ctf2;
use Wake;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);

my $scratch = $ENV{TMPDIR};
$ENV{XDG_DATA_HOME} = "$scratch/data";
my ($trace) = grep { m{/metadata$} } files_below(sample('lost-events'));
$trace =~ s{/metadata$}{};

# ---- the relay ----

# Packets of each stream: { begin, end, offset, bits, content }.
my @names = sort map { m{/(k_\d+)$} ? $1 : () } files_below($trace);
my %bytes = map { $_ => slurp("$trace/$_") } @names, 'metadata';
my %packets;
for my $name (@names) {
	for (my $at = 0; $at < length $bytes{$name};) {
		my ($begin, $end, $content, $bits) = unpack 'Q<4', substr $bytes{$name}, $at + 32, 32;
		push @{ $packets{$name} }, { begin => $begin, end => $end, offset => $at, bits => $bits, content => $content };
		$at += $bits / 8;
	}
}
my @ends = sort { $a <=> $b } map { $_->{end} } map { @$_ } values %packets;

my %id = (metadata => 7, map { $names[$_] => 100 + $_ } 0 .. $#names);
my %name = reverse %id;

sub stream { return pack 'Q> Q> N a4096 a255', $id{ $_[0] }, 3, $_[0] eq 'metadata', 'solo/live1-20261122/kernel', $_[0] }

sub take {
	my ($socket, $size) = @_;
	my $got = '';
	while (length $got < $size) {
		sysread($socket, $got, $size - length $got, length $got) or exit 0;
	}
	return $got;
}

# Serve one viewer.  A packet is available STEP seconds after the one that ended before it; GONE packets of the first stream after which the relay
# dies.  The second stream is announced only after the first was requested.  SILENT: the relay does not answer the request for a packet, but makes that
# file.
sub serve {
	my ($socket, $step, $gone, $silent) = @_;
	my ($began, $told, $metadata, %next) = (time, 0, 0);
	local $SIG{ALRM} = sub { exit 0 };
	alarm 60;
	while (1) {
		my ($size, $command) = unpack 'Q> N', take($socket, 16);
		my $body = take($socket, $size);
		my $there = int((time - $began) / $step);
		my $now = $ends[$there < @ends ? $there : $#ends];
		my $answer;
		exit 0 if defined $gone && $there >= $gone;
		if ($silent && $command == 4) {
			spew($silent, '');
			take($socket, 1); # until the peer has closed
		}
		if ($command == 1) {
			$answer = pack 'Q> N3', 1, 2, 10, 1;
		} elsif ($command == 2) {
			$answer = pack 'N', 2;
			$answer .= pack 'Q> N3 a64 a255', @$_ for [1, 1000000, 0, 2, 'solo', 'other'], [42, 1000000, 0, 3, 'solo', 'live1'];
		} elsif ($command == 8) {
			$answer = pack 'N', 1;
		} elsif ($command == 3) {
			my ($session, undef, $seek) = unpack 'Q> Q> N', $body;
			die if $session != 42 || $seek != 1;
			$answer = pack('N2', 1, 2) . stream('metadata') . stream($names[0]);
		} elsif ($command == 7) {
			$answer = $told++ ? pack('N2', 2, 0) : pack('N2', 1, $#names) . join '', map { stream($_) } @names[1 .. $#names];
		} elsif ($command == 6) {
			# In two parts.
			my $half = int(length($bytes{metadata}) / 2);
			my $part = $metadata == 0 ? substr($bytes{metadata}, 0, $half) : $metadata == 1 ? substr($bytes{metadata}, $half) : '';
			$metadata++;
			$answer = pack('Q> N', length $part, length $part ? 1 : 2) . $part;
		} elsif ($command == 4) {
			my $stream = $name{ unpack 'Q>', $body };
			my $packet = $packets{$stream}[$next{$stream} // 0];
			my $status = !$packet ? 3 : $packet->{end} <= $now ? 1 : $packet->{begin} > $now ? 5 : 2;
			my @of = $status == 1 ? @$packet{qw(offset bits content begin end)} : (0, 0, 0, 0, $status == 5 ? $now : 0);
			$answer = pack 'Q>7 N2', @of, 0, $id{$stream}, $status, ($metadata < 2 ? 1 : 0) | ($told ? 0 : 2);
		} elsif ($command == 5) {
			my ($stream, $offset, $length) = unpack 'Q> Q> N', $body;
			$stream = $name{$stream};
			$next{$stream}++;
			$answer = pack('N3', 1, $length, 0) . substr $bytes{$stream}, $offset, $length;
		} else {
			die "command $command";
		}
		syswrite($socket, $answer) == length $answer or die;
	}
}

# The relays are killed at the end, whatever happens.
my ($self, @relays) = ($$);
END { kill 'KILL', @relays if $self && $$ == $self && @relays }

# A relay for one viewer after the other; its port and process.
sub relay {
	my ($step, $gone, $silent) = @_;
	my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', Proto => 'tcp') or die;
	my $pid = fork // die;
	if (!$pid) {
		$SIG{CHLD} = 'IGNORE';
		while (my $socket = $server->accept) {
			if (!(fork // die)) {
				close $server;
				serve($socket, $step, $gone, $silent);
			}
			close $socket;
		}
		exit 0;
	}
	push @relays, $pid;
	return ($server->sockport, $pid);
}

sub kept { my %seen; return grep { !$seen{$_}++ } map { m{^(.*)/metadata$} ? $1 : () } files_below("$scratch/data") }

# A relay that sends one byte per second: the program waits for it during the other tests.
my $drips = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', Proto => 'tcp') or die;
my $dripping = fork // die;
if (!$dripping) {
	my $socket = $drips->accept;
	take($socket, 16);
	local $SIG{PIPE} = 'IGNORE';
	for (split //, pack 'Q> N3', 1, 2, 10, 1) {
		syswrite($socket, $_) or last;
		sleep 1;
	}
	exit 0;
}
push @relays, $dripping;
my $began = time;
my $patient = fork // die;
if (!$patient) {
	my $r = wakepath('index', 'net://127.0.0.1:' . $drips->sockport . '/host/solo/live1');
	spew("$scratch/patient", sprintf "%d %.1f %s", $r->{status}, time - $began, $r->{err});
	exit 0;
}
push @relays, $patient;

# ---- the whole session ----

my ($port, $pid) = relay(0.05);
my $said = wakepath('index', "net://127.0.0.1:$port/host/solo/live1");
is($said->{status}, 0, 'it ends with the session') or diag($said->{err});
like($said->{out}, qr{events; .* behind}, 'the amount read is reported');
like($said->{out}, qr{: the session has ended; it is kept in \S+/solo-live1-\d+-\d+$}m, 'the folder of the copy is reported');
my ($folder) = kept();
ok(slurp("$folder/$_") eq $bytes{$_}, "$_ is stored unchanged") for @names, 'metadata';
like(wakepath('index', $folder)->{out}, qr/ is fresh/, 'its index exists');
is(wakepath('verify', $folder)->{status}, 0, 'which is sound');
for my $query (['threads'], ['causes', '--top', 1000], ['latency', '--kind', 'wakeup', '--top', 0], ['events', '--top', 0]) {
	ok(wakepath(@$query, $folder, '--format', 'json')->{out} eq wakepath(@$query, $trace, '--format', 'json')->{out}, "$query->[0] has the answer of the trace");
}

# ---- in the explorer ----

my ($whole) = @{ json_of(wakepath('info', $trace, '--format', 'json'))->{traces} };
spew("$scratch/script", join "\n", 'size 160 24', 'until following,', "dump $scratch/1", 'Home', "until $whole->{events} events", 'until the session has ended', '!', "dump $scratch/2", 'quit', '');
sleep 1.1; # another folder
$said = wakepath("net://127.0.0.1:$port/host/solo/live1", '--script', "$scratch/script");
is($said->{status}, 0, 'the explorer shows it') or diag($said->{err});
my ($first) = slurp("$scratch/1") =~ /(\d+) events/;
cmp_ok($first, '<', $whole->{events}, 'while it is recorded') if defined $first;
like(slurp("$scratch/2"), qr/the session has ended; it is kept in/, 'the end is reported, and the view remains');
kill 'TERM', $pid;
waitpid $pid, 0;

# ---- errors ----

my $wrong = wakepath('index', "net://127.0.0.1:$port/host/solo/live1");
is($wrong->{status}, 3, 'no relay');
like($wrong->{err}, qr/^wakepath: no relay answers at 127\.0\.0\.1:$port: .* is reachable$/, 'no relay: an error');

($port, $pid) = relay(0.05, 12);
$said = wakepath('index', "net://127.0.0.1:$port/host/solo/live1");
like($said->{out}, qr/the relay 127\.0\.0\.1:$port has gone.*; the data until then is kept in (\S+)$/m, 'the relay dies: a message with the place of the data so far');
my ($rest) = $said->{out} =~ /kept in (\S+)$/m;
is($said->{status}, 0, 'the relay goes: there is an index');
ok(substr($bytes{$_}, 0, -s "$rest/$_") eq slurp("$rest/$_"), "the relay dies: $_ is stored up to there") for @names;
cmp_ok(json_of(wakepath('info', $rest, '--format', 'json'))->{traces}[0]{events}, '<', $whole->{events}, 'the relay goes: it opens');

$wrong = wakepath('index', "net://127.0.0.1:$port/host/solo/nosuch");
is($wrong->{status}, 3, 'no such session');
like($wrong->{err}, qr{no session solo/nosuch at 127\.0\.0\.1:$port: there are solo/other, solo/live1}, 'no such session: the message lists the existing ones');
is(wakepath('index', "net://127.0.0.1:$port/solo")->{status}, 2, 'no such URL');
is(wakepath('threads', "net://127.0.0.1:$port/host/solo/live1")->{status}, 2, 'no other command takes such a URL');
kill 'TERM', $pid;
waitpid $pid, 0;

# Another program listens on that port.
my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', Proto => 'tcp') or die;
$pid = fork // die;
if (!$pid) {
	my $socket = $server->accept;
	syswrite $socket, 'HTTP/1.0 400 Bad Request' . "\r\n" x 20;
	sleep 1;
	exit 0;
}
$wrong = wakepath('index', 'net://127.0.0.1:' . $server->sockport . '/host/solo/live1');
is($wrong->{status}, 3, 'no relay of LTTng');
like($wrong->{err}, qr/does not speak LTTng live/, 'no relay of LTTng: the message says so');
waitpid $pid, 0;

# The relay stops answering: a signal ends the program at once.
($port, $pid) = relay(0.05, undef, "$scratch/asked");
for my $signal (qw(INT TERM)) {
	my $program = fork // die;
	if (!$program) {
		open STDERR, '>', '/dev/null';
		open STDOUT, '>', '/dev/null';
		{ exec $ENV{WAKEPATH}, 'index', "net://127.0.0.1:$port/host/solo/live1" }
		exit 127;
	}
	sleep 0.01 until -e "$scratch/asked";
	unlink "$scratch/asked";
	my $sent = time;
	kill $signal, $program;
	waitpid $program, 0;
	cmp_ok(time - $sent, '<', 1, "SIG$signal while the relay is silent: at once");
	is($? & 127, 0, '… with its exit status');
	sleep 1.1; # another folder
}
kill 'TERM', $pid;
waitpid $pid, 0;

# LTTng 2.15 writes CTF 2: only the metadata differ.
$bytes{metadata} = ctf2_text(ctf2_of(tsdl_text($bytes{metadata})));
($port, $pid) = relay(0.02);
my %before = map { $_ => 1 } kept();
$said = wakepath('index', "net://127.0.0.1:$port/host/solo/live1");
is($said->{status}, 0, 'CTF 2: it ends with the session') or diag($said->{err});
($folder) = grep { !$before{$_} } kept();
ok(slurp("$folder/$_") eq $bytes{$_}, "CTF 2: $_ is stored unchanged") for @names, 'metadata';
ok(wakepath('events', '--top', 0, $folder, '--format', 'json')->{out} eq wakepath('events', '--top', 0, $trace, '--format', 'json')->{out}, 'CTF 2: events are those of the trace');
kill 'TERM', $pid;
waitpid $pid, 0;

waitpid $patient, 0;
like(slurp("$scratch/patient"), qr{\A3 1[0-3]\.\d wakepath: the relay 127\.0\.0\.1:\d+ does not answer\n\z}, 'a relay that sends too slowly is given up after the time limit of an answer');

done_testing();
