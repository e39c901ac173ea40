/* SPDX-License-Identifier: MIT */
/*
 * How it works: log-linear classes.  Each value below 32 has a class of its own; from 32 on each power of two
 * has 32 classes of equal width.
 */
#include "watch/watch_seen.h"

#include <inttypes.h>
#include <math.h>

#define BITS 5 /* of WATCH_SEEN_PARTS */

/* Return A + B, or the largest number. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static unsigned class_of(int64_t latency)
{
	uint64_t n = (uint64_t)MAX(latency, 0);
	unsigned shift = n < WATCH_SEEN_PARTS ? 0 : 63 - (unsigned)__builtin_clzll(n) - BITS;

	/* N >> SHIFT is 32 to 63 unless SHIFT is 0, so the classes of each SHIFT follow those before. */
	return shift * WATCH_SEEN_PARTS + (unsigned)(n >> shift);
}

void watch_seen_class(unsigned i, int64_t *from, int64_t *to)
{
	unsigned shift = i < 2 * WATCH_SEEN_PARTS ? 0 : i / WATCH_SEEN_PARTS - 1;
	uint64_t begin = (uint64_t)(i - shift * WATCH_SEEN_PARTS) << shift;

	*from = (int64_t)begin;
	*to = (int64_t)MIN(begin + (UINT64_C(1) << shift), (uint64_t)INT64_MAX);
}

void watch_seen_add(struct watch_seen *s, int64_t latency, uint64_t count)
{
	uint64_t *n = &s->classes[class_of(latency)];

	*n = sum_of(*n, count);
	s->count = sum_of(s->count, count);
}

void watch_seen_join(struct watch_seen *s, const struct watch_seen *other)
{
	for (unsigned i = 0; i < WATCH_SEEN_CLASSES; i++)
		s->classes[i] = sum_of(s->classes[i], other->classes[i]);
	s->count = sum_of(s->count, other->count);
}

int64_t watch_seen_quantile(const struct watch_seen *s, double share)
{
	uint64_t rank = MAX((uint64_t)ceil(share * (double)s->count), 1), below = 0;
	int64_t from, to;

	for (unsigned i = 0; i < WATCH_SEEN_CLASSES; i++) {
		below = sum_of(below, s->classes[i]);
		if (below < rank)
			continue;
		watch_seen_class(i, &from, &to);
		return to - 1;
	}
	return INT64_MIN;
}

void watch_seen_text(const struct watch_seen *s, GString *out)
{
	const char *between = "";

	for (unsigned i = 0; i < WATCH_SEEN_CLASSES; i++) {
		if (!s->classes[i])
			continue;
		g_string_append_printf(out, "%s%u:%" PRIu64, between, i, s->classes[i]);
		between = ",";
	}
}

bool watch_seen_parse(struct watch_seen *s, const char *text)
{
	while (*text) {
		char *end;
		guint64 i = g_ascii_strtoull(text, &end, 10), n;

		if (!g_ascii_isdigit(*text) || i >= WATCH_SEEN_CLASSES || *end != ':' ||
			!g_ascii_isdigit(end[1]))
			return false;
		n = g_ascii_strtoull(end + 1, &end, 10);
		s->classes[i] = sum_of(s->classes[i], n);
		s->count = sum_of(s->count, n);
		if (*end && (*end != ',' || !end[1]))
			return false;
		text = *end ? end + 1 : end;
	}
	return true;
}
