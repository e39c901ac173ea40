/* SPDX-License-Identifier: MIT */
/* What was written row by row while the trace was read: rows, their names, their priorities. */
#include "index/idx_chunk_parts.h"

#include "index/idx_leaf.h"
#include "index/idx_wake.h"

/* ---- ROWS ---- */

static void put_rows(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->row_records);
}

static bool is_row(const struct idx_reader *r, const struct idx_load_row *l, uint32_t rows)
{
	return l->row.type < MDL_ROW_TYPES && (l->row.parent < rows || l->row.parent == MDL_NONE) &&
		l->row.name < r->limits.strings && l->row.final <= MDL_ST_N && l->row.last >= l->row.first;
}

/* Rows stand in the order in which they ended; each number from 0 to COUNT - 1 once. */
static bool load_rows(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count;
	const uint8_t *p = r->t->rows = idx_map_records(r->map, id, IDX_ROW_SIZE, &count, error);

	if (!p)
		return false;
	r->t->record = g_new(uint32_t, count);
	for (uint32_t i = 0; i < count; i++)
		r->t->record[i] = MDL_NONE;
	for (uint32_t i = 0; i < count; i++, p += IDX_ROW_SIZE) {
		uint32_t number = idx_get32(p + 120);
		struct idx_load_row l = idx_load_record_row(p);

		if (number >= count || r->t->record[number] != MDL_NONE)
			return idx_map_bad_chunk(r->map, id, error);
		if (!is_row(r, &l, count) || !idx_take_count(&r->left, &l.intervals, IDX_LEAST_INTERVAL) ||
			!idx_take_count(&r->left, &l.wakeups, IDX_LEAST_WAKEUP))
			return idx_map_bad_chunk(r->map, id, error);
		r->t->record[number] = i;
	}
	r->limits.rows = count;
	return true;
}

static void check_interval(struct idx_verify *v, const struct idx_child *at, const struct mdl_interval *i)
{
	if (i->to <= i->from)
		idx_verify_found_at(&v->tree, at, "an interval is empty or ends before it begins");
	if (v->has_last && i->from != v->last.to)
		idx_verify_found_at(&v->tree, at, "an interval does not begin where the one before ends");
	if (v->has_last && i->state == v->last.state && i->detail == v->last.detail && i->aux == v->last.aux)
		idx_verify_found_at(&v->tree, at, "two neighbours are alike");
	v->last = *i;
	v->has_last = true;
}

static void check_intervals(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_verify *v = owner;
	struct mdl_interval intervals[IDX_LEAF_INTERVALS];
	struct idx_leaf leaf;
	uint64_t length;

	if (!idx_leaf_open(block, at->size, &leaf) ||
		!idx_leaf_read(&leaf, v->tree.series.row_type, v->tree.series.limits, at->first, intervals)) {
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of intervals does not hold");
		return;
	}
	for (unsigned i = 0; i < leaf.count; i++) {
		check_interval(v, at, &intervals[i]);
		real->sums[intervals[i].state] += (uint64_t)intervals[i].to - (uint64_t)intervals[i].from;
	}
	real->count = leaf.count;
	real->end = intervals[leaf.count - 1].to;
	length = (uint64_t)real->end - (uint64_t)intervals[leaf.count - 1].from;
	real->tail = length >> 60 == 0 ? length << 4 | intervals[leaf.count - 1].state : 0;
	v->totals->intervals += leaf.count;
}

/* A wake-up names cause NUMBER, 0 none: no other one does. */
static void check_named(struct idx_verify *v, const struct idx_child *at, uint32_t number)
{
	if (number == 0)
		return;
	if (v->named[number])
		idx_verify_found_at(&v->tree, at, "the cause of a wake-up is that of another");
	v->n_named += !v->named[number];
	v->named[number] = 1;
}

static void check_wakeups(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_verify *v = owner;
	struct mdl_wakeup wakeups[IDX_LEAF_WAKEUPS];
	unsigned n = idx_wake_read(block, at->size, idx_wake_count(block), at->first, v->tree.series.limits,
		wakeups);

	if (n == 0)
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of wake-ups does not hold");
	for (unsigned i = 0; i < n; i++) {
		idx_verify_time(v, at, wakeups[i].time);
		check_named(v, at, wakeups[i].cause);
		real->sums[IDX_WAKE_EMPTY] += mdl_wakeup_is_empty(&wakeups[i]);
	}
	real->count = n;
	v->totals->wakeups += n;
}

static void check_row(struct idx_verify *v, uint32_t row)
{
	struct idx_load_row l = idx_load_row(v->r, row);

	idx_verify_walk(v, &l.intervals, IDX_KIND_INTERVALS, row, l.row.type, check_intervals);
	if (l.intervals.offset == 0 ? l.row.first != l.row.last
				    : l.intervals.first != l.row.first || v->last.to != l.row.last)
		idx_verify_found(&v->tree, "row %u: its intervals do not cover its life", row);
	idx_verify_walk(v, &l.wakeups, IDX_KIND_WAKEUPS, row, l.row.type, check_wakeups);
}

