/* SPDX-License-Identifier: MIT */
/*
 * How it works: groups with the same name are compared.  A longer recording has more cases, so sums are
 * compared per second; means and distributions need no scaling.  Among many groups some differ by chance:
 * each is judged as the best of as many trials (ana_difference_corrected()).
 */
#include "analysis/latency/against.h"

#include <math.h>

static double per_second(const struct base_figures *f, int64_t length)
{
	return f && length > 0 ? (double)f->sum / ((double)length / 1e9) : 0;
}

struct maker {
	struct ana_against *against; /* weak */
	int64_t before_length, now_length;
	GArray *none; /* of int64_t, empty */
};

static struct ana_against_row against_row_of(const struct maker *m, const char *name,
	const struct base_figures *before, const GArray *before_values, const struct base_figures *now,
	const GArray *now_values, uint64_t trials)
{
	struct ana_against_row row = { .name = name, .before = before, .now = now, .p = NAN };

	row.difference = ana_difference_of(before_values ? before_values : m->none,
		now_values ? now_values : m->none, ANA_AGAINST_CONFIDENCE);
	if (row.difference.test != ANA_DIFFERENCE_NONE)
		row.p = ana_difference_corrected(row.difference.p, trials);
	row.more = per_second(now, m->now_length) - per_second(before, m->before_length);
	return row;
}

/* Name → group of L. */
static GHashTable *groups_of(const struct ana_latency *l)
{
	GHashTable *groups = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < l->groups->len; i++) {
		struct ana_latency_group *g = &g_array_index(l->groups, struct ana_latency_group, i);

		g_hash_table_insert(groups, g->name, g);
	}
	return groups;
}

static int most_first(const void *a, const void *b)
{
	const struct ana_against_row *x = a, *y = b;

	if (fabs(x->more) != fabs(y->more))
		return fabs(x->more) < fabs(y->more) ? 1 : -1;
	return g_strcmp0(x->name, y->name);
}

static void compare_groups(const struct maker *m)
{
	const struct ana_latency *before = m->against->before, *now = m->against->now;
	g_autoptr(GHashTable) olds = groups_of(before), news = groups_of(now);
	uint64_t trials = 0;

	for (guint i = 0; i < now->groups->len; i++)
		trials += g_hash_table_contains(olds,
			g_array_index(now->groups, struct ana_latency_group, i).name);
	for (guint i = 0; i < now->groups->len; i++) {
		const struct ana_latency_group *g = &g_array_index(now->groups, struct ana_latency_group, i),
					       *old = g_hash_table_lookup(olds, g->name);
		struct ana_against_row row = against_row_of(m, g->name, old ? &old->figures : NULL,
			old ? old->values : NULL, &g->figures, g->values, trials);

		g_array_append_val(m->against->groups, row);
	}
	for (guint i = 0; i < before->groups->len; i++) {
		const struct ana_latency_group *g = &g_array_index(before->groups, struct ana_latency_group,
			i);
		struct ana_against_row row = against_row_of(m, g->name, &g->figures, g->values, NULL, NULL,
			trials);

		if (!g_hash_table_contains(news, g->name))
			g_array_append_val(m->against->groups, row);
	}
}

struct ana_against *ana_against_new(struct ana_latency *before, int64_t before_length,
	struct ana_latency *now, int64_t now_length)
{
	struct ana_against *against = g_new0(struct ana_against, 1);
	struct maker m = { against, before_length, now_length, g_array_new(FALSE, FALSE, sizeof(int64_t)) };

	against->before = before;
	against->now = now;
	against->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_against_row));
	against->all = against_row_of(&m, NULL, &before->all, before->values, &now->all, now->values, 1);
	compare_groups(&m);
	g_array_sort(against->groups, most_first);
	g_array_unref(m.none);
	return against;
}

void ana_against_free(struct ana_against *against)
{
	if (!against)
		return;
	g_array_unref(against->groups);
	ana_latency_free(against->before);
	ana_latency_free(against->now);
	g_free(against);
}

/* ---- several kinds ---- */

/* True if cases are longer, or shorter, now: p of ROW is sure at ANA_AGAINST_CONFIDENCE. */
static bool is_proven(const struct ana_against_row *row)
{
	return row->p < 1 - ANA_AGAINST_CONFIDENCE;
}

const char *ana_against_change(const struct ana_against_row *row)
{
	if (!is_proven(row))
		return NULL;
	return row->difference.by > 0 ? "longer" : "shorter";
}

bool ana_against_is_few(const struct ana_against_row *row)
{
	uint64_t before = row->before ? row->before->count : 0, now = row->now ? row->now->count : 0;

	return ana_difference_least((guint)MIN(before, 1000), (guint)MIN(now, 1000)) >=
		1 - ANA_AGAINST_CONFIDENCE;
}

const struct ana_against_row *ana_against_most(const struct ana_against *against)
{
	for (guint i = 0; i < against->groups->len; i++) {
		const struct ana_against_row *g = &g_array_index(against->groups, struct ana_against_row, i);

		if (g->more * against->all.more > 0)
			return g;
	}
	return NULL;
}

static int surest_first(const void *a, const void *b)
{
	const struct ana_against *x = *(struct ana_against *const *)a, *y = *(struct ana_against *const *)b;
	bool first = is_proven(&x->all), second = is_proven(&y->all);

	return first != second ? (first ? -1 : 1) : most_first(&x->all, &y->all);
}

void ana_against_rank(GPtrArray *all)
{
	uint64_t trials = 0;

	for (guint i = 0; i < all->len; i++)
		trials += !isnan(((struct ana_against *)g_ptr_array_index(all, i))->all.p);
	for (guint i = 0; i < all->len; i++) {
		struct ana_against *a = g_ptr_array_index(all, i);

		if (!isnan(a->all.p))
			a->all.p = ana_difference_corrected(a->all.p, trials);
		a->all.name = a->now->kind;
	}
	g_ptr_array_sort(all, surest_first);
}
