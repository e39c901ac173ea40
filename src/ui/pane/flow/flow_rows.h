/* SPDX-License-Identifier: MIT */
/*
 * The tree of the control flow: host → CPUs, interrupts, processes with their
 * threads, kernel threads; what of it is folded or hidden.
 */
#ifndef FLOW_ROWS_H
#define FLOW_ROWS_H

#include "query/qry.h"

enum flow_kind {
	FLOW_HOST,
	FLOW_CPUS,
	FLOW_IRQS,
	FLOW_KERNEL,
	FLOW_CPU,
	FLOW_IRQ,
	FLOW_PROCESS,
	FLOW_THREAD
};

/* Which rows are in the list. */
enum flow_filter { FLOW_ACTIVE_IN_TRACE, FLOW_ACTIVE_IN_WINDOW, FLOW_EVERYTHING, FLOW_FILTER_N };

/* One line of the tree. */
struct flow_line {
	enum flow_kind kind;
	uint32_t host;
	uint32_t row; /* MDL_NONE: a heading */
	unsigned depth;
	unsigned children; /* lines below it that pass the filter, folded or not */
	bool folded;
};

struct flow_rows;

/* HIDE_TRACER: without the threads of the tracer itself. */
struct flow_rows *flow_rows_new(struct qry *q, bool hide_tracer);
void flow_rows_free(struct flow_rows *rows);
/* Filter and fold ROWS, which are new, as OLD of the same rows are; [FROM, TO) is the window. */
void flow_rows_carry(struct flow_rows *rows, const struct flow_rows *old, int64_t from, int64_t to);

/* The lines as they stand: GArray of struct flow_line, owned by ROWS, valid until a call changes them. */
const GArray *flow_rows_lines(const struct flow_rows *rows);
/* How many threads pass the filter, and how many there are. */
void flow_rows_count(const struct flow_rows *rows, unsigned *shown, unsigned *all);

enum flow_filter flow_rows_filter(const struct flow_rows *rows);
/* Filter by FILTER; [FROM, TO) is the window. */
void flow_rows_set_filter(struct flow_rows *rows, enum flow_filter filter, int64_t from, int64_t to);
/* Hide the threads of the tracer itself, or show them. */
void flow_rows_hide_tracer(struct flow_rows *rows, bool hide);
/* The window is another one; true when the lines may have changed. */
bool flow_rows_set_window(struct flow_rows *rows, int64_t from, int64_t to);

/* Fold or unfold the line with index LINE; a line that cannot fold: the one above that can.  Returns the
 * line's new index. */
unsigned flow_rows_fold(struct flow_rows *rows, unsigned line);
/* Fold all processes and groups, or unfold them when all are folded. */
void flow_rows_fold_all(struct flow_rows *rows);

/*
 * The index of the line of ROW; it is unfolded and unhidden when it must be
 * (and those unhidden before are hidden again).  UINT32_MAX when there is no
 * such row.
 */
unsigned flow_rows_reveal(struct flow_rows *rows, uint32_t row);
/*
 * The next row after (STEP 1) or before (-1) ROW in the order of the tree, around its end, that
 * is called NEEDLE: a TID, or a part of one of its names, small and large
 * letters alike; "HOST/" before it asks for that host only.  Hidden ones count.  MDL_NONE when there is none.
 */
uint32_t flow_rows_search(const struct flow_rows *rows, uint32_t row, const char *needle, int step);
/* Whether ROW is called NEEDLE, in that sense. */
bool flow_rows_match(const struct flow_rows *rows, uint32_t row, const char *needle);

#endif
