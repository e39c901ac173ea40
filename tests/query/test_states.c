/* SPDX-License-Identifier: MIT */
/* States of real traces: windows compared with a walk over all intervals, and every border. */
#include "query/qry_traces.h"

#include <string.h>

/* All intervals of all rows, read once. */
struct whole {
	struct qry *q;
	GPtrArray *rows; /* GArray of struct mdl_interval, by row */
	GRand *rand;
};

static struct whole *whole_new(const char *trace)
{
	struct whole *w = g_new0(struct whole, 1);

	w->q = qry_traces_open(trace);
	w->rand = g_rand_new_with_seed(17);
	w->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (uint32_t row = 0; row < qry_row_count(w->q); row++)
		g_ptr_array_add(w->rows, qry_states(w->q, row, INT64_MIN, INT64_MAX));
	return w;
}

static void whole_free(struct whole *w)
{
	g_assert_no_error(qry_damage(w->q));
	qry_free(w->q);
	g_rand_free(w->rand);
	g_ptr_array_unref(w->rows);
	g_free(w);
}

static const GArray *row_of(const struct whole *w, uint32_t row)
{
	return g_ptr_array_index(w->rows, row);
}

static const struct mdl_interval *interval_at(const struct whole *w, uint32_t row, guint i)
{
	return &g_array_index(row_of(w, row), struct mdl_interval, i);
}

static bool same(const struct mdl_interval *a, const struct mdl_interval *b)
{
	return a->from == b->from && a->to == b->to && a->state == b->state && a->detail == b->detail &&
		a->aux == b->aux;
}

/* Call CHECK for every sample trace. */
static void for_all(void (*check)(struct whole *w))
{
	for (const char *const *t = qry_traces; *t; t++) {
		struct whole *w = whole_new(*t);

		g_test_message("%s: %u rows", *t, qry_row_count(w->q));
		check(w);
		whole_free(w);
	}
}

static void check_whole_row(const struct whole *w, uint32_t row)
{
	const struct qry_row *r = qry_row(w->q, row);
	int64_t at = r->first;

	for (guint i = 0; i < row_of(w, row)->len; i++) {
		const struct mdl_interval *v = interval_at(w, row, i);

		g_assert_cmpint(v->from, ==, at);
		g_assert_cmpint(v->to, >, v->from);
		g_assert_cmpint(v->state, <, MDL_ST_N);
		g_assert_true(i == 0 || v->state != v[-1].state || v->detail != v[-1].detail ||
			v->aux != v[-1].aux);
		at = v->to;
	}
	g_assert_cmpint(at, ==, r->last);
}

/* Every row's intervals cover its life, one after the other, no two neighbours alike. */
static void check_cover(struct whole *w)
{
	for (uint32_t row = 0; row < qry_row_count(w->q); row++)
		check_whole_row(w, row);
}

static void test_cover(void)
{
	for_all(check_cover);
}

/* A cell, computed by a walk over all intervals. */
static void count_cell(const struct whole *w, uint32_t row, int64_t from, int64_t to, struct qry_cell *cell)
{
	memset(cell, 0, sizeof *cell);
	for (guint i = 0; i < row_of(w, row)->len; i++) {
		const struct mdl_interval *v = interval_at(w, row, i);

		if (v->to <= from || v->from >= to)
			continue;
		cell->ns[v->state] += MIN(v->to, to) - MAX(v->from, from);
		cell->intervals++;
	}
}

static void expect_cell(const struct whole *w, uint32_t row, int64_t from, int64_t to,
	const struct qry_cell *cell)
{
	struct qry_cell own;

	count_cell(w, row, from, to, &own);
	g_assert_cmpmem(own.ns, sizeof own.ns, cell->ns, sizeof cell->ns);
	if (from < to)
		g_assert_cmpuint(own.intervals, ==, cell->intervals);
}

/* An instant in or around the trace, often at a border of ROW. */
static int64_t random_time(const struct whole *w, uint32_t row)
{
	const GArray *all = row_of(w, row);
	int64_t from, to;

	if (all->len > 0 && g_rand_boolean(w->rand))
		return interval_at(w, row, (guint)g_rand_int_range(w->rand, 0, (gint32)all->len))->from +
			g_rand_int_range(w->rand, -2, 3);
	qry_span(w->q, &from, &to);
	return from - 1000 + (int64_t)(g_rand_double(w->rand) * (double)(to - from + 2000));
}

