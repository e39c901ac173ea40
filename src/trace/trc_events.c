/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet is read on its own (trc_page.c) if its place is known and wakepath's decoder
 * understands its events. babeltrace2 reads all others, each stream from its start (trc_bt2_tape.c); the
 * index has the number of events before a packet. If one kind of reader read a stream, the kinds before it
 * may page it, too, because their results are equal.
 */
#include "trace/trc_events.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_inputs.h"

#include <string.h>

/* The kind of reader for traces of user programs beside the trace; it follows all others. */
#define BESIDE TRC_INPUTS_READERS
#define KINDS (BESIDE + 1)

#define SOME 128 /* events that trc_events_next() returns at once; fewer than TRC_BT2_TAPE_KEPT */

struct trc_events {
	struct trc_recording *recording;  /* owned */
	char *folder;                     /* owned: the folder around all others */
	const struct trc_stream *streams; /* weak */
	GPtrArray *warnings;              /* weak */
	bool grows;
	bool *from_start; /* owned: by stream, true if it is read from its start */
	const struct trc_input *input;
	unsigned whole;      /* the kind that read the whole trace; input->n_readers: several did */
	void *traces[KINDS]; /* owned, by ops->free: by kind; NULL: not needed yet, or absent */
	uint64_t packets;
};

struct trc_events_page {
	const struct trc_paging_ops *ops;
	unsigned kind;
	void *trace;        /* weak: of KIND */
	const char *folder; /* weak: of the trace */
	void *page;         /* owned, by ops->free_page */
	struct trc_paging_packet packet;
	bool grows;                    /* it may have more events than in PACKET */
	bool forwards;                 /* ops->next() returns its events */
	uint64_t had;                  /* events that trc_events_next() has returned */
	struct trc_paging_event *some; /* owned: the last returned events; NULL: none, or FORWARDS */
};

struct trc_picker {
	struct trc_events *events; /* weak */
	char **names;              /* owned */
	unsigned n;
	void *pickers[KINDS];     /* owned: by kind, of its ops; NULL: not needed yet */
	struct trc_value *values; /* owned */
	size_t *texts;            /* owned: offsets in TEXT of copied texts */
	GString *line, *text;     /* owned */
};

static const struct trc_paging_ops *paging(const struct trc_events *e, unsigned kind)
{
	return (kind == BESIDE ? e->input->beside : e->input->readers[kind])->paging;
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

static void *open_beside(const struct trc_events *e, GError **error)
{
	g_autoptr(GPtrArray) folders = g_ptr_array_new();

	for (char *const *folder = e->recording->folders; *folder; folder++)
		g_ptr_array_add(folders, *folder);
	g_ptr_array_add(folders, (char[]){ "" });
	for (char *const *folder = e->recording->beside; *folder; folder++)
		g_ptr_array_add(folders, *folder);
	g_ptr_array_add(folders, NULL);
	return paging(e, BESIDE)->open((char *const *)folders->pdata, true, error);
}

/* Open the trace for KIND, unless it is open. */
static bool open_kind(struct trc_events *e, unsigned kind, GError **error)
{
	if (kind == BESIDE && !e->traces[kind])
		e->traces[kind] = open_beside(e, error);
	else if (!e->traces[kind])
		e->traces[kind] = paging(e, kind)->open(e->recording->folders, e->whole == kind, error);
	return e->traces[kind];
}

/* Open the kinds that read single packets. One that fails is not needed if another one read the trace. */
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
	if ((e->grows || events_is_same(e, fingerprint, error)) && open_kinds(e, error) &&
		(!recording->beside || open_kind(e, BESIDE, error)))
		return e;
	trc_events_free(e);
	return NULL;
}

void trc_events_free(struct trc_events *e)
{
	if (!e)
		return;
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (e->traces[kind])
			paging(e, kind)->free(e->traces[kind]);
	g_free(e->from_start);
	trc_folders_recording_free(e->recording);
	g_free(e->folder);
	g_free(e);
}

bool trc_events_declare(const struct trc_events *e, const char *name)
{
	bool known = false;

	for (unsigned kind = 0; kind < KINDS; kind++)
		if (e->traces[kind] && paging(e, kind)->declares) {
			known |= kind != BESIDE;
			if (paging(e, kind)->declares(e->traces[kind], name))
				return true;
		}
	return !known;
}

bool trc_events_types(const struct trc_events *e, trc_paging_typed *typed, void *data)
{
	bool known = false;

	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!e->traces[kind] || !paging(e, kind)->types || (known && kind != BESIDE))
			continue;
		paging(e, kind)->types(e->traces[kind], typed, data);
		known = true;
	}
	return known;
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

/* True if FOUND, the packet of PAGE as it was read, agrees with the index. */
static bool events_is_as_said(const struct trc_events_page *page, const struct trc_paging_packet *found)
{
	return found->first == page->packet.first &&
		(found->events == page->packet.events ? found->last == page->packet.last
						      : page->grows && found->events > page->packet.events);
}

/* Read PAGE by KIND. */
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
	page->kind = kind;
	page->trace = e->traces[kind];
	page->folder = e->folder;
	page->page = page->forwards ? ops->begin(e->traces[kind], &found, error)
				    : ops->read(e->traces[kind], &found, error);
	if (!page->page)
		return false;
	if (events_is_as_said(page, &found))
		return true;
	ops->free_page(page->page);
	set_changed(e->folder, error);
	return false;
}

