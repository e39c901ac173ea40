#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each fuzz target for some seconds (FUZZ_BRIEFLY, 10), where libFuzzer is there to build them.
use strict;
use warnings;
use Test::More;

my $build = $ENV{BUILD} // "$ENV{TOP}/build";
my @programs = grep { -x } map { s/\.c$//r } map { "$build/fuzz/tests/fuzz/" . s!.*/!!r } glob "$ENV{TOP}/tests/fuzz/fuzz_*.c";
plan skip_all => 'clang has no libFuzzer here' unless @programs;

for my $program (@programs) {
	my $name = $program =~ s!.*/!!r;
	my $out = qx("$ENV{TOP}/tests/fuzz/fuzz.sh" @{[$ENV{FUZZ_BRIEFLY} // 10]} "$program" 2>&1);
	ok($? == 0, $name) or diag($out);
	my ($units) = $out =~ /number_of_executed_units: (\d+)/;
	cmp_ok($units // 0, '>', 100, "$name: $units inputs");
}
done_testing;
