/* SPDX-License-Identifier: MIT */
/* What was written row by row while the trace was read: rows, their names, their priorities. */
#include "index/table/parts.h"

/* ---- ROWS ---- */

static void chunk_rows_put_rows(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t,
	const char *id)
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

const struct idx_chunk_kind idx_chunk_rows = { .id = "ROWS", .put = chunk_rows_put_rows, .load = load_rows };

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
