/* SPDX-License-Identifier: MIT */
/*
 * How it works: a bio is queued (block_bio_queue). It becomes a request (block_getrq) or joins one (merge
 * events; without them, its sectors lie within what is inserted or issued). The request is inserted, issued,
 * perhaps requeued, and completed, perhaps piece by piece (blk_update_request() in block/blk-core.c).
 * Requests have no number: device and first sector identify them (proofs.md R4.3).
 *
 * Since Linux 5.12 bios name the partition and requests the disk (bio_dev(), disk_devt()), both with sectors
 * of the disk. Names from the state dump show the disk of each partition.
 */
#include "model/block/block.h"

#include "model/cause/pool.h"
#include "model/cause/chain.h"
#include "model/core/cpu.h"
#include "model/block/range.h"

/* ---- bios ---- */

/* The thread that brings a bio to a device by E, also if a context that only seems open interrupts it. The
 * thread may wait for room next (may_await_room()). */
static uint32_t bringer(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	struct mdl_act act = mdl_cpu_act(m, e->cpu);

	return l->context == MDL_NONE || mdl_chain_may_be_over(m, l) ? act.thread : MDL_NONE;
}

/* Drop items of LIST for the sectors of R that are older than the last loss: they were completed in lost
 * events. */
static void drop_lost(const struct mdl_machine *m, struct mdl_inflight *list, const struct mdl_range *r)
{
	struct mdl_item *item;
	guint at = mdl_inflight_seek(list, r->dev, r->start);

	while (m->gaps.had && (item = mdl_inflight_at(list, at, r->dev)) && item->start == r->start) {
		if (item->heard <= m->gaps.lost_until)
			mdl_inflight_drop(list, item);
		else
			at++;
	}
}

static void queue_bio(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	struct mdl_item item = mdl_range_item(r, MDL_STAGE_BIO, m->now),
			*upper = mdl_inflight_find(&m->blocks->bios, MDL_STAGE_BIO, r->dev, r->start,
				item.flush);

	if (upper && upper->remapped) { /* already known from the device above */
		upper->remapped = false;
		upper->maker = bringer(m, e);
		return;
	}
	drop_lost(m, &m->blocks->bios, r);
	item.request.queued = m->now;
	item.request.submitter = mdl_cpu_act(m, e->cpu);
	item.maker = bringer(m, e);
	mdl_inflight_add(&m->blocks->bios, &item);
}

/* A bio of a device goes on as R: the submitter there is the submitter here. */
static void remap_bio(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	struct mdl_range old = { .start = (uint64_t)e->arg[MDL_REMAP_OLD_SECTOR],
		.end = (uint64_t)e->arg[MDL_REMAP_OLD_SECTOR] + 1 };
	struct mdl_item item = mdl_range_item(r, MDL_STAGE_BIO, m->now);
	const struct mdl_item *upper;

	if (e->arg[MDL_REMAP_OLD_DEV] < 0 || e->arg[MDL_REMAP_OLD_DEV] > UINT32_MAX ||
		e->arg[MDL_REMAP_OLD_SECTOR] < 0)
		return;
	old.dev = mdl_disk_of(m, (uint32_t)e->arg[MDL_REMAP_OLD_DEV]);
	if (r->start == MDL_SECTOR_NONE)
		old.start = old.end = MDL_SECTOR_NONE;
	upper = mdl_inflight_bio(&m->blocks->bios, old.dev, old.start, mdl_cpu_act(m, e->cpu).thread);
	if (!upper)
		return;
	item.request.queued = upper->request.queued;
	item.request.submitter = upper->request.submitter;
	item.maker = bringer(m, e);
	item.remapped = true;
	item.stacked = old.dev != r->dev;
	item.preflush |= upper->preflush;
	mdl_inflight_add(&m->blocks->bios, &item);
}

