/* SPDX-License-Identifier: MIT */
/* Constants of the file format and little-endian access. docs/index-format.md describes their meaning. */
#ifndef IDX_FORMAT_H
#define IDX_FORMAT_H

#include "model/event/types.h"

#include <glib.h>
#include <string.h>

#define IDX_MAGIC "WKPINDEX"
#define IDX_PAIRS_MAGIC "WKPPAIRS"
#define IDX_SPANS_MAGIC "WKPSPANS"
/* Also raise it if ingestion finds spans differently. */
#define IDX_SPANS_VERSION 19
/* Also raise it if packets are matched, or clocks found, differently. */
#define IDX_PAIRS_VERSION 11
#define IDX_SUMMARY_ENDING ".wpm" /* of the summary beside an index, which src/fleet makes of it */
#define IDX_HEADER_SIZE 128
/* Header fields of the end of a growing index (idx_out_branch()): the bytes in the file before those of the
 * index, and the offset in the index of the first of these. */
#define IDX_HEADER_LEAD 80
#define IDX_HEADER_FROM 88
#define IDX_HEADER_HASHED 120
#define IDX_TOC_ENTRY 32
#define IDX_ROW_SIZE 136
#define IDX_ROW_INTERVALS 56 /* a reference (IDX_REF_SIZE) in the record of a row */
#define IDX_ROW_WAKEUPS 88
#define IDX_CONTEXT_SIZE 16
#define IDX_NAME_SIZE 16
#define IDX_DEVICE_SIZE 8
#define IDX_PRIORITY_SIZE 16
#define IDX_IPI_WAIT_SIZE 56
#define IDX_COUNTS_SIZE 40 /* of a row that has counts: its number, a reference */
#define IDX_REF_SIZE 32
#define IDX_STREAM_SIZE 48 /* bytes of a stream in the chunk PKTS, after its first 8 bytes */
#define IDX_TAIL 8         /* zero bytes at the end of the file, so that an 8-byte load never crosses it */

#define IDX_BLOCK_HEAD 8
#define IDX_LEAF_INTERVALS 192
#define IDX_LEAF_HEAD (IDX_BLOCK_HEAD + 4) /* of a leaf of intervals */
#define IDX_LEAF_WAKEUPS 64
#define IDX_LEAF_TIMES 256
#define IDX_LEAF_PACKETS 64
#define IDX_LEAF_CAUSES 32
#define IDX_LEAF_TRANSFERS 64
#define IDX_LEAF_COUNTS 64
#define IDX_LEAF_PAIRS 128
#define IDX_NODE_CHILDREN 64
#define IDX_EVENT_STEP 64 /* the time of every 64th event is stored */
#define IDX_MAX_LEVEL 12  /* 64^12 leaves: more than any file holds */
#define IDX_MAX_BLOCK (1u << 20)

/* Offsets in a node: head, layout of its columns, then the columns (index/tree/node.c). */
#define IDX_NODE_TIME_WIDTH 8
#define IDX_NODE_COUNT_WIDTH 9
#define IDX_NODE_SUM_WIDTH 10
#define IDX_NODE_OFFSET_WIDTH 11
#define IDX_NODE_SIZE_WIDTH 12
#define IDX_NODE_FLAGS 13
/* The sum of the lowest state is not stored: it is the node's time minus the other sums. */
#define IDX_NODE_IMPLIED 0x01
#define IDX_NODE_TAIL_SHIFT 4 /* width of the tails in bytes; 0: no tails */
#define IDX_NODE_STATES 14    /* u16 */
#define IDX_NODE_BASE 16      /* u64: offset of the first child */
#define IDX_NODE_COLUMNS 24
/* Masks that cut an 8-byte load to 0 … 8 bytes. */
static const uint64_t idx_width_mask[9] = { 0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff,
	0xffffffffffff, 0xffffffffffffff, UINT64_MAX };

enum {
	IDX_KIND_INTERVALS = 'I',
	IDX_KIND_WAKEUPS = 'W',
	IDX_KIND_TIMES = 'E',
	IDX_KIND_PACKETS = 'P',
	IDX_KIND_CAUSES = 'C',
	IDX_KIND_TRANSFERS = 'T',
	IDX_KIND_PAIRS = 'M',
	IDX_KIND_SPANS = 'S',
	IDX_KIND_TEXTS = 'K',
	IDX_KIND_COUNTS = 'V',
	IDX_KIND_NODE = 'N'
};

