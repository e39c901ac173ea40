/* SPDX-License-Identifier: MIT */
/*
 * How it works: packets come from few hosts and take about the same time, by the two unconverted clocks. So a
 * leaf remembers for each sender the last number and the last time in transit, and stores only the
 * difference. It names a sender by the number of other hosts that sent since, usually 0. Each leaf begins
 * anew.
 */
#include "index/pairs/pairs.h"

#include "base/base_varint.h"
#include "index/file/out.h"
#include "index/table/parts.h"

#include <xxhash.h>

#define HOST_SIZE 80              /* bytes of a host in the chunk HSTS */
#define MARK 48                   /* the first bytes of a host in HSTS, which identify it */
#define HEAD (IDX_BLOCK_HEAD + 8) /* the block's head, and the time of the first reception */
#define RECORD_MAX (1 + 7 * BASE_VARINT_MAX)
#define NIBBLE 15u /* in the first byte; the rest of a larger number follows */

struct sender {
	uint32_t host;
	uint64_t number; /* of the last packet */
	uint64_t way;    /* time of reception minus time of sending, each by its own clock; modulo 2^64 */
};

/* State after the previous pairs. The sender of the last one comes first. */
struct memory {
	uint64_t number;
	int64_t time;
	unsigned n;
	struct sender senders[IDX_LEAF_PAIRS];
};

struct leaf_writer {
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

/* Move sender number RANK to the front. Returns it. */
static struct sender *move_to_front(struct memory *m, unsigned rank)
{
	struct sender s = m->senders[rank];

	memmove(m->senders + 1, m->senders, rank * sizeof s);
	m->senders[0] = s;
	return m->senders;
}

/* ---- leaves: writing ---- */

static void leaf_write_leaf(struct leaf_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count,
		.first = (int64_t)w->first,
		.end = (int64_t)w->memory.number };

	idx_tree_put_head(w->bytes, IDX_KIND_PAIRS, 0, w->count, w->receiver);
	idx_tree_add_leaf(w->tree, o, w->bytes, (size_t)(w->p - w->bytes), &child);
	w->count = 0;
}

/* Write the part of V that does not fit in the first byte. */
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

/* ---- leaves: reading ---- */

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

/* The sender of RANK, which may be new in this leaf. NULL if there is none. */
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

/* ---- the file: hosts ---- */

void idx_pairs_host_set(struct idx_pairs_host *host, const struct idx_reader *r)
{
	memset(host, 0, sizeof *host);
	memcpy(host->fingerprint, r->t->meta->fingerprint,
		MIN(strlen(r->t->meta->fingerprint), sizeof host->fingerprint));
	host->transfers = r->transfers.count;
	host->checksum = r->transfers.checksum;
}

static void put_mark(uint8_t *p, const struct idx_pairs_host *host)
{
	memcpy(p, host->fingerprint, 32);
	idx_put64(p + 32, host->transfers);
	idx_put32(p + 40, host->checksum);
	idx_put32(p + 44, 0);
}

/* The fingerprint of the file: a hash of all hosts, in order.  33 bytes with the NUL. */
static void make_fingerprint(char *text, const struct idx_pairs_host *hosts, uint32_t n)
{
	XXH3_state_t *hash = XXH3_createState();
	XXH128_hash_t found;
	uint8_t mark[MARK];

	XXH3_128bits_reset(hash);
	for (uint32_t i = 0; i < n; i++) {
		put_mark(mark, &hosts[i]);
		XXH3_128bits_update(hash, mark, sizeof mark);
	}
	found = XXH3_128bits_digest(hash);
	g_snprintf(text, 33, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", (guint64)found.high64,
		(guint64)found.low64);
	XXH3_freeState(hash);
}

/* Index names contain a hash of the traces' paths, so a trace recorded again replaces its old file. */
char *idx_pairs_path(const GPtrArray *indexes)
{
	char *folder = g_path_get_dirname(g_ptr_array_index(indexes, 0)), *path;
	g_autoptr(GString) all = g_string_new(NULL);

	for (guint i = 0; i < indexes->len; i++) {
		g_autofree char *name = g_path_get_basename(g_ptr_array_index(indexes, i));

		g_string_append(all, name);
		g_string_append_c(all, '\n');
	}
	path = g_strdup_printf("%s/sync-%016" G_GINT64_MODIFIER "x.wpx", folder,
		(guint64)XXH3_64bits(all->str, all->len));
	g_free(folder);
	return path;
}

