#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What several hosts exchanged is kept beside their indexes: made once, made anew when it is not theirs, never believed when it is
# damaged, and done without where it cannot be kept.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Copy ();
use Test::More;

my $trace = sample('rpc-chain');
my $cache = "$ENV{TMPDIR}/cache";
# The client's waits are ended by packets of httpd, and those of httpd by packets of db and client.
my @ask = ('path', $trace, '--thread', 'client/wk-client', '--format', 'json');

sub kept { my ($dir) = @_; return grep { /\.wpx\z/ } files_below($dir) }
sub ask { my ($dir, @more) = @_; return wakepath(@ask, '--index-dir', $dir, @more) }

sub answers {
	my ($r, $right, $name) = @_;
	is($r->{status}, 0, "$name: an answer") or diag($r->{err});
	is($r->{err}, '', "$name: nothing to be said");
	ok($r->{out} eq $right, "$name: the right one");
}

my $first = ask($cache);
is($first->{status}, 0, 'the first opening answers') or diag($first->{err});
my $right = $first->{out};
ok($right =~ /"sender_host":"httpd"/, '… with the senders on another host');
my @files = kept($cache);
is(scalar @files, 1, '… and keeps what was exchanged');
my $file = $files[0];
is((stat $file)[2] & 07777, 0600, '… for its user alone');
my @whole = (slurp($file), (stat $file)[1, 9]);

# ---- made once ----

answers(ask($cache), $right, 'the second opening');
is_deeply([slurp($file), (stat $file)[1, 9]], \@whole, '… wrote nothing');
wakepath('index', $trace, '--index-dir', $cache, '--force');
isnt((stat $file)[1], $whole[1], 'index --force makes it anew');
is(slurp($file), $whole[0], '… the same');
my ($client, $db, $httpd) = map { "$trace/$_" } qw(client db httpd);
is(wakepath('index', $httpd, $client, '--index-dir', $cache, '--quiet')->{status}, 0, 'other hosts in another order');
is(scalar kept($cache), 2, '… have a file of their own');
is(wakepath('verify', kept($cache))->{status}, 0, '… whole, both');
is(wakepath('index', $client, '--index-dir', "$ENV{TMPDIR}/alone", '--quiet')->{status}, 0, 'one host alone');
is(scalar kept("$ENV{TMPDIR}/alone"), 0, '… exchanged nothing');

# ---- not theirs any more ----

my $copy = copy_trace('rpc-chain');
my $copied = "$ENV{TMPDIR}/cache-copy";
is(wakepath('index', $copy, '--index-dir', $copied, '--quiet')->{status}, 0, 'a copy of the trace');
my ($of_copy) = kept($copied);
my $before = slurp($of_copy);
utime 1e9, 1e9, glob "$copy/db/*";
is(wakepath('path', $copy, '--thread', 'client/wk-client', '--index-dir', $copied)->{status}, 0, 'a trace has changed');
is_deeply([kept($copied)], [$of_copy], '… the file has the old place');
isnt(slurp($of_copy), $before, '… but is a new one');
is(wakepath('verify', $copy, '--index-dir', $copied)->{status}, 0, '… and agrees with the indexes');
spew($of_copy, $before);
says(wakepath('verify', $copy, '--index-dir', $copied), 3, qr/1 findings/, 'verify of the old one');

# ---- damaged ----

for my $harm ([8, "\x63", 'another version'], [0, 'X', 'another magic'], [48, 'zz', 'another fingerprint'], [16, "\0", 'another size'],
	      [length($whole[0]) - 40, "\xff\xff", 'its table of contents'], [length($whole[0]) - 200, '####', 'the clocks in it'], [undef, '', 'nothing left of it'],
	      [undef, substr($whole[0], 0, 5000), 'the end of it missing'], [undef, 'x' x 70000, 'something else']) {
	my ($at, $bytes, $name) = @$harm;
	my $harmed = defined $at ? $whole[0] : $bytes;
	substr($harmed, $at, length $bytes) = $bytes if defined $at;
	spew($file, $harmed);
	answers(ask($cache), $right, $name);
	ok(slurp($file) eq $whole[0], "$name: it was made anew");
}

