/* SPDX-License-Identifier: MIT */
/* What was sent and waits for its reception. */
#ifndef SYNC_WAITING_H
#define SYNC_WAITING_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

struct sync_waiting;

/* PAIR is called with DATA for each reception that is found.  COUNTS: for each host; outlives this. */
struct sync_waiting *sync_waiting_new(void (*pair)(void *data, const struct sync_pair *pair), void *data,
	struct sync_counts *counts);
/* What still waits is counted as aged. */
void sync_waiting_free(struct sync_waiting *waiting);

/* STEP, known as ID (a stretch or single), was sent.  False when all of it had been sent before. */
bool sync_waiting_send(struct sync_waiting *waiting, const struct sync_identity *id,
	const struct sync_step *step);
/* STEP came in; it is received later in the walk. */
void sync_waiting_arrive(struct sync_waiting *waiting, const struct sync_identity *id,
	const struct sync_step *step);
enum sync_verdict sync_waiting_receive(struct sync_waiting *waiting, const struct sync_identity *id,
	const struct sync_step *step);

/* The walk is at AT: forget what has waited too long, and the older half of all where more is kept than may
 * be.  Cheap when there is nothing to do. */
void sync_waiting_sweep(struct sync_waiting *waiting, int64_t at);

#endif
