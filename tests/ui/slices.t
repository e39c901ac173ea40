#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The names in the slices of CPUs: babeltrace2's text has the named thread on that CPU at the cursor.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode_utf8);
use Test::More;

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output);

my $tmp = "$ENV{TMPDIR}/slices.$$";
mkdir $tmp;

# The switches of a trace: for each CPU [time in ns since the first event, TID of the thread that runs then]; and the names of the thread of each TID.
sub switches_of {
	my ($trace) = @_;
	my (%switches, %names, $start);
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample($trace) or die "babeltrace2: $!";
	while (<$f>) {
		my ($s, $ns) = /^\[(\d+)\.(\d{9})\]/ or next;
		my $time = $s * 1_000_000_000 + $ns;
		$start //= $time;
		my ($cpu, $prev, $prev_tid, $next, $next_tid) = / sched_switch: .*cpu_id = (\d+).* prev_comm = "([^"]*)", prev_tid = (\d+),.* next_comm = "([^"]*)", next_tid = (\d+)/ or next;
		$names{$prev_tid}{$prev} = $names{$next_tid}{$next} = 1;
		push @{ $switches{$cpu} }, [0, $prev_tid] if !$switches{$cpu};
		push @{ $switches{$cpu} }, [$time - $start, $next_tid];
	}
	close $f;
	return (\%switches, \%names);
}

# The text of the slice at COLUMN, of the LINE of a screen whose ROLES are those; '' none.
sub slice_at {
	my ($line, $roles, $column) = @_;
	while ($roles =~ /[%#\$]+/g) {
		my ($from, $to) = ($-[0], $+[0]);
		next if $column < $from || $column >= $to;
		my $end = $from;
		for my $part (split /(?=│)/, substr $line, $from, $to - $from) {
			$end += length $part;
			return $part =~ s/^[│ ]//r =~ s/\s+$//r if $column < $end;
		}
	}
	return '';
}

# Roles that cover names on a screen: a background other than that of a slice.
sub over_names {
	my (@roles) = @_;
	my @over;
	for (@roles) {
		my ($over, $line, $from, $to) = /^over (\S+) line (\d+) columns (\d+)-(\d+)$/ or next;
		push @over, "$over at line $line" if $over ne 'cursor.cell' && substr($roles[$line - 1], $from - 1, $to - $from + 1) =~ /[%#\$]/;
	}
	return join ', ', @over;
}

spew("$tmp/script", join("\n", 'size 120 40', 'Esc', ('+') x 5, ('k') x 40, 'j', 'j', 'v', ('l') x 9, "attrs $tmp/roles", 'quit') . "\n");
is(wakepath('view', sample('pipeline'), '--goto', '+0.43s', '--script', "$tmp/script")->{status}, 0, 'a CPU selected, and a time');
my @roles = split /\n/, decode_utf8(slurp("$tmp/roles"));
like(join("\n", grep { /^over/ } @roles), qr/^over row\.time line 5 .*^over selection/ms, 'both are shown');
like($roles[4], qr/[%#\$]/, 'with names');
is(over_names(@roles), '', 'not over these');

for my $trace (qw(pipeline preempt lockfight)) {
	my ($switches, $names) = switches_of($trace);
	my ($named, @wrong) = (0);
	for my $goto (map { 13_000_000 * $_ } 1 .. 12) {
		spew("$tmp/script", join("\n", 'size 120 40', 'Esc', ('+') x 5, "dump $tmp/screen", "attrs $tmp/roles", 'quit') . "\n");
		is(wakepath('view', sample($trace), '--goto', sprintf('+%.9fs', $goto / 1e9), '--script', "$tmp/script")->{status}, 0, "$trace at $goto ns");
		my ($screen, $roles) = map { [split /\n/, decode_utf8(slurp("$tmp/$_"))] } qw(screen roles);
		my $cursor = index $screen->[1], '▼';
		for my $y (0 .. $#$screen) {
			my ($cpu) = $screen->[$y] =~ /^ *CPU (\d+) *│/ or next;
			my $name = slice_at($screen->[$y], $roles->[$y], $cursor);
			next if $name eq '';
			my ($before) = grep { $_->[0] <= $goto } reverse @{ $switches->{$cpu} };
			$named++;
			my $part = $name =~ s/…$//r;
			my @called = map { "$_\[$before->[1]]" } sort keys %{ $names->{ $before->[1] } };
			push @wrong, "at $goto ns CPU $cpu: $name, not @called" if !grep { $name eq $part ? $_ eq $name : index($_, $part) == 0 } @called;
		}
	}
	is(join("\n", @wrong), '', "$trace: names");
	cmp_ok($named, '>', 3, "$trace: has names");
}
done_testing;
