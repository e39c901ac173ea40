/* SPDX-License-Identifier: MIT */
/*
 * The rows: names at the left, cells of states at the right, below a ruler.
 *
 * On rows of CPUs, a slice of some columns carries the name of its thread.  A slice is the time that the
 * thread has the CPU, including interrupts.  Names are written only over cells that show nothing but running,
 * in the colour of user mode or of system calls, so no name hides a state.  A vertical line starts each
 * slice, because two may touch.
 */
#include "ui/pane/flow/flow.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/request/clock.h"
#include "ui/core/ui_config.h"
#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"

#include "base/base_text.h"

#include <string.h>

/* ---- names in slices ---- */

#define SLICE_MIN 6      /* minimum columns of a slice with a name */
#define INTERVALS_MAX 32 /* limit per cell; with more, no single thread is visible */

/* The state of CELL if it shows nothing but running; else MDL_ST_N. */
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

/* The time in ns at which THREAD, which has the CPU of ROW at FROM, leaves it.  The search stops at LIMIT: a
 * result at or after LIMIT may be too early. */
static int64_t flow_slices_end_of(struct qry *q, uint32_t row, uint32_t thread, int64_t from, int64_t limit)
{
	struct mdl_interval interval;

	while (from < limit && qry_state_at(q, row, from, &interval) && interval.aux == thread &&
		mdl_state_has_cpu(interval.state))
		from = interval.to;
	return from;
}

/* Add the slice that starts at cell FIRST + X of ROW, if it is long enough for a name.  Its cells show
 * nothing but running up to column END.  Returns the number of its columns. */
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

/* Find the slices in flow->cells. */
static void flow_slices_find(struct flow *flow)
{
	if (!flow->slices)
		flow->slices = g_array_new(FALSE, FALSE, sizeof(struct flow_slice));
	g_array_set_size(flow->slices, 0);
	for (unsigned i = 0; i < flow->n_shown; i++) {
		uint32_t row = flow->shown[i];
		gsize first = (gsize)i * flow->columns;

		if (qry_row(flow->pane.shell->q, row)->type != MDL_ROW_CPU)
			continue;
		for (unsigned x = 0, end = 0; x < flow->columns; end = MAX(x, end)) {
			while (end < flow->columns && mode(&flow->cells[first + end]) != MDL_ST_N)
				end++;
			x = end < x + SLICE_MIN ? end + 1
						: x + MAX(flow_slices_take(flow, row, first, x, end), 1);
		}
	}
}

/* Draw the names of slices over line Y of AREA, whose row starts at cell FIRST. */
static void flow_slices_draw(const struct flow *flow, gsize first, const struct term_area *area, unsigned y)
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
		for (unsigned c = 0; c < slice->columns; c++) {
			enum mdl_state state = mode(&flow->cells[slice->cell + c]);

			term_grid_cell(area->grid, area->x + x + c, area->y + y)->role = state ==
					MDL_ST_SYSCALL
				? TERM_ROLE_SLICE_SYSCALL
				: state == MDL_ST_RUNNING ? TERM_ROLE_SLICE_RUNNING
							  : TERM_ROLE_SLICE;
		}
	}
}

/* Remove colours laid over names in AREA, except the cursor: names need the background of their slice. */
static void flow_slices_keep(const struct term_area *area)
{
	for (unsigned y = 0; y < area->h; y++) {
		for (unsigned x = 0; x < area->w; x++) {
			struct term_cell *cell = term_grid_cell(area->grid, area->x + x, area->y + y);

			if (cell->role >= TERM_ROLE_SLICE && cell->role <= TERM_ROLE_SPAN_6 &&
				cell->over != TERM_ROLE_OVER_CURSOR_CELL)
				cell->over = TERM_ROLE_TEXT;
		}
	}
}

#define NAMES_WITH_TID 18  /* minimum columns of names to show the TID */
#define NAMES_WITH_BOTH 28 /* minimum columns to show a time, too */
#define TIME_WIDTH 8       /* columns of the time */

/* ---- cells ---- */

