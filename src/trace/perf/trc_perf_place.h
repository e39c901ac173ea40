/* SPDX-License-Identifier: MIT */
/* The use of a record of perf.data, and its time and CPU. */
#ifndef TRC_PERF_PLACE_H
#define TRC_PERF_PLACE_H

#include "trace/perf/trc_perf_head.h"

#define TRC_PERF_CPUS_MAX 8192 /* of any kernel (NR_CPUS) */

/* The use of a record. */
enum trc_perf_use {
	TRC_PERF_NO_USE,
	TRC_PERF_EVENT,   /* a tracepoint sample */
	TRC_PERF_ASIDE,   /* has a time, and is about threads or losses */
	TRC_PERF_TASK,    /* is about a thread, without a time: the state before the recording */
	TRC_PERF_STRANGER /* a sample of an event that the file does not define */
};

struct trc_perf_place {
	int64_t time; /* ns, of the clock that is shown */
	uint32_t cpu;
	const struct trc_perf_attr *attr; /* of an EVENT */
};

/* Return the use of R; for EVENT and ASIDE, *PLACE receives its place. */
enum trc_perf_use trc_perf_place(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place);

/* Return the thread during which R, an ASIDE, was written; -1 if unknown. */
int64_t trc_perf_place_tid(const struct trc_perf_head *h, const struct trc_perf_record *r);

/* Return the CPU on which *LOST events were lost, from R, a LOST_SAMPLES: perf found them in its counters at
 * the end.  TRC_PERF_CPUS_MAX if the CPU is unknown, or if the events are none that are read here. */
uint32_t trc_perf_place_told(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t *lost);

#endif
