/* SPDX-License-Identifier: MIT */

#include "export/exp_rows.h"

#include "base/base_time.h"

EXP_COLUMNS(columns)
{
	const struct qry_events_line *line = row;
	const struct qry_event *e = row ? &line->event : NULL;

	EXP_COLUMN("rank", ">EVENT", EXP_NUMBER, number = (int64_t)e->rank);
	EXP_COLUMN("time", "TIME", EXP_TIME, number = e->time);
	/* Since the line before. */
	EXP_COLUMN("", ">AFTER", EXP_DURATION,
		number = in->number > 0 ? e->time - line[-1].event.time : BASE_TIME_NONE);
	EXP_COLUMN("host", "HOST", EXP_WORD, word = qry_host(in->q, e->host)->name);
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(e->cpu));
	EXP_COLUMN("name", "NAME", EXP_LONG, word = e->name);
	EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = exp_rows_nr(in->q, e->thread));
	EXP_COLUMN("thread", "THREAD", EXP_WORD, word = exp_rows_name(in->q, e->thread, e->time));
	EXP_COLUMN_BY("fields", "FIELDS", EXP_LONG, cell->word = line->fields; cell->is_known = true);
}

EXP_WRITER(exp_events)
{
	const GArray *lines = result;

	exp_rows_array(out, "events", columns, o, q, NULL, lines, UINT_MAX);
	if (o->format == EXP_JSON)
		base_json_yes(out, "more", o->more);
	else if (o->format == EXP_TEXT && o->more)
		g_string_append(out, "There are more: --top N lists N of them, --top 0 all.\n");
	return true;
}
