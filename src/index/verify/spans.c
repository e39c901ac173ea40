/* SPDX-License-Identifier: MIT */
/*
 * Check a file of latencies: each leaf, and that directory, statistics and the list of the longest agree with
 * the spans in the leaves. Only the list shows which spans are of the tracer's threads. The spans of an
 * outline are in the index, which is not read here.
 */
#include "base/base_error.h"
#include "base/base_search.h"
#include "index/file/map.h"
#include "index/verify/verify.h"
#include "index/spans/spans.h"

#include <math.h>
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

/* True if the directory describes LEAF as its N spans are. */
static bool is_told(const struct check *c, uint32_t leaf, unsigned n)
{
	struct idx_spans_leaf l = idx_spans_leaf(c->spans, leaf),
			      real = { .first_row = MDL_NONE,
				      .first = INT64_MAX,
				      .last = INT64_MIN,
				      .longest = INT64_MIN };

	for (unsigned i = 0; i < n; i++) {
		const struct mdl_span *s = &c->leaf[i];

		real.first = MIN(real.first, s->start);
		real.last = MAX(real.last, s->start);
		real.longest = MAX(real.longest, s->end - s->start);
		if (s->row != MDL_NONE) {
			real.first_row = MIN(real.first_row, s->row);
			real.last_row = MAX(real.last_row, s->row);
		}
		if (s->fate != MDL_SPAN_DONE && s->end != s->start)
			return false;
	}
	return n == l.count && l.first == real.first && l.last == real.last && l.longest == real.longest &&
		l.first_row == real.first_row && l.last_row == real.last_row;
}

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

/* Deviations may differ by the order in which they were summed up. */
static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * MAX(fabs(a), fabs(b)) + 1e-6;
}

static bool same_figures(const struct base_figures *a, const struct base_figures *b)
{
	return is_near(a->mean, b->mean) && is_near(a->stddev, b->stddev) && a->count == b->count &&
		a->sum == b->sum && a->min == b->min && a->max == b->max && a->p50 == b->p50 &&
		a->p90 == b->p90 && a->p99 == b->p99 && a->p999 == b->p999 && a->fence == b->fence &&
		a->outliers == b->outliers;
}

static bool are_in_order(const struct base_figures *f)
{
	return f->min <= f->p50 && f->p50 <= f->p90 && f->p90 <= f->p99 && f->p99 <= f->p999 &&
		f->p999 <= f->max && f->outliers <= f->count && f->stddev >= 0 &&
		f->mean >= (double)f->min - 1 && f->mean <= (double)f->max + 1 &&
		(f->sum == INT64_MAX || is_near(f->mean, (double)f->sum / (double)f->count));
}

/* True if the figures of F agree with each other, for any spans. */
static bool are_sound(const struct idx_spans_figures *told)
{
	const struct base_figures *f = &told->figures;
	const GArray *const all[] = { told->powers, told->linear };

	if (f->count == 0)
		return told->powers->len == 0 && told->linear->len == 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct base_bucket *b = (const struct base_bucket *)(const void *)all[i]->data;
		uint64_t n = 0;

		for (guint k = 0; k < all[i]->len; k++)
			if ((k > 0 && b[k].from < b[k - 1].to) || __builtin_add_overflow(n, b[k].count, &n))
				return false;
		if (n != f->count || all[i]->len == 0 || f->min < b[0].from || f->min >= b[0].to ||
			f->max < b[all[i]->len - 1].from)
			return false;
	}
	return are_in_order(f);
}

/* Check an outline: it stores how many spans of KIND there are, and how long the longest is.  False if the
 * file is no outline of KIND. */
static bool check_outline(struct check *c, unsigned kind, bool *fine)
{
	uint64_t outlined = 0, told_all = 0;
	int64_t longest = 0;
	struct idx_spans_figures told;

	if (!idx_spans_is_outline(c->spans) || kind != 0)
		return false;
	for (uint32_t i = 0; i < idx_spans_leaf_count(c->spans); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(c->spans, i);

		outlined += l.count;
		longest = MAX(longest, l.longest);
	}
	idx_spans_figures(c->spans, kind, false, &told);
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		told_all += told.fates[i];
	*fine = outlined == told_all && (told.figures.count == 0 || told.figures.max == longest) &&
		are_sound(&told);
	idx_spans_figures_clear(&told);
	c->totals->spans += outlined;
	return true;
}