/* BIO is in request R. After a split (bio_split(): the front goes first), the part behind R is left. */
static void use_bio(struct mdl_machine *m, struct mdl_item *bio, const struct mdl_range *r)
{
	if (mdl_item_has_data(bio) && bio->end > r->end)
		mdl_inflight_resize(&m->blocks->bios, bio, r->end, bio->end);
	else
		mdl_inflight_drop(&m->blocks->bios, bio);
}

/* ---- requests ---- */

/* Add a new request R, queued when its bio was, or NOW. */
static struct mdl_item *block_add_request(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_range *r, bool now)
{
	struct mdl_item item = mdl_range_item(r, MDL_STAGE_QUEUED, m->now), *old, *bio;
	struct mdl_act act = mdl_cpu_act(m, e->cpu);

	item.maker = act.thread;
	drop_lost(m, &m->blocks->requests, r);
	old = mdl_inflight_find(&m->blocks->requests, MDL_STAGE_FLUSHING, r->dev, r->start, item.flush);
	if (old) { /* it ended with its data */
		mdl_block_completed(m, old, old->written.time, old->written.cpu);
		mdl_inflight_drop(&m->blocks->requests, old);
	}
	bio = item.flush ? NULL : mdl_inflight_bio(&m->blocks->bios, r->dev, r->start, act.thread);
	if (bio) {
		item.request.queued = bio->request.queued;
		item.request.submitter = bio->request.submitter;
		item.stacked = bio->stacked;
		item.preflush |= bio->preflush;
		item.fua |= bio->fua;
		use_bio(m, bio, r);
	} else if (now) {
		item.request.queued = m->now;
		item.request.submitter = act;
	}
	return mdl_inflight_add(&m->blocks->requests, &item);
}

/* Bios within [START, END) are part of REQUEST. */
static void absorb_bios(struct mdl_machine *m, struct mdl_item *request, uint64_t start, uint64_t end)
{
	struct mdl_item *bio;

	while ((bio = mdl_inflight_within(&m->blocks->bios, MDL_STAGE_BIO, request->dev, start, end))) {
		request->request.merged++;
		mdl_inflight_drop(&m->blocks->bios, bio);
	}
}

/* OTHER became part of REQUEST. */
static void absorb_request(struct mdl_machine *m, struct mdl_item *request, struct mdl_item *other)
{
	request->request.merged = (uint16_t)(request->request.merged + other->request.merged + 1);
	mdl_inflight_drop(&m->blocks->requests, other);
}

/* The request that is inserted or issued now as R, with all that was merged into it; made if it is new. */
static struct mdl_item *settle_request(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_range *r)
{
	struct mdl_inflight *requests = &m->blocks->requests;
	struct mdl_item *item = mdl_which_at(requests, MDL_STAGE_QUEUED, r, mdl_cpu_act(m, e->cpu).thread),
			*other;
	bool is_new;

	if (!item && r->start != MDL_SECTOR_NONE)
		item = mdl_inflight_within(requests, MDL_STAGE_QUEUED, r->dev, r->start, r->end);
	is_new = !item;
	if (is_new) {
		item = block_add_request(m, e, r, false);
		/* It was made before the trace shows it. Flushes and drivers' own requests have no
		 * block_getrq. */
		if (m->blocks->has_gets && r->start != MDL_SECTOR_NONE)
			mdl_queue_surprise(m, r->dev);
	}
	mdl_inflight_touch(requests, item, m->now);
	if (r->start == MDL_SECTOR_NONE)
		return item;
	if (is_new) {
		absorb_bios(m, item, r->start, r->end);
	} else if (item->end < r->end || item->start > r->start) { /* it grew without an event */
		absorb_bios(m, item, r->start, item->start);
		absorb_bios(m, item, item->end, r->end);
		mdl_inflight_resize(requests, item, r->start, r->end);
		item->stage = MDL_STAGE_ISSUED; /* so that the search does not find it */
		while ((other = mdl_inflight_within(requests, MDL_STAGE_QUEUED, r->dev, r->start, r->end)))
			absorb_request(m, item, other);
		item->stage = MDL_STAGE_QUEUED;
	}
	item->end = r->end;
	item->done = item->request.sector = r->start;
	item->request.bytes = r->bytes;
	return item;
}

