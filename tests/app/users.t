#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# An index folder that two users share: each has files of its own, trusts no other's, and overwrites no other's.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl ':mode';
use POSIX ();
use Test::More;

plan skip_all => 'needs root, to be two users' if !is_root();
plan skip_all => 'needs setpriv' if system('command -v setpriv >/dev/null');

my ($ann, $bob, $team) = (64001, 64002, 64003);
my $trace = copy_trace('pulse');
system('chmod', '-R', 'a+rX', "$ENV{TMPDIR}/traces") == 0 or die;
chmod 0755, $ENV{TMPDIR};
umask 0;	# the program's own file modes must apply

sub ask { my ($who, $dir) = @_; return wakepath_as($who, $team, 'threads', $trace, '--format', 'json', '--index-dir', $dir) }
my $right = ask($ann, "$ENV{TMPDIR}/user-$ann/alone")->{out};
like($right, qr/wk-pulse/, 'an answer');

my $folders = 0;
sub folder {
	my ($owner, $group, $mode) = @_;
	my $dir = "$ENV{TMPDIR}/shared" . $folders++;
	mkdir $dir or die;
	chown $owner, $group, $dir or die;
	chmod $mode, $dir or die;
	return $dir;
}

# The entries of a folder: name, kind and rights, owner, inode, bytes.
sub listing {
	my ($dir) = @_;
	opendir my $d, $dir or die;
	return [map {
		my @st = lstat "$dir/$_";
		my $what = -l _ ? readlink "$dir/$_" : -f _ ? slurp("$dir/$_") : '';
		sprintf '%s %o %d %d %s', $_, @st[2, 4, 1], unpack '%32C*', $what;
	} sort grep { !/\A\.\.?\z/ } readdir $d];
}

# Owners and rights of the indexes and their spans in a folder, each pair once.
sub owners { my ($dir) = @_; my %seen; return join ' ', grep { !$seen{$_}++ } map { my @st = lstat; sprintf '%d:%o', $st[4], $st[2] & 07777 } files_below($dir) }

sub answers {
	my ($who, $dir, $name) = @_;
	my $r = ask($who, $dir);
	is($r->{status}, 0, "$name: an answer") or diag($r->{err});
	is($r->{out}, $right, "$name: the right answer");
}

# ---- each with files of its own ----

my $dir = folder($ann, $ann, 0700);
answers($ann, $dir, 'a folder of Ann alone, Ann');
my $before = listing($dir);
says(ask($bob, $dir), 3, qr{\Q$dir\E: Permission denied; name another with --index-dir DIR}, 'the same, Bob');
is_deeply(listing($dir), $before, '… which changed nothing');
answers($bob, "$ENV{TMPDIR}/user-$bob/own", '… Bob with a folder of his own');

for my $case (['for everybody', $ann, $ann, 0777], ['for everybody, sticky', $ann, $ann, 01777], ['for a group', $ann, $team, 02770],
	['for a group, of root', 0, $team, 0770]) {
	my ($name, @how) = @$case;
	$dir = folder(@how);
	answers($ann, $dir, "a folder $name, Ann");
	is(owners($dir), "$ann:600", '… with rights for her alone');
	my $file = (files_below($dir))[0];
	my $inode = (stat $file)[1];
	answers($bob, $dir, "a folder $name, Bob");
	is(join(' ', sort split / /, owners($dir)), "$ann:600 $bob:600", '… each has a file');
	is((stat $file)[1], $inode, '… hers was not touched');
	like(wakepath_as($ann, $team, 'index', $trace, '--index-dir', $dir)->{out}, qr/ is fresh, /, '… and is still fresh');
	like(wakepath_as($bob, $team, 'index', $trace, '--index-dir', $dir)->{out}, qr/ is fresh, /, '… as is his');
	is(wakepath_as($bob, $team, 'index', $trace, '--force', '--index-dir', $dir)->{status}, 0, '… and he can build his again');
	is((stat $file)[1], $inode, '… without touching hers');
}

# ---- planted by Bob in Ann's way ----

$dir = folder($ann, $ann, 0777);
answers($ann, $dir, 'before anything is planted');
my ($file) = files_below($dir);
my $good = slurp($file);
my $victim = "$ENV{TMPDIR}/user-$ann/victim";
spew($victim, $good);
chown $ann, $ann, $victim;

# Put something with PLANT at Ann's place, owned by Bob or OWNER.
my %plant = (
	'an index of the right trace' => sub { spew($_[0], $good); chmod 0644, $_[0] },
	'an unreadable file' => sub { spew($_[0], 'mine'); chmod 0600, $_[0] },
	'a link to an index of Ann' => sub { symlink $victim, $_[0] or die },
	'a link to nowhere' => sub { symlink "$ENV{TMPDIR}/user-$ann/new", $_[0] or die },
	'a FIFO' => sub { POSIX::mkfifo($_[0], 0666) or die },
	'a folder' => sub { mkdir $_[0], 0777 or die },
	'a device' => sub { system('mknod', '-m', '666', $_[0], 'c', 1, 5) == 0 },
);
sub give { my ($path, $owner) = @_; system('chown', '-h', "$owner:$owner", $path) == 0 or die }
sub clear_away { my ($path) = @_; -d $path && !-l $path ? rmdir $path : unlink $path }

