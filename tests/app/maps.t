#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Programs' calls by the files that were mapped during the recording: recorded system calls place them, and nothing is placed without one. No recording
# at hand has callstack_user, so the trace is made here, as lttng-modules writes it; the expected places follow from the calls by hand.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
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
# WHO sleeps with the program's STACK; each wait has another length: 1 ms, 2 ms, …
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

# Write the events so far as the trace FOLDER; its clock began SECONDS after the Epoch.
sub write_trace {
	my ($folder, $seconds) = @_;
	system('mkdir', '-p', $folder) == 0 or die;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "box"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = 1000000000; offset_s = $seconds; };
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
}

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
call($main, 'mmap', 0x7e0000000000, 0, 0x1000, 5, 2, 3, 0);	# of a closed descriptor: its file is unknown
expect($main, 0x7e0000000010, '0x7e0000000010');
run($main);
put('sched_process_fork', [], @$main, 100, $thread->[0], 101, 100);
call($thread, 'openat', 3, -100, '/opt/liby.so', 0, 0);
call($main, 'mmap', $libx + 0x1000, $libx + 0x1000, 0x1000, 5, 0x12, 3, 0);	# MAP_FIXED, in the middle; a descriptor that another thread got
expect($thread, $libx + 0x1010, 'liby.so+0x10');
expect($main, $libx + 0xfff, 'libx.so.1+0x1fff');
expect($main, $libx + 0x2010, 'libx.so.1+0x3010');
expect($main, $libx + 0x4000, '0x7f0000004000');	# after it
call($main, 'mmap', $libx + 0x2000, $libx + 0x2000, 0x1000, 3, 0x32, 3, 0);	# anonymous, whatever the descriptor
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
call($main, 'mmap', 0x7c0000000000, 0, 0x1000, 5, 2, 6, 0);	# of one of the two: unknown which
expect($main, 0x7c0000000010, '0x7c0000000010');
expect($other, $libx + 0x1010, '0x7f0000001010');	# a process from before the recording
flush();
run($main);
flush(7);	# events were lost here
expect($main, 0x7d0000000020, '0x7d0000000020');
flush(7);

my $folder = "$ENV{TMPDIR}/maps/kernel";
write_trace($folder, 0);
my $r = wakepath('stacks', $folder, '--format', 'json', '--top', 1000);
is($r->{status}, 0, 'stacks') or diag $r->{err};
my %got;
for my $s (@{ json_of($r)->{stacks} }) {
	$got{"$s->{name}: $s->{frames}[0]"} += $s->{time} if @{ $s->{frames} };
}
my %sum;
$sum{(/^(\S+)/)[0] . ": $expected{$_}"} += (split)[1] for keys %expected;
# A thread has the name of its last switch; all calls of one frame are summed up.
is_deeply(\%got, \%sum, 'each address is in the file that the calls before it mapped there');

# If only some calls were recorded, a mapping may be gone.
my $metadata = slurp("$folder/metadata");
for my $call ('munmap', 'close') {
	spew("$folder/metadata", $metadata =~ s/(syscall_exit_)$call"/$1other"/r);
	is(scalar(grep { $_->{frames}[0] !~ /^0x/ } map { @{ $_->{stacks} } } json_of(wakepath('stacks', $folder, '--format', 'json', '--top', 1000))), 0, "without $call() there are only addresses");
}

# ---- names of functions ----

