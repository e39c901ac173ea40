#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Work of the kernel for memory as spans: reclaim and compaction, against a recording of a dd whose control group has too little memory, and in traces
# made here.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/kernel.$$";
mkdir $dir;

sub spans { return json_of(wakepath('spans', @_, '--format', 'json'))->{spans} }

# ---- perf script of 68 ms: worked out from its lines ----

my $text = "$dir/memcg_reclaim.txt";
gunzip("$ENV{TOP}/tests/app/memcg_reclaim.txt.gz" => $text) or die $GunzipError;
my (%open, %left, @wanted);	# by TID: the begin and the time off CPU since; the last time it left its CPU
open my $lines, '<', $text or die $!;
while (<$lines>) {
	my ($tid, $s, $ns, $event, $fields) = /^ *.*? +(\d+) \[\d+\] +(\d+)\.(\d{9}): +\w+:(\w+): (.*)/ or next;
	my $now = $s * 1_000_000_000 + $ns;
	if ($event eq 'sched_switch') {
		my ($from, $to) = $fields =~ /prev_pid=(\d+) .* next_pid=(\d+)/;
		$left{$from} = $now;
		$open{$to}{away} += $now - $left{$to} if $open{$to} && $left{$to};
	} elsif ($event eq 'mm_vmscan_memcg_reclaim_begin') {
		$open{$tid} = { from => $now, away => 0, order => $fields =~ /order=(\d+)/ };
	} elsif ($event eq 'mm_vmscan_memcg_reclaim_end' && (my $o = delete $open{$tid})) {
		push @wanted, [$tid, $o->{from}, $now, $o->{away}, "order $o->{order}"];
	}
}
close $lines;
is(scalar @wanted, 1, 'the recording has one reclaim from its begin to its end');
my @found = @{ spans($text) };
is_deeply([map { [$_->{subject}{tid}, $_->{from}, $_->{to}, $_->{name}, $_->{key}, $_->{source}] } @found], [map { [@$_[0 .. 2], 'memcg reclaim', $_->[4], 'kernel'] } @wanted], '… and wakepath shows it');
my $latency = json_of(wakepath('latency', $text, '--kind', 'span:memcg reclaim', '--format', 'json', '--unfinished'));
is_deeply([@$latency{qw(count sum unfinished)}], [1, $wanted[0][2] - $wanted[0][1], 1], 'it is a kind of latency; the second one does not end');
my $states = json_of(wakepath('states', $text, '--thread', $wanted[0][0], '--from', $wanted[0][1], '--to', $wanted[0][2], '--format', 'json'));
my $away = 0;
$away += $states->{states}{$_} for qw(blocked wait-cpu preempted);
cmp_ok(abs($away - $wanted[0][3]), '<=', $states->{states}{unknown}, 'for most of it the thread was off CPU, according to the switches (some are missing)');
cmp_ok($away, '>', 0.9 * $latency->{sum}, '… because it waited for the disk to write');

# ---- in the account of the thread: the part of its time that was in it ----

sub memory { return json_of(wakepath('why', @_, '--format', 'json'))->{memory} }
is_deeply(memory($text, '--thread', $wanted[0][0]), [{ name => 'memcg reclaim', count => 1, time => $wanted[0][2] - $wanted[0][1], blocked => $states->{states}{blocked},
	wait_cpu => $states->{states}{'wait-cpu'} + $states->{states}{preempted}, grade => 'inferred', doubts => ['filter'] }], 'why shows the reclaim, and the causes of the thread\'s waits in it');
is_deeply([map { $_->{time} } @{ memory($text, '--thread', $wanted[0][0], '--from', $wanted[0][1] - 1000, '--to', $wanted[0][1] + 5_000_000) }], [5_000_000], '… and only the part in the window');
like(wakepath('why', $text, '--thread', $wanted[0][0])->{out}, qr/^WORK FOR MEMORY +TIMES .*\nmemcg reclaim +1 +67\.1 ms /m, '… as text');
is_deeply(memory(sample('preempt'), '--thread', 'wk-victim'), [], 'a trace without such events has none');

# ---- as causes of its waits: worked out from its switches ----

