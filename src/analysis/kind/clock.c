/* SPDX-License-Identifier: MIT */
#include "analysis/kind/clock.h"

#include "sync/sync_place.h"
#include "sync/sync_text.h"

/* The number of the line of CLOCK that holds at HOST, ns of the host's own clock. */
static unsigned line_at(const struct sync_clock *clock, int64_t host)
{
	unsigned i = 0;

	while (i + 1 < clock->lines->len && g_array_index(clock->lines, struct sync_line, i + 1).from <= host)
		i++;
	return i;
}

struct ana_clock ana_clock_of(const struct qry *q, uint32_t host, int64_t time)
{
	const struct sync_hosts *clocks = qry_clocks(q);
	const struct sync_host *h = clocks ? &clocks->hosts[host] : NULL;
	struct ana_clock clock = { .known = !host,
		.quality = "own",
		.error = host ? INT64_MAX : 0,
		.worst = host ? INT64_MAX : 0,
		.by = MDL_NONE };
	int64_t own = qry_host_time(q, host, time);

	if (!h)
		return clock;
	clock.quality = sync_quality_name(h->quality);
	clock.apart = sync_text_apart(clocks, host);
	clock.packets = h->exchanged;
	clock.early_before = h->violations_before;
	clock.early = h->violations_after;
	if (h->placed) {
		clock.placed = true;
		clock.ahead = -sync_place_shift(h);
	}
	if (!h->clock)
		return clock;
	clock.known = true;
	if (__builtin_sub_overflow(own, time, &clock.ahead))
		clock.known = false;
	clock.lines = h->clock->lines->len;
	clock.line = line_at(h->clock, own);
	clock.fast = sync_line_fast(&g_array_index(h->clock->lines, struct sync_line, clock.line));
	clock.error = qry_clock_error(q, 0, host, time);
	clock.worst = h->error_max;
	clock.by = h->by == host ? MDL_NONE : h->by;
	return clock;
}
