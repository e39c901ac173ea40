/* SPDX-License-Identifier: MIT */
/*
 * Reads events with all their fields in the middle of a trace: one packet at a time, at a place that the
 * index gives. It uses the plans of the reader "ctf", so it finds the same events.
 *
 * How it works: a packet is walked once. Of it, only marks remain: the state of the walk before every STEP-th
 * event, some 32 bytes each. So a trace of many streams with large packets takes little memory. On demand,
 * the events after a mark are decoded again from the few bytes of the file that hold them.
 *
 * A packet that is only read forwards (begin(), next()) has no marks. RUN events at a time are decoded once,
 * from a window of its bytes. The window grows only if an event does not fit.
 */
#include "trace/ctf/trc_ctf.h"

#include "trace/ctf/trc_ctf_class.h"
#include "trace/ctf/trc_pick.h"
#include "trace/meta/trc_meta_type.h"
#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "base/base_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP 64
#define RUN 256                       /* events that next() returns at most */
#define WINDOW (1 << 16)              /* bytes */
#define PACKET_MAX (INT64_C(1) << 30) /* bytes; a larger packet is not read as a whole */

/* A trace whose packets can be read. */
struct pages {
	char *directory;                  /* owned: the folder around all folders of the trace */
	struct trc_metadata *metadata;    /* owned */
	const struct trc_meta *meta;      /* weak: part of METADATA */
	struct trc_packet_layout *layout; /* owned */
	GPtrArray *classes;               /* of struct trc_ctf_stream *, owned */
	struct trc_text *text;            /* owned */
	uint8_t *packet;                  /* owned: room for a whole packet, CAPACITY bytes */
	size_t capacity;
};

/* The state of the walk before an event. */
struct mark {
	uint64_t at; /* bit in the packet */
	uint64_t clock;
	int64_t latest; /* time of the latest event before it */
	int64_t time;   /* of the event after the mark */
};

/* The place of a packet: the stream file NAME of the trace in DIRECTORY, from OFFSET on. */
struct place {
	const char *directory, *name; /* weak; NAME is hostile */
	uint64_t offset;              /* bytes */
};

/* The place of an event's fields, beside struct trc_paging_event. */
struct inside {
	uint64_t at;                       /* bit at which its contexts and fields begin */
	const struct trc_ctf_event *class; /* weak: of the trace */
};

/* The registers that the fields of an event refer to, as in struct trc_walk. */
struct around {
	uint32_t known;
	uint64_t registers[TRC_AROUND_MAX];
};

/* The events of one packet. Memory holds only the marks, and the events around one mark. */
struct page {
	uint64_t n_events;
	int64_t first, last; /* times of the first and the last event, if there are any */
	struct place place;  /* its name is owned */
	struct trc_packet packet;
	struct trc_bounds bounds;           /* of its events */
	const struct trc_ctf_stream *class; /* weak */
	GArray *marks;                      /* of struct mark, owned; NULL: it is read forwards */
	uint64_t end;                       /* bit of the packet after the last event */
	/* Decoded ("at hand") are N events from number AT_HAND on. */
	uint64_t at_hand;
	unsigned n;
	struct trc_paging_event *events; /* owned */
	struct inside *inside;           /* owned */
	struct around *around;           /* owned; NULL: the events refer to no fields around them */
	uint8_t *data;                   /* owned: their bytes */
	size_t capacity;                 /* of it */
	uint64_t start;                  /* bit of the packet at which they begin, … */
	uint64_t limit;                  /* … and their number of bits */
	struct mark walk;                /* of a page read forwards: after the events at hand */
};

/* ---- parts of packets, at places that the index gives ---- */

/* Set ERROR (BASE_ERROR_DATA) as "…/channel0_0: the packet at byte 4096 WHAT".  Returns false. */
static bool is_wrong(const struct place *packet, const char *what, GError **error)
{
	g_autofree char *path = g_build_filename(packet->directory, packet->name, NULL),
			*shown = base_text_clean(path, -1);

	return base_error_false(error, BASE_ERROR_DATA, "%s: the packet at byte %" G_GUINT64_FORMAT " %s",
		shown, (guint64)packet->offset, what);
}

