/* SPDX-License-Identifier: MIT */
/*
 * How it works: a page (struct buffer_data_page) has its time in 64 bits; a long with the bytes of records
 * and two flags about events lost before it (RB_MISSED_EVENTS; RB_MISSED_STORED: their number follows the
 * records); and records. A record begins with 32 bits: 5 for its type or length, 27 for the time since the
 * record before (enum ring_buffer_type, include/linux/ring_buffer.h).
 */
#include "trace/ftrace/trc_ftrace.h"

#define COMMIT_MASK ((UINT64_C(1) << 27) - 1)
#define MISSED (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define CHUNK_MAX (64 * 1024 * 1024) /* bytes, unpacked; trace-cmd makes chunks of ten pages */
#define DELTA_BITS 27
#define DELTA_MASK ((UINT32_C(1) << DELTA_BITS) - 1)
#define STAMP_HIGH (UINT64_C(0x1f) << 59) /* bits that an absolute time lacks (TS_MSB) */

enum { TYPE_LENGTH_BEHIND = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND, TYPE_TIME_STAMP };

/* A chunk of a packed stream. */
struct chunk {
	uint64_t offset;     /* of its first page in the unpacked stream */
	const uint8_t *data; /* weak */
	uint32_t size, room; /* bytes, packed and unpacked */
};

struct trc_ftrace_pages {
	const struct trc_ftrace_head *head;
	struct trc_bytes plain; /* not packed: the whole stream */
	GArray *chunks;         /* packed: of struct chunk */
	guint at_chunk;         /* the chunk that INSIDE has */
	uint8_t *inside;        /* owned: an unpacked chunk; NULL: none */
	uint64_t at;            /* offset of the next page in the unpacked stream */
	uint32_t page_size;
	bool packed, cut;
};

static void find_chunks(struct trc_ftrace_pages *p, struct trc_bytes b)
{
	uint64_t offset = 0, n = trc_bytes_take_number(&b, 4);

	for (; n > 0 && b.at < b.size; n--) {
		struct chunk c = { .offset = offset };

		c.size = (uint32_t)trc_bytes_take_number(&b, 4);
		c.room = (uint32_t)trc_bytes_take_number(&b, 4);
		c.data = trc_bytes_take(&b, c.size);
		if (!c.data || c.room == 0 || c.room > CHUNK_MAX)
			break;
		g_array_append_val(p->chunks, c);
		offset += c.room;
	}
	p->cut = n > 0;
}

struct trc_ftrace_pages *trc_ftrace_pages_new(const struct trc_ftrace_head *h,
	const struct trc_ftrace_stream *s)
{
	struct trc_ftrace_pages *p = g_new(struct trc_ftrace_pages, 1);
	struct trc_bytes all = h->bytes;

	/* The first versions of trace-cmd 3 wrote the size of a packed stream without the four bytes that
	 * have the number of its chunks (tracecmd_compress_copy_from(); trace-cmd's commit 4b9213298599). */
	all.at = s->offset;
	all = trc_bytes_take_bytes(&all, s->packed ? MIN(s->size + 4, all.size - all.at) : s->size);
	*p = (struct trc_ftrace_pages){ .head = h,
		.plain = all,
		.chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk)),
		.page_size = s->page_size,
		.packed = s->packed };
	if (p->packed)
		find_chunks(p, all);
	return p;
}

void trc_ftrace_pages_free(struct trc_ftrace_pages *p)
{
	g_array_unref(p->chunks);
	g_free(p->inside);
	g_free(p);
}

void trc_ftrace_pages_room(const struct trc_ftrace_pages *p, uint64_t *all, uint64_t *most)
{
	*all = *most = 0;
	for (guint i = 0; i < p->chunks->len; i++) {
		uint32_t room = g_array_index(p->chunks, struct chunk, i).room;

		*all += room;
		*most = MAX(*most, room);
	}
}

uint64_t trc_ftrace_pages_count(const struct trc_ftrace_pages *p)
{
	uint64_t all, most;

	trc_ftrace_pages_room(p, &all, &most);
	return (p->packed ? all : p->plain.size) / p->page_size;
}

void trc_ftrace_pages_seek(struct trc_ftrace_pages *p, uint64_t offset)
{
	p->at = offset;
}

/* True if OFFSET is in the current chunk. */
static bool in_chunk(const struct trc_ftrace_pages *p, uint64_t offset)
{
	struct chunk c = g_array_index(p->chunks, struct chunk, p->at_chunk);

	return offset >= c.offset && offset - c.offset < c.room;
}

