/* SPDX-License-Identifier: MIT */
/*
 * Makes the summary of one host. Each part equals what a command shows for the same trace: kinds are those of
 * `latency`, with all threads; causes are those of `causes --user-threads --hide-tracer`; steps are those of
 * the critical paths that `compare` walks.
 *
 * Groups are by name, because the hosts of a fleet run the same programs, but with other TIDs and PIDs.
 */
#include "fleet/flt_parts.h"

#include "analysis/causes/causes.h"
#include "analysis/compare/fold.h"
#include "analysis/compare/set.h"
#include "analysis/latency/latency.h"
#include "analysis/latency/measure.h"
#include "analysis/latency/program.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

#define PARTS 6 /* most parts of the account of a case */
#define SPANS 8 /* most names of spans whose paths are walked */

/* True if WHY (freed) says that something was not recorded or does not exist.  Else it moves to ERROR. */
static bool is_absent(GError *why, GError **error)
{
	if (!g_error_matches(why, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_propagate_error(error, why);
		return false;
	}
	g_error_free(why);
	return true;
}

/* ---- kinds of latency ---- */

static int by_time(gconstpointer a, gconstpointer b)
{
	const struct flt_group *x = a, *y = b;

	return BASE_ORDER(y->sketch.sum, x->sketch.sum) ?: g_strcmp0(x->name, y->name);
}

/* Add the groups of L to K. Groups with the same ana_group_name() become one. */
static void add_groups(struct flt_kind *k, const struct ana_latency *l)
{
	g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < l->groups->len; i++) {
		const struct ana_latency_group *from = &g_array_index(l->groups, struct ana_latency_group, i);
		char *name = ana_group_name(from->name);
		guint place = GPOINTER_TO_UINT(g_hash_table_lookup(places, name));
		struct flt_group *to;

		if (place == 0) {
			to = flt_append(k->groups);
			to->name = g_strdup(name);
			place = k->groups->len;
			g_hash_table_insert(places, name, GUINT_TO_POINTER(place));
		} else {
			g_free(name);
		}
		to = &g_array_index(k->groups, struct flt_group, place - 1);
		base_sketch_join(&to->sketch, &from->sketch);
	}
	if (l->by == ANA_LATENCY_BY_NOTHING) { /* there are too many names */
		struct flt_group *all = flt_append(k->groups);

		base_sketch_join(&all->sketch, &l->sketch);
	}
	g_array_sort(k->groups, by_time);
	for (guint i = 0; i < k->groups->len; i++)
		base_sketch_join(&k->all, &g_array_index(k->groups, struct flt_group, i).sketch);
}

static void add_parts(struct flt_case *to, struct qry *q, const char *kind, const struct ana_latency_case *c)
{
	struct ana_account_of of = ana_latency_account_of(q, NULL, kind, c);
	struct ana_blame *blame = of.what == ANA_ACCOUNT_NONE ? NULL
							      : ana_account_of_new(q, &of, 0, NULL, NULL);

	for (guint i = 0; blame && i < blame->parts->len && i < PARTS; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);
		struct flt_part one = { ana_blame_words(q, part), part->time };

		g_array_append_val(to->parts, one);
	}
	ana_blame_free(blame);
}

static void add_case(struct flt_kind *k, struct qry *q, const struct ana_latency_case *found)
{
	struct ana_latency_case c = *found;
	struct flt_case *to = flt_summary_case(k);

	ana_latency_explain(q, NULL, k->name, &c);
	to->start = c.start;
	to->end = c.end;
	to->latency = c.latency;
	to->subject = c.row == MDL_NONE ? NULL : qry_row_label(q, c.row);
	to->key = c.key;
	to->cause = c.cause;
	add_parts(to, q, k->name, &c);
}

/* Add KIND, if its events were recorded.  False with an error. */
static bool add_kind(struct flt_summary *s, struct qry *q, const char *kind, enum ana_latency_by by,
	struct base_progress *progress, GError **error)
{
	const struct ana_latency_options options = { .kind = kind,
		.by = by,
		.row = MDL_NONE,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = FLT_WORST,
		.sketches = true };
	GError *why = NULL;
	struct ana_latency *l = ana_latency_new(q, &options, progress, &why);
	struct flt_kind *k;

	if (g_error_matches(why, BASE_ERROR, BASE_ERROR_REFUSED) && by != ANA_LATENCY_BY_NOTHING) {
		g_error_free(why);
		return add_kind(s, q, kind, ANA_LATENCY_BY_NOTHING, progress, error);
	}
	if (!l)
		return is_absent(why, error);
	k = flt_summary_kind(s);
	k->name = g_strdup(kind);
	k->unfinished = l->all.unfinished;
	add_groups(k, l);
	for (guint i = 0; i < l->worst->len && i < FLT_WORST; i++)
		add_case(k, q, &g_array_index(l->worst, struct ana_latency_case, i));
	ana_latency_free(l);
	return true;
}

