/* SPDX-License-Identifier: MIT */
#include "base/base_file.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_scratch.h"
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

static void file_set_errno(GError **error, int saved_errno, const char *path,
	const struct base_file_kind *kind)
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
		file_set_errno(error, errno, path, kind);
	return fd;
}

/* Read FD to its end, or one byte more than KIND allows. False with errno. */
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

/* Like base_file_bytes(), from FD, on which PATH is open.  FD stays open. */
static char *file_rest(int fd, const char *path, const struct base_file_kind *kind, gsize *length,
	GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree char *shown = base_text_clean(path, -1), *most = base_text_bytes(kind->max);
	struct statfs fs;
	struct stat st;
	bool fine = fstat(fd, &st) == 0,
	     larger = fine && S_ISREG(st.st_mode) && (gsize)st.st_size > kind->max;

	fine = fine && (larger || file_read_all(fd, kind, bytes));
	if (!fine && errno == EINTR)
		return base_error_null(error, BASE_ERROR_CANCELLED, "interrupted");
	if (!fine) {
		file_set_errno(error, errno, path, kind);
		return NULL;
	}
	if (larger || bytes->len > kind->max)
		return base_error_null(error, kind->code, "%s: this is not a %s: it is larger than %s", shown,
			kind->what, most);
	/* An empty named pipe lacks a writer. The pipe of a shell's "<(true)" has no name. */
	if (!bytes->len && S_ISFIFO(st.st_mode) && fstatfs(fd, &fs) == 0 && fs.f_type != PIPEFS_MAGIC)
		return base_error_null(error, kind->code, "%s: this is not a %s: nobody writes to this pipe",
			shown, kind->what);
	*length = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

char *base_file_bytes(const char *path, const struct base_file_kind *kind, gsize *length, GError **error)
{
	int fd = base_file_open(path, kind, error);
	char *bytes = fd >= 0 ? file_rest(fd, path, kind, length, error) : NULL;

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
	return base_error_null(error, kind->code, "%s: this is not a %s: line %u is not UTF-8 text", shown,
		kind->what, line);
}

/* ---- small files that wakepath keeps for itself ---- */

static const struct base_file_kind text_kind = { "file of yours", 1 << 20, BASE_ERROR_IO };

static void keyfile_damaged(GError **error, const char *path, const struct base_keyfile_kind *kind)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"%s: this is not a file of yours with \"%s\", version %d: %s", path, kind->head,
		kind->version, kind->advice);
}

GKeyFile *base_keyfile_read(const char *path, const struct base_keyfile_kind *kind, GError **error)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autofree char *text = NULL;
	int fd = base_io_open(path, O_NOFOLLOW | O_NONBLOCK);
	gsize length = 0;
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		g_key_file_set_integer(file, kind->head, "version", kind->version);
		return g_steal_pointer(&file);
	}
	if (fd < 0)
		return base_error_null_errno(error, errno, "opening", path);
	if (BASE_IO_AGAIN(fstat(fd, &st)) != 0)
		base_error_set_errno(error, errno, "reading", path);
	else if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && (gsize)st.st_size <= text_kind.max)
		text = file_rest(fd, path, &text_kind, &length, error);
	else
		keyfile_damaged(error, path, kind);
	close(fd);
	if (!text)
		return NULL;
	if (g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL) &&
		g_key_file_get_integer(file, kind->head, "version", NULL) == kind->version)
		return g_steal_pointer(&file);
	keyfile_damaged(error, path, kind);
	return NULL;
}

bool base_keyfile_write(GKeyFile *file, const char *path, GError **error)
{
	gsize length;
	g_autofree char *text = g_key_file_to_data(file, &length, NULL);

	return base_scratch_write(path, text, length) == 0 ||
		base_error_false_errno(error, errno, "writing", path);
}