# A library, loaded as by ld.so: room for all of it, then the executable part in its place. nm and addr2line give the name at each place.
my $root = "$ENV{TMPDIR}/root";
my $path = '/opt/app/libnames.so';
my $source = "$ENV{TMPDIR}/names.c";
sub shell { system(@_) == 0 or die "@_: $?" }
sub build { my ($to, @options) = @_; shell('gcc', '-shared', '-fPIC', '-O1', '-g', '-Wl,-z,separate-code,--build-id', @options, '-o', $to, $source) }
sub age { utime 1600000000, 1600000000, @_ }
shell('mkdir', '-p', "$root/opt/app", "$root/usr/lib/debug/.build-id");
spew($source, <<'END');
static __attribute__((noinline)) int hidden(int n) { __asm__ volatile(""); return n * 3; }
__attribute__((noinline)) int shown(int n) { return hidden(n) + 1; }
__attribute__((noinline)) int other(int n) { return hidden(n) + shown(n); }
#ifdef LARGER
int larger(void) { __asm__ volatile(".skip 20000, 0x90"); return 0; }
#endif
END
my $library = "$root$path";
build($library);
age($library);
my @loads = map { [map { hex } (split)[1, 2, 4, 5], /R E/ ? 1 : 0] } grep { /^ *LOAD/ } `readelf -lW $library`;	# offset, address, bytes, in memory, executable?
my ($text) = grep { $_->[4] } @loads;
my $base = 0x7e0000000000;
my %place = map { /^([0-9a-f]+) ([0-9a-f]+) [tT] (hidden|shown|other)$/ ? ($3 => [hex $1, hex $2]) : () } `nm -S $library`;
is(scalar(keys %place), 3, 'functions of a library');
my $page = sub { 4096 * int(($_[0] + 4095) / 4096) };

(@packets, %expected) = ();
($time, $bytes, $on, $waits) = (1000000, '', $idle, 0);
run($shell);
put('sched_process_fork', [], @$shell, 1, $main->[0], 100, 100);
run($main);
put('sched_process_exec', [], '/usr/bin/app', 100, 100);
call($main, 'openat', 3, -100, $path, 0, 0);
call($main, 'mmap', $base, 0, $loads[-1][1] + $loads[-1][3] - $loads[0][1], 1, 2, 3, 0);
call($main, 'mmap', $base + $text->[1], $base + $text->[1], $page->($text->[2]), 5, 0x812, 3, $text->[0]);
call($main, 'close', 0, 3);
call($main, 'munmap', 0, 0x7d0000000000, 0x1000);
my (%named, %plain);	# frames with names, and without
for my $name (sort keys %place) {
	my ($at, $size) = @{ $place{$name} };
	for my $address ($at + 1, $at + $size) {	# a call returns to the address after it
		my ($says) = split /\n/, `addr2line -f -e $library @{[sprintf '0x%x', $address - 1]}`;
		is($says, $name, "the name of addr2line for $name");
		my $t = sleep_in($main, $base + $address);
		$named{"$name (libnames.so)"} += $t;
		$plain{$name}{sprintf 'libnames.so+0x%x', $address - $text->[1] + $text->[0]} += $t;
	}
}
flush();
my $names = "$ENV{TMPDIR}/names/kernel";
write_trace($names, 1700000000);

sub frames { my ($with) = @_; my %f; $f{ $_->{frames}[0] } += $_->{time} for grep { @{ $_->{frames} } } @{ $with->{stacks} }; return \%f }
sub symfs {
	my (@more) = @_;
	my $r = wakepath('stacks', $names, '--format', 'json', '--top', 100, @more ? @more : ('--symfs', $root));
	is($r->{status}, 0, 'an answer') or diag $r->{err};
	return (frames(json_of($r)), $r->{err}, json_of($r));
}
my %without = map { %{ $plain{$_} } } keys %plain;
my ($frames, $warned, $json) = symfs('--symfs', $root);
is_deeply($frames, \%named, 'names of functions');
is($warned, '', '… without a warning');
is($json->{program_names}, 'inferred', '… with grade inferred');
($frames, $warned, $json) = symfs('--top', 100);
is_deeply($frames, \%without, 'without --symfs there are places in the file');
is($json->{program_names}, undef, '… and nothing is inferred');
like(wakepath('stacks', $names, '--format', 'folded', '--symfs', $root)->{out}, qr/^app;shown_\(libnames\.so\) \d+$/m, 'folded');

# The account has the names, too: of a wait in several pieces it takes the longest, the sleep that came last.
my $why = sub { json_of(wakepath('why', $names, '--thread', 100, '--format', 'json', @_)) };
my ($account, $plain_account) = ($why->('--symfs', $root), $why->());
my ($longest) = grep { $_->{stack} } @{ $account->{blame} };
is_deeply($longest->{stack}{frames}, ['shown (libnames.so)'], 'in an account');
is($account->{program_names}, 'inferred', '… with grade inferred, too');
ok(!(grep { $_->{stack} } @{ $plain_account->{blame} }), 'which has no calls of programs without --symfs');
is($plain_account->{program_names}, undef, '… and no grade inferred');

