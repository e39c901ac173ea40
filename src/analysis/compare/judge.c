/* SPDX-License-Identifier: MIT */
/*
 * How it works: finds the differences that are more than chance.
 *
 * Groups not made by duration (by structure, host, connection, field, another recording): if their labels
 * meant nothing, they could as well have been others.  So the permutation test is exact (ana_permute,
 * corrected for all rows).  If the slow group is the one that turned out slowest, each permutation chooses it
 * again.
 *
 * Groups by duration are different.  Duration is the sum of the steps, so in the tail of any population all
 * steps that vary at all are longer, and the permutation test calls each of them significant.  So this looks
 * for two populations in ways that do not depend on which paths are slow:
 *
 * - The durations themselves have a gap, and the groups part there (ana_modes).  Then the labels are those of
 *   two populations, and permuting them is right again.
 * - Only some paths have a step.  That shows two populations.  Ranks of durations (ana_ranks_p), not labels,
 *   show if it goes with being slow: that three paths of 100 are the longest of all has probability 1 in
 *   161,700 by chance, but only 1 in 23 if they are merely known to be among 36 slow ones.  Steps that the
 *   same paths have are one test, and p is corrected for the number of tests (judge_correct).  The longer a
 *   thread runs, the more interrupts and preemptions it meets. If fast paths have one, too, it counts as a
 *   cause only if half of the slow paths that have it owe it most of what they take beyond the fast ones.
 *   This includes the steps that come with it: other steps that the same paths have; and, if one of these
 *   leads to another actor and is not only a delay, steps of which all these paths have more than any other
 *   path (fsync() is mostly the caller's own call; only these paths have the journal thread).  Such a step
 *   has the p-value of what it comes with.
 * - The times of a step have a gap.  Then two things must hold: there are two populations, and the upper one
 *   goes with being slow (Fisher's exact test).  The larger of the two p-values is that of both (R. L.
 *   Berger's intersection-union test, 1982).  As before, half of the slow paths must be slow by it. That p is
 *   multiplied by the number of steps tested (C. E. Bonferroni).
 *
 * If a step found in one of the last two ways divides the paths as the groups do, the groups are its two
 * populations, and permutation tests all other rows.  A step that can be found in several ways shares its
 * chance to err among them (UPPER, REST).
 *
 * Assumptions: paths are independent of each other, and times of one population have one mode and a smooth
 * tail.  Their distribution does not matter.  A row is significant at 1 %, otherwise noise.  The larger half
 * of a significant difference decides its class: structure if it comes from more paths of one side having the
 * step, else timing.
 */
#include "analysis/compare/parts.h"

#include "analysis/compare/chance.h"
#include "base/base_figures.h"
#include "base/base_search.h"

#include <math.h>
#include <string.h>

#define MOST 8192 /* paths that are tested */
#define UPPER 0.9 /* of the chance to err of a step that only some paths have: that longer paths have it, */
#define REST 0.05 /* that shorter ones have it, and its times, each */
#define LEAST_PATHS 5
#define ONLY 0.9  /* a step that so many more paths of one side have is always structure */
#define SAME 0.95 /* groups are those of a step if so many of the paths of the smaller one agree */

/* The tested paths, and their times in each row. */
struct judge {
	struct ana_compare *c;
	const struct ana_compare_options *o;
	GArray *paths;   /* of uint32_t: path of each case */
	uint32_t *label; /* of each case: 1 slow; owned */
	guint n, n_slow;
	GPtrArray *variables; /* of GArray of struct ana_permute_value, by row */
	struct base_progress *progress;
};

static struct ana_compare_row *row_at(const struct judge *j, guint i)
{
	return &g_array_index(j->c->rows, struct ana_compare_row, i);
}

static const struct ana_compare_path *judge_path_of(const struct judge *j, uint32_t at)
{
	return &g_array_index(j->c->paths, struct ana_compare_path, g_array_index(j->paths, uint32_t, at));
}

static int64_t duration_of(const struct judge *j, uint32_t at)
{
	return ana_compare_duration(judge_path_of(j, at));
}

static const GArray *values_of(const struct judge *j, guint row)
{
	return g_ptr_array_index(j->variables, row);
}

