/* SPDX-License-Identifier: MIT */
/*
 * How it works: a bio is queued (block_bio_queue), becomes a request of its own
 * (block_getrq) or joins one (merge events; without them: its sectors lie within
 * what is inserted or issued), the request is inserted, issued, perhaps put back, and
 * completed, perhaps piece by piece (blk_update_request() in block/blk-core.c).
 * Requests have no number: device and first sector stand for them.
 *
 * Flushes (block/blk-flush.c): a write with PREFLUSH or FUA may be done as a sequence:
 * flush, data, flush.  The driver's own flush requests have no sectors and serve
 * several such writes; the end of the data ends no wait; at last the
 * write is completed once more with 0 sectors, and that is what was
 * waited for.  A PREFLUSH without data is never issued itself: the flush
 * request's issue is its own.
 *
 * Since Linux 5.12 bios name the partition and requests the disk (bio_dev(),
 * disk_devt()), both with sectors of the disk.  Names from the state dump tell which
 * partition is of which disk.
 *
 * Two requests of the same sectors at a time cannot be told apart: then the wait is
 * for one of them, the older most likely.
 */
#include "model/mdl_block.h"

#include "model/mdl_parts.h"
#include "model/mdl_rwbs.h"

#define LOOK_BACK 64	/* how far back a request may begin, counted in requests, to be found by a sector in its middle */

/* A block event as this file wants it. */
struct range {
	uint32_t dev;
	uint64_t start, end;	/* both MDL_SECTOR_NONE: no data */
	uint64_t bytes;
	struct mdl_rwbs rwbs;
};

void mdl_block_init(struct mdl_blocks *b)
{
	mdl_shelf_init(&b->bios);
	mdl_shelf_init(&b->requests);
}

void mdl_block_clear(struct mdl_blocks *b)
{
	mdl_shelf_clear(&b->bios);
	mdl_shelf_clear(&b->requests);
}

/* ---- reading events ---- */

static bool read_range(const struct mdl_machine *m, const struct mdl_event *e, struct range *r)
{
	int64_t dev = e->arg[MDL_BLOCK_DEV], sector = e->arg[MDL_BLOCK_SECTOR], n = e->arg[MDL_BLOCK_SECTORS];
	int64_t bytes = e->arg[MDL_BLOCK_BYTES];

	if (dev < 0 || dev > UINT32_MAX || sector == MDL_ARG_ABSENT || n < 0 || n > UINT32_MAX)
		return false;
	*r = (struct range){ .dev = mdl_disk_of(m, (uint32_t)dev), .start = MDL_SECTOR_NONE, .end = MDL_SECTOR_NONE };
	r->rwbs = mdl_rwbs_read(e->arg[MDL_BLOCK_RWBS], e->text[0]);
	if (n > 0 && (sector < 0 || sector > INT64_MAX - n))
		return false;
	if (n > 0) {
		r->start = (uint64_t)sector;
		r->end = r->start + (uint64_t)n;
	}
	r->bytes = n > 0 || bytes < 0 ? (uint64_t)n * MDL_SECTOR_BYTES : (uint64_t)bytes;
	return true;
}

/* ---- finding ---- */

static bool has_data(const struct mdl_item *item)
{
	return item->start != MDL_SECTOR_NONE;
}

/* The oldest item of those in STAGE that begin last before or at SECTOR and reach beyond it; NULL none. */
static struct mdl_item *find_covering(const struct mdl_shelf *shelf, enum mdl_stage stage, uint32_t dev, uint64_t sector)
{
	guint at = mdl_shelf_seek(shelf, dev, sector + 1);
	struct mdl_item *found = NULL, *item;

	for (unsigned i = 0; i < LOOK_BACK && at-- > 0; i++) {
		item = mdl_shelf_at(shelf, at, dev);
		if (item == NULL || (found != NULL && item->start != found->start))
			break;
		if (item->stage == stage && item->end > sector)
			found = item;
	}
	return found;
}

/* The oldest item in STAGE that begins at START (also MDL_SECTOR_NONE); NULL none. */
static struct mdl_item *find_at(const struct mdl_shelf *shelf, enum mdl_stage stage, uint32_t dev, uint64_t start, bool flush)
{
	struct mdl_item *item;

