/* SPDX-License-Identifier: MIT */
#include "sync/sync_fit.h"

#include <stdlib.h>

#define BUFFER 8192 /* messages: more than are under way between two hosts at once */

void sync_order_init(struct sync_order *o, void (*give)(void *data, const struct sync_message *message),
	void *data)
{
	*o = (struct sync_order){ .buffer = g_array_new(FALSE, FALSE, sizeof(struct sync_message)),
		.given = INT64_MIN,
		.whole = true,
		.give = give,
		.data = data };
}

void sync_order_clear(struct sync_order *o)
{
	g_array_unref(o->buffer);
}

static int order_by_time(const void *a, const void *b)
{
	const struct sync_message *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->other < y->other ? -1 : x->other > y->other;
}

/* Give the first N of the buffer. */
static void give(struct sync_order *o, guint n)
{
	qsort(o->buffer->data, o->buffer->len, sizeof(struct sync_message), order_by_time);
	for (guint i = 0; i < n; i++) {
		const struct sync_message *m = &g_array_index(o->buffer, struct sync_message, i);

		if (m->host < o->given) {
			o->whole = false;
			continue;
		}
		o->give(o->data, m);
		o->given = m->host;
	}
	g_array_remove_range(o->buffer, 0, n);
}

void sync_order_add(struct sync_order *o, const struct sync_message *message)
{
	g_array_append_vals(o->buffer, message, 1);
	if (o->buffer->len == BUFFER)
		give(o, BUFFER / 2);
}

void sync_order_finish(struct sync_order *o)
{
	give(o, o->buffer->len);
}
