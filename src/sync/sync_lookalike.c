/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings and arrivals of what looks the same stand in a list, in the order of the walk.
 * Receptions come later in the walk than arrivals, so that when one is looked for, what was sent and what
 * arrived about that time is all there, and its run tells (sync_run.h).
 */
#include "sync/sync_lookalike.h"

#include "sync/sync_run.h"

#define ALIKE_MAX 1024 /* sightings that look the same; more tell nothing */

/* Bytes, what the allocator adds and the place in the table included. */
#define LOOKALIKE_BYTES (sizeof(struct lookalike) + 40)
#define SIGHTING_BYTES (sizeof(struct sync_sighting) + 16)

static const struct sync_age any_age = { INT64_MAX, INT64_MAX };

/* All that look the same. */
struct lookalike {
	struct sync_hash hash;
	struct sync_sighting *first, *last; /* at least one */
	unsigned n;
	bool crowded; /* there were more than can be kept, and only the last one is */
};

struct sync_lookalikes {
	GHashTable *all; /* struct lookalike * → itself, owned */
	size_t sightings;
	struct sync_counts *counts; /* weak */
};

static guint lookalike_hash(gconstpointer key)
{
	return (guint)((const struct lookalike *)key)->hash.low;
}

static gboolean lookalike_equal(gconstpointer a, gconstpointer b)
{
	const struct lookalike *x = a, *y = b;

	return x->hash.low == y->hash.low && x->hash.high == y->hash.high;
}

static void lookalike_free(gpointer data)
{
	struct lookalike *a = data;

	while (a->first) {
		struct sync_sighting *s = a->first;

		a->first = s->next;
		g_free(s);
	}
	g_free(a);
}

/* Forget the first sighting of A, as AGE says. */
static void drop_first(struct sync_lookalikes *all, struct lookalike *a, const struct sync_age *age)
{
	struct sync_sighting *s = a->first;

	if (!s->arrival && !s->done)
		sync_age_count(age, s->walked, &all->counts[s->host]);
	a->first = s->next;
	a->last = a->first ? a->last : NULL;
	a->n--;
	all->sightings--;
	g_free(s);
}

/* ---- sightings ---- */

/* Was the packet just handed on by another interface of its host?  Then there are sightings of that host, all
 * by the first interface. */
static bool is_handed_on(const struct lookalike *a, const struct sync_step *step)
{
	const struct sync_sighting *before = NULL;

	for (const struct sync_sighting *s = a->first; s; s = s->next)
		if (s->host == step->host && s->arrival == step->packet.received)
			before = s;
	return before && before->device != step->packet.device &&
		sync_walk_passed(before->walked, step->at) <= SYNC_SILENCE;
}

static struct lookalike *lookalike_of(struct sync_lookalikes *all, const struct sync_hash *hash)
{
	struct lookalike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);

	if (!a) {
		a = g_new(struct lookalike, 1);
		*a = key;
		g_hash_table_add(all->all, a);
	}
	return a;
}

/* Are there too many that look the same, at AT?  Until all receptions of the crowd are over.  Makes room for
 * the next one. */
static void thin_out(struct sync_lookalikes *all, struct lookalike *a, int64_t at)
{
	bool over = a->crowded && sync_walk_passed(a->last->walked, at) > SYNC_LAG + SYNC_SILENCE;

	a->crowded = a->crowded || a->n == ALIKE_MAX;
	while (a->crowded && a->first)
		drop_first(all, a, &any_age);
	a->crowded = a->crowded && !over;
}

static bool see(struct sync_lookalikes *all, const struct sync_hash *hash, const struct sync_step *step)
{
	struct lookalike *a = lookalike_of(all, hash);
	struct sync_sighting *new;

	if (is_handed_on(a, step))
		return false;
	thin_out(all, a, step->at);
	new = g_new(struct sync_sighting, 1);
	*new = (struct sync_sighting){ .host = step->host,
		.device = step->packet.device,
		.arrival = step->packet.received,
		.time = step->packet.time,
		.walked = step->at,
		.number = step->packet.number };
	*(a->last ? &a->last->next : &a->first) = new;
	a->last = new;
	a->n++;
	all->sightings++;
	return true;
}

bool sync_lookalikes_see(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step)
{
	bool seen = false;

	for (unsigned i = 0; i < id->n_hashes; i++)
		seen = see(all, &id->hashes[i], step) || seen;
	return seen;
}

