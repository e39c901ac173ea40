#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Threads that poll: calls that return at once without a result, one after the other; and threads that only resemble them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $dir = "$ENV{TMPDIR}/polling.$$";
mkdir $dir;

# The polling in the account of T: "CALL N ns grade".
sub polled {
	my ($trace, $t, @more) = @_;
	my $account = json_of(wakepath('account', $trace, '--thread', $t, @more, '--format', 'json'));
	my $all = 0;
	$all += $_->{time} for @{ $account->{blame} };
	is($all, $account->{to} - $account->{from}, "$t: the parts sum to the whole time");
	return join '; ', map { sprintf '%s %d %s', $_->{name}, $_->{time}, $_->{grade} } grep { ($_->{step} // '') eq 'polling' } @{ $account->{blame} };
}

# ---- made: each thread does one thing, 20 times ----

my $switch = [ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ];
my $waking = [ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ];
my @calls = qw(epoll_wait sched_yield io_uring_enter poll read);
my @formats = ($switch, $waking, map { my $call = $_; ([ syscalls => "sys_enter_$call", [ [ int => '__syscall_nr' ] ] ], [ syscalls => "sys_exit_$call", [ [ int => '__syscall_nr' ], [ long => 'ret' ] ] ]) } @calls);
my ($now, @events) = (1_000_000);
sub at { my ($ns, $pid, $name, @fields) = @_; $now += $ns; push @events, [ $now, 0, $name, $pid, 0, @fields ] }
sub to { my ($from, $state, $next) = @_; at(1000, $from, 'sched_switch', prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$next", next_pid => $next, next_prio => 120) }
# The thread runs for OWN ns, then makes CALL, which takes 400 ns and returns RET.
sub call { my ($pid, $own, $call, $ret) = @_; at($own, $pid, "sys_enter_$call", __syscall_nr => 1); at(400, $pid, "sys_exit_$call", __syscall_nr => 1, ret => $ret) }

my %does = (
	10 => sub { call(10, 600, 'epoll_wait', 0) },	# polls
	11 => sub { call(11, 600, 'epoll_wait', 1) },	# has an event each time
	12 => sub { call(12, 600, 'epoll_wait', 0); call(12, 100, 'read', -11) },	# reads between
	13 => sub { call(13, 50_000, 'sched_yield', 0) },	# works between
	14 => sub { call(14, 600, 'sched_yield', 0) },	# polls
	15 => sub { call(15, 600, 'io_uring_enter', $_[0] % 4 == 3 ? 2 : 0) },	# submits something each fourth time
	16 => sub { call(16, 600, 'poll', $_[0] == 12 ? 1 : 0) },	# polls, until something comes, and on
	17 => sub { $_[0] < 7 ? call(17, 600, 'sched_yield', 0) : at(1000, 17, 'sched_waking', comm => 't17', pid => 17, prio => 120, target_cpu => 0) },	# too few
);
my $before = 0;
my %begin;
for my $pid (sort keys %does) {
	to($before, $before ? 1 : 0, $pid);
	call($pid, 1000, 'read', 3);
	$begin{$pid} = $now;
	$does{$pid}->($_) for 0 .. 19;
	call($pid, 20_000, 'read', 3);
	$before = $pid;
}
to($before, 1, 0);
spew("$dir/made.dat", trace_dat(formats => \@formats, events => \@events));
my %told = (
	10 => 'epoll_wait ' . (20 * 400 + 19 * 600) . ' inferred',
	14 => 'sched_yield ' . (20 * 400 + 19 * 600) . ' inferred',
	# The call with a result ends a run but is not one of its empty calls: its time counts to the end.
	16 => 'poll ' . (13 * 400 + 12 * 600) . ' inferred',
);
for my $pid (sort keys %does) {
	is(polled("$dir/made.dat", "t$pid"), $told{$pid} // '', "t$pid: " . ($told{$pid} ? 'polls' : 'does not'));
}
like(wakepath('account', "$dir/made.dat", '--thread', 't14')->{out}, qr/itself, polling: sched_yield\(\) 20 times/, 'the text has the number of calls');
like(wakepath('path', "$dir/made.dat", '--thread', 't10')->{out}, qr/polling: epoll_wait/, 'the path shows it');
my @window = ('--from', $begin{14} + 5600, '--to', $begin{14} + 15_000);	# from the sixth call to the end of the fifteenth
is(polled("$dir/made.dat", 't14', @window), 'sched_yield 9400 inferred', '… in a window that holds a part of it');
like(wakepath('account', "$dir/made.dat", '--thread', 't14', @window)->{out}, qr/itself, polling: sched_yield\(\) 10 times/, '… and the calls in it');

# ---- long runs, of which only parts are looked at at a time ----

@events = ();
$now = 1_000_000;
to(0, 0, 10);
call(10, 600, 'epoll_wait', $_ % 100 == 0 ? 1 : 0) for 1 .. 20_000;
to(10, 1, 0);
spew("$dir/long.dat", trace_dat(formats => \@formats, events => \@events));
is(polled("$dir/long.dat", 't10'), 'epoll_wait ' . (20_000 * 400 + (20_000 - 200) * 600) . ' inferred', 'long runs, each of which ends with an event');
like(wakepath('account', "$dir/long.dat", '--thread', 't10')->{out}, qr/polling: epoll_wait\(\) 20000 times/, '… with all their calls');

@events = ();
$now = 1_000_000;
to(0, 0, 10);
call(10, 600, 'sched_yield', 0) for 1 .. 20_000;
to(10, 0, 11);
$now += 30_000_000;
to(11, 1, 10);
call(10, 600, 'sched_yield', 0) for 1 .. 5000;
to(10, 1, 0);
spew("$dir/lost.dat", trace_dat(formats => \@formats, events => \@events));
like(wakepath('info', "$dir/lost.dat")->{out}, qr/t10\[10\]: .* ran \((?:99|100) % polling: sched_yield 25000 times\), .*preempted/, 'the overview shows it for a thread that lost time');

# ---- recorded: a worker that spins for a lock with sched_yield(), by babeltrace2's text ----

my $both = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-lttng-both/trace';
SKIP: {
	skip 'the recording is not at hand', 3 if !-d $both;
	# Runs of the thread's calls: [entry, exit, name].  The thread is the one that the CPU was switched to.
	my (%on, %in, @all);
	open my $f, '-|', "babeltrace2 --clock-seconds $both/kernel 2>/dev/null" or die;
	while (<$f>) {
		my ($s, $ns, $name, $cpu, $rest) = /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): \{ cpu_id = (\d+) \}, (.*)/ or next;
		$on{$cpu} = $rest =~ /next_comm = "(\w+-worker)"/ && $rest =~ /next_tid = 353\b/ if $name eq 'sched_switch';
		next if !$on{$cpu};
		my $time = "$s$ns";
		if ($name =~ /^syscall_entry_(\w+)/) { $in{353} = [ $time, undef, $1 ] }
		elsif ($name =~ /^syscall_exit_(\w+)/ && $in{353}) { $in{353}[1] = $time; push @all, delete $in{353} }
	}
	close $f;
	my ($calls, $time, @run) = (0, 0);
	for (@all, [ 0, 0, 'end' ]) {
		if ($_->[2] ne 'sched_yield' || (@run && $_->[0] - $run[-1][1] > 5000)) {
			if (@run >= 8) { $calls += @run; $time += $run[-1][1] - $run[0][0] }
			@run = ();
		}
		push @run, $_ if $_->[2] eq 'sched_yield';
	}
	cmp_ok($calls, '>', 1000, 'x64-lttng-both: the worker polls');
	my ($told_time) = polled($both, 'wx-worker') =~ /^sched_yield (\d+) inferred$/;
	is($told_time, $time, '… for the time in the text');
	like(wakepath('account', $both, '--thread', 'wx-worker', )->{out}, qr/polling: sched_yield\(\) $calls times/, '… with the count');
}

# ---- a trace without polling ----

for my $name ('rpc-chain', 'pipeline') {
	unlike(wakepath('info', sample($name))->{out}, qr/polled/, "$name: no thread polls");
}

done_testing();
