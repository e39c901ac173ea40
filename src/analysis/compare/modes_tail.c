/* SPDX-License-Identifier: MIT */
/*
 * A few that are another population, among the largest: a valley has to be shown by them alone, which ten
 * of a thousand cannot, however clearly they stand apart.  But much is known of a tail: beyond a high
 * threshold that of nearly any distribution is a generalized Pareto one, be it short, exponential or heavy
 * (A. Balkema and L. de Haan, "Residual life time at great age", 1974; J. Pickands, "Statistical inference
 * using extreme order statistics", 1975).  So it is asked whether somewhere in the tail there are more
 * numbers than the tail below and above that place foretells, by the ratio of two likelihoods:
 *
 *	of "as many lie in the interval as there are" to "as many lie there as the tail has there",
 *
 * both tails fitted to the numbers outside of the interval; of those inside it only counts how many they are.
 * Twice its logarithm is about the square of a normal number for one interval (S. Wilks, 1938).  That the
 * interval is sought (M. Kulldorff, "A spatial scan statistic", 1997) is made up for by the weighted test of
 * Bonferroni: FAMILY * k * (a + 1), k being how many lie above its begin and A above its end.  FAMILY is by
 * simulation (tests/analysis/test_modes.c does it again).
 *
 * Fits are the best of a grid of both parameters, whose steps are about a standard error of theirs: that
 * costs the ratio little, as both sides have it.  The tail is the upper third, or less: from further up the
 * parameters are known too badly, from further down other shapes do harm.
 */
#include "analysis/compare/modes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define PART 3   /* the tail is one of so many parts of all numbers, */
#define MOST 333 /* or that many; of more numbers the tail begins further up */
#define FEWEST 5 /* numbers that are a population */
#define EDGES 12 /* the widest gaps below which an interval begins */
#define ABOVE 6  /* so many ways to end it: the largest number is the last inside, or the next one, … */
#define FAMILY 100.0

#define SHORT_SHAPES 10 /* of tails that end, */
#define HEAVY_SHAPES 25 /* and of others */
#define SCALES 36
#define SCALE_LEAST 0.15 /* in medians of the tail */
#define SCALE_STEP 1.113
#define SHAPE_LEAST (-5.0) /* increasing to a sharp end */

/* The numbers beyond the threshold, the largest first, from 1 on; in medians of them. */
struct tail {
	guint n;
	double x[MOST + 2];
	/* Of one shape: how far out each is if the tail is made exponential by that, its derivative's log,
	 * and the sums of both of all up to each. */
	double depth[MOST + 2], depths[MOST + 2], logs[MOST + 2];
	guint ends[EDGES + ABOVE], n_ends; /* where intervals begin and end */
	double beyond[MOST + 2];           /* of one scale: the share of the tail beyond each of ENDS */
};

/* From number ABOVE + 1 to number LAST. */
struct interval {
	guint above, last;
	double alike, apart; /* log of the likelihood: as the tail has it, with as many as there are */
	double expected;     /* of all numbers, by the latter */
};

static bool tail_init(struct tail *t, const int64_t *values, guint n)
{
	double *all, threshold, median;

	if (n < ANA_MODES_TAIL_LEAST)
		return false;
	t->n = MIN(n / PART, MOST);
	t->n_ends = 0;
	all = ana_modes_spread(values, n, n);
	threshold = all[n - t->n - 1];
	median = all[n - (t->n + 1) / 2] - threshold;
	for (guint i = 1; i <= t->n; i++)
		t->x[i] = (all[n - i] - threshold) / median;
	g_free(all);
	return median > 0;
}

struct edge {
	double gap;
	guint at;
};

static int by_gap(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->gap != y->gap ? (x->gap < y->gap) - (x->gap > y->gap) : (x->at > y->at) - (x->at < y->at);
}

