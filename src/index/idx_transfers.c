/* SPDX-License-Identifier: MIT */
#include "index/idx_load.h"
#include "index/idx_transfer.h"

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

/* The leaf FOUND, from its record number SKIP on. */
static bool read_leaf(struct idx_transfers *c, const struct idx_found *found, uint64_t skip)
{
	c->at = 0;
	c->count = idx_transfer_read(found->block, found->leaf.size, found->leaf.first, &c->reader->limits,
		c->leaf);
	c->next_index = found->count_before + c->count;
	if (c->count > 0 && c->count == found->leaf.count && skip < c->count) {
		c->at = (unsigned)skip;
		return true;
	}
	idx_map_note_damage(c->reader->map, found->leaf.offset, "inside of a leaf of transfers");
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
