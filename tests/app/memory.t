#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The memory that one more thread costs when very many live at the same time: during the build of an index and in the explorer.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use POSIX ();
use Time::HiRes ();
use Wake;
use Test::More;

my $program = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# sanitizers take memory of their own
my $scratch = $ENV{TMPDIR};
my ($few, $many) = (20_000, 60_000);
my $runs = 0;

# Peak memory in bytes of the explorer once it shows TRACE and has played KEYS.  It is read while the explorer waits to write a second screen to a
# FIFO, which has no reader yet: by then it has allocated all that the steps before needed.
sub peak {
	my ($trace, $cache, @keys) = @_;
	my ($script, $screen, $fifo) = map { "$scratch/$_." . $runs } qw(script screen fifo);
	$runs++;
	POSIX::mkfifo($fifo, 0600) or die "$fifo: $!";
	spew($script, join "\n", 'size 160 50', @keys, "dump $screen", "dump $fifo", "quit\n");
	my $pid = fork() // die "fork: $!";
	if (!$pid) {
		open STDOUT, '>', '/dev/null' or POSIX::_exit(1);
		{ exec $program, '--index-dir', $cache, 'view', '--script', $script, $trace }
		POSIX::_exit(127);
	}
	for (my $i = 0; $i < 6000 && !-s $screen && kill(0, $pid) && waitpid($pid, POSIX::WNOHANG()) == 0; $i++) {
		Time::HiRes::sleep(0.01);
	}
	my ($kilobytes) = slurp("/proc/$pid/status") =~ /^VmHWM:\s*(\d+) kB$/m;
	slurp($fifo);
	waitpid $pid, 0;
	is($?, 0, 'the explorer ends well');
	like(slurp($screen), qr/thread-\d/, '… and has shown threads');
	return $kilobytes * 1024;
}

# Bytes that one more thread needs are within BOUND.
sub costs {
	my ($what, $bound, %peak) = @_;
	my $each = ($peak{$many} - $peak{$few}) / ($many - $few);
	cmp_ok($each, '<=', $bound, "$what: at most $bound bytes for each thread") or diag("$few threads: $peak{$few} bytes, $many: $peak{$many}");
	note(sprintf '%s: %d bytes', $what, $each);
}

my %trace = map { $_ => "$scratch/threads-$_" } $few, $many;
for my $n ($few, $many) {
	system("$ENV{TOP}/tests/tools/many_threads", $trace{$n}, $n, 3) == 0 or die;
}
my $info = json_of(wakepath('info', $trace{$few}, '--format', 'json'));
my $events = `babeltrace2 '$trace{$few}' | wc -l`;
is($info->{traces}[0]{events}, $events + 0, 'babeltrace2 reads as many events');

# The spans of kinds that are written with the index take part of it.
costs('building', 1088, map { $_ => peak($trace{$_}, "$scratch/cache") } $few, $many);
costs('the explorer', 512, map { $_ => peak($trace{$_}, "$scratch/cache") } $few, $many);
# Walk through the rows, zoom, filter, fold; causes, events and why run in threads of their own, each with the index open for itself.
my @keys = qw(PgDn Down PgDn End Home + Right x x x c c C E W -);
costs('the explorer in use', 512, map { $_ => peak($trace{$_}, "$scratch/cache", @keys) } $few, $many);

# ---- long lists ----

# Memory (without the pages of the index) in use when the program begins to write the list that QUESTION (words) asks of TRACE, in FORMAT; and the
# text of the list.  The program writes it into a FIFO, and waits there while its memory is read.
sub listing {
	my ($trace, $format, @question) = @_;
	my $fifo = "$scratch/list." . $runs++;
	POSIX::mkfifo($fifo, 0600) or die "$fifo: $!";
	my $pid = fork() // die "fork: $!";
	if (!$pid) {
		exec $program, '--index-dir', "$scratch/lists", @question, $trace, '--format', $format, '-o', $fifo or POSIX::_exit(127);
	}
	open my $in, '<:raw', $fifo or die "$fifo: $!";	# opens when the program does
	my $text = '';
	sysread $in, $text, 1;
	my ($kilobytes) = slurp("/proc/$pid/status") =~ /^RssAnon:\s*(\d+) kB$/m;
	1 while sysread $in, $text, 1 << 16, length $text;
	waitpid $pid, 0;
	is($?, 0, "a list of $question[0] as $format ends well");
	return ($kilobytes * 1024, $text);
}

# (The commands run with the sanitizers on the shorter trace only.)
my %long = map { $_ => "$scratch/rounds-$_" } 15_000, 45_000;
for my $rounds (sort keys %long) {
	local $ENV{WAKEPATH} = $program if $rounds > 15_000;
	system("$ENV{TOP}/tests/tools/many_threads", $long{$rounds}, 4, $rounds) == 0 or die;
	is(json_of(wakepath('--index-dir', "$scratch/lists", 'latency', $long{$rounds}, '--kind', 'wakeup', '--format', 'json', '--top', 1))->{count}, 4 * $rounds, "$rounds rounds: as many wake-ups");
}
my @wakeups = qw(latency --kind wakeup --top 0);
for my $format (qw(csv json)) {
	my ($less, $few) = listing($long{15_000}, $format, @wakeups);
	my ($more, $all) = listing($long{45_000}, $format, @wakeups);
	my @lines = $format eq 'csv' ? $all =~ /\n(?=.)/g : $all =~ /^\{"start"/gm;
	is(scalar @lines, 4 * 45_000, "$format: the list is complete");
	cmp_ok(length $all, '>', 2.9 * length $few, '… which is three times as long');
	cmp_ok($more - $less, '<', length($all) / 4, "… and takes no more memory") or diag("$less, $more bytes; text: " . length $all);
	my $file = "$scratch/list.$format";
	is(wakepath('--index-dir', "$scratch/lists", @wakeups, $long{15_000}, '--format', $format, '-o', $file)->{status}, 0, '… into a file');
	ok(slurp($file) eq $few, '… the same');
	ok(wakepath('--index-dir', "$scratch/lists", @wakeups, $long{15_000}, '--format', $format)->{out} eq $few, '… as to standard output');
}

# The states, wake-ups and path of a thread are written from a result; the data they were computed from are freed by then.
my ($tid) = map { $_->{tid} } grep { ($_->{wakeups} // 0) >= 15_000 } @{ json_of(wakepath('--index-dir', "$scratch/lists", 'threads', $long{15_000}, '--format', 'json'))->{threads} };
for my $question (qw(states wakeups path)) {
	my ($less, $few) = listing($long{15_000}, 'json', $question, '--thread', $tid);
	my ($more, $all) = listing($long{45_000}, 'json', $question, '--thread', $tid);
	cmp_ok(length $all, '>', 2.9 * length $few, "$question: the list is three times as long");
	cmp_ok($more - $less, '<', length($all) / 20, '… and takes no more memory') or diag("$less, $more bytes; text: " . length $all);
}
done_testing;
