/* SPDX-License-Identifier: MIT */
/*
 * How it works: a request is queued from its making (block_getrq) or insertion (block_rq_insert) until the
 * driver gets it (block_rq_issue, blk_mq_start_request() in block/blk-mq.c). It is in flight from there to
 * the last block_rq_complete (blk_update_request()), and queued again if the driver gives it back
 * (block_rq_requeue). block/block.c and block/complete.c assign events to requests, and know merges; this
 * file counts. While a write waits for a flush before its data, or has no data (blk-flush.c), it is queued
 * and the flush is in flight. During a flush after its data, only the flush is in flight.
 *
 * Requests that began before the trace, or in lost events, are not counted, and no event shows them before
 * they are over. So the row is held back for the longest time that a request may take (MDL_BLOCK_AGE), up to
 * HELD_MAX changes. If an uncounted request ends, everything held back becomes unknown. Later, only the state
 * since the last change does.
 */
#include "model/block/queue.h"

#include "model/block/block.h"
#include "model/block/inflight.h"
#include "model/core/frame.h"
#include "model/core/track.h"

#define HELD_MAX 4096

struct change {
	int64_t time;
	enum mdl_state state;
	uint32_t detail;
};

struct mdl_queue {
	uint32_t dev;
	struct mdl_track *track; /* weak; NULL: no row yet */
	uint32_t era;
	uint32_t queued, in_flight;
	bool forgot;
	int64_t since; /* ns: requests are counted since then */
	GArray *held;  /* of struct change; NULL: nothing is held back */
};

static void free_queue(gpointer data)
{
	struct mdl_queue *queue = data;

	if (queue->held)
		g_array_unref(queue->held);
	g_free(queue);
}

void mdl_queue_init(struct mdl_queues *queues)
{
	queues->devices = g_hash_table_new_full(NULL, NULL, NULL, free_queue);
}

void mdl_queue_clear(struct mdl_queues *queues)
{
	g_hash_table_unref(queues->devices);
}

/* ---- counting ---- */

struct mdl_queue *mdl_queue_of(struct mdl_queues *queues, uint32_t dev)
{
	struct mdl_queue *queue = g_hash_table_lookup(queues->devices, GUINT_TO_POINTER(dev));

	if (!queue) {
		queue = g_new0(struct mdl_queue, 1);
		queue->dev = dev;
		g_hash_table_insert(queues->devices, GUINT_TO_POINTER(dev), queue);
	}
	return queue;
}

uint32_t mdl_queue_era(const struct mdl_queue *queue)
{
	return queue->era;
}

void mdl_queue_count(struct mdl_queue *queue, uint32_t era, int queued, int in_flight)
{
	if (era != queue->era)
		return;
	queue->queued += (uint32_t)queued;
	queue->in_flight += (uint32_t)in_flight;
}

void mdl_queue_forget(struct mdl_queues *queues, struct mdl_queue *queue)
{
	queue->forgot = queues->forgot = true;
}

/* ---- rows ---- */

static bool is_known(const struct mdl_machine *m)
{
	return m->blocks->has_issues && m->blocks->queues.has_completes;
}

/* Write the changes held back to the row. If issues or completions are not recorded, nothing is known. */
static void queue_tell(struct mdl_machine *m, struct mdl_queue *queue)
{
	for (guint i = 0; queue->held && i < queue->held->len && is_known(m); i++) {
		const struct change *c = &g_array_index(queue->held, struct change, i);

		mdl_track_set(m, queue->track, c->time, c->state, c->detail, MDL_NONE);
	}
	g_clear_pointer(&queue->held, g_array_unref);
}

static void queue_hold(struct mdl_machine *m, struct mdl_queue *queue)
{
	queue->since = m->now;
	if (!queue->held)
		queue->held = g_array_new(FALSE, FALSE, sizeof(struct change));
}

static void queue_begin(struct mdl_machine *m, struct mdl_queue *queue)
{
	queue->track = mdl_track_new(m, MDL_ROW_DEVICE, queue->dev, m->from);
	mdl_track_set(m, queue->track, m->from, MDL_ST_UNKNOWN, 0, MDL_NONE);
	queue_hold(m, queue);
}

static void queue_put(struct mdl_machine *m, struct mdl_queue *queue)
{
	struct change c = { m->now,
		queue->in_flight        ? MDL_ST_IN_FLIGHT
			: queue->queued ? MDL_ST_QUEUED
					: MDL_ST_IDLE,
		mdl_depth_make(queue->in_flight, queue->queued) };
	const struct change *last;

	if (m->gaps.open > 0)
		return;
	if (queue->held && (queue->held->len == HELD_MAX || m->now - queue->since > MDL_BLOCK_AGE))
		queue_tell(m, queue);
	last = queue->held && queue->held->len > 0
		? &g_array_index(queue->held, struct change, queue->held->len - 1)
		: NULL;
	if (last && last->state == c.state && last->detail == c.detail)
		return;
	if (queue->held)
		g_array_append_val(queue->held, c);
	else if (is_known(m))
		mdl_track_set(m, queue->track, m->now, c.state, c.detail, MDL_NONE);
}

/* The state of QUEUE is unknown: all that is held back, otherwise since its last change. */
static void doubt(struct mdl_machine *m, struct mdl_queue *queue)
{
	if (queue->held)
		g_array_set_size(queue->held, 0);
	else
		mdl_track_lose(m, queue->track, queue->track->open.from);
}

void mdl_queue_surprise(struct mdl_machine *m, uint32_t dev)
{
	struct mdl_queue *queue = mdl_queue_of(&m->blocks->queues, dev);

	if (queue->track)
		doubt(m, queue);
}

/* Stop counting all requests that are known so far. */
static void restart(struct mdl_machine *m, struct mdl_queue *queue)
{
	queue->era++;
	queue->queued = queue->in_flight = 0;
	queue->forgot = false;
	queue_hold(m, queue);
}

static void show_forgotten(struct mdl_machine *m)
{
	GHashTableIter iter;
	gpointer value;

	m->blocks->queues.forgot = false;
	g_hash_table_iter_init(&iter, m->blocks->queues.devices);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct mdl_queue *queue = value;

		if (!queue->forgot || !queue->track)
			continue;
		doubt(m, queue);
		restart(m, queue);
	}
}

void mdl_queue_show(struct mdl_machine *m, uint32_t dev)
{
	struct mdl_queue *queue = mdl_queue_of(&m->blocks->queues, dev);

	if (m->blocks->queues.forgot)
		show_forgotten(m);
	if (!queue->track)
		queue_begin(m, queue);
	queue_put(m, queue);
}

void mdl_queue_lose(struct mdl_machine *m, int64_t since)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, m->blocks->queues.devices);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct mdl_queue *queue = value;

		if (!queue->track)
			continue;
		while (queue->held && queue->held->len > 0 &&
			g_array_index(queue->held, struct change, queue->held->len - 1).time > since)
			g_array_set_size(queue->held, queue->held->len - 1);
		queue_tell(m, queue);
		mdl_track_lose(m, queue->track, since);
		restart(m, queue);
	}
}

void mdl_queue_finish(struct mdl_machine *m)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, m->blocks->queues.devices);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct mdl_queue *queue = value;

		if (!queue->track)
			continue;
		queue_tell(m, queue);
		queue->track->row.name = mdl_disk_name(m, queue->dev);
	}
}
