/* SPDX-License-Identifier: MIT */
/* Work items: private to src/model. */
#ifndef MDL_WORK_H
#define MDL_WORK_H

#include "model/core/part.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* E queues a work item. */
void mdl_work_queue(struct mdl_machine *m, const struct mdl_event *e);
/* Start or end of an execution. */
void mdl_work_execute(struct mdl_machine *m, const struct mdl_event *e);
/* T sleeps: if it is a worker at rest, it executes nothing. */
void mdl_work_rest(const struct mdl_machine *m, struct mdl_thread *t);
/* Set the facts of C's own level to what its thread executes. */
void mdl_work_resume(struct mdl_cpu *c);

extern const struct mdl_part mdl_part_work;

#endif
