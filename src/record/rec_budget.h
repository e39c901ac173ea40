/* SPDX-License-Identifier: MIT */
/* The cost limit of a watch, and the levels by which the watch stays below it. */
#ifndef REC_BUDGET_H
#define REC_BUDGET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* How much is recorded, from all events to none. */
enum rec_level {
	REC_LEVEL_ALL,
	REC_LEVEL_CPU,      /* switches, wake-ups, interrupts and timers, and the events of the triggers */
	REC_LEVEL_TRIGGERS, /* only switches, sched_waking and the events of the triggers */
	REC_LEVEL_PAUSED
};

struct rec_budget {
	double limit; /* share of the time of all CPUs, 0 to 1; 0: no limit */
	unsigned cpus;
	double event_cost; /* s: of one event in the thread that causes it */
	enum rec_level level;
	/* private */
	gint64 looked, until; /* µs: time of the last look; end of the pause */
	double cpu;           /* s of CPU time that this process had used at the last look */
	uint64_t events;
	unsigned calm, patience; /* looks far below the limit; this many of them raise the level */
	double share;            /* of the time of all CPUs, 0 to 1, at the last look */
};

/* Begin: LIMIT and CPUS as above.  Measures the cost of an event, in some 20 ms, in the instance NAME-try. */
void rec_budget_init(struct rec_budget *b, double limit, unsigned cpus, const char *name);
/* Compare the cost with the limit; EVENTS were recorded since the begin.  Costs next to nothing except every
 * five seconds.  True if LEVEL has changed: the caller records at that level and reports it. */
bool rec_budget_look(struct rec_budget *b, uint64_t events);
/* "all", "cpu", "triggers", "paused"; static. */
const char *rec_budget_name(enum rec_level level);
/* CPU time of this process, s. */
double rec_budget_cpu(void);

#endif
