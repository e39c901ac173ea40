/* SPDX-License-Identifier: MIT */
/* The account of an interval of a thread: its time in parts, by the thread's phase and by the owner of the
 * time.  Nothing is missing and nothing counts twice: the parts sum exactly to the interval. */
#ifndef ANA_ACCOUNT_H
#define ANA_ACCOUNT_H

#include "analysis/cpu/blame.h"
#include "base/base_progress.h"

struct ana_why;

enum ana_account_what {
	ANA_ACCOUNT_THREAD,  /* of thread ROW */
	ANA_ACCOUNT_HANDLER, /* of the handler of IRQ or softirq ROW on CPU */
	ANA_ACCOUNT_PENDING, /* of a raised softirq on CPU */
	ANA_ACCOUNT_DUE,     /* of a timer that is due on CPU */
	/* of a request to DEVICE by thread ROW (MDL_NONE: none), completed on CPU */
	ANA_ACCOUNT_REQUEST,
	ANA_ACCOUNT_PACKET, /* of a packet on its way to HOST */
	ANA_ACCOUNT_NONE,   /* there is none */
	ANA_ACCOUNTS
};

/* The subject of an account, and its interval. */
struct ana_account_of {
	enum ana_account_what what;
	uint32_t host, row, cpu; /* CPU: MDL_NONE unknown; unused for a thread */
	/* of a request: device number of the kernel; of a packet: the interface, a string of HOST */
	uint32_t device;
	int64_t from, to;
};

/*
 * Pass the parts of [FROM, TO) of thread ROW to SPAN, without gap or overlap: state by state in order of
 * time. The parts of a wait that others ended come in reverse order, the last one first.  Costs as much as
 * the critical path of that time, plus the changes on the CPUs waited for.  If PROGRESS (NULL: none) is
 * cancelled, the remaining parts are missing.
 */
void ana_account_spans(struct qry *q, uint32_t row, int64_t from, int64_t to, struct base_progress *progress,
	ana_blame_span span, void *data);

/* Like ana_account_spans(), summed up.  MOST[i] is the place of the part that had most of column i of N
 * columns of the interval (N 0: none); UINT_MAX if there is none. */
struct ana_blame *ana_account_new(struct qry *q, uint32_t row, int64_t from, int64_t to, unsigned n,
	guint *most, struct base_progress *progress);

/* Like ana_account_new(), for any time that has an account. */
struct ana_blame *ana_account_of_new(struct qry *q, const struct ana_account_of *of, unsigned n, guint *most,
	struct base_progress *progress);

/* The account as text: "itself 12 µs, IRQ 28 virtio2-req.0 3 µs and 1 other"; NULL if it is empty.  The
 * caller frees. */
char *ana_account_text(struct qry *q, const struct ana_account_of *of);

/* Find the time off the CPU of thread ROW around TIME: from when it last had a CPU to when it has one again,
 * within its life in the trace. Or find the time around TIME in which it spins until other CPUs have taken an
 * IPI. False if it is otherwise on a CPU at TIME, or does not exist. */
bool ana_account_wait(struct qry *q, uint32_t row, int64_t time, int64_t *from, int64_t *to);
/* The longest wait for others of thread ROW that ends in [FROM, TO), explained; if there is none, its longest
 * wait for an IPI.  The caller frees; NULL: there is none. */
struct ana_why *ana_account_why(struct qry *q, uint32_t row, int64_t from, int64_t to);

/* ---- the account of a time of no thread: of a handler, something pending, a request ---- */

/*
 * Pass the parts of the time OF, which is not a thread's, to SPAN, without gap or overlap, in order of time:
 * - a handler runs (ANA_PHASE_RUNNING), or is interrupted;
 * - something pending waits for the owner of the CPU, like a thread that waits for a CPU;
 * - a request is in one of the steps that events show;
 * - a packet is on its way, by clocks of two hosts: inferred.
 * Unknown time is ANA_BLAME_UNKNOWN.  Costs time in the number of changes on the CPU; for requests, a look
 * into a few hundred that were in flight at that time.
 */
void ana_account_case_spans(struct qry *q, const struct ana_account_of *of, ana_blame_span span, void *data);

/* The thread in which the softirq of OF runs, as under PREEMPT_RT. If there is one, use the account of that
 * thread. MDL_NONE: none. */
uint32_t ana_account_case_thread(struct qry *q, const struct ana_account_of *of);

#endif
