/* SPDX-License-Identifier: MIT */
/*
 * How it works: with root's rights a path is walked part by part. Each part is opened relative to the one
 * before, and the kernel follows no link. The walk knows whether only root could have changed all folders so
 * far. While that holds, it follows links itself, by putting their text before the rest of the path. In a
 * folder with the sticky bit (/tmp) a name is safe if root owns the file.
 */
#include "base/base_place.h"

#include "base/base_io.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* MAXSYMLINKS of the kernel, include/linux/namei.h */
#define LOOK (O_PATH | O_NOFOLLOW | O_CLOEXEC)
#define PROC_MAGIC 0x9fa0 /* PROC_SUPER_MAGIC in the kernel's include/uapi/linux/magic.h */

struct walk {
	int at;        /* the folder or file reached so far; owned */
	bool ours;     /* only root can change the way to AT */
	bool shared;   /* AT is a folder with the sticky bit that others can write */
	bool make;     /* make missing folders */
	uid_t top;     /* owner of "/": in a user namespace root has another number there */
	GString *rest; /* the rest of the path */
	GString *real; /* the path up to AT, without links */
	unsigned links;
};

static bool is_trusted(const struct walk *w, const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == w->top;
}

/* True if only root can have given a name in the folder W->at to ST, and can take it away. */
static bool is_ours(const struct walk *w, const struct stat *st)
{
	return w->ours && (!w->shared || is_trusted(w, st));
}

/* Go to NEXT (taken over), which is NAME in the folder W->at and no link. */
static void go_to(struct walk *w, int next, const char *name, const struct stat *st)
{
	bool is_folder = S_ISDIR(st->st_mode), others_write = st->st_mode & (S_IWGRP | S_IWOTH),
	     is_sticky = st->st_mode & S_ISVTX;
	const char *last = strrchr(w->real->str, '/');

	w->ours = is_ours(w, st) && (!is_folder || (is_trusted(w, st) && (!others_write || is_sticky)));
	w->shared = is_folder && others_write;
	if (!g_str_equal(name, "..") && !g_str_equal(name, "."))
		g_string_append_printf(w->real, "/%s", name);
	else if (name[1] && last)
		g_string_truncate(w->real, (gsize)(last - w->real->str));
	close(w->at);
	w->at = next;
}

static bool go_to_top(struct walk *w)
{
	struct stat st;
	int top = BASE_IO_AGAIN(open("/", LOOK | O_DIRECTORY));

	if (top < 0 || BASE_IO_AGAIN(fstat(top, &st)) != 0)
		return false;
	if (w->at >= 0)
		close(w->at);
	w->at = top;
	w->top = st.st_uid;
	w->shared = false;
	g_string_truncate(w->real, 0);
	return true;
}

/* The kernel follows a link of /proc (/proc/self/fd/1), whose TEXT may be no path.  False with errno. */
static bool follow_proc(struct walk *w, const char *name, const char *text)
{
	int next = BASE_IO_AGAIN(openat(w->at, name, O_PATH | O_CLOEXEC));
	struct stat target, named;

	if (next < 0 || BASE_IO_AGAIN(fstat(next, &target)) != 0)
		return false;
	go_to(w, next, name, &target);
	if (*text == '/' && stat(text, &named) == 0 && named.st_dev == target.st_dev &&
		named.st_ino == target.st_ino)
		g_string_assign(w->real, text);
	return true;
}

