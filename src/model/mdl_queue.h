/* SPDX-License-Identifier: MIT */
/* Rows of block devices: how many requests each has, and how many wait for it.  Private to src/model. */
#ifndef MDL_QUEUE_H
#define MDL_QUEUE_H

#include "model/mdl_types.h"

#include <glib.h>

struct mdl_machine;
struct mdl_queue;

struct mdl_queues {
	GHashTable *devices; /* number → struct mdl_queue *, owned */
	bool has_completes;  /* block_rq_complete is recorded */
	bool forgot;         /* a device forgot requests since mdl_queue_show() */
};

void mdl_queue_init(struct mdl_queues *queues);
void mdl_queue_clear(struct mdl_queues *queues);

/* ---- what is counted: requests from when they were first heard of ---- */

/* That of DEV, made when it is new. */
struct mdl_queue *mdl_queue_of(struct mdl_queues *queues, uint32_t dev);
/* Requests that are known now will not be counted any more when the number that this returns has changed. */
uint32_t mdl_queue_era(const struct mdl_queue *queue);
/* QUEUED and IN_FLIGHT more, or fewer, of the requests of ERA. */
void mdl_queue_count(struct mdl_queue *queue, uint32_t era, int queued, int in_flight);
/* Nobody knows what became of a request of QUEUE: how many there are is not known any more. */
void mdl_queue_forget(struct mdl_queues *queues, struct mdl_queue *queue);

/* ---- the rows ---- */

/* A request of DEV is over, or given to the driver, that was not counted before: up to now more of them were
 * there than it seemed. */
void mdl_queue_surprise(struct mdl_machine *m, uint32_t dev);
/* The row of DEV has what was counted from now on. */
void mdl_queue_show(struct mdl_machine *m, uint32_t dev);
/* Events were, or may have been, lost since SINCE, or since what is told of the rows where that is later. */
void mdl_queue_lose(struct mdl_machine *m, int64_t since);
/* The trace ends. */
void mdl_queue_finish(struct mdl_machine *m);

#endif
