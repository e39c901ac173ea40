/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"
#include "table/rows.h"

#include <inttypes.h>

#define ONLY_MOST 6 /* steps that only one side has, and that are too small for the table: list so many */

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

static bool put_json(GString *out, struct qry *q, const struct ana_compare *c, const struct exp_options *o,
	GError **error)
{
	base_json_text(out, "by", c->by_name);
	if (!exp_rows_all(out, &table_compare_sets, o, q, c, error))
		return false;
	base_json_int(out, "difference", c->difference);
	base_json_put(out, "gap", gap_json(&c->gap));
	base_json_put(out, "left_out", left_json(c));
	base_json_int(out, "lost", (int64_t)c->lost);
	base_json_int(out, "sampled", (int64_t)c->sampled);
	if (!exp_rows_all(out, &table_compare_groups, o, q, c, error))
		return false;
	base_json_int(out, "outside_looked", (int64_t)c->outside_looked);
	base_json_yes(out, "frequency_recorded", c->has_frequency);
	if (!c->outside)
		base_json_null(out, "outside");
	else if (!exp_rows_all(out, &table_compare_outside, o, q, c, error))
		return false;
	return exp_rows_all(out, &table_compare_rows, o, q, c, error);
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

/* Append the sum of the rows after the first MOST. */
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

/* The rows from number FIRST that only one side has, of struct only, the largest first. The caller unrefs. */
static GArray *find_only(const struct ana_compare *c, guint first)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct only));

	for (guint i = first; i < c->rows->len; i++) {
		const struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);
		struct only only = { r, r->in[0].count == 0 };

		if (table_compare_is_only(r))
			g_array_append_val(found, only);
	}
	g_array_sort(found, by_size);
	return found;
}

/* Append small steps that may be the reason: "only in post-vote: db/vda block (2 of 3)". */
static void put_only(GString *out, const struct ana_compare *c, guint most)
{
	g_autoptr(GArray) found = find_only(c, most);
	guint n = MIN(found->len, ONLY_MOST);
	bool begun = false;

	for (unsigned side = 0; side < 2; side++) {
		bool first = true;

		for (guint i = 0; i < n; i++) {
			const struct only *only = &g_array_index(found, struct only, i);
			g_autofree char *what = table_compare_what(c, only->row);

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

static bool put_outside_text(GString *out, struct qry *q, const struct exp_options *o,
	const struct ana_compare *c, guint most, GError **error)
{
	g_string_append(out, "\nOther activity (correlation, not a cause), as a share of the paths' time:\n");
	if (!c->outside)
		g_string_append(out, "too few paths to tell\n");
	else if (c->outside->len == 0)
		g_string_append_printf(out,
			"none of %" PRIu64 " kinds of activity was higher by more than chance\n",
			c->outside_looked);
	else if (!exp_rows_table(out, &table_compare_outside, o, q, c, most, NULL, error))
		return false;
	if (c->outside && !c->has_frequency)
		g_string_append(out, "the frequency of CPUs was not recorded (power:cpu_frequency)\n");
	return true;
}

/* Text and Markdown, with what the tables do not show above and below them. */
static bool put_told(GString *out, struct qry *q, const struct ana_compare *c, const struct exp_options *o,
	GError **error)
{
	guint most = o->top > 0 ? o->top : UINT_MAX;
	bool noise = true;

	put_head(out, c);
	put_gap(out, c);
	put_left(out, c);
	g_string_append_c(out, '\n');
	if (c->by != ANA_COMPARE_BY_DURATION && c->groups->len > 2) {
		if (!exp_rows_table(out, &table_compare_groups, o, q, c, most, NULL, error))
			return false;
		g_string_append_c(out, '\n');
	}
	if (!exp_rows_table(out, &table_compare_rows, o, q, c, most, NULL, error))
		return false;
	put_rest(out, c, most);
	put_only(out, c, most);
	for (guint i = 0; i < c->rows->len; i++)
		noise = noise && g_array_index(c->rows, struct ana_compare_row, i).class == ANA_COMPARE_NOISE;
	if (noise)
		g_string_append(out, "all rows are noise: no difference is larger than chance\n");
	return put_outside_text(out, q, o, c, most, error);
}

EXP_WRITER(exp_compare)
{
	if (o->format == TABLE_JSON)
		return put_json(out, q, result, o, error);
	if (table_told(o->format))
		return put_told(out, q, result, o, error);
	return exp_rows_all(out, &table_compare_rows, o, q, result, error);
}