/* True if the statistics of KIND without the tracer's threads can be those of a part of all spans. */
static bool check_without(const struct check *c, unsigned kind)
{
	struct idx_spans_figures all, some;
	bool fine;

	idx_spans_figures(c->spans, kind, false, &all);
	idx_spans_figures(c->spans, kind, true, &some);
	fine = are_sound(&some) &&
		(some.figures.count == 0 ||
			(some.figures.min >= all.figures.min && some.figures.max <= all.figures.max));
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		fine = fine && some.fates[i] <= all.fates[i];
	idx_spans_figures_clear(&all);
	idx_spans_figures_clear(&some);
	return fine;
}

/* True if the statistics of the classes of KIND, if there are any, can be those of all parts of its spans. */
static bool check_classes(const struct check *c, unsigned kind, bool without)
{
	struct idx_spans_figures all, some;
	uint64_t fates[MDL_SPAN_FATES] = { 0 };
	int64_t min = INT64_MAX, max = INT64_MIN;
	__int128 sum = 0;
	bool fine = true;

	if (!idx_spans_has_classes(c->spans, kind))
		return true;
	idx_spans_figures(c->spans, kind, without, &all);
	for (unsigned i = MDL_SPAN_CLASS_UNKNOWN; i < MDL_SPAN_CLASSES; i++) {
		const struct base_figures *f = &some.figures;

		idx_spans_figures_of(c->spans, kind, i, without, &some);
		for (unsigned k = 0; k < MDL_SPAN_FATES; k++)
			fine = fine && !__builtin_add_overflow(fates[k], some.fates[k], &fates[k]);
		if (f->count > 0) {
			fine = fine && are_in_order(f);
			min = MIN(min, f->min);
			max = MAX(max, f->max);
			sum += f->sum;
		}
		idx_spans_figures_clear(&some);
	}
	fine = fine && memcmp(fates, all.fates, sizeof fates) == 0 &&
		(all.figures.count == 0 ||
			(min == all.figures.min && max == all.figures.max &&
				(sum == all.figures.sum || all.figures.sum == INT64_MAX)));
	idx_spans_figures_clear(&all);
	return fine;
}

/* True if the statistics of KIND are those of its spans. */
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

/* ---- the worst ---- */

/* How many of KIND the list of the longest must have, of the tracer's threads or of all others. */
static uint64_t worst_wanted(const struct check *c, unsigned kind, bool tracer)
{
	struct idx_spans_figures all, without;
	uint64_t n;

	idx_spans_figures(c->spans, kind, false, &all);
	idx_spans_figures(c->spans, kind, true, &without);
	n = tracer ? all.fates[MDL_SPAN_DONE] - without.fates[MDL_SPAN_DONE] : without.fates[MDL_SPAN_DONE];
	idx_spans_figures_clear(&all);
	idx_spans_figures_clear(&without);
	return MIN(n, IDX_SPANS_WORST);
}

static int by_leaf(const void *a, const void *b)
{
	const struct idx_spans_found *x = a, *y = b;

	return BASE_BY(x, y, leaf);
}

/* True if ALL (of struct idx_spans_found; this sorts it) are at the places that they name. */
static bool are_there(struct check *c, GArray *all)
{
	uint32_t read = MDL_NONE;

	g_array_sort(all, by_leaf);
	for (guint i = 0; i < all->len && !idx_spans_is_outline(c->spans); i++) {
		const struct idx_spans_found *found = &g_array_index(all, struct idx_spans_found, i);
		const struct mdl_span *a = &found->span, *b = &c->leaf[found->number];

		if (found->leaf != read && idx_spans_read(c->spans, found->leaf, c->leaf) == 0)
			return false;
		read = found->leaf;
		if (b->fate != MDL_SPAN_DONE || a->start != b->start || a->end != b->end ||
			a->key != b->key || a->row != b->row || a->cpu != b->cpu)
			return false;
	}
	return true;
}

