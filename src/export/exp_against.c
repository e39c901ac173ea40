/* SPDX-License-Identifier: MIT */

#include "export/exp_rows.h"

#include <math.h>

/* True if A compares causes of waits, not a latency. */
static bool is_of_causes(const struct ana_against *a)
{
	return g_str_equal(a->now->kind, "causes");
}

EXP_WRITER(exp_against)
{
	const struct ana_against *a = result;

	if (o->format == TABLE_JSON) {
		base_json_text(out, "kind", a->now->kind);
		base_json_text(out, "by", is_of_causes(a) ? "cause" : ana_latency_by_name(a->now->by));
		base_json_int(out, "compared", (int64_t)a->groups->len);
	} else if (o->format == TABLE_TEXT) {
		bool few = isnan(a->all.p) || ana_against_is_few(&a->all);
		const char *now = few ? NULL : ana_against_change(&a->all);

		g_string_append_printf(out, "%s%s, before and now: %s%s\n", a->now->kind,
			is_of_causes(a) ? "" : " latency",
			few           ? "too few cases to compare"
				: now ? now
				      : "no difference is proven",
			now ? " now" : "");
	}
	if (!exp_rows_all(out, &table_against_all, o, q, a, error))
		return false;
	if (o->format != TABLE_JSON && (o->format != TABLE_TEXT || a->groups->len == 0))
		return true;
	if (o->format == TABLE_TEXT)
		g_string_append_c(out, '\n');
	return exp_rows_table(out, &table_against_groups, o, q, a, o->top, NULL, error);
}

static void put_verdict(GString *out, const GPtrArray *all)
{
	unsigned longer = 0, shorter = 0;

	for (guint i = 0; i < all->len; i++) {
		const char *way = ana_against_change(
			&((const struct ana_against *)g_ptr_array_index(all, i))->all);

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
	if (o->format == TABLE_TEXT)
		put_verdict(out, result);
	return exp_rows_all(out, &table_against_kinds, o, q, result, error);
}
