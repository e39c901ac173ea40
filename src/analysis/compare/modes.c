/* SPDX-License-Identifier: MIT */
/*
 * Two populations, shown by a gap: a place where numbers are rarer than both below and above it.
 *
 * 	fast ones          gap        slow ones
 * 	||||||||| |  |  |    |     |  ||||| | | |  |      |
 * 	   side  <---------- hole ------->  side
 *
 * HOW IT WORKS.  X(k) is the k-th largest number.  The spacings D(k) = k (X(k) - X(k+1)) of a tail that falls
 * off exponentially are independent and exponential, all with the same mean (A. Rényi, "On the theory of
 * order statistics", 1953); in other tails their mean changes from place to place, like 1 / hazard rate.  A
 * hole is a run of M spacings, M = 1, 2, 4, ..., and each side is the run next to it.  With equal means, the
 * share of a hole of M spacings in the sum of itself and a side of B spacings has the distribution Beta(M,
 * B).  That gives the probability that chance makes the hole wider than a side; P is the larger one of both
 * sides: if the mean only grows with the numbers, as in heavy tails, or only falls, as in light ones, the
 * hole is hardly wider than one of its sides.
 *
 * Both the numbers and their logarithms are tested; with logarithms, slow ones that differ by factors are
 * near each other.
 *
 * Each hole is corrected for the number of holes that could be like it: by the number of lengths in both
 * scales, and by (k + M) / M for those of one length that begin at number k, so that a few numbers far above
 * all others count more. tests/analysis/test_modes.c counts how often one population has a gap.
 *
 * Assumption: numbers are independent and continuous.  Those of a coarse clock are spread over its ticks.
 */
#include "analysis/compare/chance.h"

#include "base/base_figures.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST 2048       /* numbers that are tested; of more, an even sample */
#define SCALES 2        /* numbers and logarithms */
#define SIDE 2          /* spacings in a side for each one in the hole, */
#define SIDE_LEAST 30   /* and at least this many, if there are */
#define STEPS 4         /* the begins of holes of a length are this part of it apart */
#define GAP_SHARE 0.6   /* most that the upper population may have of all numbers */
#define RATIO_LEAST 1.5 /* few numbers: least ratio of the number above the gap to the one below, */
#define RATIO_BY 2      /* least ratio of the logarithm of that ratio to the next one, */
#define RATIO_ABOVE 2   /* and least count of numbers above */
#define RATIO_P 0.07    /* chance of such a gap in few numbers of one population, at most */

