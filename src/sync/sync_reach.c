/* SPDX-License-Identifier: MIT */
/*
 * How it works: the ways are chosen by the bounds from packets alone. Then rates are chosen within these
 * bounds, which needs all ways. Finally each host's clock is chained to the clock of the next host on its
 * way.
 */
#include "sync/sync_hosts_parts.h"

#include "sync/sync_fit.h"

#include "base/base_search.h"
#include "base/base_time.h"

/* ---- rates ---- */

/*
 * The rates of clocks that packets do not bound: least squares over the hosts' oscillators.
 *
 * Each oscillator is some ppm off its nominal rate, as likely too fast as too slow. Packets show by how much
 * two hosts differ, not which of them is right. Hosts whose rates are known against each other, directly or
 * through others, form a group. Of all errors that its oscillators may have, those with the smallest sum of
 * squares have the mean 0. So wakepath takes the mean rate of each group as true, and the rate between hosts
 * of two groups follows. That is a guess: it is cut to the rates that fit the packets.
 *
 * How it works: each host has its group and its rate against the group's first host, in 2^-62; products of
 * two of these rates are far smaller than what is known. The best known rates join groups first (J. Kruskal,
 * 1956).
 */

/* Two hosts whose difference of rates packets show. */
struct known {
	unsigned host, by;
	int64_t rate;  /* of the line from HOST to BY */
	int64_t width; /* of the interval of rates that fit */
};

struct rates {
	unsigned n;
	GArray *known;    /* of struct known */
	unsigned *groups; /* for each host its group: the number of the first host of the group */
	int64_t *fast;    /* for each host: its rate against that first host */
	sync_wide *sums;  /* for each group: the sum of FAST */
	unsigned *sizes;
};

static const struct sync_piece *piece_of(const GArray *pieces, guint i)
{
	return &g_array_index(pieces, struct sync_piece, i);
}

/* The mean rate of the lines whose rate is bounded, weighted by time, and its width. False if there are
 * none. */
static bool mean_rate(const GArray *pieces, struct known *known)
{
	sync_wide sum = 0, span = 0;

	known->width = INT64_MAX;
	for (guint i = 0; i < pieces->len; i++) {
		const struct sync_piece *p = piece_of(pieces, i);

		if (!p->told)
			continue;
		sum += (sync_wide)p->line.rate * (p->last - p->first);
		span += p->last - p->first;
		known->width = MIN(known->width, p->fast - p->slow);
	}
	if (span > 0)
		known->rate = (int64_t)(sum / span);
	return span > 0;
}

static gint by_width(gconstpointer a, gconstpointer b)
{
	const struct known *x = a, *y = b;

	return BASE_BY(x, y, width) ?: BASE_BY(x, y, host) ?: BASE_BY(x, y, by);
}

/* The group of K's host becomes part of the group of the other host. */
static void reach_join(struct rates *r, const struct known *k)
{
	unsigned from = r->groups[k->host], to = r->groups[k->by];
	/* A line rises if the other clock is faster. */
	int64_t faster = r->fast[k->by] - k->rate - r->fast[k->host];

	for (unsigned i = 0; i < r->n; i++) {
		if (r->groups[i] != from)
			continue;
		r->groups[i] = to;
		r->fast[i] += faster;
	}
}

/* The rates from all packets, also of hosts that are not neighbours on a way. */
static void find_rates(struct rates *r, struct sync_edges *edges)
{
	struct sync_edge *e;
	GHashTableIter iter;

	for (unsigned i = 0; i < r->n; i++)
		r->groups[i] = i;
	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		struct known known = { .host = e->host, .by = e->reference };

		if (e->half >= 0 && mean_rate(sync_fit_pieces(e->fit), &known))
			g_array_append_val(r->known, known);
	}
	g_array_sort(r->known, by_width);
	for (guint i = 0; i < r->known->len; i++) {
		const struct known *k = &g_array_index(r->known, struct known, i);

		if (r->groups[k->host] != r->groups[k->by])
			reach_join(r, k);
	}
	for (unsigned i = 0; i < r->n; i++) {
		r->sums[r->groups[i]] += r->fast[i];
		r->sizes[r->groups[i]]++;
	}
}

