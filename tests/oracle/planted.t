#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The made-up requests with a planted cause: the trace has the events of its truth, and the path of a request is the planted one, to the nanosecond.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use Wake;
use Planted;
use Test::More;

# Neighbours of one kind are joined; the disk of the truth is the device and its interrupt.
sub joined {
	my @all;
	for (@_) {
		my ($who, $what, $ns) = @$_;
		if (@all && $all[-1][0] eq $who && $all[-1][1] eq $what) { $all[-1][2] += $ns } else { push @all, [$who, $what, $ns] }
	}
	return join ' ', map { join ':', @$_ } @all;
}

sub path_of {
	my ($trace, $request) = @_;
	my $r = wakepath('path', $trace, '--thread', 'client', '--from', $request->{from}, '--to', $request->{to}, '--format', 'json');
	return joined(map { my $a = $_->{actor}; [$a->{type} eq 'thread' ? $a->{name} : 'disk', $_->{kind}, $_->{to} - $_->{from}] } @{ json_of($r)->{segments} });
}

for my $i (0 .. $#Planted::CAUSES + 1) {
	my $cause = $Planted::CAUSES[$i] // 'hop';
	my $trace = "$ENV{TMPDIR}/$cause$i";
	my @all = Planted::made($trace, seed => $i, requests => 40, cause => $cause, share => 0.25, $i > $#Planted::CAUSES ? (rounds => 9, ticks => 1) : ());
	is(scalar(grep { $_->{planted} } @all), 10, "$cause: a quarter of the requests have it");
	my ($with) = grep { $_->{planted} } @all;
	my ($without) = grep { !$_->{planted} } @all;
	is(path_of($trace, $_), joined(@{ $_->{path} }), "$cause: the path of " . ($_->{planted} ? 'one with it' : 'one without')) for $with, $without;
	for (@all) { my $sum = 0; $sum += $_->[2] for @{ $_->{path} }; die "request $_->{number}" if $sum != $_->{to} - $_->{from} }
	my @marks = map { /^\[(\d+)\.(\d+)\].*"request (begin|end) (\d+)"/ ? "$4 $3 $1$2" : () } `babeltrace2 --clock-seconds $trace`;
	is_deeply(\@marks, [map { ("$_->{number} begin $_->{from}", "$_->{number} end $_->{to}") } @all], "$cause: the marks are those of the truth");
	my $again = join ' ', map { $_->{to} } Planted::made("$trace.again", seed => $i, requests => 40, cause => $cause, share => 0.25, $i > $#Planted::CAUSES ? (rounds => 9, ticks => 1) : ());
	is($again, join(' ', map { $_->{to} } @all), "$cause: a seed always gives one trace");
}

done_testing();
