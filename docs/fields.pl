#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Writes docs/cli.md anew with the fields of JSON as the columns of src/table describe them: fields.pl PROGRAM < cli.md,
# PROGRAM being build/tests/table/test_columns.  A row of a table of fields can have several of them; its type, heading
# and text are those of its fields.  Fields without a row get one, below the last of their list.  All else stays.
use strict;
use warnings;

my ($program) = @ARGV;
my (%of, %list, @order);
open my $in, '-|', $program, '--fields' or die "$program: $!\n";
while (<$in>) {
	chomp;
	my ($section, $field, $type, $heading, $what) = split /\t/, $_, -1;
	$of{$section}{$field} = { type => $type, heading => $heading, what => $what };
	push @order, [$section, $field];
}
close $in or die "$program failed\n";

# Each text once, in their order.
sub once { my %seen; return grep { length && !$seen{$_}++ } @_ }

sub row {
	my ($section, $columns, @fields) = @_;
	my @all = map { $of{$section}{$_} } @fields;
	my @types = once(map { $_->{type} } @all);
	my @cells = (join(', ', map { "`$_`" } @fields), @types == 1 ? $types[0] : 'number or text');
	push @cells, join ', ', once(map { $_->{heading} } @all) if $columns == 4;
	push @cells, join '; ', once(map { $_->{what} } @all);
	return join('', map { length ? "| $_ " : '| ' } @cells) . "|\n";
}

# The list, or the object of docs/cli.md, to which FIELD belongs.
sub list_of { my ($field) = @_; return $field =~ /^(.*[\].]\.|)/ ? $1 : '' }

my ($section, $columns, %done, @out, %last);
while (<STDIN>) {
	($section, %last) = ($1) if /^### (.+)$/;
	$columns = () = /\|/g if /^\| field \|/;
	my @fields = defined $section && /^\| (`[^|]*`) \|/ ? $1 =~ /`([^`]+)`/g : ();
	my @made = grep { $of{$section}{$_} } @fields;
	push @out, $_ and next if !@made;
	die "cli.md:$.: some of @fields are columns, others are not\n" if @made != @fields;
	push @out, row($section, $columns - 1, @fields);
	$done{$section}{$_} = [$#out, $columns - 1] for @fields;
}
# Those that are missing, behind the last row of their list.
for (@order) {
	my ($at, $field) = @$_;
	next if $done{$at}{$field};
	my @near = sort { $a->[0] <=> $b->[0] } map { list_of($_) eq list_of($field) ? $done{$at}{$_} : () } keys %{ $done{$at} };
	die "cli.md: $at has no field of the list of $field\n" if !@near;
	$out[$near[-1][0]] .= row($at, $near[-1][1], $field);
}
print @out;
