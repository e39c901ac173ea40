/* SPDX-License-Identifier: MIT */
/* What the files of the list of events share; private to src/query. */
#ifndef QRY_EVENTS_PARTS_H
#define QRY_EVENTS_PARTS_H

#include "query/events/events.h"
#include "query/events/lane.h"

struct qry_events {
	struct qry *q;                   /* weak */
	struct qry_events_filter filter; /* its name is owned */
	struct qry_lane *lanes;          /* owned, by host and stream */
	uint32_t n_lanes;
	GHashTable *passes; /* name as of struct qry_trace_event → whether the filter lets it pass; owned */
	GString *line;      /* owned: room for that of an event */
	struct qry_lane *last; /* of the event stepped over last; weak, NULL: none */
	uint64_t last_packet, last_at;
	int64_t last_time; /* of its host's own clock */
	uint32_t last_cpu;
};

/* Does the filter let events called NAME through? */
bool qry_events_filter_wants(struct qry_events *e, const char *name);
/* Does the filter let EVENT through?  Its rank does not matter. */
bool qry_events_filter_passes(struct qry_events *e, const struct qry_event *event);

/* Does the line of EVENT, which was stepped over last, hold what the filter looks for?  1, 0, -1 with an
 * error. */
int qry_events_filter_matches(struct qry_events *e, const struct qry_event *event, GError **error);

/* TIME (shown) is beyond what the filter lets through: behind it when BY is 1, else before it. */
bool qry_events_filter_is_over(const struct qry_events *e, int by, int64_t time);

/*
 * With a filter for a thread: where it does not run for long there is nothing to find.  EVENT, stepped over
 * last, did not pass; when the thread is off its CPU there, true, and *GO is the time of its host's own clock
 * at which it runs next.
 */
bool qry_events_filter_is_idle(const struct qry_events *e, int by, const struct qry_event *event,
	int64_t *go);

#endif
