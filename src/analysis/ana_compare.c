/* SPDX-License-Identifier: MIT */
/*
 * From sets of intervals to a table: groups (ana_compare_group), paths (ana_compare_walk), rows
 * (ana_compare_table), which of them mean something (ana_compare_judge), and what else went on meanwhile
 * (ana_compare_outside).  Groups by structure need all
 * paths walked for that first, and once more for the sums.
 */
#include "analysis/ana_compare.h"

#include "analysis/ana_compare_parts.h"
#include "base/base_search.h"

#include <string.h>

#define KEPT 16384 /* paths of each side of which times of steps are kept */

static const char *by_name(const struct ana_set *set, enum ana_compare_by by)
{
	static const char *const names[] = { [ANA_COMPARE_BY_DURATION] = "duration",
		[ANA_COMPARE_BY_STRUCTURE] = "structure",
		[ANA_COMPARE_BY_HOST] = "host",
		[ANA_COMPARE_BY_ORIGIN] = "recording" };

	return by == ANA_COMPARE_BY_KEY ? set->key_name : names[by];
}

const char *ana_compare_class_name(enum ana_compare_class class)
{
	static const char *const names[] = { [ANA_COMPARE_STRUCTURE] = "structure",
		[ANA_COMPARE_TIMING] = "timing",
		[ANA_COMPARE_NOISE] = "noise" };

	return names[class];
}

static void group_clear(void *data)
{
	struct ana_compare_group *g = data;

	g_free(g->name);
	g_clear_pointer(&g->members, g_array_unref);
}

static void add_paths(struct ana_compare *c, const struct ana_set *set, uint16_t of)
{
	for (guint i = 0; i < set->intervals->len; i++) {
		const struct ana_set_interval *v = &g_array_index(set->intervals, struct ana_set_interval, i);
		struct ana_compare_path p = { v->from, v->to, v->row, of, ANA_COMPARE_SLOW, 0 };

		g_array_append_val(c->paths, p);
	}
	c->left.no_thread += set->no_thread;
	c->left.outside += set->outside;
	c->left.unfinished += set->unfinished;
}

static struct ana_compare *compare_new(struct qry *const q[2], const struct ana_set *const set[2],
	const struct ana_compare_options *o)
{
	struct ana_compare *c = g_new0(struct ana_compare, 1);

	c->q[0] = q[0];
	c->q[1] = q[1];
	c->by = o->by;
	c->by_name = by_name(set[0], o->by);
	c->fold = ana_fold_new(qry_host_count(q[0]) > 1 || (q[1] && qry_host_count(q[1]) > 1));
	c->fold->own_host = o->by == ANA_COMPARE_BY_HOST;
	c->rows = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_row));
	c->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_group));
	g_array_set_clear_func(c->groups, group_clear);
	c->paths = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_path));
	add_paths(c, set[0], 0);
	if (set[1])
		add_paths(c, set[1], 1);
	return c;
}

void ana_compare_free(struct ana_compare *c)
{
	if (!c)
		return;
	ana_fold_free(c->fold);
	g_array_unref(c->rows);
	g_array_unref(c->groups);
	g_array_unref(c->paths);
	g_clear_pointer(&c->kept, g_array_unref);
	g_clear_pointer(&c->outside, g_array_unref);
	for (unsigned side = 0; side < 2; side++) {
		g_free(c->side[side].name);
		g_free(c->side[side].word);
	}
	g_free(c);
}

struct sought {
	const struct ana_compare_kept *kept;
	uint32_t step;
};

static bool is_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return s->kept[i].step < s->step;
}

const struct ana_compare_kept *ana_compare_kept(const struct ana_compare *c, uint32_t step, guint *n)
{
	const struct ana_compare_kept *kept = &g_array_index(c->kept, struct ana_compare_kept, 0);
	uint64_t first = base_search(0, c->kept->len, is_before, &(struct sought){ kept, step });

	*n = 0;
	while (first + *n < c->kept->len && kept[first + *n].step == step)
		++*n;
	return kept + first;
}

