/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>

#define ONLY_MOST 6 /* listed steps of one side, among those that are not shown */

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

/* Rounded to six digits: more are noise. */
static double six_digits(double share)
{
	return isnan(share) ? NAN : round(share * 1e6) / 1e6;
}

/* "db/wk-server running". */
static char *what_text(const struct ana_compare *c, const struct ana_compare_row *r)
{
	g_autofree char *actor = ana_fold_actor_text(c->fold, compare_step_of(c, r)->actor);
	g_autofree char *doing = ana_fold_doing(compare_step_of(c, r));

	return g_strdup_printf("%s %s", actor, doing);
}

/* The step is in the paths of one side only. */
static bool is_only(const struct ana_compare_row *r)
{
	return r->in[0].count == 0 || r->in[1].count == 0;
}

/* "only in slow", or how long it takes: "40.0 µs > 2.90 ms". */
static char *takes_text(const struct ana_compare *c, const struct ana_compare_row *r)
{
	g_autofree char *from = table_duration_text(r->in[1].mean), *to = table_duration_text(r->in[0].mean);

	return is_only(r) ? g_strdup_printf("only in %s", c->side[r->in[0].count == 0].word)
			  : g_strdup_printf("%s > %s", from, to);
}

static bool is_in_all(const struct ana_compare *c, const struct ana_compare_row *r, unsigned side)
{
	return r->in[side].count == c->side[side].figures.count;
}

/* The number of paths: "6 of 8 > 4 of 4"; NULL: all. */
static char *in_how_many(const struct ana_compare *c, const struct ana_compare_row *r)
{
	unsigned only = r->in[0].count == 0;

	if (is_only(r))
		return is_in_all(c, r, only) ? NULL
					     : g_strdup_printf("%" PRIu64 " of %" PRIu64, r->in[only].count,
						       c->side[only].figures.count);
	if (is_in_all(c, r, 0) && is_in_all(c, r, 1))
		return NULL;
	return g_strdup_printf("%" PRIu64 " of %" PRIu64 " > %" PRIu64 " of %" PRIu64, r->in[1].count,
		c->side[1].figures.count, r->in[0].count, c->side[0].figures.count);
}

static char *p_text(double p)
{
	if (isnan(p))
		return NULL;
	if (p < 0.001)
		return g_strdup("p < 0.001");
	return p < 0.01 ? g_strdup("p < 0.01") : g_strdup_printf("p = %.2f", p);
}

/* ---- values of several parts ---- */

/* The actors that wait for ACTOR, the owner of the interval first, and ACTOR. */
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

TABLE_COLUMNS(columns)
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
		"of the whole difference: 1 is all of it; negative: it works against it",
		share = six_digits(r->share));
	TABLE_COLUMN("kind", NULL, TABLE_WORD, "kind of a segment of a [path](#path)",
		word = ana_segment_kind_name(compare_step_of(c, r)->kind));
	TABLE_COLUMN("what", NULL, TABLE_WORD, "for `syscall` the call", word = compare_step_of(c, r)->what);
	TABLE_COLUMN("", "STEP", TABLE_WORD, "", taken = what_text(c, r));
	TABLE_COLUMN("", "FOR", TABLE_WORD, "",
		taken = waiter == MDL_NONE ? NULL : ana_fold_actor_text(c->fold, waiter));
	TABLE_COLUMN("", "TAKES", TABLE_WORD, "", taken = takes_text(c, r));
	TABLE_COLUMN("", "IN", TABLE_WORD, "", taken = in_how_many(c, r));
	TABLE_COLUMN("count_slow", NULL, TABLE_NUMBER,
		"paths with the step; also `rows[].in.slow`, `rows[].in.fast`",
		number = (int64_t)r->in[0].count);
	TABLE_COLUMN("count_fast", NULL, TABLE_NUMBER,
		"paths with the step; also `rows[].in.slow`, `rows[].in.fast`",
		number = (int64_t)r->in[1].count);
	TABLE_COLUMN("mean_slow", NULL, TABLE_DURATION,
		"over all paths; all rows sum to the means of the sets", number = r->in[0].mean);
	TABLE_COLUMN("mean_fast", NULL, TABLE_DURATION,
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
		"of its time with the duration of the path, -1 to 1; null: it does not vary",
		share = six_digits(r->correlation[0]));
	TABLE_COLUMN("correlation_fast", NULL, TABLE_SHARE,
		"of its time with the duration of the path, -1 to 1; null: it does not vary",
		share = six_digits(r->correlation[1]));
	TABLE_COLUMN("p_value", NULL, TABLE_SHARE, "1: equal in all paths; null: too few paths",
		share = r->p);
	TABLE_COLUMN("", "P", TABLE_WORD, "", taken = p_text(r->p));
	TABLE_COLUMN_BY("class", "CLASS", TABLE_WORD, "`structure`, `timing`, `noise`",
			cell->word = ana_compare_class_name(r->class);
			cell->taken = table_told(in->format) ? g_strdup_printf("[%s]", cell->word) : NULL);
	TABLE_LIST("step", NULL, TABLE_LONG, "", actors_json(c, actor),
		taken = ana_fold_step_text(c->fold, r->step));
	TABLE_OBJECT("in", NULL, TABLE_WORD | TABLE_LATE, "", in_json(r),
		g_strdup_printf("%" PRIu64 "/%" PRIu64, r->in[0].count, r->in[1].count));
}

