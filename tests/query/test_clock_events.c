/* SPDX-License-Identifier: MIT */
/* Wake-ups, causes, packets and events by other clocks, compared with those by the hosts' own clocks,
 * converted one by one. */
#include "query/clock/clock.h"
#include "query/qry_clocks.h"
#include "query/events/events.h"

#include <string.h>

/* Convert TIME from the own clock of HOST to the shown one. */
static void show(const struct qry_clocks *c, uint32_t host, int64_t *time)
{
	*time = qry_clocks_show(c, host, *time);
}

static void show_act(const struct qry_clocks *c, uint32_t host, struct mdl_act *act)
{
	show(c, host, &act->time);
	show(c, host, &act->entry);
}

static bool same_act(const struct mdl_act *a, const struct mdl_act *b)
{
	return a->time == b->time && a->entry == b->entry && a->cpu == b->cpu && a->context == b->context &&
		a->thread == b->thread;
}

/* ---- wake-ups ---- */

static GArray *expected_wakeups(const struct qry_clocks *c, uint32_t row)
{
	uint32_t host = qry_row(c->own, row)->host;
	GArray *all = qry_wakeups(c->own, row, INT64_MIN, INT64_MAX);

	for (guint i = 0; i < all->len; i++) {
		struct mdl_wakeup *w = &g_array_index(all, struct mdl_wakeup, i);

		show(c, host, &w->time);
		show(c, host, &w->since);
		show(c, host, &w->ran_at);
		show(c, host, &w->event_time);
		for (unsigned k = 0; k < w->n_contexts; k++)
			show(c, host, &w->contexts[k].entry);
	}
	return all;
}

static const struct mdl_wakeup *wakeup_of(const GArray *all, guint i)
{
	return &g_array_index(all, struct mdl_wakeup, i);
}

static void expect_wakeup(const struct mdl_wakeup *a, const struct mdl_wakeup *b)
{
	g_assert_true(a->time == b->time && a->since == b->since && a->ran_at == b->ran_at &&
		a->event_time == b->event_time && a->rank == b->rank && a->waker == b->waker &&
		a->cpu == b->cpu && a->cause == b->cause && a->n_contexts == b->n_contexts);
	for (unsigned i = 0; i < a->n_contexts; i++)
		g_assert_true(a->contexts[i].context == b->contexts[i].context &&
			a->contexts[i].entry == b->contexts[i].entry);
}

static guint count_before(const GArray *all, int64_t time)
{
	guint n = 0;

	while (n < all->len && wakeup_of(all, n)->time < time)
		n++;
	return n;
}

static void expect_around(const struct qry_clocks *c, uint32_t row, const GArray *all, int64_t time)
{
	guint n = count_before(all, time);
	struct mdl_wakeup w;

	g_assert_cmpuint(qry_wakeup_seek(c->shown, row, time), ==, n);
	g_assert_cmpint(qry_wakeup_before(c->shown, row, time, &w), ==, n > 0);
	if (n > 0)
		expect_wakeup(&w, wakeup_of(all, n - 1));
	g_assert_cmpint(qry_wakeup_after(c->shown, row, time, &w), ==, n < all->len);
	if (n < all->len)
		expect_wakeup(&w, wakeup_of(all, n));
	g_assert_cmpint(qry_wakeup_at(c->shown, row, time, &w), ==,
		n < all->len && wakeup_of(all, n)->time == time);
}

