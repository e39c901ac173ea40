/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_folders.h"

#include "base/base_error.h"
#include "base/base_io.h"

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

/* Look at NAME in the folder, where a link may lead nowhere; false with an error when it cannot be read. */
static bool add_file(const struct listing *l, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(l->directory, name, NULL);
	struct stat st;
	bool there = BASE_IO_AGAIN(stat(path, &st)) == 0;

	if ((!there && errno != ENOENT) ||
		(there && S_ISREG(st.st_mode) && BASE_IO_AGAIN(access(path, R_OK)) != 0))
		return base_error_false_errno(error, errno, "cannot read", path);
	if (there && S_ISREG(st.st_mode))
		g_ptr_array_add(l->files, file_new(l, name, &st));
	return true;
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
	g_autoptr(GPtrArray) names = base_io_names(l->directory);
	bool fine = true;

	if (!names)
		return base_error_false_errno(error, errno, "cannot read the folder", l->directory);
	for (guint i = 0; fine && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (name[0] != '.' && strcmp(name, "metadata") != 0)
			fine = add_file(l, name, error);
	}
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

GMappedFile *trc_files_map(const char *path, GError **error)
{
	int fd = base_io_open(path, 0);
	g_autoptr(GError) problem = NULL;
	GMappedFile *file;

	if (fd < 0)
		return base_error_null_errno(error, errno, "cannot read the trace", path);
	file = g_mapped_file_new_from_fd(fd, FALSE, &problem);
	close(fd);
	return file ? file
		    : base_error_null(error, BASE_ERROR_IO, "cannot read the trace %s: %s", path,
			      problem->message);
}

/* The first SIZE bytes of FD, or what there is of them.  NULL with errno. */
static GBytes *files_read_all(int fd, size_t size)
{
	char *data = g_malloc(size + 1);
	ssize_t got = base_io_read(fd, data, size, 0);
	int why = errno;

	if (got >= 0)
		return g_bytes_new_take(data, (gsize)got);
	g_free(data);
	errno = why;
	return NULL;
}

GBytes *trc_files_metadata(const char *directory, GError **error)
{
	g_autofree char *path = g_build_filename(directory, "metadata", NULL);
	int fd = base_io_open(path, O_NONBLOCK);
	GBytes *bytes = NULL;
	struct stat st;

	if (fd < 0 || BASE_IO_AGAIN(fstat(fd, &st)) != 0) {
		base_error_set_errno(error, errno, "cannot read", path);
	} else if (!S_ISREG(st.st_mode) || st.st_size > METADATA_MAX) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s is not the metadata file of a trace: give the "
			"folder of a CTF trace",
			path);
	} else {
		bytes = files_read_all(fd, (size_t)st.st_size);
		if (!bytes)
			base_error_set_errno(error, errno, "cannot read", path);
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}
