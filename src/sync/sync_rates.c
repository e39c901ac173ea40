/* SPDX-License-Identifier: MIT */
/* How it works: each host knows its group and how fast it is against the group's first host, in 2^-62; products of two such are far below what is known. */
#include "sync/sync_rates.h"

struct sync_rates {
	unsigned n;
	unsigned *groups;	/* for each host its group, by the number of its first host */
	int64_t *fast;		/* for each host: against that first host */
	sync_wide *sums;	/* for each group: of all its hosts' */
	unsigned *sizes;
};

struct sync_rates *sync_rates_new(unsigned n)
{
	struct sync_rates *r = g_new(struct sync_rates, 1);

	r->n = n;
	r->groups = g_new0(unsigned, n);
	r->fast = g_new0(int64_t, n);
	r->sums = g_new0(sync_wide, n);
	r->sizes = g_new0(unsigned, n);
	return r;
}

void sync_rates_free(struct sync_rates *r)
{
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

/* The mean rate over the time that the lines with a rate of their own last; false when there are none. */
static bool mean_rate(const GArray *pieces, int64_t *rate)
{
	sync_wide sum = 0, span = 0;

	for (guint i = 0; i < pieces->len; i++) {
		const struct sync_piece *p = piece_of(pieces, i);

		if (!p->told)
			continue;
		sum += (sync_wide)p->line.rate * (p->last - p->first);
		span += p->last - p->first;
	}
	if (span > 0)
		*rate = (int64_t)(sum / span);
	return span > 0;
}

static void join(struct sync_rates *r, unsigned host, unsigned group, int64_t fast)
{
	r->groups[host] = group;
	r->fast[host] = fast;
	r->sums[group] += fast;
	r->sizes[group]++;
}

void sync_rates_add_reference(struct sync_rates *r, unsigned host)
{
	join(r, host, host, 0);
}

void sync_rates_add(struct sync_rates *r, unsigned host, unsigned by, const GArray *pieces)
{
	int64_t rate;

	if (mean_rate(pieces, &rate))
		join(r, host, r->groups[by], r->fast[by] - rate);
	else
		join(r, host, host, 0);
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

GArray *sync_rates_lines(const struct sync_rates *r, unsigned host, unsigned by, const GArray *pieces, const GArray *bounds)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	int64_t guess = fast_of(r, by) - fast_of(r, host);

	for (guint i = 0; i < pieces->len; i++) {
		const struct sync_piece *p = piece_of(pieces, i);
		struct sync_line line;

		sync_bound_line(&g_array_index(bounds, struct sync_bound, i), CLAMP(rate_near(pieces, i, guess), p->slow, p->fast), &line);
		g_array_append_val(lines, line);
	}
	return lines;
}
