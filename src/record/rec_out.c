/* SPDX-License-Identifier: MIT */
#include "record/rec_out.h"

#include "base/base_error.h"
#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP (128u * 1024) /* bytes: what needs room twice for a moment */

/* File systems without O_TMPFILE: a file whose name is taken away at once. */
static int new_with_name(const char *path)
{
	g_autofree char *name = NULL, *prefix = g_strconcat(path, ".", NULL);
	int fd = base_scratch_file(prefix, 0666, &name), saved_errno = errno;

	if (fd >= 0)
		base_scratch_unlink(name);
	errno = saved_errno;
	return fd;
}

int rec_out_new(const char *path, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = new_with_name(path);
	if (fd < 0)
		base_error_set_errno(error, errno, "cannot write in", folder);
	return fd;
}

bool rec_out_write(int fd, const void *bytes, size_t size, const char *path, GError **error)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return base_error_false_errno(error, n < 0 ? errno : ENOSPC, "cannot write", path);
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool rec_out_move(int to, int from, uint64_t offset, uint64_t size, const char *path, GError **error)
{
	char buffer[STEP];

	while (size > 0) {
		ssize_t n = pread(from, buffer, MIN(size, STEP), (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return base_error_false_errno(error, n < 0 ? errno : EIO,
				"cannot read what was recorded for", path);
		/* Given back before it is needed again, so that a full disk has room for it. */
		(void)!fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, n);
		if (!rec_out_write(to, buffer, (size_t)n, path, error))
			return false;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
}

/* The file belongs to who typed "sudo wakepath record". */
static void give_to_caller(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (uid && gid && geteuid() == 0)
		(void)!fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10));
}

/* 0, or -1 with errno. */
static int link_to(int fd, const char *path)
{
	g_autofree char *own = g_strdup_printf("/proc/self/fd/%d", fd);

	return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* File systems on which a file cannot get a name: a copy of it, beside and renamed. */
static bool copy_to(int fd, const char *path, GError **error)
{
	g_autofree char *name = NULL, *prefix = g_strconcat(path, ".", NULL);
	struct stat st = { 0 };
	int copy = base_scratch_file(prefix, 0666, &name);
	bool ok = copy >= 0 && fstat(fd, &st) == 0;

	if (!ok)
		base_error_set_errno(error, errno, "cannot write", path);
	ok = ok && rec_out_move(copy, fd, 0, (uint64_t)st.st_size, path, error);
	if (ok && rename(name, path) != 0)
		ok = base_error_false_errno(error, errno, "cannot write", path);
	if (copy >= 0) {
		if (ok)
			base_scratch_release(name);
		else
			base_scratch_unlink(name);
		close(copy);
	}
	return ok;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

bool rec_out_publish(int fd, const char *path, bool replace, GError **error)
{
	g_autofree char *beside = g_strdup_printf("%s.%d", path, (int)getpid());
	int result;

	give_to_caller(fd);
	result = replace ? link_to(fd, beside) : link_to(fd, path);
	if (result == 0 && replace)
		result = rename(beside, path);
	if (result == 0)
		return true;
	if (errno != EEXIST && (replace || !is_there(path)))
		return copy_to(fd, path, error);
	return base_error_false_errno(error, errno, "cannot write", path);
}

/* 0, or -1 with errno.  A second name is refused where there is one already; NFS and 9P do not know
 * RENAME_NOREPLACE.  Files of FAT have one name each. */
static int move_to(const char *file, const char *path)
{
	if (link(file, path) == 0)
		return unlink(file);
	return errno == EEXIST || is_there(path) ? -1 : rename(file, path);
}

bool rec_out_rename(const char *file, const char *path, bool replace, GError **error)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		give_to_caller(fd);
		close(fd);
	}
	if ((replace ? rename(file, path) : move_to(file, path)) != 0)
		return base_error_false_errno(error, errno, "cannot write", path);
	return true;
}
