#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# tests/limits.txt names limits, sources and tests that exist.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

chdir $ENV{TOP} or die;
my %seen;
for (grep { !/^(?:#|$)/ } split /\n/, slurp('tests/limits.txt')) {
	my ($limit, $source, $test, $name, @more) = split / \| /;
	ok(defined $name && !@more, "the line has four columns: $_") or next;
	ok(!$seen{"$limit $source"}++, "$limit of $source is listed once");
	like(-f $source ? slurp($source) : '', qr/\Q$limit\E/, "$source has $limit");
	like(-f $test ? slurp($test) : '', qr/\Q$name\E/, "$test has \"$name\"");
}
cmp_ok(scalar keys %seen, '>', 20, 'there are more than 20 limits');
done_testing;
