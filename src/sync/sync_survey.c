/* SPDX-License-Identifier: MIT */
/*
 * How it works: each host keeps a sample of its packets, the first time it sent and received each.  A packet
 * is in the sample when enough low bits of its hash are 0, so all hosts choose the same ones; a host with too
 * many asks for one bit more.  What is in the samples of two hosts tells how far apart they are
 * (sync_rough.h).
 */
#include "sync/sync_survey.h"

#include "sync/sync_parts.h"

#define SAMPLE_MAX 8192 /* of one host */
#define BITS_MAX 40

struct sighting {
	uint64_t hash;
	unsigned host;
	int64_t sent, received;        /* INT64_MIN: was not */
	uint32_t sent_by, received_by; /* the interface */
	bool several;                  /* others on the host look the same: it says nothing */
};

struct sample {
	GHashTable *sightings; /* uint64_t * (in the value) → struct sighting *, owned */
	unsigned bits;
};

static bool in_sample(uint64_t hash, unsigned bits)
{
	return (hash & ((UINT64_C(1) << bits) - 1)) == 0;
}

static gboolean is_dropped(gpointer key, G_GNUC_UNUSED gpointer value, gpointer bits)
{
	return !in_sample(*(uint64_t *)key, GPOINTER_TO_UINT(bits));
}

static void see(struct sample *s, unsigned host, const struct sync_packet *p, enum sync_name name,
	uint64_t hash)
{
	struct sighting *g = g_hash_table_lookup(s->sightings, &hash);
	int64_t *slot;
	uint32_t *device;

	if (!g) {
		g = g_new(struct sighting, 1);
		*g = (struct sighting){ .hash = hash,
			.host = host,
			.sent = INT64_MIN,
			.received = INT64_MIN };
		g_hash_table_insert(s->sightings, &g->hash, g);
	}
	slot = p->received ? &g->received : &g->sent;
	device = p->received ? &g->received_by : &g->sent_by;
	if (*slot == INT64_MIN) {
		*slot = p->time;
		*device = p->device;
	} else if (name == SYNC_SINGLE && *device == p->device) {
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
	uint64_t hash;

	s->sightings = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	while (source->next(cursor, &p)) {
		sync_identify(&p.packet, p.received, &id);
		if (id.name != SYNC_STRETCH && id.name != SYNC_SINGLE)
			continue;
		hash = sync_sample(&p.packet, &id);
		if (in_sample(hash, s->bits))
			see(s, host, &p, id.name, hash);
	}
	source->close(cursor);
	g_hash_table_iter_init(&iter, s->sightings);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_array_append_vals(all, value, 1);
	g_hash_table_unref(s->sightings);
}

static int by_hash(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

static struct sync_link *link_of(GHashTable *links, unsigned a, unsigned b)
{
	gpointer key = GSIZE_TO_POINTER((gsize)a << 32 | b);
	struct sync_link *link = g_hash_table_lookup(links, key);

	if (!link) {
		link = g_new(struct sync_link, 1);
		*link = (struct sync_link){ .a = a,
			.b = b,
			.all = g_array_new(FALSE, FALSE, sizeof(struct sync_both)) };
		g_hash_table_insert(links, key, link);
	}
	return link;
}

static void free_link(gpointer data)
{
	g_array_unref(((struct sync_link *)data)->all);
	g_free(data);
}

/* One host sent what the other received; times that are too far apart to tell are left out. */
static void add_both(GArray *all, int64_t a, int64_t b)
{
	struct sync_both new = { a, b };
	int64_t ahead;

	if (a != INT64_MIN && b != INT64_MIN && !__builtin_sub_overflow(b, a, &ahead) &&
		ahead <= SYNC_ROUGH_MAX && ahead >= -SYNC_ROUGH_MAX)
		g_array_append_val(all, new);
}

static void compare(GHashTable *links, const struct sighting *x, const struct sighting *y)
{
	struct sync_link *link = link_of(links, x->host, y->host);

	if (x->several || y->several)
		return;
	add_both(link->all, x->sent, y->received);
	add_both(link->all, x->received, y->sent);
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

/* The most packets first; hosts in their order where there are as many. */
static gint by_count(gconstpointer a, gconstpointer b)
{
	const struct sync_link *x = *(struct sync_link *const *)a, *y = *(struct sync_link *const *)b;

	if (x->all->len != y->all->len)
		return x->all->len > y->all->len ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* The links that have packets, of struct sync_link *. */
static GPtrArray *strongest_first(GHashTable *links)
{
	GPtrArray *found = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, links);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (((const struct sync_link *)value)->all->len > 0)
			g_ptr_array_add(found, value);
	g_ptr_array_sort(found, by_count);
	return found;
}

struct sync_rough *sync_survey(const struct sync_source *sources, unsigned n)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct sighting));
	g_autoptr(GHashTable) links = NULL;
	g_autoptr(GPtrArray) found = NULL;

	for (unsigned i = 0; i < n; i++)
		take_sample(&sources[i], i, all);
	links = compare_all(all);
	found = strongest_first(links);
	return sync_rough_new(found, n);
}