static void check_wakeups_of(const struct qry_clocks *c, uint32_t row)
{
	uint32_t host = qry_row(c->own, row)->host;
	GArray *all = expected_wakeups(c, row), *got = qry_wakeups(c->shown, row, INT64_MIN, INT64_MAX);

	g_assert_cmpuint(got->len, ==, all->len);
	for (guint i = 0; i < got->len; i++)
		expect_wakeup(wakeup_of(got, i), wakeup_of(all, i));
	g_array_unref(got);
	for (unsigned i = 0; i < 6; i++) {
		int64_t a = qry_clocks_random(c, host), b = qry_clocks_random(c, host), from = MIN(a, b),
			to = MAX(a, b);
		guint first = count_before(all, from), n = count_before(all, to) - first;

		got = qry_wakeups(c->shown, row, from, to);
		g_assert_cmpuint(got->len, ==, n);
		for (guint k = 0; k < n; k++)
			expect_wakeup(wakeup_of(got, k), wakeup_of(all, first + k));
		g_array_unref(got);
		expect_around(c, row, all, a);
	}
	for (guint i = 0; i < all->len; i += 1 + all->len / 20)
		for (int k = -1; k <= 1; k++)
			expect_around(c, row, all, wakeup_of(all, i)->time + k);
	g_array_unref(all);
}

static void check_wakeups(struct qry_clocks *c)
{
	for (uint32_t row = 0; row < qry_row_count(c->own); row++)
		check_wakeups_of(c, row);
}

static void test_wakeups(void)
{
	qry_clocks_for_all(check_wakeups);
}

/* ---- causes ---- */

static void expect_facts(const struct qry_clocks *c, uint32_t host, const struct mdl_facts *got,
	struct mdl_facts want, unsigned *seen)
{
	g_assert_cmpuint(got->has, ==, want.has);
	*seen |= want.has;
	if (want.has & MDL_FACT_REQUEST) {
		int64_t *times[] = { &want.request.queued, &want.request.inserted, &want.request.issued,
			&want.request.completed };

		for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
			show(c, host, times[i]);
		show_act(c, host, &want.request.submitter);
		show_act(c, host, &want.request.issuer);
		g_assert_true(got->request.queued == want.request.queued &&
			got->request.inserted == want.request.inserted &&
			got->request.issued == want.request.issued &&
			got->request.completed == want.request.completed);
		g_assert_true(same_act(&got->request.submitter, &want.request.submitter) &&
			same_act(&got->request.issuer, &want.request.issuer));
	}
	if (want.has & MDL_FACT_PACKET) {
		show(c, host, &want.packet.time);
		show_act(c, host, &want.packet.sender);
		g_assert_true(got->packet.time == want.packet.time &&
			same_act(&got->packet.sender, &want.packet.sender));
	}
	if (want.has & MDL_FACT_TIMER) {
		show(c, host, &want.timer.expired_at);
		show(c, host, &want.timer.due);
		show_act(c, host, &want.timer.armed);
		g_assert_true(got->timer.expired_at == want.timer.expired_at &&
			got->timer.due == want.timer.due && same_act(&got->timer.armed, &want.timer.armed));
	}
	if (want.has & MDL_FACT_WORK) {
		show(c, host, &want.work.started);
		show_act(c, host, &want.work.queued);
		g_assert_true(got->work.started == want.work.started &&
			same_act(&got->work.queued, &want.work.queued));
	}
	if (want.has & MDL_FACT_SIGNAL) {
		show_act(c, host, &want.signal.sender);
		g_assert_true(same_act(&got->signal.sender, &want.signal.sender));
	}
	if (want.has & MDL_FACT_ARRIVAL) {
		show(c, host, &want.arrival.time);
		show(c, host, &want.arrival.entry);
		g_assert_true(
			got->arrival.time == want.arrival.time && got->arrival.entry == want.arrival.entry);
	}
	if (want.has & MDL_FACT_PENDING)
		g_assert_cmpuint(got->pending, ==, want.pending);
}

static void check_causes(struct qry_clocks *c)
{
	unsigned seen = 0;

	for (uint32_t host = 0; host < qry_host_count(c->own); host++) {
		struct mdl_cause own, got;

		for (uint32_t n = 1; qry_cause(c->own, host, n, &own); n++) {
			g_assert_true(qry_cause(c->shown, host, n, &got));
			g_assert_cmpuint(got.chain.n, ==, own.chain.n);
			for (unsigned i = 0; i < own.chain.n; i++) {
				show_act(c, host, &own.chain.hops[i].act);
				g_assert_true(same_act(&got.chain.hops[i].act, &own.chain.hops[i].act));
			}
			expect_facts(c, host, &got.facts, own.facts, &seen);
		}
	}
	/* Every kind of cause occurred. */
	g_assert_cmpuint(seen, ==,
		MDL_FACT_REQUEST | MDL_FACT_PACKET | MDL_FACT_TIMER | MDL_FACT_WORK | MDL_FACT_SIGNAL |
			MDL_FACT_ARRIVAL | MDL_FACT_PENDING);
}

