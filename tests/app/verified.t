#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stored latencies and packets whose checksums are right and whose content is wrong: every query survives them, and verify, which has the traces,
# reports each.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use File::Copy qw(copy);
use Wake;
use Test::More;

my $tmp = $ENV{TMPDIR};

# Makes the checksums of chunks, table of contents and header right again (docs/index-format.md).
spew("$tmp/repair.c", <<'C');
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
static unsigned char b[1 << 22];
static XXH64_hash_t get(const unsigned char *p) { XXH64_hash_t v; memcpy(&v, p, 8); return v; }
static void put(unsigned char *p, XXH64_hash_t v) { memcpy(p, &v, 8); }
int main(int argc, char **argv)
{
	FILE *f = fopen(argv[argc - 1], "r+b");
	size_t size = fread(b, 1, sizeof b, f), toc = get(b + 24), n = b[32];

	for (size_t i = 0; i < n; i++) {
		unsigned char *e = b + toc + 32 * i;

		if (get(e + 8) + get(e + 16) <= size)
			put(e + 24, XXH3_64bits(b + get(e + 8), get(e + 16)));
	}
	put(b + 40, XXH3_64bits(b + toc, 32 * n));
	put(b + 120, XXH3_64bits(b, 120));
	rewind(f);
	return fwrite(b, 1, size, f) != size || fclose(f) != 0;
}
C
is(system('cc', '-O1', '-DXXH_INLINE_ALL', '-o', "$tmp/repair", "$tmp/repair.c"), 0, 'the program that repairs checksums compiles');

# The place of chunk ID in the file with BYTES: its offset and size.
sub chunk {
	my ($bytes, $id) = @_;
	my ($toc, $n) = unpack 'Q<L<', substr $bytes, 24, 12;
	for my $i (0 .. $n - 1) {
		my ($name, undef, $offset, $size) = unpack 'a4 L< Q< Q<', substr $bytes, $toc + 32 * $i, 24;
		return ($offset, $size) if $name eq $id;
	}
	die "no $id";
}

# Change N bytes at AT of chunk ID of the file PATH to BYTES, or, if undef, flip a bit.
sub change {
	my ($path, $id, $at, $bytes) = @_;
	my $all = slurp($path);
	my ($offset, $size) = chunk($all, $id);
	die "$id has $size bytes" if $at >= $size;
	$bytes //= chr(1 ^ ord substr $all, $offset + $at, 1);
	substr $all, $offset + $at, length $bytes, $bytes;
	spew($path, $all);
	system("$tmp/repair", $path) == 0 or die;
	return;
}

my $cache = "$tmp/cache";
my ($one, $several) = (sample('pipeline'), sample('rpc-chain'));
my @ask = (
	[$one, qw(latency --kind wakeup)], [$one, qw(latency --kind blocked)], [$one, qw(latency --kind irq)], [$several, qw(latency --kind wakeup)],
	[$several, qw(latency --kind network)], [$several, qw(latency --kind softirq)], [$several, 'sync'],
);

sub ask {
	my ($trace, @question) = @{ $_[0] };
	return wakepath('--index-dir', $cache, @question, $trace, '--format', 'json');
}

my @right = map { ask($_) } @ask;
is($_->{status}, 0, 'an answer') for @right;
is(wakepath('--index-dir', $cache, 'verify', $_)->{status}, 0, "the stored file $_ is intact") for $one, $several;
my @kept = glob "$cache/*.wps $cache/*.wpx";
my %whole = map { $_ => slurp($_) } @kept;
cmp_ok(scalar @kept, '>=', 7, 'files beside the indexes');

# WHAT is changed in the file PATH: chunk ID at AT becomes BYTES.
sub harm {
	my ($what, $path, $id, $at, $bytes) = @_;
	my $trace = $path =~ /pipeline/ ? $one : $several;
	change($path, $id, $at, $bytes);
	my $verify = wakepath('--index-dir', $cache, 'verify', $trace);
	is($verify->{status}, 3, "$what: verify reports it") or diag("$path\n$verify->{out}");
	like($verify->{out}, qr/^\Q$path\E: .*damaged/m, '… of this file');
	for my $i (grep { $ask[$_][0] eq $trace } 0 .. $#ask) {
		my $again = ask($ask[$i]);
		ok($again->{status} == 0 || $again->{status} == 3, "… and \"@{$ask[$i]}[1 .. $#{$ask[$i]}]\" has an answer, or none") or diag($again->{err});
		spew($path, $whole{$path});
		change($path, $id, $at, $bytes);
	}
	spew($path, $whole{$path});
}

sub file_of {
	my ($pattern, $test) = @_;
	my ($path) = grep { /$pattern/ && $test->($whole{$_}) } @kept;
	return $path;
}
sub outlines { return unpack('L<', substr $_[0], (chunk($_[0], 'LEAF'))[0] + 8, 4) == 0 }

my $outline = file_of(qr/pipeline.*-.*-[0-9a-f]{16}\.wps/, \&outlines);
my $own = file_of(qr/pipeline-kernel-[0-9a-f]{16}\.wps$/, sub { 1 });
my $network = file_of(qr/sync-/, sub { $_[0] =~ /WKPSPANS/ && !outlines($_[0]) });
my $pairs = file_of(qr/\.wpx$/, sub { 1 });
harm('a case of no thread', $outline, 'WRST', 24, "\xff" x 4);
harm('a case of another thread', $outline, 'WRST', 24);
harm('a case that begins later', $outline, 'WRST', 0);
harm('the figures of cases that the index has', $outline, 'FIGS', 8 * 15);
harm('how many are in a leaf', $outline, 'LEAF', 16);
harm('where cases follow', $outline, 'LEAF', 0);
harm('an unknown call', $own, 'WRST', 16, "\xff" x 8);
harm('another CPU', $own, 'WRST', 28);
harm('an unknown host', $network, 'WRST', 16, "\xff" x 8);
harm('the clocks', $pairs, 'CLKS', length('{"reference":"') + 1);
done_testing;
