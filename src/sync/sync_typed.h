/* SPDX-License-Identifier: MIT */
/* Clocks that a person sets: none at all, or a host's own and an offset.  For those who make a struct
 * sync_hosts, before it is shared. */
#ifndef SYNC_TYPED_H
#define SYNC_TYPED_H

#include "sync/sync_hosts.h"

/* A copy of HOSTS, to be changed, in which no host is placed; the caller has the one reference to it. */
struct sync_hosts *sync_typed_copy(const struct sync_hosts *hosts);

/* N hosts of which nothing is known but their own clocks.  The caller has the one reference to it. */
struct sync_hosts *sync_typed_none(unsigned n);

/* Take all clocks but the first one's out of HOSTS; what was counted stays. */
void sync_typed_take_out(struct sync_hosts *hosts);

/* Count packets in HOSTS as in COUNTED, which are the same hosts by other clocks. */
void sync_typed_count_as(struct sync_hosts *hosts, const struct sync_hosts *counted);

/*
 * Set clocks as TEXT tells, "HOST=OFFSET,HOST=OFFSET…": the host's own and a duration with a sign, such as
 * "db=-2.5ms".  NAMES are those of HOSTS. Their errors are not known then, nor are those of hosts that are
 * reached by way of them.  BASE_ERROR_USAGE, and nothing was set, when TEXT is not of that kind, or names no
 * host, one twice, or the first one, whose clock is the one shown.
 */
bool sync_typed_set(struct sync_hosts *hosts, const char *const *names, const char *text, GError **error);

#endif
