/* SPDX-License-Identifier: MIT */
/* The clocks of an experiment's hosts, found from the packets that they exchanged. */
#ifndef QRY_SYNC_H
#define QRY_SYNC_H

#include "query/qry_tracer.h"
#include "sync/sync_hosts.h"

struct base_progress;

/*
 * Find them; the first host is the reference.  The packets on LEAVE_OUT (NULL: none) are neither matched nor counted; then
 * the pairs found are not kept, so that who sent a packet is known as before.  Ends early, with a result worth nothing, when PROGRESS (NULL: never) is cancelled.
 */
struct sync_hosts *qry_sync_new(struct qry *q, const struct qry_tracer_flows *leave_out, struct base_progress *progress);

/* The other host that HOST may be too: two traces with the same host name; MDL_NONE when there is none before it. */
uint32_t qry_sync_namesake(const struct qry *q, uint32_t host);

#endif
