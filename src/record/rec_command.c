/* SPDX-License-Identifier: MIT */
#include "record/rec_command.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "record/rec.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int rec_command_start(char *const *command, GError **error)
{
	posix_spawnattr_t attributes;
	sigset_t usual;
	int problem;
	pid_t pid = -1;

	/* The signals that this program ignores or handles get their default action. */
	sigemptyset(&usual);
	sigaddset(&usual, SIGXFSZ);
	sigaddset(&usual, SIGUSR1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	/* Until exec() the child has our thread name, by which the tracer's own threads are known. */
	prctl(PR_SET_NAME, "wakepath-run");
	problem = posix_spawnp(&pid, command[0], NULL, &attributes, (char **)(uintptr_t)command, environ);
	prctl(PR_SET_NAME, "wakepath");
	posix_spawnattr_destroy(&attributes);
	if (problem == 0)
		return pid;
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "cannot start \"%s\": %s", command[0],
		g_strerror(problem));
	return -1;
}

bool rec_command_ended(int pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, WNOHANG);
	while (got < 0 && errno == EINTR);
	return got != 0;
}

char *rec_command_words(int status)
{
	if (WIFSIGNALED(status))
		return g_strdup_printf("was killed by signal %d (%s)", WTERMSIG(status),
			g_strsignal(WTERMSIG(status)));
	return g_strdup_printf("ended with status %d", WEXITSTATUS(status));
}

/* Runs in the child, between fork() and exec(). */
static void command_set_up(G_GNUC_UNUSED gpointer unused)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	signal(SIGXFSZ, SIG_DFL);
}

struct rec_client {
	pid_t pid; /* 0: it has ended and was waited for */
	int said;  /* read end of the pipe from its standard error */
};

/* Set BASE_ERROR_IO from PROBLEM (taken), and return false. */
static bool cannot_run(const char *name, GError *problem, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "cannot run %s: %s", name, problem->message);
	g_error_free(problem);
	return false;
}

struct rec_client *rec_client_start(const char *const *argv, const int *fds, unsigned count, GError **error)
{
	struct rec_client *c = g_new(struct rec_client, 1);
	g_autofree int *targets = g_new(int, count + 1);
	GError *problem = NULL;

	for (unsigned i = 0; i < count; i++)
		targets[i] = (int)i + 3;
	if (!g_spawn_async_with_pipes_and_fds(NULL, argv, NULL,
		    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
			    G_SPAWN_CLOEXEC_PIPES,
		    command_set_up, NULL, -1, -1, -1, fds, targets, count, &c->pid, NULL, NULL, &c->said,
		    &problem)) {
		g_clear_pointer(&c, g_free);
		cannot_run(argv[0], problem, error);
	}
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
	return c;
}

bool rec_client_ended(struct rec_client *c)
{
	int status;

	if (c->pid > 0 && rec_command_ended(c->pid, &status))
		c->pid = 0;
	return c->pid == 0;
}

void rec_client_stop(struct rec_client *c)
{
	if (c->pid == 0)
		return;
	kill(c->pid, SIGINT);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

void rec_client_free(struct rec_client *c)
{
	if (!c)
		return;
	rec_client_stop(c);
	close(c->said);
	g_free(c);
}

/* Set BASE_ERROR_IO with the last line of SAID that is not empty. */
static void set_said(const char *name, const char *said, GError **error)
{
	g_autofree char *copy = g_strchomp(g_strdup(said));
	const char *end = strrchr(copy, '\n');
	g_autofree char *line = base_text_clean(end ? end + 1 : copy, -1);

	g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "%s failed: %s", name,
		*line ? line : "it gave no reason");
}

void rec_client_error(struct rec_client *c, const char *name, GError **error)
{
	g_autoptr(GString) said = g_string_new(NULL);
	char part[4096];
	ssize_t n;

	while ((n = read(c->said, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
		g_string_append_len(said, part, MAX(n, 0));
	set_said(name, said->str, error);
}

bool rec_client_run(const char *const *argv, char **out, GError **error)
{
	g_autofree char *said = NULL, *wrong = NULL;
	GError *problem = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, command_set_up, NULL,
		    &said, &wrong, &status, &problem))
		return cannot_run(argv[0], problem, error);
	if (!g_spawn_check_wait_status(status, NULL)) {
		g_autoptr(GString) line = g_string_new(NULL);
		g_autofree char *all = g_strconcat(said, "\n", wrong, NULL);

		rec_client_tell(argv, line);
		set_said(g_strchomp(line->str), all, error);
		return false;
	}
	if (out)
		*out = g_steal_pointer(&said);
	return true;
}

void rec_client_tell(const char *const *argv, GString *out)
{
	for (const char *const *word = argv; *word; word++) {
		bool plain = **word != '\0' &&
			strspn(*word,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%") ==
				strlen(*word);
		g_autofree char *quoted = plain ? g_strdup(*word) : g_shell_quote(*word);

		g_string_append_printf(out, "%s%s", word > argv ? " " : "", quoted);
	}
	g_string_append_c(out, '\n');
}

bool rec_client_is_there(const char *name)
{
	g_autofree char *path = g_find_program_in_path(name);

	return path;
}

/* ---- names: PIDs are reused, but not together with the start time of the process (field 22 of
 * /proc/PID/stat, see proc(5)) ---- */

#define FIELDS_BEHIND_NAME 19 /* from the state, the 3rd field, to the 22nd */

/* Return the start time of the process PID, in clock ticks since boot; 0 if there is no such process. */
static uint64_t started(int pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid), *text = NULL;
	const char *at;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	at = strrchr(text, ')'); /* the name can contain any character */
	at = at ? at + 1 : NULL;
	for (int i = 0; at && i < FIELDS_BEHIND_NAME; i++)
		at = strchr(at + 1, ' ');
	return at ? g_ascii_strtoull(at, NULL, 10) : 0;
}

char *rec_name_new(void)
{
	return g_strdup_printf("wakepath-%d-%" PRIu64, (int)getpid(), started(getpid()));
}

bool rec_name_is_left(const char *name)
{
	uint64_t start;
	int pid;

	return sscanf(name, "wakepath-%d-%" SCNu64, &pid, &start) == 2 && pid > 0 && start != started(pid);
}
