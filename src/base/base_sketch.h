/* SPDX-License-Identifier: MIT */
/*
 * The distribution of many durations in little memory. Sketches can be added: the sketch of two sets of
 * numbers is the sum of theirs. Count, sum, sum of squares, minimum and maximum are exact. Quantiles are off
 * by at most 1/256 of their value (0.4 %).
 */
#ifndef BASE_SKETCH_H
#define BASE_SKETCH_H

#include "base/base_varint.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 base_wide;
__extension__ typedef unsigned __int128 base_uwide;

/* ---- classes: a power of two has 2^7 of them of equal width, as in HdrHistogram; numbers below 2^7 have a
 * class each; negative numbers, which clocks that are off give, have as many classes ---- */

#define BASE_SKETCH_FINE 7                                             /* bits below the highest one */
#define BASE_SKETCH_SIDE ((64 - BASE_SKETCH_FINE) << BASE_SKETCH_FINE) /* number of classes for numbers ≥ 0 */
#define BASE_SKETCH_CLASSES (2 * BASE_SKETCH_SIDE)
#define BASE_SKETCH_ERROR (1.0 / 256) /* largest relative error of a quantile */

/* The class of NUMBER: ascending numbers have ascending classes. */
unsigned base_sketch_class_of(int64_t number);
/* Return the least number of CLASS, whose numbers differ in their lowest *SHIFT bits. */
int64_t base_sketch_class_begin(unsigned class, unsigned *shift);

/* ---- sketches ---- */

struct base_sketch_class {
	uint32_t class;
	uint64_t count;
};

/* Initialise with zeros; base_sketch_clear() frees. */
struct base_sketch {
	uint64_t count;
	int64_t min, max;   /* undefined if COUNT is 0 */
	base_wide sum;      /* exact */
	base_uwide squares; /* sum of squares, modulo 2^128 */
	/* The classes that have numbers, ascending; owned. */
	struct base_sketch_class *classes;
	uint32_t n;
};

void base_sketch_clear(struct base_sketch *s);
/* Add the N numbers at NUMBERS, which ascend. */
void base_sketch_add_sorted(struct base_sketch *s, const int64_t *numbers, size_t n);
/* Add OTHER to S. */
void base_sketch_join(struct base_sketch *s, const struct base_sketch *other);
/* The number of rank MAX(⌈share × count⌉, 1), as nearest-rank percentiles are defined, within
 * BASE_SKETCH_ERROR and [min, max]. SHARE is 0 … 1. BASE_TIME_NONE if S is empty. */
int64_t base_sketch_quantile(const struct base_sketch *s, double share);
double base_sketch_mean(const struct base_sketch *s);   /* 0 if S is empty */
double base_sketch_stddev(const struct base_sketch *s); /* of the population; 0 if S is empty */
/* The sum, INT64_MAX or INT64_MIN if that does not fit. */
int64_t base_sketch_sum(const struct base_sketch *s);

/* ---- as bytes, all numbers as in base_varint.h ---- */

/* Append S to BYTES. */
void base_sketch_put(const struct base_sketch *s, GByteArray *bytes);
/* Read a sketch into S (zeros). False if the bytes are invalid; the caller clears S in both cases. The memory
 * it takes is at most eight times that of the bytes. */
bool base_sketch_get(struct base_sketch *s, struct base_varints *in);

/* put_number() and put_wide() append a number of 64 and of 128 bits to BYTES; get_wide() reads 128 bits. */
void base_sketch_put_number(GByteArray *bytes, uint64_t number);
void base_sketch_put_wide(GByteArray *bytes, base_uwide number);
base_uwide base_sketch_get_wide(struct base_varints *in);

#endif
