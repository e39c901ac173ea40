/* SPDX-License-Identifier: MIT */
/* Latencies of real traces against babeltrace2's text, and the statistics against slow and simple ones. */
#include "analysis/ana_fixture.h"
#include "analysis/latency/latency.h"
#include "analysis/ana_synth.h"
#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>

static struct ana_latency *measure(struct qry *q, uint32_t row, uint32_t top, int64_t threshold, int64_t from,
	int64_t to)
{
	struct ana_latency_options o = { .kind = "wakeup",
		.row = row,
		.from = from,
		.to = to,
		.top = top,
		.threshold = threshold };
	GError *error = NULL;
	struct ana_latency *l = ana_latency_new(q, &o, NULL, &error);

	g_assert_no_error(error);
	return l;
}

/* Case number I, with its explanation. */
static struct ana_latency_case *explained_at(struct ana_fixture *f, const struct ana_latency *l, guint i)
{
	struct ana_latency_case *c = &g_array_index(l->worst, struct ana_latency_case, i);

	g_assert_cmpuint(i, <, l->worst->len);
	ana_latency_explain(ana_fixture_qry(f), NULL, l->kind, c);
	return c;
}

static void forget(struct ana_latency_case *c)
{
	g_free(c->cause);
	g_free(c->key);
}

static const struct ana_latency_case *worst_at(const struct ana_latency *l, guint i)
{
	g_assert_cmpuint(i, <, l->worst->len);
	return &g_array_index(l->worst, struct ana_latency_case, i);
}

/* The worst by hand: wk-rt is created at …480072125 (sched_wakeup_new) and first runs at …493726285, behind
 * wk-victim. */
static void test_worst_by_hand(void)
{
	struct ana_fixture *f = ana_fixture_open("preempt");
	struct ana_latency *l = measure(ana_fixture_qry(f), MDL_NONE, 3, 0, BASE_TIME_NONE, BASE_TIME_NONE);
	struct ana_latency_case *c = explained_at(f, l, 0);

	g_assert_cmpuint(l->worst->len, ==, 3);
	g_assert_cmpint(c->start, ==, ana_fixture_at("10:03:35.480072125"));
	g_assert_cmpint(c->end, ==, ana_fixture_at("10:03:35.493726285"));
	g_assert_cmpint(c->latency, ==, 13654160);
	g_assert_cmpint(l->all.max, ==, 13654160);
	g_assert_cmpuint(c->row, ==, ana_fixture_thread(f, 547));
	g_assert_cmpuint(c->cpu, ==, 0);
	/* By the events of CPU 0: wk-victim 13361080 ns without interrupts, rcu_preempt 78600;
	 * local_timer 61120, hrtimers 68420, softirq TIMER 75480, call_function_single 9460. */
	g_assert_cmpstr(c->cause, ==, "ran instead: wk-victim[546] 13.4 ms and 1 other, interrupts 214 µs");
	g_assert_cmpint(worst_at(l, 1)->latency, >=, worst_at(l, 2)->latency);
	forget(c);
	ana_latency_free(l);
}

/* sched_waking on CPU 0 at …161840910, sched_wakeup on CPU 1 in an IPI at …166409940, running at …166535350.
 */
static void test_flight(void)
{
	struct ana_fixture *f = ana_fixture_open("ioburst-ipi");
	struct ana_latency_case *c;
	struct ana_latency *l;

	if (!f) {
		g_test_skip("ioburst-ipi is not there");
		return;
	}
	l = measure(ana_fixture_qry(f), ana_fixture_thread(f, 15), 1, 0, BASE_TIME_NONE, BASE_TIME_NONE);
	g_assert_cmpint(worst_at(l, 0)->start, ==, ana_fixture_at("10:05:57.161840910"));
	g_assert_cmpint(worst_at(l, 0)->latency, ==, 166535350 - 161840910);
	c = explained_at(f, l, 0);
	g_assert_cmpstr(c->cause, ==,
		"CPU 1 was idle; the wake-up took 4.57 ms to CPU 1, by ipi call_function_single");
	forget(c);
	ana_latency_free(l);
}

