/* SPDX-License-Identifier: MIT */
/* What led to what runs now: private to src/model. */
#ifndef MDL_CHAIN_H
#define MDL_CHAIN_H

#include "model/mdl_event.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;

/* May other CPUs than that of a softirq BLOCK have brought what it completes? */
enum mdl_others {
	MDL_OTHERS_OPEN, /* nothing is completed yet: they still may */
	MDL_OTHERS_REST, /* no, they did nothing */
	MDL_OTHERS_MAY
};

/* Who raised a softirq since it ran last: each the chain up to and with the raise. */
struct mdl_raises {
	unsigned n; /* 0: the next three mean nothing */
	struct mdl_chain first;
	struct mdl_chain last;  /* n > 1 */
	struct mdl_chain other; /* the first one by another context, or thread, than the first of all; empty:
				   none */
	struct mdl_chain spare; /* the last one of those before the softirq ran, when there were several;
				   empty: none */
	struct mdl_chain next;  /* the first one since a round took its bit, which has not come to it yet;
				   empty: none */
	uint32_t irqs, next_irqs; /* struct mdl_raised's at the first one, and at that of the next round */
};

/* The softirqs of a CPU that were raised. */
struct mdl_raised {
	struct mdl_raises by[MDL_SOFTIRQS];
	/* 1 << vector: those whose bits the round under way has taken, and that it has not come to. */
	unsigned round;
	int64_t round_since; /* its first entry; MDL_NEVER none */
	uint32_t irqs;       /* interrupts of devices and of other CPUs that have come */
	unsigned just;       /* 1 << vector: raised by the last event of the CPU; 0 none */
};

void mdl_chain_copy(struct mdl_chain *to, const struct mdl_chain *from);
/* ACT is the next step; of a full chain one is lost, see MDL_HOPS_MAX. */
void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, enum mdl_grade grade);
/* softirq_raise */
void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e);
/* Softirq L of C begins: sets its origin. */
void mdl_chain_softirq(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l);
/*
 * Softirqs of C among VECTORS (1 << vector) that were raised and have not run.  CHAIN becomes the chain up to
 * and with a raise: one inside level BY (may be NULL) if there is such a one, which *INSIDE tells, else the
 * latest.
 */
unsigned mdl_chain_pending(const struct mdl_cpu *c, unsigned vectors, const struct mdl_level *by,
	struct mdl_chain *chain, bool *inside);
/* Are IPIs and other vectors recorded, or can none come but those that are? */
bool mdl_chain_knows_calls(const struct mdl_machine *m);
/* Is L entered with interrupts off, and left with them off?  Soft hrtimers run in a softirq, with them on. */
bool mdl_chain_is_closed(const struct mdl_machine *m, const struct mdl_level *l);
/* Do interrupts come of which no event can tell, as on Hyper-V? */
bool mdl_chain_has_untold(const struct mdl_machine *m);
/* Can interrupts of devices or timers come that are not recorded? */
bool mdl_chain_misses_devices(const struct mdl_machine *m);
/* Can any interrupts? */
bool mdl_chain_misses(const struct mdl_machine *m);
/* May L be over though it seems to be open, as no exit of its kind was recorded so far? */
bool mdl_chain_may_be_over(const struct mdl_machine *m, const struct mdl_level *l);
/* The same, and may the local timer's interrupt have come since, of which the hrtimers alone are recorded? */
bool mdl_chain_may_be_past(const struct mdl_machine *m, const struct mdl_level *l);
/* May an interrupt come upon L without being seen, or something else go on there? */
bool mdl_chain_is_open(const struct mdl_machine *m, const struct mdl_level *l);
/* CHAIN becomes what led to level L of CPU, inferred as far as L may do now what another one brought. */
void mdl_chain_origin(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	struct mdl_chain *chain);
/* Level L of CPU completes a request. */
void mdl_chain_completes(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l);
/* What leads to contexts of this CPU is no longer known. */
void mdl_chain_lose(struct mdl_cpu *c);
/* The chain up to and with what CPU does now. */
void mdl_chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain);
/* What CHAIN says is no more than inferred. */
void mdl_chain_infer(struct mdl_chain *chain);

#endif
