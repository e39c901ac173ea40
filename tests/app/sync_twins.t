#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Several traces of one boot of one host have one clock; traces that only share a name are not assumed to.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Math::BigFloat;
use Test::More;

my $rpc = sample('rpc-chain');
my $scratch = $ENV{TMPDIR};

sub sync_of { return json_of(wakepath('sync', @_, '--format', 'json'))->{hosts} }

sub copy {
	my ($name, @how) = @_;
	system("$ENV{TOP}/tests/tools/set_clock", "$rpc/httpd", "$scratch/$name", @how) == 0 or die;
	return "$scratch/$name";
}

# The trace of httpd between two times, written by babeltrace2.
sub cut {
	my ($name, @range) = @_;
	my $out = "$scratch/$name";
	system("babeltrace2 '$rpc/httpd' @range --component=sink.ctf.fs --params='path=\"$out\"' >/dev/null") == 0 or die;
	my ($metadata) = grep { m{/metadata$} } files_below($out);
	return $metadata =~ s{/metadata$}{}r;
}

my ($client, $httpd, $db) = @{ sync_of(map { "$rpc/$_" } qw(client httpd db)) };

# One trace twice, the second time under another name, with a clock that was read 7 s later against the wall clock.
my $all = sync_of((map { "$rpc/$_" } qw(client httpd db)), copy('web', '--host', 'web', '--shift', 7));
my $web = $all->[3];
is("$web->{host} $web->{same_clock_as} $web->{by}", 'web httpd httpd', 'one clock: sync says so');
is($web->{slope}, $httpd->{slope}, 'one clock: the same pace');
is(Math::BigFloat->new($web->{offset_ns}) + Math::BigFloat->new($web->{slope}) * 7_000_000_000, $httpd->{offset_ns}, 'one clock: the difference of its offsets, to the last digit');
is($web->{error_ns_max}, $httpd->{error_ns_max}, 'one clock: no error is added');
is($web->{quality}, $httpd->{quality}, 'one clock: with the same quality');
is(join(' ', map { $_->{violations_after} } @$all), '0 0 0 0', 'one clock: no packet is too early');
is("$all->[$_]{slope} $all->[$_]{offset_ns} $all->[$_]{error_ns_max}", join(' ', @{ [$client, $httpd, $db]->[$_] }{qw(slope offset_ns error_ns_max)}),
	"one clock: $all->[$_]{host} as without it") for 0 .. 2;
like(wakepath('sync', "$rpc/httpd", "$scratch/web")->{out}, qr/^web is of the same boot as httpd: one clock, without error$/m, 'one clock: in the text');
my $pair = sync_of("$rpc/httpd", "$scratch/web");
is("@{ $pair->[1] }{qw(quality slope offset_ns error_ns_max)}", 'accurate 1 -7000000000 0', 'no packets are needed for it');

# Two recordings one after the other.
my @halves = (cut('first', '--end=10:11:16'), cut('second', '--timerange=10:11:16,10:12:00'));
for my $order ([0, 1], [1, 0]) {
	my ($x, $y) = @halves[@$order];
	my $cut = sync_of("$rpc/client", $x, "$rpc/db", $y);
	is($cut->[1]{packets_matched} + $cut->[3]{packets_matched}, $httpd->{packets_matched}, 'halves: all packets');
	cmp_ok($cut->[$_]{packets_matched}, '>', 100, 'halves: each has some') for 1, 3;
	is($cut->[3]{same_clock_as}, 'httpd', 'halves: one clock');
	is("$cut->[$_]{slope} $cut->[$_]{offset_ns}", "$httpd->{slope} $httpd->{offset_ns}", 'halves: the clock is found from both together') for 1, 3;
	is("$cut->[2]{slope} $cut->[2]{offset_ns}", "$db->{slope} $db->{offset_ns}", 'halves: and so is the clock of a host reached through them');
	is(join(' ', map { $_->{violations_after} } @$cut), '0 0 0 0', 'halves: no packet is too early');
}

# Two recordings of one name, of two boots.
my $other = sync_of((map { "$rpc/$_" } qw(client httpd db)), copy('other', '--uuid', '1e56059e-8605-436a-881c-7c34fd2f23e9'));
ok(!defined $other->[3]{same_clock_as}, 'another boot: not one clock');
is($other->[3]{same_name_as}, 'httpd', 'another boot: a message gives the name');
is(join(' ', map { $_->{violations_after} } @$other), '0 0 0 0', 'another boot: its clock is found from packets');
ok(!defined $web->{same_name_as}, 'one clock, another name: not the same name');

# A UUID of zeros is none.
my @none = map { copy("none$_", '--uuid', '00000000-0000-0000-0000-000000000000') } 0, 1;
ok(!defined sync_of(@none)->[1]{same_clock_as}, 'UUID of 0: not one clock');
# One recording twice, in two folders: one host, so that no packet counts twice.
my $again = copy('again');
my $twice = wakepath('threads', "$rpc/httpd", $again);
like($twice->{err}, qr{^wakepath: warning: httpd: \S+: the other chunks of the recording have all of its packets: it can be left out$}m, 'a copy of a recording is named');
is(scalar @{ sync_of("$rpc/httpd", $again) }, 1, 'a copy of a recording is no other host');
# A copy whose clock was read against the wall clock once more.
my $shifted = wakepath('info', "$rpc/httpd", copy('shifted', '--shift', 7));
like($shifted->{out}, qr{: its metadata gives the clock another time of day: times are as \S+ has it$}m, 'another reading of its clock gives a message');

done_testing();
