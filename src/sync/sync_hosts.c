/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "sync/sync_edges.h"
#include "sync/sync_reach.h"

struct finding {
	struct sync_hosts *h;
	const struct sync_source *sources;
	struct sync_edges *edges;
	void (*pair)(void *data, const struct sync_pair *pair);	/* told as well; or NULL */
	void *data;
	bool odd;		/* a packet that a host sent to itself came too early */
};

/* ---- twins: traces of one boot of one host ---- */

/* The host that stands for all traces of a boot. */
static unsigned first_of(const struct sync_source *sources, unsigned host)
{
	return sources[host].has_twin ? sources[host].twin : host;
}

/* T of HOST by the clock of that. */
static int64_t first_time(const struct sync_source *sources, unsigned host, int64_t t)
{
	int64_t time;

	if (!sources[host].has_twin)
		return t;
	return __builtin_sub_overflow(t, sources[host].ahead, &time) ? (t < 0 ? INT64_MIN : INT64_MAX) : time;
}

/* Spans of all traces of a boot, at the host that stands for them.  The caller frees. */
static struct sync_span *join_spans(const struct sync_source *sources, const struct sync_span *spans, unsigned n)
{
	struct sync_span *joined = g_memdup2(spans, n * sizeof *spans);

	for (unsigned i = 0; i < n; i++) {
		struct sync_span *first = &joined[first_of(sources, i)];

		first->from = MIN(first->from, first_time(sources, i, spans[i].from));
		first->to = MAX(first->to, first_time(sources, i, spans[i].to));
	}
	return joined;
}

/* Give HOST the clock of its twin. */
static void set_twin(struct sync_hosts *h, const struct sync_source *source, unsigned host, const struct sync_span *span)
{
	struct sync_host *own = &h->hosts[host];
	const struct sync_host *first = &h->hosts[source->twin];
	struct sync_line line = { .from = INT64_MIN, .seen = INT64_MAX, .offset = -source->ahead * ((sync_wide)1 << SYNC_FRACTION_BITS) };
	GArray *lines;
	struct sync_clock *shift;

	own->quality = first->quality;
	if (first->clock == NULL)
		return;
	lines = g_array_new(FALSE, FALSE, sizeof line);
	g_array_append_val(lines, line);
	shift = sync_clock_new(lines);
	own->clock = sync_clock_new_chained(shift, first->clock);
	own->by = source->twin;
	own->bounds = sync_bounds_new();
	sync_bounds_add_exact(own->bounds, source->ahead, 0);
	sync_hosts_measure(h, host, span);
	sync_clock_free(shift);
}

/* ---- packets ---- */

/* To the clocks of the hosts that stand for sender and receiver. */
static void add_to_edges(struct finding *f, const struct sync_pair *p)
{
	unsigned from = first_of(f->sources, p->sender), to = first_of(f->sources, p->receiver);
	int64_t sent = first_time(f->sources, p->sender, p->sent), received = first_time(f->sources, p->receiver, p->received);

	if (from != to)
		sync_edges_add(f->edges, from, sent, to, received);
	else
		f->odd |= received < sent;
}

static void on_pair(void *data, const struct sync_pair *p)
{
	struct finding *f = data;
	struct sync_host *sender = &f->h->hosts[p->sender], *receiver = &f->h->hosts[p->receiver];

	if (f->pair != NULL)
		f->pair(f->data, p);
	sender->exchanged++;
	receiver->exchanged++;
	sender->violations_before += p->received < p->sent;
	receiver->violations_before += p->received < p->sent;
	add_to_edges(f, p);
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
	struct finding finding = { .h = h, .sources = sources, .edges = sync_edges_new(), .pair = pair, .data = data };
	struct sync_span *joined = join_spans(sources, spans, n);
	struct sync_counts *counts = g_new0(struct sync_counts, n);
	int64_t *offsets = g_new(int64_t, n);

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	sync_survey(sources, n, offsets);
	sync_match(sources, n, offsets, on_pair, &finding, counts);
	sync_edges_finish(finding.edges);
	sync_reach(h, joined, finding.edges);
	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].counts = counts[i];
		if (sources[i].has_twin)
			set_twin(h, &sources[i], i, &spans[i]);
	}
	if (finding.odd || !is_all_settled(h, finding.edges))
		sync_match(sources, n, offsets, count_pair, h, counts);
	sync_edges_free(finding.edges);
	g_free(joined);
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
