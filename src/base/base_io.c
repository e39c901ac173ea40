/* SPDX-License-Identifier: MIT */
#include "base/base_io.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int base_io_open(const char *path, int flags)
{
	return BASE_IO_AGAIN(open(path, flags | O_RDONLY | O_CLOEXEC));
}

ssize_t base_io_read(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = BASE_IO_AGAIN(
			pread(fd, (char *)to + done, size - done, (off_t)(offset + done)));

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

bool base_io_write(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *from = data;

	while (size > 0) {
		ssize_t put = BASE_IO_AGAIN(pwrite(fd, from, size, (off_t)offset));

		if (put < 0)
			return false;
		from += put;
		offset += (uint64_t)put;
		size -= (size_t)put;
	}
	return true;
}

bool base_io_put(int fd, const void *data, size_t size, int (*stop)(void))
{
	const char *from = data;

	while (size > 0) {
		ssize_t put = write(fd, from, size);

		if (put < 0 && (errno != EINTR || (stop && stop())))
			return false;
		from += MAX(put, 0);
		size -= (size_t)MAX(put, 0);
	}
	return true;
}

ssize_t base_io_begin(const char *path, void *to, size_t size)
{
	ssize_t got = -1;
	struct stat st;
	int fd, why;

	if (BASE_IO_AGAIN(stat(path, &st)) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	fd = base_io_open(path, O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	got = base_io_read(fd, to, size, 0);
	why = errno;
	close(fd);
	errno = why;
	return got;
}

GPtrArray *base_io_names(const char *folder)
{
	GPtrArray *names;
	const struct dirent *entry;
	DIR *dir;
	int why;

	do {
		dir = opendir(folder);
	} while (!dir && errno == EINTR);
	if (!dir)
		return NULL;
	names = g_ptr_array_new_with_free_func(g_free);
	for (errno = 0; (entry = readdir(dir)); errno = 0)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			g_ptr_array_add(names, g_strdup(entry->d_name));
	why = errno;
	closedir(dir);
	if (why != 0)
		g_clear_pointer(&names, g_ptr_array_unref);
	errno = why;
	return names;
}
