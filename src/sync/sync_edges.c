/* SPDX-License-Identifier: MIT */
/*
 * How it works: a small buffer brings messages into the order of the host's clock before they are fed to the fit: a packet that was long on its
 * way is sent before, but found after, others.
 */
#include "sync/sync_edges.h"

#include <stdlib.h>

#define BUFFER 8192	/* messages: more than are under way between two hosts at once */

struct message {
	int64_t host, reference;
	bool from_host;
};

struct sync_edges {
	GHashTable *by_hosts;	/* host << 32 | reference → struct sync_edge *, owned */
};

static void edge_free(gpointer data)
{
	struct sync_edge *e = data;

	sync_fit_free(e->fit);
	g_array_unref(e->buffer);
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

struct sync_edge *sync_edges_of(struct sync_edges *edges, unsigned host, unsigned reference)
{
	gpointer key = GSIZE_TO_POINTER((gsize)host << 32 | reference);
	struct sync_edge *e = g_hash_table_lookup(edges->by_hosts, key);

	if (e != NULL)
		return e;
	e = g_new(struct sync_edge, 1);
	*e = (struct sync_edge){
		.host = host, .reference = reference, .fit = sync_fit_new(),
		.buffer = g_array_new(FALSE, FALSE, sizeof(struct message)), .fed = INT64_MIN, .whole = true,
	};
	g_hash_table_insert(edges->by_hosts, key, e);
	return e;
}

static int by_host_time(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->reference < y->reference ? -1 : x->reference > y->reference;
}

/* Feed the first N of the buffer.  One that comes too late for its place is left out: it was on its way longer than all others. */
static void feed(struct sync_edge *e, guint n)
{
	qsort(e->buffer->data, e->buffer->len, sizeof(struct message), by_host_time);
	for (guint i = 0; i < n; i++) {
		const struct message *m = &g_array_index(e->buffer, struct message, i);

		if (m->host < e->fed) {
			e->whole = false;
			continue;
		}
		sync_fit_add(e->fit, m->host, m->reference, m->from_host);
		e->fed = m->host;
	}
	g_array_remove_range(e->buffer, 0, n);
}

static void add_message(struct sync_edges *edges, unsigned host, unsigned reference, struct message message)
{
	struct sync_edge *e = sync_edges_of(edges, host, reference);

	g_array_append_val(e->buffer, message);
	if (e->buffer->len == BUFFER)
		feed(e, BUFFER / 2);
}

void sync_edges_add(struct sync_edges *edges, unsigned sender, int64_t sent, unsigned receiver, int64_t received)
{
	add_message(edges, sender, receiver, (struct message){ sent, received, true });
	add_message(edges, receiver, sender, (struct message){ received, sent, false });
}

void sync_edges_finish(struct sync_edges *edges)
{
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		feed(e, e->buffer->len);
		sync_fit_finish(e->fit);
	}
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
