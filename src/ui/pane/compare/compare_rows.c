/* SPDX-License-Identifier: MIT */
/*
 * The list: a row for each step, whose differences sum to the difference of the sides; then the noise rows,
 * or one line for all of them; then other activity, in any sort order.
 */
#include "ui/pane/compare/compare.h"

#include "table/rows.h"

#include <inttypes.h>
#include <math.h>

#define FEW 3                /* this many noise rows are not folded */
#define PARTS 1e9            /* scale of fractions that are sorted as integers */
#define ARROW "\342\206\222" /* → */

const struct compare_line *compare_line(const struct compare *c)
{
	guint row;

	return list_selected(&c->list, &row) ? &g_array_index(c->lines, struct compare_line, row) : NULL;
}

static const struct compare_line *line_at(const struct list *l, guint row)
{
	return &g_array_index(((const struct compare *)l->self)->lines, struct compare_line, row);
}

/* ---- cells ---- */

char *compare_signed_text(const struct compare *c, int64_t ns)
{
	g_autofree char *length = ui_shell_duration_text(c->pane.shell, ns < 0 ? -ns : ns);

	return g_strconcat(ns < 0 ? "-" : "+", length, NULL);
}

/* "client/softirq TIMER", "thread db/rcu_preempt", "load of db".  The caller frees. */
static char *outside_text(const struct ana_outside *o)
{
	const char *what = ana_outside_what_name(o->what), *host = o->host ? o->host : "";
	g_autofree char *khz = ana_outside_frequency_text(o);
	bool told = o->what == ANA_OUTSIDE_IRQ || o->what == ANA_OUTSIDE_SOFTIRQ; /* NAME alone is clear */

	if (!*o->name)
		return g_strconcat(what, *host ? " of " : "", host, khz ? ": " : "", khz, NULL);
	return g_strconcat(told ? "" : what, told ? "" : " ", host, *host ? "/" : "", o->name, NULL);
}

/* "0.0% → 0.4%".  The caller frees. */
static char *shares_text(const struct ana_outside *o)
{
	return g_strdup_printf("%.1f%% " ARROW " %.1f%%", 100 * o->share[ANA_COMPARE_FAST],
		100 * o->share[ANA_COMPARE_SLOW]);
}

/* The actor that waits for the actor of step R; NULL: R's actor owns the interval.  The caller frees. */
static char *whom_text(const struct ana_fold *fold, const struct ana_compare_row *r)
{
	uint32_t actor = g_array_index(fold->steps, struct ana_fold_step, r->step).actor,
		 above = g_array_index(fold->actors, struct ana_fold_actor, actor).above;

	return above == MDL_NONE ? NULL : ana_fold_actor_text(fold, above);
}

/* Numbers are sort keys: absolute differences and correlations.  The context is the struct compare; lines
 * without step and activity have no cells. */
TABLE_COLUMNS(columns)
{
	const struct compare *c = in->context;
	const struct compare_line *l = row;
	const struct ana_compare_row *r = l ? l->step : NULL;
	const struct ana_outside *o = l ? l->outside : NULL;
	double more = o ? o->share[ANA_COMPARE_SLOW] - o->share[ANA_COMPARE_FAST] : 0,
	       with = r ? r->correlation[ANA_COMPARE_SLOW] : NAN;

	row = r || o ? row : NULL;
	TABLE_COLUMN_BY("difference", ">differ by", TABLE_DURATION, "",
			cell->number = r ? ABS(r->difference) : (int64_t)(fabs(more) * PARTS);
			cell->taken = r ? compare_signed_text(c, r->difference)
					: g_strdup_printf("%+.1f%%", 100 * more));
	TABLE_COLUMN("share", ">share", TABLE_SHARE, "", share = r ? r->share : NAN);
	TABLE_COLUMN("step", "step", TABLE_WORD, "",
		taken = r ? table_compare_what(c->found, r) : outside_text(o));
	TABLE_COLUMN("for", "for", TABLE_WORD, "", taken = r ? whom_text(c->found->fold, r) : NULL);
	TABLE_COLUMN("takes", "takes", TABLE_WORD, "",
		taken = r ? table_compare_takes(c->found, r, ARROW) : shares_text(o));
	TABLE_COLUMN("in", "in", TABLE_WORD, "", taken = r ? table_compare_in(c->found, r, ARROW) : NULL);
	TABLE_COLUMN_BY("chance", ">chance", TABLE_SHARE, "", cell->share = r ? r->p : o->p;
			cell->word = "not tested"; cell->taken = table_compare_p(cell->share));
	TABLE_COLUMN_BY(
		"correlation", ">correlation", TABLE_NUMBER, "", if (!isnan(with)) {
			cell->number = (int64_t)(fabs(with) * PARTS);
			cell->taken = g_strdup_printf("%+.2f", with);
		});
	TABLE_COLUMN("is", "is", TABLE_WORD, "", word = r ? ana_compare_class_name(r->class) : "goes with");
	TABLE_COLUMN("path", "path", TABLE_LONG, "",
		taken = r ? ana_fold_step_text(c->found->fold, r->step) : NULL);
}

