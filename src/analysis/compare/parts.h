/* SPDX-License-Identifier: MIT */
/* Shared by the files of src/analysis/compare, and private to them. */
#ifndef ANA_COMPARE_PARTS_H
#define ANA_COMPARE_PARTS_H

#include "analysis/compare/compare.h"

#define ANA_COMPARE_SIGNIFICANT 0.01 /* a difference that is less likely by chance is significant */

__extension__ typedef __int128 ana_wide;

/* A step in the paths of one side. */
struct ana_compare_sum {
	uint64_t count;               /* paths that have it */
	int64_t min, max;             /* ns, over these paths */
	ana_wide time, squares, with; /* sums of its time, its square, and its product with the duration */
};

/* A place (struct ana_fold_place) in all paths. */
struct ana_compare_visit {
	uint64_t count;     /* paths that have it */
	ana_wide time, all; /* ns: in this place; whole duration of these paths */
};

struct ana_compare_walk {
	struct qry *q[2];        /* of each recording; weak */
	struct ana_fold *fold;   /* weak */
	struct base_many *paths; /* of struct ana_compare_path; weak; only paths with a side are walked */
	struct base_progress *progress; /* weak; may be NULL */
	unsigned threads;
	/* True: find the structure of each path; false: the sums of both sides. */
	bool structure;
	uint64_t keep[2]; /* by side: keep the paths whose base_mix() is at most this */

	/* Results. */
	GArray *sums[2];        /* of struct ana_compare_sum, by step */
	GArray *kept;           /* of struct ana_compare_kept, until the comparison takes it */
	GArray *visits;         /* of struct ana_compare_visit, by place */
	GPtrArray *structures;  /* of GArray of uint32_t: places in the order in which they are first visited
				 */
	uint32_t *structure_of; /* of each path; owned */
	uint64_t no_path;
};

/* Walk the paths.  An interval without a path gets no side.  False with an error. */
bool ana_compare_walk(struct ana_compare_walk *w, GError **error);
void ana_compare_walk_clear(struct ana_compare_walk *w);

/* True with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled. */
bool ana_compare_stopped(struct base_progress *progress, GError **error);

static inline struct ana_compare_path *ana_compare_path_at(const struct ana_compare *c, guint i)
{
	return &g_array_index(c->paths, struct ana_compare_path, i);
}

static inline int64_t ana_compare_duration(const struct ana_compare_path *p)
{
	return p->to - p->from;
}

/* Put paths into groups and on sides: the first function by duration or by facts about the intervals, the
 * second by the structure that W found. */
bool ana_compare_group(struct ana_compare *c, struct qry *const q[2], const struct ana_set *const set[2],
	const struct ana_compare_options *o, GError **error);
bool ana_compare_group_structures(struct ana_compare *c, const struct ana_compare_walk *w,
	const struct ana_compare_options *o, GError **error);

/* Make rows and sides from W.  False with BASE_ERROR_NO_ANSWER if a side has no path. */
bool ana_compare_table(struct ana_compare *c, const struct ana_compare_walk *w, GError **error);
/* Set p and class of all rows. */
bool ana_compare_judge(struct ana_compare *c, const struct ana_compare_walk *w,
	const struct ana_compare_options *o, GError **error);
/* Set C->outside.  False with an error. */
bool ana_compare_outside(struct ana_compare *c, struct base_progress *progress, GError **error);

#endif
