/* SPDX-License-Identifier: MIT */
/* The content of block events: private to src/model. */
#ifndef MDL_RANGE_H
#define MDL_RANGE_H

#include "model/event/event.h"
#include "model/block/inflight.h"

struct mdl_machine;

#define MDL_SECTOR_BYTES 512

struct mdl_rwbs {
	uint8_t op;    /* enum mdl_block_op */
	bool flush;    /* the driver's own flush, not a write of a thread */
	bool preflush; /* the device must flush its cache first (PREFLUSH; FLUSH before Linux 4.8) */
	bool fua;      /* the data must reach the medium behind the cache (FUA) */
};

/* The content of a block event. */
struct mdl_range {
	uint32_t dev;        /* of the disk */
	uint64_t start, end; /* sectors [start, end); both MDL_SECTOR_NONE: no data */
	uint64_t bytes;
	struct mdl_rwbs rwbs;
};

/* From BITS as LTTng writes them; if BITS is MDL_ARG_ABSENT, from TEXT as perf writes it ("WS"; NULL:
 * neither). */
struct mdl_rwbs mdl_range_rwbs(int64_t bits, const char *text);
/* Set *R to the content of E.  False if E makes no sense. */
bool mdl_range_read(const struct mdl_machine *m, const struct mdl_event *e, struct mdl_range *r);
/* A new item for R in STAGE, without any other knowledge. */
struct mdl_item mdl_range_item(const struct mdl_range *r, enum mdl_stage stage, int64_t now);

#endif