static void issue_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	struct mdl_item *item = settle_request(m, e, r);
	struct mdl_request *request = &item->request;

	mdl_which_doubt(&m->blocks->requests, item, INT64_MAX);
	m->blocks->has_issues = true;
	if (request->n_steps == 0)
		mdl_steps_begin(request, m->now);
	if (item->preflush && !item->requeued)
		mdl_flush_before(m, item);
	mdl_steps_add(request, item->requeued ? MDL_STEP_REQUEUE : MDL_STEP_QUEUE, 0, m->now);
	item->requeued = false;
	item->postflush = item->fua && !r->rwbs.fua;
	if (!mdl_inflight_move(item, MDL_STAGE_ISSUED))
		mdl_queue_surprise(m, r->dev);
	item->request.issued = m->now;
	if (item->first_issued == MDL_NEVER)
		item->first_issued = m->now;
	item->request.issuer = mdl_cpu_act(m, e->cpu);
}

static void requeue_request(struct mdl_machine *m, const struct mdl_range *r)
{
	struct mdl_inflight *requests = &m->blocks->requests;
	bool data = r->start != MDL_SECTOR_NONE;
	struct mdl_item *item = mdl_which_at(requests, MDL_STAGE_ISSUED, r, 0);

	if (!item && data)
		item = mdl_inflight_covering(requests, MDL_STAGE_ISSUED, r->dev, r->start);
	if (!item || !mdl_inflight_counts(item))
		mdl_queue_surprise(m, r->dev);
	if (!item)
		return;
	mdl_which_doubt(requests, item, INT64_MAX);
	if (data) { /* the completed part is not given back */
		mdl_inflight_resize(requests, item, r->start, item->end);
		item->done = r->start;
	}
	mdl_steps_add(&item->request, MDL_STEP_DEVICE, 0, m->now);
	item->requeued = true;
	mdl_inflight_move(item, MDL_STAGE_QUEUED);
	item->request.issued = item->request.issuer.time = MDL_NEVER;
	mdl_inflight_touch(requests, item, m->now);
}

/* ITEM now covers R, too. */
static void grow(struct mdl_machine *m, struct mdl_item *item, const struct mdl_range *r)
{
	mdl_inflight_resize(&m->blocks->requests, item, MIN(item->start, r->start), MAX(item->end, r->end));
	item->done = item->request.sector = item->start;
	item->request.bytes = (item->end - item->start) * MDL_SECTOR_BYTES;
	mdl_inflight_touch(&m->blocks->requests, item, m->now);
}

static void merge_bio(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	uint32_t thread = mdl_cpu_act(m, e->cpu).thread;
	struct mdl_item *bio = mdl_inflight_bio(&m->blocks->bios, r->dev, r->start, thread);
	struct mdl_item *item = r->start != MDL_SECTOR_NONE
		? mdl_which_grows(&m->blocks->requests, r, e->kind == MDL_EV_BIO_MERGE_FRONT, thread)
		: NULL;

	if (!item) /* perhaps made before the trace: its issue shows it */
		return;
	mdl_which_doubt(&m->blocks->requests, item, INT64_MAX);
	if (bio)
		use_bio(m, bio, r);
	grow(m, item, r);
	item->request.merged++;
}

/* block_rq_merge: request R becomes part of the one that ends where it begins (attempt_merge(),
 * block/blk-merge.c). */
static void merge_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	struct mdl_inflight *requests = &m->blocks->requests;
	uint32_t thread = mdl_cpu_act(m, e->cpu).thread;
	struct mdl_item *other = mdl_which_at(requests, MDL_STAGE_QUEUED, r, thread), *item;

	item = r->start != MDL_SECTOR_NONE ? mdl_which_grows(requests, r, false, thread) : NULL;
	if (!item || !other || item == other)
		return;
	mdl_which_doubt(requests, item, INT64_MAX);
	mdl_which_doubt(requests, other, INT64_MAX);
	grow(m, item, r);
	absorb_request(m, item, other);
}

