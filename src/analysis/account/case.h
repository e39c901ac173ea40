/* SPDX-License-Identifier: MIT */
/*
 * The account of a time that is no thread's: of a handler, of what is to run and does not yet, of a request.
 * Its parts sum to the time, as those of a thread's account (analysis/account/account.h) do.
 */
#ifndef ANA_ACCOUNT_CASE_H
#define ANA_ACCOUNT_CASE_H

#include "analysis/cpu/blame.h"

enum ana_account_what {
	ANA_ACCOUNT_THREAD,  /* of thread ROW */
	ANA_ACCOUNT_HANDLER, /* of what runs on CPU: interrupt line, or softirq, ROW */
	ANA_ACCOUNT_PENDING, /* of a softirq that is to run on CPU */
	ANA_ACCOUNT_DUE,     /* of a timer that is to expire on CPU */
	ANA_ACCOUNT_REQUEST, /* of a request to DEVICE that thread ROW (MDL_NONE: none) asked for, complete on
			      * CPU
			      */
	ANA_ACCOUNT_PACKET,  /* of a packet on its way to HOST */
	ANA_ACCOUNT_NONE,    /* there is none */
	ANA_ACCOUNTS
};

/* Whose time, and which. */
struct ana_account_of {
	enum ana_account_what what;
	uint32_t host, row, cpu; /* CPU MDL_NONE unknown; of a thread it means nothing */
	uint32_t device; /* of a request, as the kernel numbers it; of a packet the interface, a string of
			    HOST */
	int64_t from, to;
};

/*
 * Tell SPAN the parts of the time OF, without hole or overlap, in order of time; not of a thread:
 *   - a handler itself runs (ANA_PHASE_RUNNING), or interrupts come upon it;
 *   - what is pending waits for who has the CPU, as a thread that waits for it does;
 *   - a request is in the steps that events tell of it;
 *   - a packet is on its way, by clocks of two hosts: inferred.
 * What is not known is ANA_BLAME_UNKNOWN.  Costs as much as there are changes on the CPU; of requests a look
 * into a few hundred that were under way then.
 */
void ana_account_case_spans(struct qry *q, const struct ana_account_of *of, ana_blame_span span, void *data);

/* The thread in which the softirq runs that OF is about, as it does under PREEMPT_RT: then its account is
 * that of this thread.  MDL_NONE: it runs in none. */
uint32_t ana_account_case_thread(struct qry *q, const struct ana_account_of *of);

#endif