# Some blocks are never asked for here; where one is, or what is checked at once does not hold, the file is made anew, and the answer is right.
my ($anew, $unasked) = (0, 0);
for (my $at = 128; $at < length $whole[0]; $at += 211) {
	my $harmed = $whole[0];
	substr($harmed, $at, 1) ^= "\x10";
	spew($file, $harmed);
	fail("verify finds nothing with byte $at changed") if wakepath('verify', $file)->{status} != 3;
	my $r = ask($cache);
	fail("byte $at: $r->{status} $r->{err}") if $r->{status} || $r->{out} ne $right;
	my $now = slurp($file);
	$now eq $whole[0] ? $anew++ : $now eq $harmed ? $unasked++ : fail("byte $at: something else stands there");
}
cmp_ok($anew, '>', 10, "damaged files are made anew ($anew; of $unasked nothing was asked)");
spew($file, $whole[0]);

# ---- it cannot be kept ----

my $cannot = qr/\Awakepath: warning: clocks and packets between hosts are found anew at each opening, as they cannot be kept: [^\n]+\n\z/;
my $private = "$ENV{TMPDIR}/private";
mkdir $private;
local $ENV{TMPDIR} = $private;
if (is_root()) {
	my ($ann, $bob) = (64001, 64002);
	my $shared = "$private/../shared";
	mkdir $shared;
	chmod 0755, $private, $shared;
	chown $ann, $ann, $private, $shared;
	system('chmod', '-R', 'a+rX', "$private/..") == 0 or die;
	my $open = copy_trace('rpc-chain', 'rpc-open');
	system('chmod', '-R', 'a+rX', "$private/../traces") == 0 or die;
	my @path = ('path', $open, '--thread', 'client/wk-client', '--format', 'json', '--index-dir', $shared);
	my $r = wakepath_as($ann, undef, @path);
	is($r->{status}, 0, 'Ann makes it') or diag($r->{err});
	my $ann_right = $r->{out};
	my ($theirs) = kept($shared);
	unlink $theirs;
	chown 0, 0, $shared;
	$r = wakepath_as($ann, undef, @path);
	is($r->{status}, 0, 'the folder cannot be written: an answer') or diag($r->{err});
	ok($r->{out} eq $ann_right, '… the right one');
	like($r->{err}, $cannot, '… and a warning');
	is(scalar kept($shared), 0, '… nothing is kept');
	chown $ann, $ann, $shared;
	spew($theirs, 'of Bob');
	chown $bob, $bob, $theirs;
	$r = wakepath_as($ann, undef, @path);
	is($r->{status}, 0, "another user's file stands there: an answer") or diag($r->{err});
	ok($r->{out} eq $ann_right, '… the right one');
	like($r->{err}, $cannot, '… and a warning');
	is(slurp($theirs), 'of Bob', '… and it still stands there');
	is_deeply([grep { !m{/user-|/wakepath\z} } files_below($private)], [], '… and nothing is left elsewhere');
}

SKIP: {
	my $disk = small_disk('1600k');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	is(wakepath('index', $trace, '--index-dir', $disk, '--quiet')->{status}, 0, 'a small disk');
	unlink kept($disk);
	open my $f, '>:raw', "$disk/filler" or die;
	1 while syswrite $f, 'x' x 4096;
	my $r = ask($disk);
	is($r->{status}, 0, 'a full disk: an answer') or diag($r->{err});
	ok($r->{out} eq $right, '… the right one');
	like($r->{err}, $cannot, '… and a warning');
	is(scalar(grep { !/\.wpi\z|filler/ } files_below($disk)), 0, '… nothing is left there');
}

done_testing();
