/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings and arrivals of what looks the same stand in a list, in the order of the walk.  Receptions come later in the
 * walk than arrivals, so that when one is looked for, what was sent and what arrived about that time is all there, and its run tells (sync_run.h).
 */
#include "sync/sync_alike.h"

#include "sync/sync_run.h"

#define ALIKE_MAX 1024				/* sightings that look the same; more tell nothing */

/* All that look the same. */
struct alike {
	struct sync_hash hash;
	struct sync_sighting *first, *last;
	unsigned n;
	bool crowded;		/* there were more than can be kept, and none is */
	int64_t seen;		/* the last one, at this time of the walk */
};

struct sync_alikes {
	GHashTable *all;	/* struct alike * → itself, owned */
	unsigned waiting;
	struct sync_counts *counts;	/* weak */
};

static guint alike_hash(gconstpointer key)
{
	return (guint)((const struct alike *)key)->hash.low;
}

static gboolean alike_equal(gconstpointer a, gconstpointer b)
{
	const struct alike *x = a, *y = b;

	return x->hash.low == y->hash.low && x->hash.high == y->hash.high;
}

static void alike_free(gpointer data)
{
	struct alike *a = data;

	while (a->first != NULL) {
		struct sync_sighting *s = a->first;

		a->first = s->next;
		g_free(s);
	}
	g_free(a);
}

/* Forget the first sighting of A. */
static void drop_first(struct sync_alikes *all, struct alike *a)
{
	struct sync_sighting *s = a->first;

	all->counts[s->host].aged += !s->arrival && !s->done;
	a->first = s->next;
	a->last = a->first != NULL ? a->last : NULL;
	a->n--;
	all->waiting--;
	g_free(s);
}

/* ---- sightings ---- */

/* Was the packet just handed on by another interface of its host?  Then there are sightings of that host, all by the first interface. */
static bool is_handed_on(const struct alike *a, const struct sync_step *step)
{
	const struct sync_sighting *before = NULL;

	for (const struct sync_sighting *s = a->first; s != NULL; s = s->next)
		if (s->host == step->host && s->arrival == step->packet.received)
			before = s;
	return before != NULL && before->device != step->packet.device && sync_walk_passed(before->walked, step->at) <= SYNC_SILENCE;
}

static struct alike *alike_of(struct sync_alikes *all, const struct sync_hash *hash)
{
	struct alike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);

	if (a == NULL) {
		a = g_new(struct alike, 1);
		*a = key;
		g_hash_table_add(all->all, a);
	}
	return a;
}

/* Are there too many that look the same, at AT?  Until all receptions of the crowd are over. */
static bool is_crowded(struct sync_alikes *all, struct alike *a, int64_t at)
{
	if (a->crowded && sync_walk_passed(a->seen, at) > SYNC_LAG + SYNC_SILENCE)
		a->crowded = false;
	a->seen = at;
	if (a->n == ALIKE_MAX)
		a->crowded = true;
	while (a->crowded && a->first != NULL)
		drop_first(all, a);
	return a->crowded;
}

static bool see(struct sync_alikes *all, const struct sync_hash *hash, const struct sync_step *step)
{
	struct alike *a = alike_of(all, hash);
	struct sync_sighting *new;

	if (is_handed_on(a, step))
		return false;
	if (is_crowded(all, a, step->at)) {
		all->counts[step->host].aged += !step->packet.received;
		return true;
	}
	new = g_new(struct sync_sighting, 1);
	*new = (struct sync_sighting){
		.host = step->host, .device = step->packet.device, .arrival = step->packet.received,
		.time = step->packet.time, .walked = step->at, .number = step->packet.number,
	};
	*(a->last != NULL ? &a->last->next : &a->first) = new;
	a->last = new;
	a->n++;
	all->waiting++;
	return true;
}

bool sync_alikes_see(struct sync_alikes *all, const struct sync_identity *id, const struct sync_step *step)
{
	bool seen = false;

	for (unsigned i = 0; i < id->n_hashes; i++)
		seen = see(all, &id->hashes[i], step) || seen;
	return seen;
}

/* ---- receptions ---- */

/* Forget the runs at the beginning of A that are over. */
static void drop_over(struct sync_alikes *all, struct alike *a, int64_t now)
{
	while (a->first != NULL) {
		struct sync_run run = sync_run_from(a->first);

		if (!sync_run_is_over(&run, now))
			return;
		while (a->first != run.end)
			drop_first(all, a);
	}
	g_hash_table_remove(all->all, a);
}

/* The arrival of STEP; NULL where it does not stand here. */
static struct sync_sighting *arrival_of(const struct alike *a, const struct sync_step *step)
{
	struct sync_sighting *s = a != NULL ? a->first : NULL;

	while (s != NULL && !(s->arrival && s->host == step->host && s->number == step->packet.number))
		s = s->next;
	return s;
}

/* Look for the sending of STEP under one of its names; LOOK: else only note that it is looked for no more. */
static enum sync_verdict receive(struct sync_alikes *all, const struct sync_hash *hash, const struct sync_step *step, bool look,
				 void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct alike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);
	struct sync_sighting *arrival = arrival_of(a, step);
	enum sync_verdict verdict = SYNC_AGAIN;
	struct sync_run run;

	if (a != NULL && a->crowded)
		return SYNC_AMBIGUOUS;
	if (arrival != NULL && look) {
		run = sync_run_of(a->first, arrival);
		verdict = sync_run_match(&run, arrival, step, pair, data);
	}
	if (arrival != NULL)
		arrival->done = true;
	if (a != NULL)
		drop_over(all, a, step->at);
	return verdict;
}

enum sync_verdict sync_alikes_receive(struct sync_alikes *all, const struct sync_identity *id, const struct sync_step *step,
				      void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	enum sync_verdict verdict = SYNC_UNKNOWN;

	for (unsigned i = 0; i < id->n_hashes; i++) {
		bool look = verdict == SYNC_UNKNOWN;
		enum sync_verdict one = receive(all, &id->hashes[i], step, look, pair, data);

		if (look)
			verdict = one;
	}
	return verdict;
}

/* ---- from outside ---- */

struct sweep {
	struct sync_alikes *all;
	int64_t before;
};

static gboolean sweep_alike(gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct alike *a = value;

	(void)key;
	while (a->first != NULL && a->first->walked < sweep->before)
		drop_first(sweep->all, a);
	return a->first == NULL && a->seen < sweep->before;
}

void sync_alikes_sweep(struct sync_alikes *all, int64_t before)
{
	struct sweep sweep = { all, before };

	g_hash_table_foreach_remove(all->all, sweep_alike, &sweep);
}

struct sync_alikes *sync_alikes_new(struct sync_counts *counts)
{
	struct sync_alikes *all = g_new0(struct sync_alikes, 1);

	all->all = g_hash_table_new_full(alike_hash, alike_equal, NULL, alike_free);
	all->counts = counts;
	return all;
}

void sync_alikes_free(struct sync_alikes *all)
{
	if (all == NULL)
		return;
	sync_alikes_sweep(all, INT64_MAX);
	g_hash_table_unref(all->all);
	g_free(all);
}

unsigned sync_alikes_waiting(const struct sync_alikes *all)
{
	return all->waiting;
}
