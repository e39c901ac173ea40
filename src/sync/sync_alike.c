/* SPDX-License-Identifier: MIT */
/*
 * How it works: sendings and arrivals of what looks the same stand in a list, in the order of the walk.  Receptions come later in the
 * walk than arrivals, so that when one is looked for, what was sent and what arrived about that time is all there.  Networks deliver
 * what looks the same in order, so where as many arrived at one host as another one sent, the n-th is the n-th.  Where some
 * were lost nobody can tell which, and none is matched.  What counts is a run, packets
 * without a second of silence between them: what is lost in one run leaves the next one alone.
 */
#include "sync/sync_alike.h"

#define SILENCE (INT64_C(1) * 1000000000)	/* ns between runs: more than packets are on their way, and rough offsets off */
#define ALIKE_MAX 1024				/* sightings that look the same; more tell nothing */
#define SENDERS_MAX 8				/* hosts that send the same packet on its way */

/* A packet seen on a host. */
struct sighting {
	unsigned host;
	uint32_t device;
	bool arrival, done;	/* done: sent, and found at another host; arrived, and looked for */
	int64_t time, walked;
	uint64_t number;
	struct sighting *next;
};

/* All that look the same. */
struct alike {
	struct sync_hash hash;
	struct sighting *first, *last;
	unsigned n;
	bool crowded;		/* there were more than can be kept, and none is */
	int64_t seen;		/* the last one, at this time of the walk */
};

struct sync_alikes {
	GHashTable *all;	/* struct alike * → itself, owned */
	unsigned waiting;
	struct sync_counts *counts;	/* weak */
};

/* Sightings without silence between them: [first, end). */
struct run {
	struct sighting *first, *end;
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
		struct sighting *s = a->first;

		a->first = s->next;
		g_free(s);
	}
	g_free(a);
}

/* Forget the first sighting of A. */
static void drop_first(struct sync_alikes *all, struct alike *a)
{
	struct sighting *s = a->first;

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
	const struct sighting *before = NULL;

	for (const struct sighting *s = a->first; s != NULL; s = s->next)
		if (s->host == step->host && s->arrival == step->packet.received)
			before = s;
	return before != NULL && before->device != step->packet.device && step->at - before->walked <= SILENCE;
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
	if (a->crowded && at - a->seen > SYNC_LAG + SILENCE)
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
	struct sighting *new;

	if (is_handed_on(a, step))
		return false;
	if (is_crowded(all, a, step->at)) {
		all->counts[step->host].aged += !step->packet.received;
		return true;
	}
	new = g_new(struct sighting, 1);
	*new = (struct sighting){
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

/* The run that begins with FIRST. */
static struct run run_from(struct sighting *first)
{
	struct run run = { first, first->next };

	for (const struct sighting *s = first; run.end != NULL && run.end->walked - s->walked <= SILENCE; s = s->next)
		run.end = run.end->next;
	return run;
}

/* The run that ARRIVAL is in. */
static struct run run_of(const struct alike *a, const struct sighting *arrival)
{
	struct run run = run_from(a->first);

	for (const struct sighting *s = a->first; s != arrival; s = s->next)
		if (s->next == run.end)
			run = run_from(s->next);
	return run;
}

/* What arrived at one host in a run. */
struct arrived {
	unsigned n, before;	/* all; those before the arrival that is looked for */
	unsigned sent;		/* by that host, before the arrival by its own clock */
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

/* What one host sent in a run. */
struct sender {
	unsigned host, n;
	struct sighting *nth;	/* the one that is looked for */
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

static void give_pair(struct sighting *sent, const struct sync_step *step, void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct sync_pair p = {
		.sender = sent->host, .receiver = step->host, .sent = sent->time, .received = step->packet.time,
		.sent_number = sent->number, .received_number = step->packet.number,
	};

	sent->done = true;
	pair(data, &p);
}

/* Match ARRIVAL with what each other host sent of RUN. */
static enum sync_verdict match_run(const struct run *run, const struct sighting *arrival, const struct sync_step *step,
				   void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct arrived arrived = count_arrived(run, arrival);
	struct sender senders[SENDERS_MAX];
	unsigned n = find_senders(run, step->host, arrived.before, senders);
	bool found = false;

	if (arrived.sent > arrived.before)
		return SYNC_OWN;	/* a host that forwards sends after it received */
	for (unsigned i = 0; i < n; i++) {
		if (senders[i].n != arrived.n)
			continue;
		give_pair(senders[i].nth, step, pair, data);
		found = true;
	}
	return found ? SYNC_FOUND : n > 0 ? SYNC_AMBIGUOUS : SYNC_UNKNOWN;
}

/* Is nothing of RUN looked for any more, at NOW of the walk, and will nothing be added to it? */
static bool is_over(const struct run *run, int64_t now)
{
	for (const struct sighting *s = run->first; s != run->end; s = s->next)
		if ((s->arrival && !s->done) || s->walked >= now - SILENCE)
			return false;
	return true;
}

/* Forget the runs at the beginning of A that are over. */
static void drop_over(struct sync_alikes *all, struct alike *a, int64_t now)
{
	while (a->first != NULL) {
		struct run run = run_from(a->first);

		if (!is_over(&run, now))
			return;
		while (a->first != run.end)
			drop_first(all, a);
	}
	g_hash_table_remove(all->all, a);
}

/* The arrival of STEP; NULL where it does not stand here. */
static struct sighting *arrival_of(const struct alike *a, const struct sync_step *step)
{
	struct sighting *s = a != NULL ? a->first : NULL;

	while (s != NULL && !(s->arrival && s->host == step->host && s->number == step->packet.number))
		s = s->next;
	return s;
}

/* Look for the sending of STEP under one of its names; LOOK: else only note that it is looked for no more. */
static enum sync_verdict receive(struct sync_alikes *all, const struct sync_hash *hash, const struct sync_step *step, bool look,
				 void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct alike key = { .hash = *hash }, *a = g_hash_table_lookup(all->all, &key);
	struct sighting *arrival = arrival_of(a, step);
	enum sync_verdict verdict = SYNC_AGAIN;
	struct run run;

	if (a != NULL && a->crowded)
		return SYNC_AMBIGUOUS;
	if (arrival != NULL && look) {
		run = run_of(a, arrival);
		verdict = match_run(&run, arrival, step, pair, data);
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
