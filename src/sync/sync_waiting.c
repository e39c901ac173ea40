/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings wait in two places, stretches of a TCP stream with their
 * flow (sync_stream.c), single packets by their hash (sync_alike.c).  What has waited too long is given up.
 */
#include "sync/sync_waiting.h"

#include "sync/sync_alike.h"
#include "sync/sync_stream.h"

#include <string.h>
#include <xxhash.h>

#define KEEP (INT64_C(60) * 1000000000)		/* a sending waits for that long after its reception could be seen */
#define WAITING_MAX (1u << 20)			/* that many wait at most, but for those whose reception cannot have been seen yet */

struct flow {
	struct sync_flow_key key;
	GArray *ends;		/* of struct sync_end: the hosts that it passes */
	int64_t used;		/* of the walk */
};

struct sync_waiting {
	GHashTable *flows;		/* struct sync_flow_key * → struct flow *, owned */
	struct sync_alikes *alikes;	/* owned */
	unsigned stretches;
	void (*pair)(void *data, const struct sync_pair *pair);
	void *data;
	struct sync_counts *counts;	/* weak */
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

	if (f == NULL) {
		f = g_new(struct flow, 1);
		f->key = *key;
		f->ends = g_array_new(FALSE, FALSE, sizeof(struct sync_end));
		g_hash_table_insert(w->flows, &f->key, f);
	}
	f->used = at;
	return f;
}

static struct sync_end *end_of(struct flow *f, unsigned host)
{
	struct sync_end new = { .host = host };

	for (guint i = 0; i < f->ends->len; i++)
		if (g_array_index(f->ends, struct sync_end, i).host == host)
			return &g_array_index(f->ends, struct sync_end, i);
	g_array_append_val(f->ends, new);
	return &g_array_index(f->ends, struct sync_end, f->ends->len - 1);
}

/* ---- stretches ---- */

static void count_gone(struct sync_waiting *w, unsigned host, const struct sync_gone *gone)
{
	w->stretches -= gone->stretches;
	w->counts[host].aged += gone->lost;
}

static bool send_stretch(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct sync_end *end = end_of(flow_of(w, &id->flow, step->at), step->host);
	struct sync_gone gone = { 0 };
	bool is_new = sync_end_send(end, id, step, &gone);

	count_gone(w, step->host, &gone);
	w->stretches += is_new;
	return is_new;
}

static void give_pair(struct sync_waiting *w, const struct sync_step *step, unsigned sender, struct sync_stretch *stretch)
{
	struct sync_pair pair = {
		.sender = sender, .receiver = step->host, .sent = stretch->time, .received = step->packet.time,
		.sent_number = stretch->number, .received_number = step->packet.number,
	};

	stretch->found = true;
	w->pair(w->data, &pair);
}

/* Look for who sent byte LAST, at RECEIVER. */
static enum sync_verdict find_stretches(struct sync_waiting *w, const struct flow *f, const struct sync_end *receiver, uint32_t last,
					const struct sync_step *step)
{
	struct sync_stretch *own = sync_end_find(receiver, receiver, last);
	enum sync_verdict verdict = SYNC_UNKNOWN;

	if (own != NULL && own->time <= step->packet.time) {
		own->found = true;
		return SYNC_OWN;
	}
	for (guint i = 0; i < f->ends->len; i++) {
		const struct sync_end *end = &g_array_index(f->ends, struct sync_end, i);
		struct sync_stretch *t = end != receiver ? sync_end_find(end, receiver, last) : NULL;

		if (t == NULL)
			continue;
		give_pair(w, step, end->host, t);
		verdict = SYNC_FOUND;
	}
	return verdict;
}

static enum sync_verdict receive_stretch(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	struct flow *f = flow_of(w, &id->flow, step->at);
	struct sync_end *receiver = end_of(f, step->host);
	uint32_t last;

	if (!sync_end_receive(receiver, id, &last))
		return SYNC_AGAIN;
	return find_stretches(w, f, receiver, last, step);
}

/* ---- giving up ---- */

struct sweep {
	struct sync_waiting *waiting;
	int64_t before;
};

static gboolean sweep_flow(gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct flow *f = value;
	unsigned left = 0;

	(void)key;
	for (guint i = 0; i < f->ends->len; i++) {
		struct sync_end *end = &g_array_index(f->ends, struct sync_end, i);
		struct sync_gone gone = { 0 };

		left += sync_end_sweep(end, sweep->before, &gone);
		count_gone(sweep->waiting, end->host, &gone);
	}
	return left == 0 && f->used < sweep->before;
}

static void sweep_all(struct sync_waiting *w, int64_t before)
{
	struct sweep sweep = { w, before };

	g_hash_table_foreach_remove(w->flows, sweep_flow, &sweep);
	sync_alikes_sweep(w->alikes, before);
}

/* Forget what has waited longer than KEEP, and when that leaves too much, than half of that, …. */
void sync_waiting_sweep(struct sync_waiting *w, int64_t at)
{
	for (int64_t keep = KEEP; ; keep /= 2) {
		sweep_all(w, at > INT64_MIN + keep + SYNC_LAG ? at - keep - SYNC_LAG : INT64_MIN);
		if (w->stretches + sync_alikes_waiting(w->alikes) <= WAITING_MAX || keep == 0)
			return;
	}
}

/* ---- from outside ---- */

struct sync_waiting *sync_waiting_new(void (*pair)(void *data, const struct sync_pair *pair), void *data, struct sync_counts *counts)
{
	struct sync_waiting *w = g_new0(struct sync_waiting, 1);

	w->flows = g_hash_table_new_full(flow_hash, flow_equal, NULL, flow_free);
	w->alikes = sync_alikes_new(counts);
	w->pair = pair;
	w->data = data;
	w->counts = counts;
	return w;
}

void sync_waiting_free(struct sync_waiting *w)
{
	if (w == NULL)
		return;
	sweep_all(w, INT64_MAX);
	sync_alikes_free(w->alikes);
	g_hash_table_unref(w->flows);
	g_free(w);
}

bool sync_waiting_send(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	return id->name == SYNC_STRETCH ? send_stretch(w, id, step) : sync_alikes_see(w->alikes, id, step);
}

void sync_waiting_arrive(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	if (id->name == SYNC_SINGLE)
		sync_alikes_see(w->alikes, id, step);
}

enum sync_verdict sync_waiting_receive(struct sync_waiting *w, const struct sync_identity *id, const struct sync_step *step)
{
	return id->name == SYNC_STRETCH ? receive_stretch(w, id, step) : sync_alikes_receive(w->alikes, id, step, w->pair, w->data);
}
