/* SPDX-License-Identifier: MIT */
/*
 * How it works: each host knows its group and how fast it is against the group's first host, in 2^-62;
 * products of two such are far below what is known.  What is known best joins groups first (J. Kruskal,
 * 1956).
 */
#include "sync/sync_rates.h"

/* Two hosts whose rates packets tell against each other. */
struct known {
	unsigned host, by;
	int64_t rate;  /* of the line from HOST to BY */
	int64_t width; /* within that */
};

struct sync_rates {
	unsigned n;
	GArray *known;    /* of struct known */
	unsigned *groups; /* for each host its group, by the number of one of its hosts, the first */
	int64_t *fast;    /* for each host: against that first host */
	sync_wide *sums;  /* for each group: of all its hosts' */
	unsigned *sizes;
};

struct sync_rates *sync_rates_new(unsigned n)
{
	struct sync_rates *r = g_new(struct sync_rates, 1);

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

void sync_rates_free(struct sync_rates *r)
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

void sync_rates_add(struct sync_rates *r, unsigned host, unsigned by, const GArray *pieces)
{
	struct known known = { .host = host, .by = by };

	if (mean_rate(pieces, &known))
		g_array_append_val(r->known, known);
}

static gint by_width(gconstpointer a, gconstpointer b)
{
	const struct known *x = a, *y = b;

	if (x->width != y->width)
		return x->width < y->width ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->by < y->by ? -1 : x->by > y->by;
}

/* The group of K's host becomes part of that of the other one. */
static void join(struct sync_rates *r, const struct known *k)
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

void sync_rates_finish(struct sync_rates *r)
{
	g_array_sort(r->known, by_width);
	for (guint i = 0; i < r->known->len; i++) {
		const struct known *k = &g_array_index(r->known, struct known, i);

		if (r->groups[k->host] != r->groups[k->by])
			join(r, k);
	}
	for (unsigned i = 0; i < r->n; i++) {
		r->sums[r->groups[i]] += r->fast[i];
		r->sizes[r->groups[i]]++;
	}
}

/* By how much the oscillator of HOST is taken to be fast. */
static int64_t fast_of(const struct sync_rates *r, unsigned host)
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

GArray *sync_rates_lines(const struct sync_rates *r, unsigned host, unsigned by, const GArray *pieces,
	const GArray *bounds)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	int64_t guess = fast_of(r, by) - fast_of(r, host);

	for (guint i = 0; i < pieces->len; i++) {
		const struct sync_piece *p = piece_of(pieces, i);
		struct sync_line line;

		sync_bound_line(&g_array_index(bounds, struct sync_bound, i),
			CLAMP(rate_near(pieces, i, guess), p->slow, p->fast), &line);
		g_array_append_val(lines, line);
	}
	return lines;
}