/* The rate that is taken as the error of HOST's oscillator. */
static int64_t fast_of(const struct rates *r, unsigned host)
{
	unsigned group = r->groups[host];

	return (int64_t)(r->fast[host] - r->sums[group] / r->sizes[group]);
}

/* The rate of the line nearest to line I whose rate is bounded; OTHERWISE if there is none. */
static int64_t rate_near(const GArray *pieces, guint i, int64_t otherwise)
{
	for (guint d = 0; d < pieces->len; d++) {
		if (d <= i && piece_of(pieces, i - d)->told)
			return piece_of(pieces, i - d)->line.rate;
		if (i + d < pieces->len && piece_of(pieces, i + d)->told)
			return piece_of(pieces, i + d)->line.rate;
	}
	return otherwise;
}

/* Twice the middle of BOUNDS at HOST, minus its own time. */
static sync_wide open_at(const GArray *bounds, int64_t host)
{
	sync_wide low, high;

	sync_bounds_at(bounds, host, &low, &high);
	return low - host + high - host;
}

/* The rate of a guest's only line, from the middle of the bounds at its first message to the middle at its
 * last. The lowest of all lines is concave and the highest convex, so the error of a line is largest at one
 * of these two messages, and this line has the smallest error there. A guest's messages are microseconds
 * apart from its host's, so this matters more than a line along which the quickest messages run. */
static int64_t rate_of_ends(const GArray *bounds, const struct sync_piece *p)
{
	sync_wide rise = open_at(bounds, p->last) - open_at(bounds, p->first);

	return (int64_t)(rise * ((sync_wide)1 << (SYNC_FRACTION_BITS - 1)) / ((sync_wide)p->last - p->first));
}

/* The lines, of struct sync_line, for the PIECES of E's host in the clock of its reference, within BOUNDS.
 * The caller frees. */
static GArray *rates_lines(const struct rates *r, const struct sync_edge *e, const GArray *pieces,
	const GArray *bounds)
{
	unsigned host = e->host, by = e->reference;
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	int64_t guess = fast_of(r, by) - fast_of(r, host);

	for (guint i = 0; i < pieces->len; i++) {
		const struct sync_piece *p = piece_of(pieces, i);
		int64_t rate = e->guest && pieces->len == 1 && p->told ? rate_of_ends(bounds, p)
								       : rate_near(pieces, i, guess);
		struct sync_line line;

		sync_bound_line(&g_array_index(bounds, struct sync_bound, i), CLAMP(rate, p->slow, p->fast),
			&line);
		g_array_append_val(lines, line);
	}
	return lines;
}

/* ---- ways ---- */

struct reach {
	struct sync_hosts *h;
	const struct sync_source *sources;
	const struct sync_span *spans;
	struct sync_edges *edges;
	const struct sync_edge **ways; /* for each host: the edge that reaches it; NULL: none, … */
	unsigned *peers;               /* … or a host that a recording names; the host itself: none */
	int64_t *errors;               /* for each host: of the whole way */
	GArray *order;                 /* of unsigned: hosts as they were reached, the reference first */
};

static bool is_reached(const struct reach *r, unsigned host)
{
	return host == 0 || r->ways[host] || r->peers[host] != host;
}

/* The edge to the next host; *ERROR: of the whole way. */
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
		sum = base_time_sum(e->half, r->errors[e->reference]);
		if (!best || sum < *error || (sum == *error && e->host < best->host)) {
			best = e;
			*error = sum;
		}
	}
	return best;
}

/* Messages reach no further host: reach one that has the clock of another host, because one of their
 * recordings says so. */
