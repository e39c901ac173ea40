/* SPDX-License-Identifier: MIT */
/* Facts in the hosts' indexes about guests, for finding their clocks.  Private to src/query. */
#ifndef QRY_GUESTS_H
#define QRY_GUESTS_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "sync/sync_guests.h"
#include "trace/core/trc_info.h"

/* Facts about guests in recordings that were made together (trace-cmd record -A), one entry per host of Q.
 * The caller frees. */
struct trc_guests *qry_guests_told(const struct qry *q);
void qry_guests_told_free(const struct qry *q, struct trc_guests *told);
/* The host by whose clock the times of HOST were recorded, by TOLD; MDL_NONE: its own. */
uint32_t qry_guests_peer(const struct qry *q, const struct trc_guests *told, uint32_t host);

/* All virtual CPUs and CPUs of Q, which must outlive the result, with the facts TOLD.  NULL if there are no
 * virtual CPUs or only one host.  Reading ends early if PROGRESS (may be NULL) is cancelled.  The caller
 * frees. */
struct sync_guests *qry_guests_new(struct qry *q, const struct trc_guests *told,
	struct base_progress *progress);
void qry_guests_free(struct sync_guests *guests);

/* Add to WARNINGS one line per statement of HOST's recording, about its guests or its clock, that the virtual
 * CPUs' time inside the guests does not confirm, and what is used instead. */
void qry_guests_doubts(const struct qry *q, uint32_t host, GPtrArray *warnings);

#endif
