/* SPDX-License-Identifier: MIT */
/* How it works: transfers are read one after the other. So a record stores CPU and thread only if they
 * change, and its time relative to that of the previous record. */
#include "index/table/parts.h"

#include "index/tree/record.h"

#define RECORD_MAX (1 + BASE_VARINT_MAX + IDX_RECORD_PACKET_MAX + IDX_RECORD_ACT_MAX)

struct idx_transfer_writer {
	struct idx_tree *tree;
	unsigned count;
	int64_t first;
	struct idx_record_out out; /* its base is the time of the last record */
	uint8_t bytes[IDX_BLOCK_HEAD + IDX_LEAF_TRANSFERS * RECORD_MAX];
};

struct idx_transfer_writer *idx_transfer_writer_new(void)
{
	struct idx_transfer_writer *w = g_new0(struct idx_transfer_writer, 1);

	w->tree = idx_tree_new(MDL_NONE);
	return w;
}

void idx_transfer_writer_free(struct idx_transfer_writer *w)
{
	if (!w)
		return;
	idx_tree_free(w->tree);
	g_free(w);
}

static void transfer_write_leaf(struct idx_transfer_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count, .first = w->first, .end = w->out.base };

	idx_tree_put_head(w->bytes, IDX_KIND_TRANSFERS, 0, w->count, MDL_NONE);
	idx_tree_add_leaf(w->tree, o, w->bytes, (size_t)(w->out.p - w->bytes), &child);
	w->count = 0;
}

void idx_transfer_writer_add(struct idx_transfer_writer *w, struct idx_out *o, const struct mdl_transfer *t)
{
	if (w->count == IDX_LEAF_TRANSFERS)
		transfer_write_leaf(w, o);
	if (w->count == 0) {
		w->first = t->by.time;
		w->out = (struct idx_record_out){ .p = w->bytes + IDX_BLOCK_HEAD,
			.base = t->by.time,
			.cpu = MDL_NONE,
			.thread = MDL_NONE };
	}
	idx_record_put_byte(&w->out, t->received);
	idx_record_put_act(&w->out, &t->by, 0);
	idx_record_put_packet(&w->out, &t->packet);
	idx_record_put(&w->out, t->device);
	w->out.base = t->by.time;
	w->count++;
}

void idx_transfer_writer_finish(struct idx_transfer_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		transfer_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

static void get_record(struct idx_record_in *r, struct mdl_transfer *t)
{
	t->received = base_varints_get_up_to(&r->in, 1) != 0;
	idx_record_get_plain_act(r, &t->by);
	idx_record_get_packet(r, &t->packet);
	t->device = (uint32_t)base_varints_get_up_to(&r->in, (uint64_t)r->limits->strings - 1);
	if (t->by.time == MDL_NEVER || t->by.time < r->base)
		r->in.p = NULL;
	r->base = t->by.time;
}

unsigned idx_transfer_read(const uint8_t *block, uint32_t size, int64_t first,
	const struct idx_limits *limits, struct mdl_transfer *transfers)
{
	struct idx_record_in r = {
		.in = { block + IDX_BLOCK_HEAD, block + size },
		.base = first,
		.cpu = MDL_NONE,
		.thread = MDL_NONE,
		.limits = limits,
	};
	unsigned count = idx_get16(block + 2);

	if (count > IDX_LEAF_TRANSFERS)
		return 0;
	memset(transfers, 0, count * sizeof *transfers);
	for (unsigned i = 0; i < count && r.in.p; i++)
		get_record(&r, &transfers[i]);
	return r.in.p == r.in.end ? count : 0;
}

/* ---- all of a host, leaf by leaf ---- */

/* The leaves that were decoded last. Questions about packets seek to and fro between a few leaves: each
 * exchange is looked for at both ends. */
#define KEPT 8
struct idx_transfers_kept {
	struct {
		uint64_t offset; /* of the leaf in the file; 0: the slot is free */
		unsigned count;
		struct mdl_transfer transfers[IDX_LEAF_TRANSFERS];
	} leaves[KEPT];
	unsigned next; /* slot that the next leaf takes */
};

struct idx_transfers {
	struct idx_reader *reader;
	unsigned count, at;
	uint64_t next_index; /* number of the first transfer after the leaf */
	struct mdl_transfer leaf[IDX_LEAF_TRANSFERS];
};

uint64_t idx_reader_transfer_count(const struct idx_reader *r)
{
	return r->transfers.count;
}

struct idx_transfers *idx_transfers_new(struct idx_reader *r)
{
	struct idx_transfers *c = g_new(struct idx_transfers, 1);

	c->reader = r;
	c->count = c->at = 0;
	c->next_index = r->transfers.count;
	return c;
}

void idx_transfers_free(struct idx_transfers *c)
{
	g_free(c);
}

static struct idx_series series_of(struct idx_reader *r)
{
	return idx_load_series(r, &r->transfers, IDX_KIND_TRANSFERS, MDL_NONE, 0);
}

/* Copy the leaf FOUND to C, decoded. */
static void get_leaf(struct idx_transfers *c, const struct idx_found *found)
{
	struct idx_transfers_kept *kept = c->reader->kept_transfers;
	unsigned slot = 0;

	if (!kept)
		kept = c->reader->kept_transfers = g_new0(struct idx_transfers_kept, 1);
	while (slot < KEPT && kept->leaves[slot].offset != found->leaf.offset)
		slot++;
	if (slot == KEPT) {
		slot = kept->next++ % KEPT;
		kept->leaves[slot].count = idx_transfer_read(found->block, found->leaf.size,
			found->leaf.first, &c->reader->limits, kept->leaves[slot].transfers);
		kept->leaves[slot].offset = found->leaf.offset;
	}
	c->count = kept->leaves[slot].count;
	memcpy(c->leaf, kept->leaves[slot].transfers, c->count * sizeof *c->leaf);
}

/* Read the leaf FOUND, from its record number SKIP. */
static bool read_leaf(struct idx_transfers *c, const struct idx_found *found, uint64_t skip)
{
	c->at = 0;
	get_leaf(c, found);
	c->next_index = found->count_before + c->count;
	if (c->count > 0 && c->count == found->leaf.count && skip < c->count) {
		c->at = (unsigned)skip;
		return true;
	}
	idx_map_note_damage(c->reader->map, found->leaf.offset, "invalid leaf of transfers");
	c->count = 0;
	return false;
}

void idx_transfers_seek(struct idx_transfers *c, int64_t time)
{
	struct idx_series s = series_of(c->reader);
	struct idx_found found;

	c->count = c->at = 0;
	c->next_index = s.top.count;
	if (!idx_node_find_from(&s, time, &found) || !read_leaf(c, &found, 0))
		return;
	while (c->at < c->count && c->leaf[c->at].by.time < time)
		c->at++;
}

void idx_transfers_seek_number(struct idx_transfers *c, uint64_t number)
{
	c->count = c->at = 0;
	c->next_index = number;
}

uint64_t idx_transfers_number(const struct idx_transfers *c)
{
	return c->next_index - (c->count - c->at);
}

bool idx_transfers_next(struct idx_transfers *c, struct mdl_transfer *transfer)
{
	struct idx_series s;
	struct idx_found found;

	if (c->at == c->count) {
		s = series_of(c->reader);
		if (!idx_node_find_index(&s, c->next_index, &found))
			return false;
		if (!read_leaf(c, &found, c->next_index - found.count_before))
			return false;
	}
	*transfer = c->leaf[c->at++];
	return true;
}
