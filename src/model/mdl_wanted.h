/* SPDX-License-Identifier: MIT */
/* The table of events that are worth recording: what each shows, what its tracers call it, who needs it. */
#ifndef MDL_WANTED_H
#define MDL_WANTED_H

#include <stddef.h>

/* What a recording is to answer. */
enum mdl_question {
	MDL_ASKS_CPU = 1,   /* who ran when, woken by whom; interrupts and timers.  All others rest on it. */
	MDL_ASKS_DISK = 2,  /* requests to disks */
	MDL_ASKS_NET = 4,   /* packets */
	MDL_ASKS_LOCKS = 8, /* system calls: futexes, pipes, files */
	MDL_ASKS_ALL = 15
};

/* All text is static. */
struct mdl_wanted {
	const char *event; /* as mdl_table_missing() has it; NULL: nothing is missing without it */
	const char *why;   /* what it shows; NULL as EVENT is */
	/* What stands behind "lttng enable-event -k": names, between commas, that may have a '*'; or options.
	 * NULL ends the table. */
	const char *lttng;
	const char *perf;   /* the same behind "perf record -e"; NULL: it has no such event */
	unsigned questions; /* any of these sets of enum mdl_question */
	const char *ftrace; /* PERF as the kernel itself and trace-cmd have it; NULL: the same */
};

/* The events of W for ftrace; NULL: it has none of them. */
static inline const char *mdl_wanted_ftrace(const struct mdl_wanted *w)
{
	return w->ftrace ? w->ftrace : w->perf;
}
/* The table, the most useful first; ends with one that has no LTTNG. */
const struct mdl_wanted *mdl_wanted_first(void);
/* The line for EVENT, by the name of its group or one that belongs to it; NULL: there is none. */
const struct mdl_wanted *mdl_wanted_find(const char *event);
/* "cpu", "disk", "net", "locks", "all"; 0: none of them. */
unsigned mdl_wanted_question(const char *name);

#endif
