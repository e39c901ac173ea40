/* SPDX-License-Identifier: MIT */
/*
 * How it works: the median of the differences between two hosts is near enough, because most packets take
 * less than a second; it is taken anew every few packets, as clocks drift, are set, and stand still while a
 * host is suspended.
 */
#include "sync/sync_rough.h"

#include "base/base_search.h"
#include "sync/sync_clock.h"

#include <stdbool.h>
#include <stdlib.h>

#define PIECE_MIN 9 /* packets from which a piece of an offset is taken */
#define PIECES_MAX 256

/* ---- what a clock shows ---- */

static int64_t from_of(const struct sync_rough *rough, guint i)
{
	return g_array_index(rough->pieces, struct sync_rough_piece, i).from;
}

static guint piece_at(const struct sync_rough *rough, int64_t time)
{
	const struct sync_rough_piece *first = &g_array_index(rough->pieces, struct sync_rough_piece, 0);

	return (guint)base_search_holding(&first->from, rough->pieces->len, sizeof *first, time);
}

static int64_t ahead_of(const struct sync_rough *rough, guint i)
{
	return g_array_index(rough->pieces, struct sync_rough_piece, i).ahead;
}

static int64_t minus(int64_t time, int64_t ahead)
{
	int64_t t;

	return __builtin_sub_overflow(time, ahead, &t) ? (ahead < 0 ? INT64_MAX : INT64_MIN) : t;
}

static bool is_in_piece(const struct sync_rough *rough, guint i, int64_t time)
{
	return i < rough->pieces->len && from_of(rough, i) <= time &&
		(i + 1 == rough->pieces->len || time < from_of(rough, i + 1));
}

int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece)
{
	int64_t t;

	if (!is_in_piece(rough, *piece, time))
		*piece = piece_at(rough, time);
	t = minus(time, ahead_of(rough, *piece));
	return *piece + 1 == rough->pieces->len
		? t
		: MIN(t, minus(from_of(rough, *piece + 1), ahead_of(rough, *piece + 1)));
}

/* ---- pieces ---- */

static int by_time_of_a(const void *x, const void *y)
{
	const struct sync_both *p = x, *q = y;

	return p->a < q->a ? -1 : p->a > q->a;
}

static int by_time_of_b(const void *x, const void *y)
{
	const struct sync_both *p = x, *q = y;

	return p->b < q->b ? -1 : p->b > q->b;
}

static int by_distance(const void *x, const void *y)
{
	const struct sync_both *p = x, *q = y;

	return p->b - p->a < q->b - q->a ? -1 : p->b - p->a > q->b - q->a;
}

/* From N packets, sorted by the clock of a host that is reached (A, else B) from PARENT, one piece of its
 * offset.  False: too far to tell. */
static bool add_piece(GArray *pieces, struct sync_both *packets, guint n, bool is_a,
	const struct sync_rough *parent)
{
	struct sync_rough_piece piece = { .from = pieces->len == 0 ? INT64_MIN
			: is_a                                     ? packets[0].a
								   : packets[0].b };
	const struct sync_both *middle;
	sync_wide ahead;

	qsort(packets, n, sizeof *packets, by_distance);
	middle = &packets[n / 2];
	ahead = is_a ? (sync_wide)middle->a - middle->b : (sync_wide)middle->b - middle->a;
	ahead += ahead_of(parent, piece_at(parent, is_a ? middle->b : middle->a));
	piece.ahead = (int64_t)ahead;
	g_array_append_val(pieces, piece);
	return ahead <= SYNC_ROUGH_MAX && ahead >= -SYNC_ROUGH_MAX;
}

/* The offset of a host of L from that of its other host, PARENT.  False: they are too far apart to tell. */
static bool follow(const struct sync_link *l, bool is_a, struct sync_rough *host,
	const struct sync_rough *parent)
{
	guint n = l->all->len, size = MAX(PIECE_MIN, n / PIECES_MAX);

	qsort(l->all->data, n, sizeof(struct sync_both), is_a ? by_time_of_a : by_time_of_b);
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): each host has its pieces */
	g_array_set_size(host->pieces, 0);
	for (guint i = 0; i < n;) {
		guint count = n - i < 2 * size ? n - i : size;

		if (!add_piece(host->pieces, &g_array_index(l->all, struct sync_both, i), count, is_a,
			    parent))
			return false;
		i += count;
	}
	return true;
}

/* ---- from host to host ---- */

static void set_none(struct sync_rough *host)
{
	struct sync_rough_piece whole = { INT64_MIN, 0 };

	g_array_set_size(host->pieces, 0);
	g_array_append_val(host->pieces, whole);
}

/* Reach one more host by the strongest of LINKS that leads to one.  False: there is none. */
static bool reach_one(GPtrArray *links, struct sync_rough *hosts, bool *reached)
{
	for (guint i = 0; i < links->len; i++) {
		struct sync_link *l = g_ptr_array_index(links, i);
		unsigned to = reached[l->a] ? l->b : l->a;

		if (reached[l->a] == reached[l->b])
			continue;
		if (!follow(l, to == l->a, &hosts[to], &hosts[l->a + l->b - to])) {
			set_none(&hosts[to]);
			g_ptr_array_remove_index(links, i);
			return true;
		}
		reached[to] = true;
		return true;
	}
	return false;
}

/* From the first host outwards, then from the first of those that it does not lead to, …. */
static void reach_all(GPtrArray *links, unsigned n, struct sync_rough *hosts)
{
	bool *reached = g_new0(bool, n);

	for (unsigned i = 0; i < n; i++) {
		if (reached[i])
			continue;
		set_none(&hosts[i]);
		reached[i] = true;
		while (reach_one(links, hosts, reached))
			;
	}
	g_free(reached);
}

struct sync_rough *sync_rough_new(GPtrArray *links, unsigned n)
{
	struct sync_rough *hosts = g_new(struct sync_rough, n);

	for (unsigned i = 0; i < n; i++)
		hosts[i].pieces = g_array_new(FALSE, FALSE, sizeof(struct sync_rough_piece));
	reach_all(links, n, hosts);
	return hosts;
}

void sync_rough_free(struct sync_rough *hosts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		g_array_unref(hosts[i].pieces);
	g_free(hosts);
}
