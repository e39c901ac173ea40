#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Programs' calls by the files that were mapped while it was recorded: what recorded calls tell, and nothing that they do not. No recording at hand
# has callstack_user, so the trace is made here, as lttng-modules writes it; what is where follows from the calls by hand.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my ($u32, $i32, $i64, $u64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'], [64, 'false'];
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my @classes = (
	['sched_switch', "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;", 'a16l<l<q<a16l<l<'],
	['sched_waking', "$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;", 'a16l<l<l<'],
	['sched_process_fork', "$comm parent_comm[16]; $i32 parent_tid; $i32 parent_pid; $comm child_comm[16]; $i32 child_tid; $i32 child_pid;", 'a16l<l<a16l<l<'],
	['sched_process_exec', "string filename; $i32 tid; $i32 old_tid;", 'Z*l<l<'],
	['syscall_entry_openat', "$i32 dfd; string filename; $i32 flags; $i32 mode;", 'l<Z*l<l<'], ['syscall_exit_openat', "$i64 ret;", 'q<'],
	['syscall_entry_mmap', "$u64 addr; $u64 len; $i32 prot; $i32 flags; $i32 fd; $i64 offset;", 'Q<Q<l<l<l<q<'], ['syscall_exit_mmap', "$u64 ret;", 'Q<'],
	['syscall_entry_munmap', "$u64 addr; $u64 len;", 'Q<Q<'], ['syscall_exit_munmap', "$i64 ret;", 'q<'],
	['syscall_entry_mremap', "$u64 addr; $u64 old_len; $u64 new_len; $i32 flags; $u64 new_addr;", 'Q<Q<Q<l<Q<'], ['syscall_exit_mremap', "$u64 ret;", 'Q<'],
	['syscall_entry_close', "$u32 fd;", 'L<'], ['syscall_exit_close', "$i64 ret;", 'q<'],
	['syscall_entry_dup2', "$u32 oldfd; $u32 newfd;", 'L<L<'], ['syscall_exit_dup2', "$i64 ret;", 'q<'],
);
my %id = map { $classes[$_][0] => $_ } 0 .. $#classes;

my (@packets, $time, $bytes, $on, $waits);
sub put {
	my ($event, $stack, @fields) = @_;
	$time += 1000;
	$bytes .= pack('L<Q<L<Q<*', $id{$event}, $time, scalar @$stack, @$stack) . pack($classes[ $id{$event} ][2], @fields);
}
sub run {
	my ($who) = @_;
	put('sched_switch', [], @$on, 20, 0, @$who, 20) if $on != $who;
	$on = $who;
}
my $idle = ['swapper/0', 0];
my ($libx, $main, $thread, $child, $other) = (0x7f0000000000, ['app', 100], ['worker', 101], ['child', 200], ['other', 300]);
# WHO sleeps with the program's STACK; how long tells waits apart: 1 ms, 2 ms, …
sub sleep_in {
	my ($who, @stack) = @_;
	run($who);
	put('sched_switch', \@stack, @$who, 20, 1, @$idle, 20);
	$time += ++$waits * 1000000 - 1000;
	put('sched_waking', [], @$who, 20, 0);
	$on = $idle;
	return $waits * 1000000;
}
sub call { my ($who, $name, $result, @args) = @_; run($who); put("syscall_entry_$name", [], @args); put("syscall_exit_$name", [], $result) }
sub flush { push @packets, [$bytes, @_ ? $_[0] : 0, $time]; $bytes = '' }

($time, $bytes, $on, $waits) = (1000000, '', $idle, 0);
my %expected;	# thread, time => the frame
sub expect { my ($who, $address, $frame) = @_; my $t = sleep_in($who, $address); $expected{"$who->[0] $t"} = $frame }

