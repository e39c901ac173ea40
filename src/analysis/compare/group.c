/* SPDX-License-Identifier: MIT */
/*
 * How it works: groups by duration part at the natural gap of all durations, if there is one (ana_modes: the
 * gap between two populations or, of few paths, by far the largest ratio), else at the longest tenth.  Groups
 * by structure are like the request graphs of Spectroscope (R. Sambasivan et al., "Diagnosing performance
 * changes by comparing request flows", NSDI 2011).  Other groups come from facts about the intervals.
 *
 * The structure of a path is the places (ana_fold) that it visits, in the order of the first visit: loops are
 * folded.  Noise is left out: places that few paths visit, and those only briefly, like the lock of a journal
 * that was just held, or a kernel thread that ran in between.
 */
#include "analysis/compare/parts.h"

#include "analysis/compare/chance.h"
#include "analysis/latency/measure.h"
#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define GAP_P 0.01     /* a gap has at most this p, */
#define GAP_P_FEW 0.05 /* and this with fewer than FEW paths */
#define FEW 50
#define TOP 0.1      /* the longest tenth, if there is no gap */
#define RARE 4       /* noise: a place in fewer than one of so many paths, */
#define SHORT 50     /* which takes less than one of so many parts of their time */
#define WORD_MOST 10 /* columns of the name of a side in a cell */
#define AROUND 0.025 /* distance to a quantile, as a share of the paths of a group */

/* The durations of all paths (ANA_COMPARE_NEITHER), or of those of SIDE: of int64_t, ascending. */
static struct base_many *durations(struct ana_compare *c, unsigned side)
{
	struct base_many *all = base_many_new(sizeof(int64_t));

	for (guint i = 0; i < c->paths->len; i++) {
		int64_t d = ana_compare_duration(ana_compare_path_at(c, i));

		if (side == ANA_COMPARE_NEITHER || ana_compare_path_at(c, i)->side == side)
			base_many_add(all, &d);
	}
	ana_tally_sort((int64_t *)(void *)all->data, all->len);
	return all;
}

static uint32_t add_group(struct ana_compare *c, const char *name)
{
	struct ana_compare_group g = { .name = g_strdup(name), .side = ANA_COMPARE_NEITHER };

	g_array_append_val(c->groups, g);
	return c->groups->len - 1;
}

/* ---- by duration ---- */

/* The shortest duration of SORTED above the gap. */
static int64_t find_gap(struct ana_compare *c, const struct base_many *sorted)
{
	const int64_t *values = (const int64_t *)(const void *)sorted->data;
	struct ana_modes modes = ana_modes_find(values, sorted->len);
	bool few = sorted->len < FEW, found = modes.p <= (few ? GAP_P_FEW : GAP_P);

	if (!found && few) {
		modes = ana_modes_ratio(values, sorted->len);
		found = modes.p < 1;
	}
	c->gap = (struct ana_compare_gap){ true, found, modes.from, modes.to, modes.p };
	return modes.to;
}

static int64_t find_top(const struct base_many *sorted, double share)
{
	guint k = (guint)CLAMP(lround(share * sorted->len), 1, sorted->len);

	return g_array_index(sorted, int64_t, sorted->len - k);
}

/* The shortest duration that is slow. */
static int64_t find_least(struct ana_compare *c, const struct ana_compare_options *o)
{
	struct base_many *sorted;
	int64_t gap;

	if (o->slow == ANA_COMPARE_OVER)
		return o->over;
	sorted = durations(c, ANA_COMPARE_NEITHER);
	gap = o->slow == ANA_COMPARE_TOP ? find_top(sorted, o->top) : find_gap(c, sorted);
	if (o->slow != ANA_COMPARE_TOP && !c->gap.found)
		gap = find_top(sorted, TOP);
	base_many_free(sorted);
	return gap;
}

static bool group_durations(struct ana_compare *c, const struct ana_compare_options *o, GError **error)
{
	uint32_t slow = add_group(c, "slow"), fast = add_group(c, "fast");

	c->least = find_least(c, o);
	if (o->gap_only && c->gap.asked && !c->gap.found)
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"the durations have no natural gap: choose the slow ones with 'over D' or 'top P%%'");
	for (guint i = 0; i < c->paths->len; i++) {
		struct ana_compare_path *p = ana_compare_path_at(c, i);

		p->group = ana_compare_duration(p) >= c->least ? slow : fast;
	}
	return true;
}

/* ---- the slow group ---- */

struct mean {
	uint64_t n;
	ana_wide sum;
};

static GArray *means_of(struct ana_compare *c)
{
	GArray *means = g_array_new(FALSE, TRUE, sizeof(struct mean));

	g_array_set_size(means, c->groups->len);
	for (guint i = 0; i < c->paths->len; i++) {
		struct mean *m = &g_array_index(means, struct mean, ana_compare_path_at(c, i)->group);

		if (ana_compare_path_at(c, i)->side == ANA_COMPARE_NEITHER)
			continue;
		m->n++;
		m->sum += ana_compare_duration(ana_compare_path_at(c, i));
	}
	return means;
}

