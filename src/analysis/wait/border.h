/* SPDX-License-Identifier: MIT */
/* The border between a guest and its host, if both are open and their clocks are known. */
#ifndef ANA_BORDER_H
#define ANA_BORDER_H

#include "analysis/wait/source.h"

/* An interrupt that entered a guest. */
struct ana_border {
	uint32_t vcpu;          /* the virtual CPU (a row of the host) that took it */
	struct mdl_wakeup post; /* wake-up of VCPU: the poster of the interrupt, and when it was taken */
	uint32_t vector;
	int64_t entry; /* ns; when the guest's kernel entered the handler */
	uint32_t cpu;  /* CPU of the guest that entered the handler */
	int64_t error; /* ns; possible error between times of host and guest */
	/* Doubts that the guest handled this interrupt. The grade of its poster is in the source of POST. */
	mdl_doubts doubts;
	enum mdl_state state; /* of the virtual CPU when the interrupt was posted */
};

/* The interrupt that POST, a wake-up of a virtual CPU of HOST, is about.  False if none is known. */
bool ana_border_virq(struct qry *q, uint32_t host, const struct mdl_wakeup *post, struct mdl_virq *virq);
/* Find how the interrupt in whose context ACT happened came into HOST, a guest.  False if the host of HOST is
 * not open, the context does not come from outside, or no posted interrupt fits. */
bool ana_border_of(struct qry *q, uint32_t host, const struct mdl_act *act, struct ana_border *border);
/* Like ana_border_of(), for the first context of CHAIN that comes from outside, or, if there is none, for the
 * context in which the timer of W expired. */
bool ana_border_of_chain(struct qry *q, uint32_t host, const struct mdl_chain *chain,
	const struct mdl_wakeup *w, struct ana_border *border);
/* Static: "posted while the virtual CPU was halted". */
const char *ana_border_words(const struct ana_border *border);

/* The activity of a virtual CPU of an open guest. */
struct ana_inside {
	int64_t from; /* ns; begin of this activity */
	/* If it is inside the guest: the thread on the guest's CPU.  MDL_NONE: not inside, or no thread. */
	uint32_t guest;
	mdl_doubts doubts; /* of GUEST */
};

/* Find the activity, just before TIME, of the virtual CPU that THREAD of a host works for.  False if it works
 * for none, or that is unknown. */
bool ana_border_inside(struct qry *q, uint32_t thread, int64_t time, struct ana_inside *inside);

#endif
