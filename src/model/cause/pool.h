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
struct mdl_work;

/* True if T is a worker of a pool: the thread or context that queues an item wakes it. False for rescuers
 * ("kworker/R-…", before Linux 6.8 named after their workqueue), which a timer wakes (kernel/workqueue.c:
 * pool_mayday_timeout()). */
bool mdl_pool_is_worker(const struct mdl_thread *t);
/* True if T is a worker (mdl_pool_is_worker()) that may wait for an item. In the middle of an item it waits
 * for something else, and not in the states in which worker_thread() rests (TASK_IDLE, before Linux 4.14
 * TASK_INTERRUPTIBLE). */
bool mdl_pool_awaits(const struct mdl_thread *t);
/* True if mdl_pool_awaits(), and the trace does not record what is queued. Then the waker woke T for an item
 * (kick_pool()), or it is another worker, which woke T for an item or to end it (wake_dying_workers()). */
bool mdl_pool_guesses(const struct mdl_machine *m, const struct mdl_thread *t);
/* The work item for which C wakes T now; NULL: none is known. */
const struct mdl_work *mdl_pool_queued(const struct mdl_cpu *c, const struct mdl_thread *t);

/* True if the thread of C, in no context, wakes T, a resting worker of its own pool, for the oldest item
 * left. False if the trace does not record what is queued (mdl_pool_guesses()). */
bool mdl_pool_wakes(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
/* D is the wake-up of T that CPU sends now: note it if mdl_pool_wakes(). */
void mdl_pool_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_deferred *d);
/* T begins to execute its item on C: if mdl_pool_wakes(), that is what T was woken for. */
void mdl_pool_starts(struct mdl_machine *m, struct mdl_cpu *c, struct mdl_thread *t);

#endif
