#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath record with root's rights into a folder of another user, who renames its entries and replaces them by links to root's files.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'recording needs root' if !is_root();
my $dir = $ENV{TMPDIR};
# The lock of record.t: only one of the tests that record runs at a time.
my $lock;
if (open $lock, '<', '/sys/kernel/tracing/README') { flock $lock, LOCK_EX or die }
my $OTHER = 65534;
my ($roots, $bobs, $secret) = ("$dir/roots", "$dir/bobs", "$dir/roots/secret");
chmod 0755, $dir;
mkdir $roots;
spew($secret, 'secret');
chmod 0600, $secret;

# A folder of the other user with the folder "in", in which he runs ATTACK (a block) repeatedly while wakepath records with ARGS behind sudo of him.
sub attacked {
	my ($attack, @args) = @_;
	system('rm', '-rf', $bobs);
	mkdir $_ for $bobs, "$bobs/in";
	chown $OTHER, $OTHER, $bobs, "$bobs/in";
	my $stop = "$dir/stop";
	unlink $stop;
	my $pid = fork() // die;
	if (!$pid) {
		POSIX::setgid($OTHER);
		POSIX::setuid($OTHER);
		chdir $bobs or POSIX::_exit(1);
		my $limit = time + 60;
		while (time < $limit && !-e $stop) { $attack->(); sleep 0.002 }
		POSIX::_exit(0);
	}
	local @ENV{qw(SUDO_UID SUDO_GID)} = ($OTHER, $OTHER);
	my $mask = umask 0;
	my $r = wakepath('record', '--no-open', '--for', '0.3s', @args);
	umask $mask;
	spew($stop, '');
	waitpid $pid, 0;
	return $r;
}
sub is_untouched {
	my ($what) = @_;
	my @st = stat $secret;
	is(join(' ', slurp($secret), $st[4], sprintf('%o', $st[2] & 07777), $st[3], map { s{.*/}{}r } glob "$roots/* $roots/.[!.]*"), 'secret 0 600 1 secret', "$what: root\'s files are unchanged, and no other is there");
}
sub is_recording {
	my ($file, $what) = @_;
	my @st = lstat $file;
	ok(-f _ && !-l $file, "$what: a file");
	is(join(' ', map { $_ // '' } $st[4], @st ? sprintf('%o', $st[2] & 07777) : ''), "$OTHER 600", '… of the user that typed sudo, readable by him alone');
}

# Each name that appears becomes a link: to a file of root's, then to a missing one.
my %taken;
sub take_names {
	for my $name (glob '.[!.]* * in/.[!.]* in/*') {
		next if $name eq 'in' || -l $name || $taken{$name}++ || $name =~ /taken/;
		rename $name, "taken$$" . scalar keys %taken;
		symlink keys(%taken) % 2 ? $secret : "$roots/created", $name;
	}
}
# A link in the place of a file of wakepath whose name is public: it consists of the PID and the start time, as in /proc.
sub plant_name {
	for my $stat (glob '/proc/[0-9]*/stat') {
		open my $in, '<', $stat or next;
		my ($pid, $start) = (<$in> // '') =~ /^(\d+) \(wakepath\) (?:\S+ ){19}(\d+)/ or next;
		symlink "$roots/created", "in/.wakepath-$pid-$start.data";
	}
}
# For a moment the folder itself is a link to root's folder.
sub swap_folder {
	rename 'in', 'aside';
	symlink $roots, 'in';
	sleep 0.003;
	unlink 'in';
	rename 'aside', 'in';
	sleep 0.003;
}

my %with = (
	perf => system("perf record -a -o $dir/try.data -e sched:sched_switch -- true >/dev/null 2>&1") == 0,
	ftrace => -w '/sys/kernel/tracing/instances',
);
for my $with (sort keys %with) {
	SKIP: {
		skip "$with does not run here", 1 if !$with{$with};
		my $file = "$bobs/in/x";
		my @args = ('--with', $with, '-o', $file);
		%taken = ();
		attacked(\&take_names, @args);
		is_untouched("$with, names that are taken");
		attacked(\&plant_name, @args);
		is_untouched("$with, a link in the way");
		is_recording($file, '… which it ignores');
		attacked(\&swap_folder, @args);
		is_untouched("$with, another folder");
		system('rm', '-f', $file);
		symlink "$roots/created", $file;
		system('chown', '-h', $OTHER, $file);
		is(wakepath('record', '--no-open', '--for', '0.1s', @args)->{status}, 2, "$with, a link at the output: it exists already");
		is(wakepath('record', '--no-open', '--for', '0.1s', @args, '--force')->{status}, 0, '… and is replaced with --force');
		ok(-f $file && !-l $file, '… itself');
		is_untouched("$with, a link at the output");
	}
}

# ---- exports ----

my $trace = sample('pipeline');
system('rm', '-rf', $bobs);
mkdir $bobs;
chown $OTHER, $OTHER, $bobs;
for my $target ($secret, "$roots/created") {
	symlink $target, "$bobs/out";
	system('chown', '-h', $OTHER, "$bobs/out");
	my $r = wakepath('info', $trace, '-o', "$bobs/out");
	says($r, 3, qr{^wakepath: cannot write \Q$bobs\E/out: .*wakepath follows no link that another user could have made}, 'a link of another user as output');
	is_untouched('a link at an export');
	unlink "$bobs/out";
}
symlink $roots, "$bobs/in";
system('chown', '-h', $OTHER, "$bobs/in");
says(wakepath('info', $trace, '-o', "$bobs/in/created"), 3, qr{follows no link}, 'a folder that is a link of another user');
is_untouched('a folder that leads elsewhere');

# An index folder that is swapped after the check.
{
	local $ENV{WAKEPATH_INDEX_DIR} = "$bobs/in/x";
	says(wakepath('info', $trace), 3, qr{symbolic link of another user}, 'an index folder behind a link of another user');
	is_untouched('an index folder');
}

done_testing();
