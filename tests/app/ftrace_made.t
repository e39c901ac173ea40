#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each event of ftrace that the model uses, in files made for this test, of both byte orders and widths of a long: trace-cmd reads them, and each has
# its effect.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $wake = [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ];
my $bio = [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ char => 'rwbs[10]' ], [ char => 'comm[16]' ] ];
my $rq = [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ 'unsigned int' => 'bytes' ], [ char => 'rwbs[10]' ], [ char => 'comm[16]' ], [ '__data_loc char[]' => 'cmd' ] ];
my $states = '"%s", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & 0xff, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000010, "X" }, { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x0000003f | 0x00000040) + 1 + 0x00000000) << 2) ? "+" : ""';
my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ], $states ],
	(map { [ sched => $_, $wake ] } qw(sched_waking sched_wakeup sched_wakeup_new)),
	[ sched => 'sched_migrate_task', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'orig_cpu' ], [ int => 'dest_cpu' ] ] ],
	[ sched => 'sched_process_fork', [ [ char => 'parent_comm[16]' ], [ pid_t => 'parent_pid' ], [ char => 'child_comm[16]' ], [ pid_t => 'child_pid' ] ] ],
	[ sched => 'sched_process_exec', [ [ '__data_loc char[]' => 'filename' ], [ pid_t => 'pid' ], [ pid_t => 'old_pid' ] ] ],
	[ sched => 'sched_process_exit', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ] ] ],
	[ sched => 'sched_process_free', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ] ] ],
	[ sched => 'sched_pi_setprio', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'oldprio' ], [ int => 'newprio' ] ] ],
	[ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ],
	[ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ],
	(map { [ irq => $_, [ [ 'unsigned int' => 'vec' ] ] ] } qw(softirq_entry softirq_exit softirq_raise)),
	(map { [ irq_vectors => $_, [ [ int => 'vector' ] ] ] } qw(call_function_single_entry call_function_single_exit call_function_entry call_function_exit local_timer_entry local_timer_exit)),
	[ ipi => 'ipi_send_cpu', [ [ 'unsigned int' => 'cpu' ], [ 'void *' => 'callsite' ], [ 'void *' => 'callback' ] ] ],
	[ ipi => 'ipi_send_cpumask', [ [ '__data_loc cpumask_t' => 'cpumask' ], [ 'void *' => 'callsite' ], [ 'void *' => 'callback' ] ] ],
	[ csd => 'csd_queue_cpu', [ [ 'unsigned int' => 'cpu' ], [ 'void *' => 'callsite' ], [ 'void *' => 'func' ], [ 'void *' => 'csd' ] ] ],
	(map { [ csd => $_, [ [ 'void *' => 'func' ], [ 'void *' => 'csd' ] ] ] } qw(csd_function_entry csd_function_exit)),
	(map { [ block => $_, $bio ] } qw(block_bio_queue block_getrq)),
	(map { [ block => $_, $rq ] } qw(block_rq_insert block_rq_issue block_io_start)),
	[ block => 'block_rq_complete', [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ int => 'error' ], [ char => 'rwbs[10]' ], [ '__data_loc char[]' => 'cmd' ] ] ],
	[ workqueue => 'workqueue_queue_work', [ [ 'void *' => 'work' ], [ 'void *' => 'function' ], [ '__data_loc char[]' => 'workqueue' ], [ int => 'req_cpu' ], [ int => 'cpu' ] ] ],
	(map { [ workqueue => $_, [ [ 'void *' => 'work' ], [ 'void *' => 'function' ] ] ] } qw(workqueue_execute_start workqueue_execute_end)),
	[ timer => 'timer_start', [ [ 'void *' => 'timer' ], [ 'void *' => 'function' ], [ 'unsigned long' => 'expires' ], [ 'unsigned long' => 'bucket_expiry' ], [ 'unsigned long' => 'now' ], [ 'unsigned int' => 'flags' ] ] ],
	[ timer => 'timer_expire_entry', [ [ 'void *' => 'timer' ], [ 'unsigned long' => 'now' ], [ 'void *' => 'function' ], [ 'unsigned long' => 'baseclk' ] ] ],
	[ timer => 'timer_expire_exit', [ [ 'void *' => 'timer' ] ] ],
	[ timer => 'hrtimer_start', [ [ 'void *' => 'hrtimer' ], [ 'void *' => 'function' ], [ s64 => 'expires' ], [ s64 => 'softexpires' ], [ 'unsigned int' => 'mode' ] ] ],
	[ timer => 'hrtimer_expire_entry', [ [ 'void *' => 'hrtimer' ], [ s64 => 'now' ], [ 'void *' => 'function' ] ] ],
	[ timer => 'hrtimer_expire_exit', [ [ 'void *' => 'hrtimer' ] ] ],
	[ signal => 'signal_generate', [ [ int => 'sig' ], [ int => 'errno' ], [ int => 'code' ], [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'group' ], [ int => 'result' ] ] ],
	(map { [ net => $_, [ [ 'void *' => 'skbaddr' ], [ 'unsigned int' => 'len' ], [ '__data_loc char[]' => 'name' ] ] ] } qw(net_dev_queue netif_receive_skb)),
	[ napi => 'napi_poll', [ [ 'void *' => 'napi' ], [ '__data_loc char[]' => 'dev_name' ], [ int => 'work' ], [ int => 'budget' ] ] ],
	[ raw_syscalls => 'sys_enter', [ [ long => 'id' ], [ 'unsigned long' => 'args[6]' ] ] ],
	[ raw_syscalls => 'sys_exit', [ [ long => 'id' ], [ long => 'ret' ] ] ],
	[ syscalls => 'sys_enter_openat', [ [ int => '__syscall_nr' ], [ 'unsigned long' => 'dfd' ] ] ],
	[ syscalls => 'sys_exit_openat', [ [ int => '__syscall_nr' ], [ long => 'ret' ] ] ],
);

