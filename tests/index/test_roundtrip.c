/* SPDX-License-Identifier: MIT */
/* An index returns what was written, whatever its size, for every lookup. */
#include "index/file/format.h"
#include "index/idx_sample.h"
#include "index/verify/verify.h"

#include <glib/gstdio.h>
#include <string.h>

static void on_finding(void *data, const char *finding)
{
	(void)data;
	g_test_message("%s", finding);
}

static void check_verify(const struct idx_sample *s, const char *path)
{
	struct idx_verify_totals totals;
	uint64_t intervals = 0, wakeups = 0, packets = 0;

	for (uint32_t row = 0; row < s->rows->len; row++) {
		intervals += ((GArray *)s->intervals->pdata[row])->len;
		wakeups += ((GArray *)s->wakeups->pdata[row])->len;
	}
	g_assert_true(idx_verify(path, IDX_SAMPLE_FINGERPRINT, on_finding, NULL, &totals));
	g_assert_cmpuint(totals.findings, ==, 0);
	g_assert_cmpuint(totals.intervals, ==, intervals);
	for (uint32_t stream = 0; stream < IDX_SAMPLE_STREAMS; stream++)
		packets += s->streams[stream].packets;
	g_assert_cmpuint(totals.wakeups, ==, wakeups);
	g_assert_cmpuint(totals.packets, ==, packets);
}

/* Write S, prove that it is whole and verifies, and open it. */
static struct idx_reader *round_trip(const struct idx_sample *s)
{
	char *path = idx_sample_path("round-trip.wpi");
	GError *error = NULL;
	struct idx_reader *r;

	idx_sample_write(s, path);
	r = idx_reader_open(path, IDX_SAMPLE_FINGERPRINT, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(idx_sample_compare(s, r), ==, NULL);
	g_assert_no_error(idx_reader_damage(r));
	g_assert_cmpstr(idx_reader_path(r), ==, path);
	check_verify(s, path);
	g_unlink(path); /* a mapped file stays readable */
	g_free(path);
	return r;
}

/* Rows with as many records as fit into leaves and nodes, and with one more or less. */
static void test_sizes(void)
{
	static const unsigned sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 64 * 64,
		64 * 64 + 1, 64 * 128 - 1, 64 * 128, 64 * 128 + 1, 64 * 128 + 128, 64 * 128 + 129 };

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct idx_sample_row rows[] = { { MDL_ROW_THREAD, sizes[i], sizes[i] },
			{ MDL_ROW_CPU, sizes[i], 0 }, { MDL_ROW_IRQ, 1, 0 } };
		struct idx_sample *s = idx_sample_new((guint32)i, rows, G_N_ELEMENTS(rows), sizes[i] * 64);

		g_test_message("%u records", sizes[i]);
		idx_reader_free(round_trip(s));
		idx_sample_free(s);
	}
}

static void test_large(void)
{
	struct idx_sample_row rows[] = { { MDL_ROW_THREAD, 100000, 100000 }, { MDL_ROW_SOFTIRQ, 3, 0 } };
	struct idx_sample *s = idx_sample_new(1, rows, G_N_ELEMENTS(rows), 64 * 256 * 64 + 1);

	idx_reader_free(round_trip(s));
	idx_sample_free(s);
}

static void test_many_rows(void)
{
	struct idx_sample_row *rows = g_new0(struct idx_sample_row, 5000);
	struct idx_sample *s;

	for (unsigned i = 0; i < 5000; i++)
		rows[i] = (struct idx_sample_row){ i % MDL_ROW_TYPES, i * 7 % 40 * (i % 3),
			i * 11 % 90 * (i % 5 == 0) };
	s = idx_sample_new(2, rows, 5000, 100);
	idx_reader_free(round_trip(s));
	idx_sample_free(s);
	g_free(rows);
}

/* An index without rows and events is never built, but it is not damaged either. */
static void test_empty(void)
{
	struct idx_sample *s = idx_sample_new(3, NULL, 0, 0);

	idx_reader_free(round_trip(s));
	idx_sample_free(s);
}

