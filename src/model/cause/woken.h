/* SPDX-License-Identifier: MIT */
/* The threads that a CPU has just woken: private to src/model. */
#ifndef MDL_WOKEN_H
#define MDL_WOKEN_H

#include "model/event/event.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* A woken thread, the waking context (MDL_NONE: the thread woke it), how the woken thread slept, and in which
 * system call (string id; 0: in none, or unknown). */
struct mdl_woken {
	int64_t tid;
	uint32_t context;
	uint8_t block; /* enum mdl_block */
	uint32_t call;
};

/* CPU has just sent a wake-up to T. */
void mdl_woken_add(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* C went on: what it wakes from now on is apart from those that it woke last. */
void mdl_woken_pass(struct mdl_machine *m, struct mdl_cpu *c);
/* E comes next on C, on which is_waking_open: was what came since sched_waking a part of that wake-up? */
void mdl_woken_before(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e);
/* E has come on C, and is sched_waking, or one was before. */
void mdl_woken_after(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e);
#endif
