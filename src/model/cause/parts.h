/* SPDX-License-Identifier: MIT */
/* The state of room cause, per machine and per CPU: private to src/model. */
#ifndef MDL_CAUSE_PARTS_H
#define MDL_CAUSE_PARTS_H

#include "model/event/event.h"
#include "model/event/fact.h"
#include "model/cause/chain.h"
#include "model/cause/deferred.h"
#include "model/cause/ipiwait.h"
#include "model/cause/sender.h"
#include "model/core/cpu.h"

struct mdl_cpu;
struct mdl_thread;
struct mdl_machine;

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
/* C went on. Threads that it wakes from now on are apart from those that it woke last. */
void mdl_woken_pass(struct mdl_machine *m, struct mdl_cpu *c);
/* E comes next on C, on which is_waking_open is set. E may show that what came since sched_waking was no part
 * of that wake-up. */
void mdl_woken_before(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e);
/* E has come on C. Call it for sched_waking, and for events after one. */
void mdl_woken_after(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e);

struct mdl_causes {
	struct mdl_senders senders;
	struct mdl_deferreds deferreds;
	struct mdl_ipi_waits ipi_waits;
	/* IRQ number → TID of the thread that its handler woke last (irqthread.c) */
	GHashTable *irq_threads;
	/* IRQ number → struct mdl_chain * (owned): the handler that asked for its thread last, if
	 * sched_waking is not recorded (irqthread.c) */
	GHashTable *irq_calls;
	uint32_t n; /* number of causes handed out */
};

struct mdl_cpu_cause {
	int64_t gone_at; /* ns: when it became idle; MDL_NEVER: never */
	uint32_t gone;   /* row of the thread after which it became idle */
	/* ns: when it was last idle or possibly idle, and last in an IPI for function calls; MDL_NEVER:
	 * never */
	int64_t idle_until, called_until;
	bool gave_lent; /* with its last event, its thread gave back a lent priority */
	/* The threads that its last events woke, oldest first. In between came nothing except the rest of
	 * each wake-up (woken.c). */
	struct mdl_woken *woken; /* owned */
	uint32_t n_woken, woken_room;
	/* TID of the thread whose sched_waking was seen, but not its sched_wakeup (woken.c); 0: none. */
	int64_t waking;
	/* after WAKING came an event that is part of the wake-up if sched_wakeup follows */
	bool is_waking_open;
	bool has_just_queued; /* its last event queued JUST_QUEUED (work/work.c) */
	struct mdl_work just_queued;
	/* The last two times at which a worker began an item here, latest first (pool.c). */
	struct {
		int64_t time; /* ns; MDL_NEVER: none */
		uint32_t by;  /* row of the worker */
	} took[2];
	struct mdl_ipis ipis;
	/* The chain up to and with the context that ended last, if events that show more are not recorded.
	 * Empty: none. */
	struct mdl_chain left;
	struct mdl_raised raised;
};

/* True if a thread may wait for an IPI. */
static inline bool mdl_ipiwait_is_open(const struct mdl_causes *causes)
{
	return G_UNLIKELY(causes->ipi_waits.open && causes->ipi_waits.open->len > 0);
}

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

/* Add the futex for which T waits, if there is one, to FACTS (futex.c). */
void mdl_futex_collect(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts);

/* ---- cause.c ---- */

/* A new cause of the wake-up of T that CPU sends now; NULL if it has nothing to say. The caller frees with
 * g_free(). */
struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* A new cause from CHAIN and FACTS (NULL: none), inferred.  The caller frees with g_free(). */
struct mdl_cause *mdl_cause_new_doubted(const struct mdl_machine *m, const struct mdl_chain *chain,
	const struct mdl_facts *facts);
/* Add DOUBTS to the chain and to all facts of CAUSE. */
void mdl_cause_doubt(struct mdl_cause *cause, mdl_doubts doubts);

extern const struct mdl_part mdl_part_cause;

#endif