static const struct mdl_interval *interval_at(const struct idx_sample *s, uint32_t row, guint i)
{
	return &g_array_index((GArray *)s->intervals->pdata[row], struct mdl_interval, i);
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* An instant in or around a row, often exactly at a border, or at or next to a multiple of a large power of
 * two, where leaves end early. */
static int64_t random_time(const struct idx_sample *s, uint32_t row)
{
	const struct mdl_row *m = &g_array_index(s->rows, struct mdl_row, row);
	const GArray *all = s->intervals->pdata[row];
	int64_t span = m->last - m->first, level = INT64_C(1) << g_rand_int_range(s->rand, 28, 36);

	if (g_rand_boolean(s->rand))
		return (m->first + (int64_t)(g_rand_double(s->rand) * (double)span)) / level * level +
			g_rand_int_range(s->rand, -1, 2);
	if (all->len > 0 && g_rand_boolean(s->rand))
		return interval_at(s, row, (guint)g_rand_int_range(s->rand, 0, (gint32)all->len))->from +
			g_rand_int_range(s->rand, -1, 2);
	return m->first - 5 + (int64_t)(g_rand_double(s->rand) * (double)(span + 10));
}

/* Cumulative sums at sorted instants: many at once, few, repeated, before and behind everything. */
static void check_sums(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	uint32_t n = (uint32_t)g_rand_int_range(s->rand, 1, 80);
	int64_t *times = g_new(int64_t, n);
	struct idx_sums *sums = g_new(struct idx_sums, n);

	for (uint32_t i = 0; i < n; i++)
		times[i] = i > 0 && i % 7 == 0 ? times[i - 1] : random_time(s, row);
	qsort(times, n, sizeof *times, compare_times);
	if (g_rand_boolean(s->rand)) {
		times[0] = INT64_MIN;
		times[n - 1] = INT64_MAX;
	}
	idx_reader_sums(r, row, times, n, sums);
	for (uint32_t i = 0; i < n; i++) {
		struct idx_sums own = idx_sample_sums(s, row, times[i]);

		g_assert_cmpmem(own.ns, sizeof own.ns, sums[i].ns, sizeof sums[i].ns);
		g_assert_cmpuint(own.intervals, ==, sums[i].intervals);
		g_assert_cmpint(own.cut, ==, sums[i].cut);
	}
	g_free(times);
	g_free(sums);
}

static void test_sums(void)
{
	static const struct idx_sample_row rows[] = {
		{ MDL_ROW_THREAD, 20000, 0 },
		{ MDL_ROW_THREAD, 500, 0 },
		{ MDL_ROW_CPU, 1, 0 },
		{ MDL_ROW_THREAD, 0, 0 },
		{ MDL_ROW_THREAD, 128, 0 },
	};
	struct idx_sample *s = idx_sample_new(4, rows, G_N_ELEMENTS(rows), 0);
	struct idx_reader *r = round_trip(s);

	for (unsigned i = 0; i < 600; i++)
		check_sums(s, r, i % G_N_ELEMENTS(rows));
	idx_reader_free(r);
	idx_sample_free(s);
}

/* The interval that holds TIME, or the first or last one if TIME is outside. */
static guint index_of(const struct idx_sample *s, uint32_t row, int64_t time)
{
	guint i = 0, n = ((GArray *)s->intervals->pdata[row])->len;

	while (i + 1 < n && interval_at(s, row, i)->to <= time)
		i++;
	return i;
}

static void test_cursor(void)
{
	static const struct idx_sample_row rows[] = { { MDL_ROW_THREAD, 9000, 0 }, { MDL_ROW_CPU, 300, 0 },
		{ MDL_ROW_THREAD, 1, 0 } };
	struct idx_sample *s = idx_sample_new(5, rows, G_N_ELEMENTS(rows), 0);
	struct idx_reader *r = round_trip(s);
	struct idx_intervals *c = idx_intervals_new(r);
	struct mdl_interval v;

	g_assert_false(idx_intervals_next(c, &v));
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t row = (uint32_t)g_rand_int_range(s->rand, 0, 3);
		int64_t time = i % 100 == 0 ? INT64_MAX : random_time(s, row);
		guint at = index_of(s, row, time), steps = (guint)g_rand_int_range(s->rand, 1, 300);

		g_assert_true(idx_intervals_seek(c, row, time));
		for (; steps > 0 && at < rows[row].intervals; steps--, at++) {
			g_assert_true(idx_intervals_next(c, &v));
			g_assert_cmpint(v.from, ==, interval_at(s, row, at)->from);
			g_assert_cmpint(v.to, ==, interval_at(s, row, at)->to);
			g_assert_cmpint(v.state, ==, interval_at(s, row, at)->state);
			g_assert_cmpint(v.detail, ==, interval_at(s, row, at)->detail);
			g_assert_cmpint(v.aux, ==, interval_at(s, row, at)->aux);
		}
		g_assert_true(at < rows[row].intervals || !idx_intervals_next(c, &v));
	}
	idx_intervals_free(c);
	idx_reader_free(r);
	idx_sample_free(s);
}

