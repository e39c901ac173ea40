/* SPDX-License-Identifier: MIT */
/* The records of a block, CPU by CPU, in the order of time. */
#ifndef TRC_PERF_LISTS_H
#define TRC_PERF_LISTS_H

#include "trace/perf/trc_perf_survey.h"

struct trc_perf_entry {
	int64_t time;                     /* ns */
	const struct trc_perf_attr *attr; /* of a sample; NULL: it is another record */
	uint32_t offset;                  /* of the record in the block */
	uint32_t cpu;
	uint32_t type;
	uint16_t misc, size; /* as its head has them */
};

struct trc_perf_list;

/* Of the bytes of H from OFFSET on, SIZE of them; the caller unrefs. */
struct trc_perf_list *trc_perf_list_new(const struct trc_perf_head *h, uint64_t offset, uint64_t size);
void trc_perf_list_unref(struct trc_perf_list *list);
/* The entries of CPU, *N of them; weak. */
const struct trc_perf_entry *trc_perf_list_of(const struct trc_perf_list *list, uint32_t cpu, unsigned *n);
/* The record of entry E. */
struct trc_perf_record trc_perf_list_record(const struct trc_perf_list *list, const struct trc_perf_entry *e);

/* The lists of blocks that were asked for last, which CPUs whose records are in the same blocks share. */
struct trc_perf_lists;
/* COPIES: there is memory for a copy of each block; else they are read where the file is mapped. */
struct trc_perf_lists *trc_perf_lists_new(const struct trc_perf_head *h, bool copies);
void trc_perf_lists_free(struct trc_perf_lists *l);
/* As trc_perf_list_new(). */
struct trc_perf_list *trc_perf_lists_get(struct trc_perf_lists *l, uint64_t offset, uint64_t size);

#endif
