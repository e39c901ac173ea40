/* SPDX-License-Identifier: MIT */
/*
 * Where hosts are shown of whose clocks nothing is known.  By their own times they may lie anywhere: minutes
 * or years from the others, which leaves nothing to be seen of either.  Then their starts are put together.
 * That is a place on the axis and no clock: no order between such hosts follows from it.
 */
#ifndef SYNC_PLACE_H
#define SYNC_PLACE_H

#include "sync/sync_hosts.h"

/*
 * Set PLACED of each of HOSTS that has no clock and that was not told to show its own time, where by its own
 * time it overlaps none that has one: its start comes to that of the first host.  Those that overlap each
 * other by their own times keep their distances. SPANS are those of the traces, one for each.  False: there
 * is none, and HOSTS is as it was.
 */
bool sync_place_starts(struct sync_hosts *hosts, const struct sync_span *spans);

/* ns that are added to H's own times so that it is shown there; 0 where it was not placed. */
int64_t sync_place_shift(const struct sync_host *h);

#endif
