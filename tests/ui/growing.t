#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Panes on a trace that takes long to measure. The pane of latencies shows the results so far while they grow, and their share, keeps the selection,
# stops on request, and ends with the screen that it has where nothing grew.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode);
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);
my $scratch = $ENV{TMPDIR};
my ($trace, $threads, $rounds) = ("$scratch/long", 4, 150_000);
system("$ENV{TOP}/tests/tools/many_threads", $trace, $threads, $rounds) == 0 or die;
is(wakepath('index', '--quiet', $trace)->{status}, 0, 'indexed');

# Play the lines of SCRIPT; returns all frames, of which the last is the screen at the end.
sub play {
	my ($script) = @_;
	spew("$scratch/script", "size 160 50\n$script");
	unlink "$scratch/frames";
	my $r = wakepath($trace, '--show-tracer', '--script', "$scratch/script");
	is($r->{status}, 0, 'the script plays') or diag $r->{err};
	return split /\f\n/, decode('UTF-8', slurp("$scratch/frames"));
}

sub title { return $_[0] =~ /^\W+(Worst (?:\S+ )?latencies.*)$/m ? $1 : '' }
# The shares on the screen, with their stage.
sub shares { return map { title($_) =~ /\((\d+)% (found|counted)\)/ ? [$1, $2] : () } @_ }
# The lines of the list: rank, latency, when, thread.
sub listed { return map { /^ +(\d+) +(\S+ \S+|0) .*?(\d+\.\d{9} s) +(\S+)/ ? "$2 $3 $4" : () } split /\n/, $_[0] }
# The count in the title.
sub count { return title($_[0]) =~ /  (\d+) (?:wake-ups|cases)/ ? $1 : undef }

# A kind measured for the first time is found first, then counted.
my @first = play("frames $scratch/frames\nw\n");
my @shares = shares(@first);
my %stages = map { $_->[1] => 1 } @shares;
ok($stages{found}, 'cases are shown while they are found');
my ($early) = grep { listed($_) } @first;
like(title($early), qr/\(\d+% (found|counted)\)/, 'the first list is not the whole');
for my $stage (qw(found counted)) {
	my @of = map { $_->[1] eq $stage ? $_->[0] : () } @shares;
	is_deeply(\@of, [sort { $a <=> $b } @of], "the share $stage grows");
}
my @counts = grep { defined } map { count($_) } @first;
is_deeply(\@counts, [sort { $a <=> $b } @counts], 'the number of cases grows');
# Each thread is woken once a round, in the first one by sched_wakeup_new at its fork.
is($counts[-1], $threads * $rounds, 'at the end all of them');
unlike(title($first[-1]), qr/%/, 'then the title has no share');

# All is stored now: the list is there at once, and does not change.
my @again = play("frames $scratch/frames\nw\n");
ok(!(grep { $_->[1] eq 'found' } shares(@again)), 'stored cases are not found again');
is($again[-1], $first[-1], 'the same screen at the end');
my @lists = grep { @$_ } map { [listed($_)] } @again;
is_deeply($_, $lists[-1], 'the list is the last one from the beginning') for $lists[0], $lists[@lists / 2];
my $worst = json_of(wakepath('latency', $trace, '--kind', 'wakeup', '--show-tracer', '--top', 5, '--format', 'json'))->{worst};
is_deeply([map { s/ \d+\.\d{9} s .*//r } @{ $lists[0] }[0 .. 4]], [map { duration($_->{latency}) } @$worst], 'which has all cases');

# A line selected while a kind is measured for the first time stays selected: the second one so far has another rank at the end.
sub forget_cases { unlink glob "$ENV{XDG_CACHE_HOME}/wakepath/*-*-*.wps" }
# On a busy machine all may be found before the key is pressed: then it is played again.
sub play_in_time {
	my ($script, $shows, @screens) = @_;
	for my $try (1 .. 5) {
		forget_cases();
		@screens = play($script);
		last if grep { title($_) =~ $shows } @screens;
	}
	return @screens;
}
# The key is pressed when the list has a second line; the list may grow between that screen and the key, so it is the second of one of the screens.
my @grown = play_in_time("frames $scratch/frames\nw\nuntil    2  \nnow j\nf\ndump $scratch/there\n", qr/\(\d+% found\)/);
my ($begin) = slurp("$scratch/there") =~ /^ long  (\S+ s) /;
my ($seen) = grep { title($_) =~ /\(\d+% found\)/ && ((listed($_))[1] // '') =~ / \Q$begin\E / } @grown;
ok($seen, 'f goes to a case that was second while the list grew');
my ($second) = (listed($seen))[1] =~ /(\d+\.\d{9} s)/;
my ($rank) = $grown[-1] =~ /^ +(\d+) +\S+ \S+ [^+\n]*\Q$second\E/m;
cmp_ok($rank, '>', 2, 'which is not the second at the end');
is((listed($grown[-1]))[1], (listed($seen))[1], 'but on the same line of the screen');

# Cases read from the trace grow, too: calls are the seventh in the list of kinds; each read() has returned except the last of each thread.
my @calls = play("D\nHome\n" . "j\n" x 6 . "frames $scratch/frames\nEnter\n");
ok((grep { listed($_) && title($_) =~ /Worst syscall .*\(\d+% found\)/ } @calls), 'calls are shown while the trace is read');
is(count($calls[-1]), $threads * ($rounds - 1), 'at the end all of them');

# Esc stops it; the results so far stay, and the title says so.
my @stopped = play_in_time("frames $scratch/frames\nw\nuntil    2  \nnow Esc\n", qr/\(stopped: /);
like(title($stopped[-1]), qr/\(stopped: \d+% (found|counted)\)/, 'Esc stops it');
ok(scalar listed($stopped[-1]), 'the list so far is still there');
cmp_ok(count($stopped[-1]), '<', $counts[-1], 'which is not all');

# Closing the pane and opening it again restarts the work.
spew("$scratch/script", "size 160 50\nw\nnow Esc\nw\nw\ndump $scratch/anew\n");
forget_cases();
wakepath($trace, '--show-tracer', '--script', "$scratch/script");
is(decode('UTF-8', slurp("$scratch/anew")), $first[-1], 'opened again it is complete');

# An account is stopped by Esc, too, and complete when opened again: here of the last thread, in the whole trace.
spew("$scratch/script", "size 160 50\nEnd\nB\nnow Esc\ndump $scratch/stopped\nEsc\nB\ndump $scratch/account\n");
wakepath($trace, '--show-tracer', '--script', "$scratch/script");
my ($said, $account) = map { decode('UTF-8', slurp("$scratch/$_")) } qw(stopped account);
like($said, qr/^ stopped: close the pane and open it again to start again$/m, 'an account is stopped');
like($account, qr/^\W+Account of thread-3\[/m, 'it is the same account');
like($account, qr/^ blocked [\d.]+%  running [\d.]+%/m, 'opened again it is complete');

done_testing;
