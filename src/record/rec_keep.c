/* SPDX-License-Identifier: MIT */
/*
 * How it works: a recording gets its name when it is complete (base_out), and then its line in the manifest.
 * Before it is removed, a line "gone" is written.  A recording without a line was left by a watch killed
 * between the two steps.  The manifest reserves disk space, so that lines can be written to it even when the
 * disk is full.
 */
#include "record/rec_keep.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_out.h"
#include "base/base_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVE (256 << 10)   /* bytes of disk space reserved behind the manifest */
#define WAITING_MAX (1 << 20) /* bytes of lines that wait for disk space */

struct rec_keep {
	struct watch_manifest *manifest; /* owned */
	int folder, fd;                  /* the manifest, to append to */
	unsigned keep;
	uint64_t disk, bytes; /* largest and present size of all recordings, bytes */
	off_t size;           /* of the whole lines of the manifest, bytes */
	GString *waiting;     /* lines that could not be written; owned */
};

struct watch_manifest *rec_keep_manifest(const struct rec_keep *k)
{
	return k->manifest;
}

/* ---- lines ---- */

/* Append TEXT with one write, or nothing.  False with errno. */
static bool keep_put(struct rec_keep *k, const char *text, size_t size)
{
	ssize_t n = BASE_IO_AGAIN(write(k->fd, text, size));
	int saved_errno = n < 0 ? errno : ENOSPC;

	if (n == (ssize_t)size) {
		k->size += n;
		if (k->size % RESERVE < n)
			(void)!fallocate(k->fd, FALLOC_FL_KEEP_SIZE, k->size, RESERVE);
		return true;
	}
	if (n > 0)
		(void)!ftruncate(k->fd, k->size);
	errno = saved_errno;
	return false;
}

static bool keep_append(struct rec_keep *k, const GString *line, GError **error)
{
	if (k->waiting->len + line->len < WAITING_MAX)
		g_string_append_len(k->waiting, line->str, (gssize)line->len);
	if (keep_put(k, k->waiting->str, k->waiting->len)) {
		g_string_truncate(k->waiting, 0);
		return true;
	}
	return base_error_false_errno(error, errno, "cannot write", WATCH_MANIFEST);
}

bool rec_keep_line(struct rec_keep *k, const char *word, const char *fields, GError **error)
{
	g_autoptr(GString) line = g_string_new(word);

	g_string_append_printf(line, "%s\n", fields);
	return keep_append(k, line, error);
}

bool rec_keep_hit(struct rec_keep *k, const struct watch_hit *h, GError **error)
{
	g_autoptr(GString) line = g_string_new(NULL);
	struct watch_hit own = *h;

	own.name = g_string_chunk_insert_const(k->manifest->texts, h->name);
	k->manifest->last = MAX(k->manifest->last, h->number);
	g_array_append_val(k->manifest->hits, own);
	watch_manifest_tell(line, h, watch_manifest_trigger_at(k->manifest, h->trigger)->text);
	return keep_append(k, line, error);
}

/* ---- recordings ---- */

char *rec_keep_path(const struct rec_keep *k, uint64_t number, bool typical)
{
	return g_strdup_printf("%s/%s-%06" PRIu64 ".dat", k->manifest->folder, typical ? "typical" : "hit",
		number);
}

