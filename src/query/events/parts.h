/* SPDX-License-Identifier: MIT */
/* Shared by the files of the list of events.  Private to src/query. */
#ifndef QRY_EVENTS_PARTS_H
#define QRY_EVENTS_PARTS_H

#include "query/events/events.h"
#include "query/events/lane.h"

struct qry_events {
	struct qry *q;                   /* weak */
	struct qry_events_filter filter; /* its name is owned */
	struct qry_lane *lanes;          /* owned; ordered by host and stream */
	uint32_t n_lanes;
	/* event name (as in struct qry_trace_event) → whether the filter selects it; owned */
	GHashTable *passes;
	GString *line;         /* owned; buffer for the line of an event */
	struct qry_lane *last; /* lane of the event stepped over last; weak, NULL: none */
	uint64_t last_packet, last_at;
	int64_t last_time; /* by its host's own clock, ns */
	uint32_t last_cpu;
};

/* True if the filter selects events called NAME. */
bool qry_events_filter_wants(struct qry_events *e, const char *name);
/* True if the filter selects EVENT.  Its rank is ignored. */
bool qry_events_filter_passes(struct qry_events *e, const struct qry_event *event);

/* 1 if the line of EVENT, which was stepped over last, matches the filter's expression; 0 if not; -1 with an
 * error. */
int qry_events_filter_matches(struct qry_events *e, const struct qry_event *event, GError **error);

/* True if TIME (shown) is beyond what the filter selects: after it if BY is 1, else before it. */
bool qry_events_filter_is_over(const struct qry_events *e, int by, int64_t time);

/* For a filter by thread: skips the time in which the thread is off the CPU.  EVENT was stepped over last and
 * not selected.  True if the thread is off the CPU at EVENT; then *GO is the time, by the host's own clock,
 * at which it runs next in direction BY. */
bool qry_events_filter_is_idle(const struct qry_events *e, int by, const struct qry_event *event,
	int64_t *go);

#endif
