/* SPDX-License-Identifier: MIT */
/*
 * How it works: the way is chosen by what packets say alone, half of what they leave open.  Then rates are
 * chosen for the lines that they leave open, which needs all the ways, and at last each host's clock is
 * chained to that of the host it is reached by.
 */
#include "sync/sync_hosts_parts.h"

#include "base/base_search.h"
#include "sync/sync_fit.h"

/* ---- rates ---- */

/*
 * How fast clocks are where packets do not tell: least squares over the hosts' oscillators.
 *
 * Each oscillator runs at the pace it was made for but for some ppm, which nobody knows beforehand and which
 * are as likely too much as too little.  Packets tell by how much two hosts differ, not which of them is
 * right.  Hosts whose rates are known against each other, if only by way of others, form a group; of all the
 * ways in which its oscillators may be off, that of the least sum of squares has the mean 0.  So the mean
 * pace of each group is taken as true, and the rate between hosts of two groups follows.  It is a guess that
 * the packets may cut, never one that they are bent to.
 *
 * How it works: each host knows its group and how fast it is against the group's first host, in 2^-62;
 * products of two such are far below what is known.  What is known best joins groups first (J. Kruskal,
 * 1956).
 */

/* Two hosts whose rates packets tell against each other. */
struct known {
	unsigned host, by;
	int64_t rate;  /* of the line from HOST to BY */
	int64_t width; /* within that */
};

struct rates {
	unsigned n;
	GArray *known;    /* of struct known */
	unsigned *groups; /* for each host its group, by the number of one of its hosts, the first */
	int64_t *fast;    /* for each host: against that first host */
	sync_wide *sums;  /* for each group: of all its hosts' */
	unsigned *sizes;
};

/* For N hosts. */
static struct rates *rates_new(unsigned n)
{
	struct rates *r = g_new(struct rates, 1);

	r->n = n;
	r->known = g_array_new(FALSE, FALSE, sizeof(struct known));
	r->groups = g_new0(unsigned, n);
	r->fast = g_new0(int64_t, n);
	r->sums = g_new0(sync_wide, n);
	r->sizes = g_new0(unsigned, n);
	for (unsigned i = 0; i < n; i++)
		r->groups[i] = i;
	return r;
}

static void rates_free(struct rates *r)
{
	g_array_unref(r->known);
	g_free(r->groups);
	g_free(r->fast);
	g_free(r->sums);
	g_free(r->sizes);
	g_free(r);
}

static const struct sync_piece *piece_of(const GArray *pieces, guint i)
{
	return &g_array_index(pieces, struct sync_piece, i);
}

/* The mean rate over the time that the lines with a rate of their own last, and how far it is told; false
 * when there are none. */
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

/* HOST and BY exchanged packets; PIECES (of struct sync_piece) of their fit. */
static void rates_add(struct rates *r, unsigned host, unsigned by, const GArray *pieces)
{
	struct known known = { .host = host, .by = by };

	if (mean_rate(pieces, &known))
		g_array_append_val(r->known, known);
}

static gint by_width(gconstpointer a, gconstpointer b)
{
	const struct known *x = a, *y = b;

	return BASE_BY(x, y, width) ?: BASE_BY(x, y, host) ?: BASE_BY(x, y, by);
}

/* The group of K's host becomes part of that of the other one. */
static void reach_join(struct rates *r, const struct known *k)
{
	unsigned from = r->groups[k->host], to = r->groups[k->by];
	/* A line goes up where the other clock is the faster one. */
	int64_t faster = r->fast[k->by] - k->rate - r->fast[k->host];

	for (unsigned i = 0; i < r->n; i++) {
		if (r->groups[i] != from)
			continue;
		r->groups[i] = to;
		r->fast[i] += faster;
	}
}

