/* SPDX-License-Identifier: MIT */
/* Priorities of threads, including lent ones: private to src/model. */
#ifndef MDL_PRIORITY_H
#define MDL_PRIORITY_H

#include "model/event/event.h"

struct mdl_machine;
struct mdl_thread;

/* Switch E gives the priority of T (NULL: of no thread) in FIELD. */
void mdl_priority_seen(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned field);
/* A priority was lent, or taken back: sched_pi_setprio. */
void mdl_priority_lent(struct mdl_machine *m, const struct mdl_event *e);

#endif
