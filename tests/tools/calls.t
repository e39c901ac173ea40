#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The numbers of system calls (src/model/kernel/calls.c) equal those of the kernel headers of each machine whose headers are installed (packages: calls.sh).
use strict;
use warnings;
use Test::More;

my @machines = qw(x86_64 i386 arm64 arm riscv64 ppc64 s390);
my $script = "$ENV{TOP}/tests/tools/calls.sh";
my @folder = defined $ENV{CALLS_FOLDER} ? $ENV{CALLS_FOLDER} : ();	# where packages are unpacked
sub rows_of { return map { /^\t\{ "(\w+)", \{ (-?\d+(?:, -?\d+){6}) \} \},$/ ? ([ $1, split /, /, $2 ]) : () } @_ }

chomp(my @found = qx('$script' --machines @folder));
plan skip_all => 'no headers of the kernel are installed' if !@found;

my ($path) = split /\n/, qx(find '$ENV{TOP}/src/model' -name 'mdl_calls.c' -o -path '*/model/*' -name 'calls.c');
open my $f, '<', $path or die "$path: $!";
my @table = rows_of(<$f>);
cmp_ok(scalar @table, '>', 400, 'the table has more than 400 calls');
is_deeply([ map { $_->[0] } @table ], [ sort map { $_->[0] } @table ], 'the table is sorted by name');

my %number = map { ($_->[0] => $_) } rows_of(qx('$script' @folder));
for my $m (@found) {
	my ($column) = grep { $machines[$_ - 1] eq $m } 1 .. @machines;
	my %is = map { $number{$_}[$column] >= 0 ? ($_ => $number{$_}[$column]) : () } keys %number;
	my %said = map { $_->[$column] >= 0 ? ($_->[0] => $_->[$column]) : () } @table;
	my ($most) = sort { $b <=> $a } values %said;
	delete @is{ grep { $is{$_} > $most } keys %is };	# calls of a later kernel
	cmp_ok(scalar keys %is, '>', 250, "$m: the headers have more than 250 numbers");
	is_deeply(\%said, \%is, "$m: the table has the numbers of the headers");
}

done_testing;
