/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet whose place is known, and whose events our own decoder knows, is read on its own (trc_page).  All else is left
 * to babeltrace2, which reads the stream from its start (trc_bt2_tape); the index tells how many events come before a packet.
 */
#include "query/qry_trace.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/bt2/trc_bt2_tape.h"
#include "trace/core/trc_folders.h"
#include "trace/ctf/trc_page.h"
#include "trace/trc_reader.h"

#include <string.h>

#define PAGES_KEPT 2	/* per stream: walks go back and forth over the end of one */

struct kept {
	uint64_t index;
	struct idx_packet packet;	/* what the index says of it; no events: nothing is kept */
	struct trc_page *page;	/* owned; NULL: on the tape */
};

struct stream {
	struct kept kept[PAGES_KEPT];	/* the one used last first */
	bool taped;		/* it was said that it is read from its start */
};

struct qry_trace {
	char **folders;			/* owned */
	char *folder;			/* owned: the one that all of them are in */
	struct idx_reader *index;	/* weak */
	GPtrArray *warnings;		/* weak */
	struct trc_pages *pages;	/* owned; NULL: its metadata is not understood */
	struct trc_bt2_tape *tape;	/* owned; NULL until needed */
	struct stream *streams;		/* owned */
	GHashTable *names;		/* name as the trace has it, weak, by address → cleaned name (char *), owned */
	uint64_t packets;		/* gone over */
};

void qry_trace_free(struct qry_trace *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; t->streams != NULL && i < idx_reader_stream_count(t->index); i++)
		for (unsigned k = 0; k < PAGES_KEPT; k++)
			trc_page_free(t->streams[i].kept[k].page);
	g_free(t->streams);
	trc_pages_free(t->pages);
	trc_bt2_tape_free(t->tape);
	if (t->names != NULL)
		g_hash_table_unref(t->names);
	g_strfreev(t->folders);
	g_free(t->folder);
	g_free(t);
}

struct qry_trace_work qry_trace_work(const struct qry_trace *t)
{
	return (struct qry_trace_work){ .packets = t->packets, .rewound = t->tape != NULL ? trc_bt2_tape_rewound(t->tape) : 0 };
}

/* ---- opening ---- */

static void set_changed(const char *folder, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the trace in %s has changed since it was opened: open it again to see its events", folder);
}

/* Is the trace still the one that the index was made of? */
static bool is_same(const struct qry_trace *t, GError **error)
{
	char *now = trc_fingerprint(t->folders, error);
	bool same = now != NULL && strcmp(now, idx_reader_meta(t->index)->fingerprint) == 0;

	if (now != NULL && !same)
		set_changed(t->folder, error);
	g_free(now);
	return same;
}

/* Did babeltrace2 read all of the trace? */
static bool is_foreign(const struct idx_reader *index)
{
	return strcmp(idx_reader_meta(index)->reader, "babeltrace2") == 0;
}

struct qry_trace *qry_trace_open(char *const *folders, struct idx_reader *index, GPtrArray *warnings, GError **error)
{
	GError *unknown = NULL;
	struct qry_trace *t;

	if (folders == NULL) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "the trace of %s is not known, only its index", idx_reader_path(index));
		return NULL;
	}
	t = g_new0(struct qry_trace, 1);
	t->folders = g_strdupv((char **)folders);
	t->folder = trc_folders_root(folders);
	t->index = index;
	t->warnings = warnings;
	if (!is_same(t, error)) {
		qry_trace_free(t);
		return NULL;
	}
	t->streams = g_new0(struct stream, idx_reader_stream_count(index));
	t->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	t->pages = trc_pages_open(folders, &unknown);
	if (t->pages == NULL && (!is_foreign(index) || !g_error_matches(unknown, BASE_ERROR, BASE_ERROR_DATA))) {
		g_propagate_error(error, unknown);
		qry_trace_free(t);
		return NULL;
	}
	g_clear_error(&unknown);
	return t;
}

/* ---- packets ---- */

static const char *name_of(const struct qry_trace *t, uint32_t stream)
{
	return idx_reader_stream(t->index, stream)->name;
}

bool qry_trace_packet(struct idx_reader *index, uint32_t stream, uint64_t packet, struct idx_packet *found, GError **error)
{
	const GError *damage;

	if (idx_reader_packet(index, stream, packet, found))
		return true;
	damage = idx_reader_damage(index);
	g_propagate_error(error, damage != NULL ? g_error_copy(damage)
			  : g_error_new(BASE_ERROR, BASE_ERROR_DATA, "%s: no such packet", idx_reader_path(index)));
	return false;
}

/* Packet number INDEX of STREAM as the index knows it, in *LATEST the time of the last event before it. */
static bool get_packet(const struct qry_trace *t, uint32_t stream, uint64_t index, struct idx_packet *packet, int64_t *latest, GError **error)
{
	struct idx_packet before = { .last = idx_reader_meta(t->index)->from };	/* no event is before: those without a time are there */

	if (!qry_trace_packet(t->index, stream, index, packet, error) ||
	    (index > 0 && !qry_trace_packet(t->index, stream, index - 1, &before, error)))
		return false;
	*latest = before.last;
	return true;
}

/* Does PAGE hold what the index says of PACKET? */
static bool is_indexed(const struct trc_page *page, const struct idx_packet *packet)
{
	return page->n_events == packet->events && page->first == packet->first && page->last == packet->last;
}

/* PACKET on its own; NULL with an error when that cannot be done. */
static struct trc_page *read_page(struct qry_trace *t, uint32_t stream, const struct idx_packet *packet, int64_t latest, GError **error)
{
	struct trc_page *page = trc_page_read(t->pages, name_of(t, stream), packet->offset, packet->size, latest, error);

