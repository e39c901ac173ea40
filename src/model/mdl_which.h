/* SPDX-License-Identifier: MIT */
/* Which of several requests of the same sectors an event is about: private to src/model. */
#ifndef MDL_WHICH_H
#define MDL_WHICH_H

#include "model/mdl_range.h"

/* The request in STAGE that begins with R and does what R does: one that ends with R before others; of those
 * that wait for the driver one that THREAD has before those of other threads; then the oldest.  NULL none. */
struct mdl_item *mdl_which_at(const struct mdl_inflight *requests, enum mdl_stage stage,
	const struct mdl_range *r, uint32_t thread);
/* The queued request that R, which THREAD adds to it, touches: at its end, or in FRONT of it; NULL none. */
struct mdl_item *mdl_which_grows(const struct mdl_inflight *requests, const struct mdl_range *r, bool front,
	uint32_t thread);
/* ITEM is the one that is meant, unless there is another one like it, queued up to UNTIL: then either may be,
 * now and later. */
void mdl_which_doubt(const struct mdl_inflight *requests, struct mdl_item *item, int64_t until);

#endif
