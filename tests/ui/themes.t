#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The colours of the themes, computed: contrast of text and states against their background (WCAG 2.1, 1.4.3 and 1.4.11), also in the selected row, on
# the focused line of a list, in the column of the cursor and in a selected range, states also as terminals with 256 colours show them; and whether
# states that share a glyph remain distinct without green or without red vision (Machado, Oliveira and Fernandes 2009, severity 1).  Distances are
# those of CIE 1976 L*a*b*.
use strict;
use warnings;
use List::Util qw(max min reduce);
use Test::More;

my $top = $ENV{TOP};
my ($text, $state, $apart) = (4.5, 3, 12);
# Lines and empty space: they carry no text.
my %is_decoration = map { $_ => 1 } qw(border bar.empty state.exited);
# Roles never in a row, and those of the row itself.
my $not_in_rows = qr/^(?:header|title|slice|span|row|cursor|selection|found|late)\b/;

sub slurp_of { my ($file) = @_; local (@ARGV, $/) = ("$top/$file"); return <> }

my $source = slurp_of('src/ui/term/term_role.h');
my (@roles, %like);
while ($source =~ /R\((\w+), "([\w.-]+)", (?:'\\?.'|0x\w+), (\w+)\)/g) { push @roles, $2; @like{ $2, "id $1" } = ("id $3", $2) }
cmp_ok(scalar @roles, '>', 70, 'roles');