	t->packets++;
	if (page == NULL || is_indexed(page, packet))
		return page;
	trc_page_free(page);
	set_changed(t->folder, error);
	return NULL;
}

/* Have STREAM read by babeltrace2 from its start. */
static bool begin_tape(struct qry_trace *t, uint32_t stream, GError **error)
{
	char *clean;

	if (t->tape == NULL)
		t->tape = trc_bt2_tape_open(t->folders, is_foreign(t->index), error);
	if (t->tape == NULL || t->streams[stream].taped)
		return t->tape != NULL;
	t->streams[stream].taped = true;
	clean = base_text_clean(name_of(t, stream), -1);
	g_ptr_array_add(t->warnings, g_strdup_printf("%s: events are read from its start: only babeltrace2 knows this stream of %s; going to late ones takes a while", clean, t->folder));
	g_free(clean);
	return true;
}

/* Get packet number INDEX of STREAM for K. */
static bool get_kept(struct qry_trace *t, uint32_t stream, uint64_t index, struct kept *k, GError **error)
{
	bool may_tape = strcmp(idx_reader_stream(t->index, stream)->reader, "babeltrace2") == 0;
	GError *unknown = NULL;
	int64_t latest;

	k->index = index;
	k->page = NULL;
	if (!get_packet(t, stream, index, &k->packet, &latest, error))
		return false;
	if (may_tape && (t->streams[stream].taped || t->pages == NULL || k->packet.size == 0))
		return begin_tape(t, stream, error);
	k->page = read_page(t, stream, &k->packet, latest, &unknown);
	if (k->page != NULL)
		return true;
	if (may_tape && g_error_matches(unknown, BASE_ERROR, BASE_ERROR_DATA)) {
		g_error_free(unknown);
		return begin_tape(t, stream, error);
	}
	g_propagate_error(error, unknown);
	return false;
}

/* Packet number INDEX of STREAM, good until another one of the stream is asked for; NULL with an error. */
static const struct kept *keep(struct qry_trace *t, uint32_t stream, uint64_t index, GError **error)
{
	struct kept *kept = t->streams[stream].kept, found;
	unsigned k = 0;

	while (k < PAGES_KEPT - 1 && (kept[k].packet.events == 0 || kept[k].index != index))
		k++;
	if (kept[k].packet.events > 0 && kept[k].index == index) {
		found = kept[k];
	} else {
		if (!get_kept(t, stream, index, &found, error))
			return NULL;
		trc_page_free(kept[k].page);
	}
	memmove(kept + 1, kept, k * sizeof *kept);
	kept[0] = found;
	return kept;
}

/* ---- events ---- */

/* Event number AT of K, as the trace has it. */
static bool get_event(struct qry_trace *t, uint32_t stream, const struct kept *k, uint64_t at, struct qry_trace_event *found, const char **name, GError **error)
{
	const struct trc_page_event *event;
	int64_t *time = &found->time;

	found->cpu = MDL_NONE;
	if (k->page == NULL) {
		if (!trc_bt2_tape_event(t->tape, name_of(t, stream), k->packet.before + at, time, name, error))
			return false;
		if ((at == 0 && *time != k->packet.first) || (at == k->packet.events - 1 && *time != k->packet.last)) {
			set_changed(t->folder, error);
			return false;
		}
		return true;
	}
	event = trc_page_event(k->page, at, error);
	if (event == NULL)
		return false;
	*time = event->time;
	found->cpu = event->cpu;
	*name = trc_page_name(event);
	return true;
}

bool qry_trace_event(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, struct qry_trace_event *event, GError **error)
{
	const struct kept *k = keep(t, stream, packet, error);
	const char *name;

	if (k == NULL || !get_event(t, stream, k, at, event, &name, error))
		return false;
	event->name = g_hash_table_lookup(t->names, name);
	if (event->name == NULL) {
		event->name = base_text_clean(name, -1);
		g_hash_table_insert(t->names, (gpointer)name, (gpointer)event->name);
	}
	return true;
}

bool qry_trace_find(struct qry_trace *t, uint32_t stream, uint64_t packet, int64_t time, uint64_t *found, GError **error)
{
	const struct kept *k = keep(t, stream, packet, error);

	if (k == NULL)
		return false;
	if (k->page != NULL)
		return trc_page_find(k->page, time, found, error);
	if (!trc_bt2_tape_find(t->tape, name_of(t, stream), k->packet.before, k->packet.before + k->packet.events, time, found, error))
		return false;
	*found -= k->packet.before;
	return true;
}

bool qry_trace_offset(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, int64_t *offset, GError **error)
{
	const struct kept *k = keep(t, stream, packet, error);
	const struct trc_page_event *event = k != NULL && k->page != NULL ? trc_page_event(k->page, at, error) : NULL;

	*offset = event != NULL ? (int64_t)(event->start / 8) : -1;
	return event != NULL || (k != NULL && k->page == NULL);
}

char *qry_trace_fields(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, GError **error)
{
	const struct kept *k = keep(t, stream, packet, error);
	GString *text;
	char *clean;
	bool fine;

	if (k == NULL)
		return NULL;
	text = g_string_new(NULL);
	fine = k->page != NULL ? trc_page_fields(t->pages, k->page, at, text, error)
	       : trc_bt2_tape_fields(t->tape, name_of(t, stream), k->packet.before + at, text, error);
	clean = fine ? base_text_clean(text->str, (gssize)text->len) : NULL;
	g_string_free(text, TRUE);
	return clean;
}