/* ---- the file: writing ---- */

struct idx_pairs_writer {
	struct idx_out *out;
	struct idx_pairs_host *hosts;
	struct leaf_writer **receivers; /* by host; NULL until the first pair */
	uint32_t n;
};

struct idx_pairs_writer *idx_pairs_writer_new(const char *path, const struct idx_pairs_host *hosts,
	uint32_t n, GError **error)
{
	struct idx_out *out = idx_out_new(path, error);
	struct idx_pairs_writer *w;

	if (!out)
		return NULL;
	w = g_new(struct idx_pairs_writer, 1);
	*w = (struct idx_pairs_writer){ .out = out,
		.hosts = g_memdup2(hosts, n * sizeof *hosts),
		.receivers = g_new0(struct leaf_writer *, n),
		.n = n };
	return w;
}

void idx_pairs_writer_free(struct idx_pairs_writer *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->receivers[i]) {
			idx_tree_free(w->receivers[i]->tree);
			g_free(w->receivers[i]);
		}
	g_free(w->receivers);
	g_free(w->hosts);
	idx_out_free(w->out);
	g_free(w);
}

void idx_pairs_writer_add(struct idx_pairs_writer *w, uint32_t receiver, const struct idx_pair *pair)
{
	struct leaf_writer *l = w->receivers[receiver];

	if (!l) {
		l = w->receivers[receiver] = g_new(struct leaf_writer, 1);
		l->tree = idx_tree_new(receiver);
		l->receiver = receiver;
		l->count = 0;
	}
	if (l->count == IDX_LEAF_PAIRS)
		leaf_write_leaf(l, w->out);
	if (l->count == 0) {
		l->first = pair->received_number;
		leaf_forget(&l->memory, pair->received_number, pair->received);
		idx_put64(l->bytes + IDX_BLOCK_HEAD, (uint64_t)pair->received);
		l->p = l->bytes + HEAD;
	}
	g_assert(pair->received_number >= l->memory.number && pair->received >= l->memory.time);
	l->p = put_record(&l->memory, l->p, pair);
	l->count++;
}

static void write_hosts(struct idx_pairs_writer *w, struct idx_chunks *chunks)
{
	uint8_t *bytes = g_malloc0((size_t)w->n * HOST_SIZE + 1);

	for (uint32_t i = 0; i < w->n; i++) {
		uint8_t *p = bytes + (size_t)i * HOST_SIZE;
		struct leaf_writer *l = w->receivers[i];
		struct idx_child top;

		if (l && l->count > 0)
			leaf_write_leaf(l, w->out);
		idx_tree_finish(l ? l->tree : NULL, w->out, &top);
		put_mark(p, &w->hosts[i]);
		idx_put_ref(p + MARK, &top);
	}
	idx_chunks_put(chunks, "HSTS", bytes, (size_t)w->n * HOST_SIZE);
	g_free(bytes);
}

bool idx_pairs_writer_finish(struct idx_pairs_writer *w, const char *clocks, size_t size, GError **error)
{
	struct idx_chunks chunks = { .out = w->out };
	char fingerprint[33];

	make_fingerprint(fingerprint, w->hosts, w->n);
	write_hosts(w, &chunks);
	idx_chunks_put(&chunks, "CLKS", clocks, size);
	return idx_chunks_finish(&chunks, &idx_map_pairs, fingerprint, error);
}

/* ---- the file: reading ---- */

static bool load_hosts(struct idx_pairs *p, GError **error)
{
	uint64_t left = idx_map_size(p->map);
	const uint8_t *bytes = idx_map_records(p->map, "HSTS", HOST_SIZE, &p->n, error);

	if (!bytes)
		return false;
	p->hosts = g_new0(struct idx_pairs_host, p->n);
	p->tops = g_new(struct idx_ref, p->n);
	for (uint32_t i = 0; i < p->n; i++, bytes += HOST_SIZE) {
		memcpy(p->hosts[i].fingerprint, bytes, 32);
		p->hosts[i].transfers = idx_get64(bytes + 32);
		p->hosts[i].checksum = idx_get32(bytes + 40);
		p->tops[i] = idx_get_ref(bytes + MARK);
		if (!idx_take_count(&left, &p->tops[i], IDX_LEAST_PAIR))
			return idx_map_bad_chunk(p->map, "HSTS", error);
	}
	return true;
}

