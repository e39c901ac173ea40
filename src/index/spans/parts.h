/* SPDX-License-Identifier: MIT */
/* The bytes of a file of latencies.  Private to the files that write and read it. */
#ifndef IDX_SPANS_PARTS_H
#define IDX_SPANS_PARTS_H

#include "index/spans/spans.h"

#define IDX_SPANS_LINE 64 /* bytes of a leaf in the directory */
#define IDX_SPANS_ROWS 16 /* bytes of the chunk ROWS */
#define IDX_SPANS_FATE 3  /* bits */
/* spans of a leaf of an outline; few, because reading a leaf repeats the walk that finds them */
#define IDX_LEAF_OUTLINE 256

/* Bytes of one of the longest spans: start, length, key, row, CPU, leaf, number in the leaf, 1 for a thread
 * of the tracer. */
#define IDX_SPANS_BAD 40
#define IDX_SPANS_BAD_TRACER 38

/* The previous span: start and key are stored relative to it. */
struct idx_spans_before {
	uint64_t start, key;
};

/* Statistics begin with IDX_SPANS_HEAD words of 64 bits: idx_spans_word(), the number of classes of each of
 * the two histograms, fates, times, outliers, mean and deviation. */
#define IDX_SPANS_TIMES 8
#define IDX_SPANS_HEAD (3 + MDL_SPAN_FATES + IDX_SPANS_TIMES + 1 + 2)
#define IDX_SPANS_BUCKET 3 /* words of a class */

/* The first word of the statistics of KIND: all its spans, or those of CLASS; WITHOUT: without the
 * tracer's. */
static inline uint64_t idx_spans_word(unsigned kind, unsigned class, bool without)
{
	return kind << 4 | class << 1 | without;
}
#define IDX_SPANS_WORDS (MDL_SPAN_KINDS << 4)

/* The owner of the open file S; the caller sets the fingerprint. */
struct idx_spans_of idx_spans_of_file(const struct idx_spans *s);
/* The caller frees. */
char *idx_spans_fingerprint(const struct idx_spans *s);

/* The times of F, in the order of the file. */
static inline int64_t *idx_spans_time(struct base_figures *f, unsigned i)
{
	int64_t *const times[IDX_SPANS_TIMES] = { &f->sum, &f->min, &f->max, &f->p50, &f->p90, &f->p99,
		&f->p999, &f->fence };

	return times[i];
}

#endif
