/* SPDX-License-Identifier: MIT */
/*
 * All latencies are kept as numbers, eight bytes each, and sorted once: so
 * percentiles are exact and the deviation can be summed in a second pass around
 * the true mean.  The worst cases are kept in a bounded heap whose top is the
 * least bad of them; only those that stay are explained, which costs look-ups.
 */
#include "analysis/ana_latency.h"

#include "analysis/ana_latency_kind.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/qry_tracer.h"

#include <math.h>

static const struct ana_latency_kind *const kinds[] = { &ana_latency_wakeup };

struct ana_tally {
	GArray *all;  /* of int64_t: every latency */
	GArray *heap; /* of struct ana_latency_case: each element is no worse than its children */
	uint32_t top;
	int64_t threshold;
	uint64_t unfinished;
};

const char *const *ana_latency_kinds(void)
{
	static const char *names[G_N_ELEMENTS(kinds) + 1];

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		names[i] = kinds[i]->name;
	return names;
}

/* ---- the worst ---- */

/* Longest first; ties by start, then by row, so that the list is always the same. */
static int worst_first(const void *a, const void *b)
{
	const struct ana_latency_case *x = a, *y = b;

	if (x->latency != y->latency)
		return x->latency < y->latency ? 1 : -1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct ana_latency_case *heap_at(const struct ana_tally *t, guint i)
{
	return &g_array_index(t->heap, struct ana_latency_case, i);
}

/* Is I less bad than J? */
static bool heap_less(const struct ana_tally *t, guint i, guint j)
{
	return worst_first(heap_at(t, i), heap_at(t, j)) > 0;
}

static void heap_swap(struct ana_tally *t, guint i, guint j)
{
	struct ana_latency_case c = *heap_at(t, i);

	*heap_at(t, i) = *heap_at(t, j);
	*heap_at(t, j) = c;
}

static void heap_push(struct ana_tally *t, const struct ana_latency_case *c)
{
	guint i = t->heap->len;

	g_array_append_val(t->heap, *c);
	for (; i > 0 && heap_less(t, i, (i - 1) / 2); i = (i - 1) / 2)
		heap_swap(t, i, (i - 1) / 2);
}

static void heap_replace_top(struct ana_tally *t, const struct ana_latency_case *c)
{
	guint i = 0, child;

	*heap_at(t, 0) = *c;
	while ((child = 2 * i + 1) < t->heap->len) {
		if (child + 1 < t->heap->len && heap_less(t, child + 1, child))
			child++;
		if (!heap_less(t, child, i))
			break;
		heap_swap(t, i, child);
		i = child;
	}
}

void ana_tally_case(struct ana_tally *t, uint32_t row, int64_t start, int64_t end)
{
	struct ana_latency_case c = { .start = start,
		.end = end,
		.latency = end - start,
		.row = row,
		.cpu = MDL_NONE };

	g_array_append_val(t->all, c.latency);
	if (c.latency < t->threshold || t->top == 0)
		return;
	if (t->heap->len < t->top)
		heap_push(t, &c);
	else if (worst_first(&c, heap_at(t, 0)) < 0)
		heap_replace_top(t, &c);
}

void ana_tally_unfinished(struct ana_tally *t)
{
	t->unfinished++;
}

/* ---- statistics; SORTED holds at least one latency ---- */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The smallest latency that at least PER_MILLE of all do not exceed. */
static int64_t nearest_rank(const GArray *sorted, uint64_t per_mille)
{
	uint64_t rank = (sorted->len * per_mille + 999) / 1000;

	return g_array_index(sorted, int64_t, MAX(rank, 1) - 1);
}

static void fill_moments(struct ana_latency *l, const GArray *sorted)
{
	long double sum = 0, squares = 0, mean;

	for (guint i = 0; i < sorted->len; i++)
		sum += (long double)g_array_index(sorted, int64_t, i);
	mean = sum / sorted->len;
	for (guint i = 0; i < sorted->len; i++) {
		long double d = (long double)g_array_index(sorted, int64_t, i) - mean;

		squares += d * d;
	}
	l->mean = (double)mean;
	l->stddev = (double)sqrtl(squares / sorted->len);
}

static struct ana_latency_bucket bucket_of(int64_t latency)
{
	unsigned bit;

	if (latency < 1)
		return (struct ana_latency_bucket){ .from = 0, .to = 1 };
	bit = 63u - (unsigned)__builtin_clzll((unsigned long long)latency);
	return (struct ana_latency_bucket){ .from = (int64_t)1 << bit,
		.to = bit == 62 ? INT64_MAX : (int64_t)1 << (bit + 1) };
}

static void fill_histogram(struct ana_latency *l, const GArray *sorted)
{
	struct ana_latency_bucket b = bucket_of(g_array_index(sorted, int64_t, 0));

	for (guint i = 0; i < sorted->len;) {
		if (g_array_index(sorted, int64_t, i) < b.to || b.to == INT64_MAX) {
			b.count++;
			i++;
			continue;
		}
		g_array_append_val(l->histogram, b);
		b = bucket_of(b.to);
	}
	g_array_append_val(l->histogram, b);
}

static void fill_statistics(struct ana_latency *l, GArray *all)
{
	l->count = all->len;
	l->min = l->max = l->p50 = l->p90 = l->p99 = l->p999 = BASE_TIME_NONE;
	if (all->len == 0)
		return;
	g_array_sort(all, by_value);
	l->min = g_array_index(all, int64_t, 0);
	l->max = g_array_index(all, int64_t, all->len - 1);
	l->p50 = nearest_rank(all, 500);
	l->p90 = nearest_rank(all, 900);
	l->p99 = nearest_rank(all, 990);
	l->p999 = nearest_rank(all, 999);
	fill_moments(l, all);
	fill_histogram(l, all);
}

/* ---- the whole ---- */

static const struct ana_latency_kind *find_kind(const char *name, GError **error)
{
	char *known;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_str_equal(kinds[i]->name, name))
			return kinds[i];
	}
	known = g_strjoinv(", ", (char **)ana_latency_kinds());
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "unknown kind of latency \"%s\": use one of %s",
		name, known);
	g_free(known);
	return NULL;
}

