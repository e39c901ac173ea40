/* SPDX-License-Identifier: MIT */
/*
 * How it works: the index has the sums of a row before any instant of the host's own clock, so a cell is the
 * difference of two look-ups.
 *
 * If the host has another clock than the one shown, the borders of columns are converted to instants of the
 * host. Between two of them the host's time and the shown time differ in length. Within one line of the clock
 * they are proportional: the times of states are stretched, and the remainder of rounding goes to the states
 * that lost most by it. Between two lines the clock jumps or stops, so more knots are added there.
 *
 * Rows of guests whose host is open, too, and of threads with declared waits are summed up in shown time
 * (query/host/steal.c), so nothing is stretched.
 */
#include "query/host/parts.h"

#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

/* The time axis of a window for one host. Knots are instants in both times; both times never decrease. */
struct qry_axis {
	int64_t from, to;      /* of the window */
	uint32_t n_columns;    /* of the window */
	int64_t *shown, *host; /* the knots; owned */
	uint32_t n;
	uint32_t *columns; /* owned; the knot at the begin of each column, and at the end of the last */
};

struct window {
	struct qry *q;
	int64_t *times; /* borders of columns */
	uint32_t n_columns;
	struct idx_sums *sums; /* before each knot or border */
	uint32_t room;         /* of sums, allocated */
};

int64_t qry_column_time(int64_t from, int64_t to, uint32_t n_columns, uint32_t c)
{
	return base_time_column(from, to, n_columns, c);
}

/* ---- the axis of a host ---- */

struct knot {
	int64_t shown, host;
};

/* Add the knots around the begin of a line of the clock, which is shown at START: the clock jumps to START,
 * or stops until the line has caught up. */
static void add_turn(const struct qry_source *s, int64_t start, int64_t to, GArray *knots)
{
	int64_t first = qry_source_host(s, start), last = qry_source_held(s, start);
	struct knot turn[] = { { 0, first - 1 }, { 0, first }, { 0, last } };

	for (unsigned i = 0; i < G_N_ELEMENTS(turn); i++)
		turn[i].shown = qry_source_shown(s, turn[i].host);
	if (turn[0].shown <= to)
		g_array_append_vals(knots, turn, G_N_ELEMENTS(turn));
}

/* Add the knots of all lines that touch [FROM, TO]. The last one may be after TO if the clock jumps there. */
static void add_turns(const struct qry_source *s, int64_t from, int64_t to, GArray *knots)
{
	const GArray *starts = s->clock->starts;
	int64_t start = from;
	/* The first line that begins at FROM or later. The very first line has no begin. */
	guint i = 1 +
		(guint)base_search_below(&g_array_index(starts, int64_t, 1), MAX(starts->len, 1) - 1,
			sizeof(int64_t), from);

	for (; i < starts->len && start <= to; i++) {
		start = g_array_index(starts, int64_t, i);
		if (start > INT64_MIN && start < INT64_MAX)
			add_turn(s, start, to, knots);
	}
}

static int window_by_time(const void *a, const void *b)
{
	const struct knot *x = a, *y = b;

	return BASE_BY(x, y, shown) ?: BASE_BY(x, y, host);
}

static GArray *find_knots(const struct qry_source *s, const int64_t *times, uint32_t n_columns)
{
	GArray *knots = g_array_sized_new(FALSE, FALSE, sizeof(struct knot), n_columns + 1);

	for (uint32_t c = 0; c <= n_columns; c++) {
		struct knot border = { times[c], qry_source_host(s, times[c]) };

		g_array_append_val(knots, border);
	}
	add_turns(s, times[0], times[n_columns], knots);
	if (knots->len > n_columns + 1)
		g_array_sort(knots, window_by_time);
	return knots;
}

static struct qry_axis *axis_new(const struct qry_source *s, const int64_t *times, uint32_t n_columns)
{
	g_autoptr(GArray) knots = find_knots(s, times, n_columns);
	struct qry_axis *axis = g_new(struct qry_axis, 1);
	uint32_t at = 0;

