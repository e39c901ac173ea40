/* SPDX-License-Identifier: MIT */
/* The packets of one stream file and their times. */
#include "trace/ctf/trc_survey_parts.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_time.h"
#include "trace/ctf/trc_bits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the index that LTTng keeps beside a stream file: compared with the packets ---- */

struct index {
	int fd;              /* owned; -1: there is no index */
	uint64_t entry_size; /* bytes */
	uint64_t entries, n; /* entries in the file; compared so far */
	bool lies;
};

#define MAGIC 0xc1f1dcc1u
#define HEADER_BYTES 16 /* magic, major, minor, bytes of an entry: 32 bits each, big endian */

/* An entry consists of 64-bit big-endian numbers. These are the first. */
enum { OFFSET, PACKET_BITS, CONTENT_BITS, COMPARED };

static uint64_t number_at(const uint8_t *bytes, unsigned i)
{
	return trc_bits_read(bytes, 64 * i, 64, true);
}

static bool read_header(struct index *index)
{
	uint8_t header[HEADER_BYTES];
	struct stat st;

	if (BASE_IO_AGAIN(fstat(index->fd, &st)) != 0 ||
		base_io_read(index->fd, header, HEADER_BYTES, 0) != HEADER_BYTES ||
		trc_bits_read(header, 0, 32, true) != MAGIC)
		return false;
	index->entry_size = trc_bits_read(header, 96, 32, true);
	if (index->entry_size < 8 * COMPARED || ((uint64_t)st.st_size - HEADER_BYTES) % index->entry_size)
		return false;
	index->entries = ((uint64_t)st.st_size - HEADER_BYTES) / index->entry_size;
	return true;
}

/* Open the index of the stream file NAME in DIRECTORY. It may be absent. */
static void index_open(struct index *index, const char *directory, const char *name)
{
	g_autofree char *file = g_strconcat(name, ".idx", NULL);
	g_autofree char *path = g_build_filename(directory, "index", file, NULL);

	memset(index, 0, sizeof(*index));
	index->fd = base_io_open(path, O_NONBLOCK);
	if (index->fd >= 0)
		index->lies = !read_header(index);
}

/* Compare the next entry with PACKET, the next packet of the stream. */
static void index_compare(struct index *index, const struct trc_packet *packet)
{
	uint8_t entry[8 * COMPARED];

	if (index->fd < 0 || index->lies)
		return;
	index->lies = base_io_read(index->fd, entry, sizeof(entry),
			      HEADER_BYTES + index->n++ * index->entry_size) != (ssize_t)sizeof(entry) ||
		number_at(entry, OFFSET) != packet->offset ||
		number_at(entry, PACKET_BITS) != packet->size * 8 ||
		number_at(entry, CONTENT_BITS) != packet->content;
}

/* Close it. True if it exists and contradicts the packets. */
static bool index_close(struct index *index)
{
	bool lies = index->fd >= 0 && (index->lies || index->n != index->entries);

	if (index->fd >= 0)
		close(index->fd);
	index->fd = -1;
	return lies;
}

void trc_survey_widen(struct trc_range *range, const struct trc_range *other)
{
	if (other->begin != BASE_TIME_NONE && (range->begin == BASE_TIME_NONE || other->begin < range->begin))
		range->begin = other->begin;
	if (other->end != BASE_TIME_NONE && (range->end == BASE_TIME_NONE || other->end > range->end))
		range->end = other->end;
}

bool trc_survey_bounds(const struct trc_survey *s, const struct trc_clock *clock, struct trc_packet *packet,
	struct trc_bounds *bounds)
{
	return trc_bounds_of_packet(packet, clock, bounds) &&
		(!packet->has_begin || !packet->begin ||
			trc_bounds_hold(&s->bounds, trc_clock_ns(clock, packet->begin)));
}

