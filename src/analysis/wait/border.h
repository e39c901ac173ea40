/* SPDX-License-Identifier: MIT */
/* The border between a guest and its host, where both are open and their clocks are known. */
#ifndef ANA_BORDER_H
#define ANA_BORDER_H

#include "analysis/wait/source.h"

/* How an interrupt came into a guest. */
struct ana_border {
	uint32_t vcpu;          /* the virtual CPU (a row of the host) that took it */
	struct mdl_wakeup post; /* of it: who posted the interrupt, and when it was taken */
	uint32_t vector;
	int64_t entry; /* when the guest's kernel began with it */
	uint32_t cpu;  /* … and on which of its CPUs */
	int64_t error; /* ns by which the times of host and guest may be off against each other */
	/* That it is this one; of who posted it says its source. */
	enum ana_grade grade;
	enum mdl_state state; /* of the virtual CPU when it was posted */
};

/* The interrupt that POST, of a virtual CPU of HOST, is about; false: it is about none that is known. */
bool ana_border_virq(struct qry *q, uint32_t host, const struct mdl_wakeup *post, struct mdl_virq *virq);
/*
 * How the interrupt in whose context on HOST somebody did ACT came there from the host of HOST.  False: HOST
 * is no guest whose host is open, the context is none that comes from outside, or nothing that was posted
 * fits.
 */
bool ana_border_of(struct qry *q, uint32_t host, const struct mdl_act *act, struct ana_border *border);
/* The same of the interrupt that began CHAIN, or, where that is a timer's, in which the timer of W expired.
 */
bool ana_border_of_chain(struct qry *q, uint32_t host, const struct mdl_chain *chain,
	const struct mdl_wakeup *w, struct ana_border *border);
/* "posted while the virtual CPU was halted", static. */
const char *ana_border_words(const struct ana_border *border);

/* What a virtual CPU of a guest that is open, too, does. */
struct ana_inside {
	int64_t from;   /* since when it does that */
	uint32_t guest; /* it is inside, and the guest's CPU has this thread; MDL_NONE: it is not, or has none
			 */
	enum ana_grade grade; /* of that */
};

/* What the virtual CPU whose work THREAD of a host does did just before TIME.  False: it does none's, or
 * nothing is known of it then. */
bool ana_border_inside(struct qry *q, uint32_t thread, int64_t time, struct ana_inside *inside);

#endif
