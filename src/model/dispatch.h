/* SPDX-License-Identifier: MIT */
/* The handlers of events, by kind: private to src/model. */
#ifndef MDL_DISPATCH_H
#define MDL_DISPATCH_H

struct mdl_event;
struct mdl_machine;

/* Handle E by the function of its kind (MDL_EVENTS). */
void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
