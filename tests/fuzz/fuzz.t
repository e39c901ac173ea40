#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runs each fuzz target for FUZZ_BRIEFLY (6) seconds.  They are built with libFuzzer (libclang-rt-14-dev), which `make check` installs.
use strict;
use warnings;
use Test::More;

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "$path: $!";
	local $/;
	return <$f>;
}

my $build = $ENV{BUILD} // "$ENV{TOP}/build";
my @programs = map { "$build/fuzz/tests/fuzz/" . s!.*/!!r =~ s/\.c$//r } glob "$ENV{TOP}/tests/fuzz/fuzz_*.c";

# The target refuses seeds of another version of the index at once, and would never reach the code behind that check.
my ($version) = slurp("$ENV{TOP}/src/index/file/types.h") =~ /#define IDX_FORMAT_VERSION (\d+)/;
my @indexes = glob "$ENV{TOP}/tests/fuzz/corpus/fuzz_index/*";
ok(@indexes > 0, 'the corpus has indexes');
is(unpack('V', substr slurp($_), 9, 4), $version, "$_ has version $version (else: make corpus)") for @indexes;
my $bytes = 0;
$bytes += -s for glob "$ENV{TOP}/tests/fuzz/corpus/*/*";
cmp_ok($bytes, '<', 300_000, "the corpus is small: $bytes bytes");

for my $program (@programs) {
	my $name = $program =~ s!.*/!!r;
	ok(-x $program, "$name was built") or next;
	ok(-d "$ENV{TOP}/tests/fuzz/corpus/$name", "$name has seeds");
	my $out = qx("$ENV{TOP}/tests/fuzz/fuzz.sh" @{[$ENV{FUZZ_BRIEFLY} // 6]} "$program" 2>&1);
	ok($? == 0, "$name finds no fault") or diag($out);
	my ($units) = $out =~ /number_of_executed_units: (\d+)/;
	cmp_ok($units // 0, '>', 100, "$name runs more than 100 inputs: $units");
}
done_testing;
