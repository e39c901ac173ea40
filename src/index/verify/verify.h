/* SPDX-License-Identifier: MIT */
/* Check a whole index, a whole file of packets or of spans, block by block. */
#ifndef IDX_VERIFY_H
#define IDX_VERIFY_H

#include "index/table/reader.h"

/* Counts of what was checked. */
struct idx_verify_totals {
	uint64_t bytes; /* size of the file */
	uint64_t blocks, intervals, wakeups, packets, causes, transfers;
	uint64_t counted; /* records of what threads counted */
	uint64_t pairs;   /* packets that one host sent and another received; only in a file of packets */
	uint64_t spans;   /* only in a file of spans */
	uint64_t findings;
};

/* Receives each finding: one line that says what is wrong and where. */
typedef void (*idx_verify_report)(void *data, const char *finding);

/* Check the index file PATH: header, tables, every block of every series, and that they agree with each
 * other.  FINGERPRINT is the trace's (NULL: any).  Fills in *TOTALS.  True if nothing was found. */
bool idx_verify(const char *path, const char *fingerprint, idx_verify_report report, void *data,
	struct idx_verify_totals *totals);

/*
 * Check the file of packets PATH: header, tables, every block; that numbers and times ascend; that hosts and
 * packets exist. READERS are the N open indexes that it must belong to, in the order of the experiment; each
 * packet must be sent and received in them at the time in the file. NULL: do not check that. Fills in
 * *TOTALS. True if nothing was found.
 */
bool idx_verify_pairs(const char *path, struct idx_reader *const *readers, uint32_t n,
	idx_verify_report report, void *data, struct idx_verify_totals *totals);

/* Check the file PATH, which belongs to INDEX (NULL: to any), block by block up to the first damaged one;
 * also that statistics and the longest match the spans.  Fills in *TOTALS.  True if nothing was found. */
bool idx_spans_verify(const char *path, struct idx_reader *index, idx_verify_report report, void *data,
	struct idx_verify_totals *totals);

#endif
