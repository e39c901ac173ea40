/* SPDX-License-Identifier: MIT */
/* A comparison: its two sets, its groups, the steps of their paths, other activity.  The result is a struct
 * ana_compare, the context of all rows. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/compare/compare.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>

static const struct ana_fold_step *compare_step_of(const struct ana_compare *c,
	const struct ana_compare_row *r)
{
	return &g_array_index(c->fold->steps, struct ana_fold_step, r->step);
}

static const struct ana_fold_actor *actor_of(const struct ana_compare *c, uint32_t actor)
{
	return &g_array_index(c->fold->actors, struct ana_fold_actor, actor);
}

/* ---- in words ---- */

/* Rounded to six digits, because more digits are noise. */
static double six_digits(double share)
{
	return isnan(share) ? NAN : round(share * 1e6) / 1e6;
}

char *table_compare_what(const struct ana_compare *c, const struct ana_compare_row *r)
{
	g_autofree char *actor = ana_fold_actor_text(c->fold, compare_step_of(c, r)->actor);
	g_autofree char *doing = ana_fold_doing(compare_step_of(c, r));

	return g_strdup_printf("%s %s", actor, doing);
}

bool table_compare_is_only(const struct ana_compare_row *r)
{
	return r->in[0].count == 0 || r->in[1].count == 0;
}

char *table_compare_takes(const struct ana_compare *c, const struct ana_compare_row *r, const char *arrow)
{
	g_autofree char *from = table_duration_text(r->in[1].mean), *to = table_duration_text(r->in[0].mean);

	return table_compare_is_only(r) ? g_strdup_printf("only in %s", c->side[r->in[0].count == 0].word)
					: g_strdup_printf("%s %s %s", from, arrow, to);
}

static bool is_in_all(const struct ana_compare *c, const struct ana_compare_row *r, unsigned side)
{
	return r->in[side].count == c->side[side].figures.count;
}

char *table_compare_in(const struct ana_compare *c, const struct ana_compare_row *r, const char *arrow)
{
	unsigned only = r->in[0].count == 0;

	if (table_compare_is_only(r))
		return is_in_all(c, r, only) ? NULL
					     : g_strdup_printf("%" PRIu64 " of %" PRIu64, r->in[only].count,
						       c->side[only].figures.count);
	if (is_in_all(c, r, 0) && is_in_all(c, r, 1))
		return NULL;
	return g_strdup_printf("%" PRIu64 " of %" PRIu64 " %s %" PRIu64 " of %" PRIu64, r->in[1].count,
		c->side[1].figures.count, arrow, r->in[0].count, c->side[0].figures.count);
}

char *table_compare_p(double p)
{
	if (isnan(p))
		return NULL;
	if (p < 0.001)
		return g_strdup("p < 0.001");
	return p < 0.01 ? g_strdup("p < 0.01") : g_strdup_printf("p = %.2f", p);
}

/* ---- values of several parts ---- */

/* The actors that wait for ACTOR, and ACTOR at the end. The owner of the interval is first. */
static GString *actors_json(const struct ana_compare *c, uint32_t actor)
{
	const struct ana_fold_actor *a = actor == MDL_NONE ? NULL : actor_of(c, actor);
	GString *list, *o;

	if (!a)
		return base_json_list();
	list = actors_json(c, a->above);
	o = base_json_object();
	base_json_text(o, "type", ana_actor_type_name(a->type));
	base_json_text(o, "host", a->host);
	base_json_text(o, "name", a->name);
	base_json_put(list, NULL, o);
	return list;
}

static GString *in_json(const struct ana_compare_row *r)
{
	GString *o = base_json_object();

	base_json_int(o, "slow", (int64_t)r->in[0].count);
	base_json_int(o, "fast", (int64_t)r->in[1].count);
	return o;
}

/* ---- columns ---- */

