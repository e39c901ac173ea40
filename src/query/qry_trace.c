/* SPDX-License-Identifier: MIT */
#include "query/qry_trace.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_reader.h"

#include <string.h>

#define PAGES_KEPT 2	/* per stream: walks go back and forth over the end of one */

struct kept {
	uint64_t index;
	struct trc_page *page;	/* owned; NULL: none */
};

struct qry_trace {
	char *folder;			/* owned */
	struct idx_reader *index;	/* weak */
	struct trc_pages *pages;	/* owned */
	struct kept (*streams)[PAGES_KEPT];	/* owned, by stream; the one used last first */
	GHashTable *names;		/* class → cleaned name (char *), owned */
};

void qry_trace_free(struct qry_trace *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; t->streams != NULL && i < idx_reader_stream_count(t->index); i++)
		for (unsigned k = 0; k < PAGES_KEPT; k++)
			trc_page_free(t->streams[i][k].page);
	g_free(t->streams);
	trc_pages_free(t->pages);
	if (t->names != NULL)
		g_hash_table_unref(t->names);
	g_free(t->folder);
	g_free(t);
}

/* Is the trace in FOLDER still the one that INDEX was made of? */
static bool is_same(const char *folder, const struct idx_reader *index, GError **error)
{
	char *now = trc_fingerprint(folder, error);
	bool same = now != NULL && strcmp(now, idx_reader_meta(index)->fingerprint) == 0;

	if (now != NULL && !same)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the trace in %s has changed since it was opened: open it again to see its events",
			    folder);
	g_free(now);
	return same;
}

/* Is it known of all events in which packet they are? */
static bool is_placed(const char *folder, struct idx_reader *index, GError **error)
{
	for (uint32_t i = 0; i < idx_reader_stream_count(index); i++) {
		const struct idx_stream *s = idx_reader_stream(index, i);
		struct idx_packet last = { .before = 0 };

		if (s->packets > 0 && !idx_reader_packet(index, i, s->packets - 1, &last))
			return false;
		if (last.before + last.events == s->events)
			continue;
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			    "the packets of %s in %s have a layout that only babeltrace2 knows: list its events with babeltrace2", s->name, folder);
		return false;
	}
	return true;
}

struct qry_trace *qry_trace_open(const char *folder, struct idx_reader *index, GError **error)
{
	struct qry_trace *t;

	if (folder == NULL) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "the trace of %s is not known, only its index", idx_reader_path(index));
		return NULL;
	}
	if (!is_same(folder, index, error) || !is_placed(folder, index, error))
		return NULL;
	t = g_new0(struct qry_trace, 1);
	t->folder = g_strdup(folder);
	t->index = index;
	t->pages = trc_pages_open(folder, error);
	if (t->pages == NULL) {
		qry_trace_free(t);
		return NULL;
	}
	t->streams = g_malloc0_n(idx_reader_stream_count(index), sizeof *t->streams);
	t->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return t;
}

/* Does PAGE hold what the index says of PACKET? */
static bool is_indexed(const struct trc_page *page, const struct idx_packet *packet)
{
	return page->n_events == packet->events && page->first == packet->first && page->last == packet->last;
}

static struct trc_page *read_page(const struct qry_trace *t, uint32_t stream, uint64_t index, GError **error)
{
	const char *name = idx_reader_stream(t->index, stream)->name;
	struct idx_packet packet, before = { .last = INT64_MIN };
	struct trc_page *page;

	if (!idx_reader_packet(t->index, stream, index, &packet) ||
	    (index > 0 && !idx_reader_packet(t->index, stream, index - 1, &before))) {
		const GError *damage = idx_reader_damage(t->index);

		g_propagate_error(error, damage != NULL ? g_error_copy(damage)
				  : g_error_new(BASE_ERROR, BASE_ERROR_DATA, "%s: no such packet", idx_reader_path(t->index)));
		return NULL;
	}
	page = trc_page_read(t->pages, name, packet.offset, packet.size, before.last, error);
	if (page == NULL || is_indexed(page, &packet))
		return page;
	trc_page_free(page);
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the trace in %s has changed since it was opened: open it again to see its events",
		    t->folder);
	return NULL;
}

struct trc_page *qry_trace_page(struct qry_trace *t, uint32_t stream, uint64_t index, GError **error)
{
	struct kept *kept = t->streams[stream], found = { .index = index };
	unsigned k = 0;

	if (kept[0].page != NULL && kept[0].index == index)
		return kept[0].page;
	while (k < PAGES_KEPT - 1 && (kept[k].page == NULL || kept[k].index != index))
		k++;
	if (kept[k].page != NULL && kept[k].index == index) {
		found = kept[k];
	} else {
		found.page = read_page(t, stream, index, error);
		if (found.page == NULL)
			return NULL;
		trc_page_free(kept[k].page);
	}
	memmove(kept + 1, kept, k * sizeof *kept);
	kept[0] = found;
	return found.page;
}

const struct trc_page_event *qry_trace_event(struct qry_trace *t, struct trc_page *page, uint64_t i, GError **error)
{
	return trc_page_event(t->pages, page, i, error);
}

bool qry_trace_find(struct qry_trace *t, struct trc_page *page, int64_t time, uint64_t *found, GError **error)
{
	return trc_page_find(t->pages, page, time, found, error);
}

const char *qry_trace_name(struct qry_trace *t, const struct trc_page_event *event)
{
	char *name = g_hash_table_lookup(t->names, event->class);

	if (name == NULL) {
		name = base_text_clean(trc_page_name(event), -1);
		g_hash_table_insert(t->names, (gpointer)event->class, name);
	}
	return name;
}

char *qry_trace_fields(struct qry_trace *t, struct trc_page *page, uint64_t i, GError **error)
{
	GString *text = g_string_new(NULL);
	char *clean = NULL;

	if (trc_page_fields(t->pages, page, i, text, error))
		clean = base_text_clean(text->str, (gssize)text->len);
	g_string_free(text, TRUE);
	return clean;
}
