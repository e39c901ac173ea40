/* SPDX-License-Identifier: MIT */
/* Rows of block devices: how many requests each device has, and how many wait for it.  Private to
 * src/model. */
#ifndef MDL_QUEUE_H
#define MDL_QUEUE_H

#include "model/event/types.h"

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

/* ---- counts of requests, each from its first event on ---- */

/* The queue of DEV, made if it is new. */
struct mdl_queue *mdl_queue_of(struct mdl_queues *queues, uint32_t dev);
/* A number that changes when the requests known so far stop being counted. */
uint32_t mdl_queue_era(const struct mdl_queue *queue);
/* Add QUEUED and IN_FLIGHT, which may be negative, to the counts of QUEUE. Does nothing if ERA is over. */
void mdl_queue_count(struct mdl_queue *queue, uint32_t era, int queued, int in_flight);
/* The fate of a request of QUEUE is unknown, so its counts are unknown from now on. */
void mdl_queue_forget(struct mdl_queues *queues, struct mdl_queue *queue);

/* ---- the rows ---- */

/* A request of DEV that was not counted is over, or goes to the driver. So until now the device had more
 * requests than counted. */
void mdl_queue_surprise(struct mdl_machine *m, uint32_t dev);
/* Show the counts of DEV in its row from now on. */
void mdl_queue_show(struct mdl_machine *m, uint32_t dev);
/* Events were or may have been lost since SINCE (ns), or since the time up to which the rows are written if
 * that is later. */
void mdl_queue_lose(struct mdl_machine *m, int64_t since);
/* The trace ends. */
void mdl_queue_finish(struct mdl_machine *m);

#endif
