/* SPDX-License-Identifier: MIT */
/*
 * How it works: the starter of a service puts the name of a datagram socket into the environment, and the
 * service sends lines "NAME=VALUE" there (systemd's "Notification protocol", sd_notify(3)).  To run in the
 * background, this program starts itself again in the same way.  It does not fork(): the copy of a process
 * with threads has none of them (base_stop.c).
 */
#include "record/rec_service.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_stop.h"
#include "record/rec.h"
#include "record/rec_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET "NOTIFY_SOCKET"
#define POLL_MS 50

extern char **environ;

void rec_service_tell(const char *state)
{
	const char *name = getenv(SOCKET);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t length = name ? strlen(name) : 0;
	int fd;

	if (length < 2 || length >= sizeof to.sun_path || (*name != '/' && *name != '@'))
		return;
	memcpy(to.sun_path, name, length);
	if (*name == '@') /* an abstract name, not a file */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that is gone or too busy misses a line. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}

/* ---- starting ---- */

/* Open a socket; *NAME becomes the name that the kernel chose ("@…", the caller frees).  -1 with errno. */
static int listen_new(char **name)
{
	struct sockaddr_un own = { .sun_family = AF_UNIX };
	socklen_t length = sizeof own;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&own, sizeof own.sun_family) != 0 ||
		getsockname(fd, (struct sockaddr *)&own, &length) != 0) {
		int saved_errno = errno;

		close(fd);
		errno = saved_errno;
		return -1;
	}
	/* (An abstract name begins with a NUL: unix(7).) */
	*name = g_strdup_printf("@%.*s", (int)(length - offsetof(struct sockaddr_un, sun_path) - 1),
		own.sun_path + 1);
	return fd;
}

/* Return the words of COMMAND without the first word WITHOUT; the caller frees.  NULL with an error. */
static char **words_of(const char *command, const char *without, GError **error)
{
	char **words;
	GError *problem = NULL;

	if (!g_shell_parse_argv(command, NULL, &words, &problem)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: %s", command, problem->message);
		g_error_free(problem);
		return NULL;
	}
	for (char **w = words; *w; w++)
		if (g_str_equal(*w, without)) {
			g_free(*w);
			memmove(w, w + 1, g_strv_length(w + 1) * sizeof *w + sizeof *w);
			break;
		}
	return words;
}

/* Start this program with WORDS.  Returns its PID, or -1 with errno. */
static int service_spawn(char **words, int log, const char *name)
{
	g_auto(GStrv) environment = g_environ_setenv(g_strdupv(environ), SOCKET, name, TRUE);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t usual;
	int problem;
	pid_t pid = -1;

	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR1);
	sigaddset(&usual, SIGHUP);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, log, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
	problem = posix_spawn(&pid, "/proc/self/exe", &files, &attributes, words, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	errno = problem;
	return problem == 0 ? pid : -1;
}

/* True if FD received "READY=1". */
static bool is_ready(int fd)
{
	struct pollfd look = { .fd = fd, .events = POLLIN };
	char text[4096];
	ssize_t n = poll(&look, 1, POLL_MS) > 0 ? recv(fd, text, sizeof text - 1, MSG_DONTWAIT) : 0;

	text[MAX(n, 0)] = '\0';
	return g_str_has_prefix(text, "READY=1");
}

/* Wait until PID is ready; false with an error. */
static bool service_wait(int pid, int fd, const char *log, GError **error)
{
	g_autofree char *words = NULL;
	int status;

	while (!is_ready(fd)) {
		if (rec_command_ended(pid, &status)) {
			words = rec_command_words(status);
			return base_error_false(error, BASE_ERROR_IO, "it %s: the reason is at the end of %s",
				words, log);
		}
		if (base_stop_signal()) {
			kill(pid, SIGTERM);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
		}
	}
	return true;
}

int rec_service_start(const char *command, const char *without, const char *log, GError **error)
{
	g_autofree char *name = NULL;
	g_auto(GStrv) words = words_of(command, without, error);
	int file = words ? base_place_write(log, O_APPEND, 0600) : -1, socket = -1, pid = -1;

	if (words && file < 0)
		base_error_set_errno(error, errno, "cannot write", log);
	else if (words && ((socket = listen_new(&name)) < 0 || (pid = service_spawn(words, file, name)) < 0))
		base_error_set_errno(error, errno, "cannot start", "/proc/self/exe");
	if (file >= 0)
		close(file);
	if (pid > 0 && !service_wait(pid, socket, log, error))
		pid = -1;
	if (socket >= 0)
		close(socket);
	return pid;
}