static void add_times(struct trc_times *times, const struct trc_clock *clock, struct trc_packet packet)
{
	int64_t begin = trc_clock_ns(clock, packet.begin), end = trc_clock_ns(clock, packet.end);
	struct trc_bounds bounds;

	if (!trc_bounds_of_packet(&packet, clock, &bounds) ||
		!trc_bounds_follow(&packet, clock, &times->newest))
		return;
	if (packet.has_begin && packet.begin)
		g_array_append_val(times->begins, begin);
	if (packet.has_end)
		g_array_append_val(times->ends, end);
}

void trc_times_init(struct trc_times *times)
{
	times->begins = g_array_new(FALSE, FALSE, sizeof(int64_t));
	times->ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
	times->newest = 0;
}

void trc_times_clear(struct trc_times *times)
{
	g_array_unref(times->begins);
	g_array_unref(times->ends);
}

struct trc_range trc_survey_believed(struct trc_survey *s, const struct trc_times *times)
{
	struct trc_range range = { .begin = BASE_TIME_NONE, .end = BASE_TIME_NONE };
	g_autoptr(GArray) all = g_array_copy(times->begins);
	struct trc_bounds bounds;

	g_array_append_vals(all, times->ends->data, times->ends->len);
	bounds = trc_bounds_of_all(all);
	for (unsigned i = 0; i < times->begins->len; i++) {
		int64_t begin = g_array_index(times->begins, int64_t, i);
		struct trc_range one = { .begin = begin, .end = BASE_TIME_NONE };

		if (trc_bounds_hold(&bounds, begin))
			trc_survey_widen(&range, &one);
	}
	for (unsigned i = 0; i < times->ends->len; i++) {
		int64_t end = g_array_index(times->ends, int64_t, i);
		struct trc_range one = { .begin = BASE_TIME_NONE, .end = end };

		if (trc_bounds_hold(&bounds, end))
			trc_survey_widen(&range, &one);
	}
	s->bounds.from = MIN(s->bounds.from, bounds.from);
	s->bounds.to = MAX(s->bounds.to, bounds.to);
	return range;
}

bool trc_survey_walk(const struct trc_survey *s, struct trc_times *times, struct trc_stream_file *f,
	GError **error)
{
	g_autofree char *path = g_build_filename(s->directory, f->file->name, NULL);
	int fd = base_io_open(path, 0);
	uint64_t size = (uint64_t)f->file->size;
	enum trc_packet_status status = TRC_PACKET_FINE;
	struct index index = { 0 };
	bool compares = !f->open && f->good == 0;

	if (fd < 0)
		return base_error_false_errno(error, errno, "cannot read", path);
	times->newest = -BASE_TIME_FARTHEST;
	if (compares)
		index_open(&index, s->folders[f->file->folder], f->file->own);
	while (status == TRC_PACKET_FINE && f->good < size) {
		const struct trc_stream_class *stream = f->stream;
		struct trc_packet packet;

		status = trc_packet_read_at(s->layout, fd, f->good, size, &packet, &stream);
		if (status == TRC_PACKET_FOREIGN)
			f->stream = stream;
		if (status != TRC_PACKET_FINE && status != TRC_PACKET_CUT)
			break;
		if (!packet.size || (status == TRC_PACKET_CUT && f->open))
			break;
		if (!f->n_packets++) {
			f->cpu = packet.cpu;
			f->first = packet;
		}
		f->stream = stream;
		f->last = packet;
		if (stream->clock)
			add_times(times, stream->clock, packet);
		if (compares)
			index_compare(&index, &packet);
		if (status == TRC_PACKET_FINE)
			f->good += packet.size;
	}
	if (status == TRC_PACKET_UNREAD)
		base_error_set_errno(error, errno, "cannot read", path);
	close(fd);
	f->index_lies = compares && index_close(&index);
	if (status == TRC_PACKET_FOREIGN)
		f->state = TRC_FILE_FOREIGN;
	else if (!f->n_packets)
		f->state = TRC_FILE_UNUSABLE;
	else if (f->open)
		f->state = TRC_FILE_FINE; /* the rest is not written yet */
	else if (status == TRC_PACKET_CUT)
		f->state = TRC_FILE_CUT;
	else if (f->good < size)
		f->state = TRC_FILE_TAIL;
	return status != TRC_PACKET_UNREAD;
}
