/* SPDX-License-Identifier: MIT */
/* One population or two: of one, whatever it is like, a valley or a gap is found no more often than is said;
 * two that are apart are found. */
#include "analysis/compare/modes.h"

#include "base/base_mix.h"

#include <math.h>
#include <stdlib.h>

#define RUNS 300

static uint64_t state;

static double even(void)
{
	return ((double)(base_mix_next(&state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(even())) * cos(2 * G_PI * even());
}

static double draw(int kind)
{
	switch (kind) {
	case 0: return 1e7 + 1e6 * normal();
	case 1: return -1e6 * log(even());
	case 2: return 1e6 * exp(0.6 * normal());
	case 3: return 1e6 * pow(even(), -1 / 3.0);
	default: return 1e6 + 1e6 * even();
	}
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* N numbers of KIND, MORE of them larger by BY, ascending; the caller frees. */
static int64_t *numbers(int kind, guint n, guint more, double by)
{
	int64_t *values = g_new(int64_t, n);

	for (guint i = 0; i < n; i++)
		values[i] = (int64_t)(draw(kind) + (i < more ? by : 0));
	qsort(values, n, sizeof *values, by_size);
	return values;
}

/* At 5 % it may be 5 of 100, and by chance some more. */
static void test_one(void)
{
	static const guint counts[] = { 100, 200, 1000 };

	for (int kind = 0; kind < 5; kind++)
		for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
			guint valleys = 0, gaps = 0, crowds = 0;

			state = 1;
			for (guint run = 0; run < RUNS; run++) {
				int64_t *values = numbers(kind, counts[c], 0, 0);

				valleys += ana_modes_find(values, counts[c]).p <= 0.05;
				gaps += ana_modes_gap(values, counts[c]).p <= 0.05;
				crowds += run < RUNS / 3 && ana_modes_tail(values, counts[c]).p <= 0.05;
				g_free(values);
			}
			g_test_message("kind %d, %u numbers: %u valleys, %u gaps of %d, %u crowds of %d",
				kind, counts[c], valleys, gaps, RUNS, crowds, RUNS / 3);
			g_assert_cmpuint(valleys, <=, RUNS / 10);
			g_assert_cmpuint(gaps, <=, RUNS / 10);
			g_assert_cmpuint(crowds, <=, RUNS / 3 / 10);
		}
}

/* From one in a hundred to half of them; the fewer, the further apart they must be. */
static void test_two(void)
{
	static const guint more[] = { 10, 50, 200, 500 };
	static const double by[] = { 9e6, 7e6, 6e6, 6e6 };

	state = 2;
	for (guint m = 0; m < G_N_ELEMENTS(more); m++) {
		guint found = 0;

		for (guint run = 0; run < 100; run++) {
			int64_t *values = numbers(0, 1000, more[m], by[m]);
			struct ana_modes valley = ana_modes_find(values, 1000),
					 gap = ana_modes_gap(values, 1000);
			struct ana_modes best = gap.p < valley.p ? gap : valley;

			found += best.p <= 0.01 && best.to > 11000000 && best.to < 10000000 + by[m];
			g_free(values);
		}
		g_test_message("%u of 1000: found %u of 100", more[m], found);
		g_assert_cmpuint(found, >=, 95);
	}
}

/* Ten of a thousand, which are too few for a valley. */
static void test_tail(void)
{
	static const double by[] = { 6e6, 9e6, 7e6, 8e6, 3e6 };

	state = 7;
	for (int kind = 0; kind < 5; kind++) {
		guint found = 0;

		for (guint run = 0; run < 50; run++) {
			int64_t *values = numbers(kind, 1000, 10, by[kind]);
			struct ana_modes tail = ana_modes_tail(values, 1000);

			found += tail.p <= 0.01;
			g_assert_true(tail.p == 1 || tail.from < tail.to);
			g_free(values);
		}
		g_test_message("kind %d, ten of 1000: found %u of 50", kind, found);
		g_assert_cmpuint(found, >=, 45);
	}
}

/* log of the likelihood of the tail's numbers outside of the interval from FROM on and below TO, and of how
 * many are in it, by the density and the distribution as books have them; *INSIDE becomes the share in it. */
static double likelihood(const double *x, guint n, double from, double to, double shape, double scale,
	double *inside)
{
	double below = shape == 0 ? exp(-from / scale) : pow(1 + shape * from / scale, -1 / shape);
	double above = shape == 0 ? exp(-to / scale) : pow(1 + shape * to / scale, -1 / shape), sum = 0;

	*inside = below - above;
	for (guint i = 0; i < n; i++)
		if (x[i] < from || x[i] > to)
			sum += shape == 0 ? -log(scale) - x[i] / scale
					  : -log(scale) - (1 + 1 / shape) * log(1 + shape * x[i] / scale);
	return sum;
}

/* The ratio of the likelihoods of a crowd, both maximised by search, against the P that is said. */
static void test_tail_counted(void)
{
	guint n = 900, m = n / 3, k = 10;
	int64_t *values = numbers(1, n, 0, 0);
	double *x = g_new(double, m), alike = -INFINITY, apart = -INFINITY, part = (double)k / m, p;

	for (guint i = 0; i < k; i++) /* a crowd of ten with two above it, and nothing near */
		values[n - k - 2 + i] = 14000000 + 10000 * (int64_t)i;
	values[n - 2] = 20000000;
	values[n - 1] = 23000000;
	for (guint i = 0; i < m; i++)
		x[i] = (double)(values[n - 1 - i] - values[n - m - 1]) / 1e6;
	for (double shape = -0.6; shape < 1.5; shape += 0.01)
		for (double scale = 0.3; scale < 4; scale *= 1.01) {
			double inside, fit;

			if (1 + shape * x[0] / scale <= 0)
				continue;
			fit = likelihood(x, m, x[k + 1], x[2], shape, scale, &inside);
			alike = fmax(alike, fit + k * log(inside));
			apart = fmax(apart, fit - (m - k) * log(1 - inside));
		}
	p = 100 * (k + 2) * 3 * 0.5 * erfc(sqrt(apart + k * log(part) + (m - k) * log(1 - part) - alike));
	g_test_message("said %g, counted %g", ana_modes_tail(values, n).p, p);
	g_assert_cmpint(ana_modes_tail(values, n).to, ==, 14000000);
	g_assert_cmpfloat(fabs(log(ana_modes_tail(values, n).p / p)), <, 0.5);
	g_free(values);
	g_free(x);
}

/* Twelve durations in ms, of which four are apart; and too few. */
static void test_few(void)
{
	static const int64_t values[] = { 122, 124, 127, 130, 131, 133, 167, 199, 485, 502, 514, 633 };
	struct ana_modes gap = ana_modes_gap(values, G_N_ELEMENTS(values));

	g_assert_cmpint(gap.from, ==, 199);
	g_assert_cmpint(gap.to, ==, 485);
	g_assert_cmpfloat(gap.p, <=, 0.05);
	for (guint n = 0; n < 4; n++) {
		g_assert_cmpfloat(ana_modes_find(values, n).p, ==, 1);
		g_assert_cmpfloat(ana_modes_gap(values, n).p, ==, 1);
	}
}

/* How likely a spacing as large as number K of N is, with base 0, each of those near it looked at anew. */
static double unlikely(const double *spacing, guint n, guint k, guint last)
{
	guint reach = MAX(n / 30, 10), from = k > reach ? k - reach : 1, to = MIN(k + reach, last);
	double sum = 0, most = 0, weights = 0, near = to - from, expected = log(near) + 0.5772;

	for (guint i = from; i <= to; i++) {
		sum += i == k ? 0 : spacing[i];
		most = i == k ? most : fmax(most, spacing[i]);
	}
	for (guint i = 1; i <= last; i++)
		weights += 1.0 / i;
	if (near > 2 * expected)
		sum = fmin(sum, (sum - most) * near / (near - expected));
	return fmin(1, (n < 50 ? last : k * weights) * pow(1 + spacing[k] / sum, -near));
}

static void test_counted(void)
{
	static const guint counts[] = { 8, 49, 60, 301, 2000 };

	state = 9;
	for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
		guint n = counts[c], last = (guint)(0.6 * n);
		int64_t *values = numbers(1, n, n / 5, 9e6);
		double base = n < 50 ? 0 : 2 * (double)values[n / 4] - (double)values[n / 2], p = 1;
		double *spacing = g_new0(double, last + 1);
		struct ana_modes gap = ana_modes_gap(values, n);

		for (guint k = 1; k <= last; k++)
			spacing[k] = k *
				log(((double)values[n - k] - base) / ((double)values[n - k - 1] - base));
		for (guint k = 1; k <= last; k++)
			p = fmin(p, unlikely(spacing, n, k, last));
		g_assert_cmpfloat(p, <, 1);
		g_assert_cmpfloat(fabs(gap.p / p - 1), <, 1e-9);
		g_free(values);
		g_free(spacing);
	}
}

/* By the ratio: what has some between both populations; never one outlier, nor half the numbers. */
static void test_ratio(void)
{
	static const int64_t some[] = { 12521654, 13162089, 13177011, 13302670, 13515901, 13664381, 18489034,
		23833745, 48914238, 50656168, 52325903, 63730358 };
	static const int64_t one[] = { 10, 11, 12, 13, 14, 15, 16, 90 };
	static const int64_t low[] = { 10, 80, 81, 82, 83, 84, 85, 90 };
	static const guint counts[] = { 6, 12, 20, 49 };
	struct ana_modes gap = ana_modes_ratio(some, G_N_ELEMENTS(some));

	g_assert_cmpint(gap.from, ==, 23833745);
	g_assert_cmpint(gap.to, ==, 48914238);
	g_assert_cmpint(ana_modes_ratio(one, G_N_ELEMENTS(one)).to, ==, 0);
	g_assert_cmpint(ana_modes_ratio(low, G_N_ELEMENTS(low)).to, ==, 0);
	for (guint n = 0; n < 4; n++)
		g_assert_cmpint(ana_modes_ratio(some, n).to, ==, 0);
	for (int kind = 0; kind < 4; kind++)
		for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
			guint found = 0;

			state = 5;
			for (guint run = 0; run < 2000; run++) {
				int64_t *values = numbers(kind, counts[c], 0, 0);

				found += ana_modes_ratio(values, counts[c]).to > 0;
				g_free(values);
			}
			g_test_message("kind %d, %u numbers: %u of 2000", kind, counts[c], found);
			g_assert_cmpuint(found, <=, 2000 * 9 / 100);
		}
}