my $shell = ['sh', 1];
run($shell);
put('sched_process_fork', [], @$shell, 1, $main->[0], 100, 100);
run($main);
put('sched_process_exec', [], '/usr/bin/app', 100, 100);
expect($main, 0x555500001000, '0x555500001000');	# the program itself: the kernel mapped it
call($main, 'openat', -2, -100, '/lib/none.so', 0, 0);
call($main, 'openat', 3, -100, '/lib/libx.so.1', 0, 0);
expect($main, $libx + 0x123, '0x7f0000000123');	# not mapped yet
call($main, 'mmap', $libx, 0, 0x4000, 5, 2, 3, 0x1000);
expect($main, $libx + 0x123, 'libx.so.1+0x1123');
call($main, 'mmap', 0xfffffffffffffff4, 0, 0x4000, 5, 2, 3, 0);	# ENOMEM
call($main, 'close', 0, 3);
call($main, 'mmap', 0x7e0000000000, 0, 0x1000, 5, 2, 3, 0);	# of a descriptor that is closed: whatever it is now
expect($main, 0x7e0000000010, '0x7e0000000010');
run($main);
put('sched_process_fork', [], @$main, 100, $thread->[0], 101, 100);
call($thread, 'openat', 3, -100, '/opt/liby.so', 0, 0);
call($main, 'mmap', $libx + 0x1000, $libx + 0x1000, 0x1000, 5, 0x12, 3, 0);	# MAP_FIXED, in the middle; a descriptor that another thread got
expect($thread, $libx + 0x1010, 'liby.so+0x10');
expect($main, $libx + 0xfff, 'libx.so.1+0x1fff');
expect($main, $libx + 0x2010, 'libx.so.1+0x3010');
expect($main, $libx + 0x4000, '0x7f0000004000');	# behind it
call($main, 'mmap', $libx + 0x2000, $libx + 0x2000, 0x1000, 3, 0x32, 3, 0);	# anonymous, whatever the descriptor is
expect($main, $libx + 0x2010, '0x7f0000002010');
run($main);
put('sched_process_fork', [], @$main, 100, $child->[0], 200, 200);
call($main, 'munmap', 0, $libx, 0x1000);
expect($main, $libx + 0x123, '0x7f0000000123');
expect($child, $libx + 0x123, 'libx.so.1+0x1123');	# has its own
call($child, 'munmap', -22, $libx, 0x1000);	# EINVAL
expect($child, $libx + 0x124, 'libx.so.1+0x1124');
call($child, 'munmap', 0, $libx, 0x1000);
expect($child, $libx + 0x123, '0x7f0000000123');
expect($child, $libx + 0x1010, 'liby.so+0x10');
run($child);
put('sched_process_exec', [], '/usr/bin/other', 200, 200);
expect($child, $libx + 0x1010, '0x7f0000001010');
expect($main, $libx + 0x1010, 'liby.so+0x10');
call($main, 'mremap', 0x7d0000000000, $libx + 0x1000, 0x1000, 0x2000, 1, 0);
expect($main, $libx + 0x1010, '0x7f0000001010');
expect($main, 0x7d0000000020, 'liby.so+0x20');
call($main, 'openat', 5, -100, '/lib/a.so', 0, 0);
call($main, 'openat', 6, -100, '/lib/b.so', 0, 0);
call($main, 'dup2', 6, 5, 6);
call($main, 'mmap', 0x7c0000000000, 0, 0x1000, 5, 2, 6, 0);	# one of both: not told
expect($main, 0x7c0000000010, '0x7c0000000010');
expect($other, $libx + 0x1010, '0x7f0000001010');	# a process from before the recording
flush();
run($main);
flush(7);	# events were lost here
expect($main, 0x7d0000000020, '0x7d0000000020');
flush(7);

my $folder = "$ENV{TMPDIR}/maps/kernel";
system('mkdir', '-p', $folder) == 0 or die;
spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "box"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; $u64 content_size; $u64 packet_size; $u64 events_discarded; $u32 cpu_id; };
	event.header := struct { $u32 id; ts_t timestamp; }; event.context := struct { $u32 __callstack_user_length; integer { size = 64; align = 8; base = 16; } _callstack_user[ __callstack_user_length ]; }; };
END
my ($file, $begin) = ('', 1000000);
for my $p (@packets) {
	my $size = (8 + 44 + length $p->[0]) * 8;
	my $end = $p->[2];
	$file .= pack('L<L<Q<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, $begin, $end, $size, $size, $p->[1], 0) . $p->[0];
	$begin = $end;
}
spew("$folder/k_0", $file);

my $r = wakepath('stacks', $folder, '--format', 'json', '--top', 1000);
is($r->{status}, 0, 'stacks') or diag $r->{err};
my %got;
for my $s (@{ json_of($r)->{stacks} }) {
	$got{"$s->{name}: $s->{frames}[0]"} += $s->{time} if @{ $s->{frames} };
}
my %sum;
$sum{(/^(\S+)/)[0] . ": $expected{$_}"} += (split)[1] for keys %expected;
# A thread has the name of its last switch; all calls of one frame are summed up.
is_deeply(\%got, \%sum, 'each address where the calls before it have put it');

# Where only some calls were recorded, what was mapped may be gone.
my $metadata = slurp("$folder/metadata");
for my $call ('munmap', 'close') {
	spew("$folder/metadata", $metadata =~ s/(syscall_exit_)$call"/$1other"/r);
	is(scalar(grep { $_->{frames}[0] !~ /^0x/ } map { @{ $_->{stacks} } } json_of(wakepath('stacks', $folder, '--format', 'json', '--top', 1000))), 0, "without $call() there are only addresses");
}
done_testing();
