/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings wait in two places, stretches of a TCP stream with their
 * flow (sync_stream.c), single packets by their hash (sync_lookalike.c).  What has waited too long is
 * forgotten, and when all takes more memory than it may, the older half: each look at all is paid for by as
 * much that came since the last one.
 */
#include "sync/sync_waiting.h"

#include "sync/sync_ages.h"
#include "sync/sync_lookalike.h"
#include "sync/sync_run.h"
#include "sync/sync_stream.h"

#include <string.h>
#include <xxhash.h>

/* A sending waits for that long after its reception could be seen. */
#define KEEP (INT64_C(60) * 1000000000)
/* That many are kept at most, flows without anything that waits included. */
#define BYTES_MAX ((size_t)84 << 20)
#define FLOW_BYTES 144 /* of a flow, its place in the table included, without its ends */

struct flow {
	struct sync_flow_key key;
	GArray *ends; /* of struct sync_end: the hosts that it passes */
	int64_t used; /* of the walk */
};

struct sync_waiting {
	GHashTable *flows;                  /* struct sync_flow_key * → struct flow *, owned */
	struct sync_lookalikes *lookalikes; /* owned */
	size_t flow_bytes;                  /* of all of them */
	int64_t swept;                      /* time of the walk */
	int64_t cut;                        /* what was up to then may be missing; INT64_MIN: nothing is */
	void (*pair)(void *data, const struct sync_pair *pair);
	void *data;
	struct sync_counts *counts; /* weak */
};

/* ---- flows ---- */

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

	for (guint i = 0; i < f->ends->len; i++)
		sync_end_clear(&g_array_index(f->ends, struct sync_end, i));
	g_array_unref(f->ends);
	g_free(f);
}

static struct flow *flow_of(struct sync_waiting *w, const struct sync_flow_key *key, int64_t at)
{
	struct flow *f = g_hash_table_lookup(w->flows, key);

	if (!f) {
		f = g_new(struct flow, 1);
		f->key = *key;
		f->ends = g_array_new(FALSE, FALSE, sizeof(struct sync_end));
		g_hash_table_insert(w->flows, &f->key, f);
		w->flow_bytes += FLOW_BYTES;
	}
	f->used = at;
	return f;
}

static struct sync_end *end_of(struct sync_waiting *w, struct flow *f, unsigned host)
{
	struct sync_end new = { .host = host };

	for (guint i = 0; i < f->ends->len; i++)
		if (g_array_index(f->ends, struct sync_end, i).host == host)
			return &g_array_index(f->ends, struct sync_end, i);
	g_array_append_val(f->ends, new);
	w->flow_bytes += sync_end_bytes(&new);
	return &g_array_index(f->ends, struct sync_end, f->ends->len - 1);
}

/* ---- stretches ---- */

static bool send_stretch(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct sync_end *end = end_of(w, flow_of(w, &id->flow, step->at), step->host);
	size_t before = sync_end_bytes(end);
	bool is_new = sync_end_send(end, id, step, &w->counts[step->host]);

	w->flow_bytes += sync_end_bytes(end) - before;
	return is_new;
}

static void give_pair(struct sync_waiting *w, const struct sync_step *step, unsigned sender,
	struct sync_stretch *stretch)
{
	struct sync_pair pair = { .sender = sender,
		.receiver = step->host,
		.sent = stretch->time,
		.received = step->packet.time,
		.sent_number = stretch->number,
		.received_number = step->packet.number };

	stretch->found = true;
	w->pair(w->data, &pair);
}

/* Look for who sent byte LAST, at RECEIVER. */
static enum sync_verdict find_stretches(struct sync_waiting *w, const struct flow *f,
	const struct sync_end *receiver, uint32_t last, const struct sync_step *step)
{
	struct sync_stretch *own = sync_end_find(receiver, receiver, last);
	enum sync_verdict verdict = SYNC_UNKNOWN;

	if (own && own->time <= step->packet.time) {
		own->found = true;
		return SYNC_OWN;
	}
	for (guint i = 0; i < f->ends->len; i++) {
		const struct sync_end *end = &g_array_index(f->ends, struct sync_end, i);
		struct sync_stretch *t = end != receiver ? sync_end_find(end, receiver, last) : NULL;

		if (!t)
			continue;
		give_pair(w, step, end->host, t);
		verdict = SYNC_FOUND;
	}
	return verdict;
}

static enum sync_verdict receive_stretch(struct sync_waiting *w, const struct sync_identity *id,
	const struct sync_step *step)
{
	struct flow *f = flow_of(w, &id->flow, step->at);
	struct sync_end *receiver = end_of(w, f, step->host);
	size_t before = sync_end_bytes(receiver);
	uint32_t last;
	bool is_new = sync_end_receive(receiver, id, &last);

	w->flow_bytes += sync_end_bytes(receiver) - before;
	return is_new ? find_stretches(w, f, receiver, last, step) : SYNC_AGAIN;
}

