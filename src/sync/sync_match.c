/* SPDX-License-Identifier: MIT */
/*
 * How it works: what all hosts send and receive is walked side by side, in order
 * of time after the rough offsets (sync_survey.c); receptions come LAG later, so that
 * their sendings have been seen.  Sendings wait in two places: stretches of a
 * TCP stream in their flow, in order of sequence numbers, and single packets in
 * a table by their hash.  What has waited too long is given up.
 */
#include "sync/sync_parts.h"

#include <string.h>
#include <xxhash.h>

#define LAG (INT64_C(5) * 1000000000)		/* more than rough offsets are off, drift and time on the way included */
#define KEEP (INT64_C(60) * 1000000000)		/* a sending waits for that long after its reception could be seen */
#define WAITING_MAX (1u << 20)			/* that many sendings wait at most, more or less */
#define ALIKE_MAX 64				/* sendings that look the same and wait */
#define HOPS_MAX 8				/* hosts that send the same packet on its way */
#define STREAM_JUMP (INT32_C(1) << 30)		/* no window is larger: further back a new stream has begun */
#define SWEEP 65536				/* packets between two looks for what has waited too long */

/* Where a host's packets are, in one of the two directions. */
struct cursor {
	unsigned host;
	bool receptions;
	void *state;
	int64_t shift;		/* to be added to times for the walk */
	struct sync_packet packet;
	bool ended;
};

/* A stretch of a stream that was sent for the first time. */
struct stretch {
	uint32_t first, length;
	int64_t time, walked;	/* of the host; of the walk */
	uint64_t number;
};

/* What one host sent of a flow: [begin, len) of stretches wait, in order of sequence numbers. */
struct sending {
	unsigned host;
	GArray *stretches;
	guint begin;
};

struct flow {
	struct sync_flow_key key;
	GArray *sendings;	/* of struct sending: more than one where hosts forward packets */
	int64_t used;		/* of the walk */
};

/* One sending of a packet without a place in a stream. */
struct single {
	unsigned host;
	int64_t time, walked;
	uint64_t number;
	struct single *next;
};

/* All that look the same and wait, the oldest first. */
struct alike {
	uint64_t low, high;
	struct single *singles;		/* owned */
	unsigned n;
};

struct match {
	unsigned n;
	struct cursor *cursors;		/* 2 n */
	unsigned *heap;			/* of those not ended, the earliest first */
	unsigned heap_size;
	GHashTable *flows;		/* struct sync_flow_key * → struct flow *, owned */
	GHashTable *alikes;		/* struct alike * → itself, owned */
	unsigned waiting;
	int64_t now;
	void (*pair)(void *data, const struct sync_pair *pair);
	void *data;
	struct sync_counts *counts;
};

/* ---- the walk ---- */

static int64_t walked(const struct cursor *c)
{
	int64_t t;

	return __builtin_add_overflow(c->packet.time, c->shift, &t) ? (c->shift > 0 ? INT64_MAX : INT64_MIN) : t;
}

static void advance(const struct sync_source *source, struct cursor *c)
{
	do
		c->ended = !source->next(c->state, &c->packet);
	while (!c->ended && c->packet.received != c->receptions);
}

static bool is_before(const struct match *m, unsigned a, unsigned b)
{
	int64_t x = walked(&m->cursors[m->heap[a]]), y = walked(&m->cursors[m->heap[b]]);

	return x < y || (x == y && m->heap[a] < m->heap[b]);
}

static void swap(struct match *m, unsigned a, unsigned b)
{
	unsigned t = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = t;
}

static void sift_down(struct match *m, unsigned i)
{
	for (;;) {
		unsigned least = i;

		for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < m->heap_size; child++)
			least = is_before(m, child, least) ? child : least;
		if (least == i)
			return;
		swap(m, i, least);
		i = least;
	}
}

static void open_all(struct match *m, const struct sync_source *sources, const int64_t *offsets)
{
	for (unsigned i = 0; i < 2 * m->n; i++) {
		struct cursor *c = &m->cursors[i];

		c->host = i / 2;
		c->receptions = i % 2 != 0;
		c->shift = -offsets[c->host] + (c->receptions ? LAG : 0);
		c->state = sources[c->host].open(sources[c->host].data);
		advance(&sources[c->host], c);
		if (!c->ended)
			m->heap[m->heap_size++] = i;
	}
	for (unsigned i = m->heap_size / 2; i-- > 0;)
		sift_down(m, i);
}

/* ---- sendings that wait ---- */

static guint flow_hash(gconstpointer key)
{
	return (guint)XXH3_64bits(key, sizeof(struct sync_flow_key));
}

static gboolean flow_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct sync_flow_key)) == 0;
}

static void flow_free(gpointer data)
{
	struct flow *f = data;

	for (guint i = 0; i < f->sendings->len; i++)
		g_array_unref(g_array_index(f->sendings, struct sending, i).stretches);
	g_array_unref(f->sendings);
	g_free(f);
}

static guint alike_hash(gconstpointer key)
{
	return (guint)((const struct alike *)key)->low;
}

