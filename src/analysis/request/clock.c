/* SPDX-License-Identifier: MIT */
#include "analysis/request/clock.h"

#include "base/base_error.h"
#include "sync/sync_hosts.h"

#include <math.h>

#define LOOK_EVERY 4096 /* packets between two checks for cancellation */

/* ---- packet by packet ---- */

struct ana_residuals_walk {
	struct qry *q;                  /* weak */
	struct base_progress *progress; /* weak */
	struct ana_residuals_window window;
	uint32_t receiver;        /* the current receiver */
	struct qry_passages *all; /* owned: packets that it received; NULL: not opened */
	uint64_t looked;
};

struct ana_residuals_walk *ana_residuals_walk_new(struct qry *q, const struct ana_residuals_window *window,
	struct base_progress *progress)
{
	struct ana_residuals_walk *w = g_new0(struct ana_residuals_walk, 1);

	w->q = q;
	w->progress = progress;
	w->window = *window;
	return w;
}

void ana_residuals_walk_free(struct ana_residuals_walk *w)
{
	if (w)
		qry_passages_free(w->all);
	g_free(w);
}

/* The next packet that the current receiver received.  False if there is none, or if cancelled. */
static bool next_received(struct ana_residuals_walk *w, struct qry_passage *p)
{
	const struct ana_residuals_window *window = &w->window;

	if (window->other != MDL_NONE && w->receiver != window->host && w->receiver != window->other)
		return false;
	if (!w->all)
		w->all = qry_passages_new(w->q, w->receiver, window->from);
	if (!qry_passages_next(w->all, p) || p->received >= window->to)
		return false;
	if (++w->looked % LOOK_EVERY)
		return true;
	if (w->progress)
		base_progress_set(w->progress,
			(w->receiver +
				((double)p->received - (double)window->from) /
					((double)window->to - (double)window->from)) /
				qry_host_count(w->q),
			w->looked);
	return !base_progress_cancelled(w->progress);
}

static bool is_wanted(const struct ana_residuals_window *w, const struct qry_passage *p)
{
	return w->host == MDL_NONE ||
		((p->sender == w->host || p->receiver == w->host) &&
			(w->other == MDL_NONE || p->sender == w->other || p->receiver == w->other));
}

