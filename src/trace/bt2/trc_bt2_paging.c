/* SPDX-License-Identifier: MIT */
/* Events on the tape of babeltrace2 (trc_bt2_tape.c) as any kind of reader has them: a page is only the place
 * of a packet. */
#include "model/mdl_event.h"
#include "trace/bt2/trc_bt2.h"
#include "trace/bt2/trc_bt2_tape.h"

static void *open_tape(char *const *folders, bool all, GError **error)
{
	return trc_bt2_tape_open(folders, all, error);
}

static void free_tape(void *trace)
{
	trc_bt2_tape_free(trace);
}

static void *read_page(void *trace, struct trc_paging_packet *packet, GError **error)
{
	(void)trace;
	(void)error;
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

static bool get_fields(void *trace, void *page, uint64_t i, GString *to, GError **error)
{
	const struct trc_paging_packet *p = page;

	return trc_bt2_tape_fields(trace, p->stream, p->before + i, to, error);
}

static uint64_t rewound(const void *trace)
{
	return trc_bt2_tape_rewound(trace);
}

const struct trc_paging_ops trc_bt2_paging = {
	.open = open_tape,
	.free = free_tape,
	.read = read_page,
	.free_page = g_free,
	.event = get_event,
	.find = find_event,
	.fields = get_fields,
	.rewound = rewound,
};
