/* SPDX-License-Identifier: MIT */
#include "index/file/out.h"

#include <xxhash.h>

static void chunks_begin(struct idx_chunks *c)
{
	static const uint8_t zeros[8];

	idx_out_append(c->out, zeros, -idx_out_size(c->out) & 7);
}

static void enter(struct idx_chunks *c, const char *id, uint64_t offset, uint64_t size, uint64_t checksum)
{
	uint8_t *entry = c->toc + c->n * IDX_TOC_ENTRY;

	g_assert(c->n < IDX_CHUNKS_MAX);
	memset(entry, 0, IDX_TOC_ENTRY);
	memcpy(entry, id, 4);
	idx_put64(entry + 8, offset);
	idx_put64(entry + 16, size);
	idx_put64(entry + 24, checksum);
	c->n++;
}

void idx_chunks_put(struct idx_chunks *c, const char *id, const void *data, size_t size)
{
	chunks_begin(c);
	enter(c, id, idx_out_append(c->out, data, size), size, XXH3_64bits(data, size));
}

void idx_chunks_put_ref(struct idx_chunks *c, const char *id, const struct idx_child *top)
{
	uint8_t ref[IDX_REF_SIZE];

	idx_put_ref(ref, top);
	idx_chunks_put(c, id, ref, sizeof ref);
}

void idx_chunks_put_spilled(struct idx_chunks *c, const char *id, struct idx_spill *spill)
{
	XXH3_state_t *hash = XXH3_createState();
	uint64_t offset;
	const uint8_t *piece;
	size_t size;

	XXH3_64bits_reset(hash);
	chunks_begin(c);
	offset = idx_out_size(c->out);
	while ((piece = idx_spill_next(spill, &size))) {
		XXH3_64bits_update(hash, piece, size);
		idx_out_append(c->out, piece, size);
	}
	enter(c, id, offset, idx_spill_size(spill), XXH3_64bits_digest(hash));
	XXH3_freeState(hash);
}

static void make_header(uint8_t *h, const struct idx_chunks *c, const struct idx_map_kind *kind, uint64_t toc,
	const char *fingerprint)
{
	memset(h, 0, IDX_HEADER_SIZE);
	memcpy(h, kind->magic, 8);
	idx_put32(h + 8, kind->version);
	idx_put32(h + 12, IDX_HEADER_SIZE);
	idx_put64(h + 16, idx_out_size(c->out));
	idx_put64(h + 24, toc);
	idx_put32(h + 32, c->n);
	idx_put64(h + 40, XXH3_64bits(c->toc, (size_t)c->n * IDX_TOC_ENTRY));
	memcpy(h + 48, fingerprint, MIN(strlen(fingerprint), 32));
	idx_put64(h + IDX_HEADER_LEAD, idx_out_lead(c->out));
	idx_put64(h + IDX_HEADER_FROM, idx_out_from(c->out));
	idx_put64(h + IDX_HEADER_HASHED, XXH3_64bits(h, IDX_HEADER_HASHED));
}

bool idx_chunks_finish(struct idx_chunks *c, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error)
{
	static const uint8_t tail[IDX_TAIL];
	uint8_t header[IDX_HEADER_SIZE];
	uint64_t toc = idx_out_append(c->out, c->toc, (size_t)c->n * IDX_TOC_ENTRY);

	idx_out_append(c->out, tail, sizeof tail);
	make_header(header, c, kind, toc, fingerprint);
	return idx_out_publish(c->out, header, sizeof header, error);
}
