/* SPDX-License-Identifier: MIT */
/* Pages of the kernel's ring buffer, and the records in them (kernel/trace/ring_buffer.c). */
#ifndef TRC_FTRACE_PAGES_H
#define TRC_FTRACE_PAGES_H

#include "trace/ftrace/trc_ftrace_head.h"

/* A page.  It ends early at a record that does not fit. */
struct trc_ftrace_page {
	uint64_t offset; /* bytes, in the uncompressed stream */
	uint64_t time;   /* cycles: its begin */
	bool has_lost;   /* events were lost before it; */
	uint64_t lost;   /* their number, 0: unknown */
	bool damaged;    /* its records do not fit */
	struct trc_bytes records;
};

/* A record. */
struct trc_ftrace_record {
	uint64_t time;   /* cycles */
	uint32_t offset; /* bytes, of its data in the page */
	struct trc_bytes data;
};

/* Reads the pages of a stream one after the other. */
struct trc_ftrace_pages;
struct trc_ftrace_pages *trc_ftrace_pages_new(const struct trc_ftrace_head *h,
	const struct trc_ftrace_stream *s);
void trc_ftrace_pages_free(struct trc_ftrace_pages *p);
/* Set *ALL to the bytes of its decompressed pages, and *MOST to those that are in memory at the same time; 0
 * if they are not compressed. */
void trc_ftrace_pages_room(const struct trc_ftrace_pages *p, uint64_t *all, uint64_t *most);
/* Return the number of pages. */
uint64_t trc_ftrace_pages_count(const struct trc_ftrace_pages *p);
/* Go to the page at OFFSET (bytes), a multiple of the page size. */
void trc_ftrace_pages_seek(struct trc_ftrace_pages *p, uint64_t offset);
/* Get the next page, valid until the next call.  False if there is none; *CUT is true then if the stream ends
 * too early. */
bool trc_ftrace_pages_next(struct trc_ftrace_pages *p, struct trc_ftrace_page *page, bool *cut);
/* Get the next record of PAGE that has data.  False if there is none. */
bool trc_ftrace_page_next(struct trc_ftrace_page *page, struct trc_ftrace_record *record);

#endif
