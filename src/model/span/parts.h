/* SPDX-License-Identifier: MIT */
/* Shared parts of the files that find spans: private to them. */
#ifndef MDL_SPAN_PARTS_H
#define MDL_SPAN_PARTS_H

#include "model/block/block.h"
#include "model/core/cpu.h"
#include "model/span/span.h"

/* Work items, or timers, that are followed; more are ignored. */
#define MDL_SPAN_PENDING (1u << 20)

struct mdl_spans {
	GPtrArray *cpus;          /* CPU → struct cpu *, owned, or NULL */
	GHashTable *queued, *run; /* address of a work item → struct work *, owned */
	GHashTable *timers;       /* address of an hrtimer → struct timer *, owned */
	uint64_t requests;        /* number of requests with steps */
	uint64_t calls;           /* no less than the number of threads in a system call */
};

/* A hard IRQ. */
struct mdl_span_irq {
	int64_t since; /* MDL_NEVER: none */
	uint64_t key;  /* of MDL_SPAN_RETURN */
	uint32_t cpu;
};

/* Open spans of a thread. */
struct mdl_span_thread {
	int64_t call_since; /* ns; MDL_NEVER: none, the members below mean nothing */
	const char *call;   /* interned; NULL: the event has no name */
	uint32_t call_id;   /* string id */
	bool futex;         /* the call waits for the futex at ADDRESS */
	bool is_shared;     /* … which is shared */
	bool joins;         /* the end of another thread of its process released it: pthread_join() */
	uint64_t address;
	/* About its wait in that call (span/return.c).  WOKEN: the IRQ that woke it; EARLY: the IRQ that
	 * did while it still ran. */
	struct mdl_span_irq woken, early;
	bool asleep, has_early;
};

/* ---- span/span.c ---- */

/* Hand out the span of KIND from START to END with its FATE. */
void mdl_span_put(struct mdl_machine *m, enum mdl_span_kind kind, enum mdl_span_fate fate, int64_t start,
	int64_t end, uint32_t row, uint32_t cpu, uint64_t key);
/* FATE, or MDL_SPAN_LOST if events of any CPU were lost since START. */
enum mdl_span_fate mdl_span_fate_of(const struct mdl_machine *m, int64_t start, enum mdl_span_fate fate);

/* The request ITEM was complete at TIME (ns; MDL_NEVER: it was not) on CPU. */
void mdl_span_request(struct mdl_machine *m, const struct mdl_item *item, int64_t time, uint32_t cpu);

/* End the system call of T, if there is one, with FATE. */
void mdl_span_end_call(struct mdl_machine *m, struct mdl_thread *t, enum mdl_span_fate fate);

/* ---- span/cpu.c: open spans of a CPU ---- */

/* E begins or ends a handler of a line; raises, begins or ends a softirq. */
void mdl_span_irq(struct mdl_machine *m, const struct mdl_event *e);
void mdl_span_softirq(struct mdl_machine *m, const struct mdl_event *e);
/* End all open spans of CPU with FATE. */
void mdl_span_end_cpu(struct mdl_machine *m, uint32_t cpu, enum mdl_span_fate fate);

/* The hard IRQ by which CPU wakes a thread now: the IRQ that the CPU is in, or in which its current softirq
 * was raised; SINCE MDL_NEVER: none. */
struct mdl_span_irq mdl_span_waker(struct mdl_machine *m, uint32_t cpu);

/* ---- span/return.c: from an interrupt to the thread's return from its system call ---- */

/* E wakes a thread or switches threads. */
void mdl_span_return(struct mdl_machine *m, const struct mdl_event *e);

/* ---- span/timer.c: hrtimers ---- */

/* A timer is armed or cancelled; a timer expires. */
void mdl_span_arm(struct mdl_machine *m, const struct mdl_event *e);
void mdl_span_timer(struct mdl_machine *m, const struct mdl_event *e);
/* The trace is over at TO. */
void mdl_span_finish_timers(struct mdl_machine *m, int64_t to);

/* ---- span/work.c: work items ---- */

/* E queues a work item, or begins or ends its execution. */
void mdl_span_work(struct mdl_machine *m, const struct mdl_event *e);
/* The trace is over. */
void mdl_span_finish_works(struct mdl_machine *m);

extern const struct mdl_part mdl_part_span;

#endif