/* The largest number of which all differences are multiples; 1 if all values are equal. */
static int64_t modes_tick_of(const int64_t *values, guint n)
{
	int64_t tick = 0;

	for (guint i = 1; i < n && tick != 1; i++) {
		int64_t a = tick, b = values[i] - values[i - 1];

		while (b != 0) {
			int64_t rest = a % b;

			a = b;
			b = rest;
		}
		tick = a;
	}
	return MAX(tick, 1);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* FOUND of the N numbers, evenly, with those of a coarse clock spread over its ticks; ascending.  The caller
 * frees. */
static double *spread(const int64_t *values, guint n, guint found)
{
	double tick = (double)modes_tick_of(values, n);
	double *all = g_new(double, found);

	for (guint i = 0; i < found; i++) {
		guint at = (guint)((uint64_t)i * n / found);

		all[i] = (double)values[at] + tick * ((double)(base_mix(at) >> 11) * 0x1p-53);
	}
	qsort(all, found, sizeof *all, by_size);
	return all;
}

/* Log of P(Beta(A, B) >= X), for X above its mean; 0 for others.  It equals P(fewer than A of A + B - 1 are
 * below X), a binomial sum, whose largest term is the last one. */
static double log_at_least(guint a, guint b, double x)
{
	double n = a + b - 1.0, term = 1, sum = 0;

	if (x * (a + b) <= a)
		return 0;
	for (guint i = a; i > 0; i--) {
		sum += term;
		term *= (i - 1) * (1 - x) / ((n - i + 2) * x);
	}
	return lgamma(n + 1) - lgamma(a) - lgamma(b + 1.0) + (a - 1.0) * log(x) + b * log1p(-x) + log(sum);
}

struct search {
	guint n;
	double *x;    /* the numbers, ascending */
	bool logs;    /* X are logarithms */
	double *sum;  /* of the spacings 1 to k */
	double best;  /* log of the least p, */
	guint widest; /* and the number above the widest gap in its hole */
};

/* The spacing from number K to the next smaller one. */
static double space(const struct search *s, guint k)
{
	double above = s->x[s->n - k], below = s->x[s->n - k - 1];

	return s->logs ? log(fmax(above, 1) / fmax(below, 1)) : above - below;
}

/* Keep the hole of M spacings from number K on if it is the clearest; LENGTHS are tested. */
static void modes_see(struct search *s, guint k, guint m, guint lengths)
{
	guint side = MAX(SIDE * m, SIDE_LEAST), last = k + m - 1;
	guint top = k > side ? k - side : 1, bottom = MIN(last + side, s->n - 1);
	double inside = s->sum[last] - s->sum[k - 1];
	double above = s->sum[k - 1] - s->sum[top - 1], below = s->sum[bottom] - s->sum[last], p;

	if (inside <= 0)
		return;
	p = fmax(log_at_least(m, k - top, inside / (inside + above)),
		log_at_least(m, bottom - last, inside / (inside + below)));
	p += log(lengths * (double)(k + m) / m);
	if (p >= s->best)
		return;
	s->best = p;
	s->widest = k;
	for (guint i = k; i <= last; i++)
		s->widest = space(s, i) > space(s, s->widest) ? i : s->widest;
}

static void modes_look(struct search *s)
{
	guint lengths = 0;

	for (guint k = 1; k < s->n; k++)
		s->sum[k] = s->sum[k - 1] + k * space(s, k);
	for (guint m = 1; m <= (s->n - 1) / 4; m *= 2)
		lengths += SCALES;
	for (guint m = 1; m <= (s->n - 1) / 4; m *= 2)
		for (guint k = 2; k <= GAP_SHARE * s->n && k + m < s->n; k += MAX(m / STEPS, 1))
			modes_see(s, k, m, lengths);
}

struct ana_modes ana_modes_find(const int64_t *values, guint n)
{
	struct search s = { .n = MIN(n, MOST) };
	struct ana_modes found = { .p = 1 };

	if (n < 2)
		return found;
	s.x = spread(values, n, s.n);
	s.sum = g_new0(double, s.n);
	modes_look(&s);
	s.logs = true;
	modes_look(&s);
	if (s.widest > 0) {
		double middle = (s.x[s.n - s.widest] + s.x[s.n - s.widest - 1]) / 2;
		guint up = 1;

		while (up + 1 < n && (double)values[up] < middle)
			up++;
		found = (struct ana_modes){ exp(s.best), values[up - 1], values[up] };
	}
	g_free(s.x);
	g_free(s.sum);
	return found;
}

/* A dozen numbers close to each other, with a few between both populations, are too few for a test.  In
 * simulations (test_modes.c) of 6 to 49 numbers of one population, such a gap occurs in 0 (normal), 0 to 6
 * (exponential), 2 to 7 (log-normal, sigma 0.6), 6 (Pareto 3) of 100 cases. */
struct ana_modes ana_modes_ratio(const int64_t *values, guint n)
{
	double most = 0, next = 0;
	guint best = 0;

	for (guint k = 1; k < n; k++) {
		double above = (double)values[n - k], below = (double)values[n - k - 1];
		double ratio = below > 0 ? log(above / below) : 0;

		next = fmax(next, fmin(ratio, most));
		best = ratio > most ? k : best;
		most = fmax(ratio, most);
	}
	if (best < RATIO_ABOVE || best > GAP_SHARE * n || most < log(RATIO_LEAST) || most < RATIO_BY * next)
		return (struct ana_modes){ .p = 1 };
	return (struct ana_modes){ RATIO_P, values[n - best - 1], values[n - best] };
}
