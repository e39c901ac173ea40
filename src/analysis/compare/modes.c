/* SPDX-License-Identifier: MIT */
/*
 * Two populations, shown by a valley: somewhere the density decreases, and further up it increases.
 *
 * Method: L. Dümbgen and G. Walther, "Multiscale inference about a density", Annals of Statistics 36(4),
 *2008, on a family of intervals as in K. Rufibach and G. Walther, "The block criterion for multiscale
 *inference about a density", JCGS 19(1), 2010.  Between two order statistics X(j) < X(k) the m = k - j - 1
 *numbers lie, relative to the interval, at u in (0, 1).  Where the density does not increase there, they are
 *stochastically no larger than uniform ones, so that
 *
 *	P(sum of (1 - u) <= t) <= F_m(t), the distribution of a sum of m uniform numbers (Irwin and Hall).
 *
 * F_m(t) · n/m, which makes up for how many intervals of that length there are, is small by chance in any of
 *them with a probability that depends on n alone, as order statistics of uniform numbers do: FAMILY times it,
 *by simulation (tests/analysis/test_modes.c does it again).  So that is a p-value for all intervals at once,
 *and "it decreases here and increases there" is wrong for a density of one mode with no more than that
 *probability: whatever the density is, normal, exponential, log-normal, with heavy tails.  Assumed is that
 *numbers are independent of each other, and continuous: numbers of a coarse clock are spread over its ticks.
 *
 * For few numbers that is too much to ask; for them spacings are looked at (A. Rényi, "On the theory of order
 * statistics", 1953): of a tail that falls off exponentially, and by logarithms as a power, k · (X(k) -
 *X(k+1)), k counted from the largest, are independent and exponential.  One is judged by the mean of those
 *near it, the tail being like that over short distances.
 */
#include "analysis/compare/modes.h"

#include "base/base_mix.h"

#include <math.h>

#define MOST 2048       /* numbers that are looked at; of more a part, evenly */
#define FAMILY 48.0     /* see above */
#define LEAST_INSIDE 2  /* numbers in an interval */
#define GROWS 1.3       /* lengths of intervals, each by the one before */
#define STEPS 6         /* intervals of a length begin every such part of it */
#define NEAR 10         /* spacings to each side by which one is judged, */
#define NEAR_PART 30    /* or such a part of all, where that is more */
#define FEW 50          /* numbers */
#define RATIO_LEAST 1.5 /* of few numbers a gap is where the one above is so many times that below, */
#define RATIO_BY 2      /* its logarithm is so many times the next one, */
#define RATIO_ABOVE 2   /* and so many are above */
#define GAP_SHARE 0.6   /* of all numbers, from the top, are gaps looked for */

/* log of P(sum of M uniform numbers <= T), T below the middle: exact up to 1, else by the saddlepoint (R.
 * Lugannani and S. Rice, 1980). */
static double log_sum_below(unsigned m, double t)
{
	double mean = t / m, s, lo = -2e4, hi = -1e-9, k = 0, k2 = 0, w, u;

	if (t <= 1)
		return t <= 0 ? -INFINITY : m * log(t) - lgamma(m + 1.0);
	for (int i = 0; i < 60; i++) {
		double e, k1;

		s = (lo + hi) / 2;
		e = exp(s);
		/* K(s) = log((e^s - 1) / s) of one number. */
		k = log((e - 1) / s);
		k1 = e / (e - 1) - 1 / s;
		k2 = 1 / (s * s) - e / ((e - 1) * (e - 1));
		if (k1 > mean)
			hi = s;
		else
			lo = s;
	}
	w = -sqrt(fmax(2 * m * (s * mean - k), 1e-12));
	u = s * sqrt(m * fmax(k2, 1e-12));
	return log(
		fmax(0.5 * erfc(-w / M_SQRT2) + exp(-w * w / 2) / sqrt(2 * M_PI) * (1 / w - 1 / u), 1e-300));
}

/* The numbers, spread over the ticks of their clock, and the sums of all up to each. */
struct numbers {
	guint n;
	double *x, *sum;
};

/* What all differences are multiples of; 1 where all are the same. */
static int64_t tick_of(const int64_t *values, guint n)
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

double *ana_modes_spread(const int64_t *values, guint n, guint most)
{
	double tick = (double)tick_of(values, n);
	guint found = MIN(n, most);
	double *all = g_new(double, found);

	for (guint i = 0; i < found; i++) {
		guint at = (guint)((uint64_t)i * n / found);

		all[i] = (double)(values[at] - values[0]) + tick * ((double)(base_mix(at) >> 11) * 0x1p-53);
	}
	qsort(all, found, sizeof *all, by_size);
	return all;
}

