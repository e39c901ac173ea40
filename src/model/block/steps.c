/* SPDX-License-Identifier: MIT */
/* The steps of a request: a list without holes that is written from its begin on (proofs.md R4.7). */
#include "model/block/block.h"

#include <glib.h>
#include <string.h>

void mdl_steps_begin(struct mdl_request *r, int64_t now)
{
	r->begin = r->queued != MDL_NEVER ? r->queued : r->inserted != MDL_NEVER ? r->inserted : now;
}

/* Make room: join the first two requeues of R and the step between them. */
static void steps_make_room(struct mdl_request *r)
{
	unsigned i = 0;

	while (i + 2 < r->n_steps &&
		(r->steps[i].what != MDL_STEP_REQUEUE || r->steps[i + 2].what != MDL_STEP_REQUEUE))
		i++;
	if (i + 2 >= r->n_steps) /* no two requeues: join the last two steps */
		i = r->n_steps - 2;
	r->n_steps -= i + 2 < r->n_steps ? 2 : 1;
	memmove(&r->steps[i], &r->steps[i + (MDL_STEPS_MAX - r->n_steps)],
		sizeof r->steps[0] * (r->n_steps - i));
	r->steps[i].doubts |= MDL_DOUBT(STEPS);
}

void mdl_steps_add(struct mdl_request *r, enum mdl_step_what what, mdl_doubts doubts, int64_t to)
{
	struct mdl_step *last = r->n_steps > 0 ? &r->steps[r->n_steps - 1] : NULL;

	if (to <= (last ? last->to : r->begin))
		return;
	if (last && last->what == what) {
		last->doubts |= doubts;
		last->to = to;
		return;
	}
	if (r->n_steps == MDL_STEPS_MAX)
		steps_make_room(r);
	r->steps[r->n_steps++] = (struct mdl_step){ .to = to, .what = (uint8_t)what, .doubts = doubts };
}

mdl_doubts mdl_steps_doubts(const struct mdl_request *r)
{
	mdl_doubts doubts = 0;

	for (unsigned i = 0; i < r->n_steps; i++)
		doubts |= r->steps[i].doubts;
	return doubts;
}
