/* SPDX-License-Identifier: MIT */
/* The cost of a watch for a load: runs with and without it, one after the other. */
#ifndef REC_OVERHEAD_H
#define REC_OVERHEAD_H

#include "record/rec_watch.h"

#define REC_OVERHEAD_RUNS 7 /* without the watch, and as many with it */

/* Times of some runs, s. */
struct rec_overhead_runs {
	double times[REC_OVERHEAD_RUNS];
	double mean, deviation; /* s; sample standard deviation */
};

struct rec_overhead {
	struct rec_overhead_runs without, with;
	/* s: how much longer a run with the watch takes, and the half width of its 95 % confidence interval
	 * (Student's t, like ministat(1)) */
	double difference, within;
	double event_cost; /* s: of one event in the thread that causes it */
	double events;     /* per second of the runs with the watch */
	double cpu;        /* share of one CPU that wakepath itself used in these runs */
};

/* Run COMMAND (NULL: two threads that wake each other) REC_OVERHEAD_RUNS times with the watch of WISH, and as
 * often without; nothing is kept.  Calls SHOW after each run.  False with BASE_ERROR_CANCELLED if a signal
 * came, BASE_ERROR_USAGE if COMMAND cannot be run, or an error of rec_watch_run(). */
bool rec_overhead_measure(const struct rec_watch_wish *wish, char *const *command, void (*show)(unsigned run),
	struct rec_overhead *o, GError **error);

#endif
