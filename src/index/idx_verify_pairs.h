/* SPDX-License-Identifier: MIT */
/* Checking a whole file of packets, block by block, and against the indexes of its hosts. */
#ifndef IDX_VERIFY_PAIRS_H
#define IDX_VERIFY_PAIRS_H

#include "index/idx_reader.h"
#include "index/idx_verify.h"

/*
 * Check all of the file PATH: header, tables, every block, that numbers and times rise and name hosts and
 * packets that are there.  READERS, N of them in the order of the experiment (NULL: none), are the open
 * indexes that it must belong to; then each packet must have been sent and received there when it says.
 * *TOTALS is filled in.  True when nothing was found.
 */
bool idx_verify_pairs(const char *path, struct idx_reader *const *readers, uint32_t n,
	idx_verify_report report, void *data, struct idx_verify_totals *totals);

#endif
