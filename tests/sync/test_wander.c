/* SPDX-License-Identifier: MIT */
/* Made clocks that no single line describes: the reported error always contains the truth. */
#include "sync/sync_hosts.h"
#include "sync/sync_hosts_parts.h"

#include <stdlib.h>

#define US INT64_C(1000)
#define MS (1000 * US)
#define S (1000 * MS)
#define EPOCH (INT64_C(1800000000) * S)

static int64_t begin = EPOCH; /* of all worlds made, by the reference's clock */

/* The times of both clocks at instant T; linear between knots. */
struct knot {
	int64_t t, reference, host;
};

struct world {
	GArray *knots; /* of struct knot */
	GArray *pairs; /* of struct sync_pair: 0 the reference, 1 the host */
	struct sync_hosts *h;
};

static const struct knot *knot_of(const struct world *w, guint i)
{
	return &g_array_index(w->knots, struct knot, i);
}

/* Append a knot: after it the clocks jump by so many ns, then gain so many ppb for SPAN. */
static void go_on(struct world *w, int64_t span, int64_t reference_ppb, int64_t host_ppb,
	int64_t reference_jump, int64_t host_jump)
{
	struct knot k = w->knots->len > 0 ? *knot_of(w, w->knots->len - 1)
					  : (struct knot){ 0, begin, begin + 1234567890 };

	k.reference += reference_jump;
	k.host += host_jump;
	g_array_append_val(w->knots, k);
	k.t += span;
	k.reference += span + (int64_t)((sync_wide)span * reference_ppb / 1000000000);
	k.host += span + (int64_t)((sync_wide)span * host_ppb / 1000000000);
	g_array_append_val(w->knots, k);
}

/* The time of both at T. */
static struct knot at(const struct world *w, int64_t t)
{
	guint low = 0, high = w->knots->len - 1;
	const struct knot *a, *b;

	while (high - low > 1) {
		guint middle = low + (high - low) / 2;

		if (knot_of(w, middle)->t <= t)
			low = middle;
		else
			high = middle;
	}
	a = knot_of(w, low);
	b = knot_of(w, high);
	if (a->t == b->t)
		return *b;
	return (struct knot){
		t,
		a->reference +
			(int64_t)((sync_wide)(b->reference - a->reference) * (t - a->t) / (b->t - a->t)),
		a->host + (int64_t)((sync_wide)(b->host - a->host) * (t - a->t) / (b->t - a->t)),
	};
}

/* A message about every GAP from T0 to T1. Each takes at least FLOOR to the host and half of that back,
 * mostly up to 1 ms more. */
static void talk(struct world *w, GRand *rand, int64_t t0, int64_t t1, int64_t gap, int64_t floor)
{
	for (int64_t t = t0; t < t1 - 20 * MS; t += 1 + (int64_t)(g_rand_double(rand) * 2 * (double)gap)) {
		bool from_host = g_rand_boolean(rand);
		int64_t way = (from_host ? floor / 2 : floor) +
			(int64_t)(g_rand_double(rand) * g_rand_double(rand) * (double)MS);
		struct knot sent = at(w, t), received = at(w, t + way);
		struct sync_pair p = {
			.sender = from_host,
			.receiver = !from_host,
			.sent = from_host ? sent.host : sent.reference,
			.received = from_host ? received.reference : received.host,
		};

		g_array_append_val(w->pairs, p);
	}
}

static struct world *world_new(void)
{
	struct world *w = g_new0(struct world, 1);

	w->knots = g_array_new(FALSE, FALSE, sizeof(struct knot));
	w->pairs = g_array_new(FALSE, FALSE, sizeof(struct sync_pair));
	return w;
}

/* Like sync_hosts_new() when packets are matched. */
static void find(struct world *w)
{
	struct sync_source sources[2] = { { 0 }, { 0 } };
	const struct knot *first = knot_of(w, 0), *last = knot_of(w, w->knots->len - 1);
	struct sync_span spans[2] = { { first->reference, last->reference }, { first->host, last->host } };
	struct sync_edges *edges = sync_edges_new();
	struct sync_recount *recount;

	w->h = sync_hosts_new_empty(2);
	for (guint i = 0; i < w->pairs->len; i++) {
		const struct sync_pair *p = &g_array_index(w->pairs, struct sync_pair, i);

		sync_edges_add(edges, p->sender, p->sent, p->receiver, p->received);
	}
	sync_edges_finish(edges);
	sync_reach(w->h, sources, spans, edges);
	recount = sync_recount_new(w->h, sources, edges);
	for (guint i = 0; i < w->pairs->len; i++)
		sync_recount_pair(recount, &g_array_index(w->pairs, struct sync_pair, i));
	sync_recount_finish(recount, spans);
	sync_edges_free(edges);
}

