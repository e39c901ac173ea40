#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Cells of threads whose quota is used up, at three sizes: each column within a time in which `trace-cmd report` has the thread off its CPU and
# runnable, with no other thread on that CPU, shows the state throttled, and no column in which it runs all the time does.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode_utf8);
use Test::More;

my $trace = ($ENV{SHARED_TRACES} // '') . '/inputs/throttled/trace.dat';
plan skip_all => 'the recording is not at hand, or there is no trace-cmd' if !-f $trace || system('command -v trace-cmd >/dev/null') != 0;

# ---- from the text ----

my ($name, $tid, $begin, $end, $out, $since, @quota, @runs) = ('wk-pipe-main', 608);
for (`trace-cmd report -t '$trace' 2>/dev/null`) {
	my ($time) = /\]\s+(\d+\.\d+): / or next;
	$begin //= $time;
	$end = $time;
	my ($from, $state, $to) = /sched_switch: .*?:(\d+) \[\d+\] (\S+) ==> .*?:(\d+) \[/ or next;
	if ($from == $tid) {
		push @runs, [$since, $time] if defined $since;
		# R, or R+: it was runnable; the idle thread follows
		$out = $state =~ /^R/ && $to == 0 ? $time : undef;
		$since = undef;
	}
	if ($to == $tid) {
		push @quota, [$out, $time] if defined $out && $time - $out > 0.005;
		($out, $since) = (undef, $time);
	}
}
cmp_ok(scalar @quota, '>', 2, 'it was throttled several times with an idle CPU');
cmp_ok(scalar @runs, '>', 5, 'and ran between');

# ---- on the screen ----

my $tmp = "$ENV{TMPDIR}/throttled.$$";
mkdir $tmp;
for my $size ([80, 24], [120, 40], [200, 60]) {
	spew("$tmp/script", join("\n", "size @$size", 'Esc', "dump $tmp/screen", "attrs $tmp/roles", 'quit') . "\n");
	is(system("$ENV{WAKEPATH} view '$trace' --fresh --index-dir '$tmp/index' --script '$tmp/script'"), 0, "size @$size");
	my @screen = split /\n/, decode_utf8(slurp("$tmp/screen"));
	my @roles = split /\n/, slurp("$tmp/roles");
	my ($y) = grep { $screen[$_] =~ /^\s+\Q$name\E\s+$tid/ } 0 .. $#screen;
	my $first = 1 + index $screen[$y], "\x{2502}";
	my $columns = $size->[0] - $first;
	my ($in, $wrong, $ran) = (0, '', 0);
	for my $c (0 .. $columns - 1) {
		my ($from, $to) = map { $begin + ($end - $begin) * $_ / $columns } $c, $c + 1;
		my $is = substr($roles[$y], $first + $c, 1) eq '\\';
		# the timer unthrottles it a little before it runs, and cells begin within a nanosecond of these
		my $stopped = grep { $_->[0] + 1e-6 < $from && $to < $_->[1] - 0.002 } @quota;
		my $runs = grep { $_->[0] < $from && $to < $_->[1] } @runs;
		$in += $stopped;
		$ran += $runs;
		$wrong .= " $c" if ($stopped && !$is) || ($runs && $is);
	}
	is($wrong, '', '… the cells');
	cmp_ok($in, '>', 10, '… many are in such times');
	cmp_ok($ran, '>', 2, '… and some in others');
	like(join("\n", @screen), qr/ throttled? /, '… the legend names it');
}

# A question of J finds the throttled threads. The kernel's own sum for the group is in cpu.stat; each thread waits until it runs again, a little later.
my ($stopped) = slurp($trace =~ s/trace\.dat\z/cpu.stat/r) =~ /^throttled_usec (\d+)/m;
spew("$tmp/script", join("\n", 'size 120 40', 'J', '"throttl"', "dump $tmp/menu", 'Enter', "dump $tmp/screen", 'quit') . "\n");
is(system("$ENV{WAKEPATH} view '$trace' --fresh --index-dir '$tmp/index' --script '$tmp/script'"), 0, 'J');
like(decode_utf8(slurp("$tmp/menu")), qr/^> throttl *\n throttled threads /m, 'the question');
my ($ms) = decode_utf8(slurp("$tmp/screen")) =~ /^ +(\d+) ms .* z throttled +CPU quota/m;
ok(defined $ms && abs($ms - $stopped / 1000) < 0.1 * $stopped / 1000, 'its answer') or diag($ms // 'none', " ms of $stopped us");

done_testing();
