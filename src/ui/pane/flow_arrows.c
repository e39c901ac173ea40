// SPDX-License-Identifier: MIT
/*
 * Wake-ups of the neighbourhood.  For every thread in view there are at most
 * two candidates: its last wake-up up to the cursor and its first after it.
 * Those that wake the selected thread, or that it causes, are drawn: a line
 * down or up the column of the wake-up from the row of the cause to the row of
 * the woken, which ends in an arrowhead.  Lines pass behind blocks of running time, and a column
 * takes one arrow, so that the states stay readable.
 */
#include "ui/pane/flow.h"

#include "analysis/ana_source.h"

#define MANY 12		/* arrows on the screen, at most */

struct arrow {
	unsigned from, to;	/* lines in view, from 0 */
	unsigned column;
	bool near;		/* the one at or before the cursor that woke the selected thread */
};

/* The line in view with ROW; UINT32_MAX when it is out of view. */
static unsigned line_of(const struct flow *flow, uint32_t row, unsigned height)
{
	for (unsigned y = 0; row != MDL_NONE && y < height; y++) {
		const struct flow_line *line = flow_line_at(flow, flow->top + y);

		if (line && line->row == row)
			return y;
	}
	return UINT32_MAX;
}

static bool taken(const GArray *arrows, unsigned column)
{
	for (unsigned i = 0; i < arrows->len; i++)
		if (g_array_index(arrows, struct arrow, i).column == column)
			return true;
	return false;
}

/* Row of the cause: a thread, or the CPU on which an interrupt came. */
static uint32_t cause_row(struct qry *q, uint32_t woken, const struct mdl_wakeup *wakeup)
{
	struct ana_source source = ana_source_of(q, woken, wakeup);

	if (source.thread != MDL_NONE)
		return source.thread;
	return wakeup->cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, qry_row(q, woken)->host, wakeup->cpu);
}

static void add(struct flow *flow, GArray *arrows, uint32_t woken, const struct mdl_wakeup *wakeup, unsigned height)
{
	const struct ui_shell *shell = flow->pane.shell;
	uint32_t cause = cause_row(shell->q, woken, wakeup);
	int column = ui_shell_column_of(shell, wakeup->time);
	struct arrow arrow = { line_of(flow, cause, height), line_of(flow, woken, height), (unsigned)column, false };

	if (woken != shell->row && cause != shell->row)
		return;
	if (column < 0 || column >= (int)shell->columns || arrows->len >= MANY || taken(arrows, arrow.column))
		return;
	if (arrow.from == UINT32_MAX || arrow.to == UINT32_MAX || arrow.from == arrow.to)
		return;
	arrow.near = woken == shell->row && wakeup->time <= shell->cursor;
	g_array_append_val(arrows, arrow);
}

/* The last wake-up of ROW up to the cursor and the first after it. */
static void add_both(struct flow *flow, GArray *arrows, uint32_t row, unsigned height)
{
	const struct ui_shell *shell = flow->pane.shell;
	struct mdl_wakeup wakeup;

	if (qry_wakeup_before(shell->q, row, shell->cursor + 1, &wakeup))
		add(flow, arrows, row, &wakeup, height);
	if (qry_wakeup_after(shell->q, row, shell->cursor + 1, &wakeup))
		add(flow, arrows, row, &wakeup, height);
}

/* A cell that a line may cross: nothing runs in it. */
static bool may_cross(const struct term_cell *cell)
{
	return cell->ch == ' ' || cell->ch == 0xb7 || cell->ch == 0x2500 || cell->ch == 0x254c;
}

static void draw_arrow(const struct term_area *area, const struct arrow *arrow)
{
	enum term_role role = arrow->near ? TERM_ROLE_ARROW_NEAR : TERM_ROLE_ARROW;
	bool down = arrow->to > arrow->from;

	for (unsigned y = MIN(arrow->from, arrow->to) + 1; y < MAX(arrow->from, arrow->to); y++) {
		const struct term_cell *cell = term_grid_cell(area->grid, area->x + arrow->column, area->y + y);

		if (may_cross(cell))
			term_area_char(area, arrow->column, y, role, cell->ch == 0x2500 ? 0x253c : 0x2502);
	}
	term_area_char(area, arrow->column, arrow->to, role, down ? 0x25bc : 0x25b2);
}

void flow_arrows_draw(struct flow *flow, const struct term_area *area)
{
	const struct ui_shell *shell = flow->pane.shell;
	GArray *arrows = g_array_new(FALSE, FALSE, sizeof(struct arrow));

	if (shell->row != MDL_NONE && qry_row(shell->q, shell->row)->type == MDL_ROW_THREAD)
		add_both(flow, arrows, shell->row, area->h);
	for (unsigned y = 0; y < area->h; y++) {
		const struct flow_line *line = flow_line_at(flow, flow->top + y);

		if (line && line->row != shell->row && (line->kind == FLOW_PROCESS || line->kind == FLOW_THREAD))
			add_both(flow, arrows, line->row, area->h);
	}
	for (unsigned i = 0; i < arrows->len; i++)
		draw_arrow(area, &g_array_index(arrows, struct arrow, i));
	g_array_unref(arrows);
}