	for (guint at = mdl_shelf_seek(shelf, dev, start); (item = mdl_shelf_at(shelf, at, dev)) && item->start == start; at++)
		if (item->stage == stage && item->flush == flush)
			return item;
	return NULL;
}

/* The first item in STAGE that lies within R; NULL none. */
static struct mdl_item *find_within(const struct mdl_shelf *shelf, enum mdl_stage stage, const struct range *r)
{
	struct mdl_item *item;

	for (guint at = mdl_shelf_seek(shelf, r->dev, r->start); (item = mdl_shelf_at(shelf, at, r->dev)) && item->start < r->end; at++)
		if (item->stage == stage && item->end <= r->end && has_data(item))
			return item;
	return NULL;
}

/* The bio that became, or joined, request R: that of THREAD, who acts now, if there are several. */
static struct mdl_item *find_bio(const struct mdl_shelf *bios, const struct range *r, uint32_t thread)
{
	bool data = r->start != MDL_SECTOR_NONE;
	guint at = data ? mdl_shelf_seek(bios, r->dev, r->start + 1) : mdl_shelf_seek(bios, r->dev + 1, 0);
	struct mdl_item *found = NULL, *item;

	for (unsigned i = 0; i < LOOK_BACK && at-- > 0; i++) {
		item = mdl_shelf_at(bios, at, r->dev);
		if (item == NULL || has_data(item) != data)
			break;
		if (data && item->end <= r->start)
			continue;
		if (item->request.submitter.thread == thread)
			return item;
		if (found == NULL)
			found = item;
	}
	return found;
}

/* ---- bios ---- */

static struct mdl_item item_of(const struct mdl_machine *m, const struct range *r, enum mdl_stage stage)
{
	return (struct mdl_item){
		.dev = r->dev, .start = r->start, .end = r->end, .done = r->start, .stage = (uint8_t)stage,
		.sequenced = r->rwbs.sequence, .flush = r->rwbs.flush, .heard = m->now,
		.request = {
			.dev = r->dev, .sector = r->start, .bytes = r->bytes, .op = r->rwbs.op,
			.queued = MDL_NEVER, .inserted = MDL_NEVER, .issued = MDL_NEVER, .completed = MDL_NEVER,
			.submitter.time = MDL_NEVER, .issuer.time = MDL_NEVER,
		},
	};
}

static void queue_bio(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	struct mdl_item item = item_of(m, r, MDL_STAGE_BIO), *upper = find_at(&m->blocks.bios, MDL_STAGE_BIO, r->dev, r->start, item.flush);

	if (upper != NULL && upper->remapped) {	/* already known by the device above */
		upper->remapped = false;
		return;
	}
	item.request.queued = m->now;
	item.request.submitter = mdl_cpu_act(m, e->cpu);
	mdl_shelf_add(&m->blocks.bios, &item);
}

/* A bio of a device goes on as R: who queued it there is its submitter here. */
static void remap_bio(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	struct range old = { .start = (uint64_t)e->arg[MDL_REMAP_OLD_SECTOR], .end = (uint64_t)e->arg[MDL_REMAP_OLD_SECTOR] + 1 };
	struct mdl_item item = item_of(m, r, MDL_STAGE_BIO);
	const struct mdl_item *upper;

	if (e->arg[MDL_REMAP_OLD_DEV] < 0 || e->arg[MDL_REMAP_OLD_DEV] > UINT32_MAX || e->arg[MDL_REMAP_OLD_SECTOR] < 0)
		return;
	old.dev = mdl_disk_of(m, (uint32_t)e->arg[MDL_REMAP_OLD_DEV]);
	if (r->start == MDL_SECTOR_NONE)
		old.start = old.end = MDL_SECTOR_NONE;
	upper = find_bio(&m->blocks.bios, &old, mdl_cpu_act(m, e->cpu).thread);
	if (upper == NULL)
		return;
	item.request.queued = upper->request.queued;
	item.request.submitter = upper->request.submitter;
	item.remapped = true;
	mdl_shelf_add(&m->blocks.bios, &item);
}

