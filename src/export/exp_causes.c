/* SPDX-License-Identifier: MIT */
/* The waits of all threads, summed up by what ended them and by stack. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "query/symbols/symbols.h"

#include "base/base_text.h"

#include <inttypes.h>

/* ---- by what ended them ---- */

TABLE_COLUMNS(cause_columns)
{
	const struct ana_causes_entry *e = row;
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

EXP_WRITER(exp_causes)
{
	const GArray *entries = result;
	unsigned n = MIN(o->top, entries->len);

	if (o->format == TABLE_JSON)
		exp_json_window(out, o);
	exp_rows_array(out, "causes", cause_columns, o, q, NULL, entries, n);
	if (o->format == TABLE_TEXT && n < entries->len)
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

TABLE_COLUMNS(stack_columns)
{
	const struct ana_stack *s = row;
	const struct ana_stacks *all = in->context;

	TABLE_COLUMN("host", all && !all->several ? NULL : "HOST", TABLE_WORD, "with several hosts",
		word = s->host);
	TABLE_COLUMN("name", "THREADS", TABLE_WORD, "the threads that slept", word = s->name);
	TABLE_COLUMN("count", ">WAITS", TABLE_NUMBER, "", number = (int64_t)s->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = s->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of all blocked time",
		share = (double)s->time / (double)MAX(all->time, 1));
	TABLE_COLUMN("waker", all && all->of == ANA_STACKS_SLEEPER ? NULL : "WOKEN BY", TABLE_WORD,
		"with `--of waker`: thread, interrupt or softirq that woke them; `an interrupt` if only its stack shows it; `NAME, or an interrupt` if nothing shows which; null: unknown",
		word = s->waker);
	TABLE_COLUMN_BY("frames", NULL, TABLE_LONG, "calls, outermost first",
		table_texts(cell, in->format, s->frames, ";"));
	TABLE_COLUMN("", "STACK (INNERMOST FIRST)", TABLE_LONG, "", taken = inner_text(s));
}

EXP_WRITER(exp_stacks)
{
	const struct ana_stacks *all = result;
	g_autofree char *time = table_duration_text(all->time);
	struct exp_rows *rows;

	if (o->format == TABLE_JSON) {
		base_json_text(out, "of", all->of == ANA_STACKS_SLEEPER ? "sleeper" : "waker");
		base_json_int(out, "time", all->time);
		base_json_int(out, "with", (int64_t)all->with);
		base_json_int(out, "without", (int64_t)all->without);
		base_json_text(out, "program_names", qry_has_symfs(q) ? "inferred" : NULL);
	} else if (o->format == TABLE_TEXT) {
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
