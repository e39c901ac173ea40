#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Lists that are parts of panes: the account of a time, the turns on a CPU, the steps of a comparison.  They sort by any column, filter and search as
# all lists; the selected line leads to the place of its row, and a sorted comparison keeps noise and other activity after the steps.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode_utf8);
use Test::More;
binmode $_, ':utf8' for map { Test::More->builder->$_ } qw(output failure_output);

# The screens that KEYS dump on a trace opened with ARGS, by name.
sub play {
	my ($args, @keys) = @_;
	my %screen;
	spew("$ENV{TMPDIR}/script", join "\n", 'size 160 50', (map { /^dump (\w+)$/ ? "dump $ENV{TMPDIR}/screen.$1" : $_ } @keys), 'quit', '');
	my $run = wakepath('view', @$args, '--script', "$ENV{TMPDIR}/script");
	is($run->{status}, 0, "@$args[1 .. $#$args]: no error") or diag $run->{err};
	return map { /^dump (\w+)$/ ? ($1 => decode_utf8(slurp("$ENV{TMPDIR}/screen.$1"))) : () } @keys;
}

# The keys that type LINE as a command.
sub typed { my ($line) = @_; return (':', "\"$line\"", 'Enter') }

# ---- the account: its letters are in the order of time, longest first ----

sub letters { my ($screen) = @_; return join '', $screen =~ /^ ([A-Z])  \S+ +\S.* (?:proved|inferred|unknown)$/mg }

my %s = play([sample('preempt')], 'w', 'Enter', 'dump first', typed('sort time'), 'dump sorted', 'M-o', 'dump reversed', 'u', 'dump undone', typed('filter wk-victim'), 'dump filtered',
	'Esc', 'dump all', '/', '"IRQ"', 'Enter', 'dump found', 'f', 'dump there', typed('columns who share'), 'dump columns');
like letters($s{first}), qr/^ABC[A-Z]*$/, 'an account has its parts in order';
is letters($s{sorted}), letters($s{first}), 'sorted by time they are as at first';
is letters($s{reversed}), reverse(letters($s{first})), '... and the other way around';
is letters($s{undone}), letters($s{first}), '... which is undone';
is letters($s{filtered}), 'A', 'a filter leaves one part';
is letters($s{all}), letters($s{first}), '... until it is left';
my ($irq) = $s{found} =~ /^ ([A-Z]) .*IRQ 236/m;
ok defined $irq, 'a part is found';
unlike $s{there}, qr/^ preempt  \+0\.082453930 s/m, '... and followed: the cursor is elsewhere';
like $s{columns}, qr/^ whose time +share▾?\s*$/m, 'only the chosen columns';

# ---- users of the CPU: turns in order of time, or their sums ----

sub at { my ($screen) = @_; return map { s/ //gr } $screen =~ /^ \S.* +(\+\S+(?: [nµm]?s)?) +[\d.]+ \S+ +(?:\S+ \S+ +)?[\d.]+% .*(?:proved|inferred|unknown)$/mg }

%s = play([sample('preempt'), '--thread', '546'], 'g', '"10:03:35.505"', 'Enter', 'Enter', 'dump turns', typed('sort at'), 'dump late', 'M-o', 'dump early', 'Space', 'dump sums',
	typed('filter hrtimer'), 'dump filtered');
my @turns = at($s{turns});
cmp_ok scalar @turns, '>', 1, 'there were turns';
is_deeply [at($s{late})], [reverse @turns], 'the latest comes first';
is_deeply [at($s{early})], \@turns, '... and last';
like $s{sums}, qr/summed up/, 'their sums';
is scalar(at($s{filtered})), 1, '... of which a filter leaves one';

# ---- a comparison ----

# The classes of the lines, in order: N for the line of all noise, O for the heading of other activity.
sub classes {
	my ($screen) = @_;
	my ($list) = $screen =~ /^ differ by.*?\n(.*)/ms;
	return join ' ', map { / (structure|timing|noise|goes with)\s*$/ ? $1 : /▸ \d+ steps are noise/ ? 'N' : /^\W+Other activity/ ? 'O' : () } split /\n/, $list // '';
}

%s = play([sample('rpc-chain'), '--thread', 'client/wk-client'], '=', 'z', typed('columns difference share step is'), 'dump first', typed('sort share'), 'dump share', 'M-o', 'dump least',
	'Space', 'dump open', 'Space', typed('filter share>1%'), 'dump filtered');
like $s{first}, qr/▸ 17 steps are noise/, 'a comparison';
for my $name (qw(first share least)) {
	like classes($s{$name}), qr/^(?:(?:structure|timing) ){9}N O goes with goes with$/, "$name: noise after the steps, other activity after that";
}
my @share = map { [$s{$_} =~ /^ *[+-]\S+ \S+ +(-?[\d.]+)% .*(?:structure|timing)$/mg] } qw(share least);
is_deeply $share[0], [sort { $b <=> $a } @{ $share[0] }], 'sorted by share';
is_deeply $share[1], [reverse @{ $share[0] }], '... and the other way around';
like classes($s{open}), qr/^(?:(?:structure|timing) ){9}(?:noise ){17}O goes with goes with$/, 'noise line by line, after the steps';
unlike classes($s{filtered}), qr/N|O|goes/, 'a filter applies to all lines';
done_testing;
