#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Very many spans, each with a key of its own: the memory of each command besides mapped files, and its answer against the program that wrote the
# marks.  SPANS=N for more of them; "make sweep" has ten million.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use POSIX ();
use Time::HiRes ();
use Wake;
use Test::More;

my $program = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# sanitizers take memory of their own
my $few = 200_000;
my $many = $ENV{SPANS} // ($ENV{ROUNDS} ? 10_000_000 : 1_000_000);
my $bound = 96 << 20;	# bytes, of any command for any number of spans
my $dir = $ENV{TMPDIR};

# Peak of the memory without mapped files, in bytes, of wakepath with ARGUMENTS, and what it prints, in the file OUT.
sub peak {
	my ($out, @arguments) = @_;
	my $most = 0;
	my $pid = fork() // die "fork: $!";
	if (!$pid) { open STDOUT, '>', $out or POSIX::_exit(1); exec $program, @arguments or POSIX::_exit(127) }
	while (waitpid($pid, POSIX::WNOHANG()) == 0) {
		my ($now) = (eval { slurp("/proc/$pid/status") } // '') =~ /^Name:\s+wakepath\n.*^RssAnon:\s*(\d+) kB$/ms;	# at first the process is still Perl
		$most = $now if ($now // 0) > $most;
		Time::HiRes::sleep(0.002);
	}
	is($?, 0, "@arguments[0 .. 1] ends well");
	return $most * 1024;
}

# The command needs at most EACH bytes for each further span, and BOUND in all.
sub costs {
	my ($what, $each, %peak) = @_;
	my $more = ($peak{$many} - $peak{$few}) / ($many - $few);
	note(sprintf '%s: %.1f bytes for a span, %.1f MB for %d', $what, $more, $peak{$many} / (1 << 20), $many);
	cmp_ok($more, '<=', $each, "$what: at most $each bytes for each span") or diag("$few: $peak{$few} bytes, $many: $peak{$many}");
	cmp_ok($peak{$many}, '<=', $bound, '… and 96 MB in all');
}

my (%trace, %first, %listed, %latency, %compare, %rows);
for my $n ($few, $many) {
	$trace{$n} = "$dir/spans-$n";
	system("$ENV{TOP}/tests/tools/many_spans", $trace{$n}, $n) == 0 or die;
	is(Wake::run($program, 'index', '--quiet', $trace{$n})->{status}, 0, "$n spans: index");

	# ---- spans: in the order in which they were written ----

	$first{$n} = peak('/dev/null', 'spans', $trace{$n}, '--format', 'csv');
	$listed{$n} = peak("$dir/spans.csv", 'spans', $trace{$n}, '--format', 'csv');
	open my $f, '<', "$dir/spans.csv" or die $!;
	my ($lines, $wrong) = (0, scalar <$f>) x 2;
	$wrong = 0;
	while (<$f>) {
		$lines++;
		my (undef, undef, $took, undef, $name, $key, $depth, $source) = split /,|\n/;
		$wrong ||= $_ if $key != 1_000_000 + $lines || $name ne 'req' || $depth != 0 || $source ne 'marker'
			|| $took != ($lines % 100 ? 1500 : $lines > 300 ? 9500 : 9000);
	}
	is($lines, $n, "$n spans: all are listed");
	is($wrong, 0, '… each with its key, in the order of their begins');
	unlink "$dir/spans.csv";

	# ---- latency, and one span by its key ----

	$latency{$n} = peak("$dir/latency.json", 'latency', $trace{$n}, '--kind', 'span:req', '--format', 'json', '--top', 3);
	my $latency = json_of({ out => slurp("$dir/latency.json"), err => '' });
	is($latency->{count}, $n, "$n spans: latency counts all");
	is($latency->{sum}, 1500 * ($n - $n / 100) + 9500 * $n / 100 - 3 * 500, '… and their sum');
	is_deeply([map { $_->{key} } @{ $latency->{worst} }], [map { 1_000_000 + 100 * $_ } 4 .. 6], '… the first three of the longest') or diag(slurp("$dir/latency.json"));

	# ---- compare ----

	$compare{$n} = peak("$dir/compare.json", 'compare', $trace{$n}, '--set', 'span:req', '--format', 'json');
	my $compare = json_of({ out => slurp("$dir/compare.json"), err => '' });
	is_deeply([map { $_->{count} } @{ $compare->{sets} }], [$n / 100, $n - $n / 100], "$n spans: compare has all, and the slow ones");
	my $sum = 0;
	$sum += $_->{difference} for @{ $compare->{rows} };
	cmp_ok(abs($sum - $compare->{difference}), '<=', @{ $compare->{rows} }, '… whose rows sum to the difference');

	# ---- rows above the threads ----

	spew("$dir/script", join "\n", 'size 160 50', ':', '"sql SELECT ts, dur, name, utid FROM span"', 'Enter', '@', "dump $dir/screen", "quit\n");
	$rows{$n} = peak('/dev/null', 'view', $trace{$n}, '--script', "$dir/script");
	like(slurp("$dir/screen"), qr/^ *req +│.*│/m, "$n spans: the explorer shows them above their threads");
}
costs('spans, the first time', 4, %first);
costs('spans', 1, %listed);
costs('latency', 8.5, %latency);	# the length of each span; compare groups by classes of the scheduler
costs('compare', 9, %compare);	# 8 MB of each of three arrays are in memory before they go to files
is($rows{$few} < $bound && $rows{$many} < 1.1 * $bound, 1, 'rows of the explorer: a million at most') or diag("$rows{$few} $rows{$many}");

# ---- groups by keys: as many as allowed, and one more ----

my ($first, $begin);	# of the first span, and of number 131,073
peak("$dir/spans.csv", 'spans', $trace{$few}, '--format', 'csv', '--to', '+300ms');
open my $list, '<', "$dir/spans.csv" or die $!;
while (<$list>) {
	my ($from, $key) = (split /,/)[0, 5];
	$first = $from if $key eq '1000001';
	$begin = $from if $key eq '1131073';
}
close $list;
for my $more (0, 1) {
	my $to = $begin - $first + 500 + $more;	# from the begin of the trace
	my $r = Wake::run($program, 'latency', $trace{$few}, '--kind', 'span:req', '--by', 'key', '--top', 1, '--format', 'csv', '--to', "+${to}ns");
	is($r->{status}, $more ? 3 : 0, 131_072 + $more . ' keys');
	is($r->{err}, $more ? "wakepath: more than 131072 groups by key: choose other groups, or a window\n" : '', '… and the message on the screen');
}

# ---- phases that begin first and end last: a list has them first, whenever it reads of them ----

my $long = "$dir/spans-long";
system("$ENV{TOP}/tests/tools/many_spans", $long, $few, 450) == 0 or die;
my $csv = wakepath('spans', $long, '--format', 'csv')->{out};
my ($header, @rows) = split /\n/, $csv;
my @jobs = grep { /,job,/ } @rows;
is(scalar @rows, $few + 450, 'with long ones: all are listed');
is_deeply([map { (split /,/)[5] } @jobs], [1 .. 450], '… those that begin first in their order');
is(scalar(grep { $rows[$_ - 1] =~ /^(\d+)/ && $1 > ($rows[$_] =~ /^(\d+)/)[0] } 1 .. $#rows), 0, '… all by their begins');
is((split /,/, $rows[449 + $_])[6], 450 - int(($_ - 1) / 400), "… and the number of its thread's spans that are open at the begin of span $_") for 1, 850, 100_050;
done_testing;
