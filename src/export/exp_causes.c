/* SPDX-License-Identifier: MIT */

#include "export/exp_rows.h"

/* With its host where there are several; labels of threads have it already.  The caller frees. */
static char *cause_text(const struct qry *q, const struct ana_causes_entry *e)
{
	const char *label = *e->label ? e->label : "-";

	return e->threads > 0 || qry_host_count(q) == 1
		? g_strdup(label)
		: g_strconcat(qry_host(q, e->host)->name, "/", label, NULL);
}

/* ---- columns ---- */

EXP_COLUMNS(columns)
{
	const struct ana_causes_entry *e = row;

	EXP_COLUMN("kind", "KIND", EXP_LONG, word = ana_kind_name(e->kind));
	EXP_COLUMN("cause", "CAUSE", EXP_LONG,
		taken = in->format == EXP_TEXT ? cause_text(in->q, e) : g_strdup(e->label));
	EXP_COLUMN("count", ">WAITS", EXP_NUMBER, number = e->count);
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = e->total);
	EXP_COLUMN("proved", ">PROVED", EXP_NUMBER, number = e->grades[ANA_PROVED]);
	EXP_COLUMN("inferred", ">INFERRED", EXP_NUMBER, number = e->grades[ANA_INFERRED]);
	EXP_COLUMN("unknown", ">UNKNOWN", EXP_NUMBER, number = e->grades[ANA_UNKNOWN]);
	EXP_COLUMN("longest", ">LONGEST", EXP_DURATION, number = e->longest);
	/* These in OF. */
	EXP_COLUMN("longest_tid", NULL, EXP_NUMBER, number = qry_row(in->q, e->longest_row)->nr);
	EXP_COLUMN("longest_name", NULL, EXP_WORD, word = qry_name_at(in->q, e->longest_row, e->longest_end));
	EXP_COLUMN("longest_end", "ENDED AT", EXP_TIME, number = e->longest_end);
	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, e->host)->name); /* these in CAUSE */
	EXP_COLUMN("name", NULL, EXP_WORD, word = e->name);
	EXP_COLUMN("threads", ">THREADS", EXP_NUMBER, number = e->threads);
	EXP_OBJECT("subject", NULL, EXP_WORD,
		e->row == MDL_NONE ? NULL : exp_json_subject(in->q, e->row), /* the one thread that is it */
		e->row == MDL_NONE ? NULL : qry_row_label(in->q, e->row));
	EXP_OBJECT("longest_thread", "OF", EXP_LONG, exp_json_thread(in->q, e->longest_row, e->longest_end),
		qry_row_label(in->q, e->longest_row));
}

EXP_WRITER(exp_causes)
{
	const GArray *entries = result;
	unsigned n = MIN(o->top, entries->len);

	if (o->format == EXP_JSON)
		exp_json_window(out, o);
	exp_rows_array(out, "causes", columns, o, q, NULL, entries, n);
	if (o->format == EXP_TEXT && n < entries->len)
		g_string_append_printf(out, "and %u more; all with --top 0\n", entries->len - n);
	return true;
}
