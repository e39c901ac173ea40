/* SPDX-License-Identifier: MIT */
/* Wake-ups of real traces: before, at, after and between instants, compared with a walk over all. */
#include "query/events/events.h"
#include "query/qry_traces.h"

static struct mdl_wakeup *wakeup_at(const GArray *all, guint i)
{
	return &g_array_index(all, struct mdl_wakeup, i);
}

static bool same(const struct mdl_wakeup *a, const struct mdl_wakeup *b)
{
	return a->time == b->time && a->rank == b->rank && a->waker == b->waker && a->ran_at == b->ran_at &&
		a->cpu == b->cpu;
}

/* The number of wake-ups of ALL before TIME. */
static guint count_before(const GArray *all, int64_t time)
{
	guint n = 0;

	while (n < all->len && wakeup_at(all, n)->time < time)
		n++;
	return n;
}

static void check_instant(struct qry *q, uint32_t row, const GArray *all, int64_t time)
{
	guint n = count_before(all, time);
	struct mdl_wakeup w;

	g_assert_cmpint(qry_wakeup_before(q, row, time, &w), ==, n > 0);
	g_assert_true(n == 0 || same(&w, wakeup_at(all, n - 1)));
	g_assert_cmpint(qry_wakeup_after(q, row, time, &w), ==, n < all->len);
	g_assert_true(n == all->len || same(&w, wakeup_at(all, n)));
	g_assert_cmpint(qry_wakeup_at(q, row, time, &w), ==, n < all->len && wakeup_at(all, n)->time == time);
}

static void check_between(struct qry *q, uint32_t row, const GArray *all, int64_t from, int64_t to)
{
	GArray *some = qry_wakeups(q, row, from, to);
	guint first = count_before(all, from), last = MAX(first, count_before(all, to));

	g_assert_cmpuint(some->len, ==, last - first);
	for (guint i = 0; i < some->len; i++)
		g_assert_true(same(wakeup_at(some, i), wakeup_at(all, first + i)));
	g_array_unref(some);
}

/* Guarantees of the model for each wake-up. */
static void check_sense(struct qry *q, uint32_t row, const GArray *all)
{
	const struct qry_row *r = qry_row(q, row);

	for (guint i = 0; i < all->len; i++) {
		const struct mdl_wakeup *w = wakeup_at(all, i);

		g_assert_cmpint(w->time, >=, i > 0 ? w[-1].time : r->first);
		g_assert_cmpint(w->time, <=, r->last);
		g_assert_true(w->since == MDL_NEVER || w->since <= w->time);
		g_assert_true(w->ran_at == MDL_NEVER || w->ran_at >= w->time);
		for (unsigned c = 0; c < w->n_contexts; c++)
			g_assert_cmpint(w->contexts[c].entry, <=, w->time);
		if (w->waker == MDL_NONE)
			continue;
		g_assert_cmpuint(qry_row(q, w->waker)->host, ==, r->host);
		g_assert_cmpint(qry_row(q, w->waker)->type, ==, MDL_ROW_THREAD);
	}
}

static void check_row(struct qry *q, uint32_t row, GRand *rand)
{
	GArray *all = qry_wakeups(q, row, INT64_MIN, INT64_MAX);

	g_assert_cmpuint(all->len, ==, qry_wakeup_count(q, row));
	check_sense(q, row, all);
	check_instant(q, row, all, INT64_MIN);
	check_instant(q, row, all, INT64_MAX);
	for (guint i = 0; i < MIN(all->len, 40); i++) {
		int64_t a = wakeup_at(all, (guint)g_rand_int_range(rand, 0, (gint32)all->len))->time +
			g_rand_int_range(rand, -1, 2);
		int64_t b = wakeup_at(all, (guint)g_rand_int_range(rand, 0, (gint32)all->len))->time +
			g_rand_int_range(rand, -1, 2);

		check_instant(q, row, all, a);
		check_between(q, row, all, a, b);
	}
	g_array_unref(all);
}

/* The last event has the trace's end as its time; none comes after it. */
static void check_events(struct qry *q, uint32_t host)
{
	const struct idx_meta *m = qry_host(q, host)->meta;
	int64_t time, before = m->from;

	g_assert_false(qry_event_time(q, host, 0, &time, NULL));
	g_assert_false(qry_event_time(q, host, m->events + 1, &time, NULL));
	for (uint64_t rank = 1; rank <= m->events; rank += 1 + m->events / 200) {
		g_assert_true(qry_event_time(q, host, rank, &time, NULL));
		g_assert_cmpint(time, >=, before);
		g_assert_cmpint(time, <=, m->to);
		before = time;
	}
	g_assert_true(qry_event_time(q, host, 1, &time, NULL));
	g_assert_cmpint(time, ==, m->from);
	g_assert_true(qry_event_time(q, host, m->events, &time, NULL));
	g_assert_cmpint(time, ==, m->to);
}

static void test_all(void)
{
	GRand *rand = g_rand_new_with_seed(23);

	for (const char *const *t = qry_traces; *t; t++) {
		struct qry *q = qry_traces_open(*t);
		uint64_t sum = 0;

		for (uint32_t row = 0; row < qry_row_count(q); row++) {
			check_row(q, row, rand);
			sum += qry_wakeup_count(q, row);
		}
		for (uint32_t host = 0; host < qry_host_count(q); host++)
			check_events(q, host);
		g_assert_cmpuint(sum, >, 50);
		g_assert_no_error(qry_damage(q));
		qry_free(q);
	}
	g_rand_free(rand);
}

/* Every wake-up of a thread by a thread has the time of the event of its rank. */
static void test_ranks(void)
{
	struct qry *q = qry_traces_open("pipeline");
	unsigned seen = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		GArray *all = qry_wakeups(q, row, INT64_MIN, INT64_MAX);

		for (guint i = 0; i < all->len; i++) {
			const struct mdl_wakeup *w = wakeup_at(all, i);
			int64_t time;

			if (w->via != MDL_VIA_WAKING)
				continue;
			g_assert_true(qry_event_time(q, 0, w->rank, &time, NULL));
			g_assert_cmpint(time, ==, w->time);
			seen++;
		}
		g_array_unref(all);
	}
	g_assert_cmpuint(seen, >, 100);
	qry_free(q);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wakeups/all", test_all);
	g_test_add_func("/wakeups/ranks", test_ranks);
	return g_test_run();
}
