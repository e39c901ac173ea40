/* SPDX-License-Identifier: MIT */
/*
 * How it works: several threads walk the paths, each with the experiment opened again for itself.  A path is
 * folded at once and its memory reused.  Only sums stay, which do not depend on the order of the paths, and
 * for some paths the time of each step.
 */
#include "analysis/compare/parts.h"

#include "base/base_error.h"
#include "base/base_figures.h"
#include "base/base_memory.h"

#include <string.h>

/* Paths that a walker takes at a time.  If there are many, it takes neighbours, which read the same parts of
 * the index. */
#define BATCH_LEAST 8
#define BATCH_MOST 4096
#define BATCHES 32 /* batches for each walker, so that all walkers end at about the same time */

struct walker {
	struct ana_compare_walk *w; /* weak */
	struct qry *q[2];           /* owned by all but the first walker */
	struct ana_path_maker *maker[2];
	struct ana_folder *folder[2];
	GArray *sums[2], *kept, *visits; /* as in struct ana_compare_walk */
	GArray *steps;                   /* of uint32_t: the step of each segment of a path */
	GArray *times;                   /* of int64_t, by step, then by place: of the current path; else 0 */
	GArray *touched;                 /* of uint32_t: the entries of TIMES that are not 0 */
	bool leads;                      /* it reports the progress of all */
	uint64_t no_path;
	/* Numbers of the paths in one of which damage was found: [FROM, TO); empty: no damage. */
	uint32_t damaged_from, damaged_to;
	GError *error;
	struct common *common; /* weak */
};

/* Shared by the walkers. */
struct common {
	gint next;       /* the next path */
	gint batch;      /* paths that a walker takes at a time */
	gint stop;       /* a walker failed */
	GMutex lock;     /* for STRUCTURES and IDS */
	GHashTable *ids; /* structure, weak → index + 1 */
};

bool ana_compare_stopped(struct base_progress *progress, GError **error)
{
	if (!base_progress_cancelled(progress))
		return false;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return true;
}

/* ---- sums ---- */

/* Element INDEX of ARRAY; grows ARRAY with zeroes if needed. */
static void *at(GArray *array, guint index)
{
	if (index >= array->len)
		g_array_set_size(array, index + 1);
	return array->data + (gsize)index * g_array_get_element_size(array);
}

static void add_time(struct walker *r, uint32_t index, int64_t time)
{
	int64_t *sum = at(r->times, index);

	if (*sum == 0)
		g_array_append_val(r->touched, index);
	*sum += time;
}

/* The product of two times of a century fills 128 bits, so sums saturate. */
static void add_wide(ana_wide *sum, ana_wide product)
{
	const ana_wide most = (ana_wide)(~(unsigned __int128)0 >> 1);

	*sum = *sum > most - product ? most : *sum + product;
}

static void add_to(struct ana_compare_sum *sum, int64_t time, int64_t duration)
{
	sum->min = sum->count == 0 ? time : MIN(sum->min, time);
	sum->max = MAX(sum->max, time);
	sum->count++;
	sum->time += time;
	add_wide(&sum->squares, (ana_wide)time * time);
	add_wide(&sum->with, (ana_wide)time * duration);
}

static void walk_join(GArray *to, const GArray *from)
{
	for (guint i = 0; i < from->len; i++) {
		const struct ana_compare_sum *b = &g_array_index(from, struct ana_compare_sum, i);
		struct ana_compare_sum *a = at(to, i);

		if (b->count == 0)
			continue;
		a->min = a->count == 0 ? b->min : MIN(a->min, b->min);
		a->max = MAX(a->max, b->max);
		a->count += b->count;
		a->time += b->time;
		add_wide(&a->squares, b->squares);
		add_wide(&a->with, b->with);
	}
}

static void join_visits(GArray *to, const GArray *from)
{
	for (guint i = 0; i < from->len; i++) {
		const struct ana_compare_visit *b = &g_array_index(from, struct ana_compare_visit, i);
		struct ana_compare_visit *a = at(to, i);

		a->count += b->count;
		a->time += b->time;
		a->all += b->all;
	}
}

/* ---- one path ---- */

/* Add the times of the current path in r->times to the sums, and clear them. */
static void count_steps(struct walker *r, uint32_t index, const struct ana_compare_path *p)
{
	bool keep = base_mix(index) <= r->w->keep[p->side];

	for (guint i = 0; i < r->touched->len; i++) {
		uint32_t step = g_array_index(r->touched, uint32_t, i);
		int64_t *time = at(r->times, step);
		struct ana_compare_kept kept = { index, step, *time };

		add_to(at(r->sums[p->side], step), *time, p->to - p->from);
		if (keep)
			g_array_append_val(r->kept, kept);
		*time = 0;
	}
	g_array_set_size(r->touched, 0);
}

static guint places_hash(gconstpointer data)
{
	const GArray *a = data;
	uint64_t h = a->len;

	for (guint i = 0; i < a->len; i++)
		h = base_mix(h ^ g_array_index(a, uint32_t, i));
	return (guint)h;
}

