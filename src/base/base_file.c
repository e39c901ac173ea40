/* SPDX-License-Identifier: MIT */
#include "base/base_file.h"

#include "base/base_stop.h"
#include "base/base_text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PART (1 << 14) /* bytes that are read at once */

static void set_errno(GError **error, int saved_errno, const char *path, const struct base_file_kind *kind)
{
	g_autofree char *doing = g_strconcat("cannot read the ", kind->what, NULL);
	GError *why = NULL;

	base_error_set_errno(&why, saved_errno, doing, path);
	why->code = (gint)kind->code;
	g_propagate_error(error, why);
}

int base_file_open(const char *path, const struct base_file_kind *kind, GError **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fcntl(fd, F_SETFL, 0) != 0)
		set_errno(error, errno, path, kind);
	return fd;
}

/* A pipe that has a name, in which nobody waits with a text: "<(true)" of a shell has none. */
static bool file_is_idle(int fd, const struct stat *st)
{
	struct statfs fs;

	return S_ISFIFO(st->st_mode) && fstatfs(fd, &fs) == 0 && fs.f_type != PIPEFS_MAGIC;
}

/* Read FD to its end, or one byte more than KIND takes.  False with errno. */
static bool file_read_all(int fd, const struct base_file_kind *kind, GByteArray *bytes)
{
	ssize_t got = 1;

	while (got != 0 && bytes->len <= kind->max) {
		guint had = bytes->len;

		g_byte_array_set_size(bytes, had + PART);
		got = read(fd, bytes->data + had, MIN(PART, kind->max + 1 - had));
		g_byte_array_set_size(bytes, had + (got > 0 ? (guint)got : 0));
		if (got < 0 && (errno != EINTR || base_stop_signal()))
			return false;
	}
	return true;
}

char *base_file_rest(int fd, const char *path, const struct base_file_kind *kind, gsize *length,
	GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree char *shown = base_text_clean(path, -1), *most = base_text_bytes(kind->max);
	struct stat st;
	bool fine = fstat(fd, &st) == 0,
	     larger = fine && S_ISREG(st.st_mode) && (gsize)st.st_size > kind->max;

	fine = fine && (larger || file_read_all(fd, kind, bytes));
	if (!fine && errno == EINTR)
		return base_error_null(error, BASE_ERROR_CANCELLED, "interrupted");
	if (!fine) {
		set_errno(error, errno, path, kind);
		return NULL;
	}
	if (larger || bytes->len > kind->max)
		return base_error_null(error, kind->code, "%s: this is no %s: it is larger than %s", shown,
			kind->what, most);
	if (!bytes->len && file_is_idle(fd, &st))
		return base_error_null(error, kind->code, "%s: this is no %s: nobody writes to this pipe",
			shown, kind->what);
	*length = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

char *base_file_bytes(const char *path, const struct base_file_kind *kind, gsize *length, GError **error)
{
	int fd = base_file_open(path, kind, error);
	char *bytes = fd >= 0 ? base_file_rest(fd, path, kind, length, error) : NULL;

	if (fd >= 0)
		close(fd);
	return bytes;
}

char *base_file_text(const char *path, const struct base_file_kind *kind, GError **error)
{
	gsize length = 0;
	g_autofree char *text = base_file_bytes(path, kind, &length, error), *shown = NULL;
	const char *end = text;
	unsigned line = 1;

	if (!text || g_utf8_validate(text, (gssize)length, &end))
		return g_steal_pointer(&text);
	for (const char *at = text; at < end; at++)
		line += *at == '\n';
	shown = base_text_clean(path, -1);
	return base_error_null(error, kind->code, "%s: this is no %s: line %u is not UTF-8 text", shown,
		kind->what, line);
}
