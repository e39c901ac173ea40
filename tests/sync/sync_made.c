/* SPDX-License-Identifier: MIT */
#include "sync/sync_made.h"

struct reading {
	const GArray *packets;
	guint at;
};

static void *reading_open(void *data)
{
	struct reading *r = g_new0(struct reading, 1);

	r->packets = data;
	return r;
}

static bool reading_next(void *cursor, struct sync_packet *p)
{
	struct reading *r = cursor;

	if (r->at == r->packets->len)
		return false;
	*p = g_array_index(r->packets, struct sync_packet, r->at++);
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct sync_packet *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

GArray *sync_made_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct sync_packet));
}

struct sync_source sync_made_source(GArray *packets)
{
	g_array_sort(packets, by_time);
	return (struct sync_source){ .data = packets,
		.open = reading_open,
		.next = reading_next,
		.close = g_free };
}