/* Unpack the chunk that has OFFSET, unless it is unpacked. False if there is none or it is damaged. */
static bool ftrace_pages_unpack(struct trc_ftrace_pages *p, uint64_t offset)
{
	struct chunk c;

	if (p->inside && in_chunk(p, offset))
		return true;
	if (!p->inside || offset < g_array_index(p->chunks, struct chunk, p->at_chunk).offset)
		p->at_chunk = 0;
	g_clear_pointer(&p->inside, g_free);
	while (p->at_chunk < p->chunks->len && !in_chunk(p, offset))
		p->at_chunk++;
	if (p->at_chunk == p->chunks->len)
		return false;
	c = g_array_index(p->chunks, struct chunk, p->at_chunk);
	p->inside = g_malloc(c.room);
	if (trc_unpack(p->head->packing, c.data, c.size, p->inside, c.room))
		return true;
	g_clear_pointer(&p->inside, g_free);
	p->cut = true;
	return false;
}

/* Return the bytes of the next page; no data: there is none. */
static struct trc_bytes next_bytes(struct trc_ftrace_pages *p)
{
	struct trc_bytes b = p->plain;
	struct chunk c;

	b.at = p->at;
	if (p->packed) {
		if (!ftrace_pages_unpack(p, p->at))
			return (struct trc_bytes){ .data = NULL };
		c = g_array_index(p->chunks, struct chunk, p->at_chunk);
		b = (struct trc_bytes){ .data = p->inside,
			.size = c.room,
			.at = p->at - c.offset,
			.big = b.big };
	}
	if (b.at < b.size && b.size - b.at < p->page_size)
		p->cut = true;
	return trc_bytes_take_bytes(&b, p->page_size);
}

bool trc_ftrace_pages_next(struct trc_ftrace_pages *p, struct trc_ftrace_page *page, bool *cut)
{
	struct trc_bytes b = next_bytes(p);
	unsigned width = p->head->long_size;
	uint64_t commit, size;

	*cut = p->cut;
	if (!b.data)
		return false;
	*page = (struct trc_ftrace_page){ .offset = p->at };
	p->at += b.size;
	page->time = trc_bytes_take_number(&b, 8);
	commit = trc_bytes_take_number(&b, width);
	size = commit & COMMIT_MASK;
	page->damaged = size > b.size - b.at;
	page->has_lost = commit & MISSED;
	page->records = b;
	page->records.size = page->damaged ? b.size : b.at + size;
	if ((commit & MISSED) && (commit & MISSED_STORED) && !page->damaged) {
		b.at += size;
		page->lost = trc_bytes_take_number(&b, width);
	}
	return true;
}

/* Read what follows the head of a record of TYPE, DELTA after the record before, and advance the time. False
 * if the record has no data. */
static bool read_record(struct trc_ftrace_page *page, unsigned type, uint64_t delta, uint64_t *size)
{
	struct trc_bytes *b = &page->records;
	uint64_t more;

	switch (type) {
	case TYPE_PADDING:
		/* A discarded record or, if DELTA is 0, the rest of the page. */
		more = trc_bytes_take_number(b, 4);
		if (delta == 0)
			b->at = b->size;
		else
			trc_bytes_take(b, more >= 4 ? more - 4 : 0);
		page->time += delta;
		return false;
	case TYPE_TIME_EXTEND:
		page->time += (trc_bytes_take_number(b, 4) << DELTA_BITS) + delta;
		return false;
	case TYPE_TIME_STAMP:
		more = (trc_bytes_take_number(b, 4) << DELTA_BITS) + delta;
		page->time = (page->time & STAMP_HIGH) | more;
		return false;
	case TYPE_LENGTH_BEHIND:
		more = trc_bytes_take_number(b, 4);
		*size = more >= 4 ? (more - 4 + 3) & ~UINT64_C(3) : b->size;
		break;
	default: *size = (uint64_t)type * 4;
	}
	page->time += delta;
	return true;
}

bool trc_ftrace_page_next(struct trc_ftrace_page *page, struct trc_ftrace_record *record)
{
	struct trc_bytes *b = &page->records;

	while (b->at < b->size) {
		uint32_t head = (uint32_t)trc_bytes_take_number(b, 4);
		unsigned type = b->big ? head >> DELTA_BITS : head & 31;
		uint32_t delta = b->big ? head & DELTA_MASK : head >> 5;
		uint64_t size, at;

		if (b->at > b->size || !read_record(page, type, delta, &size))
			continue;
		at = b->at;
		record->time = page->time;
		record->offset = (uint32_t)at;
		record->data = trc_bytes_take_bytes(b, size);
		if (record->data.data)
			return true;
	}
	page->damaged |= b->at > b->size;
	return false;
}