static void check_window(const struct whole *w)
{
	uint32_t rows[7], n = (uint32_t)g_rand_int_range(w->rand, 1, 8),
			  columns = (uint32_t)g_rand_int_range(w->rand, 1, 300);
	int64_t from, to;
	struct qry_cell *cells = g_new(struct qry_cell, (gsize)n * columns);

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (uint32_t)g_rand_int_range(w->rand, 0, (gint32)qry_row_count(w->q));
	from = random_time(w, rows[0]);
	to = g_rand_boolean(w->rand) ? random_time(w, rows[0])
				     : from + (1 << g_rand_int_range(w->rand, 0, 30));
	if (from >= to)
		to = from + 1;
	qry_window(w->q, rows, n, from, to, columns, cells);
	g_assert_cmpint(qry_column_time(from, to, columns, 0), ==, from);
	g_assert_cmpint(qry_column_time(from, to, columns, columns), ==, to);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = 0; c < columns; c += 1 + columns / 12)
			expect_cell(w, rows[i], qry_column_time(from, to, columns, c),
				qry_column_time(from, to, columns, c + 1), &cells[(gsize)i * columns + c]);
	g_free(cells);
}

static void check_windows(struct whole *w)
{
	for (unsigned i = 0; i < 60; i++)
		check_window(w);
}

static void test_windows(void)
{
	for_all(check_windows);
}

/* One cell: a row's whole life, all of time, nothing. */
static void check_shares(struct whole *w)
{
	for (uint32_t row = 0; row < qry_row_count(w->q); row += 3) {
		const struct qry_row *r = qry_row(w->q, row);
		int64_t a = random_time(w, row), b = random_time(w, row);
		struct qry_cell cell;

		qry_share(w->q, row, MIN(a, b), MAX(a, b), &cell);
		expect_cell(w, row, MIN(a, b), MAX(a, b), &cell);
		qry_share(w->q, row, r->first, r->last, &cell);
		expect_cell(w, row, r->first, r->last, &cell);
		g_assert_cmpuint(cell.intervals, ==, row_of(w, row)->len);
		qry_share(w->q, row, INT64_MIN, INT64_MAX, &cell);
		g_assert_cmpuint(cell.intervals, ==, row_of(w, row)->len);
		qry_share(w->q, row, r->last, INT64_MAX, &cell);
		g_assert_cmpuint(cell.intervals, ==, 0);
		qry_share(w->q, row, INT64_MIN, r->first, &cell);
		g_assert_cmpuint(cell.intervals, ==, 0);
	}
}

static void test_shares(void)
{
	for_all(check_shares);
}

static void expect_states(const struct whole *w, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = qry_states(w->q, row, from, to);
	guint at = 0;

	for (guint i = 0; i < row_of(w, row)->len; i++) {
		struct mdl_interval v = *interval_at(w, row, i);

		if (v.to <= from || v.from >= to || from == to)
			continue;
		v.from = MAX(v.from, from);
		v.to = MIN(v.to, to);
		g_assert_cmpuint(at, <, states->len);
		g_assert_true(same(&v, &g_array_index(states, struct mdl_interval, at)));
		at++;
	}
	g_assert_cmpuint(at, ==, states->len);
	g_array_unref(states);
}

/* A part of the intervals, clipped. */
static void check_parts(struct whole *w)
{
	for (unsigned i = 0; i < 300; i++) {
		uint32_t row = (uint32_t)g_rand_int_range(w->rand, 0, (gint32)qry_row_count(w->q));
		int64_t a = random_time(w, row), b = random_time(w, row);

		expect_states(w, row, MIN(a, b), MAX(a, b));
	}
}

static void test_parts(void)
{
	for_all(check_parts);
}

