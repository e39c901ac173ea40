/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_part.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/ctf/trc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool trc_part_wrong(const struct trc_part *packet, const char *what, GError **error)
{
	char *path = g_build_filename(packet->directory, packet->name, NULL),
	     *shown = base_text_clean(path, -1);

	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: the packet at byte %" G_GUINT64_FORMAT " %s",
		shown, (guint64)packet->offset, what);
	g_free(shown);
	g_free(path);
	return false;
}

bool trc_part_read(const struct trc_part *packet, uint64_t at, uint64_t size, uint8_t *to, GError **error)
{
	char *path = g_build_filename(packet->directory, packet->name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t offset = packet->offset + at;
	bool fine = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset ||
		(uint64_t)st.st_size - offset < size)
		trc_part_wrong(packet, "is not there any more", error);
	else
		fine = trc_files_read(fd, to, size, offset) == size ||
			trc_part_wrong(packet, "cannot be read to its end", error);
	if (fd >= 0)
		close(fd);
	g_free(path);
	return fine;
}
