/* SPDX-License-Identifier: MIT */
/* Which function handles which kind of event: private to src/model. */
#ifndef MDL_DISPATCH_H
#define MDL_DISPATCH_H

struct mdl_event;
struct mdl_machine;

void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
