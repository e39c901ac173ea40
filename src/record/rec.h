/* SPDX-License-Identifier: MIT */
/* Recording: what was asked for, how it will be done, and what a tracer has to offer for it. */
#ifndef REC_H
#define REC_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A latency that ends the recording, "wakeup > 5ms". */
struct rec_until {
	const char *kind; /* static; NULL: none */
	int64_t limit;    /* ns */
};

/* What was asked for.  All weak. */
struct rec_wish {
	const char *output;   /* file, of LTTng a folder; NULL: a name with the time */
	const char *with;     /* name of a tracer; NULL: the best that is there */
	const char *question; /* name of it, and … */
	unsigned questions;   /* … which these are: set of enum mdl_question */
	int64_t duration;     /* ns; 0: no limit */
	char *const *command; /* NULL-terminated; NULL: none */
	uint64_t flight;      /* bytes of the kernel's ring for the last events; 0: all are kept */
	struct rec_until until;
	bool replace; /* an output that is there */
};

/* How it will be done. */
struct rec_plan {
	const struct rec_wish *wish; /* weak */
	const struct rec_tracer *tracer;
	char *output;      /* owned */
	char *name;        /* rec_name_new(): of what is made in the kernel, and of files; owned */
	GPtrArray *events; /* owned: of char *, as the tracer types them */
	unsigned cpus;     /* that there can be */
	uint64_t buffer;   /* bytes for each of them */
};

/* How far it is. */
struct rec_state {
	uint64_t events; /* recorded */
	uint64_t lost;
	double fill;    /* share of the fullest buffer; -1 unknown */
	bool has_count; /* the tracer tells of events while it records */
};

/* A recording under way; each tracer has its own. */
struct rec_tracing;

/* A tracer: one const struct in its own file and a line in rec_plan.c. */
struct rec_tracer {
	const char *name;   /* as --with has it */
	const char *suffix; /* of the names of its output */
	/* Why it cannot be used here, one line, static; NULL: it can.  ASKED: the user named it. */
	const char *(*problem)(bool asked);
	/* The events for QUESTIONS: a new array of char *, owned. */
	GPtrArray *(*events)(unsigned questions);
	/* The commands that do the same by hand, a line each. */
	void (*tell)(const struct rec_plan *plan, GString *out);
	/* Begin; what comes from now on is recorded. */
	struct rec_tracing *(*start)(const struct rec_plan *plan, GError **error);
	/* How far it is; false with an error when it came to an end by itself.  What is there can be kept. */
	bool (*poll)(struct rec_tracing *t, struct rec_state *state, GError **error);
	/* Record no more from now on: quick, and may be called again. */
	void (*hold)(struct rec_tracing *t);
	/* End, KEEP what there is in the output, take away all else, free T.  STATE is the last one. */
	bool (*stop)(struct rec_tracing *t, bool keep, struct rec_state *state, GError **error);
	/* What recordings that were killed left behind: a new array of char *, words for a person, owned.
	 * FOLDER: where files were written. */
	GPtrArray *(*left)(const char *folder);
	/* Take away what they are. */
	bool (*clean)(const char *folder, GError **error);
};

extern const struct rec_tracer rec_ftrace, rec_perf, rec_lttng;

#endif
