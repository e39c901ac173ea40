/* SPDX-License-Identifier: MIT */
#include "fuzz/feed.h"

#include "index/idx_repair.h"

#include <glib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void feed_seed(const char *folder, const char *name, uint8_t choice, const char *bytes, size_t size)
{
	char *path = g_build_filename(folder, name, NULL);
	FILE *f = fopen(path, "wb");

	g_assert_nonnull(f);
	fputc(choice, f);
	fwrite(bytes, 1, size, f);
	fclose(f);
	g_free(path);
}

void feed_file(const uint8_t *data, size_t size, const struct idx_map_kind *kind,
	void (*take)(const char *path))
{
	uint8_t *bytes = g_memdup2(data + 1, size - 1);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char *path = g_strdup_printf("/proc/self/fd/%d", fd);

	if (data[0] & 1)
		idx_repair_checksums(bytes, size - 1, kind);
	if (write(fd, bytes, size - 1) == (ssize_t)(size - 1))
		take(path);
	close(fd);
	g_free(path);
	g_free(bytes);
}
