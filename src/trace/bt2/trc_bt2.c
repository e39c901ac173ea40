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
#include "trace/bt2/trc_bt2_tape.h"
#include "trace/bt2/trc_lanes.h"
#include "trace/ctf/trc_ctf.h"

/* ---- pages: events on the tape (trc_bt2_tape.c); a page is only the place of a packet ---- */

static void *open_tape(char *const *folders, bool all, GError **error)
{
	return trc_bt2_tape_open(folders, all, error);
}

static void *read_page(G_GNUC_UNUSED void *trace, struct trc_paging_packet *packet,
	G_GNUC_UNUSED GError **error)
{
	return g_memdup2(packet, sizeof *packet);
}

static bool get_event(void *trace, void *page, uint64_t i, struct trc_paging_event *event, GError **error)
{
	const struct trc_paging_packet *p = page;

	*event = (struct trc_paging_event){ .cpu = MDL_NONE, .offset = -1 };
	return trc_bt2_tape_event(trace, p->stream, p->before + i, &event->time, &event->name, error);
}

static bool find_event(void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	const struct trc_paging_packet *p = page;

	if (!trc_bt2_tape_find(trace, p->stream, p->before, p->before + p->events, time, found, error))
		return false;
	*found -= p->before;
	return true;
}

static bool get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error)
{
	const struct trc_paging_packet *p = page;

	return trc_bt2_tape_fields(trace, p->stream, p->before + i, to, taker, error);
}

static uint64_t rewound(const void *trace)
{
	return trc_bt2_tape_rewound(trace);
}

static const struct trc_paging_ops paging = {
	.open = open_tape,
	.free = (GDestroyNotify)trc_bt2_tape_free,
	.read = read_page,
	.free_page = g_free,
	.event = get_event,
	.find = find_event,
	.fields = get_fields,
	.rewound = rewound,
};

/* ---- streams ---- */

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
	.paging = &paging,
};
