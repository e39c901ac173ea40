/* SPDX-License-Identifier: MIT */
/* What causes keep of the machine and of a CPU: private to src/model. */
#ifndef MDL_CAUSE_PARTS_H
#define MDL_CAUSE_PARTS_H

#include "model/cause/chain.h"
#include "model/cause/deferred.h"
#include "model/cause/sender.h"
#include "model/cause/woken.h"
#include "model/core/cpu.h"

struct mdl_causes {
	struct mdl_senders senders;
	struct mdl_deferreds deferreds;
	/* IRQ number → TID of the thread that its handler woke last (irqthread.c) */
	GHashTable *irq_threads;
	/* IRQ number → struct mdl_chain * (owned): the handler that asked for its thread last, where sched_waking
	 * is not recorded (irqthread.c) */
	GHashTable *irq_calls;
	uint32_t n; /* number of causes handed out */
};

struct mdl_cpu_cause {
	struct mdl_raised raised;
	struct mdl_ipis ipis;
	/* The chain up to and with the context that ended last, if events that would tell more are missing;
	 * empty: none. */
	struct mdl_chain left;
	int64_t gone_at; /* ns: when it became idle; MDL_NEVER: never */
	uint32_t gone;   /* row of the thread after which it became idle */
	bool gave_lent;  /* with its last event, its thread gave back a lent priority */
	/* The threads that its last events woke, oldest first, with nothing in between except the rest of
	 * each wake-up (woken.c). */
	struct mdl_woken *woken; /* owned */
	uint32_t n_woken, woken_room;
	/* TID of the thread whose sched_waking was seen, and whose sched_wakeup was not yet (woken.c); 0: none. */
	int64_t waking;
	/* since WAKING, an event came that is part of that wake-up if sched_wakeup follows */
	bool is_waking_open;
	bool has_just_queued; /* its last event queued JUST_QUEUED (work/work.c) */
	struct mdl_work just_queued;
	/* The last two times at which a worker began an item here, the latest first (pool.c). */
	struct {
		int64_t time; /* ns; MDL_NEVER: none did */
		uint32_t by;  /* row of the worker */
	} took[2];
};

/* True if the last events of C woke T, so that a signal may still turn out to be the reason. */
static inline bool mdl_woken_has(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	for (uint32_t i = 0; i < c->cause->n_woken; i++)
		if (c->cause->woken[i].tid == t->tid)
			return true;
	return false;
}

/* True if T is the thread that C has just woken. */
static inline bool mdl_woken_is_last(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	return c->cause->n_woken > 0 && c->cause->woken[c->cause->n_woken - 1].tid == t->tid;
}

/* Add the futex, if there is one, for which T waits to FACTS (futex.c). */
void mdl_futex_collect(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts);

extern const struct mdl_part mdl_part_cause;

#endif
