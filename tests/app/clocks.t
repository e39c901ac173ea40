#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# --sync: times shown by other clocks are the hosts' own, converted here; what is refused, and what gives a warning.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Math::BigInt;
use Test::More;

my $trace = sample('rpc-chain');
my @threads = qw(client/wk-client httpd/wk-server db/wk-server);

# ---- a file of clocks: of one host a pace of 200 ppm, of the other two lines ----

my $info = json_of(wakepath('info', $trace, '--sync', 'none', '--format', 'json'));
my %begin = map { $_->{host} => $_->{from} } @{ $info->{traces} };
my $turn = $begin{httpd} + 6_000_000_000;
# t_shown = slope · t + offset: the slopes are 1 + 0.0002 and 1 + 2^-20 as decimals that 62 bits hold.
my %lines = (
	db => [[undef, '1.0001220703125', -309]],				# 1 + 2^-13
	httpd => [[undef, '0.9998779296875', -325], [$turn, '1.00000095367431640625', -324]],	# 1 − 2^-13; 1 + 2^-20, a second ahead
);
my %parts = ('1.0001220703125' => [1, 13], '0.9998779296875' => [-1, 13], '1.00000095367431640625' => [1, 20]);

# The slope counts from the Epoch, so the offset compensates that: at the host's first event the clock is SECONDS ahead.
sub offset_of {
	my ($host, $slope, $seconds) = @_;
	my ($sign, $bits) = @{ $parts{$slope} };
	my $all = Math::BigInt->new($begin{$host})->bmul(-$sign);		# in 2^-bits ns
	$all->badd(Math::BigInt->new($seconds)->bmul(1_000_000_000)->blsft($bits));
	return ($all, $bits);
}

sub decimal {
	my ($value, $bits) = @_;
	my $digits = $value->copy->babs->bmul(Math::BigInt->new(10)->bpow($bits))->brsft($bits)->bstr;	# exact: the decimals have that many bits
	$digits = ('0' x ($bits + 1 - length $digits)) . $digits if length $digits <= $bits;
	return ($value->is_neg ? '-' : '') . substr($digits, 0, -$bits) . '.' . substr($digits, -$bits);
}