/* The group whose paths together take most beyond the mean of all.  So neither one odd path wins, nor many
 * that are hardly slower. */
static uint32_t slowest(struct ana_compare *c)
{
	g_autoptr(GArray) means = means_of(c);
	struct mean all = { 0 };
	ana_wide most = 0;
	uint32_t best = 0;

	for (guint i = 0; i < means->len; i++) {
		all.n += g_array_index(means, struct mean, i).n;
		all.sum += g_array_index(means, struct mean, i).sum;
	}
	for (guint i = 0; i < means->len; i++) {
		const struct mean *m = &g_array_index(means, struct mean, i);
		ana_wide beyond = m->sum * (ana_wide)all.n - all.sum * (ana_wide)m->n;

		if (beyond <= most)
			continue;
		most = beyond;
		best = i;
	}
	return best;
}

static bool find_named(const struct ana_compare *c, const char *name, uint32_t *slow, GError **error)
{
	GString *known = g_string_new(NULL);

	for (guint i = 0; i < c->groups->len; i++) {
		const struct ana_compare_group *g = &g_array_index(c->groups, struct ana_compare_group, i);

		g_string_append_printf(known, "%s\"%s\"", i > 0 ? ", " : "", g->name);
		if (!g_str_equal(g->name, name))
			continue;
		*slow = i;
		g_string_free(known, TRUE);
		return true;
	}
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "there is no group \"%s\": there are %s", name,
		known->str);
	g_string_free(known, TRUE);
	return false;
}

/* Keep only those paths of SIDE whose rank is near quantile AT. */
static void keep_around(struct ana_compare *c, unsigned side, double at)
{
	struct base_many *sorted = durations(c, side);
	guint n = sorted->len;
	double low = (at - AROUND) * n, high = (at + AROUND) * n;
	int64_t from, to;

	if (n == 0) {
		base_many_free(sorted);
		return;
	}
	from = g_array_index(sorted, int64_t, (guint)CLAMP(ceil(low) - 1, 0, n - 1));
	to = g_array_index(sorted, int64_t, (guint)CLAMP(ceil(high) - 1, 0, n - 1));
	base_many_free(sorted);
	for (guint i = 0; i < c->paths->len; i++) {
		struct ana_compare_path *p = ana_compare_path_at(c, i);

		if (p->side == side && (ana_compare_duration(p) < from || ana_compare_duration(p) > to))
			p->side = ANA_COMPARE_NEITHER;
	}
}

/* The first word of NAME by which it differs from OTHER: "post-vote".  The caller frees. */
static char *own_word(const char *name, const char *other)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	gsize at = 0, length;

	while (name[at] && name[at] == other[at])
		at++;
	while (at > 0 && strchr(letters, name[at - 1]))
		at--;
	length = strspn(name + at, letters);
	while (length > 0 && name[at + length - 1] == '-')
		length--;
	return g_strndup(name + at, length);
}

/* Set the words for both sides in cells: for long SPECs the word in which they differ, for other long names
 * their place. */
static void set_words(struct ana_compare *c)
{
	static const char *const places[] = { "the first", "the second" };
	struct ana_compare_side *s = c->side;
	g_autofree char *first = own_word(s[0].name, s[1].name), *second = own_word(s[1].name, s[0].name);
	const char *const words[] = { first, second };
	bool differ = c->by == ANA_COMPARE_BY_ORIGIN && *first && *second && !g_str_equal(first, second) &&
		MAX(strlen(first), strlen(second)) <= WORD_MOST;

	for (unsigned side = 0; side < 2; side++)
		s[side].word = g_strdup(g_utf8_strlen(s[side].name, -1) <= WORD_MOST ? s[side].name
				: differ                                             ? words[side]
										     : places[side]);
}

/* Put the paths of the groups on sides. */
static bool set_sides(struct ana_compare *c, const struct ana_compare_options *o, GError **error)
{
	uint32_t slow = 0;

	if (o->by != ANA_COMPARE_BY_DURATION && o->group) {
		if (!find_named(c, o->group, &slow, error))
			return false;
	} else if (o->by != ANA_COMPARE_BY_DURATION && o->by != ANA_COMPARE_BY_ORIGIN) {
		slow = slowest(c);
	}
	for (guint i = 0; i < c->groups->len; i++)
		g_array_index(c->groups, struct ana_compare_group, i).side = i == slow ? ANA_COMPARE_SLOW
										       : ANA_COMPARE_FAST;
	for (guint i = 0; i < c->paths->len; i++)
		if (ana_compare_path_at(c, i)->side != ANA_COMPARE_NEITHER)
			ana_compare_path_at(c, i)->side = ana_compare_path_at(c, i)->group == slow
				? ANA_COMPARE_SLOW
				: ANA_COMPARE_FAST;
	c->side[ANA_COMPARE_SLOW].name = g_strdup(
		g_array_index(c->groups, struct ana_compare_group, slow).name);
	c->side[ANA_COMPARE_FAST].name = g_strdup(c->groups->len == 2
			? g_array_index(c->groups, struct ana_compare_group, 1 - slow).name
			: "others");
	set_words(c);
	if (!isnan(o->at)) {
		keep_around(c, ANA_COMPARE_SLOW, o->at);
		keep_around(c, ANA_COMPARE_FAST, o->at);
	}
	return true;
}