/* The list of the longest of a kind. */
struct kept {
	struct idx_spans_found last; /* all spans up to this one are in it; only if CUT */
	bool cut;                    /* false: all spans are in it */
	uint64_t n;                  /* how many are not behind LAST */
	bool *longest;               /* by leaf: its longest is in the list */
};

/* True if no other span of KIND is as long as those that are KEPT. */
static bool check_others(struct check *c, unsigned kind, const struct kept *kept)
{
	uint64_t n = 0;
	bool outline = idx_spans_is_outline(c->spans);
	int64_t least = kept->cut ? kept->last.span.end - kept->last.span.start : 0;

	for (uint32_t i = 0; i < idx_spans_leaf_count(c->spans); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(c->spans, i);
		unsigned read = l.kind == kind && !outline ? idx_spans_read(c->spans, i, c->leaf) : 0;

		if (outline && l.kind == kind && l.longest > least && !kept->longest[i])
			return false;
		for (unsigned k = 0; k < read; k++) {
			struct idx_spans_found found = { c->leaf[k], l.host, i, k };

			n += found.span.fate == MDL_SPAN_DONE &&
				(!kept->cut || idx_spans_worst_first(&found, &kept->last) <= 0);
		}
	}
	return outline || n == kept->n;
}

/* True if the list of the longest of KIND is that of its leaves.  Of an outline this checks their number,
 * and the longest of each leaf. */
static bool check_worst(struct check *c, unsigned kind)
{
	struct kept kept = { .longest = g_new0(bool, idx_spans_leaf_count(c->spans) + 1) };
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct idx_spans_found));
	struct idx_spans_found found;
	bool fine = true;

	kept.cut = idx_spans_worst_last(c->spans, kind, false, &kept.last);
	for (unsigned tracer = 0; tracer < 2; tracer++) {
		uint32_t i = 0;

		for (; idx_spans_worst(c->spans, kind, tracer, i, &found); i++) {
			g_array_append_val(all, found);
			if (kept.cut && idx_spans_worst_first(&found, &kept.last) > 0)
				continue;
			kept.n++;
			if (found.span.end - found.span.start == idx_spans_leaf(c->spans, found.leaf).longest)
				kept.longest[found.leaf] = true;
		}
		fine = fine && i == worst_wanted(c, kind, tracer);
	}
	fine = fine && are_there(c, all) && check_others(c, kind, &kept);
	g_free(kept.longest);
	return fine;
}

static void check_all(struct check *c, const char *path, GError **error)
{
	const char *wrong;

	/* Each block for itself; the first invalid one is noted as damage. */
	idx_spans_check_texts(c->spans);
	for (uint32_t i = 0; i < idx_spans_leaf_count(c->spans); i++) {
		unsigned n = idx_spans_is_outline(c->spans) ? 0 : idx_spans_read(c->spans, i, c->leaf);

		if (n > 0 && !is_told(c, i, n))
			idx_spans_note_damage(c->spans, i,
				"a leaf that differs from its entry in the directory");
	}
	for (uint32_t i = 0; idx_spans_is_bare(c->spans) && i < idx_spans_leaf_count(c->spans); i++)
		c->totals->spans += idx_spans_leaf(c->spans, i).count;
	if (idx_spans_damage(c->spans))
		*error = g_error_copy(idx_spans_damage(c->spans));
	for (unsigned kind = 0; !idx_spans_is_bare(c->spans) && kind < MDL_SPAN_KINDS && !*error; kind++) {
		bool fine = check_kind(c, kind) && check_without(c, kind) && check_classes(c, kind, false) &&
			check_classes(c, kind, true) && check_worst(c, kind);

		if (idx_spans_damage(c->spans))
			*error = g_error_copy(idx_spans_damage(c->spans));
		else if (!fine)
			g_set_error(error, BASE_ERROR, BASE_ERROR_STALE,
				"%s %s: damaged: the statistics or the longest of kind %u do not match its spans",
				idx_map_spans.name, path, kind);
	}
	c->totals->blocks = idx_spans_leaf_count(c->spans);
	wrong = *error ? NULL : idx_spans_layout(c->spans);
	if (wrong)
		g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "%s %s: damaged: %s", idx_map_spans.name,
			path, wrong);
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
