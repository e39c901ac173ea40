/* SPDX-License-Identifier: MIT */
/* Files of perf record (perf.data): their tracepoint samples. */
#ifndef TRC_PERF_H
#define TRC_PERF_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/perf/trc_perf_head.h"

extern const struct trc_input_ops trc_perf_input;
extern const struct trc_source_ops trc_perf_ops;

/* ---- the survey ---- */

/* Examines the records of a perf.data: which CPUs have records, and where the file can be split into blocks.
 * A separate thread does it somewhat ahead of the reader, and hands over its results only when the reader
 * asks for more: everything here belongs to the reader. */

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
/* Forget all entries but those of CPU: a reader of pages may be at another block on each of thousands of
 * CPUs. */
void trc_perf_list_keep(struct trc_perf_list *list, uint32_t cpu);
/* The entries of CPU, *N of them; weak. */
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

/* ---- records as model events, and as text ---- */

/* True if the recording has all events of A.  SOME_THREADS: only some threads were recorded. */
bool trc_perf_class_is_whole(const struct trc_perf_attr *a, bool some_threads);

/* Data that the model needs from the samples of each attr of H, which must outlive the result. */
struct trc_perf_classes;
struct trc_perf_classes *trc_perf_classes_new(const struct trc_perf_head *h, bool some_threads);
/* Return the first attr that has all switches; the end of the array of attrs if there is none. */
const struct trc_perf_attr *trc_perf_classes_switch(const struct trc_perf_classes *c);
void trc_perf_classes_free(struct trc_perf_classes *c);
/* Return the kind of the samples of A; MDL_EV_NONE if the model does not use them. */
enum mdl_kind trc_perf_class_kind(const struct trc_perf_classes *c, const struct trc_perf_attr *a);
/* Fill in EVENT, which was just added to Q, from SAMPLE, a record of A. */
void trc_perf_class_read(const struct trc_perf_classes *c, const struct trc_perf_attr *a, struct trc_queue *q,
	struct mdl_event *event, const struct trc_perf_sample *sample);

/* Return the TID of the thread that RECORD, a COMM, is about. */
int64_t trc_perf_class_tid(const struct trc_perf_record *record);
/* Fill in EVENT, an aside of Q, from RECORD, which is about a thread.  BEFORE: it describes the state before
 * the recording, not something that happens. */
void trc_perf_class_task(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *record,
	bool before);

/* Append the fields of SAMPLE, a record of A, to TO, and pass each to TAKER (may be NULL), as of
 * trc_paging_ops.fields; with the names that perf data convert uses. */
void trc_perf_class_fields(const struct trc_perf_attr *a, const struct trc_bytes *sample, GString *to,
	const struct trc_taker *taker);

#endif
