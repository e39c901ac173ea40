/* SPDX-License-Identifier: MIT */
/*
 * The steps of the way to a wake-up that an interrupt sent: what a request of a block device spent its time
 * with, then what the interrupt that told its end did, IPIs under way, softirqs that were raised and not yet
 * run, up to the wake-up.
 */
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
	ANA_STEP_ASKED,    /* in the queue or the device: which is not known */
	ANA_STEP_HANDLING, /* an interrupt context ran */
	ANA_STEP_IPI,      /* an IPI was sent and not yet taken */
	ANA_STEP_SOFTIRQ,  /* a softirq was raised and did not yet run */
	ANA_STEP_THREAD,   /* a thread was woken, until it did its part */
	ANA_STEPS
};

struct ana_step {
	int64_t from, to; /* never empty; each begins where the one before ends */
	enum ana_step_what what;
	enum ana_grade grade;
	/* From ANA_STEP_HANDLING on: the context or thread whose turn it was, and where. */
	struct mdl_act act;
};

#define ANA_STEPS_MAX (MDL_STEPS_MAX + 2 * MDL_HOPS_MAX)

struct ana_steps {
	unsigned n;
	unsigned n_request; /* the first so many are the request's */
	struct ana_step steps[ANA_STEPS_MAX];
};

/*
 * Those of SOURCE, whose facts are FACTS (NULL: none) and whose way to the wake-up is CHAIN.  The time in the
 * device ends with the interrupt that told so, where that is known.  A packet's and a timer's own time is not
 * among them: they begin with the interrupt it came with.
 */
void ana_steps_of(struct qry *q, const struct ana_source *source, const struct mdl_facts *facts,
	const struct mdl_chain *chain, struct ana_steps *steps);

/* "9.45 ms IPI under way to CPU 0, 5.70 ms in the device, 20 µs in the queue": what is alike together, the
 * longest first; NULL without steps.  The caller frees. */
char *ana_steps_text(const struct ana_steps *steps);
/* "in the device", "IPI under way": what is said of a step in a path, static. */
const char *ana_step_words(enum ana_step_what what);
/* "queue", "flush-before", … as in cli.md, static. */
const char *ana_step_name(enum ana_step_what what);

#endif
