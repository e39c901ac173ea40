/* SPDX-License-Identifier: MIT */
/* Cumulative time per state of a row at many instants at once. */
#ifndef IDX_SCAN_H
#define IDX_SCAN_H

#include "index/idx_node.h"
#include "index/idx_reader.h"

/* SUMS[i] becomes what lies in SERIES before TIMES[i], for N instants that do not step back; nothing where it
 * is empty or damaged. */
void idx_scan_sums(const struct idx_series *series, const int64_t *times, uint32_t n, struct idx_sums *sums);

#endif
