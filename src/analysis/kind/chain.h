/* SPDX-License-Identifier: MIT */
/* The steps from the origin of a wake-up to the wake-up itself. */
#ifndef ANA_CHAIN_H
#define ANA_CHAIN_H

#include "query/qry.h"

/*
 * The way to the wake-up W of thread ROW: that of CAUSE (NULL: there is none),
 * else what W's own contexts tell.  Its last hop is who sent the wake-up.  Empty
 * (n is 0) when nobody is known to have sent it.
 */
struct mdl_chain ana_chain_of(const struct qry *q, uint32_t row, const struct mdl_wakeup *w,
	const struct mdl_cause *cause);

/* When the first context of CHAIN began, or was started by a thread; MDL_NEVER: there is none, or that was
 * not recorded. */
int64_t ana_chain_begin(const struct mdl_chain *chain);

/* Is ROW a thread that can do something for others: not an idle thread, not MDL_NONE? */
bool ana_chain_is_worker(const struct qry *q, uint32_t row);
/* The thread that did ACT; MDL_NONE for an interrupt, an idle thread, or where nobody is known. */
uint32_t ana_chain_actor(const struct qry *q, const struct mdl_act *act);
/*
 * The event (static) that would prove that who seems to have done ACT on HOST did it, and no interrupt that
 * was not recorded, nor who came after one whose exit was not; NULL: it is proved.  WAITER is the thread that
 * waited for what ACT began, and so began it, if it seems to have; MDL_NONE: that proves nothing.
 */
const char *ana_chain_act_missing(const struct qry *q, uint32_t host, const struct mdl_act *act,
	uint32_t waiter);
/* Is thread ROW a ksoftirqd or ktimers? */
bool ana_chain_is_softirq_daemon(const struct qry *q, uint32_t row);
/* Is thread ROW one of interrupt line NR (threaded interrupts: "irq/NR-NAME")? */
bool ana_chain_is_irq_thread(const struct qry *q, uint32_t row, int64_t nr);

/* The name of the first interrupt line of CHAIN, on HOST; NULL without one.  Owned by the experiment. */
const char *ana_chain_line(const struct qry *q, uint32_t host, const struct mdl_chain *chain);

#endif
