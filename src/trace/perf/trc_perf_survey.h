/* SPDX-License-Identifier: MIT */
/* A look at all records of a perf.data: of which CPU there are some, and where the file can be cut into
 * blocks. */
#ifndef TRC_PERF_SURVEY_H
#define TRC_PERF_SURVEY_H

#include "trace/perf/trc_perf_place.h"

#define TRC_PERF_TASKS_MAX 1000000

/* Records of a CPU in a block. */
struct trc_perf_part {
	uint32_t block;
	int64_t last; /* ns: of them and of those before */
};

struct trc_perf_cpu {
	uint32_t cpu;
	GArray *parts;       /* of struct trc_perf_part */
	uint64_t lost, told; /* events that were lost, by the records among them, and by those at the end */
	bool silent;         /* it goes on after its last record (trc_perf_silent.h) */
};

struct trc_perf_block {
	uint64_t offset; /* it ends where the next one begins */
	bool joined;     /* with the one before: the two are one */
};

struct trc_perf_survey {
	struct trc_perf_head *head; /* owned */
	GArray *blocks;             /* of struct trc_perf_block, and one behind them */
	GPtrArray *cpus;            /* of struct trc_perf_cpu *, owned, ascending */
	GArray *tasks;              /* of uint64_t: where the records are that are TASK */
	GArray *absent;             /* of uint32_t: CPUs that were not recorded */
	bool foreign;        /* perf ran in a namespace: its own numbers of threads and processes are not the
				kernel's */
	bool some_threads;   /* only what some threads did was recorded */
	int64_t first, last; /* ns: of all events */
	uint64_t strangers;
	bool cut; /* the rest cannot be read */
};

/* Of H, which is taken over. */
struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h);
void trc_perf_survey_free(void *survey);

#endif