static void count_sides(const struct ana_compare *c, uint64_t n[3])
{
	memset(n, 0, 3 * sizeof *n);
	for (guint i = 0; i < c->paths->len; i++)
		n[g_array_index(c->paths, struct ana_compare_path, i).side]++;
}

/* Were events lost of P's host while it ran? */
static bool is_lost(const struct qry *q, const struct ana_compare_path *p)
{
	const GArray *gaps = qry_host(q, qry_row(q, p->row)->host)->gaps;

	for (guint i = 0; i < gaps->len; i++) {
		const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);

		if (gap->from < p->to && gap->to > p->from)
			return true;
	}
	return false;
}

static void count_lost(struct ana_compare *c, struct qry *const q[2])
{
	for (guint i = 0; i < c->paths->len; i++) {
		const struct ana_compare_path *p = &g_array_index(c->paths, struct ana_compare_path, i);

		c->lost += p->side != ANA_COMPARE_NEITHER && is_lost(q[p->of], p);
	}
}

static void set_members(struct ana_compare *c)
{
	for (guint i = 0; i < c->groups->len; i++)
		g_array_index(c->groups, struct ana_compare_group, i).members = g_array_new(FALSE, FALSE,
			sizeof(uint32_t));
	for (uint32_t i = 0; i < c->paths->len; i++) {
		const struct ana_compare_path *p = &g_array_index(c->paths, struct ana_compare_path, i);
		GArray *members = g_array_index(c->groups, struct ana_compare_group, p->group).members;

		if (p->side != ANA_COMPARE_NEITHER && members->len < ANA_COMPARE_MEMBERS)
			g_array_append_val(members, i);
	}
}

static bool find_structures(struct ana_compare *c, const struct ana_compare_walk *first,
	const struct ana_compare_options *o, GError **error)
{
	struct ana_compare_walk w = *first;
	bool fine;

	w.structure = true;
	if (w.progress)
		base_progress_set_label(w.progress, "finding the structure of the paths");
	fine = ana_compare_walk(&w, error) && ana_compare_group_structures(c, &w, o, error);
	c->left.no_path = w.no_path;
	ana_compare_walk_clear(&w);
	return fine;
}

static bool find_sums(struct ana_compare *c, struct ana_compare_walk *w, GError **error)
{
	uint64_t n[3];

	count_sides(c, n);
	for (unsigned side = 0; side < 2; side++)
		w->keep[side] = n[side] <= KEPT ? UINT64_MAX : UINT64_MAX / n[side] * KEPT;
	if (w->progress)
		base_progress_set_label(w->progress, "walking the paths");
	if (!ana_compare_walk(w, error))
		return false;
	c->left.no_path += w->no_path;
	return true;
}

struct ana_compare *ana_compare_new(struct qry *q, const struct ana_set *set, struct qry *against_q,
	const struct ana_set *against, const struct ana_compare_options *o, struct base_progress *progress,
	GError **error)
{
	struct qry *const qs[2] = { q, against ? against_q : NULL };
	const struct ana_set *const sets[2] = { set, against };
	struct ana_compare *c = compare_new(qs, sets, o);
	struct ana_compare_walk w = { .q = { qs[0], qs[1] },
		.fold = c->fold,
		.paths = c->paths,
		.progress = progress,
		.threads = o->threads };
	bool fine = ana_compare_group(c, qs, sets, o, error) &&
		(o->by != ANA_COMPARE_BY_STRUCTURE || find_structures(c, &w, o, error)) &&
		find_sums(c, &w, error) && ana_compare_table(c, &w, error) &&
		ana_compare_judge(c, &w, o, error) && ana_compare_outside(c, progress, error);

	c->kept = g_steal_pointer(&w.kept);
	ana_compare_walk_clear(&w);
	if (fine) {
		ana_compare_order(c);
		set_members(c);
		count_lost(c, qs);
	} else {
		g_clear_pointer(&c, ana_compare_free);
	}
	return c;
}
