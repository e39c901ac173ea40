/* SPDX-License-Identifier: MIT */
/*
 * What a guest's rows lose to their host: a thread that has a CPU of the guest does not run while that CPU's
 * virtual CPU is not inside the guest.  Private to src/query.
 */
#ifndef QRY_STEAL_H
#define QRY_STEAL_H

#include "index/idx_reader.h"
#include "query/qry.h"

/* May a virtual CPU take time from ROW? */
bool qry_steal_concerns(struct qry *q, uint32_t row);
/* SUMS[i] becomes what lies in ROW before the shown time TIMES[i], for N times that do not step back. */
void qry_steal_sums(struct qry *q, uint32_t row, const int64_t *times, uint32_t n, struct idx_sums *sums);

#endif