# Stripped: exported functions have names; the others are in a file of their own.
my ($id) = `readelf -n $library` =~ /Build ID: ([0-9a-f]+)/;
shell('objcopy', '--only-keep-debug', $library, "$ENV{TMPDIR}/names.debug");
shell('strip', $library);
shell('objcopy', "--add-gnu-debuglink=$ENV{TMPDIR}/names.debug", $library);
age($library);
($frames) = symfs();
is_deeply($frames, { (map { ("$_ (libnames.so)" => $named{"$_ (libnames.so)"}) } qw(shown other)), %{ $plain{hidden} } }, 'stripped: the exported functions');
my ($first, $rest) = $id =~ /^(..)(.*)/;
for my $debug ("usr/lib/debug/.build-id/$first/$rest.debug", 'opt/app/.debug/names.debug', 'usr/lib/debug/opt/app/names.debug') {
	shell('install', '-D', "$ENV{TMPDIR}/names.debug", "$root/$debug");
	($frames) = symfs();
	is_deeply($frames, \%named, "all, from $debug");
	unlink "$root/$debug" or die;
}
build("$ENV{TMPDIR}/larger.so", '-DLARGER');
shell('install', '-D', "$ENV{TMPDIR}/larger.so", "$root/opt/app/.debug/names.debug");
($frames) = symfs();
is($frames->{'hidden (libnames.so)'}, undef, 'no names from a file of another build');
unlink "$root/opt/app/.debug/names.debug" or die;

# Another file than the one that was mapped.
build($library, '-DLARGER');
age($library);
($frames, $warned) = symfs();
is_deeply($frames, \%without, 'of another build: no names');
like($warned, qr{box: /opt/app/libnames\.so below --symfs is not the file that was mapped.*: a loader would map another part of it}, '… and the reason');
build($library);
($frames, $warned) = symfs();
is_deeply($frames, \%without, 'written since: no names');
like($warned, qr/it was written after the recording began/, '… and the reason');

# Links stay below the folder; wakepath opens only regular files.
age($library);
rename "$root/opt", "$root/else" or die;
symlink '/else', "$root/opt" or die;
($frames) = symfs();
is_deeply($frames, \%named, 'an absolute link is resolved below the folder');
unlink "$root/opt" or die;
symlink "../../../../../..$root/else", "$root/opt" or die;
($frames) = symfs();
is_deeply($frames, \%without, 'and leads to nothing outside');
unlink "$root/opt" or die;
rename "$root/else", "$root/opt" or die;

# Files that are damaged at any place.
my $whole = slurp($library);
my $bad = 0;
srand 12;
for my $n (1 .. 150) {
	my $harmed = $n % 10 ? $whole : substr $whole, 0, int rand length $whole;
	for (1 .. 1 + $n % 4) {
		my $at = int rand($n % 2 ? 4096 : length $harmed);
		$at = length($harmed) - 1 - int rand 2048 if $n % 3 == 0 && length $harmed > 2048;	# the table of sections
		substr($harmed, $at, 1) = chr int rand 256 if $at >= 0 && $at < length $harmed;
	}
	spew($library, $harmed);
	age($library);
	my $r = wakepath('stacks', $names, '--symfs', $root, '--format', 'json', '--top', 100);
	$bad++, diag("$n: $r->{err}") if $r->{status} || $r->{signal};
}
is($bad, 0, 'damaged files: an answer');
unlink $library;
POSIX::mkfifo($library, 0600) or die;
($frames) = symfs();
is_deeply($frames, \%without, 'a pipe is not opened');

is(wakepath('stacks', $names, '--symfs', $source)->{status}, 3, 'no folder');
like(wakepath('stacks', $names, $folder, '--symfs', $root)->{err}, qr/--symfs is for one machine, but 2 hosts are open/, 'several hosts');
done_testing();