# Of dd: [from, to] of each wait, from the switch away to the wake-up; those within the reclaim.
my (@waits, $off, $woken);
open $lines, '<', $text or die $!;
while (<$lines>) {
	my ($s, $ns, $event, $fields) = / (\d+)\.(\d{9}): +\w+:(sched_\w+): (.*)/ or next;
	my $now = $s * 1_000_000_000 + $ns;
	if ($event eq 'sched_waking' && $fields =~ / pid=$wanted[0][0] /) {
		$woken //= $now;
	} elsif ($event eq 'sched_switch' && $fields =~ /prev_pid=$wanted[0][0] .* prev_state=(\S+)/) {
		($off, $woken) = ($1 =~ /^[DS]/ ? $now : undef, undef);
	} elsif ($event eq 'sched_switch' && $fields =~ /next_pid=$wanted[0][0] / && $off && $woken) {
		push @waits, [$off, $woken];
		$off = undef;
	}
}
close $lines;
my @within = grep { $_->[0] >= $wanted[0][1] && $_->[1] <= $wanted[0][2] } @waits;
my ($longest) = sort { $b->[1] - $b->[0] <=> $a->[1] - $a->[0] } @within;
my $by_hand = 0;
$by_hand += $_->[1] - $_->[0] for @within;

sub causes { return json_of(wakepath('causes', @_, '--top', 0, '--format', 'json'))->{causes} }
sub memory_causes { return { map { $_->{name} => $_ } grep { $_->{kind} eq 'memory' } @{ causes(@_) } } }

