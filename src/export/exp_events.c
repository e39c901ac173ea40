/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

static const struct qry_events_line *line_at(const GArray *lines, guint i)
{
	return &g_array_index(lines, struct qry_events_line, i);
}

/* The name that the thread of E had then; NULL unknown. */
static const char *thread_name(const struct qry *q, const struct qry_event *e)
{
	return e->thread == MDL_NONE ? NULL : qry_name_at(q, e->thread, e->time);
}

static int64_t tid_of(const struct qry *q, const struct qry_event *e)
{
	return e->thread == MDL_NONE ? -1 : qry_row(q, e->thread)->nr;
}

static void events_json(GString *out, const struct qry *q, const GArray *lines, bool more)
{
	JsonObject *rest = json_object_new();

	exp_json_begin(out);
	exp_json_begin_list(out, "events");
	for (guint i = 0; i < lines->len; i++) {
		const struct qry_event *e = &line_at(lines, i)->event;
		JsonObject *o = json_object_new();

		exp_json_int(o, "rank", (int64_t)e->rank);
		exp_json_time(o, "time", e->time);
		exp_json_text(o, "host", qry_host(q, e->host)->name);
		exp_json_id(o, "cpu", e->cpu);
		exp_json_text(o, "name", e->name);
		exp_json_natural(o, "tid", tid_of(q, e));
		exp_json_text(o, "thread", thread_name(q, e));
		json_object_set_string_member(o, "fields", line_at(lines, i)->fields);
		exp_json_put(out, NULL, o);
	}
	exp_json_end_list(out);
	json_object_set_boolean_member(rest, "more", more);
	exp_json_put_members(out, rest);
	exp_json_end(out);
}

static void events_csv(GString *out, const struct qry *q, const GArray *lines)
{
	struct exp_csv csv = exp_csv_begin(out, "rank,time,host,cpu,name,tid,thread,fields");

	for (guint i = 0; i < lines->len; i++) {
		const struct qry_event *e = &line_at(lines, i)->event;

		exp_csv_int(&csv, (int64_t)e->rank);
		exp_csv_time(&csv, e->time);
		exp_csv_text(&csv, qry_host(q, e->host)->name);
		exp_csv_id(&csv, e->cpu);
		exp_csv_text(&csv, e->name);
		exp_csv_natural(&csv, tid_of(q, e));
		exp_csv_text(&csv, thread_name(q, e));
		exp_csv_text(&csv, line_at(lines, i)->fields);
		exp_csv_end_line(&csv);
	}
}

/* "wk-server[1234]" by the name it had then, with "HOST/" where there are several hosts; the caller frees. */
static char *thread_text(const struct qry *q, const struct qry_event *e)
{
	const char *host = qry_host_count(q) > 1 ? qry_host(q, e->host)->name : "", *slash = *host ? "/" : "";

	if (e->thread == MDL_NONE)
		return g_strdup_printf("%s%s?", host, slash);
	if (tid_of(q, e) == 0)
		return g_strdup_printf("%s%s%s", host, slash, thread_name(q, e));
	return g_strdup_printf("%s%s%s[%" G_GINT64_FORMAT "]", host, slash, thread_name(q, e), tid_of(q, e));
}

static void events_text(GString *out, const struct qry *q, const GArray *lines, bool more)
{
	static const char *const headers[] = { ">EVENT", "TIME", ">AFTER", ">CPU", "THREAD", "NAME", "FIELDS", NULL };
	struct exp_table *t = exp_table_new(headers);

	for (guint i = 0; i < lines->len; i++) {
		const struct qry_event *e = &line_at(lines, i)->event;

		exp_table_add_int(t, (int64_t)e->rank);
		exp_table_add_time(t, e->time);
		exp_table_add_duration(t, i ? e->time - line_at(lines, i - 1)->event.time : BASE_TIME_NONE);
		exp_table_add_id(t, e->cpu);
		exp_table_take(t, thread_text(q, e));
		exp_table_add(t, e->name);
		exp_table_add(t, line_at(lines, i)->fields);
	}
	exp_table_finish(t, out, "");
	if (more)
		g_string_append(out, "There are more: --top N lists N of them, --top 0 all.\n");
}

void exp_events(GString *out, struct qry *q, const GArray *lines, bool more, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		events_json(out, q, lines, more);
		break;
	case EXP_CSV:
		events_csv(out, q, lines);
		break;
	case EXP_TEXT:
		events_text(out, q, lines, more);
		break;
	}
}
