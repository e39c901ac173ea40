/* SPDX-License-Identifier: MIT */
/*
 * Above the list: both sides and their durations.  Below the list: the durations of the selected step.
 *
 * Durations are drawn in eighths of a line, along a common logarithmic axis from the shortest to the longest.
 * Groups by duration share one drawing, with the border between them.  Other groups, and the sides of a step,
 * have a line each.
 */
#include "ui/pane/compare/compare.h"
#include "ui/widget/looks.h"
#include "ui/widget/subject.h"

#include "table/rows.h"

#include <inttypes.h>
#include <math.h>

/* ---- the axis ---- */

#define LABEL 9        /* columns of a duration beside a drawing */
#define NAME 13        /* columns of a side's name */
#define MOST 100       /* maximum columns of a drawing */
#define CORRELATION 22 /* columns of "correlation +0.93" */

/* The axis of durations: N columns from LEAST to MOST ns. */
struct axis {
	int64_t least, most;
	unsigned n;
};

static unsigned compare_plot_column_of(const struct axis *a, int64_t time)
{
	double low = log((double)MAX(a->least, 1)), high = log((double)MAX(a->most, 1));
	double share = high > low ? (log((double)MAX(time, 1)) - low) / (high - low) : 0;

	return (unsigned)(CLAMP(share, 0, 1) * (a->n - 1) + 0.5);
}

static uint64_t most_of(const uint64_t *counts, unsigned n)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < n; i++)
		most = MAX(most, counts[i]);
	return most;
}

static void draw_counts(const struct term_area *area, unsigned x, unsigned y, unsigned lines, unsigned n,
	const uint64_t *counts, uint64_t most, enum term_role role)
{
	for (unsigned i = 0; i < n; i++)
		if (counts[i])
			bar_draw(area, x + i, y + lines - 1, 1, role, bar_height(counts[i], most, lines));
}

/* Draw both ends of the axis as durations, left and right of the drawing.  The drawing starts at X and is
 * MORE columns wider than the axis. */
static void draw_ends(const struct compare *c, const struct term_area *area, unsigned x, unsigned y,
	const struct axis *a, unsigned more)
{
	g_autofree char *most = ui_shell_duration_text(c->pane.shell, a->most);

	term_area_duration(area, x - 1, y, TERM_ROLE_RULER, a->least);
	term_area_text(area, x + a->n + more + 1, y, TERM_ROLE_RULER, most);
}

static void draw_name(const struct compare *c, const struct term_area *area, unsigned y, unsigned side)
{
	term_area_fit(area, 1, y, NAME - 1, compare_plot_role(side), c->found->side[side].name);
}

static unsigned compare_plot_columns_of(const struct term_area *area, unsigned besides)
{
	return MIN(area->w > besides ? area->w - besides : 0, MOST);
}

/* ---- durations ---- */

/* Count the durations of both sides per column of A, only once: there may be millions. */
static void count_durations(struct compare *c, const struct axis *a)
{
	if (c->counted == a->n)
		return;
	c->counted = a->n;
	for (unsigned side = 0; side < 2; side++) {
		g_free(c->durations[side]);
		c->durations[side] = g_new0(uint64_t, a->n + 1);
	}
	for (guint i = 0; i < c->found->paths->len; i++) {
		const struct ana_compare_path *p = &g_array_index(c->found->paths, struct ana_compare_path,
			i);

		if (p->side != ANA_COMPARE_NEITHER)
			c->durations[p->side][compare_plot_column_of(a, p->to - p->from)]++;
	}
}

/* Draw the border between fast (left) and slow (right) in a column of its own. */
static void draw_border(const struct compare *c, const struct term_area *area, unsigned x, unsigned y,
	unsigned lines, const struct axis *a)
{
	unsigned border = compare_plot_column_of(a, c->found->side[ANA_COMPARE_SLOW].figures.min);
	const uint64_t *fast = c->durations[ANA_COMPARE_FAST], *slow = c->durations[ANA_COMPARE_SLOW];
	uint64_t most = MAX(most_of(fast, a->n), most_of(slow, a->n));

	draw_counts(area, x, y, lines, MIN(border + 1, a->n), fast, most,
		compare_plot_role(ANA_COMPARE_FAST));
	if (fast[border]) /* both sides have durations in this column: it is drawn twice */
		x++;
	term_area_fill(area, x + border, y, 1, lines, TERM_ROLE_STRONG, 0x2502);
	draw_counts(area, x + border + 1, y, lines, a->n - border, slow + border, most,
		compare_plot_role(ANA_COMPARE_SLOW));
}

