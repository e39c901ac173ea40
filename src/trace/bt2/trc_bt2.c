/* SPDX-License-Identifier: MIT */
/*
 * The reader on top of babeltrace2
 *
 * Most of the time goes into babeltrace2's decoder, which uses one thread.  So
 * the streams are dealt out by size to as many graphs as there are processors, each
 * with a thread of its own (trc_lanes.c).  A graph has the whole trace open, but asks
 * only for its own streams.  trc_merge.c puts the streams together.
 */
#include "trace/bt2/trc_bt2.h"

#include "trace/bt2/trc_bt2_open.h"
#include "trace/ctf/trc_ctf.h"

struct bt2 {
	struct trc_bt2_open *open; /* owned */
	struct trc_lanes *lanes;   /* owned */
};

static void fill_back(void *data, struct trc_queue *q)
{
	const struct bt2 *b = data;

	trc_bt2_open_fill(b->open, q);
}

static void *bt2_open(void *trace, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
	GPtrArray *queues, GError **error)
{
	const struct trc_survey *survey = ((const struct trc_ctf_trace *)trace)->survey;
	struct trc_bt2_open *open = trc_bt2_open_new(survey, streams, info,
		MIN(g_get_num_processors(), TRC_BT2_GRAPHS_MAX), error);
	struct bt2 *b;
	unsigned i;

	(void)rest; /* what it does not understand nobody does */
	if (!open)
		return NULL;
	b = g_new0(struct bt2, 1);
	b->open = open;
	trc_bt2_open_begin(open); /* for the names: streams are sorted by them */
	for (i = 0; i < open->backs->len; i++)
		g_ptr_array_add(queues,
			trc_queue_new(((struct trc_queue *)g_ptr_array_index(open->backs, i))->name, info));
	b->lanes = trc_lanes_new(open->backs, queues, info, open->n_graphs, fill_back, b);
	return b;
}

static void bt2_fill(void *source, struct trc_queue *queue)
{
	struct bt2 *b = source;

	trc_lanes_fill(b->lanes, queue);
}

static void bt2_free(void *source)
{
	struct bt2 *b = source;

	trc_lanes_free(b->lanes);
	trc_bt2_open_free(b->open);
	g_free(b);
}

const struct trc_source_ops trc_bt2_ops = {
	.name = "babeltrace2",
	.open = bt2_open,
	.fill = bt2_fill,
	.free = bt2_free,
	.paging = &trc_bt2_paging,
};