static gboolean places_equal(gconstpointer x, gconstpointer y)
{
	const GArray *a = x, *b = y;

	return a->len == b->len && memcmp(a->data, b->data, a->len * sizeof(uint32_t)) == 0;
}

/* The touched places, in that order, are the structure of path INDEX. */
static void count_places(struct walker *r, uint32_t index, const struct ana_compare_path *p)
{
	struct common *common = r->common;
	gpointer found;

	for (guint i = 0; i < r->touched->len; i++) {
		uint32_t place = g_array_index(r->touched, uint32_t, i);
		struct ana_compare_visit *visit = at(r->visits, place);
		int64_t *time = at(r->times, place);

		visit->count++;
		visit->time += *time;
		visit->all += p->to - p->from;
		*time = 0;
	}
	g_mutex_lock(&common->lock);
	if (!g_hash_table_lookup_extended(common->ids, r->touched, NULL, &found)) {
		GArray *own = g_array_copy(r->touched);

		g_ptr_array_add(r->w->structures, own);
		found = GUINT_TO_POINTER(r->w->structures->len - 1);
		g_hash_table_insert(common->ids, own, found);
	}
	r->w->structure_of[index] = GPOINTER_TO_UINT(found);
	g_mutex_unlock(&common->lock);
	g_array_set_size(r->touched, 0);
}

/* Time of the interval in which the thread did not exist is unknown. */
static void fold_path(struct walker *r, uint32_t index, const struct ana_path *path,
	const struct ana_compare_path *p)
{
	int64_t outside = (p->to - p->from) - (path->to - path->from);
	guint n = path->segments->len;
	uint32_t *steps;

	g_array_set_size(r->steps, n);
	steps = (uint32_t *)(void *)r->steps->data;
	ana_folder_steps(r->folder[p->of], path, steps);
	if (r->w->structure) {
		g_mutex_lock(&r->w->fold->lock);
		for (guint i = 0; i < n; i++)
			steps[i] = g_array_index(r->w->fold->steps, struct ana_fold_step, steps[i]).place;
		g_mutex_unlock(&r->w->fold->lock);
	} else if (outside > 0) {
		add_time(r, ana_folder_unknown(r->folder[p->of], p->row), outside);
	}
	for (guint i = 0; i < n; i++) {
		const struct ana_segment *s = ana_path_segment(path, i);

		add_time(r, steps[i], s->to - s->from);
	}
	if (r->w->structure)
		count_places(r, index, p);
	else
		count_steps(r, index, p);
}

static bool walk_one(struct walker *r, uint32_t index)
{
	struct ana_compare_path *p = &g_array_index(r->w->paths, struct ana_compare_path, index);
	GError *why = NULL;
	const struct ana_path *path;

	if (p->side == ANA_COMPARE_NEITHER)
		return true;
	if (ana_compare_stopped(r->w->progress, &r->error))
		return false;
	path = ana_path_maker_next(r->maker[p->of], p->row, p->from, p->to, r->w->progress, &why);
	if (path) {
		fold_path(r, index, path, p);
		return true;
	}
	if (!g_error_matches(why, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		r->error = why;
		return false;
	}
	g_error_free(why);
	p->side = ANA_COMPARE_NEITHER;
	r->no_path++;
	return true;
}

/* ---- walkers ---- */

static const GError *damage_of(const struct walker *r)
{
	return qry_damage(r->q[0]) ?: r->q[1] ? qry_damage(r->q[1]) : NULL;
}

/* Walk the paths [FIRST, END).  Looks for damage only after all of them, because that reads the disk.  False:
 * stop. */
static bool walk_batch(struct walker *r, uint32_t first, uint32_t end)
{
	bool fine = true;

	for (uint32_t i = first; fine && i < end; i++)
		fine = walk_one(r, i);
	if (damage_of(r)) {
		r->damaged_from = first;
		r->damaged_to = end;
		fine = false;
	}
	return fine;
}

static gpointer walk_work(gpointer data)
{
	struct walker *r = data;
	struct common *common = r->common;
	gint n = (gint)r->w->paths->len, first;

	while (!g_atomic_int_get(&common->stop) &&
		(first = g_atomic_int_add(&common->next, common->batch)) < n) {
		if (r->leads && r->w->progress)
			base_progress_set(r->w->progress, (double)first / n, 0);
		if (!walk_batch(r, (uint32_t)first, (uint32_t)MIN(first + common->batch, n)))
			g_atomic_int_set(&common->stop, 1);
	}
	return NULL;
}

static bool walker_init(struct walker *r, struct ana_compare_walk *w, struct common *common, bool first,
	GError **error)
{
	*r = (struct walker){ .w = w, .common = common, .leads = first };
	for (unsigned i = 0; i < 2; i++) {
		r->q[i] = !first && w->q[i] ? qry_open_again(w->q[i], error) : w->q[i];
		if (w->q[i] && !r->q[i])
			return false;
		r->maker[i] = r->q[i] ? ana_path_maker_new(r->q[i]) : NULL;
		r->folder[i] = r->q[i] ? ana_folder_new(w->fold, r->q[i]) : NULL;
		r->sums[i] = g_array_new(FALSE, TRUE, sizeof(struct ana_compare_sum));
	}
	r->kept = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_kept));
	r->visits = g_array_new(FALSE, TRUE, sizeof(struct ana_compare_visit));
	r->steps = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	r->times = g_array_new(FALSE, TRUE, sizeof(int64_t));
	r->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	return true;
}

