/* SPDX-License-Identifier: MIT */
/* Requests of block devices from queueing to completion: private to src/model. */
#ifndef MDL_BLOCK_H
#define MDL_BLOCK_H

#include "model/core/frame.h"
#include "model/event/event.h"
#include "model/block/disk.h"
#include "model/block/flush.h"
#include "model/block/inflight.h"
#include "model/block/queue.h"

struct mdl_cpu;
struct mdl_machine;

struct mdl_blocks {
	struct mdl_disks disks;
	/* Told of each request that is complete, at TIME on CPU; NULL: nobody asks. */
	void (*completed)(struct mdl_machine *m, const struct mdl_item *item, int64_t time, uint32_t cpu);
	struct mdl_inflight bios; /* bios that belong to no request yet */
	struct mdl_inflight requests;
	struct mdl_queues queues;
	bool has_issues;                            /* block_rq_issue is recorded */
	bool has_gets;                              /* block_getrq is recorded */
	struct mdl_flush flushes[MDL_FLUSHES_KEPT]; /* ring of the last ones */
	unsigned n_flushes;                         /* number ever stored in FLUSHES */
};

/* A bio or request event.  At its completion the request becomes a fact of the CPU's innermost level. */
void mdl_block_event(struct mdl_machine *m, const struct mdl_event *e);
/* ITEM was complete at TIME on CPU: tell who asked for it. */
static inline void mdl_block_completed(struct mdl_machine *m, const struct mdl_item *item, int64_t time,
	uint32_t cpu)
{
	if (m->blocks->completed)
		m->blocks->completed(m, item, time, cpu);
}
/* The thread of C does something else now: forget the request that it completed before. */
void mdl_block_pass(struct mdl_cpu *c);

extern const struct mdl_part mdl_part_block;

#endif