/* Read SIZE bytes at AT of PACKET into TO. False with BASE_ERROR_IO, or _DATA if not all bytes exist. */
static bool read_part(const struct place *packet, uint64_t at, uint64_t size, uint8_t *to, GError **error)
{
	g_autofree char *path = g_build_filename(packet->directory, packet->name, NULL);
	int fd = base_io_open(path, O_NONBLOCK);
	uint64_t offset = packet->offset + at;
	ssize_t got = -1;
	struct stat st;

	if (fd < 0 || BASE_IO_AGAIN(fstat(fd, &st)) != 0)
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset ||
		(uint64_t)st.st_size - offset < size)
		is_wrong(packet, "is not there any more", error);
	else if ((got = base_io_read(fd, to, size, offset)) < 0)
		base_error_set_errno(error, errno, "cannot read", path);
	else if ((uint64_t)got < size)
		is_wrong(packet, "ends early", error);
	if (fd >= 0)
		close(fd);
	return got >= 0 && (uint64_t)got == size;
}

/* ---- the trace ---- */

static void free_pages(void *trace)
{
	struct pages *p = trace;

	if (p->classes)
		g_ptr_array_unref(p->classes);
	trc_packet_layout_free(p->layout);
	trc_metadata_free(p->metadata);
	trc_text_free(p->text);
	g_free(p->packet);
	g_free(p->directory);
	g_free(p);
}

static bool declares(const void *trace, const char *name)
{
	const struct pages *p = trace;

	for (guint i = 0; i < p->meta->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(p->meta->streams, i);

		for (guint k = 0; k < stream->events->len; k++)
			if (!strcmp(((const struct trc_event_class *)g_ptr_array_index(stream->events, k))
					    ->name,
				    name))
				return true;
	}
	return false;
}

/* Read the metadata in FOLDERS. False with ERROR if they are not understood. */
static bool read_metadata(struct pages *p, char *const *folders, const struct trc_clock *like, GError **error)
{
	const GError *problem;
	const char *of;

	p->metadata = trc_metadata_new();
	if (like)
		trc_metadata_set_clock(p->metadata, like);
	if (!trc_metadata_choose(p->metadata, folders, &p->meta, &of, &problem, error))
		return false;
	if (!p->meta) {
		g_propagate_prefixed_error(error, g_error_copy(problem), "cannot read %s/metadata: ", of);
		return false;
	}
	p->layout = trc_packet_layout_new(p->meta);
	if (!p->layout)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the layout of packets in %s is not known",
			p->directory);
	return p->layout;
}

void *trc_ctf_pages_open(char *const *folders, const struct trc_clock *like, GError **error)
{
	struct pages *p = g_new0(struct pages, 1);

	p->directory = trc_folders_root(folders);
	if (!read_metadata(p, folders, like, error)) {
		free_pages(p);
		return NULL;
	}
	p->classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	p->text = trc_text_new();
	if (!trc_ctf_compile(p->meta, false, p->classes, error))
		g_clear_pointer(&p, free_pages);
	return p;
}

static void *open_pages(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	return trc_ctf_pages_open(folders, NULL, error);
}

/* ---- reading ---- */

/* Make *BUFFER, of *CAPACITY bytes, at least SIZE + 8 bytes large; its content is lost. */
static void page_make_room(uint8_t **buffer, size_t *capacity, uint64_t size)
{
	if (size + 8 <= *capacity)
		return;
	g_free(*buffer);
	*capacity = size + size / 4 + 8;
	*buffer = g_malloc(*capacity);
}

/* Read the whole packet of PAGE, SIZE bytes, into P->packet. */
static bool read_packet(struct pages *p, const struct page *page, uint64_t size, GError **error)
{
	if (size > PACKET_MAX)
		return is_wrong(&page->place, "is too large to be shown", error);
	page_make_room(&p->packet, &p->capacity, size);
	return read_part(&page->place, 0, size, p->packet, error);
}