TABLE_COLUMNS(row_columns)
{
	const struct ana_compare_row *r = row;
	const struct ana_compare *c = in->context;
	uint32_t actor = row ? compare_step_of(c, r)->actor : MDL_NONE,
		 waiter = row ? actor_of(c, actor)->above : MDL_NONE; /* NONE: the actor owns the interval */

	TABLE_COLUMN_BY("difference", ">DIFFERENCE", TABLE_DURATION,
			"mean of slow minus mean of fast; a path without the step counts as 0",
			cell->number = r->difference;
			cell->taken = table_told(in->format) ? table_signed_text(r->difference) : NULL);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE,
		"decimal: of the whole difference: 1 is all of it; negative: the step makes it smaller",
		share = six_digits(r->share));
	TABLE_COLUMN("kind", "(STEP", TABLE_WORD, "kind of a segment of a [path](#path)",
		word = ana_segment_kind_name(compare_step_of(c, r)->kind));
	TABLE_COLUMN("what", "(STEP", TABLE_WORD, "for `syscall` the call",
		word = compare_step_of(c, r)->what);
	TABLE_COLUMN("", "STEP", TABLE_WORD, "", taken = table_compare_what(c, r));
	TABLE_COLUMN("", "FOR", TABLE_WORD, "",
		taken = waiter == MDL_NONE ? NULL : ana_fold_actor_text(c->fold, waiter));
	TABLE_COLUMN("", "TAKES", TABLE_WORD, "", taken = table_compare_takes(c, r, ">"));
	TABLE_COLUMN("", "IN", TABLE_WORD, "", taken = table_compare_in(c, r, ">"));
	TABLE_COLUMN("count_slow", "(IN", TABLE_NUMBER, "paths with the step",
		number = (int64_t)r->in[0].count);
	TABLE_COLUMN("count_fast", "(IN", TABLE_NUMBER, "paths with the step",
		number = (int64_t)r->in[1].count);
	TABLE_COLUMN("mean_slow", "(TAKES", TABLE_DURATION,
		"over all paths; all rows sum to the means of the sets", number = r->in[0].mean);
	TABLE_COLUMN("mean_fast", "(TAKES", TABLE_DURATION,
		"over all paths; all rows sum to the means of the sets", number = r->in[1].mean);
	TABLE_COLUMN("p50_slow", NULL, TABLE_DURATION, "", number = r->in[0].p50);
	TABLE_COLUMN("p50_fast", NULL, TABLE_DURATION, "", number = r->in[1].p50);
	TABLE_COLUMN("p99_slow", NULL, TABLE_DURATION, "", number = r->in[0].p99);
	TABLE_COLUMN("p99_fast", NULL, TABLE_DURATION, "", number = r->in[1].p99);
	TABLE_COLUMN("min_slow", NULL, TABLE_DURATION, "", number = r->in[0].min);
	TABLE_COLUMN("min_fast", NULL, TABLE_DURATION, "", number = r->in[1].min);
	TABLE_COLUMN("max_slow", NULL, TABLE_DURATION, "", number = r->in[0].max);
	TABLE_COLUMN("max_fast", NULL, TABLE_DURATION, "", number = r->in[1].max);
	TABLE_COLUMN("correlation_slow", NULL, TABLE_SHARE,
		"decimal: of the time of the step with the duration of the path, -1 to 1; null: that time does not vary",
		share = six_digits(r->correlation[0]));
	TABLE_COLUMN("correlation_fast", NULL, TABLE_SHARE,
		"decimal: of the time of the step with the duration of the path, -1 to 1; null: that time does not vary",
		share = six_digits(r->correlation[1]));
	TABLE_COLUMN("p_value", "(P", TABLE_SHARE, "1: equal in all paths; null: too few paths",
		share = r->p);
	TABLE_COLUMN("", "P", TABLE_WORD, "", taken = table_compare_p(r->p));
	TABLE_COLUMN_BY(
		"class", "CLASS", TABLE_WORD,
		"`structure`: more paths of one side have the step; `timing`: both have it, one side spends more time in it; `noise`: chance explains the difference",
		cell->word = ana_compare_class_name(r->class);
		cell->taken = table_told(in->format) ? g_strdup_printf("[%s]", cell->word) : NULL);
	TABLE_LIST("step", NULL, TABLE_LONG, "{}: ", actors_json(c, actor),
		taken = ana_fold_step_text(c->fold, r->step));
	TABLE_OBJECT("in", NULL, TABLE_WORD | TABLE_LATE, "{}: ", in_json(r),
		g_strdup_printf("%" PRIu64 "/%" PRIu64, r->in[0].count, r->in[1].count));
}

