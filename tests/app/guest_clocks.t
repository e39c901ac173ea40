#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A guest whose clock had another offset or rate (within what NTP slews two clocks) when it was recorded: states and paths in the clock of its host do
# not change.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my ($host, $guest) = map { sample("vm-preempt/$_") } qw(host guest);
# Rounds that the host's wk-pulse lengthened.
my @windows = ([583, 1795169604_598212785, 1795169604_614885355], [583, 1795169604_634000000, 1795169604_653000000], [583, 1795169604_500000000, 1795169604_800000000]);

# The segments of the path of TID, with their lengths.
sub path {
	my ($traces, $tid, $from, $to) = @_;
	my $path = json_of(wakepath("path", @$traces, '--thread', "guest1/$tid", '--from', $from, '--to', $to, "--format", "json"));
	return map { ["$_->{kind} $_->{actor}{type} " . ($_->{actor}{host} // '') . ' ' . ($_->{actor}{name} // ''), $_->{to} - $_->{from}] } @{$path->{segments}};
}

# The guest with its clock AHEAD s, and PPM too fast.
sub copy {
	my ($ahead, $ppm) = @_;
	my $copy = copy_trace("vm-preempt/guest", "ahead${ahead}ppm$ppm");
	patch("$copy/metadata", sub {
		my $freq = 1000000000 + 1000 * $ppm;
		s/freq = 1000000000;/length $freq == 10 ? "freq = $freq;" : "freq = $freq ;"/e or die 'no frequency';
		s/offset = (\d+);/sprintf 'offset = %s;', $1 + $ahead * 1000000000/e or die 'no offset';
	});
	return $copy;
}

my @is = map { [path([$host, $guest], @$_)] } @windows;
cmp_ok(scalar(grep { $_->[0] =~ /^vcpu-preempted/ } @$_), '>', 0, 'the path has lost time to the host') for @is;
for my $case ([100, 0], [-100, 0], [0, 200], [0, -200], [100, 200], [-100, -200], [37, 63], [0, 350], [10, 600], [-100, -1000]) {
	my $copy = copy(@$case);
	for my $i (0 .. $#windows) {
		my @got = path([$host, $copy], @{$windows[$i]});
		is(join("\n", map { $_->[0] } @got), join("\n", map { $_->[0] } @{$is[$i]}), "@$case: the same steps in window $i");
		my @off = grep { @got == @{$is[$i]} && abs($got[$_][1] - $is[$i][$_][1]) > 2 } 0 .. $#got;
		is("@off", '', '… of the same length, within two nanoseconds');
	}
}
# A typed clock is used, and a warning says if the stays contradict it.
my $said = wakepath('info', $host, $guest, '--sync', 'guest1=-3317.071533495s');
like("$said->{out}$said->{err}", qr/by the clock in use it is up to 1\.00 ms off what its virtual CPUs' time inside the guest shows/, 'a warning gives an error of a millisecond');
$said = wakepath('info', $host, $guest, '--sync', 'guest1=-3317.070533495s');
unlike("$said->{out}$said->{err}", qr/inside the guest shows/, 'a clock within the error gives no warning');

# A guest whose virtual CPU neither the recordings nor the clock give: the warning's numbers are counted again from the raw events.
SKIP: {
	my $untied = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-hostguest';
	skip 'the recording or trace-cmd is not there', 3 if !-d $untied || system('command -v trace-cmd >/dev/null') != 0;
	# [time, name]… of the events in FILE whose line matches OF.
	my $raw = sub { my ($file, $of) = @_; map { /$of/ && /\[\d+\]\s+\S*?(\d+)\.(\d{9}): +(\w+):/ ? ["$1$2", $3] : () } `trace-cmd report -t '$untied/$file' 2>/dev/null` };
	my (@stays, $in);
	for ($raw->('host.dat', qr/-275\s/)) {
		push @stays, [$in, $_->[0]] if defined $in && $_->[1] ne 'kvm_entry';
		$in = $_->[1] eq 'kvm_entry' ? $_->[0] : undef;
	}
	my ($n, $inside, $at) = (0, 0, 0);
	for ($raw->('host-guest.dat', qr/./)) {
		$at++ while $at < @stays && $stays[$at][1] <= $_->[0];
		$inside += $at < @stays && $stays[$at][0] <= $_->[0];
		$n++;
	}
	cmp_ok($n, '>', 10000, 'raw events of the guest');
	my $said = wakepath('machines', $untied, '--format', 'json');
	is(json_of($said)->{machines}[0]{guest}, undef, 'no guest is found to be that machine');
	my ($part) = $said->{err} =~ /it is a guest of h5-x86_64, .* (\d+) % of the changes of its CPU 0 lie in the times of thread 275 inside its guest/;
	cmp_ok(abs(($part // -100) - 100 * $inside / $n), '<', 5, '… and the warning gives the reason, with the numbers of the raw events');
}
done_testing;
