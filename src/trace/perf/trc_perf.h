/* SPDX-License-Identifier: MIT */
/* Files of perf record (perf.data): their tracepoint samples. */
#ifndef TRC_PERF_H
#define TRC_PERF_H

#include "trace/core/trc_input.h"
#include "trace/perf/trc_perf_head.h"

extern const struct trc_input_ops trc_perf_input;
extern const struct trc_source_ops trc_perf_ops;
bool trc_perf_cut(char *const *folders, struct trc_cut *cut, GError **error); /* trc_input_ops.cut */

/* ---- the survey ---- */

/* Examines the records of a perf.data: which CPUs have records, and where the file can be split into blocks.
 * A separate thread does this somewhat ahead of the reader. Its results are handed over only when the reader
 * asks for more, so everything here belongs to the reader's thread. */

/* Bytes of the file: OFFSET, SIZE. */
struct trc_perf_block {
	uint64_t offset, size;
};

struct trc_perf_cpu {
	uint32_t cpu;
	GArray *blocks; /* of struct trc_perf_block: the blocks known so far that have its records */
	/* lost events: counted by the records in its blocks; counted by the records at the end of the file */
	uint64_t lost, told;
	bool silent; /* the CPU ran on after its last record */
	/* with SILENT: because perf itself stopped recording this CPU first; it stops one CPU after the
	 * other */
	bool stopped;
};

struct trc_perf_survey {
	struct trc_perf_head *head; /* owned */
	GPtrArray *cpus;            /* of struct trc_perf_cpu *, owned, ascending */
	GArray *tasks;              /* of uint64_t: offsets of the records whose use is TRC_PERF_TASK */
	/* of struct trc_piece: places of the records for which trc_perf_is_common() is true; NULL: unknown */
	GArray *common;
	GArray *absent;      /* of uint32_t: CPUs that were not recorded */
	GHashTable *cgroups; /* owned: id of a cgroup → its path, hostile, which stays as long as this */
	/* perf ran in a PID namespace, so its numbers of threads and processes are not the kernel's */
	bool foreign;
	bool some_threads;     /* only some threads were recorded */
	int64_t first, last;   /* ns: first and last event surveyed so far, … */
	int64_t guess;         /* … and the estimated time of the last event of the file */
	const GError *problem; /* weak: why no more can be read; NULL: all can */
	/* Owned: the unfinished survey. NULL: it is complete. Only then COMMON, the members below, and LOST,
	 * TOLD and SILENT of each CPU are known. */
	struct trc_perf_walk *walk;
	uint64_t *counted; /* owned: samples of each attr that is a counter */
	uint64_t strangers;
	uint64_t elsewhere; /* records of CPUs that should have none */
	bool cut;           /* the rest cannot be read */
};

/* Survey H (taken over) until CPUS, TASKS, FIRST, FOREIGN and SOME_THREADS are known, and ABSENT except for
 * CPUs that show up later. */
struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h);
void trc_perf_survey_free(void *survey);
/* Take over the blocks found since the last call.  False if the examination is complete. */
bool trc_perf_survey_more(struct trc_perf_survey *s);

/* ---- the records of a block, per CPU and in time order ---- */

struct trc_perf_entry {
	int64_t time;                     /* ns */
	const struct trc_perf_attr *attr; /* of a sample; NULL: another record */
	uint32_t offset;                  /* bytes, of the record in the block */
	uint32_t cpu;
	uint32_t type;
	uint16_t misc, size; /* as in its header */
};

struct trc_perf_list;

/* Make the lists of the SIZE bytes of H from OFFSET on; the caller unrefs. */
struct trc_perf_list *trc_perf_list_new(const struct trc_perf_head *h, uint64_t offset, uint64_t size);
void trc_perf_list_unref(struct trc_perf_list *list);
/* Forget all entries except those of CPU, because a reader of pages may have another block open for each of
 * thousands of CPUs. */
void trc_perf_list_keep(struct trc_perf_list *list, uint32_t cpu);
/* Return the entries of CPU, *N of them; weak. */
const struct trc_perf_entry *trc_perf_list_of(const struct trc_perf_list *list, uint32_t cpu, unsigned *n);
/* Return the record of entry E. */
struct trc_perf_record trc_perf_list_record(const struct trc_perf_list *list, const struct trc_perf_entry *e);

/* A cache of the latest lists, shared by the CPUs whose records are in the same blocks. */
struct trc_perf_lists;
/* COPIES: there is memory for a copy of each block; else blocks are read from the mapped file. */
struct trc_perf_lists *trc_perf_lists_new(const struct trc_perf_head *h, bool copies);
void trc_perf_lists_free(struct trc_perf_lists *l);
/* Like trc_perf_list_new().  NULL if the records were decompressed and blocks were asked for too often. */
struct trc_perf_list *trc_perf_lists_get(struct trc_perf_lists *l, uint64_t offset, uint64_t size);
/* Return the budget, weak; its REFUSED says why a list was NULL. */
const struct trc_budget *trc_perf_lists_budget(const struct trc_perf_lists *l);

/* True if the recording has all events of A of the recorded threads. */
bool trc_perf_class_is_whole(const struct trc_perf_attr *a);
/* True if S has the events of some threads only, and their switches only when one of them leaves its CPU. */
bool trc_perf_class_is_away(const struct trc_perf_survey *s);

#endif
