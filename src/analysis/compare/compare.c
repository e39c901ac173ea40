/* SPDX-License-Identifier: MIT */
/*
 * How it works: from sets of intervals to a table: groups (ana_compare_group), paths (ana_compare_walk), rows
 * (ana_compare_table), their significance (ana_compare_judge), and other activity meanwhile
 * (ana_compare_outside).  Groups by structure need two walks over all paths: one for the groups, one for the
 * sums.
 */
#include "analysis/compare/compare.h"

#include "analysis/compare/parts.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define KEPT 16384 /* paths of each side whose times of steps are kept */

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

		base_many_add(c->paths, &p);
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
	c->set = g_strdup(set[0]->spec);
	c->one_host = o->one_host;
	c->by = o->by;
	c->by_name = by_name(set[0], o->by);
	c->fold = ana_fold_new(
		!o->one_host && (qry_host_count(q[0]) > 1 || (q[1] && qry_host_count(q[1]) > 1)));
	c->fold->own_host = o->by == ANA_COMPARE_BY_HOST;
	c->rows = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_row));
	c->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_group));
	g_array_set_clear_func(c->groups, group_clear);
	c->paths = base_many_new(sizeof(struct ana_compare_path));
	add_paths(c, set[0], 0);
	if (set[1])
		add_paths(c, set[1], 1);
	return c;
}

void ana_compare_free(struct ana_compare *c)
{
	if (!c)
		return;
	g_free(c->set);
	ana_fold_free(c->fold);
	g_array_unref(c->rows);
	g_array_unref(c->groups);
	base_many_free(c->paths);
	g_clear_pointer(&c->kept, g_array_unref);
	g_clear_pointer(&c->outside, g_array_unref);
	for (unsigned side = 0; side < 2; side++) {
		g_free(c->side[side].name);
		g_free(c->side[side].word);
	}
	g_free(c);
}

/* True if events of P's host were lost while it ran. */
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

static void set_members(struct ana_compare *c)
{
	for (guint i = 0; i < c->groups->len; i++)
		g_array_index(c->groups, struct ana_compare_group, i).members = g_array_new(FALSE, FALSE,
			sizeof(uint32_t));
	for (uint32_t i = 0; i < c->paths->len; i++) {
		const struct ana_compare_path *p = ana_compare_path_at(c, i);
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
	uint64_t n[3] = { 0 };

	for (guint i = 0; i < c->paths->len; i++)
		n[ana_compare_path_at(c, i)->side]++;
	for (unsigned side = 0; side < 2; side++)
		w->keep[side] = n[side] <= KEPT ? UINT64_MAX : UINT64_MAX / n[side] * KEPT;
	if (w->progress)
		base_progress_set_label(w->progress, "walking the paths");
	if (!ana_compare_walk(w, error))
		return false;
	c->left.no_path += w->no_path;
	c->kept = g_steal_pointer(&w->kept);
	return true;
}

static int by_weight(const void *a, const void *b)
{
	const struct ana_compare_row *x = a, *y = b;
	int64_t dx = llabs(x->difference), dy = llabs(y->difference);

	if ((x->class == ANA_COMPARE_NOISE) != (y->class == ANA_COMPARE_NOISE))
		return x->class == ANA_COMPARE_NOISE ? 1 : -1;
	return BASE_ORDER(dy, dx) ?: BASE_BY(y, x, difference);
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

	ana_compare_walk_clear(&w);
	if (fine) {
		/* Rows of equal weight stay in the order of their texts. */
		g_array_sort(c->rows, by_weight);
		set_members(c);
		for (guint i = 0; i < c->paths->len; i++) {
			const struct ana_compare_path *p = ana_compare_path_at(c, i);

			c->lost += p->side != ANA_COMPARE_NEITHER && is_lost(qs[p->of], p);
		}
	} else {
		g_clear_pointer(&c, ana_compare_free);
	}
	return c;
}

/* ---- parsing of options ---- */

bool ana_compare_read_share(const char *text, double most, double *share)
{
	char *end;
	double value = g_ascii_strtod(text, &end);

	if (end == text || !isfinite(value) || value <= 0 || value > most * 100)
		return false;
	end += strspn(end, " ");
	*share = value / 100;
	return !*end || g_str_equal(end, "%");
}

static bool wrong(GError **error, const char *option, const char *text, const char *what)
{
	return base_error_false(error, BASE_ERROR_USAGE, "%s \"%s\" is not known: type %s", option, text,
		what);
}

bool ana_compare_read_slow(const char *text, struct ana_compare_options *o, GError **error)
{
	static const char over[] = "over ", top[] = "top ";

	o->slow = ANA_COMPARE_GAP;
	o->group = NULL;
	if (g_str_equal(text, "gap"))
		return true;
	if (o->by != ANA_COMPARE_BY_DURATION) {
		o->group = text;
		return true;
	}
	o->slow = ANA_COMPARE_OVER;
	if (g_str_has_prefix(text, over))
		return base_time_parse_duration(text + strlen(over), &o->over, error);
	if (base_time_parse_duration(text, &o->over, NULL)) /* a duration alone means "over" it */
		return true;
	o->slow = ANA_COMPARE_TOP;
	return (g_str_has_prefix(text, top) && ana_compare_read_share(text + strlen(top), 1, &o->top)) ||
		wrong(error, "--slow", text, "'over D', 'top P%' or gap");
}

bool ana_compare_read_group(const char *text, struct ana_compare_options *o, GError **error)
{
	static const struct {
		const char *name;
		enum ana_compare_by by;
	} known[] = { { "duration", ANA_COMPARE_BY_DURATION }, { "structure", ANA_COMPARE_BY_STRUCTURE },
		{ "host", ANA_COMPARE_BY_HOST }, { "connection", ANA_COMPARE_BY_KEY },
		{ "name", ANA_COMPARE_BY_KEY } };

	o->by = ANA_COMPARE_BY_KEY;
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(text, known[i].name)) {
			o->by = known[i].by;
			return true;
		}
	return strchr(text, '.') ||
		wrong(error, "--group", text, "duration, structure, host, connection, name or EVENT.FIELD");
}

bool ana_compare_key_set(struct qry *q, struct ana_set *set, const struct ana_compare_options *o,
	const char *group, struct base_progress *progress, GError **error)
{
	if (o->by != ANA_COMPARE_BY_KEY || g_strcmp0(set->key_name, group) == 0)
		return true;
	if (strchr(group, '.'))
		return ana_set_by_field(q, set, group, progress, error);
	return base_error_false(error, BASE_ERROR_USAGE, "%s has no %s: choose another --group", set->spec,
		group);
}
