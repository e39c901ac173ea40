/* SPDX-License-Identifier: MIT */
/* The account of a time that belongs to no thread: of a handler, of something pending, of a request.  Its
 * parts sum exactly to the time, as in a thread's account (analysis/account/account.h). */
#ifndef ANA_ACCOUNT_CASE_H
#define ANA_ACCOUNT_CASE_H

#include "analysis/cpu/blame.h"

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

/* The owner of the time, and the interval. */
struct ana_account_of {
	enum ana_account_what what;
	uint32_t host, row, cpu; /* CPU: MDL_NONE unknown; unused for a thread */
	/* of a request: device number of the kernel; of a packet: the interface, a string of HOST */
	uint32_t device;
	int64_t from, to;
};

/*
 * Pass the parts of the time OF, which is not a thread's, to SPAN, without gap or overlap, in order of time:
 * - a handler runs (ANA_PHASE_RUNNING), or interrupts come upon it;
 * - something pending waits for the owner of the CPU, like a thread that waits for a CPU;
 * - a request is in one of the steps that events show;
 * - a packet is on its way, by clocks of two hosts: inferred.
 * Unknown time is ANA_BLAME_UNKNOWN.  Costs time in the number of changes on the CPU; for requests, a look
 * into a few hundred that were in flight at that time.
 */
void ana_account_case_spans(struct qry *q, const struct ana_account_of *of, ana_blame_span span, void *data);

/* The thread in which the softirq of OF runs, as under PREEMPT_RT: the account is then that thread's.
 * MDL_NONE: none. */
uint32_t ana_account_case_thread(struct qry *q, const struct ana_account_of *of);

#endif
