/* SPDX-License-Identifier: MIT */
/* The triggers of a watch: distributions of their cases, limits that follow from these, and hits that are not saved yet. */
#ifndef REC_CASES_H
#define REC_CASES_H

#include "record/rec_keep.h"
#include "record/rec_meter.h"
#include "record/rec_watch.h"

struct rec_cases;

/* METER measures what WISH asks for.  The distributions go on with those of KEEP.  NULL: nothing is kept.  All are weak. */
struct rec_cases *rec_cases_new(const struct rec_watch_wish *wish, struct rec_meter *meter,
	struct rec_keep *keep);
/* C may be NULL. */
void rec_cases_free(struct rec_cases *c);

/* Take what METER measured since the last look.  SAVING (of struct watch_hit; NULL: none) are hits of a recording that
 * ends at TURNED (µs of g_get_monotonic_time()): a longer one of the same trigger that ended before takes the place of
 * such a hit.  Errors of rec_meter_poll(). */
bool rec_cases_look(struct rec_cases *c, GArray *saving, gint64 turned, GError **error);
/* Take a case, as rec_cases_look() does. */
void rec_cases_add(struct rec_cases *c, const struct rec_case *met, GArray *saving, gint64 turned);
/* The number of cases so far. */
uint64_t rec_cases_count(const struct rec_cases *c);
/* Append to FIELDS what a line "seen" has of trigger number OF since the last call: over, lost, classes. */
void rec_cases_seen(struct rec_cases *c, unsigned of, GString *fields);

/* True if hits are pending. */
bool rec_cases_has_hits(const struct rec_cases *c);
/* True if they shall wait for a case that is open, so that one recording has both.  WHOLE (ns of CLOCK_MONOTONIC): the
 * ring has all events since then. */
bool rec_cases_may_wait(const struct rec_cases *c, int64_t whole);
/* Move the pending hits into HITS (of struct watch_hit, without files).  Returns how many of them, the first ones, are
 * worth a recording. */
unsigned rec_cases_take(struct rec_cases *c, GArray *hits);
/* HITS have a recording: each lacks a typical case now. */
void rec_cases_saved(struct rec_cases *c, const GArray *hits);
/* If a hit lacks a typical case, and one just ended: make H that, and return true.  SINCE (µs of
 * g_get_monotonic_time()): the ring records since then. */
bool rec_cases_typical(struct rec_cases *c, gint64 since, struct watch_hit *h);

#endif
