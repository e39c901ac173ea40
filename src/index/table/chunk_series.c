/* SPDX-License-Identifier: MIT */
/* Series of no row, which are blocks in the file: times of events, packets of streams, causes, transfers. */
#include "index/table/parts.h"

#include "index/tree/leaf.h"

#include <string.h>

bool idx_chunk_load_ref(struct idx_reader *r, const char *id, unsigned least, struct idx_ref *top,
	GError **error)
{
	uint64_t size;
	const uint8_t *p = idx_map_chunk(r->map, id, &size, error);

	if (!p)
		return false;
	if (size != IDX_REF_SIZE)
		return idx_map_bad_chunk(r->map, id, error);
	*top = idx_get_ref(p);
	return idx_take_count(&r->left, top, least) || idx_map_bad_chunk(r->map, id, error);
}

/* ---- EVNT ---- */

void idx_chunk_put_time_leaf(struct idx_writer *w)
{
	struct idx_child child = { .count = w->n_times, .first = w->first_time, .end = w->last_time };

	idx_tree_put_head(w->time_leaf->data, IDX_KIND_TIMES, 0, w->n_times, MDL_NONE);
	idx_tree_add_leaf(w->times, w->out, w->time_leaf->data, w->time_leaf->len, &child);
	g_byte_array_set_size(w->time_leaf, IDX_BLOCK_HEAD);
	w->n_times = 0;
}

static void put_times(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	if (w->n_times > 0)
		idx_chunk_put_time_leaf(w);
	idx_tree_finish(w->times, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_times(struct idx_reader *r, const char *id, GError **error)
{
	return idx_chunk_load_ref(r, id, IDX_LEAST_TIME, &r->times, error);
}

const struct idx_chunk_kind idx_chunk_times = { .id = "EVNT", .put = put_times, .load = load_times };

/* ---- PKTS ---- */

/* TEXT goes behind what is in TEXTS; where it begins there. */
static uint32_t chunk_series_add_text(GByteArray *texts, const char *text)
{
	uint32_t at = texts->len;

	g_byte_array_append(texts, (const guint8 *)text, (guint)strlen(text) + 1);
	return at;
}

static void put_streams(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new(), texts = g_byte_array_new();

	g_byte_array_set_size(bytes, 8 + t->n_streams * IDX_STREAM_SIZE);
	idx_put64(bytes->data, t->n_streams);
	for (uint32_t i = 0; i < t->n_streams; i++) {
		uint8_t *p = bytes->data + 8 + (size_t)i * IDX_STREAM_SIZE;
		struct idx_child top;

		idx_packets_writer_finish(g_ptr_array_index(w->streams, i), w->out, &top);
		idx_put32(p, chunk_series_add_text(texts, t->streams[i].name));
		idx_put32(p + 4, chunk_series_add_text(texts, t->streams[i].reader));
		idx_put64(p + 8, top.sums[IDX_PACKETS_EVENTS]);
		idx_put_ref(p + 16, &top);
	}
	g_byte_array_append(bytes, texts->data, texts->len);
	idx_chunks_put(&w->chunks, id, bytes->data, bytes->len);
}

/* The text at AT of the SIZE bytes TEXTS; NULL when it does not end there. */
static const char *text_at(const char *texts, uint64_t size, uint32_t at)
{
	return at < size && memchr(texts + at, '\0', size - at) ? texts + at : NULL;
}

/* The name of a file within the trace's folder, by a way that never leaves it? */
static bool is_file_name(const char *name)
{
	g_auto(GStrv) parts = name ? g_strsplit(name, "/", -1) : NULL;
	bool fine = parts && parts[0];

	for (unsigned i = 0; fine && parts[i]; i++)
		fine = *parts[i] != '\0' && strcmp(parts[i], ".") != 0 && strcmp(parts[i], "..") != 0;
	return fine;
}

static bool load_streams(struct idx_reader *r, const char *id, GError **error)
{
	uint64_t size, count, events = r->t->meta->events;
	const uint8_t *data = idx_map_chunk(r->map, id, &size, error);
	const char *texts;

	if (!data)
		return false;
	count = size >= 8 ? idx_get64(data) : 0;
	if (size < 8 || count > (size - 8) / IDX_STREAM_SIZE)
		return idx_map_bad_chunk(r->map, id, error);
	size -= 8 + count * IDX_STREAM_SIZE;
	texts = (const char *)data + 8 + count * IDX_STREAM_SIZE;
	r->t->streams = g_new0(struct idx_load_stream, count);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *p = data + 8 + (size_t)i * IDX_STREAM_SIZE;
		struct idx_load_stream *s = &r->t->streams[i];

		s->packets = idx_get_ref(p + 16);
		s->stream = (struct idx_stream){ .name = text_at(texts, size, idx_get32(p)),
			.reader = text_at(texts, size, idx_get32(p + 4)),
			.events = idx_get64(p + 8),
			.packets = s->packets.count };
		if (!s->stream.name || !s->stream.reader ||
			(s->stream.packets > 0 && !is_file_name(s->stream.name)) ||
			s->stream.events > events || !idx_take_count(&r->left, &s->packets, IDX_LEAST_PACKET))
			return idx_map_bad_chunk(r->map, id, error);
		events -= s->stream.events;
	}
	r->n_streams = (uint32_t)count;
	return events == 0 || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_streams = { .id = "PKTS", .put = put_streams, .load = load_streams };

/* ---- CAUS ---- */

static void put_causes(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	idx_cause_writer_finish(w->causes, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_causes(struct idx_reader *r, const char *id, GError **error)
{
	if (!idx_chunk_load_ref(r, id, IDX_LEAST_CAUSE, &r->causes, error))
		return false;
	r->limits.causes = (uint32_t)r->causes.count;
	return r->causes.count < MDL_NONE || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_causes = { .id = "CAUS", .put = put_causes, .load = load_causes };

/* ---- PCKT ---- */

static void put_transfers(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	idx_transfer_writer_finish(w->transfers, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_transfers(struct idx_reader *r, const char *id, GError **error)
{
	return idx_chunk_load_ref(r, id, IDX_LEAST_TRANSFER, &r->transfers, error);
}

const struct idx_chunk_kind idx_chunk_transfers = { .id = "PCKT",
	.put = put_transfers,
	.load = load_transfers };
