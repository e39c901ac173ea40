/* SPDX-License-Identifier: MIT */
/* Where a trace really begins, when some of its events have no time. */
#ifndef TRC_FLOOR_H
#define TRC_FLOOR_H

#include "trace/ctf/trc_survey.h"

/* The time of the first event of S that has one, where others have none (they are at 0 of their clock);
 * BASE_TIME_NONE: all have. */
int64_t trc_floor_find(const struct trc_survey *s);

#endif
