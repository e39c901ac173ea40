/* SPDX-License-Identifier: MIT */
/*
 * How it works: each two hosts that exchanged packets get a fit for either
 * direction, fed while packets are matched.  A small buffer brings messages into the order of the host's clock first: a
 * packet that was long on its way is sent before, but found after, others.  From the
 * reference outwards, the host that can be reached with the least error gets its
 * clock next (E. Dijkstra, 1959).
 */
#include "sync/sync_hosts.h"

#include <stdlib.h>

#define BUFFER 8192	/* messages: more than are under way between two hosts at once */

struct message {
	int64_t host, reference;
	bool from_host;
};

/* HOST in the clock of REFERENCE. */
struct edge {
	unsigned host, reference;
	struct sync_fit *fit;
	GArray *buffer;		/* of struct message */
	int64_t fed;		/* host time up to which messages went into the fit */
	bool whole;		/* none was left out of it */
};

struct edges {
	GHashTable *by_hosts;	/* host << 32 | reference → struct edge *, owned */
	struct sync_hosts *found;	/* weak */
	void (*pair)(void *data, const struct sync_pair *pair);	/* told as well; or NULL */
	void *data;
};

static void edge_free(gpointer data)
{
	struct edge *e = data;

	sync_fit_free(e->fit);
	g_array_unref(e->buffer);
	g_free(e);
}

static gpointer edge_key(unsigned host, unsigned reference)
{
	return GSIZE_TO_POINTER((gsize)host << 32 | reference);
}

static struct edge *edge_of(struct edges *edges, unsigned host, unsigned reference)
{
	struct edge *e = g_hash_table_lookup(edges->by_hosts, edge_key(host, reference));

	if (e != NULL)
		return e;
	e = g_new(struct edge, 1);
	*e = (struct edge){
		.host = host, .reference = reference, .fit = sync_fit_new(),
		.buffer = g_array_new(FALSE, FALSE, sizeof(struct message)), .fed = INT64_MIN, .whole = true,
	};
	g_hash_table_insert(edges->by_hosts, edge_key(host, reference), e);
	return e;
}

static int by_host_time(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->reference < y->reference ? -1 : x->reference > y->reference;
}

/* Feed the first N of the buffer.  One that comes too late for its place is left out: it was on its way longer than all others. */
static void feed(struct edge *e, guint n)
{
	qsort(e->buffer->data, e->buffer->len, sizeof(struct message), by_host_time);
	for (guint i = 0; i < n; i++) {
		const struct message *m = &g_array_index(e->buffer, struct message, i);

		if (m->host < e->fed) {
			e->whole = false;
			continue;
		}
		sync_fit_add(e->fit, m->host, m->reference, m->from_host);
		e->fed = m->host;
	}
	g_array_remove_range(e->buffer, 0, n);
}

static void add_message(struct edges *edges, unsigned host, unsigned reference, struct message message)
{
	struct edge *e = edge_of(edges, host, reference);

	g_array_append_val(e->buffer, message);
	if (e->buffer->len == BUFFER)
		feed(e, BUFFER / 2);
}

static void on_pair(void *data, const struct sync_pair *p)
{
	struct edges *edges = data;
	struct sync_host *sender = &edges->found->hosts[p->sender], *receiver = &edges->found->hosts[p->receiver];

	if (edges->pair != NULL)
		edges->pair(edges->data, p);
	sender->exchanged++;
	receiver->exchanged++;
	sender->violations_before += p->received < p->sent;
	receiver->violations_before += p->received < p->sent;
	add_message(data, p->sender, p->receiver, (struct message){ p->sent, p->received, true });
	add_message(data, p->receiver, p->sender, (struct message){ p->received, p->sent, false });
}

static void finish_all(struct edges *edges)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, edges->by_hosts);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct edge *e = value;

		feed(e, e->buffer->len);
		sync_fit_finish(e->fit);
	}
}

/* ---- the way to the reference ---- */

static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The next host to be reached: *ERROR is that of the whole way. */
static struct edge *nearest(const struct sync_hosts *h, const struct sync_span *spans, struct edges *edges, int64_t *error)
{
	struct edge *best = NULL;
	GHashTableIter iter;
	gpointer value;

	*error = INT64_MAX;
	g_hash_table_iter_init(&iter, edges->by_hosts);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct edge *e = value;
		enum sync_quality quality = sync_fit_quality(e->fit);
		int64_t sum;

		if (h->hosts[e->host].clock != NULL || h->hosts[e->reference].clock == NULL)
			continue;
		if (quality != SYNC_ACCURATE && quality != SYNC_APPROXIMATE)
			continue;
		sum = sum_of(sync_fit_error_max(e->fit, spans[e->host].from, spans[e->host].to), h->hosts[e->reference].error_max);
		if (best == NULL || sum < *error || (sum == *error && e->host < best->host)) {
			best = e;
			*error = sum;
		}
	}
	return best;
}