/* ---- by facts about intervals ---- */

/* Make a group for each key, or host. */
static void group_by(struct ana_compare *c, const struct ana_set *set, struct qry *q, bool host)
{
	guint n = host ? qry_host_count(q) : set->keys->len;
	uint32_t *groups = g_new(uint32_t, n);

	memset(groups, 0xff, n * sizeof *groups);
	for (guint i = 0; i < c->paths->len; i++) {
		struct ana_compare_path *p = ana_compare_path_at(c, i);
		uint32_t key = host ? qry_row(q, p->row)->host
				    : g_array_index(set->intervals, struct ana_set_interval, i).key;

		if (groups[key] == MDL_NONE)
			groups[key] = add_group(c,
				host ? qry_host(q, key)->name
				     : (const char *)g_ptr_array_index(set->keys, key));
		p->group = groups[key];
	}
	g_free(groups);
}

bool ana_compare_group(struct ana_compare *c, struct qry *const q[2], const struct ana_set *const set[2],
	const struct ana_compare_options *o, GError **error)
{
	bool same;

	switch (o->by) {
	case ANA_COMPARE_BY_STRUCTURE: return true; /* the walk groups them */
	case ANA_COMPARE_BY_DURATION:
		if (!group_durations(c, o, error))
			return false;
		break;
	case ANA_COMPARE_BY_ORIGIN: /* two recordings, or two sets of one */
		same = g_str_equal(set[0]->spec, set[1]->spec);
		add_group(c, same ? "now" : set[0]->spec);
		add_group(c, same ? "before" : set[1]->spec);
		for (guint i = 0; i < c->paths->len; i++)
			ana_compare_path_at(c, i)->group = ana_compare_path_at(c, i)->of;
		break;
	case ANA_COMPARE_BY_HOST: group_by(c, set[0], q[0], true); break;
	case ANA_COMPARE_BY_KEY: group_by(c, set[0], q[0], false); break;
	}
	return set_sides(c, o, error);
}

/* ---- by structure ---- */

/* "client/wk-client, httpd/wk-server, httpd/hrtimer timer".  The caller frees. */
static char *structure_name(const struct ana_compare *c, const struct ana_compare_walk *w,
	const GArray *places, uint64_t paths)
{
	GString *name = g_string_new(NULL);

	for (guint i = 0; i < places->len; i++) {
		uint32_t id = g_array_index(places, uint32_t, i);
		const struct ana_fold_place *p = &g_array_index(c->fold->places, struct ana_fold_place, id);
		const struct ana_compare_visit *v = &g_array_index(w->visits, struct ana_compare_visit, id);
		g_autofree char *actor = NULL;

		if (v->count * RARE < paths && v->time * SHORT < v->all) /* noise */
			continue;
		actor = ana_fold_actor_text(c->fold, p->actor);
		g_string_append_printf(name, "%s%s", name->len > 0 ? ", " : "", actor);
		if (p->kind != ANA_SEG_RUNNING)
			g_string_append_printf(name, " %s", ana_segment_kind_name(p->kind));
	}
	return g_string_free(name, FALSE);
}

/* The group of structure NUMBER, which may be new. */
static uint32_t group_group_of(struct ana_compare *c, const struct ana_compare_walk *w, uint32_t number,
	uint64_t paths, GHashTable *known)
{
	char *name = structure_name(c, w, g_ptr_array_index(w->structures, number), paths);
	gpointer found;

	if (g_hash_table_lookup_extended(known, name, NULL, &found)) {
		g_free(name);
		return GPOINTER_TO_UINT(found);
	}
	found = GUINT_TO_POINTER(add_group(c, name));
	g_hash_table_insert(known, name, found);
	return GPOINTER_TO_UINT(found);
}

bool ana_compare_group_structures(struct ana_compare *c, const struct ana_compare_walk *w,
	const struct ana_compare_options *o, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	uint32_t *groups = g_new(uint32_t, w->structures->len);
	uint64_t paths = 0;

	memset(groups, 0xff, w->structures->len * sizeof *groups);
	for (guint i = 0; i < c->paths->len; i++)
		paths += ana_compare_path_at(c, i)->side != ANA_COMPARE_NEITHER;
	/* Go by path, so that groups do not depend on which thread was first. */
	for (guint i = 0; i < c->paths->len; i++) {
		struct ana_compare_path *p = ana_compare_path_at(c, i);
		uint32_t *group = &groups[w->structure_of[i]];

		if (p->side == ANA_COMPARE_NEITHER)
			continue;
		if (*group == MDL_NONE)
			*group = group_group_of(c, w, w->structure_of[i], paths, known);
		p->group = *group;
	}
	g_free(groups);
	return set_sides(c, o, error);
}
