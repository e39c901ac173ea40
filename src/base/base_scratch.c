/* SPDX-License-Identifier: MIT */
/*
 * How it works: a list of paths under a lock.  A file is made with the lock held, and the end of the program
 * never gives it back: so there is no moment at which something exists that is not in the list.  A copy of
 * the process (fork()) begins a list of its own: what the other has made is the other's to remove.
 */
#include "base/base_scratch.h"

#include "base/base_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#define NAMES_TO_TRY 100

struct scratch {
	char *path; /* owned */
	int folder; /* in which it is; owned; -1: this is a folder itself */
};

static GMutex lock;
static GPtrArray *files, *folders; /* of struct scratch, owned; under LOCK; NULL: none so far */
static pid_t process;              /* whose these are; under LOCK */

static void scratch_free(gpointer data)
{
	struct scratch *s = data;

	if (s->folder >= 0)
		close(s->folder);
	g_free(s->path);
	g_free(s);
}

/* With the lock held.  FOLDER is taken over. */
static void add(GPtrArray **list, const char *path, int folder)
{
	struct scratch *s = g_new(struct scratch, 1);

	*s = (struct scratch){ g_strdup(path), folder };
	if (process != getpid()) {
		g_clear_pointer(&files, g_ptr_array_unref);
		g_clear_pointer(&folders, g_ptr_array_unref);
		process = getpid();
	}
	if (!*list)
		*list = g_ptr_array_new_with_free_func(scratch_free);
	g_ptr_array_add(*list, s);
}

static gboolean has_path(gconstpointer scratch, gconstpointer path)
{
	return g_str_equal(((const struct scratch *)scratch)->path, path);
}

/* With the lock held: where PATH is in LIST; NULL: it is not there. */
static struct scratch *find(GPtrArray *list, const char *path)
{
	guint at;

	return list && g_ptr_array_find_with_equal_func(list, path, has_path, &at) ? list->pdata[at] : NULL;
}

static void drop(GPtrArray *list, const char *path)
{
	struct scratch *s;

	g_mutex_lock(&lock);
	s = find(list, path);
	if (s)
		g_ptr_array_remove_fast(list, s);
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

/* Make the file PATH in FOLDER, its descriptor; or give FROM, unless that is -1, this name, and 0.  -1 with
 * errno. */
static int make_name(int folder, const char *path, int from, mode_t mode)
{
	g_autofree char *nameless = g_strdup_printf("/proc/self/fd/%d", from);

	if (from >= 0)
		return linkat(AT_FDCWD, nameless, folder, base_place_name(path), AT_SYMLINK_FOLLOW);
	return openat(folder, base_place_name(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		mode);
}

/* As base_scratch_file(); or as base_scratch_link() for FROM, unless that is -1. */
static int make(const char *prefix, int from, mode_t mode, char **path)
{
	int folder = base_place_folder(prefix), result = -1, saved_errno = folder >= 0 ? EEXIST : errno;

	*path = random_name(prefix);
	g_mutex_lock(&lock);
	for (int i = 0; i < NAMES_TO_TRY && result < 0 && saved_errno == EEXIST; i++) {
		g_free(*path);
		*path = random_name(prefix);
		result = make_name(folder, *path, from, mode);
		saved_errno = errno;
	}
	if (result >= 0)
		add(&files, *path, folder);
	else if (folder >= 0)
		close(folder);
	g_mutex_unlock(&lock);
	errno = saved_errno;
	return result;
}

int base_scratch_file(const char *prefix, mode_t mode, char **path)
{
	return make(prefix, -1, mode, path);
}

int base_scratch_link(int fd, const char *prefix, char **path)
{
	return make(prefix, fd, 0, path);
}

int base_scratch_publish(const char *path, const char *target)
{
	struct scratch *s;
	int result = -1, saved_errno = ENOENT;

	g_mutex_lock(&lock);
	s = find(files, path);
	if (s) {
		result = renameat(s->folder, base_place_name(path), s->folder, base_place_name(target));
		saved_errno = errno;
	}
	if (result == 0)
		g_ptr_array_remove_fast(files, s);
	g_mutex_unlock(&lock);
	errno = saved_errno;
	return result;
}

void base_scratch_release(const char *path)
{
	drop(files, path);
}

/* With the lock held. */
static void unlink_file(const struct scratch *s)
{
	unlinkat(s->folder, base_place_name(s->path), 0);
}

void base_scratch_unlink(const char *path)
{
	struct scratch *s;

	g_mutex_lock(&lock);
	s = find(files, path);
	if (s) {
		unlink_file(s);
		g_ptr_array_remove_fast(files, s);
	}
	g_mutex_unlock(&lock);
}

static bool write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t put = write(fd, text, length);

		if (put < 0 && errno != EINTR)
			return false;
		text += MAX(put, 0);
		length -= (size_t)MAX(put, 0);
	}
	return true;
}

