/* SPDX-License-Identifier: MIT */
/*
 * One common begin for the rings of all CPUs: each was overwritten up to a different instant.
 *
 * If a CPU's ring was overwritten, its oldest page has a mark that events were lost before it
 * (RB_MISSED_EVENTS).  All CPUs are complete from the time of the newest such page on.  Older pages of other
 * CPUs are cut, and in the page that contains this instant the records before it.  The time of that page
 * becomes the time of the last record that was cut, because the deltas of the others count from there
 * (struct buffer_data_page in kernel/trace/ring_buffer.c).
 */
#include "record/rec_dat.h"

#include "base/base_io.h"

#include <string.h>
#include <unistd.h>

#define MISSED (UINT64_C(3) << 30) /* both flags */
#define LENGTH ((UINT64_C(1) << 27) - 1)
#define DELTA_BITS 27
#define STAMP_HIGH (UINT64_C(0x1f) << 59) /* bits that an absolute time lacks */

enum { BEHIND = 0, PADDING = 29, TIME_EXTEND, TIME_STAMP };

/* A page of a 64-bit kernel. */
struct page {
	uint64_t time;
	uint64_t commit;
	uint8_t data[];
};

static bool load_page(const struct rec_dat_cpu *c, uint64_t offset, struct page *p, size_t size)
{
	return offset < c->offset + c->size && pread(c->fd, p, size, (off_t)offset) == (ssize_t)size;
}

/* Return the size of the record at AT, bytes; *TIME advances to its time. */
static size_t step_record(const uint8_t *at, size_t room, uint64_t *time)
{
	uint32_t head, more = 0;
	unsigned type;
	uint64_t delta;

	memcpy(&head, at, sizeof head);
	type = G_BYTE_ORDER == G_BIG_ENDIAN ? head >> DELTA_BITS : head & 31;
	delta = G_BYTE_ORDER == G_BIG_ENDIAN ? head & ((1u << DELTA_BITS) - 1) : head >> 5;
	if (room >= 8)
		memcpy(&more, at + 4, sizeof more);
	switch (type) {
	case PADDING: *time += delta; return delta == 0 ? room : 4 + (size_t)more;
	case TIME_EXTEND: *time += ((uint64_t)more << DELTA_BITS) + delta; return 8;
	case TIME_STAMP: *time = (*time & STAMP_HIGH) | (((uint64_t)more << DELTA_BITS) + delta); return 8;
	case BEHIND: *time += delta; return 4 + (((size_t)more + 3) & ~(size_t)3);
	default: *time += delta; return 4 + (size_t)type * 4;
	}
}

/* Remove the records of P before BEGIN. */
static void cut_page(struct page *p, uint64_t begin)
{
	size_t length = p->commit & LENGTH, at = 0, size = 0;
	uint64_t time = p->time, before = p->time;

	for (; at < length; at += size) {
		before = time;
		size = step_record(p->data + at, length - at, &time);
		if (time >= begin || size == 0 || size > length - at)
			break;
	}
	at = MIN(at, length);
	memmove(p->data, p->data + at, length - at);
	p->commit = length - at;
	p->time = at < length ? before : time;
}

/* Remove the pages and records of C before BEGIN. */
static void cut_cpu(struct rec_dat_cpu *c, uint64_t begin, size_t page_size)
{
	struct page *p = g_malloc(page_size), next;

	while (load_page(c, c->offset + page_size, &next, sizeof next) && next.time <= begin) {
		c->offset += page_size;
		c->size -= page_size;
	}
	if (load_page(c, c->offset, p, page_size) && (p->commit & LENGTH) <= page_size - sizeof *p) {
		cut_page(p, begin);
		/* The file is wakepath's own copy of the pages; later it is read from OFFSET on. */
		if (!base_io_write(c->fd, p, page_size, c->offset) || p->commit == 0) {
			c->offset += page_size;
			c->size -= page_size;
		}
	}
	g_free(p);
}

uint64_t rec_drain_cut(struct rec_drain *d)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	unsigned count = rec_drain_count(d);
	struct rec_dat_cpu *cpus = rec_drain_cpus(d);
	uint64_t begin = 0;
	struct page first;

	/* On 32 bits each CPU keeps its own begin, with the marks of lost events. */
	for (unsigned i = 0; i < count && sizeof(long) == 8; i++)
		if (load_page(&cpus[i], cpus[i].offset, &first, sizeof first) && first.commit & MISSED)
			begin = MAX(begin, first.time);
	for (unsigned i = 0; i < count && begin > 0; i++)
		if (cpus[i].size > 0)
			cut_cpu(&cpus[i], begin, page_size);
	return begin;
}
