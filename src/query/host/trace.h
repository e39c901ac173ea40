/* SPDX-License-Identifier: MIT */
/* The trace behind an index, opened for its events; private to src/query. */
#ifndef QRY_TRACE_H
#define QRY_TRACE_H

#include "index/idx_reader.h"
#include "trace/trc_events.h"

struct qry_trace;

/* What INDEX says of packet number PACKET of STREAM, in *FOUND.  False with an error when the index is
 * damaged, or has no such packet. */
bool qry_trace_packet(struct idx_reader *index, uint32_t stream, uint64_t packet, struct idx_packet *found,
	GError **error);

/*
 * The trace in FOLDERS (as trc_folders.h says; NULL: not told where), which must be the one that INDEX was
 * made of.  Both outlive it, and so does WARNINGS (of char *), which gets a line for each stream that has to
 * be read from its start.  NULL with BASE_ERROR_IO or _DATA when the trace is not there any more, or has
 * changed since.
 */
struct qry_trace *qry_trace_open(char *const *folders, struct idx_reader *index, GPtrArray *warnings,
	GError **error);
void qry_trace_free(struct qry_trace *t);

/* As trc_events_declare(). */
bool qry_trace_declares(const struct qry_trace *t, const char *name);

/* An event of a trace. */
struct qry_trace_event {
	int64_t time;
	uint32_t cpu;     /* that it tells itself, where its packet does not; MDL_NONE: it does not */
	const char *name; /* cleaned; owned by the trace, the same pointer for all events of a class */
};

/* Event number AT of packet number PACKET of STREAM in *EVENT.  False with an error when it is not what the
 * index knows. */
bool qry_trace_event(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	struct qry_trace_event *event, GError **error);

/* The number of the first event of that packet at or after TIME in *FOUND; the number of its events when
 * there is none. */
bool qry_trace_find(struct qry_trace *t, uint32_t stream, uint64_t packet, int64_t time, uint64_t *found,
	GError **error);

/* Where event number AT of that packet begins, in bytes from the packet's begin, in *OFFSET; -1 where only
 * babeltrace2 can read it. */
bool qry_trace_offset(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, int64_t *offset,
	GError **error);

/* Give each field of event number AT of that packet to TAKER.  False with an error. */
bool qry_trace_take(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	const struct trc_taker *taker, GError **error);

/* All fields of event number AT of that packet, cleaned.  The caller frees; NULL with an error. */
char *qry_trace_fields(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, GError **error);

/* What was done so far: for tests and measuring. */
struct trc_events_work qry_trace_work(const struct qry_trace *t);

#endif
