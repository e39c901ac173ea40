#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clocks saved, edited and read again: the same clocks, with the edited values alone changed, or one line that names host and key.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use JSON::PP ();
use Math::BigFloat;
use POSIX ();
use Test::More;

my $trace = sample('rpc-chain');
my $json = JSON::PP->new->utf8->canonical->allow_bignum;
my $file = "$ENV{TMPDIR}/clocks.json";

is(wakepath('sync', $trace, '--format', 'json', '-o', $file)->{status}, 0, 'clocks are saved');
my $saved = slurp($file);

# ---- given back as they are ----

my $r = wakepath('sync', $trace, '--format', 'json', '--sync', $file);
is($r->{status}, 0, 'read again') or diag($r->{err});
is($r->{out}, $saved, '… they are the same, to the last digit and the last count');
for my $ask (['path', $trace, '--thread', 'client/wk-client', '--format', 'json'], ['threads', $trace, '--format', 'json'],
	     ['wakeups', $trace, '--thread', 'httpd/wk-server', '--format', 'csv']) {
	my ($found, $given) = (wakepath(@$ask), wakepath(@$ask, '--sync', $file));
	ok($found->{status} == 0 && $found->{out} eq $given->{out}, "$ask->[0]: the same answer");
}

# ---- edited ----

sub edited {
	my ($change) = @_;
	my $clocks = $json->decode($saved);
	my %hosts = map { $_->{host} => $_ } @{ $clocks->{hosts} };
	$change->(\%hosts, $clocks);
	spew("$ENV{TMPDIR}/edited.json", $json->encode($clocks));
	return "$ENV{TMPDIR}/edited.json";
}

sub first_of {
	my ($host, $file) = @_;
	my ($t) = grep { $_->{host} eq $host && $_->{name} eq 'wk-server' } @{ json_of(wakepath('threads', $trace, '--sync', $file, '--format', 'json'))->{threads} };
	return $t->{first};
}

my $db = first_of('db', $file);
# Five seconds more, in both places: the host's times move, those of the others stay.
my $later = edited(sub {
	my $h = $_[0]{db};
	$_->{offset_ns} = Math::BigFloat->new($_->{offset_ns})->badd(5_000_000_000)->bstr for $h, $h->{lines}[0];
});
is(first_of('db', $later), $db + 5_000_000_000, 'five seconds more');
is(first_of('httpd', $later), first_of('httpd', $file), '… move no other host');
my ($host) = grep { $_->{host} eq 'db' } @{ json_of(wakepath('sync', $trace, '--sync', $later, '--format', 'json'))->{hosts} };
cmp_ok($host->{error_ns_max}, '>', 4_900_000_000, '… and the clock by packets is still known: five seconds off');
cmp_ok($host->{violations_after}, '>', 100, '… and packets arrive too early');