/* One of the intervals, as the arguments of `path`. */
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

TABLE_COLUMNS(figure_columns)
{
	const struct ana_compare_figures *f = row;

	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "paths", number = (int64_t)f->count);
	TABLE_COLUMN("mean", ">MEAN", TABLE_DURATION, "of their durations", number = f->mean);
	TABLE_COLUMN("p50", ">50 %", TABLE_DURATION, "of their durations", number = f->p50);
	TABLE_COLUMN("p99", ">99 %", TABLE_DURATION, "of their durations", number = f->p99);
	TABLE_COLUMN("min", ">MIN", TABLE_DURATION, "of their durations", number = f->min);
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "of their durations", number = f->max);
}

TABLE_COLUMNS(side_columns)
{
	const struct ana_compare_side *s = row;

	TABLE_COLUMN("name", NULL, TABLE_WORD,
		"the two sides, the slow one first: `slow`, `fast`; a group and `others`; `now`, `before`",
		word = s->name);
	figure_columns(to, row ? &s->figures : NULL, in);
	TABLE_COLUMN_BY("typical", NULL, TABLE_WORD,
		"the path of median duration, the longest path: `from`, `to` and `thread`, as `path` takes them",
		cell->json = interval_json(in->context, s->typical));
	TABLE_COLUMN_BY("extreme", NULL, TABLE_WORD,
		"the path of median duration, the longest path: `from`, `to` and `thread`, as `path` takes them",
		cell->json = interval_json(in->context, s->extreme));
}

TABLE_COLUMNS(group_columns)
{
	static const char *const roles[2][2] = { { "slow", "fast" }, { "now", "before" } };
	const struct ana_compare_group *g = row;
	const struct ana_compare *c = in->context;

	TABLE_COLUMN("side", NULL, TABLE_WORD,
		"`slow`, `fast`; with `--against` `now`, `before` (in other keys `slow` stands for now)",
		word = roles[c->by == ANA_COMPARE_BY_ORIGIN][g->side]);
	figure_columns(to, row ? &g->figures : NULL, in);
	TABLE_COLUMN("name", "GROUP", TABLE_LONG, "", word = g->name);
	TABLE_LIST("members", NULL, TABLE_LONG,
		"its members, at most the first 1000: `from`, `to` and `thread`, as `path` takes them",
		members_json(c, g), word = NULL);
}

/* KHZ 0: not a frequency. */
static int64_t khz_number(double khz)
{
	return khz > 0 ? (int64_t)(khz + 0.5) : BASE_TIME_NONE;
}

