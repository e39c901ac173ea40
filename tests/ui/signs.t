#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Without colours, and in ASCII, at 80x24: a sign on the screen belongs to one state or kind only, in the rows of threads, CPUs and interrupts and
# those of the critical path together.  Roles come from the map that a script's "attrs" writes of the same screen.
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

# The signs of the roles in PATTERN: { role => { sign => count } }.
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

# Signs that belong to more than one role, except those in SHARED.
sub doubtful {
	my ($signs, $shared) = @_;
	my %of;
	for my $role (sort keys %$signs) { $of{ uc $_ }{$role} = 1 for grep { !/$shared/ } keys %{ $signs->{$role} } }
	return join ', ', map { keys %{ $of{$_} } > 1 ? "$_ of @{[sort keys %{ $of{$_} }]}" : () } sort keys %of;
}

# States, and kinds of the critical path, with their letters from term_role.h; kinds that equal a state have the letter of the state.  Bars beside
# shares are full, and a thin line marks all waits of a path.
my ($states, $kinds) = ('[?uyxi12\\-+34_<>\\\\]', '[XYI56DONMLJQU70@=!V:Z~]');
my %is_state = qw(X x Y y I i 5 1 6 2 7 3 0 4 ! ? : u);
my @modes = (['letters', '', 1], ['ascii', '--ascii', 1], ['letters with colours', '', 0, 'A', 'A'], ['ascii with colours', '', 0, 'A']);
my @traces = (['ioburst-ipi', 'wk-ioburst'], ['ioburst-ipi', 'vdb'], ['preempt', 'wk-rt'], ['vm-preempt', 'wk-pulse'], ['rpc-chain', 'wk-client'], ['lockfight', 'wk-fighter1'],
	['offcpu-stacks', 'wk-ioburst']);

# States in the rows of a screen that the line below leaves out, unless it says where they are explained.
sub left_out {
	my ($screen, $roles) = @_;
	my ($line) = grep { $screen->[$_] =~ /^ \S\S? (?:user|sys|run|irq|interr|wait|pre|in.flight|flight|queue|block|idle|new|unknown)/ && $screen->[$_] !~ /%/ } 0 .. $#$screen or return 'no legend';
	my ($rows, $legend) = map { signs_of(@$_, $states) } [map { [@$_[0 .. $line - 1]] } $screen, $roles], [[$screen->[$line]], [$roles->[$line]]];
	return $screen->[$line] =~ / F3 all$/ ? 'F3' : join ' ', grep { !$legend->{$_} } sort keys %$rows;
}

for my $mode (@modes) {
	my ($name, $options, $no_color, @switch) = @$mode;
	local $ENV{NO_COLOR} = $no_color ? 1 : '';
	my (%seen, %all);
	my $add = sub {
		my ($what, $signs, $shared) = @_;
		is(doubtful($signs, $shared), '', "$name: $what");
		for my $role (keys %$signs) { $seen{$role} = 1; $all{ $is_state{$role} // $role }{$_}++ for grep { !/$shared/ } keys %{ $signs->{$role} } }
	};
	for my $case (@traces) {
		my ($trace, $thread) = @$case;
		for my $keys ([], ['+', '+', '+', '+', '+', '+']) {
			my @start = ('Esc', @switch, "/", split(//, $thread), 'Enter', ']', @$keys);
			my @screen = screen_of($trace, $options, @start);
			$add->("states of $trace @$keys", signs_of(@screen, $states), qr/^$/);
			is(left_out(@screen), '', "$name: the legend of $trace @$keys has all");
			is(left_out(screen_of($trace, $options, @start, 'size 34 24')), 'F3', "$name: on a small screen that of $trace @$keys says where");
			$add->("kinds of the path in $trace @$keys", signs_of(screen_of($trace, $options, @start, 'p', 'z'), $kinds), qr/[─\-█#]/);
		}
	}
	is(join('', sort grep { /$states/ } keys %seen), join('', sort split //, '?uyxi12-+34_<>'), "$name: all states were there");
	cmp_ok(scalar(grep { /$kinds/ } keys %seen), '>', 9, "$name: kinds");
	is(doubtful(\%all, qr/^$/), '', "$name: rows, devices and paths together");
}

# All letters, including those that no sample shows.
my %of;
my ($look, $kind) = map { slurp("$ENV{TOP}/src/$_") } 'ui/widget/looks.c', 'analysis/kind/kind.h';
$of{$2}{$1} = 1 while $look =~ /\[(?:MDL_ST|QRY_CELL)_(\w+)\] = \{ \w+, \w+, '(.)'/g;
$of{ uc $2 }{$1} = 1 while $look =~ /\[(?:ANA_SEG|PATH_LOOK)_(\w+)\] = \{ '(.)'/g;
$of{ uc $2 }{ $1 eq 'UNKNOWN' ? 'BLOCKED' : $1 } = 1 while $kind =~ /X\((\w+), "[\w-]+", '(.)'/g;	# of causes; a path has ? for unknown ones, too
cmp_ok(scalar keys %of, '>', 28, 'letters');
is(join(', ', map { my @names = sort keys %{ $of{$_} }; @names > 1 ? "$_: @names" : () } sort keys %of), '', 'no letter has two meanings');
done_testing;
