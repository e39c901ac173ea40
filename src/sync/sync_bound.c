/* SPDX-License-Identifier: MIT */
#include "sync/sync_clock.h"

#include "base/base_search.h"

#define SPAN_MAX (INT64_C(1) << 53) /* ns between points of one bound (104 days) */

static const struct sync_bound *bound_of(const GArray *bounds, guint i)
{
	return &g_array_index(bounds, struct sync_bound, i);
}

static const struct sync_point *point_of(const GArray *points, guint i)
{
	return &g_array_index(points, struct sync_point, i);
}

static void bound_clear(gpointer data)
{
	struct sync_bound *b = data;

	g_array_unref(b->low);
	g_array_unref(b->high);
}

static sync_wide ahead(const struct sync_point *p)
{
	return (sync_wide)p->other - p->host;
}

GArray *sync_bounds_new(void)
{
	GArray *bounds = g_array_new(FALSE, FALSE, sizeof(struct sync_bound));

	g_array_set_clear_func(bounds, bound_clear);
	return bounds;
}

void sync_bounds_add(GArray *bounds, const struct sync_bound *bound)
{
	struct sync_bound copy = *bound;

	copy.low = g_array_copy(bound->low);
	copy.high = g_array_copy(bound->high);
	g_array_append_val(bounds, copy);
}

GArray *sync_bounds_copy(const GArray *bounds)
{
	GArray *copy = sync_bounds_new();

	for (guint i = 0; i < bounds->len; i++)
		sync_bounds_add(copy, bound_of(bounds, i));
	return copy;
}

void sync_bounds_add_exact(GArray *bounds, int64_t host, int64_t other)
{
	struct sync_bound b = { .from = INT64_MIN, .seen = INT64_MAX };
	struct sync_point p = { host, other };

	b.low = g_array_new(FALSE, FALSE, sizeof p);
	b.high = g_array_new(FALSE, FALSE, sizeof p);
	g_array_append_val(b.low, p);
	g_array_append_val(b.high, p);
	g_array_append_val(bounds, b);
}

bool sync_bounds_are_exact(const GArray *bounds)
{
	const struct sync_bound *b = bounds && bounds->len == 1 ? bound_of(bounds, 0) : NULL;

	return b && b->slow == 0 && b->fast == 0 && b->low->len == 1 && b->high->len == 1 &&
		ahead(point_of(b->low, 0)) == ahead(point_of(b->high, 0));
}

/* ---- at an instant ---- */

/* NUM / DEN, rounded down; DEN > 0. */
static sync_wide divide_down(sync_wide num, sync_wide den)
{
	sync_wide q = num / den;

	return q * den > num ? q - 1 : q;
}

/* The other clock at HOST on the line through P of rate 1 + NUM / DEN, rounded UP or down. */
static sync_wide along(const struct sync_point *p, int64_t host, sync_wide num, sync_wide den, bool up)
{
	sync_wide dx = (sync_wide)host - p->host;

	return p->other + dx + (up ? -divide_down(-dx * num, den) : divide_down(dx * num, den));
}

/* One side of a bound at HOST. BEFORE and AFTER are the rates outside of its points. */
static sync_wide side_at(const GArray *points, int64_t before, int64_t after, int64_t host, bool up)
{
	const struct sync_point *first = point_of(points, 0), *last = point_of(points, points->len - 1), *p;

	if (host <= first->host)
		return along(first, host, before, (sync_wide)1 << SYNC_FRACTION_BITS, up);
	if (host >= last->host)
		return along(last, host, after, (sync_wide)1 << SYNC_FRACTION_BITS, up);
	p = first + base_search_holding(&first->host, points->len - 1, sizeof *first, host);
	return along(p, host, ahead(p + 1) - ahead(p), (sync_wide)p[1].host - p->host, up);
}

static void bound_at(const struct sync_bound *b, int64_t host, sync_wide *low, sync_wide *high)
{
	*high = side_at(b->high, b->slow, b->fast, host, true);
	*low = side_at(b->low, b->fast, b->slow, host, false);
}

/* The last bound that begins at HOST or before. */
static guint holding(const GArray *bounds, int64_t host)
{
	return (guint)base_search_holding(&bound_of(bounds, 0)->from, bounds->len, sizeof(struct sync_bound),
		host);
}