static void numbers_init(struct numbers *x, const int64_t *values, guint n)
{
	double all = 0;

	x->n = MIN(n, MOST);
	x->x = ana_modes_spread(values, n, MOST);
	x->sum = g_new(double, x->n + 1);
	for (guint i = 0; i < x->n; i++) {
		x->sum[i] = all;
		all += x->x[i];
	}
	x->sum[x->n] = all;
}

static void numbers_clear(struct numbers *x)
{
	g_free(x->x);
	g_free(x->sum);
}

/* How likely it is, over all intervals, that the numbers between J and K lie so much to the right (UP) of it,
 * or to the left. */
static double unlikely(const struct numbers *x, guint j, guint k, gboolean up)
{
	unsigned m = k - j - 1;
	double width = x->x[k] - x->x[j], inside, t;

	if (width <= 0)
		return 1;
	inside = (x->sum[k] - x->sum[j + 1] - m * x->x[j]) / width;
	t = up ? m - inside : inside;
	if (t > m / 2.0 - 1.5 * sqrt(m / 12.0))
		return 1;
	return fmin(1, FAMILY * (double)x->n / m * exp(log_sum_below(m, fmax(t, 0))));
}

typedef void visitor(void *data, guint j, guint k);

static void each_interval(guint n, visitor *visit, void *data)
{
	for (double length = LEAST_INSIDE; length + 2 <= n;
		length = fmax(length + 1, floor(length * GROWS))) {
		guint m = (guint)length, step = MAX(m / STEPS, 1);

		for (guint j = 0; j + m + 1 < n; j += step)
			visit(data, j, j + m + 1);
	}
}

struct search {
	struct numbers x;
	double *falls; /* how likely it is that it falls nowhere up to each number */
	double p;
	guint from, to; /* the interval in which it rises */
};

static void see_fall(void *data, guint j, guint k)
{
	struct search *s = data;

	s->falls[k] = fmin(s->falls[k], unlikely(&s->x, j, k, FALSE));
}

static void see_rise(void *data, guint j, guint k)
{
	struct search *s = data;
	double p;

	if (s->falls[j] >= s->p)
		return;
	p = fmax(s->falls[j], unlikely(&s->x, j, k, TRUE));
	if (p >= s->p)
		return;
	s->p = p;
	s->from = j;
	s->to = k;
}

/* The widest gap between the numbers FROM and TO. */
static guint widest(const struct numbers *x, guint from, guint to)
{
	guint best = from;

	for (guint i = from; i < to; i++)
		if (x->x[i + 1] - x->x[i] > x->x[best + 1] - x->x[best])
			best = i;
	return best;
}

struct ana_modes ana_modes_find(const int64_t *values, guint n)
{
	struct ana_modes modes = { .p = 1 };
	struct search s = { .p = 1 };

	if (n < 2 * (LEAST_INSIDE + 2))
		return modes;
	numbers_init(&s.x, values, n);
	s.falls = g_new(double, s.x.n);
	for (guint i = 0; i < s.x.n; i++)
		s.falls[i] = 1;
	each_interval(s.x.n, see_fall, &s);
	for (guint i = 1; i < s.x.n; i++)
		s.falls[i] = fmin(s.falls[i], s.falls[i - 1]);
	each_interval(s.x.n, see_rise, &s);
	if (s.p < 1) {
		guint at = widest(&s.x, s.from, s.to);
		double middle = (s.x.x[at] + s.x.x[at + 1]) / 2 + (double)values[0];
		guint up = 1;

		while (up + 1 < n && (double)values[up] < middle)
			up++;
		modes = (struct ana_modes){ s.p, values[up - 1], values[up] };
	}
	g_free(s.falls);
	numbers_clear(&s.x);
	return modes;
}

/* Where logarithms begin: as far below the lower quarter as that is below the middle, so that a shift changes
 * nothing; of few numbers, whose quarters mean little, at 0. */
static double base_of(const int64_t *values, guint n)
{
	guint quarter = n / 4, half = n / 2;

	return n < FEW ? 0 : 2 * (double)values[quarter] - (double)values[half];
}

/* The spacings of the upper numbers, each as above, by their number from the top. */
struct spacings {
	guint n, last;    /* numbers; the last spacing */
	guint reach;      /* spacings to each side by which one is judged */
	double *at;       /* of each, as if there were REACH of 0 before number 1 and behind LAST */
	double *sum;      /* of all before each */
	double *most;     /* the largest of each and of those behind it, REACH in all */
	double harmonics; /* 1 + 1/2 + … + 1/LAST */
};

static double spacing(const int64_t *values, guint n, guint k, double base)
{
	double above = (double)values[n - k] - base, below = (double)values[n - k - 1] - base;

	return below > 0 && above > below ? k * log(above / below) : 0;
}

/* The largest of REACH neighbours are the end of one block of REACH and the begin of the next (M. van Herk,
 * "A fast algorithm for local minimum and maximum filters", 1992). */
