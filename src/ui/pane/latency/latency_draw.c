/* SPDX-License-Identifier: MIT */
/*
 * Statistics and histogram take one line, or four if there is room.  Below them are latencies over time, then
 * the list of cases, or a table: of groups, or of kinds.  Kinds are counted while their table is shown,
 * except those for which the trace would have to be read again.
 *
 * Histogram and latencies over time are drawn in eighths of a line.  A bucket of the histogram spans one
 * power of two; a nonempty bucket is always visible.  Over time, each column shows the worst case that starts
 * there, its height on a logarithmic scale; the columns are those of the control flow if that shows the same
 * time.
 */
#include "ui/pane/latency/latency.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/core/ui_config.h"
#include "ui/widget/looks.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"

#include <math.h>

/* Latencies above the 99th percentile have a colour of their own. */
static enum term_role bar_role(const struct latency *l, int64_t latency)
{
	return latency > l->list->all.p99 ? TERM_ROLE_STATE_WAIT_CPU : TERM_ROLE_BAR;
}

/* ---- histogram ---- */

/* Draw the histogram, WIDTH columns per bucket; the bars' lowest line is Y + LINES - 1. */
static void latency_plot_classes(struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width, unsigned lines)
{
	unsigned first, end;
	uint64_t most = 1;

	l->classes_x = x;
	l->classes_y = y;
	l->classes_width = width;
	l->classes_lines = lines;
	latency_list_buckets(l, &first, &end);
	for (unsigned i = 0; i < l->list->histogram->len; i++)
		most = MAX(most, latency_bucket(l, i)->count);
	for (unsigned i = 0; i < l->list->histogram->len; i++)
		bar_draw(area, x + i * width, y + lines - 1, width > 2 ? width - 1 : width,
			i >= first && i < end ? bar_role(l, latency_bucket(l, i)->from) : TERM_ROLE_DIM,
			bar_height(latency_bucket(l, i)->count, most, lines));
	if (l->picked && end > first)
		term_area_over(area, x + first * width, y, (end - first) * width - (width > 2), lines,
			l->part == LATENCY_CLASSES && ui_pane_focused(&l->pane) ? TERM_ROLE_OVER_CURSOR_CELL
										: TERM_ROLE_OVER_SELECTION);
}

/* ---- over time ---- */

/* The height of LATENCY (ns) in eighths of a line; LINES lines span LEAST to MOST (ns). */
static unsigned column_height(int64_t latency, int64_t least, int64_t most, unsigned lines)
{
	double low = log((double)MAX(least, 1)), high = log((double)MAX(most, 2));
	double share = high > low ? (log((double)MAX(latency, 1)) - low) / (high - low) : 1;

	return 1 + (unsigned)(CLAMP(share, 0, 1) * (lines * 8 - 1) + 0.5);
}

/* Draw the range of the columns at the left. */
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

/* Mark the window, if the measured time is longer; the column with the cursor; and the selected column. */
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

/* Draw the worst case of each column, from line Y on. */
static void latency_plot_columns(struct latency *l, const struct term_area *area, unsigned y, unsigned lines)
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

#define TALL_FROM 12 /* minimum lines of the pane for a tall histogram */
#define TALL 3       /* lines of its bars */
#define WIDE 110     /* minimum columns for words in the title */
#define STATISTICS_WIDTH 40
#define OUTLIERS_WIDTH 15 /* extra columns for outliers if there is room */
#define OUTLIERS 30       /* columns of the text about outliers */
#define SMALL 6           /* no columns of time with fewer lines */
#define BUCKET_MAX 8      /* maximum columns of a bucket */

/* ---- title ---- */

static uint64_t picked_count(const struct latency *l)
{
	uint64_t count = 0;
	unsigned first, end;

	latency_list_buckets(l, &first, &end);
	for (; first < end; first++)
		count += latency_bucket(l, first)->count;
	return count;
}

/* Append "80 wake-ups". */
static void append_count(const struct latency *l, GString *title)
{
	const struct base_figures *f = &l->list->all;

	if (!l->picked && !latency_shows_open(l))
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " %s%s", f->count,
			latency_is_wakeup(l) ? "wake-up" : "case", base_text_s(f->count));
	if (f->unfinished)
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " %s", f->unfinished,
			latency_is_wakeup(l) ? "never ran" : "unfinished");
	if (l->list->strays.timed_out)
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " timed out", l->list->strays.timed_out);
	if (f->dropped)
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " dropped", f->dropped);
}