TABLE_COLUMNS(outside_columns)
{
	const struct ana_outside *r = row;
	const struct ana_compare *c = in->context;

	TABLE_COLUMN("what", "WHAT", TABLE_WORD,
		"`load` of all CPUs by others, `thread`, `irq`, `softirq`, `disk` (requests in flight or queued), `steal`, `lost`, `frequency`",
		word = ana_outside_what_name(r->what));
	TABLE_COLUMN("host", c->fold->several ? "HOST" : NULL, TABLE_WORD, "with several hosts",
		word = r->host);
	TABLE_COLUMN("slow", ">SLOW", TABLE_SHARE,
		"mean share of the time of the paths of each side: of one CPU; for `load`, `steal` and `lost` of all CPUs of the host; for `frequency` the part that is missing to the highest recorded one of the host",
		share = r->share[0]);
	TABLE_COLUMN("fast", ">FAST", TABLE_SHARE,
		"mean share of the time of the paths of each side: of one CPU; for `load`, `steal` and `lost` of all CPUs of the host; for `frequency` the part that is missing to the highest recorded one of the host",
		share = r->share[1]);
	TABLE_COLUMN("p_value", NULL, TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", "P", TABLE_WORD, "", taken = p_text(r->p));
	TABLE_COLUMN("slow_khz", NULL, TABLE_NUMBER,
		"for `frequency`: mean of each side, highest recorded one of the host; else null",
		number = khz_number(r->khz[ANA_COMPARE_SLOW]));
	TABLE_COLUMN("fast_khz", NULL, TABLE_NUMBER,
		"for `frequency`: mean of each side, highest recorded one of the host; else null",
		number = khz_number(r->khz[ANA_COMPARE_FAST]));
	TABLE_COLUMN("highest_khz", NULL, TABLE_NUMBER,
		"for `frequency`: mean of each side, highest recorded one of the host; else null",
		number = khz_number((double)r->highest));
	TABLE_COLUMN_BY(
		"name", "NAME", TABLE_LONG,
		"of a thread, line, vector or disk; otherwise empty. For a frequency the text shows the three fields of the next row in GHz",
		cell->word = r->name;
		cell->taken = table_told(in->format) ? ana_outside_frequency_text(r) : NULL);
}

/* ---- JSON ---- */

static GString *gap_json(const struct ana_compare_gap *gap)
{
	GString *o;

	if (!gap->found)
		return NULL;
	o = base_json_object();
	base_json_int(o, "from", gap->from);
	base_json_int(o, "to", gap->to);
	base_json_decimal(o, "p_value", gap->p);
	return o;
}

static GString *left_json(const struct ana_compare *c)
{
	GString *o = base_json_object();

	base_json_int(o, "no_thread", (int64_t)c->left.no_thread);
	base_json_int(o, "outside", (int64_t)c->left.outside);
	base_json_int(o, "unfinished", (int64_t)c->left.unfinished);
	base_json_int(o, "no_path", (int64_t)c->left.no_path);
	return o;
}

static void put_json(GString *out, const struct ana_compare *c)
{
	base_json_text(out, "by", c->by_name);
	base_json_begin_list(out, "sets");
	for (unsigned i = 0; i < 2; i++)
		base_json_put_line(out, table_json_row(side_columns, c->q[0], c, &c->side[i]));
	base_json_end_list(out);
	base_json_int(out, "difference", c->difference);
	base_json_put(out, "gap", gap_json(&c->gap));
	base_json_put(out, "left_out", left_json(c));
	base_json_int(out, "lost", (int64_t)c->lost);
	base_json_int(out, "sampled", (int64_t)c->sampled);
}

/* ---- text ---- */

/* "slow 4 of 12 (>= 48.5 ms)   fast 8 (median 13.1 ms)   +38.0 ms". */
static void put_head(GString *out, const struct ana_compare *c)
{
	const struct ana_compare_side *slow = &c->side[0], *fast = &c->side[1];
	g_autofree char *least = table_duration_text(slow->figures.min),
			*mid = table_duration_text(slow->figures.p50);
	g_autofree char *median = table_duration_text(fast->figures.p50),
			*by = table_signed_text(c->difference);

	exp_table_append_clean(out, slow->name);
	g_string_append_printf(out, " %" PRIu64 " of %" PRIu64 " (%s%s)   ", slow->figures.count,
		slow->figures.count + fast->figures.count,
		c->by == ANA_COMPARE_BY_DURATION ? "from " : "median ",
		c->by == ANA_COMPARE_BY_DURATION ? least : mid);
	exp_table_append_clean(out, fast->name);
	g_string_append_printf(out, " %" PRIu64 " (median %s)   %s\n", fast->figures.count, median, by);
}

static void put_gap(GString *out, const struct ana_compare *c)
{
	g_autofree char *from = NULL, *to = NULL;

	if (c->by != ANA_COMPARE_BY_DURATION || !c->gap.asked)
		return;
	if (!c->gap.found) {
		g_string_append(out, "the durations have no natural gap: the longest tenth is slow\n");
		return;
	}
	from = table_duration_text(c->gap.from);
	to = table_duration_text(c->gap.to);
	g_string_append_printf(out, "the natural gap of the durations is from %s to %s\n", from, to);
}

static void compare_put_count(GString *out, uint64_t n, const char *what)
{
	if (n > 0)
		g_string_append_printf(out, "%" PRIu64 " %s\n", n, what);
}

static void put_left(GString *out, const struct ana_compare *c)
{
	uint64_t all = c->side[0].figures.count + c->side[1].figures.count;

	compare_put_count(out, c->left.no_thread, "left out: thread unknown");
	compare_put_count(out, c->left.outside,
		"left out: not entirely within the trace and the life of their thread");
	compare_put_count(out, c->left.unfinished,
		"left out: unfinished at the end of the trace, or events were lost");
	compare_put_count(out, c->left.no_path,
		"left out: their thread did not live then, so they have no path");
	compare_put_count(out, c->lost, "with lost events on their host: some of their time is unknown");
	if (c->sampled < all)
		g_string_append_printf(out,
			"percentiles and p are from %" PRIu64
			" paths, chosen evenly; everything else is from all paths\n",
			c->sampled);
}

/* The sum of the rows after the first MOST. */
static void put_rest(GString *out, const struct ana_compare *c, guint most)
{
	int64_t rest = 0;
	g_autofree char *text = NULL;

	for (guint i = most; i < c->rows->len; i++)
		rest += g_array_index(c->rows, struct ana_compare_row, i).difference;
	if (c->rows->len <= most)
		return;
	text = table_signed_text(rest);
	g_string_append_printf(out, "and %u more rows, together %s: --top 0\n", c->rows->len - most, text);
}

struct only {
	const struct ana_compare_row *row;
	unsigned side;
};

static int by_size(const void *a, const void *b)
{
	const struct only *x = a, *y = b;
	int64_t dx = llabs(x->row->difference), dy = llabs(y->row->difference);

	return dx != dy ? (dx < dy) - (dx > dy) : (x->row > y->row) - (x->row < y->row);
}

/* The rows from number FIRST on that only one side has, of struct only, the largest first. */
static GArray *find_only(const struct ana_compare *c, guint first)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct only));

	for (guint i = first; i < c->rows->len; i++) {
		const struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);
		struct only only = { r, r->in[0].count == 0 };

		if (is_only(r))
			g_array_append_val(found, only);
	}
	g_array_sort(found, by_size);
	return found;
}

