/* SPDX-License-Identifier: MIT */

#include "export/exp_rows.h"

#include "base/base_time.h"

#include <math.h>

#define NAME_MOST 17 /* columns of a group beside its kind */

static int64_t rounded(double ns)
{
	return isnan(ns) ? BASE_TIME_NONE : llround(ns);
}

/* NS, which may be negative or unknown, with sign and unit: "+1.20 ms". */
static char *signed_text(double ns)
{
	g_autofree char *length = table_duration_text(rounded(fabs(ns)));

	return isnan(ns) ? g_strdup("-") : g_strconcat(ns < 0 ? "-" : "+", length, NULL);
}

/* "+240 ms ± 310 ms". */
static char *difference_text(const struct ana_difference *d)
{
	g_autofree char *by = signed_text(d->by), *error = table_duration_text(rounded(d->error));

	return isnan(d->error) ? g_steal_pointer(&by) : g_strdup_printf("%s ± %s", by, error);
}

static char *p_text(const struct ana_against_row *r)
{
	if (isnan(r->p) || ana_against_is_few(r))
		return g_strdup(isnan(r->p) ? "-" : "too few");
	return r->p < 0.001 ? g_strdup("< 0.001") : g_strdup_printf("%.3f", r->p);
}

TABLE_COLUMNS(columns)
{
	const struct ana_against_row *r = row;
	const struct base_figures *a = r ? r->before : NULL, *b = r ? r->now : NULL;

	TABLE_COLUMN("name", "BY", TABLE_WORD, "`all`; the group", word = r->name ? r->name : "all");
	TABLE_COLUMN("count_before", ">BEFORE", TABLE_NUMBER, "cases", number = a ? (int64_t)a->count : 0);
	TABLE_COLUMN("count", ">NOW", TABLE_NUMBER, "cases", number = b ? (int64_t)b->count : 0);
	TABLE_COLUMN("mean_before", ">MEAN BEFORE", TABLE_DURATION, "",
		number = a && a->count ? llround(a->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("mean", ">NOW", TABLE_DURATION, "",
		number = b && b->count ? llround(b->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("p50_before", ">50 % BEFORE", TABLE_DURATION, "", number = a ? a->p50 : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">NOW", TABLE_DURATION, "", number = b ? b->p50 : BASE_TIME_NONE);
	TABLE_COLUMN("p99_before", ">99 % BEFORE", TABLE_DURATION, "", number = a ? a->p99 : BASE_TIME_NONE);
	TABLE_COLUMN("p99", ">NOW", TABLE_DURATION, "", number = b ? b->p99 : BASE_TIME_NONE);
	TABLE_COLUMN("max_before", NULL, TABLE_DURATION, "", number = a ? a->max : BASE_TIME_NONE);
	TABLE_COLUMN("max", NULL, TABLE_DURATION, "", number = b ? b->max : BASE_TIME_NONE);
	TABLE_COLUMN("difference", NULL, TABLE_DURATION, "of the means; negative: shorter now",
		number = rounded(r->difference.by));
	TABLE_COLUMN("error", NULL, TABLE_DURATION, "its error at 95 %",
		number = rounded(r->difference.error));
	TABLE_COLUMN("", ">DIFFERENCE (95 %)", TABLE_WORD, "", taken = difference_text(&r->difference));
	TABLE_COLUMN("p", NULL, TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", ">P", TABLE_WORD, "", taken = p_text(r));
	TABLE_COLUMN("test", "TEST", TABLE_WORD, "`t`, `ranks`; null: too few cases",
		word = ana_difference_test_name(r->difference.test));
	TABLE_COLUMN("more", NULL, TABLE_DURATION,
		"how much longer all cases together take per recorded second; groups sum to all",
		number = rounded(r->more));
	TABLE_COLUMN("", ">MORE/S", TABLE_WORD, "", taken = signed_text(r->more));
}

/* True if A compares causes of waits, not a latency. */
static bool is_of_causes(const struct ana_against *a)
{
	return g_str_equal(a->now->kind, "causes");
}

/* "longer" or "shorter"; NULL: no difference is proven. */
static const char *change(const struct ana_against_row *r)
{
	if (!ana_against_is_proven(r))
		return NULL;
	return r->difference.by > 0 ? "longer" : "shorter";
}

EXP_WRITER(exp_against)
{
	const struct ana_against *a = result;
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct ana_against_row));

	g_array_append_val(all, a->all);
	if (o->format == TABLE_JSON) {
		base_json_text(out, "kind", a->now->kind);
		base_json_text(out, "by", is_of_causes(a) ? "cause" : ana_latency_by_name(a->now->by));
		base_json_int(out, "compared", (int64_t)a->groups->len);
	} else if (o->format == TABLE_TEXT) {
		bool few = isnan(a->all.p) || ana_against_is_few(&a->all);
		const char *now = few ? NULL : change(&a->all);

		g_string_append_printf(out, "%s%s, before and now: %s%s\n", a->now->kind,
			is_of_causes(a) ? "" : " latency",
			few           ? "too few cases to compare"
				: now ? now
				      : "no difference is proven",
			now ? " now" : "");
	}
	if (o->format == TABLE_CSV)
		g_array_append_vals(all, a->groups->data, a->groups->len);
	exp_rows_array(out, "all", columns, o, q, NULL, all, UINT_MAX);
	if (o->format == TABLE_TEXT && a->groups->len > 0)
		g_string_append_c(out, '\n');
	if (o->format == TABLE_JSON || (o->format == TABLE_TEXT && a->groups->len > 0))
		exp_rows_array(out, "groups", columns, o, q, NULL, a->groups, o->top);
	return true;
}

/* ---- several kinds ---- */

/* The group that explains most, cut so that a line fits on any screen. */
static char *most_text(const struct ana_against *a)
{
	const struct ana_against_row *most = ana_against_most(a);
	g_autofree char *head = NULL;

	if (!most || g_utf8_strlen(most->name, -1) <= NAME_MOST)
		return most ? g_strdup(most->name) : NULL;
	head = g_utf8_substring(most->name, 0, NAME_MOST - 1);
	return g_strconcat(head, "…", NULL);
}

TABLE_COLUMNS(kind_columns)
{
	const struct ana_against *a = row;
	const struct ana_against_row *r = a ? &a->all : NULL, *most = a ? ana_against_most(a) : NULL;

	TABLE_COLUMN("kind", "KIND", TABLE_WORD, "as above", word = r->name);
	TABLE_COLUMN("change", "CHANGE", TABLE_WORD, "`longer`, `shorter`; null: no significant difference",
		word = change(r));
	TABLE_COLUMN("count_before", NULL, TABLE_NUMBER, "cases", number = (int64_t)r->before->count);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "cases", number = (int64_t)r->now->count);
	TABLE_COLUMN("mean_before", ">BEFORE", TABLE_DURATION, "",
		number = r->before->count ? llround(r->before->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("mean", ">NOW", TABLE_DURATION, "",
		number = r->now->count ? llround(r->now->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("difference", NULL, TABLE_DURATION, "of the means, and its error",
		number = rounded(r->difference.by));
	TABLE_COLUMN("error", NULL, TABLE_DURATION, "of the means, and its error",
		number = rounded(r->difference.error));
	TABLE_COLUMN("p", NULL, TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", ">P", TABLE_WORD, "", taken = p_text(r));
	TABLE_COLUMN("test", NULL, TABLE_WORD, "", word = ana_difference_test_name(r->difference.test));
	TABLE_COLUMN("more", NULL, TABLE_DURATION, "per second, as above", number = rounded(r->more));
	TABLE_COLUMN("", ">MORE/S", TABLE_WORD, "", taken = signed_text(r->more));
	TABLE_COLUMN("by", NULL, TABLE_WORD, "the grouping", word = ana_latency_by_name(a->now->by));
	TABLE_COLUMN("most", NULL, TABLE_WORD, "the group that explains most of it",
		word = most ? most->name : NULL);
	TABLE_COLUMN("most_more", NULL, TABLE_DURATION, "its part",
		number = most ? rounded(most->more) : BASE_TIME_NONE);
	TABLE_COLUMN("", "MAIN GROUP", TABLE_LONG, "", taken = most_text(a));
}

static void put_verdict(GString *out, const GPtrArray *all)
{
	unsigned longer = 0, shorter = 0;

	for (guint i = 0; i < all->len; i++) {
		const char *way = change(&((const struct ana_against *)g_ptr_array_index(all, i))->all);

		longer += !g_strcmp0(way, "longer");
		shorter += !g_strcmp0(way, "shorter");
	}
	if (longer + shorter == 0)
		g_string_append(out, "no difference is proven");
	else
		g_string_append_printf(out, "%u longer now, %u shorter", longer, shorter);
	g_string_append_printf(out, ", of %u kinds of latency\n", all->len);
}

EXP_WRITER(exp_changes)
{
	const GPtrArray *all = result;
	struct exp_rows *rows;

	if (o->format == TABLE_TEXT)
		put_verdict(out, all);
	rows = exp_rows_new(out, "kinds", kind_columns, o, q, NULL);
	for (guint i = 0; i < all->len; i++)
		exp_rows_add(rows, g_ptr_array_index(all, i));
	exp_rows_finish(rows);
	return true;
}