static void walker_clear(struct walker *r, bool first)
{
	for (unsigned i = 0; i < 2; i++) {
		ana_path_maker_free(r->maker[i]);
		ana_folder_free(r->folder[i]);
		if (!first && r->q[i])
			qry_free(r->q[i]);
		g_clear_pointer(&r->sums[i], g_array_unref);
	}
	g_clear_pointer(&r->kept, g_array_unref);
	g_clear_pointer(&r->visits, g_array_unref);
	g_clear_pointer(&r->steps, g_array_unref);
	g_clear_pointer(&r->times, g_array_unref);
	g_clear_pointer(&r->touched, g_array_unref);
	g_clear_error(&r->error);
}

/* Read the damage that R found in the open experiment, too, so that it is repaired. */
static void meet_damage(struct ana_compare_walk *w, struct walker *r)
{
	for (uint32_t i = r->damaged_from; i < r->damaged_to; i++) {
		const struct ana_compare_path *p = &g_array_index(w->paths, struct ana_compare_path, i);

		if (!qry_damage(w->q[p->of]))
			ana_path_free(ana_path_new(w->q[p->of], p->row, p->from, p->to, NULL, NULL));
	}
	g_clear_error(&r->error);
	r->error = g_error_copy(damage_of(r));
}

/* Take the results of R.  False with its error, or with the damage that it met. */
static bool walk_take(struct ana_compare_walk *w, struct walker *r, GError **error)
{
	if (r->damaged_from < r->damaged_to)
		meet_damage(w, r);
	if (r->error) {
		if (error && !*error)
			g_propagate_error(error, g_steal_pointer(&r->error));
		return false;
	}
	w->no_path += r->no_path;
	walk_join(w->sums[0], r->sums[0]);
	walk_join(w->sums[1], r->sums[1]);
	join_visits(w->visits, r->visits);
	g_array_append_vals(w->kept, r->kept->data, r->kept->len);
	return true;
}

/* Run all walkers; the first one in this thread. */
static bool walk_run(struct ana_compare_walk *w, struct walker *walkers, unsigned n, GError **error)
{
	GThread **threads = g_new0(GThread *, n);
	bool fine = true;

	for (unsigned i = 1; i < n; i++)
		threads[i] = base_memory_thread("compare", walk_work, &walkers[i]);
	walk_work(&walkers[0]);
	for (unsigned i = 1; i < n; i++)
		g_thread_join(threads[i]);
	for (unsigned i = 0; i < n; i++)
		fine &= walk_take(w, &walkers[i], error);
	g_free(threads);
	return fine;
}

bool ana_compare_walk(struct ana_compare_walk *w, GError **error)
{
	unsigned n = CLAMP(w->paths->len / BATCH_LEAST, 1, w->threads ? w->threads : g_get_num_processors());
	unsigned made = 0;
	struct walker *walkers = g_new0(struct walker, n);
	struct common common = { .ids = g_hash_table_new(places_hash, places_equal),
		.batch = (gint)CLAMP(w->paths->len / n / BATCHES, BATCH_LEAST, BATCH_MOST) };
	bool fine = true;

	g_mutex_init(&common.lock);
	w->sums[0] = g_array_new(FALSE, TRUE, sizeof(struct ana_compare_sum));
	w->sums[1] = g_array_new(FALSE, TRUE, sizeof(struct ana_compare_sum));
	w->kept = g_array_new(FALSE, FALSE, sizeof(struct ana_compare_kept));
	w->visits = g_array_new(FALSE, TRUE, sizeof(struct ana_compare_visit));
	w->structures = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	w->structure_of = g_new0(uint32_t, w->paths->len);
	for (; fine && made < n; made++)
		fine = walker_init(&walkers[made], w, &common, made == 0, error);
	fine = fine && walk_run(w, walkers, n, error);
	for (unsigned i = 0; i < made; i++)
		walker_clear(&walkers[i], i == 0);
	g_hash_table_unref(common.ids);
	g_mutex_clear(&common.lock);
	g_free(walkers);
	return fine;
}

void ana_compare_walk_clear(struct ana_compare_walk *w)
{
	g_clear_pointer(&w->sums[0], g_array_unref);
	g_clear_pointer(&w->sums[1], g_array_unref);
	g_clear_pointer(&w->kept, g_array_unref);
	g_clear_pointer(&w->visits, g_array_unref);
	g_clear_pointer(&w->structures, g_ptr_array_unref);
	g_clear_pointer(&w->structure_of, g_free);
}
