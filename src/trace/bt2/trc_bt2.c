/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader on top of babeltrace2. Most of the time goes into babeltrace2's decoder, which
 * uses one thread. So the streams are divided by size among as many graphs as there are processors. Each
 * graph has its own thread, a lane. A graph opens the whole trace but reads only its own streams. trc_merge.c
 * merges the streams.
 */
#include "trace/bt2/trc_bt2.h"

#include "base/base_memory.h"
#include "trace/bt2/trc_bt2_open.h"
#include "trace/ctf/trc_ctf.h"

struct bt2 {
	struct trc_bt2_open *open; /* owned */
	struct trc_lanes *lanes;   /* owned */
};

static void fill_back(void *data, struct trc_queue *q)
{
	const struct bt2 *b = data;

	trc_bt2_open_fill(b->open, q);
}

static void *bt2_open(void *trace, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
	GPtrArray *queues, GError **error)
{
	const struct trc_survey *survey = ((const struct trc_ctf_trace *)trace)->survey;
	struct trc_bt2_open *open = trc_bt2_open_new(survey, streams, info,
		MIN(g_get_num_processors(), TRC_BT2_GRAPHS_MAX), error);
	struct bt2 *b;

	(void)rest; /* no further reader exists for the rest */
	if (!open)
		return NULL;
	b = g_new0(struct bt2, 1);
	b->open = open;
	trc_bt2_open_begin(open); /* for the names: streams are sorted by them */
	for (unsigned i = 0; i < open->backs->len; i++)
		g_ptr_array_add(queues,
			trc_queue_new(((struct trc_queue *)g_ptr_array_index(open->backs, i))->name, info));
	b->lanes = trc_lanes_new(open->backs, queues, info, open->n_graphs, fill_back, b);
	return b;
}

static void bt2_fill(void *source, struct trc_queue *queue)
{
	struct bt2 *b = source;

	trc_lanes_fill(b->lanes, queue);
}

static void bt2_free(void *source)
{
	struct bt2 *b = source;

	trc_lanes_free(b->lanes);
	trc_bt2_open_free(b->open);
	g_free(b);
}

const struct trc_source_ops trc_bt2_ops = {
	.name = "babeltrace2",
	.open = bt2_open,
	.fill = bt2_fill,
	.free = bt2_free,
	.paging = &trc_bt2_paging,
};

/* ---- lanes ---- */

/*
 * How it works: a lane is a thread with some of the streams. Each stream has a few carriers, queues that only
 * hold events. The lane fills the stream's back queue and moves its content to a free carrier. The merge
 * moves the content of a full carrier to the front queue. Memory is moved, not copied, and everything that
 * belongs to the stream itself stays with its lane.
 *
 * A lane next reads the stream with the most free carriers, because the merge will wait for that one first.
 */

#define CARRIERS_ALL 64 /* for all streams together, about 180 KB each */
#define CARRIERS_MAX 4
#define CARRIERS_MIN 2

struct slot {
	struct trc_queue *back, *front;           /* weak */
	struct trc_queue *carriers[CARRIERS_MAX]; /* owned; a ring */
	unsigned taken, filled; /* counters: carriers taken by the merge, filled by the lane */
};

struct lane {
	struct trc_lanes *all; /* weak */
	unsigned number;
	GThread *thread; /* owned */
};

struct trc_lanes {
	struct trc_info *info; /* weak */
	trc_fill_func fill;
	void *data;
	unsigned n_slots, n_lanes, n_carriers;
	struct slot *slots; /* owned */
	struct lane *lanes; /* owned */
	bool started;
	GMutex lock; /* guards TAKEN and FILLED of all slots, and what follows */
	bool stop;
	GCond filled, taken;
};

/* Move the events of FROM (S->back or a carrier) to the front queue of S. */
static void lanes_take(struct trc_lanes *l, struct slot *s, struct trc_queue *from)
{
	trc_queue_hand_over(from, s->front);
	if (s->front->ended)
		trc_info_absorb(l->info, s->back->info);
}

