/* SPDX-License-Identifier: MIT */
/* Latencies, or causes of waits, compared with those of another recording or time. */
#include "table/rows.h"

#include "analysis/latency/against.h"
#include "base/base_time.h"

#include <math.h>

#define NAME_MOST 17 /* columns of a group beside its kind */

static int64_t rounded(double ns)
{
	return isnan(ns) ? BASE_TIME_NONE : llround(ns);
}

/* NS with sign and unit: "+1.20 ms"; "-" if it is unknown. The caller frees. */
static char *signed_text(double ns)
{
	g_autofree char *length = table_duration_text(rounded(fabs(ns)));

	return isnan(ns) ? g_strdup("-") : g_strconcat(ns < 0 ? "-" : "+", length, NULL);
}

/* "+240 ms ± 310 ms". The caller frees. */
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

TABLE_COLUMNS(against_columns)
{
	const struct ana_against_row *r = row;
	const struct base_figures *a = r ? r->before : NULL, *b = r ? r->now : NULL;

	TABLE_COLUMN("name", "BY", TABLE_WORD, "`all`, or the group", word = r->name ? r->name : "all");
	TABLE_COLUMN("count_before", ">BEFORE", TABLE_NUMBER, "cases", number = a ? (int64_t)a->count : 0);
	TABLE_COLUMN("count", ">NOW", TABLE_NUMBER, "cases", number = b ? (int64_t)b->count : 0);
	TABLE_COLUMN("mean_before", ">MEAN BEFORE", TABLE_DURATION, "",
		number = a && a->count ? llround(a->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("mean", ">NOW", TABLE_DURATION, "",
		number = b && b->count ? llround(b->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("p50_before", ">P50 BEFORE", TABLE_DURATION, "", number = a ? a->p50 : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">NOW", TABLE_DURATION, "", number = b ? b->p50 : BASE_TIME_NONE);
	TABLE_COLUMN("p99_before", ">P99 BEFORE", TABLE_DURATION, "", number = a ? a->p99 : BASE_TIME_NONE);
	TABLE_COLUMN("p99", ">NOW", TABLE_DURATION, "", number = b ? b->p99 : BASE_TIME_NONE);
	TABLE_COLUMN("max_before", NULL, TABLE_DURATION, "", number = a ? a->max : BASE_TIME_NONE);
	TABLE_COLUMN("max", NULL, TABLE_DURATION, "", number = b ? b->max : BASE_TIME_NONE);
	TABLE_COLUMN("difference", "(DIFFERENCE", TABLE_DURATION, "of the means; negative: shorter now",
		number = rounded(r->difference.by));
	TABLE_COLUMN("error", "(DIFFERENCE", TABLE_DURATION, "its error at 95 %",
		number = rounded(r->difference.error));
	TABLE_COLUMN("", ">DIFFERENCE (95 %)", TABLE_WORD, "", taken = difference_text(&r->difference));
	TABLE_COLUMN("p", "(P", TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", ">P", TABLE_WORD, "", taken = p_text(r));
	TABLE_COLUMN("test", "TEST", TABLE_WORD, "`t`, `ranks`; null: too few cases",
		word = ana_difference_test_name(r->difference.test));
	TABLE_COLUMN("more", "(MORE/S", TABLE_DURATION,
		"how much longer all cases together take per recorded second; the groups sum to `all`",
		number = rounded(r->more));
	TABLE_COLUMN("", ">MORE/S", TABLE_WORD, "", taken = signed_text(r->more));
}

/* The row of all cases. CSV has the groups after it. */
static int next_all(struct table_cursor *c, const void **row, GError **error)
{
	if (c->in.number > 0)
		return c->ask.format == TABLE_CSV ? table_list_next(c, row, error) : 0;
	*row = &((const struct ana_against *)c->in.context)->all;
	return 1;
}

const struct table table_against_all = {
	.name = "against_all",
	.list = "all",
	.doc = "a latency now and before; CSV: then its groups",
	.columns = against_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_against, groups),
	.next = next_all,
};

const struct table table_against_groups = {
	.name = "against_groups",
	.list = "groups",
	.doc = "a group of a latency now and before; what explains most of the difference first",
	.columns = against_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_against, groups),
};

/* ---- several kinds ---- */

/* The group that explains most of the difference, cut so that a line fits on any screen. The caller frees. */
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
		word = ana_against_change(r));
	TABLE_COLUMN("count_before", NULL, TABLE_NUMBER, "cases", number = (int64_t)r->before->count);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "cases", number = (int64_t)r->now->count);
	TABLE_COLUMN("mean_before", ">BEFORE", TABLE_DURATION, "",
		number = r->before->count ? llround(r->before->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("mean", ">NOW", TABLE_DURATION, "",
		number = r->now->count ? llround(r->now->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("difference", NULL, TABLE_DURATION, "of the means", number = rounded(r->difference.by));
	TABLE_COLUMN("error", NULL, TABLE_DURATION, "its error at 95 %",
		number = rounded(r->difference.error));
	TABLE_COLUMN("p", "(P", TABLE_SHARE, "", share = r->p);
	TABLE_COLUMN("", ">P", TABLE_WORD, "", taken = p_text(r));
	TABLE_COLUMN("test", NULL, TABLE_WORD, "", word = ana_difference_test_name(r->difference.test));
	TABLE_COLUMN("more", "(MORE/S", TABLE_DURATION, "per second, as above", number = rounded(r->more));
	TABLE_COLUMN("", ">MORE/S", TABLE_WORD, "", taken = signed_text(r->more));
	TABLE_COLUMN("by", NULL, TABLE_WORD, "the grouping", word = ana_latency_by_name(a->now->by));
	TABLE_COLUMN("most", "(MAIN GROUP", TABLE_WORD, "the group that explains most of `more`",
		word = most ? most->name : NULL);
	TABLE_COLUMN("most_more", NULL, TABLE_DURATION, "part of `more` that this group explains",
		number = most ? rounded(most->more) : BASE_TIME_NONE);
	TABLE_COLUMN("", "MAIN GROUP", TABLE_LONG, "", taken = most_text(a));
}

const struct table table_against_kinds = {
	.name = "against_kinds",
	.list = "kinds",
	.doc = "a kind of latency now and before; sure differences first",
	.columns = kind_columns,
	.rows_are = TABLE_ROWS_POINTERS,
	.part = TABLE_WHOLE,
};
