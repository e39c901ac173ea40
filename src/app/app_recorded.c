/* SPDX-License-Identifier: MIT */
#include "app/app_recorded.h"

#include "app/app_command.h"
#include "app/app_session.h"
#include "analysis/ana_latency.h"
#include "base/base_time.h"

/* The worst latency of KIND, of thread ROW (MDL_NONE any); false: there is none. */
static bool find_worst(struct qry *q, const char *kind, uint32_t row, struct base_progress *progress,
	struct ana_latency_case *worst)
{
	struct ana_latency_options options = { .kind = kind,
		.row = row,
		.hide_tracer = true,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = 1 };
	struct ana_latency *l = ana_latency_new(q, &options, progress, NULL);
	bool found = l && l->worst->len > 0;

	if (found)
		*worst = g_array_index(l->worst, struct ana_latency_case, 0);
	if (l)
		ana_latency_free(l);
	return found;
}

/* The thread of Q that PID was; MDL_NONE: it is not there. */
static uint32_t row_of(struct qry *q, int pid)
{
	g_autofree char *spec = g_strdup_printf("%d", pid);
	uint32_t row;

	return pid > 0 && qry_find_thread(q, spec, &row, NULL) ? row : MDL_NONE;
}

/* The worst of KIND, else of wake-ups, of thread ROW (MDL_NONE any), else of any. */
static bool find_place(struct qry *q, const char *kind, uint32_t row, struct base_progress *progress,
	struct ana_latency_case *worst)
{
	const char *const kinds[] = { kind, "wakeup" };

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if ((row != MDL_NONE && find_worst(q, kinds[i], row, progress, worst)) ||
			find_worst(q, kinds[i], MDL_NONE, progress, worst))
			return true;
	return false;
}

/* Where the cursor is to be: as --goto and --thread have it, NULL anywhere; the caller frees. */
static void place(struct qry *q, const char *kind, int pid, struct base_progress *progress, char **when,
	char **who)
{
	struct ana_latency_case worst = { .start = BASE_TIME_NONE, .row = row_of(q, pid) };
	const struct qry_row *r;

	if (find_place(q, kind, worst.row, progress, &worst))
		*when = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)worst.start);
	r = worst.row == MDL_NONE ? NULL : qry_row(q, worst.row);
	if (r && r->type == MDL_ROW_THREAD)
		*who = g_strdup_printf("%d@%" G_GINT64_FORMAT, (int)r->nr,
			(gint64)(worst.start == BASE_TIME_NONE ? r->last : worst.start));
}

bool app_recorded_open(const struct app_args *args, const char *path, const char *kind, int pid,
	GError **error)
{
	char *traces[] = { (char *)(uintptr_t)path, NULL };
	struct app_args own = *args;
	struct app_session s = { .args = &own, .progress = app_session_progress() };
	g_autofree char *when = NULL, *who = NULL;

	own.traces = traces;
	own.output = NULL;
	s.q = app_session_open(&s, error);
	if (!s.q)
		return false;
	place(s.q, kind, pid, s.progress, &when, &who);
	qry_free(s.q);
	own.goto_text = args->goto_text ? args->goto_text : when;
	own.thread = who;
	return app_view.run(&own, error);
}