# Only slope and offset are needed.
my $short = edited(sub { %{ $_[0]{db} } = map { $_ => $_[0]{db}{$_} } qw(host slope offset_ns) });
is(first_of('db', $short), $db, 'only slope and offset: the same times');
($host) = grep { $_->{host} eq 'db' } @{ json_of(wakepath('sync', $trace, '--sync', $short, '--format', 'json'))->{hosts} };
is("$host->{quality} " . ($host->{error_ns_max} // 'unknown'), 'typed unknown', '… a clock that a person gave, without an error bound');

# A host that the file leaves out stands apart.
my $without = edited(sub { @{ $_[1]{hosts} } = grep { $_->{host} ne 'db' } @{ $_[1]{hosts} } });
($host) = grep { $_->{host} eq 'db' } @{ json_of(wakepath('sync', $trace, '--sync', $without, '--format', 'json'))->{hosts} };
ok(!defined $host->{slope}, 'a host left out stands apart');
is_deeply([@{$host}{qw(quality packets_matched violations_before)}],
	  ['none', map { $_->{packets_matched}, $_->{violations_before} } grep { $_->{host} eq 'db' } @{ $json->decode($saved)->{hosts} }], '… its packets are still there');
$r = wakepath('sync', $trace, '--sync', $without);
like($r->{out}, qr/^db has an unrelated clock: no clock was given for it$/m, '… with a message');
unlike($r->{out}, qr/db has no packets/, '… and no other about its packets');
like($r->{err}, qr/warning: db: has an unrelated clock: no clock was given for it/, '… also without --sync');

# ---- got wrong ----

for my $wrong (
	[sub { $_[0]{db}{offset_ns} = '1' }, qr/clock of db: "offset_ns" differs from the first of "lines"/, 'one of two places edited'],
	[sub { $_[0]{db}{slope} = '1' }, qr/clock of db: "slope" differs from the first of "lines"/, 'the other'],
	[sub { $_[0]{db}{lines}[0]{slope} = 'fast' }, qr/clock of db: "slope" is not a decimal number/, 'no number'],
	[sub { $_[0]{db}{lines}[0]{slope} = 1.5 }, qr/clock of db: "slope" is not text in quotes/, 'a number without quotes'],
	[sub { $_[0]{db}{host} = "da\e[31mtabase" }, qr/clock of da[^\e]+\[31mtabase: "host" is not in this experiment/, 'an unknown host'],
	[sub { $_[0]{db}{host} = 'x' x 1e6 }, qr/clock of x{100}: "host" is not in this experiment/, 'a name of a million letters'],
	[sub { $_[0]{httpd}{by} = 'db' }, qr/clock of (db|httpd): "by" leads in a circle/, 'hosts that lead to each other'],
	[sub { $_[1]{reference} = 'httpd' }, qr/"reference" is httpd, but the first trace is of client/, 'another reference'],
	[sub { delete $_[1]{hosts} }, qr/"hosts" is missing/, 'no hosts'],
	[sub { $_[0]{db}{bounds}[0]{low} = [] }, qr/clock of db: "bounds" contradict/, 'bounds without points'],
) {
	my ($change, $pattern, $name) = @$wrong;
	says(wakepath('sync', $trace, '--sync', edited($change)), 3, $pattern, $name);
}
for my $bytes (['', 'nothing'], ["\0\xff\e]0;x\a", 'bytes'], ['[' x 1e6, 'a million brackets'], ['{"hosts":' . '9' x 1e6 . '}', 'a million digits'],
	       [substr($saved, 0, 900), 'the first half'], [$saved . $saved, 'twice the same']) {
	spew("$ENV{TMPDIR}/odd.json", $bytes->[0]);
	my $r = wakepath('sync', $trace, '--sync', "$ENV{TMPDIR}/odd.json");
	says($r, 3, qr/odd\.json: /, $bytes->[1]);
	unlike($r->{err}, qr/[\x00-\x09\x0b-\x1f\x7f]/, "$bytes->[1]: no control characters");
}

# ---- no file of clocks at all, or not a regular one ----

mkdir "$ENV{TMPDIR}/folder";
POSIX::mkfifo("$ENV{TMPDIR}/fifo", 0600) or die "mkfifo: $!";
says(wakepath('sync', $trace, '--sync', "$ENV{TMPDIR}/folder"), 3, qr/cannot read the file of clocks .*folder: Is a directory/, 'a folder');
says(wakepath('sync', $trace, '--sync', '/dev/zero'), 3, qr{/dev/zero: this is not a file of clocks: it is larger than 64.0 MiB}, 'a file without an end');
says(wakepath('sync', $trace, '--sync', "$ENV{TMPDIR}/fifo"), 3, qr/fifo: this is not a file of clocks: nobody writes to this pipe/, 'a FIFO that nobody writes to');
$r = Wake::run('sh', '-c', '{ sleep 0.2; cat "$1"; } | "$WAKEPATH" sync "$2" --format json --sync /dev/stdin', 'sh', $file, $trace);
ok($r->{status} == 0 && $r->{out} eq $saved, 'a pipe gives the same clocks');

done_testing();
