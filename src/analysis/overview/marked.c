/* SPDX-License-Identifier: MIT */
/* Spans of programs: those in which threads met, and those with a few cases much longer than the others. */
#include "analysis/overview/parts.h"

#include "analysis/latency/mark.h"
#include "analysis/latency/program.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <string.h>

#define SEVERAL 8 /* cases of a name that are needed */
#define SLOW 3    /* times the median that the worst case must exceed */
/* Limit of events, of all kernels together, for a trace that may have no marks: the search costs about 0.1 µs
 * per event. */
#define LOOKS UINT64_C(2000000)

struct naming {
	struct qry *q;
	const struct qry_spans *spans;
	GHashTable *of; /* name, owned → GArray of struct ana_overview_case, owned */
	GString *name;  /* a buffer */
};

static void add_one(void *data, const struct idx_spans_found *found)
{
	struct naming *n = data;
	const struct mdl_span *span = &found->span;
	const char *text = span->fate == MDL_SPAN_DONE ? qry_spans_text(n->spans, span->key) : NULL;
	struct ana_overview_case one = { span->end - span->start, span->start, span->row };
	GArray *all;

	if (!text || span->row == MDL_NONE || qry_row(n->q, span->row)->type != MDL_ROW_THREAD ||
		g_str_has_suffix(text, ANA_MARK_BETWEEN ANA_MARK_KERNEL))
		return;
	g_string_truncate(n->name, 0);
	g_string_append_len(n->name, text, (gssize)strcspn(text, ANA_MARK_BETWEEN));
	all = g_hash_table_lookup(n->of, n->name->str);
	if (!all) {
		all = g_array_new(FALSE, FALSE, sizeof(struct ana_overview_case));
		g_hash_table_insert(n->of, g_strdup(n->name->str), all);
	}
	g_array_append_val(all, one);
}

static int by_length(const void *a, const void *b)
{
	const struct ana_overview_case *x = a, *y = b;

	return BASE_BY(x, y, length) ?: BASE_BY(y, x, start) ?: BASE_BY(y, x, row);
}

/* Set *MARKED to the spans ALL, called NAME, if these lost more time over the median than *MARKED. */
static void weigh(const struct qry *q, const char *name, GArray *all, struct ana_overview_marked *marked)
{
	const struct ana_overview_case *one = (const struct ana_overview_case *)(const void *)all->data,
				       *worst = &one[all->len - 1];
	struct ana_overview_marked found = { .count = all->len };
	g_autofree char *group = NULL;

	if (all->len < SEVERAL)
		return;
	g_array_sort(all, by_length);
	found.p50 = one[(all->len - 1) / 2].length;
	for (guint i = 0; i < all->len; i++) {
		found.sum = base_time_sum(found.sum, one[i].length);
		found.lost = base_time_sum(found.lost, MAX(one[i].length - found.p50, 0));
	}
	if (worst->length / SLOW <= found.p50 || found.lost < marked->lost ||
		(found.lost == marked->lost && marked->name && strcmp(name, marked->name) > 0))
		return;
	found.row = worst->row;
	found.from = worst->start;
	found.to = worst->start + worst->length;
	group = ana_group_name(qry_row(q, worst->row)->name);
	for (guint i = 0; i < all->len && !found.others; i++) {
		const struct qry_row *r = qry_row(q, one[i].row);
		g_autofree char *own = one[i].row == worst->row ? NULL : ana_group_name(r->name);

		found.others = own && (r->host != qry_row(q, worst->row)->host || !g_str_equal(own, group));
	}
	found.who = g_steal_pointer(&group);
	found.name = g_strdup(name);
	ana_overview_marked_clear(marked);
	*marked = found;
}

/* True if the traces are of programs, if the user declared spans, or if the search for marks costs little. */
static bool is_cheap(struct qry *q)
{
	uint64_t events = 0;

	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		const struct idx_meta *meta = qry_host(q, host)->meta;

		events += idx_meta_is_kernel(meta) ? meta->events : 0;
	}
	return qry_declared(q) || events <= LOOKS;
}

void ana_overview_marked_clear(struct ana_overview_marked *marked)
{
	g_clear_pointer(&marked->name, g_free);
	g_clear_pointer(&marked->who, g_free);
}

bool ana_overview_marked(struct qry *q, struct ana_overview_marked *marked,
	struct ana_overview_meeting *meeting, struct base_progress *progress, GError **error)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, progress };
	g_autoptr(GHashTable)
		of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
	g_autoptr(GError) problem = NULL;
	struct qry_spans spans;
	struct naming n = { q, &spans, of, NULL };
	GHashTableIter iter;
	gpointer name, all;

	*marked = (struct ana_overview_marked){ .row = MDL_NONE };
	if (!is_cheap(q))
		return true;
	if (!ana_program_open(q, NULL, &spans, progress, &problem)) {
		if (g_error_matches(problem, BASE_ERROR, BASE_ERROR_CANCELLED))
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
		qry_warn(q, problem->message); /* the other answers need no spans */
		return true;
	}
	n.name = g_string_new(NULL);
	qry_spans_each(q, &spans, &filter, add_one, &n);
	g_string_free(n.name, TRUE);
	if (base_progress_cancelled(progress))
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	g_hash_table_iter_init(&iter, of);
	while (g_hash_table_iter_next(&iter, &name, &all))
		if (!ana_overview_meets(q, name, all, meeting))
			weigh(q, name, all, marked);
	if (marked->name) {
		char *clean = base_text_clean(marked->name, -1);

		g_free(marked->name);
		marked->name = clean;
	}
	return true;
}
