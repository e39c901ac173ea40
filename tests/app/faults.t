#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# System calls that fail: on traces of each format every command gives its whole answer, or the reason in one line, and leaves nothing behind; the next
# run, without a failing call, gives the whole answer.  FAULTS=all tries each call of each command, otherwise some of them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use PerfData;
use Pftrace;
use Errno qw(EIO EINTR ENOENT ENOMEM ENOSPC EMFILE);
use File::Path qw(remove_tree);
use Test::More;

my $library = "$ENV{BUILD}/tests/faults.so";
my $all = ($ENV{FAULTS} // '') eq 'all';
plan skip_all => 'the sanitizers have calls of their own' if $ENV{WAKEPATH} =~ m{/asan/};

# ---- traces ----

my $dir = "$ENV{TMPDIR}/faults";
mkdir $dir;

# Two threads that take turns, in order of time: [time, CPU, from, state, to].
my @turns = map { my $t = 1_000_000 + $_ * 10_000; ([ $t, 0, 0, 0, 10 ], [ $t + 4000, 0, 10, 1, 0 ], [ $t + 2000, 1, 0, 0, 11 ], [ $t + 5000, 1, 11, 1, 0 ]) } 0 .. 20;
my @switch = ([ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ]);
my @waking = ([ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ]);
sub fields { my ($from, $state, $to) = @_; return (prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) }

spew("$dir/trace.dat", trace_dat(formats => [ [ sched => 'sched_switch', \@switch ], [ sched => 'sched_waking', \@waking ] ],
	events => [ map { my ($t, $cpu, $from, $state, $to) = @$_; [ $t, $cpu, 'sched_switch', $from, 1, fields($from, $state, $to) ] } sort { $a->[0] <=> $b->[0] } @turns ],
	kallsyms => "ffffffff81000000 T made\n"));
for my $packed (0, 1) {
	my $p = PerfData->new($packed ? (packed => PerfData::COMPRESSED) : ());
	for (@turns) {
		my ($t, $cpu, $from, $state, $to) = @$_;
		$p->event('sched:sched_switch', $t, $cpu, $from, $from, { fields($from, $state, $to) });
	}
	spew("$dir/perf$packed.data", $p->bytes);
}
{
	my $p = Pftrace->new(compact => 1);
	$p->clocks(1000, 0);
	for (@turns) { my ($t, $cpu, $from, $state, $to) = @$_; $p->switch($t, $cpu, [ "t$from", $from ], $state, [ "t$to", $to ]) }
	$p->flush;
	spew("$dir/made.pftrace", $p->trace(50, 1));
}
my %trace = (pftrace => "$dir/made.pftrace", ctf => copy_trace('inception'), dat => "$dir/trace.dat", perf => "$dir/perf0.data", packed => "$dir/perf1.data", hosts => copy_trace('vm-preempt'));

# ---- one run ----

my ($index_dir, $tmp, $out) = map { "$dir/$_" } qw(index tmp out);
mkdir $tmp;
my $everywhere = join ':', $trace{ctf} =~ s{/[^/]+$}{}r, $dir;	# traces, indexes, temporary files, output
my $count = "$dir/count";
spew($count, "\0" x 8);
my %name = (EIO, 'EIO', EINTR, 'EINTR', ENOENT, 'ENOENT', ENOMEM, 'ENOMEM', ENOSPC, 'ENOSPC', EMFILE, 'EMFILE');

# The errors that each kind of call may return.
my %fails = (open => [ EIO, EINTR, EMFILE ], stat => [ EIO ], fstat => [ EIO ], read => [ EIO, EINTR ], write => [ ENOSPC, EINTR ], mmap => [ ENOMEM ], sync => [ EIO ],
	rename => [ EIO ], truncate => [ ENOSPC ], list => [ EIO ]);

my $gone = 1 << 40;	# the last call that fails: all from AT on do

# Run ARGS, with FAULT set in the environment if given; the result, with the text written into a file as "file".
sub attempt {
	my ($args, %fault) = @_;
	local @ENV{qw(TMPDIR LD_PRELOAD)} = ($tmp, $library);
	local @ENV{map { "FAULT_$_" } keys %fault} = values %fault;
	unlink $out;
	my $r = wakepath(@$args, '--index-dir', $index_dir);
	$r->{file} = -e $out ? slurp($out) : '';
	# "index" prints what it did; "info" prints how long that took, that an index was built again, and that the files beside it were not.
	$r->{answer} = $args->[0] eq 'index' ? '' : $r->{out} =~ s/"built_in_ns":\d+|"notes":\[(?:[^]"]|"(?:[^"\\]|\\.)*+")*+\]|,?"[^"]*because it cannot store them[^"]*"//gr . "\0" . $r->{file};
	return $r;
}

sub forget { remove_tree($index_dir); mkdir $index_dir }

# Files that must not remain.
sub left {
	my @left = grep { m{/\.} } files_below($index_dir);
	opendir my $t, $tmp or die;
	push @left, map { "$tmp/$_" } grep { !/^\.\.?$/ } readdir $t;
	push @left, glob "$dir/.wakepath-*";
	return @left;
}

my ($runs, @wrong) = (0);

# Runs ARGS, whose right answer is WANTED, while call number AT of KIND fails with ERROR (of files of the trace, all calls up to LAST); WARM: an index
# exists.
sub try_one {
	my ($args, $wanted, $warm, $kind, $at, $error, $last) = @_;
	forget() if !$warm;
	my $r = attempt($args, CALL => $kind, AT => $at, LAST => $last // 0, ERRNO => $error, WHERE => $last ? $args->[1] : $everywhere, COUNT => $count);
	local $! = $error;
	# A folder without its trace cannot answer.
	my $reason = $error == ENOENT ? qr/\Q$!\E|no trace in/ : qr/\Q$!\E/;
	my @left = left();
	my $said = $r->{err} =~ s/^wakepath: warning: [^\n]*\n//mgr;	# of the trace: the error is printed before the answer is written
	my $what = $r->{signal} ? "signal $r->{signal}"
		: $r->{status} == 0 && $r->{answer} ne $wanted ? 'another answer'
		: $r->{status} != 0 && ($r->{status} != 3 || $error == EINTR) ? "status $r->{status}"
		: $r->{status} == 3 && ($said !~ /\Awakepath: [^\n]+\n\z/ || $said !~ $reason) ? 'no reason in one line'
		: @left ? "left @left" : undef;
	if (!defined $what) {
		my $next = attempt($args);
		$what = "the next one has status $next->{status}" if $next->{status} != 0;
		$what //= 'the next one has another answer' if $next->{answer} ne $wanted;
	}
	unlink left();
	$runs++;
	return if !defined $what;
	push @wrong, "@$args: $kind number $at: $name{$error}" . ($warm ? ', with an index' : '') . ": $what: $r->{err}";
	diag($wrong[-1]);
}

# 1 .. N, or MOST of them.
sub some {
	my ($n, $most) = @_;
	return 1 .. $n if $all || $n <= $most;
	return map { 1 + int($_ * ($n - 1) / $most) } 1 .. $most;
}

# All kinds of calls of ARGS in turn, at most MOST of each.
sub try_all {
	my ($args, $most) = @_;
	forget();
	my $right = attempt($args);
	is($right->{status}, 0, "@$args") or diag($right->{err}), return;
	for my $warm (0, 1) {
		my %n;
		for my $kind (sort keys %fails) {
			forget() if !$warm;
			spew($count, "\0" x 8);
			attempt($args, CALL => $kind, AT => 0, WHERE => $everywhere, COUNT => $count);
			$n{$kind} = unpack 'Q', slurp($count);
		}
		cmp_ok($n{open}, '>', 0, "… opens files" . ($warm ? ', with an index' : ''));
		for my $kind (sort keys %fails) {
			for my $at (some($n{$kind}, $most)) {
				my @errors = @{$fails{$kind}};
				try_one($args, $right->{answer}, $warm, $kind, $at, $_) for $all ? @errors : $errors[$at % @errors];
				try_one($args, $right->{answer}, $warm, $kind, $at, ENOENT, $gone) if $kind =~ /open|stat/ && ($all || $at % 2);
			}
		}
		attempt($args);
	}
}

# ---- each command ----

my @commands = ([ 'threads', '--format', 'json' ], [ 'info', '--format', 'json' ], [ 'events', '--top', '0', '--format', 'csv' ], [ 'latency', '--kind', 'running', '--format', 'json' ],
	[ 'latency', '--kind', 'softirq', '--format', 'csv' ], [ 'causes', '--format', 'csv' ], [ 'flow', '-o', $out ], [ 'threads', '--format', 'csv', '-o', $out ], [ 'index' ]);
# (Some traces have no answer to some commands.)
for my $kind (qw(ctf dat perf packed pftrace hosts)) {
	my @of = map { my ($name, @rest) = @$_; [ $name, $trace{$kind}, @rest ] } @commands;
	@of = grep { forget(); attempt($_)->{status} == 0 } @of;
	cmp_ok(scalar @of, '>=', 5, "commands of $kind");
	try_all($of[0], $kind eq 'hosts' ? 4 : 30);
	try_all($_, $kind eq 'hosts' ? 1 : 2) for @of[1 .. $#of];
}
ok(!@wrong, "each run gives its whole answer, or the reason in one line, and so does the next") or diag(scalar @wrong, " of $runs");
note("$runs runs");

done_testing();
