/* SPDX-License-Identifier: MIT */
/*
 * The file is one that GLib reads (GKeyFile): a group that says what it is, and one for each bookmark:
 *
 *   [wakepath bookmarks]
 *   version=1
 *   [a]
 *   host=httpd
 *   row=thread 492
 *   time=1795389843120000000
 *   from=…  to=…  selected-from=…  selected-to=…  note=…
 */
#include "query/qry_bookmarks.h"

#include "base/base_error.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/qry_clock.h"
#include "query/qry_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "wakepath bookmarks"
#define VERSION 1
#define BYTES_MAX (1 << 20)
#define GROWING ".latest"

static const char *const kinds[MDL_ROW_TYPES] = { [MDL_ROW_THREAD] = "thread",
	[MDL_ROW_CPU] = "cpu",
	[MDL_ROW_IRQ] = "irq",
	[MDL_ROW_SOFTIRQ] = "softirq",
	[MDL_ROW_VCPU] = "vcpu" };

/* What is shown of an index that still grows is ".NAME.latest" (ing_follow.c): NAME is what it will be. */
static char *settled_path(const char *index)
{
	g_autofree char *folder = g_path_get_dirname(index), *name = g_path_get_basename(index);

	if (name[0] != '.' || !g_str_has_suffix(name, GROWING))
		return g_strdup(index);
	name[strlen(name) - strlen(GROWING)] = '\0';
	return g_build_filename(folder, name + 1, NULL);
}

char *qry_bookmarks_path(const struct qry *q)
{
	g_autofree char *beside = qry_host_count(q) > 1 ? qry_sync_path(q)
							: settled_path(qry_host(q, 0)->index_path);

	return g_strconcat(beside, ".bookmarks", NULL);
}

/* ---- the file ---- */

static bool set_damage(GError **error, const char *path, const char *what)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: %s: move it away, and set bookmarks anew", path,
		what);
	return false;
}

/* What is in PATH, which is open as FD. */
static char *read_text(int fd, const char *path, gsize *length, GError **error)
{
	struct stat st;
	char *text;
	ssize_t got;

	if (fstat(fd, &st) != 0) {
		base_error_set_errno(error, errno, "reading", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size > BYTES_MAX) {
		set_damage(error, path, "this is no file of bookmarks of yours");
		return NULL;
	}
	text = g_malloc((gsize)st.st_size + 1);
	got = read(fd, text, (size_t)st.st_size);
	*length = got < 0 ? 0 : (gsize)got;
	if (got < 0) {
		base_error_set_errno(error, errno, "reading", path);
		g_clear_pointer(&text, g_free);
	}
	return text;
}

/* Whether FILE says of itself that it is one of ours. */
static bool check_head(GKeyFile *file, const char *path, GError **error)
{
	if (g_key_file_get_integer(file, HEAD, "version", NULL) == VERSION)
		return true;
	return set_damage(error, path, "this is no file of bookmarks of this version");
}

/* The file PATH; an empty one where there is none.  NULL with an error. */
static GKeyFile *open_file(const char *path, GError **error)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autofree char *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	gsize length = 0;

	if (fd < 0 && errno == ENOENT) {
		g_key_file_set_integer(file, HEAD, "version", VERSION);
		return g_steal_pointer(&file);
	}
	if (fd < 0) {
		base_error_set_errno(error, errno, "opening", path);
		return NULL;
	}
	text = read_text(fd, path, &length, error);
	close(fd);
	if (!text)
		return NULL;
	if (!g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL)) {
		set_damage(error, path, "this is no file of bookmarks");
		return NULL;
	}
	return check_head(file, path, error) ? g_steal_pointer(&file) : NULL;
}

static bool write_all(int fd, const char *text, gsize length)
{
	while (length > 0) {
		ssize_t put = write(fd, text, length);

		if (put < 0 && errno != EINTR)
			return false;
		text += MAX(put, 0);
		length -= (gsize)MAX(put, 0);
	}
	return true;
}