static void world_free(struct world *w)
{
	g_array_unref(w->knots);
	g_array_unref(w->pairs);
	sync_hosts_unref(w->h);
	g_free(w);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * At random instants, except while the host sleeps (SLEEP_FROM to SLEEP_TO), the truth is within the reported
 * error plus UNSEEN, and usually that error is at most USUAL.
 */
static void check(const struct world *w, int64_t usual, int64_t unseen, int64_t sleep_from, int64_t sleep_to)
{
	const struct sync_host *host = &w->h->hosts[1];
	GArray *errors = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int64_t end = knot_of(w, w->knots->len - 1)->t;

	g_assert_nonnull(host->clock);
	g_assert_cmpuint(host->violations_after, ==, 0);
	g_assert_true(sync_bounds_are_valid(host->bounds));
	for (int64_t t = 0; t <= end; t += end / 9973) {
		struct knot truth = at(w, t);
		int64_t shown, error;

		if (t >= sleep_from && t <= sleep_to)
			continue;
		shown = sync_clock_reference(host->clock, truth.host);
		error = sync_hosts_error(w->h, 1, 0, shown);
		g_assert_cmpint(llabs(shown - truth.reference), <=,
			error == INT64_MAX ? error : error + unseen + 3);
		g_assert_cmpint(error, <=, host->error_max == INT64_MAX ? INT64_MAX : host->error_max + 3);
		g_array_append_val(errors, error);
	}
	qsort(errors->data, errors->len, sizeof(int64_t), by_value);
	g_assert_cmpint(g_array_index(errors, int64_t, errors->len / 2), <=, usual);
	g_array_unref(errors);
}

static void test_slew(void)
{
	GRand *rand = g_rand_new_with_seed(1);

	for (unsigned i = 0; i < 40; i++) {
		struct world *w = world_new();
		int64_t slew = (i % 2 ? 500000 : -500000);

		go_on(w, 30 * S, 0, 20000, 0, 0);
		go_on(w, (1 + i % 7) * S, 0, 20000 + slew, 0, 0);
		go_on(w, 30 * S, 0, 20000, 0, 0);
		talk(w, rand, 0, knot_of(w, 5)->t, (5 + 10 * (i % 3)) * MS, (i % 4 + 1) * 50 * US);
		find(w);
		g_assert_cmpuint(w->h->hosts[1].clock->lines->len, >, 1);
		check(w, MS, 0, INT64_MAX, INT64_MAX);
		world_free(w);
	}
	g_rand_free(rand);
}

/* Either clock steps, so the difference steps forwards or backwards. */
static void test_step(void)
{
	GRand *rand = g_rand_new_with_seed(2);

	for (unsigned i = 0; i < 40; i++) {
		struct world *w = world_new();

		go_on(w, 20 * S, 0, -70000, 0, 0);
		go_on(w, 20 * S, 0, -70000, i % 2 ? S : 0, i % 2 ? 0 : S);
		talk(w, rand, 0, 20 * S, 10 * MS, 100 * US);
		talk(w, rand, 20 * S + (i % 5) * S, 40 * S, 10 * MS, 100 * US);
		find(w);
		g_assert_cmpuint(w->h->hosts[1].clock->lines->len, ==, 2);
		check(w, MS, 0, INT64_MAX, INT64_MAX);
		world_free(w);
	}
	g_rand_free(rand);
}

/* Clocks never set may show times before 1970. */
static void test_before_epoch(void)
{
	begin = -EPOCH;
	test_step();
	begin = EPOCH;
}

/* The host and its clock sleep for an hour. */
static void test_suspend(void)
{
	GRand *rand = g_rand_new_with_seed(3);

	for (unsigned i = 0; i < 20; i++) {
		struct world *w = world_new();

		go_on(w, 20 * S, 0, 10000, 0, 0);
		go_on(w, 3600 * S, 0, -1000000000, 0, 0);
		go_on(w, 20 * S, 0, 10000, 0, 0);
		talk(w, rand, 0, (19 + i % 2) * S, 10 * MS, 100 * US);
		talk(w, rand, 3620 * S + (i % 3) * S, 3640 * S, 10 * MS, 100 * US);
		find(w);
		g_assert_cmpuint(w->h->hosts[1].clock->lines->len, ==, 2);
		check(w, INT64_MAX, 0, 20 * S, 3620 * S);
		world_free(w);
	}
	g_rand_free(rand);
}

/* For ten minutes the rate changes every second by up to MOST parts of 10^9. Returns the number of lines. */
static guint walk(GRand *rand, int64_t most, int64_t round_trip)
{
	struct world *w = world_new();
	int64_t ppb = 30000;
	guint lines;

	for (unsigned k = 0; k < 600; k++) {
		ppb += g_rand_int_range(rand, (gint32)-most, (gint32)most + 1);
		go_on(w, S, 0, ppb, 0, 0);
	}
	talk(w, rand, 0, 600 * S, 20 * MS, round_trip * 2 / 3);
	find(w);
	lines = w->h->hosts[1].clock->lines->len;
	/* If one line fits by chance, the clock has bent by less than the quickest round trip, which no
	 * packet shows. */
	check(w, MS, lines == 1 ? round_trip : 0, INT64_MAX, INT64_MAX);
	world_free(w);
	return lines;
}

static void test_walk(void)
{
	GRand *rand = g_rand_new_with_seed(4);
	unsigned several = 0;

	for (unsigned i = 0; i < 30; i++)
		several += walk(rand, 20 + 200 * (i % 5), 150 * US) > 1;
	g_assert_cmpuint(several, >, 20);
	g_rand_free(rand);
}

/* A clock that is set N times in as many tenths of a second. */
static struct world *restless(unsigned n)
{
	GRand *rand = g_rand_new_with_seed(5);
	struct world *w = world_new();

	for (unsigned k = 0; k < n; k++)
		go_on(w, 100 * MS, 0, 0, 0, k % 2 ? 10 * MS : -10 * MS);
	talk(w, rand, 0, (int64_t)n * 100 * MS, 4 * MS, 100 * US);
	find(w);
	g_rand_free(rand);
	return w;
}

/* Clocks of many lines are also written as text and read again. */
static void test_restless(void)
{
	static const char *const names[] = { "reference", "host" };
	struct world *w = restless(2000);
	GString *text = g_string_new(NULL);
	const struct knot *first, *last;
	struct sync_hosts *read;
	GError *error = NULL;

	g_assert_cmpuint(w->h->hosts[1].clock->lines->len, >, 1500);
	sync_file_write(text, w->h, names, NULL);
	first = knot_of(w, 0);
	last = knot_of(w, w->knots->len - 1);
	read = sync_file_read(text->str, text->len, names,
		(struct sync_span[]){ { first->reference, last->reference }, { first->host, last->host } }, 2,
		&error);
	g_assert_no_error(error);
	g_assert_cmpuint(read->hosts[1].clock->lines->len, ==, w->h->hosts[1].clock->lines->len);
	sync_hosts_unref(read);
	g_string_free(text, TRUE);
	world_free(w);
}

/* The number of lines is limited: a clock that needs more than anyone could use or store is not
 * determined. */
static void test_too_restless(void)
{
	struct world *w = restless(SYNC_LINES_MAX + 1);

	g_assert_null(w->h->hosts[1].clock);
	g_assert_cmpint(w->h->hosts[1].quality, ==, SYNC_FAIL);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/wander/slew", test_slew);
	g_test_add_func("/sync/wander/step", test_step);
	g_test_add_func("/sync/wander/before the Epoch", test_before_epoch);
	g_test_add_func("/sync/wander/suspend", test_suspend);
	g_test_add_func("/sync/wander/walk", test_walk);
	g_test_add_func("/sync/wander/restless", test_restless);
	g_test_add_func("/sync/wander/too restless", test_too_restless);
	return g_test_run();
}
