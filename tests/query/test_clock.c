/* SPDX-License-Identifier: MIT */
/* States, cells, names and spans by other clocks, compared with those by the hosts' own clocks, converted one
 * by one. */
#include "query/clock/clock.h"
#include "query/qry_clocks.h"
#include "query/clock/sync.h"
#include "query/qry_traces.h"

#include <string.h>

/* ---- times ---- */

static void check_times(struct qry_clocks *c)
{
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t host = (uint32_t)g_rand_int_range(c->rand, 0, 3);
		int64_t shown = qry_clocks_random(c, host), held = qry_clocks_held(c, host, shown);

		g_assert_cmpint(qry_shown_time(c->shown, host, held), ==, qry_clocks_show(c, host, held));
		g_assert_cmpint(qry_shown_time(c->shown, host, held + 1), ==,
			qry_clocks_show(c, host, held + 1));
		g_assert_cmpint(qry_host_time(c->shown, host, shown), ==,
			qry_clocks_held(c, host, shown - 1) + 1);
	}
	g_assert_cmpint(qry_shown_time(c->shown, 1, MDL_NEVER), ==, MDL_NEVER);
	g_assert_cmpint(qry_host_time(c->shown, 1, INT64_MIN), ==, INT64_MIN);
	g_assert_cmpint(qry_host_time(c->shown, 1, INT64_MAX), ==, INT64_MAX);
}

static void test_times(void)
{
	qry_clocks_for_all(check_times);
}

/* ---- spans, rows, gaps ---- */

static void check_spans(struct qry_clocks *c)
{
	int64_t from, to, first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < qry_host_count(c->shown); i++) {
		const struct qry_host *own = qry_host(c->own, i), *shown = qry_host(c->shown, i);

		g_assert_cmpint(own->from, ==, own->meta->from);
		g_assert_cmpint(shown->from, ==, qry_clocks_show(c, i, own->from));
		g_assert_cmpint(shown->to, ==, qry_clocks_show(c, i, own->to));
		g_assert_cmpint(shown->meta->from, ==, own->meta->from);
		g_assert_cmpuint(shown->gaps->len, ==, own->gaps->len);
		first = MIN(first, shown->from);
		last = MAX(last, shown->to);
	}
	qry_span(c->shown, &from, &to);
	g_assert_cmpint(from, ==, first);
	g_assert_cmpint(to, ==, last);
	for (uint32_t row = 0; row < qry_row_count(c->own); row++) {
		const struct qry_row *own = qry_row(c->own, row), *shown = qry_row(c->shown, row);

		g_assert_cmpint(shown->first, ==, qry_clocks_show(c, own->host, own->first));
		g_assert_cmpint(shown->last, ==, qry_clocks_show(c, own->host, own->last));
		g_assert_cmpuint(shown->process, ==, own->process);
	}
}

static void test_spans(void)
{
	qry_clocks_for_all(check_spans);
}

static void check_names(struct qry_clocks *c)
{
	for (uint32_t row = 0; row < qry_row_count(c->own); row++) {
		uint32_t host = qry_row(c->own, row)->host;

		for (unsigned i = 0; i < 20; i++) {
			int64_t time = qry_clocks_random(c, host);

			g_assert_cmpstr(qry_name_at(c->shown, row, time), ==,
				qry_name_at(c->own, row, qry_clocks_held(c, host, time)));
		}
	}
}

static void test_names(void)
{
	qry_clocks_for_all(check_names);
}

/* ---- states ---- */

/* All states of ROW, in shown time. */
static GArray *expected_states(const struct qry_clocks *c, uint32_t row)
{
	uint32_t host = qry_row(c->own, row)->host;
	GArray *own = qry_states(c->own, row, INT64_MIN, INT64_MAX),
	       *shown = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));

	for (guint i = 0; i < own->len; i++) {
		struct mdl_interval v = g_array_index(own, struct mdl_interval, i);

		v.from = qry_clocks_show(c, host, v.from);
		v.to = qry_clocks_show(c, host, v.to);
		if (v.from < v.to)
			g_array_append_val(shown, v);
	}
	g_array_unref(own);
	return shown;
}

static const struct mdl_interval *interval_of(const GArray *states, guint i)
{
	return &g_array_index(states, struct mdl_interval, i);
}

static bool same(const struct mdl_interval *a, const struct mdl_interval *b)
{
	return a->from == b->from && a->to == b->to && a->state == b->state && a->detail == b->detail &&
		a->aux == b->aux;
}

/* The states of ALL that touch [FROM, TO), cut to it. */
static GArray *cut_states(const GArray *all, int64_t from, int64_t to)
{
	GArray *part = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));

	for (guint i = 0; i < all->len; i++) {
		struct mdl_interval v = *interval_of(all, i);

		v.from = MAX(v.from, from);
		v.to = MIN(v.to, to);
		if (v.from < v.to)
			g_array_append_val(part, v);
	}
	return part;
}

