/* SPDX-License-Identifier: MIT */
/*
 * The rank-sum test (F. Wilcoxon, 1945; H. B. Mann and D. R. Whitney, 1947) of whether some of N cases have
 * larger numbers than the others.  Cases are sorted, the largest first, and the ranks of the chosen cases are
 * summed.  P is the share, among all choices of as many cases, of those with such a small sum.
 *
 * 	numbers   9  8  7  5  5  2  1        chosen: 9, 8, 5
 * 	ranks     1  2  3 4.5 4.5 6  7       sum 7.5: so small are 1 2 3, 1 2 4.5 and 1 2 4.5 of 35 choices
 *
 * HOW IT WORKS.  Choices are counted exactly, one case after the other: to the choices of C of the cases so
 * far, with sum S, those of C - 1 with sum S less this rank are added.  Ties share the middle of their ranks,
 * so ranks are stored doubled.  Of the chosen and the other cases the fewer are counted, since one sum
 * follows from the other.  If that many choices cost too much, or the sum is not small, P comes from the
 * normal distribution with the same mean and variance, which is a good approximation then: both parts are
 * large.
 */
#include "analysis/compare/chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORK 2e7         /* additions for one exact P */
#define EXACT_MOST 64    /* chosen cases: the number of choices stays far below DBL_MAX */
#define SMALL_SUM (-1.0) /* standard deviations from the mean; above it, the normal distribution does */

struct ana_ranks {
	guint n;
	uint32_t *place;       /* rank of each case, doubled, 2 for the largest; owned */
	double mean, variance; /* of all ranks */
};

struct ranks_order {
	int64_t value;
	guint at;
};

static int ranks_by_value(const void *a, const void *b)
{
	const struct ranks_order *x = a, *y = b;

	return (y->value > x->value) - (y->value < x->value);
}

struct ana_ranks *ana_ranks_new(const int64_t *values, guint n)
{
	struct ana_ranks *r = g_new0(struct ana_ranks, 1);
	struct ranks_order *order = g_new(struct ranks_order, n + 1);

	r->n = n;
	r->place = g_new(uint32_t, n + 1);
	r->mean = n + 1.0;
	for (guint i = 0; i < n; i++)
		order[i] = (struct ranks_order){ values[i], i };
	qsort(order, n, sizeof *order, ranks_by_value);
	for (guint i = 0, end; i < n; i = end) {
		for (end = i; end < n && order[end].value == order[i].value; end++)
			;
		for (guint k = i; k < end; k++)
			r->place[order[k].at] = i + 1 + end;
		r->variance += (end - i) * (i + 1 + end - r->mean) * (i + 1 + end - r->mean) / n;
	}
	g_free(order);
	return r;
}

void ana_ranks_free(struct ana_ranks *r)
{
	if (!r)
		return;
	g_free(r->place);
	g_free(r);
}

double ana_log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The share of all choices of K of the N PLACES whose sum is at most SUM, by counting. */
static double count_choices(const uint32_t *places, guint n, guint k, uint64_t sum)
{
	size_t width = sum + 1;
	double *ways = g_new0(double, (k + 1) * width), all = 0;

	ways[0] = 1;
	for (guint i = 0; i < n; i++) {
		if (places[i] > sum)
			continue;
		for (guint c = k; c > 0; c--)
			for (size_t s = places[i]; s < width; s++)
				ways[c * width + s] += ways[(c - 1) * width + s - places[i]];
	}
	for (size_t s = 0; s < width; s++)
		all += ways[k * width + s];
	g_free(ways);
	return fmin(1, all * exp(-ana_log_choose(n, k)));
}

double ana_ranks_p(const struct ana_ranks *r, const bool *in, bool longer)
{
	guint k = 0, fewer;
	uint64_t sum = 0;
	uint32_t *places;
	bool of_rest;
	double off, p;

	for (guint i = 0; i < r->n; i++)
		k += in[i];
	if (k == 0 || k == r->n)
		return 1;
	/* That some are larger means that the rest is smaller, with ranks counted from the other end. */
	of_rest = k > r->n / 2;
	fewer = of_rest ? r->n - k : k;
	places = g_new(uint32_t, r->n);
	for (guint i = 0; i < r->n; i++) {
		places[i] = longer != of_rest ? r->place[i] : 2 * r->n + 2 - r->place[i];
		sum += in[i] != of_rest ? places[i] : 0;
	}
	off = ((double)sum - fewer * r->mean) /
		sqrt(fewer * r->variance * (r->n - fewer) / (r->n - 1.0) + 1e-300);
	if (off < SMALL_SUM && fewer <= EXACT_MOST &&
		(double)MIN((uint64_t)r->n, sum) * fewer * (double)sum <= WORK)
		p = count_choices(places, r->n, fewer, sum);
	else
		p = 0.5 * erfc(-off / sqrt(2));
	g_free(places);
	return p;
}
