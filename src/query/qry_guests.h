/* SPDX-License-Identifier: MIT */
/* What the hosts' indexes tell of guests, for finding their clocks: private to src/query. */
#ifndef QRY_GUESTS_H
#define QRY_GUESTS_H

#include "query/qry.h"
#include "sync/sync_guests.h"

/* All virtual CPUs and CPUs of Q, which outlives it; NULL: there are no virtual CPUs, or only one host.  The
 * caller frees. */
struct sync_guests *qry_guests_new(struct qry *q);
void qry_guests_free(struct sync_guests *guests);

#endif
