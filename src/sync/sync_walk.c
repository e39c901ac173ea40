/* SPDX-License-Identifier: MIT */
/* How it works: each host is read twice, once for all and once for what it received; a heap brings the cursors together. */
#include "sync/sync_walk.h"

/* Where a host's packets are. */
struct cursor {
	unsigned host;
	bool late;		/* only what was received, later */
	void *state;
	const struct sync_rough *rough;	/* weak */
	struct sync_packet packet;
	int64_t walked;		/* its time on the walk */
	bool ended;
};

struct sync_walk {
	const struct sync_source *sources;	/* weak */
	unsigned n;
	struct cursor *cursors;		/* 2 n */
	unsigned *heap;			/* of those not ended, the earliest first */
	unsigned heap_size;
	int64_t at;
};

static int64_t walked(const struct cursor *c)
{
	int64_t t = sync_rough_reference(c->rough, c->packet.time);

	return c->late && t > INT64_MAX - SYNC_LAG ? INT64_MAX : t + (c->late ? SYNC_LAG : 0);
}

static void advance(const struct sync_source *sources, struct cursor *c)
{
	const struct sync_source *source = &sources[c->host];

	do
		c->ended = !source->next(c->state, &c->packet);
	while (!c->ended && c->late && !c->packet.received);
	if (!c->ended)
		c->walked = walked(c);
}

static bool is_before(const struct sync_walk *w, unsigned a, unsigned b)
{
	int64_t x = w->cursors[w->heap[a]].walked, y = w->cursors[w->heap[b]].walked;

	return x < y || (x == y && w->heap[a] < w->heap[b]);
}

static void swap(struct sync_walk *w, unsigned a, unsigned b)
{
	unsigned t = w->heap[a];

	w->heap[a] = w->heap[b];
	w->heap[b] = t;
}

static void sift_down(struct sync_walk *w, unsigned i)
{
	for (;;) {
		unsigned least = i;

		for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < w->heap_size; child++)
			least = is_before(w, child, least) ? child : least;
		if (least == i)
			return;
		swap(w, i, least);
		i = least;
	}
}

static void open_cursor(struct sync_walk *w, unsigned i, const struct sync_rough *rough)
{
	struct cursor *c = &w->cursors[i];

	c->host = i / 2;
	c->late = i % 2 != 0;
	c->rough = &rough[c->host];
	c->state = w->sources[c->host].open(w->sources[c->host].data);
	advance(w->sources, c);
	if (!c->ended)
		w->heap[w->heap_size++] = i;
}

struct sync_walk *sync_walk_new(const struct sync_source *sources, unsigned n, const struct sync_rough *rough)
{
	struct sync_walk *w = g_new0(struct sync_walk, 1);

	w->sources = sources;
	w->n = n;
	w->cursors = g_new0(struct cursor, 2 * (gsize)n);
	w->heap = g_new(unsigned, 2 * (gsize)n);
	w->at = INT64_MIN;
	for (unsigned i = 0; i < 2 * n; i++)
		open_cursor(w, i, rough);
	for (unsigned i = w->heap_size / 2; i-- > 0;)
		sift_down(w, i);
	return w;
}

void sync_walk_free(struct sync_walk *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < 2 * w->n; i++)
		w->sources[i / 2].close(w->cursors[i].state);
	g_free(w->cursors);
	g_free(w->heap);
	g_free(w);
}

bool sync_walk_next(struct sync_walk *w, struct sync_step *step)
{
	struct cursor *c;

	if (w->heap_size == 0)
		return false;
	c = &w->cursors[w->heap[0]];
	w->at = MAX(w->at, c->walked);
	*step = (struct sync_step){ .host = c->host, .late = c->late, .at = w->at, .packet = c->packet };
	advance(w->sources, c);
	if (c->ended)
		w->heap[0] = w->heap[--w->heap_size];
	sift_down(w, 0);
	return true;
}
