/* SPDX-License-Identifier: MIT */
/* Cumulative time per state of a row, asked at instants from left to right. */
#ifndef IDX_SCAN_H
#define IDX_SCAN_H

#include "index/idx_node.h"
#include "index/idx_reader.h"

struct idx_scan {
	struct idx_series series;
	bool open;			/* the members below are set */
	struct idx_found found;
	struct idx_leaf leaf;
	unsigned at;			/* the interval before which SUMS counts */
	const uint8_t *length;		/* its length's bytes */
	int64_t time;			/* where it begins */
	uint64_t sums[16];
};

void idx_scan_init(struct idx_scan *scan, const struct idx_series *series);

/* What lies before TIME, which must not be earlier than at the last call; nothing when the series is empty or damaged. */
void idx_scan_to(struct idx_scan *scan, int64_t time, struct idx_sums *sums);

#endif
