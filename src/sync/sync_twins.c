/* SPDX-License-Identifier: MIT */
#include "sync/sync_twins.h"

unsigned sync_twins_first(const struct sync_source *sources, unsigned host)
{
	return sources[host].has_twin ? sources[host].twin : host;
}

int64_t sync_twins_time(const struct sync_source *sources, unsigned host, int64_t t)
{
	int64_t time;

	if (!sources[host].has_twin)
		return t;
	return __builtin_sub_overflow(t, sources[host].ahead, &time) ? (t < 0 ? INT64_MIN : INT64_MAX) : time;
}

struct sync_span *sync_twins_spans(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n)
{
	struct sync_span *joined = g_memdup2(spans, n * sizeof *spans);

	for (unsigned i = 0; i < n; i++) {
		struct sync_span *first = &joined[sync_twins_first(sources, i)];
		int64_t from;

		if (spans[i].from == INT64_MIN)
			continue;
		from = sync_twins_time(sources, i, spans[i].from);
		first->from = first->from == INT64_MIN ? from : MIN(first->from, from);
		first->to = MAX(first->to, sync_twins_time(sources, i, spans[i].to));
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
	struct sync_line line = { .from = INT64_MIN,
		.seen = INT64_MAX,
		.offset = -(sync_wide)source->ahead * ((sync_wide)1 << SYNC_FRACTION_BITS) };
	GArray *lines;
	struct sync_clock *shift;

	own->quality = first->quality;
	if (!first->clock)
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