static void test_causes(void)
{
	qry_clocks_for_all(check_causes);
}

/* ---- packets ---- */

static void check_transfers(struct qry_clocks *c)
{
	for (uint32_t host = 0; host < qry_host_count(c->own); host++) {
		struct qry_transfers *own = qry_transfers_new(c->own, host, INT64_MIN),
				     *got = qry_transfers_new(c->shown, host, INT64_MIN);
		int64_t from = qry_clocks_random(c, host);
		struct mdl_transfer a, b;
		uint64_t before = 0;

		while (qry_transfers_next(own, &a)) {
			g_assert_true(qry_transfers_next(got, &b));
			show_act(c, host, &a.by);
			g_assert_true(same_act(&a.by, &b.by) && a.received == b.received &&
				a.packet.skb == b.packet.skb);
			before += a.by.time < from;
		}
		g_assert_false(qry_transfers_next(got, &b));
		qry_transfers_free(got);
		got = qry_transfers_new(c->shown, host, from);
		g_assert_cmpuint(qry_transfers_number(got), ==, before);
		qry_transfers_free(got);
		qry_transfers_free(own);
	}
}

static void test_transfers(void)
{
	qry_clocks_for_all(check_transfers);
}

/* ---- events ---- */

/* All events of Q that pass FILTER. */
static GArray *events_of(struct qry *q, const struct qry_events_filter *filter, int by)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct qry_event));
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, filter, &error);
	struct qry_event event;

	g_assert_no_error(error);
	if (by < 0)
		g_assert_true(qry_events_seek(e, INT64_MAX, &error));
	while (qry_events_step(e, by, &event, NULL, &error) == 1)
		g_array_append_val(all, event);
	g_assert_no_error(error);
	qry_events_free(e);
	return all;
}

static const struct qry_event *event_of(const GArray *all, guint i)
{
	return &g_array_index(all, struct qry_event, i);
}