void mdl_block_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_range r;

	if (!mdl_range_read(m, e, &r))
		return;
	m->blocks->has_gets |= e->kind == MDL_EV_RQ_GET;
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_BIO_QUEUE: queue_bio(m, e, &r); return;
	case MDL_EV_BIO_REMAP: remap_bio(m, e, &r); return;
	case MDL_EV_BIO_MERGE:
	case MDL_EV_BIO_MERGE_FRONT: merge_bio(m, e, &r); return;
	case MDL_EV_RQ_GET: block_add_request(m, e, &r, true); break;
	case MDL_EV_RQ_INSERT: settle_request(m, e, &r)->request.inserted = m->now; break;
	case MDL_EV_RQ_ISSUE: issue_request(m, e, &r); break;
	case MDL_EV_RQ_REQUEUE: requeue_request(m, &r); break;
	case MDL_EV_RQ_MERGE: merge_request(m, e, &r); break;
	default: mdl_complete_request(m, e, &r); break;
	}
	mdl_queue_show(m, r.dev);
}

void mdl_block_pass(struct mdl_cpu *c)
{
	c->own.facts.has &= ~(unsigned)MDL_FACT_REQUEST;
}

/* ---- the part ---- */

/* True if T may wait for room on DEV and not for a request: it has a bio there that belongs to no request
 * yet, or, if bios are not recorded, it sleeps uninterruptibly (proofs.md R4.4). */
static bool may_await_room(const struct mdl_machine *m, uint32_t dev, const struct mdl_thread *t)
{
	if (mdl_machine_has(m, MDL_GROUP_BIO))
		return mdl_inflight_brought(&m->blocks->bios, dev, t->track->id);
	return t->phase != MDL_PH_BLOCKED || t->block == MDL_BLOCK_UNKNOWN ||
		t->block == MDL_BLOCK_UNINTERRUPTIBLE;
}

/* True if T handles the errors of a SCSI host: it waits for the error of any request (proofs.md R4.5), also
 * of another port (ata_port_schedule_eh()). */
static bool handles_errors(const struct mdl_thread *t)
{
	return g_str_has_prefix(t->comm, "scsi_eh_");
}

/* Doubt the request if its end may only have made room for T, or if T is a worker at rest, for which the end
 * may have queued work unseen. */
static void doubt_request(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	if (!(facts->has & MDL_FACT_REQUEST))
		return;
	if (may_await_room(m, facts->request.dev, t))
		facts->request.doubts |= MDL_DOUBT(ROOM);
	if (handles_errors(t))
		facts->request.doubts |= MDL_DOUBT(ALIKE);
	if (mdl_pool_awaits(t) && !mdl_pool_queued(mdl_cpu_get(m, cpu), t))
		facts->request.doubts |= MDL_DOUBT(WORK);
}

static void block_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	struct mdl_blocks *b = m->blocks;

	mdl_disk_init(&b->disks);
	mdl_queue_init(&b->queues);
	mdl_inflight_init(&b->bios, NULL);
	mdl_inflight_init(&b->requests, &b->queues);
}

static void block_clear(struct mdl_machine *m)
{
	struct mdl_blocks *b = m->blocks;

	mdl_inflight_clear(&b->bios);
	mdl_inflight_clear(&b->requests);
	mdl_queue_clear(&b->queues);
	mdl_disk_clear(&b->disks);
}

static void block_lose(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, int64_t since)
{
	mdl_queue_lose(m, since);
}

static void block_finish(struct mdl_machine *m, G_GNUC_UNUSED int64_t to)
{
	mdl_queue_finish(m);
}

const struct mdl_part mdl_part_block = {
	.machine = MDL_KEPT(struct mdl_machine, blocks),
	.init = block_init,
	.clear = block_clear,
	.lose = block_lose,
	.finish = block_finish,
	.collect = doubt_request,
};
