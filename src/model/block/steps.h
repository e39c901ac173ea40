/* SPDX-License-Identifier: MIT */
/* The steps of a request: private to src/model. */
#ifndef MDL_STEPS_H
#define MDL_STEPS_H

#include "model/event/fact.h"

/* Begin the steps of R, at the time when R was queued or inserted, otherwise at NOW (ns). */
void mdl_steps_begin(struct mdl_request *r, int64_t now);
/* R, whose steps have begun, did WHAT until TO (ns).  Does nothing unless TO is after the end of the last
 * step. */
void mdl_steps_add(struct mdl_request *r, enum mdl_step_what what, mdl_doubts doubts, int64_t to);
/* The doubts against any of R's steps. */
mdl_doubts mdl_steps_doubts(const struct mdl_request *r);

#endif
