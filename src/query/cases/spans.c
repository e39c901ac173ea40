/* SPDX-License-Identifier: MIT */
/*
 * How it works: the spans of a host are in a file beside its index. It is written with the index and gets its
 * statistics at the first question. If it is lost or damaged, the spans are read from the trace. Those of
 * several hosts, or by another clock, are joined into a file of the experiment (query/cases/kept.h). For each
 * leaf, the directory of a file has the range of its spans' begins, their rows, and the length of the
 * longest. To find the longest spans, qry_spans_worst() reads leaves in the order of their longest span,
 * until the spans found are longer than all in the remaining leaves. The file also has a list of the longest
 * spans of all. If that is enough, it reads no leaf.
 */
#include "query/cases/spans.h"
#include "query/clock/sync.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_scratch.h"
#include "base/base_search.h"
#include "query/cases/kept.h"
#include "query/host/parts.h"

#include <inttypes.h>

void qry_set_spans_maker(struct qry *q, qry_spans_maker maker)
{
	q->spans_maker = maker;
}

void qry_set_declared(struct qry *q, const void *declared)
{
	q->declared = declared;
}

const void *qry_declared(const struct qry *q)
{
	return q->declared;
}

void qry_set_watch(struct qry *q, const struct qry_watch *watch)
{
	q->watch = watch;
}

/* ---- the file of a host ---- */

void qry_spans_close(struct qry_source *s)
{
	struct idx_spans **const files[] = { &s->spans, &s->bare };

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		if (*files[i])
			idx_spans_remove_damaged(*files[i]);
		g_clear_pointer(files[i], idx_spans_free);
	}
}

/* The kind of spans to pass to the experiment's watch while spans of all kinds are made. */
struct one_kind {
	struct qry *q;
	enum mdl_span_kind kind;
};

static void on_made(void *data, const struct mdl_span *span)
{
	const struct one_kind *m = data;

	if (span->kind == m->kind)
		m->q->watch->found(m->q->watch->data, 0, span);
}

/* Make the file PATH of S from the bare one. Returns true if that is decided; *FINE is true if it is made. */
static bool spans_settle(struct qry *q, struct qry_source *s, struct one_kind *watched, const char *path,
	struct base_progress *progress, bool *fine, GError **error)
{
	GError *problem = NULL;

	*fine = s->bare &&
		idx_spans_settle(s->bare, path, q->tracer + s->host.first_row, watched ? on_made : NULL,
			watched, progress, &problem);
	if (problem && !idx_spans_damage(s->bare)) {
		g_propagate_error(error, problem);
		return true;
	}
	g_clear_error(&problem);
	if (s->bare)
		idx_spans_remove_damaged(s->bare);
	g_clear_pointer(&s->bare, idx_spans_free);
	return *fine;
}

/* Make the file PATH of S. KIND is the kind to watch, of one host by its own clock; MDL_SPAN_KINDS: none.
 * False with an error. */
static bool spans_make(struct qry *q, struct qry_source *s, enum mdl_span_kind kind, const char *path,
	struct base_progress *progress, GError **error)
{
	struct one_kind making = { q, kind };
	bool watched = q->watch && kind != MDL_SPAN_KINDS, fine;
	const struct idx_meta *meta = idx_reader_meta(s->reader);

	if (watched)
		q->watch->found(q->watch->data, 0, NULL);
	if (spans_settle(q, s, watched ? &making : NULL, path, progress, &fine, error))
		return fine;
	if (watched)
		q->watch->found(q->watch->data, 0, NULL);
	if (s->recording && q->spans_maker)
		return q->spans_maker(s->recording, meta, path, q->tracer + s->host.first_row, s->host.n_rows,
			watched ? on_made : NULL, &making, progress, error);
	return base_error_false(error, BASE_ERROR_DATA,
		"the trace of the index %s is unknown: open the trace itself", idx_reader_path(s->reader));
}

static bool make_and_open(struct qry *q, struct qry_source *s, enum mdl_span_kind kind, const char *path,
	struct base_progress *progress, GError **error)
{
	if (spans_make(q, s, kind, path, progress, error))
		s->spans = idx_spans_open_index(path, s->reader, error);
	return !!s->spans;
}

/* Like make_and_open(), for this process alone. An open file needs no name. */
static bool make_for_now(struct qry *q, struct qry_source *s, enum mdl_span_kind kind,
	struct base_progress *progress, const GError *problem, GError **error)
{
	char *folder = base_scratch_folder(error), *path;

