/* SPDX-License-Identifier: MIT */
/* How long what is kept waited: a sample, so that the older half of it can be told without sorting all. */
#ifndef SYNC_AGES_H
#define SYNC_AGES_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

struct sync_ages {
	GArray *sample; /* of int64_t, times of the walk */
	size_t rest;    /* bytes since the last one */
};

void sync_ages_begin(struct sync_ages *ages);
/* BYTES are kept since AT of the walk. */
void sync_ages_add(struct sync_ages *ages, int64_t at, size_t bytes);
/* The time at or before which half of all bytes are kept since.  INT64_MAX where there are too few to tell.
 * Ends the use of AGES. */
int64_t sync_ages_median(struct sync_ages *ages);

#endif