/* In shown order: hosts merged by time, events of one host in their own order. */
static gint in_order(gconstpointer x, gconstpointer y)
{
	const struct qry_event *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static GArray *expected_events(const struct qry_clocks *c, const struct qry_events_filter *filter)
{
	GArray *all = events_of(c->own, filter, 1);

	for (guint i = 0; i < all->len; i++) {
		struct qry_event *e = &g_array_index(all, struct qry_event, i);

		show(c, e->host, &e->time);
	}
	g_array_sort(all, in_order);
	return all;
}

static void expect_event(const struct qry_event *a, const struct qry_event *b)
{
	g_assert_cmpuint(a->host, ==, b->host);
	g_assert_cmpuint(a->rank, ==, b->rank);
	g_assert_cmpint(a->time, ==, b->time);
	g_assert_true(a->cpu == b->cpu && a->thread == b->thread);
	g_assert_cmpstr(a->name, ==, b->name);
}

static void expect_events(struct qry_clocks *c, const struct qry_events_filter *filter, const GArray *want)
{
	GArray *got = events_of(c->shown, filter, 1), *back = events_of(c->shown, filter, -1);

	g_assert_cmpuint(got->len, ==, want->len);
	g_assert_cmpuint(back->len, ==, want->len);
	for (guint i = 0; i < got->len; i++) {
		expect_event(event_of(got, i), event_of(want, i));
		expect_event(event_of(back, back->len - 1 - i), event_of(want, i));
	}
	g_array_unref(got);
	g_array_unref(back);
}

/* From the place at a time, and at an event. */
static void check_places(struct qry_clocks *c, const GArray *all)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	GError *error = NULL;
	struct qry_events *e = qry_events_new(c->shown, &filter, &error);
	struct qry_event event;

	for (unsigned i = 0; i < 60; i++) {
		const struct qry_event *of = event_of(all,
			(guint)g_rand_int_range(c->rand, 0, (gint32)all->len));
		int64_t time = i % 2 ? of->time : qry_clocks_random(c, i % 3);
		guint n = 0;

		while (n < all->len && event_of(all, n)->time < time)
			n++;
		g_assert_true(qry_events_seek(e, time, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, n < all->len);
		if (n < all->len)
			expect_event(&event, event_of(all, n));
		g_assert_true(qry_events_seek_rank(e, of->host, of->rank, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		expect_event(&event, of);
		g_assert_true(qry_events_seek_exact(e, of->host, of->time, of->cpu, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		g_assert_true(event.host == of->host && event.cpu == of->cpu && event.time == of->time &&
			event.rank <= of->rank);
	}
	qry_events_free(e);
}

static void check_filters(struct qry_clocks *c, const GArray *all)
{
	for (unsigned i = 0; i < 12; i++) {
		const struct qry_event *of = event_of(all,
			(guint)g_rand_int_range(c->rand, 0, (gint32)all->len));
		struct qry_events_filter filter = QRY_EVENTS_ALL;
		GArray *want;

		if (i % 3 == 0)
			filter.thread = of->thread;
		else if (i % 3 == 1)
			filter.cpu = of->cpu;
		filter.host = i % 2 ? of->host : MDL_NONE;
		filter.name = i % 4 == 3 ? "sched_" : NULL;
		want = expected_events(c, &filter);
		expect_events(c, &filter, want);
		g_array_unref(want);
	}
}

/* The window is in shown time. */
static void check_cut(struct qry_clocks *c, const GArray *all)
{
	for (unsigned i = 0; i < 6; i++) {
		int64_t a = qry_clocks_random(c, i % 3), b = qry_clocks_random(c, i % 3);
		struct qry_events_filter filter = QRY_EVENTS_ALL;
		GArray *want = g_array_new(FALSE, FALSE, sizeof(struct qry_event)), *got;

		filter.from = MIN(a, b);
		filter.to = MAX(a, b);
		for (guint k = 0; k < all->len; k++)
			if (event_of(all, k)->time >= filter.from && event_of(all, k)->time < filter.to)
				g_array_append_vals(want, event_of(all, k), 1);
		got = events_of(c->shown, &filter, 1);
		g_assert_cmpuint(got->len, ==, want->len);
		for (guint k = 0; k < got->len; k++)
			expect_event(event_of(got, k), event_of(want, k));
		g_array_unref(got);
		g_array_unref(want);
	}
}

static void check_events(struct qry_clocks *c)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	GArray *all = expected_events(c, &filter);

	expect_events(c, &filter, all);
	check_places(c, all);
	check_filters(c, all);
	check_cut(c, all);
	g_array_unref(all);
}

static void test_events(void)
{
	qry_clocks_for_all(check_events);
}

/* ---- from another thread ---- */

static void check_again(struct qry_clocks *c)
{
	GError *error = NULL;
	struct qry *again = qry_open_again(c->shown, &error);
	int64_t from, to, other_from, other_to;

	g_assert_no_error(error);
	g_assert_true(qry_clocks(again) == qry_clocks(c->shown));
	qry_span(again, &from, &to);
	qry_span(c->shown, &other_from, &other_to);
	g_assert_true(from == other_from && to == other_to);
	for (uint32_t row = 0; row < qry_row_count(again); row++)
		g_assert_true(qry_row(again, row)->first == qry_row(c->shown, row)->first &&
			qry_row(again, row)->last == qry_row(c->shown, row)->last);
	qry_free(again);
}

static void test_again(void)
{
	qry_clocks_for_all(check_again);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/clock/wakeups", test_wakeups);
	g_test_add_func("/clock/causes", test_causes);
	g_test_add_func("/clock/transfers", test_transfers);
	g_test_add_func("/clock/events", test_events);
	g_test_add_func("/clock/again", test_again);
	return g_test_run();
}
