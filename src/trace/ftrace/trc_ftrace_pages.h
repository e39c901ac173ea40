/* SPDX-License-Identifier: MIT */
/* The pages of the kernel's ring buffer, and the records in them (kernel/trace/ring_buffer.c). */
#ifndef TRC_FTRACE_PAGES_H
#define TRC_FTRACE_PAGES_H

#include "trace/ftrace/trc_ftrace_head.h"

/* A page.  What does not fit ends it. */
struct trc_ftrace_page {
	uint64_t offset; /* of it in the stream, unpacked */
	uint64_t time;   /* cycles: when it began */
	bool has_lost;   /* events were lost before it: */
	uint64_t lost;   /* how many, 0: not told */
	bool damaged;    /* it does not hold what it says */
	struct trc_bytes records;
};

/* A record. */
struct trc_ftrace_record {
	uint64_t time;   /* cycles */
	uint32_t offset; /* of its data in the page */
	struct trc_bytes data;
};

/* Somebody who reads the pages of a stream, each after the other. */
struct trc_ftrace_pages;
struct trc_ftrace_pages *trc_ftrace_pages_new(const struct trc_ftrace_head *h,
	const struct trc_ftrace_stream *s);
void trc_ftrace_pages_free(struct trc_ftrace_pages *p);
/* How many there are. */
uint64_t trc_ftrace_pages_count(const struct trc_ftrace_pages *p);
/* Go to the page at OFFSET, a multiple of their size. */
void trc_ftrace_pages_seek(struct trc_ftrace_pages *p, uint64_t offset);
/* The next page, good until the next call; false: no more, *CUT: though there should be. */
bool trc_ftrace_pages_next(struct trc_ftrace_pages *p, struct trc_ftrace_page *page, bool *cut);
/* The next record with data of PAGE; false: no more. */
bool trc_ftrace_page_next(struct trc_ftrace_page *page, struct trc_ftrace_record *record);

#endif
