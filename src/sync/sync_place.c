/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

static bool has_events(const struct sync_span *span)
{
	return span->from != INT64_MIN;
}

static bool overlap(const struct sync_span *a, const struct sync_span *b)
{
	return a->from <= b->to && b->from <= a->to;
}

static void widen(struct sync_span *span, const struct sync_span *by)
{
	span->from = MIN(span->from, by->from);
	span->to = MAX(span->to, by->to);
}

/* What those that have a clock cover, by that of the reference. */
static struct sync_span known_span(const struct sync_hosts *hosts, const struct sync_span *spans)
{
	struct sync_span known = spans[0];

	for (unsigned i = 1; i < hosts->n; i++) {
		struct sync_span shown;

		if (!hosts->hosts[i].clock || !has_events(&spans[i]))
			continue;
		shown.from = sync_clock_reference(hosts->hosts[i].clock, spans[i].from);
		shown.to = sync_clock_reference(hosts->hosts[i].clock, spans[i].to);
		widen(&known, &shown);
	}
	return known;
}

/* What HOST covers with all those of LOOSE that overlap it, directly or by way of others. */
static struct sync_span place_group_of(const bool *loose, const struct sync_span *spans, unsigned n,
	unsigned host)
{
	struct sync_span group = spans[host];
	bool wider = true;

	while (wider) {
		struct sync_span before = group;

		for (unsigned i = 0; i < n; i++)
			if (loose[i] && overlap(&group, &spans[i]))
				widen(&group, &spans[i]);
		wider = group.from != before.from || group.to != before.to;
	}
	return group;
}

bool sync_place_starts(struct sync_hosts *hosts, const struct sync_span *spans)
{
	struct sync_span known;
	bool *loose, any = false;

	if (!has_events(&spans[0]))
		return false;
	known = known_span(hosts, spans);
	loose = g_new0(bool, hosts->n);
	for (unsigned i = 1; i < hosts->n; i++)
		loose[i] = !hosts->hosts[i].clock && hosts->hosts[i].quality != SYNC_NONE &&
			has_events(&spans[i]);
	for (unsigned i = 1; i < hosts->n; i++) {
		struct sync_span group;
		int64_t shift;

		if (!loose[i])
			continue;
		group = place_group_of(loose, spans, hosts->n, i);
		if (overlap(&group, &known) || __builtin_sub_overflow(spans[0].from, group.from, &shift))
			continue;
		sync_clock_free(hosts->hosts[i].placed);
		hosts->hosts[i].placed = sync_clock_new_shifted(shift);
		any = true;
	}
	g_free(loose);
	return any;
}

int64_t sync_place_shift(const struct sync_host *h)
{
	if (!h->placed)
		return 0;
	return (int64_t)(g_array_index(h->placed->lines, struct sync_line, 0).offset >> SYNC_FRACTION_BITS);
}