/* Decode head and class of the packet of SIZE bytes in P->packet. */
static bool read_head(const struct pages *p, struct page *page, uint64_t size, GError **error)
{
	const struct trc_stream_class *stream = NULL;
	enum trc_packet_status status;

	status = trc_packet_read(p->layout, p->packet, MIN(size, TRC_PACKET_HEAD_MAX), 0, size, &page->packet,
		&stream);
	if (status != TRC_PACKET_FINE && status != TRC_PACKET_CUT)
		return is_wrong(&page->place, "is not a packet of this trace", error);
	page->class = trc_ctf_stream_of(p->classes, stream);
	if (page->class->unknown || !page->class->clock)
		return is_wrong(&page->place, "is of a kind that only babeltrace2 can read", error);
	if (!trc_bounds_of_packet(&page->packet, page->class->clock, &page->bounds))
		return is_wrong(&page->place, "has impossible times", error);
	return true;
}

/* Make room for N events at hand. */
static void page_make_events(struct page *page, unsigned n)
{
	page->events = g_new(struct trc_paging_event, n);
	page->inside = g_new(struct inside, n);
	if (page->class->around)
		page->around = g_new(struct around, n);
}

/* Read the event at W's place as number I of the events at hand. False if there is none, it makes no sense,
 * or it has no size. */
static bool read_event(struct page *page, struct trc_walk *w, int64_t *latest, unsigned i)
{
	const struct trc_ctf_stream *class = page->class;
	const struct trc_ctf_event *of;
	uint64_t at = w->at, start; /* START: bit at which it begins, with its header */
	int64_t time;

	if (w->at >= w->limit || !trc_ctf_head(class, w))
		return false;
	of = trc_ctf_event_of(class, w->id);
	if (!of)
		return false;
	page->inside[i] = (struct inside){ w->at, of };
	if (page->around) {
		page->around[i].known = w->known;
		memcpy(page->around[i].registers, w->registers, sizeof page->around[i].registers);
	}
	time = trc_ctf_time(class, w->clock);
	if (!trc_bounds_hold(&page->bounds, time))
		return false;
	*latest = MAX(*latest, time);
	w->cpu = TRC_CPU_UNKNOWN;
	if (!trc_plan_run(of->plan, w) || w->at == at)
		return false;
	start = trc_align(at, class->source->event_header ? class->source->event_header->align : 1);
	page->events[i] = (struct trc_paging_event){ *latest, w->cpu, (int64_t)((page->start + start) / 8),
		of->source->name };
	return true;
}

/* Walk over all events of the packet in P->packet and make marks. */
static void read_events(const struct pages *p, struct page *page, int64_t latest)
{
	struct trc_walk walk = {
		.data = p->packet,
		.at = page->packet.events,
		.limit = page->packet.content,
	};
	const struct trc_paging_event *event = page->events;
	struct mark mark;

	trc_packet_walk(&page->packet, &walk);
	mark = (struct mark){ .at = walk.at, .clock = walk.clock, .latest = latest };
	page->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
	while (read_event(page, &walk, &latest, 0)) {
		if (page->n_events % STEP == 0) {
			mark.time = event->time;
			g_array_append_val(page->marks, mark);
		}
		if (!page->n_events++)
			page->first = event->time;
		page->last = event->time;
		page->end = walk.at;
		mark = (struct mark){ .at = walk.at, .clock = walk.clock, .latest = latest };
	}
}

static void free_page(void *page)
{
	struct page *p = page;

	if (p->marks)
		g_array_unref(p->marks);
	g_free((char *)(uintptr_t)p->place.name);
	g_free(p->events);
	g_free(p->inside);
	g_free(p->around);
	g_free(p->data);
	g_free(p);
}

static struct page *page_new(const struct pages *p, const struct trc_paging_packet *packet)
{
	struct page *page = g_new0(struct page, 1);

	page->place = (struct place){ p->directory, g_strdup(packet->stream), packet->offset };
	return page;
}

/* Damage ends the page early, at the event where the reader "ctf" ends the stream. */
static void *page_read_page(void *trace, struct trc_paging_packet *packet, GError **error)
{
	struct pages *p = trace;
	struct page *page = page_new(p, packet);

	if (!read_packet(p, page, packet->size, error) || !read_head(p, page, packet->size, error)) {
		free_page(page);
		return NULL;
	}
	page_make_events(page, STEP);
	read_events(p, page, packet->latest);
	packet->events = page->n_events;
	packet->first = page->first;
	packet->last = page->last;
	return page;
}

