/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <string.h>

#define PAGES_KEPT 2 /* per stream, because readers often cross the end of a packet in both directions */

struct kept {
	uint64_t index;
	struct trc_events_page *page; /* owned; NULL: nothing is kept */
};

struct qry_trace {
	struct idx_reader *index;        /* weak */
	struct trc_events *events;       /* owned */
	struct trc_stream *streams;      /* owned; their texts are of INDEX */
	struct kept (*kept)[PAGES_KEPT]; /* owned; by stream, the page used last first */
	GString *text;                   /* owned; buffer for the fields of an event */
	GHashTable *names; /* name in the trace (weak, by address) → cleaned name (char *, owned) */
};

void qry_trace_free(struct qry_trace *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < idx_reader_stream_count(t->index); i++)
		for (unsigned k = 0; k < PAGES_KEPT; k++)
			trc_events_page_free(t->kept[i][k].page);
	g_free(t->kept);
	g_string_free(t->text, TRUE);
	trc_events_free(t->events);
	g_free(t->streams);
	g_hash_table_unref(t->names);
	g_free(t);
}

struct trc_events_work qry_trace_work(const struct qry_trace *t)
{
	return trc_events_work(t->events);
}

struct qry_trace *qry_trace_open(const struct trc_recording *recording, struct idx_reader *index,
	GPtrArray *warnings, GError **error)
{
	const struct idx_meta *meta = idx_reader_meta(index);
	uint32_t n = idx_reader_stream_count(index);
	struct qry_trace *t;

	if (!recording)
		return base_error_null(error, BASE_ERROR_IO,
			"the trace of the index %s is unknown: open the trace itself",
			idx_reader_path(index));
	t = g_new0(struct qry_trace, 1);
	t->index = index;
	t->text = g_string_new(NULL);
	t->kept = g_malloc0_n(n, sizeof *t->kept);
	t->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	t->streams = g_new0(struct trc_stream, n);
	for (uint32_t i = 0; i < n; i++)
		t->streams[i] = (struct trc_stream){ .name = idx_reader_stream(index, i)->name,
			.reader = idx_reader_stream(index, i)->reader };
	t->events = trc_events_open(recording, idx_reader_grows(index) ? NULL : meta->fingerprint,
		meta->reader, t->streams, n, warnings, error);
	if (!t->events)
		g_clear_pointer(&t, qry_trace_free);
	return t;
}

bool qry_trace_declares(const struct qry_trace *t, const char *name)
{
	return trc_events_declare(t->events, name);
}

bool qry_trace_types(const struct qry_trace *t, trc_paging_typed *typed, void *data)
{
	return trc_events_types(t->events, typed, data);
}

/* ---- packets ---- */

bool qry_trace_packet(struct idx_reader *index, uint32_t stream, uint64_t packet, struct idx_packet *found,
	GError **error)
{
	const GError *damage;

	if (idx_reader_packet(index, stream, packet, found))
		return true;
	damage = idx_reader_damage(index);
	g_propagate_error(error,
		damage ? g_error_copy(damage)
		       : g_error_new(BASE_ERROR, BASE_ERROR_DATA, "%s: no such packet",
				 idx_reader_path(index)));
	return false;
}

/* Fill *PACKET with packet number INDEX of STREAM from the index. */
static bool get_packet(const struct qry_trace *t, uint32_t stream, uint64_t index,
	struct trc_paging_packet *packet, GError **error)
{
	/* Before the first packet the time is the begin of the trace: the packet may have events without
	 * time. */
	struct idx_packet p, before = { .last = idx_reader_meta(t->index)->from };

	if (!qry_trace_packet(t->index, stream, index, &p, error) ||
		(index > 0 && !qry_trace_packet(t->index, stream, index - 1, &before, error)))
		return false;
	*packet = (struct trc_paging_packet){ .offset = p.offset,
		.size = p.size,
		.before = p.before,
		.latest = before.last,
		.events = p.events,
		.first = p.first,
		.last = p.last };
	return true;
}

/* The page of packet number INDEX of STREAM, valid until the next call for it; NULL with an error. */
static struct trc_events_page *trace_keep(struct qry_trace *t, uint32_t stream, uint64_t index,
	GError **error)
{
	struct kept *kept = t->kept[stream], found;
	struct trc_paging_packet packet;
	unsigned k = 0;

	while (k < PAGES_KEPT - 1 && (!kept[k].page || kept[k].index != index))
		k++;
	found = kept[k];
	if (!found.page || found.index != index) {
		if (!get_packet(t, stream, index, &packet, error))
			return NULL;
		found = (struct kept){ index, trc_events_read(t->events, stream, &packet, error) };
		if (!found.page)
			return NULL;
		trc_events_page_free(kept[k].page);
	}
	memmove(kept + 1, kept, k * sizeof *kept);
	kept[0] = found;
	return found.page;
}

struct trc_events_page *qry_trace_begin(struct qry_trace *t, uint32_t stream, uint64_t packet, GError **error)
{
	struct trc_paging_packet p;

	return get_packet(t, stream, packet, &p, error) ? trc_events_begin(t->events, stream, &p, error)
							: NULL;
}

struct trc_picker *qry_trace_picker(struct qry_trace *t, const char *const *names, unsigned n)
{
	return trc_picker_new(t->events, names, n);
}

/* ---- events ---- */

const char *qry_trace_name(struct qry_trace *t, const char *name)
{
	char *clean = g_hash_table_lookup(t->names, name);

	if (!clean) {
		clean = base_text_clean(name, -1);
		g_hash_table_insert(t->names, (gpointer)(uintptr_t)name, clean);
	}
	return clean;
}

bool qry_trace_event(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	struct qry_trace_event *event, GError **error)
{
	struct trc_events_page *page = trace_keep(t, stream, packet, error);
	struct trc_paging_event found;

	if (!page || !trc_events_get(page, at, &found, error))
		return false;
	*event = (struct qry_trace_event){ .time = found.time,
		.cpu = found.cpu,
		.name = qry_trace_name(t, found.name) };
	return true;
}

bool qry_trace_find(struct qry_trace *t, uint32_t stream, uint64_t packet, int64_t time, uint64_t *found,
	GError **error)
{
	struct trc_events_page *page = trace_keep(t, stream, packet, error);

	return page && trc_events_find(page, time, found, error);
}

bool qry_trace_offset(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, int64_t *offset,
	GError **error)
{
	struct trc_events_page *page = trace_keep(t, stream, packet, error);

	*offset = -1;
	return page && trc_events_offset(page, at, offset, error);
}

bool qry_trace_take(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	const struct trc_taker *taker, GError **error)
{
	struct trc_events_page *page = trace_keep(t, stream, packet, error);

	g_string_truncate(t->text, 0);
	return page && trc_events_fields(page, at, t->text, taker, error);
}

char *qry_trace_fields(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, GError **error)
{
	struct trc_events_page *page = trace_keep(t, stream, packet, error);
	g_autoptr(GString) text = NULL;
	bool fine;

	if (!page)
		return NULL;
	text = g_string_new(NULL);
	fine = trc_events_fields(page, at, text, NULL, error);
	return fine ? base_text_clean(text->str, (gssize)text->len) : NULL;
}
