/* SPDX-License-Identifier: MIT */
/* A first look at the packets of all hosts. */
#ifndef SYNC_SURVEY_H
#define SYNC_SURVEY_H

#include "sync/sync_match.h"

/*
 * How far the clock of each of N hosts is ahead, roughly, from that of the first among the hosts that have
 * packets in common, if only by way of others.  A new array of N, for sync_rough_free().
 */
struct sync_rough *sync_survey(const struct sync_source *sources, unsigned n);

#endif
