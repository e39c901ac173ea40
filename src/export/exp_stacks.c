/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "query/symbols/symbols.h"

#include <inttypes.h>

#define SHOWN 5 /* frames of a stack in a line of the text, the innermost */

/* The innermost frames, the innermost first: "schedule < io_schedule < folio_wait_bit < …". */
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

EXP_COLUMNS(columns)
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
	EXP_COLUMN("", "STACK, THE INNERMOST CALL FIRST", EXP_LONG, taken = inner_text(s));
}

static void stacks_put_rows(GString *out, struct qry *q, const struct ana_stacks *all,
	const struct exp_options *o)
{
	struct exp_rows *rows = exp_rows_new(out, "stacks", columns, o, q, all);

	for (guint i = 0; i < all->all->len && i < o->top; i++)
		exp_rows_add(rows, g_ptr_array_index(all->all, i));
	exp_rows_finish(rows);
}

EXP_WRITER(exp_stacks)
{
	const struct ana_stacks *all = result;
	g_autofree char *time = exp_table_duration(all->time);

	if (o->format == EXP_JSON) {
		base_json_text(out, "of", all->of == ANA_STACKS_SLEEPER ? "sleeper" : "waker");
		base_json_int(out, "time", all->time);
		base_json_int(out, "with", (int64_t)all->with);
		base_json_int(out, "without", (int64_t)all->without);
		base_json_text(out, "program_names", qry_has_symfs(q) ? "inferred" : NULL);
	} else if (o->format == EXP_TEXT) {
		g_string_append_printf(out,
			"blocked for %s, by the stack of who %s: %" PRIu64 " waits, %" PRIu64
			" without a stack\n",
			time, all->of == ANA_STACKS_SLEEPER ? "slept" : "woke them", all->with + all->without,
			all->without);
	}
	stacks_put_rows(out, q, all, o);
	return true;
}
