/* SPDX-License-Identifier: MIT */
#include "app/app_against.h"
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "query/host/tracer.h"

#define SLICE 4096 /* wake-ups between two looks at whether to stop */

/* Whether ROW is among all threads that are asked about. */
static bool causes_is_wanted(const struct app_session *s, uint32_t row)
{
	return qry_row(s->q, row)->type == MDL_ROW_THREAD &&
		!(s->args->hide_tracer && qry_is_tracer(s->q, row)) &&
		!(s->args->user_threads && qry_is_kernel_thread(s->q, row));
}

/* The rows asked about: the one of --thread, else all threads that are not hidden. */
static GArray *rows_asked(const struct app_session *s, uint32_t row)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < qry_row_count(s->q); i++)
		if (row == MDL_NONE ? causes_is_wanted(s, i) : row == i)
			g_array_append_val(rows, i);
	return rows;
}

static bool causes_work(const struct app_session *s, struct ana_causes *causes, GError **error)
{
	while (ana_causes_work(causes, SLICE))
		if (!app_session_not_cancelled(s, error))
			return false;
	return true;
}

static bool read_by(const char *text, enum ana_causes_by *by, GError **error)
{
	*by = !g_strcmp0(text, "thread") ? ANA_CAUSES_BY_THREAD : ANA_CAUSES_BY_NAME;
	if (!text || *by == ANA_CAUSES_BY_THREAD || g_str_equal(text, "name"))
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"causes cannot be grouped by \"%s\": type --by name or --by thread", text);
}

/* What S asks for, from FROM to TO; NULL with an error. */
static struct ana_causes *causes_begin(struct app_session *s, GError **error)
{
	struct exp_options *o = &s->options;
	enum ana_causes_by by;
	g_autoptr(GArray) rows = NULL;

	if (!read_by(s->args->by, &by, error) ||
		(s->args->thread ? !app_session_thread(s, &o->row, error)
				 : !app_session_needs_switches(s, o->row, error)) ||
		!app_session_window(s, o->row, &o->from, &o->to, error))
		return NULL;
	rows = rows_asked(s, o->row);
	return ana_causes_new(s->q, (const uint32_t *)(const void *)rows->data, rows->len, by, o->from,
		o->to);
}

/* As app_against_measure: there is one kind. */
static struct ana_latency *causes_measure(struct app_session *s, G_GNUC_UNUSED const char *kind,
	int64_t *length, GError **error)
{
	struct ana_causes *causes = causes_begin(s, error);
	struct ana_latency *l = NULL;

	if (!causes)
		return NULL;
	ana_causes_keep_values(causes);
	*length = s->options.to - s->options.from;
	if (causes_work(s, causes, error))
		l = ana_causes_measured(causes);
	ana_causes_free(causes);
	return l;
}

static bool causes_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_causes *causes;
	bool ok;

	if (app_args_is_against(s->args)) {
		app_session_warn(s->q);
		return app_against_one(s, NULL, causes_measure, out, error);
	}
	causes = causes_begin(s, error);
	if (causes)
		app_session_warn(s->q);
	ok = causes && causes_work(s, causes, error) &&
		app_session_write(s, ana_causes_entries(causes), out, error);
	ana_causes_free(causes);
	return ok;
}

static bool causes_check(const struct app_args *args, GError **error)
{
	enum ana_causes_by by;

	return read_by(args->by, &by, error);
}

const struct app_command app_causes = {
	.name = "causes",
	.operands = "TRACE...",
	.summary = "List what a thread, or all threads together, waited for most.",
	.examples = "  wakepath causes sample-traces/pipeline\n"
		    "  wakepath causes sample-traces/preempt --thread wk-victim\n"
		    "  wakepath causes sample-traces/pipeline --against sample-traces/preempt\n",
	.options = APP_TAKES_TOP | APP_TAKES_BY | APP_TAKES_AGAINST | APP_TAKES_TRACER | APP_TAKES_THREAD |
		APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = causes_check,
	.answer = causes_answer,
};
