/* SPDX-License-Identifier: MIT */
/* Flushes of the cache of a device: private to src/model. */
#ifndef MDL_FLUSH_H
#define MDL_FLUSH_H

#include "model/event/fact.h"

struct mdl_item;
struct mdl_machine;

#define MDL_FLUSHES_KEPT 32

/* A completed flush of the driver. */
struct mdl_flush {
	struct mdl_request request;
	struct mdl_act act; /* the act that completed it */
};

/* ITEM, a flush of the driver, is completed on CPU now. */
void mdl_flush_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_item *item);
/* The data of ITEM go to the driver now: add the flush before them, if there was one, to its steps. */
void mdl_flush_before(const struct mdl_machine *m, struct mdl_item *item);
/* The flush of device DEV that CPU completed last in its current thread or context, if the driver got it at
 * SINCE or later; NULL: none. */
const struct mdl_flush *mdl_flush_here(struct mdl_machine *m, uint32_t cpu, uint32_t dev, int64_t since);
/* True if A and B are acts of one thread, or in one interrupt context. */
bool mdl_flush_same(const struct mdl_act *a, const struct mdl_act *b);
/* ITEM waited for FLUSH: add the steps of FLUSH to those of ITEM, its time in the device as WHAT, all of
 * them with DOUBTS, too. */
void mdl_flush_serve(struct mdl_item *item, const struct mdl_flush *flush, enum mdl_step_what what,
	mdl_doubts doubts);

#endif