/* "only in post-vote: db/vda block (2 of 3), db/vda flush (1 of 3)": small steps that may be the reason. */
static void put_only(GString *out, const struct ana_compare *c, guint most)
{
	g_autoptr(GArray) found = find_only(c, most);
	guint n = MIN(found->len, ONLY_MOST);
	bool begun = false;

	for (unsigned side = 0; side < 2; side++) {
		bool first = true;

		for (guint i = 0; i < n; i++) {
			const struct only *only = &g_array_index(found, struct only, i);
			g_autofree char *what = what_text(c, only->row);

			if (only->side != side)
				continue;
			g_string_append_printf(out, "%s%s%s", begun && first ? "; " : "",
				first ? "only in " : ", ", first ? c->side[side].word : "");
			g_string_append(out, first ? ": " : "");
			exp_table_append_clean(out, what);
			g_string_append_printf(out, " (%" PRIu64 " of %" PRIu64 ")",
				only->row->in[side].count, c->side[side].figures.count);
			first = false;
			begun = true;
		}
	}
	if (found->len > n)
		g_string_append_printf(out, ", and %u more", found->len - n);
	g_string_append(out, n > 0 ? "\n" : "");
}

static void put_outside_text(GString *out, struct qry *q, const struct exp_options *o,
	const struct ana_compare *c, guint most)
{
	g_string_append(out, "\nOther activity (correlation, not a cause), as a share of the paths' time:\n");
	if (!c->outside)
		g_string_append(out, "too few paths to tell\n");
	else if (c->outside->len == 0)
		g_string_append_printf(out,
			"none of %" PRIu64 " kinds of activity was higher by more than chance\n",
			c->outside_looked);
	else
		exp_rows_array(out, "outside", outside_columns, o, q, c, c->outside, most);
	if (c->outside && !c->has_frequency)
		g_string_append(out, "the frequency of CPUs was not recorded (power:cpu_frequency)\n");
}

EXP_WRITER(exp_compare)
{
	const struct ana_compare *c = result;
	bool told = table_told(o->format), noise = true;
	guint most = told && o->top > 0 ? o->top : UINT_MAX;

	if (o->format == TABLE_JSON)
		put_json(out, c);
	if (told) {
		put_head(out, c);
		put_gap(out, c);
		put_left(out, c);
		g_string_append_c(out, '\n');
	}
	if (o->format == TABLE_JSON || (told && c->by != ANA_COMPARE_BY_DURATION && c->groups->len > 2)) {
		exp_rows_array(out, "groups", group_columns, o, q, c, c->groups, most);
		if (told)
			g_string_append_c(out, '\n');
	}
	if (o->format == TABLE_JSON) {
		base_json_int(out, "outside_looked", (int64_t)c->outside_looked);
		base_json_yes(out, "frequency_recorded", c->has_frequency);
		if (c->outside)
			exp_rows_array(out, "outside", outside_columns, o, q, c, c->outside, UINT_MAX);
		else
			base_json_null(out, "outside");
	}
	exp_rows_array(out, "rows", columns, o, q, c, c->rows, most);
	if (told) {
		put_rest(out, c, most);
		put_only(out, c, most);
		for (guint i = 0; i < c->rows->len; i++)
			noise = noise &&
				g_array_index(c->rows, struct ana_compare_row, i).class == ANA_COMPARE_NOISE;
		if (noise)
			g_string_append(out, "all rows are noise: no difference is larger than chance\n");
		put_outside_text(out, q, o, c, most);
	}
	return true;
}