/* All wake-ups of one thread, from its sched_waking and sched_switch events. */
static void test_one_thread(void)
{
	struct ana_fixture *f = ana_fixture_open("preempt");
	uint32_t row = ana_fixture_thread(f, 547);
	int64_t from = ana_fixture_at("10:03:35.500000000"), to = ana_fixture_at("10:03:35.600000000"),
		at = from;
	struct ana_latency *l = measure(ana_fixture_qry(f), row, 100, 0, from, to);
	unsigned n = 0;

	for (;; n++) {
		int64_t woken = ana_fixture_event(f, at, "sched_waking", "tid = 547,");
		int64_t ran = ana_fixture_event(f, woken, "sched_switch", "next_tid = 547,");
		bool found = false;

		if (woken >= to)
			break;
		for (guint i = 0; i < l->worst->len; i++)
			found |= worst_at(l, i)->start == woken && worst_at(l, i)->end == ran &&
				worst_at(l, i)->row == row;
		g_assert_true(found);
		at = ran;
	}
	g_assert_cmpuint(n, >=, 8);
	g_assert_cmpuint(l->all.count, ==, n);
	g_assert_cmpuint(l->worst->len, ==, n);
	ana_latency_free(l);
}

/* The slow way: the number of values that are not longer. */
static int64_t nearest_rank(const GArray *all, uint64_t per_mille)
{
	int64_t best = INT64_MAX;

	for (guint i = 0; i < all->len; i++) {
		int64_t v = g_array_index(all, int64_t, i);
		uint64_t not_longer = 0;

		for (guint j = 0; j < all->len; j++)
			not_longer += g_array_index(all, int64_t, j) <= v;
		if (not_longer * 1000 >= all->len * per_mille && v < best)
			best = v;
	}
	return best;
}

static GArray *all_latencies(struct qry *q)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		struct mdl_wakeup w;

		for (int64_t at = INT64_MIN;
			qry_row(q, row)->type == MDL_ROW_THREAD && qry_wakeup_after(q, row, at, &w);
			at = w.time + 1) {
			int64_t latency;

			if (w.via == MDL_VIA_NONE || w.ran_at == MDL_NEVER)
				continue;
			latency = w.ran_at - w.time;
			g_array_append_val(all, latency);
		}
	}
	return all;
}

/* Outliers: above the third quartile by three times the distance between the first and the third. */
static void check_outliers(const struct base_figures *f, const GArray *all, int64_t p25, int64_t p75)
{
	int64_t fence = p75 + 3 * (p75 - p25);
	uint64_t outliers = 0;

	for (guint i = 0; i < all->len; i++)
		outliers += g_array_index(all, int64_t, i) > fence;
	g_assert_cmpint(f->fence, ==, fence);
	g_assert_cmpuint(f->outliers, ==, outliers);
}

static void check_moments(const struct ana_latency *l, const GArray *all)
{
	double sum = 0, squares = 0;

	for (guint i = 0; i < all->len; i++) {
		double v = (double)g_array_index(all, int64_t, i);

		sum += v / all->len;
		squares += v * v / all->len;
	}
	g_assert_cmpfloat(fabs(l->all.mean - sum), <=, sum * 1e-9);
	g_assert_cmpfloat(fabs(l->all.stddev * l->all.stddev - (squares - sum * sum)), <=, squares * 1e-6);
}

static void check_histogram(const struct ana_latency *l, const GArray *all)
{
	uint64_t sum = 0;

	for (guint i = 0; i < l->histogram->len; i++) {
		const struct base_bucket *b = &g_array_index(l->histogram, struct base_bucket, i);
		uint64_t count = 0;

		for (guint j = 0; j < all->len; j++)
			count += g_array_index(all, int64_t, j) >= b->from &&
				g_array_index(all, int64_t, j) < b->to;
		g_assert_cmpuint(b->count, ==, count);
		g_assert_cmpint(b->to, ==, b->from == 0 ? 1 : 2 * b->from);
		if (i > 0)
			g_assert_cmpint(b->from, ==, b[-1].to);
		sum += count;
	}
	g_assert_cmpuint(sum, ==, l->all.count);
	g_assert_cmpuint(g_array_index(l->histogram, struct base_bucket, 0).count, >, 0);
	g_assert_cmpuint(g_array_index(l->histogram, struct base_bucket, l->histogram->len - 1).count, >, 0);
}

