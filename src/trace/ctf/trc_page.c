/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet is gone over once.  What is kept of it are marks: the state of the walk before every
 * TRC_PAGE_STEP-th event, some 32 bytes each, so that a trace of many streams with large packets takes little
 * memory.  The events behind one mark are decoded again when they are asked for, from the few bytes of the
 * file that hold them.
 */
#include "trace/ctf/trc_page.h"

#include "trace/core/trc_folders.h"
#include "trace/ctf/trc_bounds.h"
#include "trace/ctf/trc_ctf_class.h"
#include "trace/core/trc_files.h"
#include "trace/ctf/trc_metadata.h"
#include "trace/ctf/trc_packet.h"
#include "trace/ctf/trc_text.h"
#include "trace/tsdl/trc_tsdl_type.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct trc_pages {
	char *directory;                  /* owned: the folder that all of the trace is in */
	struct trc_metadata *metadata;    /* owned */
	const struct trc_tsdl *tsdl;      /* weak: of it */
	struct trc_packet_layout *layout; /* owned */
	GPtrArray *classes;               /* of struct trc_ctf_stream *, owned */
	struct trc_text *text;            /* owned */
	uint8_t *packet;                  /* owned: room for a whole packet, of this size: */
	size_t capacity;
};

/* The walk before an event. */
struct mark {
	uint64_t at; /* bit in the packet */
	uint64_t clock;
	int64_t latest; /* time of the latest event before it */
	int64_t time;   /* of the event behind it */
};

/* A packet: the one at OFFSET of the stream file NAME of the trace in DIRECTORY. */
struct place {
	const char *directory, *name; /* weak; NAME is hostile */
	uint64_t offset;              /* bytes */
};

/* A page with what is behind it. */
struct page {
	struct trc_page page; /* the first member: what the caller sees */
	struct place place;   /* its name is owned */
	struct trc_packet packet;
	struct trc_bounds bounds;           /* of its events */
	const struct trc_ctf_stream *class; /* weak */
	GArray *marks;                      /* of struct mark, owned */
	uint64_t end;                       /* bit of the packet behind the last event */
	uint64_t group; /* number of the mark whose events are decoded; UINT64_MAX: none */
	struct trc_page_event events[TRC_PAGE_STEP];
	uint8_t *data;   /* owned: their bytes */
	size_t capacity; /* of it */
	uint64_t limit;  /* bits of them */
};

/* ---- parts of packets, read from where the index says that they are ---- */

/* Set ERROR (BASE_ERROR_DATA) as "…/channel0_0: the packet at byte 4096 WHAT".  Returns false. */
static bool is_wrong(const struct place *packet, const char *what, GError **error)
{
	g_autofree char *path = g_build_filename(packet->directory, packet->name, NULL),
			*shown = base_text_clean(path, -1);

	return base_error_false(error, BASE_ERROR_DATA, "%s: the packet at byte %" G_GUINT64_FORMAT " %s",
		shown, (guint64)packet->offset, what);
}

/* SIZE bytes at AT of PACKET to TO.  False with BASE_ERROR_IO when the file cannot be read, _DATA when they
 * are not all there. */
static bool read_part(const struct place *packet, uint64_t at, uint64_t size, uint8_t *to, GError **error)
{
	g_autofree char *path = g_build_filename(packet->directory, packet->name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t offset = packet->offset + at;
	bool fine = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset ||
		(uint64_t)st.st_size - offset < size)
		is_wrong(packet, "is not there any more", error);
	else
		fine = trc_files_read(fd, to, size, offset) == size ||
			is_wrong(packet, "cannot be read to its end", error);
	if (fd >= 0)
		close(fd);
	return fine;
}

/* ---- the trace ---- */

void trc_pages_free(struct trc_pages *p)
{
	if (!p)
		return;
	if (p->classes)
		g_ptr_array_unref(p->classes);
	trc_packet_layout_free(p->layout);
	trc_metadata_free(p->metadata);
	trc_text_free(p->text);
	g_free(p->packet);
	g_free(p->directory);
	g_free(p);
}

bool trc_pages_declare(const struct trc_pages *p, const char *name)
{
	for (guint i = 0; i < p->tsdl->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(p->tsdl->streams, i);

		for (guint k = 0; k < stream->events->len; k++)
			if (!strcmp(((const struct trc_event_class *)g_ptr_array_index(stream->events, k))
					    ->name,
				    name))
				return true;
	}
	return false;
}