/* BIO is in the request R: what is left of it is what does not lie in R, after a split (bio_split(): the front goes first). */
static void use_bio(struct mdl_machine *m, struct mdl_item *bio, const struct range *r)
{
	if (has_data(bio) && bio->end > r->end)
		mdl_shelf_resize(&m->blocks.bios, bio, r->end, bio->end);
	else
		mdl_shelf_drop(&m->blocks.bios, bio);
}

/* ---- requests ---- */

/* A new request R, queued by the bio it was made of, or now. */
static struct mdl_item *add_request(struct mdl_machine *m, const struct mdl_event *e, const struct range *r, bool now)
{
	struct mdl_item item = item_of(m, r, MDL_STAGE_QUEUED), *old, *bio;
	struct mdl_act act = mdl_cpu_act(m, e->cpu);

	old = find_at(&m->blocks.requests, MDL_STAGE_FLUSHING, r->dev, r->start, item.flush);
	if (old != NULL)	/* its end was not recorded */
		mdl_shelf_drop(&m->blocks.requests, old);
	bio = item.flush ? NULL : find_bio(&m->blocks.bios, r, act.thread);
	if (bio != NULL) {
		item.request.queued = bio->request.queued;
		item.request.submitter = bio->request.submitter;
		use_bio(m, bio, r);
	} else if (now) {
		item.request.queued = m->now;
		item.request.submitter = act;
	}
	return mdl_shelf_add(&m->blocks.requests, &item);
}

/* Bios within REQUEST's range are part of it. */
static void absorb_bios(struct mdl_machine *m, struct mdl_item *request, const struct range *r)
{
	struct mdl_item *bio;

	while (has_data(request) && (bio = find_within(&m->blocks.bios, MDL_STAGE_BIO, r)) != NULL) {
		request->request.merged++;
		mdl_shelf_drop(&m->blocks.bios, bio);
	}
}

/* OTHER became part of REQUEST. */
static void absorb_request(struct mdl_machine *m, struct mdl_item *request, struct mdl_item *other)
{
	request->request.merged = (uint16_t)(request->request.merged + other->request.merged + 1);
	mdl_shelf_drop(&m->blocks.requests, other);
}

/* The request that is inserted or issued now as R, with all that was merged into it; made when it is new to us. */
static struct mdl_item *settle_request(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	struct mdl_shelf *requests = &m->blocks.requests;
	struct mdl_item *item = find_at(requests, MDL_STAGE_QUEUED, r->dev, r->start, r->rwbs.flush), *other;

	if (item == NULL && r->start != MDL_SECTOR_NONE)
		item = find_within(requests, MDL_STAGE_QUEUED, r);
	if (item == NULL)
		item = add_request(m, e, r, false);
	mdl_shelf_touch(requests, item, m->now);
	if (r->start == MDL_SECTOR_NONE)
		return item;
	if (item->end < r->end || item->start > r->start) {	/* it grew, unseen */
		mdl_shelf_resize(requests, item, r->start, r->end);
		item->stage = MDL_STAGE_ISSUED;		/* not to find itself */
		while ((other = find_within(requests, MDL_STAGE_QUEUED, r)) != NULL)
			absorb_request(m, item, other);
		item->stage = MDL_STAGE_QUEUED;
	}
	item->done = item->request.sector = r->start;
	item->request.bytes = r->bytes;
	absorb_bios(m, item, r);
	return item;
}

static void issue_request(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	struct mdl_item *item = settle_request(m, e, r);

	item->stage = MDL_STAGE_ISSUED;
	item->request.issued = m->now;
	item->request.issuer = mdl_cpu_act(m, e->cpu);
}

static void requeue_request(struct mdl_machine *m, const struct range *r)
{
	struct mdl_item *item = find_at(&m->blocks.requests, MDL_STAGE_ISSUED, r->dev, r->start, r->rwbs.flush);

	if (item == NULL)
		return;
	item->stage = MDL_STAGE_QUEUED;
	item->request.issued = item->request.issuer.time = MDL_NEVER;
	mdl_shelf_touch(&m->blocks.requests, item, m->now);
}

/* The queued request that R touches in front or behind; NULL none. */
static struct mdl_item *find_neighbour(const struct mdl_shelf *requests, const struct range *r)
{
	struct mdl_item *item = r->start > 0 ? find_covering(requests, MDL_STAGE_QUEUED, r->dev, r->start - 1) : NULL;

