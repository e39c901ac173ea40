/* SPDX-License-Identifier: MIT */
/*
 * How far apart the clocks are, roughly: each host keeps a sample of its
 * packets, the first time it sent and received each.  A packet is in the sample
 * when enough low bits of its hash are 0, so all hosts choose the same ones; a
 * host with too many asks for one bit more.  The median of the differences between
 * two hosts is near enough, because most packets take less than a second.
 */
#include "sync/sync_clock.h"
#include "sync/sync_parts.h"

#include <stdlib.h>

#define SAMPLE_MAX 8192	/* of one host */
#define BITS_MAX 40
#define OFFSET_MAX (INT64_C(1) << 62)	/* ns */

struct sighting {
	uint64_t hash;
	unsigned host;
	int64_t sent, received;		/* INT64_MIN: was not */
	uint32_t sent_by, received_by;	/* the interface */
	bool several;			/* others on the host look the same: it says nothing */
};

struct sample {
	GHashTable *sightings;		/* uint64_t * (in the value) → struct sighting *, owned */
	unsigned bits;
};

struct link {
	unsigned a, b;			/* hosts, A < B */
	GArray *all;			/* of int64_t; owned: how far B's clock was ahead of A's, ns */
	int64_t ahead;			/* the median of that */
};

static bool in_sample(uint64_t hash, unsigned bits)
{
	return (hash & ((UINT64_C(1) << bits) - 1)) == 0;
}

static gboolean is_dropped(gpointer key, gpointer value, gpointer bits)
{
	(void)value;
	return !in_sample(*(uint64_t *)key, GPOINTER_TO_UINT(bits));
}

static void see(struct sample *s, unsigned host, const struct sync_packet *p, const struct sync_identity *id)
{
	struct sighting *g = g_hash_table_lookup(s->sightings, &id->sample);
	int64_t *slot;
	uint32_t *device;

	if (g == NULL) {
		g = g_new(struct sighting, 1);
		*g = (struct sighting){ .hash = id->sample, .host = host, .sent = INT64_MIN, .received = INT64_MIN };
		g_hash_table_insert(s->sightings, &g->hash, g);
	}
	slot = p->received ? &g->received : &g->sent;
	device = p->received ? &g->received_by : &g->sent_by;
	if (*slot == INT64_MIN) {
		*slot = p->time;
		*device = p->device;
	} else if (id->name == SYNC_SINGLE && *device == p->device) {
		g->several = true;
	}
	while (g_hash_table_size(s->sightings) > SAMPLE_MAX && s->bits < BITS_MAX)
		g_hash_table_foreach_remove(s->sightings, is_dropped, GUINT_TO_POINTER(++s->bits));
}

/* Add the sample of HOST to ALL (of struct sighting). */
static void take_sample(const struct sync_source *source, unsigned host, GArray *all)
{
	struct sample sample = { .bits = 0 }, *s = &sample;
	GHashTableIter iter;
	gpointer value;
	void *cursor = source->open(source->data);
	struct sync_identity id;
	struct sync_packet p;

	s->sightings = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	while (source->next(cursor, &p)) {
		sync_identify(&p.packet, p.received, &id);
		if ((id.name == SYNC_STRETCH || id.name == SYNC_SINGLE) && in_sample(id.sample, s->bits))
			see(s, host, &p, &id);
	}
	source->close(cursor);
	g_hash_table_iter_init(&iter, s->sightings);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_array_append_vals(all, value, 1);
	g_hash_table_unref(s->sightings);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_hash(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

static struct link *link_of(GHashTable *links, unsigned a, unsigned b)
{
	gpointer key = GSIZE_TO_POINTER((gsize)a << 32 | b);
	struct link *link = g_hash_table_lookup(links, key);

	if (link == NULL) {
		link = g_new(struct link, 1);
		*link = (struct link){ .a = a, .b = b, .all = g_array_new(FALSE, FALSE, sizeof(int64_t)) };
		g_hash_table_insert(links, key, link);
	}
	return link;
}

static void free_link(gpointer data)
{
	g_array_unref(((struct link *)data)->all);
	g_free(data);
}

/* The same packet on two hosts: what one sent and the other received. */
static void compare(GHashTable *links, const struct sighting *x, const struct sighting *y)
{
	struct link *link = link_of(links, x->host, y->host);
	int64_t d;

	if (x->several || y->several)
		return;
	if (x->sent != INT64_MIN && y->received != INT64_MIN && !__builtin_sub_overflow(y->received, x->sent, &d))
		g_array_append_val(link->all, d);
	if (x->received != INT64_MIN && y->sent != INT64_MIN && !__builtin_sub_overflow(y->sent, x->received, &d))
		g_array_append_val(link->all, d);
}

/* All pairs among sightings of the same packet, which stand together. */
static GHashTable *compare_all(GArray *all)
{
	GHashTable *links = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_link);

	g_array_sort(all, by_hash);
	for (guint i = 0; i < all->len; i++) {
		const struct sighting *x = &g_array_index(all, struct sighting, i), *y;

		for (guint j = i + 1; j < all->len; j++) {
			y = &g_array_index(all, struct sighting, j);
			if (y->hash != x->hash)
				break;
			compare(links, x, y);
		}
	}
	return links;
}

/* The links with their medians, of struct link *. */
static GPtrArray *find_medians(GHashTable *links)
{
	GPtrArray *found = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, links);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct link *link = value;

		if (link->all->len == 0)
			continue;
		qsort(link->all->data, link->all->len, sizeof(int64_t), by_value);
		link->ahead = g_array_index(link->all, int64_t, link->all->len / 2);
		g_ptr_array_add(found, link);
	}
	return found;
}

/* The most packets first; hosts in their order where there are as many. */
static gint by_count(gconstpointer a, gconstpointer b)
{
	const struct link *x = *(struct link *const *)a, *y = *(struct link *const *)b;

	if (x->all->len != y->all->len)
		return x->all->len > y->all->len ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* Clocks further apart than times can tell stay in groups of their own. */
static void join(unsigned n, const struct link *l, int64_t *offsets, unsigned *groups)
{
	unsigned from = groups[l->b], to = groups[l->a];
	sync_wide shift = (sync_wide)offsets[l->a] + l->ahead - offsets[l->b];

	for (unsigned i = 0; i < n; i++)
		if (groups[i] == from && (offsets[i] + shift > OFFSET_MAX || offsets[i] + shift < -OFFSET_MAX))
			return;
	for (unsigned i = 0; i < n; i++) {
		if (groups[i] != from)
			continue;
		groups[i] = to;
		offsets[i] = (int64_t)(offsets[i] + shift);
	}
}

/* The strongest links first, each only where it joins two groups. */
static void join_all(GPtrArray *links, unsigned n, int64_t *offsets)
{
	unsigned *groups = g_new(unsigned, n);

	for (unsigned i = 0; i < n; i++) {
		offsets[i] = 0;
		groups[i] = i;
	}
	g_ptr_array_sort(links, by_count);
	for (guint i = 0; i < links->len; i++) {
		const struct link *l = g_ptr_array_index(links, i);

		if (groups[l->a] != groups[l->b])
			join(n, l, offsets, groups);
	}
	g_free(groups);
}

void sync_survey(const struct sync_source *sources, unsigned n, int64_t *offsets)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct sighting));
	GHashTable *links;
	GPtrArray *found;

	for (unsigned i = 0; i < n; i++)
		take_sample(&sources[i], i, all);
	links = compare_all(all);
	found = find_medians(links);
	join_all(found, n, offsets);
	g_ptr_array_unref(found);
	g_hash_table_unref(links);
	g_array_unref(all);
}
