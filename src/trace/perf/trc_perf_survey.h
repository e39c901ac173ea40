/* SPDX-License-Identifier: MIT */
/* Examines the records of a perf.data: which CPUs have records, and where the file can be split into blocks.
 * A separate thread does it somewhat ahead of the reader, and hands over its results only when the reader
 * asks for more: everything here belongs to the reader. */
#ifndef TRC_PERF_SURVEY_H
#define TRC_PERF_SURVEY_H

#include "trace/perf/trc_perf_place.h"

/* Bytes of the file: OFFSET, SIZE. */
struct trc_perf_block {
	uint64_t offset, size;
};

struct trc_perf_cpu {
	uint32_t cpu;
	GArray *blocks; /* of struct trc_perf_block: the blocks known so far that have its records */
	/* lost events, by the records in its blocks, and by those at the end of the file */
	uint64_t lost, told;
	bool silent; /* its recording continues after its last record */
};

struct trc_perf_survey {
	struct trc_perf_head *head; /* owned */
	GPtrArray *cpus;            /* of struct trc_perf_cpu *, owned, ascending */
	GArray *tasks;              /* of uint64_t: places of the records that are TRC_PERF_TASK */
	GArray *absent;             /* of uint32_t: CPUs that were not recorded */
	/* perf ran in a PID namespace: its numbers of threads and processes are not the kernel's */
	bool foreign;
	bool some_threads;     /* only some threads were recorded */
	int64_t first, last;   /* ns: of all events seen so far, … */
	int64_t guess;         /* … and the estimated time of the last one */
	const GError *problem; /* weak: why no more can be read; NULL: all can */
	/* owned: the unfinished examination; NULL: it is complete, and the members below, and LOST, TOLD and
	 * SILENT of each CPU, are known */
	struct trc_perf_walk *walk;
	uint64_t strangers;
	uint64_t elsewhere; /* records of CPUs that should have none */
	bool cut;           /* the rest cannot be read */
};

/* Examine H, which is taken, until CPUS, TASKS, FIRST, FOREIGN and SOME_THREADS are known, and ABSENT except
 * for CPUs that appear later. */
struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h);
void trc_perf_survey_free(void *survey);
/* Take over the blocks found since the last call.  False if the examination is complete. */
bool trc_perf_survey_more(struct trc_perf_survey *s);

#endif
