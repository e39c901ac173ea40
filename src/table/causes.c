/* SPDX-License-Identifier: MIT */
/* The waits of threads, summed up by what ended them. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/causes/causes.h"
#include "analysis/kind/kind.h"
#include "base/base_progress.h"
#include "base/base_time.h"

/* The cause of E in words; as text with its host, which labels of threads have.  The caller frees. */
static char *cause_text(const struct table_in *in, const struct ana_causes_entry *e)
{
	bool text = in->format == TABLE_TEXT;
	char *label = g_strdup(text && !*e->label ? "-" : e->label);

	return text && e->threads == 0 ? qry_label_with_host(in->q, e->host, label) : label;
}

TABLE_COLUMNS(cause_columns)
{
	const struct ana_causes_entry *e = row;
	const int64_t *total = in->context;

	TABLE_COLUMN("kind", "KIND", TABLE_LONG,
		"as in SOURCE, or `preempted`, `wait-cpu` (the cause is who had the CPU), `throttled` (an exhausted quota), `ipi-wait` (the thread spun; the cause is the CPU that took its IPI last), `waiting` (the thread waited on its CPU in a declared state; the cause is the thread that it waited for) or `memory` (the thread waited or ran in reclaim or compaction of the kernel, or waited in a page fault; `why` and `path` show what ended the wait)",
		word = ana_kind_name(e->kind));
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG, "in words", taken = cause_text(in, e));
	TABLE_COLUMN("count", ">WAITS", TABLE_NUMBER, "", number = e->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "of all these waits", number = e->total);
	TABLE_COLUMN("proved", ">PROVED", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_PROVED]);
	TABLE_COLUMN("inferred", ">INFERRED", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_INFERRED]);
	TABLE_COLUMN("unknown", ">UNKNOWN", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_UNSURE]);
	TABLE_COLUMN("longest", ">LONGEST", TABLE_DURATION, "the longest wait", number = e->longest);
	TABLE_COLUMN("longest_tid", "(OF", TABLE_NUMBER, "TID of its thread",
		number = table_nr(in->q, e->longest_row));
	TABLE_COLUMN("longest_name", "(OF", TABLE_WORD, "name of its thread",
		word = table_name(in->q, e->longest_row, e->longest_end));
	TABLE_COLUMN("longest_end", "ENDED AT", TABLE_TIME, "end of the longest wait",
		number = e->longest_end);
	TABLE_COLUMN("host", "(CAUSE", TABLE_WORD, "host of the cause",
		word = qry_host(in->q, e->host)->name);
	TABLE_COLUMN("name", "(CAUSE", TABLE_WORD, "name of the cause", word = e->name);
	TABLE_COLUMN("threads", ">THREADS", TABLE_NUMBER, "number of threads in this line",
		number = e->threads);
	TABLE_OBJECT("subject", "(CAUSE", TABLE_WORD,
		"SUBJECT: the cause as an object, if it is a single thread",
		e->row == MDL_NONE ? NULL : table_json_subject(in->q, e->row), /* there is only one thread */
		e->row == MDL_NONE ? NULL : qry_row_label(in->q, e->row));
	TABLE_OBJECT("longest_thread", "OF", TABLE_LONG, "THREAD: its thread",
		table_json_thread(in->q, e->longest_row, e->longest_end),
		e->longest_row == MDL_NONE ? NULL : qry_row_label(in->q, e->longest_row));
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of the time of all causes",
		share = (double)e->total / (double)MAX(*total, 1));
	TABLE_COLUMN("declared", "(KIND", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_DECLARED]);
}

#define STEPS 4096 /* wake-ups and states in one call of table_work() */

struct causes {
	struct table_list of;
	struct ana_causes *work; /* owns the texts of the rows */
	int64_t total;           /* ns of all rows */
};

/* Sum up the time of the rows found so far. */
static void sum_up(struct causes *c)
{
	const GArray *entries = c->of.rows;

	c->total = 0;
	for (guint i = 0; entries && i < entries->len; i++)
		c->total = base_time_sum(c->total, g_array_index(entries, struct ana_causes_entry, i).total);
}

static void *make_causes(struct table_cursor *cursor, GError **error)
{
	struct causes *c = (struct causes *)cursor;
	const struct table_question *ask = &cursor->ask;
	struct ana_causes_asked asked = { .row = ask->row,
		.of_process = ask->of_process,
		.from = ask->from,
		.to = ask->to,
		.hide_tracer = ask->hide_tracer,
		.user_threads = ask->user_threads };

	if (!ana_causes_by_parse(ask->by, &asked.by, error))
		return NULL;
	c->work = ana_causes_asked(cursor->q, &asked);
	return ask->parts || ana_causes_finish(c->work, ask->progress, error)
		? g_array_ref((GArray *)(uintptr_t)ana_causes_entries(c->work))
		: NULL;
}

static bool open_causes(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct causes *c = (struct causes *)cursor;

	sum_up(c);
	cursor->in.context = &c->total;
	return true;
}

static bool work_causes(struct table_cursor *cursor)
{
	struct causes *c = (struct causes *)cursor;
	bool more = ana_causes_work(c->work, STEPS);

	base_progress_set(cursor->ask.progress, ana_causes_share(c->work), 0);
	c->of.rows = ana_causes_entries(c->work);
	c->of.next = 0;
	sum_up(c);
	return more;
}

static void close_causes(struct table_cursor *cursor)
{
	ana_causes_free(((struct causes *)cursor)->work);
}

/* A row leads to its longest wait. */
static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_causes_entry *e = row;

	*to = (struct table_place){ .row = e->longest_row,
		.from = e->longest_end - e->longest,
		.to = e->longest_end,
		.is_wait = true };
	return e->longest_row != MDL_NONE;
}

const struct table table_causes = {
	.name = "cause",
	.list = "causes",
	.doc = "what ended waits of threads, with the sums of these",
	.columns = cause_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = make_causes,
	.free = (GDestroyNotify)g_array_unref,
	.size = sizeof(struct causes),
	.open = open_causes,
	.work = work_causes,
	.close = close_causes,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.lead = lead,
};
