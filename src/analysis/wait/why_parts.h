/* SPDX-License-Identifier: MIT */
/* An explanation under construction.  Private to analysis/wait/why*.c and fact_*.c. */
#ifndef ANA_WHY_PARTS_H
#define ANA_WHY_PARTS_H

#include "analysis/wait/why.h"

struct ana_why_maker {
	struct qry *q;       /* weak */
	struct ana_why *why; /* weak */
};

/* The functions below are in analysis/wait/why_hop.c.  This one begins the next hop, one level below the
 * last.  Takes ownership of TAKE_LABEL. */
struct ana_why_hop *ana_why_hop_add(struct ana_why_maker *m, char *take_label);
/* Add an event to the last hop.  Does nothing if TIME is MDL_NEVER. */
void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu);
/* Add the event that shows the wake-up, if there is one. */
void ana_why_evidence_of_wakeup(struct ana_why_maker *m);
/* Add a hop for the actor of ACT on HOST, with TEXT (static) and EVENT as its proof.  WAITER: see
 * ana_chain_act_missing().  Valid until the next hop is added. */
struct ana_why_hop *ana_why_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act,
	uint32_t waiter, const char *text, const char *event);
/* Like ana_why_act_at(), on the wakee's host; does nothing if ACT did not happen. */
void ana_why_act_add(struct ana_why_maker *m, const struct mdl_act *act, uint32_t waiter, const char *text,
	const char *event);
/* The CPU that sent the wake-up; MDL_NONE unknown. */
uint32_t ana_why_end_cpu(const struct ana_why_maker *m);
/* The row of the actor of ACT on HOST; MDL_NONE none. */
uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act);

/* Add the event at which the context of ACT was entered, if there is one. */
void ana_why_evidence_of_entry(struct ana_why_maker *m, const struct mdl_act *act);

#endif
