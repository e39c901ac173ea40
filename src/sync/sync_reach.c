/* SPDX-License-Identifier: MIT */
/*
 * How it works: the way is chosen by what packets say alone, half of what they leave open.  Then rates are
 * chosen for the lines that they leave open, which needs all the ways, and at last each host's clock is
 * chained to that of the host it is reached by.
 */
#include "sync/sync_reach.h"

#include "sync/sync_rates.h"

struct reach {
	struct sync_hosts *h;
	const struct sync_span *spans;
	struct sync_edges *edges;
	const struct sync_edge **ways; /* for each host: by which it is reached; NULL: it is not */
	int64_t *errors;               /* for each host: of the whole way */
	GArray *order;                 /* of unsigned: hosts as they were reached, the reference first */
};

static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static bool is_reached(const struct reach *r, unsigned host)
{
	return host == 0 || r->ways[host];
}

static int64_t half_of(const struct sync_edge *e, const struct sync_span *span)
{
	enum sync_quality quality = sync_fit_quality(e->fit);

	if (quality != SYNC_ACCURATE && quality != SYNC_APPROXIMATE)
		return -1;
	return sync_bounds_half(sync_fit_bounds(e->fit), span->from, MAX(span->from, span->to));
}

static void measure_edges(const struct reach *r)
{
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(r->edges, &iter);
	while (sync_edges_next(&iter, &e))
		e->half = half_of(e, &r->spans[e->host]);
}

/* The next host to be reached: *ERROR is that of the whole way. */
static const struct sync_edge *nearest(const struct reach *r, int64_t *error)
{
	const struct sync_edge *best = NULL;
	struct sync_edge *e;
	GHashTableIter iter;

	*error = INT64_MAX;
	sync_edges_iter(r->edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		int64_t sum;

		if (e->half < 0 || is_reached(r, e->host) || !is_reached(r, e->reference))
			continue;
		sum = sum_of(e->half, r->errors[e->reference]);
		if (!best || sum < *error || (sum == *error && e->host < best->host)) {
			best = e;
			*error = sum;
		}
	}
	return best;
}

static void find_ways(struct reach *r)
{
	const struct sync_edge *e;
	unsigned reference = 0;
	int64_t error;

	measure_edges(r);
	g_array_append_val(r->order, reference);
	while ((e = nearest(r, &error))) {
		r->ways[e->host] = e;
		r->errors[e->host] = error;
		g_array_append_val(r->order, e->host);
	}
}

static void set_reference(struct sync_host *reference)
{
	reference->clock = sync_clock_new_same();
	reference->quality = SYNC_ACCURATE;
}

static void set_host(const struct reach *r, const struct sync_rates *rates, const struct sync_edge *e)
{
	struct sync_host *host = &r->h->hosts[e->host];
	const struct sync_host *by = &r->h->hosts[e->reference];
	const GArray *pieces = sync_fit_pieces(e->fit), *bounds = sync_fit_bounds(e->fit);
	struct sync_clock *own = sync_clock_new(
		sync_rates_lines(rates, e->host, e->reference, pieces, bounds));

	host->clock = sync_clock_new_chained(own, by->clock);
	host->by = e->reference;
	host->quality = MIN(sync_fit_quality(e->fit), by->quality);
	host->bounds = sync_bounds_new();
	for (guint i = 0; i < bounds->len; i++)
		sync_bounds_add(host->bounds, &g_array_index(bounds, struct sync_bound, i));
	sync_clock_free(own);
}

/* From all packets, also of hosts that are not next to each other on the way. */
static struct sync_rates *find_rates(const struct reach *r)
{
	struct sync_rates *rates = sync_rates_new(r->h->n);
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(r->edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		if (e->half >= 0)
			sync_rates_add(rates, e->host, e->reference, sync_fit_pieces(e->fit));
	}
	sync_rates_finish(rates);
	return rates;
}

/* The clocks of the hosts that were reached, in that order. */
static void set_clocks(const struct reach *r)
{
	struct sync_rates *rates = find_rates(r);

	set_reference(&r->h->hosts[0]);
	for (guint i = 1; i < r->order->len; i++)
		set_host(r, rates, r->ways[g_array_index(r->order, unsigned, i)]);
	for (guint i = 0; i < r->order->len; i++) {
		unsigned host = g_array_index(r->order, unsigned, i);

		sync_hosts_measure(r->h, host, &r->spans[host]);
	}
	sync_rates_free(rates);
}

/* The best that packets say of a host that could not be reached. */
static enum sync_quality quality_apart(struct sync_edges *edges, unsigned host)
{
	enum sync_quality best = SYNC_ABSENT;
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		if (e->host != host)
			continue;
		if (sync_fit_quality(e->fit) == SYNC_FAIL)
			return SYNC_FAIL;
		best = MAX(best, MIN(sync_fit_quality(e->fit), SYNC_INCOMPLETE));
	}
	return best;
}

static void set_apart(const struct reach *r)
{
	for (unsigned i = 0; i < r->h->n; i++) {
		if (is_reached(r, i))
			continue;
		r->h->hosts[i].by = i;
		r->h->hosts[i].error_max = INT64_MAX;
		r->h->hosts[i].quality = quality_apart(r->edges, i);
	}
}

void sync_reach(struct sync_hosts *hosts, const struct sync_span *spans, struct sync_edges *edges)
{
	struct reach r = { .h = hosts,
		.spans = spans,
		.edges = edges,
		.ways = g_new0(const struct sync_edge *, hosts->n),
		.errors = g_new0(int64_t, hosts->n),
		.order = g_array_new(FALSE, FALSE, sizeof(unsigned)) };

	find_ways(&r);
	set_clocks(&r);
	set_apart(&r);
	g_free(r.ways);
	g_free(r.errors);
	g_array_unref(r.order);
}
