/* SPDX-License-Identifier: MIT */
/* Facts about all rows in a window, for sets, filters and orders of rows.  A worker finds them. */
#ifndef FLOW_FACTS_H
#define FLOW_FACTS_H

#include "ui/widget/ask_worker.h"

#define FLOW_FACTS_CPUS 8 /* maximum number of CPUs in a question */

/* A question; compared as bytes. */
struct flow_facts_question {
	int64_t from, to; /* the window, ns */
	uint32_t cpu[FLOW_FACTS_CPUS];
	uint32_t n_cpus; /* used elements of CPU: tell which rows ran on these */
	uint32_t late;   /* 1: find also the worst latencies, */
	uint32_t waited; /* and the waits between a row's own work */
};

/* Facts about one row. */
struct flow_fact {
	int64_t on_cpu; /* ns on a CPU */
	/*
	 * ns blocked, or waiting for a CPU, between its own work; 0: not asked for.  A wait that the window
	 * cuts counts only if it is for a CPU, or uninterruptible (for a disk, or a lock in the kernel).
	 * Otherwise a thread that sleeps until there is work would wait for the whole window.
	 */
	int64_t waited;
	int64_t late;    /* ns: the longest time from a wake-up to running; -1: none, or not asked for */
	uint32_t states; /* a bit for each state that occurred */
	uint8_t cpus;    /* a bit for each CPU of the question that it ran on, on any host */
};

struct flow_facts {
	struct flow_facts_question question;
	uint32_t n;
	struct flow_fact *rows; /* owned: one per row of the experiment */
};

/* Find the answer to QUESTION.  NULL with an error.  For the hook answer() of struct ask_kind. */
struct flow_facts *flow_facts_new(struct qry *q, const struct flow_facts_question *question,
	struct base_progress *progress, GError **error);
void flow_facts_free(struct flow_facts *facts);

#endif
