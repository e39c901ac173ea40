/* SPDX-License-Identifier: MIT */
/* Packets that are known as a whole: all that look the same, on whatever host, in the order of the walk. */
#ifndef SYNC_LOOKALIKE_H
#define SYNC_LOOKALIKE_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

struct sync_lookalikes;
struct sync_lookalikes *sync_lookalikes_new(struct sync_counts *counts /* for each host; outlives this */);
void sync_lookalikes_free(struct sync_lookalikes *all);

/* About how many bytes are kept; they by age. */
size_t sync_lookalikes_bytes(const struct sync_lookalikes *all);
void sync_lookalikes_ages(const struct sync_lookalikes *all, struct sync_ages *ages);

/* STEP, known as ID, was sent or came in (it is received later in the walk).  False: it was seen just before
 * on another interface of the host. */
bool sync_lookalikes_see(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step);

/*
 * STEP, that came in before, is received: PAIR is called with DATA for each other host whose sending it is.
 * What was seen up to CUT of the walk may be missing (INT64_MIN: nothing is).
 */
enum sync_verdict sync_lookalikes_receive(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step, int64_t cut, void (*pair)(void *data, const struct sync_pair *pair),
	void *data);

/* Forget what AGE says. */
void sync_lookalikes_sweep(struct sync_lookalikes *all, const struct sync_age *age);

#endif
