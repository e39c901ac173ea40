/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "sync/sync_edges.h"
#include "sync/sync_reach.h"
#include "sync/sync_recount.h"
#include "sync/sync_survey.h"
#include "sync/sync_twins.h"

struct finding {
	struct sync_hosts *h;
	const struct sync_source *sources;
	struct sync_edges *edges;
	void (*pair)(void *data, const struct sync_pair *pair); /* told as well; or NULL */
	void *data;
	bool odd; /* a packet that a host sent to itself came too early */
};

/* To the clocks of the hosts that stand for sender and receiver. */
static void add_to_edges(struct finding *f, const struct sync_pair *p)
{
	unsigned from = sync_twins_first(f->sources, p->sender),
		 to = sync_twins_first(f->sources, p->receiver);
	int64_t sent = sync_twins_time(f->sources, p->sender, p->sent),
		received = sync_twins_time(f->sources, p->receiver, p->received);

	if (from != to)
		sync_edges_add(f->edges, from, sent, to, received);
	else
		f->odd |= received < sent;
}

static void on_pair(void *data, const struct sync_pair *p)
{
	struct finding *f = data;
	struct sync_host *sender = &f->h->hosts[p->sender], *receiver = &f->h->hosts[p->receiver];

	if (f->pair)
		f->pair(f->data, p);
	sender->exchanged++;
	receiver->exchanged++;
	sender->violations_before += p->received < p->sent;
	receiver->violations_before += p->received < p->sent;
	add_to_edges(f, p);
}

struct sync_hosts *sync_hosts_new(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n, void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct sync_hosts *h = g_new(struct sync_hosts, 1);
	struct finding finding = { .h = h,
		.sources = sources,
		.edges = sync_edges_new(),
		.pair = pair,
		.data = data };
	struct sync_span *joined = sync_twins_spans(sources, spans, n);
	struct sync_counts *counts = g_new0(struct sync_counts, n);
	struct sync_rough *rough = sync_survey(sources, n);
	struct sync_recount *recount;

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	sync_match(sources, n, rough, on_pair, &finding, counts);
	sync_edges_finish(finding.edges);
	sync_reach(h, joined, finding.edges);
	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].counts = counts[i];
		if (sources[i].has_twin)
			sync_twins_set(h, sources, i, &spans[i]);
	}
	if (finding.odd || !sync_recount_is_settled(h, finding.edges)) {
		recount = sync_recount_new(h, sources, finding.edges);
		sync_match(sources, n, rough, sync_recount_pair, recount, counts);
		sync_recount_finish(recount, joined, spans);
	}
	sync_edges_free(finding.edges);
	g_free(joined);
	sync_rough_free(rough, n);
	g_free(counts);
	return h;
}

struct sync_hosts *sync_hosts_ref(struct sync_hosts *h)
{
	if (h)
		g_atomic_ref_count_inc(&h->references);
	return h;
}

void sync_hosts_unref(struct sync_hosts *h)
{
	if (!h || !g_atomic_ref_count_dec(&h->references))
		return;
	for (unsigned i = 0; i < h->n; i++) {
		sync_clock_free(h->hosts[i].clock);
		sync_clock_free(h->hosts[i].placed);
		g_clear_pointer(&h->hosts[i].errors, g_array_unref);
		g_clear_pointer(&h->hosts[i].bounds, g_array_unref);
	}
	g_free(h->hosts);
	g_free(h);
}
