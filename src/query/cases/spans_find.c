/* SPDX-License-Identifier: MIT */
/*
 * How it works: the directory of a file has for each leaf when its spans begin, whose they are and how long
 * the longest is.  To find the longest spans, it reads leaves in the order of their longest, until the spans
 * found are longer than all in the remaining leaves.  If the list of the longest of all, which the file also
 * has, is enough, it reads no leaf.
 */
#include "base/base_progress.h"
#include "base/base_search.h"
#include "base/base_worst.h"
#include "query/host/parts.h"
#include "query/cases/spans.h"

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
			struct idx_spans_found found = { leaf[k], l.host, i, k };

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
			struct idx_spans_found found = { leaf[k], l.host, i, k };

			visit(data, &found);
		}
	}
	g_free(leaf);
}

/* ---- the worst ---- */

/* The worst so far. */
struct worst {
	GArray *heap; /* of struct idx_spans_found: base_worst.h */
	guint top;
	const struct qry_spans_worst *asked;
};

static void keep_if_bad(struct worst *w, const struct idx_spans_found *found)
{
	const struct qry_spans_worst *asked = w->asked;

	if (found->span.fate == MDL_SPAN_DONE && found->span.end - found->span.start >= asked->least &&
		(!asked->after || idx_spans_worst_first(found, asked->after) > 0) &&
		(!asked->wants || asked->wants(asked->data, found)))
		base_worst_keep(w->heap, w->top, idx_spans_worst_first, found);
}

/* A leaf that may have some of the worst. */
struct candidate {
	int64_t longest, first;
	uint32_t leaf, host;
};

static int spans_find_longest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return BASE_BY(y, x, longest) ?: BASE_BY(x, y, first);
}

/* True if all spans of C and of the candidates after it are shorter than those found so far. */
static bool is_done(const struct worst *w, const struct candidate *c)
{
	const struct idx_spans_found *top;
	int64_t length;

	if (w->heap->len < w->top)
		return false;
	top = &g_array_index(w->heap, struct idx_spans_found, 0);
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
	g_array_sort(all, spans_find_longest_first);
	return all;
}

/* Take the longest from the file's list.  True if they are all that F and W ask for. */
static bool take_kept(const struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	struct worst *w)
{
	bool without = f->hide_tracer && f->row == MDL_NONE;
	struct idx_spans_found found, last;

	for (unsigned tracer = 0; tracer < (without ? 1 : 2); tracer++)
		for (uint32_t i = 0; idx_spans_worst(spans->file, spans->kind, tracer, i, &found); i++)
			if (qry_spans_wants(q, f, &found.span))
				keep_if_bad(w, &found);
	if (!idx_spans_worst_last(spans->file, spans->kind, without, &last) ||
		last.span.end - last.span.start < w->asked->least)
		return true;
	return w->heap->len == w->top && idx_spans_worst_first(w->heap->data, &last) <= 0;
}

static void read_worst(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	struct worst *w)
{
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	GArray *candidates = candidates_of(spans, f, w->asked->least);

	for (guint i = 0; i < candidates->len; i++) {
		const struct candidate *c = &g_array_index(candidates, struct candidate, i);
		unsigned n;

		if (is_done(w, c))
			break;
		n = read_leaf(q, spans, c->leaf, leaf);
		for (unsigned k = 0; k < n; k++) {
			struct idx_spans_found found = { leaf[k], c->host, c->leaf, k };

			if (qry_spans_wants(q, f, &found.span))
				keep_if_bad(w, &found);
		}
	}
	g_array_unref(candidates);
	g_free(leaf);
}

GArray *qry_spans_worst(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	guint top, const struct qry_spans_worst *asked)
{
	struct worst w = { g_array_new(FALSE, FALSE, sizeof(struct idx_spans_found)), top, asked };

	if (top > 0 && !take_kept(q, spans, f, &w)) {
		g_array_set_size(w.heap, 0);
		read_worst(q, spans, f, &w);
	}
	g_array_sort(w.heap, idx_spans_worst_first);
	return w.heap;
}
