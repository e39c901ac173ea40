/* SPDX-License-Identifier: MIT */
/* A recorder that never stops: it keeps a small recording of each latency above a limit. */
#ifndef REC_WATCH_H
#define REC_WATCH_H

#include "record/rec_budget.h"
#include "record/rec_until.h"

/* The request.  All pointers are weak. */
struct rec_watch_wish {
	const struct rec_until *untils; /* N of them, … */
	char *const *texts;             /* … and their texts as typed */
	unsigned n;
	const char *folder; /* NULL: nothing is kept, to measure the cost */
	unsigned keep;      /* most hits to keep of each trigger, and as many typical cases */
	int64_t every;      /* ns: shortest time between two recordings of a trigger */
	int64_t duration;   /* ns; 0: no limit */
	double cpu;         /* share of all CPUs, 0 to 1; 0: no limit */
	uint64_t disk;      /* bytes */
	uint64_t ring;      /* bytes for all CPUs; 0: some MiB for each */
	unsigned questions; /* set of enum mdl_question: events to record */
	bool quiet;         /* only for the caller's own hooks below */
	/* True if the watch must end; called every 20 ms, or 200 ms in a pause.  NULL: never. */
	bool (*ends)(void *context);
	/* Shows the user a line that is not an error.  NULL: no lines. */
	void (*say)(void *context, const char *text);
	/* Called when the watch has begun and the cost of an event is measured.  May be NULL. */
	void (*ready)(void *context, const struct rec_budget *budget);
	void *context;
};

/* Totals of a watch that has ended. */
struct rec_watch_result {
	uint64_t hits, kept; /* hits; hits with a recording */
	uint64_t cases;      /* latencies measured */
	uint64_t events;     /* recorded */
	double seconds, cpu; /* s: duration; CPU time of this process */
	int signal;          /* the signal that ended it; 0: none */
};

/* Return why this machine cannot be watched, one static line; NULL if it can. */
const char *rec_watch_problem(void);
/* Watch until something ends it.  Removes from tracefs the leftovers of killed recordings first, and its own
 * instances at the end.  False with BASE_ERROR_USAGE or BASE_ERROR_IO. */
bool rec_watch_run(const struct rec_watch_wish *wish, struct rec_watch_result *result, GError **error);

#endif
