/* SPDX-License-Identifier: MIT */
/* What the hosts' indexes tell of guests, for finding their clocks: private to src/query. */
#ifndef QRY_GUESTS_H
#define QRY_GUESTS_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "sync/sync_guests.h"
#include "trace/core/trc_info.h"

/* What recordings that were made together (trace-cmd record -A) say, for each host of Q.  The caller frees.
 */
struct trc_guests *qry_guests_told(const struct qry *q);
void qry_guests_told_free(const struct qry *q, struct trc_guests *told);
/* The host by whose clock the times of HOST are, as TOLD; MDL_NONE: by their own. */
uint32_t qry_guests_peer(const struct qry *q, const struct trc_guests *told, uint32_t host);

/* All virtual CPUs and CPUs of Q, which outlives it, with what is TOLD of them; NULL: there are no virtual
 * CPUs, or only one host.  PROGRESS (may be NULL) is asked whether to go on reading.  The caller frees. */
struct sync_guests *qry_guests_new(struct qry *q, const struct trc_guests *told,
	struct base_progress *progress);
void qry_guests_free(struct sync_guests *guests);

/* Add what the recording of HOST says of its guests, or of its clock, and the virtual CPUs' time inside the
 * guests that was found does not confirm: a line each, and what was used. */
void qry_guests_doubts(const struct qry *q, uint32_t host, GPtrArray *warnings);

#endif
