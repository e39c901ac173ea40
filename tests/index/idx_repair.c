/* SPDX-License-Identifier: MIT */
/*
 * How it works: this follows docs/index-format.md without using the reader, and never reads outside of the
 * given bytes, whatever they are.
 */
#include "index/idx_repair.h"

#include "index/file/format.h"
#include "index/file/types.h"

#include <xxhash.h>

#define HOST_SIZE 80     /* of a host in HSTS */
#define HOST_MARK 48     /* its part that identifies the host */
#define BLOCKS_MAX 20000 /* a file may claim the same block again and again */

struct file {
	uint8_t *bytes;
	size_t size;
	unsigned budget; /* blocks that may still be followed */
	GArray *places;  /* every place met (struct idx_repair_place), or NULL */
};

static void note_place(const struct file *f, uint64_t at, uint64_t size)
{
	struct idx_repair_place place = { (size_t)at, (size_t)size };

	if (f->places && size > 0)
		g_array_append_val(f->places, place);
}

static bool inside(const struct file *f, uint64_t offset, uint64_t size)
{
	return offset >= IDX_HEADER_SIZE && offset <= f->size && size <= f->size - offset;
}

static uint32_t block_checksum(struct file *f, uint64_t offset, uint64_t size, unsigned depth);

static uint64_t number(const uint8_t *p, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Correct the children of the node at OFFSET. */
static void repair_node(struct file *f, uint64_t offset, uint64_t size, unsigned depth)
{
	uint8_t *block = f->bytes + offset;
	unsigned n = idx_get16(block + 2), sums, wide, narrow, step;
	uint64_t at;

	if (size < IDX_NODE_COLUMNS || block[IDX_NODE_OFFSET_WIDTH] > 8 || block[IDX_NODE_SIZE_WIDTH] > 8)
		return;
	wide = block[IDX_NODE_OFFSET_WIDTH];
	narrow = block[IDX_NODE_SIZE_WIDTH];
	step = wide + narrow + 4 + (block[IDX_NODE_FLAGS] >> IDX_NODE_TAIL_SHIFT);
	sums = (unsigned)__builtin_popcount(idx_get16(block + IDX_NODE_STATES)) -
		(block[IDX_NODE_FLAGS] & IDX_NODE_IMPLIED);
	at = IDX_NODE_COLUMNS +
		(n + 1) *
			((uint64_t)block[IDX_NODE_TIME_WIDTH] + block[IDX_NODE_COUNT_WIDTH] +
				(uint64_t)sums * block[IDX_NODE_SUM_WIDTH]);
	for (; n > 0 && at + step <= size; n--, at += step) {
		uint64_t child = idx_get64(block + IDX_NODE_BASE) + number(block + at, wide),
			 child_size = number(block + at + wide, narrow);

		if (inside(f, child, child_size))
			idx_put32(block + at + wide + narrow,
				block_checksum(f, child, child_size, depth + 1));
	}
}

static uint32_t block_checksum(struct file *f, uint64_t offset, uint64_t size, unsigned depth)
{
	note_place(f, offset, size);
	if (f->budget > 0 && depth < IDX_MAX_LEVEL && size >= IDX_BLOCK_HEAD &&
		f->bytes[offset] == IDX_KIND_NODE) {
		f->budget--;
		repair_node(f, offset, size, depth);
	}
	return (uint32_t)XXH3_64bits(f->bytes + offset, size);
}

static void repair_reference(struct file *f, uint8_t *ref)
{
	uint64_t offset = idx_get64(ref), size = idx_get32(ref + 8);

	if (inside(f, offset, size))
		idx_put32(ref + 12, block_checksum(f, offset, size, 0));
}

/* Repair the hosts of a file of packets, and the fingerprint in the header that is computed from them. */
static void repair_hosts(struct file *f, uint8_t *chunk, uint64_t size)
{
	uint64_t n = size / HOST_SIZE;
	uint8_t *marks = g_malloc(n * HOST_MARK + 1);
	XXH128_hash_t hash;
	char text[33];

	for (uint64_t i = 0; i < n; i++) {
		repair_reference(f, chunk + i * HOST_SIZE + HOST_MARK);
		memcpy(marks + i * HOST_MARK, chunk + i * HOST_SIZE, HOST_MARK);
	}
	hash = XXH3_128bits(marks, n * HOST_MARK);
	g_snprintf(text, sizeof text, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
		(guint64)hash.high64, (guint64)hash.low64);
	memcpy(f->bytes + 48, text, 32);
	g_free(marks);
}

#define LEAF_LINE 64 /* bytes of a leaf in LEAF */
#define TEXT_LINE 16 /* bytes of a block of texts in KEYS */

/* Repair the blocks of a file of latencies; CHUNK has LINE bytes for each. An outline has none of these
 * blocks. */
static void repair_lines(struct file *f, uint8_t *chunk, uint64_t size, uint64_t line)
{
	for (uint64_t i = 0; i + line <= size; i += line)
		if (idx_get32(chunk + i + 8) > 0)
			repair_reference(f, chunk + i);
}

static void repair_chunk(struct file *f, const uint8_t *id, uint8_t *chunk, uint64_t size)
{
	note_place(f, (uint64_t)(chunk - f->bytes), size);
	if (memcmp(id, "LEAF", 4) == 0) {
		repair_lines(f, chunk, size, LEAF_LINE);
	} else if (memcmp(id, "KEYS", 4) == 0) {
		repair_lines(f, chunk, size, TEXT_LINE);
	} else if (memcmp(id, "ROWS", 4) == 0) {
		for (uint64_t i = 0; i + IDX_ROW_SIZE <= size; i += IDX_ROW_SIZE) {
			repair_reference(f, chunk + i + 56);
			repair_reference(f, chunk + i + 88);
		}
	} else if ((memcmp(id, "EVNT", 4) == 0 || memcmp(id, "CAUS", 4) == 0 || memcmp(id, "PCKT", 4) == 0) &&
		size >= IDX_REF_SIZE) {
		repair_reference(f, chunk);
	} else if (memcmp(id, "HSTS", 4) == 0) {
		repair_hosts(f, chunk, size);
	} else if (memcmp(id, "PKTS", 4) == 0 && size >= 8) {
		for (uint64_t i = 8, n = idx_get64(chunk); n > 0 && i + IDX_STREAM_SIZE <= size;
			i += IDX_STREAM_SIZE, n--)
			repair_reference(f, chunk + i + 16);
	}
}

static void repair_toc(struct file *f, uint8_t *toc, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *e = toc + i * IDX_TOC_ENTRY;
		uint64_t offset = idx_get64(e + 8), size = idx_get64(e + 16);

		if (!inside(f, offset, size))
			continue;
		repair_chunk(f, e, f->bytes + offset, size);
		idx_put64(e + 24, XXH3_64bits(f->bytes + offset, size));
	}
}

