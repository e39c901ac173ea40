/* SPDX-License-Identifier: MIT */
/* From the wake-up of a thread to when it runs: how long the scheduler lets it wait. */
#include "analysis/ana_instead.h"
#include "analysis/ana_latency_kind.h"

static void collect(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	GArray *wakeups;

	if (qry_wakeup_count(q, row) == 0)
		return;
	wakeups = qry_wakeups(q, row, from, to);
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);

		if (w->via == MDL_VIA_NONE)	/* it ran without a wake-up that was seen: nothing to measure from */
			continue;
		if (w->ran_at == MDL_NEVER)
			ana_tally_unfinished(tally);
		else
			ana_tally_case(tally, row, w->time, w->ran_at);
	}
	g_array_unref(wakeups);
}

static void explain(struct qry *q, struct ana_latency_case *c)
{
	struct mdl_interval iv;

	if (!qry_state_at(q, c->row, c->end, &iv))
		return;
	c->cpu = iv.aux;
	c->cause = ana_instead_text(q, qry_row(q, c->row)->host, c->cpu, c->start, c->end, true);
}

const struct ana_latency_kind ana_latency_wakeup = { .name = "wakeup", .collect = collect, .explain = explain };
