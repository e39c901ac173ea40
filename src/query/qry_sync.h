/* SPDX-License-Identifier: MIT */
/* The clocks of an experiment's hosts, found from the packets that they exchanged. */
#ifndef QRY_SYNC_H
#define QRY_SYNC_H

#include "query/qry.h"
#include "sync/sync_hosts.h"

struct base_progress;

/* Find them; the first host is the reference.  Ends early, with a result worth nothing, when PROGRESS (NULL: never) is cancelled. */
struct sync_hosts *qry_sync_new(struct qry *q, struct base_progress *progress);

/* The other host that HOST may be too: two traces with the same host name; MDL_NONE when there is none before it. */
uint32_t qry_sync_namesake(const struct qry *q, uint32_t host);

#endif