/* Append how many of the listed cases the filter leaves. */
static void append_filter(const struct latency *l, GString *title)
{
	const struct list *list = &l->lists[LATENCY_CASES];

	if (!list->part || !list->filter)
		return;
	g_string_append_printf(title, "  %u of %s%u", list->order->len,
		list->part->n < l->list->all.count ? "the longest " : "", list->part->n);
	if (list_lacks_rows(list))
		g_string_append_printf(title, " (%u read)", list->n_complete);
	g_string_append_printf(title, "  only %s", list->filter);
}

/* "Worst blocked latencies"; short if the title has more to show.  The caller frees. */
static char *subject(const struct latency *l)
{
	bool is_short = l->pane.w < WIDE && (l->only || l->picked || l->lists[LATENCY_CASES].filter);

	if (l->table == LATENCY_KINDS)
		return g_strdup("Kinds of latencies");
	if (latency_shows_open(l))
		return g_strdup_printf("Unfinished %s%s", l->asked.kind, is_short ? "" : " latencies");
	if (!latency_is_wakeup(l))
		return g_strdup_printf("Worst %s%s", l->asked.kind, is_short ? "" : " latencies");
	return g_strconcat(is_short ? "Worst" : "Worst latencies",
		l->pane.w >= WIDE ? " from wake-up to running" : "", NULL);
}

/* "all threads", "wk-rt[547], block", "vdb".  The caller frees. */
static char *whose(const struct latency *l)
{
	const char *only = l->table == LATENCY_KINDS ? NULL : l->only;
	g_autofree char *label = l->asked.scope == LATENCY_THREAD && l->asked.row != MDL_NONE
		? scope_title_whose(l->pane.shell, SCOPE_THREAD, l->asked.row)
		: NULL;

	if (label && only)
		return g_strdup_printf("%s, %s", label, only);
	return label ? g_steal_pointer(&label) : g_strdup(only ? only : "all threads");
}

void latency_draw_title(struct ui_pane *pane, GString *title)
{
	const struct latency *l = (const struct latency *)pane;
	bool kinds = l->table == LATENCY_KINDS;
	g_autofree char *what = NULL;

	if (!l->has_asked)
		return;
	what = subject(l);
	scope_title(l->pane.shell, title, what, whose(l), l->asked.from, l->asked.to);
	if (l->list && l->list->stage != ANA_LATENCY_WHOLE && !kinds)
		g_string_append_printf(title, " (%s%.0f%% %s)",
			latency_ask_measures(l) ? "" : "stopped: ", 100 * l->list->share,
			l->list->stage == ANA_LATENCY_FOUND ? "found" : "counted");
	if (l->list && l->picked && !kinds) {
		g_autofree char *from = ui_shell_duration_text(l->pane.shell, l->pick_from),
				*to = ui_shell_duration_text(l->pane.shell, l->pick_to);

		g_string_append_printf(title, "  %s to %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, from,
			to, picked_count(l), l->list->all.count);
	}
	if (l->table == LATENCY_CASES)
		append_filter(l, title);
	if (l->list && !kinds)
		append_count(l, title);
}

/* ---- statistics ---- */

/* Draw NAME and VALUE; returns the column after them and a gap. */
static unsigned draw_value(const struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	const char *name, int64_t value)
{
	g_autofree char *text = ui_shell_duration_text(l->pane.shell, value);

	x = term_area_text(area, x, y, TERM_ROLE_DIM, name);
	x = term_area_text(area, x + 1, y, TERM_ROLE_STRONG, text);
	return x + 2;
}

/* Label the starts of buckets as far as there is room. */
static void draw_axis(const struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width)
{
	unsigned n = l->list->histogram->len, end = x;

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *text = ui_shell_duration_text(l->pane.shell, latency_bucket(l, i)->from);

		if (x + i * width >= end && x + i * width + term_text_width(text) <= area->w)
			end = term_area_text(area, x + i * width, y, TERM_ROLE_RULER, text) + 2;
	}
}

