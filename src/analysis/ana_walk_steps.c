/* SPDX-License-Identifier: MIT */
/*
 * How the steps to a wake-up (ana_steps) stand on the path.
 *
 * Each is a segment of its own: the device's, the interrupt's, the IPI's.  Where a thread had to run first,
 * one of an interrupt line for example, the path goes through what that thread did, like anywhere; then it
 * comes back to the wait, and the steps before are taken up again.
 */
#include "analysis/ana_walk_parts.h"

#include "analysis/ana_chain.h"

static const char because_device[] = "the wait was for this request";
static const char because_interrupt[] = "the end of the wait came from this interrupt";
static const char because_thread[] = "it had to run before the wait above could end";

static const enum ana_segment_kind kinds[ANA_STEPS] = { [ANA_STEP_QUEUE] = ANA_SEG_BLOCK,
	[ANA_STEP_FLUSH_BEFORE] = ANA_SEG_FLUSH,
	[ANA_STEP_DEVICE] = ANA_SEG_BLOCK,
	[ANA_STEP_FLUSH_AFTER] = ANA_SEG_FLUSH,
	[ANA_STEP_REQUEUE] = ANA_SEG_BLOCK,
	[ANA_STEP_ASKED] = ANA_SEG_BLOCK,
	[ANA_STEP_HANDLING] = ANA_SEG_IRQ,
	[ANA_STEP_IPI] = ANA_SEG_IPI,
	[ANA_STEP_SOFTIRQ] = ANA_SEG_IRQ,
	[ANA_STEP_THREAD] = ANA_SEG_IRQ };

/* The context, or the thread, whose turn it was. */
static uint32_t actor_of(const struct ana_walker *w, const struct ana_wait *wait, const struct mdl_act *act)
{
	uint32_t thread = ana_chain_actor(w->q, act);
	g_autofree char *name = NULL;

	if (thread != MDL_NONE)
		return ana_pathbuf_thread(w->buf, thread);
	if (act->context == MDL_NONE)
		return wait->actor;
	name = qry_context_text(w->q, wait->source.host, act->context);
	return ana_walk_actor(w, ANA_ACTOR_IRQ, wait->source.host, name);
}

static void pass_step(struct ana_walker *w, const struct ana_wait *wait, const struct ana_step *step)
{
	struct ana_wait part = *wait;
	struct ana_border border;
	bool own = step->what < ANA_STEP_HANDLING,
	     flush = own && wait->facts->request.op == MDL_OP_FLUSH && step->what == ANA_STEP_DEVICE;

	part.segment = flush ? ANA_SEG_FLUSH : kinds[step->what];
	if (step->what == ANA_STEP_IPI && ana_border_of(w->q, wait->source.host, &step->act, &border))
		ana_walk_taken(w, wait, &border);
	if (!own) { /* which of the request's steps it was does not make the wait less its own */
		part.grade = MAX(part.grade, step->grade);
		part.actor = actor_of(w, wait, &step->act);
		part.turn = step->act;
	}
	ana_walk_pass(w, &part, step->from, ana_step_words(step->what),
		own ? because_device : because_interrupt);
}

/* The path goes through the thread of STEP, which ended at `t`, and comes back to WAIT.  False when there is
 * nobody to follow. */
static bool go_through(struct ana_walker *w, const struct ana_wait *wait, const struct ana_step *step)
{
	uint32_t row = ana_chain_actor(w->q, &step->act);

	if (row == MDL_NONE || row == wait->source.row || !ana_walk_may_hand_over(w, w->t))
		return false;
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_WAKEUP);
	ana_walk_top(w)->resume = wait->iv->to;
	w->via = ANA_KIND_THREAD;
	w->grade = MAX(wait->grade, step->grade);
	ana_walk_follow(w, row, MAX(step->from, wait->from), because_thread);
	return true;
}

bool ana_walk_steps(struct ana_walker *w, const struct ana_wait *wait, const struct ana_steps *steps,
	unsigned first, unsigned n)
{
	for (unsigned i = first + n; i-- > first && w->t > wait->from;) {
		const struct ana_step *step = &steps->steps[i];

		if (step->from >= w->t) /* taken up again: it was passed before */
			continue;
		if (i == steps->n - 1 && step->to < w->t) /* the wake-up itself */
			ana_walk_pass(w, wait, step->to, NULL, because_interrupt);
		if (step->what == ANA_STEP_THREAD && go_through(w, wait, step))
			return false;
		pass_step(w, wait, step);
	}
	return true;
}