/* Follow LINK, which is NAME in the folder W->at.  False with errno. */
static bool place_follow(struct walk *w, int link, const char *name, const struct stat *st)
{
	char text[PATH_MAX];
	struct statfs fs;
	ssize_t n;

	if (!is_ours(w, st) || ++w->links > LINKS_MAX) {
		errno = ELOOP;
		return false;
	}
	n = readlinkat(link, "", text, sizeof text - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	if (fstatfs(link, &fs) == 0 && fs.f_type == PROC_MAGIC)
		return follow_proc(w, name, text);
	g_string_prepend_c(w->rest, '/');
	g_string_prepend(w->rest, text);
	return *text != '/' || go_to_top(w);
}

/* Open NAME in the folder W->at, which may be a link. O_DIRECTORY makes the kernel mount automounts there
 * (follow_automount() in fs/namei.c). */
static int place_look(const struct walk *w, const char *name)
{
	int fd = BASE_IO_AGAIN(openat(w->at, name, LOOK | O_DIRECTORY));

	return fd < 0 && errno == ENOTDIR ? BASE_IO_AGAIN(openat(w->at, name, LOOK)) : fd;
}

/* Go on to NAME in the folder W->at.  False with errno. */
static bool place_step(struct walk *w, const char *name)
{
	int next = place_look(w, name);
	struct stat st;
	bool ok;

	if (next < 0 && errno == ENOENT && w->make && (mkdirat(w->at, name, 0700) == 0 || errno == EEXIST))
		next = place_look(w, name);
	if (next < 0 || BASE_IO_AGAIN(fstat(next, &st)) != 0)
		return false;
	if (!S_ISLNK(st.st_mode)) {
		go_to(w, next, name, &st);
		return true;
	}
	ok = place_follow(w, next, name, &st);
	close(next);
	return ok;
}

/* Walk PATH to its end, or as far as it exists. False with errno. */
static bool walk_path(struct walk *w, const char *path)
{
	g_autofree char *here = NULL;
	bool ok = go_to_top(w);

	if (!*path) {
		errno = ENOENT;
		return false;
	}
	if (*path != '/') {
		/* (g_get_current_dir() believes $PWD.) */
		here = realpath(".", NULL);
		if (!here)
			return false;
		g_string_append_printf(w->rest, "%s/", here);
	}
	g_string_append(w->rest, path);
	while (ok) {
		size_t slashes = strspn(w->rest->str, "/"), length = strcspn(w->rest->str + slashes, "/");
		g_autofree char *name = g_strndup(w->rest->str + slashes, length);

		if (!length)
			break;
		g_string_erase(w->rest, 0, (gssize)(slashes + length));
		ok = place_step(w, name);
	}
	return ok;
}

/* Like base_place_open(), with root's rights. */
static int open_as_root(const char *path, bool make, char **real, bool *ours)
{
	struct walk w = { .at = -1, .ours = true, .make = make };
	int saved_errno;
	bool ok;

	w.rest = g_string_new(NULL);
	w.real = g_string_new(NULL);
	ok = walk_path(&w, path);
	saved_errno = errno;
	if (!ok && w.at >= 0) {
		close(w.at);
		w.at = -1;
	}
	if (real)
		*real = ok ? g_strdup(w.real->len > 0 ? w.real->str : "/") : NULL;
	if (ours)
		*ours = w.ours && (ok || saved_errno != ELOOP);
	g_string_free(w.rest, TRUE);
	g_string_free(w.real, TRUE);
	errno = saved_errno;
	return w.at;
}

int base_place_open(const char *path, char **real, bool *ours)
{
	int fd;

	if (geteuid() == 0)
		return open_as_root(path, false, real, ours);
	fd = BASE_IO_AGAIN(open(path, O_PATH | O_CLOEXEC));
	if (real) {
		int saved_errno = errno;

		*real = fd >= 0 ? realpath(path, NULL) : NULL;
		errno = saved_errno;
	}
	if (ours)
		*ours = true;
	return fd;
}

int base_place_folder(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	return base_place_open(folder, NULL, NULL);
}

int base_place_make(const char *path)
{
	struct stat st;
	int fd, why;

	if (geteuid() != 0)
		return g_mkdir_with_parents(path, 0700);
	fd = open_as_root(path, true, NULL, NULL);
	if (fd < 0)
		return -1;
	why = BASE_IO_AGAIN(fstat(fd, &st)) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	close(fd);
	errno = why;
	return why == 0 ? 0 : -1;
}

/* Like base_place_write(), if another user can make PATH lead elsewhere. */
static int write_among_others(const char *path, int flags, mode_t mode)
{
	int folder = base_place_folder(path), fd = -1, saved_errno;
	struct stat st;

	if (folder < 0)
		return -1;
	/* A FIFO of another user must not block us, and nothing is truncated before its type is known. */
	fd = BASE_IO_AGAIN(openat(folder, base_place_name(path),
		O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (flags & ~O_TRUNC),
		mode));
	saved_errno = errno;
	close(folder);
	if (fd >= 0 && BASE_IO_AGAIN(fstat(fd, &st)) != 0)
		saved_errno = errno;
	else if (fd >= 0 && (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1))
		saved_errno = EPERM;
	else if (fd >= 0 && flags & O_TRUNC && BASE_IO_AGAIN(ftruncate(fd, 0)) != 0)
		saved_errno = errno;
	else
		saved_errno = fd >= 0 ? 0 : saved_errno;
	if (fd >= 0 && saved_errno != 0) {
		close(fd);
		fd = -1;
	}
	errno = saved_errno;
	return fd;
}

int base_place_write(const char *path, int flags, mode_t mode)
{
	g_autofree char *again = NULL;
	bool ours = true;
	int place, fd;

	if (geteuid() != 0)
		return BASE_IO_AGAIN(open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
	place = base_place_open(path, NULL, &ours);
	if (place < 0 || !ours) {
		fd = write_among_others(path, flags, mode);
	} else {
		again = g_strdup_printf("/proc/self/fd/%d", place);
		fd = open(again, O_WRONLY | O_CLOEXEC | flags);
	}
	if (place >= 0) {
		int saved_errno = errno;

		close(place);
		errno = saved_errno;
	}
	return fd;
}

const char *base_place_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
