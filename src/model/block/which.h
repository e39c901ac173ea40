/* SPDX-License-Identifier: MIT */
/* Finds the request that an event is about, among several of the same sectors: private to src/model. */
#ifndef MDL_WHICH_H
#define MDL_WHICH_H

#include "model/block/range.h"

/*
 * The request in STAGE that begins where R begins and has the operation of R.  Preferred are: requests that
 * end where R ends; then, in MDL_STAGE_QUEUED, requests that THREAD can reach (its own, inserted or requeued
 * ones); then the oldest.  NULL: none.
 */
struct mdl_item *mdl_which_at(const struct mdl_inflight *requests, enum mdl_stage stage,
	const struct mdl_range *r, uint32_t thread);
/* The queued request that R, which THREAD adds to it, touches: at its end, or at its FRONT; NULL: none. */
struct mdl_item *mdl_which_grows(const struct mdl_inflight *requests, const struct mdl_range *r, bool front,
	uint32_t thread);
/* The event seems to be about ITEM.  If another request like it was queued up to UNTIL (ns), mark ITEM as
 * doubtful, and the other one, too, if it ends at the same sector. */
void mdl_which_doubt(const struct mdl_inflight *requests, struct mdl_item *item, int64_t until);

#endif
