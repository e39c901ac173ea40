/* SPDX-License-Identifier: MIT */
/*
 * Which spans are asked for.  The directory of a file tells of each leaf when its spans begin, whose they are
 * and how long the longest is.  So the worst are found by reading leaves in the order of their longest until
 * those found are worse than all in the leaves that are left.
 */
#include "base/base_progress.h"
#include "base/base_worst.h"
#include "query/qry_parts.h"

/* ---- leaves ---- */

static bool may_have(const struct idx_spans_leaf *l, const struct qry_spans *spans,
	const struct qry_spans_filter *f)
{
	return l->kind == spans->kind && l->last >= f->from && l->first < f->to &&
		(f->row == MDL_NONE || (f->row >= l->first_row && f->row <= l->last_row));
}

bool qry_spans_is_all(const struct qry_spans *spans, const struct qry_spans_filter *f)
{
	if (f->row != MDL_NONE)
		return false;
	for (uint32_t i = 0; i < idx_spans_leaf_count(spans->file); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(spans->file, i);

		if (l.kind == spans->kind && (l.first < f->from || l.last >= f->to))
			return false;
	}
	return true;
}

/* The spans of leaf number LEAF, TO a room for IDX_LEAF_SPANS. */
static unsigned read_leaf(struct qry *q, const struct qry_spans *spans, uint32_t leaf, struct mdl_span *to)
{
	return spans->walk ? qry_cases_read(q, spans->walk, spans->file, leaf, to)
			   : idx_spans_read(spans->file, leaf, to);
}

bool qry_spans_wants(const struct qry *q, const struct qry_spans_filter *f, const struct mdl_span *span)
{
	if (span->start < f->from || span->start >= f->to)
		return false;
	if (f->row != MDL_NONE)
		return span->row == f->row;
	return !f->hide_tracer || span->row == MDL_NONE || !qry_is_tracer(q, span->row);
}

void qry_spans_each(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	qry_spans_visit *visit, void *data)
{
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);

	for (uint32_t i = 0; i < idx_spans_leaf_count(spans->file); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(spans->file, i);
		unsigned n = may_have(&l, spans, f) ? read_leaf(q, spans, i, leaf) : 0;

		if (base_progress_cancelled(f->progress))
			break;
		if (f->progress)
			base_progress_set(f->progress, (double)i / idx_spans_leaf_count(spans->file), 0);
		for (unsigned k = 0; k < n; k++) {
			struct qry_span_found found = { leaf[k], l.host, i, k };

			if (qry_spans_wants(q, f, &found.span))
				visit(data, &found);
		}
	}
	g_free(leaf);
}

/* ---- those in a window ---- */

static bool may_meet(const struct idx_spans_leaf *l, const struct qry_spans *spans,
	const struct qry_spans_meeting *m)
{
	int64_t end;

	if (l->kind != spans->kind || l->longest < m->least || l->first >= m->to ||
		l->first_row > m->last_row || l->last_row < m->first_row)
		return false;
	return __builtin_add_overflow(l->last, l->longest, &end) || end >= m->from;
}

void qry_spans_meet(struct qry *q, const struct qry_spans *spans, const struct qry_spans_meeting *m,
	qry_spans_visit *visit, void *data)
{
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);

	for (uint32_t i = 0; i < idx_spans_leaf_count(spans->file); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(spans->file, i);
		unsigned n = may_meet(&l, spans, m) ? read_leaf(q, spans, i, leaf) : 0;

		for (unsigned k = 0; k < n; k++) {
			struct qry_span_found found = { leaf[k], l.host, i, k };

			visit(data, &found);
		}
	}
	g_free(leaf);
}

/* ---- the worst ---- */

/* Longest first; ties by start, by row, then by place, so that the order is always the same. */
static int worst_first(const void *a, const void *b)
{
	const struct qry_span_found *x = a, *y = b;
	int64_t x_length = x->span.end - x->span.start, y_length = y->span.end - y->span.start;

	if (x_length != y_length)
		return x_length < y_length ? 1 : -1;
	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	if (x->span.row != y->span.row)
		return x->span.row < y->span.row ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The worst so far. */
struct worst {
	GArray *heap; /* of struct qry_span_found: base_worst.h */
	guint top;
	const struct qry_spans_worst *asked;
};

static void keep_if_bad(struct worst *w, const struct qry_span_found *found)
{
	const struct qry_spans_worst *asked = w->asked;

	if (found->span.fate == MDL_SPAN_DONE && found->span.end - found->span.start >= asked->least &&
		(!asked->after || worst_first(found, asked->after) > 0) &&
		(!asked->wants || asked->wants(asked->data, found)))
		base_worst_keep(w->heap, w->top, worst_first, found);
}

/* A leaf that may have some of the worst. */
struct candidate {
	int64_t longest, first;
	uint32_t leaf, host;
};

static int longest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->longest != y->longest)
		return x->longest < y->longest ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Is all that C and those behind it have less bad than the worst so far? */
static bool is_done(const struct worst *w, const struct candidate *c)
{
	const struct qry_span_found *top;
	int64_t length;

	if (w->heap->len < w->top)
		return false;
	top = &g_array_index(w->heap, struct qry_span_found, 0);
	length = top->span.end - top->span.start;
	return c->longest < length || (c->longest == length && c->first > top->span.start);
}

static GArray *candidates_of(const struct qry_spans *spans, const struct qry_spans_filter *f, int64_t least)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct candidate));

	for (uint32_t i = 0; i < idx_spans_leaf_count(spans->file); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(spans->file, i);
		struct candidate c = { l.longest, l.first, i, l.host };

		if (l.longest >= least && may_have(&l, spans, f))
			g_array_append_val(all, c);
	}
	g_array_sort(all, longest_first);
	return all;
}

GArray *qry_spans_worst(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	guint top, const struct qry_spans_worst *asked)
{
	struct worst w = { g_array_new(FALSE, FALSE, sizeof(struct qry_span_found)), top, asked };
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	GArray *candidates = candidates_of(spans, f, asked->least);

	for (guint i = 0; top > 0 && i < candidates->len; i++) {
		const struct candidate *c = &g_array_index(candidates, struct candidate, i);
		unsigned n;

		if (is_done(&w, c))
			break;
		n = read_leaf(q, spans, c->leaf, leaf);
		for (unsigned k = 0; k < n; k++) {
			struct qry_span_found found = { leaf[k], c->host, c->leaf, k };

			if (qry_spans_wants(q, f, &found.span))
				keep_if_bad(&w, &found);
		}
	}
	g_array_unref(candidates);
	g_free(leaf);
	g_array_sort(w.heap, worst_first);
	return w.heap;
}