static bool reach_peer(struct reach *r)
{
	for (unsigned i = 0; i < r->h->n; i++) {
		unsigned peer = r->sources[i].peer, next = is_reached(r, i) ? peer : i;

		if (!r->sources[i].has_peer || is_reached(r, i) == is_reached(r, peer) ||
			r->sources[next].has_twin)
			continue;
		r->peers[next] = next == i ? peer : i;
		r->errors[next] = INT64_MAX;
		g_array_append_val(r->order, next);
		return true;
	}
	return false;
}

static void find_ways(struct reach *r)
{
	const struct sync_edge *next;
	unsigned reference = 0;
	struct sync_edge *e;
	GHashTableIter iter;
	int64_t error;

	sync_edges_iter(r->edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		enum sync_quality quality = sync_fit_quality(e->fit);
		const struct sync_span *span = &r->spans[e->host];

		e->half = quality != SYNC_ACCURATE && quality != SYNC_APPROXIMATE
			? -1
			: sync_bounds_half(sync_fit_bounds(e->fit), span->from, MAX(span->from, span->to));
	}
	g_array_append_val(r->order, reference);
	while ((next = nearest(r, &error)) || reach_peer(r)) {
		if (!next)
			continue;
		r->ways[next->host] = next;
		r->errors[next->host] = error;
		g_array_append_val(r->order, next->host);
	}
}

static void set_host(const struct reach *r, const struct rates *rates, const struct sync_edge *e)
{
	struct sync_host *host = &r->h->hosts[e->host];
	const struct sync_host *by = &r->h->hosts[e->reference];
	const GArray *pieces = sync_fit_pieces(e->fit), *bounds = sync_fit_bounds(e->fit);
	struct sync_clock *own = sync_clock_new(rates_lines(rates, e, pieces, bounds));

	host->clock = sync_clock_new_chained(own, by->clock);
	host->by = e->reference;
	host->quality = by->quality == SYNC_GIVEN ? SYNC_GIVEN : MIN(sync_fit_quality(e->fit), by->quality);
	host->bounds = sync_bounds_copy(bounds);
	sync_clock_free(own);
}

/* Set the clocks of the hosts in the order in which they were reached. */
static void set_clocks(const struct reach *r)
{
	unsigned n = r->h->n;
	struct rates rates = { n, g_array_new(FALSE, FALSE, sizeof(struct known)), g_new(unsigned, n),
		g_new0(int64_t, n), g_new0(sync_wide, n), g_new0(unsigned, n) };
	struct sync_clock *same = sync_clock_new_shifted(0);

	find_rates(&rates, r->edges);
	r->h->hosts[0].clock = sync_clock_new_shifted(0);
	r->h->hosts[0].quality = SYNC_ACCURATE;
	for (guint i = 1; i < r->order->len; i++) {
		unsigned host = g_array_index(r->order, unsigned, i);
		struct sync_host *h = &r->h->hosts[host];

		if (r->ways[host]) {
			set_host(r, &rates, r->ways[host]);
			continue;
		}
		/* It has the clock of a peer. The error of that is unknown, so it has no bounds. */
		h->clock = sync_clock_new_chained(same, r->h->hosts[r->peers[host]].clock);
		h->by = r->peers[host];
		h->quality = SYNC_GIVEN;
	}
	for (guint i = 0; i < r->order->len; i++) {
		unsigned host = g_array_index(r->order, unsigned, i);

		sync_hosts_measure(r->h, host, &r->spans[host]);
	}
	sync_clock_free(same);
	g_array_unref(rates.known);
	g_free(rates.groups);
	g_free(rates.fast);
	g_free(rates.sums);
	g_free(rates.sizes);
}

/* The best quality that packets give a host that was not reached. */
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

void sync_reach(struct sync_hosts *hosts, const struct sync_source *sources, const struct sync_span *spans,
	struct sync_edges *edges)
{
	struct reach r = { .h = hosts,
		.sources = sources,
		.spans = spans,
		.edges = edges,
		.ways = g_new0(const struct sync_edge *, hosts->n),
		.peers = g_new0(unsigned, hosts->n),
		.errors = g_new0(int64_t, hosts->n),
		.order = g_array_new(FALSE, FALSE, sizeof(unsigned)) };

