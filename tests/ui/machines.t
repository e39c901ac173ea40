#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The pane of virtual machines: each line of a screen on which all fit, and each bar, against the JSON of `machines` (which tests/oracle compares with
# the raw events); of a host alone, with its guest, of the whole trace and of a window. Where not all parts fit, the first few are shown.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode_utf8);
use Test::More;
binmode $_, ':utf8' for map { Test::More->builder->$_ } qw(output failure_output);

my @both = map { sample('vm-preempt') . "/$_" } qw(host guest);

# A line of the list.
sub line_of {
	my ($text, $time, $of, $count, $worst) = @_;
	return join ' ', duration($time), sprintf('%.1f%%', 100 * $time / ($of || 1)), $count || (), $worst ? duration($worst) : (), $text;
}

# The first few of LINES, or ALL.
sub few {
	my ($all, @lines) = @_;
	return $all || @lines <= 4 ? @lines : (@lines[0 .. 2], 'and ' . (@lines - 3) . ' more');
}

my @states = (['inside', '█'], ['handled', '▞'], ['interrupted', '▌'], ['preempted', '▚'], ['halted', '┈'], ['blocked', '─'], ['asleep, by cause'], ['unknown', '·']);

my $host;	# before names of its threads

sub entry_text {
	my ($e) = @_;
	my $who = defined $e->{tid} ? "$e->{name}\[$e->{tid}]" : $e->{name};
	$who .= " running $e->{guest}/$e->{guest_name}\[$e->{guest_tid}]" if defined $e->{guest_tid};
	return line_of("$e->{kind}: $who", @$e{qw(time)}, $e->{of}, @$e{qw(count worst)});
}

sub halt_text {
	my ($h) = @_;
	return 'no interrupt known' if !defined $h->{vector};
	return ($h->{kind} ? "$h->{kind}, " : '') . "interrupt $h->{vector}" . (!$h->{kind} && defined $h->{tid} ? " of $host$h->{name}\[$h->{tid}]" : '') . ($h->{grade} eq 'inferred' ? ' (inferred)' : '');
}

