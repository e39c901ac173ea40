/* SPDX-License-Identifier: MIT */
#include "query/qry_clocks.h"

#include "query/clock/clock.h"
#include "query/qry_traces.h"
#include "sync/sync_hosts.h"

__extension__ typedef __int128 wide;

#define SECOND G_GINT64_CONSTANT(1000000000)
#define YEAR (SECOND * 86400 * 365)
#define PPM(n) ((int64_t)(n) * ((INT64_C(1) << 62) / 1000000))
#define NEVER_SEEN INT64_MAX

static const struct qry_clocks_set sets[] = {
	{ "offsets",
		{ { 0 }, { 1, { { .offset = -309 * SECOND } } },
			{ 1, { { .offset = -325 * SECOND + 17 } } } } },
	{ "rates",
		{ { 0 },
			{ 1,
				{ { .offset = -309 * SECOND,
					.fraction = INT64_C(1) << 61,
					.rate = PPM(200) } } },
			{ 1,
				{ { .offset = -325 * SECOND,
					.origin = 3 * SECOND,
					.fraction = -7,
					.rate = PPM(-200) } } } } },
	{ "the most",
		{ { 0 }, { 1, { { .offset = -309 * SECOND, .rate = PPM(1953) } } },
			{ 1, { { .offset = -325 * SECOND, .origin = 5 * SECOND, .rate = PPM(-1953) } } } } },
	/* One clock jumps ahead, is set back (and stands still), changes its pace, has a line of a
	   nanosecond; the other waits for its second line. */
	{ "lines",
		{ { 0 },
			{ 5,
				{
					{ .seen = SECOND, .offset = -309 * SECOND, .rate = PPM(-200) },
					{ .from = 2 * SECOND,
						.seen = 3 * SECOND,
						.offset = -308 * SECOND,
						.rate = PPM(100) },
					{ .from = 4 * SECOND,
						.seen = 5 * SECOND,
						.offset = -309 * SECOND,
						.fraction = 12345 },
					{ .from = 6 * SECOND,
						.seen = 6 * SECOND,
						.offset = -309 * SECOND + 5,
						.rate = PPM(1900) },
					{ .from = 6 * SECOND + 1,
						.seen = NEVER_SEEN,
						.offset = -309 * SECOND + 7,
						.origin = 6 * SECOND },
				} },
			{ 2,
				{
					{ .seen = SECOND, .offset = -325 * SECOND, .rate = PPM(1000) },
					{ .from = 3 * SECOND,
						.seen = NEVER_SEEN,
						.offset = -325 * SECOND,
						.rate = PPM(-1000),
						.origin = 3 * SECOND },
				} } } },
};

/* ---- what they show ---- */

static int64_t begin_of(const struct qry_clocks *c, uint32_t host)
{
	return qry_host(c->own, host)->meta->from;
}

static int64_t line_shows(const struct qry_clocks_line *line, int64_t begin, int64_t time)
{
	wide unit = (wide)1 << 62, parts = line->fraction + ((wide)time - begin - line->origin) * line->rate;
	wide whole = parts / unit;

	if (whole * unit > parts)
		whole--;
	return (int64_t)(time + line->offset + whole);
}

/* The time line I shows at its beginning: not before the last time that the previous line shows. */
static int64_t start_of(const struct qry_clocks_clock *clock, int64_t begin, unsigned i)
{
	const struct qry_clocks_line *line = &clock->lines[i];
	int64_t start = line_shows(line, begin, begin + line->from);

	if (i > 1)
		start = MAX(start, start_of(clock, begin, i - 1));
	return MAX(start, line_shows(line - 1, begin, begin + line[-1].seen));
}

