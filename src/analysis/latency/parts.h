/* SPDX-License-Identifier: MIT */
/*
 * The cases of each class of the histogram in powers of two, as far as a screen shows them: the worst ones,
 * and the worst that begins in each column of time.  So any part of a histogram can be picked without
 * measuring again, in memory that does not grow with the number of cases.  Inside src/analysis.
 */
#ifndef ANA_PARTS_H
#define ANA_PARTS_H

#include "analysis/latency/latency.h"

struct ana_parts;

/* Parts as OPTIONS (columns is not 0) say. */
struct ana_parts *ana_parts_new(const struct ana_latency_options *options);
void ana_parts_free(struct ana_parts *parts);
void ana_parts_add(struct ana_parts *parts, const struct ana_latency_case *c);
/* For each bucket of HISTOGRAM a struct ana_latency_part.  The caller unrefs. */
GArray *ana_parts_copy(const struct ana_parts *parts, const GArray *histogram);

#endif
