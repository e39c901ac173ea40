/* SPDX-License-Identifier: MIT */
/*
 * How it works: the greatest rate is that of the tangent from the newest message of the other direction to
 * the hull, and with time the vertex that a tangent touches only moves on.
 */
#include "sync/sync_hull.h"

void sync_hull_init(struct sync_hull *h)
{
	h->vertices = g_array_new(FALSE, FALSE, sizeof(struct sync_vertex));
	sync_hull_reset(h);
}

void sync_hull_clear(struct sync_hull *h)
{
	g_array_unref(h->vertices);
}

void sync_hull_reset(struct sync_hull *h)
{
	g_array_set_size(h->vertices, 0);
	h->tangent = 0;
	h->num = SYNC_RATE_MAX;
	h->den = INT64_C(1) << SYNC_FRACTION_BITS;
	h->bounded = false;
	h->count = 0;
}

const struct sync_vertex *sync_hull_vertex(const struct sync_hull *h, guint i)
{
	return &g_array_index(h->vertices, struct sync_vertex, i);
}

/* How far P is above the line through FROM with the greatest rate, times DEN. */
static sync_wide above(const struct sync_hull *h, const struct sync_vertex *from, const struct sync_vertex *p)
{
	return (sync_wide)(p->z - from->z) * h->den - h->num * (p->x - from->x);
}

bool sync_hull_limit(struct sync_hull *h, const struct sync_vertex *p)
{
	if (h->vertices->len == 0 || above(h, sync_hull_vertex(h, h->tangent), p) >= 0)
		return true;
	for (guint i = h->tangent; i < h->vertices->len; i++) {
		const struct sync_vertex *v = sync_hull_vertex(h, i);
		int64_t dx = p->x - v->x, dz = p->z - v->z;

		if (dx == 0)
			return dz >= 0;
		if ((sync_wide)dz * h->den > h->num * dx)
			break;
		h->num = dz;
		h->den = dx;
		h->tangent = i;
		h->bounded = true;
	}
	return true;
}

/* True when B is not above the straight line from A to C. */
static bool is_below(const struct sync_vertex *a, const struct sync_vertex *b, const struct sync_vertex *c)
{
	return (sync_wide)(b->z - a->z) * (c->x - a->x) <= (sync_wide)(c->z - a->z) * (b->x - a->x);
}

void sync_hull_add(struct sync_hull *h, const struct sync_vertex *p)
{
	guint n = h->vertices->len;

	h->count++;
	while (n > 0 && sync_hull_vertex(h, n - 1)->x == p->x && sync_hull_vertex(h, n - 1)->z <= p->z)
		n--;
	if (n > 0 && sync_hull_vertex(h, n - 1)->x == p->x)
		return;
	while (n > 1 && is_below(sync_hull_vertex(h, n - 2), sync_hull_vertex(h, n - 1), p))
		n--;
	g_array_set_size(h->vertices, n);
	g_array_append_val(h->vertices, *p);
	if (h->tangent >= n || above(h, sync_hull_vertex(h, h->tangent), p) > 0)
		h->tangent = n;
}

int64_t sync_hull_rate(const struct sync_hull *h)
{
	sync_wide num = h->num * ((sync_wide)1 << SYNC_FRACTION_BITS), rate = num / h->den;

	/* The rate NUM / DEN of the fixed limit is in fractions already. */
	if (!h->bounded)
		return SYNC_RATE_MAX;
	return (int64_t)(num < 0 && rate * h->den != num ? rate - 1 : rate);
}

guint sync_hull_touched(const struct sync_hull *h, int64_t rate)
{
	sync_wide most = 0;
	guint touched = 0;

	for (guint i = 0; i < h->vertices->len; i++) {
		const struct sync_vertex *v = sync_hull_vertex(h, i);
		sync_wide height = v->z * ((sync_wide)1 << SYNC_FRACTION_BITS) - (sync_wide)rate * v->x;

		if (i == 0 || height > most) {
			most = height;
			touched = i;
		}
	}
	return touched;
}
