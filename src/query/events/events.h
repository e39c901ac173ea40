/* SPDX-License-Identifier: MIT */
/*
 * The events of the traces, near any instant or number, without reading a trace from its start: the index
 * knows in which packet of each stream they are.  They come in the order of their ranks (1, 2, … per host);
 * those of several hosts are merged by time.
 *
 * This needs the traces, where and as they were when they were opened: see qry_set_trace().
 */
#ifndef QRY_EVENTS_H
#define QRY_EVENTS_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "trace/core/trc_paging.h"

struct qry_event {
	uint32_t host;
	uint64_t rank; /* number of the event in its host */
	int64_t time;
	uint32_t cpu;
	uint32_t thread;  /* row of the thread that ran on the CPU at that time; MDL_NONE unknown */
	const char *name; /* sanitised; owned by the experiment */
};

/* Selects events.  All conditions that are set must hold. */
struct qry_events_filter {
	uint32_t host;    /* MDL_NONE: all */
	uint32_t cpu;     /* MDL_NONE: all */
	uint32_t thread;  /* row of a thread: events on its CPU while it ran; MDL_NONE: all */
	int64_t from, to; /* events of [FROM, TO); TO INT64_MAX: up to the end */
	/* NULL: all.  With '*' or '?': a shell pattern for the whole name; else a part of the name.  Ignores
	 * case. */
	const char *name;
	/* NULL: all.  Else it must match in "NAME FIELDS".  Weak; see qry_events_regex(). */
	const GRegex *match;
	/* NULL: all.  Else only names that it returns true for.  Called once per name, with all names on the
	 * way. */
	bool (*wants)(void *data, const char *name);
	void *data;
};

#define QRY_EVENTS_ALL                                 \
	((struct qry_events_filter){ .host = MDL_NONE, \
		.cpu = MDL_NONE,                       \
		.thread = MDL_NONE,                    \
		.from = INT64_MIN,                     \
		.to = INT64_MAX })

/* A cursor between two events of an experiment. */
struct qry_events;

/* Open the traces for the events that FILTER selects; the cursor is at FILTER's begin.  NULL with
 * BASE_ERROR_IO or BASE_ERROR_DATA if a trace is missing, changed since it was opened, or cannot be read.
 * Only one cursor per experiment at a time. */
struct qry_events *qry_events_new(struct qry *q, const struct qry_events_filter *filter, GError **error);
void qry_events_free(struct qry_events *e);

/* True if the trace of HOST may contain events with exactly this NAME (counters of perf: mdl_counter_is()).
 * Also true if only reading all of it could decide. False also if it cannot be opened, as in
 * qry_events_new(). */
bool qry_events_declared(struct qry *q, uint32_t host, const char *name);

/* Go before the first event at or after TIME. */
bool qry_events_seek(struct qry_events *e, int64_t time, GError **error);
/* Go before event number RANK of HOST.  BASE_ERROR_NO_ANSWER if there is none. */
bool qry_events_seek_rank(struct qry_events *e, uint32_t host, uint64_t rank, GError **error);
/* Go before the first event at TIME on CPU of HOST.  BASE_ERROR_NO_ANSWER if there is none. */
bool qry_events_seek_exact(struct qry_events *e, uint32_t host, int64_t time, uint32_t cpu, GError **error);

/*
 * Step over the next (BY 1) or previous (BY -1) event that the filter selects, and read it into *EVENT.
 * Returns 1; 0 if there is none; -1 with an error: BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was
 * cancelled, since a filter may have to pass many events; BASE_ERROR_REFUSED if its regular expression takes
 * too long.
 */
int qry_events_step(struct qry_events *e, int by, struct qry_event *event, struct base_progress *progress,
	GError **error);

/* All fields of the event stepped over last, as babeltrace2 prints them, sanitised.  The caller frees.  NULL
 * with an error. */
char *qry_events_fields(struct qry_events *e, GError **error);

/* Pass each field of the event stepped over last to TAKER (trc_paging.h).  False with an error. */
bool qry_events_take(struct qry_events *e, const struct trc_taker *taker, GError **error);

/* An event with the text of its fields (qry_events_fields()). */
struct qry_events_line {
	struct qry_event event;
	char *fields; /* owned by the list */
};

/* Up to BEFORE events before the cursor and AFTER events after it, in order (GArray of struct
 * qry_events_line).  The caller unrefs.  Moves the cursor after the last.  PROGRESS: see qry_events_step().
 * NULL with an error. */
GArray *qry_events_list(struct qry_events *e, unsigned before, unsigned after, struct base_progress *progress,
	GError **error);

/* ---- numbers of events ---- */

/* Parse the number of an event, "#123" or "123#", with or without "HOST/" before it (without: *HOST is
 * unchanged).  False if TEXT is not one. */
bool qry_event_parse(const struct qry *q, const char *text, uint32_t *host, uint64_t *rank);
/* The exact time of event number RANK of HOST.  BASE_ERROR_NO_ANSWER if there is none, else errors as in
 * qry_events_new(). */
bool qry_event_time(struct qry *q, uint32_t host, uint64_t rank, int64_t *time, GError **error);

/* Compile the Perl regular expression TEXT for a filter.  It ignores case unless TEXT has a capital letter
 * that no backslash precedes.  BASE_ERROR_USAGE, in one line, if it is invalid. */
GRegex *qry_events_regex(const char *text, GError **error);

/* True if NAME matches PATTERN, in the sense of struct qry_events_filter. */
bool qry_events_match(const char *pattern, const char *name);
/* True if NAME is a switch of threads in any tracer. For WANTS of a filter; DATA is not used. */
bool qry_events_is_switch(void *data, const char *name);

#endif
