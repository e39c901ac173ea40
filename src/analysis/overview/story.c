/* SPDX-License-Identifier: MIT */
#include "analysis/overview/overview.h"

#include "analysis/kind/chain.h"
#include "analysis/wait/source.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#define MOST_PARTS 8 /* a thread with at least 1/MOST_PARTS of the most that one computed is a candidate */

/* CPU time: of a thread itself, the most of one of its children, and of all together. */
struct computed {
	int64_t own, child, all;
};

/* The time that counts for a thread; 0: it computed nothing, or little compared with a child, like a
 * shell. */
static int64_t worth(const struct computed *c)
{
	return c->own >= c->child / 2 && c->own > 0 ? c->all : 0;
}

uint32_t ana_story_thread(struct qry *q)
{
	uint32_t n = qry_row_count(q), best = MDL_NONE;
	int64_t most = 0;
	struct computed *of = g_new0(struct computed, n);

	for (uint32_t row = 0; row < n; row++) {
		uint32_t parent = qry_row(q, row)->parent;
		const struct qry_row *r = qry_row(q, row);
		int64_t time = 0;

		if (r->type == MDL_ROW_THREAD && r->first < r->last && !qry_is_kernel_thread(q, row) &&
			!qry_is_tracer(q, row)) {
			struct qry_cell share = qry_life(q, row);

			time = qry_cell_on_cpu(&share);
		}
		of[row].own = time;
		of[row].all = base_time_sum(of[row].all, time);
		if (parent == MDL_NONE)
			continue;
		of[parent].all = base_time_sum(of[parent].all, time);
		of[parent].child = MAX(of[parent].child, time);
	}
	for (uint32_t row = 0; row < n; row++)
		most = MAX(most, worth(&of[row]));
	for (uint32_t row = 0; row < n; row++)
		if (worth(&of[row]) > 0 && worth(&of[row]) >= most / MOST_PARTS &&
			(best == MDL_NONE || qry_wakeup_count(q, row) > qry_wakeup_count(q, best)))
			best = row;
	g_free(of);
	return best;
}

/* True if the thread itself armed the timer that ended its wait. */
static bool is_own_sleep(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;

	return s->kind == ANA_KIND_TIMER &&
		(!ana_source_cause(q, s, &cause) || !(cause.facts.has & MDL_FACT_TIMER) ||
			ana_chain_actor(q, &cause.facts.timer.armed) == s->row);
}

bool ana_story_wait(struct qry *q, uint32_t row, struct mdl_wakeup *wakeup)
{
	g_autoptr(GArray) wakeups = qry_wakeups(q, row, INT64_MIN, INT64_MAX);
	int64_t longest = 0;

	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct ana_source s;

		if (w->since == MDL_NEVER || w->via == MDL_VIA_NEW || w->time - w->since <= longest)
			continue;
		s = ana_source_of(q, row, w);
		if (s.kind == ANA_KIND_UNKNOWN || is_own_sleep(q, &s))
			continue;
		longest = w->time - w->since;
		*wakeup = *w;
	}
	return longest > 0;
}

static void add_cpu(struct qry *q, const struct qry_row *r, struct ana_cost *cost)
{
	struct qry_cell share = qry_life(q, r->id);

	for (unsigned i = 0; i < MDL_ST_N; i++) {
		if (i == MDL_ST_UNKNOWN)
			continue;
		cost->known = base_time_sum(cost->known, share.ns[i]);
		if (i != MDL_ST_IDLE)
			cost->busy = base_time_sum(cost->busy, share.ns[i]);
	}
}

void ana_cost_of(struct qry *q, uint32_t host, const struct qry_tracer_flows *flows,
	struct base_progress *progress, struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);

	*cost = (struct ana_cost){ .sees_senders = qry_tracer_sees_senders(q, host) };
	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);
		struct qry_cell share;

		if (r->type == MDL_ROW_CPU)
			add_cpu(q, r, cost);
		if (r->type == MDL_ROW_CPU || !qry_is_tracer(q, i))
			continue;
		share = qry_life(q, i);
		cost->threads++;
		cost->cpu_time = base_time_sum(cost->cpu_time, qry_cell_on_cpu(&share));
	}
	qry_tracer_traffic(flows, host, progress, cost->all, cost->tracer);
}