static const struct ana_permute_value *value_at(const GArray *values, guint i)
{
	return &g_array_index(values, struct ana_permute_value, i);
}

/* ---- the tested paths ---- */

static int by_number(const void *a, const void *b)
{
	return BASE_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void judge_init(struct judge *j, const struct ana_compare_walk *w)
{
	struct ana_compare *c = j->c;
	uint64_t all = c->side[0].figures.count + c->side[1].figures.count,
		 part = MIN(w->keep[0], w->keep[1]);

	/* Take an equal part of both sides, so that the sample is like the whole. */
	if (all > MOST)
		part = MIN(part, UINT64_MAX / all * MOST);
	j->paths = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = 0; i < c->paths->len; i++) {
		unsigned side = ana_compare_path_at(c, i)->side;

		if (side != ANA_COMPARE_NEITHER && base_mix(i) <= part)
			g_array_append_val(j->paths, i);
	}
	j->n = j->paths->len;
	j->label = g_new0(uint32_t, j->n + 1);
	for (guint i = 0; i < j->n; i++)
		j->n_slow += j->label[i] = judge_path_of(j, i)->side == ANA_COMPARE_SLOW;
	j->variables = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < c->rows->len; i++) {
		GArray *values = g_array_new(FALSE, FALSE, sizeof(struct ana_permute_value));
		guint n;
		const struct ana_compare_kept *kept = ana_compare_kept(c, row_at(j, i)->step, &n);

		for (guint k = 0; k < n; k++) {
			struct ana_permute_value v = { .value = (double)kept[k].time };

			if (g_array_binary_search(j->paths, &kept[k].path, by_number, &v.at))
				g_array_append_val(values, v);
		}
		g_ptr_array_add(j->variables, values);
	}
}

/* ---- labels that mean something by themselves ---- */

/* Permute the sides; rows to SKIP (NULL: none) are left out. */
static void permute_sides(struct judge *j, const bool *skip, double *p)
{
	struct ana_permute a = { .n = j->n,
		.label = j->label,
		.n_groups = 2,
		.first = 1,
		.variables = j->variables };

	ana_permute(&a, skip, p, j->progress);
}

/* Permute the groups: the slow group was chosen from all by its mean. */
static void permute_groups(struct judge *j, double *p)
{
	uint32_t *groups = g_new0(uint32_t, j->n + 1);
	double *durations = g_new0(double, j->n + 1);
	struct ana_permute a = { .n = j->n,
		.label = groups,
		.n_groups = j->c->groups->len,
		.first = UINT32_MAX,
		.by = durations,
		.variables = j->variables };

	for (guint i = 0; i < j->n; i++) {
		groups[i] = judge_path_of(j, i)->group;
		durations[i] = (double)duration_of(j, i);
	}
	ana_permute(&a, NULL, p, j->progress);
	g_free(groups);
	g_free(durations);
}

/* ---- two populations ---- */

/* True if the groups part at the gap of all durations. */
static bool is_parted(const struct judge *j)
{
	int64_t *sorted = g_new(int64_t, j->n + 1);
	struct ana_modes modes;

	for (guint i = 0; i < j->n; i++)
		sorted[i] = duration_of(j, i);
	qsort(sorted, j->n, sizeof *sorted, base_search_by_int64);
	modes = ana_modes_find(sorted, j->n);
	g_free(sorted);
	return modes.p <= ANA_COMPARE_SIGNIFICANT && j->c->least > modes.from && j->c->least <= modes.to;
}

/* The probability that, of Z cases out of N, at least BOTH are among N_SLOW others (Fisher's exact test). */
static double fisher(guint n, guint n_slow, guint z, guint both)
{
	double p = 0;

	for (guint k = both; k <= MIN(n_slow, z); k++)
		if (z - k <= n - n_slow)
			p += exp(ana_log_choose(n_slow, k) + ana_log_choose(n - n_slow, z - k) -
				ana_log_choose(n, z));
	return fmin(p, 1);
}

