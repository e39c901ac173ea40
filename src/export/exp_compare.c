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
	g_autofree char *from = exp_table_duration(r->in[1].mean), *to = exp_table_duration(r->in[0].mean);

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

EXP_COLUMNS(columns)
{
	const struct ana_compare_row *r = row;
	const struct ana_compare *c = in->context;
	uint32_t actor = row ? compare_step_of(c, r)->actor : MDL_NONE,
		 waiter = row ? actor_of(c, actor)->above : MDL_NONE; /* NONE: the actor owns the interval */

	EXP_COLUMN_BY("difference", ">DIFFERENCE", EXP_DURATION, cell->number = r->difference;
		      cell->taken = exp_rows_told(in->format) ? exp_table_signed(r->difference) : NULL);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE, share = six_digits(r->share));
	EXP_COLUMN("kind", NULL, EXP_WORD, word = ana_segment_kind_name(compare_step_of(c, r)->kind));
	EXP_COLUMN("what", NULL, EXP_WORD, word = compare_step_of(c, r)->what);
	EXP_COLUMN("", "STEP", EXP_WORD, taken = what_text(c, r));
	EXP_COLUMN("", "FOR", EXP_WORD,
		taken = waiter == MDL_NONE ? NULL : ana_fold_actor_text(c->fold, waiter));
	EXP_COLUMN("", "TAKES", EXP_WORD, taken = takes_text(c, r));
	EXP_COLUMN("", "IN", EXP_WORD, taken = in_how_many(c, r));
	EXP_COLUMN("count_slow", NULL, EXP_NUMBER, number = (int64_t)r->in[0].count);
	EXP_COLUMN("count_fast", NULL, EXP_NUMBER, number = (int64_t)r->in[1].count);
	EXP_COLUMN("mean_slow", NULL, EXP_DURATION, number = r->in[0].mean);
	EXP_COLUMN("mean_fast", NULL, EXP_DURATION, number = r->in[1].mean);
	EXP_COLUMN("p50_slow", NULL, EXP_DURATION, number = r->in[0].p50);
	EXP_COLUMN("p50_fast", NULL, EXP_DURATION, number = r->in[1].p50);
	EXP_COLUMN("p99_slow", NULL, EXP_DURATION, number = r->in[0].p99);
	EXP_COLUMN("p99_fast", NULL, EXP_DURATION, number = r->in[1].p99);
	EXP_COLUMN("min_slow", NULL, EXP_DURATION, number = r->in[0].min);
	EXP_COLUMN("min_fast", NULL, EXP_DURATION, number = r->in[1].min);
	EXP_COLUMN("max_slow", NULL, EXP_DURATION, number = r->in[0].max);
	EXP_COLUMN("max_fast", NULL, EXP_DURATION, number = r->in[1].max);
	EXP_COLUMN("correlation_slow", NULL, EXP_SHARE, share = six_digits(r->correlation[0]));
	EXP_COLUMN("correlation_fast", NULL, EXP_SHARE, share = six_digits(r->correlation[1]));
	EXP_COLUMN("p_value", NULL, EXP_SHARE, share = r->p);
	EXP_COLUMN("", "P", EXP_WORD, taken = p_text(r->p));
	EXP_COLUMN_BY("class", "CLASS", EXP_WORD, cell->word = ana_compare_class_name(r->class);
		      cell->taken = exp_rows_told(in->format) ? g_strdup_printf("[%s]", cell->word) : NULL);
	EXP_LIST("step", NULL, EXP_LONG, actors_json(c, actor), taken = ana_fold_step_text(c->fold, r->step));
	EXP_OBJECT("in", NULL, EXP_WORD | EXP_LATE, in_json(r),
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
	base_json_put(o, "thread", exp_json_thread(c->q[p->of], p->row, p->from));
	return o;
}

static GString *members_json(const struct ana_compare *c, const struct ana_compare_group *g)
{
	GString *list = base_json_list();

	for (guint i = 0; i < g->members->len; i++)
		base_json_put(list, NULL, interval_json(c, g_array_index(g->members, uint32_t, i)));
	return list;
}