/* All intervals that are looked at; how many. */
static guint find_intervals(struct tail *t, struct interval *all)
{
	struct edge edges[MOST];
	guint n = 0, found = 0;

	for (guint k = FEWEST; k <= t->n / 4; k++)
		edges[n++] = (struct edge){ k * (t->x[k] - t->x[k + 1]), k };
	qsort(edges, n, sizeof *edges, by_gap);
	for (guint above = 0; above < ABOVE; above++)
		t->ends[t->n_ends++] = above + 1;
	for (guint i = 0; i < MIN(n, EDGES); i++) {
		t->ends[t->n_ends++] = edges[i].at;
		for (guint above = 0; above < ABOVE && above + FEWEST <= edges[i].at; above++)
			all[found++] = (struct interval){ above, edges[i].at, -INFINITY, -INFINITY, 0 };
	}
	return found;
}

/* Shape NUMBER, over its scale; no number is where the density is 0. */
static double shape_of(const struct tail *t, guint number)
{
	static const double ends[SHORT_SHAPES] = { 0.98, 0.95, 0.9, 0.8, 0.7, 0.55, 0.4, 0.25, 0.1, 0 };

	return number < SHORT_SHAPES ? -ends[number] / t->x[1] : 0.04 * pow(1.24, number - SHORT_SHAPES);
}

static void set_shape(struct tail *t, double shape)
{
	t->depths[0] = t->logs[0] = 0;
	for (guint i = 1; i <= t->n; i++) {
		double log_of = log1p(shape * t->x[i]);

		t->depth[i] = shape == 0 ? t->x[i] : log_of / shape;
		t->depths[i] = t->depths[i - 1] + t->depth[i];
		t->logs[i] = t->logs[i - 1] + log_of;
	}
}

static void set_scale(struct tail *t, double scale)
{
	for (guint i = 0; i < t->n_ends; i++)
		t->beyond[t->ends[i]] = exp(-t->depth[t->ends[i]] / scale);
}

/* Let what SCALE says of the interval count where it is more likely. */
static void fit(const struct tail *t, struct interval *in, double scale, double log_scale)
{
	guint inside = in->last - in->above, outside = t->n - inside;
	double depths = t->depths[t->n] - t->depths[in->last] + t->depths[in->above];
	double logs = t->logs[t->n] - t->logs[in->last] + t->logs[in->above];
	double share = t->beyond[in->last] - t->beyond[in->above + 1];
	double of_outside = -(double)outside * log_scale - depths / scale - logs, apart;

	if (share < 1e-300 || share > 1 - 1e-9)
		return;
	in->alike = fmax(in->alike, of_outside + inside * log(share));
	apart = of_outside - outside * log1p(-share);
	if (apart <= in->apart)
		return;
	in->apart = apart;
	in->expected = t->n * share;
}

static void fit_all(struct tail *t, struct interval *all, guint n)
{
	for (guint s = 0; s < SHORT_SHAPES + HEAVY_SHAPES; s++) {
		double shape = shape_of(t, s), scale = SCALE_LEAST;

		set_shape(t, shape);
		for (guint i = 0; i < SCALES && shape * scale >= SHAPE_LEAST; i++, scale *= SCALE_STEP) {
			set_scale(t, scale);
			for (guint k = 0; k < n; k++)
				fit(t, &all[k], scale, log(scale));
		}
	}
}

static double unlikely(const struct tail *t, const struct interval *in)
{
	double inside = in->last - in->above, part = inside / t->n, ratio;

	if (in->expected >= inside || isinf(in->alike))
		return 1;
	ratio = in->apart + inside * log(part) + (t->n - inside) * log1p(-part) - in->alike;
	return fmin(1, FAMILY * in->last * (in->above + 1) * 0.5 * erfc(sqrt(fmax(ratio, 0))));
}

struct ana_modes ana_modes_tail(const int64_t *values, guint n)
{
	struct ana_modes modes = { .p = 1 };
	struct interval all[EDGES * ABOVE];
	struct tail t;
	guint found;

	if (!tail_init(&t, values, n))
		return modes;
	found = find_intervals(&t, all);
	fit_all(&t, all, found);
	for (guint k = 0; k < found; k++) {
		double p = unlikely(&t, &all[k]);

		if (p < modes.p)
			modes = (struct ana_modes){ p, values[n - all[k].last - 1], values[n - all[k].last] };
	}
	return modes;
}
