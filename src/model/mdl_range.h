/* SPDX-License-Identifier: MIT */
/* What block events say: private to src/model. */
#ifndef MDL_RANGE_H
#define MDL_RANGE_H

#include "model/mdl_event.h"
#include "model/mdl_inflight.h"

struct mdl_machine;

#define MDL_SECTOR_BYTES 512

struct mdl_rwbs {
	uint8_t op;    /* enum mdl_block_op */
	bool flush;    /* the driver's own flush, not somebody's write */
	bool preflush; /* the device's cache is to be flushed first (PREFLUSH; FLUSH before Linux 4.8) */
	bool fua;      /* the data are to get past the cache (FUA) */
};

/* What a block event says. */
struct mdl_range {
	uint32_t dev;        /* of the disk */
	uint64_t start, end; /* sectors [start, end); both MDL_SECTOR_NONE: no data */
	uint64_t bytes;
	struct mdl_rwbs rwbs;
};

/* From BITS as LTTng writes them, or MDL_ARG_ABSENT and TEXT as perf does ("WS"; NULL: neither). */
struct mdl_rwbs mdl_range_rwbs(int64_t bits, const char *text);
/* False: E says nothing that makes sense. */
bool mdl_range_read(const struct mdl_machine *m, const struct mdl_event *e, struct mdl_range *r);
/* A new item for R, about which nothing is known but that. */
struct mdl_item mdl_range_item(const struct mdl_range *r, enum mdl_stage stage, int64_t now);

#endif
