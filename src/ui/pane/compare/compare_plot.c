/* SPDX-License-Identifier: MIT */
/*
 * How often something took how long, in eighths of a line: along a common axis, by the logarithm, from the
 * shortest to the longest.  Where groups are made by duration one drawing has both, with the border between
 * them; else, and for a step, each has a line of its own.
 */
#include "ui/pane/compare/compare.h"

#include "ui/widget/looks.h"

#include <math.h>

#define LABEL 9  /* columns of a duration beside a drawing */
#define NAME 13  /* of the name of a side */
#define MOST 100 /* columns of a drawing */

/* Where durations stand: N columns from LEAST to MOST ns. */
struct axis {
	int64_t least, most;
	unsigned n;
};

enum term_role compare_plot_role(unsigned side)
{
	return side == ANA_COMPARE_SLOW ? TERM_ROLE_STATE_WAIT_CPU : TERM_ROLE_BAR;
}

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

/* The ends of the axis left and right of the drawing at X, which has MORE columns than the axis. */
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

/* The durations of both sides in the columns of A, counted once: there may be millions. */
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

void compare_plot_drop(struct compare *c)
{
	c->counted = 0;
	g_clear_pointer(&c->durations[ANA_COMPARE_SLOW], g_free);
	g_clear_pointer(&c->durations[ANA_COMPARE_FAST], g_free);
}

/* Slow ones lie right of the border, which has a column of its own. */
static void draw_border(const struct compare *c, const struct term_area *area, unsigned x, unsigned y,
	unsigned lines, const struct axis *a)
{
	unsigned border = compare_plot_column_of(a, c->found->side[ANA_COMPARE_SLOW].figures.min);
	const uint64_t *fast = c->durations[ANA_COMPARE_FAST], *slow = c->durations[ANA_COMPARE_SLOW];
	uint64_t most = MAX(most_of(fast, a->n), most_of(slow, a->n));

	draw_counts(area, x, y, lines, MIN(border + 1, a->n), fast, most,
		compare_plot_role(ANA_COMPARE_FAST));
	if (fast[border]) /* it has some of both */
		x++;
	term_area_fill(area, x + border, y, 1, lines, TERM_ROLE_STRONG, 0x2502);
	draw_counts(area, x + border + 1, y, lines, a->n - border, slow + border, most,
		compare_plot_role(ANA_COMPARE_SLOW));
}

void compare_plot_durations(struct compare *c, const struct term_area *area, unsigned y, unsigned lines)
{
	const struct ana_compare_figures *slow = &c->found->side[ANA_COMPARE_SLOW].figures,
					 *fast = &c->found->side[ANA_COMPARE_FAST].figures;
	bool split = c->found->by != ANA_COMPARE_BY_DURATION;
	unsigned x = (split ? NAME : 0) + LABEL + 1;
	unsigned apart = split ? 0 : 2; /* columns for the border, and for what is left and right of it */
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

static uint64_t *count_step(const struct compare *c, const struct axis *a, uint32_t step, unsigned side)
{
	uint64_t *counts = g_new0(uint64_t, a->n + 1);
	guint n;
	const struct ana_compare_kept *kept = ana_compare_kept(c->found, step, &n);

	for (guint i = 0; i < n; i++)
		if (g_array_index(c->found->paths, struct ana_compare_path, kept[i].path).side == side)
			counts[compare_plot_column_of(a, kept[i].time)]++;
	return counts;
}

/* "correlation 0.93": how much of the durations' variation within the side goes with it. */
static void draw_correlation(const struct term_area *area, unsigned x, unsigned y, double correlation)
{
	if (isnan(correlation))
		term_area_text(area, x, y, TERM_ROLE_DIM, "correlation not known");
	else
		term_area_printf(area, x, y, TERM_ROLE_TEXT, "correlation %+.2f", correlation);
}

#define CORRELATION 22 /* columns of that */

static void draw_side(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, unsigned side, const struct axis *a, const char *p)
{
	const struct ana_compare_figures *f = &r->in[side];
	uint64_t *counts = count_step(c, a, r->step, side);
	unsigned x = NAME + LABEL + LABEL + 1;

	draw_name(c, area, y, side);
	if (f->count)
		term_area_duration(area, NAME + LABEL, y, TERM_ROLE_STRONG, f->mean);
	else
		term_area_before(area, NAME + LABEL, y, TERM_ROLE_DIM, "not in it");
	draw_counts(area, x, y, 1, a->n, counts, most_of(counts, a->n), compare_plot_role(side));
	g_free(counts);
	if (p)
		term_area_text(area, x + a->n + LABEL + 2, y, TERM_ROLE_TEXT, p);
	else if (f->count)
		draw_correlation(area, x + a->n + LABEL + 2, y, r->correlation[side]);
}

void compare_plot_step(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, const char *p)
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
		draw_side(c, area, y + side, r, side, &a, side == ANA_COMPARE_FAST ? p : NULL);
}
