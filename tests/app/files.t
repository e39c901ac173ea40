#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Text files that people write: whatever the name leads to, one line gives the reason for refusing it, at once and in little memory.  Folders that are
# searched for traces.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use IO::Compress::Gzip qw(gzip);
use POSIX qw(mkfifo);
use Pty;
use Test::More;
use Time::HiRes qw(time);

my $dir = "$ENV{TMPDIR}/files";
mkdir $dir and mkdir "$dir/folder" or die;
mkfifo("$dir/fifo", 0600) or die;
spew("$dir/$_->[0]", $_->[1]) for ['sparse', ''], ['nul', "a\nb\0c\n"], ['latin1', "a\nb\xe9\n"], ['script', "quit\n"], ['empty', ''];
truncate "$dir/sparse", 10e9 or die;
my ($one, $several) = map { sample($_) } qw(pulse rpc-chain);
is(wakepath('index', '--quiet', $_)->{status}, 0, "$_: indexed") for $one, $several;

# Options that take a file: the exit status, the noun for the file in messages, the largest size, and the command line before the file.
my @takes = (
	[ 2, 'configuration', '1.0 MiB', 'view', '--print-config', '--config' ], [ 2, 'file of commands', '1.0 MiB', 'view', $one, '--script', "$dir/script", '--command' ],
	[ 2, 'theme', '1.0 MiB', 'view', $one, '--script', "$dir/script", '--theme' ], [ 2, 'script', '4.0 MiB', 'view', $one, '--script' ],
	[ 2, 'file of rules', '1.0 MiB', 'latency', $one, '--rules' ], [ 2, 'file of intervals', '16.0 MiB', 'compare', $one, '--set' ],
	[ 3, 'file of clocks', '64.0 MiB', 'sync', $several, '--sync' ], [ 3, q{file of the kernel's symbols}, '64.0 MiB', 'stacks', $one, '--kallsyms' ],
);

# Reading takes no more memory than a large file may take: of the program without the sanitizers, which reserve more.
sub bounded {
	my (@args) = @_;
	local $ENV{WAKEPATH} = "$ENV{TMPDIR}/bounded";
	my $began = time;
	my $r = wakepath(@args);
	$r->{took} = time - $began;
	return $r;
}
spew("$ENV{TMPDIR}/bounded", "#!/bin/sh\nulimit -v 600000\nexec '$ENV{WAKEPATH_FAST}' \"\$\@\"\n");
chmod 0755, "$ENV{TMPDIR}/bounded";

for my $take (@takes) {
	my ($status, $what, $most, @before) = @$take;
	my $is_text = $what !~ /clocks|symbols/;	# the others are refused for their form
	my %says = (
		'/dev/zero' => "this is not a $what: it is larger than $most", "$dir/sparse" => "this is not a $what: it is larger than $most",
		"$dir/folder" => "cannot read the $what .*folder: Is a directory", "$dir/fifo" => $what =~ /symbols/ ? 'no addresses' : "this is not a $what: nobody writes to this pipe",
		($is_text ? (map { ("$dir/$_" => "this is not a $what: line 2 is not UTF-8 text") } qw(nul latin1)) : ()),
	);
	for my $file (sort keys %says) {
		my $r = bounded(@before, $file);
		says($r, $status, qr/$says{$file}/, "$before[-1] $file");
		cmp_ok($r->{took}, '<', 5, '… at once');
	}
	for my $file ("$dir/empty", '/dev/null') {
		my $r = bounded(@before, $file);
		cmp_ok($r->{status}, '<=', $status, "$before[-1] $file");
		like($r->{err}, qr/\A(?:wakepath: [^\n]*\n)?\z/, '… one line at most') or diag $r->{err};
	}
}

# A file of exactly that size is accepted; with one byte more it is too large.
for my $take (@takes) {
	my ($status, $what, $most, @before) = @$take;
	my $size = ($most =~ /^(\d+)/)[0] << 20;
	for my $more (0, 1) {
		spew("$dir/full", ("#" x 1023 . "\n") x ($size / 1024) . '#' x $more);
		my $r = wakepath(@before, "$dir/full");
		my $too_large = $r->{err} =~ /it is larger than \Q$most\E/ ? 1 : 0;
		is($too_large, $more, "$before[-1]: $most" . ($more ? ' and a byte' : '')) or diag(substr $r->{err}, 0, 300);
		is($r->{status}, $status, '… is an error') if $more;
	}
}

# A pipe with a writer, and an empty one, as a shell makes them.
spew("$dir/config", "[start]\nzoom-in\n");
my %piped = map { $_ => scalar qx{bash -c '"\$WAKEPATH" view --print-config --config <($_)' 2>&1} } "sleep 0.3; cat $dir/config", 'true';
like($piped{"sleep 0.3; cat $dir/config"}, qr/^zoom-in$/m, 'a pipe is read to its end');
unlike($piped{true}, qr/^wakepath:/m, '… and may be empty');

# The size of a packed file is that of its unpacked content.
my $zeros = "0 " x (66 << 19);
gzip(\$zeros, "$dir/bomb.gz") or die;
cmp_ok(-s "$dir/bomb.gz", '<', 200_000, 'a small packed file');
says(bounded('stacks', $one, '--kallsyms', "$dir/bomb.gz"), 3, qr/this is not a file of the kernel's symbols: it is larger than 64.0 MiB/, '… with much in it');

# ---- folders in which traces are looked for ----

# Links that lead in circles are not followed, and one alone leads nowhere.
my $tree = "$ENV{TMPDIR}/tree";
mkdir $_ or die for $tree, "$tree/a", map { "$tree/locked$_" } 1 .. 3;
symlink $_->[0], "$tree/$_->[1]" or die for ['.', 'self'], ['..', 'a/up'], ['circle', 'circle'], ['/', 'root'];
says(wakepath('info', $tree), 3, qr/no trace in \S+tree: /, 'links in circles');
says(wakepath('info', "$tree/circle"), 3, qr/cannot open \S+circle: Too many levels of symbolic links/, 'a link to itself');

# A folder that cannot be read is reported once.
system('cp', '-r', $one, "$tree/trace") == 0 or die;
SKIP: {
	skip 'needs root to act as another user', 4 if !is_root();
	chmod 0755, $ENV{TMPDIR}, $tree;
	system('chmod', '-R', 'a+rX', "$tree/trace");
	chmod 0700, map { "$tree/locked$_" } 1 .. 3;
	my $r = wakepath_as_nobody('info', $tree);
	is($r->{status}, 0, 'a trace beside folders of others');
	is(scalar(() = $r->{err} =~ /locked/g), 1, '… which are reported once') or diag $r->{err};
	like($r->{err}, qr{^wakepath: warning: .*3 folders cannot be read, and may have traces: \S+/locked\d is the first: Permission denied$}m, '… with their number');
	system('rm', '-rf', "$tree/trace");
	says(wakepath_as_nobody('info', $tree), 3, qr{no trace that can be read: cannot read 3 folders, the first is \S+/locked\d: Permission denied}, 'folders of others alone');
}

# A long search reports its progress: 500 folders, repeatedly.
mkdir "$tree/$_" or die for 1 .. 500;
system('cp', '-r', $one, "$tree/slow") == 0 or die;
my $p = pty_start(80, 24, {}, {}, $ENV{WAKEPATH}, 'info', ("$tree/") x 190);
like(pty_read($p, qr/folders/, 60), qr/\r\e\[Klooking for traces: [1-9]\d* folders/, 'progress on a terminal');
is(pty_ends($p, 60), 0, '… to its end');

done_testing;
