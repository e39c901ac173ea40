#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No room: on a full disk, or with a limit on the size of files, each output is complete or absent, and the program gives the reason.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
use Test::More;

my $trace = sample('pipeline');
my $cache = "$ENV{TMPDIR}/cache-elsewhere";
is(wakepath('index', $trace, '--index-dir', $cache)->{status}, 0, 'an index elsewhere');
my $bytes = 0;	# of the index and its spans
$bytes += -s for files_below($cache);

# Every command that writes a file, and the text that shows that an answer went into it.
my @exports;
for my $format (qw(text json csv markdown folded perfetto svg png pdf)) {
	push @exports, map { [@$_, '--format', $format] } ['threads', $trace], ['info', $trace],
		['states', $trace, '--thread', 'wk-pipe-main'], ['wakeups', $trace, '--thread', 'wk-pipe-main'],
		['path', $trace, '--thread', 'wk-pipe-main'], ['latency', $trace];
}
# (Not every command has every format.)
@exports = grep { wakepath(@$_, '--index-dir', $cache)->{status} == 0 } @exports;
cmp_ok(scalar @exports, '>', 10, 'many things can be exported');

# Fill the rest of the disk of FOLDER; returns the bytes that fitted.
sub fill {
	my ($folder) = @_;
	open my $f, '>:raw', "$folder/filler" or die;
	my $all = 0;
	while (my $n = syswrite $f, "x" x 4096) { $all += $n }
	is($! + 0, POSIX::ENOSPC, 'the disk is full') or die;
	return $all;
}

sub unchanged {
	my ($folder, $before, $name) = @_;
	is_deeply({ map { $_ => slurp($_) } files_below($folder) }, $before, "$name: every file is as before, and there is no other");
}

# Have the explorer export the path to FILE; returns its message.
sub explorer_says {
	my ($file) = @_;
	my $script = "$ENV{TMPDIR}/export.script";
	spew($script, qq{+\n+\n+\ne\nC-u\n"$file"\nEnter\ndump $ENV{TMPDIR}/screen.txt\n});
	my $r = wakepath($trace, '--thread', 'wk-pipe-main', '--goto', '+0.38s', '--index-dir', $cache, '--script', $script);
	is($r->{status}, 0, 'the explorer goes on') or diag($r->{err});
	return (split /\n/, slurp("$ENV{TMPDIR}/screen.txt"))[-1];
}

SKIP: {
	my $disk = small_disk('1m');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	is(wakepath('index', $trace, '--index-dir', $disk)->{status}, 0, 'an index on a disk with room');
	spew("$disk/out", "the old one\n");
	fill($disk);
	my %before = map { $_ => slurp($_) } files_below($disk);
	for my $export (@exports) {
		my $name = "@$export[0, -1]";
		for my $to ('out', 'new') {
			says(wakepath(@$export, '--index-dir', $cache, '-o', "$disk/$to"), 3,
				qr{cannot write \Q$disk/$to\E: No space left on device: free some space}, "$name to $to on a full disk");
		}
		unchanged($disk, \%before, $name);
	}
	# Long output is written while it is made.
	my @long = ('latency', sample('rpc-chain'), '--kind', 'softirq', '--top', 0, '--format', 'json');
	cmp_ok(length wakepath(@long)->{out}, '>', 1 << 20, 'a long export');
	for my $to ('out', 'new') {
		says(wakepath(@long, '-o', "$disk/$to"), 3, qr{cannot write \Q$disk/$to\E: No space left on device: free some space}, "a long export to $to");
	}
	unchanged($disk, \%before, 'a long export');
	{
		my $index_dir = "$ENV{TMPDIR}/cache-of-long";
		wakepath(@long, '--index-dir', $index_dir);
		local $ENV{TMPDIR} = $disk;
		says(wakepath(@long, '--index-dir', $index_dir), 3, qr{cannot write \Q$disk\E: No space left on device: free some space}, 'no room for the file from which standard output is copied');
	}
	unchanged($disk, \%before, 'a long export to standard output');
	like(explorer_says("$disk/new.txt"), qr{cannot write \S*/new.txt: No space left on device}, 'the export of the explorer');
	unchanged($disk, \%before, 'the export of the explorer');
	says(wakepath('index', $trace, '--force', '--index-dir', $disk), 3, qr{\Q$disk\E.*No space left on device: free some space}, 'building again');
	is(wakepath('threads', $trace, '--index-dir', $disk)->{status}, 0, 'the existing index is used');
	unchanged($disk, \%before, 'building again');

	# With increasing room: the index is complete or absent.
	my %count;
	unlink grep { /\.wp[is]$|out$/ } files_below($disk);
	my $room = fill($disk);
	for (my $free = 0; $free < $bytes + 65536; $free += 8192) {
		truncate "$disk/filler", $room - $free;
		my $r = wakepath('index', $trace, '--index-dir', $disk);
		my @there = grep { !/filler$/ } files_below($disk);
		my $what = $r->{status} == 0 && "@there" =~ /\A(\S+)\.wpi \1\.wps\z/ ? 'whole'
			: $r->{status} == 0 && "@there" =~ /\A\S+\.wpi\z/ ? 'without spans'
			: $r->{status} == 3 && !@there && $r->{err} =~ /\Awakepath: [^\n]*No space left[^\n]*\n\z/ ? 'refused' : "odd: @there $r->{err}";
		$count{$what}++;
		is(wakepath('verify', @there)->{status}, 0, 'an index that fitted is whole') if $what =~ /whole|without/;
		unlink @there;
		spew("$disk/filler", 'x' x $room);
	}
	ok($count{whole} && $count{'without spans'} && $count{refused}, 'there was enough room, room for the index alone, and too little');
	is(scalar(keys %count), 3, 'and no other outcome') or diag(join "\n", keys %count);

	$disk = small_disk('1m,nr_inodes=1');
	skip 'no limit to the number of files here', 1 if !defined $disk;
	says(wakepath('index', $trace, '--index-dir', $disk), 3, qr{\Q$disk\E.*No space left on device}, 'no room for another file, index');
	says(wakepath('threads', $trace, '--index-dir', $cache, '-o', "$disk/out"), 3, qr{\Q$disk/out\E: No space left}, '… and export');
	is_deeply([files_below($disk)], [], '… and nothing is left');
}

# The other kind of limit: files of one KiB at most.
my $folder = "$ENV{TMPDIR}/limited";
mkdir $folder;
spew("$folder/out", "the old one\n");
my %before = map { $_ => slurp($_) } files_below($folder);
sub limited { return Wake::run('sh', '-c', 'ulimit -f 2; exec "$0" "$@"', $ENV{WAKEPATH}, @_) }
says(limited('index', $trace, '--index-dir', $folder), 3, qr{cannot write the index \Q$folder\E.*File too large}, 'an index above the limit');
unchanged($folder, \%before, 'an index above the limit');
for my $to ('out', 'new') {
	says(limited('states', $trace, '--thread', 'wk-pipe-main', '--index-dir', $cache, '-o', "$folder/$to"), 3,
		qr{cannot write \Q$folder/$to\E: File too large}, 'an export above the limit');
	unchanged($folder, \%before, 'an export above the limit');
}

done_testing();
