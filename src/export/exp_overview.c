/* SPDX-License-Identifier: MIT */
#include "export/exp_overview.h"

#include "export/exp_rows.h"
#include "export/exp_table.h"

#include "base/base_time.h"

#include <math.h>

/* A line, and of which part. */
struct entry {
	enum ana_overview_part part;
	const struct ana_overview_line *line;
};

EXP_COLUMNS(columns)
{
	const struct entry *e = row;
	const struct ana_overview_line *line = e ? e->line : NULL;

	EXP_COLUMN("part", NULL, EXP_WORD, word = ana_overview_name(e->part));
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = line->time);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE,
		share = line->of > 0 ? (double)line->time / (double)line->of : (double)NAN);
	EXP_COLUMN("count", ">COUNT", EXP_NUMBER,
		number = line->count > 0 ? (int64_t)line->count : BASE_TIME_NONE);
	EXP_COLUMN("name", "WHO", EXP_WORD, word = line->name);
	EXP_COLUMN("what", "WHAT", EXP_WORD, word = line->what);
	EXP_COLUMN("host", NULL, EXP_WORD,
		word = exp_rows_host(in->q,
			line->row == MDL_NONE ? MDL_NONE : qry_row(in->q, line->row)->host));
	EXP_COLUMN("nr", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, line->row));
	EXP_COLUMN("from", "AT", EXP_TIME, number = line->row == MDL_NONE ? BASE_TIME_NONE : line->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = line->row == MDL_NONE ? BASE_TIME_NONE : line->to);
}

static void add_lines(struct exp_rows *rows, enum ana_overview_part part, const GArray *lines)
{
	for (guint i = 0; lines && i < lines->len; i++) {
		struct entry e = { part, &g_array_index(lines, struct ana_overview_line, i) };

		exp_rows_add(rows, &e);
	}
}

/* A table for each part. */
static void put_tables(GString *out, struct qry *q, const struct ana_overview *all)
{
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++) {
		struct exp_rows *rows;

		if (!ana_overview_has(q, i))
			continue;
		g_string_append_printf(out, "\n%s\n", ana_overview_title(i));
		if (all->missing[i] || all->lines[i]->len == 0) {
			exp_table_append_clean(out, all->missing[i] ? all->missing[i] : "  none");
			g_string_append_c(out, '\n');
			continue;
		}
		rows = exp_rows_new(out, "top", columns, EXP_TEXT, q, NULL);
		add_lines(rows, i, all->lines[i]);
		exp_rows_finish(rows);
	}
}

void exp_overview(GString *out, struct qry *q, const struct ana_overview *all, enum exp_format format)
{
	struct exp_rows *rows;

	if (format == EXP_TEXT) {
		put_tables(out, q, all);
		return;
	}
	rows = exp_rows_new(out, "top", columns, format, q, NULL);
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++)
		add_lines(rows, i, all->lines[i]);
	exp_rows_finish(rows);
}