int base_scratch_write(const char *path, const char *text, size_t length)
{
	g_autofree char *prefix = g_strconcat(path, ".", NULL), *temporary = NULL;
	int fd = base_scratch_file(prefix, 0600, &temporary), saved_errno;
	bool good = fd >= 0 && write_all(fd, text, length) && fsync(fd) == 0;

	saved_errno = errno;
	if (fd >= 0 && close(fd) != 0 && good) {
		saved_errno = errno;
		good = false;
	}
	if (good && base_scratch_publish(temporary, path) == 0)
		return 0;
	if (good)
		saved_errno = errno;
	if (fd >= 0)
		base_scratch_unlink(temporary);
	errno = saved_errno;
	return -1;
}

/* True if no other user can rename what this process makes in FOLDER; else errno is EPERM. */
static bool is_ours(const char *folder)
{
	bool ours;
	int fd = base_place_open(folder, NULL, &ours);

	if (fd >= 0)
		close(fd);
	errno = EPERM;
	return ours;
}

char *base_scratch_folder(GError **error)
{
	const char *const places[] = { g_get_tmp_dir(), "/var/tmp", "/run" };
	gsize at = 0;
	char *path;

	while (at < G_N_ELEMENTS(places) - 1 && !is_ours(places[at]))
		at++;
	path = g_build_filename(places[at], "wakepath-XXXXXX", NULL);
	g_mutex_lock(&lock);
	if (is_ours(places[at]) && g_mkdtemp(path)) {
		add(&folders, path, -1);
	} else {
		g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "cannot make %s: %s", path,
			g_strerror(errno));
		g_clear_pointer(&path, g_free);
	}
	g_mutex_unlock(&lock);
	return path;
}

/* Remove the files in FOLDER; how many they were.  While files go, its listing may miss others. */
static unsigned remove_files(int folder)
{
	char bytes[4096] __attribute__((aligned(__alignof__(struct dirent64))));
	unsigned removed = 0;
	ssize_t n;

	lseek(folder, 0, SEEK_SET);
	while ((n = getdents64(folder, bytes, sizeof bytes)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(bytes + at);

			removed += unlinkat(folder, entry->d_name, 0) == 0;
			at += entry->d_reclen;
		}
	}
	return removed;
}

/* Allocates nothing (base_stop.c). */
static void remove_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	while (folder >= 0 && remove_files(folder) > 0)
		;
	if (folder >= 0)
		close(folder);
	rmdir(path);
}

void base_scratch_remove(const char *path)
{
	remove_folder(path);
	drop(folders, path);
}

void base_scratch_end(void)
{
	g_mutex_lock(&lock);
	for (guint i = 0; process == getpid() && files && i < files->len; i++)
		unlink_file(g_ptr_array_index(files, i));
	for (guint i = 0; process == getpid() && folders && i < folders->len; i++)
		remove_folder(((const struct scratch *)g_ptr_array_index(folders, i))->path);
	/* (Kept locked.) */
}
