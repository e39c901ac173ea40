/* SPDX-License-Identifier: MIT */
/* One population or two: in a single population of any shape a gap is found no more often than its p; two
 * populations that are apart are found. */
#include "analysis/compare/chance.h"

#include "base/base_figures.h"

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

/* At p <= 0.05, a gap may be found in 5 of 100 single populations, and by chance in up to 7. */
static void test_one(void)
{
	static const guint counts[] = { 20, 49, 100, 200, 1000, 3000 };

	for (int kind = 0; kind < 5; kind++)
		for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
			guint gaps = 0;

			state = 1;
			for (guint run = 0; run < RUNS; run++) {
				int64_t *values = numbers(kind, counts[c], 0, 0);

				gaps += ana_modes_find(values, counts[c]).p <= 0.05;
				g_free(values);
			}
			g_test_message("kind %d, %u numbers: %u gaps of %d", kind, counts[c], gaps, RUNS);
			g_assert_cmpuint(gaps, <=, RUNS * 7 / 100);
		}
}

/* A larger population of one in twenty to half of the numbers is found, whatever the shape, even if some
 * numbers of the other population are nearly as large or larger. */
static void test_two(void)
{
	static const guint more[] = { 50, 200, 500 };
	static const double by[] = { 6e6, 9e6, 6e6, 6e6, 2e6 };

	state = 2;
	for (int kind = 0; kind < 5; kind++)
		for (guint m = 0; m < G_N_ELEMENTS(more); m++) {
			guint found = 0;

			for (guint run = 0; run < 100; run++) {
				int64_t *values = numbers(kind, 1000, more[m], by[kind]);
				struct ana_modes gap = ana_modes_find(values, 1000);
				guint upper = 0;

				for (guint i = 0; i < 1000; i++)
					upper += values[i] >= gap.to;
				found += gap.p <= 0.001 && upper >= more[m] * 8 / 10 &&
					upper <= more[m] * 13 / 10;
				g_assert_true(gap.p == 1 || gap.from < gap.to);
				g_free(values);
			}
			g_test_message("kind %d, %u of 1000: found %u of 100", kind, more[m], found);
			g_assert_cmpuint(found, >=, 95);
		}
}

/* The gap is between neighbours; of twelve durations in ms four are apart; too few values give no gap. */
static void test_few(void)
{
	static const int64_t values[] = { 122, 124, 127, 130, 131, 133, 167, 199, 485, 502, 514, 633 };
	struct ana_modes gap = ana_modes_find(values, G_N_ELEMENTS(values));

	g_assert_cmpint(gap.from, ==, 199);
	g_assert_cmpint(gap.to, ==, 485);
	for (guint n = 0; n < 5; n++)
		g_assert_cmpfloat(ana_modes_find(values, n).p, ==, 1);
}

/* Sixteen that take 12 to 63 ms, a few that take more than 1 ms, and the others about 0.4 ms: by
 * differences alone, the slow ones are as far from each other as from the rest. */
static void test_factors(void)
{
	static const int64_t slow[] = { 1100, 1300, 1600, 2100, 2600, 12200, 12900, 13500, 14100, 15800,
		16900, 20100, 22300, 25200, 30400, 37000, 41000, 46000, 52000, 57000, 63000 };
	int64_t values[800];
	struct ana_modes gap;

	state = 4;
	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		values[i] = i < G_N_ELEMENTS(slow) ? slow[i] * 1000 : (int64_t)(4e5 * exp(0.2 * normal()));
	qsort(values, G_N_ELEMENTS(values), sizeof *values, by_size);
	gap = ana_modes_find(values, G_N_ELEMENTS(values));
	g_assert_cmpfloat(gap.p, <=, 0.01);
	g_assert_cmpint(gap.from, ==, 2600000);
	g_assert_cmpint(gap.to, ==, 12200000);
}

/* Log of P(Beta(A, B) >= X), by the sum of its density over many small steps. */
static double log_beta(double a, double b, double x)
{
	double sum = 0, steps = 20000;

	for (double i = 0; i < steps; i++) {
		double at = x + (1 - x) * (i + 0.5) / steps;

		sum += exp((a - 1) * log(at) + (b - 1) * log1p(-at)) * (1 - x) / steps;
	}
	return log(sum) + lgamma(a + b) - lgamma(a) - lgamma(b);
}

/* The least P of the holes of M spacings of the N numbers X, each computed anew; LENGTHS spacings are
 * considered. */
static double least_p(const double *x, guint n, guint m, guint lengths)
{
	double best = 1;

	for (guint k = 2; k <= 0.6 * n && k + m < n; k += MAX(m / 4, 1)) {
		guint side = MAX(2 * m, 30), first = k > side ? k - side : 1;
		guint last = MIN(k + m - 1 + side, n - 1);
		double above = 0, inside = 0, below = 0, p;

		for (guint i = first; i <= last; i++) {
			double spacing = i * (x[n - i] - x[n - i - 1]);

			*(i < k ? &above : i < k + m ? &inside : &below) += spacing;
		}
		above = inside / (inside + above);
		below = inside / (inside + below);
		if (above <= m / (double)(k - first + m) || below <= m / (double)(last - k + 1))
			continue;
		p = exp(fmax(log_beta(m, k - first, above), log_beta(m, last - (k + m - 1), below)));
		best = fmin(best, p * lengths * (k + m) / m);
	}
	return best;
}

static void test_counted(void)
{
	static const guint counts[] = { 20, 49, 60, 301 };

	state = 9;
	for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
		guint n = counts[c], lengths = 2 * ((guint)log2((n - 1) / 4) + 1);
		int64_t *values = numbers(1, n, n / 5, 5e6);
		double *x = g_new(double, n), p = 1;

		for (unsigned logs = 0; logs < 2; logs++) {
			for (guint i = 0; i < n; i++)
				x[i] = logs ? log((double)values[i]) : (double)values[i];
			for (guint m = 1; m <= (n - 1) / 4; m *= 2)
				p = fmin(p, least_p(x, n, m, lengths));
		}
		g_test_message("%u numbers: said %g, counted %g", n, ana_modes_find(values, n).p, p);
		g_assert_cmpfloat(p, <, 1);
		g_assert_cmpfloat(fabs(log(ana_modes_find(values, n).p / p)), <, 0.01);
		g_free(values);
		g_free(x);
	}
}

/* By the ratio: a gap with some values between both populations; never one outlier, nor half the numbers. */
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

/* Equal values of a coarse clock: its ticks are no populations. */
static void test_ticks(void)
{
	int64_t values[1000];
	guint found = 0;

	for (guint i = 0; i < 1000; i++)
		values[i] = 5;
	g_assert_cmpfloat(ana_modes_find(values, 1000).p, >, 0.01);
	state = 3;
	for (guint run = 0; run < 100; run++) {
		int64_t *fine = numbers(0, 1000, 0, 0);

		for (guint i = 0; i < 1000; i++)
			values[i] = fine[i] / 250000 * 250000;
		found += ana_modes_find(values, 1000).p <= 0.05;
		g_free(fine);
	}
	g_assert_cmpuint(found, <=, 10);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/modes/one", test_one);
	g_test_add_func("/modes/two", test_two);
	g_test_add_func("/modes/few", test_few);
	g_test_add_func("/modes/factors", test_factors);
	g_test_add_func("/modes/counted", test_counted);
	g_test_add_func("/modes/ratio", test_ratio);
	g_test_add_func("/modes/ticks", test_ticks);
	return g_test_run();
}
