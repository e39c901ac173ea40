/* SPDX-License-Identifier: MIT */
/* The waits of threads, summed up by what ended them. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/causes/causes.h"
#include "analysis/kind/kind.h"
#include "base/base_progress.h"
#include "base/base_time.h"

#define STEPS 4096 /* wake-ups and states of a part of the work */

struct causes {
	struct table_list list;
	int64_t total; /* ns of all entries */
};

TABLE_COLUMNS(cause_columns)
{
	const struct ana_causes_entry *e = row;
	const int64_t *total = in->context;
	bool text = in->format == TABLE_TEXT,
	     prefixed = text && row && e->threads == 0 &&
		qry_host_count(in->q) > 1; /* labels of threads are */

	TABLE_COLUMN("kind", "KIND", TABLE_LONG,
		"as in SOURCE, or `preempted`, `wait-cpu` (the cause is who had the CPU), `throttled` (an exhausted quota) or `ipi-wait` (the thread spun; the cause is the CPU that took its IPI last)",
		word = ana_kind_name(e->kind));
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG, "in words",
		taken = g_strconcat(prefixed ? qry_host(in->q, e->host)->name : "", prefixed ? "/" : "",
			text && !*e->label ? "-" : e->label, NULL));
	TABLE_COLUMN("count", ">WAITS", TABLE_NUMBER, "", number = e->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "of all these waits", number = e->total);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE | TABLE_LATE, "of the time of all causes",
		share = (double)e->total / (double)MAX(*total, 1));
	TABLE_COLUMN("proved", ">PROVED", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_PROVED]);
	TABLE_COLUMN("inferred", ">INFERRED", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_INFERRED]);
	TABLE_COLUMN("unknown", ">UNKNOWN", TABLE_NUMBER, "number of waits with this grade",
		number = e->grades[MDL_UNSURE]);
	TABLE_COLUMN("longest", ">LONGEST", TABLE_DURATION, "the longest wait", number = e->longest);
	/* in OF: */
	TABLE_COLUMN("longest_tid", NULL, TABLE_NUMBER, "", number = qry_row(in->q, e->longest_row)->nr);
	TABLE_COLUMN("longest_name", NULL, TABLE_WORD, "",
		word = qry_name_at(in->q, e->longest_row, e->longest_end));
	TABLE_COLUMN("longest_end", "ENDED AT", TABLE_TIME, "end of the longest wait",
		number = e->longest_end);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "host and name of the cause",
		word = qry_host(in->q, e->host)->name); /* in CAUSE */
	TABLE_COLUMN("name", NULL, TABLE_WORD, "host and name of the cause", word = e->name);
	TABLE_COLUMN("threads", ">THREADS", TABLE_NUMBER, "number of threads in this line",
		number = e->threads);
	TABLE_OBJECT("subject", NULL, TABLE_WORD, "the cause as an object, if it is a single thread",
		e->row == MDL_NONE ? NULL
				   : table_json_subject(in->q, e->row), /* the only thread of the cause */
		e->row == MDL_NONE ? NULL : qry_row_label(in->q, e->row));
	TABLE_OBJECT("longest_thread", "OF", TABLE_LONG,
		"its thread; also `causes[].longest_tid`, `causes[].longest_name`",
		table_json_thread(in->q, e->longest_row, e->longest_end),
		qry_row_label(in->q, e->longest_row));
}

/* C goes over ENTRIES; CAUSES made them, or NULL. */
static void begin(struct causes *c, const GArray *entries, struct ana_causes *causes)
{
	c->total = 0;
	for (guint i = 0; i < entries->len; i++)
		c->total = base_time_sum(c->total, g_array_index(entries, struct ana_causes_entry, i).total);
	table_list_begin(&c->list.of, entries, NULL, causes, (GDestroyNotify)ana_causes_free);
}

static bool open_causes(struct table_cursor *cursor, GError **error)
{
	struct causes *c = (struct causes *)cursor;
	const struct table_question *ask = &cursor->ask;
	struct ana_causes_asked asked = { .row = ask->row,
		.of_process = ask->of_process,
		.from = ask->from,
		.to = ask->to,
		.hide_tracer = ask->hide_tracer,
		.user_threads = ask->user_threads };
	struct ana_causes *causes;

	cursor->in.context = &c->total;
	if (ask->result) {
		begin(c, ask->result, NULL);
		return true;
	}
	if (!ana_causes_by_parse(ask->by, &asked.by, error))
		return false;
	causes = ana_causes_asked(cursor->q, &asked);
	table_list_begin(cursor, NULL, NULL, causes, (GDestroyNotify)ana_causes_free);
	if (ask->parts)
		return true;
	if (!ana_causes_finish(causes, ask->progress, error))
		return false;
	begin(c, ana_causes_entries(causes), causes);
	return true;
}

static bool work_causes(struct table_cursor *cursor)
{
	struct causes *c = (struct causes *)cursor;
	struct ana_causes *causes = c->list.made;
	bool more = ana_causes_work(causes, STEPS);

	base_progress_set(cursor->ask.progress, ana_causes_share(causes), 0);
	begin(c, ana_causes_entries(causes), causes);
	return more;
}

/* To the longest wait. */
static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_causes_entry *e = row;

	*to = (struct table_place){ .row = e->longest_row,
		.from = e->longest_end - e->longest,
		.to = e->longest_end,
		.is_wait = true };
	return true;
}

const struct table table_causes = {
	.name = "cause",
	.list = "causes",
	.doc = "what ended waits of threads, with the sums of these",
	.columns = cause_columns,
	.size = sizeof(struct causes),
	.next = table_list_next,
	.close = table_list_close,
	.work = work_causes,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.open = open_causes,
	.lead = lead,
};
