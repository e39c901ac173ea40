/* SPDX-License-Identifier: MIT */
/*
 * How it works: each row is a step.  Its difference is that of the mean times in all paths of both sides, 0
 * in a path without the step.  Every nanosecond of a path belongs to one step, so the rows sum to the
 * difference of the mean durations.  VProfiler (J. Huang, B. Mozafari and T. Wenisch, "Statistical analysis
 * of latency through semantic profiling", EuroSys 2017) divides variance among functions in the same way.
 *
 * Means are whole nanoseconds.  The mean of all paths is rounded, those of steps are rounded down; what is
 * missing to the sum goes, one nanosecond each, to the steps that lost most by it (the method of largest
 * remainders).  So the sums of rows are exact, and no row is off by more than a nanosecond on a side.
 */
#include "analysis/compare/parts.h"

#include "analysis/latency/measure.h"
#include "base/base_error.h"
#include "base/base_figures.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

/* ---- figures ---- */

/* The rank, from 0 on, of quantile Q of N numbers: the nearest one. */
static uint64_t rank_of(uint64_t n, double q)
{
	return CLAMP((uint64_t)ceil(q * (double)n), 1, n) - 1;
}

static int64_t rounded(ana_wide sum, uint64_t n)
{
	return n == 0 ? BASE_TIME_NONE : (int64_t)((sum + n / 2) / (ana_wide)n);
}

/* The figures of all DURATIONS.  Sorts them. */
static struct ana_compare_figures figures_of(const struct base_many *all)
{
	struct ana_compare_figures f = { .count = all->len,
		.mean = BASE_TIME_NONE,
		.p50 = BASE_TIME_NONE,
		.p99 = BASE_TIME_NONE,
		.min = BASE_TIME_NONE,
		.max = BASE_TIME_NONE };
	ana_wide sum = 0;

	if (all->len == 0)
		return f;
	ana_tally_sort((int64_t *)(void *)all->data, all->len);
	for (guint i = 0; i < all->len; i++)
		sum += g_array_index(all, int64_t, i);
	f.mean = rounded(sum, all->len);
	f.p50 = g_array_index(all, int64_t, (guint)rank_of(all->len, 0.5));
	f.p99 = g_array_index(all, int64_t, (guint)rank_of(all->len, 0.99));
	f.min = g_array_index(all, int64_t, 0);
	f.max = g_array_index(all, int64_t, all->len - 1);
	return f;
}

/* The first path of SIDE with duration D. */
static uint32_t table_path_of(const struct ana_compare *c, unsigned side, int64_t d)
{
	for (guint i = 0; i < c->paths->len; i++)
		if (ana_compare_path_at(c, i)->side == side &&
			ana_compare_duration(ana_compare_path_at(c, i)) == d)
			return i;
	return UINT32_MAX;
}

static void set_side(struct ana_compare *c, unsigned side)
{
	struct base_many *all = base_many_new(sizeof(int64_t));
	struct ana_compare_side *s = &c->side[side];

	for (guint i = 0; i < c->paths->len; i++) {
		int64_t d = ana_compare_duration(ana_compare_path_at(c, i));

		if (ana_compare_path_at(c, i)->side == side)
			base_many_add(all, &d);
	}
	s->figures = figures_of(all);
	s->typical = all->len == 0 ? UINT32_MAX : table_path_of(c, side, s->figures.p50);
	s->extreme = all->len == 0 ? UINT32_MAX : table_path_of(c, side, s->figures.max);
	base_many_free(all);
}

static int by_mean(const void *a, const void *b)
{
	const struct ana_compare_group *x = a, *y = b;

	return BASE_BY(y, x, figures.mean) ?: strcmp(x->name, y->name);
}

/* A group and its number before sorting. */
struct ordered {
	struct ana_compare_group group; /* first: by_mean() */
	uint32_t was;
};

/* Sort the groups, and renumber those of paths. */
static void order_groups(struct ana_compare *c)
{
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(struct ordered));
	uint32_t *now = g_new(uint32_t, c->groups->len);

	for (guint i = 0; i < c->groups->len; i++) {
		struct ordered o = { g_array_index(c->groups, struct ana_compare_group, i), i };

		g_array_append_val(order, o);
	}
	g_array_sort(order, by_mean);
	for (guint i = 0; i < order->len; i++) {
		const struct ordered *o = &g_array_index(order, struct ordered, i);

		g_array_index(c->groups, struct ana_compare_group, i) = o->group;
		now[o->was] = i;
	}
	for (guint i = 0; i < c->paths->len; i++) {
		struct ana_compare_path *p = ana_compare_path_at(c, i);

		p->group = now[p->group];
	}
	g_free(now);
}

