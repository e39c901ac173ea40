/* SPDX-License-Identifier: MIT */
#include "base/base_keyfile.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_io.h"
#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct base_file_kind text_kind = { "file of yours", 1 << 20, BASE_ERROR_IO };

static void set_damage(GError **error, const char *path, const struct base_keyfile_kind *kind)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"%s: this is no file of yours with \"%s\", version %d: %s", path, kind->head, kind->version,
		kind->advice);
}

/* What is in PATH, which is open as FD. */
static char *read_text(int fd, const char *path, const struct base_keyfile_kind *kind, gsize *length,
	GError **error)
{
	struct stat st;

	if (BASE_IO_AGAIN(fstat(fd, &st)) != 0)
		return base_error_null_errno(error, errno, "reading", path);
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && (gsize)st.st_size <= text_kind.max)
		return base_file_rest(fd, path, &text_kind, length, error);
	set_damage(error, path, kind);
	return NULL;
}

GKeyFile *base_keyfile_read(const char *path, const struct base_keyfile_kind *kind, GError **error)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autofree char *text = NULL;
	int fd = base_io_open(path, O_NOFOLLOW | O_NONBLOCK);
	gsize length = 0;

	if (fd < 0 && errno == ENOENT) {
		g_key_file_set_integer(file, kind->head, "version", kind->version);
		return g_steal_pointer(&file);
	}
	if (fd < 0)
		return base_error_null_errno(error, errno, "opening", path);
	text = read_text(fd, path, kind, &length, error);
	close(fd);
	if (!text)
		return NULL;
	if (g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL) &&
		g_key_file_get_integer(file, kind->head, "version", NULL) == kind->version)
		return g_steal_pointer(&file);
	set_damage(error, path, kind);
	return NULL;
}

bool base_keyfile_write(GKeyFile *file, const char *path, GError **error)
{
	gsize length;
	g_autofree char *text = g_key_file_to_data(file, &length, NULL);

	return base_scratch_write(path, text, length) == 0 ||
		base_error_false_errno(error, errno, "writing", path);
}
