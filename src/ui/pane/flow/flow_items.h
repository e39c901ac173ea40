/* SPDX-License-Identifier: MIT */
/* All rows of an experiment in the order of the control flow's tree.  Folding and hiding is in flow_rows. */
#ifndef FLOW_ITEMS_H
#define FLOW_ITEMS_H

#include "ui/pane/flow/flow_rows.h"

/* A row in the order of the tree. */
struct flow_item {
	uint32_t host;
	enum flow_kind group; /* FLOW_CPUS, FLOW_IRQS, FLOW_PROCESS (user), FLOW_KERNEL */
	uint32_t head;   /* of a thread: the row of its process' main thread in the tree; else MDL_NONE */
	int64_t head_nr; /* the TID of HEAD */
	uint32_t row;
	int64_t nr;
	bool tracer;   /* qry_is_tracer() */
	bool in_trace; /* is active in the trace */
};

/* Sort the rows of Q: a GArray of struct flow_item; the caller unrefs. */
GArray *flow_items_new(struct qry *q);

/* True if the row of ITEM, which was in STATES (a bit for each), did something or wanted to.  CPUs always do.
 * Idle threads never do, because the CPUs show the same. */
bool flow_items_active(const struct flow_item *item, uint32_t states);

/* Ways to match a row.  All except the first also match its TID. */
enum flow_match {
	FLOW_MATCH_WHOLE, /* the whole name that it is shown with */
	FLOW_MATCH_SHOWN, /* a part of that name */
	FLOW_MATCH_EVER,  /* a part of any name that it had */
	FLOW_MATCH_N
};

/* True if ROW matches NEEDLE in the way HOW, case-insensitive.  "HOST/" before NEEDLE limits it to that
 * host. */
bool flow_items_match(const struct qry *q, uint32_t row, const char *needle, enum flow_match how);

#endif