/* One of the intervals, as the arguments of `path`. NULL if there is none. */
static GString *interval_json(const struct ana_compare *c, uint32_t path)
{
	const struct ana_compare_path *p;
	GString *o;

	if (path == UINT32_MAX)
		return NULL;
	p = &g_array_index(c->paths, struct ana_compare_path, path);
	o = base_json_object();
	base_json_time(o, "from", p->from);
	base_json_time(o, "to", p->to);
	base_json_put(o, "thread", table_json_thread(c->q[p->of], p->row, p->from));
	return o;
}

static GString *members_json(const struct ana_compare *c, const struct ana_compare_group *g)
{
	GString *list = base_json_list();

	for (guint i = 0; i < g->members->len; i++)
		base_json_put(list, NULL, interval_json(c, g_array_index(g->members, uint32_t, i)));
	return list;
}

#define LINE "(first line"

/* HEADED: text has them as columns; else in its first line. */
static void figure_columns(struct table_row *to, const struct ana_compare_figures *row, bool headed)
{
	const struct ana_compare_figures *f = row;

	TABLE_COLUMN("count", headed ? ">COUNT" : LINE, TABLE_NUMBER, "paths", number = (int64_t)f->count);
	TABLE_COLUMN("mean", headed ? ">MEAN" : LINE, TABLE_DURATION, "of their durations", number = f->mean);
	TABLE_COLUMN("p50", headed ? ">P50" : LINE, TABLE_DURATION, "of their durations", number = f->p50);
	TABLE_COLUMN("p99", headed ? ">P99" : LINE, TABLE_DURATION, "of their durations", number = f->p99);
	TABLE_COLUMN("min", headed ? ">MIN" : LINE, TABLE_DURATION, "of their durations", number = f->min);
	TABLE_COLUMN("max", headed ? ">MAX" : LINE, TABLE_DURATION, "of their durations", number = f->max);
}

TABLE_COLUMNS(side_columns)
{
	const struct ana_compare_side *s = row;

	TABLE_COLUMN("name", LINE, TABLE_WORD,
		"the two sides, the slow one first: `slow`, `fast`; a group and `others`; `now`, `before`",
		word = s->name);
	figure_columns(to, row ? &s->figures : NULL, false);
	TABLE_COLUMN_BY("typical", NULL, TABLE_WORD,
		"{}: ", cell->json = interval_json(in->context, s->typical));
	TABLE_COLUMN_BY("extreme", NULL, TABLE_WORD,
		"{}: ", cell->json = interval_json(in->context, s->extreme));
}

TABLE_COLUMNS(group_columns)
{
	static const char *const roles[2][2] = { { "slow", "fast" }, { "now", "before" } };
	const struct ana_compare_group *g = row;
	const struct ana_compare *c = in->context;

	TABLE_COLUMN("side", NULL, TABLE_WORD,
		"`slow`, `fast`; with `--against` `now`, `before`: keys with `slow` in their name then are those of `now`",
		word = roles[c->by == ANA_COMPARE_BY_ORIGIN][g->side]);
	figure_columns(to, row ? &g->figures : NULL, true);
	TABLE_COLUMN("name", "GROUP", TABLE_LONG, "", word = g->name);
	TABLE_LIST("members", NULL, TABLE_LONG, "{}: ", members_json(c, g), word = NULL);
}

