/* SPDX-License-Identifier: MIT */
/*
 * How it works: a list of paths under a lock.  A file is made with the lock held, and the end of the program
 * never gives it back: so there is no moment at which something exists that is not in the list.
 */
#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define NAMES_TO_TRY 100

static GMutex lock;
static GPtrArray *files, *folders; /* of char *, owned; under LOCK; NULL: none so far */

/* With the lock held. */
static void add(GPtrArray **list, const char *path)
{
	if (!*list)
		*list = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(*list, g_strdup(path));
}

static void drop(GPtrArray *list, const char *path)
{
	guint at;

	g_mutex_lock(&lock);
	if (list && g_ptr_array_find_with_equal_func(list, path, g_str_equal, &at))
		g_ptr_array_remove_index_fast(list, at);
	g_mutex_unlock(&lock);
}

/* PREFIX and six of 36 characters. */
static char *random_name(const char *prefix)
{
	static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char end[7] = "";

	for (int i = 0; i < 6; i++)
		end[i] = characters[g_random_int_range(0, sizeof characters - 1)];
	return g_strconcat(prefix, end, NULL);
}

int base_scratch_file(const char *prefix, mode_t mode, char **path)
{
	int fd = -1, saved_errno = EEXIST;

	*path = NULL;
	g_mutex_lock(&lock);
	for (int i = 0; i < NAMES_TO_TRY && fd < 0 && saved_errno == EEXIST; i++) {
		g_free(*path);
		*path = random_name(prefix);
		fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
		saved_errno = errno;
	}
	if (fd >= 0)
		add(&files, *path);
	g_mutex_unlock(&lock);
	errno = saved_errno;
	return fd;
}

void base_scratch_release(const char *path)
{
	drop(files, path);
}

void base_scratch_unlink(const char *path)
{
	unlink(path);
	base_scratch_release(path);
}

char *base_scratch_folder(GError **error)
{
	char *path;

	g_mutex_lock(&lock);
	path = g_dir_make_tmp("wakepath-XXXXXX", error);
	if (path)
		add(&folders, path);
	g_mutex_unlock(&lock);
	return path;
}

static void remove_folder(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		g_unlink(file);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(path);
}

void base_scratch_remove(const char *path)
{
	remove_folder(path);
	drop(folders, path);
}

void base_scratch_end(void)
{
	g_mutex_lock(&lock);
	for (guint i = 0; files && i < files->len; i++)
		unlink(g_ptr_array_index(files, i));
	for (guint i = 0; folders && i < folders->len; i++)
		remove_folder(g_ptr_array_index(folders, i));
	/* (Kept locked.) */
}
