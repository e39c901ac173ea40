/* SPDX-License-Identifier: MIT */
/* Spans of a host: what lies between two of its events that belong together (model/mdl_span.h). */
#ifndef QRY_SPANS_H
#define QRY_SPANS_H

#include "query/cases/cases.h"

struct base_progress;

/* Who makes such files for Q, and for what is opened again of it. */
void qry_set_spans_maker(struct qry *q, qry_spans_maker maker);

/* Who is told of spans, as they are shown, while they are found: each once, in no order. */
struct qry_watch {
	void (*found)(void *data, uint32_t host, const struct mdl_span *span); /* SPAN NULL: all begins anew
										*/
	void *data;
};
/* WATCH (weak; NULL: nobody) is told of what qry_spans_open() of one host in its own time and qry_kept_open()
 * of one file find. */
void qry_set_watch(struct qry *q, const struct qry_watch *watch);

/* Spans of one kind of the experiment, as they are shown. */
struct qry_spans {
	struct idx_spans *file; /* weak */
	unsigned kind;          /* there */
	qry_cases_walk *walk;   /* of an outline; NULL: it is none */
};

/*
 * Have the spans of KIND open: those kept beside the index of each host; where they are missing, not of this
 * trace or damaged, they are made first, for this time only where they cannot be kept, of which
 * qry_warnings() tells.  Those of several hosts are put together in one file (query/cases/kept.h).  False
 * with an error of the maker's.
 */
bool qry_spans_open(struct qry *q, enum mdl_span_kind kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error);
/* Is that so without reading a trace?  HOST's are kept, that is. */
bool qry_spans_at_hand(struct qry *q, uint32_t host);

/* The text that the KEY of a span that is kept stands for, NULL none; weak, it may have any bytes. */
const char *qry_spans_text(const struct qry_spans *spans, uint64_t key);
/* Why there is nothing; "" if there is no reason.  Weak. */
const char *qry_spans_note(const struct qry_spans *spans);
/* What is known of all of them, with or WITHOUT those of the tracer's threads; the caller clears. */
void qry_spans_figures(const struct qry_spans *spans, bool without, struct idx_spans_figures *f);

/* Which of them. */
struct qry_spans_filter {
	int64_t from, to; /* that begin in [FROM, TO) */
	uint32_t row;     /* of this row; MDL_NONE: of all */
	bool hide_tracer; /* of all, not of the tracer's threads */
	/* Of qry_spans_each(), which ends early when it is cancelled; NULL none. */
	struct base_progress *progress;
};

/* Does F ask for SPAN? */
bool qry_spans_wants(const struct qry *q, const struct qry_spans_filter *f, const struct mdl_span *span);
/* Does F leave out none, but for those of the tracer? */
bool qry_spans_is_all(const struct qry_spans *spans, const struct qry_spans_filter *f);

typedef void qry_spans_visit(void *data, const struct idx_spans_found *found);
/* Visit all that F asks for, whatever became of them, in no order. */
void qry_spans_each(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	qry_spans_visit *visit, void *data);

/* Which of them lie in a window. */
struct qry_spans_meeting {
	int64_t from, to;             /* some of [FROM, TO), also where they began before it, */
	int64_t least;                /* of at least so many ns, */
	uint32_t first_row, last_row; /* of these rows, or one between them */
};
/* Visit all that M asks for, and maybe others near them, in no order. */
void qry_spans_meet(struct qry *q, const struct qry_spans *spans, const struct qry_spans_meeting *m,
	qry_spans_visit *visit, void *data);

/* Which of the longest. */
struct qry_spans_worst {
	int64_t least;                       /* of at least so many ns */
	const struct idx_spans_found *after; /* behind this one; NULL: from the first on */
	/* And that DATA wants; NULL: all. */
	bool (*wants)(void *data, const struct idx_spans_found *found);
	void *data;
};
/* The TOP longest that F and ASKED ask for, of struct idx_spans_found, in that order.  The caller unrefs. */
GArray *qry_spans_worst(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	guint top, const struct qry_spans_worst *asked);

/* The key of SPAN of HOST in words: "openat", "virtio2-req.0", "TIMER", "vdb write", "0xffffffff82f68260";
 * NULL unknown.  The caller frees. */
char *qry_span_key(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key);
/* The device in it, "virtio2-req.0", "vdb"; NULL where it has none.  The caller frees. */
char *qry_span_device(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key);

#endif
