/* SPDX-License-Identifier: MIT */
/* The records of a block, per CPU and in time order. */
#ifndef TRC_PERF_LISTS_H
#define TRC_PERF_LISTS_H

#include "trace/perf/trc_perf_survey.h"

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

#endif
