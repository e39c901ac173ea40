/* SPDX-License-Identifier: MIT */
/* The time that threads were blocked, by call stack. */
#include "table/json.h"

#include "analysis/stacks/stacks.h"

#define SHOWN 5 /* innermost frames shown in a line of text */

/* The innermost frames: "schedule < io_schedule < folio_wait_bit < …". The caller frees. */
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
	TABLE_COLUMN("name", "THREADS", TABLE_WORD, "the threads that slept, or ran", word = s->name);
	TABLE_COLUMN("count", all && all->of == ANA_STACKS_CPU ? ">SAMPLES" : ">WAITS", TABLE_NUMBER, "",
		number = (int64_t)s->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = s->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of all blocked time, or of all time on CPUs",
		share = (double)s->time / (double)MAX(all->time, 1));
	TABLE_COLUMN("waker", all && all->of != ANA_STACKS_WAKER ? NULL : "WOKEN BY", TABLE_WORD,
		"with `--of waker`: thread, interrupt or softirq that woke them; `an interrupt` if only its stack shows it; `NAME, or an interrupt` if nothing shows which; null: unknown",
		word = s->waker);
	TABLE_COLUMN_BY("frames", "(STACK", TABLE_LONG, "text[]: calls, outermost first",
		table_texts(cell, in->format, s->frames, ";"));
	TABLE_COLUMN("", "STACK (INNERMOST FIRST)", TABLE_LONG, "", taken = inner_text(s));
}

static void *make_stacks(struct table_cursor *c, GError **error)
{
	const struct ana_stacks_options options = { .row = c->ask.row,
		.from = c->ask.from,
		.to = c->ask.to,
		.of = !g_strcmp0(c->ask.by, "waker")   ? ANA_STACKS_WAKER
			: !g_strcmp0(c->ask.by, "cpu") ? ANA_STACKS_CPU
						       : ANA_STACKS_SLEEPER,
		.hide_tracer = c->ask.hide_tracer,
		.user_threads = c->ask.user_threads };

	return ana_stacks_new(c->q, &options, c->ask.progress, error);
}

/* A row leads to its longest wait, or its first sample. */
static bool lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_stack *s = row;

	*to = (struct table_place){ .row = s->longest_row,
		.from = s->longest_end - s->longest,
		.to = s->longest_end,
		.is_wait = ((const struct ana_stacks *)c->in.context)->of != ANA_STACKS_CPU };
	return true;
}

const struct table table_stacks = {
	.name = "blocked_stack",
	.list = "stacks",
	.doc = "a call stack in which threads were blocked; `by` \"waker\": of what woke them, \"cpu\": in which they ran, by samples",
	.columns = stack_columns,
	.rows_are = TABLE_ROWS_POINTERS,
	.part = offsetof(struct ana_stacks, all),
	.make = make_stacks,
	.free = (GDestroyNotify)ana_stacks_free,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.lead = lead,
};
