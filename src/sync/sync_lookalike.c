/* SPDX-License-Identifier: MIT */
/*
 * How it works: a list has the sendings and arrivals of packets that look the same, in the order of the walk.
 * A reception comes later in the walk than its arrival. So at a reception the list has everything that was
 * sent and arrived about that time, and the run of the packet decides.
 */
#include "sync/sync_match_parts.h"

#define SENDERS_MAX 8  /* hosts that send the same packet on its way */
#define ALIKE_MAX 1024 /* sightings that look the same; more decide nothing */

/* Bytes, including the allocator's overhead and the place in the table. */
#define LOOKALIKE_BYTES (sizeof(struct lookalike) + 40)
#define SIGHTING_BYTES (sizeof(struct sighting) + 16)

static const struct sync_age any_age = { INT64_MAX, INT64_MAX };

/* A packet seen on a host. */
struct sighting {
	unsigned host;
	uint32_t device;
	/* done: a sending that another host received, or an arrival whose search is over */
	bool arrival, done;
	int64_t time, walked;
	uint64_t number;
	struct sighting *next;
};

/* Sightings without silence between them: [first, end). */
struct run {
	struct sighting *first, *end;
};

/* All that look the same. */
struct lookalike {
	struct sync_hash hash;
	struct sighting *first, *last; /* at least one */
	unsigned n;
	bool crowded; /* there were more than can be kept: only the last one is kept */
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
		struct sighting *s = a->first;

		a->first = s->next;
		g_free(s);
	}
	g_free(a);
}

/* Forget the first sighting of A, as AGE says. */
static void drop_first(struct sync_lookalikes *all, struct lookalike *a, const struct sync_age *age)
{
	struct sighting *s = a->first;

	if (!s->arrival && !s->done)
		sync_age_count(age, s->walked, &all->counts[s->host]);
	a->first = s->next;
	a->last = a->first ? a->last : NULL;
	a->n--;
	all->sightings--;
	g_free(s);
}

/* ---- sightings ---- */

/* True if another interface of the host just passed the packet on.  Then all its sightings on that host are
 * by the first interface. */
static bool is_handed_on(const struct lookalike *a, const struct sync_step *step)
{
	const struct sighting *before = NULL;

	for (const struct sighting *s = a->first; s; s = s->next)
		if (s->host == step->host && s->arrival == step->packet.received)
			before = s;
	return before && before->device != step->packet.device &&
		sync_walk_passed(before->walked, step->at) <= SYNC_SILENCE;
}

static bool lookalike_see(struct sync_lookalikes *all, const struct sync_hash *hash,
	const struct sync_step *step)
{
	struct lookalike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);
	struct sighting *new;
	bool over;

	if (!a) {
		a = g_memdup2(&key, sizeof key);
		g_hash_table_add(all->all, a);
	}
	if (is_handed_on(a, step))
		return false;
	/* It stays crowded until all receptions of the crowd are over. */
	over = a->crowded && sync_walk_passed(a->last->walked, step->at) > SYNC_LAG + SYNC_SILENCE;
	a->crowded = a->crowded || a->n == ALIKE_MAX;
	while (a->crowded && a->first)
		drop_first(all, a, &any_age);
	a->crowded = a->crowded && !over;
	new = g_new(struct sighting, 1);
	*new = (struct sighting){ .host = step->host,
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
		seen = lookalike_see(all, &id->hashes[i], step) || seen;
	return seen;
}

/* ---- runs: packets without a second of silence between them; a loss in one does not affect the next ---- */

/* The run that begins with FIRST. */
static struct run run_from(struct sighting *first)
{
	struct run run = { first, first->next };

	for (const struct sighting *s = first;
		run.end && sync_walk_passed(s->walked, run.end->walked) <= SYNC_SILENCE; s = s->next)
		run.end = run.end->next;
	return run;
}

/* The arrivals at one host in a run. */
struct arrived {
	unsigned n, before; /* all; those before the arrival in question */
	unsigned sent;      /* by that host, before the arrival by its own clock */
};

static struct arrived count_arrived(const struct run *run, const struct sighting *arrival)
{
	struct arrived found = { 0 };
	bool reached = false;

	for (const struct sighting *s = run->first; s != run->end; s = s->next) {
		reached = reached || s == arrival;
		if (s->host != arrival->host)
			continue;
		found.sent += !s->arrival && s->time <= arrival->time;
		found.n += s->arrival;
		found.before += s->arrival && !reached;
	}
	return found;
}

