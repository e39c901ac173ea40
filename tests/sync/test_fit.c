/* SPDX-License-Identifier: MIT */
/* Lines between clocks: compared with made clocks whose truth is known, and with a search over all pairs of
 * messages. */
#include "sync/sync_fit.h"

#include <stdlib.h>

#define MS INT64_C(1000000)
#define S (1000 * MS)

struct message {
	int64_t host, reference;
	bool from_host;
};

/* The host's clock at reference time T: it is OFFSET behind and loses PPB parts of 10^9. */
static int64_t host_clock(int64_t t, int64_t t0, int64_t offset, int64_t ppb)
{
	sync_wide d = (sync_wide)(t - t0) * (1000000000 + ppb) / 1000000000;

	return t0 + (int64_t)d - offset;
}

static int by_host(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	return x->host < y->host ? -1 : x->host > y->host;
}

/* N messages in both directions over SPAN ns; each takes 20 µs at least and up to LATE more. */
static GArray *make(GRand *rand, unsigned n, int64_t t0, int64_t span, int64_t offset, int64_t ppb,
	int64_t late)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct message));

	for (unsigned i = 0; i < n; i++) {
		int64_t sent = t0 + (int64_t)(g_rand_double(rand) * (double)span);
		int64_t received = sent + 20000 + (int64_t)(g_rand_double(rand) * (double)late);
		bool from_host = g_rand_boolean(rand);
		struct message m = { .from_host = from_host };

		m.host = host_clock(from_host ? sent : received, t0, offset, ppb);
		m.reference = from_host ? received : sent;
		g_array_append_val(all, m);
	}
	qsort(all->data, all->len, sizeof(struct message), by_host);
	return all;
}

static struct sync_fit *fit(const GArray *messages)
{
	struct sync_fit *f = sync_fit_new();

	for (guint i = 0; i < messages->len; i++) {
		const struct message *m = &g_array_index(messages, struct message, i);

		sync_fit_add(f, m->host, m->reference, m->from_host);
	}
	sync_fit_finish(f);
	return f;
}

static unsigned violations(const struct sync_clock *c, const GArray *messages)
{
	unsigned n = 0;

	for (guint i = 0; i < messages->len; i++) {
		const struct message *m = &g_array_index(messages, struct message, i);
		int64_t t = sync_clock_reference(c, m->host);

		n += m->from_host ? t > m->reference : t < m->reference;
	}
	return n;
}

static void check_truth(const struct sync_fit *f, const struct sync_clock *c, int64_t t, int64_t t0,
	int64_t offset, int64_t ppb)
{
	int64_t host = host_clock(t, t0, offset, ppb), found = sync_clock_reference(c, host);
	sync_wide low, high;

	sync_bounds_at(sync_fit_bounds(f), host, &low, &high);
	g_assert_true(low - 2 <= t && t <= high + 2); /* host_clock() rounds */
	g_assert_true(low - 1 <= found && found <= high);
}

static void test_truth(void)
{
	static const int64_t offsets[] = { 0, 1, -325 * S, 3316 * S, INT64_C(1700000000) * S };
	static const int64_t ppbs[] = { 0, 60000, -45000, 200000, -200000, 1 };
	GRand *rand = g_rand_new_with_seed(7);

	for (unsigned i = 0; i < 300; i++) {
		int64_t offset = offsets[i % G_N_ELEMENTS(offsets)], ppb = ppbs[i % G_N_ELEMENTS(ppbs)],
			t0 = INT64_C(1800000000) * S;
		GArray *messages = make(rand, 20 + i * 7, t0, 100 * S, offset, ppb, 5 * MS);
		struct sync_fit *f = fit(messages);
		struct sync_clock *c = sync_fit_clock(f);

		g_assert_nonnull(c);
		g_assert_cmpint(sync_fit_quality(f), ==, SYNC_ACCURATE);
		g_assert_cmpuint(sync_fit_pieces(f)->len, ==, 1);
		g_assert_cmpuint(violations(c, messages), ==, 0);
		for (int64_t t = t0 - 10 * S; t < t0 + 120 * S; t += 3 * S)
			check_truth(f, c, t, t0, offset, ppb);
		sync_clock_free(c);
		sync_fit_free(f);
		g_array_unref(messages);
	}
	g_rand_free(rand);
}

/* The least and the greatest rate that fit, from all pairs of messages. */
static void search(const GArray *messages, double *least, double *greatest)
{
	*least = -1.0 / 512;
	*greatest = 1.0 / 512;
	for (guint i = 0; i < messages->len; i++) {
		for (guint j = 0; j < messages->len; j++) {
			const struct message *l = &g_array_index(messages, struct message, i),
					     *u = &g_array_index(messages, struct message, j);
			double dx = (double)(u->host - l->host);
			double dz = (double)((u->reference - u->host) - (l->reference - l->host));

			if (l->from_host || !u->from_host)
				continue;
			if (dx > 0)
				*greatest = MIN(*greatest, dz / dx);
			if (dx < 0)
				*least = MAX(*least, dz / dx);
		}
	}
}

