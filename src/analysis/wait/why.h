/* SPDX-License-Identifier: MIT */
/*
 * The whole explanation of one wait: every step from the origin to the wake-up
 * with its place, time and proof, for screens and export.
 */
#ifndef ANA_WHY_H
#define ANA_WHY_H

#include "analysis/wait/source.h"
#include "analysis/wait/steps.h"

/* An event on which a statement rests. */
struct ana_evidence {
	const char *event; /* the tracer's own name of it; owned by the experiment */
	int64_t time;
	uint32_t host, cpu; /* where it was recorded; CPU MDL_NONE unknown */
	uint64_t rank;      /* its number in the host; 0: not known */
};

struct ana_why_hop {
	unsigned level; /* depth in the tree: 0 the origin */
	/* owned: "thread wk-client[595]", "IRQ 28 virtio2-req.0", "request read vdb 263424 +64 KiB". */
	char *label;
	/* owned: one plain sentence: "sent the IPI", "waited 12 µs in the queue, 180 µs in the device". */
	char *text;
	uint32_t row;       /* row to go to; MDL_NONE none */
	uint32_t host, cpu; /* where; CPU MDL_NONE none */
	int64_t from, to;   /* ns; to MDL_NEVER unknown */
	enum ana_grade grade;
	const char *missing; /* static: the event that would have proved it ("ipi_send_cpu"); NULL none */
	unsigned first_evidence, n_evidence; /* in evidence */
};

struct ana_why {
	struct ana_source source;
	bool has_cause;
	struct mdl_cause cause; /* with has_cause */
	struct mdl_chain chain; /* the way to the wake-up: ana_chain_of() */
	struct ana_steps steps; /* what that went by with */
	uint32_t row;           /* the thread that waited */
	int64_t from, to;       /* the wait [from, to); from MDL_NEVER unknown */
	char *headline; /* owned: "block: read of vdb, 64 KiB: 20 µs in the queue, 190 µs in the device" */
	const char *waiter_call, *waker_call; /* system calls of both ends ("futex", "read"); NULL unknown;
						 owned by the experiment */
	GArray *hops;                         /* of struct ana_why_hop, the origin first, the wake-up last */
	GArray *evidence;                     /* of struct ana_evidence, hop by hop */
};

/* Why the wait of thread ROW that WAKEUP ended took until then. */
struct ana_why *ana_why_new(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup);
void ana_why_free(struct ana_why *why);

#endif
