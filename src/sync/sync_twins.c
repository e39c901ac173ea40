/* SPDX-License-Identifier: MIT */
/* Traces of one boot of one host share a clock: their clocks have one UUID. */
#include "sync/sync_hosts_parts.h"

static unsigned twins_first_of(const struct sync_source *sources, unsigned host)
{
	return sources[host].has_twin ? sources[host].twin : host;
}

/* T of HOST by the clock of the one that stands for it. */
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