/* All alike, and of a coarse clock: ticks are no populations. */
static void test_ticks(void)
{
	int64_t values[1000];
	guint found = 0, crowds = 0;

	for (guint i = 0; i < 1000; i++)
		values[i] = 5;
	g_assert_cmpfloat(ana_modes_find(values, 1000).p, >, 0.01);
	g_assert_cmpfloat(ana_modes_gap(values, 1000).p, ==, 1);
	g_assert_cmpfloat(ana_modes_tail(values, 1000).p, >, 0.01);
	state = 3;
	for (guint run = 0; run < 100; run++) {
		int64_t *fine = numbers(0, 1000, 0, 0);

		for (guint i = 0; i < 1000; i++)
			values[i] = fine[i] / 250000 * 250000;
		found += ana_modes_find(values, 1000).p <= 0.05;
		crowds += ana_modes_tail(values, 1000).p <= 0.05;
		g_free(fine);
	}
	g_assert_cmpuint(found, <=, 10);
	g_assert_cmpuint(crowds, <=, 10);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/modes/one", test_one);
	g_test_add_func("/modes/two", test_two);
	g_test_add_func("/modes/tail", test_tail);
	g_test_add_func("/modes/tail_counted", test_tail_counted);
	g_test_add_func("/modes/few", test_few);
	g_test_add_func("/modes/counted", test_counted);
	g_test_add_func("/modes/ratio", test_ratio);
	g_test_add_func("/modes/ticks", test_ticks);
	return g_test_run();
}