	*axis = (struct qry_axis){ .from = times[0],
		.to = times[n_columns],
		.n_columns = n_columns,
		.n = knots->len };
	axis->shown = g_new0(int64_t, axis->n);
	axis->host = g_new0(int64_t, axis->n);
	axis->columns = g_new(uint32_t, n_columns + 1);
	for (uint32_t i = 0; i < axis->n; i++) {
		axis->shown[i] = g_array_index(knots, struct knot, i).shown;
		axis->host[i] = g_array_index(knots, struct knot, i).host;
	}
	for (uint32_t c = 0; c <= n_columns; c++) {
		while (axis->shown[at] < times[c])
			at++;
		axis->columns[c] = at;
	}
	return axis;
}

/* The axis of S, which keeps it, because callers usually ask for many rows of one window. */
static const struct qry_axis *axis_of(const struct window *w, struct qry_source *s)
{
	const struct qry_axis *kept = s->axis;

	if (kept && kept->n_columns == w->n_columns && kept->from == w->times[0] &&
		kept->to == w->times[w->n_columns])
		return kept;
	qry_axis_free(s->axis);
	s->axis = axis_new(s, w->times, w->n_columns);
	return s->axis;
}

void qry_axis_free(struct qry_axis *axis)
{
	if (!axis)
		return;
	g_free(axis->shown);
	g_free(axis->host);
	g_free(axis->columns);
	g_free(axis);
}

/* ---- cells ---- */

static uint32_t intervals_between(const struct idx_sums *a, const struct idx_sums *b)
{
	return (uint32_t)(b->intervals - a->intervals + (a->cut ? 1 : 0));
}

/* A · B / BY, rounded down. *REST is the remainder. */
static uint64_t portion(uint64_t a, uint64_t b, uint64_t by, uint64_t *rest)
{
	uint64_t product;
	__extension__ unsigned __int128 wide;

	*rest = 0;
	if (a == 0)
		return 0;
	if (!__builtin_mul_overflow(a, b, &product)) {
		*rest = product % by;
		return product / by;
	}
	wide = (__extension__(unsigned __int128) a) * b;
	*rest = (uint64_t)(wide % by);
	return (uint64_t)(wide / by);
}

/* Add SPAN ns to CELL, divided among the states in proportion to the OWN ns between A and B, by largest
 * remainders (A. Hamilton, 1792). */
static void add_stretched(const struct idx_sums *a, const struct idx_sums *b, uint64_t own, uint64_t span,
	struct qry_cell *cell)
{
	uint64_t rest[MDL_ST_N], left = span;

	for (unsigned s = 0; s < MDL_ST_N; s++) {
		uint64_t share = portion(b->ns[s] - a->ns[s], span, own, &rest[s]);

		cell->ns[s] += (int64_t)share;
		left -= share;
	}
	for (; left > 0; left--) {
		unsigned most = 0;

		for (unsigned s = 1; s < MDL_ST_N; s++)
			if (rest[s] > rest[most])
				most = s;
		if (rest[most] == 0)
			break; /* only in a damaged index, whose sums do not add up to OWN */
		rest[most] = 0;
		cell->ns[most]++;
	}
}

/* Add the time between knots K and K + 1 of row R to CELL. */
static void window_add_part(struct window *w, const struct qry_axis *axis, uint32_t k,
	const struct qry_row *r, const struct mdl_row *own, struct qry_cell *cell)
{
	int64_t span = CLAMP(axis->shown[k + 1], r->first, r->last) -
		CLAMP(axis->shown[k], r->first, r->last);
	int64_t from = CLAMP(axis->host[k], own->first, own->last),
		to = CLAMP(axis->host[k + 1], own->first, own->last);
	struct mdl_interval i;

	if (span == 0)
		return;
	if (from < to)
		add_stretched(&w->sums[k], &w->sums[k + 1], (uint64_t)(to - from), (uint64_t)span, cell);
	else if (qry_source_state_at(w->q, r->id, to - 1, &i))
		cell->ns[i.state] += span; /* no instant of the host is shown there */
}

