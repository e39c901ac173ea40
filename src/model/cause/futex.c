/* SPDX-License-Identifier: MIT */
/*
 * How it works: this file finds the futex that a thread waited for, if its waker released one.
 *
 * Between its entry and its exit, futex(2) wakes only waiters that it takes off the futex (proofs.md R20.1).
 * The calls of waker and waiter must fit (pairs): the kernel does not mix waiters for a lock with priority
 * inheritance with plain ones. futex_requeue() wakes the first waiters and moves the others to the second
 * futex. futex_unlock_pi() wakes through its rt_mutex.
 *
 * The waiter sleeps in futex_wait_queue() or in the rt_mutex, TASK_INTERRUPTIBLE. A thread that sleeps
 * otherwise (a page fault on the futex, mmap_lock) is not on the futex yet (R20.2). The kernel finds a futex
 * by its key (get_futex_key(), core.c). The key of a private futex (FUTEX_PRIVATE_FLAG) is its address and
 * the memory of the process. The key of a shared one is the page that holds it, which other processes map at
 * other addresses. So only a private one is without doubt.
 *
 * PREEMPT_RT, unrecorded calls and ending threads leave doubts, too (R20.3). A thread that ends releases the
 * futex for which pthread_join() waits (mm_release()), and the locks that it left locked
 * (handle_futex_death(), core.c).
 */
#include "model/event/fact.h"

#include "model/cause/parts.h"
#include "model/core/gap.h"
#include "model/core/thread.h"

#include <string.h>

/* include/uapi/linux/futex.h */
enum {
	FUTEX_WAIT = 0,
	FUTEX_WAKE = 1,
	FUTEX_REQUEUE = 3,
	FUTEX_CMP_REQUEUE = 4,
	FUTEX_WAKE_OP = 5,
	FUTEX_LOCK_PI = 6,
	FUTEX_UNLOCK_PI = 7,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAKE_BITSET = 10,
	FUTEX_WAIT_REQUEUE_PI = 11,
	FUTEX_CMP_REQUEUE_PI = 12,
	FUTEX_LOCK_PI2 = 13,
	FUTEX_PRIVATE = 128,
	FUTEX_CLOCK_REALTIME = 256
};

/* The addresses of a call. */
enum { FIRST = 1, SECOND = 2 };

/* WAKE at its address BY (FIRST, SECOND, or both) can release a thread that waits by WAIT at its address
 * AT. */
static const struct pair {
	uint8_t wait, at, wake, by, what;
} pairs[] = {
	{ FUTEX_WAIT, FIRST, FUTEX_WAKE, FIRST, MDL_FUTEX_BY_WAKE },
	{ FUTEX_WAIT, FIRST, FUTEX_WAKE_OP, FIRST | SECOND, MDL_FUTEX_BY_WAKE_OP },
	{ FUTEX_WAIT, FIRST, FUTEX_REQUEUE, FIRST, MDL_FUTEX_BY_REQUEUE },
	{ FUTEX_LOCK_PI, FIRST, FUTEX_UNLOCK_PI, FIRST, MDL_FUTEX_BY_UNLOCK_PI },
	{ FUTEX_WAIT_REQUEUE_PI, FIRST, FUTEX_CMP_REQUEUE_PI, FIRST, MDL_FUTEX_BY_REQUEUE_PI },
	{ FUTEX_WAIT_REQUEUE_PI, SECOND, FUTEX_UNLOCK_PI, FIRST, MDL_FUTEX_BY_UNLOCK_PI },
};

/* A call of futex(2) that a thread is in. */
struct call {
	int cmd; /* FUTEX_…; of commands that do alike, the first */
	bool private;
	uint64_t address[2]; /* 0 unknown */
};

static int command(int64_t op)
{
	int cmd = (int)(op & ~(int64_t)(FUTEX_PRIVATE | FUTEX_CLOCK_REALTIME));

	switch (cmd) {
	case FUTEX_WAIT_BITSET: return FUTEX_WAIT;
	case FUTEX_WAKE_BITSET: return FUTEX_WAKE;
	case FUTEX_CMP_REQUEUE: return FUTEX_REQUEUE;
	case FUTEX_LOCK_PI2: return FUTEX_LOCK_PI;
	default: return cmd;
	}
}

static const char *call_name(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return t->mode == MDL_MODE_SYSCALL ? base_strings_get(m->strings, t->syscall) : "";
}