static void test_statistics(void)
{
	static const char *const traces[] = { "pipeline", "pulse", "lockfight", "ioburst-ipi" };

	for (size_t i = 0; i < G_N_ELEMENTS(traces); i++) {
		struct qry *q = ana_fixture_qry(ana_fixture_open(traces[i]));
		struct ana_latency *l = measure(q, MDL_NONE, 0, 0, BASE_TIME_NONE, BASE_TIME_NONE);
		GArray *all = all_latencies(q);

		g_assert_cmpuint(l->all.count, ==, all->len);
		g_assert_cmpuint(l->worst->len, ==, 0);
		g_assert_cmpint(l->all.min, ==, nearest_rank(all, 0));
		g_assert_cmpint(l->all.p50, ==, nearest_rank(all, 500));
		g_assert_cmpint(l->all.p90, ==, nearest_rank(all, 900));
		g_assert_cmpint(l->all.p99, ==, nearest_rank(all, 990));
		g_assert_cmpint(l->all.p999, ==, nearest_rank(all, 999));
		g_assert_cmpint(l->all.max, ==, nearest_rank(all, 1000));
		check_outliers(&l->all, all, nearest_rank(all, 250), nearest_rank(all, 750));
		check_moments(l, all);
		check_histogram(l, all);
		g_array_unref(all);
		ana_latency_free(l);
	}
}

static void check_top(struct qry *q, const struct ana_latency *everything, uint32_t top)
{
	struct ana_latency *l = measure(q, MDL_NONE, top, 0, BASE_TIME_NONE, BASE_TIME_NONE);

	g_assert_cmpuint(l->worst->len, ==, MIN(top, everything->worst->len));
	for (guint i = 0; i < l->worst->len; i++) {
		g_assert_cmpint(worst_at(l, i)->latency, ==, worst_at(everything, i)->latency);
		g_assert_cmpint(worst_at(l, i)->start, ==, worst_at(everything, i)->start);
		g_assert_cmpuint(worst_at(l, i)->row, ==, worst_at(everything, i)->row);
		g_assert_true(i == 0 || worst_at(l, i)->latency <= worst_at(l, i - 1)->latency);
	}
	ana_latency_free(l);
}

/* A short list is the head of a long one, in whatever order the cases came, and whether the number kept
 * as the worst (1024) is enough or not. */
static void test_top(void)
{
	static const char *const traces[] = { "lockfight", "rpc-chain", "vm-preempt" };

	for (size_t t = 0; t < G_N_ELEMENTS(traces); t++) {
		struct qry *q = ana_fixture_qry(ana_fixture_open(traces[t]));
		struct ana_latency *everything = measure(q, MDL_NONE, 60000, 0, BASE_TIME_NONE,
			BASE_TIME_NONE);

		g_assert_cmpuint(everything->worst->len, ==, everything->all.count);
		for (uint32_t top = 1; top < 40; top += 3)
			check_top(q, everything, top);
		for (uint32_t top = 1000; top <= 1600; top += 8)
			check_top(q, everything, top);
		ana_latency_free(everything);
	}
}

/* Statistics of numbers against slow ones: few and many, equal, far apart, below 0, in pieces of any
 * size. */
struct pieces {
	const GArray *all;
	guint next, step;
};

static const int64_t *next_piece(void *data, size_t *n)
{
	struct pieces *p = data;
	const int64_t *at = &g_array_index(p->all, int64_t, p->next);

	*n = MIN(p->step, p->all->len - p->next);
	p->next += (guint)*n;
	if (*n > 0)
		return at;
	p->next = 0;
	return NULL;
}

/* By the book, in long double: the mean first, then the squares about it. */
static void check_deviation(const struct base_figures *f, const GArray *all)
{
	long double sum = 0, squares = 0, deviation;

	for (guint i = 0; i < all->len; i++)
		sum += g_array_index(all, int64_t, i);
	for (guint i = 0; i < all->len; i++) {
		long double d = g_array_index(all, int64_t, i) - sum / all->len;

		squares += d * d;
	}
	deviation = sqrtl(squares / all->len);
	g_assert_cmpfloat(fabsl(f->mean - sum / all->len), <=, fabsl(sum / all->len) * 1e-14L);
	g_assert_cmpfloat(fabsl(f->stddev - deviation), <=, deviation * 1e-12L);
}

