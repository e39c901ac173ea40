/* SPDX-License-Identifier: MIT */
#include "sync/sync_recount.h"

#include "sync/sync_twins.h"
#include "sync/sync_wander.h"

struct sync_recount {
	struct sync_hosts *h;
	const struct sync_source *sources;
	struct sync_wander **wanders; /* for each host; NULL: a single line holds, or it is not reached */
};

static const struct sync_line *only_line(const struct sync_host *h)
{
	return h->clock->lines->len == 1 ? &g_array_index(h->clock->lines, struct sync_line, 0) : NULL;
}

/* Nothing that the two hosts exchanged arrives before it was sent, by their clocks? */
static bool is_settled(const struct sync_hosts *h, const struct sync_edge *e)
{
	const struct sync_host *host = &h->hosts[e->host], *reference = &h->hosts[e->reference];

	if (!host->clock || !reference->clock)
		return true;
	return e->order.whole && only_line(host) && only_line(reference) &&
		sync_fit_holds(e->fit, only_line(host), only_line(reference));
}

/* Either direction's fit has the messages of two hosts. */
bool sync_recount_is_settled(const struct sync_hosts *h, struct sync_edges *edges)
{
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		if (!is_settled(h, e) && !is_settled(h, sync_edges_of(edges, e->reference, e->host)))
			return false;
	}
	return true;
}

struct sync_recount *sync_recount_new(struct sync_hosts *h, const struct sync_source *sources,
	struct sync_edges *edges)
{
	struct sync_recount *r = g_new(struct sync_recount, 1);

	*r = (struct sync_recount){ .h = h,
		.sources = sources,
		.wanders = g_new0(struct sync_wander *, h->n) };
	for (unsigned i = 0; i < h->n; i++) {
		const GArray *pieces;

		if (h->hosts[i].by == i || sources[i].has_twin)
			continue;
		pieces = sync_fit_pieces(sync_edges_of(edges, i, h->hosts[i].by)->fit);
		if (pieces->len > 1)
			r->wanders[i] = sync_wander_new(pieces);
	}
	return r;
}

static void add_to_wanders(const struct sync_recount *r, const struct sync_pair *p)
{
	unsigned from = sync_twins_first(r->sources, p->sender),
		 to = sync_twins_first(r->sources, p->receiver);
	int64_t sent = sync_twins_time(r->sources, p->sender, p->sent),
		received = sync_twins_time(r->sources, p->receiver, p->received);

	if (r->wanders[from] && r->h->hosts[from].by == to)
		sync_wander_add(r->wanders[from], &(struct sync_message){ sent, received, true });
	if (r->wanders[to] && r->h->hosts[to].by == from)
		sync_wander_add(r->wanders[to], &(struct sync_message){ received, sent, false });
}

void sync_recount_pair(void *recount, const struct sync_pair *p)
{
	const struct sync_recount *r = recount;
	struct sync_host *sender = &r->h->hosts[p->sender], *receiver = &r->h->hosts[p->receiver];
	bool early;

	add_to_wanders(r, p);
	if (!sender->clock || !receiver->clock)
		return;
	early = sync_clock_reference(receiver->clock, p->received) <
		sync_clock_reference(sender->clock, p->sent);
	sender->violations_after += early;
	receiver->violations_after += early;
}

/* Measure HOST, which is reached, after those that it is reached by. */
static void measure(const struct sync_recount *r, unsigned host, const struct sync_span *joined,
	const struct sync_span *spans, bool *measured)
{
	unsigned by = r->h->hosts[host].by;

	if (measured[host])
		return;
	measured[host] = true;
	if (by != host)
		measure(r, by, joined, spans, measured);
	sync_hosts_measure(r->h, host, r->sources[host].has_twin ? &spans[host] : &joined[host]);
}

void sync_recount_finish(struct sync_recount *r, const struct sync_span *joined,
	const struct sync_span *spans)
{
	bool *measured = g_new0(bool, r->h->n);

	for (unsigned i = 0; i < r->h->n; i++) {
		if (!r->wanders[i])
			continue;
		g_array_unref(r->h->hosts[i].bounds);
		r->h->hosts[i].bounds = sync_wander_finish(r->wanders[i]);
		sync_wander_free(r->wanders[i]);
	}
	for (unsigned i = 0; i < r->h->n; i++)
		if (r->h->hosts[i].clock)
			measure(r, i, joined, spans, measured);
	g_free(measured);
	g_free(r->wanders);
	g_free(r);
}