static void expect_same(const GArray *a, const GArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++)
		g_assert_true(same(interval_of(a, i), interval_of(b, i)));
}

static void check_lists(struct qry_clocks *c)
{
	for (uint32_t row = 0; row < qry_row_count(c->own); row++) {
		GArray *all = expected_states(c, row), *got = qry_states(c->shown, row, INT64_MIN, INT64_MAX);
		uint32_t host = qry_row(c->own, row)->host;

		expect_same(got, all);
		for (guint i = 1; i < got->len; i++)
			g_assert_cmpint(interval_of(got, i)->from, ==, interval_of(got, i - 1)->to);
		g_array_unref(got);
		for (unsigned i = 0; i < 4; i++) {
			int64_t a = qry_clocks_random(c, host), b = qry_clocks_random(c, host);
			GArray *part = cut_states(all, MIN(a, b), MAX(a, b));

			got = qry_states(c->shown, row, MIN(a, b), MAX(a, b));
			expect_same(got, part);
			g_array_unref(got);
			g_array_unref(part);
		}
		g_array_unref(all);
	}
}

static void test_lists(void)
{
	qry_clocks_for_all(check_lists);
}

/* The state of ALL at TIME; NULL if there is none. */
static const struct mdl_interval *find(const GArray *all, int64_t time)
{
	guint low = 0, high = all->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (interval_of(all, middle)->to <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->len && interval_of(all, low)->from <= time ? interval_of(all, low) : NULL;
}

static void expect_at(const struct qry_clocks *c, uint32_t row, const GArray *all, int64_t time)
{
	const struct mdl_interval *want = find(all, time), *before = find(all, time - 1);
	struct mdl_interval got;

	g_assert_cmpint(qry_state_at(c->shown, row, time, &got), ==, !!want);
	g_assert_true(!want || same(&got, want));
	if (time > qry_row(c->shown, row)->last)
		before = all->len > 0 ? interval_of(all, all->len - 1) : NULL;
	g_assert_cmpint(qry_state_before(c->shown, row, time, &got), ==, !!before);
	g_assert_true(!before || same(&got, before));
}

static void check_instants(struct qry_clocks *c)
{
	for (uint32_t row = 0; row < qry_row_count(c->own); row++) {
		GArray *all = expected_states(c, row);

		for (unsigned i = 0; i < 20; i++)
			expect_at(c, row, all, qry_clocks_random(c, qry_row(c->own, row)->host));
		for (guint i = 0; i < all->len; i += 1 + all->len / 50)
			for (int k = -1; k <= 1; k++)
				expect_at(c, row, all, interval_of(all, i)->from + k);
		g_array_unref(all);
	}
}

static void test_instants(void)
{
	qry_clocks_for_all(check_instants);
}

/* ---- cells ---- */

/*
 * The cell [FROM, TO) of a row whose states are ALL: every part of it is in some state. Each share equals the
 * sum over the states, except that rounding may move each of their ends by a nanosecond.
 */
static void expect_cell(const GArray *all, int64_t from, int64_t to, const struct qry_cell *cell)
{
	GArray *part = cut_states(all, from, to);
	int64_t sums[MDL_ST_N] = { 0 }, whole = 0, got = 0;

	for (guint i = 0; i < part->len; i++) {
		sums[interval_of(part, i)->state] += interval_of(part, i)->to - interval_of(part, i)->from;
		whole += interval_of(part, i)->to - interval_of(part, i)->from;
	}
	for (unsigned s = 0; s < MDL_ST_N; s++) {
		got += cell->ns[s];
		g_assert_cmpint(cell->ns[s], >=, 0);
		g_assert_cmpint(ABS(cell->ns[s] - sums[s]), <=, 2 * (int64_t)part->len + 2);
	}
	g_assert_cmpint(got, ==, whole);
	if (part->len > 0)
		g_assert_cmpuint(cell->intervals, >=, 1);
	g_array_unref(part);
}

static void check_window(struct qry_clocks *c, uint32_t host)
{
	uint32_t rows[9], n = 0, columns = (uint32_t)g_rand_int_range(c->rand, 1, 200);
	int64_t from = qry_clocks_random(c, host);
	int64_t to = g_rand_boolean(c->rand) ? qry_clocks_random(c, host)
					     : from + (1 << g_rand_int_range(c->rand, 0, 30));
	struct qry_cell *cells = g_new(struct qry_cell, G_N_ELEMENTS(rows) * columns), one;

	if (from >= to)
		to = from + 1;
	while (n < G_N_ELEMENTS(rows))
		rows[n++] = (uint32_t)g_rand_int_range(c->rand, 0, (gint32)qry_row_count(c->own));
	qry_window(c->shown, rows, n, from, to, columns, cells);
	for (uint32_t i = 0; i < n; i++) {
		GArray *all = expected_states(c, rows[i]);

		for (uint32_t k = 0; k < columns; k += 1 + columns / 15) {
			int64_t begin = qry_column_time(from, to, columns, k),
				end = qry_column_time(from, to, columns, k + 1);

			expect_cell(all, begin, end, &cells[(gsize)i * columns + k]);
			qry_share(c->shown, rows[i], begin, end, &one);
			g_assert_true(begin == end ||
				memcmp(&one, &cells[(gsize)i * columns + k], sizeof one) == 0);
		}
		g_array_unref(all);
	}
	g_free(cells);
}

static void check_windows(struct qry_clocks *c)
{
	for (unsigned i = 0; i < 150; i++)
		check_window(c, i % 3);
}

static void test_windows(void)
{
	qry_clocks_for_all(check_windows);
}

/* A row's whole life, all of time, and a nanosecond each. */
static void check_shares(struct qry_clocks *c)
{
	for (uint32_t row = 0; row < qry_row_count(c->own); row++) {
		const struct qry_row *r = qry_row(c->shown, row);
		GArray *all = expected_states(c, row);
		struct qry_cell cell;

		qry_share(c->shown, row, r->first, r->last, &cell);
		expect_cell(all, r->first, r->last, &cell);
		qry_share(c->shown, row, INT64_MIN, INT64_MAX, &cell);
		expect_cell(all, INT64_MIN, INT64_MAX, &cell);
		for (unsigned i = 0; i < 10; i++) {
			int64_t time = qry_clocks_random(c, r->host);

			qry_share(c->shown, row, time, time + 1, &cell);
			expect_cell(all, time, time + 1, &cell);
		}
		/* CPUs always have a state, so a share in the wrong place shows up. */
		for (unsigned i = 0; r->type == MDL_ROW_CPU && i < 300; i++) {
			int64_t a = qry_clocks_random(c, r->host), b = qry_clocks_random(c, r->host);

			qry_share(c->shown, row, MIN(a, b), MAX(a, b), &cell);
			expect_cell(all, MIN(a, b), MAX(a, b), &cell);
		}
		g_array_unref(all);
	}
}

static void test_shares(void)
{
	qry_clocks_for_all(check_shares);
}

/* ---- errors ---- */

/*
 * The properties of the error at an instant, whatever the bounds. It is 0 against the host itself, equal both
 * ways, and over two hops the sum of both. Within the packets it never exceeds the reported worst error.
 * After the last packet it grows with the distance.
 */
static void check_errors(const struct qry *q, uint32_t far)
{
	const struct sync_hosts *clocks = qry_clocks(q);
	const struct qry_host *host = qry_host(q, far);
	int64_t length = host->to - host->from, before = 0, grown = 0;
	unsigned differ = 0;

	for (int i = 0; i <= 100; i++) {
		int64_t time = host->from + length / 100 * i, error = qry_clock_error(q, 0, far, time);
		uint32_t by = clocks->hosts[far].by;

		g_assert_cmpint(qry_clock_error(q, far, far, time), ==, 0);
		g_assert_cmpint(qry_clock_error(q, far, 0, time), ==, error);
		g_assert_cmpint(qry_clock_error(q, 0, by, time) + qry_clock_error(q, by, far, time), ==,
			error);
		g_assert_cmpint(error, >, 0);
		g_assert_cmpint(error, <=, qry_clock_error_worst(q));
		differ += i > 0 && error != before;
		before = error;
	}
	g_assert_cmpuint(differ, >, 50);
	for (int64_t later = length; later < 1000 * length; later *= 2) {
		int64_t error = qry_clock_error(q, 0, far, host->to + later);

		g_assert_cmpint(error - before, >=, grown - 16); /* rounding */
		grown = error - before;
		before = error;
	}
}

static void test_errors(void)
{
	struct qry *q = qry_traces_open("rpc-chain");
	struct sync_hosts *clocks = qry_sync_open(q, false, NULL, NULL);

	g_assert_cmpint(qry_clock_error(q, 0, 1, qry_host(q, 0)->from), ==, INT64_MAX);
	g_assert_cmpint(qry_clock_error(q, 1, 1, qry_host(q, 0)->from), ==, 0);
	g_assert_cmpint(qry_clock_error_worst(q), ==, INT64_MAX);
	g_assert_nonnull(clocks);
	qry_set_clocks(q, clocks);
	sync_hosts_unref(clocks);
	for (uint32_t host = 1; host < qry_host_count(q); host++)
		check_errors(q, host);
	qry_free(q);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/clock/times", test_times);
	g_test_add_func("/clock/spans", test_spans);
	g_test_add_func("/clock/names", test_names);
	g_test_add_func("/clock/lists", test_lists);
	g_test_add_func("/clock/instants", test_instants);
	g_test_add_func("/clock/windows", test_windows);
	g_test_add_func("/clock/shares", test_shares);
	g_test_add_func("/clock/errors", test_errors);
	return g_test_run();
}