for my $mode (0777, 01777) {
	chmod $mode, $dir;
	for my $name (sort keys %plant) {
		clear_away($file);
		SKIP: {
			skip "$name: cannot be made here", 1 if !$plant{$name}->($file);
			give($file, $bob);
			$before = listing($dir);
			my $title = sprintf '%s of Bob in the place of the index (folder %o)', $name, $mode;
			says(ask($ann, $dir), 3, qr{\Q$file\E: the file there belongs to another user \($bob\); name a folder of your own}, $title);
			is_deeply(listing($dir), $before, '… which remains');
			is(wakepath_as($ann, $team, 'verify', $trace, '--index-dir', $dir)->{status}, 3, '… and verify does not trust it')
				if $name !~ /nowhere/;
		}
	}
}
is(slurp($victim), $good, 'the target of the link is unchanged');
ok(!-e "$ENV{TMPDIR}/user-$ann/new", 'nothing was made through the link to nowhere');

# Her own file in that place is replaced, but not her folder.
for my $name (sort keys %plant) {
	clear_away($file);
	SKIP: {
		skip "$name: cannot be made here", 1 if !$plant{$name}->($file);
		give($file, $ann);
		if ($name eq 'a folder') {
			says(ask($ann, $dir), 3, qr{\Q$file\E: Is a directory}, 'a folder of Ann in the place of the index');
		} else {
			answers($ann, $dir, "$name of Ann in the place of the index");
			ok(S_ISREG((lstat $file)[2]) && (lstat _)[4] == $ann, '… which is then an index');
		}
	}
}
is(slurp($victim), $good, 'the target of the link is unchanged');
clear_away($file);

# Files with temporary names: of Ann's only her own leftover is removed, of Bob's none.
(my $temporary = $file) =~ s{([^/]+)\z}{.$1.};
my $n = 0;
for my $name (sort keys %plant) {
	next if !$plant{$name}->($temporary . sprintf 'BOB%03d', $n);
	give($temporary . sprintf('BOB%03d', $n), $bob);
	next if $name eq 'an index of the right trace' || $name eq 'an unreadable file' || !$plant{$name}->($temporary . sprintf 'ANN%03d', $n++);
	give($temporary . sprintf('ANN%03d', $n - 1), $ann);
}
my $spans = $file =~ s/\.wpi\z/.wps/r;
unlink $spans;
$before = listing($dir);
spew("${temporary}ANNOLD", 'left over');
give("${temporary}ANNOLD", $ann);
answers($ann, $dir, 'with all kinds of things under temporary names');
unlink $file, $spans;
is_deeply(listing($dir), $before, '… of which only her own leftover is removed');

# A file in the place of the spans: the index is made without them, and no file of Bob's is read or changed.
answers($ann, $dir, 'her spans');
my $right_spans = slurp($spans);
for my $name (sort keys %plant) {
	unlink $file;
	clear_away($spans);
	next if !$plant{$name}->($spans);
	give($spans, $bob);
	$before = listing($dir);
	answers($ann, $dir, "$name of Bob in the place of the spans");
	unlink $file;
	is_deeply(listing($dir), $before, '… and Bob has his');
}
clear_away($spans);
answers($ann, $dir, 'without any');
is(slurp($spans), $right_spans, '… her spans are there again');

# ---- a folder that is a link ----

my $home = "$ENV{TMPDIR}/user-$ann";
for my $below ('', '/deeper', '/deeper/still') {
	mkdir "$home/private";
	my $link = "$ENV{TMPDIR}/link" . $n++;
	symlink "$home/private", $link or die;
	give("$home/private", $ann);
	give($link, $bob);
	says(ask($ann, "$link$below"), 3, qr{\Q$link\E is a symbolic link of another user}, "a link of Bob as index folder, '$below' below it");
	is_deeply(listing("$home/private"), [], '… and nothing was written there');
	give($link, $ann);
	answers($ann, "$link$below", '… but one of her own is used');
	give($link, 0);
	answers($ann, "$link$below", '… and one of root');
	system('rm', '-rf', "$home/private");
}
symlink "$home/nowhere", "$ENV{TMPDIR}/dangling" or die;
give("$ENV{TMPDIR}/dangling", $bob);
says(ask($ann, "$ENV{TMPDIR}/dangling"), 3, qr{dangling is a symbolic link of another user}, 'a link to nowhere of Bob as index folder');
ok(!-e "$home/nowhere", '… through which no file was made');

# Folders that wakepath creates are for her alone.
answers($ann, "$home/a/b/c", 'folders that are made');
is(join(' ', map { sprintf '%o', (stat "$home/$_")[2] & 07777 } qw(a a/b a/b/c)), '700 700 700', '… for her alone, whatever the umask');

done_testing();
