/* SPDX-License-Identifier: MIT */
/* A file of latencies, checked: each leaf, and that the statistics are those of the spans in them.  Which are
 * of the tracer's threads is not known here, nor are the spans of an outline. */
#include "base/base_error.h"
#include "index/idx_map.h"
#include "index/idx_spans.h"

#include <string.h>

struct check {
	struct idx_spans *spans;
	struct idx_verify_totals *totals;
	struct mdl_span *leaf; /* room for one */
	int64_t *lengths;
	uint32_t next; /* leaf */
	unsigned kind;
	uint64_t fates[MDL_SPAN_FATES];
};

/* The lengths of the next leaf of the kind. */
static const int64_t *next_lengths(void *data, size_t *n)
{
	struct check *c = data;

	for (*n = 0; c->next < idx_spans_leaf_count(c->spans) && *n == 0; c->next++) {
		unsigned read = idx_spans_leaf(c->spans, c->next).kind == c->kind
			? idx_spans_read(c->spans, c->next, c->leaf)
			: 0;

		for (unsigned i = 0; i < read; i++) {
			c->fates[c->leaf[i].fate]++;
			if (c->leaf[i].fate == MDL_SPAN_DONE)
				c->lengths[(*n)++] = c->leaf[i].end - c->leaf[i].start;
		}
	}
	if (*n > 0)
		return c->lengths;
	c->next = 0;
	return NULL;
}

static bool same_buckets(const GArray *a, const GArray *b)
{
	return a->len == b->len &&
		(a->len == 0 || memcmp(a->data, b->data, a->len * sizeof(struct base_bucket)) == 0);
}

/* Deviations may differ by how they were summed up. */
static bool same_figures(const struct base_figures *a, const struct base_figures *b)
{
	return a->count == b->count && a->sum == b->sum && a->min == b->min && a->max == b->max &&
		a->p50 == b->p50 && a->p90 == b->p90 && a->p99 == b->p99 && a->p999 == b->p999;
}

/* Of an outline of KIND it is known how many there are, and how long the longest is; false: it is none. */
static bool check_outline(struct check *c, unsigned kind, bool *fine)
{
	uint64_t outlined = 0, told_all = 0;
	int64_t longest = 0;
	struct idx_spans_figures told;

	for (uint32_t i = 0; i < idx_spans_leaf_count(c->spans); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(c->spans, i);

		if (l.kind != kind || l.size > 0)
			continue;
		outlined += l.count;
		longest = MAX(longest, l.longest);
	}
	idx_spans_figures(c->spans, kind, false, &told);
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		told_all += told.fates[i];
	*fine = outlined == told_all && (told.figures.count == 0 || told.figures.max == longest);
	idx_spans_figures_clear(&told);
	c->totals->spans += outlined;
	return outlined > 0;
}

/* Do the statistics of KIND hold? */
static bool check_kind(struct check *c, unsigned kind)
{
	struct base_numbers numbers = { next_lengths, c };
	struct idx_spans_figures told;
	struct base_figures f = { 0 };
	g_autoptr(GArray) powers = NULL, linear = NULL;
	uint64_t fates[MDL_SPAN_FATES];
	size_t n;
	bool fine;

	if (check_outline(c, kind, &fine))
		return fine;
	c->kind = kind;
	c->next = 0;
	memset(c->fates, 0, sizeof c->fates);
	while (next_lengths(c, &n))
		;
	memcpy(fates, c->fates, sizeof fates);
	base_figures_find(&numbers, &f, &powers, &linear);
	idx_spans_figures(c->spans, kind, false, &told);
	fine = memcmp(fates, told.fates, sizeof fates) == 0 && same_figures(&f, &told.figures) &&
		same_buckets(powers, told.powers) && same_buckets(linear, told.linear);
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		c->totals->spans += fates[i];
	idx_spans_figures_clear(&told);
	return fine;
}

static void check_all(struct check *c, const char *path, GError **error)
{
	for (unsigned kind = 0; kind < MDL_SPAN_KINDS && !*error; kind++) {
		bool fine = check_kind(c, kind);

		if (idx_spans_damage(c->spans))
			*error = g_error_copy(idx_spans_damage(c->spans));
		else if (!fine)
			g_set_error(error, BASE_ERROR, BASE_ERROR_STALE,
				"%s %s: damaged: the statistics of kind %u are not those of its spans",
				idx_map_spans.name, path, kind);
	}
	c->totals->blocks = idx_spans_leaf_count(c->spans);
}

bool idx_spans_verify(const char *path, struct idx_reader *index, idx_verify_report report, void *data,
	struct idx_verify_totals *totals)
{
	struct check c = { .totals = totals };
	g_autoptr(GError) error = NULL;

	*totals = (struct idx_verify_totals){ 0 };
	c.spans = index ? idx_spans_open_index(path, index, &error) : idx_spans_open(path, NULL, &error);
	if (c.spans) {
		totals->bytes = idx_spans_size(c.spans);
		c.leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
		c.lengths = g_new(int64_t, IDX_LEAF_SPANS);
		check_all(&c, path, &error);
	}
	if (error) {
		report(data, error->message);
		totals->findings++;
	}
	g_free(c.leaf);
	g_free(c.lengths);
	idx_spans_free(c.spans);
	return totals->findings == 0;
}