/* No more hosts exchanged packets. */
static void rates_finish(struct rates *r)
{
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

/* By how much the oscillator of HOST is taken to be fast. */
static int64_t fast_of(const struct rates *r, unsigned host)
{
	unsigned group = r->groups[host];

	return (int64_t)(r->fast[host] - r->sums[group] / r->sizes[group]);
}

/* The rate of the line next to line I that has one of its own; else OTHERWISE. */
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

/* Twice the middle of what BOUNDS leave open at HOST, less its own time. */
static sync_wide open_at(const GArray *bounds, int64_t host)
{
	sync_wide low, high;

	sync_bounds_at(bounds, host, &low, &high);
	return low - host + high - host;
}

/*
 * The rate of a guest's only line, from the middle of what is open at its first message to that at the last.
 * The lowest of all lines is concave and the highest convex, so a line is off most at one of the two, where
 * this one is off least: the error of a guest's times, of which its host's are at most microseconds away,
 * counts for more than that the quickest messages run along the line's sides.
 */
static int64_t rate_of_ends(const GArray *bounds, const struct sync_piece *p)
{
	sync_wide rise = open_at(bounds, p->last) - open_at(bounds, p->first);

	return (int64_t)(rise * ((sync_wide)1 << (SYNC_FRACTION_BITS - 1)) / ((sync_wide)p->last - p->first));
}

/* The lines (of struct sync_line) for the PIECES of E's host in the clock of its reference, which are bounded
 * by BOUNDS.  After finish.  The caller frees. */
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
	const struct sync_edge **ways; /* for each host: by which it is reached; NULL: it is not, … */
	unsigned *peers; /* … or by what this one's recording or its own says; itself: it is not */
	int64_t *errors; /* for each host: of the whole way */
	GArray *order;   /* of unsigned: hosts as they were reached, the reference first */
};

static int64_t reach_sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static bool is_reached(const struct reach *r, unsigned host)
{
	return host == 0 || r->ways[host] || r->peers[host] != host;
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
		sum = reach_sum_of(e->half, r->errors[e->reference]);
		if (!best || sum < *error || (sum == *error && e->host < best->host)) {
			best = e;
			*error = sum;
		}
	}
	return best;
}

/* Messages lead no further: a host whose clock is that of another one, by the word of either's recording. */
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
	const struct sync_edge *e;
	unsigned reference = 0;
	int64_t error;

	measure_edges(r);
	g_array_append_val(r->order, reference);
	while ((e = nearest(r, &error)) || reach_peer(r)) {
		if (!e)
			continue;
		r->ways[e->host] = e;
		r->errors[e->host] = error;
		g_array_append_val(r->order, e->host);
	}
}

static void set_reference(struct sync_host *reference)
{
	reference->clock = sync_clock_new_shifted(0);
	reference->quality = SYNC_ACCURATE;
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
	host->bounds = sync_bounds_new();
	for (guint i = 0; i < bounds->len; i++)
		sync_bounds_add(host->bounds, &g_array_index(bounds, struct sync_bound, i));
	sync_clock_free(own);
}

/* HOST has the clock of PEER.  How exact that is nobody says, so it has no bounds. */
static void set_peer(const struct reach *r, unsigned host, unsigned peer)
{
	struct sync_clock *same = sync_clock_new_shifted(0);

	r->h->hosts[host].clock = sync_clock_new_chained(same, r->h->hosts[peer].clock);
	r->h->hosts[host].by = peer;
	r->h->hosts[host].quality = SYNC_GIVEN;
	sync_clock_free(same);
}

/* From all packets, also of hosts that are not next to each other on the way. */
static struct rates *find_rates(const struct reach *r)
{
	struct rates *rates = rates_new(r->h->n);
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(r->edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		if (e->half >= 0)
			rates_add(rates, e->host, e->reference, sync_fit_pieces(e->fit));
	}
	rates_finish(rates);
	return rates;
}

/* The clocks of the hosts that were reached, in that order. */
static void set_clocks(const struct reach *r)
{
	struct rates *rates = find_rates(r);

	set_reference(&r->h->hosts[0]);
	for (guint i = 1; i < r->order->len; i++) {
		unsigned host = g_array_index(r->order, unsigned, i);

		if (r->ways[host])
			set_host(r, rates, r->ways[host]);
		else
			set_peer(r, host, r->peers[host]);
	}
	for (guint i = 0; i < r->order->len; i++) {
		unsigned host = g_array_index(r->order, unsigned, i);

		sync_hosts_measure(r->h, host, &r->spans[host]);
	}
	rates_free(rates);
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

void sync_reach(struct sync_hosts *hosts, const struct sync_source *sources, const struct sync_span *spans,
	struct sync_edges *edges)
{
	struct reach r = { .h = hosts,
		.sources = sources,
		.spans = spans,
		.edges = edges,
		.ways = g_new0(const struct sync_edge *, hosts->n),
		.peers = g_new(unsigned, hosts->n),
		.errors = g_new0(int64_t, hosts->n),
		.order = g_array_new(FALSE, FALSE, sizeof(unsigned)) };

	for (unsigned i = 0; i < hosts->n; i++)
		r.peers[i] = i;
	find_ways(&r);
	set_clocks(&r);
	set_apart(&r);
	g_free(r.ways);
	g_free(r.peers);
	g_free(r.errors);
	g_array_unref(r.order);
}
