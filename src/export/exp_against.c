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
	g_autofree char *length = exp_table_duration(rounded(fabs(ns)));

	return isnan(ns) ? g_strdup("-") : g_strconcat(ns < 0 ? "-" : "+", length, NULL);
}

/* "+240 ms ± 310 ms". */
static char *difference_text(const struct ana_difference *d)
{
	g_autofree char *by = signed_text(d->by), *error = exp_table_duration(rounded(d->error));

	return isnan(d->error) ? g_steal_pointer(&by) : g_strdup_printf("%s ± %s", by, error);
}

static char *p_text(const struct ana_against_row *r)
{
	if (isnan(r->p) || ana_against_is_few(r))
		return g_strdup(isnan(r->p) ? "-" : "too few");
	return r->p < 0.001 ? g_strdup("< 0.001") : g_strdup_printf("%.3f", r->p);
}

EXP_COLUMNS(columns)
{
	const struct ana_against_row *r = row;
	const struct base_figures *a = r ? r->before : NULL, *b = r ? r->now : NULL;

	EXP_COLUMN("name", "BY", EXP_WORD, word = r->name ? r->name : "all");
	EXP_COLUMN("count_before", ">BEFORE", EXP_NUMBER, number = a ? (int64_t)a->count : 0);
	EXP_COLUMN("count", ">NOW", EXP_NUMBER, number = b ? (int64_t)b->count : 0);
	EXP_COLUMN("mean_before", ">MEAN BEFORE", EXP_DURATION,
		number = a && a->count ? llround(a->mean) : BASE_TIME_NONE);
	EXP_COLUMN("mean", ">NOW", EXP_DURATION, number = b && b->count ? llround(b->mean) : BASE_TIME_NONE);
	EXP_COLUMN("p50_before", ">50 % BEFORE", EXP_DURATION, number = a ? a->p50 : BASE_TIME_NONE);
	EXP_COLUMN("p50", ">NOW", EXP_DURATION, number = b ? b->p50 : BASE_TIME_NONE);
	EXP_COLUMN("p99_before", ">99 % BEFORE", EXP_DURATION, number = a ? a->p99 : BASE_TIME_NONE);
	EXP_COLUMN("p99", ">NOW", EXP_DURATION, number = b ? b->p99 : BASE_TIME_NONE);
	EXP_COLUMN("max_before", NULL, EXP_DURATION, number = a ? a->max : BASE_TIME_NONE);
	EXP_COLUMN("max", NULL, EXP_DURATION, number = b ? b->max : BASE_TIME_NONE);
	EXP_COLUMN("difference", NULL, EXP_DURATION, number = rounded(r->difference.by));
	EXP_COLUMN("error", NULL, EXP_DURATION, number = rounded(r->difference.error));
	EXP_COLUMN("", ">DIFFERENCE (95 %)", EXP_WORD, taken = difference_text(&r->difference));
	EXP_COLUMN("p", NULL, EXP_SHARE, share = r->p);
	EXP_COLUMN("", ">P", EXP_WORD, taken = p_text(r));
	EXP_COLUMN("test", "TEST", EXP_WORD, word = ana_difference_test_name(r->difference.test));
	EXP_COLUMN("more", NULL, EXP_DURATION, number = rounded(r->more));
	EXP_COLUMN("", ">MORE/S", EXP_WORD, taken = signed_text(r->more));
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
	if (o->format == EXP_JSON) {
		base_json_text(out, "kind", a->now->kind);
		base_json_text(out, "by", is_of_causes(a) ? "cause" : ana_latency_by_name(a->now->by));
		base_json_int(out, "compared", (int64_t)a->groups->len);
	} else if (o->format == EXP_TEXT) {
		bool few = isnan(a->all.p) || ana_against_is_few(&a->all);
		const char *now = few ? NULL : change(&a->all);

		g_string_append_printf(out, "%s%s, before and now: %s%s\n", a->now->kind,
			is_of_causes(a) ? "" : " latency",
			few           ? "too few cases to compare"
				: now ? now
				      : "no difference is proven",
			now ? " now" : "");
	}
	if (o->format == EXP_CSV)
		g_array_append_vals(all, a->groups->data, a->groups->len);
	exp_rows_array(out, "all", columns, o, q, NULL, all, UINT_MAX);
	if (o->format == EXP_TEXT && a->groups->len > 0)
		g_string_append_c(out, '\n');
	if (o->format == EXP_JSON || (o->format == EXP_TEXT && a->groups->len > 0))
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

EXP_COLUMNS(kind_columns)
{
	const struct ana_against *a = row;
	const struct ana_against_row *r = a ? &a->all : NULL, *most = a ? ana_against_most(a) : NULL;

	EXP_COLUMN("kind", "KIND", EXP_WORD, word = r->name);
	EXP_COLUMN("change", "CHANGE", EXP_WORD, word = change(r));
	EXP_COLUMN("count_before", NULL, EXP_NUMBER, number = (int64_t)r->before->count);
	EXP_COLUMN("count", NULL, EXP_NUMBER, number = (int64_t)r->now->count);
	EXP_COLUMN("mean_before", ">BEFORE", EXP_DURATION,
		number = r->before->count ? llround(r->before->mean) : BASE_TIME_NONE);
	EXP_COLUMN("mean", ">NOW", EXP_DURATION,
		number = r->now->count ? llround(r->now->mean) : BASE_TIME_NONE);
	EXP_COLUMN("difference", NULL, EXP_DURATION, number = rounded(r->difference.by));
	EXP_COLUMN("error", NULL, EXP_DURATION, number = rounded(r->difference.error));
	EXP_COLUMN("p", NULL, EXP_SHARE, share = r->p);
	EXP_COLUMN("", ">P", EXP_WORD, taken = p_text(r));
	EXP_COLUMN("test", NULL, EXP_WORD, word = ana_difference_test_name(r->difference.test));
	EXP_COLUMN("more", NULL, EXP_DURATION, number = rounded(r->more));
	EXP_COLUMN("", ">MORE/S", EXP_WORD, taken = signed_text(r->more));
	EXP_COLUMN("by", NULL, EXP_WORD, word = ana_latency_by_name(a->now->by));
	EXP_COLUMN("most", NULL, EXP_WORD, word = most ? most->name : NULL);
	EXP_COLUMN("most_more", NULL, EXP_DURATION, number = most ? rounded(most->more) : BASE_TIME_NONE);
	EXP_COLUMN("", "MAIN GROUP", EXP_LONG, taken = most_text(a));
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

	if (o->format == EXP_TEXT)
		put_verdict(out, all);
	rows = exp_rows_new(out, "kinds", kind_columns, o, q, NULL);
	for (guint i = 0; i < all->len; i++)
		exp_rows_add(rows, g_ptr_array_index(all, i));
	exp_rows_finish(rows);
	return true;
}