/* A division of the paths by one row. */
struct parting {
	guint row;
	double p;      /* 1: none */
	bool *in;      /* of each case: in the upper part; owned */
	double *extra; /* ns that the case takes longer because of it; owned */
	bool *with;    /* of each row: all cases of the upper part have more of it; owned */
	guint n, n_slow;
};

static void parting_init(const struct judge *j, struct parting *part, guint row)
{
	*part = (struct parting){ .row = row,
		.p = 1,
		.in = g_new0(bool, j->n + 1),
		.extra = g_new0(double, j->n + 1),
		.with = g_new0(bool, j->variables->len + 1) };
}

static void parting_clear(struct parting *part)
{
	g_free(part->in);
	g_free(part->extra);
	g_free(part->with);
}

static void put_in(const struct judge *j, struct parting *part, uint32_t at, double extra)
{
	part->n += !part->in[at];
	part->n_slow += !part->in[at] && j->label[at];
	part->in[at] = true;
	part->extra[at] += extra;
}

/* True if at least half of the slow paths in PART owe it at least half of what they take beyond the fast
 * ones. */
static bool is_why(const struct judge *j, const struct parting *part)
{
	double usual = (double)j->c->side[ANA_COMPARE_FAST].figures.p50;
	guint by_it = 0;

	for (guint i = 0; i < j->n; i++)
		by_it += part->in[i] && j->label[i] &&
			2 * part->extra[i] >= (double)duration_of(j, i) - usual;
	return 2 * by_it >= part->n_slow;
}

/* True if nearly all slow paths are in PART, and nearly all others are not. */
static bool judge_is_same(const struct judge *j, const struct parting *part)
{
	guint wrong = (part->n - part->n_slow) + (j->n_slow - part->n_slow);

	return wrong <= (1 - SAME) * MIN(j->n_slow, j->n - j->n_slow);
}

/* Put the cases with at least FROM ns of ROW in PART. */
static void put_upper(const struct judge *j, struct parting *part, int64_t from)
{
	const GArray *values = values_of(j, part->row);
	double low = 0;
	guint below = 0;

	for (guint i = 0; i < values->len; i++)
		if (value_at(values, i)->value < (double)from) {
			low += value_at(values, i)->value;
			below++;
		}
	for (guint i = 0; i < values->len; i++)
		if (value_at(values, i)->value >= (double)from)
			put_in(j, part, value_at(values, i)->at,
				value_at(values, i)->value - low / MAX(below, 1));
}

/* Divide by the times of ROW. */
static void part_by_time(const struct judge *j, struct parting *part, guint row)
{
	guint tests = j->variables->len;
	const GArray *values = values_of(j, row);
	int64_t *sorted = g_new(int64_t, values->len + 1);
	struct ana_modes modes;

	parting_init(j, part, row);
	for (guint i = 0; i < values->len; i++)
		sorted[i] = (int64_t)value_at(values, i)->value;
	qsort(sorted, values->len, sizeof *sorted, base_search_by_int64);
	modes = ana_modes_find(sorted, values->len);
	g_free(sorted);
	if (modes.p * tests > ANA_COMPARE_SIGNIFICANT)
		return;
	put_upper(j, part, modes.to);
	part->p = fmin(1, tests * fmax(modes.p, fisher(j->n, j->n_slow, part->n, part->n_slow)));
	if (!is_why(j, part))
		part->p = 1;
}

/* True if a step of KIND only delays the thread that has it. */
static bool is_delay(enum ana_segment_kind kind)
{
	switch (kind) {
	case ANA_SEG_INTERRUPTED:
	case ANA_SEG_IPI_WAIT:
	case ANA_SEG_WAITING:
	case ANA_SEG_WAIT_CPU:
	case ANA_SEG_PREEMPTED:
	case ANA_SEG_THROTTLED:
	case ANA_SEG_TIMER_LATE:
	case ANA_SEG_IPI:
	case ANA_SEG_IRQ:
	case ANA_SEG_VCPU_PREEMPTED:
	case ANA_SEG_VCPU_EXIT:
	case ANA_SEG_VM_INTERRUPT:
	case ANA_SEG_SUSPEND:
	case ANA_SEG_UNKNOWN: return true;
	default: return false;
	}
}

