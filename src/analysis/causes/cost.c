/* SPDX-License-Identifier: MIT */
#include "analysis/causes/cost.h"

#include "base/base_time.h"

static void add_thread(struct qry *q, const struct qry_row *r, struct ana_cost *cost)
{
	struct qry_cell share;

	qry_share(q, r->id, r->first, r->last, &share);
	cost->threads++;
	cost->cpu_time = base_time_sum(cost->cpu_time, qry_cell_on_cpu(&share));
}

static void add_cpu(struct qry *q, const struct qry_row *r, struct ana_cost *cost)
{
	struct qry_cell share;

	qry_share(q, r->id, r->first, r->last, &share);
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

		if (r->type == MDL_ROW_CPU)
			add_cpu(q, r, cost);
		else if (qry_is_tracer(q, i))
			add_thread(q, r, cost);
	}
	qry_tracer_traffic(flows, host, progress, cost->all, cost->tracer);
}
