/* SPDX-License-Identifier: MIT */
/*
 * How it works: the waits that the user declared, and the kernel's work for memory, are two lists. Each is
 * sorted by thread and time, and its entries of one thread do not overlap, so each question is a binary
 * search. They depend on the clocks, so they are kept with the experiment (qry_memo()).
 */
#include "query/host/parts.h"

#include "base/base_search.h"

void qry_set_spins_maker(struct qry *q, qry_spins_maker *maker)
{
	q->spins_maker = maker;
}

void qry_set_works_maker(struct qry *q, qry_spins_maker *maker)
{
	q->works_maker = maker;
}

void qry_spins_free(void *data)
{
	struct qry_spins *s = data;

	if (!s)
		return;
	g_array_unref(s->all);
	g_string_chunk_free(s->names);
	g_free(s);
}

static int spin_by_begin(const void *a, const void *b)
{
	const struct qry_spin *x = a, *y = b;

	return BASE_BY(x, y, row) ?: BASE_BY(x, y, from) ?: BASE_BY(y, x, to);
}

/* Sort S (may be NULL), and cut off the part of an entry that overlaps an earlier one of its thread. */
static struct qry_spins *sorted(struct qry_spins *s)
{
	const struct qry_spin *last = NULL;
	guint n = 0;

	if (!s)
		return NULL;
	g_array_sort(s->all, spin_by_begin);
	for (guint i = 0; i < s->all->len; i++) {
		struct qry_spin spin = g_array_index(s->all, struct qry_spin, i);

		if (last && last->row == spin.row)
			spin.from = MAX(spin.from, last->to);
		spin.released = CLAMP(spin.released, spin.from, spin.to);
		if (spin.from >= spin.to)
			continue;
		g_array_index(s->all, struct qry_spin, n) = spin;
		last = &g_array_index(s->all, struct qry_spin, n++);
	}
	g_array_set_size(s->all, n);
	return s;
}

static void *spins_new(struct qry *q)
{
	return sorted(q->spins_maker(q));
}

static void *works_new(struct qry *q)
{
	return sorted(q->works_maker(q));
}

const struct qry_spins *qry_spins(struct qry *q)
{
	static const char key;

	return q->spins_maker ? qry_memo(q, &key, spins_new, qry_spins_free) : NULL;
}

static const struct qry_spins *works(struct qry *q)
{
	static const char key;

	return q->works_maker ? qry_memo(q, &key, works_new, qry_spins_free) : NULL;
}

/* The number of the first entry of ROW that ends after TIME, or else of the first one of a later thread. */
static guint first_after(const struct qry_spins *s, uint32_t row, int64_t time)
{
	guint low = 0, high = s->all->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const struct qry_spin *at = &g_array_index(s->all, struct qry_spin, middle);

		if (at->row < row || (at->row == row && at->to <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Entry I if it is one of ROW; else NULL. */
static const struct qry_spin *of_row(const struct qry_spins *s, guint i, uint32_t row)
{
	const struct qry_spin *at = i < s->all->len ? &g_array_index(s->all, struct qry_spin, i) : NULL;

	return at && at->row == row ? at : NULL;
}

const struct qry_spin *qry_spin_after(struct qry *q, uint32_t row, int64_t time)
{
	const struct qry_spins *s = qry_spins(q);

	return s ? of_row(s, first_after(s, row, time), row) : NULL;
}

const struct qry_spin *qry_work_after(struct qry *q, uint32_t row, int64_t time)
{
	const struct qry_spins *s = works(q);

	return s ? of_row(s, first_after(s, row, time), row) : NULL;
}

void qry_works_find(struct qry *q)
{
	works(q);
}

const struct qry_spin *qry_spin_before(struct qry *q, uint32_t row, int64_t time)
{
	const struct qry_spin *spin = time > INT64_MIN ? qry_spin_after(q, row, time - 1) : NULL;

	return spin && spin->from < time ? spin : NULL;
}

bool qry_spins_concern(struct qry *q, uint32_t row)
{
	return q->spins_maker && qry_spin_after(q, row, INT64_MIN);
}

void qry_spins_take(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *piece)
{
	const struct qry_spins *s = qry_spins(q);
	guint i = s ? first_after(s, row, time) : 0;
	const struct qry_spin *before = s && i > 0 ? of_row(s, i - 1, row) : NULL,
			      *spin = s ? of_row(s, i, row) : NULL;

	if (before)
		piece->from = MAX(piece->from, before->to);
	if (spin && spin->from > time) {
		piece->to = MIN(piece->to, spin->from);
	} else if (spin) {
		piece->from = MAX(piece->from, spin->from);
		piece->to = MIN(piece->to, spin->to);
		piece->state = MDL_ST_WAITING;
		piece->detail = 0;
	}
}