static int64_t wakeup_time(const struct idx_sample *s, guint i)
{
	return g_array_index((GArray *)s->wakeups->pdata[0], struct mdl_wakeup, i).time;
}

/* The first at or after TIME, by a linear search. */
static guint first_wakeup(const struct idx_sample *s, guint n, int64_t time)
{
	guint i = 0;

	while (i < n && wakeup_time(s, i) < time)
		i++;
	return i;
}

/* Hundreds of wake-ups at one instant fill several leaves: the first one is found. */
static void test_wakeup_seek(void)
{
	static const struct idx_sample_row rows[] = { { MDL_ROW_THREAD, 1, 12000 } };
	struct idx_sample *s = idx_sample_new(6, rows, 1, 0);
	struct idx_reader *r = round_trip(s);
	struct idx_wakeups *c = idx_wakeups_new(r);
	struct mdl_wakeup w;

	for (unsigned i = 0; i < 3000; i++) {
		guint some = (guint)g_rand_int_range(s->rand, 0, 12000);
		int64_t time = wakeup_time(s, some) + g_rand_int_range(s->rand, -1, 2);
		guint at = first_wakeup(s, 12000, time);

		g_assert_cmpuint(idx_wakeups_seek(c, 0, time), ==, at);
		if (at < 12000) {
			g_assert_true(idx_wakeups_get(c, 0, at, &w));
			g_assert_cmpint(w.time, ==, wakeup_time(s, at));
		}
		if (i % 3 == 0 && some > 0)
			g_assert_true(idx_wakeups_get(c, 0, some - 1, &w));
	}
	g_assert_cmpuint(idx_wakeups_seek(c, 0, INT64_MAX), ==, 12000);
	g_assert_cmpuint(idx_wakeups_seek(c, 0, INT64_MIN), ==, 0);
	g_assert_false(idx_wakeups_get(c, 0, 12000, &w));
	g_assert_false(idx_wakeups_get(c, 0, UINT64_MAX, &w));
	idx_wakeups_free(c);
	idx_reader_free(r);
	idx_sample_free(s);
}

/* One instant fills several leaves, and there is nothing else. */
static void test_wakeups_all_equal(void)
{
	static const struct idx_sample_row rows[] = { { MDL_ROW_THREAD, 0, 500 } };
	struct idx_sample *s = idx_sample_new(7, rows, 1, 0);
	struct idx_reader *r;
	struct idx_wakeups *c;

	for (guint i = 0; i < 500; i++)
		g_array_index((GArray *)s->wakeups->pdata[0], struct mdl_wakeup, i).time = IDX_SAMPLE_START +
			77;
	r = round_trip(s);
	c = idx_wakeups_new(r);
	g_assert_cmpuint(idx_wakeups_seek(c, 0, IDX_SAMPLE_START + 76), ==, 0);
	g_assert_cmpuint(idx_wakeups_seek(c, 0, IDX_SAMPLE_START + 77), ==, 0);
	g_assert_cmpuint(idx_wakeups_seek(c, 0, IDX_SAMPLE_START + 78), ==, 500);
	idx_wakeups_free(c);
	idx_reader_free(r);
	idx_sample_free(s);
}

static void check_extreme_wakeups(struct idx_reader *r, const struct mdl_wakeup *w)
{
	struct idx_wakeups *c = idx_wakeups_new(r);

	for (unsigned i = 0; i < 2; i++) {
		struct mdl_wakeup got;

		g_assert_true(idx_wakeups_get(c, 0, i, &got));
		g_assert_cmpint(got.time, ==, w[i].time);
		g_assert_cmpint(got.since, ==, w[i].since);
		g_assert_cmpint(got.ran_at, ==, w[i].ran_at);
		g_assert_cmpuint(got.rank, ==, w[i].rank);
		g_assert_cmpint(got.event_time, ==, w[i].event_time);
		g_assert_cmpuint(got.event_cpu, ==, w[i].event_cpu);
		g_assert_cmpuint(got.target_cpu, ==, w[i].target_cpu);
	}
	g_assert_cmpuint(idx_wakeups_seek(c, 0, 0), ==, 1);
	idx_wakeups_free(c);
}