static gboolean alike_equal(gconstpointer a, gconstpointer b)
{
	const struct alike *x = a, *y = b;

	return x->low == y->low && x->high == y->high;
}

/* Take the single at *PLACE out. */
static void drop_single(struct match *m, struct alike *a, struct single **place)
{
	struct single *s = *place;

	*place = s->next;
	g_free(s);
	a->n--;
	m->waiting--;
}

static void alike_free(gpointer data)
{
	struct alike *a = data;

	while (a->singles != NULL) {
		struct single *s = a->singles;

		a->singles = s->next;
		g_free(s);
	}
	g_free(a);
}

static struct sending *sending_of(struct match *m, const struct sync_identity *id, unsigned host)
{
	struct flow *f = g_hash_table_lookup(m->flows, &id->flow);
	struct sending new = { .host = host };

	if (f == NULL) {
		f = g_new(struct flow, 1);
		f->key = id->flow;
		f->sendings = g_array_new(FALSE, FALSE, sizeof(struct sending));
		g_hash_table_insert(m->flows, &f->key, f);
	}
	f->used = m->now;
	for (guint i = 0; i < f->sendings->len; i++) {
		struct sending *s = &g_array_index(f->sendings, struct sending, i);

		if (s->host == host)
			return s;
	}
	new.stretches = g_array_new(FALSE, FALSE, sizeof(struct stretch));
	g_array_append_val(f->sendings, new);
	return &g_array_index(f->sendings, struct sending, f->sendings->len - 1);
}

/* How far A is after B in the stream: sequence numbers wrap. */
static int32_t after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

/* The stream begins anew: the ports are used again, and what still waits is of another connection. */
static bool is_new_stream(const struct sync_identity *id, const struct stretch *last)
{
	return (id->begins && id->first != last->first) || after(last->first, id->first) > STREAM_JUMP;
}

/* What of the stretch was not sent before waits. */
static void send_stretch(struct match *m, const struct sync_identity *id, const struct cursor *c)
{
	struct sending *s = sending_of(m, id, c->host);
	struct stretch new = { .first = id->first, .length = id->length, .time = c->packet.time, .walked = m->now, .number = c->packet.number };
	const struct stretch *last = s->stretches->len > s->begin ? &g_array_index(s->stretches, struct stretch, s->stretches->len - 1) : NULL;

	if (last != NULL && is_new_stream(id, last)) {
		m->waiting -= s->stretches->len - s->begin;
		g_array_set_size(s->stretches, 0);
		s->begin = 0;
	} else if (last != NULL) {
		int32_t fresh = after(new.first + new.length, last->first + last->length);
		int32_t again = after(last->first + last->length, new.first);

		if (fresh <= 0) {
			m->counts[c->host].resent++;
			return;
		}
		if (again > 0) {
			new.first += (uint32_t)again;
			new.length = (uint32_t)fresh;
		}
	}
	g_array_append_val(s->stretches, new);
	m->waiting++;
}

static void send_single(struct match *m, const struct sync_identity *id, const struct cursor *c)
{
	struct alike key = { .low = id->low, .high = id->high }, *a = g_hash_table_lookup(m->alikes, &key);
	struct single *new, **place;

	if (a == NULL) {
		a = g_new(struct alike, 1);
		*a = key;
		g_hash_table_add(m->alikes, a);
	}
	if (a->n == ALIKE_MAX) {
		m->counts[c->host].resent++;
		return;
	}
	new = g_new(struct single, 1);
	*new = (struct single){ .host = c->host, .time = c->packet.time, .walked = m->now, .number = c->packet.number };
	for (place = &a->singles; *place != NULL; )
		place = &(*place)->next;
	*place = new;
	a->n++;
	m->waiting++;
}

/* ---- receptions ---- */

static void give_pair(struct match *m, const struct cursor *c, unsigned sender, int64_t sent, uint64_t number)
{
	struct sync_pair pair = {
		.sender = sender, .receiver = c->host, .sent = sent, .received = c->packet.time,
		.sent_number = number, .received_number = c->packet.number,
	};

	m->pair(m->data, &pair);
}

/* The stretch that holds byte AT of the stream, NULL when none that waits does. */
static const struct stretch *find_stretch(const struct sending *s, uint32_t at)
{
	guint low = s->begin, high = s->stretches->len;
	const struct stretch *found;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (after(g_array_index(s->stretches, struct stretch, middle).first, at) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->begin)
		return NULL;
	found = &g_array_index(s->stretches, struct stretch, low - 1);
	return at - found->first < found->length ? found : NULL;
}

static bool receive_stretch(struct match *m, const struct sync_identity *id, const struct cursor *c)
{
	struct flow *f = g_hash_table_lookup(m->flows, &id->flow);
	bool found = false;

	for (guint i = 0; f != NULL && i < f->sendings->len; i++) {
		const struct sending *s = &g_array_index(f->sendings, struct sending, i);
		const struct stretch *t = s->host != c->host ? find_stretch(s, id->first + id->length - 1) : NULL;

		if (t == NULL)
			continue;
		f->used = m->now;
		give_pair(m, c, s->host, t->time, t->number);
		found = true;
	}
	return found;
}