static bool add_kinds(struct flt_summary *s, struct qry *q, struct base_progress *progress, GError **error)
{
	const char *const *kinds = ana_latency_kinds();

	for (unsigned i = 0; kinds[i]; i++)
		if (!add_kind(s, q, kinds[i], ANA_LATENCY_BY_NAME, progress, error))
			return false;
	return add_kind(s, q, ANA_PROGRAM_ALL, ANA_LATENCY_BY_KEY, progress, error);
}

/* ---- causes of waits ---- */

/* Add the waits for causes of KIND as a kind of latency, also if there are none. */
static void add_waits(struct flt_summary *s, const GArray *entries, enum ana_kind kind)
{
	struct flt_kind *k = flt_summary_kind(s);

	k->name = g_strconcat(FLT_WAITS, ana_kind_name(kind), NULL);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		if (e->kind != kind || ana_causes_is_own_sleep(e))
			continue;
		ana_tally_sort((int64_t *)(void *)e->values->data, e->values->len);
		base_sketch_add_sorted(&k->all, (const int64_t *)(const void *)e->values->data,
			e->values->len);
	}
}

/* The cause for which E counts: its own one if PLACE is below FLT_CAUSES, else "all others" of its kind. */
static struct flt_cause *find_cause(struct flt_summary *s, const struct ana_causes_entry *e, guint place)
{
	const char *name = place < FLT_CAUSES ? e->name : NULL;
	struct flt_cause *c;

	for (guint i = 0; i < s->causes->len; i++) {
		c = &g_array_index(s->causes, struct flt_cause, i);
		if (g_str_equal(c->kind, ana_kind_name(e->kind)) && g_strcmp0(c->name, name) == 0)
			return c;
	}
	c = flt_append(s->causes);
	c->kind = g_strdup(ana_kind_name(e->kind));
	c->name = g_strdup(name);
	c->own_sleep = ana_causes_is_own_sleep(e);
	return c;
}

static bool add_causes(struct flt_summary *s, struct qry *q, struct base_progress *progress, GError **error)
{
	struct ana_causes_asked asked = { .by = ANA_CAUSES_BY_NAME,
		.row = MDL_NONE,
		.hide_tracer = true,
		.user_threads = true };
	struct ana_causes *causes;
	const GArray *entries;
	bool fine;

	qry_span(q, &asked.from, &asked.to);
	causes = ana_causes_asked(q, &asked);
	ana_causes_keep_values(causes);
	fine = ana_causes_finish(causes, progress, error);
	entries = fine ? ana_causes_entries(causes) : NULL;
	for (guint i = 0; fine && i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		struct flt_cause *c = find_cause(s, e, i);

		for (guint n = 0; n < e->values->len; n++)
			flt_sum_add(&c->sum, g_array_index(e->values, int64_t, n));
	}
	for (unsigned kind = 0; fine && entries->len > 0 && kind < ANA_KIND_N; kind++)
		add_waits(s, entries, kind);
	ana_causes_free(causes);
	return fine;
}

/* ---- steps of critical paths ---- */

struct walking {
	struct qry *q; /* weak */
	struct ana_path_maker *maker;
	struct ana_fold *fold;
	struct ana_folder *folder;
	GArray *times; /* of int64_t, by step: of the path at hand */
	GArray *sums;  /* of struct flt_sum, by step: of all paths */
	struct base_progress *progress;
};

/* Add the steps of the path of I to W.  *WALKED: there is a path.  False with an error. */
static bool walk_path(struct walking *w, const struct ana_set_interval *i, bool *walked, GError **error)
{
	GError *why = NULL;
	const struct ana_path *path = ana_path_maker_next(w->maker, i->row, i->from, i->to, w->progress,
		&why);
	guint n = path ? path->segments->len : 0;
	uint32_t *steps;

	*walked = path;
	if (!path)
		return is_absent(why, error);
	steps = g_new(uint32_t, n + 1);
	ana_folder_steps(w->folder, path, steps);
	g_array_set_size(w->times, w->fold->steps->len);
	g_array_set_size(w->sums, w->fold->steps->len);
	memset(w->times->data, 0, w->times->len * sizeof(int64_t));
	for (guint k = 0; k < n; k++)
		g_array_index(w->times, int64_t, steps[k]) += ana_path_segment(path, k)->to -
			ana_path_segment(path, k)->from;
	for (guint k = 0; k < w->times->len; k++)
		if (g_array_index(w->times, int64_t, k) > 0)
			flt_sum_add(&g_array_index(w->sums, struct flt_sum, k),
				g_array_index(w->times, int64_t, k));
	g_free(steps);
	return true;
}

