/* SPDX-License-Identifier: MIT */
/*
 * A file that GLib reads (GKeyFile): a group for its version, and one for each bookmark:
 *
 *   [wakepath bookmarks]
 *   version=1
 *   [a]
 *   host=httpd
 *   row=thread 492
 *   time=1795389843120000000
 *   from=…  to=…  selected-from=…  selected-to=…  note=…
 */
#include "query/bookmarks.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

#include <string.h>

#define HEAD "wakepath bookmarks"

static const struct base_keyfile_kind bookmarks_kind = { HEAD, 1,
	"move it away and set the bookmarks again" };

/* The path of Q's file. The file need not exist. The caller frees. */
static char *bookmarks_file_of(const struct qry *q)
{
	g_autofree char *beside = qry_beside_path(q);

	return g_strconcat(beside, ".bookmarks", NULL);
}

/* ---- one bookmark ---- */

/* Distance in ns of TIME (shown) from the life of R; 0: within it. */
static int64_t bookmarks_distance(const struct qry_row *r, int64_t time)
{
	return time < r->first ? r->first - time : time > r->last ? time - r->last : 0;
}

/* The row of HOST that TEXT names ("thread 492", "softirq 3 0"). Of several, the nearest in life to TIME. */
static uint32_t bookmarks_find_row(const struct qry *q, uint32_t host, const char *text, int64_t time)
{
	const struct qry_host *h = qry_host(q, host);
	g_auto(GStrv) words = g_strsplit(text, " ", 3);
	bool whole = words[0] && words[1];
	gint64 nr = whole ? g_ascii_strtoll(words[1], NULL, 10) : 0,
	       cpu = whole && words[2] ? g_ascii_strtoll(words[2], NULL, 10) : MDL_NONE;
	uint32_t best = MDL_NONE;

	for (uint32_t i = 0; whole && i < h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, h->first_row + i);

		if (strcmp(qry_row_type_name(r->type), words[0]) != 0 || r->nr != nr || r->cpu != cpu)
			continue;
		if (best == MDL_NONE ||
			bookmarks_distance(r, time) < bookmarks_distance(qry_row(q, best), time))
			best = r->id;
	}
	return best;
}

/* The shown time for KEY of GROUP, which is by HOST's own clock. MDL_NEVER if it is missing or invalid. */
static int64_t time_in(const struct qry *q, uint32_t host, GKeyFile *file, const char *group, const char *key)
{
	g_autofree char *text = g_key_file_get_value(file, group, key, NULL);
	gint64 time;

	if (!text ||
		!g_ascii_string_to_signed(text, 10, -BASE_TIME_FARTHEST, BASE_TIME_FARTHEST, &time, NULL))
		return MDL_NEVER;
	return qry_shown_time(q, host, time);
}

/* Read the times of B, whose host is known.  False if they are impossible. */
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

/* Read the bookmark in GROUP. False if GROUP is not one. */
static bool read_bookmark(const struct qry *q, GKeyFile *file, const char *group, struct qry_bookmark *b)
{
	g_autofree char *host = g_key_file_get_string(file, group, "host", NULL),
			*row = g_key_file_get_string(file, group, "row", NULL),
			*note = g_key_file_get_string(file, group, "note", NULL);

	*b = (struct qry_bookmark){ .letter = group[0], .host = MDL_NONE, .row = MDL_NONE };
	for (uint32_t i = 0; host && i < qry_host_count(q); i++)
		if (!strcmp(qry_host(q, i)->name, host))
			b->host = i;
	if (!host || (b->host != MDL_NONE && !read_times(q, file, group, b)))
		return false;
	if (row && b->host != MDL_NONE)
		b->row = bookmarks_find_row(q, b->host, row, b->time);
	b->note = base_text_clean(note ? note : "",
		note ? (gssize)MIN(strlen(note), QRY_BOOKMARK_NOTE_MAX) : 0);
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

/* Read the file PATH and append its bookmarks to ALL.  NULL with an error. */
static GKeyFile *read_file(const struct qry *q, const char *path, GArray *all, GError **error)
{
	g_autoptr(GKeyFile) file = base_keyfile_read(path, &bookmarks_kind, error);
	g_auto(GStrv) groups = file ? g_key_file_get_groups(file, NULL) : NULL;

	for (unsigned i = 0; groups && groups[i]; i++) {
		struct qry_bookmark b;

		if (!strcmp(groups[i], HEAD))
			continue;
		if (groups[i][0] < 'a' || groups[i][0] > 'z' || groups[i][1] ||
			!read_bookmark(q, file, groups[i], &b))
			return base_error_null(error, BASE_ERROR_DATA,
				"%s: a group in it is not a bookmark: %s", path, bookmarks_kind.advice);
		g_array_append_val(all, b);
	}
	return g_steal_pointer(&file);
}

GArray *qry_bookmarks_read(const struct qry *q, GError **error)
{
	g_autofree char *path = bookmarks_file_of(q);
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

bool qry_bookmarks_set(const struct qry *q, const struct qry_bookmark *b, GError **error)
{
	g_autofree char *path = bookmarks_file_of(q), *note = base_text_clean(b->note, -1);
	g_autoptr(GArray) others = new_list();
	g_autoptr(GKeyFile) file = read_file(q, path, others, error);
	const char group[2] = { b->letter, 0 };

	if (!file)
		return false;
	g_key_file_remove_group(file, group, NULL);
	g_key_file_set_string(file, group, "host", qry_host(q, b->host)->name);
	if (b->row != MDL_NONE) {
		const struct qry_row *r = qry_row(q, b->row);
		g_autofree char *cpu = r->cpu == MDL_NONE ? g_strdup("") : g_strdup_printf(" %u", r->cpu),
				*text = g_strdup_printf("%s %" G_GINT64_FORMAT "%s",
					qry_row_type_name(r->type), r->nr, cpu);

		g_key_file_set_string(file, group, "row", text);
	}
	put_time(q, b->host, file, group, "time", b->time);
	put_time(q, b->host, file, group, "from", b->from);
	put_time(q, b->host, file, group, "to", b->to);
	put_time(q, b->host, file, group, "selected-from", b->selected_from);
	put_time(q, b->host, file, group, "selected-to", b->selected_to);
	if (*note)
		g_key_file_set_string(file, group, "note", note);
	return base_keyfile_write(file, path, error);
}

bool qry_bookmarks_drop(const struct qry *q, char letter, GError **error)
{
	g_autofree char *path = bookmarks_file_of(q);
	g_autoptr(GArray) others = new_list();
	g_autoptr(GKeyFile) file = read_file(q, path, others, error);
	const char group[2] = { letter, 0 };

	if (!file)
		return false;
	if (!g_key_file_remove_group(file, group, NULL))
		return true;
	return base_keyfile_write(file, path, error);
}