/* Beside it and renamed, so that a full disk leaves what was there. */
static bool save_file(GKeyFile *file, const char *path, GError **error)
{
	gsize length;
	g_autofree char *text = g_key_file_to_data(file, &length, NULL),
			*prefix = g_strconcat(path, ".", NULL), *temporary = NULL;
	int fd = base_scratch_file(prefix, 0600, &temporary);
	bool good = fd >= 0 && write_all(fd, text, length) && fsync(fd) == 0;
	int why = errno;

	if (fd >= 0 && close(fd) != 0 && good) {
		why = errno;
		good = false;
	}
	if (good && g_rename(temporary, path) != 0) {
		why = errno;
		good = false;
	}
	if (good) {
		base_scratch_release(temporary);
		return true;
	}
	if (fd >= 0)
		base_scratch_unlink(temporary);
	base_error_set_errno(error, why, "writing", path);
	return false;
}

/* ---- one bookmark ---- */

static bool is_letter(const char *group)
{
	return group[0] >= 'a' && group[0] <= 'z' && !group[1];
}

/* How far TIME (shown) is from the life of R. */
static int64_t distance(const struct qry_row *r, int64_t time)
{
	return time < r->first ? r->first - time : time > r->last ? time - r->last : 0;
}

/* The row of HOST that TEXT names ("thread 492", "softirq 3 0"), of several that whose life is next to TIME.
 */
static uint32_t find_row(const struct qry *q, uint32_t host, const char *text, int64_t time)
{
	const struct qry_host *h = qry_host(q, host);
	g_auto(GStrv) words = g_strsplit(text, " ", 3);
	bool whole = words[0] && words[1];
	gint64 nr = whole ? g_ascii_strtoll(words[1], NULL, 10) : 0,
	       cpu = whole && words[2] ? g_ascii_strtoll(words[2], NULL, 10) : MDL_NONE;
	uint32_t best = MDL_NONE;

	for (uint32_t i = 0; whole && i < h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, h->first_row + i);

		if (strcmp(kinds[r->type], words[0]) != 0 || r->nr != nr || r->cpu != cpu)
			continue;
		if (best == MDL_NONE || distance(r, time) < distance(qry_row(q, best), time))
			best = r->id;
	}
	return best;
}

/* A time of HOST's own clock in GROUP, as it is shown; MDL_NEVER: there is none, or none that can be. */
static int64_t time_in(const struct qry *q, uint32_t host, GKeyFile *file, const char *group, const char *key)
{
	g_autofree char *text = g_key_file_get_value(file, group, key, NULL);
	gint64 time;

	if (!text ||
		!g_ascii_string_to_signed(text, 10, -BASE_TIME_FARTHEST, BASE_TIME_FARTHEST, &time, NULL))
		return MDL_NEVER;
	return qry_shown_time(q, host, time);
}

/* The times of B, whose host is known.  False: they cannot be. */
static bool read_times(const struct qry *q, GKeyFile *file, const char *group, struct qry_bookmark *b)
{
	b->time = time_in(q, b->host, file, group, "time");
	b->from = time_in(q, b->host, file, group, "from");
	b->to = time_in(q, b->host, file, group, "to");
	b->selected_from = time_in(q, b->host, file, group, "selected-from");
	b->selected_to = time_in(q, b->host, file, group, "selected-to");
	if (b->selected_from == MDL_NEVER || b->selected_to <= b->selected_from)
		b->selected_from = b->selected_to = MDL_NEVER;
	return b->time != MDL_NEVER && b->from != MDL_NEVER && b->to >= b->from;
}

static char *read_note(GKeyFile *file, const char *group)
{
	g_autofree char *text = g_key_file_get_string(file, group, "note", NULL);

	return text ? base_text_clean(text, (gssize)MIN(strlen(text), QRY_BOOKMARK_NOTE_MAX)) : g_strdup("");
}

/* The bookmark in GROUP; false: it is none. */
static bool read_bookmark(const struct qry *q, GKeyFile *file, const char *group, struct qry_bookmark *b)
{
	g_autofree char *host = g_key_file_get_string(file, group, "host", NULL),
			*row = g_key_file_get_string(file, group, "row", NULL);

	*b = (struct qry_bookmark){ .letter = group[0], .host = MDL_NONE, .row = MDL_NONE };
	for (uint32_t i = 0; host && i < qry_host_count(q); i++)
		if (!strcmp(qry_host(q, i)->name, host))
			b->host = i;
	if (!host || (b->host != MDL_NONE && !read_times(q, file, group, b)))
		return false;
	if (row && b->host != MDL_NONE)
		b->row = find_row(q, b->host, row, b->time);
	b->note = read_note(file, group);
	return true;
}

