/* SPDX-License-Identifier: MIT */
/*
 * Any event, with all its fields, of streams that only babeltrace2 can read.  It reads a stream from its
 * start only, so an event is reached by winding: on from where the stream is, or back to its start and on.
 * The events passed last are kept, so that steps both ways are quick.  The events are those of the reader
 * "babeltrace2".
 */
#ifndef TRC_BT2_TAPE_H
#define TRC_BT2_TAPE_H

#include "trace/core/trc_paging.h"

#define TRC_BT2_TAPE_KEPT 4096 /* events of each stream: a few MB */

/* Its pages need not have been read: the place of any events of a stream is one. */
extern const struct trc_paging_ops trc_bt2_paging;

#endif
