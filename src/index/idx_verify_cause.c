/* SPDX-License-Identifier: MIT */
#include "index/idx_verify_cause.h"

#include <stddef.h>

#define ACTS_MAX (MDL_HOPS_MAX + 6)

/* All acts in CAUSE that happened; how many. */
static unsigned acts_of(const struct mdl_cause *c, const struct mdl_act *acts[ACTS_MAX])
{
	const struct mdl_facts *f = &c->facts;
	const struct mdl_act *const of_facts[] = { f->has & MDL_FACT_REQUEST ? &f->request.submitter : NULL,
		f->has & MDL_FACT_REQUEST ? &f->request.issuer : NULL,
		f->has & MDL_FACT_PACKET ? &f->packet.sender : NULL,
		f->has & MDL_FACT_TIMER ? &f->timer.armed : NULL,
		f->has & MDL_FACT_WORK ? &f->work.queued : NULL,
		f->has & MDL_FACT_SIGNAL ? &f->signal.sender : NULL };
	unsigned n = 0;

	for (unsigned i = 0; i < c->chain.n; i++)
		acts[n++] = &c->chain.hops[i].act;
	for (size_t i = 0; i < sizeof of_facts / sizeof *of_facts; i++)
		if (of_facts[i] && of_facts[i]->time != MDL_NEVER)
			acts[n++] = of_facts[i];
	return n;
}

/* TIMES of N instants, MDL_NEVER where there is none, do not step back and lie in [FROM, TO]. */
static bool in_order(const int64_t *times, unsigned n, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < n; i++) {
		if (times[i] == MDL_NEVER)
			continue;
		if (times[i] < from || times[i] > to)
			return false;
		from = times[i];
	}
	return true;
}

bool idx_verify_act(const struct mdl_act *act, int64_t from, int64_t to)
{
	const int64_t times[] = { act->entry, act->time };

	return in_order(times, 2, from, to);
}

/* The steps of R have no holes and end with it. */
static bool steps_in_order(const struct mdl_request *r)
{
	int64_t from = r->begin;

	for (unsigned i = 0; i < r->n_steps; i++) {
		if (from == MDL_NEVER || r->steps[i].to <= from)
			return false;
		from = r->steps[i].to;
	}
	return r->n_steps == 0 || from == r->completed;
}

static bool facts_in_order(const struct mdl_facts *f, int64_t from, int64_t to)
{
	const int64_t request[] = { f->request.submitter.time, f->request.issued, f->request.completed };
	const int64_t packet[] = { f->packet.sender.time, f->packet.time };
	const int64_t timer[] = { f->timer.armed.time, f->timer.expired_at };
	bool due = !(f->has & MDL_FACT_TIMER) || f->timer.due == MDL_NEVER ||
		(f->timer.expired && f->timer.due >= from && f->timer.due >= f->timer.armed.time);
	const int64_t work[] = { f->work.queued.time, f->work.started };
	const int64_t arrival[] = { f->arrival.entry, f->arrival.time };

	return (!(f->has & MDL_FACT_REQUEST) ||
		       (in_order(request, 3, from, to) && steps_in_order(&f->request))) &&
		(!(f->has & MDL_FACT_PACKET) || in_order(packet, 2, from, to)) &&
		(!(f->has & MDL_FACT_TIMER) || in_order(timer, 2, from, to)) && due &&
		(!(f->has & MDL_FACT_WORK) || in_order(work, 2, from, to)) &&
		(!(f->has & MDL_FACT_ARRIVAL) || in_order(arrival, 2, from, to));
}

const char *idx_verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to)
{
	const struct mdl_act *acts[ACTS_MAX];
	unsigned n = acts_of(cause, acts);

	for (unsigned i = 0; i < n; i++) {
		if (!idx_verify_act(acts[i], from, to))
			return "an act in a cause lies outside the trace, or before the interrupt in which it happened";
		if (i > 0 && i < cause->chain.n && acts[i]->time < acts[i - 1]->time)
			return "the steps of a cause are out of order";
	}
	return facts_in_order(&cause->facts, from, to) ? NULL
						       : "the times of what is in a cause are out of order";
}
