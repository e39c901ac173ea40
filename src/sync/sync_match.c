/* SPDX-License-Identifier: MIT */
#include "sync/sync_waiting.h"

#include <string.h>

#define SWEEP 65536	/* packets between two looks for what has waited too long */

static void take_packet(struct sync_waiting *waiting, const struct sync_step *step, struct sync_counts *counts)
{
	struct sync_identity id;

	if (step->packet.received)
		counts->received++;
	else
		counts->sent++;
	sync_identify(&step->packet.packet, &id);
	if (id.name == SYNC_NAMELESS)
		counts->nameless++;
	else if (!step->packet.received)
		sync_waiting_send(waiting, &id, step);
	else if (sync_waiting_receive(waiting, &id, step))
		counts->matched++;
}

void sync_match(const struct sync_source *sources, unsigned n, const int64_t *offsets,
		void (*pair)(void *data, const struct sync_pair *pair), void *data, struct sync_counts *counts)
{
	struct sync_walk *walk = sync_walk_new(sources, n, offsets);
	struct sync_waiting *waiting = sync_waiting_new(pair, data, counts);
	struct sync_step step;

	memset(counts, 0, n * sizeof *counts);
	for (uint64_t i = 1; sync_walk_next(walk, &step); i++) {
		take_packet(waiting, &step, &counts[step.host]);
		if (i % SWEEP == 0)
			sync_waiting_sweep(waiting, step.at);
	}
	sync_waiting_free(waiting);
	sync_walk_free(walk);
}
