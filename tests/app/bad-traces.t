#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Bad input: each case has its message and its exit status, and leaves nothing behind.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $cache = $ENV{XDG_CACHE_HOME};

# The run failed as bad data, and no half-built index is left.
sub fails {
	my ($r, $pattern, $name, $folder) = @_;
	says($r, 3, $pattern, $name);
	is($r->{out}, '', "$name: nothing on standard output");
	is_deeply([files_below($folder // $cache)], [], "$name: nothing is left behind");
}

# The trace is read as far as possible; a warning names what is missing.
sub warns {
	my ($trace, $pattern, $name) = @_;
	my $r = wakepath('info', $trace, '--format', 'json');
	is($r->{status}, 0, "$name: is read") or diag($r->{err});
	my $info = json_of($r);
	ok((grep { /$pattern/ } @{ $info->{traces}[0]{warnings} }), "$name: info warns") or
		diag(explain $info->{traces}[0]{warnings});
	like(wakepath('threads', $trace)->{err}, qr/^wakepath: warning: .*$pattern/m, "$name: standard error too");
	return $info->{traces}[0];
}

# ---- folders that are no trace ----

mkdir "$ENV{TMPDIR}/empty";
fails(wakepath('info', "$ENV{TMPDIR}/empty"), qr{\Q$ENV{TMPDIR}\E/empty.*trace}, 'a folder without a trace');
fails(wakepath('info', "$ENV{TMPDIR}/missing"), qr{\Q$ENV{TMPDIR}\E/missing}, 'a folder that is not there');
spew("$ENV{TMPDIR}/script", "quit\n");
fails(wakepath("$ENV{TMPDIR}/missing", '--script', "$ENV{TMPDIR}/script"), qr{\Q$ENV{TMPDIR}\E/missing}, 'the explorer on a folder that is not there');
spew("$ENV{TMPDIR}/file", "text\n");
fails(wakepath('info', "$ENV{TMPDIR}/file"), qr{\Q$ENV{TMPDIR}\E/file is text: give the recording}, 'the printed text of a trace');
for ([ 'gz', 'gzip -k' ], [ 'zst', 'zstd -q' ], [ 'tar', "tar -C $ENV{TMPDIR} -cf $ENV{TMPDIR}/file.tar file; :" ], [ 'xz', 'xz -k' ], [ 'bz2', 'bzip2 -k' ]) {
	my ($ending, $packer) = @$_;
	my ($program) = split / /, $packer;
	SKIP: {
		skip "no $program here", 6 unless grep { -x "$_/$program" } split /:/, $ENV{PATH};
		system("$packer $ENV{TMPDIR}/file") == 0 or die "$packer failed";
		fails(wakepath('info', "$ENV{TMPDIR}/file.$ending"), qr/file\.$ending is packed: unpack it first/, "a file packed by $program");
	}
}
spew("$ENV{TMPDIR}/junk.dat", "\1\2\0\3" x 100);
fails(wakepath('info', "$ENV{TMPDIR}/junk.dat"), qr/junk\.dat is not a recording that wakepath can read/, 'bytes that are not a trace');
fails(wakepath('info', sample('pipeline') . '/kernel/metadata'), qr/metadata is one file of a trace: give its folder/, 'a single file of a trace');
mkdir "$ENV{TMPDIR}/junk";
spew("$ENV{TMPDIR}/junk/metadata", "this is no metadata\n");
fails(wakepath('info', "$ENV{TMPDIR}/junk"), qr{\Q$ENV{TMPDIR}\E/junk.*metadata|metadata.*\Q$ENV{TMPDIR}\E/junk}, 'metadata of junk');
spew("$ENV{TMPDIR}/junk/metadata", '');
fails(wakepath('info', "$ENV{TMPDIR}/junk"), qr{\Q$ENV{TMPDIR}\E/junk}, 'empty metadata');

# ---- damaged traces ----

my $whole = json_of(wakepath('info', sample('pipeline'), '--index-dir', "$ENV{TMPDIR}/other", '--format', 'json'))->{traces}[0];

my $t = copy_trace('pipeline', 'cut-metadata');
my $size = -s "$t/kernel/metadata";
truncate "$t/kernel/metadata", int($size / 2);
fails(wakepath('info', $t), qr{cut-metadata/kernel}, 'metadata cut short');

$t = copy_trace('pipeline', 'no-streams');
unlink glob "$t/kernel/k_*";
fails(wakepath('info', $t), qr{no-streams/kernel}, 'no stream at all');

$t = copy_trace('pipeline', 'no-switch');
patch("$t/kernel/metadata", sub { s/sched_switch/sched_xxxxxx/g });
warns($t, qr/no sched_switch was recorded/, 'no scheduling events');

$t = copy_trace('pipeline', 'cut-stream');
$size = -s "$t/kernel/k_0";
truncate "$t/kernel/k_0", int($size * 0.55) + 3;
my $cut = warns($t, qr/k_0/, 'a stream cut in the middle of a packet');
cmp_ok($cut->{events}, '<', $whole->{events}, '… with fewer events');
cmp_ok($cut->{events}, '>', 100, '… but not few');

$t = copy_trace('pipeline', 'empty-stream');
truncate "$t/kernel/k_1", 0;
is(wakepath('info', $t)->{status}, 0, 'an empty stream is not an error');

# The files of the highest CPU are missing, but wake-ups, migrations and IPIs of the other CPU name it.  It may have run, woken and interrupted any
# thread, so nothing is proved of any wait, from the first event on.
for my $name (qw(pipeline ioburst-ipi lockfight preempt)) {
	$t = copy_trace($name, "missing-stream-$name");
	unlink "$t/kernel/k_1", "$t/kernel/index/k_1.idx";
	my $info = warns($t, qr/CPU 1 has no stream file, but threads ran there: what it did is unknown/, "$name: the stream of the highest CPU is missing");
	my ($from, $to) = @$info{qw(from to)};
	is($info->{cpus}, 2, '… there are two CPUs');
	is_deeply([map { "$_->{cpu} $_->{from} $_->{to}" } @{ $info->{gaps} }], ["1 $from $to"], '… of which one lost all events');
	is(join(' ', map { $_->{state} } @{ json_of(wakepath('states', $t, '--cpu', 1, '--format', 'json'))->{intervals} }), 'unknown', '… and nothing is known of it');
	my $waits = json_of(wakepath('causes', $t, '--top', 0, '--format', 'json'))->{causes};
	is(join(' ', grep { $_->{proved} > 0 } @$waits), '', '… nor is any wait proved');
}

# sched_waking names the CPU where the thread ran last; without a migration it runs there.
$t = copy_trace('pipeline', 'missing-stream-waking');
unlink "$t/kernel/k_1", "$t/kernel/index/k_1.idx";
patch("$t/kernel/metadata", sub { s/\bsched_wakeup(?=\b|_)/sched_wxkeup/g; s/\b_dest_cpu\b/_xest_cpu/g });
warns($t, qr/CPU 1 has no stream file, but threads ran there: what it did is unknown/, 'sched_waking alone names a CPU without a stream');

# One CPU is not the only one if the state dump names another, which was offline or is missing; nothing ran there.
$t = copy_trace('preempt', 'other-cpu');
unlink "$t/kernel/k_1", "$t/kernel/index/k_1.idx";
patch("$t/kernel/metadata", sub { s/\b_target_cpu\b/_xarget_cpu/g; s/\b_dest_cpu\b/_xest_cpu/g });
warns($t, qr/CPU 1 has no stream file: it was off-line, or its states are unknown/, 'the state dump names a CPU without a stream');

$t = copy_trace('pipeline', 'bad-packet');
patch("$t/kernel/k_1", sub { substr($_, length($_) / 2, 64) = "\xff" x 64 });
my $garbled = warns($t, qr/k_1: damaged at byte \d+: read up to there only/, 'garbage in the middle of a packet');
cmp_ok($garbled->{events}, '<', $whole->{events}, '… with fewer events');
cmp_ok($garbled->{events}, '>', $whole->{events} / 2, '… those before it, and all of the other stream');
is(wakepath('info', $t)->{signal}, 0, '… without a crash');
system('rm', '-rf', $cache);
my $r;

# ---- permissions ----

SKIP: {
	skip 'needs setpriv', 1 if is_root() && system('command -v setpriv >/dev/null');
	$t = copy_trace('pipeline', 'locked');
	chmod 0755, $ENV{TMPDIR}, "$ENV{TMPDIR}/traces";
	chmod 0000, "$t/kernel";
	$r = wakepath_as_nobody('info', $t);
	fails($r, qr{locked.*Permission denied}, 'a folder without read permission', "$ENV{TMPDIR}/user-65534");
	fails(wakepath_as_nobody('info', "$t/kernel"), qr{locked/kernel.*Permission denied}, '… is named itself', "$ENV{TMPDIR}/user-65534");
	chmod 0755, "$t/kernel";
	chmod 0000, "$t/kernel/k_0", "$t/kernel/k_1";
	fails(wakepath_as_nobody('info', $t), qr{locked.*k_[01].*Permission denied}, 'streams without read permission', "$ENV{TMPDIR}/user-65534");
	chmod 0644, "$t/kernel/k_0", "$t/kernel/k_1";
	chmod 0000, "$t/kernel/metadata";
	fails(wakepath_as_nobody('info', $t), qr{locked.*metadata.*Permission denied}, 'metadata without read permission', "$ENV{TMPDIR}/user-65534");
	chmod 0644, "$t/kernel/metadata";
	mkdir "$ENV{TMPDIR}/sealed";
	chmod 0555, "$ENV{TMPDIR}/sealed";
	fails(wakepath_as_nobody('info', $t, '--index-dir', "$ENV{TMPDIR}/sealed/x"), qr{sealed/x.*Permission denied},
		'a cache folder that cannot be made', "$ENV{TMPDIR}/sealed");
	mkdir "$ENV{TMPDIR}/sealed2";
	chmod 0555, "$ENV{TMPDIR}/sealed2";
	fails(wakepath_as_nobody('info', $t, '--index-dir', "$ENV{TMPDIR}/sealed2"), qr{sealed2.*Permission denied},
		'a cache folder that cannot be written', "$ENV{TMPDIR}/sealed2");
	$r = wakepath_as_nobody('info', $t);
	is($r->{status}, 0, 'the same trace, readable, in a folder that cannot be written') or diag($r->{err});
}
spew("$ENV{TMPDIR}/in-the-way", '');
says(wakepath('info', sample('pipeline'), '--index-dir', "$ENV{TMPDIR}/in-the-way"), 3, qr{in-the-way}, 'a file where the cache folder should be');

# ---- damaged and foreign indexes ----

$t = copy_trace('pulse', 'changing');
my $index = json_of(wakepath('info', $t, '--format', 'json'))->{index}{path};
my $right = wakepath('threads', $t, '--format', 'json')->{out};
is(wakepath('verify', $t)->{status}, 0, 'a fresh index is intact');
like(wakepath('index', $t)->{out}, qr/fresh/, '… and up to date');

my $good = slurp($index);
for my $at (0, 20, length($good) / 3, length($good) / 2, length($good) - 9) {
	patch($index, sub { $_ = $good; substr($_, $at, 1) ^= "\x5a" });
	$r = wakepath('verify', $t);
	is($r->{status}, 3, "a byte changed at $at: verify finds it");
	like($r->{err}, qr/\Awakepath: \d+ findings?: .*index --force/, '… and says what to do');
	$r = wakepath('threads', $t, '--format', 'json');
	is("$r->{status} $r->{signal}", '0 0', '… and a query answers');
	is($r->{out}, $right, '… as if nothing had happened');
	patch($index, sub { $_ = $good });
}
truncate $index, length($good) / 2;
is(wakepath('verify', $index)->{status}, 3, 'half an index: verify finds it');
like(wakepath('index', $t)->{out}, qr/built/, '… and it is built again');
spew($index, "foreign\n" x 100);
is(wakepath('verify', $index)->{status}, 3, 'a foreign file: verify finds it');
is(wakepath('threads', $t, '--format', 'json')->{out}, $right, '… and it is built again');

utime 1, 1, "$t/kernel/k_0";
is(wakepath('verify', $t)->{status}, 3, 'the trace changed: verify finds it');
like(wakepath('index', $t)->{out}, qr/built.*changed/, '… and the index is built again');

done_testing();