static uint64_t size_of(const struct rec_keep *k, const char *file)
{
	struct stat st;

	return fstatat(k->folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size : 0;
}

/* Return the size of all recordings, bytes; hits that share a recording count once. */
static uint64_t size_of_all(const struct rec_keep *k)
{
	g_autoptr(GHashTable) files = g_hash_table_new(g_str_hash, g_str_equal);
	GHashTableIter iter;
	gpointer file;
	uint64_t size = 0;

	for (guint i = 0; i < k->manifest->hits->len; i++) {
		const struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (h->file)
			g_hash_table_add(files, h->file);
	}
	g_hash_table_iter_init(&iter, files);
	while (g_hash_table_iter_next(&iter, &file, NULL))
		size += size_of(k, file);
	return size;
}

/* Write the line "gone" for the recording NAME, then remove it.  NAME may belong to a hit of the manifest. */
static void keep_remove(struct rec_keep *k, const char *name)
{
	g_autofree char *file = g_strdup(name), *fields = g_strdup_printf("\tfile=%s", file);

	for (guint i = 0; i < k->manifest->hits->len; i++) {
		struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (h->file && g_str_equal(h->file, file))
			g_clear_pointer(&h->file, g_free);
	}
	/* If this line cannot be written, readers see a missing recording, no more. */
	(void)!rec_keep_line(k, "gone", fields, NULL);
	unlinkat(k->folder, file, 0);
}

/* Return the number of hits of TRIGGER that have a recording, without the files in GOING (NULL: none).
 * *LEAST becomes the shortest of these hits; NULL if there is none. */
static unsigned count_kept(const struct rec_keep *k, unsigned trigger, GHashTable *going,
	const struct watch_hit **least)
{
	unsigned n = 0;

	*least = NULL;
	for (guint i = 0; i < k->manifest->hits->len; i++) {
		const struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (!h->file || h->typical || h->trigger != trigger ||
			(going && g_hash_table_contains(going, h->file)))
			continue;
		n++;
		if (!*least || h->value < (*least)->value)
			*least = h;
	}
	return n;
}

bool rec_keep_wants(const struct rec_keep *k, unsigned trigger, int64_t value)
{
	const struct watch_hit *least;

	return count_kept(k, trigger, NULL, &least) < k->keep || (least && value > least->value);
}

static int by_value(gconstpointer a, gconstpointer b)
{
	const struct watch_hit *const *x = a, *const *y = b;

	return (*y)->value < (*x)->value ? -1 : (*y)->value > (*x)->value;
}

/* Add to NEEDED the recordings of the worst hits of TRIGGER, and to NUMBERS their numbers. */
static void need_worst(const struct rec_keep *k, unsigned trigger, GHashTable *needed, GHashTable *numbers)
{
	g_autoptr(GPtrArray) kept = g_ptr_array_new();

	for (guint i = 0; i < k->manifest->hits->len; i++) {
		struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (h->file && !h->typical && h->trigger == trigger)
			g_ptr_array_add(kept, h);
	}
	g_ptr_array_sort(kept, by_value);
	for (guint i = 0; i < MIN(kept->len, k->keep); i++) {
		struct watch_hit *h = kept->pdata[i];

		g_hash_table_add(needed, h->file);
		g_hash_table_add(numbers, &h->number);
	}
}

void rec_keep_prune(struct rec_keep *k)
{
	g_autoptr(GHashTable) needed = g_hash_table_new(g_str_hash, g_str_equal),
			      numbers = g_hash_table_new(g_int64_hash, g_int64_equal);
	g_autoptr(GPtrArray) useless = g_ptr_array_new_with_free_func(g_free);

	for (unsigned t = 0; t < k->manifest->triggers->len; t++)
		need_worst(k, t, needed, numbers);
	for (guint i = 0; i < k->manifest->hits->len; i++) {
		const struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (h->file &&
			(h->typical ? !g_hash_table_contains(numbers, &h->number)
				    : !g_hash_table_contains(needed, h->file)))
			g_ptr_array_add(useless, g_strdup(h->file));
	}
	for (guint i = 0; i < useless->len; i++)
		keep_remove(k, useless->pdata[i]);
	k->bytes = size_of_all(k);
}

/* Return the shortest hit of the trigger that has most recordings, without the files in GOING; NULL: none. */
static const struct watch_hit *least_of_most(const struct rec_keep *k, GHashTable *going)
{
	const struct watch_hit *least = NULL, *of;
	unsigned most = 0;

	for (unsigned t = 0; t < k->manifest->triggers->len; t++) {
		unsigned n = count_kept(k, t, going, &of);

		if (n > most) {
			most = n;
			least = of;
		}
	}
	return least;
}

/* Return the size of the recordings of H and of its typical case, bytes. */
static uint64_t size_with_typical(const struct rec_keep *k, const struct watch_hit *h)
{
	uint64_t size = 0;

	for (guint i = 0; i < k->manifest->hits->len; i++) {
		const struct watch_hit *other = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (other->file && (other == h || (other->typical && other->number == h->number)))
			size += size_of(k, other->file);
	}
	return size;
}

bool rec_keep_room(struct rec_keep *k, uint64_t size, unsigned trigger, int64_t value)
{
	g_autoptr(GHashTable) going = g_hash_table_new(g_str_hash, g_str_equal);
	g_autofree char **files = NULL;
	uint64_t left = k->bytes;

	if (size > k->disk)
		return false;
	while (left + size > k->disk) {
		const struct watch_hit *least = value > 0 ? least_of_most(k, going) : NULL;

		if (!least || (least->trigger == trigger && least->value >= value))
			return false;
		g_hash_table_add(going, least->file);
		left -= MIN(left, size_with_typical(k, least));
	}
	files = (char **)g_hash_table_get_keys_as_array(going, NULL);
	for (char **file = files; *file; file++)
		keep_remove(k, *file);
	if (*files)
		rec_keep_prune(k);
	return true;
}

/* ---- life ---- */

/* Remove recordings that no line names, and write "gone" for lines whose recording is missing. */
static bool keep_tidy(struct rec_keep *k, GError **error)
{
	g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) names = base_io_names(k->manifest->folder);

	if (!names)
		return base_error_false_errno(error, errno, "cannot read", k->manifest->folder);
	for (guint i = 0; i < k->manifest->hits->len; i++) {
		const struct watch_hit *h = &g_array_index(k->manifest->hits, struct watch_hit, i);

		if (h->file && size_of(k, h->file) == 0)
			keep_remove(k, h->file);
		else if (h->file)
			g_hash_table_add(named, h->file);
	}
	for (guint i = 0; i < names->len; i++)
		if (watch_manifest_is_recording(names->pdata[i]) &&
			!g_hash_table_contains(named, names->pdata[i]))
			unlinkat(k->folder, names->pdata[i], 0);
	rec_keep_prune(k);
	return true;
}

