/* SPDX-License-Identifier: MIT */
/* The cost of a watch for a load: runs with and without it, one after the other. */
#ifndef REC_OVERHEAD_H
#define REC_OVERHEAD_H

#include "record/rec_watch.h"

#define REC_OVERHEAD_RUNS 7 /* of each sort */

/* Times of some runs, s. */
struct rec_overhead_runs {
	double times[REC_OVERHEAD_RUNS];
	double mean, deviation; /* of the sample */
};

struct rec_overhead {
	struct rec_overhead_runs without, with;
	/* s: by how much a run with the watch takes longer, and the half width of the interval that has the true
	 * difference with 95 % confidence (Student's t, as ministat(1) has it) */
	double difference, within;
	double event_cost; /* s: of one event in the thread that meets it */
	double events;     /* per second of the runs with the watch */
	double cpu;        /* share of one CPU that wakepath itself used then */
};

/* Run COMMAND (NULL: two threads that wake each other) REC_OVERHEAD_RUNS times with what WISH asks for, and as often
 * without; nothing is kept.  SHOW is called after each run.  BASE_ERROR_CANCELLED if a signal came; errors of
 * rec_watch_run(); BASE_ERROR_USAGE if COMMAND cannot be run. */
bool rec_overhead_measure(const struct rec_watch_wish *wish, char *const *command, void (*show)(unsigned run),
	struct rec_overhead *o, GError **error);

#endif
