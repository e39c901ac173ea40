/* SPDX-License-Identifier: MIT */
/*
 * A look at the records of a perf.data: of which CPU there are some, and where the file can be cut into
 * blocks.  It goes through the file some way before the reader does, of whose thread it is.
 */
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
	bool has_events;
	bool silent; /* it goes on after its last record */
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
	int64_t first, last; /* ns: of all events; LAST of those that were seen */
	struct trc_perf_walk *walk; /* owned: how far it has come; NULL: all was seen, what stands below is
				       known */
	uint64_t strangers;
	uint64_t elsewhere; /* records of CPUs that there should be none of */
	bool cut;           /* the rest cannot be read */
};

/* Of H, which is taken over: so much of it that CPUs, TASKS, FIRST, FOREIGN and SOME_THREADS are known, and
 * of ABSENT all but CPUs that came later. */
struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h);
void trc_perf_survey_free(void *survey);
/* Look at more of the file; false: all was seen. */
bool trc_perf_survey_more(struct trc_perf_survey *s);
/* The block with the number BLOCK, whole with all that are joined with it: bytes.  Returns the number of the
 * next one. */
uint32_t trc_perf_survey_block(struct trc_perf_survey *s, uint32_t block, uint64_t *offset, uint64_t *size);
/* ns: when the last event may be, before all was seen. */
int64_t trc_perf_survey_guess(const struct trc_perf_survey *s);

#endif