int64_t qry_clocks_show(const struct qry_clocks *c, uint32_t host, int64_t time)
{
	const struct qry_clocks_clock *clock = &c->set->clocks[host];
	int64_t begin = begin_of(c, host), shown;
	unsigned i = 0;

	if (clock->n == 0 || time == INT64_MIN)
		return time;
	while (i + 1 < clock->n && time >= begin + clock->lines[i + 1].from)
		i++;
	shown = line_shows(&clock->lines[i], begin, time);
	if (i > 0)
		shown = MAX(shown, start_of(clock, begin, i));
	return i + 1 < clock->n ? MIN(shown, start_of(clock, begin, i + 1)) : shown;
}

int64_t qry_clocks_held(const struct qry_clocks *c, uint32_t host, int64_t time)
{
	int64_t low = begin_of(c, host) - YEAR, high = begin_of(c, host) + YEAR;

	while (low + 1 < high) {
		int64_t middle = low + (high - low) / 2;

		if (qry_clocks_show(c, host, middle) <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t qry_clocks_random(const struct qry_clocks *c, uint32_t host)
{
	const struct qry_clocks_clock *clock = &c->set->clocks[host];
	const struct idx_meta *meta = qry_host(c->own, host)->meta;
	int64_t at, from = qry_clocks_show(c, host, meta->from), to = qry_clocks_show(c, host, meta->to);

	/* Also at a time that its clock jumps over and never shows. */
	if (g_rand_int_range(c->rand, 0, 4) == 0)
		return from + (int64_t)(g_rand_double(c->rand) * (double)(to - from));
	if (clock->n > 1 && g_rand_int_range(c->rand, 0, 3) == 0)
		at = meta->from + clock->lines[g_rand_int_range(c->rand, 1, (gint32)clock->n)].from +
			g_rand_int_range(c->rand, -3, 4);
	else
		at = meta->from - 1000 +
			(int64_t)(g_rand_double(c->rand) * (double)(meta->to - meta->from + 2000));
	return qry_clocks_show(c, host, at) + g_rand_int_range(c->rand, -2, 3);
}

/* ---- the experiment ---- */

static struct sync_clock *clock_of(const struct qry_clocks_clock *clock, int64_t begin)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));

	for (unsigned i = 0; i < clock->n; i++) {
		const struct qry_clocks_line *l = &clock->lines[i];
		struct sync_line line = { .from = i > 0 ? begin + l->from : INT64_MIN,
			.seen = l->seen == NEVER_SEEN ? INT64_MAX : begin + l->seen,
			.origin = begin + l->origin,
			.offset = (wide)l->offset * ((wide)1 << 62) + l->fraction,
			.rate = l->rate };

		g_array_append_val(lines, line);
	}
	return sync_clock_new(lines);
}

static void set_clocks(const struct qry_clocks *c)
{
	struct sync_hosts *hosts = sync_typed_none(qry_host_count(c->shown));

	g_assert_cmpuint(hosts->n, ==, G_N_ELEMENTS(c->set->clocks));
	for (unsigned i = 0; i < hosts->n; i++) {
		struct sync_host *h = &hosts->hosts[i];

		if (c->set->clocks[i].n == 0)
			continue;
		h->clock = clock_of(&c->set->clocks[i], begin_of(c, i));
		h->errors = g_array_new(FALSE, TRUE, sizeof(int64_t));
		g_array_set_size(h->errors, c->set->clocks[i].n);
	}
	qry_set_clocks(c->shown, hosts);
	sync_hosts_unref(hosts);
}

void qry_clocks_for_all(void (*check)(struct qry_clocks *c))
{
	for (unsigned i = 0; i < G_N_ELEMENTS(sets); i++) {
		struct qry_clocks c = { .own = qry_traces_open("rpc-chain"),
			.shown = qry_traces_open("rpc-chain"),
			.set = &sets[i],
			.rand = g_rand_new_with_seed(23 + i) };

		g_test_message("%s", sets[i].name);
		set_clocks(&c);
		check(&c);
		g_assert_no_error(qry_damage(c.shown));
		qry_free(c.own);
		qry_free(c.shown);
		g_rand_free(c.rand);
	}
}
