#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What the explorer writes of a window has the rows that it shows, in their order, and says so.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use JSON::PP;
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/export";
mkdir $dir;

# The screen after KEYS, and the names of rows in what is written then for Perfetto.
sub written {
	my ($args, @keys) = @_;
	unlink glob "$dir/*";
	my @export = map { ('e', 'C-u', qq("$dir/$_"), 'Enter', "dump $dir/said.$_") } 'w.perfetto.json', 'w.svg';
	spew("$dir/script", join "\n", 'size 120 60', @keys, "dump $dir/screen", @export, '');
	my $run = wakepath(@$args, '--script', "$dir/script");
	is($run->{status}, 0, 'played') or diag $run->{err};
	like(slurp("$dir/said.$_"), qr/\n wrote \S+ \(.*\): control flow over .*, \d+ rows\n\z/, "$_: said") for 'w.perfetto.json', 'w.svg';
	my $all = decode_json(slurp("$dir/w.perfetto.json"));
	my @order = map { $_->{args}{name} } grep { $_->{name} eq 'thread_name' } @{ $all->{traceEvents} };
	return (slurp("$dir/screen"), \@order);
}

# TIDs of the threads on SCREEN from above; those of NAMES.
sub shown { my ($screen) = @_; return [$screen =~ /^.[^│\n]*? (\d+)│/mg] }
sub tids { my ($names) = @_; return [map { /\[(\d+)\]/ } @$names] }

my ($screen, $names) = written([sample('preempt'), '--thread', 'wk-victim'], '&', '"wk- sleep|wk"', 'Enter', ('O') x 2);
is_deeply(tids($names), shown($screen), 'a filter and an order: these rows, so');
is(scalar @{ shown($screen) }, 2, '... which are few');
like(slurp("$dir/said.w.svg"), qr/ 2 rows\n\z/, '... of the picture, too');
like(slurp("$dir/w.perfetto.json"), qr/"made_by":"wakepath flow [^"]* # with the rows that the explorer showed"/, '... and it is said that no command line chooses them');

($screen, $names) = written([sample('preempt'), '--thread', 'wk-victim', '--show-tracer'], 'O');
my @sorted = sort { $a <=> $b } @{ shown($screen) };
is_deeply([grep { my $tid = $_; grep { $_ == $tid } @{ shown($screen) } } @{ tids($names) }], \@sorted, 'by TID');
done_testing;