/* ---- forwards ---- */

static void *page_begin(void *trace, const struct trc_paging_packet *packet, GError **error)
{
	struct pages *p = trace;
	struct page *page = page_new(p, packet);
	uint64_t head = MIN(packet->size, TRC_PACKET_HEAD_MAX);
	struct trc_walk walk = { 0 };

	page_make_room(&p->packet, &p->capacity, head);
	if (packet->size > PACKET_MAX)
		is_wrong(&page->place, "is too large to be shown", error);
	else if (read_part(&page->place, 0, head, p->packet, error) &&
		read_head(p, page, packet->size, error)) {
		page_make_events(page, RUN);
		trc_packet_walk(&page->packet, &walk);
		page->walk = (struct mark){ .at = page->packet.events,
			.clock = walk.clock,
			.latest = packet->latest };
		return page;
	}
	free_page(page);
	return NULL;
}

/* Read SIZE bytes of PAGE from the place of the walk on, or all that remain. */
static bool page_have(struct page *page, uint64_t size, GError **error)
{
	uint64_t start = page->walk.at / TRC_ALIGN_MAX * TRC_ALIGN_MAX, all = page->packet.content - start;

	size = MIN(size, (all + 7) / 8);
	page_make_room(&page->data, &page->capacity, size);
	if (!read_part(&page->place, start / 8, size, page->data, error))
		return false;
	page->start = start;
	page->limit = MIN(all, size * 8);
	return true;
}

/* Decode events from the place of the walk in the bytes at hand. */
static void page_run(struct page *page)
{
	struct mark *mark = &page->walk;
	struct trc_walk walk = { .data = page->data, .at = mark->at - page->start, .limit = page->limit };

	trc_packet_walk(&page->packet, &walk);
	walk.clock = mark->clock;
	for (page->n = 0; page->n < RUN && read_event(page, &walk, &mark->latest, page->n); page->n++) {
		mark->at = page->start + walk.at;
		mark->clock = walk.clock;
	}
}

/* If the first event is not whole, read more bytes. */
static bool page_next(G_GNUC_UNUSED void *trace, void *data, const struct trc_paging_event **events,
	unsigned *n, GError **error)
{
	struct page *page = data;
	uint64_t size = WINDOW;

	page->at_hand += page->n;
	page->n = 0;
	if (page->data && page->walk.at - page->start < page->limit)
		page_run(page);
	while (page->n == 0 && page->walk.at < page->packet.content &&
		(!page->data || page->start + page->limit < page->packet.content)) {
		if (!page_have(page, size, error))
			return false;
		page_run(page);
		size *= 2;
	}
	*events = page->events;
	*n = page->n;
	return true;
}

/* ---- events ---- */

static const struct mark *mark_at(const struct page *page, uint64_t group)
{
	return &g_array_index(page->marks, struct mark, group);
}

/* Decode the N events after mark GROUP. False if they have changed. */
static bool decode(struct page *page, uint64_t group, unsigned n)
{
	const struct mark *mark = mark_at(page, group);
	struct trc_walk walk = { .data = page->data, .at = mark->at - page->start, .limit = page->limit };
	int64_t latest = mark->latest;

	trc_packet_walk(&page->packet, &walk);
	walk.clock = mark->clock;
	for (unsigned i = 0; i < n; i++)
		if (!read_event(page, &walk, &latest, i))
			return false;
	return page->events[0].time == mark->time;
}