/* Fetch the cells of the rows in view, unless the present ones are of this window and these rows. */
static void fetch(struct flow *flow, unsigned lines)
{
	struct ui_shell *shell = flow->pane.shell;
	uint32_t *wanted = g_new(uint32_t, lines + 1);
	unsigned n = 0;

	for (unsigned i = 0; i < lines; i++) {
		const struct flow_line *line = flow_line_at(flow, flow_line_shown(flow, i));

		if (line && line->row != MDL_NONE)
			wanted[n++] = line->row;
	}
	if (flow->cells && n == flow->n_shown && shell->columns == flow->columns &&
		shell->view->from == flow->from && shell->view->to == flow->to &&
		!memcmp(wanted, flow->shown, n * sizeof *wanted)) {
		g_free(wanted);
		return;
	}
	g_free(flow->shown);
	g_free(flow->cells);
	flow->shown = wanted;
	flow->n_shown = n;
	flow->columns = shell->columns;
	flow->from = shell->view->from;
	flow->to = shell->view->to;
	flow->cells = g_new(struct qry_cell, (gsize)n * flow->columns + 1);
	ana_throttled_window(shell->q, wanted, n, flow->from, flow->to, flow->columns, flow->cells);
	flow->states = 0;
	for (gsize i = 0; i < (gsize)n * flow->columns; i++)
		flow->states |= flow_states(&flow->cells[i]);
	flow_slices_find(flow);
}

/* ---- names ---- */

static enum term_role name_role(const struct flow *flow, const struct flow_line *line)
{
	switch (line->kind) {
	case FLOW_HOST:
		return qry_host_count(flow->pane.shell->q) > 1 ? host_look_role(line->host)
							       : TERM_ROLE_NAME_HOST;
	case FLOW_CPUS:
	case FLOW_IRQS:
	case FLOW_SPANS:
	case FLOW_KERNEL: return TERM_ROLE_NAME_GROUP;
	case FLOW_PROCESS:
		return qry_is_kernel_thread(flow->pane.shell->q, line->row) ? TERM_ROLE_NAME_KERNEL
									    : TERM_ROLE_NAME_PROCESS;
	default: return TERM_ROLE_NAME_THREAD;
	}
}

static bool has_devices(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++)
		if (qry_row(q, i)->type == MDL_ROW_DEVICE)
			return true;
	return false;
}

/* The text of LINE's name; the caller frees. */
static char *name_text(const struct flow *flow, const struct flow_line *line)
{
	const struct qry *q = flow->pane.shell->q;
	const struct qry_row *row = line->row == MDL_NONE ? NULL : qry_row(q, line->row);

	g_assert(row || line->kind <= FLOW_KERNEL || line->kind == FLOW_SPANS);
	switch (line->kind) {
	case FLOW_SPANS: return flow_spans_name(flow, line);
	case FLOW_HOST: return g_strdup(qry_host(q, line->host)->name);
	case FLOW_CPUS: return g_strdup("CPUs");
	case FLOW_IRQS: return g_strdup(has_devices(q, line->host) ? "IRQs and devices" : "interrupts");
	case FLOW_KERNEL: return g_strdup("kernel threads");
	case FLOW_CPU: return g_strdup_printf("CPU %" G_GINT64_FORMAT, row->nr);
	case FLOW_IRQ:
		if (row->type == MDL_ROW_IRQ)
			return g_strdup_printf("IRQ %" G_GINT64_FORMAT " %s", row->nr, row->name);
		if (row->type == MDL_ROW_DEVICE)
			return g_strdup(row->name);
		return g_strdup_printf("softirq %s/%u", row->name, row->cpu);
	default:
		if (row->type == MDL_ROW_VCPU)
			return g_strdup(line->depth > 1 ? "  virtual CPU" : row->name);
		return g_strdup(*row->name ? row->name : "(name unknown)");
	}
}

/* ---- numbers after the names ---- */

static const struct behind {
	const char *heading;
	enum flow_order order; /* FLOW_ORDER_TID: the TID; else a time */
	int width;
} behind[UI_ROWS_N] = {
	[UI_ROWS_TID] = { "TID", FLOW_ORDER_TID, 7 },
	[UI_ROWS_CPU] = { "CPU", FLOW_ORDER_CPU, TIME_WIDTH },
	[UI_ROWS_WAIT] = { "WAIT", FLOW_ORDER_WAIT, TIME_WIDTH },
	[UI_ROWS_LATE] = { "LATE", FLOW_ORDER_LATE, TIME_WIDTH },
};