/* The sendings of one host in a run. */
struct sender {
	unsigned host, n;
	struct sighting *nth; /* the sending in question */
};

/* All SENDERS in RUN other than HOST, each with its sending number NTH.  Returns how many. */
static unsigned find_senders(const struct run *run, unsigned host, unsigned nth, struct sender *senders)
{
	unsigned n = 0, i;

	for (struct sighting *s = run->first; s != run->end; s = s->next) {
		if (s->arrival || s->host == host)
			continue;
		for (i = 0; i < n && senders[i].host != s->host; i++)
			;
		if (i == SENDERS_MAX)
			continue;
		if (i == n)
			senders[n++] = (struct sender){ .host = s->host };
		if (senders[i].n++ == nth)
			senders[i].nth = s;
	}
	return n;
}

/* Match ARRIVAL, whose reception is STEP, with the sendings of each other host in RUN: PAIR is called with
 * DATA for each. Networks deliver packets that look the same in order. So if as many arrived at one host as
 * another one sent, the n-th arrival is the n-th sending. If some were lost, it is unknown which, and none is
 * matched. */
static enum sync_verdict match_run(const struct run *run, const struct sighting *arrival,
	const struct sync_step *step, sync_pair_func *pair, void *data)
{
	struct arrived arrived = count_arrived(run, arrival);
	struct sender senders[SENDERS_MAX];
	unsigned n = find_senders(run, step->host, arrived.before, senders);
	bool found = false;

	if (arrived.sent > arrived.before)
		return SYNC_OWN; /* a host that forwards sends after it received */
	for (unsigned i = 0; i < n; i++) {
		struct sighting *sent = senders[i].nth;

		if (senders[i].n != arrived.n || !sent)
			continue;
		sent->done = found = true;
		pair(data,
			&(struct sync_pair){ sent->host, step->host, sent->time, step->packet.time,
				sent->number, step->packet.number });
	}
	return found ? SYNC_FOUND : n > 0 ? SYNC_AMBIGUOUS : SYNC_UNKNOWN;
}

/* True if all receptions of RUN are over at NOW of the walk, and nothing will be added to it. */
static bool is_run_over(const struct run *run, int64_t now)
{
	for (const struct sighting *s = run->first; s != run->end; s = s->next)
		if ((s->arrival && !s->done) || sync_walk_passed(s->walked, now) <= SYNC_SILENCE)
			return false;
	return true;
}

/* ---- receptions ---- */

/* Forget the runs at the beginning of A that are over. */
static void drop_over(struct sync_lookalikes *all, struct lookalike *a, int64_t now)
{
	while (a->first) {
		struct run run = run_from(a->first);

		if (!is_run_over(&run, now))
			return;
		while (a->first != run.end)
			drop_first(all, a, &any_age);
	}
	g_hash_table_remove(all->all, a);
}

/* Find the sending of STEP by one of its hashes.  Without LOOK only note that its reception is over. */
static enum sync_verdict receive(struct sync_lookalikes *all, const struct sync_hash *hash,
	const struct sync_step *step, bool look, int64_t cut, sync_pair_func *pair, void *data)
{
	struct lookalike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);
	struct sighting *arrival = a ? a->first : NULL;
	enum sync_verdict verdict = SYNC_AGAIN;

	while (arrival &&
		!(arrival->arrival && arrival->host == step->host && arrival->number == step->packet.number))
		arrival = arrival->next;
	if (a && a->crowded)
		return SYNC_AMBIGUOUS;
	if (arrival && look) {
		struct run run = run_from(a->first);
		bool is_cut; /* the beginning of the run may be missing */

		for (const struct sighting *s = a->first; s != arrival; s = s->next)
			if (s->next == run.end)
				run = run_from(s->next);
		is_cut = cut != INT64_MIN &&
			(run.first->walked <= cut ||
				sync_walk_passed(cut, run.first->walked) <= SYNC_SILENCE);
		verdict = is_cut ? SYNC_GIVEN_UP : match_run(&run, arrival, step, pair, data);
	}
	if (arrival)
		arrival->done = true;
	if (a)
		drop_over(all, a, step->at);
	return verdict;
}

enum sync_verdict sync_lookalikes_receive(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step, int64_t cut, sync_pair_func *pair, void *data)
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

/* ---- all ---- */

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
		for (const struct sighting *s = a->first; s; s = s->next)
			sync_ages_add(ages, s->walked, SIGHTING_BYTES);
	}
}