static void set_groups(struct ana_compare *c)
{
	struct base_many **all = g_new(struct base_many *, c->groups->len);

	for (guint i = 0; i < c->groups->len; i++)
		all[i] = base_many_new(sizeof(int64_t));
	for (guint i = 0; i < c->paths->len; i++) {
		int64_t d = ana_compare_duration(ana_compare_path_at(c, i));

		if (ana_compare_path_at(c, i)->side != ANA_COMPARE_NEITHER)
			base_many_add(all[ana_compare_path_at(c, i)->group], &d);
	}
	for (guint i = 0; i < c->groups->len; i++) {
		g_array_index(c->groups, struct ana_compare_group, i).figures = figures_of(all[i]);
		base_many_free(all[i]);
	}
	order_groups(c);
	g_free(all);
}

/* ---- means that sum ---- */

static const struct ana_compare_sum *table_sum_of(const struct ana_compare_walk *w, unsigned side,
	uint32_t step)
{
	static const struct ana_compare_sum none;

	return step < w->sums[side]->len ? &g_array_index(w->sums[side], struct ana_compare_sum, step)
					 : &none;
}

struct remainder {
	uint64_t rest;
	guint row;
};

static int by_rest(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;

	return BASE_BY(y, x, rest) ?: BASE_BY(x, y, row);
}

static void set_means(struct ana_compare *c, const struct ana_compare_walk *w, unsigned side)
{
	uint64_t n = c->side[side].figures.count;
	int64_t missing = c->side[side].figures.mean;
	g_autoptr(GArray) rests = g_array_new(FALSE, FALSE, sizeof(struct remainder));

	for (guint i = 0; i < c->rows->len; i++) {
		struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);
		ana_wide time = table_sum_of(w, side, r->step)->time;
		struct remainder rest = { (uint64_t)(time % (ana_wide)n), i };

		r->in[side].mean = (int64_t)(time / (ana_wide)n);
		missing -= r->in[side].mean;
		g_array_append_val(rests, rest);
	}
	g_array_sort(rests, by_rest);
	g_assert(missing >= 0 && missing <= (int64_t)rests->len);
	for (guint i = 0; i < (guint)missing; i++)
		g_array_index(c->rows, struct ana_compare_row, g_array_index(rests, struct remainder, i).row)
			.in[side]
			.mean++;
}

/* ---- rows ---- */

struct sought {
	const struct ana_compare_kept *kept;
	uint32_t step;
};

static bool table_is_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return s->kept[i].step < s->step;
}

const struct ana_compare_kept *ana_compare_kept(const struct ana_compare *c, uint32_t step, guint *n)
{
	const struct ana_compare_kept *kept = &g_array_index(c->kept, struct ana_compare_kept, 0);
	uint64_t first = base_search(0, c->kept->len, table_is_before, &(struct sought){ kept, step });

	*n = 0;
	while (first + *n < c->kept->len && kept[first + *n].step == step)
		++*n;
	return kept + first;
}

static int table_by_time(const void *a, const void *b)
{
	const struct ana_compare_kept *x = a, *y = b;

	return BASE_BY(x, y, time) ?: BASE_BY(x, y, path);
}

/* The kept times of STEP on SIDE, shortest first: of struct ana_compare_kept. */
static GArray *kept_of(const struct ana_compare *c, uint32_t step, unsigned side)
{
	GArray *kept = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_kept));
	guint n;
	const struct ana_compare_kept *all = ana_compare_kept(c, step, &n);

	for (guint i = 0; i < n; i++)
		if (ana_compare_path_at(c, all[i].path)->side == side)
			g_array_append_val(kept, all[i]);
	g_array_sort(kept, table_by_time);
	return kept;
}

static int64_t kept_quantile(const GArray *kept, uint64_t paths, double q)
{
	uint64_t at = rank_of(paths, q), absent = paths - kept->len;

	return at < absent ? 0 : g_array_index(kept, struct ana_compare_kept, (guint)(at - absent)).time;
}

/* The paths of SIDE: number of those kept, mean and variance of the durations. */
struct side {
	unsigned side;
	uint64_t kept;
	double mean, variance;
};

static void set_figures(const struct ana_compare *c, const struct ana_compare_walk *w,
	struct ana_compare_row *r, const struct side *of)
{
	const struct ana_compare_sum *sum = table_sum_of(w, of->side, r->step);
	struct ana_compare_figures *f = &r->in[of->side];
	g_autoptr(GArray) kept = kept_of(c, r->step, of->side);

