/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_folders.h"

#include "base/base_error.h"
#include "base/base_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- folders ---- */

/* True if PATH is ROOT or below it. */
static bool folders_is_within(const char *root, const char *path)
{
	size_t length = strlen(root);

	return !strncmp(root, path, length) &&
		(path[length] == '/' || path[length] == '\0' || !strcmp(root, "/"));
}

struct trc_recording *trc_folders_recording(char *const *folders, char *apart)
{
	struct trc_recording *r = g_new(struct trc_recording, 1);

	*r = (struct trc_recording){ .folders = g_strdupv((char **)(uintptr_t)folders), .apart = apart };
	return r;
}

struct trc_recording *trc_folders_recording_copy(const struct trc_recording *recording)
{
	struct trc_recording *copy = trc_folders_recording(recording->folders, g_strdup(recording->apart));

	copy->beside = g_strdupv(recording->beside);
	copy->input = recording->input;
	return copy;
}

void trc_folders_recording_free(gpointer recording)
{
	struct trc_recording *r = recording;

	if (!r)
		return;
	g_strfreev(r->folders);
	g_strfreev(r->beside);
	g_free(r->apart);
	g_free(r);
}

GPtrArray *trc_folders_each(const GPtrArray *files, G_GNUC_UNUSED GError **error)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(trc_folders_recording_free);

	for (guint i = 0; i < files->len; i++)
		g_ptr_array_add(all,
			trc_folders_recording((char *[]){ g_ptr_array_index(files, i), NULL }, NULL));
	return all;
}

const char *trc_folders_part(const char *path)
{
	struct stat st;
	const char *slash = stat(path, &st) != 0 && errno == ENOTDIR ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : NULL;
}

char *trc_folders_file(const char *path)
{
	const char *part = trc_folders_part(path);

	return part ? g_strndup(path, (gsize)(part - path - 1)) : g_strdup(path);
}

char *trc_folders_canonical(const char *path)
{
	const char *part = trc_folders_part(path);
	g_autofree char *file = trc_folders_file(path);
	char *real = realpath(file, NULL), *canonical;

	if (!real)
		return NULL;
	canonical = part ? g_strconcat(real, "/", part, NULL) : g_strdup(real);
	free(real);
	return canonical;
}

char *trc_folders_root(char *const *folders)
{
	char *root = g_strdup(folders[0]);

	for (unsigned i = 1; folders[i]; i++) {
		while (!folders_is_within(root, folders[i])) {
			char *above = g_path_get_dirname(root);

			g_free(root);
			root = above;
		}
	}
	return root;
}

/* ---- files ---- */

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

/* A folder whose files are listed. */
struct listing {
	GPtrArray *files;
	const char *directory;
	const char *within; /* the folder's path, from the root on */
	unsigned folder;
};

/* Add the file NAME of the folder to the list. A link that leads nowhere and a folder are skipped. False with
 * an error if NAME cannot be read. */
static bool add_file(const struct listing *l, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(l->directory, name, NULL);
	struct stat st;
	bool there = BASE_IO_AGAIN(stat(path, &st)) == 0;
	struct trc_file *file;

	if ((!there && errno != ENOENT) ||
		(there && S_ISREG(st.st_mode) && BASE_IO_AGAIN(access(path, R_OK)) != 0))
		return base_error_false_errno(error, errno, "cannot read", path);
	if (!there || !S_ISREG(st.st_mode))
		return true;
	file = g_new(struct trc_file, 1);
	*file = (struct trc_file){
		.name = *l->within ? g_strconcat(l->within, "/", name, NULL) : g_strdup(name),
		.folder = l->folder,
		.size = st.st_size,
		.device = st.st_dev,
		.inode = st.st_ino,
		.mtime = to_ns(&st.st_mtim),
		.ctime = to_ns(&st.st_ctim),
	};
	file->own = file->name + strlen(file->name) - strlen(name);
	g_ptr_array_add(l->files, file);
	return true;
}