/* Cut off a last line that was not written to its end. */
static bool cut_tail(struct rec_keep *k, const char *path, GError **error)
{
	g_autofree char *text = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, NULL))
		return base_error_false_errno(error, errno, "cannot read", path);
	while (length > 0 && text[length - 1] != '\n')
		length--;
	k->size = (off_t)length;
	return ftruncate(k->fd, k->size) == 0 || base_error_false_errno(error, errno, "cannot write", path);
}

/* Make the manifest.  It has its first line before it gets its name. */
static bool make_manifest(const char *path, GError **error)
{
	int fd = base_out_new(path, error);
	bool ok = fd >= 0 &&
		base_out_write(fd, WATCH_MANIFEST_HEAD, strlen(WATCH_MANIFEST_HEAD), path, error) &&
		base_out_publish(fd, path, false, error);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool open_manifest(struct rec_keep *k, const char *folder, GError **error)
{
	g_autofree char *path = g_build_filename(folder, WATCH_MANIFEST, NULL);

	if (!g_file_test(path, G_FILE_TEST_EXISTS) && !make_manifest(path, error))
		return false;
	k->fd = base_place_write(path, O_APPEND, 0600);
	if (k->fd < 0)
		return base_error_false_errno(error, errno, "cannot write", path);
	if (flock(k->fd, LOCK_EX | LOCK_NB) != 0)
		return base_error_false(error, BASE_ERROR_USAGE,
			"another \"wakepath watch\" writes to %s: type another folder with -o", folder);
	if (!cut_tail(k, path, error))
		return false;
	(void)!fallocate(k->fd, FALLOC_FL_KEEP_SIZE, k->size, RESERVE);
	k->manifest = watch_manifest_read(folder, error);
	return k->manifest;
}

/* Open FOLDER, and make it if it does not exist; -1 with an error. */
static int make_folder(const char *folder, GError **error)
{
	bool there = g_file_test(folder, G_FILE_TEST_EXISTS), ours = true;
	int place, fd;

	if (!there && base_place_make(folder) != 0) {
		base_error_set_errno(error, errno, "cannot make", folder);
		return -1;
	}
	place = base_place_open(folder, NULL, &ours);
	fd = place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		base_error_set_errno(error, errno, "cannot write in", folder);
	if (place >= 0)
		close(place);
	/* Recordings are readable only for their owner; through this mode a user of sudo can open his own. */
	if (fd >= 0 && !there)
		(void)!fchmod(fd, 0755);
	if (fd >= 0 && !ours) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"other users can write in %s: choose a folder that only root can write, with -o",
			folder);
		close(fd);
		fd = -1;
	}
	return fd;
}

bool rec_keep_make(const char *folder, GError **error)
{
	int fd = make_folder(folder, error);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct rec_keep *rec_keep_new(const char *folder, unsigned keep, uint64_t disk, GError **error)
{
	struct rec_keep *k = g_new0(struct rec_keep, 1);

	*k = (struct rec_keep){ .folder = -1,
		.fd = -1,
		.keep = keep,
		.disk = disk,
		.waiting = g_string_new(NULL) };
	k->folder = make_folder(folder, error);
	if (k->folder < 0 || !open_manifest(k, folder, error) || !keep_tidy(k, error))
		g_clear_pointer(&k, rec_keep_free);
	return k;
}

void rec_keep_free(struct rec_keep *k)
{
	if (!k)
		return;
	if (k->fd >= 0 && k->size > 0)
		(void)!ftruncate(k->fd, k->size); /* gives back the reserved space */
	if (k->fd >= 0)
		close(k->fd);
	if (k->folder >= 0)
		close(k->folder);
	watch_manifest_free(k->manifest);
	g_string_free(k->waiting, TRUE);
	g_free(k);
}
