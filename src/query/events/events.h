/* SPDX-License-Identifier: MIT */
/*
 * The events of the traces themselves, near any instant or number, without reading from the start: the index
 * knows in which packet of each stream they are.  They come in the order of their numbers (ranks: 1, 2, … in
 * their host), hosts among each other by time.
 *
 * The traces are needed for this, where and as they were when they were opened: see qry_set_trace().
 */
#ifndef QRY_EVENTS_H
#define QRY_EVENTS_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "trace/core/trc_paging.h"

struct qry_event {
	uint32_t host;
	uint64_t rank; /* its number in the host */
	int64_t time;
	uint32_t cpu;
	uint32_t thread;  /* row of the thread that ran on the CPU then; MDL_NONE unknown */
	const char *name; /* cleaned; owned by the experiment */
};

/* Which events; all that is set must hold. */
struct qry_events_filter {
	uint32_t host;    /* MDL_NONE: all */
	uint32_t cpu;     /* MDL_NONE: all */
	uint32_t thread;  /* row of a thread: events while it ran on their CPU; MDL_NONE: all */
	int64_t from, to; /* events of [FROM, TO), and with TO INT64_MAX up to the end */
	const char *name; /* NULL: all; with '*' or '?' a shell pattern for the whole name, else a part of it;
			     small and large letters alike */
	/* NULL: all; else what each event's line, "NAME FIELDS", holds; weak: qry_events_regex(). */
	const GRegex *match;
	/* NULL: all; events of the NAMEs that it wants.  Asked once for each name, of all that lie on the
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

/* A place between two events of an experiment. */
struct qry_events;

/*
 * Open the traces for the events that FILTER lets through; the place is at FILTER's begin.  NULL with
 * BASE_ERROR_IO or _DATA when a trace is not there, has changed since it was opened, or cannot be read.  One
 * cursor at a time per experiment.
 */
struct qry_events *qry_events_new(struct qry *q, const struct qry_events_filter *filter, GError **error);
void qry_events_free(struct qry_events *e);

/* Can there be events in the trace of HOST whose name is exactly NAME?  False also where it cannot be opened,
 * as above; true also where only reading all of it tells. */
bool qry_events_declared(struct qry *q, uint32_t host, const char *name);

/* Go to the place before the first event at or after TIME. */
bool qry_events_seek(struct qry_events *e, int64_t time, GError **error);
/* Go to the place before event number RANK of HOST; BASE_ERROR_NO_ANSWER when there is none. */
bool qry_events_seek_rank(struct qry_events *e, uint32_t host, uint64_t rank, GError **error);
/* The same, before the first event at TIME on CPU of HOST; BASE_ERROR_NO_ANSWER when there is none. */
bool qry_events_seek_exact(struct qry_events *e, uint32_t host, int64_t time, uint32_t cpu, GError **error);

/*
 * Step over the next event (BY 1) or the one before (BY -1), which becomes *EVENT.  Returns 1; 0 when there
 * is none; -1 with an error, BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was cancelled: a filter may
 * have to pass by many; BASE_ERROR_REFUSED when its regular expression takes too long.
 */
int qry_events_step(struct qry_events *e, int by, struct qry_event *event, struct base_progress *progress,
	GError **error);

/* All fields of the event stepped over last, as babeltrace2 prints them; cleaned.  The caller frees; NULL
 * with an error. */
char *qry_events_fields(struct qry_events *e, GError **error);

/* Give each field of the event stepped over last to TAKER: trc_paging.h.  False with an error. */
bool qry_events_take(struct qry_events *e, const struct trc_taker *taker, GError **error);

/* An event with its fields, as qry_events_fields(). */
struct qry_events_line {
	struct qry_event event;
	char *fields; /* owned by the list */
};

/*
 * Up to BEFORE events before the place and AFTER behind it, in their order: GArray of struct qry_events_line,
 * for the caller to unref.  The place is behind them then.  PROGRESS as of qry_events_step().  NULL with an
 * error.
 */
GArray *qry_events_list(struct qry_events *e, unsigned before, unsigned after, struct base_progress *progress,
	GError **error);

/* ---- numbers of events ---- */

/* "#123" or "123#", "HOST/" may stand before it (else *HOST stays): the number of an event.  False when TEXT
 * is none. */
bool qry_event_parse(const struct qry *q, const char *text, uint32_t *host, uint64_t *rank);
/* The exact time of event number RANK of HOST; BASE_ERROR_NO_ANSWER when there is none, else errors as of
 * qry_events_new(). */
bool qry_event_time(struct qry *q, uint32_t host, uint64_t rank, int64_t *time, GError **error);

/*
 * The regular expression (of Perl) TEXT for a filter: small and large letters are alike unless TEXT has a
 * large one, not counting what stands behind a backslash.  BASE_ERROR_USAGE in one line when it is none.
 */
GRegex *qry_events_regex(const char *text, GError **error);

/* Does NAME pass PATTERN, in the sense of a filter? */
bool qry_events_match(const char *pattern, const char *name);

#endif
