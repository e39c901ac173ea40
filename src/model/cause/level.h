/* SPDX-License-Identifier: MIT */
/* Begin and end of interrupt contexts, and of softirqs in threads: private to src/model. */
#ifndef MDL_LEVEL_H
#define MDL_LEVEL_H

#include "model/event/types.h"

struct mdl_cpu;
struct mdl_event;
struct mdl_level;
struct mdl_machine;

/* CPU enters or leaves the context of TYPE and NR; NAME: string id, 0: none. Leaving it also closes contexts
 * on top of it whose exits are missing. */
void mdl_level_enter(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr, uint32_t name);
void mdl_level_leave(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr);
/* A context of TYPE and NR is about to be entered on CPU: close the contexts that cannot be open then. */
void mdl_level_before(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr);
/* The thread on CPU acts itself, or leaves the CPU: no context is open. */
void mdl_level_thread(struct mdl_machine *m, uint32_t cpu);
/* A work item begins or ends on CPU, in a thread or a softirq. */
void mdl_level_work(struct mdl_machine *m, uint32_t cpu);
/* True if E restarts the timer whose function has just returned on C. That event comes after the exit event,
 * in the interrupt, which goes on (__run_hrtimer(), kernel/time/hrtimer.c). */
bool mdl_level_restarts(const struct mdl_cpu *c, const struct mdl_event *e);
/* Find out whether the CPU of E is in an interrupt or softirq whose entry was not recorded; the tracer's
 * flags may show it (within.c). The call is not needed if the flags show none (MDL_TOLD_WITHIN) and the CPU
 * was in none. */
void mdl_within_tell(struct mdl_machine *m, const struct mdl_event *e);
/* The thread on CPU changes: close all contexts. */
void mdl_level_switch(struct mdl_machine *m, uint32_t cpu);
/* Level L, of CPU or of the thread on it, begins now: set its context and its origin, and clear its facts. */
void mdl_level_begin(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l, enum mdl_ctx_type type,
	int64_t nr, uint32_t name);

#endif