/* Draw everything on one line: percentiles, then the histogram between its ends. */
static void draw_short(struct latency *l, const struct term_area *area)
{
	unsigned n = l->list->histogram->len, x = 1, width;
	g_autofree char *from = ui_shell_duration_text(l->pane.shell, latency_bucket(l, 0)->from),
			*to = ui_shell_duration_text(l->pane.shell, latency_bucket(l, n - 1)->to);

	x = draw_value(l, area, x, 0, "p50", l->list->all.p50);
	x = draw_value(l, area, x, 0, "p90", l->list->all.p90);
	x = draw_value(l, area, x, 0, "p99", l->list->all.p99);
	x = draw_value(l, area, x, 0, "max", l->list->all.max);
	width = term_text_width(from) + term_text_width(to) + n + 2;
	if (x + 1 + width <= area->w) {
		x = term_area_text(area, x + 1, 0, TERM_ROLE_RULER, from) + 1;
		latency_plot_classes(l, area, x, 0, 1, 1);
		x = term_area_text(area, x + n + 1, 0, TERM_ROLE_RULER, to) + 2;
		if (x + OUTLIERS <= area->w) {
			x = term_area_text(area, x, 0, TERM_ROLE_DIM, "outliers") + 1;
			x = term_area_printf(area, x, 0, TERM_ROLE_STRONG, "%" G_GUINT64_FORMAT,
				    l->list->all.outliers) +
				1;
			draw_value(l, area, x, 0, "over", l->list->all.fence);
		}
	} else if (x + n <= area->w) {
		latency_plot_classes(l, area, x, 0, 1, 1);
	}
}

/* Draw four lines: numbers at the left, a tall histogram with its axis at the right. */
static void draw_tall(struct latency *l, const struct term_area *area)
{
	const struct ana_latency *a = l->list;
	const struct {
		const char *name;
		int64_t value;
	} left[] = {
		{ "p50", a->all.p50 }, { "p90", a->all.p90 }, { "p99", a->all.p99 }, { "max", a->all.max },
	}, right[] = {
		{ "min", a->all.min }, { "mean", (int64_t)(a->all.mean + 0.5) },
		{ "stddev", (int64_t)(a->all.stddev + 0.5) }, { "p99.9", a->all.p999 },
	};
	bool fits = STATISTICS_WIDTH + OUTLIERS_WIDTH + 2 + a->histogram->len <= area->w;
	unsigned x = STATISTICS_WIDTH + (fits ? OUTLIERS_WIDTH : 0),
		 width = CLAMP((area->w - x - 2) / a->histogram->len, 1, BUCKET_MAX);

	for (unsigned i = 0; i < G_N_ELEMENTS(left); i++) {
		draw_value(l, area, 1, i, left[i].name, left[i].value);
		draw_value(l, area, 18 + 6 - term_text_width(right[i].name), i, right[i].name,
			right[i].value);
	}
	if (fits) {
		term_area_text(area, STATISTICS_WIDTH - 4, 0, TERM_ROLE_DIM, "outliers");
		term_area_printf(area, STATISTICS_WIDTH + 5, 0, TERM_ROLE_STRONG, "%" G_GUINT64_FORMAT,
			a->all.outliers);
		draw_value(l, area, STATISTICS_WIDTH, 1, "over", a->all.fence);
	}
	latency_plot_classes(l, area, x, 0, width, TALL);
	draw_axis(l, area, x, TALL, width);
}

void latency_draw(struct latency *l, const struct term_area *area)
{
	bool tall = area->h >= TALL_FROM;
	unsigned y = 0, lines = tall ? CLAMP(area->h / 5, 3, 8) : area->h < SMALL ? 0 : 2;

	l->columns_lines = l->classes_lines = 0;
	if (l->list && l->list->all.count && l->table != LATENCY_KINDS) {
		(tall ? draw_tall : draw_short)(l, area);
		y = tall ? TALL + 1 : 1;
		latency_plot_columns(l, area, y, lines);
		y += lines;
	}
	if (l->table != LATENCY_CASES || (l->list && (l->list->all.count || latency_shows_open(l))))
		list_draw_at(&l->lists[l->table], area, y);
	else if (l->list && l->list->stage == ANA_LATENCY_WHOLE)
		term_area_text(area, 1, 0, TERM_ROLE_DIM,
			latency_is_wakeup(l) ? "no thread was woken and ran here" : "no case here");
	else if (l->problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, l->problem);
	if (l->table == LATENCY_GROUPS && !latency_has_groups(l) && latency_ask_measures(l)) {
		struct term_area rest = term_area_part(area, 0, y, area->w, area->h);

		ask_worker_draw(l->pane.worker, &l->pane, &rest, "making groups");
	} else if (latency_ask_measures(l) && l->table != LATENCY_KINDS && y == 0)
		ask_worker_draw(l->pane.worker, &l->pane, area, "measuring latencies");
}
