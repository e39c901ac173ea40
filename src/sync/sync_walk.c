/* SPDX-License-Identifier: MIT */
/*
 * How it works: each host is read twice, once for all its packets and once for the received ones. A heap
 * merges the cursors. The ages of what the walk keeps are a sample: one time for each STRIDE bytes.
 */
#include "sync/sync_match_parts.h"

#include "base/base_search.h"

/* A place in a host's packets. */
struct cursor {
	unsigned host;
	bool late; /* only received packets, SYNC_LAG later */
	void *state;
	const struct sync_rough *rough; /* weak */
	guint piece;                    /* of ROUGH, at the packet */
	struct sync_packet packet;
	int64_t walked; /* its time on the walk */
	bool ended;
};

/* A cursor's place in the heap.  Its time is copied here, because cursors are too large for a quick scan. */
struct turn {
	int64_t walked;
	unsigned cursor;
};

struct sync_walk {
	const struct sync_source *sources; /* weak */
	unsigned n;
	struct cursor *cursors; /* 2 n */
	struct turn *heap;      /* of cursors that have not ended, the earliest first */
	unsigned heap_size;
	int64_t at;
};

static int64_t walked(struct cursor *c)
{
	int64_t t = sync_rough_reference(c->rough, c->packet.time, &c->piece);

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

static bool walk_is_before(const struct turn *a, const struct turn *b)
{
	return a->walked < b->walked || (a->walked == b->walked && a->cursor < b->cursor);
}

/* Put TURN into place I or further down. */
static void sift_down(struct sync_walk *w, unsigned i, struct turn turn)
{
	for (unsigned child; (child = 2 * i + 1) < w->heap_size; i = child) {
		child += child + 1 < w->heap_size && walk_is_before(&w->heap[child + 1], &w->heap[child]);
		if (!walk_is_before(&w->heap[child], &turn))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = turn;
}

struct sync_walk *sync_walk_new(const struct sync_source *sources, unsigned n, const struct sync_rough *rough)
{
	struct sync_walk *w = g_new0(struct sync_walk, 1);

	w->sources = sources;
	w->n = n;
	w->cursors = g_new0(struct cursor, 2 * (gsize)n);
	w->heap = g_new(struct turn, 2 * (gsize)n);
	w->at = INT64_MIN;
	for (unsigned i = 0; i < 2 * n; i++) {
		struct cursor *c = &w->cursors[i];

		c->host = i / 2;
		c->late = i % 2 != 0;
		c->rough = &rough[c->host];
		c->state = sources[c->host].open(sources[c->host].data);
		advance(sources, c);
		if (!c->ended)
			w->heap[w->heap_size++] = (struct turn){ c->walked, i };
	}
	for (unsigned i = w->heap_size / 2; i-- > 0;)
		sift_down(w, i, w->heap[i]);
	return w;
}

void sync_walk_free(struct sync_walk *w)
{
	if (!w)
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
	struct turn next;

	if (w->heap_size == 0)
		return false;
	next = w->heap[0];
	c = &w->cursors[next.cursor];
	w->at = MAX(w->at, c->walked);
	*step = (struct sync_step){ .host = c->host, .late = c->late, .at = w->at, .packet = c->packet };
	advance(w->sources, c);
	next.walked = c->walked;
	if (c->ended)
		next = w->heap[--w->heap_size];
	if (w->heap_size > 0)
		sift_down(w, 0, next);
	return true;
}

/* ---- ages ---- */

#define STRIDE 8192 /* bytes per time in the sample */

void sync_ages_begin(struct sync_ages *ages)
{
	ages->sample = g_array_new(FALSE, FALSE, sizeof(int64_t));
	ages->rest = 0;
}

void sync_ages_add(struct sync_ages *ages, int64_t at, size_t bytes)
{
	for (ages->rest += bytes; ages->rest >= STRIDE; ages->rest -= STRIDE)
		g_array_append_val(ages->sample, at);
}

int64_t sync_ages_median(struct sync_ages *ages)
{
	int64_t median = INT64_MAX;

	g_array_sort(ages->sample, base_search_by_int64);
	if (ages->sample->len > 0)
		median = g_array_index(ages->sample, int64_t, ages->sample->len / 2);
	g_clear_pointer(&ages->sample, g_array_unref);
	return median;
}