	if (!folder)
		return false;
	path = g_build_filename(folder, "latencies.wps", NULL);
	make_and_open(q, s, kind, path, progress, error);
	base_scratch_remove(folder);
	g_free(path);
	g_free(folder);
	if (!s->spans)
		return false;
	qry_kept_warn(q, problem);
	return true;
}

bool qry_spans_at_hand(struct qry *q, uint32_t host)
{
	struct qry_source *s = qry_source(q, host);
	g_autofree char *path = s->spans || s->bare
		? NULL
		: qry_aside(q, idx_spans_path(idx_reader_path(s->reader)));
	struct idx_spans *file = path ? idx_spans_open_index(path, s->reader, NULL) : NULL;

	if (file)
		*(idx_spans_is_bare(file) ? &s->bare : &s->spans) = file;
	return s->spans || s->bare;
}

/* Open the spans of HOST, and make them if they are missing. KIND as in spans_make(). False with an error. */
static bool open_host(struct qry *q, uint32_t host, enum mdl_span_kind kind, struct base_progress *progress,
	GError **error)
{
	struct qry_source *s = qry_source(q, host);
	GError *problem = NULL;
	g_autofree char *path = NULL;
	bool fine;

	if (qry_spans_at_hand(q, host) && s->spans)
		return true;
	path = qry_aside(q, idx_spans_path(idx_reader_path(s->reader)));
	fine = make_and_open(q, s, kind, path, progress, &problem);
	if (!fine && qry_kept_fails(problem)) {
		fine = make_for_now(q, s, kind, progress, problem, error);
		g_error_free(problem);
	} else if (!fine) {
		g_propagate_error(error, problem);
	}
	return fine;
}

/* ---- spans of several hosts ---- */

/* Add the spans of HOST in shown time to KEPT. */
static void join_host(const struct one_kind *join, uint32_t host, struct qry_kept *kept,
	struct mdl_span *leaf)
{
	const struct qry_source *s = qry_source(join->q, host);

	for (uint32_t i = 0; i < idx_spans_leaf_count(s->spans); i++) {
		unsigned n = idx_spans_leaf(s->spans, i).kind == join->kind
			? idx_spans_read(s->spans, i, leaf)
			: 0;

		for (unsigned k = 0; k < n; k++) {
			struct mdl_span shown = leaf[k];

			shown.start = qry_source_shown(s, shown.start);
			shown.end = qry_source_shown(s, shown.end);
			if (shown.row != MDL_NONE)
				shown.row += s->host.first_row;
			qry_kept_add(kept, host, &shown);
		}
	}
}

/* True if SPAN can be one of KIND (enum mdl_span_kind) in an experiment (idx_spans_holds). */
static bool spans_holds(const void *experiment, unsigned kind, uint32_t host, const struct mdl_span *span)
{
	const struct qry *q = experiment;
	struct mdl_span own = *span;

	own.kind = (uint8_t)kind;
	return (span->row == MDL_NONE || q->rows[span->row].host == host) &&
		mdl_span_holds(&own, span->row == MDL_NONE ? MDL_ROW_TYPES : q->rows[span->row].type,
			qry_string_count(q, host));
}

static bool join_all(void *data, struct qry_kept *kept, struct base_progress *progress, GError **error)
{
	const struct one_kind *join = data;
	struct mdl_span *leaf;

	for (uint32_t host = 0; host < qry_host_count(join->q); host++)
		if (!open_host(join->q, host, MDL_SPAN_KINDS, progress, error))
			return false;
	leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	for (uint32_t host = 0; host < qry_host_count(join->q); host++)
		join_host(join, host, kept, leaf);
	g_free(leaf);
	return true;
}

bool qry_spans_open(struct qry *q, enum mdl_span_kind kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	char name[32];
	struct qry_kept kept = { .name = name, .key = "", .holds = spans_holds, .what = kind };
	struct one_kind join = { q, kind };
	bool fine;

	if (qry_host_count(q) == 1 && !qry_source(q, 0)->clock) {
		fine = open_host(q, 0, kind, progress, error);
		*spans = (struct qry_spans){ qry_source(q, 0)->spans, kind, NULL };
		return fine;
	}
	g_snprintf(name, sizeof name, "spans %d", (int)kind);
	fine = qry_kept_open(q, &kept, 1, join_all, &join, progress, error);
	*spans = (struct qry_spans){ kept.file, 0, NULL };
	return fine;
}

const char *qry_spans_text(const struct qry_spans *spans, uint64_t key)
{
	return idx_spans_text(spans->file, key);
}