	if (item != NULL && item->end == r->start)
		return item;
	return find_at(requests, MDL_STAGE_QUEUED, r->dev, r->end, false);
}

/* ITEM reaches over R now, too. */
static void grow(struct mdl_machine *m, struct mdl_item *item, const struct range *r)
{
	mdl_shelf_resize(&m->blocks.requests, item, MIN(item->start, r->start), MAX(item->end, r->end));
	item->done = item->request.sector = item->start;
	item->request.bytes = (item->end - item->start) * MDL_SECTOR_BYTES;
	mdl_shelf_touch(&m->blocks.requests, item, m->now);
}

static void merge_bio(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	struct mdl_item *bio = find_bio(&m->blocks.bios, r, mdl_cpu_act(m, e->cpu).thread);
	struct mdl_item *item = r->start != MDL_SECTOR_NONE ? find_neighbour(&m->blocks.requests, r) : NULL;

	if (item == NULL)	/* made before the trace began, perhaps: seen when it is issued */
		return;
	if (bio != NULL)
		use_bio(m, bio, r);
	grow(m, item, r);
	item->request.merged++;
}

/* block_rq_merge: request R becomes part of its neighbour. */
static void merge_request(struct mdl_machine *m, const struct range *r)
{
	struct mdl_shelf *requests = &m->blocks.requests;
	struct mdl_item *other = find_at(requests, MDL_STAGE_QUEUED, r->dev, r->start, false), *item;

	item = r->start != MDL_SECTOR_NONE ? find_neighbour(requests, r) : NULL;
	if (item == NULL || other == NULL || item == other)
		return;
	grow(m, item, r);
	absorb_request(m, item, other);
}

/* ---- completion ---- */

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
static struct mdl_item *find_dataless(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	const struct mdl_shelf *requests = &m->blocks.requests;
	int64_t sector = e->arg[MDL_BLOCK_SECTOR];
	struct mdl_item *item = NULL;

	if (sector >= 0)
		item = find_at(requests, MDL_STAGE_FLUSHING, r->dev, (uint64_t)sector, false);
	if (item == NULL && sector >= 0 && !r->rwbs.flush)
		item = find_at(requests, MDL_STAGE_QUEUED, r->dev, MDL_SECTOR_NONE, false);
	return item != NULL ? item : find_at(requests, MDL_STAGE_ISSUED, r->dev, MDL_SECTOR_NONE, r->rwbs.flush);
}

static struct mdl_item *find_completed(const struct mdl_machine *m, const struct range *r)
{
	struct mdl_item *item = find_covering(&m->blocks.requests, MDL_STAGE_ISSUED, r->dev, r->start);

	return item != NULL ? item : find_covering(&m->blocks.requests, MDL_STAGE_QUEUED, r->dev, r->start);
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

static void complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct range *r)
{
	bool data = r->start != MDL_SECTOR_NONE;
	struct mdl_item *item = data ? find_completed(m, r) : find_dataless(m, e, r);
	struct mdl_item unseen = item_of(m, r, MDL_STAGE_ISSUED);

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

void mdl_block_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct range r;

	if (!read_range(m, e, &r))
		return;
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_BIO_QUEUE:
		queue_bio(m, e, &r);
		break;
	case MDL_EV_BIO_REMAP:
		remap_bio(m, e, &r);
		break;
	case MDL_EV_BIO_MERGE:
		merge_bio(m, e, &r);
		break;
	case MDL_EV_RQ_GET:
		add_request(m, e, &r, true);
		break;
	case MDL_EV_RQ_INSERT:
		settle_request(m, e, &r)->request.inserted = m->now;
		break;
	case MDL_EV_RQ_ISSUE:
		issue_request(m, e, &r);
		break;
	case MDL_EV_RQ_REQUEUE:
		requeue_request(m, &r);
		break;
	case MDL_EV_RQ_MERGE:
		merge_request(m, &r);
		break;
	default:
		complete_request(m, e, &r);
		break;
	}
}

void mdl_block_pass(struct mdl_cpu *c)
{
	c->own.facts.has &= ~(unsigned)MDL_FACT_REQUEST;
}

uint64_t mdl_block_forgotten(const struct mdl_blocks *b)
{
	return b->requests.forgotten;
}
