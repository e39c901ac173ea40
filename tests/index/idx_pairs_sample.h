/* SPDX-License-Identifier: MIT */
/* Made-up packets between hosts. The test keeps in memory what it writes to a file of packets, and compares
 * what it reads back. */
#ifndef IDX_PAIRS_SAMPLE_H
#define IDX_PAIRS_SAMPLE_H

#include "index/pairs/pairs.h"

struct idx_pairs_sample {
	uint32_t n;
	struct idx_pairs_host *hosts;
	GArray **pairs; /* by receiver: of struct idx_pair */
	char *clocks;
};

/* N hosts, each of which received up to MOST packets of the others: mostly regular ones, now and then numbers
 * and times of any size. */
struct idx_pairs_sample *idx_pairs_sample_new(guint32 seed, uint32_t n, unsigned most);
void idx_pairs_sample_free(struct idx_pairs_sample *s);
/* Write it to PATH, the receivers mixed. */
void idx_pairs_sample_write(const struct idx_pairs_sample *s, const char *path);
/* NULL if P has the same packets, else the first difference (static text). A packet that P cannot read is a
 * difference. */
const char *idx_pairs_sample_compare(const struct idx_pairs_sample *s, struct idx_pairs *p);

#endif
