/* SPDX-License-Identifier: MIT */
/* Spans of an experiment: the time between two events that belong together (model/span/span.h). */
#ifndef QRY_SPANS_H
#define QRY_SPANS_H

#include "query/cases/cases.h"

struct base_progress;

/* Set the function that makes files of spans for Q, and for what qry_open_again() opens of it. */
void qry_set_spans_maker(struct qry *q, qry_spans_maker maker);

/* Receives spans, in shown time, while they are found: each once, in no order. */
struct qry_watch {
	/* SPAN NULL: all spans so far are void, finding starts again. */
	void (*found)(void *data, uint32_t host, const struct mdl_span *span);
	void *data;
};
/* Let WATCH (weak; NULL: none) receive what qry_spans_open() finds, for one host in its own time, and what
 * qry_kept_open() finds for one file. */
void qry_set_watch(struct qry *q, const struct qry_watch *watch);

/* Tell Q, and what qry_open_again() opens of it, what the user declared about the program: DECLARED (weak;
 * NULL: nothing), which src/analysis understands. */
void qry_set_declared(struct qry *q, const void *declared);
const void *qry_declared(const struct qry *q);

/* The spans of one kind of the experiment, in shown time. */
struct qry_spans {
	struct idx_spans *file; /* weak */
	unsigned kind;          /* the kind's number in FILE */
	qry_cases_walk *walk;   /* of an outline; NULL: FILE is no outline */
};

/*
 * Open the spans of KIND, from the files beside the index of each host.  If files are missing, of another
 * trace or damaged, they are made first; for this process only if they cannot be stored, with a line in
 * qry_warnings().  Spans of several hosts are merged into one file (query/cases/kept.h).  False with the
 * maker's error.
 */
bool qry_spans_open(struct qry *q, enum mdl_span_kind kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error);
/* True if the spans of HOST are stored, bare or full, so that qry_spans_open() need not read its trace. */
bool qry_spans_at_hand(struct qry *q, uint32_t host);

/* The text of KEY, the key of a stored span, or NULL.  Weak; it may contain any bytes. */
const char *qry_spans_text(const struct qry_spans *spans, uint64_t key);
/* Why there are no spans; "" if there is no reason.  Weak. */
const char *qry_spans_note(const struct qry_spans *spans);
/* Set F to the statistics over all SPANS.  WITHOUT: leave out those of the tracer's threads.  The caller
 * clears F. */
void qry_spans_figures(const struct qry_spans *spans, bool without, struct idx_spans_figures *f);

/* Like qry_spans_figures(), for the spans of CLASS. False if the classes of SPANS were not looked up. */
bool qry_spans_class(const struct qry_spans *spans, enum mdl_span_class class, bool without,
	struct idx_spans_figures *f);

/* Selects spans. */
struct qry_spans_filter {
	int64_t from, to; /* only those that begin in [FROM, TO) */
	uint32_t row;     /* only those of this row; MDL_NONE: of all rows */
	bool hide_tracer; /* with ROW MDL_NONE: leave out those of the tracer's threads */
	/* For qry_spans_each(), which ends early if it is cancelled; NULL: never. */
	struct base_progress *progress;
};

/* True if F selects SPAN. */
bool qry_spans_wants(const struct qry *q, const struct qry_spans_filter *f, const struct mdl_span *span);
/* True if F selects all SPANS, except maybe those of the tracer. */
bool qry_spans_is_all(const struct qry_spans *spans, const struct qry_spans_filter *f);

typedef void qry_spans_visit(void *data, const struct idx_spans_found *found);
/* Visit all spans that F selects, of any fate, in no order. */
void qry_spans_each(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	qry_spans_visit *visit, void *data);

/* The leaves of a file of spans; and those of SPANS in LEAF (0 …) that F selects, into TO (room for
 * IDX_LEAF_SPANS), *HOST their host.  Returns how many.  The leaves of a kind and host, and the spans in
 * them, are in the order in which they were found: of stored spans by their end. */
uint32_t qry_spans_leaf_count(const struct qry_spans *spans);
/* The earliest begin of a span in LEAF. */
int64_t qry_spans_leaf_first(const struct qry_spans *spans, uint32_t leaf);
unsigned qry_spans_leaf(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	uint32_t leaf, struct mdl_span *to, uint32_t *host);

/* Selects spans that touch a window. */
struct qry_spans_meeting {
	int64_t from, to;             /* they touch [FROM, TO), and may begin before */
	int64_t least;                /* they last at least so long, ns */
	uint32_t first_row, last_row; /* their row is one of these or between */
};
/* Visit all spans that M selects, and maybe others near them, in no order. */
void qry_spans_meet(struct qry *q, const struct qry_spans *spans, const struct qry_spans_meeting *m,
	qry_spans_visit *visit, void *data);

/* Selects from the longest spans. */
struct qry_spans_worst {
	int64_t least; /* at least so long, ns */
	/* only those after this one in the order; NULL: from the first on */
	const struct idx_spans_found *after;
	/* Only those that it returns true for; NULL: all. */
	bool (*wants)(void *data, const struct idx_spans_found *found);
	void *data;
};
/* The TOP longest spans that F and ASKED select (struct idx_spans_found), in the order of
 * idx_spans_worst_first().  The caller unrefs. */
GArray *qry_spans_worst(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	guint top, const struct qry_spans_worst *asked);

/* KEY of a span of KIND of HOST in words: "openat", "virtio2-req.0", "TIMER", "vdb write",
 * "0xffffffff82f68260"; NULL unknown.  The caller frees. */
char *qry_span_key(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key);
/* The device in KEY, "virtio2-req.0" or "vdb"; NULL: it has none.  The caller frees. */
char *qry_span_device(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key);

#endif
