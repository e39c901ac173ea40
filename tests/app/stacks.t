#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Blocked time by stack, counted from babeltrace2's text: the threads switched out not runnable, their stacks, and the times they were woken; symbols
# by an independent search in the kernel's table.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $trace = sample('offcpu-stacks');	# with kallsyms.txt beside it

# ---- the kernel's functions ----

my @functions;
open my $in, '<', "$trace/kallsyms.txt" or die;
while (<$in>) {
	push @functions, [hex $1, $3 . (defined $4 ? "_$4" : '')] if /^([0-9a-f]{16}) ([tTwW]) (\S+)(?:\t(\[\S+\]))?$/ && hex $1;
}
close $in;
{
	my $n = 0;	# of two at one address the last one
	@functions = sort { $a->[0] <=> $b->[0] || $a->[2] <=> $b->[2] } map { [@$_, $n++] } @functions;
}

# A call returns to the address after it: its function is the one that holds the byte before.
my %at;
sub functions_at {
	my ($address) = @_;
	return $at{$address} //= do {
		my ($low, $high) = (0, scalar @functions);
		while ($low < $high) {
			my $middle = int(($low + $high) / 2);
			if ($functions[$middle][0] < $address) { $low = $middle + 1 } else { $high = $middle }
		}
		my $first = $low ? $functions[$low - 1][0] : -1;
		my %names;
		for (my $i = $low - 1; $i >= 0 && $functions[$i][0] == $first; $i--) { $names{$functions[$i][1]} = 1 }
		\%names;
	};
}

# ---- the waits ----

my (%blocked, %time, %count, %stack_of, $end);
open $in, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
while (<$in>) {
	/^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): / or next;
	my ($now, $name) = ("$1$2", $3);
	$end = $now;
	my @stack = map { hex } /callstack_kernel = \[ (.*?) \]/ ? $1 =~ /= 0x([0-9A-F]+)/g : ();
	if ($name eq 'sched_switch' && /prev_comm = "(.*?)", prev_tid = (\d+), prev_prio = -?\d+, prev_state = (\d+)/) {
		$blocked{$2} = [$now, [@stack]] if $2 && ($3 & 255);
	} elsif ($name =~ /^sched_wak(?:ing|eup)$/ && /, tid = (\d+),/ && (my $was = delete $blocked{$1})) {
		my $key = "$1 " . join ' ', @{ $was->[1] };
		$time{$key} += $now - $was->[0];
		$count{$key}++;
	}
}
close $in;

# ---- the program's answer ----

my $r = wakepath('threads', $trace, '--format', 'json');
my ($thread) = grep { $_->{name} eq 'wk-ioburst' } @{ json_of($r)->{threads} };
ok($thread, 'the workload is there');

my $j = json_of(wakepath('stacks', $trace, '--thread', $thread->{tid}, '--format', 'json', '--top', 1000));
is($j->{of}, 'sleeper', 'of threads that slept');
cmp_ok($j->{with}, '>', 10, 'most waits have a stack');

