/* SPDX-License-Identifier: MIT */
/* What the tracer itself says of where its events happen: private to src/model. */
#ifndef MDL_WITHIN_H
#define MDL_WITHIN_H

#include "model/mdl_event.h"

struct mdl_machine;

/* Before E is handled: is its CPU in an interrupt, or a softirq, whose entry was not recorded? */
void mdl_within_tell(struct mdl_machine *m, const struct mdl_event *e);

#endif