static bool pairs_load(struct idx_pairs *p, GError **error)
{
	uint64_t size;
	char fingerprint[33], *own;
	bool agree;

	if (!load_hosts(p, error))
		return false;
	p->clocks = (const char *)idx_map_chunk(p->map, "CLKS", &size, error);
	p->clocks_size = (size_t)size;
	if (!p->clocks)
		return false;
	make_fingerprint(fingerprint, p->hosts, p->n);
	own = idx_map_fingerprint(p->map);
	agree = g_str_equal(own, fingerprint);
	g_free(own);
	return agree || idx_map_bad_chunk(p->map, "HSTS", error);
}

struct idx_pairs *idx_pairs_open(const char *path, const struct idx_pairs_host *hosts, uint32_t n,
	GError **error)
{
	struct idx_pairs *p = g_new0(struct idx_pairs, 1);
	char fingerprint[33];

	if (hosts)
		make_fingerprint(fingerprint, hosts, n);
	p->map = idx_map_open(path, &idx_map_pairs, hosts ? fingerprint : NULL, error);
	if (!p->map || !pairs_load(p, error))
		g_clear_pointer(&p, idx_pairs_free);
	return p;
}

void idx_pairs_free(struct idx_pairs *p)
{
	if (!p)
		return;
	idx_map_free(p->map);
	g_free(p->hosts);
	g_free(p->tops);
	g_free(p);
}

uint32_t idx_pairs_host_count(const struct idx_pairs *p)
{
	return p->n;
}

uint64_t idx_pairs_count(const struct idx_pairs *p, uint32_t receiver)
{
	return p->tops[receiver].count;
}

const char *idx_pairs_clocks(const struct idx_pairs *p, size_t *size)
{
	*size = p->clocks_size;
	return p->clocks;
}

const GError *idx_pairs_damage(const struct idx_pairs *p)
{
	return idx_map_damage(p->map);
}

struct idx_series idx_pairs_series(struct idx_pairs *p, uint32_t receiver)
{
	return (struct idx_series){
		.map = p->map,
		.kind = IDX_KIND_PAIRS,
		.row = receiver,
		.top = idx_child_of(&p->tops[receiver]),
	};
}

/* ---- cursor ---- */

struct idx_pairs_cursor {
	struct idx_pairs *pairs;
	uint32_t receiver;
	unsigned count, at;
	uint64_t next_index; /* number of the first pair after the leaf */
	struct idx_pair leaf[IDX_LEAF_PAIRS];
};

struct idx_pairs_cursor *idx_pairs_cursor_new(struct idx_pairs *p, uint32_t receiver)
{
	struct idx_pairs_cursor *c = g_new(struct idx_pairs_cursor, 1);

	c->pairs = p;
	c->receiver = receiver;
	c->count = c->at = 0;
	c->next_index = p->tops[receiver].count;
	return c;
}

void idx_pairs_cursor_free(struct idx_pairs_cursor *c)
{
	g_free(c);
}

static bool read_leaf(struct idx_pairs_cursor *c, const struct idx_found *found)
{
	c->at = 0;
	c->count = idx_pairs_leaf_read(c->pairs, c->receiver, found->block, found->leaf.size,
		(uint64_t)found->leaf.first, c->leaf);
	c->next_index = found->count_before + c->count;
	if (c->count > 0 && c->count == found->leaf.count)
		return true;
	idx_map_note_damage(c->pairs->map, found->leaf.offset, "invalid leaf of packets");
	c->count = 0;
	return false;
}

void idx_pairs_cursor_seek(struct idx_pairs_cursor *c, uint64_t number)
{
	struct idx_series s = idx_pairs_series(c->pairs, c->receiver);
	struct idx_found found;

	c->count = c->at = 0;
	c->next_index = s.top.count;
	if (number > INT64_MAX || !idx_node_find_from(&s, (int64_t)number, &found) || !read_leaf(c, &found))
		return;
	while (c->at < c->count && c->leaf[c->at].received_number < number)
		c->at++;
}

bool idx_pairs_cursor_next(struct idx_pairs_cursor *c, struct idx_pair *pair)
{
	struct idx_series s;
	struct idx_found found;

	if (c->at == c->count) {
		s = idx_pairs_series(c->pairs, c->receiver);
		if (!idx_node_find_index(&s, c->next_index, &found))
			return false;
		if (found.count_before != c->next_index) {
			idx_map_note_damage(c->pairs->map, found.leaf.offset, "wrong number of a packet");
			return false;
		}
		if (!read_leaf(c, &found))
			return false;
	}
	*pair = c->leaf[c->at++];
	return true;
}
