/* SPDX-License-Identifier: MIT */
/* Are numbers of one population, or of two?  Without a model of how they are distributed. */
#ifndef ANA_MODES_H
#define ANA_MODES_H

#include <glib.h>
#include <stdint.h>

struct ana_modes {
	/* How likely as clear a valley is where the density has one mode at most; 1: there is none. */
	double p;
	int64_t from, to; /* the widest gap in the valley: no number lies between; only where P < 1 */
};

/* Is there a valley in the density of the N numbers VALUES, which are in ascending order?  Costs n log n. */
struct ana_modes ana_modes_find(const int64_t *values, guint n);

/* The gap between neighbours that stands out most from those near it, for numbers of which there are too few
 * for that; all are above 0.  P is how likely one like it is where spacings vary smoothly.  Costs n. */
struct ana_modes ana_modes_gap(const int64_t *values, guint n);

#define ANA_MODES_TAIL_LEAST 200

/* More numbers among the largest than the tail around them foretells, of so many numbers at least.  P is how
 * likely as many are by chance.  The gap is the one below them.  Costs the same for any N. */
struct ana_modes ana_modes_tail(const int64_t *values, guint n);

/* Of few numbers, all above 0: the gap whose ratio is larger than all others by far, with two numbers above
 * it at least.  P is that of ana_modes_gap() of this gap; where there is none, FROM and TO are both 0.  In
 * one population there is one in 7 of 100 cases at most. */
struct ana_modes ana_modes_ratio(const int64_t *values, guint n);

/* MOST of the N numbers, evenly, less the first one, and those of a coarse clock spread over its ticks;
 * ascending. The caller frees. */
double *ana_modes_spread(const int64_t *values, guint n, guint most);

#endif
