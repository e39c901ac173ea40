/* SPDX-License-Identifier: MIT */
/*
 * The names of threads inside their slices on the rows of CPUs: zoomed in so far that a thread on the CPU,
 * and interrupts upon it, fill some columns, its name stands in them.  Only cells that show nothing but
 * running are written over, in the colour of user mode or of system calls, so no name hides a state.  A line
 * begins each slice, as two of them may touch.
 */
#include "ui/pane/flow/flow.h"

#include "ui/widget/host_look.h"

#define SLICE_MIN 6      /* columns from which on a slice has its name */
#define INTERVALS_MAX 32 /* in one cell; of more nobody could tell which thread it is */

/* The state as which CELL is shown, where that is nothing but running; MDL_ST_N: it is not. */
static enum mdl_state mode(const struct qry_cell *cell)
{
	struct state_look look = state_look_cell(&(struct term_grid){ 0 }, cell);

	return mdl_state_runs(look.state) && look.eighths == STATE_WHOLE && cell->intervals <= INTERVALS_MAX
		? look.state
		: MDL_ST_N;
}

static int64_t column_time(const struct flow *flow, unsigned column)
{
	return qry_column_time(flow->from, flow->to, flow->columns, column);
}

/* Until when THREAD is on the CPU of ROW from FROM on, at least up to LIMIT or else exactly. */
static int64_t flow_slices_end_of(struct qry *q, uint32_t row, uint32_t thread, int64_t from, int64_t limit)
{
	struct mdl_interval interval;

	while (from < limit && qry_state_at(q, row, from, &interval) && interval.aux == thread &&
		(mdl_state_runs(interval.state) || interval.state == MDL_ST_INTERRUPTED))
		from = interval.to;
	return from;
}

/* Put the slice at cell FIRST + X of ROW, whose cells show nothing but running up to column END, if it is
 * long enough.  Returns its columns. */
static unsigned flow_slices_take(struct flow *flow, uint32_t row, gsize first, unsigned x, unsigned end)
{
	struct qry *q = flow->pane.shell->q;
	struct flow_slice slice = { .cell = first + x };
	struct mdl_interval interval;
	int64_t until;

	if (!qry_state_at(q, row, column_time(flow, x), &interval))
		return 0;
	until = flow_slices_end_of(q, row, interval.aux, column_time(flow, x), column_time(flow, end));
	while (column_time(flow, end) > until)
		end--;
	slice.columns = end - x;
	slice.thread = interval.aux;
	slice.begins = x > 0 &&
		flow_slices_end_of(q, row, interval.aux, column_time(flow, x - 1), column_time(flow, x)) <
			column_time(flow, x);
	if (slice.columns >= SLICE_MIN && slice.thread != MDL_NONE)
		g_array_append_val(flow->slices, slice);
	return slice.columns;
}

/* The slices of ROW, a CPU's, whose first cell is FIRST of all. */
static void find(struct flow *flow, uint32_t row, gsize first)
{
	for (unsigned x = 0, end = 0; x < flow->columns;) {
		while (end < flow->columns && mode(&flow->cells[first + end]) != MDL_ST_N)
			end++;
		if (end >= x + SLICE_MIN)
			x += MAX(flow_slices_take(flow, row, first, x, end), 1);
		else
			x = end + 1;
		end = MAX(x, end);
	}
}

void flow_slices_find(struct flow *flow)
{
	if (!flow->slices)
		flow->slices = g_array_new(FALSE, FALSE, sizeof(struct flow_slice));
	g_array_set_size(flow->slices, 0);
	for (unsigned i = 0; i < flow->n_shown; i++)
		if (qry_row(flow->pane.shell->q, flow->shown[i])->type == MDL_ROW_CPU)
			find(flow, flow->shown[i], (gsize)i * flow->columns);
}

static enum term_role role_of(enum mdl_state mode)
{
	return mode == MDL_ST_SYSCALL    ? TERM_ROLE_SLICE_SYSCALL
		: mode == MDL_ST_RUNNING ? TERM_ROLE_SLICE_RUNNING
					 : TERM_ROLE_SLICE;
}

void flow_slices_draw(const struct flow *flow, gsize first, const struct term_area *area, unsigned y)
{
	const struct qry *q = flow->pane.shell->q;

	for (unsigned i = 0; i < flow->slices->len; i++) {
		const struct flow_slice *slice = &g_array_index(flow->slices, struct flow_slice, i);
		unsigned x = (unsigned)(slice->cell - first);
		g_autofree char *label = NULL;

		if (slice->cell < first || slice->cell >= first + flow->columns)
			continue;
		label = qry_row_label(q, slice->thread);
		term_area_fill(area, x, y, slice->columns, 1, TERM_ROLE_SLICE, ' ');
		if (slice->begins)
			term_area_char(area, x, y, TERM_ROLE_SLICE, 0x2502);
		term_area_fit(area, x + 1, y, slice->columns - 1, TERM_ROLE_SLICE,
			host_look_without(q, qry_row(q, slice->thread)->host, label));
		for (unsigned c = 0; c < slice->columns; c++)
			term_grid_cell(area->grid, area->x + x + c, area->y + y)->role = role_of(
				mode(&flow->cells[slice->cell + c]));
	}
}

void flow_slices_keep(const struct term_area *area)
{
	for (unsigned y = 0; y < area->h; y++) {
		for (unsigned x = 0; x < area->w; x++) {
			struct term_cell *cell = term_grid_cell(area->grid, area->x + x, area->y + y);

			if (cell->role >= TERM_ROLE_SLICE && cell->role <= TERM_ROLE_SLICE_RUNNING &&
				cell->over != TERM_ROLE_OVER_CURSOR_CELL)
				cell->over = TERM_ROLE_TEXT;
		}
	}
}
