/* SPDX-License-Identifier: MIT */
/*
 * How it works: each host keeps a sample of its packets, with the first time it sent and received each. A
 * packet is in the sample if enough low bits of its hash are 0, so all hosts choose the same packets; a host
 * with too many requires one bit more. The median of the differences between two samples is the distance of
 * the two clocks. That is exact enough, because most packets take less than a second. Every few packets have
 * their own median, because clocks drift, are set, and stop during suspend.
 */
#include "sync/sync_match.h"

#include "base/base_search.h"
#include "sync/sync_clock.h"
#include "sync/sync_match_parts.h"

#include <stdlib.h>

#define SAMPLE_MAX 8192 /* most packets in the sample of a host */
#define BITS_MAX 40
#define ROUGH_MAX (INT64_C(1) << 62) /* ns: no result for clocks further apart */
#define PIECE_MIN 9                  /* packets of one piece of an offset */
#define PIECES_MAX 256

/* One packet on two hosts. */
struct both {
	int64_t a, b; /* when, ns of the hosts' clocks; not further apart than ROUGH_MAX */
};

struct link {
	unsigned a, b; /* hosts, A < B */
	GArray *all;   /* of struct both, at least one; each use sorts it */
};

/* ---- the time of a clock ---- */

static int64_t from_of(const struct sync_rough *rough, guint i)
{
	return g_array_index(rough->pieces, struct sync_rough_piece, i).from;
}

static guint piece_at(const struct sync_rough *rough, int64_t time)
{
	const struct sync_rough_piece *first = &g_array_index(rough->pieces, struct sync_rough_piece, 0);

	return (guint)base_search_holding(&first->from, rough->pieces->len, sizeof *first, time);
}

static int64_t ahead_of(const struct sync_rough *rough, guint i)
{
	return g_array_index(rough->pieces, struct sync_rough_piece, i).ahead;
}

static int64_t minus(int64_t time, int64_t ahead)
{
	int64_t t;

	return __builtin_sub_overflow(time, ahead, &t) ? (ahead < 0 ? INT64_MAX : INT64_MIN) : t;
}

int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece)
{
	guint n = rough->pieces->len;
	int64_t t;

	if (*piece >= n || time < from_of(rough, *piece) ||
		(*piece + 1 < n && time >= from_of(rough, *piece + 1)))
		*piece = piece_at(rough, time);
	t = minus(time, ahead_of(rough, *piece));
	return *piece + 1 == n ? t : MIN(t, minus(from_of(rough, *piece + 1), ahead_of(rough, *piece + 1)));
}

/* ---- pieces ---- */

static int by_time_of_a(const void *x, const void *y)
{
	const struct both *p = x, *q = y;

	return BASE_BY(p, q, a);
}

static int by_time_of_b(const void *x, const void *y)
{
	const struct both *p = x, *q = y;

	return BASE_BY(p, q, b);
}

static int by_distance(const void *x, const void *y)
{
	const struct both *p = x, *q = y;

	return BASE_ORDER(p->b - p->a, q->b - q->a);
}

/* Append one piece of the offset of a host (A, or B) that is reached from PARENT, from N packets in the order
 * of its clock.  False if it is too far away. */
static bool rough_add_piece(GArray *pieces, struct both *packets, guint n, bool is_a,
	const struct sync_rough *parent)
{
	struct sync_rough_piece piece = { .from = pieces->len == 0 ? INT64_MIN
			: is_a                                     ? packets[0].a
								   : packets[0].b };
	const struct both *middle;
	sync_wide ahead;

	qsort(packets, n, sizeof *packets, by_distance);
	middle = &packets[n / 2];
	ahead = is_a ? (sync_wide)middle->a - middle->b : (sync_wide)middle->b - middle->a;
	ahead += ahead_of(parent, piece_at(parent, is_a ? middle->b : middle->a));
	piece.ahead = (int64_t)ahead;
	g_array_append_val(pieces, piece);
	return ahead <= ROUGH_MAX && ahead >= -ROUGH_MAX;
}

/* Set the pieces of one host of L from the offset of the other host, PARENT.  False if they are too far
 * apart. */
static bool rough_follow(const struct link *l, bool is_a, struct sync_rough *host,
	const struct sync_rough *parent)
{
	guint n = l->all->len, size = MAX(PIECE_MIN, n / PIECES_MAX);

	qsort(l->all->data, n, sizeof(struct both), is_a ? by_time_of_a : by_time_of_b);
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): each host has its pieces */
	g_array_set_size(host->pieces, 0);
	for (guint i = 0; i < n;) {
		guint count = n - i < 2 * size ? n - i : size;

		if (!rough_add_piece(host->pieces, &g_array_index(l->all, struct both, i), count, is_a,
			    parent))
			return false;
		i += count;
	}
	return true;
}

/* ---- from host to host ---- */

