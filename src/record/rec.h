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
	/* What recordings that were killed left behind, by name: a new array of char *, owned.  NULL: they
	 * leave nothing. */
	GPtrArray *(*left)(void);
	const char *left_is[2]; /* what that is: the words before and behind a name */
	/* Take away what they are. */
	bool (*clean)(GError **error);
};

extern const struct rec_tracer rec_ftrace, rec_perf, rec_lttng;

/* ---- from what was asked for to how it will be done (rec_plan.c) ---- */

/* All tracers, the best first; NULL-terminated. */
const struct rec_tracer *const *rec_plan_tracers(void);
/*
 * Choose tracer, events, buffers and output for WISH, which must live as long.  DRY: nothing will be recorded
 * here.  NULL with BASE_ERROR_IO where nothing can record, BASE_ERROR_USAGE for a wish that cannot be had.
 */
struct rec_plan *rec_plan_new(const struct rec_wish *wish, bool dry, GError **error);
void rec_plan_free(struct rec_plan *plan);
/* What it will cost, in words: "about 3.1 MB/s as busy as it is now, low overhead (…)": it tries for a fifth
 * of a second.  The caller frees. */
char *rec_plan_cost(const struct rec_plan *plan);
/* "64M" in bytes; false with BASE_ERROR_USAGE. */
bool rec_plan_size(const char *text, uint64_t *size, GError **error);

/* ---- a recording from its begin to its end (rec_run.c) ---- */

/* What became of it. */
struct rec_result {
	struct rec_state state;
	double seconds;       /* how long it recorded */
	int signal;           /* that ended it; 0 none */
	int64_t latency;      /* that ended it, ns; 0 none */
	int pid;              /* of COMMAND; 0: there is none */
	bool has_status;      /* it has ended, … */
	int status;           /* … as waitpid() has it */
	bool command_goes_on; /* it was left running */
	GError *cut_short;    /* owned: why it ended before it should (a full disk); what there is was kept */
};

/*
 * Record PLAN until something ends it: a signal, its time, the end of COMMAND, a latency.  Several times a
 * second SHOW hears how far it is.  The output is there afterwards; false with an error: nothing is.
 */
bool rec_run(const struct rec_plan *plan, void (*show)(void *context, const struct rec_result *so_far),
	void *context, struct rec_result *result, GError **error);

#endif
