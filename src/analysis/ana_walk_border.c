/* SPDX-License-Identifier: MIT */
/*
 * How the path goes from a guest to its host and back.
 *
 * An interrupt that ended a wait in the guest was posted by the host: the time from there until the guest's
 * kernel began with it is a segment of its own, and before that the path is with who posted it, as if the
 * virtual CPU had waited for that.  It stays in the host down to where the guest's own account begins: the
 * begin of the wait, or the time at which the device was given the request.  Where it comes to a thread of
 * the host that does the work of a virtual CPU, inside the guest, it is that guest's thread that did it: the
 * kick of a device, an IPI.
 */
#include "analysis/ana_walk_parts.h"

static const char because_host[] = "the host posted the interrupt that ended the wait above";
static const char because_guest[] = "it ran inside the guest on the virtual CPU above";

uint32_t ana_walk_vcpu(const struct ana_walker *w, uint32_t vcpu)
{
	const struct qry_row *r = qry_row(w->q, vcpu);

	return ana_walk_actor(w, ANA_ACTOR_VCPU, r->host, r->name);
}

bool ana_walk_taken(struct ana_walker *w, const struct ana_wait *wait, const struct ana_border *b)
{
	struct mdl_interval iv = *wait->iv;
	struct ana_wait part = *wait;

	if (b->entry > w->t || b->entry <= wait->from) /* it was passed before, or began before the wait */
		return false;
	ana_walk_pass(w, wait, b->entry, NULL, because_host);
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_VM);
	iv.aux = b->cpu; /* of which it is asked who had it meanwhile */
	part.iv = &iv;
	part.segment = ANA_SEG_VM_INTERRUPT;
	part.actor = ana_walk_vcpu(w, b->vcpu);
	part.turn.time = MDL_NEVER;
	part.grade = MAX(part.grade, b->grade);
	part.vector = b->vector;
	part.crossing = (struct ana_crossing){ true, b->grade, true, b->error };
	ana_walk_pass(w, &part, b->post.time, ana_border_words(b), because_host);
	return true;
}

bool ana_walk_inside(struct ana_walker *w, struct mdl_interval *iv)
{
	const struct ana_frame *f = ana_walk_top(w);
	struct ana_inside in;

	if (qry_host_count(w->q) == 1 || f->depth == 0 || !ana_border_inside(w->q, f->row, w->t, &in))
		return false;
	if (in.guest == MDL_NONE || !ana_walk_may_hand_over(w, w->t)) {
		iv->from = MAX(iv->from, in.from);
		return false;
	}
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_VM);
	w->via = f->via;
	w->grade = in.grade;
	ana_walk_follow(w, in.guest, f->lo, because_guest);
	return true;
}
