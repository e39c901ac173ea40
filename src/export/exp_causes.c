/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_rows.h"

/* With its host where there are several; labels of threads have it already.  The caller frees. */
static char *cause_text(const struct qry *q, const struct ana_causes_entry *e)
{
	const char *label = *e->label ? e->label : "-";

	return e->threads > 0 || qry_host_count(q) == 1 ? g_strdup(label) : g_strconcat(qry_host(q, e->host)->name, "/", label, NULL);
}

/* ---- columns ---- */

#define CAUSE(get, is) EXP_GET(get) { const struct ana_causes_entry *e = row; cell->is; }

CAUSE(get_kind, word = ana_kind_name(e->kind))
CAUSE(get_count, number = e->count)
CAUSE(get_time, number = e->total)
CAUSE(get_proved, number = e->grades[ANA_PROVED])
CAUSE(get_inferred, number = e->grades[ANA_INFERRED])
CAUSE(get_unknown, number = e->grades[ANA_UNKNOWN])
CAUSE(get_longest, number = e->longest)
CAUSE(get_longest_tid, number = qry_row(in->q, e->longest_row)->nr)
CAUSE(get_longest_name, word = qry_name_at(in->q, e->longest_row, e->longest_end))
CAUSE(get_longest_end, number = e->longest_end)
CAUSE(get_host, word = qry_host(in->q, e->host)->name)
CAUSE(get_name, word = e->name)
CAUSE(get_threads, number = e->threads)

EXP_GET(get_cause)
{
	const struct ana_causes_entry *e = row;

	if (in->format == EXP_TEXT)
		cell->taken = cause_text(in->q, e);
	else
		cell->word = e->label;
}

/* The one thread that is the cause. */
EXP_GET(get_subject)
{
	const struct ana_causes_entry *e = row;

	if (in->format == EXP_JSON)
		exp_rows_object(cell, e->row == MDL_NONE ? NULL : exp_json_subject(in->q, e->row));
	else if (e->row != MDL_NONE)
		cell->taken = qry_row_label(in->q, e->row);
}

EXP_GET(get_longest_thread)
{
	const struct ana_causes_entry *e = row;

	if (in->format == EXP_JSON)
		exp_rows_object(cell, exp_json_thread(in->q, e->longest_row, e->longest_end));
	else
		cell->taken = qry_row_label(in->q, e->longest_row);
}

static const struct exp_column columns[] = {
	{ "kind", "KIND", EXP_LONG, get_kind },
	{ "cause", "CAUSE", EXP_LONG, get_cause },
	{ "count", ">WAITS", EXP_NUMBER, get_count },
	{ "time", ">TIME", EXP_DURATION, get_time },
	{ "proved", ">PROVED", EXP_NUMBER, get_proved },
	{ "inferred", ">INFERRED", EXP_NUMBER, get_inferred },
	{ "unknown", ">UNKNOWN", EXP_NUMBER, get_unknown },
	{ "longest", ">LONGEST", EXP_DURATION, get_longest },
	{ "longest_tid", NULL, EXP_NUMBER, get_longest_tid },		/* these in OF */
	{ "longest_name", NULL, EXP_WORD, get_longest_name },
	{ "longest_end", "ENDED AT", EXP_TIME, get_longest_end },
	{ "host", NULL, EXP_WORD, get_host },				/* these in CAUSE */
	{ "name", NULL, EXP_WORD, get_name },
	{ "threads", ">THREADS", EXP_NUMBER, get_threads },
	{ "subject", NULL, EXP_WORD, get_subject },
	{ "longest_thread", "OF", EXP_LONG, get_longest_thread },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

static void begin_json(GString *out, int64_t from, int64_t to)
{
	JsonObject *span = json_object_new();

	exp_json_time(span, "from", from);
	exp_json_time(span, "to", to);
	exp_json_begin(out);
	exp_json_put_members(out, span);
}

void exp_causes(GString *out, struct qry *q, const GArray *entries, unsigned top, int64_t from, int64_t to, enum exp_format format)
{
	unsigned n = MIN(top, entries->len);
	struct exp_rows *rows;

	if (format == EXP_JSON)
		begin_json(out, from, to);
	rows = exp_rows_new(out, "causes", columns, format, q, NULL);
	for (guint i = 0; i < n; i++)
		exp_rows_add(rows, &g_array_index(entries, struct ana_causes_entry, i));
	exp_rows_finish(rows);
	if (format == EXP_JSON)
		exp_json_end(out);
	else if (format == EXP_TEXT && n < entries->len)
		g_string_append_printf(out, "and %u more; all with --top %u\n", entries->len - n, entries->len);
}
