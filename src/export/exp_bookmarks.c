/* SPDX-License-Identifier: MIT */
#include "export/exp_bookmarks.h"

#include "export/exp_rows.h"
#include "query/qry_bookmarks.h"

#include "base/base_time.h"

/* TIME of a bookmark, where it is known. */
static int64_t known(const struct qry_bookmark *b, int64_t time)
{
	return b->host == MDL_NONE || time == MDL_NEVER ? BASE_TIME_NONE : time;
}

/* "httpd/wk-server[492]"; NULL: of no row.  The caller frees. */
static char *label_of(const struct qry *q, const struct qry_bookmark *b)
{
	return b->row == MDL_NONE ? NULL : qry_row_label(q, b->row);
}

EXP_COLUMNS(columns)
{
	const struct qry_bookmark *b = row;
	const char letter[2] = { b ? b->letter : 0, 0 };

	EXP_COLUMN("letter", "LETTER", EXP_WORD, taken = g_strdup(letter));
	EXP_COLUMN("host", NULL, EXP_WORD,
		word = b->host == MDL_NONE ? NULL : qry_host(in->q, b->host)->name);
	EXP_COLUMN("row", "WHO", EXP_WORD, taken = label_of(in->q, b));
	EXP_COLUMN("time", "AT", EXP_TIME, number = known(b, b->time));
	EXP_COLUMN("from", NULL, EXP_TIME, number = known(b, b->from));
	EXP_COLUMN("to", NULL, EXP_TIME, number = known(b, b->to));
	EXP_COLUMN("selected_from", NULL, EXP_TIME, number = known(b, b->selected_from));
	EXP_COLUMN("selected_to", NULL, EXP_TIME, number = known(b, b->selected_to));
	EXP_COLUMN("note", "NOTE", EXP_LONG, word = b->note);
}

void exp_bookmarks(GString *out, struct qry *q, const GArray *all, enum exp_format format)
{
	struct exp_rows *rows;

	if (format == EXP_TEXT && all->len == 0) {
		g_string_append(out, "bookmarks\n  none\n");
		return;
	}
	rows = exp_rows_new(out, "bookmarks", columns, format, q, NULL);
	for (guint i = 0; i < all->len; i++)
		exp_rows_add(rows, &g_array_index(all, struct qry_bookmark, i));
	exp_rows_finish(rows);
}
