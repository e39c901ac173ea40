/* SPDX-License-Identifier: MIT */
/* The end of requests: private to src/model. */
#ifndef MDL_COMPLETE_H
#define MDL_COMPLETE_H

#include "model/event/event.h"

struct mdl_machine;
struct mdl_range;

/* E completes R. */
void mdl_complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r);

#endif
