/* SPDX-License-Identifier: MIT */
/* Time that a guest's rows lose to their host: a thread on a CPU of the guest does not run while the virtual
 * CPU of that CPU is not inside the guest.  Private to src/query. */
#ifndef QRY_STEAL_H
#define QRY_STEAL_H

#include "index/table/reader.h"
#include "query/qry.h"

/* True if a virtual CPU may take time from ROW. */
bool qry_steal_concerns(struct qry *q, uint32_t row);
/* Set SUMS[i] to the sums of ROW before the shown time TIMES[i], for N times that do not step back. */
void qry_steal_sums(struct qry *q, uint32_t row, const int64_t *times, uint32_t n, struct idx_sums *sums);

#endif
