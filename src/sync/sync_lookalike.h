/* SPDX-License-Identifier: MIT */
/* Packets that are identified as a whole: all that look the same, on any host, in the order of the walk. */
#ifndef SYNC_LOOKALIKE_H
#define SYNC_LOOKALIKE_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

struct sync_lookalikes;
struct sync_lookalikes *sync_lookalikes_new(struct sync_counts *counts /* one per host; outlives this */);
void sync_lookalikes_free(struct sync_lookalikes *all);

/* Approximate number of bytes kept; and their ages, added to AGES. */
size_t sync_lookalikes_bytes(const struct sync_lookalikes *all);
void sync_lookalikes_ages(const struct sync_lookalikes *all, struct sync_ages *ages);

/* Note that STEP, identified by ID, was sent or arrived.  (The walk has an arrival again later, as received.)
 * False if another interface of the host has just seen it. */
bool sync_lookalikes_see(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step);

/* STEP, which arrived before, is received: call PAIR with DATA for each other host that sent it.  Sightings
 * up to CUT of the walk may be missing (INT64_MIN: none are). */
enum sync_verdict sync_lookalikes_receive(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step, int64_t cut, void (*pair)(void *data, const struct sync_pair *pair),
	void *data);

/* Forget what AGE says. */
void sync_lookalikes_sweep(struct sync_lookalikes *all, const struct sync_age *age);

#endif
