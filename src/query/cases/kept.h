/* SPDX-License-Identifier: MIT */
/*
 * Latencies of an experiment that are found once and kept: files of spans (index/idx_spans.h) beside the
 * index of one host, or the file of packets of several, each with spans of one kind, in shown times and rows
 * of the experiment.  What is kept belongs to these indexes, in this order, with the clocks in use, and to
 * its key.
 */
#ifndef QRY_KEPT_H
#define QRY_KEPT_H

#include "index/idx_spans.h"
#include "query/qry.h"

struct base_progress;

struct qry_kept {
	const char *name;                /* which of them: there is one file of each */
	const char *key;                 /* all that it depends on beside the traces */
	bool outline;                    /* spans are found again by a walk (query/cases/cases.h) */
	struct idx_spans *file;          /* set by qry_kept_open(); owned by the experiment */
	struct qry *q;                   /* set for the maker, */
	const struct qry_watch *watch;   /* as is this: who is told; NULL nobody; */
	struct idx_spans_writer *writer; /* as is this; NULL: it is not missing */
};

/* Finds the spans of each of KEPT whose writer is not NULL, with DATA, and adds them.  False with an error.
 */
typedef bool qry_kept_maker(void *data, struct qry_kept *kept, struct base_progress *progress,
	GError **error);

/* ---- for makers ---- */

/* Add SPAN of HOST, its kind aside. */
void qry_kept_add(struct qry_kept *kept, uint32_t host, const struct mdl_span *span);
/* TEXT as the key of a span: qry_spans_text() gives it again. */
uint64_t qry_kept_text(struct qry_kept *kept, const char *text);
/* Why there is nothing: qry_spans_note(). */
void qry_kept_note(struct qry_kept *kept, const char *note);

/* ---- opening ---- */

/*
 * Have all N of KEPT open; those that are missing, of another key or damaged are made first, all at once; for
 * this time only where they cannot be kept, of which qry_warnings() tells.  False with an error of the
 * maker's; without a MAKER (NULL) false when any is missing, without an error.
 */
bool qry_kept_open(struct qry *q, struct qry_kept *kept, unsigned n, qry_kept_maker *maker, void *data,
	struct base_progress *progress, GError **error);

/* ---- private to src/query ---- */

/* True if PROBLEM is that latencies cannot be kept: the disk failed, or another run of the program put its
 * own file in the place of the one just made.  Then they are made for this process alone. */
bool qry_kept_fails(const GError *problem);
/* Warn that latencies are found anew each time, because of PROBLEM. */
void qry_kept_warn(struct qry *q, const GError *problem);

/* Close the kept files of Q; the spans of S. */
void qry_kept_close(struct qry *q);
struct qry_source;
void qry_spans_close(struct qry_source *s);

#endif
