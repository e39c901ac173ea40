/* SPDX-License-Identifier: MIT */
/*
 * How it works: a host on the way shows a time of the reference at some time of its own, and so does the next
 * host. The bounds of the packets between the two give the times of the other clock that belong to the time
 * of the first. Their distance from the shown time is the error, however the line was made.
 */
#include "sync/sync_hosts.h"

#include "base/base_time.h"

/* The largest distance of OTHER from the times that BOUNDS allow at HOST. */
static int64_t off(const GArray *bounds, int64_t host, int64_t other)
{
	sync_wide low, high, most;

	sync_bounds_at(bounds, host, &low, &high);
	most = MAX(high - other, other - low);
	return most > INT64_MAX ? INT64_MAX : (int64_t)MAX(most, 0);
}

/* The last time of the host that is shown as TIME. */
static int64_t last_shown(const struct sync_clock *clock, int64_t time)
{
	int64_t next = time < INT64_MAX ? sync_clock_host(clock, time + 1) : INT64_MAX;

	return next > INT64_MIN && next < INT64_MAX ? next - 1 : next;
}

/* The largest error of times of HOST against those of the next host on the way, at TIME of the reference. */
static int64_t hop_error(const struct sync_hosts *h, unsigned host, int64_t time)
{
	const struct sync_host *own = &h->hosts[host], *by = &h->hosts[own->by];

	if (!own->bounds)
		return INT64_MAX;
	/* A clock that stands still shows one time for a while. Its error is largest at one of the two
	 * ends. */
	return MAX(off(own->bounds, sync_clock_host(own->clock, time), sync_clock_host(by->clock, time)),
		off(own->bounds, last_shown(own->clock, time), last_shown(by->clock, time)));
}

static unsigned depth_of(const struct sync_hosts *h, unsigned host)
{
	unsigned depth = 0;

	for (; h->hosts[host].by != host; host = h->hosts[host].by)
		depth++;
	return depth;
}

int64_t sync_hosts_error(const struct sync_hosts *h, unsigned a, unsigned b, int64_t time)
{
	unsigned deep_a = depth_of(h, a), deep_b = depth_of(h, b);
	int64_t sum = 0;

	while (a != b) {
		unsigned *up = deep_a >= deep_b ? &a : &b;

		if (h->hosts[*up].by == *up)
			return INT64_MAX;
		sum = base_time_sum(sum, hop_error(h, *up, time));
		*(deep_a >= deep_b ? &deep_a : &deep_b) -= 1;
		*up = h->hosts[*up].by;
	}
	return sum;
}

/* ---- over a span ---- */

struct measure {
	const struct sync_hosts *h;
	unsigned host;
	int64_t most;
};

static void hosts_error_see(void *data, int64_t host)
{
	struct measure *m = data;

	m->most = MAX(m->most,
		hop_error(m->h, m->host, sync_clock_reference(m->h->hosts[m->host].clock, host)));
}

/* The largest error of the hop in [FROM, TO], ns of the host, in which one line of its clock holds. */
static int64_t most_of(const struct sync_hosts *h, unsigned host, const struct sync_line *line, int64_t from,
	int64_t to)
{
	struct measure m = { h, host, 0 };

	if (!h->hosts[host].bounds)
		return INT64_MAX;
	if (from == INT64_MIN)
		return 0; /* a trace without events: nothing is off */
	sync_bounds_corners(h->hosts[host].bounds, from, to, hosts_error_see, &m);
	if (line->seen > from && line->seen < to)
		hosts_error_see(&m, line->seen);
	return m.most;
}

/* The last time at which line I of LINES holds. */
static int64_t hosts_error_end_of(const GArray *lines, guint i)
{
	return i + 1 < lines->len ? g_array_index(lines, struct sync_line, i + 1).from - 1 : INT64_MAX;
}

/* The sum of the largest errors of all hops from HOST on, between shown times FROM and TO: another host's
 * trace may be longer than theirs. */
static int64_t most_behind(const struct sync_hosts *h, unsigned host, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (; h->hosts[host].by != host; host = h->hosts[host].by) {
		const struct sync_clock *clock = h->hosts[host].clock;
		int64_t first = sync_clock_host(clock, from), last = MAX(first, last_shown(clock, to)),
			most = 0;

		for (guint i = 0; i < clock->lines->len; i++) {
			const struct sync_line *line = &g_array_index(clock->lines, struct sync_line, i);

			if (line->from <= last && hosts_error_end_of(clock->lines, i) >= first)
				most = MAX(most,
					most_of(h, host, line, MAX(line->from, first),
						MIN(hosts_error_end_of(clock->lines, i), last)));
		}
		sum = base_time_sum(sum, most);
	}
	return sum;
}

void sync_hosts_measure(struct sync_hosts *h, unsigned host, const struct sync_span *span)
{
	struct sync_host *own = &h->hosts[host];
	const GArray *lines = own->clock->lines;
	int64_t behind = own->by == host || span->from == INT64_MIN
		? 0
		: most_behind(h, own->by, sync_clock_reference(own->clock, span->from),
			  sync_clock_reference(own->clock, MAX(span->from, span->to))),
		most = 0;

	g_clear_pointer(&own->errors, g_array_unref);
	own->errors = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (guint i = 0; i < lines->len; i++) {
		const struct sync_line *line = &g_array_index(lines, struct sync_line, i);
		int64_t from = CLAMP(line->from, span->from, MAX(span->from, span->to)),
			to = CLAMP(hosts_error_end_of(lines, i), from, MAX(from, span->to));
		int64_t error = own->by == host ? 0 : base_time_sum(most_of(h, host, line, from, to), behind);

		g_array_append_val(own->errors, error);
		most = MAX(most, error);
	}
	own->error_max = most;
}

/* Measure HOST after the hosts on its way. */
static void measure_way(struct sync_hosts *h, const struct sync_span *spans, unsigned host, bool *done)
{
	if (done[host] || !h->hosts[host].clock)
		return;
	done[host] = true;
	measure_way(h, spans, h->hosts[host].by, done);
	sync_hosts_measure(h, host, &spans[host]);
}

void sync_hosts_measure_all(struct sync_hosts *h, const struct sync_span *spans)
{
	bool *done = g_new0(bool, h->n);

	for (unsigned i = 0; i < h->n; i++)
		measure_way(h, spans, i, done);
	g_free(done);
}