# ---- one story: thread 10 on CPU 0, CPU 1 idle; flags: 8 hard interrupt, 16 softirq ----

my ($now, @events) = (1_000_000);
sub at { my ($cpu, $name, $pid, $flags, @fields) = @_; push @events, [ $now += 1000, $cpu, $name, $pid, $flags, @fields ]; return $now }
sub switch { my ($cpu, $from, $state, $to) = @_; return at($cpu, 'sched_switch', $from, 1, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) }
sub waking { my ($cpu, $pid, $flags, $tid, $name) = @_; return at($cpu, 'sched_waking', $pid, $flags, comm => $name // "t$tid", pid => $tid, prio => 120, target_cpu => 0) }
my %at;	# answer to check → time of the wake-up

sub sleep10 { my ($state) = @_; switch(0, 10, $state // 1, 0) }
sub run10 { switch(0, 0, 0, 10) }

switch(1, 20, 1, 0);
run10();
at(0, 'sched_process_fork', 10, 0, parent_comm => 't10', parent_pid => 10, child_comm => 't10', child_pid => 11);
at(0, 'sched_wakeup_new', 10, 1, comm => 't10', pid => 11, prio => 120, target_cpu => 1);
switch(1, 0, 0, 11);
at(1, 'sched_process_exec', 11, 0, filename => '/bin/made', pid => 11, old_pid => 11);
$at{call} = at(1, 'sys_enter', 11, 0, id => 1, args => [ 1, 2 ]);
at(1, 'sys_exit', 11, 0, id => 1, ret => 0);
$at{openat} = at(1, 'sys_enter_openat', 11, 0, __syscall_nr => 257);
at(1, 'sys_exit_openat', 11, 0, __syscall_nr => 257, ret => 3);

sleep10();
$at{thread} = waking(1, 11, 1, 10);
at(1, 'sched_migrate_task', 11, 1, comm => 't10', pid => 10, prio => 120, orig_cpu => 0, dest_cpu => 0);
run10();

sleep10();
# For each kind of context an exit is seen before it matters: without exits the end of a context is unknown.
at(0, 'irq_handler_entry', 0, 9, irq => 28, name => 'disk');
at(0, 'irq_handler_exit', 0, 9, irq => 28, ret => 1);
at(0, 'call_function_single_entry', 0, 9, vector => 251);
at(0, 'softirq_raise', 0, 9, vec => 1);
at(0, 'call_function_single_exit', 0, 9, vector => 251);
at(0, 'softirq_entry', 0, 16, vec => 1);
at(0, 'softirq_exit', 0, 16, vec => 1);
at(0, 'local_timer_entry', 0, 9, vector => 236);
at(0, 'hrtimer_expire_entry', 0, 9, hrtimer => 0x5100, now => $now, function => 0x2000);
at(0, 'hrtimer_expire_exit', 0, 9, hrtimer => 0x5100);
at(0, 'local_timer_exit', 0, 9, vector => 236);
$at{signal} = waking(1, 11, 1, 10);
at(1, 'signal_generate', 11, 1, sig => 12, comm => 't10', pid => 10, group => 1, result => 0);
run10();

# A request: interrupt, IPI, softirq.
$now += 1_100_000;	# no IPI from before the trace is still pending
my @request = (dev => 8 << 20 | 1, sector => 800, nr_sector => 8, rwbs => 'W', comm => 't10');
at(0, 'block_bio_queue', 10, 0, @request);
at(0, 'block_getrq', 10, 0, @request);
at(0, 'block_io_start', 10, 0, @request, bytes => 4096, cmd => '');
at(0, 'block_rq_insert', 10, 0, @request, bytes => 4096, cmd => '');
at(0, 'block_rq_issue', 10, 0, @request, bytes => 4096, cmd => '');
sleep10(2);
sub complete { my ($ipi, @send) = @_;
	at(1, 'irq_handler_entry', 11, 9, irq => 28, name => 'disk');
	at(1, @$_) for @send;
	at(1, 'irq_handler_exit', 11, 9, irq => 28, ret => 1);
	at(0, "${ipi}_entry", 0, 9, vector => 251);
}
sub in_softirq {
	at(0, 'softirq_raise', 0, 9, vec => 4);
	at(0, "$_[0]_exit", 0, 9, vector => 251);
	at(0, 'softirq_entry', 0, 16, vec => 4);
}
complete('call_function_single', [ 'ipi_send_cpu', 11, 9, cpu => 0 ]);
in_softirq('call_function_single');
at(0, 'block_rq_complete', 0, 16, @request, error => 0, cmd => '');
$at{block} = waking(0, 0, 17, 10);
at(0, 'softirq_exit', 0, 16, vec => 4);
run10();

sleep10();
complete('call_function', [ 'ipi_send_cpumask', 11, 9, cpumask => [ 1 ] ]);
$at{mask} = waking(0, 0, 9, 10);
at(0, 'call_function_exit', 0, 9, vector => 251);
run10();

sleep10();
complete('call_function_single', [ 'csd_queue_cpu', 11, 9, cpu => 0, func => 0x1000, csd => 0x7000 ], [ 'ipi_send_cpu', 11, 9, cpu => 0 ], [ 'ipi_send_cpu', 11, 9, cpu => 0 ]);
at(0, 'csd_function_entry', 0, 9, func => 0x1000, csd => 0x7000);
$at{csd} = waking(0, 0, 9, 10);
at(0, 'csd_function_exit', 0, 9, func => 0x1000, csd => 0x7000);
at(0, 'call_function_single_exit', 0, 9, vector => 251);
run10();

at(0, 'hrtimer_start', 10, 1, hrtimer => 0x5000, function => 0x2000, expires => $now + 5000, softexpires => $now + 5000, mode => 0);
sleep10();
at(0, 'local_timer_entry', 0, 9, vector => 236);
at(0, 'hrtimer_expire_entry', 0, 9, hrtimer => 0x5000, now => $now, function => 0x2000);
$at{hrtimer} = waking(0, 0, 9, 10);
at(0, 'hrtimer_expire_exit', 0, 9, hrtimer => 0x5000);
at(0, 'local_timer_exit', 0, 9, vector => 236);
run10();

at(0, 'timer_start', 10, 1, timer => 0x6000, function => 0x3000, expires => 100, bucket_expiry => 101, now => 90, flags => 0);
sleep10();
at(0, 'softirq_raise', 0, 9, vec => 1);
at(0, 'softirq_entry', 0, 16, vec => 1);
at(0, 'timer_expire_entry', 0, 16, timer => 0x6000, now => 102, function => 0x3000, baseclk => 101);
$at{timer} = waking(0, 0, 17, 10);
at(0, 'timer_expire_exit', 0, 16, timer => 0x6000);
at(0, 'softirq_exit', 0, 16, vec => 1);
run10();

at(0, 'net_dev_queue', 10, 0, skbaddr => 0x8000, len => 66, name => 'lo');
sleep10();
at(0, 'softirq_raise', 0, 9, vec => 3);
at(0, 'softirq_entry', 0, 16, vec => 3);
at(0, 'netif_receive_skb', 0, 16, skbaddr => 0x8000, len => 66, name => 'lo');
$at{network} = waking(0, 0, 17, 10);
at(0, 'napi_poll', 0, 16, napi => 0x9000, dev_name => 'lo', work => 1, budget => 64);
at(0, 'softirq_exit', 0, 16, vec => 3);
run10();

# A worker is woken for a work item.
at(0, 'workqueue_queue_work', 10, 1, work => 0xa000, function => 0x4000, workqueue => 'events', req_cpu => 1, cpu => 1);
$at{work} = waking(0, 10, 1, 30, 'kworker/1:0');
at(0, 'sched_wakeup', 10, 1, comm => 'kworker/1:0', pid => 30, prio => 120, target_cpu => 1);
switch(1, 11, 0x200, 30);	# preempted: the bit for which the print fmt of this sched_switch prints "+"
at(1, 'workqueue_execute_start', 30, 0, work => 0xa000, function => 0x4000);
at(1, 'sched_pi_setprio', 30, 1, comm => 't11', pid => 11, oldprio => 120, newprio => 98);
at(1, 'workqueue_execute_end', 30, 0, work => 0xa000, function => 0x4000);
switch(1, 30, 0x80, 11);
$at{exit} = at(1, 'sched_process_exit', 11, 0, comm => 'made', pid => 11, prio => 120);
$at{over} = switch(1, 11, 0x10, 0);
at(1, 'sched_process_free', 0, 16, comm => 'made', pid => 11, prio => 120);

my $kallsyms = join '', map { sprintf "%016x T %s\n", @$_ } [ 0x1000, 'csd_fn' ], [ 0x2000, 'hr_fn' ], [ 0x3000, 'wheel_fn' ], [ 0x4000, 'work_fn' ], [ 0x5000, 'end' ];

sub story {
	my ($name, %how) = @_;
	my $file = "$ENV{TMPDIR}/$name.dat";
	spew($file, trace_dat(formats => \@formats, events => \@events, kallsyms => $kallsyms, cmdlines => "20 saved\n", %how));
	return $file;
}

for ([ 'little-64' ], [ 'little-32', long => 4 ], [ 'big-64', big => 1 ], [ 'big-32', big => 1, long => 4 ]) {
	my ($name, %how) = @$_;
	my $file = story($name, %how);
	my (%is, %got);
	for (`trace-cmd report -t -R '$file' 2>/dev/null`) { push @{$is{$1 + 0}}, "$2$3 $4" if /\[(\d{3,})\]\s+(\d+)\.(\d{9}): (\S+):/ }
	for my $e (@{json_of(wakepath('events', $file, '--top', 0, '--format', 'json'))->{events}}) { push @{$got{$e->{cpu}}}, "$e->{time} " . $e->{name} =~ s/.*://r }
	is(join(', ', map { @{$got{$_} // []} } 0, 1), join(', ', map { s/^0+(?=\d)//r } map { @{$is{$_} // []} } 0, 1), "$name: trace-cmd reads the same events");
	my %wake = map { ($_->{time} => $_) } map { @{json_of(wakepath('wakeups', $file, '--thread', $_, '--format', 'json'))->{wakeups}} } 10, 30;
	my $w = sub { my ($what) = @_; return $wake{$at{$what}} // {} };
	my $way = sub { join ' > ', map { "$_->{type} " . ($_->{name} // '-') . " $_->{grade}" } @{$w->($_[0])->{source}{context} // []} };
	is(join(' ', map { $w->('thread')->{$_} // '-' } qw(kind grade tid)), 'thread proved 11', 'sched_waking');
	is($w->('signal')->{source}{signal}{number}, 12, 'signal_generate');
	like($w->('signal')->{source}{text}, qr/\bsignal:? 12 USR2\b/, '... as text');
	is($w->('block')->{kind} . ' ' . $w->('block')->{source}{request}{sector}, 'block 800', 'block_…');
	is($way->('block'), 'irq disk proved > ipi call_function_single proved > softirq BLOCK proved', 'irq_handler_…, ipi_send_cpu, softirq_…');
	# A wake-up of more CPUs than a long of unknown width can give is not read.
	my $mask = ($how{big} && ($how{long} // 8) == 8) ? qr/^(?:irq disk inferred > )?ipi call_function \w+$/ : qr/^irq disk proved > ipi call_function proved$/;
	like($way->('mask'), $mask, 'ipi_send_cpumask');
	is($way->('csd'), 'irq disk proved > ipi call_function_single proved', 'csd_queue_cpu, csd_function_entry');
	is($w->('hrtimer')->{source}{timer}{function}, '0x2000', 'hrtimer_…');
	is($way->('hrtimer'), 'irq local_timer proved > hrtimer - proved', 'irq_vectors:local_timer_…');
	is($w->('timer')->{source}{timer}{function}, '0x3000', 'timer_…');
	is($w->('network')->{kind}, 'network', 'net_dev_queue, netif_receive_skb');
	is(join(' ', map { $_ // '-' } $w->('work')->{kind}, $w->('work')->{source}{work}{function}), 'workqueue 0x4000', 'workqueue_…');
	like(wakepath('why', $file, '--thread', 10, '--at', $at{$_->[0]} - 1)->{out}, qr/\b$_->[1]\b/, "… by its name: $_->[1]") for [ 'hrtimer', 'hr_fn' ], [ 'timer', 'wheel_fn' ];
	my %threads = map { ($_->{tid} => $_) } @{json_of(wakepath('threads', $file, '--format', 'json'))->{threads}};
	is((grep { $_ eq 'made' } @{$threads{11}{names}}), 1, 'sched_process_exec names');
	is($threads{11}{pid}, 11, '… and makes a process');
	is($threads{10}{pid}, undef, 'no process where none is recorded');
	my @states = @{json_of(wakepath('states', $file, '--thread', 11, '--format', 'json'))->{intervals}};
	my %of = map { ($_->{from} => "$_->{state} " . ($_->{detail} // '')) } @states;
	like($of{$at{call}} // '', qr/^syscall/, 'raw_syscalls');
	is($of{$at{openat}}, 'syscall openat', 'syscalls:sys_enter_openat');
	my $futex = wakepath('latency', '--kind', 'futex', $file);
	is($futex->{status}, 1, 'calls by number give no futexes');
	like($futex->{err}, qr/no syscall_entry_futex was recorded.* -e syscalls:sys_enter_futex -e syscalls:sys_exit_futex$/, '… and a note names the events that do');
	is((grep { $_->{state} eq 'preempted' } @states) > 0, 1, 'sched_switch: "+" of its own print fmt');
	like($of{$at{over}} // '', qr/^exited/, 'sched_process_exit, X');
}

# ---- an exec by a thread that is not the first of its process: the first one ends, and gives it its TID ----

{
	my @before = splice @events;
	switch(0, 0, 0, 50);
	at(0, 'sched_process_fork', 50, 0, parent_comm => 't50', parent_pid => 50, child_comm => 't50', child_pid => 51);
	at(0, 'sched_wakeup_new', 50, 1, comm => 't50', pid => 51, prio => 120, target_cpu => 0);
	switch(0, 50, 1, 51);
	waking(0, 51, 1, 50);
	switch(0, 51, 2, 50);       # it waits for the first one to end
	waking(0, 50, 1, 51);
	switch(0, 50, 32, 51);
	at(0, 'sched_process_exec', 50, 0, filename => '/bin/made', pid => 50, old_pid => 51);
	at(0, 'sys_exit', 50, 0, id => 59, ret => 0);
	my @away = map { my $from = switch(0, 50, 0, 60); [ $from, switch(0, 60, 0, 50) ] } 1 .. 3;
	at(0, 'sys_enter', 50, 0, id => 1, args => [ 1, 2 ]);
	my $file = story('exec');
	@events = @before;
	my $info = wakepath('info', $file, '--format', 'json');
	is_deeply([ grep { /switches are missing|impossible thread/ } @{json_of($info)->{traces}[0]{warnings}} ], [], 'exec: no switch is missing');
	my @worst = @{json_of(wakepath('latency', $file, '--kind', 'preempted', '--top', 0, '--format', 'json'))->{worst}};
	is(join(' ', sort map { "$_->{start}-$_->{end}" } grep { $_->{tid} == 50 } @worst), join(' ', sort map { "$_->[0]-$_->[1]" } @away), '… and nothing after it is in doubt');
	my $r = wakepath('states', $file, '--thread', 50);
	my @type = $r->{err} =~ /^  (50\@\d+)/mg;
	is(scalar @type, 2, 'exec: two threads of that TID');
	is(wakepath('states', $file, '--thread', $_)->{status}, 0, "… $_ is one of them") for @type;
}

# ---- texts: trace_marker, raw markers, trace_puts() and trace_printk(), with texts elsewhere in the file ----

my @texts = (
	[ ftrace => 'print', [ [ 'unsigned long' => 'ip' ], [ char => 'buf[]' ] ] ],
	[ ftrace => 'raw_data', [ [ 'unsigned int' => 'id' ], [ char => 'buf[]' ] ] ],
	[ ftrace => 'bputs', [ [ 'unsigned long' => 'ip' ], [ 'const char *' => 'str' ] ] ],
	[ ftrace => 'bprint', [ [ 'unsigned long' => 'ip' ], [ 'const char *' => 'fmt' ], [ u32 => 'buf[]' ] ] ],
);
my @said = ([ 2_000_000, 0, 'print', 10, 0, buf => "begin \"1\"\n" ], [ 2_001_000, 0, 'raw_data', 10, 0, id => 7, buf => 'raw' ], [ 2_002_000, 0, 'bputs', 10, 0, str => 0x81000010 ], [ 2_003_000, 0, 'bprint', 10, 0, fmt => 0x81000020, buf => [ 42 ] ], [ 2_004_000, 0, 'bputs', 10, 0, str => 0x99 ]);
for my $long (8, 4) {
	spew("$ENV{TMPDIR}/texts$long.dat", trace_dat(formats => [ @formats, @texts ], events => \@said, long => $long, printk => "0x81000010 : \"puts this\"\n0x81000020 : \"value \\\"%d\\\"\\n\"\n"));
	my @fields = map { $_->{fields} =~ s/.*common_pid = 10 \}, //r } @{json_of(wakepath('events', "$ENV{TMPDIR}/texts$long.dat", '--top', 0, '--format', 'json'))->{events}};
	is($fields[0], '{ ip = 0, buf = "begin \"1\"" }', 'print');
	is($fields[1], '{ id = 7, buf = "raw" }', 'raw_data');
	is($fields[2], '{ ip = 0, str = "puts this" }', 'bputs');
	is($fields[3], '{ ip = 0, fmt = "value \\"%d\\"", buf = [ [0] = 42 ] }', 'bprint');
	is($fields[4], '{ ip = 0, str = 0x99 }', 'a text that the file does not have stays an address');
}

# ---- a guest, recorded together with its host (trace-cmd record -A) ----

# The guest's virtual CPU is thread 40, on CPU 1 of the host; the events of its own CPU lie inside its stays.  The host's clock is 5 s ahead of the
# guest's.
my $ahead = 5_000_000_000;
my @kvm = ([ kvm => 'kvm_entry', [ [ 'unsigned int' => 'vcpu_id' ], [ 'unsigned long' => 'rip' ] ] ], [ kvm => 'kvm_exit', [ [ 'unsigned int' => 'exit_reason' ], [ 'unsigned long' => 'guest_rip' ], [ 'unsigned int' => 'isa' ] ] ]);
my (@host, @guest);
sub guest_events {
	my ($off) = @_;
	my ($t, $seed) = (10_000_000_000, 7);
	(@host, @guest) = ([ $t, 1, 'sched_switch', 0, 1, prev_comm => 'swapper/1', prev_pid => 0, prev_prio => 120, prev_state => 0, next_comm => 'CPU 0/KVM', next_pid => 40, next_prio => 120 ]);
	for my $i (1 .. 400) {
		$seed = ($seed * 16807) % 2147483647;
		$t += 150_000 + $seed % 3_000_000;
		push @host, [ $t, 1, 'kvm_entry', 40, 1, vcpu_id => 0 ];
		my ($from, $to) = (10 + $i % 2, 10 + ($i + 1) % 2);
		push @guest, [ $t + 20_000 - $ahead + $off, 0, 'sched_switch', $from, 1, prev_comm => "g$from", prev_pid => $from, prev_prio => 120, prev_state => 1, next_comm => "g$to", next_pid => $to, next_prio => 120 ];
		push @host, [ $t + 60_000, 1, 'kvm_exit', 40, 1, exit_reason => 12, isa => 1 ];
	}
}
my $shift = sub { pack('Q<L<L<', 77, 0, 1) . pack('L<Q<q<Q<Q<', 1, 0, $_[0], 1, 0) };
sub machines {
	my ($pid, $cpu, @more) = @_;
	my $given = "vm\0" . pack('Q<L<L<L<', 88, 1, $cpu, $pid);
	spew("$ENV{TMPDIR}/host.dat", trace_dat(formats => [ @formats, @kvm ], events => \@host, uname => 'Linux host 6.12.0', options => [ [ 11, pack 'Q<', 77 ], [ 13, $given ] ]));
	spew("$ENV{TMPDIR}/guest.dat", trace_dat(formats => \@formats, events => \@guest, uname => 'Linux guest 6.12.0', cpus => 1, options => [ [ 11, pack 'Q<', 88 ], @more ]));
	return json_of(wakepath('sync', "$ENV{TMPDIR}/host.dat", "$ENV{TMPDIR}/guest.dat", '--format', 'json'));
}
sub offset_of { my ($sync) = @_; my ($h) = grep { $_->{host} eq 'guest' } @{$sync->{hosts}}; return $h->{offset_ns} }

guest_events(0);
my $found = offset_of(machines(40, 0));
ok(defined $found && abs($found - $ahead) < 100_000, 'a guest\'s clock is found with the thread that is given') or diag($found // 'none');
$found = offset_of(machines(40, 0, [ 12, $shift->($ahead) ]));
ok(defined $found && abs($found) < 100_000, 'with its shifts its times are the host\'s, and its stays agree') or diag($found // 'none');

# Another virtual CPU enters and leaves at the same times: only the recording shows which of them is the guest's.
@host = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } map { my @e = @$_; ($_, [ $e[0], 0, $e[2], $e[3] == 40 ? 41 : $e[3], @e[4 .. $#e] ]) } @host;
$_->[1] == 0 && $_->[2] eq 'sched_switch' and @$_ = map { $_ eq '40' ? 41 : $_ } @$_ for @host;
is(offset_of(machines(99, 0)), undef, 'two virtual CPUs match: none is taken');
$found = offset_of(machines(41, 0));
ok(defined $found && abs($found - $ahead) < 100_000, '… except the one that is given');
like(wakepath('sync', "$ENV{TMPDIR}/host.dat", "$ENV{TMPDIR}/guest.dat")->{out}, qr/CPU 0 of guest is .*\[41\]/, '… which is that thread');
is(offset_of(machines(41, 7)), undef, 'a virtual CPU that the guest does not have is refused');

# Thread 41 is inside its guest at other times: the guest's events lie in the time of 40, whatever the recording claims, and a warning says so.
sub said { my @l = grep { /recording says that (?!it is a guest)/ } split /\n/, wakepath('sync', map { "$ENV{TMPDIR}/$_.dat" } qw(host guest))->{err}; return @l }
my $late = 0;
$_->[1] == 0 and $_->[0] += $late = $_->[2] eq 'kvm_entry' ? ($_->[0] / 1000 * 16807) % 80_011 : $late for @host;
@host = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @host;
$found = offset_of(machines(41, 0));
ok(defined $found && abs($found - $ahead) < 100_000, 'a given thread that contradicts the events is not taken');
like(wakepath('sync', "$ENV{TMPDIR}/host.dat", "$ENV{TMPDIR}/guest.dat")->{out}, qr/CPU 0 of guest is .*\[40\]/, '… but the one that agrees');
is(join("\n", said()), 'wakepath: warning: host: its recording says that thread 41 runs CPU 0 of guest, but by the times inside the guest thread 40 runs it: wakepath uses that', '… with a warning of one line');
machines(40, 0);
is(join("\n", said()), '', 'no warning where the given thread agrees');

# Shifts that place the guest elsewhere than its stays.
$found = offset_of(machines(40, 0, [ 12, $shift->($ahead + 2_000_000) ]));
ok(defined $found && abs($found + 2_000_000) < 100_000, 'shifts that its stays contradict are not taken') or diag($found // 'none');
like(join("\n", said()), qr/^wakepath: warning: guest: its recording says that its times are by the clock of host, but the events that both recorded show an offset of at least 1\.9[5-9] ms; wakepath uses these$/, '… with a warning of one line');

# Too few events to show anything by themselves: the recordings' values are taken, if they give both the virtual CPU and the clock.
my @many = @guest;
@guest = @guest[10 .. 19];
machines(40, 0);
unlike(wakepath('sync', map { "$ENV{TMPDIR}/$_.dat" } qw(host guest))->{out}, qr/^CPU 0 of guest/m, 'ten events do not show whose CPU it is');
machines(40, 0, [ 12, $shift->($ahead) ]);
like(wakepath('sync', map { "$ENV{TMPDIR}/$_.dat" } qw(host guest))->{out}, qr/^CPU 0 of guest is .*\[40\]: 8 events inside its stays in the guest, 0 outside/m, 'but the recording does, and the eight between the first and the last do not contradict');
like(wakepath('sync', map { "$ENV{TMPDIR}/$_.dat" } qw(host guest))->{out}, qr/^guest: its stays, or packets of a host on the way, are too close together in time/m, '… nor do they show the rate of its clock');
is(join("\n", said()), '', '… about which there is no message');
machines(40, 0, [ 12, $shift->($ahead + 100_000) ]);
like(join("\n", said()), qr/says that thread 40 runs CPU 0 of guest, but by the times inside the guest it does not, or these are too few: wakepath does not use that$/, 'the recording is not used where events contradict it');
@guest = @many;

# For a host without events of KVM, the recording's values are all there is.
@host = grep { $_->[2] !~ /^kvm/ } @host;
my ($given) = grep { $_->{host} eq 'guest' } @{machines(40, 0, [ 12, $shift->($ahead) ])->{hosts}};
is(join(' ', map { $given->{$_} // 'null' } qw(quality slope offset_ns error_ns_max by start_shift_ns)), 'given 1 0 null host null', 'a clock by its shifts alone: the host\'s, with an unknown error');
is(join("\n", said()), '', '… and no warning');
($given) = grep { $_->{host} eq 'host' } @{json_of(wakepath('sync', (map { "$ENV{TMPDIR}/$_.dat" } qw(guest host)), '--format', 'json'))->{hosts}};
is(join(' ', map { $given->{$_} // 'null' } qw(quality slope offset_ns error_ns_max by)), 'given 1 0 null guest', '… even if the guest is named first');
spew("$ENV{TMPDIR}/given.json", wakepath('sync', (map { "$ENV{TMPDIR}/$_.dat" } qw(host guest)), '--format', 'json')->{out});
is(wakepath('sync', (map { "$ENV{TMPDIR}/$_.dat" } qw(host guest)), '--sync', "$ENV{TMPDIR}/given.json", '--format', 'json')->{out}, slurp("$ENV{TMPDIR}/given.json"), '… and reading it again gives the same clock');
($given) = grep { $_->{host} eq 'guest' } @{machines(40, 0)->{hosts}};
is($given->{quality}, 'absent', 'without shifts there is no clock');

# ---- switches of some threads alone: the first one does not show the thread that ran when the events begin ----

@events = ();
$now = 1_000_000;
waking(0, 30, 1, 10);
switch(0, 22, 1, 10);
waking(0, 10, 1, 40);
switch(0, 10, 1, 0);
spew("$ENV{TMPDIR}/some.dat", trace_dat(formats => \@formats, events => \@events));
my ($by) = map { $_->{tid} // 'nobody known' } @{json_of(wakepath('wakeups', "$ENV{TMPDIR}/some.dat", '--thread', '10', '--format', 'json'))->{wakeups}};
is($by, 'nobody known', 'the thread that ran before the first event is not the one that left in the first switch');

# ---- overwritten rings: the rest of CPU 1 begins later ----

@events = ();
$now = 1_000_000;
switch(0, 0, 0, 20);
waking(0, 20, 1, 10);
my $woken = $now;
at(0, 'sched_wakeup', 20, 1, comm => 't10', pid => 10, prio => 120, target_cpu => 1);
$now += 1_000_000;
switch(0, 20, 1, 0);
switch(1, 30, 1, 0);
my $began = $now;
switch(1, 0, 0, 10);
for my $lost (undef, 1) {
	spew("$ENV{TMPDIR}/ring.dat", trace_dat(formats => \@formats, events => \@events, lost => $lost));
	my ($state) = map { $_->{state} } grep { $_->{from} <= $woken + 5000 && $_->{to} > $woken + 5000 } @{json_of(wakepath('states', "$ENV{TMPDIR}/ring.dat", '--thread', '10', '--format', 'json'))->{intervals}};
	is($state, $lost ? 'unknown' : 'wait-cpu', $lost ? '… or ran during overwritten events' : 'a woken thread waits');
	my $gaps = json_of(wakepath('info', "$ENV{TMPDIR}/ring.dat", '--format', 'json'))->{traces}[0]{gaps};
	is(join(', ', map { "$_->{cpu}: $_->{from} to $_->{to}" } @$gaps), $lost ? "1: 1001001 to $began" : '', '… which is a gap') if $lost;
}

# ---- CPUs that tracing_cpumask leaves out, or that idle ----

sub wakeup { my ($cpu, $pid, $tid, $target) = @_; return at($cpu, 'sched_wakeup', $pid, 1, comm => "t$tid", pid => $tid, prio => 120, target_cpu => $target) }
for my $target (0, 1) {
	@events = ();
	$now = 1_000_000;
	switch(0, 0, 0, 20);
	my $slept = switch(0, 20, 1, 21);
	waking(0, 21, 1, 22);
	wakeup(0, 21, 22, $target);
	switch(0, 21, 1, 0);
	waking(0, 0, 9, 20);
	wakeup(0, 0, 20, 0);
	switch(0, 0, 0, 20);
	spew("$ENV{TMPDIR}/mask.dat", trace_dat(formats => \@formats, events => \@events));
	my $info = json_of(wakepath('info', "$ENV{TMPDIR}/mask.dat", '--format', 'json'))->{traces}[0];
	my ($state) = map { $_->{state} } grep { $_->{from} <= $slept && $_->{to} > $slept } @{json_of(wakepath('states', "$ENV{TMPDIR}/mask.dat", '--thread', '20', '--format', 'json'))->{intervals}};
	is(join(', ', map { "$_->{cpu}: $_->{from} to $_->{to}" } @{$info->{gaps}}), $target ? "1: 1001000 to $now" : '', $target ? 'a thread is put on a CPU without events: that CPU was left out' : 'a CPU without events may have idled');
	is(join('', map { /^not recorded: CPU (\d+):.*-M/ ? $1 : '' } @{$info->{warnings}}), $target ? '1' : '', $target ? '… and a warning says so' : '… and there is no warning about it');
	is($state, $target ? 'unknown' : 'blocked', $target ? '… and a sleeping thread may have run there' : '… and a sleeping thread sleeps');
}

# A thread is put there in a page of a long trace that the reader does not look at in advance: the CPU is known from there on.
my $pages = 9020;	# each filler has one: 36 MB
@events = ();
$now = 1_000_000;
my $slept = switch(0, 20, 1, 21);
at(0, 'filler', 21, 0) for 1 .. $pages;
my $put = wakeup(0, 21, 22, 1);
switch(0, 21, 1, 0);
spew("$ENV{TMPDIR}/late.dat", trace_dat(formats => [ @formats, [ wk => 'filler', [ [ char => 'data[3900]' ] ] ] ], events => \@events));
my $late_info = json_of(wakepath('info', "$ENV{TMPDIR}/late.dat", '--format', 'json'))->{traces}[0];
is(join(', ', map { "$_->{cpu}: $_->{from} to $_->{to}" } @{$late_info->{gaps}}), "1: $slept to $now", 'a CPU whose first event is late was left out from the beginning');
is(join('', map { /^not recorded: CPU (\d+):.*-M/ ? $1 : '' } @{$late_info->{warnings}}), '1', '… and a warning says so');
is(join(', ', map { "$_->{state} to $_->{to}" } @{json_of(wakepath('states', "$ENV{TMPDIR}/late.dat", '--thread', '20', '--format', 'json'))->{intervals}}), "blocked to $put, unknown to $now", '… and a sleeping thread may run there from then on');

# ---- tracing_on was 0 for a while: all CPUs are silent, and a switch is missing ----

for my $other (20, 21) {
	@events = ();
	$now = 1_000_000;
	switch(0, 0, 0, 20);
	switch(1, 30, 1, 31);
	switch(0, 20, 1, 22);
	switch(0, 22, 1, 20);
	my $last = waking(1, 31, 1, 22);
	$now += 20_000_000;
	my $first = waking(1, 31, 1, 30);
	waking(0, $other, 1, 40);
	spew("$ENV{TMPDIR}/hole.dat", trace_dat(formats => \@formats, events => \@events));
	my $info = json_of(wakepath('info', "$ENV{TMPDIR}/hole.dat", '--format', 'json'))->{traces}[0];
	my ($state) = map { $_->{state} } grep { $_->{from} <= $last + 1000 && $_->{to} > $last + 1000 } @{json_of(wakepath('states', "$ENV{TMPDIR}/hole.dat", '--thread', '22', '--format', 'json'))->{intervals}};
	my $is_hole = $other != 20;
	is(join(', ', map { "$_->{cpu}: $_->{from} to $_->{to}" } @{$info->{gaps}}), $is_hole ? join(', ', map { "$_: $last to $first" } 0, 1) : '', $is_hole ? 'another thread runs after a silence of all CPUs' : 'a time without events on all CPUs may be real');
	is(scalar(grep { /^no CPU recorded anything.*: 1 time;/ } @{$info->{warnings}}), $is_hole ? 1 : 0, $is_hole ? '… and a warning says so' : '… and there is no warning about it');
	is($state, $is_hole ? 'unknown' : 'wait-cpu', $is_hole ? '… and the states of threads are unknown' : '… and a waiting thread waits');
}
# ---- a full buffer that refuses events: their number is known, by the kernel's statistics, but not their places ----

{
	my $n = 0;
	my @switches = map { [ 1_000_000 + 1000 * $_, 0, 'sched_switch', $_ % 2 ? 11 : 10, 0, prev_comm => 'a', prev_pid => $_ % 2 ? 11 : 10, prev_prio => 120, prev_state => 1, next_comm => 'b', next_pid => $_ % 2 ? 10 : 11, next_prio => 120 ] } 0 .. 199;
	my $lost = sub {
		my ($dropped, $overrun) = @_;
		my $path = "$ENV{TMPDIR}/refused-" . ++$n . '.dat';
		my @stats = map { [ 2, "CPU: $_->[0]\nentries: 7\noverrun: 0\ncommit overrun: $_->[2]\nbytes: 5000\ndropped events: $_->[1]\nread events: 9\n\0" ] } [ 0, $dropped, $overrun ], [ 1, 0, 0 ];
		spew($path, trace_dat(formats => \@formats, events => \@switches, options => \@stats));
		return json_of(wakepath('info', '--format', 'json', $path))->{traces}[0];
	};
	my ($none, $some, $by_commit) = ($lost->(0, 0), $lost->(3, 0), $lost->(0, 2));
	is_deeply($none->{gaps}, [], 'refused: none');
	cmp_ok(scalar @{$some->{gaps}}, '>', 2, '… some: between any two pages');
	is_deeply([ map { [ @$_{qw(cpu to)} ] } $some->{gaps}[-1] ], [ [ 0, $some->{to} ] ], '… and behind the last one');
	is($some->{discarded}, 3, '… with their number');
	is((grep { /^cpu0: a full buffer dropped 3 events at unknown places/ } @{$some->{warnings}}), 1, '… and a warning');
	is((grep { /^cpu0: a full buffer dropped 2 events/ } @{$by_commit->{warnings}}), 1, '… also for events that an interrupt had no room for');
}

done_testing;
