/* SPDX-License-Identifier: MIT */
/* What the field rwbs of block events says. */
#ifndef MDL_RWBS_H
#define MDL_RWBS_H

#include "model/mdl_event.h"

struct mdl_rwbs {
	uint8_t op;    /* enum mdl_block_op */
	bool flush;    /* the driver's own flush, not somebody's write */
	bool preflush; /* the device's cache is to be flushed first (PREFLUSH; FLUSH before Linux 4.8) */
	bool fua;      /* the data are to get past the cache (FUA) */
};

/* From BITS as LTTng writes them, or MDL_ARG_ABSENT and TEXT as perf does ("WS"; NULL: neither). */
struct mdl_rwbs mdl_rwbs_read(int64_t bits, const char *text);

#endif
