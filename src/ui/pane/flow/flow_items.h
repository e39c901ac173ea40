/* SPDX-License-Identifier: MIT */
/* All rows of an experiment in the order of the control flow's tree, with what they do; what is folded or
 * hidden is flow_rows' matter. */
#ifndef FLOW_ITEMS_H
#define FLOW_ITEMS_H

#include "ui/pane/flow/flow_rows.h"

/* A row in the order of the tree. */
struct flow_item {
	uint32_t host;
	enum flow_kind group; /* FLOW_CPUS, FLOW_IRQS, FLOW_PROCESS (user), FLOW_KERNEL */
	uint32_t head;        /* thread: row of its process' main thread as in the tree; else MDL_NONE */
	int64_t head_nr;      /* its TID */
	uint32_t row;
	int64_t nr;
	bool tracer;   /* qry_is_tracer() */
	bool in_trace; /* does something in the trace */
};

/* The rows of Q, sorted: GArray of struct flow_item, the caller unrefs. */
GArray *flow_items_new(struct qry *q);

/* Whether the row of ITEM, which was in STATES (a bit for each), did or wanted to do something.  CPUs always
 * do, idle threads never: the CPUs say the same. */
bool flow_items_active(const struct flow_item *item, uint32_t states);

/* By what a row may be found; all but the first also by its TID. */
enum flow_match {
	FLOW_MATCH_WHOLE, /* the name that it is shown with */
	FLOW_MATCH_SHOWN, /* a part of that */
	FLOW_MATCH_EVER,  /* a part of any name that it had */
	FLOW_MATCH_N
};

/* Whether ROW is called NEEDLE in the sense of HOW, small and large letters alike; "HOST/" before it asks for
 * that host only. */
bool flow_items_match(const struct qry *q, uint32_t row, const char *needle, enum flow_match how);

#endif
