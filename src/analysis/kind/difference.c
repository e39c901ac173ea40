/* SPDX-License-Identifier: MIT */
/*
 * Student's t as in ministat(1): both sets are assumed to have one deviation, which is pooled from both.
 * Latencies are rarely normal. If skewness and kurtosis show that a set is not normal (Jarque and Bera,
 * 1987), or it has too few numbers to know, or all are equal, the ranks of the numbers are compared instead
 * of the numbers (Mann and Whitney, 1947). For few numbers this is exact, over all ways to divide them
 * between the sets (Lehmann, Nonparametrics, 1975, 1.2 and 1.4, ties included). For many it uses the normal
 * distribution (ties as in Siegel, Nonparametric Statistics, with the correction for continuity).
 *
 * So 2 and 2 numbers never differ significantly, however far apart they are: one of three orders is as
 * extreme.
 */
#include "analysis/kind/difference.h"

#include <math.h>

#define N_NORMAL 8    /* with fewer numbers it is unknown if they are normal */
#define P_NORMAL 0.01 /* numbers are not normal if they are less likely than this */
#define COUNTED 40    /* limit of numbers in both sets for which all orders are counted */
#define ROUNDS 200

struct moments {
	double n, mean, variance; /* of the sample: divided by n - 1 */
	double p_normal;          /* probability of this skewness and kurtosis if the numbers are normal */
};

static struct moments moments_of(const GArray *a)
{
	struct moments m = { .n = a->len, .p_normal = 1 };
	double m2 = 0, m3 = 0, m4 = 0, skewness, kurtosis;

