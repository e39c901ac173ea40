/* SPDX-License-Identifier: MIT */
/* The waits of all threads, summed up by what ended them and by stack. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "query/symbols/symbols.h"

#include "base/base_text.h"

#include <inttypes.h>

/* ---- by what ended them ---- */

EXP_COLUMNS(cause_columns)
{
	const struct ana_causes_entry *e = row;
	bool text = in->format == EXP_TEXT,
	     prefixed = text && row && e->threads == 0 &&
		qry_host_count(in->q) > 1; /* labels of threads are */

	EXP_COLUMN("kind", "KIND", EXP_LONG, word = ana_kind_name(e->kind));
	EXP_COLUMN("cause", "CAUSE", EXP_LONG,
		taken = g_strconcat(prefixed ? qry_host(in->q, e->host)->name : "", prefixed ? "/" : "",
			text && !*e->label ? "-" : e->label, NULL));
	EXP_COLUMN("count", ">WAITS", EXP_NUMBER, number = e->count);
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = e->total);
	EXP_COLUMN("proved", ">PROVED", EXP_NUMBER, number = e->grades[MDL_PROVED]);
	EXP_COLUMN("inferred", ">INFERRED", EXP_NUMBER, number = e->grades[MDL_INFERRED]);
	EXP_COLUMN("unknown", ">UNKNOWN", EXP_NUMBER, number = e->grades[MDL_UNSURE]);
	EXP_COLUMN("longest", ">LONGEST", EXP_DURATION, number = e->longest);
	/* in OF: */
	EXP_COLUMN("longest_tid", NULL, EXP_NUMBER, number = qry_row(in->q, e->longest_row)->nr);
	EXP_COLUMN("longest_name", NULL, EXP_WORD, word = qry_name_at(in->q, e->longest_row, e->longest_end));
	EXP_COLUMN("longest_end", "ENDED AT", EXP_TIME, number = e->longest_end);
	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, e->host)->name); /* in CAUSE */
	EXP_COLUMN("name", NULL, EXP_WORD, word = e->name);
	EXP_COLUMN("threads", ">THREADS", EXP_NUMBER, number = e->threads);
	EXP_OBJECT("subject", NULL, EXP_WORD,
		e->row == MDL_NONE ? NULL
				   : exp_json_subject(in->q, e->row), /* the only thread of the cause */
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
	exp_rows_array(out, "causes", cause_columns, o, q, NULL, entries, n);
	if (o->format == EXP_TEXT && n < entries->len)
		g_string_append_printf(out, "and %u more; all with --top 0\n", entries->len - n);
	return true;
}

/* ---- by the calls in which threads waited ---- */

#define SHOWN 5 /* innermost frames of a stack in a line of text */

/* The innermost frames: "schedule < io_schedule < folio_wait_bit < …". */
static char *inner_text(const struct ana_stack *s)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < s->frames->len && i < SHOWN; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " < " : "",
			(const char *)g_ptr_array_index(s->frames, s->frames->len - 1 - i));
	if (s->frames->len > SHOWN)
		g_string_append(text, " < …");
	if (s->frames->len == 0)
		g_string_append(text, "not recorded");
	return g_string_free(text, FALSE);
}

EXP_COLUMNS(stack_columns)
{
	const struct ana_stack *s = row;
	const struct ana_stacks *all = in->context;

	EXP_COLUMN("host", all && !all->several ? NULL : "HOST", EXP_WORD, word = s->host);
	EXP_COLUMN("name", "THREADS", EXP_WORD, word = s->name);
	EXP_COLUMN("count", ">WAITS", EXP_NUMBER, number = (int64_t)s->count);
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = s->time);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE, share = (double)s->time / (double)MAX(all->time, 1));
	EXP_COLUMN("waker", all && all->of == ANA_STACKS_SLEEPER ? NULL : "WOKEN BY", EXP_WORD,
		word = s->waker);
	EXP_COLUMN_BY("frames", NULL, EXP_LONG, exp_rows_texts(cell, in->format, s->frames, ";"));
	EXP_COLUMN("", "STACK (INNERMOST FIRST)", EXP_LONG, taken = inner_text(s));
}

EXP_WRITER(exp_stacks)
{
	const struct ana_stacks *all = result;
	g_autofree char *time = exp_table_duration(all->time);
	struct exp_rows *rows;

	if (o->format == EXP_JSON) {
		base_json_text(out, "of", all->of == ANA_STACKS_SLEEPER ? "sleeper" : "waker");
		base_json_int(out, "time", all->time);
		base_json_int(out, "with", (int64_t)all->with);
		base_json_int(out, "without", (int64_t)all->without);
		base_json_text(out, "program_names", qry_has_symfs(q) ? "inferred" : NULL);
	} else if (o->format == EXP_TEXT) {
		g_string_append_printf(out,
			"blocked for %s, by the stack of the %s: %" PRIu64 " wait%s, %" PRIu64
			" without a stack\n",
			time, all->of == ANA_STACKS_SLEEPER ? "sleeper" : "waker", all->with + all->without,
			base_text_s(all->with + all->without), all->without);
	}
	rows = exp_rows_new(out, "stacks", stack_columns, o, q, all);
	for (guint i = 0; i < all->all->len && i < o->top; i++)
		exp_rows_add(rows, g_ptr_array_index(all->all, i));
	exp_rows_finish(rows);
	return true;
}
