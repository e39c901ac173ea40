/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings wait in two places, stretches of a TCP stream with their flow (sync_stream.c),
 * single packets by their hash (sync_lookalike.c).  Sendings that waited too long are forgotten, and so is
 * the older half when all need more memory than BYTES_MAX.  A pass over all data comes only after as much new
 * data as it visits, so time stays linear.
 */
#include "sync/sync_match.h"

#include "base/base_search.h"
#include "sync/sync_match_parts.h"

#include <string.h>
#include <xxhash.h>

#define SWEEP 1024 /* packets between two sweeps */
/* ns that a sending waits after its reception could be seen. */
#define KEEP (INT64_C(60) * 1000000000)
/* Bytes kept at most, including flows in which nothing waits. */
#define BYTES_MAX ((size_t)84 << 20)
#define FLOW_BYTES 144 /* of a flow, its place in the table included, without its ends */

struct flow {
	struct sync_flow_key key;
	GArray *ends; /* of struct sync_end: the hosts that it passes */
	int64_t used; /* of the walk */
};

struct waiting {
	GHashTable *flows;                  /* struct sync_flow_key * → struct flow *, owned */
	struct sync_lookalikes *lookalikes; /* owned */
	size_t flow_bytes;                  /* of all of them */
	int64_t swept;                      /* time of the walk */
	int64_t cut;                        /* sendings up to this time may be missing; INT64_MIN: none are */
	sync_pair_func *pair;
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

static struct flow *flow_of(struct waiting *w, const struct sync_flow_key *key, int64_t at)
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

static struct sync_end *match_end_of(struct waiting *w, struct flow *f, unsigned host)
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

/* False if all of the stretch had been sent before. */
static bool send_stretch(struct waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct sync_end *end = match_end_of(w, flow_of(w, &id->flow, step->at), step->host);
	size_t before = sync_end_bytes(end);
	bool is_new = sync_end_send(end, id, step, &w->counts[step->host]);

	w->flow_bytes += sync_end_bytes(end) - before;
	return is_new;
}

/* Match RECEIVER's byte LAST with the stretches of the other hosts. */
static enum sync_verdict find_stretches(struct waiting *w, const struct flow *f,
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
		t->found = true;
		w->pair(w->data,
			&(struct sync_pair){ end->host, step->host, t->time, step->packet.time, t->number,
				step->packet.number });
		verdict = SYNC_FOUND;
	}
	return verdict;
}

static enum sync_verdict receive_stretch(struct waiting *w, const struct sync_identity *id,
	const struct sync_step *step)
{
	struct flow *f = flow_of(w, &id->flow, step->at);
	struct sync_end *receiver = match_end_of(w, f, step->host);
	size_t before = sync_end_bytes(receiver);
	uint32_t last;
	bool is_new = sync_end_receive(receiver, id, &last);

	w->flow_bytes += sync_end_bytes(receiver) - before;
	return is_new ? find_stretches(w, f, receiver, last, step) : SYNC_AGAIN;
}

/* ---- giving up ---- */

struct sweep {
	struct waiting *waiting;
	struct sync_age age;
};

static gboolean sweep_flow(G_GNUC_UNUSED gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct waiting *w = sweep->waiting;
	struct flow *f = value;
	size_t before = FLOW_BYTES, after = FLOW_BYTES;
	unsigned left = 0;

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

static void sweep_all(struct waiting *w, int64_t upto, int64_t seen)
{
	struct sweep sweep = { w, { upto, seen } };

	g_hash_table_foreach_remove(w->flows, sweep_flow, &sweep);
	sync_lookalikes_sweep(w->lookalikes, &sweep.age);
}

/* The median time of the kept data, by bytes. */
static int64_t middle(struct waiting *w)
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

/* TIME minus AGO. */
static int64_t ago(int64_t time, int64_t ago)
{
	return time > INT64_MIN + ago ? time - ago : INT64_MIN;
}

/* The walk is at AT: forget sendings that waited too long, and the older half if too much is kept.  Cheap if
 * there is nothing to do. */
static void waiting_sweep(struct waiting *w, int64_t at)
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

/* ---- the walk ---- */

static void take_reception(struct waiting *w, const struct sync_identity *id, const struct sync_step *step,
	struct sync_counts *counts)
{
	enum sync_verdict verdict;

	/* Its sending, or packets like it, may have been given up. */
	if (w->cut != INT64_MIN && ago(step->at, SYNC_LAG + SYNC_SILENCE) <= w->cut)
		verdict = SYNC_GIVEN_UP;
	else if (id->name == SYNC_STRETCH)
		verdict = receive_stretch(w, id, step);
	else
		verdict = sync_lookalikes_receive(w->lookalikes, id, step, w->cut, w->pair, w->data);
	counts->matched += verdict == SYNC_FOUND;
	counts->ambiguous += verdict == SYNC_AMBIGUOUS;
	counts->unmatched += verdict == SYNC_UNKNOWN;
	counts->again += verdict == SYNC_AGAIN;
	counts->own += verdict == SYNC_OWN;
	counts->given_up += verdict == SYNC_GIVEN_UP;
}

static void take_step(struct waiting *w, const struct sync_step *step, struct sync_counts *counts)
{
	bool received = step->late || step->packet.received, named;
	struct sync_identity id;

	sync_identify(&step->packet.packet, received, &id);
	named = id.name == SYNC_STRETCH || id.name == SYNC_SINGLE;
	if (step->late) {
		if (named)
			take_reception(w, &id, step, counts);
		return;
	}
	*(received ? &counts->received : &counts->sent) += 1;
	counts->nameless += id.name == SYNC_NAMELESS;
	counts->nameless_received += received && id.name == SYNC_NAMELESS;
	counts->own += id.name == SYNC_LOCAL;
	if (received && id.name == SYNC_SINGLE)
		sync_lookalikes_see(w->lookalikes, &id, step);
	else if (!received && named)
		counts->resent += !(id.name == SYNC_STRETCH ? send_stretch(w, &id, step)
							    : sync_lookalikes_see(w->lookalikes, &id, step));
}

void sync_match(const struct sync_source *sources, unsigned n, const struct sync_rough *rough,
	sync_pair_func *pair, void *data, struct sync_counts *counts)
{
	struct sync_walk *walk = sync_walk_new(sources, n, rough);
	struct waiting w = { .flows = g_hash_table_new_full(flow_hash, flow_equal, NULL, flow_free),
		.lookalikes = sync_lookalikes_new(counts),
		.pair = pair,
		.data = data,
		.counts = counts,
		.swept = INT64_MIN,
		.cut = INT64_MIN };
	struct sync_step step;

	memset(counts, 0, n * sizeof *counts);
	for (uint64_t i = 1; sync_walk_next(walk, &step); i++) {
		take_step(&w, &step, &counts[step.host]);
		if (i % SWEEP == 0)
			waiting_sweep(&w, step.at);
	}
	sweep_all(&w, INT64_MAX, INT64_MAX); /* counts what still waits as aged */
	sync_lookalikes_free(w.lookalikes);
	g_hash_table_unref(w.flows);
	sync_walk_free(walk);
}
