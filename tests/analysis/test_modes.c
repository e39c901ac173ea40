/* SPDX-License-Identifier: MIT */
/* One population or two: of one, whatever it is like, a valley or a gap is found no more often than is said;
 * two that are apart are found. */
#include "analysis/ana_modes.h"

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
	static const guint counts[] = { 100, 1000 };

	for (int kind = 0; kind < 5; kind++)
		for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
			guint valleys = 0, gaps = 0;

			state = 1;
			for (guint run = 0; run < RUNS; run++) {
				int64_t *values = numbers(kind, counts[c], 0, 0);

				valleys += ana_modes_find(values, counts[c]).p <= 0.05;
				gaps += ana_modes_gap(values, counts[c]).p <= 0.05;
				g_free(values);
			}
			g_test_message("kind %d, %u numbers: %u valleys, %u gaps of %d", kind, counts[c],
				valleys, gaps, RUNS);
			g_assert_cmpuint(valleys, <=, RUNS / 10);
			g_assert_cmpuint(gaps, <=, RUNS / 10);
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
	guint found = 0;

	for (guint i = 0; i < 1000; i++)
		values[i] = 5;
	g_assert_cmpfloat(ana_modes_find(values, 1000).p, >, 0.01);
	g_assert_cmpfloat(ana_modes_gap(values, 1000).p, ==, 1);
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
	g_test_add_func("/modes/counted", test_counted);
	g_test_add_func("/modes/ratio", test_ratio);
	g_test_add_func("/modes/ticks", test_ticks);
	return g_test_run();
}
