/* SPDX-License-Identifier: MIT */
/* The triggers of a watch: distributions of their cases, limits relative to these, and hits not saved yet. */
#ifndef REC_CASES_H
#define REC_CASES_H

#include "record/rec_keep.h"
#include "record/rec_meter.h"
#include "record/rec_watch.h"

struct rec_cases;

/* METER measures the triggers of WISH.  The distributions continue those of KEEP (NULL: nothing is kept).
 * All pointers are weak. */
struct rec_cases *rec_cases_new(const struct rec_watch_wish *wish, struct rec_meter *meter,
	struct rec_keep *keep);
/* C may be NULL. */
void rec_cases_free(struct rec_cases *c);

/* Add the cases that METER measured since the last look.  SAVING (of struct watch_hit; NULL: none) are the
 * hits of a recording that ends at TURNED (µs of g_get_monotonic_time()).  A case over the limit that ended
 * before TURNED joins the hit of its trigger in SAVING, and replaces it if it is longer.  Errors of
 * rec_meter_poll(). */
bool rec_cases_look(struct rec_cases *c, GArray *saving, gint64 turned, GError **error);
/* Add one case, like rec_cases_look(). */
void rec_cases_add(struct rec_cases *c, const struct rec_case *met, GArray *saving, gint64 turned);
/* Return the number of cases so far. */
uint64_t rec_cases_count(const struct rec_cases *c);
/* Append to FIELDS the fields over, lost and classes of a line "seen" (watch/watch_manifest.h): the cases of
 * trigger number OF since the last call. */
void rec_cases_seen(struct rec_cases *c, unsigned of, GString *fields);

/* True if hits are pending. */
bool rec_cases_has_hits(const struct rec_cases *c);
/* True if pending hits can still wait for an open case, so that one recording has both.  WHOLE (ns of
 * CLOCK_MONOTONIC): the ring has all events since then. */
bool rec_cases_may_wait(const struct rec_cases *c, int64_t whole);
/* Move the pending hits into HITS (of struct watch_hit, without files).  Returns the number of hits, the
 * first ones of HITS, that are worth a recording. */
unsigned rec_cases_take(struct rec_cases *c, GArray *hits);
/* Call when HITS have a recording: from now on each of them lacks a typical case. */
void rec_cases_saved(struct rec_cases *c, const GArray *hits);
/* True if a hit lacks a typical case and one has just ended; *H becomes that case.  SINCE (µs of
 * g_get_monotonic_time()): the ring records since then. */
bool rec_cases_typical(struct rec_cases *c, gint64 since, struct watch_hit *h);

#endif