sub host_json {
	my ($host) = @_;
	my @all = map {
		my ($from, $slope, $seconds) = @$_;
		sprintf '{"from":%s,"slope":"%s","offset_ns":"%s"}', $from // 'null', $slope, decimal(offset_of($host, $slope, $seconds));
	} @{ $lines{$host} };
	return qq({"host":"$host","lines":[) . join(',', @all) . ']}';
}

my $file = "$ENV{TMPDIR}/clocks.json";
open my $f, '>', $file or die;
print $f '{"reference":"client","hosts":[{"host":"client"},', join(',', map { host_json($_) } qw(db httpd)), ']}';
close $f or die;

# TIME of HOST as wakepath must show it.
sub line_shows {
	my ($host, $line, $time) = @_;
	my ($offset, $bits) = offset_of($host, @$line[1, 2]);
	my ($sign) = @{ $parts{ $line->[1] } };
	my $parts = Math::BigInt->new($time)->bmul($sign)->badd($offset);
	$parts->bdiv(Math::BigInt->new(1)->blsft($bits));			# rounded down
	return $time + $parts->numify;
}
sub show {
	my ($host, $time) = @_;
	return $time if !defined $time || !$lines{$host};
	my ($first, $second) = @{ $lines{$host} };
	return line_shows($host, $first, $time) if !$second;
	my $start = line_shows($host, $second, $second->[0]);
	return $time < $second->[0] ? min2(line_shows($host, $first, $time), $start) : max2(line_shows($host, $second, $time), $start);
}
sub min2 { return $_[0] < $_[1] ? $_[0] : $_[1] }
sub max2 { return $_[0] > $_[1] ? $_[0] : $_[1] }

sub brought { my ($sent, @entries) = @_; shift @entries while @entries > 1 && $entries[0] < $sent; return \@entries }

sub ask { my ($what, $sync, @more) = @_; return json_of(wakepath($what, $trace, '--sync', $sync, @more, '--format', 'json')) }

# ---- info, threads ----

my $shown = ask('info', $file);
for my $i (0 .. $#{ $info->{traces} }) {
	my ($own, $got) = ($info->{traces}[$i], $shown->{traces}[$i]);
	is_deeply([@$got{qw(from to)}], [map { show($own->{host}, $own->{$_}) } qw(from to)], "info: the span of $own->{host}");
}
my ($own_threads, $got_threads) = map { ask('threads', $_)->{threads} } 'none', $file;
my $key = sub { my ($t, $shift) = @_; return join ' ', $t->{host}, $t->{tid}, map { $shift ? show($t->{host}, $_) : $_ } @$t{qw(first last)} };
is_deeply([sort map { $key->($_, 0) } @$got_threads], [sort map { $key->($_, 1) } @$own_threads], 'threads: all their lives');

# ---- states, wake-ups of a thread of each host ----

for my $thread (@threads) {
	my ($host) = split m{/}, $thread;
	my ($own, $got) = map { ask('states', $_, '--thread', $thread)->{intervals} } 'none', $file;
	my @want = grep { $_->{from} < $_->{to} } map { { %$_, from => show($host, $_->{from}), to => show($host, $_->{to}) } } @$own;
	is_deeply($got, \@want, "$thread: " . @want . ' states');

	($own, $got) = map { ask('wakeups', $_, '--thread', $thread)->{wakeups} } 'none', $file;
	is(@$got, @$own, "$thread: " . @$own . ' wake-ups');
	is_deeply([map { [@$_{qw(time ran_at)}] } @$got], [map { [map { show($host, $_) } @$_{qw(time ran_at)}] } @$own], "$thread: when");
	# Once the sending time of a packet is known, no step that began before it can have brought the packet, except the last one, in which it
	# was received.
	my @sent = map { $_->{source}{packet}{sent} // '-Inf' } @$got;
	my @contexts = map { [map { show($host, $_->{entry}) } @{ $_->{source}{context} }] } @$own;
	is_deeply([map { [map { $_->{entry} } @{ $_->{source}{context} }] } @$got],
		[map { brought($sent[$_], @{ $contexts[$_] }) } 0 .. $#contexts], "$thread: contexts");
}

# ---- events: of all hosts by the time shown, those of one host in its order ----

my ($own_events, $got_events) = map { ask('events', $_, '--name', 'net_', '--top', 0)->{events} } 'none', $file;
my %place = (client => 0, db => 1, httpd => 2);
my @want = sort { $a->{time} <=> $b->{time} || $place{ $a->{host} } <=> $place{ $b->{host} } || $a->{rank} <=> $b->{rank} }
	map { { %$_, time => show($_->{host}, $_->{time}) } } @$own_events;
my $line = sub { join ' ', @{ $_[0] }{qw(host rank time name)} };
is_deeply([map { $line->($_) } @$got_events], [map { $line->($_) } @want], 'events: ' . @want . ' of three hosts');

# A window is given in shown times.
my ($from, $to) = ($want[@want / 3]{time}, $want[2 * @want / 3]{time});
is_deeply([map { $line->($_) } @{ ask('events', $file, '--name', 'net_', '--top', 0, '--from', $from, '--to', $to)->{events} }],
	[map { $line->($_) } grep { $_->{time} >= $from && $_->{time} < $to } @want], 'events: a window');

# ---- sync prints the clocks in use, and reads its output back ----

my $printed = "$ENV{TMPDIR}/printed.json";
is(wakepath('sync', $trace, '--sync', $file, '--format', 'json', '-o', $printed)->{status}, 0, 'sync: prints the clocks of a file');
is_deeply(json_of(wakepath('sync', $trace, '--sync', $printed, '--format', 'json')), json_of(wakepath('sync', $trace, '--sync', $file, '--format', 'json')),
	'sync: reads them back');
my %by = map { $_->{host} => $_ } @{ ask('sync', 'none,db=-2.5ms')->{hosts} };
is($by{db}{quality}, 'typed', 'typed: sync says so');
is($by{db}{offset_ns} + 0, -2500000, 'typed: the offset');
is($by{db}{slope} + 0, 1, 'typed: the pace');
is($by{db}{error_ns_max}, undef, 'typed: the error is unknown');
is($by{httpd}{quality}, 'none', 'none: sync says so');
is($by{httpd}{offset_ns}, undef, 'none: no offset');
%by = map { $_->{host} => $_ } @{ ask('sync', 'db=-2.5ms')->{hosts} };
my %auto = map { $_->{host} => $_ } @{ ask('sync', 'auto')->{hosts} };
is($by{httpd}{offset_ns}, $auto{httpd}{offset_ns}, 'typed for one host: the others are found');

# ---- refused in one line ----

for ([2, 'client=1s', 'the clock of client is the reference'], [2, 'nobody=1s', 'no such host; hosts with a clock to set: db, httpd'], [2, 'db=1', 'not a duration'],
	[2, 'db=1s,db=2s', 'set twice'], [2, 'nowhere.json', 'there is no such file'], [2, '', 'there is no such file'], [2, 'db=9223372036s', 'moves its times out of range: type a smaller offset'],
	[3, "$trace/client/metadata", qr/./]) {
	my ($status, $sync, $why) = @$_;
	my $r = wakepath('threads', $trace, '--sync', $sync);
	is($r->{status}, $status, "--sync '$sync': status");
	like($r->{err}, qr/\Awakepath: [^\n]*\n\z/, "--sync '$sync': one line");
	like($r->{err}, ref $why ? $why : qr/\Q$why\E/, "--sync '$sync': why");
}

# ---- warnings: once on standard error, and in info ----

my $r = wakepath('threads', $trace, '--sync', 'httpd=-325s');
my @said = $r->{err} =~ /warning: (\w+): by the clock in use \d+ packets/g;
ok(@said >= 2, "packets too early: said of @said");
my ($of) = grep { $_->{host} eq 'httpd' } @{ ask('info', 'httpd=-325s')->{traces} };
ok((grep { /packets that it sent or received arrive before they were sent/ } @{ $of->{warnings} }), 'packets too early: info warns');
$r = wakepath('threads', $trace);
unlike($r->{err}, qr/arrive before/, 'with the clocks found no packet is too early');

# Two hosts without packets in common: the client, and a copy of another trace.
my $apart = wakepath('threads', "$trace/client", sample('pipeline'));
like($apart->{err}, qr/warning: \S+: has an unrelated clock: no packets in common with other hosts; wakepath moves its start to that of client/, 'apart: said');
my ($alone) = grep { $_->{host} ne 'client' } @{ json_of(wakepath('info', "$trace/client", sample('pipeline'), '--format', 'json'))->{traces} };
ok((grep { /has an unrelated clock/ } @{ $alone->{warnings} }), 'apart: info says so');
unlike(wakepath('threads', "$trace/client", sample('pipeline'), '--sync', 'none')->{err}, qr/unrelated clock/, 'no clocks were requested: no message');
# Minutes away from all others, the host would be invisible: it is shown where the first host starts, with a message, unless each host is to show its
# own times.
my ($first) = json_of(wakepath('info', "$trace/client", '--format', 'json'))->{from};
my ($own) = json_of(wakepath('info', sample('pipeline'), '--format', 'json'))->{from};
is("$alone->{from} $alone->{start_shift_ns}", "$first " . ($first - $own), 'apart: its start is moved to that of the first host, and a message gives the shift');
my ($left) = grep { $_->{host} ne 'client' } @{ json_of(wakepath('info', "$trace/client", sample('pipeline'), '--format', 'json', '--sync', 'none'))->{traces} };
is($left->{from}, $own, 'no clocks were requested: its own times');

done_testing();
