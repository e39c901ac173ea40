/* SPDX-License-Identifier: MIT */
/* Checking a whole index, or a whole file of packets, block by block. */
#ifndef IDX_VERIFY_H
#define IDX_VERIFY_H

#include "index/idx_reader.h"

/* What was looked at. */
struct idx_verify_totals {
	uint64_t bytes; /* of the file */
	uint64_t blocks, intervals, wakeups, packets, causes, transfers;
	uint64_t pairs; /* packets that one host received and another sent; in a file of those only */
	uint64_t spans; /* in a file of those only */
	uint64_t findings;
};

/* Told each finding: one line, what and where. */
typedef void (*idx_verify_report)(void *data, const char *finding);

/*
 * Check all of the index file PATH: header, tables, every block of every
 * series, and that they agree with each other.  FINGERPRINT (NULL: any) is that of the
 * trace.  *TOTALS is filled in.  True when nothing was found.
 */
bool idx_verify(const char *path, const char *fingerprint, idx_verify_report report, void *data,
	struct idx_verify_totals *totals);

/*
 * Check all of the file PATH: header, tables, every block, that numbers and times rise and name hosts and
 * packets that are there.  READERS, N of them in the order of the experiment (NULL: none), are the open
 * indexes that it must belong to; then each packet must have been sent and received there when it says.
 * *TOTALS is filled in.  True when nothing was found.
 */
bool idx_verify_pairs(const char *path, struct idx_reader *const *readers, uint32_t n,
	idx_verify_report report, void *data, struct idx_verify_totals *totals);

#endif