static enum ana_segment_kind judge_kind_of(const struct judge *j, guint row)
{
	return g_array_index(j->c->fold->steps, struct ana_fold_step, row_at(j, row)->step).kind;
}

/* True if A and B have the same cases. */
static bool is_alike(const GArray *a, const GArray *b)
{
	if (a->len != b->len)
		return false;
	for (guint i = 0; i < a->len; i++)
		if (value_at(a, i)->at != value_at(b, i)->at)
			return false;
	return true;
}

/* Put the cases that have ROW in PART; all steps that the same cases have come with it.  True if one of these
 * is more than a delay. */
static bool put_alike(const struct judge *j, struct parting *part)
{
	const GArray *values = values_of(j, part->row);
	bool leads = false;

	for (guint r = 0; r < j->variables->len; r++) {
		if (!is_alike(values, values_of(j, r)))
			continue;
		leads |= !is_delay(judge_kind_of(j, r));
		for (guint i = 0; i < values->len; i++)
			put_in(j, part, value_at(values_of(j, r), i)->at,
				value_at(values_of(j, r), i)->value);
	}
	return leads;
}

/* True if all cases in PART have more of ROW than any other; *REST is the mean of the others. */
static bool is_apart(const struct judge *j, const struct parting *part, guint row, double *rest)
{
	const GArray *values = values_of(j, row);
	double least = INFINITY, most = 0;
	guint in = 0;

	*rest = 0;
	for (guint i = 0; i < values->len; i++) {
		const struct ana_permute_value *v = value_at(values, i);

		if (part->in[v->at]) {
			least = fmin(least, v->value);
			in++;
		} else {
			most = fmax(most, v->value);
			*rest += v->value / (j->n - part->n);
		}
	}
	return in == part->n && least > most;
}

/* True if ROW, a step in all paths, comes with PART, too: all paths of PART have more of it than any other
 * path, so it takes longer there for the same reason. */
static bool judge_comes_with(const struct judge *j, const struct parting *part, guint row, double *rest)
{
	return !is_delay(judge_kind_of(j, row)) && part->n < j->n &&
		!is_alike(values_of(j, part->row), values_of(j, row)) && is_apart(j, part, row, rest);
}

static void put_longer(const struct judge *j, struct parting *part)
{
	double rest;

	for (guint r = 0; r < j->variables->len; r++) {
		const GArray *values = values_of(j, r);

		if (!judge_comes_with(j, part, r, &rest))
			continue;
		part->with[r] = true;
		for (guint i = 0; i < values->len; i++)
			if (part->in[value_at(values, i)->at])
				put_in(j, part, value_at(values, i)->at, value_at(values, i)->value - rest);
	}
}

/* True if a step of KIND happens to a running thread, more often the longer it runs. */
static bool comes_by_time(enum ana_segment_kind kind)
{
	switch (kind) {
	case ANA_SEG_INTERRUPTED:
	case ANA_SEG_PREEMPTED:
	case ANA_SEG_THROTTLED:
	case ANA_SEG_VCPU_PREEMPTED:
	case ANA_SEG_VCPU_EXIT:
	case ANA_SEG_VM_INTERRUPT: return true;
	default: return false;
	}
}

/* Divide by which paths have ROW, with P. */
static void part_by_presence(const struct judge *j, struct parting *part, guint row, double p)
{
	parting_init(j, part, row);
	if (put_alike(j, part) && p <= ANA_COMPARE_SIGNIFICANT)
		put_longer(j, part);
	part->p = part->n_slow < part->n && comes_by_time(judge_kind_of(j, row)) && !is_why(j, part) ? 1 : p;
}

/* A test if the cases that have the step of ROW, and of rows alike, are longer, or shorter, than others. */
struct presence {
	guint row;
	double p, least; /* the smallest P possible with this number of paths */
};

static int by_p(const void *a, const void *b)
{
	const struct presence *x = a, *y = b;

	return BASE_BY(x, y, p) ?: BASE_BY(x, y, row);
}

/* Correct P of the N TESTS for their number, step by step (S. Holm, 1979), counting only the remaining ones
 * that can have such a small P at all (R. E. Tarone, "A modified Bonferroni method for discrete data",
 * 1990). */