static void check_figures(const GArray *all, guint step)
{
	struct pieces pieces = { all, 0, step };
	struct base_numbers numbers = { next_piece, &pieces };
	struct base_figures f = { 0 };
	GArray *histograms[2];

	base_figures_find(&numbers, &f, &histograms[0], &histograms[1]);
	g_assert_cmpuint(f.count, ==, all->len);
	g_assert_cmpint(f.min, ==, nearest_rank(all, 0));
	g_assert_cmpint(f.p50, ==, nearest_rank(all, 500));
	g_assert_cmpint(f.p90, ==, nearest_rank(all, 900));
	g_assert_cmpint(f.p99, ==, nearest_rank(all, 990));
	g_assert_cmpint(f.p999, ==, nearest_rank(all, 999));
	g_assert_cmpint(f.max, ==, nearest_rank(all, 1000));
	check_outliers(&f, all, nearest_rank(all, 250), nearest_rank(all, 750));
	check_deviation(&f, all);
	for (unsigned h = 0; h < 2; h++) {
		for (guint i = 0; i < histograms[h]->len; i++) {
			const struct base_bucket *b = &g_array_index(histograms[h], struct base_bucket, i);
			uint64_t count = 0;

			for (guint k = 0; k < all->len; k++)
				count += g_array_index(all, int64_t, k) >= b->from &&
					g_array_index(all, int64_t, k) < b->to;
			g_assert_cmpuint(b->count, ==, count);
			g_assert_true(i == 0 || b->from == b[-1].to);
		}
		g_array_unref(histograms[h]);
	}
}

/* More nearly equal numbers than are collected at once, ascending. */
static void test_alike(void)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct pieces pieces = { all, 0, 1000 };
	struct base_numbers numbers = { next_piece, &pieces };
	struct base_figures f = { 0 };

	for (int64_t i = 0; i < 400000; i++) {
		int64_t one = (INT64_C(1) << 40) + i * 12345 + i % 7;

		g_array_append_val(all, one);
	}
	base_figures_find(&numbers, &f, NULL, NULL);
	g_assert_cmpint(f.p50, ==, g_array_index(all, int64_t, 199999));
	g_assert_cmpint(f.p90, ==, g_array_index(all, int64_t, 359999));
	g_assert_cmpint(f.p99, ==, g_array_index(all, int64_t, 395999));
	g_assert_cmpint(f.p999, ==, g_array_index(all, int64_t, 399599));
	check_outliers(&f, all, g_array_index(all, int64_t, 99999), g_array_index(all, int64_t, 299999));
	check_deviation(&f, all);
	g_array_unref(all);
}

/* More numbers near the fence of outliers than are collected at once, ascending. */
static void test_fence(void)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct pieces pieces = { all, 0, 1000 };
	struct base_numbers numbers = { next_piece, &pieces };
	struct base_figures f = { 0 };

	for (int64_t i = 0; i < 1500000; i++) {
		int64_t one = i < 1200000 ? 1000000 + i : 4374999 + (i - 1350000) / 10;

		g_array_append_val(all, one);
	}
	base_figures_find(&numbers, &f, NULL, NULL);
	g_assert_cmpint(f.fence, ==, 2124999 + 3 * 750000);
	g_assert_cmpuint(f.outliers, ==, 149990);
	check_outliers(&f, all, 1374999, 2124999);
	g_array_unref(all);
}

static void test_figures(void)
{
	GRand *random = g_rand_new_with_seed(12);

	for (unsigned round = 0; round < 60; round++) {
		GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));
		unsigned bits = round % 60 + 1, n = round % 3 == 0 ? 1 + round : 300 + 7 * round;

		for (unsigned i = 0; i < n; i++) {
			uint64_t number = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
			int64_t one = (int64_t)(number >> (64 - bits)) - (round % 5 == 0 ? 1000 : 0);

			g_array_append_val(all, one);
		}
		check_figures(all, 1 + round);
		g_array_unref(all);
	}
	g_rand_free(random);
}