/* ---- lines without cells ---- */

/* The text of the line that stands for all noise rows.  The caller frees. */
static char *noise_text(const struct compare *c)
{
	const GArray *rows = c->found->rows;
	g_autofree char *by = NULL;
	int64_t sum = 0;

	for (guint i = rows->len - c->noise; i < rows->len; i++)
		sum += g_array_index(rows, struct ana_compare_row, i).difference;
	by = compare_signed_text(c, sum);
	if (c->noise == rows->len)
		return g_strdup_printf(
			"%s  \342\226\270 all %u steps are noise: no difference is more than chance", by,
			c->noise); /* ▸ */
	return g_strdup_printf("%s  \342\226\270 %u step%s noise: %s may be chance", by, c->noise,
		c->noise == 1 ? " is" : "s are", c->noise == 1 ? "its difference" : "their differences");
}

static char *outside_head(const struct ana_compare *a)
{
	static const char head[] = "Other activity (correlation, not cause)";

	if (!a->outside)
		return g_strconcat(head, ": too few paths to tell", NULL);
	return a->outside->len
		? g_strconcat(head, ", as a share of the paths' time", NULL)
		: g_strdup_printf("%s: none of %" PRIu64 " activities differs more than by chance", head,
			  a->outside_looked);
}

static char *across(const struct list *list, guint row)
{
	const struct compare *c = (const struct compare *)list->self;
	const struct compare_line *l = line_at(list, row);

	if (l->step || l->outside)
		return NULL;
	return l->group == COMPARE_NOISE           ? noise_text(c)
		: l->group == COMPARE_OUTSIDE_HEAD ? outside_head(c->found)
						   : g_strdup("frequency of CPUs: not recorded");
}

/* ---- the list ---- */

static enum term_role role(const struct list *l, guint row, G_GNUC_UNUSED unsigned column)
{
	return line_at(l, row)->group == COMPARE_NOISE ? TERM_ROLE_DIM : TERM_ROLE_TEXT;
}

static unsigned group(const struct list *l, guint row)
{
	return line_at(l, row)->group;
}

static const struct table table = { .list = "steps", .columns = columns };

const struct list_kind compare_kind = {
	.table = &table,
	.columns = "difference share step for? takes in? chance? correlation? is",
	.none = "no step differs",
	.role = role,
	.group = group,
	.across = across,
	.at = offsetof(struct compare, list),
};

static void add(struct compare *c, enum compare_group group, const struct ana_compare_row *step,
	const struct ana_outside *outside)
{
	struct compare_line line = { step, outside, group };

	g_array_append_val(c->lines, line);
}

void compare_lines_make(struct compare *c)
{
	const struct ana_compare *a = c->found;
	bool folded;

	g_array_set_size(c->lines, 0);
	c->noise = 0;
	for (guint i = 0; i < a->rows->len; i++)
		c->noise += g_array_index(a->rows, struct ana_compare_row, i).class == ANA_COMPARE_NOISE;
	folded = c->noise > FEW && !c->noise_open;
	for (guint i = 0; i < a->rows->len - (folded ? c->noise : 0); i++)
		add(c, i < a->rows->len - c->noise ? COMPARE_STEPS : COMPARE_NOISE,
			&g_array_index(a->rows, struct ana_compare_row, i), NULL);
	if (folded)
		add(c, COMPARE_NOISE, NULL, NULL);
	add(c, COMPARE_OUTSIDE_HEAD, NULL, NULL);
	for (guint i = 0; a->outside && i < a->outside->len; i++)
		add(c, COMPARE_OUTSIDE, NULL, &g_array_index(a->outside, struct ana_outside, i));
	if (a->outside && !a->has_frequency)
		add(c, COMPARE_UNRECORDED, NULL, NULL);
	list_fill(&c->list, c, c->lines->data, c->lines->len, sizeof(struct compare_line));
}

void compare_lines_fold(struct compare *c)
{
	c->noise_open = !c->noise_open;
	compare_lines_make(c);
	for (guint i = c->list.order->len; c->noise_open && i-- > 0;)
		if (group(&c->list, g_array_index(c->list.order, guint, i)) == COMPARE_NOISE)
			c->list.view.line = i;
}
