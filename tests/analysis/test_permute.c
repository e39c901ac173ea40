/* SPDX-License-Identifier: MIT */
/* Permutation tests: exact where all orders can be counted, wrong no more often than their P, and able to
 * find every kind of difference.  The rank-sum test: exact where P is small, for the largest and for the
 * smallest numbers. */
#include "analysis/compare/chance.h"

#include "base/base_figures.h"

#include <math.h>
#include <string.h>

static uint64_t state;

static double even(void)
{
	return ((double)(base_mix_next(&state) >> 11) + 0.5) * 0x1p-53;
}

static GArray *variable(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct ana_permute_value));
}

static void put(GArray *to, uint32_t at, double value)
{
	struct ana_permute_value v = { at, value };

	g_array_append_val(to, v);
}

/* Four of twelve have a value, exactly the four with the label: 1 of 495 ways to choose four. */
static void test_counted(void)
{
	static const uint32_t label[12] = { 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	struct ana_permute a = { .n = 12, .label = label, .n_groups = 2, .first = 1, .variables = all };
	double p[2];

	g_ptr_array_add(all, variable());
	g_ptr_array_add(all, variable());
	for (uint32_t i = 2; i < 12; i += 3)
		put(g_ptr_array_index(all, 0), i, 7);
	for (uint32_t i = 0; i < 12; i++)
		put(g_ptr_array_index(all, 1), i, 3);
	g_assert_true(ana_permute(&a, NULL, p, NULL));
	g_assert_cmpfloat(fabs(p[0] - 1 / 495.0), <, 0.004);
	g_assert_true(isnan(p[1])); /* all twelve have one value */
}

/* Ten variables of 60 cases; SHIFT is added to the first of the labelled ones. */
static double least_p(double shift, double *first)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	uint32_t label[60];
	struct ana_permute a = { .n = 60, .label = label, .n_groups = 2, .first = 1, .variables = all };
	double p[10], least = 1;

	for (uint32_t i = 0; i < 60; i++)
		label[i] = i % 3 == 0;
	for (guint v = 0; v < 10; v++) {
		GArray *values = variable();

		for (uint32_t i = 0; i < 60; i++)
			put(values, i, -log(even()) + (v == 0 && label[i] ? shift : 0));
		g_ptr_array_add(all, values);
	}
	g_assert_true(ana_permute(&a, NULL, p, NULL));
	for (guint v = 0; v < 10; v++)
		least = fmin(least, p[v]);
	*first = p[0];
	return least;
}

static void test_corrected(void)
{
	guint wrong = 0, right = 0;
	double first;

	state = 1;
	for (guint run = 0; run < 200; run++)
		wrong += least_p(0, &first) <= 0.05;
	g_assert_cmpuint(wrong, <=, 20);
	for (guint run = 0; run < 50; run++) {
		least_p(2, &first);
		right += first <= 0.01;
	}
	g_assert_cmpuint(right, >=, 47);
}

/* Twenty groups without a difference, of which the slowest is picked: the choice alone is no difference. */
static void test_chosen(void)
{
	guint wrong = 0;

	state = 5;
	for (guint run = 0; run < 200; run++) {
		g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
		GArray *values = variable();
		uint32_t label[100];
		double by[100], p;
		struct ana_permute a = { .n = 100,
			.label = label,
			.n_groups = 20,
			.first = UINT32_MAX,
			.by = by,
			.variables = all };

		for (uint32_t i = 0; i < 100; i++) {
			label[i] = i % 20;
			by[i] = -log(even());
			put(values, i, by[i]);
		}
		g_ptr_array_add(all, values);
		g_assert_true(ana_permute(&a, NULL, &p, NULL));
		wrong += p <= 0.05;
	}
	g_assert_cmpuint(wrong, <=, 20);
}

static void test_cancelled(void)
{
	static const uint32_t label[5] = { 0, 1, 0, 1, 0 };
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	struct ana_permute a = { .n = 5, .label = label, .n_groups = 2, .first = 1, .variables = all };
	struct base_progress progress;
	double p = 0;

	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_ptr_array_add(all, variable());
	put(g_ptr_array_index(all, 0), 1, 1);
	g_assert_false(ana_permute(&a, NULL, &p, &progress));
	g_assert_true(isnan(p));
}

static double ranks_p(const int64_t *values, guint n, const bool *in, bool longer)
{
	struct ana_ranks *r = ana_ranks_new(values, n);
	double p = ana_ranks_p(r, in, longer);

	ana_ranks_free(r);
	return p;
}

/* Each choice of nine numbers in turn: P is the share of choices of that size whose rank sum is as large. */
static void test_ranks_counted(void)
{
	static const int64_t values[9] = { 70, 10, 50, 50, 90, 20, 50, 30, 80 };
	/* By hand, twice the rank, the largest 2; equal numbers have the mean of their ranks. */
	static const guint places[9] = { 6, 18, 10, 10, 2, 16, 10, 14, 4 };

	for (unsigned mask = 1; mask < 511; mask++) {
		guint sum = 0, all = 0, large = 0, small = 0;
		bool in[9];

		for (guint i = 0; i < 9; i++)
			sum += (in[i] = mask >> i & 1) ? places[i] : 0;
		for (unsigned other = 1; other < 511; other++) {
			guint of = 0;

			if (__builtin_popcount(other) != __builtin_popcount(mask))
				continue;
			for (guint i = 0; i < 9; i++)
				of += other >> i & 1 ? places[i] : 0;
			all++;
			large += of <= sum;
			small += of >= sum;
		}
		/* Only a small share must be exact. */
		if (large * 10 <= all)
			g_assert_cmpfloat(fabs(ranks_p(values, 9, in, true) - (double)large / all), <, 1e-9);
		else
			g_assert_cmpfloat(ranks_p(values, 9, in, true), >, 0.05);
		if (small * 10 <= all)
			g_assert_cmpfloat(fabs(ranks_p(values, 9, in, false) - (double)small / all), <, 1e-9);
	}
}

/* The three longest of a hundred: one choice of 161 700.  For many numbers both ways of counting agree. */
static void test_ranks_many(void)
{
	int64_t values[200];
	bool in[200] = { false };
	double exact, normal;

	for (guint i = 0; i < 200; i++)
		values[i] = 1000 - (int64_t)i;
	in[0] = in[1] = in[2] = true;
	g_assert_cmpfloat(fabs(ranks_p(values, 100, in, true) * 161700 - 1), <, 1e-6);
	g_assert_cmpfloat(ranks_p(values, 100, in, false), >, 0.99);
	for (guint i = 0; i < 200; i++)
		in[i] = i % 3 == 0 && i < 150;
	exact = ranks_p(values, 200, in, true); /* 50 of 200: counted */
	for (guint i = 150; i < 195; i++)
		in[i] = i % 3 == 0;
	normal = ranks_p(values, 200, in, true); /* 65: by the normal distribution */
	g_assert_cmpfloat(exact, >, 1e-4);
	g_assert_cmpfloat(exact, <, 4e-3);
	g_assert_cmpfloat(normal, >, 0.2);
	memset(in, 0, sizeof in);
	g_assert_cmpfloat(ranks_p(values, 200, in, true), ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/permute/counted", test_counted);
	g_test_add_func("/permute/corrected", test_corrected);
	g_test_add_func("/permute/chosen", test_chosen);
	g_test_add_func("/permute/cancelled", test_cancelled);
	g_test_add_func("/ranks/counted", test_ranks_counted);
	g_test_add_func("/ranks/many", test_ranks_many);
	return g_test_run();
}