# The classes and glyphs of states: heights are equal for all that run or are runnable, so that only colour distinguishes these.
my %class;
my $looks = slurp_of('src/ui/widget/looks.c');
while ($looks =~ /\[(?:MDL_ST|QRY_CELL)_(\w+)\] = \{ STATE_(\w+), ([^,]+),/g) { @{ $class{ 'state.' . lc($1 =~ tr/_/-/r) } }{qw(class glyph)} = ($2, $3) }
is(scalar keys %class, scalar(grep { /^state/ } @roles), 'glyphs of all states');

sub share_a_glyph {
	my ($one, $other) = map { $class{$_} } @_;
	return $one->{glyph} eq $other->{glyph} || !grep { $_->{class} !~ /ON_CPU|WANTING/ } $one, $other;
}

# ---- colours ----

sub theme_of {
	my ($name) = @_;
	my %look;
	for (grep { /^[^#\s]/ } split /\n/, slurp_of("themes/$name")) {
		my ($role, @colours) = split;
		$look{$role} = [map { /^(#\w{6})/ ? $1 : undef } @colours[0, 1]];
	}
	return \%look;
}

# Foreground and background of ROLE; the theme has it, or a role that it falls back to.
sub look_of {
	my ($theme, $role) = @_;
	my $like = $like{ $like{$role} };
	my $look = $theme->{$role} // ($like eq $role ? [undef, undef] : look_of($theme, $like));
	return $look;
}

# The linear light of the components of HEX.
sub light_of { my ($hex) = @_; return map { my $v = hex(substr $hex, 1 + 2 * $_, 2) / 255; $v <= 0.04045 ? $v / 12.92 : (($v + 0.055) / 1.055)**2.4 } 0 .. 2 }
sub luminance { my @l = light_of(@_); return 0.2126 * $l[0] + 0.7152 * $l[1] + 0.0722 * $l[2] }
sub contrast { my ($dark, $light) = sort { $a <=> $b } map { luminance($_) } @_; return ($light + 0.05) / ($dark + 0.05) }

my %seen_by = (
	all => [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	'who sees no green' => [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	'who sees no red' => [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
);

sub lab_of {
	my ($hex, $who) = @_;
	my @l = light_of($hex);
	my ($r, $g, $b) = map { my $row = $_; min(1, max(0, $row->[0] * $l[0] + $row->[1] * $l[1] + $row->[2] * $l[2])) } @{ $seen_by{$who} };
	my @f = map { $_ > 0.008856 ? $_**(1 / 3) : 7.787 * $_ + 16 / 116 }
		(0.4124 * $r + 0.3576 * $g + 0.1805 * $b) / 0.95047, 0.2126 * $r + 0.7152 * $g + 0.0722 * $b, (0.0193 * $r + 0.1192 * $g + 0.9505 * $b) / 1.08883;
	return (116 * $f[1] - 16, 500 * ($f[0] - $f[1]), 200 * ($f[1] - $f[2]));
}

sub distance {
	my ($one, $other, $who) = @_;
	my @a = lab_of($one, $who);
	my @b = lab_of($other, $who);
	return sqrt(($a[0] - $b[0])**2 + ($a[1] - $b[1])**2 + ($a[2] - $b[2])**2);
}

# HEX with 256 colours: the nearest, as in term_role.c, from the sixteenth on, which no terminal redefines.
my @shown = map { my $n = $_; [map { $_ ? 55 + 40 * $_ : 0 } int($n / 36), int($n / 6) % 6, $n % 6] } 0 .. 215;
push @shown, map { [(8 + 10 * $_) x 3] } 0 .. 23;

sub of_256 {
	my ($hex) = @_;
	my @rgb = map { hex substr $hex, 1 + 2 * $_, 2 } 0 .. 2;
	my @far = map { 3 * ($rgb[0] - $_->[0])**2 + 4 * ($rgb[1] - $_->[1])**2 + 2 * ($rgb[2] - $_->[2])**2 } @shown;
	return sprintf '#%02x%02x%02x', @{ $shown[reduce { $far[$b] < $far[$a] ? $b : $a } 0 .. $#far] };
}

is(of_256('#1a2870') . of_256('#7c8894'), '#00005f#878787', '256 colours');
is(sprintf('%.1f %.2f', contrast('#000000', '#ffffff'), contrast('#767676', '#ffffff')), '21.0 4.54', 'contrast as WCAG has it');
is(sprintf('%.0f %.0f', distance('#000000', '#ffffff', 'all'), distance('#ff0000', '#ff0000', 'all')), '100 0', 'distances');
cmp_ok(distance('#00a000', '#b07000', 'who sees no green'), '<', distance('#00a000', '#b07000', 'all') / 2, 'who sees no green');

# ---- the themes ----

# The background behind a theme without one of its own, and the text on it.
my %terminal = (dark => ['#d0d0d0', '#1c1c1c'], light => ['#000000', '#ffffff'], 'high-contrast' => ['#ffffff', '#000000']);

for my $name (sort keys %terminal) {
	my $theme = theme_of($name);
	my ($fore, $back) = map { $theme->{text}[$_] // $terminal{$name}[$_] } 0, 1;
	my $colour = sub { my ($role, $which) = @_; look_of($theme, $role)->[$which] // ($fore, $back)[$which] };
	my @low;
	for my $role (grep { !$is_decoration{$_} } @roles) {
		my $has = contrast($colour->($role, 0), $colour->($role, 1));
		push @low, sprintf '%s: %.2f', $role, $has if $has < ($role =~ /^(?:state|path)\./ ? $state : $text);
	}
	is(join(', ', @low), '', "$name: contrast");
	my $is_mark = qr/^(?:state|path)\./;
	for my $over ('', 'row', 'row.time', 'cursor', 'selection') {
		my $behind = $over ? $colour->($over, 1) : $back;
		cmp_ok(distance($behind, $back, 'all'), '>', 5, "$name: $over is visible") if $over;
		my @lost;
		for my $role (grep { !$is_decoration{$_} && !/$not_in_rows/ } @roles) {
			next if $role !~ $is_mark && !$over;	# its own background was checked above
			my @pairs = ([($over ? $theme->{$over}[0] : undef) // $colour->($role, 0), $behind]);	# it may have a text colour of its own
			push @pairs, [map { of_256($_) } @{ $pairs[0] }] if $role =~ $is_mark;
			for (@pairs) {
				my $has = contrast(@$_);
				push @lost, sprintf "%s: $_->[0] $_->[1] %.2f", $role, $has if $has < ($role =~ $is_mark ? $state : $text);
			}
		}
		is(join(', ', @lost), '', "$name: contrast on " . ($over || 'the background'));
	}
	for my $who (sort keys %seen_by) {
		my @states = grep { $class{$_} && !$is_decoration{$_} } @roles;
		my @close;
		for my $i (0 .. $#states) {
			for my $j ($i + 1 .. $#states) {
				my ($one, $other) = @states[$i, $j];
				next if !share_a_glyph($one, $other);
				my $has = distance($colour->($one, 0), $colour->($other, 0), $who);
				push @close, sprintf '%s %s: %.1f', $one, $other, $has if $has < $apart;
			}
		}
		is(join(', ', @close), '', "$name: states for $who");
	}
}
done_testing;