static void test_search(void)
{
	GRand *rand = g_rand_new_with_seed(8);

	for (unsigned i = 0; i < 500; i++) {
		GArray *messages = make(rand, 2 + i % 60, S, S, 17 * S, 100000, MS);
		struct sync_fit *f = fit(messages);
		double least, greatest;

		search(messages, &least, &greatest);
		if (sync_fit_pieces(f)->len > 0) {
			const struct sync_piece *p = &g_array_index(sync_fit_pieces(f), struct sync_piece, 0);

			g_assert_cmpuint(sync_fit_pieces(f)->len, ==, 1);
			g_assert_cmpfloat_with_epsilon((double)p->slow / 0x1p62, least, 1e-12);
			g_assert_cmpfloat_with_epsilon((double)p->fast / 0x1p62, greatest, 1e-12);
		}
		sync_fit_free(f);
		g_array_unref(messages);
	}
	g_rand_free(rand);
}

/* A step of the host's clock in the middle. */
static void test_step(void)
{
	GRand *rand = g_rand_new_with_seed(9);
	GArray *before = make(rand, 500, S, 10 * S, 5 * S, 20000, MS),
	       *after = make(rand, 500, 12 * S, 10 * S, 4 * S, -20000, MS);
	struct sync_fit *f;
	struct sync_clock *c;

	g_array_append_vals(before, after->data, after->len);
	f = fit(before);
	c = sync_fit_clock(f);
	g_assert_cmpuint(sync_fit_pieces(f)->len, ==, 2);
	g_assert_cmpuint(violations(c, before), ==, 0);
	sync_clock_free(c);
	sync_fit_free(f);
	g_array_unref(before);
	g_array_unref(after);
	g_rand_free(rand);
}

static void test_qualities(void)
{
	struct sync_fit *f = sync_fit_new();

	sync_fit_finish(f);
	g_assert_cmpint(sync_fit_quality(f), ==, SYNC_ABSENT);
	sync_fit_free(f);
	f = sync_fit_new();
	for (int64_t t = 0; t < 100; t++)
		sync_fit_add(f, t * MS, t * MS + 5, true);
	sync_fit_finish(f);
	g_assert_cmpint(sync_fit_quality(f), ==, SYNC_INCOMPLETE);
	g_assert_null(sync_fit_clock(f));
	sync_fit_free(f);
	f = sync_fit_new();
	sync_fit_add(f, 0, 5, true);
	sync_fit_add(f, 10, 12, false);
	sync_fit_finish(f);
	g_assert_cmpint(sync_fit_quality(f), ==, SYNC_APPROXIMATE);
	sync_fit_free(f);
	f = sync_fit_new();
	for (int64_t t = 0; t < 100; t++)
		sync_fit_add(f, t * MS, t * MS + (t % 2 ? 5 * MS : -5 * MS), t % 2 == 0);
	sync_fit_finish(f);
	g_assert_cmpint(sync_fit_quality(f), ==, SYNC_FAIL);
	sync_fit_free(f);
}

/* There and back: the first host time that shows a reference time, for lines that are fast, slow, or step
 * forwards and backwards. */
static void test_inverse(void)
{
	static const int64_t rates[] = { 0, SYNC_RATE_MAX, -SYNC_RATE_MAX, 12345678901234, -98765432109 };
	GRand *rand = g_rand_new_with_seed(10);

	for (unsigned i = 0; i < 2000; i++) {
		GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
		struct sync_clock *c;

		for (unsigned n = 0; n < 1 + i % 3; n++) {
			struct sync_line line = { .seen = (int64_t)n * 1000 + g_rand_int_range(rand, 0, 999),
				.from = n == 0 ? INT64_MIN : (int64_t)n * 1000,
				.origin = g_rand_int_range(rand, -5000, 5000),
				.rate = rates[(i + n) % G_N_ELEMENTS(rates)],
				.offset = (sync_wide)g_rand_int_range(rand, -900, 900) *
					((sync_wide)1 << 61) };
			g_array_append_val(lines, line);
		}
		c = sync_clock_new(lines);
		for (int64_t t = -3000; t < 4000; t += 7) {
			int64_t host = sync_clock_host(c, t);

			g_assert_cmpint(sync_clock_reference(c, host), >=, t);
			g_assert_cmpint(sync_clock_reference(c, host - 1), <, t);
			g_assert_cmpint(sync_clock_reference(c, t), <=, sync_clock_reference(c, t + 1));
		}
		sync_clock_free(c);
	}
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/truth", test_truth);
	g_test_add_func("/sync/all pairs", test_search);
	g_test_add_func("/sync/step", test_step);
	g_test_add_func("/sync/qualities", test_qualities);
	g_test_add_func("/sync/inverse", test_inverse);
	return g_test_run();
}