static bool is_beside(const struct trc_events *e, unsigned stream)
{
	return e->recording->beside && strcmp(e->streams[stream].reader, e->input->beside->name) == 0;
}

/* Read a packet by its reader, or by one before it. A page that is read forwards needs the reader with which
 * the index was made, because the result of another one must be checked as a whole. */
static struct trc_events_page *events_read(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, bool forwards, GError **error)
{
	unsigned reader = trc_inputs_reader(e->input, e->streams[stream].reader),
		 last = reader < e->input->n_readers ? reader
		: is_beside(e, stream)               ? BESIDE
						     : 0,
		 first = last == BESIDE ? BESIDE : 0;
	struct trc_events_page *page = g_new0(struct trc_events_page, 1);

	page->packet = *packet;
	page->packet.stream = e->streams[stream].name;
	page->grows = e->grows;
	for (unsigned kind = first; kind <= last; kind++) {
		GError *unknown = NULL;

		/* Earlier kinds are tried if they read single packets and this one has a place. */
		if (kind < last &&
			(paging(e, kind)->rewound || !e->traces[kind] || e->from_start[stream] ||
				packet->size == 0))
			continue;
		page->forwards = forwards && kind == last && paging(e, kind)->begin;
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

struct trc_events_page *trc_events_read(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, GError **error)
{
	return events_read(e, stream, packet, false, error);
}

struct trc_events_page *trc_events_begin(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, GError **error)
{
	return events_read(e, stream, packet, true, error);
}

void trc_events_page_free(struct trc_events_page *page)
{
	if (!page)
		return;
	page->ops->free_page(page->page);
	g_free(page->some);
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

/* Like ops->next(), for a page that is read as a whole. */
static bool events_some(struct trc_events_page *page, const struct trc_paging_event **events, unsigned *n,
	GError **error)
{
	if (!page->some)
		page->some = g_new(struct trc_paging_event, SOME);
	*events = page->some;
	for (*n = 0; *n < SOME && page->had + *n < page->packet.events; ++*n)
		if (!page->ops->event(page->trace, page->page, page->had + *n, &page->some[*n], error))
			return false;
	return true;
}

bool trc_events_next(struct trc_events_page *page, const struct trc_paging_event **events, unsigned *n,
	GError **error)
{
	const struct trc_paging_packet *p = &page->packet;
	uint64_t left = p->events - page->had;
	bool fine;

	*n = 0;
	if (page->grows && left == 0)
		return true;
	if (!(page->forwards ? page->ops->next(page->trace, page->page, events, n, error)
			     : events_some(page, events, n, error)))
		return false;
	if (page->grows)
		*n = (unsigned)MIN(*n, left);
	fine = *n == 0 ? left == 0 : *n <= left;
	fine &= *n == 0 || page->had > 0 || (*events)->time == p->first;
	fine &= *n == 0 || *n != left || (*events)[*n - 1].time == p->last;
	page->had += *n;
	if (!fine)
		set_changed(page->folder, error);
	return fine;
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

/* ---- some fields ---- */

struct trc_picker *trc_picker_new(struct trc_events *e, const char *const *names, unsigned n)
{
	struct trc_picker *p = g_new0(struct trc_picker, 1);

	p->events = e;
	p->n = n;
	p->names = g_new0(char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		p->names[i] = g_strdup(names[i]);
	p->values = g_new0(struct trc_value, n + 1); /* never NULL */
	p->texts = g_new0(size_t, n);
	p->line = g_string_new(NULL);
	p->text = g_string_new(NULL);
	return p;
}

void trc_picker_free(struct trc_picker *p)
{
	if (!p)
		return;
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (p->pickers[kind])
			paging(p->events, kind)->picker_free(p->pickers[kind]);
	g_strfreev(p->names);
	g_free(p->values);
	g_free(p->texts);
	g_string_free(p->line, TRUE);
	g_string_free(p->text, TRUE);
	g_free(p);
}

/* Keep VALUE if its field is picked. Its text must be copied, because it is valid only now. */
static void picker_take(void *data, const char *name, const struct trc_value *value)
{
	struct trc_picker *p = data;

	for (unsigned i = 0; i < p->n; i++) {
		if (strcmp(p->names[i], name) != 0)
			continue;
		p->values[i] = *value;
		p->texts[i] = p->text->len;
		if (value->type == TRC_VALUE_TEXT)
			g_string_append_len(p->text, value->text, (gssize)value->length);
	}
}

const struct trc_value *trc_picker_pick(struct trc_picker *p, struct trc_events_page *page, uint64_t i,
	GError **error)
{
	const struct trc_paging_ops *ops = page->ops;
	struct trc_taker taker = { picker_take, p };

	if (ops->pick && !p->pickers[page->kind])
		p->pickers[page->kind] = ops->picker_new(page->trace, (const char *const *)p->names, p->n);
	if (p->n == 0 ||
		(ops->pick && ops->pick(page->trace, page->page, i, p->pickers[page->kind], p->values)))
		return p->values;
	for (unsigned k = 0; k < p->n; k++)
		p->values[k].type = TRC_VALUE_NONE;
	g_string_truncate(p->line, 0);
	g_string_truncate(p->text, 0);
	if (!trc_events_fields(page, i, p->line, &taker, error))
		return NULL;
	for (unsigned k = 0; k < p->n; k++)
		if (p->values[k].type == TRC_VALUE_TEXT)
			p->values[k].text = p->text->str + p->texts[k];
	return p->values;
}
