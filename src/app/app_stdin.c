/* SPDX-License-Identifier: MIT */
/*
 * A trace is read more than once, and again for each event that is shown.  So standard input is first copied
 * into a temporary folder, which also has its index and is removed when the program ends.
 */
#include "app/app_open.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_scratch.h"
#include "base/base_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PIECE (64 * 1024) /* bytes */

bool app_stdin_is(const char *path)
{
	return path && g_str_equal(path, "-");
}

/* Copy standard input to FD, a file in FOLDER. */
static bool stdin_copy(int fd, const char *folder, GError **error)
{
	char piece[PIECE];
	uint64_t all = 0;
	ssize_t got;

	while (!base_stop_signal() && (got = read(STDIN_FILENO, piece, PIECE)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return base_error_false_errno(error, errno, "cannot read", "standard input");
		if (!base_io_put(fd, piece, (size_t)got, base_stop_signal))
			return base_error_false_errno(error, errno, "cannot keep standard input in", folder);
		all += (uint64_t)got;
	}
	if (base_stop_signal())
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	return all > 0 || base_error_false(error, BASE_ERROR_DATA, "standard input is empty: no trace came");
}

/* Copy standard input to *FILE in the new folder *FOLDER; the caller frees both.  False with an error. */
static bool stdin_keep(char **folder, char **file, GError **error)
{
	bool fine;
	int fd;

	*folder = base_scratch_folder(error);
	if (!*folder)
		return false;
	*file = g_build_filename(*folder, "stdin", NULL);
	fd = open(*file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return base_error_false_errno(error, errno, "cannot create", *file);
	fine = stdin_copy(fd, *folder, error);
	if (close(fd) != 0 && fine)
		fine = base_error_false_errno(error, errno, "cannot write", *file);
	return fine;
}

bool app_stdin_take(struct app_args *args, GError **error)
{
	g_autofree char *folder = NULL, *file = NULL;
	unsigned at = 0, n = 0;
	int tty;

	for (unsigned i = 0; args->traces && args->traces[i]; i++) {
		if (!app_stdin_is(args->traces[i]))
			continue;
		at = i;
		n++;
	}
	if (n == 0)
		return true;
	if (n > 1)
		return base_error_false(error, BASE_ERROR_USAGE, "standard input (-) is named %u times", n);
	if (args->index_dir)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--index-dir: the index of standard input (-) is not kept: save the trace to a file first");
	if (args->follow)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--follow: standard input (-) cannot be followed");
	if (isatty(STDIN_FILENO))
		return base_error_false(error, BASE_ERROR_USAGE,
			"standard input (-) is the terminal: name a file, or pipe a trace: perf script --ns | wakepath -");
	if (!stdin_keep(&folder, &file, error))
		return false;
	g_free(args->traces[at]);
	args->traces[at] = g_steal_pointer(&file);
	args->index_dir = g_steal_pointer(&folder);
	args->fresh = true; /* the view of the explorer is not stored */
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (tty >= 0) { /* keys come from the terminal, if there is one */
		dup2(tty, STDIN_FILENO);
		close(tty);
	}
	return true;
}
