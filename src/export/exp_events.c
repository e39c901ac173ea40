/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_rows.h"

#include "base/base_time.h"

/* The name that the thread of E had then; NULL unknown. */
static const char *thread_name(const struct qry *q, const struct qry_event *e)
{
	return e->thread == MDL_NONE ? NULL : qry_name_at(q, e->thread, e->time);
}

static int64_t tid_of(const struct qry *q, const struct qry_event *e)
{
	return e->thread == MDL_NONE ? BASE_TIME_NONE : qry_row(q, e->thread)->nr;
}

/* ---- columns ---- */

#define EVENT(get, is) EXP_GET(get) { const struct qry_events_line *line = row; const struct qry_event *e = &line->event; cell->is; }

EVENT(get_rank, number = (int64_t)e->rank)
EVENT(get_time, number = e->time)
EVENT(get_host, word = qry_host(in->q, e->host)->name)
EVENT(get_cpu, number = exp_rows_id(e->cpu))
EVENT(get_name, word = e->name)
EVENT(get_tid, number = tid_of(in->q, e))
EVENT(get_thread, word = thread_name(in->q, e))

/* Since the line before. */
EXP_GET(get_after)
{
	const struct qry_events_line *line = row;

	if (in->number > 0)
		cell->number = line->event.time - g_array_index((const GArray *)in->context, struct qry_events_line, in->number - 1).event.time;
}

/* "" where there are none, which is known. */
EXP_GET(get_fields)
{
	cell->word = ((const struct qry_events_line *)row)->fields;
	if (in->format == EXP_JSON)
		cell->json = json_node_init_string(json_node_alloc(), cell->word);
}

static const struct exp_column columns[] = {
	{ "rank", ">EVENT", EXP_NUMBER, get_rank },
	{ "time", "TIME", EXP_TIME, get_time },
	{ "", ">AFTER", EXP_DURATION, get_after },
	{ "host", "HOST", EXP_WORD, get_host },
	{ "cpu", ">CPU", EXP_NUMBER, get_cpu },
	{ "name", "NAME", EXP_LONG, get_name },
	{ "tid", ">TID", EXP_NUMBER, get_tid },
	{ "thread", "THREAD", EXP_WORD, get_thread },
	{ "fields", "FIELDS", EXP_LONG, get_fields },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

void exp_events(GString *out, struct qry *q, const GArray *lines, bool more, enum exp_format format)
{
	struct exp_rows *rows;
	JsonObject *rest;

	if (format == EXP_JSON)
		exp_json_begin(out);
	rows = exp_rows_new(out, "events", columns, format, q, lines);
	for (guint i = 0; i < lines->len; i++)
		exp_rows_add(rows, &g_array_index(lines, struct qry_events_line, i));
	exp_rows_finish(rows);
	if (format == EXP_JSON) {
		rest = json_object_new();
		json_object_set_boolean_member(rest, "more", more);
		exp_json_put_members(out, rest);
		exp_json_end(out);
	} else if (format == EXP_TEXT && more) {
		g_string_append(out, "There are more: --top N lists N of them, --top 0 all.\n");
	}
}
