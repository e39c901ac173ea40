/* SPDX-License-Identifier: MIT */
#include "trace/trc_page.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_ctf_class.h"
#include "trace/trc_survey.h"
#include "trace/trc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct trc_pages {
	char *directory;			/* owned */
	struct trc_tsdl *tsdl;			/* owned */
	struct trc_packet_layout *layout;	/* owned */
	GPtrArray *classes;			/* of struct trc_ctf_stream *, owned */
	struct trc_text *text;			/* owned */
};

/* A page with what is behind it. */
struct page {
	struct trc_page page;	/* the first member: what the caller sees */
	uint8_t *data;		/* owned: the packet */
	struct trc_packet packet;
	const struct trc_ctf_stream *class;	/* weak */
	GArray *events;		/* of struct trc_page_event, owned */
};

void trc_pages_free(struct trc_pages *p)
{
	if (!p)
		return;
	if (p->classes)
		g_ptr_array_unref(p->classes);
	trc_packet_layout_free(p->layout);
	trc_tsdl_free(p->tsdl);
	trc_text_free(p->text);
	g_free(p->directory);
	g_free(p);
}

/* Understand the metadata; false with ERROR. */
static bool read_metadata(struct trc_pages *p, GError **error)
{
	GError *problem = NULL;

	if (!trc_survey_metadata(p->directory, &p->tsdl, &problem, error))
		return false;
	if (!p->tsdl) {
		g_propagate_prefixed_error(error, problem, "cannot read %s/metadata: ", p->directory);
		return false;
	}
	p->layout = trc_packet_layout_new(p->tsdl);
	if (!p->layout)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "the layout of packets in %s is not known", p->directory);
	return p->layout != NULL;
}

struct trc_pages *trc_pages_open(const char *directory, GError **error)
{
	struct trc_pages *p = g_new0(struct trc_pages, 1);

	p->directory = g_strdup(directory);
	if (!read_metadata(p, error)) {
		trc_pages_free(p);
		return NULL;
	}
	p->classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	trc_ctf_compile(p->tsdl, false, p->classes);
	p->text = trc_text_new();
	return p;
}

/* ---- reading ---- */

/* As "…/channel0_0: the packet at byte 4096 WHAT".  Returns false. */
static bool set_wrong(const struct trc_pages *p, const char *name, uint64_t offset, const char *what, GError **error)
{
	char *path = g_build_filename(p->directory, name, NULL), *shown = base_text_clean(path, -1);

	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: the packet at byte %" G_GUINT64_FORMAT " %s", shown, (guint64)offset, what);
	g_free(shown);
	g_free(path);
	return false;
}

/* Read LENGTH bytes at OFFSET of FD; false when they are not all there. */
static bool read_bytes(int fd, uint8_t *to, size_t length, uint64_t offset)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = pread(fd, to + done, length - done, (off_t)(offset + done));

		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* The bytes of the packet into PAGE; false with ERROR. */
static bool read_packet(const struct trc_pages *p, struct page *page, const char *name, uint64_t offset, uint64_t size, GError **error)
{
	char *path = g_build_filename(p->directory, name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fine = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		base_error_set_errno(error, errno, "cannot read", path);
	} else if (size > TRC_PAGE_MAX) {
		set_wrong(p, name, offset, "is too large to be shown", error);
	} else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset || (uint64_t)st.st_size - offset < size) {
		set_wrong(p, name, offset, "is not there any more", error);
	} else {
		page->data = g_malloc(size + 8);
		fine = read_bytes(fd, page->data, size, offset) || set_wrong(p, name, offset, "cannot be read to its end", error);
	}
	if (fd >= 0)
		close(fd);
	g_free(path);
	return fine;
}

/* Understand head and class of the packet of SIZE bytes in PAGE. */
static bool read_head(const struct trc_pages *p, struct page *page, const char *name, uint64_t offset, uint64_t size, GError **error)
{
	const struct trc_stream_class *stream = NULL;
	enum trc_packet_status status;

	status = trc_packet_read(p->layout, page->data, MIN(size, TRC_PACKET_HEAD_MAX), 0, size, &page->packet, &stream);
	if (status != TRC_PACKET_FINE && status != TRC_PACKET_CUT)
		return set_wrong(p, name, offset, "is no packet of this trace", error);
	page->class = trc_ctf_stream_of(p->classes, stream);
	if (page->class->unknown || !page->class->clock)
		return set_wrong(p, name, offset, "is of a kind that only babeltrace2 can read", error);
	return true;
}

/* Read the event at W's place; false when there is none, or it makes no sense. */
static bool read_event(struct page *page, struct trc_walk *w, int64_t *latest)
{
	struct trc_page_event event;
	uint64_t at = w->at;

	if (at >= page->packet.content || !trc_ctf_head(page->class, w))
		return false;
	event.class = trc_ctf_event_of(page->class, w->id);
	if (!event.class)
		return false;
	event.at = w->at;
	event.time = *latest = MAX(*latest, trc_ctf_time(page->class, w->clock));
	if (!trc_plan_run(event.class->plan, w))
		return false;
	g_array_append_val(page->events, event);
	return w->at > at;	/* of events of no size there would be no end */
}

static void read_events(struct page *page, int64_t latest)
{
	struct trc_walk walk = {
		.data = page->data, .at = page->packet.events, .limit = page->packet.content,
		.clock = page->packet.has_begin ? page->packet.begin : 0,
	};

	page->events = g_array_new(FALSE, FALSE, sizeof(struct trc_page_event));
	while (read_event(page, &walk, &latest))
		;
	page->page.events = (const struct trc_page_event *)(const void *)page->events->data;
	page->page.n_events = page->events->len;
}

struct trc_page *trc_page_read(const struct trc_pages *p, const char *name, uint64_t offset, uint64_t size, int64_t latest,
			       GError **error)
{
	struct page *page = g_new0(struct page, 1);

	if (!read_packet(p, page, name, offset, size, error) || !read_head(p, page, name, offset, size, error)) {
		trc_page_free(&page->page);
		return NULL;
	}
	read_events(page, latest);
	page->page.bytes = size + page->page.n_events * sizeof(struct trc_page_event);
	return &page->page;
}

void trc_page_free(struct trc_page *page)
{
	struct page *all = (struct page *)(void *)page;

	if (!page)
		return;
	if (all->events)
		g_array_unref(all->events);
	g_free(all->data);
	g_free(all);
}

const char *trc_page_name(const struct trc_page_event *event)
{
	return event->class->source->name;
}

void trc_page_fields(struct trc_pages *p, const struct trc_page *page, uint64_t i, GString *to)
{
	const struct page *all = (const struct page *)(const void *)page;
	const struct trc_page_event *event = &page->events[i];

	/* The plan has been over these fields, so all of them are there. */
	if (!trc_text_event(p->text, all->class->source, event->class->source, all->data, event->at, all->packet.content, to))
		g_string_append(to, " (damaged)");
}
