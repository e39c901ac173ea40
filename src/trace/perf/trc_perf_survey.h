/* SPDX-License-Identifier: MIT */
/*
 * A look at the records of a perf.data: of which CPU there are some, and where the file can be cut into
 * blocks.  It goes through the file some way before the reader does, in a thread of its own, and hands over
 * what it found only when the reader asks for more: all that is here is the reader's.
 */
#ifndef TRC_PERF_SURVEY_H
#define TRC_PERF_SURVEY_H

#include "trace/perf/trc_perf_place.h"

#define TRC_PERF_TASKS_MAX 1000000

/* Bytes of the file: OFFSET, SIZE. */
struct trc_perf_block {
	uint64_t offset, size;
};

struct trc_perf_cpu {
	uint32_t cpu;
	GArray *blocks; /* of struct trc_perf_block: those with records of it, as far as they are known */
	uint64_t lost, told; /* events that were lost, by the records among them, and by those at the end */
	bool silent;         /* it goes on after its last record */
};

struct trc_perf_survey {
	struct trc_perf_head *head; /* owned */
	GPtrArray *cpus;            /* of struct trc_perf_cpu *, owned, ascending */
	GArray *tasks;              /* of uint64_t: where the records are that are TASK */
	GArray *absent;             /* of uint32_t: CPUs that were not recorded */
	bool foreign;        /* perf ran in a namespace: its own numbers of threads and processes are not the
				kernel's */
	bool some_threads;   /* only what some threads did was recorded */
	int64_t first, last; /* ns: of all events, as far as they were seen … */
	int64_t guess;       /* … and when the last one may be */
	const GError *problem;      /* weak: why no more can be read; NULL: it can */
	struct trc_perf_walk *walk; /* owned: the look that goes on; NULL: all was seen, what stands below,
				       and of each CPU LOST, TOLD and SILENT, is known */
	uint64_t strangers;
	uint64_t elsewhere; /* records of CPUs that there should be none of */
	bool cut;           /* the rest cannot be read */
};

/* Of H, which is taken over: so much of it that CPUs, TASKS, FIRST, FOREIGN and SOME_THREADS are known, and
 * of ABSENT all but CPUs that came later. */
struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h);
void trc_perf_survey_free(void *survey);
/* Take over what was found since the last call: blocks of CPUs.  False: all was seen. */
bool trc_perf_survey_more(struct trc_perf_survey *s);

#endif
