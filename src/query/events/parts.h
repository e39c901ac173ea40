/* SPDX-License-Identifier: MIT */
/* The cursor in the events of an experiment, and those in the streams below it.  Private to src/query. */
#ifndef QRY_EVENTS_PARTS_H
#define QRY_EVENTS_PARTS_H

#include "query/events/events.h"
#include "query/host/parts.h"

/* ---- a cursor in one stream, between two of its events (query/events/lane.c) ---- */

/* Times are by the host's own clock, ns. */
struct qry_lane {
	struct qry_source *source; /* weak; its trace is open */
	uint32_t host, stream;
	bool by_place; /* see trc_orders_by_place() */
	uint64_t n_packets;
	uint64_t packet;             /* the cursor is before event AT of this packet; n_packets: after all */
	struct idx_packet at_packet; /* the packet in the index, if there is one */
	uint64_t at;                 /* below its number of events */
	/* the event before [0], after [1] the cursor was looked at: THERE and TIME are set */
	bool known[2];
	bool there[2]; /* there is such an event */
	int64_t time[2];
	int64_t shown[2]; /* its shown time */
};

/* Go before the first event at or after TIME.  If CPU is not MDL_NONE, a packet of another CPU is not read:
 * then the cursor is at the start of that packet. */
bool qry_lane_seek(struct qry_lane *l, int64_t time, uint32_t cpu, GError **error);
/* Go after the last event at or before TIME. */
bool qry_lane_seek_behind(struct qry_lane *l, int64_t time, GError **error);

/* The number of events of the stream before the cursor. */
uint64_t qry_lane_before(const struct qry_lane *l);

/* Find the event after (BY 1) or before (BY -1) the cursor: the number of its packet, its number in the
 * packet, and the packet in the index in *P.  Returns 1; 0 if there is none; -1 with an error. */
int qry_lane_neighbour(const struct qry_lane *l, int by, uint64_t *packet, uint64_t *at, struct idx_packet *p,
	GError **error);

/* Skip packets of CPUs other than CPU after (BY 1) or before (BY -1) the cursor without reading them.  Stops
 * at a packet all of whose events are shown after *LIMIT (BY -1: before it; shown time, NULL: no limit).
 * Returns 1 if the next event is of CPU; 0 if there is none up to the limit; -1 with an error. */
int qry_lane_skip(struct qry_lane *l, int by, uint32_t cpu, const int64_t *limit, GError **error);

/* Read the time of the event after (BY 1) or before (BY -1) the cursor into L->known, there, time and
 * shown. */
bool qry_lane_look(struct qry_lane *l, int by, GError **error);

/* Set *PLACE to the place in the file of the event after (BY 1) or before the cursor, in bytes; there is one.
 */
bool qry_lane_place(const struct qry_lane *l, int by, uint64_t *place, GError **error);

/* Move the cursor over the event after or before it, which is event AT of packet number PACKET, which has
 * EVENTS events. */
bool qry_lane_pass(struct qry_lane *l, int by, uint64_t packet, uint64_t at, uint64_t events, GError **error);

/* ---- what a filter selects (query/events/filter.c) ---- */

struct qry_filter {
	struct qry_events_filter of; /* its name is owned */
	/* event name (as in struct qry_trace_event) → whether it is selected; owned */
	GHashTable *passes;
	GString *line; /* owned; buffer for the line of an event */
};

/* Initialise F with OF, of which only the name is copied. qry_filter_clear() frees. */
void qry_filter_init(struct qry_filter *f, const struct qry_events_filter *of);
void qry_filter_clear(struct qry_filter *f);

/* True if F selects events called NAME, of a struct qry_trace_event. */
bool qry_filter_wants(struct qry_filter *f, const char *name);
/* True if F selects EVENT. Ignores the expression and the rank. */
bool qry_filter_passes(struct qry_filter *f, const struct qry_event *event);
/* 1 if the event NAME with FIELDS matches the expression of F, which has one; 0 if not; -1 with an error. */
int qry_filter_matches(struct qry_filter *f, const char *name, const char *fields, GError **error);
/* True if TIME (shown) is beyond what F selects: after it if BY is 1, else before it. */
bool qry_filter_is_over(const struct qry_filter *f, const struct qry *q, int by, int64_t time);
/* For a filter by thread: skips the time in which the thread is off the CPU. EVENT, at HERE by its host's own
 * clock, is not selected. True if the thread is off the CPU at that time; then *GO is the time, by the clock
 * of the thread's host, at which it runs next in direction BY. */
bool qry_filter_is_idle(const struct qry_filter *f, struct qry *q, int by, const struct qry_event *event,
	int64_t here, int64_t *go);

/* ---- who ran (query/events/runs.c) ---- */

/* The threads on CPUs, for questions about times that mostly rise. */
struct qry_runs;
struct qry_runs *qry_runs_new(struct qry *q);
void qry_runs_free(struct qry_runs *r);
/* The thread on CPU NUMBER of HOST for an event at TIME by its own clock. A switch still belongs to the
 * thread that leaves. MDL_NONE: unknown. */
uint32_t qry_runs_thread(struct qry_runs *r, uint32_t host, uint32_t number, int64_t time, bool is_switch);
/* The numbers by which an event of no CPU names its thread, in the fields "pid" and "tid"; -1: the event does
 * not have it. */
struct qry_named {
	int64_t pid, tid;
};
#define QRY_NAMED_NOBODY ((struct qry_named){ -1, -1 })
/* A take function of struct trc_taker: DATA is a struct qry_named. */
void qry_named_take(void *data, const char *name, const struct trc_value *value);
/*
 * The thread that an event without a CPU names, at TIME by its host's own clock. Its TID may be that of
 * another thread, because a container has its own numbers. So it is the thread with these numbers that has a
 * CPU at that time. MDL_NONE: unknown.
 */
uint32_t qry_runs_named(struct qry_runs *r, uint32_t host, const struct qry_named *named, int64_t time);

/* The thread of EVENT, at TIME by its host's own clock. EVENT is a part of the event before it on its CPU: it
 * belongs to TID, from its own common_pid, if that thread ran there. ROW is the thread by the CPU's state. */
uint32_t qry_events_owner(struct qry *q, const struct qry_event *event, int64_t time, uint32_t row,
	int64_t tid);

/* The CPU of an event: that of its packet in the index, unless each event there has its own, OWN. */
static inline uint32_t qry_events_cpu(uint32_t of_packet, uint32_t own)
{
	return of_packet == MDL_NONE ? own : of_packet == IDX_CPU_NONE ? MDL_NONE : of_packet;
}

/* ---- the cursor in all streams ---- */

struct qry_events {
	struct qry *q; /* weak */
	struct qry_filter filter;
	struct qry_runs *runs;  /* owned */
	struct qry_lane *lanes; /* owned; ordered by host and stream */
	uint32_t n_lanes;
	struct qry_lane *last; /* lane of the event stepped over last; weak, NULL: none */
	uint64_t last_packet, last_at;
	int64_t last_time; /* by its host's own clock, ns */
	uint32_t last_cpu;
};

#endif
