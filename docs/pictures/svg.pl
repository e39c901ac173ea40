#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# svg.pl TITLE < SCREEN > PICTURE: a terminal's screen, as "tmux capture-pane -e -p" prints it, as SVG.
#
# Every cell has the same place whatever font the viewer has: runs of text are stretched to the width of their cells, and block
# elements and box drawing are drawn as shapes, so that lines meet.
use strict;
use warnings;
use utf8;
binmode $_, ':utf8' for *STDIN, *STDOUT;

my ($W, $H, $PAD) = (8, 17, 8);		# a cell, and the margin, in px
my ($BACK, $FORE) = ('#14161a', '#d0d0d0');
my @BASE = map { "#$_" } qw(000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff);
my $title = shift // die "usage: svg.pl TITLE < SCREEN > PICTURE\n";
my @shapes;

sub hex_of { return sprintf '#%02x%02x%02x', @_ }

# Colour N of 256.
sub colour {
	my ($n) = @_;
	return $BASE[$n] if $n < 16;
	return hex_of((8 + 10 * ($n - 232)) x 3) if $n >= 232;
	$n -= 16;
	return hex_of(map { $_ ? 55 + 40 * $_ : 0 } int($n / 36), int($n / 6) % 6, $n % 6);
}

# Change the state of the pen by what stands between "ESC [" and "m".
sub set_pen {
	my ($pen, $text) = @_;
	my @n = split /[;:]/, length $text ? $text : '0';
	while (@n) {
		my $n = shift(@n) || 0;
		if ($n == 0) { %$pen = () }
		elsif ($n == 38 || $n == 48) {
			my $c = (shift @n) == 5 ? colour(shift @n) : hex_of(splice @n, 0, 3);
			$pen->{ $n == 38 ? 'fg' : 'bg' } = $c;
		}
		elsif ($n == 39) { delete $pen->{fg} }
		elsif ($n == 49) { delete $pen->{bg} }
		elsif ($n == 22) { delete @$pen{1, 2} }
		elsif ($n >= 23 && $n <= 29) { delete $pen->{ $n - 20 } }
		elsif ($n < 10) { $pen->{$n} = 1 }
		elsif ($n >= 30 && $n <= 37) { $pen->{fg} = $BASE[$n - 30] }
		elsif ($n >= 40 && $n <= 47) { $pen->{bg} = $BASE[$n - 40] }
		elsif ($n >= 90 && $n <= 97) { $pen->{fg} = $BASE[$n - 82] }
		elsif ($n >= 100 && $n <= 107) { $pen->{bg} = $BASE[$n - 92] }
	}
}

