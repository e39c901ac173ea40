#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Page faults in which a thread waits: against the lines of a recording of a program that reads a file by mmap(), and in traces made here.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/faults.$$";
mkdir $dir;
sub memory { return json_of(wakepath('why', @_, '--format', 'json'))->{memory} }
sub causes { return { map { $_->{name} => $_ } grep { $_->{kind} eq 'memory' } @{ json_of(wakepath('causes', @_, '--top', 0, '--format', 'json'))->{causes} } } }

# ---- perf script: worked out from its lines ----

my $text = "$dir/faults.txt";
gunzip("$ENV{TOP}/tests/app/page_faults.txt.gz" => $text) or die $GunzipError;
my (%fault, @waits);	# by TID: its last fault, unless a system call came since; [TID, from, to, file, begin of the fault]
open my $lines, '<', $text or die $!;
while (<$lines>) {
	my ($tid, $s, $ns, $event, $fields) = /^ *.*? +(\d+) +\[\d+\] +(\d+)\.(\d{9}): +\w+:(\w+): (.*)/ or next;
	my $now = $s * 1_000_000_000 + $ns;
	if ($event eq 'page_fault_user') {
		$fault{$tid} = { from => $now };
	} elsif ($event =~ /^sys_/) {
		delete $fault{$tid};
	} elsif ($event =~ /^mm_filemap_/ && $fault{$tid} && !$fault{$tid}{left}) {
		$fault{$tid}{file} //= sprintf 'file %s inode %d', $1, hex $2 if $fields =~ /^dev[= ](\S+) ino[= ]([0-9a-f]+) /;
	} elsif ($event eq 'sched_switch' && $fields =~ /prev_pid=(\d+) .* prev_state=(\S+)/ && $fault{$1}) {
		$2 eq 'D' ? $fault{$1}{left} = $now : $2 =~ /^R/ || delete $fault{$1};
	} elsif ($event eq 'sched_waking' && $fields =~ / pid=(\d+) / && $fault{$1} && defined(my $left = delete $fault{$1}{left})) {
		push @waits, [ $1, $left, $now, $fault{$1}{file}, $fault{$1}{from} ];
	}
}
close $lines;
my ($tid) = map { $_->[0] } @waits;
my @own = grep { $_->[0] == $tid } @waits;
my ($sum, $longest) = (0, 0);
for (@own) { my $ns = $_->[2] - $_->[1]; $sum += $ns; $longest = $ns if $ns > $longest }
cmp_ok(scalar @own, '>=', 4, 'the program waits in page faults');
my $name = "page fault, $own[0][3]";
is_deeply([ grep { $_->[3] ne $own[0][3] } @own ], [], '… for one file');
my ($in) = grep { $_->{name} eq $name } @{ memory($text, '--thread', $tid) };
is_deeply([ @$in{qw(count blocked grade doubts)} ], [ scalar @own, $sum, 'inferred', ['way'] ], 'why shows them, with the file');
is($in->{time}, eval { my $all = 0; $all += $_->[2] - $_->[4] for @own; $all }, '… each from the fault to the end of the wait');
my $cause = causes($text, '--thread', $tid)->{"waited in $name"};
is_deeply([ @$cause{qw(time count longest inferred)} ], [ $sum, scalar @own, $longest, scalar @own ], 'so do the causes');
my $w = $own[1];
my $why = json_of(wakepath('why', $text, '--thread', $tid, '--from', $w->[1], '--to', $w->[2], '--format', 'json'))->{wait};
is_deeply([ @$why{qw(kind memory memory_grade)} ], [ $why->{kind}, $name, 'inferred' ], 'of one wait');
like(wakepath('why', $text, '--thread', $tid, '--from', $w->[1], '--to', $w->[2])->{out}, qr/^it waited in \Q$name\E \(inferred: what happened on the way is not recorded\)$/m, '… as text');
my ($segment) = @{ json_of(wakepath('path', $text, '--thread', $tid, '--from', $w->[4], '--to', $w->[2], '--format', 'json'))->{segments} };
is($segment->{detail}, "in $name (inferred)", 'the path shows it for its own time');

# ---- made ----

my ($ms, @made) = (0);
sub event { my ($task, $what) = @_; push @made, sprintf '%16s-%-7d [000] ..... %10.6f: %s', @$task, 100 + $ms++ / 1000, $what }
my ($idle, $app) = ([ '<idle>', 0 ], [ 'app', 50 ]);
sub away { event($app, "sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=$_[0] ==> next_comm=swapper/0 next_pid=0 next_prio=120") }
sub back { event($idle, 'sched_waking: comm=app pid=50 prio=120 target_cpu=000'); event($idle, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120') }
sub fault { event($app, 'page_fault_user: address=0x7f0000000000 ip=0x7f0000001000 error_code=0x4') }
# The waits in page faults of a thread that did DID, in a recording with all system calls, unless FEW.
sub told {
	my ($did, $few) = @_;
	($ms, @made) = (0, '# tracer: nop', '#');
	event($idle, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
	event($app, $_) for $few ? () : ('sys_enter: NR 39 (0, 0, 0, 0, 0, 0)', 'sys_exit: NR 39 = 50');
	$did->();
	event($app, 'sys_enter: NR 39 (0, 0, 0, 0, 0, 0)') if !$few;
	spew("$dir/made.txt", join "\n", @made, '');
	return join ', ', map { "$_->{name}: $_->{count} of " . $_->{blocked} / 1e6 } @{ memory("$dir/made.txt", '--thread', 'app') };
}
is(told(sub { fault(); away('D'); back() }), 'page fault: 1 of 1', 'a fault without its file');
is(told(sub { fault(); event($app, 'mm_filemap_add_to_page_cache: dev 8:1 ino ff pfn=0x1 ofs=0 order=0'); away('D'); back(); away('D'); back() }), 'page fault, file 8:1 inode 255: 1 of 2', 'with it, and two waits in one fault');
is(told(sub { fault(); away('D'); back(); event($app, 'mm_filemap_fault: dev=8:1 ino=10 ofs=0') }), 'page fault: 1 of 1', 'a file recorded after the wait is not its file');
is(told(sub { fault(); away('S'); back() }), '', 'a wait that a signal ends is not in a fault');
is(told(sub { fault(); event($app, 'sys_enter: NR 0 (0, 0, 0, 0, 0, 0)'); away('D'); back(); event($app, 'sys_exit: NR 0 = 0') }), '', 'nor is one in a system call');
is(told(sub { fault(); away('D'); back() }, 1), '', 'without recorded system calls there are none');
is(told(sub { fault(); fault(); away('D'); back() }), 'page fault: 1 of 1', 'the last of two counts');
done_testing;
