#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Without colours, and in ASCII, at 80x24: a sign on the screen belongs to one state or kind only, in the rows of threads, CPUs and interrupts, and in those of
# the critical path.  Roles are known from the map that a script's "attrs" writes of the same screen.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;
use Encode qw(decode_utf8);

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output);
my $tmp = "$ENV{TMPDIR}/signs.$$";
mkdir $tmp;

# The screen after KEYS, and the roles of its cells, each an array of lines.
sub screen_of {
	my ($trace, $options, @keys) = @_;
	spew("$tmp/script", join("\n", 'size 80 24', @keys, "dump $tmp/screen", "attrs $tmp/roles", 'quit') . "\n");
	is(system("$ENV{WAKEPATH} view '" . sample($trace) . "' --index-dir '$tmp/index' $options --script '$tmp/script'"), 0, "$trace $options");
	return map { [split /\n/, decode_utf8(slurp($_))] } "$tmp/screen", "$tmp/roles";
}

# How the roles in PATTERN look: { role => { sign => count } }.
sub signs_of {
	my ($screen, $roles, $pattern) = @_;
	my %signs;
	for my $y (0 .. $#$screen) {
		next if $y > $#$roles || $roles->[$y] eq '';
		my ($text, $map) = ($screen->[$y] . ' ' x 80, $roles->[$y]);
		while ($map =~ /($pattern)/g) { $signs{$1}{ substr $text, pos($map) - 1, 1 }++ }
	}
	return \%signs;
}

# Signs, but those in SHARED, that stand for more than one role.
sub doubtful {
	my ($signs, $shared) = @_;
	my %of;
	for my $role (sort keys %$signs) { $of{ uc $_ }{$role} = 1 for grep { !/$shared/ } keys %{ $signs->{$role} } }
	return join ', ', map { keys %{ $of{$_} } > 1 ? "$_ of @{[sort keys %{ $of{$_} }]}" : () } sort keys %of;
}

# States, and kinds of the critical path, as term_role.h has their letters; lines go on for all waits of a path, and bars beside shares are full.
my ($states, $kinds) = ('[?uyxi12\\-+34_]', '[XYI56DONMLJQU70@=!V]');
my @modes = (['letters', '', 1], ['ascii', '--ascii', 1], ['letters with colours', '', 0, 'A', 'A'], ['ascii with colours', '', 0, 'A']);
my @traces = (['ioburst-ipi', 'wk-ioburst'], ['preempt', 'wk-rt'], ['vm-preempt', 'wk-pulse'], ['rpc-chain', 'wk-client'], ['lockfight', 'wk-fighter1'], ['offcpu-stacks', 'wk-ioburst']);

for my $mode (@modes) {
	my ($name, $options, $no_color, @switch) = @$mode;
	local $ENV{NO_COLOR} = $no_color ? 1 : '';
	my (%seen, %kinds_seen);
	for my $case (@traces) {
		my ($trace, $thread) = @$case;
		for my $keys ([], ['+', '+', '+', '+', '+', '+']) {
			my @start = ('Esc', @switch, "/", split(//, $thread), 'Enter', ']', @$keys);
			my $flow = signs_of(screen_of($trace, $options, @start), $states);
			is(doubtful($flow, qr/^$/), '', "$name: states of $trace @$keys");
			$seen{$_} = 1 for keys %$flow;
			my $path = signs_of(screen_of($trace, $options, @start, 'p', 'z'), $kinds);
			is(doubtful($path, qr/[─\-█#]/), '', "$name: kinds of the path in $trace @$keys");
			$kinds_seen{$_} = 1 for keys %$path;
		}
	}
	is(join('', sort keys %seen), join('', sort split //, '?uyxi12-+34_'), "$name: all states were there");
	cmp_ok(scalar keys %kinds_seen, '>', 8, "$name: kinds");
}
done_testing;
