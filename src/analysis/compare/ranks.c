/* SPDX-License-Identifier: MIT */
/*
 * The rank-sum test (F. Wilcoxon, 1945; H. B. Mann and D. R. Whitney, 1947): whether some of N cases have larger
 * numbers than the others.  Cases are put in order, the largest first, and the places of those that are asked
 * for are summed; P is the part of all choices of as many cases whose sum is as small.
 *
 *	numbers   9  8  7  5  5  2  1        asked for: 9, 8, 5
 *	places    1  2  3 4.5 4.5 6  7       sum 7.5: so small are 1 2 3, 1 2 4.5 and 1 2 4.5 of 35 choices
 *
 * HOW IT WORKS.  Choices are counted exactly, one case after the other: the number of choices of C of the cases so
 * far, with the sum S, grows by those of C - 1 with S less this place.  Ties share the middle of their places, so
 * places are counted doubled.  Of the asked-for and the others the fewer are counted, since the sum of the one
 * follows from that of the other.  Where so many choices cost too much, or the sum is no small one, P is that of
 * the normal distribution with the same mean and variance, which is good then: both parts are large.
 */
#include "analysis/compare/chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORK 2e7         /* additions for one exact P */
#define EXACT_MOST 64    /* cases that are chosen: the number of choices stays far below DBL_MAX */
#define SMALL_SUM (-1.0) /* standard deviations from the mean, above which the normal distribution does */

struct ana_ranks {
	guint n;
	uint32_t *place;       /* of each case, doubled, 2 for the largest; owned */
	double mean, variance; /* of all places */
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

/* The part of all choices of K of the N PLACES whose sum is SUM at most, by counting. */
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
	/* That some are larger is that the rest is smaller, whose places are counted from the other end. */
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
