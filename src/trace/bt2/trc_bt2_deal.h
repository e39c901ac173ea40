/* SPDX-License-Identifier: MIT */
/* Which graph of babeltrace2 reads which stream, so that all have about as much to do. */
#ifndef TRC_BT2_DEAL_H
#define TRC_BT2_DEAL_H

#include <glib.h>

/*
 * Deal out the streams that babeltrace2 calls NAMES (of char *) to graphs 0 to
 * N_GRAPHS - 1: STREAMS (of struct trc_stream_file *) tell the sizes of those that
 * are known.  Returns the number of the graph for each name; the caller frees.
 */
unsigned *trc_bt2_deal(const GPtrArray *names, const GPtrArray *streams, unsigned n_graphs);

#endif