static void repair(struct file *f, const struct idx_map_kind *kind)
{
	uint8_t *bytes = f->bytes;
	size_t size = f->size;
	uint64_t toc, n;

	if (size < IDX_HEADER_SIZE)
		return;
	note_place(f, 0, IDX_HEADER_SIZE);
	memcpy(bytes, kind->magic, 8);
	idx_put32(bytes + 8, kind->version);
	idx_put64(bytes + 16, size);
	toc = idx_get64(bytes + 24);
	n = idx_get32(bytes + 32);
	if (inside(f, toc, n * IDX_TOC_ENTRY)) {
		note_place(f, toc, n * IDX_TOC_ENTRY);
		repair_toc(f, bytes + toc, n);
		idx_put64(bytes + 40, XXH3_64bits(bytes + toc, n * IDX_TOC_ENTRY));
	}
	idx_put64(bytes + IDX_HEADER_HASHED, XXH3_64bits(bytes, IDX_HEADER_HASHED));
}

void idx_repair_checksums(uint8_t *bytes, size_t size, const struct idx_map_kind *kind)
{
	struct file f = { bytes, size, BLOCKS_MAX, NULL };

	repair(&f, kind);
}

GArray *idx_repair_places(uint8_t *bytes, size_t size, const struct idx_map_kind *kind)
{
	struct file f = { bytes, size, BLOCKS_MAX,
		g_array_new(FALSE, FALSE, sizeof(struct idx_repair_place)) };

	repair(&f, kind);
	return f.places;
}

size_t idx_repair_chunk(const uint8_t *bytes, size_t size, const char *id, size_t *chunk_size)
{
	size_t toc = (size_t)idx_get64(bytes + 24);

	for (uint32_t i = 0; i < idx_get32(bytes + 32); i++) {
		const uint8_t *e = bytes + toc + (size_t)i * IDX_TOC_ENTRY;

		g_assert_cmpuint(toc + (i + 1) * IDX_TOC_ENTRY, <=, size);
		if (memcmp(e, id, 4) != 0)
			continue;
		*chunk_size = (size_t)idx_get64(e + 16);
		return (size_t)idx_get64(e + 8);
	}
	return 0;
}
