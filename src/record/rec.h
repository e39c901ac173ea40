/* SPDX-License-Identifier: MIT */
/* Recording: the user's request, the plan for it, and the interface of a tracer. */
#ifndef REC_H
#define REC_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A latency that ends the recording, or that a watch keeps: "wakeup > 5ms", "wakeup > 3 x p99". */
struct rec_until {
	const char *kind; /* static; NULL: none */
	int64_t limit;    /* ns; INT64_MAX if it is not known yet */
	double times;     /* 0: LIMIT was typed; else LIMIT is TIMES × the quantile … */
	double quantile;  /* … QUANTILE (0 to 1) of the latencies measured so far */
};

/* The request.  All pointers are weak. */
struct rec_wish {
	const char *output;   /* file, for LTTng a folder; NULL: wakepath makes a name from the time */
	const char *with;     /* name of a tracer; NULL: the best one available */
	const char *question; /* name of the question, … */
	unsigned questions;   /* … and its set of enum mdl_question */
	int64_t duration;     /* ns; 0: no limit */
	char *const *command; /* NULL-terminated; NULL: none */
	/* bytes of the kernel's ring if only the last events are kept; 0: all events are kept */
	uint64_t flight;
	struct rec_until until;
	bool replace;         /* replace OUTPUT if it exists */
	const char *counters; /* names of counters to read at each switch, comma-separated; NULL: none */
	bool stacks;          /* record call stacks, and sample running threads */
	/* probes, written as for --probe and --usdt, NULL-terminated; NULL: none */
	char *const *probes, *const *usdts;
};

struct rec_probes;

/* The plan. */
struct rec_plan {
	const struct rec_wish *wish; /* weak */
	const struct rec_tracer *tracer;
	char *output;              /* owned */
	char *name;                /* owned: rec_name_new(); prefix of all names in the kernel and of files */
	GPtrArray *events;         /* owned, of char *: in the tracer's syntax */
	GPtrArray *counters;       /* owned, of char *; NULL: none */
	struct rec_probes *probes; /* owned; NULL: none.  EVENTS includes their events */
	char *note;                /* owned: how the plan differs from the wish; NULL: it does not */
	unsigned cpus;             /* possible CPUs */
	uint64_t buffer;           /* bytes per CPU */
};

/* Progress of a recording. */
struct rec_state {
	uint64_t events; /* recorded */
	uint64_t lost;
	double fill;    /* share (0..1) of the fullest buffer; -1: unknown */
	bool has_count; /* the tracer counts events while it records */
};

/* A running recording; each tracer defines its own. */
struct rec_tracing;

/* A tracer: one const struct in its own file and a line in rec_plan.c. */
struct rec_tracer {
	const char *name;   /* the value of --with */
	const char *suffix; /* of its output names */
	/* Return why the tracer cannot be used here, one static line; NULL: it can.  ASKED: by --with. */
	const char *(*problem)(bool asked);
	/* Return the events for QUESTIONS, a new array of char *; the caller unrefs. */
	GPtrArray *(*events)(unsigned questions);
	/* Append to OUT the commands that record PLAN by hand, one per line, without those for its probes. */
	void (*tell)(const struct rec_plan *plan, GString *out);
	/* Start to record PLAN (weak).  On return recording is on.  NULL with an error. */
	struct rec_tracing *(*start)(const struct rec_plan *plan, GError **error);
	/* Get the progress.  False with an error if the recording ended by itself; stop() can still keep its
	 * events. */
	bool (*poll)(struct rec_tracing *t, struct rec_state *state, GError **error);
	/* Stop recording new events.  Fast; a second call does no harm. */
	void (*hold)(struct rec_tracing *t);
	/* End the recording: keep the events in the output if KEEP, remove everything else, free T.  STATE
	 * receives the final progress.  False with an error if the events could not be kept. */
	bool (*stop)(struct rec_tracing *t, bool keep, struct rec_state *state, GError **error);
	/* Return the names of leftovers of killed recordings, a new array of char *; the caller unrefs.  The
	 * member is NULL if they leave nothing. */
	GPtrArray *(*left)(void);
	const char *left_is[2]; /* words before and after such a name in a message */
	/* Remove those leftovers.  False with an error if one stays. */
	bool (*clean)(GError **error);
};

extern const struct rec_tracer rec_ftrace, rec_perf, rec_lttng;

/* ---- from request to plan (rec_plan.c) ---- */

/* All tracers, best first; NULL-terminated. */
extern const struct rec_tracer *const rec_plan_tracers[];
/* Choose tracer, events, buffers and output for WISH, which must live as long as the plan.  DRY: the plan is
 * only printed, perhaps for another machine.  NULL with BASE_ERROR_IO if no tracer can record,
 * BASE_ERROR_USAGE if WISH cannot be fulfilled. */
struct rec_plan *rec_plan_new(const struct rec_wish *wish, bool dry, GError **error);
void rec_plan_free(struct rec_plan *plan);
/* Append to OUT the commands that record PLAN by hand, one per line. */
void rec_plan_tell(const struct rec_plan *plan, GString *out);
/* Describe the expected cost: "about 3.1 MB/s as busy as it is now, low overhead (…)".  Records for 0.2 s to
 * find it.  The caller frees. */
char *rec_plan_cost(const struct rec_plan *plan);
/* Return the bytes of memory that are available. */
uint64_t rec_plan_memory(void);
/* Parse a size such as "64M" into bytes.  False with BASE_ERROR_USAGE. */
bool rec_plan_size(const char *text, uint64_t *size, GError **error);

/* The only kind that the kernel does not measure: the run time of COMMAND. */
#define REC_UNTIL_COMMAND "command"
/* Parse "KIND > D" or "KIND > N x p99".  False with BASE_ERROR_USAGE. */
bool rec_until_parse(const char *text, struct rec_until *until, GError **error);

/* ---- a whole recording (rec_run.c) ---- */

/* Result of a recording. */
struct rec_result {
	struct rec_state state;
	double seconds;       /* duration of the recording */
	int signal;           /* the signal that ended it; 0: none */
	int64_t latency;      /* ns: the latency that ended it; 0: none */
	int pid;              /* of COMMAND; 0: no command */
	bool has_status;      /* the command has ended, … */
	int status;           /* … with this status of waitpid() */
	bool command_goes_on; /* the command still runs */
	/* owned: why the recording ended early (a full disk); the events until then are kept */
	GError *cut_short;
};

/* Format STATUS: "ended with status 3", "was killed by signal 11 (…)".  The caller frees. */
char *rec_command_words(int status);

/* Record PLAN until something ends it: a signal, the requested duration, the end of COMMAND, a latency.
 * Calls SHOW several times a second with the progress.  Afterwards the output exists; false with an error if
 * it does not. */
bool rec_run(const struct rec_plan *plan, void (*show)(void *context, const struct rec_result *so_far),
	void *context, struct rec_result *result, GError **error);

#endif
