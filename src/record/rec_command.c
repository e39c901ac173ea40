/* SPDX-License-Identifier: MIT */
#include "record/rec_command.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
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

	/* What this program ignores or has for itself. */
	sigemptyset(&usual);
	sigaddset(&usual, SIGXFSZ);
	sigaddset(&usual, SIGUSR1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	/* Before its exec() it has our name, by which the tracer's own threads are known. */
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

/* In the child, between fork() and exec(). */
static void set_up(G_GNUC_UNUSED gpointer unused)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	signal(SIGXFSZ, SIG_DFL);
}

GSubprocess *rec_client_start(const char *const *argv, int *fds, unsigned count, GError **error)
{
	GSubprocessLauncher *launcher = g_subprocess_launcher_new(
		G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
	GSubprocess *client;
	g_autoptr(GError) problem = NULL;

	g_subprocess_launcher_set_child_setup(launcher, set_up, NULL, NULL);
	for (unsigned i = 0; i < count; i++)
		g_subprocess_launcher_take_fd(launcher, fds[i], (int)i + 3);
	client = g_subprocess_launcher_spawnv(launcher, argv, &problem);
	g_object_unref(launcher);
	if (!client)
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "cannot run %s: %s", argv[0], problem->message);
	return client;
}

/* The last line of TEXT that says something, cleaned; the caller frees. */
static char *last_line(const char *text)
{
	g_autofree char *copy = g_strchomp(g_strdup(text));
	const char *end = strrchr(copy, '\n');

	return base_text_clean(end ? end + 1 : copy, -1);
}

static void set_said(const char *name, const char *said, GError **error)
{
	g_autofree char *line = last_line(said);

	g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "%s failed: %s", name,
		*line ? line : "it does not say why");
}

void rec_client_error(GSubprocess *client, const char *name, GError **error)
{
	g_autofree char *said = NULL;

	g_subprocess_communicate_utf8(client, NULL, NULL, NULL, &said, NULL);
	set_said(name, said ? said : "", error);
}

bool rec_client_run(const char *const *argv, char **out, GError **error)
{
	GSubprocess *client = rec_client_start(argv, NULL, 0, error);
	g_autofree char *said = NULL, *wrong = NULL;
	bool ok;

	if (!client)
		return false;
	g_subprocess_communicate_utf8(client, NULL, NULL, &said, &wrong, NULL);
	ok = g_subprocess_get_successful(client);
	if (!ok) {
		g_autofree char *line = rec_client_line(argv), *all = NULL;

		g_strchomp(line);
		all = g_strconcat(said ? said : "", "\n", wrong ? wrong : "", NULL);
		set_said(line, all, error);
	}
	if (ok && out)
		*out = g_steal_pointer(&said);
	g_object_unref(client);
	return ok;
}

char *rec_client_line(const char *const *argv)
{
	GString *line = g_string_new(NULL);

	for (const char *const *word = argv; *word; word++) {
		bool plain = **word != '\0' &&
			strspn(*word,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%") ==
				strlen(*word);
		g_autofree char *quoted = plain ? g_strdup(*word) : g_shell_quote(*word);

		g_string_append_printf(line, "%s%s", line->len ? " " : "", quoted);
	}
	g_string_append_c(line, '\n');
	return g_string_free(line, FALSE);
}

bool rec_client_is_there(const char *name)
{
	g_autofree char *path = g_find_program_in_path(name);

	return path;
}
