/* SPDX-License-Identifier: MIT */
/* What all rows did in a window, as far as sets, filters and orders of rows go by it.  A worker finds it. */
#ifndef FLOW_FACTS_H
#define FLOW_FACTS_H

#include "ui/widget/ask_worker.h"

#define FLOW_FACTS_CPUS 8 /* so many CPUs can be asked for at once */

/* What is asked; all bytes of it count. */
struct flow_facts_question {
	int64_t from, to; /* the window */
	uint32_t cpu[FLOW_FACTS_CPUS];
	uint32_t n_cpus; /* of cpu: who ran on these */
	uint32_t late;   /* 1: worst latencies, too, */
	uint32_t waited; /* and waits between a row's own work */
};

/* Of one row. */
struct flow_fact {
	int64_t on_cpu; /* ns on a CPU */
	/*
	 * ns blocked, or waiting for a CPU, between its own work; 0: not asked for.  A wait that the window
	 * cuts is a part only where it is for a CPU, or uninterruptible (for a disk, or a lock in the
	 * kernel): who rests until there is work for it waits so for all of the window.
	 */
	int64_t waited;
	int64_t late;    /* ns: the longest from a wake-up to running; -1: none, or not asked for */
	uint32_t states; /* a bit for each state that it was in */
	uint8_t cpus;    /* a bit for each CPU of the question that it ran on, on whichever host */
};

struct flow_facts {
	struct flow_facts_question question;
	uint32_t n;
	struct flow_fact *rows; /* owned: of each row of the experiment */
};

/* The kind of question for ask_worker; its answers are struct flow_facts, for TAKEN of the pane. */
struct flow_facts *flow_facts_new(struct qry *q, const struct flow_facts_question *question,
	struct base_progress *progress, GError **error);
void flow_facts_free(struct flow_facts *facts);

#endif
