/* SPDX-License-Identifier: MIT */
/* Sets of intervals of threads, by a SPEC as cli.md has it: requests, latencies, from event to event, a file.
 */
#ifndef ANA_SET_H
#define ANA_SET_H

#include "base/base_progress.h"
#include "query/qry.h"

struct ana_request_asked;
struct ana_rules;

struct ana_set_interval {
	int64_t from, to; /* [FROM, TO), shown times */
	uint32_t row;     /* the thread */
	uint32_t key;     /* index into KEYS of what tells it from others */
};

struct ana_set {
	char *spec;           /* as it was typed; owned */
	GArray *intervals;    /* of struct ana_set_interval, by their begin */
	const char *key_name; /* static: what KEYS are: "connection", "name"; NULL: there are none */
	GPtrArray *keys;      /* of char *, owned; number 0: not known */
	uint64_t no_thread;   /* left out: of no thread that is known */
	uint64_t outside;    /* left out: of a file, not wholly within the trace and the life of its thread */
	uint64_t unfinished; /* left out: the trace ends before them, or events were lost */
};

/*
 * The set SPEC of Q, of what begins in [FROM, TO) (BASE_TIME_NONE: open).  A file has all that it names, but
 * for what is OUTSIDE. BASE_ERROR_USAGE for what is no SPEC, BASE_ERROR_NO_ANSWER where no interval is left,
 * BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.
 */
struct ana_set *ana_set_find(struct qry *q, const char *spec, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
/* The same of what thread ROW has (MDL_NONE: all threads): cases of KIND (of RULES, unless NULL), or, where
 * that is NULL, requests that it asked. */
struct ana_set *ana_set_of_thread(struct qry *q, const struct ana_rules *rules, const char *kind,
	uint32_t row, int64_t from, int64_t to, struct base_progress *progress, GError **error);
/* The same of the requests that a list has: ana_request_scope_each(). */
struct ana_set *ana_set_of_scope(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, GError **error);
void ana_set_free(struct ana_set *set);
/* The order of intervals in a set, as qsort() has it; 0: they are the same. */
int ana_set_order(const void *a, const void *b);

/*
 * Give each interval of SET the key "EVENT.FIELD" (WHAT): the field of the first event of that name that its
 * thread met in it.  False with BASE_ERROR_USAGE, BASE_ERROR_NO_ANSWER where no interval has one, or as of
 * qry_events_new().
 */
bool ana_set_by_field(struct qry *q, struct ana_set *set, const char *what, struct base_progress *progress,
	GError **error);

/* Is TEXT a SPEC, or a file of text, which recordings are not? */
bool ana_set_is_spec(const char *text);

#endif