/* ---- giving up ---- */

struct sweep {
	struct sync_waiting *waiting;
	struct sync_age age;
};

static gboolean sweep_flow(gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct sync_waiting *w = sweep->waiting;
	struct flow *f = value;
	size_t before = FLOW_BYTES, after = FLOW_BYTES;
	unsigned left = 0;

	(void)key;
	for (guint i = 0; i < f->ends->len; i++) {
		struct sync_end *end = &g_array_index(f->ends, struct sync_end, i);

		before += sync_end_bytes(end);
		left += sync_end_sweep(end, &sweep->age, &w->counts[end->host]);
		after += sync_end_bytes(end);
	}
	if (left == 0 && f->used <= sweep->age.upto)
		after = 0;
	w->flow_bytes -= before - after;
	return after == 0;
}

static void sweep_all(struct sync_waiting *w, int64_t upto, int64_t seen)
{
	struct sweep sweep = { w, { upto, seen } };

	g_hash_table_foreach_remove(w->flows, sweep_flow, &sweep);
	sync_lookalikes_sweep(w->lookalikes, &sweep.age);
}

/* The time in the middle of what is kept, by bytes. */
static int64_t middle(struct sync_waiting *w)
{
	struct sync_ages ages;
	GHashTableIter iter;
	gpointer value;

	sync_ages_begin(&ages);
	g_hash_table_iter_init(&iter, w->flows);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct flow *f = value;

		sync_ages_add(&ages, f->used, FLOW_BYTES);
		for (guint i = 0; i < f->ends->len; i++)
			sync_end_ages(&g_array_index(f->ends, struct sync_end, i), f->used, &ages);
	}
	sync_lookalikes_ages(w->lookalikes, &ages);
	return sync_ages_median(&ages);
}

/* TIME, by AGO before. */
static int64_t ago(int64_t time, int64_t ago)
{
	return time > INT64_MIN + ago ? time - ago : INT64_MIN;
}

void sync_waiting_sweep(struct sync_waiting *w, int64_t at)
{
	bool full = w->flow_bytes + sync_lookalikes_bytes(w->lookalikes) > BYTES_MAX;
	int64_t upto;

	if (!full && sync_walk_passed(w->swept, at) < KEEP / 8)
		return;
	upto = full ? middle(w) : ago(at, KEEP + SYNC_LAG);
	sweep_all(w, upto, full ? ago(at, SYNC_LAG + SYNC_SILENCE) : INT64_MAX);
	if (full)
		w->cut = MAX(w->cut, upto);
	w->swept = at;
}

/* May what STEP receives, or others that look the same, have been given up? */
static bool is_cut(const struct sync_waiting *w, const struct sync_step *step)
{
	return w->cut != INT64_MIN && ago(step->at, SYNC_LAG + SYNC_SILENCE) <= w->cut;
}

/* ---- from outside ---- */

struct sync_waiting *sync_waiting_new(void (*pair)(void *data, const struct sync_pair *pair), void *data,
	struct sync_counts *counts)
{
	struct sync_waiting *w = g_new0(struct sync_waiting, 1);

	w->flows = g_hash_table_new_full(flow_hash, flow_equal, NULL, flow_free);
	w->lookalikes = sync_lookalikes_new(counts);
	w->pair = pair;
	w->data = data;
	w->counts = counts;
	w->swept = w->cut = INT64_MIN;
	return w;
}

void sync_waiting_free(struct sync_waiting *w)
{
	if (!w)
		return;
	sweep_all(w, INT64_MAX, INT64_MAX);
	sync_lookalikes_free(w->lookalikes);
	g_hash_table_unref(w->flows);
	g_free(w);
}

bool sync_waiting_send(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	return id->name == SYNC_STRETCH ? send_stretch(w, id, step)
					: sync_lookalikes_see(w->lookalikes, id, step);
}

void sync_waiting_arrive(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	if (id->name == SYNC_SINGLE)
		sync_lookalikes_see(w->lookalikes, id, step);
}

enum sync_verdict sync_waiting_receive(struct sync_waiting *w, const struct sync_identity *id,
	const struct sync_step *step)
{
	if (is_cut(w, step))
		return SYNC_GIVEN_UP;
	return id->name == SYNC_STRETCH
		? receive_stretch(w, id, step)
		: sync_lookalikes_receive(w->lookalikes, id, step, w->cut, w->pair, w->data);
}
