/* SPDX-License-Identifier: MIT */
/* A recorder that never stops: it keeps a small recording of each latency above a limit. */
#ifndef REC_WATCH_H
#define REC_WATCH_H

#include "record/rec_budget.h"
#include "record/rec_until.h"

/* The request.  All pointers are weak. */
struct rec_watch_wish {
	const struct rec_until *untils; /* N of them; … */
	char *const *texts;             /* … and as they were typed */
	unsigned n;
	const char *folder; /* NULL: nothing is kept, for measuring what it costs */
	unsigned keep;      /* hits of each trigger, and as many typical cases */
	int64_t every;      /* ns: at most one recording of a trigger in so long */
	int64_t duration;   /* ns; 0: no limit */
	double cpu;         /* share of all CPUs, 0 to 1; 0: no limit */
	uint64_t disk;      /* bytes */
	uint64_t ring;      /* bytes for all CPUs; 0: some MiB for each */
	unsigned questions; /* set of enum mdl_question: events to record */
	bool quiet;         /* for those who say something */
	/* True if it is to end; called every few milliseconds.  NULL: when a signal or DURATION ends it. */
	bool (*ends)(void *context);
	/* A line for the user: something to know, not an error. */
	void (*say)(void *context, const char *text);
	/* It watches now; what recording costs is known. */
	void (*ready)(void *context, const struct rec_budget *budget);
	void *context;
};

/* The work of a watch, in numbers. */
struct rec_watch_result {
	uint64_t hits, kept; /* hits; those with a recording */
	uint64_t cases;      /* latencies measured */
	uint64_t events;     /* recorded */
	double seconds, cpu; /* how long; CPU time of this process */
	int signal;          /* that ended it; 0: none */
};

/* Return why nothing can be watched here, one static line; NULL: it can. */
const char *rec_watch_problem(void);
/* Watch until something ends it.  Nothing is left in tracefs; what killed recordings left there is removed at the
 * begin.  False with BASE_ERROR_USAGE or BASE_ERROR_IO. */
bool rec_watch_run(const struct rec_watch_wish *wish, struct rec_watch_result *result, GError **error);

#endif