static int by_step_time(gconstpointer a, gconstpointer b)
{
	const struct flt_step *x = a, *y = b;

	return BASE_ORDER(y->sum.time, x->sum.time) ?: g_strcmp0(x->text, y->text);
}

static void take_steps(struct flt_paths *to, const struct walking *w)
{
	struct flt_step others = { 0 };

	for (guint i = 0; i < w->sums->len; i++) {
		struct flt_step step = { ana_fold_step_text(w->fold, i),
			g_array_index(w->sums, struct flt_sum, i) };

		g_array_append_val(to->steps, step);
	}
	g_array_sort(to->steps, by_step_time);
	for (guint i = FLT_STEPS; i < to->steps->len; i++)
		flt_sum_join(&others.sum, &g_array_index(to->steps, struct flt_step, i).sum);
	if (to->steps->len <= FLT_STEPS)
		return;
	g_array_set_size(to->steps, FLT_STEPS);
	g_array_append_val(to->steps, others);
}

static bool walk_set(struct flt_summary *s, struct qry *q, const struct ana_set *set, const char *spec,
	struct base_progress *progress, GError **error)
{
	struct flt_paths *to = flt_summary_paths(s);
	guint all = set->intervals->len, n = MIN(all, FLT_PATHS);
	struct walking w = { .q = q,
		.maker = ana_path_maker_new(q),
		.fold = ana_fold_new(false),
		.times = g_array_new(FALSE, TRUE, sizeof(int64_t)),
		.sums = g_array_new(FALSE, TRUE, sizeof(struct flt_sum)),
		.progress = progress };
	bool fine = true, walked;

	w.folder = ana_folder_new(w.fold, q);
	to->set = g_strdup(spec);
	to->count = all;
	for (guint i = 0; fine && i < n; i++) {
		const struct ana_set_interval *one = &g_array_index(set->intervals, struct ana_set_interval,
			(guint)((uint64_t)i * all / n));

		fine = walk_path(&w, one, &walked, error);
		if (fine && walked)
			flt_sum_add(&to->of, one->to - one->from);
	}
	take_steps(to, &w);
	ana_folder_free(w.folder);
	ana_fold_free(w.fold);
	ana_path_maker_free(w.maker);
	g_array_unref(w.times);
	g_array_unref(w.sums);
	return fine;
}

static bool add_paths(struct flt_summary *s, struct qry *q, const char *spec, struct base_progress *progress,
	GError **error)
{
	GError *why = NULL;
	struct ana_set *set = ana_set_find(q, spec, BASE_TIME_NONE, BASE_TIME_NONE, progress, &why);
	bool fine = set ? walk_set(s, q, set, spec, progress, error) : is_absent(why, error);

	ana_set_free(set);
	return fine;
}

static bool add_all_paths(struct flt_summary *s, struct qry *q, struct base_progress *progress,
	GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < s->kinds->len; i++) {
		const struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		for (guint g = 0; g_str_equal(k->name, ANA_PROGRAM_ALL) && g < MIN(k->groups->len, SPANS);
			g++)
			g_ptr_array_add(names,
				g_strconcat(ANA_PROGRAM_PREFIX,
					g_array_index(k->groups, struct flt_group, g).name, NULL));
	}
	if (!add_paths(s, q, "requests", progress, error))
		return false;
	for (guint i = 0; i < names->len; i++)
		if (!add_paths(s, q, g_ptr_array_index(names, i), progress, error))
			return false;
	return true;
}

/* ---- the whole ---- */

struct flt_summary *flt_summary_make(struct qry *q, struct base_progress *progress, GError **error)
{
	const struct qry_host *host = qry_host(q, 0);
	struct flt_summary *s = flt_summary_new();
	bool fine;

	s->host = g_strdup(host->name);
	s->trace = g_strdup(host->meta->path);
	s->tracer = g_strdup(host->meta->tracer);
	s->release = g_strdup(host->meta->release);
	qry_span(q, &s->from, &s->to);
	s->events = host->meta->events;
	s->lost = host->meta->discarded;
	s->cpus = host->meta->n_cpus;
	fine = add_kinds(s, q, progress, error) && add_causes(s, q, progress, error) &&
		add_all_paths(s, q, progress, error);
	if (fine && qry_damage(q)) {
		g_propagate_error(error, g_error_copy(qry_damage(q)));
		fine = false;
	}
	if (!fine)
		g_clear_pointer(&s, flt_summary_free);
	return s;
}
