/* SPDX-License-Identifier: MIT */
/*
 * How it works: one pass over the waits of all threads calls ana_cpuwait_split(), like every other answer
 * about a wait. It keeps the throttled parts of each thread in order of time, with the sum of the earlier
 * ones. A cell is then the difference of two look-ups, however much lies between. The pass leaves out threads
 * that cannot be throttled: those with too short waits, and fair ones of a host without a quota timer.
 *
 * The result never changes, so experiments opened again for other threads share it.
 */
#include "analysis/cpu/cpuwait.h"

#include "base/base_error.h"
#include "base/base_search.h"

#include <string.h>

/* A throttled part of a wait. */
struct part {
	int64_t from, to;
	int64_t before[2]; /* ns of the thread's earlier parts, for each of states[] */
	uint8_t of;        /* index in states[] */
};

/* The states of waits that are split. */
static const enum mdl_state states[] = { MDL_ST_PREEMPTED, MDL_ST_WAIT_CPU };

struct ana_throttled {
	gatomicrefcount refs;
	GArray *parts;   /* of struct part, thread by thread */
	GHashTable *ofs; /* row → struct range, owned: rows with any */
};

struct range {
	guint first, n;
};

/* ---- made once ---- */

static void add_parts(struct ana_throttled *t, struct qry *q, uint32_t row, const GArray *waits,
	const struct ana_wait_near *near)
{
	struct range range = { t->parts->len, 0 };
	int64_t sums[G_N_ELEMENTS(states)] = { 0 };

	for (guint i = 0; i < waits->len; i++) {
		const struct mdl_interval *iv = &g_array_index(waits, struct mdl_interval, i);
		struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
		struct part part = { .of = iv->state == MDL_ST_WAIT_CPU };

		if ((iv->state != MDL_ST_PREEMPTED && iv->state != MDL_ST_WAIT_CPU) ||
			ana_cpuwait_split(q, row, iv, near, parts) == 0 || !parts[0].quota)
			continue;
		part.from = parts[0].from;
		part.to = parts[0].to;
		memcpy(part.before, sums, sizeof sums);
		sums[part.of] += part.to - part.from;
		g_array_append_val(t->parts, part);
		range.n++;
	}
	if (range.n > 0)
		g_hash_table_insert(t->ofs, GUINT_TO_POINTER(row), g_memdup2(&range, sizeof range));
}

static bool may_be_throttled(struct qry *q, uint32_t row, const struct ana_wait_near *near)
{
	struct qry_cell life = qry_life(q, row);

	return qry_row(q, row)->type == MDL_ROW_THREAD && qry_row(q, row)->cpu == MDL_NONE &&
		life.ns[MDL_ST_PREEMPTED] + life.ns[MDL_ST_WAIT_CPU] > 0 &&
		ana_throttle_concerns(q, row, near);
}

struct ana_throttled *ana_throttled_new(struct qry *q, struct base_progress *progress, GError **error)
{
	struct ana_throttled *t = g_new0(struct ana_throttled, 1);
	g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));

	g_atomic_ref_count_init(&t->refs);
	t->parts = g_array_new(FALSE, FALSE, sizeof(struct part));
	t->ofs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	ana_throttle_many(q);
	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		struct ana_wait_near near;

		if (progress && base_progress_cancelled(progress)) {
			ana_throttled_unref(t);
			return base_error_null(error, BASE_ERROR_CANCELLED, "interrupted");
		}
		if (qry_row(q, row)->type != MDL_ROW_THREAD)
			continue;
		near = ana_wait_near(q, row);
		if (!may_be_throttled(q, row, &near))
			continue;
		g_array_set_size(waits, 0);
		qry_kernel_states_whole(q, row, INT64_MIN, INT64_MAX, waits);
		add_parts(t, q, row, waits, &near);
	}
	return t;
}

void ana_throttled_unref(struct ana_throttled *t)
{
	if (!t || !g_atomic_ref_count_dec(&t->refs))
		return;
	g_array_unref(t->parts);
	g_hash_table_unref(t->ofs);
	g_free(t);
}

/* ---- of an experiment ---- */

struct holder {
	struct ana_throttled *of; /* owned; NULL: not known */
};

static void *holder_new(G_GNUC_UNUSED struct qry *q)
{
	return g_new0(struct holder, 1);
}

static void holder_free(void *data)
{
	struct holder *h = data;

	ana_throttled_unref(h->of);
	g_free(h);
}

static struct holder *holder_of(struct qry *q)
{
	static const char key;

	return qry_memo(q, &key, holder_new, holder_free);
}

void ana_throttled_use(struct qry *q, struct ana_throttled *t)
{
	struct holder *h = holder_of(q);

	ana_throttled_unref(h->of);
	h->of = t;
}

bool ana_throttled_is_known(struct qry *q)
{
	return holder_of(q)->of;
}

/* ---- cells ---- */

/* Set SUMS to the ns of RANGE before TIME, for each of states[]. */
static void sums_before(const struct ana_throttled *t, const struct range *range, int64_t time,
	int64_t sums[G_N_ELEMENTS(states)])
{
	const struct part *all = &g_array_index(t->parts, struct part, range->first), *last;
	gsize n = base_search_below(&all->from, range->n, sizeof *all, time);

	memset(sums, 0, G_N_ELEMENTS(states) * sizeof *sums);
	if (n == 0)
		return;
	last = &all[n - 1];
	memcpy(sums, last->before, sizeof last->before);
	sums[last->of] += MIN(last->to, time) - last->from;
}

static void move_parts(const struct ana_throttled *t, const struct range *range, int64_t from, int64_t to,
	uint32_t columns, struct qry_cell *cells)
{
	int64_t before[G_N_ELEMENTS(states)], sums[G_N_ELEMENTS(states)];

	sums_before(t, range, from, before);
	for (uint32_t c = 0; c < columns; c++) {
		sums_before(t, range, qry_column_time(from, to, columns, c + 1), sums);
		for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
			/* The thread of a guest may have lost a part of that to its host. */
			int64_t part = MIN(sums[i] - before[i], cells[c].ns[states[i]]);

			cells[c].ns[states[i]] -= part;
			cells[c].ns[QRY_CELL_THROTTLED] += part;
		}
		memcpy(before, sums, sizeof sums);
	}
}

void ana_throttled_window(struct qry *q, const uint32_t *rows, uint32_t n, int64_t from, int64_t to,
	uint32_t columns, struct qry_cell *cells)
{
	const struct ana_throttled *t = holder_of(q)->of;

	qry_window(q, rows, n, from, to, columns, cells);
	for (uint32_t i = 0; t && i < n; i++) {
		const struct range *range = g_hash_table_lookup(t->ofs, GUINT_TO_POINTER(rows[i]));

		if (range)
			move_parts(t, range, from, to, columns, cells + (size_t)i * columns);
	}
}
