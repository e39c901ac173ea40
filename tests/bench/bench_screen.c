/* SPDX-License-Identifier: MIT */
/*
 * bench_screen first TEXT PROGRAM...: run PROGRAM on a pseudo-terminal of 200×60, and print the time from its
 * start until TEXT is on the screen: "first NS".
 *
 * bench_screen keys PROGRAM...: wait until the screen is complete, then press keys, each after the answer to
 * the one before.  For each kind of key, print the bytes of the answer and the time from the key to the last
 * of them: "step-bytes-p95 N", "step-ns-p95 N", …; for all kinds together "all-ns-p99 N".  "worst-shown N" is
 * the time until the list of the worst, requested first, is shown.  "counted-ns-p95 N" is the time to the
 * first byte of the answer to a key that was pressed while the sums of the whole trace, selected just before,
 * are counted.  Times are in ns.
 *
 * The terminal is only a pipe that looks like one: the time that a real terminal takes to draw is not
 * measured.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 200
#define ROWS 60
#define QUIET_MS 60 /* an answer is complete if no byte comes for so long */
#define PATIENCE_MS 20000
#define KEYS_MAX 4096
#define COUNTED 40
#define SEEN 65536

/* The answer to one key. */
struct answer {
	size_t bytes;
	int64_t first; /* ns from the key to the first byte; -1: none came */
	int64_t last;  /* ns from the key to the last byte */
	int64_t shown; /* ns from the key to the expected text; -1: it did not come */
};

struct kind {
	const char *name, *keys; /* pressed in turns */
	unsigned times;
	struct answer answers[KEYS_MAX];
	unsigned n;
};

static struct kind kinds[] = {
	{ .name = "step", .keys = "llllllllhhhh", .times = 120 },
	{ .name = "row", .keys = "jjjjjjjjk", .times = 108 },
	{ .name = "pan", .keys = "++++LLHL---L+HH-", .times = 64 },
	{ .name = "worst", .keys = "ww", .times = 16 },
};

static char seen[SEEN];
static size_t seen_length;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "bench_screen: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* True if TEXT is in the bytes since the key.  Keeps the last of these bytes, in case TEXT is split. */
static bool came(const char *bytes, size_t n, const char *text)
{
	size_t kept = seen_length > 256 ? 256 : seen_length;

	memmove(seen, seen + seen_length - kept, kept);
	memcpy(seen + kept, bytes, n);
	seen_length = kept + n;
	return text && memmem(seen, seen_length, text, strlen(text));
}

/* Answer the query for the position of the cursor (term_curses_key.c) like xterm, which can repeat
 * characters. */
static void answer_question(int terminal, const char *bytes, size_t n)
{
	static const char question[] = "\033[6n", answer[] = "\033[2;8R";

	if (memmem(bytes, n, question, sizeof question - 1) && write(terminal, answer, sizeof answer - 1) < 0)
		die("cannot answer");
}

/* Read the answer to a key pressed at BEGIN until the terminal is quiet or, if TEXT is not NULL, TEXT has
 * come. */
static struct answer listen(int terminal, int64_t begin, const char *text)
{
	struct answer a = { .first = -1, .shown = -1 };
	struct pollfd fd = { .fd = terminal, .events = POLLIN };
	char bytes[16384];

	seen_length = 0;
	while (a.shown < 0 && poll(&fd, 1, text ? PATIENCE_MS : QUIET_MS) > 0) {
		ssize_t n = read(terminal, bytes, sizeof bytes);

		if (n <= 0)
			break;
		a.last = now() - begin;
		if (a.first < 0)
			a.first = a.last;
		a.bytes += (size_t)n;
		answer_question(terminal, bytes, (size_t)n);
		if (came(bytes, (size_t)n, text))
			a.shown = a.last;
	}
	return a;
}

/* Press KEY, then listen(). */
static struct answer press(int terminal, char key, const char *text)
{
	int64_t begin = now();

	if (write(terminal, &key, 1) != 1)
		die("cannot press a key");
	return listen(terminal, begin, text);
}

