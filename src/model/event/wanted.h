/* SPDX-License-Identifier: MIT */
/* The table of events that are worth recording: what each shows, its name in each tracer, and the questions
 * that need it. */
#ifndef MDL_WANTED_H
#define MDL_WANTED_H

#include <stddef.h>

/* The questions that a recording must answer. */
enum mdl_question {
	/* which thread ran when, woken by what; interrupts and timers.  All others need it. */
	MDL_ASKS_CPU = 1,
	MDL_ASKS_DISK = 2,  /* requests to disks */
	MDL_ASKS_NET = 4,   /* packets */
	MDL_ASKS_LOCKS = 8, /* system calls: futexes, pipes, files */
	MDL_ASKS_ALL = 15,
	MDL_ASKS_SPANS = 32,    /* events that programs write into the trace */
	MDL_ASKS_COUNTERS = 64, /* of perf: counters with each switch */
	MDL_ASKS_ON_CPU = 128,  /* of perf: call stacks of running threads */
};

/* A question as the user types it.  All text is static. */
struct mdl_asked {
	const char *name;   /* NULL ends the table */
	unsigned questions; /* set of enum mdl_question */
	const char *why;    /* what it shows */
	const char *event; /* for mdl_coverage_missing(): without it there is no answer; NULL: none decides */
};

/* All text is static. */
struct mdl_wanted {
	const char *event; /* as in mdl_coverage_missing(); NULL: nothing is missing without it */
	const char *why;   /* what it shows; NULL if EVENT is NULL */
	/* The arguments of "lttng enable-event -k": names, separated by commas, that may have a '*'; or
	 * options.  NULL ends the table. */
	const char *lttng;
	const char *perf;   /* the argument of "perf record -e"; NULL: perf has no such event */
	unsigned questions; /* set of enum mdl_question: the event serves any of these */
	const char *ftrace; /* PERF as the kernel itself and trace-cmd name it; NULL: like PERF */
};

/* The events of W for ftrace; NULL: it has none of them. */
static inline const char *mdl_wanted_ftrace(const struct mdl_wanted *w)
{
	return w->ftrace ? w->ftrace : w->perf;
}
/* The table, the most useful first; it ends with an entry whose LTTNG is NULL. */
const struct mdl_wanted *mdl_wanted_first(void);
/* The entry for EVENT, which is the name of its group or of an event in it; NULL: there is none. */
const struct mdl_wanted *mdl_wanted_find(const char *event);
/* All questions. */
const struct mdl_asked *mdl_wanted_asked(void);
/* Return the set for the question NAME; 0: no question has this name, or its set has one of NOT_OF. */
unsigned mdl_wanted_question(const char *name, unsigned not_of);
/* Return the names of questions without any of NOT_OF: "cpu, disk or all". The caller frees. */
char *mdl_wanted_names(unsigned not_of);

#endif
