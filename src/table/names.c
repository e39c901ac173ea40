/* SPDX-License-Identifier: MIT */
/* The events of a time by name. No index has these counts for a part of a packet, so the packets are read. */
#include "table/rows.h"

#include "base/base_progress.h"
#include "base/base_search.h"
#include "query/events/scan.h"

#include <string.h>

#define STEP 4096 /* events in one call of table_work() */

struct named {
	const char *name; /* owned by the experiment */
	uint64_t n;
};

struct names {
	struct table_list of;  /* of struct named, the most frequent first, then by name */
	struct qry_scan *scan; /* owned */
	GHashTable *counted;   /* name → guint64; owned */
	GError *error;         /* why counting ended early; owned; NULL: it did not */
	uint64_t all;
};

struct qry_events_filter table_events_filter(const struct qry *q, const struct table_question *ask)
{
	const struct qry_row *r = ask->row == MDL_NONE ? NULL : qry_row(q, ask->row);

	return (struct qry_events_filter){ .host = r ? r->host : ask->host,
		.cpu = r && r->type == MDL_ROW_CPU ? (uint32_t)r->nr : MDL_NONE,
		.thread = r && r->type == MDL_ROW_THREAD ? ask->row : MDL_NONE,
		.from = ask->from,
		.to = ask->to,
		.name = ask->kind };
}

/* Count up to STEP events. True if events are left. */
static bool count_some(struct names *c)
{
	struct base_progress *progress = c->of.of.ask.progress;
	const struct table_question *ask = &c->of.of.ask;
	struct qry_event event;
	guint64 *count;
	int got = 1;

	for (unsigned i = 0; i < STEP && (got = qry_scan_next(c->scan, &event, progress, &c->error)) == 1;
		i++) {
		count = g_hash_table_lookup(c->counted, event.name);
		if (!count) {
			count = g_new0(guint64, 1);
			g_hash_table_insert(c->counted, (gpointer)(uintptr_t)event.name, count);
		}
		(*count)++;
		c->all++;
	}
	if (got == 1 && progress && ask->to > ask->from)
		base_progress_set(progress,
			((double)event.time - (double)ask->from) / ((double)ask->to - (double)ask->from), 0);
	return got == 1;
}

static int by_number(gconstpointer a, gconstpointer b)
{
	const struct named *x = a, *y = b;

	return BASE_ORDER(y->n, x->n) ?: strcmp(x->name, y->name);
}

/* Make the rows from the counts. */
static void list_names(struct names *c, GArray *rows)
{
	GHashTableIter i;
	gpointer name, n;

	g_array_set_size(rows, 0);
	g_hash_table_iter_init(&i, c->counted);
	while (g_hash_table_iter_next(&i, &name, &n)) {
		struct named one = { name, *(guint64 *)n };

		g_array_append_val(rows, one);
	}
	g_array_sort(rows, by_number);
	c->of.next = 0;
}

static void *make_names(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	static const struct qry_scan_want want = { .rank = false };
	struct names *c = (struct names *)cursor;
	struct qry_events_filter filter = table_events_filter(cursor->q, &cursor->ask);
	GArray *rows;

	c->counted = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	c->scan = qry_scan_new(cursor->q, &filter, &want, error);
	if (!c->scan)
		return NULL;
	rows = g_array_new(FALSE, FALSE, sizeof(struct named));
	while (!cursor->ask.parts && count_some(c))
		;
	list_names(c, rows);
	return rows;
}

static bool open_names(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	cursor->in.context = &((struct names *)cursor)->all;
	return true;
}

static bool work_names(struct table_cursor *cursor)
{
	struct names *c = (struct names *)cursor;
	bool more = count_some(c);

	list_names(c, c->of.made);
	return more;
}

static int next_name(struct table_cursor *cursor, const void **row, GError **error)
{
	struct names *c = (struct names *)cursor;

	if (!c->error)
		return table_list_next(cursor, row, error);
	g_propagate_error(error, g_steal_pointer(&c->error));
	return -1;
}

static void close_names(struct table_cursor *cursor)
{
	struct names *c = (struct names *)cursor;

	g_clear_pointer(&c->counted, g_hash_table_unref);
	qry_scan_free(c->scan);
	g_clear_error(&c->error);
}

TABLE_COLUMNS(name_columns)
{
	const struct named *n = row;
	const uint64_t *all = in->context;

	TABLE_COLUMN("name", "EVENT", TABLE_LONG, "", word = n->name);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "", number = (int64_t)n->n);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of all these events",
		share = (double)n->n / (double)*all);
}

const struct table table_event_names = {
	.name = "event_name",
	.list = "names",
	.doc = "a name of events, and how many there are",
	.columns = name_columns,
	.size = sizeof(struct names),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = make_names,
	.free = (GDestroyNotify)g_array_unref,
	.open = open_names,
	.work = work_names,
	.next = next_name,
	.close = close_names,
};
