/* SPDX-License-Identifier: MIT */
/*
 * The list: both sides and their durations; a line for each step, whose differences sum to that of the sides;
 * below, the selected step in full.
 *
 * Durations are drawn in eighths of a line, along a common logarithmic axis from the shortest to the longest.
 * Groups by duration share one drawing, with the border between them.  Other groups, and the sides of a step,
 * have a line each.
 */
#include "ui/pane/compare/compare.h"
#include "ui/widget/looks.h"
#include "ui/widget/subject.h"

#include "base/base_text.h"

#include <inttypes.h>
#include <math.h>

/* ---- the axis ---- */

#define LABEL 9        /* columns of a duration beside a drawing */
#define NAME 13        /* of the name of a side */
#define MOST 100       /* columns of a drawing */
#define CORRELATION 22 /* columns of "correlation +0.93" */

/* Where durations stand: N columns from LEAST to MOST ns. */
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

/* Draw the distribution of durations from line Y on, with the border between slow and fast. */
static void compare_plot_durations(struct compare *c, const struct term_area *area, unsigned y,
	unsigned lines)
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

static void draw_side(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, unsigned side, const struct axis *a, const char *p)
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
	if (p)
		term_area_text(area, x + a->n + LABEL + 2, y, TERM_ROLE_TEXT, p);
	else if (f->count && isnan(r->correlation[side]))
		term_area_text(area, x + a->n + LABEL + 2, y, TERM_ROLE_DIM, "correlation not known");
	else if (f->count) /* how much of the durations' variation within the side goes with the step's */
		term_area_printf(area, x + a->n + LABEL + 2, y, TERM_ROLE_TEXT, "correlation %+.2f",
			r->correlation[side]);
}

/* Draw the durations of the step of R in both groups, on two lines from Y on.  P: the probability that the
 * difference is chance; NULL: it is shown elsewhere. */
static void compare_plot_step(const struct compare *c, const struct term_area *area, unsigned y,
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

#define WIDE 150      /* columns from which on a line says for whom, in how many paths and how likely */
#define TALL_FROM 9   /* lines from which on durations are drawn, and */
#define STEP_FROM 10  /* the selected step is told below, and from */
#define NAMED_FROM 14 /* in words, too */
#define BAR_MAX 8     /* columns of a share, at most */
#define STEP_MAX 44   /* of a step where there is room */

const char *const compare_order_names[COMPARE_ORDERS] = { "difference", "chance", "correlation" };

/* "+20.9 ms".  The caller frees. */
static char *signed_text(const struct compare *c, int64_t ns)
{
	g_autofree char *length = ui_shell_duration_text(c->pane.shell, ns < 0 ? -ns : ns);

	return g_strconcat(ns < 0 ? "-" : "+", length, NULL);
}

static const struct ana_fold_step *compare_draw_step_of(const struct compare *c,
	const struct ana_compare_row *r)
{
	return &g_array_index(c->found->fold->steps, struct ana_fold_step, r->step);
}

/* "db/wk-server running".  The caller frees. */
static char *step_text(const struct compare *c, const struct ana_compare_row *r)
{
	g_autofree char *actor = ana_fold_actor_text(c->found->fold, compare_draw_step_of(c, r)->actor),
			*doing = ana_fold_doing(compare_draw_step_of(c, r));

	return g_strdup_printf("%s %s", actor, doing);
}

/* ---- title ---- */

/* "Slow against fast by duration, over 5.00 ms", "Slow against fast, now (rpc-chain), before (pipeline)". */
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
		step = step_text(c, compare_pair_row(c));
		g_string_append_printf(title, "Slow against fast, step: %s", step);
		return;
	}
	append_sides(c, what);
	if (!set) {
		g_string_append(title, what->str);
		return;
	}
	g_string_append_printf(what, ": %s", set->name);
	scope_title(c->pane.shell, title, what->str, NULL, set->from, set->to);
	if (c->found)
		g_string_append_printf(title, "  %u steps by %s", c->rows->len,
			compare_order_names[c->order]);
}

/* ---- head ---- */