/* Interval tags. */
#define IDX_TAG_STATE 0x0f
#define IDX_TAG_LENGTH_SHIFT 4
#define IDX_TAG_DETAIL 0x40
#define IDX_TAG_AUX 0x80
/* Bytes of a length, by its code, and the mask that cuts an 8-byte load to them. */
static const uint8_t idx_length_bytes[4] = { 2, 3, 4, 8 };
static const uint64_t idx_length_mask[4] = { 0xffff, 0xffffff, 0xffffffff, UINT64_MAX };

/* Wake-up flags. */
#define IDX_WAKE_VIA 0x03
#define IDX_WAKE_CONTEXTS_SHIFT 2
#define IDX_WAKE_CONTEXTS 0x07 /* after the shift */
#define IDX_WAKE_CAUSE 0x20
#define IDX_WAKE_SAME_CPU 0x40
#define IDX_WAKE_RAN 0x80

/* A block as its parent describes it. */
struct idx_child {
	uint64_t offset;   /* 0: no block, the series is empty */
	uint32_t size;     /* bytes */
	uint32_t checksum; /* low half of XXH3-64 */
	uint64_t count;    /* records in it or below it */
	int64_t first;     /* begin of its first record, ns */
	int64_t end;       /* end of its last record, ns */
	/* Series of intervals: ns per state.  Other series: counts, see IDX_WAKE_EMPTY,
	 * IDX_PACKETS_EVENTS and IDX_COUNTS_TIME; else 0. */
	uint64_t sums[16];
	uint64_t tail; /* leaves of intervals: length of the last one << 4 | its state; 0 unknown */
};

/* A reference to the top block of a series in the file: an idx_child without end and sums. */
struct idx_ref {
	uint64_t offset, count;
	uint32_t size, checksum;
	int64_t first;
};

static inline void idx_put16(uint8_t *p, uint16_t v)
{
	v = GUINT16_TO_LE(v);
	memcpy(p, &v, sizeof v);
}

static inline void idx_put32(uint8_t *p, uint32_t v)
{
	v = GUINT32_TO_LE(v);
	memcpy(p, &v, sizeof v);
}

static inline void idx_put64(uint8_t *p, uint64_t v)
{
	v = GUINT64_TO_LE(v);
	memcpy(p, &v, sizeof v);
}

static inline uint16_t idx_get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return GUINT16_FROM_LE(v);
}

static inline uint32_t idx_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return GUINT32_FROM_LE(v);
}

static inline uint64_t idx_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return GUINT64_FROM_LE(v);
}

/* Write or read IDX_REF_SIZE bytes at P. */
static inline void idx_put_ref(uint8_t *p, const struct idx_child *top)
{
	idx_put64(p, top->offset);
	idx_put32(p + 8, top->size);
	idx_put32(p + 12, top->checksum);
	idx_put64(p + 16, top->count);
	idx_put64(p + 24, (uint64_t)top->first);
}

static inline struct idx_ref idx_get_ref(const uint8_t *p)
{
	return (struct idx_ref){
		.offset = idx_get64(p),
		.size = idx_get32(p + 8),
		.checksum = idx_get32(p + 12),
		.count = idx_get64(p + 16),
		.first = (int64_t)idx_get64(p + 24),
	};
}

static inline struct idx_child idx_child_of(const struct idx_ref *ref)
{
	return (struct idx_child){ .offset = ref->offset,
		.size = ref->size,
		.checksum = ref->checksum,
		.count = ref->count,
		.first = ref->first };
}

/* The least bytes of a record in leaves of these kinds. */
enum {
	IDX_LEAST_INTERVAL = 3,
	IDX_LEAST_WAKEUP = 6,
	IDX_LEAST_TIME = 1,
	IDX_LEAST_PACKET = 6,
	IDX_LEAST_CAUSE = 5,
	IDX_LEAST_TRANSFER = 7,
	IDX_LEAST_PAIR = 4,
	IDX_LEAST_SPAN = 5,
	IDX_LEAST_COUNTS = 3
};

/* Take COUNT records of at least LEAST bytes from the *LEFT bytes of a file.  False if they do not fit: a
 * file that claims more records than it can hold would make readers walk, and use memory, without end. */
static inline bool idx_take(uint64_t *left, uint64_t count, unsigned least)
{
	if (count > *left / least)
		return false;
	*left -= count * least;
	return true;
}

/* Like idx_take(), for the series below TOP.  Also false if only one of its place and its count is 0. */
static inline bool idx_take_count(uint64_t *left, const struct idx_ref *top, unsigned least)
{
	return (top->offset == 0) == (top->count == 0) && idx_take(left, top->count, least);
}

#endif
