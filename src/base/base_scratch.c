/* SPDX-License-Identifier: MIT */
/*
 * How it works: a list of paths under a lock. A file is made with the lock held, and the end of the program
 * never releases the lock. So no file exists that is not in the list. The program may end because there is no
 * memory, in any call that allocates. So code that holds the lock does not allocate, and the end itself does
 * not either. A copy of the process (fork()) has the list, too, but removes only what it made itself.
 */
#include "base/base_scratch.h"

#include "base/base_io.h"
#include "base/base_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_TO_TRY 100

struct made {
	struct made *next; /* owned */
	pid_t by;          /* the process that made it */
	int folder;        /* descriptor of the folder that holds it; owned; -1: this is a temporary folder */
	char path[];
};

static GMutex lock;
static struct made *files, *folders; /* owned; under LOCK */
static gint ended;

/* Room for PATH, which is in no list yet, in FOLDER (taken over, -1: none). */
static struct made *made_new(const char *path, int folder)
{
	size_t size = strlen(path) + 1;
	struct made *m = g_malloc(sizeof *m + size);

	m->by = getpid();
	m->folder = folder;
	memcpy(m->path, path, size);
	return m;
}

/* M may be NULL. */
static void made_free(struct made *m)
{
	if (m && m->folder >= 0)
		close(m->folder);
	g_free(m);
}

/* With the lock held. */
static void scratch_add(struct made **list, struct made *m)
{
	m->next = *list;
	*list = m;
}

/* With the lock held: the link of LIST to PATH, a pointer to NULL if PATH is not there. */
static struct made **scratch_find(struct made **list, const char *path)
{
	while (*list && strcmp((*list)->path, path) != 0)
		list = &(*list)->next;
	return list;
}

/* With the lock held: take *AT (may be NULL) out of its list. */
static struct made *scratch_take(struct made **at)
{
	struct made *m = *at;

	if (m)
		*at = m->next;
	return m;
}

static void scratch_drop(struct made **list, const char *path)
{
	struct made *gone;

	g_mutex_lock(&lock);
	gone = scratch_take(scratch_find(list, path));
	g_mutex_unlock(&lock);
	made_free(gone);
}

#define A_FOLDER (-2) /* as FROM below */

/* Make the new file PATH in FOLDER (taken over on success), and return its descriptor. If FROM is a
 * descriptor, give that file this name, and return 0. If FROM is A_FOLDER, make a folder, and return 0. -1
 * with errno. */
