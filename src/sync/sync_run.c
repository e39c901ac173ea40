/* SPDX-License-Identifier: MIT */
/*
 * How it works: networks deliver what looks the same in order, so where as many arrived at one host as
 * another one sent, the n-th is the n-th.  Where some were lost nobody can tell which, and none is matched.
 */
#include "sync/sync_run.h"

#define SENDERS_MAX 8 /* hosts that send the same packet on its way */

struct sync_run sync_run_from(struct sync_sighting *first)
{
	struct sync_run run = { first, first->next };

	for (const struct sync_sighting *s = first;
		run.end && sync_walk_passed(s->walked, run.end->walked) <= SYNC_SILENCE; s = s->next)
		run.end = run.end->next;
	return run;
}

struct sync_run sync_run_of(struct sync_sighting *first, const struct sync_sighting *arrival)
{
	struct sync_run run = sync_run_from(first);

	for (const struct sync_sighting *s = first; s != arrival; s = s->next)
		if (s->next == run.end)
			run = sync_run_from(s->next);
	return run;
}

/* What arrived at one host in a run. */
struct arrived {
	unsigned n, before; /* all; those before the arrival that is looked for */
	unsigned sent;      /* by that host, before the arrival by its own clock */
};

static struct arrived count_arrived(const struct sync_run *run, const struct sync_sighting *arrival)
{
	struct arrived found = { 0 };
	bool reached = false;

	for (const struct sync_sighting *s = run->first; s != run->end; s = s->next) {
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
	struct sync_sighting *nth; /* the one that is looked for */
};

/* All SENDERS in RUN other than HOST, each with its sending number NTH.  Returns how many. */
static unsigned find_senders(const struct sync_run *run, unsigned host, unsigned nth, struct sender *senders)
{
	unsigned n = 0, i;

	for (struct sync_sighting *s = run->first; s != run->end; s = s->next) {
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

static void give_pair(struct sync_sighting *sent, const struct sync_step *step,
	void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct sync_pair p = { .sender = sent->host,
		.receiver = step->host,
		.sent = sent->time,
		.received = step->packet.time,
		.sent_number = sent->number,
		.received_number = step->packet.number };

	sent->done = true;
	pair(data, &p);
}

enum sync_verdict sync_run_match(const struct sync_run *run, const struct sync_sighting *arrival,
	const struct sync_step *step, void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct arrived arrived = count_arrived(run, arrival);
	struct sender senders[SENDERS_MAX];
	unsigned n = find_senders(run, step->host, arrived.before, senders);
	bool found = false;

	if (arrived.sent > arrived.before)
		return SYNC_OWN; /* a host that forwards sends after it received */
	for (unsigned i = 0; i < n; i++) {
		if (senders[i].n != arrived.n || !senders[i].nth)
			continue;
		give_pair(senders[i].nth, step, pair, data);
		found = true;
	}
	return found ? SYNC_FOUND : n > 0 ? SYNC_AMBIGUOUS : SYNC_UNKNOWN;
}

bool sync_run_is_over(const struct sync_run *run, int64_t now)
{
	for (const struct sync_sighting *s = run->first; s != run->end; s = s->next)
		if ((s->arrival && !s->done) || sync_walk_passed(s->walked, now) <= SYNC_SILENCE)
			return false;
	return true;
}
