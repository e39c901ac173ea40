/* SPDX-License-Identifier: MIT */
/* From the wake-up of a thread to when it runs: how long the scheduler lets it wait. */
#include "analysis/account/account.h"
#include "analysis/cpu/occupants.h"
#include "analysis/kind/words.h"
#include "analysis/latency/kind.h"

/* The thread was woken by W but not seen to run: were events lost meanwhile, or is the trace over? */
static enum mdl_span_fate fate_of(struct qry *q, uint32_t row, const struct mdl_wakeup *w)
{
	struct mdl_interval iv;

	for (int64_t at = w->time; qry_kernel_state_at(q, row, at, &iv); at = iv.to)
		if (iv.state == MDL_ST_UNKNOWN)
			return MDL_SPAN_LOST;
	return MDL_SPAN_OPEN;
}

static bool wakeup_add(struct qry_cases *cases, uint32_t row, const struct mdl_wakeup *w)
{
	/* It ran without a wake-up that was seen: nothing to measure from. */
	if (w->via == MDL_VIA_NONE)
		return true;
	if (w->ran_at != MDL_NEVER)
		return qry_cases_add(cases, w->time, w->ran_at, MDL_SPAN_DONE);
	return qry_cases_add(cases, w->time, w->time, fate_of(qry_cases_of(cases), row, w));
}

static void wakeup_walk(struct qry_cases *cases, uint32_t row, int64_t from)
{
	const struct mdl_wakeup *w;
	unsigned n;

	qry_cases_seek_wakeups(cases, from);
	while ((w = qry_cases_wakeups(cases, &n)))
		for (unsigned i = 0; i < n; i++)
			if (!wakeup_add(cases, row, &w[i]))
				return;
}

/* A wake-up sent to another CPU that was on its way for a good part of the latency, in words; NULL for
 * another.  The caller frees. */
static char *flight_text(struct qry *q, const struct ana_latency_case *c)
{
	uint32_t host = qry_row(q, c->row)->host;
	struct mdl_cause cause;
	struct mdl_wakeup w;
	int64_t flight;

	if (!qry_wakeup_at(q, c->row, c->start, &w) || w.cause == 0 || !qry_cause(q, host, w.cause, &cause) ||
		!(cause.facts.has & MDL_FACT_ARRIVAL))
		return NULL;
	flight = cause.facts.arrival.time - c->start;
	return flight > 0 && flight >= c->latency / 4
		? ana_words_flight(q, host, &cause.facts.arrival, flight)
		: NULL;
}

/* Whoever it was, in whatever part of the wait. */
static void add_occupant(void *data, const struct ana_blame_part *span)
{
	struct ana_blame_part part = *span;

	part.phase = ANA_PHASE_NONE;
	ana_blame_add(data, &part);
}

/* Who had the CPUs for which the thread of C waited, one after the other, as its account has it.  The caller
 * frees. */
static char *occupants_text(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_blame *blame = ana_blame_new(c->start, c->end);
	char *text;

	ana_account_spans(q, c->row, c->start, c->end, NULL, add_occupant, blame);
	text = ana_occupants_text_of(q, blame, true);
	ana_blame_free(blame);
	return text;
}

void ana_latency_explain_cpu(struct qry *q, struct ana_latency_case *c)
{
	struct mdl_interval iv;
	g_autofree char *flight = NULL, *occupants = NULL;

	if (!qry_kernel_state_at(q, c->row, c->end, &iv))
		return;
	c->cpu = iv.aux;
	occupants = occupants_text(q, c);
	flight = flight_text(q, c);
	if (flight && occupants)
		c->cause = g_strdup_printf("%s; %s", occupants, flight);
	else
		c->cause = g_strdup(flight ? flight : occupants);
}

const struct ana_latency_kind ana_latency_wakeup = { .name = "wakeup",
	.walk = wakeup_walk,
	.explain = ana_latency_explain_cpu,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
