/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_cut.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/event/table.h"

#include <string.h>
#include <xxhash.h>

#define CALLERS "calls-of " /* precedes the TIDs of callers in the text of a mark */

void trc_cut_mark_init(struct trc_cut_mark *mark)
{
	*mark = (struct trc_cut_mark){ .from = INT64_MIN,
		.to = INT64_MIN,
		.whole = INT64_MIN,
		.passed = g_array_new(FALSE, FALSE, sizeof(struct trc_cut_passed)) };
}

void trc_cut_mark_clear(struct trc_cut_mark *mark)
{
	g_array_unref(mark->passed);
	g_clear_pointer(&mark->callers, g_array_unref);
}

void trc_cut_mark_copy(struct trc_cut_mark *mark, const struct trc_cut_mark *from)
{
	trc_cut_mark_clear(mark);
	*mark = *from;
	mark->passed = g_array_copy(from->passed);
	mark->callers = from->callers ? g_array_copy(from->callers) : NULL;
}

char *trc_cut_mark_text(const struct trc_cut_mark *mark)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, mark->from,
		mark->to, mark->whole);
	for (guint i = 0; i < mark->passed->len; i++) {
		const struct trc_cut_passed *p = &g_array_index(mark->passed, struct trc_cut_passed, i);

		g_string_append_printf(text, " %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, p->tid, p->time);
	}
	if (mark->callers)
		g_string_append(text, " " CALLERS);
	for (guint i = 0; mark->callers && i < mark->callers->len; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "",
			g_array_index(mark->callers, int64_t, i));
	return g_string_free(text, FALSE);
}

/* Read a number at *TEXT, which END must follow (or, if OR_NOTHING, the end of the text). Set *TEXT to what
 * follows both. */
static bool cut_number(const char **text, char end, bool or_nothing, int64_t *number)
{
	char *behind;

	*number = g_ascii_strtoll(*text, &behind, 10);
	if (behind == *text || !(*behind == end || (or_nothing && *behind == '\0')))
		return false;
	*text = *behind == '\0' ? behind : behind + 1;
	return true;
}

static int by_tid(const void *a, const void *b)
{
	const struct trc_cut_passed *x = a, *y = b;

	return BASE_BY(x, y, tid) ?: BASE_BY(x, y, time);
}

void trc_cut_mark_sort(struct trc_cut_mark *mark)
{
	g_array_sort(mark->passed, by_tid);
	if (mark->callers)
		g_array_sort(mark->callers, base_search_by_int64);
}

/* The TIDs in TEXT, with a space between two. */
static GArray *read_tids(const char *text)
{
	GArray *tids = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int64_t tid;

	while (cut_number(&text, ' ', true, &tid))
		g_array_append_val(tids, tid);
	return tids;
}

void trc_cut_mark_read(struct trc_cut_mark *mark, const char *text)
{
	struct trc_cut_passed p;
	int64_t from, to, whole;

	if (!cut_number(&text, ' ', false, &from) || !cut_number(&text, ' ', false, &to) ||
		!cut_number(&text, ' ', true, &whole) || ABS(from / 2) > BASE_TIME_FARTHEST / 2 ||
		whole > from || to < from)
		return;
	mark->from = from;
	mark->to = to;
	mark->whole = whole;
	g_array_set_size(mark->passed, 0);
	while (*text && cut_number(&text, ':', false, &p.tid) && cut_number(&text, ' ', true, &p.time))
		g_array_append_val(mark->passed, p);
	g_clear_pointer(&mark->callers, g_array_unref);
	if (g_str_has_prefix(text, CALLERS))
		mark->callers = read_tids(text + strlen(CALLERS));
	trc_cut_mark_sort(mark);
}

bool trc_cut_mark_passed(const struct trc_cut_mark *mark, int64_t tid, int64_t time)
{
	const struct trc_cut_passed key = { tid, time };

	return mark->passed->len > 0 && g_array_binary_search(mark->passed, &key, by_tid, NULL);
}

bool trc_cut_mark_has_calls(const struct trc_cut_mark *mark, int64_t tid)
{
	return !mark->callers || g_array_binary_search(mark->callers, &tid, base_search_by_int64, NULL);
}

void trc_cut_mark_narrow(struct trc_cut_mark *mark, const struct trc_cut_mark *of)
{
	GArray *both;

	if (!of->callers)
		return;
	both = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (guint i = 0; i < of->callers->len; i++)
		if (trc_cut_mark_has_calls(mark, g_array_index(of->callers, int64_t, i)))
			g_array_append_val(both, g_array_index(of->callers, int64_t, i));
	g_clear_pointer(&mark->callers, g_array_unref);
	mark->callers = both;
}

struct of_cpu {
	const struct trc_cut_range *ranges;
	uint64_t cpu;
};

static bool is_below(const void *data, uint64_t i)
{
	const struct of_cpu *of = data;

	return of->ranges[i].cpu < of->cpu;
}

