/* SPDX-License-Identifier: MIT */
#include "sync/sync_clock.h"

#include "base/base_search.h"

static int64_t clock_cut(sync_wide v)
{
	if (v > INT64_MAX)
		return INT64_MAX;
	return v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* Like sync_line_reference(), not cut. */
static sync_wide reference_of(const struct sync_line *line, int64_t host)
{
	sync_wide at = (sync_wide)host - line->origin;

	/* >> of a negative number rounds downwards with gcc and clang. */
	return host + ((line->offset + at * line->rate) >> SYNC_FRACTION_BITS);
}

int64_t sync_line_reference(const struct sync_line *line, int64_t host)
{
	return clock_cut(reference_of(line, host));
}

sync_wide sync_line_exact(const struct sync_line *line, int64_t host)
{
	sync_wide at = (sync_wide)host - line->origin;

	return (sync_wide)host * ((sync_wide)1 << SYNC_FRACTION_BITS) + line->offset + at * line->rate;
}

double sync_line_fast(const struct sync_line *line)
{
	double slope = 1 + (double)line->rate / (double)(INT64_C(1) << SYNC_FRACTION_BITS);

	return (1 / slope - 1) * 1e6;
}

static const struct sync_line *clock_line_of(const struct sync_clock *clock, guint i)
{
	return &g_array_index(clock->lines, struct sync_line, i);
}

static int64_t start_of(const struct sync_clock *clock, guint i)
{
	return g_array_index(clock->starts, int64_t, i);
}

struct sync_clock *sync_clock_new(GArray *lines)
{
	struct sync_clock *clock = g_new(struct sync_clock, 1);
	int64_t floor = INT64_MIN;

	g_assert(lines->len > 0);
	clock->lines = lines;
	clock->starts = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (guint i = 0; i < lines->len; i++) {
		const struct sync_line *line = clock_line_of(clock, i);
		int64_t start = i == 0 ? INT64_MIN : MAX(sync_line_reference(line, line->from), floor);

		g_array_append_val(clock->starts, start);
		floor = MAX(start, sync_line_reference(line, line->seen));
	}
	return clock;
}

struct sync_clock *sync_clock_new_shifted(sync_wide ahead)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	struct sync_line line = { .from = INT64_MIN,
		.seen = INT64_MAX,
		.offset = ahead * ((sync_wide)1 << SYNC_FRACTION_BITS) };

	g_array_append_val(lines, line);
	return sync_clock_new(lines);
}

void sync_clock_free(struct sync_clock *clock)
{
	if (!clock)
		return;
	g_array_unref(clock->lines);
	g_array_unref(clock->starts);
	g_free(clock);
}

static int64_t from_of(const struct sync_clock *clock, guint i)
{
	return clock_line_of(clock, i)->from;
}

bool sync_clock_is_same(const struct sync_clock *a, const struct sync_clock *b)
{
	if (!a || !b)
		return a == b;
	if (a->lines->len != b->lines->len)
		return false;
	for (guint i = 0; i < a->lines->len; i++) {
		const struct sync_line *x = clock_line_of(a, i), *y = clock_line_of(b, i);

		if (x->from != y->from || x->seen != y->seen || x->origin != y->origin ||
			x->offset != y->offset || x->rate != y->rate)
			return false;
	}
	return true;
}

struct sought {
	const struct sync_clock *clock;
	int64_t (*begin)(const struct sync_clock *clock, guint i);
	int64_t at;
};

static bool clock_begins_by(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return s->begin(s->clock, (guint)i) <= s->at;
}

/* The last line that begins at AT or before, by BEGIN; the first line if none does. */
static guint line_at(const struct sync_clock *clock,
	int64_t (*begin)(const struct sync_clock *clock, guint i), int64_t at)
{
	guint behind = (guint)base_search(0, clock->lines->len, clock_begins_by,
		&(struct sought){ clock, begin, at });

	return behind > 0 ? behind - 1 : 0;
}

int64_t sync_clock_reference(const struct sync_clock *clock, int64_t host)
{
	int64_t t;
	guint i;

	if (host == INT64_MIN || host == INT64_MAX)
		return host;
	i = line_at(clock, from_of, host);
	t = MAX(sync_line_reference(clock_line_of(clock, i), host), start_of(clock, i));
	return i + 1 < clock->lines->len ? MIN(t, start_of(clock, i + 1)) : t;
}

/* The first host time at which LINE shows REFERENCE. The slope differs from 1 by less than 0.2 %, so each
 * correction by the remaining difference gets 500 times closer. */
static int64_t line_host(const struct sync_line *line, int64_t reference)
{
	int64_t host = reference;

	for (;;) {
		sync_wide off = reference_of(line, host) - reference;
		int64_t next = clock_cut(host - off);

		if (off >= -1 && off <= 1)
			break;
		if (next == host)
			return host;
		host = next;
	}
	while (host < INT64_MAX && sync_line_reference(line, host) < reference)
		host++;
	while (host > INT64_MIN && sync_line_reference(line, host - 1) >= reference)
		host--;
	return host;
}

int64_t sync_clock_host(const struct sync_clock *clock, int64_t reference)
{
	int64_t host;
	guint i;

	if (reference == INT64_MIN || reference == INT64_MAX)
		return reference;
	i = line_at(clock, start_of, reference - 1);
	host = MAX(line_host(clock_line_of(clock, i), reference), clock_line_of(clock, i)->from);
	return i + 1 < clock->lines->len ? MIN(host, clock_line_of(clock, i + 1)->from) : host;
}

/* INNER, then OUTER: the rate is a + b + ab, the offset has that of OUTER at INNER's origin. */
static struct sync_line chain_lines(const struct sync_line *inner, const struct sync_line *outer)
{
	sync_wide whole = inner->offset >> SYNC_FRACTION_BITS;
	sync_wide part = inner->offset - whole * ((sync_wide)1 << SYNC_FRACTION_BITS);
	struct sync_line line = *inner;

	line.offset = inner->offset + outer->offset + (inner->origin + whole - outer->origin) * outer->rate +
		((part * outer->rate) >> SYNC_FRACTION_BITS);
	line.rate = inner->rate + outer->rate +
		(int64_t)(((sync_wide)inner->rate * outer->rate) >> SYNC_FRACTION_BITS);
	return line;
}

/* Append the parts of INNER's line I, one for each line of OUTER that holds there. */
static void chain_line(const struct sync_clock *inner, guint i, const struct sync_clock *outer, GArray *lines)
{
	const struct sync_line *own = clock_line_of(inner, i);
	int64_t end = i + 1 < inner->lines->len ? clock_line_of(inner, i + 1)->from : INT64_MAX;

	for (guint j = 0; j < outer->lines->len; j++) {
		struct sync_line line = chain_lines(own, clock_line_of(outer, j));
		int64_t from = j == 0 ? INT64_MIN : sync_clock_host(inner, clock_line_of(outer, j)->from);
		int64_t to = j + 1 < outer->lines->len
			? sync_clock_host(inner, clock_line_of(outer, j + 1)->from)
			: INT64_MAX;

		if (MAX(from, own->from) >= MIN(to, end))
			continue;
		line.from = MAX(from, own->from);
		line.seen = MIN(own->seen, sync_clock_host(inner, clock_line_of(outer, j)->seen));
		g_array_append_val(lines, line);
	}
}

struct sync_clock *sync_clock_new_chained(const struct sync_clock *inner, const struct sync_clock *outer)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));

	for (guint i = 0; i < inner->lines->len; i++)
		chain_line(inner, i, outer, lines);
	return sync_clock_new(lines);
}
