/* SPDX-License-Identifier: MIT */
/*
 * How it works: labels are permuted many times.  The statistic of each variable is compared with the largest,
 * in each permutation, of the statistics of all variables whose statistic is at most as large in the true
 * order (step-down maxT, P. H. Westfall and S. S. Young, "Resampling-based multiple testing", 1993).  This is
 * exact for any distribution and any dependence between variables, if labels could as well have been others.
 * The true order counts as one of the permutations, so no p is 0.
 *
 * A statistic is the sum over the first group, less the expected sum, in standard deviations of that sum over
 * all permutations.  It is the larger one of values and of ranks: means are what is to be explained, and
 * ranks show what one outlier would hide.
 *
 * If the values of the groups may have different variances (MORE), the statistic is B. L. Welch's t (1947).
 * With it, permutations hold for many cases although labels cannot be exchanged then (A. Janssen,
 * "Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher problem",
 * 1997).
 */
#include "analysis/compare/chance.h"

#include "base/base_figures.h"
#include "base/base_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MOST 2000 /* permutations */
#define LEAST 500 /* permutations at least, also with many values */
#define WORK 2e8  /* values visited in all permutations, about */

/* A variable with both of its scores, whose means over all cases are 0. */
struct scores {
	const GArray *values;
	double *rank;                 /* of each of VALUES */
	double zero, zero_rank;       /* of the other cases */
	double squares, squares_rank; /* of all cases */
};

struct order {
	double value;
	guint at;
};

static int by_value(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	return BASE_BY(x, y, value) ?: BASE_BY(x, y, at);
}

/* Rank the values, ties in the middle; the cases without a value are N_ZERO zeroes. */
static void set_ranks(struct scores *s, guint n, guint n_zero)
{
	guint m = s->values->len, before = 0;
	struct order *order = g_new(struct order, m + 1);

	for (guint i = 0; i < m; i++)
		order[i] = (struct order){ g_array_index(s->values, struct ana_permute_value, i).value, i };
	qsort(order, m, sizeof *order, by_value);
	s->zero_rank = (n_zero - 1) / 2.0 - (n - 1) / 2.0;
	s->squares_rank = n_zero * s->zero_rank * s->zero_rank;
	for (guint i = 0, j; i < m; i = j) {
		double rank;

		for (j = i; j < m && order[j].value == order[i].value; j++)
			;
		before = n_zero + i;
		rank = before + (j - i - 1) / 2.0 - (n - 1) / 2.0;
		for (guint k = i; k < j; k++)
			s->rank[order[k].at] = rank;
		s->squares_rank += (j - i) * rank * rank;
	}
	g_free(order);
}

static void scores_init(struct scores *s, const GArray *values, guint n)
{
	double sum = 0;

	s->values = values;
	s->rank = g_new(double, values->len + 1);
	for (guint i = 0; i < values->len; i++)
		sum += g_array_index(values, struct ana_permute_value, i).value;
	s->zero = -sum / n;
	s->squares = (n - values->len) * s->zero * s->zero;
	for (guint i = 0; i < values->len; i++) {
		double v = g_array_index(values, struct ana_permute_value, i).value + s->zero;

		s->squares += v * v;
	}
	set_ranks(s, n, n - values->len);
}

/* The larger statistic, of means or of ranks; FIRST: flags of the cases of the group, of N_FIRST. */
static double deviation(const struct scores *s, const bool *first, guint n_first, guint n)
{
	double sum = n_first * s->zero, ranks = n_first * s->zero_rank;
	double spread = (double)n_first * (n - n_first) / ((double)n * (n - 1));

	for (guint i = 0; i < s->values->len; i++) {
		const struct ana_permute_value *v = &g_array_index(s->values, struct ana_permute_value, i);

		if (!first[v->at])
			continue;
		sum += v->value;
		ranks += s->rank[i] - s->zero_rank;
	}
	if (s->squares_rank <= 0 || spread <= 0)
		return 0;
	ranks = fabs(ranks) / sqrt(spread * s->squares_rank);
	return s->squares > 0 ? fmax(ranks, fabs(sum) / sqrt(spread * s->squares)) : ranks;
}

/* Welch's t of the means; 0 if the first group does not have more.  The sums of all cases follow from their
 * scores. */
static double welch(const struct scores *s, const bool *first, guint n_first, guint n)
{
	double mean = -s->zero, sum = 0, squares = 0, rest, rest_squares, by, spread;
	guint n_rest = n - n_first;

	if (n_first < 2 || n_rest < 2)
		return 0;
	for (guint i = 0; i < s->values->len; i++) {
		const struct ana_permute_value *v = &g_array_index(s->values, struct ana_permute_value, i);

		if (first[v->at]) {
			sum += v->value;
			squares += v->value * v->value;
		}
	}
	rest = mean * n - sum;
	rest_squares = s->squares + mean * mean * n - squares;
	by = sum / n_first - rest / n_rest;
	spread = fmax(0, squares - sum * sum / n_first) / (n_first - 1.0) / n_first +
		fmax(0, rest_squares - rest * rest / n_rest) / (n_rest - 1.0) / n_rest;
	return by > 0 ? by / sqrt(spread + DBL_MIN) : 0;
}

