/* SPDX-License-Identifier: MIT */
/*
 * How it works: a trace that is still being written. LTTng's consumer daemon appends whole packets to the
 * stream files. "lttng rotate" moves their folder below "archives" and begins the next one, where the streams
 * continue. So a file is identified by its inode, and the folder of a chunk by that of its metadata.
 *
 * Packets are looked for after the last known one. A new file must continue a stream whose last file was read
 * to its end. Everything else makes the trace another one: more declarations in the metadata, a new stream,
 * packets that exist twice (as in snapshots), shorter files. It is then read again from its start, which is
 * always right.
 */
#include "trace/ctf/trc_survey_parts.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_time.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of the trace, identified by its metadata. */
struct known {
	off_t size; /* of the metadata */
	struct trc_range range;
};

/* Return the key of FOLDER, and in *SIZE the size of its metadata; the caller frees it. NULL: it has none. */
static char *survey_grow_key_of(const char *folder, off_t *size)
{
	g_autofree char *path = g_build_filename(folder, "metadata", NULL);
	struct stat st;

	if (stat(path, &st) != 0)
		return NULL;
	*size = st.st_size;
	return g_strdup_printf("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64)st.st_dev,
		(guint64)st.st_ino);
}

void trc_survey_know(struct trc_survey *s, const char *folder, const struct trc_range *own)
{
	struct known *k = g_new(struct known, 1);
	char *key;

	k->size = -1;
	k->range = *own;
	key = survey_grow_key_of(folder, &k->size);
	g_hash_table_insert(s->known, key ? key : g_strdup(""), k);
}

/* ---- silent streams ---- */

/* Return the lines "NAME CYCLES" of the hidden file ".certain" (live_keep.c) of each of FOLDERS; the caller
 * frees. Call this before the streams are read. */
static GPtrArray *read_certain(char *const *folders)
{
	static const struct base_file_kind kind = { "file of silent streams", 16 << 20, BASE_ERROR_IO };
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);

	for (unsigned i = 0; folders[i]; i++) {
		g_autofree char *path = g_build_filename(folders[i], ".certain", NULL);
		bool is_file = g_file_test(path, G_FILE_TEST_IS_REGULAR);
		gsize length;
		g_autofree char *text = is_file ? base_file_bytes(path, &kind, &length, NULL) : NULL;

		g_ptr_array_add(all, g_strsplit(text ? text : "", "\n", -1));
	}
	return all;
}

/* Return the time up to which F is silent according to CERTAIN, cycles; 0: unknown. */
static uint64_t certain_of(const GPtrArray *certain, const struct trc_stream_file *f)
{
	char *const *lines = g_ptr_array_index(certain, f->file->folder);
	size_t length = strlen(f->file->own);

	for (; *lines; lines++)
		if (strncmp(*lines, f->file->own, length) == 0 && (*lines)[length] == ' ')
			return g_ascii_strtoull(*lines + length + 1, NULL, 10);
	return 0;
}

/* Copy the times of CERTAIN to open streams, and free it. True if a time advanced. */
static bool take_certain(struct trc_survey *s, GPtrArray *certain)
{
	bool more = false;

	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);
		uint64_t until = f->open ? certain_of(certain, f) : 0;

		more |= until > f->certain;
		f->certain = MAX(f->certain, until);
	}
	g_ptr_array_unref(certain);
	return more;
}

/* ---- when it opens ---- */

/* True if a file with the name of F has packets. */
static bool began_elsewhere(const struct trc_survey *s, const struct trc_stream_file *f)
{
	for (unsigned i = 0; i < s->streams->len; i++) {
		const struct trc_stream_file *other = g_ptr_array_index(s->streams, i);

		if (other->n_packets > 0 && strcmp(other->file->own, f->file->own) == 0)
			return true;
	}
	return false;
}

bool trc_survey_all_began(const struct trc_survey *s, GError **error)
{
	g_autoptr(GPtrArray) certain = read_certain(s->folders);

	for (unsigned i = 0; i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->n_packets > 0 || certain_of(certain, f) > 0 || began_elsewhere(s, f))
			continue;
		return base_error_false(error, BASE_ERROR_DATA, "%s: nothing was written to it so far",
			f->file->name);
	}
	if (s->streams->len == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: there is no stream so far",
			s->directory);
	return s->streams->len > 0;
}

