/* SPDX-License-Identifier: MIT */
/* The costs that a watch may have, and its steps to keep within them. */
#ifndef REC_BUDGET_H
#define REC_BUDGET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* How much is recorded, from all events to none. */
enum rec_level {
	REC_LEVEL_ALL,
	REC_LEVEL_CPU,      /* which thread ran when, woken by what; and what the triggers measure */
	REC_LEVEL_TRIGGERS, /* only the events by which the triggers measure, and switches */
	REC_LEVEL_PAUSED
};

struct rec_budget {
	double limit; /* share of the time of all CPUs, 0 to 1; 0: no limit */
	unsigned cpus;
	double event_cost; /* s: of one event in the thread that meets it */
	enum rec_level level;
	/* private */
	gint64 looked, until; /* µs: of the last look; the end of the pause */
	double cpu;           /* s that this process had used then */
	uint64_t events;
	unsigned calm, patience; /* looks far below the limit; so many until more is recorded again */
	double share;            /* of the last look */
};

/* Begin: LIMIT and CPUS as above.  Measures the cost of an event, for some 20 ms, in a tracefs instance called NAME. */
void rec_budget_init(struct rec_budget *b, double limit, unsigned cpus, const char *name);
/* Look at what was used; EVENTS were recorded since the begin.  Costs next to nothing except every five seconds.  True if
 * LEVEL has changed: the caller records by that then, and says so. */
bool rec_budget_look(struct rec_budget *b, uint64_t events);
/* "all", "cpu", "triggers", "paused"; static. */
const char *rec_budget_name(enum rec_level level);
/* CPU time of this process, s. */
double rec_budget_cpu(void);

#endif
