/* SPDX-License-Identifier: MIT */
/* Comparisons against the results of ministat(1) and R (t.test, wilcox.test) for the same numbers, and of
 * few numbers against all ways to share them out, gone through one by one. */
#include "analysis/kind/difference.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static GArray *sorted(const int64_t *values, guint n)
{
	GArray *a = g_array_new(FALSE, FALSE, sizeof(int64_t));

	g_array_append_vals(a, values, n);
	g_array_sort(a, by_value);
	return a;
}

static void check(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-6 * fabs(expected)))
		g_error("%.12g is not %.12g", got, expected);
}

static const int64_t iguana[] = { 50, 200, 150, 400, 750, 400, 150 },
		     chameleon[] = { 150, 400, 720, 500, 930 };

/* ministat -c 80: "Difference at 80.0% confidence 240 +/- 212.215"; at 95 % none is proven.  They are too
 * few to be shown normal: of all 792 ways to take 7 of the 12, 149 have means as far apart. */
static void test_few(void)
{
	GArray *a = sorted(iguana, G_N_ELEMENTS(iguana)), *b = sorted(chameleon, G_N_ELEMENTS(chameleon));
	struct ana_difference d = ana_difference_of(a, b, 0.8);

	check(d.by, 240);
	g_assert_cmpfloat(fabs(d.error - 212.215), <, 0.05); /* its table of t has three digits */
	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_RANKS);
	check(d.p, 149.0 / 792);
	check(ana_difference_of(a, b, 0.95).error, 240 + 104.63893128442);
	check(ana_difference_of(b, a, 0.95).by, -240);
	g_array_unref(a);
	g_array_unref(b);
}

/* t.test(b, a, var.equal = TRUE) of R. */
static void test_t(void)
{
	static const int64_t x[] = { 1021, 1054, 987, 1003, 1040, 962, 1011, 998, 1033, 975, 1008 },
			     y[] = { 1044, 1019, 1062, 1031, 1007, 1071, 1028, 1050, 1036 };
	GArray *a = sorted(x, G_N_ELEMENTS(x)), *b = sorted(y, G_N_ELEMENTS(y));
	struct ana_difference d = ana_difference_of(a, b, 0.95);

	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_T);
	check(d.by, 30.3030303030304);
	check(d.p, 0.0139304647544177);
	check(d.by - d.error, 6.92918292777831);
	check(d.by + d.error, 53.6768776782824);
	g_array_unref(a);
	g_array_unref(b);
}

static double p_of(const int64_t *x, guint n, const int64_t *y, guint m)
{
	GArray *a = sorted(x, n), *b = sorted(y, m);
	struct ana_difference d = ana_difference_of(a, b, 0.95);

	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_RANKS);
	g_assert_true(d.p >= ana_difference_least(n, m) * (1 - 1e-9) || n != m);
	g_array_unref(a);
	g_array_unref(b);
	return d.p;
}

/* Few numbers, all of one set above all of the other: whatever the distance and the spread, 2 of 6 ways to
 * share them out (2 of 20, 2 of 70) are as extreme, for 2 (3, 4) numbers in each set. */
static void test_fewer(void)
{
	static const int64_t low[] = { 100, 101, 102, 103 }, high[] = { 9000, 9001, 9002, 9003 },
			     flat[] = { 5, 5, 5, 5 }, above[] = { 9, 9, 9, 9 }, mixed[] = { 5, 5, 9, 9 },
			     odd[] = { 1, 4, 6, 9, 12, 13, 15 }, even[] = { 5, 8, 10, 14, 16, 17, 18, 20 };

	for (guint n = 2; n <= 4; n++) {
		double least = n == 2 ? 1.0 / 3 : n == 3 ? 0.1 : 2.0 / 70;

		check(p_of(low, n, high, n), least);
		check(p_of(flat, n, above, n), least);
		check(p_of(above, n, flat, n), least);
		check(ana_difference_least(n, n), least);
	}
	check(p_of(flat, 3, mixed, 4), 15.0 / 35);
	check(p_of(flat, 4, flat, 3), 1);
	check(p_of(odd, 7, even, 8), 0.0938616938616939); /* wilcox.test of R */
	check(ana_difference_least(1, 2), 2.0 / 3);
	check(ana_difference_least(0, 5), 1);
	g_assert_cmpfloat(ana_difference_least(1000, 1000), <, 1e-8);
}

/* Many numbers without any spread differ for sure; their deviation is unknown. */
static void test_flat(void)
{
	int64_t x[30], y[30];
	GArray *a, *b;
	struct ana_difference d;

	for (guint i = 0; i < 30; i++) {
		x[i] = 5;
		y[i] = 9;
	}
	a = sorted(x, 30);
	b = sorted(y, 30);
	d = ana_difference_of(a, b, 0.95);
	check(d.by, 4);
	g_assert_true(isnan(d.error));
	g_assert_cmpfloat(d.p, <, 1e-9);
	g_array_unref(a);
	g_array_unref(b);
}

/* Made by R: set.seed(1); floor(rexp(40) * 1000), floor(rexp(30) * 1700). */
static void test_ranks(void)
{
	static const int64_t x[] = { 755, 1181, 145, 139, 436, 2894, 1229, 539, 956, 147, 1390, 762, 1237,
		4423, 1054, 1035, 1876, 654, 336, 588, 2364, 641, 294, 565, 106, 59, 578, 3958, 1173, 996,
		1435, 37, 324, 1320, 203, 1022, 301, 725, 751, 235 };
	static const int64_t y[] = { 1835, 1748, 2196, 2130, 942, 512, 2198, 1690, 874, 3413, 717, 3703, 5470,
		948, 1010, 1661, 356, 526, 1880, 1316, 152, 1883, 420, 2672, 8215, 732, 4641, 1932, 1382,
		1422 };
	GArray *a = sorted(x, G_N_ELEMENTS(x)), *b = sorted(y, G_N_ELEMENTS(y));
	struct ana_difference d = ana_difference_of(a, b, 0.95);

	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_RANKS);
	check(d.p, 0.00103274362407894);
	check(d.by - d.error, 335.347289159131);
	check(d.by + d.error, 1626.569377507535);
	g_array_unref(a);
	g_array_unref(b);
}

/* Equal samples do not differ; too few numbers give no result. */
static void test_none(void)
{
	static const int64_t same[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	GArray *a = sorted(same, G_N_ELEMENTS(same)), *one = sorted(same, 1), *none = sorted(same, 0);
	struct ana_difference d = ana_difference_of(a, a, 0.95);

	g_assert_cmpfloat(d.by, ==, 0);
	g_assert_true(isnan(d.error));
	g_assert_cmpfloat(d.p, ==, 1);
	d = ana_difference_of(one, a, 0.95);
	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_NONE);
	g_assert_true(isnan(d.p) && isnan(d.error));
	g_assert_true(isnan(ana_difference_of(none, a, 0.95).by));
	g_assert_cmpfloat(ana_difference_corrected(0.01, 5), ==, 0.05);
	g_assert_cmpfloat(ana_difference_corrected(0.3, 5), ==, 1);
	g_array_unref(a);
	g_array_unref(one);
	g_array_unref(none);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/difference/t", test_t);
	g_test_add_func("/difference/few", test_few);
	g_test_add_func("/difference/fewer", test_fewer);
	g_test_add_func("/difference/flat", test_flat);
	g_test_add_func("/difference/ranks", test_ranks);
	g_test_add_func("/difference/none", test_none);
	return g_test_run();
}