/* True if T is in futex(2). Sets CALL. */
static bool read_call(const struct mdl_machine *m, const struct mdl_thread *t, struct call *call)
{
	const struct mdl_call *c = t->call;

	if (!c || c->since == MDL_NEVER || c->arg[MDL_FUTEX_OP] == MDL_ARG_ABSENT ||
		strcmp(call_name(m, t), "futex") != 0)
		return false;
	call->cmd = command(c->arg[MDL_FUTEX_OP]);
	call->private = (c->arg[MDL_FUTEX_OP] & FUTEX_PRIVATE) != 0;
	call->address[0] = c->arg[MDL_FUTEX_UADDR] != MDL_ARG_ABSENT ? (uint64_t)c->arg[MDL_FUTEX_UADDR] : 0;
	call->address[1] = c->arg[MDL_FUTEX_UADDR2] != MDL_ARG_ABSENT ? (uint64_t)c->arg[MDL_FUTEX_UADDR2]
								      : 0;
	return true;
}

/* True if WAKE by thread W can release T, which waits by WAIT. Sets BY, ADDRESS and DOUBTS of F. */
static bool futex_fits(const struct mdl_thread *t, const struct call *wait, const struct mdl_thread *w,
	const struct call *wake, struct mdl_futex *f)
{
	/* If no event shows the processes, the flag "private" does: a wakee of futex(2) waits for the futex
	 * of that call, in the memory that both share (proofs.md R20.1). */
	bool one = wait->private || mdl_thread_same_process(t, w);

	if (wait->private != wake->private || (wait->private && mdl_thread_other_process(t, w)))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		const struct pair *p = &pairs[i];
		uint64_t address = wait->address[p->at - 1];
		bool here = (p->by & FIRST && wake->address[0] == address) ||
			(p->by & SECOND && wake->address[1] == address);

		if (p->wait != wait->cmd || p->wake != wake->cmd || address == 0 || (one && !here))
			continue;
		f->by = p->what;
		f->address = address;
		f->doubts = wait->private ? 0 : MDL_DOUBT(FUTEX);
		return true;
	}
	return false;
}

/* True if W, which ends, may release the shared futex for which T waits by WAIT. */
static bool fits_end(const struct mdl_machine *m, const struct mdl_thread *t, const struct call *wait,
	const struct mdl_thread *w, struct mdl_futex *f)
{
	if (wait->private || wait->cmd != FUTEX_WAIT || wait->address[0] == 0 || !mdl_thread_may_join(t, w) ||
		strcmp(call_name(m, w), "exit") != 0)
		return false;
	f->by = MDL_FUTEX_BY_EXIT;
	f->address = wait->address[0];
	f->doubts = MDL_DOUBT(FUTEX);
	return true;
}

static struct mdl_act entry_of(const struct mdl_thread *t, bool known)
{
	return (struct mdl_act){ .time = known ? t->call->since : MDL_NEVER,
		.entry = MDL_NEVER,
		.cpu = known ? t->call->cpu : MDL_NONE,
		.context = MDL_NONE,
		.thread = t->track->id };
}

/* Uses sched_waking alone, which is written where the waker runs: mdl_sched_waking() has noted it as a
 * wake-up by CPU. */
void mdl_futex_collect(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_thread *w = c->current;
	struct mdl_futex f;
	struct call wait, wake;
	bool asleep = t->phase == MDL_PH_BLOCKED && t->block == MDL_BLOCK_INTERRUPTIBLE, called;

	if (!t->call || !w || l != &c->own || c->depth > 0 || l->origin.n > 0 || !mdl_woken_is_last(c, t) ||
		(t->phase == MDL_PH_BLOCKED && !asleep) || !read_call(m, t, &wait))
		return;
	called = read_call(m, w, &wake);
	if (called ? !futex_fits(t, &wait, w, &wake, &f) : !fits_end(m, t, &wait, w, &f))
		return;
	f.waiter = entry_of(t, true);
	f.waker = entry_of(w, called);
	f.doubts |= mdl_doubt(&m->coverage, MDL_DOUBT(RT_LOCK) | MDL_DOUBT(CALLS));
	if (!asleep)
		f.doubts |= MDL_DOUBT(FUTEX);
	if (mdl_gap_since(&m->gaps, f.waiter.time) || mdl_gap_since(&m->gaps, f.waker.time))
		f.doubts |= MDL_DOUBT(LOST);
	facts->futex = f;
	facts->has |= MDL_FACT_FUTEX;
}
