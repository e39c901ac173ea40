/* SPDX-License-Identifier: MIT */
/* Do two metadata describe the same packets and events? */
#ifndef TRC_TSDL_COMPARE_H
#define TRC_TSDL_COMPARE_H

#include "trace/tsdl/trc_tsdl.h"

/*
 * What of B is not in A, or is otherwise there, in a few words ("event 17"); the caller frees.  NULL:
 * nothing, so packets written with B can be read with A.  When the clock began by the time of day (its
 * offset) does not count: the cycles are the same.
 */
char *trc_tsdl_lacks(const struct trc_tsdl *a, const struct trc_tsdl *b);

#endif