	for (unsigned i = 0; i < hosts->n; i++)
		r.peers[i] = i;
	find_ways(&r);
	set_clocks(&r);
	for (unsigned i = 0; i < hosts->n; i++) {
		if (is_reached(&r, i))
			continue;
		hosts->hosts[i].by = i;
		hosts->hosts[i].error_max = INT64_MAX;
		hosts->hosts[i].quality = quality_apart(edges, i);
	}
	g_free(r.ways);
	g_free(r.peers);
	g_free(r.errors);
	g_array_unref(r.order);
}

/* ---- traces of one boot of one host share a clock: their clocks have one UUID ---- */

static unsigned twins_first_of(const struct sync_source *sources, unsigned host)
{
	return sources[host].has_twin ? sources[host].twin : host;
}

/* T of HOST by the clock of the host that represents it. */
static int64_t twins_time_of(const struct sync_source *sources, unsigned host, int64_t t)
{
	int64_t time;

	if (!sources[host].has_twin)
		return t;
	return __builtin_sub_overflow(t, sources[host].ahead, &time) ? (t < 0 ? INT64_MIN : INT64_MAX) : time;
}

struct sync_pair sync_twins_pair(const struct sync_source *sources, const struct sync_pair *pair)
{
	struct sync_pair p = *pair;

	p.sender = twins_first_of(sources, pair->sender);
	p.receiver = twins_first_of(sources, pair->receiver);
	p.sent = twins_time_of(sources, pair->sender, pair->sent);
	p.received = twins_time_of(sources, pair->receiver, pair->received);
	return p;
}

struct sync_span *sync_twins_spans(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n)
{
	struct sync_span *joined = g_memdup2(spans, n * sizeof *spans);

	for (unsigned i = 0; i < n; i++) {
		struct sync_span *first = &joined[twins_first_of(sources, i)];
		int64_t from;

		if (spans[i].from == INT64_MIN)
			continue;
		from = twins_time_of(sources, i, spans[i].from);
		first->from = first->from == INT64_MIN ? from : MIN(first->from, from);
		first->to = MAX(first->to, twins_time_of(sources, i, spans[i].to));
	}
	return joined;
}

struct sync_span *sync_twins_spans_of(const struct sync_hosts *h, const struct sync_span *spans)
{
	struct sync_source *sources = g_new0(struct sync_source, h->n);
	struct sync_span *joined;

	for (unsigned i = 0; i < h->n; i++) {
		const GArray *bounds = h->hosts[i].bounds;
		const struct sync_point *p;

		if (!sync_bounds_are_exact(bounds))
			continue;
		p = &g_array_index(g_array_index(bounds, struct sync_bound, 0).low, struct sync_point, 0);
		sources[i].has_twin = !__builtin_sub_overflow(p->host, p->other, &sources[i].ahead);
		sources[i].twin = h->hosts[i].by;
	}
	joined = sync_twins_spans(sources, spans, h->n);
	g_free(sources);
	return joined;
}

void sync_twins_set(struct sync_hosts *h, const struct sync_source *sources, unsigned host,
	const struct sync_span *span)
{
	const struct sync_source *source = &sources[host];
	struct sync_host *own = &h->hosts[host];
	const struct sync_host *first = &h->hosts[source->twin];
	struct sync_clock *shift;

	own->quality = first->quality;
	if (!first->clock)
		return;
	shift = sync_clock_new_shifted(-(sync_wide)source->ahead);
	own->clock = sync_clock_new_chained(shift, first->clock);
	own->by = source->twin;
	own->bounds = sync_bounds_new();
	sync_bounds_add_exact(own->bounds, source->ahead, 0);
	sync_hosts_measure(h, host, span);
	sync_clock_free(shift);
}