# The raw events of that thread, stack by stack; the tracer's own frames, which come first, are not the kernel's.
my %raw;
for my $key (grep { /^$thread->{tid} / } keys %time) {
	my (undef, @stack) = split / /, $key;
	shift @stack while @stack && grep { /\[lttng_/ } keys %{ functions_at($stack[0]) };
	push @{ $raw{join ' ', @stack} }, [$time{$key}, $count{$key}];
}
my ($raw_time, $raw_count) = (0, 0);
$raw_time += $_->[0], $raw_count += $_->[1] for map { @$_ } values %raw;
my ($time, $count) = (0, 0);
$time += $_->{time}, $count += $_->{count} for @{ $j->{stacks} };
is($count, $raw_count, 'as many waits as in the raw events');
is($time, $raw_time, 'and as long, to the nanosecond');
is($j->{time}, $time, 'which is all of the blocked time');

# Each raw stack is one of the answer, frame by frame.
my $bad = 0;
for my $addresses (keys %raw) {
	my @stack = reverse split / /, $addresses;
	my ($t, $n) = (0, 0);
	$t += $_->[0], $n += $_->[1] for @{ $raw{$addresses} };
	my @same = grep {
		my $f = $_->{frames};
		@$f == @stack && !grep { my $name = $f->[$_]; $name =~ tr/ /_/; !functions_at($stack[$_])->{$name} } 0 .. $#stack
	} @{ $j->{stacks} };
	my $sum = 0;
	$sum += $_->{time} for @same;
	$bad++, diag("$addresses: $t ns") if !@same || $sum < $t;
}
is($bad, 0, 'each raw stack is there, with its names');
ok((grep { join(' ', @{ $_->{frames} }) =~ /__schedule|schedule/ } @{ $j->{stacks} }), 'they end in the scheduler');
ok(!(grep { "@{ $_->{frames} }" =~ /lttng_/ } @{ $j->{stacks} }), 'without the tracer');

# ---- other forms ----

my $folded = wakepath('stacks', $trace, '--thread', $thread->{tid}, '--format', 'folded');
my @lines = split /\n/, $folded->{out};
is(scalar @lines, scalar @{ $j->{stacks} }, 'folded: one line a stack');
is(scalar(grep { !/^wk-ioburst(?:;[^; ]+)* \d+$/ } @lines), 0, 'in the format of flame graphs');
my $sum = 0;
/ (\d+)$/ && ($sum += $1) for @lines;
is($sum, $time, 'and their sum is the same time');

like(wakepath('stacks', $trace, '--thread', $thread->{tid})->{out}, qr/ __schedule < schedule < /, 'the table beside the trace is found');
is(system("gzip -c '$trace/kallsyms.txt' > '$ENV{TMPDIR}/kallsyms.gz'"), 0, 'packed');
is(wakepath('stacks', $trace, '--thread', $thread->{tid}, '--format', 'folded', '--kallsyms', "$ENV{TMPDIR}/kallsyms.gz")->{out}, $folded->{out}, 'a packed file that is named gives the same');
my $bare = copy_trace('offcpu-stacks', 'bare');
unlink "$bare/kallsyms.txt" or die;
like(wakepath('stacks', $bare, '--thread', $thread->{tid})->{out}, qr/0x[0-9a-f]{16}/, 'without symbols there are addresses');

# ---- stacks of wakers ----

# From the raw events: an interrupt's calls are those from its entry on, without those of the code it interrupted.
my (%woken, %on, %since);
open $in, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
while (<$in>) {
	/^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+)/ or next;
	my ($now, $name, $cpu) = ("$1$2", $3, $4);
	if ($name eq 'sched_switch' && /prev_tid = (\d+), prev_prio = -?\d+, prev_state = (\d+).*next_comm = "(.*?)"/) {
		$on{$cpu} = $3;
		$since{$1} = $now if $1 == $thread->{tid} && $2;
	} elsif ($name eq 'sched_waking' && / tid = (\d+),/ && defined(my $was = delete $since{$1})) {
		my @stack = map { (sort keys %{ functions_at(hex) })[0] =~ tr/ /_/r } /callstack_kernel = \[ (.*?) \]/ ? $1 =~ /= 0x([0-9A-F]+)/g : ();
		shift @stack while @stack && $stack[0] =~ /\[lttng_/;
		my ($entry) = grep { $stack[$_] =~ /^asm_(?:sysvec_|common_interrupt$)/ } 0 .. $#stack;
		splice @stack, $entry + 1 if defined $entry;
		my $by = defined $entry ? 'an_interrupt' : $on{$cpu} =~ tr/ /_/r;
		$woken{join ';', 'wk-ioburst', $by, reverse @stack} += $now - $was;
	}
}
close $in;
my %got = map { /^(.*) (\d+)$/ } split /\n/, wakepath('stacks', $trace, '--thread', $thread->{tid}, '--of', 'waker', '--format', 'folded')->{out};
is_deeply(\%got, \%woken, 'the waker, from the entry of the interrupt on, and the time of the sleep');
my $waker = json_of(wakepath('stacks', $trace, '--thread', $thread->{tid}, '--of', 'waker', '--format', 'json'));
is($waker->{of}, 'waker', 'by the stack of the waker');
is_deeply([sort keys %{ { map { $_->{waker} => 1 } @{ $waker->{stacks} } } }], [sort keys %{ { map { (split /;/)[1] =~ tr/_/ /r => 1 } keys %woken } }], 'named');
$waker = json_of(wakepath('stacks', $bare, '--thread', $thread->{tid}, '--of', 'waker', '--format', 'json'));
is(scalar(grep { $_->{waker} !~ /, or an interrupt$/ } @{ $waker->{stacks} }), 0, 'without names the waker may have been an interrupt, as none was recorded');

# ---- errors ----

is(wakepath('stacks', sample('pipeline'), '--thread', 'wk-stage0')->{status}, 1, 'no stacks recorded: no answer');
like(wakepath('stacks', sample('pipeline'))->{err}, qr/^wakepath: no stacks were recorded: lttng add-context/, 'but a command to type');
is(wakepath('stacks', $trace, '--of', 'me')->{status}, 2, 'of whom?');
is(wakepath('stacks', $trace, '--kallsyms', '/nowhere')->{status}, 3, 'no such table');
spew("$ENV{TMPDIR}/zeros", "0000000000000000 T _stext\n" x 3);
like(wakepath('stacks', $trace, '--kallsyms', "$ENV{TMPDIR}/zeros")->{err}, qr/zeros: it has no addresses of functions: copy/, 'hidden addresses give a message');
spew("$ENV{TMPDIR}/short.gz", substr slurp("$ENV{TMPDIR}/kallsyms.gz"), 0, 2000);
is(wakepath('stacks', $trace, '--kallsyms', "$ENV{TMPDIR}/short.gz")->{status}, 3, 'a table cut short');


# A useless table beside the trace: addresses, and the reason.
spew("$bare/kallsyms", "0000000000000000 T _stext\n" x 3);
my $r2 = wakepath('stacks', $bare, '--thread', $thread->{tid});
is($r2->{status}, 0, 'a table of zeros beside the trace');
like($r2->{out}, qr/0x[0-9a-f]{16}/, 'leaves addresses');
like($r2->{err}, qr/kallsyms: it has no addresses of functions: copy/, 'and give a message');

# By the name of the trace's folder.
unlink "$bare/kallsyms" or die;
spew("$bare/kernel.kallsyms", slurp("$trace/kallsyms.txt"));
like(wakepath('stacks', $bare, '--thread', $thread->{tid})->{out}, qr/ __schedule < schedule < /, 'FOLDER.kallsyms');
unlink "$bare/kernel.kallsyms" or die;

# In a table of another boot (here shifted as far as the kernel's text may be moved) everything is elsewhere: no stack ends in the tracer then.
(my $moved = slurp("$trace/kallsyms.txt")) =~ s/^([0-9a-f]+)/sprintf '%016x', hex($1) - 0x30000000/gem;
spew("$bare/kallsyms", $moved);
like(wakepath('stacks', $bare, '--thread', $thread->{tid})->{err}, qr/solo: the kernel's symbols do not fit its stacks: copy/, 'symbols of another boot are told');

is(wakepath('stacks', sample('rpc-chain'), '--kallsyms', "$trace/kallsyms.txt")->{status}, 2, 'one table cannot be that of three hosts');

done_testing();