static void set_most(struct spacings *s, guint n)
{
	double *until = g_new0(double, n); /* the largest from the begin of its block */

	for (guint i = 0; i < n; i++)
		until[i] = i % s->reach == 0 ? s->at[i] : fmax(until[i - 1], s->at[i]);
	for (guint i = n; i-- > 0;)
		s->most[i] = i % s->reach == s->reach - 1 || i == n - 1 ? s->at[i]
									: fmax(s->most[i + 1], s->at[i]);
	for (guint i = 0; i + s->reach <= n; i++)
		s->most[i] = fmax(s->most[i], until[i + s->reach - 1]);
	g_free(until);
}

static void spacings_init(struct spacings *s, const int64_t *values, guint n, guint last, double base)
{
	guint reach = MAX(n / NEAR_PART, NEAR), all = last + 1 + 2 * reach;

	*s = (struct spacings){ .n = n,
		.last = last,
		.reach = reach,
		.at = g_new0(double, all),
		.sum = g_new0(double, all + 1),
		.most = g_new0(double, all) };
	for (guint k = 1; k <= last; k++) {
		s->at[reach + k] = spacing(values, n, k, base);
		s->harmonics += 1.0 / k;
	}
	for (guint i = 0; i < all; i++)
		s->sum[i + 1] = s->sum[i] + s->at[i];
	set_most(s, all);
}

static void spacings_clear(struct spacings *s)
{
	g_free(s->at);
	g_free(s->sum);
	g_free(s->most);
}

/* What the spacings near number K sum to, NEAR of them but for itself; the largest of them, which may be the
 * edge of a third population, counts as what is to be expected of it where it is more. */
static double sum_near(const struct spacings *s, guint k, double near)
{
	double before = s->sum[s->reach + k] - s->sum[k],
	       behind = s->sum[k + 2 * s->reach + 1] - s->sum[s->reach + k + 1], sum = before + behind,
	       most = fmax(s->most[k], s->most[s->reach + k + 1]), largest = log(near) + 0.5772;

	return near > 2 * largest ? fmin(sum, (sum - most) * near / (near - largest)) : sum;
}

/* For how many others a gap at number K makes up.  Of many numbers those near the top count for more, by
 * 1 / K (the weighted test of Bonferroni, whose weights sum to 1): further down the density says more. */
static double others(const struct spacings *s, guint k)
{
	return s->n < FEW ? s->last : k * s->harmonics;
}

/* How likely spacing number K is as large as it is. */
static double unlikely_spacing(const struct spacings *s, guint k)
{
	guint from = k > s->reach ? k - s->reach : 1, to = MIN(k + s->reach, s->last);
	double sum = to > from ? sum_near(s, k, to - from) : 0;

	return sum > 0 ? fmin(1, others(s, k) * pow(1 + s->at[s->reach + k] / sum, -(double)(to - from))) : 1;
}

struct ana_modes ana_modes_gap(const int64_t *values, guint n)
{
	guint last = MIN((guint)(GAP_SHARE * n), n - 1);
	struct ana_modes modes = { .p = 1 };
	struct spacings s;

	if (n <= 3)
		return modes;
	spacings_init(&s, values, n, last, base_of(values, n));
	for (guint k = 1; k <= last; k++) {
		double p = unlikely_spacing(&s, k);

		if (p < modes.p)
			modes = (struct ana_modes){ p, values[n - k - 1], values[n - k] };
	}
	spacings_clear(&s);
	return modes;
}

/* Rényi's p asks a gap to stand out from a smooth tail, which a dozen numbers that are close to each other,
 * with a few between both populations, do not show.  By simulation (test_modes.c) of 6 to 49 numbers of one
 * population there is a gap like this in 0 (normal), 0 to 6 (exponential), 2 to 7 (log-normal, sigma 0.6), 6
 * (Pareto 3) of 100 cases. */
struct ana_modes ana_modes_ratio(const int64_t *values, guint n)
{
	guint last = MIN((guint)(GAP_SHARE * n), n - 1), best = 0;
	double most = 0, next = 0, p;
	struct spacings s;

	for (guint k = 1; n > 3 && k < n; k++) {
		double ratio = spacing(values, n, k, 0) / k;

		next = fmax(next, fmin(ratio, most));
		best = ratio > most ? k : best;
		most = fmax(ratio, most);
	}
	if (best < RATIO_ABOVE || best > last || most < log(RATIO_LEAST) || most < RATIO_BY * next)
		return (struct ana_modes){ .p = 1 };
	spacings_init(&s, values, n, last, 0);
	p = unlikely_spacing(&s, best);
	spacings_clear(&s);
	return (struct ana_modes){ p, values[n - best - 1], values[n - best] };
}