static bool is_within(const struct idx_verify *v, int64_t time)
{
	return time >= v->r->t->meta->from && time <= v->r->t->meta->to;
}

/* The last of the names of ROW, which has N, not 0. */
static uint32_t last_name(const struct idx_shared *t, uint32_t row, uint32_t n)
{
	return idx_get32(t->names + ((size_t)t->first_name[row] + n - 1) * IDX_NAME_SIZE + 4);
}

/* Do the facts of ROW agree with each other, and with its names? */
static void check_facts(struct idx_verify *v, uint32_t row)
{
	const uint8_t *p = idx_load_record(v->r, row);
	const struct idx_load_row l = idx_load_record_row(p);
	const struct mdl_row r = l.row;
	const struct idx_shared *t = v->r->t;
	bool thread = r.type == MDL_ROW_THREAD,
	     has_priorities = t->first_priority[row + 1] > t->first_priority[row];

	if (p[1] > 3 || p[3] != 0)
		idx_verify_found(&v->tree, "row %u: its record has bits that mean nothing", row);
	if (r.last > r.first && (!is_within(v, r.first) || !is_within(v, r.last)))
		idx_verify_found(&v->tree, "row %u: it lives outside the trace", row);
	if (l.n_names > 0 && last_name(t, row, l.n_names) != r.name)
		idx_verify_found(&v->tree, "row %u: its name is not the last it took", row);
	if (r.parent != MDL_NONE && *idx_load_record(v->r, r.parent) != MDL_ROW_THREAD)
		idx_verify_found(&v->tree, "row %u: what it comes from is no thread", row);
	if (!thread && (l.n_names > 0 || has_priorities))
		idx_verify_found(&v->tree, "row %u: it has names or priorities, and is no thread", row);
}

static void verify_rows(struct idx_verify *v)
{
	for (uint32_t row = 0; row < v->r->limits.rows; row++) {
		check_facts(v, row);
		check_row(v, row);
	}
}

const struct idx_chunk_kind idx_chunk_rows = { .id = "ROWS",
	.put = put_rows,
	.load = load_rows,
	.verify = verify_rows };

/* ---- NAME ---- */

static void put_names(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->name_records);
}

/* The N names at P are those of ROW, oldest first. */
static bool are_names(const struct idx_reader *r, const uint8_t *p, uint32_t n, uint32_t row)
{
	int64_t before = INT64_MIN;

	for (uint32_t i = 0; i < n; i++, p += IDX_NAME_SIZE) {
		int64_t time = (int64_t)idx_get64(p + 8);

		if (idx_get32(p) != row || idx_get32(p + 4) >= r->limits.strings || time < before)
			return false;
		before = time;
	}
	return true;
}

static bool load_names(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count, at = 0;
	const uint8_t *p = r->t->names = idx_map_records(r->map, id, IDX_NAME_SIZE, &count, error),
		      *row = r->t->rows;

	if (!p)
		return false;
	r->t->first_name = g_new(uint32_t, r->limits.rows);
	for (uint32_t i = 0; i < r->limits.rows; i++, row += IDX_ROW_SIZE) {
		uint32_t number = idx_get32(row + 120), n = idx_get32(row + 124);

		r->t->first_name[number] = at;
		if (n > count - at || !are_names(r, p + (size_t)at * IDX_NAME_SIZE, n, number))
			return idx_map_bad_chunk(r->map, id, error);
		at += n;
	}
	return at == count || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_names = { .id = "NAME", .put = put_names, .load = load_names };

/* ---- PRIO ---- */

static void put_priorities(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->priority_records);
}

/* Is P a record of PRIO, which comes after one at BEFORE? */
static bool is_priority(const struct idx_reader *r, const uint8_t *p, int64_t before)
{
	int32_t value = (int32_t)idx_get32(p + 4);

	return idx_get32(p) < r->limits.rows && value >= MDL_PRIORITY_DEADLINE && value < MDL_PRIORITY_END &&
		(int64_t)idx_get64(p + 8) >= before;
}

/* They come in order of time, and are found row by row: counted first, then put into their places. */
static bool load_priorities(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count, *first;
	const uint8_t *p = r->t->priorities = idx_map_records(r->map, id, IDX_PRIORITY_SIZE, &count, error);
	int64_t before = INT64_MIN;

	if (!p)
		return false;
	r->t->priority = g_new(uint32_t, count);
	r->t->first_priority = first = g_new0(uint32_t, (gsize)r->limits.rows + 2);
	for (uint32_t i = 0; i < count; i++, p += IDX_PRIORITY_SIZE) {
		if (!is_priority(r, p, before))
			return idx_map_bad_chunk(r->map, id, error);
		before = (int64_t)idx_get64(p + 8);
		first[idx_get32(p) + 2]++;
	}
	for (uint32_t i = 0; i < r->limits.rows; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < count; i++)
		r->t->priority[first[idx_get32(r->t->priorities + (size_t)i * IDX_PRIORITY_SIZE) + 1]++] = i;
	return true;
}

const struct idx_chunk_kind idx_chunk_priorities = { .id = "PRIO",
	.put = put_priorities,
	.load = load_priorities };