static int make_file(int folder, const char *path, int from, mode_t mode)
{
	struct made *m = made_new(path, folder);
	char nameless[32];
	int result, why;

	snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", from);
	g_mutex_lock(&lock);
	if (from == A_FOLDER)
		result = BASE_IO_AGAIN(mkdirat(folder, base_place_name(path), mode));
	else if (from >= 0)
		result = BASE_IO_AGAIN(
			linkat(AT_FDCWD, nameless, folder, base_place_name(path), AT_SYMLINK_FOLLOW));
	else
		result = BASE_IO_AGAIN(openat(folder, base_place_name(path),
			O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
	why = errno;
	if (result >= 0)
		scratch_add(from == A_FOLDER ? &folders : &files, m);
	g_mutex_unlock(&lock);
	if (result < 0)
		g_free(m);
	errno = why;
	return result;
}

/* Like base_scratch_file(); or like base_scratch_link() for FROM, unless that is -1. */
static int scratch_make(const char *prefix, int from, mode_t mode, char **path)
{
	static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	int folder = base_place_folder(prefix), result = -1, why = folder >= 0 ? EEXIST : errno;

	*path = g_strconcat(prefix, "XXXXXX", NULL);
	for (int i = 0; i < NAMES_TO_TRY && result < 0 && why == EEXIST; i++) {
		for (char *c = *path + strlen(prefix); *c != '\0'; c++)
			*c = characters[g_random_int_range(0, sizeof characters - 1)];
		result = make_file(folder, *path, from, mode);
		why = errno;
	}
	if (result < 0 && folder >= 0)
		close(folder);
	errno = why;
	return result;
}

int base_scratch_file(const char *prefix, mode_t mode, char **path)
{
	return scratch_make(prefix, -1, mode, path);
}

int base_scratch_link(int fd, const char *prefix, char **path)
{
	return scratch_make(prefix, fd, 0, path);
}

int base_scratch_folder_at(const char *prefix, char **path)
{
	return scratch_make(prefix, A_FOLDER, 0700, path);
}

/* Rename PATH of LIST to TARGET, with FLAGS of renameat2(), and keep it. */
static int scratch_publish(struct made **list, const char *path, const char *target, unsigned flags)
{
	struct made **at, *gone = NULL;
	int result = -1, why = ENOENT;

	g_mutex_lock(&lock);
	at = scratch_find(list, path);
	if (*at) {
		result = BASE_IO_AGAIN(renameat2((*at)->folder, base_place_name(path), (*at)->folder,
			base_place_name(target), flags));
		why = errno;
	}
	if (result == 0)
		gone = scratch_take(at);
	g_mutex_unlock(&lock);
	made_free(gone);
	errno = why;
	return result;
}

int base_scratch_publish(const char *path, const char *target)
{
	return scratch_publish(&files, path, target, 0);
}

int base_scratch_publish_folder(const char *path, const char *target)
{
	return scratch_publish(&folders, path, target, RENAME_NOREPLACE);
}

void base_scratch_release(const char *path)
{
	scratch_drop(&files, path);
}

static void unlink_file(const struct made *m)
{
	unlinkat(m->folder, base_place_name(m->path), 0);
}

void base_scratch_unlink(const char *path)
{
	struct made *gone;

	g_mutex_lock(&lock);
	gone = scratch_take(scratch_find(&files, path));
	if (gone)
		unlink_file(gone);
	g_mutex_unlock(&lock);
	made_free(gone);
}

int base_scratch_write(const char *path, const char *text, size_t length)
{
	g_autofree char *prefix = g_strconcat(path, ".", NULL), *temporary = NULL;
	int fd = base_scratch_file(prefix, 0600, &temporary), why;
	bool good = fd >= 0 && base_io_write(fd, text, length, 0) && BASE_IO_AGAIN(fsync(fd)) == 0;

	why = errno;
	if (fd >= 0 && close(fd) != 0 && good) {
		why = errno;
		good = false;
	}
	if (good && base_scratch_publish(temporary, path) == 0)
		return 0;
	if (good)
		why = errno;
	if (fd >= 0)
		base_scratch_unlink(temporary);
	errno = why;
	return -1;
}

/* True if no other user can rename what this process makes in FOLDER; otherwise errno is EPERM. */
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
	g_autofree char *template = NULL;
	struct made *m;
	gsize at = 0;
	bool made;
	int why;

	while (at < G_N_ELEMENTS(places) - 1 && !is_ours(places[at]))
		at++;
	template = g_build_filename(places[at], "wakepath-XXXXXX", NULL);
	m = made_new(template, -1);
	made = is_ours(places[at]);
	g_mutex_lock(&lock);
	made = made && mkdtemp(m->path);
	why = errno;
	if (made)
		scratch_add(&folders, m);
	g_mutex_unlock(&lock);
	if (made)
		return g_strdup(m->path);
	g_free(m);
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(why), "cannot make %s: %s", template,
		g_strerror(why));
	return NULL;
}

#define DEPTH 3 /* of nested folders: those of a table in Parquet */

static void empty_folder(int folder, unsigned depth);

/* Remove NAME, a file or a folder (at most DEPTH nested), from FOLDER. */
static bool remove_entry(int folder, const char *name, unsigned depth)
{
	int below;

	if (unlinkat(folder, name, 0) == 0)
		return true;
	if (errno != EISDIR || depth == 0 || g_str_equal(name, ".") || g_str_equal(name, ".."))
		return false;
	below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return false;
	empty_folder(below, depth - 1);
	close(below);
	return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

/* Remove what is in FOLDER; returns the number. While files go, its listing may miss others. */
static unsigned remove_files(int folder, unsigned depth)
{
	_Alignas(struct dirent64) char entries[4096];
	unsigned removed = 0;
	ssize_t n;

	lseek(folder, 0, SEEK_SET);
	while ((n = getdents64(folder, entries, sizeof entries)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			removed += remove_entry(folder, entry->d_name, depth);
			at += entry->d_reclen;
		}
	}
	return removed;
}

static void empty_folder(int folder, unsigned depth)
{
	while (remove_files(folder, depth) > 0)
		;
}

/* opendir() would allocate; this function does not. */
static void remove_folder(const char *path)
{
	int folder = base_io_open(path, O_DIRECTORY | O_NOFOLLOW);

	if (folder >= 0) {
		empty_folder(folder, DEPTH);
		close(folder);
	}
	rmdir(path);
}

void base_scratch_remove(const char *path)
{
	remove_folder(path);
	scratch_drop(&folders, path);
}

void base_scratch_end(void)
{
	pid_t self = getpid();

	if (g_atomic_int_get(&ended))
		return;
	g_mutex_lock(&lock);
	g_atomic_int_set(&ended, 1);
	for (const struct made *m = files; m; m = m->next)
		if (m->by == self)
			unlink_file(m);
	for (const struct made *m = folders; m; m = m->next)
		if (m->by == self)
			remove_folder(m->path);
	/* (Kept locked.) */
}