unsigned flow_draw_times(const struct ui_shell *shell)
{
	const struct ui_columns_of *of = &shell->config->columns.of[UI_LIST_ROWS];
	unsigned times = 0;

	for (unsigned i = 0; of->line && i < of->n; i++)
		times |= 1u << behind[of->shown[i]].order;
	return times;
}

/* Choose the columns behind names WIDTH wide: the configured ones that fit; else the sort key and the TID.
 * Returns their number; they are in COLUMNS. */
static unsigned behind_names(const struct flow *flow, unsigned width, uint8_t columns[UI_COLUMNS_MAX])
{
	const struct ui_columns_of *of = &flow->pane.shell->config->columns.of[UI_LIST_ROWS];
	enum flow_order order = flow->rows->choice.order;
	unsigned n = 0, used = NAMES_WITH_TID - 8;

	for (; of->line && n < of->n; n++) {
		used += (unsigned)behind[of->shown[n]].width + 1;
		if (used > width)
			break;
		columns[n] = of->shown[n];
	}
	if (of->line || width < NAMES_WITH_TID)
		return n;
	if (order < FLOW_ORDER_CPU || order > FLOW_ORDER_LATE || width >= NAMES_WITH_BOTH)
		columns[n++] = UI_ROWS_TID;
	if (order >= FLOW_ORDER_CPU && order <= FLOW_ORDER_LATE)
		columns[n++] = (uint8_t)(UI_ROWS_CPU + (order - FLOW_ORDER_CPU));
	return n;
}

/* The texts after the name of LINE (NULL: the headings); for a folded line that is not a thread, the number
 * of lines in it.  The caller frees. */
static char *number_text(const struct flow *flow, const struct flow_line *line, unsigned width)
{
	bool thread = line && (line->kind == FLOW_PROCESS || line->kind == FLOW_THREAD);
	uint8_t columns[UI_COLUMNS_MAX];
	unsigned n = behind_names(flow, width, columns);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; (!line || thread) && i < n; i++) {
		const struct behind *b = &behind[columns[i]];
		int64_t time = line ? flow_lines_measure(flow->rows, line->row, b->order) : MDL_NEVER;
		g_autofree char *one = !line ? g_strdup(b->heading)
			: b->order == FLOW_ORDER_TID
			? g_strdup_printf("%" G_GINT64_FORMAT, qry_row(flow->pane.shell->q, line->row)->nr)
			: time == MDL_NEVER ? g_strdup("-")
					    : ui_shell_duration_text(flow->pane.shell, time);

		g_string_append_printf(text, "%*s%s",
			i ? b->width + 1 - (int)MIN(term_text_width(one), (unsigned)b->width) : 0, "", one);
	}
	if (line && line->folded && !text->len)
		g_string_append_printf(text, "%u", line->children);
	return g_string_free(text, FALSE);
}

static void draw_name(const struct flow *flow, const struct flow_line *line, const struct term_area *area,
	unsigned y)
{
	const struct qry *q = flow->pane.shell->q;
	unsigned x = line->depth, width = area->w;
	g_autofree char *text = name_text(flow, line), *number = number_text(flow, line, area->w);

	if (line->kind != FLOW_HOST && !(line->lane && line->lane->row == MDL_NONE) && qry_host_count(q) > 1)
		term_area_char(area, 0, y, host_look_role(line->host), host_look_mark(q, line->host));
	if (line->children)
		term_area_char(area, x, y, TERM_ROLE_DIM, line->folded ? 0x25b8 : 0x25be);
	if (y <= flow->pinned)
		term_area_char(area, 1, y, TERM_ROLE_DIM, '@');
	if (*number) {
		term_area_right(area, 0, y, TERM_ROLE_DIM, number);
		width -= term_text_width(number) + 1;
	}
	x += 2;
	term_area_fit(area, x, y, width > x ? width - x : 1, name_role(flow, line), text);
	if (flow->needle && line->row != MDL_NONE &&
		flow_items_match(q, line->row, flow->needle, FLOW_MATCH_EVER))
		term_area_over(area, x, y, MIN(term_text_width(text), width > x ? width - x : 1), 1,
			TERM_ROLE_OVER_FOUND);
}

/* ---- headings ---- */

