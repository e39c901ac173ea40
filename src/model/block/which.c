/* SPDX-License-Identifier: MIT */
/*
 * How it works: events name device, first sector, length and operation (proofs.md R4.3). The first sector is
 * the present one (blk_rq_trace_sector(), include/linux/blk-mq.h): the completed part does not belong to the
 * request any more.
 *
 * That distinguishes most requests. Among requests that are alike, a request that is not inserted
 * (block_rq_insert) is most likely in the hands, or the plug, of the thread that made it, and no other thread
 * inserts it, issues it or adds to it. But blk_mq_request_bypass_insert() (block/blk-mq.c) makes it reachable
 * for all, without an event. So like requests have a doubt from then on. If two differ only in length, the
 * one whose length fits the completion is likely, but a piece of the longer one looks alike
 * (blk_update_request(), block/blk-core.c).
 */
#include "model/block/block.h"

/* The most items that begin before a sector among which one that is there now is sought. */
#define LOOK_BACK 64

/* A walk over the items of DEV that may be at START, from the last one back: before index AT, with LEFT to
 * look at. */
struct walk {
	const struct mdl_inflight *list;
	uint32_t dev;
	uint64_t start;
	guint at;
	unsigned left;
};

static struct walk begin_walk(const struct mdl_inflight *list, uint32_t dev, uint64_t start)
{
	guint at = start == MDL_SECTOR_NONE ? mdl_inflight_seek(list, dev + 1, 0)
					    : mdl_inflight_seek(list, dev, start + 1);

	return (struct walk){ list, dev, start, at, LOOK_BACK };
}

/* The next item; NULL: no more. */
static struct mdl_item *which_step(struct walk *w)
{
	struct mdl_item *item = w->at > 0 ? mdl_inflight_at(w->list, --w->at, w->dev) : NULL;

	if (!item || (item->start != w->start && w->left-- == 0))
		return NULL;
	return item;
}

static bool same_op(uint8_t a, uint8_t b)
{
	return a == b || a == MDL_OP_UNKNOWN || b == MDL_OP_UNKNOWN;
}

/* True if THREAD, or every thread, can reach queued ITEM. */
static bool within_reach(const struct mdl_item *item, uint32_t thread)
{
	return item->maker == thread || item->requeued || item->request.inserted != MDL_NEVER;
}

struct mdl_item *mdl_which_at(const struct mdl_inflight *requests, enum mdl_stage stage,
	const struct mdl_range *r, uint32_t thread)
{
	struct walk w = begin_walk(requests, r->dev, r->start);
	struct mdl_item *item, *best = NULL;
	int best_rank = 0;

	while ((item = which_step(&w))) {
		int rank = 2 * (item->end == r->end) +
			(stage != MDL_STAGE_QUEUED || within_reach(item, thread));

		if (item->stage != stage || item->flush != r->rwbs.flush || item->done != r->start ||
			!same_op(item->request.op, r->rwbs.op) || (best && rank < best_rank))
			continue;
		best = item;
		best_rank = rank;
	}
	return best;
}

struct mdl_item *mdl_which_grows(const struct mdl_inflight *requests, const struct mdl_range *r, bool front,
	uint32_t thread)
{
	struct walk w = begin_walk(requests, r->dev, front ? r->end : r->start);
	struct mdl_item *item, *best = NULL;

	while ((item = which_step(&w)))
		if (item->stage == MDL_STAGE_QUEUED &&
			(front ? item->start == r->end : item->end == r->start) &&
			same_op(item->request.op, r->rwbs.op) &&
			(!best || within_reach(item, thread) >= within_reach(best, thread)))
			best = item;
	return best;
}

/* The sector of ITEM that its next event will name. */
static uint64_t which_place_of(const struct mdl_item *item)
{
	return item->stage == MDL_STAGE_ISSUED ? item->done : item->start;
}

static bool alike(const struct mdl_item *a, const struct mdl_item *b)
{
	return a != b && a->stage == b->stage && a->flush == b->flush &&
		which_place_of(a) == which_place_of(b) && same_op(a->request.op, b->request.op);
}

void mdl_which_doubt(const struct mdl_inflight *requests, struct mdl_item *item, int64_t until)
{
	struct walk w = begin_walk(requests, item->dev, which_place_of(item));
	struct mdl_item *other;

	while ((other = which_step(&w))) {
		bool same_end = other->end == item->end;

		if (!alike(item, other) || other->request.queued > until ||
			(!same_end && item->stage == MDL_STAGE_QUEUED))
			continue;
		item->doubtful = true;
		other->doubtful |= same_end;
	}
}
