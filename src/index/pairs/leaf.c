/* SPDX-License-Identifier: MIT */
/*
 * How it works: packets come from few hosts and take about as long each time, by the two clocks as they are.
 * So of each sender the last number and the last time on the way are remembered, and only what is different
 * now is told.  Senders are named by how many others sent since, which mostly is none.  All begins anew in
 * each leaf.
 */
#include "index/pairs/leaf.h"

#include "base/base_varint.h"

#define HEAD (IDX_BLOCK_HEAD + 8) /* the block's head, and when the first was received */
#define RECORD_MAX (1 + 7 * BASE_VARINT_MAX)
#define NIBBLE 15u /* of the first byte: a larger number follows */

struct sender {
	uint32_t host;
	uint64_t number; /* of the last packet */
	uint64_t way; /* when that was received less when it was sent, each by its own clock; modulo 2^64 */
};

/* What is known of the pairs before; the sender of the last one comes first. */
struct memory {
	uint64_t number;
	int64_t time;
	unsigned n;
	struct sender senders[IDX_LEAF_PAIRS];
};

struct idx_pairs_leaf_writer {
	struct idx_tree *tree;
	uint32_t receiver;
	unsigned count;
	uint64_t first;
	struct memory memory;
	uint8_t *p;
	uint8_t bytes[HEAD + IDX_LEAF_PAIRS * RECORD_MAX];
};

static void leaf_forget(struct memory *m, uint64_t number, int64_t time)
{
	m->number = number;
	m->time = time;
	m->n = 0;
}

/* Sender number RANK comes first from now on. */
static struct sender *move_to_front(struct memory *m, unsigned rank)
{
	struct sender s = m->senders[rank];

	memmove(m->senders + 1, m->senders, rank * sizeof s);
	m->senders[0] = s;
	return m->senders;
}

/* ---- writing ---- */

struct idx_pairs_leaf_writer *idx_pairs_leaf_writer_new(uint32_t receiver)
{
	struct idx_pairs_leaf_writer *w = g_new(struct idx_pairs_leaf_writer, 1);

	w->tree = idx_tree_new(receiver);
	w->receiver = receiver;
	w->count = 0;
	return w;
}

void idx_pairs_leaf_writer_free(struct idx_pairs_leaf_writer *w)
{
	if (!w)
		return;
	idx_tree_free(w->tree);
	g_free(w);
}

static void leaf_write_leaf(struct idx_pairs_leaf_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count,
		.first = (int64_t)w->first,
		.end = (int64_t)w->memory.number };

	idx_tree_put_head(w->bytes, IDX_KIND_PAIRS, 0, w->count, w->receiver);
	idx_tree_add_leaf(w->tree, o, w->bytes, (size_t)(w->p - w->bytes), &child);
	w->count = 0;
}

static void leaf_begin_leaf(struct idx_pairs_leaf_writer *w, const struct idx_pair *pair)
{
	w->first = pair->received_number;
	leaf_forget(&w->memory, pair->received_number, pair->received);
	idx_put64(w->bytes + IDX_BLOCK_HEAD, (uint64_t)pair->received);
	w->p = w->bytes + HEAD;
}

/* A number of which the first byte could hold the least part. */
static uint8_t *put_rest(uint8_t *p, uint64_t v)
{
	return v >= NIBBLE ? base_varint_put(p, v - NIBBLE) : p;
}

static uint8_t *put_signed(uint8_t *p, uint64_t v)
{
	return base_varint_put(p, base_varint_zigzag((int64_t)v));
}

