/* SPDX-License-Identifier: MIT */
/*
 * How it works: the end of requests (block_rq_complete, blk_update_request() in
 * block/blk-core.c), which may come piece by piece.  Bios end, and threads are
 * woken, right after that event in the same context.
 *
 * Flushes (block/blk-flush.c): a write with PREFLUSH or FUA may be done as a sequence:
 * flush, data, flush.  The driver's own flush requests have no sectors and serve
 * several such writes; the end of the data ends no wait; at last the
 * write is completed once more with 0 sectors, and that is what was
 * waited for.  A PREFLUSH without data is never issued itself: the flush
 * request's issue is its own.
 *
 * Two requests of the same sectors at a time cannot be told apart: then the wait is
 * for one of them, the older most likely.
 */
#include "model/mdl_block.h"

#include "model/mdl_parts.h"

static void set_fact(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_request *request, enum mdl_grade grade)
{
	struct mdl_facts *facts = &mdl_cpu_level(m, e->cpu)->facts;

	facts->request = *request;
	facts->request.completed = m->now;
	facts->request.grade = (uint8_t)grade;
	facts->has |= MDL_FACT_REQUEST;
}

/* Is there another one like ITEM?  Then either may be meant. */
static bool is_double(const struct mdl_shelf *requests, const struct mdl_item *item)
{
	const struct mdl_item *other;

	for (guint at = mdl_shelf_seek(requests, item->dev, item->start);
	     (other = mdl_shelf_at(requests, at, item->dev)) != NULL && other->start == item->start; at++)
		if (other != item && other->stage == item->stage && other->flush == item->flush)
			return true;
	return false;
}

/* The flush request FLUSH is complete: writes without data that were queued before it was issued have been flushed by it. */
static void flush_others(struct mdl_machine *m, const struct mdl_item *flush)
{
	struct mdl_item *item;

	for (guint at = mdl_shelf_seek(&m->blocks.requests, flush->dev, MDL_SECTOR_NONE);
	     (item = mdl_shelf_at(&m->blocks.requests, at, flush->dev)) != NULL; at++) {
		if (item->flush || item->request.queued == MDL_NEVER || item->request.queued > flush->request.issued)
			continue;
		item->request.issued = flush->request.issued;
		item->request.issuer = flush->request.issuer;
	}
}

/*
 * Which one is meant by a completion of 0 sectors: the driver's own requests
 * have no position, the last step of a sequence has that of its write, which is
 * 0 for one without data.
 */
static struct mdl_item *find_dataless(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	const struct mdl_shelf *requests = &m->blocks.requests;
	int64_t sector = e->arg[MDL_BLOCK_SECTOR];
	struct mdl_item *item = NULL;

	if (sector >= 0)
		item = mdl_shelf_find(requests, MDL_STAGE_FLUSHING, r->dev, (uint64_t)sector, false);
	if (item == NULL && sector >= 0 && !r->rwbs.flush)
		item = mdl_shelf_find(requests, MDL_STAGE_QUEUED, r->dev, MDL_SECTOR_NONE, false);
	return item != NULL ? item : mdl_shelf_find(requests, MDL_STAGE_ISSUED, r->dev, MDL_SECTOR_NONE, r->rwbs.flush);
}

static struct mdl_item *find_completed(const struct mdl_machine *m, const struct mdl_range *r)
{
	struct mdl_item *item = mdl_shelf_covering(&m->blocks.requests, MDL_STAGE_ISSUED, r->dev, r->start);

	return item != NULL ? item : mdl_shelf_covering(&m->blocks.requests, MDL_STAGE_QUEUED, r->dev, r->start);
}

/* Up to END the data of ITEM are done. */
static void advance(struct mdl_machine *m, struct mdl_item *item, uint64_t end)
{
	item->done = MAX(item->done, end);
	if (item->done < item->end) {
		mdl_shelf_touch(&m->blocks.requests, item, m->now);
	} else if (item->sequenced) {
		item->stage = MDL_STAGE_FLUSHING;
		mdl_shelf_touch(&m->blocks.requests, item, m->now);
	} else {
		mdl_shelf_drop(&m->blocks.requests, item);
	}
}

void mdl_complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	bool data = r->start != MDL_SECTOR_NONE;
	struct mdl_item *item = data ? find_completed(m, r) : find_dataless(m, e, r);
	struct mdl_item unseen = mdl_item_of(r, MDL_STAGE_ISSUED, m->now);

	if (item == NULL) {	/* issued before the trace began, or where events were lost */
		set_fact(m, e, &unseen.request, MDL_PROVED);
		return;
	}
	set_fact(m, e, &item->request, is_double(&m->blocks.requests, item) ? MDL_INFERRED : MDL_PROVED);
	if (item->flush)
		flush_others(m, item);
	if (data)
		advance(m, item, r->end);
	else
		mdl_shelf_drop(&m->blocks.requests, item);
}
