/* SPDX-License-Identifier: MIT */
/*
 * How it works: a key is the number of a block × IDX_TEXTS_BLOCK + the place of the text in the block.  Cases
 * end in about the order of their begins, so neighbours have their texts in one block, which is then in the
 * page cache.  A block is checked once; a bit per block records that.
 */
#include "index/spans/texts.h"

#include "index/tree/tree.h"

#include <string.h>
#include <xxhash.h>

#define IDX_TEXTS_BLOCK (32u * 1024) /* most bytes of a block, with its head */
#define IDX_TEXTS_LINE 16            /* bytes of a block in KEYS: offset, size, checksum */
#define KNOWN (1 << 16)              /* texts that are not written twice */

/* ---- writing ---- */

struct idx_texts_writer {
	struct idx_out *out; /* weak */
	struct idx_spill *lines;
	GHashTable *known; /* text → its key */
	uint32_t n, size;  /* blocks that are written; bytes of the one that is not */
	uint8_t block[IDX_TEXTS_BLOCK];
};

struct idx_texts_writer *idx_texts_writer_new(struct idx_out *out)
{
	struct idx_texts_writer *w = g_new(struct idx_texts_writer, 1);

	w->out = out;
	w->lines = idx_spill_new(out);
	w->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	w->n = 0;
	w->size = IDX_BLOCK_HEAD;
	return w;
}

void idx_texts_writer_free(struct idx_texts_writer *w)
{
	idx_spill_free(w->lines);
	g_hash_table_unref(w->known);
	g_free(w);
}

static void write_block(struct idx_texts_writer *w)
{
	uint8_t line[IDX_TEXTS_LINE];

	if (w->size == IDX_BLOCK_HEAD)
		return;
	idx_tree_put_head(w->block, IDX_KIND_TEXTS, 0, 0, w->n++);
	idx_put64(line, idx_out_append(w->out, w->block, w->size));
	idx_put32(line + 8, w->size);
	idx_put32(line + 12, (uint32_t)XXH3_64bits(w->block, w->size));
	idx_spill_add(w->lines, line, sizeof line);
	w->size = IDX_BLOCK_HEAD;
}

/* Texts usually repeat soon; one that repeats late gets another key. */
uint64_t idx_texts_writer_add(struct idx_texts_writer *w, const char *text)
{
	gpointer known = g_hash_table_lookup(w->known, text);
	uint32_t length = (uint32_t)strnlen(text, IDX_TEXTS_BLOCK - IDX_BLOCK_HEAD - 1);
	uint64_t key;

	if (known)
		return (uintptr_t)known;
	if (g_hash_table_size(w->known) == KNOWN)
		g_hash_table_remove_all(w->known);
	if (w->size + length + 1 > IDX_TEXTS_BLOCK)
		write_block(w);
	key = (uint64_t)w->n * IDX_TEXTS_BLOCK + w->size;
	memcpy(w->block + w->size, text, length);
	w->block[w->size + length] = '\0';
	w->size += length + 1;
	g_hash_table_insert(w->known, g_strdup(text), (gpointer)(uintptr_t)key);
	return key;
}

void idx_texts_writer_finish(struct idx_texts_writer *w, struct idx_chunks *chunks)
{
	write_block(w);
	idx_chunks_put_spilled(chunks, "KEYS", w->lines);
}

/* ---- reading ---- */

struct idx_texts {
	struct idx_map *map;  /* weak */
	const uint8_t *lines; /* of the chunk */
	uint32_t n;
	uint64_t *checked; /* a bit for each block; owned */
};

static struct idx_child block_of(const struct idx_texts *t, uint32_t number)
{
	const uint8_t *line = t->lines + (size_t)number * IDX_TEXTS_LINE;

	return (struct idx_child){ .offset = idx_get64(line),
		.size = idx_get32(line + 8),
		.checksum = idx_get32(line + 12) };
}

struct idx_texts *idx_texts_open(struct idx_map *m, GError **error)
{
	struct idx_texts *t = g_new0(struct idx_texts, 1);
	uint64_t left = idx_map_size(m);

	t->map = m;
	t->lines = idx_map_records(m, "KEYS", IDX_TEXTS_LINE, &t->n, error);
	for (uint32_t i = 0; t->lines && i < t->n; i++) {
		uint32_t size = block_of(t, i).size;

		if (size <= IDX_BLOCK_HEAD || size > IDX_TEXTS_BLOCK || !idx_take(&left, 1, size)) {
			idx_map_bad_chunk(m, "KEYS", error);
			t->lines = NULL;
		}
	}
	if (!t->lines)
		g_clear_pointer(&t, idx_texts_free);
	else
		t->checked = g_new0(uint64_t, t->n / 64 + 1);
	return t;
}

void idx_texts_free(struct idx_texts *t)
{
	if (!t)
		return;
	g_free(t->checked);
	g_free(t);
}

/* Block NUMBER, of SIZE bytes, whose last byte is a NUL; NULL with damage noted. */
static const uint8_t *texts_read(struct idx_texts *t, uint32_t number, uint32_t *size)
{
	struct idx_child child = block_of(t, number);
	uint64_t bit = UINT64_C(1) << number % 64, *unused;
	const uint8_t *block;

	*size = child.size;
	if (t->checked[number / 64] & bit)
		return idx_map_trusted(t->map, &child);
	block = idx_map_block(t->map, &child, IDX_KIND_TEXTS, number, &unused);
	if (!block)
		return NULL;
	if (block[0] != IDX_KIND_TEXTS || block[child.size - 1] != '\0') {
		idx_map_note_damage(t->map, child.offset, "invalid block of texts");
		return NULL;
	}
	t->checked[number / 64] |= bit;
	return block;
}

const char *idx_texts_get(struct idx_texts *t, uint64_t key)
{
	uint64_t number = key / IDX_TEXTS_BLOCK, place = key % IDX_TEXTS_BLOCK;
	const uint8_t *block;
	uint32_t size;

	if (number >= t->n || place < IDX_BLOCK_HEAD)
		return NULL;
	block = texts_read(t, (uint32_t)number, &size);
	return block && place < size ? (const char *)block + place : NULL;
}

void idx_texts_use(const struct idx_texts *t, struct idx_map_use *use)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct idx_child child = block_of(t, i);

		idx_map_use_block(t->map, use, &child);
	}
}

void idx_texts_verify(struct idx_texts *t)
{
	uint32_t size;

	for (uint32_t i = 0; i < t->n && texts_read(t, i, &size); i++)
		;
}
