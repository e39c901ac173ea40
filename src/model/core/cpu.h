/* SPDX-License-Identifier: MIT */
/* CPUs, and what runs on each: private to src/model. */
#ifndef MDL_CPU_H
#define MDL_CPU_H

#include "model/core/frame.h"
#include "model/core/part.h"
#include "model/core/thread.h"
#include "model/event/fact.h"

/* One level of execution on a CPU: the thread's own, or an interrupt context. */
struct mdl_level {
	/* Context id.  MDL_NONE: the thread's own level; TYPE, NR and ENTRY then mean nothing. */
	uint32_t context;
	uint8_t type; /* enum mdl_ctx_type */
	int64_t nr;
	int64_t entry;
	struct mdl_chain origin; /* what led to this context, without the context itself (cause/chain.c) */
	struct mdl_facts facts;  /* what has happened in it so far */
	uint64_t expired_timer;  /* address of the timer that expired in it last; 0: none (timer/timer.c) */
	/* softirqs: number of interrupts of this CPU at the time when the list of work was complete */
	uint32_t irqs;
	uint8_t others; /* enum mdl_others */
	/* only the tracer's flags show this context, its entry was not recorded (cause/within.c) */
	bool told;
	/* with TOLD: either the handler that has just ended, or an unrecorded interrupt */
	bool behind;
};

/* True if L is a hard interrupt as a whole. */
static inline bool mdl_level_is_hard(const struct mdl_level *l)
{
	return l->type == MDL_CTX_IRQ || l->type == MDL_CTX_VECTOR || l->type == MDL_CTX_IPI;
}

/* True if L is the softirq of hrtimers. */
static inline bool mdl_level_is_soft_timers(const struct mdl_level *l)
{
	return l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_HRTIMER;
}

/* How a CPU goes off-line. */
enum mdl_stops {
	MDL_STOPS_NOT,
	MDL_STOPS_MAYBE, /* its stopper runs, which may take it off-line */
	MDL_STOPS_OFF    /* it is off-line, until BACK_AT */
};

struct mdl_cpu {
	struct mdl_track *track;
	struct mdl_thread *current; /* weak; NULL: unknown */
	struct mdl_thread *idle;    /* weak; NULL: not seen yet */
	uint8_t gap;                /* enum mdl_gap_phase */
	uint8_t just;               /* enum mdl_just */
	uint16_t n_gaps;            /* number of its streams with an open gap */
	bool settled;               /* its first switch was seen */
	bool is_sure;       /* since the last loss, an event showed whether the CPU serves an interrupt */
	bool switched;      /* a switch was seen since the last loss, so no interrupt is open unseen */
	uint8_t stops;      /* enum mdl_stops (sched/sched.c) */
	uint8_t sleeps;     /* enum mdl_idle: MDL_IDLE_ONLINE, or its idle state (power/power.c) */
	int64_t back_at;    /* ns, with MDL_STOPS_OFF */
	int64_t lost_since; /* MDL_GAP_ENDING: time (ns) of the last event before the loss */
	int64_t lost_until; /* ns: end of its last loss; MDL_NEVER: none */
	int64_t heard;      /* ns: time of its last event */
	uint32_t depth;
	bool is_unseen;  /* UNSEEN is valid */
	int64_t left_at; /* ns: when the last context ended; MDL_NEVER: none has */
	/* Weak, in STACK: the context that ended last, while only wake-ups have followed; NULL: none. */
	const struct mdl_level *leaving;
	/* Return value of its handler; MDL_ARG_ABSENT: not recorded, or it was no handler of a line. */
	int64_t leaving_ret;
	GHashTable *softirqs; /* vector → struct mdl_track * (weak) */
	/* The state of the parts: owned. */
	struct mdl_cpu_cause *cause;
	struct mdl_batch *batch; /* the packets received last */
	struct mdl_cpu_timer *timer;
	struct mdl_cpu_guest *guest;
	struct mdl_cpu_counts *counts; /* owned: sched/counts.c; NULL: none came */
	/* (At the end, as most CPUs of a large machine never need more than their beginning.) */
	struct mdl_level own; /* of the thread */
	/* The context of its last event according to the tracer, if the entry of that context was not
	 * recorded. */
	struct mdl_level unseen;
	struct mdl_level stack[MDL_CTX_MAX]; /* [0, DEPTH) are open, outermost first */
};

/* Make CPU, which the model does not know yet. */
struct mdl_cpu *mdl_cpu_new(struct mdl_machine *m, uint32_t cpu);

/* CPU; NULL if the model does not know it. */
static inline struct mdl_cpu *mdl_cpu_peek(const struct mdl_machine *m, uint32_t cpu)
{
	return cpu < m->cpus->len ? g_ptr_array_index(m->cpus, cpu) : NULL;
}

/* True if the thread on C itself does what C does now. */
static inline bool mdl_cpu_is_own(const struct mdl_cpu *c)
{
	return c->depth == 0 && !c->is_unseen;
}

/* CPU, made if it is new to the model.  Inline: each event calls this several times for its own CPU. */
static inline struct mdl_cpu *mdl_cpu_get(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	return G_LIKELY(c) ? c : mdl_cpu_new(m, cpu);
}

/* Row of the thread on C; MDL_NONE: unknown. */
static inline uint32_t mdl_cpu_thread(const struct mdl_cpu *c)
{
	return c->current ? c->current->track->id : MDL_NONE;
}

/* The innermost level of CPU: its events happen there. */
struct mdl_level *mdl_cpu_level(struct mdl_machine *m, uint32_t cpu);
/* The act of CPU now: its innermost context or its thread. */
struct mdl_act mdl_cpu_act(struct mdl_machine *m, uint32_t cpu);
/* Like mdl_cpu_act(), for level L of CPU. */
struct mdl_act mdl_cpu_act_of(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);
/* Set CPU, WAKER and CONTEXTS of W, which CPU sends now. */
void mdl_cpu_place(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w);
/* Close all contexts of C and forget what its thread did: at a thread switch, and when events are lost. */
void mdl_cpu_clear(struct mdl_cpu *c);
/* mdl_cpu_is_interrupted() for a CPU with open contexts. */
bool mdl_cpu_has_interrupt(const struct mdl_cpu *c);
/* True if the thread on C is interrupted.  Soft hrtimers that the thread itself expires do not count: under
 * PREEMPT_RT softirq HRTIMER is part of a thread (hrtimer_run_softirq(), kernel/time/hrtimer.c). */
static inline bool mdl_cpu_is_interrupted(const struct mdl_cpu *c)
{
	return c->depth > 0 && mdl_cpu_has_interrupt(c);
}
/* Set the state of the CPU's row after a change of thread or context. */
void mdl_cpu_refresh(struct mdl_machine *m, uint32_t cpu);
/* Free all CPUs. */
void mdl_cpu_free(struct mdl_machine *m);

#endif