bool trc_survey_close(struct trc_survey *s, struct trc_stream_file *f, GError **error)
{
	struct trc_times times;
	bool fine;

	f->open = false;
	trc_times_init(&times);
	fine = trc_survey_walk(s, &times, f, error);
	trc_survey_believed(s, &times);
	trc_times_clear(&times);
	f->open = !fine;
	return fine;
}

bool trc_survey_leave_open(struct trc_survey *s, GError **error)
{
	g_autoptr(GHashTable) before = g_hash_table_new(NULL, NULL);

	for (unsigned i = 0; i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->before)
			g_hash_table_add(before, (gpointer)f->before);
	}
	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		/* Of packets that exist several times, parts of files remain. Only a file's last can grow. */
		if (f->n_packets > 0 && f->last.offset + f->last.size != f->good)
			f->open = false;
		else if ((f->n_packets == 0 || g_hash_table_contains(before, f)) &&
			!trc_survey_close(s, f, error))
			return false;
	}
	return true;
}

/* ---- later ---- */

/* True if the metadata of known FOLDERS are unchanged, and those of new folders equal them. */
static bool same_metadata(struct trc_survey *s, char *const *folders)
{
	for (unsigned i = 0; folders[i]; i++) {
		off_t size = 0;
		g_autofree char *key = survey_grow_key_of(folders[i], &size);
		const struct known *k = key ? g_hash_table_lookup(s->known, key) : NULL;
		const struct trc_range none = { BASE_TIME_NONE, BASE_TIME_NONE };
		const struct trc_meta *meta = NULL;
		const GError *problem;

		if (k && k->size == size)
			continue;
		/* The file may have grown without new declarations. */
		if (!trc_metadata_read(s->metadata, folders[i], &meta, &problem, NULL) || meta != s->meta)
			return false;
		trc_survey_know(s, folders[i], k ? &k->range : &none);
	}
	return true;
}

static const struct trc_file *find_file(const GPtrArray *files, const struct trc_file *file)
{
	for (unsigned i = 0; i < files->len; i++) {
		const struct trc_file *f = g_ptr_array_index(files, i);

		if (f->device == file->device && f->inode == file->inode)
			return f;
	}
	return NULL;
}

/* Replace files and folders of S by FILES and FOLDERS (owned). False if an earlier file is gone or
 * changed. */
static bool take_files(struct trc_survey *s, GPtrArray *files, char **folders)
{
	bool fine = true;

	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);
		const struct trc_file *now = find_file(files, f->file);

		fine &= now && (now->size == f->file->size || (f->open && now->size > f->file->size));
		if (now)
			f->file = now;
	}
	if (!fine) {
		g_ptr_array_unref(files);
		g_strfreev(folders);
		return false; /* the caller reads the trace again from its start */
	}
	g_ptr_array_unref(s->files);
	s->files = files;
	g_strfreev(s->folders);
	s->folders = folders;
	g_free(s->directory);
	s->directory = trc_folders_root(folders);
	s->metadata_of = folders[0];
	return true;
}

/* Look for more packets of F. True if there are some. *PROBLEM is set on a first read error. */
static bool walk_on(struct trc_survey *s, struct trc_times *times, struct trc_stream_file *f,
	GError **problem)
{
	uint64_t before = f->n_packets;

	trc_survey_walk(s, times, f, *problem ? NULL : problem);
	return f->n_packets > before;
}

static int survey_grow_by_begin(gconstpointer a, gconstpointer b)
{
	const struct trc_stream_file *x = *(struct trc_stream_file *const *)a,
				     *y = *(struct trc_stream_file *const *)b;

	return x->first.begin < y->first.begin ? -1 : x->first.begin > y->first.begin;
}

