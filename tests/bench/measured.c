/* SPDX-License-Identifier: MIT */
/*
 * measured FILE COMMAND...: run COMMAND, discard its standard output, and write its time and memory to FILE:
 * "wall NS cpu NS memory BYTES status N".  This program is small because the kernel counts a child's peak
 * memory from its parent's memory on.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t ns_of(struct timeval t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_usec * INT64_C(1000);
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	struct rusage used;
	int64_t begin;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: measured FILE COMMAND...\n");
		return 2;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	begin = now();
	if (posix_spawnp(&pid, argv[2], &actions, NULL, argv + 2, environ) ||
		wait4(pid, &status, 0, &used) != pid) {
		perror(argv[2]);
		return 1;
	}
	begin = now() - begin;
	posix_spawn_file_actions_destroy(&actions);
	out = fopen(argv[1], "we");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "wall %lld cpu %lld memory %lld status %d\n", (long long)begin,
		(long long)(ns_of(used.ru_utime) + ns_of(used.ru_stime)), (long long)used.ru_maxrss * 1024,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return fclose(out) != 0;
}