static void judge_correct(struct presence *tests, guint n)
{
	double most = 0;

	qsort(tests, n, sizeof *tests, by_p);
	for (guint i = 0; i < n; i++) {
		guint can = 0;

		for (guint k = i; k < n; k++)
			can += tests[k].least <= tests[i].p;
		most = fmax(most, fmin(1, tests[i].p * can));
		tests[i].p = most;
	}
}

/* The first row that the same paths have as ROW. */
static guint first_alike(const struct judge *j, guint row)
{
	guint first = 0;

	while (first < row && !is_alike(values_of(j, first), values_of(j, row)))
		first++;
	return first;
}

/* Set P to how clearly the presence of each row goes with long (LONGER) or short durations; 1 if all paths
 * have it. */
static void judge_presence(const struct judge *j, const struct ana_ranks *ranks, bool longer, double *p)
{
	guint n = j->variables->len, n_tests = 0;
	struct presence *tests = g_new0(struct presence, n + 1);
	bool *in = g_new(bool, j->n + 1);

	for (guint r = 0; r < n; r++) {
		const GArray *values = values_of(j, r);

		p[r] = 1;
		if (values->len == 0 || values->len == j->n || first_alike(j, r) != r)
			continue;
		memset(in, 0, j->n);
		for (guint i = 0; i < values->len; i++)
			in[value_at(values, i)->at] = true;
		tests[n_tests++] = (struct presence){ r, ana_ranks_p(ranks, in, longer),
			exp(-ana_log_choose(j->n, values->len)) };
	}
	judge_correct(tests, n_tests);
	for (guint i = 0; i < n_tests; i++)
		p[tests[i].row] = tests[i].p;
	for (guint r = 0; r < n; r++) {
		guint first = first_alike(j, r);

		p[r] = first < r ? p[first] : p[r];
	}
	g_free(in);
	g_free(tests);
}

/* Set PRESENCE of each row by both directions. */
static void judge_presences(const struct judge *j, double *presence)
{
	guint n = j->variables->len;
	int64_t *durations = g_new(int64_t, j->n + 1);
	double *shorter = g_new(double, n + 1);
	struct ana_ranks *ranks;

	for (guint i = 0; i < j->n; i++)
		durations[i] = duration_of(j, i);
	ranks = ana_ranks_new(durations, j->n);
	judge_presence(j, ranks, true, presence);
	judge_presence(j, ranks, false, shorter);
	for (guint r = 0; r < n; r++)
		presence[r] = fmin(1, fmin(presence[r] / UPPER, shorter[r] / REST));
	ana_ranks_free(ranks);
	g_free(durations);
	g_free(shorter);
}

/* True if only some paths have ROW, so that its presence can show it, too. */
static bool is_partial(const struct judge *j, guint row)
{
	return values_of(j, row)->len < j->n;
}

/* Test each row by its own populations; PARTED: not by its times, as the groups part by the durations.  True
 * if the groups are the populations of a row. */
static bool judge_rows(struct judge *j, bool parted, double *p)
{
	guint n = j->variables->len;
	double *presence = g_new(double, n + 1);
	bool same = false;

	judge_presences(j, presence);
	for (guint r = 0; r < n; r++)
		p[r] = 1;
	for (guint r = 0; r < n; r++) {
		struct parting by_time, by_presence;

		part_by_time(j, &by_time, r);
		part_by_presence(j, &by_presence, r, presence[r]);
		by_time.p = parted ? 1 : fmin(1, by_time.p / (is_partial(j, r) ? REST : 1));
		p[r] = fmin(p[r], fmin(by_time.p, by_presence.p));
		for (guint k = 0; k < n; k++)
			if (by_presence.with[k])
				p[k] = fmin(p[k], by_presence.p);
		same |= by_time.p <= ANA_COMPARE_SIGNIFICANT && judge_is_same(j, &by_time);
		same |= by_presence.p <= ANA_COMPARE_SIGNIFICANT && judge_is_same(j, &by_presence);
		parting_clear(&by_time);
		parting_clear(&by_presence);
	}
	g_free(presence);
	return same;
}

