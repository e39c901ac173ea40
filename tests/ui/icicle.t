#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The icicle: each slice of a screen against the share of blocked time in babeltrace2's text: its column, its width, its text, on three sizes, of one
# thread and of all, from the outermost call on and from the innermost, zoomed, of sleeping threads and of wakers.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(min);
use Test::More;

my $trace = sample('offcpu-stacks');

# ---- the raw events ----

my (@functions, %known);
for (split /\n/, slurp("$trace/kallsyms.txt")) {
	push @functions, [hex $1, $2 . ($3 ? " $3" : '')] if /^([0-9a-f]+) [tTwW] (\S+)(?:\t(\[\S+\]))?$/;
}

# The calling function, for the return address ADDRESS: of several at one place the last.
sub function_of {
	my ($address) = @_;
	return $known{$address} //= do {
		my $name;
		for (@functions) { $name = $_->[1] if $_->[0] < $address }
		$name;
	};
}

# Names of a stack in the text of an event, the outermost first, without the tracer's own.
sub stack_in {
	my @stack = map { function_of(hex) } $_[0] =~ /callstack_kernel = \[ (.*?) \]/ ? $1 =~ /= 0x([0-9A-F]+)/g : ();
	shift @stack while @stack && $stack[0] =~ / \[lttng_/;
	return reverse @stack;
}

my (%since, %name, %on, @waits, $first, $end);
open my $in, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
while (<$in>) {
	/^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+)/ or next;
	my ($now, $event, $cpu) = ("$1$2", $3, $4);
	$first //= $now;
	$end = $now;
	my @stack = stack_in($_);
	if ($event eq 'sched_switch' && /prev_comm = "(.*?)", prev_tid = (\d+), prev_prio = -?\d+, prev_state = (\d+).*next_comm = "(.*?)", next_tid = (\d+)/) {
		$name{$2} = $1, $name{$5} = $on{$cpu} = $4;
		$since{$2} = [$now, @stack] if $2 && ($3 & 0xcf);	# neither exiting (EXIT_DEAD, EXIT_ZOMBIE) nor preempted (TASK_REPORT_MAX)
	} elsif ($event eq 'sched_waking' && / tid = (\d+),/ && (my $was = delete $since{$1})) {
		my @at = grep { $stack[$_] =~ /^(?:asm_sysvec_|asm_common_interrupt$|common_interrupt$)/ } 0 .. $#stack;
		my $waker = @at ? 'an interrupt' : $on{$cpu};
		push @waits, { tid => $1, time => $now - $was->[0], sleeper => [@$was[1 .. $#$was]], waker => [$waker, @stack[(@at ? $at[-1] : 0) .. $#stack]] };
	} elsif ($event eq 'sched_process_exec') {
		$name{$1} = $2 if / tid = (\d+).*filename = ".*?([^\/"]*)"/;
	}
}
close $in;
push @waits, map { { tid => $_, time => $end - $since{$_}[0], sleeper => [@{ $since{$_} }[1 .. $#{ $since{$_} }]], waker => [] } } keys %since;
cmp_ok(scalar @waits, '>', 100, 'waits in the raw events');

# ---- the expected icicle ----

# The path of each wait of %how through the tree, and its time: { path => time }.
sub paths {
	my (%how) = @_;
	my %paths;
	for my $w (@waits) {
		next if $how{tid} && $w->{tid} != $how{tid};
		my @calls = $how{waker} ? @{ $w->{waker} } : @{ $w->{sleeper} };
		@calls = ('[not recorded]') if !@calls;
		my @way = ($name{ $w->{tid} }, @calls);
		@way = reverse @way if $how{reversed};
		$paths{join "\n", @way} += $w->{time};
	}
	return \%paths;
}

# Slices [column, width, text] of each line of a screen WIDE, drawn as described in stacks_draw.c.
sub slices {
	my ($paths, $wide) = @_;
	my %time;
	for my $path (keys %$paths) {
		my @way = split /\n/, $path;
		$time{join "\n", @way[0 .. $_]} += $paths->{$path} for -1 .. $#way;
	}
	my %below;
	push @{ $below{/^(.*)\n/s ? $1 : ''} }, $_ for grep { $_ ne '' } keys %time;
	my @lines;
	my $put;
	$put = sub {
		my ($node, $depth, $start) = @_;
		my ($from, $to) = map { int($_ * $wide / $time{''}) } $start, $start + $time{$node};
		return if $to <= $from;
		push @{ $lines[$depth] }, [$from, $to - $from, $node =~ s/.*\n//sr];
		for (sort { $time{$b} <=> $time{$a} || $a cmp $b } @{ $below{$node} // [] }) {
			$put->($_, $depth + 1, $start);
			$start += $time{$_};
		}
	};
	$put->('', 0, 0);
	$lines[0][0][2] = 'all blocked time';
	return \@lines;
}

# A line in the form of the screen.
sub line_of {
	my ($slices, $wide) = @_;
	my $line = ' ' x $wide;
	for (@$slices) {
		my ($from, $width, $text) = @$_;
		my $room = $width - 1;
		$text = $width <= 3 ? '' : length $text > $room ? substr($text, 0, $room - 1) . '~' : $text;
		substr $line, $from, $width, '|' . $text . ' ' x ($room - length $text);
		substr $line, $from + $width, 1, '|' if $from + $width < $wide;
	}
	return $line =~ s/ +$//r;
}

# ---- the screens ----

my %kinds = (sleeper => {}, reversed => { reversed => 1 }, waker => { waker => 1 }, both => { waker => 1, reversed => 1 });
my ($tid) = map { $_->{tid} } grep { $_->{name} eq 'wk-ioburst' } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
for my $of ('thread', 'all') {
	my @keys = ('I', 'z', $of eq 'all' ? ('r') x 3 : ());
	for my $size ('80 24', '100 40', '200 60') {
		push @keys, "size $size", map { my ($w) = split / /, $size; ("dump sleeper$w", 'Space', "dump reversed$w", 'D', "dump both$w", 'Space', "dump waker$w", 'D') } 1;
	}
	my $dir = "$ENV{TMPDIR}/$of";
	mkdir $dir;
	spew("$dir/script", join '', map { "$_\n" } @keys);
	my $r = Wake::run('sh', '-c', "cd '$dir' && '$ENV{WAKEPATH}' view '$trace' --ascii --show-tracer --thread $tid --script script");
	is($r->{status}, 0, "$of: plays") or diag $r->{err};
	for my $kind (sort keys %kinds) {
		my $paths = paths(%{ $kinds{$kind} }, $of eq 'thread' ? (tid => $tid) : ());
		for my $size ([80, 24], [100, 40], [200, 60]) {
			my ($wide, $high) = @$size;
			my $slices = slices($paths, $wide);
			my @got = split /\n/, slurp("$dir/$kind$wide");
			my ($top) = grep { $got[$_] =~ /^\|all blocked time/ } 0 .. $#got;
			ok(defined $top, "$of, $kind, $wide columns: there is an icicle") or next;
			my $n = min(scalar @$slices, $high - $top - 5);
			is(join("\n", @got[$top .. $top + $n - 1]), join("\n", map { line_of($slices->[$_], $wide) } 0 .. $n - 1), "$of, $kind, $wide columns: each slice where it belongs, $n lines");
		}
	}
}

done_testing();
