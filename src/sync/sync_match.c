/* SPDX-License-Identifier: MIT */
#include "sync/sync_waiting.h"

#include <string.h>

#define SWEEP 1024 /* packets between two looks for what has waited too long */

static void count_verdict(struct sync_counts *counts, enum sync_verdict verdict)
{
	counts->matched += verdict == SYNC_FOUND;
	counts->ambiguous += verdict == SYNC_AMBIGUOUS;
	counts->unmatched += verdict == SYNC_UNKNOWN;
	counts->again += verdict == SYNC_AGAIN;
	counts->own += verdict == SYNC_OWN;
	counts->given_up += verdict == SYNC_GIVEN_UP;
}

static void take_arrival(struct sync_waiting *waiting, const struct sync_step *step,
	struct sync_counts *counts)
{
	struct sync_identity id;

	counts->received++;
	sync_identify(&step->packet.packet, true, &id);
	counts->nameless += id.name == SYNC_NAMELESS;
	counts->nameless_received += id.name == SYNC_NAMELESS;
	if (id.name == SYNC_LOCAL)
		counts->own++;
	else
		sync_waiting_arrive(waiting, &id, step);
}

static void take_reception(struct sync_waiting *waiting, const struct sync_step *step,
	struct sync_counts *counts)
{
	struct sync_identity id;

	sync_identify(&step->packet.packet, true, &id);
	if (id.name == SYNC_STRETCH || id.name == SYNC_SINGLE)
		count_verdict(counts, sync_waiting_receive(waiting, &id, step));
}

static void take_sending(struct sync_waiting *waiting, const struct sync_step *step,
	struct sync_counts *counts)
{
	struct sync_identity id;

	counts->sent++;
	sync_identify(&step->packet.packet, false, &id);
	if (id.name == SYNC_NAMELESS)
		counts->nameless++;
	else if (id.name == SYNC_LOCAL)
		counts->own++;
	else
		counts->resent += !sync_waiting_send(waiting, &id, step);
}

static void take_step(struct sync_waiting *waiting, const struct sync_step *step, struct sync_counts *counts)
{
	if (step->late)
		take_reception(waiting, step, counts);
	else if (step->packet.received)
		take_arrival(waiting, step, counts);
	else
		take_sending(waiting, step, counts);
}

void sync_match(const struct sync_source *sources, unsigned n, const struct sync_rough *rough,
	void (*pair)(void *data, const struct sync_pair *pair), void *data, struct sync_counts *counts)
{
	struct sync_walk *walk = sync_walk_new(sources, n, rough);
	struct sync_waiting *waiting = sync_waiting_new(pair, data, counts);
	struct sync_step step;

	memset(counts, 0, n * sizeof *counts);
	for (uint64_t i = 1; sync_walk_next(walk, &step); i++) {
		take_step(waiting, &step, &counts[step.host]);
		if (i % SWEEP == 0)
			sync_waiting_sweep(waiting, step.at);
	}
	sync_waiting_free(waiting);
	sync_walk_free(walk);
}
