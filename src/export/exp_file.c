/* SPDX-License-Identifier: MIT */
/*
 * A file is written under a temporary name beside its place, and renamed when all of it is on the disk. So a
 * reader sees the old file or the new one. A place that is not a regular file (a terminal, a pipe,
 * /dev/stdout) cannot be renamed to: long texts wait in an unnamed file, and everything is written at the
 * end.
 */
#include "export/exp.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "base/base_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (64 * 1024)
#define LONG (1 << 18) /* bytes of text that stay in memory */

/* True if a call failed with EINTR and must be tried again. */
static bool is_to_try_again(void)
{
	return errno == EINTR && !base_stop_signal();
}

struct exp_file {
	char *path;   /* as the caller gave it; owned; NULL: standard output */
	char *target; /* the target of a symbolic link; owned; NULL as above */
	int place;    /* the existing file, opened with O_PATH; -1: none */
	bool is_regular;
	struct stat old; /* of PLACE */
	int fd;          /* the new file beside it, or an unnamed one; -1: none yet */
	char *name;      /* of the new file; owned; NULL: it has none */
	int held;        /* unnamed file of exp_file_hold(); -1: none */
	off_t given;     /* bytes that exp_file_give() returned */
	char *failed_at; /* where writing failed; owned; NULL: nowhere */
	int saved_errno; /* its reason */
};

/* Note a failure; the first one is kept. Returns false. */
static bool file_fail(struct exp_file *f, const char *at)
{
	if (!f->failed_at) {
		f->saved_errno = errno;
		f->failed_at = g_strdup(at ? at : "standard output");
	}
	return false;
}

/* True if the new file gets the mode of the replaced file. Root does not copy the mode of others' files. */
static bool keeps_mode(const struct exp_file *f)
{
	return f->place >= 0 && (geteuid() != 0 || f->old.st_uid == 0);
}

struct exp_file *exp_file_new(const char *path)
{
	struct exp_file *f = g_new0(struct exp_file, 1);

	f->fd = f->held = f->place = -1;
	f->path = g_strdup(path);
	if (!path)
		return f;
	/* Follow a symbolic link to its target, so that the link remains a link. */
	f->place = base_place_open(path, &f->target, NULL);
	if (f->place >= 0 ? BASE_IO_AGAIN(fstat(f->place, &f->old)) != 0 : errno != ENOENT)
		file_fail(f, path);
	if (!f->target)
		f->target = g_strdup(path);
	f->is_regular = f->place < 0 || S_ISREG(f->old.st_mode);
	if (f->place >= 0 && S_ISDIR(f->old.st_mode)) {
		errno = EISDIR;
		file_fail(f, path);
	}
	return f;
}

/* Open an unnamed file. -1 after a failure. */
static int open_nameless(struct exp_file *f)
{
	g_autofree char *prefix = g_build_filename(g_get_tmp_dir(), "wakepath-", NULL), *name = NULL;
	int fd = base_scratch_file(prefix, 0600, &name);

	if (fd >= 0)
		base_scratch_unlink(name);
	else
		file_fail(f, g_get_tmp_dir());
	return fd;
}

/* Open the file that text goes to, unless it is open. False after a failure. */
static bool have_file(struct exp_file *f)
{
	if (f->fd >= 0)
		return true;
	if (f->is_regular) {
		g_autofree char *folder = g_path_get_dirname(f->target),
				*prefix = g_strdup_printf("%s/.wakepath-", folder);

		f->fd = base_scratch_file(prefix, keeps_mode(f) ? f->old.st_mode & 0777 : 0666, &f->name);
		if (f->fd >= 0)
			return true;
		file_fail(f, f->path);
		g_clear_pointer(&f->name, g_free); /* this process did not make it */
		return false;
	}
	f->fd = open_nameless(f);
	return f->fd >= 0;
}

void exp_file_take(struct exp_file *f, GString *text)
{
	gsize size = text->len - 1;

	if (!f || text->len <= LONG)
		return;
	if (!f->failed_at && have_file(f) && !base_io_put(f->fd, text->str, size, base_stop_signal))
		file_fail(f, f->is_regular ? f->path : g_get_tmp_dir());
	g_string_erase(text, 0, (gssize)size);
}

const char *exp_file_beside(struct exp_file *f)
{
	if (!f->failed_at && !f->is_regular) {
		errno = EINVAL;
		file_fail(f, f->path);
	}
	return !f->failed_at && have_file(f) ? f->name : NULL;
}

