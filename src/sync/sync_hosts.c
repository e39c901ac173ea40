/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "sync/sync_edges.h"
#include "sync/sync_reach.h"

struct finding {
	struct sync_hosts *h;
	struct sync_edges *edges;
	void (*pair)(void *data, const struct sync_pair *pair);	/* told as well; or NULL */
	void *data;
};

static void on_pair(void *data, const struct sync_pair *p)
{
	const struct finding *f = data;
	struct sync_host *sender = &f->h->hosts[p->sender], *receiver = &f->h->hosts[p->receiver];

	if (f->pair != NULL)
		f->pair(f->data, p);
	sender->exchanged++;
	receiver->exchanged++;
	sender->violations_before += p->received < p->sent;
	receiver->violations_before += p->received < p->sent;
	sync_edges_add(f->edges, p->sender, p->sent, p->receiver, p->received);
}

/* ---- counting ---- */

static const struct sync_line *only_line(const struct sync_host *h)
{
	return h->clock->lines->len == 1 ? &g_array_index(h->clock->lines, struct sync_line, 0) : NULL;
}

/* Nothing that the two hosts exchanged arrives before it was sent, by their clocks? */
static bool is_settled(const struct sync_hosts *h, const struct sync_edge *e)
{
	const struct sync_host *host = &h->hosts[e->host], *reference = &h->hosts[e->reference];

	if (host->clock == NULL || reference->clock == NULL)
		return true;
	return e->whole && only_line(host) != NULL && only_line(reference) != NULL &&
	       sync_fit_holds(e->fit, only_line(host), only_line(reference));
}

/* The same of all hosts.  Either direction's fit has the messages of two hosts. */
static bool is_all_settled(const struct sync_hosts *h, struct sync_edges *edges)
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

static void count_pair(void *data, const struct sync_pair *p)
{
	struct sync_hosts *h = data;
	struct sync_host *sender = &h->hosts[p->sender], *receiver = &h->hosts[p->receiver];
	bool early;

	if (sender->clock == NULL || receiver->clock == NULL)
		return;
	early = sync_clock_reference(receiver->clock, p->received) < sync_clock_reference(sender->clock, p->sent);
	sender->violations_after += early;
	receiver->violations_after += early;
}

struct sync_hosts *sync_hosts_new(const struct sync_source *sources, const struct sync_span *spans, unsigned n,
				  void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	struct sync_hosts *h = g_new(struct sync_hosts, 1);
	struct finding finding = { .h = h, .edges = sync_edges_new(), .pair = pair, .data = data };
	struct sync_counts *counts = g_new0(struct sync_counts, n);
	int64_t *offsets = g_new(int64_t, n);

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	sync_survey(sources, n, offsets);
	sync_match(sources, n, offsets, on_pair, &finding, counts);
	sync_edges_finish(finding.edges);
	sync_reach(h, spans, finding.edges);
	for (unsigned i = 0; i < h->n; i++)
		h->hosts[i].counts = counts[i];
	if (!is_all_settled(h, finding.edges))
		sync_match(sources, n, offsets, count_pair, h, counts);
	sync_edges_free(finding.edges);
	g_free(offsets);
	g_free(counts);
	return h;
}

struct sync_hosts *sync_hosts_ref(struct sync_hosts *h)
{
	if (h != NULL)
		g_atomic_ref_count_inc(&h->references);
	return h;
}

void sync_hosts_unref(struct sync_hosts *h)
{
	if (h == NULL || !g_atomic_ref_count_dec(&h->references))
		return;
	for (unsigned i = 0; i < h->n; i++) {
		sync_clock_free(h->hosts[i].clock);
		g_clear_pointer(&h->hosts[i].errors, g_array_unref);
		g_clear_pointer(&h->hosts[i].bounds, g_array_unref);
	}
	g_free(h->hosts);
	g_free(h);
}