/* ---- receptions ---- */

/* Forget the runs at the beginning of A that are over. */
static void drop_over(struct sync_lookalikes *all, struct lookalike *a, int64_t now)
{
	while (a->first) {
		struct sync_run run = sync_run_from(a->first);

		if (!sync_run_is_over(&run, now))
			return;
		while (a->first != run.end)
			drop_first(all, a, &any_age);
	}
	g_hash_table_remove(all->all, a);
}

/* The arrival of STEP; NULL where it does not stand here. */
static struct sync_sighting *arrival_of(const struct lookalike *a, const struct sync_step *step)
{
	struct sync_sighting *s = a ? a->first : NULL;

	while (s && !(s->arrival && s->host == step->host && s->number == step->packet.number))
		s = s->next;
	return s;
}

/* May something of the beginning of RUN be missing, as what was up to CUT is? */
static bool is_cut(const struct sync_run *run, int64_t cut)
{
	return cut != INT64_MIN &&
		(run->first->walked <= cut || sync_walk_passed(cut, run->first->walked) <= SYNC_SILENCE);
}

/* Look for the sending of STEP under one of its names; LOOK: else only note that it is looked for no more. */
static enum sync_verdict receive(struct sync_lookalikes *all, const struct sync_hash *hash,
	const struct sync_step *step, bool look, int64_t cut,
	void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct lookalike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);
	struct sync_sighting *arrival = arrival_of(a, step);
	enum sync_verdict verdict = SYNC_AGAIN;
	struct sync_run run;

	if (a && a->crowded)
		return SYNC_AMBIGUOUS;
	if (arrival && look) {
		run = sync_run_of(a->first, arrival);
		verdict = is_cut(&run, cut) ? SYNC_GIVEN_UP : sync_run_match(&run, arrival, step, pair, data);
	}
	if (arrival)
		arrival->done = true;
	if (a)
		drop_over(all, a, step->at);
	return verdict;
}

enum sync_verdict sync_lookalikes_receive(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step, int64_t cut, void (*pair)(void *data, const struct sync_pair *pair),
	void *data)
{
	enum sync_verdict verdict = SYNC_UNKNOWN;

	for (unsigned i = 0; i < id->n_hashes; i++) {
		bool look = verdict == SYNC_UNKNOWN;
		enum sync_verdict one = receive(all, &id->hashes[i], step, look, cut, pair, data);

		if (look)
			verdict = one;
	}
	return verdict;
}

/* ---- from outside ---- */

struct sweep {
	struct sync_lookalikes *all;
	const struct sync_age *age;
};

static gboolean sweep_lookalike(G_GNUC_UNUSED gpointer key, gpointer value, gpointer data)
{
	const struct sweep *sweep = data;
	struct lookalike *a = value;

	while (a->first && a->first->walked <= sweep->age->upto)
		drop_first(sweep->all, a, sweep->age);
	return !a->first;
}

void sync_lookalikes_sweep(struct sync_lookalikes *all, const struct sync_age *age)
{
	struct sweep sweep = { all, age };

	g_hash_table_foreach_remove(all->all, sweep_lookalike, &sweep);
}

struct sync_lookalikes *sync_lookalikes_new(struct sync_counts *counts)
{
	struct sync_lookalikes *all = g_new0(struct sync_lookalikes, 1);

	all->all = g_hash_table_new_full(lookalike_hash, lookalike_equal, NULL, lookalike_free);
	all->counts = counts;
	return all;
}

void sync_lookalikes_free(struct sync_lookalikes *all)
{
	if (!all)
		return;
	sync_lookalikes_sweep(all, &any_age);
	g_hash_table_unref(all->all);
	g_free(all);
}

size_t sync_lookalikes_bytes(const struct sync_lookalikes *all)
{
	return g_hash_table_size(all->all) * LOOKALIKE_BYTES + all->sightings * SIGHTING_BYTES;
}

void sync_lookalikes_ages(const struct sync_lookalikes *all, struct sync_ages *ages)
{
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, all->all);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct lookalike *a = key;

		sync_ages_add(ages, a->last->walked, LOOKALIKE_BYTES);
		for (const struct sync_sighting *s = a->first; s; s = s->next)
			sync_ages_add(ages, s->walked, SIGHTING_BYTES);
	}
}