/* For each line of CLOCK, in terms of a host whose own error is at most BEHIND, how far off it may be within SPAN. */
static GArray *errors_of(const struct sync_clock *clock, const struct sync_fit *fit, const struct sync_span *span, int64_t behind)
{
	GArray *errors = g_array_new(FALSE, FALSE, sizeof(int64_t));
	const struct sync_line *lines = (const struct sync_line *)(const void *)clock->lines->data;

	for (guint i = 0; i < clock->lines->len; i++) {
		int64_t from = CLAMP(lines[i].from, span->from, span->to);
		int64_t to = i + 1 < clock->lines->len ? CLAMP(lines[i + 1].from - 1, from, MAX(from, span->to)) : MAX(from, span->to);
		int64_t error = sum_of(sync_fit_error_max(fit, from, to), behind);

		g_array_append_val(errors, error);
	}
	return errors;
}

static void reach(struct sync_hosts *h, const struct sync_span *span, const struct edge *e, int64_t error)
{
	struct sync_host *host = &h->hosts[e->host];
	const struct sync_host *reference = &h->hosts[e->reference];
	struct sync_clock *own = sync_fit_clock(e->fit);

	host->clock = sync_clock_new_chained(own, reference->clock);
	host->by = e->reference;
	host->error_max = error;
	host->quality = MIN(sync_fit_quality(e->fit), reference->quality);
	host->errors = errors_of(host->clock, e->fit, span, reference->error_max);
	sync_clock_free(own);
}

/* The best that packets say of a host that could not be reached. */
static enum sync_quality quality_apart(struct edges *edges, unsigned host)
{
	enum sync_quality best = SYNC_ABSENT;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, edges->by_hosts);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct edge *e = value;

		if (e->host != host)
			continue;
		if (sync_fit_quality(e->fit) == SYNC_FAIL)
			return SYNC_FAIL;
		best = MAX(best, MIN(sync_fit_quality(e->fit), SYNC_INCOMPLETE));
	}
	return best;
}

static void reach_all(struct sync_hosts *h, const struct sync_span *spans, struct edges *edges)
{
	const struct edge *e;
	int64_t error;

	h->hosts[0].clock = sync_clock_new_same();
	h->hosts[0].quality = SYNC_ACCURATE;
	h->hosts[0].errors = g_array_new(FALSE, TRUE, sizeof(int64_t));
	g_array_set_size(h->hosts[0].errors, 1);
	while ((e = nearest(h, spans, edges, &error)) != NULL)
		reach(h, &spans[e->host], e, error);
	for (unsigned i = 0; i < h->n; i++) {
		if (h->hosts[i].clock != NULL)
			continue;
		h->hosts[i].by = i;
		h->hosts[i].error_max = INT64_MAX;
		h->hosts[i].quality = quality_apart(edges, i);
	}
}

/* ---- counting ---- */

static const struct sync_line *only_line(const struct sync_host *h)
{
	return h->clock->lines->len == 1 ? &g_array_index(h->clock->lines, struct sync_line, 0) : NULL;
}

/* Nothing that the two hosts exchanged arrives before it was sent, by their clocks? */
static bool is_settled(const struct sync_hosts *h, const struct edge *e)
{
	const struct sync_host *host = &h->hosts[e->host], *reference = &h->hosts[e->reference];

	if (host->clock == NULL || reference->clock == NULL)
		return true;
	return e->whole && only_line(host) != NULL && only_line(reference) != NULL &&
	       sync_fit_holds(e->fit, only_line(host), only_line(reference));
}

/* The same of all hosts.  Either direction's fit has the messages of two hosts. */
static bool is_all_settled(const struct sync_hosts *h, struct edges *edges)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, edges->by_hosts);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct edge *e = value;

		if (!is_settled(h, e) && !is_settled(h, edge_of(edges, e->reference, e->host)))
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
	struct edges edges = {
		.by_hosts = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, edge_free), .found = h, .pair = pair, .data = data,
	};
	struct sync_counts *counts = g_new0(struct sync_counts, n);
	int64_t *offsets = g_new(int64_t, n);

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	sync_survey(sources, n, offsets);
	sync_match(sources, n, offsets, on_pair, &edges, counts);
	finish_all(&edges);
	reach_all(h, spans, &edges);
	for (unsigned i = 0; i < h->n; i++)
		h->hosts[i].counts = counts[i];
	if (!is_all_settled(h, &edges))
		sync_match(sources, n, offsets, count_pair, h, counts);
	g_hash_table_unref(edges.by_hosts);
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

int64_t sync_hosts_error(const struct sync_hosts *h, unsigned a, unsigned b, int64_t time)
{
	(void)time;
	return a == b ? 0 : sum_of(h->hosts[a].error_max, h->hosts[b].error_max);
}

void sync_hosts_unref(struct sync_hosts *h)
{
	if (h == NULL || !g_atomic_ref_count_dec(&h->references))
		return;
	for (unsigned i = 0; i < h->n; i++) {
		sync_clock_free(h->hosts[i].clock);
		if (h->hosts[i].errors != NULL)
			g_array_unref(h->hosts[i].errors);
	}
	g_free(h->hosts);
	g_free(h);
}
