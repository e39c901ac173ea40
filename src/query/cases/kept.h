/* SPDX-License-Identifier: MIT */
/*
 * Latencies of an experiment that are found once and stored: files of spans (index/spans/spans.h) beside the
 * index of one host, or beside the file of packets of several hosts.  Each has spans of one kind, in shown
 * times and rows of the experiment.  A file is valid for these indexes in this order, with the clocks in use,
 * and for its key.  Other answers are the note of a file without spans.
 */
#ifndef QRY_KEPT_H
#define QRY_KEPT_H

#include "index/spans/spans.h"
#include "query/qry.h"

struct base_progress;

struct qry_kept {
	const char *name; /* identifies the kind: there is one file per name */
	const char *key;  /* everything that the spans depend on besides the traces */
	bool classes;     /* the statistics are kept for each scheduling class of threads, too */
	bool outline;     /* the file has no spans, a walk finds them again (query/cases/cases.h) */
	/* True if a span can be in the file, with the experiment as data, and WHAT.  NULL: of an outline only
	 * spans of threads can, else all can. */
	idx_spans_holds *holds;
	unsigned what;
	struct idx_spans *file;             /* set by qry_kept_open(); owned by the experiment */
	struct qry *q;                      /* for the maker */
	const struct qry_classes *class_of; /* for the maker; weak; NULL: classes are not kept */
	const struct qry_watch *watch;      /* for the maker: receives the spans found; NULL: none */
	struct idx_spans_writer *writer;    /* for the maker; NULL: the file exists, find nothing */
};

/* Finds the spans of each of KEPT that has a writer, and adds them.  False with an error. */
typedef bool qry_kept_maker(void *data, struct qry_kept *kept, struct base_progress *progress,
	GError **error);

/* ---- for makers ---- */

/* Add SPAN of HOST.  Its kind is ignored. */
void qry_kept_add(struct qry_kept *kept, uint32_t host, const struct mdl_span *span);
/* Store TEXT.  Returns its key for a span; qry_spans_text() looks it up. */
uint64_t qry_kept_text(struct qry_kept *kept, const char *text);
/* Store NOTE, the reason why there are no spans: qry_spans_note(). */
void qry_kept_note(struct qry_kept *kept, const char *note);

/* ---- opening ---- */

/* Open all N of KEPT.  Those that are missing, of another key or damaged are made first, all in one pass.  If
 * they cannot be stored, they are made for this process only, with a line in qry_warnings().  False with the
 * maker's error.  Without MAKER (NULL): false without an error if any is missing. */
bool qry_kept_open(struct qry *q, struct qry_kept *kept, unsigned n, qry_kept_maker *maker, void *data,
	struct base_progress *progress, GError **error);

/* ---- other answers, as text ---- */

/* The TEXT kept as NAME for KEY. KEY has everything that the text depends on besides the traces. NULL if none
 * was kept. Owned by Q. */
const char *qry_kept_answer(struct qry *q, const char *name, const char *key);
/* Keep TEXT, as cases are kept; not if damage was met in the indexes. */
void qry_keep_answer(struct qry *q, const char *name, const char *key, const char *text);

/* Write the fingerprint of the file of KEPT (its name and key) to TEXT: 33 bytes with the NUL. */
void qry_kept_fingerprint(char *text, const struct qry *q, const struct qry_kept *kept);

/* ---- private to src/query ---- */

/* True if PROBLEM means that latencies cannot be stored: the disk failed, or another process replaced the
 * file just made by its own.  Then they are made for this process only. */
bool qry_kept_fails(const GError *problem);
/* Warn that latencies are found anew each time because of PROBLEM. */
void qry_kept_warn(struct qry *q, const GError *problem);

/* Close the kept files of Q; close the spans of S. */
void qry_kept_close(struct qry *q);
struct qry_source;
void qry_spans_close(struct qry_source *s);

#endif
