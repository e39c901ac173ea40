/* SPDX-License-Identifier: MIT */
/*
 * The differences that are more than chance.
 *
 * Where groups are not made by duration (by structure, host, connection, field, another recording), labels
 * could as well have been others if they meant nothing, and the permutation test is exact (ana_permute,
 * corrected for all rows).  Where the slow group is the one that turned out slowest, each permutation chooses
 * it anew.
 *
 * Groups by duration are another matter: duration is the sum of the steps, so in the tail of any population
 * all steps that vary at all are longer, and that test calls each of them significant.  What is asked then is
 * whether there are two populations, by means that do not look at who is slow:
 *
 *   - the durations themselves have a gap, and groups part there (ana_modes).  Then labels are those of two
 *     populations, and permuting them is right again;
 *   - a step is in some paths only.  That tells two populations apart.  Whether it goes with being slow is asked
 *     of the ranks of their durations (ana_ranks_p), not of labels: three paths of 100 that are the longest of
 *     all are 1 in 161 700 by chance, but 1 in 23 if all that is known is that they are among 36 slow ones.
 *     Steps that the same paths have are one test, and p is corrected for the number of tests (judge_correct).
 *     An interrupt or a preemption comes the more often the longer a thread runs.  Where fast paths have one,
 *     too, it is no cause unless half of the slow paths that have it owe it most of what they take beyond the
 *     fast ones: it, and what comes with it: other steps that the same paths have; and, if one of these leads to
 *     somebody else and does not only delay, steps of which all these paths have more than any other path
 *     (fsync() is mostly the caller's own call, the thread of the journal is only in these paths).  Such a
 *     step has the p-value of what it comes with;
 *   - the times of a step have a gap.  Then two things must hold, that there are two populations, and that
 *     the upper one goes with being slow (the exact test of Fisher), so the larger of the two p-values is
 *     that of both (R. L. Berger's intersection-union test, 1982); and, as before, half of the slow ones are
 *     slow by it.  That p counts once for each step that is looked at (C. E. Bonferroni).
 *
 * Where what was found by one of the last two parts the paths as the groups do, these are its two
 * populations, and all other rows are tested by permutation.  A step that can be found in several ways shares
 * its chance to err among them (UPPER, REST).
 *
 * Assumed is that paths are independent of each other, and that times of one population have one mode and a
 * smooth tail; not how they are distributed.  A row is significant at 1 %, and otherwise noise.  Half of a
 * significant difference decides its class: if it is there because the step is in more paths of one side,
 * that is structure, else timing.
 */
#include "analysis/compare/parts.h"

#include "analysis/compare/chance.h"
#include "base/base_figures.h"
#include "base/base_search.h"

#include <math.h>
#include <string.h>

#define MOST 8192 /* paths that are looked at */
#define UPPER 0.9 /* of the chance to err, of a step that only some have: that longer paths have it, */
#define REST 0.05 /* that shorter ones do, and what its times say, each */
#define LEAST_PATHS 5
#define ONLY 0.9  /* a step that so many more paths of one side have is structure whatever it is */
#define SAME 0.95 /* groups are those of a step where so many of the paths of the smaller one agree */