static void show_cells(struct window *w, const struct qry_axis *axis, const struct qry_row *r,
	const struct mdl_row *own, struct qry_cell *cells)
{
	for (uint32_t c = 0; c < w->n_columns; c++) {
		if (w->times[c + 1] <= r->first || w->times[c] >= r->last)
			continue;
		for (uint32_t k = axis->columns[c]; k < axis->columns[c + 1]; k++)
			window_add_part(w, axis, k, r, own, &cells[c]);
		cells[c].intervals = intervals_between(&w->sums[axis->columns[c]],
			&w->sums[axis->columns[c + 1]]);
		if (cells[c].intervals == 0 && w->times[c] < w->times[c + 1])
			cells[c].intervals = 1; /* of the instant before, as in window_add_part() */
	}
}

static void window_make_room(struct window *w, uint32_t n)
{
	if (w->sums && n <= w->room)
		return;
	w->room = n;
	w->sums = g_renew(struct idx_sums, w->sums, w->room);
}

static void window_row(struct window *w, uint32_t row, struct qry_cell *cells)
{
	const struct qry_row *r = &w->q->rows[row];
	const int64_t *times = w->times;
	const struct qry_axis *axis;
	struct mdl_row own;
	uint32_t local;
	bool steals;
	struct qry_source *s = qry_source_of(w->q, row, &local);

	memset(cells, 0, w->n_columns * sizeof *cells);
	if (times[0] >= r->last || times[w->n_columns] <= r->first)
		return;
	steals = qry_steal_concerns(w->q, row);
	if (s->clock && !steals) {
		axis = axis_of(w, s);
		window_make_room(w, axis->n);
		idx_reader_sums(s->reader, local, axis->host, axis->n, w->sums);
		own = idx_reader_row(s->reader, local);
		show_cells(w, axis, r, &own, cells);
		return;
	}
	window_make_room(w, w->n_columns + 1);
	if (steals)
		qry_steal_sums(w->q, row, times, w->n_columns + 1, w->sums);
	else
		idx_reader_sums(s->reader, local, times, w->n_columns + 1, w->sums);
	for (uint32_t c = 0; c < w->n_columns; c++) {
		const struct idx_sums *a = &w->sums[c], *b = a + 1;

		if (times[c + 1] <= r->first || times[c] >= r->last)
			continue;
		for (unsigned state = 0; state < MDL_ST_N; state++)
			cells[c].ns[state] = (int64_t)(b->ns[state] - a->ns[state]);
		cells[c].intervals = intervals_between(a, b);
	}
}

void qry_window(struct qry *q, const uint32_t *rows, uint32_t n_rows, int64_t from, int64_t to,
	uint32_t n_columns, struct qry_cell *cells)
{
	struct window w = { .q = q, .times = g_new(int64_t, n_columns + 1), .n_columns = n_columns };

	for (uint32_t c = 0; c <= n_columns; c++)
		w.times[c] = qry_column_time(from, to, n_columns, c);
	for (uint32_t i = 0; i < n_rows; i++)
		window_row(&w, rows[i], cells + (size_t)i * n_columns);
	g_free(w.times);
	g_free(w.sums);
}

void qry_share(struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_cell *cell)
{
	qry_window(q, &row, 1, from, to, 1, cell);
}

struct qry_cell qry_life(struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	struct qry_cell cell;

	qry_share(q, row, r->first, r->last, &cell);
	return cell;
}

int64_t qry_cell_ran(const struct qry_cell *cell)
{
	return cell->ns[MDL_ST_USERMODE] + cell->ns[MDL_ST_SYSCALL] + cell->ns[MDL_ST_RUNNING];
}

int64_t qry_cell_on_cpu(const struct qry_cell *cell)
{
	return qry_cell_ran(cell) + cell->ns[MDL_ST_INTERRUPTED] + cell->ns[MDL_ST_WAITING];
}
