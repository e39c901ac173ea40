#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Times near the limits of 64 bits, recordings of a year, hosts that are centuries apart, shifts of centuries: nothing overflows (the tests run with
# -fsanitize=signed-integer-overflow), and long times take no longer to analyse.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $second = 1000000000;
my $most = 9223372036854775807;
my ($u32, $i32, $i64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'];
my @events = (
	['sched_switch', "$i32 prev_tid; $i32 prev_prio; $i64 prev_state; $i32 next_tid; $i32 next_prio;"],
	['sched_waking', "$i32 tid; $i32 prio; $i32 target_cpu;"],
	['sched_wakeup', "$i32 tid; $i32 prio; $i32 target_cpu;"],
	['timer_hrtimer_start', "$i64 hrtimer; $i64 function; $i64 expires; $i64 softexpires;"],
	['timer_hrtimer_expire_entry', "$i64 hrtimer; $i64 now; $i64 function;"],
	['timer_hrtimer_expire_exit', "$i64 hrtimer;"],
);

# N threads of HOST go to sleep, and are woken one after the other SPAN ns after the first event.  The clock began OFFSET seconds after 1970.
sub recording {
	my ($host, $offset, $span, $n) = @_;
	my $folder = "$ENV{TMPDIR}/$host";
	(my $name = $host) =~ s{.*/}{};
	my ($time, $bytes) = (1000000, '');
	my $event = sub { $time += 1000; $bytes .= pack 'L<Q<', shift, $time; $bytes .= pack shift, @_ };
	my $switch = sub { my ($from, $to) = @_; $event->(0, 'l<l<q<l<l<', $from, 20, $from ? 1 : 0, $to, 20) };
	my $each = sub { my ($sub) = @_; my $before = 0; for my $tid (100 .. 99 + $n) { $switch->($before, $tid); $sub->($tid); $before = $tid } $switch->($before, 0) };

	$each->(sub { $event->(3, 'q<4', $_[0], 1, ($most, -$most - 1, $time + $span, 0)[$_[0] % 4], 0) });
	$time += $span - 10000 * $n;
	for my $tid (100 .. 99 + $n) {
		$event->(4, 'q<3', $tid, $time, 1) if $tid % 2;
		$event->(1, 'l<3', $tid, 20, 0);
		$event->(2, 'l<3', $tid, 20, 0);
		$event->(5, 'q<', $tid) if $tid % 2;
	}
	$each->(sub { });
	system('mkdir', '-p', $folder) == 0 or die;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$events[$_][0]\"; stream_id = 0; fields := struct { $events[$_][1] }; };\n" } 0 .. $#events);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "$name"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = $second; offset_s = $offset; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; integer { size = 64; align = 8; } content_size; integer { size = 64; align = 8; } packet_size; $u32 cpu_id; }; event.header := struct { $u32 id; ts_t timestamp; }; };
END
	my $bits = (8 + 36 + length $bytes) * 8;
	spew("$folder/k_0", pack('L<L<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, 1000000, $time + 10, $bits, $bits, 0) . $bytes);
	return $folder;
}

# Each of COMMANDS (strings) ends in time and without an overflow; STATUSES are the allowed exit statuses.
sub holds {
	my ($name, $statuses, @commands) = @_;
	for my $command (@commands) {
		my $r = Wake::run('timeout', 60, $ENV{WAKEPATH}, split / /, $command);
		like("$r->{status} $r->{signal}", qr/\A[$statuses] 0\z/, "$name: $command") or diag($r->{err});
		unlike($r->{err}, qr/runtime error|AddressSanitizer/, '… without an overflow');
	}
}

# ---- the longest possible recording: the waits of all threads sum to more than 64 bits hold ----

my $long = recording('long', 1790000000, 1 << 55, 1200);
my $causes = json_of(wakepath('causes', $long, '--format', 'json', '--top', 1000))->{causes};
my @too_long = grep { $_->{count} >= 300 && $_->{longest} > 1 << 54 } @$causes;
ok(scalar @too_long, 'causes of hundreds of waits of a year');
is($_->{time}, $most, "… their sum is within the possible: $_->{cause}") for @too_long;
is(scalar(grep { $_->{time} < 0 } @$causes), 0, '… and never negative');

# ---- a damaged time: all that was so before it lasts 146 years, the sum over three rows is more than 64 bits hold ----

{
	my $wake = [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ];
	my @formats = (
		[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
		(map { [ sched => $_, $wake ] } qw(sched_waking sched_wakeup)),
		[ sched => 'sched_process_fork', [ [ char => 'parent_comm[16]' ], [ pid_t => 'parent_pid' ], [ char => 'child_comm[16]' ], [ pid_t => 'child_pid' ] ] ],
		[ block => 'block_rq_issue', [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ 'unsigned int' => 'bytes' ], [ char => 'rwbs[10]' ], [ char => 'comm[16]' ] ] ],
		[ block => 'block_rq_complete', [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ int => 'error' ], [ char => 'rwbs[10]' ] ] ],
	);
	my ($now, $cpus, @events) = (1000000, 8);
	my $at = sub { my ($cpu, $name, $pid, @fields) = @_; push @events, [ $now += 1000, $cpu, $name, $pid, 0, @fields ] };
	my $switch = sub { my ($cpu, $from, $state, $to) = @_; $at->($cpu, 'sched_switch', $from, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) };

	# On each CPU a child of thread 100 runs from the damaged time on, and others go to sleep, some of them for the disk.
	my @children = map { 101 + $_ } 0 .. $cpus - 2;
	$switch->(0, 0, 0, 100);
	$at->(0, 'sched_process_fork', 100, parent_comm => 't100', parent_pid => 100, child_comm => "t$_", child_pid => $_) for @children;
	for my $cpu (1 .. $cpus - 1) {
		$switch->($cpu, 0, 0, 200 + $cpu);
		$at->($cpu, 'block_rq_issue', 200 + $cpu, dev => 8 << 20, sector => $cpu * 8, nr_sector => 8, bytes => 4096, rwbs => 'R', comm => 'x');
		$switch->($cpu, 200 + $cpu, 2, 300 + $cpu);
		$switch->($cpu, 300 + $cpu, 1, 100 + $cpu);
	}
	$now = (1 << 62) - (1 << 30);
	for my $cpu (1 .. $cpus - 1) {
		$at->($cpu, 'block_rq_complete', 100 + $cpu, dev => 8 << 20, sector => $cpu * 8, nr_sector => 8, error => 0, rwbs => 'R');
		for my $tid (200 + $cpu, 300 + $cpu) {
			$at->($cpu, $_, 100 + $cpu, comm => "t$tid", pid => $tid, prio => 120, target_cpu => $cpu) for qw(sched_waking sched_wakeup);
		}
		$switch->($cpu, 100 + $cpu, 0, 200 + $cpu);
		$switch->($cpu, 200 + $cpu, 1, 300 + $cpu);
	}
	my $file = "$ENV{TMPDIR}/damaged";
	mkdir $file;
	spew("$file/trace.dat", Ftrace::trace_dat(formats => \@formats, events => \@events, cpus => $cpus));
	my $years = json_of(wakepath('info', $file, '--format', 'json'))->{traces}[0];
	cmp_ok($years->{to} - $years->{from}, '>', 1 << 61, 'a recording with a damaged time of a century');
	holds('damaged', '01', (map { "$_ $file" } qw(info threads causes requests machines sync stacks verify), 'events --top 30'),
		(map { "compare $file --set $_" } 'latency:block', 'latency:blocked', 'latency:off-cpu', 'runs:201'),
		(map { "latency $file --kind $_" } qw(wakeup off-cpu blocked block)), map { my $tid = $_; map { "$_ $file --thread $tid" } qw(states wakeups path why) } 100, 101, 201, 301);
	for my $format (qw(svg perfetto)) {
		holds('damaged', 0, "flow $file --format $format -o $ENV{TMPDIR}/flow.out", "path $file --thread 201 --format $format -o $ENV{TMPDIR}/path.out");
	}
	# Each pane over the whole recording, with lines opened, zoomed, moved and summed up.
	my $script = "$ENV{TMPDIR}/damaged.script";
	my @panes = map { [ split ' ' ] } 'i', 'p', 'p S', 'w', 'w D', 'w G', 'C', 'I', 'V', 'M-r', '=', '= Enter', '} Enter', '} B', '{ E', 'K', '!', '\\';
	spew($script, join "\n", 'size 120 40', (map { ('a', 'v', '$', 'F4', @$_, split ' ', 'j j Enter 0 $ + + H h L l - - - . , Enter Esc Esc Esc Esc') } @panes), 'quit', '');
	holds('the explorer on a damaged time', 0, "view $file --thread 201 --script $script");
}

# ---- the ends of time ----

recording('two/early', -4035000000, $second, 30);
recording('two/late', 4035000000, $second, 30);
my $two = "$ENV{TMPDIR}/two";
my $script = "$ENV{TMPDIR}/far.script";
spew($script, join "\n", 'size 100 30', qw(- - - + + g), "\"$most\"", 'Enter', 'g', '"+9223372036s"', 'Enter', 'g', '"-9223372036s"', 'Enter', qw(+ + + + + + + + + H H L $ L 0 H a v $ s p w C E),
     qw(K j Enter C-u), '"-9223372036s"', 'Enter', qw(a - $ 0 p C y), '"none"', 'Enter', qw(a - $ 0 + + + + L H p w C S t - - - quit), '');
for my $shift ('late=+9223372036s', 'late=-9223372036854775807ns', 'late=+600000000s') {
	says(wakepath('threads', $two, '--sync', $shift), 2, qr/the clock that --sync gives late moves its times out of range/, "a shift of $shift");
}
for my $case ([$long, 'long/100'], [$two, 'early/100'], ["$two --sync none", 'late/100'], ["$two --sync late=+570000000s", 'late/100'],
	      ["$two --sync late=-8000000000s", 'late/100']) {
	my ($trace, $thread) = @$case;
	my @of = ("states $trace --thread $thread", "wakeups $trace --thread $thread", "path $trace --thread $thread", "causes $trace", "events $trace --top 30");
	holds('all', '01', "info $trace", "sync $trace", "threads $trace", "latency $trace --kind wakeup",
		(map { "latency $trace --kind $_" } qw(off-cpu blocked irq softirq softirq-raise timer work syscall block)), @of);
	for my $window ("--from 0 --to $most", "--from 4611686018427387903 --to $most", '--from +1s', '--from -9000000000s --to +9000000000s', "--to +4000000000s") {
		holds('a window', '012', map { "$_ $window" } @of);
	}
	holds('the explorer', 0, "view $trace --script $script") if $trace !~ /sync/;
}
done_testing();