/* The paths that are looked at, and what they have of each row. */
struct judge {
	struct ana_compare *c;
	const struct ana_compare_options *o;
	GArray *paths;   /* of uint32_t: path of each case */
	uint32_t *label; /* of each case: is it slow (1); owned */
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

/* ---- what is looked at ---- */

static int by_number(const void *a, const void *b)
{
	return BASE_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void judge_init(struct judge *j, const struct ana_compare_walk *w)
{
	struct ana_compare *c = j->c;
	uint64_t all = c->side[0].figures.count + c->side[1].figures.count,
		 part = MIN(w->keep[0], w->keep[1]);

	/* As large a part of both sides, so that all together are as the whole is. */
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

/* Of rows that are not to be SKIPped (NULL: of all). */
static void permute_sides(struct judge *j, const bool *skip, double *p)
{
	struct ana_permute a = { .n = j->n,
		.label = j->label,
		.n_groups = 2,
		.first = 1,
		.variables = j->variables };

	ana_permute(&a, skip, p, j->progress);
}

/* The slow group was chosen from all by its mean. */
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

/* Groups are parted where all durations are. */
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

/* How likely it is that of Z of N cases so many or more as BOTH are among N_SLOW others (Fisher). */
static double fisher(guint n, guint n_slow, guint z, guint both)
{
	double p = 0;

	for (guint k = both; k <= MIN(n_slow, z); k++)
		if (z - k <= n - n_slow)
			p += exp(ana_log_choose(n_slow, k) + ana_log_choose(n - n_slow, z - k) -
				ana_log_choose(n, z));
	return fmin(p, 1);
}

/* A way to part the paths by one row. */
struct parting {
	guint row;
	double p;      /* 1: there is none */
	bool *in;      /* of each case: is it in the upper part; owned */
	double *extra; /* ns: what it takes longer by that; owned */
	bool *with;    /* of each row: it takes longer in all of the upper part; owned */
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

/* True if at least half of the slow paths in PART owe it half of what they take beyond the fast ones, or more. */
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

/* Put the cases in that ROW has at least FROM ns of. */
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

/* By the times of ROW. */
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

/* True if A and B hold the same cases. */
static bool is_alike(const GArray *a, const GArray *b)
{
	if (a->len != b->len)
		return false;
	for (guint i = 0; i < a->len; i++)
		if (value_at(a, i)->at != value_at(b, i)->at)
			return false;
	return true;
}

/* Put the cases in that have ROW; all steps that the same ones have come with it.  True if one of these is more
 * than a delay. */
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

/* A step that is in all paths comes with PART, too, if all of PART have more of it than any other path has: it
 * takes longer there for the same reason.  True if ROW is one. */
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

/* True if a step of KIND comes upon a thread that runs, the more often the longer it does. */
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

/* By which paths have ROW, with P. */
static void part_by_presence(const struct judge *j, struct parting *part, guint row, double p)
{
	parting_init(j, part, row);
	if (put_alike(j, part) && p <= ANA_COMPARE_SIGNIFICANT)
		put_longer(j, part);
	part->p = part->n_slow < part->n && comes_by_time(judge_kind_of(j, row)) && !is_why(j, part) ? 1 : p;
}

/* A test of whether those that have the step of ROW, and of rows alike, are longer, or shorter, than others. */
struct presence {
	guint row;
	double p, least; /* the smallest P that so many paths can have */
};

static int by_p(const void *a, const void *b)
{
	const struct presence *x = a, *y = b;

	return BASE_BY(x, y, p) ?: BASE_BY(x, y, row);
}

/* Correct P of the N TESTS for their number, step by step (S. Holm, 1979): how many of those that are left can
 * have so small a P at all (R. E. Tarone, "A modified Bonferroni method for discrete data", 1990). */
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

/* The row that comes first of those which the same paths have as ROW. */
static guint first_alike(const struct judge *j, guint row)
{
	guint first = 0;

	while (first < row && !is_alike(values_of(j, first), values_of(j, row)))
		first++;
	return first;
}

/* How clearly the presence of each row goes with taking long (LONGER), or little: P, 1 where it is in all. */
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

/* True if only some paths have ROW, so that it can be found by that, too. */
static bool is_partial(const struct judge *j, guint row)
{
	return values_of(j, row)->len < j->n;
}

/* Each row by its own populations, those of its times unless groups are PARTED by the durations; true if the
 * groups are those of one of them. */
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

/* The share of the paths of SIDE that has the place of R, at least. */
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
		row_at(&j, i)->p = tested && isnan(p[i]) ? 1 : p[i]; /* which is the same in all of them */
	for (guint i = 0; i < c->rows->len; i++)
		row_at(&j, i)->class = judge_class_of(c, row_at(&j, i));
	g_array_unref(j.paths);
	g_ptr_array_unref(j.variables);
	g_free(j.label);
	g_free(p);
	return !ana_compare_stopped(w->progress, error);
}
