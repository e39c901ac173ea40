/* SPDX-License-Identifier: MIT */
/* Requests of block devices from queueing to completion: private to src/model. */
#ifndef MDL_BLOCK_H
#define MDL_BLOCK_H

#include <glib.h>
#include "model/block/range.h"
#include "model/event/fact.h"
#include "model/core/frame.h"
#include "model/event/event.h"
#include "model/block/flush.h"
#include "model/block/inflight.h"
#include "model/block/queue.h"

struct mdl_range;
struct mdl_cpu;
struct mdl_machine;

struct mdl_disks {
	GArray *devices;     /* owned: of struct mdl_device, by number */
	GHashTable *by_name; /* name (owned) → number of the device */
};

void mdl_disk_init(struct mdl_disks *disks);
void mdl_disk_clear(struct mdl_disks *disks);

/* State dump of a block device: add it to the devices.  If a device is dumped twice, its first name stays. */
void mdl_disk_dumped(struct mdl_machine *m, const struct mdl_event *e);
/* String id of the name of DEV; "8:16" if the state dump has no name. */
uint32_t mdl_disk_name(struct mdl_machine *m, uint32_t dev);
/* Number of the disk of which DEV is a partition; DEV itself if it is not known to be one. */
uint32_t mdl_disk_of(const struct mdl_machine *m, uint32_t dev);

struct mdl_blocks {
	struct mdl_disks disks;
	/* Gets each request that was complete at TIME on CPU; NULL: not wanted. */
	void (*completed)(struct mdl_machine *m, const struct mdl_item *item, int64_t time, uint32_t cpu);
	struct mdl_inflight bios; /* bios that belong to no request yet */
	struct mdl_inflight requests;
	struct mdl_queues queues;
	bool has_issues;                            /* block_rq_issue is recorded */
	bool has_gets;                              /* block_getrq is recorded */
	struct mdl_flush flushes[MDL_FLUSHES_KEPT]; /* ring of the last flushes */
	unsigned n_flushes;                         /* number ever stored in FLUSHES */
};

/* A bio or request event.  At its completion the request becomes a fact of the CPU's innermost level. */
void mdl_block_event(struct mdl_machine *m, const struct mdl_event *e);
/* ITEM was complete at TIME on CPU: pass it to COMPLETED. */
static inline void mdl_block_completed(struct mdl_machine *m, const struct mdl_item *item, int64_t time,
	uint32_t cpu)
{
	if (m->blocks->completed)
		m->blocks->completed(m, item, time, cpu);
}
/* The thread of C does something else now: forget the request that it completed before. */
void mdl_block_pass(struct mdl_cpu *c);

/* ---- complete.c ---- */

/* E completes R. */
void mdl_complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r);

/* ---- steps.c ---- */

/* Begin the steps of R when R was queued, otherwise when it was inserted, otherwise at NOW (ns). */
void mdl_steps_begin(struct mdl_request *r, int64_t now);
/* R, whose steps have begun, did WHAT until TO (ns).  Does nothing unless TO is after the end of the last
 * step. */
void mdl_steps_add(struct mdl_request *r, enum mdl_step_what what, mdl_doubts doubts, int64_t to);
/* All doubts of R's steps. */
mdl_doubts mdl_steps_doubts(const struct mdl_request *r);

/* ---- which.c ---- */

/* The request in STAGE that begins where R begins and has the operation of R. In this order it prefers: a
 * request that ends where R ends; in MDL_STAGE_QUEUED, a request that THREAD can reach (its own, inserted or
 * requeued); the oldest. NULL: none. */
struct mdl_item *mdl_which_at(const struct mdl_inflight *requests, enum mdl_stage stage,
	const struct mdl_range *r, uint32_t thread);
/* The queued request to which THREAD adds R, at its end or at its FRONT; NULL: none. */
struct mdl_item *mdl_which_grows(const struct mdl_inflight *requests, const struct mdl_range *r, bool front,
	uint32_t thread);
/* The event seems to be about ITEM. If another request like it was queued up to UNTIL (ns), mark ITEM as
 * doubtful, and also the other one if both end at one sector. */
void mdl_which_doubt(const struct mdl_inflight *requests, struct mdl_item *item, int64_t until);

extern const struct mdl_part mdl_part_block;

#endif
