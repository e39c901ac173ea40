/* SPDX-License-Identifier: MIT */
/* Events of a block again, with all their fields.  A stream is called by its CPU. */
#include "base/base_error.h"
#include "trace/perf/trc_perf_class.h"
#include "trace/perf/trc_perf_lists.h"

#include <string.h>

struct page {
	struct trc_perf_list *list; /* owned */
	GPtrArray *events;          /* of struct trc_perf_entry *, weak: those that are samples */
};

static void *open_trace(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct trc_perf_head *h = trc_perf_head_open(folders[0], error);
	struct trc_perf_record r;
	uint64_t at = h ? h->end : 0;

	while (h && trc_perf_head_next(h, &at, &r))
		;
	if (!h || !h->problem)
		return h;
	g_propagate_error(error, g_steal_pointer(&h->problem));
	trc_perf_head_free(h);
	return NULL;
}

static void free_page(void *data)
{
	struct page *p = data;

	trc_perf_list_unref(p->list);
	g_ptr_array_unref(p->events);
	g_free(p);
}

static void *read_page(void *trace, struct trc_paging_packet *packet, GError **error)
{
	struct page *p = g_new(struct page, 1);
	const struct trc_perf_entry *entries = NULL;
	guint64 cpu;
	unsigned n = 0;

	*p = (struct page){ trc_perf_list_new(trace, packet->offset, packet->size), g_ptr_array_new() };
	if (g_str_has_prefix(packet->stream, "cpu") &&
		g_ascii_string_to_unsigned(packet->stream + 3, 10, 0, TRC_PERF_CPUS_MAX, &cpu, NULL))
		entries = trc_perf_list_of(p->list, (uint32_t)cpu, &n);
	for (unsigned i = 0; i < n; i++)
		if (entries[i].attr)
			g_ptr_array_add(p->events, (gpointer)&entries[i]);
	if (p->events->len == packet->events)
		return p;
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"the trace does not have the events any more that its index has; it was changed: open it again");
	free_page(p);
	return NULL;
}

static const struct trc_perf_entry *entry_at(const struct page *p, uint64_t i)
{
	return g_ptr_array_index(p->events, i);
}

static bool get_event(G_GNUC_UNUSED void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct trc_perf_entry *e = entry_at(page, i);

	*event = (struct trc_paging_event){ .time = e->time,
		.cpu = e->cpu,
		.offset = e->offset,
		.name = e->attr->event ? e->attr->event->name : "unknown" };
	return true;
}

static bool find_event(G_GNUC_UNUSED void *trace, void *page, int64_t time, uint64_t *found,
	G_GNUC_UNUSED GError **error)
{
	const struct page *p = page;

	*found = 0;
	while (*found < p->events->len && entry_at(p, *found)->time < time)
		++*found;
	return true;
}

static bool get_fields(G_GNUC_UNUSED void *trace, void *page, uint64_t i, GString *to,
	const struct trc_taker *taker, G_GNUC_UNUSED GError **error)
{
	const struct trc_perf_entry *e = entry_at(page, i);
	struct trc_perf_record record = trc_perf_list_record(((const struct page *)page)->list, e);

	trc_perf_class_fields(e->attr, &record.data, to, taker);
	return true;
}

const struct trc_paging_ops trc_perf_paging = {
	.open = open_trace,
	.free = (GDestroyNotify)trc_perf_head_free,
	.read = read_page,
	.free_page = free_page,
	.event = get_event,
	.find = find_event,
	.fields = get_fields,
};
