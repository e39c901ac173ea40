#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The content of an argument decides its kind; one trace of a folder that cannot be read does not prevent reading the others; an event without fields
# is valid JSON; a count of one has the singular.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use File::Copy qw(copy);
use Ftrace;
use PerfData;
use Wake;
use Test::More;

my $tmp = $ENV{TMPDIR};
my @task = ([ 'char', 'comm[16]' ], [ 'pid_t', 'pid' ], [ 'int', 'prio' ]);
my @formats = (
	[ sched => 'sched_switch', [ [ 'char', 'prev_comm[16]' ], [ 'pid_t', 'prev_pid' ], [ 'int', 'prev_prio' ], [ 'long', 'prev_state' ], [ 'char', 'next_comm[16]' ],
		[ 'pid_t', 'next_pid' ], [ 'int', 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ @task, [ 'int', 'target_cpu' ] ] ],
	[ made => 'no_fields', [] ],
	[ made => 'no_format', [] ],
);
sub switch { my ($time, $prev, $state, $next) = @_; return [ $time, 0, 'sched_switch', $prev, 0, prev_comm => "t$prev", prev_pid => $prev, prev_prio => 120, prev_state => $state, next_comm => "t$next", next_pid => $next, next_prio => 120 ] }
my $bytes = trace_dat(formats => \@formats, events => [
	switch(1_000_000, 0, 0, 10), [ 1_100_000, 0, 'no_fields', 10, 0 ], [ 1_200_000, 0, 'no_format', 10, 0 ], switch(2_000_000, 10, 1, 20),
	[ 2_500_000, 0, 'sched_waking', 20, 0, comm => 't10', pid => 10, prio => 120, target_cpu => 0 ], switch(3_000_000, 20, 1, 10), switch(4_000_000, 10, 1, 0),
]);
$bytes =~ s/name: no_format\nID: 303/name: no_format\nID: 999/ or die;	# so its events have no format

# ---- verify: the kind of the argument ----

my $perf = PerfData->new(clock => 1);
for my $at (1 .. 5) {
	$perf->event('sched:sched_switch', 1_000_000 * $at, 0, 10, 10 * ($at % 2 + 1), { prev_comm => 'a', prev_pid => 10 * ($at % 2 + 1), prev_prio => 120, prev_state => 1,
		next_comm => 'b', next_pid => 10 * (($at + 1) % 2 + 1), next_prio => 120 });
}
for my $each ([ 'trace.dat', $bytes ], [ 'perf.data', $perf->bytes ], [ 'named-otherwise', $bytes ]) {
	my ($name, $content) = @$each;
	spew("$tmp/$name", $content);
	for my $time ('its index is made', 'its index is there') {
		my $run = wakepath('verify', "$tmp/$name");
		is($run->{status}, 0, "verify $name: $time");
		like($run->{out}, qr{^\S+\.wpi: intact: }, '... and intact');
	}
}
my ($index) = wakepath('verify', "$tmp/trace.dat")->{out} =~ /^(\S+\.wpi): /;
copy($index, "$tmp/copied") or die;
like(wakepath('verify', "$tmp/copied")->{out}, qr{^\Q$tmp\E/copied: intact: }, 'an index under another name is recognised by its first bytes');
copy($index, "$tmp/harmed.wpi") or die;
patch("$tmp/harmed.wpi", sub { substr $_, 0, 4, 'xxxx' });
my $harmed = wakepath('verify', "$tmp/harmed.wpi");
is($harmed->{status}, 3, 'an index whose first bytes are damaged is recognised by its name');
like($harmed->{err}, qr/: 1 finding: /, '... with 1 finding');
spew("$tmp/text", "CPU 0 is empty\n");
my $text = wakepath('verify', "$tmp/text");
is($text->{status}, 3, 'a text is neither');
like($text->{err}, qr/text is text: give the recording/, '... with the message of other commands');
unlike($text->{err} . $text->{out}, qr/index/, '... which does not mention an index');

# ---- one of a thing ----

like(wakepath('latency', "$tmp/trace.dat", '--kind', 'wakeup')->{out}, qr/^wakeup latency: 1 case, 0 unfinished$/m, '1 case');
like(wakepath('wakeups', "$tmp/trace.dat", '--thread', 10)->{out}, qr/^\S+: 1 wake-up$/m, '1 wake-up');

# ---- events without fields ----

my $events = json_of(wakepath('events', "$tmp/trace.dat", '--top', 0, '--format', 'json'))->{events};
is(scalar @$events, 7, 'all events are JSON');
is_deeply([ map { $_->{name} } @$events[1, 2] ], [ 'made:no_fields', 'unknown' ], '... those without fields, and without a format');
is(ref \$_->{fields}, 'SCALAR', '... have a text as fields') for @$events[1, 2];

# ---- a folder, in which some cannot be read ----

mkdir "$tmp/$_" or die for qw(folder folder/good folder/ctf folder/cut bad bad/ctf bad/cut);
spew("$tmp/folder/good/trace.dat", $bytes);
for my $in ('folder', 'bad') {
	spew("$tmp/$in/ctf/metadata", "{\"type\":\"preamble\"}\n");
	spew("$tmp/$in/ctf/kernel_0", 'x' x 4096);
	spew("$tmp/$in/cut/trace.dat", substr $bytes, 0, 2000);
}
for my $command ([ 'info' ], [ 'threads' ], [ 'latency', '--kind', 'wakeup' ], [ 'verify' ]) {
	my ($name, @rest) = @$command;
	my $run = wakepath('--index-dir', "$tmp/cache-$name", $name, "$tmp/folder", @rest);
	is($run->{status}, 0, "$name: the readable traces of a folder are read");
	like($run->{err}, qr{^wakepath: warning: \Q$tmp\E/folder/$_ is left out: }m, "... and a message says that $_ is left out") for 'ctf', 'cut/trace.dat';
}
like(wakepath('index', "$tmp/folder")->{out}, qr{/ctf: left out: .*\n.*/cut/trace\.dat: left out: .*\n.*/good/trace\.dat: built }, 'index names each');
for my $named ([ "$tmp/folder/ctf" ], [ "$tmp/folder/cut/trace.dat" ], [ "$tmp/folder", "$tmp/folder/cut/trace.dat" ], [ "$tmp/bad" ]) {
	is(wakepath('info', @$named)->{status}, 3, 'one that was itself named, or all that there are, must be read: ' . join ' ', map { s/.*\Q$tmp\E//r } @$named);
}
spew("$tmp/script", "size 80 24\ndump $tmp/screen\nquit\n");
is(wakepath('--index-dir', "$tmp/cache-view", 'view', "$tmp/folder", '--script', "$tmp/script")->{status}, 0, 'the explorer opens it');
like(slurp("$tmp/screen"), qr/t10/, '... and shows the threads of the good one');

done_testing();
