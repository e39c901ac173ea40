/* SPDX-License-Identifier: MIT */
/* The time in which a thread polls: it makes system calls one after the other that return at once with
 * nothing. */
#ifndef ANA_POLLING_H
#define ANA_POLLING_H

#include "query/qry.h"

/* Fewer calls in a row than this are no polling. */
#define ANA_POLLING_LEAST 8

struct ana_polling {
	int64_t from, to; /* from the first call to the end of the last one, ns */
	uint32_t calls;
	const char *name; /* the most frequent call; owned by the experiment */
};

/* True if thread ROW polls at TIME. *RUN is the time of polling around TIME, or the part of it that was
 * searched. Inferred. */
bool ana_polling_at(struct qry *q, uint32_t row, int64_t time, struct ana_polling *run);
/* True if a system call of thread ROW begins with INTERVAL; false if INTERVAL is a later part of a call. */
bool ana_polling_begins(struct qry *q, uint32_t row, const struct mdl_interval *interval);
/* The polling of thread ROW in [FROM, TO): *RUN has its calls and the name of the most frequent one. Returns
 * the time (ns) that it was on a CPU for that, without interrupts; 0 if it did not poll. */
int64_t ana_polling_sum(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_polling *run);

#endif