/*
 * The n-th reception of what looks the same is that of the n-th sending or, where
 * some were lost, of a later one: so it never seems to arrive too early.  Each
 * host that sent it on the way counts by itself.
 */
static bool receive_single(struct match *m, const struct sync_identity *id, const struct cursor *c)
{
	struct alike key = { .low = id->low, .high = id->high }, *a = g_hash_table_lookup(m->alikes, &key);
	unsigned hosts[HOPS_MAX], n = 0;

	for (struct single **place = a != NULL ? &a->singles : NULL; place != NULL && *place != NULL && n < HOPS_MAX; ) {
		const struct single *s = *place;
		bool taken = s->host == c->host;

		for (unsigned i = 0; i < n; i++)
			taken = taken || hosts[i] == s->host;
		if (taken) {
			place = &(*place)->next;
			continue;
		}
		hosts[n++] = s->host;
		give_pair(m, c, s->host, s->time, s->number);
		drop_single(m, a, place);
	}
	return n > 0;
}

/* ---- giving up ---- */

static void sweep_sending(struct match *m, struct sending *s, int64_t before)
{
	while (s->begin < s->stretches->len && g_array_index(s->stretches, struct stretch, s->begin).walked < before) {
		s->begin++;
		m->waiting--;
	}
	if (s->begin > s->stretches->len / 2) {
		g_array_remove_range(s->stretches, 0, s->begin);
		s->begin = 0;
	}
}

struct sweep {
	struct match *match;
	int64_t before;
};

static gboolean sweep_flow(gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct flow *f = value;
	guint left = 0;

	(void)key;
	for (guint i = 0; i < f->sendings->len; i++) {
		struct sending *s = &g_array_index(f->sendings, struct sending, i);

		sweep_sending(sweep->match, s, sweep->before);
		left += s->stretches->len - s->begin;
	}
	return left == 0 && f->used < sweep->before;
}

static gboolean sweep_alike(gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct alike *a = value;

	(void)key;
	while (a->singles != NULL && a->singles->walked < sweep->before) {
		sweep->match->counts[a->singles->host].aged++;
		drop_single(sweep->match, a, &a->singles);
	}
	return a->singles == NULL;
}

/* Forget what has waited longer than KEEP, and when that leaves too much, than half of that, …. */
static void sweep_all(struct match *m)
{
	for (int64_t keep = KEEP; ; keep /= 2) {
		struct sweep sweep = { m, m->now > INT64_MIN + keep + LAG ? m->now - keep - LAG : INT64_MIN };

		g_hash_table_foreach_remove(m->flows, sweep_flow, &sweep);
		g_hash_table_foreach_remove(m->alikes, sweep_alike, &sweep);
		if (m->waiting <= WAITING_MAX || keep == 0)
			return;
	}
}

/* ---- all of it ---- */

static void take_packet(struct match *m, const struct cursor *c)
{
	struct sync_counts *counts = &m->counts[c->host];
	struct sync_identity id;
	bool found;

	if (c->receptions)
		counts->received++;
	else
		counts->sent++;
	sync_identify(&c->packet.packet, &id);
	if (id.name == SYNC_NAMELESS) {
		counts->nameless++;
	} else if (!c->receptions && id.name == SYNC_STRETCH) {
		send_stretch(m, &id, c);
	} else if (!c->receptions) {
		send_single(m, &id, c);
	} else {
		found = id.name == SYNC_STRETCH ? receive_stretch(m, &id, c) : receive_single(m, &id, c);
		counts->matched += found;
	}
}

static void walk(struct match *m, const struct sync_source *sources)
{
	for (uint64_t n = 1; m->heap_size > 0; n++) {
		struct cursor *c = &m->cursors[m->heap[0]];

		m->now = walked(c);
		take_packet(m, c);
		advance(&sources[c->host], c);
		if (c->ended)
			m->heap[0] = m->heap[--m->heap_size];
		sift_down(m, 0);
		if (n % SWEEP == 0)
			sweep_all(m);
	}
}

void sync_match(const struct sync_source *sources, unsigned n, void (*pair)(void *data, const struct sync_pair *pair), void *data,
		struct sync_counts *counts)
{
	struct match m = { .n = n, .pair = pair, .data = data, .counts = counts };
	int64_t *offsets = g_new(int64_t, n);
	unsigned *groups = g_new(unsigned, n);

	memset(counts, 0, n * sizeof *counts);
	sync_survey(sources, n, offsets, groups);
	m.cursors = g_new0(struct cursor, 2 * (gsize)n);
	m.heap = g_new(unsigned, 2 * (gsize)n);
	m.flows = g_hash_table_new_full(flow_hash, flow_equal, NULL, flow_free);
	m.alikes = g_hash_table_new_full(alike_hash, alike_equal, NULL, alike_free);
	open_all(&m, sources, offsets);
	walk(&m, sources);
	for (unsigned i = 0; i < 2 * n; i++)
		sources[i / 2].close(m.cursors[i].state);
	g_hash_table_unref(m.flows);
	g_hash_table_unref(m.alikes);
	g_free(m.cursors);
	g_free(m.heap);
	g_free(offsets);
	g_free(groups);
}