/* Understand the metadata in FOLDERS; false with ERROR. */
static bool read_metadata(struct trc_pages *p, char *const *folders, GError **error)
{
	const GError *problem;
	const char *of;

	p->metadata = trc_metadata_new();
	if (!trc_metadata_choose(p->metadata, folders, &p->tsdl, &of, &problem, error))
		return false;
	if (!p->tsdl) {
		g_propagate_prefixed_error(error, g_error_copy(problem), "cannot read %s/metadata: ", of);
		return false;
	}
	p->layout = trc_packet_layout_new(p->tsdl);
	if (!p->layout)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the layout of packets in %s is not known",
			p->directory);
	return p->layout;
}

struct trc_pages *trc_pages_open(char *const *folders, GError **error)
{
	struct trc_pages *p = g_new0(struct trc_pages, 1);

	p->directory = trc_folders_root(folders);
	if (!read_metadata(p, folders, error)) {
		trc_pages_free(p);
		return NULL;
	}
	p->classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	p->text = trc_text_new();
	if (!trc_ctf_compile(p->tsdl, false, p->classes, error))
		g_clear_pointer(&p, trc_pages_free);
	return p;
}

/* ---- reading ---- */

/* Make *BUFFER, of *CAPACITY bytes, as large as SIZE and a little more. */
static void make_room(uint8_t **buffer, size_t *capacity, uint64_t size)
{
	if (size + 8 <= *capacity)
		return;
	g_free(*buffer);
	*capacity = size + size / 4 + 8;
	*buffer = g_malloc(*capacity);
}

/* The whole packet of SIZE bytes of PAGE into P->packet. */
static bool read_packet(struct trc_pages *p, const struct page *page, uint64_t size, GError **error)
{
	if (size > TRC_PAGE_MAX)
		return is_wrong(&page->place, "is too large to be shown", error);
	make_room(&p->packet, &p->capacity, size);
	return read_part(&page->place, 0, size, p->packet, error);
}

/* Understand head and class of the packet of SIZE bytes in P->packet. */
static bool read_head(const struct trc_pages *p, struct page *page, uint64_t size, GError **error)
{
	const struct trc_stream_class *stream = NULL;
	enum trc_packet_status status;

	status = trc_packet_read(p->layout, p->packet, MIN(size, TRC_PACKET_HEAD_MAX), 0, size, &page->packet,
		&stream);
	if (status != TRC_PACKET_FINE && status != TRC_PACKET_CUT)
		return is_wrong(&page->place, "is no packet of this trace", error);
	page->class = trc_ctf_stream_of(p->classes, stream);
	if (page->class->unknown || !page->class->clock)
		return is_wrong(&page->place, "is of a kind that only babeltrace2 can read", error);
	if (!trc_bounds_of_packet(&page->packet, page->class->clock, &page->bounds))
		return is_wrong(&page->place, "has times that cannot be", error);
	return true;
}

/* Read the event of PAGE at W's place; false when there is none, or it makes no sense. */
static bool read_event(const struct page *page, struct trc_walk *w, int64_t *latest,
	struct trc_page_event *event)
{
	const struct trc_ctf_stream *class = page->class;
	int64_t time;

	event->start = w->at;
	if (w->at >= w->limit || !trc_ctf_head(class, w))
		return false;
	event->start = trc_align(event->start,
		class->source->event_header ? class->source->event_header->align : 1);
	event->class = trc_ctf_event_of(class, w->id);
	if (!event->class)
		return false;
	event->at = w->at;
	time = trc_ctf_time(class, w->clock);
	if (!trc_bounds_hold(&page->bounds, time))
		return false;
	event->time = *latest = MAX(*latest, time);
	w->cpu = TRC_CPU_UNKNOWN;
	if (!trc_plan_run(event->class->plan, w))
		return false;
	event->cpu = w->cpu;
	return true;
}

/* Go over all events of the packet in P->packet, and make marks. */
static void read_events(const struct trc_pages *p, struct page *page, int64_t latest)
{
	struct trc_walk walk = {
		.data = p->packet,
		.at = page->packet.events,
		.limit = page->packet.content,
		.clock = page->packet.has_begin ? page->packet.begin : 0,
	};
	struct mark mark = { .at = walk.at, .clock = walk.clock, .latest = latest };
	struct trc_page_event event;
	bool more = true;

	page->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
	while (more && read_event(page, &walk, &latest, &event)) {
		if (page->page.n_events % TRC_PAGE_STEP == 0) {
			mark.time = event.time;
			g_array_append_val(page->marks, mark);
		}
		if (!page->page.n_events++)
			page->page.first = event.time;
		page->page.last = event.time;
		page->end = walk.at;
		more = walk.at > mark.at; /* of events of no size there would be no end */
		mark = (struct mark){ .at = walk.at, .clock = walk.clock, .latest = latest };
	}
}

