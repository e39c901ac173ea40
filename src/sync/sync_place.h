/* SPDX-License-Identifier: MIT */
/*
 * Where to show hosts whose clocks are unknown.  By their own times they may be minutes or years away from
 * the others, and then the view shows neither.  So wakepath aligns their starts.  That is a place on the axis
 * and not a clock: it says nothing about the order of events between these hosts.
 */
#ifndef SYNC_PLACE_H
#define SYNC_PLACE_H

#include "sync/sync_hosts.h"

/*
 * Set PLACED of each host that has no clock, is not set to show its own time, and does not overlap by its own
 * time any host that has a clock.  Its start moves to the start of the first host.  Hosts that overlap each
 * other by their own times keep their distances.  SPANS has one entry per host.  False if nothing was placed;
 * HOSTS is then unchanged.
 */
bool sync_place_starts(struct sync_hosts *hosts, const struct sync_span *spans);

/* ns to add to H's own times for display; 0 if H was not placed. */
int64_t sync_place_shift(const struct sync_host *h);

#endif
