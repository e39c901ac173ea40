/* SPDX-License-Identifier: MIT */
/*
 * How it works: each level of a CPU (a thread, or an interrupt context upon it)
 * remembers what led to it and what happened in it.  A wake-up is explained by
 * the level that sends it; what its thread had armed before it waited is added.
 */
#include "model/mdl_parts.h"

struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *l = mdl_cpu_level(m, cpu);
	const struct mdl_work *work = mdl_work_woken(c, t);
	struct mdl_timer deadline;
	struct mdl_cause *cause;
	bool has_deadline;

	if (m->sink->cause == NULL || c->gap != MDL_GAP_NONE)
		return NULL;
	has_deadline = !(l->facts.has & MDL_FACT_TIMER) && mdl_timer_deadline(m, t, &deadline);
	if (l->origin.n == 0 && l->facts.has == 0 && !has_deadline && work == NULL)
		return NULL;
	cause = g_new(struct mdl_cause, 1);
	cause->chain = l->origin;
	cause->facts = l->facts;
	cause->lossy = false;
	if (has_deadline) {
		cause->facts.has |= MDL_FACT_TIMER;
		cause->facts.timer = deadline;
	}
	if (work != NULL) {
		cause->facts.has |= MDL_FACT_WORK;
		cause->facts.work = *work;
	}
	return cause;
}

struct mdl_facts *mdl_cause_facts(const struct mdl_machine *m, struct mdl_thread *t)
{
	struct mdl_cause **cause = t->has_early ? &t->early_cause : t->has_pending ? &t->pending_cause : NULL;

	if (cause == NULL || m->sink->cause == NULL)
		return NULL;
	if (*cause == NULL)
		*cause = g_new0(struct mdl_cause, 1);
	return &(*cause)->facts;
}

void mdl_cause_free(struct mdl_cause *cause)
{
	g_free(cause);
}

uint32_t mdl_cause_hand_out(struct mdl_machine *m, const struct mdl_cause *cause)
{
	if (cause == NULL)
		return 0;
	m->sink->cause(m->data, cause);
	return ++m->n_causes;
}
