/* SPDX-License-Identifier: MIT */
/* Distributes streams over the graphs of babeltrace2, so that all graphs have about equal work. */
#ifndef TRC_BT2_DEAL_H
#define TRC_BT2_DEAL_H

#include <glib.h>

/* Assign the streams that babeltrace2 calls NAMES (of char *) to graphs 0 to N_GRAPHS - 1.  STREAMS (of
 * struct trc_stream_file *) gives the sizes of those that are known.  Returns the number of the graph for
 * each name; the caller frees. */
unsigned *trc_bt2_deal(const GPtrArray *names, const GPtrArray *streams, unsigned n_graphs);

#endif
