/* SPDX-License-Identifier: MIT */
/* The cases of each class of the histogram (powers of two) that a screen shows: the worst ones, and the worst
 * one that begins in each column of time.  So any part of a histogram can be selected without measuring
 * again, in memory that does not grow with the number of cases.  Private to src/analysis. */
#ifndef ANA_PARTS_H
#define ANA_PARTS_H

#include "analysis/latency/latency.h"

struct ana_parts;

/* Make parts by OPTIONS, whose columns is not 0. */
struct ana_parts *ana_parts_new(const struct ana_latency_options *options);
void ana_parts_free(struct ana_parts *parts);
void ana_parts_add(struct ana_parts *parts, const struct ana_latency_case *c);
/* One struct ana_latency_part for each bucket of HISTOGRAM.  The caller unrefs. */
GArray *ana_parts_copy(const struct ana_parts *parts, const GArray *histogram);

#endif
