/* SPDX-License-Identifier: MIT */
/*
 * A file is written under a name nobody has, beside its place, and renamed into
 * it when all of it is on the disk: a reader sees the old file or the new one.
 * What is there and is no regular file (a terminal, a pipe, /dev/stdout) has no
 * place to rename to and is written directly.
 */
#include "export/exp.h"

#include "base/base_error.h"
#include "base/base_scratch.h"
#include "base/base_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* True after a call that failed with EINTR and is to be tried again. */
static bool is_to_try_again(void)
{
	return errno == EINTR && !base_stop_signal();
}

/* False with errno. */
static bool write_all(int fd, const GString *text)
{
	for (gsize done = 0; done < text->len;) {
		ssize_t n = write(fd, text->str + done, text->len - done);

		if (n < 0 && !is_to_try_again())
			return false;
		if (n > 0)
			done += (gsize)n;
	}
	return true;
}

/* Create a new file beside PATH; its name to *NAME, for the caller to free.  -1 with errno. */
static int create_beside(const char *path, char **name)
{
	g_autofree char *folder = g_path_get_dirname(path),
			*prefix = g_strdup_printf("%s/.wakepath-", folder);

	return base_scratch_file(prefix, 0666, name);
}

/* Replace or make the file PATH; OLD is what is there, NULL nothing.  False with errno. */
static bool replace(const char *path, const struct stat *old, const GString *text)
{
	g_autofree char *name = NULL;
	int fd = create_beside(path, &name), saved_errno;
	bool ok;

	if (fd < 0)
		return false;
	ok = (!old || !fchmod(fd, old->st_mode & 07777)) && write_all(fd, text) && !fsync(fd);
	saved_errno = errno;
	if (close(fd) && ok) {
		saved_errno = errno;
		ok = false;
	}
	if (ok && rename(name, path)) {
		saved_errno = errno;
		ok = false;
	}
	if (ok)
		base_scratch_release(name);
	else
		base_scratch_unlink(name);
	errno = saved_errno;
	return ok;
}

/* WAIT for who will read it, when that is a FIFO. */
static bool write_directly(const char *path, const GString *text, bool wait)
{
	int fd, saved_errno;
	bool ok;

	do {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (wait ? 0 : O_NONBLOCK));
	} while (fd < 0 && is_to_try_again());
	if (fd < 0)
		return false;
	fcntl(fd, F_SETFL, 0);
	ok = write_all(fd, text);
	saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return ok;
}

void exp_set_unwritten(GError **error, int saved_errno, const char *path)
{
	if (saved_errno == EINTR && base_stop_signal())
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else
		base_error_set_errno(error, saved_errno, "cannot write", path);
}

bool exp_write_file(const char *path, const GString *text, bool wait, GError **error)
{
	/* Through a symbolic link to what it means, so that the link stays a link. */
	char *real = realpath(path, NULL);
	const char *target = real ? real : path;
	struct stat st;
	bool there = !stat(target, &st), ok;

	if (there && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		ok = false;
	} else if (there && !S_ISREG(st.st_mode)) {
		ok = write_directly(target, text, wait);
	} else {
		ok = replace(target, there ? &st : NULL, text);
	}
	if (!ok)
		exp_set_unwritten(error, errno, path);
	free(real);
	return ok;
}
