/* SPDX-License-Identifier: MIT */
#include "base/base_out.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP (128u * 1024) /* bytes: base_out_move() frees them in the source before it writes them */

#define MODE 0600 /* a recording has events of all users */

int base_out_new(const char *path, GError **error)
{
	g_autofree char *above = g_path_get_dirname(path), *prefix = g_strconcat(path, ".", NULL),
			*name = NULL;
	int folder = base_place_folder(path),
	    fd = folder < 0 ? -1 : openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, MODE),
	    saved_errno = errno;

	if (folder >= 0)
		close(folder);
	/* Without O_TMPFILE: make a file and remove its name at once. */
	if (fd < 0 && (saved_errno == EOPNOTSUPP || saved_errno == EISDIR)) {
		fd = base_scratch_file(prefix, MODE, &name);
		saved_errno = errno;
		if (fd >= 0)
			base_scratch_unlink(name);
	}
	if (fd < 0)
		base_error_set_errno(error, saved_errno, "cannot write in", above);
	return fd;
}

bool base_out_write(int fd, const void *bytes, size_t size, const char *path, GError **error)
{
	return base_io_put(fd, bytes, size, NULL) ||
		base_error_false_errno(error, errno, "cannot write", path);
}

bool base_out_move(int to, int from, uint64_t offset, uint64_t size, const char *path, GError **error)
{
	char buffer[STEP];

	while (size > 0) {
		ssize_t n = pread(from, buffer, MIN(size, STEP), (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return base_error_false_errno(error, n < 0 ? errno : EIO,
				"cannot read what was recorded for", path);
		/* Free the room before it is needed again, so that a full disk has room for it. */
		(void)!fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, n);
		if (!base_out_write(to, buffer, (size_t)n, path, error))
			return false;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
}

/* Give the file to the user who typed "sudo wakepath record": a new file of root, which has no name yet or a
 * name that wakepath gave it. */
static void give_to_caller(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	struct stat st;

	if (uid && gid && geteuid() == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
		st.st_nlink <= 1)
		(void)!fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10));
}

/* 0, or -1 with errno: EEXIST if the name PATH is taken. */
static int link_to(int fd, const char *path)
{
	g_autofree char *own = g_strdup_printf("/proc/self/fd/%d", fd);
	const char *name = base_place_name(path);
	int folder = base_place_folder(path), result, saved_errno;
	struct stat st;

	if (folder < 0)
		return -1;
	result = linkat(AT_FDCWD, own, folder, name, AT_SYMLINK_FOLLOW);
	saved_errno = errno;
	/* File systems that cannot link a nameless file may report that first. */
	if (result != 0 && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		saved_errno = EEXIST;
	close(folder);
	errno = saved_errno;
	return result;
}

/* 0, or -1 with errno. */
static int link_over(int fd, const char *path)
{
	g_autofree char *name = NULL, *prefix = g_strconcat(path, ".", NULL);
	int saved_errno;

	if (base_scratch_link(fd, prefix, &name) != 0)
		return -1;
	if (base_scratch_publish(name, path) == 0)
		return 0;
	saved_errno = errno;
	base_scratch_unlink(name);
	errno = saved_errno;
	return -1;
}

/* For file systems that cannot link a nameless file: make a copy beside PATH, and rename it. */
static bool copy_to(int fd, const char *path, GError **error)
{
	g_autofree char *name = NULL, *prefix = g_strconcat(path, ".", NULL);
	struct stat st = { 0 };
	int copy = base_scratch_file(prefix, MODE, &name);
	bool ok = copy >= 0 && fstat(fd, &st) == 0;

	if (!ok)
		base_error_set_errno(error, errno, "cannot write", path);
	ok = ok && base_out_move(copy, fd, 0, (uint64_t)st.st_size, path, error);
	if (ok)
		give_to_caller(copy);
	if (ok && base_scratch_publish(name, path) != 0)
		ok = base_error_false_errno(error, errno, "cannot write", path);
	if (copy >= 0) {
		if (!ok)
			base_scratch_unlink(name);
		close(copy);
	}
	return ok;
}

bool base_out_publish(int fd, const char *path, bool replace, GError **error)
{
	give_to_caller(fd);
	if ((replace ? link_over(fd, path) : link_to(fd, path)) == 0)
		return true;
	if (replace || errno != EEXIST)
		return copy_to(fd, path, error);
	return base_error_false_errno(error, errno, "cannot write", path);
}
