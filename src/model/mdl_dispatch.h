/* SPDX-License-Identifier: MIT */
/* Events by kind: private to src/model. */
#ifndef MDL_DISPATCH_H
#define MDL_DISPATCH_H

#include "model/mdl_event.h"

struct mdl_machine;

/* What E tells, by its kind. */
void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