struct trc_lanes *trc_lanes_new(GPtrArray *backs, GPtrArray *fronts, struct trc_info *info, unsigned n_lanes,
	trc_fill_func fill, void *data)
{
	struct trc_lanes *l = g_new0(struct trc_lanes, 1);

	l->info = info;
	l->fill = fill;
	l->data = data;
	l->n_slots = backs->len;
	l->n_lanes = n_lanes;
	l->n_carriers = CLAMP(CARRIERS_ALL / MAX(1, backs->len), CARRIERS_MIN, CARRIERS_MAX);
	l->slots = g_new0(struct slot, backs->len);
	l->lanes = g_new0(struct lane, n_lanes);
	for (unsigned i = 0; i < l->n_slots; i++) {
		l->slots[i].back = g_ptr_array_index(backs, i);
		l->slots[i].front = g_ptr_array_index(fronts, i);
		l->slots[i].front->stream = &l->slots[i];
		for (unsigned c = 0; c < l->n_carriers; c++)
			l->slots[i].carriers[c] = trc_queue_new("", info);
		lanes_take(l, &l->slots[i], l->slots[i].back);
	}
	g_mutex_init(&l->lock);
	g_cond_init(&l->filled);
	g_cond_init(&l->taken);
	return l;
}

/* Return the slot that LANE fills next; NULL if none has room. Call with the lock held. */
static struct slot *lanes_choose(const struct lane *lane)
{
	const struct trc_lanes *l = lane->all;
	struct slot *best = NULL;

	for (unsigned i = 0; i < l->n_slots; i++) {
		struct slot *s = &l->slots[i];
		unsigned waiting = s->filled - s->taken;

		if (s->back->index == lane->number && !s->back->ended && waiting < l->n_carriers &&
			(!best || waiting < best->filled - best->taken))
			best = s;
	}
	return best;
}

/* True if all streams of LANE have ended. */
static bool is_done(const struct lane *lane)
{
	const struct trc_lanes *l = lane->all;

	for (unsigned i = 0; i < l->n_slots; i++)
		if (l->slots[i].back->index == lane->number && !l->slots[i].back->ended)
			return false;
	return true;
}

/* Wait for a slot to fill. NULL if all have ended, or at a stop. */
static struct slot *wait_for_work(struct lane *lane)
{
	struct trc_lanes *l = lane->all;
	struct slot *s = NULL;

	g_mutex_lock(&l->lock);
	while (!l->stop && !is_done(lane) && !(s = lanes_choose(lane)))
		g_cond_wait(&l->taken, &l->lock);
	if (l->stop)
		s = NULL;
	g_mutex_unlock(&l->lock);
	return s;
}

static gpointer lanes_run(gpointer data)
{
	struct lane *lane = data;
	struct trc_lanes *l = lane->all;
	struct slot *s;

	while ((s = wait_for_work(lane))) {
		trc_queue_reset(s->back);
		l->fill(l->data, s->back);
		if (!s->back->count && !s->back->ended)
			continue;
		trc_queue_hand_over(s->back, s->carriers[s->filled % l->n_carriers]);
		g_mutex_lock(&l->lock);
		s->filled++;
		g_cond_signal(&l->filled); /* only the merge waits for it */
		g_mutex_unlock(&l->lock);
	}
	return NULL;
}

void trc_lanes_fill(struct trc_lanes *l, struct trc_queue *front)
{
	struct slot *s = front->stream;

	for (unsigned i = 0; !l->started && i < l->n_lanes; i++) {
		l->lanes[i].all = l;
		l->lanes[i].number = i;
		l->lanes[i].thread = base_memory_thread("wakepath-lane", lanes_run, &l->lanes[i]);
	}
	l->started = true;
	g_mutex_lock(&l->lock);
	while (s->filled == s->taken)
		g_cond_wait(&l->filled, &l->lock);
	g_mutex_unlock(&l->lock);
	lanes_take(l, s, s->carriers[s->taken % l->n_carriers]);
	g_mutex_lock(&l->lock);
	s->taken++;
	g_cond_broadcast(&l->taken);
	g_mutex_unlock(&l->lock);
}

void trc_lanes_free(struct trc_lanes *l)
{
	if (!l)
		return;
	g_mutex_lock(&l->lock);
	l->stop = true;
	g_cond_broadcast(&l->taken);
	g_mutex_unlock(&l->lock);
	for (unsigned i = 0; l->started && i < l->n_lanes; i++)
		g_thread_join(l->lanes[i].thread);
	for (unsigned i = 0; i < l->n_slots; i++)
		for (unsigned c = 0; c < l->n_carriers; c++)
			trc_queue_free(l->slots[i].carriers[c]);
	g_mutex_clear(&l->lock);
	g_cond_clear(&l->filled);
	g_cond_clear(&l->taken);
	g_free(l->slots);
	g_free(l->lanes);
	g_free(l);
}
