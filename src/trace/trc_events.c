/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet whose place is known, and whose events our own decoder knows, is read on its own
 * (trc_page).  All else is left to babeltrace2, which reads the stream from its start (trc_bt2_tape); the
 * index tells how many events come before a packet.  A stream that one kind of reader read may be paged by
 * those before it, too: what they understand is the same.
 */
#include "trace/trc_events.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_inputs.h"

#include <string.h>

struct trc_events {
	struct trc_recording *recording;  /* owned */
	char *folder;                     /* owned: the one that all of them are in */
	const struct trc_stream *streams; /* weak */
	GPtrArray *warnings;              /* weak */
	bool grows;
	bool *from_start; /* owned: by stream, that it is read from its start */
	const struct trc_input *input;
	unsigned whole; /* the kind that read all of the trace; input->n_readers: several did */
	void *traces[TRC_INPUTS_READERS]; /* owned, by ops->free: by kind; NULL until needed */
	uint64_t packets;
};

struct trc_events_page {
	const struct trc_paging_ops *ops;
	void *trace;        /* weak: of the kind that reads it */
	const char *folder; /* weak: that the trace is in */
	void *page;         /* owned, by ops->free_page */
	struct trc_paging_packet packet;
};

static const struct trc_paging_ops *paging(const struct trc_events *e, unsigned kind)
{
	return e->input->readers[kind]->paging;
}

/* ---- opening ---- */

static void set_changed(const char *folder, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"the trace in %s has changed since it was opened: open it again to see its events", folder);
}

/* True if the trace still has FINGERPRINT. */
static bool events_is_same(const struct trc_events *e, const char *fingerprint, GError **error)
{
	g_autofree char *now = trc_fingerprint(e->recording, error);
	bool same = now && !strcmp(now, fingerprint);

	if (now && !same)
		set_changed(e->folder, error);
	return same;
}

/* Have KIND opened. */
static bool open_kind(struct trc_events *e, unsigned kind, GError **error)
{
	if (!e->traces[kind])
		e->traces[kind] = paging(e, kind)->open(e->recording->folders, e->whole == kind, error);
	return e->traces[kind];
}

/* The kinds that read single packets are opened at once; one that does not understand a trace that another
 * one read is not needed. */
static bool open_kinds(struct trc_events *e, GError **error)
{
	for (unsigned kind = 0; kind < e->input->n_readers; kind++) {
		GError *unknown = NULL;

		if (paging(e, kind)->rewound || open_kind(e, kind, &unknown))
			continue;
		if (e->whole == e->input->n_readers || e->whole <= kind ||
			!g_error_matches(unknown, BASE_ERROR, BASE_ERROR_DATA)) {
			g_propagate_error(error, unknown);
			return false;
		}
		g_error_free(unknown);
	}
	return true;
}

struct trc_events *trc_events_open(const struct trc_recording *recording, const char *fingerprint,
	const char *reader, const struct trc_stream *streams, unsigned n_streams, GPtrArray *warnings,
	GError **error)
{
	struct trc_events *e = g_new0(struct trc_events, 1);

	e->recording = trc_folders_recording_copy(recording);
	e->folder = trc_folders_root(recording->folders);
	e->streams = streams;
	e->warnings = warnings;
	e->from_start = g_new0(bool, n_streams);
	e->input = recording->input;
	e->whole = trc_inputs_reader(e->input, reader);
	e->grows = !fingerprint;
	if ((e->grows || events_is_same(e, fingerprint, error)) && open_kinds(e, error))
		return e;
	trc_events_free(e);
	return NULL;
}

void trc_events_free(struct trc_events *e)
{
	if (!e)
		return;
	for (unsigned kind = 0; kind < e->input->n_readers; kind++)
		if (e->traces[kind])
			paging(e, kind)->free(e->traces[kind]);
	g_free(e->from_start);
	trc_folders_recording_free(e->recording);
	g_free(e->folder);
	g_free(e);
}

bool trc_events_declare(const struct trc_events *e, const char *name)
{
	for (unsigned kind = 0; kind < e->input->n_readers; kind++)
		if (e->traces[kind] && paging(e, kind)->declares)
			return paging(e, kind)->declares(e->traces[kind], name);
	return true;
}

