/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings wait in two places, stretches of a TCP stream in their
 * flow, in order of sequence numbers, and single packets in a table by their
 * hash.  What has waited too long is given up.
 */
#include "sync/sync_waiting.h"

#include <string.h>
#include <xxhash.h>

#define KEEP (INT64_C(60) * 1000000000)		/* a sending waits for that long after its reception could be seen */
#define WAITING_MAX (1u << 20)			/* that many sendings wait at most, more or less */
#define ALIKE_MAX 64				/* sendings that look the same and wait */
#define HOPS_MAX 8				/* hosts that send the same packet on its way */
#define STREAM_JUMP (INT32_C(1) << 30)		/* no window is larger: further back a new stream has begun */

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

struct sync_waiting {
	GHashTable *flows;		/* struct sync_flow_key * → struct flow *, owned */
	GHashTable *alikes;		/* struct alike * → itself, owned */
	unsigned waiting;
	void (*pair)(void *data, const struct sync_pair *pair);
	void *data;
	struct sync_counts *counts;	/* weak */
};

/* ---- tables ---- */

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
static void drop_single(struct sync_waiting *w, struct alike *a, struct single **place)
{
	struct single *s = *place;

	*place = s->next;
	g_free(s);
	a->n--;
	w->waiting--;
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

static struct sending *sending_of(struct sync_waiting *w, const struct sync_identity *id, unsigned host, int64_t at)
{
	struct flow *f = g_hash_table_lookup(w->flows, &id->flow);
	struct sending new = { .host = host };

	if (f == NULL) {
		f = g_new(struct flow, 1);
		f->key = id->flow;
		f->sendings = g_array_new(FALSE, FALSE, sizeof(struct sending));
		g_hash_table_insert(w->flows, &f->key, f);
	}
	f->used = at;
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
static void send_stretch(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct sending *s = sending_of(w, id, step->host, step->at);
	struct stretch new = { .first = id->first, .length = id->length, .time = step->packet.time, .walked = step->at, .number = step->packet.number };
	const struct stretch *last = s->stretches->len > s->begin ? &g_array_index(s->stretches, struct stretch, s->stretches->len - 1) : NULL;

	if (last != NULL && is_new_stream(id, last)) {
		w->waiting -= s->stretches->len - s->begin;
		g_array_set_size(s->stretches, 0);
		s->begin = 0;
	} else if (last != NULL) {
		int32_t fresh = after(new.first + new.length, last->first + last->length);
		int32_t again = after(last->first + last->length, new.first);

		if (fresh <= 0) {
			w->counts[step->host].resent++;
			return;
		}
		if (again > 0) {
			new.first += (uint32_t)again;
			new.length = (uint32_t)fresh;
		}
	}
	g_array_append_val(s->stretches, new);
	w->waiting++;
}

static void send_single(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct alike key = { .low = id->low, .high = id->high }, *a = g_hash_table_lookup(w->alikes, &key);
	struct single *new, **place;

	if (a == NULL) {
		a = g_new(struct alike, 1);
		*a = key;
		g_hash_table_add(w->alikes, a);
	}
	if (a->n == ALIKE_MAX) {
		w->counts[step->host].resent++;
		return;
	}
	new = g_new(struct single, 1);
	*new = (struct single){ .host = step->host, .time = step->packet.time, .walked = step->at, .number = step->packet.number };
	for (place = &a->singles; *place != NULL; )
		place = &(*place)->next;
	*place = new;
	a->n++;
	w->waiting++;
}

/* ---- receptions ---- */

static void give_pair(struct sync_waiting *w, const struct sync_step *step, unsigned sender, int64_t sent, uint64_t number)
{
	struct sync_pair pair = {
		.sender = sender, .receiver = step->host, .sent = sent, .received = step->packet.time,
		.sent_number = number, .received_number = step->packet.number,
	};

	w->pair(w->data, &pair);
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

static bool receive_stretch(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct flow *f = g_hash_table_lookup(w->flows, &id->flow);
	bool found = false;

	for (guint i = 0; f != NULL && i < f->sendings->len; i++) {
		const struct sending *s = &g_array_index(f->sendings, struct sending, i);
		const struct stretch *t = s->host != step->host ? find_stretch(s, id->first + id->length - 1) : NULL;

		if (t == NULL)
			continue;
		f->used = step->at;
		give_pair(w, step, s->host, t->time, t->number);
		found = true;
	}
	return found;
}

/*
 * The n-th reception of what looks the same is that of the n-th sending or, where
 * some were lost, of a later one: so it never seems to arrive too early.  Each
 * host that sent it on the way counts by itself.
 */
static bool receive_single(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct alike key = { .low = id->low, .high = id->high }, *a = g_hash_table_lookup(w->alikes, &key);
	unsigned hosts[HOPS_MAX], n = 0;

	for (struct single **place = a != NULL ? &a->singles : NULL; place != NULL && *place != NULL && n < HOPS_MAX; ) {
		const struct single *s = *place;
		bool taken = s->host == step->host;

		for (unsigned i = 0; i < n; i++)
			taken = taken || hosts[i] == s->host;
		if (taken) {
			place = &(*place)->next;
			continue;
		}
		hosts[n++] = s->host;
		give_pair(w, step, s->host, s->time, s->number);
		drop_single(w, a, place);
	}
	return n > 0;
}

/* ---- giving up ---- */

static void sweep_sending(struct sync_waiting *w, struct sending *s, int64_t before)
{
	while (s->begin < s->stretches->len && g_array_index(s->stretches, struct stretch, s->begin).walked < before) {
		s->begin++;
		w->waiting--;
	}
	if (s->begin > s->stretches->len / 2) {
		g_array_remove_range(s->stretches, 0, s->begin);
		s->begin = 0;
	}
}

struct sweep {
	struct sync_waiting *waiting;
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

		sweep_sending(sweep->waiting, s, sweep->before);
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
		sweep->waiting->counts[a->singles->host].aged++;
		drop_single(sweep->waiting, a, &a->singles);
	}
	return a->singles == NULL;
}

/* Forget what has waited longer than KEEP, and when that leaves too much, than half of that, …. */
void sync_waiting_sweep(struct sync_waiting *w, int64_t at)
{
	for (int64_t keep = KEEP; ; keep /= 2) {
		struct sweep sweep = { w, at > INT64_MIN + keep + SYNC_LAG ? at - keep - SYNC_LAG : INT64_MIN };

		g_hash_table_foreach_remove(w->flows, sweep_flow, &sweep);
		g_hash_table_foreach_remove(w->alikes, sweep_alike, &sweep);
		if (w->waiting <= WAITING_MAX || keep == 0)
			return;
	}
}

/* ---- from outside ---- */

struct sync_waiting *sync_waiting_new(void (*pair)(void *data, const struct sync_pair *pair), void *data, struct sync_counts *counts)
{
	struct sync_waiting *w = g_new0(struct sync_waiting, 1);

	w->flows = g_hash_table_new_full(flow_hash, flow_equal, NULL, flow_free);
	w->alikes = g_hash_table_new_full(alike_hash, alike_equal, NULL, alike_free);
	w->pair = pair;
	w->data = data;
	w->counts = counts;
	return w;
}

void sync_waiting_free(struct sync_waiting *w)
{
	if (w == NULL)
		return;
	g_hash_table_unref(w->flows);
	g_hash_table_unref(w->alikes);
	g_free(w);
}

void sync_waiting_send(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	if (id->name == SYNC_STRETCH)
		send_stretch(w, id, step);
	else
		send_single(w, id, step);
}

bool sync_waiting_receive(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	return id->name == SYNC_STRETCH ? receive_stretch(w, id, step) : receive_single(w, id, step);
}