/* Like trc_files_list(), for the single file PATH, or for the file of the part PATH. */
static GPtrArray *list_one(void *path, GError **error)
{
	struct listing l = { .files = g_ptr_array_new_with_free_func(file_free), .within = "" };
	g_autofree char *file = trc_folders_file(path);
	char *directory = g_path_get_dirname(file), *name = g_path_get_basename(file);
	bool fine;

	l.directory = directory;
	fine = add_file(&l, name, error);
	if (fine && l.files->len == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO,
			"cannot read %s: it was removed, or it is not a file", name);
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
		const char *within = folders[i] + strlen(root);
		struct listing l = { .files = files,
			.directory = folders[i],
			.within = *within == '/' ? within + 1 : within,
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
		char *data = g_malloc((size_t)st.st_size + 1);
		ssize_t got = base_io_read(fd, data, (size_t)st.st_size, 0);

		if (got < 0)
			base_error_set_errno(error, errno, "cannot read", path);
		bytes = got >= 0 ? g_bytes_new_take(g_steal_pointer(&data), (gsize)got) : NULL;
		g_free(data);
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

/* ---- fingerprints ---- */

/*
 * How it works: the fingerprint of a file consists of its name, size, mtime and ctime. Some programs set
 * mtime back (cp -p, rsync -t). The ctime shows that change.
 *
 * The clock of a file system advances in ticks of up to 10 ms, so two changes within one tick have the same
 * times. If a file changed within the last tick, wakepath waits until the tick is over and looks again. Every
 * later change then has another time.
 */

#define TICK_NS (20 * G_GINT64_CONSTANT(1000000)) /* two of the longest ticks, at CONFIG_HZ=100 */

/* Return the time in ns until every new change to FILES gets a new ctime. */
static int64_t rest_of_tick(const GPtrArray *files)
{
	int64_t now = g_get_real_time() * 1000, rest = 0;

	for (guint i = 0; i < files->len; i++) {
		const struct trc_file *file = g_ptr_array_index(files, i);

		if (file->ctime <= now && now - file->ctime < TICK_NS)
			rest = MAX(rest, TICK_NS - (now - file->ctime));
	}
	return rest;
}

char *trc_stamp(GPtrArray *(*list)(void *data, GError **error),
	bool (*more)(void *data, XXH3_state_t *state, GError **error), void *data, GError **error)
{
	GPtrArray *files = list(data, error);
	int64_t rest = files ? rest_of_tick(files) : 0;
	XXH3_state_t *state;
	char *text = NULL;

	if (rest > 0) {
		g_usleep((gulong)(rest / 1000 + 1));
		g_ptr_array_unref(files);
		files = list(data, error);
	}
	if (!files)
		return NULL;
	state = XXH3_createState();
	XXH3_128bits_reset(state);
	if (!more || more(data, state, error)) {
		XXH128_hash_t sum;

		for (guint i = 0; i < files->len; i++) {
			const struct trc_file *file = g_ptr_array_index(files, i);
			g_autofree char *line = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
								" %" G_GINT64_FORMAT,
				file->size, file->mtime, file->ctime);

			XXH3_128bits_update(state, file->name, strlen(file->name) + 1);
			XXH3_128bits_update(state, line,
				strlen(line) + 1); /* as text it is equal on every machine */
		}
		sum = XXH3_128bits_digest(state);
		text = g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
			(guint64)sum.high64, (guint64)sum.low64);
	}
	XXH3_freeState(state);
	g_ptr_array_unref(files);
	return text;
}

static bool add_part(void *path, XXH3_state_t *state, G_GNUC_UNUSED GError **error)
{
	const char *part = trc_folders_part(path);

	if (part)
		XXH3_128bits_update(state, part, strlen(part) + 1);
	return true;
}

char *trc_stamp_file(char *const *files, GError **error)
{
	return trc_stamp(list_one, add_part, files[0], error);
}