/* ---- all ---- */

static void clear_bookmark(gpointer data)
{
	g_free(((struct qry_bookmark *)data)->note);
}

static int by_letter(gconstpointer a, gconstpointer b)
{
	const struct qry_bookmark *x = a, *y = b;

	return x->letter - y->letter;
}

static GArray *new_list(void)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct qry_bookmark));

	g_array_set_clear_func(all, clear_bookmark);
	return all;
}

/* What is in the file PATH, which is ours from the first to the last line; its bookmarks join ALL.  NULL with
 * an error. */
static GKeyFile *read_file(const struct qry *q, const char *path, GArray *all, GError **error)
{
	g_autoptr(GKeyFile) file = open_file(path, error);
	g_auto(GStrv) groups = file ? g_key_file_get_groups(file, NULL) : NULL;

	for (unsigned i = 0; groups && groups[i]; i++) {
		struct qry_bookmark b;

		if (!strcmp(groups[i], HEAD))
			continue;
		if (!is_letter(groups[i]) || !read_bookmark(q, file, groups[i], &b)) {
			set_damage(error, path, "what stands in it is no bookmark");
			return NULL;
		}
		g_array_append_val(all, b);
	}
	return g_steal_pointer(&file);
}

GArray *qry_bookmarks_read(const struct qry *q, GError **error)
{
	g_autofree char *path = qry_bookmarks_path(q);
	GArray *all = new_list();
	g_autoptr(GKeyFile) file = read_file(q, path, all, error);

	g_array_sort(all, by_letter);
	if (!file)
		g_clear_pointer(&all, g_array_unref);
	return all;
}

static void put_time(const struct qry *q, uint32_t host, GKeyFile *file, const char *group, const char *key,
	int64_t time)
{
	if (time != MDL_NEVER)
		g_key_file_set_int64(file, group, key, qry_host_time(q, host, time));
}

static void put_row(const struct qry *q, GKeyFile *file, const char *group, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *cpu = r->cpu == MDL_NONE ? g_strdup("") : g_strdup_printf(" %u", r->cpu),
			*text = g_strdup_printf("%s %" G_GINT64_FORMAT "%s", kinds[r->type], r->nr, cpu);

	g_key_file_set_string(file, group, "row", text);
}

bool qry_bookmarks_set(const struct qry *q, const struct qry_bookmark *b, GError **error)
{
	g_autofree char *path = qry_bookmarks_path(q), *note = base_text_clean(b->note, -1);
	g_autoptr(GArray) others = new_list();
	g_autoptr(GKeyFile) file = read_file(q, path, others, error);
	const char group[2] = { b->letter, 0 };

	if (!file)
		return false;
	g_key_file_remove_group(file, group, NULL);
	g_key_file_set_string(file, group, "host", qry_host(q, b->host)->name);
	if (b->row != MDL_NONE)
		put_row(q, file, group, b->row);
	put_time(q, b->host, file, group, "time", b->time);
	put_time(q, b->host, file, group, "from", b->from);
	put_time(q, b->host, file, group, "to", b->to);
	put_time(q, b->host, file, group, "selected-from", b->selected_from);
	put_time(q, b->host, file, group, "selected-to", b->selected_to);
	if (*note)
		g_key_file_set_string(file, group, "note", note);
	return save_file(file, path, error);
}

bool qry_bookmarks_drop(const struct qry *q, char letter, GError **error)
{
	g_autofree char *path = qry_bookmarks_path(q);
	g_autoptr(GArray) others = new_list();
	g_autoptr(GKeyFile) file = read_file(q, path, others, error);
	const char group[2] = { letter, 0 };

	if (!file)
		return false;
	if (!g_key_file_remove_group(file, group, NULL))
		return true;
	return save_file(file, path, error);
}
