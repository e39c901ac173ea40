#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stacks that no recording at hand has: of 32 bits, cut short by the tracer, empty, with those of the program, in both orders of the contexts, deeper
# than any real one, with a call that never returns, in an interrupt that the events show. The traces are made here, as lttng-modules writes them.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $second = 1000000000;
my ($u32, $i32, $i64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'];
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my @classes = (
	['sched_switch', "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;"],
	['sched_waking', "$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;"],
	['irq_softirq_raise', "$u32 vec;"], ['irq_softirq_entry', "$u32 vec;"], ['irq_softirq_exit', "$u32 vec;"],
	['irq_handler_entry', "$i32 irq; string name;"], ['irq_handler_exit', "$i32 irq; $i32 ret;"],
	['x86_irq_vectors_local_timer_entry', "$i32 vector;"],
);
my %id = map { $classes[$_][0] => $_ } 0 .. $#classes;

# A trace NAME of one CPU, with CONTEXTS in their order and addresses of BITS.  WAITS: [NAME, TID, { context => [addresses] } as the thread goes to
# sleep, { context => [addresses] } as it is woken, true if an interrupt wakes it, other thread]; the waits last 1 ms, 2 ms, and so on.  The other
# thread, if given, [NAME, TID, { context => … } as it leaves], has the CPU meanwhile, and 1 ms more.
sub recording {
	my ($name, $bits, $contexts, $symbols, @waits) = @_;
	my $folder = "$ENV{TMPDIR}/$name/kernel";
	my $address = $bits == 64 ? 'Q<' : 'L<';
	my ($time, $bytes) = (1000000, '');
	my $put = sub {
		my ($event, $stacks, $fields) = @_;
		$time += 1000;
		$bytes .= pack('L<Q<', $id{$event}, $time);
		for my $c (@$contexts) { my @a = @{ $stacks->{$c} // [] }; $bytes .= pack("L<$address*", scalar @a, @a) }
		$bytes .= $fields;
	};
	my $switch = sub { my ($from, $state, $to, $stacks) = @_; $put->('sched_switch', $stacks, pack('a16l<l<q<a16l<l<', $from->[0], $from->[1], 20, $state, $to->[0], $to->[1], 20)) };
	my $idle = ['swapper/0', 0];
	my $n = 0;
	for my $w (@waits) {
		$switch->($idle, 0, $w, {});
		my $next = $w->[5] // $idle;
		$switch->($w, 1, $next, $w->[2]);
		$time += ++$n * 1000000 - 1000 - ($w->[4] ? 1000 : 0);
		$put->('irq_handler_entry', {}, pack('l<Z*', 9, 'disk')) if $w->[4];
		$put->('sched_waking', $w->[3], pack('a16l<l<l<', @$w[0, 1], 20, 0));
		$put->('irq_handler_exit', {}, pack('l<l<', 9, 1)) if $w->[4];
		$time += 1000000 if $w->[5];
		$switch->($next, $w->[5] ? 1 : 0, $w, $w->[5] ? $w->[5][2] : {});
		$switch->($w, 32, $idle, {});	# and ends
	}
	system('mkdir', '-p', $folder) == 0 or die;
	my $context = join '', map { "integer { size = 32; align = 8; } __${_}_length; integer { size = $bits; align = 8; base = 16; } _$_\[ __${_}_length ]; " } @$contexts;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "$name"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = $second; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; integer { size = 64; align = 8; } content_size; integer { size = 64; align = 8; } packet_size; $u32 cpu_id; };
	event.header := struct { $u32 id; ts_t timestamp; }; event.context := struct { $context}; };
END
	my $size = (8 + 36 + length $bytes) * 8;
	spew("$folder/k_0", pack('L<L<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, 1000000, $time + 10, $size, $size, 0) . $bytes);
	spew("$ENV{TMPDIR}/$name/kallsyms", $symbols) if $symbols;
	return $folder;
}

# { "thread;call;…" => ns }.
sub folded {
	my ($trace, @options) = @_;
	my $r = wakepath('stacks', $trace, '--format', 'folded', @options);
	diag($r->{err}) if $r->{status};
	return { map { /^(.*) (\d+)$/ } split /\n/, $r->{out} };
}

# The tracer's own call comes first in each kernel stack, as in real recordings.
my $tracer = 0xffffffffc0001000;
my $table = <<'END';
ffffffff81000000 T _stext
ffffffff81000100 T sys_read
ffffffff81000200 t do_exit
ffffffff81000300 T schedule
ffffffff81000400 T asm_sysvec_apic_timer_interrupt
ffffffff81000500 t wake_it
ffffffff81000600 T run_it
ffffffff81000700 T _etext
ffffffff81000800 d data
ffffffffc0000000 t lttng_callstack_sequence_get_size	[lttng_tracer]
ffffffffc0002000 t read_it	[disk]
END
sub at { my ($k) = @_; return 0xffffffff81000000 + $k }
sub kernel { return { callstack_kernel => [$tracer, map { at($_) } @_] } }

# ---- 64 bits ----

my @deep = map { at(0x310 + $_ % 8) } 1 .. 600;
my @full = (at(0x310)) x 127;
my $trace = recording('wide', 64, ['callstack_kernel'], $table,
	['plain', 101, kernel(0x310, 0x110), kernel(0x510, 0x610)],
	['never-back', 102, kernel(0x310, 0x300), kernel(0x510, 0x610)],	# the second returns to where do_exit() ends
	['module', 103, { callstack_kernel => [$tracer, at(0x310), 0xffffffffc0002010, 0xffffffffc0302010] }, kernel(0x510)],
	['none', 104, {}, kernel(0x510)],
	['cut', 105, { callstack_kernel => [$tracer, @full, 0xffffffffffffffff] }, kernel(0x510)],
	['deep', 106, { callstack_kernel => [$tracer, @deep] }, kernel(0x510)],
	['data', 107, kernel(0x310, 0x710, 0x900), kernel(0x510)],
	['timer', 108, kernel(0x310), kernel(0x510, 0x410, 0x610)],
	['hard', 109, kernel(0x310), kernel(0x510, 0x410, 0x610), 1],
);
my $s = folded($trace);
is($s->{'plain;sys_read;schedule'}, 1000000, 'by name, the outermost first');
is($s->{'never-back;do_exit;schedule'}, 2000000, 'a call that does not return is in the function before its return address');
is($s->{'module;0xffffffffc0302010;read_it_[disk];schedule'}, 3000000, 'no function is a megabyte long');
is($s->{none}, 4000000, 'no stack: the thread alone');
is($s->{'cut;[outer_calls_cut_off]' . ';schedule' x 127}, 5000000, 'cut off by the tracer');
my ($deep) = grep { /^deep;/ } keys %$s;
is($deep, 'deep;[outer_calls_cut_off]' . ';schedule' x 510, 'deeper than any: its inner calls');
is($s->{'data;0xffffffff81000900;0xffffffff81000710;schedule'}, 7000000, 'after the text there are no functions');

my $w = folded($trace, '--of', 'waker');
is($w->{'plain;swapper/0;run_it;wake_it'}, 1000000, 'a thread that woke');
is($w->{'timer;an_interrupt;asm_sysvec_apic_timer_interrupt;wake_it'}, 8000000, 'an interrupt that only its stack shows, without the calls it interrupted');
is($w->{'hard;IRQ_9_disk;asm_sysvec_apic_timer_interrupt;wake_it'}, 9000000, 'an interrupt that the events show');

my $j = json_of(wakepath('stacks', $trace, '--format', 'json', '--top', 100));
is($j->{with}, 8, 'waits with a stack');
is($j->{without}, 1, 'and without');
is($j->{time}, 45000000, 'all of the time');

# ---- the calls of a thread that had the CPU ----

$trace = recording('busy', 64, ['callstack_kernel'], $table,
	['woken', 101, kernel(0x310), kernel(0x510, 0x410, 0x610, 0x110), 0, ['hog', 201, kernel(0x310, 0x210)]],	# the timer interrupted the hog's system call
	['again', 102, kernel(0x310), kernel(0x510, 0x410), 0, ['user', 202, kernel(0x310, 0x210)]]);	# and here its program
for my $case (['woken', 'hog', 'sched_waking', ['sys_read', 'run_it']], ['again', 'user', 'sched_switch', ['do_exit', 'schedule']]) {
	my ($name, $hog, $event, $frames) = @$case;
	my ($part) = grep { ($_->{name} // '') eq $hog && $_->{phase} eq 'wait-cpu' } @{ json_of(wakepath('why', $trace, '--thread', $name, '--format', 'json'))->{blame} };
	is($part->{time}, 1001000, "$hog had the CPU");
	is($part->{stack}{event}, $event, "$hog: at the first event that has its calls");
	is_deeply($part->{stack}{frames}, $frames, "$hog: its own, without the interrupt's");
}

# ---- the program's calls ----

for my $order (['callstack_kernel', 'callstack_user'], ['callstack_user', 'callstack_kernel']) {
	my $user = recording("user-$order->[0]", 64, $order, $table,
		['app', 101, { callstack_kernel => [$tracer, at(0x310)], callstack_user => [0x7f0000001000, 0x55550000] }, {}],
		['low', 102, { callstack_user => [at(0x110), 0x1000] }, {}]);
	my $u = folded($user);
	is($u->{'app;0x55550000;0x7f0000001000;schedule'}, 1000000, "$order->[0] first: the program outside, the kernel inside");
	is($u->{'low;0x1000;0xffffffff81000110'}, 2000000, 'addresses of a program are never the kernel\'s');
}

# ---- several hosts ----

my @hosts = map { recording($_, 64, ['callstack_kernel'], $table, ['app', 101, kernel(0x310, 0x110), {}], ['app', 102, kernel(0x310, 0x110), {}]) } qw(left right);
is_deeply(folded(@hosts, '--sync', 'none'), { 'left;app;sys_read;schedule' => 3000000, 'right;app;sys_read;schedule' => 3000000 }, 'those of each host apart');
is_deeply(folded(@hosts, '--sync', 'none', '--thread', 'left/101'), { 'app;sys_read;schedule' => 1000000 }, 'a thread belongs to one host');

# ---- 32 bits ----

my $narrow = recording('narrow', 32, ['callstack_kernel'], "c0100000 T _stext\nc0100100 T sys_read\nc0100300 T schedule\nf0000000 t lttng_x\t[lttng_tracer]\n",
	['plain', 101, { callstack_kernel => [0xf0000010, 0xc0100310, 0xc0100110] }, {}],
	['cut', 102, { callstack_kernel => [0xf0000010, 0xc0100310, 0xffffffff] }, {}]);
$s = folded($narrow);
is($s->{'plain;sys_read;schedule'}, 1000000, 'addresses of 32 bits');
is($s->{'cut;[outer_calls_cut_off];schedule'}, 2000000, 'and the mark of a stack that was cut off');
is(wakepath('stacks', $narrow)->{err}, '', 'the symbols fit');

# ---- many ----

my @many = map { ["t$_", 1000 + $_, { callstack_kernel => [$tracer, map { 0xffffffff90000000 + 4096 * $_ } $_ * 20 .. $_ * 20 + 19] }, {}] } 1 .. 2000;
my $r = folded(recording('many', 64, ['callstack_kernel'], undef, @many));
is(scalar(keys %$r), 2000, 'two thousand different stacks');

# ---- ftrace: stacks are events of their own, right after the event they belong to (trace-cmd record -T, --user-stack) ----

my $name16 = [ char => 'comm[16]' ];
my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_waking', [ $name16, [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
	[ irq => 'softirq_raise', [ [ 'unsigned int' => 'vec' ] ] ],
	[ ftrace => 'kernel_stack', [ [ int => 'size' ], [ 'unsigned long' => 'caller[8]' ] ] ],
	[ ftrace => 'user_stack', [ [ 'unsigned int' => 'tgid' ], [ 'unsigned long' => 'caller[8]' ] ] ],
);
my $fs = "ffffffff81000000 T _stext\nffffffff81000100 T sys_read\nffffffff81000300 T schedule\nffffffff81000500 t wake_it\nffffffff81000600 T run_it\nffffffff81000700 T __traceiter_sched_switch\nffffffff81000800 T _etext\n";

# Waits of 1 ms of a thread, each TIMES; in each the given events come between the switch and its stack.
sub traced {
	my ($times, $long, $big, @between) = @_;
	my ($time, @events) = (1_000_000_000);
	my $base = $long == 8 ? 0xffffffff81000000 : 0x81000000;
	my $add = sub { my ($event, $pid, $flags, @fields) = @_; push @events, [ $time += 1000, 0, $event, $pid, $flags, @fields ] };
	my $stack = sub { my ($pid, $flags, @k) = @_; $add->('kernel_stack', $pid, $flags, size => scalar @k, caller => [ (map { $base + $_ } @k), $base + 0x210 ]) };
	my $switch = sub { my ($from, $state, $to) = @_; $add->('sched_switch', $from, 1, prev_comm => "t$from", prev_pid => $from, prev_prio => 120, prev_state => $state, next_comm => "t$to", next_pid => $to, next_prio => 120) };
	for (1 .. $times) {
		$switch->(0, 0, 10);
		$stack->(0, 1, 0x310);
		$switch->(10, 1, 0);
		for my $b (@between) { $b->($add, $stack) }
		$stack->(10, 1, 0x710, 0x310, 0x110);
		$add->('user_stack', 10, 1, tgid => 10, caller => [ 0x401000, 0x402000, -1, -1 ]);
		$time += 1_000_000;
		$add->('sched_waking', 0, 1, comm => 't10', pid => 10, prio => 120, target_cpu => 0);
		$stack->(0, 1, 0x510, 0x610);
	}
	$switch->(0, 0, 10);
	my $file = "$ENV{TMPDIR}/stacks-$times-$long-$big-" . @between . '.dat';
	spew($file, trace_dat(formats => \@formats, events => \@events, long => $long, big => $big, cpus => 1, kallsyms => $long == 8 ? $fs : $fs =~ s/^ffffffff//mgr));
	return $file;
}
for my $kind ([8, 0], [4, 1]) {
	my $file = traced(300, @$kind);
	is(join(' ', sort keys %{ folded($file) }), 't10;0x402000;0x401000;sys_read;schedule', "… of @$kind: its own calls, without the tracer's, also if the page ends before them");
	is(join(' ', sort keys %{ folded($file, '--of', 'waker') }), 't10;t0;run_it;wake_it', '… of the waker');
	is(wakepath('stacks', $file)->{err}, '', '… the symbols fit');
}
my $interrupt = sub { my ($add, $stack) = @_; $add->('softirq_raise', 10, 5, vec => 1); $stack->(10, 5, 0x510) };	# flag 4, here as well as 8 and 16: other flags, another context
is(join(' ', keys %{ folded(traced(1, 8, 0, $interrupt)) }), 't10;0x402000;0x401000;sys_read;schedule', 'an interrupt between an event and its stack has its own');
my $other = sub { my ($add) = @_; $add->('softirq_raise', 10, 1, vec => 1) };
like(wakepath('stacks', traced(1, 8, 0, $other, $other))->{err}, qr/no stacks were recorded/, 'after another event of the same context it belongs to that one');

done_testing();
