/* SPDX-License-Identifier: MIT */
/* The end of a file: chunks, their table of contents, the header. docs/index-format.md describes the
 * bytes. */
#ifndef IDX_CHUNKS_H
#define IDX_CHUNKS_H

#include "index/file/map.h"
#include "index/file/out.h"
#include "index/file/spill.h"

/* The chunks of an index, in file order; see index/table/chunk_parts.h.  META is last because its length varies with
 * the digits of the build time: all other chunks keep their offsets. */
#define IDX_CHUNKS(C) \
	C(rows)       \
	C(times)      \
	C(strings) C(contexts) C(names) C(priorities) C(streams) C(causes) C(transfers) C(devices) C(meta)
enum {
#define IDX_CHUNK_ID(name) IDX_CHUNK_##name,
	IDX_CHUNKS(IDX_CHUNK_ID)
#undef IDX_CHUNK_ID
		IDX_CHUNKS_MAX
};

/* Chunks written after the blocks in OUT. */
struct idx_chunks {
	struct idx_out *out; /* weak */
	unsigned n;
	uint8_t toc[IDX_CHUNKS_MAX * IDX_TOC_ENTRY];
};

/* Write chunk ID (4 characters). */
void idx_chunks_put(struct idx_chunks *c, const char *id, const void *data, size_t size);
/* Write what was spilled as chunk ID. */
void idx_chunks_put_spilled(struct idx_chunks *c, const char *id, struct idx_spill *spill);
/* Write chunk ID, which is only a reference to the series below TOP. */
void idx_chunks_put_ref(struct idx_chunks *c, const char *id, const struct idx_child *top);
/* Write table of contents, tail and header of a file of KIND with FINGERPRINT (32 hex digits), and put the
 * file in place (idx_out_publish()). */
bool idx_chunks_finish(struct idx_chunks *c, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error);

#endif