/* "slow 4 of 12 (≥ 48.5 ms)   fast 8 (median 13.0 ms)   +39.2 ms". */
static void draw_head(const struct compare *c, const struct term_area *area)
{
	const struct ana_compare *a = c->found;
	const struct ana_compare_side *slow = &a->side[ANA_COMPARE_SLOW], *fast = &a->side[ANA_COMPARE_FAST];
	bool by_duration = a->by == ANA_COMPARE_BY_DURATION;
	g_autofree char *least = ui_shell_duration_text(c->pane.shell,
				by_duration ? slow->figures.min : slow->figures.p50),
			*median = ui_shell_duration_text(c->pane.shell, fast->figures.p50),
			*by = signed_text(c, a->difference), *counts = NULL, *others = NULL;
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

/* ---- the table ---- */

struct columns {
	unsigned difference, share; /* behind them */
	unsigned bar, bar_width, step, whom, takes, in, p, class;
	bool wide;
};

/* "only in slow", "40.0 µs → 2.90 ms".  The caller frees. */
static char *takes_text(const struct compare *c, const struct ana_compare_row *r)
{
	g_autofree char *from = NULL, *to = NULL;

	for (unsigned side = 0; side < 2; side++)
		if (r->in[!side].count == 0)
			return g_strdup_printf("only in %s", c->found->side[side].word);
	from = ui_shell_duration_text(c->pane.shell, r->in[ANA_COMPARE_FAST].mean);
	to = ui_shell_duration_text(c->pane.shell, r->in[ANA_COMPARE_SLOW].mean);
	return g_strdup_printf("%s \342\206\222 %s", from, to); /* → */
}

/* "6 of 8 → 4 of 4": in how many paths; NULL: in all.  The caller frees. */
static char *in_text(const struct compare *c, const struct ana_compare_row *r)
{
	const struct ana_compare_figures *slow = &r->in[ANA_COMPARE_SLOW], *fast = &r->in[ANA_COMPARE_FAST];
	uint64_t all_slow = c->found->side[ANA_COMPARE_SLOW].figures.count,
		 all_fast = c->found->side[ANA_COMPARE_FAST].figures.count;

	if (slow->count == all_slow && (fast->count == all_fast || !fast->count))
		return NULL;
	if (!fast->count || !slow->count)
		return g_strdup_printf("%" PRIu64 " of %" PRIu64, slow->count + fast->count,
			slow->count ? all_slow : all_fast);
	return g_strdup_printf("%" PRIu64 " of %" PRIu64 " \342\206\222 %" PRIu64 " of %" PRIu64, fast->count,
		all_fast, slow->count, all_slow);
}

/* The caller frees. */
static char *p_text(double p)
{
	if (isnan(p))
		return g_strdup("not tested");
	if (p < 0.001)
		return g_strdup("p < 0.001");
	return p < 0.01 ? g_strdup("p < 0.01") : g_strdup_printf("p = %.2f", p);
}

static void draw_share(const struct columns *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, enum term_role role)
{
	double share = fabs(r->share);
	unsigned bar = isnan(share) ? 0 : (unsigned)(MIN(share, 1) * c->bar_width + 0.5);
	g_autofree char *text = isnan(share) ? g_strdup("-") : g_strdup_printf("%.0f%%", 100 * r->share);

	term_area_before(area, c->share, y, role, text);
	term_area_fill(area, c->bar, y, c->bar_width, 1, TERM_ROLE_BAR_EMPTY, 0x2500);
	term_area_fill(area, c->bar, y, bar, 1,
		role == TERM_ROLE_DIM
			? role
			: compare_plot_role(r->difference < 0 ? ANA_COMPARE_FAST : ANA_COMPARE_SLOW),
		0x2588);
}

static void draw_row(const struct compare *c, const struct columns *at, const struct term_area *area,
	unsigned y, const struct ana_compare_row *r)
{
	uint32_t above = g_array_index(c->found->fold->actors, struct ana_fold_actor,
		compare_draw_step_of(c, r)->actor)
				 .above;
	enum term_role role = r->class == ANA_COMPARE_NOISE ? TERM_ROLE_DIM : TERM_ROLE_TEXT;
	g_autofree char *by = signed_text(c, r->difference), *step = step_text(c, r),
			*takes = takes_text(c, r), *in = in_text(c, r), *p = p_text(r->p),
			*whom = above == MDL_NONE ? NULL : ana_fold_actor_text(c->found->fold, above);

	term_area_before(area, at->difference, y, role == TERM_ROLE_DIM ? role : TERM_ROLE_STRONG, by);
	draw_share(at, area, y, r, role);
	term_area_fit(area, at->step, y, at->whom - at->step - 1, role, step);
	term_area_fit(area, at->takes, y, at->in - at->takes, role, takes);
	if (at->wide) {
		if (whom)
			term_area_fit(area, at->whom, y, at->takes - at->whom - 1, role, whom);
		if (in)
			term_area_fit(area, at->in, y, at->p - at->in - 1, role, in);
		term_area_fit(area, at->p, y, at->class - at->p, role, p);
	}
	term_area_text(area, at->class, y, role, ana_compare_class_name(r->class));
}

/* One line for all rows that are noise. */
static void draw_noise(const struct compare *c, const struct columns *at, const struct term_area *area,
	unsigned y)
{
	int64_t sum = 0;
	g_autofree char *by = NULL;

	for (guint i = c->rows->len - c->noise; i < c->rows->len; i++)
		sum += g_array_index(c->found->rows, struct ana_compare_row, g_array_index(c->rows, guint, i))
			       .difference;
	by = signed_text(c, sum);
	term_area_before(area, at->difference, y, TERM_ROLE_DIM, by);
	if (c->noise == c->rows->len)
		term_area_printf(area, at->bar, y, TERM_ROLE_DIM,
			"\342\226\270 all %u steps are noise: no difference is more than chance",
			c->noise); /* ▸ */
	else
		term_area_printf(area, at->bar, y, TERM_ROLE_DIM,
			"\342\226\270 %u step%s noise: %s may be chance", c->noise,
			c->noise == 1 ? " is" : "s are",
			c->noise == 1 ? "its difference" : "their differences");
}

/* ---- other activity ---- */

/* "client/softirq TIMER", "thread db/rcu_preempt", "load of db".  The caller frees. */
static char *outside_text(const struct ana_outside *o)
{
	const char *what = ana_outside_what_name(o->what), *host = o->host ? o->host : "";
	g_autofree char *khz = ana_outside_frequency_text(o);
	bool told = o->what == ANA_OUTSIDE_IRQ || o->what == ANA_OUTSIDE_SOFTIRQ; /* by the name */

	if (!*o->name)
		return g_strconcat(what, *host ? " of " : "", host, khz ? ": " : "", khz, NULL);
	return g_strconcat(told ? "" : what, told ? "" : " ", host, *host ? "/" : "", o->name, NULL);
}

static void draw_outside_head(const struct compare *c, const struct term_area *area, unsigned y)
{
	static const char head[] = "Other activity (correlation, not cause)";
	const struct ana_compare *a = c->found;
	g_autofree char *text = !a->outside ? g_strconcat(head, ": too few paths to tell", NULL)
		: a->outside->len
		? g_strconcat(head, ", as a share of the paths' time", NULL)
		: g_strdup_printf("%s: none of %" PRIu64 " activities differs more than by chance", head,
			  a->outside_looked);

	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_DIM, text);
}