/* Return new files of S with packets, as streams; the caller unrefs. *PROBLEM as in walk_on(). */
static GPtrArray *new_files(struct trc_survey *s, GArray *times, GError **problem)
{
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	GPtrArray *added = g_ptr_array_new();

	for (unsigned i = 0; i < s->streams->len; i++)
		g_hash_table_add(known,
			(gpointer)((struct trc_stream_file *)g_ptr_array_index(s->streams, i))->file);
	for (unsigned i = 0; i < s->files->len; i++) {
		const struct trc_file *file = g_ptr_array_index(s->files, i);
		struct trc_stream_file *f;

		if (g_hash_table_contains(known, file))
			continue;
		f = g_new0(struct trc_stream_file, 1);
		f->file = file;
		f->cpu = UINT32_MAX;
		f->open = true;
		if (walk_on(s, &g_array_index(times, struct trc_times, file->folder), f, problem))
			g_ptr_array_add(added, f);
		else
			g_free(f);
	}
	g_ptr_array_sort(added, survey_grow_by_begin);
	return added;
}

/* True if the new file F continues a stream whose last file was open and is now read to its end. */
static bool join_new(struct trc_survey *s, struct trc_stream_file *f)
{
	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *before = g_ptr_array_index(s->streams, i);

		if (!before->open || !trc_parts_are_one(before, f))
			continue;
		return trc_survey_close(s, before, NULL) && trc_parts_follow(before, f);
	}
	return false;
}

/* Set the times of chunks and trace in INFO from the packets in TIMES, folder by folder. */
static void survey_grow_tell(struct trc_survey *s, const GArray *times, struct trc_info *info)
{
	struct trc_range all = { info->begin, info->end };

	g_array_set_size(info->chunks, 0);
	for (unsigned i = 0; s->folders[i]; i++) {
		struct trc_range own = trc_survey_believed(s, &g_array_index(times, struct trc_times, i));
		off_t size;
		g_autofree char *key = survey_grow_key_of(s->folders[i], &size);
		struct known *k = key ? g_hash_table_lookup(s->known, key) : NULL;

		if (k) {
			trc_survey_widen(&k->range, &own);
			own = k->range;
		}
		trc_info_add_chunk(info, s->folders[i], own.begin, own.end);
		trc_survey_widen(&all, &own);
	}
	info->begin = all.begin;
	info->end = all.end;
}

/* Look for new packets in the files of S. *PROBLEM as in walk_on(). */
static enum trc_growth survey_grow_look(struct trc_survey *s, GArray *times, GPtrArray *added,
	GError **problem)
{
	enum trc_growth growth = TRC_GROWTH_NONE;
	g_autoptr(GPtrArray) files = NULL;

	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->open && f->good < (uint64_t)f->file->size &&
			walk_on(s, &g_array_index(times, struct trc_times, f->file->folder), f, problem))
			growth = TRC_GROWTH_MORE;
	}
	files = new_files(s, times, problem);
	for (unsigned i = 0; i < files->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(files, i);

		if (!join_new(s, f))
			growth = TRC_GROWTH_OTHER;
		g_ptr_array_add(s->streams, f);
		g_ptr_array_add(added, f);
	}
	return growth == TRC_GROWTH_NONE && files->len > 0 ? TRC_GROWTH_MORE : growth;
}

enum trc_growth trc_survey_grow(struct trc_survey *s, char *const *folders, struct trc_info *info,
	GPtrArray *added, GError **error)
{
	GPtrArray *certain = read_certain(folders), *files = trc_files_list(folders, error);
	enum trc_growth growth;
	GError *problem = NULL;
	g_autoptr(GArray) times = NULL;
	bool other = files && !same_metadata(s, folders);

	if (other)
		g_ptr_array_unref(files);
	other = other || (files && !take_files(s, files, g_strdupv((char **)folders)));
	if (other || !files) {
		g_ptr_array_unref(certain);
		return other ? TRC_GROWTH_OTHER : TRC_GROWTH_UNSEEN;
	}
	times = g_array_new(FALSE, TRUE, sizeof(struct trc_times));
	g_array_set_size(times, g_strv_length((char **)folders));
	for (unsigned i = 0; i < times->len; i++)
		trc_times_init(&g_array_index(times, struct trc_times, i));
	g_array_set_clear_func(times, (GDestroyNotify)trc_times_clear);
	growth = survey_grow_look(s, times, added, &problem);
	survey_grow_tell(s, times, info);
	if (take_certain(s, certain) && growth == TRC_GROWTH_NONE)
		growth = TRC_GROWTH_MORE;
	if (!problem || growth == TRC_GROWTH_OTHER) {
		g_clear_error(&problem);
		return growth;
	}
	g_propagate_error(error, problem);
	return TRC_GROWTH_UNSEEN;
}
