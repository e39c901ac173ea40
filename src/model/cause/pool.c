/* SPDX-License-Identifier: MIT */
/*
 * How it works: a worker wakes another worker of its pool for the oldest item left. It does so when it goes
 * to sleep in the middle of its item, or takes one and does not count as running (proofs.md R7.3). Workers of
 * other pools do not: nr_running does not count them. The oldest item need not be the one that was queued
 * last. The woken worker executes it next. The events leave open which item it is if the woken worker goes
 * back to sleep or makes another worker first, or if a third worker took an item meanwhile.
 *
 * The name of a worker shows its pool: "kworker/CPU:NUMBER", with "H" at the end for the pool of high
 * priority, or "kworker/uPOOL:NUMBER" for workers bound to no CPU (create_worker(), kernel/workqueue.c; since
 * Linux 6.10 format_worker_id()).
 */
#include "model/cause/pool.h"

#include "model/cause/parts.h"
#include "model/cause/chain.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/gap.h"
#include "model/core/thread.h"

#include <string.h>

#define PREFIX "kworker/"

bool mdl_pool_is_worker(const struct mdl_thread *t)
{
	return g_str_has_prefix(t->comm, PREFIX) && t->comm[strlen(PREFIX)] != 'R';
}

/* proofs.md R7.2 */
bool mdl_pool_awaits(const struct mdl_thread *t)
{
	return mdl_pool_is_worker(t) && !t->work &&
		(t->phase != MDL_PH_BLOCKED ||
			(t->block != MDL_BLOCK_UNINTERRUPTIBLE && t->block != MDL_BLOCK_KILLABLE));
}

const struct mdl_work *mdl_pool_queued(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	return c->cause->has_just_queued && mdl_pool_awaits(t) ? &c->cause->just_queued : NULL;
}

bool mdl_pool_guesses(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return !mdl_machine_has(m, MDL_GROUP_WORK_QUEUE) && mdl_pool_awaits(t);
}

/* The length of the part of COMM that names the pool, up to the worker's number; 0: no worker of a pool. */
static size_t pool_length_of(const char *comm)
{
	const char *colon = g_str_has_prefix(comm, PREFIX) ? strchr(comm, ':') : NULL;
	const char *pool = comm + strlen(PREFIX);

	return colon && (g_ascii_isdigit(*pool) || (*pool == 'u' && g_ascii_isdigit(pool[1])))
		? (size_t)(colon - comm)
		: 0;
}

/* True if COMM, whose first N bytes name its pool, is a worker of high priority. */
static bool is_urgent(const char *comm, size_t n)
{
	const char *c = comm + n + 1;

	while (g_ascii_isdigit(*c))
		c++;
	return *c == 'H';
}

static bool is_bound(const char *comm)
{
	return comm[strlen(PREFIX)] != 'u';
}

/* True if T and the thread of C, which acts itself, are workers of one pool. */
static bool is_same(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	const char *own = c->current && mdl_cpu_is_own(c) ? c->current->comm : "";
	size_t n = pool_length_of(own);

	return n > 0 && n == pool_length_of(t->comm) && strncmp(own, t->comm, n) == 0 &&
		is_urgent(own, n) == is_urgent(t->comm, n);
}

bool mdl_pool_wakes(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t)
{
	if (!mdl_machine_has(m, MDL_GROUP_WORK_QUEUE) || !mdl_pool_awaits(t) || !is_same(c, t))
		return false;
	/* An unbound worker does not count as running: it wakes for the item that it queues. */
	return is_bound(t->comm) || !mdl_pool_queued(c, t);
}

void mdl_pool_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_deferred *d)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (!d->cause || !mdl_pool_wakes(m, c, t))
		return;
	d->for_work = d->by_pool = true;
	d->takes = !c->current->work;
}

/* True if events may be lost since the item was queued at QUEUED, or since wake-up D. */
static bool pool_is_lossy(const struct mdl_machine *m, const struct mdl_deferred *d, int64_t queued)
{
	return mdl_gap_since(&m->gaps, d->wakeup.time) || mdl_gap_since(&m->gaps, queued);
}

/* The number of items that workers of T's pool may have begun since D; T is on C. The waker's own item does
 * not count: it took that before it woke T. Of each CPU at most two are known. */
static unsigned n_taken(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t,
	const struct mdl_deferred *d)
{
	unsigned n = 0, own = 0;

	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *other = mdl_cpu_peek(m, i);

		for (unsigned k = 0; other && (other == c || !is_bound(t->comm)) && k < 2; k++) {
			if (other->cause->took[k].time == MDL_NEVER ||
				other->cause->took[k].time < d->wakeup.time)
				continue;
			n++;
			own += d->takes && other->cause->took[k].by == d->wakeup.waker;
		}
	}
	return n - MIN(own, 1);
}

/* T, which another worker of its pool woke, begins on C the item for which it was woken. */
static void settle(struct mdl_machine *m, const struct mdl_cpu *c, struct mdl_thread *t,
	struct mdl_deferred *d)
{
	int64_t queued = t->work->queued.time;

	if (queued == MDL_NEVER || pool_is_lossy(m, d, queued) || !mdl_machine_has(m, MDL_GROUP_WORK_END))
		return;
	mdl_chain_settle(&d->cause->chain, MDL_DOUBT(WORK));
	if (queued > d->wakeup.time || n_taken(m, c, t, d) > 0)
		return;
	d->cause->facts.work = *t->work;
	d->cause->facts.work.started = MDL_NEVER;
}

void mdl_pool_starts(struct mdl_machine *m, struct mdl_cpu *c, struct mdl_thread *t)
{
	if (t->deferred && t->deferred->by_pool)
		settle(m, c, t, t->deferred);
	c->cause->took[1] = c->cause->took[0];
	c->cause->took[0].time = m->now;
	c->cause->took[0].by = t->track->id;
}
