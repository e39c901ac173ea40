/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts_parts.h"

#include "sync/sync_fit.h"

#include <stdlib.h>

/* ---- order ---- */

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

/* Pass the first N messages of the buffer on, in order of time. */
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

/* ---- edges ---- */

struct sync_edges {
	GHashTable *by_hosts; /* host << 32 | reference → struct sync_edge *, owned */
};

static void edge_free(gpointer data)
{
	struct sync_edge *e = data;

	sync_fit_free(e->fit);
	sync_order_clear(&e->order);
	g_free(e);
}

struct sync_edges *sync_edges_new(void)
{
	struct sync_edges *edges = g_new(struct sync_edges, 1);

	edges->by_hosts = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, edge_free);
	return edges;
}

void sync_edges_free(struct sync_edges *edges)
{
	g_hash_table_unref(edges->by_hosts);
	g_free(edges);
}

static void feed(void *data, const struct sync_message *m)
{
	sync_fit_add(data, m->host, m->other, m->from_host);
}

struct sync_edge *sync_edges_of(struct sync_edges *edges, unsigned host, unsigned reference)
{
	gpointer key = GSIZE_TO_POINTER((gsize)host << 32 | reference);
	struct sync_edge *e = g_hash_table_lookup(edges->by_hosts, key);

	if (e)
		return e;
	e = g_new(struct sync_edge, 1);
	*e = (struct sync_edge){ .host = host, .reference = reference, .fit = sync_fit_new() };
	sync_order_init(&e->order, feed, e->fit);
	g_hash_table_insert(edges->by_hosts, key, e);
	return e;
}

void sync_edges_add(struct sync_edges *edges, unsigned sender, int64_t sent, unsigned receiver,
	int64_t received)
{
	sync_order_add(&sync_edges_of(edges, sender, receiver)->order,
		&(struct sync_message){ sent, received, true });
	sync_order_add(&sync_edges_of(edges, receiver, sender)->order,
		&(struct sync_message){ received, sent, false });
}

void sync_edges_finish(struct sync_edges *edges)
{
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		sync_order_finish(&e->order);
		sync_fit_finish(e->fit);
	}
}

static bool is_one_line(const struct sync_edge *e)
{
	return sync_fit_pieces(e->fit)->len == 1;
}

static void swap_fits(struct sync_edge *a, struct sync_edge *b)
{
	struct sync_fit *fit = a->fit;

	a->fit = b->fit;
	b->fit = fit;
}

bool sync_edges_prefer(struct sync_edges *edges, struct sync_edges *stays)
{
	struct sync_edge *e;
	GHashTableIter iter;
	bool any = false;

	sync_edges_iter(stays, &iter);
	while (sync_edges_next(&iter, &e)) {
		struct sync_edge *back = sync_edges_of(stays, e->reference, e->host),
				 *all = sync_edges_of(edges, e->host, e->reference),
				 *all_back = sync_edges_of(edges, e->reference, e->host);

		if (e->host > e->reference || !is_one_line(e) || !is_one_line(back) ||
			(is_one_line(all) && is_one_line(all_back)))
			continue;
		swap_fits(e, all);
		swap_fits(back, all_back);
		any = true;
	}
	return any;
}

void sync_edges_iter(struct sync_edges *edges, GHashTableIter *iter)
{
	g_hash_table_iter_init(iter, edges->by_hosts);
}

bool sync_edges_next(GHashTableIter *iter, struct sync_edge **edge)
{
	gpointer value;

	if (!g_hash_table_iter_next(iter, NULL, &value))
		return false;
	*edge = value;
	return true;
}
