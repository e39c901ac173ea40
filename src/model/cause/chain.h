/* SPDX-License-Identifier: MIT */
/* The chain of acts that led to what runs now: private to src/model. */
#ifndef MDL_CHAIN_H
#define MDL_CHAIN_H

#include "model/event/types.h"
#include "model/event/event.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;

/* The part that other CPUs can have in what a softirq BLOCK completes. */
enum mdl_others {
	MDL_OTHERS_OPEN, /* nothing is completed yet: they may still bring some */
	MDL_OTHERS_REST, /* they did nothing, so they brought none */
	MDL_OTHERS_MAY
};

/* The raises of a softirq since it last ran.  Each chain ends with a raise. */
struct mdl_raises {
	unsigned n;       /* number of raises; if 0, FIRST and LAST mean nothing */
	bool spare_alone; /* before SPARE_AT there were two raises, and it ran for the other one */
	/* SPARE came from an interrupt, and the first raise from elsewhere: SPARE may have come after the
	 * bits were taken */
	bool spare_apart;
	struct mdl_chain first;
	struct mdl_chain last; /* valid if N > 1 */
	/* the first raise by another context, or thread, than that of FIRST; empty: none */
	struct mdl_chain other;
	struct mdl_chain spare; /* the last of several raises before the softirq last ran; empty: none */
	int64_t spare_at;       /* ns: when the softirq ran for the raises that SPARE was among */
	/* the first raise after the round took the softirq's bit and before it ran the softirq; empty:
	 * none */
	struct mdl_chain next;
	/* IRQS of struct mdl_raised at the first raise, and at the first raise for the next round */
	uint32_t irqs, next_irqs;
};

/* The raised softirqs of a CPU. */
struct mdl_raised {
	/* 1 << vector: softirqs whose bits the current round has taken and that it has not run yet. */
	unsigned round;
	int64_t round_since; /* ns: first entry of the round; MDL_NEVER: none */
	bool is_second;      /* a round before it was seen, so all raises since then were */
	uint32_t irqs;       /* number of interrupts so far from devices and from other CPUs */
	unsigned just;       /* 1 << vector: raised by the last event of the CPU; 0: none */
	struct mdl_raises by[MDL_SOFTIRQS];
};

/* Set TO to FROM; faster than an assignment, because it copies only the steps that exist. */
void mdl_chain_copy(struct mdl_chain *to, const struct mdl_chain *from);
/* Append ACT as the next step.  A full chain loses a step, see MDL_HOPS_MAX. */
void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, mdl_doubts doubts);
/* E raises a softirq. */
void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e);
/* Softirq L of C begins: set its origin. */
void mdl_chain_softirq(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l);
/* The softirqs of C among VECTORS (1 << vector) that were raised and have not run. Sets CHAIN to the chain up
 * to and with a raise: one inside level BY (may be NULL) if there is one, otherwise the latest. *INSIDE is
 * true if it is inside BY. */
unsigned mdl_chain_pending(const struct mdl_cpu *c, unsigned vectors, const struct mdl_level *by,
	struct mdl_chain *chain, bool *inside);
/* The softirqs of C among VECTORS that the round which ends may leave pending, if no raise shows one: they
 * were raised once more between the taking of the bits and the first entry. Sets CHAIN to the chain up to and
 * with such a raise, with a doubt if another raise is possible. */
unsigned mdl_chain_left(const struct mdl_cpu *c, unsigned vectors, struct mdl_chain *chain);
/* True if L runs with interrupts off from entry to exit.  Soft hrtimers run in a softirq, with interrupts
 * on. */
bool mdl_chain_is_closed(const struct mdl_machine *m, const struct mdl_level *l);
/* True if L may be over although it seems open, because no exit of its kind has been recorded so far. */
bool mdl_chain_may_be_over(const struct mdl_machine *m, const struct mdl_level *l);
/* Like mdl_chain_may_be_over(), as a doubt, which also holds if the local timer may have fired since (its
 * hrtimers are recorded, its vector is not). */
mdl_doubts mdl_chain_past(const struct mdl_machine *m, const struct mdl_level *l);
/* The doubts that L acts now: what may interrupt it unrecorded, or run in its place. */
mdl_doubts mdl_chain_open(const struct mdl_machine *m, const struct mdl_level *l);
/* Set CHAIN to what led to level L of CPU. The steps have doubts if L may now handle what another context
 * brought. */
void mdl_chain_origin(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	struct mdl_chain *chain);
/* Level L of CPU completes a request. */
void mdl_chain_completes(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l);
/* Forget what leads to contexts of this CPU. */
void mdl_chain_lose(struct mdl_cpu *c);
/* Set CHAIN to the chain up to and with what CPU does now. */
void mdl_chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain);
/* Add DOUBTS to each step of CHAIN. */
void mdl_chain_doubt(struct mdl_chain *chain, mdl_doubts doubts);
/* Remove DOUBTS from each step of CHAIN: they are settled. */
void mdl_chain_settle(struct mdl_chain *chain, mdl_doubts doubts);

/* ---- others.c ---- */

/* True if a CPU other than CPU may have completed a request since FIRST. The thread or context that did FIRST
 * does not count. */
bool mdl_others_acted(const struct mdl_machine *m, uint32_t cpu, const struct mdl_act *first);

#endif