/* Mark lost events beside the heading of the CPUs. */
static void draw_gaps(struct flow *flow, const struct flow_line *line, const struct term_area *area,
	unsigned y)
{
	const GArray *gaps = qry_host(flow->pane.shell->q, line->host)->gaps;

	for (unsigned i = 0; i < gaps->len; i++) {
		const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);
		int first = ui_shell_column_of(flow->pane.shell, gap->from),
		    last = ui_shell_column_of(flow->pane.shell, gap->to);

		for (int x = MAX(first, 0); x <= MIN(last, (int)area->w - 1); x++)
			term_area_char(area, (unsigned)x, y, TERM_ROLE_ERROR, '!');
	}
}

/* Draw facts about a host after its name. */
static void draw_host(const struct flow *flow, const struct flow_line *line, const struct term_area *area,
	unsigned y)
{
	const struct qry *q = flow->pane.shell->q;
	const struct idx_meta *meta = qry_host(q, line->host)->meta;
	unsigned x;

	x = term_area_printf(area, 1, y, TERM_ROLE_DIM, "%u CPU%s   %" G_GUINT64_FORMAT " event%s",
		meta->n_cpus, base_text_s(meta->n_cpus), meta->events, base_text_s(meta->events));
	if (meta->discarded)
		x = term_area_printf(area, x + 3, y, TERM_ROLE_ERROR, "%" G_GUINT64_FORMAT " lost",
			meta->discarded);
	if (ana_clock_of(q, line->host, qry_host(q, line->host)->from).placed)
		x = term_area_printf(area, x + 3, y, TERM_ROLE_ERROR, "start aligned with %s",
			qry_host(q, 0)->name);
	if (meta->tracer && *meta->tracer)
		x = term_area_printf(area, x + 3, y, TERM_ROLE_DIM, "%s", meta->tracer);
	if (meta->release && *meta->release)
		term_area_printf(area, x + 3, y, TERM_ROLE_DIM, "Linux %s", meta->release);
}

/* If the heading of the first line's host is scrolled out of view, draw that host at column X.  Returns the
 * column after it. */
static unsigned draw_host_above(const struct flow *flow, const struct term_area *area, unsigned x)
{
	const struct flow_line *line = flow_line_at(flow, flow_line_shown(flow, flow->pinned));
	const struct qry *q = flow->pane.shell->q;
	g_autofree char *tag = NULL;

	if (!line || line->kind == FLOW_HOST || line->depth == 0 || qry_host_count(q) == 1)
		return x;
	tag = host_look_tag(q, line->host, area->w / 2);
	x = term_area_fit(area, x, 0, area->w - MIN(area->w, x), host_look_role(line->host), tag);
	return x + 1;
}

/* Draw the choice and the headings of the numbers.  A choice wider than the names covers part of the
 * ruler. */
static void flow_draw_draw_heading(struct flow *flow, const struct term_area *area,
	const struct term_area *names)
{
	const struct ui_pane *pane = &flow->pane;
	bool marked = ui_pane_focused(pane) && !ui_pane_titled(pane) &&
		ui_pane_at(pane->shell, UI_PLACE_LOWER);
	unsigned x = draw_host_above(flow, names, marked), width = names->w, wanted;
	g_autofree char *text = flow_choose_text(flow), *number = number_text(flow, NULL, width);
	char *last = strrchr(number, ' ');

	if (marked)
		term_area_char(names, 0, 0, TERM_ROLE_STRONG, UI_FOCUS_MARK);
	wanted = x + term_text_width(text);
	/* too wide: keep only the heading of the last number */
	if (wanted + 1 + strlen(number) > width && last)
		memmove(number, last + 1, strlen(last));
	if (*number && wanted + 1 + strlen(number) <= width) {
		term_area_right(names, 0, 0, TERM_ROLE_RULER, number);
	} else if (wanted > width) {
		width = MAX(width, MIN(wanted, area->w / 2));
		/* Clear the covered part of the ruler, and all of a label that starts there. */
		for (unsigned i = names->w; i < area->w &&
			(i <= width || term_grid_cell(area->grid, area->x + i, area->y)->ch != ' ');
			i++)
			term_area_char(area, i, 0, TERM_ROLE_RULER, ' ');
	}
	if (x < width)
		term_area_fit(area, x, 0, width - x,
			ui_pane_focused(pane) ? TERM_ROLE_STRONG : TERM_ROLE_RULER, text);
}

