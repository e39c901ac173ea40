/* SPDX-License-Identifier: MIT */
/* An explanation in the making, private to ana_why_*.c. */
#ifndef ANA_WHY_PARTS_H
#define ANA_WHY_PARTS_H

#include "analysis/wait/why.h"

struct ana_why_maker {
	struct qry *q;       /* weak */
	struct ana_why *why; /* weak */
};

/* These are of analysis/wait/why_hop.c.  Begin the next hop of the tree, one level below the last. TAKE_LABEL
 * is taken over. */
struct ana_why_hop *ana_why_hop_add(struct ana_why_maker *m, char *take_label);
/* An event behind the last hop: nothing happens when TIME is MDL_NEVER. */
void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu);
/* The event by which the wake-up is known, where there is one. */
void ana_why_evidence_of_wakeup(struct ana_why_maker *m);
/* A hop for who did ACT on HOST, which is told by TEXT (static) and EVENT; WAITER as ana_chain_act_missing()
 * takes it.  Good until the next is added. */
struct ana_why_hop *ana_why_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act,
	uint32_t waiter, const char *text, const char *event);
/* The same on the waiter's host, where there was such an act. */
void ana_why_act_add(struct ana_why_maker *m, const struct mdl_act *act, uint32_t waiter, const char *text,
	const char *event);
/* The CPU that sent the wake-up; MDL_NONE unknown. */
uint32_t ana_why_end_cpu(const struct ana_why_maker *m);
/* The row of who did ACT on HOST; MDL_NONE none. */
uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act);

/* The event with which the context of ACT began, where there was one. */
void ana_why_evidence_of_entry(struct ana_why_maker *m, const struct mdl_act *act);

#endif
