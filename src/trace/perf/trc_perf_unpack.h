/* SPDX-License-Identifier: MIT */
/* perf record -z: records within records, compressed by zstd as one stream (tools/perf/util/zstd.c); perf
 * record
 * --threads: a file for each of its threads, with a stream of its own. */
#ifndef TRC_PERF_UNPACK_H
#define TRC_PERF_UNPACK_H

#include "trace/tracefs/trc_bytes.h"

/* A file's records: those of BYTES between BEGIN and END. */
struct trc_perf_part {
	struct trc_bytes bytes;
	uint64_t begin, end;
};

/*
 * The records of PARTS, of struct trc_perf_part, at least one, those that are compressed unpacked, one behind
 * the other in a file without a name: as many of them as were asked for.  PARTS and their bytes outlive it.
 * NULL with BASE_ERROR_IO.
 */
struct trc_perf_unpack *trc_perf_unpack_new(const GArray *parts, GError **error);
void trc_perf_unpack_free(struct trc_perf_unpack *u);

/* Unpack until there are TO bytes, or all.  False with BASE_ERROR_IO. */
bool trc_perf_unpack_to(struct trc_perf_unpack *u, uint64_t to, GError **error);
/* What is there, *SIZE bytes: whole records.  They stay where they are when there are more. */
const uint8_t *trc_perf_unpack_bytes(const struct trc_perf_unpack *u, uint64_t *size);
/* The file that has them, weak. */
int trc_perf_unpack_fd(const struct trc_perf_unpack *u);
/* Of what is compressed, how much was unpacked, 0 to 1. */
double trc_perf_unpack_share(const struct trc_perf_unpack *u);
/* All that can be is unpacked; *CUT: the rest is left out. */
bool trc_perf_unpack_is_all(const struct trc_perf_unpack *u, bool *cut);

#endif