my $dd = memory_causes($text, '--thread', $wanted[0][0]);
my ($waited, $ran) = @$dd{'waited in memcg reclaim', 'ran in memcg reclaim'};
cmp_ok(scalar(@within), '>', 100, 'dd waited often in the reclaim');
cmp_ok(abs($waited->{time} - $by_hand), '<=', $states->{states}{unknown}, 'causes: the sum of these waits (a switch is missing)');
cmp_ok($waited->{count} - @within, '<=', 1, '… all of them');
is_deeply([@$waited{qw(longest longest_end proved inferred)}], [$longest->[1] - $longest->[0], $longest->[1], 0, $waited->{count}], '… with the longest; none is proved: a filter may have dropped an end and the next begin');
for my $w ($longest, @within[0, -1]) {
	is_deeply([map { "$_->{kind} $_->{name} $_->{time}" } @{ causes($text, '--thread', $wanted[0][0], '--from', $w->[0], '--to', $w->[1]) }],
		['memory waited in memcg reclaim ' . ($w->[1] - $w->[0])], "the wait until $w->[1] has this cause alone");
	my $account = json_of(wakepath('why', $text, '--thread', $wanted[0][0], '--from', $w->[0], '--to', $w->[1], '--format', 'json'));
	is_deeply([map { "$_->{name} $_->{time} $_->{blocked}" } @{ $account->{memory} }], [join ' ', 'memcg reclaim', ($w->[1] - $w->[0]) x 2], '… as why shows it');
	my $path = json_of(wakepath('path', $text, '--thread', $wanted[0][0], '--from', $w->[0], '--to', $w->[1], '--format', 'json'))->{segments};
	isnt($path->[-1]{actor}{tid}, $wanted[0][0], '… and its path goes on with the event that ended it');
}
my ($before) = grep { $_->[1] < $wanted[0][1] } @waits;
is_deeply(memory_causes($text, '--thread', $wanted[0][0], '--from', $before->[0], '--to', $before->[1]), {}, 'a wait before the reclaim has other causes');
my ($in) = @{ memory($text, '--thread', $wanted[0][0]) };
is($waited->{time}, $in->{blocked}, 'causes and why agree on the waits in it');
is($ran->{time}, $states->{states}{running}, '… and on the running time of dd in it');
is($waited->{time} + $ran->{time} + $in->{wait_cpu} + $states->{states}{unknown}, $in->{time}, '… which sum to all of it');
my @inside = @{ json_of(wakepath('path', $text, '--thread', $wanted[0][0], '--from', $wanted[0][1], '--to', $wanted[0][2], '--format', 'json'))->{segments} };
is_deeply([grep { ($_->{actor}{tid} // 0) == $wanted[0][0] && $_->{detail} !~ /in memcg reclaim \(inferred\)$/ } @inside], [], 'its path shows it on each of its segments');
is(scalar(grep { ($_->{actor}{tid} // 0) != $wanted[0][0] && ($_->{detail} // '') =~ /memcg reclaim/ && $_->{detail} !~ /wait of dd/ } @inside), 0, '… and on no others');
my @around = @{ json_of(wakepath('path', $text, '--thread', $wanted[0][0], '--from', $wanted[0][1] - 1000, '--to', $within[0][0], '--format', 'json'))->{segments} };
like($around[0]{detail}, qr/^in memcg reclaim for 6\.48 \S+ \(inferred\)$/, '… and the part of one that begins before it');
my ($first) = @{ json_of(wakepath('info', $text, '--top', '--format', 'json'))->{answers} };
like($first->{text}, qr/^dd\S*: .* 69 % went to the kernel's work for memory, nearly all because it waited in memcg reclaim/, 'the overview tells it first');
is($first->{count}, $waited->{count}, '… as often as causes count');

like(wakepath('why', $text, '--thread', $wanted[0][0])->{out}, qr/^dd\S* waited 9\.43 ms until .*\n(?:.*\n)+it waited in memcg reclaim \(inferred: a filter may have left out a begin or an end in between\)$/m, 'why shows it for its longest wait');
is_deeply([@{ json_of(wakepath('why', $text, '--thread', $wanted[0][0], '--format', 'json'))->{wait} }{qw(memory memory_grade memory_doubts)}], ['memcg reclaim', 'inferred', ['filter']], '… and in JSON');

# ---- in the explorer ----

# The screen after KEYS with the thread NAME of TRACE.
sub screen {
	my ($trace, $name, @keys) = @_;
	spew("$dir/script", join "\n", 'size 150 50', '/', qq("$name"), 'Enter', @keys, "dump $dir/screen", '');
	my $run = wakepath($trace, '--fresh', '--script', "$dir/script");
	is($run->{status}, 0, "played: @keys") or diag $run->{err};
	my $screen = slurp("$dir/screen");
	utf8::decode($screen);
	return $screen;
}

my @there = (':', '"goto +24ms"', 'Enter');
like(screen($text, 'dd', @there, 'W'), qr/^\W+dd\S* waited 9\.43 ms until .*\n y woken by \S+ \(inferred\); it waited in memcg reclaim \(inferred\) /m, 'the pane of waits shows it for the wait');
like(screen($text, 'dd', @there, 'B'), qr/^ memcg reclaim 10\.1 ms \(9\.43 ms blocked, 649 \S+ for a CPU\); its longest wait was in memcg reclaim \(inferred\)$/m, '… and the account');
like(screen($text, 'dd', ':', '"goto +0.1ms"', 'Enter', 'W'), qr/^\W+dd\S* waited .*\n y woken by \S+ \(inferred\) +inferred$/m, '… not for a wait before it');

# ---- the other kinds, made ----

my $ms = 0;
my @made = ('# tracer: nop', '#');
sub event { my ($task, $cpu, $what) = @_; push @made, sprintf '%16s-%-7d [%03d] ..... %10.6f: %s', @$task, $cpu, 100 + $ms++ / 1000, $what }
my ($idle, $app) = (['<idle>', 0], ['app', 50]);
event($idle, 0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
event($app, 0, 'mm_vmscan_direct_reclaim_end: nr_reclaimed=1');	# the end of one that began before
event($app, 0, 'mm_vmscan_direct_reclaim_begin: order=3 gfp_flags=GFP_KERNEL');
event($app, 0, 'mm_compaction_begin: zone_start=0x1 migrate_pfn=0x1 free_pfn=0xe00 zone_end=0x1000, mode=async');
event($app, 0, 'sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120');
event($idle, 0, 'mm_compaction_end: zone_start=0x1 migrate_pfn=0x1 free_pfn=0xe00 zone_end=0x1000, mode=async status=complete');	# from another thread
event($idle, 0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
event($app, 0, 'mm_compaction_end: zone_start=0x1 migrate_pfn=0x1 free_pfn=0xe00 zone_end=0x1000, mode=async status=complete');
event($app, 0, 'mm_vmscan_direct_reclaim_end: nr_reclaimed=12');
event($app, 0, 'mm_vmscan_node_reclaim_begin: nid=0 order=0 gfp_flags=GFP_KERNEL');
event($app, 0, 'mm_vmscan_node_reclaim_end: nr_reclaimed=0');
event($app, 0, 'mm_vmscan_memcg_softlimit_reclaim_begin: order=1 gfp_flags=GFP_KERNEL');
event($app, 0, 'mm_vmscan_memcg_softlimit_reclaim_end: nr_reclaimed=0');
event($app, 0, 'mm_vmscan_memcg_reclaim_begin: order=0 gfp_flags=GFP_KERNEL');
spew("$dir/made.txt", join "\n", @made, '');
is_deeply([map { sprintf '%s/%s %d %d+%d', $_->{name}, $_->{key} // '', $_->{depth}, ($_->{from} - 100e9) / 1e6, $_->{duration} / 1e6 } @{ spans("$dir/made.txt") }],
	['direct reclaim/order 3 0 2+6', 'compaction/ 1 3+4', 'node reclaim/order 0 0 9+1', 'memcg soft limit reclaim/order 1 0 11+1'],
	'each lasts from its begin to the end in the same thread; compaction lies within the reclaim that requests it');
is_deeply([map { "$_->{name} $_->{count} $_->{time} $_->{blocked}" } @{ memory("$dir/made.txt", '--thread', 'app') }],
	['direct reclaim 1 6000000 2000000', 'compaction 1 4000000 2000000', 'memcg soft limit reclaim 1 1000000 0', 'node reclaim 1 1000000 0'], 'the account shows both, longest time first');
is_deeply({ map { $_ => memory_causes("$dir/made.txt", '--thread', 'app')->{$_}{time} } keys %{ memory_causes("$dir/made.txt", '--thread', 'app') } },
	{ 'waited in direct reclaim' => 2_000_000, 'ran in direct reclaim' => 4_000_000, 'ran in memcg soft limit reclaim' => 1_000_000, 'ran in node reclaim' => 1_000_000 },
	'causes count them once: the outer one');
like(wakepath('compare', "$dir/made.txt", '--set', 'span')->{err}, qr/no span was recorded several times/, 'the widest span of a program is not one of the kernel');

# A wait on the CPU declared by a rule, in reclaim: from 3 to 5 of the 2 to 8 ms; it has a cause of its own.
$ms = 0;
@made = ('# tracer: nop', '#');
event($idle, 0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
event($app, 0, 'tracing_mark_write: other');
event($app, 0, 'mm_vmscan_direct_reclaim_begin: order=3 gfp_flags=GFP_KERNEL');
event($app, 0, 'tracing_mark_write: begin spin');
event($app, 0, 'tracing_mark_write: other');
event($app, 0, 'tracing_mark_write: end spin');
event($app, 0, 'tracing_mark_write: other');
event($app, 0, 'tracing_mark_write: other');
event($app, 0, 'mm_vmscan_direct_reclaim_end: nr_reclaimed=12');
event($app, 0, 'tracing_mark_write: other');
spew("$dir/spin.txt", join "\n", @made, '');
spew("$dir/spin.conf", "[state s]\nenter = \$text[\$mark=begin]\nleave = \$text[\$mark=end]\nvalue = \$mark_name\nis = waiting\n");
is_deeply({ map { ("$_->{kind} $_->{name}" => $_->{time}) } grep { $_->{time} } @{ causes("$dir/spin.txt", '--spans', "$dir/spin.conf", '--thread', 'app') } },
	{ 'waiting s:spin' => 2_000_000, 'memory ran in direct reclaim' => 4_000_000 }, 'a declared wait in reclaim counts once among the causes');

# ---- sched_blocked_reason, made: before the thread leaves its CPU, when it is woken, and of another wait ----

# The function that why shows for a wait of app from 1 to 9 ms, with EVENTS ([ms, event]) added.
sub function_of {
	my (@events) = @_;
	my $line = sub { my ($at, $what) = @_; return sprintf '%16s-%-7d [000] d.... %10.6f: %s', 'x', $what =~ /prev_comm=app/ || $at == 0.99 ? 50 : 0, 100 + $at / 1000, $what };
	my @all = ([0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120'],
		[1, 'sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120'],
		[9, 'sched_waking: comm=app pid=50 prio=120 target_cpu=000'],
		[9.1, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120'],
		[12, 'sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120'], @events);
	spew("$dir/reason.txt", join "\n", '# tracer: nop', '#', (map { $line->(@$_) } sort { $a->[0] <=> $b->[0] } @all), '');
	my ($told) = wakepath('why', "$dir/reason.txt", '--thread', 'app')->{out} =~ /^the kernel's function in which it waited: (.*)$/m;
	is(json_of(wakepath('why', "$dir/reason.txt", '--thread', 'app', '--format', 'json'))->{wait}{function}, defined $told ? $told =~ s/, for I.*//r : undef, '… and in JSON');
	return $told;
}
sub reason { my ($at, $pid, $caller, $io) = @_; return [$at, "sched_blocked_reason: pid=$pid iowait=$io caller=$caller"] }
is(function_of(reason(0.99, 50, 'folio_wait_bit_common+0x1a/0x2f0', 1)), 'folio_wait_bit_common, for I/O', 'before the thread leaves its CPU');
like(screen("$dir/reason.txt", 'app', ':', '"goto +5ms"', 'Enter', $_->[0]), qr/$_->[1] in the kernel's function folio_wait_bit_common, for I\/O\s/, $_->[2]) for ['W', 'it waited', '… in the pane of waits'], ['B', 'its longest wait was', '… in the account'];
is(function_of(reason(9.01, 50, 'rwsem_down_read_slowpath+0x1a/0x2f0', 0)), 'rwsem_down_read_slowpath', 'when it is woken');
is(function_of(reason(0.99, 50, 'first+0x1/0x2', 0), reason(9.01, 51, 'other+0x1/0x2', 0)), 'first', 'an event of another thread does not count');
is(function_of(reason(5, 50, 'middle+0x1/0x2', 0), reason(11, 50, 'later+0x1/0x2', 0)), undef, 'nor does one in the middle or after the next run');
is(function_of(), undef, 'without the event no function is shown');
done_testing;