int ana_residuals_walk_next(struct ana_residuals_walk *w, struct qry_passage *p, int64_t *residual,
	GError **error)
{
	while (w->receiver < qry_host_count(w->q)) {
		while (next_received(w, p))
			/* Clocks may be centuries apart: then there is no such time. */
			if (is_wanted(&w->window, p) &&
				!__builtin_sub_overflow(p->received, p->sent, residual))
				return 1;
		if (base_progress_cancelled(w->progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return -1;
		}
		g_clear_pointer(&w->all, qry_passages_free);
		w->receiver++;
	}
	return 0;
}

/* ---- columns ---- */

unsigned ana_residuals_bucket(int64_t residual)
{
	unsigned bucket = residual > 1 ? (unsigned)(log10((double)residual) * ANA_RESIDUALS_DECADE) : 0;

	return MIN(bucket, ANA_RESIDUALS_BUCKETS - 1);
}

bool ana_residuals_has(const struct ana_residuals_cell *cell, unsigned bucket)
{
	return cell->buckets[bucket / 64] >> bucket % 64 & 1;
}

void ana_residuals_add(struct ana_residuals_cell *sum, const struct ana_residuals_cell *cell)
{
	if (!cell->packets)
		return;
	sum->least = sum->packets ? MIN(sum->least, cell->least) : cell->least;
	sum->most = sum->packets ? MAX(sum->most, cell->most) : cell->most;
	sum->packets += cell->packets;
	sum->early += cell->early;
	for (unsigned i = 0; i < ANA_RESIDUALS_WORDS; i++)
		sum->buckets[i] |= cell->buckets[i];
}

static void add_one(struct ana_residuals_cell *sum, int64_t residual)
{
	struct ana_residuals_cell one = { .packets = 1,
		.early = residual < 0,
		.least = residual,
		.most = residual };
	unsigned bucket;

	if (residual >= 0) {
		bucket = ana_residuals_bucket(residual);
		one.buckets[bucket / 64] = UINT64_C(1) << bucket % 64;
	}
	ana_residuals_add(sum, &one);
}

/* The column of the window that holds TIME. */
static uint32_t residuals_column_of(const struct ana_residuals *r, int64_t time)
{
	int64_t from = r->window.from, to = r->window.to;
	uint32_t c = (uint32_t)((__extension__(__int128) 1) * (time - from) * r->n_columns / (to - from));

	while (c > 0 && qry_column_time(from, to, r->n_columns, c) > time)
		c--;
	while (c + 1 < r->n_columns && qry_column_time(from, to, r->n_columns, c + 1) <= time)
		c++;
	return c;
}

/* ---- ways ---- */

struct collector {
	struct ana_residuals *r;
	GHashTable *ways;               /* residuals_key_of() → struct ana_residuals_way; keys owned */
	struct ana_residuals_way *last; /* packets often come in a row; NULL at the start */
};

static gint64 residuals_key_of(uint32_t sender, uint32_t receiver)
{
	return (gint64)sender << 32 | receiver;
}

static struct ana_residuals_way *way_of(struct collector *c, uint32_t sender, uint32_t receiver)
{
	gint64 key = residuals_key_of(sender, receiver);

	if (c->last && c->last->sender == sender && c->last->receiver == receiver)
		return c->last;
	c->last = g_hash_table_lookup(c->ways, &key);
	if (c->last)
		return c->last;
	c->last = g_new0(struct ana_residuals_way, 1);
	c->last->sender = sender;
	c->last->receiver = receiver;
	c->last->cells = g_new0(struct ana_residuals_cell, c->r->n_columns);
	g_ptr_array_add(c->r->ways, c->last);
	g_hash_table_insert(c->ways, g_memdup2(&key, sizeof key), c->last);
	return c->last;
}

static void residuals_collect(struct collector *c, const struct qry_passage *p, int64_t residual)
{
	struct ana_residuals_way *way = way_of(c, p->sender, p->receiver);

	add_one(&way->all, residual);
	add_one(&way->cells[residuals_column_of(c->r, p->received)], residual);
}

static void way_free(gpointer data)
{
	struct ana_residuals_way *way = data;

	g_free(way->cells);
	g_free(way);
}

static gint compare_ways(gconstpointer left, gconstpointer right)
{
	const struct ana_residuals_way *a = *(const struct ana_residuals_way *const *)left,
				       *b = *(const struct ana_residuals_way *const *)right;
	gint64 x = residuals_key_of(a->sender, a->receiver), y = residuals_key_of(b->sender, b->receiver);

	return (x > y) - (x < y);
}

struct ana_residuals *ana_residuals_new(struct qry *q, const struct ana_residuals_window *window,
	uint32_t n_columns, struct base_progress *progress, GError **error)
{
	struct ana_residuals *r = g_new0(struct ana_residuals, 1);
	struct collector c = { .r = r,
		.ways = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL) };
	struct ana_residuals_walk *w = ana_residuals_walk_new(q, window, progress);
	struct qry_passage p;
	int64_t residual;
	int found;

	r->window = *window;
	r->n_columns = n_columns;
	r->ways = g_ptr_array_new_with_free_func(way_free);
	while ((found = ana_residuals_walk_next(w, &p, &residual, error)) > 0)
		residuals_collect(&c, &p, residual);
	ana_residuals_walk_free(w);
	g_hash_table_unref(c.ways);
	g_ptr_array_sort(r->ways, compare_ways);
	if (found == 0)
		return r;
	ana_residuals_free(r);
	return NULL;
}

void ana_residuals_free(struct ana_residuals *r)
{
	if (!r)
		return;
	g_ptr_array_unref(r->ways);
	g_free(r);
}

/* ---- the state at one instant ---- */

struct ana_clock ana_clock_of(const struct qry *q, uint32_t host, int64_t time)
{
	const struct sync_hosts *clocks = qry_clocks(q);
	const struct sync_host *h = clocks ? &clocks->hosts[host] : NULL;
	struct ana_clock clock = { .known = !host,
		.quality = "own",
		.error = host ? INT64_MAX : 0,
		.worst = host ? INT64_MAX : 0,
		.by = MDL_NONE };
	int64_t own = qry_host_time(q, host, time);

	if (!h)
		return clock;
	clock.quality = sync_quality_name(h->quality);
	clock.apart = sync_text_apart(clocks, host);
	clock.packets = h->exchanged;
	clock.early_before = h->violations_before;
	clock.early = h->violations_after;
	if (h->placed) {
		clock.placed = true;
		clock.ahead = -sync_place_shift(h);
	}
	if (!h->clock)
		return clock;
	clock.known = true;
	if (__builtin_sub_overflow(own, time, &clock.ahead))
		clock.known = false;
	clock.lines = h->clock->lines->len;
	while (clock.line + 1 < clock.lines &&
		g_array_index(h->clock->lines, struct sync_line, clock.line + 1).from <= own)
		clock.line++;
	clock.fast = sync_line_fast(&g_array_index(h->clock->lines, struct sync_line, clock.line));
	clock.error = qry_clock_error(q, 0, host, time);
	clock.worst = h->error_max;
	clock.by = h->by == host ? MDL_NONE : h->by;
	return clock;
}
