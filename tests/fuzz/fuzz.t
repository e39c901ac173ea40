#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each fuzz target for some seconds (FUZZ_BRIEFLY, 10).  They are built with libFuzzer (libclang-rt-14-dev), which `make check` installs.
use strict;
use warnings;
use Test::More;

my $build = $ENV{BUILD} // "$ENV{TOP}/build";
my @programs = map { "$build/fuzz/tests/fuzz/" . s!.*/!!r =~ s/\.c$//r } glob "$ENV{TOP}/tests/fuzz/fuzz_*.c";

for my $program (@programs) {
	my $name = $program =~ s!.*/!!r;
	ok(-x $program, "$name was built") or next;
	my $out = qx("$ENV{TOP}/tests/fuzz/fuzz.sh" @{[$ENV{FUZZ_BRIEFLY} // 10]} "$program" 2>&1);
	ok($? == 0, $name) or diag($out);
	my ($units) = $out =~ /number_of_executed_units: (\d+)/;
	cmp_ok($units // 0, '>', 100, "$name: $units inputs");
}
done_testing;