sub lines_of_vcpu {
	my ($v, $guest, $all) = @_;
	my %time = (%$v, 'asleep, by cause' => $v->{halted} + $v->{blocked});
	my $life = 0;
	$life += $v->{$_} for grep { defined $v->{$_} } map { $_->[0] } @states;
	my %parts = (handled => [map { line_of($_->{reason} // 'reason unknown', $_->{time}, $life, @$_{qw(count worst)}) } @{ $v->{exits} }],
		interrupted => [map { line_of($_->{name}, $_->{time}, $life, @$_{qw(count worst)}) } @{ $v->{interrupts} }],
		halted => [map { line_of(halt_text($_), $_->{time}, $life, @$_{qw(count worst)}) } @{ $v->{halts} }],
		preempted => [map { entry_text({ %$_, of => $life }) } @{ $v->{by} }], 'asleep, by cause' => [map { entry_text({ %$_, of => $life }) } @{ $v->{waits} }]);
	return ("$v->{name}\[$v->{tid}]" . (defined $v->{guest_cpu} ? " is $guest/CPU $v->{guest_cpu}" : ''),
		map { my ($what, $mark) = @$_; $time{$what} ? (line_of($mark ? "$mark $what" : $what, $time{$what}, $life), few($all, @{ $parts{$what} // [] })) : () } @states);
}

sub lines_of_machine {
	my ($m, $hosts, $all) = @_;
	$host = $hosts > 1 ? "$m->{host}/" : '';
	my $n = @{ $m->{vcpus} };
	my @lines = ("$host$m->{name}\[$m->{pid}]" . (defined $m->{guest} ? " runs $m->{guest}" : '') . ": $n virtual CPU" . ($n == 1 ? '' : 's'));
	push @lines, lines_of_vcpu($_, $m->{guest}, $all) for @{ $m->{vcpus} };
	my $lost = defined $m->{guest} ? $m->{all}{'vcpu-preempted'} + $m->{all}{'vcpu-exit'} : 0;
	return @lines if !$lost;
	my $loss = sub {
		my ($text, $l) = @_;
		my ($p, $x) = @$l{qw(vcpu-preempted vcpu-exit)};
		return line_of($text // "$l->{name}\[$l->{tid}]: preempted " . duration($p) . ', exits ' . duration($x), $p + $x, $p + $x + $l->{inside}, 0, $l->{worst});
	};
	return (@lines, $loss->("lost by $m->{guest}", $m->{all}),
		few($all, map { my $l = $_; $l->{name} = 'swapper/0' if $l->{tid} == 0; my $t = $loss->(undef, $l); $l->{tid} == 0 ? $t =~ s/\[0\]//r : $t } grep { $_->{'vcpu-preempted'} + $_->{'vcpu-exit'} } @{ $m->{threads} }));
}

# The title and the lines of the screen, after KEYS, for TRACES opened with ARGS.
sub screen {
	my ($traces, $args, @keys) = @_;
	spew("$ENV{TMPDIR}/keys.script", join "\n", 'size 200 250', @keys, "dump $ENV{TMPDIR}/screen.txt", '');
	my $r = wakepath(@$traces, @$args, '--script', "$ENV{TMPDIR}/keys.script");
	is($r->{status}, 0, 'a screen') or diag($r->{err});
	my @lines = split /\n/, decode_utf8(slurp("$ENV{TMPDIR}/screen.txt"));
	shift @lines while @lines && $lines[0] !~ /^\W+Virtual machines/;
	my ($title, undef, @list) = @lines;
	my ($end) = grep { $list[$_] =~ /^\s*$/ } 0 .. $#list;
	return ($title, @list[0 .. ($end // @list) - 1]);
}

# Checks the bar behind the name of V, in LINE: each state has the columns of its share, in this order.
sub check_bar {
	my ($line, $v) = @_;
	my ($bar) = $line =~ /  ([█▞▌▚┈─·]+)$/ or return fail('there is a bar');
	my %mark;
	my $life = 0;
	for (grep { $_->[1] } @states) { $mark{ $_->[1] } += $v->{ $_->[0] }; $life += $v->{ $_->[0] } }
	my @wrong = map { my $n = () = $bar =~ /$_/g; abs($n - length($bar) * $mark{$_} / $life) > 1 ? "$_: $n of " . length $bar : () } sort keys %mark;
	is(join(', ', @wrong), '', 'the bar has the shares');
	like($bar, qr/^█*▞*▌*▚*┈*─*·*$/, '... in order');
}

sub check {
	my ($title, $traces, $args, $window, $all, @keys) = @_;
	my @machines = @{ json_of(wakepath('machines', @$traces, @$window, '--format', 'json'))->{machines} };
	my ($head, @shown) = screen($traces, $args, @keys, 'V', 'z', $all ? 'c' : ());
	my @want = map { lines_of_machine($_, scalar @$traces, $all) } @machines;
	my @got = map { s/  [█▞▌▚┈─·]+$//r =~ s/\s+/ /gr =~ s/^ | $//gr } @shown;
	is(join("\n", @got), join("\n", @want), "$title: its lines");
	my ($bar) = grep { /KVM\[\d+\].*  [█▞▌▚┈─·]+$/ } @shown;
	check_bar($bar // '', $machines[0]{vcpus}[0]);
	return @want;
}

cmp_ok(scalar(check('host and guest', \@both, [], [], 1)), '>', 100, '... many');
cmp_ok(scalar(check('the first few', \@both, [], [], 0)), '<', 40, '... few');
check('the host alone', [$both[0]], [], [], 1);
my ($stolen) = grep { $_->{state} eq 'vcpu-preempted' && $_->{to} - $_->{from} > 13e6 } @{ json_of(wakepath('states', @both, '--thread', 'guest1/wk-rank0', '--format', 'json'))->{intervals} };
my $room = int(($stolen->{to} - $stolen->{from}) / 4) + 1;
check('a window', \@both, ['--thread', 'guest1/wk-rank0', '--goto', $stolen->{from} + 1000], ['--from', $stolen->{from} - $room, '--to', $stolen->{to} + $room], 1, 's');
my ($none) = screen([sample('pipeline')], [], 'V');
like($none, qr/^\W+Virtual machines/, 'without virtual machines the pane says so');
done_testing;
