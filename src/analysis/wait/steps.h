/* SPDX-License-Identifier: MIT */
/* The steps to a wake-up that an interrupt sent: first those of a block request, then interrupts from its
 * completion on, IPIs in flight, raised softirqs, up to the wake-up. */
#ifndef ANA_STEPS_H
#define ANA_STEPS_H

#include "analysis/wait/source.h"

enum ana_step_what {
	/* As in enum mdl_step_what. */
	ANA_STEP_QUEUE,
	ANA_STEP_FLUSH_BEFORE,
	ANA_STEP_DEVICE,
	ANA_STEP_FLUSH_AFTER,
	ANA_STEP_REQUEUE,
	ANA_STEP_ASKED,    /* in the queue or in the device, unknown which */
	ANA_STEP_HANDLING, /* an interrupt context ran */
	ANA_STEP_IPI,      /* from the send of an IPI to its arrival */
	ANA_STEP_SOFTIRQ,  /* from the raise of a softirq to its run */
	ANA_STEP_THREAD,   /* from the wake-up of a thread until it did its part */
	ANA_STEPS
};

struct ana_step {
	int64_t from, to; /* ns; never empty; each begins where the previous one ends */
	enum ana_step_what what;
	mdl_doubts doubts;
	/* From ANA_STEP_HANDLING on: the context or thread whose turn it was, and its CPU. */
	struct mdl_act act;
};

#define ANA_STEPS_MAX (MDL_STEPS_MAX + 2 * MDL_HOPS_MAX)

struct ana_steps {
	unsigned n;
	unsigned n_request; /* the first N_REQUEST are those of the request */
	struct ana_step steps[ANA_STEPS_MAX];
};

/* The steps of SOURCE, whose facts are FACTS (NULL: none) and whose chain is CHAIN.  The time in the device
 * ends with the interrupt of its completion, if that is known.  The time of a packet or of a timer itself is
 * not included: steps begin with the interrupt that it came with. */
void ana_steps_of(struct qry *q, const struct ana_source *source, const struct mdl_facts *facts,
	const struct mdl_chain *chain, struct ana_steps *steps);

/* "9.45 ms IPI under way to CPU 0, 5.70 ms in the device, 20 µs in the queue": equal steps summed up, longest
 * first; NULL without steps.  The caller frees. */
char *ana_steps_text(const struct ana_steps *steps);
/* Text of a step in a path, static: "in the device", "IPI under way". */
const char *ana_step_words(enum ana_step_what what);
/* Name in cli.md, static: "queue", "flush-before", …. */
const char *ana_step_name(enum ana_step_what what);

/* The interrupts of a chain that a packet may have come with, by the time at which it was sent. */
struct ana_arrival {
	int64_t from;      /* ns; from then on the packet was in CHAIN; MDL_NEVER unknown */
	mdl_doubts doubts; /* doubts that the packet was on its way until FROM */
	mdl_doubts first;  /* doubts that CHAIN began after the packet was sent */
};

/* Remove from CHAIN, which ends with HOST receiving PACKET, the hops that began before the packet was sent,
 * by the clocks in use: the packet cannot have come with them.  The last hop, the reception, stays.  If the
 * first hop that stays may have begun too early, within the error of the clocks, it is inferred. */
void ana_arrival_cut(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct mdl_chain *chain);

/* When PACKET entered CHAIN, after ana_arrival_cut(). */
struct ana_arrival ana_arrival_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain);

#endif
