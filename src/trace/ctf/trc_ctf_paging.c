/* SPDX-License-Identifier: MIT */
/* Pages of our own decoder (trc_page.c) as any kind of reader has them. */
#include "trace/ctf/trc_ctf.h"
#include "trace/ctf/trc_page.h"

static void *open_pages(char *const *folders, bool all, GError **error)
{
	(void)all; /* those of other kinds are told packet by packet */
	return trc_pages_open(folders, error);
}

static void *read_page(void *trace, struct trc_paging_packet *p, GError **error)
{
	struct trc_page *page = trc_page_read(trace, p->stream, p->offset, p->size, p->latest, error);

	if (page) {
		p->events = page->n_events;
		p->first = page->first;
		p->last = page->last;
	}
	return page;
}

static bool get_event(G_GNUC_UNUSED void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	GError **error)
{
	const struct trc_page_event *e = trc_page_event(page, i, error);

	if (e)
		*event = (struct trc_paging_event){ e->time, e->cpu, (int64_t)(e->start / 8),
			trc_page_name(e) };
	return e;
}

static bool find_event(G_GNUC_UNUSED void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	return trc_page_find(page, time, found, error);
}

static bool get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error)
{
	return trc_page_fields(trace, page, i, to, taker, error);
}

static bool declares(const void *trace, const char *name)
{
	return trc_pages_declare(trace, name);
}

const struct trc_paging_ops trc_ctf_paging = {
	.open = open_pages,
	.free = (GDestroyNotify)trc_pages_free,
	.read = read_page,
	.free_page = (GDestroyNotify)trc_page_free,
	.event = get_event,
	.find = find_event,
	.fields = get_fields,
	.declares = declares,
};