/* Return the first range of CPU in RANGES, and in *N how many ranges of CPU there are. */
static const struct trc_cut_range *of_cpu(const GArray *ranges, uint32_t cpu, guint *n)
{
	struct of_cpu of = { (const struct trc_cut_range *)(void *)ranges->data, cpu };
	uint64_t first = base_search(0, ranges->len, is_below, &of);

	of.cpu++;
	*n = (guint)(base_search(first, ranges->len, is_below, &of) - first);
	return &of.ranges[first];
}

const struct trc_cut_range *trc_cut_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n)
{
	return of_cpu(c->ranges, cpu, n);
}

const struct trc_cut_range *trc_cut_thin_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n)
{
	*n = 0;
	return c->thin ? of_cpu(c->thin, cpu, n) : NULL;
}

const struct trc_cut_range *trc_cut_skipped_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n)
{
	*n = 0;
	return c->skipped ? of_cpu(c->skipped, cpu, n) : NULL;
}

/* True if EVENT may be left out while other threads run. An event that another event needs as its part stays.
 * So do the state dump and frequencies, which describe the whole host. */
static bool may_thin(const char *event)
{
	struct mdl_mapping of;

	if (mdl_table_find(event, &of))
		return of.kind == MDL_EV_SYSCALL_ENTRY || of.kind == MDL_EV_SYSCALL_EXIT;
	return !g_str_has_prefix(event, "lttng_statedump_") && !g_str_has_suffix(event, "cpu_frequency") &&
		!mdl_table_is_part(event);
}

bool trc_cut_may_thin(struct trc_cut *c, const char *event)
{
	gpointer known;

	if (!c->thinned)
		c->thinned = g_hash_table_new(g_str_hash, g_str_equal);
	known = g_hash_table_lookup(c->thinned, event);
	if (!known) {
		known = GUINT_TO_POINTER(1 + may_thin(event));
		g_hash_table_insert(c->thinned, (char *)(uintptr_t)event, known);
	}
	return GPOINTER_TO_UINT(known) > 1;
}

const struct trc_cut_range *trc_cut_at(const struct trc_cut_range *ranges, guint n, int64_t time)
{
	uint64_t at = n > 0 ? base_search_below(&ranges->to, n, sizeof *ranges, time) : 0;

	return at < n ? &ranges[at] : NULL;
}

bool trc_cut_has(const struct trc_cut_range *ranges, guint n, int64_t time)
{
	const struct trc_cut_range *r = trc_cut_at(ranges, n, time);

	return r && r->from <= time;
}

bool trc_cut_nothing(const struct trc_cut *c, GError **error)
{
	g_autofree char *shown = base_text_clean(c->path, -1);

	return base_error_false(error, BASE_ERROR_DATA,
		"%s: nothing to write: the trace is damaged in that window: choose another one", shown);
}

bool trc_cut_goes_on(const struct trc_cut *c, GError **error)
{
	if (!c->progress || !base_progress_cancelled(c->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted; nothing was written");
}

/* ---- names ---- */

void trc_cut_hide(const struct trc_cut_names *names, char *text, size_t room)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	size_t length = strnlen(text, room);
	g_autofree char *name = g_strndup(text, length);
	XXH64_hash_t hash = XXH3_64bits_withSecret(name, length, names->secret, TRC_CUT_SECRET);
	unsigned left = 0;

	memset(text + length, 0, room - length); /* clear the rest of the longer name */
	if (g_hash_table_contains(names->kept, name) || g_str_has_prefix(name, "swapper/"))
		return;
	for (size_t i = 0; i < length; i++, left--) {
		if (left == 0) {
			hash = XXH3_64bits_withSecret(&hash, sizeof hash, names->secret, TRC_CUT_SECRET);
			left = 12; /* letters of 5 bits */
		}
		text[i] = letters[hash & 31];
		hash >>= 5;
	}
}

void trc_cut_hide_lines(const struct trc_cut_names *names, char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		char *line = text + at, *end = memchr(line, '\n', size - at);
		size_t length = end ? (size_t)(end - line) : size - at;
		char *name = memchr(line, ' ', length);

		if (name)
			trc_cut_hide(names, name + 1, length - (size_t)(name + 1 - line));
		at += length + 1;
	}
}

void trc_cut_hide_field(void *data, const char *field, char *text, size_t room)
{
	static const char *const fields[] = { "rwbs", "reason", "action", "workqueue", "diskname", "dev_name",
		"devname" },
				 *const named[] = { "irq_", "irq:", "net_", "net:", "netif_", "napi",
					 "lttng_statedump_interrupt", "lttng_statedump_network",
					 "lttng_statedump_block" };
	const struct trc_cut_hiding *hiding = data;

	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (g_str_equal(field, fields[i]))
			return;
	for (size_t i = 0; g_str_equal(field, "name") && i < G_N_ELEMENTS(named); i++)
		if (g_str_has_prefix(hiding->event, named[i]))
			return;
	trc_cut_hide(hiding->names, text, room);
}
