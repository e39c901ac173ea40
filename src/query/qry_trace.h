/* SPDX-License-Identifier: MIT */
/* The trace behind an index, opened for its events; private to src/query. */
#ifndef QRY_TRACE_H
#define QRY_TRACE_H

#include "index/idx_reader.h"
#include "trace/trc_page.h"

struct qry_trace;

/*
 * The trace in FOLDER (NULL: not told where), which must be the one that INDEX was made of.  Both outlive it.  NULL with BASE_ERROR_IO
 * or _DATA when it is not there any more, has changed since, or its events can be read only from its start.
 */
struct qry_trace *qry_trace_open(const char *folder, struct idx_reader *index, GError **error);
void qry_trace_free(struct qry_trace *t);

/*
 * Packet number INDEX of STREAM.  Owned by T, good until another packet of the stream is asked for: the two used last are kept.
 * NULL with an error when it is not what the index knows.
 */
struct trc_page *qry_trace_page(struct qry_trace *t, uint32_t stream, uint64_t index, GError **error);

/* Event number I of PAGE, as trc_page_event(), and the first at or after TIME, as trc_page_find(). */
const struct trc_page_event *qry_trace_event(struct qry_trace *t, struct trc_page *page, uint64_t i, GError **error);
bool qry_trace_find(struct qry_trace *t, struct trc_page *page, int64_t time, uint64_t *found, GError **error);

/* The cleaned name of EVENT; owned by T, the same pointer for all events of a class. */
const char *qry_trace_name(struct qry_trace *t, const struct trc_page_event *event);

/* All fields of event number I of PAGE, cleaned.  The caller frees; NULL with an error. */
char *qry_trace_fields(struct qry_trace *t, struct trc_page *page, uint64_t i, GError **error);

#endif
