/* SPDX-License-Identifier: MIT */
/*
 * "perf data convert --all" also converts what perf itself wrote down at the start about threads and mappings
 * that were there before (tools/perf/util/synthetic-events.c): these records have no time, and perf's CTF
 * writer (data-convert-bt.c) gives them 0.  They belong to the start of the recording, as the state dump of
 * LTTng does, and not to the boot of the host or to 1970.
 *
 * How it works: such events stand before all others of their stream.  Streams are gone over from their start
 * to the first event that is later than 0; of a stream that begins later that is its first event.
 */
#include "trace/ctf/trc_floor.h"

#include "base/base_time.h"
#include "trace/ctf/trc_page.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool is_perf(const struct trc_tsdl *t)
{
	const struct trc_env *env = trc_tsdl_env(t, "tracer_name");

	return env && env->text && !strcmp(env->text, "perf");
}

/* The first time after ZERO in the packet of SIZE bytes at OFFSET of F; BASE_TIME_NONE: there is none. */
static int64_t first_in_packet(struct trc_pages *pages, const struct trc_stream_file *f,
	const struct trc_packet *packet, int64_t zero)
{
	struct trc_page *page = trc_page_read(pages, f->file->name, packet->offset, packet->size, INT64_MIN,
		NULL);
	const struct trc_page_event *event = NULL;
	int64_t time = BASE_TIME_NONE;
	uint64_t at;

	if (page && trc_page_find(page, zero + 1, &at, NULL) && at < page->n_events)
		event = trc_page_event(page, at, NULL);
	if (event)
		time = event->time;
	trc_page_free(page);
	return time;
}

/* The same of all of F. */
static int64_t first_in_file(const struct trc_survey *s, struct trc_pages *pages,
	const struct trc_stream_file *f, int64_t zero)
{
	g_autofree char *path = g_build_filename(s->directory, f->file->name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t time = BASE_TIME_NONE;
	struct trc_packet packet;
	uint64_t at;

	for (at = f->first.offset; fd >= 0 && at <= f->last.offset && time == BASE_TIME_NONE;
		at += packet.size) {
		enum trc_packet_status status = trc_survey_packet(s, f, fd, at, &packet);

		if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !packet.size)
			break;
		time = first_in_packet(pages, f, &packet, zero);
	}
	if (fd >= 0)
		close(fd);
	return time;
}

int64_t trc_floor_find(const struct trc_survey *s)
{
	struct trc_pages *pages = s->layout && is_perf(s->tsdl) ? trc_pages_open(s->folders, NULL) : NULL;
	int64_t floor = INT64_MAX;
	bool has_none = false;
	unsigned i;

	for (i = 0; pages && i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);
		const struct trc_clock *clock = f->n_packets ? f->stream->clock : NULL;
		int64_t time = clock ? first_in_file(s, pages, f, trc_clock_ns(clock, 0)) : BASE_TIME_NONE;

		has_none |= clock && f->first.has_begin && f->first.begin == 0;
		if (time != BASE_TIME_NONE)
			floor = MIN(floor, time);
	}
	trc_pages_free(pages);
	return has_none && floor < INT64_MAX ? floor : BASE_TIME_NONE;
}
