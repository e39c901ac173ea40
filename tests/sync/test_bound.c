/* SPDX-License-Identifier: MIT */
/* The bounds of a clock at an instant, compared with all lines that no message contradicts through two
 * messages, or through one message with the largest rate. */
#include "sync/sync_fit.h"

#include <math.h>
#include <stdlib.h>

#define MESSAGES_MAX 12

struct message {
	int64_t host, reference;
	bool from_host;
};

/* A line through (x, z), z ns ahead, of rate NUM / DEN, DEN > 0. */
struct candidate {
	int64_t x, z, num, den;
};

static int by_host(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	return x->host < y->host ? -1 : 1;
}

static int64_t ahead(const struct message *m)
{
	return m->reference - m->host;
}

/* N messages at different times, delays up to LATE; after the middle the clock is STEP ahead. */
static unsigned make(GRand *rand, struct message *all, unsigned n, int64_t late, int64_t step)
{
	int64_t rate = g_rand_int_range(rand, -600, 600); /* ppm */

	for (unsigned i = 0; i < n; i++) {
		int64_t t = (int64_t)i * 100000 + g_rand_int_range(rand, 0, 90000),
			delay = g_rand_int_range(rand, 1, (gint32)late);

		all[i].from_host = g_rand_boolean(rand);
		all[i].host = t;
		all[i].reference = 5000000 + t + t * rate / 1000000 + (i >= n / 2 ? step : 0) +
			(all[i].from_host ? delay : -delay);
	}
	qsort(all, n, sizeof *all, by_host);
	return n;
}

static bool fits(const struct message *all, unsigned n, const struct candidate *c)
{
	if ((sync_wide)llabs(c->num) * 512 > c->den)
		return false;
	for (unsigned i = 0; i < n; i++) {
		sync_wide line = (sync_wide)c->num * (all[i].host - c->x),
			  message = (sync_wide)(ahead(&all[i]) - c->z) * c->den;

		if (all[i].from_host ? line > message : line < message)
			return false;
	}
	return true;
}

static void try(const struct message *all, unsigned n, const struct candidate *c, int64_t x, double *low,
	double *high)
{
	double v = (double)c->z + (double)c->num * (double)(x - c->x) / (double)c->den;

	if (!fits(all, n, c))
		return;
	*low = MIN(*low, v);
	*high = MAX(*high, v);
}

/* The lowest and highest value at X of all lines that fit. */
static void search(const struct message *all, unsigned n, int64_t x, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (unsigned i = 0; i < n; i++) {
		for (int sign = -1; sign <= 1; sign += 2)
			try(all, n, &(struct candidate){ all[i].host, ahead(&all[i]), sign, 512 }, x, low,
				high);
		for (unsigned j = i + 1; j < n; j++)
			try(all, n,
				&(struct candidate){ all[i].host, ahead(&all[i]),
					ahead(&all[j]) - ahead(&all[i]), all[j].host - all[i].host },
				x, low, high);
	}
}

static const struct sync_piece *piece_of(const struct sync_fit *f, guint i)
{
	return &g_array_index(sync_fit_pieces(f), struct sync_piece, i);
}

/* Like search(), for the messages of piece K. */
static void search_piece(const struct sync_fit *f, guint k, const struct message *all, unsigned n, int64_t x,
	double *low, double *high)
{
	unsigned begin = 0, end = 0;

	for (unsigned i = 0; i < n; i++) {
		begin += all[i].host < piece_of(f, k)->first;
		end += all[i].host <= piece_of(f, k)->last;
	}
	search(all + begin, end - begin, x, low, high);
}

static void check(const struct sync_fit *f, const struct message *all, unsigned n, int64_t x)
{
	guint k = sync_fit_pieces(f)->len - 1;
	sync_wide low, high;
	double least, most, other_least, other_most;

	while (k > 0 && piece_of(f, k)->line.from > x)
		k--;
	search_piece(f, k, all, n, x, &least, &most);
	if (k + 1 < sync_fit_pieces(f)->len && x > piece_of(f, k)->line.seen) {
		search_piece(f, k + 1, all, n, x, &other_least, &other_most);
		least = MIN(least, other_least);
		most = MAX(most, other_most);
	}
	sync_bounds_at(sync_fit_bounds(f), x, &low, &high);
	g_assert_true(sync_bounds_are_valid(sync_fit_bounds(f)));
	g_assert_cmpfloat((double)(low - x), <=, least);
	g_assert_cmpfloat((double)(high - x), >=, most);
	g_assert_cmpfloat((double)(low - x), >, least - 1.01);
	g_assert_cmpfloat((double)(high - x), <, most + 1.01);
}

static void run(int64_t step, guint pieces_min, unsigned *checked)
{
	GRand *rand = g_rand_new_with_seed((guint32)step + 11);

	for (unsigned round = 0; round < 4000; round++) {
		struct message all[MESSAGES_MAX];
		unsigned n = make(rand, all, (unsigned)g_rand_int_range(rand, 2, MESSAGES_MAX + 1),
			round % 2 ? 300 : 5000, step);
		struct sync_fit *f = sync_fit_new();

		for (unsigned i = 0; i < n; i++)
			sync_fit_add(f, all[i].host, all[i].reference, all[i].from_host);
		sync_fit_finish(f);
		if (sync_fit_pieces(f)->len >= pieces_min) {
			for (int64_t x = -300000; x < 1500000; x += g_rand_int_range(rand, 1, 60000))
				check(f, all, n, x);
			++*checked;
		}
		sync_fit_free(f);
	}
	g_rand_free(rand);
}

static void test_one_line(void)
{
	unsigned checked = 0;

	run(0, 1, &checked);
	g_assert_cmpuint(checked, >, 3000);
}

static void test_several(void)
{
	unsigned checked = 0;

	run(-20000, 2, &checked);
	run(20000, 2, &checked);
	g_assert_cmpuint(checked, >, 2000);
}

/* Equal clocks with an offset: no error, at any instant. */
static void test_exact(void)
{
	GArray *bounds = sync_bounds_new();
	sync_wide low, high;

	sync_bounds_add_exact(bounds, INT64_C(1800000000000000000), -5);
	g_assert_true(sync_bounds_are_valid(bounds) && sync_bounds_are_exact(bounds));
	for (int64_t t = -1000; t <= 1000; t += 500) {
		sync_bounds_at(bounds, t, &low, &high);
		g_assert_true(low == high && low == (sync_wide)t - INT64_C(1800000000000000005));
	}
	g_array_unref(bounds);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/bound/one line", test_one_line);
	g_test_add_func("/sync/bound/several lines", test_several);
	g_test_add_func("/sync/bound/exact", test_exact);
	return g_test_run();
}
