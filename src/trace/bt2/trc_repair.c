/* SPDX-License-Identifier: MIT */
/*
 * babeltrace2 refuses a whole trace when one of its files ends within a packet,
 * holds something else, or when the index beside it is damaged.  So it is given
 * a folder of links, without an index, in which
 *
 *   - files that cannot be used are absent;
 *   - files of several chunks are side by side, and of a file of which only a part is read (trc_parts.c)
 * there is a copy of that;
 *   - a file that is cut is a copy whose last packet says it is as large as what
 *     is there.  An event cut in half then lies at the end of the packet's
 *     content, where a reader finds it incomplete.  (Of older tracers
 *     babeltrace2 wants to know the last event's time when it opens the file, and
 *     gives up there.  Then the cut packet is left out instead);
 *   - a file with rubbish at its end is a copy without it.
 */
#include "trace/bt2/trc_bt2_open.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_scratch.h"
#include "trace/ctf/trc_bits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copy LENGTH bytes of FROM, from AT on, to the begin of TO; false with errno. */
static bool copy_bytes(int from, int to, uint64_t at, uint64_t length)
{
	static const size_t chunk = 1 << 20;
	char *buffer = g_malloc(chunk);
	uint64_t done = 0;
	bool fine = true;

	while (fine && length) {
		ssize_t got = base_io_read(from, buffer, MIN(length, chunk), at);

		if (got == 0)
			errno = ESTALE; /* it became shorter */
		fine = got > 0 && base_io_write(to, buffer, (size_t)got, done);
		at += (uint64_t)MAX(got, 0);
		done += (uint64_t)MAX(got, 0);
		length -= (uint64_t)MAX(got, 0);
	}
	g_free(buffer);
	return fine;
}

/* Write VALUE over the field NAME of the context of PACKET in FD; a field not there needs no change. */
static bool set_field(const struct trc_survey *s, const struct trc_stream_file *f,
	const struct trc_packet *packet, int fd, const char *name, uint64_t value)
{
	uint64_t at = 0;
	const struct trc_type *type = trc_packet_field(s->layout, f->stream, name, &at);
	uint8_t bytes[8];

	if (!type || at % 8 || type->bits % 8)
		return true;
	trc_bits_write(bytes, 0, (unsigned)type->bits, type->big_endian, value);
	return base_io_write(fd, bytes, type->bits / 8, packet->offset - f->first.offset + at / 8);
}

/* Copy what can be used of F into the file TO; false with errno. */
static bool copy_file(const struct trc_survey *s, const struct trc_stream_file *f, bool whole_packets,
	int from, int to)
{
	const struct trc_packet *last = &f->last;

	if (whole_packets)
		return copy_bytes(from, to, f->first.offset,
			MIN(f->good, last->offset + last->size) - f->first.offset);
	if (!copy_bytes(from, to, f->first.offset, last->offset + last->size - f->first.offset))
		return false;
	return f->state != TRC_FILE_CUT ||
		(set_field(s, f, last, to, "packet_size", last->size * 8) &&
			set_field(s, f, last, to, "content_size", last->content));
}

static bool add_copy(const struct trc_survey *s, const struct trc_stream_file *f, const char *source,
	const char *target, bool whole_packets, GError **error)
{
	int from = base_io_open(source, 0);
	int to = BASE_IO_AGAIN(open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	bool fine = from >= 0 && to >= 0 && copy_file(s, f, whole_packets, from, to);

	if (!fine)
		base_error_set_errno(error, errno, "cannot make a repaired copy as", target);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return fine;
}

static bool add_link(const char *source, const char *target, GError **error)
{
	if (symlink(source, target) == 0)
		return true;
	return base_error_false_errno(error, errno, "cannot make a repaired copy as", target);
}

char *trc_repair_name(const struct trc_survey *s, const struct trc_stream_file *f, unsigned number)
{
	return s->folders[1] ? g_strdup_printf("%u-%s", number, f->file->own) : g_strdup(f->file->own);
}

/* Put all of STREAMS into FOLDER: as a link, or as a copy where not all of the file is to be read. */
static bool add_files(const struct trc_survey *s, const char *folder, const GPtrArray *streams,
	bool whole_packets, GError **error)
{
	bool fine = true;

	for (unsigned i = 0; fine && i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		bool whole = trc_stream_file_is_whole(f);
		g_autofree char *name = trc_repair_name(s, f, i);
		g_autofree char *source = g_build_filename(s->directory, f->file->name, NULL),
				*target = g_build_filename(folder, name, NULL);

		if (!whole && f->good <= f->first.offset && whole_packets)
			continue;
		if (f->n_packets)
			whole &= !f->first.offset && f->last.offset + f->last.size == (uint64_t)f->file->size;
		fine = whole ? add_link(source, target, error)
			     : add_copy(s, f, source, target, whole_packets, error);
	}
	return fine;
}

char *trc_repair_new(const struct trc_survey *s, const GPtrArray *streams, bool whole_packets, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *source = g_build_filename(s->metadata_of, "metadata", NULL), *target = NULL;
	char *folder = base_scratch_folder(&local);

	if (!folder)
		return base_error_null(error, BASE_ERROR_IO,
			"cannot make a repaired copy: %s: set TMPDIR to a folder "
			"with free space",
			local->message);
	target = g_build_filename(folder, "metadata", NULL);
	if (add_link(source, target, error) && add_files(s, folder, streams, whole_packets, error))
		return folder;
	trc_repair_remove(folder);
	return NULL;
}

void trc_repair_remove(char *path)
{
	if (path)
		base_scratch_remove(path);
	g_free(path);
}