struct trc_page *trc_page_read(struct trc_pages *p, const char *name, uint64_t offset, uint64_t size,
	int64_t latest, GError **error)
{
	struct page *page = g_new0(struct page, 1);

	page->place = (struct place){ .directory = p->directory, .name = g_strdup(name), .offset = offset };
	page->group = UINT64_MAX;
	if (!read_packet(p, page, size, error) || !read_head(p, page, size, error)) {
		trc_page_free(&page->page);
		return NULL;
	}
	read_events(p, page, latest);
	return &page->page;
}

void trc_page_free(struct trc_page *page)
{
	struct page *all = (struct page *)(void *)page;

	if (!page)
		return;
	if (all->marks)
		g_array_unref(all->marks);
	g_free((char *)(uintptr_t)all->place.name);
	g_free(all->data);
	g_free(all);
}

/* ---- events ---- */

static const struct mark *mark_at(const struct page *page, uint64_t group)
{
	return &g_array_index(page->marks, struct mark, group);
}

/* Decode the N events behind mark GROUP, whose bytes begin at bit START of the packet.  False when they are
 * not what they were. */
static bool decode(struct page *page, uint64_t group, uint64_t start, unsigned n)
{
	const struct mark *mark = mark_at(page, group);
	struct trc_walk walk = { .data = page->data,
		.at = mark->at - start,
		.limit = page->limit,
		.clock = mark->clock };
	int64_t latest = mark->latest;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (!read_event(page, &walk, &latest, &page->events[i]))
			return false;
		page->events[i].start += start;
	}
	return page->events[0].time == mark->time;
}

/* Have the events behind mark GROUP of PAGE decoded. */
static bool load(struct page *page, uint64_t group, GError **error)
{
	uint64_t end = group + 1 < page->marks->len ? mark_at(page, group + 1)->at : page->end;
	uint64_t start = mark_at(page, group)->at / TRC_ALIGN_MAX * TRC_ALIGN_MAX,
		 size = (end + 7) / 8 - start / 8;
	unsigned n = (unsigned)MIN(TRC_PAGE_STEP, page->page.n_events - group * TRC_PAGE_STEP);

	if (page->group == group)
		return true;
	page->group = UINT64_MAX;
	make_room(&page->data, &page->capacity, size);
	if (!read_part(&page->place, start / 8, size, page->data, error))
		return false;
	page->limit = end - start;
	if (!decode(page, group, start, n))
		return is_wrong(&page->place, "has changed since it was read", error);
	page->group = group;
	return true;
}

const struct trc_page_event *trc_page_event(struct trc_page *page, uint64_t i, GError **error)
{
	struct page *all = (struct page *)(void *)page;

	return load(all, i / TRC_PAGE_STEP, error) ? &all->events[i % TRC_PAGE_STEP] : NULL;
}

bool trc_page_find(struct trc_page *page, int64_t time, uint64_t *found, GError **error)
{
	struct page *all = (struct page *)(void *)page;
	uint64_t n = all->marks->len,
		 low = n > 0 ? base_search_below(&mark_at(all, 0)->time, n, sizeof(struct mark), time) : 0;
	uint64_t last = MIN(low * TRC_PAGE_STEP, page->n_events);

	/* The last mark whose event is before TIME: what is looked for is behind it, up to the next mark. */
	*found = low ? (low - 1) * TRC_PAGE_STEP : 0;
	if (*found < last && !load(all, *found / TRC_PAGE_STEP, error))
		return false;
	while (*found < last && all->events[*found % TRC_PAGE_STEP].time < time)
		++*found;
	return true;
}

const char *trc_page_name(const struct trc_page_event *event)
{
	return event->class->source->name;
}

bool trc_page_fields(struct trc_pages *p, struct trc_page *page, uint64_t i, GString *to,
	const struct trc_taker *taker, GError **error)
{
	const struct page *all = (const struct page *)(const void *)page;
	const struct trc_page_event *event = trc_page_event(page, i, error);

	if (!event)
		return false;
	/* The plan has been over these fields, so all of them are there. */
	if (!trc_text_event(p->text, all->class->source, event->class->source, all->data, event->at,
		    all->limit, to, taker))
		g_string_append(to, " (damaged)");
	return true;
}
