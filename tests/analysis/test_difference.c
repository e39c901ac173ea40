/* SPDX-License-Identifier: MIT */
/* Comparisons against what ministat(1) and R (t.test, wilcox.test) say of the same numbers. */
#include "analysis/ana_difference.h"

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

/* ministat -c 80: "Difference at 80.0% confidence 240 +/- 212.215"; at 95 % none is proven. */
static void test_t(void)
{
	GArray *a = sorted(iguana, G_N_ELEMENTS(iguana)), *b = sorted(chameleon, G_N_ELEMENTS(chameleon));
	struct ana_difference d = ana_difference_of(a, b, 0.8);

	check(d.by, 240);
	g_assert_cmpfloat(fabs(d.error - 212.215), <, 0.05); /* its table of t has three digits */
	g_assert_cmpint(d.test, ==, ANA_DIFFERENCE_T);
	check(d.p, 0.151796815211075);
	check(ana_difference_of(a, b, 0.95).error, 240 + 104.63893128442);
	check(ana_difference_of(b, a, 0.95).by, -240);
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

/* What is the same differs by nothing; of too few numbers nothing is said. */
static void test_none(void)
{
	static const int64_t same[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	GArray *a = sorted(same, G_N_ELEMENTS(same)), *one = sorted(same, 1), *none = sorted(same, 0);
	struct ana_difference d = ana_difference_of(a, a, 0.95);

	g_assert_cmpfloat(d.by, ==, 0);
	g_assert_cmpfloat(d.error, ==, 0);
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
	g_test_add_func("/difference/ranks", test_ranks);
	g_test_add_func("/difference/none", test_none);
	return g_test_run();
}
