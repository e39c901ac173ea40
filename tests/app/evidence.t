#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A path gives the same events as evidence as its wake-ups do.  tests/oracle/Each/Evidence.pm checks that each is an event of the trace.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# All evidence in the JSON text of the wake-ups, or the path, of a thread, as it is printed there.
sub evidence {
	my ($r) = @_;
	return $r->{out} =~ /(\{"event":"[^"]+","time":\d+,"host":"[^"]*","cpu":\d+,"stream":"[^"]+","packet":\d+,"offset":\d+\})/g;
}

my ($of_path, $of_wakeups) = map { [evidence(wakepath($_, sample('ioburst-ipi'), '--thread', 'wk-ioburst', '--format', 'json'))] } qw(path wakeups);
my %of_wakeups = map { $_ => 1 } @$of_wakeups;
cmp_ok(scalar(grep { $of_wakeups{$_} } @$of_path), '>', 50, 'the path has evidence');

done_testing();
