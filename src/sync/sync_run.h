/* SPDX-License-Identifier: MIT */
/* Packets that look the same without a second of silence between them: what is lost in one run leaves the
 * next one alone. */
#ifndef SYNC_RUN_H
#define SYNC_RUN_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

/* ns between runs: more than packets are on their way, and rough offsets off. */
#define SYNC_SILENCE (INT64_C(1) * 1000000000)

/* A packet seen on a host. */
struct sync_sighting {
	unsigned host;
	uint32_t device;
	bool arrival, done; /* done: sent, and found at another host; arrived, and looked for */
	int64_t time, walked;
	uint64_t number;
	struct sync_sighting *next;
};

/* Sightings without silence between them: [first, end). */
struct sync_run {
	struct sync_sighting *first, *end;
};

/* The run that begins with FIRST. */
struct sync_run sync_run_from(struct sync_sighting *first);

/* The run that ARRIVAL is in, one of those from FIRST on. */
struct sync_run sync_run_of(struct sync_sighting *first, const struct sync_sighting *arrival);

/* Match ARRIVAL, that STEP is the reception of, with what each other host sent of RUN: PAIR is called with
 * DATA for each. */
enum sync_verdict sync_run_match(const struct sync_run *run, const struct sync_sighting *arrival,
	const struct sync_step *step, void (*pair)(void *data, const struct sync_pair *pair), void *data);

/* Is nothing of RUN looked for any more, at NOW of the walk, and will nothing be added to it? */
bool sync_run_is_over(const struct sync_run *run, int64_t now);

#endif
