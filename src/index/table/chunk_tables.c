/* SPDX-License-Identifier: MIT */
/* Tables that are known when the trace was read: its facts, strings, interrupt contexts, block devices. */
#include "index/table/parts.h"

#include <string.h>

/* ---- META ---- */

static void put_meta(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	g_autoptr(GBytes) bytes = idx_meta_to_bytes(t->meta);
	gsize size;
	const void *data = g_bytes_get_data(bytes, &size);

	idx_chunks_put(&w->chunks, id, data, size);
}

static bool load_meta(struct idx_reader *r, G_GNUC_UNUSED const char *id, GError **error)
{
	r->t->meta = idx_meta_load(r->map, error);
	return r->t->meta;
}

const struct idx_chunk_kind idx_chunk_meta = { .id = "META",
	.is_base = true,
	.put = put_meta,
	.load = load_meta };

/* ---- STRG ---- */

static void put_strings(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	const struct base_strings *strings = t->strings;
	uint32_t count = base_strings_count(strings);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	uint32_t at = 0;

	g_byte_array_set_size(bytes, 4 + 4 * (count + 1));
	idx_put32(bytes->data, count);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = base_strings_get(strings, i);
		uint32_t size = (uint32_t)strlen(text) + 1;

		idx_put32(bytes->data + 4 + 4 * i, at);
		g_byte_array_append(bytes, (const guint8 *)text, size);
		at += size;
	}
	idx_put32(bytes->data + 4 + 4 * count, at);
	idx_chunks_put(&w->chunks, id, bytes->data, bytes->len);
}

static bool load_strings(struct idx_reader *r, const char *id, GError **error)
{
	uint64_t size, head;
	const uint8_t *data = idx_map_chunk(r->map, id, &size, error);
	const char *text;
	uint32_t count, before = 0;

	if (!data)
		return false;
	count = size >= 8 ? idx_get32(data) : 0;
	head = 4 + 4 * ((uint64_t)count + 1);
	if (count == 0 || head > size)
		return idx_map_bad_chunk(r->map, id, error);
	text = (const char *)data + head;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = idx_get32(data + 4 + 4 * (size_t)i), to = idx_get32(data + 8 + 4 * (size_t)i);

		if (from != before || to <= from || to > size - head || text[to - 1] != '\0' ||
			!g_utf8_validate(text + from, (gssize)(to - from - 1), NULL))
			return idx_map_bad_chunk(r->map, id, error);
		before = to;
	}
	r->limits.strings = count;
	r->t->string_ends = data + 4;
	r->t->texts = data + head;
	return *text == '\0' || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_strings = { .id = "STRG",
	.is_base = true,
	.put = put_strings,
	.load = load_strings };

/* ---- CTXS ---- */

static void put_contexts(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_contexts * IDX_CONTEXT_SIZE + 1);

	for (uint32_t i = 0; i < t->n_contexts; i++) {
		uint8_t *p = bytes + (size_t)i * IDX_CONTEXT_SIZE;

		p[0] = t->contexts[i].type;
		idx_put32(p + 4, t->contexts[i].name);
		idx_put64(p + 8, (uint64_t)t->contexts[i].nr);
	}
	idx_chunks_put(&w->chunks, id, bytes, (size_t)t->n_contexts * IDX_CONTEXT_SIZE);
	g_free(bytes);
}

static bool load_contexts(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count;
	const uint8_t *p = idx_map_records(r->map, id, IDX_CONTEXT_SIZE, &count, error);

	if (!p)
		return false;
	r->t->contexts = g_new(struct mdl_context, count);
	for (uint32_t i = 0; i < count; i++, p += IDX_CONTEXT_SIZE) {
		r->t->contexts[i] = (struct mdl_context){ .type = p[0],
			.name = idx_get32(p + 4),
			.nr = (int64_t)idx_get64(p + 8) };
		if (p[0] >= MDL_CTX_TYPES || r->t->contexts[i].name >= r->limits.strings)
			return idx_map_bad_chunk(r->map, id, error);
	}
	r->limits.contexts = count;
	return true;
}

const struct idx_chunk_kind idx_chunk_contexts = { .id = "CTXS",
	.is_base = true,
	.put = put_contexts,
	.load = load_contexts };

/* ---- BDEV ---- */

static void put_devices(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_devices * IDX_DEVICE_SIZE + 1);

	for (uint32_t i = 0; i < t->n_devices; i++) {
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE, t->devices[i].dev);
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE + 4, t->devices[i].name);
	}
	idx_chunks_put(&w->chunks, id, bytes, (size_t)t->n_devices * IDX_DEVICE_SIZE);
	g_free(bytes);
}

static bool load_devices(struct idx_reader *r, const char *id, GError **error)
{
	const uint8_t *p = idx_map_records(r->map, id, IDX_DEVICE_SIZE, &r->n_devices, error);

	if (!p)
		return false;
	r->t->devices = g_new(struct mdl_device, r->n_devices);
	for (uint32_t i = 0; i < r->n_devices; i++, p += IDX_DEVICE_SIZE) {
		struct mdl_device *d = &r->t->devices[i];

		*d = (struct mdl_device){ .dev = idx_get32(p), .name = idx_get32(p + 4) };
		if (d->name >= r->limits.strings || (i > 0 && d->dev <= d[-1].dev))
			return idx_map_bad_chunk(r->map, id, error);
	}
	return true;
}

const struct idx_chunk_kind idx_chunk_devices = { .id = "BDEV", .put = put_devices, .load = load_devices };