	for (guint i = 0; i < a->len; i++)
		m.mean += (double)g_array_index(a, int64_t, i) / m.n;
	for (guint i = 0; i < a->len; i++) {
		double d = (double)g_array_index(a, int64_t, i) - m.mean;

		m2 += d * d / m.n;
		m3 += d * d * d / m.n;
		m4 += d * d * d * d / m.n;
	}
	m.variance = m.n > 1 ? m2 * m.n / (m.n - 1) : 0;
	if (a->len >= N_NORMAL && m2 > 0) {
		skewness = m3 / pow(m2, 1.5);
		kurtosis = m4 / (m2 * m2) - 3;
		/* The statistic of Jarque and Bera has the distribution χ² with 2 degrees of freedom. */
		m.p_normal = exp(-m.n / 6 * (skewness * skewness + kurtosis * kurtosis / 4) / 2);
	}
	return m;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double fraction(double x, double a, double b)
{
	double tiny = 1e-300, c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (unsigned m = 1; m < ROUNDS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		result *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		result *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return result;
}

/* The regularised incomplete beta function. */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a
					 : 1 - front * fraction(1 - x, b, a) / b;
}

/* The probability of |t| or more with FREEDOM degrees of freedom. */
static double p_of_t(double t, double freedom)
{
	return beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* The t that is exceeded, on both sides together, with probability P. */
static double t_of_p(double p, double freedom)
{
	double low = 0, high = 1;

	while (p_of_t(high, freedom) > p && high < 1e9)
		high *= 2;
	for (unsigned i = 0; i < ROUNDS; i++) {
		double middle = (low + high) / 2;

		if (p_of_t(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Two sets in one order. */
struct ranked {
	guint n, m;      /* count of numbers in A and in B */
	unsigned *twice; /* owned; twice the rank of each number; equal ones share their mean */
	double ranks;    /* sum of the ranks of A */
	double ties;     /* sum of t³ - t over all groups of t equal numbers */
};

static struct ranked rank(const GArray *a, const GArray *b)
{
	struct ranked r = { .n = a->len, .m = b->len, .twice = g_new(unsigned, a->len + b->len) };
	guint before = 0;

	for (guint i = 0, j = 0; i < a->len || j < b->len;) {
		int64_t value = j == b->len ||
				(i < a->len && g_array_index(a, int64_t, i) <= g_array_index(b, int64_t, j))
			? g_array_index(a, int64_t, i)
			: g_array_index(b, int64_t, j);
		guint of_a = 0, same = 0;

		for (; i < a->len && g_array_index(a, int64_t, i) == value; i++, of_a++, same++)
			;
		for (; j < b->len && g_array_index(b, int64_t, j) == value; j++, same++)
			;
		for (guint k = 0; k < same; k++)
			r.twice[before + k] = 2 * before + same + 1;
		r.ranks += of_a * (before + (same + 1) / 2.0);
		r.ties += (double)same * same * same - same;
		before += same;
	}
	return r;
}

/* The p by the normal distribution, which the sum of many ranks approaches. */
static double p_by_normal(const struct ranked *r)
{
	double n = r->n, m = r->m, all = n + m;
	double variance = n * m / 12 * (all + 1 - r->ties / (all * (all - 1)));
	double z = fabs(r->ranks - n * (n + 1) / 2 - n * m / 2) - 0.5;

	return variance > 0 && z > 0 ? erfc(z / sqrt(2 * variance)) : 1;
}

/* The share of all ways to choose A's numbers from both whose sum of ranks is as far from the mean. */
static double p_by_counting(const struct ranked *r)
{
	guint all = r->n + r->m, sums = all * (all + 1) + 1;
	double *ways = g_new0(double, (gsize)(r->n + 1) * sums), whole = 0, far = 0;
	double mean = (double)r->n * (all + 1), distance = fabs(2 * r->ranks - mean);

	ways[0] = 1; /* choosing none has sum 0 */
	for (guint i = 0; i < all; i++)
		for (guint k = MIN(i + 1, r->n); k > 0; k--)
			for (guint sum = r->twice[i]; sum < sums; sum++)
				ways[k * sums + sum] += ways[(k - 1) * sums + sum - r->twice[i]];
	for (guint sum = 0; sum < sums; sum++) {
		whole += ways[r->n * sums + sum];
		if (fabs(sum - mean) >= distance - 0.25)
			far += ways[r->n * sums + sum];
	}
	g_free(ways);
	return far / whole;
}

double ana_difference_least(guint n, guint m)
{
	double ways = 1;

	for (guint i = 1; i <= MIN(n, m) && ways < 1e9; i++)
		ways *= (double)(n + m - MIN(n, m) + i) / i;
	return MIN(2 / ways, 1);
}

/* True if the numbers can be assumed to be normal. */
static bool is_normal(const struct moments *m)
{
	return m->n >= N_NORMAL && m->variance > 0 && m->p_normal >= P_NORMAL;
}

struct ana_difference ana_difference_of(const GArray *a, const GArray *b, double confidence)
{
	struct ana_difference d = { .by = NAN, .error = NAN, .p = NAN };
	struct moments x, y;
	struct ranked r;
	double freedom, scale;

	if (a->len == 0 || b->len == 0)
		return d;
	x = moments_of(a);
	y = moments_of(b);
	d.by = y.mean - x.mean;
	if (a->len < 2 || b->len < 2)
		return d;
	freedom = x.n + y.n - 2;
	scale = sqrt(((x.n - 1) * x.variance + (y.n - 1) * y.variance) / freedom) * sqrt(1 / x.n + 1 / y.n);
	if (scale > 0)
		d.error = t_of_p(1 - confidence, freedom) * scale;
	if (!is_normal(&x) || !is_normal(&y)) {
		d.test = ANA_DIFFERENCE_RANKS;
		r = rank(a, b);
		d.p = r.n + r.m <= COUNTED ? p_by_counting(&r) : p_by_normal(&r);
		g_free(r.twice);
	} else {
		d.test = ANA_DIFFERENCE_T;
		d.p = p_of_t(d.by / scale, freedom);
	}
	return d;
}

double ana_difference_corrected(double p, uint64_t trials)
{
	return MIN(p * (double)MAX(trials, 1), 1);
}

const char *ana_difference_test_name(enum ana_difference_test test)
{
	static const char *const
		names[ANA_DIFFERENCE_N] = { [ANA_DIFFERENCE_T] = "t", [ANA_DIFFERENCE_RANKS] = "ranks" };

	return names[test];
}
