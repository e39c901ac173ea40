/* SPDX-License-Identifier: MIT */
/* The full explanation of one wait: every hop from the origin to the wake-up with its place, time and proof,
 * for screens and export. */
#ifndef ANA_WHY_H
#define ANA_WHY_H

#include "analysis/wait/source.h"
#include "analysis/wait/steps.h"

/* An event that proves a statement. */
struct ana_evidence {
	const char *event; /* the tracer's own name; owned by the experiment */
	int64_t time;
	uint32_t host, cpu; /* where it was recorded; CPU MDL_NONE unknown */
	uint64_t rank;      /* number of the event in its host; 0 unknown */
};

struct ana_why_hop {
	unsigned level; /* depth in the tree: 0 the origin */
	/* owned: "thread wk-client[595]", "IRQ 28 virtio2-req.0", "request read vdb 263424 +64 KiB". */
	char *label;
	/* owned, one sentence: "sent the IPI", "waited 12 µs in the queue, 180 µs in the device". */
	char *text;
	uint32_t row;       /* row to jump to; MDL_NONE none */
	uint32_t host, cpu; /* where it was; CPU MDL_NONE none */
	int64_t from, to;   /* ns; to MDL_NEVER unknown */
	mdl_doubts doubts;
	const char *missing; /* static: the event that would have proved it ("ipi_send_cpu"); NULL none */
	unsigned first_evidence, n_evidence; /* range in EVIDENCE */
};

struct ana_why {
	struct ana_source source;
	bool has_cause;
	struct mdl_cause cause; /* if HAS_CAUSE */
	struct mdl_chain chain; /* the chain to the wake-up: ana_chain_of() */
	struct ana_steps steps; /* the steps of CHAIN, and of the request */
	uint32_t row;           /* the thread that waited */
	int64_t from, to;       /* the wait [from, to), ns; from MDL_NEVER unknown */
	char *headline; /* owned: "block: read of vdb, 64 KiB: 20 µs in the queue, 190 µs in the device" */
	/* system calls of wakee and waker ("futex", "read"); NULL unknown; owned by the experiment */
	const char *waiter_call, *waker_call;
	GArray *hops;     /* of struct ana_why_hop, from the origin to the wake-up */
	GArray *evidence; /* of struct ana_evidence, hop by hop */
};

/* Explain the wait of thread ROW that WAKEUP ended.  Free it with ana_why_free(). */
struct ana_why *ana_why_new(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup);
void ana_why_free(struct ana_why *why);

#endif
