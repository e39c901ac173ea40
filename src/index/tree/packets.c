/* SPDX-License-Identifier: MIT */
#include "index/tree/leaf.h"

#include "base/base_varint.h"

struct idx_packets_writer {
	struct idx_tree *tree;
	uint32_t stream;
	unsigned count;
	int64_t first, last;
	uint64_t end;      /* of the previous packet, in the file */
	uint64_t events;   /* in the leaf */
	GByteArray *bytes; /* head and records */
};

struct idx_packets_writer *idx_packets_writer_new(uint32_t stream)
{
	struct idx_packets_writer *w = g_new0(struct idx_packets_writer, 1);

	w->tree = idx_tree_new(stream);
	w->stream = stream;
	w->bytes = g_byte_array_new();
	g_byte_array_set_size(w->bytes, IDX_BLOCK_HEAD);
	return w;
}

void idx_packets_writer_free(gpointer writer)
{
	struct idx_packets_writer *w = writer;

	idx_tree_free(w->tree);
	g_byte_array_unref(w->bytes);
	g_free(w);
}

static void packets_write_leaf(struct idx_packets_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count, .first = w->first, .end = w->last };

	child.sums[IDX_PACKETS_EVENTS] = w->events;
	idx_tree_put_head(w->bytes->data, IDX_KIND_PACKETS, 0, w->count, w->stream);
	idx_tree_add_leaf(w->tree, o, w->bytes->data, w->bytes->len, &child);
	g_byte_array_set_size(w->bytes, IDX_BLOCK_HEAD);
	w->count = 0;
	w->end = w->events = 0;
}

void idx_packets_writer_add(struct idx_packets_writer *w, struct idx_out *o, const struct idx_packet *packet)
{
	uint8_t record[6 * BASE_VARINT_MAX], *p = record;

	if (w->count == IDX_LEAF_PACKETS)
		packets_write_leaf(w, o);
	if (w->count == 0)
		w->first = w->last = packet->first;
	p = base_varint_put(p, packet->size > 0 ? packet->offset - w->end : 0);
	p = base_varint_put(p, packet->size);
	p = base_varint_put(p, (uint64_t)packet->first - (uint64_t)w->last);
	p = base_varint_put(p, (uint64_t)packet->last - (uint64_t)packet->first);
	p = base_varint_put(p, packet->events);
	p = base_varint_put(p, packet->cpu + 1u);
	g_byte_array_append(w->bytes, record, (guint)(p - record));
	w->end = packet->size > 0 ? packet->offset + packet->size : w->end;
	w->last = packet->last;
	w->events += packet->events;
	w->count++;
}

void idx_packets_writer_finish(struct idx_packets_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		packets_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

/* Read the record at IN. The previous packet ends at END_BEFORE of the file and at TIME. */
static void get_record(struct base_varints *in, uint64_t end_before, int64_t time, struct idx_packet *packet)
{
	uint64_t skipped = base_varints_get(in);

	packet->size = base_varints_get(in);
	packet->offset = packet->size > 0 ? end_before + skipped : 0;
	packet->first = (int64_t)((uint64_t)time + base_varints_get(in));
	packet->last = (int64_t)((uint64_t)packet->first + base_varints_get(in));
	packet->events = base_varints_get(in);
	packet->cpu = (uint32_t)base_varints_get_up_to(in, UINT32_MAX) - 1u;
	if (packet->offset > INT64_MAX || packet->size > INT64_MAX - packet->offset ||
		(packet->size == 0 && skipped > 0) || packet->first < time || packet->last < packet->first ||
		packet->events == 0 || packet->events > INT64_MAX / 2 - packet->before)
		in->p = NULL;
}

unsigned idx_packets_read(const uint8_t *block, uint32_t size, int64_t first, uint64_t before,
	struct idx_packet *packets)
{
	struct base_varints in = { block + IDX_BLOCK_HEAD, block + size };
	unsigned count = idx_get16(block + 2);
	uint64_t end_before = 0;
	int64_t time = first;

	if (count > IDX_LEAF_PACKETS || before > INT64_MAX / 2)
		return 0;
	for (unsigned i = 0; i < count && in.p; i++) {
		packets[i].before = before;
		get_record(&in, end_before, time, &packets[i]);
		end_before = packets[i].size > 0 ? packets[i].offset + packets[i].size : end_before;
		time = packets[i].last;
		before += packets[i].events;
	}
	return in.p == in.end ? count : 0;
}
