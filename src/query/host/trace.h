/* SPDX-License-Identifier: MIT */
/* The trace behind an index, opened for its events.  Private to src/query. */
#ifndef QRY_TRACE_H
#define QRY_TRACE_H

#include "index/table/reader.h"
#include "trace/trc_events.h"

struct qry_trace;

/* Read packet number PACKET of STREAM from INDEX into *FOUND.  False with an error if the index is damaged or
 * has no such packet. */
bool qry_trace_packet(struct idx_reader *index, uint32_t stream, uint64_t packet, struct idx_packet *found,
	GError **error);

/*
 * Open the trace RECORDING (NULL: unknown), which must be the one that INDEX was built
 * from.  FOLDERS, INDEX and WARNINGS (of char *) must outlive it; WARNINGS gets a line for each stream that
 * must be read from its start.  NULL with BASE_ERROR_IO or BASE_ERROR_DATA if the trace is missing or has
 * changed.
 */
struct qry_trace *qry_trace_open(const struct trc_recording *recording, struct idx_reader *index,
	GPtrArray *warnings, GError **error);
void qry_trace_free(struct qry_trace *t);

/* See trc_events_declare(). */
bool qry_trace_declares(const struct qry_trace *t, const char *name);

/* An event of a trace. */
struct qry_trace_event {
	int64_t time;
	uint32_t cpu; /* in the event itself, if the packet does not have it; MDL_NONE: not there either */
	const char *name; /* sanitised; owned by the trace; the same pointer for all events of a class */
};

/* Read event number AT of packet number PACKET of STREAM into *EVENT.  False with an error if it is not what
 * the index expects. */
bool qry_trace_event(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	struct qry_trace_event *event, GError **error);

/* Set *FOUND to the number of the first event of the packet at or after TIME, or to its number of events if
 * there is none. */
bool qry_trace_find(struct qry_trace *t, uint32_t stream, uint64_t packet, int64_t time, uint64_t *found,
	GError **error);

/* Set *OFFSET to the offset of event number AT in the packet, in bytes; -1 if only babeltrace2 can read
 * it. */
bool qry_trace_offset(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, int64_t *offset,
	GError **error);

/* Pass each field of event number AT of the packet to TAKER.  False with an error. */
bool qry_trace_take(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	const struct trc_taker *taker, GError **error);

/* All fields of event number AT of the packet, sanitised.  The caller frees.  NULL with an error. */
char *qry_trace_fields(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, GError **error);

/* Counts of the work done so far, for tests and measurements. */
struct trc_events_work qry_trace_work(const struct qry_trace *t);

#endif
