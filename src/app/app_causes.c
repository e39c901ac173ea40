/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "query/qry_tracer.h"

#define SLICE 4096	/* wake-ups between two looks at whether to stop */

/* The rows asked about: the one of --thread, else all threads that are not hidden. */
static GArray *rows_asked(const struct app_session *s, uint32_t row)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < qry_row_count(s->q); i++)
		if (row == MDL_NONE ? qry_row(s->q, i)->type == MDL_ROW_THREAD && !(s->args->hide_tracer && qry_is_tracer(s->q, i)) : row == i)
			g_array_append_val(rows, i);
	return rows;
}

static bool work(const struct app_session *s, struct ana_causes *causes, GError **error)
{
	while (ana_causes_work(causes, SLICE))
		if (!app_session_not_cancelled(s, error))
			return false;
	return true;
}

static bool answer(struct app_session *s, GString *out, GError **error)
{
	uint32_t row = MDL_NONE;
	struct ana_causes *causes;
	int64_t from, to;
	GArray *rows;
	bool ok;

	if ((s->args->thread && !app_session_thread(s, &row, error)) || !app_session_window(s, row, &from, &to, error))
		return false;
	app_session_warn(s->q);
	rows = rows_asked(s, row);
	causes = ana_causes_new(s->q, (const uint32_t *)(const void *)rows->data, rows->len, from, to);
	ok = work(s, causes, error);
	if (ok)
		exp_causes(out, s->q, ana_causes_entries(causes), (unsigned)s->args->top, from, to, s->args->format);
	ana_causes_free(causes);
	g_array_unref(rows);
	return ok;
}

static bool run(const struct app_args *args, GError **error)
{
	return app_session_run(args, answer, error);
}

const struct app_command app_causes = {
	.name = "causes",
	.operands = "TRACE...",
	.summary = "What a thread, or all together, waited for most, and for how long.",
	.options = APP_TAKES_TOP | APP_TAKES_TRACER | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = run,
};
