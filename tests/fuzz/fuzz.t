#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each fuzz target for some seconds (FUZZ_BRIEFLY, 6).  They are built with libFuzzer (libclang-rt-14-dev), which `make check` installs.
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

# Seeds of another version of the index would be refused at once, and what is behind that never reached.
my ($version) = slurp("$ENV{TOP}/src/index/file/types.h") =~ /#define IDX_FORMAT_VERSION (\d+)/;
my @indexes = glob "$ENV{TOP}/tests/fuzz/corpus/fuzz_index/*";
ok(@indexes > 0, 'indexes to begin with');
is(unpack('V', substr slurp($_), 9, 4), $version, "$_ is of version $version (else: make corpus)") for @indexes;
my $bytes = 0;
$bytes += -s for glob "$ENV{TOP}/tests/fuzz/corpus/*/*";
cmp_ok($bytes, '<', 300_000, "$bytes bytes of seeds");

for my $program (@programs) {
	my $name = $program =~ s!.*/!!r;
	ok(-x $program, "$name was built") or next;
	ok(-d "$ENV{TOP}/tests/fuzz/corpus/$name", "$name has seeds");
	my $out = qx("$ENV{TOP}/tests/fuzz/fuzz.sh" @{[$ENV{FUZZ_BRIEFLY} // 6]} "$program" 2>&1);
	ok($? == 0, $name) or diag($out);
	my ($units) = $out =~ /number_of_executed_units: (\d+)/;
	cmp_ok($units // 0, '>', 100, "$name: $units inputs");
}
done_testing;