static void test_threshold(void)
{
	struct qry *q = ana_fixture_qry(ana_fixture_open("preempt"));
	struct ana_latency *l = measure(q, MDL_NONE, 100, 10000000, BASE_TIME_NONE, BASE_TIME_NONE);
	struct ana_latency *none = measure(q, MDL_NONE, 100, 1000000000, BASE_TIME_NONE, BASE_TIME_NONE);

	g_assert_cmpuint(l->worst->len, ==, 1); /* the 13.7 ms of wk-rt */
	g_assert_cmpuint(none->worst->len, ==, 0);
	g_assert_cmpuint(none->all.count, ==, l->all.count); /* statistics stay over all */
	g_assert_cmpuint(none->all.count, >, 50);
	ana_latency_free(l);
	ana_latency_free(none);
}

static void test_nothing(void)
{
	struct qry *q = ana_fixture_qry(ana_fixture_open("preempt"));
	struct ana_latency *l = measure(q, MDL_NONE, 10, 0, 0, 1);

	g_assert_cmpuint(l->all.count, ==, 0);
	g_assert_cmpint(l->all.min, ==, BASE_TIME_NONE);
	g_assert_cmpint(l->all.p999, ==, BASE_TIME_NONE);
	g_assert_cmpuint(l->histogram->len, ==, 0);
	ana_latency_free(l);
}

/* The number of cases of KIND in Q, of 40 and of 10 ns. */
static guint cases_of(struct qry *q, const char *kind)
{
	struct ana_latency_options o = { .kind = kind,
		.row = MDL_NONE,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = 10 };
	struct ana_latency *l = ana_latency_new(q, &o, NULL, NULL);
	guint count = (guint)l->all.count;

	for (guint i = 0; i < l->worst->len; i++)
		g_assert_true(worst_at(l, i)->latency == 40 || worst_at(l, i)->latency == 10);
	ana_latency_free(l);
	return count;
}

/* The last event before a loss ends a state: the state that begins with it has no length, and only the
 * wake-up shows that it began. */
static void test_ended_last(void)
{
	static const struct {
		int64_t woken, ran; /* 0: no such event */
		enum mdl_via via;
		guint waits; /* cases */
	} all[] = { { 130, 140, MDL_VIA_WAKING, 1 }, { 130, 0, MDL_VIA_WAKING, 0 },
		{ 130, 139, MDL_VIA_WAKING, 0 } };

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		struct ana_synth *s = ana_synth_new(200);
		uint32_t t = ana_synth_thread(s, 10, 0, MDL_NONE);
		struct qry *q;

		ana_synth_state(s, t, 90, MDL_ST_RUNNING);
		ana_synth_state(s, t, 130, MDL_ST_BLOCKED);
		ana_synth_state(s, t, 140, MDL_ST_WAIT_CPU);
		ana_synth_state(s, t, 200, MDL_ST_UNKNOWN);
		if (all[i].ran)
			ana_synth_ran(s, all[i].ran);
		ana_synth_wakeup(s, t, all[i].woken, MDL_NONE, all[i].via);
		q = ana_synth_open(s);
		g_test_message("%zu", i);
		g_assert_cmpuint(cases_of(q, "wait-cpu"), ==, all[i].waits);
		g_assert_cmpuint(cases_of(q, "blocked"), ==, 1);
		ana_synth_free(s);
	}
	for (int woken = 0; woken < 2; woken++) {
		struct ana_synth *s = ana_synth_new(200);
		uint32_t t = ana_synth_thread(s, 10, 0, MDL_NONE);

		ana_synth_state(s, t, 90, MDL_ST_RUNNING);
		ana_synth_state(s, t, 130, MDL_ST_BLOCKED);
		ana_synth_state(s, t, 200, MDL_ST_UNKNOWN);
		ana_synth_wakeup(s, t, woken ? 130 : 150, MDL_NONE, MDL_VIA_WAKING);
		g_assert_cmpuint(cases_of(ana_synth_open(s), "blocked"), ==, woken);
		ana_synth_free(s);
	}
}

static void expect_error(struct qry *q, const char *kind, uint32_t row, struct base_progress *progress,
	int code)
{
	struct ana_latency_options o = { .kind = kind,
		.row = row,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE };
	GError *error = NULL;

	g_assert_null(ana_latency_new(q, &o, progress, &error));
	g_assert_error(error, BASE_ERROR, code);
	g_error_free(error);
}

