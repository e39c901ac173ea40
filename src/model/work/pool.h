/* SPDX-License-Identifier: MIT */
/* Pools of workers: private to src/model. */
#ifndef MDL_POOL_H
#define MDL_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_cpu;
struct mdl_deferred;
struct mdl_machine;
struct mdl_thread;

/* True if the thread of C, which acts itself, wakes T, a worker of its own pool that waits for an item, for
 * the oldest one that is left.  False where what is queued is not recorded (mdl_fact_guesses_work()). */
bool mdl_pool_wakes(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
/* D is the wake-up of T that CPU sends now: note it if mdl_pool_wakes(). */
void mdl_pool_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_deferred *d);
/* T begins to execute its item on C: if mdl_pool_wakes(), that is what T was woken for. */
void mdl_pool_starts(struct mdl_machine *m, struct mdl_cpu *c, struct mdl_thread *t);

#endif