# A line of the screen as cells: [character, foreground, background or undef, class].
sub cells {
	my ($line, $pen) = @_;
	my @cells;
	for my $part (split /(\e\[[0-9;:]*m|[\x0e\x0f]|\e\(.)/, $line) {
		if ($part =~ /^\e\[(.*)m$/) { set_pen($pen, $1); next }
		next if $part =~ /^[\e\x0e\x0f]/;
		my ($fg, $bg) = ($pen->{fg} // $FORE, $pen->{bg});
		($fg, $bg) = ($bg // $BACK, $fg) if $pen->{7};
		my $class = join ' ', map { $pen->{$_} ? "a$_" : () } 1 .. 4;
		push @cells, map { [$_, $fg, $bg, $class] } split //, $part;
	}
	return \@cells;
}

sub rect {
	my ($x, $y, $w, $h, $fill, $opacity) = @_;
	push @shapes, sprintf '<rect x="%g" y="%g" width="%g" height="%g" fill="%s"%s/>', $x, $y, $w, $h, $fill, $opacity ? qq( fill-opacity="$opacity") : '';
}

# Box drawing: which of left, right, up, down a character has, 1 a line, 2 two.
my %BOX = ('─' => '1100', '│' => '0011', '┌' => '0101', '┐' => '1001', '└' => '0110', '┘' => '1010', '├' => '0111', '┤' => '1011', '┬' => '1101',
	'┴' => '1110', '┼' => '1111', '═' => '2200', '║' => '0022', '╨' => '1120', '╥' => '1102', '╫' => '1122', '╪' => '2211', '╧' => '2210', '╤' => '2201', '╞' => '0211', '╡' => '2011',
	'╴' => '1000', '╵' => '0010', '╶' => '0100', '╷' => '0001');

sub box {
	my ($x, $y, $lines, $fill) = @_;
	my ($left, $right, $up, $down) = split //, $lines;
	my ($mx, $my) = ($x + $W / 2, $y + $H / 2);
	for my $dir ([$left, 0, $x, $mx], [$right, 0, $mx, $x + $W], [$up, 1, $y, $my], [$down, 1, $my, $y + $H]) {
		my ($n, $vertical, $from, $to) = @$dir;
		for my $off ($n == 2 ? (-1.5, 1.5) : $n == 1 ? (0) : ()) {
			$vertical ? rect($mx + $off - 0.5, $from, 1, $to - $from, $fill) : rect($from, $my + $off - 0.5, $to - $from, 1, $fill);
		}
	}
}

# Draw CHARACTER as shapes; false where it is text.
sub shape {
	my ($c, $x, $y, $fill, $n) = @_;
	my $o = ord $c;
	if ($BOX{$c}) {
		for my $i (0 .. $n - 1) { box($x + $i * $W, $y, $BOX{$c}, $fill) if $c ne '─' }
		rect($x, $y + $H / 2 - 0.5, $n * $W, 1, $fill) if $c eq '─';
	}
	elsif ($o == 0x2580) { rect($x, $y, $n * $W, $H / 2, $fill) }
	elsif ($o >= 0x2581 && $o <= 0x2588) { my $h = $H * ($o - 0x2580) / 8; rect($x, $y + $H - $h, $n * $W, $h, $fill) }
	elsif ($o >= 0x2589 && $o <= 0x258f) { rect($x + $_ * $W, $y, $W * (0x2590 - $o) / 8, $H, $fill) for 0 .. $n - 1 }
	elsif ($o == 0x2590) { rect($x + ($_ + 0.5) * $W, $y, $W / 2, $H, $fill) for 0 .. $n - 1 }
	elsif ($o >= 0x2591 && $o <= 0x2593) { rect($x, $y + 1, $n * $W, $H - 2, $fill, 0.25 * ($o - 0x2590)) }
	elsif ($c eq '■') { rect($x + $_ * $W + 1, $y + $H / 2 - 3, 6, 6, $fill) for 0 .. $n - 1 }
	else { return 0 }
	return 1;
}

sub xml { my ($t) = @_; $t =~ s/&/&amp;/g; $t =~ s/</&lt;/g; $t =~ s/>/&gt;/g; return $t }

sub text {
	my ($x, $y, $t, $fill, $class) = @_;
	push @shapes, sprintf '<text x="%g" y="%g" textLength="%g" fill="%s"%s>%s</text>', $x, $y + $H - 4.5, $W * length $t, $fill, $class ? qq( class="$class") : '', xml($t);
}

# Neighbours of one look go out as one run: backgrounds first, then shapes and text.
sub draw_line {
	my ($cells, $y) = @_;
	for (my ($i, $n) = (0, 0); $i < @$cells; $i += $n) {
		my $bg = $cells->[$i][2] // '';
		for ($n = 1; $i + $n < @$cells && ($cells->[$i + $n][2] // '') eq $bg; ) { $n++ }
		rect($PAD + $i * $W, $y, $n * $W, $H, $bg) if $bg ne '' && $bg ne $BACK;
	}
	for (my ($i, $n) = (0, 0); $i < @$cells; $i += $n) {
		my ($c, $fg, undef, $class) = @{ $cells->[$i] };
		my $same = sub { my $d = $cells->[$_[0]]; $d->[1] eq $fg && $d->[3] eq $class };
		for ($n = 1; $i + $n < @$cells && $cells->[$i + $n][0] eq $c && $same->($i + $n); ) { $n++ }
		next if $c eq ' ' || shape($c, $PAD + $i * $W, $y, $fg, $n);
		for ($n = 1; $i + $n < @$cells && $cells->[$i + $n][0] =~ /^[\x21-\x7e\xa0-\x{24ff}]$/ && $c =~ /^[\x21-\x7e\xa0-\x{24ff}]$/ && $same->($i + $n); ) { $n++ }
		text($PAD + $i * $W, $y, join('', map { $_->[0] } @$cells[$i .. $i + $n - 1]), $fg, $class);
	}
}

my %pen;
my @lines = map { chomp; cells($_, \%pen) } <STDIN>;
my ($columns) = sort { $b <=> $a } map { scalar @$_ } @lines;
die "svg.pl: the screen is empty\n" if !$columns;
draw_line($lines[$_], $PAD + $_ * $H) for 0 .. $#lines;
my ($w, $h) = ($columns * $W + 2 * $PAD, @lines * $H + 2 * $PAD);
print qq(<svg xmlns="http://www.w3.org/2000/svg" width="$w" height="$h" viewBox="0 0 $w $h" role="img">\n<title>), xml($title), "</title>\n";
print "<style>text{font:13.3px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;white-space:pre}.a1{font-weight:bold}.a2{opacity:.6}.a3{font-style:italic}.a4{text-decoration:underline}</style>\n";
print qq(<rect width="$w" height="$h" rx="6" fill="$BACK"/>\n), join("\n", @shapes), "\n</svg>\n";