static void draw_outside(const struct columns *at, const struct term_area *area, unsigned y,
	const struct ana_outside *o)
{
	double slow = 100 * o->share[ANA_COMPARE_SLOW], fast = 100 * o->share[ANA_COMPARE_FAST];
	g_autofree char *text = outside_text(o),
			*takes = g_strdup_printf("%.1f%% \342\206\222 %.1f%%", fast, slow), /* → */
				*p = p_text(o->p);

	term_area_number(area, at->difference, y, TERM_ROLE_STRONG, "%+.1f%%", slow - fast);
	term_area_fit(area, at->step, y, at->takes - at->step - 1, TERM_ROLE_TEXT, text);
	term_area_fit(area, at->takes, y, at->in - at->takes, TERM_ROLE_TEXT, takes);
	if (at->wide)
		term_area_fit(area, at->p, y, at->class - at->p, TERM_ROLE_TEXT, p);
	term_area_text(area, at->class, y, TERM_ROLE_TEXT, "goes with");
}

/* ---- below the list ---- */

/* On the last two lines of AREA, or three. */
static void draw_step(const struct compare *c, const struct term_area *area, bool named)
{
	unsigned y = area->h - 2;
	const struct ana_compare_row *r = compare_line(c, c->view.line);
	g_autofree char *step = NULL, *p = NULL, *in = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	if (named)
		term_area_fill(area, 0, y - 1, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (!r)
		return;
	step = ana_fold_step_text(c->found->fold, r->step);
	p = p_text(r->p);
	in = in_text(c, r);
	g_string_append_printf(text, "%s  %s: %s", step, ana_compare_class_name(r->class), p);
	if (in)
		g_string_append_printf(text, "  in %s", in);
	if (named)
		term_area_fit(area, 1, y - 1, area->w - 1, TERM_ROLE_TITLE, text->str);
	compare_plot_step(c, area, y, r, named ? NULL : p);
}

static void compare_draw_draw_line(const struct compare *c, const struct columns *at,
	const struct term_area *list, unsigned y, guint line)
{
	const struct ana_compare_row *r = compare_line(c, line);
	const struct ana_outside *o = compare_line_outside(c, line);

	if (r)
		draw_row(c, at, list, y, r);
	else if (o)
		draw_outside(at, list, y, o);
	else if (compare_line_is_noise(c, line))
		draw_noise(c, at, list, y);
	else if (compare_line_is_unrecorded(c, line))
		term_area_fit(list, at->step, y, list->w - at->step, TERM_ROLE_DIM,
			"frequency of CPUs: not recorded");
	else
		draw_outside_head(c, list, y);
}

void compare_draw(struct compare *c, const struct term_area *area)
{
	struct columns at = { .difference = 10, .share = 16, .bar = 17, .wide = area->w >= WIDE };
	guint n = compare_lines(c);
	unsigned plot = area->h < TALL_FROM                               ? 0
		: area->h < 20 && c->found->by == ANA_COMPARE_BY_DURATION ? 1
									  : 2,
		 below = area->h < STEP_FROM ? 0
		: area->h < NAMED_FROM       ? 2
					     : 3;
	const struct ana_compare *a = c->found;
	uint64_t left = a->left.no_thread + a->left.outside + a->left.unfinished + a->left.no_path;
	g_autoptr(GString) missing = g_string_new(NULL); /* intervals left out, or with lost events */
	unsigned y = 1 + plot + ((left || a->lost) && area->h >= STEP_FROM);
	struct term_area list;

	if (left)
		g_string_append_printf(missing,
			"%" PRIu64 " left out: thread unknown, not entirely in the trace, or no path  ",
			left);
	if (a->lost)
		g_string_append_printf(missing, "%" PRIu64 " have lost events", a->lost);
	at.bar_width = at.wide ? BAR_MAX : BAR_MAX / 2;
	at.step = at.bar + at.bar_width + 1;
	at.class = area->w - MIN(area->w, 10);
	at.p = at.wide ? at.class - 10 : at.class;
	at.in = at.wide ? at.p - 24 : at.p;
	at.takes = at.in - MIN(at.in, 20);
	at.whom = at.wide ? MIN(at.step + STEP_MAX, at.step + (at.takes - at.step) * 3 / 5) : at.takes;
	draw_head(c, area);
	compare_plot_durations(c, area, 1, plot);
	if (missing->len && area->h >= STEP_FROM)
		term_area_fit(area, 1, y - 1, area->w - 1, TERM_ROLE_DIM, missing->str);
	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_before(area, at.difference, y, TERM_ROLE_TITLE, "differ by");
	term_area_before(area, at.share, y, TERM_ROLE_TITLE, "share");
	term_area_text(area, at.step, y, TERM_ROLE_TITLE, "step");
	if (at.wide) {
		term_area_text(area, at.whom, y, TERM_ROLE_TITLE, "for");
		term_area_text(area, at.in, y, TERM_ROLE_TITLE, "in");
		term_area_text(area, at.p, y, TERM_ROLE_TITLE, "by chance");
	}
	term_area_text(area, at.takes, y, TERM_ROLE_TITLE, "takes");
	term_area_text(area, at.class, y, TERM_ROLE_TITLE, "is");
	list_view_go(&c->view, 0, n);
	list = list_view_area(&c->view, area, y + 1, below, n);
	for (unsigned i = 0; i < c->view.seen; i++)
		compare_draw_draw_line(c, &at, &list, i, c->view.top + i);
	list_view_mark(&c->view, &c->pane, &list);
	if (below)
		draw_step(c, area, below == 3);
}
