/* SPDX-License-Identifier: MIT */
/* Spans of a host: what lies between two of its events that belong together (model/mdl_span.h). */
#ifndef QRY_SPANS_H
#define QRY_SPANS_H

#include "index/idx_spans.h"
#include "query/qry.h"

struct base_progress;

/* Makes the file of spans FILE of the trace in FOLDERS, as ing_spans_make() does. */
typedef bool (*qry_spans_maker)(char *const *folders, const char *fingerprint, const char *reader,
	const char *file, struct base_progress *progress, GError **error);
/* Who makes such files for Q, and for what is opened again of it. */
void qry_set_spans_maker(struct qry *q, qry_spans_maker maker);

/*
 * Have the spans of HOST open: those kept beside its index; where they are missing, not of this trace or
 * damaged, they are made first, for this time only where they cannot be kept, of which qry_warnings() tells.
 * False with an error of the maker's.
 */
bool qry_spans_open(struct qry *q, uint32_t host, struct base_progress *progress, GError **error);
/* Open those that are kept, if there are any. */
bool qry_spans_at_hand(struct qry *q, uint32_t host);
/* What of qry_damage() was met in such files: they are made anew at the next opening.  NULL: nothing. */
const GError *qry_spans_damage(const struct qry *q);

/* A span as shown: row an id of the experiment. */
typedef void qry_spans_visit(void *data, const struct mdl_span *span);
/* Visit all spans of KIND of HOST, which is open, that begin in [FROM, TO), in no order. */
void qry_spans_each(struct qry *q, uint32_t host, enum mdl_span_kind kind, int64_t from, int64_t to,
	qry_spans_visit *visit, void *data);

/* The key of SPAN of HOST in words: "openat", "virtio2-req.0", "TIMER", "vdb write", "0xffffffff82f68260";
 * NULL unknown.  The caller frees. */
char *qry_span_key(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key);

#endif
