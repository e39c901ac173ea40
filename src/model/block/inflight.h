/* SPDX-License-Identifier: MIT */
/*
 * Bios and requests in flight, by device and sector.
 *
 * Bounded: at most MDL_BLOCK_MAX bios and as many requests.  The oldest, and those without an event for
 * MDL_BLOCK_AGE, are forgotten.
 */
#ifndef MDL_INFLIGHT_H
#define MDL_INFLIGHT_H

#include "model/event/fact.h"

#include <glib.h>

#define MDL_BLOCK_MAX 4096
/* ns; twice the time-out of SCSI, SD_TIMEOUT in drivers/scsi/sd.h. */
#define MDL_BLOCK_AGE (60 * INT64_C(1000000000))

/* How far a request has come. */
enum mdl_stage {
	MDL_STAGE_BIO, /* a bio that belongs to no request yet */
	MDL_STAGE_QUEUED,
	MDL_STAGE_ISSUED, /* the driver has it */
	/* its data are written; a flush may follow before it is complete (block/flush.c) */
	MDL_STAGE_FLUSHING,
};

struct mdl_item {
	uint32_t dev;
	uint64_t start, end; /* sectors [start, end); both MDL_SECTOR_NONE without data */
	uint64_t done;       /* sector up to which it is completed */
	uint8_t stage;       /* enum mdl_stage */
	bool preflush, fua;  /* the kernel may execute it as flush, data, flush (block/flush.c) */
	bool postflush;      /* it asked for FUA, and went to the driver without FUA */
	bool flush;          /* the driver's own flush, which serves others */
	bool requeued;       /* the driver gave it back */
	bool stacked;        /* it came from a device above (dm, md) */
	bool doubtful;       /* another request may have been completed instead */
	uint32_t maker; /* row of the thread that made the request, or brought the bio here; MDL_NONE: none */
	/* a bio known from the device above; its block_bio_queue here is still to come */
	bool remapped;
	int64_t heard;          /* ns: time of its last event */
	int64_t first_issued;   /* ns: when the driver first got it; MDL_NEVER: not yet */
	struct mdl_act written; /* MDL_STAGE_FLUSHING: the act that completed the data */
	struct mdl_request request;
	struct mdl_queue *queue; /* weak: where a request is counted, while the queue is in era ERA */
	uint32_t era;
	GList age; /* owned by the item; a link of the list's AGE */
};

/* Items by device and sector. */
struct mdl_inflight {
	GPtrArray *items;          /* of struct mdl_item *, owned: by (dev, start), older ones first */
	GQueue age;                /* the items by time of their last event, oldest first */
	struct mdl_queues *queues; /* weak: where they are counted; NULL: nowhere */
};

/* QUEUES: where the items are counted; NULL: nowhere.  Must outlive LIST. */
void mdl_inflight_init(struct mdl_inflight *list, struct mdl_queues *queues);
void mdl_inflight_clear(struct mdl_inflight *list);
/* Add a copy of ITEM, after forgetting items that are too old or too many.  Returns the copy, which the list
 * owns. */
struct mdl_item *mdl_inflight_add(struct mdl_inflight *list, const struct mdl_item *item);
void mdl_inflight_drop(struct mdl_inflight *list, struct mdl_item *item);
/* ITEM is in STAGE now.  False if it was not counted in the current era of its queue; now it is. */
bool mdl_inflight_move(struct mdl_item *item, enum mdl_stage stage);
/* True if ITEM is counted in the current era of its queue. */
bool mdl_inflight_counts(const struct mdl_item *item);
/* An event of ITEM came at NOW (ns). */
void mdl_inflight_touch(struct mdl_inflight *list, struct mdl_item *item, int64_t now);
/* ITEM covers sectors [START, END) now. */
void mdl_inflight_resize(struct mdl_inflight *list, struct mdl_item *item, uint64_t start, uint64_t end);
/* Index of the first item at or after SECTOR of DEV. */
guint mdl_inflight_seek(const struct mdl_inflight *list, uint32_t dev, uint64_t sector);
/* The item at INDEX if it is of DEV, otherwise NULL. */
struct mdl_item *mdl_inflight_at(const struct mdl_inflight *list, guint index, uint32_t dev);

bool mdl_item_has_data(const struct mdl_item *item);
/* The item in STAGE that begins at or before SECTOR and ends after it. Of several it takes those with the
 * last start, and of these the oldest. NULL: none. */
struct mdl_item *mdl_inflight_covering(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t sector);
/* The oldest item in STAGE that begins at START (also MDL_SECTOR_NONE); NULL: none. */
struct mdl_item *mdl_inflight_find(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, bool flush);
/* The first item in STAGE that lies within [START, END); NULL: none. */
struct mdl_item *mdl_inflight_within(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, uint64_t end);
/* The bio that became or joined the request which begins at START. Of several it takes that of THREAD, which
 * acts now. NULL: none. */
struct mdl_item *mdl_inflight_bio(const struct mdl_inflight *bios, uint32_t dev, uint64_t start,
	uint32_t thread);
/* True if THREAD brought a bio to DEV that is among the last of BIOS, and so belongs to no request yet. */
bool mdl_inflight_brought(const struct mdl_inflight *bios, uint32_t dev, uint32_t thread);

#endif