void exp_file_hold(struct exp_file *f, GString *bytes)
{
	if (!f || bytes->len <= LONG)
		return;
	if (!f->failed_at && f->held < 0) {
		f->held = open_nameless(f);
		f->given = 0;
	}
	if (!f->failed_at && !base_io_put(f->held, bytes->str, bytes->len, base_stop_signal))
		file_fail(f, g_get_tmp_dir());
	g_string_truncate(bytes, 0);
}

bool exp_file_give(struct exp_file *f, GString *bytes)
{
	gsize before = bytes->len;
	ssize_t n = -1;

	if (f->held < 0)
		return false;
	g_string_set_size(bytes, before + PIECE);
	while (!f->failed_at && (n = pread(f->held, bytes->str + before, PIECE, f->given)) < 0 &&
		is_to_try_again())
		;
	if (n < 0 && !f->failed_at)
		file_fail(f, g_get_tmp_dir());
	g_string_set_size(bytes, before + (gsize)MAX(n, 0));
	f->given += MAX(n, 0);
	if (n > 0)
		return true;
	close(f->held);
	f->held = -1;
	return false;
}

bool exp_file_failed(const struct exp_file *f)
{
	return f->failed_at;
}

/* False with errno. */
static bool close_file(struct exp_file *f)
{
	int fd = f->fd;

	f->fd = -1;
	return !close(fd);
}

/* Restore the mode bits that the umask removed. False with errno. */
static bool keep_mode(const struct exp_file *f)
{
	struct stat st;

	if (!keeps_mode(f))
		return true;
	return fstat(f->fd, &st) == 0 &&
		(st.st_mode == f->old.st_mode || !fchmod(f->fd, f->old.st_mode & 07777));
}

/* Append TEXT to the file and rename it to its place. */
static bool replace(struct exp_file *f, const GString *text)
{
	if (!have_file(f) || !keep_mode(f) || !base_io_put(f->fd, text->str, text->len, base_stop_signal) ||
		BASE_IO_AGAIN(fsync(f->fd)))
		return file_fail(f, f->path);
	if (!close_file(f) || base_scratch_publish(f->name, f->target) != 0)
		return file_fail(f, f->path);
	g_clear_pointer(&f->name, g_free);
	return true;
}

/* Write the waiting text, then TEXT, to TO. False with errno. */
static bool file_copy(const struct exp_file *f, int to, const GString *text)
{
	char *piece = f->fd >= 0 ? g_malloc(PIECE) : NULL;
	bool fine = true;
	ssize_t n;

	for (off_t at = 0; fine && piece && (n = pread(f->fd, piece, PIECE, at)) != 0; at += n > 0 ? n : 0)
		fine = n < 0 ? is_to_try_again() : base_io_put(to, piece, (gsize)n, base_stop_signal);
	g_free(piece);
	return fine && base_io_put(to, text->str, text->len, base_stop_signal);
}

/* Write to the target, and WAIT for a reader if it is a FIFO. The target is the file that was opened at
 * first, even if PATH names another one by now. */
static bool write_directly(struct exp_file *f, const GString *text, bool wait)
{
	g_autofree char *again = g_strdup_printf("/proc/self/fd/%d", f->place);
	int fd = f->path ? -1 : STDOUT_FILENO;
	bool ok;

	while (f->path) {
		fd = open(again, O_WRONLY | O_CLOEXEC | O_NOCTTY | (wait ? 0 : O_NONBLOCK));
		if (fd >= 0 || !is_to_try_again())
			break;
	}
	if (fd < 0)
		return file_fail(f, f->path);
	if (f->path)
		fcntl(fd, F_SETFL, 0);
	ok = file_copy(f, fd, text) || file_fail(f, f->path);
	if (f->path)
		close(fd);
	return ok;
}

bool exp_file_finish(struct exp_file *f, const GString *text, bool wait, GError **error)
{
	if (!f->failed_at && (f->is_regular ? replace(f, text) : write_directly(f, text, wait)))
		return true;
	if (f->saved_errno == EINTR && base_stop_signal())
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	base_error_set_errno(error, f->saved_errno, "cannot write", f->failed_at);
	return false;
}

void exp_file_free(struct exp_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->held >= 0)
		close(f->held);
	if (f->place >= 0)
		close(f->place);
	if (f->name)
		base_scratch_unlink(f->name);
	g_free(f->name);
	g_free(f->failed_at);
	g_free(f->target);
	g_free(f->path);
	g_free(f);
}

bool exp_write_file(const char *path, const GString *text, bool wait, GError **error)
{
	struct exp_file *f = exp_file_new(path);
	bool fine = exp_file_finish(f, text, wait, error);

	exp_file_free(f);
	return fine;
}
