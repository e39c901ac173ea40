/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_files.h"

#include "base/base_error.h"
#include "trace/core/trc_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define METADATA_MAX (256 * 1024 * 1024) /* real ones are below 2 MB */

static void file_free(gpointer data)
{
	struct trc_file *file = data;

	g_free(file->name);
	g_free(file);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	const struct trc_file *const *fa = a, *const *fb = b;

	return strcmp((*fa)->name, (*fb)->name);
}

static int64_t to_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * G_GINT64_CONSTANT(1000000000) + t->tv_nsec;
}

/* A folder that is gone through. */
struct listing {
	GPtrArray *files;
	const char *directory;
	const char *within; /* the same, as seen from the root */
	unsigned folder;
};

/* "within/name", or "name" in the root itself. */
static struct trc_file *file_new(const struct listing *l, const char *name, const struct stat *st)
{
	struct trc_file *file = g_new0(struct trc_file, 1);

	file->name = *l->within ? g_strconcat(l->within, "/", name, NULL) : g_strdup(name);
	file->own = file->name + strlen(file->name) - strlen(name);
	file->folder = l->folder;
	file->size = st->st_size;
	file->device = st->st_dev;
	file->inode = st->st_ino;
	file->mtime = to_ns(&st->st_mtim);
	file->ctime = to_ns(&st->st_ctim);
	return file;
}

/* Look at NAME in the folder; false with an error when it is a stream file that cannot be read. */
static bool add_file(const struct listing *l, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(l->directory, name, NULL);
	struct stat st;
	bool fine = true;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		g_ptr_array_add(l->files, file_new(l, name, &st));
		if (access(path, R_OK) != 0)
			fine = base_error_false_errno(error, errno, "cannot read", path);
	}
	return fine;
}

GPtrArray *trc_files_one(const char *path, GError **error)
{
	struct listing l = { .files = g_ptr_array_new_with_free_func(file_free), .within = "" };
	char *directory = g_path_get_dirname(path), *name = g_path_get_basename(path);
	bool fine;

	l.directory = directory;
	fine = add_file(&l, name, error);
	if (fine && l.files->len == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO,
			"cannot read %s: it is not there any more, or no file", name);
	g_free(directory);
	g_free(name);
	if (l.files->len > 0 && fine)
		return l.files;
	g_ptr_array_unref(l.files);
	return NULL;
}

static bool list_folder(const struct listing *l, GError **error)
{
	const char *name;
	bool fine = true;
	GDir *dir;

	errno = 0;
	dir = g_dir_open(l->directory, 0, NULL);
	if (!dir)
		return base_error_false_errno(error, errno, "cannot read the folder", l->directory);
	while (fine && (name = g_dir_read_name(dir)))
		if (name[0] != '.' && strcmp(name, "metadata") != 0)
			fine = add_file(l, name, error);
	g_dir_close(dir);
	return fine;
}

GPtrArray *trc_files_list(char *const *folders, GError **error)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(file_free);
	g_autofree char *root = trc_folders_root(folders);
	bool fine = true;
	unsigned i;

	for (i = 0; fine && folders[i]; i++) {
		struct listing l = { .files = files,
			.directory = folders[i],
			.within = trc_folders_within(root, folders[i]),
			.folder = i };

		fine = list_folder(&l, error);
	}
	g_ptr_array_sort(files, compare_names);
	if (!fine)
		g_clear_pointer(&files, g_ptr_array_unref);
	return files;
}

/* Read FD, of SIZE bytes, to its end.  NULL with errno. */
static GBytes *read_all(int fd, size_t size)
{
	char *data = g_malloc(size + 1);
	size_t done = 0;
	ssize_t got = 1;

	while (done < size && got > 0) {
		got = read(fd, data + done, size - done);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			done += (size_t)got;
	}
	if (got < 0) {
		g_free(data);
		return NULL;
	}
	return g_bytes_new_take(data, done);
}

GBytes *trc_files_metadata(const char *directory, GError **error)
{
	g_autofree char *path = g_build_filename(directory, "metadata", NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	GBytes *bytes = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		base_error_set_errno(error, errno, "cannot read", path);
	} else if (!S_ISREG(st.st_mode) || st.st_size > METADATA_MAX) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s is not the metadata file of a trace: give the "
			"folder of a CTF trace",
			path);
	} else {
		bytes = read_all(fd, (size_t)st.st_size);
		if (!bytes)
			base_error_set_errno(error, errno, "cannot read", path);
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

size_t trc_files_read(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || errno != EINTR)
			break;
	}
	return done;
}