/* Decode the events after mark GROUP of PAGE, unless they are at hand. */
static bool page_load(struct page *page, uint64_t group, GError **error)
{
	uint64_t end = group + 1 < page->marks->len ? mark_at(page, group + 1)->at : page->end;
	uint64_t start = mark_at(page, group)->at / TRC_ALIGN_MAX * TRC_ALIGN_MAX,
		 size = (end + 7) / 8 - start / 8;
	unsigned n = (unsigned)MIN(STEP, page->n_events - group * STEP);

	if (page->n > 0 && page->at_hand == group * STEP)
		return true;
	page->n = 0;
	page_make_room(&page->data, &page->capacity, size);
	if (!read_part(&page->place, start / 8, size, page->data, error))
		return false;
	page->start = start;
	page->limit = end - start;
	if (!decode(page, group, n))
		return is_wrong(&page->place, "has changed since it was read", error);
	page->at_hand = group * STEP;
	page->n = n;
	return true;
}

/* True if event number I of PAGE is at hand. */
static bool is_at_hand(const struct page *page, uint64_t i)
{
	return i >= page->at_hand && i - page->at_hand < page->n;
}

/* Decode event number I of PAGE unless it is at hand. Set *AT to its number among those at hand. False with
 * an error if the file has changed. */
static bool have_event(struct page *page, uint64_t i, unsigned *at, GError **error)
{
	g_assert(page->marks || is_at_hand(page, i));
	if (!is_at_hand(page, i) && !page_load(page, i / STEP, error))
		return false;
	*at = (unsigned)(i - page->at_hand);
	return true;
}

static bool page_get_event(G_GNUC_UNUSED void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	GError **error)
{
	unsigned at;

	if (!have_event(page, i, &at, error))
		return false;
	*event = ((struct page *)page)->events[at];
	return true;
}

static bool find_event(G_GNUC_UNUSED void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	struct page *p = page;
	uint64_t n = p->marks->len,
		 low = n > 0 ? base_search_below(&mark_at(p, 0)->time, n, sizeof(struct mark), time) : 0;
	uint64_t last = MIN(low * STEP, p->n_events);

	/* The last mark whose event is before TIME. The event to find comes after it, up to the next mark. */
	*found = low ? (low - 1) * STEP : 0;
	if (*found < last && !page_load(p, *found / STEP, error))
		return false;
	while (*found < last && p->events[*found % STEP].time < time)
		++*found;
	return true;
}

/* Return the numbers around event AT (of those at hand) to which its fields refer. */
static struct trc_text_around around_of(const struct page *page, unsigned at)
{
	const struct around *around = page->around ? &page->around[at] : NULL;

	return (struct trc_text_around){ page->class->around, around ? around->known : 0,
		around ? around->registers : NULL };
}

static bool page_get_fields(void *trace, void *data, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error)
{
	const struct pages *p = trace;
	const struct page *page = data;
	struct trc_text_around around;
	unsigned at;

	if (!have_event(data, i, &at, error))
		return false;
	around = around_of(page, at);
	/* The plan has walked these fields, so all of them exist. */
	if (!trc_text_event(p->text, page->class->source, page->inside[at].class->source, page->data,
		    page->inside[at].at, page->limit, &around, to, taker))
		g_string_append(to, " (damaged)");
	return true;
}

static void *page_picker(G_GNUC_UNUSED void *trace, const char *const *names, unsigned n)
{
	return trc_ctf_picker_new(names, n);
}

static bool page_pick(G_GNUC_UNUSED void *trace, void *data, uint64_t i, void *picker,
	struct trc_value *values)
{
	const struct page *page = data;
	unsigned at = (unsigned)(i - page->at_hand);
	struct trc_text_around around;

	if (!is_at_hand(page, i))
		return false;
	around = around_of(page, at);
	return trc_ctf_pick(picker, page->class, page->inside[at].class, page->data, page->inside[at].at,
		page->limit, &around, values);
}

static void page_types(const void *trace, trc_paging_typed *typed, void *data)
{
	trc_ctf_types(((const struct pages *)trace)->meta, typed, data);
}

const struct trc_paging_ops trc_ctf_paging = {
	.open = open_pages,
	.free = free_pages,
	.read = page_read_page,
	.free_page = free_page,
	.event = page_get_event,
	.find = find_event,
	.fields = page_get_fields,
	.begin = page_begin,
	.next = page_next,
	.picker_new = page_picker,
	.picker_free = trc_ctf_picker_free,
	.pick = page_pick,
	.types = page_types,
	.declares = declares,
};
