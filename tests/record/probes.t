#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath record --probe and --usdt: places of functions and of notes are those of nm and readelf; arguments are those that the program prints; the
# recorded spans of a program have the number and the lengths that it prints; no probe is left in the kernel.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX);
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'needs gcc, nm and readelf' if system('gcc --version >/dev/null 2>&1 && nm --version >/dev/null 2>&1 && readelf --version >/dev/null 2>&1') != 0;
my $dir = $ENV{TMPDIR};
chomp(my $real = `realpath $dir`);

# ---- a program: work() for 1 to 5 ms, twin() at two places, a note with a semaphore and an argument, one without, at two places ----

sub note_of {
	my ($name, $semaphore, $args) = @_;
	return qq{__asm__ volatile("990: nop\\n.pushsection .note.stapsdt,\\"\\",\\"note\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n991: .asciz \\"stapsdt\\"\\n992: .balign 4\\n}
		. qq{993: .8byte 990b\\n.8byte _.stapsdt.base\\n.8byte $semaphore\\n.asciz \\"wx\\"\\n.asciz \\"$name\\"\\n.asciz \\"$args\\"\\n994: .balign 4\\n.popsection");};
}
my $base = q{__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection");};
my $program = <<"END";
#include <stdio.h>
#include <unistd.h>
$base
unsigned short wx_semaphore __attribute__((section(".probes"), visibility("hidden"), used)) = 0;
void twin(void);
__attribute__((noinline)) void work(int n)
{
	@{[ note_of('step_begin', 'wx_semaphore', '-4@%edi') ]}
	usleep(1000 * n);
	@{[ note_of('step_end', '0', '') ]}
}
static __attribute__((noinline)) void twice(void) { __asm__ volatile(""); @{[ note_of('step_end', '0', '') ]} }
int main(void)
{
	for (int i = 1; i <= 5; i++)
		work(i);
	printf("%d\\n", wx_semaphore);
	twice();
	twin();
	return 0;
}
END
my $other = q{static __attribute__((noinline)) void twice(void) { __asm__ volatile("nop"); } void twin(void) { twice(); }};
spew("$dir/p.c", $program);
spew("$dir/q.c", $other);
my $bin = "$dir/prog";
sub build { my ($to, @options) = @_; system('gcc', '-O1', @options, '-o', $to, "$dir/p.c", "$dir/q.c") == 0 or die }
plan skip_all => 'the assembler is not that of x86-64' if `gcc -dumpmachine` !~ /^x86_64/;
build($bin);

# Place in the file of ADDRESS, by the segments of readelf.
sub place {
	my ($file, $address) = @_;
	for (`readelf -lW $file`) {
		my ($offset, $virtual, $size) = map { hex } /^\s+LOAD\s+(0x\w+)\s+(0x\w+)\s+\S+\s+(0x\w+)/ or next;
		return sprintf '0x%x', $address - $virtual + $offset if $address >= $virtual && $address < $virtual + $size;
	}
	die "$file: no segment has $address";
}
my %at;
for (`nm $bin`) {
	push @{$at{$2}}, place($bin, hex $1) if /^(\w+) [tT] (work|twice|main)$/;
}
my (@usdt, $name);
for (`readelf -nW $bin`) {
	$name = $1 if /^\s+Name: (\S+)/;
	push @usdt, [$name, place($bin, hex $1), hex $2 ? '(' . place($bin, hex $2) . ')' : ''] if /Location: (0x\w+), Base: \S+ Semaphore: (0x\w+)/;
}
is(join(' ', map { $_->[0] } @usdt), 'step_end step_begin step_end', 'the program has three notes') or die;
is(scalar @{$at{twice}}, 2, '… and two functions of one name');

# ---- by hand: each line that the kernel gets ----

sub dry { my (@options) = @_; return wakepath('record', '--dry-run', '--with', 'ftrace', '-o', "$dir/x.dat", @options, '--', 'true') }
# The probes in OUT, as lines of the kernel's file.
sub made { return join "\n", map { m{^echo '?([pr-]:.*?)'? >> \S+/[uk]probe_events$} ? $1 : () } split /\n/, $_[0]{out} }
my ($w) = @{$at{work}};
is(made(dry('--probe', "p:phase $bin:work")), "p:prog/phase $real/prog:$w\nr:prog/phase__return $real/prog:$w\n-:prog/phase\n-:prog/phase__return", 'a function begins and returns at the places of nm and readelf');
is(made(dry('--probe', "phase=$bin:work")), made(dry('--probe', "p:phase $bin:work")), '… NAME= is the same');
like(made(dry('--probe', "$bin:work")), qr/^p:prog\/work .*\nr:prog\/work__return /, '… without a name it has its own');
is(made(dry('--probe', "$bin:work+0")), "p:prog/work $real/prog:$w\n-:prog/work", '… +0: without its return');
is(made(dry('--probe', "$bin:work+0x4")), sprintf("p:prog/work $real/prog:0x%x\n-:prog/work", hex($w) + 4), '… any place in it');
is(join(' ', sort map { /^p:prog\/twice \S+:(0x\w+)$/ } split /\n/, made(dry('--probe', "$bin:twice"))), join(' ', sort @{$at{twice}}), 'two functions of one name: both');
{
	local $ENV{PATH} = "$dir:$ENV{PATH}";
	like(made(dry('--probe', 'prog:work')), qr{ \Q$real\E/prog:$w$}m, 'a program in PATH');
}
is(made(dry('--probe', 'p:open do_sys_openat2')), "p:kernel/open do_sys_openat2\nr:kernel/open__return do_sys_openat2\n-:kernel/open\n-:kernel/open__return", 'a function of the kernel');
is(made(dry('--usdt', $bin)), join("\n", (map { "p:sdt_wx/$_->[0] $real/prog:$_->[1]$_->[2]" . ($_->[2] && ' arg1=%di:s32') } @usdt), '-:sdt_wx/step_end', '-:sdt_wx/step_begin'), 'all USDT probes, with the semaphore and the argument');
is(made(dry('--usdt', "$bin:wx:step_begin")), "p:sdt_wx/step_begin $real/prog:$usdt[1][1]$usdt[1][2] arg1=%di:s32\n-:sdt_wx/step_begin", '… one of them');
is(made(dry('--usdt', "$bin:*:*_end")), join("\n", (map { "p:sdt_wx/$_->[0] $real/prog:$_->[1]" } @usdt[0, 2]), '-:sdt_wx/step_end'), '… by a pattern');
like(dry('--for-question', 'cpu', '--usdt', "$bin:wx:step_begin")->{out}, qr/^for e in .* sdt_wx:step_begin; do/m, '--for-question has them');
like(wakepath('record', '--dry-run', '--with', 'perf', '--probe', "$bin:work", '-o', "$dir/x.data", '--', 'true')->{out}, qr/^perf record .* -e prog:work -e prog:work__return -- true$/m, 'perf has them, too');
# The base shows how far sections were moved after the notes were written (prelink): notes that are all 16 bytes too low give equal places.
my $prelinked = slurp($bin);
my $moved = 0;
for (`readelf -nW $bin`) {
	my ($location, $at, $semaphore) = map { hex } /Location: (0x\w+), Base: (\S+), Semaphore: (0x\w+)/ or next;
	my ($is, $was) = map { pack 'Q<3', $location - $_, $at - $_, $semaphore && $semaphore - $_ } 0, 16;
	$moved += $prelinked =~ s/\Q$is\E/$was/;
}
is($moved, 3, 'the notes of a program before prelink');
spew("$dir/moved", $prelinked);
is(made(dry('--usdt', "$dir/moved")), made(dry('--usdt', $bin)) =~ s/prog:/moved:/gr, '… are at the program\'s present place');

# ---- arguments in the notation of the assembler and of the kernel ----

# A program whose probes have these arguments, each at a place of its own; for MACHINE (of elf.h).
sub build_args {
	my ($to, $machine, @probes) = @_;
	spew("$dir/args.c", "$base\nlong total, other;\nint main(void) {\n" . join("\n", map { note_of($_->[0], '0', $_->[1]) } @probes) . "\nreturn 0; }\n");
	system('gcc', '-O1', '-o', $to, "$dir/args.c") == 0 or die;
	my $bytes = slurp($to);
	substr($bytes, 18, 2) = pack 'S<', $machine;
	spew($to, $bytes);
}
# The arguments in the lines for the kernel, a text for each probe.
sub args_of { my ($r) = @_; return [ map { s/^p:\S+ \S+//r =~ s/^ //r } grep { /^p:/ } split /\n/, made($r) ] }
my ($total) = map { hex } grep { defined } map { /^(\w+) \w total$/ } do { build_args("$dir/args", 62, ['a', '8@total(%rip)']); `nm $dir/args` };
my ($here) = map { hex } `readelf -nW $dir/args` =~ /Location: (0x\w+)/;
my $seen = hex place("$dir/args", $here);
is_deeply(args_of(dry('--usdt', "$dir/args")), ['arg1=@+' . ($total - $here + $seen) . ':u64'], 'a variable: its place in the file is as far from the probe as in memory');
for my $case ([ 62, '-4@%edi 8@%rax -2@%r10w 1@%sil 2@%cx 1@%r8b 8@%rsp', 'arg1=%di:s32 arg2=%ax:u64 arg3=%r10:s16 arg4=%si:u8 arg5=%cx:u16 arg6=%r8:u8 arg7=%sp:u64' ],
	[ 62, '8@(%rax) -4@-20(%rbp) 1@0x10(%r9) 8@8+4(%rsp)', 'arg1=+0(%ax):u64 arg2=-20(%bp):s32 arg3=+16(%r9):u8 arg4=+12(%sp):u64' ],
	[ 62, '-4@$-7 8@$0x10 %rdx', 'arg1=\\-7:s32 arg2=\\0x10:u64 arg3=%dx:u64' ],
	[ 62, '8f@%xmm0 4@(%rax,%rbx,4) 8@%fs:-8 1@%ah 8@nothing(%rip) 8@total+other(%rip) 8@total(%rax) 8@-4(%rip) 4@%edx', 'arg9=%dx:u32' ],
	[ 183, '-4@w1 8@x30 8@[sp, 8] 4@[x29,-24] 8@[x0] -4@42 8@#-1 8@xzr 4@[x1, #16] 8@sp', 'arg1=%x1:s32 arg2=%x30:u64 arg3=+8(%sp):u64 arg4=-24(%x29):u32 arg5=+0(%x0):u64 arg6=\\42:s32 arg7=\\-1:u64 arg8=\\0:u64 arg9=+16(%x1):u32 arg10=%sp:u64' ],
	[ 183, '8@[x0, x1] 8@d0 8@x31 8f@v0 2@w2', 'arg5=%x2:u16' ], [ 243, '8@a0', '' ]) {
	my ($machine, $operands, $is) = @$case;
	build_args("$dir/args", $machine, ['a', $operands]);
	my $r = dry('--usdt', "$dir/args");
	is_deeply(args_of($r), [$is], "machine $machine: $operands") or diag($r->{err});
	like($r->{err}, qr/^wakepath: argument 1 of a \(.*\) is not recorded: the kernel cannot read it/, '… names what is not recorded') if $is !~ /arg1=/;
}
# The kernel takes one list of arguments for all places of a probe.
for my $case ([ [ '4@%edi 8@%rsi', '4@$5 8@8(%rax)' ], [ 'arg1=%di:u32 arg2=%si:u64', 'arg1=\\5:u32 arg2=+8(%ax):u64' ], 'a number takes the size of the other place' ],
	[ [ '4@%edi 8@%rsi', '-4@%edi 8@%rsi' ], [ ('arg2=%si:u64') x 2 ], 'what differs is left out' ], [ [ '4@%edi 4@$1', '4@%edi 8@$5000000000', '4@%edi 4@$3' ], [ map { "arg1=%di:u32 arg2=\\$_:u64" } 1, 5000000000, 3 ], 'numbers of several sizes' ],
	[ [ '4@$1', '4@$2', '-8@%rax', '4@%ecx' ], [ ('') x 4 ], 'what a later place lacks the first ones do not have' ], [ [ '4@$-1', '-8@$-2' ], [ 'arg1=\\-1:s64', 'arg1=\\-2:s64' ], 'numbers with a sign' ], [ [ '8@%rax 8@%rbx', '8@%rax' ], [ ('arg1=%ax:u64') x 2 ], 'a place with fewer' ]) {
	my ($places, $is, $what) = @$case;
	build_args("$dir/args", 62, map { [ 'a', $_ ] } @$places);
	is_deeply(args_of(dry('--usdt', "$dir/args")), $is, $what);
}
build_args("$dir/args", 62, ['a', '8@%rdi 8@8(%rsi) 8f@%xmm0']);
for my $case ([ 'id=arg1', 'id=%di:u64' ], [ 'name=arg2:string n=arg1:s32', 'name=+0(+8(%si)):string n=%di:s32' ], [ 'f=+16(arg1):u16 x=%r8', 'f=+16(%di):u16 x=%r8' ], [ 'y=%arg1', 'y=%arg1' ]) {
	is_deeply(args_of(dry('--usdt', "$dir/args:wx:a $case->[0]")), [ $case->[1] ], "--usdt with $case->[0]");
}
is_deeply(args_of(dry('--usdt', "$dir/args id=arg2")), [ 'id=+8(%si):u64' ], '… for all its probes');
says(dry('--usdt', "$dir/args:wx:a id=arg4"), 2, qr/a has no argument "arg4": it has 3, the first is arg1/, '… an invalid one');
says(dry('--usdt', "$dir/args:wx:a id=arg3"), 2, qr/the kernel cannot read argument 3 of a \(8f\@%xmm0\)/, '… one that cannot be read');
is_deeply(args_of(dry('--probe', "p:phase $bin:work n=arg1:s32 name=arg2:string")), [ 'n=%di:s32 name=+0(%si):string' ], 'arguments of a function');
like(made(dry('--probe', "phase=$bin:work n=arg6")), qr{^p:prog/phase \S+ n=%r9\nr:prog/phase__return \S+$}m, '… its return has none');
says(dry('--probe', "p:phase $bin:work n=arg7"), 2, qr/work has no argument "arg7": it has 6/, '… no function has more in registers');
says(dry('--probe', "p:phase $bin:work+4 n=arg1"), 2, qr/work has no argument "arg1": it has 0/, '… which hold them only at its begin');
like(made(dry('--probe', 'p:open do_sys_openat2 path=arg2:ustring')), qr{^p:kernel/open do_sys_openat2 path=\+0\(%si\):ustring$}m, '… of a function of the kernel');

# ---- refusals ----

build("$dir/stripped", '-s');
build("$dir/a b");
mkdir "$dir/folder";
my $ifunc = "$dir/ifunc";
spew("$dir/i.c", "static int one(void) { return 1; } static int (*choose(void))(void) { return one; } int chosen(void) __attribute__((ifunc(\"choose\"))); int main(void) { return chosen(); }\n");
system('gcc', '-O0', '-o', $ifunc, "$dir/i.c") == 0 or die;
build("$dir/golike");
spew("$dir/empty", '');
system("objcopy --add-section .gopclntab=$dir/p.c $dir/golike") == 0 or die;
for my $case (["$bin:wrok", qr/prog has no function "wrok"; the nearest: work, /], ["$dir/stripped:work", qr/has no function "work" \(it is stripped: only what it exports has a name\)/],
	['nosuchprogram:work', qr/cannot probe "nosuchprogram": No such file/], ["$dir/p.c:work", qr/p\.c: it is not a program or a library/], ["$dir/empty:work", qr/empty: it is not a program/], ["$dir/folder:work", qr/folder: it is not a regular file/],
	['/dev/null:work', qr/not a regular file/], ["$dir/a b:work", qr/takes no path with a blank/], ["$ifunc:chosen", qr/"chosen" only chooses a function .*IFUNC/],
	["$bin:work+2000", qr/"work" has \d+ bytes, so \+2000 is not in it/], ["p:a-b $bin:work", qr/letters, digits and "_"/], ["p:" . 'x' x 56 . " $bin:work", qr/at most 55 letters/], ["$bin:", qr/type 'p:NAME BINARY:FUNCTION'/], [':work', qr/type 'p:NAME/], ["$bin:work+", qr/type 'p:NAME/], ["$bin:work+-1", qr/type 'p:NAME/], ["$bin:work+4z", qr/type 'p:NAME/], ['', qr/type 'p:NAME/]) {
	says(dry('--probe', $case->[0]), 2, $case->[1], "--probe $case->[0]");
}
for my $case (["$dir/q.c", qr/not a program/], [$ifunc, qr/has no USDT probes .*sdt\.h/], ["$bin:wx:step_bgin", qr/has no USDT probe wx:step_bgin; the nearest: wx:step_begin, wx:step_end/], ["$bin:step_begin", qr/type BINARY, for all its probes, or BINARY:PROVIDER:NAME/], ["$bin:wx:", qr/type BINARY/]) {
	says(dry('--usdt', $case->[0]), 2, $case->[1], "--usdt $case->[0]");
}
says(dry('--probe', "a=$bin:work", '--probe', "a=$bin:main"), 2, qr/two probes are called "a"/, 'a name twice');
says(wakepath('record', '--dry-run', '--with', 'lttng', '--probe', "$bin:work", '-o', "$dir/x"), 2, qr/--with lttng records no probes: type --with ftrace or perf/, 'LTTng');
my $go = dry('--probe', "$dir/golike:work");
is(made($go), "p:golike/work $real/golike:$w\n-:golike/work", 'for a program in Go the return is not probed');
like($go->{err}, qr/^wakepath: \S+golike is written in Go, where probes of returns crash the program: only entries are recorded$/m, '… with a message');

for my $many (1000, 1001) {
	spew("$dir/many.c", "$base\nint main(void) { __asm__ volatile(\".rept $many\"); " . note_of('many', '0', '') . " __asm__ volatile(\".endr\"); return 0; }\n");
	system('gcc', '-O0', '-o', "$dir/many", "$dir/many.c") == 0 or die;
	my $r = dry('--usdt', "$dir/many");
	$many == 1000 ? is(scalar(() = made($r) =~ /^p:/mg), 1000, 'a thousand probes') : says($r, 2, qr/more than 1000 probes/, '… and no more');
}

# Damaged notes, in each byte of the section, one after the other; and files that are cut.
my $whole = slurp($bin);
my ($section, $size) = map { hex } `readelf -SW $bin` =~ /\.note\.stapsdt\s+NOTE\s+\w+\s+(\w+)\s+(\w+)/;
my $crashed = 0;
for my $i (0 .. $size - 1) {
	my $harmed = $whole;
	substr($harmed, $section + $i, 1) = chr(255 - ord substr($harmed, $section + $i, 1));
	spew("$dir/harmed", $harmed);
	my $r = dry('--usdt', "$dir/harmed");
	$crashed++ if $r->{signal} || ($r->{status} != 0 && $r->{status} != 2);
}
for my $i (map { int(length($whole) * $_ / 40) } 0 .. 39) {
	spew("$dir/harmed", substr $whole, 0, $i);
	for my $r (dry('--usdt', "$dir/harmed"), dry('--probe', "$dir/harmed:work")) { $crashed++ if $r->{signal} || ($r->{status} != 0 && $r->{status} != 2) }
}
is($crashed, 0, 'damaged notes, and files that are cut, are refused or left out');

# ---- for real ----

my $tracefs = '/sys/kernel/tracing';
SKIP: {
	skip 'recording needs root', 1 if !is_root();
	skip 'this kernel has no tracefs with instances', 1 if !-w "$tracefs/instances";
	# --clean of another test would remove the probes checked here.
	open my $lock, '<', "$tracefs/README" or die;
	flock $lock, LOCK_EX or die;
	SKIP: {
		skip 'this kernel has functions that can be probed', 5 if -e "$tracefs/kprobe_events";
		skip 'this kernel hides its functions', 5 if slurp('/proc/kallsyms') !~ / [tT] do_sys_openat2$/m;
		says(wakepath('record', '--probe', 'do_sys_openat2', '-o', "$dir/k.dat", '--for', '0.1s'), 2, qr/cannot probe its functions: it is built without CONFIG_KPROBE_EVENTS/, 'a kernel without kprobes');
		says(wakepath('record', '--probe', 'do_sys_opnat2', '-o', "$dir/k.dat", '--for', '0.1s'), 2, qr/the kernel has no function "do_sys_opnat2"; the nearest: do_sys_openat2/, '… and a missing function');
		ok(!-e "$dir/k.dat", '… and nothing is recorded');
	}
	if (!-e "$tracefs/uprobe_events") {
		says(wakepath('record', '--probe', "$bin:work", '-o', "$dir/k.dat", '--for', '0.1s'), 2, qr/cannot probe programs: it is built without CONFIG_UPROBE_EVENTS/, 'a kernel without uprobes');
		skip 'this kernel has no uprobes', 1;
	}
	my $probes = sub { return join "\n", grep { /prog|sdt_wx/ } split /\n/, slurp("$tracefs/uprobe_events") };
	for my $with ('ftrace', 'perf') {
		my $file = "$dir/real.$with";
		skip 'perf does not run here', 1 if $with eq 'perf' && system("perf record -a -o $dir/try.data -e sched:sched_switch -- true >/dev/null 2>&1") != 0;
		my $r = wakepath('record', '--with', $with, '--for-question', 'cpu', '--probe', "p:phase $bin:work", '--usdt', $bin, '-o', $file, '--no-open', '--', $bin);
		is($r->{status}, 0, "$with records") or diag($r->{err});
		is($r->{out}, "1\n", '… and the program sees that a probe listens');
		is($probes->(), '', '… no probe is left in the kernel');
		my @told = $with eq 'perf' ? `perf script -i $file -F comm,tid,time,event 2>/dev/null` : `trace-cmd report $file 2>/dev/null`;
		my %count;
		for (@told) { $count{$1}++ if /\b(phase__return|phase|step_begin|step_end):/ }
		is_deeply(\%count, { phase => 5, phase__return => 5, step_begin => 5, step_end => 6 }, '… each time, as counted by the tracer\'s own client');
		my @spans = @{json_of(wakepath('spans', $file, '--format', 'json'))->{spans}};
		for my $of (['prog:phase', 'uprobe'], ['sdt_wx', 'usdt']) {
			my @own = grep { $_->{name} =~ /^\Q$of->[0]\E/ } @spans;
			is(join(' ', map { $_->{source} } @own), join(' ', ($of->[1]) x 5), "… five spans of $of->[1], whose names have no owner") or diag(join ' ', map { $_->{name} } @spans);
			is(scalar(grep { $own[$_ - 1]{duration} < $_ * 1e6 } 1 .. @own), 0, '… none shorter than it slept');
		}
	}
	# The recorded arguments are those that the program prints, and distinguish its spans.
	spew("$dir/told.c", <<"END");
#include <stdio.h>
#include <unistd.h>
$base
long total = 40;
struct item { long id; const char *name; short low; };
__attribute__((noinline)) void item(const struct item *i, volatile long *stack)
{
	@{[ note_of('item_begin', '0', '-8@%0 8@%1 -2@%2 -4@%3 -8@%4 -8@%5') =~ s/\);$/ :: "r"(i->id), "r"(i->name), "m"(i->low), "n"(-7), "m"(total), "m"(stack[1]));/r ]}
	printf("%ld %s %d %d %ld %ld\\n", i->id, i->name, i->low, -7, total, stack[1]);
	usleep(2000);
	total++;
	@{[ note_of('item_end', '0', '-8@%0') =~ s/\);$/ :: "r"(i->id));/r ]}
}
__attribute__((noinline)) int look(const char *path, int req) { __asm__ volatile("" :: "r"(path)); return req < 3 ? look("a b", req + 1) + 1 : 0; }
int main(void)
{
	volatile long stack[2] = { 1, 99 };
	const struct item items[] = { { 17, "get", -3 }, { 18, "put", 4 }, { -5, "get", 32767 } };
	for (int i = 0; i < 3; i++) { stack[1] = -i; item(&items[i], stack); }
	return look("begin", 1);
}
END
	system('gcc', '-O1', '-fno-optimize-sibling-calls', '-o', "$dir/told", "$dir/told.c") == 0 or die;
	for my $with ('ftrace', 'perf') {
		my $file = "$dir/told.$with";
		my $r = wakepath('record', '--with', $with, '--for-question', 'cpu', '--usdt', "$dir/told:wx:item_begin id=arg1 what=arg2:string low=arg3 c=arg4 total=arg5 s=arg6", '--usdt', "$dir/told:wx:item_end id=arg1", '--probe', "p:look $dir/told:look path=arg1:string req=arg2:s32", '-o', $file, '--no-open', '--', "$dir/told");
		is(scalar(() = $r->{out} =~ /\n/g), 3, "$with records a program that tells its arguments") or diag($r->{err});
		my @begun = map { $_->{fields} } @{json_of(wakepath('events', $file, '--name', 'sdt_wx:item_begin', '--format', 'json'))->{events}};
		is_deeply([ map { join ' ', /id = (\S+), what = "(.*?)", low = (\S+), c = (\S+), total = (\S+), s = (\S+) / } @begun ], [ split /\n/, $r->{out} ], '… registers, memory, numbers, a variable and a text have the printed values') or diag(@begun);
		my @own = grep { $_->{source} =~ /usdt|uprobe/ } @{json_of(wakepath('spans', $file, '--format', 'json'))->{spans}};
		is_deeply([ map { "$_->{name} $_->{key} $_->{depth}" } @own ], [ 'sdt_wx:item 17 0', 'sdt_wx:item 18 0', 'sdt_wx:item -5 0', map { "told:look $_ @{[ $_ - 1 ]}" } 1 .. 3 ], '… a field "id" or "req" is the key of a span; a return, which has none, belongs to the call of its thread');
		spew("$dir/told.conf", "[span item]\nbegin = sdt_wx:item_begin\nend = sdt_wx:item_end\nkey = id\nname = what\n");
		is_deeply([ map { "$_->{name} $_->{key}" } grep { $_->{source} eq 'declared' } @{json_of(wakepath('spans', $file, '--spans', "$dir/told.conf", '--format', 'json'))->{spans}} ], [ 'get 17', 'put 18', 'get -5' ], '… and an argument is its name, if so declared');
	}
	# Killed: the next run reports the probes, --clean removes them.
	my $pid = fork() // die;
	if (!$pid) { open STDERR, '>', '/dev/null'; exec $ENV{WAKEPATH}, 'record', '--probe', "$bin:work", '-o', "$dir/killed.dat", '--no-open' }
	my $limit = time + 60;
	sleep 0.02 while time < $limit && $probes->() eq '';
	kill 'KILL', $pid;
	waitpid $pid, 0;
	like($probes->(), qr/^p:wakepath_${pid}_\d+_prog\/work .*\nr:wakepath_${pid}_\d+_prog\/work__return /, 'killed: the probes remain');
	my $r = wakepath('record', '--with', 'ftrace', '-o', "$dir/next.dat", '--no-open', '--for', '0.05s');
	like($r->{err}, qr/^wakepath: a recording that was killed left the probes wakepath_${pid}_\d+_prog: type "wakepath record --clean"/m, '… the next run reports them');
	isnt($probes->(), '', '… and does not remove them without --clean');
	$r = wakepath('record', '--clean');
	is($probes->(), '', '… --clean removes them') or diag($r->{err});
	# By hand.
	my $hand = "$dir/hand";
	mkdir $hand;
	spew("$hand/commands.sh", wakepath('record', '--dry-run', '--with', 'ftrace', '--probe', "$bin:work", '-o', 'h.dat', '--', $bin)->{out});
	SKIP: {
		skip 'unshare is not permitted', 2 if system('unshare -m true 2>/dev/null') != 0;
		is(system("cd $hand && timeout 60 sh commands.sh >log 2>&1"), 0, 'by hand: the commands run') or diag(slurp("$hand/log"));
		is(scalar(grep { $_->{name} eq 'prog:work' } @{json_of(wakepath('spans', "$hand/h.dat", '--format', 'json'))->{spans}}), 5, '… and record the same');
		is($probes->(), '', '… and leave nothing');
	}
}

done_testing();