	f->count = sum->count;
	f->min = sum->count < c->side[of->side].figures.count ? 0 : sum->min;
	f->max = sum->max;
	f->p50 = kept_quantile(kept, of->kept, 0.5);
	f->p99 = kept_quantile(kept, of->kept, 0.99);
	r->typical[of->side] = r->extreme[of->side] = UINT32_MAX;
	if (kept->len == 0)
		return;
	r->typical[of->side] = g_array_index(kept, struct ana_compare_kept, kept->len / 2).path;
	r->extreme[of->side] = g_array_index(kept, struct ana_compare_kept, kept->len - 1).path;
}

/* Pearson's correlation of the time in a step with the duration of the path. */
static double correlation(const struct ana_compare *c, const struct ana_compare_walk *w, uint32_t step,
	const struct side *of)
{
	const struct ana_compare_sum *s = table_sum_of(w, of->side, step);
	double n = (double)c->side[of->side].figures.count, mean = (double)s->time / n;
	double variance = (double)s->squares / n - mean * mean, with = (double)s->with / n - mean * of->mean;

	return n > 2 && variance > 0 && of->variance > 0 ? CLAMP(with / sqrt(variance * of->variance), -1, 1)
							 : NAN;
}

static struct side side_of(const struct ana_compare *c, const struct ana_compare_walk *w, unsigned side)
{
	struct side s = { .side = side };
	double n = (double)c->side[side].figures.count;

	for (guint i = 0; i < c->paths->len; i++)
		if (ana_compare_path_at(c, i)->side == side) {
			s.mean += (double)(ana_compare_duration(ana_compare_path_at(c, i))) / n;
			s.kept += base_mix(i) <= w->keep[side];
		}
	for (guint i = 0; i < c->paths->len; i++) {
		double off = (double)(ana_compare_duration(ana_compare_path_at(c, i))) - s.mean;

		if (ana_compare_path_at(c, i)->side == side)
			s.variance += off * off / n;
	}
	return s;
}

static int by_step(const void *a, const void *b)
{
	const struct ana_compare_kept *x = a, *y = b;

	return BASE_BY(x, y, step) ?: BASE_BY(x, y, path);
}

/* A step and its text, which orders rows with equal differences independently of the threads. */
struct named {
	char *text;
	uint32_t step;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

static void add_rows(struct ana_compare *c, const struct ana_compare_walk *w)
{
	g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(struct named));

	for (uint32_t s = 0; s < c->fold->steps->len; s++) {
		struct named n = { NULL, s };

		if (table_sum_of(w, 0, s)->count + table_sum_of(w, 1, s)->count == 0)
			continue;
		n.text = ana_fold_step_text(c->fold, s);
		g_array_append_val(steps, n);
	}
	g_array_sort(steps, by_text);
	for (guint i = 0; i < steps->len; i++) {
		struct named *n = &g_array_index(steps, struct named, i);
		struct ana_compare_row row = { .step = n->step, .p = NAN, .class = ANA_COMPARE_NOISE };

		g_array_append_val(c->rows, row);
		g_free(n->text);
	}
}

static void set_rows(struct ana_compare *c, const struct ana_compare_walk *w, unsigned side)
{
	struct side of = side_of(c, w, side);

	set_means(c, w, side);
	for (guint i = 0; i < c->rows->len; i++) {
		struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);

		set_figures(c, w, r, &of);
		r->correlation[side] = correlation(c, w, r->step, &of);
	}
	c->sampled += of.kept;
}

static bool set_sides(struct ana_compare *c, GError **error)
{
	for (unsigned side = 0; side < 2; side++) {
		set_side(c, side);
		if (c->side[side].figures.count > 0)
			continue;
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			c->groups->len == 1 ? "all paths belong to one group, \"%s\": choose other groups"
					    : "nothing to compare with: no path is %s; choose other groups",
			c->side[c->groups->len == 1 ? 0 : side].name);
	}
	return true;
}

bool ana_compare_table(struct ana_compare *c, const struct ana_compare_walk *w, GError **error)
{
	if (!set_sides(c, error))
		return false;
	set_groups(c);
	g_array_sort(c->kept, by_step);
	add_rows(c, w);
	set_rows(c, w, 0);
	set_rows(c, w, 1);
	c->difference = c->side[0].figures.mean - c->side[1].figures.mean;
	for (guint i = 0; i < c->rows->len; i++) {
		struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);

		r->difference = r->in[0].mean - r->in[1].mean;
		r->share = c->difference == 0 ? NAN : (double)r->difference / (double)c->difference;
	}
	return true;
}
