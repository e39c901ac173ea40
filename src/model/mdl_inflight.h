/* SPDX-License-Identifier: MIT */
/*
 * Bios and requests in flight, by device and sector.
 *
 * Bounded: no more than MDL_BLOCK_MAX bios and as many requests are known; the
 * oldest, and those that nothing was heard of for MDL_BLOCK_AGE, are forgotten.
 */
#ifndef MDL_INFLIGHT_H
#define MDL_INFLIGHT_H

#include "model/mdl_fact.h"

#include <glib.h>

#define MDL_BLOCK_MAX 4096
/* ns; twice the time-out of SCSI, SD_TIMEOUT in drivers/scsi/sd.h. */
#define MDL_BLOCK_AGE (60 * INT64_C(1000000000))

/* How far a request has come. */
enum mdl_stage {
	MDL_STAGE_BIO, /* a bio that belongs to no request yet */
	MDL_STAGE_QUEUED,
	MDL_STAGE_ISSUED,   /* the driver has it */
	MDL_STAGE_FLUSHING, /* its data are written; a flush may follow before it is complete (mdl_flush.c) */
};

struct mdl_item {
	uint32_t dev;
	uint64_t start, end; /* sectors [start, end); without data both MDL_SECTOR_NONE */
	uint64_t done;       /* completed up to here */
	uint8_t stage;       /* enum mdl_stage */
	bool preflush, fua;  /* the kernel may do it as a sequence of flush, data, flush (mdl_flush.c) */
	bool postflush;      /* it was given to the driver without FUA, though that was asked for */
	bool flush;          /* the driver's own flush, which serves others */
	bool requeued;       /* given back by the driver */
	bool stacked;        /* it came from a device above */
	bool doubtful;       /* another one may have been completed in its stead */
	uint32_t maker;      /* the thread that made the request, or brought the bio here; MDL_NONE: none */
	bool remapped; /* a bio: known from the device above; its block_bio_queue here is still to come */
	int64_t heard; /* time of its last event */
	int64_t first_issued;   /* when the driver had it first; MDL_NEVER not yet */
	struct mdl_act written; /* MDL_STAGE_FLUSHING: when, and who completed the data */
	struct mdl_request request;
	struct mdl_queue *queue; /* weak: of a request, where it is counted, … */
	uint32_t era;            /* … as long as that is its era */
	GList age;               /* owned by the item; in the list's queue */
};

/* Items by device and sector. */
struct mdl_inflight {
	GPtrArray *items;          /* of struct mdl_item *, owned: by (dev, start), older ones first */
	GQueue age;                /* the same, longest unheard first */
	struct mdl_queues *queues; /* weak: where they are counted; NULL nowhere */
};

/* QUEUES: where the items are counted; NULL: nowhere.  Must outlive LIST. */
void mdl_inflight_init(struct mdl_inflight *list, struct mdl_queues *queues);
void mdl_inflight_clear(struct mdl_inflight *list);
/* Make room by forgetting what is too old or too much, and put a copy of ITEM in; returns the copy, owned by
 * the list. */
struct mdl_item *mdl_inflight_add(struct mdl_inflight *list, const struct mdl_item *item);
void mdl_inflight_drop(struct mdl_inflight *list, struct mdl_item *item);
/* ITEM is in STAGE now.  False: it was not counted before, in its queue's era; it is now. */
bool mdl_inflight_move(struct mdl_item *item, enum mdl_stage stage);
/* Is ITEM counted in its queue's era? */
bool mdl_inflight_counts(const struct mdl_item *item);
/* Something was heard of ITEM at NOW. */
void mdl_inflight_touch(struct mdl_inflight *list, struct mdl_item *item, int64_t now);
/* ITEM reaches from START to END now. */
void mdl_inflight_resize(struct mdl_inflight *list, struct mdl_item *item, uint64_t start, uint64_t end);
/* Index of the first item at or behind SECTOR of DEV. */
guint mdl_inflight_seek(const struct mdl_inflight *list, uint32_t dev, uint64_t sector);
/* The item at INDEX while it is of DEV, else NULL. */
struct mdl_item *mdl_inflight_at(const struct mdl_inflight *list, guint index, uint32_t dev);

bool mdl_item_has_data(const struct mdl_item *item);
/* Of the items in STAGE: the oldest of those that begin last up to SECTOR and reach beyond it; NULL none. */
struct mdl_item *mdl_inflight_covering(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t sector);
/* The oldest one that begins at START (also MDL_SECTOR_NONE). */
struct mdl_item *mdl_inflight_find(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, bool flush);
/* The first one that lies within [START, END). */
struct mdl_item *mdl_inflight_within(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, uint64_t end);
/* The bio that became, or joined, the request that begins at START: that of THREAD, who acts now, if there
 * are several; NULL none. */
struct mdl_item *mdl_inflight_bio(const struct mdl_inflight *bios, uint32_t dev, uint64_t start,
	uint32_t thread);
/* Did THREAD bring a bio to DEV that is among BIOS, of the last ones, and so belongs to no request yet? */
bool mdl_inflight_brought(const struct mdl_inflight *bios, uint32_t dev, uint32_t thread);

#endif