/* KHZ as a cell's number; 0 means that it is not a frequency. */
static int64_t khz_number(double khz)
{
	return khz > 0 ? (int64_t)(khz + 0.5) : BASE_TIME_NONE;
}

TABLE_COLUMNS(outside_columns)
{
	const struct ana_outside *r = row;
	const struct ana_compare *c = in->context;

	TABLE_COLUMN("what", "WHAT", TABLE_WORD,
		"`load` (CPU time of other threads), `thread`, `irq`, `softirq`, `disk` (requests in flight or queued), `steal` (CPUs of a guest that the host took away), `lost` (CPUs with lost events), `frequency`",
		word = ana_outside_what_name(r->what));
	TABLE_COLUMN("host", !c || c->fold->several ? "HOST" : NULL, TABLE_WORD, "with several hosts",
		word = r->host);
	TABLE_COLUMN("slow", ">SLOW", TABLE_SHARE,
		"mean share of the time of the paths of each side: of one CPU; for `load`, `steal` and `lost` of all CPUs of the host; for `frequency` how far it is below the highest recorded frequency of the host",
		share = r->share[0]);
	TABLE_COLUMN("fast", ">FAST", TABLE_SHARE,
		"mean share of the time of the paths of each side: of one CPU; for `load`, `steal` and `lost` of all CPUs of the host; for `frequency` how far it is below the highest recorded frequency of the host",
		share = r->share[1]);
	TABLE_COLUMN("p_value", "(P", TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", "P", TABLE_WORD, "", taken = table_compare_p(r->p));
	TABLE_COLUMN("slow_khz", "(NAME", TABLE_NUMBER, "mean of slow, in kHz, if `what` is `frequency`",
		number = khz_number(r->khz[ANA_COMPARE_SLOW]));
	TABLE_COLUMN("fast_khz", "(NAME", TABLE_NUMBER, "mean of fast, in kHz",
		number = khz_number(r->khz[ANA_COMPARE_FAST]));
	TABLE_COLUMN("highest_khz", "(NAME", TABLE_NUMBER, "highest recorded one of the host, in kHz",
		number = khz_number((double)r->highest));
	TABLE_COLUMN_BY(
		"name", "NAME", TABLE_LONG,
		"name of the thread, line, vector or disk; otherwise empty. For `frequency` the text shows `slow_khz`, `fast_khz` and `highest_khz` here, in GHz",
		cell->word = r->name;
		cell->taken = table_told(in->format) ? ana_outside_frequency_text(r) : NULL);
}

/* ---- tables ---- */

static bool open_sets(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	c->in.context = c->ask.result;
	return true;
}

static int next_set(struct table_cursor *c, const void **row, G_GNUC_UNUSED GError **error)
{
	const struct ana_compare *compare = c->ask.result;

	if (c->in.number >= G_N_ELEMENTS(compare->side))
		return 0;
	*row = &compare->side[c->in.number];
	return 1;
}

#define COMPARE(part_of, text)                                         \
	.list = #part_of, .doc = (text), .rows_are = TABLE_ROWS_ARRAY, \
	.part = offsetof(struct ana_compare, part_of)

const struct table table_compare_rows = {
	COMPARE(rows, "a step of paths, with what it takes on both sides"),
	.name = "compare_step",
	.columns = row_columns,
};

const struct table table_compare_sets = {
	.list = "sets",
	.doc = "a side of a comparison, the slow one first",
	.name = "compare_set",
	.takes = TABLE_NEEDS_RESULT,
	.columns = side_columns,
	.open = open_sets,
	.next = next_set,
};

const struct table table_compare_groups = {
	COMPARE(groups, "a group of paths"),
	.name = "compare_group",
	.columns = group_columns,
};

const struct table table_compare_outside = {
	COMPARE(outside,
		"other activity that was higher while the slow paths ran, the largest difference first"),
	.name = "compare_other",
	.columns = outside_columns,
};
