#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Unusual terminals: too dumb, gone, resized without end, of odd sizes, under another's name; and those that can hold their output.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Pty;
use Wake;
use Test::More;
use Time::HiRes qw(sleep time);

my $trace = sample('pipeline');
my $patience = 30;
my %xterm = (TERM => 'xterm-256color', LC_ALL => 'C.UTF-8', COLORTERM => '', NO_COLOR => '');
delete @ENV{qw(COLORTERM NO_COLOR TMUX)};
delete @xterm{qw(COLORTERM NO_COLOR)};
is(wakepath('index', '--quiet', $trace)->{status}, 0, 'indexed');

# The explorer on a terminal of COLUMNS × ROWS.
sub view {
	my ($columns, $rows, $env, $answers) = @_;
	return pty_start($columns, $rows, { %xterm, %$env }, $answers // {}, $ENV{WAKEPATH}, 'view', '--goto', '+0ns', $trace);
}

# Wait until P shows the trace, on a screen that may be too small to show it: then it repaints on request.  While it opens the trace, Esc and q stop
# it, and no other key has an effect.
sub is_open {
	my ($p) = @_;
	my $paints = sub { return scalar(() = $p->{seen} =~ /\e\[r\e\[m\e\[H\e\[2J/g) };
	for (my $until = time + $patience; $paints->() < 2 && time < $until;) {
		pty_type($p, "\cL") if $paints->();
		pty_read($p, qr/\e\[2J/, 0.2);
	}
}

# Leave the explorer.
sub leave {
	my ($p, $what) = @_;
	pty_type($p, 'Q');
	is(pty_ends($p, $patience), 0, "$what: leaves with 0");
}

# ---- refused ----

for my $kind (['dumb', 'cannot draw'], ['none-such', 'no description'], ['', 'no description'], ['vt52', 'cannot draw']) {
	my ($term, $why) = @$kind;
	my $p = view(80, 24, { TERM => $term });
	my $said = pty_read($p, qr/\n\z/, $patience);
	like($said, qr/\Awakepath: TERM=\Q$term\E: [^\n]*$why[^\n]*\n\z/, "TERM=$term is refused with one line");
	unlike($said, qr/\e/, '… without moving a cursor');
	is(pty_ends($p, $patience), 2, '… and status 2');
}

# A pipe is no terminal: the story as text.
my $story = wakepath($trace);
is($story->{status}, 0, 'no terminal: the story');
unlike($story->{out}, qr/\e/, '… without control characters');

# The explorer in a terminal that answers QUESTION with ANSWER, after some large and small frames.
sub answered {
	my ($question, $answer) = @_;
	my $p = view(200, 60, {}, { $question => $answer });
	pty_read($p, qr/find/, $patience);
	pty_type($p, 'C');
	pty_read($p, qr/Causes|causes/, $patience);
	sleep 0.3;
	pty_type($p, '+');
	pty_read($p, qr/\x00/, 1);
	return $p;
}

# ---- synchronised output ----

my $ask = "\e[?2026\$p";
for my $case (["\e[?2026;2\$y", 1, 'a terminal that can'], ["\e[?2026;0\$y", 0, 'one that knows the question, but cannot'], ['', 0, 'one that says nothing']) {
	my ($answer, $holds, $what) = @$case;
	my $p = answered($ask => $answer);
	like($p->{seen}, qr/\Q$ask\E/, "$what: the terminal is asked");
	my ($on, $off) = map { scalar(() = $p->{seen} =~ /\e\[\?2026$_/g) } 'h', 'l';
	cmp_ok($on, $holds ? '>' : '==', 0, $holds ? '… and holds large frames' : '… and no output is held');
	is($off, $on, '… each to its end');
	leave($p, $what);
	unlike($p->{seen}, qr/has no command/, '… the answer is not taken as a key');
}
# TERM does not show whether REP takes more than ASCII, as tmux' own does not: the position of the cursor afterwards does.
for my $case (["\e[2;8R", 1, 'repeats'], ["\e[2;2R", 0, 'does not repeat'], ['', 0, 'says nothing']) {
	my ($answer, $repeats, $what) = @$case;
	my $p = answered("\e[6n" => $answer);
	my $after = $p->{seen} =~ s/.*\e\[6n//sr;
	($repeats ? \&like : \&unlike)->($after, qr/\e\[\d+b/, "a terminal that $what non-ASCII characters");
	leave($p, $what);
}
my $linux = view(80, 24, { TERM => 'linux' });
pty_read($linux, qr/keys/, $patience);
unlike($linux->{seen}, qr/2026/, 'the console of Linux, which would print part of the question, is not asked');
leave($linux, 'linux');

# ---- sizes ----

for my $size ([20, 5], [1, 1], [500, 200], [80, 1], [3, 100]) {
	my $p = view(@$size, {});
	is_open($p);
	pty_type($p, $_) for 'j', 'l', '+', 'w', 'i', "\e", '?', "\e";
	pty_read($p, qr/\x00/, 0.5);
	pty_type($p, 'Q');
	pty_type($p, 'Q');
	is(pty_ends($p, $patience), 0, "@$size: leaves with 0");
}

# More sizes than can be drawn; only the last one counts.
my $storm = view(80, 24, {});
pty_read($storm, qr/keys/, $patience);
for my $i (1 .. 300) {
	pty_size($storm, 20 + $i * 37 % 480, 5 + $i * 13 % 195);
	pty_type($storm, 'l') if $i % 10 == 0;
	pty_read($storm, qr/\A.+/s, 0.001);
}
pty_size($storm, 100, 30);
pty_read($storm, qr/\x00/, 1.5);
my $last = (split /\e\[2J/, $storm->{seen})[-1];
my ($most) = sort { $b <=> $a } $last =~ /\e\[(\d+);\d+H/g;
cmp_ok($most, '<=', 30, 'after a storm of sizes nothing is drawn outside the last one');
cmp_ok($most, '>=', 29, '… which is filled');
leave($storm, 'a storm of sizes');

# ---- gone ----

for my $index ('there', 'made') {
	my $folder = "$ENV{TMPDIR}/gone-$index";
	my $p = pty_start(80, 24, { %xterm, WAKEPATH_INDEX_DIR => $folder }, {}, $ENV{WAKEPATH}, 'view', $trace);
	pty_read($p, $index eq 'there' ? qr/find/ : qr/\e\[/, $patience);
	pty_close($p);
	my $status = pty_ends($p, $patience);
	ok(defined $status, "the line is lost, the index is $index: the explorer ends");
	my $left = sub { grep { !/lock|\.wpi$|\.wps$/ } glob "'$folder'/* '$folder'/.[!.]*" };
	for (1 .. 100) { last if !$left->(); sleep 0.05 }
	is_deeply([$left->()], [], '… and leaves nothing half-made');
}

done_testing;
