/* SPDX-License-Identifier: MIT */
/* Series of no row, which are blocks in the file: times of events, packets of streams, causes, transfers. */
#include "index/idx_chunk_parts.h"

#include "index/idx_cause.h"
#include "index/idx_packets.h"
#include "index/idx_transfer.h"
#include "base/base_varint.h"

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

static void check_times(void *owner, const struct idx_child *at, const uint8_t *block, struct idx_child *real)
{
	struct idx_verify *v = owner;
	const uint8_t *p = block + IDX_BLOCK_HEAD, *end = block + at->size;
	uint64_t time = (uint64_t)at->first, distance;

	while (p && p < end) {
		p = base_varint_get(p, end, &distance);
		if (!p)
			break;
		time += distance;
		idx_verify_time(v, at, (int64_t)time);
		real->count++;
	}
	if (!p)
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of event times does not hold");
}

static void verify_times(struct idx_verify *v)
{
	uint64_t events = v->r->t->meta->events;

	idx_verify_walk(v, &v->r->times, IDX_KIND_TIMES, MDL_NONE, 0, check_times);
	if (v->r->times.count != events / IDX_EVENT_STEP + (events % IDX_EVENT_STEP > 0))
		idx_verify_found(&v->tree, "the times of events do not go with their number");
}

const struct idx_chunk_kind idx_chunk_times = { .id = "EVNT",
	.put = put_times,
	.load = load_times,
	.verify = verify_times };

/* ---- PKTS ---- */

/* TEXT goes behind what is in TEXTS; where it begins there. */
static uint32_t add_text(GByteArray *texts, const char *text)
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
		idx_put32(p, add_text(texts, t->streams[i].name));
		idx_put32(p + 4, add_text(texts, t->streams[i].reader));
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

static void check_packets(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_verify *v = owner;
	struct idx_packet packets[IDX_LEAF_PACKETS];
	unsigned n = idx_packets_read(block, at->size, at->first, v->events, packets);

	if (n == 0)
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of packets does not hold");
	for (unsigned i = 0; i < n; i++) {
		idx_verify_time(v, at, packets[i].first);
		idx_verify_time(v, at, packets[i].last);
		if (packets[i].size > 0 && packets[i].offset < v->last_end)
			idx_verify_found_at(&v->tree, at, "a packet begins before the one before it ends");
		v->last_end = MAX(v->last_end, packets[i].offset + packets[i].size);
		v->events += packets[i].events;
		real->sums[IDX_PACKETS_EVENTS] += packets[i].events;
	}
	real->count = n;
	v->totals->packets += n;
}

static void check_stream(struct idx_verify *v, uint32_t stream)
{
	const struct idx_load_stream *s = &v->r->t->streams[stream];

	v->events = v->last_end = 0;
	idx_verify_walk(v, &s->packets, IDX_KIND_PACKETS, stream, 0, check_packets);
	if (v->events != s->stream.events)
		idx_verify_found(&v->tree,
			"stream %u: its packets hold %" G_GUINT64_FORMAT " events, it has %" G_GUINT64_FORMAT,
			stream, v->events, s->stream.events);
}

static void verify_streams(struct idx_verify *v)
{
	for (uint32_t stream = 0; stream < v->r->n_streams; stream++)
		check_stream(v, stream);
}

const struct idx_chunk_kind idx_chunk_streams = { .id = "PKTS",
	.put = put_streams,
	.load = load_streams,
	.verify = verify_streams };

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

static void check_causes(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_verify *v = owner;
	unsigned n = idx_cause_count(block, at->size);
	struct mdl_cause cause;

	if (n == 0)
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of causes does not hold");
	for (unsigned i = 0; i < n; i++) {
		const char *wrong = "a cause does not hold";

		if (idx_cause_read(block, at->size, i, v->tree.series.limits, &cause))
			wrong = idx_verify_cause(&cause, v->r->t->meta->from, v->r->t->meta->to);
		if (wrong)
			idx_verify_found_at(&v->tree, at, wrong);
	}
	real->count = n;
	v->totals->causes += n;
}

static void verify_causes(struct idx_verify *v)
{
	idx_verify_walk(v, &v->r->causes, IDX_KIND_CAUSES, MDL_NONE, 0, check_causes);
	if (v->n_named != v->r->causes.count)
		idx_verify_found(&v->tree,
			"%" G_GUINT64_FORMAT " causes, but wake-ups name %" G_GUINT64_FORMAT,
			v->r->causes.count, v->n_named);
}

const struct idx_chunk_kind idx_chunk_causes = { .id = "CAUS",
	.put = put_causes,
	.load = load_causes,
	.verify = verify_causes };

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

static void check_transfers(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_verify *v = owner;
	struct mdl_transfer transfers[IDX_LEAF_TRANSFERS];
	unsigned n = idx_transfer_read(block, at->size, at->first, v->tree.series.limits, transfers);

	if (n == 0)
		idx_verify_found_at(&v->tree, at, "the inside of a leaf of transfers does not hold");
	for (unsigned i = 0; i < n; i++) {
		idx_verify_time(v, at, transfers[i].by.time);
		if (!idx_verify_act(&transfers[i].by, v->r->t->meta->from, v->r->t->meta->to))
			idx_verify_found_at(&v->tree, at,
				"a packet was sent or received outside the trace, or before the interrupt in which that happened");
	}
	real->count = n;
	v->totals->transfers += n;
}

static void verify_transfers(struct idx_verify *v)
{
	idx_verify_walk(v, &v->r->transfers, IDX_KIND_TRANSFERS, MDL_NONE, 0, check_transfers);
}

const struct idx_chunk_kind idx_chunk_transfers = { .id = "PCKT",
	.put = put_transfers,
	.load = load_transfers,
	.verify = verify_transfers };
