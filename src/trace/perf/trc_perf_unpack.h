/* SPDX-License-Identifier: MIT */
/* perf record -z: records within records, compressed with zstd as one stream (tools/perf/util/zstd.c).  perf
 * record --threads: one file per thread, each with a stream of its own. */
#ifndef TRC_PERF_UNPACK_H
#define TRC_PERF_UNPACK_H

#include "trace/core/trc_budget.h"
#include "trace/tracefs/trc_bytes.h"

/* The records of one file: in BYTES from BEGIN to END. */
struct trc_perf_part {
	struct trc_bytes bytes;
	uint64_t begin, end;
};

/*
 * Decompress the records of PARTS (of struct trc_perf_part, at least one), one behind the other, into a file
 * without a name: as many as are asked for and BUDGET has room for.  PARTS, their bytes and BUDGET must
 * outlive it.  NULL with BASE_ERROR_IO.
 */
struct trc_perf_unpack *trc_perf_unpack_new(const GArray *parts, struct trc_budget *budget, GError **error);
void trc_perf_unpack_free(struct trc_perf_unpack *u);

/* Decompress until there are TO bytes, or all, or the budget is spent.  False with BASE_ERROR_IO. */
bool trc_perf_unpack_to(struct trc_perf_unpack *u, uint64_t to, GError **error);
/* Return the records so far, *SIZE bytes: only complete ones.  The address stays valid when more are
 * added. */
const uint8_t *trc_perf_unpack_bytes(const struct trc_perf_unpack *u, uint64_t *size);
/* Return the file that has them, weak. */
int trc_perf_unpack_fd(const struct trc_perf_unpack *u);
/* Return the part of the compressed data that is decompressed, 0 to 1. */
double trc_perf_unpack_share(const struct trc_perf_unpack *u);
/* True if everything possible is decompressed; *CUT: the rest is damaged and left out. */
bool trc_perf_unpack_is_all(const struct trc_perf_unpack *u, bool *cut);

#endif
