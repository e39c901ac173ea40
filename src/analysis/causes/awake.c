/* SPDX-License-Identifier: MIT */
/*
 * The states of threads in a stretch, read once.
 *
 * Each wait asks if the thread that ended it was blocked or gone at any time during the wait.  For a thread
 * that many waits ask about, those times in the stretch are listed once.
 *
 * With several hosts all times are shown times, and the states of a thread may sum to more or less than the
 * difference of two shown times.  So there is no list then: qry_share() answers each question.
 */
#include "analysis/causes/parts.h"

#include "base/base_search.h"

#define FEW 16 /* questions about a thread in a stretch that are answered without a list */

struct thread {
	uint32_t asked;    /* number of questions */
	guint first, last; /* its part of OFF, after more than FEW questions */
	guint states, n;   /* its part of STATES; N 0: not read */
};

struct ana_causes_awake {
	struct qry *q; /* weak */
	int64_t from, to;
	GArray *threads; /* of struct thread, by row */
	GArray *off;     /* of struct ana_causes_span, of each thread by time */
	GArray *states;  /* of struct mdl_interval, of each thread by time */
};

struct ana_causes_awake *ana_causes_awake_new(struct qry *q)
{
	struct ana_causes_awake *a = g_new(struct ana_causes_awake, 1);

	*a = (struct ana_causes_awake){ .q = q,
		.threads = g_array_new(FALSE, TRUE, sizeof(struct thread)),
		.off = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_span)),
		.states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval)) };
	return a;
}

void ana_causes_awake_free(struct ana_causes_awake *a)
{
	if (!a)
		return;
	g_array_unref(a->threads);
	g_array_unref(a->off);
	g_array_unref(a->states);
	g_free(a);
}

void ana_causes_awake_stretch(struct ana_causes_awake *a, int64_t from, int64_t to)
{
	a->from = from;
	a->to = to;
	g_array_set_size(a->off, 0);
	g_array_set_size(a->states, 0);
	g_array_set_size(a->threads, 0);
	g_array_set_size(a->threads, qry_row_count(a->q));
}

static bool is_off(unsigned state)
{
	return state == MDL_ST_BLOCKED || state == MDL_ST_UNKNOWN || state == MDL_ST_EXITED;
}

const struct mdl_interval *ana_causes_states(struct ana_causes_awake *a, uint32_t row, guint *n)
{
	struct thread *t = &g_array_index(a->threads, struct thread, row);

	if (t->n == 0) {
		t->states = a->states->len;
		qry_kernel_states_whole(a->q, row, a->from, a->to, a->states);
		t->n = a->states->len - t->states;
	}
	*n = t->n;
	return &g_array_index(a->states, struct mdl_interval, t->states);
}

static void list(struct ana_causes_awake *a, uint32_t row, struct thread *t)
{
	const struct mdl_interval *states;
	guint n;

	states = ana_causes_states(a, row, &n);
	t->first = a->off->len;
	for (guint i = 0; i < n; i++) {
		struct ana_causes_span off = { states[i].from, states[i].to };

		if (is_off(states[i].state))
			g_array_append_val(a->off, off);
	}
	t->last = a->off->len;
}

static bool is_listed_awake(const struct ana_causes_awake *a, const struct thread *t, int64_t from,
	int64_t to)
{
	const struct ana_causes_span *off = &g_array_index(a->off, struct ana_causes_span, t->first);
	uint64_t n = t->last > t->first ? base_search_below(&off->from, t->last - t->first, sizeof *off, to)
					: 0;

	return n == 0 || off[n - 1].to <= from;
}

bool ana_causes_is_awake(struct ana_causes_awake *a, uint32_t row, int64_t from, int64_t to)
{
	const struct qry_row *r = qry_row(a->q, row);
	struct qry_cell cell;
	int64_t own = 0;

	if (qry_host_count(a->q) == 1 && from >= MAX(a->from, r->first) && to <= MIN(a->to, r->last)) {
		struct thread *t = &g_array_index(a->threads, struct thread, row);

		if (++t->asked == FEW)
			list(a, row, t);
		if (t->asked >= FEW)
			return is_listed_awake(a, t, from, to);
	}
	qry_share(a->q, row, from, to, &cell);
	for (unsigned i = 0; i < MDL_ST_N; i++)
		own += is_off(i) ? 0 : cell.ns[i];
	return own == to - from;
}
