/* SPDX-License-Identifier: MIT */
#include "index/pairs/pairs.h"

#include "index/file/chunks.h"
#include "index/table/load.h"
#include "index/pairs/leaf.h"

#include <xxhash.h>

#define MARK 48 /* bytes of a host that say whose it is: the first of those in HSTS */

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

/* That of the file: of all hosts, in order.  33 bytes with the NUL. */
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

/* The indexes' names have a hash of the traces' paths in them, so a trace that is recorded anew finds its old
 * file and replaces it. */
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

/* ---- writing ---- */

struct idx_pairs_writer {
	struct idx_out *out;
	struct idx_pairs_host *hosts;
	struct idx_pairs_leaf_writer **receivers; /* by host; NULL until the first pair */
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
		.receivers = g_new0(struct idx_pairs_leaf_writer *, n),
		.n = n };
	return w;
}

void idx_pairs_writer_free(struct idx_pairs_writer *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		idx_pairs_leaf_writer_free(w->receivers[i]);
	g_free(w->receivers);
	g_free(w->hosts);
	idx_out_free(w->out);
	g_free(w);
}

void idx_pairs_writer_add(struct idx_pairs_writer *w, uint32_t receiver, const struct idx_pair *pair)
{
	if (!w->receivers[receiver])
		w->receivers[receiver] = idx_pairs_leaf_writer_new(receiver);
	idx_pairs_leaf_writer_add(w->receivers[receiver], w->out, pair);
}

static void write_hosts(struct idx_pairs_writer *w, struct idx_chunks *chunks)
{
	uint8_t *bytes = g_malloc0((size_t)w->n * IDX_PAIRS_HOST_SIZE + 1);

	for (uint32_t i = 0; i < w->n; i++) {
		uint8_t *p = bytes + (size_t)i * IDX_PAIRS_HOST_SIZE;
		struct idx_child top = { .offset = 0 };

		if (w->receivers[i])
			idx_pairs_leaf_writer_finish(w->receivers[i], w->out, &top);
		put_mark(p, &w->hosts[i]);
		idx_put_ref(p + MARK, &top);
	}
	idx_chunks_put(chunks, "HSTS", bytes, (size_t)w->n * IDX_PAIRS_HOST_SIZE);
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

/* ---- reading ---- */

static bool load_hosts(struct idx_pairs *p, GError **error)
{
	uint64_t left = idx_map_size(p->map);
	const uint8_t *bytes = idx_map_records(p->map, "HSTS", IDX_PAIRS_HOST_SIZE, &p->n, error);

	if (!bytes)
		return false;
	p->hosts = g_new0(struct idx_pairs_host, p->n);
	p->tops = g_new(struct idx_ref, p->n);
	for (uint32_t i = 0; i < p->n; i++, bytes += IDX_PAIRS_HOST_SIZE) {
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
	const struct idx_ref *top = &p->tops[receiver];

	return (struct idx_series){
		.map = p->map,
		.kind = IDX_KIND_PAIRS,
		.row = receiver,
		.top = { .offset = top->offset,
			.size = top->size,
			.checksum = top->checksum,
			.count = top->count,
			.first = top->first },
	};
}

/* ---- a place ---- */

struct idx_pairs_cursor {
	struct idx_pairs *pairs;
	uint32_t receiver;
	unsigned count, at;
	uint64_t next_index; /* place of the first pair after the leaf */
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
	idx_map_note_damage(c->pairs->map, found->leaf.offset, "inside of a leaf of packets");
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
			idx_map_note_damage(c->pairs->map, found.leaf.offset, "numbers of packets");
			return false;
		}
		if (!read_leaf(c, &found))
			return false;
	}
	*pair = c->leaf[c->at++];
	return true;
}
