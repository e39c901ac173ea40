/* SPDX-License-Identifier: MIT */
/* What a record of perf.data is to us, and where it belongs. */
#ifndef TRC_PERF_PLACE_H
#define TRC_PERF_PLACE_H

#include "trace/perf/trc_perf_head.h"

#define TRC_PERF_CPUS_MAX 8192 /* of any kernel (NR_CPUS) */

/* What a record is to us. */
enum trc_perf_use {
	TRC_PERF_NO_USE,
	TRC_PERF_EVENT,   /* the sample of a tracepoint */
	TRC_PERF_ASIDE,   /* it has a time, and tells of threads or losses */
	TRC_PERF_TASK,    /* the same of threads, without a time: what there was before */
	TRC_PERF_STRANGER /* a sample of an event that the file does not know */
};

struct trc_perf_place {
	int64_t time; /* ns, of the clock that is shown */
	uint32_t cpu;
	const struct trc_perf_attr *attr; /* of EVENT */
};

/* What R is, and of EVENT and ASIDE where it belongs. */
enum trc_perf_use trc_perf_place(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place);

/* During which thread R, an ASIDE, was written; -1: it does not tell. */
int64_t trc_perf_place_tid(const struct trc_perf_head *h, const struct trc_perf_record *r);

/* R, a LOST_SAMPLES: on which CPU *LOST events were, as perf found when it read its counters at the end.
 * TRC_PERF_CPUS_MAX: it does not tell. */
uint32_t trc_perf_place_told(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t *lost);

#endif
