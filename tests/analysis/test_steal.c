/* SPDX-License-Identifier: MIT */
/*
 * The states of a guest's rows, cut by its virtual CPU: sums of windows are those of the states in them, by
 * the clock of the host and by that of the guest.  That the states are right: tests/oracle/guest.t.
 */
#include "app/app_open.h"
#include "query/clock/clock.h"

#include <string.h>

#define WINDOWS 2000
#define COLUMNS 60

/* The sample trace of a guest and its host, with FIRST as reference; NULL if it is not there. */
static struct qry *open_both(const char *first, const char *second)
{
	char *a = g_build_filename(g_getenv("SAMPLES"), "vm-preempt", first, NULL);
	char *b = g_build_filename(g_getenv("SAMPLES"), "vm-preempt", second, NULL);
	char *index_dir = g_build_filename(g_get_tmp_dir(), "steal-index", NULL);
	GError *error = NULL;
	struct qry *q = app_open((char *[]){ a, b, NULL },
		&(struct ing_options){ .index_dir = index_dir, .jobs = 1 }, &(struct app_clocks){ 0 }, NULL,
		&error);

	g_assert_no_error(error);
	g_free(a);
	g_free(b);
	g_free(index_dir);
	return q;
}

/* The states of ROW in the window. */
static struct qry_cell count(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = qry_states(q, row, from, to);
	struct qry_cell cell = { 0 };
	int64_t at = MAX(from, qry_row(q, row)->first);

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		g_assert_cmpint(iv->from, ==, at);
		g_assert_cmpint(iv->to, >, iv->from);
		cell.ns[iv->state] += iv->to - iv->from;
		at = iv->to;
	}
	if (at < to)
		g_assert_cmpint(at, ==, MAX(from, qry_row(q, row)->last));
	cell.intervals = states->len;
	g_array_unref(states);
	return cell;
}

static void check_window(struct qry *q, uint32_t row, int64_t from, int64_t to, uint32_t n)
{
	struct qry_cell cells[COLUMNS];

	qry_window(q, &row, 1, from, to, n, cells);
	for (uint32_t c = 0; c < n; c++) {
		struct qry_cell is = count(q, row, qry_column_time(from, to, n, c),
			qry_column_time(from, to, n, c + 1));

		g_assert_cmpmem(cells[c].ns, sizeof is.ns, is.ns, sizeof is.ns);
		if (qry_column_time(from, to, n, c) < qry_column_time(from, to, n, c + 1))
			g_assert_cmpuint(cells[c].intervals, ==, is.intervals);
	}
}

/* The state at TIME is that of the interval around it, and differs from that by the guest's own kernel
 * only where the thread has a CPU. */
static void check_instant(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv, before, own;
	struct qry_cell cell;

	if (!qry_state_at(q, row, time, &iv))
		return;
	g_assert_cmpint(iv.from, <=, time);
	g_assert_cmpint(iv.to, >, time);
	g_assert_true(qry_state_before(q, row, time + 1, &before));
	g_assert_cmpint(before.from, ==, iv.from);
	g_assert_cmpint(before.to, ==, iv.to);
	cell = count(q, row, time, time + 1);
	g_assert_cmpint(cell.ns[iv.state], ==, 1);
	g_assert_true(qry_kernel_state_at(q, row, time, &own));
	g_assert_cmpint(own.from, <=, iv.from);
	g_assert_cmpint(own.to, >=, iv.to);
	if (own.state != iv.state)
		g_assert_true(own.state == MDL_ST_USERMODE || own.state == MDL_ST_SYSCALL ||
			own.state == MDL_ST_RUNNING || own.state == MDL_ST_INTERRUPTED);
}

/* Rows of interrupts are not cut: by another clock their sums are scaled, and may be off by a nanosecond. */
static bool is_cut(const struct qry *q, uint32_t row)
{
	return qry_row(q, row)->type == MDL_ROW_THREAD || qry_row(q, row)->type == MDL_ROW_CPU;
}

static int64_t between(GRand *rand, int64_t from, int64_t to)
{
	return from + (int64_t)(g_rand_double(rand) * (double)(to - from));
}

static void check_order(const char *first, const char *second, int64_t sums[MDL_ST_N])
{
	struct qry *q = open_both(first, second);
	GRand *rand = g_rand_new_with_seed(13);
	int64_t from, to;
	uint32_t guest = strcmp(first, "guest") == 0 ? 0 : 1;
	const struct qry_host *h = qry_host(q, guest);

	qry_span(q, &from, &to);
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++) {
		struct qry_cell cell = count(q, row, from, to);

		if (!is_cut(q, row))
			continue;
		check_window(q, row, from, to, 1);
		if (qry_row(q, row)->type == MDL_ROW_CPU)
			for (unsigned s = 0; s < MDL_ST_N; s++)
				sums[s] += cell.ns[s];
	}
	for (unsigned i = 0; i < WINDOWS; i++) {
		uint32_t row = h->first_row + g_rand_int(rand) % h->n_rows;
		int64_t begin = between(rand, h->from - 1000000, h->to);
		int64_t span = between(rand, 1, 1 + (1 << g_rand_int_range(rand, 0, 30)));

		if (!is_cut(q, row))
			continue;
		check_window(q, row, begin, begin + span, 1 + g_rand_int(rand) % COLUMNS);
		check_instant(q, row, begin);
	}
	g_rand_free(rand);
	qry_free(q);
}

static void test_windows(void)
{
	int64_t by_host[MDL_ST_N] = { 0 }, by_guest[MDL_ST_N] = { 0 };

	check_order("host", "guest", by_host);
	check_order("guest", "host", by_guest);
	g_assert_cmpint(by_host[MDL_ST_VCPU_PREEMPTED], >, 100000000);
	/* A second of one clock is a second of the other, within some millionths. */
	for (unsigned s = 0; s < MDL_ST_N; s++)
		g_assert_cmpint(ABS(by_host[s] - by_guest[s]), <=, 200000);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/steal/windows", test_windows);
	return g_test_run();
}
