/* SPDX-License-Identifier: MIT */
/* What the files that find spans share: private to them. */
#ifndef MDL_SPAN_PARTS_H
#define MDL_SPAN_PARTS_H

#include "model/mdl_cpu.h"
#include "model/mdl_span.h"

#define MDL_SPAN_PENDING (1u << 20) /* work items, or timers: what is more is not followed */

struct mdl_spans {
	GPtrArray *cpus;          /* CPU → struct cpu *, owned, or NULL */
	GHashTable *queued, *run; /* address of a work item → struct work *, owned */
	GHashTable *timers;       /* address of an hrtimer → struct timer *, owned */
	uint64_t requests;        /* how many have steps */
};

/* A hard IRQ. */
struct mdl_span_irq {
	int64_t since; /* MDL_NEVER: none */
	uint64_t key;  /* of MDL_SPAN_RETURN */
	uint32_t cpu;
};

/* What is open of a thread. */
struct mdl_span_thread {
	int64_t call_since; /* MDL_NEVER: none, as below */
	const char *call;   /* interned; NULL: the event has no name */
	uint32_t call_id;   /* string id */
	bool futex;         /* a wait for a futex, at: */
	uint64_t address;
	/* Of its wait in that call (mdl_span_return.c): */
	struct mdl_span_irq woken, early; /* what woke it; what did while it still ran */
	bool asleep, has_early;
};

/* ---- mdl_span.c ---- */

/* The span of KIND from START to END, or what became of it otherwise, goes out. */
void mdl_span_put(struct mdl_machine *m, enum mdl_span_kind kind, enum mdl_span_fate fate, int64_t start,
	int64_t end, uint32_t row, uint32_t cpu, uint64_t key);
/* FATE, unless events of any CPU were lost since START. */
enum mdl_span_fate mdl_span_fate_of(const struct mdl_machine *m, int64_t start, enum mdl_span_fate fate);

/* The system call of T, if there is one, meets FATE. */
void mdl_span_end_call(struct mdl_machine *m, struct mdl_thread *t, enum mdl_span_fate fate);

/* ---- mdl_span_cpu.c: what a CPU has open ---- */

void mdl_span_irq(struct mdl_machine *m, const struct mdl_event *e);
void mdl_span_softirq(struct mdl_machine *m, const struct mdl_event *e);
/* All that is open on CPU meets FATE. */
void mdl_span_end_cpu(struct mdl_machine *m, uint32_t cpu, enum mdl_span_fate fate);

/* The hard IRQ because of which CPU wakes somebody now: the one it is in, or in which the softirq it is in
 * was raised; none. */
struct mdl_span_irq mdl_span_waker(struct mdl_machine *m, uint32_t cpu);

/* ---- mdl_span_return.c: from an interrupt to the thread's return from its call ---- */

/* A thread is woken, or CPUs switch threads. */
void mdl_span_return(struct mdl_machine *m, const struct mdl_event *e);

/* ---- mdl_span_timer.c: hrtimers ---- */

/* One is armed, or cancelled; one expires. */
void mdl_span_arm(struct mdl_machine *m, const struct mdl_event *e);
void mdl_span_timer(struct mdl_machine *m, const struct mdl_event *e);
/* The trace is over at TO. */
void mdl_span_finish_timers(struct mdl_machine *m, int64_t to);

/* ---- mdl_span_work.c: work items ---- */

void mdl_span_work(struct mdl_machine *m, const struct mdl_event *e);
/* The trace is over. */
void mdl_span_finish_works(struct mdl_machine *m);

#endif