const char *qry_spans_note(const struct qry_spans *spans)
{
	return idx_spans_note(spans->file);
}

void qry_spans_figures(const struct qry_spans *spans, bool without, struct idx_spans_figures *f)
{
	idx_spans_figures(spans->file, spans->kind, without, f);
}

bool qry_spans_class(const struct qry_spans *spans, enum mdl_span_class class, bool without,
	struct idx_spans_figures *f)
{
	idx_spans_figures_of(spans->file, spans->kind, class, without, f);
	return idx_spans_has_classes(spans->file, spans->kind);
}

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

/* Read the spans of leaf number LEAF into TO, which has room for IDX_LEAF_SPANS. Returns their number. */
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

uint32_t qry_spans_leaf_count(const struct qry_spans *spans)
{
	return idx_spans_leaf_count(spans->file);
}

int64_t qry_spans_leaf_first(const struct qry_spans *spans, uint32_t leaf)
{
	return idx_spans_leaf(spans->file, leaf).first;
}

unsigned qry_spans_leaf(struct qry *q, const struct qry_spans *spans, const struct qry_spans_filter *f,
	uint32_t leaf, struct mdl_span *to, uint32_t *host)
{
	struct idx_spans_leaf l = idx_spans_leaf(spans->file, leaf);
	unsigned n = may_have(&l, spans, f) ? read_leaf(q, spans, leaf, to) : 0, kept = 0;

	*host = l.host;
	for (unsigned k = 0; k < n; k++)
		if (qry_spans_wants(q, f, &to[k]))
			to[kept++] = to[k];
	return kept;
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

/* ---- spans in a window ---- */

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

/* ---- the longest spans ---- */

/* The longest spans found so far. */
struct worst {
	GArray *heap; /* of struct idx_spans_found (base_worst.h) */
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

/* A leaf that may have some of the longest spans. */
struct candidate {
	int64_t longest, first;
	uint32_t leaf, host;
};

static int longest_first(const void *a, const void *b)
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
	g_array_sort(all, longest_first);
	return all;
}

/* Take spans from the file's list of the longest. True if no leaf can have others that F and W ask for. */
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

/* ---- keys ---- */

static char *string_key(const struct qry *q, uint32_t host, uint64_t key)
{
	const struct qry_source *s = qry_source(q, host);
	const char *text = key < idx_reader_string_count(s->reader)
		? idx_reader_string(s->reader, (uint32_t)key)
		: "";

	return *text ? g_strdup(text) : NULL;
}

static bool is_vector(uint64_t irq)
{
	return irq >> 32 == UINT32_MAX;
}

/* "28 virtio2-req.0" */
static char *irq_key(const struct qry *q, uint32_t host, uint64_t key)
{
	char *name = string_key(q, host, (uint32_t)key), *text;

	if (is_vector(key))
		return name;
	text = g_strdup_printf("%" PRId32 "%s%s", (int32_t)(key >> 32), name ? " " : "", name ? name : "");
	g_free(name);
	return text;
}

static const char *disk_of(const struct qry *q, uint32_t host, uint64_t request)
{
	return qry_device_name(q, host, (uint32_t)(request >> 8));
}

char *qry_span_key(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key)
{
	switch (kind) {
	case MDL_SPAN_SYSCALL: return string_key(q, host, key);
	case MDL_SPAN_IRQ:
	case MDL_SPAN_RETURN: return irq_key(q, host, key);
	case MDL_SPAN_SOFTIRQ:
	case MDL_SPAN_RAISE: return key < MDL_SOFTIRQS ? g_strdup(mdl_softirq_name((unsigned)key)) : NULL;
	case MDL_SPAN_BLOCK:
	case MDL_SPAN_BLOCK_QUEUE:
	case MDL_SPAN_BLOCK_DEVICE:
		return g_strdup_printf("%s %s", disk_of(q, host, key), mdl_op_name(key & 0xff) ?: "request");
	default: return key ? g_strdup_printf("0x%" PRIx64, key) : NULL;
	}
}

char *qry_span_device(const struct qry *q, uint32_t host, enum mdl_span_kind kind, uint64_t key)
{
	switch (kind) {
	case MDL_SPAN_IRQ:
	case MDL_SPAN_RETURN: return is_vector(key) ? NULL : string_key(q, host, (uint32_t)key);
	case MDL_SPAN_BLOCK:
	case MDL_SPAN_BLOCK_QUEUE:
	case MDL_SPAN_BLOCK_DEVICE: return g_strdup(disk_of(q, host, key));
	default: return NULL;
	}
}