EXP_COLUMNS(figure_columns)
{
	const struct ana_compare_figures *f = row;

	EXP_COLUMN("count", ">COUNT", EXP_NUMBER, number = (int64_t)f->count);
	EXP_COLUMN("mean", ">MEAN", EXP_DURATION, number = f->mean);
	EXP_COLUMN("p50", ">50 %", EXP_DURATION, number = f->p50);
	EXP_COLUMN("p99", ">99 %", EXP_DURATION, number = f->p99);
	EXP_COLUMN("min", ">MIN", EXP_DURATION, number = f->min);
	EXP_COLUMN("max", ">MAX", EXP_DURATION, number = f->max);
}

EXP_COLUMNS(side_columns)
{
	const struct ana_compare_side *s = row;

	EXP_COLUMN("name", NULL, EXP_WORD, word = s->name);
	figure_columns(to, row ? &s->figures : NULL, in);
	EXP_COLUMN_BY("typical", NULL, EXP_WORD, cell->json = interval_json(in->context, s->typical));
	EXP_COLUMN_BY("extreme", NULL, EXP_WORD, cell->json = interval_json(in->context, s->extreme));
}

EXP_COLUMNS(group_columns)
{
	static const char *const roles[2][2] = { { "slow", "fast" }, { "now", "before" } };
	const struct ana_compare_group *g = row;
	const struct ana_compare *c = in->context;

	EXP_COLUMN("side", NULL, EXP_WORD, word = roles[c->by == ANA_COMPARE_BY_ORIGIN][g->side]);
	figure_columns(to, row ? &g->figures : NULL, in);
	EXP_COLUMN("name", "GROUP", EXP_LONG, word = g->name);
	EXP_LIST("members", NULL, EXP_LONG, members_json(c, g), word = NULL);
}

/* KHZ 0: not a frequency. */
static int64_t khz_number(double khz)
{
	return khz > 0 ? (int64_t)(khz + 0.5) : BASE_TIME_NONE;
}

EXP_COLUMNS(outside_columns)
{
	const struct ana_outside *r = row;
	const struct ana_compare *c = in->context;

	EXP_COLUMN("what", "WHAT", EXP_WORD, word = ana_outside_what_name(r->what));
	EXP_COLUMN("host", c->fold->several ? "HOST" : NULL, EXP_WORD, word = r->host);
	EXP_COLUMN("slow", ">SLOW", EXP_SHARE, share = r->share[0]);
	EXP_COLUMN("fast", ">FAST", EXP_SHARE, share = r->share[1]);
	EXP_COLUMN("p_value", NULL, EXP_SHARE, share = r->p);
	EXP_COLUMN("", "P", EXP_WORD, taken = p_text(r->p));
	EXP_COLUMN("slow_khz", NULL, EXP_NUMBER, number = khz_number(r->khz[ANA_COMPARE_SLOW]));
	EXP_COLUMN("fast_khz", NULL, EXP_NUMBER, number = khz_number(r->khz[ANA_COMPARE_FAST]));
	EXP_COLUMN("highest_khz", NULL, EXP_NUMBER, number = khz_number((double)r->highest));
	EXP_COLUMN_BY("name", "NAME", EXP_LONG, cell->word = r->name;
		      cell->taken = exp_rows_told(in->format) ? ana_outside_frequency_text(r) : NULL);
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
		base_json_put_line(out, exp_rows_json(side_columns, c->q[0], c, &c->side[i]));
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
	g_autofree char *least = exp_table_duration(slow->figures.min),
			*mid = exp_table_duration(slow->figures.p50);
	g_autofree char *median = exp_table_duration(fast->figures.p50),
			*by = exp_table_signed(c->difference);

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
	from = exp_table_duration(c->gap.from);
	to = exp_table_duration(c->gap.to);
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
	text = exp_table_signed(rest);
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
	bool told = exp_rows_told(o->format), noise = true;
	guint most = told && o->top > 0 ? o->top : UINT_MAX;

	if (o->format == EXP_JSON)
		put_json(out, c);
	if (told) {
		put_head(out, c);
		put_gap(out, c);
		put_left(out, c);
		g_string_append_c(out, '\n');
	}
	if (o->format == EXP_JSON || (told && c->by != ANA_COMPARE_BY_DURATION && c->groups->len > 2)) {
		exp_rows_array(out, "groups", group_columns, o, q, c, c->groups, most);
		if (told)
			g_string_append_c(out, '\n');
	}
	if (o->format == EXP_JSON) {
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
