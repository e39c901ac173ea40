/* SPDX-License-Identifier: MIT */
/* perf record -z: records within records, compressed by zstd as one stream (tools/perf/util/zstd.c). */
#ifndef TRC_PERF_UNPACK_H
#define TRC_PERF_UNPACK_H

#include "trace/tracefs/trc_bytes.h"

/*
 * The records of B between BEGIN and END, those that are compressed unpacked, one behind the other in a file
 * without a name; the caller unrefs it.  *CUT: not all can be unpacked, the rest is left out.  NULL with
 * BASE_ERROR_IO.
 */
GMappedFile *trc_perf_unpack(const struct trc_bytes *b, uint64_t begin, uint64_t end, bool *cut,
	GError **error);

#endif