static double statistic(const struct ana_permute *a, const struct scores *s, const bool *first, guint n_first)
{
	return a->more ? welch(s, first, n_first, a->n) : deviation(s, first, n_first, a->n);
}

static void shuffle(uint32_t *labels, guint n, uint64_t *state)
{
	for (guint i = n; i > 1; i--) {
		guint j = (guint)(((base_mix_next(state) >> 32) * i) >> 32);
		uint32_t other = labels[i - 1];

		labels[i - 1] = labels[j];
		labels[j] = other;
	}
}

/* The group that has most of a->by beyond the mean of all. */
static uint32_t most_of(const struct ana_permute *a, const uint32_t *labels)
{
	double *beyond = g_new0(double, a->n_groups), mean = 0;
	uint32_t best = 0;

	for (guint i = 0; i < a->n; i++)
		mean += a->by[i] / a->n;
	for (guint i = 0; i < a->n; i++)
		beyond[labels[i]] += a->by[i] - mean;
	for (uint32_t g = 0; g < a->n_groups; g++)
		best = beyond[g] > beyond[best] ? g : best;
	g_free(beyond);
	return best;
}

/* Mark the cases of the first group in FIRST, by LABELS.  Returns their number. */
static guint permute_choose(const struct ana_permute *a, const uint32_t *labels, bool *first)
{
	uint32_t group = a->first == UINT32_MAX ? most_of(a, labels) : a->first;
	guint count = 0;

	for (guint i = 0; i < a->n; i++)
		count += first[i] = labels[i] == group;
	return count;
}

struct ranked {
	double t;
	guint variable;
};

static int by_statistic(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return BASE_BY(y, x, t) ?: BASE_BY(x, y, variable);
}

/* Add to COUNT (zeroes) the number of permutations that are as clear as each of the M variables in ORDER. */
static unsigned permute(const struct ana_permute *a, const struct scores *s, const struct ranked *order,
	guint m, unsigned *count, struct base_progress *progress)
{
	uint32_t *labels = g_memdup2(a->label, a->n * sizeof *labels);
	bool *first = g_new(bool, a->n);
	unsigned permutations;
	uint64_t state = 1;
	double values = 1;

	for (guint i = 0; i < m; i++)
		values += s[i].values->len;
	permutations = (unsigned)CLAMP(WORK / values, LEAST, MOST);
	for (unsigned b = 0; b < permutations; b++) {
		double most = 0;
		guint n_first;

		if (base_progress_cancelled(progress)) {
			permutations = 0;
			break;
		}
		shuffle(labels, a->n, &state);
		n_first = permute_choose(a, labels, first);
		for (guint i = m; i-- > 0;) {
			most = fmax(most, statistic(a, &s[order[i].variable], first, n_first));
			count[i] += most >= order[i].t * (1 - 1e-12);
		}
	}
	g_free(labels);
	g_free(first);
	return permutations;
}

/* Set ORDER to the tested variables, the clearest first. */
static void rank(const struct ana_permute *a, const struct scores *s, guint n, struct ranked *order)
{
	bool *first = g_new(bool, a->n);
	guint n_first = permute_choose(a, a->label, first);

	for (guint i = 0; i < n; i++)
		order[i] = (struct ranked){ statistic(a, &s[i], first, n_first), i };
	qsort(order, n, sizeof *order, by_statistic);
	g_free(first);
}

bool ana_permute(const struct ana_permute *a, const bool *skip, double *p, struct base_progress *progress)
{
	struct scores *s = g_new0(struct scores, a->variables->len + 1);
	struct ranked *order = g_new0(struct ranked, a->variables->len + 1);
	unsigned *count = g_new0(unsigned, a->variables->len + 1);
	guint *which = g_new0(guint, a->variables->len + 1);
	guint m = 0;
	unsigned permutations;
	double most = 0;

	for (guint i = 0; i < a->variables->len; i++) {
		if (skip && skip[i])
			continue;
		p[i] = NAN;
		scores_init(&s[m], g_ptr_array_index(a->variables, i), a->n);
		which[m] = i;
		if (s[m].squares_rank > 0)
			m++;
		else
			g_free(s[m].rank);
	}
	rank(a, s, m, order);
	permutations = permute(a, s, order, m, count, progress);
	for (guint i = 0; i < m && permutations > 0; i++) {
		most = fmax(most, (count[i] + 1.0) / (permutations + 1.0));
		p[which[order[i].variable]] = most;
	}
	for (guint i = 0; i < m; i++)
		g_free(s[i].rank);
	g_free(s);
	g_free(order);
	g_free(count);
	g_free(which);
	return permutations > 0;
}