/* ---- colours over the cells ---- */

static void draw_over(struct flow *flow, const struct term_area *time, const struct term_area *names,
	unsigned selected_y)
{
	struct ui_shell *shell = flow->pane.shell;
	int cursor = ui_shell_column_of(shell, shell->view->cursor);
	int64_t from, to;

	term_area_over(names, 0, selected_y, names->w, 1, TERM_ROLE_OVER_ROW);
	term_area_over(time, 0, selected_y, time->w, 1, TERM_ROLE_OVER_ROW_TIME);
	if (ui_shell_selection(shell, &from, &to) && to > shell->view->from && from < shell->view->to) {
		int first = MAX(ui_shell_column_of(shell, from), 0);
		int last = MIN(ui_shell_column_of(shell, to - 1), (int)time->w - 1);

		term_area_over(time, (unsigned)first, 0, (unsigned)(last - first + 1), time->h,
			TERM_ROLE_OVER_SELECTION);
	}
	/* The ruler and this cell show the cursor.  A column through all rows would be sent again with each
	 * step. */
	if (cursor >= 0 && cursor < (int)time->w)
		term_area_over(time, (unsigned)cursor, selected_y, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
}

/* Mark cells with two states, also on the selected row, where users look for preemption most often. */
static void draw_mixed(const struct flow *flow, const struct term_area *body)
{
	int cursor = ui_shell_column_of(flow->pane.shell, flow->pane.shell->view->cursor);
	const struct flow_line *line;
	gsize cells = 0;

	for (unsigned y = 0; y < body->h && (line = flow_line_at(flow, flow_line_shown(flow, y))); y++) {
		if (line->row == MDL_NONE)
			continue;
		for (unsigned x = 0; x < body->w && line->kind != FLOW_HOST && line->kind != FLOW_CPUS; x++) {
			struct state_look look = state_look_cell(body->grid,
				&flow->cells[cells * flow->columns + x]);

			if (look.over != TERM_ROLE_TEXT && (int)x != cursor)
				term_area_over(body, x, y, 1, 1, look.over);
		}
		cells++;
	}
}

void flow_draw(struct flow *flow, const struct term_area *area)
{
	struct ui_shell *shell = flow->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct term_area body = term_area_part(&time, 0, 1, time.w, time.h);
	const struct flow_line *line;
	int place = flow_line_place(flow, flow->view.line);
	unsigned cells = 0;

	term_area_fill(area, shell->names - 1, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	ruler_draw(shell, &time);
	flow_draw_draw_heading(flow, area, &names);
	flow_throttled_ask(flow);
	fetch(flow, body.h);
	flow_over_ask(flow);
	for (unsigned y = 0; y < body.h && (line = flow_line_at(flow, flow_line_shown(flow, y))); y++) {
		draw_name(flow, line, &names, y + 1);
		if (line->kind == FLOW_HOST)
			draw_host(flow, line, &body, y);
		else if (line->kind == FLOW_CPUS)
			draw_gaps(flow, line, &body, y);
		else if (line->kind == FLOW_SPANS)
			flow_spans_draw(flow, line, &body, y);
		else if (line->row != MDL_NONE) {
			gsize first = (gsize)cells * flow->columns;

			for (unsigned x = 0; x < body.w; x++) {
				struct state_look look = state_look_cell(body.grid, &flow->cells[first + x]);

				term_area_char(&body, x, y, look.role, look.ch);
			}
			flow_slices_draw(flow, first, &body, y);
			flow_over_signs(flow, line->row, &body, y);
		}
		cells += line->row != MDL_NONE;
	}
	if (!flow->pane.shell->no_arrows)
		flow_arrows_draw(flow, &body);
	if (place >= 0 && place < (int)body.h)
		draw_over(flow, &time, &names, (unsigned)place + 1);
	flow_slices_keep(&body);
	draw_mixed(flow, &body);
	/* Last, so that late latencies are visible on the selected row, too. */
	for (unsigned y = 0; y < body.h && (line = flow_line_at(flow, flow_line_shown(flow, y))); y++)
		if (line->row != MDL_NONE)
			flow_over_draw(flow, line->row, &body, y);
}
