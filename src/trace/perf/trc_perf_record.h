/* SPDX-License-Identifier: MIT */
/* The records of a perf.data, one behind the other (enum perf_event_type in include/uapi/linux/perf_event.h,
 * and those of perf's own in tools/lib/perf/include/perf/event.h). */
#ifndef TRC_PERF_RECORD_H
#define TRC_PERF_RECORD_H

#include "trace/tracefs/trc_bytes.h"

#define TRC_PERF_HEAD 8 /* bytes of a record before what it holds */

/* A record: struct perf_event_header, and what follows. */
struct trc_perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;       /* of it in the file, or in what was unpacked of it */
	struct trc_bytes data; /* with its head */
};

enum {
	TRC_PERF_MMAP = 1,
	TRC_PERF_LOST = 2,
	TRC_PERF_COMM = 3,
	TRC_PERF_FORK = 7,
	TRC_PERF_SAMPLE = 9,
	TRC_PERF_MMAP2 = 10,
	TRC_PERF_LOST_SAMPLES = 13,
	TRC_PERF_ATTR = 64,
	TRC_PERF_TRACING_DATA = 66,
	TRC_PERF_FINISHED_ROUND = 68,
	TRC_PERF_ID_INDEX = 69,
	TRC_PERF_AUXTRACE = 71,
	TRC_PERF_FEATURE = 80,
	TRC_PERF_COMPRESSED = 81,
	TRC_PERF_COMPRESSED2 = 83
};

#define TRC_PERF_COMM_EXEC (1 << 13) /* of the misc of COMM: by exec */

/*
 * The record at *AT in B, up to END, and *AT behind it and the data that some have behind them.  False: there
 * is none, and *AT is not END where there should be one.
 */
bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record);

#endif