static bool check_row(const struct qry *q, uint32_t row, GError **error)
{
	char *label;

	if (row == MDL_NONE || qry_row(q, row)->type == MDL_ROW_THREAD)
		return true;
	label = qry_row_label(q, row);
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s is no thread: only threads have latencies",
		label);
	g_free(label);
	return false;
}

/* Is ROW measured when O asks? */
static bool wanted(const struct qry *q, const struct ana_latency_options *o, uint32_t row)
{
	return qry_row(q, row)->type == MDL_ROW_THREAD &&
		(row == o->row || !o->hide_tracer || !qry_is_tracer(q, row));
}

static bool collect_all(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *o, struct ana_tally *tally, struct base_progress *progress,
	GError **error)
{
	int64_t from = o->from == BASE_TIME_NONE ? INT64_MIN : o->from;
	int64_t to = o->to == BASE_TIME_NONE ? INT64_MAX : o->to;
	uint32_t first = o->row == MDL_NONE ? 0 : o->row;
	uint32_t end = o->row == MDL_NONE ? qry_row_count(q) : o->row + 1;

	for (uint32_t row = first; row < end; row++) {
		if (base_progress_cancelled(progress)) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED,
				"the measuring of latencies was interrupted");
			return false;
		}
		if (wanted(q, o, row))
			kind->collect(q, row, from, to, tally);
		if (progress)
			base_progress_set(progress, (double)(row - first + 1) / (end - first), 0);
	}
	return true;
}

static void case_clear(void *data)
{
	g_free(((struct ana_latency_case *)data)->cause);
}

static struct ana_latency *latency_of(struct qry *q, const struct ana_latency_kind *kind,
	struct ana_tally *tally)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = g_strdup(kind->name);
	l->unfinished = tally->unfinished;
	l->histogram = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_bucket));
	l->worst = g_array_ref(tally->heap);
	g_array_set_clear_func(l->worst, case_clear);
	g_array_sort(l->worst, worst_first);
	for (guint i = 0; i < l->worst->len; i++)
		kind->explain(q, &g_array_index(l->worst, struct ana_latency_case, i));
	fill_statistics(l, tally->all);
	return l;
}

struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error)
{
	const struct ana_latency_kind *kind = find_kind(options->kind, error);
	struct ana_tally tally = { .top = options->top, .threshold = options->threshold };
	struct ana_latency *l = NULL;

	if (!kind || !check_row(q, options->row, error))
		return NULL;
	tally.all = g_array_new(FALSE, FALSE, sizeof(int64_t));
	tally.heap = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	if (collect_all(q, kind, options, &tally, progress, error))
		l = latency_of(q, kind, &tally);
	g_array_unref(tally.all);
	g_array_unref(tally.heap);
	return l;
}

void ana_latency_free(struct ana_latency *latency)
{
	if (!latency)
		return;
	g_free(latency->kind);
	g_array_unref(latency->histogram);
	g_array_unref(latency->worst);
	g_free(latency);
}