/* Draw the distribution of durations from line Y on, with the border between slow and fast. */
static void compare_plot_durations(struct compare *c, const struct term_area *area, unsigned y,
	unsigned lines)
{
	const struct ana_compare_figures *slow = &c->found->side[ANA_COMPARE_SLOW].figures,
					 *fast = &c->found->side[ANA_COMPARE_FAST].figures;
	bool split = c->found->by != ANA_COMPARE_BY_DURATION;
	unsigned x = (split ? NAME : 0) + LABEL + 1;
	/* columns for the border, and for a column of durations that both sides share */
	unsigned apart = split ? 0 : 2;
	struct axis a = { MIN(slow->min, fast->min), MAX(slow->max, fast->max),
		compare_plot_columns_of(area, x + LABEL + 1 + apart) };

	if (!a.n || !lines)
		return;
	count_durations(c, &a);
	draw_ends(c, area, x, y + lines - 1, &a, apart);
	if (!split) {
		draw_border(c, area, x, y, lines, &a);
		return;
	}
	for (unsigned side = 0; side < MIN(lines, 2); side++) {
		draw_name(c, area, y + side, side);
		draw_counts(area, x, y + side, 1, a.n, c->durations[side], most_of(c->durations[side], a.n),
			compare_plot_role(side));
	}
}

/* ---- a step ---- */

static void draw_side(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, unsigned side, const struct axis *a)
{
	const struct ana_compare_figures *f = &r->in[side];
	uint64_t *counts = g_new0(uint64_t, a->n + 1);
	unsigned x = NAME + LABEL + LABEL + 1;
	guint n;
	const struct ana_compare_kept *kept = ana_compare_kept(c->found, r->step, &n);

	for (guint i = 0; i < n; i++)
		if (g_array_index(c->found->paths, struct ana_compare_path, kept[i].path).side == side)
			counts[compare_plot_column_of(a, kept[i].time)]++;

	draw_name(c, area, y, side);
	if (f->count)
		term_area_duration(area, NAME + LABEL, y, TERM_ROLE_STRONG, f->mean);
	else
		term_area_before(area, NAME + LABEL, y, TERM_ROLE_DIM, "not in it");
	draw_counts(area, x, y, 1, a->n, counts, most_of(counts, a->n), compare_plot_role(side));
	g_free(counts);
	if (f->count && isnan(r->correlation[side]))
		term_area_text(area, x + a->n + LABEL + 2, y, TERM_ROLE_DIM, "correlation not known");
	else if (f->count) /* correlation of the step's time with the duration, within the side */
		term_area_printf(area, x + a->n + LABEL + 2, y, TERM_ROLE_TEXT, "correlation %+.2f",
			r->correlation[side]);
}

/* Draw the durations of the step of R in both groups, on two lines from Y on. */
static void compare_plot_step(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r)
{
	unsigned x = NAME + LABEL + LABEL + 1;
	struct axis a = { INT64_MAX, 0, compare_plot_columns_of(area, x + LABEL + 2 + CORRELATION) };
	guint n;
	const struct ana_compare_kept *kept = ana_compare_kept(c->found, r->step, &n);

	for (guint i = 0; i < n; i++) {
		a.least = MIN(a.least, kept[i].time);
		a.most = MAX(a.most, kept[i].time);
	}
	if (!a.n || !n)
		return;
	draw_ends(c, area, x, y, &a, 0);
	for (unsigned side = 0; side < 2; side++)
		draw_side(c, area, y + side, r, side, &a);
}

#define TALL_FROM 9  /* minimum lines to draw durations */
#define STEP_FROM 10 /* minimum lines for details of the selected step */

/* ---- title ---- */

/* Append "Slow against fast by duration, over 5.00 ms", or for two recordings "Slow against fast, now
 * (rpc-chain), before (pipeline)". */
static void append_sides(const struct compare *c, GString *text)
{
	g_autofree char *now = NULL, *before = NULL, *slow = NULL;

	if (c->how.against) {
		now = compare_draw_side(c, ANA_COMPARE_SLOW);
		before = compare_draw_side(c, ANA_COMPARE_FAST);
		g_string_append_printf(text, "Slow against fast, %s, %s", now, before);
		return;
	}
	g_string_append_printf(text, "Slow against fast by %s", compare_line_group_text(&c->how));
	if (c->how.group || c->how.slow != ANA_COMPARE_GAP) {
		slow = compare_line_slow_text(c->pane.shell, &c->how);
		g_string_append_printf(text, ", %s", slow);
	}
}