static void set_none(struct sync_rough *host)
{
	struct sync_rough_piece whole = { INT64_MIN, 0 };

	g_array_set_size(host->pieces, 0);
	g_array_append_val(host->pieces, whole);
}

/* Reach one more host by the strongest of LINKS that leads to one.  False if there is none. */
static bool reach_one(GPtrArray *links, struct sync_rough *hosts, bool *reached)
{
	for (guint i = 0; i < links->len; i++) {
		struct link *l = g_ptr_array_index(links, i);
		unsigned to = reached[l->a] ? l->b : l->a;

		if (reached[l->a] == reached[l->b])
			continue;
		if (!rough_follow(l, to == l->a, &hosts[to], &hosts[l->a + l->b - to])) {
			set_none(&hosts[to]);
			g_ptr_array_remove_index(links, i);
			return true;
		}
		reached[to] = true;
		return true;
	}
	return false;
}

/* Reach hosts from the first one outwards, then from the first host that is not reached, and so on. */
static void reach_all(GPtrArray *links, unsigned n, struct sync_rough *hosts)
{
	bool *reached = g_new0(bool, n);

	for (unsigned i = 0; i < n; i++) {
		if (reached[i])
			continue;
		set_none(&hosts[i]);
		reached[i] = true;
		while (reach_one(links, hosts, reached))
			;
	}
	g_free(reached);
}

/* ---- the sample ---- */

struct sighting {
	uint64_t hash;
	unsigned host;
	int64_t sent, received;        /* INT64_MIN: never */
	uint32_t sent_by, received_by; /* the interface */
	bool several;                  /* other packets on the host look the same: not used */
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

static void rough_see(struct sample *s, unsigned host, const struct sync_packet *p, enum sync_name name,
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
			rough_see(s, host, &p, id.name, hash);
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

	return BASE_BY(x, y, hash) ?: BASE_BY(x, y, host);
}

static struct link *link_of(GHashTable *links, unsigned a, unsigned b)
{
	gpointer key = GSIZE_TO_POINTER((gsize)a << 32 | b);
	struct link *link = g_hash_table_lookup(links, key);

	if (!link) {
		link = g_new(struct link, 1);
		*link = (struct link){ .a = a,
			.b = b,
			.all = g_array_new(FALSE, FALSE, sizeof(struct both)) };
		g_hash_table_insert(links, key, link);
	}
	return link;
}

static void free_link(gpointer data)
{
	g_array_unref(((struct link *)data)->all);
	g_free(data);
}

/* One host sent the packet, the other received it.  Times too far apart are left out. */
static void add_both(GArray *all, int64_t a, int64_t b)
{
	struct both new = { a, b };
	int64_t ahead;

	if (a != INT64_MIN && b != INT64_MIN && !__builtin_sub_overflow(b, a, &ahead) && ahead <= ROUGH_MAX &&
		ahead >= -ROUGH_MAX)
		g_array_append_val(all, new);
}

/* The links from all pairs of sightings of one packet. */
static GHashTable *compare_all(GArray *all)
{
	GHashTable *links = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_link);

	g_array_sort(all, by_hash);
	for (guint i = 0; i < all->len; i++) {
		const struct sighting *x = &g_array_index(all, struct sighting, i), *y = x + 1;

		for (guint j = i + 1; j < all->len && y->hash == x->hash; j++, y++) {
			struct link *link = link_of(links, x->host, y->host);

			if (x->several || y->several)
				continue;
			add_both(link->all, x->sent, y->received);
			add_both(link->all, x->received, y->sent);
		}
	}
	return links;
}

/* Order by the number of packets, most first, then by host. */
static gint by_count(gconstpointer a, gconstpointer b)
{
	const struct link *x = *(struct link *const *)a, *y = *(struct link *const *)b;

	return BASE_BY(y, x, all->len) ?: BASE_BY(x, y, a) ?: BASE_BY(x, y, b);
}

/* The links with packets, of struct link *. */
static GPtrArray *strongest_first(GHashTable *links)
{
	GPtrArray *found = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, links);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (((const struct link *)value)->all->len > 0)
			g_ptr_array_add(found, value);
	g_ptr_array_sort(found, by_count);
	return found;
}

struct sync_rough *sync_rough_new(const struct sync_source *sources, unsigned n)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct sighting));
	g_autoptr(GHashTable) links = NULL;
	g_autoptr(GPtrArray) found = NULL;
	struct sync_rough *hosts = g_new(struct sync_rough, n);

	for (unsigned i = 0; i < n; i++)
		take_sample(&sources[i], i, all);
	links = compare_all(all);
	found = strongest_first(links);
	for (unsigned i = 0; i < n; i++)
		hosts[i].pieces = g_array_new(FALSE, FALSE, sizeof(struct sync_rough_piece));
	reach_all(found, n, hosts);
	return hosts;
}

void sync_rough_free(struct sync_rough *hosts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		g_array_unref(hosts[i].pieces);
	g_free(hosts);
}
