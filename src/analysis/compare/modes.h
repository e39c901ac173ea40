/* SPDX-License-Identifier: MIT */
/* Whether numbers come from one population or from two, without a model of how they are distributed. */
#ifndef ANA_MODES_H
#define ANA_MODES_H

#include <glib.h>
#include <stdint.h>

/* Two populations with a gap between them. */
struct ana_modes {
	double p;         /* how likely as clear a gap is in one population; 1: there is none */
	int64_t from, to; /* the gap: no number lies between; both 0 if there is none */
};

/* The clearest gap between two populations of the N numbers VALUES, which are in ascending order, or of their
 * logarithms.  Some numbers may lie in it: FROM and TO are the widest part without one.  Costs n log n. */
struct ana_modes ana_modes_find(const int64_t *values, guint n);

/* The gap of a few numbers, for which ana_modes_find() has too few: the one whose ratio is larger than all
 * others by far, with two numbers above it at least. */
struct ana_modes ana_modes_ratio(const int64_t *values, guint n);

#endif
