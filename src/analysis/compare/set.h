/* SPDX-License-Identifier: MIT */
/* Sets of intervals of threads, by a SPEC (see cli.md): requests, latencies, from event to event, a file. */
#ifndef ANA_SET_H
#define ANA_SET_H

#include "base/base_many.h"
#include "base/base_progress.h"
#include "query/qry.h"

struct ana_request_asked;
struct ana_rules;

struct ana_set_interval {
	int64_t from, to; /* [FROM, TO), shown times, ns */
	uint32_t row;     /* the thread */
	uint32_t key;     /* index in KEYS */
};

struct ana_set {
	char *spec;                  /* as typed; for "span" and "span:NAME", with the chosen name; owned */
	struct base_many *intervals; /* of struct ana_set_interval, sorted by begin */
	const char *key_name; /* static: the meaning of KEYS: "connection", "name"; NULL: there are none */
	GPtrArray *keys;      /* of char *, owned; number 0: unknown */
	uint64_t no_thread;   /* number left out: thread unknown */
	/* number left out: in a file, but not wholly within the trace and the life of the thread */
	uint64_t outside;
	uint64_t unfinished; /* number left out: the trace ends before they do, or events were lost */
};

/*
 * Find the set SPEC of Q: intervals that begin in [FROM, TO) (BASE_TIME_NONE: no limit).  A file gives all
 * intervals that it names, except those counted in OUTSIDE.  BASE_ERROR_USAGE if SPEC is invalid;
 * BASE_ERROR_NO_ANSWER if no interval is left; BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.
 */
struct ana_set *ana_set_find(struct qry *q, const char *spec, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
/* Like ana_set_find(), for thread ROW (MDL_NONE: all threads): cases of KIND (in RULES, unless NULL), or if
 * KIND is NULL, requests that it asked. */
struct ana_set *ana_set_of_thread(struct qry *q, const struct ana_rules *rules, const char *kind,
	uint32_t row, int64_t from, int64_t to, struct base_progress *progress, GError **error);
/* Like ana_set_find(), for the requests that ASKED selects: ana_request_scope_each(). */
struct ana_set *ana_set_of_scope(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, GError **error);
void ana_set_free(struct ana_set *set);
/* Compare two intervals for qsort(), in the order of a set; 0: they are equal. */
int ana_set_order(const void *a, const void *b);

/* Give each interval of SET the key WHAT, "EVENT.FIELD": that field of the first event of that name that its
 * thread met in the interval.  False with BASE_ERROR_USAGE, with BASE_ERROR_NO_ANSWER if no interval has one,
 * or with an error of qry_events_new(). */
bool ana_set_by_field(struct qry *q, struct ana_set *set, const char *what, struct base_progress *progress,
	GError **error);

/* True if TEXT is a SPEC, or the path of a text file; recordings are not text. */
bool ana_set_is_spec(const char *text);

#endif
