/* SPDX-License-Identifier: MIT */
/*
 * How it works: a look-up goes down the tree to the leaf that holds the instant
 * and sums the leaf's intervals up to it.  The next instant often lies in the
 * same leaf: then only what lies between is added.
 */
#include "index/idx_scan.h"

void idx_scan_init(struct idx_scan *scan, const struct idx_series *series)
{
	scan->series = *series;
	scan->open = false;
}

static bool go_to_leaf(struct idx_scan *scan, int64_t time)
{
	scan->open = idx_node_find_time(&scan->series, time, &scan->found) &&
		     idx_leaf_open(scan->found.block, scan->found.leaf.size, &scan->leaf);
	scan->at = 0;
	scan->length = scan->leaf.lengths;
	scan->time = scan->found.leaf.first;
	memcpy(scan->sums, scan->found.sums_before, sizeof scan->sums);
	return scan->open;
}

/* Step over all intervals of the leaf that end at or before TIME. */
static void advance(struct idx_scan *scan, int64_t time)
{
	const uint8_t *tags = scan->leaf.tags, *p = scan->length;
	uint64_t left = time > scan->time ? (uint64_t)time - (uint64_t)scan->time : 0, start = left;
	unsigned i = scan->at;

	while (i < scan->leaf.count) {
		unsigned tag = tags[i], code = tag >> IDX_TAG_LENGTH_SHIFT & 3;
		uint64_t length = idx_get64(p) & idx_length_mask[code];

		if (length > left)
			break;
		scan->sums[tag & IDX_TAG_STATE] += length;
		left -= length;
		p += idx_length_bytes[code];
		i++;
	}
	scan->time += (int64_t)(start - left);
	scan->length = p;
	scan->at = i;
}

void idx_scan_to(struct idx_scan *scan, int64_t time, struct idx_sums *sums)
{
	if ((!scan->open || time >= scan->found.next) && !go_to_leaf(scan, time)) {
		memset(sums, 0, sizeof *sums);
		return;
	}
	advance(scan, time);
	memcpy(sums->ns, scan->sums, sizeof sums->ns);
	sums->intervals = scan->found.count_before + scan->at;
	sums->cut = scan->at < scan->leaf.count && time > scan->time;
	if (sums->cut) {
		sums->ns[scan->leaf.tags[scan->at] & IDX_TAG_STATE] += (uint64_t)time - (uint64_t)scan->time;
		sums->intervals++;
	}
}