void compare_draw_title(struct ui_pane *pane, GString *title)
{
	const struct compare *c = (const struct compare *)pane;
	const struct compare_set *set = c->set;
	g_autoptr(GString) what = g_string_new(NULL);
	g_autofree char *step = NULL;

	if (compare_pair_row(c)) {
		step = table_compare_what(c->found, compare_pair_row(c));
		g_string_append_printf(title, "Slow against fast, step: %s", step);
		return;
	}
	append_sides(c, what);
	if (!set) {
		g_string_append(title, what->str);
		return;
	}
	g_string_append_printf(what, ": %s",
		set->what == COMPARE_TYPED && c->found ? c->found->set : set->name);
	scope_title(c->pane.shell, title, what->str, NULL, set->from, set->to);
	if (c->found)
		g_string_append_printf(title, "  %u steps", c->found->rows->len);
}

/* ---- head ---- */

/* Draw "slow 4 of 12 (≥ 48.5 ms)   fast 8 (median 13.0 ms)   +39.2 ms". */
static void draw_head(const struct compare *c, const struct term_area *area)
{
	const struct ana_compare *a = c->found;
	const struct ana_compare_side *slow = &a->side[ANA_COMPARE_SLOW], *fast = &a->side[ANA_COMPARE_FAST];
	bool by_duration = a->by == ANA_COMPARE_BY_DURATION;
	g_autofree char *least = ui_shell_duration_text(c->pane.shell,
				by_duration ? slow->figures.min : slow->figures.p50),
			*median = ui_shell_duration_text(c->pane.shell, fast->figures.p50),
			*by = compare_signed_text(c, a->difference), *counts = NULL, *others = NULL;
	unsigned x, name = MAX(area->w / 5, 8);

	counts = g_strdup_printf(" %" PRIu64 " of %" PRIu64 " (%s%s)", slow->figures.count,
		slow->figures.count + fast->figures.count, by_duration ? "\342\211\245 " /* ≥ */ : "median ",
		least);
	others = g_strdup_printf(" %" PRIu64 " (median %s)", fast->figures.count, median);
	x = term_area_fit(area, 1, 0, name, compare_plot_role(ANA_COMPARE_SLOW), slow->name);
	x = term_area_text(area, x, 0, TERM_ROLE_TEXT, counts) + 3;
	x = term_area_fit(area, x, 0, name, compare_plot_role(ANA_COMPARE_FAST), fast->name);
	x = term_area_text(area, x, 0, TERM_ROLE_TEXT, others) + 3;
	x = term_area_text(area, x, 0, TERM_ROLE_STRONG, by) + 3;
	if (!a->gap.asked)
		return;
	if (a->gap.found)
		term_area_fit(area, x, 0, area->w - MIN(x, area->w), TERM_ROLE_DIM, "natural gap");
	else
		term_area_fit(area, x, 0, area->w - MIN(x, area->w), TERM_ROLE_DIM, "no gap: longest tenth");
}

void compare_draw(struct compare *c, const struct term_area *area)
{
	unsigned plot = area->h < TALL_FROM                               ? 0
		: area->h < 20 && c->found->by == ANA_COMPARE_BY_DURATION ? 1
									  : 2,
		 below = area->h < STEP_FROM ? 0 : 2;
	const struct ana_compare *a = c->found;
	uint64_t left = a->left.no_thread + a->left.outside + a->left.unfinished + a->left.no_path;
	g_autoptr(GString) missing = g_string_new(NULL); /* intervals excluded, or with lost events */
	unsigned y = 1 + plot + ((left || a->lost) && area->h >= STEP_FROM);
	struct term_area list = term_area_part(area, 0, 0, area->w, area->h - below);
	const struct compare_line *line = compare_line(c);

	if (left)
		g_string_append_printf(missing,
			"%" PRIu64 " left out: thread unknown, not entirely in the trace, or no path  ",
			left);
	if (a->lost)
		g_string_append_printf(missing, "%" PRIu64 " have lost events", a->lost);
	draw_head(c, area);
	compare_plot_durations(c, area, 1, plot);
	if (missing->len && area->h >= STEP_FROM)
		term_area_fit(area, 1, y - 1, area->w - 1, TERM_ROLE_DIM, missing->str);
	list_draw_at(&c->list, &list, y);
	if (below && line && line->step)
		compare_plot_step(c, area, area->h - 2, line->step);
}
