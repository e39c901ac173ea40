/* SPDX-License-Identifier: MIT */
/* CPUs, and what runs on each: private to src/model. */
#ifndef MDL_CPU_H
#define MDL_CPU_H

#include "model/mdl_batch.h"
#include "model/mdl_chain.h"
#include "model/mdl_machine_parts.h"
#include "model/mdl_sender.h"

/* Who was woken, in which context (MDL_NONE: by the thread), how that one slept, and in which system call
 * (string id; 0: none, or not known). */
struct mdl_woken {
	int64_t tid;
	uint32_t context;
	uint8_t block; /* enum mdl_block */
	uint32_t call;
};

/* A level of what a CPU does: the thread's own, or an interrupt context. */
struct mdl_level {
	uint32_t context; /* context id; MDL_NONE: the thread's own level, and the next three mean nothing */
	uint8_t type;     /* enum mdl_ctx_type */
	int64_t nr;
	int64_t entry;
	struct mdl_chain origin; /* what led to this context, up to but without itself (mdl_chain.c) */
	struct mdl_facts facts;  /* what happened in it so far */
	uint64_t expired_timer;  /* address of the timer that expired in it last; 0 none (mdl_timer.c) */
	uint32_t irqs;           /* softirqs: how many interrupts had come when it had all it is to do */
	uint8_t others;          /* enum mdl_others */
	bool told;               /* open by the tracer's own word (mdl_within.c) */
	bool behind;             /* … as what ended just before, or another that was not recorded */
};

/* Is L a hard interrupt as a whole? */
static inline bool mdl_level_is_hard(const struct mdl_level *l)
{
	return l->type == MDL_CTX_IRQ || l->type == MDL_CTX_VECTOR || l->type == MDL_CTX_IPI;
}

/* Is L the softirq of hrtimers? */
static inline bool mdl_level_is_soft_timers(const struct mdl_level *l)
{
	return l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_HRTIMER;
}

struct mdl_cpu {
	struct mdl_track *track;
	struct mdl_thread *current; /* weak; NULL unknown */
	struct mdl_thread *idle;    /* weak; NULL until seen */
	struct mdl_thread *guest;   /* weak: whose virtual CPU runs inside its guest here; NULL none */
	uint8_t gap;                /* enum mdl_gap_phase */
	uint16_t n_gaps;            /* open: one for each of its streams, at most */
	bool settled;               /* its first switch was seen */
	bool is_sure;               /* since the last loss an event showed whether it serves an interrupt */
	bool switched;              /* a switch was seen since the last loss: no interrupt is open unseen */
	int64_t lost_since;         /* MDL_GAP_ENDING: the last event before the loss */
	int64_t lost_until;         /* end of its last loss; MDL_NEVER none */
	uint32_t depth;
	struct mdl_level stack[MDL_CTX_MAX]; /* [0, depth) are open, outermost first */
	struct mdl_level own;                /* the thread's */
	/* What its last event happened in by the tracer's word, where the entry of that was not recorded. */
	struct mdl_level unseen;
	bool is_unseen;         /* it did */
	struct mdl_batch batch; /* what was received last (mdl_batch.c) */
	struct mdl_raised raised;
	struct mdl_ipis ipis;
	struct mdl_chain left; /* up to and with the context that ended last, where events are missing that
				  would tell more; empty: none */
	int64_t heard;         /* when its last event was */
	int64_t left_at;       /* when the last context ended; MDL_NEVER none */
	const struct mdl_level *leaving; /* weak, in stack: the context that ended last, as long as nothing
					    but wake-ups came after; NULL: none */
	/* What its handler returned; MDL_ARG_ABSENT: not recorded, or no handler of a line. */
	int64_t leaving_ret;
	bool gave_lent;       /* its last event: its thread gave a priority back that it had been lent */
	uint32_t gone;        /* row of the thread after which it became idle */
	int64_t gone_at;      /* MDL_NEVER never */
	GHashTable *softirqs; /* vector → struct mdl_track * (weak) */
	/* Those that its last events woke, with nothing between but the rest of each wake-up, oldest first
	 * (mdl_signal.c). */
	struct mdl_woken *woken; /* owned */
	uint32_t n_woken, woken_room;
	/* Whose sched_waking came, and sched_wakeup not yet (mdl_machine.c); 0 none. */
	int64_t waking;
	bool is_waking_open; /* since then came what is a part of that wake-up, if sched_wakeup comes next */
	uint64_t posted;     /* rank of its last event, but for the rest of a wake-up, where that posted an
			    interrupt to a guest; else 0 (mdl_virq.c) */
	struct {
		uint8_t by;      /* enum mdl_virq_by */
		uint32_t vector; /* MDL_NONE any, once */
		uint64_t place;
	} posting;            /* how it raises an interrupt of a guest now */
	bool has_just_queued; /* its last event queued just_queued (mdl_work.c) */
	struct mdl_work just_queued;
};

