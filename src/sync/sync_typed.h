/* SPDX-License-Identifier: MIT */
/* Clocks that a person sets: none at all, or the host's own plus an offset.  For code that makes a struct
 * sync_hosts, before others share it. */
#ifndef SYNC_TYPED_H
#define SYNC_TYPED_H

#include "sync/sync_hosts.h"

/* A copy of HOSTS to change, in which no host is placed.  The caller has the only reference. */
struct sync_hosts *sync_typed_copy(const struct sync_hosts *hosts);

/* N hosts that have only their own clocks.  The caller has the only reference. */
struct sync_hosts *sync_typed_none(unsigned n);

/* Remove all clocks except the first host's; counts stay. */
void sync_typed_take_out(struct sync_hosts *hosts);

/* Copy the packet counts of COUNTED, which are the same hosts by other clocks, to HOSTS. */
void sync_typed_count_as(struct sync_hosts *hosts, const struct sync_hosts *counted);

/*
 * Set clocks from TEXT, "HOST=OFFSET,HOST=OFFSET…": the host's own clock plus a duration with a sign, such as
 * "db=-2.5ms".  NAMES are the names of HOSTS.  The errors of these hosts, and of those that are reached by
 * way of them, are then unknown.  False with BASE_ERROR_USAGE, and nothing set, if TEXT has another form,
 * names an unknown host, one host twice, or the first host, whose clock is the one shown.
 */
bool sync_typed_set(struct sync_hosts *hosts, const char *const *names, const char *text, GError **error);

#endif
