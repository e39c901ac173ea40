/* SPDX-License-Identifier: MIT */
/*
 * What bounds a clock that one line does not hold: it has changed its pace, so the lines that fit its parts
 * say less than they seem to.
 *
 * All that is taken for granted is that no message arrives before it was sent, and that the pace of the clock
 * is never more than SYNC_RATE_MAX off (an NTP slew is 500 ppm).  So at each message the clock is above, or
 * below, what that says, and from there it can go away with that rate only.  Where the clock stepped, between
 * two lines, either of them may hold (sync_bounds_at()).  A step that is smaller than the quickest round trip
 * is no step to packets; it is known from the next ones on.
 */
#ifndef SYNC_WANDER_H
#define SYNC_WANDER_H

#include "sync/sync_fit.h"
#include "sync/sync_order.h"

struct sync_wander;

/* For a clock of the PIECES (of struct sync_piece, at least one), which outlive this. */
struct sync_wander *sync_wander_new(const GArray *pieces);
void sync_wander_free(struct sync_wander *wander);

/* All messages once more, in any order that they are found in. */
void sync_wander_add(struct sync_wander *wander, const struct sync_message *message);

/* No more come: bounds for each piece, in memory that does not depend on how many messages there were.  The
 * caller frees. */
GArray *sync_wander_finish(struct sync_wander *wander);

#endif