void sync_bounds_at(const GArray *bounds, int64_t host, sync_wide *low, sync_wide *high)
{
	guint i = holding(bounds, host);
	sync_wide other_low, other_high;

	bound_at(bound_of(bounds, i), host, low, high);
	if (i + 1 == bounds->len || host <= bound_of(bounds, i)->seen)
		return;
	bound_at(bound_of(bounds, i + 1), host, &other_low, &other_high);
	*low = MIN(*low, other_low);
	*high = MAX(*high, other_high);
}

/* ---- over a span ---- */

struct corners {
	int64_t from, to;
	void (*see)(void *data, int64_t host);
	void *data;
};

static void see_between(const struct corners *c, int64_t host)
{
	if (host > c->from && host < c->to)
		c->see(c->data, host);
}

void sync_bounds_corners(const GArray *bounds, int64_t from, int64_t to,
	void (*see)(void *data, int64_t host), void *data)
{
	struct corners c = { from, to, see, data };
	/* Between two bounds, either may hold. */
	guint last = MIN(holding(bounds, to) + 1, bounds->len - 1);

	see(data, from);
	see(data, to);
	for (guint i = holding(bounds, from); i <= last; i++) {
		const struct sync_bound *b = bound_of(bounds, i);

		if (i > 0) {
			see_between(&c, b->from - 1);
			see_between(&c, b->from);
		}
		if (b->seen < INT64_MAX) {
			see_between(&c, b->seen);
			see_between(&c, b->seen + 1);
		}
		for (guint k = 0; k < b->low->len; k++)
			see_between(&c, point_of(b->low, k)->host);
		for (guint k = 0; k < b->high->len; k++)
			see_between(&c, point_of(b->high, k)->host);
	}
}

struct half {
	const GArray *bounds;
	sync_wide most;
};

static void see_half(void *data, int64_t host)
{
	struct half *h = data;
	sync_wide low, high;

	sync_bounds_at(h->bounds, host, &low, &high);
	h->most = MAX(h->most, (high - low + 1) / 2);
}

int64_t sync_bounds_half(const GArray *bounds, int64_t from, int64_t to)
{
	struct half h = { bounds, 0 };

	sync_bounds_corners(bounds, from, to, see_half, &h);
	return h.most > INT64_MAX ? INT64_MAX : (int64_t)h.most;
}

/* ---- lines ---- */

/* The largest (SIGN 1) or smallest (−1) height of POINTS above the line of RATE through the host's own time
 * at ORIGIN, in 2^-62 ns. */
static sync_wide extreme(const GArray *points, int64_t origin, int64_t rate, int sign)
{
	sync_wide most = 0;

	for (guint i = 0; i < points->len; i++) {
		const struct sync_point *p = point_of(points, i);
		sync_wide v = sign *
			(ahead(p) * ((sync_wide)1 << SYNC_FRACTION_BITS) -
				rate * ((sync_wide)p->host - origin));

		if (i == 0 || v > most)
			most = v;
	}
	return sign * most;
}

sync_wide sync_bound_line(const struct sync_bound *b, int64_t rate, struct sync_line *line)
{
	int64_t origin = MIN(point_of(b->low, 0)->host, point_of(b->high, 0)->host);
	sync_wide low = extreme(b->low, origin, rate, 1), high = extreme(b->high, origin, rate, -1);

	*line = (struct sync_line){ .from = b->from,
		.seen = b->seen,
		.origin = origin,
		.offset = low + (high - low) / 2,
		.rate = rate };
	return high - low;
}

/* ---- validity ---- */

static bool are_points_valid(const GArray *points)
{
	const struct sync_point *first = points->len > 0 ? point_of(points, 0) : NULL;

	for (guint i = 1; i < points->len; i++) {
		const struct sync_point *p = point_of(points, i);
		sync_wide d = ahead(p) - ahead(first);

		if (p->host <= point_of(points, i - 1)->host || (sync_wide)p->host - first->host > SPAN_MAX ||
			d > SPAN_MAX || d < -SPAN_MAX)
			return false;
	}
	return first;
}

bool sync_bounds_are_valid(const GArray *bounds)
{
	for (guint i = 0; i < bounds->len; i++) {
		const struct sync_bound *b = bound_of(bounds, i);

		if ((i == 0) != (b->from == INT64_MIN) ||
			(i > 0 && b->from <= bound_of(bounds, i - 1)->from) || b->slow < -SYNC_RATE_MAX ||
			b->fast > SYNC_RATE_MAX || b->slow > b->fast || !are_points_valid(b->low) ||
			!are_points_valid(b->high))
			return false;
	}
	return bounds->len > 0;
}