static int compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static int64_t rank(int64_t *values, unsigned n, unsigned percent)
{
	qsort(values, n, sizeof *values, compare);
	return n > 0 ? values[n * percent / 100 < n ? n * percent / 100 : n - 1] : -1;
}

static void print_ranks(const char *name, const char *what, int64_t *values, unsigned n)
{
	static const unsigned percents[] = { 50, 95, 99 };

	for (unsigned i = 0; i < 3; i++)
		printf("%s-%s-p%u %lld\n", name, what, percents[i], (long long)rank(values, n, percents[i]));
}

static void print_kind(const struct kind *kind, int64_t *values)
{
	for (unsigned i = 0; i < kind->n; i++)
		values[i] = (int64_t)kind->answers[i].bytes;
	print_ranks(kind->name, "bytes", values, kind->n);
	for (unsigned i = 0; i < kind->n; i++)
		values[i] = kind->answers[i].last;
	print_ranks(kind->name, "ns", values, kind->n);
}

/* For all kinds of keys together except "worst", whose list still grows during the count. */
static void print_all(int64_t *values)
{
	unsigned n = 0;

	for (unsigned k = 0; k + 1 < sizeof kinds / sizeof kinds[0]; k++)
		for (unsigned i = 0; i < kinds[k].n; i++)
			values[n++] = kinds[k].answers[i].last;
	print_ranks("all", "ns", values, n);
}

/* Select the whole trace and press a key at once, many times, each time on another row, whose sums are
 * counted. */
static void press_while_counted(int terminal)
{
	static const char select_all[] = "0v$v";
	static int64_t values[COUNTED];

	for (unsigned i = 0; i < COUNTED; i++) {
		if (write(terminal, select_all, sizeof select_all - 1) < 0)
			die("cannot select");
		listen(terminal, now(), NULL);
		values[i] = press(terminal, 'j', NULL).first;
		press(terminal, '\033', NULL);
	}
	print_ranks("counted", "ns", values, COUNTED);
}

static void press_keys(int terminal)
{
	static int64_t values[KEYS_MAX];
	struct answer first;

	listen(terminal, now(), "in view");
	listen(terminal, now(), NULL);
	press(terminal, '\033', NULL);          /* close the overview */
	first = press(terminal, 'w', "stddev"); /* the figures above the list, of all cases */
	printf("worst-shown %lld\n", (long long)first.shown);
	while (listen(terminal, now(), NULL).bytes > 0)
		;
	press(terminal, 'w', NULL);
	for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		for (unsigned i = 0; i < kinds[k].times; i++)
			kinds[k].answers[kinds[k].n++] = press(terminal,
				kinds[k].keys[i % strlen(kinds[k].keys)], NULL);
	for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		print_kind(&kinds[k], values);
	print_all(values);
	press_while_counted(terminal);
}

/* End the program with its key; if that does not help, hang up the terminal. */
static int leave(int terminal, pid_t pid)
{
	struct pollfd waits = { .fd = terminal, .events = POLLIN };
	char bytes[4096];
	int status;

	press(terminal, 'Q', NULL);
	/* Until the program has ended: if the terminal was closed before, a signal would end it. */
	while (poll(&waits, 1, PATIENCE_MS) > 0 && read(terminal, bytes, sizeof bytes) > 0)
		;
	close(terminal);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_col = COLUMNS, .ws_row = ROWS };
	bool first = argc > 3 && !strcmp(argv[1], "first");
	int64_t begin = now();
	int terminal;
	pid_t pid;

	if (argc < 3 || (!first && strcmp(argv[1], "keys") != 0)) {
		fprintf(stderr, "usage: bench_screen first TEXT PROGRAM... | keys PROGRAM...\n");
		return 2;
	}
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid < 0)
		die("no pseudo-terminal");
	if (pid == 0) {
		execvp(argv[first ? 3 : 2], argv + (first ? 3 : 2));
		_exit(127);
	}
	if (first)
		printf("first %lld\n", (long long)listen(terminal, begin, argv[2]).shown);
	else
		press_keys(terminal);
	return leave(terminal, pid);
}