static uint8_t *put_record(struct memory *m, uint8_t *p, const struct idx_pair *pair)
{
	uint64_t passed = pair->received_number - m->number,
		 way = (uint64_t)pair->received - (uint64_t)pair->sent;
	struct sender *s;
	unsigned rank = 0;
	bool new;

	while (rank < m->n && m->senders[rank].host != pair->sender)
		rank++;
	new = rank == m->n;
	if (new)
		m->senders[m->n++] = (struct sender){ .host = pair->sender };
	*p++ = (uint8_t)(MIN(passed, NIBBLE) | MIN(rank, NIBBLE) << 4);
	p = put_rest(put_rest(p, passed), rank);
	if (new)
		p = base_varint_put(p, pair->sender);
	s = move_to_front(m, rank);
	p = base_varint_put(p, (uint64_t)pair->received - (uint64_t)m->time);
	p = put_signed(put_signed(p, pair->sent_number - s->number), way - s->way);
	s->number = pair->sent_number;
	s->way = way;
	m->number = pair->received_number;
	m->time = pair->received;
	return p;
}

void idx_pairs_leaf_writer_add(struct idx_pairs_leaf_writer *w, struct idx_out *o,
	const struct idx_pair *pair)
{
	if (w->count == IDX_LEAF_PAIRS)
		leaf_write_leaf(w, o);
	if (w->count == 0)
		leaf_begin_leaf(w, pair);
	g_assert(pair->received_number >= w->memory.number && pair->received >= w->memory.time);
	w->p = put_record(&w->memory, w->p, pair);
	w->count++;
}

void idx_pairs_leaf_writer_finish(struct idx_pairs_leaf_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		leaf_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

/* ---- reading ---- */

static uint64_t get_rest(struct base_varints *in, uint64_t least)
{
	uint64_t v = least < NIBBLE ? 0 : base_varints_get(in);

	if (v > UINT64_MAX - NIBBLE)
		in->p = NULL;
	return least + v;
}

static uint64_t get_signed(struct base_varints *in)
{
	return (uint64_t)base_varint_unzigzag(base_varints_get(in));
}

/* The sender of RANK, which may be one not met yet in this leaf; NULL when there is no such. */
static struct sender *get_sender(const struct idx_pairs *p, uint32_t receiver, struct base_varints *in,
	struct memory *m, uint64_t rank)
{
	if (rank > m->n || rank == IDX_LEAF_PAIRS)
		return NULL;
	if (rank == m->n) {
		uint64_t host = base_varints_get(in);

		if (!in->p || host >= p->n || host == receiver)
			return NULL;
		m->senders[m->n++] = (struct sender){ .host = (uint32_t)host };
	}
	return move_to_front(m, (unsigned)rank);
}

static bool get_record(const struct idx_pairs *p, uint32_t receiver, struct base_varints *in,
	struct memory *m, struct idx_pair *pair)
{
	unsigned byte = in->p < in->end ? *in->p++ : (in->p = NULL, 0);
	uint64_t passed = get_rest(in, byte & NIBBLE), rank = get_rest(in, byte >> 4), later;
	struct sender *s = in->p ? get_sender(p, receiver, in, m, rank) : NULL;

	if (!s)
		return false;
	later = base_varints_get(in);
	s->number += get_signed(in);
	s->way += get_signed(in);
	if (!in->p || __builtin_add_overflow(m->number, passed, &m->number) ||
		__builtin_add_overflow(m->time, later, &m->time))
		return false;
	*pair = (struct idx_pair){ .sender = s->host,
		.received_number = m->number,
		.sent_number = s->number,
		.received = m->time,
		.sent = (int64_t)((uint64_t)m->time - s->way) };
	return m->number < p->hosts[receiver].transfers && s->number < p->hosts[s->host].transfers;
}

unsigned idx_pairs_leaf_read(const struct idx_pairs *p, uint32_t receiver, const uint8_t *block,
	uint32_t size, uint64_t first, struct idx_pair *pairs)
{
	struct base_varints in = { block + HEAD, block + size };
	unsigned count = idx_get16(block + 2);
	struct memory m;

	if (size < HEAD || count > IDX_LEAF_PAIRS)
		return 0;
	leaf_forget(&m, first, (int64_t)idx_get64(block + IDX_BLOCK_HEAD));
	for (unsigned i = 0; i < count; i++)
		if (!get_record(p, receiver, &in, &m, &pairs[i]))
			return 0;
	return in.p == in.end ? count : 0;
}
