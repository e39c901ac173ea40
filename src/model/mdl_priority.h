/* SPDX-License-Identifier: MIT */
/* Priorities of threads, also those that are lent to them: private to src/model. */
#ifndef MDL_PRIORITY_H
#define MDL_PRIORITY_H

#include "model/mdl_event.h"

struct mdl_machine;
struct mdl_thread;

/* The switch E tells the priority of T (NULL: of nobody) in FIELD. */
void mdl_priority_seen(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned field);
/* A priority was lent, or taken back: sched_pi_setprio. */
void mdl_priority_lent(struct mdl_machine *m, const struct mdl_event *e);

#endif
