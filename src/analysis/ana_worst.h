/* SPDX-License-Identifier: MIT */
/* The worst of many cases, kept in a bounded heap whose top is the least bad of them; inside src/analysis. */
#ifndef ANA_WORST_H
#define ANA_WORST_H

#include "analysis/ana_latency.h"

/* Longest first; ties by start, then by row, so that the list is always the same. */
int ana_worst_first(const void *a, const void *b);

/* Is a case of LATENCY one of the TOP worst, where HEAP (of struct ana_latency_case) has those so far? */
bool ana_worst_takes(const GArray *heap, uint32_t top, int64_t latency);
/* Keep C in HEAP, which begins empty, if it is one of the TOP worst. */
void ana_worst_keep(GArray *heap, uint32_t top, const struct ana_latency_case *c);

#endif