static void test_errors(void)
{
	struct qry *q = ana_fixture_qry(ana_fixture_open("preempt"));
	struct base_progress progress;

	base_progress_init(&progress);
	base_progress_cancel(&progress);
	expect_error(q, "no-such-kind", MDL_NONE, NULL, BASE_ERROR_USAGE);
	expect_error(q, "wakeup", qry_cpu_row(q, 0, 0), NULL, BASE_ERROR_NO_ANSWER);
	expect_error(q, "wakeup", MDL_NONE, &progress, BASE_ERROR_CANCELLED);
	g_assert_true(g_strv_contains(ana_latency_kinds(), "wakeup"));
}

/* The results so far: their number, and the last one. */
struct told {
	unsigned n;
	struct ana_latency *last;
};

static void on_so_far(void *data, struct ana_latency *so_far)
{
	struct told *told = data;

	g_assert_cmpint(so_far->stage, !=, ANA_LATENCY_WHOLE);
	told->n++;
	ana_latency_free(told->last);
	told->last = so_far;
}

static void expect_same_cases(const GArray *a, const GArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct ana_latency_case *x = &g_array_index(a, struct ana_latency_case, i),
					      *y = &g_array_index(b, struct ana_latency_case, i);

		g_assert_cmpint(x->start, ==, y->start);
		g_assert_cmpint(x->latency, ==, y->latency);
		g_assert_cmpuint(x->row, ==, y->row);
	}
}

/* For the whole trace, figures and the worst cases come before the rest, and equal those of the answer,
 * which does not depend on the callback. */
static void test_so_far(void)
{
	struct ana_fixture *f = ana_fixture_open("preempt");
	struct qry *q = ana_fixture_qry(f);
	struct told told = { 0 };
	struct ana_latency_options o = { .kind = "off-cpu",
		.row = MDL_NONE,
		.to = BASE_TIME_NONE,
		.top = 50,
		.columns = 80,
		.so_far = on_so_far,
		.data = &told };
	struct ana_latency *l, *alone;
	GArray *worst, *again;
	GError *error = NULL;

	qry_span(q, &o.from, &o.columns_to);
	l = ana_latency_new(q, &o, NULL, &error);
	g_assert_no_error(error);
	o.so_far = NULL;
	alone = ana_latency_new(q, &o, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(told.n, >, 0);
	g_assert_cmpint(told.last->stage, ==, ANA_LATENCY_COUNTED);
	g_assert_cmpint(l->stage, ==, ANA_LATENCY_WHOLE);
	g_assert_cmpuint(l->all.count, >, 50);
	g_assert_cmpmem(&told.last->all, sizeof l->all, &l->all, sizeof l->all);
	g_assert_cmpmem(&alone->all, sizeof l->all, &l->all, sizeof l->all);
	worst = ana_latency_worst_of(l, 0, l->histogram->len, 50);
	again = ana_latency_worst_of(told.last, 0, told.last->histogram->len, 50);
	expect_same_cases(worst, again);
	g_array_unref(again);
	again = ana_latency_worst_of(alone, 0, alone->histogram->len, 50);
	expect_same_cases(worst, again);
	for (guint i = 0; i < worst->len; i++) /* as the parts alone would give them */
		g_assert_cmpint(g_array_index(worst, struct ana_latency_case, i).latency, <=,
			i > 0 ? g_array_index(worst, struct ana_latency_case, i - 1).latency : l->all.max);
	g_array_unref(again);
	g_array_unref(worst);
	ana_latency_free(told.last);
	ana_latency_free(alone);
	ana_latency_free(l);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/latency/worst-by-hand", test_worst_by_hand);
	g_test_add_func("/latency/so-far", test_so_far);
	g_test_add_func("/latency/flight", test_flight);
	g_test_add_func("/latency/one-thread", test_one_thread);
	g_test_add_func("/latency/statistics", test_statistics);
	g_test_add_func("/latency/top", test_top);
	g_test_add_func("/latency/figures", test_figures);
	g_test_add_func("/latency/figures-alike", test_alike);
	g_test_add_func("/latency/figures-fence", test_fence);
	g_test_add_func("/latency/threshold", test_threshold);
	g_test_add_func("/latency/ended-last", test_ended_last);
	g_test_add_func("/latency/nothing", test_nothing);
	g_test_add_func("/latency/errors", test_errors);
	return ana_fixture_run();
}