/* CPU, which is not known yet. */
struct mdl_cpu *mdl_cpu_new(struct mdl_machine *m, uint32_t cpu);

/* CPU, NULL when the model does not know it. */
static inline struct mdl_cpu *mdl_cpu_peek(const struct mdl_machine *m, uint32_t cpu)
{
	return cpu < m->cpus->len ? g_ptr_array_index(m->cpus, cpu) : NULL;
}

/* Did the last events of C wake T, so that a signal may still be told to be why? */
static inline bool mdl_cpu_has_woken(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	for (uint32_t i = 0; i < c->n_woken; i++)
		if (c->woken[i].tid == t->tid)
			return true;
	return false;
}

/* Is T who C has just woken? */
static inline bool mdl_cpu_woke_last(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	return c->n_woken > 0 && c->woken[c->n_woken - 1].tid == t->tid;
}

/* Does the thread on C itself do what C does now? */
static inline bool mdl_cpu_is_own(const struct mdl_cpu *c)
{
	return c->depth == 0 && !c->is_unseen;
}

/* CPU, made when it is new to the model.  Inline: every event asks for its own some times. */
static inline struct mdl_cpu *mdl_cpu_get(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	return G_LIKELY(c) ? c : mdl_cpu_new(m, cpu);
}

/* The row of the thread on C; MDL_NONE: not known. */
static inline uint32_t mdl_cpu_thread(const struct mdl_cpu *c)
{
	return c->current ? c->current->track->id : MDL_NONE;
}

/* The innermost level of CPU: where its events happen now. */
struct mdl_level *mdl_cpu_level(struct mdl_machine *m, uint32_t cpu);
/* Who acts on CPU now. */
struct mdl_act mdl_cpu_act(struct mdl_machine *m, uint32_t cpu);
/* The same, by level L of CPU. */
struct mdl_act mdl_cpu_act_of(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);
/* W was sent by what runs on CPU now: its cpu, waker and contexts. */
void mdl_cpu_place(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w);
/* No context is open any more, what the thread did is past: at a thread switch, and where events are lost. */
void mdl_cpu_clear(struct mdl_cpu *c);
/* The same where contexts are open. */
bool mdl_cpu_has_interrupt(const struct mdl_cpu *c);
/*
 * Is the thread on C interrupted?  Not by the soft hrtimers that it expires itself: under PREEMPT_RT
 * softirq HRTIMER is what a thread does (hrtimer_run_softirq(), kernel/time/hrtimer.c).
 */
static inline bool mdl_cpu_is_interrupted(const struct mdl_cpu *c)
{
	return c->depth > 0 && mdl_cpu_has_interrupt(c);
}
/* The state of the CPU's row after a change of thread or context. */
void mdl_cpu_refresh(struct mdl_machine *m, uint32_t cpu);
void mdl_cpu_free(void *cpu);

#endif
