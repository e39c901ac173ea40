#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Root reads a trace of another user: the process has dropped the rights that reading does not need, and answers as usual.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

plan skip_all => 'needs root' if !is_root();
# (The sanitizers look for leaks by ptrace(), a right that is dropped.)
local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};
my $dir = $ENV{TMPDIR};
my ($secret, $library) = ("$dir/roots/secret", "$dir/tries.so");
mkdir "$dir/$_" for qw(roots tmp);
spew("$dir/tries.c", <<'END');
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void did(const char *what, int result) { if (result >= 0) fprintf(stderr, "did %s\n", what); }

/* Threads with all rights, into which such code could go; none: -1. */
static int free_threads(void)
{
	DIR *all = opendir("/proc/self/task");
	int n = 0, there = 0;

	for (struct dirent *d; (d = readdir(all));) {
		char path[300], text[4096] = "";
		FILE *f;

		snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
		f = *d->d_name == '.' ? NULL : fopen(path, "r");
		if (!f) continue;
		(void)!fread(text, 1, sizeof text - 1, f);
		fclose(f);
		there++;
		n += !strstr(text, "\nSeccomp:\t2") || !strstr(text, "\nCapPrm:\t0000000000000006");
	}
	closedir(all);
	return there > 1 ? n - 1 : 0;
}

/* Things that code of an attacker would try in the process, once it has read the trace. */
__attribute__((destructor)) static void try_all(void)
{
	const char *secret = getenv("SECRET");
	int fd = open(secret, O_RDONLY), status;
	pid_t pid;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
		fprintf(stderr, "no Landlock\n");
	did("read", fd);
	did("thread", free_threads());
	did("write", open(secret, O_WRONLY));
	did("truncate", truncate(secret, 100));
	did("create", open("roots/created", O_WRONLY | O_CREAT, 0600));
	did("mkdir", mkdir("roots/folder", 0700));
	did("link", link(secret, "cache/wakepath/link"));
	did("rename", rename(secret, "roots/renamed"));
	did("unlink", unlink("roots/renamed"));
	did("chmod", chmod(secret, 0666));
	did("fchmod", fchmod(fd, 04755));
	did("chown", chown(secret, 65534, 65534));
	did("fchown", fchown(fd, 65534, 65534));
	did("socket", socket(AF_UNIX, SOCK_STREAM, 0));
	did("mount", mount("none", "roots", "tmpfs", 0, ""));
	did("unshare", unshare(0x20000000));
	did("setgid", setgid(65534));
	did("memory", open("/proc/1/mem", O_RDWR));
	did("sysctl", open("/proc/sys/kernel/core_pattern", O_WRONLY));
	pid = fork();
	if (pid == 0) { unsetenv("LD_PRELOAD"); execl("/bin/true", "true", (char *)0); _exit(7); }
	waitpid(pid, &status, 0);
	did("execute", status == 0 ? 0 : -1);
	did("keep", open("cache/wakepath/kept", O_WRONLY | O_CREAT, 0600));
}
END
plan skip_all => 'no C compiler' if system("cc -D_GNU_SOURCE -shared -fPIC -o $library $dir/tries.c 2>$dir/cc.err") != 0;
chdir $dir;

# The answer and the tries that succeeded.
sub tried {
	my (@args) = @_;
	spew($secret, 'secret');
	chmod 0600, $secret;
	my $r = Wake::run('env', "TMPDIR=$dir/tmp", "LD_PRELOAD=$library", "SECRET=$secret", $ENV{WAKEPATH}, @args);
	return ($r, join ' ', $r->{err} =~ /^did (\w+)$/mg);
}
my $own = copy_trace('pipeline', 'own');
my $foreign = copy_trace('pipeline', 'foreign');
system('chown', '-R', '65534:65534', $foreign) == 0 or die;

my ($root, $did) = tried('threads', $own, '--format', 'csv');
plan skip_all => 'this kernel has no Landlock' if $root->{err} =~ /no Landlock/;
is($root->{status}, 0, "a trace of root's");
cmp_ok(scalar(split / /, $did), '>', 10, '… read with all rights');
system('umount', 'roots') if $did =~ /mount/;
for my $n (1, 2) {
	my ($r, $is) = tried('threads', $foreign, '--format', 'csv');
	is($r->{status}, 0, "a trace of another user, for the $n. time") or diag($r->{err});
	is($r->{out}, $root->{out}, '… the answer');
	is($is, 'read keep', '… it can only read, and write to the folder of indexes');
	is(slurp($secret), 'secret', '… so nothing happened to another file');
}

# The process can write the files that the user asked it to write.
mkdir 'out';
spew('out/csv', 'old');
chmod 0640, 'out/csv';
for my $command (['threads', $foreign], ['latency', $foreign, '--kind', 'block'], ['compare', $foreign, '--kind', 'wakeup', '--against', $foreign]) {
	my ($r) = wakepath(@$command, '-o', 'out/csv', '--format', 'csv');
	(my $plain = wakepath(map { $_ eq $foreign ? $own : $_ } @$command, '--format', 'csv'));
	is($r->{status}, $plain->{status}, "$command->[0] with -o") or diag($r->{err});
	is(slurp('out/csv'), $plain->{out}, '… has written the file') if $plain->{status} == 0;
}
is(sprintf('%o', (stat 'out/csv')[2] & 07777), '640', '… as it was');
is(wakepath('threads', $foreign, '-o', '/dev/null')->{status}, 0, 'to a device');
my $r = wakepath('threads', $foreign, '-o', '/dev/stdout', '--format', 'csv');
is($r->{out}, $root->{out}, 'to standard output by its name');

done_testing();