static void check_extremes(const struct idx_sample *s, const struct mdl_interval *v,
	const struct mdl_wakeup *w)
{
	char *path = idx_sample_path("extremes.wpi");
	GError *error = NULL;
	struct idx_intervals *c;
	struct idx_reader *r;

	idx_sample_write(s, path);
	check_verify(s, path);
	r = idx_reader_open(path, NULL, &error);
	g_assert_no_error(error);
	c = idx_intervals_new(r);
	g_assert_true(idx_intervals_seek(c, 0, 5));
	for (unsigned i = 1; i < 3; i++) {
		struct mdl_interval got;

		g_assert_true(idx_intervals_next(c, &got));
		g_assert_cmpint(got.from, ==, v[i].from);
		g_assert_cmpint(got.to, ==, v[i].to);
	}
	check_extreme_wakeups(r, w);
	g_assert_cmpstr(idx_sample_compare(s, r), ==, NULL);
	idx_intervals_free(c);
	idx_reader_free(r);
	g_free(path);
}

/* Distances at the limit of the encoding, and the distance of MDL_NEVER less one. */
static void set_extreme_cause(struct idx_sample *s)
{
	struct mdl_cause *c;

	g_array_set_size(s->causes, 0);
	g_array_set_size(s->causes, 1);
	c = &g_array_index(s->causes, struct mdl_cause, 0);
	memset(c, 0, sizeof *c);
	c->chain.n = 3;
	for (unsigned i = 0; i < 3; i++)
		c->chain.hops[i].act = (struct mdl_act){ .time = (int64_t[]){ INT64_MIN + 1, -1,
								 INT64_MAX }[i],
			.entry = INT64_MIN + 1,
			.cpu = MDL_NONE,
			.context = 0,
			.thread = i == 1 ? 0 : MDL_NONE };
	c->facts.has = MDL_FACT_ARRIVAL;
	c->facts.arrival = (struct mdl_arrival){ .time = INT64_MAX,
		.cpu = MDL_NONE - 1,
		.context = MDL_NONE,
		.entry = MDL_NEVER };
}

/* The whole range of 64 bits: an interval from the smallest to the largest time. */
static void test_extremes(void)
{
	static const struct idx_sample_row rows[] = { { MDL_ROW_THREAD, 3, 2 } };
	struct idx_sample *s = idx_sample_new(8, rows, 1, 0);
	struct mdl_interval *v = (struct mdl_interval *)((GArray *)s->intervals->pdata[0])->data;
	struct mdl_wakeup *w = (struct mdl_wakeup *)((GArray *)s->wakeups->pdata[0])->data;
	struct mdl_row *row = &g_array_index(s->rows, struct mdl_row, 0);

	row->first = v[0].from = INT64_MIN + 2;
	v[0].to = v[1].from = -1;
	v[1].to = v[2].from = INT64_MAX - 1;
	row->last = v[2].to = INT64_MAX;
	w[0] = (struct mdl_wakeup){ .time = INT64_MIN + 1,
		.since = MDL_NEVER,
		.ran_at = INT64_MAX,
		.rank = UINT64_MAX,
		.event_time = INT64_MAX,
		.event_cpu = MDL_NONE - 1,
		.via = MDL_VIA_WAKING,
		.waker = MDL_NONE,
		.cpu = MDL_NONE,
		.target_cpu = MDL_NONE - 1 };
	w[1] = (struct mdl_wakeup){ .time = INT64_MAX,
		.since = INT64_MIN + 1,
		.ran_at = MDL_NEVER,
		.rank = 0,
		.event_time = INT64_MIN + 1,
		.event_cpu = MDL_NONE,
		.waker = 0,
		.cpu = MDL_NONE - 1,
		.target_cpu = MDL_NONE,
		.via = MDL_VIA_WAKEUP };
	s->meta->from = INT64_MIN + 1;
	s->meta->to = INT64_MAX;
	w[1].cause = 1;
	set_extreme_cause(s);
	g_array_set_size(s->names, 0);
	check_extremes(s, v, w);
	idx_sample_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/roundtrip/sizes", test_sizes);
	g_test_add_func("/roundtrip/large", test_large);
	g_test_add_func("/roundtrip/many-rows", test_many_rows);
	g_test_add_func("/roundtrip/empty", test_empty);
	g_test_add_func("/roundtrip/sums", test_sums);
	g_test_add_func("/roundtrip/cursor", test_cursor);
	g_test_add_func("/roundtrip/wakeup-seek", test_wakeup_seek);
	g_test_add_func("/roundtrip/wakeups-all-equal", test_wakeups_all_equal);
	g_test_add_func("/roundtrip/extremes", test_extremes);
	return g_test_run();
}
