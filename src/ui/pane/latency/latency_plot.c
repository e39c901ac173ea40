/* SPDX-License-Identifier: MIT */
/*
 * Two drawings in eighths of a line.  The histogram: a bucket goes from one power of two to the next; one
 * that is not empty always shows.  Latencies over time: in each column the worst that begins there, its
 * height by the logarithm; the columns are those of the control flow where that shows the same time.
 */
#include "ui/pane/latency/latency.h"

#include "ui/widget/looks.h"

#include <math.h>

/* What is above the 99th percentile has a colour of its own. */
static enum term_role bar_role(const struct latency *l, int64_t latency)
{
	return latency > l->list->all.p99 ? TERM_ROLE_STATE_WAIT_CPU : TERM_ROLE_BAR;
}

/* ---- histogram ---- */

/* Eighths of a line that bucket I takes where the largest takes LINES; at least one when it is not empty. */
static unsigned class_height(const struct latency *l, unsigned i, unsigned lines)
{
	uint64_t most = 1;

	for (unsigned k = 0; k < l->list->histogram->len; k++)
		most = MAX(most, latency_bucket(l, k)->count);
	return bar_height(latency_bucket(l, i)->count, most, lines);
}

void latency_plot_classes(struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width, unsigned lines)
{
	unsigned first, end;

	l->classes_x = x;
	l->classes_y = y;
	l->classes_width = width;
	l->classes_lines = lines;
	latency_list_buckets(l, &first, &end);
	for (unsigned i = 0; i < l->list->histogram->len; i++)
		bar_draw(area, x + i * width, y + lines - 1, width > 2 ? width - 1 : width,
			i >= first && i < end ? bar_role(l, latency_bucket(l, i)->from) : TERM_ROLE_DIM,
			class_height(l, i, lines));
	if (l->picked && end > first)
		term_area_over(area, x + first * width, y, (end - first) * width - (width > 2), lines,
			l->part == LATENCY_CLASSES && ui_pane_focused(&l->pane) ? TERM_ROLE_OVER_CURSOR_CELL
										: TERM_ROLE_OVER_SELECTION);
}

/* ---- over time ---- */

/* How many eighths of LINES lines a LATENCY is high, where they go from LEAST to MOST. */
static unsigned column_height(int64_t latency, int64_t least, int64_t most, unsigned lines)
{
	double low = log((double)MAX(least, 1)), high = log((double)MAX(most, 2));
	double share = high > low ? (log((double)MAX(latency, 1)) - low) / (high - low) : 1;

	return 1 + (unsigned)(CLAMP(share, 0, 1) * (lines * 8 - 1) + 0.5);
}

/* At the left: between what the columns are. */
static void draw_scale(const struct latency *l, const struct term_area *area, unsigned y, unsigned lines,
	int64_t least, int64_t most)
{
	unsigned end = l->pane.shell->names - 1;

	term_area_fit(area, 1, y, end > 12 ? end - 12 : 0, TERM_ROLE_DIM, "over time");
	term_area_duration(area, end, y, TERM_ROLE_RULER, most);
	if (lines > 1)
		term_area_duration(area, end, y + lines - 1, TERM_ROLE_RULER, least);
	term_area_fill(area, end, y, 1, lines, TERM_ROLE_BORDER, 0x2502);
}

/* The window, where more is measured; the cursor; the selected column. */
static void mark_columns(const struct latency *l, const struct term_area *time)
{
	const struct ui_shell *shell = l->pane.shell;
	bool selected = l->part == LATENCY_COLUMNS && ui_pane_focused(&l->pane);
	uint32_t n = l->shown.columns;
	unsigned first = n, last = 0;

	for (uint32_t c = 0; c < n; c++) {
		int64_t from = base_time_column(l->shown.from, l->shown.to, n, c),
			to = base_time_column(l->shown.from, l->shown.to, n, c + 1);

		if (to > shell->view->from && from < shell->view->to) {
			first = MIN(first, c);
			last = c;
		}
		if (shell->view->cursor >= from && shell->view->cursor < to && !(selected && c == l->column))
			term_area_over(time, c, 0, 1, time->h, TERM_ROLE_OVER_CURSOR);
	}
	if (first <= last && last - first + 1 < n)
		term_area_over(time, first, 0, last - first + 1, 1, TERM_ROLE_OVER_SELECTION);
	if (selected)
		term_area_over(time, l->column, 0, 1, time->h, TERM_ROLE_OVER_CURSOR_CELL);
}

void latency_plot_columns(struct latency *l, const struct term_area *area, unsigned y, unsigned lines)
{
	struct term_area time = term_area_part(area, l->pane.shell->names, y, area->w, lines);
	unsigned first, end;
	int64_t least, most = 0;

	l->columns_y = y;
	l->columns_lines = lines;
	latency_list_buckets(l, &first, &end);
	if (first == end || !lines)
		return;
	least = latency_bucket(l, first)->from;
	for (unsigned i = first; i < end; i++)
		if (latency_bucket(l, i)->count)
			most = MIN(latency_bucket(l, i)->to, l->list->all.max);
	draw_scale(l, area, y, lines, MAX(least, l->list->all.min), most);
	for (unsigned c = 0; c < l->shown.columns && c < time.w; c++) {
		const struct ana_latency_case *worst = ana_latency_worst_in(l->list, first, end, c);

		if (worst)
			bar_draw(&time, c, lines - 1, 1, bar_role(l, worst->latency),
				column_height(worst->latency, MAX(least, l->list->all.min), most, lines));
	}
	mark_columns(l, &time);
}

/* ---- the mouse ---- */

bool latency_plot_point(struct latency *l, unsigned x, unsigned y)
{
	unsigned i;

	if (y >= l->classes_y && y < l->classes_y + l->classes_lines && x >= l->classes_x) {
		i = (x - l->classes_x) / l->classes_width;
		if (i < l->list->histogram->len) {
			l->part = LATENCY_CLASSES;
			l->pick_end = i;
			latency_list_pick(l, i, i);
			return true;
		}
	}
	if (y < l->columns_y || y >= l->columns_y + l->columns_lines || x < l->pane.shell->names)
		return false;
	x -= l->pane.shell->names;
	if (x >= l->shown.columns)
		return false;
	l->part = LATENCY_COLUMNS;
	l->column = x;
	return true;
}