struct trc_events_work trc_events_work(const struct trc_events *e)
{
	struct trc_events_work work = { .packets = e->packets };

	for (unsigned kind = 0; kind < e->input->n_readers; kind++)
		if (e->traces[kind] && paging(e, kind)->rewound)
			work.rewound += paging(e, kind)->rewound(e->traces[kind]);
	return work;
}

/* ---- packets ---- */

/* Have PAGE read by KIND. */
static bool read_by(struct trc_events *e, struct trc_events_page *page, unsigned kind, unsigned stream,
	GError **error)
{
	const struct trc_paging_ops *ops = paging(e, kind);
	struct trc_paging_packet found = page->packet;

	if (!open_kind(e, kind, error))
		return false;
	e->packets += !ops->rewound;
	if (ops->rewound && !e->from_start[stream]) {
		g_autofree char *clean = base_text_clean(e->streams[stream].name, -1);

		e->from_start[stream] = true;
		g_ptr_array_add(e->warnings,
			g_strdup_printf(
				"%s: events are read from its start: only %s can read this stream of %s; "
				"late events take a while",
				clean, e->input->readers[kind]->name, e->folder));
	}
	page->ops = ops;
	page->trace = e->traces[kind];
	page->folder = e->folder;
	page->page = ops->read(e->traces[kind], &found, error);
	if (!page->page)
		return false;
	if (found.first == page->packet.first &&
		(found.events == page->packet.events ? found.last == page->packet.last
						     : e->grows && found.events > page->packet.events))
		return true;
	ops->free_page(page->page);
	set_changed(e->folder, error);
	return false;
}

struct trc_events_page *trc_events_read(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, GError **error)
{
	unsigned reader = trc_inputs_reader(e->input, e->streams[stream].reader),
		 last = reader < e->input->n_readers ? reader : 0;
	struct trc_events_page *page = g_new0(struct trc_events_page, 1);

	page->packet = *packet;
	page->packet.stream = e->streams[stream].name;
	for (unsigned kind = 0; kind <= last; kind++) {
		GError *unknown = NULL;

		/* One before the last is worth a try if it reads single packets, and this one has a place. */
		if (kind < last &&
			(paging(e, kind)->rewound || !e->traces[kind] || e->from_start[stream] ||
				packet->size == 0))
			continue;
		if (read_by(e, page, kind, stream, &unknown))
			return page;
		if (kind == last || !g_error_matches(unknown, BASE_ERROR, BASE_ERROR_DATA)) {
			g_propagate_error(error, unknown);
			break;
		}
		g_error_free(unknown);
	}
	g_free(page);
	return NULL;
}

void trc_events_page_free(struct trc_events_page *page)
{
	if (page)
		page->ops->free_page(page->page);
	g_free(page);
}

/* ---- events ---- */

bool trc_events_get(struct trc_events_page *page, uint64_t i, struct trc_paging_event *event, GError **error)
{
	const struct trc_paging_packet *p = &page->packet;

	if (!page->ops->event(page->trace, page->page, i, event, error))
		return false;
	if ((i > 0 || event->time == p->first) && (i != p->events - 1 || event->time == p->last))
		return true;
	set_changed(page->folder, error);
	return false;
}

bool trc_events_offset(struct trc_events_page *page, uint64_t i, int64_t *offset, GError **error)
{
	struct trc_paging_event event;

	*offset = -1;
	if (page->ops->rewound)
		return true;
	if (!trc_events_get(page, i, &event, error))
		return false;
	*offset = event.offset;
	return true;
}

bool trc_events_find(struct trc_events_page *page, int64_t time, uint64_t *found, GError **error)
{
	struct trc_paging_event event;

	if (page->ops->find)
		return page->ops->find(page->trace, page->page, time, found, error);
	for (*found = 0; *found < page->packet.events; ++*found) {
		if (!page->ops->event(page->trace, page->page, *found, &event, error))
			return false;
		if (event.time >= time)
			break;
	}
	return true;
}

bool trc_events_fields(struct trc_events_page *page, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error)
{
	return page->ops->fields(page->trace, page->page, i, to, taker, error);
}