static void judge_durations(struct judge *j, double *p)
{
	guint n = j->variables->len;
	bool parted = is_parted(j), same = judge_rows(j, parted, p);
	bool *found = g_new0(bool, n + 1);
	double *by_side = g_new(double, n + 1);

	for (guint r = 0; r < n; r++) {
		found[r] = p[r] <= ANA_COMPARE_SIGNIFICANT;
		by_side[r] = NAN;
	}
	if (parted || same)
		permute_sides(j, found, by_side);
	for (guint r = 0; r < n; r++)
		if (!isnan(by_side[r]))
			p[r] = fmin(p[r], fmin(1, by_side[r] / (parted && is_partial(j, r) ? REST : 1)));
	g_free(found);
	g_free(by_side);
}

/* ---- classes ---- */

/* The share of paths of SIDE that have the place of R, at least. */
static double place_share(const struct ana_compare *c, const struct ana_compare_row *r, unsigned side)
{
	uint32_t place = g_array_index(c->fold->steps, struct ana_fold_step, r->step).place;
	uint64_t most = 0;

	for (guint i = 0; i < c->rows->len; i++) {
		const struct ana_compare_row *other = &g_array_index(c->rows, struct ana_compare_row, i);

		if (g_array_index(c->fold->steps, struct ana_fold_step, other->step).place == place)
			most = MAX(most, other->in[side].count);
	}
	return (double)most / (double)c->side[side].figures.count;
}

static enum ana_compare_class judge_class_of(const struct ana_compare *c, const struct ana_compare_row *r)
{
	enum ana_segment_kind kind = g_array_index(c->fold->steps, struct ana_fold_step, r->step).kind;
	uint32_t actor = g_array_index(c->fold->steps, struct ana_fold_step, r->step).actor;
	/* A delay of a thread is where its thread is; a step that leads to it may be there by itself. */
	bool of_thread = is_delay(kind) &&
		g_array_index(c->fold->actors, struct ana_fold_actor, actor).type == ANA_ACTOR_THREAD;
	double own[2], share[2], time = 0;

	if (isnan(r->p) || r->p > ANA_COMPARE_SIGNIFICANT)
		return ANA_COMPARE_NOISE;
	for (unsigned side = 0; side < 2; side++) {
		uint64_t n = c->side[side].figures.count, in = r->in[side].count;

		own[side] = (double)in / (double)n;
		share[side] = is_delay(kind) ? place_share(c, r, side) : own[side];
		time = in > 0 ? fmax(time, (double)r->in[side].mean * (double)n / (double)in) : time;
	}
	return (!of_thread && fabs(own[0] - own[1]) >= ONLY) ||
			2 * fabs(share[0] - share[1]) * time >= fabs((double)r->difference)
		? ANA_COMPARE_STRUCTURE
		: ANA_COMPARE_TIMING;
}

bool ana_compare_judge(struct ana_compare *c, const struct ana_compare_walk *w,
	const struct ana_compare_options *o, GError **error)
{
	struct judge j = { .c = c, .o = o, .progress = w->progress };
	double *p = g_new(double, c->rows->len + 1);
	bool tested;

	judge_init(&j, w);
	for (guint i = 0; i < c->rows->len; i++)
		p[i] = NAN;
	tested = j.n >= LEAST_PATHS && j.n_slow > 0 && j.n_slow < j.n;
	if (tested) {
		if (o->by == ANA_COMPARE_BY_DURATION)
			judge_durations(&j, p);
		else if (o->by == ANA_COMPARE_BY_ORIGIN || o->group)
			permute_sides(&j, NULL, p);
		else
			permute_groups(&j, p);
	}
	for (guint i = 0; i < c->rows->len; i++)
		row_at(&j, i)->p = tested && isnan(p[i]) ? 1 : p[i]; /* the same in all of them */
	for (guint i = 0; i < c->rows->len; i++)
		row_at(&j, i)->class = judge_class_of(c, row_at(&j, i));
	g_array_unref(j.paths);
	g_ptr_array_unref(j.variables);
	g_free(j.label);
	g_free(p);
	return !ana_compare_stopped(w->progress, error);
}
