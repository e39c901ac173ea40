/* SPDX-License-Identifier: MIT */
/*
 * Runs the program many times; loaded into it by LD_PRELOAD (Starter.pm).  Each run is a copy of this process
 * that enters the program's main(), with all libraries loaded and the sanitizers initialised.  That takes
 * half the time of a start, and a check has twenty thousand.  The program itself is the one that users get.
 *
 * An order comes on standard input: its length in bytes (32 bits), then words that end with \0: folder, umask
 * (decimal), files for standard output and standard error, the number of words of the command, these words,
 * an empty word, and the environment.  When the command ends, its status as of waitpid() (32 bits) is written
 * to standard output.  If the first word of a command is that of this process, main() runs; any other command
 * is executed.  An order without words, or the end of input, ends this process.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int argc, char **argv, char **env);

/* glibc, csu/libc-start.c; the start-up code of the program calls it. */
int __libc_start_main(main_function *main, int argc, char **argv, main_function *init, void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end);

extern char **environ;

static main_function *program_main;
static char *order;  /* the last one */
static char **words; /* in it, NULL behind them */

/* Exit because Starter.pm is gone or sent an invalid order. */
static _Noreturn void end(const char *why)
{
	if (why)
		perror(why);
	_exit(why ? 125 : 0);
}

/* False: the input ends here. */
static bool read_all(void *to, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t got = read(STDIN_FILENO, (char *)to + have, n - have);

		if (got < 0 || (got == 0 && have))
			end("starter: order");
		if (got == 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

/* Read the next order into ORDER and WORDS.  False if there is none. */
static bool next_order(void)
{
	uint32_t length;
	size_t n = 0;

	if (!read_all(&length, sizeof(length)) || !length)
		return false;
	order = realloc(order, length + 1);
	if (!order || !read_all(order, length))
		end("starter: order");
	order[length] = '\0';
	for (char *word = order; word < order + length; word += strlen(word) + 1)
		n++;
	words = realloc(words, (n + 1) * sizeof(*words));
	if (!words || n < 7)
		end("starter: words");
	n = 0;
	for (char *word = order; word < order + length; word += strlen(word) + 1)
		words[n++] = word;
	words[n] = NULL;
	return true;
}

static void open_as(int fd, const char *path, int flags)
{
	int file = open(path, flags, 0666);

	if (file < 0 || dup2(file, fd) < 0)
		end(path);
	if (file != fd)
		close(file);
}

/* In a copy of the process: set up what the order says, and run its command. */
static int obey(const char *program)
{
	int argc = atoi(words[4]);
	char **command = words + 5;

	command[argc] = NULL;
	environ = command + argc + 1;
	if (chdir(words[0]))
		end(words[0]);
	umask((mode_t)atoi(words[1]));
	open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
	open_as(STDOUT_FILENO, words[2], O_WRONLY | O_CREAT | O_TRUNC);
	open_as(STDERR_FILENO, words[3], O_WRONLY | O_CREAT | O_TRUNC);
	if (!strcmp(command[0], program))
		return program_main(argc, command, environ);
	execvp(command[0], command);
	_exit(127);
}

static int serve(int argc, char **argv, char **env)
{
	(void)argc, (void)env;
	while (next_order()) {
		int status;
		pid_t pid = fork();

		if (pid < 0)
			end("starter: fork");
		if (pid == 0)
			return obey(argv[0]);
		if (waitpid(pid, &status, 0) < 0 ||
			write(STDOUT_FILENO, &status, sizeof(status)) != sizeof(status))
			end(argv[0]);
	}
	end(NULL);
}

int __libc_start_main(main_function *main, int argc, char **argv, main_function *init, void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(main_function *, int, char **, main_function *, void (*)(void), void (*)(void), void *);

	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	program_main = main;
	return real(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