static void check_row_borders(const struct whole *w, uint32_t row)
{
	const struct qry_row *r = qry_row(w->q, row);
	guint n = row_of(w, row)->len, step = 1 + n / 50;
	struct mdl_interval v;

	g_assert_false(qry_state_at(w->q, row, r->first - 1, &v));
	g_assert_false(qry_state_at(w->q, row, r->last, &v));
	g_assert_false(qry_state_before(w->q, row, r->first, &v));
	for (guint i = 0; i < n; i += step) {
		const struct mdl_interval *own = interval_at(w, row, i);

		g_assert_true(qry_state_at(w->q, row, own->from, &v) && same(&v, own));
		g_assert_true(qry_state_at(w->q, row, own->to - 1, &v) && same(&v, own));
		g_assert_true(qry_state_before(w->q, row, own->to, &v) && same(&v, own));
		g_assert_true(qry_state_before(w->q, row, own->from + 1, &v) && same(&v, own));
		if (i > 0)
			g_assert_true(qry_state_before(w->q, row, own->from, &v) && same(&v, own - 1));
	}
	if (n > 0)
		g_assert_true(
			qry_state_before(w->q, row, INT64_MAX, &v) && same(&v, interval_at(w, row, n - 1)));
}

static void check_borders(struct whole *w)
{
	for (uint32_t row = 0; row < qry_row_count(w->q); row++)
		check_row_borders(w, row);
}

static void test_borders(void)
{
	for_all(check_borders);
}

/* At every instant the thread that a CPU names runs or is interrupted on that CPU of that host. */
static void check_cpu(const struct whole *w, uint32_t cpu_row)
{
	const struct qry_row *cpu = qry_row(w->q, cpu_row);

	for (guint i = 0; i < row_of(w, cpu_row)->len; i += 7) {
		const struct mdl_interval *on = interval_at(w, cpu_row, i);
		struct mdl_interval v;

		if (on->aux == MDL_NONE)
			continue;
		g_assert_cmpuint(qry_row(w->q, on->aux)->host, ==, cpu->host);
		g_assert_cmpint(qry_row(w->q, on->aux)->type, ==, MDL_ROW_THREAD);
		g_assert_true(qry_state_at(w->q, on->aux, on->from, &v));
		g_assert_cmpuint(v.aux, ==, cpu->nr);
		g_assert_true(v.state == MDL_ST_INTERRUPTED || v.state == MDL_ST_RUNNING ||
			v.state == MDL_ST_SYSCALL || v.state == MDL_ST_USERMODE);
		g_assert_cmpint(v.state == MDL_ST_INTERRUPTED, ==, on->state == MDL_ST_INTERRUPTED);
		g_assert_cmpint(on->state == MDL_ST_IDLE, ==,
			qry_row(w->q, on->aux)->nr == 0 && on->state != MDL_ST_INTERRUPTED);
	}
}

static void check_cpus(struct whole *w)
{
	for (uint32_t host = 0; host < qry_host_count(w->q); host++) {
		for (uint32_t cpu = 0; cpu < qry_host(w->q, host)->meta->n_cpus; cpu++) {
			uint32_t row = qry_cpu_row(w->q, host, cpu);

			g_assert_cmpuint(row, !=, MDL_NONE);
			g_assert_cmpuint(qry_row(w->q, row)->host, ==, host);
			check_cpu(w, row);
		}
		g_assert_cmpuint(qry_cpu_row(w->q, host, 8192), ==, MDL_NONE);
		g_assert_cmpuint(qry_cpu_row(w->q, host, MDL_NONE), ==, MDL_NONE);
	}
}

static void test_cpus(void)
{
	for_all(check_cpus);
}

/* Windows as wide as the range of time do not overflow. */
static void test_columns(void)
{
	g_assert_cmpint(qry_column_time(INT64_MIN, INT64_MAX, 4, 0), ==, INT64_MIN);
	g_assert_cmpint(qry_column_time(INT64_MIN, INT64_MAX, 4, 4), ==, INT64_MAX);
	g_assert_cmpint(qry_column_time(INT64_MIN, INT64_MAX, 2, 1), ==, 0);
	g_assert_cmpint(qry_column_time(10, 20, 3, 1), ==, 13);
	g_assert_cmpint(qry_column_time(10, 20, 3, 2), ==, 16);
	g_assert_cmpint(qry_column_time(10, 11, 5, 4), ==, 10);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/states/cover", test_cover);
	g_test_add_func("/states/windows", test_windows);
	g_test_add_func("/states/shares", test_shares);
	g_test_add_func("/states/parts", test_parts);
	g_test_add_func("/states/borders", test_borders);
	g_test_add_func("/states/cpus", test_cpus);
	g_test_add_func("/states/columns", test_columns);
	return g_test_run();
}
