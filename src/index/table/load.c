/* SPDX-License-Identifier: MIT */
#include "index/table/parts.h"

const struct idx_chunk_kind *const idx_chunks_all[IDX_CHUNKS_MAX] = {
#define CHUNK(name) &idx_chunk_##name,
	IDX_CHUNKS(CHUNK)
#undef CHUNK
};

bool idx_load_tables(struct idx_reader *r, GError **error)
{
	bool fine = true;

	r->left = idx_map_size(r->map);
	r->t = g_new0(struct idx_shared, 1);
	r->t->users = 1;
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; fine && i < IDX_CHUNKS_MAX; i++)
			if (idx_chunks_all[i]->is_base == !pass)
				fine = idx_chunks_all[i]->load(r, idx_chunks_all[i]->id, error);
	return fine;
}

void idx_load_unref(struct idx_shared *t)
{
	if (!t || !g_atomic_int_dec_and_test(&t->users))
		return;
	idx_meta_free(t->meta);
	g_free(t->contexts);
	g_free(t->record);
	g_free(t->first_name);
	g_free(t->priority);
	g_free(t->first_priority);
	g_free(t->devices);
	g_free(t->streams);
	g_free(t);
}
