/* SPDX-License-Identifier: MIT */
/*
 * Any event, with all fields, of streams that only babeltrace2 can read.  It reads a stream only from its
 * start, so an event is reached by winding: forward from the current position, or back to the start and
 * forward.  The last events passed are kept, so that steps in both directions are fast.  The events are those
 * of the reader "babeltrace2".
 */
#ifndef TRC_BT2_TAPE_H
#define TRC_BT2_TAPE_H

#include "trace/core/trc_paging.h"

#define TRC_BT2_TAPE_KEPT 4096 /* events kept per stream: a few MB */

/* Its pages need not be packets that were read: any run of events of a stream is a page. */
extern const struct trc_paging_ops trc_bt2_paging;

#endif
